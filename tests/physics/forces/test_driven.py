"""Figures driven by functions of time: closed forms, orders of convergence, the work of what drives them, and that runs
are repeated to the last bit."""

import math

import numpy as np
import pytest

from physics.data.work_tables import Frames
from physics.definitions.motions import HingeMotor, Moving, SliderMotor
from physics.definitions.bodies import Body, Particle, Static
from physics.definitions.joints import Ball, Distance, Hinge, Slider, Weld
from physics.definitions.scene import Scene
from physics.definitions.signals import Keyed, Ramp, Sinusoid
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers.arrays import work_of

INTEGRATORS = ("trbdf2", "implicit", "rattle", "rattle4", "rk4", "explicit")
BASE = Moving(
    name="base", position=(Sinusoid(0.0, 0.1, 1.0), 0.0, Sinusoid(0.0, 0.05, 2.0, 0.3)),
    rotation=(Sinusoid(0.0, 0.3, 0.7), 0.0, Ramp(0.8)),
)  # fmt: skip


def body(name, x, mass=1.0, y=0.1):
    return Body(name=name, mass=mass, inertia=(0.01, 0.02, 0.015), position=(x, y, 0.0))


def machine(steps, rod=True, **options):
    """A pendulum on a moving base, a motor of each kind on it, and at the end a rod that changes its length."""
    bodies = [BASE, body("b", 0.3, 2.0, 0.0), body("c", 0.8), body("d", 1.2, 0.5)]
    joints = [
        Hinge(name="hinge", a="base", b="b", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), stiffness=3.0),
        HingeMotor(
            name="turn", a="b", b="c", at=(0.6, 0.0, 0.0), axis=(0.0, 0.6, 0.8), position=Sinusoid(0.0, 1.0, 1.5)
        ),
        # names its bodies the other way round
        SliderMotor(
            name="push", a="d", b="c", at=(0.9, 0.1, 0.0), axis=(0.0, 0.6, 0.8), velocity=Sinusoid(0.0, 0.5, 1.5, 1.57)
        ),
    ]
    if rod:
        bodies.append(Particle(name="e", mass=0.3, position=(1.2, 0.1, -0.5)))
        ends = ((1.2, 0.1, 0.0), (1.2, 0.1, -0.5))
        joints.append(Distance(name="rod", a="d", b="e", at=ends, length=Sinusoid(0.5, 0.1, 1.0)))
    world = World(Scene(bodies=bodies, joints=joints, timestep=1.0 / steps), **options)
    world.assemble()
    return world


@pytest.fixture(scope="module")
def reference():
    world = machine(1600, integrator="rk4")
    world.step(1600)
    return world.bodies["e"].position, world.energy().ledger


@pytest.mark.parametrize(
    ("integrator", "order", "steps"),
    [
        ("implicit", 1, 200),
        ("explicit", 1, 200),
        ("trbdf2", 2, 100),
        ("rattle", 2, 100),
        ("rattle4", 4, 50),
        ("rk4", 4, 50),
    ],
)
def test_orders_of_convergence(integrator, order, steps, reference):
    """Of the position, and of the energy less the work that the motors and the base put in."""
    errors = []
    for n in (steps, 2 * steps):
        world = machine(n, integrator=integrator)
        world.step(n)
        assert world.redone == 0
        assert world.largest_gap < 1e-6
        position, ledger = reference
        errors.append((np.abs(world.bodies["e"].position - position).max(), abs(world.energy().ledger - ledger)))
    (far, off), (near, less) = errors
    assert far / near == pytest.approx(2.0**order, rel=0.15)
    assert off / less > 0.85 * 2.0**order
    assert world.joints["turn"].angle == pytest.approx(math.sin(3.0 * math.pi), abs=1e-6)
    travel = 0.5 / (3.0 * math.pi) * (math.cos(1.57) - math.cos(3.0 * math.pi + 1.57))
    assert world.joints["push"].angle == pytest.approx(travel, abs=1e-6)


@pytest.mark.parametrize("solver", list(MODES))
def test_modes_agree(solver):
    rod = not MODES[solver].reduced
    first, other = machine(100, rod), machine(100, rod, solver=solver)
    a, b = first.accelerations(), other.accelerations()
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()
    for name, joint in first.joints.items():
        assert other.joints[name].torque == pytest.approx(joint.torque, abs=1e-9 * (1 + np.linalg.norm(joint.torque)))
        assert other.joints[name].force == pytest.approx(joint.force, abs=1e-9 * (1 + np.linalg.norm(joint.force)))
    for world in (first, other):
        world.step(20)
    assert np.abs(first.bodies["d"].position - other.bodies["d"].position).max() < 1e-7


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_steps_one_by_one_and_snapshots_are_the_same_to_the_bit(integrator):
    worlds = [machine(200, integrator=integrator) for _ in range(3)]
    worlds[0].step(12)
    for _ in range(12):
        worlds[1].step(1)
    worlds[2].joints["push"].velocity = Keyed((0.0, 0.1, 0.2), (0.0, 1.0, 3.0))
    worlds[2].step(5)
    worlds[2].restore(machine(200, integrator=integrator).snapshot())
    worlds[2].step(6)
    other = machine(200, integrator=integrator)
    other.restore(worlds[2].snapshot())
    other.step(6)
    assert other.joints["push"].velocity == worlds[0].joints["push"].velocity
    assert len({world.state_hash() for world in (worlds[0], worlds[1], other)}) == 1
    assert worlds[0].energy() == worlds[1].energy() == other.energy()


def test_welded_to_a_moving_body():
    """A body welded to a moving one moves as it does: x'' = a + w' x r + w x (w x r)."""
    r = np.array([0.4, -0.2, 0.1])
    scene = Scene(
        bodies=[BASE, Body(name="b", mass=1.0, inertia=(1.0, 2.0, 1.5), position=r)],
        joints=[Weld(name="w", a="base", b="b")],
    )
    world = World(scene)
    world.assemble()
    world.step(200)
    base = world.bodies["base"]
    a = work_of(world).frame[0, Frames.ACCELERATION : Frames.ACCELERATION + 6].copy()
    w = base.angular_velocity
    lever = world.bodies["b"].position - base.position
    drawn = r - np.array([0.0, 0.0, 0.05 * math.sin(0.3)])
    assert np.linalg.norm(lever) == pytest.approx(np.linalg.norm(drawn), abs=1e-6)
    assert world.bodies["b"].velocity == pytest.approx(base.velocity + np.cross(w, lever), abs=1e-6)
    expected = a[:3] + np.cross(a[3:], lever) + np.cross(w, np.cross(w, lever))
    assert world.accelerations()[0] == pytest.approx([*expected, *a[3:]], abs=1e-5)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_torque_of_a_motor_that_lifts_a_pendulum(integrator):
    """I q'' + m g l cos q for a rod that lies along x at q = 0, and the power is that times q'."""
    length, mass, inertia = 0.5, 2.0, 0.1
    q = Sinusoid(0.2, 0.8, 1.3, 0.5)
    rod = Body(name="rod", mass=mass, inertia=(0.02, inertia, inertia), position=(length, 0.0, 0.0))
    motor = HingeMotor(name="m", a="rod", b="world", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0), position=q)
    world = World(Scene(bodies=[rod], joints=[motor], timestep=1e-3), integrator=integrator)
    world.assemble()
    world.step(700)
    w = 2 * math.pi * 1.3
    s, c = math.sin(w * 0.7 + 0.5), math.cos(w * 0.7 + 0.5)
    angle, rate, acceleration = 0.2 + 0.8 * s, 0.8 * w * c, -0.8 * w * w * s
    view = world.joints["m"]
    assert view.angle == pytest.approx(angle, abs=1e-6)
    # b is the world: relative to it the rod turns by -q about y, which lifts it for q > 0
    torque = (inertia + mass * length**2) * acceleration + mass * 9.81 * length * math.cos(angle)
    assert view.effort == pytest.approx(torque, abs=0.3)  # one step late: 0.26 N m
    world.accelerations()
    assert view.effort == pytest.approx(torque, rel=1e-3 if integrator in ("implicit", "explicit") else 1e-5)
    assert view.rate == pytest.approx(rate)
    assert view.power == pytest.approx(view.effort * rate)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_mass_on_a_spring_on_a_shaken_base(integrator):
    """m x'' = -k (x - y - l) - c (x' - y'), y = A sin w t: the steady response of amplitude
    A sqrt((k^2 + c^2 w^2) / ((k - m w^2)^2 + c^2 w^2))."""
    m, k, c, amplitude, f = 2.0, 300.0, 12.0, 0.05, 1.7
    base = Moving(name="base", position=(Sinusoid(0.0, amplitude, f), 0.0, 0.0), rotation=(Ramp(3.0), 0.0, 0.0))
    cart = Body(name="cart", mass=m, inertia=(0.1, 0.1, 0.1), position=(0.3, 0.0, 0.0))
    rail = Slider(name="rail", a="base", b="cart", at=(0.3, 0.0, 0.0), axis=(1.0, 0.0, 0.0), stiffness=k, damping=c)
    scene = Scene(bodies=[base, cart], joints=[rail], gravity=(0.0, 0.0, 0.0), timestep=1e-3)
    world = World(scene, integrator=integrator)
    world.assemble()
    world.step(8000)
    w = 2 * math.pi * f
    response = amplitude * (k + 1j * c * w) / (k - m * w * w + 1j * c * w)
    peaks = []
    for _ in range(5):
        peaks.append((world.bodies["cart"].position[0] - 0.3, (response * np.exp(1j * w * world.time)).imag))
        world.step(83)
    tolerance = {"implicit": 0.03, "explicit": 0.03, "rattle": 0.03, "rattle4": 0.03}.get(integrator, 2e-4) * abs(
        response
    )
    assert np.abs(np.diff(peaks, axis=1)).max() < tolerance
    assert world.redone == 0


def test_a_constant_speed_is_kept_in_position():
    wheel = Body(name="wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    motor = HingeMotor(name="m", a="world", b="wheel", axis=(0.0, 0.0, 1.0), velocity=4.0)
    world = World(Scene(bodies=[wheel], joints=[motor], timestep=0.01))
    world.step(1000)
    view = world.joints["m"]
    assert view.angle == pytest.approx(40.0, abs=1e-6)
    view.velocity = Sinusoid(-4.0, 1.0, 1.0)
    assert view.angle == pytest.approx(40.0, abs=1e-6)
    world.step(500)
    assert view.angle == pytest.approx(20.0, abs=1e-6)
    view.position = Ramp(1.0, 5.0)
    assert view.velocity is None
    assert view.position == Ramp(1.0, 5.0)
    world.assemble()
    world.step(10)
    assert view.angle == pytest.approx(15.1 + 5.0, abs=1e-6)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_started_with_a_jerk(integrator):
    """A motor that starts a wheel at rest: the first step brings it to speed, and nothing is redone."""
    wheel = Body(name="wheel", mass=1.0, inertia=(0.1, 0.1, 0.1))
    motor = HingeMotor(name="m", a="world", b="wheel", axis=(0.0, 0.0, 1.0), velocity=4.0)
    world = World(Scene(bodies=[wheel], joints=[motor], timestep=0.01), integrator=integrator)
    world.step(50)
    assert world.redone == 0
    assert world.bodies["wheel"].angular_velocity == pytest.approx([0.0, 0.0, 4.0], abs=1e-3)


def test_posing_follows_a_moving_body():
    chain = [body("b", 0.3, y=0.0), body("c", 0.9, y=0.0)]
    joints = [
        Ball(name="j", a="base", b="b", at=(0.0, 0.0, 0.05 * math.sin(0.3))),
        Ball(name="k", a="b", b="c", at=(0.6, 0.0, 0.0)),
    ]
    world = World(Scene(bodies=[BASE, *chain], joints=joints, timestep=0.01))
    world.order = "kinematic"
    world.step(100)
    assert world.largest_gap < 1e-6
    assert world.redone == 0
    hook = world.joints["j"].anchor
    assert hook == pytest.approx(world.bodies["base"].position, abs=1e-6)


def test_between_a_moving_body_and_the_wall():
    """A second joint to what time moves closes a loop through the world: a crank of two bars."""
    crank = Moving(name="crank", rotation=(0.0, Ramp(3.0), 0.0))
    rod = Body(name="rod", mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.8, 0.0, 0.0))
    slide = Body(name="slide", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(1.4, 0.0, 0.0))
    joints = [
        Hinge(name="rail", a="rod", b="slide", at=(1.4, 0.0, 0.0), axis=(0.0, 1.0, 0.0)),
        Slider(name="slot", a="wall", b="slide", at=(1.4, 0.0, 0.0), axis=(1.0, 0.0, 0.0)),
        Ball(name="pin", a="crank", b="rod", at=(0.2, 0.0, 0.0)),
    ]
    world = World(Scene(bodies=[Static(name="wall"), crank, rod, slide], joints=joints))
    world.assemble()
    world.step(500)
    a = 3.0 * 500 / 240
    assert world.redone == 0
    assert world.bodies["slide"].position[0] == pytest.approx(
        0.2 * math.cos(a) + math.sqrt(1.44 - (0.2 * math.sin(a)) ** 2), abs=1e-6
    )
