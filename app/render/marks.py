"""The marks of joints: a sphere for a ball joint. Other joints have a cylinder for each axis of rotation, and a box for
each axis of travel. Rods, springs and all other ties of two points are lines.
"""

import math
from collections.abc import Iterable

import numpy as np

from app.render.bodies import Placed, drawn_pose, placed_bodies
from app.render.primitives import Guide, Primitive, Rod, colour_of
from physics.definitions.bodies import Particle
from physics.definitions.constraints import Circle, Constraint, PointOnCurve, PointOnLine, Spline
from physics.definitions.joints import Ball, Distance, Free, Joint, Weld
from physics.definitions.scene import Scene
from physics.definitions.series import ScrewAxis
from physics.definitions.springs import Spring, TorsionSpring
from physics.maths.rotations import NO_TURN, conjugate, turn_from_z, turned

JOINT = "#5b6068"
TIES = Distance | Spring | Constraint


def ties(joint: Joint) -> bool:
    """Return whether a joint is a line between two points, instead of a place where two bodies meet."""
    return isinstance(joint, TIES)


def joint_marks(joint: Joint, body: Placed, point: np.ndarray, thick: float) -> list[Primitive]:
    """Return the primitives of a joint in the frame of `body`. `thick` is the radius of the limb there [m]."""
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
        turn = turn_from_z(turned(back, np.array(axis.direction)))
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
    """Return the axes of a joint as drawn, with points relative to the joint's point on its first body."""
    return getattr(joint, "series", ())


def rods_of(scene: Scene) -> list[Rod]:
    """Return the lines of rods and springs."""
    placed = placed_bodies(scene)
    numbers = {b.name: i for i, b in enumerate(placed)}
    bodies = {b.name: b for b in placed}
    rods = []
    for joint in scene.joints:
        if not isinstance(joint, Distance | Spring):
            continue
        points = []
        for name, point in zip((joint.a, joint.b), joint.points, strict=True):
            place, drawn = drawn_pose(bodies.get(str(name)))
            points.append(tuple(turned(conjugate(drawn), np.array(point) - place)))
        ends = (numbers.get(str(joint.a), -1), numbers.get(str(joint.b), -1))
        rods.append(Rod(ends, (points[0], points[1]), "spring" if isinstance(joint, Spring) else "rod"))
    return rods


def guides_of(scene: Scene) -> list[Guide]:
    """Return the lines and curves on which points stay."""
    placed = placed_bodies(scene)
    numbers = {b.name: i for i, b in enumerate(placed)}
    guides = []
    for joint in scene.joints:
        if isinstance(joint, PointOnCurve):
            points = curve_points(joint.curve)
        elif isinstance(joint, PointOnLine):
            reach = 3.0 * max(math.dist(*joint.points), 0.1)
            points = np.array(joint.points[0]) + np.outer(np.array([-reach, reach]), np.array(joint.axis))
        else:
            continue
        number = numbers.get(str(joint.a), -1)
        place, drawn = drawn_pose(placed[number] if number >= 0 else None)
        back = np.broadcast_to(conjugate(drawn), (len(points), 4))
        guides.append(Guide(number, turned(back, points - place)))
    return guides


def curve_points(curve: Circle | Spline) -> np.ndarray:
    """Return points (n, 3) of a curve in the world as drawn, so many that the curve looks smooth."""
    if isinstance(curve, Circle):
        axis = np.array(curve.normal)
        side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
        side /= np.linalg.norm(side)
        t = np.linspace(0.0, 2.0 * np.pi, 65)
        around = np.outer(np.cos(t), side) + np.outer(np.sin(t), np.cross(axis, side))
        return np.array(curve.center) + curve.radius * around
    from scipy.interpolate import CubicSpline  # imported here: it takes a tenth of a start, and few figures need it

    points = np.array(curve.points, float)
    if curve.closed:
        points = np.vstack([points, points[:1]])
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    smooth = CubicSpline(along, points, bc_type="periodic" if curve.closed else "natural")
    return smooth(np.linspace(0.0, along[-1], 8 * len(points)))
