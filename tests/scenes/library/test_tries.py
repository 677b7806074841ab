"""Scenes as new users wrote them from the reference page, at their first or second try (what they stumbled over is
among the broken scenes), and one that has everything: they have no problems, and move as they should."""

from pathlib import Path

import numpy as np
import pytest

from physics.world.world import World
from scenes.loading.loader import read_scene

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


def test_the_piston_of_the_engine_goes_as_crank_and_rod_say():
    """x = r sin q + sqrt(l^2 - r^2 cos^2 q) at the angle q of the crank from the top, and 120 rpm."""
    world = run("engine", 1.0)
    r, length = 0.06, 0.25
    start = read_scene(FOLDER / "engine.yaml").parts["piston"].place[0] - np.sqrt(length**2 - r**2)
    for _ in range(12):
        world.step(10)
        q = world.joints["crank_bearing"].angle
        x = r * np.sin(q) + np.sqrt(length**2 - (r * np.cos(q)) ** 2)
        assert world.bodies["piston"].position[0] == pytest.approx(start + x, abs=1e-6)
    assert world.bodies["flywheel"].angular_velocity[1] == pytest.approx(120.0 * np.pi / 30.0, rel=0.01)


def test_the_lamp_comes_to_rest_where_springs_carry_its_weight():
    """k (q - rest) = g sum m x of all that hangs behind the hinge, when the ball has been thrown off."""
    world = run("lamp", 5.0)
    bodies = world.bodies
    assert np.linalg.norm(bodies["ball"].position - bodies["head"].position) > 0.12
    assert np.linalg.norm(bodies["head"].velocity) < 1e-3
    assert bodies["base"].position[2] == pytest.approx(
        read_scene(FOLDER / "lamp.yaml").parts["base"].place[2], abs=1e-4
    )
    behind = {"shoulder": ("lower_arm", "upper_arm", "head"), "elbow": ("upper_arm", "head")}
    for name, stiffness, rest in (("shoulder", 40.0, -1.0), ("elbow", 30.0, -3.0)):
        x = world.joints[name].anchor[0]
        moment = 9.81 * sum(bodies[b].mass * (bodies[b].position[0] - x) for b in behind[name])
        assert stiffness * (world.joints[name].angle - np.radians(rest)) == pytest.approx(moment, rel=0.01)


def test_the_gripper_closes_alike_and_reaches_as_told():
    world = run("gripper", 1.0)
    left, right = (world.joints[name].angle for name in ("close_left", "close_right"))
    assert left == pytest.approx(right, abs=1e-6)
    assert np.radians(35.0) < left < np.radians(45.0) + 1e-6  # told to go on to 50 degrees
    column, carriage = (world.bodies[name].position for name in ("column", "carriage"))
    drawn = read_scene(FOLDER / "gripper.yaml").parts
    away = drawn["carriage"].place[1] - drawn["column"].place[1]
    # 8 cm + 8 cm sin(pi t - pi/2)
    assert np.hypot(*(carriage - column)[:2]) == pytest.approx(away + 0.08 + 0.08 * np.sin(0.5 * np.pi), abs=1e-6)
    ends = (world.bodies[f"strand{k}/9"].position for k in (1, 2))
    assert np.linalg.norm(np.subtract(*ends)) < 0.12 + 1e-6
