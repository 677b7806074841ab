"""What answers at once imports nothing that takes long: help, the list, completion, the version."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from app.cli import listing, main
from app.host.assets import asset

TOP = Path(__file__).resolve().parents[3]
# packages and modules that take long to import, and our own packages that import them
HEAVY = (
    "numba", "llvmlite", "numpy", "scipy", "pydantic", "pydantic_core", "yaml", "rich", "PIL", "av", "OpenGL",
    "moderngl", "glcontext", "pyglet", "imgui_bundle", "importlib.metadata", "lazy_loader", "physics", "scenes.kinds",
    "app.run", "app.render", "app.ui",
)  # fmt: skip
COMMANDS = [name for name, command in main.program.commands.items() if not command.hidden]
# runs the program, and then names the heavy modules that it has imported
PROGRAM = f"""
import sys
from app.__main__ import run
try:
    code = run()
except SystemExit as end:
    code = end.code
print("code", code, "heavy", [name for name in {HEAVY} if name in sys.modules], file=sys.stderr)
"""


def imported(*words, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words], cwd=TOP, env={**os.environ, **environment}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("--help",), ("--version",), ("list",), ("list", "--json"), ("completion", "bash"), ("completion", "zsh"),
        *((name, "--help") for name in COMMANDS if name != "bench"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_answers_at_once_is_light(words):
    out, err = imported(*words)
    assert err == "code 0 heavy []\n"
    assert out


def test_completion_of_a_scene_is_light():
    out, err = imported(_MARIONETTE_COMPLETE="bash_complete", COMP_WORDS="marionette simulate humanoid", COMP_CWORD="2")
    assert "plain,humanoid30" in out
    assert err == "code 0 heavy []\n"


def test_completion_of_a_solver_is_light():
    out, err = imported(
        _MARIONETTE_COMPLETE="bash_complete", COMP_WORDS="marionette simulate hand --solver f", COMP_CWORD="4"
    )
    assert out == "plain,fused\n"
    assert err == "code 0 heavy []\n"


def test_heavy_modules_are_seen():
    """The checks above would pass on a list that finds nothing."""
    _, err = imported("check", "chain")
    assert "'numpy'" in err
    assert "'pydantic'" in err


def test_a_step_needs_no_compiler_and_no_window():
    """What is compiled already is run without numba, and without the libraries of the window."""
    imported("simulate", "chain", "--seconds", "0.01")  # kept from here on, if it was not
    _, err = imported("simulate", "chain", "--seconds", "0.01")
    heavy = json.loads(err.rpartition("heavy ")[2].replace("'", '"'))
    assert not {"numba", "scipy", "rich", "PIL", "moderngl", "pyglet", "app.ui"} & set(heavy)


def test_the_list_is_that_of_the_library_and_of_the_tables():
    """`python -m tests.helpers.generated list` writes it anew."""
    assert asset(listing.FILE).read_text(encoding="utf-8") == listing.text_of(listing.made())


def test_the_version_is_that_of_the_program(capsys):
    assert main.main(["--version"]) == 0
    assert capsys.readouterr().out == f"marionette {__version__}\n"
