"""A convex polyhedron from points: vertices, faces as polygons, neighbours; its volume, centre and second moments.

The hull is qhull's; its triangles that lie in one plane are put together to one face. The moments are exact sums over
the tetrahedra from an inner point to the triangles:

    V = sum det/6,    int x = sum det/24 (a + b + c),    int x x^T = sum det/120 (s s^T + a a^T + b b^T + c c^T),

with a, b, c from the inner point, s = a + b + c.
"""

from typing import NamedTuple

import numpy as np

from physics.definitions import DefinitionError
from physics.model import Floats, Ints

# Triangles count as one face where their normals differ by less than this (rad); mesh files store seven digits.
COPLANAR = 1e-6


class Polyhedron(NamedTuple):
    vertex: Floats  # (v, 3)
    plane: Floats  # (f, 4) outward unit normal n and offset d: n . x <= d
    loop: tuple[tuple[int, ...], ...]  # vertices of each face, anticlockwise seen from outside
    neighbour: tuple[tuple[int, ...], ...]  # vertices that share an edge of a triangle with each vertex
    triangle: Ints  # (t, 3) anticlockwise seen from outside


def make_polyhedron(points: Floats) -> Polyhedron:
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
    triangle = _outward(vertex, new[hull.simplices], normals)
    planes, loops = [], []
    for members in _faces(normals, hull.neighbors.tolist()):
        normal = normals[members].mean(axis=0)
        normal /= np.linalg.norm(normal)
        corners = np.unique(triangle[members])
        planes.append([*normal, float((vertex @ normal).max())])
        loops.append(_around(vertex, corners, normal))
    neighbours: list[set[int]] = [set() for _ in vertex]
    for t in triangle.tolist():
        for k in range(3):
            neighbours[t[k]] |= {t[k - 1], t[k - 2]}
    return Polyhedron(vertex, np.array(planes), tuple(loops), tuple(tuple(sorted(n)) for n in neighbours), triangle)


def _outward(vertex: Floats, triangle: Ints, normals: Floats) -> Ints:
    a, b, c = (vertex[triangle[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), normals) < 0.0
    triangle[inward] = triangle[inward][:, ::-1]
    return triangle


def _faces(normals: Floats, neighbours: list[list[int]]) -> list[list[int]]:
    """Triangles that hang together and face the same way as the first of them."""
    face = np.full(len(normals), -1)
    faces: list[list[int]] = []
    for start in range(len(normals)):
        if face[start] >= 0:
            continue
        members, k = [start], 0
        face[start] = len(faces)
        while k < len(members):
            for t in neighbours[members[k]]:
                if face[t] < 0 and np.linalg.norm(normals[t] - normals[start]) < COPLANAR:
                    face[t] = len(faces)
                    members.append(t)
            k += 1
        faces.append(members)
    return faces


def _around(vertex: Floats, corners: Ints, normal: Floats) -> tuple[int, ...]:
    """Corners of a convex face in order about its normal, from the lowest number on."""
    middle = vertex[corners].mean(axis=0)
    u = vertex[corners[0]] - middle
    angle = np.arctan2((vertex[corners] - middle) @ np.cross(normal, u), (vertex[corners] - middle) @ u)
    # the first corner is at angle 0, which rounding must not send to the end
    order = np.argsort(np.mod(angle + 1e-9, 2.0 * np.pi))
    return tuple(corners[order].tolist())


def measure_moments(p: Polyhedron) -> tuple[float, Floats, Floats]:
    """Volume, centre, and int (x - centre)(x - centre)^T"""
    inner = p.vertex.mean(axis=0)
    a, b, c = (p.vertex[p.triangle[:, k]] - inner for k in range(3))
    det = np.einsum("ij,ij->i", a, np.cross(b, c))
    s = a + b + c
    volume = float(det.sum()) / 6.0
    first = det @ s / 24.0
    second = np.sum([np.einsum("i,ij,ik->jk", det, x, x) for x in (s, a, b, c)], axis=0) / 120.0
    return volume, inner + first / volume, second - np.outer(first, first) / volume
