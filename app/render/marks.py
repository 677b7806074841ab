"""What is drawn for a joint: a sphere for a ball, and for each axis of the others a cylinder where it turns and a box
where it slides; lines for rods, springs and whatever else ties two points.
"""

from collections.abc import Iterable

import numpy as np

from app.bodies import Placed, drawn_pose, placed_bodies
from app.render.primitives import Primitive, Rod, colour_of
from app.rotations import NO_TURN, conjugate, turned, upright_to
from physics.definitions import Ball, Distance, Free, Joint, Particle, Scene, Weld
from physics.forces.springs import Spring, TorsionSpring
from physics.relations import Constraint
from physics.series import ScrewAxis

JOINT = "#5b6068"
TIES = Distance | Spring | Constraint


def ties(joint: Joint) -> bool:
    """Whether it is a line between two points, and no place where two bodies meet."""
    return isinstance(joint, TIES)


def joint_marks(joint: Joint, body: Placed, point: np.ndarray, thick: float) -> list[Primitive]:
    """In the frame of `body`; `thick`: radius of the limb there."""
    if isinstance(body, Particle) or isinstance(joint, Free | TorsionSpring) or ties(joint):
        return []
    middle, drawn = drawn_pose(body)
    back = conjugate(drawn)
    at = turned(back, point - middle)
    colour = colour_of(JOINT)
    if isinstance(joint, Ball):
        r = 1.12 * thick
        return [Primitive("sphere", (r, r, r, 0.0), tuple(at), NO_TURN, colour, joint.name)]
    if isinstance(joint, Weld):
        half = (1.1 * thick, 1.1 * thick, 1.1 * thick, 0.0)
        return [Primitive("box", half, tuple(at), NO_TURN, colour, joint.name)]
    marks = []
    for axis in axes_of(joint):
        turn = upright_to(turned(back, np.array(axis.direction)))
        where = tuple(at + turned(back, np.array(axis.point)))
        if axis.turn != 0.0:
            # a screw is longer than a hinge, and thinner
            wide, long = (0.8, 1.14) if axis.slide == 0.0 else (0.55, 2.2)
            size = (wide * thick, wide * thick, long * thick, 0.0)
            marks.append(Primitive("cylinder", size, where, turn, colour, joint.name))
        else:
            size = (0.7 * thick, 0.7 * thick, 2.2 * thick, 0.0)
            marks.append(Primitive("box", size, where, turn, colour, joint.name))
    return marks


def axes_of(joint: Joint) -> Iterable[ScrewAxis]:
    """As drawn, their points relative to the joint's point on its first body."""
    return getattr(joint, "series", ())


def rods_of(scene: Scene) -> list[Rod]:
    """Rods, springs, and what else ties two points that are apart."""
    placed = placed_bodies(scene)
    numbers = {b.name: i for i, b in enumerate(placed)}
    bodies = {b.name: b for b in placed}
    rods = []
    for joint in scene.joints:
        if not ties(joint):
            continue
        points = []
        for name, point in zip((joint.a, joint.b), joint.points, strict=True):
            place, drawn = drawn_pose(bodies.get(str(name)))
            points.append(tuple(turned(conjugate(drawn), np.array(point) - place)))
        ends = (numbers.get(str(joint.a), -1), numbers.get(str(joint.b), -1))
        kind = "spring" if isinstance(joint, Spring) else "rod" if isinstance(joint, Distance) else "tie"
        rods.append(Rod(ends, (points[0], points[1]), kind))
    return rods
