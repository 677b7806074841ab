"""The convex hull of points."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import LONGEST, DefinitionError, Vector, number
from physics.definitions.shapes.drag import BOX, box_moments
from physics.definitions.shapes.meshfile import read_points
from physics.definitions.shapes.polyhedron import Polyhedron, make_polyhedron, measure_moments
from physics.definitions.shapes.reduction import reduced
from physics.definitions.shapes.shape import Drawing, Solid, flat_triangles
from physics.maths.strict import norms, product

__all__ = ["Hull"]


@dataclass(frozen=True, kw_only=True)
class Hull(Solid):
    """The convex hull of points. If there are more than a few thousand points (`reduction.FEW`), only the corners of
    the hull are kept. Corners that protrude by less than 1e-7 of the size of the hull are left out, too. At most a
    million points are allowed, and at most five thousand corners.

    >>> from physics import Hull
    >>> Hull(points=[(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).group
    'default'
    """

    points: Sequence[Vector] | np.ndarray = field(repr=False)
    polyhedron: Polyhedron = field(init=False, repr=False, compare=False)

    label: ClassVar[str] = "hull"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        try:
            points = np.array(self.points, dtype=np.float64)
        except (TypeError, ValueError):
            raise DefinitionError("points of a hull", self.points, "points of three numbers each") from None
        if points.ndim != 2 or points.shape[1] != 3 or len(points) < 4 or not np.isfinite(points).all():
            raise DefinitionError(
                "points of a hull", f"an array of shape {points.shape}", "at least 4 points of three finite numbers"
            )
        if np.abs(points).max() > LONGEST:
            raise DefinitionError("points of a hull", float(np.abs(points).max()), f"at most {LONGEST:g} m in size")
        points = reduced(points)
        object.__setattr__(self, "points", tuple(map(tuple, points.tolist())))
        object.__setattr__(self, "polyhedron", make_polyhedron(points))

    @classmethod
    def of_file(cls, path: str | Path, scale: float = 1.0, **more: Any) -> "Hull":
        """Return the convex hull of the points of a mesh file (.obj, or .stl as text or binary). The points are
        multiplied by `scale`."""
        return cls(points=number("scale of a mesh", scale, 0.0, strict=True) * read_points(path), **more)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Three zeros, because kernels read the vertices and faces of a hull instead."""
        return (0.0, 0.0, 0.0)

    def reach(self) -> float:
        """Return the distance of the farthest point of the hull from its origin [m]."""
        return float(norms(self.polyhedron.vertex).max())

    def moments(self) -> tuple[float, Floats, Floats]:
        """Return volume [m^3], centre of mass [m], and inertia about it at density 1 [m^5]."""
        volume, centre, second = measure_moments(self.polyhedron)
        return volume, centre, np.trace(second) * np.eye(3) - second

    def bounding_box(self) -> tuple[Floats, Floats]:
        """Return half sizes and middle of the box around the hull along its axes [m]."""
        low, high = self.polyhedron.vertex.min(axis=0), self.polyhedron.vertex.max(axis=0)
        return 0.5 * (high - low), 0.5 * (high + low)

    def drag_areas(self) -> Floats:
        """Return the drag coefficient times the projected area along each axis (3,) [m^2]."""
        p = self.polyhedron
        corners = p.vertex[p.triangle]
        areas = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        return BOX * 0.5 * np.abs(areas).sum(axis=0)

    def drag_moments(self) -> Floats:
        """Return the drag moments of the bounding box [m^5]."""
        return box_moments(self.bounding_box()[0])

    def outline(self) -> tuple[Floats, float]:
        """Return points (n, 3) and a radius [m]: the hull is the hull of balls about the points."""
        return self.polyhedron.vertex, 0.0

    def farthest(self, direction: Floats) -> Floats:
        """Return the point (3,) of the hull farthest along a unit vector [m]."""
        return self.polyhedron.vertex[int(np.argmax(product(self.polyhedron.vertex, direction)))]

    def inside(self) -> Floats:
        """Return the mean of the vertices (3,) [m]."""
        return self.polyhedron.vertex.mean(axis=0)

    def mirrored(self) -> "Hull":
        """Return the image of the hull under p -> -p in its own frame."""
        return replace(self, points=tuple(tuple(-x for x in p) for p in self.points))

    def drawing(self) -> Drawing:
        """Return the drawing of the hull."""
        return Drawing(flat_triangles(self.polyhedron.vertex, self.polyhedron.triangle))
