"""Springs with closed forms. A body on a slider is a linear oscillator in a coordinate that every method moves
linearly, so each integrator is predicted step by step from its own two-by-two map and held to rounding; its error
against the true oscillation is then its order's. Bodies that turn about an axis of inertia are the same: the drift of
every method turns them by h w.
"""

import math

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge, Slider, Universal
from physics.definitions.limits import SoftLimits
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.twins import fails

NOTHING = (0.0, 0.0, 0.0)


# ---------------------------------------------------------------- the methods on x'' = -k x - c x' (per unit mass)
def symplectic_euler(k, c, h):
    """v1 = v0 + h (-k x0 - c v0),  x1 = x0 + h v1"""
    v = np.array([-h * k, 1.0 - h * c])
    return np.array([[1.0, 0.0] + h * v, v])


def linearly_implicit_euler(k, c, h):
    """(1 + h c + h^2 k) v1 = v0 - h k x0,  x1 = x0 + h v1"""
    v = np.array([-h * k, 1.0]) / (1.0 + h * c + h * h * k)
    return np.array([[1.0, 0.0] + h * v, v])


def velocity_verlet(k, c, h):
    """Half kick, drift, half kick; damping with the velocity before each kick."""
    kick = np.array([[1.0, 0.0], [-0.5 * h * k, 1.0 - 0.5 * h * c]])
    return kick @ np.array([[1.0, h], [0.0, 1.0]]) @ kick


def suzuki(k, c, h):
    s = 1.0 / (4.0 - 4.0 ** (1.0 / 3.0))
    two = velocity_verlet(k, c, s * h)
    return two @ two @ velocity_verlet(k, c, (1.0 - 4.0 * s) * h) @ two @ two


def runge_kutta(k, c, h):
    a = h * np.array([[0.0, 1.0], [-k, -c]])
    one = np.eye(2)
    return one + a @ (one + a @ (one + a @ (one + a / 4) / 3) / 2)


def trapezium_and_difference(k, c, h):
    """TR to 2 t, then BDF2 to the end: y1 - t A y1 = yg + c1 (yg - y0), t = (1 - 1/sqrt 2) h, c1 = (sqrt 2 - 1) / 2"""
    t, c1 = (1.0 - 1.0 / math.sqrt(2.0)) * h, 0.5 * (math.sqrt(2.0) - 1.0)
    a, one = np.array([[0.0, 1.0], [-k, -c]]), np.eye(2)
    implicit = np.linalg.inv(one - t * a)
    middle = implicit @ (one + t * a)
    return implicit @ ((1.0 + c1) * middle - c1 * one)


MAPS = {
    "explicit": symplectic_euler,
    "implicit": linearly_implicit_euler,
    "hernandez": linearly_implicit_euler,
    "rattle": velocity_verlet,
    "rattle4": suzuki,
    "rk4": runge_kutta,
    "trbdf2": trapezium_and_difference,
}


def slider_world(integrator, stiffness, damping, timestep):
    """1.5 kg on a slanted slider, pulled out by 0.2 m. The joint's travel is the oscillator's coordinate."""
    axis = np.array([2.0, -1.0, 2.0]) / 3.0
    body = Body(name="b", mass=1.5, inertia=(0.01, 0.02, 0.025), position=(0.3, 0.1, 0.2))
    joint = Slider(name="s", a="world", b="b", at=(0.3, 0.0, 0.2), axis=axis, stiffness=stiffness, damping=damping)
    world = World(Scene(bodies=[body], joints=[joint], gravity=NOTHING, timestep=timestep), integrator=integrator)
    world.bodies["b"].position = np.array([0.3, 0.1, 0.2]) + 0.2 * axis
    world.bodies["b"].velocity = -0.4 * axis
    return world


def check_slider_by_its_map(integrator, damping, stiffness=60.0):
    world = slider_world(integrator, stiffness, damping, 1 / 240)
    state = np.array([0.2, -0.4])
    step = MAPS[integrator](60.0 / 1.5, damping / 1.5, 1 / 240)
    for _ in range(10):
        world.step(30)
        state = np.linalg.matrix_power(step, 30) @ state
        assert world.joints["s"].angle == pytest.approx(state[0], abs=1e-12)
        assert np.linalg.norm(world.bodies["b"].velocity) == pytest.approx(abs(state[1]), abs=1e-11)


@pytest.mark.parametrize("damping", [0.0, 2.0])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_slider_by_its_map(integrator, damping):
    """300 steps, to rounding."""
    check_slider_by_its_map(integrator, damping)
    fails(check_slider_by_its_map, integrator, damping, stiffness=60.6)


def check_slider(integrator, mass_factor=1.0):
    """x = e^(-d t) (a cos w t + b sin w t), w^2 = k/m - d^2, d = c / 2m; a second at 1/240."""
    world = slider_world(integrator, 60.0, 2.0, 1 / 240)
    m = 1.5 * mass_factor
    d = 2.0 / (2 * m)
    w = math.sqrt(60.0 / m - d * d)
    world.step(240)
    expected = math.exp(-d) * (0.2 * math.cos(w) + (-0.4 + 0.2 * d) / w * math.sin(w))
    # first order: h w^2 t / 2 = 0.08 of the amplitude. rattle damps with the velocity before the kick: first order too
    order = {"trbdf2": 2, "rk4": 4}.get(integrator, 1)
    assert world.joints["s"].angle == pytest.approx(expected, abs={1: 1e-2, 2: 5e-5, 4: 1e-8}[order])


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_slider(integrator):
    check_slider(integrator)


def test_slider_is_noticed_to_be_heavier():
    fails(check_slider, "trbdf2", mass_factor=1.01)
    fails(check_slider, "rk4", mass_factor=1.01)


def test_slider_carries_a_weight():
    """At rest: k x = m g cos of the slant; the joint takes the rest of the weight and its moment."""
    axis = np.array([0.6, 0.0, 0.8])
    body = Body(name="b", mass=1.5, inertia=(0.01, 0.02, 0.025), position=(0.3, 0.1, 0.2))
    joint = Slider(name="s", a="world", b="b", at=(0.0, 0.0, 0.0), axis=axis, stiffness=60.0, damping=20.0)
    world = World(Scene(bodies=[body], joints=[joint]))
    world.step(2400)
    assert world.joints["s"].angle == pytest.approx(-1.5 * 9.81 * 0.8 / 60.0, rel=1e-9)
    assert world.joints["s"].force == pytest.approx((0.0, 0.0, 1.5 * 9.81), abs=1e-8)
    # about the anchor on b, which moves along: the weight's lever is as drawn
    assert world.joints["s"].torque == pytest.approx(np.cross((0.3, 0.1, 0.2), (0.0, 0.0, 1.5 * 9.81)), abs=1e-8)


# ---------------------------------------------------------------- turning bodies
def oscillation(world, angle_of, steps):
    """The angular frequency from the zeros of a series of angles, linearly between steps."""
    values = []
    for _ in range(steps):
        world.step()
        values.append(angle_of(world))
    v = np.array(values)
    (k,) = np.nonzero(v[:-1] * v[1:] < 0.0)
    zeros = k + v[k] / (v[k] - v[k + 1])
    assert len(zeros) >= 5
    return math.pi * (len(zeros) - 1) / ((zeros[-1] - zeros[0]) * world.timestep)


INERTIA = (0.02, 0.03, 0.04)


def ball_world(stiffness, integrator, axis, angle=0.0, reverse=False, timestep=1 / 480):
    """A body held at its centre of mass by a spring, turned by `angle` about `axis`."""
    names = ("b", "world") if reverse else ("world", "b")
    body = Body(name="b", mass=1.0, inertia=INERTIA)
    joint = Ball(name="j", a=names[0], b=names[1], at=NOTHING, stiffness=stiffness, swing_axis=(1.0, 0.0, 0.0))
    world = World(Scene(bodies=[body], joints=[joint], gravity=NOTHING, timestep=timestep), integrator=integrator)
    half = 0.5 * angle
    world.bodies["b"].quaternion = np.concatenate([[math.cos(half)], math.sin(half) * np.eye(3)[axis]])
    return world


# relative shift of the frequency: (w h)^2 / 24 or / 12, with w = 20 to 32 rad/s at 1/480
FREQUENCY = {"trbdf2": 1e-3, "explicit": 1e-3, "rattle": 1e-3, "rattle4": 1e-5, "rk4": 1e-5}


def check_ball_frequency(integrator, axis, stiffness, amplitude, reverse, inertia_factor=1.0):
    """w = sqrt(k / I) about an axis of inertia, at any amplitude: the torque is -k times the angle itself."""
    world = ball_world(stiffness, integrator, axis, amplitude, reverse)
    sign = -1.0 if reverse else 1.0
    k = np.broadcast_to(stiffness, 3)[axis]
    expected = math.sqrt(k / (inertia_factor * INERTIA[axis]))
    measured = oscillation(world, lambda w: sign * w.joints["j"].angle[axis], 600)
    assert measured == pytest.approx(expected, rel=FREQUENCY[integrator] * (1 + 10 * amplitude**2))
    assert np.abs(np.delete(world.joints["j"].angle, axis)).max() < 1e-9


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", range(3))
@pytest.mark.parametrize("integrator", FREQUENCY)
def test_ball_spring(integrator, axis, reverse):
    check_ball_frequency(integrator, axis, 20.0, 0.1, reverse)
    fails(check_ball_frequency, integrator, axis, 20.0, 0.1, reverse, inertia_factor=1.01)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", range(3))
def test_anisotropic_ball_spring(axis, reverse):
    """Each axis its own stiffness."""
    check_ball_frequency("rk4", axis, (10.0, 20.0, 40.0), 0.1, reverse)
    fails(check_ball_frequency, "rk4", axis, (10.0, 20.0, 40.0), 0.1, reverse, inertia_factor=1.01)


def test_ball_spring_wide():
    """1.5 rad, the same frequency: the spring is linear in the angle, not in its sine."""
    world = ball_world(20.0, "rk4", 2, 1.5, timestep=1 / 1920)
    measured = oscillation(world, lambda w: w.joints["j"].angle[2], 2400)
    assert measured == pytest.approx(math.sqrt(20.0 / INERTIA[2]), rel=1e-5)


@pytest.mark.parametrize("integrator", ["explicit", "rattle", "implicit", "hernandez"])
def test_hinge_spring_by_its_map(integrator):
    """The map of the slider: to rounding for 100 steps."""
    stiffness, inertia, h = 8.0, 0.04, 1 / 240
    body = Body(name="b", mass=1.0, inertia=INERTIA)
    hinge = Hinge(name="j", a="world", b="b", at=NOTHING, axis=(0.0, 0.0, 1.0), stiffness=stiffness)
    world = World(Scene(bodies=[body], joints=[hinge], gravity=NOTHING, timestep=h), integrator=integrator)
    angle, rate = 0.7, 0.0
    world.bodies["b"].quaternion = (math.cos(0.35), 0.0, 0.0, math.sin(0.35))
    for _ in range(100):
        world.step()
        if integrator == "rattle":
            rate -= 0.5 * h * stiffness / inertia * angle
            angle += h * rate
            rate -= 0.5 * h * stiffness / inertia * angle
        elif integrator == "explicit":
            rate -= h * stiffness / inertia * angle
            angle += h * rate
        else:
            rate = (inertia * rate - h * stiffness * angle) / (inertia + h * h * stiffness)
            angle += h * rate
        assert world.joints["j"].angle == pytest.approx(angle, abs=1e-11)
        assert world.bodies["b"].angular_velocity[2] == pytest.approx(rate, abs=1e-10)


@pytest.mark.parametrize("axis", [0, 1])
def test_universal_springs(axis):
    """Its two axes, along axes of inertia, swing at their own frequencies."""
    body = Body(name="b", mass=1.0, inertia=INERTIA)
    joint = Universal(
        name="j", a="world", b="b", at=NOTHING, axis=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0), stiffness=(10.0, 30.0)
    )
    world = World(Scene(bodies=[body], joints=[joint], gravity=NOTHING, timestep=1 / 480), integrator="rk4")
    world.bodies["b"].quaternion = np.concatenate([[math.cos(0.05)], math.sin(0.05) * np.eye(3)[axis]])
    measured = oscillation(world, lambda w: w.joints["j"].angle[axis], 600)
    expected = math.sqrt((10.0, 30.0)[axis] / INERTIA[axis])
    assert measured == pytest.approx(expected, rel=1e-5)
    assert measured != pytest.approx(1.01 * expected, rel=1e-3)


def test_spring_between_two_free_bodies():
    """Reduced inertia I1 I2 / (I1 + I2) about a common axis through both centres."""
    first = Body(name="a", mass=1.0, inertia=INERTIA, angular_velocity=(0.0, 0.0, 0.3))
    second = Body(name="b", mass=2.0, inertia=(0.05, 0.05, 0.06), angular_velocity=(0.0, 0.0, -0.2))
    joint = Hinge(name="j", a="a", b="b", at=NOTHING, axis=(0.0, 0.0, 1.0), stiffness=20.0)
    scene = Scene(bodies=[first, second], joints=[joint], gravity=NOTHING, timestep=1 / 480)
    world = World(scene, integrator="rk4")
    measured = oscillation(world, lambda w: w.joints["j"].angle, 600)
    expected = math.sqrt(20.0 * (1 / 0.04 + 1 / 0.06))
    assert measured == pytest.approx(expected, rel=1e-4)
    assert measured != pytest.approx(expected * 1.01, rel=1e-3)


# ---------------------------------------------------------------- soft limits
def check_stop(integrator, damping, stiffness=400.0):
    """A spinning body runs into a soft stop at 0.5 rad. In it, it is a damped oscillator from rest position: deepest at
    (w0/w) e^(-d t) sin, back out after pi / w with the rate -w0 e^(-pi d / w)."""
    inertia, rate, h = 0.04, 3.0, 1 / 15360
    limits = SoftLimits(stiffness=stiffness, damping=damping, lower=-1.0, upper=0.5)
    body = Body(name="b", mass=1.0, inertia=INERTIA, angular_velocity=(0.0, 0.0, rate))
    hinge = Hinge(name="j", a="world", b="b", at=NOTHING, axis=(0.0, 0.0, 1.0), soft_limits=limits)
    world = World(Scene(bodies=[body], joints=[hinge], gravity=NOTHING, timestep=h), integrator=integrator)
    d = damping / (2 * inertia)
    w = math.sqrt(400.0 / inertia - d * d)
    deepest, steps = 0.0, round((0.5 / rate + 2.0 * math.pi / w) / h)
    for _ in range(steps):
        world.step()
        deepest = max(deepest, world.joints["j"].angle - 0.5)
    quarter = math.atan2(w, d) / w
    # entering and leaving happen somewhere in a step: h w = 0.0065 at most of it
    assert deepest == pytest.approx(rate / w * math.exp(-d * quarter) * math.sin(w * quarter), rel=2e-3)
    out = world.bodies["b"].angular_velocity[2]
    assert out == pytest.approx(-rate * math.exp(-math.pi * d / w), rel=2e-2 if damping else 2e-3)


@pytest.mark.parametrize("damping", [0.0, 1.0])
@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rk4"])
def test_soft_stop(integrator, damping):
    check_stop(integrator, damping)
    fails(check_stop, integrator, damping, stiffness=404.0)


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
def test_hard_fall_on_a_stiff_stop(integrator):
    """A million N m/rad at 1/60: the body does not fly off, and rests at the stop under its load, T / k beyond it."""
    limits = SoftLimits(stiffness=1e6, damping=10.0, upper=0.5)
    body = Body(name="b", mass=1.0, inertia=INERTIA)
    hinge = Hinge(name="j", a="world", b="b", at=NOTHING, axis=(0.0, 0.0, 1.0), soft_limits=limits)
    world = World(Scene(bodies=[body], joints=[hinge], gravity=NOTHING, timestep=1 / 60), integrator=integrator)
    world.bodies["b"].applied_torque = (0.0, 0.0, 0.4)
    fastest = 0.0
    for _ in range(600):
        world.step()
        fastest = max(fastest, abs(world.bodies["b"].angular_velocity[2]))
    assert world.joints["j"].angle == pytest.approx(0.5 + 0.4e-6, abs=1e-8)
    assert fastest <= math.sqrt(2 * 0.4 * 0.5 / 0.04) * 1.1
