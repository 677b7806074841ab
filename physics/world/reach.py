"""Contacts with the world that a joint switches off although they would be needed.

The two bodies of a joint do not touch each other, because their shapes usually overlap there. For a joint to the world
this switches off the contacts with all floors and walls of the world: a card that a planar joint holds upright falls
through the floor. `missed_contacts` reports a body if its joints let it sink into such a shape. It does not report a
body that overlaps the shape at the drawn pose already, because the rule is made for that case.

For each joint, the module finds a lower bound for the height of the body over a plane. A single axis of rotation is
tried at many angles. A joint with several axes of rotation is assumed to rotate the body about its anchor in every way.
A slide is assumed to go to its limits, or without end if it has none. A rod and a rope keep the anchor within a ball.
For a point on a plane, line or curve, the lowest point that the constraint allows is used, if there is one. A rolling
constraint replaces the contact. All other constraints are assumed not to hold a body up.
"""

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from physics.data.model import Floats
from physics.definitions.motions import HingeMotor, SliderMotor
from physics.definitions.constraints import (
    Circle, PointOnCurve, PointOnLine, PointOnPlane, RollingDisk, RollingInTrough, RollingSphere,
)  # fmt: skip
from physics.definitions.functions import drawn_state
from physics.maths.rotations import matrix_of
from physics.definitions.bodies import Massless, ScaledBody, Static
from physics.definitions.checks import WORLD
from physics.definitions.joints import Ball, Distance, Joint, SpringJoint, Weld
from physics.definitions.scene import Scene
from physics.definitions.shapes.compound import flatten
from physics.definitions.shapes.shape import Shape, Solid
from physics.definitions.joints import Rope

ANGLES = 96  # of a whole turn that are tried
# of the body's size: what sinks in by less does not count, nor does it stand in the shape as drawn
SLIGHT = 0.02
ACROSS = 1e-9  # a direction with less along another one is at right angles to it


class Missed(NamedTuple):
    """A body that can pass through shapes of the world because joints switch off its contacts with them."""

    joints: tuple[str, ...]
    body: str
    holder: str  # "world", or the static body that has the plane
    sentence: str


class Outline(NamedTuple):
    """Points of a body at the drawn pose, in world axes, and the distance of the surface from each point."""

    points: Floats  # (n, 3), m
    radius: Floats  # (n,), m


def missed_contacts(scene: Scene) -> list[Missed]:
    """Return the bodies that can pass through shapes of the world because joints switch off the contacts. The scene
    must have no massless bodies."""
    bodies: dict[str, Any] = {body.name: body for body in scene.bodies}
    standing = {WORLD: list(scene.shapes)}
    standing |= {b.name: [s for s in b.shapes if s.endless] for b in scene.bodies if isinstance(b, Static)}
    pairs: dict[tuple[str, str], list[tuple[Joint, int]]] = {}
    for joint in scene.joints:
        for end, (holder, name) in enumerate(((joint.b, joint.a), (joint.a, joint.b))):
            body = bodies.get(str(name))
            able = getattr(body, "shapes", ()) and not isinstance(body, Static | ScaledBody | Massless)
            if able and joint.neighbours and standing.get(str(holder)):
                pairs.setdefault((str(name), str(holder)), []).append((joint, end))
    apart = {frozenset(pair) for pair in scene.never}
    found = []
    for (name, holder), joints in pairs.items():
        off = [joint for joint, _ in joints if not joint.collide]
        if off and any(
            _would_meet(bodies[name], joints, shape, place, turn, apart)
            for shape, place, turn in _placed(bodies.get(holder), standing[holder])
        ):
            found.append(_missed(name, holder, off))
    return found


def _missed(body: str, holder: str, joints: Sequence[Joint]) -> Missed:
    """Return the report of a body, with a sentence for the user."""
    named = " and ".join(joint.label for joint in joints)
    other = "the world" if holder == WORLD else repr(holder)
    ends = "switches" if len(joints) == 1 else "switch"
    sentence = (
        f"{named} {ends} off contact between {body!r} and {other}, as the two bodies of a joint do not touch each "
        f"other, and {body!r} can pass through the shapes of {other}; `collide: true` (in Python `collide=True`) lets "
        "them touch"
    )
    return Missed(tuple(joint.name for joint in joints), body, holder, sentence)


def _placed(owner: Any, shapes: Sequence[Shape]) -> Iterator[tuple[Shape, Floats, Floats]]:
    """Yield the simple shapes of `owner` (None: the world) with their positions [m] and rotation matrices in the
    world."""
    x, r = drawn_state(owner)
    if owner is not None:
        x, r = np.array(owner.position), matrix_of(owner.orientation)
    for shape in shapes:
        for part, place, turn in flatten(shape):
            yield part, x + r @ place, r @ turn


def _would_meet(
    body: Any, joints: Sequence[tuple[Joint, int]], shape: Shape, place: Floats, turn: Floats, apart: set[Any]
) -> bool:
    """Return whether the joints let a body reach a shape of the world that it does not overlap already at the drawn
    pose. `joints` has each joint, and says which of its ends the body is: 0 for a, 1 for b."""
    outline = outline_of(body, {shape.group}, apart)
    if not len(outline.points):
        return False
    middle = outline.points.mean(axis=0)
    size = float((np.linalg.norm(outline.points - middle, axis=1) + outline.radius).max())
    if isinstance(shape, Solid):
        return _would_meet_finite(outline, joints, shape, place, turn, SLIGHT * size)
    normal = turn[:, 2]
    drawn = float(((outline.points - place) @ normal - outline.radius).min())
    if drawn < -SLIGHT * size:
        return False
    return max(lowest(joint, end, outline, normal, place) for joint, end in joints) < -SLIGHT * size


def _would_meet_finite(
    outline: Outline, joints: Sequence[tuple[Joint, int]], shape: Solid, place: Floats, turn: Floats, slight: float
) -> bool:
    """Return whether the joints let a body reach a finite shape: whether the box around the shape meets, for each
    joint, the ball that the body can fill about it. Return False for a body that touches the box at the drawn pose
    already."""
    half, centre = shape.bounding_box()

    def away(points: Floats) -> Floats:
        """Return the distances of points from the box."""
        inside = (points - place) @ turn - centre
        return np.linalg.norm(np.maximum(np.abs(inside) - half, 0.0), axis=1)

    if (away(outline.points) - outline.radius).min() < slight:
        return False  # the body stands in the shape, on it or at it
    reached = math.inf
    for joint, end in joints:
        r = farthest(joint, end, outline)
        reached = min(reached, r - float(away(np.array([joint.points[1 - end]]))[0]))
    return reached > slight


def outline_of(body: Any, groups: set[str], apart: set[Any]) -> Outline:
    """Return the outline of those shapes of a body that may touch one of these groups."""
    x, r = drawn_state(body)
    points, radius = [np.zeros((0, 3))], [np.zeros(0)]
    for shape in body.shapes:
        for part, place, turn in flatten(shape):
            if any(frozenset((part.group, group)) in apart for group in groups):
                continue
            assert isinstance(part, Solid)
            own, size = part.outline()
            points.append(x + (place + own @ turn.T) @ r.T)
            radius.append(np.full(len(own), size))
    return Outline(np.concatenate(points), np.concatenate(radius))


# ---------------------------------------------------------------- what a joint allows
class Axis(NamedTuple):
    """One coordinate of a joint, that of the body relative to the world: its direction, a point on the axis [m], its
    kind, and its limits [m or rad]."""

    direction: Floats
    point: Floats
    turns: bool
    slides: bool
    low: float
    high: float


def axes_of(joint: Joint, end: int) -> list[Axis] | None:
    """Return the coordinates of a joint in the order from the world to the body, or None for constraints without such
    coordinates. `end` says whether the body is a (0) or b (1)."""
    if isinstance(joint, HingeMotor | SliderMotor):
        turns = isinstance(joint, HingeMotor)
        direction = np.array(joint.axis)
        return [Axis(direction, np.array(joint.points[end]), turns, not turns, -math.inf, math.inf)]
    if isinstance(joint, Weld):
        return []
    if not isinstance(joint, SpringJoint) or not joint.series:
        return None
    limits: Any = joint.limits
    out = []
    for k, axis in enumerate(joint.series):
        low, high = (limits.lower[k], limits.upper[k]) if limits is not None else (-math.inf, math.inf)
        if end == 0:  # the coordinate is that of b relative to a
            low, high = -high, -low
        point = np.array(joint.points[end]) + np.array(axis.point)
        out.append(Axis(np.array(axis.direction), point, axis.turn != 0.0, axis.slide != 0.0, low, high))
    return out if end == 1 else out[::-1]


def lowest(joint: Joint, end: int, outline: Outline, normal: Floats, place: Floats) -> float:
    """Return the least height over a plane that a joint allows its body [m], negative below the plane. `end` says
    whether the body is a (0) or b (1)."""
    heights = (outline.points - place) @ normal - outline.radius
    anchor, base = (float((np.array(joint.points[k]) - place) @ normal) for k in (end, 1 - end))
    from_anchor = np.linalg.norm(outline.points - np.array(joint.points[end]), axis=1) + outline.radius
    arm = float(from_anchor.max())
    axes = axes_of(joint, end)
    if axes is not None:
        return _lowest_of_axes(axes, outline, normal, place, heights, anchor - arm)
    if isinstance(joint, Ball):
        return anchor - arm
    if isinstance(joint, RollingSphere | RollingDisk | RollingInTrough):
        return float(heights.min())  # the constraint of rolling replaces the contact
    if isinstance(joint, Distance | Rope | PointOnPlane | PointOnLine | PointOnCurve):
        return _lowest_anchor(joint, normal, place, anchor, base) - arm
    return -math.inf


def _lowest_of_axes(
    axes: Sequence[Axis], outline: Outline, normal: Floats, place: Floats, heights: Floats, about_anchor: float
) -> float:
    """Return the least height over the plane to which motions of these axes can bring the outline [m]. `about_anchor`
    is the least height for arbitrary rotations about the anchor [m]."""
    turning = [axis for axis in axes if axis.turns]
    sunk = 0.0
    for k, axis in enumerate(axes):
        if not axis.slides:
            continue
        along = float(axis.direction @ normal)
        before = [t.direction for t in axes[:k] if t.turns and not _is_along(t.direction, normal)]
        if all(_is_along(direction, axis.direction) for direction in before):
            reach = -axis.low if along > 0.0 else axis.high
        else:
            reach, along = max(abs(axis.low), abs(axis.high)), 1.0  # it may be turned any way
        if abs(along) > ACROSS:
            sunk += math.inf if math.isinf(reach) or axis.turns else max(0.0, abs(along) * reach)
    if not turning:
        return float(heights.min()) - sunk
    if len(turning) == 1:
        (axis,) = turning
        low, high = max(axis.low, -math.pi), min(axis.high, math.pi)
        tried = np.linspace(low, high, max(2, math.ceil(ANGLES * (high - low) / (2.0 * math.pi))))[:, None]
        # n (p + e x (e x p) (1 - cos q) + e x p sin q), p from the axis
        from_axis = outline.points - axis.point
        around = np.cross(axis.direction, from_axis)
        across = np.cross(axis.direction, around) @ normal
        rise = across * (1.0 - np.cos(tried)) + around @ normal * np.sin(tried)
        return float((heights + rise).min()) - sunk
    return about_anchor - 2.0 * max(math.dist(axes[0].point, axis.point) for axis in axes) - sunk


def _is_along(a: Floats, b: Floats) -> bool:
    """Return whether two unit vectors are parallel."""
    return float(np.linalg.norm(np.cross(a, b))) < ACROSS


def _lowest_anchor(joint: Any, normal: Floats, place: Floats, anchor: float, base: float) -> float:
    """Return the least height over a plane that a constraint allows its point of the body [m]. At the drawn pose that
    point has the height `anchor`, and the constraint's point of the world has the height `base`."""
    if isinstance(joint, Rope):
        return base - float(joint.longest)  # type: ignore[arg-type]
    if isinstance(joint, Distance):
        return base - joint.length if isinstance(joint.length, float) else -math.inf
    if isinstance(joint, PointOnPlane):
        return anchor if _is_along(np.array(joint.normal), normal) else -math.inf
    if isinstance(joint, PointOnLine):
        return anchor if abs(float(np.array(joint.axis) @ normal)) < ACROSS else -math.inf
    curve = joint.curve
    if isinstance(curve, Circle):
        across = math.sqrt(max(0.0, 1.0 - float(np.array(curve.normal) @ normal) ** 2))
        return float((np.array(curve.center) - place) @ normal) - curve.radius * across
    return float(((np.array(curve.points) - place) @ normal).min()) if curve.closed else -math.inf


def farthest(joint: Joint, end: int, outline: Outline) -> float:
    """Return the largest distance that the body can have from the joint's point of the world [m]."""
    arm = float((np.linalg.norm(outline.points - np.array(joint.points[end]), axis=1) + outline.radius).max())
    axes = axes_of(joint, end)
    if axes is not None:
        slides = [max(abs(axis.low), abs(axis.high)) for axis in axes if axis.slides]
        return arm + sum(slides) + 2.0 * max((math.dist(axes[0].point, axis.point) for axis in axes), default=0.0)
    if isinstance(joint, Ball):
        return arm
    if isinstance(joint, Rope):
        return arm + float(joint.longest)  # type: ignore[arg-type]
    if isinstance(joint, Distance) and isinstance(joint.length, float):
        return arm + joint.length
    return math.inf
