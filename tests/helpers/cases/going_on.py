"""Worlds that go on from a snapshot."""

from physics.world.world import World


def comes_back(world: World, steps: int) -> bool:
    """Whether a world that is restored from a snapshot goes on to the same state, one step at a time."""
    before = world.snapshot()
    world.step(steps)
    end = world.state_hash()
    world.restore(before)
    for _ in range(steps):
        world.step()
    return world.state_hash() == end
