"""Edges: what joints and constraints write to the flat arrays, from poses and velocities.

An edge ties a child to its parent. The edges of the forest come first, edge i that of body i; then come the links, the
edges outside the forest: link j is edge n + j, between any two bodies. Functions `edge_*` take the table `t`
(Model.topology or Model.links), the row r in it, the edge e and its child c.

The ball, the hinge and the weld, which most figures are made of or held by, are inlined into the loops over the forest;
every other kind, and every link, is called through `physics.kinds`.
"""

from physics import conditions, kinds, motions, parts, scales, several, signals, together
from physics.conditions import has_thrusts
from physics.constraints import function
from physics.ends import parent_pose, parent_quaternion, parent_velocity
from physics.joint_forces import put_forces
from physics.joints import axes, ball, hinge, weld
from physics.kernels import quat
from physics.kernels.ahead import AHEAD, TILE, are_many, fetch_row_to_write, fetcher
from physics.kernels.columns import clear_all, clear_rows, copy_all
from physics.kernels.far import far
from physics.kernels.jit import inline, kernel, rare
from physics.kernels.lanes import AT_ONCE
from physics.kernels.vec import (
    ZERO3, ZERO6, add, add_scaled, add_to3, cross, dot, load3, load4, load6, load9, norm, scale, store3,
    store6, store9, sub, sym_mul,
)  # fmt: skip
from physics.layout import (
    ANCHOR_CHILD, ARMATURE, AXIS, BALL, BODY_KIND, CHILD, COORDINATE, COUPLED, DOFS, ELIMINATION, FLAGS,
    FRAME_ACCELERATION, FREE, HINGE, HOLONOMIC, JUMP, KIND, LENGTH, LET_GO, MEETING, OWN_ROWS, PARENT, PARTICLE,
    PATH, PATH_AXES, PATH_BALL, PATH_GENERAL, PATH_HINGE, POINT_SPRING, POSING, POTENTIAL, PUSH, RATES, RC,
    REACH_CHILD, REACH_PARENT, ROTOR, ROWS, RP, SHAPE, SIGNALED, SOFT_CHILD, SOFT_PARENT, SPRING_C, SPRING_K,
    STIFF_BLOCK, TOGETHER, TORQUE, UNIVERSAL, WELD, WITH_ROWS, WRENCH,
)  # fmt: skip


fetch_place = fetcher((PARENT,))
fetch_joint = fetcher((ANCHOR_CHILD,))
fetch_levers = fetcher((RC,), True)
fetch_jump = fetcher((PUSH,), True)


@rare
def ask_frames(m, w, gap, i):
    fetch_place(m.topology, i)
    fetch_joint(m.joint, i)
    fetch_levers(w.edge, i)
    fetch_row_to_write(gap, i)


@rare
def ask_jumps(m, w, i):
    fetch_place(m.topology, i)
    fetch_joint(m.joint, i)
    fetch_jump(w.row, i)


# ---------------------------------------------------------------- time
@kernel
def at_time(m, w, t):
    """What is prescribed as a function of time, at the time of a stage: signals and moving bodies."""
    if w.control[SIGNALED] != 0:
        signals.evaluate(m.signals, t, w.signal)
        motions.fill_frames(m.signals, w.signal, w.frame)


# ---------------------------------------------------------------- geometry
@inline
def body_frame(m, s, w, i, pose, rotation):
    """Rotation matrix of body i at `pose`, levers and motion axes (and constraint rows) of its edge; returns its
    error."""
    rot_c = quat.matrix(load4(pose, i, 3))
    store9(rotation, i, 0, rot_c)
    return edge_frame(m, s, w, i, pose, rotation, rot_c)


@inline
def edge_frame(m, s, w, i, pose, rotation, rot_c):
    """The same where the matrices are known"""
    kind = m.topology[i, KIND]
    xp, rot_p = parent_pose(w, m.topology[i, PARENT], pose, rotation)
    x = load3(pose, i, 0)
    lin = ZERO3
    ang = ZERO3
    with_rows = w.control[WITH_ROWS] != 0
    if kind == BALL:
        lin, ang = ball.frame(m.joint, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, ELIMINATION] == PATH_GENERAL:
            ball.rows(m.joint, i, rot_c, rot_p, w.edge, w.rows)
    elif kind == HINGE:
        lin, ang = hinge.frame(m.joint, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, ELIMINATION] == PATH_GENERAL:
            hinge.rows(m.joint, i, rot_c, rot_p, w.edge, w.rows)
    elif kind == WELD:
        lin, ang = weld.frame(m.joint, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, ELIMINATION] == PATH_GENERAL:
            kinds.rows(kind, m.joint, i, rot_c, rot_p, w.edge, w.rows)
    elif kind != FREE:
        lin, ang = kinds.frame(kind, m.joint, m.table, s.memory, w.signal, i, x, rot_c, xp, rot_p, w.edge)
        if with_rows or m.topology[i, ELIMINATION] == PATH_GENERAL:
            kinds.rows(kind, m.joint, i, rot_c, rot_p, w.edge, w.rows)
    return lin, ang


@inline
def body_error(m, s, w, i, pose, rotation):
    """Error of the inbound edge at `pose` (linear, angular); the matrices of body and parent are in `rotation`. Levers
    and axes in Work.edge stay."""
    kind = m.topology[i, KIND]
    if kind == FREE:
        return ZERO3, ZERO3
    xp, rot_p = parent_pose(w, m.topology[i, PARENT], pose, rotation)
    x = load3(pose, i, 0)
    rot_c = load9(rotation, i, 0)
    if kind == BALL:
        return ball.error(m.joint, i, x, rot_c, xp, rot_p)
    if kind == HINGE:
        return hinge.error(m.joint, i, x, rot_c, xp, rot_p)
    if kind == WELD:
        return weld.error(m.joint, i, x, rot_c, xp, rot_p)
    return kinds.frame(kind, m.joint, m.table, s.memory, w.signal, i, x, rot_c, xp, rot_p, w.spare)


@kernel
def link_frame(m, s, w, j, pose, rotation):
    """Levers, motion axes and constraint rows of a link; returns its error."""
    e = pose.shape[0] + j
    c = m.links[j, CHILD]
    kind = m.links[j, KIND]
    if several.is_one(m.links, j):
        return several.frame(m, s, w, e, pose, rotation)
    rot_c = load9(rotation, c, 0)
    xp, rot_p = parent_pose(w, m.links[j, PARENT], pose, rotation)
    lin, ang = kinds.frame(kind, m.joint, m.table, s.memory, w.signal, e, load3(pose, c, 0), rot_c, xp, rot_p, w.edge)
    kinds.rows(kind, m.joint, e, rot_c, rot_p, w.edge, w.rows)
    return lin, ang


@kernel
def link_error(m, s, w, j, pose, rotation):
    """Error of a link; its levers and axes in Work.edge stay."""
    e = pose.shape[0] + j
    c = m.links[j, CHILD]
    kind = m.links[j, KIND]
    if several.is_one(m.links, j):
        return several.error(m, s, w, e, pose, rotation)
    xp, rot_p = parent_pose(w, m.links[j, PARENT], pose, rotation)
    rot_c = load9(rotation, c, 0)
    x = load3(pose, c, 0)
    return kinds.frame(kind, m.joint, m.table, s.memory, w.signal, e, x, rot_c, xp, rot_p, w.spare)


@inline
def larger(worst, where, lin, ang, i):
    """The larger of the largest squared error so far and this one, and its edge"""
    return together.larger(worst, where, dot(lin, lin), dot(ang, ang), i)


@inline
def larger_link(w, worst, where, lin, ang, e):
    """The same for a link; one that contradicts others cannot be closed, and is reported instead."""
    if w.auxiliary.amiss[e] != 0:
        return worst, where
    return larger(worst, where, lin, ang, e)


@inline
def opening(w, e):
    """How far an edge is open, m or rad"""
    return max(norm(load3(w.gap, e, 0)), norm(load3(w.gap, e, 3)))


@kernel
def fill_edges(m, s, w, pose, rotation, gap):
    """Rotation matrices, levers, motion axes, errors (and constraint rows) at `pose`. Returns the largest error,
    where."""
    worst = 0.0
    where = -1
    n = pose.shape[0]
    if pose.shape[1] > SHAPE:
        scales.put_shape(m, pose)
    for first in range(0, n, TILE):
        end = min(first + TILE, n)
        together.fill_some_rotations(pose, rotation, first, end)
        worst, where = fill_some(m, s, w, pose, rotation, gap, first, end, worst, where)
    return fill_links(m, s, w, pose, rotation, gap, worst, where)


@kernel
def fill_some(m, s, w, pose, rotation, gap, first, end, worst, where):
    """Of the bodies from `first` to `end`, with their matrices and of those before filled; the largest squared error so
    far, where"""
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            ask_frames(m, w, gap, i + AHEAD)
        last = together.after_hinges(m.topology, i, end)
        if last != 0 and w.control[WITH_ROWS] == 0:
            worst, where = together.fill_hinges(m, w, i, last, pose, rotation, gap, worst, where)
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
    """Of the links; returns the largest error of all edges, where"""
    n = pose.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = link_frame(m, s, w, j, pose, rotation)
        store3(gap, n + j, 0, lin)
        store3(gap, n + j, 3, ang)
        worst, where = larger_link(w, worst, where, lin, ang, n + j)
    if pose.shape[1] > SHAPE:
        scales.put_stretch(m, rotation, w.stretch)
    return worst**0.5, where


@kernel
def fill_errors(m, s, w, pose, rotation, gap):
    """Rotation matrices and errors only. Returns the largest error."""
    worst = 0.0
    where = -1
    n = pose.shape[0]
    if pose.shape[1] > SHAPE:
        scales.put_shape(m, pose)
    together.fill_rotations(pose, rotation)
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
    return worst**0.5


# ---------------------------------------------------------------- prescribed jumps b
@inline
def set_jump(t, r, e, w, lin, ang):
    """b without its part along the motion axes, where it would mean nothing: the rows of all modes then agree."""
    path = t[r, PATH]
    if path == PATH_BALL:
        ang = ZERO3
    elif path == PATH_HINGE:
        ang = hinge.without_axis(w.edge, e, ang)
    elif path == PATH_AXES:
        lin, ang = axes.without(t[r, DOFS], w.edge, e, lin, ang)
    store3(w.row, e, JUMP, lin)
    store3(w.row, e, JUMP + 3, ang)


@inline
def scaled_jump(t, r, e, w, gap, k):
    set_jump(t, r, e, w, scale(k, load3(gap, e, 0)), scale(k, load3(gap, e, 3)))


@kernel
def fill_jumps(m, w, gap, k):
    """b = k times the error; what was let go is not closed"""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, KIND] != FREE:
            scaled_jump(m.topology, i, i, w, gap, k)
    for j in range(m.links.shape[0]):
        scaled_jump(m.links, j, n + j, w, gap, k if w.auxiliary.amiss[n + j] != LET_GO else 0.0)


@kernel
def ask_correction(m, s, w, feedback):
    """The error at the next pose as the jump of a pure correction: f = 0, d = 0, b = feedback C. Returns the
    largest."""
    worst = 0.0
    where = -1
    n = m.topology.shape[0]
    if w.next_pose.shape[1] > SHAPE:
        scales.put_shape(m, w.next_pose)
    for first in range(0, n, TILE):
        worst, where = ask_some(m, s, w, feedback, first, min(first + TILE, n), worst, where)
    return ask_links(m, s, w, feedback, worst, where)


@kernel
def ask_some(m, s, w, feedback, first, end, worst, where):
    """Of the bodies from `first` to `end`; the largest squared error so far, where"""
    together.fill_some_rotations(w.next_pose, w.next_rotation, first, end)
    clear_rows(w.force, first, end)
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            ask_jumps(m, w, i + AHEAD)
        last = together.after_hinges(m.topology, i, end)
        if last != 0:
            worst, where = together.ask_hinges(m, w, i, last, feedback, worst, where)
            i = last
            continue
        store3(w.row, i, PUSH, ZERO3)
        if m.topology[i, KIND] != FREE:
            lin, ang = body_error(m, s, w, i, w.next_pose, w.next_rotation)
            worst, where = larger(worst, where, lin, ang, i)
            set_jump(m.topology, i, i, w, scale(feedback, lin), scale(feedback, ang))
        i += 1
    return worst, where


@inline
def ask_links(m, s, w, feedback, worst, where):
    """Of the links; returns the largest error of all edges"""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = link_error(m, s, w, j, w.next_pose, w.next_rotation)
        worst, where = larger_link(w, worst, where, lin, ang, n + j)
        k = feedback if w.auxiliary.amiss[n + j] != LET_GO else 0.0
        set_jump(m.links, j, n + j, w, scale(k, lin), scale(k, ang))
        store3(w.row, n + j, PUSH, ZERO3)
    return worst**0.5


@far("told", "mwnii", "33")
def edge_told(m, w, t, r, e):
    """The twist of the child's anchor that functions of time prescribe: of a moving parent, or relative to the
    parent."""
    lin = ZERO3
    ang = ZERO3
    kind = t[r, KIND]
    if kind != BALL and kind != HINGE and kind != FREE:
        lin, ang = kinds.told_rate(kind, m.joint, w.signal, w.edge, e)
    p = t[r, PARENT]
    if several.is_one(t, r):
        return several.told(m, w, e)
    if p < -1:
        vp, wp = parent_velocity(w, p, w.velocity)
        if t[r, OWN_ROWS] != 0:
            lin, ang = function.rates(w.rows, e, ZERO3, ZERO3, vp, wp)
            return scale(-1.0, lin), scale(-1.0, ang)
        lin = add(lin, add(vp, cross(wp, load3(w.edge, e, RP))))
        ang = add(ang, wp)
    return lin, ang


@kernel
def fill_told(m, w):
    """b = the prescribed twist: zero where nothing is."""
    if w.control[SIGNALED] == 0:
        fill_jumps(m, w, w.gap, 0.0)
    else:
        put_told(m, w)


@far("told", "mw")
def put_told(m, w):
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, KIND] != FREE:
            lin, ang = edge_told(m, w, m.topology, i, i)
            set_jump(m.topology, i, i, w, lin, ang)
    for j in range(m.links.shape[0]):
        lin, ang = edge_told(m, w, m.links, j, n + j)
        set_jump(m.links, j, n + j, w, lin, ang)


@inline
def may_put_in(w):
    return w.control[SIGNALED] != 0 or has_thrusts(w.auxiliary)


@kernel
def put_in(m, w, wrench, before, after):
    """What constraints put into the figure: the power of their wrenches, W, or the work of impulses, J, that take it
    from one of these velocities to the other. It is that of prescribed motions, each edge's wrench times its prescribed
    twist, and of conditions whose forces do not act along their Jacobian."""
    told = sum_of_told(m, w, wrench) if w.control[SIGNALED] != 0 else 0.0
    return told + conditions.power(m, w, wrench, before, after) if has_thrusts(w.auxiliary) else told


@far("told", "mwt", "f")
def sum_of_told(m, w, wrench):
    total = 0.0
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, KIND] != FREE and parts.takes_part(w, i):
            lin, ang = edge_told(m, w, m.topology, i, i)
            total += dot(lin, load3(wrench, i, 0)) + dot(ang, load3(wrench, i, 3))
    for j in range(m.links.shape[0]):
        left_out = w.auxiliary.amiss[n + j] == LET_GO or conditions.has_forces(m, n + j)
        if left_out or not parts.takes_part(w, parts.child_of(m, n + j)):
            continue
        lin, ang = edge_told(m, w, m.links, j, n + j)
        total += dot(lin, load3(wrench, n + j, 0)) + dot(ang, load3(wrench, n + j, 3))
    return total


@inline
def edge_slip(m, s, w, t, r, e, c, pose, rotation, velocity):
    """J u, with J of `pose` (whose matrices `rotation` holds)."""
    if several.is_one(t, r):
        return several.slip(m, s, w, e, pose, rotation, velocity)
    p = t[r, PARENT]
    xp, rot_p = parent_pose(w, p, pose, rotation)
    vp, wp = parent_velocity(w, p, velocity)
    vc = load3(velocity, c, 0)
    if velocity.shape[1] > RATES:
        vc, vp = scales.anchor_velocities(m, e, c, p, rotation, velocity, vc, vp)
    return kinds.slip(
        t[r, KIND], t[r, DOFS], t[r, ROWS], m.joint, m.table, s.memory, w.signal, e, load3(pose, c, 0),
        load9(rotation, c, 0), vc, load3(velocity, c, 3), xp, rot_p, vp, wp, w.spare, w.spare_rows,
    )  # fmt: skip


@inline
def body_slip(m, s, w, i, pose, rotation, velocity):
    """J u of an edge of the forest"""
    kind = m.topology[i, KIND]
    if (kind == BALL or kind == HINGE) and velocity.shape[1] == RATES:
        p = m.topology[i, PARENT]
        xp, rot_p = parent_pose(w, p, pose, rotation)
        vp, wp = parent_velocity(w, p, velocity)
        vc = load3(velocity, i, 0)
        wc = load3(velocity, i, 3)
        x = load3(pose, i, 0)
        if kind == BALL:
            return ball.slip(m.joint, i, x, load9(rotation, i, 0), vc, wc, xp, rot_p, vp, wp)
        return hinge.slip(m.joint, i, x, load9(rotation, i, 0), vc, wc, xp, rot_p, vp, wp)
    return edge_slip(m, s, w, m.topology, i, i, i, pose, rotation, velocity)


@kernel
def fill_slips(m, s, w, pose, rotation, velocity, k):
    """b = k J u, with J of `pose` (whose matrices `rotation` holds)."""
    n = m.topology.shape[0]
    if pose.shape[1] > SHAPE:
        scales.put_shape(m, pose)
    many = are_many(m.topology)
    for i in range(n):
        if many:
            ask_jumps(m, w, i + AHEAD)
        if m.topology[i, KIND] != FREE:
            lin, ang = body_slip(m, s, w, i, pose, rotation, velocity)
            set_jump(m.topology, i, i, w, scale(k, lin), scale(k, ang))
    for j in range(m.links.shape[0]):
        lin, ang = edge_slip(m, s, w, m.links, j, n + j, m.links[j, CHILD], pose, rotation, velocity)
        held = k if w.auxiliary.amiss[n + j] != LET_GO else 0.0
        set_jump(m.links, j, n + j, w, scale(held, lin), scale(held, ang))


@kernel
def stop_some(m, s, w, first, end, worst, where):
    """What ends a step, of the bodies from `first` to `end`: f = 0, d = 0, b = -J u of the next pose and velocity; the
    matrices of that pose are filled. The largest squared error so far, where"""
    clear_rows(w.force, first, end)
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            ask_jumps(m, w, i + AHEAD)
        last = together.after_hinges(m.topology, i, end)
        if last != 0 and w.velocity.shape[1] == RATES:
            worst, where = together.stop_hinges(m, w, i, last, worst, where)
            i = last
            continue
        store3(w.row, i, PUSH, ZERO3)
        if m.topology[i, KIND] != FREE:
            lin, ang = body_error(m, s, w, i, w.next_pose, w.next_rotation)
            worst, where = larger(worst, where, lin, ang, i)
            lin, ang = body_slip(m, s, w, i, w.next_pose, w.next_rotation, w.next_velocity)
            set_jump(m.topology, i, i, w, scale(-1.0, lin), scale(-1.0, ang))
        i += 1
    return worst, where


@inline
def stop_links(m, s, w, worst, where):
    """Of the links; returns the largest error of all edges"""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = link_error(m, s, w, j, w.next_pose, w.next_rotation)
        worst, where = larger_link(w, worst, where, lin, ang, n + j)
        c = m.links[j, CHILD]
        lin, ang = edge_slip(m, s, w, m.links, j, n + j, c, w.next_pose, w.next_rotation, w.next_velocity)
        held = -1.0 if w.auxiliary.amiss[n + j] != LET_GO else 0.0
        set_jump(m.links, j, n + j, w, scale(held, lin), scale(held, ang))
        store3(w.row, n + j, PUSH, ZERO3)
    return worst**0.5


@far("feedback", "mswttff")
def add_feedback(m, s, w, pose, velocity, slips, gaps):
    """b += slips J u + gaps C, at the filled pose [Witkin97, section 3]"""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, KIND] != FREE:
            add_edge_feedback(m, s, w, m.topology, i, i, i, pose, velocity, slips, gaps)
    for j in range(m.links.shape[0]):
        add_edge_feedback(m, s, w, m.links, j, n + j, m.links[j, CHILD], pose, velocity, slips, gaps)


@kernel
def add_edge_feedback(m, s, w, t, r, e, c, pose, velocity, slips, gaps):
    lin, ang = edge_slip(m, s, w, t, r, e, c, pose, w.rotation, velocity)
    lin = add_scaled(scale(slips, lin), gaps, load3(w.gap, e, 0))
    ang = add_scaled(scale(slips, ang), gaps, load3(w.gap, e, 3))
    before = load3(w.row, e, JUMP)
    turned = load3(w.row, e, JUMP + 3)
    set_jump(t, r, e, w, lin, ang)
    add_to3(w.row, e, JUMP, before)
    add_to3(w.row, e, JUMP + 3, turned)


@inline
def turning_bias(m, w, t, r, e, c, turning, o):
    """What free rotation adds to the second-order change of the error: the twist of the angular accelerations at column
    o of `turning` across the edge."""
    ac = load3(turning, c, o)
    p = t[r, PARENT]
    ap = ZERO3 if p < 0 else load3(turning, p, o)
    if t[r, OWN_ROWS] != 0:
        if several.is_one(t, r):
            return several.turning_rate(m, w, e, turning, o)
        return function.rates(w.rows, e, ZERO3, ac, ZERO3, ap)
    return together.turning_twist(w.edge, e, ac, ap)


@inline
def relative_twist(m, w, t, r, e, c, velocity):
    """The twist of the child relative to the parent at the anchor of Work.edge; J u of an edge with OWN_ROWS"""
    p = t[r, PARENT]
    vp = load3(velocity, p, 0) if p >= 0 else ZERO3  # C has a moving parent where it will be
    wp = load3(velocity, p, 3) if p >= 0 else ZERO3
    vc = load3(velocity, c, 0)
    wc = load3(velocity, c, 3)
    if t[r, OWN_ROWS] != 0:
        if several.is_one(t, r):
            return several.rate(m, w, e, velocity)
        return function.rates(w.rows, e, vc, wc, vp, wp)
    return ball.anchor_slip(load3(w.edge, e, RC), vc, wc, load3(w.edge, e, RP), vp, wp), sub(wc, wp)


@inline
def told_to_velocities(m, w, t, r, e, lin, ang):
    """b and what moves prescribed in the rows that are conditions on velocities alone; the others have it in C."""
    if t[r, HOLONOMIC] >= t[r, ROWS]:
        return lin, ang
    if several.is_one(t, r):
        v, a = several.told(m, w, e)
        return add(lin, v), add(ang, a)
    if t[r, PARENT] < -1:
        v, a = edge_told(m, w, t, r, e)
        v, a = kinds.in_rows(t[r, HOLONOMIC], t[r, ROWS], w.rows, e, v, a)
        return add(lin, v), add(ang, a)
    return lin, ang


@inline
def holonomic_part(t, r, e, w, lin, ang):
    """A twist without its part in the rows that are conditions on velocities alone"""
    if t[r, HOLONOMIC] < t[r, ROWS]:
        v, a = kinds.in_rows(t[r, HOLONOMIC], t[r, ROWS], w.rows, e, lin, ang)
        return sub(lin, v), sub(ang, a)
    return lin, ang


@inline
def edge_bias(m, s, w, t, r, e, c, velocity, told):
    """b_acc: what the anchors' accelerations differ by at zero joint acceleration. Unless `told`, a moving parent is
    taken to rest, and prescribed coordinates too."""
    if several.is_one(t, r):
        return several.bias(m, s, w, e, velocity, told)
    p = t[r, PARENT]
    vp, wp = parent_velocity(w, p, velocity)
    if p < -1 and not told:
        vp = ZERO3
        wp = ZERO3
    vc = load3(velocity, c, 0)
    wc = load3(velocity, c, 3)
    kind = t[r, KIND]
    if velocity.shape[1] > RATES:
        vc, vp = scales.anchor_velocities(m, e, c, p, w.rotation, velocity, vc, vp)
    if kind == BALL or kind == WELD:
        lin, ang = ball.bias(w.edge, e, vc, wc, vp, wp)
    elif kind == HINGE:
        lin, ang = hinge.bias(w.edge, e, vc, wc, vp, wp)
    else:
        lin, ang = kinds.bias(kind, m.joint, s.memory, w.signal, w.edge, e, vc, wc, vp, wp)
        if told and w.control[SIGNALED] != 0:
            told_lin, told_ang = kinds.told_acceleration(kind, m.joint, w.signal, w.edge, e, wp)
            lin = add(lin, told_lin)
            ang = add(ang, told_ang)
    if p < -1 and told:
        a = load3(w.frame, -2 - p, FRAME_ACCELERATION)
        alpha = load3(w.frame, -2 - p, FRAME_ACCELERATION + 3)
        if t[r, OWN_ROWS] != 0:
            lin1, ang1 = function.rates(w.rows, e, ZERO3, ZERO3, a, alpha)
            return sub(lin, lin1), sub(ang, ang1)
        lin = add(lin, add(a, cross(alpha, load3(w.edge, e, RP))))
        ang = add(ang, alpha)
    if velocity.shape[1] > RATES:
        lin = add(lin, scales.anchor_bias(m, e, c, p, w.rotation, velocity))
    return lin, ang


@inline
def add_nonholonomic(m, s, w, t, r, e, c, velocity, turning, o, k):
    """b += k (b_acc - J a_free) in the rows that are conditions on velocities alone"""
    if t[r, HOLONOMIC] < t[r, ROWS]:
        lin1, ang1 = edge_bias(m, s, w, t, r, e, c, velocity, True)
        lin2, ang2 = turning_bias(m, w, t, r, e, c, turning, o)
        lin, ang = kinds.in_rows(t[r, HOLONOMIC], t[r, ROWS], w.rows, e, sub(lin1, lin2), sub(ang1, ang2))
        add_to3(w.row, e, JUMP, scale(k, lin))
        add_to3(w.row, e, JUMP + 3, scale(k, ang))


@kernel
def fill_nonholonomic(m, s, w, velocity, turning, o, k):
    """b += k (b_acc - J a_free): with half a step, what makes the velocity obey such rows in the middle of the step"""
    n = m.topology.shape[0]
    for i in range(n):
        add_nonholonomic(m, s, w, m.topology, i, i, i, velocity, turning, o, k)
    for j in range(m.links.shape[0]):
        add_nonholonomic(m, s, w, m.links, j, n + j, m.links[j, CHILD], velocity, turning, o, k)


@inline
def store_jump(row, e, lin, ang):
    store3(row, e, JUMP, lin)
    store3(row, e, JUMP + 3, ang)


@kernel
def fill_bias(m, s, w, velocity):
    """b = b_acc"""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, KIND] != FREE:
            lin, ang = edge_bias(m, s, w, m.topology, i, i, i, velocity, True)
            store_jump(w.row, i, lin, ang)
    for j in range(m.links.shape[0]):
        lin, ang = edge_bias(m, s, w, m.links, j, n + j, m.links[j, CHILD], velocity, True)
        store_jump(w.row, n + j, lin, ang)


# ---------------------------------------------------------------- springs
@inline
def edge_spring(m, s, w, t, r, e, c, pose, rotation):
    """Coordinates, elastic torques, stiffness and damping of one edge at `pose`. Returns its energy."""
    flags = t[r, FLAGS]
    if flags == 0:
        return 0.0
    kind = t[r, KIND]
    p = t[r, PARENT]
    qc = load4(pose, c, 3)
    qp = parent_quaternion(w, p, pose)
    if kind == HINGE:
        hinge.spring(flags, m.joint, s.memory, e, qc, qp, w.spring)
        return w.spring[e, POTENTIAL]
    xp, rot_p = parent_pose(w, p, pose, rotation)
    x = load3(pose, c, 0)
    rot_c = load9(rotation, c, 0)
    if kind == BALL:
        ball.spring(flags, m.joint, e, qc, qp, rot_c, rot_p, w.spring)
        return w.spring[e, POTENTIAL]
    return kinds.spring(kind, flags, m.joint, s.memory, e, x, rot_c, qc, xp, rot_p, qp, w.spring)


@kernel
def fill_springs(m, s, w, pose, rotation):
    """Springs of every edge at `pose`. Returns the elastic energy."""
    total = 0.0
    n = m.topology.shape[0]
    if pose.shape[1] > SHAPE:
        scales.put_shape(m, pose)
    for first in range(0, n, TILE):
        total = fill_some_springs(m, s, w, pose, rotation, first, min(first + TILE, n), total)
    return fill_link_springs(m, s, w, pose, rotation, total)


@kernel
def fill_some_springs(m, s, w, pose, rotation, first, end, total):
    """Of the bodies from `first` to `end`; the energy so far"""
    i = first
    while i < end:
        last = min(m.topology[i, TOGETHER], end)
        if last >= i + AT_ONCE and together.have_plain_springs(m.topology, i, last):
            if m.topology[i, KIND] == HINGE:
                together.fill_hinge_springs(m, s, w, i, last, pose)
            else:
                together.fill_ball_springs(m, w, i, last, pose)
            for r in range(i, last):
                total += w.spring[r, POTENTIAL]
            i = last
            continue
        total += edge_spring(m, s, w, m.topology, i, i, i, pose, rotation)
        i += 1
    return total


@inline
def fill_link_springs(m, s, w, pose, rotation, total):
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        total += edge_spring(m, s, w, m.links, j, n + j, m.links[j, CHILD], pose, rotation)
    return total


@inline
def edge_coordinates(m, s, w, t, r, e, c, pose, rotation):
    p = t[r, PARENT]
    xp, rot_p = parent_pose(w, p, pose, rotation)
    x = load3(pose, c, 0)
    rot_c = load9(rotation, c, 0)
    qp = parent_quaternion(w, p, pose)
    return kinds.coordinates(t[r, KIND], m.joint, s.memory, w.signal, e, x, rot_c, load4(pose, c, 3), xp, rot_p, qp)


@kernel
def fill_coordinates(m, s, w, pose, rotation, out):
    """Joint coordinates (n + k, 3) at `pose`."""
    n = m.topology.shape[0]
    if pose.shape[1] > SHAPE:
        scales.put_shape(m, pose)
    for i in range(n):
        store3(out, i, 0, edge_coordinates(m, s, w, m.topology, i, i, i, pose, rotation))
    for j in range(m.links.shape[0]):
        store3(out, n + j, 0, edge_coordinates(m, s, w, m.links, j, n + j, m.links[j, CHILD], pose, rotation))


@inline
def edge_remember(m, s, w, t, r, e, c, pose, rotation):
    """Count turns: once for each accepted pose, whose matrices are in `rotation`."""
    kind = t[r, KIND]
    if kind == BALL or kind == FREE or kind == WELD:
        return
    p = t[r, PARENT]
    qc = load4(pose, c, 3)
    qp = parent_quaternion(w, p, pose)
    if kind == HINGE:
        hinge.remember(m.joint, s.memory, e, qc, qp)
        return
    xp, rot_p = parent_pose(w, p, pose, rotation)
    kinds.remember(kind, m.joint, m.table, s.memory, e, load3(pose, c, 0), load9(rotation, c, 0), qc, xp, rot_p, qp)


@kernel
def remember_turns(m, s, w, pose, rotation):
    n = m.topology.shape[0]
    for i in range(n):
        edge_remember(m, s, w, m.topology, i, i, i, pose, rotation)
    for j in range(m.links.shape[0]):
        edge_remember(m, s, w, m.links, j, n + j, m.links[j, CHILD], pose, rotation)


@kernel
def commit(m, s, w):
    """The next state becomes the state; its matrices are in Work.rotation."""
    n = m.topology.shape[0]
    copy_all(w.next_pose, s.pose)
    copy_all(w.next_velocity, s.velocity)
    put_forces(w, s.memory, WRENCH)
    i = 0
    while i < n:
        last = m.topology[i, TOGETHER]
        if last != 0:
            if m.topology[i, KIND] == HINGE:
                together.remember_hinges(m, s, i, last)
            i = last  # a run of balls has nothing to count
        else:
            edge_remember(m, s, w, m.topology, i, i, i, s.pose, w.rotation)
            i += 1
    for j in range(m.links.shape[0]):
        edge_remember(m, s, w, m.links, j, n + j, m.links[j, CHILD], s.pose, w.rotation)


@inline
def implicit_spring(flags, spring, e, t, row):
    """D = t C + t^2 K,  d = t T  (damping acts on the new rate, through D)"""
    if flags == 0:
        store6(row, e, STIFF_BLOCK, ZERO6)
        store3(row, e, PUSH, ZERO3)
    else:
        c = load6(spring, e, SPRING_C)
        k = load6(spring, e, SPRING_K)
        t2 = t * t
        store6(row, e, STIFF_BLOCK, (
            t * c[0] + t2 * k[0], t * c[1] + t2 * k[1], t * c[2] + t2 * k[2],
            t * c[3] + t2 * k[3], t * c[4] + t2 * k[4], t * c[5] + t2 * k[5],
        ))  # fmt: skip
        store3(row, e, PUSH, scale(t, load3(spring, e, TORQUE)))


@inline
def frame_rate(m, w, t, r, e, h):
    """d += (t C + I) times the rate of a moving parent: dampers and rotors feel the rate relative to it, D that of the
    child."""
    p = t[r, PARENT]
    if p >= -1 or t[r, FLAGS] == 0:
        return
    rotor = 1.0 if t[r, FLAGS] & ROTOR else 0.0
    v, a = parent_velocity(w, p, w.velocity)
    v = add(v, cross(a, load3(w.edge, e, RP)))
    if t[r, PATH] == PATH_BALL:
        add_to3(w.row, e, PUSH, scale(h, sym_mul(load6(w.spring, e, SPRING_C), a)))
        add_to3(w.row, e, PUSH, scale(rotor * m.joint[e, ARMATURE], a))
    else:
        for k in range(t[r, DOFS]):
            rate = dot(load3(w.edge, e, AXIS + 6 * k), v) + dot(load3(w.edge, e, AXIS + 6 * k + 3), a)
            w.row[e, PUSH + k] += (h * w.spring[e, SPRING_C + k] + rotor * m.joint[e, ARMATURE + k]) * rate


@kernel
def add_frame_rates(m, w, h):
    if w.control[SIGNALED] != 0:
        put_frame_rates(m, w, h)


@far("told", "mwf")
def put_frame_rates(m, w, h):
    n = m.topology.shape[0]
    for i in range(n):
        frame_rate(m, w, m.topology, i, i, h)
    for j in range(m.links.shape[0]):
        frame_rate(m, w, m.links, j, n + j, h)


@kernel
def implicit_link_springs(m, w, t, velocity):
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        implicit_spring(m.links[j, FLAGS], w.spring, n + j, t, w.row)
        if m.links[j, KIND] == POINT_SPRING and m.links[j, FLAGS] != 0:
            turn_with_frame(m, w, j, n + j, t, velocity)


@far("kinds", "mwiift")
def turn_with_frame(m, w, j, e, t, velocity):
    """A spring of no length that is taken along by the frame which its rate is seen from, at the known velocity"""
    frame = m.links[j, CHILD] if m.joint[e, MEETING] == 1.0 else m.links[j, PARENT]
    if m.joint[e, LENGTH] == 0.0 and m.joint[e, MEETING] >= 0.0 and frame >= 0:
        _, omega = parent_velocity(w, frame, velocity)
        add_to3(w.row, e, PUSH, scale(-t * t * w.spring[e, SPRING_K], cross(omega, load3(w.spring, e, COORDINATE))))


@inline
def explicit_spring(m, w, t, r, e, c, velocity, h):
    """D = 0,  d = h (T - C q')"""
    store6(w.row, e, STIFF_BLOCK, ZERO6)
    if t[r, FLAGS] == 0:
        store3(w.row, e, PUSH, ZERO3)
    else:
        vp, wp = parent_velocity(w, t[r, PARENT], velocity)
        vc = load3(velocity, c, 0)
        wc = load3(velocity, c, 3)
        rel = sub(wc, wp)
        if t[r, PATH] == PATH_BALL:
            d = sub(load3(w.spring, e, TORQUE), sym_mul(load6(w.spring, e, SPRING_C), rel))
            store3(w.row, e, PUSH, scale(h, d))
        else:
            lin = ball.anchor_slip(load3(w.edge, e, RC), vc, wc, load3(w.edge, e, RP), vp, wp)
            if velocity.shape[1] > RATES:
                lin = add(lin, scales.anchor_slip(m, e, c, t[r, PARENT], w.rotation, velocity))
            rates = axes.rates(t[r, DOFS], w.edge, e, lin, rel)
            for k in range(3):
                w.row[e, PUSH + k] = h * (w.spring[e, TORQUE + k] - w.spring[e, SPRING_C + k] * rates[k])


@kernel
def fill_explicit_springs(m, w, velocity, h):
    n = m.topology.shape[0]
    for i in range(n):
        explicit_spring(m, w, m.topology, i, i, i, velocity, h)
    for j in range(m.links.shape[0]):
        explicit_spring(m, w, m.links, j, n + j, m.links[j, CHILD], velocity, h)


@kernel
def clear_row(w, keep_stiffness):
    """f = 0, d = 0, and D = 0 unless it belongs to the factor in use: the right-hand side of a pure correction."""
    clear_all(w.force)
    for e in range(w.row.shape[0]):
        store3(w.row, e, PUSH, ZERO3)
        if keep_stiffness == 0:
            store6(w.row, e, STIFF_BLOCK, ZERO6)


@kernel
def fill_posing_friction(m, w, factor):
    """D of the kinematic order: c |w_rel|^2 in the metric, so that far limbs move least; sliding has none"""
    for i in range(m.topology.shape[0]):
        c = factor * m.body[i, POSING]
        store3(w.row, i, PUSH, ZERO3)
        store6(w.row, i, STIFF_BLOCK, ZERO6)
        if m.topology[i, PATH] == PATH_BALL:
            store6(w.row, i, STIFF_BLOCK, (c, 0.0, c, 0.0, 0.0, c))
        elif m.topology[i, PATH] == PATH_HINGE or m.topology[i, PATH] == PATH_AXES:
            for k in range(m.topology[i, DOFS]):
                turn = load3(w.edge, i, AXIS + 6 * k + 3)
                w.row[i, STIFF_BLOCK + k] = c * dot(turn, turn)


# ---------------------------------------------------------------- geometric stiffness
@inline
def geometric_block(r, lr, f, lf, k):
    """k [(f.r) 1 - (r f^T + f r^T)/2]+ : how the torque of the joint force f at the lever r stiffens the body's
    rotation; lr = |r|, lf = |f|.

    Its eigenvalues are a = f.r along n = r x f and (a +- |f||r|)/2; the negative one is dropped in closed form:
    h (1 - s s^T - n n^T) + max(a, 0) n n^T with h = (a + |f||r|)/2 and s along f/|f| + r/|r|.
    """
    a = dot(f, r)
    size = lf * lr
    h = 0.5 * (a + size)
    if h <= 1e-9 * size:
        return ZERO6
    # |lr f + lf r|^2 = 2 |f||r| (|f||r| + f.r) = 4 |f||r| h
    s = add(scale(lr, f), scale(lf, r))
    h *= k
    e = 0.25 * k / size
    n = cross(r, f)
    n2 = dot(n, n)
    j = (k * max(a, 0.0) - h) / n2 if n2 > 1e-12 * size * size else 0.0
    return (
        h - e * s[0] * s[0] + j * n[0] * n[0],
        -e * s[1] * s[0] + j * n[1] * n[0],
        h - e * s[1] * s[1] + j * n[1] * n[1],
        -e * s[2] * s[0] + j * n[2] * n[0],
        -e * s[2] * s[1] + j * n[2] * n[1],
        h - e * s[2] * s[2] + j * n[2] * n[2],
    )


@inline
def add_geometric_at(i, r, lr, soft, f, lf, k, least, compensated, velocity, block, force):
    if k * lf * soft > least:
        g = geometric_block(r, lr, f, lf, k)
        block[i, 9] += g[0]
        block[i, 13] += g[1]
        block[i, 14] += g[2]
        block[i, 18] += g[3]
        block[i, 19] += g[4]
        block[i, 20] += g[5]
        if compensated != 0:
            add_to3(force, i, 3, sym_mul(g, load3(velocity, i, 3)))


@inline
def edge_geometric(m, w, t, r, e, c, wrench, k, least, compensated, velocity):
    """A += k G at both ends of an edge, and f += k G u where `compensated`; G from the joint force in `wrench`.
    Left out where k G is below the share `least` of the body's inertia: without it a step becomes unstable at 4 for
    one body, at some 2 in a chain."""
    f = load3(wrench, e, WRENCH)
    lf = norm(f)
    p = t[r, PARENT]
    if m.topology[c, BODY_KIND] != PARTICLE:
        rc = load3(w.edge, e, RC)
        fixed = t[r, KIND] <= UNIVERSAL and velocity.shape[1] == RATES  # other anchors may move in their bodies
        lr = m.joint[e, REACH_CHILD] if fixed else norm(rc)
        soft = m.joint[e, SOFT_CHILD]
        add_geometric_at(c, rc, lr, soft, f, lf, k, least, compensated, velocity, w.block, w.force)
    if p >= 0 and m.topology[p, BODY_KIND] != PARTICLE:
        rp = load3(w.edge, e, RP)
        lr = m.joint[e, REACH_PARENT] if t[r, KIND] <= HINGE and velocity.shape[1] == RATES else norm(rp)
        soft = m.joint[e, SOFT_PARENT]
        back = (-f[0], -f[1], -f[2])
        add_geometric_at(p, rp, lr, soft, back, lf, k, least, compensated, velocity, w.block, w.force)


@kernel
def add_geometric(m, w, wrench, k, least, compensated, velocity):
    if w.control[COUPLED] == 0:
        return
    add_forest_geometric(m, w, wrench, k, least, compensated, velocity, 0, m.topology.shape[0])
    add_link_geometric(m, w, wrench, k, least, compensated, velocity)


@kernel
def add_forest_geometric(m, w, wrench, k, least, compensated, velocity, first, end):
    """Of the bodies from `first` to `end`, and of their parents"""
    i = first
    while i < end:
        last = together.after_hinges(m.topology, i, end)
        if last == 0:
            last = i + 1
        elif not together.stiffen_hinges(m, wrench, i, last, k, least):
            i = last
        while i < last:
            if m.topology[i, KIND] != FREE:
                edge_geometric(m, w, m.topology, i, i, i, wrench, k, least, compensated, velocity)
            i += 1


@kernel
def add_link_geometric(m, w, wrench, k, least, compensated, velocity):
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        edge_geometric(m, w, m.links, j, n + j, m.links[j, CHILD], wrench, k, least, compensated, velocity)
