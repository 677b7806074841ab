"""Figures of bodies that are not rigid, in motion: what the tests of planar and scaled bodies share."""

from typing import Any

import numpy as np

from physics.data.model_tables import BodyKind, Forms, Topology
from physics.definitions.bodies import Particle, PlanarBody, ScaledBody
from physics.definitions.joints import Ball, Distance, Hinge, Joint, Slider, Weld
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import model_of


def random_part(rng: np.random.Generator, letter: str, name: str, normal: np.ndarray) -> Any:
    """R rigid, S stretched along its axes, U uniformly scaled, P planar, p particle."""
    base = figures.random_body(rng, name, rng.uniform(-1.0, 1.0, 3))
    if letter == "P":
        return PlanarBody(
            name=name, mass=base.mass, inertia=base.inertia[0], normal=normal, position=base.position, angle=0.3
        )
    if letter == "p":
        return Particle(name=name, mass=base.mass, position=base.position)
    if letter == "R":
        return base
    same = {key: getattr(base, key) for key in ("name", "mass", "inertia", "position", "orientation")}
    if letter == "U":
        return ScaledBody(**same, scale_stiffness=rng.uniform(5.0, 20.0), scale_damping=0.02, scale=1.1)
    stiffness, scale = rng.uniform(5.0, 20.0, 3), rng.uniform(0.9, 1.1, 3)
    return ScaledBody(**same, stretch="axes", scale_stiffness=stiffness, scale_damping=0.02, scale=scale)


def random_tie(rng: np.random.Generator, name: str, a: Any, b: Any, normal: np.ndarray, stiffness: float) -> Joint:
    at = (np.array(a.position) + np.array(b.position)) / 2
    points = [x for x in (a, b) if isinstance(x, Particle)]
    if points:
        if len(points) == 1:
            return Ball(name=name, a=a.name, b=b.name, at=points[0].position)
        return Distance(name=name, a=a.name, b=b.name, at=(a.position, b.position))
    if isinstance(a, PlanarBody) and isinstance(b, PlanarBody):
        across = np.cross(normal, figures.random_unit(rng))
        spring = {"stiffness": stiffness, "damping": 0.01 * stiffness} if stiffness else {}
        kind = int(rng.integers(4))
        if kind == 0:
            return Hinge(name=name, a=a.name, b=b.name, at=at, axis=-normal, **spring)
        if kind == 1:
            return Slider(name=name, a=a.name, b=b.name, at=at, axis=across / np.linalg.norm(across), **spring)
        if kind == 2:
            return Weld(name=name, a=a.name, b=b.name, at=at)
        return Distance(name=name, a=a.name, b=b.name, at=(a.position, b.position))
    kind = figures.KINDS[int(rng.integers(5))]
    return figures.random_joint(rng, kind, name, a.name, b.name, at, stiffness)


def random_figure(
    seed: int, letters: str, count: int = 10, *, held: bool = False, stiffness: float = 0.0, gravity: float = 9.81
) -> Scene:
    """A random tree of bodies of these kinds in turn."""
    rng = np.random.default_rng(seed)
    normal = figures.random_unit(rng)
    parts = [random_part(rng, letters[i % len(letters)], f"b{i}", normal) for i in range(count)]
    joints: list[Joint] = []
    if held and not isinstance(parts[0], Particle | PlanarBody):
        place = rng.uniform(-1.0, 1.0, 3)
        joints.append(figures.random_joint(rng, "ball", "root", "world", "b0", place, stiffness))
    for i in range(1, count):
        parent = parts[int(rng.integers(max(0, i - 4), i))]
        joints.append(random_tie(rng, f"j{i}", parent, parts[i], normal, stiffness))
    return Scene(bodies=parts, joints=joints, gravity=(0.0, 0.0, -gravity))


def in_motion(scene: Scene, seed: int, *, loads: float = 0.0, **options: str) -> World:
    """Bodies and scales moving, joints bent and closed in position and velocity."""
    world = World(scene, **options)
    rng = np.random.default_rng(seed)
    for body in world.bodies.values():
        kind = model_of(world).topology[body._row, Topology.BODY_KIND]
        v, w, rates = rng.normal(size=(3, 3))
        if kind == BodyKind.PLANAR:
            n = model_of(world).form[body._row, Forms.NORMAL : Forms.NORMAL + 3]
            v, w = v - n * (n @ v), n * (n @ w)
        body.velocity = v
        body.applied_force = loads * rng.normal(size=3)
        if kind != BodyKind.PARTICLE:
            body.angular_velocity = w
            body.applied_torque = loads * rng.normal(size=3)
        if kind == BodyKind.UNIFORM:
            body.scale_velocity = 0.3 * rates[0]
        if kind == BodyKind.STRETCHED:
            body.scale_velocity = 0.3 * rates
    world.assemble()
    world.move(0.2)
    world.assemble()
    return world
