"""What `build` writes for constraints, couplings and conditions: rows of Model.topology and Model.joint, lists in
Model.table, and the functions that kernels call."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from physics.build.callbacks import Callbacks, make_callback
from physics.data.model_tables import ForceLaw, JointKind, Joints, Member, Path, Segment, Term, Topology
from physics.data.state_tables import Memory
from physics.data.work_tables import Frames, Shared
from physics.data.model import Floats, Model, State
from physics.definitions.formulas import Formula, VelocityFormula
from physics.definitions.constraints import (
    Circle, Constraint, Gear, KnifeEdge, Parallel, Perpendicular, PointOnCurve, PointOnLine, PointOnPlane, Rack,
    RollingDisk, RollingInTrough, RollingSphere, Spline,
)  # fmt: skip
from physics.definitions.functions import Condition, Function, OfVelocities, VelocityFunction
from physics.maths.rotations import frame_about, matrix_of
from physics.definitions.checks import DefinitionError
from physics.definitions.couplings import Coupling, Linkage
from physics.definitions.joints import Joint
from physics.maths.strict import dot, norms, product, spline

# (kind, rows, how many of them keep a position)
CONSTRAINTS: dict[type[Constraint], tuple[int, int, int]] = {
    PointOnPlane: (JointKind.POINT_ON_PLANE, 1, 1),
    PointOnLine: (JointKind.POINT_ON_LINE, 2, 2),
    PointOnCurve: (JointKind.POINT_ON_CURVE, 2, 2),
    Parallel: (JointKind.PARALLEL, 2, 2),
    Perpendicular: (JointKind.PERPENDICULAR, 1, 1),
    Gear: (JointKind.GEAR, 1, 1),
    Rack: (JointKind.RACK, 1, 1),
    RollingSphere: (JointKind.ROLLING_SPHERE, 3, 1),
    RollingDisk: (JointKind.ROLLING_DISK, 3, 1),
    RollingInTrough: (JointKind.TROUGH_SPHERE, 3, 1),
    KnifeEdge: (JointKind.KNIFE_EDGE, 1, 0),
    Function: (JointKind.FUNCTION, 0, 0),
    VelocityFunction: (JointKind.FUNCTION, 0, 0),
    Formula: (JointKind.FUNCTION, 0, 0),
    VelocityFormula: (JointKind.FUNCTION, 0, 0),
}

# Samples of a segment among which the start of the search for the nearest point is chosen.
SAMPLES = 16


def fill_constraint_topology(row: np.ndarray, edge: Constraint) -> None:
    row[Topology.KIND], row[Topology.ROWS], row[Topology.HOLONOMIC] = CONSTRAINTS[type(edge)]
    if isinstance(edge, Gear | Rack) and not edge.keeps_position:
        row[Topology.HOLONOMIC] = 0
    if isinstance(edge, RollingInTrough) and edge.cylinder:
        row[Topology.KIND], row[Topology.ROWS], row[Topology.HOLONOMIC] = JointKind.TROUGH_CYLINDER, 5, 3
    if isinstance(edge, Function):
        row[Topology.ROWS] = edge.rows
        row[Topology.HOLONOMIC] = 0 if isinstance(edge, OfVelocities) else edge.rows
        row[Topology.OWN_ROWS] = 1
    row[Topology.DOFS] = -1
    row[Topology.PATH] = row[Topology.ELIMINATION] = Path.GENERAL


def fill_constraint(edge: Constraint, flip: bool, r_b: Floats, r_a: Floats, joint: Floats) -> None:
    """Side, frames and sizes; r_a, r_b are the drawn orientations of the two bodies."""
    joint[Joints.SIDE] = -1.0 if flip else 1.0
    frame_a, frame_b = _frames(edge)
    in_a, in_b = (Joints.AXES_CHILD, Joints.AXES_PARENT) if flip else (Joints.AXES_PARENT, Joints.AXES_CHILD)
    joint[in_a : in_a + 9] = product(r_a.T, frame_a).ravel()
    joint[in_b : in_b + 9] = product(r_b.T, frame_b).ravel()
    sizes = _sizes(edge)
    joint[Joints.SIZE : Joints.SIZE + len(sizes)] = sizes


def _frames(edge: Constraint) -> tuple[Floats, Floats]:
    """World axes of the frames (columns) that are fixed in a and in b"""
    if isinstance(edge, PointOnPlane | RollingSphere):
        frame = frame_about(np.array(edge.normal), None)
    elif isinstance(edge, RollingDisk):
        return frame_about(np.array(edge.normal), None), frame_about(np.array(edge.axis), None)
    elif isinstance(edge, Perpendicular):
        x, y = np.array(edge.axis), np.array(edge.axis2)
        frame = np.column_stack([x, y, np.cross(x, y)])
    elif isinstance(edge, Gear):
        frame = frame_about(np.array(edge.axis), edge.separation())
    elif isinstance(edge, Rack):
        frame = frame_about(np.array(edge.axis), np.array(edge.direction))
    elif isinstance(edge, KnifeEdge):
        frame = frame_about(np.array(edge.lateral), None)
    elif isinstance(edge, PointOnCurve) and isinstance(edge.curve, Circle):
        frame = frame_about(np.array(edge.curve.normal), None)
    elif isinstance(edge, PointOnLine | Parallel | RollingInTrough):
        frame = frame_about(np.array(edge.axis), None)
    else:
        frame = np.eye(3)
    return frame, frame


def _sizes(edge: Constraint) -> tuple[float, ...]:
    if isinstance(edge, Gear):
        return (*edge.radii, float(edge.keeps_position))
    if isinstance(edge, Rack):
        along = dot(np.array(edge.direction), edge.separation())
        return edge.signed_radius, along, float(edge.keeps_position)
    if isinstance(edge, RollingSphere | RollingDisk):
        return (edge.radius,)
    if isinstance(edge, RollingInTrough):
        return edge.trough_radius - edge.radius, edge.radius
    if isinstance(edge, PointOnCurve) and isinstance(edge.curve, Circle):
        return (edge.curve.radius,)
    if isinstance(edge, Function):
        return edge.length_scale, float(isinstance(edge, OfVelocities))
    return ()


def lever_turns(kind: int, side: float) -> dict[int, float] | None:
    """Which levers of a constraint turn with their body, for the geometric stiffness, by column of Model.joint: 1
    where the anchor is fixed in the body, infinity where it also moves in it, 0 where it does not turn (the contact of
    a wheel)."""
    if kind < JointKind.POINT_ON_PLANE:
        return None
    points = (JointKind.POINT_ON_PLANE, JointKind.POINT_ON_LINE, JointKind.POINT_ON_CURVE, JointKind.KNIFE_EDGE)
    rolling = (JointKind.ROLLING_SPHERE, JointKind.ROLLING_DISK, JointKind.TROUGH_SPHERE, JointKind.TROUGH_CYLINDER)
    a = math.inf if kind in points or kind in rolling else 0.0
    b = 1.0 if kind in points else 0.0
    child, parent = (b, a) if side > 0.0 else (a, b)
    return {Joints.SOFT_CHILD: child, Joints.SOFT_PARENT: parent}


# ---------------------------------------------------------------- lists: curves, couplings, conditions
def fill_coupling(
    coupling: Coupling, table: np.ndarray, joint_row: dict[str, int], joint: Floats, row: np.ndarray
) -> None:
    """A link of one row; its child is that of its first joint, for want of a better."""
    for name, _ in coupling.terms:
        if name not in joint_row:
            raise DefinitionError(f"terms of {coupling.label}", name, "joints between bodies that have a mass")
    first = next(iter(coupling.terms))[0]
    row[Topology.KIND] = JointKind.COUPLING
    row[Topology.CHILD], row[Topology.PARENT] = table[joint_row[first], Topology.CHILD], -1
    row[Topology.ROWS] = row[Topology.HOLONOMIC] = row[Topology.OWN_ROWS] = 1
    row[Topology.DOFS] = -1
    row[Topology.PATH] = row[Topology.ELIMINATION] = Path.GENERAL
    joint[Joints.LENGTH] = coupling.offset


def fill_condition(condition: Condition, row_of: Callable[[str], int], joint: Floats, row: np.ndarray) -> None:
    """A link of its own rows; its child is the first of its bodies that forces move."""
    row[Topology.KIND] = JointKind.GROUP_CONDITION
    row[Topology.CHILD], row[Topology.PARENT] = next(k for k in map(row_of, condition.bodies) if k >= 0), -1
    row[Topology.ROWS] = condition.rows
    row[Topology.HOLONOMIC] = 0 if isinstance(condition, OfVelocities) else condition.rows
    row[Topology.OWN_ROWS] = 1
    row[Topology.DOFS] = -1
    row[Topology.PATH] = row[Topology.ELIMINATION] = Path.GENERAL
    joint[Joints.SIZE] = condition.length_scale
    joint[Joints.FORCES] = ForceLaw.ALONG_ROWS
    if callable(condition.force):
        joint[Joints.FORCES] = ForceLaw.BY_FUNCTION
    elif condition.force is not None:
        joint[Joints.FORCES] = ForceLaw.FIXED_IN_BODY if condition.force_in == "body" else ForceLaw.FIXED_IN_WORLD


def condition_members(condition: Condition, row_of: Callable[[str], int], principal: Floats) -> Floats:
    """A row for each body; behind them, where forces are fixed, a row for each body and number"""
    count = len(condition.bodies)
    fixed = condition.force is not None and not callable(condition.force)
    table = np.zeros((count + (count * condition.rows if fixed else 0), Member.WIDTH))
    for k, name in enumerate(condition.bodies):
        body = row_of(name)
        table[k, Member.BODY] = body
        turn = np.eye(3) if body < 0 else matrix_of(principal[body]).T
        table[k, Member.TURN : Member.TURN + 9] = turn.ravel()
    if fixed:
        given = np.array(condition.force).reshape(condition.rows, count, 6)
        if condition.force_in == "body":
            # as drawn, to the frame of each
            turned = product(given.reshape(condition.rows, count, 2, 3), condition.drawn[1])
            given = turned.reshape(condition.rows, count, 6)
        table[count:, :6] = given.transpose(1, 0, 2).reshape(-1, 6)
    return table


def fill_linkages(
    linkages: Sequence[Linkage],
    first: int,
    table: np.ndarray,
    joint: Floats,
    joint_row: dict[str, int],
    row_of: Callable[[str], int],
) -> None:
    """Edges from `first` on, and where each condition has its place in Work.shared."""
    store = 0
    for e, linkage in enumerate(linkages, first):
        if isinstance(linkage, Coupling):
            fill_coupling(linkage, table, joint_row, joint[e], table[e])
        elif isinstance(linkage, Condition):
            fill_condition(linkage, row_of, joint[e], table[e])
            joint[e, Joints.STORE] = store
            store += Shared.ROWS_OF_MEMBER * len(linkage.bodies) + 1


def shared_rows(linkages: Sequence[Linkage]) -> int:
    """Of Work.shared"""
    counts = [Shared.ROWS_OF_MEMBER * len(one.bodies) + 1 for one in linkages if isinstance(one, Condition)]
    return max(sum(counts), 1)


def coupling_terms(
    coupling: Coupling,
    joints: Sequence[Joint],
    joint_row: dict[str, int],
    flipped: np.ndarray,
    axis_order: Callable[[Joint, bool], list[int]],
) -> Floats:
    """Rows (edge, column of the coordinate, coefficient)"""
    by_name = {j.name: j for j in joints}
    terms = np.zeros((len(coupling.terms), Member.WIDTH))
    for k, ((name, axis), factor) in enumerate(coupling.terms.items()):
        e = joint_row[name]
        column = axis_order(by_name[name], bool(flipped[e])).index(axis)
        terms[k, [Term.EDGE, Term.AXIS, Term.COEFFICIENT]] = e, column, factor
    return terms


def make_table(
    edges: Sequence[Joint | None],
    terms: Sequence[tuple[Floats, int]],
    flipped: np.ndarray,
    table: np.ndarray,
    joint: Floats,
    pose: Floats,
    frame: Floats,
) -> Floats:
    """Model.table, and in Model.joint where each edge's part of it is. `terms`: rows of links over several bodies, and
    how many joints or bodies these have."""
    parts: list[Floats] = []
    for e, edge in enumerate(edges):
        if isinstance(edge, PointOnCurve) and isinstance(edge.curve, Spline):
            a = table[e, Topology.CHILD] if flipped[e] else table[e, Topology.PARENT]
            _, r = place_of(a, pose, frame)
            segments = spline_segments(product(np.array(edge.curve.points) - edge.points[0], r), edge.curve.closed)
            length = segments[-1, Segment.START] + segments[-1, Segment.LENGTH]
            joint[e, Joints.SIZE : Joints.SIZE + 2] = length, float(edge.curve.closed)
            _place(parts, segments, joint[e])
    for e, (rows, count) in enumerate(terms, len(edges)):
        _place(parts, rows, joint[e])
        joint[e, Joints.TABLE_ROWS] = count
    return np.concatenate([*parts, np.zeros((1, Member.WIDTH))])


def place_of(body: int, pose: Floats, frame: Floats) -> tuple[Floats, Floats]:
    """Centre of mass and rotation matrix of a body, the world (-1), or a moving one (-2 - its row)"""
    if body >= 0:
        return pose[body, :3], matrix_of(pose[body, 3:7])
    if body == -1:
        return np.zeros(3), np.eye(3)
    row = frame[-2 - body]
    turn = row[Frames.ROTATION : Frames.ROTATION + 9].reshape(3, 3)
    return row[Frames.POSITION : Frames.POSITION + 3], turn


def _place(parts: list[Floats], rows: Floats, joint: Floats) -> None:
    joint[Joints.TABLE] = sum(len(p) for p in parts)
    joint[Joints.TABLE_ROWS] = len(rows)
    parts.append(rows)


def spline_segments(points: Floats, closed: bool) -> Floats:
    """Segments of the cubic spline through points, its parameter the length of the chords."""
    points = np.vstack([points, points[0]]) if closed else points
    knots = np.concatenate([[0.0], np.cumsum(norms(np.diff(points, axis=0)))])
    bend = spline(knots, points, closed)
    d = np.diff(knots)[:, None]
    slope = np.diff(points, axis=0) / d
    cubic = (
        points[:-1], slope - d / 6.0 * (2.0 * bend[:-1] + bend[1:]), 0.5 * bend[:-1],
        (bend[1:] - bend[:-1]) / (6.0 * d),
    )  # fmt: skip
    segments = np.zeros((len(knots) - 1, Member.WIDTH))
    segments[:, Segment.START] = knots[:-1]
    segments[:, Segment.LENGTH] = d[:, 0]
    for k, part in enumerate(cubic):
        segments[:, Segment.CUBIC + 3 * k : Segment.CUBIC + 3 * k + 3] = part
    return segments


def start_curves(model: Model, table: np.ndarray, state: State, frame: Floats) -> None:
    """Where a point has left its place on a spline, the search for the nearest point starts from the best of many."""
    for e in np.flatnonzero(table[:, Topology.KIND] == JointKind.POINT_ON_CURVE):
        joint = model.joint[e]
        count = int(joint[Joints.TABLE_ROWS])
        if count == 0:
            continue
        child, parent = table[e, Topology.CHILD], table[e, Topology.PARENT]
        ends = [(child, Joints.ANCHOR_CHILD), (parent, Joints.ANCHOR_PARENT)]
        (b, in_b), (a, in_a) = ends if joint[Joints.SIDE] > 0.0 else ends[::-1]
        (xb, rb), (xa, ra) = place_of(b, state.pose, frame), place_of(a, state.pose, frame)
        point = product(xb + product(rb, joint[in_b : in_b + 3]) - xa, ra) - joint[in_a : in_a + 3]
        first = int(joint[Joints.TABLE])
        state.memory[e, Memory.COUNTED] = nearest_sample(model.table[first : first + count], point)


def nearest_sample(segments: Floats, point: Floats) -> float:
    best, place = math.inf, 0.0
    for segment in segments:
        u = np.linspace(0.0, 1.0, SAMPLES + 1)[:, None] * segment[Segment.LENGTH]
        c = segment[Segment.CUBIC : Segment.CUBIC + 12].reshape(4, 3)
        off = norms(c[0] + u * (c[1] + u * (c[2] + u * c[3])) - point)
        k = int(np.argmin(off))
        if off[k] < best:
            best, place = float(off[k]), float(segment[Segment.START] + u[k, 0])
    return place


# ---------------------------------------------------------------- functions
def make_callbacks(
    edges: Sequence[Joint | None], linkages: Sequence[Linkage], table: np.ndarray, joint: Floats, principal: Floats
) -> Callbacks:
    """Machine code for every function, its addresses in Model.joint."""
    callbacks = Callbacks()
    for e, edge in enumerate(edges):
        if not isinstance(edge, Function):
            continue
        for body, axes in (
            (table[e, Topology.CHILD], Joints.AXES_CHILD),
            (table[e, Topology.PARENT], Joints.AXES_PARENT),
        ):
            turn = np.eye(3) if body < 0 else matrix_of(principal[body]).T
            joint[e, axes : axes + 9] = turn.ravel()
        joint[e, Joints.ADDRESS : Joints.ADDRESS + 2] = make_callback(edge, callbacks)
    for e, linkage in enumerate(linkages, len(edges)):
        if isinstance(linkage, Condition):
            joint[e, Joints.ADDRESS : Joints.ADDRESS + 2] = make_callback(linkage, callbacks)
    return callbacks
