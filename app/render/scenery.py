"""The look of a loaded scene: its own shapes and colours, and derived bones for bodies without shapes."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from app.render.bodies import Placed, drawn_pose
from app.render.look import Look, derive_look
from app.render.marks import joint_marks, ties
from app.render.primitives import Numbers, Primitive, capsule, colour_of
from app.render.units import UNITS
from physics.definitions.checks import WORLD
from physics.definitions.joints import Free
from physics.definitions.shapes.shape import Shape, Triangles
from physics.maths.rotations import conjugate, matrix_of, turned
from scenes.kinds.bodies import Part
from scenes.loading.scene import LoadedScene

SCENERY = "#8d9299"  # what never moves and has no colour
ARM = 0.03  # radius of the arm to a joint apart from the shapes, as a share of its length


def look_of(scene: LoadedScene) -> Look:
    """Return the look of a scene: its shapes as they are given, and marks of joints a little larger than the thinner
    body."""
    derived = derive_look(scene.definitions)
    bodies: dict[str, Sequence[Primitive]] = {}
    meshes: dict[str, Triangles] = {}
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
    """Return the colour that a look derived from the scene gives a body, else the colour of scenery."""
    return derived.bodies[name][0].colour if derived.bodies.get(name) else colour_of(SCENERY)


def _marks(scene: LoadedScene, name: str, part: Part, primitives: list[Primitive]) -> list[Primitive]:
    """Return the marks of the joints on which a body hangs, and an arm to each joint that its shapes do not reach."""
    thick = min((min(p.size[:3]) for p in primitives if p.shape in UNITS), default=0.01)
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
    """Return a rod from the nearest shape to a joint that no shape reaches. It shows that the joint belongs to the
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
    """Return the radius of a ball around a primitive [m]. A mesh of the look has no such ball: its radius counts as
    infinite."""
    unit = UNITS.get(primitive.shape)
    return math.inf if unit is None else unit.reach(*primitive.size)


def _primitive(part: Part, shape: Shape, colour: Numbers, meshes: dict[str, Triangles]) -> Primitive:
    """Return the primitive of a shape in its body's frame. If the shape has a mesh of its own, the mesh is added to
    `meshes`."""
    drawing = shape.drawing()
    if isinstance(drawing.mesh, str):
        name = drawing.mesh
    else:
        name = f"mesh {part.name} {len(meshes)}"
        meshes[name] = drawing.mesh
    at = np.array(shape.position) + matrix_of(shape.orientation) @ np.array(drawing.shift)
    return Primitive(name, drawing.size, tuple(at.tolist()), tuple(shape.orientation), colour)
