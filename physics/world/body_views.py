"""Views of bodies, which `World.bodies` returns by name, to read and set while the figure moves; and `Named`, the table
of names.
"""

import math
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

import numpy as np

from physics.build.bodies import is_scaled
from physics.build.starting import start_coordinates, start_turns
from physics.data.contact_tables import Rest
from physics.data.model import Floats
from physics.data.model_tables import Bodies, BodyKind, Forms, Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Frames
from physics.definitions.bodies import Fixed
from physics.definitions.checks import DefinitionError, per_axis
from physics.maths.rotations import conjugate, matrix_of, quaternion_product
from physics.definitions.spellings import Sealed, Spelled, did_you_mean
from physics.maths.strict import norm, product
from physics.world.checks import point, vector
from physics.world.engine import Engine
from physics.world.measure import principal_moments

T = TypeVar("T")

LEAST_SCALE = 0.05  # that can be set


# of World, and what each holds
TABLES = MappingProxyType(
    {"bodies": "body", "joints": "joint", "couplings": "coupling", "drives": "drive", "pins": "pin"}
)


class Named(Mapping[str, T], Sealed):
    """A table of things of one kind in a world, by name. A misspelt name raises a KeyError that suggests similar names;
    for the name of another kind of thing, the error says in which table it is."""

    def __init__(self, table: str, items: dict[str, T], world: Any):
        """Make the table with this name in `world`."""
        self._table = table
        self._items = items
        self._world = world

    def __getitem__(self, name: str) -> T:
        """Return the thing with this name, or raise a KeyError with a suggestion."""
        try:
            return self._items[name]
        except KeyError:
            raise KeyError(f"no {TABLES[self._table]} named {name!r}{self._hint(str(name))}") from None

    def _hint(self, name: str) -> str:
        """Return the end of the error message for an unknown name."""
        tables = {table: getattr(self._world, table)._items for table in TABLES if hasattr(self._world, table)}
        for table, items in tables.items():
            if name in items:
                return f"; that is a {TABLES[table]}: world.{table}[{name!r}]"
        if hint := did_you_mean(name, self._items):
            return hint
        for table, items in tables.items():
            if hint := did_you_mean(name, items):
                return f"{hint[:-1]} in world.{table}?"
        return f"; known: {', '.join(list(self._items)[:10])}" if self._items else "; there are none"

    def __contains__(self, name: object) -> bool:
        """Return whether there is a thing with this name."""
        return name in self._items

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the names."""
        return iter(self._items)

    def __len__(self) -> int:
        """Return the number of things in the table."""
        return len(self._items)


class View(Sealed):
    """Base class of the views of joints, couplings and drives. It has the engine, a definition, and the name of that
    definition."""

    name: str
    definition: Any

    def __init__(self, engine: Engine, definition: Any):
        """Make the view of a definition."""
        self._engine = engine
        self.name = definition.name
        self.definition = definition


class BodyView(Sealed, metaclass=Spelled):
    """One body of a world. The next step uses the values that are set here. Setting a pose moves the whole figure."""

    other_words: ClassVar[Mapping[str, str]] = {"orientation": "quaternion"}
    name: str

    def __init__(self, engine: Engine, name: str, row: int):
        """Make the view of the body with this name, whose row is `row`."""
        self._engine = engine
        self.name = name
        self._row = row

    @property
    def position(self) -> Floats:
        """Position of the centre of mass [m]. After it is set, the next step or `World.assemble()` assembles the figure
        around it: if no joint connects the figure to the world, it moves as one rigid body, else it moves as far as its
        joints allow. A position out of reach is refused then, and all bodies return to where they were."""
        return self._engine.state.pose[self._row, :3].copy()

    @position.setter
    def position(self, value: Any) -> None:
        place = point("position", value)
        self._in_plane("position", value, along=place - self.position)
        self._engine.note_moved(self._row, "places")
        self._engine.state.pose[self._row, :3] = place
        start_coordinates(self._engine.model, self._engine.state, self._row, screws_only=True)
        self._engine.mark_changed()

    @property
    def quaternion(self) -> Floats:
        """Orientation as a quaternion, body to world, w first. Setting it moves the figure as setting `position`
        does."""
        q = self._engine.state.pose[self._row, 3:7]
        return quaternion_product(q, conjugate(self._engine.built.principal[self._row]))

    @quaternion.setter
    def quaternion(self, value: Any) -> None:
        q = vector("quaternion", value, 4)
        if abs(norm(q) - 1.0) > 1e-3:
            raise DefinitionError("quaternion", tuple(q.tolist()), "a unit quaternion, w first")
        self._check_orientation("quaternion", value)
        full = quaternion_product(q / norm(q), self._engine.built.principal[self._row])
        self._in_plane("quaternion", value, rotated=full)
        self._engine.note_moved(self._row, "turns")
        self._engine.state.pose[self._row, 3:7] = full
        start_turns(self._engine.model, self._engine.state, self._engine.work, self._row)
        self._engine.mark_changed()

    @property
    def velocity(self) -> Floats:
        """Velocity of the centre of mass [m/s]."""
        return self._engine.state.velocity[self._row, :3].copy()

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._in_plane("velocity", value, along=vector("velocity", value, 3))
        self._engine.state.velocity[self._row, :3] = vector("velocity", value, 3)
        self._engine.mark_changed()

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity in world axes [rad/s]."""
        return self._engine.state.velocity[self._row, 3:6].copy()

    @angular_velocity.setter
    def angular_velocity(self, value: Any) -> None:
        self._check_orientation("angular_velocity", value)
        self._in_plane("angular_velocity", value, about=vector("angular_velocity", value, 3))
        self._engine.state.velocity[self._row, 3:6] = vector("angular_velocity", value, 3)
        self._engine.mark_changed()

    @property
    def asleep(self) -> bool:
        """Whether the body sleeps (`World.sleeping`)."""
        touch = self._engine.built.touch
        return bool(touch and touch.rest[self._row, Rest.SLEEPS])

    @property
    def scale(self) -> Floats:
        """Scales along the three principal axes; they are 1, 1, 1 for a body that does not stretch."""
        pose = self._engine.state.pose
        return pose[self._row, PoseColumn.SHAPE :].copy() if pose.shape[1] > PoseColumn.SHAPE else np.ones(3)

    @scale.setter
    def scale(self, value: Any) -> None:
        scales = self._scales("scale", value)
        if scales.min() < LEAST_SCALE:
            raise DefinitionError(f"scale of body {self.name!r}", value, f"numbers of {LEAST_SCALE:g} and more")
        self._engine.note_moved(self._row, "others")
        self._engine.state.pose[self._row, PoseColumn.SHAPE :] = scales
        self._engine.mark_changed()

    @property
    def scale_velocity(self) -> Floats:
        """Rates of the scales [1/s]."""
        velocity = self._engine.state.velocity
        return velocity[self._row, PoseColumn.RATES :].copy() if velocity.shape[1] > PoseColumn.RATES else np.zeros(3)

    @scale_velocity.setter
    def scale_velocity(self, value: Any) -> None:
        self._engine.state.velocity[self._row, PoseColumn.RATES :] = self._scales("scale_velocity", value)
        self._engine.mark_changed()

    def _scales(self, what: str, value: Any) -> Floats:
        """Return `value` as three scales, or refuse it. One number sets all three. They must be equal for a body that
        stretches equally in all directions."""
        kind = self._engine.model.topology[self._row, Topology.BODY_KIND]
        if kind not in (BodyKind.UNIFORM, BodyKind.STRETCHED):
            raise DefinitionError(f"{what} of body {self.name!r}", value, "nothing: it does not stretch")
        scales = np.array(per_axis(f"{what} of body {self.name!r}", value, 3, -np.inf))
        if kind == BodyKind.UNIFORM and np.ptp(scales) != 0.0:
            raise DefinitionError(f"{what} of body {self.name!r}", value, "one number: it stretches as a whole")
        return scales

    def _in_plane(
        self, what: str, value: Any, along: Floats | None = None, about: Floats | None = None,
        rotated: Floats | None = None,
    ) -> None:  # fmt: skip
        """Refuse a value that would take a planar body out of its plane: a displacement or velocity `along`, an angular
        velocity `about`, or an orientation `rotated`."""
        if self._engine.model.topology[self._row, Topology.BODY_KIND] != BodyKind.PLANAR:
            return
        normal = self._engine.model.form[self._row, Forms.NORMAL : Forms.NORMAL + 3]
        away = 0.0
        if along is not None:
            away = abs(product(normal, along)) / max(1.0, norm(along))
        if about is not None:
            away = norm(np.cross(normal, about)) / max(1.0, norm(about))
        if rotated is not None:
            z = matrix_of(self._engine.state.pose[self._row, 3:7])[:, 2]
            away = norm(matrix_of(rotated)[:, 2] - z)
        if away > 1e-9:
            allowed = f"a value that leaves a planar body with the normal {tuple(normal.tolist())} in its plane"
            raise DefinitionError(f"{what} of body {self.name!r}", value, allowed)

    @property
    def applied_force(self) -> Floats:
        """Force applied at the centre of mass [N]. It acts until it is changed."""
        return self._engine.state.applied[self._row, :3].copy()

    @applied_force.setter
    def applied_force(self, value: Any) -> None:
        self._engine.state.applied[self._row, :3] = vector("applied_force", value, 3)
        self._engine.mark_changed()

    @property
    def applied_torque(self) -> Floats:
        """Torque applied to the body, in world axes [N m]. It acts until it is changed."""
        return self._engine.state.applied[self._row, 3:].copy()

    @applied_torque.setter
    def applied_torque(self, value: Any) -> None:
        torque = vector("applied_torque", value, 3)
        if torque.any():
            self._check_orientation("applied_torque", value)
        self._engine.state.applied[self._row, 3:] = torque
        self._engine.mark_changed()

    @property
    def has_orientation(self) -> bool:
        """Whether the body has an orientation; a particle has none."""
        return bool(self._engine.model.topology[self._row, Topology.BODY_KIND] != BodyKind.PARTICLE)

    def _check_orientation(self, what: str, value: Any) -> None:
        """Refuse a rotation of a particle."""
        if not self.has_orientation:
            raise DefinitionError(f"{what} of particle {self.name!r}", value, "nothing: it has no orientation")

    @property
    def mass(self) -> float:
        """Mass [kg]."""
        return float(self._engine.model.body[self._row, Bodies.MASS])

    @property
    def kinetic_energy(self) -> float:
        """Kinetic energy [J]."""
        v = self.velocity
        r = matrix_of(self._engine.state.pose[self._row, 3:7])
        w = product(r.T, self.angular_velocity)
        inertia = principal_moments(self._engine.model, self._engine.state, self._row)
        moving = product(self.mass * v, v) + product(inertia, w * w)
        if is_scaled(self._engine.model.topology, self._row):
            moments = self._engine.model.form[self._row, Forms.MOMENTS : Forms.MOMENTS + 3]
            moving += product(moments, self.scale_velocity * self.scale_velocity)
        return 0.5 * float(moving)

    def apply_impulse(self, impulse: Any, angular: Any = (0.0, 0.0, 0.0)) -> None:
        """Apply an impulse at the centre of mass of this body [N s] and an angular impulse [N m s]. Joints transmit
        them: the velocities of all connected bodies change at once."""
        f = np.zeros_like(self._engine.work.force)
        f[self._row, :3] = vector("impulse", impulse, 3)
        f[self._row, 3:6] = vector("angular", angular, 3)
        if f[self._row, 3:6].any():
            self._check_orientation("angular impulse", angular)
        self._engine.strike(force=f)


class FixedView(Sealed, metaclass=Spelled):
    """A body that no force moves. It can only be read: its definition and the time determine its pose."""

    other_words: ClassVar[Mapping[str, str]] = BodyView.other_words
    name: str
    definition: Fixed

    has_orientation = True
    mass = math.inf
    asleep = False

    def __init__(self, engine: Engine, definition: Fixed, row: int):
        """Make the view of a static or moving body; `row` is its row of Work.frame, -1 for a static body."""
        self._engine = engine
        self.name = definition.name
        self.definition = definition
        self._row = row  # of Work.frame, -1 for what never moves

    def _read(self, column: int, count: int) -> Floats:
        """Return `count` columns of the body's row of Work.frame."""
        self._engine.refresh()
        return self._engine.work.frame[self._row, column : column + count].copy()

    @property
    def position(self) -> Floats:
        """Position [m]."""
        return self._read(Frames.POSITION, 3) if self._row >= 0 else np.array(self.definition.position)

    @property
    def quaternion(self) -> Floats:
        """Orientation as a quaternion, body to world, w first."""
        return self._read(Frames.QUATERNION, 4) if self._row >= 0 else np.array(self.definition.orientation)

    @property
    def velocity(self) -> Floats:
        """Velocity [m/s]."""
        return self._read(Frames.VELOCITY, 3) if self._row >= 0 else np.zeros(3)

    @property
    def angular_velocity(self) -> Floats:
        """Angular velocity in world axes [rad/s]."""
        return self._read(Frames.VELOCITY + 3, 3) if self._row >= 0 else np.zeros(3)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to set a pose, a velocity or a force."""
        if name in ("position", "quaternion", "velocity", "angular_velocity", "applied_force", "applied_torque"):
            allowed = "no force" if name.startswith("applied") else "nothing: its definition says where it is"
            raise DefinitionError(f"{name} of body {self.name!r}", value, allowed)
        super().__setattr__(name, value)

    def apply_impulse(self, impulse: Any, angular: Any = (0.0, 0.0, 0.0)) -> None:
        """Refuse an impulse, because no impulse moves this body."""
        raise DefinitionError(f"impulse on body {self.name!r}", impulse, "nothing: no impulse moves it")
