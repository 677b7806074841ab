"""A cylinder."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.data.model import Floats
from physics.definitions.shapes.drag import ACROSS, END
from physics.definitions.shapes.long import LongSolid
from physics.definitions.shapes.shape import Drawing
from physics.maths.strict import cosine, norm, sine

__all__ = ["Cylinder"]

RIM = 24  # points of the outline on each rim


@dataclass(frozen=True, kw_only=True)
class Cylinder(LongSolid):
    """A cylinder about the z axis, with its middle at the origin. `Cylinder.between` makes one from the middles of its
    end faces.

    >>> from physics import Cylinder
    >>> Cylinder(radius=0.1, length=0.5).radius
    0.1
    """

    label: ClassVar[str] = "cylinder"

    def reach(self) -> float:
        """Return the distance of the farthest point of the cylinder from its origin [m]."""
        return norm((self.radius, self.half_line))

    def moments(self) -> tuple[float, Floats, Floats]:
        """Return volume [m^3], centre of mass [m], and inertia about it at density 1 [m^5]."""
        r, h = self.radius, self.half_line
        volume = 2.0 * math.pi * r * r * h
        across = volume * (0.25 * r * r + h * h / 3.0)
        return volume, np.zeros(3), np.diag((across, across, 0.5 * volume * r * r))

    def bounding_box(self) -> tuple[Floats, Floats]:
        """Return half sizes and middle of the box around the cylinder along its axes [m]."""
        return np.array((self.radius, self.radius, self.half_line)), np.zeros(3)

    def drag_areas(self) -> Floats:
        """Return the drag coefficient times the projected area along each axis (3,) [m^2]."""
        a, b = self.radius, self.half_line
        return np.array([ACROSS * 4.0 * a * b, ACROSS * 4.0 * a * b, END * math.pi * a * a])

    def outline(self) -> tuple[Floats, float]:
        """Return points of both rims (2 RIM, 3) [m], and the radius 0 around them."""
        t = np.linspace(0.0, 2.0 * math.pi, RIM, endpoint=False)
        rim = np.array([[self.radius * cosine(a), self.radius * sine(a), 0.0] for a in t.tolist()])
        ends = np.array([0.0, 0.0, self.half_line])
        return np.concatenate([rim - ends, rim + ends]), 0.0

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of the cylinder farthest along a unit vector [m]."""
        across = norm((direction[0], direction[1]))
        point = np.array([0.0, 0.0, math.copysign(self.half_line, direction[2])])
        if across > 0.0:
            point[:2] = self.radius * direction[:2] / across
        return point

    def drawing(self) -> Drawing:
        """Return the drawing of the cylinder."""
        return Drawing("cylinder", (self.radius, self.radius, self.half_line, 0.0))
