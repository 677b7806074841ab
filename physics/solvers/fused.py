"""`fused`: each body is eliminated together with its joint, in the joint's motion subspace. O(n), the default mode.

The system (physics/README.md, "One system") is A v - J^T l = f, J v = g. For the edge from a body to its parent, with
the twist y of the body at the joint's anchor,

    y = y_p + N q + b,      A' = X^T A X,  f' = X^T f,  X = [[1, [rc]x], [0, 1]]   (shift to the anchor)

The elimination of q (K = N^T A' N + D, right-hand side N^T f' + d) leaves on the parent

    P = A' - A' N K^-1 N^T A',      h = f' - A' N K^-1 (N^T f' + d) - P b

both shifted by the parent's lever. From the roots back to the leaves, q = K^-1 (N^T f' + d - N^T A' (y_p + b)). The
joint's wrench on the child is P y_p - h: multipliers and joint spring together. This is the elimination of [Baraff96,
app. A] on H = [[A, -J^T], [-J, 0]], with a body and its constraint eliminated in one step.

K contains D. For a ball the angular block of P is sym(A'_ww E) with E = K^-1 D; the equal D - D E would lose all digits
for stiff joints. Bodies that are not rigid, and constraints without a motion subspace, are eliminated with run-time
dimensions (`fused_rows`). Both paths pass the same kind of block to the parent, so that one figure may use both.
"""

from physics.compiler.jit import entry, inline, kernel, rare
from physics.compiler.lazy import far
from physics.data.model_tables import Path, Topology
from physics.data.step_tables import Control, Request
from physics.data.work_tables import Edges, Rows
from physics.maths.lanes import AT_ONCE, four, rows_at
from physics.maths.prefetch import AHEAD, are_many, fetcher
from physics.solvers.fused_axes import back_axes, back_hinge, factor_axes, factor_hinge, forward_axes, forward_hinge
from physics.solvers.fused_ball import back_ball, back_free, factor_ball, factor_free, forward_ball
from physics.solvers.fused_columns import answer_columns, begin_columns, body_columns_up
from physics.solvers.fused_rows import back_general, factor_general, forward_general


# ---------------------------------------------------------------- SIMD groups of four bodies (maths/lanes.py)
# Branches are independent: rows k to k + 3, none the parent of another, are done with the helpers above, and are the
# same to the last bit as one by one from the last to the first.
@inline
def four_up(m, w, k, request, factor, forward):
    """Make the step of the pass from the leaves to the roots for the SIMD group of four joints of one kind, rows k to k
    + 3, by the functions of this kind: factor, reduce, or both, by `request`."""
    i, p = four(k), rows_at(m.topology, k, Topology.PARENT)
    if request & Request.FACTOR:
        factor(i, p, w.block, w.edge, w.row)
    if request & Request.SOLVE:
        forward(i, p, w.force, w.edge, w.row, w.reduced)


@inline
def four_down(m, w, k, with_wrench, back):
    """Write Work.velocity, and Work.wrench with `with_wrench`, for the SIMD group of four joints of one kind, rows k to
    k + 3, by the function of this kind."""
    back(four(k), rows_at(m.topology, k, Topology.PARENT), w.edge, w.row, w.reduced, w.velocity, w.wrench, with_wrench)


@far("SIMD balls", "mwii")
def four_balls_up(m, w, k, request):
    """Do the work of `four_up` for four ball joints."""
    four_up(m, w, k, request, factor_ball, forward_ball)


@far("SIMD hinges", "mwii")
def four_hinges_up(m, w, k, request):
    """Do the work of `four_up` for four hinges."""
    four_up(m, w, k, request, factor_hinge, forward_hinge)


@far("SIMD balls", "mwii")
def four_balls_down(m, w, k, with_wrench):
    """Do the work of `four_down` for four ball joints."""
    four_down(m, w, k, with_wrench, back_ball)


@far("SIMD hinges", "mwii")
def four_hinges_down(m, w, k, with_wrench):
    """Do the work of `four_down` for four hinges."""
    four_down(m, w, k, with_wrench, back_hinge)


# ---------------------------------------------------------------- the two passes
fetch_place = fetcher((Topology.PARENT,))

# On the way from the last row to the first, lines are asked for from a row's last to its first: memory that is gone
# through strictly backwards is read ahead by the processor itself, more than twice as fast as rows that come backwards
# with their lines forwards (9 and 25 GB/s, measured over rows of nine lines).
fetch_block = fetcher((20, 16, 8, 0), True)

fetch_row = fetcher((Rows.PUSH, Rows.STIFF_BLOCK))

fetch_right_hand_side = fetcher((Rows.PUSH,))

# of Work.edge what factors a body, what reduces a right-hand side, what finds velocities, and wrenches
fetch_factor = fetcher(tuple(reversed(range(0, Edges.AXIS, 8))), True)

fetch_reduction = fetcher(tuple(reversed(range(0, Edges.PUSHED + 15, 8))))

fetch_way_back = fetcher(tuple(range(0, Edges.K_INVERSE, 8)))

fetch_way_to_wrenches = fetcher(tuple(range(0, Edges.AXIS, 8)))


@rare
def prefetch_up(m, w, i, request):
    """Prefetch the rows of body i for the pass from the leaves to the roots."""
    fetch_place(m.topology, i)
    if request & Request.FACTOR:
        fetch_block(w.block, i)
        fetch_row(w.row, i)
        fetch_factor(w.edge, i)
    else:
        fetch_right_hand_side(w.row, i)
        fetch_reduction(w.edge, i)


@rare
def prefetch_down(m, w, i, with_wrench):
    """Prefetch the rows of body i for the pass from the roots to the leaves."""
    fetch_place(m.topology, i)
    fetch_right_hand_side(w.row, i)
    if with_wrench:
        fetch_way_to_wrenches(w.edge, i)
    else:
        fetch_way_back(w.edge, i)


@kernel
def eliminate(m, w, request, count):
    """Go from the leaves to the roots. With FACTOR, make Work.block articulated and write the factor to Work.edge. With
    SOLVE, reduce Work.force, which is used up, to Work.reduced. With ALONG, visit only the `count` bodies listed in
    Work.along."""
    topology = m.topology
    along = request & Request.ALONG
    many = not along and are_many(topology)
    k = count - 1
    while k >= 0:
        if along or topology[k, Topology.LANE] != AT_ONCE:
            if many:
                prefetch_up(m, w, k - AHEAD, request)
            body_up(m, w, w.along[k] if along else k, request)
            k -= 1
        else:
            if many:
                for i in range(k + 1 - AT_ONCE, k + 1):
                    prefetch_up(m, w, i - AHEAD, request)
            if topology[k, Topology.ELIMINATION] == Path.BALL:
                four_balls_up(m, w, k + 1 - AT_ONCE, request)
            else:
                four_hinges_up(m, w, k + 1 - AT_ONCE, request)
            k -= AT_ONCE


@far("columns", "mwi")
def eliminate_with_columns(m, w, request):
    """Go from the leaves to the roots over all bodies, as `eliminate` does, and reduce the columns of the links' rows
    in the same pass: while one computation waits, the other uses the processor."""
    begin_columns(m, w)
    topology = m.topology
    island = w.auxiliary.islands.island
    k = topology.shape[0] - 1
    while k >= 0:
        first = k
        if topology[k, Topology.LANE] != AT_ONCE:
            body_up(m, w, k, request)
        else:
            first = k + 1 - AT_ONCE
            if topology[k, Topology.ELIMINATION] == Path.BALL:
                four_balls_up(m, w, first, request)
            else:
                four_hinges_up(m, w, first, request)
        while k >= first:
            if island[k] >= 0:
                body_columns_up(m, w, island[k], k)
            k -= 1


@inline
def body_up(m, w, i, request):
    """Make the step of the pass from the leaves to the roots for body i: factor, reduce, or both, by `request`."""
    topology, block, force, edge, row, reduced = m.topology, w.block, w.force, w.edge, w.row, w.reduced
    factor = request & Request.FACTOR
    solve = request & Request.SOLVE
    path = topology[i, Topology.ELIMINATION]
    p = topology[i, Topology.PARENT]
    if path == Path.BALL:
        if factor:
            factor_ball(i, p, block, edge, row)
        if solve:
            forward_ball(i, p, force, edge, row, reduced)
    elif path == Path.HINGE:
        if factor:
            factor_hinge(i, p, block, edge, row)
        if solve:
            forward_hinge(i, p, force, edge, row, reduced)
    elif path == Path.AXES:
        if factor:
            factor_axes(i, p, topology[i, Topology.DOFS], block, edge, row)
        if solve:
            forward_axes(i, p, topology[i, Topology.DOFS], force, edge, row, reduced)
    elif path == Path.FREE:
        if factor:
            factor_free(i, block, edge)
    else:
        if factor:
            factor_general(m, w, i, p)
        if solve:
            forward_general(m, w, i, p)


@kernel
def substitute(m, w, request, count):
    """Go from the roots to the leaves and write Work.velocity, and with WRENCHES Work.wrench. With ALONG, visit only
    the `count` bodies listed in Work.along."""
    with_wrench = request & Request.WRENCHES
    topology = m.topology
    along = request & Request.ALONG
    many = not along and are_many(topology)
    k = 0
    while k < count:
        if along or topology[k, Topology.LANE] != 1:
            if many:
                prefetch_down(m, w, k + AHEAD, with_wrench)
            body_down(m, w, w.along[k] if along else k, with_wrench)
            k += 1
        else:
            if many:
                for i in range(k, k + AT_ONCE):
                    prefetch_down(m, w, i + AHEAD, with_wrench)
            if topology[k, Topology.ELIMINATION] == Path.BALL:
                four_balls_down(m, w, k, with_wrench)
            else:
                four_hinges_down(m, w, k, with_wrench)
            k += AT_ONCE


@inline
def body_down(m, w, i, with_wrench):
    """Write row i of Work.velocity, and of Work.wrench with `with_wrench`."""
    topology, edge, row, reduced, velocity, wrench = m.topology, w.edge, w.row, w.reduced, w.velocity, w.wrench
    path = topology[i, Topology.ELIMINATION]
    p = topology[i, Topology.PARENT]
    if path == Path.BALL:
        back_ball(i, p, edge, row, reduced, velocity, wrench, with_wrench)
    elif path == Path.HINGE:
        back_hinge(i, p, edge, row, reduced, velocity, wrench, with_wrench)
    elif path == Path.AXES:
        back_axes(i, p, topology[i, Topology.DOFS], edge, row, reduced, velocity, wrench, with_wrench)
    elif path == Path.FREE:
        back_free(i, edge, w.force, velocity)
    else:
        back_general(m, w, i, p, with_wrench)


@entry("mswx", "i")
def answer(m, s, w, space):
    """Solve the request in Control.REQUEST and return DONE: the unit of the mode `fused`."""
    request = w.control[Control.REQUEST]
    count = w.control[Control.ALONG_COUNT] if request & Request.ALONG else m.topology.shape[0]
    if request & Request.FACTOR and request & Request.COLUMNS_UP:
        eliminate_with_columns(m, w, request)
        request &= ~Request.COLUMNS_UP
    elif request & (Request.FACTOR | Request.SOLVE):
        eliminate(m, w, request, count)
    if request & Request.OF_COLUMNS:
        answer_columns(m, w, request)
    if request & Request.FORCES_BACK or (request & Request.SOLVE and not request & Request.HALF):
        substitute(m, w, request, count)
    return Request.DONE
