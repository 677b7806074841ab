"""Symmetric positive semi-definite systems that may be short of rank: pivoted Cholesky.

S W S = P L D L^T P^T with the largest pivot first; S is a scale for each row that makes its pivot one where nothing
hinders it. Where the largest pivot left is rounding, the rows left depend on others: they get no unknown, and their
residual says whether they contradict.
"""

from physics.kernels.jit import kernel

# Of the unhindered pivot. Rows that depend on others leave 1e-13 and less. A line of bodies that is straight to 1e-4
# rad leaves 1e-8, and is let bend: its gap is then of the second order, and its pull is not without bounds.
RANK_TOLERANCE = 1e-8


@kernel
def factor_ranked(count, matrix, factor, pivot, scale):
    """`matrix` (its lower triangle) to `factor`; returns the rank. pivot[k] is the row eliminated in turn k."""
    for r in range(count):
        pivot[r] = r
    for r in range(count):
        for c in range(r + 1):
            factor[r, c] = matrix[r, c] * scale[r] * scale[c]
    for k in range(count):
        best = k
        for r in range(k + 1, count):
            if factor[r, r] > factor[best, best] * (1.0 + 1e-9):
                best = r
        if not factor[best, best] > RANK_TOLERANCE:
            return k
        exchange(count, k, best, factor, pivot)
        d = 1.0 / factor[k, k]
        for r in range(k + 1, count):
            x = factor[r, k] * d
            if x != 0.0:  # rows of different trees have nothing in common
                for c in range(k + 1, r + 1):
                    factor[r, c] -= x * factor[c, k]
        for r in range(k + 1, count):
            factor[r, k] *= d
    return count


@kernel
def exchange(count, k, b, factor, pivot):
    """Rows and columns k < b of the lower triangle change places."""
    if b == k:
        return
    pivot[k], pivot[b] = pivot[b], pivot[k]
    for c in range(k):
        factor[k, c], factor[b, c] = factor[b, c], factor[k, c]
    for c in range(k + 1, b):
        factor[c, k], factor[b, c] = factor[b, c], factor[c, k]
    for r in range(b + 1, count):
        factor[r, k], factor[r, b] = factor[r, b], factor[r, k]
    factor[k, k], factor[b, b] = factor[b, b], factor[k, k]


@kernel
def solve_ranked(count, rank, factor, pivot, scale, right, x):
    """x of the independent rows, zero for the others; `right` stays."""
    for k in range(rank):
        r = pivot[k]
        t = scale[r] * right[r]
        for c in range(k):
            t -= factor[k, c] * x[pivot[c]]
        x[r] = t
    for k in range(rank - 1, -1, -1):
        r = pivot[k]
        t = x[r] / factor[k, k]
        for c in range(k + 1, rank):
            t -= factor[c, k] * x[pivot[c]]
        x[r] = t
    for k in range(rank):
        x[pivot[k]] *= scale[pivot[k]]
    for k in range(rank, count):
        x[pivot[k]] = 0.0
