"""Pins: joints to the world made and taken away while the figure moves, exact, and part of snapshots."""

import math

import numpy as np
import pytest

from physics.definitions.bodies import Body, Particle, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import figures
from tests.helpers.arrays import state_of
from tests.helpers.cases.going_on import comes_back_over


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
    assert np.isfinite(state_of(world).pose).all()
    assert max(np.linalg.norm(j.force) for j in world.joints.values()) < 3e4


def test_snapshots_hold_pins():
    world = falling_chain()
    free = world.snapshot()
    world.pin("link0", world.bodies["link0"].position)
    world.pin("link3")
    world.step(20)
    assert len(world.pins) == 2
    assert comes_back_over(world, free, lambda: world.pins, 30)


def test_a_snapshot_after_a_pin_was_taken_away_goes_into_a_new_world():
    world = falling_chain()
    world.pin("link0", name="was")
    world.unpin("was")
    world.use_solver("aba")
    snapshot = world.snapshot()
    again = World(generators.chain(6, held=False))
    again.restore(snapshot)
    world.step(5)
    again.step(5)
    assert again.solver == "aba"
    assert again.state_hash() == world.state_hash()


def test_limits_go_with_their_pin():
    """Taken away, a pin leaves none behind for another one, or for nobody; where it stays, they stay its own."""
    world = falling_chain()
    first, second, third = (world.pin(f"link{i}", world.bodies[f"link{i}"].position, name=f"p{i}") for i in (0, 2, 4))
    first.limits, third.limits = Limits(swing=0.01), Limits(swing=0.5)
    world.unpin("p0")
    assert second.limits is None
    assert third.limits.swing == 0.5
    world.unpin("p2")
    assert world.pins["p4"].limits.swing == 0.5
    world.step(5)
    world.unpin("p4")
    assert len(state_of(world).limit) == 0
    world.step(5)


def test_a_pinned_point_has_springs():
    """A torsional pendulum about the point where it is pinned: w = sqrt(k / I), and what is set goes into snapshots."""
    body = Body(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1))

    def pinned():
        world = World(Scene(bodies=[body], gravity=(0.0, 0.0, 0.0)))
        pin = world.pin("b", (0.0, 0.0, 0.0), name="p")
        pin.stiffness = 0.4
        world.bodies["b"].angular_velocity = (0.0, 0.0, 0.1)
        return world

    world = pinned()
    world.step(60)
    again = World(Scene(bodies=[body], gravity=(0.0, 0.0, 0.0)))
    again.restore(world.snapshot())
    assert again.pins["p"].stiffness == 0.4
    for each in (world, again):
        each.step(60)
        assert each.bodies["b"].angular_velocity[2] == pytest.approx(0.1 * math.cos(2.0 * 0.5), rel=1e-4)
    world.stiffness_scale = 4.0
    assert world.energy().elastic == pytest.approx(4.0 * again.energy().elastic, rel=1e-12)
    world.pins["p"].stiff = False
    assert world.energy().elastic == 0.0
    # another pin of the same name is another pin
    world.unpin("p")
    assert world.pin("b", name="p").stiff is True


def test_what_was_taken_away_does_not_act_on_its_successor():
    world = falling_chain()
    pin = world.pin("link0", name="here")
    world.unpin("here")
    world.pin("link3", name="here")
    for read in (lambda: pin.anchor, lambda: pin.stiffness, lambda: pin.force):
        with pytest.raises(KeyError, match="'here' is no longer there"):
            read()
    grab = world.grab("link0")
    grab.release()
    held = world.grab("link3", target=(1.0, 2.0, 3.0))
    for change in (lambda: setattr(grab, "target", (0.0, 0.0, 0.0)), grab.release, lambda: grab.force):
        with pytest.raises(KeyError, match="this grab was released"):
            change()
    assert held.target == pytest.approx([1.0, 2.0, 3.0])
    assert [g.number for g in world.grabs] == [held.number]


def test_a_snapshot_with_another_pin_of_the_same_name():
    """A pinned pose in the place of a pinned point"""
    world = falling_chain()
    world.pin("link0", name="here")
    world.step(3)
    snapshot = world.snapshot()
    world.step(20)
    after = world.state_hash()
    world.unpin("here")
    world.pin("link3", world.bodies["link3"].position, name="here")
    world.restore(snapshot)
    world.step(20)
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
    for name in ("here", "", ["there"]):
        with pytest.raises(DefinitionError, match="name of a pin"):
            world.pin("link1", name=name)
    with pytest.raises(KeyError, match="no pin named 'there'"):
        world.unpin("there")


@pytest.mark.parametrize("hold", ["pin", "grab"])
def test_what_forces_do_not_move_is_neither_pinned_nor_grabbed(hold):
    world = World(Scene(bodies=[Static(name="wall"), Particle(name="bead", mass=1.0)]))
    with pytest.raises(DefinitionError, match="a body that forces move"):
        getattr(world, hold)("wall")
