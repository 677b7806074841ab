"""Boxes around shapes, along the axes of the world."""

from physics.collision.kinds import by_kind
from physics.compiler.jit import inline
from physics.data.shape_tables import ShapeIndex, ShapePlace
from physics.maths.vec import ZERO3, load3, load9


@by_kind("bounds", (ZERO3, ZERO3))
def _bounds(kind, g, i, origin, axes):
    """Returns the middle and the half sizes of a box around shape i of this kind, along the world's axes [m]."""


@inline
def middle_and_half(g, place, i):
    """Returns the middle and the half sizes (m, world axes) of a box around shape i, which is not a plane. The box is
    exact, except for a hull: it then contains the hull's own bounding box."""
    origin = load3(place, i, ShapePlace.ORIGIN)
    return _bounds(g.whole[i, ShapeIndex.KIND], g, i, origin, load9(place, i, ShapePlace.AXES))
