"""A scene as a part of another: moved, turned, mirrored, its names prefixed.

    x' = R M x + t

M mirrors along one axis. Of what turns (hinge axes, angular velocities) the mirror image is -M a, so that a mirrored
knee bends the way a knee bends: the coordinates of all joints keep their meaning, their limits, rests and poses.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from physics import definitions
from physics.forces.springs import TorsionSpring
from scenes.bodies import Part
from scenes.joints import Edge, product
from scenes.shapes import rotation_matrix

# which fields of a joint's definition are directions of turning, and which of shifting
TURNING: dict[type, tuple[str, ...]] = {
    definitions.Ball: ("twist_axis", "swing_axis"),
    TorsionSpring: ("twist_axis", "swing_axis"),
    definitions.Hinge: ("axis",),
    definitions.Universal: ("axis", "axis2"),
    definitions.Screw: ("axis",),
    definitions.Planar: ("normal",),
}
SHIFTING: dict[type, tuple[str, ...]] = {
    definitions.Slider: ("axis",),
    definitions.Cylindrical: ("axis",),
    definitions.Planar: ("axis",),
}


@dataclass(frozen=True)
class Transform:
    shift: np.ndarray
    turn: tuple[float, ...]  # quaternion R
    mirror: str | None

    @property
    def polar(self) -> np.ndarray:
        """For places and shifts."""
        r = rotation_matrix(self.turn)
        if self.mirror is None:
            return r
        m = np.eye(3)
        k = "xyz".index(self.mirror)
        m[k, k] = -1.0
        return r @ m

    @property
    def axial(self) -> np.ndarray:
        """For axes of turning."""
        return self.polar if self.mirror is None else -self.polar

    @property
    def body_turn(self) -> tuple[float, ...]:
        """What the orientation of bodies is multiplied by: R, or -R M = R times half a turn about its axis."""
        if self.mirror is None:
            return self.turn
        half = [0.0, 0.0, 0.0, 0.0]
        half[1 + "xyz".index(self.mirror)] = 1.0
        return product(self.turn, tuple(half))

    @property
    def is_nothing(self) -> bool:
        return self.mirror is None and not self.shift.any() and self.turn == (1.0, 0.0, 0.0, 0.0)

    def place(self, point: Any) -> tuple[float, ...]:
        return tuple((self.polar @ np.array(point) + self.shift).tolist())

    def axis(self, axis: Any) -> tuple[float, ...]:
        return tuple((self.axial @ np.array(axis)).tolist())


def placed_part(part: Part, t: Transform, prefix: str) -> Part:
    name = f"{prefix}/{part.name}"
    d = part.definition
    if t.is_nothing:
        return part.moved(name, t.shift)
    change: dict[str, Any] = {"name": name, "position": t.place(d.position)}
    if isinstance(d, definitions.Body):
        change["orientation"] = product(t.body_turn, tuple(d.orientation))
    out = replace(part, name=name, definition=replace(d, **change), mirrored=part.mirrored != (t.mirror is not None))
    if part.axis is not None:
        out.axis = tuple((t.polar @ np.array(part.axis)).tolist())
    return out


def placed_value(edge: Edge, value: Any, t: Transform) -> Any:
    """A coordinate of a joint as it is of the placed joint. A ball's is a turn about the world's axes; of a cylindrical
    joint, mirrored, travel and turn cannot both keep their sign along one axis: the travel does."""
    if edge.spec.kind == "ball":
        return t.axis(value)
    if edge.spec.kind == "cylindrical" and t.mirror is not None:
        travel, angle = value if isinstance(value, tuple) else (value, value)
        return (travel, -angle)
    return value


def placed_edge(edge: Edge, t: Transform, prefix: str) -> Edge:
    def inside(name: str | None) -> str:
        return "world" if name in (None, "world") else f"{prefix}/{name}"

    name = f"{prefix}/{edge.name}"
    d = edge.definition
    physical = (inside(d.a), inside(d.b))
    if t.is_nothing:
        return edge.moved(name, inside(edge.a), inside(edge.b), physical, t.shift)
    change: dict[str, Any] = {
        "name": name, "a": physical[0], "b": physical[1], "at": tuple(t.place(p) for p in d.points),
    }  # fmt: skip
    for key in TURNING.get(type(d), ()):
        value = getattr(d, key)
        change[key] = None if value is None else t.axis(value)
    for key in SHIFTING.get(type(d), ()):
        change[key] = tuple((t.polar @ np.array(getattr(d, key))).tolist())
    if isinstance(d, definitions.Ball | TorsionSpring):
        change["rest"] = t.axis(d.rest)
    if isinstance(d, definitions.Screw) and t.mirror is not None:
        change["pitch"] = -d.pitch  # the mirror image of a right-handed screw is left-handed
    if isinstance(d, definitions.Cylindrical):
        change["rest"] = placed_value(edge, tuple(d.rest), t)  # type: ignore[arg-type]
        limits = d.soft_limits
        if limits is not None and t.mirror is not None:
            (x, low), (y, high) = limits.lower, limits.upper  # type: ignore[misc]
            change["soft_limits"] = replace(limits, lower=(x, -high), upper=(y, -low))
    return replace(edge, name=name, definition=replace(d, **change), a=inside(edge.a), b=inside(edge.b))
