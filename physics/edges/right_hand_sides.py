"""The right-hand side b of the edges, J v = b: from errors, from velocities (J u), from prescribed motions, and for
accelerations (b_acc). Edges are numbered as in `physics.edges.edges`."""

import math

from physics.bodies import islands, scales
from physics.bodies.loops import sum_over_tiles
from physics.compiler.jit import inline, kernel, rare
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Path, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, LinkError
from physics.data.work_tables import Edges, Frames, Rows
from physics.edges import conditions, edges, simd_groups, many_body_links
from physics.edges.conditions import has_nonideal_forces
from physics.edges.edge_ends import anchor_velocities, parent_pose, parent_velocity
from physics.joints import axes, ball, function, hinge, kinds
from physics.maths.columns import clear_all, clear_rows
from physics.maths.prefetch import AHEAD, are_many, fetcher
from physics.maths.vec import (
    ZERO3, ZERO6, add, add_scaled, add_to3, cross, dot, load3, load9, scale, store3, store6, sub,
)  # fmt: skip

fetch_right_hand_side = fetcher((Rows.PUSH,), True)


@rare
def prefetch_right_hand_side(m, w, i):
    """Prefetch the rows of body i that the loops over right-hand sides read and write."""
    edges.fetch_place(m.topology, i)
    edges.fetch_joint(m.joint, i)
    fetch_right_hand_side(w.row, i)


@inline
def set_right_hand_side(t, r, e, w, lin, ang):
    """Write (lin, ang) to b of edge e in Work.row, without its part along the motion axes. That part has no effect;
    without it the rows of all modes agree."""
    path = t[r, Topology.PATH]
    if path == Path.BALL:
        ang = ZERO3
    elif path == Path.HINGE:
        ang = hinge.without_axis(w.edge, e, ang)
    elif path == Path.AXES:
        lin, ang = axes.without(t[r, Topology.DOFS], w.edge, e, lin, ang)
    store3(w.row, e, Rows.RIGHT_HAND_SIDE, lin)
    store3(w.row, e, Rows.RIGHT_HAND_SIDE + 3, ang)


@inline
def set_scaled_gap(t, r, e, w, gap, k):
    """Set b of edge e in Work.row to k times its error in `gap` (n + k, 6)."""
    set_right_hand_side(t, r, e, w, scale(k, load3(gap, e, 0)), scale(k, load3(gap, e, 3)))


@kernel
def fill_from_gaps(m, w, gap, k):
    """Set b of all edges in Work.row to k times their errors in `gap` (n + k, 6). Released links are not closed: their
    b is 0."""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            set_scaled_gap(m.topology, i, i, w, gap, k)
    for j in range(m.links.shape[0]):
        set_scaled_gap(m.links, j, n + j, w, gap, k if w.auxiliary.error_state[n + j] != LinkError.RELEASED else 0.0)


@kernel
def clear_row(w, keep_stiffness):
    """Set f in Work.force and d in Work.row to 0, as in a pure correction. With `keep_stiffness` = 1, D stays, because
    it belongs to the factor in use; else set D to 0, too."""
    clear_all(w.force)
    for e in range(w.row.shape[0]):
        store3(w.row, e, Rows.PUSH, ZERO3)
        if keep_stiffness == 0:
            store6(w.row, e, Rows.STIFF_BLOCK, ZERO6)


@kernel
def ask_correction(m, s, w, feedback):
    """Write the system of a pure correction to Work: f = 0, d = 0, b = feedback C with the error C at Work.next_pose,
    whose matrices it writes to Work.next_rotation. Return the largest error [m or rad]."""
    if w.next_pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, w.next_pose)
    worst, where = ask_tiles(m, s, w, (0.0, -1), feedback)
    return ask_links(m, s, w, feedback, worst, where)


@kernel
def ask_tile(m, s, w, first, end, sums, feedback):
    """Do the work of `ask_correction` for one tile of bodies. Return the largest squared error so far and its edge."""
    worst, where = sums
    return ask_some(m, s, w, feedback, first, end, worst, where)


ask_tiles = sum_over_tiles(ask_tile)


@kernel
def ask_some(m, s, w, feedback, first, end, worst, where):
    """Do the work of `ask_correction` for the bodies from `first` to `end`. Return the largest squared error so far and
    its edge."""
    simd_groups.fill_some_rotations(w.next_pose, w.next_rotation, first, end)
    clear_rows(w.force, first, end)
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            prefetch_right_hand_side(m, w, i + AHEAD)
        last = simd_groups.after_hinges(m.topology, i, end)
        if last != 0:
            worst, where = simd_groups.ask_hinges(m, w, i, last, feedback, worst, where)
            i = last
            continue
        store3(w.row, i, Rows.PUSH, ZERO3)
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            lin, ang = edges.body_error(m, s, w, i, w.next_pose, w.next_rotation)
            worst, where = edges.larger(worst, where, lin, ang, i)
            set_right_hand_side(m.topology, i, i, w, scale(feedback, lin), scale(feedback, ang))
        i += 1
    return worst, where


@inline
def ask_links(m, s, w, feedback, worst, where):
    """Do the work of `ask_correction` for the links. Return the largest error of all edges [m or rad]."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = edges.link_error(m, s, w, j, w.next_pose, w.next_rotation)
        worst, where = edges.larger_link(w, worst, where, lin, ang, n + j)
        k = feedback if w.auxiliary.error_state[n + j] != LinkError.RELEASED else 0.0
        set_right_hand_side(m.links, j, n + j, w, scale(k, lin), scale(k, ang))
        store3(w.row, n + j, Rows.PUSH, ZERO3)
    return math.sqrt(worst)


# ---------------------------------------------------------------- what is prescribed
@far("prescribed", "mwnii", "33")
def prescribed_twist(m, w, t, r, e):
    """Return the twist of the child's anchor of edge e that functions of time prescribe: the twist of a moving parent
    plus the prescribed twist relative to it. For an edge with OWN_ROWS return the prescribed part of b."""
    lin = ZERO3
    ang = ZERO3
    kind = t[r, Topology.KIND]
    if kind != JointKind.BALL and kind != JointKind.HINGE and kind != JointKind.FREE:
        lin, ang = kinds.prescribed_rate(kind, m.joint, w.signal, w.edge, e)
    p = t[r, Topology.PARENT]
    if many_body_links.is_many_body_link(t, r):
        return many_body_links.prescribed(m, w, e)
    if p < -1:
        vp, wp = parent_velocity(w, p, w.velocity)
        if t[r, Topology.OWN_ROWS] != 0:
            lin, ang = function.rates(w.rows, e, ZERO3, ZERO3, vp, wp)
            return scale(-1.0, lin), scale(-1.0, ang)
        lin = add(lin, add(vp, cross(wp, load3(w.edge, e, Edges.RP))))
        ang = add(ang, wp)
    return lin, ang


@kernel
def fill_prescribed(m, w):
    """Set b of all edges in Work.row to their prescribed twist, which is zero where nothing is prescribed."""
    if w.control[Control.SIGNALED] == 0:
        fill_from_gaps(m, w, w.gap, 0.0)
    else:
        set_prescribed(m, w)


@far("prescribed", "mw")
def set_prescribed(m, w):
    """Set b of all edges in Work.row to their prescribed twist, in a figure where some motion is prescribed."""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            lin, ang = prescribed_twist(m, w, m.topology, i, i)
            set_right_hand_side(m.topology, i, i, w, lin, ang)
    for j in range(m.links.shape[0]):
        lin, ang = prescribed_twist(m, w, m.links, j, n + j)
        set_right_hand_side(m.links, j, n + j, w, lin, ang)


@inline
def may_do_work(w):
    """Return whether constraints of the figure can do work: some motion is prescribed, or some constraint forces are
    non-ideal."""
    return w.control[Control.SIGNALED] != 0 or has_nonideal_forces(w.auxiliary)


@kernel
def add_work(m, w, t, wrench, before, after):
    """Add the work that constraints do on the figure to the ledger: t times the power of `wrench` (n + k, 6). With t of
    1, `wrench` holds impulses that change the velocities from `before` to `after`. The work is that of prescribed
    motions (wrench times prescribed twist of each edge) and of non-ideal constraint forces."""
    if w.control[Control.SIGNALED] != 0:
        add_prescribed_work(m, w, t, wrench)
    if has_nonideal_forces(w.auxiliary):
        conditions.add_work(m, w, t, wrench, before, after)


@far("prescribed", "mwft")
def add_prescribed_work(m, w, t, wrench):
    """Add t times the power of `wrench` (n + k, 6) in the prescribed twist of each edge to the ledger, for the bodies
    of the present pass."""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, Topology.KIND] != JointKind.FREE and islands.takes_part(w, i):
            lin, ang = prescribed_twist(m, w, m.topology, i, i)
            islands.add_work(w, i, t * (dot(lin, load3(wrench, i, 0)) + dot(ang, load3(wrench, i, 3))))
    for j in range(m.links.shape[0]):
        left_out = w.auxiliary.error_state[n + j] == LinkError.RELEASED or conditions.has_forces(m, n + j)
        if left_out or not islands.takes_part(w, islands.child_of(m, n + j)):
            continue
        lin, ang = prescribed_twist(m, w, m.links, j, n + j)
        power = dot(lin, load3(wrench, n + j, 0)) + dot(ang, load3(wrench, n + j, 3))
        islands.add_work(w, islands.child_of(m, n + j), t * power)


@inline
def with_prescribed_rates(m, w, t, r, e, lin, ang):
    """Return (lin, ang) plus the prescribed velocities in those rows of edge e that constrain velocities only. The
    other rows contain the prescribed motion in their error C."""
    if t[r, Topology.HOLONOMIC] >= t[r, Topology.ROWS]:
        return lin, ang
    if many_body_links.is_many_body_link(t, r):
        v, a = many_body_links.prescribed(m, w, e)
        return add(lin, v), add(ang, a)
    if t[r, Topology.PARENT] < -1:
        v, a = prescribed_twist(m, w, t, r, e)
        v, a = kinds.in_rows(t[r, Topology.HOLONOMIC], t[r, Topology.ROWS], w.rows, e, v, a)
        return add(lin, v), add(ang, a)
    return lin, ang


@inline
def holonomic_part(t, r, e, w, lin, ang):
    """Return the twist (lin, ang) without its part in those rows of edge e that constrain velocities only."""
    if t[r, Topology.HOLONOMIC] < t[r, Topology.ROWS]:
        v, a = kinds.in_rows(t[r, Topology.HOLONOMIC], t[r, Topology.ROWS], w.rows, e, lin, ang)
        return sub(lin, v), sub(ang, a)
    return lin, ang


# ---------------------------------------------------------------- J u
@inline
def edge_slip(m, s, w, t, r, e, c, pose, rotation, velocity):
    """Return J u of edge e with child c, with J at `pose` (whose matrices are in `rotation`) and u = `velocity`."""
    if many_body_links.is_many_body_link(t, r):
        return many_body_links.slip(m, s, w, e, pose, rotation, velocity)
    p = t[r, Topology.PARENT]
    xp, rot_p = parent_pose(w, p, pose, rotation)
    vc, wc, vp, wp = anchor_velocities(m, w, e, c, p, rotation, velocity, True)
    return kinds.slip(
        t[r, Topology.KIND],
        t[r, Topology.DOFS],
        t[r, Topology.ROWS],
        m.joint,
        m.table,
        s.memory,
        w.signal,
        e,
        load3(pose, c, 0),
        load9(rotation, c, 0),
        vc,
        wc,
        xp,
        rot_p,
        vp,
        wp,
        w.spare,
        w.spare_rows,
    )


@inline
def body_slip(m, s, w, i, pose, rotation, velocity):
    """Return J u of the inbound edge of body i, with J at `pose` and u = `velocity`."""
    kind = m.topology[i, Topology.KIND]
    if (kind == JointKind.BALL or kind == JointKind.HINGE) and velocity.shape[1] == PoseColumn.RATES:
        p = m.topology[i, Topology.PARENT]
        xp, rot_p = parent_pose(w, p, pose, rotation)
        vp, wp = parent_velocity(w, p, velocity)
        vc = load3(velocity, i, 0)
        wc = load3(velocity, i, 3)
        x = load3(pose, i, 0)
        if kind == JointKind.BALL:
            return ball.slip(m.joint, i, x, load9(rotation, i, 0), vc, wc, xp, rot_p, vp, wp)
        return hinge.slip(m.joint, i, x, load9(rotation, i, 0), vc, wc, xp, rot_p, vp, wp)
    return edge_slip(m, s, w, m.topology, i, i, i, pose, rotation, velocity)


@kernel
def fill_slips(m, s, w, pose, rotation, velocity, k):
    """Set b = k J u of all edges in Work.row, with J at `pose` (whose matrices are in `rotation`) and u = `velocity`.
    Released links get b = 0."""
    n = m.topology.shape[0]
    if pose.shape[1] > PoseColumn.SHAPE:
        scales.put_shape(m, pose)
    many = are_many(m.topology)
    for i in range(n):
        if many:
            prefetch_right_hand_side(m, w, i + AHEAD)
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            lin, ang = body_slip(m, s, w, i, pose, rotation, velocity)
            set_right_hand_side(m.topology, i, i, w, scale(k, lin), scale(k, ang))
    for j in range(m.links.shape[0]):
        lin, ang = edge_slip(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], pose, rotation, velocity)
        held = k if w.auxiliary.error_state[n + j] != LinkError.RELEASED else 0.0
        set_right_hand_side(m.links, j, n + j, w, scale(held, lin), scale(held, ang))


@kernel
def stop_some(m, s, w, first, end, worst, where):
    """Write the system that removes slips at the end of a step to Work, for the bodies from `first` to `end`: f = 0, d
    = 0, b = -J u at the next pose, whose matrices are filled, and the next velocity u. Return the largest squared error
    of the pose so far and its edge."""
    clear_rows(w.force, first, end)
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            prefetch_right_hand_side(m, w, i + AHEAD)
        last = simd_groups.after_hinges(m.topology, i, end)
        if last != 0 and w.velocity.shape[1] == PoseColumn.RATES:
            worst, where = simd_groups.stop_hinges(m, w, i, last, worst, where)
            i = last
            continue
        store3(w.row, i, Rows.PUSH, ZERO3)
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            lin, ang = edges.body_error(m, s, w, i, w.next_pose, w.next_rotation)
            worst, where = edges.larger(worst, where, lin, ang, i)
            lin, ang = body_slip(m, s, w, i, w.next_pose, w.next_rotation, w.next_velocity)
            set_right_hand_side(m.topology, i, i, w, scale(-1.0, lin), scale(-1.0, ang))
        i += 1
    return worst, where


@inline
def stop_links(m, s, w, worst, where):
    """Do the work of `stop_some` for the links. `worst` and `where` are what `stop_some` returned. Return the largest
    error of all edges [m or rad], without links in an error state."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = edges.link_error(m, s, w, j, w.next_pose, w.next_rotation)
        worst, where = edges.larger_link(w, worst, where, lin, ang, n + j)
        c = m.links[j, Topology.CHILD]
        lin, ang = edge_slip(m, s, w, m.links, j, n + j, c, w.next_pose, w.next_rotation, w.next_velocity)
        held = -1.0 if w.auxiliary.error_state[n + j] != LinkError.RELEASED else 0.0
        set_right_hand_side(m.links, j, n + j, w, scale(held, lin), scale(held, ang))
        store3(w.row, n + j, Rows.PUSH, ZERO3)
    return math.sqrt(worst)


@inline
def relative_twist(m, w, t, r, e, c, velocity):
    """Return the twist of child c relative to the parent at the anchor of Work.edge, for `velocity`. For an edge with
    OWN_ROWS return J u."""
    p = t[r, Topology.PARENT]
    vp = load3(velocity, p, 0) if p >= 0 else ZERO3  # C has a moving parent where it will be
    wp = load3(velocity, p, 3) if p >= 0 else ZERO3
    vc = load3(velocity, c, 0)
    wc = load3(velocity, c, 3)
    if t[r, Topology.OWN_ROWS] != 0:
        if many_body_links.is_many_body_link(t, r):
            return many_body_links.rate(m, w, e, velocity)
        return function.rates(w.rows, e, vc, wc, vp, wp)
    return ball.anchor_slip(load3(w.edge, e, Edges.RC), vc, wc, load3(w.edge, e, Edges.RP), vp, wp), sub(wc, wp)


@far("feedback", "mswttff")
def add_feedback(m, s, w, pose, velocity, slips, gaps):
    """Add slips J u + gaps C to b of all edges in Work.row at the filled pose, with the factors `slips` and `gaps`
    [Witkin97, section 3]."""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            add_edge_feedback(m, s, w, m.topology, i, i, i, pose, velocity, slips, gaps)
    for j in range(m.links.shape[0]):
        add_edge_feedback(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], pose, velocity, slips, gaps)


@kernel
def add_edge_feedback(m, s, w, t, r, e, c, pose, velocity, slips, gaps):
    """Add slips J u + gaps C to b of edge e in Work.row at the filled pose, with C in Work.gap."""
    lin, ang = edge_slip(m, s, w, t, r, e, c, pose, w.rotation, velocity)
    lin = add_scaled(scale(slips, lin), gaps, load3(w.gap, e, 0))
    ang = add_scaled(scale(slips, ang), gaps, load3(w.gap, e, 3))
    before = load3(w.row, e, Rows.RIGHT_HAND_SIDE)
    turned = load3(w.row, e, Rows.RIGHT_HAND_SIDE + 3)
    set_right_hand_side(t, r, e, w, lin, ang)
    add_to3(w.row, e, Rows.RIGHT_HAND_SIDE, before)
    add_to3(w.row, e, Rows.RIGHT_HAND_SIDE + 3, turned)


# ---------------------------------------------------------------- accelerations
@inline
def turning_bias(m, w, t, r, e, c, turning, o):
    """Return the second-order change of the error of edge e by free rotation: the relative twist for the angular
    accelerations in three columns of `turning` from column o on."""
    ac = load3(turning, c, o)
    p = t[r, Topology.PARENT]
    ap = ZERO3 if p < 0 else load3(turning, p, o)
    if t[r, Topology.OWN_ROWS] != 0:
        if many_body_links.is_many_body_link(t, r):
            return many_body_links.turning_rate(m, w, e, turning, o)
        return function.rates(w.rows, e, ZERO3, ac, ZERO3, ap)
    return simd_groups.turning_twist(w.edge, e, ac, ap)


@inline
def edge_bias(m, s, w, t, r, e, c, velocity, prescribed):
    """Return b_acc = -J' u of edge e, the value that J a must have, at u = `velocity`. With `prescribed`, add
    prescribed accelerations; else a moving parent and prescribed coordinates count as at rest."""
    if many_body_links.is_many_body_link(t, r):
        return many_body_links.bias(m, s, w, e, velocity, prescribed)
    p = t[r, Topology.PARENT]
    vc, wc, vp, wp = anchor_velocities(m, w, e, c, p, w.rotation, velocity, prescribed)
    kind = t[r, Topology.KIND]
    if kind == JointKind.BALL or kind == JointKind.WELD:
        lin, ang = ball.bias(w.edge, e, vc, wc, vp, wp)
    elif kind == JointKind.HINGE:
        lin, ang = hinge.bias(w.edge, e, vc, wc, vp, wp)
    else:
        lin, ang = kinds.bias(kind, m.joint, w.edge, e, vc, wc, vp, wp)
        if prescribed and w.control[Control.SIGNALED] != 0:
            told_lin, told_ang = kinds.prescribed_acceleration(kind, m.joint, w.signal, w.edge, e, wp)
            lin = add(lin, told_lin)
            ang = add(ang, told_ang)
    if p < -1 and prescribed:
        a = load3(w.frame, -2 - p, Frames.ACCELERATION)
        alpha = load3(w.frame, -2 - p, Frames.ACCELERATION + 3)
        if t[r, Topology.OWN_ROWS] != 0:
            lin1, ang1 = function.rates(w.rows, e, ZERO3, ZERO3, a, alpha)
            return sub(lin, lin1), sub(ang, ang1)
        lin = add(lin, add(a, cross(alpha, load3(w.edge, e, Edges.RP))))
        ang = add(ang, alpha)
    if velocity.shape[1] > PoseColumn.RATES:
        lin = add(lin, scales.anchor_bias(m, e, c, p, w.rotation, velocity))
    return lin, ang


@inline
def store_right_hand_side(row, e, lin, ang):
    """Write (lin, ang) to b of edge e in `row`."""
    store3(row, e, Rows.RIGHT_HAND_SIDE, lin)
    store3(row, e, Rows.RIGHT_HAND_SIDE + 3, ang)


@kernel
def fill_bias(m, s, w, velocity):
    """Set b of all edges in Work.row to b_acc at `velocity`, prescribed accelerations included."""
    n = m.topology.shape[0]
    for i in range(n):
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            lin, ang = edge_bias(m, s, w, m.topology, i, i, i, velocity, True)
            store_right_hand_side(w.row, i, lin, ang)
    for j in range(m.links.shape[0]):
        lin, ang = edge_bias(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], velocity, True)
        store_right_hand_side(w.row, n + j, lin, ang)


@inline
def add_nonholonomic(m, s, w, t, r, e, c, velocity, turning, o, k):
    """Add k (b_acc - J a_free) to b of edge e in Work.row, in those rows that constrain velocities only. a_free is in
    three columns of `turning` from column o on."""
    if t[r, Topology.HOLONOMIC] < t[r, Topology.ROWS]:
        lin1, ang1 = edge_bias(m, s, w, t, r, e, c, velocity, True)
        lin2, ang2 = turning_bias(m, w, t, r, e, c, turning, o)
        lin, ang = kinds.in_rows(
            t[r, Topology.HOLONOMIC], t[r, Topology.ROWS], w.rows, e, sub(lin1, lin2), sub(ang1, ang2)
        )
        add_to3(w.row, e, Rows.RIGHT_HAND_SIDE, scale(k, lin))
        add_to3(w.row, e, Rows.RIGHT_HAND_SIDE + 3, scale(k, ang))


@kernel
def fill_nonholonomic(m, s, w, velocity, turning, o, k):
    """Add k (b_acc - J a_free) to b of all edges in Work.row, in those rows that constrain velocities only. With k half
    a step, the velocity satisfies these rows in the middle of the step."""
    n = m.topology.shape[0]
    for i in range(n):
        add_nonholonomic(m, s, w, m.topology, i, i, i, velocity, turning, o, k)
    for j in range(m.links.shape[0]):
        add_nonholonomic(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], velocity, turning, o, k)
