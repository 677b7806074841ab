"""Intersections of rays with unit meshes of given sizes, for many rays at once: from `start` (n, 3), in the frame of
the mesh, along the unit vectors `along` (n, 3). Unless a function says otherwise, it returns the distances (n,) to the
first entry in front of the origin, infinite for a miss."""

import numpy as np


def positive(t: np.ndarray, valid: np.ndarray) -> np.ndarray:
    """Return the distances t where they are valid and in front of the eye, and infinity elsewhere."""
    return np.where(valid & (t > 0.0), t, np.inf)


def to_ball(start: np.ndarray, along: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """Return the distances to a ball about the origin: |s + t a| = r."""
    b = (start * along).sum(1)
    h = b * b - ((start * start).sum(1) - radius * radius)
    return positive(-b - np.sqrt(h), h >= 0.0)


def to_tube(start: np.ndarray, along: np.ndarray, radius: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Return the distances to the side of a cylinder along z: x^2 + y^2 = r^2 between z = -half and half."""
    a = (along[:, :2] ** 2).sum(1)
    b = (start[:, :2] * along[:, :2]).sum(1)
    h = b * b - a * ((start[:, :2] ** 2).sum(1) - radius * radius)
    t = (-b - np.sqrt(h)) / a
    return positive(t, (h >= 0.0) & (np.abs(start[:, 2] + t * along[:, 2]) <= half))


def to_capsule(start: np.ndarray, along: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the distances to capsules of sizes (r, r, r, half). A sphere is a capsule without a length."""
    radius, half = size[:, 0], size[:, 3]
    end = np.zeros_like(start)
    end[:, 2] = half
    balls = np.minimum(to_ball(start - end, along, radius), to_ball(start + end, along, radius))
    return np.minimum(balls, to_tube(start, along, radius, half))


def to_cylinder(start: np.ndarray, along: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the distances to cylinders of sizes (r, r, half, 0)."""
    radius, half = size[:, 0], size[:, 2]
    t = (-np.sign(along[:, 2]) * half - start[:, 2]) / along[:, 2]
    at = start[:, :2] + t[:, None] * along[:, :2]
    cap = positive(t, (at**2).sum(1) <= radius * radius)
    return np.minimum(cap, to_tube(start, along, radius, half))


def to_box(start: np.ndarray, along: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Return the distances to boxes of sizes (half x, half y, half z, 0), by the slab test."""
    half = size[:, :3]
    flat = np.where(np.abs(along) < 1e-12, 1e-12, along)
    a, b = (-half - start) / flat, (half - start) / flat
    enter = np.minimum(a, b).max(1)
    leave = np.maximum(a, b).min(1)
    return positive(enter, enter <= leave)


def to_triangles(start: np.ndarray, along: np.ndarray, vertices: np.ndarray) -> float:
    """Return the distance to the nearest triangle, by Cramer's rule on s + t a = p0 + u e1 + v e2."""
    corner = vertices.reshape(-1, 3, 3)
    e1, e2 = corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    normal = np.cross(along, e2)
    determinant = (e1 * normal).sum(1)
    offset = start - corner[:, 0]
    u = (offset * normal).sum(1) / determinant
    other = np.cross(offset, e1)
    v = (other @ along) / determinant
    t = (e2 * other).sum(1) / determinant
    inside = (u >= 0.0) & (v >= 0.0) & (u + v <= 1.0)
    return float(positive(t, inside).min(initial=np.inf))
