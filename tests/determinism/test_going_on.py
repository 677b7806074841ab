"""A run that goes on where the last one ended does not fill the arrays anew; one before which something has come does.
The reference is a world that is made to fill them anew every time."""

from collections.abc import Callable

import pytest

from physics.world.world import World
from tests.helpers import generators

BETWEEN: dict[str, Callable[[World], object]] = {
    "nothing": lambda world: None,
    "coordinates are read": lambda world: world.engine.coordinates(),
    "accelerations are asked for": lambda world: world.accelerations(),
    "a body is moved": lambda world: setattr(world.bodies["torso"], "velocity", (0.0, 0.0, 1.0)),
    "a mode that wants rows": lambda world: world.use_solver("lagrange"),
    "another integrator": lambda world: world.use_integrator("rattle"),
    "a snapshot is taken": lambda world: world.snapshot(),
}


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
@pytest.mark.parametrize("what", BETWEEN)
def test_going_on_gives_the_bits_of_filling_anew(what, integrator):
    worlds = [World(generators.humanoid30(), integrator=integrator) for _ in range(2)]
    for fills_anew, world in enumerate(worlds):
        for _ in range(3):
            world.step(2)
            if fills_anew:
                world.engine.filled = False
        BETWEEN[what](world)
        if fills_anew:
            world.engine.filled = False
        world.step(1)
        world.step(2)
    assert worlds[0].state_hash() == worlds[1].state_hash()


def test_filling_anew_is_left_out_only_where_nothing_came_between():
    world = World(generators.humanoid30())
    world.step(1)
    assert world.engine.filled
    assert world.state_hash()
    assert world.engine.filled
    world.energy()
    assert world.engine.filled
    world.bodies["torso"].velocity = (0.0, 0.0, 1.0)
    world.energy()
    assert not world.engine.filled
