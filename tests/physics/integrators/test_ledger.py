"""The ledger: energy that changes from outside brought is work, and live switches bring none."""

import numpy as np
import pytest

from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import World

INTEGRATORS = ("trbdf2", "implicit", "hernandez", "rattle", "rattle4", "rk4", "explicit")


def arm(integrator="trbdf2"):
    """Two rods, a ball joint and a sprung hinge, in motion."""
    rod = {"mass": 1.0, "inertia": (1e-3, 0.021, 0.021)}
    bodies = [Body(name="upper", position=(0.25, 0, 0), **rod), Body(name="lower", position=(0.75, 0, 0), **rod)]
    joints = [
        Ball(name="shoulder", a="world", b="upper", at=(0, 0, 0)),
        Hinge(name="elbow", a="upper", b="lower", at=(0.5, 0, 0), axis=(0, 1, 0), stiffness=20.0),
    ]
    world = World(Scene(bodies=bodies, joints=joints, timestep=1 / 960), integrator=integrator)
    world.step(240)
    return world


def turn_gravity(world):
    """sum m (g - g') . x"""
    weights = np.sum([body.mass * body.position for body in world.bodies.values()], axis=0)
    before = world.gravity
    world.gravity = (3.0, -2.0, 5.0)
    return float((before - world.gravity) @ weights)


def soften(world):
    """(k' - k) q^2 / 2"""
    joint = world.joints["elbow"]
    before, joint.stiffness = float(joint.stiffness), 5.0
    return 0.5 * (5.0 - before) * float(joint.angle) ** 2


def stiffen_all(world):
    joint = world.joints["elbow"]
    world.stiffness_scale = 3.0
    return 0.5 * 2.0 * 20.0 * float(joint.angle) ** 2


def strike(world):
    """J . (v + v') / 2"""
    body = world.bodies["lower"]
    before, impulse = body.velocity.copy(), np.array((0.2, 0.1, -0.3))
    body.apply_impulse(impulse)
    return float(impulse @ (before + body.velocity)) / 2.0


@pytest.mark.parametrize("change", [turn_gravity, soften, stiffen_all, strike])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_changes_from_outside_bring_is_work(integrator, change):
    """The total goes up by the work of the change, and the ledger stays: at once, and after the steps that follow."""
    world = arm(integrator)
    before = world.energy()
    work = change(world)
    after = world.energy()
    assert abs(work) > 0.01
    # what these call the velocity is that of the middle of the step, which joints stop in part
    first = integrator in ("implicit", "hernandez", "explicit") and change is strike
    assert after.total - before.total == pytest.approx(work, rel=0.01 if first else 1e-12)
    assert after.ledger == pytest.approx(before.ledger, abs=1e-12)
    again = arm(integrator)
    change(again)  # nobody looks at the energy in between
    again.step(10)
    world.step(10)
    assert again.energy().ledger == pytest.approx(world.energy().ledger, abs=1e-12)


def test_a_snapshot_holds_the_ledger():
    world = arm()
    turn_gravity(world)
    kept, ledger = world.snapshot(), world.energy().ledger
    world.step(50)
    soften(world)
    world.restore(kept)
    assert world.energy().ledger == ledger


def test_live_switches_bring_no_energy():
    """Modes, integrators and timesteps in turn: the energy is the same to the bit at each switch."""
    world = arm()
    energy = world.energy()
    for integrator in INTEGRATORS:
        for mode in MODES:
            world.use_integrator(integrator)
            world.use_solver(mode)
            world.timestep = 1 / 480
            assert world.energy() == energy
