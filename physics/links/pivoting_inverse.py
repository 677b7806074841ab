"""The inverse of the matrix of the held rows. As rows come and go, products of two vectors update it.

`p.inverse` (k, k) belongs to the k rows p.active[0] to p.active[k - 1]. If an update would divide by a small number,
the inverse is computed anew.
"""

from physics.compiler.table import Table, column
from physics.compiler.jit import inline, kernel
from physics.links.pivoting_rows import RowState, followed_column, friction_share, row_product


class InverseTally(Table, array="Pivoting.tally"):
    """Columns of Pivoting.tally: counters of the inverse of the held rows."""

    ROWS_HELD = column("number of rows in the inverse; -1: there is none")
    CHANGES = column("how often the inverse has been changed since it was made")


# A pivot of the held rows below this is none: rates just above RATE may leave such small ones.
SINGULAR = 1e-14
# An inverse is made anew after so many changes, where one would divide by less than this, and where what it leaves of
# the held rows' rates exceeds a tenth of what counts as a rate.
MOST_CHANGES = 60
WEAK = 1e-6


# ---------------------------------------------------------------- the held rows
@kernel
def fill_system(p, m):
    """Write the held rows to p.active and their matrix to p.system. Return their number."""
    k = 0
    for i in range(m):
        if p.state[i] == RowState.HELD:
            p.active[k] = i
            k += 1
    for r in range(k):
        for c in range(k):
            p.system[r, c] = followed_column(p, p.active[r], p.active[c])
    return k


@kernel
def update_inverse(p, m):
    """Update p.inverse to the rows that are held now. Each row that comes or goes, and each column whose friction
    changes, needs one product of two vectors. Return false if the matrix has no inverse."""
    if p.tally[InverseTally.ROWS_HELD] < 0 or p.tally[InverseTally.CHANGES] >= MOST_CHANGES:
        return invert(p, m)
    for i in range(m):
        if p.place_held[i] >= 0 and p.state[i] != RowState.HELD and not take_row_out(p, i):
            return invert(p, m)
    for j in range(m):
        if p.follower[j] >= 0 and not change_column(p, j):
            return invert(p, m)
    for i in range(m):
        if p.place_held[i] < 0 and p.state[i] == RowState.HELD and not put_row_in(p, i):
            return invert(p, m)
    return True


@kernel
def take_row_out(p, i):
    """Remove row i, which has place s, from the inverse V in p.inverse. With its column v_s and its row v^s, V becomes
    V - v_s v^s / v_ss, and the last row moves to place s. Return false, with nothing changed, if the divisor is too
    small."""
    k = p.tally[InverseTally.ROWS_HELD]
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
    p.tally[InverseTally.ROWS_HELD] = k
    p.tally[InverseTally.CHANGES] += 1
    return True


@kernel
def change_column(p, j):
    """Update p.inverse and p.share for the friction that follows row j. If column s of the matrix changes by u, its
    inverse V becomes V - (V u) v^s / (1 + (V u)_s). Return false if the divisor is too small."""
    changed = False
    t = p.follower[j]
    while t >= 0:
        changed = changed or friction_share(p, t) != p.share[t]
        t = p.following[t]
    if not changed:
        return True
    k = p.tally[InverseTally.ROWS_HELD]
    s = p.place_held[j]
    v = p.inverse
    for r in range(k):
        p.right[r] = 0.0
    t = p.follower[j]
    while t >= 0:
        change = friction_share(p, t) - p.share[t]
        p.share[t] += change
        if s >= 0 and change != 0.0:
            for r in range(k):
                p.right[r] += change * p.reduced[p.active[r], t]
        t = p.following[t]
    if s < 0:
        return True
    for r in range(k):
        p.left[r] = row_product(v, r, p.right, k)
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
    p.tally[InverseTally.CHANGES] += 1
    return True


@kernel
def put_row_in(p, i):
    """Add row i to p.inverse. With its row w, its column u, and d where they cross, y = V u, z = w V and e = d - w y,
    the inverse becomes [V + y z / e, -y / e; -z / e, 1 / e]. Return false, with nothing changed, if e is too small."""
    k = p.tally[InverseTally.ROWS_HELD]
    v = p.inverse
    for c in range(k):
        p.right[c] = followed_column(p, p.active[c], i)
    for r in range(k):
        p.left[r] = row_product(v, r, p.right, k)
    for c in range(k):
        p.right[c] = 0.0
    own = followed_column(p, i, i)
    for r in range(k):
        x = followed_column(p, i, p.active[r])
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
    p.tally[InverseTally.ROWS_HELD] = k + 1
    p.tally[InverseTally.CHANGES] += 1
    return True


@inline
def pivot_row(a, k, n):
    """Return which of the rows k to n - 1 has the largest entry in column k of a."""
    row = k
    for i in range(k + 1, n):
        if abs(a[i, k]) > abs(a[row, k]):
            row = i
    return row


@kernel
def invert(p, m):
    """Compute p.inverse of the held rows anew, by elimination with row pivoting. Return false if a pivot is less than
    SINGULAR."""
    k = fill_system(p, m)
    a = p.system
    v = p.inverse
    p.tally[InverseTally.ROWS_HELD] = -1
    for r in range(k):
        for c in range(k):
            v[r, c] = 0.0
        v[r, r] = 1.0
    for s in range(k):
        row = pivot_row(a, s, k)
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
        p.share[i] = friction_share(p, i) if p.mate[i] >= 0 else 0.0
    for r in range(k):
        p.place_held[p.active[r]] = r
    p.tally[InverseTally.ROWS_HELD] = k
    p.tally[InverseTally.CHANGES] = 0
    return True


@kernel
def solve_system(a, n, x, least):
    """Solve a x = b by elimination with row pivoting: x holds b and becomes the solution, a (n x n) is overwritten.
    Return false if a pivot is smaller than `least`."""
    for k in range(n):
        row = pivot_row(a, k, n)
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
