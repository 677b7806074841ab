"""Joints and constraints of a scene, one model a kind: what is written, the definition that the physics gets, and how a
value of its coordinate displaces the second body relative to the first.

A new kind is one class here and its name in `JOINTS` or `CONSTRAINTS`.
"""

import copy
import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from physics import definitions
from physics.forces import springs as springs_of_physics
from scenes.bodies import Part
from scenes.errors import Mark
from scenes.schema import Inner, Model, item
from scenes.values import Direction, Number, PerAxis, Place, Range, Ranges, Refused, Turn, Value, Vector
from scenes.words import Flag, Names

Vec = tuple[float, ...]
Quat = tuple[float, ...]
BODIES = Names("body", 2)
WORLD = definitions.WORLD
NO_TURN: Quat = (1.0, 0.0, 0.0, 0.0)


@dataclass
class Edge:
    """A joint or constraint of a loaded scene."""

    name: str
    definition: definitions.Joint
    spec: "Tie"
    mark: Mark | None
    a: str  # as written: a fixed body keeps its name here, and is the world for the physics
    b: str
    section: str = "joints"

    def moved(self, name: str, a: str, b: str, physical: tuple[str, str], shift: np.ndarray) -> "Edge":
        """A copy between other bodies, somewhere else; what was checked once is not checked again."""
        edge = copy.copy(self)
        edge.name, edge.a, edge.b = name, a, b
        d = copy.copy(self.definition)
        x, y, z = shift
        points = tuple((p[0] + x, p[1] + y, p[2] + z) for p in d.points)
        for key, value in (("name", name), ("a", physical[0]), ("b", physical[1]), ("at", points), ("points", points)):
            object.__setattr__(d, key, value)
        edge.definition = d
        return edge


@dataclass
class Ends:
    """What a joint ties together."""

    a: str
    b: str
    points: tuple[Vec, Vec]
    part_a: Part | None
    part_b: Part | None


# ---------------------------------------------------------------- what all have
class Tie(Model):
    """What joints, constraints and springs have in common: two bodies, and a point on each."""

    not_yet: ClassVar[dict[str, str]] = dict.fromkeys(
        ("velocity", "position", "torque", "motor", "drive"), "motors (drives) are not supported yet"
    )

    kind: ClassVar[str] = ""
    coordinate: ClassVar[Value | None] = None  # how a value of its coordinate is written

    @property
    def bodies(self) -> tuple[str, str]:
        return getattr(self, self.kind)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        raise NotImplementedError

    def common(self, name: str, ends: Ends) -> dict[str, Any]:
        return {"name": name, "a": ends.a, "b": ends.b, "at": ends.points}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Rotation and shift (world axes as drawn) of b relative to a for a value of the coordinate."""
        raise NotImplementedError

    @classmethod
    def within(cls, definition: Any, value: Any) -> bool:
        """Whether a value keeps to the joint's limits."""
        limits = getattr(definition, "soft_limits", None)
        if limits is None or limits.lower is None:
            return True
        values = value if isinstance(value, tuple) else (value,) * definition.axes
        return all(lo - 1e-9 <= x <= up + 1e-9 for x, lo, up in zip(values, limits.lower, limits.upper, strict=True))


class Joint(Tie):
    """What all joints and constraints have."""

    at: Annotated[Any, Place()] = item(
        "where it is: one world point, or one for each body (then it is closed when the scene is loaded)", None
    )
    auxiliary: Annotated[bool, Flag()] = item("keep it out of the tree of joints", False)

    def common(self, name: str, ends: Ends) -> dict[str, Any]:
        return super().common(name, ends) | {"auxiliary": self.auxiliary}


def turn_about(axis: Any, angle: float) -> Quat:
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), *(s * float(x) for x in axis))


# an angle or travel that no joint reaches: the physics wants finite bounds
FAR = 1e9


def bound(x: float) -> float:
    return max(-FAR, min(FAR, x))


def each(value: Any, axes: int) -> tuple[float, ...]:
    """A coordinate for each axis, of one number for all."""
    return value if isinstance(value, tuple) else (value,) * axes


def square(first: Vec, second: Vec, most: float, name: str, other: str) -> Vec:
    """The second direction made exactly perpendicular to the first: people write a few digits."""
    overlap = sum(x * y for x, y in zip(first, second, strict=True))
    if abs(overlap) > most:
        angle = math.degrees(math.acos(max(-1.0, min(1.0, overlap))))
        raise Refused(f"`{name}` and `{other}` must be at right angles, and make {angle:.4g} deg", (other,))
    v = [y - overlap * x for x, y in zip(first, second, strict=True)]
    return second if abs(overlap) < 1e-15 else tuple(x / math.hypot(*v) for x in v)


NO_HARD_LIMITS = "hard limits are not supported yet; say how they give way: soft: {stiffness: ..., damping: ...}"


def soft_limits(spec: Any) -> definitions.SoftLimits | None:
    """`limits` and `soft` of joints with single axes."""
    if spec.limits is None:
        if spec.soft is not None:
            raise Refused("`soft` says how limits give way, and there are no limits", ("soft",))
        return None
    if spec.soft is None:
        raise Refused(NO_HARD_LIMITS, ("limits",))
    lower = tuple(bound(low) for low, _ in spec.limits)
    upper = tuple(bound(high) for _, high in spec.limits)
    return definitions.SoftLimits(stiffness=spec.soft.stiffness, damping=spec.soft.damping, lower=lower, upper=upper)


def springs(spec: Any) -> dict[str, Any]:
    armature = getattr(spec, "armature", 0.0)
    return {"stiffness": spec.stiffness, "damping": spec.damping, "rest": spec.rest, "armature": armature}


STIFF, DAMP = "N*m/rad", "N*m*s/rad"


class SoftHinge(Model):
    """How limits give way."""

    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping beyond the limit", 0.0)


class SoftUniversal(Model):
    """How limits give way."""

    stiffness: Annotated[Any, PerAxis(STIFF, 2, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(DAMP, 2, 0.0)] = item("damping beyond the limit", 0.0)


class SoftBall(Model):
    """How limits give way: stiffness about x, y, z of the joint frame; swing takes the first, twist the third."""

    stiffness: Annotated[Any, PerAxis(STIFF, 3, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(DAMP, 3, 0.0)] = item("damping beyond the limit", 0.0)


class SoftCylindrical(Model):
    """How limits give way: of the sliding, of the turning."""

    stiffness: Annotated[Any, PerAxis(("N/m", STIFF), 2, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(("N*s/m", DAMP), 2, 0.0)] = item("damping beyond the limit", 0.0)


class SoftPlanar(Model):
    """How limits give way: of both slidings, of the turning."""

    stiffness: Annotated[Any, PerAxis(("N/m", "N/m", STIFF), 3, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(("N*s/m", "N*s/m", DAMP), 3, 0.0)] = item("damping beyond the limit", 0.0)


class SoftSlider(Model):
    """How limits give way."""

    stiffness: Annotated[Any, PerAxis("N/m", 1, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis("N*s/m", 1, 0.0)] = item("damping beyond the limit", 0.0)


# ---------------------------------------------------------------- joints
class Ball(Joint):
    """Two points stay together; free to turn about all axes."""

    kind: ClassVar[str] = "ball"
    coordinate: ClassVar[Value | None] = Turn()

    ball: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    stiffness: Annotated[Any, PerAxis(STIFF, 3, 0.0)] = item(
        "spring towards `rest`, about x, y, z of the joint", 0.0, live=True
    )
    damping: Annotated[Any, PerAxis(DAMP, 3, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Vec, Turn()] = item("where the spring is relaxed", (0.0, 0.0, 0.0))
    twist_axis: Annotated[Vec | None, Direction()] = item(
        "z axis of the joint: the one twist is about; else the second body's long shape", None
    )
    swing_axis: Annotated[Vec | None, Direction()] = item("x axis of the joint, for different stiffness", None)
    swing: Annotated[Any, PerAxis("rad", 2, 0.0)] = item("how far the twist axis may lean", None)
    twist: Annotated[Any, Range("rad")] = item("how far it may turn about the twist axis", None)
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about each axis", 0.0)
    soft: Annotated[SoftBall | None, Inner(SoftBall)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        twist_axis = self.twist_axis
        if twist_axis is None and ends.part_b is not None:
            twist_axis = ends.part_b.axis
        if twist_axis is None and (self.swing is not None or self.twist is not None):
            raise Refused("'twist_axis' is missing: the second body has no long shape to take it from")
        return definitions.Ball(
            **self.common(name, ends), **springs(self), twist_axis=twist_axis or (0.0, 0.0, 1.0),
            swing_axis=self.swing_axis, soft_limits=self.limits(),
        )  # fmt: skip

    def limits(self) -> definitions.SoftLimits | None:
        if self.swing is None and self.twist is None:
            if self.soft is not None:
                raise Refused("`soft` says how limits give way, and there is no swing or twist", ("soft",))
            return None
        if self.soft is None:
            raise Refused(NO_HARD_LIMITS, ("swing" if self.swing is not None else "twist",))
        swing = self.swing
        if isinstance(swing, tuple):
            if swing[0] != swing[1]:
                raise Refused("two different swing angles are not supported yet; give one", ("swing",))
            swing = swing[0]
        low, high = (-FAR, FAR) if self.twist is None else self.twist
        return definitions.SoftLimits(
            stiffness=self.soft.stiffness, damping=self.soft.damping, swing=FAR if swing is None else swing,
            twist=(bound(low), bound(high)),
        )  # fmt: skip

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        angle = math.hypot(*value)
        return (turn_about([x / angle for x in value], angle) if angle else NO_TURN), (0.0, 0.0, 0.0)


class Hinge(Joint):
    """Rotation about one axis."""

    kind: ClassVar[str] = "hinge"
    coordinate: ClassVar[Value | None] = Number("rad")

    hinge: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it turns about")
    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Any, Number("rad")] = item("angle at which the spring is relaxed", 0.0)
    limits: Annotated[Any, Ranges("rad", 1)] = item("how far it may turn", None)
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about each axis", 0.0)
    soft: Annotated[SoftHinge | None, Inner(SoftHinge)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Hinge(
            **self.common(name, ends), **springs(self), axis=self.axis, soft_limits=soft_limits(self)
        )

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        return turn_about(definition.axis, value), (0.0, 0.0, 0.0)


class Universal(Joint):
    """Rotation about two axes at right angles: `axis` is fixed in the first body, `axis2` in the second."""

    kind: ClassVar[str] = "universal"
    coordinate: ClassVar[Value | None] = PerAxis("rad", 2)

    universal: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("axis fixed in the first body")
    axis2: Annotated[Vec, Direction()] = item("axis fixed in the second body")
    stiffness: Annotated[Any, PerAxis(STIFF, 2, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(DAMP, 2, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Any, PerAxis("rad", 2)] = item("angles at which the spring is relaxed", 0.0)
    limits: Annotated[Any, Ranges("rad", 2)] = item("how far it may turn about each", None)
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about each axis", 0.0)
    soft: Annotated[SoftUniversal | None, Inner(SoftUniversal)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Universal(
            **self.common(name, ends), **springs(self), axis=self.axis,
            axis2=square(self.axis, self.axis2, 0.01, "axis", "axis2"), soft_limits=soft_limits(self),
        )  # fmt: skip

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        first, second = each(value, 2)
        return product(turn_about(definition.axis, first), turn_about(definition.axis2, second)), (0.0, 0.0, 0.0)


class Slider(Joint):
    """Translation along one axis."""

    kind: ClassVar[str] = "slider"
    coordinate: ClassVar[Value | None] = Number("m")

    slider: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it slides along")
    stiffness: Annotated[Any, PerAxis("N/m", 1, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis("N*s/m", 1, 0.0)] = item("damping of the sliding", 0.0, live=True)
    rest: Annotated[Any, Number("m")] = item("travel at which the spring is relaxed", 0.0)
    limits: Annotated[Any, Ranges("m", 1)] = item("how far it may slide", None)
    armature: Annotated[float, Number("kg", low=0.0)] = item("inertia of a rotor about each axis", 0.0)
    soft: Annotated[SoftSlider | None, Inner(SoftSlider)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Slider(
            **self.common(name, ends), **springs(self), axis=self.axis, soft_limits=soft_limits(self)
        )

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        return NO_TURN, tuple(value * x for x in definition.axis)


class Cylindrical(Joint):
    """Translation along one axis and rotation about it: coordinates [travel, angle]."""

    kind: ClassVar[str] = "cylindrical"
    coordinate: ClassVar[Value | None] = PerAxis(("m", "rad"), 2)

    cylindrical: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it slides along and turns about")
    stiffness: Annotated[Any, PerAxis(("N/m", STIFF), 2, 0.0)] = item("springs towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(("N*s/m", DAMP), 2, 0.0)] = item("damping of sliding and turning", 0.0, live=True)
    rest: Annotated[Any, PerAxis(("m", "rad"), 2)] = item("travel and angle at which the springs are relaxed", 0.0)
    limits: Annotated[Any, Ranges(("m", "rad"), 2)] = item("how far it may slide and turn", None)
    soft: Annotated[SoftCylindrical | None, Inner(SoftCylindrical)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Cylindrical(
            **self.common(name, ends), **springs(self), axis=self.axis, soft_limits=soft_limits(self)
        )

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        travel, angle = each(value, 2)
        return turn_about(definition.axis, angle), tuple(travel * x for x in definition.axis)


class Planar(Joint):
    """Translation in a plane and rotation about its normal: coordinates [travel along axis, travel across, angle]."""

    kind: ClassVar[str] = "planar"
    coordinate: ClassVar[Value | None] = PerAxis(("m", "m", "rad"), 3)

    planar: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    normal: Annotated[Vec, Direction()] = item("normal of the plane")
    axis: Annotated[Vec | None, Direction()] = item("direction of the first travel, in the plane; else any", None)
    stiffness: Annotated[Any, PerAxis(("N/m", "N/m", STIFF), 3, 0.0)] = item("springs towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(("N*s/m", "N*s/m", DAMP), 3, 0.0)] = item("damping", 0.0, live=True)
    rest: Annotated[Any, PerAxis(("m", "m", "rad"), 3)] = item("where the springs are relaxed", 0.0)
    limits: Annotated[Any, Ranges(("m", "m", "rad"), 3)] = item("how far it may slide and turn", None)
    soft: Annotated[SoftPlanar | None, Inner(SoftPlanar)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        if self.axis is None:
            letter = min(range(3), key=lambda k: abs(self.normal[k]))
            axis = square(self.normal, tuple(float(k == letter) for k in range(3)), math.inf, "normal", "axis")
        else:
            axis = square(self.normal, self.axis, 0.01, "normal", "axis")
        return definitions.Planar(
            **self.common(name, ends), **springs(self), normal=self.normal, axis=axis, soft_limits=soft_limits(self)
        )

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        x, y, angle = each(value, 3)
        shift = x * np.array(definition.axis) + y * np.cross(definition.normal, definition.axis)
        return turn_about(definition.normal, angle), tuple(shift.tolist())


class Screw(Joint):
    """Rotation about an axis that drives a travel along it; the coordinate is the angle."""

    kind: ClassVar[str] = "screw"
    coordinate: ClassVar[Value | None] = Number("rad")

    screw: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it turns about and travels along")
    pitch: Annotated[float, Number("m")] = item("travel in one turn; negative for a left-handed screw")
    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Any, Number("rad")] = item("angle at which the spring is relaxed", 0.0)
    limits: Annotated[Any, Ranges("rad", 1)] = item("how far it may turn", None)
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about each axis", 0.0)
    soft: Annotated[SoftHinge | None, Inner(SoftHinge)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        if self.pitch == 0.0:
            raise Refused("a screw without a pitch is a hinge", ("pitch",))
        return definitions.Screw(
            **self.common(name, ends), **springs(self), axis=self.axis, pitch=self.pitch, soft_limits=soft_limits(self)
        )

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        travel = definition.pitch * value / (2.0 * math.pi)
        return turn_about(definition.axis, value), tuple(travel * x for x in definition.axis)


class Weld(Joint):
    """Nothing moves."""

    kind: ClassVar[str] = "weld"

    weld: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Weld(**self.common(name, ends))


class Free(Joint):
    """The second body moves freely in the world, and is the root of its figure."""

    kind: ClassVar[str] = "free"

    free: Annotated[Any, BODIES] = item("world and the body")

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Free(**self.common(name, ends))


# ---------------------------------------------------------------- constraints
class Distance(Joint):
    """A rod without mass: two points keep their distance."""

    kind: ClassVar[str] = "distance"

    distance: Annotated[Any, BODIES] = item("its two bodies")
    length: Annotated[float | None, Number("m", above=0.0)] = item("the distance; else as drawn", None)

    not_yet: ClassVar[dict[str, str]] = {**Tie.not_yet, "at_most": "ropes (at_most) are not supported yet"}

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Distance(**self.common(name, ends), length=self.length)


# ---------------------------------------------------------------- springs
class Spring(Tie):
    """A spring and damper between two points of two bodies."""

    kind: ClassVar[str] = "between"

    between: Annotated[Any, BODIES] = item("its two bodies")
    start: Annotated[Vec | None, Vector("m")] = item(
        "its point on the first; else its centre of mass", None, alias="from"
    )
    end: Annotated[Vec | None, Vector("m")] = item("its point on the second; else its centre of mass", None, alias="to")
    stiffness: Annotated[Any, PerAxis("N/m", 1, 0.0)] = item("stiffness", live=True)
    damping: Annotated[Any, PerAxis("N*s/m", 1, 0.0)] = item("damping", 0.0, live=True)
    rest: Annotated[float | None, Number("m", low=0.0)] = item("its length when relaxed; else as drawn", None)
    tension_only: Annotated[bool, Flag()] = item("it only pulls, like a rubber band", False)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return springs_of_physics.Spring(
            **self.common(name, ends), stiffness=self.stiffness, damping=self.damping, rest=self.rest,
            tension_only=self.tension_only,
        )  # fmt: skip


class Torsion(Tie):
    """A spring and damper for the rotation of one body relative to another, wherever they are."""

    kind: ClassVar[str] = "torsion"

    torsion: Annotated[Any, BODIES] = item("its two bodies")
    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("stiffness", live=True)
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping", 0.0, live=True)
    rest: Annotated[Vec, Turn()] = item("where it is relaxed", (0.0, 0.0, 0.0))

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return springs_of_physics.TorsionSpring(
            **self.common(name, ends), stiffness=self.stiffness, damping=self.damping, rest=self.rest
        )


SPRINGS: dict[str, type[Tie]] = {k.kind: k for k in (Spring, Torsion)}
JOINTS: dict[str, type[Joint]] = {
    k.kind: k for k in (Ball, Hinge, Universal, Slider, Cylindrical, Planar, Screw, Weld, Free)
}
CONSTRAINTS: dict[str, type[Joint]] = {k.kind: k for k in (Distance,)}
KINDS: dict[str, type[Tie]] = {**JOINTS, **CONSTRAINTS, **SPRINGS}
# in the language, and not in the physics yet
NOT_YET = {
    kind: f"{kind} joints are not supported yet"
    for kind in ("compound",)
} | {
    kind: f"{kind} constraints are not supported yet"
    for kind in (
        "point_on_line", "point_on_plane", "point_on_curve", "gear", "rack", "rolling", "knife_edge", "parallel",
        "coordinate", "pulley",
    )
}  # fmt: skip


def product(p: Quat, q: Quat) -> Quat:
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )
