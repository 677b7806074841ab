"""Exact pivoting for a few auxiliary constraints: a = W x + q, and each row keeps its law. x are the forces of the
rows, and a their rates.

    equality       limit (-inf, inf)       a = 0, x free
    one-sided      limit (0, inf)          x >= 0, a >= 0, x a = 0
    boxed          limit (lo, hi)          a = 0 inside, a >= 0 where x = lo, a <= 0 where x = hi
    friction       limit (-mu, mu) times the x of its partner, the row of the normal force; two rows a contact
    sliding        a friction row with two equal limits: x = mu times the normal force, a free

The equalities are eliminated first (`full_pivoting`), which also finds those that are redundant or contradict others.
The other rows are solved one by one (`pivoting`, [Baraff94]).

Friction is bounded in two directions, by a box around the cone. Along the diagonal of the box, friction may reach
sqrt(2) mu times the normal force. Where both directions slide, the force is up to 45 degrees off the slip. If one
direction is along the slip, the error vanishes to first order. A box inscribed in the cone (mu / sqrt(2)) would be 29 %
too weak along the axes instead.

Without friction, and with a symmetric positive semi-definite W, pivoting finds a solution whenever there is one. With
friction a normal force may reduce its own a (Painleve), and there may be no solution. `STUCK` means that there is none,
or that pivoting did not find it. For random matrices that belong to no geometry, with friction up to 1, that happened
once in 2000 problems. x then has the forces found so far.
"""

import math

from physics.compiler.table import Table
from physics.compiler.jit import entry, kernel
from physics.links.full_pivoting import factor_full_pivoting, relate_row, scale_by_diagonal, solve_least_norm
from physics.links.pivoting import scale_rows, solve_inequalities
from physics.links.pivoting_rows import OPEN


class Dependence(Table):
    """The values of `Pivoting.finding` of an equality row: it is independent of the other equalities, follows from
    them, or contradicts them."""

    INDEPENDENT = 0
    REDUNDANT = 1
    CONTRADICTING = 2


# A scaled pivot of the equalities below this counts as dependent.
DEPENDENT = 1e-11


@entry("qi", "ii")
def solve_complementarity(p, n):
    """Solve the first n rows of p by `solve_rows`; this is the entry for Python. Return (status, number of pivots)."""
    return solve_rows(p, n)


@kernel
def solve_rows(p, n):
    """Solve the first n rows of p: write p.x, p.a, p.finding and p.relation. Return (status, number of pivots)."""
    m = _sort_rows(p, n)
    e = n - m
    rank = e
    if e > 0:
        rank = _eliminate(p, m, e)
    _reduce(p, m, e)
    status, count = solve_inequalities(p, m, _size(p, m, e))
    _write_back(p, n, m, e)
    if e > 0:
        _name_rows(p, n, m, e, rank)
    return status, count


# ---------------------------------------------------------------- equalities
@kernel
def _sort_rows(p, n):
    """Write the inequalities among the first n rows to p.place, and the equalities after them. Return the number of
    inequalities."""
    m = 0
    for i in range(n):
        if not (p.limit[i, 0] == -math.inf and p.limit[i, 1] == math.inf):
            p.place[m] = i
            m += 1
    e = m
    for i in range(n):
        if p.limit[i, 0] == -math.inf and p.limit[i, 1] == math.inf:
            p.place[e] = i
            e += 1
    return m


@kernel
def _eliminate(p, m, e):
    """Factor W_EE of the e equalities E into p.elimination, and write W_EE^+ [W_EI, q_E] to p.coupling; m is the number
    of inequalities I. Return the rank of W_EE."""
    for i in range(e):
        for j in range(e):
            p.elimination.factor[i, j] = p.matrix[p.place[m + i], p.place[m + j]]
    scale_by_diagonal(p.elimination, e)
    rank = factor_full_pivoting(p.elimination, e, DEPENDENT)
    for j in range(m + 1):
        for i in range(e):
            row = p.place[m + i]
            p.move[i] = p.matrix[row, p.place[j]] if j < m else p.offset[row]
        solve_least_norm(p.elimination, e, rank, p.move)
        for i in range(e):
            p.coupling[i, j] = p.move[i]
    return rank


@kernel
def _reduce(p, m, e):
    """Write the problem of the m inequalities alone, scaled: W_II - W_IE W_EE^+ W_EI to p.reduced, q_I - W_IE W_EE^+
    q_E to p.start, the limits to p.bound and the partners to p.mate."""
    for i in range(m):
        row = p.place[i]
        for j in range(m + 1):
            s = p.matrix[row, p.place[j]] if j < m else p.offset[row]
            for k in range(e):
                s -= p.matrix[row, p.place[m + k]] * p.coupling[k, j]
            if j < m:
                p.reduced[i, j] = s
            else:
                p.start[i] = s
    for i in range(m):
        p.own[i] = p.matrix[p.place[i], p.place[i]]
        p.mate[i] = -1
        for j in range(m):
            if p.place[j] == p.partner[p.place[i]]:
                p.mate[i] = j
    scale_rows(p, m)
    for i in range(m):
        # a friction row has the scale of its normal row, and its limits are shares of that row's force
        factor = 1.0 if p.mate[i] >= 0 else 1.0 / p.scale[i]
        p.bound[i, 0] = p.limit[p.place[i], 0] * factor
        p.bound[i, 1] = p.limit[p.place[i], 1] * factor


@kernel
def _size(p, m, e):
    """Return the largest term of the sums in the scaled vector q of the inequalities. The rounding error of q is
    proportional to this number."""
    largest = 0.0
    for i in range(m):
        row = p.place[i]
        s = abs(p.offset[row])
        for k in range(e):
            s = max(s, abs(p.matrix[row, p.place[m + k]] * p.coupling[k, m]))
        largest = max(largest, p.scale[i] * s)
    return largest


@kernel
def _write_back(p, n, m, e):
    """Write x in the caller's rows and units to p.x, and a = W x + q to p.a; set p.finding of all n rows to
    INDEPENDENT."""
    for i in range(m):
        p.x[p.place[i]] = p.scale[i] * p.force[i]
    for i in range(e):
        s = -p.coupling[i, m]
        for j in range(m):
            s -= p.coupling[i, j] * p.x[p.place[j]]
        p.x[p.place[m + i]] = s
    for i in range(n):
        s = p.offset[i]
        for j in range(n):
            s += p.matrix[i, j] * p.x[j]
        p.a[i] = s
        p.finding[i] = Dependence.INDEPENDENT


@kernel
def _name_rows(p, n, m, e, rank):
    """Write to p.finding which of the e equalities are redundant or contradict others. For each dependent equality,
    write to p.relation the coefficients of the sum of rows that it repeats."""
    scale = p.elimination.scale
    largest = 0.0
    for i in range(e):
        largest = max(largest, scale[i] * abs(p.offset[p.place[m + i]]))
    for i in range(e):
        row = p.place[m + i]
        if scale[i] * abs(p.a[row]) > OPEN * largest:
            p.finding[row] = Dependence.CONTRADICTING
    for k in range(rank, e):
        row = p.place[m + p.elimination.row[k]]
        if p.finding[row] == Dependence.INDEPENDENT:
            p.finding[row] = Dependence.REDUNDANT
        for i in range(e):
            p.move[i] = 0.0
        relate_row(p.elimination, k, rank, p.move)
        for j in range(n):
            p.relation[row, j] = 0.0
        for i in range(e):
            p.relation[row, p.place[m + i]] = p.move[i]
