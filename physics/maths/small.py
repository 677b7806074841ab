"""Dense LDL^T of run-time size inside a flat array, for blocks whose dimension is known only when the model is built.

The matrix of size n stands at offset o by columns: element (row, column) at o + column n + row; only the lower
triangle is read. No pivoting: the blocks are definite (positive or negative).
"""

import math

from physics.compiler.jit import kernel


@kernel
def ldl_factor(a, o, n):
    """Factor the n x n matrix at offset o of `a` in place: A = L D L^T, with D on the diagonal and the unit L below
    it."""
    for c in range(n):
        d = a[o + c * n + c]
        for k in range(c):
            d -= a[o + k * n + c] * a[o + k * n + c] * a[o + k * n + k]
        a[o + c * n + c] = d
        for r in range(c + 1, n):
            s = a[o + c * n + r]
            for k in range(c):
                s -= a[o + k * n + r] * a[o + k * n + c] * a[o + k * n + k]
            a[o + c * n + r] = s / d


@kernel
def ldl_forward(a, o, n, x, p):
    """Replace x by L^-1 x; x has n numbers from offset p on."""
    for r in range(n):
        s = x[p + r]
        for c in range(r):
            s -= a[o + c * n + r] * x[p + c]
        x[p + r] = s


@kernel
def ldl_backward(a, o, n, x, p):
    """Replace x by L^-T x; x has n numbers from offset p on."""
    for r in range(n - 1, -1, -1):
        s = x[p + r]
        for c in range(r + 1, n):
            s -= a[o + r * n + c] * x[p + c]
        x[p + r] = s


@kernel
def clamp_positive(s):
    """Return the nearest positive semi-definite matrix to the packed symmetric 3x3 matrix s: negative eigenvalues,
    found by Jacobi rotations, are set to zero."""
    a00, a10, a11, a20, a21, a22 = s
    v00, v01, v02 = 1.0, 0.0, 0.0
    v10, v11, v12 = 0.0, 1.0, 0.0
    v20, v21, v22 = 0.0, 0.0, 1.0
    size = abs(a00) + abs(a11) + abs(a22) + abs(a10) + abs(a20) + abs(a21)
    for _ in range(12):
        if abs(a10) + abs(a20) + abs(a21) <= 1e-16 * size:
            break
        if a10 != 0.0:  # rotate axes 0 and 1
            t = _jacobi_tangent(a00, a11, a10)
            c = 1.0 / math.sqrt(1.0 + t * t)
            n = t * c
            a00, a11 = a00 - t * a10, a11 + t * a10
            a10 = 0.0
            a20, a21 = c * a20 - n * a21, n * a20 + c * a21
            v00, v01 = c * v00 - n * v01, n * v00 + c * v01
            v10, v11 = c * v10 - n * v11, n * v10 + c * v11
            v20, v21 = c * v20 - n * v21, n * v20 + c * v21
        if a20 != 0.0:  # axes 0 and 2
            t = _jacobi_tangent(a00, a22, a20)
            c = 1.0 / math.sqrt(1.0 + t * t)
            n = t * c
            a00, a22 = a00 - t * a20, a22 + t * a20
            a20 = 0.0
            a10, a21 = c * a10 - n * a21, n * a10 + c * a21
            v00, v02 = c * v00 - n * v02, n * v00 + c * v02
            v10, v12 = c * v10 - n * v12, n * v10 + c * v12
            v20, v22 = c * v20 - n * v22, n * v20 + c * v22
        if a21 != 0.0:  # axes 1 and 2
            t = _jacobi_tangent(a11, a22, a21)
            c = 1.0 / math.sqrt(1.0 + t * t)
            n = t * c
            a11, a22 = a11 - t * a21, a22 + t * a21
            a21 = 0.0
            a10, a20 = c * a10 - n * a20, n * a10 + c * a20
            v01, v02 = c * v01 - n * v02, n * v01 + c * v02
            v11, v12 = c * v11 - n * v12, n * v11 + c * v12
            v21, v22 = c * v21 - n * v22, n * v21 + c * v22
    e0 = max(a00, 0.0)
    e1 = max(a11, 0.0)
    e2 = max(a22, 0.0)
    return (
        e0 * v00 * v00 + e1 * v01 * v01 + e2 * v02 * v02,
        e0 * v10 * v00 + e1 * v11 * v01 + e2 * v12 * v02,
        e0 * v10 * v10 + e1 * v11 * v11 + e2 * v12 * v12,
        e0 * v20 * v00 + e1 * v21 * v01 + e2 * v22 * v02,
        e0 * v20 * v10 + e1 * v21 * v11 + e2 * v22 * v12,
        e0 * v20 * v20 + e1 * v21 * v21 + e2 * v22 * v22,
    )


@kernel
def _jacobi_tangent(p, q, r):
    """Return the tangent of the rotation that makes the off-diagonal entry r between the diagonal entries p and q
    vanish."""
    d = (q - p) / (2.0 * r)
    t = 1.0 / (abs(d) + math.sqrt(1.0 + d * d))
    return -t if d < 0.0 else t
