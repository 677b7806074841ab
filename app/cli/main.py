"""The command line: `marionette list | check | simulate | schema | bench | completion`; without a command, the window.

Exit code 0: done; 1: the simulation got into trouble, a check of the scene does not hold, it was stopped, or its output
could not be written; 2: bad input, with what is wrong, where, and what is allowed.
Results go to standard output, plain when it is a pipe; news (progress, warnings, errors) to standard error.
"""

import json
import os
import subprocess
import sys
import textwrap
import time
import tomllib
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from app.host import stopping
from app.host.folder import PACKAGES, child_environment, child_words
from app.host.troubles import NoWindowError
from physics import INTEGRATORS, MODES
from physics.definitions.checks import DefinitionError
from physics.world.world import HopelessError
from scenes.loading.files import LIBRARY, library_names
from scenes.text.errors import Problem, SceneError, did_you_mean, listing, printable
from scenes.text.values import NO_NAMES, Number, Refused
from scenes.writing.outputs import refusal

if TYPE_CHECKING:
    from scenes.loading.scene import LoadedScene

PROGRAM = "marionette"
COMPLETION = "_MARIONETTE_COMPLETE"
SECONDS, SECONDS_OR_NONE = (Number("s", low=low, high=1e9) for low in (1e-9, 0.0))
# columns of a list, and of the names in it
WIDTH, NAMES = 80, 16


class BadInputError(Exception):
    """One sentence for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["bench"]:
            return run_benchmarks(words[1:])
        code = program(words, PROGRAM, standalone_mode=False)
        if sys.stdout is not None:  # it may have been closed by who called
            sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except SceneError as error:
        say(error.problems)
        return 2
    except click.UsageError as error:
        place = error.ctx.command_path if error.ctx else PROGRAM
        complain(f"{error.format_message().rstrip('.')} (`{place} --help` shows what is allowed)")
        return 2
    except (BadInputError, DefinitionError, click.ClickException) as error:
        complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
        return 2
    except (HopelessError, NoWindowError) as error:
        complain(str(error))
        return 1
    except MemoryError:
        complain("this scene does not fit into memory")
        return 1
    except (KeyboardInterrupt, click.Abort):
        stopping.say_stopped(sys.stderr)
        return 1
    except OSError as error:
        # a reader of our output that has gone (`| head -1`) is no news
        if not isinstance(error, BrokenPipeError):
            complain(f"{printable(str(error.filename or 'the output'))}: {error.strerror or error}")
        if error.filename is None:
            forget_output()
        return 1


def forget_output() -> None:
    """What could not be written is not tried again at Python's end, which would complain in its own words."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(message: str) -> None:
    print(f"{PROGRAM}: {' '.join(message.split())}", file=sys.stderr)


def say(problems: Iterable[Problem], severities: tuple[str, ...] = ("error", "warning", "note")) -> None:
    """Problems to standard error: those with a place as editors know them, others as a sentence of the program."""
    wanted = [p for p in problems if p.severity in severities]
    for problem in wanted:
        if problem.mark is None:
            complain(problem.message)
    located = [p for p in wanted if p.mark is not None]
    if located:
        print(listing(located), file=sys.stderr)


# ---------------------------------------------------------------- values of arguments
def known(what: str, name: str, names: Iterable[str]) -> str:
    names = list(names)
    if name not in names:
        raise BadInputError(f"{what}: got {name!r}, allowed: {', '.join(names)}{did_you_mean(name, names)}")
    return name


def seconds(what: str, text: str, some: bool = True) -> float:
    """`some`: 0 is refused"""
    try:
        return (SECONDS if some else SECONDS_OR_NONE).read(text, NO_NAMES)
    except Refused as error:
        said = str(error) if text[:20] in str(error) else f"got {text[:60]!r}: {error}"
        raise BadInputError(f"{what}: {said}") from None


def complete_scenes(ctx: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem]:
    # bash forgets what came before "complete files", and takes files only where nothing came after it
    return [CompletionItem(text, type="file"), *(CompletionItem(n) for n in library_names() if n.startswith(text))]


def complete_from(words: Iterable[str]) -> Any:
    listed = list(words)
    return lambda ctx, parameter, text: [w for w in listed if w.startswith(text)]


def complete_settings(ctx: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    from scenes.loading.files import Files
    from scenes.loading.loader import file_of
    from scenes.text.errors import Problems

    problems = Problems()
    # an option that still waits for its value keeps click from taking the arguments before it
    scene = ctx.params.get("scene") or next(iter(ctx.args), "")
    path = file_of(str(scene), problems)
    tree = Files(path.parent).tree(path, problems, None) if path else None
    names = (tree or {}).get("parameters") or {}
    return [f"{n}=" for n in names if n.startswith(text)]


setting = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="PATH=VALUE",
    shell_complete=complete_settings,
    help="a parameter or any value by its path, such as links=100 or joints.knee.stiffness=20",
)


def version() -> str:
    try:
        return metadata.version(PROGRAM)
    except metadata.PackageNotFoundError:
        return "(not installed)"


# ---------------------------------------------------------------- the program
class Program(click.Group):
    """A word that is no command is a scene to open."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "open", self.commands["open"], args
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        return [*complete_scenes(ctx, self.params[0], incomplete), *super().shell_complete(ctx, incomplete)]


@click.group(
    PROGRAM,
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(version(), prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.pass_context
def program(ctx: click.Context) -> int | None:
    """Simulate articulated figures. `marionette [SCENE]` opens the window; a scene is a name or a file."""
    if ctx.invoked_subcommand is None:
        from app.ui.opening import open_window

        return open_window()
    return None


@program.command("open", hidden=True)
@click.argument("scene", shell_complete=complete_scenes)
def open_scene(scene: str) -> int:
    """Open a scene in the window."""
    from scenes.loading.loader import file_of
    from scenes.text.errors import Problems

    problems = Problems()
    if file_of(scene, problems) is None:
        names = [*program.commands, *library_names()]
        hint = did_you_mean(scene, names)
        raise BadInputError(f"{scene[:60]!r} is no command and no scene{hint} (see `{PROGRAM} --help`)")
    from app.ui.opening import open_window  # the libraries of the window are needed from here on

    try:
        return open_window(scene)
    except NoWindowError:
        # a display does not help a file that is wrong; the window would have shown what is
        errors = [problem for problem in checked(scene, ())[0] if problem.severity == "error"]
        if errors:
            raise SceneError(errors) from None
        raise


# ---------------------------------------------------------------- render
@program.command()
@click.argument("scene", shell_complete=complete_scenes)
@click.option("--out", metavar="FILE", required=True, type=click.Path(), help="picture.png, film.mp4 or film.gif")
@click.option("--seconds", "duration", metavar="S", default=None, help="when the picture is taken (0); how long (5 s)")
@click.option("--size", metavar="WxH", default="1280x720", help="pixels")
@setting
def render(scene: str, out: str, duration: str | None, size: str, settings: tuple[str, ...]) -> int:
    """Draw a scene without a display: a picture, or a film."""
    from app.cli.rendering import FILMS, PICTURES, render_scene

    path = Path(out)
    if path.suffix.lower() not in PICTURES + FILMS:
        raise BadInputError(
            f"--out: got {path.name[:60]!r}, allowed: a name that ends with {', '.join(PICTURES + FILMS)}"
        )
    width, _, height = size.partition("x")
    if not (width.isdecimal() and height.isdecimal() and 16 <= int(width) <= 7680 and 16 <= int(height) <= 4320):
        raise BadInputError(f"--size: got {size[:60]!r}, allowed: WIDTHxHEIGHT from 16x16 to 7680x4320")
    check_output(path)
    film = path.suffix.lower() in FILMS
    length = (5.0 if film else 0.0) if duration is None else seconds("--seconds", duration, film)
    count = render_scene(scene, path, length, (int(width), int(height)), settings)
    click.echo(f"{printable(str(path))}: {count} picture{'s' if count > 1 else ''}")
    return 0


# ---------------------------------------------------------------- list
@program.command("list", short_help="Scenes of the library, solver modes, integrators.")
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def list_everything(as_json: bool) -> int:
    """The scenes of the library with their parameters, solver modes, integrators."""
    scenes = {name: described(name) for name in library_names()}
    modes = {mode.name: mode.summary for mode in MODES.values()}
    if as_json:
        click.echo(json.dumps({"scenes": scenes, "solvers": modes, "integrators": list(INTEGRATORS)}, indent=2))
        return 0
    click.echo("scenes, and their parameters for --set NAME=VALUE with the defaults")
    for name, one in scenes.items():
        click.echo(entry(name, one["about"]))
        if one["parameters"]:
            # a value and its unit stay together
            values = (f"{k}={v}".replace(" ", "\0") for k, v in one["parameters"].items())
            click.echo(entry("", " ".join(values)).replace("\0", " "))
    click.echo("solver modes")
    for name, text in modes.items():
        click.echo(entry(name, text))
    click.echo(f"integrators\n  {', '.join(INTEGRATORS)}")
    return 0


def entry(name: str, text: str) -> str:
    """A name and what it is, beside it."""
    begin = f"  {name:<{NAMES}}"
    return textwrap.fill(text, WIDTH, initial_indent=begin, subsequent_indent=" " * len(begin), break_on_hyphens=False)


def described(name: str) -> dict[str, Any]:
    """What the head of a library file says."""
    from scenes.loading.files import Files
    from scenes.text.errors import Problems

    tree = Files(LIBRARY).tree(LIBRARY / f"{name}.yaml", Problems(), None) or {}
    parameters = {k: v["value"] if isinstance(v, dict) else v for k, v in (tree.get("parameters") or {}).items()}
    return {"about": tree.get("about", tree.get("name", "")), "parameters": parameters}


# ---------------------------------------------------------------- check
@program.command(short_help="Find every problem of scenes without running them.")
@click.argument("files", nargs=-1, required=True, metavar="SCENE...", shell_complete=complete_scenes)
@click.option("--json", "as_json", is_flag=True, help="problems as JSON, for editors")
@setting
def check(files: tuple[str, ...], as_json: bool, settings: tuple[str, ...]) -> int:
    """Check scenes without running them: every problem with file, line and column."""
    bad = False
    results = []
    for name in files:
        problems, text, asked = checked(name, settings)
        errors = [p for p in problems if p.severity == "error"]
        bad |= bool(errors)
        if as_json:
            said = [p.as_json() for p in problems]
            results.append({"file": name, "ok": not errors, "problems": said, "checks": list(asked)})
            continue
        say(problems)
        if asked:
            complain(who_judges(name, asked))
        warnings = sum(p.severity == "warning" for p in problems)
        counts = f"{len(errors)} error{'s' * (len(errors) != 1)}, {warnings} warning{'s' * (warnings != 1)}"
        click.echo(f"{printable(name)}: {text}{counts if errors or warnings else 'no problems'}")
    if as_json:
        click.echo(json.dumps(results, indent=2))
    return 2 if bad else 0


def checked(name: str, settings: tuple[str, ...]) -> tuple[list[Problem], str, dict[str, float]]:
    """The problems of one file, how large it is, and the time that each of its checks asks for."""
    from scenes.loading.loader import read_scene

    try:
        scene = read_scene(name, settings)
        scene.make_world()  # the physics may refuse it, and joints that are drawn open may not close
        if scene.assembly():
            scene.problems.append(Problem("note", scene.assembly()))
        return scene.problems, "".join(f"{one}, " for one in counted(scene)), asked_of(scene)
    except SceneError as error:
        return error.problems, "", {}


def asked_of(scene: "LoadedScene") -> dict[str, float]:
    """For how many seconds each check of a scene is to hold."""
    from scenes.kinds.sections import Checks

    return {key: one.duration for key in Checks.key_names() if (one := getattr(scene.checks, key)) is not None}


def who_judges(name: str, asked: dict[str, float]) -> str:
    """Checks say what holds in a run, and `check` makes none."""
    what = f"{len(asked)} check{'s' * (len(asked) > 1)} ({', '.join(asked)})"
    return f"{what}, to be judged by `{PROGRAM} simulate {printable(name)} --seconds {max(asked.values()):g}`"


def counted(scene: "LoadedScene") -> list[str]:
    """Bodies, joints, and what else there is between bodies, each by its own name."""
    counts = {"bodies": len(scene.parts), "joints": 0, "constraints": len(scene.couplings), "springs": 0}
    for edge in scene.edges.values():
        counts[edge.section] += 1
    one = {"bodies": "body"} | {many: many[:-1] for many in ("joints", "constraints", "springs")}
    shown = {many: count for many, count in counts.items() if count or many in ("bodies", "joints")}
    return [f"{count} {one[many] if count == 1 else many}" for many, count in shown.items()]


# ---------------------------------------------------------------- simulate
@program.command(short_help="Run a scene, report speed, gaps, energy, checks.")
@click.argument("scene", shell_complete=complete_scenes)
@click.option("--seconds", "duration", default="10", metavar="S", help="simulated time (default 10)")
@click.option("--dt", metavar="S", help="timestep, such as 1/240; else the scene's own")
@click.option(
    "--solver", metavar="M", shell_complete=complete_from(MODES), help=f"{', '.join(MODES)}; else the scene's own"
)
@click.option(
    "--integrator",
    metavar="I",
    shell_complete=complete_from(INTEGRATORS),
    help=f"{', '.join(INTEGRATORS)}; else the scene's own",
)
@setting
@click.option("--out", metavar="FILE", type=click.Path(), help="write the trajectory: run.npz or run.csv")
@click.option(
    "--every",
    type=click.IntRange(1),
    metavar="N",
    help="steps from one record to the next (default: 60 records a second)",
)
@click.option("--json", "as_json", is_flag=True, help="report as JSON")
def simulate(
    scene: str, duration: str, dt: str | None, solver: str | None, integrator: str | None, settings: tuple[str, ...],
    out: str | None, every: int | None, as_json: bool,
) -> int:  # fmt: skip
    """Run a scene and report speed, gaps and energy, and whether its checks hold."""
    from app.cli import simulate
    from scenes.loading.loader import read_scene

    length = seconds("--seconds", duration)
    step = None if dt is None else seconds("--dt", dt)
    if solver is not None:
        known("--solver", solver, MODES)
    if integrator is not None:
        known("--integrator", integrator, INTEGRATORS)
    loaded = read_scene(scene, settings)
    say(loaded.problems, ("warning",))
    world = loaded.make_world(solver=solver, integrator=integrator)
    if loaded.assembly():
        complain(loaded.assembly())
    if step is not None:
        world.timestep = step
    steps = max(1, round(length / world.timestep))
    trajectory = path = None
    if out is not None:
        path = output_path(out)
        trajectory = simulate.Trajectory(simulate.records_every(world.timestep, every))
        size = steps / trajectory.every * len(world.bodies) * simulate.NUMBERS * 8.0
        if size > simulate.MOST_BYTES:
            raise BadInputError(
                f"--out: the trajectory would have {size / 1e9:.1f} GB; record more rarely with --every"
            )
    report = simulate.simulate(world, steps, trajectory, shown=True, scene=loaded)
    report = {"scene": printable(scene), "settings": list(settings), "bodies": len(world.bodies), **report}
    if trajectory is not None and path is not None:
        trajectory.write(path, world)
        report |= {"written": printable(str(path)), "records": len(trajectory.records)}
    click.echo(json.dumps(report, indent=2) if as_json else "\n".join(simulate.summary(report)))
    return 0 if simulate.all_hold(report) else 1


def output_path(text: str) -> Path:
    """A file that can be written, known before the run."""
    from app.cli.simulate import OUTPUTS

    path = Path(text)
    if path.suffix not in OUTPUTS:
        raise BadInputError(f"--out: got {text!r}, allowed: a file that ends in {' or '.join(OUTPUTS)}")
    check_output(path)
    return path


def check_output(path: Path) -> None:
    """Refused before anything is computed; a pipe is not opened, which would wait for its reader."""
    why = refusal(path)
    if why:
        raise BadInputError(f"--out: {str(path)!r} cannot be written: {why}")


# ---------------------------------------------------------------- schema, completion, bench
@program.command()
@click.option("--reference", is_flag=True, help="the reference page (Markdown) instead")
def schema(reference: bool) -> int:
    """The JSON Schema of scene files, for editors."""
    from scenes.writing import reference as pages

    click.echo(pages.reference_page() if reference else pages.json_schema(), nl=False)
    return 0


@program.command(short_help="Print a script for completion in the shell.")
@click.argument("shell", metavar="SHELL", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """A script for completion in SHELL (bash, zsh or fish).

    \b
    ~/.bashrc:                   eval "$(marionette completion bash)"
    ~/.zshrc:                    eval "$(marionette completion zsh)"
    ~/.config/fish/config.fish:  marionette completion fish | source
    """
    make = get_completion_class(shell)
    if make is None:
        raise BadInputError(f"no completion for {shell}")
    click.echo(make(program, {}, PROGRAM, COMPLETION).source())
    return 0


@program.command(
    "bench",
    short_help="Measure against the peers, in a source checkout.",
    context_settings={"ignore_unknown_options": True},
)
@click.argument("options", nargs=-1)
def bench(options: tuple[str, ...]) -> int:
    """Measure against the peers (from a source checkout); takes options of its own."""
    return run_benchmarks(list(options))


def run_benchmarks(options: Sequence[str]) -> int:
    """The benchmarks are not installed: they belong to the tests of a source checkout, and run as a program of it: of
    the one that this program lies in, as what is called `tests` in the present folder may be anybody's."""
    if not is_checkout(PACKAGES):
        raise BadInputError(
            "the benchmarks need a source checkout: install it with `pip install -e .` in its top folder; "
            f"this program lies in {PACKAGES}"
        )
    words = child_words("tests.benchmarks", *options)
    with subprocess.Popen(words, cwd=PACKAGES, env=child_environment()) as child:
        try:
            while child.poll() is None:
                time.sleep(0.05)  # waiting for it by itself would give it a quarter of a second after Ctrl-C
        except KeyboardInterrupt:
            child.terminate()
            raise
    return child.returncode


def is_checkout(folder: Path) -> bool:
    """Whether it is the top folder of this project's sources."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return project == PROGRAM and (folder / "tests" / "benchmarks" / "__main__.py").is_file()


if __name__ == "__main__":
    sys.exit(main())
