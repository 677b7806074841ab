"""What `World.drives` hands out by name: drives and target springs, read and set while the figure moves; and
`World.medium`."""

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
from physics.world.checks import point, vector
from physics.world.engine import Engine


class _Rows(Sealed, metaclass=Spelled):
    """Rows of State.drive; what is set is seen by the next step."""

    name: str

    def __init__(self, engine: Engine, definition: Drive | TargetSpring):
        self._engine = engine
        self.name = definition.name
        self.definition = definition
        self._first = engine.built.drive_row[definition.name]

    def _row(self, k: int = 0) -> Floats:
        return self._engine.state.drive[self._first + k]

    def _get(self, column: int, k: int = 0) -> float:
        return float(self._row(k)[column])

    def _set(self, column: int, values: Any, k: int = 0) -> None:
        self._row(k)[column : column + np.size(values)] = values
        self._engine.mark_changed()

    def _set_number(self, key: str, column: int, value: Any, k: int = 0) -> None:
        self._set(column, number(f"{key} of {self.definition.label}", value, 0.0), k)

    def _set_limit(self, key: str, value: Any, alone: bool, k: int = 0) -> None:
        low, high = bounds(f"{key} of {self.definition.label}", value, alone)
        self._set(Drives.LOW, [low, high], k)

    def _mean(self, k: int = 0) -> Floats:
        return self._row(k)[Drives.MEAN : Drives.MEAN + 3].copy()


class DriveView(_Rows):
    """A drive on a joint."""

    old_words: ClassVar[Mapping[str, str]] = Drive.old_words
    definition: Drive

    def __init__(self, engine: Engine, definition: Drive, joint: Any):
        super().__init__(engine, definition)
        self._joint = joint  # the view of its joint

    @property
    def _vector(self) -> bool:
        return self._get(Drives.KIND) == DriveKind.BALL

    @property
    def on(self) -> bool:
        return self._get(Drives.ON) != 0.0

    @on.setter
    def on(self, value: bool) -> None:
        self._set(Drives.ON, float(flag(f"on of {self.definition.label}", value)))

    @property
    def stiffness(self) -> float:
        """Gain to the position, N m/rad or N/m."""
        return self._get(Drives.STIFFNESS)

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        if self.definition.position is None:
            raise DefinitionError(f"stiffness of {self.definition.label}", value, "nothing: it has no position")
        self._set_number("stiffness", Drives.STIFFNESS, value)

    @property
    def damping(self) -> float:
        """Gain to the velocity, N m s/rad or N s/m."""
        return self._get(Drives.DAMPING)

    @damping.setter
    def damping(self, value: float) -> None:
        if self.definition.position is None and self.definition.velocity is None:
            raise DefinitionError(f"damping of {self.definition.label}", value, "nothing: a torque alone has no gains")
        self._set_number("damping", Drives.DAMPING, value)

    @property
    def max(self) -> tuple[float, float]:
        """(least, largest) torque or force, N m or N; of a ball joint the second is the largest torque."""
        return self._get(Drives.LOW), self._get(Drives.HIGH)

    @max.setter
    def max(self, value: Any) -> None:
        self._set_limit("max", value, self._vector)

    def _told(self, key: str, column: int) -> Any:
        if getattr(self.definition, key) is None:
            return None
        first = int(self._get(column))
        count = 4 if key == "position" and self._get(Drives.GIVEN) == DriveGiven.TURN else 3 if self._vector else 1
        values = tuple(self._engine.told(first + k)[0] for k in range(count))
        return values if self._vector else values[0]

    def _tell(self, key: str, column: int, value: Any) -> None:
        if getattr(self.definition, key) is None:
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: it was defined without one")
        told = self.definition.told(key, value, self._vector)
        if key == "position" and self._vector:
            given = DriveGiven.TURN if len(told) == 4 else DriveGiven.POSITION
            if given != self._get(Drives.GIVEN):
                raise DefinitionError(f"{key} of {self.definition.label}", value, "as many channels as it had")
        for k, one in enumerate(told):
            self._engine.tell(int(self._get(column)) + k, one, False)

    @property
    def position(self) -> Any:
        """Where it is told to go: a number or a signal, rad or m (three of them for a ball joint); or None."""
        return self._told("position", Drives.SIGNAL)

    @position.setter
    def position(self, value: Any) -> None:
        self._tell("position", Drives.SIGNAL, value)

    @property
    def velocity(self) -> Any:
        """The velocity that it is to keep: a number or a signal, rad/s or m/s; or None."""
        return self._told("velocity", Drives.SIGNAL)

    @velocity.setter
    def velocity(self, value: Any) -> None:
        self._tell("velocity", Drives.SIGNAL, value)

    @property
    def torque(self) -> Any:
        """The torque or force that it is to give, or to add: a number or a signal, N m or N; or None."""
        return self._told("torque", Drives.EFFORT)

    @torque.setter
    def torque(self, value: Any) -> None:
        self._tell("torque", Drives.EFFORT, value)

    @property
    def output(self) -> Any:
        """Its mean torque or force in the last step, on the coordinate of b relative to a, N m or N; of a ball joint
        the torque on b, world axes."""
        if self._vector:
            return self._mean() * self._get(Drives.SIGN)
        return float(self._mean()[0])

    @property
    def at_limit(self) -> bool:
        """Whether the limit held it back at the end of the last step."""
        row = self._row()
        return bool(row[Drives.CLIPPED : Drives.CLIPPED + 3].any())

    @property
    def error(self) -> float:
        """How far the joint is from the position that it is told to go to, rad or m; nan where it has none."""
        if self.definition.position is None:
            return math.nan
        joint = self._joint
        self._engine.refresh()
        first = int(self._get(Drives.SIGNAL))
        if not isinstance(joint.definition, Ball):
            return float(self._engine.work.signal[first, 0] - np.atleast_1d(joint.angle)[self.definition.axis])
        raise AttributeError(f"{self.definition.label} has a rotation for an error, read the joint's angle")


class TargetSpringView(_Rows):
    """A spring to a target: a row for the point, and one for the orientation."""

    old_words: ClassVar[Mapping[str, str]] = TargetSpring.old_words
    definition: TargetSpring

    @property
    def on(self) -> bool:
        return self._get(Drives.ON) != 0.0

    @on.setter
    def on(self, value: bool) -> None:
        for k in range(2):
            self._set(Drives.ON, float(flag(f"on of {self.definition.label}", value)), k)

    @property
    def stiffness(self) -> float:
        """N/m"""
        return self._get(Drives.STIFFNESS)

    @stiffness.setter
    def stiffness(self, value: float) -> None:
        self._set_number("stiffness", Drives.STIFFNESS, value)

    @property
    def damping(self) -> float:
        """N s/m"""
        return self._get(Drives.DAMPING)

    @damping.setter
    def damping(self, value: float) -> None:
        self._set_number("damping", Drives.DAMPING, value)

    @property
    def turn_stiffness(self) -> float:
        """N m/rad"""
        return self._get(Drives.STIFFNESS, 1)

    @turn_stiffness.setter
    def turn_stiffness(self, value: float) -> None:
        self._refuse_turn("turn_stiffness", value)
        self._set_number("turn_stiffness", Drives.STIFFNESS, value, 1)

    @property
    def turn_damping(self) -> float:
        """N m s/rad"""
        return self._get(Drives.DAMPING, 1)

    @turn_damping.setter
    def turn_damping(self, value: float) -> None:
        self._refuse_turn("turn_damping", value)
        self._set_number("turn_damping", Drives.DAMPING, value, 1)

    def _refuse_turn(self, key: str, value: Any) -> None:
        if self._engine.is_particle(int(self._get(Drives.PLACE))):
            raise DefinitionError(f"{key} of {self.definition.label}", value, "nothing: a particle has no orientation")

    @property
    def max(self) -> float:
        """Largest force, N."""
        return self._get(Drives.HIGH)

    @max.setter
    def max(self, value: float) -> None:
        self._set_limit("max", value, True)

    @property
    def turn_max(self) -> float:
        """Largest torque, N m."""
        return self._get(Drives.HIGH, 1)

    @turn_max.setter
    def turn_max(self, value: float) -> None:
        self._set_limit("turn_max", value, True, 1)

    def _base(self) -> tuple[Floats, Floats]:
        self._engine.refresh()
        return parent_pose(int(self._get(Drives.AXIS)), self._engine.state.pose, self._engine.work.frame)

    def _principal(self) -> Floats:
        return self._engine.built.principal[int(self._get(Drives.PLACE))]

    @property
    def position(self) -> Floats:
        """Where the point is pulled to now, m."""
        x, q = self._base()
        return x + product(matrix_of(q), self._row()[Drives.TARGET : Drives.TARGET + 3])

    @position.setter
    def position(self, value: Any) -> None:
        x, q = self._base()
        goal = point(f"position of {self.definition.label}", value)
        self._set(Drives.TARGET, product(matrix_of(q).T, goal - x))

    @property
    def quaternion(self) -> Floats:
        """The orientation that the body is turned to now, w first."""
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
        """Where the pulled point is, m."""
        pose = self._engine.state.pose[int(self._get(Drives.PLACE))]
        return pose[:3] + product(matrix_of(pose[3:7]), self._row()[Drives.POINT : Drives.POINT + 3])

    @property
    def error(self) -> tuple[float, float]:
        """How far the body is from its target: (distance [m], angle [rad])."""
        pose = self._engine.state.pose[int(self._get(Drives.PLACE))]
        own = quaternion_product(pose[3:7], conjugate(self._principal()))
        off = quaternion_product(own, conjugate(self.quaternion))
        angle = 2.0 * arctangent(norm(off[1:]), abs(float(off[0])))
        return norm(self.point - self.position), angle

    @property
    def force(self) -> Floats:
        """Mean force on the body in the last step, at the point, N."""
        return self._mean()

    @property
    def torque(self) -> Floats:
        """Mean torque of the orientation's spring, N m, world axes."""
        return self._mean(1)

    @property
    def at_limit(self) -> bool:
        """Whether a limit held it back at the end of the last step."""
        rows = self._engine.state.drive[self._first : self._first + 2]
        return bool(rows[:, Drives.CLIPPED : Drives.CLIPPED + 3].any())


class MediumView(Sealed):
    """The medium of a world, read and set while the figure moves."""

    def __init__(self, engine: Engine):
        self._engine = engine

    def _set(self, key: str, column: int, value: float) -> None:
        self._engine.work.number[column] = number(f"{key} of the medium", value, 0.0)
        self._engine.mark_changed()

    @property
    def density(self) -> float:
        """kg/m^3"""
        return float(self._engine.work.number[Number.DENSITY])

    @density.setter
    def density(self, value: float) -> None:
        self._set("density", Number.DENSITY, value)

    @property
    def viscosity(self) -> float:
        """Pa s"""
        return float(self._engine.work.number[Number.VISCOSITY])

    @viscosity.setter
    def viscosity(self, value: float) -> None:
        self._set("viscosity", Number.VISCOSITY, value)

    @property
    def wind(self) -> tuple[Any, ...]:
        """Its velocity, m/s: three numbers or signals."""
        first = int(self._engine.work.control[Control.WIND])
        return tuple(self._engine.told(first + k)[0] for k in range(3))

    @wind.setter
    def wind(self, value: Any) -> None:
        for k, one in enumerate(wind(value)):
            self._engine.tell(int(self._engine.work.control[Control.WIND]) + k, one, False)
