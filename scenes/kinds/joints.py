"""Joints of a scene, one model for each kind. A class here with a `kind` is a kind of joint (`scenes.kinds.table`)."""

import math
from dataclasses import replace
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np

from physics.definitions import compound as scene_compound
from physics.definitions import joints, motions
from physics.definitions import limits as scene_limits
from physics.definitions.series import frames
from physics.maths.rotations import quaternion_of
from physics.maths.strict import norm
from scenes.kinds.signals import TimeFunction
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


class Swing(PerAxis):
    """One angle for all directions, or two."""

    def read(self, value: Any, scope: Scope) -> Any:
        """Return the angles, or refuse two that are a range."""
        if isinstance(value, list) and len(value) == 2:
            low, high = (Number("rad", infinite=True).read(x, scope) for x in value)
            if low < 0.0 <= high:
                raise Refused(
                    f"got {short(value)}, allowed: one angle, the half angle of the cone: {value[1]}; two are about x "
                    "and y of the joint"
                )
        return super().read(value, scope)


class SoftBall(Model):
    """Stiffness and damping of limits that yield, about x, y, z of the joint frame. The limit of swing uses the first
    number, that of twist the third."""

    stiffness: Annotated[Any, PerAxis(STIFF, 3, 0.0)] = item("stiffness beyond the limit")
    damping: Annotated[Any, PerAxis(DAMP, 3, 0.0)] = item("damping beyond the limit", 0.0)


BOUNCE = "share of its speed with which a coordinate rebounds from a hard limit"
# what 0 and positive mean, where an angle or a travel is written
TURNED = "; 0 at the drawn pose, positive by the right-hand rule about the axis"
SLID = "; 0 at the drawn pose, positive along the axis"
BOTH = "; 0 at the drawn pose, positive along the axis, and by the right-hand rule about it"


# ---------------------------------------------------------------- balls
class Turning(Tie):
    """A spring for rotation about three axes, with a cone and a twist as limits."""

    stiffness: Annotated[Any, PerAxis(STIFF, 3, 0.0)] = item(
        "spring towards `rest`, about x, y, z of the joint", 0.0, live=True
    )
    damping: Annotated[Any, PerAxis(DAMP, 3, 0.0)] = item("damping of the rotation", 0.0, live=True)
    rest: Annotated[Vec, Turn()] = item("rotation at which the spring is relaxed", (0.0, 0.0, 0.0))
    twist_axis: Annotated[Vec | None, Direction()] = item(
        "z axis of the joint, the axis of twist; if not given, the axis of the second body's long shape", None
    )
    swing_axis: Annotated[Vec | None, Direction()] = item(
        "x axis of the joint, if stiffness differs between axes", None
    )
    swing: Annotated[Any, Swing("rad", 2, 0.0)] = item(
        "largest inclination of the twist axis: the half angle of its cone, or two angles, about x and y of the joint",
        None,
    )
    twist: Annotated[Any, Range("rad")] = item(f"range of the angle about the twist axis{TURNED}", None)
    restitution: Annotated[Any, PerAxis("", 1, 0.0, 1.0)] = item(BOUNCE, 0.0)
    soft: Annotated[SoftBall | None, Inner(SoftBall)] = item("stiffness and damping of the limits, if they yield", None)

    turning: ClassVar[tuple[str, ...]] = ("twist_axis", "swing_axis")

    def fields(self) -> dict[str, Any]:
        """Return the fields of the definition other than those of `common` and `define`. Here there are none."""
        return {}

    def define(self, name: str, ends: Ends) -> joints.Joint:
        """Return the definition for the physics. If no axis of twist is written, it is the axis of the second body's
        long shape, or z for a joint without limits."""
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
        """Return the hard or soft limits of swing and twist, or refuse what does not fit."""
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
        """Return the rotation by a rotation vector [rad]."""
        angle = norm(value)
        return (turn_about([x / angle for x in value], angle) if angle else NO_TURN), (0.0, 0.0, 0.0)


class Ball(Turning, Joint):
    """Two points stay together; the bodies may rotate about all axes."""

    kind: ClassVar[str] = "ball"
    definition: ClassVar[Any] = joints.Ball
    coordinate: ClassVar[Value | None] = Turn()
    particles: ClassVar[tuple[int, ...]] = (0, 1)

    ball: Annotated[Any, BODIES] = item("its two bodies; coordinates are those of the second relative to the first")
    armature: Annotated[float, Number("kg*m^2", low=0.0)] = item("inertia of a rotor about each axis", 0.0)

    def fields(self) -> dict[str, Any]:
        """Return the field of the definition that torsion springs do not have."""
        return {"armature": self.armature}


# ---------------------------------------------------------------- single axes
class Motion(NamedTuple):
    """The words for the coordinates of a joint, from which the descriptions of its fields are made."""

    going: str
    verb: str
    value: str
    sign: str
    armature: str


TURNING = Motion("the turning", "turn", "angle", TURNED, "inertia of a rotor about each axis")
SLIDING = Motion("the sliding", "slide", "travel", SLID, "mass of a rotor, referred to the travel")
SLIDING_AND_TURNING = Motion(
    "sliding and turning", "slide and turn", "travel and angle", BOTH, "inertia of rotors, of sliding and turning"
)


class SprungJoint(Joint):
    """Base class of joints to which `sprung` adds springs, dampers, limits and rotors."""

    def fields(self) -> dict[str, Any]:
        """Return the other fields of the definition, with the limits as the physics has them."""
        of_limits = ("limits", "restitution", "soft")
        return {key: value for key, value in super().fields().items() if key not in of_limits} | limits_of(self)


LIVE = ("stiffness", "damping", "rest", "limits")


def sprung(base: Any, motion: Motion, *units: str, live: tuple[str, ...] = LIVE) -> Any:
    """Return a subclass of `base` with the fields of axes: spring, damper, limits and rotor. `units` is the unit of
    each coordinate, "rad" or "m"; `live` names the fields that can be changed while the figure moves."""
    stiff = tuple(STIFF if unit == "rad" else "N/m" for unit in units)
    damp = tuple(DAMP if unit == "rad" else "N*s/m" for unit in units)
    inertia = tuple("kg*m^2" if unit == "rad" else "kg" for unit in units)
    count = len(units)

    def one_or_each(units: tuple[str, ...], low: float = -math.inf) -> Value:
        """Return the kind of value of a field: one number for a joint with one axis, or one number for each of several
        axes."""
        return Number(units[0], low=low) if count == 1 else PerAxis(units, count, low)

    class Soft(Model):
        """Stiffness and damping of limits that yield."""

        stiffness: Annotated[Any, PerAxis(stiff, count, 0.0)] = item("stiffness beyond the limit")
        damping: Annotated[Any, PerAxis(damp, count, 0.0)] = item("damping beyond the limit", 0.0)

    Soft.__name__ = "Soft" + "".join(unit.capitalize() for unit in units)  # its name in the schema for editors

    class Sprung(base):
        coordinate: ClassVar[Value | None] = one_or_each(units)

        stiffness: Annotated[Any, PerAxis(stiff, count, 0.0)] = item(
            "spring towards `rest`", 0.0, live="stiffness" in live
        )
        damping: Annotated[Any, PerAxis(damp, count, 0.0)] = item(
            f"damping of {motion.going}", 0.0, live="damping" in live
        )
        rest: Annotated[Any, one_or_each(units)] = item(
            f"{motion.value} at which the spring is relaxed{motion.sign}", 0.0, live="rest" in live
        )
        limits: Annotated[Any, Ranges(units, count)] = item(
            f"how far it may {motion.verb}{motion.sign}", None, live="limits" in live
        )
        restitution: Annotated[Any, PerAxis("", count, 0.0, 1.0)] = item(BOUNCE, 0.0)
        armature: Annotated[Any, one_or_each(inertia, 0.0)] = item(motion.armature, 0.0)
        soft: Annotated[Soft | None, Inner(Soft)] = item("stiffness and damping of the limits, if they yield", None)

    return Sprung


class Hinge(sprung(SprungJoint, TURNING, "rad")):
    """Rotation about one axis."""

    kind: ClassVar[str] = "hinge"
    definition: ClassVar[Any] = joints.Hinge
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    hinge: Annotated[Any, BODIES] = item("its two bodies; coordinates are those of the second relative to the first")
    axis: Annotated[Vec, Direction()] = item("the axis of rotation")

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return the rotation by an angle [rad]."""
        return turn_about(definition.axis, value), (0.0, 0.0, 0.0)


class Universal(sprung(SprungJoint, TURNING, "rad", "rad")):
    """Rotation about two axes at right angles: `axis` is fixed in the first body, `axis2` in the second."""

    kind: ClassVar[str] = "universal"
    definition: ClassVar[Any] = joints.Universal
    turning: ClassVar[tuple[str, ...]] = ("axis", "axis2")
    at_right_angles: ClassVar[tuple[str, str] | None] = ("axis", "axis2")

    universal: Annotated[Any, BODIES] = item(
        "its two bodies; coordinates are those of the second relative to the first"
    )
    axis: Annotated[Vec, Direction()] = item("axis fixed in the first body")
    axis2: Annotated[Vec, Direction()] = item("axis fixed in the second body")

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return the rotation by two angles [rad]."""
        first, second = each(value, 2)
        return product(turn_about(definition.axis, first), turn_about(definition.axis2, second)), (0.0, 0.0, 0.0)


class Slider(sprung(SprungJoint, SLIDING, "m")):
    """Translation along one axis."""

    kind: ClassVar[str] = "slider"
    definition: ClassVar[Any] = joints.Slider
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    slider: Annotated[Any, BODIES] = item("its two bodies; coordinates are those of the second relative to the first")
    axis: Annotated[Vec, Direction()] = item("the axis of travel")

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return the translation by a travel [m]."""
        return NO_TURN, tuple(value * x for x in definition.axis)


# In a mirrored figure its angle is that of the mirror image, and rest and limits are not live.
class Cylindrical(sprung(SprungJoint, SLIDING_AND_TURNING, "m", "rad", live=("stiffness", "damping"))):
    """Translation along one axis and rotation about it: coordinates [travel, angle]."""

    kind: ClassVar[str] = "cylindrical"
    definition: ClassVar[Any] = joints.Cylindrical
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    cylindrical: Annotated[Any, BODIES] = item(
        "its two bodies; coordinates are those of the second relative to the first"
    )
    axis: Annotated[Vec, Direction()] = item("the axis of travel and rotation")

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return rotation and translation for [travel, angle]."""
        travel, angle = each(value, 2)
        return turn_about(definition.axis, angle), tuple(travel * x for x in definition.axis)


class Planar(sprung(SprungJoint, SLIDING_AND_TURNING, "m", "m", "rad")):
    """Translation in a plane and rotation about its normal: coordinates [travel along axis, travel across, angle]."""

    kind: ClassVar[str] = "planar"
    definition: ClassVar[Any] = joints.Planar
    turning: ClassVar[tuple[str, ...]] = ("normal",)
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    planar: Annotated[Any, BODIES] = item("its two bodies; coordinates are those of the second relative to the first")
    normal: Annotated[Vec, Direction()] = item("normal of the plane")
    axis: Annotated[Vec | None, Direction()] = item(
        "direction of the first travel, in the plane; if not given, the one nearest to a coordinate axis", None
    )

    def fields(self) -> dict[str, Any]:
        """Return the other fields of the definition. The axis is in the plane; if it is not written, it is the
        direction nearest to a coordinate axis."""
        if self.axis is None:
            letter = min(range(3), key=lambda k: abs(self.normal[k]))
            axis = square(self.normal, tuple(float(k == letter) for k in range(3)), math.inf, "normal", "axis")
        else:
            axis = square(self.normal, self.axis, 0.01, "normal", "axis")
        return super().fields() | {"axis": axis}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return rotation and translation for [travel along the axis, travel across it, angle]."""
        x, y, angle = each(value, 3)
        shift = x * np.array(definition.axis) + y * np.cross(definition.normal, definition.axis)
        return turn_about(definition.normal, angle), tuple(shift.tolist())


class Screw(sprung(SprungJoint, TURNING, "rad")):
    """Rotation about an axis that drives a travel along it; the coordinate is the angle."""

    kind: ClassVar[str] = "screw"
    definition: ClassVar[Any] = joints.Screw
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    screw: Annotated[Any, BODIES] = item("its two bodies; coordinates are those of the second relative to the first")
    axis: Annotated[Vec, Direction()] = item("the axis of rotation and travel")
    pitch: Annotated[float, Number("m")] = item("travel in one turn; negative for a left-handed screw")

    def fields(self) -> dict[str, Any]:
        """Return the other fields of the definition, or refuse a screw without a pitch."""
        if self.pitch == 0.0:
            raise Refused("a screw without a pitch is a hinge", ("pitch",))
        return super().fields()

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return rotation and translation by an angle [rad]."""
        travel = definition.pitch * value / (2.0 * math.pi)
        return turn_about(definition.axis, value), tuple(travel * x for x in definition.axis)


# ---------------------------------------------------------------- several axes in series
class TurnPart(sprung(Model, TURNING, "rad", live=())):
    """An axis of rotation."""

    turn: Annotated[Vec, Direction()] = item("the axis of rotation")
    at: Annotated[Vec | None, Vector("m")] = item("a point on the axis; if not given, that of the joint", None)
    pitch: Annotated[float, Number("m")] = item("travel along it in one turn, as of a screw", 0.0)


class SlidePart(sprung(Model, SLIDING, "m", live=())):
    """An axis of travel."""

    slide: Annotated[Vec, Direction()] = item("the axis of travel")
    at: Annotated[Vec | None, Vector("m")] = item("a point on the axis; if not given, that of the joint", None)


def one_axis(limits: Any) -> Any:
    """Return the limits of a part of a compound joint, with numbers in place of lists of one number."""
    if isinstance(limits, scene_limits.SoftLimits):
        return limits
    (low,), (high,) = limits.lower, limits.upper  # type: ignore[misc]
    return scene_limits.Limits(lower=low, upper=high, restitution=limits.bounce(0))


PARTS: dict[str, type[Model]] = {"turn": TurnPart, "slide": SlidePart}


class Parts(Value):
    """The axes of a compound joint."""

    def read(self, value: Any, scope: Scope) -> tuple[Model, ...]:
        """Return the models of one to three axes, or refuse the entry."""
        items = items_of(value, self)
        if not 1 <= len(items) <= 3:
            raise Refused(f"got {len(items)} axes, allowed: one to three")
        return tuple(gather(enumerate(items), lambda v: self.one(v, scope)))

    def one(self, value: Any, scope: Scope) -> Model:
        """Return the model of one axis, or refuse the entry."""
        if isinstance(value, Model):
            return value
        kinds = [k for k in PARTS if isinstance(value, dict) and k in value]
        if len(kinds) != 1:
            inner = (Key(kinds[1]),) if kinds else ()
            raise Refused(f"got {short(value)}, allowed: {self.words()}", inner)
        return read_model(PARTS[kinds[0]], value, scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return "a list of one to three of {turn: axis, ...} and {slide: axis, ...}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        one = {"anyOf": [{"$model": model} for model in PARTS.values()]}
        return {"type": "array", "items": one, "minItems": 1, "maxItems": 3, "description": self.words()}


class Compound(Joint):
    """Up to three hinges and sliders in series; the axes before an axis move it."""

    kind: ClassVar[str] = "compound"
    definition: ClassVar[Any] = scene_compound.Compound

    compound: Annotated[Any, BODIES] = item("its two bodies; coordinates are those of the second relative to the first")
    parts: Annotated[Any, Parts()] = item("its axes from the first body to the second")

    @property
    def coordinate(self) -> Value:  # type: ignore[override]
        """How a value of the coordinates is written: one number for each axis."""
        units = tuple("rad" if isinstance(part, TurnPart) else "m" for part in self.parts)
        return PerAxis(units, len(units))

    def fields(self) -> dict[str, Any]:
        """Return the axes of the definition."""
        return {"parts": tuple(gather(enumerate(self.parts), self.part))} if self.parts else {}

    @staticmethod
    def part(spec: Any) -> scene_compound.Part:
        """Return the definition of one axis."""
        more = {key: getattr(spec, key) for key in ("at", "stiffness", "damping", "rest", "armature")}
        more |= {key: one_axis(value) for key, value in limits_of(spec).items()}
        if isinstance(spec, TurnPart):
            return scene_compound.Turn(axis=spec.turn, pitch=spec.pitch, **more)
        return scene_compound.Slide(axis=spec.slide, **more)

    @classmethod
    def shifted_fields(cls, definition: Any, shift: np.ndarray) -> dict[str, Any]:
        """Return the axes after a translation."""

        def there(part: Any) -> Any:
            return part if part.at is None else replace(part, at=tuple((np.array(part.at) + shift).tolist()))

        return {"parts": tuple(there(part) for part in definition.parts)}

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return rotation and translation of the second body: those of the last axis, which all axes before it move."""
        turn, shift = frames(definition.series, each(value, definition.axes))[-1]
        return tuple(quaternion_of(turn).tolist()), tuple(shift.tolist())


# ---------------------------------------------------------------- motors, welds
def motor(unit: str, what: str) -> Any:
    """Return a base class of motors: joints with one coordinate, called `what`, of the given unit, which is a function
    of time."""

    class Motor(Joint):
        position: Annotated[Any, TimeFunction(unit)] = item(f"its {what}", None, live=True)
        velocity: Annotated[Any, TimeFunction(f"{unit}/s")] = item(
            "its velocity, instead of a position", None, live=True
        )

        def fields(self) -> dict[str, Any]:
            """Return the fields of the definition, or refuse a motor without exactly one of position and velocity."""
            if (self.position is None) == (self.velocity is None):
                inner = () if self.position is None else ("velocity",)
                raise Refused("one of `position` and `velocity` says how a motor moves", inner)
            if self.position is not None and getattr(self.position, "jumps", False):
                raise Refused("a position cannot jump: no `step`, and a repeat must end as it began", ("position",))
            return super().fields()

    return Motor


class HingeMotor(motor("rad", "angle")):
    """A hinge whose angle is prescribed, by its position or its velocity. Its torque is as large as this requires."""

    kind: ClassVar[str] = "hinge_motor"
    definition: ClassVar[Any] = motions.HingeMotor
    turning: ClassVar[tuple[str, ...]] = ("axis",)

    hinge_motor: Annotated[Any, BODIES] = item(
        "its two bodies; coordinates are those of the second relative to the first"
    )
    axis: Annotated[Vec, Direction()] = item("the axis of rotation")


class SliderMotor(motor("m", "travel")):
    """A slider whose travel is prescribed, by its position or its velocity. Its force is as large as this requires."""

    kind: ClassVar[str] = "slider_motor"
    definition: ClassVar[Any] = motions.SliderMotor
    shifting: ClassVar[tuple[str, ...]] = ("axis",)

    slider_motor: Annotated[Any, BODIES] = item(
        "its two bodies; coordinates are those of the second relative to the first"
    )
    axis: Annotated[Vec, Direction()] = item("the axis of travel")


class Weld(Joint):
    """The two bodies do not move relative to each other."""

    kind: ClassVar[str] = "weld"
    definition: ClassVar[Any] = joints.Weld

    weld: Annotated[Any, BODIES] = item("its two bodies")


class Free(Joint):
    """The second body moves freely in the world. It is the root of its figure."""

    kind: ClassVar[str] = "free"
    definition: ClassVar[Any] = joints.Free
    particles: ClassVar[tuple[int, ...]] = (0, 1)
    opens: ClassVar[bool] = False
    tree: ClassVar[bool] = False

    free: Annotated[Any, BODIES] = item("world and the body")
