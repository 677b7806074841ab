"""Requests that cannot be answered yet, because kernels that they need are still being compiled. They wait in order."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from app.run.commands import ChangeGrab, Command, Grab, HoldPose, MoveGrab, Pose, Release, Set
from app.run.compiling import Needs
from app.run.requests import Request
from app.run.simulation import Simulation
from physics.maths.rotations import conjugate, turned

SETTLES = 0.5  # s of the figure's time in which a body follows the hand before it is pinned: a drag was to do that


@dataclass(frozen=True)
class WaitingGrab:
    """A grab that waits for its kernels, in the form in which it is drawn."""

    number: int
    body: str
    place: np.ndarray  # where it will hold the body, from the body's position and in its axes
    target: np.ndarray  # where the hand is
    pinned: bool  # it will be left pinned


@dataclass(frozen=True)
class Waits:
    """What waits for kernels, as the window shows it. It is never changed."""

    grabs: tuple[WaitingGrab, ...] = ()
    texts: tuple[str, ...] = ()  # names of all that waits, in order
    values: Mapping[str, Any] = field(default_factory=dict)  # values that wait to be set, by path
    pins: tuple[int, ...] = ()  # numbers of grabs that will be left pinned


@dataclass(frozen=True, eq=False)
class Waiter:
    """A command that waits."""

    command: Command
    needs: Needs | None = None  # the kernels that it lacks; None: it comes after one that lacks some
    place: np.ndarray | None = None  # of a grab: the point in the axes of the body, which moves meanwhile

    @property
    def grab(self) -> int | None:
        """Number of the grab that the command is about."""
        return number_of(self.command)

    @property
    def pins(self) -> bool:
        """Whether it leaves a body pinned."""
        return isinstance(self.command, ChangeGrab) and bool(self.command.pinned)

    def command_now(self, simulation: Simulation) -> Command:
        """Return the command for the present state: a grab takes the point of the body where that is now."""
        command = self.command
        if not isinstance(command, Grab) or self.place is None or command.body not in simulation.names:
            return command
        pose = simulation.world.poses()[simulation.names.index(command.body)]
        return replace(command, point=tuple((pose[:3] + turned(pose[3:7], self.place)).tolist()))


class Waiting:
    """The commands that wait, in order. One thread changes them; others may read them."""

    def __init__(self) -> None:
        """Start with none."""
        self.line: tuple[Waiter, ...] = ()  # replaced as a whole
        self.pulled = 0.0  # s of the figure's time, since a grab was made that waits to be pinned

    def wants(self, needs: Needs) -> bool:
        """Return whether something waits for these kernels."""
        return any(waiter.needs == needs for waiter in self.line)

    def add(self, command: Command, needs: Needs, simulation: Simulation) -> None:
        """Add a command that lacks kernels. The target of a grab stays where the hand is, and its point moves with the
        body."""
        if isinstance(command, Grab):
            pose = simulation.world.poses()[simulation.names.index(command.body)]
            place = turned(conjugate(pose[3:7]), np.array(command.point) - pose[:3])
            self.line += (Waiter(command, needs, place), Waiter(MoveGrab(command.number, command.point)))
        else:
            self.line += (Waiter(command, needs),)

    def takes(self, request: Request, unposed: int) -> bool:
        """Return whether a new request needs no other answer: it is about a grab that waits, or follows a command on
        which its effect depends. The value that is set last replaces those that wait. `unposed` is the number of the
        grab that a paused figure has not followed yet: its pin waits."""
        if isinstance(request, Set):
            self._keep([w for w in self.line if not (isinstance(w.command, Set) and w.command.path == request.path)])
        if isinstance(request, Release):
            gone = [w for w in self.line if w.grab == request.number]
            self._keep([w for w in self.line if w.grab != request.number])
            return any(isinstance(w.command, Grab) for w in gone)  # it was never made
        if isinstance(request, ChangeGrab) and request.pinned and request.number == unposed:
            self.line += (Waiter(request),)
            self.pulled = 0.0
            return True
        number = number_of(request)
        if number is not None and any(w.grab == number for w in self.line):
            assert isinstance(request, Command)
            self._follow(request, number)
            return True
        if isinstance(request, Command) and request.undoable and self._holds_a_pose():
            self.line += (Waiter(request),)
            return True
        return False

    def _holds_a_pose(self) -> bool:
        """Return whether a command waits that depends on values and states which later commands change."""
        return any(isinstance(w.command, Pose | HoldPose) for w in self.line)

    def _follow(self, request: Command, number: int) -> None:
        """Add a request about a grab that waits. Of moves in a row only the last one stays."""
        k = max(k for k, w in enumerate(self.line) if w.grab == number)
        last = self.line[k].command
        if isinstance(request, MoveGrab) and isinstance(last, MoveGrab):
            turn = last.turn if request.turn is None else request.turn  # a move without a turn keeps the orientation
            self._keep([*self.line[:k], Waiter(replace(request, turn=turn)), *self.line[k + 1 :]])
        else:
            self.line += (Waiter(request),)

    @property
    def to_pin(self) -> int:
        """Number of the grab whose pin is the first to be made, once the body has followed the hand; else 0."""
        first = self.line[0] if self.line and self.pulled < SETTLES else None
        return first.grab or 0 if first is not None and first.pins else 0

    def next(self, coming: set[Needs], simulation: Simulation) -> Waiter | None:
        """Take the first waiter out of the line and return it; None if there is none, if its kernels are still being
        compiled, or if its body has still to follow the hand before it is pinned."""
        if not self.line or self.line[0].needs in coming:
            return None
        first = self.line[0]
        if simulation.holds(self.to_pin):
            return None
        self.line = self.line[1:]
        if isinstance(first.command, Grab):
            self.pulled = 0.0
        return first

    def put_back(self, waiter: Waiter, needs: Needs) -> None:
        """Put a waiter that lacks other kernels back to the front."""
        self.line = (replace(waiter, needs=needs), *self.line)

    def drop(self, *, but_pins: bool = False) -> list[Waiter]:
        """Empty the line and return what waited; with `but_pins`, drop only the grabs that a hand still holds."""
        pinned = {w.grab for w in self.line if w.pins}
        kept = [w for w in self.line if but_pins and (w.grab is None or w.grab in pinned)]
        dropped = [w for w in self.line if w not in kept]
        self._keep(kept)
        return dropped

    def _keep(self, line: list[Waiter]) -> None:
        """Replace the line."""
        self.line = tuple(line)

    def waits(self, *, drags: bool = False) -> Waits:
        """Return what waits, for the window. `drags`: a hand that holds a paused figure waits, too."""
        grabs = tuple(self._grab(w) for w in self.line if isinstance(w.command, Grab))
        values = {w.command.path: w.command.value for w in self.line if isinstance(w.command, Set)}
        texts = [text for w in self.line if (text := self._text(w))]
        pins = tuple(w.grab for w in self.line if w.pins and w.grab is not None)
        return Waits(grabs, tuple(["a drag"] * drags + texts), values, pins)

    def _grab(self, waiter: Waiter) -> WaitingGrab:
        """Return the form in which a grab is drawn."""
        grab = waiter.command
        assert isinstance(grab, Grab)
        assert waiter.place is not None
        target = [w.command.target for w in self.line if isinstance(w.command, MoveGrab) and w.grab == grab.number][-1]
        return WaitingGrab(grab.number, grab.body, waiter.place, np.array(target), self._is_pinned(grab.number))

    def _text(self, waiter: Waiter) -> str:
        """Return the name of a waiter; empty for those that belong to a drag or a pin that is named."""
        if waiter.grab is None:
            return waiter.command.label
        if isinstance(waiter.command, Grab) and not self._is_pinned(waiter.grab):
            return "a drag"
        return "a pin" if waiter.pins else ""

    def _is_pinned(self, number: int) -> bool:
        """Return whether a grab that waits will be left pinned."""
        return any(w.pins and w.grab == number for w in self.line)


def number_of(request: Request) -> int | None:
    """Return the number of the grab that a request is about; None if it is about none."""
    return request.number if isinstance(request, Grab | MoveGrab | ChangeGrab | Release) else None
