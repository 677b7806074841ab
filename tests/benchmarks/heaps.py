"""`python -m tests.benchmarks.heaps`: heaps of ragdolls (W4) beside MuJoCo, and chains that land and lie on a floor.

Everything in one process and one run, in processor time of one thread: ours with `fused` and `implicit`, MuJoCo with
`implicitfast` and its own solver, all at 1/240 s. "falling" is the mean of a step over two seconds from the
start, the least of a few runs; "lying" the least of many batches after eight seconds, taken in turns. Errors
stand beside: the deepest penetration, and of ours the largest impulse that is off its law, as a share of the largest.
"trouble" counts substeps that ours froze, and of MuJoCo its warnings: states no longer finite, after which it starts
anew (what "lying" would time is then no rest), and contacts for which it had no room. Many heaps end so for it: of
those laid at random the first is taken that it comes through, and the ones before are counted.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402 - after the environment is set

from physics.definitions.scene import Scene  # noqa: E402
from physics.world.world import World  # noqa: E402
from tests.benchmarks.report import duration, show, small, table  # noqa: E402
from tests.helpers.contact_figures import floor_chain  # noqa: E402
from tests.helpers.ragdoll import heap  # noqa: E402

RESULTS = Path(__file__).with_name("heaps.md")
DT = 1.0 / 240.0
FIRST, FALL = 24, 480  # steps before the first touch at the latest; steps of falling that are timed
SETTLED = 8 * 240
MOST_HEAPS = 20


class Ours:
    def __init__(self, scene: Scene):
        self.world = World(scene, integrator="implicit")
        self.world.step(1)
        self.start = self.world.snapshot()

    def restart(self) -> None:
        self.world.restore(self.start)

    def step(self, count: int) -> None:
        self.world.step(count)

    @property
    def contacts(self) -> int:
        return self.world.contact_solution.near

    def penetration(self) -> float:
        return max(0.0, max((c.depth for c in self.world.contacts()), default=0.0))

    def kinetic(self) -> float:
        return self.world.energy().kinetic / sum(b.mass for b in self.world.bodies.values())

    @property
    def warnings(self) -> int:
        return self.world.frozen

    def error(self) -> str:
        largest = max((float(abs(c.force).max()) for c in self.world.contacts()), default=0.0) * DT
        return small(self.world.contact_solution.residual / largest) if largest else ""


def fall_time(engine: Any, repeats: int) -> tuple[float, float]:
    """(seconds a step, deepest penetration on the way)"""
    best, deepest = np.inf, 0.0
    for _ in range(repeats):
        engine.restart()
        engine.step(FIRST)
        total = 0.0
        for _ in range(FALL // 10):
            begin = time.thread_time()
            engine.step(10)
            total += time.thread_time() - begin
            deepest = max(deepest, engine.penetration())
        best = min(best, total / FALL)
    return best, deepest


def in_turns(runs: list[Callable[[int], None]], budget: float) -> list[float]:
    """Seconds a step of each: the least over batches taken in turns, of some 4 ms as those of results.md"""

    def seconds(run: Callable[[int], None], steps: int) -> float:
        begin = time.thread_time()
        run(steps)
        return (time.thread_time() - begin) / steps

    best = [seconds(run, 2) for run in runs]
    end = time.perf_counter() + budget * len(runs)
    while time.perf_counter() < end:
        for k, run in enumerate(runs):
            best[k] = min(best[k], seconds(run, max(2, round(4e-3 / best[k]))))
    return best


def peers_of(count: int, humanoid: Path | None, seed: int) -> dict[str, Any]:
    try:
        from tests.benchmarks.peers import mujoco_heap as peer
    except ImportError:
        return {}
    engines = {"MuJoCo, same model": peer.Heap(peer.capsule_heap(count, DT, seed))}
    if humanoid:
        engines["MuJoCo, its own humanoid"] = peer.Heap(peer.humanoid_heap(count, DT, humanoid, seed))
    return engines


def comes_through(engine: Any) -> bool:
    for _ in range(SETTLED // 60):
        engine.step(60)
        if engine.warnings:
            return False
    return True


def engines_of(count: int, humanoid: Path | None) -> tuple[dict[str, Any], int]:
    """The engines on the first heap that all of them come through, and which one of those laid at random that is"""
    for seed in range(1, MOST_HEAPS + 1):
        if all(comes_through(engine) for engine in peers_of(count, humanoid, seed).values()):
            break
    else:
        seed = 1
    return {"ours": Ours(heap(count, seed=seed)), **peers_of(count, humanoid, seed)}, seed


def ragdolls(counts: list[int], budget: float, humanoid: Path | None) -> str:
    head = [
        "ragdolls",
        "heap",
        "engine",
        "contacts",
        "falling",
        "deepest",
        "lying",
        "times ours",
        "deepest lying",
        "off the law",
        "trouble",
    ]
    rows = []
    for count in counts:
        engines, seed = engines_of(count, humanoid)
        falls = {name: fall_time(engine, 3 if count < 50 else 1) for name, engine in engines.items()}
        for engine in engines.values():
            engine.step(SETTLED - FIRST - FALL)
        lying = in_turns([engine.step for engine in engines.values()], budget)
        for (name, engine), seconds in zip(engines.items(), lying, strict=True):
            fall, deepest = falls[name]
            off = engine.error() if name == "ours" else ""
            rows.append([
                str(count), str(seed), name, str(engine.contacts), duration(fall), f"{1e3 * deepest:.2g} mm",
                "-" if engine.warnings else duration(seconds), "-" if engine.warnings else f"{seconds / lying[0]:.2f}",
                f"{1e3 * engine.penetration():.2g} mm", off, str(engine.warnings),
            ])  # fmt: skip
            print(rows[-1], f"kinetic {engine.kinetic():.1e} J/kg, trouble {engine.warnings}", flush=True)
    return table(head, rows)


def raised(scene: Scene, height: float) -> Scene:
    bodies = [replace(b, position=(b.position[0], b.position[1], b.position[2] + height)) for b in scene.bodies]
    joints = [replace(j, at=np.array(j.points[0]) + np.array([0.0, 0.0, height])) for j in scene.joints]
    return replace(scene, bodies=bodies, joints=joints)


def chains(sizes: list[int], budget: float) -> str:
    """A zigzag of capsules from 2 cm above the floor: half a second with the landing, then at rest"""
    head = ["links", "contacts", "a link, landing", "a link, lying", "landing / lying", "exponent", "deepest lying"]
    rows: list[list[str]] = []
    known: list[tuple[int, float]] = []
    for n in sizes:
        engine = Ours(raised(floor_chain(n), 0.02))
        landing = np.inf
        for _ in range(3 if n < 10000 else 1):
            engine.restart()
            begin = time.thread_time()
            engine.step(120)
            landing = min(landing, (time.thread_time() - begin) / 120)
        engine.step(480)
        lying = in_turns([engine.step], budget)[0]
        known.append((n, lying))
        grows = exponent(known[-2], known[-1]) if len(known) > 1 else ""
        rows.append([
            str(n), str(engine.contacts), duration(landing / n), duration(lying / n), f"{landing / lying:.2f}", grows,
            f"{1e3 * engine.penetration():.2g} mm",
        ])  # fmt: skip
        print(rows[-1], flush=True)
    whole = (
        f"\n\nFrom the shortest to the longest, lying: exponent {exponent(known[0], known[-1])}."
        if len(known) > 1
        else ""
    )
    return table(head, rows) + whole


def exponent(one: tuple[int, float], other: tuple[int, float]) -> str:
    """Of the length in the time of a step"""
    return f"{np.log(other[1] / one[1]) / np.log(other[0] / one[0]):.3f}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.heaps")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds of timing for each engine")
    parser.add_argument("--counts", type=int, nargs="*", default=[1, 10, 50], help="ragdolls")
    parser.add_argument("--sizes", type=int, nargs="*", default=[100, 1000, 10000], help="links of chains")
    parser.add_argument("--humanoid", type=Path, help="MuJoCo's model/humanoid/humanoid.xml")
    parser.add_argument("--write", action="store_true", help=f"also write {RESULTS.name}")
    options = parser.parse_args()
    load = f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    text = "\n\n".join([
        "# Heaps\n\nWritten by `python -m tests.benchmarks.heaps --write`; " + load + " when it began. Figures of "
        "different runs are not comparable, ratios within one are.",
        "## W4: ragdolls beside MuJoCo\n\n" + ragdolls(options.counts, options.budget, options.humanoid),
        '"trouble": substeps that ours froze; warnings of MuJoCo, whose state is no longer finite where limbs sink '
        "in past their middle and are thrown out on the other side. It then starts anew, and nothing is at rest to be "
        f'timed. "heap": which of those laid at random it was; MuJoCo did not come through the ones before (of '
        f"{MOST_HEAPS} at most).",
        "## Chains on a floor\n\n" + chains(options.sizes, options.budget),
    ])  # fmt: skip
    return show(text, RESULTS if options.write else None)


if __name__ == "__main__":
    sys.exit(main())
