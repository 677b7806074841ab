"""The Cholesky factor of a matrix, computed by LAPACK in place.

Kernels call LAPACK by the symbol that numba's `np.linalg` uses. They cannot call `np.linalg.cholesky` itself, because
it allocates its result, and kernels are compiled without allocation."""

import numpy as np
from numba import types
from numpy.typing import NDArray

from physics.compiler.jit import compilation_is_off, kernel

DOUBLE = ord("d")
UPPER = ord("U")  # of a matrix by columns: the lower triangle of one by rows

_potrf = types.ExternalFunction(
    "numba_xxpotrf", types.intc(types.char, types.char, types.intp, types.CPointer(types.float64), types.intp)
)


def _cholesky_in_python(a: NDArray[np.float64], n: int) -> int:
    """Replace the n x n matrix at the start of `a` by its Cholesky factor, with scipy. Return the `info` of LAPACK,
    which is 0 if the matrix is positive definite."""
    from scipy.linalg import get_lapack_funcs  # here, as compiled kernels do without it

    square = a[: n * n].reshape(n, n)
    (potrf,) = get_lapack_funcs(("potrf",), (square,))
    factor, info = potrf(square.T, lower=0, clean=0)
    square[:] = factor.T
    return int(info)


@kernel
def _cholesky_compiled(a, n):
    """Replace the n x n matrix at the start of `a` by its Cholesky factor. Return the `info` of LAPACK, which is 0 if
    the matrix is positive definite."""
    return _potrf(DOUBLE, UPPER, n, a.ctypes, n)


# a = L L^T in place, the lower triangle of n x n numbers by rows. Returns 0, or which leading minor is not positive.
cholesky = _cholesky_in_python if compilation_is_off() else _cholesky_compiled
