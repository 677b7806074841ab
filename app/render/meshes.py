"""The unit meshes: triangles of a sphere (which is also the capsule), a cylinder, a box.

A vertex is (x, y, z, end) and a normal; the shader computes `(x, y, z) * size + (0, 0, end * half length)`.
"""

import numpy as np

Triangles = np.ndarray  # (m, 7) float32: shape 4, normal 3


def expand(shape: np.ndarray, normals: np.ndarray, faces: np.ndarray) -> Triangles:
    """Return a row for each corner of each triangle. Triangles run counter-clockwise as seen from outside."""
    rows = np.concatenate([shape, normals], 1)[faces.reshape(-1)]
    return np.ascontiguousarray(rows, dtype="f4")


def grid_faces(rings: int, around: int) -> np.ndarray:
    """Return two triangles for each cell of a closed band of rings."""
    i, j = np.meshgrid(np.arange(rings - 1), np.arange(around), indexing="ij")
    a, b = i * around + j, i * around + (j + 1) % around
    return np.stack([a, a + around, b, b, a + around, b + around], -1).reshape(-1, 3)


def round_mesh(segments: int) -> Triangles:
    """Return the unit sphere, cut at its equator. `end`, +1 or -1, says to which half a vertex belongs."""
    quarter = max(segments // 4, 2)
    down = np.concatenate([np.linspace(0, np.pi / 2, quarter + 1), np.linspace(np.pi / 2, np.pi, quarter + 1)])
    end = np.repeat([1.0, -1.0], quarter + 1)
    around = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    t, p = np.meshgrid(down, around, indexing="ij")
    normals = np.stack([np.sin(t) * np.cos(p), np.sin(t) * np.sin(p), np.cos(t)], -1).reshape(-1, 3)
    shape = np.concatenate([normals, np.repeat(end, segments)[:, None]], 1)
    return expand(shape, normals, grid_faces(len(down), segments))


def cylinder_mesh(segments: int) -> Triangles:
    """Return a cylinder of radius 1 from z = -1 to 1, with flat ends."""
    angle = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], 1)
    up, flat = np.ones((segments, 1)), np.zeros((segments, 1))
    top, bottom = np.hstack([ring, up]), np.hstack([ring, -up])
    side = expand(
        np.hstack([np.vstack([top, bottom]), np.zeros((2 * segments, 1))]),
        np.vstack([np.hstack([ring, flat])] * 2),
        grid_faces(2, segments),
    )
    ends = []
    for rim, z in ((top, 1.0), (bottom, -1.0)):
        points = np.vstack([rim, [[0, 0, z]]])
        j = np.arange(segments)
        k = (j + 1) % segments
        faces = np.stack([j, k, np.full(segments, segments)] if z > 0 else [k, j, np.full(segments, segments)], 1)
        shape = np.hstack([points, np.zeros((segments + 1, 1))])
        ends.append(expand(shape, np.tile([0.0, 0.0, z], (segments + 1, 1)), faces))
    return np.vstack([side, *ends])


def box_mesh(segments: int) -> Triangles:
    """Return a box from -1 to 1 along each axis. `segments` has no effect, because nothing of it is round."""
    parts = []
    for axis in range(3):
        for sign in (1.0, -1.0):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            corners = np.zeros((4, 4))
            for n, (a, b) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
                corners[n, axis], corners[n, u], corners[n, v] = sign, a, b
            normal = np.zeros(3)
            normal[axis] = sign
            order = [[0, 1, 2], [0, 2, 3]] if sign > 0 else [[0, 2, 1], [0, 3, 2]]
            parts.append(expand(corners, np.tile(normal, (4, 1)), np.array(order)))
    return np.vstack(parts)
