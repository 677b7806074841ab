"""Running the checks that a scene has written into itself."""

import math

from physics.world import HopelessError, World
from scenes.scene import LoadedScene

# steps between two looks at gap and energy
CHUNK = 12


def run_checks(scene: LoadedScene, solver: str | None = None, longest: float = math.inf) -> list[str]:
    """What does not hold, as sentences; nothing if all checks hold. At most the `longest` time [s] is looked at."""
    checks = scene.checks
    durations = [min(c.duration, longest) for c in (checks.gap, checks.finite, checks.energy) if c is not None]
    if not durations:
        return []
    world = scene.make_world(solver=solver)
    start = world.energy().total
    failed: dict[str, str] = {}
    fastest = world.energy().kinetic
    while world.time < max(durations) - 0.5 * world.timestep:
        left = round((max(durations) - world.time) / world.timestep)
        try:
            world.step(max(1, min(CHUNK, left)))
        except HopelessError as error:
            return [f"finite: {error}"]
        fastest = max(fastest, world.energy().kinetic)
        _look(scene, world, start, fastest, failed)
    return list(failed.values())


def _look(scene: LoadedScene, world: World, start: float, fastest: float, failed: dict[str, str]) -> None:
    checks, t = scene.checks, world.time
    total = world.energy().total
    if checks.finite is not None and not math.isfinite(total):
        failed.setdefault("finite", f"finite: the energy is {total} at {t:.3f} s")
    if checks.gap is not None and t <= checks.gap.duration and not world.largest_gap < checks.gap.below:
        failed.setdefault("gap", f"gap: {world.largest_gap:.3g} m at {t:.3f} s, allowed: below {checks.gap.below:g}")
    if checks.energy is not None and t <= checks.energy.duration:
        change, most = abs(total - start), checks.energy.within * fastest
        if not change <= most:
            failed.setdefault("energy", f"energy: changed by {change:.3g} J at {t:.3f} s, allowed: {most:.3g}")
