"""`python -m tests.benchmarks.contacts`: contacts by `newton` and by `anticipation`, cost against their number k and
the number of bodies n, and error beside time.

Figures: k balls apart from each other (no row of one matters to another); boxes of four corners; a beam of n links,
stiff at its joints, on k feet. Times are processor time of whole steps with `implicit` and `fused`, the least of many
batches: at rest, where both start from the last step's answer, and while the figure lands and slides, from one and the
same state. Errors are those of the velocities after one step of sliding, against the same law solved to 1e-13.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from physics.definitions.bodies import Body
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics import Plane, Sphere
from physics.world.world import World
from tests.benchmarks.report import duration, show, small, table
from tests.helpers.contact_figures import ball, box, floor_chain

RESULTS = Path(__file__).with_name("contacts.md")
METHODS = (("newton", "paths"), ("anticipation", "paths"), ("anticipation", "plain"))


# ---------------------------------------------------------------- figures
def balls(count: int) -> Scene:
    return Scene(bodies=[ball(f"b{i}", (0.5 * i, 0, 0.1), 0.1) for i in range(count)], shapes=[Plane()])


def boxes(count: int) -> Scene:
    return Scene(bodies=[box(f"b{i}", (0.5 * i, 0, 0.1), (0.1, 0.1, 0.1)) for i in range(count)], shapes=[Plane()])


def beam(links: int, feet: int) -> Scene:
    """Links of 0.1 m with stiff ball joints between them, and balls under some"""
    under = set(np.linspace(0, links - 1, feet).round().astype(int).tolist())
    bodies, joints = [], []
    for i in range(links):
        at = (0.1 * i, 0.0, 0.1)
        shapes = [Sphere(radius=0.05, position=(0, 0, -0.05))] if i in under else []
        bodies.append(Body(name=f"l{i}", mass=0.1, inertia=(1e-4, 2e-4, 2e-4), position=at, shapes=shapes))
        if i:
            joints.append(
                Ball(name=f"j{i}", a=f"l{i - 1}", b=f"l{i}", at=(0.1 * i - 0.05, 0, 0.1), stiffness=1e5, damping=10.0)
            )
    return Scene(bodies=bodies, joints=joints, shapes=[Plane()])


FIGURES: dict[str, Callable[[], Scene]] = {
    **{f"{k} balls": lambda k=k: balls(k) for k in (1, 4, 16)},
    **{f"{k} boxes": lambda k=k: boxes(k) for k in (1, 2, 4)},
    **{
        f"beam of {n}, {k} feet": lambda n=n, k=k: beam(n, k)
        for n, ks in ((10, (2, 4, 8)), (100, (2, 4, 8, 16)), (1000, (2, 8, 16)))
        for k in ks
    },
    "floor chain of 8": lambda: floor_chain(8),
}


# ---------------------------------------------------------------- clocks
def least(world: World, start: bytes, steps: int, budget: float) -> float:
    """Processor seconds a step from one state on: the least of the batches"""
    best, end = np.inf, time.perf_counter() + budget
    while time.perf_counter() < end:
        world.restore(start)
        world.step()
        begin = time.process_time()
        world.step(steps)
        best = min(best, (time.process_time() - begin) / steps)
    return best


def settings(world: World, method: str, columns: str, tolerance: float) -> None:
    world.columns = columns
    world.contact_method = method
    world.contact_tolerance = tolerance


def moving(scene: Scene) -> World:
    """All of it slides askew, and comes down a little"""
    world = World(scene, integrator="implicit")
    for view in world.bodies.values():
        view.velocity = (0.3, 0.2, -0.05)
    return world


def resting(scene: Scene) -> World:
    world = World(scene, integrator="implicit")
    world.step(240)
    return world


def cost(budget: float, names: list[str]) -> str:
    head = ["figure", "contacts", *(f"{m}{'' if m == 'newton' else ', ' + c}" for m, c in METHODS)]
    parts = []
    for what, make, steps in (("At rest", resting, 200), ("Landing and sliding", moving, 20)):
        rows = []
        for name in names:
            world = make(FIGURES[name]())
            kept = world.snapshot()
            row, pressing = [], 0
            for method, columns in METHODS:
                world.restore(kept)
                settings(world, method, columns, 1e-3)
                start = world.snapshot()
                world.step(2)
                pressing = max(pressing, world.contact_solution.pressing)
                row.append(duration(least(world, start, steps, budget)))
            rows.append([name, str(pressing), *row])
        parts.append(f"### {what}\n\n" + table(head, rows))
    return "\n\n".join(parts)


def twists(world: World) -> np.ndarray:
    return np.array([np.r_[b.velocity, b.angular_velocity] for b in world.bodies.values()])


def errors(budget: float, names: list[str]) -> str:
    """One step from a state of sliding: time, and error of the velocities [m/s]"""
    rows = []
    for name in names:
        world = moving(FIGURES[name]())
        world.step(6)
        kept = world.snapshot()
        for method, _ in METHODS[:2]:
            exact = None
            for tolerance in (1e-13, 1e-1, 1e-3, 1e-6, 1e-9):
                world.restore(kept)
                settings(world, method, "paths", tolerance)
                start = world.snapshot()
                world.step()
                got = twists(world)
                if exact is None:
                    exact = got
                    continue
                looks = world.contact_solution.iterations
                seconds = least(world, start, 5, budget)
                rows.append(
                    [name, method, f"{tolerance:g}", str(looks), small(abs(got - exact).max()), duration(seconds)]
                )
    return table(["figure", "method", "tolerance", "iterations", "error", "a step"], rows)


def laws() -> str:
    """What the regularisation does, and what the pyramid alone would: one step of sliding, the velocities [m/s]"""
    rows = []
    for name in ("1 balls", "1 boxes", "4 boxes", "floor chain of 8"):
        world = moving(FIGURES[name]())
        world.step(6)
        kept = world.snapshot()
        got = {}
        for key, method, tolerance in (
            ("exact", "anticipation", 1e-12), ("pyramid", "anticipation", 0.1), ("newton", "newton", 1e-12),
        ):  # fmt: skip
            world.restore(kept)
            settings(world, method, "paths", tolerance)
            world.step()
            got[key] = twists(world)
        rows.append([name, *(small(abs(got[k] - got["exact"]).max()) for k in ("pyramid", "newton"))])
    return table(["figure", "rows turned to a tenth only", "regularised law of newton"], rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.contacts")
    parser.add_argument("--budget", type=float, default=0.3, help="seconds of timing for each number")
    parser.add_argument("--write", action="store_true", help=f"also write {RESULTS.name}")
    options = parser.parse_args()
    text = "\n\n".join([
        "# Contacts by two methods\n\nWritten by `python -m tests.benchmarks.contacts --write`. Figures of different "
        "runs are not comparable, ratios within one are. Processor time.",
        "## Cost\n\n" + cost(options.budget, list(FIGURES)),
        "## Error beside time\n\n" + errors(options.budget, ["1 boxes", "4 boxes", "floor chain of 8"]),
        "## Differences of the laws\n\n" + laws(),
    ])  # fmt: skip
    return show(text, RESULTS if options.write else None)


if __name__ == "__main__":
    sys.exit(main())
