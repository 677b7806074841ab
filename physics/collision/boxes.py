"""The separation of two boxes. It is the largest of the separations along fifteen directions; no other direction needs
to be tried [Gottschalk96].

    s(n) = |p . n| - sum_k a_k |n_k| - sum_k b_k |n . r_k|,   n a face normal of either, or e_k x r_l / |e_k x r_l|

Here p is the position of the second box relative to the first, a_k and b_k are the half sizes, and e_k and r_k the axes
of the two boxes. If the boxes overlap, the largest s is minus the depth. If they are apart, it is at most their
distance."""

import math

from physics.compiler.jit import kernel
from physics.maths.vec import cross, dot, negative, scale

# Edges that differ by less than this sine give no direction of their own.
ALIGNED = 1e-6
# An edge direction must gain this share of the size over a face: faces give more contact points.
PREFER_FACE = 1e-9


@kernel
def widest(a, b, r, p):
    """Return (s, n): the largest separation of two boxes [m], and its direction, a unit vector from the first box to
    the second in the frame of the first. a and b are the half sizes [m]. r and p are the rotation and the position of
    the second box in the frame of the first."""
    best = -math.inf
    n = (0.0, 0.0, 1.0)
    for k in range(3):
        s = abs(p[k]) - a[k] - (abs(r[3 * k]) * b[0] + abs(r[3 * k + 1]) * b[1] + abs(r[3 * k + 2]) * b[2])
        if s > best:
            best = s
            sign = 1.0 if p[k] >= 0.0 else -1.0
            n = (sign if k == 0 else 0.0, sign if k == 1 else 0.0, sign if k == 2 else 0.0)
    size = a[0] + a[1] + a[2] + b[0] + b[1] + b[2]
    for k in range(3):
        e = (r[k], r[3 + k], r[6 + k])
        along = dot(p, e)
        s = abs(along) - b[k] - (abs(e[0]) * a[0] + abs(e[1]) * a[1] + abs(e[2]) * a[2])
        if s > best + PREFER_FACE * size:
            best = s
            n = e if along >= 0.0 else negative(e)
    limit = best + PREFER_FACE * size
    for k in range(3):
        axis = (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
        for m in range(3):
            e = cross(axis, (r[m], r[3 + m], r[6 + m]))
            square = dot(e, e)
            if square < ALIGNED * ALIGNED:
                continue
            e = scale(1.0 / math.sqrt(square), e)
            along = dot(p, e)
            s = abs(along) - (abs(e[0]) * a[0] + abs(e[1]) * a[1] + abs(e[2]) * a[2])
            for q in range(3):
                s -= b[q] * abs(dot(e, (r[q], r[3 + q], r[6 + q])))
            if s > limit:
                best = s
                limit = s
                n = e if along >= 0.0 else negative(e)
    return best, n
