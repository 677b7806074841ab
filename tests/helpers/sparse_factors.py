"""Products with the sparse factors of a branched tree, and its other factor, H = L^T L: what the operation counts of
[Featherstone05] are measured on beside the kernels of `physics/solvers/ltdl.py`. `SparseFactor` is their face for
Python."""

from collections.abc import Sequence

import numpy as np

from physics.compiler.jit import entry, kernel
from physics.data.model import Floats, Ints
from physics.definitions.checks import DefinitionError
from physics.solvers.ltdl import ONE, factor_ltdl, row_starts, solve_lower, solve_transposed


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


# ---------------------------------------------------------------- products with L, in place
# `unit`: whether L is that of LTDL, which has ones on its diagonal; the diagonal of h is then D.
@kernel
def multiply(parent, start, h, x, unit):
    """x <- L x"""
    for k in range(parent.shape[0] - 1, -1, -1):
        e = np.uint64(start[k + 1] - 1)
        y = x[k] if unit else h[e] * x[k]
        i = parent[k]
        while i >= 0:
            e = e - ONE
            y += h[e] * x[np.uint64(i)]
            i = parent[np.uint64(i)]
        x[k] = y


@kernel
def multiply_transposed(parent, start, h, x, unit):
    """x <- L^T x"""
    for k in range(parent.shape[0]):
        e = np.uint64(start[k + 1] - 1)
        y = x[k]
        if not unit:
            x[k] = h[e] * y
        i = parent[k]
        while i >= 0:
            e = e - ONE
            x[np.uint64(i)] += h[e] * y
            i = parent[np.uint64(i)]


# ---------------------------------------------------------------- solutions with the L of LTL, in place
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


# ---------------------------------------------------------------- from Python
LTDL, LTL, TIMES, TIMES_TRANSPOSED, INTO, INTO_TRANSPOSED = range(6)


@entry("ibllvv")
def run(operation, unit, parent, start, h, x):
    """One of the functions above: a factor of `h`, or a product on `x`."""
    if operation == LTDL:
        factor_ltdl(parent, start, h)
    elif operation == LTL:
        factor_ltl(parent, start, h)
    elif operation == TIMES:
        multiply(parent, start, h, x, unit)
    elif operation == TIMES_TRANSPOSED:
        multiply_transposed(parent, start, h, x, unit)
    elif operation == INTO:
        if unit:
            solve_lower(parent, start, h, x)
        else:
            solve_lower_ltl(parent, start, h, x)
    elif unit:
        solve_transposed(parent, start, h, x)
    else:
        solve_transposed_ltl(parent, start, h, x)


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
        run(operation, self.kind == "ltdl", self.parent, self.start, self.h, y)
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
