"""`jsim`: the joint-space inertia matrix H of the figure, factored without its branch-induced zeros.

    v = S q' + v_g,   H = S^T A S + D,   H q' = S^T (f - A v_g) + d        [Featherstone05]

H is formed by the composite-body algorithm. From the leaves to the roots, each body's block A grows by those of its
children. The composite block times a motion axis of the joint is a wrench. It is shifted from anchor to anchor towards
the root, and projected on the axes of the joint at each of them. A is any symmetric 6x6 block (with geometric stiffness
it is not a rigid inertia). An entry is computed and stored only where one of its coordinates is on the other's path to
the root; the others are zero by the topology. Then H = L^T D L (physics/solvers/ltdl.py), and one factor serves any
number of right-hand sides. The joint wrench on a body at its anchor is the sum of A v - f over all bodies beyond the
joint.

Cost: d_k is the number of coordinates on the path from the root to coordinate k, D1 = sum (d_k - 1), and D2 =
sum d_k (d_k - 1) / 2. H has n + D1 entries. It takes O(n + D1) operations to form H, O(D2) to factor it, and O(n + D1)
for a right-hand side. That is O(n) for a bushy tree of small depth, and O(n^3) for one chain.

The rounding error grows with the condition of H, estimated at each factorisation as trace(H) max |H^-1 c| with c made
of 1 and -1. From 1e7 on the solution is refined. The residual S^T (f - A v) + d - D q' is summed over the bodies, not
computed with H, whose rounded entries cause the error; with the same factor it gives a correction of q'. A chain of
1000 ball joints (condition 1e14) then agrees with `fused` to 1e-12; without refinement, a chain of 100 agrees to 1e-7
only.
"""

from typing import NamedTuple

import numpy as np

from physics.compiler.jit import entry, inline, kernel
from physics.compiler.pack import packed
from physics.data.model import Floats, Ints, Model
from physics.data.model_tables import JointKind, Topology
from physics.data.step_tables import Control, Number, Request
from physics.data.work_tables import Edges, Rows
from physics.definitions.checks import DefinitionError
from physics.maths.vec import (
    ZERO3, ZERO6, ZERO9, add, add_scaled, add_to3, add_to_block, block_mul, cross, dot, load3, load6, load_block,
    negative, shift_block, store3, sub, sym_add, sym_mul,
)  # fmt: skip
from physics.solvers.blocktree_blocks import at3, put3
from physics.solvers.ltdl import (
    divide_diagonal, expanded_parents, factor_ltdl, inverse_norm, row_starts, solve_lower, solve_transposed,
)  # fmt: skip
from physics.solvers.reduced import (
    Levers, Motion, body_block, carried_twist, fill_levers, has_spring, is_point, motion_codes, put_wrench,
    store_velocity,
)  # fmt: skip

# More entries of H than this (1 GB) are refused: a chain of some 16,000 coordinates.
MOST_ENTRIES = 2**27
# From this condition of H on the solution is refined: below, it is good to 1e-10 as it is.
REFINED_FROM = 1e7
# A refinement that changes no rate by more than this part of the largest one was the last.
REFINED = 1e-9
MOST_REFINEMENTS = 4


@packed
class JsimSpace(NamedTuple):
    """Workspace of the mode `jsim`."""

    code: Ints  # (bodies,) how each moves relative to its parent
    above: Ints  # (bodies,) how many coordinates are on its path to the root, without its own
    parent: Ints  # (n,) expanded parent array
    start: Ints  # (n + 1,) where the rows of H begin
    h: Floats  # (D0,) H by rows along the paths, then its factor
    block: Floats  # (bodies, 21) each body's own A; a particle's packed 3x3 first
    lever: Floats  # (bodies, LEVERS)
    load: Floats  # (bodies, 6) wrenches on their way to the root
    rate: Floats  # (n,) q'
    residual: Floats  # (n,) S^T (f - A v) + d - D q', then the correction of q'


def make_space(model: Model) -> JsimSpace:
    """Return the workspace of the mode `jsim` for this model, or refuse a model whose H has more than MOST_ENTRIES
    entries."""
    topology = model.topology
    dofs = np.maximum(topology[:, Topology.DOFS], 0)
    parent = expanded_parents(topology[:, Topology.PARENT].tolist(), dofs.tolist())
    start = row_starts(parent)
    if start[-1] > MOST_ENTRIES:
        raise DefinitionError(
            "solver",
            "jsim",
            f"figures with at most {MOST_ENTRIES} entries in the joint-space inertia matrix, and this one has "
            f"{start[-1]}; take 'fused' or 'aba', whose cost does not grow with the length of a path",
        )
    above = np.zeros(len(topology), np.int64)
    for i, p in enumerate(topology[:, Topology.PARENT]):
        above[i] = above[p] + dofs[p] if p >= 0 else 0
    return JsimSpace(
        motion_codes(topology), above, np.array(parent, np.int64), start, np.zeros(int(start[-1])),
        np.zeros((len(topology), 21)), np.zeros((len(topology), Levers.WIDTH)), np.zeros((len(topology), 6)),
        np.zeros(len(parent)), np.zeros(len(parent)),
    )  # fmt: skip


# ---------------------------------------------------------------- H
@kernel
def fill_inertia(topology, form, block, edge, row, space):
    """Write H by composite bodies to space.h, and each body's own A to space.block; `block` (Work.block) becomes
    composite. Return trace(H)."""
    fill_levers(topology, form, edge, space.lever)
    for i in range(topology.shape[0]):
        for k in range(6 if is_point(topology, i) else 21):
            space.block[i, k] = block[i, k]
        if is_point(topology, i):
            for k in range(6, 21):
                block[i, k] = 0.0
    trace = 0.0
    for i in range(topology.shape[0] - 1, -1, -1):
        p = topology[i, Topology.PARENT]
        code = space.code[i]
        k = topology[i, Topology.FIRST_DOF]
        if code == Motion.HINGED:
            trace += hinge_row(topology, i, k, block, edge, row, space)
        elif code == Motion.TURNING:
            trace += ball_rows(topology, i, k, block, edge, row, space)
        elif code == Motion.ON_AXES:
            trace += axes_rows(topology, i, k, block, edge, row, space)
        elif code == Motion.FLOATING:
            trace += floating_rows(i, k, block, space)
        elif code == Motion.DRIFTING:
            trace += drifting_rows(i, k, block, space)
        if p >= 0:
            push_composite(topology, i, p, block, space.lever)
    return trace


@inline
def push_composite(topology, i, p, block, lever):
    """Add the composite block of body i to that of its parent p, shifted from one centre of mass to the other."""
    vv, wv, ww = load_block(block, i, 0)
    if is_point(topology, p):
        add_to_block(block, p, vv, ZERO9, ZERO6)
    else:
        vv, wv, ww = shift_block(
            vv, wv, ww, sub(load3(lever, i, Levers.TO_ANCHOR), load3(lever, i, Levers.FROM_PARENT))
        )
        add_to_block(block, p, vv, wv, ww)


@inline
def carry(topology, i, k, fv, fw, edge, space):
    """Write the entries of row k of H that belong to the joints above body i. They are the wrench (fv, fw), given at
    the anchor of body i, projected on the axes of each of these joints."""
    h = space.h
    s = space.start[k]
    p = topology[i, Topology.PARENT]
    while p >= 0:
        fw = add(fw, cross(load3(space.lever, i, Levers.FROM_ANCHOR), fv))
        code = space.code[p]
        e = s + space.above[p]
        if code == Motion.HINGED:
            h[e] = dot(load3(edge, p, Edges.AXIS + 3), fw)
        elif code == Motion.TURNING:
            h[e] = fw[0]
            h[e + 1] = fw[1]
            h[e + 2] = fw[2]
        elif code == Motion.ON_AXES:
            for c in range(topology[p, Topology.DOFS]):
                h[e + c] = dot(load3(edge, p, Edges.AXIS + 6 * c), fv) + dot(load3(edge, p, Edges.AXIS + 6 * c + 3), fw)
        elif code >= Motion.FLOATING:
            if code != Motion.HELD:
                h[e] = fv[0]
                h[e + 1] = fv[1]
                h[e + 2] = fv[2]
            if code == Motion.FLOATING:
                h[e + 3] = fw[0]
                h[e + 4] = fw[1]
                h[e + 5] = fw[2]
            else:
                fw = ZERO3  # no torque goes through a particle
        i = p
        p = topology[i, Topology.PARENT]


@inline
def axis_wrench(i, block, lever, nv, nw):
    """Return the composite block of body i times the twist (nv, nw) of an axis at the anchor: a wrench at the
    anchor."""
    vv, wv, ww = load_block(block, i, 0)
    rc = load3(lever, i, Levers.TO_ANCHOR)
    fv, fw = block_mul(vv, wv, ww, add(nv, cross(rc, nw)), nw)
    return fv, sub(fw, cross(rc, fv))


@inline
def hinge_row(topology, i, k, block, edge, row, space):
    """Write row k of H, of the hinge of body i. Return its diagonal entry."""
    a = load3(edge, i, Edges.AXIS + 3)
    fv, fw = axis_wrench(i, block, space.lever, ZERO3, a)
    d = dot(a, fw) + row[i, Rows.STIFF_BLOCK]
    space.h[space.start[k + 1] - 1] = d
    carry(topology, i, k, fv, fw, edge, space)
    return d


@kernel
def ball_rows(topology, i, k, block, edge, row, space):
    """Write three rows of H from row k on, of the ball joint of body i: its wrenches are the angular rows of the
    shifted block. Return the sum of their diagonal entries."""
    vv, wv, ww = load_block(block, i, 0)
    vv, wv, ww = shift_block(vv, wv, ww, load3(space.lever, i, Levers.TO_ANCHOR))
    h = space.h
    s = space.above[i]
    e0 = space.start[k] + s
    e1 = space.start[k + 1] + s
    e2 = space.start[k + 2] + s
    store = sym_add(ww, load6(row, i, Rows.STIFF_BLOCK)) if has_spring(topology, i) else ww
    h[e0] = store[0]
    h[e1] = store[1]
    h[e1 + 1] = store[2]
    h[e2] = store[3]
    h[e2 + 1] = store[4]
    h[e2 + 2] = store[5]
    carry(topology, i, k, (wv[0], wv[1], wv[2]), (ww[0], ww[1], ww[3]), edge, space)
    carry(topology, i, k + 1, (wv[3], wv[4], wv[5]), (ww[1], ww[2], ww[4]), edge, space)
    carry(topology, i, k + 2, (wv[6], wv[7], wv[8]), (ww[3], ww[4], ww[5]), edge, space)
    return store[0] + store[2] + store[5]


@kernel
def axes_rows(topology, i, k, block, edge, row, space):
    """Write the rows of H from row k on, of the joint of several axes of body i. Return the sum of their diagonal
    entries."""
    trace = 0.0
    for c in range(topology[i, Topology.DOFS]):
        fv, fw = axis_wrench(
            i, block, space.lever, load3(edge, i, Edges.AXIS + 6 * c), load3(edge, i, Edges.AXIS + 6 * c + 3)
        )
        e = space.start[k + c] + space.above[i]
        for b in range(c + 1):
            x = dot(load3(edge, i, Edges.AXIS + 6 * b), fv) + dot(load3(edge, i, Edges.AXIS + 6 * b + 3), fw)
            if b == c:
                x += row[i, Rows.STIFF_BLOCK + c]
                trace += x
            space.h[e + b] = x
        carry(topology, i, k + c, fv, fw, edge, space)
    return trace


@inline
def floating_rows(i, k, block, space):
    """Write six rows of H from row k on, of the free root i: its composite block. Return the sum of their diagonal
    entries."""
    for r in range(6):
        for c in range(r + 1):
            space.h[space.start[k + r] + c] = block[i, r * (r + 1) // 2 + c]
    return block[i, 0] + block[i, 2] + block[i, 5] + block[i, 9] + block[i, 14] + block[i, 20]


@inline
def drifting_rows(i, k, block, space):
    """Write three rows of H from row k on, of the free particle i. Return the sum of their diagonal entries."""
    for r in range(3):
        for c in range(r + 1):
            space.h[space.start[k + r] + c] = block[i, r * (r + 1) // 2 + c]
    return block[i, 0] + block[i, 2] + block[i, 5]


# ---------------------------------------------------------------- one right-hand side
@inline
def store_load(topology, i, force, velocity, space):
    """Write f - A v of body i to space.load."""
    vv, wv, ww = body_block(topology, space.block, i)
    av, aw = block_mul(vv, wv, ww, load3(velocity, i, 0), load3(velocity, i, 3))
    store3(space.load, i, 0, sub(load3(force, i, 0), av))
    store3(space.load, i, 3, ZERO3 if is_point(topology, i) else sub(load3(force, i, 3), aw))


@inline
def push_load(topology, i, lv, lw, space):
    """Add the wrench (lv, lw) at the anchor of body i to the parent's row of space.load, about the parent's centre of
    mass."""
    p = topology[i, Topology.PARENT]
    if p >= 0:
        add_to3(space.load, p, 0, lv)
        if not is_point(topology, p):
            add_to3(space.load, p, 3, add(lw, cross(load3(space.lever, i, Levers.FROM_PARENT), lv)))


@kernel
def fill_bias_loads(topology, force, row, velocity, space):
    """Go from the roots to the leaves and write v_g to `velocity` and f - A v_g to space.load."""
    for i in range(topology.shape[0]):
        yv, yw = carried_twist(topology, i, space.lever, velocity, row)
        store_velocity(topology, i, space.lever, yv, yw, velocity)
        store_load(topology, i, force, velocity, space)


@kernel
def project_loads(topology, edge, row, space, x):
    """Go from the leaves to the roots and write S^T (f - A v) + d to x, from space.load, which is used up."""
    for i in range(topology.shape[0] - 1, -1, -1):
        lv = load3(space.load, i, 0)
        lw = sub(load3(space.load, i, 3), cross(load3(space.lever, i, Levers.TO_ANCHOR), lv))
        code = space.code[i]
        k = topology[i, Topology.FIRST_DOF]
        if code == Motion.HINGED:
            x[k] = dot(load3(edge, i, Edges.AXIS + 3), lw) + row[i, Rows.PUSH]
        elif code == Motion.TURNING:
            t = add(lw, load3(row, i, Rows.PUSH)) if has_spring(topology, i) else lw
            put3(x, k, t)
        elif code == Motion.ON_AXES:
            for c in range(topology[i, Topology.DOFS]):
                n = dot(load3(edge, i, Edges.AXIS + 6 * c), lv) + dot(load3(edge, i, Edges.AXIS + 6 * c + 3), lw)
                x[k + c] = n + row[i, Rows.PUSH + c]
        elif code == Motion.FLOATING or code == Motion.DRIFTING:
            put3(x, k, lv)
            if code == Motion.FLOATING:
                put3(x, k + 3, lw)
        push_load(topology, i, lv, lw, space)


@kernel
def fill_velocities(topology, edge, force, row, velocity, with_loads, space):
    """Go from the roots to the leaves and write v = S q' + v_g to `velocity`; with `with_loads`, f - A v to
    space.load."""
    x = space.rate
    for i in range(topology.shape[0]):
        yv, yw = carried_twist(topology, i, space.lever, velocity, row)
        code = space.code[i]
        k = topology[i, Topology.FIRST_DOF]
        if code == Motion.HINGED:
            yw = add_scaled(yw, x[k], load3(edge, i, Edges.AXIS + 3))
        elif code == Motion.TURNING:
            yw = add(yw, at3(x, k))
        elif code == Motion.ON_AXES:
            for c in range(topology[i, Topology.DOFS]):
                yv = add_scaled(yv, x[k + c], load3(edge, i, Edges.AXIS + 6 * c))
                yw = add_scaled(yw, x[k + c], load3(edge, i, Edges.AXIS + 6 * c + 3))
        elif code == Motion.FLOATING or code == Motion.DRIFTING:
            yv = at3(x, k)
            if code == Motion.FLOATING:
                yw = at3(x, k + 3)
        store_velocity(topology, i, space.lever, yv, yw, velocity)
        if with_loads:
            store_load(topology, i, force, velocity, space)


@kernel
def less_springs(topology, row, space):
    """Subtract D q' of all joint springs from space.residual, with q' in space.rate and D in `row` (Work.row)."""
    x = space.rate
    y = space.residual
    for i in range(topology.shape[0]):
        k = topology[i, Topology.FIRST_DOF]
        code = space.code[i]
        if code == Motion.TURNING and has_spring(topology, i):
            t = sym_mul(load6(row, i, Rows.STIFF_BLOCK), at3(x, k))
            y[k] -= t[0]
            y[k + 1] -= t[1]
            y[k + 2] -= t[2]
        elif code == Motion.HINGED or code == Motion.ON_AXES:
            for c in range(topology[i, Topology.DOFS]):
                y[k + c] -= row[i, Rows.STIFF_BLOCK + c] * x[k + c]


@kernel
def sum_wrenches(topology, form, wrench, space):
    """Go from the leaves to the roots and write the wrench of each joint to `wrench`: the sum of A v - f over the
    bodies beyond it."""
    for i in range(topology.shape[0] - 1, -1, -1):
        lv = load3(space.load, i, 0)
        lw = sub(load3(space.load, i, 3), cross(load3(space.lever, i, Levers.TO_ANCHOR), lv))
        if topology[i, Topology.KIND] != JointKind.FREE:
            put_wrench(topology, form, i, negative(lv), negative(lw), wrench)
        push_load(topology, i, lv, lw, space)


# ---------------------------------------------------------------- the mode
@kernel
def factor(m, w, space):
    """Write H and its factor to space.h, and the estimate of its condition to Number.CONDITION."""
    trace = fill_inertia(m.topology, m.form, w.block, w.edge, w.row, space)
    factor_ltdl(space.parent, space.start, space.h)
    w.number[Number.CONDITION] = trace * inverse_norm(space.parent, space.start, space.h, space.rate)


@kernel
def solve_factored(space, x):
    """Replace x by H^-1 x."""
    solve_transposed(space.parent, space.start, space.h, x)
    divide_diagonal(space.start, space.h, x)
    solve_lower(space.parent, space.start, space.h, x)


@kernel
def refine(m, w, space):
    """Add H^-1 (S^T (f - A v) + d - D q') to q' in space.rate. Return the largest correction relative to the largest
    rate."""
    project_loads(m.topology, w.edge, w.row, space, space.residual)
    less_springs(m.topology, w.row, space)
    solve_factored(space, space.residual)
    largest = 0.0
    change = 0.0
    for k in range(space.rate.shape[0]):
        space.rate[k] += space.residual[k]
        largest = max(largest, abs(space.rate[k]))
        change = max(change, abs(space.residual[k]))
    return change / largest if largest > 0.0 else 0.0


@kernel
def solve(m, w, with_wrenches, space):
    """Write q' to space.rate and the velocities to Work.velocity; with `with_wrenches`, the wrenches to Work.wrench."""
    fill_bias_loads(m.topology, w.force, w.row, w.velocity, space)
    project_loads(m.topology, w.edge, w.row, space, space.rate)
    solve_factored(space, space.rate)
    refined = w.number[Number.CONDITION] > REFINED_FROM
    fill_velocities(m.topology, w.edge, w.force, w.row, w.velocity, with_wrenches or refined, space)
    if refined:
        for _ in range(MOST_REFINEMENTS):
            change = refine(m, w, space)
            fill_velocities(m.topology, w.edge, w.force, w.row, w.velocity, True, space)
            if not change > REFINED:
                break
    if with_wrenches:
        sum_wrenches(m.topology, m.form, w.wrench, space)


@entry("mswx", "i")
def answer(m, s, w, space):
    """Solve the request in Control.REQUEST and return DONE: the unit of the mode `jsim`."""
    request = w.control[Control.REQUEST]
    if request & Request.FACTOR:
        factor(m, w, space)
    if request & Request.SOLVE:
        solve(m, w, request & Request.WRENCHES != 0, space)
    return Request.DONE
