"""The part of `build` for constraints, couplings and conditions. It writes rows of Model.topology, Model.links and
Model.joint, lists in Model.table, and the start of splines in State.memory. It compiles the functions of the user."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from physics.build.callbacks import Callbacks, make_callback
from physics.data.model_tables import ForceLaw, JointKind, Joints, Member, Path, Segment, Term, Topology
from physics.data.state_tables import Memory
from physics.data.work_tables import Frames, Shared
from physics.data.model import Floats, Model, State
from physics.definitions.constraints import Constraint, PointOnCurve, Spline
from physics.definitions.functions import Condition, Function, OfVelocities
from physics.maths.rotations import matrix_of
from physics.definitions.checks import DefinitionError
from physics.definitions.couplings import Coupling, Linkage
from physics.definitions.joints import Joint
from physics.joints.table import CONSTRAINT_OF_CODE, CONSTRAINT_OF_NAME, NO_LEVERS
from physics.maths.strict import norms, product, spline

# Samples of a segment among which the start of the search for the nearest point is chosen.
SAMPLES = 16


def fill_constraint_topology(row: np.ndarray, edge: Constraint) -> None:
    """Write the kind, the numbers of rows and the elimination path of a constraint to its row of Model.topology or
    Model.links."""
    if isinstance(edge, Function):
        row[Topology.KIND], row[Topology.ROWS] = JointKind.FUNCTION, edge.rows
        row[Topology.HOLONOMIC] = 0 if edge.of_velocities else edge.rows
        row[Topology.OWN_ROWS] = 1
    else:
        entry = CONSTRAINT_OF_NAME[edge.equations or edge.kind]
        row[Topology.KIND], row[Topology.ROWS] = entry.code, entry.count_rows
        row[Topology.HOLONOMIC] = 0 if edge.of_velocities else entry.count_positions
    row[Topology.DOFS] = -1
    row[Topology.PATH] = row[Topology.ELIMINATION] = Path.GENERAL


def fill_constraint(edge: Constraint, flip: bool, r_b: Floats, r_a: Floats, joint: Floats) -> None:
    """Write the side, the frames and the sizes of a constraint to its row of Model.joint. r_a and r_b (3, 3) are the
    drawn orientations of the two bodies."""
    joint[Joints.SIDE] = -1.0 if flip else 1.0
    frame_a, frame_b = edge.frames()
    in_a, in_b = (Joints.AXES_CHILD, Joints.AXES_PARENT) if flip else (Joints.AXES_PARENT, Joints.AXES_CHILD)
    joint[in_a : in_a + 9] = product(r_a.T, frame_a).ravel()
    joint[in_b : in_b + 9] = product(r_b.T, frame_b).ravel()
    sizes = edge.sizes()
    joint[Joints.SIZE : Joints.SIZE + len(sizes)] = sizes


def lever_turns(kind: int, side: float) -> dict[int, float] | None:
    """Return how the levers of a constraint turn with its bodies: one factor for each of the columns SOFT_CHILD and
    SOFT_PARENT of Model.joint (`ConstraintEntry.turning_levers`). If the rows of the constraint are not twists at an
    anchor, the levers do not turn. For a joint, return None."""
    if kind < JointKind.FIRST_CONSTRAINT:
        return None
    a, b = CONSTRAINT_OF_CODE[kind].turning_levers if kind in CONSTRAINT_OF_CODE else NO_LEVERS
    child, parent = (b, a) if side > 0.0 else (a, b)
    return {Joints.SOFT_CHILD: child, Joints.SOFT_PARENT: parent}


# ---------------------------------------------------------------- lists: curves, couplings, conditions
def fill_coupling(
    coupling: Coupling, table: np.ndarray, joint_row: dict[str, int], joint: Floats, row: np.ndarray
) -> None:
    """Write the rows of Model.links and Model.joint for a coupling, which is a link with one constraint row. A coupling
    has no body of its own: the child of its first joint counts as its child."""
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
    """Write the rows of Model.links and Model.joint for a condition. The first of its bodies that forces can move
    counts as its child."""
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
    """Return the part of Model.table for a condition. It has one row for each body. If the force of the condition is an
    array, one row for each body and each number of C follows."""
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
    """Write the rows of couplings and conditions to `table` and `joint`; they are the edges from `first` on. For each
    condition, also write its first row in Work.shared (Joints.STORE)."""
    store = 0
    for e, linkage in enumerate(linkages, first):
        if isinstance(linkage, Coupling):
            fill_coupling(linkage, table, joint_row, joint[e], table[e])
        elif isinstance(linkage, Condition):
            fill_condition(linkage, row_of, joint[e], table[e])
            joint[e, Joints.STORE] = store
            store += Shared.ROWS_OF_MEMBER * len(linkage.bodies) + 1


def shared_rows(linkages: Sequence[Linkage]) -> int:
    """Return how many rows of Work.shared these couplings and conditions need. It is at least one."""
    counts = [Shared.ROWS_OF_MEMBER * len(one.bodies) + 1 for one in linkages if isinstance(one, Condition)]
    return max(sum(counts), 1)


def coupling_terms(
    coupling: Coupling,
    joints: Sequence[Joint],
    joint_row: dict[str, int],
    flipped: np.ndarray,
    axis_order: Callable[[Joint, bool], list[int]],
) -> Floats:
    """Return the part of Model.table for a coupling: one row (edge, column of the coordinate, coefficient) for each
    term."""
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
    """Return Model.table. Write the place that each edge has in it to Model.joint. `terms` has for each coupling and
    condition its rows, and the number of its terms or bodies."""
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
    """Return the centre of mass [m] and the rotation matrix (3, 3) of a body, of the world (`body` is -1), or of a
    moving body (`body` is -2 - k for row k of `frame`)."""
    if body >= 0:
        return pose[body, :3], matrix_of(pose[body, 3:7])
    if body == -1:
        return np.zeros(3), np.eye(3)
    row = frame[-2 - body]
    turn = row[Frames.ROTATION : Frames.ROTATION + 9].reshape(3, 3)
    return row[Frames.POSITION : Frames.POSITION + 3], turn


def _place(parts: list[Floats], rows: Floats, joint: Floats) -> None:
    """Append `rows` to the parts of Model.table. Write the index of the first of them and their number to `joint`, a
    row of Model.joint."""
    joint[Joints.TABLE] = sum(len(p) for p in parts)
    joint[Joints.TABLE_ROWS] = len(rows)
    parts.append(rows)


def spline_segments(points: Floats, closed: bool) -> Floats:
    """Return the segments (segments, Member.WIDTH) of the cubic spline through these points [m]. The parameter of the
    spline is the length along the chords between the points."""
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
    """Write a parameter of the spline to Memory.COUNTED for each point-on-curve constraint with a spline. It is the
    parameter of the nearest of many samples. From it starts the search for the nearest point of the spline."""
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
    """Take samples of these spline segments, and return the parameter of the one that is nearest to a point."""
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
    """Compile every function of the user. Write the addresses, and the principal axes of the bodies, to Model.joint.
    Return the objects that must stay alive as long as the addresses are in use."""
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
