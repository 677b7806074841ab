"""Pivoting over inequalities, one row after the other [Baraff94, section 4].

The laws are those of `complementarity`; the rows are scaled to W_ii = 1, and there are no equalities left. The force of
a row is driven, that is, changed in one direction, until its a vanishes. The rows that were driven before keep their
laws: a row that is about to break its law changes its state. A friction row at its limit follows its normal force.
Therefore its column is added to that of the normal row. Among equal steps the lowest row goes first.

Three things differ from the paper. Rows with a = 0 whose force is not needed (redundant contacts) stay idle until their
a would change. A row that cannot be driven is tried again after the others; this is needed only if W is not symmetric.
If friction makes the matrix of the held rows indefinite, the driven force runs backwards for a while along the same
path of solutions.
"""

import math


from physics.compiler.table import Table
from physics.compiler.jit import inline, kernel
from physics.data.arrays import make
from physics.data.model import Pivoting
from physics.links.full_pivoting import factor_full_pivoting, make_elimination, solve_least_norm
from physics.links.pivoting_inverse import SINGULAR, InverseTally, fill_system, solve_system
from physics.links.pivoting_rows import (
    DEPENDENT, OPEN, RATE, REST, RowState, fill_speed, followed_column, limits_of, list_followers, settled_state,
    slack_of, stop_friction, wake_friction,
)  # fmt: skip
from physics.links.pivoting_steps import fill_direction, longest_step, turns_back


class Outcome(Table):
    """The statuses that `solve_rows` returns: the solution is found (SOLVED), a row cannot be driven any further
    (STUCK), or the limit of pivots is reached (ENDLESS)."""

    SOLVED = 0
    STUCK = 1
    ENDLESS = 2


# Exchanges of whole sets before rows are driven one by one; those that end do so in few, the others go round in circles
# without fewer and fewer rows that break their laws.
MOST_EXCHANGES = 12
PATIENCE = 3
# A healthy problem takes two or three pivots a row, those of some hundreds of rows five.
MOST_PIVOTS = 10


def make_pivoting(n: int) -> Pivoting:
    """Return a Pivoting with space for n rows, at least one. Its `partner` is -1 and its limits are one-sided until
    they are set."""
    n = max(n, 1)
    pivoting = make(Pivoting, {"p": n}, elimination=make_elimination(n))
    pivoting.limit[:, 1] = math.inf
    return pivoting


@kernel
def scale_rows(p, m):
    """Scale p.reduced and p.start of m rows so that W_ii = 1. Friction rows (p.mate is known) get the scale of their
    normal row: forces of least norm then do not depend on the directions of the friction rows across the normal. Write
    p.scale and p.noise. p.own holds W_ii before the equalities were eliminated."""
    most = 1.0
    for i in range(m):
        if p.mate[i] < 0:
            # what elimination left of a row that the equalities hold entirely is rounding
            d = p.reduced[i, i]
            own = p.own[i]
            p.scale[i] = 1.0 / math.sqrt(d) if d > RATE * own else (1.0 / math.sqrt(own) if own > 0.0 else 1.0)
    for i in range(m):
        if p.mate[i] >= 0:
            p.scale[i] = p.scale[p.mate[i]]
        # digits that the elimination has cancelled are missing from the rates
        p.noise[i] = RATE * max(1.0, p.scale[i] * math.sqrt(abs(p.own[i])))
        most = max(most, p.noise[i] / RATE)
    for i in range(m):
        p.noise[i] *= most
        p.start[i] *= p.scale[i]
        for j in range(m):
            p.reduced[i, j] *= p.scale[i] * p.scale[j]


@kernel
def solve_inequalities(p, m, size):
    """Drive the m rows of p from the first to the last, and if that fails, from the last to the first; `size` is the
    largest number in q. Return (status, number of pivots); p.force and p.state hold the solution."""
    list_followers(p, m)
    status, count = attempt(p, m, size, 0, False)
    if status != Outcome.SOLVED:
        status, count = attempt(p, m, size, count, True)
    return status, count


# ---------------------------------------------------------------- from a guess
@kernel
def solve_from_guess(p, m, size):
    """Solve the m rows of p from the states in p.guess: HELD, LOW, HIGH, OFF (friction without a normal force) or IDLE
    (a redundant row). The held rows are solved together, then all rows that violate their law change their state at
    once [Kostreva78]; two or three such exchanges are usually enough. If they fail, drive the rows one by one. Return
    (status, number of pivots)."""
    list_followers(p, m)
    for i in range(m):
        p.state[i] = p.guess[i]
    fewest = 3 * m
    since = 0
    for turn in range(MOST_EXCHANGES):
        hold_sides(p, m)
        broken = exchange_sides(p, m, slack_of(p, m, size))
        if broken == 0:
            if violation(p, m) > slack_of(p, m, size):
                break
            return Outcome.SOLVED, turn
        since = 0 if broken < fewest else since + 1
        if since == PATIENCE:
            break
        fewest = min(fewest, broken)
    return solve_inequalities(p, m, size)


@kernel
def hold_sides(p, m):
    """Write p.force and p.speed for the present states of all m rows. If held rows depend on each other, take the
    forces of least norm."""
    for i in range(m):
        p.force[i] = 0.0
        if p.mate[i] < 0 and p.state[i] == RowState.HIGH:
            p.force[i] = p.bound[i, 1]
        elif p.mate[i] < 0 and p.state[i] == RowState.LOW:
            p.force[i] = p.bound[i, 0]
    fill_speed(p, m)
    k = fill_system(p, m)
    for r in range(k):
        p.rate[r] = -p.speed[p.active[r]]
    if not solve_system(p.system, k, p.rate, DEPENDENT):
        e = p.elimination
        for r in range(k):
            p.rate[r] = -p.speed[p.active[r]]
            e.scale[r] = 1.0
            for c in range(k):
                e.factor[r, c] = followed_column(p, p.active[r], p.active[c])
        solve_least_norm(e, k, factor_full_pivoting(e, k, DEPENDENT), p.rate)
    for r in range(k):
        p.force[p.active[r]] = p.rate[r]
    for i in range(m):
        if p.mate[i] >= 0 and (p.state[i] == RowState.LOW or p.state[i] == RowState.HIGH):
            low, high = limits_of(p, i)
            p.force[i] = low if p.state[i] == RowState.LOW else high
    fill_speed(p, m)


@kernel
def exchange_sides(p, m, slack):
    """Change p.state of every row whose force or speed violates its law by more than `slack`. Return how many
    changed."""
    count = 0
    for i in range(m):
        if p.mate[i] >= 0:
            continue
        before = p.state[i]
        if before == RowState.HELD and p.force[i] < p.bound[i, 0] - slack:
            p.state[i] = RowState.LOW
        elif before == RowState.HELD and p.force[i] > p.bound[i, 1] + slack:
            p.state[i] = RowState.HIGH
        elif breaks_law(before, p.speed[i], slack):
            p.state[i] = RowState.HELD
        if p.state[i] != before:
            count += 1
    for i in range(m):
        mate = p.mate[i]
        if mate < 0:
            continue
        before = p.state[i]
        if p.state[mate] != RowState.HELD:
            p.state[i] = RowState.OFF
            p.force[i] = 0.0
        elif p.bound[i, 0] == p.bound[i, 1]:
            p.state[i] = RowState.LOW
        elif before == RowState.OFF:
            p.state[i] = RowState.HELD
            count += 1
        elif before == RowState.HELD and p.force[mate] > 0.0:
            low, high = limits_of(p, i)
            if p.force[i] < low - slack:
                p.state[i] = RowState.LOW
            elif p.force[i] > high + slack:
                p.state[i] = RowState.HIGH
        elif breaks_law(before, p.speed[i], slack):
            p.state[i] = RowState.HELD
        if p.state[i] != before and before != RowState.OFF and p.state[i] != RowState.OFF:
            count += 1
    return count


@inline
def breaks_law(state, speed, slack):
    """Return whether the speed of a row with this `state` violates the state's law by more than `slack`. For held rows
    return false."""
    too_low = speed < -slack and state != RowState.HIGH
    too_high = speed > slack and state != RowState.LOW
    return state != RowState.HELD and (too_low or too_high)


# ---------------------------------------------------------------- row after row
@kernel
def attempt(p, m, size, count, backwards):
    """Drive all m rows, in descending order with `backwards`, and check the laws of the solution; `count` is the number
    of pivots so far. Return (status, number of pivots)."""
    status, count = drive_rows(p, m, REST * size, count, backwards)
    if status == Outcome.SOLVED:
        polish(p, m)
        if violation(p, m) > slack_of(p, m, size):
            status = Outcome.STUCK
    return status, count


@kernel
def violation(p, m):
    """Return the largest violation of a law among the m rows, in the units of p.force and p.speed, computed from forces
    and matrix alone; write p.speed."""
    fill_speed(p, m)
    worst = 0.0
    largest = 0.0
    for i in range(m):
        largest = max(largest, abs(p.force[i]))
    for i in range(m):
        low, high = limits_of(p, i)
        worst = max(worst, low - p.force[i], p.force[i] - high)
        if low == high:
            continue
        if p.force[i] > low + OPEN * largest:
            worst = max(worst, p.speed[i])
        if p.force[i] < high - OPEN * largest:
            worst = max(worst, -p.speed[i])
    return worst


@kernel
def drive_rows(p, m, rest, count, backwards):
    """Drive normal forces, limits and boxes, then friction, from zero forces. Rows that cannot be driven are tried
    again after the others; `rest` is the speed that counts as zero. Return (status, number of pivots)."""
    p.tally[InverseTally.ROWS_HELD] = -1
    most = count + MOST_PIVOTS * m + 50
    for i in range(m):
        p.force[i] = 0.0
        p.state[i] = RowState.OUT
        if p.mate[i] < 0:
            p.force[i] = max(p.bound[i, 0], min(0.0, p.bound[i, 1]))
        elif p.bound[i, 0] == p.bound[i, 1]:
            p.state[i] = RowState.LOW
    fill_speed(p, m)
    result = Outcome.SOLVED
    left = m
    while left > 0:
        before = left
        left = 0
        for k in range(2 * m):
            # 2 m places: every row without a partner, then every friction row
            i = k % m
            if backwards:
                i = m - 1 - i
            if p.state[i] != RowState.OUT or (p.mate[i] >= 0) != (k >= m):
                continue
            for j in range(m):
                p.old_force[j] = p.force[j]
                p.old_speed[j] = p.speed[j]
                p.old_state[j] = p.state[j]
            status, count = drive_row(p, m, i, rest, count, most)
            if status == Outcome.SOLVED:
                continue
            result = status
            left += 1
            for j in range(m):
                p.force[j] = p.old_force[j]
                p.speed[j] = p.old_speed[j]
                p.state[j] = p.old_state[j]
            if status == Outcome.ENDLESS:
                return status, count
        if left == before:
            return result, count
    return Outcome.SOLVED, count


@kernel
def drive_row(p, m, d, rest, count, most):
    """Change p.force of row d until its law holds, while the rows done before keep theirs. Return (status, number of
    pivots)."""
    p.state[d] = RowState.DRIVEN
    end = settled_state(p, d, rest)
    if end != RowState.DRIVEN:
        p.state[d] = end
        return Outcome.SOLVED, count
    sign = 1.0 if p.speed[d] < 0.0 else -1.0
    wake_friction(p, d, rest)
    before = RowState.OUT
    row = -1
    while count < most:
        if not fill_direction(p, m, d, sign):
            return Outcome.STUCK, count
        if row >= 0 and turns_back(p, row, before):
            sign = -sign
            for i in range(m):
                p.move[i] = -p.move[i]
                p.rate[i] = -p.rate[i]
        step, row, end = longest_step(p, m, d)
        if row < 0:
            # no force moves this speed any more: what is left of it is rounding, or there is no solution
            if abs(p.speed[d]) > slack_of(p, m, rest / REST):
                return Outcome.STUCK, count
            p.speed[d] = 0.0
            p.state[d] = settled_state(p, d, rest)
            return Outcome.SOLVED, count
        count += 1
        for i in range(m):
            p.force[i] += step * p.move[i]
            p.speed[i] += step * p.rate[i]
        before = p.state[row]
        p.state[row] = end
        if end == RowState.HELD:
            p.speed[row] = 0.0
            if row != d:
                wake_friction(p, row, rest)
        else:
            low, high = limits_of(p, row)
            p.force[row] = low if end == RowState.LOW else high
            if end == RowState.LOW and p.mate[row] < 0 and p.force[row] == 0.0:
                stop_friction(p, row)
            if row == d and (
                (end == RowState.LOW and p.speed[d] < -rest) or (end == RowState.HIGH and p.speed[d] > rest)
            ):
                return Outcome.STUCK, count  # came back to where it started
        if p.state[d] != RowState.DRIVEN:
            return Outcome.SOLVED, count
    return Outcome.ENDLESS, count


@kernel
def polish(p, m):
    """Compute p.force of the held rows again from the matrix itself, without the rounding that the steps have
    accumulated."""
    k = fill_system(p, m)
    for i in range(m):
        p.old_force[i] = p.force[i]
        if p.state[i] == RowState.HELD:
            p.force[i] = 0.0
    for i in range(m):
        if p.mate[i] >= 0 and (p.state[i] == RowState.LOW or p.state[i] == RowState.HIGH):
            # follows a held normal force: its column is part of that one's
            if p.state[p.mate[i]] == RowState.HELD:
                p.force[i] = 0.0
            else:
                low, high = limits_of(p, i)
                p.force[i] = low if p.state[i] == RowState.LOW else high
    fill_speed(p, m)
    for r in range(k):
        p.rate[r] = -p.speed[p.active[r]]
    if not solve_system(p.system, k, p.rate, SINGULAR):
        for i in range(m):
            p.force[i] = p.old_force[i]
        return
    for r in range(k):
        i = p.active[r]
        p.force[i] = p.rate[r]
        if p.mate[i] < 0:
            p.force[i] = max(p.bound[i, 0], min(p.force[i], p.bound[i, 1]))
    for i in range(m):
        if p.mate[i] >= 0:
            low, high = limits_of(p, i)
            if p.state[i] == RowState.LOW:
                p.force[i] = low
            elif p.state[i] == RowState.HIGH:
                p.force[i] = high
            else:
                p.force[i] = max(low, min(p.force[i], high))
