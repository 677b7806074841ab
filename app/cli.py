"""The command line: `marionette list`, `marionette simulate FIGURE`, `marionette bench`.

Exit code 0: done; 1: the simulation got into trouble; 2: bad input, with one sentence that says what is allowed.
Results go to standard output, plain and without colours; what is only news (compiling, errors) to standard error.
"""

import argparse
import inspect
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

from physics.definitions import DefinitionError, Scene
from physics.layout import INTEGRATORS
from physics.modes import MODES
from physics.world import HopelessError, World
from scenes import generators

FIGURES: dict[str, Callable[..., Scene]] = {
    "chain": generators.chain,
    "tree": generators.tree,
    "humanoid30": generators.humanoid30,
    "chain30": generators.chain30,
    "hand": generators.hand,
}
# What the settings of the figures may be: words, or a range. A million bodies take about 2 GB; lengths and masses
# beyond these are surely slips of the pen, and would overflow.
ALLOWED: dict[str, tuple[str, ...] | tuple[float, float]] = {
    "links": (1, 1_000_000),
    "levels": (1, 20),
    "joint": ("ball", "hinge"),
    "length": (1e-4, 1e4),
    "mass": (1e-6, 1e9),
    "stiffness": (0.0, 1e12),
    "damping": (0.0, 1e12),
    "angle": (-1e3, 1e3),
}
# Steps at a time: short enough for Ctrl-C and for the largest gap to be seen, long enough to cost nothing.
CHUNK = 24


class BadInputError(Exception):
    """One sentence for the user."""


class Parser(argparse.ArgumentParser):
    """Bad options are refused like any other bad input."""

    def error(self, message: str) -> NoReturn:
        raise BadInputError(f"{message} (`{self.prog} --help` shows what is allowed)")


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["bench"]:
            return run_benchmarks(words[1:])
        options = make_parser().parse_args(words)
        code = options.run(options)
        sys.stdout.flush()
        return code
    except (BadInputError, DefinitionError) as error:
        print(f"marionette: {error}", file=sys.stderr)
        return 2
    except HopelessError as error:
        print(f"marionette: {error}", file=sys.stderr)
        return 1
    except MemoryError:
        print("marionette: this figure does not fit into memory", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("marionette: stopped", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # the reader of our output has gone; keep Python's own flush at exit from complaining
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def make_parser() -> Parser:
    parser = Parser(prog="marionette", description="Simulate articulated figures.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"marionette {version()}")
    parser.set_defaults(run=lambda options: show_help(parser))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)

    listing = commands.add_parser("list", help="the figures, their settings, the solver modes and integrators")
    listing.set_defaults(run=list_everything)

    simulate = commands.add_parser("simulate", help="run a figure and report", allow_abbrev=False)
    simulate.add_argument("figure", metavar="FIGURE", help=", ".join(FIGURES))
    simulate.add_argument("--seconds", metavar="S", default="10", help="how long in simulated time (default 10)")
    simulate.add_argument("--dt", metavar="S", help="timestep, such as 1/240 (the default) or 0.004")
    simulate.add_argument("--solver", metavar="M", default="fused", help=f"{', '.join(MODES)} (default fused)")
    simulate.add_argument(
        "--integrator", metavar="I", default="trbdf2", help=f"{', '.join(INTEGRATORS)} (default trbdf2)"
    )
    simulate.add_argument("--set", metavar="NAME=VALUE", action="append", default=[], help="a setting of the figure")
    simulate.add_argument("--json", action="store_true", help="report as JSON")
    simulate.set_defaults(run=run_simulation)

    commands.add_parser("bench", help="measure against the peers (from a source checkout); takes options of its own")
    return parser


def version() -> str:
    try:
        return metadata.version("marionette")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def show_help(parser: Parser) -> int:
    parser.print_help()
    return 0


# ---------------------------------------------------------------- list
def list_everything(options: argparse.Namespace) -> int:
    print("figures, and their settings for --set NAME=VALUE with the defaults")
    for name, make in FIGURES.items():
        print(f"  {name:<12}{first_sentence(make.__doc__)}")
        print(f"  {'':<12}{' '.join(f'{key}={shown(value)}' for key, value in settings_of(make).items())}")
    print("solver modes")
    for mode in MODES.values():
        print(f"  {mode.name:<12}{mode.summary}")
    print("integrators")
    print(f"  {', '.join(INTEGRATORS)}")
    return 0


def shown(value: Any) -> str:
    """A setting's value as it is written for --set."""
    return str(value).lower() if isinstance(value, bool) else f"{value:.6g}" if isinstance(value, float) else str(value)


def first_sentence(text: str | None) -> str:
    return " ".join((text or "").split()).split(". ")[0].rstrip(".")


def settings_of(make: Callable[..., Scene]) -> dict[str, Any]:
    """Names and defaults of what can be set (the timestep has its own option)."""
    return {k: p.default for k, p in inspect.signature(make).parameters.items() if k != "timestep"}


# ---------------------------------------------------------------- simulate
def make_figure(name: str, assignments: Sequence[str]) -> tuple[Scene, dict[str, Any]]:
    """The figure's scene and the settings that were given."""
    make = FIGURES[known("figure", name, FIGURES)]
    defaults = settings_of(make)
    given: dict[str, Any] = {}
    for text in assignments:
        key, sign, value = text.partition("=")
        if not sign:
            raise BadInputError(f"--set: got {text!r}, allowed: NAME=VALUE")
        key = known(f"setting of {name}", key.strip(), defaults)
        given[key] = setting(key, name, value.strip(), defaults[key])
    return make(**given), given


def known(what: str, name: str, names: Any) -> str:
    if name in names:
        return name
    close = get_close_matches(name, list(names), 1)
    hint = f" (did you mean {close[0]!r}?)" if close else ""
    raise BadInputError(f"{what}: got {name!r}, allowed: {', '.join(names)}{hint}")


def setting(name: str, figure: str, text: str, default: Any) -> Any:
    """The value of a setting, of the type of its default."""
    allowed: tuple[Any, ...] = ("true", "false") if isinstance(default, bool) else ALLOWED[name]
    what = f"{name} of {figure}"
    if isinstance(default, bool | str):
        if text not in allowed:
            raise BadInputError(f"{what}: got {text!r}, allowed: {', '.join(allowed)}")
        return text == "true" if isinstance(default, bool) else text
    value = number(what, text)
    low, high = allowed
    whole = isinstance(default, int)
    if not low <= value <= high or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise BadInputError(f"{what}: got {text!r}, allowed: {kind} from {low:.12g} to {high:.12g}")
    return int(value) if whole else value


def number(what: str, text: str) -> float:
    """A finite number; fractions such as 1/240 are understood."""
    try:
        value = float(Fraction(text)) if len(text) < 50 else math.nan
    except (ValueError, ZeroDivisionError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise BadInputError(f"{what}: got {text!r}, allowed: a finite number, such as 0.5 or 1/240")
    return value


def duration(what: str, text: str) -> float:
    """Seconds: a timestep, or how long to run."""
    value = number(what, text)
    if not 1e-9 <= value <= 1e9:
        raise BadInputError(f"{what}: got {text!r}, allowed: seconds from 1e-9 to 1e9, such as 0.5 or 1/240")
    return value


def run_simulation(options: argparse.Namespace) -> int:
    seconds = duration("--seconds", options.seconds)
    scene, given = make_figure(options.figure, options.set)
    world = World(scene, solver=options.solver, integrator=options.integrator)
    if options.dt is not None:
        world.timestep = duration("--dt", options.dt)
    steps = max(1, round(seconds / world.timestep))
    report = simulate(world, steps)
    report = {"figure": options.figure, "settings": given, "bodies": len(world.bodies), **report}
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        print("\n".join(summary(report)))
    return 0


def compiling(name: str, number: int) -> None:
    if number == 1:
        print("compiling the solver (about 15 seconds, once; then kept on disk) ...", file=sys.stderr, flush=True)


def simulate(world: World, steps: int) -> dict[str, Any]:
    """Run and measure; compilation is not part of the time."""
    world.step(0, progress=compiling)
    start = world.energy()
    gap, fastest, spent = world.largest_gap, start.kinetic, 0.0
    left = steps
    while left > 0:
        count = min(CHUNK, left)
        begin = time.perf_counter()
        world.step(count)
        spent += time.perf_counter() - begin
        left -= count
        gap = max(gap, world.largest_gap)
        fastest = max(fastest, world.energy().kinetic)
    end = world.energy()
    return {
        "solver": world.solver,
        "integrator": world.integrator,
        "timestep": world.timestep,
        "steps": steps,
        "simulated_seconds": world.time,
        "computing_seconds": spent,
        "realtime_factor": world.time / spent,
        "microseconds_per_step": 1e6 * spent / steps,
        "largest_gap": gap,
        "energy_start": start.total,
        "energy_end": end.total,
        "energy_change": end.total - start.total,
        "largest_kinetic_energy": fastest,
        "redone_steps": world.redone,
        "frozen_substeps": world.frozen,
        "state_hash": world.state_hash(),
    }


def summary(report: dict[str, Any]) -> list[str]:
    """The report for a reader."""
    r = report
    settings = "".join(f" {key}={value}" for key, value in r["settings"].items())
    # of a figure at rest the share would only say how small the rounding is
    share, largest = "", r["largest_kinetic_energy"]
    if largest > 1e-3 * abs(r["energy_change"]):
        share = f", {100.0 * r['energy_change'] / largest:+.2g} % of the largest kinetic energy"
    redone = 100.0 * r["redone_steps"] / r["steps"]
    return [
        f"{r['figure']}{settings}: {r['bodies']} bodies, solver {r['solver']}, integrator {r['integrator']}",
        f"steps          {r['steps']} of {1e3 * r['timestep']:.4g} ms, {r['simulated_seconds']:.4g} s simulated",
        f"speed          {r['microseconds_per_step']:.4g} us a step, {r['realtime_factor']:.4g} times real time",
        f"largest gap    {r['largest_gap']:.2g} m (rad) in any joint",
        f"energy change  {r['energy_change']:+.3g} J{share}",
        f"redone steps   {r['redone_steps']} ({redone:.2g} %), frozen substeps {r['frozen_substeps']}",
    ]


# ---------------------------------------------------------------- bench
def run_benchmarks(options: Sequence[str]) -> int:
    """The benchmarks are not installed: they belong to the tests of a source checkout, and run as a program of it."""
    for folder in (Path.cwd(), Path(__file__).resolve().parent.parent):
        if (folder / "tests" / "benchmarks" / "__main__.py").is_file():
            return subprocess.run([sys.executable, "-m", "tests.benchmarks", *options], cwd=folder).returncode
    raise BadInputError("the benchmarks need a source checkout: run `marionette bench` in its top folder")
