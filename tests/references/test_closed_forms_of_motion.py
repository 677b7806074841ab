"""Cases of textbooks with answers in closed form, written with the manuals alone, in every mode that takes them.

Where a step is of order p and the motion has the rate w, what is missed in a radian of motion is some
(w h)^p / (p + 1)!, the first term that a series to that order leaves out: that is `missed`, and a case says by how many
radians it multiplies it. What touches or leans on a limit is stepped to first
order in every integrator, so there p is 1. Statics do not depend on the step: there the tolerance is that of joints
(closed to 3e-7) or of contacts (0.001 of the largest force).
"""

from pathlib import Path

import numpy as np
import pytest
from numpy import arccos, cos, pi, sin, sqrt, tan
from scipy.special import ellipk

from physics.definitions.bodies import Body
from physics.definitions.constraints import Gear, Rack
from physics.definitions.joints import Ball, Hinge, Screw, Slider, Weld
from physics.definitions.motions import HingeMotor
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.cases.closed_forms import ORDER, G, from_text, integrators, missed, outside, solvers, sound


# ------------------------------------------------------------------------------------------------ smooth motion
@integrators
@solvers
def test_a_pendulum_of_150_degrees_has_the_period_of_the_elliptic_integral(solver: str, integrator: str) -> None:
    """T = 4 K(sin^2(a/2)) / w0, w0^2 = m g l / I; at T/4 it is at the bottom with w = 2 w0 sin(a/2)."""
    length, mass, amplitude = 1.0, 2.0, np.deg2rad(150)
    w0 = sqrt(1.5 * G / length)
    centre = (length / 2 * sin(amplitude), 0.0, -length / 2 * cos(amplitude))
    rod = Body(name="rod", mass=mass, inertia=(mass * length**2 / 12,) * 3, position=centre)
    hinge = Hinge(name="hinge", a="world", b="rod", at=(0, 0, 0), axis="y")
    quarter = ellipk(sin(amplitude / 2) ** 2) / w0
    # `hernandez` leaves its joints open by some (w h)^2 l / 4, and `sound` asks for 1e-4
    steps = 800 if integrator == "hernandez" else 200
    world = World(Scene(bodies=[rod], joints=[hinge], timestep=quarter / steps), solver=solver, integrator=integrator)
    world.step(steps)
    # a fall from so near the top lets an error grow by exp(K) / 2 = 8
    close = 8 * missed(w0, quarter / steps, integrator) + 1e-8
    assert world.joints["hinge"].angle == pytest.approx(amplitude, abs=close)
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(2 * w0 * sin(amplitude / 2), abs=close * w0)
    sound(world)


@integrators
@solvers
def test_a_fast_top_precesses_steadily(solver: str, integrator: str) -> None:
    """I1 cos(a) W^2 - I3 w3 W + m g l = 0, I1 about the tip: its axis keeps its lean a and goes round at W."""
    mass, arm, across, along, lean, round_ = 0.5, 0.1, 1e-3, 8e-4, np.deg2rad(40), 5.0
    about_tip = across + mass * arm**2
    w3 = (about_tip * cos(lean) * round_**2 + mass * G * arm) / (along * round_)
    axis = np.array([sin(lean), 0.0, cos(lean)])
    spin = (w3 - round_ * cos(lean)) * axis + np.array([0, 0, round_])
    top = Body(
        name="top",
        mass=mass,
        inertia=(across, across, along),
        position=arm * axis,
        orientation=(cos(lean / 2), 0, sin(lean / 2), 0),
        velocity=np.cross(spin, arm * axis),
        angular_velocity=spin,
    )
    time, steps = pi / 2 / round_, 1600
    scene = Scene(bodies=[top], joints=[Ball(name="tip", a="world", b="top")], timestep=time / steps)
    world = World(scene, solver=solver, integrator=integrator)
    world.step(steps)
    # the lean and the way round of a quarter of a turn
    close = pi / 2 * missed(w3, time / steps, integrator) * arm + 1e-8
    assert world.bodies["top"].position == pytest.approx([0, arm * sin(lean), arm * cos(lean)], abs=close)
    sound(world)


@integrators
@solvers
def test_a_slider_in_a_turning_groove_runs_away_as_cosh(solver: str, integrator: str) -> None:
    """r'' = W^2 r: r = r0 cosh(W t); the groove pushes with 2 m W r', the motor gives 2 m W r r'."""
    mass, turn, start = 0.3, 10.0, 0.1
    table = Body(name="table", mass=1.0, inertia=(0.1, 0.1, 0.2), angular_velocity=(0, 0, turn))
    block = Body(
        name="block",
        mass=mass,
        inertia=(1e-4, 1e-4, 1e-4),
        position=(start, 0, 0),
        velocity=(0, turn * start, 0),
        angular_velocity=(0, 0, turn),
    )
    motor = HingeMotor(name="motor", a="world", b="table", axis="z", velocity=turn)
    groove = Slider(name="groove", a="table", b="block", at=(start, 0, 0), axis="x")
    steps, time = 200, 0.2
    scene = Scene(bodies=[table, block], joints=[motor, groove], gravity=(0, 0, 0), timestep=time / steps)
    world = World(scene, solver=solver, integrator=integrator)
    world.step(steps)
    r, rate = start * np.cosh(turn * time), start * turn * np.sinh(turn * time)
    # an error grows by exp(W t) = 7
    close = 7 * missed(turn, time / steps, integrator) + 1e-7
    assert world.joints["groove"].angle + start == pytest.approx(r, rel=close)
    world.accelerations()
    push = world.joints["groove"].force
    turned = turn * time
    across = push @ np.array([-sin(turned), cos(turned), 0])
    assert across == pytest.approx(2 * mass * turn * rate, rel=close)
    assert world.joints["motor"].effort == pytest.approx(2 * mass * turn * r * rate, rel=2 * close)
    sound(world)


@pytest.mark.parametrize("tie", ["distance", "rope"])
@integrators
@solvers
def test_a_conical_pendulum_keeps_its_angle(tmp_path: Path, tie: str, solver: str, integrator: str) -> None:
    """cos(a) = g / (w^2 l), pull m w^2 l: it goes round in a level circle, on a rod as on a rope."""
    length, mass, turn = 0.5, 0.4, 6.0
    lean = arccos(G / (turn**2 * length))
    radius, down = length * sin(lean), length * cos(lean)
    text = f"""
bodies: {{bob: {{kind: particle, mass: {mass}, at: [{radius}, 0, -{down}]}}}}
constraints:
  tie:
    {tie}: [world, bob]
    at: {{world: [0, 0, 0], bob: [{radius}, 0, -{down}]}}
    auxiliary: {outside(solver)}
start: {{velocities: {{bob: {{linear: [0, {turn * radius}, 0]}}}}}}
"""
    steps = 400
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=2 * pi / turn / steps)
    world.step(steps)
    world.accelerations()  # forces of this instant
    # a turn is 6.3 rad; a rope is a limit, which is first order in every integrator
    order = integrator if tie == "distance" else "implicit"
    close = 6.3 * missed(turn, world.timestep, order) + 1e-6
    assert world.bodies["bob"].position == pytest.approx([radius, 0, -down], abs=close * length)
    assert np.linalg.norm(world.joints["tie"].force) == pytest.approx(mass * turn**2 * length, rel=close)
    sound(world)


@integrators
@solvers
def test_the_pull_in_a_rotating_chain(solver: str, integrator: str) -> None:
    """T(r) = (1/2) (m/L) w^2 (L^2 - r^2): rods on balls, turning about one end, without gravity."""
    count, link, mass, turn = 5, 0.2, 0.1, 30.0
    bodies, joints, before = [], [], "world"
    for i in range(count):
        middle = link * (i + 0.5)
        bodies.append(
            Body(
                name=f"{i}",
                mass=mass,
                inertia=(1e-6, mass * link**2 / 12, mass * link**2 / 12),
                position=(middle, 0, 0),
                velocity=(0, turn * middle, 0),
                angular_velocity=(0, 0, turn),
            )
        )
        joints.append(Ball(name=f"{i}", a=before, b=f"{i}", at=(link * i, 0, 0)))
        before = f"{i}"
    steps, time = 500, 2 * pi / turn
    scene = Scene(bodies=bodies, joints=joints, gravity=(0, 0, 0), timestep=time / steps)
    world = World(scene, solver=solver, integrator=integrator)
    world.step(steps)
    world.accelerations()
    total, length = mass * count, link * count
    # a turn is 6.3 rad
    close = 6.3 * missed(turn, world.timestep, integrator) + 1e-6
    for i in range(count):
        pull = total / length / 2 * turn**2 * (length**2 - (link * i) ** 2)
        assert np.linalg.norm(world.joints[f"{i}"].force) == pytest.approx(pull, rel=close)
    sound(world)


@integrators
@solvers
def test_a_falling_chimney_bends_most_at_a_third(solver: str, integrator: str) -> None:
    """M(x) = (m g sin(a) / 4) x (1 - x/L)^2 at the height x, at L/3 it is m g L sin(a) / 27, and the shear is zero."""
    length, mass, lean = 3.0, 6.0, np.deg2rad(20)
    axis = np.array([sin(lean), 0, cos(lean)])
    turned = (cos(lean / 2), 0, sin(lean / 2), 0)

    def piece(name: str, low: float, high: float) -> Body:
        m = mass * (high - low) / length
        about = m * (high - low) ** 2 / 12
        middle = (low + high) / 2 * axis
        return Body(name=name, mass=m, inertia=(about, about, about / 50), position=middle, orientation=turned)

    cut = length / 3
    joints = [
        Hinge(name="base", a="world", b="low", axis="y"),
        Weld(name="cut", a="low", b="high", at=tuple(cut * axis)),
    ]
    scene = Scene(bodies=[piece("low", 0, cut), piece("high", cut, length)], joints=joints, timestep=1 / 500)
    world = World(scene, solver=solver, integrator=integrator)
    for _ in range(2):
        world.accelerations()
        a = lean + world.joints["base"].angle
        # an identity of the present pose: rounding, and joints closed to 3e-7
        moment = mass * G * length * sin(a) / 27
        assert abs(world.joints["cut"].torque[1]) == pytest.approx(moment, rel=1e-5)
        shear = world.joints["cut"].force @ np.array([cos(a), 0, -sin(a)])
        assert shear == pytest.approx(0.0, abs=1e-5 * mass * G)
        world.step(200)
    # w^2 = (3 g / L) (cos(a0) - cos(a))
    a = lean + world.joints["base"].angle
    rate = sqrt(3 * G / length * (cos(lean) - cos(a)))
    close = 5 * missed(sqrt(1.5 * G / length), 1 / 500, integrator) + 1e-7
    assert world.bodies["high"].angular_velocity[1] == pytest.approx(rate, rel=close)


@integrators
@solvers
def test_atwoods_machine_with_a_heavy_pulley(solver: str, integrator: str) -> None:
    """a = (m2 - m1) g / (m1 + m2 + I/r^2); the pulls of the two sides are m1 (g + a) and m2 (g - a)."""
    m1, m2, inertia, radius = 1.0, 1.5, 0.02, 0.1
    small = (1e-3, 1e-3, 1e-3)
    bodies = [
        Body(name="left", mass=m1, inertia=small, position=(-radius, 0, -1)),
        Body(name="right", mass=m2, inertia=small, position=(radius, 0, -1)),
        Body(name="pulley", mass=0.7, inertia=(inertia, inertia, inertia)),
    ]
    joints = [
        Slider(name="up", a="world", b="left", at=(-radius, 0, -1), axis="z"),
        Slider(name="down", a="world", b="right", at=(radius, 0, -1), axis="z"),
        Hinge(name="axle", a="world", b="pulley", axis="y"),
        *(
            Rack(
                name=f"rope {side}",
                a=side,
                b="pulley",
                at=((x, 0, 0), (0, 0, 0)),
                axis="y",
                direction="z",
                radius=radius,
                auxiliary=outside(solver) == "true",
            )
            for side, x in (("left", -radius), ("right", radius))
        ),
    ]
    world = World(Scene(bodies=bodies, joints=joints, timestep=1 / 400), solver=solver, integrator=integrator)
    a = (m2 - m1) * G / (m1 + m2 + inertia / radius**2)
    world.step(200)
    # a constant acceleration: velocities are exact, places of methods of first order are off by a h t / 2
    assert world.bodies["left"].velocity[2] == pytest.approx(a * 0.5, rel=1e-6)
    assert world.joints["axle"].angle == pytest.approx(a * 0.125 / radius, rel=1e-6 + (ORDER[integrator] == 1) / 190)
    world.accelerations()
    assert abs(world.joints["rope left"].force[2]) == pytest.approx(m1 * (G + a), rel=1e-6)
    assert abs(world.joints["rope right"].force[2]) == pytest.approx(m2 * (G - a), rel=1e-6)
    assert world.joints["axle"].force[2] == pytest.approx(0.7 * G + m1 * (G + a) + m2 * (G - a), rel=1e-6)
    sound(world)


@integrators
@solvers
def test_a_governor_stands_where_its_speed_says(tmp_path: Path, solver: str, integrator: str) -> None:
    """cos(a) = (2 m + M) g L / (2 (m L^2/3 - i) W^2): four uniform arms of m and L (i about their length), a sleeve M.

    From V = -(4 m + 2 M) g L cos(a) - 2 W^2 (m L^2/3 sin(a)^2 + i cos(a)^2) in turning axes. Two loops, one motor; each
    of the upper hinges carries half of what hangs on them.
    """
    m, sleeve, length, speed, thin = 0.2, 0.5, 0.3, 22.0, 1e-5
    lean = arccos((2 * m + sleeve) * G * length / (2 * (m * length**2 / 3 - thin) * speed**2))
    text = f"""
parameters:
  {{m: {m}, L: {length}, speed: {speed}, i: {thin}, j: m*L^2/12, lean: {lean}, x: L*sin(lean), z: L*cos(lean)}}
defaults: {{body: {{mass: m, inertia: [j, j, i]}}}}
bodies:
  shaft: {{mass: 1, inertia: [0.01, 0.01, 0.01], at: [0, 0, 0]}}
  upper_right: {{at: [0, 0, 0], frame: {{at: [x/2, 0, -z/2], rotate: {{y: -lean}}}}}}
  upper_left: {{at: [0, 0, 0], frame: {{at: [-x/2, 0, -z/2], rotate: {{y: lean}}}}}}
  lower_right: {{at: [0, 0, 0], frame: {{at: [x/2, 0, -3*z/2], rotate: {{y: lean}}}}}}
  lower_left: {{at: [0, 0, 0], frame: {{at: [-x/2, 0, -3*z/2], rotate: {{y: -lean}}}}}}
  sleeve: {{mass: {sleeve}, inertia: [1e-3, 1e-3, 1e-3], at: [0, 0, -2*z]}}
joints:
  motor: {{hinge_motor: [world, shaft], at: [0, 0, 0], axis: z, velocity: speed}}
  right: {{hinge: [shaft, upper_right], at: [0, 0, 0], axis: y}}
  left: {{hinge: [shaft, upper_left], at: [0, 0, 0], axis: y}}
  elbow_right: {{hinge: [upper_right, lower_right], at: [x, 0, -z], axis: y}}
  elbow_left: {{hinge: [upper_left, lower_left], at: [-x, 0, -z], axis: y}}
  hold_right: {{hinge: [lower_right, sleeve], at: [0, 0, -2*z], axis: y}}
  hold_left: {{hinge: [lower_left, sleeve], at: [0, 0, -2*z], axis: y}}
  slide: {{slider: [shaft, sleeve], at: [0, 0, -2*z], axis: z}}
start:
  velocities:
    shaft: {{angular: [0, 0, speed]}}
    sleeve: {{angular: [0, 0, speed]}}
    upper_right: {{linear: [0, speed*x/2, 0], angular: [0, 0, speed]}}
    lower_right: {{linear: [0, speed*x/2, 0], angular: [0, 0, speed]}}
    upper_left: {{linear: [0, -speed*x/2, 0], angular: [0, 0, speed]}}
    lower_left: {{linear: [0, -speed*x/2, 0], angular: [0, 0, speed]}}
"""
    steps = 250
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=2 * pi / speed / steps)
    world.step(steps)
    # a turn is 6.3 rad
    close = 6.3 * missed(speed, world.timestep, integrator) + 1e-6
    assert world.joints["slide"].angle == pytest.approx(0.0, abs=close * length)
    assert world.joints["right"].angle == pytest.approx(0.0, abs=close)
    world.accelerations()
    hanging = (4 * m + sleeve) * G
    for side in ("left", "right"):
        assert world.joints[side].force[2] == pytest.approx(hanging / 2, rel=close)
    sound(world)


@pytest.mark.parametrize("speed", [3.0, 9.0])
@integrators
@solvers
def test_a_bead_on_a_turning_hoop(tmp_path: Path, speed: float, solver: str, integrator: str) -> None:
    """Below W^2 = g/R it swings about the bottom with w^2 = g/R - W^2, above it about cos(a) = g / (R W^2) with
    w = W sin(a)."""
    radius, small = 0.4, 0.002
    above = speed**2 > G / radius
    middle = arccos(G / (radius * speed**2)) if above else 0.0
    rate = speed * sin(middle) if above else sqrt(G / radius - speed**2)
    lean = middle + small
    x, z = radius * sin(lean), -radius * cos(lean)
    text = f"""
bodies:
  hoop: {{mass: 1, inertia: [0.1, 0.1, 0.1], at: [0, 0, 0]}}
  bead: {{kind: particle, mass: 0.05, at: [{x}, 0, {z}]}}
joints: {{motor: {{hinge_motor: [world, hoop], at: [0, 0, 0], axis: z, velocity: {speed}}}}}
constraints:
  wire:
    point_on_curve: [hoop, bead]
    circle: {{center: [0, 0, 0], normal: y, radius: {radius}}}
    auxiliary: {outside(solver)}
start: {{velocities: {{hoop: {{angular: [0, 0, {speed}]}}, bead: {{linear: [0, {speed * x}, 0]}}}}}}
"""
    steps = 300
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=pi / 2 / rate / steps)
    world.step(steps)
    a, _, down = world.bodies["bead"].position
    angle = np.arctan2(np.hypot(a, world.bodies["bead"].position[1]), -down)
    if not above:  # to which side of the turned hoop
        turned = speed * world.time
        side = world.bodies["bead"].position @ np.array([cos(turned), sin(turned), 0])
        angle *= np.sign(side)
    # after a quarter of its period it is in the middle; the swing is a sine but for small^2 of itself, and where the
    # hoop turns on, the place at which it stands is off as (W h)^p of a radian
    close = 2 * missed(max(rate, speed), world.timestep, integrator) + 5 * small**2 + 1e-6
    assert angle == pytest.approx(middle, abs=close)
    sound(world)


@integrators
@solvers
def test_two_coupled_pendulums_hand_over_their_swing(tmp_path: Path, solver: str, integrator: str) -> None:
    """w1^2 = g/l, w2^2 = g/l + 2 k/m: after pi / (w2 - w1) the first stands still and the second has all the swing."""
    length, mass, stiffness, swing = 1.0, 1.0, 1.5, 0.01
    w1, w2 = sqrt(G / length), sqrt(G / length + 2 * stiffness / mass)
    x, z = length * sin(swing), -length * cos(swing)
    text = f"""
bodies:
  first: {{kind: particle, mass: {mass}, at: [{x}, 0, {z}]}}
  second: {{kind: particle, mass: {mass}, at: [1, 0, -{length}]}}
constraints:
  a: {{distance: [world, first], at: {{world: [0, 0, 0], first: [{x}, 0, {z}]}}, auxiliary: {outside(solver)}}}
  b:
    distance: [world, second]
    at: {{world: [1, 0, 0], second: [1, 0, -{length}]}}
    auxiliary: {outside(solver)}
springs: {{tie: {{between: [first, second], stiffness: {stiffness}, rest: 1}}}}
"""
    time = pi / (w2 - w1)
    steps = 1600 if ORDER[integrator] == 1 else 800
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=time / steps)
    world.step(steps)
    mean = (w1 + w2) / 2 * time

    def both(t: float) -> np.ndarray:
        fast, slow = cos(w2 * t), cos(w1 * t)
        return swing * length * np.array([(slow + fast) / 2, (slow - fast) / 2])

    found = np.array([world.bodies["first"].position[0], world.bodies["second"].position[0] - 1])
    # `mean` radians with the error of the step each; a pendulum is slower by swing^2 / 16, its spring stretches as much
    close = swing * mean * (missed(w2, world.timestep, integrator) + swing**2) + 1e-6
    assert found == pytest.approx(both(time), abs=close)
    sound(world)


@integrators
@solvers
def test_a_nut_falls_down_its_screw(solver: str, integrator: str) -> None:
    """a = g / (1 + I (2 pi / p)^2 / m), p the travel in a turn; beside a rotor J in the bearing, I + J."""
    mass, inertia, rotor, pitch, time = 0.6, 2e-4, 1e-4, 0.05, 0.2
    nut = Body(name="nut", mass=mass, inertia=(inertia,) * 3)
    screw = Screw(name="screw", a="world", b="nut", axis="z", pitch=pitch, armature=rotor)
    world = World(Scene(bodies=[nut], joints=[screw], timestep=1 / 500), solver=solver, integrator=integrator)
    world.step(round(time * 500))
    a = G / (1 + (inertia + rotor) * (2 * pi / pitch) ** 2 / mass)
    # a constant acceleration: velocities are exact, places of methods of first order are off by a h t / 2
    assert world.bodies["nut"].velocity[2] == pytest.approx(-a * time, rel=1e-6)
    turned = -a * time**2 / 2 / pitch * 2 * pi
    assert world.joints["screw"].angle == pytest.approx(turned, rel=1e-6 + (ORDER[integrator] == 1) * 1.01 / 100)
    sound(world)


@pytest.mark.parametrize("hollow", [False, True])
@integrators
@solvers
def test_a_gear_hands_on_inertia(hollow: bool, solver: str, integrator: str) -> None:
    """w1' = T / (I1 + I2 (r1/r2)^2); the second turns by r1/r2 of it, backwards, or alike where it is hollow."""
    r1, r2, i1, i2, torque, time = 0.05, 0.15, 1e-3, 2e-2, 0.4, 0.3
    apart = r2 - r1 if hollow else r1 + r2
    bodies = [
        Body(name="small", mass=1.0, inertia=(i1,) * 3),
        Body(name="large", mass=3.0, inertia=(i2,) * 3, position=(apart, 0, 0)),
    ]
    joints = [
        Hinge(name="1", a="world", b="small", axis="y"),
        Hinge(name="2", a="world", b="large", at=(apart, 0, 0), axis="y"),
        Gear(
            name="teeth",
            a="small",
            b="large",
            at=((0, 0, 0), (apart, 0, 0)),
            axis="y",
            radii=(r1, -r2 if hollow else r2),
            auxiliary=outside(solver) == "true",
        ),
    ]
    world = World(Scene(bodies=bodies, joints=joints, timestep=1 / 500), solver=solver, integrator=integrator)
    world.bodies["small"].applied_torque = (0, torque, 0)
    world.step(round(time * 500))
    a = torque / (i1 + i2 * (r1 / r2) ** 2)
    # a constant acceleration: velocities are exact
    assert world.bodies["small"].angular_velocity[1] == pytest.approx(a * time, rel=1e-6)
    ratio = r1 / r2 if hollow else -r1 / r2
    assert world.bodies["large"].angular_velocity[1] == pytest.approx(a * time * ratio, rel=1e-6)
    assert world.joints["2"].angle == pytest.approx(world.joints["1"].angle * ratio, rel=1e-6)
    sound(world)


@integrators
@solvers
def test_a_disk_rolls_in_a_circle(tmp_path: Path, solver: str, integrator: str) -> None:
    """W^2 = m g a tan(b) / (C R/a + m a R - (C - A + m a^2) sin(b)) for a disk of radius a that leans inwards by b.

    R is the radius of its track. With n its axis and u from the track to its centre, w = W z - (W R/a) n rolls, and
    L = A W cos(b) u + C (W sin(b) - W R/a) n goes round with W under the moment of the forces at the track.
    """
    mass, radius, track, lean = 1.0, 0.1, 0.5, np.deg2rad(20)
    along, across = mass * radius**2 / 2, mass * radius**2 / 4
    held = along * track / radius + mass * radius * track - (along - across + mass * radius**2) * sin(lean)
    turn = sqrt(mass * G * radius * tan(lean) / held)
    x, z = track - radius * sin(lean), radius * cos(lean)
    spin = -turn * track / radius
    text = f"""
bodies:
  disk:
    mass: {mass}
    inertia: [{along}, {across}, {across}]
    at: [0, 0, 0]
    frame: {{at: [{x}, 0, {z}], rotate: {{y: {-lean}}}}}
constraints:
  rolls:
    rolling_disk: [world, disk]
    at: {{world: [0, 0, 0], disk: [{x}, 0, {z}]}}
    normal: z
    axis: [{cos(lean)}, 0, {sin(lean)}]
    radius: {radius}
    auxiliary: {outside(solver)}
start:
  velocities:
    disk: {{linear: [0, {turn * x}, 0], angular: [{spin * cos(lean)}, 0, {turn + spin * sin(lean)}]}}
"""
    time, steps = pi / 2 / turn, 800
    world = from_text(tmp_path, text, solver=solver, integrator=integrator, timestep=time / steps)
    world.step(steps)
    # it turns by about 8 rad, which is what its errors come from
    close = pi / 2 * track / radius * missed(-spin, world.timestep, integrator) + 1e-6
    assert world.bodies["disk"].position == pytest.approx([0, x, z], abs=close * track)
    world.accelerations()
    push = world.joints["rolls"].force
    assert push == pytest.approx([0, -mass * turn**2 * x, mass * G], rel=3 * close, abs=3 * close * mass * G)
    sound(world)
