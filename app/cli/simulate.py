"""`marionette simulate`: run a scene, measure it, record its trajectory, and report."""

import codecs
import csv
import math
import sys
import textwrap
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.host.progress import progress
from physics.world.measure import Energy
from physics.world.world import World
from scenes.kinds.sections import Checks
from scenes.loading.checks import FAILS, Watch, widest
from scenes.loading.scene import LoadedScene
from scenes.writing.outputs import written

if TYPE_CHECKING:
    from app.run.recording import Recorder

# Steps at a time: short enough for Ctrl-C and for the largest gap to be seen, long enough to cost nothing.
CHUNK = 24
OUTPUTS = (".npz", ".csv")
# One record of the trajectory in a sixtieth of a second, as a film would have it.
RECORDS_A_SECOND = 60.0
MOST_BYTES = 2e9
# What is slower than this (m/s of a centre, rad/s) is called at rest.
RESTING = (1e-3, 1e-2)
NUMBERS = 13  # of a body in a record: place, quaternion, velocity, angular velocity


@dataclass
class Trajectory:
    """Times, states of all bodies, and energies of a run."""

    every: int
    records: list[tuple[float, np.ndarray, tuple[float, ...]]] = field(default_factory=list)

    def take(self, world: World) -> None:
        """Append the present state of the world to the records."""
        rows = np.array([
            (*body.position, *body.quaternion, *body.velocity, *body.angular_velocity) for body in world.bodies.values()
        ])  # fmt: skip
        energy = world.energy()
        self.records.append((world.time, rows, (energy.kinetic, energy.potential, energy.elastic, energy.total)))

    def write(self, path: Path, world: World) -> None:
        """Write the records to a .npz or .csv file. An OSError leaves an older file unchanged."""
        times = np.array([t for t, _, _ in self.records])
        rows = np.array([r for _, r, _ in self.records])
        energies = np.array([e for _, _, e in self.records])
        names = list(world.bodies)
        with written(path) as file:
            if path.suffix == ".npz":
                np.savez_compressed(
                    file, time=times, bodies=np.array(names), position=rows[:, :, :3], quaternion=rows[:, :, 3:7],
                    velocity=rows[:, :, 7:10], angular_velocity=rows[:, :, 10:], energy=energies,
                    energies=np.array(["kinetic", "potential", "elastic", "total"]),
                )  # fmt: skip
            else:
                self.write_lines(csv.writer(codecs.getwriter("utf-8")(file)), names)

    def write_lines(self, out: Any, names: list[str]) -> None:
        """Write the lines of the CSV file: time, energies, and 13 columns for each body."""
        columns = ("x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz")
        out.writerow(
            ["time", "kinetic", "potential", "elastic", "total", *(f"{n}.{c}" for n in names for c in columns)]
        )
        for t, row, energy in self.records:
            out.writerow([repr(float(x)) for x in (t, *energy, *row.ravel())])


@dataclass
class Touched:
    """The contacts of a run, measured after each chunk of steps."""

    pressing: int = 0  # now
    most: int = 0
    deepest: float = 0.0  # m

    def take(self, world: World) -> None:
        """Update the numbers of contacts and the largest depth from the world's present contacts."""
        solution = world.contact_solution
        self.pressing = solution.pressing
        self.most = max(self.most, self.pressing)
        if solution.near:
            self.deepest = max([self.deepest, *(contact.depth for contact in world.contacts())])


class Widest:
    """The joint with the largest gap, measured after each chunk of steps."""

    def __init__(self, world: World):
        """Measure the gaps at the start."""
        self.gap = -1.0
        self.name: str | None = None
        self.unit: str | None = None
        self.take(world)

    def take(self, world: World) -> None:
        """Update the largest gap and its joint from the world's present gaps."""
        if world.largest_gap <= self.gap:
            return
        self.gap = world.largest_gap
        name, unit = widest(world)
        if name:
            self.name, self.unit = name, unit

    def report(self) -> dict[str, Any]:
        """Return the largest gap with its joint and unit, as entries of the report."""
        return {"largest_gap": self.gap, "largest_gap_of": self.name, "largest_gap_unit": self.unit}


@dataclass
class Balance:
    """The causes of a change of energy [J]: the work of drives, motors, loads and grabs; the work of contacts and of
    hard limits; the energy that redone steps lost; and the rest, which is the loss by dampers and the error of the
    integrator."""

    start: Energy
    limits: float
    damped: bool

    def report(self, world: World) -> dict[str, Any]:
        """Return the changes of energy since the start, as entries of the report."""
        end = world.energy()
        rest, contacts = end.ledger - self.start.ledger, end.contact - self.start.contact
        change, limits = end.total - self.start.total, world.work_of_limits - self.limits
        lost = end.lost - self.start.lost
        return {
            "energy_start": self.start.total,
            "energy_end": end.total,
            "energy_change": change,
            "energy_of_work": change - rest - contacts - limits + lost,
            "energy_of_contacts": contacts,
            "energy_of_limits": limits,
            "energy_of_redone_steps": -lost,
            "energy_left_over": rest,
            "damped": self.damped,
        }


class Moved:
    """The distances of the centres of mass from their places at the start, measured after each chunk of steps."""

    def __init__(self, world: World):
        """Store the positions at the start."""
        self.names = list(world.bodies)
        self.start = world.poses()[:, :3].copy()
        self.farthest = np.zeros(len(self.names))  # m, of each body

    def take(self, world: World) -> None:
        """Update the largest distances from the world's present positions."""
        away = np.linalg.norm(world.poses()[:, :3] - self.start, axis=1)
        self.farthest = np.maximum(self.farthest, away)

    def report(self, world: World) -> dict[str, Any]:
        """Return the bodies that moved farthest, and that move and rotate fastest at the end, as entries of the report.
        In the kinematic order there are no speeds."""
        out = self.largest("displacement", self.farthest)
        if world.order == "kinematic":
            return out  # there are no velocities
        bodies = world.bodies.values()
        speeds = np.array([math.hypot(*body.velocity) for body in bodies])
        turning = np.array([math.hypot(*body.angular_velocity) for body in bodies])
        return out | self.largest("speed", speeds) | self.largest("turning", turning)

    def largest(self, what: str, values: np.ndarray) -> dict[str, Any]:
        """Return the largest of the values of all bodies, and the body that has it, as entries of the report."""
        k = int(np.argmax(values))
        return {f"largest_{what}": float(values[k]), f"largest_{what}_of": self.names[k]}


def records_every(timestep: float, asked: int | None) -> int:
    """Return the number of steps from one record to the next."""
    return asked or max(1, round(1.0 / (RECORDS_A_SECOND * timestep)))


def compiling() -> Callable[[str, int], None]:
    """Return a function that reports compilation on standard error. It prints one message, however often it is called
    in a first step."""
    named: list[str] = []

    def tell(name: str, number: int) -> None:
        if not named:
            print("compiling the solver (some 15 s, once; then kept on disk) ...", file=sys.stderr, flush=True)
        named.append(name)

    return tell


def simulate(
    world: World,
    steps: int,
    trajectory: Trajectory | None = None,
    shown: bool = False,
    scene: LoadedScene | None = None,
    recorder: "Recorder | None" = None,
) -> dict[str, Any]:
    """Run and measure a scene, judge its checks, and return the report. Compilation and recording are not part of the
    measured time. With `shown`, progress is shown on standard error."""
    news = compiling()
    world.step(0, progress=news)
    world.compile_redoing(news)
    watch = Watch(scene.checks if scene else Checks(), world)
    balance = Balance(world.energy(), world.work_of_limits, scene is not None and scene.is_damped)
    widest, fastest, spent = Widest(world), world.energy().kinetic, 0.0
    touched, moved = Touched(), Moved(world)
    done, first = 0, world.time
    if trajectory is not None:
        trajectory.take(world)
    with progress(steps, lambda: world.steps) if shown else nullcontext():
        while done < steps:
            count = min(CHUNK, steps - done)
            if trajectory is not None:
                count = min(count, trajectory.every - done % trajectory.every)
            count = min(count, watch.steps_left() or count)
            begin = time.perf_counter()
            world.step(count)
            spent += time.perf_counter() - begin
            done += count
            widest.take(world)
            fastest = max(fastest, world.energy().kinetic)
            touched.take(world)
            moved.take(world)
            watch.look()
            if trajectory is not None and done % trajectory.every == 0:
                trajectory.take(world)
            if recorder is not None:
                recorder.stepped(count, time.perf_counter())
    if recorder is not None:
        recorder.close(time.perf_counter())
    simulated = world.time - first
    return {
        "solver": world.solver,
        "integrator": world.integrator,
        "timestep": world.timestep,
        "steps": steps,
        "simulated_seconds": simulated,
        "computing_seconds": spent,
        "realtime_factor": simulated / spent if spent else math.inf,
        "microseconds_per_step": 1e6 * spent / steps,
        **widest.report(),
        **balance.report(world),
        "largest_kinetic_energy": fastest,
        **moved.report(world),
        "followed_steps": world.substepped,
        "redone_steps": world.redone,
        "frozen_substeps": world.frozen,
        "contacts": touched.pressing,
        "most_contacts": touched.most,
        "deepest_contact": touched.deepest,
        "checks": [{**finding.as_json(), "said": str(finding)} for finding in watch.findings()],
        "state_hash": world.state_hash(),
    }


def motion(report: dict[str, Any]) -> str:
    """Return the text of the report about what moved."""
    r = report
    text = f"{r['largest_displacement']:.3g} m from its start at most (centre of {r['largest_displacement_of']})"
    if "largest_speed" not in r:
        return text
    if r["largest_speed"] >= RESTING[0]:
        return f"{text}, {r['largest_speed']:.3g} m/s at the end ({r['largest_speed_of']})"
    if r["largest_turning"] >= RESTING[1]:
        return f"{text}, {r['largest_turning']:.3g} rad/s at the end ({r['largest_turning_of']})"
    return f"{text}, at rest at the end"


def all_hold(report: dict[str, Any]) -> bool:
    """Return whether none of the checks has failed."""
    return all(check["result"] != FAILS for check in report["checks"])


# below this share of the largest part, a part of the balance is rounding
SMALL = 1e-6


def energy(report: dict[str, Any]) -> str:
    """Return the text of the report about the change of energy and its causes."""
    r = report
    parts = {
        "work done": r["energy_of_work"],
        "contacts": r["energy_of_contacts"],
        "limits": r["energy_of_limits"],
        "redone steps": r["energy_of_redone_steps"],
        "dampers" if r["damped"] else "unexplained": r["energy_left_over"],
    }
    largest = max(abs(r["energy_change"]), r["largest_kinetic_energy"], *map(abs, parts.values()))
    shown = {name: value for name, value in parts.items() if abs(value) > SMALL * largest}
    text = f"{r['energy_change']:+.3g} J"
    # of a figure that hardly moved the share would only say how little it did
    kinetic, rest = r["largest_kinetic_energy"], r["energy_left_over"]
    share = ""
    if not r["damped"] and kinetic > 0.1 * abs(rest):
        percent = 100.0 * rest / kinetic
        share = f"{percent:+.2g}" if abs(percent) < 100.0 else f"{percent:+.0f}"
        share = f"{share} % of the largest kinetic energy"
    if set(shown) <= {"unexplained"}:
        return f"{text}{', ' * bool(share)}{share}"
    said = [f"{name} {value:+.3g}" for name, value in shown.items()]
    if share and "unexplained" in shown:
        said[-1] += f" ({share})"
    return f"{text}: {', '.join(said)}"


def line(name: str, text: str) -> str:
    """Return a line of the report, a name and a text, wrapped to 80 columns."""
    begin = f"{name:<15}"
    return textwrap.fill(
        text, 80, initial_indent=begin, subsequent_indent=" " * len(begin), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def widest_gap(report: dict[str, Any]) -> str:
    """Return the text of the report about the largest gap."""
    if report["largest_gap_of"] is None:
        return "none: there are no joints"
    return f"{report['largest_gap']:.2g} {report['largest_gap_unit']} ({report['largest_gap_of']})"


def summary(report: dict[str, Any]) -> list[str]:
    """Return the report as lines of text."""
    r = report
    settings = "".join(f" {text}" for text in r["settings"])
    bodies = f"{r['bodies']} bod{'y' if r['bodies'] == 1 else 'ies'}"
    redone = 100.0 * r["redone_steps"] / r["steps"]
    followed = 100.0 * r["followed_steps"] / r["steps"]
    lines = [
        f"{r['scene']}{settings}: {bodies}, solver {r['solver']}, integrator {r['integrator']}",
        line("steps", f"{r['steps']} of {1e3 * r['timestep']:.4g} ms, {r['simulated_seconds']:.4g} s simulated"),
        line("speed", f"{r['microseconds_per_step']:.4g} us a step, {r['realtime_factor']:.4g} times real time"),
        line("largest gap", widest_gap(r)),
        line("motion", motion(r)),
        line("energy change", energy(r)),
        line("substeps", f"in {r['followed_steps']} steps ({followed:.2g} %), to follow what turns fast"),
        line(
            "redone steps",
            f"{r['redone_steps']} ({redone:.2g} %), retried; frozen substeps {r['frozen_substeps']}, skipped",
        ),
    ]
    if r["most_contacts"]:
        depth = f"{1e3 * r['deepest_contact']:.2g} mm at the deepest"
        lines.append(line("contacts", f"{r['contacts']} pressing at the end, at most {r['most_contacts']}, {depth}"))
    lines += [line(f"check {check['check']}", check["said"]) for check in r.get("checks", ())]
    if r.get("written"):
        lines.append(f"trajectory     {r['records']} records in {r['written']}")
    return lines
