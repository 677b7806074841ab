"""Small algebra on tuples of scalars: 3-vectors, 3x3 matrices (row major, nine numbers), packed symmetric 3x3.

A packed symmetric matrix is its lower triangle by rows, (xx, yx, yy, zx, zy, zz). A body's symmetric 6x6 block is
three pieces: `vv` (packed), `wv` (3x3, rows angular, columns linear) and `ww` (packed), stored as 21 numbers, the
lower triangle by rows of the 6x6 matrix in the order (linear, angular).

Scalars in tuples stay in registers; a small numpy array costs a hundred times as much here (see physics/README.md).
"""

import math

from physics.kernels.jit import inline

ZERO3 = (0.0, 0.0, 0.0)
ZERO6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
IDENTITY9 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


# ---------------------------------------------------------------- loads and stores: row i, from column o
@inline
def load3(a, i, o):
    return a[i, o], a[i, o + 1], a[i, o + 2]


@inline
def load4(a, i, o):
    return a[i, o], a[i, o + 1], a[i, o + 2], a[i, o + 3]


@inline
def load6(a, i, o):
    return a[i, o], a[i, o + 1], a[i, o + 2], a[i, o + 3], a[i, o + 4], a[i, o + 5]


@inline
def load9(a, i, o):
    return (
        a[i, o], a[i, o + 1], a[i, o + 2], a[i, o + 3], a[i, o + 4],
        a[i, o + 5], a[i, o + 6], a[i, o + 7], a[i, o + 8],
    )  # fmt: skip


@inline
def store3(a, i, o, v):
    a[i, o] = v[0]
    a[i, o + 1] = v[1]
    a[i, o + 2] = v[2]


@inline
def store4(a, i, o, v):
    a[i, o] = v[0]
    a[i, o + 1] = v[1]
    a[i, o + 2] = v[2]
    a[i, o + 3] = v[3]


@inline
def store6(a, i, o, v):
    a[i, o] = v[0]
    a[i, o + 1] = v[1]
    a[i, o + 2] = v[2]
    a[i, o + 3] = v[3]
    a[i, o + 4] = v[4]
    a[i, o + 5] = v[5]


@inline
def store9(a, i, o, v):
    store6(a, i, o, v)
    a[i, o + 6] = v[6]
    a[i, o + 7] = v[7]
    a[i, o + 8] = v[8]


@inline
def add_to3(a, i, o, v):
    a[i, o] += v[0]
    a[i, o + 1] += v[1]
    a[i, o + 2] += v[2]


# ---------------------------------------------------------------- vectors
@inline
def add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def sub(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def scale(s, a):
    return s * a[0], s * a[1], s * a[2]


@inline
def add_scaled(a, s, b):
    """a + s b"""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inline
def negative(a):
    return -a[0], -a[1], -a[2]


@inline
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


# ---------------------------------------------------------------- 3x3 matrices
@inline
def mul(m, v):
    """m v"""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inline
def mul_t(m, v):
    """m^T v"""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@inline
def mat_mul(a, b):
    """a b"""
    r0 = mul_t(b, (a[0], a[1], a[2]))
    r1 = mul_t(b, (a[3], a[4], a[5]))
    r2 = mul_t(b, (a[6], a[7], a[8]))
    return r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]


@inline
def mat_add(a, b):
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4],
        a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


@inline
def transpose(m):
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@inline
def skew(r):
    """[r]x, so that [r]x v = r x v"""
    return 0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0


@inline
def mat_cross(m, r):
    """m [r]x : each row of m crossed with r"""
    a = cross((m[0], m[1], m[2]), r)
    b = cross((m[3], m[4], m[5]), r)
    c = cross((m[6], m[7], m[8]), r)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


# ---------------------------------------------------------------- packed symmetric 3x3
@inline
def full(s):
    return s[0], s[1], s[3], s[1], s[2], s[4], s[3], s[4], s[5]


@inline
def sym(m):
    """The symmetric part of m, packed."""
    return m[0], 0.5 * (m[1] + m[3]), m[4], 0.5 * (m[2] + m[6]), 0.5 * (m[5] + m[7]), m[8]


@inline
def sym_mul(s, v):
    return (
        s[0] * v[0] + s[1] * v[1] + s[3] * v[2],
        s[1] * v[0] + s[2] * v[1] + s[4] * v[2],
        s[3] * v[0] + s[4] * v[1] + s[5] * v[2],
    )


@inline
def sym_add(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inline
def outer(k, v):
    """k v v^T, packed"""
    a = k * v[0]
    b = k * v[1]
    return a * v[0], b * v[0], b * v[1], k * v[2] * v[0], k * v[2] * v[1], k * v[2] * v[2]


@inline
def rotate_diagonal(r, d):
    """r diag(d) r^T, packed"""
    a0 = r[0] * d[0]
    a1 = r[1] * d[1]
    a2 = r[2] * d[2]
    b0 = r[3] * d[0]
    b1 = r[4] * d[1]
    b2 = r[5] * d[2]
    return (
        a0 * r[0] + a1 * r[1] + a2 * r[2],
        b0 * r[0] + b1 * r[1] + b2 * r[2],
        b0 * r[3] + b1 * r[4] + b2 * r[5],
        r[6] * d[0] * r[0] + r[7] * d[1] * r[1] + r[8] * d[2] * r[2],
        r[6] * d[0] * r[3] + r[7] * d[1] * r[4] + r[8] * d[2] * r[5],
        r[6] * d[0] * r[6] + r[7] * d[1] * r[7] + r[8] * d[2] * r[8],
    )


# ---------------------------------------------------------------- 6x6 blocks
@inline
def load_block(a, i):
    """(vv, wv, ww) of the packed 6x6 block in row i"""
    return (
        (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5]),
        (a[i, 6], a[i, 7], a[i, 8], a[i, 10], a[i, 11], a[i, 12], a[i, 15], a[i, 16], a[i, 17]),
        (a[i, 9], a[i, 13], a[i, 14], a[i, 18], a[i, 19], a[i, 20]),
    )


@inline
def store_block(a, i, o, vv, wv, ww):
    store6(a, i, o, vv)
    store3(a, i, o + 6, (wv[0], wv[1], wv[2]))
    a[i, o + 9] = ww[0]
    store3(a, i, o + 10, (wv[3], wv[4], wv[5]))
    a[i, o + 13] = ww[1]
    a[i, o + 14] = ww[2]
    store3(a, i, o + 15, (wv[6], wv[7], wv[8]))
    a[i, o + 18] = ww[3]
    a[i, o + 19] = ww[4]
    a[i, o + 20] = ww[5]


@inline
def add_to_block(a, i, vv, wv, ww):
    a[i, 0] += vv[0]
    a[i, 1] += vv[1]
    a[i, 2] += vv[2]
    a[i, 3] += vv[3]
    a[i, 4] += vv[4]
    a[i, 5] += vv[5]
    a[i, 6] += wv[0]
    a[i, 7] += wv[1]
    a[i, 8] += wv[2]
    a[i, 9] += ww[0]
    a[i, 10] += wv[3]
    a[i, 11] += wv[4]
    a[i, 12] += wv[5]
    a[i, 13] += ww[1]
    a[i, 14] += ww[2]
    a[i, 15] += wv[6]
    a[i, 16] += wv[7]
    a[i, 17] += wv[8]
    a[i, 18] += ww[3]
    a[i, 19] += ww[4]
    a[i, 20] += ww[5]


@inline
def shift_block(vv, wv, ww, r):
    """X^T A X with X = [[1, [r]x], [0, 1]]: the block seen at the point r away.

    wv' = wv - [r]x vv,   ww' = ww + (wv [r]x)^T + wv' [r]x
    """
    f = full(vv)
    c = mat_cross(f, r)  # vv [r]x ; ([r]x vv) = -(vv [r]x)^T, so wv' = wv + (vv [r]x)^T
    wv2 = (
        wv[0] + c[0], wv[1] + c[3], wv[2] + c[6],
        wv[3] + c[1], wv[4] + c[4], wv[5] + c[7],
        wv[6] + c[2], wv[7] + c[5], wv[8] + c[8],
    )  # fmt: skip
    k1 = mat_cross(wv, r)
    k2 = mat_cross(wv2, r)
    ww2 = (
        ww[0] + k1[0] + k2[0],
        ww[1] + k1[1] + k2[3],
        ww[2] + k1[4] + k2[4],
        ww[3] + k1[2] + k2[6],
        ww[4] + k1[5] + k2[7],
        ww[5] + k1[8] + k2[8],
    )
    return vv, wv2, ww2


@inline
def block_mul(vv, wv, ww, v, w):
    """The 6x6 block times (v, w): linear and angular part."""
    return add(sym_mul(vv, v), mul_t(wv, w)), add(mul(wv, v), sym_mul(ww, w))
