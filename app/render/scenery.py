"""The look of a loaded scene: the shapes and colours that it gives, derived bones where it gives none."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.bodies import start_turn
from app.render.look import Look, derive_look
from app.render.marks import joint_marks
from app.render.primitives import SHAPES, Mesh, Numbers, Primitive, capsule, colour_of
from app.rotations import NO_TURN, product, turned, upright_to
from physics.definitions import WORLD
from scenes.bodies import Part
from scenes.scene import LoadedScene
from scenes.shapes import Box, Capsule, Cylinder, Hull, Shape, Sphere

SCENERY = "#8d9299"  # what never moves and has no colour


def look_of(scene: LoadedScene) -> Look:
    """Shapes as given; joints get their marks, a little larger than the thinner body."""
    derived = derive_look(scene.definitions)
    bodies: dict[str, Sequence[Primitive]] = {}
    meshes: dict[str, Mesh] = {}
    scenery: list[Primitive] = []
    for name, part in scene.parts.items():
        if not part.shapes:
            bodies[name] = derived.bodies.get(name, ())
            continue
        colour = colour_of(part.color) if part.color else _derived_colour(derived, name)
        primitives = [_primitive(part, shape, place, colour, meshes) for shape, place in part.shapes]
        if part.fixed:
            scenery += [_in_world(part, p) for p in primitives]
        else:
            bodies[name] = primitives + _marks(scene, name, part, primitives)
    if scenery:
        bodies[""] = scenery
    return replace(derived, bodies=bodies, meshes=meshes)


def _derived_colour(derived: Look, name: str) -> Numbers:
    return derived.bodies[name][0].colour if derived.bodies.get(name) else colour_of(SCENERY)


def _marks(scene: LoadedScene, name: str, part: Part, primitives: list[Primitive]) -> list[Primitive]:
    """Of the joints that this body hangs on."""
    thick = min((min(p.size[:3]) for p in primitives if p.shape in SHAPES), default=0.01)
    marks = []
    for edge in scene.edges.values():
        joint = edge.definition
        owner, point = (joint.b, joint.points[1]) if joint.b != WORLD else (joint.a, joint.points[0])
        if owner == name:
            marks += joint_marks(joint, part.definition, np.array(point), thick)
    return marks


def _primitive(part: Part, shape: Shape, place: np.ndarray, colour: Numbers, meshes: dict[str, Mesh]) -> Primitive:
    """`place`: where the origin lies, in which the shape is written, in the body's frame."""
    mirror = -1.0 if part.mirrored else 1.0

    def at(point: object) -> np.ndarray:
        return mirror * (np.array(point, float) + place)

    if isinstance(shape, Sphere):
        r = shape.radius
        return Primitive("sphere", (r, r, r, 0.0), tuple(at(shape.at)), NO_TURN, colour)
    if isinstance(shape, Capsule):
        return capsule(at(shape.start), at(shape.end), shape.radius, colour)
    if isinstance(shape, Cylinder):
        start, end = at(shape.start), at(shape.end)
        size = (shape.radius, shape.radius, 0.5 * shape.length, 0.0)
        return Primitive("cylinder", size, tuple(0.5 * (start + end)), upright_to(end - start), colour)
    if isinstance(shape, Box):
        half = tuple(0.5 * x for x in shape.size)
        return Primitive("box", (*half, 0.0), tuple(at(shape.at)), tuple(shape.rotate), colour)
    assert isinstance(shape, Hull)
    points, triangles = shape.triangles()
    name = f"hull {part.name} {len(meshes)}"
    meshes[name] = _flat_mesh(at(points), triangles if mirror > 0.0 else triangles[:, ::-1])
    return Primitive(name, (1.0, 1.0, 1.0, 0.0), colour=colour)


def _flat_mesh(points: np.ndarray, triangles: np.ndarray) -> Mesh:
    """Every face with its own normal."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return Mesh(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0))


def _in_world(part: Part, primitive: Primitive) -> Primitive:
    """From a fixed body's frame to the world's."""
    q = start_turn(part.definition)
    place = np.array(part.position) + turned(q, np.array(primitive.at))
    return replace(primitive, at=tuple(place), rotation=tuple(product(q, np.array(primitive.rotation))))
