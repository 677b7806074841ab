"""Ways to keep joints closed, side by side: how far they open, how much energy comes and goes, how far off the motion
is after a second. `World.correction`, and `hernandez`, which leaves the gap of each step to the next one.

`python -m tests.benchmarks.corrections` draws gaps against time and errors against the step, `corrections.svg` beside.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from physics.world.world import World
from tests.helpers import generators
from tests.benchmarks.plot import Curve, Panel, draw

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


# ---------------------------------------------------------------- as a picture
PICTURE = Path(__file__).with_name("corrections.svg")
STEPS = tuple(1.0 / (60.0 * 2**k) for k in range(6))
WITKIN: Gains = (900.0, 60.0)
COLOURS = {"shake": "#1b6ca8", "feedback": "#c8491f", "no feedback": "#999999", "coordinates": "#2e8b3d"}
PICTURED: dict[str, tuple[str, Gains | None]] = {
    "shake": ("shake", None), "feedback": ("feedback", WITKIN), "no feedback": ("feedback", (0.0, 0.0)),
    "coordinates": ("coordinates", None),
}  # fmt: skip


def corrected(timestep: float, integrator: str, way: str) -> World:
    world = swinging(timestep, integrator)
    world.correction, gains = PICTURED[way]
    if gains is not None:
        world.feedback = gains
    return world


def gap_curve(integrator: str, way: str, timestep: float) -> Curve:
    world = corrected(timestep, integrator, way)
    times, gaps = [], []
    for _ in range(round(SECONDS / timestep)):
        world.step()
        times.append(world.time)
        gaps.append(world.largest_gap)
    return Curve(f"{integrator}, {way}", times, gaps, COLOURS[way], integrator == "rk4")


def error_curve(integrator: str, way: str, goal: Any) -> Curve:
    errors = []
    for timestep in STEPS:
        world = corrected(timestep, integrator, way)
        world.step(round(SECONDS / timestep))
        errors.append(float(np.abs(list(world.bodies.values())[-1].position - goal).max()))
    return Curve(f"{integrator}, {way}", [1e3 * t for t in STEPS], errors, COLOURS[way], integrator == "rk4")


def picture() -> str:
    reference = swinging(STEPS[-1] / 2.0, "rattle4")
    reference.step(round(SECONDS / reference.timestep))
    goal = list(reference.bodies.values())[-1].position
    kinds = [(integrator, way) for integrator in ("implicit", "rk4") for way in PICTURED]
    gaps = [gap_curve(*kind, TIMESTEPS[-1]) for kind in kinds]
    errors = [error_curve(*kind, goal) for kind in kinds]
    return draw([
        Panel("largest gap, step 1/240 s", "time, s", "gap, m", gaps, 1e-16),
        Panel("error of the last body after 1 s", "step, ms", "error, m", errors, 1e-12, log_x=True),
    ])  # fmt: skip


if __name__ == "__main__":
    PICTURE.write_text(picture())
