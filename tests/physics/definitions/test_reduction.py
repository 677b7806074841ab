"""The corners of the hull of many points: the same as of all of them, found in a second or two, or refused."""

import time

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from physics.definitions.shapes.polyhedron import measure_moments
from physics.definitions.shapes.reduction import FEW, FLAT, MOST_CORNERS, MOST_POINTS, reduced
from physics.definitions.checks import DefinitionError
from physics import Hull
from scenes.loading.loader import read_scene
from scenes.text.errors import SceneError

LONG = 2.0  # s of a processor: 100,000 points took 40, a million minutes


def on_sphere(rng, count):
    p = rng.normal(size=(count, 3))
    return p / np.linalg.norm(p, axis=1)[:, None]


def with_bumps(rng, count):
    """A closed surface that is not convex, scanned with noise, far from the origin."""
    p = on_sphere(rng, count)
    bumps = 0.3 * np.sin(5.0 * np.arctan2(p[:, 1], p[:, 0])) * np.cos(6.0 * p[:, 2])
    return p * (1.0 + bumps + 0.02 * rng.normal(size=count))[:, None] * (3.0, 1.0, 0.2) + (50.0, -20.0, 7.0)


CLOUDS = {
    "normal": lambda rng, n: rng.normal(size=(n, 3)),
    "cube": lambda rng, n: rng.uniform(-1.0, 1.0, (n, 3)),
    "bumps": with_bumps,
    "needle": lambda rng, n: rng.normal(size=(n, 3)) * (1.0, 1e-3, 1e-4),
    # where the middle of the box around them lies outside
    "simplex": lambda rng, n: rng.dirichlet((1.0, 1.0, 1.0, 1.0), n)[:, :3],
}


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("count", [FEW + 1, 50_000])
def test_the_corners_are_those_of_all_points(cloud, count):
    points = CLOUDS[cloud](np.random.default_rng(count), count)
    kept = reduced(points)
    hull = ConvexHull(points)
    size = np.ptp(points, axis=0).max()
    wanted = {tuple(p) for p in points[hull.vertices]}
    assert {tuple(p) for p in kept} <= wanted
    # what is left out stands out by next to nothing
    planes = ConvexHull(kept).equations
    beyond = (points[hull.vertices] @ planes[:, :3].T + planes[:, 3]).max()
    assert beyond < 1.1 * FLAT * size
    assert len(kept) > 0.9 * len(wanted)


def test_a_million_points_take_a_second():
    rng = np.random.default_rng(0)
    for cloud in CLOUDS.values():
        points = cloud(rng, MOST_POINTS)
        begin = time.process_time()
        hull = Hull(points=points)
        assert time.process_time() - begin < LONG
        assert measure_moments(hull.polyhedron)[0] == pytest.approx(ConvexHull(points).volume, rel=1e-5)


def test_a_box_of_many_small_triangles_has_eight_corners():
    """In single precision, as mesh files have it: its faces are flat to seven digits."""
    rng = np.random.default_rng(1)
    half = np.array([1.0, 0.5, 0.3])
    points = rng.uniform(-1.0, 1.0, (300_000, 3)) * half
    side = rng.integers(0, 3, len(points))
    points[np.arange(len(points)), side] = rng.choice([-1.0, 1.0], len(points)) * half[side]
    points[:8] = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T * half
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    hull = Hull(points=(points @ turn.T).astype(np.float32))
    assert len(hull.points) == 8
    assert measure_moments(hull.polyhedron)[0] == pytest.approx(1.2, rel=3e-6)


def test_few_points_stay_as_they_are():
    points = np.random.default_rng(0).normal(size=(FEW, 3))
    assert reduced(points) is points


def test_too_many_are_refused_at_once():
    rng = np.random.default_rng(0)
    begin = time.process_time()
    with pytest.raises(DefinitionError, match=f"at most {MOST_POINTS} points"):
        Hull(points=np.zeros((MOST_POINTS + 1, 3)))
    with pytest.raises(DefinitionError, match=f"at most {MOST_CORNERS} are corners; make the mesh simpler"):
        Hull(points=on_sphere(rng, 200_000))
    with pytest.raises(DefinitionError, match="do not lie in one plane"):
        Hull(points=rng.normal(size=(10_000, 3)) * (1.0, 1.0, 0.0))
    assert time.process_time() - begin < 2.0 * LONG


def test_a_scene_with_such_a_mesh_says_so(tmp_path):
    points = on_sphere(np.random.default_rng(0), MOST_CORNERS + 1000)
    (tmp_path / "ball.obj").write_text("".join(f"v {x:.9f} {y:.9f} {z:.9f}\n" for x, y, z in points.tolist()))
    scene = tmp_path / "scene.yaml"
    scene.write_text("marionette: 1\nbodies:\n  ball: {mass: 1, shape: {hull: {file: ball.obj}}}\n")
    with pytest.raises(SceneError, match=r"scene.yaml:3:\d+: error: .*make the mesh simpler"):
        read_scene(scene)
