"""The corners of the convex hull of many points. A quick test in a set of directions first excludes most points.

The points that are farthest in some hundred directions span a polytope inside the hull. A point inside this polytope is
not a corner. Each round tries more directions, makes the polytope, and keeps the points outside it. A point x is
written as c u, where u is scaled so that its largest component is 1 in size. If the faces of the polytope are n . x <=
d with d > 0,

    g(u) = max over the faces of n . u / d,    c u is inside where c g(u) <= 1,

g is convex, so that in a small square of directions it is nowhere larger than at the worst corner of the square. The
directions u fill the surface of a cube, which is divided into such squares. One number for each square decides about
most points. The others are compared with all faces.

The components of the directions are small whole numbers, and all sums are made in a fixed order, so that every machine
keeps the same points."""

import itertools
import math
from typing import Any

import numpy as np

from physics.data.model import Floats, Ints
from physics.definitions.checks import DefinitionError

FEW = 2000  # hulls of at most this number of points are not reduced
MOST_POINTS = 1_000_000
MOST_CORNERS = 5000  # a hull with more corners takes longer than two seconds to build
MOST_LEFT = 40_000  # points beside the polytope, about which qhull decides
# Of the size: mesh files store seven digits, so what is flat there stands out by as much.
FLAT = 1e-7
GRID = 48  # squares of the cube along an edge
ROUNDS = (1, 2, 4)  # the largest component of the directions
CHUNK = 1 << 15  # points at a time, which stay in the cache
MOST_TESTS = 4e8  # of points with faces: some 2 ns each


def reduced(points: Floats) -> Floats:
    """Return the corners of the hull of many points, in the order of the points. If there are few points, return all of
    them. Refuse too many points or corners."""
    if len(points) <= FEW:
        return points
    if len(points) > MOST_POINTS:
        raise DefinitionError("points of a hull", f"{len(points)} points", f"at most {MOST_POINTS} points")
    size = float((points.max(axis=0) - points.min(axis=0)).max())
    kept, corners = np.arange(len(points)), np.zeros(0, np.int64)
    for largest in ROUNDS:
        corners = np.union1d(corners, kept[_extremes(points[kept], _directions(largest))])
        found = _polytope(points[corners], FLAT * size)
        if found is None:
            return points[corners]  # in one plane, or nearly, as all others are
        centre, faces = found
        kept = kept[_outside(points[kept] - centre, faces)]
        if len(kept) <= FEW:
            break
    kept = np.union1d(kept, corners)
    if len(kept) > MOST_LEFT:
        raise _too_many(len(kept))
    hull = _hull(points[kept])
    if hull is None:
        return points[corners]
    if len(hull.vertices) > MOST_CORNERS:
        raise _too_many(len(hull.vertices))
    return points[kept[np.sort(hull.vertices)]]


def _too_many(count: int) -> DefinitionError:
    """Return the error for a mesh with too many corners."""
    allowed = f"points of which at most {MOST_CORNERS} are corners; make the mesh simpler"
    return DefinitionError("points of a hull", f"{count} points that may be corners", allowed)


def _hull(points: Floats) -> Any:
    """Return scipy's ConvexHull, or None if the points lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError  # here, as it takes a tenth of a start, and few figures need it

    try:
        return ConvexHull(points)
    except QhullError:
        return None


def _directions(largest: int) -> Floats:
    """Return all vectors of three whole numbers that are at most `largest` in size and have no common factor
    (directions, 3). The opposite of each direction is one of them, too."""
    span = range(-largest, largest + 1)
    return np.array([d for d in itertools.product(span, repeat=3) if math.gcd(*d) == 1], float)


def _extremes(points: Floats, directions: Floats) -> Ints:
    """Return the numbers of the points that are farthest in these directions. Of equally far points, the first
    counts."""
    best, most = np.zeros(len(directions), np.int64), np.full(len(directions), -np.inf)
    for start in range(0, len(points), CHUNK):
        x, y, z = np.ascontiguousarray(points[start : start + CHUNK].T)
        for k, (a, b, c) in enumerate(directions.tolist()):
            along = x * a + y * b + z * c
            i = int(along.argmax())
            if along[i] > most[k]:
                most[k], best[k] = along[i], start + i
    return np.unique(best)


def _polytope(corners: Floats, flat: float) -> tuple[Floats, Floats] | None:
    """Return a point inside the hull of these corners, and n / d of each face. Here d is measured from this point, and
    each face is first moved outwards by `flat` [m]. Return None if the points span no polytope."""
    hull = _hull(corners)
    if hull is None:
        return None
    centre = corners.sum(axis=0) / len(corners)
    n = hull.equations[:, :3]
    d = -(n[:, 0] * centre[0] + n[:, 1] * centre[1] + n[:, 2] * centre[2] + hull.equations[:, 3]) + flat
    return (centre, np.unique(n / d[:, None], axis=0)) if (d > 0.0).all() else None


def _outside(points: Floats, faces: Floats) -> Ints:
    """Return the numbers of the points that are not in the polytope: those with g > 1. The points are relative to the
    inner point."""
    worst = _worst(faces)
    left = []
    for start in range(0, len(points), CHUNK):
        p = points[start : start + CHUNK]
        size = np.abs(p)
        axis = size.argmax(axis=1)
        rows = np.arange(len(p))
        c = size[rows, axis]
        side = 2 * axis + (p[rows, axis] > 0.0)
        with np.errstate(invalid="ignore"):  # the centre itself, which is inside
            u, v = (p[rows, (axis + k) % 3] / c for k in (1, 2))
        i, j = (np.clip((0.5 * GRID * (w + 1.0)).astype(np.int64), 0, GRID - 1) for w in (u, v))
        left.append(start + np.flatnonzero(c * worst[side, i, j] > 1.0))
    numbers = np.concatenate(left)
    if len(numbers) * len(faces) > MOST_TESTS:
        return numbers
    inside = [_largest(points[numbers[k : k + CHUNK]], faces) <= 1.0 for k in range(0, len(numbers), CHUNK)]
    return numbers[~np.concatenate(inside)] if inside else numbers


def _worst(faces: Floats) -> Floats:
    """Return the largest g in each square of the sides of the cube (6, GRID, GRID). The side with the normal -e_k has
    the number 2 k, and the one with the normal e_k the number 2 k + 1, where e_k is the unit vector along axis k."""
    ends = np.linspace(-1.0, 1.0, GRID + 1)
    u, v = (a.ravel() for a in np.meshgrid(ends, ends, indexing="ij"))
    out = np.empty((6, GRID, GRID))
    for axis, positive in itertools.product(range(3), (0, 1)):
        corner = np.empty((len(u), 3))
        corner[:, axis], corner[:, (axis + 1) % 3], corner[:, (axis + 2) % 3] = 2.0 * positive - 1.0, u, v
        g = _largest(corner, faces).reshape(GRID + 1, GRID + 1)
        out[2 * axis + positive] = np.maximum(np.maximum(g[:-1, :-1], g[1:, :-1]), np.maximum(g[:-1, 1:], g[1:, 1:]))
    # a point at the edge of a square may be counted to the next one by rounding
    return out * (1.0 + 1e-12)


def _largest(points: Floats, faces: Floats) -> Floats:
    """Return g of each point: the largest n . x / d."""
    x, y, z = np.ascontiguousarray(points.T)
    most, along, part = np.full(len(x), -np.inf), np.empty(len(x)), np.empty(len(x))
    for a, b, c in faces.tolist():
        np.multiply(x, a, out=along)
        np.multiply(y, b, out=part)
        along += part
        np.multiply(z, c, out=part)
        along += part
        np.maximum(most, along, out=most)
    return most
