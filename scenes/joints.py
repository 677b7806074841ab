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
from scenes.bodies import Part
from scenes.errors import Mark
from scenes.schema import Inner, Model, item
from scenes.values import Direction, Number, PerAxis, Place, Range, Ranges, Refused, Turn, Value
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
    spec: "Joint"
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
class Joint(Model):
    """What all joints and constraints have."""

    kind: ClassVar[str] = ""
    coordinate: ClassVar[Value | None] = None  # how a value of its coordinate is written

    at: Annotated[Any, Place()] = item(
        "where it is: one world point, or one for each body (then it is closed when the scene is loaded)", None
    )
    auxiliary: Annotated[bool, Flag()] = item("keep it out of the tree of joints", False)

    @property
    def bodies(self) -> tuple[str, str]:
        return getattr(self, self.kind)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        raise NotImplementedError

    def common(self, name: str, ends: Ends) -> dict[str, Any]:
        return {"name": name, "a": ends.a, "b": ends.b, "at": ends.points, "auxiliary": self.auxiliary}

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


def turn_about(axis: Any, angle: float) -> Quat:
    s = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), *(s * float(x) for x in axis))


# an angle or travel that no joint reaches: the physics wants finite bounds
FAR = 1e9


def bound(x: float) -> float:
    return max(-FAR, min(FAR, x))


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
    return {"stiffness": spec.stiffness, "damping": spec.damping, "rest": spec.rest}


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
    soft: Annotated[SoftUniversal | None, Inner(SoftUniversal)] = item("how the limits give way", None)

    def across(self) -> Vec:
        """`axis2` made exactly perpendicular: people write a few digits."""
        overlap = sum(x * y for x, y in zip(self.axis, self.axis2, strict=True))
        if abs(overlap) > 0.01:
            angle = math.degrees(math.acos(max(-1.0, min(1.0, overlap))))
            raise Refused(f"`axis` and `axis2` must be at right angles, and make {angle:.4g} deg", ("axis2",))
        v = [y - overlap * x for x, y in zip(self.axis, self.axis2, strict=True)]
        return self.axis2 if abs(overlap) < 1e-15 else tuple(x / math.hypot(*v) for x in v)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Universal(
            **self.common(name, ends), **springs(self), axis=self.axis, axis2=self.across(),
            soft_limits=soft_limits(self),
        )  # fmt: skip

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        first, second = value if isinstance(value, tuple) else (value, value)
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
    soft: Annotated[SoftSlider | None, Inner(SoftSlider)] = item("how the limits give way", None)

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Slider(
            **self.common(name, ends), **springs(self), axis=self.axis, soft_limits=soft_limits(self)
        )

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        return NO_TURN, tuple(value * x for x in definition.axis)


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

    not_yet: ClassVar[dict[str, str]] = {"at_most": "ropes (at_most) are not supported yet"}

    def define(self, name: str, ends: Ends) -> definitions.Joint:
        return definitions.Distance(**self.common(name, ends), length=self.length)


JOINTS: dict[str, type[Joint]] = {k.kind: k for k in (Ball, Hinge, Universal, Slider, Weld, Free)}
CONSTRAINTS: dict[str, type[Joint]] = {k.kind: k for k in (Distance,)}
KINDS = JOINTS | CONSTRAINTS
# in the language, and not in the physics yet
NOT_YET = {
    kind: f"{kind} joints are not supported yet"
    for kind in ("compound", "cylindrical", "planar", "screw")
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
