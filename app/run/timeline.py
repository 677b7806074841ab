"""The timeline: key moments and the tree of branches, from which any tick can be computed again.

The number of the tick always grows. A branch that starts at tick `first` continues the state of tick `parent` of an
earlier branch. The path of the present runs from the root branch through the parents to the tip. Positions on it are
whole numbers, one for each tick. A tick between two keys is reached by replaying the log from the key before it.
"""

import base64
import json
from bisect import bisect_left, bisect_right, insort
from dataclasses import dataclass
from typing import Any

MEMORY = 256 * 1024 * 1024  # bytes of key moments
KEY_SPACING = 0.05  # s of computing between keys: the largest cost of going to a tick, before thinning


@dataclass(frozen=True)
class Moment:
    """A state: the world's own bytes, the session's own values, and the number of commands that were logged before
    it."""

    world: bytes
    live: dict[str, Any]
    entries: int = 0

    def text(self) -> str:
        """Return the moment as a text, for a file."""
        live = self.live | {key: list(self.live[key].items()) for key in NUMBERED}
        return json.dumps({"world": base64.b64encode(self.world).decode(), "live": live}, default=plain)


NUMBERED = ("pins", "grabs")  # tables whose keys are numbers, which JSON does not have


def read_moment(text: str) -> Moment:
    """Return the moment of a text. Raise a ValueError for a text that is none."""
    try:
        data = json.loads(text)
        live = dict(data["live"])
        live |= {key: {int(number): name for number, name in live[key]} for key in NUMBERED}
        live["changed"] = {path: tuples(value) for path, value in live["changed"].items()}
        live |= {"stiff": bool(live["stiff"]), "scale": float(live["scale"]), "limited": bool(live["limited"])}
        return Moment(base64.b64decode(data["world"], validate=True), live)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"got a text without {error}, allowed: the text of a moment") from None


def plain(value: Any) -> Any:
    """Return a value of numpy as one that JSON has."""
    return value.tolist()


def tuples(value: Any) -> Any:
    """Return lists, also nested ones, as tuples, because JSON has lists only."""
    return tuple(tuples(v) for v in value) if isinstance(value, list) else value


@dataclass
class Branch:
    """A branch of the timeline: its first tick, and the tick that it continues."""

    first: int
    parent: int  # tick whose state it continues; -1 for the root


class Timeline:
    """The key moments and branches of a session."""

    def __init__(self, start: Moment, memory: int = MEMORY):
        """Start with a moment at tick 0. `memory` is the number of bytes that keys may take."""
        self.memory = memory
        self.branches = [Branch(0, -1)]
        self.tip = 0
        self._ticks = [0]
        self._keys = {0: start}
        self._bytes = len(start.world)
        self._computed = 0.0  # s since the last key

    # ------------------------------------------------------------ growing
    def grew(self, ticks: int, seconds: float) -> bool:
        """Move the tip by some ticks, which took `seconds` to compute. Return whether a key is due."""
        self.tip += ticks
        self._computed += seconds
        return self._computed >= KEY_SPACING

    def add_key(self, moment: Moment) -> None:
        """Add a key at the tip."""
        self._computed = 0.0
        if self.tip in self._keys:
            return
        insort(self._ticks, self.tip)
        self._keys[self.tip] = moment
        self._bytes += len(moment.world)
        while self._bytes > self.memory and self._thin():
            pass

    def shrink(self, memory: int) -> None:
        """Remove keys until they take at most so many bytes, for a figure that is not shown."""
        self.memory, kept = memory, self.memory
        while self._bytes > self.memory and self._thin():
            pass
        self.memory = kept

    def _thin(self) -> bool:
        """Remove every second key except the first of each branch and the newest. Return whether any key was
        removed."""
        starts = {branch.first for branch in self.branches}
        spare = [t for t in self._ticks[:-1] if t not in starts][::2]
        if not spare and len(self._ticks) > 2:
            spare = [t for t in self._ticks[:-1] if t != self.branch_of(self.tip).first][:1]
        for tick in spare:
            self._bytes -= len(self._keys.pop(tick).world)
        self._ticks = sorted(self._keys)
        return bool(spare)

    def branch(self, parent: int, moment: Moment) -> None:
        """Start a branch: a new present, one tick later, in the state of the tick `parent`."""
        self.tip += 1
        self.branches.append(Branch(self.tip, parent))
        self.add_key(moment)

    # ------------------------------------------------------------ looking back
    @property
    def bytes(self) -> int:
        """Number of bytes that keys take."""
        return self._bytes

    def branch_of(self, tick: int) -> Branch:
        """Return the branch of a tick."""
        return self.branches[bisect_right([b.first for b in self.branches], tick) - 1]

    def key_before(self, tick: int) -> tuple[int, Moment] | None:
        """Return tick and moment of the nearest key at or before a tick, in the branch of that tick; None if the key
        was removed."""
        at = self._ticks[bisect_right(self._ticks, tick) - 1] if self._ticks[0] <= tick else -1
        return (at, self._keys[at]) if at >= self.branch_of(tick).first else None

    def path(self) -> list[tuple[int, int]]:
        """Return runs of ticks (first, last), from the oldest that can be reached to the tip."""
        runs: list[tuple[int, int]] = []
        last = self.tip
        while last >= 0:
            branch = self.branch_of(last)
            kept = self._ticks[bisect_left(self._ticks, branch.first) : bisect_right(self._ticks, last)]
            if not kept:
                break
            runs.append((kept[0], last))
            parent = branch.parent if kept[0] == branch.first else -1
            # the first tick of a branch is its parent once more
            while parent >= 0 and self.branch_of(parent).first == parent:
                parent = self.branch_of(parent).parent
            last = parent - 1
        return runs[::-1]

    def length(self) -> int:
        """Return the number of positions on the path."""
        return sum(last - first + 1 for first, last in self.path())

    def tick_at(self, position: int) -> int:
        """Return the tick at a position on the path; outside the path, the nearest."""
        runs = self.path()
        position = max(0, position)
        for first, last in runs:
            if position <= last - first:
                return first + position
            position -= last - first + 1
        return runs[-1][1]

    def position_of(self, tick: int) -> int:
        """Return the position of a tick; that of the tip for a tick that is not on the path."""
        position = 0
        for first, last in self.path():
            if first <= tick <= last:
                return position + tick - first
            position += last - first + 1
        return position - 1
