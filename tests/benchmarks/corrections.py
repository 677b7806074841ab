"""Ways to keep joints closed, side by side: how far they open, how much energy comes and goes, how far off the motion
is after a second. `World.correction`, and `hernandez`, which leaves the gap of each step to the next one.
"""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from physics.world import World
from scenes import generators

LINKS = 10
SECONDS = 1.0
TIMESTEPS = (1.0 / 60.0, 1.0 / 240.0)
# each an integrator, a correction, and of feedback ks and kd
Gains = tuple[float, float]
WAYS: tuple[tuple[str, str, Gains | None], ...] = (
    ("implicit", "shake", None), ("implicit", "feedback", (900.0, 60.0)), ("implicit", "feedback", (100.0, 20.0)),
    ("implicit", "feedback", (0.0, 0.0)), ("implicit", "coordinates", None), ("hernandez", "shake", None),
    ("rk4", "shake", None), ("rk4", "feedback", (900.0, 60.0)), ("rk4", "feedback", (0.0, 0.0)),
    ("rk4", "coordinates", None),
)  # fmt: skip


@dataclass
class Drift:
    integrator: str
    correction: str
    timestep: float  # s
    gap: float  # largest, m
    energy: float  # its change over the largest kinetic energy
    error: float  # of the last body's place, m
    redone: int

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def swinging(timestep: float, integrator: str) -> World:
    """A chain of ball joints that falls from the side."""
    world = World(generators.chain(LINKS, angle=1.0), integrator=integrator)
    world.timestep = timestep
    return world


def measure(integrator: str, correction: str, gains: Gains | None, timestep: float, goal: Any) -> Drift:
    world = swinging(timestep, integrator)
    world.correction = correction
    if gains is not None:
        world.feedback = gains
    start, gap, kinetic = world.energy().total, 0.0, 0.0
    for _ in range(round(SECONDS / timestep)):
        world.step()
        gap = max(gap, world.largest_gap)
        kinetic = max(kinetic, world.energy().kinetic)
    error = float(np.abs(list(world.bodies.values())[-1].position - goal).max())
    name = correction if gains is None else f"feedback, ks {gains[0]:g}, kd {gains[1]:g}"
    name = "of the next step" if integrator == "hernandez" else name
    change = (world.energy().total - start) / kinetic
    return Drift(integrator, name, timestep, gap, change, error, world.redone)


def make_corrections() -> list[Drift]:
    reference = swinging(TIMESTEPS[-1] / 8.0, "rattle4")
    reference.step(round(SECONDS / reference.timestep))
    goal = list(reference.bodies.values())[-1].position
    return [measure(*way, timestep, goal) for timestep in TIMESTEPS for way in WAYS]
