"""Worlds that go on: from a snapshot, and for a long time."""

from collections.abc import Callable, Sized
from typing import Any

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


def comes_back_over(world: World, earlier: Any, held: Callable[[], Sized], steps: int) -> bool:
    """Whether a world goes on to the same state from a snapshot that is restored over an `earlier` one. `held` returns
    the grabs or the pins, of which the earlier snapshot has none."""
    present, count = world.snapshot(), len(held())
    world.step(steps)
    end = world.state_hash()
    world.restore(earlier)
    assert len(held()) == 0
    world.step(5)
    world.restore(present)
    assert len(held()) == count
    world.step(steps)
    return world.state_hash() == end


def largest_gap_over(world: World, calls: int, steps: int) -> float:
    """Return the largest gap of the joints at the ends of so many calls of `step(steps)`."""
    largest = 0.0
    for _ in range(calls):
        world.step(steps)
        largest = max(largest, world.largest_gap)
    return largest
