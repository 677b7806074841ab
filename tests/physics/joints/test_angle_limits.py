"""Angles: a hinge counts whole turns, also where the forest reversed it; Hooke's relation of the universal joint."""

import math

import numpy as np
import pytest

from physics.maths.rotations import quaternion_product, rotation_quaternion
from physics.data.step_tables import INTEGRATORS
from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge, Universal, Weld
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.twins import fails
from tests.helpers.arrays import built_of

STILL = (0.0, 0.0, 0.0)


# ---------------------------------------------------------------- turns
def spinning(rate, reverse, integrator="explicit", kind="hinge"):
    """A body turning about a principal axis at `rate` relative to a welded one, which is the forest's parent. The joint
    names the welded body first, or (reverse) last."""
    held = Body(name="held", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 0.0, 0.0))
    wheel = Body(name="wheel", mass=1.0, inertia=(0.1, 0.1, 0.15), angular_velocity=(0.0, 0.0, rate))
    ends = {"a": "wheel", "b": "held"} if reverse else {"a": "held", "b": "wheel"}
    if kind == "hinge":
        joint = Hinge(name="j", **ends, at=STILL, axis=(0.0, 0.0, 1.0))
    elif reverse:
        joint = Universal(name="j", **ends, at=STILL, axis=(1.0, 0.0, 0.0), axis2=(0.0, 0.0, 1.0))
    else:
        joint = Universal(name="j", **ends, at=STILL, axis=(0.0, 0.0, 1.0), axis2=(1.0, 0.0, 0.0))
    hold = Weld(name="hold", a="world", b="held", at=(1.0, 0.0, 0.0))
    scene = Scene(bodies=[wheel, held], joints=[joint, hold], gravity=STILL)
    world = World(scene, integrator=integrator)
    assert bool(built_of(world).reversed[built_of(world).body_row["wheel"]]) is reverse
    return world


def check_turns(rate, reverse, kind="hinge", counted_rate=None):
    """Angle of b relative to a, against the rate times the time, at 97 moments of 5 s: more than 15 turns."""
    world = spinning(rate, reverse, kind=kind)
    turn = (counted_rate or rate) / 240
    for _ in range(97):
        world.step(12)
        angle = world.joints["j"].angle
        if kind == "universal":
            angle = angle[1 if reverse else 0]
        assert angle == pytest.approx((-1.0 if reverse else 1.0) * world.steps * turn, abs=1e-9)
    assert abs(world.steps * turn) > 15 * 2 * math.pi


@pytest.mark.parametrize("kind", ["hinge", "universal"])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("rate", [21.0, -21.0, 150.0, -150.0])
def test_turns_are_counted(rate, reverse, kind):
    """Both directions, slow and at 0.6 rad a step; a universal joint counts about its first axis in the parent."""
    check_turns(rate, reverse, kind)
    fails(check_turns, rate, reverse, kind, counted_rate=1.01 * rate)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_turns_by_every_integrator(integrator):
    """Ten turns forth and ten back: as far as the rate says, and to where it was."""
    world = spinning(31.4, False, integrator)
    world.step(480)
    there = world.joints["j"].angle
    assert there == pytest.approx(62.8, abs=1e-9)
    world.bodies["wheel"].angular_velocity = (0.0, 0.0, -31.4)
    world.step(480)
    assert world.joints["j"].angle == pytest.approx(0.0, abs=1e-9)


def test_back_and_forth_over_the_cut():
    """Oscillating about half a turn, where the quaternion's sign flips, adds no turns."""
    body = Body(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    hinge = Hinge(name="j", a="world", b="b", at=STILL, axis=(0.0, 0.0, 1.0), stiffness=2.0, rest=math.pi)
    world = World(Scene(bodies=[body], joints=[hinge], gravity=STILL))
    lowest, highest = math.inf, -math.inf
    for _ in range(960):
        world.step()
        lowest, highest = min(lowest, world.joints["j"].angle), max(highest, world.joints["j"].angle)
    assert lowest == pytest.approx(0.0, abs=0.05)
    assert highest == pytest.approx(2 * math.pi, abs=0.05)


def test_spring_winds_up():
    """A spring knows the turns: held by a torque of 20 at 2 N m/rad, it rests at 10 rad, one turn and a half on."""
    body = Body(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1))
    hinge = Hinge(name="j", a="world", b="b", at=STILL, axis=(0.0, 0.0, 1.0), stiffness=2.0, damping=0.6)
    world = World(Scene(bodies=[body], joints=[hinge], gravity=STILL))
    world.bodies["b"].applied_torque = (0.0, 0.0, 20.0)
    world.step(2400)
    assert world.joints["j"].angle == pytest.approx(10.0, abs=1e-6)
    assert world.energy().elastic == pytest.approx(100.0, rel=1e-6)


@pytest.mark.parametrize("angle", [-3.1, -1.0, 0.0, 2.0, 3.1])
def test_setting_an_orientation_starts_the_count_afresh(angle):
    """Between -pi and pi, however many turns there were."""
    world = spinning(100.0, False)
    world.step(480)
    assert world.joints["j"].angle > 100.0
    world.bodies["wheel"].quaternion = (math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2))
    assert world.joints["j"].angle == pytest.approx(angle, abs=1e-12)


# ---------------------------------------------------------------- Hooke's joint
def shafts(bend, first, second):
    """Two shafts along z, drawn straight, then the second bent by `bend` about x, and each turned about itself."""
    thin = {"mass": 1.0, "inertia": (0.02, 0.02, 0.01)}
    bodies = [Body(name="a", position=(0, 0, -0.5), **thin), Body(name="b", position=(0, 0, 0.5), **thin)]
    joint = Universal(name="j", a="a", b="b", at=STILL, axis=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0))
    world = World(Scene(bodies=bodies, joints=[joint], gravity=STILL))
    world.bodies["a"].quaternion = rotation_quaternion(np.array([0.0, 0.0, first]))
    tilt = rotation_quaternion(np.array([bend, 0.0, 0.0]))
    world.bodies["b"].quaternion = quaternion_product(tilt, rotation_quaternion(np.array([0.0, 0.0, second])))
    world.bodies["b"].position = 0.5 * shaft(bend)
    return world


def shaft(bend):
    return np.array([0.0, -math.sin(bend), math.cos(bend)])


def output_angle(bend, first):
    """tan(second) = cos(bend) tan(first), in the quadrant of the first: forks drawn with the input's across the bend"""
    return math.atan2(math.cos(bend) * math.sin(first), math.cos(first))


def check_hooke(bend, first, assumed_bend=None):
    second = output_angle(assumed_bend or bend, first)
    world = shafts(bend, first, second)
    assert world.largest_gap < 1e-14
    # second' / first' = cos(bend) / (1 - sin^2(bend) sin^2(first))
    ratio = math.cos(assumed_bend or bend) / (1.0 - (math.sin(assumed_bend or bend) * math.sin(first)) ** 2)
    world.bodies["a"].angular_velocity = (0.0, 0.0, 2.0)
    world.bodies["b"].angular_velocity = 2.0 * ratio * shaft(bend)
    world.assemble()
    assert world.bodies["b"].angular_velocity == pytest.approx(2.0 * ratio * shaft(bend), abs=1e-12)


@pytest.mark.parametrize("bend", [0.3, 0.8, 1.2])
@pytest.mark.parametrize("first", [-2.5, -0.7, 0.4, 1.3, 3.0])
def test_hooke(bend, first):
    """The joint is closed in position and velocity exactly where Hooke's relation says."""
    check_hooke(bend, first)
    fails(check_hooke, bend, first, assumed_bend=1.01 * bend)


def test_hooke_in_motion():
    """The input turned at a constant rate with the output's shaft kept in its line by its inertia and a stiff swivel is
    not a tree; what a tree can show: both angles follow the two bodies' poses all along a free motion."""
    rng = np.random.default_rng(3)
    world = shafts(0.5, 0.4, output_angle(0.5, 0.4))
    for body in world.bodies.values():
        body.angular_velocity = 3.0 * rng.normal(size=3)
    world.assemble()
    world.use_integrator("rk4")
    for _ in range(20):
        world.step(12)
        q1, q2 = world.joints["j"].angle
        a, b = (world.bodies[k].quaternion for k in ("a", "b"))
        turn = quaternion_product(rotation_quaternion(np.array([q1, 0, 0])), rotation_quaternion(np.array([0, q2, 0])))
        assert abs(abs(quaternion_product(a, turn) @ b) - 1.0) < 1e-9
