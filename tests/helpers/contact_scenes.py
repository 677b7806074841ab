"""Shapes and poses that the tests of shapes and contacts share."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from physics.collision.geometry import NO_FRAMES, Geometry, fill_places, make_geometry
from physics.collision.collision import Collision
from physics.compiler.jit import entry
from physics import Box, Capsule, Cylinder, Hull, Shape, Sphere
from physics.data.arrays import make_field

Floats = NDArray[np.float64]


def points_of_a_ball(count: int, seed: int = 0, radius: float = 0.3) -> Floats:
    p = np.random.default_rng(seed).normal(size=(count, 3))
    return radius * p / np.linalg.norm(p, axis=1)[:, None]


SHAPES: dict[str, Shape] = {
    "sphere": Sphere(radius=0.25),
    "capsule": Capsule(radius=0.15, length=0.6),
    "box": Box(size=(0.4, 0.6, 0.3)),
    "cylinder": Cylinder(radius=0.2, length=0.5),
    "hull": Hull(points=points_of_a_ball(14, radius=0.35) * (1.0, 0.8, 0.6)),
}


def random_pose(rng: np.random.Generator, spread: float) -> Floats:
    """Position and quaternion, w first."""
    return np.concatenate([rng.uniform(-spread, spread, 3), np.roll(Rotation.random(rng=rng).as_quat(), 1)])


def turned(pose: Floats, rotation: Rotation, shift: Floats) -> Floats:
    """A pose moved with the world: first turned about the origin, then shifted."""
    turn = rotation * Rotation.from_quat(np.roll(pose[3:], -1))
    return np.concatenate([rotation.apply(pose[:3]) + shift, np.roll(turn.as_quat(), 1)])


@entry("gttt")
def run_fill_places(geometry, pose, frame, place):
    fill_places(geometry, pose, frame, place)


def placed(shapes: list[Shape], poses: Floats, **more) -> tuple[Geometry, Floats]:
    """One body a shape."""
    g = make_geometry(list(enumerate(shapes)), **more)
    place = make_field(Collision, "place", {"g": len(g.whole)})
    run_fill_places(g, np.array(poses, dtype=np.float64), NO_FRAMES, place)
    return g, place


def local(pose: Floats, points: Floats) -> Floats:
    """Points of the world in the frame of a pose."""
    return Rotation.from_quat(np.roll(pose[3:], -1)).inv().apply(np.asarray(points) - pose[:3])


def depth(shape: Shape, points: Floats) -> Floats:
    """How far inside the shape (in its frame) points are; negative outside. The distance is exact only inside and where
    the nearest surface is flat or round, its sign always."""
    x, y, z = points.T
    if isinstance(shape, Sphere):
        return shape.radius - np.linalg.norm(points, axis=1)
    if isinstance(shape, Capsule):
        return shape.radius - np.hypot(np.hypot(x, y), z - np.clip(z, -0.5 * shape.length, 0.5 * shape.length))
    if isinstance(shape, Box):
        return (np.array(shape.measures) - abs(points)).min(axis=1)
    if isinstance(shape, Cylinder):
        return np.minimum(shape.radius - np.hypot(x, y), 0.5 * shape.length - abs(z))
    assert isinstance(shape, Hull)
    plane = shape.polyhedron.plane
    return (plane[:, 3] - points @ plane[:, :3].T).min(axis=1)


def surface_points(shape: Shape, count: int = 4000) -> Floats:
    """Points that span the shape: every point of it lies (to the fineness of the count) in their convex hull."""
    angle = np.linspace(0.0, 2.0 * np.pi, count // 10, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1)
    if isinstance(shape, Sphere):
        return points_of_a_ball(count, radius=shape.radius)
    if isinstance(shape, Capsule):
        ball = points_of_a_ball(count, radius=shape.radius)
        return np.concatenate([ball + np.array([0, 0, 0.5 * s * shape.length]) for s in (-1, 1)])
    if isinstance(shape, Cylinder):
        return np.concatenate([shape.radius * ring + np.array([0, 0, 0.5 * s * shape.length]) for s in (-1, 1)])
    if isinstance(shape, Box):
        signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
        return signs * np.array(shape.measures)
    assert isinstance(shape, Hull)
    return np.array(shape.points)
