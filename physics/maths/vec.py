"""Small algebra on tuples of scalars: 3-vectors, 3x3 matrices (row major, nine numbers), packed symmetric 3x3.

A packed symmetric matrix is its lower triangle by rows, (xx, yx, yy, zx, zy, zz). A body's symmetric 6x6 block is
three pieces: `vv` (packed), `wv` (3x3, rows angular, columns linear) and `ww` (packed), stored as 21 numbers, the
lower triangle by rows of the 6x6 matrix in the order (linear, angular).

Scalars in tuples stay in registers; a small numpy array would cost a hundred times as much here.
"""

import math

from physics.compiler.jit import inline
from physics.maths.columns import adder, loader, storer

ZERO3 = (0.0, 0.0, 0.0)
ZERO6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
IDENTITY9 = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


# ---------------------------------------------------------------- loads and stores: row i, from column o
load3, load4, load6, load9, load12, load21 = (loader(count) for count in (3, 4, 6, 9, 12, 21))
store3, store4, store6, store9, store12, store21 = (storer(count) for count in (3, 4, 6, 9, 12, 21))
add_to3, add_to21 = (adder(count) for count in (3, 21))


@inline
def clear3(a, o):
    """Set three columns of every row of `a` to 0, from column o on."""
    for i in range(a.shape[0]):
        store3(a, i, o, ZERO3)


# ---------------------------------------------------------------- vectors
@inline
def add(a, b):
    """Return the sum a + b of two vectors."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inline
def sub(a, b):
    """Return the difference a - b of two vectors."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inline
def scale(s, a):
    """Return the vector s a."""
    return s * a[0], s * a[1], s * a[2]


@inline
def add_scaled(a, s, b):
    """Return the vector a + s b."""
    return a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]


@inline
def negative(a):
    """Return the vector -a."""
    return -a[0], -a[1], -a[2]


@inline
def dot(a, b):
    """Return the scalar product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inline
def cross(a, b):
    """Return the vector product a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inline
def norm(a):
    """Return the length of a vector."""
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


# ---------------------------------------------------------------- 3x3 matrices
@inline
def mul(m, v):
    """Return the product m v of a 3x3 matrix and a vector."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@inline
def mul_t(m, v):
    """Return the product m^T v of a transposed 3x3 matrix and a vector."""
    return (
        m[0] * v[0] + m[3] * v[1] + m[6] * v[2],
        m[1] * v[0] + m[4] * v[1] + m[7] * v[2],
        m[2] * v[0] + m[5] * v[1] + m[8] * v[2],
    )


@inline
def mat_mul(a, b):
    """Return the product a b of two 3x3 matrices."""
    r0 = mul_t(b, (a[0], a[1], a[2]))
    r1 = mul_t(b, (a[3], a[4], a[5]))
    r2 = mul_t(b, (a[6], a[7], a[8]))
    return r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]


@inline
def mat_add(a, b):
    """Return the sum a + b of two 3x3 matrices."""
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4],
        a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


@inline
def mat_negative(m):
    """Return -m, of a 3x3 matrix."""
    return -m[0], -m[1], -m[2], -m[3], -m[4], -m[5], -m[6], -m[7], -m[8]


@inline
def transpose(m):
    """Return the transpose of a 3x3 matrix."""
    return m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]


@inline
def skew(r):
    """Return the matrix [r]x with [r]x v = r x v."""
    return 0.0, -r[2], r[1], r[2], 0.0, -r[0], -r[1], r[0], 0.0


@inline
def mat_cross(m, r):
    """Return m [r]x: each row of m crossed with r."""
    a = cross((m[0], m[1], m[2]), r)
    b = cross((m[3], m[4], m[5]), r)
    c = cross((m[6], m[7], m[8]), r)
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


# ---------------------------------------------------------------- packed symmetric 3x3
@inline
def full(s):
    """Return the 3x3 matrix, row by row, of a packed symmetric one."""
    return s[0], s[1], s[3], s[1], s[2], s[4], s[3], s[4], s[5]


@inline
def sym(m):
    """Return the symmetric part of a 3x3 matrix, packed."""
    return m[0], 0.5 * (m[1] + m[3]), m[4], 0.5 * (m[2] + m[6]), 0.5 * (m[5] + m[7]), m[8]


@inline
def sym_mul(s, v):
    """Return the product s v of a packed symmetric matrix and a vector."""
    return (
        s[0] * v[0] + s[1] * v[1] + s[3] * v[2],
        s[1] * v[0] + s[2] * v[1] + s[4] * v[2],
        s[3] * v[0] + s[4] * v[1] + s[5] * v[2],
    )


@inline
def sym_add(a, b):
    """Return the sum a + b of two packed symmetric matrices."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inline
def outer(k, v):
    """Return the matrix k v v^T, packed."""
    a = k * v[0]
    b = k * v[1]
    return a * v[0], b * v[0], b * v[1], k * v[2] * v[0], k * v[2] * v[1], k * v[2] * v[2]


@inline
def rotate_diagonal(r, d):
    """Return the matrix r diag(d) r^T, packed, of a 3x3 matrix r and three numbers d."""
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
def load_block(a, i, o):
    """Return (vv, wv, ww) of the packed 6x6 block in row i, from column o on."""
    b = load21(a, i, o)
    return (
        (b[0], b[1], b[2], b[3], b[4], b[5]),
        (b[6], b[7], b[8], b[10], b[11], b[12], b[15], b[16], b[17]),
        (b[9], b[13], b[14], b[18], b[19], b[20]),
    )


@inline
def packed_block(vv, wv, ww):
    """Return the 21 numbers of the 6x6 block with the pieces vv, wv and ww."""
    return (
        vv[0], vv[1], vv[2], vv[3], vv[4], vv[5],
        wv[0], wv[1], wv[2], ww[0], wv[3], wv[4], wv[5], ww[1], ww[2], wv[6], wv[7], wv[8], ww[3], ww[4], ww[5],
    )  # fmt: skip


@inline
def store_block(a, i, o, vv, wv, ww):
    """Write the 6x6 block with the pieces vv, wv, ww to row i of `a`, from column o on."""
    store21(a, i, o, packed_block(vv, wv, ww))


@inline
def add_to_block(a, i, vv, wv, ww):
    """Add the 6x6 block with the pieces vv, wv, ww to the first 21 columns of row i of `a`."""
    add_to21(a, i, 0, packed_block(vv, wv, ww))


@inline
def shift_block(vv, wv, ww, r):
    """Return the pieces of X^T A X with X = [[1, [r]x], [0, 1]]: the 6x6 block A referred to the point that lies at r
    from its own. In terms of the pieces,

    wv' = wv - [r]x vv,   ww' = ww + (wv [r]x)^T + wv' [r]x"""
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
def less_product(vv, wv, ww, uv, uw, gv, gw):
    """Return the packed block less the lower triangle of u g^T. The product must be symmetric, or be a term of a sum
    that is."""
    vv = (
        vv[0] - uv[0] * gv[0], vv[1] - uv[1] * gv[0], vv[2] - uv[1] * gv[1],
        vv[3] - uv[2] * gv[0], vv[4] - uv[2] * gv[1], vv[5] - uv[2] * gv[2],
    )  # fmt: skip
    wv = (
        wv[0] - uw[0] * gv[0], wv[1] - uw[0] * gv[1], wv[2] - uw[0] * gv[2],
        wv[3] - uw[1] * gv[0], wv[4] - uw[1] * gv[1], wv[5] - uw[1] * gv[2],
        wv[6] - uw[2] * gv[0], wv[7] - uw[2] * gv[1], wv[8] - uw[2] * gv[2],
    )  # fmt: skip
    ww = (
        ww[0] - uw[0] * gw[0], ww[1] - uw[1] * gw[0], ww[2] - uw[1] * gw[1],
        ww[3] - uw[2] * gw[0], ww[4] - uw[2] * gw[1], ww[5] - uw[2] * gw[2],
    )  # fmt: skip
    return vv, wv, ww


@inline
def add_to_angular(a, i, ww):
    """Add the packed 3x3 matrix ww to the angular part of the 6x6 block in row i."""
    a[i, 9] += ww[0]
    a[i, 13] += ww[1]
    a[i, 14] += ww[2]
    a[i, 18] += ww[3]
    a[i, 19] += ww[4]
    a[i, 20] += ww[5]


@inline
def block_mul(vv, wv, ww, v, w):
    """Return the product of a 6x6 block and (v, w), as a linear and an angular part."""
    return add(sym_mul(vv, v), mul_t(wv, w)), add(mul(wv, v), sym_mul(ww, w))
