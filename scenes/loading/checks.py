"""The judging of a scene's checks in a run, which a test or `marionette simulate` makes."""

import math
from dataclasses import dataclass, field

from physics.definitions.functions import Function
from physics.world.world import CannotContinueError, World
from scenes.kinds.sections import Checks
from scenes.loading.scene import LoadedScene

# steps between two looks at gap and energy
CHUNK = 12
HOLDS, FAILS, SHORT = "holds", "does not hold", "not reached"
# a run that ends by rounding before the time that a check asks for has reached it
SLACK = 1e-6


@dataclass
class Outcome:
    """What was observed in a run with checks."""

    duration: float  # s
    gap: float = 0.0  # the largest
    gap_unit: str = "m"  # of the largest: m or rad
    energy: float = 0.0  # the largest change, as a share of the largest kinetic energy so far
    failed: dict[str, str] = field(default_factory=dict)  # sentences, by the check


@dataclass(frozen=True)
class Finding:
    """The finding of one check: what it requires, what was found, and whether it holds. If the run is shorter than the
    check requires, the check is not reached, unless it has already failed."""

    check: str
    asked: dict[str, float]
    found: float | None
    result: str
    seconds: float  # that were looked at
    at: float | None = None  # s, time of the first failure
    unit: str = ""  # of what was found

    def as_json(self) -> dict[str, object]:
        """Return the finding as JSON."""
        first = {} if self.at is None else {"first_seen_at": self.at}
        return {"check": self.check, "asked": self.asked, "found": self.found, "result": self.result, **first}

    def __str__(self) -> str:
        """Return what was found and what is asked, in a few words."""
        when = "" if self.at is None else f" from {self.at:.3g} s"
        if self.check == "gap":
            text = f"{self.found:.2g} {self.unit}, asked below {self.asked['below']:g} {self.unit}"
        elif self.check == "energy":
            text = f"{100.0 * (self.found or 0.0):.2g} %, asked {100.0 * self.asked['within']:g} %"
        else:
            text = "not finite" if self.result == FAILS else "all numbers finite"
        part = f"{self.seconds:.3g} of " if self.result == SHORT else ""
        return f"{self.result}{when}: {text} for {part}{self.asked['for']:g} s"


class Watch:
    """An observer of a world from the start of a run, which judges the checks of its scene."""

    def __init__(self, checks: Checks, world: World, longest: float = math.inf):
        """Store the state at the start, and which checks are made. `longest` is a time in seconds."""
        self.checks = checks
        self.world = world
        self.start = world.energy().total
        self.fastest = world.energy().kinetic
        self.begin = world.time
        self.asked = {
            key: check for key in Checks.key_names() if (check := getattr(checks, key)) is not None
        }  # fmt: skip
        self.seen = Outcome(max((min(c.duration, longest) for c in self.asked.values()), default=0.0))
        self.failed_at: dict[str, float] = {}

    @property
    def time(self) -> float:
        """Time since the start of the run [s]."""
        return self.world.time - self.begin

    @property
    def closed(self) -> float:
        """Gap [m or rad] below which joints count as closed. It is the gap that the scene requires, or the gap that its
        integrator leaves by design, if that is larger."""
        assert self.checks.gap is not None
        return max(self.checks.gap.below, self.world.leaves_open)

    def look(self) -> None:
        """Measure the world after a step, and record failures."""
        if not self.asked:
            return
        checks, t, energy = self.checks, self.time, self.world.energy()
        until = t - SLACK * max(1.0, t)
        self.fastest = max(self.fastest, energy.kinetic)
        if checks.finite is not None and until <= checks.finite.duration and not math.isfinite(energy.total):
            self.fail("finite", f"finite: the energy is {energy.total} at {t:.3f} s")
        if checks.gap is not None and until <= checks.gap.duration:
            gap = self.world.largest_gap
            if not gap <= self.seen.gap:
                self.seen.gap, (name, self.seen.gap_unit) = gap, widest(self.world)
                if not gap < self.closed:
                    unit = self.seen.gap_unit
                    where = f"{gap:.3g} {unit} at {name!r} after {t:.3f} s"
                    self.fail("gap", f"gap: {where}, allowed: below {self.closed:g} {unit}")
        if checks.energy is not None and until <= checks.energy.duration:
            change, most = abs(energy.total - self.start), checks.energy.within * self.fastest
            self.seen.energy = max(self.seen.energy, change / self.fastest if self.fastest else 0.0)
            if not change <= most:
                self.fail("energy", f"energy: changed by {change:.3g} J at {t:.3f} s, allowed: {most:.3g}")

    def fail(self, check: str, sentence: str) -> None:
        """Record the first failure of a check, with its time."""
        self.failed_at.setdefault(check, self.time)
        self.seen.failed.setdefault(check, sentence)

    def steps_left(self) -> int | None:
        """Return the number of steps until the end of the next check, when the world must be measured; None after the
        last check."""
        ends = [c.duration - self.time for c in self.asked.values()]
        left = [round(s / self.world.timestep) for s in ends if s > 0.5 * self.world.timestep]
        return max(1, min(left)) if left else None

    def findings(self) -> list[Finding]:
        """Return the findings of all checks in the run so far."""
        out = []
        for key, check in self.asked.items():
            short = self.time + 0.5 * self.world.timestep + SLACK < check.duration
            result = FAILS if key in self.seen.failed else SHORT if short else HOLDS
            found = None if key == "finite" else getattr(self.seen, key)
            seconds = min(self.time, check.duration)
            asked, unit = check.model_dump(by_alias=True), ""
            if key == "gap":
                asked["below"], unit = self.closed, self.seen.gap_unit
            out.append(Finding(key, asked, found, result, seconds, self.failed_at.get(key), unit))
        return out


def widest(world: World) -> tuple[str, str]:
    """Return the name of the joint or constraint with the largest gap, and the unit of that gap, which may be m or rad
    for couplings and functions. For a figure without joints both are empty."""
    gaps = world.gaps()
    name = max(gaps, key=lambda k: max(gaps[k]), default="")
    distance, angle = gaps.get(name, (0.0, 0.0))
    if name in world.couplings or (name in world.joints and isinstance(world.joints[name].definition, Function)):
        return name, "m or rad"
    return name, "m" if distance >= angle else "rad"


def run_checks(scene: LoadedScene, solver: str | None = None, longest: float = math.inf) -> list[str]:
    """Run the checks of a scene, and return sentences about those that do not hold; none if all hold. The run ends
    after `longest` [s]."""
    return list(outcome(scene, solver, longest).failed.values())


def outcome(scene: LoadedScene, solver: str | None = None, longest: float = math.inf) -> Outcome:
    """Run the scene for as long as its checks require, and return what was observed."""
    if not any(getattr(scene.checks, key) for key in Checks.key_names()):
        return Outcome(0.0)
    world = scene.make_world(solver=solver)
    watch = Watch(scene.checks, world, longest)
    seen = watch.seen
    while world.time < seen.duration - 0.5 * world.timestep:
        left = round((seen.duration - world.time) / world.timestep)
        try:
            world.step(max(1, min(CHUNK, left)))
        except CannotContinueError as error:
            seen.failed = {"finite": f"finite: {error}"}
            return seen
        watch.look()
    return seen
