"""The calls of one step, recorded with compilation off. `NUMBA_DISABLE_JIT=1 python -m tests.physics.driver.walk`
prints the walk of the hand, `--write` puts it into physics/driver/README.md."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import physics
from physics.world.world import World
from tests.helpers import generators

ROOT = Path(physics.__file__).parent
README = ROOT / "driver" / "README.md"
DRIVE = "driver.step.drive"
BEGIN, END = "```text\n", "```\n"
# what these rooms call is followed; calls into the others are named, and not followed
FOLLOWED = ("driver", "integrators", "solvers")
LEFT_OUT = ("maths", "data", "bodies", "driver.run", "driver.units", "solvers.fused_edges")

Calls = dict[str, Any]  # by name, in the order of the first calls: what each calls


def name_of(frame: FrameType) -> str:
    """Room, module and function of physics; empty for all others, and for what only passes calls on: the compiler, and
    the loops and calls that are made of tables"""
    path = Path(frame.f_code.co_filename)
    if (
        not path.is_relative_to(ROOT)
        or path.is_relative_to(ROOT / "compiler")
        or "<locals>" in frame.f_code.co_qualname
    ):
        return ""
    return ".".join((*path.relative_to(ROOT).with_suffix("").parts, frame.f_code.co_name))


def recorded(world: World) -> Calls:
    """What `driver.step.drive` calls in the next step. Calls of the same function by the same caller stand there once,
    with all that they call."""
    found: Calls = {}
    stack: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            stack.append(name_of(frame))
            if DRIVE not in stack:
                return
            calls = found
            for name in filter(None, stack[stack.index(DRIVE) :]):
                calls = calls.setdefault(name, {})
        elif event == "return" and stack:
            stack.pop()

    sys.setprofile(note)
    world.step()
    sys.setprofile(None)
    return found


def lines(calls: Calls, depth: int = 0) -> list[str]:
    """The calls, one a line, indented"""
    made = []
    for name, inner in calls.items():
        if any(name.startswith(f"{room}.") for room in LEFT_OUT):
            continue
        made.append("  " * depth + name)
        if name.startswith(FOLLOWED):
            made += lines(inner, depth + 1)
    return made


def walk() -> str:
    """The walk of the third step of a hand with ball joints"""
    world = World(generators.hand(joint="ball"))
    world.step(2)
    return "\n".join(lines(recorded(world))) + "\n"


def written() -> str:
    """The walk that physics/driver/README.md has"""
    return README.read_text(encoding="utf-8").split(BEGIN)[1].split(END)[0]


if __name__ == "__main__":
    made = walk()
    if "--write" in sys.argv:
        page = README.read_text(encoding="utf-8")
        README.write_text(page.replace(BEGIN + written(), BEGIN + made), encoding="utf-8")
    print(made)
