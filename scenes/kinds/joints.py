"""Joints of a scene, one model a kind.

A new kind is one class here and its name in `scenes/kinds/table.py`.
"""

import math
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np

from physics.definitions import compound as scene_compound
from physics.definitions import joints, motions
from physics.definitions import limits as scene_limits
from physics.definitions.series import frames
from physics.maths.rotations import quaternion_of
from physics.maths.strict import norm
from scenes.kinds.signals import Told
from scenes.kinds.ties import (
    BODIES,
    DAMP,
    FAR,
    NO_TURN,
    STIFF,
    Ends,
    Joint,
    Quat,
    Tie,
    Vec,
    bound,
    check_bounce,
    each,
    limits_of,
    product,
    square,
    turn_about,
)  # fmt: skip
from scenes.text.errors import short
from scenes.text.reader import Key
from scenes.text.schema import Inner, Model, item, read_model
from scenes.text.values import (
    Direction,
    Number,
    PerAxis,
    Range,
    Ranges,
    Refused,
    Scope,
    Turn,
    Value,
    Vector,
    gather,
    items_of,
)  # fmt: skip


def springs(spec: Any) -> dict[str, Any]:
    return {"stiffness": spec.stiffness, "damping": spec.damping, "rest": spec.rest, "armature": spec.armature}


class SoftHinge(Model):
    """How limits give way."""

    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping beyond the limit", 0.0)


class SoftUniversal(Model):
    """How limits give way."""

    stiffness: Annotated[Any, PerAxis(STIFF, 2, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(DAMP, 2, 0.0)] = item("damping beyond the limit", 0.0)


class Swing(PerAxis):
    """An angle to every side, or two."""

    def read(self, value: Any, scope: Scope) -> Any:
        if isinstance(value, list) and len(value) == 2:
            low, high = (Number("rad", infinite=True).read(x, scope) for x in value)
            if low < 0.0 <= high:
                raise Refused(
                    f"got {short(value)}, allowed: one angle, the half angle of the cone: {value[1]}; two are about x "
                    "and y of the joint"
                )
        return super().read(value, scope)


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


# what 0 and positive mean, where an angle or a travel is written
TURNED = "; 0 as drawn, positive by the right hand about the axis"
SLID = "; 0 as drawn, positive along the axis"
BOUNCE = "of hard limits: the share of its speed with which it comes back"
BOTH = "; 0 as drawn, positive along the axis, and by the right hand about it"


# ---------------------------------------------------------------- balls
class Turning(Tie):
    """A spring for all three turnings, with a cone and a twist for limits."""

    stiffness: Annotated[Any, PerAxis(STIFF, 3, 0.0)] = item(
        "spring towards `rest`, about x, y, z of the joint", 0.0, live=True
    )
    damping: Annotated[Any, PerAxis(DAMP, 3, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Vec, Turn()] = item("where the spring is relaxed", (0.0, 0.0, 0.0))
    twist_axis: Annotated[Vec | None, Direction()] = item(
        "z axis of the joint: the one twist is about; else the second body's long shape", None
    )
    swing_axis: Annotated[Vec | None, Direction()] = item("x axis of the joint, for different stiffness", None)
    swing: Annotated[Any, Swing("rad", 2, 0.0)] = item(
        "how far the twist axis may lean to every side: the half angle of its cone, or two, about x and y of the joint",
        None,
    )
    twist: Annotated[Any, Range("rad")] = item(f"how far it may turn about the twist axis{TURNED}", None)
    restitution: Annotated[Any, PerAxis("", 1, 0.0, 1.0)] = item(BOUNCE, 0.0)
    soft: Annotated[SoftBall | None, Inner(SoftBall)] = item("how the limits give way", None)

    turning: ClassVar[tuple[str, ...]] = ("twist_axis", "swing_axis")

    def define(self, name: str, ends: Ends) -> joints.Joint:
        twist_axis = self.twist_axis
        if twist_axis is None and ends.part_b is not None:
            twist_axis = ends.part_b.axis
        if twist_axis is None and (self.swing is not None or self.twist is not None):
            raise Refused("'twist_axis' is missing: the second body has no long shape to take it from")
        return self.definition(
            **self.common(name, ends), **self.fields(), stiffness=self.stiffness, damping=self.damping, rest=self.rest,
            twist_axis=twist_axis or (0.0, 0.0, 1.0), swing_axis=self.swing_axis, **self.bounds(),
        )  # fmt: skip

    def bounds(self) -> dict[str, Any]:
        check_bounce(self, self.swing is not None or self.twist is not None)
        if self.swing is None and self.twist is None:
            if self.soft is not None:
                raise Refused("`soft` says how limits give way, and there is no swing or twist", ("soft",))
            return {}
        swing = self.swing
        if isinstance(swing, tuple) and swing[0] == swing[1]:
            swing = swing[0]
        if self.soft is None:
            still = swing is not None and min(np.atleast_1d(swing)) == 0.0
            if still or (self.twist is not None and self.twist[0] == self.twist[1]):
                inner = "swing" if still else "twist"
                raise Refused("no room to move: that is another joint, a hinge or a universal", (inner,))
            twist = None if self.twist is None else tuple(bound(x) for x in self.twist)
            return {"limits": scene_limits.Limits(swing=swing, twist=twist, restitution=self.restitution)}
        if isinstance(swing, tuple):
            raise Refused("two different swing angles are for hard limits; soft ones have a round cone", ("swing",))
        low, high = (-FAR, FAR) if self.twist is None else self.twist
        soft = scene_limits.SoftLimits(
            stiffness=self.soft.stiffness, damping=self.soft.damping, swing=FAR if swing is None else swing,
            twist=(bound(low), bound(high)),
        )  # fmt: skip
        return {"soft_limits": soft}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        angle = norm(value)
        return (turn_about([x / angle for x in value], angle) if angle else NO_TURN), (0.0, 0.0, 0.0)


class Ball(Turning, Joint):
    """Two points stay together; free to turn about all axes."""

    kind: ClassVar[str] = "ball"
    definition: ClassVar[Any] = joints.Ball
    coordinate: ClassVar[Value | None] = Turn()
    particles: ClassVar[tuple[int, ...]] = (0, 1)

    ball: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about each axis", 0.0)

    def fields(self) -> dict[str, Any]:
        return {"armature": self.armature}


# ---------------------------------------------------------------- single axes
class Sprung(Joint):
    """A joint along one axis, with springs and limits for its coordinates."""

    def fields(self: Any) -> dict[str, Any]:
        return springs(self) | limits_of(self) | {"axis": self.axis}


class Turned(Sprung):
    """A joint whose coordinate is one angle about its axis."""

    coordinate: ClassVar[Value | None] = Number("rad")
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Any, Number("rad")] = item(f"angle at which the spring is relaxed{TURNED}", 0.0, live=True)
    limits: Annotated[Any, Ranges("rad", 1)] = item(f"how far it may turn{TURNED}", None, live=True)
    restitution: Annotated[Any, PerAxis("", 1, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about the axis", 0.0)
    soft: Annotated[SoftHinge | None, Inner(SoftHinge)] = item("how the limits give way", None)


class Hinge(Turned):
    """Rotation about one axis."""

    kind: ClassVar[str] = "hinge"
    definition: ClassVar[Any] = joints.Hinge

    hinge: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it turns about")

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        return turn_about(definition.axis, value), (0.0, 0.0, 0.0)


class Universal(Joint):
    """Rotation about two axes at right angles: `axis` is fixed in the first body, `axis2` in the second."""

    kind: ClassVar[str] = "universal"
    definition: ClassVar[Any] = joints.Universal
    coordinate: ClassVar[Value | None] = PerAxis("rad", 2)
    turning: ClassVar[tuple[str, ...]] = ("axis", "axis2")

    universal: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("axis fixed in the first body")
    axis2: Annotated[Vec, Direction()] = item("axis fixed in the second body")
    stiffness: Annotated[Any, PerAxis(STIFF, 2, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(DAMP, 2, 0.0)] = item("damping of the turning", 0.0, live=True)
    rest: Annotated[Any, PerAxis("rad", 2)] = item(f"angles at which the spring is relaxed{TURNED}", 0.0, live=True)
    limits: Annotated[Any, Ranges("rad", 2)] = item(f"how far it may turn about each{TURNED}", None, live=True)
    restitution: Annotated[Any, PerAxis("", 2, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[Any, PerAxis("kg*m^2", 2, 0.0)] = item("inertia of a rotor about each axis", 0.0)
    soft: Annotated[SoftUniversal | None, Inner(SoftUniversal)] = item("how the limits give way", None)

    def fields(self) -> dict[str, Any]:
        second = square(self.axis, self.axis2, 0.01, "axis", "axis2")
        return springs(self) | limits_of(self) | {"axis": self.axis, "axis2": second}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        first, second = each(value, 2)
        return product(turn_about(definition.axis, first), turn_about(definition.axis2, second)), (0.0, 0.0, 0.0)


class Slider(Sprung):
    """Translation along one axis."""

    kind: ClassVar[str] = "slider"
    definition: ClassVar[Any] = joints.Slider
    coordinate: ClassVar[Value | None] = Number("m")
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    slider: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it slides along")
    stiffness: Annotated[Any, PerAxis("N/m", 1, 0.0)] = item("spring towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis("N*s/m", 1, 0.0)] = item("damping of the sliding", 0.0, live=True)
    rest: Annotated[Any, Number("m")] = item(f"travel at which the spring is relaxed{SLID}", 0.0, live=True)
    limits: Annotated[Any, Ranges("m", 1)] = item(f"how far it may slide{SLID}", None, live=True)
    restitution: Annotated[Any, PerAxis("", 1, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[float, Number("kg", low=0.0)] = item("mass of a rotor, as the travel feels it", 0.0)
    soft: Annotated[SoftSlider | None, Inner(SoftSlider)] = item("how the limits give way", None)

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        return NO_TURN, tuple(value * x for x in definition.axis)


class Cylindrical(Sprung):
    """Translation along one axis and rotation about it: coordinates [travel, angle]."""

    kind: ClassVar[str] = "cylindrical"
    definition: ClassVar[Any] = joints.Cylindrical
    coordinate: ClassVar[Value | None] = PerAxis(("m", "rad"), 2)
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    cylindrical: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it slides along and turns about")
    stiffness: Annotated[Any, PerAxis(("N/m", STIFF), 2, 0.0)] = item("springs towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(("N*s/m", DAMP), 2, 0.0)] = item("damping of sliding and turning", 0.0, live=True)
    rest: Annotated[Any, PerAxis(("m", "rad"), 2)] = item(
        f"travel and angle at which the springs are relaxed{BOTH}", 0.0
    )
    limits: Annotated[Any, Ranges(("m", "rad"), 2)] = item(f"how far it may slide and turn{BOTH}", None)
    restitution: Annotated[Any, PerAxis("", 2, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[Any, PerAxis(("kg", "kg*m^2"), 2, 0.0)] = item("inertia of rotors, of sliding and turning", 0.0)
    soft: Annotated[SoftCylindrical | None, Inner(SoftCylindrical)] = item("how the limits give way", None)

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        travel, angle = each(value, 2)
        return turn_about(definition.axis, angle), tuple(travel * x for x in definition.axis)


class Planar(Joint):
    """Translation in a plane and rotation about its normal: coordinates [travel along axis, travel across, angle]."""

    kind: ClassVar[str] = "planar"
    definition: ClassVar[Any] = joints.Planar
    coordinate: ClassVar[Value | None] = PerAxis(("m", "m", "rad"), 3)
    turning: ClassVar[tuple[str, ...]] = ("normal",)
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    planar: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    normal: Annotated[Vec, Direction()] = item("normal of the plane")
    axis: Annotated[Vec | None, Direction()] = item("direction of the first travel, in the plane; else any", None)
    stiffness: Annotated[Any, PerAxis(("N/m", "N/m", STIFF), 3, 0.0)] = item("springs towards `rest`", 0.0, live=True)
    damping: Annotated[Any, PerAxis(("N*s/m", "N*s/m", DAMP), 3, 0.0)] = item("damping", 0.0, live=True)
    rest: Annotated[Any, PerAxis(("m", "m", "rad"), 3)] = item(f"where the springs are relaxed{BOTH}", 0.0, live=True)
    limits: Annotated[Any, Ranges(("m", "m", "rad"), 3)] = item(f"how far it may slide and turn{BOTH}", None, live=True)
    restitution: Annotated[Any, PerAxis("", 3, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[Any, PerAxis(("kg", "kg", "kg*m^2"), 3, 0.0)] = item("inertia of rotors", 0.0)
    soft: Annotated[SoftPlanar | None, Inner(SoftPlanar)] = item("how the limits give way", None)

    def fields(self) -> dict[str, Any]:
        if self.axis is None:
            letter = min(range(3), key=lambda k: abs(self.normal[k]))
            axis = square(self.normal, tuple(float(k == letter) for k in range(3)), math.inf, "normal", "axis")
        else:
            axis = square(self.normal, self.axis, 0.01, "normal", "axis")
        return springs(self) | limits_of(self) | {"normal": self.normal, "axis": axis}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        x, y, angle = each(value, 3)
        shift = x * np.array(definition.axis) + y * np.cross(definition.normal, definition.axis)
        return turn_about(definition.normal, angle), tuple(shift.tolist())


class Screw(Turned):
    """Rotation about an axis that drives a travel along it; the coordinate is the angle."""

    kind: ClassVar[str] = "screw"
    definition: ClassVar[Any] = joints.Screw

    screw: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it turns about and travels along")
    pitch: Annotated[float, Number("m")] = item("travel in one turn; negative for a left-handed screw")

    def fields(self) -> dict[str, Any]:
        if self.pitch == 0.0:
            raise Refused("a screw without a pitch is a hinge", ("pitch",))
        return super().fields() | {"pitch": self.pitch}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        travel = definition.pitch * value / (2.0 * math.pi)
        return turn_about(definition.axis, value), tuple(travel * x for x in definition.axis)


# ---------------------------------------------------------------- several axes in series
class TurnPart(Model):
    """An axis that turns."""

    turn: Annotated[Vec, Direction()] = item("the axis it turns about")
    at: Annotated[Vec | None, Vector("m")] = item("a point on the axis; else that of the joint", None)
    pitch: Annotated[float, Number("m")] = item("travel along it in one turn: a screw", 0.0)
    stiffness: Annotated[Any, PerAxis(STIFF, 1, 0.0)] = item("spring towards `rest`", 0.0)
    damping: Annotated[Any, PerAxis(DAMP, 1, 0.0)] = item("damping of the turning", 0.0)
    rest: Annotated[float, Number("rad")] = item(f"angle at which the spring is relaxed{TURNED}", 0.0)
    limits: Annotated[Any, Ranges("rad", 1)] = item(f"how far it may turn{TURNED}", None)
    restitution: Annotated[Any, PerAxis("", 1, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about it", 0.0)
    soft: Annotated[SoftHinge | None, Inner(SoftHinge)] = item("how the limits give way", None)


class SlidePart(Model):
    """An axis that slides."""

    slide: Annotated[Vec, Direction()] = item("the axis it slides along")
    at: Annotated[Vec | None, Vector("m")] = item("a point on the axis; else that of the joint", None)
    stiffness: Annotated[Any, PerAxis("N/m", 1, 0.0)] = item("spring towards `rest`", 0.0)
    damping: Annotated[Any, PerAxis("N*s/m", 1, 0.0)] = item("damping of the sliding", 0.0)
    rest: Annotated[float, Number("m")] = item(f"travel at which the spring is relaxed{SLID}", 0.0)
    limits: Annotated[Any, Ranges("m", 1)] = item(f"how far it may slide{SLID}", None)
    restitution: Annotated[Any, PerAxis("", 1, 0.0, 1.0)] = item(BOUNCE, 0.0)
    armature: Annotated[float, Number("kg", low=0.0)] = item("mass of a rotor, as the travel feels it", 0.0)
    soft: Annotated[SoftSlider | None, Inner(SoftSlider)] = item("how the limits give way", None)


def one_axis(limits: Any) -> Any:
    """Of a part: numbers in the place of lists of one."""
    if isinstance(limits, scene_limits.SoftLimits):
        return limits
    (low,), (high,) = limits.lower, limits.upper  # type: ignore[misc]
    return scene_limits.Limits(lower=low, upper=high, restitution=limits.bounce(0))


PARTS: dict[str, type[Model]] = {"turn": TurnPart, "slide": SlidePart}


class Parts(Value):
    """The axes of a compound joint."""

    def read(self, value: Any, scope: Scope) -> tuple[Model, ...]:
        items = items_of(value, self)
        if not 1 <= len(items) <= 3:
            raise Refused(f"got {len(items)} axes, allowed: one to three")
        return tuple(gather(enumerate(items), lambda v: self.one(v, scope)))

    def one(self, value: Any, scope: Scope) -> Model:
        if isinstance(value, Model):
            return value
        kinds = [k for k in PARTS if isinstance(value, dict) and k in value]
        if len(kinds) != 1:
            inner = (Key(kinds[1]),) if kinds else ()
            raise Refused(f"got {short(value)}, allowed: {self.words()}", inner)
        return read_model(PARTS[kinds[0]], value, scope)

    def words(self) -> str:
        return "a list of one to three of {turn: axis, ...} and {slide: axis, ...}"

    def schema(self) -> dict[str, Any]:
        one = {"anyOf": [{"$model": model} for model in PARTS.values()]}
        return {"type": "array", "items": one, "minItems": 1, "maxItems": 3, "description": self.words()}


class Compound(Joint):
    """Up to three hinges and sliders in series, each carried along by those before it."""

    kind: ClassVar[str] = "compound"
    definition: ClassVar[Any] = scene_compound.Compound

    compound: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    parts: Annotated[Any, Parts()] = item("its axes from the first body to the second")

    @property
    def coordinate(self) -> Value:  # type: ignore[override]
        units = tuple("rad" if isinstance(part, TurnPart) else "m" for part in self.parts)
        return PerAxis(units, len(units))

    def fields(self) -> dict[str, Any]:
        return {"parts": tuple(gather(enumerate(self.parts), self.part))} if self.parts else {}

    @staticmethod
    def part(spec: Any) -> scene_compound.Part:
        more = {key: getattr(spec, key) for key in ("at", "stiffness", "damping", "rest", "armature")}
        more |= {key: one_axis(value) for key, value in limits_of(spec).items()}
        if isinstance(spec, TurnPart):
            return scene_compound.Turn(axis=spec.turn, pitch=spec.pitch, **more)
        return scene_compound.Slide(axis=spec.slide, **more)

    @classmethod
    def shifted_fields(cls, definition: Any, shift: np.ndarray) -> dict[str, Any]:
        def there(part: Any) -> Any:
            return part if part.at is None else replace(part, at=tuple((np.array(part.at) + shift).tolist()))

        return {"parts": tuple(there(part) for part in definition.parts)}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        turn, shift = frames(definition.series, each(value, definition.axes))[-1]
        return tuple(quaternion_of(turn).tolist()), tuple(shift.tolist())


# ---------------------------------------------------------------- motors, welds
class Motor(Joint):
    """What both have: `axis`, and `position` or `velocity`, in the units of each."""

    def fields(self: Any) -> dict[str, Any]:
        if (self.position is None) == (self.velocity is None):
            inner = () if self.position is None else ("velocity",)
            raise Refused("one of `position` and `velocity` says how a motor moves", inner)
        if self.position is not None and getattr(self.position, "jumps", False):
            raise Refused("a position cannot jump: no `step`, and a repeat must end as it began", ("position",))
        return {"axis": self.axis, "position": self.position, "velocity": self.velocity}


class HingeMotor(Motor):
    """A hinge whose angle is told: by its position, or by its velocity; it takes the torque that this needs."""

    kind: ClassVar[str] = "hinge_motor"
    definition: ClassVar[Any] = motions.HingeMotor
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    hinge_motor: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it turns about")
    position: Annotated[Any, Told("rad")] = item("its angle", None, live=True)
    velocity: Annotated[Any, Told("rad/s")] = item("its velocity, in the place of a position", None, live=True)


class SliderMotor(Motor):
    """A slider whose travel is told: by its position, or by its velocity; it takes the force that this needs."""

    kind: ClassVar[str] = "slider_motor"
    definition: ClassVar[Any] = motions.SliderMotor
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    slider_motor: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")
    axis: Annotated[Vec, Direction()] = item("the axis it slides along")
    position: Annotated[Any, Told("m")] = item("its travel", None, live=True)
    velocity: Annotated[Any, Told("m/s")] = item("its velocity, in the place of a position", None, live=True)


class Weld(Joint):
    """Nothing moves."""

    kind: ClassVar[str] = "weld"
    definition: ClassVar[Any] = joints.Weld

    weld: Annotated[Any, BODIES] = item("its two bodies; the first is the parent's side")


class Free(Joint):
    """The second body moves freely in the world, and is the root of its figure."""

    kind: ClassVar[str] = "free"
    definition: ClassVar[Any] = joints.Free
    particles: ClassVar[tuple[int, ...]] = (0, 1)
    opens: ClassVar[bool] = False
    tree: ClassVar[bool] = False

    free: Annotated[Any, BODIES] = item("world and the body")
