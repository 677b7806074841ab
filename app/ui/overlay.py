"""What is drawn besides the figure: grabs and pins, joint axes and forces, centres of mass, frames, trails, names."""

from collections.abc import Sequence

import numpy as np

from app.render.bodies import drawn_pose, placed_bodies
from app.render.view import ASLEEP, CULPRIT, HELD, HOVER, SELECTED, arrow, line, path, stacked, world_point
from app.ui.session import Session
from physics.definitions.joints import Hinge, Joint, Slider, Universal
from physics.maths.rotations import conjugate, turned

PULL = (1.0, 0.60, 0.16, 1.0)
PIN = (0.30, 0.75, 1.0, 1.0)
PALE, DASHES = 0.55, 8  # of the line of a grab that waits
REACTION = (0.95, 0.32, 0.45, 0.95)
STICKS, SLIDES, NEAR = (0.35, 0.85, 0.45, 1.0), (1.0, 0.75, 0.2, 1.0), (0.6, 0.62, 0.65, 0.9)
AXIS = (0.25, 0.55, 1.0, 1.0)
CENTRE = (1.0, 0.9, 0.25, 1.0)
RGB = ((0.85, 0.2, 0.15, 1.0), (0.2, 0.65, 0.2, 1.0), (0.2, 0.35, 0.9, 1.0))
TEXT = (0.97, 0.98, 1.0, 1.0)
Label = tuple[float, float, str, tuple[float, float, float, float]]
# most names written at once: more could not be read
MOST_LABELS = 60
LINE = 1.5  # from one label to the one below it, in heights of a letter
LABEL = 4.0  # width of a short label, in lines


def marks_for(session: Session) -> dict[int, float]:
    """Return the strength of the glow of each marked body (asleep, under the mouse, selected, held, at fault), by its
    number."""
    marks: dict[int, float] = {}
    snapshot = session.snapshot
    assert snapshot is not None
    marks.update(dict.fromkeys(snapshot.asleep, ASLEEP))
    if session.hover is not None:
        marks[session.hover.body] = HOVER
    if session.selected is not None:
        marks[session.selected] = SELECTED
    for grab in snapshot.grabs:
        if not grab.pinned:
            marks[session.numbers[grab.body]] = HELD
    if snapshot.culprit:
        joint = session.joints.named[snapshot.culprit]
        for name in (joint.a, joint.b):
            if name in session.numbers:
                marks[session.numbers[str(name)]] = CULPRIT
    return {body: mark for body, mark in marks.items() if body < len(snapshot.names)}


def lines_for(session: Session) -> tuple[np.ndarray, np.ndarray]:
    """Return the lines among the bodies, and the lines in front of them."""
    snapshot, look, shown = session.snapshot, session.look, session.shown
    assert snapshot is not None
    assert look is not None
    poses, size = snapshot.poses, 0.12 * look.radius
    parts = []
    if shown.trail and len(session.trail) > 1:
        parts.append(path(np.array(session.trail), CENTRE, 2.0))
    front = []
    if shown.frames:
        for pose in poses:
            axes = turned(np.broadcast_to(pose[3:7], (3, 4)), np.eye(3))
            front += [line(pose[:3], pose[:3] + size * axis, rgb, 2.0) for axis, rgb in zip(axes, RGB, strict=True)]
    if shown.centres:
        for pose in poses:
            front += [line(pose[:3] - 0.15 * size * e, pose[:3] + 0.15 * size * e, CENTRE, 4.0) for e in np.eye(3)]
    if shown.axes:
        for joint in snapshot.scene.joints:
            front += _axis_lines(session, joint, size)
    if shown.reactions:
        front += _reactions(session, size)
    if shown.contacts:
        front += _contacts(session, size)
    front += _grab_lines(session)
    return stacked(parts), stacked(front)


def anchor_of(session: Session, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """Return the world position of a joint's anchor on its second body (on the first if the second is the world), and
    the present and drawn orientations of that body (2, 4)."""
    name, point = (joint.b, joint.points[1]) if joint.b in session.numbers else (joint.a, joint.points[0])
    assert session.snapshot is not None
    number = session.numbers[str(name)]
    place, start = drawn_pose(placed_bodies(session.snapshot.scene)[number])
    pose = session.snapshot.poses[number]
    local = turned(conjugate(start), np.array(point) - place)
    turn = np.stack([pose[3:7], start])
    return pose[:3] + turned(pose[3:7], local), turn


def _axis_lines(session: Session, joint: Joint, size: float) -> list[np.ndarray]:
    """Return the lines of a joint's axis."""
    if not isinstance(joint, Hinge | Slider | Universal) or not {joint.a, joint.b} & set(session.numbers):
        return []
    at, (now, drawn) = anchor_of(session, joint)
    axis = turned(now, turned(conjugate(drawn), np.array(joint.axis)))
    return [line(at - size * axis, at + size * axis, AXIS, 3.0)]


def _reactions(session: Session, size: float) -> list[np.ndarray]:
    """Return arrows of the force on each joint's second body. The longest is three tenths of the figure's radius."""
    snapshot = session.snapshot
    assert snapshot is not None
    measures = snapshot.measures
    if measures is None or len(measures.force) != len(snapshot.joints):
        return []
    most = float(np.linalg.norm(measures.force, axis=1).max(initial=0.0))
    if most <= 0.0:
        return []
    arrows = []
    for name, force in zip(snapshot.joints, measures.force, strict=True):
        joint = session.joints.named[name]
        if joint.b in session.numbers:
            at, _ = anchor_of(session, joint)
            arrows.append(arrow(at, at + force * (2.5 * size / most), REACTION, 3.0))
    return arrows


def _contacts(session: Session, size: float) -> list[np.ndarray]:
    """Return lines for each contact: its point, its normal, and the force on the body to which the normal points.
    Sliding contacts have another colour."""
    snapshot = session.snapshot
    assert snapshot is not None
    most = max((float(np.linalg.norm(c.force)) for c in snapshot.contacts), default=0.0)
    lines = []
    for contact in snapshot.contacts:
        at, normal = contact.point, contact.normal
        touches = bool(contact.force.any())
        colour = SLIDES if contact.sliding else STICKS if touches else NEAR
        lines += [line(at - 0.08 * size * e, at + 0.08 * size * e, colour, 5.0) for e in np.eye(3)]
        lines.append(line(at, at + 0.5 * size * normal, colour, 1.5))
        if touches:
            lines.append(arrow(at, at + contact.force * (2.5 * size / most), colour, 3.5))
    return lines


def _grab_lines(session: Session) -> list[np.ndarray]:
    """Return for each grab a line from the held point to its target, and arrows of force and torque."""
    snapshot, look = session.snapshot, session.look
    assert snapshot is not None
    assert look is not None
    lines = []
    for grab in snapshot.grabs:
        colour = PIN if grab.pinned else PULL
        lines.append(line(grab.point, grab.target, colour, 2.5))
        cross = 0.03 * look.radius
        lines += [line(grab.target - cross * e, grab.target + cross * e, colour, 4.0) for e in np.eye(3)]
        size = float(np.linalg.norm(grab.force))
        if size > 1e-9:
            # logarithmic in newtons: a fingertip and a torso are seen in the same picture
            length = look.radius * min(0.1 + 0.12 * np.log10(1.0 + 10.0 * size), 0.8)
            lines.append(arrow(grab.point, grab.point + grab.force / size * length, colour, 4.0))
        lines += _torque_arc(grab.point, grab.torque, 0.1 * look.radius, colour)
    return lines + _waiting_lines(session)


def _waiting_lines(session: Session) -> list[np.ndarray]:
    """Return a dashed, paler line for each grab that waits for its kernels, from the point of the body to the hand."""
    snapshot = session.snapshot
    assert snapshot is not None
    lines = []
    for grab in snapshot.waits.grabs:
        point = world_point(snapshot.poses, session.numbers[grab.body], grab.place)
        colour = (*(PIN if grab.pinned else PULL)[:3], PALE)
        ends = point + np.linspace(0.0, 1.0, 2 * DASHES)[:, None] * (grab.target - point)
        lines += [line(start, end, colour, 2.5) for start, end in zip(ends[::2], ends[1::2], strict=True)]
    return lines


def _torque_arc(centre: np.ndarray, torque: np.ndarray, radius: float, colour: Sequence[float]) -> list[np.ndarray]:
    """Return three quarters of a circle about the torque, with an arrowhead."""
    size = float(np.linalg.norm(torque))
    if size < 1e-9:
        return []
    axis = torque / size
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    side /= np.linalg.norm(side)
    t = np.linspace(0.0, 1.5 * np.pi, 19)
    ring = centre + radius * (np.outer(np.cos(t), side) + np.outer(np.sin(t), np.cross(axis, side)))
    return [path(ring, colour, 3.0), arrow(ring[-2], ring[-1] + 0.6 * (ring[-1] - ring[-2]), colour, 3.0)]


# ---------------------------------------------------------------- words
def labels_for(session: Session) -> list[Label]:
    """Return labels: (x, y in the viewport, text, colour)."""
    snapshot = session.snapshot
    assert snapshot is not None
    labels: list[Label] = []
    for grab in snapshot.grabs:
        pixel = session.camera.pixel(grab.point)
        force, torque = float(np.linalg.norm(grab.force)), float(np.linalg.norm(grab.torque))
        if pixel and force + torque > 0.0:  # posing needs no force
            text = newtons(force)
            text += f"  {newtons(torque)} m" if torque > 0.0 else ""
            labels.append((pixel[0] + 14.0, pixel[1] - 22.0, text, TEXT))
    if session.shown.labels:
        for name, pose in list(zip(snapshot.names, snapshot.poses, strict=True))[:MOST_LABELS]:
            pixel = session.camera.pixel(pose[:3])
            if pixel:
                labels.append((pixel[0] + 6.0, pixel[1] - 6.0, name, TEXT))
    elif session.hover is not None and not session.held:
        pixel = session.camera.pixel(session.hover.point)
        if pixel and session.hover.body < len(snapshot.names):
            name, line = snapshot.names[session.hover.body], LINE * session.settings.font_size
            x, y = pixel[0] + 16.0, pixel[1] - 18.0
            near = [b for a, b, _, _ in labels if abs(a - x) < LABEL * line and abs(b - y) < line]
            labels.append((x, max(near) + line if near else y, name, TEXT))  # below the label of the force
    return labels


def newtons(force: float) -> str:
    """Return a force as text."""
    if force < 0.01:
        return f"{1e3 * force:.2g} mN"
    return f"{force:.3g} N" if force < 999.5 else f"{1e-3 * force:.3g} kN"
