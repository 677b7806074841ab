"""`python -m tests.benchmarks.loops`: closed loops (W6) beside Pinocchio's `lcaba`, the cost of rows, and the six
steps of [Baraff96, section 8.2] one by one.

W6: a chain of 100 hinges pinned at both ends, hanging in an arc (of ball joints, `lcaba` is no longer finite after
some steps), and ten four-bar linkages. `lcaba` is called from Python step by step, with semi-implicit Euler around it;
it keeps loops in acceleration alone, and their gap is read after the motion. Ours are whole steps with the guard on.
Times are the least of many batches, one thread.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402 - after the environment is set

from physics.definitions.bodies import Body  # noqa: E402
from physics.definitions.joints import Ball, Hinge  # noqa: E402
from physics.definitions.scene import Scene  # noqa: E402
from physics.world.world import COLUMNS, World  # noqa: E402
from tests.benchmarks.report import duration, show, small, table  # noqa: E402

RESULTS = Path(__file__).with_name("loops.md")
DT = 1.0 / 240.0
STEPS = 240  # of motion, after which gaps are read


# ---------------------------------------------------------------- figures
def rod(name: str, start: np.ndarray, end: np.ndarray, mass: float) -> Body:
    """A thin rod, its x axis from start to end, in the x-z plane"""
    d = end - start
    length = float(np.linalg.norm(d))
    angle = np.arctan2(-d[2], d[0])
    turn = (np.cos(angle / 2), 0.0, np.sin(angle / 2), 0.0)
    inertia = (0.01 * mass * length**2, mass * length**2 / 12, mass * length**2 / 12)
    return Body(name=name, mass=mass, inertia=inertia, position=(start + end) / 2, orientation=turn)


def pinned_chain(links: int, pins: int = 1, hinges: bool = False, arc: float = 1.2) -> Scene:
    """Rods of 0.1 m on ball joints, or hinges, in an arc; the ties to the world, spread along it, close loops."""
    angles = np.linspace(-arc, arc, links)
    points = np.vstack([np.zeros(3), np.cumsum([[0.1 * np.cos(a), 0, 0.1 * np.sin(a)] for a in angles], axis=0)])
    bodies = [rod(f"l{k}", points[k], points[k + 1], 0.1) for k in range(links)]
    joints: list[Any] = [
        (Hinge if hinges else Ball)(
            name=f"j{k}",
            a="world" if k == 0 else f"l{k - 1}",
            b=f"l{k}",
            at=points[k],
            **({"axis": (0, 1, 0)} if hinges else {}),
        )
        for k in range(links)
    ]
    for p in range(pins):
        k = links - 1 - p * links // pins
        joints.append(Ball(name=f"pin{p}", a="world", b=f"l{k}", at=points[k + 1], auxiliary=True))
    return Scene(bodies=bodies, joints=joints, timestep=DT)


def four_bars(count: int = 10) -> Scene:
    bodies, joints = [], []
    for k in range(count):
        shift = np.array([2.0 * k, 0.0, 0.0])
        o, a, b, d = (np.array(p) + shift for p in ((0, 0, 0), (0.2, 0, 0.3), (0.9, 0, 0.5), (1.0, 0, 0)))
        bars = {"crank": (o, a), "coupler": (a, b), "rocker": (d, b)}
        bodies += [rod(f"{bar}{k}", *ends, 1.0) for bar, ends in bars.items()]
        ties = {"O": ("world", "crank", o), "A": ("crank", "coupler", a), "B": ("coupler", "rocker", b),
                "D": ("world", "rocker", d)}  # fmt: skip
        joints += [
            Hinge(name=f"{n}{k}", a="world" if i == "world" else f"{i}{k}", b=f"{j}{k}", at=at, axis=(0, 1, 0))
            for n, (i, j, at) in ties.items()
        ]
    return Scene(bodies=bodies, joints=joints, timestep=DT)


# ---------------------------------------------------------------- clocks
def least(run: Callable[[int], None], budget: float, batch: int = 20) -> float:
    """Seconds a step: the least over batches within the budget"""
    run(1)
    best, end = np.inf, time.perf_counter() + budget
    while time.perf_counter() < end:
        begin = time.perf_counter()
        run(batch)
        best = min(best, (time.perf_counter() - begin) / batch)
    return best


def time_ours(scene: Scene, integrator: str, budget: float, columns: str = "halves") -> tuple[float, float, int]:
    """(seconds a step, largest gap after STEPS, steps redone)"""
    world = World(scene, integrator=integrator)
    world.columns = columns
    start = world.snapshot()
    world.step(STEPS)
    gap, redone = world.largest_gap, world.redone
    world.restore(start)
    seconds = least(world.step, budget)
    return seconds, gap, redone


# ---------------------------------------------------------------- Pinocchio
def time_lcaba(scene: Scene, budget: float) -> tuple[float, float]:
    from tests.benchmarks.peers.pinocchio_loops import Lcaba

    peer = Lcaba(scene, DT)
    peer.step(STEPS)
    gap = peer.gap()
    peer = Lcaba(scene, DT)
    return least(peer.step, budget), gap


# ---------------------------------------------------------------- tables
def compare(budget: float) -> str:
    head = ["workload", "engine", "a step", "largest gap after 1 s", "redone"]
    rows = []
    for what, scene in (
        ("chain of 100 pinned at both ends", pinned_chain(100, hinges=True)),
        ("ten four-bars", four_bars()),
    ):
        for integrator in ("implicit", "trbdf2"):
            seconds, gap, redone = time_ours(scene, integrator, budget)
            rows.append([what, f"fused {integrator}", duration(seconds), small(gap), str(redone)])
        try:
            seconds, gap = time_lcaba(scene, budget)
            rows.append([what, "Pinocchio lcaba", duration(seconds), small(gap), ""])
        except ImportError:
            rows.append([what, "Pinocchio lcaba", "not installed", "", ""])
    return table(head, rows)


def growth(budget: float, sizes: tuple[int, ...] = (100, 1000), pins: tuple[int, ...] = (1, 2, 4, 8)) -> str:
    """`implicit`: what k rows cost on chains of n links, with the ways to find columns"""
    head = ["links", "rows", *COLUMNS, "without links"]
    rows = []
    for n in sizes:
        bare = time_ours(pinned_chain(n, 0), "implicit", budget)[0]
        for k in pins:
            scene = pinned_chain(n, k)
            found = [time_ours(scene, "implicit", budget, columns)[0] for columns in COLUMNS]
            rows.append([str(n), str(3 * k), *map(duration, found), duration(bare)])
    return table(head, rows)


def six_steps(scenes: dict[str, Scene], batches: int = 40) -> str:
    """Seconds a step, each the least over batches of ten steps"""
    rows = []
    head: list[str] = []
    for what, scene in scenes.items():
        for columns in COLUMNS:
            world = World(scene, integrator="implicit")
            world.columns = columns
            world.step(1)
            times: dict[str, float] = {}
            for _ in range(batches):
                world.timed = True
                world.step(10)
                times = {k: min(t, times.get(k, t)) for k, t in world.anticipation_times().items()}
            head = ["figure", "columns", *times]
            rows.append([what, columns, *map(duration, times.values())])
    return table(head, rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.loops")
    parser.add_argument("--budget", type=float, default=0.5, help="seconds of timing for each row")
    parser.add_argument("--write", action="store_true", help=f"also write {RESULTS.name}")
    options = parser.parse_args()
    scenes = {"chain of 100, both ends": pinned_chain(100), "ten four-bars": four_bars()}
    text = "\n\n".join([
        "# Closed loops\n\nWritten by `python -m tests.benchmarks.loops --write`. Figures of different runs are not "
        "comparable, ratios within one are.",
        "## W6 beside Pinocchio\n\n" + compare(options.budget),
        "## Cost against rows and links\n\n" + growth(options.budget),
        "## The six steps of [Baraff96, section 8.2]\n\n" + six_steps(scenes),
    ])  # fmt: skip
    return show(text, RESULTS if options.write else None)


if __name__ == "__main__":
    sys.exit(main())
