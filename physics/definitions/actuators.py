"""Drives of joints, and springs to a target. They pull a figure to a target with a limited force.

    drive          u = clip(k (q* - q) + c (q*' - q') + f*)         on one coordinate q of a joint, or on a ball joint
    target spring  F = clip(-k (p - p*) - c (p' - p*')),  T = clip(-k phi - c (w - w*))     on a body

k is the stiffness, c the damping, and clip limits the force. A star marks a target; f* is the torque of the drive that
is added. For a target spring, p is the position of the point, phi the rotation vector from the target orientation to
that of the body, and w the angular velocity of the body.

Targets are numbers or signals (functions of time). Drives and target springs do not prescribe a motion: if the force
reaches its limit, the figure yields. `physics.forces.drives` has the equations."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from physics.definitions.named import Actuator
from physics.definitions.bodies import Fixed, Particle, ScaledBody
from physics.definitions.checks import (
    WORLD, DefinitionError, Vector, checked_name, finite_numbers, flag, known_name, number, place_in_reach,
)  # fmt: skip
from physics.definitions.joints import Ball, Joint, SpringJoint
from physics.definitions.signal import Signal
from physics.definitions.signals import Clip, signal
from physics.maths.strict import distance

__all__ = ["Drive", "TargetSpring"]

Channels = tuple[float | Signal, ...]


@dataclass(frozen=True, kw_only=True)
class Drive(Actuator):
    """A drive on coordinate `axis` of a joint. It holds a `position` with the gains `stiffness` and `damping`, or a
    `velocity` with the gain `damping`. Without a gain it holds a velocity exactly, as long as the torque that this
    needs is within `max`. The drive may also have a `torque` [N m] (on a sliding axis a force [N]), which is added to
    that of the position or velocity. `max` is the largest torque, or a pair (least, largest).

    On a ball joint, position, velocity and torque are vectors in the axes of body a at the drawn pose. The position is
    the rotation vector of b relative to a [rad]. It may be a `Clip` of three channels, or of four, which are a
    quaternion. `max` is the largest size of the torque.

    >>> from physics import Drive
    >>> Drive(name="motor", joint="elbow", position=0.5, stiffness=20.0, damping=1.0).position
    0.5
    """

    old_words: ClassVar[Mapping[str, str]] = {"speed": "velocity", "effort": "torque", "limit": "max"}

    joint: str
    axis: int = 0
    position: Any = None  # rad or m
    velocity: Any = None  # rad/s or m/s
    torque: Any = None  # N m or N
    stiffness: float = 0.0  # N m/rad or N/m
    damping: float = 0.0  # N m s/rad or N s/m
    max: Any = math.inf  # N m or N
    on: bool = True

    kind: ClassVar[str] = "drive"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        checked_name(f"joint of {self.label}", self.joint)
        object.__setattr__(self, "on", flag(f"on of {self.label}", self.on))
        for key in ("stiffness", "damping"):
            object.__setattr__(self, key, number(f"{key} of {self.label}", getattr(self, key), 0.0))
        given = [key for key in ("position", "velocity", "torque") if getattr(self, key) is not None]
        if not given or {"position", "velocity"} <= set(given):
            allowed = "a position, a velocity or a torque; not both first"
            raise DefinitionError(f"targets of {self.label}", given, allowed)
        if "position" in given and self.stiffness == 0.0 and self.damping == 0.0:
            raise DefinitionError(f"stiffness of {self.label}", self.stiffness, "a number > 0: its gain to a position")
        if given == ["torque"] and (self.stiffness or self.damping):
            got = (self.stiffness, self.damping)
            raise DefinitionError(f"gains of {self.label}", got, "none: a torque alone has no gains")
        object.__setattr__(self, "max", bounds(f"max of {self.label}", self.max))
        limited = all(math.isfinite(x) for x in self.max)
        if "velocity" in given and (self.stiffness != 0.0 or not (self.damping > 0.0 or limited)):
            got = (self.stiffness, self.damping)
            allowed = "no stiffness, and damping > 0 as its gain; or no damping and a `max`, to hold it exactly"
            raise DefinitionError(f"gains of {self.label}", got, allowed)

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """Check that the joint exists and has this axis, and that the targets suit it."""
        joint = joints.get(self.joint)
        if joint is None:
            raise DefinitionError(f"joint of {self.label}", self.joint, known_name(self.joint, set(joints), "a joint"))
        free = isinstance(joint, SpringJoint) and joint.axes > 0 and "spring" not in joint.kind
        ends = [bodies[str(k)] for k in (joint.a, joint.b) if k in bodies]
        if not free or any(isinstance(b, Particle) for b in ends):
            raise DefinitionError(f"joint of {self.label}", self.joint, f"a joint with axes, no {joint.kind}")
        axes = 1 if isinstance(joint, Ball) else joint.axes
        if isinstance(self.axis, bool) or not isinstance(self.axis, int) or not 0 <= self.axis < axes:
            raise DefinitionError(f"axis of {self.label}", self.axis, f"a whole number from 0 to {axes - 1}")
        if isinstance(joint, Ball) and self.max[0] != -self.max[1]:
            raise DefinitionError(f"max of {self.label}", self.max, "one number: the largest torque")
        for key in ("position", "velocity", "torque"):
            if getattr(self, key) is not None:
                self.channels(key, getattr(self, key), isinstance(joint, Ball))

    def channels(self, key: str, value: Any, vector: bool) -> Channels:
        """Return the signals of the target `key`: one, or three or four if it is a `vector`. Refuse any other value."""
        what = f"{key} of {self.label}"
        if not vector:
            return (signal(what, value),)
        if isinstance(value, Clip):
            if len(value.channels) not in (3, 4) or (len(value.channels) == 4 and key != "position"):
                raise DefinitionError(what, value, "a Clip of three channels (a position may have four: quaternions)")
            return value.channels
        if isinstance(value, str | Signal) or not isinstance(value, Sequence) or len(value) != 3:
            raise DefinitionError(what, value, "three numbers or signals, or a Clip")
        return tuple(signal(what, v) for v in value)


@dataclass(frozen=True, kw_only=True)
class TargetSpring(Actuator):
    """A spring and damper that pull a point of a body to a target position, and a torsion spring and damper that pull
    the body to a target orientation. `at` is the point at the drawn pose (by default the centre of mass). `position` is
    the target of that point (by default where it is drawn). `rotation` is the rotation vector [rad] from the drawn
    orientation to the target orientation. Both targets move with the body `target`: the world, or a `Static` or
    `Moving` body. `max` is the largest force [N], and `turn_max` the largest torque [N m].

    >>> from physics import TargetSpring
    >>> TargetSpring(name="pull", body="hand", position=(0, 0, 1), stiffness=100.0).target
    'world'
    """

    old_words: ClassVar[Mapping[str, str]] = {"limit": "max", "turn_limit": "turn_max"}

    body: str
    target: str = WORLD
    at: Vector | None = None  # m
    position: Vector | None = None  # m
    rotation: Vector = (0.0, 0.0, 0.0)  # rad
    stiffness: float = 0.0  # N/m
    damping: float = 0.0  # N s/m
    turn_stiffness: float = 0.0  # N m/rad
    turn_damping: float = 0.0  # N m s/rad
    max: float = math.inf  # N
    turn_max: float = math.inf  # N m
    on: bool = True

    kind: ClassVar[str] = "target spring"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "on", flag(f"on of {self.label}", self.on))
        for key in ("stiffness", "damping", "turn_stiffness", "turn_damping"):
            object.__setattr__(self, key, number(f"{key} of {self.label}", getattr(self, key), 0.0))
        for key in ("max", "turn_max"):
            object.__setattr__(self, key, bounds(f"{key} of {self.label}", getattr(self, key), True)[1])
        for key in ("at", "position", "rotation"):
            if getattr(self, key) is not None:
                what, value = f"{key} of {self.label}", getattr(self, key)
                value = finite_numbers(what, value, 3) if key == "rotation" else place_in_reach(what, value)
                object.__setattr__(self, key, value)

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """Check that the body and the target exist, and that forces can move the body."""
        body = bodies.get(self.body)
        if body is None or isinstance(body, Fixed) or not hasattr(body, "mass"):
            allowed = (
                "the name of a body that forces can move" if body else known_name(self.body, set(bodies), "a body")
            )
            raise DefinitionError(f"body of {self.label}", self.body, allowed)
        if self.target != WORLD and not isinstance(bodies.get(self.target), Fixed):
            allowed = f"{WORLD!r}, or the name of a static or moving body"
            raise DefinitionError(f"target of {self.label}", self.target, allowed)
        if isinstance(body, Particle):
            if self.turn_stiffness or self.turn_damping:
                raise DefinitionError(f"turn_stiffness of {self.label}", self.turn_stiffness, "0: a particle")
            if self.at is not None and distance(self.at, body.position) > 1e-9:
                raise DefinitionError(f"at of {self.label}", self.at, f"the particle's place {body.position}")
        if isinstance(body, ScaledBody) and self.at is not None and distance(self.at, body.position) > 1e-9:
            raise DefinitionError(f"at of {self.label}", self.at, "the centre of mass: this body stretches")


def bounds(what: str, value: Any, alone: bool = False) -> tuple[float, float]:
    """Return (least, largest) from one number, which is the largest, or from two. Refuse two if `alone`. The numbers
    may be infinite."""
    allowed = "a number > 0" if alone else "a number > 0, or a number <= 0 and one >= 0"
    try:
        pair = tuple(float(v) for v in value) if isinstance(value, Sequence) else (-float(value), float(value))
    except (TypeError, ValueError):
        raise DefinitionError(what, value, allowed) from None
    if len(pair) != 2 or (alone and isinstance(value, Sequence)) or not pair[0] <= 0.0 <= pair[1] or pair[0] == pair[1]:
        raise DefinitionError(what, value, allowed)
    return pair
