"""The nearest shape that a ray meets.

A ray that starts inside a shape leaves it unseen, so that a camera inside a body does not hit that body.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.collision import box, capsule, cylinder, hull, plane, sphere
from physics.collision.geometry import Geometry
from physics.compiler.jit import entry, kernel
from physics.data.model import Floats
from physics.data.shape_tables import ShapeIndex, ShapeKind, ShapePlace, ShapeReal
from physics.definitions.checks import DefinitionError, Vector, finite_numbers
from physics.maths.strict import norm
from physics.maths.vec import add_scaled, dot, load3, load9, mul, mul_t, sub


class Hit(NamedTuple):
    shape: int  # row of the geometry
    body: int  # its owner, -1 for the world
    point: Floats
    normal: Floats  # outward
    distance: float


def ray_cast(geometry: Geometry, place: Floats, origin: Vector, direction: Vector) -> Hit | None:
    """The first surface along the ray, or None. `direction` need not have length one; the distance is in metres."""
    o = np.array(finite_numbers("origin of a ray", origin, 3))
    d = np.array(finite_numbers("direction of a ray", direction, 3))
    length = norm(d)
    if length == 0.0:
        raise DefinitionError("direction of a ray", direction, "a vector that is not zero")
    d /= length
    normal = np.zeros(3)
    shape, distance = cast(geometry, place, o, d, normal)
    if shape < 0:
        return None
    return Hit(shape, int(geometry.whole[shape, ShapeIndex.OWNER]), o + distance * d, normal, float(distance))


@entry
def cast(geometry, place, origin, direction, normal):
    """Number of the nearest shape along the unit direction (-1: none), its distance; fills the normal."""
    g = geometry
    o = (origin[0], origin[1], origin[2])
    d = (direction[0], direction[1], direction[2])
    best = math.inf
    hit = -1
    for i in range(g.whole.shape[0]):
        c = sub(load3(place, i, ShapePlace.ORIGIN), o)
        r = g.real[i, ShapeReal.REACH]
        along = dot(c, d)
        # how far the ray passes from the middle, and where it can enter at the earliest
        if along + r < 0.0 or along - r > best:
            continue
        off = add_scaled(c, -along, d)
        if dot(off, off) > r * r:
            continue
        axes = load9(place, i, ShapePlace.AXES)
        t, n = _ray(g, i, mul_t(axes, (-c[0], -c[1], -c[2])), mul_t(axes, d))
        if t < best:
            best = t
            hit = i
            n = mul(axes, n)
            normal[0] = n[0]
            normal[1] = n[1]
            normal[2] = n[2]
    return hit, best


@kernel
def _ray(g, i, o, d):
    """Distance and normal in the shape's frame."""
    kind = g.whole[i, ShapeIndex.KIND]
    size = load3(g.real, i, ShapeReal.SIZE)
    if kind == ShapeKind.SPHERE:
        return sphere.ray(size, o, d)
    if kind == ShapeKind.CAPSULE:
        return capsule.ray(size, o, d)
    if kind == ShapeKind.BOX:
        return box.ray(size, o, d)
    if kind == ShapeKind.CYLINDER:
        return cylinder.ray(size, o, d)
    if kind == ShapeKind.PLANE:
        return plane.ray(o, d)
    return hull.ray(g, i, o, d)
