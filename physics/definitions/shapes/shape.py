"""The base classes of the shapes with which bodies touch each other, and what each kind of shape must define.

`position` and `orientation` (a unit quaternion, w first) are those of the frame of the shape in the frame of its body.
Where two shapes touch, the friction of the contact is the geometric mean of the two values: it is zero if one of them
is, and two equal values give the same value. The restitution is the larger of the two values, so that a rubber ball
bounces on stone.

Each kind of shape has one file here for Python code, one file in `physics/collision` for contact detection, and one
entry in `physics/collision/kinds.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from physics.data.model import Floats, Ints
from physics.definitions.checks import (
    DefinitionError, Vector, length_in_reach, number, place_in_reach, unit_quaternion,
)  # fmt: skip
from physics.definitions.spellings import Spelled
from physics.maths.strict import norms

__all__ = ["Shape"]

# Groups are bits of a signed 64-bit number.
MOST_GROUPS = 62


@dataclass(frozen=True, kw_only=True)
class Shape(metaclass=Spelled):
    """Base class of the shapes with which bodies touch each other. It has the place of a shape, the numbers of its
    surface, and its group. The simple kinds are `Sphere`, `Capsule`, `Box`, `Cylinder`, `Hull` and `Plane`;
    `CompoundShape` is made of several shapes.

    >>> from physics import Shape, Sphere
    >>> isinstance(Sphere(radius=0.1, friction=0.5), Shape)
    True
    """

    other_words: ClassVar[Mapping[str, str]] = {"at": "position", "collide": "group"}

    position: Vector = (0.0, 0.0, 0.0)  # m, in the frame of its body
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)
    friction: float = 0.8
    restitution: float = 0.0
    group: str = "default"  # Scene.never keeps groups apart

    label: ClassVar[str] = "shape"
    endless: ClassVar[bool] = False  # it has no mass, and belongs to what does not move

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        object.__setattr__(self, "position", place_in_reach(f"position of a {self.label}", self.position))
        object.__setattr__(self, "orientation", unit_quaternion(f"orientation of a {self.label}", self.orientation))
        object.__setattr__(self, "friction", number(f"friction of a {self.label}", self.friction, 0.0))
        value = number(f"restitution of a {self.label}", self.restitution, 0.0, high=1.0)
        object.__setattr__(self, "restitution", value)
        if not isinstance(self.group, str) or not self.group:
            raise DefinitionError(f"group of a {self.label}", self.group, "a text that is not empty")

    def _check_length(self, *keys: str) -> None:
        """Check the lengths in the fields `keys`, and store them as numbers."""
        for key in keys:
            value = length_in_reach(f"{key} of a {self.label}", getattr(self, key))
            object.__setattr__(self, key, value)

    def drawing(self) -> "Drawing":
        """Return how the shape is drawn."""
        raise NotImplementedError

    def mirrored(self) -> "Shape":
        """Return the image of the shape under p -> -p in its own frame, at the same position."""
        raise NotImplementedError


class Triangles(NamedTuple):
    """A surface to be drawn, in the frame of its shape."""

    vertex: Floats  # (3 m, 3) three corners of each of m triangles, anticlockwise seen from outside [m]
    normal: Floats  # (3 m, 3) outward unit normal at each corner


class Drawing(NamedTuple):
    """How a shape is drawn: either as a unit mesh of the renderer, which is given by name and scaled by four sizes, or
    as triangles."""

    mesh: str | Triangles  # "sphere", "capsule", "cylinder" or "box" (`app/render/primitives.py`), or the triangles
    size: tuple[float, float, float, float] = (1.0, 1.0, 1.0, 0.0)  # m; of a mesh of its own, factors
    shift: tuple[float, float, float] = (0.0, 0.0, 0.0)  # m, of the mesh in the frame of the shape


class Solid(Shape):
    """A shape of finite size. Each kind must define what `ASKED` lists; otherwise its class statement raises an error.
    A class without its own `label` is a base class of several kinds. Points and directions are in the frame of the
    shape."""

    def __init_subclass__(cls) -> None:
        """Refuse a kind of shape that does not define everything in `ASKED`."""
        super().__init_subclass__()
        if "label" not in vars(cls):
            return
        missing = [name for name in ASKED if getattr(cls, name) is getattr(Solid, name)]
        if missing:
            raise TypeError(f"{cls.__name__} does not define {', '.join(missing)}, as every kind of shape does")

    @property
    def measures(self) -> tuple[float, float, float]:
        """Three numbers that describe the shape to kernels (`ShapeReal.SIZE`) [m]."""
        raise NotImplementedError

    def reach(self) -> float:
        """Return the distance of the farthest point of the shape from its origin [m]."""
        raise NotImplementedError

    def moments(self) -> tuple[float, Floats, Floats]:
        """Return the volume [m^3], the centre of mass (3,) [m], and the inertia (3, 3) about it at density 1 [m^5]."""
        raise NotImplementedError

    def bounding_box(self) -> tuple[Floats, Floats]:
        """Return the half sizes (3,) of a box around the shape along its axes, and the middle (3,) of that box [m]."""
        raise NotImplementedError

    def drag_areas(self) -> Floats:
        """Return the drag area C A along each axis (3,) [m^2]: the drag coefficient times the projected area."""
        raise NotImplementedError

    def drag_moments(self) -> Floats:
        """Return the drag moment C int s^3 dA about each axis (3,) [m^5]. C is the drag coefficient, and dA a strip of
        the projected area at the distance s from the axis."""
        raise NotImplementedError

    def outline(self) -> tuple[Floats, float]:
        """Return points (n, 3) and a radius [m]: the shape is the hull of balls with this radius about the points."""
        raise NotImplementedError

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of the shape farthest along a unit vector (3,) [m]."""
        raise NotImplementedError

    @property
    def rounding(self) -> float:
        """Width of the layer around the core [m]. Kernels see a shape as a core with such a layer. It is the radius of
        a sphere and of a capsule, whose cores are a point and a line, and 0 for all other shapes."""
        return 0.0

    @property
    def half_line(self) -> float:
        """Half the length of the middle line, along z [m]; 0 for shapes that are not long."""
        return 0.0

    def inside(self) -> Floats:
        """Return a point (3,) in the shape [m]: its origin, except for hulls."""
        return np.zeros(3)


# what every kind of shape defines
ASKED = (
    "measures", "reach", "moments", "bounding_box", "drag_areas", "drag_moments", "outline", "farthest", "mirrored",
    "drawing",
)  # fmt: skip


def checked_shapes(where: str, value: Any, endless: bool) -> tuple[Shape, ...]:
    """Return a tuple of shapes from one shape or a list of shapes. Refuse any other value, and planes unless
    `endless`."""
    shapes = (value,) if isinstance(value, Shape) else value
    allowed = "a list of shapes such as Sphere, Box or Compound"
    if isinstance(shapes, str) or not isinstance(shapes, Sequence):
        raise DefinitionError(where, value, allowed)
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise DefinitionError(where, shape, allowed)
        if shape.endless and not endless:
            raise DefinitionError(where, shape.label, "shapes with an end: a half space belongs to the world")
    return tuple(shapes)


def flat_triangles(vertex: Floats, triangle: Ints) -> Triangles:
    """Return a surface in which each triangle has its own normal. The rows of `triangle` (m, 3) are numbers of rows of
    `vertex`."""
    corners = vertex[triangle]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.maximum(norms(normal), 1e-30)[:, None]
    return Triangles(corners.reshape(-1, 3), np.repeat(normal, 3, axis=0))
