"""Definitions to Model, State and Work: the only place that allocates what the kernels work on."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physics import layout as lay
from physics.definitions import (
    WORLD, Ball, Body, DefinitionError, Distance, Free, Hinge, Joint, Particle, Scene, Slider, SpringJoint, Universal,
    Weld, inertia_matrix,
)  # fmt: skip
from physics.forest import Forest, make_forest
from physics.joints import ball, hinge, slider, universal, weld
from physics.model import Floats, Model, State, Work
from physics.solvers.fused import general_size

KINDS: dict[type[Joint], int] = {
    Ball: lay.BALL, Hinge: lay.HINGE, Universal: lay.UNIVERSAL, Slider: lay.SLIDER, Weld: lay.WELD,
    Distance: lay.DISTANCE,
}  # fmt: skip
PATHS = {
    lay.FREE: lay.PATH_FREE, lay.BALL: lay.PATH_BALL, lay.HINGE: lay.PATH_HINGE, lay.UNIVERSAL: lay.PATH_AXES,
    lay.SLIDER: lay.PATH_AXES, lay.WELD: lay.PATH_AXES, lay.DISTANCE: lay.PATH_GENERAL,
}  # fmt: skip
ROWS = {
    lay.BALL: ball.ROWS, lay.HINGE: hinge.ROWS, lay.UNIVERSAL: universal.ROWS, lay.SLIDER: slider.ROWS,
    lay.WELD: weld.ROWS, lay.DISTANCE: 1, lay.FREE: 0,
}  # fmt: skip
AXES = {
    lay.BALL: ball.AXES, lay.HINGE: hinge.AXES, lay.UNIVERSAL: universal.AXES, lay.SLIDER: slider.AXES,
    lay.WELD: weld.AXES, lay.DISTANCE: -1, lay.FREE: 6,
}  # fmt: skip

# Posing friction c = 0.1 kg m^2 for a figure of 44 kg and 1.7 m, scaled by mass and length squared (physics/README.md).
POSING_FRICTION = 0.1 / (44.0 * 1.7**2)


LINE = 8  # numbers in a cache line: arrays start on one


@dataclass(frozen=True)
class Built:
    """The arrays and how the definitions' names map to their rows."""

    scene: Scene
    forest: Forest
    model: Model
    state: State
    work: Work
    body_row: dict[str, int]
    joint_row: dict[str, int]  # joints of the primary forest
    reversed: np.ndarray  # rows whose child is the joint's body a
    principal: np.ndarray  # (n, 4) from the principal frame to the frame of the definition


def build(scene: Scene) -> Built:
    """Number the bodies, fill the constant arrays, allocate the rest."""
    if not scene.bodies:
        raise DefinitionError("bodies of a scene", 0, "at least one")
    index = {body.name: k for k, body in enumerate(scene.bodies)}
    index[WORLD] = -1
    joints = [j for j in scene.joints if not isinstance(j, Free)]
    roots = [index[j.b if j.a == WORLD else j.a] for j in scene.joints if isinstance(j, Free)]  # type: ignore[index]
    pairs = [(index[j.a], index[j.b]) for j in joints]  # type: ignore[index]
    forest = make_forest(len(scene.bodies), pairs, [j.auxiliary for j in joints], roots)
    if forest.auxiliary:
        names = ", ".join(repr(joints[k].name) for k in forest.auxiliary)
        raise DefinitionError(
            "joints", names, "joints that form trees: these close a loop (or are marked auxiliary), not supported yet"
        )
    n = len(scene.bodies)
    bodies = [scene.bodies[k] for k in forest.order]
    edges = [joints[k] if k >= 0 else None for k in forest.edge]
    flipped = np.array([e is not None and index[e.a] == forest.order[i] for i, e in enumerate(edges)])  # type: ignore[index]

    stride = 6
    constant = {"topology": lay.TOPOLOGY, "body": lay.BODY, "joint": lay.JOINT}
    moving = {"pose": 7, "velocity": stride, "memory": lay.MEMORY, "applied": 6}
    work = _work_columns(stride)
    arrays = _pool(n, {**{f"s.{k}": c for k, c in moving.items()}, **constant, **work})
    topology = arrays["topology"].view(np.int64)
    topology[:, lay.PARENT] = forest.parent
    body, joint = arrays["body"], arrays["joint"]
    state = State(**{k: arrays[f"s.{k}"] for k in moving})
    pose, velocity = state.pose, state.velocity
    principal = np.zeros((n, 4))
    for i, definition in enumerate(bodies):
        _fill_body(i, definition, topology, body, pose, velocity, principal)
    for i, edge in enumerate(edges):
        _fill_topology(i, edge, topology)
        if edge is not None:
            _fill_joint(i, edge, bool(flipped[i]), topology, joint, pose)
    _fill_softness(topology, body, joint)
    _number_dofs(topology)
    _fill_posing(forest, body, pose)
    general = _fill_general(topology)
    model = Model(topology, body, joint)
    own = {k: arrays[k] for k in work}
    control = np.zeros(lay.CONTROLS, np.int64)
    made = Work(**own, general=np.zeros(general), control=control, number=np.zeros(lay.NUMBERS))
    made.control[lay.COUPLED] = int(any(e is not None for e in edges))
    start_turns(model, state)
    body_row = {b.name: i for i, b in enumerate(bodies)}
    joint_row = {e.name: i for i, e in enumerate(edges) if e is not None}
    return Built(scene, forest, model, state, made, body_row, joint_row, flipped, principal)


def _pool(n: int, columns: dict[str, int]) -> dict[str, Floats]:
    """Arrays of n rows out of one allocation: large enough, it gets large pages, and a step over thousands of bodies
    does not wait for address translation."""
    pool = np.zeros(sum(n * c + LINE for c in columns.values()))
    arrays: dict[str, Floats] = {}
    start = 0
    for name, c in columns.items():
        arrays[name] = pool[start : start + n * c].reshape(n, c)
        start += -(-n * c // LINE) * LINE
    return arrays


WORK_COLUMNS = {
    "rotation": 9, "edge": lay.EDGE, "gap": 6, "spring": lay.SPRING, "row": lay.ROW, "rows": 36,
    "reduced": lay.REDUCED, "wrench": 6, "next_pose": 7, "next_rotation": 9, "next_wrench": 6, "next_gap": 6,
    "other_pose": 7, "stash": lay.STASH,
}  # fmt: skip


def _work_columns(stride: int) -> dict[str, int]:
    own = {"block": stride * (stride + 1) // 2, "force": stride, "velocity": stride, "next_velocity": stride}
    return {**WORK_COLUMNS, **own, "backup": 7 + stride + lay.MEMORY}


def _fill_body(
    i: int,
    definition: Body | Particle,
    topology: np.ndarray,
    body: Floats,
    pose: Floats,
    velocity: Floats,
    principal: Floats,
) -> None:
    body[i, lay.MASS] = definition.mass
    body[i, lay.INVERSE_MASS] = 1.0 / definition.mass
    pose[i, :3] = definition.position
    velocity[i, :3] = definition.velocity
    principal[i] = (1.0, 0.0, 0.0, 0.0)
    if isinstance(definition, Particle):
        topology[i, lay.BODY_KIND] = lay.PARTICLE
        topology[i, lay.DIM] = 3
        pose[i, 3] = 1.0
        return
    topology[i, lay.BODY_KIND] = lay.RIGID
    topology[i, lay.DIM] = 6
    velocity[i, 3:6] = definition.angular_velocity
    orientation = np.array(definition.orientation)
    if len(definition.inertia) == 3:
        body[i, lay.INERTIA : lay.INERTIA + 3] = definition.inertia
    else:
        moments, axes = np.linalg.eigh(inertia_matrix(definition.inertia))
        axes[:, 2] *= np.linalg.det(axes)
        body[i, lay.INERTIA : lay.INERTIA + 3] = moments
        principal[i] = quaternion_of(axes)
        orientation = quaternion_product(orientation, principal[i])
    body[i, lay.INVERSE_INERTIA : lay.INVERSE_INERTIA + 3] = 1.0 / body[i, lay.INERTIA : lay.INERTIA + 3]
    pose[i, 3:] = orientation


def _fill_topology(i: int, edge: Joint | None, topology: np.ndarray) -> None:
    kind = lay.FREE if edge is None else KINDS[type(edge)]
    parent = topology[i, lay.PARENT]
    particle = topology[i, lay.BODY_KIND] == lay.PARTICLE
    beside_particle = parent >= 0 and topology[parent, lay.BODY_KIND] == lay.PARTICLE
    topology[i, lay.KIND] = kind
    topology[i, lay.ROWS] = ROWS[kind]
    topology[i, lay.DOFS] = AXES[kind]
    if particle:
        # a point has no rotation of its own: three motions where it is free, none where it is held
        topology[i, lay.DOFS] = {lay.FREE: 3, lay.BALL: 0, lay.DISTANCE: -1}[kind]
    topology[i, lay.PATH] = lay.PATH_GENERAL if particle or beside_particle else PATHS[kind]


def _fill_joint(i: int, edge: Joint, flip: bool, topology: np.ndarray, joint: Floats, pose: Floats) -> None:
    """Anchors and axes in the frames of the two bodies, springs with the coordinates of child relative to parent."""
    parent = topology[i, lay.PARENT]
    x_child, q_child = pose[i, :3], pose[i, 3:]
    x_parent, q_parent = (np.zeros(3), np.array([1.0, 0, 0, 0])) if parent < 0 else (pose[parent, :3], pose[parent, 3:])
    at_parent, at_child = (edge.points[1], edge.points[0]) if flip else edge.points
    r_child, r_parent = matrix_of(q_child), matrix_of(q_parent)
    joint[i, lay.ANCHOR_CHILD : lay.ANCHOR_CHILD + 3] = r_child.T @ (np.array(at_child) - x_child)
    joint[i, lay.ANCHOR_PARENT : lay.ANCHOR_PARENT + 3] = r_parent.T @ (np.array(at_parent) - x_parent)
    joint[i, lay.REACH_CHILD] = np.linalg.norm(joint[i, lay.ANCHOR_CHILD : lay.ANCHOR_CHILD + 3])
    joint[i, lay.REACH_PARENT] = np.linalg.norm(joint[i, lay.ANCHOR_PARENT : lay.ANCHOR_PARENT + 3])
    frame = joint_frame(edge, flip)
    joint[i, lay.AXES_CHILD : lay.AXES_CHILD + 9] = (r_child.T @ frame).ravel()
    joint[i, lay.AXES_PARENT : lay.AXES_PARENT + 9] = (r_parent.T @ frame).ravel()
    f = quaternion_of(frame)
    joint[i, lay.FRAME_CHILD : lay.FRAME_CHILD + 4] = quaternion_product(conjugate(q_child), f)
    joint[i, lay.FRAME_PARENT : lay.FRAME_PARENT + 4] = quaternion_product(conjugate(q_parent), f)
    joint[i, lay.REST_FRAME : lay.REST_FRAME + 4] = quaternion_product(conjugate(q_child), q_parent)
    _fill_turn(i, topology[i, lay.KIND], joint)
    if isinstance(edge, Distance):
        joint[i, lay.LENGTH] = edge.length
    joint[i, lay.LOWER : lay.LOWER + 3] = -math.inf
    joint[i, lay.UPPER : lay.UPPER + 3] = math.inf
    if isinstance(edge, SpringJoint):
        _fill_springs(i, edge, flip, topology, joint, q_child, q_parent)


def _fill_turn(i: int, kind: int, joint: Floats) -> None:
    """conj(f_parent) r f_child is linear in r: the rows of its w and z (hinge) or x (universal) component."""
    f_child = joint[i, lay.FRAME_CHILD : lay.FRAME_CHILD + 4]
    f_parent = conjugate(joint[i, lay.FRAME_PARENT : lay.FRAME_PARENT + 4])
    columns = [quaternion_product(quaternion_product(f_parent, unit), f_child) for unit in np.eye(4)]
    table = np.column_stack(columns)
    joint[i, lay.TURN_W : lay.TURN_W + 4] = table[0]
    joint[i, lay.TURN_Z : lay.TURN_Z + 4] = table[1 if kind == lay.UNIVERSAL else 3]


def _fill_springs(
    i: int, edge: SpringJoint, flip: bool, topology: np.ndarray, joint: Floats, q_child: Floats, q_parent: Floats
) -> None:
    order = axis_order(edge, flip)
    joint[i, lay.STIFFNESS : lay.STIFFNESS + len(order)] = np.array(edge.stiffness)[order]
    joint[i, lay.DAMPING : lay.DAMPING + len(order)] = np.array(edge.damping)[order]
    limits = edge.soft_limits
    if isinstance(edge, Ball):
        turn = rotation_quaternion(np.array(edge.rest))
        if flip:
            rest = quaternion_product(conjugate(q_child), quaternion_product(turn, q_parent))
        else:
            rest = quaternion_product(conjugate(quaternion_product(turn, q_child)), q_parent)
        joint[i, lay.REST_FRAME : lay.REST_FRAME + 4] = rest
        if limits is not None:
            low, high = limits.twist  # type: ignore[misc]
            joint[i, lay.UPPER] = limits.swing
            joint[i, lay.LOWER + 2], joint[i, lay.UPPER + 2] = (-high, -low) if flip else (low, high)
    else:
        joint[i, lay.REST : lay.REST + len(order)] = np.array(edge.rest)[order]
        if limits is not None:
            joint[i, lay.LOWER : lay.LOWER + len(order)] = np.array(limits.lower)[order]
            joint[i, lay.UPPER : lay.UPPER + len(order)] = np.array(limits.upper)[order]
    if limits is not None:
        joint[i, lay.LIMIT_STIFFNESS : lay.LIMIT_STIFFNESS + len(order)] = np.array(limits.stiffness)[order]
        joint[i, lay.LIMIT_DAMPING : lay.LIMIT_DAMPING + len(order)] = np.array(limits.damping)[order]
    topology[i, lay.FLAGS] = spring_flags(topology[i], joint[i])


def spring_flags(topology: np.ndarray, joint: Floats) -> int:
    """Which parts of the spring kernels a joint's present values need."""
    stiffness = joint[lay.STIFFNESS : lay.STIFFNESS + 3]
    damping = joint[lay.DAMPING : lay.DAMPING + 3]
    flags = 0
    if stiffness.any() or damping.any():
        flags |= lay.STIFF
    limits = joint[lay.LIMIT_STIFFNESS : lay.LIMIT_STIFFNESS + 6]
    if limits.any():
        flags |= lay.LIMITED
    if topology[lay.KIND] == lay.BALL and (np.ptp(stiffness) or np.ptp(damping)):
        flags |= lay.ANISOTROPIC
    return flags


def axis_order(edge: Joint, flip: bool) -> list[int]:
    """Which of the joint's coordinates stands in each column: a reversed universal joint has its axes exchanged."""
    return [1, 0] if isinstance(edge, Universal) and flip else list(range(edge.axes))


def joint_frame(edge: Joint, flip: bool) -> np.ndarray:
    """World axes of the joint frame as drawn (columns). Reversed, its axes point the other way, so that the coordinate
    of a relative to b about them is that of b relative to a."""
    if isinstance(edge, Hinge | Slider):
        z = np.array(edge.axis)
        return frame_about(-z if flip else z, None)
    if isinstance(edge, Universal):
        x, y = np.array(edge.axis), np.array(edge.axis2)
        if flip:
            x, y = -y, -x
        return np.column_stack([x, y, np.cross(x, y)])
    if isinstance(edge, Ball):
        return frame_about(np.array(edge.twist_axis), None if edge.swing_axis is None else np.array(edge.swing_axis))
    return np.eye(3)


def frame_about(z: np.ndarray, x: np.ndarray | None) -> np.ndarray:
    """An orthonormal frame with this z axis, x as near to the wish as can be."""
    wish = np.eye(3)[np.argmin(np.abs(z))] if x is None else x
    across = wish - z * (z @ wish)
    if np.linalg.norm(across) < 1e-6:
        raise DefinitionError("swing_axis of a ball joint", tuple(wish), "a direction not along its twist_axis")
    across /= np.linalg.norm(across)
    return np.column_stack([across, np.cross(z, across), z])


def _number_dofs(topology: np.ndarray) -> None:
    """Places of the joint coordinates in stacked vectors."""
    dofs = np.maximum(topology[:, lay.DOFS], 0)
    topology[:, lay.FIRST_DOF] = np.cumsum(dofs) - dofs


def _fill_softness(topology: np.ndarray, body: Floats, joint: Floats) -> None:
    """max over the principal axes e of |r x e| / I_e: a joint force f stiffens the rotation about e by at most |f||r
    x e|. Where that is small against I_e / h^2, geometric stiffness can be left out (physics/README.md)."""
    for i in np.flatnonzero(topology[:, lay.KIND] != lay.FREE):
        ends = ((i, lay.ANCHOR_CHILD, lay.SOFT_CHILD), (topology[i, lay.PARENT], lay.ANCHOR_PARENT, lay.SOFT_PARENT))
        for row, anchor, out in ends:
            if row < 0 or topology[row, lay.BODY_KIND] != lay.RIGID:
                continue
            r = joint[i, anchor : anchor + 3]
            across = np.sqrt(np.maximum(r @ r - r * r, 0.0))
            if topology[i, lay.KIND] == lay.SLIDER and out == lay.SOFT_PARENT:
                across[:] = np.inf  # the lever changes with the travel
            joint[i, out] = (across / body[row, lay.INERTIA : lay.INERTIA + 3]).max()


def _fill_posing(forest: Forest, body: Floats, pose: Floats) -> None:
    tree = np.array(forest.tree)
    for number in np.unique(tree):
        rows = tree == number
        size = np.linalg.norm(np.ptp(pose[rows, :3], axis=0))
        body[rows, lay.POSING] = POSING_FRICTION * body[rows, lay.MASS].sum() * size**2


def _fill_general(topology: np.ndarray) -> int:
    offset = 0
    for i in np.flatnonzero(topology[:, lay.PATH] == lay.PATH_GENERAL):
        parent = topology[i, lay.PARENT]
        m = int(topology[parent, lay.DIM]) if parent >= 0 else 0
        topology[i, lay.GENERAL] = offset
        offset += general_size(int(topology[i, lay.DIM]), m, int(topology[i, lay.ROWS]))
    return max(offset, 1)


def start_turns(model: Model, state: State, body: int | None = None) -> None:
    """Count turns afresh from the present pose, every angle between -pi and pi: of all joints, or those of one body."""
    identity = np.array([1.0, 0.0, 0.0, 0.0])
    counted = np.isin(model.topology[:, lay.KIND], (lay.HINGE, lay.UNIVERSAL))
    if body is not None:
        rows = np.arange(len(counted))
        counted &= (rows == body) | (model.topology[:, lay.PARENT] == body)
    for i in np.flatnonzero(counted):
        parent = model.topology[i, lay.PARENT]
        q_parent = identity if parent < 0 else state.pose[parent, 3:]
        r = quaternion_product(conjugate(q_parent), state.pose[i, 3:])
        w = model.joint[i, lay.TURN_W : lay.TURN_W + 4] @ r
        z = model.joint[i, lay.TURN_Z : lay.TURN_Z + 4] @ r
        turn = 2.0 * math.atan2(z, w)
        state.memory[i, lay.OFFSET] = -2.0 * math.pi if turn > math.pi else 2.0 * math.pi if turn <= -math.pi else 0.0
        state.memory[i, lay.LAST] = z


# ---------------------------------------------------------------- rotations of definitions
def quaternion_product(p: Sequence[float] | np.ndarray, q: Sequence[float] | np.ndarray) -> np.ndarray:
    return np.array([
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ])  # fmt: skip


def conjugate(q: np.ndarray) -> np.ndarray:
    return np.array([q[0], -q[1], -q[2], -q[3]])


def rotation_quaternion(vector: np.ndarray) -> np.ndarray:
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) / angle * vector])


def matrix_of(q: Sequence[float] | np.ndarray) -> np.ndarray:
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion_of(r: np.ndarray) -> np.ndarray:
    """The unit quaternion of a rotation matrix, by its largest component."""
    t = np.array([np.trace(r), r[0, 0], r[1, 1], r[2, 2]])
    k = int(np.argmax(t))
    if k == 0:
        q = np.array([1 + t[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    else:
        i, j, m = (k - 1, k % 3, (k + 1) % 3)
        q = np.zeros(4)
        q[0] = r[m, j] - r[j, m]
        q[1 + i] = 1 + r[i, i] - r[j, j] - r[m, m]
        q[1 + j] = r[j, i] + r[i, j]
        q[1 + m] = r[m, i] + r[i, m]
    return q / np.linalg.norm(q)
