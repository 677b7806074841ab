"""Cylinder about the z axis: `size` is (radius, half length, 0)."""

import math

from physics.collision.corners import EDGE, FACE, put_corner
from physics.collision.workspace import ROUND
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeReal
from physics.maths.elementary import cosine, sine
from physics.maths.vec import ZERO3, load3

# Numbers of the corners: the round of the upper end, of the lower one, ends of a line on the mantle, a point of the
# rim.
UPPER, LOWER, LINE, RIM = 0, ROUND, 2 * ROUND, 2 * ROUND + 2
# cosines and sines of the corners that stand for a round end
ROUND_COS = tuple(cosine(2.0 * math.pi * k / ROUND) for k in range(ROUND))
ROUND_SIN = tuple(sine(2.0 * math.pi * k / ROUND) for k in range(ROUND))


@inline
def support(g, i, d):
    """Return the point of cylinder i farthest along d. Both are in the shape's frame."""
    size = load3(g.real, i, ShapeReal.SIZE)
    h = size[1] if d[2] >= 0.0 else -size[1]
    s = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if s > 0.0:
        f = size[0] / s
        return f * d[0], f * d[1], h
    return size[0], 0.0, h


@inline
def bounds(g, i, origin, axes):
    """Return the middle and the half sizes [m] of a box around shape i along the world's axes. The shape is at
    `origin`, and `axes` is its 3x3 rotation matrix."""
    size = load3(g.real, i, ShapeReal.SIZE)
    return origin, (_extent(size, axes[2]), _extent(size, axes[5]), _extent(size, axes[8]))


@inline
def _extent(size, a):
    """Return the half size h |a| + r sqrt(1 - a^2) along one axis of the world, for a cylinder with the radius r and
    the half length h. a is the component of the cylinder's axis, a unit vector, along this axis of the world."""
    return size[1] * abs(a) + size[0] * math.sqrt(max(0.0, 1.0 - a * a))


@kernel
def feature(g, i, d, room, side):
    """Write the feature of cylinder i that faces along d to polygon `side` of the workspace: an end, a line of the
    curved surface, or a point of a rim. Return its number of corners, and the normal of the end (zero for a line or a
    point)."""
    size = load3(g.real, i, ShapeReal.SIZE)
    if abs(d[2]) > FACE:
        up = d[2] > 0.0
        for k in range(ROUND):
            # clockwise in its own x, y where the lower end is seen from outside
            m = k if up else ROUND - 1 - k
            x = (size[0] * ROUND_COS[m], size[0] * ROUND_SIN[m], size[1] if up else -size[1])
            put_corner(room, side, k, x, (UPPER if up else LOWER) + m)
        return ROUND, (0.0, 0.0, 1.0 if up else -1.0)
    s = size[0] / math.sqrt(d[0] * d[0] + d[1] * d[1])
    if abs(d[2]) < EDGE:
        put_corner(room, side, 0, (s * d[0], s * d[1], -size[1]), LINE)
        put_corner(room, side, 1, (s * d[0], s * d[1], size[1]), LINE + 1)
        return 2, ZERO3
    put_corner(room, side, 0, (s * d[0], s * d[1], size[1] if d[2] > 0.0 else -size[1]), RIM)
    return 1, ZERO3


@inline
def face(g, i, d):
    """Return the outward normal, in the shape's frame, of the end whose normal is within 15 degrees (cosine `FACE`) of
    the unit vector d. If there is none, return zero."""
    if abs(d[2]) > FACE:
        return 0.0, 0.0, 1.0 if d[2] > 0.0 else -1.0
    return ZERO3
