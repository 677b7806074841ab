"""Bodies at rest, drives, grabs, limits and media against solutions in closed form."""

from pathlib import Path

import numpy as np
import pytest
from numpy import cos, exp, pi, sin, sqrt

from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.cases.closed_forms import STIFF, G, from_text, integrators, missed, outside, solvers, sound


# ------------------------------------------------------------------------------------------------ statics
@integrators
@solvers
def test_a_door_hangs_on_its_two_hinges(solver: str, integrator: str) -> None:
    """Each hinge has half of the weight; they are pulled and pushed by m g (w/2) / h, h apart."""
    mass, width, apart = 20.0, 0.9, 1.6
    inertia = (mass * 2.0**2 / 12, mass * (width**2 + 4) / 12, mass * width**2 / 12)
    door = Body(name="door", mass=mass, inertia=inertia, position=(width / 2, 0, 1))
    joints = [
        Hinge(name="low", a="world", b="door", at=(0, 0, 1 - apart / 2), axis="z"),
        Hinge(name="high", a="world", b="door", at=(0, 0, 1 + apart / 2), axis="z"),
    ]
    world = World(Scene(bodies=[door], joints=joints, timestep=1 / 240), solver=solver, integrator=integrator)
    side = mass * G * width / 2 / apart
    for _ in range(2):  # before the first step, and after some
        # moments are paid for by 1e4: they take a share of some (r/h)^2 with r a hundredth of the radius of gyration
        assert world.joints["low"].force == pytest.approx([side, 0, mass * G / 2], abs=1e-4 * mass * G)
        assert world.joints["high"].force == pytest.approx([-side, 0, mass * G / 2], abs=1e-4 * mass * G)
        world.step(20)
    sound(world)


@integrators
@solvers
def test_a_bar_that_loses_one_of_two_pins_leans_on_the_other_with_a_quarter(solver: str, integrator: str) -> None:
    """Two pins carry m g / 2 each; at the moment when one is taken away the other has m g / 4."""
    length, mass = 1.2, 3.0
    about = mass * length**2 / 12
    bar = Body(name="bar", mass=mass, inertia=(about / 100, about, about))
    world = World(Scene(bodies=[bar], timestep=1 / 1000), solver=solver, integrator=integrator)
    left = world.pin("bar", (-length / 2, 0, 0), name="left")
    world.pin("bar", (length / 2, 0, 0), name="right")
    world.step(5)
    world.accelerations()
    # statics
    assert left.force == pytest.approx([0, 0, mass * G / 2], abs=1e-5 * mass * G)
    assert world.pins["right"].force == pytest.approx([0, 0, mass * G / 2], abs=1e-5 * mass * G)
    world.unpin("right")
    world.accelerations()
    assert left.force == pytest.approx([0, 0, mass * G / 4], abs=1e-5 * mass * G)
    world.step(200)
    # it falls as a pendulum: w^2 = 3 g sin(a) / L
    angle = np.arcsin((left.anchor[2] - world.bodies["bar"].position[2]) / (length / 2))
    close = 5 * missed(sqrt(1.5 * G / length), 1 / 1000, integrator) + 1e-6
    assert world.bodies["bar"].angular_velocity[1] == pytest.approx(sqrt(3 * G * sin(angle) / length), rel=close)


@pytest.mark.parametrize("integrator", STIFF)
@solvers
def test_a_cantilever_of_hinged_rods_bends_as_its_springs_say(tmp_path: Path, solver: str, integrator: str) -> None:
    """k q_i = F (lever from hinge i to the tip), tip deflection sum F (L - x_i)^2 / k where it is small."""
    count, link, stiffness, load = 8, 0.25, 400.0, 2.0
    text = f"""
settings: {{gravity: [0, 0, 0], integrator: {integrator}, solver: {solver}}}
repeat:
  beam:
    count: {count}
    step: [{link}, 0, 0]
    first: world
    body: {{mass: 0.1, inertia: [1e-5, {0.1 * link**2 / 12}, {0.1 * link**2 / 12}], at: [{link / 2}, 0, 0]}}
    joint: {{hinge: [previous, this], at: [0, 0, 0], axis: y, stiffness: {stiffness}, damping: 20}}
bodies: {{tip: {{kind: particle, mass: 0.001, at: [{count * link}, 0, 0]}}}}
joints: {{end: {{ball: [beam/last, tip], at: [{count * link}, 0, 0]}}}}
loads: {{tip: {{force: [0, 0, -{load}]}}}}
"""
    world = from_text(tmp_path, text, timestep=0.1)
    world.step(100)
    tip = world.bodies["tip"].position
    deflection = sum(load * (link * (count - i)) ** 2 / stiffness for i in range(count))
    # the rest of the linear theory is of the square of the largest slope
    slope = sum(load * link * (count - i) / stiffness for i in range(count))
    assert -tip[2] == pytest.approx(deflection, rel=slope**2)
    for i in range(count):
        joint = world.joints[f"beam/{i}"]
        # statics of the bent beam: slow motion has died out, the largest angle is 0.01
        assert joint.angle == pytest.approx(load * (tip[0] - joint.anchor[0]) / stiffness, abs=1e-6)
    sound(world)


# ------------------------------------------------------------------------------------------------ drives, grabs, limits
@integrators
@solvers
def test_a_winch_with_a_limited_torque_lifts_its_load(tmp_path: Path, solver: str, integrator: str) -> None:
    """u = min(c (W - w), T): a = (T/r - m g) / (m + I/r^2) while T holds it back, then w = W - m g r / c."""
    mass, inertia, radius, speed = 5.0, 0.05, 0.1, 4.0
    torque, gain = 6.0, 20.0
    text = f"""
bodies:
  drum: {{mass: 2, inertia: [{inertia}, {inertia}, {inertia}], at: [0, 0, 0]}}
  load: {{mass: {mass}, inertia: [0.01, 0.01, 0.01], at: [{radius}, 0, -1]}}
joints:
  axle: {{hinge: [world, drum], at: [0, 0, 0], axis: -y}}
  guide: {{slider: [world, load], at: [{radius}, 0, -1], axis: z}}
constraints:
  rope:
    rack: [load, drum]
    at: {{load: [{radius}, 0, 0], drum: [0, 0, 0]}}
    axis: y
    direction: z
    radius: {radius}
    auxiliary: {outside(solver)}
drives: {{motor: {{joint: axle, velocity: {speed}, damping: {gain}, max: {torque}}}}}
"""
    a = (torque / radius - mass * G) / (mass + inertia / radius**2)
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=1 / 500)
    w = speed - torque / gain  # up to here it is held back
    world.step(int(w * radius / a * 500))
    # a constant acceleration: velocities are exact
    assert world.bodies["load"].velocity[2] == pytest.approx(a * world.time, rel=1e-6)
    assert world.drives["motor"].output == pytest.approx(torque, rel=1e-9)
    assert world.drives["motor"].at_limit
    world.step(100)
    # 0.2 s are 40 times (I + m r^2) / c: a steady state, which does not depend on the step
    assert world.drives["motor"].output == pytest.approx(mass * G * radius, rel=1e-6)
    assert world.bodies["load"].velocity[2] == pytest.approx((speed - mass * G * radius / gain) * radius, rel=1e-6)
    assert not world.drives["motor"].at_limit
    sound(world)


@integrators
def test_a_motor_with_a_limit_keeps_its_speed_under_load(tmp_path: Path, integrator: str) -> None:
    """TimeFunction a velocity W and a largest torque, and no gain, it keeps W under a load of less than that torque."""
    inertia, load, speed, most = 0.1, 4.905, 4.0, 6.0
    text = f"""
settings: {{timestep: 1/2000 s, gravity: [0, 0, 0], integrator: {integrator}}}
bodies: {{drum: {{mass: 1, inertia: [{inertia}, {inertia}, {inertia}], at: [0, 0, 0]}}}}
joints: {{axle: {{hinge: [world, drum], at: [0, 0, 0], axis: y}}}}
loads: {{drum: {{torque: [0, -{load}, 0]}}}}
drives: {{motor: {{joint: axle, velocity: {speed}, max: {most}}}}}
"""
    world = from_text(tmp_path, text)
    world.step(2000)
    # it "is kept exactly, with any torque that `max` allows" (REFERENCE, drives)
    assert world.bodies["drum"].angular_velocity[1] == pytest.approx(speed, abs=1e-12)
    assert world.drives["motor"].output == pytest.approx(load, rel=1e-9)


@pytest.mark.parametrize("kind", ["spring", "point"])
@integrators
@solvers
def test_a_grab_with_a_cap_slows_a_fall(solver: str, integrator: str, kind: str) -> None:
    """a = g - F/m: it pulls with its cap of half the weight, as long as its target is far away."""
    mass = 2.0
    ball = Body(name="ball", mass=mass, inertia=(0.01, 0.01, 0.01))
    world = World(Scene(bodies=[ball], timestep=1 / 500), solver=solver, integrator=integrator)
    grab = world.grab("ball", kind=kind, target=(0, 0, 50), cap=mass * G / 2)
    world.step(100)
    # a constant force: velocities are exact; places are off by a h t / 2 at most
    assert grab.force == pytest.approx([0, 0, mass * G / 2], rel=1e-6, abs=1e-9)
    assert world.bodies["ball"].velocity == pytest.approx([0, 0, -G / 2 * 0.2], rel=1e-6, abs=1e-9)
    assert world.bodies["ball"].position[2] == pytest.approx(-G / 4 * 0.04, abs=G / 2 * 0.2 / 500 / 2 * 1.01)


@integrators
@solvers
def test_a_spring_grab_shows_the_weight(solver: str, integrator: str) -> None:
    """It is a critically damped spring of the point's own inertia with the rate w: a ball hangs g / w^2 below."""
    ball = Body(name="ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    world = World(Scene(bodies=[ball], timestep=1 / 500), solver=solver, integrator=integrator)
    grab = world.grab("ball", kind="spring", target=(0, 0, 0))
    world.step(round(20 / grab.rate * 500))
    # statics: after 20 / w what is left is 20 exp(-20) of it; it is softer by a thousandth (help of links.grabs)
    sag = G / grab.rate**2
    assert world.bodies["ball"].position == pytest.approx([0, 0, -sag], abs=1.01e-3 * sag)
    assert grab.force == pytest.approx([0, 0, 2 * G], rel=1e-6, abs=1e-9)


@integrators
@solvers
def test_a_weight_on_a_rope_that_does_not_get_round_goes_slack(tmp_path: Path, solver: str, integrator: str) -> None:
    """With v0^2 between 2 g l and 5 g l at the bottom the rope is slack from sin(b) = (v0^2 - 2 g l) / (3 g l) over the
    middle on; then it flies to the height l sin(b) + l sin(b) cos(b)^2 / 2 over it."""
    length, mass = 0.8, 0.5
    v0 = sqrt(3.5 * G * length)
    b = np.arcsin((v0**2 - 2 * G * length) / (3 * G * length))
    top = length * sin(b) + length * sin(b) * cos(b) ** 2 / 2
    text = f"""
settings: {{timestep: 1/2000 s, solver: {solver}, integrator: {integrator}}}
bodies: {{bob: {{kind: particle, mass: {mass}, at: [0, 0, -{length}]}}}}
constraints:
  rope: {{rope: [world, bob], at: {{world: [0, 0, 0], bob: [0, 0, -{length}]}}, auxiliary: {outside(solver)}}}
start: {{velocities: {{bob: {{linear: [{v0}, 0, 0]}}}}}}
"""
    world = from_text(tmp_path, text)
    bob, rope = world.bodies["bob"], world.joints["rope"]
    slack, highest = None, -length
    while bob.velocity[2] > -0.1 and world.time < 2:
        world.step(2)
        if slack is None and np.linalg.norm(rope.force) == 0 and bob.position[2] > 0:
            slack = bob.position[2]
        highest = max(highest, bob.position[2])
    # a limit is of first order; the swing is 2.4 rad at w = v0 / l = 6.6, and where it goes slack is quick to change:
    # d sin(b) = (2/3) v0 dv / (g l), with dv = v0 w h / 2 a radian
    close = 2 / 3 * v0**2 / G * 2.4 * (v0 / length / 2000) / 2
    assert slack == pytest.approx(length * sin(b), abs=close)
    assert highest == pytest.approx(top, abs=close)


@integrators
@solvers
def test_a_pendulum_bounces_from_its_stop(solver: str, integrator: str) -> None:
    """A rod falls from level onto a hard limit, where it hangs, and comes back with the share e: 1 - cos(a) = e^2."""
    length, mass, e = 1.0, 1.0, 0.6
    rod = Body(name="rod", mass=mass, inertia=(mass * length**2 / 12,) * 3, position=(length / 2, 0, 0))
    limits = Limits(lower=-1.0, upper=pi / 2, restitution=e)
    hinge = Hinge(name="hinge", a="world", b="rod", axis="y", limits=limits)
    h = 1 / 2000
    world = World(Scene(bodies=[rod], joints=[hinge], timestep=h), solver=solver, integrator=integrator)
    joint, least, struck = world.joints["hinge"], pi / 2, False
    while world.time < 1.3:
        world.step(4)
        assert joint.angle < pi / 2 + 1e-3
        struck = struck or world.bodies["rod"].angular_velocity[1] < -1
        least = min(least, joint.angle) if struck else least
    back = pi / 2 - least
    rate = sqrt(3 * G / length)
    # it strikes a step early or late: rate h of angle, and the energy of a first-order step
    assert 1 - cos(back) == pytest.approx(e**2, abs=3 * rate * h)


# ------------------------------------------------------------------------------------------------ media
@integrators
@solvers
def test_a_ball_in_honey_comes_to_its_speed(tmp_path: Path, solver: str, integrator: str) -> None:
    """Stokes: v = (m g / c) (1 - exp(-c t/m)) with c = 6 pi mu r."""
    mass, radius, viscosity = 0.05, 0.02, 2.0
    drag = 6 * pi * viscosity * radius
    text = f"""
medium: {{viscosity: {viscosity}}}
bodies: {{ball: {{mass: {mass}, shape: {{sphere: {{at: [0, 0, 0], radius: {radius}}}}}}}}}
"""
    steps, time = 100, mass / drag
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=time / steps)
    world.step(steps)
    fastest = mass * G / drag
    # a radian, so to say, of rate c/m; dampers make `rattle` and `rattle4` methods of first order
    order = "explicit" if integrator in ("rattle", "rattle4") else integrator
    close = missed(1.0, 1 / steps, order) + 1e-9
    assert -world.bodies["ball"].velocity[2] == pytest.approx(fastest * (1 - exp(-1)), rel=close)
    world.step(25 * steps)
    assert -world.bodies["ball"].velocity[2] == pytest.approx(fastest, rel=1e-6)
