"""Random figures that touch the floor, each other and their limits, for comparing methods on the same state."""

import math
import warnings

import numpy as np
from scipy.spatial.transform import Rotation

from physics.definitions.bodies import Body
from physics.definitions.checks import DefinitionWarning
from physics.definitions.joints import Ball, Distance, Hinge, Joint
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Box, Capsule, Cylinder, Plane, Shape, Sphere
from physics.definitions.joints import Rope
from physics.world.world import World

SIZE = 0.2


def random_shape(rng: np.random.Generator, friction: float, restitution: float) -> Shape:
    look = {"friction": friction, "restitution": restitution}
    kind = rng.integers(4)
    a, b = rng.uniform(0.04, 0.08, 2)
    if kind == 0:
        return Sphere(radius=a, **look)
    if kind == 1:
        return Capsule(radius=0.6 * a, length=2.0 * b, **look)
    if kind == 2:
        return Box(size=(2.0 * a, 2.0 * b, 0.1), **look)
    return Cylinder(radius=a, length=2.0 * b, **look)


def random_figure(rng: np.random.Generator, name: str, count: int, friction: float, e: float) -> tuple[list, list]:
    """A tree of bodies about SIZE apart, with limits, and where there are enough bodies a rod or a rope outside the
    tree"""
    bodies: list[Body] = []
    joints: list[Joint] = []
    start = np.array([rng.uniform(-0.1, 0.1), rng.uniform(-0.1, 0.1), rng.uniform(0.1, 0.3)])
    places = [start]
    for i in range(count):
        p = int(rng.integers(i)) if i else 0
        if i:
            way = rng.normal(size=3) * (1.0, 1.0, 0.3)
            places.append(places[p] + SIZE * way / np.linalg.norm(way))
        mass = rng.uniform(0.3, 2.0)
        bodies.append(
            Body(
                name=f"{name}{i}", mass=mass, inertia=tuple(mass * rng.uniform(0.8e-3, 1.2e-3, 3)), position=places[i],
                orientation=tuple(np.roll(Rotation.random(rng=rng).as_quat(), 1)),
                velocity=tuple(rng.normal(size=3) * 0.3), angular_velocity=tuple(rng.normal(size=3)),
                shapes=[random_shape(rng, friction, e)],
            )
        )  # fmt: skip
        if i:
            ends = {"name": f"{name}j{i}", "a": f"{name}{p}", "b": f"{name}{i}", "at": 0.5 * (places[p] + places[i])}
            if rng.integers(2):
                axis = tuple(rng.normal(size=3))
                joints.append(
                    Hinge(**ends, axis=axis, limits=Limits(lower=-rng.uniform(0, 0.2), upper=rng.uniform(0, 0.2)))
                )
            else:
                joints.append(Ball(**ends, damping=1e-3))
    if count > 3:
        kind = Rope if rng.integers(2) else Distance
        ends = {"name": f"{name}tie", "a": f"{name}0", "b": f"{name}{count - 1}"}
        if kind is Distance:
            joints.append(Distance(**ends, at=(places[0], places[-1]), auxiliary=True))
        else:
            joints.append(Rope(**ends, at=(places[0], places[-1])))
    return bodies, joints


def random_world(
    seed: int, friction: float | None = None, restitution: float = 0.0, slope: float | None = None
) -> World:
    """One or two figures that have fallen for a while, by the convex law: what the tests of the exact one begin with
    does not depend on how that is solved."""
    rng = np.random.default_rng(seed)
    mu = float(rng.choice([0.0, 0.2, 0.6, 1.0])) if friction is None else friction
    bodies, joints = random_figure(rng, "a", int(rng.integers(1, 6)), mu, restitution)
    if rng.integers(2):
        more = random_figure(rng, "b", int(rng.integers(1, 5)), mu, restitution)
        bodies, joints = bodies + more[0], joints + more[1]
    slope = rng.uniform(0.0, 0.4) if slope is None else slope
    gravity = (9.81 * math.sin(slope), 0.0, -9.81 * math.cos(slope))
    floor = Plane(friction=mu, restitution=restitution)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DefinitionWarning)  # velocities are drawn at random, and take what is left
        world = World(Scene(bodies=bodies, joints=joints, shapes=[floor], gravity=gravity), integrator="implicit")
    world.contact_law = "regularised"
    world.step(int(rng.integers(10, 60)))
    world.contact_law = "exact"
    return world
