"""Pins: joints to the world made and taken away while the figure moves, exact, and part of snapshots."""

import numpy as np
import pytest

from physics.definitions import DefinitionError, Particle, Scene
from physics.world import World
from scenes import generators
from tests import figures


def falling_chain():
    world = World(generators.chain(6, held=False))
    world.step(20)
    return world


def test_a_pinned_point_stays_and_carries_the_weight():
    """A chain caught at one end swings to rest under it; the pin's force is the weight plus what turns the motion."""
    world = World(generators.chain(6, held=False, damping=2e-3))
    world.step(20)
    end = world.bodies["link0"].position
    pin = world.pin("link0", end)
    world.step(240)
    assert world.largest_gap < 1e-6
    assert np.abs(world.bodies["link0"].position - end).max() < 1e-6
    momentum = world.momentum().linear
    impulse = np.zeros(3)
    mass = sum(b.mass for b in world.bodies.values())
    for _ in range(240):
        world.step(1)
        impulse += world.timestep * (pin.force + mass * world.gravity)
    # trbdf2 weighs the forces of its two stages; what is reported is the last stage's
    assert np.abs(world.momentum().linear - momentum - impulse).max() < 0.02 * mass * 9.81


def test_a_pose_pin_holds_the_orientation():
    world = falling_chain()
    turn = world.bodies["link2"].quaternion
    place = world.bodies["link2"].position
    world.pin("link2")
    world.step(120)
    assert np.abs(world.bodies["link2"].position - place).max() < 1e-6
    assert min(np.abs(world.bodies["link2"].quaternion - s * turn).max() for s in (1, -1)) < 1e-6


def test_taking_pins_away_leaves_the_others():
    world = falling_chain()
    world.pin("link0", world.bodies["link0"].position, name="first")
    second = world.pin("link5", world.bodies["link5"].position, name="second")
    world.step(10)
    force = second.force
    world.unpin("first")
    assert list(world.pins) == ["second"]
    assert np.array_equal(second.force, force)
    world.step(60)
    assert world.largest_gap < 1e-6
    world.unpin("second")
    height = world.momentum().linear[2]
    world.step(24)
    mass = sum(b.mass for b in world.bodies.values())
    assert world.momentum().linear[2] - height == pytest.approx(-mass * 9.81 * 0.1, rel=1e-6)


def test_a_pin_at_two_ends_of_a_taut_line():
    """A straight chain pinned at its end once more: the pin's pull along the chain is redundant, the motion goes on."""
    world = World(generators.chain(8))
    world.pin("link7", world.bodies["link7"].position)
    world.step(480)
    assert world.largest_gap < 1e-6
    assert np.isfinite(world._state.pose).all()
    assert max(np.linalg.norm(j.force) for j in world.joints.values()) < 3e4


def test_snapshots_hold_pins():
    world = falling_chain()
    free = world.snapshot()
    world.pin("link0", world.bodies["link0"].position)
    world.pin("link3")
    world.step(20)
    pinned = world.snapshot()
    world.step(30)
    after = world.state_hash()
    world.restore(free)
    assert not world.pins
    world.step(10)
    world.restore(pinned)
    assert len(world.pins) == 2
    world.step(30)
    assert world.state_hash() == after


def test_a_particle_is_pinned_by_its_place():
    world = World(Scene(bodies=[Particle(name="p", mass=1.0, position=(1, 2, 3))]))
    pin = world.pin("p")
    world.step(60)
    assert np.abs(world.bodies["p"].position - (1, 2, 3)).max() < 1e-9
    assert pin.force == pytest.approx([0, 0, 9.81], abs=1e-6)


@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg", "jsim", "aba"])
def test_pins_in_every_mode(solver):
    world = figures.in_motion(generators.humanoid30(), 3, solver=solver)
    world.pin("torso", world.bodies["torso"].position)
    world.step(30)
    assert world.largest_gap < 1e-6


def test_refusals():
    world = falling_chain()
    with pytest.raises(KeyError, match="no body named 'lonk0'"):
        world.pin("lonk0")
    with pytest.raises(DefinitionError, match="point of a pin"):
        world.pin("link0", (0, 0))
    world.pin("link0", name="here")
    with pytest.raises(DefinitionError, match="name of a pin"):
        world.pin("link1", name="here")
    with pytest.raises(KeyError, match="no pin named 'there'"):
        world.unpin("there")
