"""Motion axes N: one to three twists at the anchor, at any angle to each other and of any length.

    rates q of a twist t:  q = (N^T N)^-1 N^T t          t without its part along N:  t - N q

The second is computed axis by axis (Gram-Schmidt); an axis that depends on the earlier ones is skipped.
"""

from physics.compiler.jit import inline, kernel
from physics.data.work_tables import Edges
from physics.maths.inverse import definite_inverse
from physics.maths.vec import add_scaled, dot, load3, sym_mul

# Of its own squared length: what is left of an axis at 1e-5 from those before it is not taken out.
DEPENDENT = 1e-10
# Where the last of three axes is dependent in this sense, the least rates are wanted: two axes that do the same share
# the motion, and none is left in the direction that is lost. Added to the diagonal of N^T N, as a share of it.
SHARED = 1e-8


@inline
def product(av, aw, bv, bw):
    """Return the product av . bv + aw . bw of the twists (av, aw) and (bv, bw)."""
    return dot(av, bv) + dot(aw, bw)


@inline
def load_axis(edge, i, c):
    """Return motion axis c of edge i, a twist (linear, angular)."""
    return load3(edge, i, Edges.AXIS + 6 * c), load3(edge, i, Edges.AXIS + 6 * c + 3)


@kernel
def rates(count, edge, i, lin, ang):
    """Return the three rates q = (N^T N)^-1 N^T t of the twist t = (lin, ang) along the `count` axes of edge i; unused
    rates are 0."""
    if count == 0:
        return 0.0, 0.0, 0.0
    v0, w0 = load_axis(edge, i, 0)
    x0 = product(v0, w0, lin, ang)
    g00 = product(v0, w0, v0, w0)
    if count == 1:
        return x0 / g00, 0.0, 0.0
    v1, w1 = load_axis(edge, i, 1)
    x1 = product(v1, w1, lin, ang)
    g10 = product(v0, w0, v1, w1)
    g11 = product(v1, w1, v1, w1)
    x2 = g20 = g21 = 0.0
    g22 = 1.0
    if count > 2:
        v2, w2 = load_axis(edge, i, 2)
        x2 = product(v2, w2, lin, ang)
        g20 = product(v0, w0, v2, w2)
        g21 = product(v1, w1, v2, w2)
        g22 = product(v2, w2, v2, w2)
        # what is left of the last axis beside the others: (det of all three) / (det of the first two)
        first = g00 * g11 - g10 * g10
        left = g22 - (g00 * g21 * g21 - 2.0 * g10 * g20 * g21 + g11 * g20 * g20) / first
        if left < DEPENDENT * g22:
            g00 *= 1.0 + SHARED
            g11 *= 1.0 + SHARED
            g22 *= 1.0 + SHARED
    return sym_mul(definite_inverse((g00, g10, g11, g20, g21, g22)), (x0, x1, x2))


@inline
def less(lin, ang, v, w):
    """Return the twist (lin, ang) without its part along the twist (v, w)."""
    x = product(v, w, lin, ang) / product(v, w, v, w)
    return add_scaled(lin, -x, v), add_scaled(ang, -x, w)


@kernel
def without(count, edge, i, lin, ang):
    """Return the twist t = (lin, ang) without its part along the `count` axes of edge i, t - N (N^T N)^-1 N^T t."""
    if count == 0:
        return lin, ang
    v0, w0 = load_axis(edge, i, 0)
    lin, ang = less(lin, ang, v0, w0)
    if count == 1:
        return lin, ang
    v1, w1 = load_axis(edge, i, 1)
    size = product(v1, w1, v1, w1)
    v1, w1 = less(v1, w1, v0, w0)
    second = product(v1, w1, v1, w1) > DEPENDENT * size
    if second:
        lin, ang = less(lin, ang, v1, w1)
    if count == 2:
        return lin, ang
    v2, w2 = load_axis(edge, i, 2)
    size = product(v2, w2, v2, w2)
    v2, w2 = less(v2, w2, v0, w0)
    if second:
        v2, w2 = less(v2, w2, v1, w1)
    if product(v2, w2, v2, w2) > DEPENDENT * size:
        lin, ang = less(lin, ang, v2, w2)
    return lin, ang
