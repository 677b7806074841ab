"""Commands: everything that a person can do to a running figure, as small values that can be written down, undone and
replayed.

Value commands set one path: `settings.solver`, `settings.gravity`, `joints.NAME.stiffness`, ... State commands put
the figure into another state: `Reset`, `Rewind`, `Restore`, `Pose`. Grabs begin and end with the mouse. The log has the
tick of each command. A tick is one transition of the state: a step, or a state command. The number of the tick always
grows, even when time is rewound.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

Vector = tuple[float, ...]


@dataclass(frozen=True)
class Command:
    """Base class of commands. A command with `changes_state` takes a tick of its own, and one with `undoable` is added
    to the undo stack."""

    changes_state: ClassVar[bool] = False
    undoable: ClassVar[bool] = False
    title: ClassVar[str] = ""  # its name for messages; empty: the name of its class

    @property
    def label(self) -> str:
        """Name of the command for messages."""
        return self.title or type(self).__name__.lower()


class StateCommand(Command):
    """Base class of the commands that put the figure into another state and can be undone."""

    changes_state: ClassVar[bool] = True
    undoable: ClassVar[bool] = True


@dataclass(frozen=True)
class Set(Command):
    """The command to set the value of a path. All values of one drag of a slider have one `gesture`, and are undone
    together."""

    path: str
    value: Any
    gesture: int = 0
    undoable: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """Name of the value."""
        return self.path.removeprefix("settings.").replace("_", " ")


@dataclass(frozen=True)
class SetEach(Command):
    """The command to set several values, as for a group of joints. They are done and undone together."""

    values: tuple[tuple[str, Any], ...]  # path, value
    gesture: int = 0
    undoable: ClassVar[bool] = True

    @property
    def label(self) -> str:
        """Name of the values."""
        return f"{self.values[0][0].rpartition('.')[2]} of {len(self.values)} joints" if self.values else "nothing"


@dataclass(frozen=True)
class Reset(StateCommand):
    """The command to return to the start. Values that were set stay."""


@dataclass(frozen=True)
class Rewind(StateCommand):
    """The command to make the state of an earlier tick the present state. A new branch begins there."""

    title: ClassVar[str] = "go on from here"
    tick: int


@dataclass(frozen=True)
class Restore(StateCommand):
    """The command to put the figure into a state that was written down, by this program or by one that has ended.
    `state` is the text of a moment."""

    state: str


@dataclass(frozen=True)
class Pose(StateCommand):
    """The command to place bodies at rest: position and quaternion of each body, in the scene's order."""

    poses: tuple[Vector, ...]
    gesture: int = 0


@dataclass(frozen=True)
class HoldPose(StateCommand):
    """The command to make the present angles the rest angles of all joint springs, and switch the springs on."""

    title: ClassVar[str] = "hold this pose"


@dataclass(frozen=True)
class GoOn(Command):
    """The command to continue the motion of the scene that was loaded before. It has the name, position, quaternion,
    velocity and angular velocity of each body. Bodies of the same name get this motion, and the joints are closed."""

    bodies: tuple[tuple[Any, ...], ...]
    changes_state: ClassVar[bool] = True


@dataclass(frozen=True)
class Grab(Command):
    """The command to grab a body at a point of the world. `number` identifies the grab from then on."""

    number: int
    body: str
    point: Vector
    kind: str = "spring"  # spring, point, pose
    cap: float | None = None  # N


@dataclass(frozen=True)
class MoveGrab(Command):
    """The command to move the target of a grab. `turn` is the target orientation of a pose grab, w first; without it
    the orientation stays."""

    number: int
    target: Vector
    turn: Vector | None = None


@dataclass(frozen=True)
class ChangeGrab(Command):
    """The command to change kind or cap of a grab, or to leave the body pinned (`pinned`)."""

    number: int
    kind: str | None = None
    cap: float | None = None
    pinned: bool | None = None


@dataclass(frozen=True)
class Release(Command):
    """The command to release a grab or a pin."""

    number: int


KINDS = {
    kind.__name__: kind
    for kind in (Set, SetEach, Reset, Rewind, Restore, Pose, HoldPose, GoOn, Grab, MoveGrab, ChangeGrab, Release)
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """A command and its tick."""

    tick: int
    command: Command


class UndoStack:
    """The commands that can be undone and redone, each with its inverse."""

    def __init__(self) -> None:
        """Start with nothing to undo."""
        self._done: list[tuple[Command, Command]] = []
        self._undone: list[tuple[Command, Command]] = []

    def push(self, command: Command, inverse: Command) -> None:
        """Add a command and its inverse, and forget the commands that could be redone. Commands of one gesture become
        one entry, with the first inverse."""
        self._undone.clear()
        if self._done and self._same_gesture(self._done[-1][0], command):
            self._done[-1] = (command, self._done[-1][1])
        else:
            self._done.append((command, inverse))

    @staticmethod
    def _same_gesture(a: Command, b: Command) -> bool:
        """Return whether two commands belong to one gesture."""
        if isinstance(a, Set) and isinstance(b, Set):
            return a.gesture == b.gesture != 0 and a.path == b.path
        if isinstance(a, SetEach) and isinstance(b, SetEach):
            return a.gesture == b.gesture != 0 and [p for p, _ in a.values] == [p for p, _ in b.values]
        return isinstance(a, Pose) and isinstance(b, Pose) and a.gesture == b.gesture != 0

    def undo(self) -> tuple[Command, Command] | None:
        """Return the last command and its inverse, and move them to the commands that can be redone; None without
        one."""
        if not self._done:
            return None
        self._undone.append(self._done.pop())
        return self._undone[-1]

    def redo(self) -> tuple[Command, Command] | None:
        """Return the last undone command and its inverse, and move them to the commands that can be undone; None
        without one."""
        if not self._undone:
            return None
        self._done.append(self._undone.pop())
        return self._done[-1]

    def redone(self, inverse: Command) -> None:
        """Replace the inverse of the command that was redone last. It may differ from the earlier inverse, because the
        tick to which it returns has changed."""
        self._done[-1] = (self._done[-1][0], inverse)

    @property
    def labels(self) -> tuple[str, str]:
        """Names of the next undo and redo; empty where there is none."""
        return tuple(stack[-1][0].label if stack else "" for stack in (self._done, self._undone))  # type: ignore
