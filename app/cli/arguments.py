"""Arguments of the commands: how they are read, which are refused, and how the shell completes them."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from app.cli.console import BadInputError
from scenes.loading.library import library_names
from scenes.text.errors import did_you_mean
from scenes.writing.outputs import refusal


def known(what: str, name: str, names: Iterable[str]) -> str:
    """Return a name, or refuse one that is not among the known names."""
    names = list(names)
    if name not in names:
        raise BadInputError(f"{what}: got {name!r}, allowed: {', '.join(names)}{did_you_mean(name, names)}")
    return name


def seconds(what: str, text: str, some: bool = True) -> float:
    """Return a number of seconds read from text, or refuse it. With `some`, 0 is refused."""
    from scenes.text.values import NO_NAMES, Number, Refused

    try:
        return Number("s", low=1e-9 if some else 0.0, high=1e9).read(text, NO_NAMES)
    except Refused as error:
        said = str(error) if text[:20] in str(error) else f"got {text[:60]!r}: {error}"
        raise BadInputError(f"{what}: {said}") from None


def complete_scenes(ctx: click.Context, parameter: click.Parameter, text: str) -> list[CompletionItem]:
    """Return the completions of a scene argument: files, and names of the library."""
    # bash forgets what came before "complete files", and takes files only where nothing came after it
    return [CompletionItem(text, type="file"), *(CompletionItem(n) for n in library_names() if n.startswith(text))]


def complete_from(words: Iterable[str]) -> Any:
    """Return a function that completes a text from a list of words."""
    listed = list(words)
    return lambda ctx, parameter, text: [w for w in listed if w.startswith(text)]


def complete_settings(ctx: click.Context, parameter: click.Parameter, text: str) -> list[str]:
    """Return the completions of `--set`: the parameters of the scene."""
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


def output_path(text: str) -> Path:
    """Return the path of an output file. Refuse one that cannot be written, before the run."""
    from app.cli.simulate import OUTPUTS

    path = Path(text)
    if path.suffix not in OUTPUTS:
        raise BadInputError(f"--out: got {text!r}, allowed: a file that ends in {' or '.join(OUTPUTS)}")
    check_output(path)
    return path


def check_output(path: Path, option: str = "--out") -> None:
    """Refuse an output that cannot be written, before anything is computed. A pipe is not opened, because that would
    wait for its reader."""
    why = refusal(path)
    if why:
        raise BadInputError(f"{option}: {str(path)!r} cannot be written: {why}")
