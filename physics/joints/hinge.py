"""Hinge: two anchors coincide, rotation about one axis a (z of the joint frame) is free.

    C = [(x_c + r_c) - (x_p + r_p);  a_p x a_c]       N = [0; a]
    b_acc = [w_p x (w_p x r_p) - w_c x (w_c x r_c);  w_p x (w_c - w_p)]

Coordinate: the angle of the child about a relative to the parent, counted over whole turns.
"""

import math

from physics.compiler.jit import inline
from physics.data.model_tables import Joints, SpringFlag
from physics.data.state_tables import Memory
from physics.data.work_tables import Edges, Springs
from physics.joints import ball
from physics.maths import quat
from physics.maths.angle import arctangent
from physics.maths.lanes import both, choose
from physics.maths.vec import add, add_scaled, cross, dot, load12, load3, load4, mul, store6, sub

ROWS = 5
AXES = 1


@inline
def column(m, i, o, c):
    """Return column c of the 3x3 matrix at column o of row i of m."""
    return m[i, o + c], m[i, o + 3 + c], m[i, o + 6 + c]


@inline
def measured(joint, i, xc, rot_c, xp, rot_p):
    """Return the error (linear, angular), both levers, and the axis of joint i in world axes."""
    own = load12(joint, i, Joints.ANCHOR_CHILD)  # both anchors, then the axis in both frames
    rc = mul(rot_c, (own[0], own[1], own[2]))
    rp = mul(rot_p, (own[3], own[4], own[5]))
    a = mul(rot_c, (own[6], own[7], own[8]))
    return sub(add(xc, rc), add(xp, rp)), cross(mul(rot_p, (own[9], own[10], own[11])), a), rc, rp, a


@inline
def error(joint, i, xc, rot_c, xp, rot_p):
    """Return the error of joint i, linear [m] and angular [rad]."""
    lin, ang, _, _, _ = measured(joint, i, xc, rot_c, xp, rot_p)
    return lin, ang


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and axis of joint i to `edge`. Return the error, linear [m] and angular [rad]."""
    lin, ang, rc, rp, a = measured(joint, i, xc, rot_c, xp, rot_p)
    store6(edge, i, Edges.RC, (rc[0], rc[1], rc[2], rp[0], rp[1], rp[2]))
    store6(edge, i, Edges.AXIS, (0.0, 0.0, 0.0, a[0], a[1], a[2]))
    return lin, ang


@inline
def across(a, ang):
    """Return the part of the vector `ang` at right angles to the unit vector a."""
    return add_scaled(ang, -dot(a, ang), a)


@inline
def without_axis(edge, i, ang):
    """Return the vector `ang` without its part along the axis of edge i."""
    return across(load3(edge, i, Edges.AXIS + 3), ang)


@inline
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Return J u of joint i as a twist, at the given poses and velocities of child and parent."""
    lin, _ = ball.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    return lin, across(mul(rot_c, load3(joint, i, Joints.HINGE_CHILD)), sub(wc, wp))


@inline
def bias(edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular), with levers and axis in `edge`."""
    return ball.anchor_bias(edge, i, wc, wp), cross(wp, sub(wc, wp))


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of joint i to row i of `rows`."""
    ball.translation_rows(rows, i)
    x = mul(rot_c, column(joint, i, Joints.AXES_CHILD, 0))
    y = mul(rot_c, column(joint, i, Joints.AXES_CHILD, 1))
    store6(rows, i, 18, (0.0, 0.0, 0.0, x[0], x[1], x[2]))
    store6(rows, i, 24, (0.0, 0.0, 0.0, y[0], y[1], y[2]))


@inline
def relative_turn(joint, i, qc, qp):
    """Return the orientation of the child's joint frame relative to the parent's, as a quaternion."""
    r = quat.multiply(quat.conjugate(qp), qc)
    return quat.multiply(
        quat.multiply(quat.conjugate(quat_at(joint, i, Joints.FRAME_PARENT)), r), quat_at(joint, i, Joints.FRAME_CHILD)
    )


@inline
def quat_at(joint, i, o):
    """Return the quaternion at column o of row i of `joint`."""
    return joint[i, o], joint[i, o + 1], joint[i, o + 2], joint[i, o + 3]


@inline
def half_angle(joint, i, qc, qp):
    """Return sine and cosine of half the angle of joint i, both times a common positive factor."""
    r = quat.multiply(quat.conjugate(qp), qc)
    z = load4(joint, i, Joints.TURN_Z)
    w = load4(joint, i, Joints.TURN_W)
    return (
        z[0] * r[0] + z[1] * r[1] + z[2] * r[2] + z[3] * r[3],
        w[0] * r[0] + w[1] * r[1] + w[2] * r[2] + w[3] * r[3],
    )


@inline
def angle(joint, memory, i, qc, qp):
    """Return the angle [rad] of joint i with whole turns."""
    z, w = half_angle(joint, i, qc, qp)
    return unwrapped(z, w, memory[i, Memory.OFFSET], memory[i, Memory.LAST])


@inline
def coordinates(joint, memory, i, qc, qp):
    """Return the three coordinates of joint i: its angle [rad], 0, 0."""
    return angle(joint, memory, i, qc, qp), 0.0, 0.0


@inline
def unwrapped(z, w, offset, last):
    """Return 2 atan2(z, w) + offset [rad], where the offset changes by 4 pi if the angle has crossed the cut since the
    last step (w < 0, and z and `last` have different signs)."""
    return 2.0 * arctangent(z, w) + turned_offset(z, w, offset, last)


@inline
def turned_offset(z, w, offset, last):
    """Return the offset [rad] of whole turns after a step from `last` to z."""
    behind = w < 0.0
    up = both(behind, both(z < 0.0, last >= 0.0))
    down = both(behind, both(z >= 0.0, last < 0.0))
    return choose(up, offset + 4.0 * math.pi, choose(down, offset - 4.0 * math.pi, offset))


@inline
def count_turns(z, w, memory, i):
    """Update Memory.OFFSET and Memory.LAST of edge i to the half angle (z, w)."""
    memory[i, Memory.OFFSET] = turned_offset(z, w, memory[i, Memory.OFFSET], memory[i, Memory.LAST])
    memory[i, Memory.LAST] = z


@inline
def remember(joint, memory, i, qc, qp):
    """Count the whole turns of joint i in State.memory; called once for each accepted pose."""
    z, w = half_angle(joint, i, qc, qp)
    count_turns(z, w, memory, i)


@inline
def axis_spring(flags, joint, i, c, q, out):
    """Write spring and soft limits of coordinate c, at the value q, to row i of `out`: T = -k (q - q0), and one-sided
    springs beyond the limits. Return the energy [J]."""
    t, k, d, u = linear_spring(joint, i, c, q)
    if flags & SpringFlag.LIMITED:
        over = max(q - joint[i, Joints.UPPER + c], 0.0) + min(q - joint[i, Joints.LOWER + c], 0.0)
        if over != 0.0:
            kl = joint[i, Joints.LIMIT_STIFFNESS + c]
            t -= kl * over
            u += 0.5 * kl * over * over
            k += kl
            d += joint[i, Joints.LIMIT_DAMPING + c]
    put_spring(out, i, c, q, t, k, d)
    return u


@inline
def linear_spring(joint, i, c, q):
    """Return torque T = -k (q - q0), stiffness k, damping and energy [J] of coordinate c at the value q."""
    k = joint[i, Joints.STIFFNESS + c]
    e = q - joint[i, Joints.REST + c]
    return -k * e, k, joint[i, Joints.DAMPING + c], 0.5 * k * e * e


@inline
def put_spring(out, i, c, q, t, k, d):
    """Write coordinate q, torque t, stiffness k and damping d of coordinate c to row i of `out`."""
    out[i, Springs.COORDINATE + c] = q
    out[i, Springs.TORQUE + c] = t
    out[i, Springs.K + c] = k
    out[i, Springs.C + c] = d


@inline
def plain_spring(joint, memory, i, qc, qp, out):
    """Write coordinate, torque, stiffness, damping and energy of joint i, which has no soft limits, to row i of
    `out`."""
    q = angle(joint, memory, i, qc, qp)
    t, k, d, u = linear_spring(joint, i, 0, q)
    put_spring(out, i, 0, q, t, k, d)
    out[i, Springs.POTENTIAL] = u


@inline
def spring(flags, joint, memory, i, qc, qp, out):
    """Write coordinate, torque, stiffness, damping and energy of joint i to row i of `out`."""
    out[i, Springs.POTENTIAL] = axis_spring(flags, joint, i, 0, angle(joint, memory, i, qc, qp), out)
