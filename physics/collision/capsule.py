"""Capsule about the z axis: `size` is (radius, half length of the segment, 0). Its core is the segment."""

from physics.collision.corners import EDGE, put_corner
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeReal
from physics.maths.vec import ZERO3, load3


@inline
def support(g, i, d):
    """Return the point of the core of capsule i farthest along d. Both are in the shape's frame."""
    half = g.real[i, ShapeReal.SIZE + 1]
    return 0.0, 0.0, half if d[2] >= 0.0 else -half


@inline
def bounds(g, i, origin, axes):
    """Return the middle and the half sizes [m] of a box around shape i along the world's axes. The shape is at
    `origin`, and `axes` is its 3x3 rotation matrix."""
    size = load3(g.real, i, ShapeReal.SIZE)
    half = (
        size[0] + size[1] * abs(axes[2]),
        size[0] + size[1] * abs(axes[5]),
        size[0] + size[1] * abs(axes[8]),
    )
    return origin, half


@kernel
def feature(g, i, d, room, side):
    """Write the feature of the core of capsule i that faces along d to polygon `side` of the workspace: the segment or
    one of its ends. Return its number of corners, and the zero vector in place of a face normal."""
    half = g.real[i, ShapeReal.SIZE + 1]
    if abs(d[2]) < EDGE:
        put_corner(room, side, 0, (0.0, 0.0, -half), 0)
        put_corner(room, side, 1, (0.0, 0.0, half), 1)
        return 2, ZERO3
    if d[2] > 0.0:
        put_corner(room, side, 0, (0.0, 0.0, half), 1)
    else:
        put_corner(room, side, 0, (0.0, 0.0, -half), 0)
    return 1, ZERO3
