"""Marionette as the benchmarks run it: World as a user has it, guard on, whole steps inside `step(n)`."""

from typing import Any

import numpy as np

from physics.solvers.modes import MODES
from physics.world.world import World
from tests.benchmarks.figure import Figure, Motion

INTEGRATORS = ("explicit", "implicit", "trbdf2")
# Sizes beyond which a mode is not tried, in bodies. The cost of `dense` grows with n^3, of `cg` with n^2, of `jsim`
# with the square of the depth, and its matrix with n^2.
MOST = {"dense": 130, "cg": 1000, "jsim": 130}


def variants(figure: Figure, modes: Any = None) -> dict[str, dict[str, str]]:
    """Names in the tables -> arguments of World, for the modes and integrators that are worth trying on a figure."""
    sizes = {name: MOST.get(name, 1_000_000) for name in (modes or MODES)}
    # springs that are stiff against the timestep are not what `explicit` is for: the guard would redo its steps
    integrators = INTEGRATORS[1:] if figure.stiffness.any() else INTEGRATORS
    return {
        f"{mode} {integrator}": {"solver": mode, "integrator": integrator}
        for mode, most in sizes.items()
        for integrator in integrators
        if len(figure.names) <= most
    }


class Ours:
    def __init__(self, figure: Figure, timestep: float, solver: str, integrator: str):
        self.figure = figure
        self.world = World(figure.scene, solver=solver, integrator=integrator)
        self.world.timestep = timestep
        self.start = self.world.snapshot()

    def restart(self) -> None:
        self.world.restore(self.start)

    def step(self, count: int) -> None:
        self.world.step(count)

    def motion(self) -> Motion:
        bodies = [self.world.bodies[name] for name in self.figure.names]
        return Motion(
            np.array([b.position for b in bodies]),
            np.array([b.quaternion for b in bodies]),
            np.array([b.velocity for b in bodies]),
            np.array([b.angular_velocity for b in bodies]),
        )


def make_reference(figure: Figure, timestep: float, steps: int, refine: int) -> Motion:
    """Where the figure truly is after `steps`: many smaller steps, of fourth order where no spring is stiff."""
    fast = "rattle4" if not figure.stiffness.any() else "trbdf2"
    runner = Ours(figure, timestep / refine, "fused", fast)
    runner.step(steps * refine)
    return runner.motion()
