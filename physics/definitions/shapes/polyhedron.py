"""The convex polyhedron around points: its vertices, its faces as polygons, its neighbours, and its volume, centre and
second moments.

qhull decides which points are corners, and which triangles lie in one plane; those become one face. Everything else is
computed from the corners of the faces, in a fixed order and by strict arithmetic. Faces are ordered by their lowest
corner number. A plane is computed from the corners of its face. A face is divided into triangles from its lowest
corner. The moments are exact sums over the tetrahedra from an inner point to the triangles,

    V = sum det/6,    int x = sum det/24 (a + b + c),    int x x^T = sum det/120 (s s^T + a a^T + b b^T + c c^T),

where a, b, c are the vectors from the inner point to the corners of a triangle, det is their determinant, and s = a + b
+ c."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from physics.data.model import Floats, Ints
from physics.definitions.checks import DefinitionError
from physics.maths.strict import norm, norms, product

# Triangles count as one face where their normals differ by less than this (rad); mesh files store seven digits.
COPLANAR = 1e-6


class Polyhedron(NamedTuple):
    """A convex polyhedron."""

    vertex: Floats  # (v, 3)
    plane: Floats  # (f, 4) outward unit normal n and offset d: n . x <= d
    loop: tuple[tuple[int, ...], ...]  # vertices of each face, anticlockwise seen from outside
    neighbour: tuple[tuple[int, ...], ...]  # vertices that share an edge of a triangle with each vertex
    triangle: Ints  # (t, 3) anticlockwise seen from outside


def make_polyhedron(points: Floats) -> Polyhedron:
    """Return the convex hull of points (n, 3). Refuse points that lie in one plane."""
    from scipy.spatial import ConvexHull, QhullError  # here, as it takes a tenth of a start, and few figures need it

    try:
        hull = ConvexHull(points)
    except QhullError:
        raise DefinitionError(
            "points of a hull", f"{len(points)} points", "points that do not lie in one plane"
        ) from None
    new = np.full(len(points), -1)
    new[hull.vertices] = np.arange(len(hull.vertices))
    vertex = points[hull.vertices]
    normals = hull.equations[:, :3]
    pieces = _outward(vertex, new[hull.simplices], normals)
    faces = _faces(normals, hull.neighbors.tolist())
    loops = sorted(loop for members in faces for loop in _loops(vertex, pieces, normals, members))
    planes = [_plane(vertex, loop) for loop in loops]
    triangle = np.array([(loop[0], b, c) for loop in loops for b, c in pairwise(loop[1:])])
    neighbours: list[set[int]] = [set() for _ in vertex]
    for t in triangle.tolist():
        for k in range(3):
            neighbours[t[k]] |= {t[k - 1], t[k - 2]}
    return Polyhedron(vertex, np.array(planes), tuple(loops), tuple(tuple(sorted(n)) for n in neighbours), triangle)


def _outward(vertex: Floats, triangle: Ints, normals: Floats) -> Ints:
    """Return the triangles with their corners anticlockwise as seen from outside. This changes `triangle` in place."""
    a, b, c = (vertex[triangle[:, k]] for k in range(3))
    inward = (np.cross(b - a, c - a) * normals).sum(axis=1) < 0.0
    triangle[inward] = triangle[inward][:, ::-1]
    return triangle


def _plane(vertex: Floats, loop: tuple[int, ...]) -> list[float]:
    """Return the plane (normal, offset [m]) of a face. Its normal has the direction of the sum of the cross products of
    the triangles of the face. Its offset is such that no vertex is outside."""
    first = vertex[loop[0]]
    arms = vertex[list(loop[1:])] - first
    normal = np.cross(arms[:-1], arms[1:]).sum(axis=0)
    normal /= norm(normal)
    return [*normal.tolist(), float(product(vertex, normal).max())]


def _faces(normals: Floats, neighbours: list[list[int]]) -> list[list[int]]:
    """Return groups of triangles that are connected through their neighbours and have the same normal as the first
    triangle of the group."""
    face = np.full(len(normals), -1)
    faces: list[list[int]] = []
    for start in range(len(normals)):
        if face[start] >= 0:
            continue
        members, k = [start], 0
        face[start] = len(faces)
        while k < len(members):
            for t in neighbours[members[k]]:
                if face[t] < 0 and norm(normals[t] - normals[start]) < COPLANAR:
                    face[t] = len(faces)
                    members.append(t)
            k += 1
        faces.append(members)
    return faces


def _loops(vertex: Floats, pieces: Ints, normals: Floats, members: list[int]) -> list[tuple[int, ...]]:
    """Return the corners of a face in order, as one loop. If this loop does not have the same area as the triangles,
    return each triangle as a loop. (This happens where many small angles add up, so that the group leaves out a
    triangle between its others.)"""
    loop = _around(vertex, np.unique(pieces[members]), normals[members[0]])
    fan = np.array([(loop[0], b, c) for b, c in pairwise(loop[1:])])
    area = _areas(vertex, pieces[members]).sum()
    if abs(_areas(vertex, fan).sum() - area) <= COPLANAR * area:
        return [loop]
    return [_around(vertex, pieces[t], normals[t]) for t in members]


def _areas(vertex: Floats, triangle: Ints) -> Floats:
    """Return the areas of the triangles (t,) [m^2]."""
    a, b, c = (vertex[triangle[:, k]] for k in range(3))
    return 0.5 * norms(np.cross(b - a, c - a))


def _around(vertex: Floats, corners: Ints, normal: Floats) -> tuple[int, ...]:
    """Return the corners of a convex face in order about its normal, beginning with the lowest number."""
    middle = vertex[corners].mean(axis=0)
    arms = vertex[corners] - middle
    x, y = product(arms, arms[0]), product(arms, np.cross(normal, arms[0]))
    # grows with the angle from the first corner, as the angle itself: from 0 to 4 quarter turns. The first is at 0,
    # which rounding must not send to the end
    share = y / (np.abs(x) + np.abs(y))
    turn = np.mod(np.where(x >= 0.0, share, 2.0 - share) + 1e-9, 4.0)
    return tuple(corners[np.argsort(turn, kind="stable")].tolist())


def measure_moments(p: Polyhedron) -> tuple[float, Floats, Floats]:
    """Return the volume V [m^3], the centre (3,) [m], and int (x - centre)(x - centre)^T (3, 3) [m^5]."""
    inner = p.vertex.mean(axis=0)
    a, b, c = (p.vertex[p.triangle[:, k]] - inner for k in range(3))
    det = (a * np.cross(b, c)).sum(axis=1)
    s = a + b + c
    volume = float(det.sum()) / 6.0
    first = (det[:, None] * s).sum(axis=0) / 24.0
    each = [(det[:, None, None] * x[:, :, None] * x[:, None, :]).sum(axis=0) for x in (s, a, b, c)]
    second = (((each[0] + each[1]) + each[2]) + each[3]) / 120.0
    return volume, inner + first / volume, second - np.outer(first, first) / volume
