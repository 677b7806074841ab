"""What is done for four rows at a time is done for each as if it were alone, to the last bit."""

import math
from dataclasses import replace

import numpy as np
import pytest

from physics.compiler.jit import compilation_is_off, entry, inline
from physics.data.model_tables import Topology
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Free, Hinge
from physics.definitions.scene import Scene
from physics.maths.angle import arctangent, half_turn
from physics.maths.columns import adder, loader, storer
from physics.maths.lanes import any_of, both, choose, each, four, rows_at
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import model_of

compiled = pytest.mark.skipif(compilation_is_off(), reason="only compiled code goes four at a time")


@inline
def everything(a, i, p, out):
    """Each operation, read from rows i and p and written to rows i"""
    x = a[i, 0]
    y = a[p, 1]
    out[i, 0] = x + y * 2.0 - 1.0 / (3 - x)
    out[i, 1] = -abs(x) + math.sqrt(abs(y))
    out[i, 2] = choose(both(x < y, y <= 0.5), x, 0.25)
    out[i, 3] = choose(both(x > 0.1, y >= 0.0), 2 * y, x)
    total = x
    for _ in range(8):
        going = total < 2.0
        if not any_of(going):
            break
        total = choose(going, total * 1.5 + 0.1, total)
    out[i, 4] = total
    out[i, 5] = arctangent(x - 0.5, y - 0.5)
    out[i, 6] = half_turn(x * x, y)


@entry("tnt", "f")
def by_fours(a, table, out):
    everything(a, four(0), rows_at(table, 0, 1), out)
    first = 0.0
    for x in each(out[four(0), 4]):
        first = 2.0 * first + x
    return first


@entry("tnt", "f")
def one_by_one(a, table, out):
    first = 0.0
    for i in range(4):
        everything(a, i, table[i, 1], out)
        first = 2.0 * first + out[i, 4]
    return first


@compiled
def test_every_operation():
    rng = np.random.default_rng(2)
    for _ in range(50):
        a = rng.uniform(0.0, 1.0, (6, 2))
        table = np.stack([np.zeros(4, np.int64), rng.integers(0, 6, 4)], axis=1)
        found, expected = np.zeros((4, 7)), np.zeros((4, 7))
        assert by_fours(a, table, found) == one_by_one(a, table, expected)
        assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle"])
def test_bodies_that_turn_unlike_each_other(integrator):
    """One still, one slow, two so fast that the rate of the drift takes several rounds, and one more than four"""
    spins = [(0, 0, 0), (0.01, 0, 0.02), (30.0, 20.0, -10.0), (-5.0, 60.0, 1.0), (3.0, 2.0, 1.0)]
    bodies = [
        Body(
            name=f"b{k}", mass=1.0 + k, inertia=(0.1, 0.2 + 0.01 * k, 0.25), position=(k, 0, 0), angular_velocity=spin,
            velocity=(0.1 * k, 0, 1),
        )
        for k, spin in enumerate(spins)
    ]  # fmt: skip
    scene = Scene(bodies=bodies, joints=[Free(name=f"f{k}", a="world", b=f"b{k}") for k in range(5)])
    world = World(scene, integrator=integrator)
    world.step(60)
    for k, body in enumerate(bodies):
        alone = World(replace(scene, bodies=[body], joints=[scene.joints[k]]), integrator=integrator)
        alone.step(60)
        together = world.bodies[body.name]
        for name in ("position", "quaternion", "velocity", "angular_velocity"):
            assert getattr(together, name).tobytes() == getattr(alone.bodies[body.name], name).tobytes(), (k, name)


def test_springs_of_balls_that_are_bent_unlike_each_other():
    """At rest, hardly bent, far bent and half a turn bent: torques are those of each spring alone."""
    turns = [0.0, 1e-13, 0.7, 3.1, 2.0]
    links = [figures.random_body(np.random.default_rng(k), f"b{k}", np.array([k, 0.0, 0.0])) for k in range(6)]
    joints = [
        Ball(name=f"j{k}", a=f"b{k}", b=f"b{k + 1}", at=(k + 0.5, 0, 0), stiffness=5.0 + k, rest=(0.0, t, 0.3 * t))
        for k, t in enumerate(turns)
    ]
    hook = Ball(name="hook", a="world", b="b0", at=(-0.5, 0, 0))
    energies = []
    for k, joint in enumerate(joints):
        hinge = Ball(name="hook", a="world", b=f"b{k}", at=(k - 0.5, 0, 0))
        energies.append(World(Scene(bodies=links[k : k + 2], joints=[hinge, joint])).energy().elastic)
    world = World(Scene(bodies=links, joints=[hook, *joints]))
    assert world.energy().elastic == pytest.approx(sum(energies), rel=1e-14)
    assert energies[0] < 1e-28
    assert min(energies[2:]) > 1.0


load1, load4, load7 = (loader(n) for n in (1, 4, 7))
store1, store4, store7 = (storer(n) for n in (1, 4, 7))
add1, add4, add7 = (adder(n) for n in (1, 4, 7))


@inline
def move_columns(a, i, p, out, sums):
    store1(out, i, 0, load1(a, p, 7))
    store4(out, i, 1, load4(a, p, 3))
    store7(out, i, 5, load7(a, i, 1))
    add1(sums, p, 0, load1(a, i, 2))
    add4(sums, p, 1, load4(a, i, 4))
    add7(sums, p, 5, load7(a, i, 0))


@entry("tntt")
def move_by_fours(a, table, out, sums):
    move_columns(a, four(0), rows_at(table, 0, 1), out, sums)


@entry("tntt")
def move_one_by_one(a, table, out, sums):
    for i in range(3, -1, -1):
        move_columns(a, i, table[i, 1], out, sums)


@compiled
def test_columns_are_moved_and_summed():
    """Into rows that are the same as well: all of it arrives, in the same order"""
    rng = np.random.default_rng(3)
    for _ in range(20):
        a = rng.normal(size=(5, 8))
        table = np.stack([np.zeros(4, np.int64), rng.integers(0, 5, 4)], axis=1)
        start = rng.normal(size=(5, 12))
        found, sums = np.zeros((4, 12)), start.copy()
        expected, sums_expected = np.zeros((4, 12)), start.copy()
        move_by_fours(a, table, found, sums)
        move_one_by_one(a, table, expected, sums_expected)
        assert found.tobytes() == expected.tobytes()
        assert sums.tobytes() == sums_expected.tobytes()
        assert np.array_equal(expected[:, 5:], a[:4, 1:])


def branches(joint: str, stiff: list[float]) -> Scene:
    """A free body with as many limbs as there are numbers, each of three joints; a stiffness for each limb"""
    rng = np.random.default_rng(9)
    bodies = [figures.random_body(rng, "middle", np.zeros(3))]
    joints: list = [Free(name="free", a="world", b="middle")]
    for limb, stiffness in enumerate(stiff):
        place, before = np.zeros(3), "middle"
        for k in range(3):
            step = figures.random_unit(rng)
            body = figures.random_body(rng, f"b{limb}{k}", place + step)
            ends = {"name": f"j{limb}{k}", "a": before, "b": body.name, "at": place + 0.5 * step}
            spring = {"stiffness": stiffness, "damping": 0.1 * stiffness}
            joints.append(Hinge(axis=step, **ends, **spring) if joint == "hinge" else Ball(**ends, **spring))
            bodies.append(body)
            place, before = place + step, body.name
    return Scene(bodies=bodies, joints=joints)


@compiled
@pytest.mark.parametrize("joint", ["hinge", "ball"])
@pytest.mark.parametrize("stiff", [[0.0] * 5, [3.0, 0.0, 0.0, 1e6], [5.0] * 6], ids=["soft", "mixed", "stiff"])
def test_limbs_are_eliminated_abreast(joint, stiff):
    """Four bodies at a time, or each alone: the same to the last bit, with a parent in common or without"""
    worlds = [figures.in_motion(branches(joint, stiff), integrator="implicit") for _ in range(2)]
    topology = model_of(worlds[1]).topology
    assert (topology[:, Topology.LANE] == 4).sum() >= len(stiff) * 3 // 4
    topology[:, Topology.LANE] = 0
    for world in worlds:
        world.step(40)
    assert worlds[0].state_hash() == worlds[1].state_hash()
