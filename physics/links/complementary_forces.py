"""The forces of the rows of limits and contacts: exact pivoting, island by island.

While the links stay closed and the grabs yield to limits and contacts,

    a = W x - b,     W = S - S_g G^-1 S_g^T,     S the rows' response with the links closed (`limits.close_links`)

and each row keeps its law (`pivoting`). G is the matrix of the grabs' law, and S_g the response of these rows to the
grabs. S is zero between rows of figures that do not touch each other, and that neither a grab nor a link connects. Each
set of connected figures is an island, and is solved separately: the cost of pivoting grows with the cube of the number
of rows, and a difficult island then does not affect the others.
"""

import math

from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.step_tables import Control, Number
from physics.edges.conditions import has_nonideal_forces
from physics.links import nonideal_forces
from physics.links.pivoting import Outcome, scale_rows, solve_from_guess
from physics.links.pivoting_rows import DEPENDENT, RowState
from physics.links.sparse_rows import without_joints
from physics.maths.small import ldl_backward, ldl_forward

# Forces larger than this times what each row would need by itself find_forces against each other: that is no solution.
OUT_OF_BOUNDS = 1e6
# An island that no force moves is left with speeds below this share of the largest: no contradiction.
OPEN = 1e-6
# A row whose response to itself is below this share of what it would be without joints moves nothing.
POWERLESS = 1e-11
# Steps leave joints open by gaps up to GAP_TOLERANCE, and draw them together over the next step. Where joints hold a
# contact, a slip below this many times the speed of that is no slip: levers may make it larger than the gap itself.
CLOSING = 3.0


@far("pressing", "w")
def find_forces(w):
    """Find the multipliers of the rows of limits and contacts by pivoting, and write them to Auxiliary.multiplier.
    Auxiliary.multiplier already has the multipliers of the grabs without limits and contacts; correct these for the
    forces found. Auxiliary.system holds the factor of the matrix of the grabs' law. Set Control.PRESSED to 1 if all
    laws hold, else to 0."""
    a = w.auxiliary
    links = w.control[Control.ROW_COUNT]
    first = w.control[Control.PULL_ROWS]
    pulls = first - links
    count = w.control[Control.LIMIT_ROWS] - first
    for i in range(count):
        give(w, i, first - links + i, pulls)
    w.control[Control.PRESSED] = 1
    begin = 0
    _sort_by_island(w, pulls, count)
    while begin < count:
        end = begin + 1
        while end < count and a.group[pulls + a.member[end]] == a.group[pulls + a.member[begin]]:
            end += 1
        if not _find_forces_of_island(w, begin, end):
            w.control[Control.PRESSED] = 0
            if w.control[Control.TOUCHING] != 0:
                return  # another method answers
        begin = end
    for i in range(count):
        for g in range(pulls):
            a.multiplier[links + g] -= a.give[i, g] * a.multiplier[first + i]


# ---------------------------------------------------------------- islands
@kernel
def _sort_by_island(w, pulls, count):
    """Sort `pulls` rows of grabs and `count` rows of limits and contacts by island. Write to Auxiliary.group, for each
    row, the first row of its island, and to Auxiliary.member the rows of limits and contacts, island by island."""
    a = w.auxiliary
    n = pulls + count
    for r in range(n):
        # grabs are few, and one gives way in all its directions: they are one island
        a.group[r] = r if r >= pulls else 0
    for r in range(pulls, n):
        mate = a.mate[w.control[Control.ROW_COUNT] + r] - w.control[Control.ROW_COUNT]
        for q in range(r):
            # S is symmetric, or has its zeros where its transpose has them
            if a.schur[r, q] != 0.0 or q == mate:
                _join(a.group, r, q)
    for r in range(n):
        # a row's speaker comes before it
        a.group[r] = a.group[a.group[r]]
    # stable: each island's rows keep their order
    at = 0
    for root in range(n):
        if a.group[root] != root:
            continue
        for i in range(count):
            if a.group[pulls + i] == root:
                a.member[at] = i
                at += 1


@kernel
def _join(group, r, q):
    """Join the islands of rows r and q in `group`; the smaller of their first rows represents the joined island."""
    while group[r] != r:
        r = group[r]
    while group[q] != q:
        q = group[q]
    if r < q:
        group[q] = r
    else:
        group[r] = q


# ---------------------------------------------------------------- forces
@kernel
def _find_forces_of_island(w, begin, end):
    """Write the multipliers of the limit rows member[begin] to member[end - 1] to Auxiliary.multiplier, and their
    states to Auxiliary.guess. If a limit cannot be respected, set the error state of its edge. Return whether the
    multipliers satisfy the laws."""
    a = w.auxiliary
    p = a.pivoting
    first = w.control[Control.PULL_ROWS]
    m = end - begin
    for i in range(m):
        # friction comes right after the force that it goes with
        row = first + a.member[begin + i]
        p.mate[i] = i - (row - a.mate[row]) if a.mate[row] >= 0 else -1
    _fill_problem(w, begin, m)
    scale_rows(p, m)
    size = 0.0
    for i in range(m):
        size = max(size, abs(p.start[i]))
        row = first + a.member[begin + i]
        # a friction row has the scale of its normal row, and its limits are shares of that row's force
        factor = 1.0 if p.mate[i] >= 0 else 1.0 / p.scale[i]
        p.bound[i, 0] = a.bound[row, 0] * factor
        p.bound[i, 1] = a.bound[row, 1] * factor
        p.guess[i] = a.guess[row]
    _quiet_held_slips(w, m)
    status, _ = solve_from_guess(p, m, size)
    largest = 0.0
    for i in range(m):
        row = first + a.member[begin + i]
        largest = max(largest, abs(p.force[i]))
        a.multiplier[row] = p.scale[i] * p.force[i]
        a.guess[row] = p.state[i]
        if status != Outcome.SOLVED and p.speed[i] < -OPEN * size and a.limit[a.member[begin + i]] >= 0:
            a.error_state[a.edge[row]] = 1
    return status == Outcome.SOLVED and largest <= OUT_OF_BOUNDS * size


@kernel
def _fill_problem(w, begin, m):
    """Write W of an island of m rows to Pivoting.reduced and -b to Pivoting.start. If the law is regularised, add to a
    normal row its `lean` times the friction row after it."""
    a = w.auxiliary
    p = a.pivoting
    links = w.control[Control.ROW_COUNT]
    first = w.control[Control.PULL_ROWS]
    pulls = first - links
    for i in range(m):
        r = a.member[begin + i]
        for j in range(i + 1):
            q = a.member[begin + j]
            x = a.schur[pulls + r, pulls + q]
            for g in range(pulls):
                x -= a.schur[pulls + r, g] * a.give[q, g]
            p.reduced[i, j] = x
            p.reduced[j, i] = x
        x = -a.right[first + r]
        for g in range(pulls):
            x += a.schur[pulls + r, g] * a.multiplier[links + g]
        p.start[i] = x
        p.own[i] = a.matrix[first + r, first + r]
    if has_nonideal_forces(a):
        nonideal_forces.fill_reduced(w, begin, m)
    for i in range(m):
        lean = a.lean[first + a.member[begin + i]]
        if lean != 0.0:
            p.start[i] += lean * p.start[i + 1]
            for j in range(m):
                p.reduced[i, j] += lean * p.reduced[i + 1, j]
    _drop_powerless(w, begin, m)


@kernel
def _drop_powerless(w, begin, m):
    """Set the problem to zero for rows that move nothing to first order and whose response is only rounding; their
    force is zero. One example is a rope at its full length in a straight line over a joint: any motion slackens it.
    Another is a contact whose bodies are held by joints along its normal; its friction rows are set to zero with it."""
    a = w.auxiliary
    p = a.pivoting
    first = w.control[Control.PULL_ROWS]
    for i in range(m):
        r = first + a.member[begin + i]
        if a.mate[r] >= 0 or a.lean[r] != 0.0:
            continue
        # a limit that a link keeps from its range is broken, and is named; a contact there presses on nothing
        response = a.matrix[r, r] if a.limit[a.member[begin + i]] >= 0 else abs(p.reduced[i, i])
        own = without_joints(w, r)
        if response > POWERLESS * own:
            continue
        a.guess[r] = RowState.LOW
        k = i
        while k < m and (k == i or p.mate[k] == i):
            p.start[k] = 0.0
            p.own[k] = own
            for j in range(m):
                p.reduced[k, j] = 0.0
                p.reduced[j, k] = 0.0
            k += 1


@kernel
def _quiet_held_slips(w, m):
    """Set slips along directions that joints hold to zero, in Pivoting.start of m rows, if they are no faster than the
    closing of gaps. Friction cannot change such slips."""
    p = w.auxiliary.pivoting
    for i in range(m - 1):
        if p.mate[i] < 0 or p.mate[i + 1] != p.mate[i]:
            continue
        n = p.mate[i]
        held, x, y = held_direction(p.reduced[i, i], p.reduced[i, i + 1], p.reduced[i + 1, i + 1], p.reduced[n, n])
        least = p.scale[i] * closing_speed(w)
        slip = x * p.start[i] + y * p.start[i + 1]
        if held == 1 and abs(slip) <= least:
            p.start[i] -= slip * x
            p.start[i + 1] -= slip * y
        elif held == 2 and max(abs(p.start[i]), abs(p.start[i + 1])) <= least:
            p.start[i] = 0.0
            p.start[i + 1] = 0.0


@inline
def closing_speed(w):
    """Return the speed [m/s] below which a slip along a direction that joints hold is attributed to the closing of
    gaps."""
    return CLOSING * w.number[Number.GAP_TOLERANCE] / w.number[Number.DT]


@inline
def held_direction(a, b, c, normal):
    """Return (count, x, y): the number of directions across a contact's normal in which joints hold the contact, and,
    if it is one, the unit vector (x, y) of that direction. [a b; b c] is the response to friction. Along a held
    direction it is negligible compared with the largest of a, c and the response `normal` along the normal."""
    least = DEPENDENT * max(normal, max(a, c))
    if not a + c > least:
        return 2, 0.0, 0.0
    if a * c - b * b > least * (a + c):
        return 0, 0.0, 0.0
    # of (-b, a) and (c, -b), which are parallel here, the longer one
    x, y = (-b, a) if a > c else (c, -b)
    size = math.sqrt(x * x + y * y)
    return 1, x / size, y / size


@kernel
def give(w, i, row, pulls):
    """Write to row i of Auxiliary.give the decrease of the grabs' multipliers for a unit force of limit row i, whose
    row in Auxiliary.schur is `row`; `pulls` is the number of grab rows."""
    a = w.auxiliary
    for g in range(pulls):
        a.give[i, g] = a.schur[g, row] * a.heed[g]
    if pulls > 0 and has_nonideal_forces(a):
        nonideal_forces.solve_give(w, i, pulls)
    elif pulls > 0:
        ldl_forward(a.system, 0, pulls, a.give[i], 0)
        for g in range(pulls):
            a.give[i, g] /= a.system[g * pulls + g]
        ldl_backward(a.system, 0, pulls, a.give[i], 0)
