"""Pivoted Cholesky factor of symmetric positive semi-definite systems that may be rank deficient.

S W S = P L D L^T P^T, with the largest pivot first. The diagonal matrix S scales the rows: the pivot of a row would be
one if there were no joints. If the largest remaining pivot is no more than rounding, the remaining rows depend on
others. Their unknowns are zero, and their residual shows whether they contradict the others.
"""

import math

from physics.compiler.jit import kernel

# Of the unhindered pivot. Rows that depend on others leave 1e-13 and less. A line of bodies that is straight to 1e-4
# rad leaves 1e-8, and is let bend: its gap is then of the second order, and its pull is not without bounds.
RANK_TOLERANCE = 1e-8
# Where a pivot is hardly more than rounding, but is, its row is taut: what it can answer for at all asks for forces
# that grow beyond bounds. A line that is straight to t rad has t^2. Where they do grow so, such pivots are not let fall
# below this (multipliers.find_multipliers).
TAUT = 1e-6
STRAIGHT = 1e-3  # the pivot of a line that is straight to some hundredths of a radian: it is named (World.taut)
SOFT = 1e-3  # from here on the difference is rounding


@kernel
def factor_pivoted(first, end, matrix, factor, pivot, scale):
    """Factor the rows pivot[first] to pivot[end - 1] of `matrix` (its lower triangle; rows in ascending order) into
    `factor`, with the largest pivot first. pivot[first + k] becomes the row that is eliminated as number k. Return the
    rank."""
    for r in range(first, end):
        for c in range(first, r + 1):
            factor[r, c] = matrix[pivot[r], pivot[c]] * scale[pivot[r]] * scale[pivot[c]]
    for k in range(first, end):
        best = k
        for r in range(k + 1, end):
            if factor[r, r] > factor[best, best] * (1.0 + 1e-9):
                best = r
        if not factor[best, best] > RANK_TOLERANCE:
            return k - first
        exchange(first, end, k, best, factor, pivot)
        d = 1.0 / factor[k, k]
        for r in range(k + 1, end):
            x = factor[r, k] * d
            if x != 0.0:
                for c in range(k + 1, r + 1):
                    factor[r, c] -= x * factor[c, k]
        for r in range(k + 1, end):
            factor[r, k] *= d
    return end - first


@kernel
def exchange(first, count, k, b, factor, pivot):
    """Exchange rows and columns k and b (k <= b) in the lower triangle of `factor`, and in `pivot`; the block begins at
    `first` and ends before `count`."""
    if b == k:
        return
    pivot[k], pivot[b] = pivot[b], pivot[k]
    for c in range(first, k):
        factor[k, c], factor[b, c] = factor[b, c], factor[k, c]
    for c in range(k + 1, b):
        factor[c, k], factor[b, c] = factor[b, c], factor[c, k]
    for r in range(b + 1, count):
        factor[r, k], factor[r, b] = factor[r, b], factor[r, k]
    factor[k, k], factor[b, b] = factor[b, b], factor[k, k]


@kernel
def solve_pivoted(first, end, rank, factor, pivot, scale, right, x, regularised):
    """Write the solution for the rows pivot[first] to pivot[end - 1] to x: zero for rows beyond the rank; `right`
    stays. With `regularised`, small pivots of taut rows are regularised, so that these rows get smaller multipliers."""
    last = first + rank
    for k in range(first, last):
        r = pivot[k]
        t = scale[r] * right[r]
        for c in range(first, k):
            t -= factor[k, c] * x[pivot[c]]
        x[r] = t
    for k in range(last - 1, first - 1, -1):
        r = pivot[k]
        t = x[r] / (regularised_pivot(factor[k, k]) if regularised else factor[k, k])
        for c in range(k + 1, last):
            t -= factor[c, k] * x[pivot[c]]
        x[r] = t
    for k in range(first, last):
        x[pivot[k]] *= scale[pivot[k]]
    for k in range(last, end):
        x[pivot[k]] = 0.0


@kernel
def regularised_pivot(d):
    """Return the regularised pivot (d^4 + TAUT^4)^(1/4), or d itself above SOFT."""
    if d > SOFT:
        return d
    d *= d
    return math.sqrt(math.sqrt(d * d + TAUT * TAUT * TAUT * TAUT))
