"""A ball."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.data.model import Floats
from physics.definitions.shapes.drag import SPHERE
from physics.definitions.shapes.shape import Drawing, Solid

__all__ = ["Sphere"]


@dataclass(frozen=True, kw_only=True)
class Sphere(Solid):
    """A ball with a `radius` [m] about `position`.

    >>> from physics import Sphere
    >>> Sphere(radius=0.1, position=(0, 0, 0.2)).radius
    0.1
    """

    radius: float  # m

    label: ClassVar[str] = "sphere"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self._check_length("radius")

    @property
    def measures(self) -> tuple[float, float, float]:
        """Radius [m], 0 and 0."""
        return (self.radius, 0.0, 0.0)

    @property
    def rounding(self) -> float:
        """Radius, which is added all around the core [m]."""
        return self.radius

    def reach(self) -> float:
        """Return the distance of the farthest point of the sphere from its origin [m]."""
        return self.radius

    def moments(self) -> tuple[float, Floats, Floats]:
        """Return volume [m^3], centre of mass [m], and inertia about it at density 1 [m^5]."""
        r = self.radius
        volume = 4.0 / 3.0 * math.pi * r * r * r
        return volume, np.zeros(3), np.diag((0.4 * volume * r * r,) * 3)

    def bounding_box(self) -> tuple[Floats, Floats]:
        """Return half sizes and middle of the box around the sphere along its axes [m]."""
        return np.full(3, self.radius), np.zeros(3)

    def drag_areas(self) -> Floats:
        """Return the drag coefficient times the projected area along each axis (3,) [m^2]."""
        return np.full(3, SPHERE * math.pi * self.radius * self.radius)

    def drag_moments(self) -> Floats:
        """Return the drag moments about each axis (3,) [m^5]."""
        return np.zeros(3)

    def outline(self) -> tuple[Floats, float]:
        """Return points (n, 3) and a radius [m]: the sphere is the hull of balls about the points."""
        return np.zeros((1, 3)), self.radius

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of the sphere farthest along a unit vector [m]."""
        return self.radius * direction

    def mirrored(self) -> "Sphere":
        """Return the image of the sphere under p -> -p in its own frame."""
        return self

    def drawing(self) -> Drawing:
        """Return the drawing of the sphere."""
        return Drawing("sphere", (self.radius, self.radius, self.radius, 0.0))
