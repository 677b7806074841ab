"""Kernels that have no machine code are compiled in another process, which keeps it on disk. In a thread, compilation
would stall the window for seconds.

`python -m app.run.compiling NICE SCENE SOLVER INTEGRATOR ORDER HELD` compiles what a step of the scene needs, and what
reading from it needs.
"""

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from app.host.folder import PACKAGES, child_environment, child_words
from physics.definitions.bodies import Fixed, Massless
from physics.definitions.joints import SpringJoint
from physics.definitions.scene import Scene
from physics.definitions.springs import Spring
from physics.world.world import CannotContinueError, World
from scenes.loading.loader import file_of, read_scene
from scenes.text.errors import Problems

NICE, NICEST = 5, 19  # how far a child stands back behind the window, and behind everything


class Needs(NamedTuple):
    """The settings on which the kernels of a step depend."""

    solver: str = "fused"
    integrator: str = "trbdf2"
    order: str = "dynamic"
    held: bool = True  # something is held or pinned
    change: str = ""  # what the figure is to have besides: a pin, or a setting such as a contact method

    @property
    def text(self) -> str:
        """Name of the needs in messages."""
        if self == FIRST:
            return "the solver"
        if self.change:
            return self.change
        return f"{self.solver} with {self.integrator}" if self.order == "dynamic" else f"posing with {self.solver}"


FIRST = Needs(held=False)  # what it takes to move


def posing(solver: str) -> Needs:
    """Return what it takes to pose a paused figure."""
    return Needs(solver, "trbdf2", "kinematic")


class NeedsCompilingError(Exception):
    """The error when kernels have no machine code on the shelf or on disk. Compiling them here would hold the
    interpreter's lock and stall the window."""

    def __init__(self, needs: Needs):
        """Name the needs in the message."""
        super().__init__(needs.text)
        self.needs = needs


def check_compiled(scene: Scene, needs: Needs) -> None:
    """Load the machine code of a scene's kernels, or raise a NeedsCompilingError before anything is compiled."""
    here = threading.get_ident()

    def refuse(name: str, number: int) -> None:
        if threading.get_ident() == here:  # the news are those of all threads
            raise NeedsCompilingError(needs)

    world = made_for(scene, needs)
    if world.uncompiled:
        raise NeedsCompilingError(needs)
    world.step(0, progress=refuse)


def made_for(scene: Scene, needs: Needs) -> World:
    """Return a world of a scene whose steps use the kernels of these needs."""
    world = World(scene, solver=needs.solver, integrator=needs.integrator)
    world.order = needs.order
    if needs.held:
        world.grab(movable(scene)[0])
    return world


def is_compiled(source: str, needs: Needs) -> bool:
    """Return whether a step of the scene file or name `source` finds all its kernels."""
    return made_for(read_scene(source).definitions, needs).uncompiled == 0


def movable(scene: Scene) -> list[str]:
    """Return the names of the bodies that can be grabbed."""
    return [body.name for body in scene.bodies if not isinstance(body, Fixed | Massless)]


class Compiler:
    """The compilation in child processes, one at a time, because more would take the processor from the window and from
    each other. Kernels that somebody waits for come before those that are only prepared."""

    def __init__(self) -> None:
        """Start with nothing to compile."""
        self.doing: tuple[str, float] | None = None  # what somebody waits for, and since when
        self._turn = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._waiting = 0  # how many wait for their kernels
        self._stopped = False  # the child in the background, for somebody who waits
        self._closed = False

    def compile(self, source: str, needs: Needs, still_wanted: Callable[[], bool] = lambda: True) -> bool:
        """Compile the kernels that the scene file or name `source` needs with these settings, in a child process, and
        wait. A compilation in the background is ended first. Return False if it failed, or if it is no longer wanted
        when its turn comes."""
        self._waiting += 1
        if self._waiting == 1:
            self._stop_background()
        try:
            with self._turn:
                if self._closed or not still_wanted():
                    return False
                self.doing = needs.text, time.monotonic()
                return self._run(source, needs, NICE)
        finally:
            self.doing = None
            self._waiting -= 1

    def make_ready(self, source: str, needs: Sequence[Needs]) -> None:
        """Compile kernels in the background, with the lowest priority. For what is there, no process is started."""

        def work() -> None:
            left = list(needs)
            while left and not self._closed:
                if is_compiled(source, left[0]):
                    left.pop(0)
                    continue
                with self._turn:
                    self._stopped = False
                    if not self._waiting:
                        self._run(source, left[0], NICEST)
                        if not self._stopped:
                            left.pop(0)
                time.sleep(0.5)

        threading.Thread(target=work, name="compile the rest", daemon=True).start()

    def close(self) -> None:
        """End the child process."""
        self._closed = True
        if self._child is not None:
            self._child.terminate()

    def _stop_background(self) -> None:
        """End the child process in the background. Its results stay in the cache, and it starts again later."""
        child = self._child
        if child is not None:
            self._stopped = True
            child.terminate()

    def _run(self, source: str, needs: Needs, nice: int) -> bool:
        """Run a child process that compiles. Return whether it succeeded."""
        file = file_of(source, Problems()) or source  # the child starts in another folder
        words = [str(nice), str(file), needs.solver, needs.integrator, needs.order, str(int(needs.held))]
        try:
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL  # the pipe's end tells it that the window has ended
            self._child = subprocess.Popen(
                child_words("app.run.compiling", *words), stdin=pipe, stdout=nothing, stderr=nothing, cwd=PACKAGES,
                env=child_environment(),
            )  # fmt: skip
        except OSError:
            return False
        if self._closed:
            self._child.terminate()
        done = self._child.wait() == 0
        self._child = None
        return done


def compile_kernels(source: str, needs: Needs) -> None:
    """Compile the kernels of a scene, which depend on its joints, contacts and drives."""
    scene = read_scene(source)
    made_for(scene.definitions, needs._replace(held=False)).step(1)
    world = scene.make_world(solver=needs.solver, integrator=needs.integrator)
    if needs.order == "dynamic":
        use_at_first(world)
    if needs.held:
        made_for(scene.definitions, needs).step(1)
        if needs.order == "dynamic":
            use_the_rest(world, scene.definitions)


def use_at_first(world: World) -> None:
    """Call the functions of a world that the window calls first, so that they are compiled."""
    world.step(1)
    world.energy()
    world.gaps()
    world.restore(world.snapshot())


def use_the_rest(world: World, scene: Scene) -> None:
    """Call all other functions of a world that the window may call, so that nothing is left to be compiled."""
    for joint in world.joints.values():
        if isinstance(joint.definition, SpringJoint) and not isinstance(joint.definition, Spring):
            joint.hold()
    for name in movable(scene):
        body = world.bodies[name]
        body.position, body.velocity = body.position, (0.0, 0.0, 0.0)
        if body.has_orientation:
            body.quaternion = body.quaternion
    world.pin(movable(scene)[0], name="a pin for trial")  # what a pin brings with it is compiled when it is made
    with suppress(CannotContinueError):  # a body that is driven may not be able to stay
        world.step(1)
    world.unpin("a pin for trial")
    world.step(1)
    world.compile_redoing()
    world.accelerations()
    world.assemble()  # as scenes are put together with


def end_with_parent() -> None:
    """End this process when the window that started it ends."""
    if stat.S_ISFIFO(os.fstat(0).st_mode):
        os.read(0, 1)
        os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    compile_kernels(sys.argv[2], Needs(*sys.argv[3:6], held=sys.argv[6] == "1"))
