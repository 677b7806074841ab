"""The snapshot: the state of the figure as the window sees it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.run.simulation import SETTINGS, HeldPoint, Simulation
from app.run.waiting import Waits
from physics.definitions.scene import Scene
from physics.world.touching import Contact


@dataclass(frozen=True)
class JointMeasures:
    """Measurements of every joint, in the order of `Snapshot.joints`."""

    gap: np.ndarray  # (m,) the larger of m and rad
    force: np.ndarray  # (m, 3) N
    torque: np.ndarray  # (m, 3) N m
    stiffness: tuple[Any, ...]
    damping: tuple[Any, ...]
    stiff: tuple[bool, ...]


@dataclass(frozen=True)
class Snapshot:
    """The state of the figure as the window sees it. It is never changed."""

    scene: Scene
    details: Any  # of the scene beside its definitions, as it was asked for
    name: str
    names: list[str]
    joints: list[str]
    poses: np.ndarray  # (n, 7)
    tick: int
    time: float
    paused: bool
    at: float  # real time of publishing
    values: dict[str, Any]  # settings by path
    energy: tuple[float, ...] = (0.0,) * 5  # kinetic, potential, elastic, total, ledger
    gap: float = 0.0
    redone: int = 0
    frozen: int = 0
    real_time_factor: float = 0.0
    step_seconds: float = 0.0
    measures: JointMeasures | None = None
    grabs: tuple[HeldPoint, ...] = ()
    undo: str = ""
    redo: str = ""
    position: int = 0  # on the timeline's path
    length: int = 1
    logged: int = 0  # commands since the scene was loaded
    past: bool = False  # an earlier moment is looked at
    memory: int = 0  # bytes of key moments
    drives: int = 0  # how many the figure has
    limits: int = 0  # joints with hard limits
    touches: bool = False  # whether its bodies touch each other or a floor
    contacts: tuple[Contact, ...] = ()  # while they are asked for
    asleep: tuple[int, ...] = ()  # bodies that rest until something touches them
    # seconds a step, by the six steps of the anticipation, while they are asked for and were timed; all of them zero
    # where no link, limit, grab or contact took part
    times: dict[str, float] | None = None
    changed: dict[str, Any] = field(default_factory=dict)  # what was set since the scene was loaded, by path
    refused: dict[str, str] = field(default_factory=dict)  # solver mode -> why it cannot hold this figure
    culprit: str = ""  # joint at which stepping failed
    waits: Waits = field(default_factory=Waits)  # what waits for kernels


def settings_of(simulation: Simulation) -> dict[str, Any]:
    """Return all settings by path."""
    return {f"settings.{key}": simulation.value(f"settings.{key}") for key in SETTINGS}


def least_times(laps: list[dict[str, float]]) -> dict[str, float]:
    """Return the smallest of several times for each part of a step. Zeros are ignored, because limits take part only
    now and then. Larger times include other work of the processor."""
    return {step: min((lap[step] for lap in laps if lap[step] > 0.0), default=0.0) for step in laps[0]}


def measure_joints(simulation: Simulation) -> JointMeasures:
    """Return measurements of every joint."""
    joints = list(simulation.world.joints.values())
    gaps = simulation.world.gaps()
    return JointMeasures(
        gap=np.array([max(gaps[j.name]) for j in joints]),
        force=np.array([j.force for j in joints]).reshape(-1, 3),
        torque=np.array([j.torque for j in joints]).reshape(-1, 3),
        stiffness=tuple(j.stiffness for j in joints),
        damping=tuple(j.damping for j in joints),
        stiff=tuple(j.stiff for j in joints),
    )
