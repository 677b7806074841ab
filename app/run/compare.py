"""Comparison of all pairs of a solver mode and an integrator, each for one second from the same state. It also measures
the cost of the modes on chains of more and more bodies. It runs on a thread of its own.

All modes solve the same equations, and differ only in cost. Integrators differ in what they conserve. The results
are the time of a step, the largest gap, the change of the energy ledger (zero for an undamped figure with an exact
integrator), and the number of steps that the guard redid.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from app.run.compiling import Needs, NeedsCompilingError, check_compiled
from physics import INTEGRATORS, MODES
from physics.definitions.checks import DefinitionError
from physics.definitions.scene import Scene
from physics.world.world import CannotContinueError, World
from scenes.loading.loader import read_scene

SECONDS = 1.0  # simulated, of each
SIZES = (4, 8, 16, 32, 64, 128)  # bodies of the chains
DEAR = 0.02  # s a step: a mode that takes longer is not asked about longer chains
SAMPLES = 3  # of a chain: the least of so many
SAMPLE = 0.002  # s that each of them lasts at least, so that what a call from Python costs does not count
LOOKS = 24  # measurements of the gap in that time


@dataclass(frozen=True)
class Result:
    """The measurements of one mode with one integrator. `refused` says why there are none."""

    mode: str
    integrator: str
    step_seconds: float = 0.0
    gap: float = 0.0  # m, the widest
    energy: float = 0.0  # J, change of the ledger
    redone: int = 0  # steps
    iterations: int = 0  # of cg, in its last solve
    refused: str = ""


class Comparison:
    """The results of a comparison. They are added one by one, while the window reads them."""

    def __init__(self, compile_kernels: Callable[[Needs, Callable[[], bool]], None] | None = None):
        """Start without results."""
        self._compile = compile_kernels  # waits until they are in the cache
        self.results: list[Result] = []
        self.costs: dict[str, list[tuple[int, float]]] = {}  # mode -> bodies of a chain, seconds a step
        self.total = 0
        self.running = False
        self._stopped = False

    def start(self, scene: Scene, state: bytes) -> None:
        """Start the comparison from a state of a scene."""
        self.running = True
        threading.Thread(target=self._run, args=(scene, state), name="compare", daemon=True).start()

    def stop(self) -> None:
        """Stop the comparison after the present measurement."""
        self._stopped = True

    def _run(self, scene: Scene, state: bytes) -> None:
        """Measure all pairs of mode and integrator, then the chains, and add the results."""
        try:
            world = World(scene)
            world.restore(state)
            pairs = pairs_from(world.solver, world.integrator)
            self.total = len(pairs)
            for mode, integrator in pairs:
                if self._stopped:
                    break
                world.restore(state)
                self._make_ready(scene, Needs(mode, integrator))
                self.results.append(measure(world, mode, integrator))
            for mode in MODES:
                if not self._stopped:
                    self.costs[mode] = cost_of_chains(mode, lambda: self._stopped)
        finally:
            self.running = False

    def _make_ready(self, scene: Scene, needs: Needs) -> None:
        """Compile the kernels of a pair in another process."""
        try:
            check_compiled(scene, needs)
        except NeedsCompilingError:
            if self._compile is not None:
                self._compile(needs, lambda: not self._stopped)
        except DefinitionError:
            pass  # measuring says why


def pairs_from(solver: str, integrator: str) -> list[tuple[str, str]]:
    """Return the pairs of mode and integrator: first the modes with the present integrator, then the integrators with
    the present mode, then all others."""
    first = [(mode, integrator) for mode in MODES] + [(solver, name) for name in INTEGRATORS if name != integrator]
    return first + [(mode, name) for mode in MODES for name in INTEGRATORS if (mode, name) not in first]


def cost_of_chains(mode: str, stopped: Callable[[], bool] = lambda: False) -> list[tuple[int, float]]:
    """Return (number of bodies n, time of a step [s]) of hanging chains in a mode. The time grows as n in `fused`,
    `lagrange` and `aba`, and faster in the other modes."""
    found: list[tuple[int, float]] = []
    for bodies in SIZES:
        if stopped() or (found and found[-1][1] > DEAR):
            break
        world = read_scene("chain", parameters={"links": bodies}).make_world(solver=mode)
        world.compile_elsewhere(lambda: not stopped())
        world.step(2)  # the first ones fill caches
        steps = 1
        while (spent := _seconds(world, steps)) < SAMPLE:
            steps *= 2
        least = min(spent, *(_seconds(world, steps) for _ in range(SAMPLES - 1)))
        found.append((bodies, least / steps))
    return found


def _seconds(world: World, steps: int) -> float:
    """Return the time that some steps take [s]."""
    begin = time.perf_counter()
    world.step(steps)
    return time.perf_counter() - begin


def measure(world: World, mode: str, integrator: str, seconds: float = SECONDS) -> Result:
    """Return the measurements of a run from the world's present state, which it changes."""
    try:
        world.use_solver(mode)
        world.use_integrator(integrator)
        steps = max(1, round(seconds / world.timestep))
        each = max(1, steps // LOOKS)
        ledger, redone, gap, spent = world.energy().ledger, world.redone, 0.0, 0.0
        world.step(1)  # the first one fills caches
        for _ in range(steps // each):
            begin = time.perf_counter()
            world.step(each)
            spent += time.perf_counter() - begin
            gap = max(gap, world.largest_gap)
    except DefinitionError as error:
        return Result(mode, integrator, refused=str(error).partition("allowed: ")[2] or str(error))
    except CannotContinueError as error:
        return Result(mode, integrator, refused=str(error))
    taken = each * (steps // each)
    iterations = world.iterations if mode == "cg" else 0
    change = world.energy().ledger - ledger
    return Result(mode, integrator, spent / taken, gap, change, world.redone - redone, iterations)
