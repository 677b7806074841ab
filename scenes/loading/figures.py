"""A scene as a part of another scene: translated, rotated and mirrored, with a prefix before its names.

    x' = R M x + t

R rotates, M mirrors along one axis, and t translates. Rotation axes and angular velocities are axial vectors: the
mirror image of such a vector a is -M a. A mirrored knee therefore bends as a knee does. The coordinates of all joints
keep their meaning, and with it their limits, rests and poses.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics.definitions import bodies, compound, couplings, joints
from physics.definitions.constraints import PointOnCurve
from physics.definitions.formulas import ConditionFormula, Formula, VelocityFormula
from physics.definitions.motions import Moving
from physics.maths import strict
from physics.maths.rotations import matrix_of
from scenes.kinds.bodies import EVERYTHING, Part, moved_as_prescribed, planar_turn
from scenes.kinds.constraints import Coupled, moved_curve
from scenes.kinds.shapes import mirrored
from scenes.kinds.ties import Edge, product
from scenes.text.values import Refused


@dataclass(frozen=True)
class Transform:
    """A rotation, mirror image and translation."""

    shift: np.ndarray
    turn: tuple[float, ...]  # quaternion R
    mirror: str | None

    @property
    def polar(self) -> np.ndarray:
        """Matrix for positions and displacements."""
        r = matrix_of(self.turn)
        if self.mirror is None:
            return r
        m = np.eye(3)
        k = "xyz".index(self.mirror)
        m[k, k] = -1.0
        return strict.product(r, m)

    @property
    def axial(self) -> np.ndarray:
        """Matrix for rotation axes."""
        return self.polar if self.mirror is None else -self.polar

    @property
    def body_turn(self) -> tuple[float, ...]:
        """Quaternion by which orientations of bodies are multiplied: that of R, or with a mirror that of -R M, which is
        R times half a turn about the axis of the mirror."""
        if self.mirror is None:
            return self.turn
        half = [0.0, 0.0, 0.0, 0.0]
        half[1 + "xyz".index(self.mirror)] = 1.0
        return product(self.turn, tuple(half))

    @property
    def is_nothing(self) -> bool:
        """Whether the transform is the identity."""
        return self.mirror is None and not self.shift.any() and self.turn == (1.0, 0.0, 0.0, 0.0)

    @property
    def is_shift(self) -> bool:
        """Whether the transform is a translation."""
        return self.mirror is None and self.turn == (1.0, 0.0, 0.0, 0.0)

    def place(self, point: Any) -> tuple[float, ...]:
        """Return a point after the transform [m]."""
        return tuple((strict.product(self.polar, np.array(point)) + self.shift).tolist())

    def direction(self, direction: Any) -> tuple[float, ...]:
        """Return a polar direction after the transform."""
        return tuple(strict.product(self.polar, np.array(direction)).tolist())

    def axis(self, axis: Any) -> tuple[float, ...]:
        """Return a rotation axis after the transform."""
        return tuple(strict.product(self.axial, np.array(axis)).tolist())


def placed_part(part: Part, t: Transform, prefix: str) -> Part:
    """Return a body of a figure after the transform, with a prefix before its name."""
    name = f"{prefix}/{part.name}"
    if t.is_nothing:
        out = part.moved(name, t.shift)
        out.groups = prefixed(part.groups, prefix)
        return out
    turned = part.orientation if part.is_particle else product(t.body_turn, part.orientation)
    out = replace(
        part, name=name, definition=placed_body(part.definition, name, turned, t), place=t.place(part.place),
        orientation=turned,
    )  # fmt: skip
    if t.mirror is not None:
        out.shapes = tuple(mirrored(shape) for shape in part.shapes)
    if part.axis is not None:
        out.axis = tuple(strict.product(t.polar, np.array(part.axis)).tolist())
    out.groups = prefixed(part.groups, prefix)
    return out


def prefixed(groups: tuple[str | None, ...], prefix: str) -> tuple[str | None, ...]:
    """Return groups with the prefix of their figure."""
    return tuple(g if g in (None, EVERYTHING) else f"{prefix}/{g}" for g in groups)


def placed_body(d: Any, name: str, turned: tuple[float, ...], t: Transform) -> Any:
    """Return the definition of a body after the transform, or refuse a moving body that would have to be rotated."""
    if isinstance(d, bodies.Massless):
        return replace(d, name=name)
    if isinstance(d, Moving):
        if not t.is_shift:
            raise Refused(f"a figure with a moving body ({d.name!r}) cannot be turned or mirrored")
        return moved_as_prescribed(d, name, t.shift)
    change: dict[str, Any] = {"name": name, "position": t.place(d.position)}
    if isinstance(d, bodies.PlanarBody):
        # at angle 0 its axes are the world's, turned the shortest way to its normal: the rest is the angle
        normal = matrix_of(turned)[:, 2]
        first, now = matrix_of(planar_turn(normal, 0.0)), matrix_of(turned)
        angle = strict.arctangent(strict.dot(first[:, 1], now[:, 0]), strict.dot(first[:, 0], now[:, 0]))
        return replace(d, **change, normal=tuple(normal.tolist()), angle=angle)
    if not isinstance(d, bodies.Particle):
        change["orientation"] = turned
    return replace(d, **change)


def placed_coupling(coupling: Coupled, t: Transform, prefix: str) -> Coupled:
    """Return a coupling or condition of a figure after the transform, with prefixed names."""
    name = f"{prefix}/{coupling.name}"
    d = coupling.definition
    if isinstance(d, couplings.Coupling):
        terms = {(f"{prefix}/{joint}", axis): factor for (joint, axis), factor in d.terms.items()}
        return replace(coupling, name=name, definition=replace(d, name=name, terms=terms))
    assert isinstance(d, ConditionFormula)
    forces = None
    if d.force is not None:
        # a moment is an axis of turning
        given = np.reshape(d.force, (d.rows, -1, 2, 3, 1))
        forces = strict.product(np.array([t.polar, t.axial]), given).reshape(d.rows, -1).tolist()
    moved = replace(
        d, name=name, bodies=tuple(f"{prefix}/{body}" for body in d.bodies), force=forces, origin=t.place(d.origin),
        points=None if d.points is None else tuple(t.place(p) for p in d.points),
        frame=tuple(t.direction(axis) for axis in d.frame),
    )  # fmt: skip
    return replace(coupling, name=name, definition=moved)


def placed_value(edge: Edge, value: Any, t: Transform) -> Any:
    """Return a coordinate of a joint as a coordinate of the transformed joint. The coordinate of a ball joint is a
    rotation vector in world axes. In a mirrored cylindrical joint, travel and angle cannot both keep their sign along
    one axis; the travel keeps it."""
    if edge.spec.kind == "ball":
        return t.axis(value)
    if edge.spec.kind == "cylindrical" and t.mirror is not None:
        travel, angle = value if isinstance(value, tuple) else (value, value)
        return (travel, -angle)
    return value


def placed_edge(edge: Edge, t: Transform, prefix: str) -> Edge:
    """Return a joint, constraint or spring of a figure after the transform, with prefixed names."""

    def inside(name: str | None) -> str:
        return "world" if name in (None, "world") else f"{prefix}/{name}"

    name = f"{prefix}/{edge.name}"
    d = edge.definition
    ends = (inside(d.a), inside(d.b))
    if t.is_nothing:
        return edge.moved(name, ends, t.shift)
    change: dict[str, Any] = {"name": name, "a": ends[0], "b": ends[1], "at": tuple(t.place(p) for p in d.points)}
    for key in edge.spec.turning:
        value = getattr(d, key)
        change[key] = None if value is None else t.axis(value)
    for key in edge.spec.shifting:
        change[key] = t.direction(getattr(d, key))
    if isinstance(d, PointOnCurve):
        change["curve"] = moved_curve(d.curve, t.place, t.direction)
    if isinstance(d, Formula | VelocityFormula):
        change |= {"origin": t.place(d.origin), "frame": tuple(t.direction(axis) for axis in d.frame)}
    if isinstance(d, compound.Compound):
        parts = tuple(placed_axis(part, t) for part in d.parts)
        inner = {"parts": parts, **{key: change[key] for key in ("name", "a", "b", "at")}}
        made = compound.Compound(**inner, auxiliary=d.auxiliary, collide=d.collide)
        return replace(edge, name=name, definition=made)
    if isinstance(d, joints.Ball):
        change["rest"] = t.axis(d.rest)
    if isinstance(d, joints.Screw) and t.mirror is not None:
        change["pitch"] = -d.pitch  # the mirror image of a right-handed screw is left-handed
    if isinstance(d, joints.Cylindrical):
        change["rest"] = placed_value(edge, tuple(d.rest), t)  # type: ignore[arg-type]
        limits = d.soft_limits
        if limits is not None and t.mirror is not None:
            (x, low), (y, high) = limits.lower, limits.upper  # type: ignore[misc]
            change["soft_limits"] = replace(limits, lower=(x, -high), upper=(y, -low))
        if d.limits is not None and t.mirror is not None:
            (x, low), (y, high) = d.limits.lower, d.limits.upper  # type: ignore[misc]
            change["limits"] = replace(d.limits, lower=(x, -high), upper=(y, -low))
    return replace(edge, name=name, definition=replace(d, **change))


def placed_axis(part: compound.Part, t: Transform) -> compound.Part:
    """Return an axis of a compound joint after the transform."""
    at = None if part.at is None else t.place(part.at)
    if isinstance(part, compound.Turn):
        pitch = part.pitch if t.mirror is None else -part.pitch
        return replace(part, at=at, axis=t.axis(part.axis), pitch=pitch)
    return replace(part, at=at, axis=t.direction(part.axis))
