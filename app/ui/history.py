"""Data of the window besides the figure: switches of what is drawn, messages, and the histories for the plots."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

HISTORY = 1200  # points in a plot: 20 s at 60 frames


@dataclass
class Shown:
    """The switches of what is drawn besides the figure itself; each has a key."""

    joints: bool = True
    axes: bool = False
    reactions: bool = False
    contacts: bool = False
    centres: bool = False
    frames: bool = False
    labels: bool = False
    trail: bool = False
    skin: bool = True
    transparent: bool = False
    wireframe: bool = False
    shadows: bool = True
    ground: bool = True
    follow: bool = False
    hide_panels: bool = False


@dataclass(frozen=True)
class Message:
    """A message with its kind and time."""

    kind: str
    text: str
    at: float


@dataclass
class History:
    """The last values for a plot, one row (time, values ...) for each frame. The newest row replaces the oldest."""

    rows: deque[tuple[float, ...]] = field(default_factory=lambda: deque(maxlen=HISTORY))

    def add(self, time: float, *values: float) -> None:
        """Append a row. Rows later than `time` are removed first, because time was set back."""
        while self.rows and self.rows[-1][0] > time:
            self.rows.pop()
        self.rows.append((time, *values))

    def columns(self) -> np.ndarray:
        """Return the columns: time, then each value."""
        return np.array(self.rows).T if self.rows else np.zeros((1, 0))
