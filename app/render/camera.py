"""The camera: it looks at a target from a distance, an azimuth and an elevation; z is up.

Window coordinates are pixels of the viewport, origin at its upper left corner.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.maths.rotations import cross

STEEPEST = math.radians(89.0)  # straight down, azimuth would lose its meaning
FIELD_OF_VIEW = math.radians(36.0)


@dataclass
class Camera:
    """A perspective camera that looks at `target` from `distance` [m]; angles are in radians."""

    target: np.ndarray = field(default_factory=lambda: np.zeros(3))
    distance: float = 3.0
    azimuth: float = math.radians(-55.0)
    elevation: float = math.radians(22.0)
    size: tuple[int, int] = (1280, 720)  # of the viewport
    _along: np.ndarray | None = None  # the place it goes along with, when it was last seen

    @property
    def backward(self) -> np.ndarray:
        """Return the unit vector from the target to the eye."""
        flat = math.cos(self.elevation)
        return np.array([flat * math.cos(self.azimuth), flat * math.sin(self.azimuth), math.sin(self.elevation)])

    @property
    def eye(self) -> np.ndarray:
        """Return the position of the eye (3) [m]."""
        return self.target + self.distance * self.backward

    def axes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the unit vectors right, up and backward."""
        right = np.array([-math.sin(self.azimuth), math.cos(self.azimuth), 0.0])
        return right, cross(self.backward, right), self.backward

    def view(self) -> np.ndarray:
        """Return the matrix (4, 4) from the world to the eye."""
        m = np.eye(4)
        m[:3, :3] = self.axes()
        m[:3, 3] = -m[:3, :3] @ self.eye
        return m

    def projection(self) -> np.ndarray:
        """Return the matrix (4, 4) from the eye to clip space. The near and far planes follow the distance."""
        near, far = 0.01 * self.distance, 200.0 * self.distance
        t = 1.0 / math.tan(0.5 * FIELD_OF_VIEW)
        m = np.zeros((4, 4))
        m[0, 0], m[1, 1] = t * self.size[1] / max(self.size[0], 1), t
        m[2, 2], m[2, 3], m[3, 2] = (far + near) / (near - far), 2.0 * far * near / (near - far), -1.0
        return m

    # ------------------------------------------------------------ window to world and back
    def ray(self, x: float, y: float) -> tuple[np.ndarray, np.ndarray]:
        """Return origin and unit direction of the ray through a pixel."""
        right, up, back = self.axes()
        t = math.tan(0.5 * FIELD_OF_VIEW)
        sideways = (2.0 * x / self.size[0] - 1.0) * t * self.size[0] / max(self.size[1], 1)
        upward = (1.0 - 2.0 * y / self.size[1]) * t
        d = sideways * right + upward * up - back
        return self.eye, d / np.linalg.norm(d)

    def pixel(self, point: Sequence[float] | np.ndarray) -> tuple[float, float] | None:
        """Return the pixel at which a point of the world is seen, or None for a point behind the eye."""
        p = self.projection() @ self.view() @ np.append(np.asarray(point, float), 1.0)
        if p[3] <= 1e-9:
            return None
        return (0.5 + 0.5 * p[0] / p[3]) * self.size[0], (0.5 - 0.5 * p[1] / p[3]) * self.size[1]

    def at_depth_of(self, point: np.ndarray, x: float, y: float) -> np.ndarray:
        """Return the point under a pixel, in the plane through `point` that faces the camera."""
        origin, d = self.ray(x, y)
        along = -(d @ self.backward)
        return origin + d * (((origin - point) @ self.backward) / max(along, 1e-9))

    def metres_per_pixel(self, point: np.ndarray) -> float:
        """Return the size of a pixel at the depth of a point [m]."""
        depth = max(float((self.eye - point) @ self.backward), 1e-6)
        return 2.0 * depth * math.tan(0.5 * FIELD_OF_VIEW) / max(self.size[1], 1)

    # ------------------------------------------------------------ moves
    def orbit(self, dx: float, dy: float) -> None:
        """Rotate the camera about the target by a motion of the mouse [pixels]. Half the window's height is a quarter
        turn."""
        turn = math.pi / max(self.size[1], 1)
        self.azimuth = math.remainder(self.azimuth - dx * turn, 2.0 * math.pi)
        self.elevation = float(np.clip(self.elevation + dy * turn, -STEEPEST, STEEPEST))

    def pan(self, dx: float, dy: float) -> None:
        """Shift the target so that the scene follows the mouse in the plane of the target."""
        right, up, _ = self.axes()
        self.target = self.target - (right * dx - up * dy) * self.metres_per_pixel(self.target)

    def zoom(self, notches: float, x: float | None = None, y: float | None = None) -> None:
        """Change the distance by a tenth for each notch of the wheel. The point under the cursor stays there."""
        factor = float(np.clip(0.9**notches, 0.05, 20.0))
        distance = float(np.clip(self.distance * factor, 1e-3, 1e5))
        factor = distance / self.distance
        if x is not None and y is not None:
            under = self.at_depth_of(self.target, x, y)
            self.target = self.target + (under - self.target) * (1.0 - factor)
        self.distance = distance

    def take(self, place: Any) -> None:
        """Take the view that a scene gives: target, distance, azimuth, elevation."""
        self.target, self.distance = np.array(place.target, float), place.distance
        self.azimuth, self.elevation = place.azimuth, place.elevation

    def go_along(self, place: np.ndarray | None) -> None:
        """Move the target as a place has moved since the last call. None ends this."""
        if place is not None and self._along is not None:
            self.target = self.target + (place - self._along)
        self._along = place

    def frame(self, centre: Sequence[float] | np.ndarray, radius: float) -> None:
        """Move the camera so that a ball is seen as a whole."""
        aspect = min(1.0, self.size[0] / max(self.size[1], 1))
        self.target = np.array(centre, float)
        self.distance = 0.95 * max(radius, 1e-3) / (math.sin(0.5 * FIELD_OF_VIEW) * aspect)
