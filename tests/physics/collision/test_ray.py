"""Rays against marching through the shapes' implicit functions."""

import numpy as np
import pytest

from physics.collision.geometry import make_geometry, make_places, place_shapes
from physics.collision.ray import ray_cast
from physics.definitions.checks import DefinitionError
from physics.definitions.shapes import Plane, Sphere
from tests.helpers.contact_scenes import SHAPES, depth, local, placed, random_pose

STEP = 1e-3


@pytest.mark.parametrize("name", SHAPES)
def test_ray_meets_the_surface_where_marching_does(name):
    rng = np.random.default_rng(0)
    shape = SHAPES[name]
    hits = 0
    for _ in range(300):
        pose = random_pose(rng, 0.5)
        g, place = placed([shape], [pose])
        origin = rng.normal(size=3) * 1.5
        direction = pose[:3] - origin + rng.normal(size=3) * 0.2
        hit = ray_cast(g, place, origin, 3.0 * direction)
        unit = direction / np.linalg.norm(direction)
        along = np.arange(0.0, 6.0, STEP)
        inside = depth(shape, local(pose, origin + along[:, None] * unit)) > 0.0
        if inside[0]:
            assert hit is None
            continue
        if not inside.any():
            # marching may step over a corner that the ray only grazes
            assert hit is None or depth(shape, local(pose, hit.point + 0.5 * STEP * unit)[None])[0] < STEP
            continue
        hits += 1
        assert hit is not None
        first = along[np.argmax(inside)]
        assert first - STEP - 1e-9 <= hit.distance <= first + 1e-9
        assert hit.point == pytest.approx(origin + hit.distance * unit, abs=1e-12)
        assert abs(depth(shape, local(pose, hit.point)[None])[0]) < 1e-12
        assert np.linalg.norm(hit.normal) == pytest.approx(1.0, abs=1e-12)
        assert hit.normal @ unit < 0.0
        # outward: a step along the normal leaves the shape, a step against it enters it
        assert depth(shape, local(pose, hit.point + 1e-7 * hit.normal)[None])[0] < 0.0
        assert depth(shape, local(pose, hit.point - 1e-9 * hit.normal)[None])[0] > 0.0
    assert hits > 50


@pytest.mark.parametrize("name", SHAPES)
def test_rays_along_the_axes_of_a_shape(name):
    """Directions with zeros in them, through the middle and past the side."""
    g, place = placed([SHAPES[name]], [[0, 0, 0, 1, 0, 0, 0]])
    for k in range(3):
        for sign in (-1.0, 1.0):
            unit = sign * np.eye(3)[k]
            hit = ray_cast(g, place, -3.0 * unit, unit)
            assert hit is not None
            assert abs(depth(SHAPES[name], hit.point[None])[0]) < 1e-12
            assert ray_cast(g, place, -3.0 * unit + np.roll(unit, 1), unit) is None
            assert ray_cast(g, place, 3.0 * unit, unit) is None


def test_the_nearest_of_many_is_found():
    rng = np.random.default_rng(1)
    count = 256
    poses = np.array([random_pose(rng, 3.0) for _ in range(count)])
    names = list(SHAPES)
    shapes = [SHAPES[names[k % 5]] for k in range(count)]
    g, place = placed(shapes, poses)
    for _ in range(50):
        origin, direction = rng.normal(size=3) * 6.0, rng.normal(size=3)
        alone = []
        for k in range(count):
            hit = ray_cast(*placed([shapes[k]], [poses[k]]), origin, direction)
            alone.append(np.inf if hit is None else hit.distance)
        hit = ray_cast(g, place, origin, direction)
        assert (hit is None) == np.isinf(min(alone))
        if hit is not None:
            assert (hit.shape, hit.distance) == (int(np.argmin(alone)), min(alone))


def test_plane_is_hit_from_above_only():
    g = make_geometry([(-1, Plane.facing((0, 1, 1), point=(0, 0, 2))), (0, Sphere(radius=0.1))])
    place = make_places(g)
    place_shapes(g, np.array([[0.0, 0, -9, 1, 0, 0, 0]]), place)
    hit = ray_cast(g, place, (0, 0, 5), (0, 0, -1))
    assert (hit.shape, hit.body) == (0, -1)
    assert hit.point == pytest.approx([0, 0, 2], abs=1e-12)
    assert hit.normal == pytest.approx(np.array([0, 1, 1]) / np.sqrt(2.0))
    assert ray_cast(g, place, (0, 0, 0), (0, 0, 1)) is None


def test_bad_rays_are_refused():
    g, place = placed([SHAPES["sphere"]], [[0, 0, 0, 1, 0, 0, 0]])
    with pytest.raises(DefinitionError, match="direction of a ray"):
        ray_cast(g, place, (0, 0, 0), (0, 0, 0))
    with pytest.raises(DefinitionError, match="origin of a ray"):
        ray_cast(g, place, (0, 0, np.nan), (0, 0, 1))
