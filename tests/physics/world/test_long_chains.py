"""Long paths: a thousand ball joints in a row, where errors of a poor elimination would have grown."""

import numpy as np
import pytest

from tests.helpers import generators
from tests.helpers import figures


def largest_miss(solver: str) -> tuple[float, float]:
    """Of accelerations and joint forces against `fused`, relative to the largest; and the condition `jsim` reports."""
    world = figures.in_motion(generators.chain(1000, angle=1.0, timestep=1e-3), speed=0.1)
    expected = world.accelerations()
    forces = np.array([joint.force for joint in world.joints.values()])
    world.use_solver(solver)
    found = world.accelerations()
    wrenches = np.array([joint.force for joint in world.joints.values()])
    miss = np.abs(found - expected).max() / np.abs(expected).max()
    return max(miss, np.abs(wrenches - forces).max() / np.abs(forces).max()), world.condition


@pytest.mark.parametrize("solver", ["lagrange", "aba", "dense"])
def test_a_thousand_links(solver):
    assert largest_miss(solver)[0] < 1e-9


def test_jsim_tells_how_badly_conditioned_it_is():
    """The joint-space inertia of 1000 links is nearly singular in double precision; the mode says so, and refines."""
    miss, condition = largest_miss("jsim")
    assert condition > 1e12
    assert miss < 3e-7
