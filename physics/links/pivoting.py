"""One inequality after the other, in the manner of [Baraff94, section 4].

The laws are those of `complementarity`, the rows are scaled to W_ii = 1, there are no equalities left. The force of a
row is driven until its a vanishes; the rows done before keep their laws, and whenever one is about to break its law it
changes sides. A friction row at its limit follows its normal force, so that its column is added to that of the normal.
Among equal steps the lowest row goes first.

Beyond the paper: rows with a = 0 whose force is not needed (redundant contacts) stay idle until their a would move; a
row that cannot be driven is put off until the others are done (needed only where W is not symmetric); where friction
makes the held matrix indefinite, the driven force runs backwards for a while along the same path of solutions.
"""

import math

import numpy as np

from physics.compiler.jit import inline, kernel
from physics.data.model import Floats, Ints, Pivoting
from physics.links.rank import factor_rank, make_elimination, solve_rank

# what `solve_rows` returns
SOLVED, STUCK, ENDLESS = range(3)
# where a row stands while pivoting
OUT, HELD, LOW, HIGH, IDLE, OFF, DRIVEN = range(7)
# `Pivoting.tally`: how many rows stand in the inverse (-1: there is none), and how often it has been changed
ROWS_HELD, CHANGES = range(2)

# Rows are scaled to W_ii = 1. A rate below this share of it is rounding: W comes from solves good to some 1e-14, and
# active sets of a figure's contacts reach conditions of some hundreds.
RATE = 1e-11
# A pivot of the held rows below this is none: rates just above RATE may leave such small ones.
SINGULAR = 1e-14
# An a below this share of the largest |q| is zero.
REST = 1e-12
# Laws count as kept within this share of the largest |q| or force, and equalities as contradicting beyond it.
OPEN = 1e-9
# Held rows with smaller pivots depend on each other: of a guess the forces of least norm are taken.
DEPENDENT = 1e-10
# Exchanges of whole sets before rows are driven one by one; those that end do so in few, the others go round in circles
# without fewer and fewer rows that break their laws.
MOST_EXCHANGES = 12
PATIENCE = 3
# A healthy problem takes two or three pivots a row, those of some hundreds of rows five.
MOST_PIVOTS = 10
# An inverse is made anew after so many changes, where one would divide by less than this, and where what it leaves of
# the held rows' rates exceeds a tenth of what counts as a rate.
MOST_CHANGES = 60
WEAK = 1e-6
LEFT_OVER = 0.1 * RATE


def make_pivoting(n: int) -> Pivoting:
    """Room for n rows; `partner` is -1 and limits are one-sided until they are set."""
    n = max(n, 1)
    one_sided = np.zeros((n, 2))
    one_sided[:, 1] = math.inf

    def floats(*shape: int) -> Floats:
        return np.zeros(shape)

    def ints() -> Ints:
        return np.zeros(n, np.int64)

    return Pivoting(
        floats(n, n), floats(n), one_sided, np.full(n, -1, np.int64), floats(n), floats(n), ints(), floats(n, n),
        make_elimination(n), ints(), floats(n, n + 1), floats(n, n), floats(n), floats(n), floats(n), floats(n),
        floats(n, 2), ints(), ints(), ints(), ints(), ints(),
        floats(n), floats(n), floats(n), floats(n), ints(), floats(n, n), floats(n, n), ints(), floats(n),
        np.zeros(2, np.int64), floats(n), floats(n), floats(n), floats(n), ints(),
    )  # fmt: skip


@kernel
def scale_rows(p, m):
    """Scale `reduced` and `start`, with `mate` known: rows to W_ii = 1, and friction rows as the normal row that they
    go with, so that forces of least norm do not depend on which way the rows were laid across the normal. `own` says
    how large W_ii was before the equalities took part."""
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
    """Drive row after row, from the first to the last; where that gets stuck, from the last to the first."""
    _list_followers(p, m)
    status, count = _attempt(p, m, size, 0, False)
    if status != SOLVED:
        status, count = _attempt(p, m, size, count, True)
    return status, count


# ---------------------------------------------------------------- from a guess
@kernel
def solve_from_guess(p, m, size):
    """From the sides in `guess` (HELD, LOW, HIGH; OFF for friction that has nothing to press; IDLE for rows that repeat
    others and need no force): the held rows are solved together, and all rows whose law is broken change sides at once
    [Kostreva78]. That is usually done in two or three exchanges, or at once where nothing has changed since the guess;
    where it is not, row after row."""
    _list_followers(p, m)
    for i in range(m):
        p.state[i] = p.guess[i]
    fewest = 3 * m
    since = 0
    for turn in range(MOST_EXCHANGES):
        _hold_sides(p, m)
        broken = _exchange_sides(p, m, _slack(p, m, size))
        if broken == 0:
            if _violation(p, m) > _slack(p, m, size):
                break
            return SOLVED, turn
        since = 0 if broken < fewest else since + 1
        if since == PATIENCE:
            break
        fewest = min(fewest, broken)
    return solve_inequalities(p, m, size)


@kernel
def _list_followers(p, m):
    """The friction rows of each normal force, in ascending order"""
    for i in range(m):
        p.follower[i] = -1
    for t in range(m - 1, -1, -1):
        j = p.mate[t]
        if j >= 0:
            p.following[t] = p.follower[j]
            p.follower[j] = t


@kernel
def _hold_sides(p, m):
    """Forces and speeds with every row on its side; those of least norm where held rows depend on each other"""
    for i in range(m):
        p.force[i] = 0.0
        if p.mate[i] < 0 and p.state[i] == HIGH:
            p.force[i] = p.bound[i, 1]
        elif p.mate[i] < 0 and p.state[i] == LOW:
            p.force[i] = p.bound[i, 0]
    _fill_speed(p, m)
    k = _fill_system(p, m)
    for r in range(k):
        p.rate[r] = -p.speed[p.active[r]]
    if not _solve_system(p.system, k, p.rate, DEPENDENT):
        e = p.elimination
        for r in range(k):
            p.rate[r] = -p.speed[p.active[r]]
            e.scale[r] = 1.0
            for c in range(k):
                e.factor[r, c] = _column(p, p.active[r], p.active[c])
        solve_rank(e, k, factor_rank(e, k, DEPENDENT), p.rate)
    for r in range(k):
        p.force[p.active[r]] = p.rate[r]
    for i in range(m):
        if p.mate[i] >= 0 and (p.state[i] == LOW or p.state[i] == HIGH):
            low, high = _limits(p, i)
            p.force[i] = low if p.state[i] == LOW else high
    _fill_speed(p, m)


@kernel
def _exchange_sides(p, m, slack):
    """Every row that breaks its law changes sides; how many did."""
    count = 0
    for i in range(m):
        if p.mate[i] >= 0:
            continue
        before = p.state[i]
        if before == HELD and p.force[i] < p.bound[i, 0] - slack:
            p.state[i] = LOW
        elif before == HELD and p.force[i] > p.bound[i, 1] + slack:
            p.state[i] = HIGH
        elif _moves(before, p.speed[i], slack):
            p.state[i] = HELD
        if p.state[i] != before:
            count += 1
    for i in range(m):
        mate = p.mate[i]
        if mate < 0:
            continue
        before = p.state[i]
        if p.state[mate] != HELD:
            p.state[i] = OFF
            p.force[i] = 0.0
        elif p.bound[i, 0] == p.bound[i, 1]:
            p.state[i] = LOW
        elif before == OFF:
            p.state[i] = HELD
            count += 1
        elif before == HELD and p.force[mate] > 0.0:
            low, high = _limits(p, i)
            if p.force[i] < low - slack:
                p.state[i] = LOW
            elif p.force[i] > high + slack:
                p.state[i] = HIGH
        elif _moves(before, p.speed[i], slack):
            p.state[i] = HELD
        if p.state[i] != before and before != OFF and p.state[i] != OFF:
            count += 1
    return count


@inline
def _moves(state, speed, slack):
    """Whether a row that is not held has a speed that its side does not allow"""
    too_low = speed < -slack and state != HIGH
    too_high = speed > slack and state != LOW
    return state != HELD and (too_low or too_high)


# ---------------------------------------------------------------- row after row
@kernel
def _attempt(p, m, size, count, backwards):
    status, count = _drive_rows(p, m, REST * size, count, backwards)
    if status == SOLVED:
        _polish(p, m)
        if _violation(p, m) > _slack(p, m, size):
            status = STUCK
    return status, count


@kernel
def _violation(p, m):
    """By how much the worst row breaks its law, found from forces and matrix alone."""
    _fill_speed(p, m)
    worst = 0.0
    largest = 0.0
    for i in range(m):
        largest = max(largest, abs(p.force[i]))
    for i in range(m):
        low, high = _limits(p, i)
        worst = max(worst, low - p.force[i], p.force[i] - high)
        if low == high:
            continue
        if p.force[i] > low + OPEN * largest:
            worst = max(worst, p.speed[i])
        if p.force[i] < high - OPEN * largest:
            worst = max(worst, -p.speed[i])
    return worst


@kernel
def _drive_rows(p, m, rest, count, backwards):
    """Normal forces, limits and boxes, then friction; rows that cannot be driven are tried again after the others."""
    p.tally[ROWS_HELD] = -1
    most = count + MOST_PIVOTS * m + 50
    for i in range(m):
        p.force[i] = 0.0
        p.state[i] = OUT
        if p.mate[i] < 0:
            p.force[i] = max(p.bound[i, 0], min(0.0, p.bound[i, 1]))
        elif p.bound[i, 0] == p.bound[i, 1]:
            p.state[i] = LOW
    _fill_speed(p, m)
    result = SOLVED
    left = m
    while left > 0:
        before = left
        left = 0
        for k in range(2 * m):
            # 2 m places: every row without a partner, then every friction row
            i = k % m
            if backwards:
                i = m - 1 - i
            if p.state[i] != OUT or (p.mate[i] >= 0) != (k >= m):
                continue
            for j in range(m):
                p.old_force[j] = p.force[j]
                p.old_speed[j] = p.speed[j]
                p.old_state[j] = p.state[j]
            status, count = _drive(p, m, i, rest, count, most)
            if status == SOLVED:
                continue
            result = status
            left += 1
            for j in range(m):
                p.force[j] = p.old_force[j]
                p.speed[j] = p.old_speed[j]
                p.state[j] = p.old_state[j]
            if status == ENDLESS:
                return status, count
        if left == before:
            return result, count
    return SOLVED, count


@kernel
def _fill_speed(p, m):
    for i in range(m):
        p.speed[i] = p.start[i] + _product(p.reduced, i, p.force, m)


@kernel
def _product(a, i, x, n):
    """Row i of a times x; four sums, as in one every addition waits for the one before"""
    s = 0.0
    t = 0.0
    u = 0.0
    v = 0.0
    for j in range(0, n - 3, 4):
        s += a[i, j] * x[j]
        t += a[i, j + 1] * x[j + 1]
        u += a[i, j + 2] * x[j + 2]
        v += a[i, j + 3] * x[j + 3]
    for j in range(n - n % 4, n):
        s += a[i, j] * x[j]
    return (s + t) + (u + v)


@kernel
def _limits(p, i):
    """lo and hi of row i at the present forces"""
    if p.mate[i] < 0:
        return p.bound[i, 0], p.bound[i, 1]
    f = p.force[p.mate[i]]
    return p.bound[i, 0] * f, p.bound[i, 1] * f


@kernel
def _settle(p, i, rest):
    """The state of row i where it needs no driving, else DRIVEN."""
    if p.mate[i] >= 0 and p.force[p.mate[i]] <= 0.0:
        return OFF
    low, high = _limits(p, i)
    if p.speed[i] < -rest:
        return HIGH if p.force[i] >= high else DRIVEN
    if p.speed[i] > rest:
        return LOW if p.force[i] <= low else DRIVEN
    if p.force[i] <= low:
        return LOW
    if p.force[i] >= high:
        return HIGH
    return IDLE


@kernel
def _drive(p, m, d, rest, count, most):
    """Change the force of row d until its law holds, the rows done before keeping theirs."""
    p.state[d] = DRIVEN
    end = _settle(p, d, rest)
    if end != DRIVEN:
        p.state[d] = end
        return SOLVED, count
    sign = 1.0 if p.speed[d] < 0.0 else -1.0
    _wake(p, d, rest)
    before = OUT
    row = -1
    while count < most:
        if not _fill_direction(p, m, d, sign):
            return STUCK, count
        if row >= 0 and _turns_back(p, row, before):
            sign = -sign
            for i in range(m):
                p.move[i] = -p.move[i]
                p.rate[i] = -p.rate[i]
        step, row, end = _longest_step(p, m, d)
        if row < 0:
            # no force moves this speed any more: what is left of it is rounding, or there is no solution
            if abs(p.speed[d]) > _slack(p, m, rest / REST):
                return STUCK, count
            p.speed[d] = 0.0
            p.state[d] = _settle(p, d, rest)
            return SOLVED, count
        count += 1
        for i in range(m):
            p.force[i] += step * p.move[i]
            p.speed[i] += step * p.rate[i]
        before = p.state[row]
        p.state[row] = end
        if end == HELD:
            p.speed[row] = 0.0
            if row != d:
                _wake(p, row, rest)
        else:
            low, high = _limits(p, row)
            p.force[row] = low if end == LOW else high
            if end == LOW and p.mate[row] < 0 and p.force[row] == 0.0:
                _put_to_sleep(p, row)
            if row == d and ((end == LOW and p.speed[d] < -rest) or (end == HIGH and p.speed[d] > rest)):
                return STUCK, count  # came back to where it started
        if p.state[d] != DRIVEN:
            return SOLVED, count
    return ENDLESS, count


@kernel
def _slack(p, m, size):
    """What a speed may be off where nothing can change it: rounding, more where forces have grown large."""
    largest = size
    for i in range(m):
        largest = max(largest, abs(p.force[i]))
    return OPEN * largest


@kernel
def _wake(p, normal, rest):
    """The friction of a contact that begins to press: against the slip, at its limit, which is still zero."""
    i = p.follower[normal]
    while i >= 0:
        if p.state[i] == OFF:
            if p.speed[i] > rest:
                p.state[i] = LOW
            elif p.speed[i] < -rest:
                p.state[i] = HIGH
            else:
                p.state[i] = IDLE
        i = p.following[i]


@kernel
def _put_to_sleep(p, normal):
    """The friction of a contact that presses no longer, that of the driven row too."""
    i = p.follower[normal]
    while i >= 0:
        if p.state[i] != OUT:
            p.force[i] = 0.0
            if p.bound[i, 0] != p.bound[i, 1]:
                p.state[i] = OFF
        i = p.following[i]


@inline
def _share(p, t):
    """Of a friction row at its limit: how much of its normal force its force is, else 0"""
    return p.bound[t, 0] if p.state[t] == LOW else (p.bound[t, 1] if p.state[t] == HIGH else 0.0)


@kernel
def _column(p, i, j):
    """Change of row i's speed with the force of row j, the friction at its limit that follows j included."""
    s = p.reduced[i, j]
    t = p.follower[j]
    while t >= 0:
        share = _share(p, t)
        if share != 0.0:
            s += share * p.reduced[i, t]
        t = p.following[t]
    return s


@kernel
def _fill_direction(p, m, d, sign):
    """How forces (`move`) and speeds (`rate`) change with the driven force, the held rows' speeds staying zero."""
    if not _keep_up(p, m):
        return False
    if _try_direction(p, m, d, sign) or p.tally[CHANGES] == 0:
        return True
    if not _invert(p, m):
        return False
    _try_direction(p, m, d, sign)
    return True


@kernel
def _try_direction(p, m, d, sign):
    """The same with the inverse at hand, corrected once; whether it holds the held rows well enough"""
    k = p.tally[ROWS_HELD]
    for r in range(k):
        p.right[r] = -sign * _column(p, p.active[r], d)
    for i in range(m):
        p.move[i] = 0.0
    p.move[d] = sign
    left = 0.0
    for _ in range(2):
        for r in range(k):
            p.move[p.active[r]] += _product(p.inverse, r, p.right, k)
        for t in range(m):
            if p.mate[t] >= 0 and (p.state[t] == LOW or p.state[t] == HIGH):
                p.move[t] = _share(p, t) * p.move[p.mate[t]]
        left = 0.0
        for i in range(m):
            p.rate[i] = _product(p.reduced, i, p.move, m)
        for r in range(k):
            p.right[r] = -p.rate[p.active[r]]
            left = max(left, abs(p.right[r]))
        if left <= LEFT_OVER:
            break
    for r in range(k):
        p.rate[p.active[r]] = 0.0
    return left <= RATE


# ---------------------------------------------------------------- the held rows
@kernel
def _fill_system(p, m):
    """The held rows and their matrix."""
    k = 0
    for i in range(m):
        if p.state[i] == HELD:
            p.active[k] = i
            k += 1
    for r in range(k):
        for c in range(k):
            p.system[r, c] = _column(p, p.active[r], p.active[c])
    return k


@kernel
def _keep_up(p, m):
    """The inverse of the held rows' matrix as they are now, from what it was: each row that comes or goes, or whose
    column takes friction along or leaves it, changes it by a product of two vectors. False where it has none."""
    if p.tally[ROWS_HELD] < 0 or p.tally[CHANGES] >= MOST_CHANGES:
        return _invert(p, m)
    for i in range(m):
        if p.place_held[i] >= 0 and p.state[i] != HELD and not _take_out(p, i):
            return _invert(p, m)
    for j in range(m):
        if p.follower[j] >= 0 and not _change_column(p, j):
            return _invert(p, m)
    for i in range(m):
        if p.place_held[i] < 0 and p.state[i] == HELD and not _put_in(p, i):
            return _invert(p, m)
    return True


@kernel
def _take_out(p, i):
    """Row and column s go: V - v_s v^s / v_ss of what stays; the last one takes the place"""
    k = p.tally[ROWS_HELD]
    v = p.inverse
    s = p.place_held[i]
    if abs(v[s, s]) < WEAK:
        return False
    for r in range(k):
        if r != s:
            x = v[r, s] / v[s, s]
            if x != 0.0:
                for c in range(k):
                    v[r, c] -= x * v[s, c]
    k -= 1
    for c in range(k + 1):
        v[s, c] = v[k, c]
    for r in range(k):
        v[r, s] = v[r, k]
    p.active[s] = p.active[k]
    p.place_held[p.active[s]] = s
    p.place_held[i] = -1
    p.tally[ROWS_HELD] = k
    p.tally[CHANGES] += 1
    return True


@kernel
def _change_column(p, j):
    """Column s changes by u: V - (V u) v^s / (1 + (V u)_s)"""
    changed = False
    t = p.follower[j]
    while t >= 0:
        changed = changed or _share(p, t) != p.share[t]
        t = p.following[t]
    if not changed:
        return True
    k = p.tally[ROWS_HELD]
    s = p.place_held[j]
    v = p.inverse
    for r in range(k):
        p.right[r] = 0.0
    t = p.follower[j]
    while t >= 0:
        change = _share(p, t) - p.share[t]
        p.share[t] += change
        if s >= 0 and change != 0.0:
            for r in range(k):
                p.right[r] += change * p.reduced[p.active[r], t]
        t = p.following[t]
    if s < 0:
        return True
    for r in range(k):
        p.left[r] = _product(v, r, p.right, k)
    own = 1.0 + p.left[s]
    if abs(own) < WEAK:
        return False
    for c in range(k):
        p.right[c] = v[s, c] / own
    for r in range(k):
        x = p.left[r]
        if x != 0.0:
            for c in range(k):
                v[r, c] -= x * p.right[c]
    p.tally[CHANGES] += 1
    return True


@kernel
def _put_in(p, i):
    """A row w and a column u come, with d between them: with y = V u, z = w V, e = d - w y it is
    [V + y z / e, -y / e; -z / e, 1 / e]"""
    k = p.tally[ROWS_HELD]
    v = p.inverse
    for c in range(k):
        p.right[c] = _column(p, p.active[c], i)
    for r in range(k):
        p.left[r] = _product(v, r, p.right, k)
    for c in range(k):
        p.right[c] = 0.0
    own = _column(p, i, i)
    for r in range(k):
        x = _column(p, i, p.active[r])
        own -= x * p.left[r]
        if x != 0.0:
            for c in range(k):
                p.right[c] += x * v[r, c]
    if abs(own) < WEAK:
        return False
    for r in range(k):
        x = p.left[r] / own
        if x != 0.0:
            for c in range(k):
                v[r, c] += x * p.right[c]
        v[r, k] = -x
    for c in range(k):
        v[k, c] = -p.right[c] / own
    v[k, k] = 1.0 / own
    p.active[k] = i
    p.place_held[i] = k
    p.tally[ROWS_HELD] = k + 1
    p.tally[CHANGES] += 1
    return True


@kernel
def _invert(p, m):
    """The same from the beginning, by elimination with row pivoting; False where a pivot is less than SINGULAR."""
    k = _fill_system(p, m)
    a = p.system
    v = p.inverse
    p.tally[ROWS_HELD] = -1
    for r in range(k):
        for c in range(k):
            v[r, c] = 0.0
        v[r, r] = 1.0
    for s in range(k):
        row = s
        for i in range(s + 1, k):
            if abs(a[i, s]) > abs(a[row, s]):
                row = i
        if abs(a[row, s]) < SINGULAR:
            return False
        if row != s:
            for c in range(k):
                a[s, c], a[row, c] = a[row, c], a[s, c]
                v[s, c], v[row, c] = v[row, c], v[s, c]
        x = 1.0 / a[s, s]
        for c in range(k):
            a[s, c] *= x
            v[s, c] *= x
        for i in range(k):
            x = a[i, s]
            if i != s and x != 0.0:
                for c in range(s, k):
                    a[i, c] -= x * a[s, c]
                for c in range(k):
                    v[i, c] -= x * v[s, c]
    for i in range(m):
        p.place_held[i] = -1
        p.share[i] = _share(p, i) if p.mate[i] >= 0 else 0.0
    for r in range(k):
        p.place_held[p.active[r]] = r
    p.tally[ROWS_HELD] = k
    p.tally[CHANGES] = 0
    return True


@kernel
def _solve_system(a, n, x, least):
    """a x = b by elimination with row pivoting, in place; whether a is regular, with pivots no smaller than `least`."""
    for k in range(n):
        row = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[row, k]):
                row = i
        if abs(a[row, k]) < least:
            return False
        if row != k:
            for j in range(k, n):
                a[k, j], a[row, j] = a[row, j], a[k, j]
            x[k], x[row] = x[row], x[k]
        v = 1.0 / a[k, k]
        for i in range(k + 1, n):
            c = a[i, k] * v
            if c != 0.0:
                for j in range(k + 1, n):
                    a[i, j] -= c * a[k, j]
                x[i] -= c * x[k]
    for k in range(n - 1, -1, -1):
        s = x[k]
        for j in range(k + 1, n):
            s -= a[k, j] * x[j]
        x[k] = s / a[k, k]
    return True


@kernel
def _turns_back(p, row, before):
    """Whether the row that has just changed sides would leave its new side again at once. Then the path goes on with
    the driven force running backwards, which happens where friction makes the held matrix indefinite."""
    if p.state[row] == LOW:
        return p.rate[row] < -p.noise[row]
    if p.state[row] == HIGH:
        return p.rate[row] > p.noise[row]
    follow = p.move[p.mate[row]] if p.mate[row] >= 0 else 0.0
    if before == LOW:
        low = p.bound[row, 0] * follow if follow != 0.0 else 0.0
        return p.move[row] - low < -RATE
    if before == HIGH:
        high = p.bound[row, 1] * follow if follow != 0.0 else 0.0
        return p.move[row] - high > RATE
    return False


@kernel
def _longest_step(p, m, d):
    """How far the driven force may go, the row that ends the step and where it stands then; row -1 for no end."""
    best = math.inf
    row = -1
    end = OUT
    # the driven row first: where it is done at the same step, nothing else need change
    if abs(p.rate[d]) > p.noise[d] and (p.rate[d] > 0.0) == (p.speed[d] < 0.0):
        best = -p.speed[d] / p.rate[d]
        row = d
        end = HELD
    t, side = _step_to_limit(p, d)
    if t < best:
        best = t
        row = d
        end = side
    for i in range(m):
        state = p.state[i]
        t = math.inf
        side = HELD
        if state == HELD:
            t, side = _step_to_limit(p, i)
        elif state == LOW:
            if p.rate[i] < -p.noise[i] and p.bound[i, 0] != p.bound[i, 1]:
                t = max(p.speed[i], 0.0) / -p.rate[i]
        elif state == HIGH:
            if p.rate[i] > p.noise[i]:
                t = max(-p.speed[i], 0.0) / p.rate[i]
        elif state == IDLE and abs(p.rate[i]) > p.noise[i]:
            t = 0.0
        if t < best:
            best = t
            row = i
            end = side
    return best, row, end


@kernel
def _step_to_limit(p, i):
    """Step at which the force of row i meets one of its limits, which move with its normal force."""
    low, high = _limits(p, i)
    low_move = 0.0
    high_move = 0.0
    if p.mate[i] >= 0:
        low_move = p.bound[i, 0] * p.move[p.mate[i]]
        high_move = p.bound[i, 1] * p.move[p.mate[i]]
    t = math.inf
    side = LOW
    if p.move[i] - low_move < -RATE:
        t = max(p.force[i] - low, 0.0) / (low_move - p.move[i])
    if high < math.inf and p.move[i] - high_move > RATE:
        u = max(high - p.force[i], 0.0) / (p.move[i] - high_move)
        if u < t:
            t = u
            side = HIGH
    return t, side


@kernel
def _polish(p, m):
    """The held forces anew from the matrix itself: what the steps have added up of rounding goes."""
    k = _fill_system(p, m)
    for i in range(m):
        p.old_force[i] = p.force[i]
        if p.state[i] == HELD:
            p.force[i] = 0.0
    for i in range(m):
        if p.mate[i] >= 0 and (p.state[i] == LOW or p.state[i] == HIGH):
            # follows a held normal force: its column is part of that one's
            if p.state[p.mate[i]] == HELD:
                p.force[i] = 0.0
            else:
                low, high = _limits(p, i)
                p.force[i] = low if p.state[i] == LOW else high
    _fill_speed(p, m)
    for r in range(k):
        p.rate[r] = -p.speed[p.active[r]]
    if not _solve_system(p.system, k, p.rate, SINGULAR):
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
            low, high = _limits(p, i)
            if p.state[i] == LOW:
                p.force[i] = low
            elif p.state[i] == HIGH:
                p.force[i] = high
            else:
                p.force[i] = max(low, min(p.force[i], high))
