"""Planar and scaled bodies in motion, against closed forms.

Hung by a ball joint at a distance l above its centre, a uniformly scaled body of second moments Z has
(m l^2 + Z) s'' = m g l - k (s - 1); alone, Z s'' = -k (s - 1). Spinning freely about a principal axis with momentum L,
Z s'' = L^2 / (I s^3) - k (s - 1), with the energy L^2 / (2 I s^2) + Z s'^2 / 2 + k (s - 1)^2 / 2.
"""

import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from physics.definitions.bodies import Body, PlanarBody, ScaledBody
from physics.definitions.joints import Ball, Hinge, Weld
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import nonrigid
from tests.helpers.arrays import built_of, state_of

MASS, INERTIA, STIFFNESS = 2.0, np.array([0.02, 0.03, 0.04]), 50.0
MOMENTS = INERTIA.sum() / 2 - INERTIA  # second moments of mass along the three axes
INTEGRATORS = ("implicit", "trbdf2", "rattle", "rattle4", "rk4", "explicit", "hernandez")


def scaled(**more):
    same = {"name": "b", "mass": MASS, "inertia": INERTIA, "scale_stiffness": STIFFNESS}
    return ScaledBody(**{**same, **more})


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rk4"])
def test_free_frequencies(integrator):
    """Each axis by itself, and all together."""
    stiffness = np.array([40.0, 70.0, 90.0])
    for body, frequency in (
        (scaled(scale=1.1), np.full(3, math.sqrt(STIFFNESS / MOMENTS.sum()))),
        (scaled(stretch="axes", scale=1.1, scale_stiffness=stiffness), np.sqrt(stiffness / MOMENTS)),
    ):
        world = World(Scene(bodies=[body], timestep=1e-4), integrator=integrator)
        world.step(1000)
        assert np.abs(world.bodies["b"].scale - 1.0 - 0.1 * np.cos(0.1 * frequency)).max() < 2e-5


@pytest.mark.parametrize(
    ("integrator", "close"), [("trbdf2", 2e-5), ("rattle", 2e-5), ("rk4", 1e-8), ("rattle4", 1e-7)]
)
def test_hung_by_a_ball_joint(integrator, close):
    length = 0.5
    hook = Ball(name="hook", a="world", b="b", at=(0.0, 0.0, 0.0))
    body = scaled(position=(0.0, 0.0, -length))
    world = World(Scene(bodies=[body], joints=[hook], timestep=1 / 480), integrator=integrator)
    world.step(480)
    frequency = math.sqrt(STIFFNESS / (MASS * length**2 + MOMENTS.sum()))
    swing = MASS * 9.81 * length / STIFFNESS
    expected = 1.0 + swing * (1.0 - math.cos(frequency * world.time))
    assert np.abs(world.bodies["b"].scale - expected).max() < close
    assert abs(world.bodies["b"].position[2] + length * expected) < close
    assert world.redone == 0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_rest_of_a_hanging_body(integrator):
    """Damped, it comes to rest stretched by m g l / k."""
    hook = Ball(name="hook", a="world", b="b", at=(0.0, 0.0, 0.0))
    body = scaled(position=(0.0, 0.0, -0.5), scale_damping=8.0)
    world = World(Scene(bodies=[body], joints=[hook]), integrator=integrator)
    world.step(1200)
    assert np.abs(world.bodies["b"].scale - 1.0 - MASS * 9.81 * 0.5 / STIFFNESS).max() < 1e-6
    assert abs(world.joints["hook"].force[2] - MASS * 9.81) < 1e-4


def spinning(timestep, integrator):
    """Scale and angle about z of a body that starts to spin at scale 1, after half a second."""
    body = scaled(angular_velocity=(0.0, 0.0, 12.0))
    world = World(Scene(bodies=[body], gravity=(0.0, 0.0, 0.0), timestep=timestep), integrator=integrator)
    world.step(round(0.5 / timestep))
    return world


def exact_spin():
    """The scale after half a second by its own equation, in 20000 steps of a fourth-order method."""
    momentum = INERTIA[2] * 12.0

    def rate(y):
        pull = momentum**2 / (INERTIA[2] * y[0] ** 3) - STIFFNESS * (y[0] - 1.0)
        return np.array([y[1], pull / MOMENTS.sum()])

    y, h = np.array([1.0, 0.0]), 0.5 / 20000
    for _ in range(20000):
        a = rate(y)
        b = rate(y + 0.5 * h * a)
        c = rate(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2 * b + 2 * c + rate(y + h * c))
    return y[0]


@pytest.mark.parametrize(
    ("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("rattle", 2), ("rk4", 4), ("rattle4", 4)]
)
def test_spin_and_stretch(integrator, order):
    """Against the equation of the scale alone, and at the integrator's order."""
    expected = exact_spin()
    errors = []
    for steps in (400, 800):
        world = spinning(0.5 / steps, integrator)
        assert abs(world.momentum().angular[2] - INERTIA[2] * 12.0) < (1e-8 if integrator == "rk4" else 1e-12)
        errors.append(np.abs(world.bodies["b"].scale - expected).max())
    assert errors[1] < {1: 3e-2, 2: 1e-3, 4: 1e-6}[order]
    assert abs(math.log2(errors[0] / errors[1]) - order) < 0.25


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rk4"])
def test_conservation_of_a_tumbling_figure(integrator):
    """Two stretching bodies joined at points of their matter: momentum, angular momentum, energy."""
    scene = nonrigid.random_figure(5, "SU", 2, gravity=0.0)
    bodies = [replace(b, scale_damping=0.0) for b in scene.bodies]
    scene = Scene(bodies=bodies, joints=scene.joints, gravity=(0.0, 0.0, 0.0), timestep=1e-3)
    world = nonrigid.in_motion(scene, 5, integrator=integrator)
    before, energy = world.momentum(), world.energy().total
    world.step(1000)
    after = world.momentum()
    assert world.redone == 0
    assert world.largest_gap < 1e-6
    assert np.abs(after.linear - before.linear).max() < 1e-10
    assert np.abs(after.angular - before.angular).max() < (1e-9 if integrator == "rattle" else 1e-3)
    assert abs(world.energy().total - energy) < (1e-2 if integrator == "trbdf2" else 1e-3) * energy


@pytest.mark.parametrize(("integrator", "order"), [("trbdf2", 2), ("rattle", 2), ("rk4", 4)])
def test_order_of_a_joined_figure(integrator, order):
    """Without damping, which `rattle` takes at the velocity before the last half kick: to first order."""
    scene = nonrigid.random_figure(5, "SU", 3, held=True)
    bodies = [replace(b, scale_damping=0.0) for b in scene.bodies]
    ends = []
    for steps in (100, 200, 400):
        timed = Scene(bodies=bodies, joints=scene.joints, timestep=0.1 / steps)
        world = nonrigid.in_motion(timed, 5, integrator=integrator)
        world.step(steps)
        assert world.redone == 0
        ends.append(state_of(world).pose.copy())
    ratio = np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()
    assert abs(math.log2(ratio) - order) < 0.35


def hinged(planar, count=12, stiffness=0.0):
    """A held chain of bars in the xz plane, planar bodies or rigid ones on hinges."""
    bodies, joints = [], []
    axis = (0.0, -1.0, 0.0)
    for k in range(count):
        place = (0.2 * k + 0.1, 0.0, 0.05 * (k % 2))
        if planar:
            bodies.append(PlanarBody(name=f"b{k}", mass=0.5 + 0.1 * k, inertia=0.01, normal=axis, position=place))
        else:
            bodies.append(Body(name=f"b{k}", mass=0.5 + 0.1 * k, inertia=(0.01, 0.01, 0.01), position=place))
        at = (0.2 * k, 0.0, 0.0)
        a = f"b{k - 1}" if k else "world"
        joints.append(
            Hinge(name=f"j{k}", a=a, b=f"b{k}", at=at, axis=axis, stiffness=stiffness, damping=0.01 * stiffness)
        )
    return Scene(bodies=bodies, joints=joints)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("stiffness", [0.0, 2.0])
def test_planar_chain_is_a_chain_of_hinges(integrator, stiffness):
    ends = []
    for planar in (True, False):
        world = World(hinged(planar, stiffness=stiffness), integrator=integrator)
        world.step(60)
        ends.append((state_of(world).pose[:, :3].copy(), state_of(world).velocity.copy(), world.joints["j0"].force))
    for got, wanted in zip(*ends, strict=True):
        assert np.abs(got - wanted).max() < 1e-9 * max(1.0, np.abs(wanted).max())


def test_planar_bodies_stay_in_their_planes():
    world = nonrigid.in_motion(nonrigid.random_figure(2, "P", 8), 2)
    normal = np.array(built_of(world).scene.bodies[0].normal)
    heights = state_of(world).pose[:, :3] @ normal
    world.step(500)
    assert np.abs(state_of(world).pose[:, :3] @ normal - heights).max() < 1e-12


def test_a_rigid_body_on_a_planar_one():
    """A rigid body welded on moves with it; its weight across the plane is taken up."""
    base = PlanarBody(name="base", mass=1.0, inertia=0.1)
    load = Body(name="load", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 0.5))
    world = World(Scene(bodies=[base, load], joints=[Weld(name="j", a="base", b="load", at=(0.0, 0.0, 0.2))]))
    world.bodies["base"].apply_impulse((0.0, 3.0, 0.0))
    world.step(240)
    assert np.abs(world.bodies["load"].position - (0.0, 1.0, 0.5)).max() < 1e-9
    force = world.joints["j"].force * (1.0 if world.joints["j"].definition.b == "load" else -1.0)
    assert np.abs(force - (0.0, 0.0, 2.0 * 9.81)).max() < 1e-9


def test_blows_pass_through_scales():
    """An impulse on one of two joined bodies: momentum as given, and joints that do not slip."""
    world = nonrigid.in_motion(nonrigid.random_figure(7, "US", 4, gravity=0.0), 7)
    before = world.momentum()
    world.bodies["b0"].apply_impulse((1.0, -2.0, 0.5))
    after = world.momentum()
    assert np.abs(after.linear - before.linear - (1.0, -2.0, 0.5)).max() < 1e-12
    turn = np.cross(world.bodies["b0"].position, (1.0, -2.0, 0.5))
    assert np.abs(after.angular - before.angular - turn).max() < 1e-11
    world.move(1e-6)
    assert world.largest_gap < 1e-10


def test_a_link_between_scaled_bodies_closes_a_loop():
    """Three stretching bodies in a ring: the joint outside the forest holds points of matter too."""
    places = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.5, 0.8, 0.0)]
    bodies = [scaled(name=f"b{k}", position=p, angular_velocity=(0.0, 0.0, 0.2)) for k, p in enumerate(places)]
    joints = []
    for k in range(3):
        a, b = places[k], places[(k + 1) % 3]
        at = tuple((np.array(a) + np.array(b)) / 2)
        joints.append(Ball(name=f"j{k}", a=f"b{k}", b=f"b{(k + 1) % 3}", at=at))
    for solver in ("fused", "lagrange"):
        world = World(Scene(bodies=bodies, joints=joints, gravity=(0.0, 0.0, 0.0)), solver=solver)
        world.assemble()
        world.bodies["b0"].apply_impulse((0.0, 1.0, 0.3))
        world.step(240)
        assert world.redone == 0
        assert world.largest_gap < 1e-6


def test_snapshot():
    world = nonrigid.in_motion(nonrigid.random_figure(1, "SUPR", 6), 1)
    world.step(20)
    kept = world.snapshot()
    world.step(30)
    there = world.state_hash()
    world.step(7)
    world.restore(kept)
    world.step(30)
    assert world.state_hash() == there


def test_kinematic_order():
    """f = m v: a pull on the free end of a hung body stretches it along, and the joint stays closed."""
    hook = Ball(name="hook", a="world", b="b", at=(0.0, 0.0, 0.0))
    world = World(Scene(bodies=[scaled(position=(0.0, 0.0, -0.5))], joints=[hook]))
    world.order = "kinematic"
    world.bodies["b"].applied_force = (0.0, 0.0, -1.0)
    world.step(24)
    scale = world.bodies["b"].scale[0]
    # (m l^2 + Z) s' = f l, with the lever l of the matter
    assert abs(scale - 1.0 - 0.1 * 0.5 / (MASS * 0.25 + MOMENTS.sum())) < 1e-6
    assert abs(world.bodies["b"].position[2] + 0.5 * scale) < 1e-9


def test_without_compilation():
    """The same state to the last bit."""
    script = (
        "from tests.helpers import nonrigid\n"
        "w = nonrigid.in_motion(nonrigid.random_figure(1, 'SUP', 3), 1)\n"
        "w.step(2)\n"
        "print(w.state_hash())\n"
    )
    plain = dict(os.environ, NUMBA_DISABLE_JIT="1")
    runs = [
        subprocess.run([sys.executable, "-c", script], env=e, capture_output=True, text=True) for e in (None, plain)
    ]
    assert runs[0].stdout.strip()
    assert runs[0].stdout == runs[1].stdout
