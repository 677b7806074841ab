"""The sparse factor of the joint-space inertia H of a branched tree: H = L^T D L [Featherstone05].

Joint coordinates are numbered so that parents come before their children. `parent` (n) is the expanded parent array: a
joint with several coordinates counts as that many joints in a line. Row k of H has entries only at the ancestors of k
(branch-induced sparsity), and so has L: no entry outside this pattern is stored, read or written.

Row k is stored in `h` from start[k] to start[k + 1] - 1: its entries at k's ancestors from the root down, the diagonal
last. The ancestors of an ancestor i of k are the first ones of k, so that both inner loops of this factorisation run
over neighbours in memory:

    for k from the last to the first, for each ancestor i of k:    a = H_ki / H_kk
        for j = i and each ancestor of i:    H_ij -= a H_kj
        H_ki = a

The factor replaces H. With d_k the number of coordinates on the path from the root to k, it costs

    entries               D0 = sum d_k = n + D1
    divisions             D1 = sum (d_k - 1)
    multiply-subtracts    D2 = sum d_k (d_k - 1) / 2
    L^-1 x, L^-T x        D1 multiply-adds each

which for a depth d are O(n d) and O(n d^2). A chain has D1 = n (n - 1) / 2, D2 = n (n^2 - 1) / 6: then this is an
ordinary dense factor. tests/physics/solvers/test_featherstone_counts.py measures these numbers on the kernels below,
and on the other factor, H = L^T L, and products with both (tests/helpers/sparse_factors.py).
"""

from collections.abc import Sequence

import numpy as np

from physics.compiler.jit import kernel
from physics.data.model import Ints

ONE = np.uint64(1)


def expanded_parents(parent: Sequence[int], dofs: Sequence[int]) -> list[int]:
    """Return the parents of coordinates from the parents and degrees of freedom of bodies. The first coordinate of a
    joint follows the last one of the nearest body above that has any; it is -1 if there is none."""
    last: list[int] = []  # of each body: the last coordinate at or above it
    expanded: list[int] = []
    for above, count in zip(parent, dofs, strict=True):
        at = last[above] if above >= 0 else -1
        for _ in range(count):
            expanded.append(at)
            at = len(expanded) - 1
        last.append(at)
    return expanded


def path_lengths(parent: Sequence[int]) -> Ints:
    """Return d_k (n): the number of coordinates from the root to k, both counted."""
    lengths = np.zeros(len(parent), np.int64)
    for k, above in enumerate(parent):
        lengths[k] = 1 if above < 0 else lengths[above] + 1
    return lengths


def row_starts(parent: Sequence[int]) -> Ints:
    """Return the places (n + 1) at which the rows of H begin; the last number is D0, the size of the store."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(path_lengths(parent))])


# ---------------------------------------------------------------- factors, in place
# Unsigned indices into h: numba wraps negative ones around, and the check keeps the inner loop from being vectorised.
@kernel
def factor_ltdl(parent, start, h):
    """Replace H in h by its factor: D on the diagonal, the unit L below it."""
    for k in range(parent.shape[0] - 1, -1, -1):
        s = np.uint64(start[k])
        m = np.uint64(start[k + 1] - start[k] - 1)
        d = h[s + m]
        i = parent[k]
        while i >= 0:
            a = h[s + m - ONE] / d
            t = np.uint64(start[i])
            for j in range(m):
                h[t + j] -= a * h[s + j]
            m = m - ONE
            h[s + m] = a
            i = parent[i]


@kernel
def solve_lower(parent, start, h, x):
    """Replace x (n) by L^-1 x, from the factor h."""
    for k in range(parent.shape[0]):
        e = np.uint64(start[k + 1] - 1)
        y = x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            y -= h[e] * x[np.uint64(i)]
            i = parent[np.uint64(i)]
        x[k] = y


@kernel
def solve_transposed(parent, start, h, x):
    """Replace x (n) by L^-T x, from the factor h."""
    for k in range(parent.shape[0] - 1, -1, -1):
        e = np.uint64(start[k + 1] - 1)
        y = x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            x[np.uint64(i)] -= h[e] * y
            i = parent[np.uint64(i)]


@kernel
def divide_diagonal(start, h, x):
    """Replace x (n) by D^-1 x, from the factor h."""
    for k in range(x.shape[0]):
        x[k] = x[k] / h[start[k + 1] - 1]


# ---------------------------------------------------------------- condition
@kernel
def inverse_norm(parent, start, h, x):
    """Return a lower estimate of the largest row sum of |H^-1|, from its factor h: max |x| of H x = c. The entries of c
    are 1 or -1; their signs are chosen while L^-T c is computed, so that each |x_k| grows. x (n) is overwritten; the
    cost is 2 D1 multiply-adds."""
    n = parent.shape[0]
    for k in range(n):
        x[k] = 0.0
    for k in range(n - 1, -1, -1):
        y = x[k] + 1.0 if x[k] >= 0.0 else x[k] - 1.0
        x[k] = y
        e = np.uint64(start[k + 1] - 1)
        i = parent[k]
        while i >= 0:
            e = e - ONE
            x[np.uint64(i)] -= h[e] * y
            i = parent[np.uint64(i)]
    divide_diagonal(start, h, x)
    solve_lower(parent, start, h, x)
    largest = 0.0
    for k in range(n):
        largest = max(largest, abs(x[k]))
    return largest
