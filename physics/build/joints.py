"""The rows that the joints of a scene have in Model.topology and Model.joint: anchors, axes, springs."""

import math
from collections.abc import Sequence

import numpy as np

from physics.build.bodies import is_scaled
from physics.build.build_constraints import fill_constraint, fill_constraint_topology
from physics.build.poses import parent_pose, read_series
from physics.data.model import Floats
from physics.data.model_tables import (
    Bodies, BodyKind, Forms, JointKind, Joints, Materials, Path, SeriesAxis, SpringFlag, Topology,
)  # fmt: skip
from physics.data.state_tables import PoseColumn
from physics.definitions.constraints import Constraint
from physics.definitions.joints import Ball, Distance, Joint, SpringJoint
from physics.maths.rotations import (
    conjugate, matrix_of, quaternion_of, quaternion_product, rotation_quaternion,
)  # fmt: skip
from physics.definitions.series import ScrewAxis, reversed_series, twists
from physics.definitions.signal import Signal
from physics.definitions.springs import Spring
from physics.joints.table import FROM_DEFINITION, JOINT_OF_NAME, JOINTS
from physics.maths.strict import norm, product

TRACE = 1e-11  # armature of a joint of three axes over the inertia that they move (below what any result shows)


def fill_topology(row: np.ndarray, edge: Joint | None, topology: np.ndarray) -> None:
    """Write the kind, the numbers of rows and coordinates, and the elimination path of a joint to its row of
    Model.topology or Model.links. If `edge` is None, the row is that of a free root."""
    if isinstance(edge, Constraint):
        fill_constraint_topology(row, edge)
        return
    entry = JOINT_OF_NAME["free" if edge is None else edge.equations or edge.kind]
    child, parent = (
        BodyKind.RIGID if k < 0 else topology[k, Topology.BODY_KIND] for k in row[[Topology.CHILD, Topology.PARENT]]
    )
    if child == BodyKind.PLANAR and (row[Topology.PARENT] < 0 or parent == BodyKind.PLANAR):
        entry = JOINT_OF_NAME[entry.between_planar_bodies]
    kind = entry.code
    particle = topology[row[Topology.CHILD], Topology.BODY_KIND] == BodyKind.PARTICLE
    beside_particle = (
        row[Topology.PARENT] >= 0 and topology[row[Topology.PARENT], Topology.BODY_KIND] == BodyKind.PARTICLE
    )
    row[Topology.KIND] = kind
    if entry.count_axes == FROM_DEFINITION:
        assert edge is not None
        row[Topology.ROWS], row[Topology.DOFS] = 6 - edge.axes, edge.axes
    else:
        row[Topology.ROWS], row[Topology.DOFS] = entry.count_rows, entry.count_axes
    row[Topology.HOLONOMIC] = row[Topology.ROWS]
    if kind in (JointKind.POINT_SPRING, JointKind.ROPE):
        row[Topology.PATH] = entry.path
        return
    if particle:
        # a point has no rotation of its own: three motions where it is free, none where it is held
        row[Topology.DOFS] = {JointKind.FREE: 3, JointKind.BALL: 0, JointKind.DISTANCE: -1}[kind]
    elif kind == JointKind.FREE:
        row[Topology.DOFS] = topology[row[Topology.CHILD], Topology.DIM]
    row[Topology.PATH] = Path.GENERAL if particle or beside_particle else entry.path
    general = child in (BodyKind.PLANAR, BodyKind.UNIFORM, BodyKind.STRETCHED) or parent in (
        BodyKind.UNIFORM,
        BodyKind.STRETCHED,
    )
    row[Topology.ELIMINATION] = Path.GENERAL if general else row[Topology.PATH]


def fill_joint(
    row: np.ndarray, edge: Joint, flip: bool, joint: Floats, pose: Floats, frame: Floats, form: Floats
) -> None:
    """Write the row of Model.joint for an edge: anchors and axes in the frames of its two bodies, and springs for the
    coordinates of the child relative to the parent. With `flip`, the child is body a of the joint; otherwise it is body
    b."""
    child, parent = row[Topology.CHILD], row[Topology.PARENT]
    x_child, q_child = pose[child, :3], pose[child, 3:7]
    x_parent, q_parent = parent_pose(parent, pose, frame)
    at_parent, at_child = (edge.points[1], edge.points[0]) if flip else edge.points
    r_child, r_parent = matrix_of(q_child), matrix_of(q_parent)
    joint[Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3] = product(r_child.T, np.array(at_child) - x_child)
    joint[Joints.ANCHOR_PARENT : Joints.ANCHOR_PARENT + 3] = product(r_parent.T, np.array(at_parent) - x_parent)
    joint[Joints.REACH_CHILD] = norm(joint[Joints.ANCHOR_CHILD : Joints.ANCHOR_CHILD + 3])
    joint[Joints.REACH_PARENT] = norm(joint[Joints.ANCHOR_PARENT : Joints.ANCHOR_PARENT + 3])
    in_plane = row[Topology.KIND] in (JointKind.PLANE_HINGE, JointKind.PLANE_SLIDER, JointKind.PLANE_WELD)
    normal = form[child, Forms.NORMAL : Forms.NORMAL + 3] if in_plane else None
    frame = edge.joint_frame(flip) if normal is None else edge.plane_frame(flip, normal)
    joint[Joints.AXES_CHILD : Joints.AXES_CHILD + 9] = product(r_child.T, frame).ravel()
    joint[Joints.AXES_PARENT : Joints.AXES_PARENT + 9] = product(r_parent.T, frame).ravel()
    f = quaternion_of(frame)
    joint[Joints.FRAME_CHILD : Joints.FRAME_CHILD + 4] = quaternion_product(conjugate(q_child), f)
    joint[Joints.FRAME_PARENT : Joints.FRAME_PARENT + 4] = quaternion_product(conjugate(q_parent), f)
    joint[Joints.REST_FRAME : Joints.REST_FRAME + 4] = quaternion_product(conjugate(q_child), q_parent)
    if row[Topology.KIND] in (JointKind.HINGE, JointKind.PLANE_HINGE):
        joint[Joints.HINGE_CHILD : Joints.HINGE_CHILD + 3] = product(r_child.T, frame)[:, 2]
        joint[Joints.HINGE_PARENT : Joints.HINGE_PARENT + 3] = product(r_parent.T, frame)[:, 2]
    if isinstance(edge, Constraint):
        fill_constraint(edge, flip, r_parent if flip else r_child, r_child if flip else r_parent, joint)
        return
    if isinstance(edge, Distance) and not isinstance(edge.length, Signal):
        joint[Joints.LENGTH] = edge.length
    joint[Joints.LOWER : Joints.LOWER + 3] = -math.inf
    joint[Joints.UPPER : Joints.UPPER + 3] = math.inf
    if row[Topology.KIND] == JointKind.COMPOUND:
        _fill_series(reversed_series(edge.series) if flip else edge.series, joint)  # type: ignore[attr-defined]
    if isinstance(edge, Spring):
        joint[Joints.LENGTH] = edge.rest
        joint[Joints.LOWER] = 0.0 if edge.tension_only else -math.inf
    if isinstance(edge, SpringJoint):
        _fill_springs(row, edge, flip, joint, q_child, q_parent)


def _fill_series(series: Sequence[ScrewAxis], joint: Floats) -> None:
    """Write the number of the screw axes of a compound joint, and the axes themselves, to its row of Model.joint."""
    joint[Joints.SERIES_COUNT] = len(series)
    for k, axis in enumerate(series):
        o = Joints.SERIES + SeriesAxis.WIDTH * k
        joint[o : o + SeriesAxis.WIDTH] = (*axis.direction, *axis.point, axis.slide, axis.turn)


def fill_trace(row: np.ndarray, body: Floats, joint: Floats) -> None:
    """Write the smallest armature of a compound joint with three axes, at least two of which rotate: such axes can
    become linearly dependent. It is a tiny fraction of the inertia that each axis moves, taken from the body where this
    inertia is smaller. It determines how two axes that have the same motion share this motion."""
    if row[Topology.KIND] != JointKind.COMPOUND or joint[Joints.SERIES_COUNT] < 3:
        return
    series = read_series(joint)
    if sum(axis.turn != 0.0 for axis in series) < 2:
        return
    n = twists(series, (0.0, 0.0, 0.0))
    moved = []
    ends = (
        (Topology.CHILD, Joints.ANCHOR_CHILD, Joints.AXES_CHILD),
        (Topology.PARENT, Joints.ANCHOR_PARENT, Joints.AXES_PARENT),
    )
    for end, anchor, axes in ends:
        k = row[end]
        if k < 0:
            continue
        local = joint[axes : axes + 9].reshape(3, 3)
        spin = product(local, n[3:])
        v = product(local, n[:3]) - np.cross(spin.T, joint[anchor : anchor + 3]).T
        about = product(body[k, Bodies.INERTIA : Bodies.INERTIA + 3], spin * spin)
        moved.append(body[k, Bodies.MASS] * (v * v).sum(axis=0) + about)
    least = TRACE * np.min(moved, axis=0)
    joint[Joints.ARMATURE : Joints.ARMATURE + 3] = np.maximum(joint[Joints.ARMATURE : Joints.ARMATURE + 3], least)
    row[Topology.FLAGS] |= spring_flags(row, joint)


def fill_turns(rows: list[int], table: np.ndarray, joint: Floats) -> None:
    """Write TURN_W and TURN_Z in these rows of Model.joint. The relative rotation of the joint frames, conj(f_parent) r
    f_child, is linear in the relative rotation r of the bodies (all are quaternions). TURN_W are the coefficients of
    its w component, and TURN_Z those of the component along the axis `JointEntry.turns_about` (x or z)."""
    f_child = joint[rows, Joints.FRAME_CHILD : Joints.FRAME_CHILD + 4]
    f_parent = conjugate(joint[rows, Joints.FRAME_PARENT : Joints.FRAME_PARENT + 4])
    about_x = np.isin(table[rows, Topology.KIND], [entry.code for entry in JOINTS if entry.turns_about == 0])
    for k, unit in enumerate(np.eye(4)):
        column = quaternion_product(quaternion_product(f_parent, unit), f_child)
        joint[rows, Joints.TURN_W + k] = column[:, 0]
        joint[rows, Joints.TURN_Z + k] = np.where(about_x, column[:, 1], column[:, 3])


def _fill_springs(
    row: np.ndarray, edge: SpringJoint, flip: bool, joint: Floats, q_child: Floats, q_parent: Floats
) -> None:
    """Write stiffness, damping, armature, rest and soft limits of a joint to `joint`, its row of Model.joint. Write its
    spring flags to `row`, its row of Model.topology or Model.links."""
    order = axis_order(edge, flip)
    joint[Joints.STIFFNESS : Joints.STIFFNESS + len(order)] = np.array(edge.stiffness)[order]
    joint[Joints.DAMPING : Joints.DAMPING + len(order)] = np.array(edge.damping)[order]
    joint[Joints.ARMATURE : Joints.ARMATURE + len(order)] = np.array(edge.armature)[order]
    limits = edge.soft_limits
    if isinstance(edge, Ball):
        turn = rotation_quaternion(np.array(edge.rest))
        if flip:
            rest = quaternion_product(conjugate(q_child), quaternion_product(turn, q_parent))
        else:
            rest = quaternion_product(conjugate(quaternion_product(turn, q_child)), q_parent)
        joint[Joints.REST_FRAME : Joints.REST_FRAME + 4] = rest
        if limits is not None:
            low, high = limits.twist  # type: ignore[misc]
            joint[Joints.UPPER] = limits.swing
            joint[Joints.LOWER + 2], joint[Joints.UPPER + 2] = (-high, -low) if flip else (low, high)
    else:
        joint[Joints.REST : Joints.REST + len(order)] = np.atleast_1d(edge.rest)[order]
        if limits is not None:
            joint[Joints.LOWER : Joints.LOWER + len(order)] = np.array(limits.lower)[order]
            joint[Joints.UPPER : Joints.UPPER + len(order)] = np.array(limits.upper)[order]
    if limits is not None:
        joint[Joints.LIMIT_STIFFNESS : Joints.LIMIT_STIFFNESS + len(order)] = np.array(limits.stiffness)[order]
        joint[Joints.LIMIT_DAMPING : Joints.LIMIT_DAMPING + len(order)] = np.array(limits.damping)[order]
    row[Topology.FLAGS] = spring_flags(row, joint)


def spring_flags(topology: np.ndarray, joint: Floats) -> int:
    """Return the spring flags that the present values in the row of a joint in Model.joint require."""
    stiffness = joint[Joints.STIFFNESS : Joints.STIFFNESS + 3]
    damping = joint[Joints.DAMPING : Joints.DAMPING + 3]
    flags = 0
    if stiffness.any() or damping.any():
        flags |= SpringFlag.STIFF
    limits = joint[Joints.LIMIT_STIFFNESS : Joints.LIMIT_STIFFNESS + 6]
    if limits.any():
        flags |= SpringFlag.LIMITED
    if joint[Joints.ARMATURE : Joints.ARMATURE + 3].any():
        flags |= SpringFlag.ROTOR
    if topology[Topology.KIND] in (JointKind.BALL, JointKind.TORSION_SPRING) and (np.ptp(stiffness) or np.ptp(damping)):
        flags |= SpringFlag.ANISOTROPIC
    return flags


def axis_order(edge: Joint, flip: bool) -> list[int]:
    """Return for each column of a joint's row which coordinate of the joint it has. With `flip` the last axis comes
    first, except for a ball joint."""
    order = list(range(edge.axes))
    return order[::-1] if flip and not isinstance(edge, Ball) else order


def fill_material(table: np.ndarray, topology: np.ndarray, joint: Floats, pose: Floats, material: Floats) -> None:
    """Write the anchors on scaled bodies, as they are at scale 1, to Model.material. They are computed from the drawn
    anchors. Functions of poses have no anchors, and are left out."""
    for e, row in enumerate(table):
        if row[Topology.OWN_ROWS] != 0:
            continue
        ends = (
            (Topology.CHILD, Joints.ANCHOR_CHILD, Materials.CHILD),
            (Topology.PARENT, Joints.ANCHOR_PARENT, Materials.PARENT),
        )
        for end, anchor, out in ends:
            if is_scaled(topology, row[end]):
                material[e, out : out + 3] = joint[e, anchor : anchor + 3] / pose[row[end], PoseColumn.SHAPE :]
