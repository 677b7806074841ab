"""The base classes of joints, constraints and springs of a scene. They have the fields, make the definitions for the
physics, and compute the displacement of the second body relative to the first for a value of the coordinate."""

import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from physics.definitions import checks, joints
from physics.definitions import limits as scene_limits
from physics.maths.strict import arccosine, cosine, distance, dot, norm, sine
from scenes.kinds.bodies import Part
from scenes.kinds.shapes import twin
from scenes.text.errors import Mark
from scenes.text.schema import Model, item
from scenes.text.synonyms import LARGEST
from scenes.text.values import Place, Refused, Value
from scenes.text.words import Flag, Names

Vec = tuple[float, ...]
Quat = tuple[float, ...]
BODIES = Names("body", 2)
WORLD = checks.WORLD
NO_TURN: Quat = (1.0, 0.0, 0.0, 0.0)
# units of stiffness and damping
STIFF, DAMP = "N*m/rad", "N*m*s/rad"


@dataclass
class Edge:
    """A joint, constraint or spring of a loaded scene."""

    name: str
    definition: joints.Joint
    spec: "Tie"
    mark: Mark | None
    section: str = "joints"

    def moved(self, name: str, ends: tuple[str, str], shift: np.ndarray) -> "Edge":
        """Return a copy under another name, between the bodies `ends`, translated by `shift` [m]. It is not checked
        again."""
        x, y, z = shift.tolist()
        points = tuple((p[0] + x, p[1] + y, p[2] + z) for p in self.definition.points)
        d = twin(self.definition, name=name, a=ends[0], b=ends[1], at=points, points=points)
        if x or y or z:
            for key, value in self.spec.shifted_fields(d, shift).items():
                object.__setattr__(d, key, value)
        return twin(self, name=name, definition=d)


@dataclass
class Ends:
    """The two bodies of a joint, and its point on each."""

    a: str
    b: str
    points: tuple[Vec, Vec]
    part_a: Part | None
    part_b: Part | None


class Tie(Model):
    """Base class of joints, constraints and springs: two bodies, and a point of each."""

    not_yet: ClassVar[dict[str, str]] = dict.fromkeys(
        ("torque", "motor", "drive", "actuator", "max", *LARGEST),
        "a motor with a limit stands under `drives`: {joint: name, velocity: 60 rpm, max: 5 N*m}; one without is a "
        "`hinge_motor` or a `slider_motor`",
    )

    kind: ClassVar[str] = ""
    definition: ClassVar[Any]  # what the physics calls it
    coordinate: ClassVar[Value | None] = None  # how a value of its coordinate is written
    particles: ClassVar[tuple[int, ...]] = ()  # which of the two bodies may be a particle
    # What one point as `at` is. "shared": it is on both bodies. "second": likewise, and where it is missing it is the
    # second one's centre. "first": on the first; on the second it is its centre. "centres": missing, it is each one's.
    where: ClassVar[str] = "shared"
    opens: ClassVar[bool] = True  # whether its two points belong together: it can be drawn open
    tree: ClassVar[bool] = True  # whether a pose is passed on through it
    # what of its definition are axes of turning, what are directions of shifting: they differ in a mirror
    turning: ClassVar[tuple[str, ...]] = ()
    shifting: ClassVar[tuple[str, ...]] = ()
    # two of its directions that are at right angles: the second is made exactly perpendicular to the first
    at_right_angles: ClassVar[tuple[str, str] | None] = None

    @property
    def bodies(self) -> tuple[str, str]:
        """Names of the two bodies."""
        return getattr(self, self.kind)

    @property
    def point_of_world(self) -> Vec | None:
        """Point of the world for an entry without one."""
        return None

    def define(self, name: str, ends: Ends) -> joints.Joint:
        """Return the definition for the physics."""
        return self.definition(**self.common(name, ends), **self.fields())

    def common(self, name: str, ends: Ends) -> dict[str, Any]:
        """Return the fields that all definitions have, by name."""
        return {"name": name, "a": ends.a, "b": ends.b, "at": ends.points}

    def fields(self) -> dict[str, Any]:
        """Return the other fields of the definition. They have the same names in the definition and in this model."""
        written = type(self).model_fields.keys() - Joint.model_fields.keys() - {self.kind}
        fields = {key: getattr(self, key) for key in written}
        if self.at_right_angles is not None:
            first, second = self.at_right_angles
            fields[second] = square(fields[first], fields[second], 0.01, first, second)
        return fields

    @classmethod
    def shifted_fields(cls, definition: Any, shift: np.ndarray) -> dict[str, Any]:
        """Return the fields of the definition, other than its points, that a translation changes."""
        return {}

    @classmethod
    def open_by(cls, definition: Any) -> float:
        """Return the gap at the drawn pose [m], as far as the points determine it."""
        return distance(*definition.points) if cls.opens else 0.0

    @classmethod
    def displacement(cls, definition: Any, value: Any) -> tuple[Quat, Vec]:
        """Return rotation and translation of b relative to a, in world axes at the drawn pose, for a value of the
        coordinate."""
        raise NotImplementedError

    @classmethod
    def within(cls, definition: Any, value: Any) -> bool:
        """Return whether a value of the coordinate is within the joint's limits."""
        limits = getattr(definition, "limits", None) or getattr(definition, "soft_limits", None)
        if limits is None or limits.lower is None:
            return True
        values = value if isinstance(value, tuple) else (value,) * definition.axes
        return all(lo - 1e-9 <= x <= up + 1e-9 for x, lo, up in zip(values, limits.lower, limits.upper, strict=True))


class Joint(Tie):
    """Base class of joints and constraints."""

    at: Annotated[Any, Place()] = item(
        "its place: one point in the world, or one for each body (loading then moves the bodies until the points meet)",
        None,
    )
    auxiliary: Annotated[bool, Flag()] = item("keep it out of the tree of joints that the solver works on", False)
    collide: Annotated[bool, Flag()] = item("whether its two bodies touch each other", False)

    def common(self, name: str, ends: Ends) -> dict[str, Any]:
        """Return the fields that all definitions of joints have."""
        return super().common(name, ends) | {"auxiliary": self.auxiliary, "collide": self.collide}


# ---------------------------------------------------------------- small mathematics
def turn_about(axis: Any, angle: float) -> Quat:
    """Return the quaternion of a rotation about a unit axis by an angle [rad]."""
    s = sine(0.5 * angle)
    return (cosine(0.5 * angle), *(s * float(x) for x in axis))


# an angle or travel that no joint reaches, because the physics needs finite bounds
FAR = 1e9


def bound(x: float) -> float:
    """Return x limited to 1e9 in magnitude, which means no bound in the physics."""
    return max(-FAR, min(FAR, x))


def each(value: Any, axes: int) -> tuple[float, ...]:
    """Return a value for each axis. The value that is given may be one number for all, or one for each."""
    return value if isinstance(value, tuple) else (value,) * axes


def square(first: Vec, second: Vec, most: float, name: str, other: str) -> Vec:
    """Return the second direction, made exactly perpendicular to the first, because people write few digits. Refuse a
    direction whose cosine with the first is above `most`."""
    overlap = dot(first, second)
    if abs(overlap) > most:
        angle = math.degrees(arccosine(max(-1.0, min(1.0, overlap))))
        raise Refused(f"`{name}` and `{other}` must be at right angles, and make {angle:.4g} deg", (other,))
    v = [y - overlap * x for x, y in zip(first, second, strict=True)]
    return second if abs(overlap) < 1e-15 else tuple(x / norm(v) for x in v)


def product(p: Any, q: Any) -> Quat:
    """Return the product of two quaternions."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


def check_bounce(spec: Any, limited: bool) -> None:
    """Refuse restitution if there is no hard limit."""
    if np.any(spec.restitution) and (not limited or spec.soft is not None):
        why = "no limits" if not limited else "soft ones, which spring back"
        raise Refused(f"`restitution` belongs to hard limits, and there are {why}", ("restitution",))


def limits_of(spec: Any) -> dict[str, Any]:
    """Return the limits of a joint with single axes as fields of its definition: hard limits, or soft ones if `soft` is
    given."""
    check_bounce(spec, spec.limits is not None)
    if spec.limits is None:
        if spec.soft is not None:
            raise Refused("`soft` says how limits give way, and there are no limits", ("soft",))
        return {}
    if spec.soft is None:
        for k, (low, high) in enumerate(spec.limits):
            if not low < high:
                inner = ("limits",) if len(spec.limits) == 1 else ("limits", k)
                raise Refused("no room between the limits; take a `weld`, or another joint", inner)
        lower, upper = zip(*spec.limits, strict=True)
        return {"limits": scene_limits.Limits(lower=lower, upper=upper, restitution=spec.restitution)}
    lower = tuple(bound(low) for low, _ in spec.limits)
    upper = tuple(bound(high) for _, high in spec.limits)
    soft = scene_limits.SoftLimits(
        stiffness=spec.soft.stiffness, damping=spec.soft.damping, lower=lower, upper=upper
    )  # fmt: skip
    return {"soft_limits": soft}
