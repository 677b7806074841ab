"""A mesh from a signed distance field: naive surface nets (S. Gibson 1998), then relaxed along the surface."""

from collections.abc import Callable

import numpy as np

Field = Callable[[np.ndarray], np.ndarray]


def sample(field: Field, low: np.ndarray, shape: tuple[int, int, int], step: float) -> np.ndarray:
    """Return the field at the points of a grid, computed plane by plane."""
    y, z = np.meshgrid(np.arange(shape[1]), np.arange(shape[2]), indexing="ij")
    plane = np.stack([np.zeros(y.size), y.ravel(), z.ravel()], 1) * step + low
    values = np.empty(shape)
    for i in range(shape[0]):
        values[i] = field(plane + np.array([i * step, 0.0, 0.0])).reshape(shape[1:])
    return values


CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])
EDGES = [(a, b) for a in range(8) for b in range(a + 1, 8) if np.abs(CORNERS[a] - CORNERS[b]).sum() == 1]


def surface_nets(values: np.ndarray, low: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Return vertices (n, 3), one in each cell that the surface crosses, and triangles (m, 3), counter-clockwise from
    outside."""
    inside = values < 0.0
    cell = [n - 1 for n in values.shape]
    count = sum(inside[i : i + cell[0], j : j + cell[1], k : k + cell[2]].astype(int) for i, j, k in CORNERS)
    active = np.argwhere((count > 0) & (count < 8))
    number = np.full(cell, -1)
    number[tuple(active.T)] = np.arange(len(active))
    corner = np.stack([values[tuple((active + c).T)] for c in CORNERS], 1)
    total, crossings = np.zeros((len(active), 3)), np.zeros(len(active))
    for a, b in EDGES:
        crossed = (corner[:, a] < 0.0) != (corner[:, b] < 0.0)
        t = np.where(crossed, corner[:, a] / np.where(crossed, corner[:, a] - corner[:, b], 1.0), 0.0)
        total += np.where(crossed[:, None], CORNERS[a] + t[:, None] * (CORNERS[b] - CORNERS[a]), 0.0)
        crossings += crossed
    vertices = (active + total / crossings[:, None]) * step + low
    return vertices, np.concatenate([_faces_across(inside, number, axis) for axis in range(3)])


def _faces_across(inside: np.ndarray, number: np.ndarray, axis: int) -> np.ndarray:
    """Return two triangles (three vertex numbers each, counter-clockwise from outside) for each grid edge that is
    parallel to `axis` and crosses the surface. Their corners are the vertices of the four cells around the edge.
    `inside` says of each grid point whether it is inside, and `number` has the vertex of each cell, or -1."""
    u, v = (axis + 1) % 3, (axis + 2) % 3
    before, after = [slice(None)] * 3, [slice(None)] * 3
    before[axis], after[axis] = slice(0, -1), slice(1, None)
    first = inside[tuple(before)]
    edges = np.argwhere(first != inside[tuple(after)])
    edges = edges[(edges[:, u] > 0) & (edges[:, v] > 0)]
    edges = edges[(edges[:, u] < number.shape[u]) & (edges[:, v] < number.shape[v])]
    at = []
    for du, dv in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
        cell = edges.copy()
        cell[:, u] += du
        cell[:, v] += dv
        at.append(number[tuple(cell.T)])
    a, b, c, d = at
    outward = first[tuple(edges.T)]  # inside below: the surface looks up the axis
    quads = np.where(outward[:, None], np.stack([a, b, c, d], 1), np.stack([a, d, c, b], 1))
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def relaxed(
    vertices: np.ndarray, faces: np.ndarray, field: Field, normals: Callable[[np.ndarray], np.ndarray], rounds: int = 5
) -> np.ndarray:
    """Return the vertices after each has moved half the way to the middle of its neighbours, and then back onto the
    surface."""
    pairs = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    pairs = np.unique(np.concatenate([pairs, pairs[:, ::-1]]), axis=0)
    degree = np.bincount(pairs[:, 0], minlength=len(vertices))[:, None]
    for _ in range(rounds):
        middle = np.zeros_like(vertices)
        np.add.at(middle, pairs[:, 0], vertices[pairs[:, 1]])
        move = middle / degree - vertices
        normal = normals(vertices)
        vertices = vertices + 0.5 * (move - normal * (move * normal).sum(1, keepdims=True))
        vertices = vertices - normals(vertices) * np.clip(field(vertices), -1e-3, 1e-3)[:, None]
    return vertices
