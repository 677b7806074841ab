"""How many iterations `newton` takes where joints make contacts contradict each other, and that its answer is right."""

import numpy as np
import pytest

from physics.world.world import World
from tests.benchmarks.contacts import beam
from tests.helpers.contact_figures import floor_chain

STEPS = 20


def sliding(scene):
    """All of it slides askew, and comes down a little."""
    world = World(scene, integrator="implicit")
    for view in world.bodies.values():
        view.velocity = (0.3, 0.2, -0.05)
    return world


def largest_impulse(world):
    return max(abs(c.force).max() for c in world.contacts()) * world.timestep


def test_a_sliding_chain_takes_few_iterations():
    """The capsules of a joint touch the floor at one point, with normal velocities that differ by what closes the joint
    (1e-5 m/s): the load does not wander from one to the other until one has lifted off. All laws hold, the floor
    carries the chain, and it stays on the floor."""
    world = sliding(floor_chain(8))
    weight = 9.81 * sum(b.mass for b in world.bodies.values())
    iterations = []
    for step in range(STEPS):
        world.step()
        iterations.append(world.contact_solution.iterations)
        assert world.contact_solution.residual < 2e-3 * largest_impulse(world)
        assert max(abs(c.depth) for c in world.contacts()) < 2e-6
        if step > 0:
            assert sum(c.force[2] for c in world.contacts()) == pytest.approx(weight, rel=2e-3)
    assert np.mean(iterations) < 12.0


def test_a_stiff_beam_that_slides_takes_few_iterations():
    """Stiff joints leave nearly nothing that tells the loads of its feet apart."""
    world = sliding(beam(10, 8))
    iterations = []
    for _ in range(STEPS):
        world.step()
        iterations.append(world.contact_solution.iterations)
        assert world.contact_solution.residual < 1e-2 * largest_impulse(world)
    assert np.mean(iterations) < 20.0
