"""Scenes of the library that papers have figures of, ours alone: what a step costs, and how far joints come open.

`python -m tests.benchmarks.library [--write]`; the peers take neither planar bodies nor these loops.
"""

import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from physics.world import World
from scenes.loader import read_scene

RESULTS = Path(__file__).with_name("library.md")
STEPS, BATCHES = 60, 12


@dataclass(frozen=True)
class Row:
    name: str
    settings: tuple[str, ...] = ()
    paper: str = "-"  # the seeds' own figure, on the machines of their days


ROWS = [
    Row("spheres127", paper="44.6 ms [Baraff96]"),
    Row("planar54", paper="not read"),
    Row("planar54_loops", paper="not read"),
    Row("hand", paper="0.36 ms [Hernandez11]"),
    Row("chain", ("links=1000", "settings.timestep=1/1000"), "22 ms [Hernandez11]"),
    Row("chain", ("links=10000", "settings.timestep=1e-4"), "285 ms [Hernandez11]"),
]


def measure(row: Row, integrator: str) -> tuple[World, float, float]:
    """The world after the run, the shortest time of a step [s], the largest gap [m]."""
    world = read_scene(row.name, row.settings).make_world(integrator=integrator)
    world.step(STEPS)
    best, gap = float("inf"), 0.0
    for _ in range(BATCHES):
        begin = time.perf_counter()
        world.step(STEPS)
        best = min(best, (time.perf_counter() - begin) / STEPS)
        gap = max(gap, world.largest_gap)
    return world, best, gap


def duration(seconds: float) -> str:
    return f"{1e6 * seconds:.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def main() -> None:
    lines = [
        "# Scenes of the library",
        "",
        f"The `fused` mode, the shortest of {BATCHES} runs of {STEPS} steps each; the largest gap of all of them. "
        f"Load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors. [Baraff96] has figures "
        "of its planar figure too; its text could not be had.",
        "",
        "| scene | bodies | joints | timestep | implicit | trbdf2 | largest gap | the paper's own |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in ROWS:
        found = {integrator: measure(row, integrator) for integrator in ("implicit", "trbdf2")}
        world, gap = found["trbdf2"][0], max(g for _, _, g in found.values())
        times = [duration(found[k][1]) for k in ("implicit", "trbdf2")]
        name = " ".join([row.name, *row.settings[:1]])
        cells = [
            name,
            len(world.bodies),
            len(world.joints),
            f"{world.timestep:.3g} s",
            *times,
            f"{gap:.0e} m",
            row.paper,
        ]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
        print(lines[-1], flush=True)
    if "--write" in sys.argv:
        RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
