"""A half space."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from physics.definitions.checks import Vector, unit_direction
from physics.maths.rotations import quaternion_product, turn_from_z
from physics.definitions.shapes.shape import Drawing, Shape

__all__ = ["Plane"]

SLAB = (5.0, 5.0, 0.02)  # half sizes of what is drawn of it [m]


@dataclass(frozen=True, kw_only=True)
class Plane(Shape):
    """The half space below z = 0 of its frame, such as a floor or a wall. It has no mass, and belongs to the world or
    to a static body.

    >>> from physics import Plane
    >>> Plane(friction=0.5).friction
    0.5
    """

    label: ClassVar[str] = "plane"
    endless: ClassVar[bool] = True

    @classmethod
    def facing(cls, normal: Vector, point: Vector = (0.0, 0.0, 0.0), **more: Any) -> "Plane":
        """Return the half space whose surface goes through `point` and faces along `normal`."""
        n = unit_direction("normal of a plane", normal)
        return cls(position=point, orientation=turn_from_z(np.array(n)), **more)

    def mirrored(self) -> "Plane":
        """Return the half space above z = 0 of this frame: a half space below the surface of a frame that is turned
        over."""
        turned = quaternion_product(np.array(self.orientation), np.array((0.0, 1.0, 0.0, 0.0)))
        return replace(self, orientation=tuple(turned.tolist()))

    def drawing(self) -> Drawing:
        """Return the drawing of a slab below the surface."""
        return Drawing("box", (*SLAB, 0.0), (0.0, 0.0, -SLAB[2]))
