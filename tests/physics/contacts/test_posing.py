"""Posing, the kinematic order with grabs: steady at any timestep, and what is held stops at what it touches.

Penetrations: exact but for rounding, the tolerance and, where bodies turn, the curve of a step.
"""

import math

import numpy as np
import pytest

from physics.data.state_tables import POSING_SPEED
from physics.definitions.bodies import Body, Particle
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics import Capsule, Plane
from physics.world.world import World
from tests.helpers.contact_figures import box, world_of

METHODS = ["newton", "anticipation"]
DEEP = 1e-4


def deepest(world: World) -> float:
    return max((c.depth for c in world.contacts()), default=0.0)


@pytest.mark.parametrize("timestep", [1.0 / 60.0, 1.0 / 240.0, 1e-3])
@pytest.mark.parametrize("kind", ["spring", "point"])
def test_a_teleport_becomes_several_steps(kind, timestep):
    """0.5 m at 5 m/s, whatever the timestep"""
    world = World(Scene(bodies=[Particle(name="p", mass=2.0)], timestep=timestep))
    world.order = "kinematic"
    grab = world.grab("p", kind=kind, target=(0.5, 0.0, 0.0))
    steps = math.floor(0.1 / timestep) - 1
    for k in range(steps):
        world.step()
        way = POSING_SPEED * timestep * (k + 1)
        assert world.bodies["p"].position[0] == pytest.approx(way, rel=1e-9)
    world.step(5)
    assert world.bodies["p"].position[0] == pytest.approx(0.5, abs=1e-9)
    grab.speed = 1.0
    grab.target = (0.0, 0.0, 0.0)
    world.step()
    assert world.bodies["p"].position[0] == pytest.approx(0.5 - timestep, abs=1e-9)


@pytest.mark.parametrize("kind", ["spring", "point", "pose"])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_dragged_stops_at_a_wall(method, kind):
    """The target lies 0.8 m behind a wall that the box meets at 0.2 m."""
    world = world_of(box("b", (0, 0, 0), (0.1, 0.1, 0.1)), floor=Plane.facing((-1, 0, 0), (0.3, 0, 0)))
    world.order = "kinematic"
    world.contact_method = method
    grab = world.grab("b", kind=kind, target=(1.0, 0.0, 0.0))
    for _ in range(30):
        world.step()
        assert deepest(world) < DEEP
    assert world.bodies["b"].position == pytest.approx([0.2, 0, 0], abs=DEEP)
    grab.target = (0.0, 0.0, 0.0)
    world.step(20)
    assert world.bodies["b"].position == pytest.approx([0, 0, 0], abs=1e-4)
    assert world.redone == 0


@pytest.mark.parametrize("pace", [1e-3, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_neighbour_is_pushed_along(method, pace):
    """On a floor, its target moved by a millimetre a step, or at once; the gap of 5 cm closes and stays closed."""
    world = world_of(box("a", (0, 0, 0.1), (0.1, 0.1, 0.1)), box("b", (0.25, 0, 0.1), (0.1, 0.1, 0.1)))
    world.order = "kinematic"
    world.contact_method = method
    grab = world.grab("a", kind="point", target=(0, 0, 0.1))
    for k in range(80):
        grab.target = (min(0.1, pace * (k + 1)), 0.0, 0.1)
        world.step()
        assert deepest(world) < DEEP
    world.step(20)
    a, b = (world.bodies[name].position for name in "ab")
    reached = min(0.1, 80 * pace)
    # on the floor the boxes may tip by what the penetrations allow
    assert a == pytest.approx([reached, 0, 0.1], abs=1e-3)
    assert b == pytest.approx([reached + 0.2, 0, 0.1], abs=1e-3)


FOOT = (0.9, 0.0, 0.6)


def leg(count: int = 3) -> tuple[list[Body], list[Ball]]:
    """Capsules of 0.3 m in a row, level, held at 0.6 m above the floor"""
    length, radius, top = 0.3, 0.05, 0.6
    bodies, joints = [], []
    for i in range(count):
        bodies.append(
            Body(
                name=f"l{i}", mass=1.0, inertia=(0.002, 0.008, 0.008), position=((i + 0.5) * length, 0, top),
                shapes=[Capsule.between((-0.5 * length, 0, 0), (0.5 * length, 0, 0), radius)],
            )
        )  # fmt: skip
        upper = f"l{i - 1}" if i else "world"
        joints.append(Ball(name=f"j{i}", a=upper, b=f"l{i}", at=(i * length, 0, top)))
    return bodies, joints


def leg_over_floor(method: str, friction: float) -> World:
    """A leg over a floor, which is posed with its contacts solved by `method`"""
    bodies, joints = leg()
    world = world_of(*bodies, joints=joints, floor=Plane(friction=friction))
    world.order = "kinematic"
    world.contact_method = method
    return world


@pytest.mark.parametrize("method", METHODS)
def test_a_figure_dragged_into_the_floor_lies_down_on_it(method):
    """The foot is drawn below the floor and aside: it stays on the floor, joints closed, above its target."""
    world = leg_over_floor(method, 0.1)
    grab = world.grab("l2", FOOT, "point", target=(0.4, 0.0, 0.0))
    for _ in range(80):
        world.step()
        assert deepest(world) < 1e-3  # a capsule that turns by w a step sinks by r w^2 / 2
        assert world.largest_gap < 1e-6
    assert world.redone == 0
    assert deepest(world) < DEEP
    assert grab.point == pytest.approx([0.4, 0.0, 0.05], abs=5e-2)  # drawn 5 cm deep


@pytest.mark.parametrize("method", METHODS)
def test_an_unreachable_target_beside_a_floor(method):
    """Below the floor and out of reach: the leg stretches to the floor that its foot comes to lie on, and rests."""
    world = leg_over_floor(method, 0.3)
    world.grab("l2", FOOT, "point", target=(1.0, 0.0, -3.0))
    world.step(200)
    place = np.array([b.position for b in world.bodies.values()])
    world.step(20)
    assert abs(np.array([b.position for b in world.bodies.values()]) - place).max() < 1e-3
    assert world.largest_gap < 1e-6
    assert deepest(world) < DEEP
    assert world.redone == 0


@pytest.mark.parametrize("method", METHODS)
def test_posing_in_one_call_or_many_and_from_snapshots(method):
    hashes = set()
    for pieces in ((24,), (1,) * 24, (7, 17)):
        world = world_of(box("a", (0, 0, 0.1), (0.1, 0.1, 0.1)), box("b", (0.25, 0, 0.1), (0.1, 0.1, 0.1)))
        world.order = "kinematic"
        world.contact_method = method
        world.grab("a", kind="point", target=(0.2, 0.05, 0.1))
        for count in pieces:
            world.step(count)
            kept = world.snapshot()
            world.restore(kept)
            assert world.snapshot() == kept
        hashes.add(world.state_hash())
    assert len(hashes) == 1
