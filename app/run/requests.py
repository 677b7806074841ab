"""Requests to the stepper that are not commands: they change nothing that the log of a session would have to know."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from app.run.commands import Command, Recording
from physics.definitions.scene import Scene
from physics.world.world import World


@dataclass(frozen=True)
class Load:
    """Asks for another scene."""

    scene: Scene
    name: str
    make_world: Callable[[], World] | None = field(default=None, compare=False)  # in the state in which it starts
    details: Any = field(default=None, compare=False)  # handed on to the window: what is drawn
    goes_on: bool = field(default=False, compare=False)  # the same scene, changed: from where the figure is now


@dataclass(frozen=True)
class Pause:
    """Asks to pause, or to continue."""

    paused: bool


@dataclass(frozen=True)
class Speed:
    """Asks for another speed."""

    factor: float


@dataclass(frozen=True)
class StepBy:
    """Asks, while paused, for a number of steps forward, or back through what is remembered."""

    count: int


@dataclass(frozen=True)
class LookAt:
    """Asks to show a position of the timeline."""

    position: int


@dataclass(frozen=True)
class Undo:
    """Asks to undo the last command."""


@dataclass(frozen=True)
class Redo:
    """Asks to redo the last undone command."""


@dataclass(frozen=True)
class Publish:
    """Asks for a fresh snapshot."""


@dataclass(frozen=True)
class Record:
    """Asks to pass the recording so far to `then`, on the stepper's thread."""

    then: Callable[[Recording], None] = field(compare=False)


@dataclass(frozen=True)
class State:
    """Asks to pass the scene and the world's present state to `then`, on the stepper's thread."""

    then: Callable[[Scene, bytes], None] = field(compare=False)


Request = Command | Load | Pause | Speed | StepBy | LookAt | Undo | Redo | Publish | Record | State
