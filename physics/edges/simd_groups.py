"""Runs of hinges, or of balls, between bodies, computed in SIMD groups of four (maths/lanes.py).

The numbers that a joint needs of its two bodies are gathered for four joints at once. A run (Topology.RUN_END) has four
joints or more. Its last group may overlap the one before, which is harmless: all results are written, and none is added
to an earlier one. Each result has the same bits as in `physics.edges.edges`, where joints are computed one by one."""

import math

from physics.compiler.jit import inline, kernel, rare
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Joints, SpringFlag, Topology
from physics.data.state_tables import Memory
from physics.data.work_tables import Edges, Rows
from physics.joints import ball, hinge
from physics.maths import quat
from physics.maths.lanes import AT_ONCE, all_of, any_of, both, each, four, rows_at
from physics.maths.prefetch import AHEAD, are_many, fetch_row, fetch_row_to_write, fetcher
from physics.maths.vec import add_scaled, cross, dot, load3, load4, load6, load9, norm, scale, store6, store9, sub


fetch_place = fetcher((Topology.PARENT,))
fetch_joint = fetcher((Joints.REST_FRAME, Joints.REST_FRAME + 3, Joints.STIFFNESS))
fetch_spring = fetcher((0, 8, 16), True)


@rare
def ask_springs(m, w, first):
    """Prefetch the rows of the four bodies from `first` on that `fill_ball_springs` reads and writes."""
    for i in range(first, first + AT_ONCE):
        fetch_place(m.topology, i)
        fetch_joint(m.joint, i)
        fetch_spring(w.spring, i)


@rare
def ask_turns(pose, rotation, first):
    """Prefetch the rows of the four bodies from `first` on that `fill_some_rotations` reads and writes."""
    for i in range(first, first + AT_ONCE):
        fetch_row(pose, i)
        fetch_row_to_write(rotation, i)


@inline
def after_hinges(topology, i, end):
    """Return the row after the run of hinges that starts at body i, but no later than `end`. Return 0 if fewer than
    four hinges follow each other."""
    if topology[i, Topology.KIND] != JointKind.HINGE:
        return 0
    last = min(topology[i, Topology.RUN_END], end)
    return last if last >= i + AT_ONCE else 0


@inline
def have_plain_springs(topology, first, last):
    """Return whether all edges from `first` to `last` have springs, and none of them has soft limits or a stiffness
    that differs between the axes of a ball."""
    plain = True
    for i in range(first, last):
        plain = plain and topology[i, Topology.FLAGS] & ~SpringFlag.ROTOR == SpringFlag.STIFF
    return plain


@inline
def larger(worst, where, a, b, i):
    """Compare the squared errors a [m^2] and b [rad^2] of edge i with `worst`, the largest so far at edge `where`.
    Return the largest and its edge. A number that is not finite counts as infinite; otherwise the next finite error
    would replace it."""
    if not (a <= worst and b <= worst):
        return max(a, b) if a + b < math.inf else math.inf, i
    return worst, where


@inline
def largest(worst, where, lin, ang, r):
    """Compare the squared errors (lin, ang) of the rows r to r + 3 with `worst`, the largest so far, at edge `where`.
    Return the largest and its edge, as `larger` does for one row."""
    a = dot(lin, lin)
    b = dot(ang, ang)
    if not all_of(both(a <= worst, b <= worst)):
        of_a = each(a)
        of_b = each(b)
        for k in range(AT_ONCE):
            worst, where = larger(worst, where, of_a[k], of_b[k], r + k)
    return worst, where


@kernel
def fill_rotations(pose, rotation):
    """Write the rotation matrices of all bodies at `pose` to `rotation` (n, 9)."""
    fill_some_rotations(pose, rotation, 0, pose.shape[0])


@kernel
def fill_some_rotations(pose, rotation, first, end):
    """Write the rotation matrices of the bodies from `first` to `end` at `pose` to `rotation` (n, 9)."""
    done = first + (end - first) // AT_ONCE * AT_ONCE
    many = are_many(pose)
    for i in range(first, done, AT_ONCE):
        if many:
            ask_turns(pose, rotation, i + AHEAD)
        store9(rotation, four(i), 0, quat.matrix(load4(pose, four(i), 3)))
    for i in range(done, end):
        store9(rotation, i, 0, quat.matrix(load4(pose, i, 3)))


@inline
def turning_twist(edge, i, ac, ap):
    """Return the relative twist at the anchor of edge i, with its levers in `edge`, for the angular accelerations of
    child (ac) and parent (ap)."""
    return sub(cross(ac, load3(edge, i, Edges.RC)), cross(ap, load3(edge, i, Edges.RP))), sub(ac, ap)


@inline
def group_at(topology, k, last):
    """Return (first row, rows, rows of the parents) of the SIMD group of four that starts at body k, or earlier if it
    would not end before `last`."""
    r = min(k, last - AT_ONCE)
    return r, four(r), rows_at(topology, r, Topology.PARENT)


@inline
def put_pure_correction(w, i, k, lin, ang):
    """Set d = 0 and b = k (lin, ang), without the part along the axis, for the hinges of the SIMD group with rows i."""
    lin = scale(k, lin)
    ang = hinge.without_axis(w.edge, i, scale(k, ang))
    store9(w.row, i, Rows.PUSH, (0.0, 0.0, 0.0, lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]))


@far("hinge runs", "mwiitttfi", "fi")
def fill_hinges(m, w, first, last, pose, rotation, gap, worst, where):
    """Write levers and axes of the hinges from `first` to `last` at `pose`, whose matrices are in `rotation`, to
    Work.edge, and their errors to `gap`. Return the largest squared error so far and its edge."""
    for k in range(first, last, AT_ONCE):
        r, i, p = group_at(m.topology, k, last)
        xp = load3(pose, p, 0)
        rot_p = load9(rotation, p, 0)
        lin, ang = hinge.frame(m.joint, i, load3(pose, i, 0), load9(rotation, i, 0), xp, rot_p, w.edge)
        store6(gap, i, 0, (lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]))
        worst, where = largest(worst, where, lin, ang, r)
    return worst, where


@far("hinge runs", "mwiiffi", "fi")
def ask_hinges(m, w, first, last, feedback, worst, where):
    """Set d = 0 and b = feedback C in Work.row for the hinges from `first` to `last`, with the error C at the next
    pose, whose matrices are filled. Return the largest squared error so far and its edge."""
    for k in range(first, last, AT_ONCE):
        r, i, p = group_at(m.topology, k, last)
        xp = load3(w.next_pose, p, 0)
        rot_p = load9(w.next_rotation, p, 0)
        x = load3(w.next_pose, i, 0)
        lin, ang = hinge.error(m.joint, i, x, load9(w.next_rotation, i, 0), xp, rot_p)
        worst, where = largest(worst, where, lin, ang, r)
        put_pure_correction(w, i, feedback, lin, ang)
    return worst, where


@far("hinge runs", "mwiifi", "fi")
def stop_hinges(m, w, first, last, worst, where):
    """Set d = 0 and b = -J u in Work.row for the hinges from `first` to `last`, with the next pose and the next
    velocity u. Return the largest squared error so far and its edge."""
    for k in range(first, last, AT_ONCE):
        r, i, p = group_at(m.topology, k, last)
        xp = load3(w.next_pose, p, 0)
        rot_p = load9(w.next_rotation, p, 0)
        x = load3(w.next_pose, i, 0)
        lin, ang, rc, rp, a = hinge.measured(m.joint, i, x, load9(w.next_rotation, i, 0), xp, rot_p)
        worst, where = largest(worst, where, lin, ang, r)
        wc = load3(w.next_velocity, i, 3)
        wp = load3(w.next_velocity, p, 3)
        lin = ball.anchor_slip(rc, load3(w.next_velocity, i, 0), wc, rp, load3(w.next_velocity, p, 0), wp)
        put_pure_correction(w, i, -1.0, lin, hinge.across(a, sub(wc, wp)))
    return worst, where


@far("hinge runs", "mswiiff")
def put_hinge_right_hand_sides(m, s, w, first, last, feedback, ahead):
    """Set b = feedback C + ahead (b_acc - J a_free) in Work.row for the hinges from `first` to `last`. C is in
    Work.gap, and the first three columns of Work.stash hold a_free, the angular accelerations of free rotation."""
    for k in range(first, last, AT_ONCE):
        _, i, p = group_at(m.topology, k, last)
        gap = load6(w.gap, i, 0)
        lin = scale(feedback, (gap[0], gap[1], gap[2]))
        ang = scale(feedback, (gap[3], gap[4], gap[5]))
        if ahead != 0.0:
            vc = load3(s.velocity, i, 0)
            vp = load3(s.velocity, p, 0)
            lin1, ang1 = hinge.bias(w.edge, i, vc, load3(s.velocity, i, 3), vp, load3(s.velocity, p, 3))
            lin2, ang2 = turning_twist(w.edge, i, load3(w.stash, i, 0), load3(w.stash, p, 0))
            lin = add_scaled(lin, ahead, sub(lin1, lin2))
            ang = add_scaled(ang, ahead, sub(ang1, ang2))
        ang = hinge.without_axis(w.edge, i, ang)
        store6(w.row, i, Rows.RIGHT_HAND_SIDE, (lin[0], lin[1], lin[2], ang[0], ang[1], ang[2]))


@far("hinge runs", "mtiiff", "b")
def stiffen_hinges(m, wrench, first, last, k, least):
    """Return whether geometric stiffness must be added at some hinge from `first` to `last`: whether k times its joint
    force in `wrench` causes a stiffness above the share `least` of the inertia (forces/geometric_stiffness.py)."""
    found = False
    for j in range(first, last, AT_ONCE):
        i = four(min(j, last - AT_ONCE))
        push = k * norm(load3(wrench, i, Memory.WRENCH))
        found = (
            found
            or any_of(push * m.joint[i, Joints.SOFT_CHILD] > least)
            or any_of(push * m.joint[i, Joints.SOFT_PARENT] > least)
        )
    return found


@far("hinge runs", "mswiit")
def fill_hinge_springs(m, s, w, first, last, pose):
    """Write Work.spring of the hinges from `first` to `last` at `pose`. They must have springs without soft limits."""
    for k in range(first, last, AT_ONCE):
        _, i, p = group_at(m.topology, k, last)
        qp = load4(pose, p, 3)
        hinge.plain_spring(m.joint, s.memory, i, load4(pose, i, 3), qp, w.spring)


@kernel
def fill_ball_springs(m, w, first, last, pose):
    """Write Work.spring of the balls from `first` to `last` at `pose`. They must have springs without soft limits and
    with equal stiffness about all axes."""
    many = are_many(m.topology)
    for k in range(first, last, AT_ONCE):
        r, i, p = group_at(m.topology, k, last)
        if many:
            ask_springs(m, w, r + AHEAD)
        qp = load4(pose, p, 3)
        ball.plain_spring(m.joint, i, load4(pose, i, 3), qp, w.spring)


@far("hinge runs", "msii")
def remember_hinges(m, s, first, last):
    """Update State.memory of the hinges from `first` to `last` to the pose of the state. A second call changes
    nothing."""
    for k in range(first, last, AT_ONCE):
        _, i, p = group_at(m.topology, k, last)
        qp = load4(s.pose, p, 3)
        hinge.remember(m.joint, s.memory, i, load4(s.pose, i, 3), qp)
