"""Joints: how two bodies may move relative to each other."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from physics.definitions.checks import (
    LONGEST, WORLD, DefinitionError, Vector, unit_direction, length_in_reach, checked_name, finite_numbers,
    place_in_reach, flag, number, per_axis,
)  # fmt: skip
from physics.definitions.limits import Limits, SoftLimits, as_limits
from physics.maths.rotations import frame_about
from physics.definitions.series import ScrewAxis
from physics.definitions.signal import Signal
from physics.definitions.spellings import Spelled
from physics.maths.strict import distance, dot

__all__ = [
    "Ball",
    "Cylindrical",
    "Distance",
    "Free",
    "Hinge",
    "Joint",
    "Planar",
    "Rope",
    "Screw",
    "Slider",
    "SpringJoint",
    "Universal",
    "Weld",
]


@dataclass(frozen=True, kw_only=True)
class Joint(metaclass=Spelled):
    """Base class of joints and constraints between two bodies a and b. `at` is the anchor in world axes at the drawn
    pose [m]: one point for both bodies, or a pair of points, one for each.

    >>> from physics import Hinge, Joint
    >>> elbow = Hinge(name="elbow", a="upper arm", b="forearm", at=(0.3, 0.0, 0.0), axis=(0, 1, 0))
    >>> isinstance(elbow, Joint), elbow.points
    (True, ((0.3, 0.0, 0.0), (0.3, 0.0, 0.0)))
    """

    name: str
    a: str | None
    b: str | None
    at: Any = (0.0, 0.0, 0.0)
    auxiliary: bool = False  # keep it out of the primary forest
    collide: bool = False  # whether its two bodies may touch each other

    kind: ClassVar[str] = ""
    equations: ClassVar[str] = ""  # the kind in physics/joints/table.py whose equations it has; empty: its own
    axes: ClassVar[int] = 0  # how many coordinates it has
    alike: ClassVar[bool] = False  # whether all of several are angles, or travels
    on_particles: ClassVar[bool] = False  # whether it may tie a point without orientation
    particle_ends: ClassVar[tuple[str, ...]] = ()  # which of a and b may be a particle
    is_constraint: ClassVar[bool] = False  # no joint: without axes, and outside the forest with planar bodies
    neighbours: ClassVar[bool] = True  # whether its two bodies are kept from touching
    once: ClassVar[bool] = True  # a second one between the same bodies at the same points is a mistake
    point_of: ClassVar[tuple[str, ...]] = ()  # which of them, as particles, must be where the joint's point is
    points: tuple[tuple[float, ...], tuple[float, ...]] = field(init=False)  # `at`, one for each body

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        checked_name(f"name of a {self.kind} joint", self.name)
        for key in ("a", "b"):
            value = getattr(self, key)
            value = WORLD if value is None else value
            if not isinstance(value, str) or not value:
                raise DefinitionError(f"body {key} of {self.label}", value, "the name of a body, or 'world'")
            object.__setattr__(self, key, value)
        if self.a == self.b:
            raise DefinitionError(f"bodies of {self.label}", self.a, "two different bodies")
        flag(f"auxiliary of {self.label}", self.auxiliary)
        flag(f"collide of {self.label}", self.collide)
        pair = isinstance(self.at, Sequence | np.ndarray) and len(self.at) == 2
        points = self.at if pair else (self.at, self.at)
        object.__setattr__(self, "points", tuple(place_in_reach(f"at of {self.label}", p) for p in points))

    @property
    def label(self) -> str:
        """Kind and name of the joint, as error messages write them."""
        return f"{self.kind} joint {self.name!r}"

    def check(self, bodies: Mapping[str, Any]) -> None:
        """Refuse fields that do not suit the bodies of the figure."""

    def joint_frame(self, flip: bool) -> np.ndarray:
        """Return a matrix whose columns are the axes of the joint frame in the world at the drawn pose. If b is the
        parent (`flip`), the axes are reversed: the coordinate of a relative to b about the reversed axes equals that of
        b relative to a about the original ones."""
        return np.eye(3)

    def plane_frame(self, flip: bool, normal: np.ndarray) -> np.ndarray:
        """Return the joint frame, as `joint_frame` does, for two bodies that move in the plane with this normal."""
        return self.joint_frame(flip)


@dataclass(frozen=True, kw_only=True)
class SpringJoint(Joint):
    """Base class of joints whose axes may have springs, dampers, soft and hard limits, and rotors. `armature` is the
    inertia I of the rotor. The rotor adds I q'^2 / 2 to the kinetic energy, where q' is the rate of the joint
    coordinate.

    >>> from physics import Slider, SpringJoint
    >>> issubclass(Slider, SpringJoint)
    True
    """

    stiffness: float | Vector = 0.0  # N m/rad or N/m
    damping: float | Vector = 0.0  # N m s/rad or N s/m
    rest: float | Vector = 0.0  # coordinates at which the spring is relaxed
    soft_limits: SoftLimits | None = None
    limits: Any = None  # hard: a Limits value, or (lower, upper), or of several axes one such for each
    armature: float | Vector = 0.0  # kg m^2 or kg

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        for key, low in (("stiffness", 0.0), ("damping", 0.0), ("rest", -math.inf), ("armature", 0.0)):
            value = per_axis(f"{key} of {self.label}", getattr(self, key), self.axes, low)
            if key == "rest" and max(map(abs, value)) > LONGEST:
                raise DefinitionError(f"rest of {self.label}", self.rest, f"at most {LONGEST:g} m (rad) in size")
            object.__setattr__(self, key, value)
        if self.soft_limits is not None:
            if not isinstance(self.soft_limits, SoftLimits):
                raise DefinitionError(f"soft_limits of {self.label}", self.soft_limits, "a SoftLimits value, or None")
            object.__setattr__(self, "soft_limits", self._checked_limits(self.soft_limits))
        object.__setattr__(self, "limits", self.checked_hard(self.limits))

    def checked_hard(self, limits: Any) -> Limits | None:
        """Return the hard limits with bounds for each axis, or refuse them. (Those of a ball joint have swing and
        twist.)"""
        what = f"limits of {self.label}"
        limits = as_limits(what, limits, self.axes, self.alike)
        if limits is None:
            return None
        if limits.swing is not None or limits.twist is not None:
            raise DefinitionError(what, limits, "lower and upper (swing and twist belong to ball joints)")
        lower = self._ends(f"lower in {what}", limits.lower, -math.inf)
        upper = self._ends(f"upper in {what}", limits.upper, math.inf)
        if any(lo >= up for lo, up in zip(lower, upper, strict=True)):
            raise DefinitionError(what, (lower, upper), "lower below upper; take another joint otherwise")
        return Limits(lower=lower, upper=upper, restitution=limits.checked_restitution(what, self.axes))

    def _ends(self, what: str, value: Any, default: float) -> tuple[float, ...]:
        """Return a bound for each axis. None, or the infinity `default`, means no bound."""
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,) * self.axes
        if len(values) != self.axes:
            raise DefinitionError(what, value, f"one number, or {self.axes}: one for each axis")
        return tuple(default if v is None or v == default else number(what, v, -math.inf) for v in values)

    def _checked_limits(self, s: SoftLimits) -> SoftLimits:
        """Return the soft limits with numbers for each axis, or refuse them."""
        what = f"soft_limits of {self.label}"
        stiffness = per_axis(f"stiffness in {what}", s.stiffness, self.axes)
        damping = per_axis(f"damping in {what}", s.damping, self.axes)
        if s.swing is not None or s.twist is not None:
            raise DefinitionError(what, s, "lower and upper (swing and twist belong to ball joints)")
        lower = self._bounds(f"lower in {what}", s.lower, -math.inf)
        upper = self._bounds(f"upper in {what}", s.upper, math.inf)
        if any(lo > up for lo, up in zip(lower, upper, strict=True)):
            raise DefinitionError(what, (lower, upper), "lower not above upper")
        return SoftLimits(stiffness=stiffness, damping=damping, lower=lower, upper=upper)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """The axes as screws, in the order from a to b. Their points are relative to the anchor [m]. It is empty for a
        joint that is not made of such axes."""
        return ()

    def _bounds(self, what: str, value: Any, default: float) -> tuple[float, ...]:
        """Return one bound for each axis. Where no bound is given, it is `default`."""
        if value is None:
            return (default,) * self.axes
        return per_axis(what, value, self.axes, -math.inf)


@dataclass(frozen=True, kw_only=True)
class Ball(SpringJoint):
    """A joint that keeps two points together. `rest` is the rotation vector of b relative to a [rad] at which the
    spring is relaxed. `twist_axis` is the z axis of the joint frame. Its x axis is the direction at right angles to z
    that is nearest to `swing_axis`. Both are given in world axes. Limits, and a stiffness that differs about x, y and
    z, refer to this frame.

    >>> from physics import Ball
    >>> Ball(name="hip", a="world", b="leg", at=(0, 0, 1), stiffness=2.0).kind
    'ball'
    """

    twist_axis: Vector = (0.0, 0.0, 1.0)
    swing_axis: Vector | None = None

    kind: ClassVar[str] = "ball"
    on_particles: ClassVar[bool] = True
    axes: ClassVar[int] = 3

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "twist_axis", unit_direction(f"twist_axis of {self.label}", self.twist_axis))
        if self.swing_axis is not None:
            x = unit_direction(f"swing_axis of {self.label}", self.swing_axis)
            if distance(x, self.twist_axis) < 1e-6 or distance(x, [-k for k in self.twist_axis]) < 1e-6:
                raise DefinitionError(
                    f"swing_axis of {self.label}", x, f"a direction not along its twist_axis {self.twist_axis}"
                )
            object.__setattr__(self, "swing_axis", x)
        if len(set(self.armature)) > 1:  # type: ignore[arg-type]
            raise DefinitionError(f"armature of {self.label}", self.armature, "one number, the same about all axes")

    def _checked_limits(self, s: SoftLimits) -> SoftLimits:
        """Return the soft limits, which have swing and twist, or refuse them."""
        what = f"soft_limits of {self.label}"
        stiffness = per_axis(f"stiffness in {what}", s.stiffness, self.axes)
        damping = per_axis(f"damping in {what}", s.damping, self.axes)
        if s.lower is not None or s.upper is not None:
            raise DefinitionError(what, s, "swing and twist (lower and upper belong to joints with single axes)")
        swing = math.inf if s.swing is None else number(f"swing in {what}", s.swing, 0.0)
        twist = (-math.inf, math.inf) if s.twist is None else finite_numbers(f"twist in {what}", s.twist, 2)
        if twist[0] > twist[1]:
            raise DefinitionError(f"twist in {what}", twist, "lower not above upper")
        return SoftLimits(stiffness=stiffness, damping=damping, swing=swing, twist=twist)

    def checked_hard(self, limits: Any) -> Limits | None:
        """Return the hard limits, which have swing and twist, or refuse them."""
        what = f"limits of {self.label}"
        if limits is None:
            return None
        if not isinstance(limits, Limits):
            raise DefinitionError(what, limits, "a Limits value with swing and twist, or None")
        if limits.lower is not None or limits.upper is not None:
            raise DefinitionError(what, limits, "swing and twist (lower and upper belong to joints with single axes)")
        swing: float | tuple[float, ...] = math.inf
        if limits.swing is not None and not (np.isscalar(limits.swing) and limits.swing == math.inf):
            angles = per_axis(f"swing in {what}", limits.swing, 2)
            angles = tuple(number(f"swing in {what}", x, 0.0, strict=True) for x in angles)
            swing = angles if angles[0] != angles[1] else angles[0]
        twist = (-math.inf, math.inf)
        if limits.twist is not None and not (isinstance(limits.twist, Iterable) and tuple(limits.twist) == twist):
            twist = finite_numbers(f"twist in {what}", limits.twist, 2)
        if not twist[0] < twist[1]:
            raise DefinitionError(f"twist in {what}", twist, "lower below upper")
        return Limits(swing=swing, twist=twist, restitution=limits.checked_restitution(what, 1))

    def joint_frame(self, flip: bool) -> np.ndarray:
        """Return the frame whose z axis is `twist_axis` and whose x axis is `swing_axis`. It does not depend on
        `flip`."""
        x = None if self.swing_axis is None else np.array(self.swing_axis)
        return frame_about(np.array(self.twist_axis), x)


@dataclass(frozen=True, kw_only=True)
class AxisJoint(SpringJoint):
    """Base class of joints about or along one `axis`."""

    axis: Vector

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "axis", unit_direction(f"axis of {self.label}", self.axis))


def axis_frame(axis: Vector, flip: bool) -> np.ndarray:
    """Return a frame whose z axis is `axis`, or with `flip` the opposite of `axis`. Its axes are the columns."""
    z = np.array(axis)
    return frame_about(-z if flip else z, None)


def turning(axis: Vector) -> ScrewAxis:
    """Return an axis of rotation through the anchor as a screw."""
    return ScrewAxis(tuple(axis), (0.0, 0.0, 0.0), 0.0, 1.0)


def sliding(axis: Vector) -> ScrewAxis:
    """Return an axis of translation as a screw."""
    return ScrewAxis(tuple(axis), (0.0, 0.0, 0.0), 1.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class OneAxisJoint(AxisJoint):
    """Base class of joints with one coordinate, about or along `axis`. The z axis of their frame is `axis`."""

    axes: ClassVar[int] = 1

    def joint_frame(self, flip: bool) -> np.ndarray:
        """Return a frame whose z axis is `axis`, reversed with `flip`."""
        return axis_frame(self.axis, flip)


@dataclass(frozen=True, kw_only=True)
class Hinge(OneAxisJoint):
    """A joint that allows only rotation about the line through the anchor along `axis`.

    >>> from physics import Hinge
    >>> Hinge(name="elbow", a="upper arm", b="forearm", axis=(0, 1, 0), stiffness=5.0).axis
    (0.0, 1.0, 0.0)
    """

    kind: ClassVar[str] = "hinge"

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """One axis."""
        return (turning(self.axis),)


@dataclass(frozen=True, kw_only=True)
class Universal(SpringJoint):
    """A joint that allows rotation about two axes at right angles: `axis`, which is fixed in a, and `axis2`, which is
    fixed in b.

    >>> from physics import Universal
    >>> Universal(name="j", a="arm", b="hand", axis=(1, 0, 0), axis2=(0, 1, 0)).axes
    2
    """

    axis: Vector
    axis2: Vector

    kind: ClassVar[str] = "universal"
    axes: ClassVar[int] = 2
    alike: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        a = unit_direction(f"axis of {self.label}", self.axis)
        e = unit_direction(f"axis2 of {self.label}", self.axis2)
        if abs(dot(a, e)) > 1e-6:
            raise DefinitionError(f"axis2 of {self.label}", self.axis2, f"a direction at right angles to axis {a}")
        object.__setattr__(self, "axis", a)
        object.__setattr__(self, "axis2", e)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """Two axes of rotation."""
        return turning(self.axis), turning(self.axis2)

    def joint_frame(self, flip: bool) -> np.ndarray:
        """Return the frame whose x axis is `axis` and whose y axis is `axis2`. With `flip`, the two axes are exchanged,
        and both are reversed."""
        x, y = np.array(self.axis), np.array(self.axis2)
        if flip:
            x, y = -y, -x
        return np.column_stack([x, y, np.cross(x, y)])


@dataclass(frozen=True, kw_only=True)
class Slider(OneAxisJoint):
    """A joint that allows translation along `axis` and no rotation.

    >>> from physics import Slider
    >>> Slider(name="j", a="arm", b="hand", axis=(0, 0, 1), damping=3.0).axis
    (0.0, 0.0, 1.0)
    """

    kind: ClassVar[str] = "slider"

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """One axis."""
        return (sliding(self.axis),)

    def plane_frame(self, flip: bool, normal: np.ndarray) -> np.ndarray:
        """Return a frame whose z axis is the axis, reversed with `flip`, and whose y axis is along the normal."""
        z = np.array(self.axis) * (-1.0 if flip else 1.0)
        return frame_about(z, np.cross(normal, z))


@dataclass(frozen=True, kw_only=True)
class Cylindrical(AxisJoint):
    """A joint that allows translation along `axis` and rotation about it. Its coordinates are (travel, angle).

    >>> from physics import Cylindrical
    >>> Cylindrical(name="j", a="arm", b="hand", axis=(0, 0, 1)).axes
    2
    """

    kind: ClassVar[str] = "cylindrical"
    equations: ClassVar[str] = "compound"
    axes: ClassVar[int] = 2

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """The axis twice: first for the travel, then for the rotation."""
        return sliding(self.axis), turning(self.axis)


@dataclass(frozen=True, kw_only=True)
class Planar(SpringJoint):
    """A joint that allows translation in a plane that is fixed in a, and rotation about the `normal` of the plane. Its
    coordinates are the travel along `axis`, the travel along the cross product `normal` x `axis`, and the angle.

    >>> from physics import Planar
    >>> Planar(name="j", a="arm", b="hand", normal=(0, 0, 1), axis=(1, 0, 0)).axes
    3
    """

    normal: Vector
    axis: Vector

    kind: ClassVar[str] = "planar"
    equations: ClassVar[str] = "compound"
    axes: ClassVar[int] = 3

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        n = unit_direction(f"normal of {self.label}", self.normal)
        x = unit_direction(f"axis of {self.label}", self.axis)
        if abs(dot(n, x)) > 1e-6:
            raise DefinitionError(f"axis of {self.label}", self.axis, f"a direction at right angles to its normal {n}")
        object.__setattr__(self, "normal", n)
        object.__setattr__(self, "axis", x)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """Two axes of translation and the axis of rotation."""
        return sliding(self.axis), sliding(np.cross(self.normal, self.axis).tolist()), turning(self.normal)


@dataclass(frozen=True, kw_only=True)
class Screw(AxisJoint):
    """A joint that allows rotation about `axis`, and with each turn moves b by `pitch` [m] along it. A negative pitch
    is left-handed. The coordinate is the angle.

    >>> from physics import Screw
    >>> Screw(name="j", a="arm", b="hand", axis=(0, 0, 1), pitch=0.002).pitch
    0.002
    """

    pitch: float  # m a turn

    kind: ClassVar[str] = "screw"
    equations: ClassVar[str] = "compound"
    axes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        pitch = number(f"pitch of {self.label}", self.pitch, -LONGEST, high=LONGEST)
        if pitch == 0.0:
            raise DefinitionError(f"pitch of {self.label}", pitch, "a number that is not 0: without a pitch, a hinge")
        object.__setattr__(self, "pitch", pitch)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """One axis, a screw."""
        return (ScrewAxis(tuple(self.axis), (0.0, 0.0, 0.0), self.pitch / (2.0 * math.pi), 1.0),)


@dataclass(frozen=True, kw_only=True)
class Weld(Joint):
    """A joint that allows no motion of its two bodies relative to each other.

    >>> from physics import Weld
    >>> Weld(name="glue", a="arm", b="hand", at=(0, 0, 1)).axes
    0
    """

    kind: ClassVar[str] = "weld"

    def plane_frame(self, flip: bool, normal: np.ndarray) -> np.ndarray:
        """Return a frame whose z axis is along the normal."""
        return frame_about(normal, None)


@dataclass(frozen=True, kw_only=True)
class Free(Joint):
    """A statement that body `b` moves freely in the world, and is the root of its figure.

    >>> from physics import Free
    >>> Free(name="base", a="world", b="trunk").kind
    'free'
    """

    kind: ClassVar[str] = "free"
    on_particles: ClassVar[bool] = True
    neighbours: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        if WORLD not in (self.a, self.b):
            raise DefinitionError(f"bodies of {self.label}", (self.a, self.b), "'world' and one body")


@dataclass(frozen=True, kw_only=True)
class Distance(Joint):
    """A rod, which keeps two points at the distance `length` [m]. The length is a number or a signal; if it is not
    given, it is the distance at the drawn pose.

    >>> from physics import Distance
    >>> Distance(name="j", a="arm", b="hand", length=0.5).length
    0.5
    """

    length: float | Signal | None = None

    kind: ClassVar[str] = "distance"
    on_particles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        if isinstance(self.length, Signal):
            if self.length.jumps:
                raise DefinitionError(f"length of {self.label}", self.length, "a number > 0, or a signal without jumps")
            return
        drawn = distance(*self.points)
        value = drawn if self.length is None else self.length
        length = length_in_reach(f"length of {self.label}", value)
        object.__setattr__(self, "length", length)


@dataclass(frozen=True, kw_only=True)
class Rope(Joint):
    """A rope between two points. It pulls when their distance reaches `longest` (by default the distance at the drawn
    pose), and is slack at smaller distances. With `shortest` it is also a strut, which pushes when the distance falls
    to `shortest`.

    >>> from physics import Rope
    >>> Rope(name="j", a="arm", b="hand", longest=1.5).longest
    1.5
    """

    longest: float | None = None  # m; infinity: a strut alone
    shortest: float = 0.0  # m

    kind: ClassVar[str] = "rope"
    on_particles: ClassVar[bool] = True
    once: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "auxiliary", True)
        drawn = distance(*self.points)
        longest = drawn if self.longest is None else self.longest
        if longest != math.inf:
            longest = length_in_reach(f"longest of {self.label}", longest)
        object.__setattr__(self, "longest", longest)
        object.__setattr__(self, "shortest", length_in_reach(f"shortest of {self.label}", self.shortest, strict=False))
        if self.shortest >= longest:
            allowed = f"a length below the longest, {longest:g} m"
            raise DefinitionError(f"shortest of {self.label}", self.shortest, allowed)
