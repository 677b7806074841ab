"""What a ray hits: all primitives of a look are tried at given poses, except the marks of joints."""

from dataclasses import dataclass

import numpy as np

from app.render.look import Look
from app.render.rays import to_triangles
from app.render.units import UNITS
from physics.maths.rotations import conjugate, quaternion_product, turned


@dataclass(frozen=True)
class Hit:
    """Where a ray meets a body: its number, the point, and the distance from the eye [m]."""

    body: int
    point: np.ndarray  # world
    distance: float


class Picker:
    """A search for the body that a ray meets, among the primitives of a look."""

    def __init__(self, look: Look, names: list[str]):
        """Sort the primitives of a look by shape. `names` gives the numbers of the bodies."""
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
        """Return the nearest body on a ray, or None. `direction` is a unit vector."""
        best: Hit | None = None
        for shape, (bodies, numbers) in self._shapes.items():
            q = quaternion_product(poses[bodies, 3:7], numbers[:, 3:7])
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
        """Return the distances (n) along rays to n primitives of one shape; infinity where a ray misses."""
        with np.errstate(divide="ignore", invalid="ignore"):
            if shape in UNITS:
                return UNITS[shape].ray(start, along, size)
            mesh = self._meshes[shape]
            return np.array(
                [to_triangles(s / k, a / k, mesh.vertex) for s, a, k in zip(start, along, size[:, :3], strict=True)]
            )
