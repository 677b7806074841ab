"""From drives and target springs (`physics.definitions.actuators`) to signals and rows of State.drive."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from physics.data.model_tables import Topology
from physics.data.state_tables import DriveGiven, DriveKind, Drives
from physics.data.model import Floats
from physics.definitions.actuators import Drive, TargetSpring
from physics.maths.rotations import conjugate, matrix_of, quaternion_product, rotation_quaternion
from physics.definitions.named import Actuator
from physics.definitions.joints import Ball, Joint
from physics.definitions.signals import Tables
from physics.maths.strict import product


@dataclass(frozen=True)
class Figure:
    """What the rows of drives depend on: parts of the figure, at the drawn pose."""

    joints: dict[str, Joint]
    column: Callable[[str, int], tuple[int, int, bool]]  # of a coordinate: edge, column, whether the child is a
    table: np.ndarray  # topology and links
    row: dict[str, int]  # of each body; -1 and below for what stands for the world
    pose: Callable[[int], tuple[Floats, Floats]]  # (position, quaternion) of a row


def count_rows(drives: Sequence[Actuator]) -> int:
    """Return the number of rows of State.drive. A target spring has two (for its position and its orientation), and a
    drive has one."""
    return sum(2 if isinstance(drive, TargetSpring) else 1 for drive in drives)


def add_signals(tables: Tables, drives: Sequence[Actuator], joints: dict[str, Joint]) -> list[tuple[int, int, int]]:
    """Add the signals of each drive to `tables`. Return three numbers for each drive: the first signal of its position
    or velocity, what this signal is (`DriveGiven`), and the first signal of its torque. -1 means that there is none."""
    found = []
    for drive in drives:
        signal, given, effort = -1, DriveGiven.POSITION, -1
        if isinstance(drive, Drive):
            vector = isinstance(joints[drive.joint], Ball)
            key = "velocity" if drive.velocity is not None else "position"
            if getattr(drive, key) is not None:
                channels = drive.channels(key, getattr(drive, key), vector)
                signal = min(tables.add(value) for value in channels)
                turned = DriveGiven.TURN if len(channels) == 4 else DriveGiven.POSITION
                given = DriveGiven.SPEED if key == "velocity" else turned
            if drive.torque is not None:
                effort = min(tables.add(value) for value in drive.channels("torque", drive.torque, vector))
        found.append((signal, given, effort))
    return found


def fill_drives(
    drives: Sequence[Actuator], signals: Sequence[tuple[int, int, int]], figure: Figure, rows: Floats
) -> dict[str, int]:
    """Write the rows of State.drive to `rows`. Return the first row of each drive by its name."""
    first: dict[str, int] = {}
    at = 0
    for drive, signal in zip(drives, signals, strict=True):
        first[drive.name] = at
        rows[at, [Drives.SIGNAL, Drives.GIVEN, Drives.EFFORT]] = signal
        if isinstance(drive, Drive):
            _fill_drive(drive, figure, rows[at])
            at += 1
        elif isinstance(drive, TargetSpring):
            rows[at + 1, [Drives.SIGNAL, Drives.EFFORT]] = -1
            _fill_target(drive, figure, rows[at], rows[at + 1])
            at += 2
    return first


def _fill_drive(drive: Drive, figure: Figure, row: Floats) -> None:
    """Write the drive of a joint axis or of a ball joint to its row of State.drive."""
    edge, column, flip = figure.column(drive.joint, drive.axis)
    row[Drives.KIND] = DriveKind.AXIS
    row[Drives.ON] = float(drive.on)
    row[[Drives.PLACE, Drives.AXIS]] = edge, column
    row[[Drives.STIFFNESS, Drives.DAMPING]] = drive.stiffness, drive.damping
    row[[Drives.LOW, Drives.HIGH]] = drive.max
    row[Drives.SIGN] = -1.0 if flip else 1.0
    if isinstance(figure.joints[drive.joint], Ball):
        row[Drives.KIND] = DriveKind.BALL
        _, child = figure.pose(figure.table[edge, Topology.CHILD])
        row[Drives.TURN : Drives.TURN + 4] = conjugate(child)
        row[Drives.BASE : Drives.BASE + 4] = figure.pose(figure.table[edge, Topology.PARENT])[1]


def _fill_target(drive: TargetSpring, figure: Figure, point: Floats, turn: Floats) -> None:
    """Write a target spring to its two rows of State.drive: `point` for its position, `turn` for its orientation."""
    body = figure.row[drive.body]
    base = figure.row[drive.target]
    x, q = figure.pose(body)
    origin, frame = figure.pose(base)
    at = x if drive.at is None else np.array(drive.at)
    goal = at if drive.position is None else np.array(drive.position)
    for row, kind in ((point, DriveKind.POINT), (turn, DriveKind.TURN)):
        row[Drives.KIND] = kind
        row[Drives.ON] = float(drive.on)
        row[[Drives.PLACE, Drives.AXIS]] = body, base
    point[Drives.POINT : Drives.POINT + 3] = product(matrix_of(q).T, at - x)
    point[Drives.TARGET : Drives.TARGET + 3] = product(matrix_of(frame).T, goal - origin)
    point[[Drives.STIFFNESS, Drives.DAMPING]] = drive.stiffness, drive.damping
    point[[Drives.LOW, Drives.HIGH]] = -drive.max, drive.max
    turned = quaternion_product(rotation_quaternion(np.array(drive.rotation)), q)
    turn[Drives.TURN : Drives.TURN + 4] = quaternion_product(conjugate(frame), turned)
    turn[[Drives.STIFFNESS, Drives.DAMPING]] = drive.turn_stiffness, drive.turn_damping
    turn[[Drives.LOW, Drives.HIGH]] = -drive.turn_max, drive.turn_max
