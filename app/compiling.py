"""Kernels compiled in a process of their own, into the disk cache: in a thread it would stall the window for seconds.

`python -m app.compiling MODE` compiles a solver mode and all that reads from it, and writes a line for each function.
"""

import subprocess
import sys
from collections.abc import Callable

# Functions compiled for a first mode, counted; only the progress bar depends on it.
USUAL_COUNT = 251


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
    from physics.world import World
    from scenes import generators

    def tell(name: str, number: int) -> None:
        print(name, flush=True)

    world = World(generators.hand(), solver=mode)
    world.step(1, progress=tell)
    world.energy()
    world.gaps()
    world.joints["index1_joint"].angle  # noqa: B018 - reading it compiles what measures angles
    world.accelerations()
    world.assemble()  # as scenes are put together with


if __name__ == "__main__":
    compile_mode(sys.argv[1])
