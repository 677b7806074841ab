"""Shapes as values that refuse bad input. A body collides with its shapes, and its mass may be computed from them.

`position` and `orientation` (unit quaternion, w first) place the frame of a shape in the frame of its body. The axis of
capsules and cylinders is z; a plane is the half space below z = 0. Where two shapes touch, their friction is the
geometric mean of both (a surface without friction makes the contact frictionless, and equal partners keep their value),
and their restitution is the larger of both (a rubber ball bounces on stone).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from physics.data.model import Floats
from physics.data.shape_tables import ShapeKind
from physics.definitions.checks import (
    LONGEST, DefinitionError, Vector, finite_numbers, number, place_in_reach, unit_direction,
)  # fmt: skip
from physics.definitions.meshfile import read_points
from physics.definitions.polyhedron import Polyhedron, make_polyhedron
from physics.definitions.reduction import reduced
from physics.definitions.rotations import matrix_of
from physics.definitions.shape import Shape
from physics.definitions.spellings import Scaled
from physics.maths.strict import distance, norm, product

HALF_LENGTH = {"half_length": Scaled("length", 2.0)}


@dataclass(frozen=True, kw_only=True)
class Sphere(Shape):
    """A ball with a `radius` [m] about `position`.

    >>> from physics import Sphere
    >>> Sphere(radius=0.1, position=(0, 0, 0.2)).radius
    0.1
    """

    radius: float  # m

    kind: ClassVar[int] = ShapeKind.SPHERE
    label: ClassVar[str] = "sphere"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self._check_length("radius")

    @property
    def measures(self) -> tuple[float, float, float]:
        """Return (radius, 0, 0)."""
        return (self.radius, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Capsule(Shape):
    """All points within `radius` of a segment of the z axis; the segment has this `length` [m] and its middle at the
    origin.

    >>> from physics import Capsule
    >>> Capsule(radius=0.1, length=0.5).length
    0.5
    """

    old_words: ClassVar[Mapping[str, Scaled]] = HALF_LENGTH

    radius: float  # m
    length: float  # m, of its middle line: the half balls at its ends come to it

    kind: ClassVar[int] = ShapeKind.CAPSULE
    label: ClassVar[str] = "capsule"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self._check_length("radius", "length")

    @classmethod
    def between(cls, start: Vector, end: Vector, radius: float, **more: Any) -> "Capsule":
        """The capsule whose segment runs from `start` to `end`."""
        middle, turn, length = _segment(cls.label, start, end)
        return cls(radius=radius, length=length, position=middle, orientation=turn, **more)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Return (radius, half length, 0)."""
        return (self.radius, 0.5 * self.length, 0.0)


@dataclass(frozen=True, kw_only=True)
class Box(Shape):
    """A box with its edges along the axes of its frame; `size` [m] is the length of its edges.

    >>> from physics import Box
    >>> Box(size=(0.2, 0.4, 0.6)).size
    (0.2, 0.4, 0.6)
    """

    old_words: ClassVar[Mapping[str, Scaled]] = {"half_sizes": Scaled("size", 2.0)}

    size: Vector  # m, full lengths of its edges along x, y, z

    kind: ClassVar[int] = ShapeKind.BOX
    label: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        values = finite_numbers("size of a box", self.size, 3)
        if min(values) <= 0.0 or max(values) > LONGEST:
            raise DefinitionError("size of a box", self.size, f"three numbers > 0 and <= {LONGEST:g}")
        object.__setattr__(self, "size", values)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Return the half sizes."""
        x, y, z = self.size
        return (0.5 * x, 0.5 * y, 0.5 * z)


@dataclass(frozen=True, kw_only=True)
class Cylinder(Shape):
    """A cylinder about the z axis, with its middle at the origin.

    >>> from physics import Cylinder
    >>> Cylinder(radius=0.1, length=0.5).radius
    0.1
    """

    old_words: ClassVar[Mapping[str, Scaled]] = HALF_LENGTH

    radius: float  # m
    length: float  # m

    kind: ClassVar[int] = ShapeKind.CYLINDER
    label: ClassVar[str] = "cylinder"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self._check_length("radius", "length")

    @classmethod
    def between(cls, start: Vector, end: Vector, radius: float, **more: Any) -> "Cylinder":
        """The cylinder whose end faces are centred on `start` and `end`."""
        middle, turn, length = _segment(cls.label, start, end)
        return cls(radius=radius, length=length, position=middle, orientation=turn, **more)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Return (radius, half length, 0)."""
        return (self.radius, 0.5 * self.length, 0.0)


@dataclass(frozen=True, kw_only=True)
class Plane(Shape):
    """The half space below z = 0 of its frame: a floor, a wall. It has no mass and belongs to the world.

    >>> from physics import Plane
    >>> Plane(friction=0.5).friction
    0.5
    """

    kind: ClassVar[int] = ShapeKind.PLANE
    label: ClassVar[str] = "plane"
    endless: ClassVar[bool] = True

    @classmethod
    def facing(cls, normal: Vector, point: Vector = (0.0, 0.0, 0.0), **more: Any) -> "Plane":
        """The half space behind `point`, its surface facing along `normal`."""
        n = unit_direction("normal of a plane", normal)
        return cls(position=point, orientation=_turn_from_z(np.array(n)), **more)


@dataclass(frozen=True, kw_only=True)
class Hull(Shape):
    """The convex hull of points. A hull of more than a few thousand points (`reduction.FEW`) keeps its corners only,
    except those that stand out by less than 1e-7 of its size. A million points are allowed, of which five thousand may
    be corners.

    >>> from physics import Hull
    >>> Hull(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).group
    'default'
    """

    points: Sequence[Vector] | np.ndarray = field(repr=False)
    polyhedron: Polyhedron = field(init=False, repr=False, compare=False)

    kind: ClassVar[int] = ShapeKind.HULL
    label: ClassVar[str] = "hull"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        try:
            points = np.array(self.points, dtype=np.float64)
        except (TypeError, ValueError):
            raise DefinitionError("points of a hull", self.points, "points of three numbers each") from None
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4 or not np.isfinite(points).all():
            raise DefinitionError(
                "points of a hull", f"an array of shape {points.shape}", "at least 4 points of three finite numbers"
            )
        if np.abs(points).max() > LONGEST:
            raise DefinitionError("points of a hull", float(np.abs(points).max()), f"at most {LONGEST:g} m in size")
        points = reduced(points)
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())))
        object.__setattr__(self, "polyhedron", make_polyhedron(points))

    @classmethod
    def of_file(cls, path: str | Path, scale: float = 1.0, **more: Any) -> "Hull":
        """The convex hull of a mesh file: .obj, or .stl as text or binary."""
        return cls(points=number("scale of a mesh", scale, 0.0, strict=True) * read_points(path), **more)


@dataclass(frozen=True, kw_only=True)
class CompoundShape(Shape):
    """Several shapes as one. Each part keeps its own friction, restitution and group. Where parts overlap, their masses
    add."""

    parts: Sequence[Shape]

    label: ClassVar[str] = "compound"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        if isinstance(self.parts, str) or not isinstance(self.parts, Sequence) or not self.parts:
            raise DefinitionError("parts of a compound", self.parts, "a list of at least one shape")
        for part in self.parts:
            if not isinstance(part, Shape) or isinstance(part, Plane):
                raise DefinitionError("part of a compound", part, "a shape other than a plane")
        object.__setattr__(self, "parts", tuple(self.parts))


def _segment(label: str, start: Vector, end: Vector) -> tuple[tuple[float, ...], tuple[float, ...], float]:
    """Return middle, rotation from the z axis, and length of a segment."""
    a = np.array(place_in_reach(f"start of a {label}", start))
    b = np.array(place_in_reach(f"end of a {label}", end))
    length = distance(a, b)
    if length == 0.0:
        raise DefinitionError(f"end of a {label}", end, "a point other than its start")
    return tuple((0.5 * (a + b)).tolist()), _turn_from_z(b - a), length


def _turn_from_z(direction: np.ndarray) -> tuple[float, ...]:
    """Return the quaternion of the shortest rotation from the z axis to a direction."""
    x, y, z = (direction / norm(direction)).tolist()
    # (1 + cos, z cross d) is twice the half-angle quaternion times its cosine; by way of x = 1 where d = -z
    if z > -1.0 + 1e-12:
        w = math.sqrt(0.5 * (1.0 + z))
        return (w, -0.5 * y / w, 0.5 * x / w, 0.0)
    return (0.0, 1.0, 0.0, 0.0)


def flatten(shape: Shape) -> list[tuple[Shape, Floats, Floats]]:
    """Return the simple shapes of a shape, with position and rotation matrix in the body's frame."""
    if not isinstance(shape, Shape):
        raise DefinitionError("shape", shape, "a shape such as Sphere, Box or Compound")
    position, turn = np.array(shape.position), matrix_of(shape.orientation)
    if not isinstance(shape, CompoundShape):
        return [(shape, position, turn)]
    return [(s, position + product(turn, p), product(turn, t)) for part in shape.parts for s, p, t in flatten(part)]
