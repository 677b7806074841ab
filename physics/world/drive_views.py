"""Views of drives and target springs, which `World.drives` returns by name, to read and set while the figure moves; and
the view of the medium.
"""

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from physics.build.poses import parent_pose
from physics.data.state_tables import DriveGiven, DriveKind, Drives
from physics.data.step_tables import Control, Number
from physics.data.model import Floats
from physics.definitions.actuators import Drive, TargetSpring, bounds
from physics.definitions.medium import wind
from physics.maths.rotations import conjugate, matrix_of, quaternion_product
from physics.definitions.checks import DefinitionError, flag, number
from physics.definitions.joints import Ball
from physics.definitions.spellings import Sealed, Spelled
from physics.maths.strict import arctangent, norm, product
from physics.world.body_views import View
from physics.world.checks import point, vector
from physics.world.engine import Engine


class _Rows(View, metaclass=Spelled):
    """Base class of views of one or two rows of State.drive. The next step uses the values that are set here."""

    def __init__(self, engine: Engine, definition: Drive | TargetSpring):
        """Make the view of a drive or target spring."""
        super().__init__(engine, definition)
        self._first = engine.built.drive_row[definition.name]

    def _row(self, k: int = 0) -> Floats:
        """Return row k of this drive in State.drive (a view of the array)."""
        return self._engine.state.drive[self._first + k]

    def _get(self, column: int, k: int = 0) -> float:
        """Return the number in a column of row k of this drive."""
        return float(self._row(k)[column])

    def _set(self, column: int, values: Any, k: int = 0) -> None:
        """Set one or more columns, from `column` on, of row k of this drive."""
        self._row(k)[column : column + np.size(values)] = values
        self._engine.mark_changed()

    def _set_limit(self, key: str, value: Any, alone: bool, k: int = 0) -> None:
        """Set the least and largest effort of row k of this drive, or refuse the value. With `alone` the limit is a
        single number."""
        low, high = bounds(f"{key} of {self.definition.label}", value, alone)
        self._set(Drives.LOW, [low, high], k)

    def _mean(self, k: int = 0) -> Floats:
        """Return the mean effort of row k of this drive in the last step (3,)."""
        return self._row(k)[Drives.MEAN : Drives.MEAN + 3].copy()

    def _check(self, key: str, value: Any) -> None:
        """Refuse a value for an attribute `key` that this drive or target spring does not have. The subclasses define
        this."""


def gain(key: str, column: int, doc: str, k: int = 0) -> Any:
    """Return a property of a view that reads `column` of its row k of State.drive, and sets it to a number of 0 or
    more. `key` is the name of the property."""

    def read(view: _Rows) -> float:
        return view._get(column, k)

    def write(view: _Rows, value: float) -> None:
        view._check(key, value)
        view._set(column, number(f"{key} of {view.definition.label}", value, 0.0), k)

    return property(read, write, doc=doc)


def target(key: str, column: int, doc: str) -> Any:
    """Return a property of a drive that reads and sets the target `key`. `column` of State.drive has the row of the
    target's first signal."""

    def read(view: "DriveView") -> Any:
        return view._target(key, column)

    def write(view: "DriveView", value: Any) -> None:
        view._set_target(key, column, value)

    return property(read, write, doc=doc)


class DriveView(_Rows):
    """A drive on a joint."""

    old_words: ClassVar[Mapping[str, str]] = Drive.old_words
    definition: Drive

    def __init__(self, engine: Engine, definition: Drive, joint: Any):
        """Make the view of a drive; `joint` is the view of its joint."""
        super().__init__(engine, definition)
        self._joint = joint  # the view of its joint

    @property
    def _vector(self) -> bool:
        """Whether the drive is on a ball joint, so that its quantities are vectors."""
        return self._get(Drives.KIND) == DriveKind.BALL

    @property
    def on(self) -> bool:
        """Whether the drive is switched on."""
        return self._get(Drives.ON) != 0.0

    @on.setter
    def on(self, value: bool) -> None:
        self._set(Drives.ON, float(flag(f"on of {self.definition.label}", value)))

    stiffness: float = gain("stiffness", Drives.STIFFNESS, "Gain to the position [N m/rad or N/m].")
    damping: float = gain("damping", Drives.DAMPING, "Gain to the velocity [N m s/rad or N s/m].")

    def _check(self, key: str, value: Any) -> None:
        """Refuse a gain for which there is no target."""
        if key == "stiffness" and self.definition.position is None:
            raise DefinitionError(f"stiffness of {self.definition.label}", value, "nothing: it has no position")
        if self.definition.position is None and self.definition.velocity is None:
            raise DefinitionError(f"damping of {self.definition.label}", value, "nothing: a torque alone has no gains")

    @property
    def max(self) -> tuple[float, float]:
        """Least and largest torque [N m] or force [N]. On a ball joint the second number is the largest torque."""
        return self._get(Drives.LOW), self._get(Drives.HIGH)

    @max.setter
    def max(self, value: Any) -> None:
        self._set_limit("max", value, self._vector)

    def _target(self, key: str, column: int) -> Any:
        """Return the target `key` as a number, a signal, or a tuple of them; None if the drive has none. `column` of
        State.drive has the row of the target's first signal."""
        if getattr(self.definition, key) is None:
            return None
        first = int(self._get(column))
        count = 4 if key == "position" and self._get(Drives.GIVEN) == DriveGiven.TURN else 3 if self._vector else 1
        values = tuple(self._engine.signal_in(first + k)[0] for k in range(count))
        return values if self._vector else values[0]

    def _set_target(self, key: str, column: int, value: Any) -> None:
        """Set the target `key` to a number or signal, or to a tuple of them, or refuse the value. `column` of
        State.drive has the row of the target's first signal."""
        if getattr(self.definition, key) is None:
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: it was defined without one")
        channels = self.definition.channels(key, value, self._vector)
        if key == "position" and self._vector:
            given = DriveGiven.TURN if len(channels) == 4 else DriveGiven.POSITION
            if given != self._get(Drives.GIVEN):
                raise DefinitionError(f"{key} of {self.definition.label}", value, "as many channels as it had")
        for k, one in enumerate(channels):
            self._engine.replace_signal(int(self._get(column)) + k, one, False)

    position: Any = target(
        "position",
        Drives.SIGNAL,
        "Target position [rad or m]: a number or a signal (three of them on a ball joint), or None.",
    )
    velocity: Any = target(
        "velocity",
        Drives.SIGNAL,
        "Target velocity [rad/s or m/s]: a number or a signal (three of them on a ball joint), or None.",
    )
    torque: Any = target(
        "torque",
        Drives.EFFORT,
        "Torque [N m] or force [N] that is applied, or added: a number or a signal, or None.",
    )

    @property
    def output(self) -> Any:
        """Mean torque [N m] or force [N] in the last step, on the coordinate of b relative to a; for a ball joint, the
        torque on b in world axes."""
        if self._vector:
            return self._mean() * self._get(Drives.SIGN)
        return float(self._mean()[0])

    @property
    def at_limit(self) -> bool:
        """Whether the effort was at its limit at the end of the last step."""
        row = self._row()
        return bool(row[Drives.CLIPPED : Drives.CLIPPED + 3].any())

    @property
    def error(self) -> float:
        """Difference between the target position and the joint's coordinate [rad or m]; nan if there is no target
        position. A drive on a ball joint has no such number, and raises an AttributeError."""
        if self.definition.position is None:
            return math.nan
        joint = self._joint
        self._engine.refresh()
        first = int(self._get(Drives.SIGNAL))
        if not isinstance(joint.definition, Ball):
            return float(self._engine.work.signal[first, 0] - np.atleast_1d(joint.angle)[self.definition.axis])
        raise AttributeError(f"{self.definition.label} has a rotation for an error, read the joint's angle")


class TargetSpringView(_Rows):
    """A target spring. It has two rows of State.drive: the first for the point, the second for the orientation."""

    old_words: ClassVar[Mapping[str, str]] = TargetSpring.old_words
    definition: TargetSpring

    @property
    def on(self) -> bool:
        """Whether the target spring is switched on."""
        return self._get(Drives.ON) != 0.0

    @on.setter
    def on(self, value: bool) -> None:
        for k in range(2):
            self._set(Drives.ON, float(flag(f"on of {self.definition.label}", value)), k)

    stiffness: float = gain("stiffness", Drives.STIFFNESS, "Stiffness of the point [N/m].")
    damping: float = gain("damping", Drives.DAMPING, "Damping of the point [N s/m].")
    turn_stiffness: float = gain("turn_stiffness", Drives.STIFFNESS, "Stiffness of the orientation [N m/rad].", 1)
    turn_damping: float = gain("turn_damping", Drives.DAMPING, "Damping of the orientation [N m s/rad].", 1)

    def _check(self, key: str, value: Any) -> None:
        """Refuse an orientation of a particle."""
        if key.startswith("turn_") and self._engine.is_particle(int(self._get(Drives.PLACE))):
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: a particle has no orientation")

    @property
    def max(self) -> float:
        """Largest force [N]."""
        return self._get(Drives.HIGH)

    @max.setter
    def max(self, value: float) -> None:
        self._set_limit("max", value, True)

    @property
    def turn_max(self) -> float:
        """Largest torque [N m]."""
        return self._get(Drives.HIGH, 1)

    @turn_max.setter
    def turn_max(self, value: float) -> None:
        self._set_limit("turn_max", value, True, 1)

    def _base(self) -> tuple[Floats, Floats]:
        """Return position [m] and quaternion of the frame in which the target is given: the world or a moving body."""
        self._engine.refresh()
        return parent_pose(int(self._get(Drives.AXIS)), self._engine.state.pose, self._engine.work.frame)

    def _principal(self) -> Floats:
        """Return the quaternion from the principal axes of the body to the axes of its definition."""
        return self._engine.built.principal[int(self._get(Drives.PLACE))]

    @property
    def position(self) -> Floats:
        """Present target of the point [m]."""
        x, q = self._base()
        return x + product(matrix_of(q), self._row()[Drives.TARGET : Drives.TARGET + 3])

    @position.setter
    def position(self, value: Any) -> None:
        x, q = self._base()
        goal = point(f"position of {self.definition.label}", value)
        self._set(Drives.TARGET, product(matrix_of(q).T, goal - x))

    @property
    def quaternion(self) -> Floats:
        """Present target of the orientation as a quaternion, w first."""
        _, q = self._base()
        full = quaternion_product(q, self._row(1)[Drives.TURN : Drives.TURN + 4])
        return quaternion_product(full, conjugate(self._principal()))

    @quaternion.setter
    def quaternion(self, value: Any) -> None:
        goal = vector(f"quaternion of {self.definition.label}", value, 4)
        if abs(norm(goal) - 1.0) > 1e-3:
            got = tuple(goal.tolist())
            raise DefinitionError(f"quaternion of {self.definition.label}", got, "a unit quaternion, w first")
        _, q = self._base()
        full = quaternion_product(goal / norm(goal), self._principal())
        self._set(Drives.TURN, quaternion_product(conjugate(q), full), 1)

    @property
    def point(self) -> Floats:
        """Present position of the point that is pulled [m]."""
        pose = self._engine.state.pose[int(self._get(Drives.PLACE))]
        return pose[:3] + product(matrix_of(pose[3:7]), self._row()[Drives.POINT : Drives.POINT + 3])

    @property
    def error(self) -> tuple[float, float]:
        """Distance [m] and angle [rad] between body and target."""
        pose = self._engine.state.pose[int(self._get(Drives.PLACE))]
        own = quaternion_product(pose[3:7], conjugate(self._principal()))
        off = quaternion_product(own, conjugate(self.quaternion))
        angle = 2.0 * arctangent(norm(off[1:]), abs(float(off[0])))
        return norm(self.point - self.position), angle

    @property
    def force(self) -> Floats:
        """Mean force on the body in the last step, at the point [N]."""
        return self._mean()

    @property
    def torque(self) -> Floats:
        """Mean torque of the orientation's spring in the last step, in world axes [N m]."""
        return self._mean(1)

    @property
    def at_limit(self) -> bool:
        """Whether force or torque was at its limit at the end of the last step."""
        rows = self._engine.state.drive[self._first : self._first + 2]
        return bool(rows[:, Drives.CLIPPED : Drives.CLIPPED + 3].any())


def of_medium(key: str, slot: int, doc: str) -> Any:
    """Return a property of the medium that reads a number of Work.number, and sets it to a number of 0 or more."""

    def read(view: "MediumView") -> float:
        return float(view._engine.work.number[slot])

    def write(view: "MediumView", value: float) -> None:
        view._engine.work.number[slot] = number(f"{key} of the medium", value, 0.0)
        view._engine.mark_changed()

    return property(read, write, doc=doc)


class MediumView(Sealed):
    """The medium of a world, to read and set while the figure moves."""

    def __init__(self, engine: Engine):
        """Make the view of an engine's medium."""
        self._engine = engine

    density: float = of_medium("density", Number.DENSITY, "Density [kg/m^3].")
    viscosity: float = of_medium("viscosity", Number.VISCOSITY, "Viscosity [Pa s].")

    @property
    def wind(self) -> tuple[Any, ...]:
        """Velocity of the medium [m/s]: three numbers or signals."""
        first = int(self._engine.work.control[Control.WIND])
        return tuple(self._engine.signal_in(first + k)[0] for k in range(3))

    @wind.setter
    def wind(self, value: Any) -> None:
        for k, one in enumerate(wind(value)):
            self._engine.replace_signal(int(self._engine.work.control[Control.WIND]) + k, one, False)
