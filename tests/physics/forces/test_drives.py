"""Drives of joints: closed forms, limits that are exact, all modes and integrators, work, live settings, refusals."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from physics.maths.rotations import matrix_of, rotation_quaternion
from physics.data.model import Signals
from physics.definitions.actuators import Drive
from physics.definitions.motions import Moving
from physics.definitions.bodies import Body, Massless
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Hinge, Slider, Universal
from physics.definitions.scene import Scene
from physics.definitions.prescribed import evaluate_at
from physics.definitions.signals import Clip, Keyed, Ramp, Sinusoid, Tables
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers.arrays import work_of

INTEGRATORS = ("trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit")
IMPLICIT = ("trbdf2", "implicit")
ALL = ("trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit")
INERTIA = 0.08 + 0.25  # of the rod about its hinge: I + m (L/2)^2


def rod(**more):
    return Body(name="rod", mass=1.0, inertia=(0.001, 0.08, 0.08), position=(0.5, 0.0, 0.0), **more)


def driven_rod(integrator="trbdf2", gravity=0.0, steps=240, joint=None, **drive):
    """A rod on a hinge (y axis) at its end, and one drive."""
    joint = joint or Hinge(name="h", a="world", b="rod", axis=(0.0, 1.0, 0.0))
    scene = Scene(
        bodies=[rod()], joints=[joint], drives=[Drive(name="d", joint="h", **drive)],
        gravity=(0.0, 0.0, -gravity), timestep=1.0 / steps,
    )  # fmt: skip
    return World(scene, integrator=integrator)


def test_droops_under_the_weight():
    """k (q* - q) = -m g (L/2) cos q at rest: about y, the weight turns the rod on."""
    world = driven_rod("implicit", 9.81, position=-0.5, stiffness=200.0, damping=20.0)
    world.step(1200)
    q = world.joints["h"].angle
    assert 200.0 * (-0.5 - q) == pytest.approx(-9.81 * 0.5 * math.cos(q), rel=1e-6)
    assert world.drives["d"].output == pytest.approx(200.0 * (-0.5 - q), rel=1e-6)
    assert world.drives["d"].error == pytest.approx(-0.5 - q)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("rattle4", 4), ("rk4", 4)])
def test_step_response(integrator, order):
    """A critically damped drive: q = 1 - (1 + w t) exp(-w t), w = 8/s. (`rattle` takes dampers to first order.)"""
    w, t = 8.0, 0.25
    exact = 1.0 - (1.0 + w * t) * math.exp(-w * t)
    gains = {"stiffness": w * w * INERTIA, "damping": 2.0 * w * INERTIA if integrator != "rattle4" else 0.0}
    if integrator == "rattle4":
        exact = 1.0 - math.cos(w * t)
    errors = []
    for steps in (80, 160):
        world = driven_rod(integrator, steps=steps, position=1.0, **gains)
        world.step(int(t * steps))
        errors.append(abs(world.joints["h"].angle - exact))
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.25)
    assert errors[1] < 1e-2


@pytest.mark.parametrize("integrator", ALL)
def test_a_limit_is_a_constant_torque(integrator):
    """Far from its position the drive gives its limit and no more: q' = (u/I) t, in every integrator."""
    world = driven_rod(integrator, position=3.0, stiffness=1e5, damping=10.0, max=(-2.0, 0.7))
    world.step(60)
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(0.7 / INERTIA * 0.25, rel=1e-5)
    assert world.drives["d"].output == pytest.approx(0.7, rel=1e-12)
    assert world.drives["d"].at_limit
    world.drives["d"].position = -3.0
    world.step(1)
    assert world.drives["d"].output == pytest.approx(-2.0, rel=1e-12)


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_stiff_drive_comes_to_rest_within_its_limit(integrator):
    """1e6 N m/rad at 1/60 with 5 N m: bang-bang, never above the limit, and it gets there without being redone."""
    world = driven_rod(integrator, steps=60, position=1.0, stiffness=1e6, damping=3e5, max=5.0)
    largest = 0.0
    for _ in range(180):
        world.step()
        largest = max(largest, abs(world.drives["d"].output))
    assert largest == pytest.approx(5.0, rel=1e-9)
    assert world.redone == 0
    assert world.joints["h"].angle == pytest.approx(1.0, abs=0.02)
    assert not world.drives["d"].at_limit


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_velocity_without_a_gain_is_a_constraint_with_a_limit(integrator):
    """I q'' = u_max + g while the limit holds it back, then q' = r exactly, and the effort is what the load asks for;
    a load beyond the limit pulls it away at I q'' = g + u_max, and it comes back."""
    world = driven_rod(integrator, velocity=2.0, max=3.0)
    rod, drive = world.bodies["rod"], world.drives["d"]
    rod.applied_torque = (0.0, -1.0, 0.0)
    world.step(24)
    # the effort takes a step to reach its limit, at the most
    assert rod.angular_velocity[1] == pytest.approx(2.0 * world.time / INERTIA, abs=3.0 / INERTIA / 240.0)
    assert drive.output == pytest.approx(3.0, rel=1e-9)
    assert drive.at_limit
    world.step(96)
    # of a body off its axis `implicit` and its kin have the velocity of the middle of the step
    close = 2e-3 if integrator in ("trbdf2", "implicit", "hernandez", "explicit") else 1e-9
    assert rod.angular_velocity[1] == pytest.approx(2.0, abs=1e-4 * close)
    assert drive.output == pytest.approx(1.0, abs=close)
    assert not drive.at_limit
    rod.applied_torque = (0.0, 2.0, 0.0)
    world.step(10)
    assert rod.angular_velocity[1] == pytest.approx(2.0, abs=1e-4 * close)
    assert drive.output == pytest.approx(-2.0, abs=close)
    rod.applied_torque = (0.0, -4.0, 0.0)
    world.step(60)
    assert rod.angular_velocity[1] == pytest.approx(2.0 - 0.25 / INERTIA, abs=5.0 / INERTIA / 240.0)
    assert drive.at_limit
    rod.applied_torque = (0.0, 0.0, 0.0)
    world.step(120)
    assert rod.angular_velocity[1] == pytest.approx(2.0, abs=1e-4 * close)
    assert drive.output == pytest.approx(0.0, abs=close)
    assert world.redone == 0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_two_velocities_without_gains(integrator):
    """A slider on an arm that is turned: the arm by a drive that its limit holds back at first, the slider outwards.
    Speeds rise until they are kept; then u = -m w^2 r along the slider, 2 m w v r about the axle."""
    bodies = [
        Body(name="arm", mass=1.0, inertia=(0.1, 0.1, 0.1)),
        Body(name="bead", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.0, 0.0, 0.0)),
    ]
    joints = [
        Hinge(name="axle", a="world", b="arm", axis=(0.0, 0.0, 1.0)),
        Slider(name="rail", a="arm", b="bead", axis=(1.0, 0.0, 0.0)),
    ]
    drives = [
        Drive(name="turn", joint="axle", velocity=3.0, max=50.0),
        Drive(name="out", joint="rail", velocity=0.2, max=50.0),
    ]
    scene = Scene(bodies=bodies, joints=joints, drives=drives, gravity=(0.0, 0.0, 0.0), timestep=1.0 / 240.0)
    world = World(scene, integrator=integrator)
    last = 0.0
    for _ in range(60):
        world.step(1)
        rate = world.bodies["arm"].angular_velocity[2]
        assert rate > last - 1e-4
        last = rate
    kept = world.energy().ledger
    world.step(60)
    if integrator in ("rattle", "rattle4", "rk4"):  # the others damp, or swing by their first order
        assert world.energy().ledger == pytest.approx(kept, abs=1e-4)
    assert world.bodies["arm"].angular_velocity[2] == pytest.approx(3.0, abs=1e-7)
    place = world.bodies["bead"].position[:2]
    r = math.hypot(*place)
    out = place / r
    # the law of `implicit` and its kin is along the rail as it was at the start of the step
    along = world.bodies["bead"].velocity[:2] @ out
    first_order = integrator in ("implicit", "hernandez", "explicit")
    assert along == pytest.approx(0.2 + (9.0 * r / 240.0 if first_order else 0.0), abs=1e-3)
    assert world.drives["out"].output == pytest.approx(-9.0 * r, rel=2e-2)
    assert world.drives["turn"].output == pytest.approx(2.0 * 3.0 * 0.2 * r, abs=0.4 if first_order else 0.02)


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_speed_drive(integrator):
    """I q'' = c (r - q'): q' = r (1 - exp(-c t / I)); with a limit, no faster than u t / I."""
    world = driven_rod(integrator, steps=960, velocity=2.0, damping=3.0)
    world.step(96)
    exact = 2.0 * (1.0 - math.exp(-3.0 * 0.1 / INERTIA))
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(
        exact, rel=5e-3 if integrator == "implicit" else 1e-5
    )
    world = driven_rod(integrator, velocity=2.0, damping=1e7, max=1.0)
    world.step(48)
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(0.2 / INERTIA, rel=1e-5)
    world.step(240)
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(2.0, rel=1e-6)


def test_effort_alone_and_beside_a_position():
    """I q'' = f(t) with f = 3 cos(2 pi t); beside a position it is added before the limit."""
    world = driven_rod("rk4", torque=Sinusoid(0.0, 3.0, 1.0, math.pi / 2))
    world.step(60)
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(3.0 / (2.0 * math.pi * INERTIA), rel=1e-7)
    world = driven_rod("implicit", 9.81, position=0.0, torque=-9.81 * 0.5, stiffness=50.0, damping=10.0)
    world.step(480)
    assert world.joints["h"].angle == pytest.approx(0.0, abs=1e-9)  # the weight is carried beforehand
    world.drives["d"].max = 4.0
    world.step(20)
    assert abs(world.drives["d"].output) == pytest.approx(4.0, rel=1e-12)


TOLD = {
    "number": 0.4, "ramp": Ramp(rate=0.8, start=0.1), "sinusoid": Sinusoid(0.1, 0.5, 1.5, 0.3),
    "keys": Keyed((0.0, 0.2, 0.35, 0.6), (0.1, 0.5, -0.2, 0.4), ease="spline"),
    "clip": Clip([0.0, 0.25, 0.6], [[0.1, 1.0], [0.5, 2.0], [-0.3, 0.0]]).channels[0],
}  # fmt: skip
LAWS = {
    "position": ({"stiffness": 30.0, "damping": 2.0}, lambda x, dx, q, dq: 30.0 * (x - q) + 2.0 * (dx - dq)),
    "velocity": ({"damping": 3.0}, lambda x, dx, q, dq: 3.0 * (x - dq)),
    "torque": ({}, lambda x, dx, q, dq: x),
}


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize("target", LAWS)
def test_every_target_follows_every_function_of_time(target, told):
    """I q'' = u of the law, integrated to 1e-10 with the function's value and rate at each time"""
    gains, law = LAWS[target]
    world = driven_rod("rk4", steps=960, **gains, **{target: TOLD[told]})
    world.step(480)
    tables = Tables()
    tables.add(TOLD[told])
    signals = Signals(*tables.make(), np.zeros((0, 2), np.int64), np.zeros((0, 4)))
    value = np.zeros((1, 3))

    def rates(t, state):
        evaluate_at(signals, t, value)
        return state[1], law(value[0, 0], value[0, 1], *state) / INERTIA

    goal = solve_ivp(rates, (0.0, 0.5), (0.0, 0.0), rtol=1e-10, atol=1e-12, max_step=0.01).y[:, -1]
    assert abs(goal[0]) > 1e-3
    assert world.joints["h"].angle == pytest.approx(goal[0], abs=2e-7)
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(goal[1], abs=2e-6)


# ---------------------------------------------------------------- figures with many drives
def chain(limit=math.inf, reverse=False, count=4, closed=False, **options):
    """Hinges and ball joints in turn, a drive on each; `reverse` names the bodies the other way round."""
    bodies = [
        Body(name=f"b{i}", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(0.5 + i, 0.1 * i, 0.0)) for i in range(count)
    ]
    joints, drives = [], []
    for i in range(count):
        a, b = "world" if i == 0 else f"b{i - 1}", f"b{i}"
        if reverse and i:
            a, b = b, a
        if i % 2:
            joints.append(Ball(name=f"h{i}", a=a, b=b, at=(i, 0.0, 0.0)))
        else:
            joints.append(Hinge(name=f"h{i}", a=a, b=b, at=(i, 0.0, 0.0), axis=(0.0, 1.0, 0.2 * i)))
        goal = (0.3, -0.4, 0.5) if i % 2 else 0.5
        drives.append(Drive(name=f"d{i}", joint=f"h{i}", position=goal, stiffness=300.0, damping=20.0, max=limit))
    if closed:
        joints.append(Hinge(name="last", a="world", b=f"b{count - 1}", at=(count, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        drives.append(Drive(name="end", joint="last", velocity=0.5, damping=5.0, max=limit))
    return World(Scene(bodies=bodies, joints=joints, drives=drives), **options)


@pytest.mark.parametrize("mode", list(MODES))
@pytest.mark.parametrize("reverse", [False, True])
def test_all_modes_agree_at_the_limits(mode, reverse):
    """Four drives over their limits at once: each gives exactly its limit or what its law asks for."""
    first = chain(8.0, reverse, integrator="implicit")
    world = chain(8.0, reverse, integrator="implicit", solver=mode)
    first.step(3)
    world.step(3)
    for name, body in first.bodies.items():
        assert world.bodies[name].position == pytest.approx(body.position, abs=1e-11)
    outputs = [np.linalg.norm(d.output) for d in world.drives.values()]
    assert outputs == pytest.approx([8.0] * 4, rel=1e-9)


@pytest.mark.parametrize("integrator", IMPLICIT)
def test_every_drive_does_what_its_law_says(integrator):
    """After a step of the chain, with different limits: within the limit the output of a hinge's drive is
    k (q* - q1) - c q1' to the order of the step, at the limit it is the limit; and few rounds are needed."""
    world = chain(integrator=integrator)
    for k, limit in enumerate((1e3, 6.0, 5.0, 1e3)):
        world.drives[f"d{k}"].max = limit
    before = work_of(world).control[21]
    world.step(40)
    rounds = (work_of(world).control[21] - before) / (40 * (2 if integrator == "trbdf2" else 1))
    assert rounds < 4.0
    assert world.drives["d1"].at_limit or np.linalg.norm(world.drives["d1"].output) < 6.0
    assert np.linalg.norm(world.drives["d1"].output) <= 6.0 * (1.0 + 1e-8)
    assert abs(world.drives["d2"].output) <= 5.0 * (1.0 + 1e-8)
    world.timestep = 1e-6
    world.step()
    q = world.joints["h0"].angle
    rate = world.bodies["b0"].angular_velocity[1]
    assert world.drives["d0"].output == pytest.approx(300.0 * (0.5 - q) - 20.0 * rate, rel=1e-3)


def test_a_drive_on_a_loop():
    """The joint that closes a loop is driven like any other: a four-bar turned by its last hinge."""
    names = ("crank", "rod", "rocker")
    points = [(0.0, 0.0, 0.0), (0.0, 0.0, 0.3), (0.8, 0.0, 0.5), (0.8, 0.0, 0.0)]
    bodies, joints = [], []
    for k, name in enumerate(names):
        middle = [(p + q) / 2 for p, q in zip(points[k], points[k + 1], strict=True)]
        bodies.append(Body(name=name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=middle))
    for k in range(4):
        a = names[k - 1] if k else "world"
        b = names[k] if k < 3 else "world"
        joints.append(Hinge(name=f"j{k}", a=a, b=b, at=points[k], axis=(0.0, 1.0, 0.0)))
    for which in ("j0", "j3"):
        drive = Drive(name="d", joint=which, velocity=1.0, damping=50.0, max=30.0)
        world = World(Scene(bodies=bodies, joints=joints, drives=[drive], gravity=(0, 0, 0)), integrator="implicit")
        start = world.joints[which].angle
        world.step(72)
        assert world.joints[which].angle - start == pytest.approx(0.3, rel=0.1)
        assert world.largest_gap < 1e-6


@pytest.mark.parametrize("reverse", [False, True])
def test_ball_drive_turns_b_relative_to_a(reverse):
    """R_b R_b0^T = (R_a R_a0^T) exp(position), whichever of the two the joint names first; `a` is turned meanwhile."""
    goal = np.array([0.5, -0.8, 0.3])
    a, b = ("tip", "base") if reverse else ("base", "tip")
    bodies = [
        Body(
            name="base", mass=5.0, inertia=(1.0, 1.2, 1.4), orientation=rotation_quaternion(np.array([0.3, 0.2, 0.1]))
        ),
        Body(name="tip", mass=0.5, inertia=(0.01, 0.02, 0.03), position=(0.5, 0.0, 0.0)),
    ]
    joint = Ball(name="j", a=a, b=b, at=(0.2, 0.0, 0.0))
    drive = Drive(name="d", joint="j", position=tuple(goal), stiffness=30.0, damping=6.0)
    world = World(Scene(bodies=bodies, joints=[joint], drives=[drive], gravity=(0, 0, 0)), integrator="implicit")
    start = {name: matrix_of(body.quaternion) for name, body in world.bodies.items()}
    world.bodies["base"].angular_velocity = (0.5, 0.0, 1.0)
    world.assemble()
    world.step(1500)
    turn = {name: matrix_of(body.quaternion) @ start[name].T for name, body in world.bodies.items()}
    wanted = turn[a] @ matrix_of(rotation_quaternion(goal))
    assert turn[b] == pytest.approx(wanted, abs=3e-3)
    assert np.abs(turn[a] - np.eye(3)).max() > 0.1


@pytest.mark.parametrize("reverse", [False, True])
def test_ball_drive_to_a_speed_and_an_effort(reverse):
    """w_b - w_a = R_a w*, and the torque on b is R_a f: both in the axes of a as drawn."""
    tip = Body(name="tip", mass=0.5, inertia=(0.02, 0.02, 0.02))
    a, b = ("tip", "world") if reverse else ("world", "tip")
    scene = Scene(
        bodies=[tip], joints=[Ball(name="j", a=a, b=b)],
        drives=[Drive(name="d", joint="j", velocity=(0.0, 0.0, 2.0), damping=5.0)], gravity=(0, 0, 0),
    )  # fmt: skip
    world = World(scene, integrator="implicit")
    world.step(240)
    assert world.bodies["tip"].angular_velocity == pytest.approx([0.0, 0.0, -2.0 if reverse else 2.0], abs=1e-9)
    drive = Drive(name="d", joint="j", torque=(0.03, 0.0, 0.0), max=0.01)
    world = World(Scene(bodies=[tip], joints=scene.joints, drives=[drive], gravity=(0, 0, 0)), integrator="rk4")
    world.step(240)
    sign = -1.0 if reverse else 1.0
    assert world.bodies["tip"].angular_velocity == pytest.approx([sign * 0.01 / 0.02, 0.0, 0.0], abs=1e-9)
    assert world.drives["d"].output == pytest.approx([0.01, 0.0, 0.0])


def test_ball_drive_follows_a_clip_of_quaternions():
    """About z at 1 rad/s, stiff: the joint follows, and its rate is the clip's."""
    times = np.linspace(0.0, 2.0, 41)
    clip = Clip(times, [rotation_quaternion(np.array([0.0, 0.0, t])) for t in times])
    scene = Scene(
        bodies=[Body(name="tip", mass=0.5, inertia=(0.02, 0.02, 0.02))], joints=[Ball(name="j", a="world", b="tip")],
        drives=[Drive(name="d", joint="j", position=clip, stiffness=1e4, damping=100.0)], gravity=(0, 0, 0),
    )  # fmt: skip
    world = World(scene, integrator="trbdf2")
    world.step(240)
    assert world.joints["j"].angle == pytest.approx([0.0, 0.0, 1.0], abs=1e-3)
    assert world.bodies["tip"].angular_velocity == pytest.approx([0.0, 0.0, 1.0], abs=1e-2)


# ---------------------------------------------------------------- joints of several axes, moving and massless bodies
def test_axes_of_a_reversed_joint_keep_their_numbers():
    """Axis 1 of a universal joint between two bodies, named either way round."""
    for reverse in (False, True):
        a, b = ("tip", "base") if reverse else ("base", "tip")
        bodies = [
            Body(name="base", mass=5.0, inertia=(1.0, 1.0, 1.0)),
            Body(name="tip", mass=0.5, inertia=(0.01, 0.02, 0.03), position=(0.5, 0.0, 0.0)),
        ]
        joint = Universal(name="j", a=a, b=b, at=(0.2, 0.0, 0.0), axis=(1, 0, 0), axis2=(0, 1, 0), damping=0.1)
        drives = [Drive(name="d", joint="j", axis=1, position=0.4, stiffness=50.0, damping=5.0)]
        world = World(Scene(bodies=bodies, joints=[joint], drives=drives, gravity=(0, 0, 0)), integrator="implicit")
        world.step(480)
        assert world.joints["j"].angle == pytest.approx([0.0, 0.4], abs=1e-3)
        assert world.drives["d"].error == pytest.approx(0.0, abs=1e-3)


def test_a_drive_of_a_folded_joint():
    """Two hinges through a massless body, the second driven."""
    scene = Scene(
        bodies=[rod(), Massless(name="m")],
        joints=[Hinge(name="z", a="world", b="m", axis=(0, 0, 1), damping=0.1),
                Hinge(name="h", a="m", b="rod", axis=(0, 1, 0))],
        drives=[Drive(name="d", joint="h", position=0.3, stiffness=100.0, damping=20.0)], gravity=(0, 0, 0),
    )  # fmt: skip
    world = World(scene, integrator="implicit")
    world.step(480)
    assert world.joints["h"].angle == pytest.approx(0.3, abs=1e-5)
    assert world.joints["z"].angle == pytest.approx(0.0, abs=1e-5)


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rk4"])
def test_on_a_moving_body(integrator):
    """A slider on a base that moves at 1 m/s along it: the drive's damping sees the relative rate, its work too."""
    base = Moving(name="base", position=(Ramp(1.0), 0.0, 0.0))
    box = Body(name="box", mass=2.0, inertia=(0.1, 0.1, 0.1), velocity=(1.0, 0.0, 0.0))
    scene = Scene(
        bodies=[base, box], joints=[Slider(name="s", a="base", b="box", axis=(1, 0, 0))],
        drives=[Drive(name="d", joint="s", position=0.0, stiffness=500.0, damping=50.0)], gravity=(0, 0, 0),
    )  # fmt: skip
    world = World(scene, integrator=integrator)
    world.step(240)
    assert world.bodies["box"].position[0] == pytest.approx(1.0, abs=1e-9)
    assert world.drives["d"].output == pytest.approx(0.0, abs=1e-8)
    assert world.energy().ledger == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("rattle", 2), ("rk4", 4)])
def test_work_is_in_the_ledger(integrator, order):
    """The energy less the work of a drive that follows a sine comes to a constant with the order of the method."""
    left = []
    for steps in (100, 200):
        more = {} if integrator == "rattle" else {"damping": 1.0}
        world = driven_rod(integrator, 9.81, steps, position=Sinusoid(0.2, 0.5, 1.0), stiffness=20.0, **more)
        start = world.energy().ledger
        world.step(steps)
        left.append(abs(world.energy().ledger - start))
        assert abs(world.energy().total - start) > 0.1
    assert left[0] / left[1] > 0.8 * 2.0**order


# ---------------------------------------------------------------- live, determinism
def test_switches():
    """Off is as if there were no drive, to the last bit; each has a switch of its own."""
    without = driven_rod("implicit", 9.81, position=0.5, stiffness=1.0)
    without.drives["d"].on = False
    world = driven_rod("implicit", 9.81, position=0.5, stiffness=1e4, damping=1.0, max=2.0)
    world.drives_on = False
    for w in (without, world):
        w.step(20)
    assert world.bodies["rod"].position.tolist() == without.bodies["rod"].position.tolist()
    assert world.drives["d"].on
    assert not world.drives_on
    world.drives_on = True
    world.step()
    assert abs(world.drives["d"].output) == pytest.approx(2.0)


@pytest.mark.parametrize("integrator", ALL)
def test_repeated_to_the_last_bit(integrator):
    """One by one, from a snapshot taken while drives are at their limits, in one call."""
    worlds = [chain(6.0, integrator=integrator, closed=True) for _ in range(3)]
    worlds[0].step(8)
    for _ in range(8):
        worlds[1].step()
    worlds[2].drives["d0"].position = Keyed((0.0, 0.1), (1.0, 2.0))
    worlds[2].drives["d1"].max = 1.0
    worlds[2].step(3)
    there = chain(6.0, integrator=integrator, closed=True)
    there.step(4)
    worlds[2].restore(there.snapshot())
    worlds[2].step(4)
    assert len({w.state_hash() for w in worlds}) == 1
    assert worlds[0].energy() == worlds[1].energy() == worlds[2].energy()
    assert worlds[2].drives["d1"].max == (-6.0, 6.0)
    assert worlds[2].drives["d0"].position == 0.5


def test_what_is_told_can_be_read_and_set():
    world = driven_rod("implicit", position=0.5, stiffness=10.0, damping=1.0, max=3.0)
    drive = world.drives["d"]
    assert (drive.position, drive.velocity, drive.torque) == (0.5, None, None)
    drive.position, drive.stiffness, drive.damping, drive.max = Sinusoid(0.1, 0.2, 3.0), 20.0, 2.0, (-1.0, 4.0)
    assert drive.position == Sinusoid(0.1, 0.2, 3.0)
    assert (drive.stiffness, drive.damping, drive.max) == (20.0, 2.0, (-1.0, 4.0))
    with pytest.raises(DefinitionError, match="defined without one"):
        drive.velocity = 1.0
    with pytest.raises(DefinitionError, match="max of drive 'd'"):
        drive.max = (1.0, 2.0)


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        ({"joint": "nope", "torque": 1.0}, "joint of drive 'd': got 'nope'"),
        ({"joint": "h"}, "targets of drive 'd'"),
        ({"joint": "h", "position": 0.0, "velocity": 1.0, "stiffness": 1.0}, "targets of drive 'd'"),
        ({"joint": "h", "position": 0.0}, "stiffness of drive 'd'"),
        ({"joint": "h", "velocity": 1.0}, "gains of drive 'd'"),
        ({"joint": "h", "torque": 1.0, "damping": 1.0}, "gains of drive 'd'"),
        ({"joint": "h", "torque": 1.0, "axis": 1}, "axis of drive 'd': got 1"),
        ({"joint": "h", "torque": (1.0, 2.0, 3.0)}, "torque of drive 'd'"),
        ({"joint": "h", "torque": "strong"}, "torque of drive 'd'"),
        ({"joint": "h", "torque": 1.0, "max": 0.0}, "max of drive 'd'"),
        ({"joint": "h", "torque": 1.0, "max": math.nan}, "max of drive 'd'"),
        ({"joint": "h", "torque": 1.0, "on": 1}, "on of drive 'd'"),
    ],
)
def test_bad_drives_are_refused(drive, words):
    joints = [Hinge(name="h", a="world", b="rod", axis=(0, 1, 0))]
    with pytest.raises(DefinitionError) as refusal:
        World(Scene(bodies=[rod()], joints=joints, drives=[Drive(name="d", **drive)]))
    assert words in str(refusal.value)


def test_a_ball_takes_three_numbers_and_one_limit():
    joints = [Ball(name="j", a="world", b="rod")]
    for key in ("position", "torque"):
        with pytest.raises(DefinitionError, match=f"{key} of drive 'd'"):
            Scene(bodies=[rod()], joints=joints, drives=[Drive(name="d", joint="j", stiffness=1.0, **{key: 1.0})]
                  if key == "position" else [Drive(name="d", joint="j", torque=1.0)])  # fmt: skip
    with pytest.raises(DefinitionError, match="max of drive 'd'"):
        Scene(bodies=[rod()], joints=joints, drives=[Drive(name="d", joint="j", torque=(1, 0, 0), max=(-1, 2))])
