"""The progress of a long run, and the time that is left, on standard error.

    with progress(total, lambda: world.steps): ...

A separate thread reads the count. It runs during compiled code, too. It can therefore show the progress of one long
call, and report a single step that takes long. On a terminal the progress is a bar, which disappears when the run ends.
Elsewhere it is printed as lines: the first after a second, and each further one after twice the time of the one before.
No line is printed when only a few seconds are left.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

LOOK_EVERY = 0.2  # s
FIRST_LINE = 1.0  # s
SHORT = 4.0  # s that are left: of so little nobody wants a line
LONG = 3.0  # s that one step takes: then it is said
UNITS = (("years", 31_557_600.0), ("days", 86_400.0), ("h", 3600.0), ("min", 60.0))


def duration(seconds: float) -> str:
    """Return a duration in words: 12 s, 3.4 min, 2.7e+05 years."""
    for name, size in UNITS:
        if seconds >= 2.0 * size:
            return f"{seconds / size:{'.2g' if seconds < 10.0 * size else '.3g'}} {name}"
    return f"{seconds:.0f} s"


class Watcher:
    """The progress of a run, and the messages about it."""

    def __init__(self, total: int, count: Callable[[], int], now: Callable[[], float] = time.monotonic):
        """Watch a run of `total` steps, counted from the present count."""
        self.total, self._count, self._now = total, count, now
        self.begun = self.moved = now()
        self.first = self.done = count()  # steps, counted on from what was there
        self._next_line = FIRST_LINE
        self._next_long = LONG

    def look(self) -> None:
        """Read the count of steps."""
        done = self._count()
        if done != self.done:
            self.done, self.moved, self._next_long = done, self._now(), LONG

    @property
    def share(self) -> float:
        """Share of the run that is done, 0 to 1."""
        return (self.done - self.first) / self.total if self.total else 1.0

    @property
    def left(self) -> str:
        """Text with the time left, estimated from the time of what is done."""
        if self.done == self.first:
            return "" if self.share >= 1.0 else "time left not known yet"
        spent = self._now() - self.begun
        return f"{duration(spent * (1.0 / self.share - 1.0))} left"

    @property
    def stuck(self) -> str:
        """Text about a single step that takes long, or an empty text."""
        waited = self._now() - self.moved
        if waited < LONG or self.share >= 1.0:
            return ""
        return f"step {self.done - self.first + 1} of {self.total} has taken {duration(waited)} so far"

    def line(self) -> str:
        """Return the line to print now, which is usually empty."""
        stuck, now = self.stuck, self._now()
        if stuck:
            if now - self.moved < self._next_long:
                return ""
            self._next_long *= 2.0
            return stuck
        spent = now - self.begun
        if spent < self._next_line:
            return ""
        self._next_line *= 2.0
        if self.share >= 1.0 or (self.done > self.first and spent * (1.0 / self.share - 1.0) < SHORT):
            return ""
        return f"{100.0 * self.share:.2g} % of {self.total} steps, {self.left}"


@contextmanager
def progress(total: int, count: Callable[[], int]) -> Iterator[None]:
    """Show on standard error how `count` grows by `total` while the block runs."""
    watcher, over = Watcher(total, count), threading.Event()
    show = _bar if sys.stderr is not None and sys.stderr.isatty() else _lines
    thread = threading.Thread(target=show, args=(watcher, over), name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _lines(watcher: Watcher, over: threading.Event) -> None:
    """Print lines until the run is over."""
    while not over.wait(LOOK_EVERY):
        watcher.look()
        text = watcher.line()
        if text and sys.stderr is not None:
            print(f"marionette: {text}", file=sys.stderr, flush=True)


def _bar(watcher: Watcher, over: threading.Event) -> None:
    """Show a bar until the run is over."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    left: Any = TextColumn("{task.fields[left]}")
    columns = (TextColumn("steps"), BarColumn(), MofNCompleteColumn(), left)
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("steps", total=watcher.total, left="")
        while not over.wait(LOOK_EVERY):
            watcher.look()
            bar.update(task, completed=watcher.done - watcher.first, left=watcher.stuck or watcher.left)
            bar.refresh()
