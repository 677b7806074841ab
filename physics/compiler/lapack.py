"""LAPACK's Cholesky factor on an array that is there already, from the library that scipy brings along."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physics.compiler import loader
from physics.compiler.jit import deferred


def _in_python(a: NDArray[np.float64], n: int) -> int:
    """Replace the n x n matrix at the start of `a` by its Cholesky factor, with scipy. Return LAPACK's info: 0 if the
    matrix is positive definite."""
    from scipy.linalg import get_lapack_funcs  # here, as compiled kernels do without it

    square = a[: n * n].reshape(n, n)
    (potrf,) = get_lapack_funcs(("potrf",), (square,))
    factor, info = potrf(square.T, lower=0, clean=0)
    square[:] = factor.T
    return int(info)


def _compiled() -> Any:
    """Return what kernels call by the name `cholesky`."""
    from physics.compiler.call_lowering import factor

    return factor


def _address_of_dpotrf() -> int:
    """Return the address of LAPACK's dpotrf, as scipy offers it to compiled code."""
    from scipy.linalg import cython_lapack  # pyright: ignore[reportAttributeAccessIssue] - an extension module

    capsule = cython_lapack.__pyx_capi__["dpotrf"]
    python = ctypes.pythonapi
    python.PyCapsule_GetName.restype, python.PyCapsule_GetName.argtypes = ctypes.c_char_p, [ctypes.py_object]
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return python.PyCapsule_GetPointer(capsule, python.PyCapsule_GetName(capsule))


loader.offer("marionette_dpotrf", _address_of_dpotrf)

# cholesky(a, n): a = L L^T in place, the lower triangle of n x n numbers by rows. Returns 0, or which leading minor is
# not positive.
cholesky = deferred(_in_python, _compiled)
