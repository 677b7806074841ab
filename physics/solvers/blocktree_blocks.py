"""3 x 3 blocks and vectors in a flat array, such as the values of a block tree: loads, stores, and products.

`v` is the flat array, `o` a place in it; symmetric blocks are packed lower triangles of six numbers.
"""

from physics.compiler.jit import inline
from physics.maths.vec import mul_t


# ---------------------------------------------------------------- flat loads and stores
@inline
def at3(v, o):
    """Return the three numbers of v from place o on."""
    return v[o], v[o + 1], v[o + 2]


@inline
def at6(v, o):
    """Return the six numbers of v from place o on."""
    return v[o], v[o + 1], v[o + 2], v[o + 3], v[o + 4], v[o + 5]


@inline
def at9(v, o):
    """Return the nine numbers of v from place o on."""
    return v[o], v[o + 1], v[o + 2], v[o + 3], v[o + 4], v[o + 5], v[o + 6], v[o + 7], v[o + 8]


@inline
def at_rows(v, o, stride):
    """Return the 3x3 matrix at place o of v, whose rows are `stride` apart."""
    p = o + stride
    q = p + stride
    return v[o], v[o + 1], v[o + 2], v[p], v[p + 1], v[p + 2], v[q], v[q + 1], v[q + 2]


@inline
def put3(v, o, a):
    """Write the three numbers a to v from place o on."""
    v[o] = a[0]
    v[o + 1] = a[1]
    v[o + 2] = a[2]


@inline
def put6(v, o, a):
    """Write the six numbers a to v from place o on."""
    put3(v, o, (a[0], a[1], a[2]))
    put3(v, o + 3, (a[3], a[4], a[5]))


@inline
def put_rows(v, o, stride, m):
    """Write the 3x3 matrix m to v from place o on, with rows `stride` apart."""
    put3(v, o, (m[0], m[1], m[2]))
    put3(v, o + stride, (m[3], m[4], m[5]))
    put3(v, o + 2 * stride, (m[6], m[7], m[8]))


@inline
def take3(v, o, a):
    """Subtract a from the three numbers of v at place o."""
    v[o] -= a[0]
    v[o + 1] -= a[1]
    v[o + 2] -= a[2]


@inline
def take_rows(v, o, stride, m):
    """Subtract m from the 3x3 matrix at place o of v, whose rows are `stride` apart."""
    take3(v, o, (m[0], m[1], m[2]))
    take3(v, o + stride, (m[3], m[4], m[5]))
    take3(v, o + 2 * stride, (m[6], m[7], m[8]))


@inline
def take6(v, o, a):
    """Subtract a from the six numbers of v at place o."""
    take3(v, o, (a[0], a[1], a[2]))
    take3(v, o + 3, (a[3], a[4], a[5]))


@inline
def take_angular(v, a, ww):
    """Subtract the packed block ww from the lower right 3x3 of the packed 6x6 matrix at place a of v."""
    v[a + 9] -= ww[0]
    v[a + 13] -= ww[1]
    v[a + 14] -= ww[2]
    v[a + 18] -= ww[3]
    v[a + 19] -= ww[4]
    v[a + 20] -= ww[5]


@inline
def take_six(v, a, vv, wv, ww):
    """Subtract the block (vv, wv, ww) from the packed 6x6 matrix at place a of v."""
    take6(v, a, vv)
    take3(v, a + 6, (wv[0], wv[1], wv[2]))
    take3(v, a + 10, (wv[3], wv[4], wv[5]))
    take3(v, a + 15, (wv[6], wv[7], wv[8]))
    take_angular(v, a, ww)


# ---------------------------------------------------------------- products of 3x3 blocks
@inline
def product_t(a, b):
    """Return a^T b of two 3x3 matrices."""
    r0 = mul_t(b, (a[0], a[3], a[6]))
    r1 = mul_t(b, (a[1], a[4], a[7]))
    r2 = mul_t(b, (a[2], a[5], a[8]))
    return r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]


@inline
def square_t(a, b):
    """Return a^T b of two 3x3 matrices, packed, for a symmetric product."""
    return (
        a[0] * b[0] + a[3] * b[3] + a[6] * b[6],
        a[1] * b[0] + a[4] * b[3] + a[7] * b[6],
        a[1] * b[1] + a[4] * b[4] + a[7] * b[7],
        a[2] * b[0] + a[5] * b[3] + a[8] * b[6],
        a[2] * b[1] + a[5] * b[4] + a[8] * b[7],
        a[2] * b[2] + a[5] * b[5] + a[8] * b[8],
    )


@inline
def rank_one(a, b):
    """Return the 3x3 matrix a b^T of two vectors."""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[0], a[1] * b[1], a[1] * b[2], a[2] * b[0], a[2] * b[1],
        a[2] * b[2],
    )  # fmt: skip


@inline
def less9(a, b):
    """Return a - b of two 3x3 matrices."""
    return (
        a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4],
        a[5] - b[5], a[6] - b[6], a[7] - b[7], a[8] - b[8],
    )  # fmt: skip
