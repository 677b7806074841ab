"""What a ray hits: the primitives of a look at given poses, all at once. Joint marks are not taken hold of.

Every test gives the distance along the ray to the first entry in front of its origin, infinite for a miss.
"""

from dataclasses import dataclass

import numpy as np

from app.render.look import Look
from app.render.rotations import conjugate, product, turned


@dataclass(frozen=True)
class Hit:
    body: int
    point: np.ndarray  # world
    distance: float


class Picker:
    """The primitives of a look, sorted by shape."""

    def __init__(self, look: Look, names: list[str]):
        number = {name: i for i, name in enumerate(names)}
        rows: dict[str, list[tuple[int, tuple[float, ...]]]] = {}
        for name, primitives in look.bodies.items():
            for p in primitives:
                if not p.joint and name in number:
                    rows.setdefault(p.shape, []).append((number[name], (*p.at, *p.rotation, *p.size)))
        self._shapes = {
            shape: (np.array([body for body, _ in items]), np.array([numbers for _, numbers in items]))
            for shape, items in rows.items()
        }
        self._meshes = look.meshes

    def hit(self, poses: np.ndarray, origin: np.ndarray, direction: np.ndarray) -> Hit | None:
        """The nearest body on the ray; `direction` of length one."""
        best: Hit | None = None
        for shape, (bodies, numbers) in self._shapes.items():
            q = product(poses[bodies, 3:7], numbers[:, 3:7])
            back = conjugate(q)
            centre = poses[bodies, :3] + turned(poses[bodies, 3:7], numbers[:, :3])
            start = turned(back, origin - centre)
            along = turned(back, np.broadcast_to(direction, start.shape))
            distance = self._distances(shape, start, along, numbers[:, 7:11])
            nearest = int(np.argmin(distance))
            if np.isfinite(distance[nearest]) and (best is None or distance[nearest] < best.distance):
                far = float(distance[nearest])
                best = Hit(int(bodies[nearest]), origin + far * direction, far)
        return best

    def _distances(self, shape: str, start: np.ndarray, along: np.ndarray, size: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore", invalid="ignore"):
            if shape in ("sphere", "capsule"):
                return to_capsule(start, along, size[:, 0], size[:, 3])
            if shape == "box":
                return to_box(start, along, size[:, :3])
            if shape == "cylinder":
                return to_cylinder(start, along, size[:, 0], size[:, 2])
            mesh = self._meshes[shape]
            return np.array(
                [to_triangles(s / k, a / k, mesh.vertices) for s, a, k in zip(start, along, size[:, 0], strict=True)]
            )


def positive(t: np.ndarray, valid: np.ndarray) -> np.ndarray:
    return np.where(valid & (t > 0.0), t, np.inf)


def to_ball(start: np.ndarray, along: np.ndarray, radius: np.ndarray) -> np.ndarray:
    """|s + t a| = r"""
    b = (start * along).sum(1)
    h = b * b - ((start * start).sum(1) - radius * radius)
    return positive(-b - np.sqrt(h), h >= 0.0)


def to_tube(start: np.ndarray, along: np.ndarray, radius: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The side of a cylinder along z: x^2 + y^2 = r^2 between z = -half and half."""
    a = (along[:, :2] ** 2).sum(1)
    b = (start[:, :2] * along[:, :2]).sum(1)
    h = b * b - a * ((start[:, :2] ** 2).sum(1) - radius * radius)
    t = (-b - np.sqrt(h)) / a
    return positive(t, (h >= 0.0) & (np.abs(start[:, 2] + t * along[:, 2]) <= half))


def to_capsule(start: np.ndarray, along: np.ndarray, radius: np.ndarray, half: np.ndarray) -> np.ndarray:
    end = np.zeros_like(start)
    end[:, 2] = half
    balls = np.minimum(to_ball(start - end, along, radius), to_ball(start + end, along, radius))
    return np.minimum(balls, to_tube(start, along, radius, half))


def to_cylinder(start: np.ndarray, along: np.ndarray, radius: np.ndarray, half: np.ndarray) -> np.ndarray:
    t = (-np.sign(along[:, 2]) * half - start[:, 2]) / along[:, 2]
    at = start[:, :2] + t[:, None] * along[:, :2]
    cap = positive(t, (at**2).sum(1) <= radius * radius)
    return np.minimum(cap, to_tube(start, along, radius, half))


def to_box(start: np.ndarray, along: np.ndarray, half: np.ndarray) -> np.ndarray:
    """The slab test."""
    flat = np.where(np.abs(along) < 1e-12, 1e-12, along)
    a, b = (-half - start) / flat, (half - start) / flat
    enter = np.minimum(a, b).max(1)
    leave = np.maximum(a, b).min(1)
    return positive(enter, enter <= leave)


def to_triangles(start: np.ndarray, along: np.ndarray, vertices: np.ndarray) -> float:
    """The nearest of the triangles, by Cramer's rule on s + t a = p0 + u e1 + v e2."""
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
