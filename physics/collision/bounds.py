"""Boxes around shapes, along the axes of the world."""

from physics.collision import box, capsule, cylinder, hull, sphere
from physics.compiler.jit import inline
from physics.data.shape_tables import ShapeIndex, ShapeKind, ShapePlace, ShapeReal
from physics.maths.vec import ZERO3, load3, load9


@inline
def middle_and_half(g, place, i):
    """Returns the middle and the half sizes (m, world axes) of a box around shape i, which is not a plane. The box is
    exact, but for hulls: there it is the box around their own box."""
    kind = g.whole[i, ShapeIndex.KIND]
    axes = load9(place, i, ShapePlace.AXES)
    size = load3(g.real, i, ShapeReal.SIZE)
    origin = load3(place, i, ShapePlace.ORIGIN)
    half = ZERO3
    if kind == ShapeKind.HULL:
        shift, half = hull.middle_and_half(g, i, axes)
        origin = (origin[0] + shift[0], origin[1] + shift[1], origin[2] + shift[2])
    elif kind == ShapeKind.BOX:
        half = box.half_extents(size, axes)
    elif kind == ShapeKind.CAPSULE:
        half = capsule.half_extents(size, axes)
    elif kind == ShapeKind.CYLINDER:
        half = cylinder.half_extents(size, axes)
    else:
        half = sphere.half_extents(size)
    return origin, half
