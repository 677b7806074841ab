"""Scenes as new users wrote them from the reference page, at their second try (what they stumbled over at the first is
among the broken scenes), and one that has everything: they have no problems, and move as they should."""

from pathlib import Path

import numpy as np
import pytest

from physics.world import World
from scenes.loader import read_scene

FOLDER = Path(__file__).parent / "tries"


def run(name: str, seconds: float) -> World:
    scene = read_scene(FOLDER / f"{name}.yaml")
    assert scene.problems == []
    world = scene.make_world(integrator="implicit")
    world.step(round(seconds / world.timestep))
    assert world.largest_gap < 1e-6
    assert np.isfinite(world.energy().total)
    return world


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.yaml")))
def test_a_try_has_no_problems_and_runs(name):
    run(name, 0.1)


def test_the_ball_of_the_crane_strikes_the_wall():
    world = run("crane", 2.0)
    top = world.bodies["wall/8"].position
    assert np.linalg.norm(top - [2.0, 0.0, 1.7]) > 0.2


def test_the_cart_drives_over_the_bump():
    assert run("car", 3.0).bodies["chassis"].position[0] > 1.5


def test_the_light_ball_is_thrown_off_the_seesaw():
    world = run("seesaw", 0.3)
    highest = 0.0
    for _ in range(24):
        world.step(12)
        highest = max(highest, world.bodies["light"].position[2])
    assert highest > 1.0


def test_the_lift_rises():
    scene = read_scene(FOLDER / "lift.yaml")
    start = scene.make_world().bodies["top"].position[2]
    assert run("lift", 2.0).bodies["top"].position[2] > start + 0.1


def test_the_wind_turns_the_mill():
    assert abs(run("windmill", 2.0).joints["shaft"].angle) > 0.1
