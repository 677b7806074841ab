"""Sparse factors of the joint-space inertia H of a branched tree: H = L^T D L and H = L^T L [Featherstone05].

Joint coordinates are numbered so that parents come before their children; `parent` is the expanded parent array: a
joint with several coordinates counts as so many joints in a row. Row k of H has entries only at the ancestors of k
(branch-induced sparsity), and so has L: no entry outside this pattern is stored, read or written.

Row k stands in `h` from start[k] to start[k + 1] - 1: its entries at k's ancestors from the root down, the diagonal
last. The ancestors of an ancestor i of k are the first ones of k, so that both inner loops of

    for k from the last to the first, for each ancestor i of k:    a = H_ki / H_kk
        for j = i and each ancestor of i:    H_ij -= a H_kj
        H_ki = a

run over neighbours in memory. In place; with d_k the number of coordinates on the path from the root to k,

    entries               D0 = sum d_k = n + D1
    LTDL: divisions       D1 = sum (d_k - 1)            LTL: as many, and n square roots
    multiply-subtracts    D2 = sum d_k (d_k - 1) / 2
    L x, L^T x, L^-1 x, L^-T x:  D1 multiply-adds each, with LTL n multiplications or divisions more

which for a depth d are O(n d) and O(n d^2). A chain has D1 = n (n - 1) / 2, D2 = n (n^2 - 1) / 6: then this is an
ordinary dense factor. tests/physics/solvers/test_featherstone_counts.py measures these numbers on the functions below.
`SparseFactor` is their face for Python.
"""

from collections.abc import Sequence

import numpy as np

from physics.compiler.jit import entry, kernel
from physics.data.model import Floats, Ints
from physics.definitions.checks import DefinitionError

ONE = np.uint64(1)


def expanded_parents(parent: Sequence[int], dofs: Sequence[int]) -> list[int]:
    """Parents of coordinates from parents of bodies: the first coordinate of a joint follows the last one of the
    nearest body above that has any; -1 where there is none."""
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
    """d_k: how many coordinates there are from the root to k, both counted."""
    lengths = np.zeros(len(parent), np.int64)
    for k, above in enumerate(parent):
        lengths[k] = 1 if above < 0 else lengths[above] + 1
    return lengths


def row_starts(parent: Sequence[int]) -> Ints:
    """(n + 1): where each row begins; the last is D0, the size of the store."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(path_lengths(parent))])


# ---------------------------------------------------------------- factors, in place
# Unsigned indices into h: numba wraps negative ones around, and the check keeps the inner loop from being vectorised.
@kernel
def factor_ltdl(parent, start, h):
    """H = L^T D L: D on the diagonal, the unit L below it."""
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
def factor_ltl(parent, start, h):
    """H = L^T L"""
    for k in range(parent.shape[0] - 1, -1, -1):
        s = np.uint64(start[k])
        m = np.uint64(start[k + 1] - start[k] - 1)
        d = np.sqrt(h[s + m])
        h[s + m] = d
        for j in range(m):
            h[s + j] = h[s + j] / d
        i = parent[k]
        while i >= 0:
            a = h[s + m - ONE]
            t = np.uint64(start[i])
            for j in range(m):
                h[t + j] -= a * h[s + j]
            m = m - ONE
            i = parent[i]


# ---------------------------------------------------------------- products with the unit L of LTDL, in place
@kernel
def multiply(parent, start, h, x):
    """x <- L x"""
    for k in range(parent.shape[0] - 1, -1, -1):
        e = np.uint64(start[k + 1] - 1)
        y = x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            y += h[e] * x[np.uint64(i)]
            i = parent[np.uint64(i)]
        x[k] = y


@kernel
def multiply_transposed(parent, start, h, x):
    """x <- L^T x"""
    for k in range(parent.shape[0]):
        e = np.uint64(start[k + 1] - 1)
        y = x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            x[np.uint64(i)] += h[e] * y
            i = parent[np.uint64(i)]


@kernel
def solve_lower(parent, start, h, x):
    """x <- L^-1 x"""
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
    """x <- L^-T x"""
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
    """x <- D^-1 x"""
    for k in range(x.shape[0]):
        x[k] = x[k] / h[start[k + 1] - 1]


# ---------------------------------------------------------------- products with the L of LTL, in place
@kernel
def multiply_ltl(parent, start, h, x):
    """x <- L x"""
    for k in range(parent.shape[0] - 1, -1, -1):
        e = np.uint64(start[k + 1] - 1)
        y = h[e] * x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            y += h[e] * x[np.uint64(i)]
            i = parent[np.uint64(i)]
        x[k] = y


@kernel
def multiply_transposed_ltl(parent, start, h, x):
    """x <- L^T x"""
    for k in range(parent.shape[0]):
        e = np.uint64(start[k + 1] - 1)
        y = x[k]
        x[k] = h[e] * y
        i = parent[k]
        while i >= 0:
            e = e - ONE
            x[np.uint64(i)] += h[e] * y
            i = parent[np.uint64(i)]


@kernel
def solve_lower_ltl(parent, start, h, x):
    """x <- L^-1 x"""
    for k in range(parent.shape[0]):
        e = np.uint64(start[k + 1] - 1)
        d = h[e]
        y = x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            y -= h[e] * x[np.uint64(i)]
            i = parent[np.uint64(i)]
        x[k] = y / d


@kernel
def solve_transposed_ltl(parent, start, h, x):
    """x <- L^-T x"""
    for k in range(parent.shape[0] - 1, -1, -1):
        e = np.uint64(start[k + 1] - 1)
        y = x[k] / h[e]
        x[k] = y
        i = parent[k]
        while i >= 0:
            e = e - ONE
            x[np.uint64(i)] -= h[e] * y
            i = parent[np.uint64(i)]


# ---------------------------------------------------------------- condition
@kernel
def inverse_norm(parent, start, h, x):
    """A lower estimate of the largest row sum of |H^-1|, from its LTDL factor: max |x| of H x = c, where c is made of
    1 and -1 while L^-T c is computed, each sign such that |x_k| grows there. Leaves x behind; 2 D1 multiply-adds."""
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


# ---------------------------------------------------------------- from Python
LTDL, LTL, TIMES, TIMES_TRANSPOSED, INTO, INTO_TRANSPOSED = range(6)


@entry
def run(operation, with_diagonal, parent, start, h, x):
    """One of the functions above: a factor of `h`, or a product on `x`."""
    if operation == LTDL:
        factor_ltdl(parent, start, h)
    elif operation == LTL:
        factor_ltl(parent, start, h)
    elif with_diagonal:
        if operation == TIMES:
            multiply_ltl(parent, start, h, x)
        elif operation == TIMES_TRANSPOSED:
            multiply_transposed_ltl(parent, start, h, x)
        elif operation == INTO:
            solve_lower_ltl(parent, start, h, x)
        else:
            solve_transposed_ltl(parent, start, h, x)
    elif operation == TIMES:
        multiply(parent, start, h, x)
    elif operation == TIMES_TRANSPOSED:
        multiply_transposed(parent, start, h, x)
    elif operation == INTO:
        solve_lower(parent, start, h, x)
    else:
        solve_transposed(parent, start, h, x)


class SparseFactor:
    """The factor of a symmetric positive definite matrix with the pattern of a tree: `kind` "ltdl" or "ltl"."""

    def __init__(self, matrix: Floats, parent: Sequence[int], kind: str = "ltdl"):
        if kind not in ("ltdl", "ltl"):
            raise DefinitionError("kind of a factor", kind, "'ltdl' or 'ltl'")
        self.kind = kind
        self.parent = np.array(parent, np.int64)
        n = len(self.parent)
        if any(not -1 <= p < k for k, p in enumerate(self.parent)):
            raise DefinitionError("parents", list(parent), "for each coordinate one before it, or -1")
        if np.shape(matrix) != (n, n):
            raise DefinitionError("matrix", np.shape(matrix), f"the shape {(n, n)}")
        self.start = row_starts(self.parent.tolist())
        self.h = stored_rows(np.array(matrix, float), self.parent, self.start)
        if np.count_nonzero(dense_rows(self.parent, self.start, self.h)) < np.count_nonzero(np.tril(matrix)):
            raise DefinitionError("matrix", "entries between coordinates of different branches", "zeros there")
        run(LTDL if kind == "ltdl" else LTL, False, self.parent, self.start, self.h, np.zeros(n))

    def _applied(self, operation: int, x: Floats) -> Floats:
        y = np.array(x, float)
        run(operation, self.kind == "ltl", self.parent, self.start, self.h, y)
        return y

    def multiply(self, x: Floats) -> Floats:
        """L x"""
        return self._applied(TIMES, x)

    def multiply_transposed(self, x: Floats) -> Floats:
        """L^T x"""
        return self._applied(TIMES_TRANSPOSED, x)

    def solve_lower(self, x: Floats) -> Floats:
        """L^-1 x"""
        return self._applied(INTO, x)

    def solve_transposed(self, x: Floats) -> Floats:
        """L^-T x"""
        return self._applied(INTO_TRANSPOSED, x)

    def solve(self, x: Floats) -> Floats:
        """H^-1 x"""
        return self.solve_lower(self.solve_transposed(x) / self.diagonal)

    @property
    def diagonal(self) -> Floats:
        """D; ones for LTL"""
        return self.h[self.start[1:] - 1].copy() if self.kind == "ltdl" else np.ones(len(self.parent))

    @property
    def lower(self) -> Floats:
        """L, with its zeros"""
        dense = dense_rows(self.parent, self.start, self.h)
        if self.kind == "ltdl":
            np.fill_diagonal(dense, 1.0)
        return dense


def stored_rows(matrix: Floats, parent: Ints, start: Ints) -> Floats:
    """The rows along the paths, one after the other, of a dense matrix's lower triangle."""
    h = np.zeros(int(start[-1]))
    for k, path in enumerate(paths(parent)):
        h[start[k] : start[k + 1]] = matrix[k, path]
    return h


def dense_rows(parent: Ints, start: Ints, h: Floats) -> Floats:
    """The dense lower triangle of stored rows."""
    matrix = np.zeros((len(parent), len(parent)))
    for k, path in enumerate(paths(parent)):
        matrix[k, path] = h[start[k] : start[k + 1]]
    return matrix


def paths(parent: Ints) -> list[list[int]]:
    """For each coordinate those from the root to it."""
    found: list[list[int]] = []
    for k, above in enumerate(parent):
        found.append([*(found[above] if above >= 0 else []), k])
    return found
