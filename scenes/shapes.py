"""Shapes of bodies as they are written: places and axes of the file. Each makes a shape of the physics, which
knows what it weighs (`physics/shapes/mass.py`) and what it touches.
"""

import math
from dataclasses import replace
from typing import Annotated, Any, ClassVar

import numpy as np

from physics.definitions import DefinitionError
from physics.rotations import conjugate, matrix_of, quaternion_product
from physics.shapes import definitions as solids
from scenes.errors import did_you_mean, short
from scenes.reader import Key
from scenes.schema import Model, item, read_model
from scenes.values import Number, Points, Refused, Rotation, Scope, Value, Vector, gather
from scenes.words import FileName

Vec = tuple[float, float, float]
POINT = Vector("m")
RADIUS = Number("m", above=0.0, high=1e6)


class Shape(Model):
    """What all shapes have."""

    kind: ClassVar[str] = ""

    density: Annotated[float | None, Number("kg/m^3", above=0.0)] = item(
        "density of this shape, where it differs from the body's", None
    )

    def solid(self, **surface: Any) -> solids.Shape:
        """The shape of the physics, in the axes in which this one is written."""
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

    def solid(self, **surface: Any) -> solids.Shape:
        return solids.Sphere(radius=self.radius, position=self.at or (0.0, 0.0, 0.0), **surface)

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

    def solid(self, **surface: Any) -> solids.Shape:
        half = tuple(0.5 * x for x in self.size)
        return solids.Box(half_sizes=half, position=self.at or (0.0, 0.0, 0.0), orientation=self.rotate, **surface)

    def span(self) -> list[Vec]:
        reach = np.abs(matrix_of(self.rotate)) @ np.array(self.size) / 2
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
    def axis(self) -> np.ndarray:
        return (np.array(self.end) - np.array(self.start)) / math.dist(self.start, self.end)

    def span(self) -> list[Vec]:
        return [*ball_span(self.start, self.radius), *ball_span(self.end, self.radius)]


class Cylinder(Long):
    kind: ClassVar[str] = "cylinder"

    def solid(self, **surface: Any) -> solids.Shape:
        return solids.Cylinder.between(self.start, self.end, self.radius, **surface)


class Capsule(Long):
    """A cylinder with a half ball at each end; `from` and `to` are the centres of the balls."""

    kind: ClassVar[str] = "capsule"

    def solid(self, **surface: Any) -> solids.Shape:
        return solids.Capsule.between(self.start, self.end, self.radius, **surface)


class Hull(Shape):
    """The convex hull of points, or of the points of a mesh file."""

    kind: ClassVar[str] = "hull"

    points: Annotated[tuple[Vec, ...] | None, Points(4, 1000)] = item(
        "points; those inside their hull count for nothing", None
    )
    file: Annotated[Any, FileName(".obj", ".stl")] = item("mesh file in the folder of the scene: .obj or .stl", None)
    scale: Annotated[float, Number("", above=0.0, high=1e9)] = item(
        "what the coordinates of the file are multiplied by: 0.001 for millimetres", 1.0
    )

    def check(self) -> None:
        if (self.points is None) == (self.file is None):
            raise Refused("one of `points` and `file` says what it is the hull of")
        try:
            self.solid()
        except DefinitionError as error:
            key = "points" if self.file is None else "file"
            flat = "the points lie in one plane (or nearly)"
            raise Refused(flat if "one plane" in error.allowed else str(error), (key,)) from None

    def solid(self, **surface: Any) -> solids.Shape:
        if self.file is not None:
            return solids.Hull.of_file(self.file, self.scale, **surface)
        assert self.points is not None
        return solids.Hull(points=self.points, **surface)

    def span(self) -> list[Vec]:
        points = self.solid().points  # type: ignore[attr-defined]
        return list(points)


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
        if isinstance(value, str) and value in SHAPES:
            keys = ", ".join(f"{key}: ..." for key in SHAPES[value].key_names() if key != "density")
            raise Refused(f"got {value!r}, allowed: the shape with its measures: {{{value}: {{{keys}}}}}")
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


# ---------------------------------------------------------------- in the frame of a body
def in_frame(solid: solids.Shape, centre: np.ndarray, turn: Any) -> solids.Shape:
    """A shape as it stands in a frame at `centre`, turned by the quaternion `turn`."""
    place = np.array(solid.position) - centre
    if tuple(turn) == (1.0, 0.0, 0.0, 0.0):
        return replaced(solid, tuple(place.tolist()), solid.orientation)
    back = conjugate(np.array(turn))
    place = matrix_of(back) @ place
    return replaced(solid, tuple(place.tolist()), tuple(quaternion_product(back, solid.orientation).tolist()))


def mirrored(solid: solids.Shape) -> solids.Shape:
    """Through the origin of its frame: p becomes -p. Turned by half a turn, that is the image in a mirror."""
    place = tuple(-x for x in solid.position)
    if isinstance(solid, solids.Hull):
        return replace(solid, position=place, points=tuple(tuple(-x for x in p) for p in solid.points))
    return replaced(solid, place, solid.orientation)


def replaced(solid: solids.Shape, position: Any, orientation: Any) -> solids.Shape:
    """Somewhere else; what was checked once is not checked again."""
    out = object.__new__(type(solid))
    out.__dict__.update(solid.__dict__, position=position, orientation=orientation)
    return out
