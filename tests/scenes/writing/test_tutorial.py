"""The tutorial keeps its word: each step is a file that passes its check and runs."""

import re
from pathlib import Path

import pytest

from scenes.loading.checks import run_checks
from scenes.loading.loader import read_scene

TUTORIAL = (Path(__file__).resolve().parents[3] / "scenes" / "TUTORIAL.md").read_text(encoding="utf-8")
STEPS = {re.match(r"# (\S+)\n", text).group(1): text for text in re.findall(r"```yaml\n(.*?)```", TUTORIAL, re.DOTALL)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("tutorial")
    for name, text in STEPS.items():
        (path / name).write_text(text)
    return path


def test_there_are_ten_steps():
    assert len(STEPS) == 10
    assert len(re.findall(r"^## \d+\.", TUTORIAL, re.MULTILINE)) == 10


@pytest.mark.parametrize("name", STEPS)
def test_a_step_passes_its_check_and_runs(folder, name):
    scene = read_scene(folder / name)
    assert scene.problems == []
    world = scene.make_world()
    world.step(24)
    assert world.largest_gap < 1e-6


def test_what_the_tutorial_says_to_try(folder):
    assert read_scene(folder / "finger.yaml", ["first=50mm"]).parts["bone1"].size > 0.05
    stiff = read_scene(folder / "step9.yaml", ["groups.knuckles.stiffness=5"])
    assert stiff.edges["ring"].definition.stiffness == (5.0, 5.0)
    assert stiff.edges["thumb"].definition.stiffness == (0.3, 0.3)
    assert read_scene(folder / "step9.yaml", ["start.pose=flat"]).start_pose == "flat"
    last = read_scene(folder / "hand.yaml")
    assert (len(last.parts), len(last.edges)) == (16, 16)
    assert run_checks(last) == []
