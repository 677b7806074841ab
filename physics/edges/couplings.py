"""Couplings: conditions on the coordinates of several joints, sum of k_i q_i = offset.

Examples are a differential (q_1 + q_2 = 2 q_3), the fingers on one tendon, and a pair of hinges geared to each other.
Joints are edges; a coupling is a link with OWN_ROWS, whose one row acts on all bodies of its joints. The first numbers
of its error, its right-hand side and its wrench are C, g and the multiplier (a moment if it couples angles). With q' =
M^T y, where y is the twist of a joint's child relative to its parent, and M is dual to its motion axes (M^T N = 1),

    C = sum k_i q_i - offset,   J u = sum k_i M_i^T y_i,   -J' u = sum k_i M_i^T b_i

The last holds because the accelerations of the twists are N q'' + b_acc by the definition of b_acc, however the axes
move."""

from physics.bodies import scales
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Joints, Term, Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Edges, Frames
from physics.edges.edge_ends import anchor_velocities, parent_pose, parent_quaternion, parent_velocity
from physics.joints import axes, ball, kinds
from physics.maths.vec import ZERO3, add, cross, load3, load4, load9, sub


@inline
def place(m, e):
    """Return the table (Model.topology or Model.links) of edge e, and its row there."""
    n = m.topology.shape[0]
    return (m.topology, e) if e < n else (m.links, e - n)


@inline
def term(m, e, k):
    """Return edge, axis and coefficient of term k of coupling e."""
    r = int(m.joint[e, Joints.TABLE]) + k
    return int(m.table[r, Term.EDGE]), int(m.table[r, Term.AXIS]), m.table[r, Term.COEFFICIENT]


@inline
def component(v, axis):
    """Return component `axis` of the triple v."""
    return v[0] if axis == 0 else v[1] if axis == 1 else v[2]


@far("couplings", "mswitt", "33")
def error(m, s, w, e, pose, rotation):
    """Return C of coupling e at `pose`, whose matrices are in `rotation`, as the first of six numbers; the others are
    0."""
    total = -m.joint[e, Joints.LENGTH]
    for k in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        c = t[r, Topology.CHILD]
        p = t[r, Topology.PARENT]
        xp, rot_p = parent_pose(w, p, pose, rotation)
        q = kinds.coordinates(
            t[r, Topology.KIND],
            m.joint,
            s.memory,
            w.signal,
            i,
            load3(pose, c, 0),
            load9(rotation, c, 0),
            load4(pose, c, 3),
            xp,
            rot_p,
            parent_quaternion(w, p, pose),
        )
        total += factor * component(q, axis)
    return (total, 0.0, 0.0), ZERO3


@inline
def put_row(rows, e):
    """Write T = 1 of coupling e to its row of `rows`."""
    rows[e, 0] = 1.0


@far("couplings", "mswittt", "33")
def slip(m, s, w, e, pose, rotation, velocity):
    """Return J u of coupling e, with J at `pose` and u = `velocity`, as the first of six numbers; the others are 0.
    Work.spare is overwritten."""
    total = 0.0
    for k in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        c = t[r, Topology.CHILD]
        xp, rot_p = parent_pose(w, t[r, Topology.PARENT], pose, rotation)
        x = load3(pose, c, 0)
        kinds.frame(
            t[r, Topology.KIND], m.joint, m.table, s.memory, w.signal, i, x, load9(rotation, c, 0), xp, rot_p, w.spare
        )
        total += factor * component(joint_rates(m, w, t, r, i, w.spare, rotation, velocity, True), axis)
    return (total, 0.0, 0.0), ZERO3


@kernel
def joint_rates(m, w, t, r, i, edge, rotation, velocity, prescribed):
    """Return the rates q' of edge i, row r of the table t, at `velocity`. Its levers and axes are in `edge`. Unless
    `prescribed`, a moving parent counts as at rest."""
    c = t[r, Topology.CHILD]
    p = t[r, Topology.PARENT]
    vc, wc, vp, wp = anchor_velocities(m, w, i, c, p, rotation, velocity, prescribed)
    lin = ball.anchor_slip(load3(edge, i, Edges.RC), vc, wc, load3(edge, i, Edges.RP), vp, wp)
    return axes.rates(t[r, Topology.DOFS], edge, i, lin, sub(wc, wp))


@far("couplings", "mwit", "33")
def rate(m, w, e, velocity):
    """Return J u of coupling e as the first of six numbers, with the J of Work.edge and u = `velocity`. Moving frames
    count as at rest."""
    total = 0.0
    for k in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        total += factor * component(joint_rates(m, w, t, r, i, w.edge, w.rotation, velocity, False), axis)
    return (total, 0.0, 0.0), ZERO3


@far("couplings", "mwiti", "33")
def turning_rate(m, w, e, turning, o):
    """Return J a of coupling e as the first of six numbers, for the angular accelerations a in three columns of
    `turning` from column o on."""
    total = 0.0
    for k in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        p = t[r, Topology.PARENT]
        ac = load3(turning, t[r, Topology.CHILD], o)
        ap = load3(turning, p, o) if p >= 0 else ZERO3
        lin = sub(cross(ac, load3(w.edge, i, Edges.RC)), cross(ap, load3(w.edge, i, Edges.RP)))
        total += factor * component(axes.rates(t[r, Topology.DOFS], w.edge, i, lin, sub(ac, ap)), axis)
    return (total, 0.0, 0.0), ZERO3


@far("couplings", "mswitb", "33")
def bias(m, s, w, e, velocity, prescribed):
    """Return -J' u of coupling e at u = `velocity`, as the first of six numbers. Unless `prescribed`, moving frames
    count as at rest."""
    total = 0.0
    for k in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        c = t[r, Topology.CHILD]
        p = t[r, Topology.PARENT]
        vc, wc, vp, wp = anchor_velocities(m, w, i, c, p, w.rotation, velocity, prescribed)
        lin, ang = kinds.bias(t[r, Topology.KIND], m.joint, w.edge, i, vc, wc, vp, wp)
        if p < -1 and prescribed:
            alpha = load3(w.frame, -2 - p, Frames.ACCELERATION + 3)
            lin = add(lin, add(load3(w.frame, -2 - p, Frames.ACCELERATION), cross(alpha, load3(w.edge, i, Edges.RP))))
            ang = add(ang, alpha)
        if velocity.shape[1] > PoseColumn.RATES:
            lin = add(lin, scales.anchor_bias(m, i, c, p, w.rotation, velocity))
        total += factor * component(axes.rates(t[r, Topology.DOFS], w.edge, i, lin, ang), axis)
    return (total, 0.0, 0.0), ZERO3


@far("couplings", "mwi", "33")
def prescribed(m, w, e):
    """Return the part of J u of coupling e that functions of time prescribe, as the first of six numbers: that of the
    twists of joints whose parent is a moving frame."""
    total = 0.0
    for k in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        p = t[r, Topology.PARENT]
        if p < -1:
            vp, wp = parent_velocity(w, p, w.velocity)
            lin = add(vp, cross(wp, load3(w.edge, i, Edges.RP)))
            total += factor * component(axes.rates(t[r, Topology.DOFS], w.edge, i, lin, wp), axis)
    return (total, 0.0, 0.0), ZERO3
