"""Shapes of bodies: what they are made of, and what that weighs.

    m = rho V,  c = sum m_k c_k / m,  I = sum (I_k + m_k (d.d 1 - d d^T)),  d = c_k - c

Sphere, box, cylinder and capsule by their formulas; a hull as the convex hull of points, summed over the
tetrahedra that its triangles make with an inner point.
"""

import math
from typing import Annotated, Any, ClassVar, NamedTuple

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from scenes.errors import did_you_mean, short
from scenes.reader import Key
from scenes.schema import Model, item, read_model
from scenes.values import Number, Points, Refused, Rotation, Scope, Value, Vector, gather

Vec = tuple[float, float, float]
POINT = Vector("m")
RADIUS = Number("m", above=0.0, high=1e6)


class Solid(NamedTuple):
    """Volume, centre and inertia about it for a density of 1, in the axes in which the shape is given."""

    volume: float
    centre: np.ndarray
    inertia: np.ndarray


def along(direction: np.ndarray, across: float, lengthwise: float) -> np.ndarray:
    """Inertia of a body of revolution about a direction."""
    return across * np.eye(3) + (lengthwise - across) * np.outer(direction, direction)


def rotation_matrix(q: Any) -> np.ndarray:
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


class Shape(Model):
    """What all shapes have."""

    kind: ClassVar[str] = ""

    density: Annotated[float | None, Number("kg/m^3", above=0.0)] = item(
        "density of this shape, where it differs from the body's", None
    )

    def solid(self) -> Solid:
        raise NotImplementedError

    @property
    def axis(self) -> np.ndarray | None:
        """The direction of a long shape: the default twist axis of ball joints."""
        return None

    def span(self) -> list[Vec]:
        """Points whose box holds the shape, for its size."""
        raise NotImplementedError


class Sphere(Shape):
    kind: ClassVar[str] = "sphere"

    at: Annotated[Vec | None, POINT] = item("centre; where it is left out, the place `at` of the body", None)
    radius: Annotated[float, RADIUS] = item("radius")

    def solid(self) -> Solid:
        r = self.radius
        v = 4.0 / 3.0 * math.pi * r**3
        return Solid(v, np.array(self.at), 0.4 * v * r * r * np.eye(3))

    def span(self) -> list[Vec]:
        return ball_span(self.at, self.radius)  # type: ignore[arg-type]


def ball_span(at: Any, r: float) -> list[Vec]:
    return [(at[0] - r, at[1] - r, at[2] - r), (at[0] + r, at[1] + r, at[2] + r)]


class Box(Shape):
    kind: ClassVar[str] = "box"

    size: Annotated[Vec, Vector("m")] = item("full lengths of its edges along x, y, z")
    at: Annotated[Vec | None, POINT] = item("centre; where it is left out, the place `at` of the body", None)
    rotate: Annotated[tuple[float, ...], Rotation()] = item("how it is turned", (1.0, 0.0, 0.0, 0.0))

    def check(self) -> None:
        for k, x in enumerate(self.size):
            if not 0.0 < x < 1e6:
                raise Refused(f"got {x:g}, allowed: a length above 0", ("size", k))

    def solid(self) -> Solid:
        x, y, z = self.size
        v = x * y * z
        r = rotation_matrix(self.rotate)
        inertia = v / 12.0 * np.diag([y * y + z * z, x * x + z * z, x * x + y * y])
        return Solid(v, np.array(self.at), r @ inertia @ r.T)

    def span(self) -> list[Vec]:
        reach = np.abs(rotation_matrix(self.rotate)) @ np.array(self.size) / 2
        return [tuple(np.array(self.at) - reach), tuple(np.array(self.at) + reach)]


class Long(Shape):
    """A shape around a line."""

    start: Annotated[Vec, POINT] = item("one end of its middle line", alias="from")
    end: Annotated[Vec, POINT] = item("the other end", alias="to")
    radius: Annotated[float, RADIUS] = item("radius")

    def check(self) -> None:
        if not 1e-9 < math.dist(self.start, self.end) < 1e6:
            raise Refused("`from` and `to` are the same point", ("to",))

    @property
    def length(self) -> float:
        return math.dist(self.start, self.end)

    @property
    def axis(self) -> np.ndarray:
        return (np.array(self.end) - np.array(self.start)) / self.length

    def span(self) -> list[Vec]:
        return [*ball_span(self.start, self.radius), *ball_span(self.end, self.radius)]


class Cylinder(Long):
    kind: ClassVar[str] = "cylinder"

    def solid(self) -> Solid:
        r, h = self.radius, self.length
        v = math.pi * r * r * h
        inertia = along(self.axis, v * (3.0 * r * r + h * h) / 12.0, 0.5 * v * r * r)
        return Solid(v, (np.array(self.start) + np.array(self.end)) / 2, inertia)


class Capsule(Long):
    """A cylinder with a half ball at each end; `from` and `to` are the centres of the balls."""

    kind: ClassVar[str] = "capsule"

    def solid(self) -> Solid:
        r, h = self.radius, self.length
        tube, balls = math.pi * r * r * h, 4.0 / 3.0 * math.pi * r**3
        # a half ball: inertia about a diameter 2/5 m r^2, its centre of mass 3/8 r from the flat side
        lengthwise = 0.5 * tube * r * r + 0.4 * balls * r * r
        across = tube * (3.0 * r * r + h * h) / 12.0 + balls * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r)
        inertia = along(self.axis, across, lengthwise)
        return Solid(tube + balls, (np.array(self.start) + np.array(self.end)) / 2, inertia)


class Hull(Shape):
    """The convex hull of points."""

    kind: ClassVar[str] = "hull"

    points: Annotated[tuple[Vec, ...], Points(4, 1000)] = item("points; those inside their hull count for nothing")

    def triangles(self) -> tuple[np.ndarray, np.ndarray]:
        """Points, and their triangles with the outside to the right hand."""
        points = np.array(self.points)
        try:
            hull = ConvexHull(points)
        except QhullError:
            raise Refused("the points lie in one plane (or nearly)", ("points",)) from None
        a, b, c = (points[hull.simplices[:, k]] for k in range(3))
        inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
        triangles = hull.simplices.copy()
        triangles[inward] = triangles[inward][:, ::-1]
        return points, triangles

    def check(self) -> None:
        self.triangles()

    def solid(self) -> Solid:
        points, triangles = self.triangles()
        inner = points.mean(axis=0)
        a, b, c = (points[triangles[:, k]] - inner for k in range(3))
        six = np.einsum("ij,ij->i", a, np.cross(b, c))
        v = six.sum() / 6.0
        s = a + b + c
        centre = np.einsum("i,ij->j", six, s) / (24.0 * v)
        # integral of x x^T over a tetrahedron with one corner at the origin: det / 120 (sum p p^T + s s^T)
        squares = sum(np.einsum("i,ij,ik->jk", six, p, p) for p in (a, b, c, s)) / 120.0
        about = squares - v * np.outer(centre, centre)
        return Solid(v, inner + centre, np.trace(about) * np.eye(3) - about)

    def span(self) -> list[Vec]:
        return list(self.points)


SHAPES: dict[str, type[Shape]] = {s.kind: s for s in (Sphere, Capsule, Cylinder, Box, Hull)}


class Shapes(Value):
    """{capsule: {...}}, or a list of such shapes."""

    def read(self, value: Any, scope: Scope) -> tuple[Shape, ...]:
        if isinstance(value, list | tuple):
            if not value:
                raise Refused("got an empty list, allowed: at least one shape")
            return tuple(gather(enumerate(value), lambda v: self.one(v, scope)))
        return (self.one(value, scope),)

    def one(self, value: Any, scope: Scope) -> Shape:
        if isinstance(value, Shape):
            return value
        if not isinstance(value, dict) or len(value) != 1:
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        ((kind, data),) = value.items()
        if kind not in SHAPES:
            raise Refused(
                f"unknown shape {short(kind)}{did_you_mean(kind, SHAPES) or '; allowed: ' + ', '.join(SHAPES)}",
                (Key(kind),),
            )
        try:
            shape = read_model(SHAPES[kind], data, scope)
            check = getattr(shape, "check", None)
            if check is not None:
                check()
        except Refused as error:
            raise Refused(str(error), parts=[((kind, *inner), message) for inner, message in error.parts]) from None
        return shape

    def words(self) -> str:
        return "one of " + ", ".join(f"{{{k}: {{...}}}}" for k in SHAPES) + ", or a list of them"

    def schema(self) -> dict[str, Any]:
        kinds = [
            {"type": "object", "properties": {k: {"$model": m}}, "required": [k], "additionalProperties": False}
            for k, m in SHAPES.items()
        ]
        one = {"anyOf": kinds}
        return {"anyOf": [*kinds, {"type": "array", "items": one, "minItems": 1}]}


def sum_of(solids: list[tuple[float, Solid]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it of solids with their densities."""
    mass = math.fsum(rho * s.volume for rho, s in solids)
    centre = np.sum([rho * s.volume * s.centre for rho, s in solids], axis=0) / mass
    inertia = np.zeros((3, 3))
    for rho, s in solids:
        d = s.centre - centre
        inertia += rho * (s.inertia + s.volume * (d @ d * np.eye(3) - np.outer(d, d)))
    return mass, centre, inertia
