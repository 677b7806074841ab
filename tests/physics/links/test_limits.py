"""Hard limits: stops of joint coordinates, cones of balls, ropes.

References: torques and impulses in closed form and of case 24; a dense complementarity problem, made here from levers,
axes and masses, whose optimality conditions are checked by non-negative least squares.
"""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.bodies import Body, Massless
from physics.definitions.checks import DefinitionError
from physics.definitions.compound import Compound, Slide, Turn
from physics.definitions.joints import Ball, Cylindrical, Hinge, Slider, Universal
from physics.definitions.limits import Limits
from physics.definitions.joints import Rope
from physics.maths.rotations import matrix_of
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.arrays import state_of
from tests.helpers.cases.limit_figures import DOWN, held_rod
from tests.helpers.cases.reference_cases import read_case


# ---------------------------------------------------------------- stops
def test_a_hinge_rests_at_its_stop_with_the_torque_of_its_weight():
    """m g (L/2) cos(0.7), no rebound, no step redone; what the impact takes is work of the limit, in the ledger."""
    world = World(held_rod(Limits(lower=-1.0, upper=0.7)), integrator="implicit")
    fastest = 0.0
    while world.joints["h"].limit_force == 0.0:
        fastest = abs(world.bodies["rod"].angular_velocity[1])
        world.step(1)
    height = world.bodies["rod"].position[2]
    world.step(240)
    assert world.joints["h"].angle == pytest.approx(0.7, abs=1e-9)
    assert world.joints["h"].limit_force == pytest.approx(-1.5 * DOWN * 0.5 * math.cos(0.7), rel=1e-9)
    assert world.joints["h"].torque[1] == pytest.approx(world.joints["h"].limit_force, rel=1e-9)
    assert np.abs(world.bodies["rod"].angular_velocity).max() < 1e-9
    assert world.redone == 0
    assert world.energy().total == pytest.approx(1.5 * DOWN * world.bodies["rod"].position[2], abs=1e-9)
    lost = 0.5 * (0.125 + 1.5 * 0.25) * fastest**2
    assert world.work_of_limits == pytest.approx(-lost, rel=0.02)
    assert world.energy().ledger == pytest.approx(0.0, abs=0.01 * lost)
    assert height == pytest.approx(-0.5 * math.sin(0.7), abs=fastest / 240)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("upper", [0.7, 0.706, 0.712])
def test_no_integrator_rebounds(integrator, upper):
    """Wherever in the step the rod hits; no step is redone, and it rests with the torque of its weight."""
    world = World(held_rod(Limits(upper=upper)), integrator=integrator)
    slowest = 0.0
    for _ in range(120):
        world.step(1)
        slowest = min(slowest, world.bodies["rod"].angular_velocity[1])
    assert slowest > -1e-4
    assert world.redone == 0
    assert world.joints["h"].angle == pytest.approx(upper, abs=1e-6)
    assert world.joints["h"].limit_force == pytest.approx(-1.5 * DOWN * 0.5 * math.cos(upper), rel=1e-4)
    assert world.energy().ledger == pytest.approx(0.0, abs=0.1)


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle4"])
def test_limits_that_are_not_met_change_no_bit(integrator):
    worlds = [World(held_rod(limits), integrator=integrator) for limits in (None, Limits(lower=-1.0, upper=4.0))]
    for world in worlds:
        world.step(60)
    assert state_of(worlds[0]).pose.tobytes() == state_of(worlds[1]).pose.tobytes()
    assert state_of(worlds[0]).velocity.tobytes() == state_of(worlds[1]).velocity.tobytes()


def case_24(restitution):
    case = read_case("24")
    b = case["definition"]["bodies"][0]
    start = math.atan2(b["pos"][1], b["pos"][0]) + 0.5 * math.pi  # from downward
    low = case["definition"]["joints"][0]["limit_theta_from_downward"][0] - start
    rod = Body(name="rod", mass=b["mass"], inertia=b["inertia"], position=b["pos"], orientation=b["quat"])
    stop = Hinge(name="h", a="world", b="rod", axis=(0, 0, 1), limits=Limits(lower=low, restitution=restitution))
    return Scene(bodies=[rod], joints=[stop], gravity=case["definition"]["gravity"])


def test_case_24_impact_and_rest():
    case = read_case("24")
    hit, rest = case["expected"]["single"][0]["hits"][0], case["expected"]["rest"]["limit_torque"]
    world = World(case_24(0.0), integrator="implicit")
    before = 0.0
    while world.joints["h"].limit_force == 0.0:
        before = world.bodies["rod"].angular_velocity[2]
        world.step(1)
    # hit time within dt, speed within |acceleration| dt = 0.06, and the impulse that goes with it
    assert abs(world.time - hit["t"]) < 1.01 / 240
    assert before == pytest.approx(hit["omega_before"], abs=0.06)
    world.step(240)
    assert world.joints["h"].limit_force == pytest.approx(rest, rel=1e-6)
    assert abs(world.bodies["rod"].angular_velocity[2] - hit["omega_after"]) < 1e-9


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
@pytest.mark.parametrize("which", [1, 2])
def test_case_24_bounces(which, integrator):
    """Hits in time and speed within what a step of dt = 1/240 can tell: |acceleration| dt and dt for each that was."""
    case = read_case("24")
    single = case["expected"]["single"][which]
    world = World(case_24(single["e"]), integrator=integrator)
    hits = []
    before = 0.0
    while len(hits) < len(single["hits"]):
        before = world.bodies["rod"].angular_velocity[2]
        world.step(1)
        after = world.bodies["rod"].angular_velocity[2]
        if before < 0.0 < after:
            hits.append((world.time, before, after))
            assert after == pytest.approx(-single["e"] * before, abs=0.06)
    for k, ((t, before, after), hit) in enumerate(zip(hits, single["hits"], strict=True), start=1):
        assert abs(t - hit["t"]) < 1.01 * (2 * k - 1) / 240
        assert before == pytest.approx(hit["omega_before"], abs=0.06 * k)
        assert after == pytest.approx(hit["omega_after"], abs=0.06 * k)
    assert world.redone == 0


def test_case_24_bounces_at_a_short_step():
    """dt = 1e-4: 1e-3; and with e = 1 the energy stays"""
    for single in read_case("24")["expected"]["single"][1:]:
        world = World(replace(case_24(single["e"]), timestep=1e-4), integrator="implicit")
        hit = single["hits"][0]
        world.step(round((hit["t"] - 0.01) / 1e-4))
        start = world.energy().total
        before = 0.0
        while world.bodies["rod"].angular_velocity[2] < 0.0:
            before = world.bodies["rod"].angular_velocity[2]
            world.step(1)
        assert world.time == pytest.approx(hit["t"], abs=1e-3)
        assert before == pytest.approx(hit["omega_before"], abs=1e-3)
        assert world.bodies["rod"].angular_velocity[2] == pytest.approx(hit["omega_after"], abs=1e-3)
        # the impulse is (1 + e) I w
        lost = 0.5 * (1.0 - single["e"]) * hit["impulse"] * abs(hit["omega_before"])
        assert start - world.energy().total == pytest.approx(lost, abs=1e-2)
        assert world.energy().ledger == pytest.approx(start, abs=1e-2)


def three_rods():
    """Three rods in a row, hinged to the world and to each other about y."""
    names = ("world", "one", "two", "three")
    bodies = [
        Body(name=name, mass=1.0 + k, inertia=(1e-3, 0.1, 0.1), position=(0.5 + k, 0.0, 0.0))
        for k, name in enumerate(names[1:])
    ]
    joints = [
        Hinge(name=f"to {b}", a=a, b=b, at=(float(k), 0, 0), axis=(0, 1, 0)) for k, (a, b) in enumerate(pairwise(names))
    ]
    return Scene(bodies=bodies, joints=joints)


def test_bounces_of_several_limits_add_no_energy():
    """One that strikes its limit may drive another, which leaves its own slowly, back there: by Newton's impact law
    that adds energy. All joints are at their lower limits, without gravity."""
    rng = np.random.default_rng(5)
    gained = []
    bounced = 0
    for _ in range(60):
        scene = three_rods()
        limits = [Limits(lower=0.0, restitution=float(e)) for e in rng.integers(0, 2, 3)]
        joints = [replace(j, limits=x) for j, x in zip(scene.joints, limits, strict=True)]
        world = World(replace(scene, joints=joints, gravity=(0, 0, 0)), integrator="implicit")
        spin = np.cumsum(rng.normal(0.0, 1.0, 3))
        # at the velocities of three rods in a row
        at = np.concatenate([[0.0], np.cumsum(spin)])
        for k, body in enumerate(world.bodies.values()):
            body.velocity, body.angular_velocity = (0, 0, -0.5 * (at[k] + at[k + 1])), (0, spin[k], 0)
        before = world.energy().kinetic
        world.step(1)
        gained.append(world.energy().kinetic / before - 1.0)
        rates = np.diff([0.0, *(body.angular_velocity[1] for body in world.bodies.values())])
        bounced += any(j.limit_force != 0.0 and x > 0.1 for j, x in zip(world.joints.values(), rates, strict=True))
    assert bounced > 10
    assert max(gained) < 1e-4  # the step is one of first order


def test_limits_know_their_restitution():
    world = World(held_rod(Limits(lower=-0.5, upper=0.5, restitution=0.25)))
    assert world.joints["h"].limits == Limits(lower=(-0.5,), upper=(0.5,), restitution=0.25)
    world.joints["h"].limits = Limits(upper=0.4, restitution=1)
    assert world.joints["h"].limits == Limits(lower=(-math.inf,), upper=(0.4,), restitution=1.0)
    for wrong in (-0.1, 1.5, math.nan, (0.5, 0.5)):
        with pytest.raises(DefinitionError, match="restitution in limits of hinge joint 'h'"):
            world.joints["h"].limits = Limits(upper=0.4, restitution=wrong)


@pytest.mark.parametrize("row", [0, 1, 2])
def test_case_24_elbow_impulse(row):
    """A double pendulum whose elbow is at its stop: the impulse couples both links."""
    case = read_case("24")["expected"]["double_pendulum_elbow"]
    first, second = (case["L1"], case["m1"]), (case["L2"], case["m2"])
    (t1, t2), (w1, w2) = case["rows"][row]["theta"], case["rows"][row]["w_before"]
    joint = np.zeros(3)
    bodies, joints = [], []
    speed = np.zeros(3)
    for name, (length, mass), t, w in (("upper", first, t1, w1), ("lower", second, t2, w2)):
        along = length * np.array([math.sin(t), -math.cos(t), 0.0])
        spin = np.array([0.0, 0.0, w])
        inertia = (mass * length**2 / 12, 1e-5, mass * length**2 / 12)
        bodies.append(
            Body(
                name=name,
                mass=mass,
                inertia=inertia,
                position=joint + along / 2,
                angular_velocity=spin,
                orientation=(math.cos(t / 2), 0, 0, math.sin(t / 2)),
                velocity=speed + np.cross(spin, along / 2),
            )
        )
        a = "world" if name == "upper" else "upper"
        limits = Limits(lower=0.0, restitution=case["rows"][row]["e"]) if name == "lower" else None
        joints.append(Hinge(name=f"to {name}", a=a, b=name, at=joint, axis=(0, 0, 1), limits=limits))
        joint, speed = joint + along, speed + np.cross(spin, along)
    world = World(Scene(bodies=bodies, joints=joints, gravity=(0, -DOWN, 0)), integrator="implicit")
    world.bodies["upper"].apply_impulse((0, 0, 0))
    after = [world.bodies[k].angular_velocity[2] for k in ("upper", "lower")]
    assert after == pytest.approx(case["rows"][row]["w_after"], rel=1e-9)
    assert world.joints["to lower"].limit_force == pytest.approx(case["rows"][row]["impulse"], rel=1e-9)


def test_a_limit_moved_under_a_bent_joint_does_not_throw_it():
    """What is beyond comes back no faster than 4 rad/s, and the guard takes it for work, not for energy gained."""
    world = World(held_rod(None), integrator="implicit")
    world.gravity = (0, 0, 0)
    world.joints["h"].limits = Limits(lower=0.8, upper=1.5)
    fastest = 0.0
    for _ in range(240):
        world.step(1)
        fastest = max(fastest, abs(world.bodies["rod"].angular_velocity[1]))
    assert 3.5 < fastest < 4.01
    assert world.joints["h"].angle >= 0.8 - 1e-9
    assert world.redone == 0
    assert world.energy().ledger == pytest.approx(0.0, abs=1e-3)


def test_wrapped_angles_come_back_the_short_way():
    """Two turns on, an angle within its range is within it; a slider's travel is not wrapped."""
    world = World(held_rod(None), integrator="implicit")
    world.gravity = (0, 0, 0)
    world.bodies["rod"].velocity, world.bodies["rod"].angular_velocity = (0, 0, -2 * math.pi), (0, 4 * math.pi, 0)
    world.step(240)
    assert world.joints["h"].angle == pytest.approx(4 * math.pi, abs=0.05)
    world.bodies["rod"].velocity, world.bodies["rod"].angular_velocity = (0, 0, 0), (0, 0, 0)
    world.joints["h"].limits = Limits(lower=-1.0, upper=1.0)
    world.step(24)
    assert world.joints["h"].limit_force == 0.0
    assert np.abs(world.bodies["rod"].angular_velocity).max() < 1e-9


def test_switching_limits_off_and_on():
    world = World(held_rod(Limits(upper=0.2)), integrator="implicit")
    world.step(120)
    assert world.joints["h"].limited
    world.joints["h"].limited = False
    world.step(24)
    assert world.joints["h"].angle > 0.25
    assert world.joints["h"].limit_force == 0.0
    assert world.joints["h"].limits == Limits(lower=(-math.inf,), upper=(0.2,))
    world.joints["h"].limits = None
    assert world.joints["h"].limits is None
    assert not world.joints["h"].limited


# ---------------------------------------------------------------- with the rest
def test_accelerations_with_a_limit():
    """At its stop a rod does not accelerate into it, and a motion along a cone keeps to the cone."""
    world = World(held_rod(Limits(upper=0.0)))
    assert np.abs(world.accelerations()).max() < 1e-12
    assert world.joints["h"].limit_force == pytest.approx(-1.5 * DOWN * 0.5, rel=1e-12)
    rod = Body(name="rod", mass=2.0, inertia=(0.01, 0.1, 0.1), position=(0.3, 0.0, -0.4))
    ball = Ball(name="b", a="world", b="rod", twist_axis=(0.6, 0, -0.8), limits=Limits(swing=0.5))
    # twist axis drawn at the edge of its cone about itself turned by half a radian
    world = World(Scene(bodies=[rod], joints=[ball]))
    turn = np.array([0.0, 0.5, 0.0])
    world.bodies["rod"].quaternion = (math.cos(0.25), 0.0, math.sin(0.25), 0.0)
    axis = matrix_of(world.bodies["rod"].quaternion) @ np.array([0.6, 0, -0.8])
    world.bodies["rod"].position = 0.5 * axis
    spin = np.array([0.6, 0, -0.8]) * 3.0  # about the cone's axis: along the cone
    world.bodies["rod"].angular_velocity = spin
    world.bodies["rod"].velocity = np.cross(spin, 0.5 * axis)
    a = world.accelerations()[0]
    along = np.array([0.6, 0, -0.8])
    second = np.cross(a[3:], axis) + np.cross(spin, np.cross(spin, axis))
    # cos(swing) = along . axis: its second derivative is not above zero's side: the cone is kept
    assert along @ second == pytest.approx(0.0, abs=1e-9)
    assert world.joints["b"].limit_force[0] < 0.0
    assert turn[1] == 0.5


def test_a_grab_gives_way_to_a_limit():
    """Pulled against its stop, an arm stays there and the grab pulls at its law; both forces balance."""
    world = World(held_rod(Limits(lower=-0.3, upper=0.3)), integrator="implicit")
    world.gravity = (0, 0, 0)
    grab = world.grab("rod", (1.0, 0.0, 0.0), "point", target=(0.5, 0.0, 0.8), cap=50.0)
    world.step(240)
    assert world.joints["h"].angle == pytest.approx(-0.3, abs=1e-6)
    assert np.linalg.norm(grab.force) <= 50.0 * (1 + 1e-5)
    arm = np.array([math.cos(0.3), 0.0, math.sin(0.3)])
    assert world.joints["h"].limit_force == pytest.approx(-np.cross(arm, grab.force)[1], rel=1e-6)
    assert world.redone == 0


def test_posing_keeps_to_limits():
    world = World(held_rod(Limits(lower=-0.3, upper=0.3)), integrator="implicit")
    world.order = "kinematic"
    grab = world.grab("rod", (1.0, 0.0, 0.0), target=(0.5, 0.0, 0.8))
    world.step(120)
    assert world.joints["h"].angle == pytest.approx(-0.3, abs=1e-6)
    grab.target = (1.0, 0.0, 0.1)
    world.step(120)
    assert world.joints["h"].angle == pytest.approx(-math.atan(0.1), abs=1e-3)


def test_a_limit_against_a_link_is_named():
    """A rod pinned beyond its stop cannot keep to it: the motion goes on, the joint is named."""
    world = World(held_rod(None), integrator="implicit")
    world.pin("rod")
    world.joints["h"].limits = Limits(lower=0.5, upper=1.0)
    world.step(24)
    assert world.contradictions == ["h"]
    assert np.isfinite(state_of(world).pose).all()
    assert np.abs(world.joints["h"].torque).max() < 1e3


def test_limits_of_folded_and_reversed_joints():
    """A joint of a massless body, and one whose b is the parent in the forest, have the limits of their definition."""
    leg = Body(name="leg", mass=1.0, inertia=(0.05, 0.05, 0.01), position=(0, 0, -0.5))
    joints = [
        Hinge(name="roll", a="world", b="link", axis=(1, 0, 0), limits=Limits(lower=-0.1, upper=0.2)),
        Hinge(name="pitch", a="leg", b="link", axis=(0, 1, 0), limits=Limits(lower=-0.25, upper=0.5)),
    ]
    world = World(Scene(bodies=[leg, Massless(name="link")], joints=joints), integrator="implicit")
    assert world.joints["pitch"].limits == Limits(lower=(-0.25,), upper=(0.5,))
    world.gravity = (5.0, 20.0, -1.0)
    world.step(240)
    assert world.joints["roll"].angle == pytest.approx(0.2, abs=1e-6)
    assert world.joints["pitch"].angle == pytest.approx(0.5, abs=1e-6)
    assert world.joints["pitch"].limit_force < 0.0
    world.joints["pitch"].limits = Limits(upper=0.1)
    world.step(240)
    assert world.joints["pitch"].angle == pytest.approx(0.1, abs=1e-6)


def test_snapshots_hold_limits():
    world = World(held_rod(Limits(upper=0.7)), integrator="implicit")
    world.step(60)
    early = world.snapshot()
    world.step(60)
    hash_then = world.state_hash()
    world.joints["h"].limits = Limits(lower=-0.1, upper=0.4)
    world.joints["h"].limited = False
    world.step(10)
    world.restore(early)
    assert world.joints["h"].limits == Limits(lower=(-math.inf,), upper=(0.7,))
    world.step(60)
    assert world.state_hash() == hash_then


def test_refusals():
    with pytest.raises(DefinitionError, match="lower below upper"):
        held_rod(Limits(lower=0.5, upper=0.5))
    with pytest.raises(DefinitionError, match="swing and twist belong to ball"):
        held_rod(Limits(swing=1.0))
    with pytest.raises(DefinitionError, match="lower and upper belong"):
        Ball(name="b", a="x", b="y", limits=Limits(lower=0.0))
    with pytest.raises(DefinitionError, match="swing in limits of ball joint 'b'"):
        Ball(name="b", a="x", b="y", limits=Limits(swing=0.0))
    with pytest.raises(DefinitionError, match="Limits"):
        held_rod("0 to 1")
    with pytest.raises(DefinitionError, match="one number, or 2"):
        Universal(name="u", a="x", b="y", axis=(1, 0, 0), axis2=(0, 1, 0), limits=Limits(lower=(0.0, 1.0, 2.0)))
    with pytest.raises(DefinitionError, match="shortest of rope joint"):
        Rope(name="r", a="x", b="y", at=((0, 0, 0), (1, 0, 0)), shortest=2.0)
    parts = [Turn(axis=(0, 0, 1), limits=Limits(swing=1.0)), Slide(axis=(1, 0, 0))]
    with pytest.raises(DefinitionError, match="limits of part 1"):
        Compound(name="c", a="x", b="y", parts=parts)
    world = World(held_rod(None))
    with pytest.raises(DefinitionError, match="limits of hinge joint 'h'"):
        world.joints["h"].limits = 3.0
    with pytest.raises(DefinitionError, match="True or False"):
        world.joints["h"].limited = 3
    assert Cylindrical(name="c", a="x", b="y", axis=(0, 0, 1), limits=Limits(upper=(0.1, None))).limits == Limits(
        lower=(-math.inf, -math.inf), upper=(0.1, math.inf)
    )
    assert Slider(name="s", a="x", b="y", axis=(0, 0, 1), limits=Limits(upper=0.1)).limits is not None
