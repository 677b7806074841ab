"""The rows of the pivoting: their states, their limits, and the friction rows that follow a normal force.

`p` is the record Pivoting of `data/model.py`, and m the number of rows in use. Rows are scaled so that W_ii = 1.
"""

from physics.compiler.table import Table
from physics.compiler.jit import inline, kernel


class RowState(Table):
    """The state of a row in pivoting: its force is zero (OUT), it holds its rate at zero (HELD), its force is at its
    lower or upper limit (LOW, HIGH), it is redundant (IDLE), it takes no part (OFF), or its force is being driven
    (DRIVEN)."""

    OUT = 0
    HELD = 1
    LOW = 2
    HIGH = 3
    IDLE = 4
    OFF = 5
    DRIVEN = 6


# Rows are scaled to W_ii = 1. A rate below this share of it is rounding: W comes from solves good to some 1e-14, and
# active sets of a figure's contacts reach conditions of some hundreds.
RATE = 1e-11
# An a below this share of the largest |q| is zero.
REST = 1e-12
# Laws count as kept within this share of the largest |q| or force, and equalities as contradicting beyond it.
OPEN = 1e-9
# Held rows with smaller pivots depend on each other: of a guess the forces of least norm are taken.
DEPENDENT = 1e-10


@kernel
def list_followers(p, m):
    """Write the friction rows of each normal force, in ascending order, as linked lists in p.follower and
    p.following."""
    for i in range(m):
        p.follower[i] = -1
    for t in range(m - 1, -1, -1):
        j = p.mate[t]
        if j >= 0:
            p.following[t] = p.follower[j]
            p.follower[j] = t


@kernel
def fill_speed(p, m):
    """Write the speed a = W x + q of all m rows to p.speed, with x in p.force."""
    for i in range(m):
        p.speed[i] = p.start[i] + row_product(p.reduced, i, p.force, m)


@kernel
def row_product(a, i, x, n):
    """Return row i of a times x, of n numbers each. Four partial sums are used, because in a single sum every addition
    waits for the one before."""
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
def limits_of(p, i):
    """Return (low, high) of the force of row i at the present forces."""
    if p.mate[i] < 0:
        return p.bound[i, 0], p.bound[i, 1]
    f = p.force[p.mate[i]]
    return p.bound[i, 0] * f, p.bound[i, 1] * f


@kernel
def settled_state(p, i, rest):
    """Return the state of row i if the row needs no driving, else DRIVEN. `rest` is the speed that counts as zero."""
    if p.mate[i] >= 0 and p.force[p.mate[i]] <= 0.0:
        return RowState.OFF
    low, high = limits_of(p, i)
    if p.speed[i] < -rest:
        return RowState.HIGH if p.force[i] >= high else RowState.DRIVEN
    if p.speed[i] > rest:
        return RowState.LOW if p.force[i] <= low else RowState.DRIVEN
    if p.force[i] <= low:
        return RowState.LOW
    if p.force[i] >= high:
        return RowState.HIGH
    return RowState.IDLE


@kernel
def slack_of(p, m, size):
    """Return the largest error of a speed that is accepted if no force can change that speed: OPEN times the larger of
    `size` and the largest force."""
    largest = size
    for i in range(m):
        largest = max(largest, abs(p.force[i]))
    return OPEN * largest


@kernel
def wake_friction(p, normal, rest):
    """Set p.state of the friction rows of a normal row that begins to carry a force. A row that slips starts at the
    limit against its slip; that limit is still zero. `rest` is the speed that counts as zero."""
    i = p.follower[normal]
    while i >= 0:
        if p.state[i] == RowState.OFF:
            if p.speed[i] > rest:
                p.state[i] = RowState.LOW
            elif p.speed[i] < -rest:
                p.state[i] = RowState.HIGH
            else:
                p.state[i] = RowState.IDLE
        i = p.following[i]


@kernel
def stop_friction(p, normal):
    """Set the friction forces of a normal row, whose own force has become zero, to zero in p.force. Set the states of
    the friction rows in p.state to OFF, even that of the driven row. Rows that were not driven yet, and sliding rows,
    keep their state."""
    i = p.follower[normal]
    while i >= 0:
        if p.state[i] != RowState.OUT:
            p.force[i] = 0.0
            if p.bound[i, 0] != p.bound[i, 1]:
                p.state[i] = RowState.OFF
        i = p.following[i]


@inline
def friction_share(p, t):
    """Return the force of friction row t per unit normal force while the row is at a limit; 0 for other rows."""
    return p.bound[t, 0] if p.state[t] == RowState.LOW else (p.bound[t, 1] if p.state[t] == RowState.HIGH else 0.0)


@kernel
def followed_column(p, i, j):
    """Return the change of row i's speed for a unit force of row j, together with the friction rows at their limits
    that follow row j."""
    s = p.reduced[i, j]
    t = p.follower[j]
    while t >= 0:
        share = friction_share(p, t)
        if share != 0.0:
            s += share * p.reduced[i, t]
        t = p.following[t]
    return s
