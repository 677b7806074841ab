"""Grabs and pins of a world: `Grab` is the view of a grab, which `World.grab` returns and whose values can be changed
while it holds; `Holding` makes grabs and pins."""

import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from physics.maths.rotations import conjugate, matrix_of, quaternion_product
from physics.data.model_tables import Bodies, BodyKind, Topology
from physics.build.relink import Pin
from physics.data.state_tables import GRAB_KINDS, Grabs, PoseColumn
from physics.data.model import Floats
from physics.definitions.checks import DefinitionError, number
from physics.definitions.joints import Ball, Weld
from physics.definitions.spellings import Sealed
from physics.maths.strict import norm, product
from physics.world.checks import point, vector
from physics.world.engine import Engine

# Settles within a tenth of a second without overshoot; the spring is softer, so that weight shows (sag g / w^2).
RATES = MappingProxyType({"spring": 30.0, "point": 60.0, "pose": 60.0})  # 1/s
DAMPING = 1.0
CAP_IN_WEIGHTS = 20.0
WEIGHT_PER_MASS = 9.81  # also where there is no gravity
SPEED = 20.0  # m/s


def positive(key: str, column: int, doc: str) -> Any:
    """Return a property of a grab that reads a column of its row of State.grab, and sets it to a positive number."""

    def read(grab: "Grab") -> float:
        return float(grab._row[column])

    def write(grab: "Grab", value: float) -> None:
        grab._set(column, number(f"{key} of a grab", value, 0.0, strict=True))

    return property(read, write, doc=doc)


class Grab(Sealed):
    """A grab of a body at a point: the view of a row of State.grab until the grab is released. After that the row may
    belong to another grab."""

    def __init__(self, engine: Engine, row: int, pin: Callable[..., Any]):
        """Make the view of row `row` of State.grab; `pin` is the method of the world that makes a pin."""
        self._engine = engine
        self._pin = pin
        self._g = row
        self._hold = engine.holds.get(row, 0)

    def _take(self, body: int, place: Floats, kind: str, target: Any, cap: float | None) -> None:
        """Write the row of State.grab for a grab of the body in row `body` at the position `place` [m]."""
        goal = place if target is None else point("target of a grab", target)
        engine = self._engine
        limit = CAP_IN_WEIGHTS * WEIGHT_PER_MASS * self._mass_of_figure(body) if cap is None else cap
        strength = number("cap of a grab", limit, 0.0, strict=True)
        _check_kind(kind, engine.model.topology[body, Topology.BODY_KIND] == BodyKind.PARTICLE)
        pose = engine.state.pose[body]
        row = np.zeros(Grabs.WIDTH)
        row[Grabs.BODY] = body
        row[Grabs.POINT : Grabs.POINT + 3] = product(matrix_of(pose[3:7]).T, place - pose[:3])
        row[Grabs.TARGET : Grabs.TARGET + 3] = goal
        row[Grabs.TURN : Grabs.TURN + 4] = pose[3:7]
        row[Grabs.DAMPING] = DAMPING
        row[Grabs.CAP] = strength
        row[Grabs.SPEED] = SPEED
        row[Grabs.REACH] = self._reach(body)
        engine.state.grab[self._g] = row
        self._hold += 1
        engine.holds[self._g] = self._hold
        self.kind = kind

    def _mass_of_figure(self, body: int) -> float:
        """Return the mass of the tree of the forest to which the body belongs [kg]."""
        tree = np.array(self._engine.built.forest.tree)
        return float(self._engine.model.body[tree == tree[body], Bodies.MASS].sum())

    def _reach(self, body: int) -> float:
        """Return the body's mean radius of gyration [m]; 1 for a particle, which has no orientation."""
        row = self._engine.model.body[body]
        mean = float(row[Bodies.INERTIA : Bodies.INERTIA + 3].mean())
        return float(np.sqrt(mean / row[Bodies.MASS])) if mean > 0.0 else 1.0

    @property
    def number(self) -> int:
        """Number of the grab. After a snapshot is restored, the grab is found by this number. After the release another
        grab may have it."""
        return self._g

    @property
    def _row(self) -> Floats:
        """The row of State.grab. A released grab raises a KeyError."""
        row = self._engine.state.grab[self._g]
        if row[Grabs.BODY] < 0.0 or self._engine.holds.get(self._g, 0) != self._hold:
            raise KeyError("this grab was released")
        return row

    def _set(self, column: int, values: Any) -> None:
        """Set one or more columns of the row, from `column` on."""
        self._row[column : column + np.size(values)] = values
        self._engine.mark_changed()

    @property
    def body(self) -> str:
        """Name of the body."""
        row = int(self._row[Grabs.BODY])
        return next(name for name, k in self._engine.built.body_row.items() if k == row)

    @property
    def kind(self) -> str:
        """Kind of the grab: "spring", "point" or "pose". Setting it also sets the default rate of the new kind; the
        targets stay."""
        return GRAB_KINDS[int(self._row[Grabs.KIND])]

    @kind.setter
    def kind(self, value: str) -> None:
        """Switch to another kind of grab, with the default rate of that kind. The targets stay."""
        _check_kind(value, self._engine.is_particle(int(self._row[Grabs.BODY])))
        self._set(Grabs.KIND, float(GRAB_KINDS.index(value)))
        self._set(Grabs.RATE, RATES[value])

    @property
    def target(self) -> Floats:
        """Target of the grabbed point [m]."""
        return self._row[Grabs.TARGET : Grabs.TARGET + 3].copy()

    @target.setter
    def target(self, value: Any) -> None:
        self._set(Grabs.TARGET, point("target of a grab", value))

    def move(self, target: Any, quaternion: Any = None) -> None:
        """Set the target of the point, and for a pose grab that of the orientation."""
        self.target = target
        if quaternion is not None:
            self.target_quaternion = quaternion

    @property
    def target_quaternion(self) -> Floats:
        """Target orientation of a pose grab as a quaternion, w first."""
        full = self._row[Grabs.TURN : Grabs.TURN + 4]
        return quaternion_product(full, conjugate(self._principal()))

    @target_quaternion.setter
    def target_quaternion(self, value: Any) -> None:
        q = vector("target_quaternion of a grab", value, 4)
        if abs(norm(q) - 1.0) > 1e-3:
            raise DefinitionError("target_quaternion of a grab", tuple(q.tolist()), "a unit quaternion, w first")
        self._set(Grabs.TURN, quaternion_product(q / norm(q), self._principal()))

    def _principal(self) -> Floats:
        """Return the quaternion from the principal axes of the body to the axes of its definition."""
        return self._engine.built.principal[int(self._row[Grabs.BODY])]

    @property
    def point(self) -> Floats:
        """Present position of the grabbed point [m]."""
        pose = self._engine.state.pose[int(self._row[Grabs.BODY])]
        return pose[:3] + product(matrix_of(pose[3:7]), self._row[Grabs.POINT : Grabs.POINT + 3])

    cap: float = positive(
        "cap",
        Grabs.CAP,
        "Largest force [N]. For a pose grab it bounds force and torque over a length of the body. In the kinematic "
        "order it has no effect: there a point moves to its target.",
    )
    rate: float = positive("rate", Grabs.RATE, "Rate at which the point approaches its target [1/s].")
    speed: float = positive("speed", Grabs.SPEED, "Largest speed at which the point is drawn to its target [m/s].")

    @property
    def force(self) -> Floats:
        """Mean force on the body in the last step [N]."""
        return self._row[Grabs.FORCE : Grabs.FORCE + 3].copy()

    @property
    def torque(self) -> Floats:
        """Mean torque about the grabbed point in the last step [N m]; zero except for a pose grab."""
        return self._row[Grabs.TORQUE : Grabs.TORQUE + 3].copy()

    def release(self) -> None:
        """Release the body."""
        self._set(Grabs.BODY, -1.0)

    def pin(self, name: str | None = None) -> Any:
        """Release the body and pin it: its pose for a pose grab, else the grabbed point. Return the view of the pin."""
        body, kind, point = self.body, self.kind, self.point
        self.release()
        return self._pin(body, None if kind == "pose" else point, name=name)


def _check_kind(kind: Any, of_particle: bool) -> None:
    """Refuse an unknown kind of grab, and a pose grab of a particle."""
    if kind not in GRAB_KINDS:
        raise DefinitionError("kind of a grab", kind, ", ".join(GRAB_KINDS))
    if kind == "pose" and of_particle:
        raise DefinitionError("kind of a grab", kind, "'spring' or 'point': a particle has no orientation")


class Holding:
    """The pins and grabs of a world. Each method has the name that it has in `World`."""

    def __init__(self, engine: Engine, bodies: Mapping[str, Any]):
        self.engine, self.bodies = engine, bodies

    def pin(self, body: str, point: Any = None, *, name: str | None = None) -> str:
        """Pin a body as `World.pin` does. Return the name of the pin."""
        view, row = self.bodies[body], self._free_row("pin", body)
        if name is None:
            name = next(k for k in (f"pin {body} {i}" for i in itertools.count(1)) if k not in self.engine.pins)
        if not isinstance(name, str) or not name:
            raise DefinitionError("name of a pin", name, "a text that is not empty")
        if name in self.engine.pins or name in self.engine.built.joint_row:
            raise DefinitionError("name of a pin", name, "a name that no pin, joint or coupling has")
        at = tuple(view.position if point is None else vector("point of a pin", point, 3))
        if point is None and view.has_orientation:
            joint: Ball | Weld = Weld(name=name, a="world", b=body, at=at, auxiliary=True)
        else:
            at = at if view.has_orientation else tuple(view.position)
            joint = Ball(name=name, a="world", b=body, at=at, auxiliary=True)
        pose = tuple(self.engine.state.pose[row].tolist())
        self.engine.relink({**self.engine.pins, name: Pin(joint, pose)})
        return name

    def unpin(self, name: str) -> None:
        """Remove the pin of this name."""
        self.engine.relink({k: pin for k, pin in self.engine.pins.items() if k != name})

    def grab(
        self, body: str, point: Any = None, kind: str = "spring", *, target: Any = None, cap: float | None = None
    ) -> Grab:
        """Grab a body as `World.grab` does. Return the grab."""
        view, row = self.bodies[body], self._free_row("grab", body)
        if self.engine.state.pose.shape[1] > PoseColumn.SHAPE:
            self.engine.refresh()  # inertia follows the scales
        place = view.position if point is None else vector("point of a grab", point, 3)
        free = np.flatnonzero(self.engine.state.grab[:, Grabs.BODY] < 0.0)
        if not len(free):
            self.engine.relink(self.engine.pins, max(4, 2 * len(self.engine.state.grab)))
            free = np.flatnonzero(self.engine.state.grab[:, Grabs.BODY] < 0.0)
        grab = Grab(self.engine, int(free[0]), self.pin)
        grab._take(row, place, kind, target, cap)
        self.engine.mark_changed()
        return grab

    @property
    def grabs(self) -> list[Grab]:
        """All grabs that have not been released."""
        return [
            Grab(self.engine, int(g), self.pin) for g in np.flatnonzero(self.engine.state.grab[:, Grabs.BODY] >= 0.0)
        ]

    def _free_row(self, what: str, body: str) -> int:
        """Return the row of a body that forces move, or refuse another body for the action `what`."""
        if body not in self.engine.built.body_row:
            raise DefinitionError(f"body to {what}", body, "a body that forces move, neither static nor moving")
        return self.engine.built.body_row[body]
