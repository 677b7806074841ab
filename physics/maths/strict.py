"""Arithmetic that gives the same bits on every machine, for Python code that makes or reads a state.

The matrix products of numpy, scipy and the C library choose their code by the processor: sums are taken in another
order, multiplications are fused with additions, and the last digits differ. Here every result is made of additions,
multiplications, divisions and square roots of doubles in one order, as in the kernels (`maths/elementary.py` has the
functions). Code that makes a state uses neither `@` nor `np.linalg` nor scipy, nor functions of `math` and numpy that
are rounded by their library; `tests/architecture/test_strict.py` checks that.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from physics.maths.elementary import (
    arccosine, arcsine, arctangent, cosine, exponential, logarithm, power, sine, sine_and_cosine, tangent,
)  # fmt: skip

__all__ = [
    "arccosine", "arcsine", "arctangent", "cosine", "distance", "dot", "exponential", "logarithm", "norm", "norms",
    "power", "principal_axes", "product", "sine", "sine_and_cosine", "solve_definite", "spline", "tangent", "total",
]  # fmt: skip

Floats = np.ndarray
EPSILON = 2.0**-52
SMALL = 9  # entries of a matrix up to which Python's own numbers are quicker than numpy's


# ---------------------------------------------------------------- sums of products
def total(values: Sequence[float]) -> float:
    """Return the sum of the values, added from the first to the last. (Python's own `sum` of floats compensates
    rounding from version 3.12 on.)"""
    out = 0.0
    for value in values:
        out += value
    return out


def dot(a: Any, b: Any) -> float:
    """Return the scalar product of two vectors."""
    a = a.tolist() if isinstance(a, np.ndarray) else a
    b = b.tolist() if isinstance(b, np.ndarray) else b
    return total([x * y for x, y in zip(a, b, strict=True)])


def product(a: Any, b: Any) -> Any:
    """Return a @ b for vectors, matrices or stacks of matrices. Each entry is summed from its first term to its
    last."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if a.ndim == 1 and b.ndim == 1:
        return dot(a, b)
    if a.ndim == 2 and b.ndim == 1 and a.size <= SMALL:
        v = b.tolist()
        return np.array([dot(row, v) for row in a.tolist()])
    if a.ndim == 2 and b.ndim == 2 and max(a.size, b.size) <= SMALL:
        columns = b.T.tolist()
        return np.array([[dot(row, column) for column in columns] for row in a.tolist()])
    left = a[None, :] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    out = left[..., :, :1] * right[..., :1, :]
    for k in range(1, left.shape[-1]):
        out += left[..., :, k : k + 1] * right[..., k : k + 1, :]
    if left.shape[-1] == 0:
        out = np.zeros((*out.shape[:-2], left.shape[-2], right.shape[-1]))
    if a.ndim == 1:
        return out[..., 0, :]
    return out[..., 0] if b.ndim == 1 else out


def norm(v: Any) -> float:
    """Return the length of a vector."""
    return math.sqrt(dot(v, v))


def norms(rows: Floats) -> Floats:
    """Return the length of each row (n,) of an array (n, m)."""
    return np.sqrt(product(rows[..., None, :], rows[..., :, None])[..., 0, 0])


def distance(a: Any, b: Any) -> float:
    """Return the distance of two points."""
    return norm([x - y for x, y in zip(a, b, strict=True)])


# ---------------------------------------------------------------- principal axes
SWEEPS = 30  # of Jacobi's method, which needs six at most: it converges quadratically


def principal_axes(inertia: Floats) -> tuple[Floats, Floats]:
    """Return the principal moments (3,) of a symmetric matrix (3, 3), and their axes as the columns of a rotation
    matrix, by Jacobi's method [Golub13, 8.5]. Axes are rotated no farther than necessary, and not at all where the
    off-diagonal entry is within rounding of the largest moment. A diagonal matrix therefore keeps its axes and their
    order, and equal moments do not rotate any axis."""
    m = np.array(inertia, float).tolist()
    axes = np.eye(3).tolist()
    least = 4.0 * EPSILON * max(abs(m[k][k]) for k in range(3))
    for _ in range(SWEEPS):
        still = True
        for p, q in ((0, 1), (0, 2), (1, 2)):
            if abs(m[p][q]) > least:
                still = False
                _rotate(m, axes, p, q)
        if still:
            break
    return np.array([m[k][k] for k in range(3)]), np.array(axes)


def _rotate(m: list[list[float]], axes: list[list[float]], p: int, q: int) -> None:
    """Rotate the axes p and q of `m` and `axes` in place by the angle, at most pi/4, at which m[p][q] vanishes."""
    a = m[p][q]
    theta = 0.5 * (m[q][q] - m[p][p]) / a
    t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0)) if abs(theta) < 1e150 else 0.5 / theta
    c = 1.0 / math.sqrt(t * t + 1.0)
    s = t * c
    m[p][p] -= t * a
    m[q][q] += t * a
    m[p][q] = m[q][p] = 0.0
    r = 3 - p - q
    x, y = m[r][p], m[r][q]
    m[r][p] = m[p][r] = c * x - s * y
    m[r][q] = m[q][r] = s * x + c * y
    for row in axes:
        x, y = row[p], row[q]
        row[p], row[q] = c * x - s * y, s * x + c * y


# ---------------------------------------------------------------- small systems, splines
def solve_definite(a: Floats, b: Floats) -> Floats:
    """Return x of a x = b for a stack of symmetric positive definite matrices a (..., n, n) and right-hand sides b
    (..., n), by elimination without row exchanges."""
    a, x = np.array(a, float), np.array(b, float)
    n = a.shape[-1]
    for k in range(n):
        for i in range(k + 1, n):
            share = a[..., i, k] / a[..., k, k]
            a[..., i, :] -= share[..., None] * a[..., k, :]
            x[..., i] -= share * x[..., k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            x[..., k] -= a[..., k, j] * x[..., j]
        x[..., k] /= a[..., k, k]
    return x


def spline(t: Floats, y: Floats, closed: bool) -> Floats:
    """Return the second derivatives at the knots t (n,) of the cubic spline through y (n, ...). A natural spline has
    second derivatives of zero at both ends. A closed one has equal values and equal derivatives at both ends. d are the
    spans between the knots, and D the slopes:

        d_(k-1) y''_(k-1) + 2 (d_(k-1) + d_k) y''_k + d_k y''_(k+1) = 6 (D_k - D_(k-1))"""
    n = len(t) - 1
    d = np.diff(t)
    slope = np.diff(y, axis=0) / d.reshape(-1, *[1] * (y.ndim - 1))
    out = np.zeros_like(y)
    if not closed:
        if n > 1:
            rows = [(d[k - 1], 2.0 * (d[k - 1] + d[k]), d[k]) for k in range(1, n)]
            out[1:n] = _solve_band(rows, 6.0 * (slope[1:] - slope[:-1]))
        return out
    rows = [(d[k - 1], 2.0 * (d[k - 1] + d[k]), d[k]) for k in range(n)]
    right = 6.0 * (slope - np.roll(slope, 1, axis=0))
    out[:n] = _solve_cyclic(rows, right)
    out[n] = out[0]
    return out


Row = tuple[float, float, float]  # below, on and above the diagonal


def _solve_band(rows: list[Row], right: Floats) -> Floats:
    """Return the solution of a diagonally dominant tridiagonal system with these rows and right-hand sides."""
    x = right.copy()
    pivot = [rows[0][1]]
    for k in range(1, len(rows)):
        share = rows[k][0] / pivot[-1]
        pivot.append(rows[k][1] - share * rows[k - 1][2])
        x[k] -= share * x[k - 1]
    x[-1] /= pivot[-1]
    for k in range(len(rows) - 2, -1, -1):
        x[k] = (x[k] - rows[k][2] * x[k + 1]) / pivot[k]
    return x


def _solve_cyclic(rows: list[Row], right: Floats) -> Floats:
    """Return the solution of a tridiagonal system with two more entries: one below the first row in the last column,
    and one above the last row in the first column. The band is solved without the last unknown, which then follows from
    the last row."""
    n = len(rows)
    if n == 2:  # both neighbours of each are the other
        (a, b, c), (e, f, g) = rows
        det = b * f - (a + c) * (e + g)
        return np.stack([(f * right[0] - (a + c) * right[1]) / det, (b * right[1] - (e + g) * right[0]) / det])
    corner = np.zeros(n - 1)
    corner[0] += rows[0][0]
    corner[-1] += rows[n - 2][2]
    own = _solve_band(rows[: n - 1], right[: n - 1])
    reply = _solve_band(rows[: n - 1], corner)
    below, on, above = rows[-1]
    x = (right[-1] - below * own[-1] - above * own[0]) / (on - below * reply[-1] - above * reply[0])
    return np.concatenate([own - np.multiply.outer(reply, x), [x]])
