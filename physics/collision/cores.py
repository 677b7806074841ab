"""The separation of any two cores: their distance, or minus their depth if they overlap, and the contact normal.

In every direction n, the separation s(n) is a lower bound of the gap. Therefore the direction that was found may be
replaced by the normal of a face close to it, if the separation along that normal is as large. This makes the normals of
resting bodies exact."""

from physics.collision.features import face_normal
from physics.collision.gjk import separate, witnesses
from physics.collision.polytope import penetrate
from physics.collision.support import core_support, separation
from physics.compiler.jit import kernel
from physics.maths.vec import ZERO3, add_scaled, dot, mul, mul_t, negative, norm, scale

# Two separations that differ by less than this share of the size are the same.
SAME = 1e-9


@kernel
def nearest_points(g, i, j, r, p, far, size, room):
    """Return the separation [m] of the cores of shapes i and j, the unit normal from i to j, and their nearest points,
    in the frame of i. r and p are the rotation and the position of j in this frame. `size` is the sum of the reaches of
    both [m]. A separation beyond `far` is only a lower bound, and the points are then zero."""
    apart, k, v = separate(g, i, j, r, p, room)
    if apart:
        s = norm(v)
        n = scale(-1.0 / s, v)
        if s > far:
            return s, n, ZERO3, ZERO3
        a, b = witnesses(room, k)
    else:
        found, n, depth, a, b = penetrate(g, i, j, r, p, room, k)
        s = -depth
        if not found:
            # the difference of the cores is flat: they are in touch, along the line of their middles
            n = scale(1.0 / norm(p), p) if dot(p, p) > 0.0 else (0.0, 0.0, 1.0)
            s = separation(g, i, j, r, p, n)
            a = core_support(g, i, n)
            b = add_scaled(a, s, n)
    f = face_normal(g, i, n)
    if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
        t = separation(g, i, j, r, p, f)
        if t >= s - SAME * size:
            return max(s, t), f, a, b
    f = face_normal(g, j, negative(mul_t(r, n)))
    if f[0] != 0.0 or f[1] != 0.0 or f[2] != 0.0:
        f = negative(mul(r, f))
        t = separation(g, i, j, r, p, f)
        if t >= s - SAME * size:
            return max(s, t), f, a, b
    return s, n, a, b
