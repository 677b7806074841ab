"""The kinds of shapes, and the kernels of each. The number of a kind (`ShapeIndex.KIND`) is its index in `KINDS`.

In a pair of shapes, the one whose kind has the lower number is the first. `support.py`, `bounds.py` and `features.py`
make one kernel out of each column of the table. `pairs.py` has the pairs of kinds that are solved in closed form."""

from collections.abc import Callable
from typing import Any, NamedTuple

from physics.collision import box, capsule, cylinder, hull, sphere
from physics.collision.corners import no_face
from physics.compiler.by_code import call_by_code
from physics.compiler.jit import kernel
from physics.definitions.shapes.box import Box
from physics.definitions.shapes.capsule import Capsule
from physics.definitions.shapes.cylinder import Cylinder
from physics.definitions.shapes.hull import Hull
from physics.definitions.shapes.plane import Plane
from physics.definitions.shapes.shape import Shape, Solid
from physics.definitions.shapes.sphere import Sphere


class Kind(NamedTuple):
    """A kind of shape: its definition and its kernels. Directions, points and normals are in the frame of the shape. g
    are the tables of `make_geometry`, and i is the row of the shape."""

    definition: type[Solid]
    support: Any  # (g, i, d) -> the point of the core farthest along d
    bounds: Any  # (g, i, origin, axes) -> middle and half sizes of a box around the shape, along the world's axes
    feature: Any  # (g, i, d, room, side) -> number of corners, normal: the face, edge or corner that lies against d
    face: Any  # (g, i, d) -> normal of the face that looks along d, or zero; `no_face` for round shapes


KINDS = (
    Kind(Sphere, sphere.support, sphere.bounds, sphere.feature, no_face),
    Kind(Capsule, capsule.support, capsule.bounds, capsule.feature, no_face),
    Kind(Box, box.support, box.bounds, box.feature, box.face),
    Kind(Cylinder, cylinder.support, cylinder.bounds, cylinder.feature, cylinder.face),
    Kind(Hull, hull.support, hull.bounds, hull.feature, hull.face),
)
# The half space is no solid: it has neither support nor bounds, and `narrow.py` handles it with every kind.
PLANE = 0
NUMBERS: dict[type[Shape], int] = {Plane: PLANE, **{kind.definition: k for k, kind in enumerate(KINDS, 1)}}
COUNT = len(NUMBERS)
SPHERE, CAPSULE = NUMBERS[Sphere], NUMBERS[Capsule]

if len(NUMBERS) != 1 + len(KINDS) or len({definition.label for definition in NUMBERS}) != COUNT:
    raise TypeError("two kinds of shape have one definition or one label")


def by_kind(name: str, nothing: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for an empty function whose first argument is the number of a kind. It turns the function into
    a kernel that calls the kernel of this kind in column `name` of `KINDS`. `nothing` has the type of the results. It
    is never returned, because `make_geometry` refuses shapes whose kind is not in the table."""

    def made(spec: Callable[..., Any]) -> Any:
        return kernel(call_by_code(spec, {NUMBERS[kind.definition]: getattr(kind, name) for kind in KINDS}, nothing))

    return made
