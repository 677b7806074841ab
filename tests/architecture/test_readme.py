"""README.md keeps its word: the example runs, the commands are those that CI runs, the links lead somewhere."""

import itertools
import re
import tomllib
from pathlib import Path

import pytest

from app.cli import main
from scenes.loading.loader import read_scene

TOP = Path(__file__).resolve().parents[2]
README = (TOP / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [code.strip() for language, code in BLOCKS if not language]


def test_the_python_example_runs(capsys):
    (code,) = (code for language, code in BLOCKS if language == "python")
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)
    world = names["world"]
    assert world.time == pytest.approx(2.0)
    assert world.largest_gap < 1e-6
    # the elbow spring of 1e6 N m/rad has straightened it
    assert abs(world.joints["elbow"].angle) < 1e-3
    assert "Energy(" in capsys.readouterr().out


def test_ci_runs_the_test_command_of_the_readme():
    (command,) = (c for c in COMMANDS if "pytest" in c)
    assert command in (TOP / ".ci" / "run").read_text().splitlines()


def test_the_main_command_is_one_that_the_command_line_takes():
    (command,) = (c for c in COMMANDS if "pytest" not in c)
    words = command.split(".venv/bin/marionette ")[1].split()
    assert words[:2] == ["simulate", "chain"]
    settings = [value for flag, value in itertools.pairwise(words) if flag == "--set"]
    assert len(read_scene("chain", settings).parts) == 100
    with main.program.commands["simulate"].make_context("simulate", words[1:]) as context:
        assert (context.params["scene"], context.params["duration"]) == ("chain", "10")


ROOMS = sorted(path.relative_to(TOP).as_posix() for path in (TOP / "physics").rglob("README.md"))


@pytest.mark.parametrize("page", ["README.md", ".github/CONTRIBUTING.md", "tests/benchmarks/results.md", *ROOMS])
def test_links_lead_somewhere(page):
    path = TOP / page
    targets = [t.split("#")[0] for t in re.findall(r"\]\(([^)\s]+)\)", path.read_text()) if "://" not in t]
    missing = [t for t in targets if t and not (path.parent / t).exists()]
    assert missing == []


@pytest.mark.parametrize("page", ROOMS)
def test_rooms_name_files_that_there_are(page):
    """A name such as `fused.py` is a file of the room; `solvers/fused.py` one of the physics."""
    room = (TOP / page).parent
    named = re.findall(r"`([\w/]+\.(?:py|md))`", (TOP / page).read_text())
    assert [f for f in named if not any((place / f).exists() for place in (room, TOP / "physics", TOP))] == []


def test_readme_names_the_python_that_the_package_asks_for():
    project = tomllib.loads((TOP / "pyproject.toml").read_text())["project"]
    (version,) = re.findall(r"Python (\d+\.\d+) or later", README)
    assert project["requires-python"] == f">= {version}"
