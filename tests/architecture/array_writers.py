"""Who writes each array: the rooms of physics that are seen to write it while figures of every kind move, with
compilation off. `NUMBA_DISABLE_JIT=1 python -m tests.architecture.array_writers` prints them as JSON; a test compares
them with the entries of the arrays (`physics/data/arrays.py`)."""

import json
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import physics
from physics.build import allocation, build, relink
from physics.data import arrays
from physics.definitions.checks import DefinitionError
from physics.world.world import CannotContinueError
from scenes import load
from tests.determinism import golden

ROOT = Path(physics.__file__).parent
# rooms that hand values on for the room that calls them
CALLED = ("maths", "data", "compiler")
# scene, solver mode, integrator; and how many steps of each part of the script
RUNS = (
    ("hand", "fused", "trbdf2", 1), ("rolling", "lagrange", "implicit", 1), ("robot", "fused", "implicit", 1),
    ("squeezer", "fused", "rattle", 1), ("domino", "fused", "trbdf2", 1), ("fourbar", "fused", "rk4", 1),
)  # fmt: skip

found: dict[str, set[str]] = {}


class Watched(np.ndarray):
    """An array that notes which room writes it. Its views are parts of it."""

    label = ""

    def __array_finalize__(self, source: Any) -> None:
        self.label = getattr(source, "label", "") if self.base is not None else ""

    def __setitem__(self, place: Any, value: Any) -> None:
        if self.label:
            found.setdefault(self.label, set()).add(writing_room())
        super().__setitem__(place, value)


def writing_room() -> str:
    """The room whose function writes: the innermost one that does not hand on values for another."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if path.is_relative_to(ROOT):
            room = path.relative_to(ROOT).parts[0]
            if room not in CALLED:
                return room
        frame = frame.f_back
    return ""


def watched(array: Any, label: str) -> Any:
    """The same array, watched under this name."""
    made = array.view(Watched)
    made.label = label
    return made


def watch() -> None:
    """Have every array that is made from now on watched."""
    make_field, allocate = arrays.make_field, allocation.allocate

    def make_watched(kind: type, name: str, sizes: Any) -> Any:
        return watched(make_field(kind, name, sizes), f"{kind.__name__}.{name}")

    def allocate_watched(sizes: Any) -> dict[str, Any]:
        return {name: watched(array, name) for name, array in allocate(sizes).items()}

    arrays.make_field = build.make_field = make_watched
    build.allocate = relink.allocate = allocate_watched


def observe() -> dict[str, list[str]]:
    """By array, the rooms that were seen to write it."""
    watch()
    warnings.simplefilter("ignore")
    for scene, mode, integrator, steps in RUNS:
        world = load(scene)
        world.use_solver(mode)
        world.use_integrator(integrator)
        for part in (golden.free, golden.hold, golden.pin, golden.throw):
            with suppress(DefinitionError, CannotContinueError):
                part(world, steps)
    return {label: sorted(rooms - {""}) for label, rooms in sorted(found.items())}


if __name__ == "__main__":
    print(json.dumps(observe(), indent=0))
