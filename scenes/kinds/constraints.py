"""Constraints of a scene, one model for each kind: constraints between two bodies that are not joints, and couplings of
joint coordinates. Their equations are in `physics/joints` and `physics/edges/couplings.py`. A class here that has a
`kind` is a kind of constraint (`scenes.kinds.table`)."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import numpy as np

from physics.definitions import checks, constraints, couplings, joints
from physics.maths.strict import distance
from scenes.kinds.signals import TimeFunction
from scenes.kinds.ties import BODIES, Joint, Vec
from scenes.text.errors import Mark, did_you_mean, short
from scenes.text.reader import Key
from scenes.text.schema import Inner, Model, item
from scenes.text.values import Direction, Number, Points, Refused, Scope, Value, Vector
from scenes.text.words import REFERENCE, Flag

PITCH = Number("m", above=0.0)


class Constraint(Joint):
    """Base class of constraints."""

    opens: ClassVar[bool] = False
    tree: ClassVar[bool] = False


class Distance(Constraint):
    """A rod without mass: two points keep their distance."""

    kind: ClassVar[str] = "distance"
    definition: ClassVar[Any] = joints.Distance
    particles: ClassVar[tuple[int, ...]] = (0, 1)
    where: ClassVar[str] = "centres"
    opens: ClassVar[bool] = True

    distance: Annotated[Any, BODIES] = item("its two bodies")
    length: Annotated[Any, TimeFunction("m")] = item(
        "the distance, which may change with time; if not given, as drawn", None
    )

    not_yet: ClassVar[dict[str, str]] = {
        **Joint.not_yet, "at_most": "a distance that may be less is a rope: {rope: [first, second], longest: 1 m}"
    }  # fmt: skip

    def fields(self) -> dict[str, Any]:
        """Return the length of the rod, or refuse a length that is not positive."""
        if isinstance(self.length, float) and self.length <= 0.0:
            raise Refused(f"got {self.length:g}, allowed: a length above 0", ("length",))
        return super().fields()

    @classmethod
    def open_by(cls, definition: Any) -> float:
        """Return by how much the drawn distance differs from the length [m]."""
        drawn = distance(*definition.points)
        return abs(drawn - definition.length) if isinstance(definition.length, float) else 0.0


class Rope(Constraint):
    """The distance of two points is at most the length of the rope."""

    kind: ClassVar[str] = "rope"
    definition: ClassVar[Any] = joints.Rope
    particles: ClassVar[tuple[int, ...]] = (0, 1)
    where: ClassVar[str] = "centres"

    rope: Annotated[Any, BODIES] = item("its two bodies")
    longest: Annotated[float | None, Number("m", above=0.0, infinite=True)] = item(
        "its length; if not given, as drawn", None
    )
    shortest: Annotated[float, Number("m", low=0.0)] = item("the shortest distance of the points, as of a strut", 0.0)

    def common(self, name: str, ends: Any) -> dict[str, Any]:
        """Return the fields that all definitions have. A rope is always outside the tree of joints."""
        return {key: value for key, value in super().common(name, ends).items() if key != "auxiliary"}

    def fields(self) -> dict[str, Any]:
        """Return the lengths, or refuse a shortest one that is not below the longest."""
        if self.longest is not None and self.shortest >= self.longest:
            raise Refused(f"got {self.shortest:g}, allowed: less than the longest, {self.longest:g} m", ("shortest",))
        return super().fields()

    @classmethod
    def open_by(cls, definition: Any) -> float:
        """Return how far the drawn distance is outside the range of lengths [m]."""
        drawn = distance(*definition.points)
        return max(0.0, drawn - definition.longest, definition.shortest - drawn)


# ---------------------------------------------------------------- points on planes, lines, curves
class PointConstraint(Constraint):
    """Base class of constraints of a point of the second body, which may be a particle."""

    particles: ClassVar[tuple[int, ...]] = (1,)
    where: ClassVar[str] = "second"


class PointOnPlane(PointConstraint):
    """A point of the second body stays on a plane of the first body. The plane goes through the first body's point."""

    kind: ClassVar[str] = "point_on_plane"
    definition: ClassVar[Any] = constraints.PointOnPlane
    shifting: ClassVar[tuple[str, ...]] = ("normal",)

    point_on_plane: Annotated[Any, BODIES] = item("the body with the plane, and the body with the point")
    normal: Annotated[Vec, Direction()] = item("normal of the plane")


class PointOnLine(PointConstraint):
    """A point of the second body stays on a line of the first body. The line goes through the first body's point."""

    kind: ClassVar[str] = "point_on_line"
    definition: ClassVar[Any] = constraints.PointOnLine
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    point_on_line: Annotated[Any, BODIES] = item("the body with the line, and the body with the point")
    axis: Annotated[Vec, Direction()] = item("direction of the line")


class Circle(Model):
    """A circle in space."""

    center: Annotated[Vec, Vector("m")] = item("its centre")
    normal: Annotated[Vec, Direction()] = item("normal of its plane")
    radius: Annotated[float, Number("m", above=0.0)] = item("radius")

    not_yet: ClassVar[dict[str, str]] = {"centre": "unknown key 'centre'; it is written `center`"}


class Spline(Model):
    """A cubic spline through points."""

    points: Annotated[Any, Points(2, 100_000)] = item("points on it, in order")
    closed: Annotated[bool, Flag()] = item(
        "whether it returns to its first point; otherwise its ends continue straight", False
    )


class PointOnCurve(PointConstraint):
    """A point of the second body stays on a curve of the first body: a bead on a wire."""

    kind: ClassVar[str] = "point_on_curve"
    definition: ClassVar[Any] = constraints.PointOnCurve

    point_on_curve: Annotated[Any, BODIES] = item("the body with the curve, and the body with the point")
    circle: Annotated[Circle | None, Inner(Circle)] = item("the curve, if it is a circle", None)
    spline: Annotated[Spline | None, Inner(Spline)] = item("the curve, if it is a spline", None)

    def fields(self) -> dict[str, Any]:
        """Return the curve, or refuse an entry that does not have exactly one."""
        if (self.circle is None) == (self.spline is None):
            inner = () if self.circle is None else ("spline",)
            raise Refused("one of `circle` and `spline` is the curve", inner)
        if self.circle is not None:
            c = self.circle
            return {"curve": constraints.Circle(center=c.center, normal=c.normal, radius=c.radius)}
        try:
            return {"curve": constraints.Spline(points=self.spline.points, closed=self.spline.closed)}  # type: ignore[union-attr]
        except checks.DefinitionError as error:
            raise Refused(f"{error.what}: allowed: {error.allowed}", ("spline", "points")) from None

    @classmethod
    def shifted_fields(cls, definition: Any, shift: np.ndarray) -> dict[str, Any]:
        """Return the curve after a translation."""
        return {"curve": moved_curve(definition.curve, lambda p: tuple((np.array(p) + shift).tolist()), lambda v: v)}


def moved_curve(curve: Any, place: Any, direction: Any) -> Any:
    """Return a curve with its points changed by the function `place`, and its directions by the function
    `direction`."""
    if isinstance(curve, constraints.Circle):
        return replace(curve, center=place(curve.center), normal=direction(curve.normal))
    return replace(curve, points=tuple(place(p) for p in curve.points))


# ---------------------------------------------------------------- directions
class Parallel(Constraint):
    """A direction of the second body stays parallel to one of the first. Both are `axis` at the drawn pose."""

    kind: ClassVar[str] = "parallel"
    definition: ClassVar[Any] = constraints.Parallel
    where: ClassVar[str] = "second"
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    parallel: Annotated[Any, BODIES] = item("its two bodies")
    axis: Annotated[Vec, Direction()] = item("the direction")


class Perpendicular(Constraint):
    """A direction `axis2` of the second body stays at right angles to `axis` of the first."""

    kind: ClassVar[str] = "perpendicular"
    definition: ClassVar[Any] = constraints.Perpendicular
    where: ClassVar[str] = "second"
    turning: ClassVar[tuple[str, ...]] = ("axis", "axis2")
    at_right_angles: ClassVar[tuple[str, str] | None] = ("axis", "axis2")

    perpendicular: Annotated[Any, BODIES] = item("its two bodies")
    axis: Annotated[Vec, Direction()] = item("direction fixed in the first body")
    axis2: Annotated[Vec, Direction()] = item("direction fixed in the second body")


# ---------------------------------------------------------------- gears
class Meshing(Constraint):
    """Base class of constraints by teeth."""

    turning: ClassVar[tuple[str, ...]] = ("axis",)

    keeps_position: Annotated[bool, Flag()] = item(
        "whether the teeth keep their phase; otherwise only the speeds are coupled", True
    )


class Gear(Meshing):
    """Two wheels with parallel axes that mesh at the drawn pose. `at`: the centres of both."""

    kind: ClassVar[str] = "gear"
    definition: ClassVar[Any] = constraints.Gear
    where: ClassVar[str] = "centres"

    gear: Annotated[Any, BODIES] = item("its two wheels")
    axis: Annotated[Vec, Direction()] = item("axis of both wheels")
    radii: Annotated[Vec, Vector("m", (2,))] = item("radii of their pitch circles; negative for a hollow wheel")


class Rack(Meshing):
    """A rack, which runs along `direction`, and a pinion. `at`: a point of the rack's pitch line, and the centre of the
    pinion."""

    kind: ClassVar[str] = "rack"
    definition: ClassVar[Any] = constraints.Rack
    where: ClassVar[str] = "first"
    shifting: ClassVar[tuple[str, ...]] = ("direction",)
    at_right_angles: ClassVar[tuple[str, str] | None] = ("axis", "direction")

    rack: Annotated[Any, BODIES] = item("the rack, and the pinion")
    axis: Annotated[Vec, Direction()] = item("axis of the pinion")
    direction: Annotated[Vec, Direction()] = item("direction of the rack")
    radius: Annotated[float, PITCH] = item("radius of the pinion's pitch circle")


# ---------------------------------------------------------------- rolling
class Rolling(Constraint):
    """Base class of rolling. A single point `at` is the point of the first body; the point of the second body is then
    its centre."""

    where: ClassVar[str] = "first"


class RollingSphere(Rolling):
    """A ball, the second body, rolls on a plane of the first. `at`: a point of the plane, and the centre of the
    ball."""

    kind: ClassVar[str] = "rolling_sphere"
    definition: ClassVar[Any] = constraints.RollingSphere
    shifting: ClassVar[tuple[str, ...]] = ("normal",)

    rolling_sphere: Annotated[Any, BODIES] = item("the body with the plane, and the ball")
    normal: Annotated[Vec, Direction()] = item("normal of the plane, towards the ball")
    radius: Annotated[float, PITCH] = item("radius of the ball")


class RollingDisk(Rolling):
    """A thin wheel, the second body, rolls on a plane of the first. `at`: a point of the plane, and the centre of the
    wheel."""

    kind: ClassVar[str] = "rolling_disk"
    definition: ClassVar[Any] = constraints.RollingDisk
    turning: ClassVar[tuple[str, ...]] = ("axis",)
    shifting: ClassVar[tuple[str, ...]] = ("normal",)

    rolling_disk: Annotated[Any, BODIES] = item("the body with the plane, and the wheel")
    normal: Annotated[Vec, Direction()] = item("normal of the plane, towards the wheel")
    axis: Annotated[Vec, Direction()] = item("axis of the wheel")
    radius: Annotated[float, PITCH] = item("radius of the wheel")


class RollingInTrough(Rolling):
    """A ball or a roller, the second body, rolls in a round trough of the first. `at`: a point of the trough's axis,
    and the centre of the ball or roller."""

    kind: ClassVar[str] = "rolling_in_trough"
    definition: ClassVar[Any] = constraints.RollingInTrough
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    rolling_in_trough: Annotated[Any, BODIES] = item("the body with the trough, and the rolling body")
    axis: Annotated[Vec, Direction()] = item("axis of the trough")
    trough_radius: Annotated[float, PITCH] = item("radius of the trough")
    radius: Annotated[float, PITCH] = item("radius of the rolling body")
    cylinder: Annotated[bool, Flag()] = item("whether it is a roller along the trough; otherwise it is a ball", False)


class KnifeEdge(Constraint):
    """The second body's point does not move sideways relative to the first body: a blade on ice."""

    kind: ClassVar[str] = "knife_edge"
    definition: ClassVar[Any] = constraints.KnifeEdge
    where: ClassVar[str] = "second"
    shifting: ClassVar[tuple[str, ...]] = ("lateral",)

    knife_edge: Annotated[Any, BODIES] = item("the ground, and the body with the blade")
    lateral: Annotated[Vec, Direction()] = item("the sideways direction, fixed in the second body")


# ---------------------------------------------------------------- couplings
class Terms(Value):
    """Joints and their coefficients."""

    def read(self, value: Any, scope: Scope) -> dict[str, float]:
        """Return the coefficient of each joint, or refuse the entry."""
        if not isinstance(value, dict) or not value:
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        parts, out = [], {}
        for key, factor in value.items():
            name, _, axis = key.partition(".")
            if not REFERENCE.match(name) or (axis and not axis.isdecimal()):
                parts.append(((Key(key),), f"got {short(key)}, allowed: the name of a joint, or joint.1"))
                continue
            try:
                out[key] = Number("any").read(factor, scope)
                if out[key] == 0.0:
                    raise Refused("a coefficient must not be 0; leave the joint out")
            except Refused as error:
                parts += [((key, *inner), message) for inner, message in error.parts]
        if parts:
            raise Refused(parts[0][1], parts=parts)
        return out

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "joints and their coefficients: {left: 1, right: -2}; of a joint with several coordinates, joint.1"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"type": "object", "additionalProperties": Number("any").schema(), "description": self.words()}


class Coupling(Model):
    """The sum of joint coordinates, each times its coefficient, stays at `offset`: a differential, a tendon."""

    kind: ClassVar[str] = "coupling"

    coupling: Annotated[Any, Terms()] = item(
        "joints and their coefficients; `joint.1` means the second coordinate of `joint`"
    )
    offset: Annotated[float, Number("any")] = item("the constant value of the sum", 0.0)


@dataclass
class Coupled:
    """A coupling of a loaded scene, or a condition."""

    name: str
    definition: couplings.Linkage
    spec: Model
    mark: Mark | None


def make_coupling(name: str, spec: Coupling, edges: Any, broken: set[str]) -> couplings.Coupling | None:
    """Return the definition of a coupling, or refuse it; None if one of its joints could not be made."""
    terms: dict[Any, float] = {}
    parts = []
    for key, factor in spec.coupling.items():
        joint, _, axis = key.partition(".")
        if joint in broken:
            return None
        where = ("coupling", Key(key))
        if joint not in edges:
            parts.append((where, f"no joint {joint!r}{did_you_mean(joint, edges)}"))
            continue
        d = edges[joint].definition
        if d.axes == 0 or isinstance(d, joints.Ball):
            parts.append((where, f"a {edges[joint].spec.kind} has no coordinates that could be coupled"))
        elif int(axis or 0) >= d.axes:
            parts.append((where, f"{joint!r} has {d.axes} coordinates, numbered from 0"))
        else:
            terms[joint, int(axis or 0)] = factor
    if parts:
        raise Refused(parts[0][1], parts=parts)
    return couplings.Coupling(name=name, terms=terms, offset=spec.offset)
