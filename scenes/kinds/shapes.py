"""Shapes of bodies as a scene gives them, with places and axes in the world. Each makes a shape of the physics, which
determines mass, contacts and drawing (`physics/definitions/shapes`)."""

from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np

import physics
from physics.definitions.checks import DefinitionError
from physics.definitions.shapes.shape import Solid
from physics.maths.rotations import conjugate, matrix_of, quaternion_product, shortest_turn
from physics.maths.strict import distance, norm, product
from scenes.text.errors import did_you_mean, short
from scenes.text.reader import Key
from scenes.text.schema import Model, item, read_model
from scenes.text.values import Direction, Number, Points, Refused, Rotation, Scope, Value, Vector, gather
from scenes.text.words import FileName, Flag, Name

Vec = tuple[float, float, float]
POINT = Vector("m")
RADIUS = Number("m", above=0.0, high=1e6)


class Collide(Value):
    """true, false, or the name of a group."""

    name = Name("group")

    def read(self, value: Any, scope: Scope) -> bool | str:
        """Return true, false or the name of a group, or refuse the value."""
        if isinstance(value, bool):
            return value
        if not isinstance(value, str):
            raise Refused(f"got {short(value)}, allowed: {self.words()}")
        return self.name.read(value, scope)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"{Flag().words()}, or the name of a group for `contacts: {{never: ...}}`"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"anyOf": [{"type": "boolean"}, {"type": "string"}], "description": self.words()}


COLLIDE = Collide()


class Shape(Model):
    """Base class of shapes. Each kind of shape names its kind in the physics, whose label is also its name here."""

    made: ClassVar[type[physics.Shape]]

    density: Annotated[float | None, Number("kg/m^3", above=0.0)] = item(
        "density of this shape, if it differs from the body's", None
    )
    material: Annotated[str | None, Name("material")] = item("its material, if it differs from the body's", None)
    collide: Annotated[Any, COLLIDE] = item("whether it touches others, if that differs from the body's", None)

    def solid(self, **surface: Any) -> physics.Shape:
        """Return the shape of the physics, in the axes in which this one is written."""
        raise NotImplementedError

    @property
    def axis(self) -> np.ndarray | None:
        """Direction of a long shape, the default twist axis of ball joints."""
        return None

    @property
    def kind(self) -> str:
        """Key under which the shape is written."""
        return self.made.label

    @property
    def stands_at_body(self) -> bool:
        """Whether the shape is written without a place, so that it is at the place of its body."""
        return getattr(self, "at", None) is None

    def span(self) -> list[Vec]:
        """Return points whose bounding box contains the shape."""
        solid = self.solid()
        assert isinstance(solid, Solid)
        half, middle = solid.bounding_box()
        turn = matrix_of(solid.orientation)
        centre, reach = np.array(solid.position) + product(turn, middle), product(np.abs(turn), half)
        return [tuple(centre - reach), tuple(centre + reach)]


class Sphere(Shape):
    """A ball."""

    made: ClassVar[type[physics.Shape]] = physics.Sphere

    at: Annotated[Vec | None, POINT] = item("centre; if not given, the place `at` of the body", None)
    radius: Annotated[float, RADIUS] = item("radius")

    def solid(self, **surface: Any) -> physics.Shape:
        """Return the shape for the physics. `surface` has its friction and the like."""
        return physics.Sphere(radius=self.radius, position=self.at or (0.0, 0.0, 0.0), **surface)


class Box(Shape):
    """A box."""

    made: ClassVar[type[physics.Shape]] = physics.Box

    size: Annotated[Vec, Vector("m")] = item("full lengths of its edges along x, y, z")
    at: Annotated[Vec | None, POINT] = item("centre; if not given, the place `at` of the body", None)
    rotate: Annotated[tuple[float, ...], Rotation()] = item("its rotation", (1.0, 0.0, 0.0, 0.0))

    def check(self) -> None:
        """Refuse measures that do not fit each other."""
        for k, x in enumerate(self.size):
            if not 0.0 < x < 1e6:
                raise Refused(f"got {x:g}, allowed: a length above 0", ("size", k))

    def solid(self, **surface: Any) -> physics.Shape:
        """Return the shape for the physics. `surface` has its friction and the like."""
        return physics.Box(size=self.size, position=self.at or (0.0, 0.0, 0.0), orientation=self.rotate, **surface)


def ball_span(at: Any, r: float) -> list[Vec]:
    """Return two opposite corners of the box around a ball of radius r."""
    return [(at[0] - r, at[1] - r, at[2] - r), (at[0] + r, at[1] + r, at[2] + r)]


class Long(Shape):
    """A shape around a line. The line goes from one point to another, or has a middle, a length and a rotation from
    z."""

    made: ClassVar[Any]

    start: Annotated[Vec | None, POINT] = item("one end of its middle line", None, alias="from")
    end: Annotated[Vec | None, POINT] = item("the other end", None, alias="to")
    radius: Annotated[float, RADIUS] = item("radius")
    length: Annotated[float | None, RADIUS] = item("instead of `from` and `to`: length of the middle line", None)
    at: Annotated[Vec | None, POINT] = item(
        "with a `length`: its middle; if not given, the place `at` of the body", None
    )
    along: Annotated[tuple[float, ...] | None, Direction()] = item(
        "with a `length`: direction of its middle line; z if not given", None, alias="axis"
    )
    rotate: Annotated[tuple[float, ...] | None, Rotation()] = item(
        "with a `length`, instead of `axis`: its rotation from z", None
    )

    def check(self) -> None:
        """Refuse measures that do not fit each other."""
        ends = [key for key, value in (("from", self.start), ("to", self.end)) if value is not None]
        if self.length is not None:
            if ends:
                raise Refused(f"`{ends[0]}` and `length` both say how long it is", (ends[0],))
            if self.along is not None and self.rotate is not None:
                raise Refused("`axis` and `rotate` both say where it points", ("rotate",))
            return
        if len(ends) < 2:
            missing = "from" if "from" not in ends else "to"
            raise Refused(f"{missing!r} is missing: an end of its middle line (or `length`, `at` and `axis`)")
        for key, value in (("at", self.at), ("axis", self.along), ("rotate", self.rotate)):
            if value is not None:
                raise Refused(f"`{key}` goes with a `length`; `from` and `to` say where it is already", (key,))
        assert self.start is not None
        assert self.end is not None
        if not 1e-9 < distance(self.start, self.end) < 1e6:
            raise Refused("`from` and `to` are the same point", ("to",))

    def solid(self, **surface: Any) -> physics.Shape:
        """Return the shape for the physics. `surface` has its friction and the like."""
        if self.length is None:
            assert self.start is not None
            assert self.end is not None
            return self.made.between(self.start, self.end, self.radius, **surface)
        return self.made(
            radius=self.radius, length=self.length, position=self.at or (0.0, 0.0, 0.0),
            orientation=self.turn, **surface,
        )  # fmt: skip

    @property
    def stands_at_body(self) -> bool:
        """Return whether the place of the shape is that of its body."""
        return self.length is not None and self.at is None

    @property
    def turn(self) -> tuple[float, ...]:
        """Rotation from z as a quaternion, if the length is given."""
        if self.along is not None:
            return tuple(shortest_turn(np.array([0.0, 0.0, 1.0]), np.array(self.along)).tolist())
        return self.rotate or (1.0, 0.0, 0.0, 0.0)

    @property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """Ends of the middle line [m]."""
        if self.length is None:
            return np.array(self.start), np.array(self.end)
        half = 0.5 * self.length * matrix_of(self.turn)[:, 2]
        return np.array(self.at) - half, np.array(self.at) + half

    @property
    def axis(self) -> np.ndarray:
        """Return the direction of its length, a unit vector (3)."""
        start, end = self.ends
        return (end - start) / norm(end - start)

    def span(self) -> list[Vec]:
        """Return points [m] between which the whole shape lies."""
        start, end = self.ends
        return [*ball_span(start, self.radius), *ball_span(end, self.radius)]


class Cylinder(Long):
    """A cylinder; `from` and `to` are the middles of its end faces."""

    made: ClassVar[Any] = physics.Cylinder


class Capsule(Long):
    """A cylinder with a half ball at each end; `from` and `to` are the centres of the balls."""

    made: ClassVar[Any] = physics.Capsule


class Plane(Shape):
    """A plane, solid on one side: a floor, a wall, a slope. Only fixed bodies have it."""

    made: ClassVar[type[physics.Shape]] = physics.Plane

    at: Annotated[Vec | None, POINT] = item("a point on it; if not given, the place `at` of the body", None)
    normal: Annotated[tuple[float, ...] | None, Direction()] = item("direction out of the solid; z if not given", None)
    rotate: Annotated[tuple[float, ...] | None, Rotation()] = item("instead of `normal`: its rotation from z", None)

    def check(self) -> None:
        """Refuse measures that do not fit each other."""
        if self.normal is not None and self.rotate is not None:
            raise Refused("`normal` and `rotate` both say which way it faces", ("rotate",))

    def solid(self, **surface: Any) -> physics.Shape:
        """Return the shape for the physics. `surface` has its friction and the like."""
        at = self.at or (0.0, 0.0, 0.0)
        if self.rotate is not None:
            return physics.Plane(position=at, orientation=self.rotate, **surface)
        return physics.Plane.facing(self.normal or (0.0, 0.0, 1.0), at, **surface)

    def span(self) -> list[Vec]:
        """Return points [m] between which the whole shape lies."""
        return [self.at or (0.0, 0.0, 0.0)]


class Hull(Shape):
    """The convex hull of points, or of the points of a mesh file."""

    made: ClassVar[type[physics.Shape]] = physics.Hull

    points: Annotated[tuple[Vec, ...] | None, Points(4, 1000)] = item(
        "points; those inside their hull have no effect", None
    )
    file: Annotated[Any, FileName(".obj", ".stl")] = item(
        "mesh file in the folder of the scene: .obj or .stl; at most a million points and 5000 corners of the hull",
        None,
    )
    scale: Annotated[float, Number("", above=0.0, high=1e9)] = item(
        "factor of the coordinates of the file: 0.001 for millimetres", 1.0
    )
    at: Annotated[Vec, POINT] = item("place of the origin of its points", (0.0, 0.0, 0.0))
    rotate: Annotated[tuple[float, ...], Rotation()] = item("rotation of its points", (1.0, 0.0, 0.0, 0.0))

    def check(self) -> None:
        """Refuse measures that do not fit each other."""
        if (self.points is None) == (self.file is None):
            raise Refused("one of `points` and `file` says what it is the hull of")
        try:
            self.solid()
        except DefinitionError as error:
            key = "points" if self.file is None else "file"
            flat = "the points lie in one plane (or nearly)"
            raise Refused(flat if "one plane" in error.allowed else str(error), (key,)) from None

    def solid(self, **surface: Any) -> physics.Shape:
        """Return the shape for the physics. `surface` has its friction and the like."""
        if self.file is not None:
            hull = _hull_of_file(self.file, Path(self.file).stat().st_mtime_ns, self.scale)
        else:
            assert self.points is not None
            hull = _hull_of_points(self.points)
        placed = replaced(hull, tuple(self.at), tuple(self.rotate))
        return twin(placed, **surface)

    def span(self) -> list[Vec]:
        """Return points [m] between which the whole shape lies."""
        points = np.array(self.solid().points)  # type: ignore[attr-defined]
        return [tuple(p) for p in (product(points, matrix_of(self.rotate).T) + np.array(self.at)).tolist()]


# a shape is asked for its solid several times, and a hull of a thousand points takes a tenth of a second
@lru_cache(maxsize=64)
def _hull_of_points(points: tuple[Vec, ...]) -> physics.Hull:
    """Return the convex hull of points."""
    return physics.Hull(points=points)


@lru_cache(maxsize=16)
def _hull_of_file(path: str, changed: int, scale: float) -> physics.Hull:
    """Return the hull of a mesh file, and keep the last 16 results. `changed` is the time of the file's last change, so
    that a changed file is read again."""
    return physics.Hull.of_file(path, scale)


SHAPES: dict[str, type[Shape]] = {s.made.label: s for s in (Sphere, Capsule, Cylinder, Box, Hull, Plane)}
# what the example in a message leaves out
RARE = ("density", "material", "collide", "length", "axis", "rotate")


class Shapes(Value):
    """{capsule: {...}}, or a list of such shapes."""

    def read(self, value: Any, scope: Scope) -> tuple[Shape, ...]:
        """Return the models of one shape or several, or refuse the entry."""
        if isinstance(value, list | tuple):
            if not value:
                raise Refused("got an empty list, allowed: at least one shape")
            return tuple(gather(enumerate(value), lambda v: self.one(v, scope)))
        return (self.one(value, scope),)

    def one(self, value: Any, scope: Scope) -> Shape:
        """Return the model of one shape, or refuse the entry."""
        if isinstance(value, Shape):
            return value
        if isinstance(value, str) and value in SHAPES:
            rare = (*RARE, "at") if issubclass(SHAPES[value], Long) else RARE
            keys = ", ".join(f"{key}: ..." for key in SHAPES[value].key_names() if key not in rare)
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
        """Return what may be written, in a few words."""
        return "one of " + ", ".join(f"{{{k}: {{...}}}}" for k in SHAPES) + ", or a list of them"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        kinds = [
            {"type": "object", "properties": {k: {"$model": m}}, "required": [k], "additionalProperties": False}
            for k, m in SHAPES.items()
        ]
        one = {"anyOf": kinds}
        return {"anyOf": [*kinds, {"type": "array", "items": one, "minItems": 1}]}


# ---------------------------------------------------------------- in the frame of a body
def twin(thing: Any, **changes: Any) -> Any:
    """Return a copy of an object with some attributes changed, without checking them. It takes a tenth of the time of
    `replace`."""
    out = object.__new__(type(thing))
    out.__dict__.update(thing.__dict__, **changes)
    return out


def in_frame(solid: physics.Shape, centre: np.ndarray, turn: Any) -> physics.Shape:
    """Return a shape expressed in a frame with its origin at `centre` [m] and the orientation `turn` (a quaternion)."""
    place = np.array(solid.position) - centre
    if tuple(turn) == (1.0, 0.0, 0.0, 0.0):
        return replaced(solid, tuple(place.tolist()), solid.orientation)
    back = conjugate(np.array(turn))
    place = product(matrix_of(back), place)
    return replaced(solid, tuple(place.tolist()), tuple(quaternion_product(back, solid.orientation).tolist()))


def mirrored(solid: physics.Shape) -> physics.Shape:
    """Return the point reflection of a shape at the origin of its frame, p to -p. Together with half a turn, it is the
    image in a mirror."""
    image = solid.mirrored() if isinstance(solid, Solid) else solid
    return replaced(image, tuple(-x for x in solid.position), image.orientation)


def replaced(solid: physics.Shape, position: Any, orientation: Any) -> physics.Shape:
    """Return the shape with another position [m] and orientation. It is not checked again."""
    return twin(solid, position=position, orientation=orientation)


def regrouped(solid: physics.Shape, group: str) -> physics.Shape:
    """Return the shape in another group."""
    return solid if solid.group == group else twin(solid, group=group)
