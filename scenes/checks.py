"""Running the checks that a scene has written into itself."""

import math
from dataclasses import dataclass, field

from physics.world import HopelessError, World
from scenes.scene import LoadedScene

# steps between two looks at gap and energy
CHUNK = 12


@dataclass
class Outcome:
    """What was seen while the checks ran."""

    duration: float  # s
    gap: float = 0.0  # m or rad, the largest
    energy: float = 0.0  # the largest change, as a share of the largest kinetic energy so far
    failed: dict[str, str] = field(default_factory=dict)  # sentences, by the check


def run_checks(scene: LoadedScene, solver: str | None = None, longest: float = math.inf) -> list[str]:
    """What does not hold, as sentences; nothing if all checks hold. At most the `longest` time [s] is looked at."""
    return list(outcome(scene, solver, longest).failed.values())


def outcome(scene: LoadedScene, solver: str | None = None, longest: float = math.inf) -> Outcome:
    """The scene run for as long as its checks ask."""
    checks = scene.checks
    durations = [min(c.duration, longest) for c in (checks.gap, checks.finite, checks.energy) if c is not None]
    seen = Outcome(max(durations, default=0.0))
    if not durations:
        return seen
    world = scene.make_world(solver=solver)
    start = world.energy().total
    fastest = world.energy().kinetic
    while world.time < seen.duration - 0.5 * world.timestep:
        left = round((seen.duration - world.time) / world.timestep)
        try:
            world.step(max(1, min(CHUNK, left)))
        except HopelessError as error:
            seen.failed = {"finite": f"finite: {error}"}
            return seen
        fastest = max(fastest, world.energy().kinetic)
        _look(scene, world, start, fastest, seen)
    return seen


def _look(scene: LoadedScene, world: World, start: float, fastest: float, seen: Outcome) -> None:
    checks, t = scene.checks, world.time
    total = world.energy().total
    if checks.finite is not None and not math.isfinite(total):
        seen.failed.setdefault("finite", f"finite: the energy is {total} at {t:.3f} s")
    if checks.gap is not None and t <= checks.gap.duration:
        gap = world.largest_gap
        seen.gap = max(seen.gap, gap)
        if not gap < checks.gap.below:
            seen.failed.setdefault("gap", f"gap: {gap:.3g} m at {t:.3f} s, allowed: below {checks.gap.below:g}")
    if checks.energy is not None and t <= checks.energy.duration:
        change, most = abs(total - start), checks.energy.within * fastest
        seen.energy = max(seen.energy, change / fastest if fastest else 0.0)
        if not change <= most:
            seen.failed.setdefault("energy", f"energy: changed by {change:.3g} J at {t:.3f} s, allowed: {most:.3g}")
