"""Rests that last: no creep, stacks, a house of cards at its threshold, heaps of ragdolls, and contacts together with
limits, drives and grabs. Sleeping is off: what rests here rests by the law."""

import math

import numpy as np
import pytest

from physics.definitions.actuators import Drive
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge, Slider
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Plane, Sphere
from physics.world.world import CannotContinueError, World
from tests.helpers.contact_figures import GRAVITY, ball, box, tilted, world_of
from tests.helpers.ragdoll import ROOM, heap
from tests.helpers.contact_figures import CARD, LEAN, ROUND, card, places

MINUTE = 14400  # steps


# ---------------------------------------------------------------- creep
def test_nothing_creeps_down_a_slope_in_a_minute():
    """A box and a light ball that leans on it, on a slope at nine tenths of the angle of friction"""
    mu = 0.6
    angle = math.atan(0.9 * mu)
    slope = tilted(angle)
    bodies = [
        box("box", (0, 0, 0.1), (0.2, 0.1, 0.1), friction=mu),
        ball("ball", (-0.27, 0, 0.07), 0.07, 0.03, friction=mu),
    ]
    world = world_of(*bodies, floor=Plane(friction=mu), gravity=slope)
    world.step(480)
    start = places(world)
    world.step(MINUTE)
    assert abs(places(world) - start).max() < 1e-6
    assert world.redone == 0


def test_a_stack_of_ten_boxes_stands_for_a_minute():
    """Reference case 21: each interface carries what is above it."""
    masses = 1.0 + 0.5 * np.arange(10)
    bodies = [box(f"b{i}", (0, 0, 0.1 + 0.2 * i), (0.1, 0.1, 0.1), m) for i, m in enumerate(masses)]
    world = world_of(*bodies)
    world.step(480)
    start = places(world)
    assert abs(start - [[0, 0, 0.1 + 0.2 * i] for i in range(10)]).max() < 1e-5
    world.step(MINUTE)
    assert abs(places(world) - start).max() < 1e-6
    for i, load in enumerate(np.cumsum(masses[::-1])[::-1] * GRAVITY):
        pairs = [c for c in world.contacts() if {c.a, c.b} == {f"b{i}", "world" if i == 0 else f"b{i - 1}"}]
        assert sum(abs(c.force[2]) for c in pairs) == pytest.approx(load, rel=1e-3)


# ---------------------------------------------------------------- cards


@pytest.mark.parametrize("share", [0.98, 1.02])
def test_a_house_of_cards_stands_above_its_threshold_and_falls_below(share):
    """With L between the middles of the edges and r their radius, moments about the lower edge say that the cards press
    each other with H (L cos a + r) = W (L / 2) sin a; the floor must hold H by friction from W."""
    threshold = 0.5 * CARD * math.sin(LEAN) / (CARD * math.cos(LEAN) + ROUND)
    mu = share * threshold
    world = world_of(card("left", -1, mu), card("right", 1, mu), floor=Plane(friction=mu))
    start = places(world)
    world.step(960)
    sunk = (start - places(world))[:, 2].max()
    if share < 1.0:
        assert sunk > 0.05
        return
    assert sunk < 1e-4
    pushes = [c.force @ c.normal for c in world.contacts() if "world" not in (c.a, c.b)]
    assert sum(pushes) == pytest.approx(0.1 * GRAVITY * threshold, rel=1e-3)
    rested = places(world)
    world.step(2400)
    assert abs(places(world) - rested).max() < 1e-7


# ---------------------------------------------------------------- heaps
def check_heap(world: World, fall: int, rest: int, *, room: bool) -> dict[str, float]:
    """A heap through its fall and its rest; what it did"""
    world.step(fall)
    energies = []
    deepest = gap = 0.0
    for _ in range(rest // 60):
        world.step(60)
        energies.append(world.energy().total)
        gap = max(gap, world.largest_gap)
        deepest = max(deepest, max(c.depth for c in world.contacts()))
    at = places(world)
    gained = float(np.diff(energies).max())
    assert np.isfinite(at).all()
    assert gap < 1e-6
    assert deepest < 5e-3
    assert gained < 1e-5 * abs(energies[-1])  # what overlaps is pushed apart, at 2 m/s at most
    assert at[:, 2].min() > 0.0
    if room:
        assert abs(at[:, :2]).max() < ROOM
    over = [j.angle for j in world.joints.values() if isinstance(j.definition, Hinge)]
    assert max(over) < 2.4 + 0.02
    assert min(over) > -2.2 - 0.02
    return {"deepest": deepest, "gained": gained, "redone": world.redone, "kinetic": world.energy().kinetic}


def test_a_heap_of_three_comes_to_rest():
    world = World(heap(3), integrator="implicit")
    report = check_heap(world, 480, 480, room=False)
    assert report["redone"] <= 2
    assert world.energy().kinetic < 0.5
    assert world.frozen == 0


@pytest.mark.long
def test_fifty_ragdolls_rest_for_a_minute():
    world = World(heap(50, walls=True), integrator="implicit")
    report = check_heap(world, 10 * 240, 50 * 240, room=True)
    print(report, world.contact_solution)


# ---------------------------------------------------------------- heavy and light
@pytest.mark.parametrize("ratio", [1e3, 1e6])
def test_a_heavy_load_on_a_light_chain_is_set_down(ratio):
    """A light chain lets a load swing down onto the floor: joints hold, or the steps that did not are told."""
    links, length = 10, 0.1
    light = {"mass": 1.0, "inertia": (1e-4, 1e-3, 1e-3)}
    bodies = [Body(name=f"l{i}", position=(length * (i + 0.5), 0, 1.2), **light) for i in range(links)]
    bodies.append(ball("load", (links * length + 0.1, 0, 1.2), 0.1, ratio))
    names = [b.name for b in bodies]
    joints = [
        Ball(name=f"j{i}", a="world" if i == 0 else names[i - 1], b=name, at=(length * i, 0, 1.2))
        for i, name in enumerate(names)
    ]
    world = world_of(*bodies, joints=joints)
    energy, gap = world.energy().total, 0.0
    try:
        for _ in range(96):
            world.step(10)
            gap = max(gap, world.largest_gap)
            assert world.energy().total < energy + 1e-6 * abs(energy)
    except CannotContinueError:
        assert ratio > 1e4  # it is told, with the joint
    assert gap < 1e-6
    assert np.isfinite(places(world)).all()
    if ratio < 1e4:
        assert world.redone <= 2
        assert world.frozen == 0


# ---------------------------------------------------------------- together
def test_a_drive_pushes_through_contacts_on_a_limit_against_a_grab():
    """A piston at its limit of 20 N pushes a block, the block a door, and the door stands at its limit; a grab pulls
    the block back by its cap of 5 N. Nothing rubs: forces are known."""
    smooth = {"friction": 0.0}
    piston = Body(
        name="piston", mass=1.0, inertia=(1e-2,) * 3, position=(0, 0, 0.5), shapes=[Sphere(radius=0.1, **smooth)]
    )
    block = box("block", (0.22, 0, 0.5), (0.1, 0.1, 0.1), 2.0, **smooth)
    door = box("door", (0.36, 0, 0.5), (0.02, 0.3, 0.3), 3.0, **smooth)
    scene = Scene(
        bodies=[piston, block, door, box("table", (0.5, 3, 0.1), (0.1, 0.1, 0.1))],
        joints=[
            Slider(name="way", a="world", b="piston", at=(0, 0, 0.5), axis=(1, 0, 0)),
            Slider(name="rail", a="world", b="block", at=(0.22, 0, 0.5), axis=(1, 0, 0)),
            Hinge(name="pin", a="world", b="door", at=(0.36, 0, 0.1), axis=(0, 1, 0), limits=Limits(upper=0.05)),
        ],
        drives=[Drive(name="push", joint="way", position=2.0, stiffness=1e4, damping=100.0, max=20.0)],
        shapes=[Plane()],
    )  # fmt: skip
    world = World(scene, integrator="implicit", advise=False)  # the door keeps off the floor by its limit
    world.grab("block", (0.12, 0, 0.5), "point", target=(-3.0, 0, 0.5), cap=5.0)
    world.step(720)
    assert np.linalg.norm([b.velocity for b in world.bodies.values()]) < 1e-5
    force = {frozenset((c.a, c.b)): c.force for c in world.contacts() if abs(c.force).any()}
    assert abs(force[frozenset(("piston", "block"))][0]) == pytest.approx(20.0, rel=1e-3)
    resultant = sum(abs(c.force) for c in world.contacts() if {c.a, c.b} == {"block", "door"})
    assert np.linalg.norm(resultant) == pytest.approx(15.0, rel=0.02)  # across the door, which leans
    lever = [c for c in world.contacts() if {c.a, c.b} == {"block", "door"} and abs(c.force).any()]
    torque = 0.0
    for c in lever:
        f = c.force if c.b == "door" else -c.force
        r = c.point - np.array([0.36, 0, 0.1])
        torque += r[2] * f[0] - r[0] * f[2]
    weight = 3.0 * GRAVITY * (world.bodies["door"].position[0] - 0.36)
    assert world.joints["pin"].angle == pytest.approx(0.05, abs=1e-6)
    assert -world.joints["pin"].limit_force == pytest.approx(torque + weight, rel=1e-3)
    assert world.redone == 0
