"""Boxes around shapes, along the axes of the world."""

from physics.collision.kinds import by_kind
from physics.compiler.jit import inline
from physics.data.shape_tables import ShapeIndex, ShapePlace
from physics.maths.vec import ZERO3, load3, load9


@by_kind("bounds", (ZERO3, ZERO3))
def _bounds(kind, g, i, origin, axes):
    """Return the middle (m, world axes) and the half sizes [m] of a box along the world's axes around shape i, whose
    kind is `kind`. `axes` is the 3x3 rotation matrix of the shape."""


@inline
def middle_and_half(g, place, i):
    """Return the middle and the half sizes (m, world axes) of a box around shape i, which is not a plane. The box is
    exact for every kind but hulls; for a hull it encloses the bounding box along the hull's own axes."""
    origin = load3(place, i, ShapePlace.ORIGIN)
    return _bounds(g.whole[i, ShapeIndex.KIND], g, i, origin, load9(place, i, ShapePlace.AXES))
