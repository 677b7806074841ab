"""Sphere: `size` is (radius, 0, 0). Its core is a point."""

from physics.collision.corners import put_corner
from physics.compiler.jit import inline
from physics.data.shape_tables import ShapeReal
from physics.maths.vec import ZERO3


@inline
def support(g, i, d):
    """Return the core of the sphere, which is its centre. It is the farthest point along every d."""
    return ZERO3


@inline
def bounds(g, i, origin, axes):
    """Return the middle and the half sizes [m] of the box around sphere i along the world's axes."""
    radius = g.real[i, ShapeReal.SIZE]
    return origin, (radius, radius, radius)


@inline
def feature(g, i, d, room, side):
    """Write the core, a point, to polygon `side` of the workspace. Return its number of corners (1), and the zero
    vector in place of a face normal."""
    put_corner(room, side, 0, ZERO3, 0)
    return 1, ZERO3
