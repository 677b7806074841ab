"""Sphere: size = (radius, 0, 0). Its core is a point."""

from physics.collision.corners import put_corner
from physics.compiler.jit import inline
from physics.data.shape_tables import ShapeReal
from physics.maths.vec import ZERO3


@inline
def support(g, i, d):
    """Returns the point of the core farthest along d, in the shape's frame."""
    return ZERO3


@inline
def bounds(g, i, origin, axes):
    """Returns the middle and the half sizes of a box around the shape, along the world's axes."""
    radius = g.real[i, ShapeReal.SIZE]
    return origin, (radius, radius, radius)


@inline
def feature(g, i, d, room, side):
    """Writes what the core shows along d, a point, to polygon `side`. Returns its number of corners, and the normal of
    the face (zero)."""
    put_corner(room, side, 0, ZERO3, 0)
    return 1, ZERO3
