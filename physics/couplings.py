"""Couplings: conditions on the coordinates of several joints, sum of k_i q_i = offset.

A differential, q_1 + q_2 = 2 q_3; fingers of one tendon; a pair of hinges geared to each other. Joints are edges; a
coupling is a link of its own kind, one row over all bodies of its joints, with OWN_ROWS: the first number of its error,
jump and wrench is C, g and the multiplier (a moment where it couples angles). With q' = M^T y, y the twist of a joint's
child relative to its parent, and M dual to its motion axes (M^T N = 1),

    C = sum k_i q_i - offset,   J u = sum k_i M_i^T y_i,   -J' u = sum k_i M_i^T b_i

the last because the twists' accelerations are N q'' + b_acc by the definition of b_acc, whatever the axes do meanwhile.
"""

from physics import kinds, scales
from physics.ends import parent_pose, parent_quaternion, parent_velocity
from physics.joints import axes, ball
from physics.kernels.far import far
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import ZERO3, add, cross, load3, load4, load9, sub
from physics.layout import (
    CHILD, DOFS, FRAME_ACCELERATION, KIND, LENGTH, PARENT, RATES, RC, RP, TABLE, TABLE_ROWS, TERM_AXIS,
    TERM_COEFFICIENT, TERM_EDGE,
)  # fmt: skip


@inline
def place(m, e):
    """(table, row) of an edge: the forest's first, then the links"""
    n = m.topology.shape[0]
    return (m.topology, e) if e < n else (m.links, e - n)


@inline
def term(m, e, k):
    """(edge, axis, coefficient) of term k of coupling e"""
    r = int(m.joint[e, TABLE]) + k
    return int(m.table[r, TERM_EDGE]), int(m.table[r, TERM_AXIS]), m.table[r, TERM_COEFFICIENT]


@inline
def component(v, axis):
    return v[0] if axis == 0 else v[1] if axis == 1 else v[2]


@far("couplings", "mswitt", "33")
def error(m, s, w, e, pose, rotation):
    """C at `pose`, whose matrices are in `rotation`"""
    total = -m.joint[e, LENGTH]
    for k in range(int(m.joint[e, TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        c = t[r, CHILD]
        p = t[r, PARENT]
        xp, rot_p = parent_pose(w, p, pose, rotation)
        q = kinds.coordinates(
            t[r, KIND], m.joint, s.memory, w.signal, i, load3(pose, c, 0), load9(rotation, c, 0), load4(pose, c, 3), xp,
            rot_p, parent_quaternion(w, p, pose),
        )  # fmt: skip
        total += factor * component(q, axis)
    return (total, 0.0, 0.0), ZERO3


@inline
def put_row(rows, e):
    """T = 1"""
    rows[e, 0] = 1.0


@far("couplings", "mswittt", "33")
def slip(m, s, w, e, pose, rotation, velocity):
    """J u, with J of `pose`"""
    total = 0.0
    for k in range(int(m.joint[e, TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        c = t[r, CHILD]
        xp, rot_p = parent_pose(w, t[r, PARENT], pose, rotation)
        x = load3(pose, c, 0)
        kinds.frame(t[r, KIND], m.joint, m.table, s.memory, w.signal, i, x, load9(rotation, c, 0), xp, rot_p, w.spare)
        total += factor * component(joint_rates(m, w, t, r, i, w.spare, rotation, velocity, True), axis)
    return (total, 0.0, 0.0), ZERO3


@kernel
def joint_rates(m, w, t, r, i, edge, rotation, velocity, told):
    """q' of a joint whose levers and axes are in `edge`; unless `told`, a moving parent is taken to rest"""
    c = t[r, CHILD]
    p = t[r, PARENT]
    vp, wp = parent_velocity(w, p, velocity)
    if p < 0 and not told:
        vp = ZERO3
        wp = ZERO3
    vc = load3(velocity, c, 0)
    wc = load3(velocity, c, 3)
    if velocity.shape[1] > RATES:
        vc, vp = scales.anchor_velocities(m, i, c, p, rotation, velocity, vc, vp)
    lin = ball.anchor_slip(load3(edge, i, RC), vc, wc, load3(edge, i, RP), vp, wp)
    return axes.rates(t[r, DOFS], edge, i, lin, sub(wc, wp))


@far("couplings", "mwit", "33")
def rate(m, w, e, velocity):
    """J u with the J of Work.edge"""
    total = 0.0
    for k in range(int(m.joint[e, TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        total += factor * component(joint_rates(m, w, t, r, i, w.edge, w.rotation, velocity, False), axis)
    return (total, 0.0, 0.0), ZERO3


@far("couplings", "mwiti", "33")
def turning_rate(m, w, e, turning, o):
    """J a of the angular accelerations at column o of `turning`, with the J of Work.edge"""
    total = 0.0
    for k in range(int(m.joint[e, TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        p = t[r, PARENT]
        ac = load3(turning, t[r, CHILD], o)
        ap = load3(turning, p, o) if p >= 0 else ZERO3
        lin = sub(cross(ac, load3(w.edge, i, RC)), cross(ap, load3(w.edge, i, RP)))
        total += factor * component(axes.rates(t[r, DOFS], w.edge, i, lin, sub(ac, ap)), axis)
    return (total, 0.0, 0.0), ZERO3


@far("couplings", "mswitb", "33")
def bias(m, s, w, e, velocity, told):
    """-J' u"""
    total = 0.0
    for k in range(int(m.joint[e, TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        c = t[r, CHILD]
        p = t[r, PARENT]
        vp, wp = parent_velocity(w, p, velocity)
        if p < -1 and not told:
            vp = ZERO3
            wp = ZERO3
        vc = load3(velocity, c, 0)
        wc = load3(velocity, c, 3)
        if velocity.shape[1] > RATES:
            vc, vp = scales.anchor_velocities(m, i, c, p, w.rotation, velocity, vc, vp)
        lin, ang = kinds.bias(t[r, KIND], m.joint, s.memory, w.signal, w.edge, i, vc, wc, vp, wp)
        if p < -1 and told:
            alpha = load3(w.frame, -2 - p, FRAME_ACCELERATION + 3)
            lin = add(lin, add(load3(w.frame, -2 - p, FRAME_ACCELERATION), cross(alpha, load3(w.edge, i, RP))))
            ang = add(ang, alpha)
        if velocity.shape[1] > RATES:
            lin = add(lin, scales.anchor_bias(m, i, c, p, w.rotation, velocity))
        total += factor * component(axes.rates(t[r, DOFS], w.edge, i, lin, ang), axis)
    return (total, 0.0, 0.0), ZERO3


@far("couplings", "mwi", "33")
def told(m, w, e):
    """What functions of time prescribe in J u: the twists of joints whose parent is a moving body"""
    total = 0.0
    for k in range(int(m.joint[e, TABLE_ROWS])):
        i, axis, factor = term(m, e, k)
        t, r = place(m, i)
        p = t[r, PARENT]
        if p < -1:
            vp, wp = parent_velocity(w, p, w.velocity)
            lin = add(vp, cross(wp, load3(w.edge, i, RP)))
            total += factor * component(axes.rates(t[r, DOFS], w.edge, i, lin, wp), axis)
    return (total, 0.0, 0.0), ZERO3
