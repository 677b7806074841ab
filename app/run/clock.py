"""The clock: the number of steps that are due at a chosen speed, and the speed of simulated time."""

import math
from collections import deque

# A stall (a window being moved, a laptop asleep) is not caught up beyond this [s of real time].
LONGEST_BACKLOG = 0.1
WINDOW = 0.5  # s over which the real-time factor is measured
SLOWEST, FASTEST = 0.01, 16.0


class Clock:
    """A clock of simulated time. Real times [s] are arguments, so that tests need not wait."""

    def __init__(self) -> None:
        """Start at normal speed with no step due."""
        self.paused = False
        self.speed = 1.0
        self._last: float | None = None
        self._owed = 0.0  # simulated seconds
        self._marks: deque[tuple[float, float]] = deque()  # (real, simulated)

    def due(self, now: float, timestep: float) -> int:
        """Return the number of steps that are due at real time `now` [s]; 0 while paused."""
        if self._last is None or self.paused:
            self._last = now
            self._owed = 0.0
            return 0
        elapsed = now - self._last
        self._last = now
        self._owed = min(self._owed + elapsed * self.speed, max(LONGEST_BACKLOG * self.speed, timestep))
        # a rounding error must not put a step off: it would be a frame late
        return max(0, math.floor(self._owed / timestep + 1e-9))

    def took(self, steps: int, timestep: float) -> None:
        """Subtract steps that were taken from the time that is due."""
        self._owed -= steps * timestep

    def wait(self, timestep: float) -> float:
        """Return the real time until the next step is due [s]."""
        return 0.1 if self.paused else max(0.0, (timestep - self._owed) / self.speed)

    def measure(self, now: float, simulated: float) -> float:
        """Return the real-time factor over the last half second: simulated seconds per real second."""
        marks = self._marks
        if marks and simulated < marks[-1][1]:
            marks.clear()  # time was set back
        marks.append((now, simulated))
        while len(marks) > 2 and now - marks[0][0] > WINDOW:
            marks.popleft()
        span = now - marks[0][0]
        return (simulated - marks[0][1]) / span if span > 1e-6 else 0.0
