"""One factor and one solve with wrenches, without kinematics, integration and guard: what the modes are of a step.

Many copies of small figures in one world, so that the call from Python (some ten microseconds) does not count.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from physics.data.step_tables import Request
from physics.definitions.checks import WORLD
from physics.definitions.scene import Scene
from physics.driver import preparations
from physics.world.world import World
from tests.helpers import generators
from tests.helpers.arrays import work_of

ROUNDS = 60


@dataclass
class Bare:
    figure: str
    mode: str
    seconds: float  # a copy of the figure
    bodies: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def copies(make: Callable[[], Scene], count: int) -> Scene:
    """The figure so many times beside itself"""
    bodies, joints = [], []
    for k in range(count):
        scene = make()

        def named(name: str, k: int = k) -> str:
            return name if name == WORLD else f"{k} {name}"

        bodies += [replace(b, name=named(b.name)) for b in scene.bodies]
        joints += [replace(j, name=named(j.name), a=named(j.a), b=named(j.b)) for j in scene.joints]
    return Scene(bodies=bodies, joints=joints)


# how many copies; `jsim` is left out where a path has a thousand joints
FIGURES: dict[str, tuple[Callable[[], Scene], int, tuple[str, ...]]] = {
    "chain 1000": (lambda: generators.chain(1000, angle=1.0), 1, ("fused", "lagrange", "aba")),
    "chain 1000, springs": (
        lambda: generators.chain(1000, angle=1.0, stiffness=10.0, damping=0.1), 1, ("fused", "lagrange", "aba"),
    ),
    "tree 128": (lambda: generators.tree(7), 8, ("fused", "lagrange", "aba", "jsim")),
    "humanoid30": (generators.humanoid30, 100, ("fused", "lagrange", "aba", "jsim")),
    "chain30": (generators.chain30, 100, ("fused", "lagrange", "aba", "jsim")),
}  # fmt: skip


def time_once(world: World, mode: str) -> float:
    world.use_solver(mode)
    world.engine.prepare(preparations.Preparation.ACCELERATIONS)
    block, force = work_of(world).block.copy(), work_of(world).force.copy()
    least = math.inf
    for _ in range(ROUNDS):
        # modes eliminate in place
        work_of(world).block[:] = block
        work_of(world).force[:] = force
        begin = time.perf_counter()
        world.engine.answer(request=Request.ALL)
        least = min(least, time.perf_counter() - begin)
    return least


def make_bare() -> list[Bare]:
    found = []
    for name, (make, count, modes) in FIGURES.items():
        world = World(copies(make, count))
        found += [Bare(name, mode, time_once(world, mode) / count, len(world.bodies) // count) for mode in modes]
    return found
