"""Bodies of a scene: their models, and the definitions that the physics gets.

The frame of a body has its origin at the centre of mass and the axes of the world at the drawn pose. With `frame` it is
rotated, and the shapes and the inertia are given in that frame. The frame of a planar body has the normal of its plane
as z axis.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

import physics
from physics import measure_mass, sum_of_masses
from physics.definitions import bodies, checks
from physics.definitions.motions import Moving
from physics.definitions.signals import Clip
from physics.maths.rotations import matrix_of, quaternion_product, rotation_quaternion, shortest_turn
from physics.maths.strict import distance, dot, norm, principal_axes, product
from scenes.kinds.shapes import COLLIDE, Plane, Shape, Shapes, Sphere, in_frame, twin
from scenes.kinds.signals import PoseClip, TimeFunctions, shifted_signal, values_at_start
from scenes.text.errors import Mark
from scenes.text.schema import Inner, Model, item
from scenes.text.values import Direction, Number, PerAxis, Refused, Rotation, Scope, Value, Vector
from scenes.text.words import Choice, Color, Flag, Name, Text

Vec = tuple[float, ...]
WATER = 1000.0  # density where none is given [kg/m^3]
IDENTITY = (1.0, 0.0, 0.0, 0.0)
# the surface of what has no material, as in the physics
FRICTION, RESTITUTION = physics.Shape.friction, physics.Shape.restitution
EVERYTHING = "default"  # the group of what belongs to none


class Material(Model):
    """Density, colour, friction and restitution of bodies."""

    color: Annotated[str | None, Color()] = item("colour of its surface", None, live=True)
    density: Annotated[float | None, Number("kg/m^3", above=0.0, high=1e6)] = item("density", None)
    friction: Annotated[float, Number("", low=0.0, high=100.0)] = item(
        "coefficient of friction; between two surfaces it is the geometric mean of both", FRICTION
    )
    restitution: Annotated[float, Number("", low=0.0, high=1.0)] = item(
        "share of its speed with which it bounces back; between two surfaces it is the larger of both", RESTITUTION
    )


class Look(Model):
    """How a body is drawn if it is not drawn as its shapes."""

    mesh: Annotated[str | None, Text()] = item("file of a mesh, drawn instead of the shapes", None)
    color: Annotated[str | None, Color()] = item("colour of its surface", None, live=True)


class Frame(Model):
    """A frame of the body. Its shapes, its inertia and its `at` are given in this frame."""

    at: Annotated[Vec, Vector("m")] = item("its origin", (0.0, 0.0, 0.0))
    rotate: Annotated[Vec, Rotation()] = item("its rotation", IDENTITY)


class Inertia(Value):
    """Moments of inertia: three or six numbers for a rigid body, a single number for a planar body."""

    number = Number("kg*m^2")
    several = Vector("kg*m^2", (3, 6))

    def read(self, value: Any, scope: Scope) -> tuple[float, ...]:
        """Return the value that was written, or refuse it."""
        if isinstance(value, list | tuple | np.ndarray):
            return self.several.read(value, scope)
        return (self.number.read(value, scope),)

    def words(self) -> str:
        """Return what may be written, in a few words."""
        return f"{self.several.words()}; of a planar body {self.number.words()}"

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""
        return {"anyOf": [*self.number.schema()["anyOf"], self.several.schema()], "description": self.words()}


SCALES = PerAxis("", 3)
SCALES_UP = PerAxis("", 3, 0.0)


class Body(Model):
    """A body."""

    kind: Annotated[str, Choice("rigid", "particle", "planar", "scaled", "moving", "massless")] = item(
        "rigid; particle: a point mass without orientation; planar: it moves in a plane; scaled: it stretches; "
        "moving: its motion is prescribed; massless: a body without mass between two joints",
        "rigid",
    )
    fixed: Annotated[bool, Flag()] = item("the body never moves: scenery, to which joints may be attached", False)
    shape: Annotated[tuple[Shape, ...], Shapes()] = item("its shape, or a list of shapes that make one body", ())
    at: Annotated[Vec | None, Vector("m")] = item(
        "its centre of mass, if the shapes do not determine it; shapes without a place of their own are here. "
        "It is given in the `frame`, if there is one",
        None,
    )
    frame: Annotated[Frame | None, Inner(Frame)] = item(
        "the frame in which shapes, inertia and `at` are given; if not given, that of the world", None
    )
    mass: Annotated[float | None, Number("kg", above=0.0, high=1e12)] = item(
        "mass; if not given, from shapes and density", None
    )
    inertia: Annotated[Vec | None, Inertia()] = item(
        "moments of inertia about the centre of mass: xx, yy, zz or xx, yy, zz, xy, xz, yz; of a planar body one "
        "number, about its normal; if not given, from the shapes",
        None,
    )
    density: Annotated[float | None, Number("kg/m^3", above=0.0, high=1e6)] = item(
        f"density; if not given, that of the material, or {WATER:g} (water)", None
    )
    material: Annotated[str | None, Name("material")] = item("name of its material", None)
    collide: Annotated[Any, COLLIDE] = item(
        "whether it touches other bodies, if the scene has `ground` or `contacts`; true unless given", None
    )
    look: Annotated[Look | None, Inner(Look)] = item("how it is drawn, if not as its shapes", None)
    normal: Annotated[Vec | None, Direction()] = item("of a planar body: normal of its plane; z if not given", None)
    angle: Annotated[float | None, Number("rad")] = item(
        "of a planar body: its angle about the normal at the drawn pose; 0 if not given", None
    )
    position: Annotated[Any, TimeFunctions("m")] = item(
        "of a moving body: position of its frame, in which its shapes are given", None
    )
    rotation: Annotated[Any, TimeFunctions("rad")] = item(
        "of a moving body: rotation vector of its frame from `frame.rotate`; zero if not given", None
    )
    motion: Annotated[Any, PoseClip()] = item("of a moving body: a clip instead of position and rotation", None)
    stretch: Annotated[str | None, Choice("uniform", "axes")] = item(
        "of a scaled body: how it stretches. uniform: equally in all directions; axes: along each of its principal "
        "axes; uniform if not given",
        None,
    )
    scale_stiffness: Annotated[Any, SCALES_UP] = item(
        "of a scaled body: stiffness of the spring that holds its scale at 1, in J", None
    )
    scale_damping: Annotated[Any, SCALES_UP] = item("of a scaled body: damping of the stretching, in J*s", None)
    scale: Annotated[Any, SCALES_UP] = item("of a scaled body: its scale at the start; 1 if not given", None)
    scale_velocity: Annotated[Any, SCALES] = item("of a scaled body: rate of its scale at the start, in 1/s", None)


# what belongs to some kinds only
ONLY: dict[str, tuple[str, ...]] = {
    "fixed": ("rigid",),
    "frame": ("rigid", "scaled", "moving"),
    "mass": ("rigid", "particle", "planar", "scaled"),
    "inertia": ("rigid", "planar", "scaled"),
    "density": ("rigid", "particle", "planar", "scaled"),
    "shape": ("rigid", "particle", "planar", "scaled", "moving"),
    "at": ("rigid", "particle", "planar", "scaled", "massless"),
    "collide": ("rigid", "particle", "planar", "moving"),
    **dict.fromkeys(("normal", "angle"), ("planar",)),
    **dict.fromkeys(("position", "rotation", "motion"), ("moving",)),
    **dict.fromkeys(("stretch", "scale_stiffness", "scale_damping", "scale", "scale_velocity"), ("scaled",)),
}


@dataclass
class Part:
    """A body of a loaded scene. Its shapes are in the frame of the body: the origin is the centre of mass, and the axes
    are those of the world at the drawn pose, rotated by the orientation."""

    name: str
    definition: Any
    spec: Body
    mark: Mark | None
    color: str | None = None
    mesh: str | None = None
    shapes: tuple[physics.Shape, ...] = ()
    groups: tuple[str | None, ...] = ()  # of each shape the one that it touches in, None where it touches nothing
    place: tuple[float, ...] = (0.0, 0.0, 0.0)  # of its frame as drawn
    orientation: tuple[float, ...] = IDENTITY
    axis: tuple[float, ...] | None = None  # world direction of a long shape
    size: float = 0.0  # largest extent [m]

    @property
    def held(self) -> bool:
        """Whether no force moves the body: it is static, or its motion is prescribed."""
        return isinstance(self.definition, bodies.Fixed)

    @property
    def is_particle(self) -> bool:
        """Whether the body is a particle."""
        return isinstance(self.definition, bodies.Particle)

    @property
    def is_massless(self) -> bool:
        """Whether the body is massless."""
        return isinstance(self.definition, bodies.Massless)

    def moved(self, name: str, shift: np.ndarray) -> "Part":
        """Return a copy under another name, translated by `shift` [m]. It is not checked again, because a translation
        changes nothing that was checked."""
        x, y, z = self.place
        a, b, c = shift.tolist()
        return twin(self, name=name, definition=shifted(self.definition, name, shift), place=(x + a, y + b, z + c))


def shifted(definition: Any, name: str, shift: np.ndarray) -> Any:
    """Return the definition of a body under another name, translated by `shift` [m]."""
    if isinstance(definition, Moving):
        return moved_as_prescribed(definition, name, shift)
    if isinstance(definition, bodies.Massless):
        return twin(definition, name=name)
    x, y, z = definition.position
    a, b, c = shift.tolist()
    return twin(definition, name=name, position=(x + a, y + b, z + c))


def moved_as_prescribed(body: Moving, name: str, shift: np.ndarray) -> Moving:
    """Return the definition of a moving body under another name, with its motion translated by `shift` [m]."""
    if body.motion is not None:
        values = np.array(body.motion.values)
        values[:, :3] += shift
        clip = Clip(body.motion.times, values, body.motion.ease, body.motion.repeat)
        return Moving(name=name, orientation=body.orientation, motion=clip)
    place = [shifted_signal(x, float(by)) for x, by in zip(body.signals[:3], shift, strict=True)]
    return Moving(name=name, position=place, rotation=body.signals[3:], orientation=body.orientation)


# ---------------------------------------------------------------- from what is written
class MadeOf:
    """The materials of a body and of its shapes, as the scene gives them."""

    def __init__(self, spec: Body, materials: dict[str, Material]):
        """Store the entry and the material of the body."""
        self.spec = spec
        self.materials = materials
        self.material = materials.get(spec.material, Material()) if spec.material else Material()

    def of(self, shape: Shape) -> Material:
        """Return the material of a shape: its own, or that of the body."""
        return self.material if shape.material is None else self.materials.get(shape.material, self.material)

    def density(self, shape: Shape) -> float:
        """Return the density of a shape [kg/m^3]."""
        if shape.density is None and shape.material is not None:
            return self.of(shape).density or self.spec.density or self.material.density or WATER
        return shape.density or self.spec.density or self.material.density or WATER

    def solid(self, shape: Shape) -> physics.Shape:
        """Return the shape for the physics, with friction and restitution."""
        material = self.of(shape)
        return shape.solid(friction=material.friction, restitution=material.restitution)

    def group(self, shape: Shape) -> str | None:
        """Return the name of the group to which a shape belongs in contacts, or None if it touches nothing."""
        said = self.spec.collide if shape.collide is None else shape.collide
        return said if isinstance(said, str) else None if said is False else EVERYTHING


def make_part(name: str, spec: Body, materials: dict[str, Material], mark: Mark | None) -> Part:
    """Return the body of an entry, or refuse it. `mark` is the place of the entry in the file."""
    misplaced = [
        key for key, kinds in ONLY.items() if spec.kind not in kinds and getattr(spec, key) not in (None, False, ())
    ]
    if misplaced:
        parts = [((key,), f"{key!r} belongs to bodies that are {' or '.join(ONLY[key])}") for key in misplaced]
        if "position" in misplaced:
            place = misplaced.index("position")
            parts[place] = (("position",), f"{parts[place][1]}; where a body is, its shapes or `at` say")
        if spec.kind == "particle" and misplaced[0] in ("inertia", "frame"):
            parts[0] = ((misplaced[0],), f"a particle has no orientation: leave {misplaced[0]!r} out")
        raise Refused(parts[0][1], parts=parts)
    made_of = MadeOf(spec, materials)
    part = MAKERS[spec.kind](name, spec, made_of, mark)
    part.color = (spec.look.color if spec.look else None) or made_of.material.color
    part.mesh = spec.look.mesh if spec.look else None
    return part


def _massless(name: str, spec: Body, made_of: MadeOf, mark: Mark | None) -> Part:
    """Return a massless body."""
    return Part(name, bodies.Massless(name=name), spec, mark, place=spec.at or (0.0, 0.0, 0.0))


def _particle(name: str, spec: Body, made_of: MadeOf, mark: Mark | None) -> Part:
    """Return a particle, or refuse it."""
    place = spec.at
    if place is None and len(spec.shape) == 1 and isinstance(spec.shape[0], Sphere):
        place = spec.shape[0].at
    if place is None:
        raise Refused("'at' is missing: a particle needs a place")
    if spec.mass is None:
        raise Refused("'mass' is missing: a particle needs a mass")
    part = Part(name, bodies.Particle(name=name, mass=spec.mass, position=place), spec, mark, place=place)
    return _shaped(part, _placed(spec, place), made_of)


def _placed(spec: Body, place: Vec | None) -> list[Shape]:
    """Return the shapes of a body as written. Shapes without a place of their own are placed at `place`."""
    out: list[Shape] = []
    for k, shape in enumerate(spec.shape):
        if isinstance(shape, Plane) and not spec.fixed:
            inner = ("shape", shape.kind) if len(spec.shape) == 1 else ("shape", k, shape.kind)
            raise Refused("a plane has no end and no mass: it belongs to a body that is `fixed`", inner)
        if shape.stands_at_body:
            if place is None:
                inner = ("shape", shape.kind) if len(spec.shape) == 1 else ("shape", k, shape.kind)
                raise Refused("'at' is missing: where is its centre?", inner)
            shape = shape.model_copy(update={"at": place})
        out.append(shape)
    return out


def _shaped(part: Part, shapes: list[Shape], made_of: MadeOf, written: Any = None) -> Part:
    """Return the part with its shapes added. The shapes are written in a frame whose origin, in the frame of the part,
    is `written`; if that is None, they are written in world axes."""
    if not shapes:
        return part
    if written is None:
        solid = [in_frame(made_of.solid(s), np.array(part.place), part.orientation) for s in shapes]
        turn = np.eye(3)
    else:
        solid = [in_frame(made_of.solid(s), -np.array(written), IDENTITY) for s in shapes]
        turn = matrix_of(part.orientation)
    part.shapes = tuple(solid)
    part.groups = tuple(made_of.group(s) for s in shapes)
    longest = next((s.axis for s in shapes if s.axis is not None), None)
    if longest is not None:
        part.axis = tuple(product(turn, longest).tolist())
    points = np.array([p for s in shapes for p in s.span()])
    part.size = norm(np.ptp(points, axis=0))
    return part


def _moving(name: str, spec: Body, made_of: MadeOf, mark: Mark | None) -> Part:
    """Return a body with a prescribed motion, or refuse it."""
    if spec.motion is None and spec.position is None:
        raise Refused("'position' is missing: a moving body has a position at each time, or a clip as `motion`")
    given = [key for key in ("position", "rotation") if getattr(spec, key) is not None]
    if spec.motion is not None and given:
        raise Refused(f"{given[0]!r} and 'motion' both say how it moves", (given[0],))
    if spec.frame is not None and (any(spec.frame.at) or spec.motion is not None):
        raise Refused("the frame of a moving body has only `rotate`; `position` says where it is", ("frame",))
    turn = spec.frame.rotate if spec.frame else IDENTITY
    try:
        definition = Moving(
            name=name, orientation=turn, position=spec.position or (0.0, 0.0, 0.0),
            rotation=spec.rotation or (0.0, 0.0, 0.0), motion=spec.motion,
        )  # fmt: skip
    except checks.DefinitionError as error:
        raise Refused(str(error), (next((k for k in ("position", "rotation") if k in error.what), "motion"),)) from None
    place, orientation = pose_at_start(definition)
    part = Part(name, definition, spec, mark, place=place, orientation=orientation)
    return _shaped(part, _placed(spec, (0.0, 0.0, 0.0)), made_of, (0.0, 0.0, 0.0))


def pose_at_start(body: Moving) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Return position [m] and quaternion of a moving body at time 0, where it is drawn."""
    values = values_at_start(body.signals)
    if len(values) == 7:
        q = np.array(values[3:]) / norm(values[3:])
    else:
        q = quaternion_product(rotation_quaternion(np.array(values[3:])), body.orientation)
    return tuple(values[:3]), tuple(q.tolist())


def _planar(name: str, spec: Body, made_of: MadeOf, mark: Mark | None) -> Part:
    """Return a planar body, or refuse it."""
    normal = spec.normal or (0.0, 0.0, 1.0)
    shapes = _placed(spec, spec.at)
    if shapes:
        mass, centre, matrix = _from_shapes(spec, shapes, made_of)
        inertia = dot(product(np.array(normal), matrix), np.array(normal))
    else:
        for key in ("mass", "inertia"):
            if getattr(spec, key) is None:
                raise Refused(f"{key!r} is missing: a planar body needs a shape, or mass and inertia")
        assert spec.mass is not None
        mass, centre, inertia = spec.mass, np.array(_place(spec)), 0.0
    if spec.inertia is not None and len(spec.inertia) != 1:
        raise Refused("the inertia of a planar body is one number, about its normal", ("inertia",))
    definition = bodies.PlanarBody(
        name=name, mass=mass, inertia=spec.inertia[0] if spec.inertia else inertia, normal=normal,
        position=tuple(centre.tolist()), angle=spec.angle or 0.0,
    )  # fmt: skip
    turn = planar_turn(definition.normal, definition.angle)
    part = Part(name, definition, spec, mark, place=definition.position, orientation=turn)  # type: ignore[arg-type]
    return _shaped(part, shapes, made_of)


def planar_turn(normal: Any, angle: float) -> tuple[float, ...]:
    """Return the orientation of a planar body at this angle [rad] about its normal, as a quaternion."""
    n = np.array(normal)
    turn = quaternion_product(rotation_quaternion(angle * n), shortest_turn(np.array([0.0, 0.0, 1.0]), n))
    return tuple(turn.tolist())


def _rigid(name: str, spec: Body, made_of: MadeOf, mark: Mark | None) -> Part:
    """Return a rigid or scaled body, or refuse it."""
    shapes = _placed(spec, spec.at if spec.frame is None else (0.0, 0.0, 0.0))
    turn = spec.frame.rotate if spec.frame else IDENTITY
    if spec.inertia is not None and len(spec.inertia) == 1:
        raise Refused("the inertia of a rigid body is three or six numbers", ("inertia",))
    with_mass = [s for s in shapes if not isinstance(s, Plane)]
    if not with_mass:
        mass, centre, inertia = _without_shapes(spec)
    else:
        mass, centre, matrix = _from_shapes(spec, with_mass, made_of)
        inertia = spec.inertia or _numbers_of(matrix)
    if spec.frame is not None:
        place = tuple((np.array(spec.frame.at) + product(matrix_of(turn), centre)).tolist())
    else:
        place = tuple(centre.tolist())
    definition = _definition(name, spec, mass, inertia, place, turn)
    part = Part(name, definition, spec, mark, place=place, orientation=tuple(definition.orientation))
    return _shaped(part, shapes, made_of, None if spec.frame is None else -centre)


def _definition(name: str, spec: Body, mass: Any, inertia: Vec, place: Vec, turn: Vec) -> Any:
    """Return the definition of a rigid, scaled or static body."""
    if spec.fixed:
        return bodies.Static(name=name, position=place, orientation=turn)
    common = {"name": name, "mass": mass, "inertia": inertia, "position": place, "orientation": turn}
    try:
        if spec.kind == "scaled":
            if spec.scale_stiffness is None:
                raise Refused("'scale_stiffness' is missing: the spring that holds its scale")
            given = {key: value for key in ("stretch", *SCALE_KEYS) if (value := getattr(spec, key)) is not None}
            return bodies.ScaledBody(**common, **given)
        return bodies.Body(**common)
    except checks.DefinitionError as error:
        key = error.what.split()[0]
        if key in SCALE_KEYS or "smaller" in error.allowed:
            raise Refused(str(error), (key,)) from None
        raise _impossible(spec, inertia) from None


SCALE_KEYS = ("scale_stiffness", "scale_damping", "scale", "scale_velocity")
MAKERS = {
    "rigid": _rigid, "scaled": _rigid, "particle": _particle, "planar": _planar, "moving": _moving,
    "massless": _massless,
}  # fmt: skip


def _impossible(spec: Body, inertia: Vec) -> Refused:
    """Return the refusal of an inertia that no body can have, with a remedy."""
    moments = sorted(principal_axes(bodies.inertia_matrix(inertia))[0].tolist())
    text = "[" + ", ".join(f"{v:.4g}" for v in moments) + "]"
    if spec.inertia is None:
        return Refused(f"the shapes give an impossible inertia {text}; are they too thin or too small?", ("shape",))
    remedy = "; leave it out to have it from the shapes" if spec.shape else ""
    rule = "principal moments must be positive, and none larger than the sum of the two others"
    return Refused(f"impossible inertia {text}: {rule}{remedy}", ("inertia",))


def _without_shapes(spec: Body) -> tuple[float, np.ndarray, Vec]:
    """Return mass, centre of mass and inertia of a body as they are written."""
    if spec.fixed:
        planes = [s.at for s in spec.shape if isinstance(s, Plane) and s.at is not None]
        place = planes[0] if planes and spec.at is None and spec.frame is None else _place(spec)
        return spec.mass or 1.0, np.array(place), spec.inertia or (1.0, 1.0, 1.0)
    for key in ("mass", "inertia"):
        if getattr(spec, key) is None:
            raise Refused(f"{key!r} is missing: a rigid body needs a shape, or mass and inertia")
    return spec.mass, np.array(_place(spec)), spec.inertia  # type: ignore[return-value]


def _place(spec: Body) -> Vec:
    """Return the centre of mass [m] of a body without shapes, or refuse a body that has none."""
    if spec.at is None and spec.frame is None:
        raise Refused("'at' is missing: where is its centre of mass?")
    return spec.at if spec.at is not None and spec.frame is None else (0.0, 0.0, 0.0) if spec.at is None else spec.at


def _from_shapes(spec: Body, shapes: list[Shape], made_of: MadeOf) -> tuple[float, np.ndarray, np.ndarray]:
    """Return mass [kg], centre of mass [m] and inertia matrix [kg m^2] from the shapes."""
    mass, centre, matrix = sum_of_masses([measure_mass(s.solid(), made_of.density(s)) for s in shapes])
    if spec.mass is not None:
        matrix = matrix * (spec.mass / mass)
        mass = spec.mass
    if not (math.isfinite(mass) and mass > 0.0 and np.isfinite(matrix).all()):
        raise Refused(f"the shapes give a mass of {mass:.3g} kg", ("shape",))
    if spec.inertia is not None:
        return mass, centre if spec.at is None else np.array(spec.at), matrix
    if spec.at is not None and spec.frame is None and distance(spec.at, centre) > 1e-9:
        raise Refused(
            f"`at` is the centre of mass, and the shapes have it at {[round(float(x), 6) for x in centre]}; "
            "leave `at` out, or give `inertia` too",
            ("at",),
        )
    return mass, centre, matrix


def _numbers_of(matrix: np.ndarray) -> Vec:
    """Return three moments of inertia, or six numbers if the axes are not principal."""
    inertia: Vec = tuple(matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())
    skew = np.abs(matrix - np.diag(np.diag(matrix))).max() > 1e-14 * np.trace(matrix)
    return inertia if skew else inertia[:3]
