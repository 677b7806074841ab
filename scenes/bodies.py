"""Bodies of a scene: what is written of them, and the definitions that the physics gets.

A body's frame is its centre of mass with the world's axes as drawn; with `frame` it is turned, and the shapes and the
inertia are given in that frame.
"""

import copy
import math
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from physics import definitions
from scenes.errors import Mark
from scenes.schema import Inner, Model, item
from scenes.shapes import Box, Shape, Shapes, Solid, Sphere, rotation_matrix, sum_of
from scenes.values import Number, Refused, Rotation, Vector
from scenes.words import Choice, Color, Flag, Name, Text

Vec = tuple[float, ...]
WATER = 1000.0  # density where none is given [kg/m^3]
IDENTITY = (1.0, 0.0, 0.0, 0.0)
NO_CONTACTS = "there are no contacts yet"


class Material(Model):
    """What bodies are made of and look like."""

    color: Annotated[str | None, Color()] = item("colour of its surface", None, live=True)
    density: Annotated[float | None, Number("kg/m^3", above=0.0, high=1e6)] = item("density", None)

    not_yet: ClassVar[dict[str, str]] = {
        "friction": f"friction is not supported yet: {NO_CONTACTS}",
        "restitution": f"restitution is not supported yet: {NO_CONTACTS}",
    }


class Look(Model):
    """How a body is drawn, where not as its shapes."""

    mesh: Annotated[str | None, Text()] = item("file of a mesh, drawn instead of the shapes", None)
    color: Annotated[str | None, Color()] = item("colour of its surface", None, live=True)


class Frame(Model):
    """A frame of one's own for shapes and inertia."""

    at: Annotated[Vec, Vector("m")] = item("its origin", (0.0, 0.0, 0.0))
    rotate: Annotated[Vec, Rotation()] = item("how it is turned", IDENTITY)


class Body(Model):
    """A rigid body or a particle."""

    kind: Annotated[str, Choice("rigid", "particle")] = item(
        "rigid, or a particle: a point mass without orientation", "rigid"
    )
    fixed: Annotated[bool, Flag()] = item("it never moves: scenery, to which joints may hold", False)
    shape: Annotated[tuple[Shape, ...], Shapes()] = item("its shape, or a list of shapes that make one body", ())
    at: Annotated[Vec | None, Vector("m")] = item(
        "its centre of mass, where the shapes do not say it; shapes that do not say where they are stand here", None
    )
    frame: Annotated[Frame | None, Inner(Frame)] = item("the frame in which shapes and inertia are given", None)
    mass: Annotated[float | None, Number("kg", above=0.0, high=1e12)] = item("mass; else from shapes and density", None)
    inertia: Annotated[Vec | None, Vector("kg*m^2", (3, 6))] = item(
        "about the centre of mass: xx, yy, zz or xx, yy, zz, xy, xz, yz; else from the shapes", None
    )
    density: Annotated[float | None, Number("kg/m^3", above=0.0, high=1e6)] = item(
        f"density; else that of the material, else {WATER:g} (water)", None
    )
    material: Annotated[str | None, Name("material")] = item("name of its material", None)
    look: Annotated[Look | None, Inner(Look)] = item("how it is drawn, where not as its shapes", None)

    not_yet: ClassVar[dict[str, str]] = {"collide": f"collide is not supported yet: {NO_CONTACTS}"}


@dataclass
class Part:
    """A body of a loaded scene. Shapes are in the body's own frame: its centre of mass, turned by its orientation."""

    name: str
    definition: definitions.Body | definitions.Particle
    fixed: bool
    spec: Body
    mark: Mark | None
    color: str | None = None
    mesh: str | None = None
    shapes: tuple[tuple[Shape, np.ndarray], ...] = ()  # each with the place of its frame's origin in the body's frame
    mirrored: bool = False  # the shapes are to be drawn through the body's centre: p becomes -p
    axis: tuple[float, ...] | None = None  # world direction of a long shape
    size: float = 0.0  # largest extent [m]
    source_name: str = ""

    @property
    def position(self) -> tuple[float, ...]:
        return tuple(self.definition.position)

    @property
    def is_particle(self) -> bool:
        return isinstance(self.definition, definitions.Particle)

    def moved(self, name: str, shift: np.ndarray) -> "Part":
        """A copy somewhere else. What was checked once is not checked again: a shift changes nothing of it."""
        part = copy.copy(self)
        part.name = name
        part.definition = shifted(self.definition, name, shift)
        return part


def shifted(definition: Any, name: str, shift: np.ndarray) -> Any:
    out = copy.copy(definition)
    object.__setattr__(out, "name", name)
    place = out.position
    object.__setattr__(out, "position", (place[0] + shift[0], place[1] + shift[1], place[2] + shift[2]))
    return out


def make_part(name: str, spec: Body, materials: dict[str, Material], mark: Mark | None) -> Part:
    """The definition of a body, or a refusal."""
    material = materials.get(spec.material, Material()) if spec.material else Material()
    color = (spec.look.color if spec.look else None) or material.color
    part = _particle(name, spec, mark) if spec.kind == "particle" else _rigid(name, spec, material, mark)
    part.color = color
    part.mesh = spec.look.mesh if spec.look else None
    return part


def _particle(name: str, spec: Body, mark: Mark | None) -> Part:
    for key in ("inertia", "frame"):
        if getattr(spec, key) is not None:
            raise Refused(f"a particle has no orientation: leave {key!r} out", (key,))
    if spec.fixed:
        raise Refused("a particle that never moves: join to the world instead", ("fixed",))
    place = spec.at
    if place is None and len(spec.shape) == 1 and isinstance(spec.shape[0], Sphere):
        place = spec.shape[0].at
    if place is None:
        raise Refused("'at' is missing: a particle needs a place")
    if spec.mass is None:
        raise Refused("'mass' is missing: a particle needs a mass")
    definition = definitions.Particle(name=name, mass=spec.mass, position=place)
    placed = _placed(spec, place)
    return Part(name, definition, False, spec, mark, shapes=tuple((s, -np.array(place)) for s in placed))


def _placed(spec: Body, place: Vec | None) -> list[Shape]:
    """The shapes with their places filled in where they do not say them."""
    out: list[Shape] = []
    for k, shape in enumerate(spec.shape):
        if isinstance(shape, Sphere | Box) and shape.at is None:
            if place is None:
                inner = ("shape", shape.kind) if len(spec.shape) == 1 else ("shape", k, shape.kind)
                raise Refused("'at' is missing: where is its centre?", inner)
            shape = shape.model_copy(update={"at": place})
        out.append(shape)
    return out


def _rigid(name: str, spec: Body, material: Material, mark: Mark | None) -> Part:
    shapes = _placed(spec, spec.at if spec.frame is None else (0.0, 0.0, 0.0))
    turn = spec.frame.rotate if spec.frame else IDENTITY
    if not shapes:
        mass, centre, inertia = _without_shapes(spec)
    else:
        mass, centre, inertia = _from_shapes(spec, shapes, material)
    if spec.frame is not None:
        centre_world = np.array(spec.frame.at) + rotation_matrix(turn) @ centre
    else:
        centre_world = centre
    try:
        definition = definitions.Body(
            name=name, mass=mass, inertia=inertia, position=tuple(centre_world.tolist()), orientation=turn
        )
    except definitions.DefinitionError:
        raise _impossible(spec, inertia) from None
    part = Part(name, definition, spec.fixed, spec, mark, shapes=tuple((s, -centre) for s in shapes))
    longest = next((s.axis for s in shapes if s.axis is not None), None)
    if longest is not None:
        part.axis = tuple((rotation_matrix(turn) @ longest).tolist())
    if shapes:
        points = np.array([p for s in shapes for p in s.span()])
        part.size = float(np.linalg.norm(np.ptp(points, axis=0)))
    return part


def _impossible(spec: Body, inertia: Vec) -> Refused:
    moments = np.linalg.eigvalsh(definitions.inertia_matrix(inertia))
    text = "[" + ", ".join(f"{v:.4g}" for v in moments) + "]"
    if spec.inertia is None:
        return Refused(f"the shapes give an impossible inertia {text}; are they too thin or too small?", ("shape",))
    remedy = "; leave it out to have it from the shapes" if spec.shape else ""
    rule = "principal moments must be positive, and none larger than the sum of the two others"
    return Refused(f"impossible inertia {text}: {rule}{remedy}", ("inertia",))


def _without_shapes(spec: Body) -> tuple[float, np.ndarray, Vec]:
    if spec.fixed:
        return spec.mass or 1.0, np.array(_place(spec)), spec.inertia or (1.0, 1.0, 1.0)
    for key in ("mass", "inertia"):
        if getattr(spec, key) is None:
            raise Refused(f"{key!r} is missing: a rigid body needs a shape, or mass and inertia")
    return spec.mass, np.array(_place(spec)), spec.inertia  # type: ignore[return-value]


def _place(spec: Body) -> Vec:
    if spec.at is None and spec.frame is None:
        raise Refused("'at' is missing: where is its centre of mass?")
    return spec.at if spec.at is not None and spec.frame is None else (0.0, 0.0, 0.0) if spec.at is None else spec.at


def _from_shapes(spec: Body, shapes: list[Shape], material: Material) -> tuple[float, np.ndarray, Vec]:
    rho = spec.density or material.density or WATER
    solids: list[tuple[float, Solid]] = [(s.density or rho, s.solid()) for s in shapes]
    mass, centre, matrix = sum_of(solids)
    if spec.mass is not None:
        matrix = matrix * (spec.mass / mass)
        mass = spec.mass
    if not (math.isfinite(mass) and mass > 0.0 and np.isfinite(matrix).all()):
        raise Refused(f"the shapes give a mass of {mass:.3g} kg", ("shape",))
    inertia: Vec = tuple(matrix[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]].tolist())
    if not np.abs(matrix - np.diag(np.diag(matrix))).max() > 1e-14 * np.trace(matrix):
        inertia = inertia[:3]
    if spec.inertia is not None:
        return mass, centre if spec.at is None else np.array(spec.at), spec.inertia
    if spec.at is not None and spec.frame is None and math.dist(spec.at, centre) > 1e-9:
        raise Refused(
            f"`at` is the centre of mass, and the shapes have it at {[round(float(x), 6) for x in centre]}; "
            "leave `at` out, or give `inertia` too",
            ("at",),
        )
    return mass, centre, inertia
