"""A heap of most that can touch: hulls, compounds, a cart on a rail with its drive, a loop, a pin, a joint of two axes.

What depends on the history of contacts must be in snapshots, and what depends on the solver mode must not be seen.
"""

import math

import numpy as np
import pytest

from physics.definitions.actuators import Drive
from physics.definitions.bodies import Body
from physics.definitions.compound import Compound, Turn
from physics.definitions.joints import Ball, Hinge, Slider
from physics.definitions.scene import Scene
from physics import Box, Capsule, Hull, Plane, Sphere
from physics.definitions.shapes.compound import CompoundShape as Parts
from physics.world.world import World
from tests.helpers.contact_figures import box
from tests.helpers.snapshots import random_world

ALONG = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)  # a capsule's axis along x


def wedge(name: str, at, size: float = 0.08) -> Body:
    points = size * np.array([(1, 0, -0.5), (-1, 0.8, -0.5), (-1, -0.9, -0.5), (0.1, 0, 0.9), (0.4, 0.5, 0.2)])
    return Body(name=name, mass=0.4, inertia=(1e-3, 1.1e-3, 1.2e-3), position=at, shapes=[Hull(points=points)])


def dumbbell(name: str, at) -> Body:
    parts = [Sphere(radius=0.05, position=(s * 0.08, 0, 0)) for s in (-1, 1)]
    parts.append(Capsule(radius=0.02, length=0.16, orientation=ALONG))
    turn = (math.cos(0.2), 0.0, math.sin(0.2), 0.0)
    return Body(
        name=name, mass=0.5, inertia=(1e-3, 3e-3, 3e-3), position=at, orientation=turn, shapes=[Parts(parts=parts)]
    )


def ring(at) -> tuple[list[Body], list[Hinge]]:
    """Four rods in a square on hinges, the last one a link: it falls as a loop."""
    corners = [np.array(at) + 0.15 * np.array([x, 0.0, z]) for x, z in ((0, 0), (1, 0), (1, 1), (0, 1))]
    bodies, joints = [], []
    for k in range(4):
        start, end = corners[k], corners[(k + 1) % 4]
        turn = 0.5 * math.pi * (1 - k)
        bodies.append(
            Body(
                name=f"side{k}", mass=0.2, inertia=(4e-4, 4e-4, 1e-4), position=tuple((start + end) / 2),
                orientation=(math.cos(turn / 2), 0.0, math.sin(turn / 2), 0.0),
                shapes=[Capsule(radius=0.02, length=0.15)],
            )
        )  # fmt: skip
        tie = {"name": f"corner{k}", "a": f"side{k}", "b": f"side{(k + 1) % 4}", "at": tuple(end), "axis": (0, 1, 0)}
        joints.append(Hinge(**tie, damping=1e-3, auxiliary=k == 3))
    return bodies, joints


def heap() -> Scene:
    rods, hinges = ring((-0.1, 0.03, 0.18))
    cart = box("cart", (-0.5, 0.0, 0.07), (0.08, 0.1, 0.05), 1.0)
    gate = Body(
        name="gate", mass=0.3, inertia=(1e-3, 1e-3, 1e-3), position=(0.45, 0.0, 0.1),
        shapes=[Box(size=(0.04, 0.3, 0.16))],
    )  # fmt: skip
    hook = Ball(name="tie", a="block", b="ball", at=((0.2, 0, 0.25), (0.2, 0, 0.25)), auxiliary=True)
    ball = Body(
        name="ball", mass=0.3, inertia=(5e-4, 5e-4, 5e-4), position=(0.2, 0.0, 0.33), shapes=[Sphere(radius=0.06)]
    )
    turns = [Turn(axis=(0, 0, 1), damping=1e-2), Turn(axis=(0, 1, 0), stiffness=2.0, damping=1e-2)]
    return Scene(
        bodies=[
            cart, gate, ball, box("block", (0.2, 0.0, 0.1), (0.1, 0.12, 0.1), 1.5), wedge("wedge", (-0.25, 0.0, 0.1)),
            dumbbell("dumbbell", (0.05, -0.05, 0.5)), *rods,
        ],
        joints=[
            Slider(name="rail", a="world", b="cart", at=(-0.5, 0.0, 0.07), axis=(1, 0, 0)),
            Compound(name="post", a="world", b="gate", at=(0.45, -0.15, 0.1), parts=turns), hook, *hinges,
        ],
        drives=[Drive(name="push", joint="rail", velocity=0.6, damping=200.0, max=25.0)],
        shapes=[Plane(friction=0.6)],
    )  # fmt: skip


def made(method: str = "newton", integrator: str = "implicit", solver: str = "fused") -> World:
    world = World(heap(), integrator=integrator, solver=solver)
    world.contact_method = method
    return world


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
@pytest.mark.parametrize("method", ["newton", "auto"])
def test_snapshots_of_a_mixed_heap_go_on_to_the_last_bit(method, integrator):
    """Taken while the cart pushes the heap: restored in the same world and in another one, in steps of other sizes."""
    world = made(method, integrator)
    world.step(150)
    assert world.contact_solution.pressing >= 6
    pushed = [c for c in world.contacts() if "cart" in (c.a, c.b) and c.force.any()]
    assert any("world" not in (c.a, c.b) for c in pushed)
    kept = world.snapshot()
    world.step(90)
    hashed = world.state_hash()
    other = made(method, integrator)
    other.step(7)
    for again in (world, other):
        again.restore(kept)
        assert again.snapshot() == kept
        for count in (1, 29, 60):
            again.step(count)
        assert again.state_hash() == hashed


@pytest.mark.parametrize("solver", ["lagrange", "jsim", "aba"])
def test_reduced_modes_move_a_mixed_heap_as_fused_does(solver):
    """Contacts, a loop, a link between two figures and a drive, by the factors of other modes"""
    worlds = []
    for mode in ("fused", solver):
        world = made(solver=mode)
        world.contact_tolerance = 1e-12
        world.step(60)
        worlds.append(world)
    assert worlds[0].contact_solution.pressing >= 4
    assert worlds[0].redone == 0
    for name, body in worlds[0].bodies.items():
        assert worlds[1].bodies[name].position == pytest.approx(body.position, abs=1e-7)
        assert worlds[1].bodies[name].velocity == pytest.approx(body.velocity, abs=1e-5)


@pytest.mark.parametrize("seed", [2, 6, 13, 15])
def test_newtons_impulses_are_stationary(seed):
    """At a tight tolerance the impulse that moves the bodies is that of the law at the velocities it leads to, to 1e-8
    of the largest (1.6e-12 on a hundred such figures)."""
    world = random_world(seed)
    world.contact_method = "newton"
    world.contact_tolerance = 1e-12
    looked_at = 0
    for _ in range(10):
        redone = world.redone
        world.step(1)
        largest = world.timestep * max((np.linalg.norm(c.force) for c in world.contacts()), default=0.0)
        if world.redone == redone and largest > 0.0:
            assert world.contact_solution.residual < 1e-8 * largest
            looked_at += 1
    assert looked_at > 3
