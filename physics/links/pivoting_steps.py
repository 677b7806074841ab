"""One step of the pivoting method [Baraff94, section 4]. The method changes the force of one row (drives it) until the
row satisfies its law. This module computes how the other forces and the speeds change with it, and how long the step
may be."""

import math

from physics.compiler.jit import kernel
from physics.links.pivoting_inverse import InverseTally, invert, update_inverse
from physics.links.pivoting_rows import RATE, RowState, followed_column, friction_share, limits_of, row_product

LEFT_OVER = 0.1 * RATE


@kernel
def fill_direction(p, m, d, sign):
    """Write to p.move and p.rate how forces and speeds change with the driven force d, in the direction `sign`, while
    the speeds of held rows stay zero. Return whether that is possible."""
    if not update_inverse(p, m):
        return False
    if try_direction(p, m, d, sign) or p.tally[InverseTally.CHANGES] == 0:
        return True
    if not invert(p, m):
        return False
    try_direction(p, m, d, sign)
    return True


@kernel
def try_direction(p, m, d, sign):
    """Write p.move and p.rate of the driven force d with the present inverse, and correct them once. Return whether the
    rates that remain for the held rows are at most RATE."""
    k = p.tally[InverseTally.ROWS_HELD]
    for r in range(k):
        p.right[r] = -sign * followed_column(p, p.active[r], d)
    for i in range(m):
        p.move[i] = 0.0
    p.move[d] = sign
    left = 0.0
    for _ in range(2):
        for r in range(k):
            p.move[p.active[r]] += row_product(p.inverse, r, p.right, k)
        for t in range(m):
            if p.mate[t] >= 0 and (p.state[t] == RowState.LOW or p.state[t] == RowState.HIGH):
                p.move[t] = friction_share(p, t) * p.move[p.mate[t]]
        left = 0.0
        for i in range(m):
            p.rate[i] = row_product(p.reduced, i, p.move, m)
        for r in range(k):
            p.right[r] = -p.rate[p.active[r]]
            left = max(left, abs(p.right[r]))
        if left <= LEFT_OVER:
            break
    for r in range(k):
        p.rate[p.active[r]] = 0.0
    return left <= RATE


@kernel
def turns_back(p, row, before):
    """Return whether `row`, which has just changed its state from `before`, would leave the new state at once. The path
    of solutions then continues with the driven force running backwards; this happens where friction makes the matrix of
    the held rows indefinite."""
    if p.state[row] == RowState.LOW:
        return p.rate[row] < -p.noise[row]
    if p.state[row] == RowState.HIGH:
        return p.rate[row] > p.noise[row]
    follow = p.move[p.mate[row]] if p.mate[row] >= 0 else 0.0
    if before == RowState.LOW:
        low = p.bound[row, 0] * follow if follow != 0.0 else 0.0
        return p.move[row] - low < -RATE
    if before == RowState.HIGH:
        high = p.bound[row, 1] * follow if follow != 0.0 else 0.0
        return p.move[row] - high > RATE
    return False


@kernel
def longest_step(p, m, d):
    """Return (step, row, state): how far the driven force d may change, the row that ends the step, and the new state
    of this row. The row is -1 where none ends the step."""
    best = math.inf
    row = -1
    end = RowState.OUT
    # the driven row first: where it is done at the same step, nothing else need change
    if abs(p.rate[d]) > p.noise[d] and (p.rate[d] > 0.0) == (p.speed[d] < 0.0):
        best = -p.speed[d] / p.rate[d]
        row = d
        end = RowState.HELD
    t, side = step_to_limit(p, d)
    if t < best:
        best = t
        row = d
        end = side
    for i in range(m):
        state = p.state[i]
        t = math.inf
        side = RowState.HELD
        if state == RowState.HELD:
            t, side = step_to_limit(p, i)
        elif state == RowState.LOW:
            if p.rate[i] < -p.noise[i] and p.bound[i, 0] != p.bound[i, 1]:
                t = max(p.speed[i], 0.0) / -p.rate[i]
        elif state == RowState.HIGH:
            if p.rate[i] > p.noise[i]:
                t = max(-p.speed[i], 0.0) / p.rate[i]
        elif state == RowState.IDLE and abs(p.rate[i]) > p.noise[i]:
            t = 0.0
        if t < best:
            best = t
            row = i
            end = side
    return best, row, end


@kernel
def step_to_limit(p, i):
    """Return (step, LOW or HIGH): the step after which the force of row i reaches a limit, and which limit. Limits of
    friction change with the normal force. The step is infinite if neither limit is reached."""
    low, high = limits_of(p, i)
    low_move = 0.0
    high_move = 0.0
    if p.mate[i] >= 0:
        low_move = p.bound[i, 0] * p.move[p.mate[i]]
        high_move = p.bound[i, 1] * p.move[p.mate[i]]
    t = math.inf
    side = RowState.LOW
    if p.move[i] - low_move < -RATE:
        t = max(p.force[i] - low, 0.0) / (low_move - p.move[i])
    if high < math.inf and p.move[i] - high_move > RATE:
        u = max(high - p.force[i], 0.0) / (p.move[i] - high_move)
        if u < t:
            t = u
            side = RowState.HIGH
    return t, side
