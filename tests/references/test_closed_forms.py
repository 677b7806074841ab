"""Cases of textbooks with answers in closed form, written with the manuals alone, in every mode that takes them.

Where a step is of order p and the motion has the rate w, what is missed in a radian of motion is some
(w h)^p / (p + 1)!, the first term that a series to that order leaves out: that is `missed`, and a case says by how many
radians it multiplies it. What touches or leans on a limit is stepped to first
order in every integrator, so there p is 1. Statics do not depend on the step: there the tolerance is that of joints
(closed to 3e-7) or of contacts (0.001 of the largest force).
"""

from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy import arccos, cos, exp, pi, sin, sqrt, tan
from scipy.special import ellipk

from physics.definitions.motions import HingeMotor
from physics.definitions.constraints import Gear, Rack
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge, Screw, Slider, Weld
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Sphere
from physics.world.world import World
from scenes import load

G = 9.81
SOLVERS = ("fused", "lagrange", "dense", "cg", "jsim", "aba")
ORDER = {"trbdf2": 2, "implicit": 1, "hernandez": 1, "rattle": 2, "rattle4": 4, "rk4": 4, "explicit": 1}
STIFF = ("trbdf2", "implicit", "hernandez")  # those with implicit springs
METHODS = ("newton", "anticipation", "auto")
LAWS = (*((method, "exact") for method in METHODS), ("newton", "regularised"), ("anticipation", "regularised"))

solvers = pytest.mark.parametrize("solver", SOLVERS)
integrators = pytest.mark.parametrize("integrator", tuple(ORDER))
# by the regularised law contacts yield and what slides rises (REFERENCE, settings): no impacts, and nothing thrown down
contacts = pytest.mark.parametrize(("method", "law"), LAWS)
coulomb = pytest.mark.parametrize("method", METHODS)


def missed(rate: float, timestep: float, integrator: str) -> float:
    order = ORDER[integrator]
    return (rate * timestep) ** order / factorial(order + 1)


def from_text(tmp_path: Path, text: str, **options: Any) -> World:
    """The world of a scene written here, with live settings by name."""
    file = tmp_path / "scene.yaml"
    file.write_text("marionette: 1\n" + text)
    parameters = options.pop("parameters", {})
    world = load(str(file), **parameters)
    if "solver" in options:
        world.use_solver(options.pop("solver"))
    if "integrator" in options:
        world.use_integrator(options.pop("integrator"))
    for name, value in options.items():
        setattr(world, name, value)
    return world


def outside(solver: str) -> str:
    """The two reduced modes take constraints outside the tree alone (REFERENCE, joints)."""
    return "true" if solver in ("jsim", "aba") else "false"


def sound(world: World) -> None:
    """No step went wrong, and joints are closed; by `hernandez`, which stops before they are, to some (w h)^2 l."""
    assert world.redone == 0
    assert world.largest_gap < (1e-4 if world.integrator == "hernandez" else 1e-6)


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
    """Told a velocity W and a largest torque, and no gain, it keeps W under a load of less than that torque."""
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


# ------------------------------------------------------------------------------------------------ contacts


def slope(shape: str, lean: float, friction: float, method: str, law: str) -> str:
    radius = 0.1
    x, z = radius * sin(lean), radius * cos(lean)
    shapes = {
        "sphere": f"sphere: {{at: [{x}, 0, {z}], radius: {radius}}}",
        "cylinder": f"cylinder: {{from: [{x}, -0.1, {z}], to: [{x}, 0.1, {z}], radius: {radius}}}",
    }
    return f"""
settings: {{timestep: 1/500 s, contact_method: {method}, contact_law: {law}}}
materials: {{rough: {{friction: {friction}}}}}
contacts: {{}}
bodies:
  slope: {{fixed: true, material: rough, shape: {{plane: {{at: [0, 0, 0], normal: [{sin(lean)}, 0, {cos(lean)}]}}}}}}
  wheel: {{material: rough, mass: 2, shape: {{{shapes[shape]}}}}}
"""


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rk4"])
@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize(("shape", "k"), [("sphere", 0.4), ("cylinder", 0.5)])
@contacts
def test_a_wheel_on_a_slope(
    tmp_path: Path, shape: str, k: float, slips: bool, method: str, law: str, integrator: str
) -> None:
    """Rolling g sin(a) / (1 + k); if tan(a) > mu (1 + 1/k) it slips, g (sin(a) - mu cos(a)), r w' = mu g cos(a) / k."""
    lean, radius = np.deg2rad(35), 0.1
    most = tan(lean) / (1 + 1 / k)
    friction = 0.5 * most if slips else 2 * most
    world = from_text(tmp_path, slope(shape, lean, friction, method, law), integrator=integrator)
    world.step(250)
    if slips:
        a, turn = G * (sin(lean) - friction * cos(lean)), friction * G * cos(lean) / k / radius
    else:
        a = G * sin(lean) / (1 + k)
        turn = a / radius
    along = np.array([cos(lean), 0, -sin(lean)])
    wheel = world.bodies["wheel"]
    t = world.time
    # forces are found to 0.001 of the largest, g cos(a); places of first order are off by a h t / 2
    off = 1e-3 * G * cos(lean)
    assert wheel.velocity @ along == pytest.approx(a * t, abs=off * t)
    assert wheel.angular_velocity[1] == pytest.approx(turn * t, abs=off * t / k / radius)
    gone = (wheel.position - radius * np.array([sin(lean), 0, cos(lean)])) @ along
    assert gone == pytest.approx(a * t**2 / 2, abs=off * t**2 + a * t / 500 / 2)


@pytest.mark.parametrize("slips", [False, True])
@contacts
def test_a_wheel_under_a_torque(tmp_path: Path, slips: bool, method: str, law: str) -> None:
    """a = T r / (I + m r^2) as long as that is less than mu g, else a = mu g and w' = (T - mu m g r) / I."""
    mass, radius, torque = 3.0, 0.2, 4.0
    inertia = mass * radius**2 / 2
    rolling = torque * radius / (inertia + mass * radius**2)
    friction = (0.5 if slips else 2) * rolling / G
    text = f"""
settings: {{timestep: 1/500 s, contact_method: {method}, contact_law: {law}}}
materials: {{rubber: {{friction: {friction}}}}}
ground: {{material: rubber}}
bodies:
  wheel:
    material: rubber
    mass: {mass}
    shape: {{cylinder: {{from: [0, -0.05, {radius}], to: [0, 0.05, {radius}], radius: {radius}}}}}
loads: {{wheel: {{torque: [0, {torque}, 0]}}}}
"""
    world = from_text(tmp_path, text)
    world.step(250)
    a = friction * G if slips else rolling
    turn = (torque - friction * mass * G * radius) / inertia if slips else rolling / radius
    wheel, off = world.bodies["wheel"], 1e-3 * G * world.time
    # forces to 0.001 of the weight
    assert wheel.velocity == pytest.approx([a * world.time, 0, 0], abs=off)
    assert wheel.angular_velocity == pytest.approx([0, turn * world.time, 0], abs=off * mass * radius / inertia)


@coulomb
def test_a_sliding_block_stays_on_the_floor(tmp_path: Path, method: str) -> None:
    """Friction slows it by mu g and does not lift it: its floor carries m g, and its height stays the same."""
    friction, speed, mass = 0.4, 3.0, 2.0
    text = f"""
settings: {{contact_method: {method}}}
materials: {{wood: {{friction: {friction}}}}}
ground: {{material: wood}}
bodies: {{block: {{material: wood, mass: {mass}, shape: {{box: {{size: [0.3, 0.2, 0.1], at: [0, 0, 0.05]}}}}}}}}
start: {{velocities: {{block: {{linear: [{speed}, 0, 0]}}}}}}
"""
    world = from_text(tmp_path, text)
    block, steps = world.bodies["block"], 120
    highest, carried = 0.0, 0.0
    for _ in range(steps):
        world.step()
        highest = max(highest, block.position[2])
        carried += sum(contact.force[2] for contact in world.contacts()) / steps
    # forces to 0.001 of the weight, for half a second: that is 0.005 m/s and 1.2 mm
    assert highest == pytest.approx(0.05, abs=1e-3 * G * world.time**2 / 2)
    assert carried == pytest.approx(mass * G, rel=1e-3)


@pytest.mark.parametrize("way", [0.0, 0.6])
@pytest.mark.parametrize("solver", ["fused", "dense", "aba"])
@coulomb
def test_a_block_stops_after_its_distance(tmp_path: Path, method: str, solver: str, way: float) -> None:
    """v^2 / (2 mu g), after v / (mu g), straight on whichever way it goes; then it stands."""
    friction, speed = 0.4, 3.0
    along = np.array([cos(way), sin(way), 0])
    text = f"""
settings: {{timestep: 1/500 s, contact_method: {method}, solver: {solver}}}
materials: {{wood: {{friction: {friction}}}}}
ground: {{material: wood}}
bodies: {{block: {{material: wood, shape: {{box: {{size: [0.3, 0.2, 0.1], at: [0, 0, 0.05]}}}}}}}}
start: {{velocities: {{block: {{linear: [{speed * along[0]}, {speed * along[1]}, 0]}}}}}}
"""
    world = from_text(tmp_path, text)
    block = world.bodies["block"]
    time = speed / (friction * G)
    world.step(int(time * 500) - 5)
    # forces to 0.001 of the weight
    off = 1e-3 * G * world.time
    assert block.velocity == pytest.approx((speed - friction * G * world.time) * along, abs=off)
    assert block.angular_velocity == pytest.approx([0, 0, 0], abs=off / 0.1)
    world.step(10)
    # what it goes is off by v h / 2 at first order, and by 0.001 of the force
    distance = speed**2 / (2 * friction * G)
    stopped = block.position
    assert stopped - [0, 0, 0.05] == pytest.approx(distance * along, abs=speed / 500 / 2 + 1e-3 / friction * distance)
    world.step(250)
    assert block.position == pytest.approx(stopped, abs=1e-5)
    assert np.linalg.norm(block.velocity) < 1e-4


@pytest.mark.parametrize("integrator", list(ORDER))
@coulomb
def test_a_ball_bounces_by_e_squared(tmp_path: Path, method: str, integrator: str) -> None:
    """Heights H e^(2 n); it comes to rest after sqrt(2 H/g) (1 + e) / (1 - e)."""
    height, radius, e, h = 0.5, 0.05, 0.5, 1 / 2000
    text = f"""
settings: {{timestep: {h}, contact_method: {method}, integrator: {integrator}}}
materials: {{rubber: {{restitution: {e}}}}}
ground: {{}}
bodies: {{ball: {{material: rubber, shape: {{sphere: {{at: [0, 0, {height + radius}], radius: {radius}}}}}}}}}
"""
    world = from_text(tmp_path, text)
    ball = world.bodies["ball"]
    heights: list[float] = []
    up, rest = False, None
    while world.time < 1.2:
        world.step()
        speed = ball.velocity[2]
        if up and speed <= 0:
            heights.append(ball.position[2] - radius)
        up = speed > (0 if up else 0.05)
        if abs(speed) < 1e-3 and ball.position[2] - radius < 1e-4 and rest is None:
            rest = world.time
    fall = sqrt(2 * G * height)
    for n in range(1, 4):
        # each bounce is seen up to a step early or late, which is worth v h of height there
        assert heights[n - 1] == pytest.approx(height * e ** (2 * n), abs=2 * fall * e ** (n - 1) * h)
    # each bounce, of the ten that can be told from rest (v > g h), is late by up to h and off by g h in its speed,
    # which makes the flights after it longer or shorter by 2 h e / (1 - e) together
    assert rest == pytest.approx(sqrt(2 * height / G) * (1 + e) / (1 - e), abs=10 * (1 + 2 * e / (1 - e)) * h)
    assert ball.position[2] == pytest.approx(radius, abs=1e-4)


@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg", "jsim", "aba"])
@coulomb
def test_a_spinning_ball_strikes_another(slips: bool, method: str, solver: str) -> None:
    """Straight on, without gravity: P = (1 + e) m v / 2. Across, friction gives m u/7 where it stops the slip u = r w
    of two equal solid balls, or mu P where that is less; both balls then turn by 5/2 of it over m r."""
    radius, mass, v, w, e = 0.1, 1.5, 2.0, 30.0, 0.8
    press = (1 + e) * mass * v / 2
    stop = mass * radius * w / 7
    friction = (0.4 if slips else 2.5) * stop / press
    rub = min(stop, friction * press)
    skin = {"friction": friction, "restitution": e}
    solid = (0.4 * mass * radius**2,) * 3
    balls = [
        Body(name=name, mass=mass, inertia=solid, position=(x, 0, 0), shapes=[Sphere(radius=radius, **skin)], **more)
        for name, x, more in (
            ("a", -0.2, {"velocity": (v, 0, 0), "angular_velocity": (0, 0, w)}),
            ("b", 0.2, {}),
        )
    ]
    world = World(Scene(bodies=balls, gravity=(0, 0, 0), timestep=1 / 1000), solver=solver)
    world.contact_method = method
    world.step(200)
    a, b = world.bodies["a"], world.bodies["b"]
    # impulses to 0.001 of the largest; contacts are found as a step begins, where the two are up to v h apart, so that
    # friction has a lever longer by half of what is to each
    off = 1e-3 * press / mass + 2 * rub / mass * (v / 1000 / 4 / radius)
    # the skin of a goes to +y where they touch: b is taken along, a thrown back, both are turned the same way
    assert a.velocity == pytest.approx([v - press / mass, -rub / mass, 0], abs=off)
    assert b.velocity == pytest.approx([press / mass, rub / mass, 0], abs=off)
    turned = 2.5 * rub / (mass * radius)
    assert a.angular_velocity == pytest.approx([0, 0, w - turned], abs=2.5 * off / radius)
    assert b.angular_velocity == pytest.approx([0, 0, -turned], abs=2.5 * off / radius)


@pytest.mark.parametrize("slips", [False, True])
@pytest.mark.parametrize("e", [0.0, 0.5])
@coulomb
def test_a_ball_thrown_on_a_floor(tmp_path: Path, slips: bool, e: float, method: str) -> None:
    """v' = e v; friction takes mu (1 + e) v from the speed along the floor, or 2/7 of it where it comes to roll."""
    radius, down, along = 0.1, 2.0, 5.0
    stop = 2 / 7 * along
    friction = (0.2 if slips else 2.0) * stop / (1 + e) / down
    rub = min(stop, friction * (1 + e) * down)
    text = f"""
settings: {{timestep: 1/1000 s, gravity: [0, 0, 0], contact_method: {method}}}
materials: {{skin: {{friction: {friction}, restitution: {e}}}}}
ground: {{material: skin}}
bodies: {{ball: {{material: skin, shape: {{sphere: {{at: [0, 0, 0.2], radius: {radius}}}}}}}}}
start: {{velocities: {{ball: {{linear: [{along}, 0, -{down}]}}}}}}
"""
    world = from_text(tmp_path, text)
    world.step(80)
    ball = world.bodies["ball"]
    # impulses to 0.001 of the largest, (1 + e) m v; the contact is found as a step begins, up to v h above the floor,
    # so that friction has a lever longer by half of that
    off = 1e-3 * (1 + e) * down + 2 * rub * (down / 1000 / 2 / radius)
    assert ball.velocity == pytest.approx([along - rub, 0, e * down], abs=off)
    assert ball.angular_velocity == pytest.approx([0, 2.5 * rub / radius, 0], abs=2.5 * off / radius)


@pytest.mark.parametrize("integrator", list(ORDER))
@contacts
def test_a_block_stands_on_a_slope(tmp_path: Path, method: str, law: str, integrator: str) -> None:
    """tan(a) < mu: the floor's forces add up to m g, in the line of the weight; nothing creeps."""
    lean, (x, y, z), mass = np.deg2rad(25), (0.3, 0.2, 0.15), 3.0
    normal, along = np.array([sin(lean), 0, cos(lean)]), np.array([cos(lean), 0, -sin(lean)])
    at = z / 2 * normal
    text = f"""
settings: {{contact_method: {method}, contact_law: {law}, integrator: {integrator}}}
materials: {{rough: {{friction: 0.6}}}}
contacts: {{}}
bodies:
  slope: {{fixed: true, material: rough, shape: {{plane: {{at: [0, 0, 0], normal: [{normal[0]}, 0, {normal[2]}]}}}}}}
  block:
    material: rough
    mass: {mass}
    shape: {{box: {{size: [{x}, {y}, {z}], at: [{at[0]}, 0, {at[2]}], rotate: {{y: {lean}}}}}}}
"""
    world = from_text(tmp_path, text)
    world.step(60)
    block = world.bodies["block"]
    before = block.position
    force, moment = np.zeros(3), np.zeros(3)
    for contact in world.contacts():
        assert contact.b == "block"
        force += contact.force
        moment += np.cross(contact.point - block.position, contact.force)
    # to 0.001 of the largest force
    assert force == pytest.approx([0, 0, mass * G], abs=1e-3 * mass * G)
    assert moment == pytest.approx([0, 0, 0], abs=1e-3 * mass * G * x)
    world.step(240)
    assert (block.position - before) @ along == pytest.approx(0.0, abs=1e-5)
    assert np.linalg.norm(block.velocity) < 1e-4


@contacts
def test_a_ladder_leaves_the_wall_at_two_thirds_of_its_height(tmp_path: Path, method: str, law: str) -> None:
    """Without friction: where sin(a) = (2/3) sin(a0), and it goes on with v = sqrt(g L) sin(a0)^(3/2) / 3."""
    length, lean, thick, mass = 2.0, np.deg2rad(65), 0.02, 4.0
    x, z = length * cos(lean) + thick, length * sin(lean) + thick
    about = mass * length**2 / 12
    text = f"""
settings: {{timestep: 1/1000 s, contact_method: {method}, contact_law: {law}}}
materials: {{ice: {{friction: 0}}}}
ground: {{material: ice}}
bodies:
  wall: {{fixed: true, material: ice, shape: {{plane: {{at: [0, 0, 0], normal: x}}}}}}
  ladder:
    material: ice
    mass: {mass}
    inertia: [{about}, {about}, {about}]
    shape: {{capsule: {{from: [{thick}, 0, {z}], to: [{x}, 0, {thick}], radius: {thick}}}}}
"""
    world = from_text(tmp_path, text)
    ladder = world.bodies["ladder"]
    left = None
    while ladder.position[2] > 0.3 * length / 2 and world.time < 3:
        world.step(2)
        at_wall = [c for c in world.contacts() if "wall" in (c.a, c.b) and np.linalg.norm(c.force) > 1e-6]
        if at_wall:
            left = None
        elif left is None:
            left = (ladder.position[2] - thick) / (length / 2)
    speed = sqrt(G * length) * sin(lean) ** 1.5 / 3
    # of first order: errors of some w h in a fall of about a radian with w^2 = 3 g / L, and the force at the wall is
    # known to 0.001 of that of the floor
    w = sqrt(3 * G / length)
    close = 2 * w / 1000 + 1e-3
    assert left == pytest.approx(2 / 3 * sin(lean), abs=2 * close)
    assert ladder.velocity[0] == pytest.approx(speed, rel=close)


@pytest.mark.parametrize("integrator", ["trbdf2", "hernandez", "rattle4", "explicit"])
@contacts
def test_a_ball_on_a_belt_comes_to_roll(tmp_path: Path, method: str, law: str, integrator: str) -> None:
    """Put down at rest on a belt of speed V, it slips for 2 V / (7 mu g) and then rolls with (2/7) V."""
    belt, friction, radius = 2.0, 0.2, 0.1
    text = f"""
settings: {{timestep: 1/500 s, contact_method: {method}, contact_law: {law}, integrator: {integrator}}}
materials: {{rubber: {{friction: {friction}}}}}
contacts: {{}}
bodies:
  belt:
    kind: moving
    material: rubber
    shape: {{box: {{size: [20, 1, 0.1], at: [0, 0, -0.05]}}}}
    position: [{{rate: {belt}}}, 0, 0]
  ball: {{material: rubber, shape: {{sphere: {{at: [0, 0, {radius}], radius: {radius}}}}}}}
"""
    world = from_text(tmp_path, text)
    ball = world.bodies["ball"]
    slip = 2 * belt / (7 * friction * G)
    world.step(int(slip * 500 * 0.8))
    # forces to 0.001 of the weight
    assert ball.velocity[0] == pytest.approx(friction * G * world.time, abs=1e-3 * G * world.time)
    world.step(int(slip * 500 * 0.6))
    assert ball.velocity[0] == pytest.approx(2 / 7 * belt, abs=1e-3 * G * slip)
    # it turns so that its skin goes with the belt: v - r w = V
    assert ball.velocity[0] - radius * ball.angular_velocity[1] == pytest.approx(belt, abs=1e-3 * belt)
    distance = friction * G * slip**2 / 2 + 2 / 7 * belt * (world.time - slip)
    assert ball.position[0] == pytest.approx(distance, abs=belt / 500 + 1e-3 * G * world.time**2)


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
