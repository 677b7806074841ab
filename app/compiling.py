"""Kernels compiled in a process of their own, into the disk cache: in a thread it would stall the window for seconds.

`python -m app.compiling MODE` compiles a solver mode and all that reads from it, and writes a line for each function.
"""

import subprocess
import sys
import threading
from collections.abc import Callable

from physics.world import World

# Functions compiled for a first mode, counted; only the progress bar depends on it.
USUAL_COUNT = 251


class NeedsCompilingError(Exception):
    """Kernels are not in the disk cache; compiling them here would hold the interpreter's lock and stall frames."""


def check_compiled(world: World) -> None:
    """Load the kernels of the present mode from the disk cache, or raise before anything is compiled."""
    here = threading.get_ident()

    def refuse(name: str, number: int) -> None:
        if threading.get_ident() == here:  # the news are those of all threads
            raise NeedsCompilingError(world.solver)

    world.step(0, progress=refuse)


def compile_in_child(mode: str, progress: Callable[[float], None] | None = None) -> bool:
    """True when the cache has been filled; `progress` gets shares of one."""
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "app.compiling", mode], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError:
        return False
    assert child.stdout is not None
    for count, _ in enumerate(child.stdout, 1):
        if progress is not None:
            progress(min(count / USUAL_COUNT, 0.99))
    return child.wait() == 0


def compile_mode(mode: str) -> None:
    from scenes.loader import read_scene

    def tell(name: str, number: int) -> None:
        print(name, flush=True)

    scene = read_scene("hand")
    World(scene.definitions, solver=mode).step(1, progress=tell)
    use_everything(scene.make_world(solver=mode))


def use_everything(world: World) -> None:
    """What the window may call: after this nothing is left to be compiled."""
    world.step(1)
    world.energy()
    world.gaps()
    joint = world.joints["index_mcp"]
    joint.angle  # noqa: B018 - reading it compiles what measures angles
    joint.hold()
    world.restore(world.snapshot())
    body = world.bodies["index1"]
    body.position, body.quaternion = body.position, body.quaternion
    world.bodies["index1"].velocity = (0.0, 0.0, 0.0)
    world.step(1)
    world.accelerations()
    world.assemble()  # as scenes are put together with


if __name__ == "__main__":
    compile_mode(sys.argv[1])
