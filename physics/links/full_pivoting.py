"""Elimination of a few equalities with full pivoting: which of them are independent, and the solution of least norm.

    P (S W S) Q = L D U,    L unit lower (n x r), D diagonal, U unit upper (r x n),    S = diag(W)^-1/2 or given

For a symmetric positive semi-definite W the largest entry is on the diagonal, so that this is the pivoted L D L^T. The
code also factors a W that is not symmetric (forces that do not act along their constraint). Row k beyond the rank r is
a sum of the rows before it, row(k) = c . rows with c = L21 L11^-1. The coefficients c show which constraints a
redundant one repeats. The solution of W x = b is that of least squares with the least norm of S^-1 x, and therefore
stays bounded where constraints repeat or contradict each other:

    S^-1 x = Q U^T (U U^T)^-1 D^-1 (L^T L)^-1 L^T P S b

L and U are well conditioned, so that the products lose no digits. If the rank is full, it is the usual solution.
"""

import math

from physics.compiler.jit import kernel
from physics.data.arrays import make
from physics.data.model import Elimination


def make_elimination(n: int) -> Elimination:
    """Return an Elimination with space for n rows."""
    return make(Elimination, {"e": n})


@kernel
def scale_by_diagonal(e, n):
    """Write the scale diag(W)^-1/2 of the n x n matrix W in e.factor to e.scale; it is 1 where a diagonal entry is not
    positive."""
    for i in range(n):
        d = e.factor[i, i]
        e.scale[i] = 1.0 / math.sqrt(d) if d > 0.0 else 1.0


@kernel
def factor_full_pivoting(e, n, tolerance):
    """Factor the n x n matrix in e.factor, scaled by e.scale, in place, and write the permutations to e.row and
    e.column. Elimination ends when no pivot is larger than `tolerance`. If the rank is then less than n, write the
    Cholesky factors of L^T L and U U^T to e.left and e.right. Return the rank."""
    f = e.factor
    for i in range(n):
        e.row[i] = i
        e.column[i] = i
    for i in range(n):
        for j in range(n):
            f[i, j] *= e.scale[i] * e.scale[j]
    rank = n
    for k in range(n):
        # the diagonal first, so that equal pivots of a symmetric matrix keep it symmetric
        best = tolerance
        row = -1
        column = -1
        for i in range(k, n):
            if abs(f[i, i]) > best:
                best = abs(f[i, i])
                row = i
                column = i
        for i in range(k, n):
            for j in range(k, n):
                if abs(f[i, j]) > best * (1.0 + 1e-12):
                    best = abs(f[i, j])
                    row = i
                    column = j
        if row < 0:
            rank = k
            break
        _swap(e, n, k, row, column)
        p = 1.0 / f[k, k]
        for j in range(k + 1, n):
            f[k, j] *= p
        for i in range(k + 1, n):
            c = f[i, k]
            for j in range(k + 1, n):
                f[i, j] -= c * f[k, j]
            f[i, k] = c * p
    if rank < n:
        _factor_products(e, n, rank)
    return rank


@kernel
def _swap(e, n, k, row, column):
    """Swap row k with `row` and column k with `column`, in e.factor, e.row and e.column."""
    f = e.factor
    if row != k:
        for j in range(n):
            f[k, j], f[row, j] = f[row, j], f[k, j]
        e.row[k], e.row[row] = e.row[row], e.row[k]
    if column != k:
        for i in range(n):
            f[i, k], f[i, column] = f[i, column], f[i, k]
        e.column[k], e.column[column] = e.column[column], e.column[k]


@kernel
def _factor_products(e, n, rank):
    """Write the Cholesky factors of L^T L to e.left and of U U^T to e.right."""
    f = e.factor
    for a in range(rank):
        for b in range(a + 1):
            s = f[a, b] if a > b else 1.0
            t = f[b, a] if a > b else 1.0
            for i in range(a + 1, n):
                s += f[i, a] * f[i, b]
                t += f[a, i] * f[b, i]
            e.left[a, b] = s
            e.right[a, b] = t
    _cholesky(e.left, rank)
    _cholesky(e.right, rank)


@kernel
def _cholesky(a, n):
    """Replace the lower triangle of the n x n matrix a by its Cholesky factor."""
    for c in range(n):
        d = a[c, c]
        for k in range(c):
            d -= a[c, k] * a[c, k]
        d = math.sqrt(d)
        a[c, c] = d
        for r in range(c + 1, n):
            s = a[r, c]
            for k in range(c):
                s -= a[r, k] * a[c, k]
            a[r, c] = s / d


@kernel
def _cholesky_solve(a, n, x):
    """Replace the right-hand side x (n) by the solution, with the Cholesky factor a."""
    for r in range(n):
        s = x[r]
        for k in range(r):
            s -= a[r, k] * x[k]
        x[r] = s / a[r, r]
    for r in range(n - 1, -1, -1):
        s = x[r]
        for k in range(r + 1, n):
            s -= a[k, r] * x[k]
        x[r] = s / a[r, r]


@kernel
def _solve_square(f, n, z):
    """Replace z (n), which holds b, by the solution of L D U z = b. The factors are in the first n rows and columns of
    f."""
    for i in range(n):
        s = z[i]
        for k in range(i):
            s -= f[i, k] * z[k]
        z[i] = s
    for i in range(n - 1, -1, -1):
        s = z[i] / f[i, i]
        for k in range(i + 1, n):
            s -= f[i, k] * z[k]
        z[i] = s


@kernel
def solve_least_norm(e, n, rank, x):
    """Replace x (n), which holds b, by the solution of W x = b of least squares and least norm."""
    f = e.factor
    y = e.work
    z = e.other
    for i in range(n):
        z[i] = e.scale[e.row[i]] * x[e.row[i]]
    if rank == n:
        _solve_square(f, n, z)
    else:
        for c in range(rank):
            s = z[c]
            for i in range(c + 1, n):
                s += f[i, c] * z[i]
            y[c] = s
        _cholesky_solve(e.left, rank, y)
        for c in range(rank):
            y[c] /= f[c, c]
        _cholesky_solve(e.right, rank, y)
        for i in range(n):
            s = y[i] if i < rank else 0.0
            for c in range(min(i, rank)):
                s += f[c, i] * y[c]
            z[i] = s
    for i in range(n):
        x[e.column[i]] = e.scale[e.column[i]] * z[i]


@kernel
def solve_leading(e, n, rank, x):
    """Replace x (n), which holds b, by the solution of the `rank` rows in the `rank` columns that the elimination
    chose. It is exact for these rows and zero in the other columns."""
    z = e.other
    for i in range(rank):
        z[i] = e.scale[e.row[i]] * x[e.row[i]]
    _solve_square(e.factor, rank, z)
    for i in range(n):
        x[e.column[i]] = e.scale[e.column[i]] * z[i] if i < rank else 0.0


@kernel
def relate_row(e, place, rank, relation):
    """Write the dependent row at `place` of the elimination (place >= rank) as a sum of the independent rows: its
    coefficients go to `relation`, in the order before the permutation. Other entries of `relation` stay."""
    f = e.factor
    c = e.work
    for k in range(rank - 1, -1, -1):
        s = f[place, k]
        for j in range(k + 1, rank):
            s -= c[j] * f[j, k]
        c[k] = s
    own = e.scale[e.row[place]]
    for k in range(rank):
        relation[e.row[k]] = c[k] * e.scale[e.row[k]] / own
