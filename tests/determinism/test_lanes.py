"""What is done for four rows at a time is done for each as if it were alone, to the last bit."""

import math
from dataclasses import replace

import numpy as np
import pytest

from physics.definitions import Ball, Body, Free, Scene
from physics.kernels.angle import arctangent, half_turn
from physics.kernels.jit import compilation_is_off, entry, inline
from physics.kernels.lanes import any_of, both, choose, each, four, rows_at
from physics.world import World
from tests import figures

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


@entry
def by_fours(a, table, out):
    everything(a, four(0), rows_at(table, 0, 1), out)
    first = 0.0
    for x in each(out[four(0), 4]):
        first = 2.0 * first + x
    return first


@entry
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
