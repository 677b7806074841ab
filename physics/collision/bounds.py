"""Boxes around shapes, along the axes of the world."""

from physics.collision.kinds import by_kind
from physics.compiler.jit import inline
from physics.data.shape_tables import ShapeIndex, ShapePlace
from physics.maths.vec import ZERO3, load3, load9


@by_kind("bounds", (ZERO3, ZERO3))
def _bounds(kind, g, i, origin, axes):
    """Return the middle and the half sizes [m] of a box around shape i, which is of this kind. The box is along the
    world's axes."""


@inline
def middle_and_half(g, place, i):
    """Return the middle and the half sizes [m] of a box around shape i, along the world's axes. The shape must not be a
    plane. The box is the smallest, except for a hull: there it contains the bounding box in the axes of the hull."""
    origin = load3(place, i, ShapePlace.ORIGIN)
    return _bounds(g.whole[i, ShapeIndex.KIND], g, i, origin, load9(place, i, ShapePlace.AXES))
