"""What a figure is made of: bodies, joints and constraints, as plain values that refuse bad input.

Geometry is given in world axes at the pose in which the figure is drawn: positions, orientations, anchor points, axes.
Joint coordinates are zero as drawn; angles and travel are those of the second body `b` relative to the first, `a`.
`"world"` (or None) is allowed in the place of a body. Angles in radians, SI units throughout. A direction is three
numbers or a letter: "x", "y", "z", "-x", "-y", "-z". The words are those of scenes (scenes/REFERENCE.md); second
spellings stand in `old_words` and `other_words` of each class (physics/spellings.py).

A refusal is a `DefinitionError` that says what was wrong, what was got, and what is allowed.
"""

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from physics.series import ScrewAxis, is_independent
from physics.spellings import Spelled
from physics.strict import distance, dot, norm, principal_axes, product

Vector = Sequence[float]
WORLD = "world"
# what is as near to length 1 stays as it is: a definition made of another's values is the same to the last bit
UNIT = 1e-15
# Squares and products of what is larger, or smaller than its inverse, are no longer finite.
LARGEST = 1e50
# m. Joints are closed to 3e-7 m at every step. A double of this size is rounded to 2e-9 m, and a gap is the sum of some
# ten such roundings: what is longer, or farther from the origin, cannot be held to the tolerances.
LONGEST = 1e7
# directions that have a letter
LETTERS = {
    sign + letter: tuple(s if i == k else 0.0 for i in range(3))
    for sign, s in (("", 1.0), ("+", 1.0), ("-", -1.0))
    for k, letter in enumerate("xyz")
}


class DefinitionWarning(UserWarning):
    """A definition that can be built, and that most likely is not what was meant."""


class DefinitionError(ValueError):
    """A definition that cannot be built, with what, got and allowed."""

    def __init__(self, what: str, got: Any, allowed: str):
        self.what = what
        self.got = got
        self.allowed = allowed
        super().__init__(f"{what}: got {got!r}, allowed: {allowed}")


def _numbers(what: str, value: Any, count: int | tuple[int, ...]) -> tuple[float, ...]:
    counts = (count,) if isinstance(count, int) else count
    allowed = f"{' or '.join(str(c) for c in counts)} finite numbers"
    if isinstance(value, str | bytes | Mapping | Set) or not isinstance(value, Iterable):
        raise DefinitionError(what, value, allowed)
    try:
        result = tuple(_float(v) for v in value)
    except (TypeError, ValueError, OverflowError):
        raise DefinitionError(what, value, allowed) from None
    if len(result) not in counts or not all(math.isfinite(v) for v in result):
        raise DefinitionError(what, value, allowed)
    if any(abs(v) > LARGEST for v in result):
        raise DefinitionError(what, value, f"{allowed} of at most {LARGEST:g}")
    return result


def _float(value: Any) -> float:
    if isinstance(value, bytes | bool | np.bool_):
        raise TypeError
    return float(value)


def number(what: str, value: Any, low: float, strict: bool = False, high: float = math.inf) -> float:
    """`value` as a finite number within bounds, or a refusal."""
    sign = ">" if strict else ">="
    allowed = f"a finite number {sign} {low:g}" if math.isfinite(low) else "a finite number"
    if math.isfinite(high):
        allowed += f" and <= {high:g}"
    try:
        result = _float(value)
    except (TypeError, ValueError, OverflowError):
        raise DefinitionError(what, value, allowed) from None
    if not math.isfinite(result) or result < low or (strict and result == low) or result > high:
        raise DefinitionError(what, value, allowed)
    if abs(result) > LARGEST or (strict and low == 0.0 and result < 1.0 / LARGEST):
        raise DefinitionError(what, value, f"{allowed}, from {1.0 / LARGEST:g} to {LARGEST:g} in size")
    return result


def _place(what: str, value: Any) -> tuple[float, ...]:
    """A point, in m: where the tolerances hold."""
    place = _numbers(what, value, 3)
    if any(abs(x) > LONGEST for x in place):
        raise DefinitionError(what, value, f"3 finite numbers of at most {LONGEST:g} m in size")
    return place


def _extent(what: str, value: Any, strict: bool = True) -> float:
    """A length, in m: above 0 where it is `strict`."""
    return number(what, value, 0.0, strict, high=LONGEST)


def _direction(what: str, value: Any) -> tuple[float, ...]:
    if isinstance(value, str):
        if value not in LETTERS:
            raise DefinitionError(what, value, "x, y, z, -x, -y, -z or three numbers")
        return LETTERS[value]
    v = _numbers(what, value, 3)
    size = norm(v)
    if size < 1e-12:
        raise DefinitionError(what, value, "a vector that is not zero")
    return v if abs(size - 1.0) < UNIT else tuple(x / size for x in v)


def flag(what: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise DefinitionError(what, value, "True or False")
    return bool(value)


def _name(what: str, value: Any) -> str:
    if not isinstance(value, str) or not value or value == WORLD:
        raise DefinitionError(what, value, f"a text that is not empty and not {WORLD!r}")
    return value


def per_axis(what: str, value: Any, axes: int, low: float = 0.0) -> tuple[float, ...]:
    """A number for all axes of a joint, or one for each."""
    if axes == 0:
        raise DefinitionError(what, value, "nothing: this joint has no axis that moves")
    if isinstance(value, Iterable) and not isinstance(value, str):
        values = tuple(value)
        if len(values) != axes:
            raise DefinitionError(what, value, f"one number, or {axes}: one for each axis")
        return tuple(number(what, v, low) for v in values)
    return (number(what, value, low),) * axes


class Signal:
    """A value that is a function of time; `physics.signals` has the kinds."""

    @property
    def jumps(self) -> bool:
        """Whether it is discontinuous: no position can follow it then."""
        return False


# ---------------------------------------------------------------- shapes
@dataclass(frozen=True, kw_only=True)
class Shape(metaclass=Spelled):
    """What every shape has that bodies touch each other with; `physics.shapes.definitions` has the kinds."""

    other_words: ClassVar[Mapping[str, str]] = {"at": "position", "collide": "group"}

    position: Vector = (0.0, 0.0, 0.0)  # m, in the frame of its body
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)
    friction: float = 0.8
    restitution: float = 0.0
    group: str = "default"  # Scene.never keeps groups apart

    kind: ClassVar[int] = -1
    label: ClassVar[str] = "shape"
    endless: ClassVar[bool] = False  # it has no mass, and belongs to what does not move

    def __post_init__(self) -> None:
        object.__setattr__(self, "position", _place(f"position of a {self.label}", self.position))
        object.__setattr__(self, "orientation", _unit(f"orientation of a {self.label}", self.orientation))
        object.__setattr__(self, "friction", number(f"friction of a {self.label}", self.friction, 0.0))
        value = number(f"restitution of a {self.label}", self.restitution, 0.0, high=1.0)
        object.__setattr__(self, "restitution", value)
        if not isinstance(self.group, str) or not self.group:
            raise DefinitionError(f"group of a {self.label}", self.group, "a text that is not empty")

    def _check_length(self, *keys: str) -> None:
        for key in keys:
            value = _extent(f"{key} of a {self.label}", getattr(self, key))
            object.__setattr__(self, key, value)

    @property
    def measures(self) -> tuple[float, float, float]:
        """The three numbers that the kernels know a shape by: its radius, half lengths."""
        return (0.0, 0.0, 0.0)


def _checked_shapes(where: str, value: Any, endless: bool) -> tuple[Shape, ...]:
    """`value` as a tuple of shapes; one shape is a list of one."""
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


# ---------------------------------------------------------------- bodies
@dataclass(frozen=True, kw_only=True)
class Body(metaclass=Spelled):
    """A rigid body. `position` is its centre of mass; `inertia` about it: 3 principal moments along the body's axes, or
    6 numbers xx, yy, zz, xy, xz, yz."""

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    mass: float  # kg
    inertia: Vector  # kg m^2
    position: Vector = (0.0, 0.0, 0.0)  # m
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)  # quaternion, w first, body to world
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s
    angular_velocity: Vector = (0.0, 0.0, 0.0)  # rad/s, world axes
    shapes: Sequence[Shape] = ()  # what it touches others with

    def __post_init__(self) -> None:
        _check_body(self)
        where = f"inertia of body {self.name!r}"
        i = _numbers(where, self.inertia, (3, 6))
        object.__setattr__(self, "inertia", i)
        moments = sorted(principal_axes(inertia_matrix(i))[0].tolist())
        if moments[0] < 1.0 / LARGEST or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
            raise DefinitionError(
                where, i, "positive principal moments, none larger than the sum of the two others (triangle inequality)"
            )
        object.__setattr__(self, "orientation", _unit(f"orientation of body {self.name!r}", self.orientation))
        w = _numbers(f"angular_velocity of body {self.name!r}", self.angular_velocity, 3)
        object.__setattr__(self, "angular_velocity", w)


@dataclass(frozen=True, kw_only=True)
class Particle(metaclass=Spelled):
    """A point mass without orientation."""

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    mass: float  # kg
    position: Vector = (0.0, 0.0, 0.0)  # m
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s
    shapes: Sequence[Shape] = ()  # what it touches others with; they do not turn

    def __post_init__(self) -> None:
        _check_body(self)


@dataclass(frozen=True, kw_only=True)
class Massless:
    """A body without mass between two joints, as robot files have them for several joints in one place. It is folded
    away: its two joints become parts of one (physics/folding.py), and keep their names."""

    name: str

    def __post_init__(self) -> None:
        _name("name of a body", self.name)


@dataclass(frozen=True, kw_only=True)
class Fixed(metaclass=Spelled):
    """What nothing pushes: the world in another place. Joints and springs tie to it as to the world."""

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    position: Any = (0.0, 0.0, 0.0)  # m
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)  # quaternion, w first, body to world
    shapes: Sequence[Shape] = ()  # what others touch it with

    endless_shapes: ClassVar[bool] = False  # whether it may have planes

    def __post_init__(self) -> None:
        _name("name of a body", self.name)
        object.__setattr__(self, "position", _place(f"position of body {self.name!r}", self.position))
        object.__setattr__(self, "orientation", _unit(f"orientation of body {self.name!r}", self.orientation))
        shapes = _checked_shapes(f"shapes of body {self.name!r}", self.shapes, self.endless_shapes)
        object.__setattr__(self, "shapes", shapes)

    def at_start(self) -> tuple[np.ndarray, np.ndarray]:
        """Place and rotation matrix as kernels see them at time 0: what stands still is the world"""
        return np.zeros(3), np.eye(3)


@dataclass(frozen=True, kw_only=True)
class Static(Fixed):
    """A body that does not move."""

    endless_shapes: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class PlanarBody(metaclass=Spelled):
    """A rigid body that moves in a plane alone: two directions, and a turn about the plane's `normal`. At angle 0 its z
    axis is the normal, and its x and y axes are those of the world turned there the shortest way. Two planar bodies of
    one plane direction take hinges about the normal, sliders in the plane, welds, rods and every constraint; such ties
    carry nothing out of the plane."""

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    mass: float  # kg
    inertia: float  # kg m^2, about the normal through the centre of mass
    normal: Vector = (0.0, 0.0, 1.0)
    position: Vector = (0.0, 0.0, 0.0)  # m; the plane goes through it
    angle: float = 0.0  # rad, about the normal
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s, in the plane
    angular_velocity: float = 0.0  # rad/s, about the normal
    shapes: Sequence[Shape] = ()  # what it touches others with

    def __post_init__(self) -> None:
        _check_body(self)
        what = f"of planar body {self.name!r}"
        object.__setattr__(self, "inertia", number(f"inertia {what}", self.inertia, 0.0, strict=True))
        object.__setattr__(self, "normal", _direction(f"normal {what}", self.normal))
        for key in ("angle", "angular_velocity"):
            object.__setattr__(self, key, number(f"{key} {what}", getattr(self, key), -math.inf))
        across = dot(self.velocity, self.normal)
        if abs(across) > 1e-9 * max(1.0, norm(self.velocity)):
            raise DefinitionError(f"velocity {what}", self.velocity, f"a vector across its normal {self.normal}")


@dataclass(frozen=True, kw_only=True)
class ScaledBody(Body):
    """A body that turns and moves like a rigid one and stretches: as a whole ("uniform"), or along each of its three
    principal axes ("axes"). A spring holds each scale at 1. `inertia` is that at scale 1; joints are fixed to points of
    its matter, which move with it."""

    stretch: str = "uniform"
    scale_stiffness: float | Vector  # J: the energy is k (scale - 1)^2 / 2; with "axes" one for each, or one for all
    scale_damping: float | Vector = 0.0  # J s
    scale: float | Vector = 1.0
    scale_velocity: float | Vector = 0.0  # 1/s

    def __post_init__(self) -> None:
        super().__post_init__()
        what = f"of body {self.name!r}"
        if self.shapes:
            raise DefinitionError(f"shapes {what}", self.shapes, "none: what stretches touches nothing")
        if self.stretch not in ("uniform", "axes"):
            raise DefinitionError(f"stretch {what}", self.stretch, "'uniform' or 'axes'")
        count = 1 if self.stretch == "uniform" else 3
        least = {"scale_stiffness": 0.0, "scale_damping": 0.0, "scale": 0.05, "scale_velocity": -math.inf}
        for key, low in least.items():
            value = per_axis(f"{key} {what}", getattr(self, key), count, low)
            object.__setattr__(self, key, value)
        moments = sorted(principal_axes(inertia_matrix(self.inertia))[0].tolist())
        if count == 3 and moments[2] > (moments[0] + moments[1]) * (1.0 - 1e-6):
            raise DefinitionError(
                f"inertia {what}", self.inertia, "principal moments each smaller than the sum of the two others: along "
                "the axis in which a flat body has no extent there is nothing to stretch"
            )  # fmt: skip


def _check_body(body: Any) -> None:
    _name("name of a body", body.name)
    object.__setattr__(body, "mass", number(f"mass of body {body.name!r}", body.mass, 0.0, strict=True))
    object.__setattr__(body, "position", _place(f"position of body {body.name!r}", body.position))
    object.__setattr__(body, "velocity", _numbers(f"velocity of body {body.name!r}", body.velocity, 3))
    object.__setattr__(body, "shapes", _checked_shapes(f"shapes of body {body.name!r}", body.shapes, False))


def _unit(what: str, value: Any) -> tuple[float, ...]:
    q = _numbers(what, value, 4)
    size = norm(q)
    if abs(size - 1.0) > 1e-3:
        raise DefinitionError(what, value, "a unit quaternion, w first")
    return q if abs(size - 1.0) < UNIT else tuple(x / size for x in q)


def inertia_matrix(inertia: Sequence[float]) -> np.ndarray:
    """The 3x3 matrix of 3 or 6 numbers."""
    if len(inertia) == 3:
        return np.diag(inertia)
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


# ---------------------------------------------------------------- joints
@dataclass(frozen=True, kw_only=True)
class SoftLimits:
    """One-sided springs beyond a range: [lower, upper] of each axis, or for a ball joint a cone `swing` for the twist
    axis and a range `twist` about it. Stiffness and damping are one number, or one for each axis (ball: about x, y, z
    of the joint frame; swing takes the first, twist the third)."""

    stiffness: float | Vector
    damping: float | Vector = 0.0
    lower: float | Vector | None = None
    upper: float | Vector | None = None
    swing: float | None = None
    twist: Vector | None = None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Hard limits: a range [lower, upper] of each axis, or for a ball joint a cone `swing` for the twist axis and a
    range `twist` about it. Two angles of swing, about x and y of the joint frame, make the cone elliptical. None and
    infinity are no limit. `restitution`, of each axis: the share of its speed with which a coordinate comes back from
    a limit that it strikes."""

    lower: float | Vector | None = None
    upper: float | Vector | None = None
    swing: float | Vector | None = None
    twist: Vector | None = None
    restitution: float | Vector = 0.0

    def swing_angles(self) -> tuple[float, float]:
        """How far the twist axis may lean about x and about y"""
        angles = self.swing if isinstance(self.swing, Sequence) else (self.swing, self.swing)
        return angles[0], angles[1]  # type: ignore[return-value]

    def bounce(self, k: int) -> float:
        """The restitution of axis k"""
        return self.restitution[k] if isinstance(self.restitution, Sequence) else self.restitution

    def checked_restitution(self, what: str, axes: int) -> float | tuple[float, ...]:
        values = per_axis(f"restitution in {what}", self.restitution, axes)
        values = tuple(number(f"restitution in {what}", v, 0.0, high=1.0) for v in values)
        return values if len(set(values)) > 1 else values[0]


def as_limits(what: str, value: Any, axes: int, alike: bool = True) -> Limits | None:
    """Hard limits as a value: from (lower, upper), or one such pair for each of the axes. One pair is for all of them
    where they are `alike`: all turn, or all slide. None and infinity are no limit."""
    if value is None or isinstance(value, Limits):
        return value
    one = "(lower, upper)"
    allowed = one if axes == 1 else f"{axes} ranges {one}, one for each axis"
    allowed = f"{allowed}, a Limits value, or None"
    given = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else []
    if len(given) == axes and any(isinstance(pair, Sequence | np.ndarray) for pair in given):
        pairs = [(None, None) if pair is None else pair for pair in given]
    elif len(given) == 2 and axes > 0 and (alike or axes == 1):
        pairs = [given] * axes
    else:
        raise DefinitionError(what, value, allowed)
    if any(isinstance(pair, str) or np.shape(pair) != (2,) for pair in pairs):
        raise DefinitionError(what, value, allowed)
    lower, upper = zip(*pairs, strict=True)
    return Limits(lower=lower, upper=upper) if axes > 1 else Limits(lower=lower[0], upper=upper[0])


@dataclass(frozen=True, kw_only=True)
class Joint(metaclass=Spelled):
    """What every joint and constraint has. `at`: one world point, or a pair of points, one for each body."""

    name: str
    a: str | None
    b: str | None
    at: Any = (0.0, 0.0, 0.0)
    auxiliary: bool = False  # keep it out of the primary forest
    collide: bool = False  # its two bodies may touch each other all the same

    kind: ClassVar[str] = ""
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
        _name(f"name of a {self.kind} joint", self.name)
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
        object.__setattr__(self, "points", tuple(_place(f"at of {self.label}", p) for p in points))

    @property
    def label(self) -> str:
        return f"{self.kind} joint {self.name!r}"

    def check(self, bodies: Mapping[str, Any]) -> None:
        """What can be checked only when the bodies are known"""


@dataclass(frozen=True, kw_only=True)
class SpringJoint(Joint):
    """A joint whose axes may carry springs, dampers, soft and hard limits and rotors: `armature` adds I q'^2 / 2 to the
    kinetic energy, q' the rate of the coordinate."""

    stiffness: float | Vector = 0.0  # N m/rad or N/m
    damping: float | Vector = 0.0  # N m s/rad or N s/m
    rest: float | Vector = 0.0  # coordinates at which the spring is relaxed
    soft_limits: SoftLimits | None = None
    limits: Any = None  # hard: a Limits value, or (lower, upper), or of several axes one such for each
    armature: float | Vector = 0.0  # kg m^2 or kg

    def __post_init__(self) -> None:
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
        """Hard limits with a bound for each axis; a ball joint's with swing and twist."""
        what = f"limits of {self.label}"
        limits = as_limits(what, limits, self.axes, self.alike)
        if limits is None:
            return None
        if limits.swing is not None or limits.twist is not None:
            raise DefinitionError(what, limits, "lower and upper (swing and twist belong to ball joints)")
        lower = self._ends(f"lower in {what}", limits.lower, -math.inf)
        upper = self._ends(f"upper in {what}", limits.upper, math.inf)
        if any(lo >= up for lo, up in zip(lower, upper, strict=True)):
            raise DefinitionError(what, (lower, upper), "lower below upper: what cannot move is another joint")
        return Limits(lower=lower, upper=upper, restitution=limits.checked_restitution(what, self.axes))

    def _ends(self, what: str, value: Any, default: float) -> tuple[float, ...]:
        """A bound for each axis; None and infinity of the right sign for none"""
        values = value if isinstance(value, Sequence) and not isinstance(value, str) else (value,) * self.axes
        if len(values) != self.axes:
            raise DefinitionError(what, value, f"one number, or {self.axes}: one for each axis")
        return tuple(default if v is None or v == default else number(what, v, -math.inf) for v in values)

    def _checked_limits(self, s: SoftLimits) -> SoftLimits:
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
        """Its axes one after the other from a to b, points from the anchor; empty where it has none such."""
        return ()

    def _bounds(self, what: str, value: Any, default: float) -> tuple[float, ...]:
        if value is None:
            return (default,) * self.axes
        return per_axis(what, value, self.axes, -math.inf)


@dataclass(frozen=True, kw_only=True)
class Ball(SpringJoint):
    """Two points stay together. `rest` is a rotation vector of b relative to a. `twist_axis` and `swing_axis` (world
    axes) are the z and x axis of the joint frame, for different stiffness about x, y, z and for limits."""

    twist_axis: Vector = (0.0, 0.0, 1.0)
    swing_axis: Vector | None = None

    kind: ClassVar[str] = "ball"
    on_particles: ClassVar[bool] = True
    axes: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "twist_axis", _direction(f"twist_axis of {self.label}", self.twist_axis))
        if self.swing_axis is not None:
            x = _direction(f"swing_axis of {self.label}", self.swing_axis)
            if distance(x, self.twist_axis) < 1e-6 or distance(x, [-k for k in self.twist_axis]) < 1e-6:
                raise DefinitionError(
                    f"swing_axis of {self.label}", x, f"a direction not along its twist_axis {self.twist_axis}"
                )
            object.__setattr__(self, "swing_axis", x)
        if len(set(self.armature)) > 1:  # type: ignore[arg-type]
            raise DefinitionError(f"armature of {self.label}", self.armature, "one number, the same about all axes")

    def _checked_limits(self, s: SoftLimits) -> SoftLimits:
        what = f"soft_limits of {self.label}"
        stiffness = per_axis(f"stiffness in {what}", s.stiffness, self.axes)
        damping = per_axis(f"damping in {what}", s.damping, self.axes)
        if s.lower is not None or s.upper is not None:
            raise DefinitionError(what, s, "swing and twist (lower and upper belong to joints with single axes)")
        swing = math.inf if s.swing is None else number(f"swing in {what}", s.swing, 0.0)
        twist = (-math.inf, math.inf) if s.twist is None else _numbers(f"twist in {what}", s.twist, 2)
        if twist[0] > twist[1]:
            raise DefinitionError(f"twist in {what}", twist, "lower not above upper")
        return SoftLimits(stiffness=stiffness, damping=damping, swing=swing, twist=twist)

    def checked_hard(self, limits: Any) -> Limits | None:
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
            twist = _numbers(f"twist in {what}", limits.twist, 2)
        if not twist[0] < twist[1]:
            raise DefinitionError(f"twist in {what}", twist, "lower below upper")
        return Limits(swing=swing, twist=twist, restitution=limits.checked_restitution(what, 1))


@dataclass(frozen=True, kw_only=True)
class Hinge(SpringJoint):
    """Rotation about `axis` through the anchor."""

    axis: Vector

    kind: ClassVar[str] = "hinge"
    axes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", _direction(f"axis of {self.label}", self.axis))

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        return (_turning(self.axis),)


def _turning(axis: Vector) -> ScrewAxis:
    return ScrewAxis(tuple(axis), (0.0, 0.0, 0.0), 0.0, 1.0)


def _sliding(axis: Vector) -> ScrewAxis:
    return ScrewAxis(tuple(axis), (0.0, 0.0, 0.0), 1.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class Universal(SpringJoint):
    """Rotation about `axis`, fixed in a, and `axis2`, fixed in b, at right angles."""

    axis: Vector
    axis2: Vector

    kind: ClassVar[str] = "universal"
    axes: ClassVar[int] = 2
    alike: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        a = _direction(f"axis of {self.label}", self.axis)
        e = _direction(f"axis2 of {self.label}", self.axis2)
        if abs(dot(a, e)) > 1e-6:
            raise DefinitionError(f"axis2 of {self.label}", self.axis2, f"a direction at right angles to axis {a}")
        object.__setattr__(self, "axis", a)
        object.__setattr__(self, "axis2", e)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        return _turning(self.axis), _turning(self.axis2)


@dataclass(frozen=True, kw_only=True)
class Slider(SpringJoint):
    """Translation along `axis`; no rotation."""

    axis: Vector

    kind: ClassVar[str] = "slider"
    axes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", _direction(f"axis of {self.label}", self.axis))

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        return (_sliding(self.axis),)


@dataclass(frozen=True, kw_only=True)
class Cylindrical(SpringJoint):
    """Translation along `axis` and rotation about it: coordinates (travel, angle)."""

    axis: Vector

    kind: ClassVar[str] = "cylindrical"
    axes: ClassVar[int] = 2

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", _direction(f"axis of {self.label}", self.axis))

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        return _sliding(self.axis), _turning(self.axis)


@dataclass(frozen=True, kw_only=True)
class Planar(SpringJoint):
    """Translation in a plane of a, along `axis` and along `normal` x `axis`, and rotation about its `normal`:
    coordinates (travel, travel, angle)."""

    normal: Vector
    axis: Vector

    kind: ClassVar[str] = "planar"
    axes: ClassVar[int] = 3

    def __post_init__(self) -> None:
        super().__post_init__()
        n = _direction(f"normal of {self.label}", self.normal)
        x = _direction(f"axis of {self.label}", self.axis)
        if abs(dot(n, x)) > 1e-6:
            raise DefinitionError(f"axis of {self.label}", self.axis, f"a direction at right angles to its normal {n}")
        object.__setattr__(self, "normal", n)
        object.__setattr__(self, "axis", x)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        return _sliding(self.axis), _sliding(np.cross(self.normal, self.axis).tolist()), _turning(self.normal)


@dataclass(frozen=True, kw_only=True)
class Screw(SpringJoint):
    """Rotation about `axis` and a travel along it of `pitch` a turn (negative: left-handed); the coordinate is the
    angle."""

    axis: Vector
    pitch: float  # m a turn

    kind: ClassVar[str] = "screw"
    axes: ClassVar[int] = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "axis", _direction(f"axis of {self.label}", self.axis))
        pitch = number(f"pitch of {self.label}", self.pitch, -LONGEST, high=LONGEST)
        if pitch == 0.0:
            raise DefinitionError(f"pitch of {self.label}", pitch, "a number that is not 0: without a pitch, a hinge")
        object.__setattr__(self, "pitch", pitch)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        return (ScrewAxis(tuple(self.axis), (0.0, 0.0, 0.0), self.pitch / (2.0 * math.pi), 1.0),)


@dataclass(frozen=True, kw_only=True)
class Part:
    """An axis of a compound joint: where it lies as drawn, and what it carries."""

    axis: Vector
    at: Vector | None = None  # a point on it; None: the joint's own
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    soft_limits: SoftLimits | None = None
    limits: Any = None  # hard: a Limits value, or (lower, upper)
    armature: float = 0.0

    def screw(self, point: tuple[float, ...]) -> ScrewAxis:
        """The axis through a point."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Turn(Part):
    """An axis that turns, and where it has a `pitch` slides by it, m a turn: a screw."""

    pitch: float = 0.0

    def screw(self, point: tuple[float, ...]) -> ScrewAxis:
        return _turning(self.axis)._replace(point=point, slide=self.pitch / (2.0 * math.pi))


@dataclass(frozen=True, kw_only=True)
class Slide(Part):
    """An axis that slides."""

    def screw(self, point: tuple[float, ...]) -> ScrewAxis:
        return _sliding(self.axis)._replace(point=point)


@dataclass(frozen=True, kw_only=True)
class Compound(SpringJoint):
    """Up to three hinges (`Turn`) and sliders (`Slide`) in series from a to b, each carried along by those before it:
    what robot and character files call several joints on one body."""

    parts: Sequence[Part]
    stiffness: tuple[float, ...] = field(init=False)  # those of the parts
    damping: tuple[float, ...] = field(init=False)
    rest: tuple[float, ...] = field(init=False)
    soft_limits: SoftLimits | None = field(init=False)
    limits: Limits | None = field(init=False)
    armature: tuple[float, ...] = field(init=False)

    kind: ClassVar[str] = "compound"

    @property
    def axes(self) -> int:  # type: ignore[override]
        return len(self.parts)

    def __post_init__(self) -> None:
        parts = self.parts
        if not isinstance(parts, Sequence) or not 1 <= len(parts) <= 3 or not all(isinstance(p, Part) for p in parts):
            raise DefinitionError(f"parts of {self.label}", parts, "one to three Turn and Slide values")
        parts = [
            replace(p, limits=as_limits(f"limits of part {k + 1} of {self.label}", p.limits, 1))
            for k, p in enumerate(parts)
        ]
        object.__setattr__(self, "parts", tuple(parts))
        for key in ("stiffness", "damping", "rest", "armature"):
            object.__setattr__(self, key, tuple(getattr(p, key) for p in parts))
        object.__setattr__(self, "soft_limits", self._gathered_limits(parts))
        object.__setattr__(self, "limits", self._gathered_hard(parts))
        super().__post_init__()
        checked = [self._checked(k, p) for k, p in enumerate(parts)]
        object.__setattr__(self, "parts", tuple(checked))
        check_series(f"parts of {self.label}", self.series)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        at = np.array(self.points[0])
        return tuple(p.screw(tuple((np.array(at if p.at is None else p.at) - at).tolist())) for p in self.parts)

    def _checked(self, k: int, part: Part) -> Part:
        axis = _direction(f"axis of part {k + 1} of {self.label}", part.axis)
        at = part.at if part.at is None else _place(f"at of part {k + 1} of {self.label}", part.at)
        if isinstance(part, Turn):
            pitch = number(f"pitch of part {k + 1} of {self.label}", part.pitch, -LONGEST, high=LONGEST)
            part = replace(part, pitch=pitch)
        return replace(part, axis=axis, at=at)

    def _gathered_limits(self, parts: Sequence[Part]) -> SoftLimits | None:
        if all(p.soft_limits is None for p in parts):
            return None
        one = []
        for k, part in enumerate(parts):
            what = f"soft_limits of part {k + 1} of {self.label}"
            limits = part.soft_limits or SoftLimits(stiffness=0.0)
            if not isinstance(limits, SoftLimits) or limits.swing is not None or limits.twist is not None:
                raise DefinitionError(what, limits, "a SoftLimits value with lower and upper, or None")
            one.append([
                per_axis(what, limits.stiffness, 1)[0],
                per_axis(what, limits.damping, 1)[0],
                -math.inf if limits.lower is None else per_axis(what, limits.lower, 1, -math.inf)[0],
                math.inf if limits.upper is None else per_axis(what, limits.upper, 1, -math.inf)[0],
            ])  # fmt: skip
        stiffness, damping, lower, upper = zip(*one, strict=True)
        return SoftLimits(stiffness=stiffness, damping=damping, lower=lower, upper=upper)

    def _gathered_hard(self, parts: Sequence[Part]) -> Limits | None:
        for k, part in enumerate(parts):
            if part.limits is not None and (part.limits.swing is not None or part.limits.twist is not None):
                what = f"limits of part {k + 1} of {self.label}"
                raise DefinitionError(what, part.limits, "lower and upper (swing and twist belong to ball joints)")
        if all(p.limits is None for p in parts):
            return None
        own = [p.limits or Limits() for p in parts]
        return Limits(
            lower=[o.lower for o in own],  # type: ignore[arg-type]
            upper=[o.upper for o in own],  # type: ignore[arg-type]
            restitution=tuple(o.bounce(0) for o in own),
        )

    def _checked_limits(self, s: SoftLimits) -> SoftLimits:
        """Those of the parts, gathered already; a part without a bound has an infinite one."""
        what = f"soft_limits of {self.label}"
        per_axis(f"stiffness in {what}", s.stiffness, self.axes)
        per_axis(f"damping in {what}", s.damping, self.axes)
        if any(lo > up for lo, up in zip(s.lower, s.upper, strict=True)):  # type: ignore[arg-type]
            raise DefinitionError(what, (s.lower, s.upper), "lower not above upper")
        return s


def check_series(what: str, series: Sequence[ScrewAxis]) -> None:
    """Refuse axes that depend on each other at all coordinates, such as two hinges on one line."""
    if not is_independent(series):
        got = [(a.direction, a.point) for a in series]
        raise DefinitionError(what, got, "axes none of which does what the others do together")


@dataclass(frozen=True, kw_only=True)
class Weld(Joint):
    """Nothing moves."""

    kind: ClassVar[str] = "weld"


@dataclass(frozen=True, kw_only=True)
class Free(Joint):
    """Body `b` moves freely in the world, and is the root of its figure."""

    kind: ClassVar[str] = "free"
    on_particles: ClassVar[bool] = True
    neighbours: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if WORLD not in (self.a, self.b):
            raise DefinitionError(f"bodies of {self.label}", (self.a, self.b), "'world' and one body")


@dataclass(frozen=True, kw_only=True)
class Distance(Joint):
    """A rod: the two points keep their distance `length` (as drawn, unless given; it may be a signal)."""

    length: float | Signal | None = None

    kind: ClassVar[str] = "distance"
    on_particles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.length, Signal):
            if self.length.jumps:
                raise DefinitionError(f"length of {self.label}", self.length, "a number > 0, or a signal without jumps")
            return
        drawn = distance(*self.points)
        value = drawn if self.length is None else self.length
        length = _extent(f"length of {self.label}", value)
        object.__setattr__(self, "length", length)


@dataclass(frozen=True, kw_only=True)
class Linkage(metaclass=Spelled):
    """What ties any number of bodies, or of joints: `Coupling`, and `physics.relations.Condition`."""

    name: str

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        _name(f"name of a {self.kind}", self.name)

    @property
    def label(self) -> str:
        return f"{self.kind} {self.name!r}"

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """What can be checked only when the figure is known"""


@dataclass(frozen=True, kw_only=True)
class Coupling(Linkage):
    """The sum of coefficients times joint coordinates stays at `offset`: `terms` maps joints with single axes, by name
    or (name, number of the coordinate), to their coefficients. q_1 + q_2 = 2 q_3 is {"1": 1, "2": 1, "3": -2}."""

    terms: Mapping[Any, float]
    offset: float = 0.0

    kind: ClassVar[str] = "coupling"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "offset", number(f"offset of {self.label}", self.offset, -math.inf))
        what = f"terms of {self.label}"
        allowed = "joint names, or (name, number of the coordinate), with their coefficients, none of them 0"
        if not isinstance(self.terms, Mapping) or not self.terms:
            raise DefinitionError(what, self.terms, allowed)
        terms: dict[tuple[str, int], float] = {}
        for key, factor in self.terms.items():
            name, axis = key if isinstance(key, tuple) and len(key) == 2 else (key, 0)
            value = number(f"coefficient of {key!r} in {what}", factor, -math.inf)
            if not isinstance(name, str) or not isinstance(axis, int) or (name, axis) in terms or value == 0.0:
                raise DefinitionError(what, self.terms, allowed)
            terms[name, axis] = value
        object.__setattr__(self, "terms", terms)

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        for name, axis in self.terms:
            what = f"terms of {self.label}"
            if name not in joints:
                raise DefinitionError(what, name, "the name of a joint")
            joint = joints[name]
            if joint.axes == 0 or isinstance(joint, Ball):
                raise DefinitionError(what, name, f"joints with single axes: {joint.label} has none")
            if not 0 <= axis < joint.axes:
                raise DefinitionError(what, (name, axis), f"a coordinate of {joint.label}, from 0 to {joint.axes - 1}")


@dataclass(frozen=True, kw_only=True)
class Actuator(metaclass=Spelled):
    """What pulls a figure to where it is told to be; `physics.actuators` has the kinds."""

    name: str

    kind: ClassVar[str] = ""

    def __post_init__(self) -> None:
        _name(f"name of a {self.kind}", self.name)

    @property
    def label(self) -> str:
        return f"{self.kind} {self.name!r}"

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """What can be checked only when the figure is known"""


class Medium:
    """What bodies move in; `physics.medium` has the kind."""

    def check(self, bodies: Mapping[str, Any]) -> None:
        """What can be checked only when the bodies are known"""


@dataclass(frozen=True, kw_only=True)
class Scene(metaclass=Spelled):
    """Everything that `World` is built from."""

    old_words: ClassVar[Mapping[str, str]] = {"apart": "never"}

    bodies: Sequence[Body | Particle | PlanarBody | Massless | Fixed]
    joints: Sequence[Joint] = ()
    couplings: Sequence[Linkage] = ()  # couplings of joints, conditions on bodies
    shapes: Sequence[Shape] = ()  # of the world: floors, walls
    never: Sequence[tuple[str, str]] = ()  # pairs of groups of shapes that never touch (or a group and itself)
    drives: Sequence[Actuator] = ()
    medium: Medium | None = None
    gravity: Vector = (0.0, 0.0, -9.81)  # m/s^2
    timestep: float = 1.0 / 240.0  # s

    def __post_init__(self) -> None:
        object.__setattr__(self, "gravity", _numbers("gravity", self.gravity, 3))
        object.__setattr__(self, "timestep", number("timestep", self.timestep, 0.0, strict=True))
        for key in ("bodies", "joints", "couplings", "drives"):
            if isinstance(getattr(self, key), str) or not isinstance(getattr(self, key), Sequence):
                raise DefinitionError(f"{key} of a scene", getattr(self, key), f"a list of {key}")
        object.__setattr__(self, "shapes", _checked_shapes("shapes of a scene", self.shapes, True))
        names: set[str] = set()
        for body in self.bodies:
            if not isinstance(body, Body | Particle | PlanarBody | Massless | Fixed):
                allowed = "Body, ScaledBody, PlanarBody, Particle, Massless, Static or Moving values"
                raise DefinitionError("bodies", body, allowed)
            if body.name in names:
                raise DefinitionError("name of a body", body.name, "a name used once")
            names.add(body.name)
        self._check_joints(names)
        self._check_couplings()
        self._check_drives()

    def _check_joints(self, bodies: set[str]) -> None:
        names: set[str] = set()
        ties: dict[tuple[Any, ...], str] = {}
        particles = {b.name for b in self.bodies if isinstance(b, Particle)}
        unmoved = {WORLD, *(b.name for b in self.bodies if isinstance(b, Fixed))}
        by_name: dict[str, Any] = {b.name: b for b in self.bodies}
        for joint in self.joints:
            if not isinstance(joint, Joint):
                raise DefinitionError("joints", joint, "joint values such as Ball, Hinge, Distance")
            if joint.name in names:
                raise DefinitionError("name of a joint", joint.name, "a name used once")
            names.add(joint.name)
            for key in (joint.a, joint.b):
                if key != WORLD and key not in bodies:
                    raise DefinitionError(f"body of {joint.label}", key, _known(str(key), bodies))
            for end in "ab":
                if getattr(joint, end) in particles and not (joint.on_particles or end in joint.particle_ends):
                    raise DefinitionError(
                        f"body of {joint.label}", getattr(joint, end),
                        "a rigid body: a particle takes ball, distance and free joints, points on planes, lines and "
                        "curves, and functions",
                    )  # fmt: skip
            self._check_particle_point(joint, by_name)
            joint.check(by_name)
            if {joint.a, joint.b} <= unmoved:
                raise DefinitionError(
                    f"bodies of {joint.label}", (joint.a, joint.b), "at least one body that forces can move"
                )
            ends = [by_name[key] for key in (str(joint.a), str(joint.b)) if key in by_name]
            self._check_plane(joint, ends)
            stretching = any(isinstance(body, ScaledBody) for body in ends)
            if stretching and np.any(getattr(joint, "armature", 0.0)):
                allowed = "0 beside a body that stretches: how fast its rotor turns would hang on the scales"
                raise DefinitionError(f"armature of {joint.label}", joint.armature, allowed)  # type: ignore[attr-defined]
            if not joint.once:
                continue
            free = isinstance(joint, Free)  # at whichever point
            # rounded: where two computed points are meant to be the same
            points = [None if free else tuple(round(x, 12) for x in point) for point in joint.points]
            tie = (joint.kind, frozenset(zip((joint.a, joint.b), points, strict=True)))
            if tie in ties:
                same = "the same body" if free else "the same bodies and point"
                raise DefinitionError(f"{joint.label}", f"{same} as {ties[tie]!r}", "each joint once")
            ties[tie] = joint.name

    def _check_plane(self, joint: Joint, bodies: Sequence[Any]) -> None:
        """Between planar bodies, or one and the world, a joint must leave them their plane."""
        ends = [b.normal for b in bodies if isinstance(b, PlanarBody)]
        held = [b for b in bodies if isinstance(b, Fixed)]
        if not ends or isinstance(joint, Free) or len(ends) + len(held) + (WORLD in (joint.a, joint.b)) < 2:
            return
        if held and not isinstance(held[0], Static) and not isinstance(joint, Distance):
            raise DefinitionError(
                f"bodies of {joint.label}", (joint.a, joint.b), "a rod between a planar body and one that is moved"
            )
        normal = np.array(ends[0])
        if isinstance(joint, Distance) or joint.is_constraint or joint.kind in ("spring", "torsion spring"):
            return
        if not isinstance(joint, Hinge | Slider | Weld):
            raise DefinitionError(
                joint.label, "between planar bodies", "hinges about the normal, sliders in the plane, welds and rods"
            )
        if norm(np.cross(normal, ends[-1])) > 1e-9:
            raise DefinitionError(f"bodies of {joint.label}", ends, "planar bodies with the same normal")
        along = abs(product(normal, np.array(joint.axis))) if not isinstance(joint, Weld) else 1.0
        if isinstance(joint, Hinge) and along < 1.0 - 1e-12:
            raise DefinitionError(f"axis of {joint.label}", joint.axis, f"the normal {tuple(normal.tolist())}")
        if isinstance(joint, Slider) and along > 1e-9:
            raise DefinitionError(
                f"axis of {joint.label}", joint.axis, f"a direction across the normal {tuple(normal.tolist())}"
            )

    def _check_couplings(self) -> None:
        bodies, joints = {b.name: b for b in self.bodies}, {j.name: j for j in self.joints}
        names = set(joints)
        for coupling in self.couplings:
            if not isinstance(coupling, Linkage):
                raise DefinitionError("couplings", coupling, "Coupling and Condition values")
            if coupling.name in names:
                raise DefinitionError(f"name of {coupling.label}", coupling.name, "a name used once")
            names.add(coupling.name)
            coupling.check(bodies, joints)

    def _check_drives(self) -> None:
        bodies, joints = {b.name: b for b in self.bodies}, {j.name: j for j in self.joints}
        names: set[str] = set()
        for drive in self.drives:
            if not isinstance(drive, Actuator):
                raise DefinitionError("drives", drive, "Drive and TargetSpring values")
            if drive.name in names:
                raise DefinitionError(f"name of {drive.label}", drive.name, "a name used once")
            names.add(drive.name)
            drive.check(bodies, joints)
        if self.medium is not None:
            if not isinstance(self.medium, Medium):
                raise DefinitionError("medium", self.medium, "a Fluid, or None")
            self.medium.check(bodies)

    def _check_particle_point(self, joint: Joint, by_name: Mapping[str, Any]) -> None:
        for end, point in zip("ab", joint.points, strict=True):
            key = getattr(joint, end)
            body = by_name.get(key)
            if not isinstance(body, Particle) or (end not in joint.point_of and joint.kind not in ("ball", "spring")):
                continue
            if distance(body.position, point) > 1e-9:
                raise DefinitionError(f"at of {joint.label}", point, f"the place of particle {key!r}: {body.position}")
            if not isinstance(joint, Ball):
                continue
            limited = joint.soft_limits or joint.limits
            if limited or any((*joint.stiffness, *joint.damping, *joint.armature)):  # type: ignore[misc]
                raise DefinitionError(
                    f"stiffness of {joint.label}", joint.stiffness, "0: a particle has no orientation"
                )


def _known(name: str, names: set[str], what: str = f"a body, or {WORLD!r}") -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, sorted(names), 1)
    hint = f"; did you mean {close[0]!r}?" if close else ""
    return f"the name of {what}{hint}"
