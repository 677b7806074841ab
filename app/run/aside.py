"""The kernels of the figure that runs: which of them are there, and which are being compiled in another process."""

import threading
from collections.abc import Callable

from app.run.commands import ChangeGrab, Command, Set
from app.run.compiling import Needs, NeedsCompilingError, check_compiled
from app.run.simulation import Simulation
from physics.definitions.scene import Scene
from physics.world.world import World

# settings that may bring kernels with them and are not in `Needs`
SWITCHES = ("contact_method", "sleeping", "limited", "drives_on", "guard", "stiff")

# after kernels were found missing: returns when they are in the cache, or are no longer wanted
Compile = Callable[[Needs, Callable[[], bool]], None]


class Aside:
    """The kernels that are there and those that are being compiled, while the figure continues."""

    def __init__(self, compile_kernels: Compile | None):
        """Start with none. Without `compile_kernels`, kernels are compiled where they are called."""
        self._compile = compile_kernels
        self._ready: set[Needs] = set()
        self.coming: set[Needs] = set()  # what is being compiled
        self._scene: Scene | None = None  # the present one
        self._done: set[Needs] = set()  # what was compiled for it, or could not be
        self._states: dict[Needs, bytes] = {}  # a state in which the figure has the change that is missing

    def forget(self) -> None:
        """Forget what is there: another scene may come."""
        self._ready.clear()

    def take_up(self, scene: Scene) -> None:
        """Use this scene as the present one."""
        self._scene, self._done = scene, set()

    def check(self, scene: Scene, needs: Needs) -> None:
        """Raise a NeedsCompilingError if something would have to be compiled, or a DefinitionError if the figure
        refuses the needs."""
        if self._compile is not None and needs not in self._ready:
            check_compiled(scene, needs)
            self._ready.add(needs)

    def require(self, needs: Needs) -> None:
        """Check the kernels of the present scene as `check` does. Those that another process could not compile are
        compiled where they are called."""
        if needs in self.coming:
            raise NeedsCompilingError(needs)
        if needs not in self._done and self._scene is not None:
            self.check(self._scene, needs)

    def require_after(self, simulation: Simulation, command: Command) -> None:
        """Check what the figure needs after a command as `require` does."""
        needs = simulation.needs_after(command)
        self.require(needs)
        needs = needs._replace(change=change_of(command))
        if not needs.change or self._compile is None or needs in self._ready | self._done:
            return
        if needs in self.coming:
            raise NeedsCompilingError(needs)
        state = simulation.lacking_after(command)
        if state is not None:
            self._states[needs] = state
            raise NeedsCompilingError(needs)
        self._ready.add(needs)

    def compile(self, needs: Needs, wanted: Callable[[], bool], then: Callable[[], None]) -> None:
        """Compile for the present scene, unless that is being done."""
        if needs in self.coming:
            return
        self.coming.add(needs)
        scene = self._scene

        def done() -> None:
            if scene is self._scene and wanted():
                self._done.add(needs)
            self.coming.discard(needs)
            then()

        self.start(needs, wanted, done)

    def start(self, needs: Needs, wanted: Callable[[], bool], then: Callable[[], None]) -> None:
        """Compile in another process if it is still `wanted()` when its turn comes. Call `then` when that is over."""
        assert self._compile is not None
        compile_kernels, scene, state = self._compile, self._scene, self._states.pop(needs, None)

        def wait() -> None:
            if state is None or scene is None:
                compile_kernels(needs, wanted)
            else:
                world = World(scene)
                world.restore(state)
                world.compile_elsewhere(wanted)
            then()

        threading.Thread(target=wait, name=f"compile {needs.text}", daemon=True).start()


def change_of(command: Command) -> str:
    """Return the name of what a command brings with it besides `Needs`; empty if that needs no kernels."""
    if isinstance(command, ChangeGrab) and command.pinned:
        return "a pin"
    if isinstance(command, Set) and command.path.removeprefix("settings.") in SWITCHES:
        return f"{command.label}: {command.value}"
    return ""
