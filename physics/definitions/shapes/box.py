"""A box."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import LONGEST, DefinitionError, Vector, finite_numbers
from physics.definitions.shapes.drag import BOX, box_moments
from physics.definitions.shapes.shape import Drawing, Solid
from physics.definitions.spellings import Scaled

__all__ = ["Box"]


@dataclass(frozen=True, kw_only=True)
class Box(Solid):
    """A box with edges along the axes of its frame. `size` [m] is the lengths of the edges along x, y and z.

    >>> from physics import Box
    >>> Box(size=(0.2, 0.4, 0.6)).size
    (0.2, 0.4, 0.6)
    """

    old_words: ClassVar[Mapping[str, Scaled]] = {"half_sizes": Scaled("size", 2.0)}

    size: Vector  # m, full lengths of its edges along x, y, z

    label: ClassVar[str] = "box"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        values = finite_numbers("size of a box", self.size, 3)
        if min(values) <= 0.0 or max(values) > LONGEST:
            raise DefinitionError("size of a box", self.size, f"three numbers > 0 and <= {LONGEST:g}")
        object.__setattr__(self, "size", values)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Half sizes along x, y, z [m]."""
        x, y, z = self.size
        return (0.5 * x, 0.5 * y, 0.5 * z)

    def reach(self) -> float:
        """Return the distance of the farthest point of the box from its origin [m]."""
        a, b, c = self.measures
        return float(np.sqrt(a * a + b * b + c * c))

    def moments(self) -> tuple[float, Floats, Floats]:
        """Return volume [m^3], centre of mass [m], and inertia about it at density 1 [m^5]."""
        x, y, z = self.measures
        volume = 8.0 * x * y * z
        return volume, np.zeros(3), np.diag([volume / 3.0 * s for s in (y * y + z * z, z * z + x * x, x * x + y * y)])

    def bounding_box(self) -> tuple[Floats, Floats]:
        """Return half sizes and middle of the box around the box along its axes [m]."""
        return np.array(self.measures), np.zeros(3)

    def drag_areas(self) -> Floats:
        """Return the drag coefficient times the projected area along each axis (3,) [m^2]."""
        a, b, c = self.measures
        return BOX * 4.0 * np.array([b * c, a * c, a * b])

    def drag_moments(self) -> Floats:
        """Return the drag moments about each axis (3,) [m^5]."""
        return box_moments(np.array(self.measures))

    def outline(self) -> tuple[Floats, float]:
        """Return points (n, 3) and a radius [m]: the box is the hull of balls about the points."""
        signs = np.array([[i, j, k] for i in (-0.5, 0.5) for j in (-0.5, 0.5) for k in (-0.5, 0.5)])
        return signs * np.array(self.size), 0.0

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of the box farthest along a unit vector [m]."""
        return np.copysign(np.array(self.measures), direction)

    def mirrored(self) -> "Box":
        """Return the image of the box under p -> -p in its own frame."""
        return self

    def drawing(self) -> Drawing:
        """Return the drawing of the box."""
        return Drawing("box", (*self.measures, 0.0))
