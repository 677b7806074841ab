"""The command line: `marionette list | check | simulate | render | replay | doctor | schema | bench | completion`.
Without a command it opens the window.

The exit code is 0 when all is done. It is 1 if the simulation cannot continue, a check of the scene does not hold,
`doctor` finds a problem, the program was stopped, or its output could not be written. It is 2 for bad input; the
message says what is wrong, where, and what is allowed.
Results go to standard output, plain when it is a pipe. Progress, warnings and errors go to standard error.

Every command imports what it needs when it runs. Help, `list`, completion and the version need click alone.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class

from app import __version__
from app.cli.arguments import check_output, complete_from, complete_scenes, known, output_path, seconds, setting
from app.cli.checking import checked, who_judges
from app.cli.console import PROGRAM, BadInputError, complain, forget_output, say
from app.cli.listing import lines, listed, text_of
from app.host import stopping
from app.host.collector import uncollected
from app.host.troubles import NoWindowError
from scenes.loading.library import library_names
from scenes.text.errors import SceneError, did_you_mean, printable

COMPLETION = "_MARIONETTE_COMPLETE"
SOLVERS, INTEGRATORS = list(listed()["solvers"]), listed()["integrators"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command. Return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        if words[:1] == ["bench"]:
            return bench_with(words[1:])
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
    except (BadInputError, click.ClickException) as error:
        complain(error.format_message() if isinstance(error, click.ClickException) else str(error))
        return 2
    except NoWindowError as error:
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
    except Exception as error:
        code = code_of_physics(error)
        if code is None:
            raise
        complain(str(error))
        return code


def code_of_physics(error: Exception) -> int | None:
    """Return the exit code for an error that the physics raises: 2 for a bad definition, 1 for a step that cannot
    continue. Return None for any other error."""
    from physics.definitions.checks import DefinitionError
    from physics.world.world import CannotContinueError

    if isinstance(error, DefinitionError):
        return 2
    return 1 if isinstance(error, CannotContinueError) else None


# ---------------------------------------------------------------- the program
class Program(click.Group):
    """The group of commands, in which a word that is no command is a scene to open."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command for a word; a word that is no command is a scene to open."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            return "open", self.commands["open"], args
        return super().resolve_command(ctx, args)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions of the first word: scenes and commands."""
        return [*complete_scenes(ctx, self.params[0], incomplete), *super().shell_complete(ctx, incomplete)]


@click.group(
    PROGRAM,
    cls=Program,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name=PROGRAM, message="%(prog)s %(version)s")
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
    from app.run.recording import SUFFIX
    from scenes.loading.loader import file_of
    from scenes.text.errors import Problems

    problems = Problems()
    if Path(scene).suffix == SUFFIX:
        return open_recording(scene)
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


def open_recording(path: str) -> int:
    """Open a recording in the window, and play it. Refuse one that cannot be read."""
    from app.cli.replaying import read
    from app.ui.opening import open_window

    read(path)
    return open_window(path)


# ---------------------------------------------------------------- replay
@program.command(short_help="Play a recording of the window again.")
@click.argument("file", type=click.Path())
@click.option("--check", is_flag=True, help="without a window: compare every state, and report as JSON")
def replay(file: str, check: bool) -> int:
    """Play a recording in the window, to the same states as then."""
    if not check:
        return open_recording(file)
    from app.cli.replaying import checked_replay

    report = checked_replay(file)
    click.echo(json.dumps(report, indent=2))
    return 0 if report["same"] else 1


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
    """List the scenes of the library with their parameters, the solver modes and the integrators."""
    click.echo(text_of(listed()) if as_json else "\n".join([*lines(), ""]), nl=False)
    return 0


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


# ---------------------------------------------------------------- simulate
@program.command(short_help="Run a scene, report speed, gaps, energy, checks.")
@click.argument("scene", shell_complete=complete_scenes)
@click.option("--seconds", "duration", default="10", metavar="S", help="simulated time (default 10)")
@click.option("--dt", metavar="S", help="timestep, such as 1/240; else the scene's own")
@click.option(
    "--solver", metavar="M", shell_complete=complete_from(SOLVERS), help=f"{', '.join(SOLVERS)}; else the scene's own"
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
@click.option("--record", metavar="FILE", type=click.Path(), help="write a recording for `replay`: run.mrn")
@click.option("--json", "as_json", is_flag=True, help="report as JSON")
def simulate(
    scene: str, duration: str, dt: str | None, solver: str | None, integrator: str | None, settings: tuple[str, ...],
    out: str | None, every: int | None, record: str | None, as_json: bool,
) -> int:  # fmt: skip
    """Run a scene and report speed, gaps and energy, and whether its checks hold."""
    with uncollected():
        from app.cli import simulate
        from scenes.loading.loader import read_scene

        length = seconds("--seconds", duration)
        step = None if dt is None else seconds("--dt", dt)
        if solver is not None:
            known("--solver", solver, SOLVERS)
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
    recorder = None
    if record is not None:
        from app.cli.replaying import start_recording

        recorder = start_recording(loaded, world, record, scene, settings)
    report = simulate.simulate(world, steps, trajectory, shown=True, scene=loaded, recorder=recorder)
    report = {"scene": printable(scene), "settings": list(settings), "bodies": len(world.bodies), **report}
    if recorder is not None and recorder.trouble:
        raise OSError(None, recorder.trouble, str(recorder.path))
    if trajectory is not None and path is not None:
        trajectory.write(path, world)
        report |= {"written": printable(str(path)), "records": len(trajectory.records)}
    click.echo(json.dumps(report, indent=2) if as_json else "\n".join(simulate.summary(report)))
    return 0 if simulate.all_hold(report) else 1


# ---------------------------------------------------------------- doctor
@program.command(short_help="Say whether everything works on this machine.")
@click.option("--json", "as_json", is_flag=True, help="as JSON")
def doctor(as_json: bool) -> int:
    """Examine this machine: versions, machine code, drawing, the display, folders. Each problem has a remedy."""
    from app.cli import doctor as examination

    report = examination.examine()
    click.echo(json.dumps(report, indent=2) if as_json else "\n".join(examination.lines(report)))
    return 0 if report["ok"] else 1


# ---------------------------------------------------------------- schema, completion, bench
@program.command()
@click.option("--reference", is_flag=True, help="the reference page (Markdown) instead")
def schema(reference: bool) -> int:
    """Print the JSON Schema of scene files, for editors."""
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
    """Measure speed and accuracy against other engines (from a source checkout); takes options of its own."""
    return bench_with(options)


def bench_with(options: Sequence[str]) -> int:
    """Run the benchmarks with these options. Return their exit code."""
    from app.cli.benchmarks import run_benchmarks

    return run_benchmarks(options)


if __name__ == "__main__":
    sys.exit(main())
