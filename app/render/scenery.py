"""The look of a loaded scene: the shapes and colours that it gives, derived bones where it gives none."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.render.bodies import Placed, drawn_pose
from app.render.look import Look, derive_look
from app.render.marks import joint_marks, ties
from app.render.primitives import SHAPES, Mesh, Numbers, Primitive, capsule, colour_of
from app.render.rotations import NO_TURN, conjugate, turned
from physics.definitions.checks import WORLD
from physics.definitions.joints import Free
from physics.definitions.rotations import matrix_of
from physics.definitions.shapes import Box, Capsule, Cylinder, Hull, Plane, Shape, Sphere
from scenes.kinds.bodies import Part
from scenes.loading.scene import LoadedScene

SCENERY = "#8d9299"  # what never moves and has no colour
ARM = 0.03  # of its length: how thick an arm is drawn to a joint that lies apart
SLAB = (5.0, 5.0, 0.02)  # half sizes of what is drawn of a plane without end [m]


def look_of(scene: LoadedScene) -> Look:
    """Shapes as given; joints get their marks, a little larger than the thinner body."""
    derived = derive_look(scene.definitions)
    bodies: dict[str, Sequence[Primitive]] = {}
    meshes: dict[str, Mesh] = {}
    for name, part in scene.parts.items():
        if not part.shapes:
            bodies[name] = derived.bodies.get(name, ())
            continue
        colour = colour_of(part.color) if part.color else _derived_colour(derived, name)
        primitives = [_primitive(part, shape, colour, meshes) for shape in part.shapes]
        bodies[name] = primitives + ([] if part.held else _marks(scene, name, part, primitives))
    floor = scene.touching.ground
    return replace(derived, bodies=bodies, meshes=meshes, ground=derived.ground if floor is None else floor.height)


def _derived_colour(derived: Look, name: str) -> Numbers:
    return derived.bodies[name][0].colour if derived.bodies.get(name) else colour_of(SCENERY)


def _marks(scene: LoadedScene, name: str, part: Part, primitives: list[Primitive]) -> list[Primitive]:
    """Of the joints that this body hangs on, with an arm to those that lie apart from its shapes."""
    thick = min((min(p.size[:3]) for p in primitives if p.shape in SHAPES), default=0.01)
    marks: list[Primitive] = []
    for edge in scene.edges.values():
        joint = edge.definition
        owner, point = (joint.b, joint.points[1]) if joint.b != WORLD else (joint.a, joint.points[0])
        if owner == name:
            arm = [] if ties(joint) or isinstance(joint, Free) else _arm(part.definition, point, primitives)
            marks += arm + joint_marks(
                joint, part.definition, np.array(point), min([thick, *(1.6 * a.size[0] for a in arm)])
            )
    return marks


def _arm(body: Placed, point: Sequence[float], primitives: list[Primitive]) -> list[Primitive]:
    """From the nearest shape to a joint that no shape reaches: else the joint would seem to have nothing to do with the
    body."""
    middle, drawn = drawn_pose(body)
    at = turned(conjugate(drawn), np.array(point) - middle)
    lengths = [float(np.linalg.norm(at - np.array(p.at))) for p in primitives]
    apart = [length - _reach(p) for length, p in zip(lengths, primitives, strict=True)]
    nearest = primitives[int(np.argmin(apart))] if apart else None
    if nearest is None or min(apart) < _reach(nearest):
        return []
    length = lengths[int(np.argmin(apart))]
    return [capsule(np.array(nearest.at), at, min(ARM * length, 0.5 * min(nearest.size[:3])), nearest.colour)]


def _reach(primitive: Primitive) -> float:
    """Radius of a ball about a shape; a mesh reaches everywhere."""
    x, y, z, half = primitive.size
    return {"sphere": x, "capsule": x + half, "cylinder": math.hypot(x, z), "box": math.hypot(x, y, z)}.get(
        primitive.shape, math.inf
    )


def _primitive(part: Part, shape: Shape, colour: Numbers, meshes: dict[str, Mesh]) -> Primitive:
    """A shape in its body's frame."""
    at, turn = tuple(shape.position), tuple(shape.orientation)
    if isinstance(shape, Sphere):
        r = shape.radius
        return Primitive("sphere", (r, r, r, 0.0), at, NO_TURN, colour)
    if isinstance(shape, Capsule):
        return Primitive("capsule", (*(shape.radius,) * 3, 0.5 * shape.length), at, turn, colour)
    if isinstance(shape, Cylinder):
        return Primitive("cylinder", (shape.radius, shape.radius, 0.5 * shape.length, 0.0), at, turn, colour)
    if isinstance(shape, Plane):
        down = matrix_of(turn)[:, 2] * SLAB[2]
        return Primitive("box", (*SLAB, 0.0), tuple((np.array(at) - down).tolist()), turn, colour)
    if isinstance(shape, Box):
        return Primitive("box", (*shape.measures, 0.0), at, turn, colour)
    assert isinstance(shape, Hull)
    name = f"hull {part.name} {len(meshes)}"
    meshes[name] = _flat_mesh(shape.polyhedron.vertex, shape.polyhedron.triangle)
    return Primitive(name, (1.0, 1.0, 1.0, 0.0), at, turn, colour)


def _flat_mesh(points: np.ndarray, triangles: np.ndarray) -> Mesh:
    """Every face with its own normal."""
    corners = points[triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    return Mesh(corners.reshape(-1, 3), np.repeat(normals, 3, axis=0))
