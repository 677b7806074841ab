"""A capsule."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.data.model import Floats
from physics.definitions.shapes.drag import ACROSS, SPHERE
from physics.definitions.shapes.long import LongSolid
from physics.definitions.shapes.shape import Drawing

__all__ = ["Capsule"]


@dataclass(frozen=True, kw_only=True)
class Capsule(LongSolid):
    """All points within `radius` [m] of a line segment. The segment lies on the z axis, is `length` [m] long, and has
    its middle at the origin.

    >>> from physics import Capsule
    >>> Capsule(radius=0.1, length=0.5).length
    0.5
    """

    label: ClassVar[str] = "capsule"

    @property
    def rounding(self) -> float:
        """Radius, which is added all around the core [m]."""
        return self.radius

    def reach(self) -> float:
        """Return the distance of the farthest point of the capsule from its origin [m]."""
        return self.radius + self.half_line

    def moments(self) -> tuple[float, Floats, Floats]:
        """Return volume [m^3], centre of mass [m], and inertia about it at density 1 [m^5]: those of a cylinder and two
        half balls."""
        r, h = self.radius, self.half_line
        tube = 2.0 * math.pi * r * r * h
        ball = 4.0 / 3.0 * math.pi * r * r * r
        along = 0.5 * tube * r * r + 0.4 * ball * r * r
        across = tube * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r)
        return tube + ball, np.zeros(3), np.diag((across, across, along))

    def bounding_box(self) -> tuple[Floats, Floats]:
        """Return half sizes and middle of the box around the capsule along its axes [m]."""
        return np.array((self.radius, self.radius, self.radius + self.half_line)), np.zeros(3)

    def drag_areas(self) -> Floats:
        """Return the drag coefficient times the projected area along each axis (3,) [m^2]."""
        a, b = self.radius, self.half_line
        ends = SPHERE * math.pi * a * a
        return np.array([ends + ACROSS * 4.0 * a * b, ends + ACROSS * 4.0 * a * b, ends])

    def outline(self) -> tuple[Floats, float]:
        """Return points (n, 3) and a radius [m]: the capsule is the hull of balls about the points."""
        return np.array([[0.0, 0.0, s * self.half_line] for s in (-1.0, 1.0)]), self.radius

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of the capsule farthest along a unit vector [m]."""
        return np.array([0.0, 0.0, math.copysign(self.half_line, direction[2])]) + self.radius * direction

    def drawing(self) -> Drawing:
        """Return the drawing of the capsule."""
        return Drawing("capsule", (self.radius, self.radius, self.radius, self.half_line))
