"""Requests to the stepper that are not commands, because they change nothing that the log of a session needs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.run.commands import Command
from app.run.playing import Player
from app.run.recording import Recording
from app.run.simulation import Simulation
from physics.definitions.scene import Scene
from physics.world.world import World


@dataclass(frozen=True)
class Load:
    """The request to load another scene."""

    scene: Scene
    name: str
    make_world: Callable[[], World] | None = field(default=None, compare=False)  # in the state in which it starts
    details: Any = field(default=None, compare=False)  # handed on to the window: what is drawn
    goes_on: bool = field(default=False, compare=False)  # the same scene, changed: from where the figure is now
    play: Recording | None = field(default=None, compare=False)  # what is played then
    pauses: bool = field(default=True, compare=False)  # whether the figure pauses after it
    otherwise: tuple[Command, ...] = field(default=(), compare=False)  # if its state does not fit this scene
    tells: Callable[[Player], str] | None = field(default=None, compare=False)  # the message after it


@dataclass(frozen=True)
class Pause:
    """The request to pause, or to continue."""

    paused: bool


@dataclass(frozen=True)
class Speed:
    """The request for another speed."""

    factor: float


@dataclass(frozen=True)
class StepBy:
    """The request, while paused, for a number of steps forward, or back through the timeline."""

    count: int


@dataclass(frozen=True)
class LookAt:
    """The request to show a position of the timeline."""

    position: int


@dataclass(frozen=True)
class Undo:
    """The request to undo the last command."""


@dataclass(frozen=True)
class Redo:
    """The request to redo the last undone command."""


@dataclass(frozen=True)
class Publish:
    """The request for a new snapshot."""


@dataclass(frozen=True)
class Record:
    """The request to record from now on. `head` is what the file says about the scene."""

    path: Path
    head: dict[str, Any] = field(compare=False)


@dataclass(frozen=True)
class StopRecording:
    """The request to end the recording."""


@dataclass(frozen=True)
class Keep:
    """The request to pass the simulation and the details of its scene to `then`, on the stepper's thread."""

    then: Callable[[Simulation, Any], None] = field(compare=False)


@dataclass(frozen=True)
class State:
    """The request to pass the scene and the world's present state to `then`, on the stepper's thread."""

    then: Callable[[Scene, bytes], None] = field(compare=False)


Request = (
    Command | Load | Pause | Speed | StepBy | LookAt | Undo | Redo | Publish | Record | StopRecording | Keep | State
)
