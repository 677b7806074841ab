"""Scenes of the library that papers have figures of, ours alone: what a step costs, and how far joints come open.

`python -m tests.benchmarks.library [--write]`; the peers take neither planar bodies nor these loops.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from physics.definitions.scene import Scene
from physics import Plane, Sphere
from physics.world.world import World
from tests.helpers import generators
from scenes.loading.loader import read_scene

RESULTS = Path(__file__).with_name("library.md")
STEPS, BATCHES = 60, 12


def hanging_tree() -> Scene:
    """The tree of 127 joints in space, hung up by its trunk (gravity draws along its growth), with three leaves on a
    floor: the size of the three-dimensional figure of [Baraff96] with contacts."""
    scene = generators.tree()
    tip = 0.05  # of a leaf, from its centre
    leaves = [f"b{i}" for i in (64, 85, 106)]
    ball = Sphere(radius=0.01, group="leaves")
    bodies = [replace(b, shapes=[ball]) if b.name in leaves else b for b in scene.bodies]
    lowest = min(b.position[2] for b in bodies if b.name in leaves)
    floor = Plane.facing((0.0, 0.0, -1.0), (0.0, 0.0, lowest + 0.5 * tip))
    joints = [replace(j, damping=1e-2) for j in scene.joints]
    apart = [("leaves", "leaves")]  # the floor alone is to be touched
    return replace(scene, bodies=bodies, joints=joints, shapes=[floor], never=apart, gravity=(0.0, 0.0, 9.81))


@dataclass(frozen=True)
class Row:
    name: str
    settings: tuple[str, ...] = ()
    paper: str = "-"  # the seeds' own figure, on the machines of their days
    make: Callable[[], Scene] | None = None  # a figure that is no scene of the library
    settled: int = STEPS  # steps before it is measured


ROWS = [
    Row("spheres127", paper="44.6 ms [Baraff96]"),
    Row("tree of 127, 3 contacts", make=hanging_tree, settled=2400),
    Row("planar54", paper="not read"),
    Row("planar54_loops", paper="not read"),
    Row("hand", paper="0.36 ms [Hernandez11]"),
    Row("chain", ("links=1000", "settings.timestep=1/1000"), "22 ms [Hernandez11]"),
    Row("chain", ("links=10000", "settings.timestep=1e-4"), "285 ms [Hernandez11]"),
]


def measure(row: Row, integrator: str) -> tuple[World, float, float]:
    """The world after the run, the shortest time of a step [s], the largest gap [m]."""
    if row.make is None:
        world = read_scene(row.name, row.settings).make_world(integrator=integrator)
    else:
        world = World(row.make(), integrator=integrator)
    world.step(row.settled)
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
        "| scene | bodies | joints | contacts | timestep | implicit | trbdf2 | largest gap | the paper's own |",
        "|---|---|---|---|---|---|---|---|---|",
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
            sum(c.force is not None and float(np.linalg.norm(c.force)) > 0.0 for c in world.contacts()),
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
