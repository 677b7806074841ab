"""Constraints between two bodies that are not joints: points on planes, lines and curves, directions, gears, rolling.
Their equations are in `physics/joints`, one file for each kind."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.definitions.checks import (
    LONGEST, DefinitionError, Vector, finite_numbers, flag, length_in_reach, number, place_in_reach, unit_direction,
)  # fmt: skip
from physics.definitions.joints import Joint
from physics.maths.rotations import frame_about
from physics.definitions.spellings import Spelled
from physics.maths.strict import distance, dot, norm, product

__all__ = [
    "Circle",
    "Constraint",
    "Gear",
    "KnifeEdge",
    "Parallel",
    "Perpendicular",
    "PointOnCurve",
    "PointOnLine",
    "PointOnPlane",
    "Rack",
    "RollingDisk",
    "RollingInTrough",
    "RollingSphere",
    "Spline",
]

# How far a drawing may be from what it must be, over its own size: dimensions come from files with six digits.
DRAWN = 1e-6


@dataclass(frozen=True, kw_only=True)
class Constraint(Joint):
    """Base class of constraints between two bodies a and b. Each body has one point.

    >>> from physics import Constraint, PointOnPlane
    >>> points = ((0.0, 0.0, 0.0), (0.5, 0.0, 0.0))
    >>> touching = PointOnPlane(name="touching", a="table", b="pen", at=points, normal=(0, 0, 1))
    >>> isinstance(touching, Constraint), touching.separation()
    (True, array([0.5, 0. , 0. ]))
    """

    is_constraint: ClassVar[bool] = True
    once: ClassVar[bool] = False

    @property
    def label(self) -> str:
        """Kind and name, as error messages write them."""
        return f"{self.kind} constraint {self.name!r}"

    def axis_of(self, key: str) -> np.ndarray:
        """Check the direction in the field `key`, store it as a unit vector, and return it (3,)."""
        value = unit_direction(f"{key} of {self.label}", getattr(self, key))
        object.__setattr__(self, key, value)
        return np.array(value)

    def right_angle(self, key: str, value: np.ndarray, other: str, axis: np.ndarray) -> None:
        """Refuse the direction `value` if it is not at right angles to `axis`. The message names their fields `key` and
        `other`."""
        if abs(dot(value, axis)) > DRAWN * norm(value):
            raise DefinitionError(f"{key} of {self.label}", tuple(value), f"at right angles to {other} {tuple(axis)}")

    def separation(self) -> np.ndarray:
        """Return the vector from the point of a to that of b, as drawn [m]."""
        return np.array(self.points[1]) - np.array(self.points[0])

    def as_drawn(self, what: str, got: float, allowed: float) -> None:
        """Refuse a drawn length `got` [m] that differs from the length `allowed` [m]."""
        if abs(got - allowed) > DRAWN * max(abs(allowed), abs(got)):
            raise DefinitionError(f"{what} of {self.label}, as drawn", got, f"{allowed:g}")

    def length(self, key: str, low: float = 0.0) -> float:
        """Check a field that is a length [m] above `low`, store it, and return it."""
        value = number(f"{key} of {self.label}", getattr(self, key), low, strict=True, high=LONGEST)
        object.__setattr__(self, key, value)
        return value

    @property
    def of_velocities(self) -> bool:
        """Whether the rows of the constraint restrict velocities only, and no position."""
        return False

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return two rotation matrices (3, 3): the joint frame fixed in a, and the one fixed in b. Their columns are
        the axes of the frame in the world at the drawn pose."""
        return np.eye(3), np.eye(3)

    def sizes(self) -> tuple[float, ...]:
        """Return the numbers that the equations of the constraint read from Joints.SIZE. There are at most three."""
        return ()


@dataclass(frozen=True, kw_only=True)
class AxisConstraint(Constraint):
    """Base class of constraints with one direction `axis`. It is the z axis of the joint frames in both bodies."""

    axis: Vector

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self.axis_of("axis")

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. Their z axis is `axis`."""
        frame = frame_about(np.array(self.axis), None)
        return frame, frame


@dataclass(frozen=True, kw_only=True)
class NormalConstraint(Constraint):
    """Base class of constraints with a plane. Its `normal` is the z axis of the joint frame in a."""

    normal: Vector  # towards b, where b has a size

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self.axis_of("normal")

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. Their z axis is `normal`."""
        frame = frame_about(np.array(self.normal), None)
        return frame, frame


@dataclass(frozen=True, kw_only=True)
class PointOnPlane(NormalConstraint):
    """A constraint that keeps the point of b on a plane that is fixed in a. The plane goes through the point of a.

    >>> from physics import PointOnPlane
    >>> PointOnPlane(name="j", a="arm", b="hand", normal=(0, 0, 1)).normal
    (0.0, 0.0, 1.0)
    """

    kind: ClassVar[str] = "point on plane"
    particle_ends: ClassVar[tuple[str, ...]] = ("b",)
    point_of: ClassVar[tuple[str, ...]] = ("b",)


@dataclass(frozen=True, kw_only=True)
class PointOnLine(AxisConstraint):
    """A constraint that keeps the point of b on a line that is fixed in a. The line goes through the point of a.

    >>> from physics import PointOnLine
    >>> PointOnLine(name="j", a="arm", b="hand", axis=(0, 0, 1)).axis
    (0.0, 0.0, 1.0)
    """

    kind: ClassVar[str] = "point on line"
    particle_ends: ClassVar[tuple[str, ...]] = ("b",)
    point_of: ClassVar[tuple[str, ...]] = ("b",)


@dataclass(frozen=True, kw_only=True)
class Circle(metaclass=Spelled):
    """A circle in space; `normal` is perpendicular to its plane.

    >>> from physics import Circle
    >>> Circle(center=(0, 0, 0), normal=(0, 0, 1), radius=0.5).radius
    0.5
    """

    old_words: ClassVar[Mapping[str, str]] = {"centre": "center", "axis": "normal"}

    center: Vector
    normal: Vector
    radius: float

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        object.__setattr__(self, "center", place_in_reach("center of a circle", self.center))
        object.__setattr__(self, "normal", unit_direction("normal of a circle", self.normal))
        object.__setattr__(self, "radius", length_in_reach("radius of a circle", self.radius))


@dataclass(frozen=True, kw_only=True)
class Spline:
    """A cubic spline through points. It is closed, or open. The curvature at the ends of an open spline is zero (a
    natural spline), and beyond them it continues in a straight line.

    >>> from physics import Spline
    >>> Spline(points=[(0, 0, 0), (1, 0, 0), (1, 1, 0)], closed=True).closed
    True
    """

    points: Sequence[Vector]
    closed: bool = False

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        least = 3 if self.closed else 2
        allowed = f"a list of {least} or more points, each away from the next"
        object.__setattr__(self, "closed", flag("closed of a spline", self.closed))
        points = self.points
        if isinstance(points, str) or not isinstance(points, Sequence | np.ndarray) or len(points) < least:
            raise DefinitionError("points of a spline", points, allowed)
        places = tuple(place_in_reach("point of a spline", p) for p in points)
        following = (*places[1:], places[0]) if self.closed else places[1:]
        if any(distance(p, q) < 1e-9 for p, q in zip(places, following, strict=False)):
            raise DefinitionError("points of a spline", places, allowed)
        object.__setattr__(self, "points", places)


@dataclass(frozen=True, kw_only=True)
class PointOnCurve(Constraint):
    """A constraint that keeps the point of b on a curve that is fixed in a.

    >>> from physics import Circle, PointOnCurve
    >>> wire = Circle(center=(0, 0, 0), normal=(0, 0, 1), radius=0.5)
    >>> PointOnCurve(name="bead", a="world", b="bead", at=(0.5, 0, 0), curve=wire).kind
    'point on curve'
    """

    curve: Circle | Spline

    kind: ClassVar[str] = "point on curve"
    particle_ends: ClassVar[tuple[str, ...]] = ("b",)
    point_of: ClassVar[tuple[str, ...]] = ("b",)

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        if not isinstance(self.curve, Circle | Spline):
            raise DefinitionError(f"curve of {self.label}", self.curve, "a Circle or a Spline")
        if isinstance(self.curve, Circle):
            object.__setattr__(self, "points", (self.curve.center, self.points[1]))

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. For a circle their z axis is its normal."""
        if not isinstance(self.curve, Circle):
            return super().frames()
        frame = frame_about(np.array(self.curve.normal), None)
        return frame, frame

    def sizes(self) -> tuple[float, ...]:
        """Return the radius of a circle; nothing for a spline."""
        return (self.curve.radius,) if isinstance(self.curve, Circle) else ()


@dataclass(frozen=True, kw_only=True)
class Parallel(AxisConstraint):
    """A constraint that keeps a direction of b parallel to a direction of a. At the drawn pose both directions are
    `axis`.

    >>> from physics import Parallel
    >>> Parallel(name="j", a="arm", b="hand", axis=(0, 0, 1)).axis
    (0.0, 0.0, 1.0)
    """

    kind: ClassVar[str] = "parallel"


@dataclass(frozen=True, kw_only=True)
class Perpendicular(Constraint):
    """A constraint that keeps the direction `axis2`, which is fixed in b, at right angles to the direction `axis`,
    which is fixed in a.

    >>> from physics import Perpendicular
    >>> Perpendicular(name="j", a="arm", b="hand", axis=(0, 0, 1), axis2=(1, 0, 0)).axis2
    (1.0, 0.0, 0.0)
    """

    axis: Vector
    axis2: Vector

    kind: ClassVar[str] = "perpendicular"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        a, e = self.axis_of("axis"), self.axis_of("axis2")
        self.right_angle("axis2", e, "axis", a)

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. Their x axis is `axis`, and their y axis is `axis2`."""
        x, y = np.array(self.axis), np.array(self.axis2)
        frame = np.column_stack([x, y, np.cross(x, y)])
        return frame, frame


@dataclass(frozen=True, kw_only=True)
class Gear(Constraint):
    """A constraint between two spur gears a and b with parallel axes. `at` is a pair of points, the centres of the
    gears. `radii` are the radii of the pitch circles [m]. The radius of a gear with inner teeth is negative. The angles
    of the gears keep the relation that they have at the drawn pose. If `keeps_position` is False, only the speeds are
    coupled.

    >>> from physics import Gear
    >>> Gear(name="j", a="small", b="large", at=[(0, 0, 0), (0.4, 0, 0)], axis=(0, 0, 1), radii=(0.1, 0.3)).radii
    (0.1, 0.3)
    """

    axis: Vector
    radii: Vector
    keeps_position: bool = True

    kind: ClassVar[str] = "gear"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        axis = self.axis_of("axis")
        object.__setattr__(self, "keeps_position", flag(f"keeps_position of {self.label}", self.keeps_position))
        what = f"radii of {self.label}"
        radii = finite_numbers(what, self.radii, 2)
        if max(map(abs, radii)) > LONGEST:
            raise DefinitionError(what, radii, f"two lengths of at most {LONGEST:g} m in size")
        if 0.0 in radii or sum(radii) == 0.0 or max(radii) < 0.0:
            raise DefinitionError(
                what, radii, "two lengths, one of them negative where that wheel is hollow, of any sum but 0"
            )
        object.__setattr__(self, "radii", radii)
        d = self.separation()
        self.as_drawn("distance of the centres", norm(d), abs(sum(radii)))
        self.right_angle("line of centres", d, "axis", axis)

    @property
    def of_velocities(self) -> bool:
        """Whether only the speeds of the gears are coupled."""
        return not self.keeps_position

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both gears. Their z axis is along `axis`, and their x axis along the line of
        centres."""
        frame = frame_about(np.array(self.axis), self.separation())
        return frame, frame

    def sizes(self) -> tuple[float, ...]:
        """Return both radii [m], and 1 if the relation of the angles is kept."""
        return (*self.radii, float(self.keeps_position))


@dataclass(frozen=True, kw_only=True)
class Rack(Constraint):
    """A constraint between a rack a and a pinion b. The rack runs along `direction`, and the pinion turns about `axis`.
    `at` is a pair of points: one of the rack's pitch line, and the pinion's centre.

    >>> from physics import Rack
    >>> Rack(
    ...     name="j", a="rack", b="pinion", at=[(0, 0, 0), (0, 0.1, 0)], axis=(0, 0, 1), direction=(1, 0, 0), radius=0.1
    ... ).radius
    0.1
    """

    axis: Vector
    direction: Vector
    radius: float
    keeps_position: bool = True

    kind: ClassVar[str] = "rack"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        e, x = self.axis_of("axis"), self.axis_of("direction")
        self.right_angle("direction", x, "axis", e)
        object.__setattr__(self, "keeps_position", flag(f"keeps_position of {self.label}", self.keeps_position))
        r = self.length("radius")
        self.as_drawn("distance of the centre from the pitch line", abs(product(np.cross(e, x), self.separation())), r)

    @property
    def of_velocities(self) -> bool:
        """Whether only the speeds of rack and pinion are coupled."""
        return not self.keeps_position

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. Their z axis is along `axis`, and their x axis along `direction`."""
        frame = frame_about(np.array(self.axis), np.array(self.direction))
        return frame, frame

    def sizes(self) -> tuple[float, ...]:
        """Return three numbers: the signed radius [m], the drawn position of the pinion's centre along the rack [m],
        and 1 if the relation of travel and angle is kept."""
        along = dot(np.array(self.direction), self.separation())
        return self.signed_radius, along, float(self.keeps_position)

    @property
    def signed_radius(self) -> float:
        """Radius of the pinion [m], negative if the pinion is on the other side of the rack."""
        side = product(np.cross(self.axis, self.direction), self.separation())
        return math.copysign(self.radius, float(side))


@dataclass(frozen=True, kw_only=True)
class RollingSphere(NormalConstraint):
    """A constraint by which a sphere b rolls without slipping on a plane that is fixed in a. `at` is a pair of points:
    one of the plane, and the sphere's centre.

    >>> from physics import RollingSphere
    >>> places = [(0, 0, 0), (0, 0, 0.1)]
    >>> RollingSphere(name="j", a="world", b="ball", at=places, normal=(0, 0, 1), radius=0.1).radius
    0.1
    """

    radius: float

    kind: ClassVar[str] = "rolling sphere"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self.as_drawn("height of the centre", dot(np.array(self.normal), self.separation()), self.length("radius"))

    def sizes(self) -> tuple[float, ...]:
        """Return the radius [m]."""
        return (self.radius,)


@dataclass(frozen=True, kw_only=True)
class RollingDisk(NormalConstraint):
    """A constraint by which a thin wheel b rolls on its rim, without slipping, on a plane that is fixed in a. `at` is a
    pair of points: one of the plane, and the centre of the wheel. `axis` is the axis of the wheel.

    >>> from physics import RollingDisk
    >>> places = [(0, 0, 0), (0, 0, 0.3)]
    >>> RollingDisk(name="j", a="world", b="wheel", at=places, normal=(0, 0, 1), axis=(0, 1, 0), radius=0.3).radius
    0.3
    """

    axis: Vector
    radius: float

    kind: ClassVar[str] = "rolling disk"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        n, e = np.array(self.normal), self.axis_of("axis")
        upright = norm(np.cross(n, e))
        if upright < 1e-3:
            raise DefinitionError(
                f"axis of {self.label}", self.axis, "a direction not along the normal: a wheel on its rim"
            )
        self.as_drawn("height of the centre", dot(n, self.separation()), self.length("radius") * upright)

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. In a, the z axis is the normal; in b, it is the axis of the wheel."""
        return frame_about(np.array(self.normal), None), frame_about(np.array(self.axis), None)

    def sizes(self) -> tuple[float, ...]:
        """Return the radius [m]."""
        return (self.radius,)


@dataclass(frozen=True, kw_only=True)
class RollingInTrough(AxisConstraint):
    """A constraint by which a sphere or a cylinder b rolls without slipping in a cylindrical trough that is fixed in a.
    `at` is a pair of points: one of the trough's axis, and the centre of b.

    >>> from physics import RollingInTrough
    >>> places = [(0, 0, 0), (0, 0, -0.9)]
    >>> RollingInTrough(
    ...     name="j", a="world", b="ball", at=places, axis=(0, 1, 0), trough_radius=1.0, radius=0.1
    ... ).radius
    0.1
    """

    trough_radius: float
    radius: float
    cylinder: bool = False  # its axis is that of the trough as drawn

    kind: ClassVar[str] = "rolling in trough"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        z = np.array(self.axis)
        object.__setattr__(self, "cylinder", flag(f"cylinder of {self.label}", self.cylinder))
        outer, r = self.length("trough_radius"), self.length("radius")
        if r >= outer:
            raise DefinitionError(f"radius of {self.label}", r, f"less than that of the trough, {outer:g}")
        self.as_drawn("distance of the centre from the axis", norm(np.cross(z, self.separation())), outer - r)

    @property
    def equations(self) -> str:  # type: ignore[override]
        """Name of the equations in physics/joints/table.py: those of a cylinder or of a sphere."""
        return "cylinder in trough" if self.cylinder else "sphere in trough"

    def sizes(self) -> tuple[float, ...]:
        """Return the difference of the two radii, and the radius of the rolling body [m]."""
        return self.trough_radius - self.radius, self.radius


@dataclass(frozen=True, kw_only=True)
class KnifeEdge(Constraint):
    """A constraint that acts like a blade on ice. It keeps the point of b from moving relative to a along the direction
    `lateral`, which is fixed in b.

    >>> from physics import KnifeEdge
    >>> KnifeEdge(name="skate", a="world", b="skate", lateral=(0, 1, 0)).lateral
    (0.0, 1.0, 0.0)
    """

    lateral: Vector

    kind: ClassVar[str] = "knife edge"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self.axis_of("lateral")

    def frames(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the joint frames in both bodies. Their z axis is `lateral`."""
        frame = frame_about(np.array(self.lateral), None)
        return frame, frame


State = tuple[np.ndarray, ...]
