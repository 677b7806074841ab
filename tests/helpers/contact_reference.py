"""Gaps of convex shapes, found independently of the kernels.

    gap = max over unit n of  s(n) = -h_B(-n) - h_A(n),    h the support function

Polyhedra (and those rounded by a radius) exactly: by the facets of the convex hull of all differences of their vertices
where they overlap, by least squares over its points where they are apart. Shapes with curved edges by maximising s from
many directions.
"""

import numpy as np
import scipy.optimize
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from physics import Box, Capsule, Cylinder, Hull, Plane, Shape, Sphere
from tests.helpers.contact_scenes import Floats


def frame(pose):
    return np.asarray(pose[:3]), Rotation.from_quat(np.roll(pose[3:], -1)).as_matrix()


def support_heights(shape: Shape, pose: Floats, n: Floats) -> Floats:
    """h(n) for each row of n."""
    x, r = frame(pose)
    d = n @ r
    if isinstance(shape, Sphere):
        h = shape.radius * np.linalg.norm(d, axis=1)
    elif isinstance(shape, Capsule):
        h = shape.radius * np.linalg.norm(d, axis=1) + 0.5 * shape.length * abs(d[:, 2])
    elif isinstance(shape, Cylinder):
        h = shape.radius * np.hypot(d[:, 0], d[:, 1]) + 0.5 * shape.length * abs(d[:, 2])
    else:
        h = (d @ core_vertices(shape).T).max(axis=1)
    return h + n @ x


def core_vertices(shape: Shape) -> Floats:
    if isinstance(shape, Box):
        signs = np.array([[a, b, c] for a in (-1, 1) for b in (-1, 1) for c in (-1, 1)])
        return signs * np.array(shape.measures)
    if isinstance(shape, Hull):
        return np.array(shape.points)
    if isinstance(shape, Capsule):
        return np.array([[0, 0, -0.5 * shape.length], [0, 0, 0.5 * shape.length]])
    assert isinstance(shape, Sphere)
    return np.zeros((1, 3))


def radius_of(shape: Shape) -> float:
    return shape.radius if isinstance(shape, Sphere | Capsule) else 0.0


def gap(a: Shape, pose_a: Floats, b: Shape, pose_b: Floats) -> float:
    if isinstance(a, Plane):
        x, r = frame(pose_a)
        n = r[:, 2]
        return float(-support_heights(b, pose_b, -n[None])[0] - n @ x)
    if isinstance(a, Cylinder) or isinstance(b, Cylinder):
        return _gap_by_search(a, pose_a, b, pose_b)
    (xa, ra), (xb, rb) = frame(pose_a), frame(pose_b)
    va, vb = core_vertices(a) @ ra.T + xa, core_vertices(b) @ rb.T + xb
    points = (vb[:, None, :] - va[None, :, :]).reshape(-1, 3)
    return _distance_to_origin(points) - radius_of(a) - radius_of(b)


def _distance_to_origin(points: Floats) -> float:
    """Of the convex hull; negative where the origin is inside."""
    spread = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    if spread[-1] > 1e-9 * spread[0] and len(points) > 3:
        offsets = ConvexHull(points).equations[:, 3]
        if offsets.max() < 0.0:
            return float(offsets.max())
    # least distance: non-negative least squares with the sum of weights as a further row [Lawson, Hanson: LDP]
    weights, _ = scipy.optimize.nnls(np.vstack([points.T, np.ones(len(points))]), np.array([0, 0, 0, 1.0]))
    return float(np.linalg.norm(points.T @ weights / weights.sum()))


def _gap_by_search(a: Shape, pose_a: Floats, b: Shape, pose_b: Floats) -> float:
    def s(n):
        return -support_heights(b, pose_b, -n) - support_heights(a, pose_a, n)

    starts = np.random.default_rng(0).normal(size=(3000, 3))
    # face normals and axes of both, and directions between edges
    axes = np.concatenate([_axes(a, pose_a), _axes(b, pose_b)])
    crossed = np.cross(axes[:, None], axes[None]).reshape(-1, 3)
    starts = np.concatenate([starts, axes, -axes, crossed, [np.subtract(pose_b[:3], pose_a[:3]) + 1e-12]])
    starts = starts[np.linalg.norm(starts, axis=1) > 1e-9]
    starts /= np.linalg.norm(starts, axis=1)[:, None]
    values = s(starts)
    best = float(values.max())
    for k in np.argsort(-values)[:6]:
        n = starts[k]
        for size in (3e-2, 1e-3, 3e-5, 1e-6):
            u = np.cross(n, np.eye(3)[np.argmin(abs(n))])
            u /= np.linalg.norm(u)
            v = np.cross(n, u)

            def tilted(q, n=n, u=u, v=v):
                m = n + q[0] * u + q[1] * v
                return m / np.linalg.norm(m)

            found = scipy.optimize.minimize(
                lambda q, t=tilted: -s(t(q)[None])[0], [0.0, 0.0], method="Nelder-Mead",
                options={
                    "initial_simplex": size * np.array([[0, 0], [1, 0.3], [-0.2, 1]]), "xatol": 1e-12, "fatol": 1e-15,
                    "maxiter": 400,
                },
            )  # fmt: skip
            n = tilted(found.x)
            best = max(best, -float(found.fun))
    return best


def _axes(shape: Shape, pose: Floats) -> Floats:
    _, r = frame(pose)
    if isinstance(shape, Hull):
        return shape.polyhedron.plane[:, :3] @ r.T
    return r.T
