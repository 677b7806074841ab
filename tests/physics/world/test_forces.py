"""Joint forces are equal and opposite, and they are what makes each body move as it does.

Newton and Euler for every body of every figure, in motion, with springs, dampers, gravity and applied loads:
m a = m g + f + sum of the joint forces,  I w' + w x I w = t + sum of (torque + lever x force), where a joint acts with
+F on its second body b at its anchor there, and with -F on a at the same place.
"""

import numpy as np
import pytest

from physics.definitions.bodies import Particle
from tests.helpers import figures
from tests.helpers.newton_euler import residuals
from tests.helpers.arrays import built_of

SPRUNG = {
    f"sprung{seed}": (lambda seed=seed: figures.random_tree(seed, 14, held=seed % 2 == 0, stiffness=30.0, particles=3))
    for seed in range(4)
}
ALL = {**figures.ALL, **SPRUNG}


def moving(name):
    """In motion, with a load on every third body."""
    world = figures.in_motion(ALL[name](), 5, speed=1.0)
    rng = np.random.default_rng(8)
    for k, body in enumerate(world.bodies.values()):
        if k % 3 == 0:
            body.applied_force = rng.normal(size=3)
            if not isinstance(built_of(world).scene.bodies[k], Particle):
                body.applied_torque = 0.1 * rng.normal(size=3)
    return world


@pytest.mark.parametrize("name", ALL)
def test_newton_and_euler(name):
    world = moving(name)
    left, size = residuals(world, world.accelerations())
    assert np.abs(left).max() < 1e-10 * size


def test_reversed_joints_are_among_them():
    """The forest takes some joints the other way round, of every kind; their forces act on b all the same."""
    kinds = set()
    for name in ALL:
        built = built_of(figures.World(ALL[name]()))
        definitions = {j.name: j for j in built.scene.joints}
        kinds |= {definitions[k].kind for k, row in built.joint_row.items() if built.reversed[row]}
    assert kinds >= {"ball", "hinge", "universal", "slider", "weld"}


def test_a_wrong_sign_is_noticed():
    """Twin: the reaction on a forgotten, or 1 % too small."""
    world = moving("random3")
    accelerations = world.accelerations()
    for wrong in (0.0, -0.99):
        left, size = residuals(world, accelerations, wrong)
        assert np.abs(left).max() > 1e-4 * size


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "rattle"])
def test_force_of_a_step_carries_the_weight(integrator):
    """At rest, the forces that steps report balance the weights, joint by joint."""
    from tests.helpers import generators

    world = figures.World(generators.chain(6, angle=0.0), integrator=integrator)
    world.step(240)
    for k, joint in enumerate(world.joints.values()):
        assert joint.force == pytest.approx((0.0, 0.0, (6 - k) * 0.1 * 9.81), abs=1e-9)
