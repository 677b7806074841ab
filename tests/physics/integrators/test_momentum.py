"""Momentum of free figures without gravity, for every joint kind, over 100 steps.

Linear momentum is kept to rounding by every integrator: joint impulses are equal and opposite. Angular momentum is kept
to rounding by `rattle` and `rattle4`, whose impulses act at the pose where they are computed; the others apply theirs
at one pose and carry momenta to another, and keep it to the accuracy of their order.
"""

from dataclasses import replace

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from tests.helpers import figures

STEPS = 100
SPRUNG = {
    f"sprung {kind}": (lambda kind=kind: figures.random_tree(9, 8, kinds=(kind,), stiffness=2.0))
    for kind in ("ball", "hinge", "universal", "slider")
}


def free(scene):
    return not any("world" in (j.a, j.b) and j.kind != "free" for j in scene.joints)


FREE = {name: make for name, make in {**figures.ALL, **SPRUNG}.items() if free(make())}


def floating(name, integrator, steps_a_second=240):
    scene = replace(FREE[name](), gravity=(0.0, 0.0, 0.0), timestep=1.0 / steps_a_second)
    return figures.in_motion(scene, 3, speed=0.5, integrator=integrator)


def linear_change(world, steps=STEPS):
    """Relative to the sum of the bodies' own momenta."""
    before = world.momentum().linear
    size = sum(b.mass * np.linalg.norm(b.velocity) for b in world.bodies.values())
    world.step(steps)
    return float(np.abs(world.momentum().linear - before).max()) / size


def angular_change(world, steps=STEPS):
    before = world.momentum().angular
    world.step(steps)
    return float(np.linalg.norm(world.momentum().angular - before) / np.linalg.norm(before))


def test_all_kinds_are_here():
    kinds = {j.kind for make in FREE.values() for j in make().joints}
    assert kinds >= {"ball", "hinge", "universal", "slider", "weld", "distance"}
    assert len(FREE) >= 16


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_linear_momentum(integrator, name):
    assert linear_change(floating(name, integrator)) < 1e-12


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("integrator", ["rattle", "rattle4"])
def test_angular_momentum_to_rounding(integrator, name):
    world = floating(name, integrator)
    change = angular_change(world)
    assert world.redone == 0
    assert change < 1e-11


# Measured over the figures: largest relative change in 100 steps at 1/240 of figures that turn at some rad/s.
LARGEST = {"explicit": 3e-6, "trbdf2": 5e-5, "rk4": 5e-7}


@pytest.mark.parametrize("name", FREE)
@pytest.mark.parametrize("integrator", LARGEST)
def test_angular_momentum(integrator, name):
    world = floating(name, integrator)
    change = angular_change(world)
    assert world.redone == 0
    assert change < LARGEST[integrator]


@pytest.mark.parametrize("integrator", ["implicit", "hernandez"])
def test_angular_momentum_of_the_damping_methods(integrator):
    """The geometric stiffness, uncompensated, takes spin from bodies one by one; steps redone project positions.
    Bounded as 1 % and, without the correction of the gap, 10 %."""
    changes = [angular_change(floating(name, integrator)) for name in FREE]
    assert max(changes) < (1e-2 if integrator == "implicit" else 1e-1)


@pytest.mark.parametrize(("integrator", "factor"), [("trbdf2", 3.0), ("rk4", 10.0), ("explicit", 3.0)])
@pytest.mark.parametrize("name", ["random_ball", "random_hinge", "random_universal"])
def test_angular_momentum_converges(name, integrator, factor):
    """Half the step, and twice as many: what is lost shrinks with the order (symplectic Euler's loss is of its gap)."""
    whole = angular_change(floating(name, integrator), 48)
    half = angular_change(floating(name, integrator, 480), 96)
    assert whole / half > factor


def test_single_body_keeps_its_momentum():
    for integrator in INTEGRATORS:
        world = floating("single", integrator)
        assert angular_change(world) < 1e-13, integrator


def test_an_applied_force_is_noticed():
    """Twin: a millionth of a newton on one body changes the linear momentum by F t, and the check sees it."""
    world = floating("random_ball", "rattle")
    next(iter(world.bodies.values())).applied_force = (1e-6, 0.0, 0.0)
    before = world.momentum().linear
    assert linear_change(world) > 1e-12
    assert world.momentum().linear - before == pytest.approx((1e-6 * STEPS / 240, 0.0, 0.0), rel=1e-6, abs=1e-12)


def test_an_impulse_in_a_joint_changes_nothing():
    """Equal and opposite on the joint's two bodies."""
    world = floating("random_hinge", "trbdf2")
    before = world.momentum()
    energy = world.energy().kinetic
    for joint in world.joints.values():
        joint.apply_impulse(0.01)
    after = world.momentum()
    assert abs(world.energy().kinetic - energy) > 1e-4
    assert after.linear == pytest.approx(before.linear, abs=1e-12)
    assert after.angular == pytest.approx(before.angular, abs=1e-12)


def test_an_impulse_on_a_body_is_its_change_of_momentum():
    """p and L of the whole figure change by exactly what was given, wherever joints pass it on to."""
    world = floating("random1", "trbdf2")
    body = world.bodies["b3"]
    before = world.momentum()
    impulse, angular = np.array([0.3, -0.2, 0.5]), np.array([0.01, 0.02, -0.03])
    body.apply_impulse(impulse, angular)
    after = world.momentum()
    assert after.linear - before.linear == pytest.approx(impulse, abs=1e-12)
    assert after.angular - before.angular == pytest.approx(np.cross(body.position, impulse) + angular, abs=1e-12)
