"""What joints and constraints write to the arrays of edges at a pose: levers, motion axes, constraint rows, errors and
coordinates. Right-hand sides are in `physics.edges.right_hand_sides`, springs in `physics.edges.joint_springs`.

An edge connects a child to its parent. Edge i is the inbound edge of body i, in the forest. Link j, outside the forest,
is edge n + j; it connects any two bodies. Functions `edge_*` take the table `t` (Model.topology or Model.links), the
row r in it, the edge e and its child c.

The ball, the hinge and the weld are the most frequent kinds, and are inlined into the loops over the forest. Every
other kind, and every link, is called through `physics.joints.kinds`."""

import math

from physics.bodies import islands, scales
from physics.bodies.loops import sum_over_tiles
from physics.compiler.jit import inline, kernel, rare
from physics.data.model_tables import JointKind, Joints, Path, Topology
from physics.data.state_tables import Memory, PoseColumn
from physics.data.step_tables import Control, Number, Part
from physics.data.work_tables import Edges
from physics.definitions import prescribed
from physics.edges import simd_groups, many_body_links
from physics.edges.edge_ends import parent_pose, parent_quaternion
from physics.edges.joint_forces import add_to_means, gather_forces, put_forces
from physics.joints import ball, hinge, kinds, weld
from physics.maths import quat
from physics.maths.columns import copy_all
from physics.maths.prefetch import AHEAD, are_many, fetch_row_to_write, fetcher
from physics.maths.vec import ZERO3, dot, load3, load4, load9, norm, store3, store9

fetch_place = fetcher((Topology.PARENT,))
fetch_joint = fetcher((Joints.ANCHOR_CHILD,))
fetch_levers = fetcher((Edges.RC,), True)


# ---------------------------------------------------------------- time
@kernel
def at_time(m, w, t):
    """Write what is prescribed at the time t [s] of a stage to Work.signal and Work.frame."""
    if w.control[Control.SIGNALED] != 0:
        prescribed.evaluate(m.signals, t, w.signal)
        prescribed.fill_frames(m.signals, w.signal, w.frame)


# ---------------------------------------------------------------- geometry
@rare
def ask_frames(m, w, gap, i):
    """Prefetch the rows of body i that `fill_some` reads and writes."""
    fetch_place(m.topology, i)
    fetch_joint(m.joint, i)
    fetch_levers(w.edge, i)
    fetch_row_to_write(gap, i)


@inline
def body_frame(m, s, w, i, pose, rotation):
    """Write the rotation matrix of body i at `pose` to `rotation`, and levers, motion axes (and constraint rows) of its
    inbound edge to Work.edge and Work.rows. Return the error of the edge, linear [m] and angular [rad]."""
    rot_c = quat.matrix(load4(pose, i, 3))
    store9(rotation, i, 0, rot_c)
    return edge_frame(m, s, w, i, pose, rotation, rot_c)


@inline
def edge_frame(m, s, w, i, pose, rotation, rot_c):
    """Write levers, motion axes (and constraint rows) of the inbound edge of body i at `pose` to Work.edge and
    Work.rows. `rotation` holds the matrices of body and parent; rot_c is that of body i. Return the error of the edge,
    linear [m] and angular [rad]."""
    kind = m.topology[i, Topology.KIND]
    xp, rot_p = parent_pose(w, m.topology[i, Topology.PARENT], pose, rotation)
    x = load3(pose, i, 0)
    lin = ZERO3
    ang = ZERO3
    with_rows = w.control[Control.WITH_ROWS] != 0
    if kind == JointKind.BALL:
        lin, ang = ball.frame(m.joint, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, Topology.ELIMINATION] == Path.GENERAL:
            ball.rows(m.joint, i, rot_c, rot_p, w.edge, w.rows)
    elif kind == JointKind.HINGE:
        lin, ang = hinge.frame(m.joint, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, Topology.ELIMINATION] == Path.GENERAL:
            hinge.rows(m.joint, i, rot_c, rot_p, w.edge, w.rows)
    elif kind == JointKind.WELD:
        lin, ang = weld.frame(m.joint, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, Topology.ELIMINATION] == Path.GENERAL:
            kinds.rows(kind, m.joint, i, rot_c, rot_p, w.edge, w.rows)
    elif kind != JointKind.FREE:
        lin, ang = kinds.frame(kind, m.joint, m.table, s.memory, w.signal, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, Topology.ELIMINATION] == Path.GENERAL:
            kinds.rows(kind, m.joint, i, rot_c, rot_p, w.edge, w.rows)
    return lin, ang


@inline
def body_error(m, s, w, i, pose, rotation):
    """Return the error of the inbound edge of body i at `pose`, linear [m] and angular [rad]. `rotation` holds the
    matrices of body and parent. Work.edge does not change; some kinds write to Work.spare."""
    kind = m.topology[i, Topology.KIND]
    if kind == JointKind.FREE:
        return ZERO3, ZERO3
    xp, rot_p = parent_pose(w, m.topology[i, Topology.PARENT], pose, rotation)
    x = load3(pose, i, 0)
    rot_c = load9(rotation, i, 0)
    if kind == JointKind.BALL:
        return ball.error(m.joint, i, x, rot_c, xp, rot_p)
    if kind == JointKind.HINGE:
        return hinge.error(m.joint, i, x, rot_c, xp, rot_p)
    if kind == JointKind.WELD:
        return weld.error(m.joint, i, x, rot_c, xp, rot_p)
    return kinds.frame(kind, m.joint, m.table, s.memory, w.signal, i, x, rot_c, xp, rot_p, w.spare)


@kernel
def link_frame(m, s, w, j, pose, rotation):
    """Write levers and motion axes of link j at `pose`, whose matrices are in `rotation`, to Work.edge, and its
    constraint rows to Work.rows. Return its error, linear [m] and angular [rad]."""
    e = pose.shape[0] + j
    c = m.links[j, Topology.CHILD]
    kind = m.links[j, Topology.KIND]
    if many_body_links.is_many_body_link(m.links, j):
        return many_body_links.frame(m, s, w, e, pose, rotation)
    rot_c = load9(rotation, c, 0)
    xp, rot_p = parent_pose(w, m.links[j, Topology.PARENT], pose, rotation)
    lin, ang = kinds.frame(kind, m.joint, m.table, s.memory, w.signal, e, load3(pose, c, 0), rot_c, xp, rot_p, w.edge)
    kinds.rows(kind, m.joint, e, rot_c, rot_p, w.edge, w.rows)
    return lin, ang


@kernel
def link_error(m, s, w, j, pose, rotation):
    """Return the error of link j at `pose`, linear [m] and angular [rad]. Work.edge does not change; some kinds write
    to Work.spare."""
    e = pose.shape[0] + j
    c = m.links[j, Topology.CHILD]
    kind = m.links[j, Topology.KIND]
    if many_body_links.is_many_body_link(m.links, j):
        return many_body_links.error(m, s, w, e, pose, rotation)
    xp, rot_p = parent_pose(w, m.links[j, Topology.PARENT], pose, rotation)
    rot_c = load9(rotation, c, 0)
    x = load3(pose, c, 0)
    return kinds.frame(kind, m.joint, m.table, s.memory, w.signal, e, x, rot_c, xp, rot_p, w.spare)


@inline
def larger(worst, where, lin, ang, i):
    """Compare the squared error (lin, ang) of edge i with `worst`, the largest so far, at edge `where`. Return the
    larger one and its edge."""
    return simd_groups.larger(worst, where, dot(lin, lin), dot(ang, ang), i)


@inline
def larger_link(w, worst, where, lin, ang, e):
    """Compare the squared error (lin, ang) of link edge e with `worst`, the largest so far, at edge `where`, and return
    the larger one and its edge. A link in an error state (it contradicts others, or is released) cannot be closed and
    does not count."""
    if w.auxiliary.error_state[e] != 0:
        return worst, where
    return larger(worst, where, lin, ang, e)


@inline
def opening(w, e):
    """Return how far edge e is open in Work.gap: the larger of its linear [m] and angular [rad] error."""
    return max(norm(load3(w.gap, e, 0)), norm(load3(w.gap, e, 3)))


@kernel
def fill_edges(m, s, w, pose, rotation, gap):
    """Write rotation matrices to `rotation` (n, 9), levers, motion axes (and constraint rows) of all edges to Work.edge
    and Work.rows, and their errors to `gap` (n + k, 6), at `pose`. Return the largest error [m or rad] and its edge."""
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    worst, where = fill_tiles(m, s, w, (0.0, -1), pose, rotation, gap)
    return fill_links(m, s, w, pose, rotation, gap, worst, where)


@kernel
def fill_tile(m, s, w, first, end, sums, pose, rotation, gap):
    """Do the work of `fill_edges` for the bodies from `first` to `end`. Return the largest squared error so far and its
    edge."""
    worst, where = sums
    simd_groups.fill_some_rotations(pose, rotation, first, end)
    return fill_some(m, s, w, pose, rotation, gap, first, end, worst, where)


fill_tiles = sum_over_tiles(fill_tile)


@kernel
def fill_some(m, s, w, pose, rotation, gap, first, end, worst, where):
    """Do the work of `fill_edges` for the edges of the bodies from `first` to `end`. Their matrices, and those of all
    bodies before them, are filled. Return the largest squared error so far and its edge."""
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            ask_frames(m, w, gap, i + AHEAD)
        last = simd_groups.after_hinges(m.topology, i, end)
        if last != 0 and w.control[Control.WITH_ROWS] == 0:
            worst, where = simd_groups.fill_hinges(m, w, i, last, pose, rotation, gap, worst, where)
            i = last
            continue
        lin, ang = edge_frame(m, s, w, i, pose, rotation, load9(rotation, i, 0))
        store3(gap, i, 0, lin)
        store3(gap, i, 3, ang)
        worst, where = larger(worst, where, lin, ang, i)
        i += 1
    return worst, where


@inline
def fill_links(m, s, w, pose, rotation, gap, worst, where):
    """Do the work of `fill_edges` for the links. Return the largest error of all edges [m or rad] and its edge."""
    n = pose.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = link_frame(m, s, w, j, pose, rotation)
        store3(gap, n + j, 0, lin)
        store3(gap, n + j, 3, ang)
        worst, where = larger_link(w, worst, where, lin, ang, n + j)
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_stretch(m, rotation, w.stretch)
    return math.sqrt(worst), where


@kernel
def fill_errors(m, s, w, pose, rotation, gap):
    """Write rotation matrices to `rotation` (n, 9) and the errors of all edges to `gap` (n + k, 6), at `pose`, and
    leave Work.edge as it is. Return the largest error [m or rad]."""
    worst = 0.0
    where = -1
    n = pose.shape[0]
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    simd_groups.fill_rotations(pose, rotation)
    for i in range(n):
        lin, ang = body_error(m, s, w, i, pose, rotation)
        store3(gap, i, 0, lin)
        store3(gap, i, 3, ang)
        worst, where = larger(worst, where, lin, ang, i)
    for j in range(m.links.shape[0]):
        lin, ang = link_error(m, s, w, j, pose, rotation)
        store3(gap, n + j, 0, lin)
        store3(gap, n + j, 3, ang)
        worst, where = larger_link(w, worst, where, lin, ang, n + j)
    return math.sqrt(worst)


# ---------------------------------------------------------------- coordinates, and what an accepted pose leaves behind
@inline
def edge_coordinates(m, s, w, t, r, e, c, pose, rotation):
    """Return the three joint coordinates of edge e at `pose`, whose matrices are in `rotation`; unused ones are 0."""
    p = t[r, Topology.PARENT]
    xp, rot_p = parent_pose(w, p, pose, rotation)
    x = load3(pose, c, 0)
    rot_c = load9(rotation, c, 0)
    qp = parent_quaternion(w, p, pose)
    return kinds.coordinates(
        t[r, Topology.KIND], m.joint, s.memory, w.signal, e, x, rot_c, load4(pose, c, 3), xp, rot_p, qp
    )


@kernel
def fill_coordinates(m, s, w, pose, rotation, out):
    """Write the joint coordinates of all edges at `pose`, whose matrices are in `rotation`, to `out` (n + k, 3)."""
    n = m.topology.shape[0]
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    for i in range(n):
        store3(out, i, 0, edge_coordinates(m, s, w, m.topology, i, i, i, pose, rotation))
    for j in range(m.links.shape[0]):
        store3(out, n + j, 0, edge_coordinates(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], pose, rotation))


@inline
def edge_remember(m, s, w, t, r, e, c, pose, rotation):
    """Update State.memory of edge e, which counts turns, to `pose`, whose matrices are in `rotation`. It is called once
    for each accepted pose."""
    kind = t[r, Topology.KIND]
    if kind == JointKind.BALL or kind == JointKind.FREE or kind == JointKind.WELD:
        return
    p = t[r, Topology.PARENT]
    qc = load4(pose, c, 3)
    qp = parent_quaternion(w, p, pose)
    if kind == JointKind.HINGE:
        hinge.remember(m.joint, s.memory, e, qc, qp)
        return
    xp, rot_p = parent_pose(w, p, pose, rotation)
    kinds.remember(kind, m.joint, m.table, s.memory, e, load3(pose, c, 0), load9(rotation, c, 0), qc, xp, rot_p, qp)


@kernel
def remember_turns(m, s, w, pose, rotation):
    """Update State.memory of all edges to `pose`, whose matrices are in `rotation`."""
    n = m.topology.shape[0]
    for i in range(n):
        edge_remember(m, s, w, m.topology, i, i, i, pose, rotation)
    for j in range(m.links.shape[0]):
        edge_remember(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], pose, rotation)


@kernel
def commit(m, s, w):
    """Copy the next pose, velocity and joint forces from Work to State, and count turns in State.memory; in a pass over
    some islands do so for these alone. Work.rotation holds the matrices of the next pose."""
    if w.control[Control.PART] != Part.ALL_PARTS:
        commit_part(m, s, w)
        return
    n = m.topology.shape[0]
    copy_all(w.next_pose, s.pose)
    copy_all(w.next_velocity, s.velocity)
    put_forces(w, s.memory, Memory.WRENCH)
    i = 0
    while i < n:
        last = m.topology[i, Topology.RUN_END]
        if last != 0:
            if m.topology[i, Topology.KIND] == JointKind.HINGE:
                simd_groups.remember_hinges(m, s, i, last)
            i = last  # a run of balls has nothing to count
        else:
            edge_remember(m, s, w, m.topology, i, i, i, s.pose, w.rotation)
            i += 1
    for j in range(m.links.shape[0]):
        edge_remember(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], s.pose, w.rotation)


@kernel
def commit_part(m, s, w):
    """Do the work of `commit` for the bodies and edges of the present pass only, and add their joint forces to the mean
    of the step."""
    gather_forces(w)
    # what is kept is a whole step, even where `rattle4` composed it
    add_to_means(
        m, w, w.next_wrench, w.number[Number.DT] if w.control[Control.PART] == Part.KEPT_PART else w.number[Number.H]
    )
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        i = islands.child_of(m, e)
        if not islands.takes_part(w, i):
            continue
        for k in range(6):
            s.memory[e, Memory.WRENCH + k] = w.next_wrench[e, k]
        if e < n:
            for k in range(s.pose.shape[1]):
                s.pose[i, k] = w.next_pose[i, k]
            for k in range(s.velocity.shape[1]):
                s.velocity[i, k] = w.next_velocity[i, k]
    for e in range(n + m.links.shape[0]):
        i = islands.child_of(m, e)
        if islands.takes_part(w, i):
            if e < n:
                edge_remember(m, s, w, m.topology, i, i, i, s.pose, w.rotation)
            else:
                edge_remember(m, s, w, m.links, e - n, e, i, s.pose, w.rotation)
