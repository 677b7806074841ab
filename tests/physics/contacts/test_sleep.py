"""Islands that sleep: who does, that nothing moves, what wakes them, and that it is the same in any number of calls."""

import numpy as np
import pytest

from physics.definitions.motions import Moving
from physics.definitions.joints import Ball, Hinge
from physics.definitions.scene import Scene
from physics import Box, Plane
from physics.definitions.signals import Ramp
from physics.world.world import World
from tests.helpers.contact_figures import GRAVITY, ball, box, world_of
from tests.helpers.arrays import work_of


def two_piles(**more) -> World:
    """A pile of two boxes, far from it two boxes that are tied together, and a ball that falls on the first at 1 s"""
    bodies = [
        box("lower", (0, 0, 0.1), (0.1, 0.1, 0.1)), box("upper", (0, 0, 0.3), (0.1, 0.1, 0.1)),
        box("other", (3, 0, 0.1), (0.1, 0.1, 0.1)), box("tied", (3.5, 0, 0.1), (0.1, 0.1, 0.1)),
        ball("late", (0, 0, 0.45 + 0.5 * GRAVITY * 1.0**2), 0.05, 0.3),
    ]  # fmt: skip
    world = world_of(*bodies, joints=[Ball(name="tie", a="other", b="tied", at=(3.25, 0, 0.1))], **more)
    world.sleeping = True
    return world


def sleepers(world: World) -> set[str]:
    return {name for name, body in world.bodies.items() if body.asleep}


def test_what_rests_sleeps_as_islands_and_is_woken_by_contact():
    world = two_piles()
    world.step(100)
    assert not sleepers(world)
    world.step(60)
    assert sleepers(world) == {"lower", "upper", "other", "tied"}
    at = {k: b.position for k, b in world.bodies.items()}
    forces = {(c.a, c.b): c.force for c in world.contacts()}
    world.step(60)
    for name in ("lower", "upper", "other", "tied"):
        assert (world.bodies[name].position == at[name]).all()
        assert not world.bodies[name].velocity.any()
    again = {(c.a, c.b): c.force for c in world.contacts()}
    assert again.keys() == forces.keys()
    assert sum(f[2] for k, f in again.items() if k == ("lower", "world")) == pytest.approx(
        sum(f[2] for k, f in forces.items() if k == ("lower", "world"))
    )
    assert world.bodies["late"].velocity[2] < -8.0
    world.step(40)  # it has come down
    assert sleepers(world) == {"other", "tied"}
    world.step(480)
    assert sleepers(world) == set(world.bodies)
    assert world.energy().kinetic == 0.0


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
def test_the_joint_of_what_sleeps_still_carries_its_share(integrator):
    """A plank on a hinge at one end and a block at the other, while a ball falls elsewhere"""
    bodies = [
        box("plank", (0, 0, 0.25), (0.5, 0.1, 0.05), mass=2.0), box("block", (0.4, 0, 0.1), (0.1, 0.1, 0.1)),
        ball("late", (5, 0, 20.0), 0.05, 0.3),
    ]  # fmt: skip
    hinge = Hinge(name="hinge", a="world", b="plank", at=(-0.3, 0, 0.25), axis=(0, 1, 0))
    world = world_of(*bodies, joints=[hinge], integrator=integrator)
    world.sleeping = True
    world.step(300)
    assert sleepers(world) == {"plank", "block"}
    pressed = np.sum([c.force for c in world.contacts() if {c.a, c.b} == {"plank", "block"}], axis=0)
    assert world.joints["hinge"].force[2] + pressed[2] == pytest.approx(2.0 * GRAVITY, rel=1e-4)
    assert world.joints["hinge"].force[2] > 1.0
    before = world.joints["hinge"].force
    world.step(50)
    assert (world.joints["hinge"].force == before).all()
    assert world.bodies["late"].velocity[2] < -10.0


def test_all_asleep_time_goes_on_alone():
    world = two_piles()
    world.step(800)
    assert sleepers(world) == set(world.bodies)
    before, solves = world.snapshot(), int(work_of(world).control[22])
    world.step(1000)
    assert world.time == pytest.approx(1800 / 240)
    assert int(work_of(world).control[22]) == solves
    whole = world.state_hash()
    world.restore(before)
    for _ in range(10):
        world.step(100)
    assert world.state_hash() == whole


def test_changes_and_grabs_wake():
    world = two_piles()
    world.step(800)
    world.gravity = (0.0, 0.0, -9.0)
    world.step()
    assert not sleepers(world)
    world.step(300)
    assert sleepers(world) == set(world.bodies)
    grab = world.grab("upper", kind="point", target=(0, 0, 0.8))
    world.step(240)
    assert sleepers(world) >= {"other", "tied"}
    assert world.bodies["upper"].position[2] > 0.7
    grab.release()
    world.step(480)
    assert sleepers(world) == set(world.bodies)
    world.sleeping = False
    world.step()
    assert not sleepers(world)


def test_what_moves_as_told_wakes_what_it_comes_to():
    door = Moving(name="door", position=(Ramp(start=-1.0, rate=0.5), 0, 0.1), shapes=[Box(size=(0.2, 0.2, 0.2))])
    world = World(
        Scene(bodies=[door, box("b", (0, 0, 0.1), (0.1, 0.1, 0.1), friction=0.2)], shapes=[Plane()]),
        integrator="implicit",
    )
    world.sleeping = True
    world.step(240)
    assert world.bodies["b"].asleep
    world.step(240)  # at 1.6 s the door has come to the box
    assert not world.bodies["b"].asleep
    assert world.bodies["b"].position[0] == pytest.approx(0.2, abs=1e-3)


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
def test_sleep_is_the_same_in_one_call_and_many_and_after_restoring(integrator):
    one, many = two_piles(integrator=integrator), two_piles(integrator=integrator)
    one.step(400)
    for k in range(80):
        many.step(5)
        if k == 35:
            kept = many.snapshot()
            many = two_piles(integrator=integrator)
            many.restore(kept)
    assert one.state_hash() == many.state_hash()
    assert sleepers(one) == sleepers(many)


def test_energy_says_what_falling_asleep_took():
    world = two_piles()
    start = world.energy()
    world.step(800)
    end = world.energy()
    assert end.kinetic == 0.0
    assert np.isfinite(end.total)
    assert end.total < start.total
