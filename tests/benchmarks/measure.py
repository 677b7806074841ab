"""Time and error. On a shared machine the least of many short batches is what the code takes; everybody's batches are
interleaved, so that a busy minute falls on all alike.

The growth exponent is the slope of log(time) over log(n), fitted by least squares.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from physics.definitions.checks import DefinitionError
from tests.benchmarks.figure import Figure, Motion, make_figure, measure_distance, measure_energy, measure_gap
from tests.benchmarks.ours import Ours, make_reference, variants
from tests.benchmarks.workloads import Workload, growth_workload

BATCH = 0.004  # s: short against the time slices of other programs, long against the clock and one call from Python
SLOWEST = 0.2  # s a step: what takes longer is not measured
NOT_FINITE, ASTRAY, TOO_SLOW = "not finite", "went astray", "too slow to measure"


class Runner(Protocol):
    def restart(self) -> None: ...

    def step(self, count: int) -> None: ...

    def motion(self) -> Motion: ...


@dataclass
class Result:
    """One engine, or one mode and integrator of ours, on one workload."""

    name: str
    ours: bool
    seconds: float = math.inf  # a step
    error: float = math.nan  # m, largest distance of a body from the reference
    gap: float = math.nan  # m (rad)
    energy: float = math.nan  # change over the largest kinetic energy; not where dampers take some
    redone: int = 0
    failure: str = ""


@dataclass
class Comparison:
    workload: str
    text: str
    timestep: float
    steps: int
    bodies: int
    dofs: int
    paper: str
    results: list[Result] = field(default_factory=list)

    def fastest(self, ours: bool, containing: str = "") -> Result | None:
        """The fastest, even where its motion is wrong: nobody shall win by another's failure."""
        able = [r for r in self.results if r.ours == ours and containing in r.name and math.isfinite(r.seconds)]
        return min(able, key=lambda r: r.seconds, default=None)

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def compare(workload: Workload, peers: list[Any], modes: Any = None, budget: float = 0.4) -> Comparison:
    """Everybody on one workload. `budget`: seconds of timing for each."""
    figure = make_figure(workload.make())
    out = Comparison(
        workload.name, workload.text, workload.timestep, workload.steps, len(figure.names), figure.dofs, workload.paper
    )
    makers: dict[str, Callable[[Figure], Runner]] = {}
    for name, options in variants(figure, modes).items():
        makers[name] = lambda f, o=options: Ours(f, workload.timestep, **o)
    mine = set(makers)
    for peer in peers:
        for name, options in peer.VARIANTS.items():
            if peer.accepts(figure, **options):
                makers[name] = lambda f, p=peer, o=options: p.Peer(f, workload.timestep, **o)
    reference = make_reference(figure, workload.timestep, workload.steps, workload.refine)
    timed: list[tuple[Result, Runner]] = []
    for name, make in makers.items():
        result = Result(name, name in mine)
        out.results.append(result)
        try:
            runner = make(figure)
        except DefinitionError as error:  # a mode refuses the figure, with a sentence
            result.failure = str(error)
            continue
        measure_error(result, runner, figure, workload, reference)
        if result.failure == NOT_FINITE:
            # its arithmetic takes as long from rest, where it may hold
            runner = make(make_figure(workload.make(), speed=0.0))
        if result.failure != TOO_SLOW:
            timed.append((result, runner))
    measure_times(timed, workload.window, budget)
    return out


def measure_error(result: Result, runner: Runner, figure: Figure, workload: Workload, reference: Motion) -> None:
    """Run the motion once, and look at how it ended."""
    runner.step(1)  # compiles
    if min(time_once(runner) for _ in range(3)) > SLOWEST:
        result.failure = TOO_SLOW
        return
    runner.restart()
    kinetic, start = measure_energy(figure, runner.motion())
    try:
        runner.step(workload.steps)
    except RuntimeError as error:  # ours, when even the guard cannot help
        result.failure = str(error)
        return
    now = runner.motion()
    if not now.finite():
        result.failure = NOT_FINITE
        return
    swing, end = measure_energy(figure, now)
    result.gap = measure_gap(figure, now)
    result.error = measure_distance(now, reference)
    if not figure.damped:
        result.energy = (end - start) / max(kinetic, swing)
    result.redone = runner.world.redone if isinstance(runner, Ours) else 0
    extent = float(np.ptp(figure.start.x, axis=0).max())
    if result.gap > 0.1 or result.error > 0.2 * extent:
        result.failure = ASTRAY


def time_once(runner: Runner) -> float:
    begin = time.perf_counter()
    runner.step(1)
    return time.perf_counter() - begin


def measure_times(runners: list[tuple[Result, Runner]], window: int, budget: float) -> None:
    """Interleaved batches of several parts where a window of the motion is shorter than a batch; each part starts with
    one step that is not timed, which brings its data back to the caches."""
    sizes, run = [], []
    for _, runner in runners:
        runner.restart()
        runner.step(2)
        once = time_once(runner)
        sizes.append(max(1, min(window // 2, round(BATCH / once))))
        run.append(3)
    rounds = max(12, round(budget / BATCH))
    spent = np.zeros(len(runners))
    for number in range(rounds):
        for k, (result, runner) in enumerate(runners):
            # the slow ones get a dozen batches, however long these take
            if spent[k] > budget and number >= 12:
                continue
            taken, steps = 0.0, 0
            while taken < 0.9 * BATCH:
                if run[k] + sizes[k] + 1 > window:
                    runner.restart()
                    run[k] = 0
                runner.step(1)
                begin = time.perf_counter()
                runner.step(sizes[k])
                taken += time.perf_counter() - begin
                steps += sizes[k]
                run[k] += sizes[k] + 1
            spent[k] += taken
            result.seconds = min(result.seconds, taken / steps)


# ---------------------------------------------------------------- growth with n
@dataclass
class Growth:
    name: str
    links: list[int]
    seconds: list[float]

    @property
    def exponent(self) -> float:
        return float(np.polyfit(np.log(self.links), np.log(self.seconds), 1)[0])

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"exponent": self.exponent}


def measure_growth(links: list[int], modes: tuple[str, ...] = ("fused",), budget: float = 0.4) -> list[Growth]:
    """Our modes on stiff chains of growing length."""
    found: dict[str, Growth] = {}
    for n in links:
        workload = growth_workload(n)
        figure = make_figure(workload.make())
        results: list[tuple[Result, Runner]] = [
            (Result(name, True), Ours(figure, workload.timestep, **options))
            for name, options in variants(figure, modes).items()
        ]
        measure_times(results, workload.window, budget)
        for result, _ in results:
            growth = found.setdefault(result.name, Growth(result.name, [], []))
            growth.links.append(n)
            growth.seconds.append(result.seconds)
    return list(found.values())
