"""Boxes around shapes, along the axes of the world."""

from physics.kernels.jit import inline
from physics.kernels.vec import ZERO3, load3, load9
from physics.shapes import box, capsule, cylinder, hull, sphere
from physics.shapes.layout import AXES, BOX, CAPSULE, CYLINDER, HULL, KIND, ORIGIN, SIZE


@inline
def middle_and_half(g, place, i):
    """Middle and half sizes of a box around shape i, which is not a plane. Exact, but for hulls: there it is the box
    around their own box."""
    kind = g.whole[i, KIND]
    axes = load9(place, i, AXES)
    size = load3(g.real, i, SIZE)
    origin = load3(place, i, ORIGIN)
    half = ZERO3
    if kind == HULL:
        shift, half = hull.middle_and_half(g, i, axes)
        origin = (origin[0] + shift[0], origin[1] + shift[1], origin[2] + shift[2])
    elif kind == BOX:
        half = box.half_extents(size, axes)
    elif kind == CAPSULE:
        half = capsule.half_extents(size, axes)
    elif kind == CYLINDER:
        half = cylinder.half_extents(size, axes)
    else:
        half = sphere.half_extents(size)
    return origin, half
