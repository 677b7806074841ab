"""What `build` writes for constraints, couplings and conditions: rows of Model.topology and Model.joint, lists in
Model.table, and the functions that kernels call."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from physics import layout as lay
from physics.callbacks import Callbacks, make_callback
from physics.definitions import Coupling, DefinitionError, Joint, Linkage
from physics.model import Floats, Model, State
from physics.formulas import Formula, VelocityFormula
from physics.relations import (
    Circle, Condition, Constraint, Function, Gear, KnifeEdge, OfVelocities, Parallel, Perpendicular, PointOnCurve,
    PointOnLine, PointOnPlane, Rack, RollingDisk, RollingInTrough, RollingSphere, Spline, VelocityFunction,
)  # fmt: skip
from physics.rotations import frame_about, matrix_of
from physics.strict import dot, norms, product, spline

# (kind, rows, how many of them keep a position)
CONSTRAINTS: dict[type[Constraint], tuple[int, int, int]] = {
    PointOnPlane: (lay.POINT_ON_PLANE, 1, 1), PointOnLine: (lay.POINT_ON_LINE, 2, 2),
    PointOnCurve: (lay.POINT_ON_CURVE, 2, 2), Parallel: (lay.PARALLEL, 2, 2), Perpendicular: (lay.PERPENDICULAR, 1, 1),
    Gear: (lay.GEAR, 1, 1), Rack: (lay.RACK, 1, 1), RollingSphere: (lay.ROLLING_SPHERE, 3, 1),
    RollingDisk: (lay.ROLLING_DISK, 3, 1), RollingInTrough: (lay.TROUGH_SPHERE, 3, 1),
    KnifeEdge: (lay.KNIFE_EDGE, 1, 0), Function: (lay.FUNCTION, 0, 0), VelocityFunction: (lay.FUNCTION, 0, 0),
    Formula: (lay.FUNCTION, 0, 0), VelocityFormula: (lay.FUNCTION, 0, 0),
}  # fmt: skip

# Samples of a segment among which the start of the search for the nearest point is chosen.
SAMPLES = 16


def fill_constraint_topology(row: np.ndarray, edge: Constraint) -> None:
    row[lay.KIND], row[lay.ROWS], row[lay.HOLONOMIC] = CONSTRAINTS[type(edge)]
    if isinstance(edge, Gear | Rack) and not edge.keeps_position:
        row[lay.HOLONOMIC] = 0
    if isinstance(edge, RollingInTrough) and edge.cylinder:
        row[lay.KIND], row[lay.ROWS], row[lay.HOLONOMIC] = lay.TROUGH_CYLINDER, 5, 3
    if isinstance(edge, Function):
        row[lay.ROWS] = edge.rows
        row[lay.HOLONOMIC] = 0 if isinstance(edge, OfVelocities) else edge.rows
        row[lay.OWN_ROWS] = 1
    row[lay.DOFS] = -1
    row[lay.PATH] = row[lay.ELIMINATION] = lay.PATH_GENERAL


def fill_constraint(edge: Constraint, flip: bool, r_b: Floats, r_a: Floats, joint: Floats) -> None:
    """Side, frames and sizes; r_a, r_b are the drawn orientations of the two bodies."""
    joint[lay.SIDE] = -1.0 if flip else 1.0
    frame_a, frame_b = _frames(edge)
    in_a, in_b = (lay.AXES_CHILD, lay.AXES_PARENT) if flip else (lay.AXES_PARENT, lay.AXES_CHILD)
    joint[in_a : in_a + 9] = product(r_a.T, frame_a).ravel()
    joint[in_b : in_b + 9] = product(r_b.T, frame_b).ravel()
    sizes = _sizes(edge)
    joint[lay.SIZE : lay.SIZE + len(sizes)] = sizes


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
    if kind < lay.POINT_ON_PLANE:
        return None
    points = (lay.POINT_ON_PLANE, lay.POINT_ON_LINE, lay.POINT_ON_CURVE, lay.KNIFE_EDGE)
    rolling = (lay.ROLLING_SPHERE, lay.ROLLING_DISK, lay.TROUGH_SPHERE, lay.TROUGH_CYLINDER)
    a = math.inf if kind in points or kind in rolling else 0.0
    b = 1.0 if kind in points else 0.0
    child, parent = (b, a) if side > 0.0 else (a, b)
    return {lay.SOFT_CHILD: child, lay.SOFT_PARENT: parent}


# ---------------------------------------------------------------- lists: curves, couplings, conditions
def fill_coupling(
    coupling: Coupling, table: np.ndarray, joint_row: dict[str, int], joint: Floats, row: np.ndarray
) -> None:
    """A link of one row; its child is that of its first joint, for want of a better."""
    for name, _ in coupling.terms:
        if name not in joint_row:
            raise DefinitionError(f"terms of {coupling.label}", name, "joints between bodies that have a mass")
    first = next(iter(coupling.terms))[0]
    row[lay.KIND] = lay.COUPLING
    row[lay.CHILD], row[lay.PARENT] = table[joint_row[first], lay.CHILD], -1
    row[lay.ROWS] = row[lay.HOLONOMIC] = row[lay.OWN_ROWS] = 1
    row[lay.DOFS] = -1
    row[lay.PATH] = row[lay.ELIMINATION] = lay.PATH_GENERAL
    joint[lay.LENGTH] = coupling.offset


def fill_condition(condition: Condition, row_of: Callable[[str], int], joint: Floats, row: np.ndarray) -> None:
    """A link of its own rows; its child is the first of its bodies that forces move."""
    row[lay.KIND] = lay.GROUP_CONDITION
    row[lay.CHILD], row[lay.PARENT] = next(k for k in map(row_of, condition.bodies) if k >= 0), -1
    row[lay.ROWS] = condition.rows
    row[lay.HOLONOMIC] = 0 if isinstance(condition, OfVelocities) else condition.rows
    row[lay.OWN_ROWS] = 1
    row[lay.DOFS] = -1
    row[lay.PATH] = row[lay.ELIMINATION] = lay.PATH_GENERAL
    joint[lay.SIZE] = condition.length_scale
    joint[lay.FORCES] = lay.ALONG_ROWS
    if callable(condition.force):
        joint[lay.FORCES] = lay.BY_FUNCTION
    elif condition.force is not None:
        joint[lay.FORCES] = lay.FIXED_IN_BODY if condition.force_in == "body" else lay.FIXED_IN_WORLD


def condition_members(condition: Condition, row_of: Callable[[str], int], principal: Floats) -> Floats:
    """A row for each body; behind them, where forces are fixed, a row for each body and number"""
    count = len(condition.bodies)
    fixed = condition.force is not None and not callable(condition.force)
    table = np.zeros((count + (count * condition.rows if fixed else 0), lay.TABLE_COLUMNS))
    for k, name in enumerate(condition.bodies):
        body = row_of(name)
        table[k, lay.MEMBER_BODY] = body
        turn = np.eye(3) if body < 0 else matrix_of(principal[body]).T
        table[k, lay.MEMBER_TURN : lay.MEMBER_TURN + 9] = turn.ravel()
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
            joint[e, lay.STORE] = store
            store += lay.ROWS_OF_MEMBER * len(linkage.bodies) + 1


def shared_rows(linkages: Sequence[Linkage]) -> int:
    """Of Work.shared"""
    counts = [lay.ROWS_OF_MEMBER * len(one.bodies) + 1 for one in linkages if isinstance(one, Condition)]
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
    terms = np.zeros((len(coupling.terms), lay.TABLE_COLUMNS))
    for k, ((name, axis), factor) in enumerate(coupling.terms.items()):
        e = joint_row[name]
        column = axis_order(by_name[name], bool(flipped[e])).index(axis)
        terms[k, [lay.TERM_EDGE, lay.TERM_AXIS, lay.TERM_COEFFICIENT]] = e, column, factor
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
            a = table[e, lay.CHILD] if flipped[e] else table[e, lay.PARENT]
            _, r = place_of(a, pose, frame)
            segments = spline_segments(product(np.array(edge.curve.points) - edge.points[0], r), edge.curve.closed)
            length = segments[-1, lay.SEGMENT_START] + segments[-1, lay.SEGMENT_LENGTH]
            joint[e, lay.SIZE : lay.SIZE + 2] = length, float(edge.curve.closed)
            _place(parts, segments, joint[e])
    for e, (rows, count) in enumerate(terms, len(edges)):
        _place(parts, rows, joint[e])
        joint[e, lay.TABLE_ROWS] = count
    return np.concatenate([*parts, np.zeros((1, lay.TABLE_COLUMNS))])


def place_of(body: int, pose: Floats, frame: Floats) -> tuple[Floats, Floats]:
    """Centre of mass and rotation matrix of a body, the world (-1), or a moving one (-2 - its row)"""
    if body >= 0:
        return pose[body, :3], matrix_of(pose[body, 3:7])
    if body == -1:
        return np.zeros(3), np.eye(3)
    row = frame[-2 - body]
    turn = row[lay.FRAME_ROTATION : lay.FRAME_ROTATION + 9].reshape(3, 3)
    return row[lay.FRAME_POSITION : lay.FRAME_POSITION + 3], turn


def _place(parts: list[Floats], rows: Floats, joint: Floats) -> None:
    joint[lay.TABLE] = sum(len(p) for p in parts)
    joint[lay.TABLE_ROWS] = len(rows)
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
    segments = np.zeros((len(knots) - 1, lay.TABLE_COLUMNS))
    segments[:, lay.SEGMENT_START] = knots[:-1]
    segments[:, lay.SEGMENT_LENGTH] = d[:, 0]
    for k, part in enumerate(cubic):
        segments[:, lay.SEGMENT_CUBIC + 3 * k : lay.SEGMENT_CUBIC + 3 * k + 3] = part
    return segments


def start_curves(model: Model, table: np.ndarray, state: State, frame: Floats) -> None:
    """Where a point has left its place on a spline, the search for the nearest point starts from the best of many."""
    for e in np.flatnonzero(table[:, lay.KIND] == lay.POINT_ON_CURVE):
        joint = model.joint[e]
        count = int(joint[lay.TABLE_ROWS])
        if count == 0:
            continue
        child, parent = table[e, lay.CHILD], table[e, lay.PARENT]
        ends = [(child, lay.ANCHOR_CHILD), (parent, lay.ANCHOR_PARENT)]
        (b, in_b), (a, in_a) = ends if joint[lay.SIDE] > 0.0 else ends[::-1]
        (xb, rb), (xa, ra) = place_of(b, state.pose, frame), place_of(a, state.pose, frame)
        point = product(xb + product(rb, joint[in_b : in_b + 3]) - xa, ra) - joint[in_a : in_a + 3]
        first = int(joint[lay.TABLE])
        state.memory[e, lay.COUNTED] = nearest_sample(model.table[first : first + count], point)


def nearest_sample(segments: Floats, point: Floats) -> float:
    best, place = math.inf, 0.0
    for segment in segments:
        u = np.linspace(0.0, 1.0, SAMPLES + 1)[:, None] * segment[lay.SEGMENT_LENGTH]
        c = segment[lay.SEGMENT_CUBIC : lay.SEGMENT_CUBIC + 12].reshape(4, 3)
        off = norms(c[0] + u * (c[1] + u * (c[2] + u * c[3])) - point)
        k = int(np.argmin(off))
        if off[k] < best:
            best, place = float(off[k]), float(segment[lay.SEGMENT_START] + u[k, 0])
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
        for body, axes in ((table[e, lay.CHILD], lay.AXES_CHILD), (table[e, lay.PARENT], lay.AXES_PARENT)):
            turn = np.eye(3) if body < 0 else matrix_of(principal[body]).T
            joint[e, axes : axes + 9] = turn.ravel()
        joint[e, lay.ADDRESS : lay.ADDRESS + 2] = make_callback(edge, callbacks)
    for e, linkage in enumerate(linkages, len(edges)):
        if isinstance(linkage, Condition):
            joint[e, lay.ADDRESS : lay.ADDRESS + 2] = make_callback(linkage, callbacks)
    return callbacks
