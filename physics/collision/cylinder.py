"""Cylinder about the z axis: size = (radius, half length, 0)."""

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
    """Return the middle (m, world axes) and the half sizes [m] of a box around shape i along the world's axes: h |a| +
    r sqrt(1 - a^2), where a is the component of the cylinder's axis. `axes` is the 3x3 rotation matrix of the shape."""
    size = load3(g.real, i, ShapeReal.SIZE)
    return origin, (_extent(size, axes[2]), _extent(size, axes[5]), _extent(size, axes[8]))


@inline
def _extent(size, a):
    """Returns the half size h |a| + r sqrt(1 - a^2) along one axis of the world, on which the unit vector of the
    cylinder's axis has the component a."""
    return size[1] * abs(a) + size[0] * math.sqrt(max(0.0, 1.0 - a * a))


@kernel
def feature(g, i, d, room, side):
    """Write the end, the line of the mantle or the point of the rim of cylinder i that lies along d to polygon `side`
    of the workspace. Return its number of corners, and the normal of the end (zero for lines and points)."""
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
    """Return the outward normal, in the shape's frame, of the end within the angle of `FACE` of the unit vector d; zero
    if there is none."""
    if abs(d[2]) > FACE:
        return 0.0, 0.0, 1.0 if d[2] > 0.0 else -1.0
    return ZERO3
