"""Requests to the stepper that are not commands, because they change nothing that the log of a session needs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.run.commands import Command, Recording
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
    """The request to pass the recording so far to `then`, on the stepper's thread."""

    then: Callable[[Recording], None] = field(compare=False)


@dataclass(frozen=True)
class State:
    """The request to pass the scene and the world's present state to `then`, on the stepper's thread."""

    then: Callable[[Scene, bytes], None] = field(compare=False)


Request = Command | Load | Pause | Speed | StepBy | LookAt | Undo | Redo | Publish | Record | State
