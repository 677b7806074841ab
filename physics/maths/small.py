"""Dense LDL^T of run-time size inside a flat array, for blocks whose dimension is known only when the model is built.

The matrix of size n is stored by columns from offset o on: element (row, column) at o + column n + row; only the lower
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
    v0 = (1.0, 0.0, 0.0)  # the axes
    v1 = (0.0, 1.0, 0.0)
    v2 = (0.0, 0.0, 1.0)
    size = abs(a00) + abs(a11) + abs(a22) + abs(a10) + abs(a20) + abs(a21)
    for _ in range(12):
        if abs(a10) + abs(a20) + abs(a21) <= 1e-16 * size:
            break
        if a10 != 0.0:
            a00, a11, a20, a21, v0, v1 = _jacobi_rotation(a00, a11, a10, a20, a21, v0, v1)
            a10 = 0.0
        if a20 != 0.0:
            a00, a22, a10, a21, v0, v2 = _jacobi_rotation(a00, a22, a20, a10, a21, v0, v2)
            a20 = 0.0
        if a21 != 0.0:
            a11, a22, a10, a20, v1, v2 = _jacobi_rotation(a11, a22, a21, a10, a20, v1, v2)
            a21 = 0.0
    e0 = max(a00, 0.0)
    e1 = max(a11, 0.0)
    e2 = max(a22, 0.0)
    return (
        e0 * v0[0] * v0[0] + e1 * v1[0] * v1[0] + e2 * v2[0] * v2[0],
        e0 * v0[1] * v0[0] + e1 * v1[1] * v1[0] + e2 * v2[1] * v2[0],
        e0 * v0[1] * v0[1] + e1 * v1[1] * v1[1] + e2 * v2[1] * v2[1],
        e0 * v0[2] * v0[0] + e1 * v1[2] * v1[0] + e2 * v2[2] * v2[0],
        e0 * v0[2] * v0[1] + e1 * v1[2] * v1[1] + e2 * v2[2] * v2[1],
        e0 * v0[2] * v0[2] + e1 * v1[2] * v1[2] + e2 * v2[2] * v2[2],
    )


@kernel
def _jacobi_rotation(p, q, r, x, y, u, v):
    """Rotate two axes u and v of a symmetric matrix so that the off-diagonal r between their diagonals p and q
    vanishes. x and y are their off-diagonals with the third axis. Return the new p, q, x, y, u, v."""
    t = _jacobi_tangent(p, q, r)
    c = 1.0 / math.sqrt(1.0 + t * t)
    n = t * c
    turned = (c * u[0] - n * v[0], c * u[1] - n * v[1], c * u[2] - n * v[2])
    v = (n * u[0] + c * v[0], n * u[1] + c * v[1], n * u[2] + c * v[2])
    return p - t * r, q + t * r, c * x - n * y, n * x + c * y, turned, v


@kernel
def _jacobi_tangent(p, q, r):
    """Return the tangent of the rotation that makes the off-diagonal entry r between the diagonal entries p and q
    vanish."""
    d = (q - p) / (2.0 * r)
    t = 1.0 / (abs(d) + math.sqrt(1.0 + d * d))
    return -t if d < 0.0 else t
