"""Kernels compiled in a process of their own, into the disk cache: in a thread it would stall the window for seconds.

`python -m app.compiling SOLVER INTEGRATOR ORDER` compiles what a step goes through and all that reads from it, and
writes a line for each function.
"""

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import NamedTuple

from physics.definitions import Fixed, Massless, Scene
from physics.world import World

# Functions compiled for a first mode, counted; only the progress bar depends on it.
USUAL_COUNT = 471


class Needs(NamedTuple):
    """What decides which kernels a step goes through."""

    solver: str = "fused"
    integrator: str = "trbdf2"
    order: str = "dynamic"
    held: bool = True  # something is held or pinned

    @property
    def text(self) -> str:
        return f"{self.solver} with {self.integrator}" if self.order == "dynamic" else f"posing with {self.solver}"


class NeedsCompilingError(Exception):
    """Kernels are not in the disk cache; compiling them here would hold the interpreter's lock and stall frames."""

    def __init__(self, needs: Needs):
        super().__init__(needs.text)
        self.needs = needs


def check_compiled(scene: Scene, needs: Needs) -> None:
    """Load kernels from the disk cache, or raise before anything is compiled."""
    here = threading.get_ident()

    def refuse(name: str, number: int) -> None:
        if threading.get_ident() == here:  # the news are those of all threads
            raise NeedsCompilingError(needs)

    made_for(scene, needs).step(0, progress=refuse)


def made_for(scene: Scene, needs: Needs) -> World:
    """A world that goes through these kernels."""
    world = World(scene, solver=needs.solver, integrator=needs.integrator)
    world.order = needs.order
    if needs.held:
        world.grab(next(body.name for body in scene.bodies if not isinstance(body, Fixed | Massless)))
    return world


def compile_in_child(needs: Needs, progress: Callable[[float], None] | None = None) -> bool:
    """True when the cache has been filled; `progress` gets shares of one."""
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", "app.compiling", *needs[:3]],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
    except OSError:
        return False
    assert child.stdout is not None
    for count, _ in enumerate(child.stdout, 1):
        if progress is not None:
            progress(min(count / USUAL_COUNT, 0.99))
    return child.wait() == 0


def compile_kernels(needs: Needs) -> None:
    """Of the hand: which figure it is does not matter."""
    from scenes.loader import read_scene

    def tell(name: str, number: int) -> None:
        print(name, flush=True)

    scene = read_scene("hand")
    for held in (False, True):
        made_for(scene.definitions, needs._replace(held=held)).step(1, progress=tell)
    if needs.order == "dynamic":
        use_everything(scene.make_world(solver=needs.solver, integrator=needs.integrator))


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
    compile_kernels(Needs(sys.argv[1], sys.argv[2], sys.argv[3]))
