"""From the shapes of a scene to the arrays of its contacts."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from physics.collision.collision import make_collision
from physics.collision.geometry import WORLD_BODY, make_geometry
from physics.contacts.touch import Touch, make_touch
from physics.data.model import Floats, Model, Work
from physics.data.shape_tables import STILL
from physics.maths.rotations import conjugate, matrix_of, quaternion_product
from physics.definitions.bodies import Body, Fixed, Particle, PlanarBody, Static
from physics.definitions.checks import WORLD
from physics.definitions.scene import Scene
from physics.definitions.shapes.shape import Shape
from physics.maths.strict import product


def build_contacts(
    scene: Scene, body_row: Mapping[str, int], frame_row: Mapping[str, int], principal: Floats, model: Model, work: Work
) -> tuple[Touch | None, dict[int, str]]:
    """Return the arrays of contacts (None for a scene without shapes), and the name of each owner of shapes. `scene`
    has no massless bodies. Each row of `principal` (n, 4) is the rotation from the principal axes of a body to the axes
    of its definition."""
    owner = {WORLD: WORLD_BODY}
    shapes: list[tuple[int, Shape]] = [(WORLD_BODY, shape) for shape in scene.shapes]
    for body in scene.bodies:
        if isinstance(body, Static):
            owner[body.name] = STILL - len(owner)
            shapes += [(owner[body.name], _placed(shape, body)) for shape in body.shapes]
        elif isinstance(body, Body | Particle | PlanarBody | Fixed):
            owner[body.name] = -2 - frame_row[body.name] if isinstance(body, Fixed) else body_row[body.name]
            shapes += [(owner[body.name], shape) for shape in body.shapes]
    if not shapes:
        return None, {}
    frames = np.zeros((len(principal), 7))
    for i, q in enumerate(principal):
        frames[i, 3:] = conjugate(q)
    never = {
        (owner[str(joint.a)], owner[str(joint.b)]) for joint in scene.joints if joint.neighbours and not joint.collide
    }
    geometry = make_geometry(shapes, scene.never, frames)
    touch = make_touch(make_collision(geometry, never), model, work)
    return touch, {k: name for name, k in owner.items()}


def _placed(shape: Shape, body: Static) -> Shape:
    """Return a shape of a static body with its pose in the world."""
    place = np.array(body.position) + product(matrix_of(np.array(body.orientation)), np.array(shape.position))
    turn = quaternion_product(np.array(body.orientation), np.array(shape.orientation))
    return replace(shape, position=tuple(place.tolist()), orientation=tuple(turn.tolist()))
