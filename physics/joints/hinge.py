"""Hinge: two anchors coincide, rotation about one axis a (z of the joint frame) is free.

    C = [(x_c + r_c) - (x_p + r_p);  a_p x a_c]       N = [0; a]
    b_acc = [w_p x (w_p x r_p) - w_c x (w_c x r_c);  w_p x (w_c - w_p)]

Coordinate: the angle of the child about a relative to the parent, counted over whole turns.
"""

import math

from physics.joints import ball
from physics.kernels import quat
from physics.kernels.angle import arctangent
from physics.kernels.jit import inline
from physics.kernels.vec import add_scaled, cross, dot, mul, store6, sub
from physics.layout import (
    AXES_CHILD, AXES_PARENT, AXIS, COORDINATE, DAMPING, FRAME_CHILD, FRAME_PARENT, LAST,
    LIMIT_DAMPING, LIMIT_STIFFNESS, LIMITED, LOWER, OFFSET, POTENTIAL, REST, SPRING_C, SPRING_K, STIFFNESS,
    TORQUE, TURN_W, TURN_Z, UPPER,
)  # fmt: skip

ROWS = 5
AXES = 1


@inline
def column(m, i, o, c):
    """Column c of the 3x3 matrix at column o of row i"""
    return m[i, o + c], m[i, o + 3 + c], m[i, o + 6 + c]


@inline
def error(joint, i, xc, rot_c, xp, rot_p):
    lin, _ = ball.error(joint, i, xc, rot_c, xp, rot_p)
    return lin, cross(mul(rot_p, column(joint, i, AXES_PARENT, 2)), mul(rot_c, column(joint, i, AXES_CHILD, 2)))


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    lin, _ = ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    a = mul(rot_c, column(joint, i, AXES_CHILD, 2))
    store6(edge, i, AXIS, (0.0, 0.0, 0.0, a[0], a[1], a[2]))
    return lin, cross(mul(rot_p, column(joint, i, AXES_PARENT, 2)), a)


@inline
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    lin, _ = ball.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    a = mul(rot_c, column(joint, i, AXES_CHILD, 2))
    w = sub(wc, wp)
    return lin, add_scaled(w, -dot(a, w), a)


@inline
def bias(edge, i, vc, wc, vp, wp):
    return ball.anchor_bias(edge, i, wc, wp), cross(wp, sub(wc, wp))


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    ball.translation_rows(rows, i)
    x = mul(rot_c, column(joint, i, AXES_CHILD, 0))
    y = mul(rot_c, column(joint, i, AXES_CHILD, 1))
    store6(rows, i, 18, (0.0, 0.0, 0.0, x[0], x[1], x[2]))
    store6(rows, i, 24, (0.0, 0.0, 0.0, y[0], y[1], y[2]))


@inline
def relative_turn(joint, i, qc, qp):
    """The child's joint frame seen from the parent's, as a quaternion."""
    r = quat.multiply(quat.conjugate(qp), qc)
    return quat.multiply(
        quat.multiply(quat.conjugate(quat_at(joint, i, FRAME_PARENT)), r), quat_at(joint, i, FRAME_CHILD)
    )


@inline
def quat_at(joint, i, o):
    return joint[i, o], joint[i, o + 1], joint[i, o + 2], joint[i, o + 3]


@inline
def half_angle(joint, i, qc, qp):
    """(sin, cos) of half the angle about the counted axis, up to a common positive factor"""
    r = quat.multiply(quat.conjugate(qp), qc)
    return (
        joint[i, TURN_Z] * r[0]
        + joint[i, TURN_Z + 1] * r[1]
        + joint[i, TURN_Z + 2] * r[2]
        + joint[i, TURN_Z + 3] * r[3],
        joint[i, TURN_W] * r[0]
        + joint[i, TURN_W + 1] * r[1]
        + joint[i, TURN_W + 2] * r[2]
        + joint[i, TURN_W + 3] * r[3],
    )


@inline
def angle(joint, memory, i, qc, qp):
    z, w = half_angle(joint, i, qc, qp)
    return unwrapped(z, w, memory[i, OFFSET], memory[i, LAST])


@inline
def unwrapped(z, w, offset, last):
    """2 atan2(z, w) + offset; crossing the cut (w < 0, z changes sign) since the last step adds 4 pi."""
    if w < 0.0 and z < 0.0 and last >= 0.0:
        offset += 4.0 * math.pi
    elif w < 0.0 and z >= 0.0 and last < 0.0:
        offset -= 4.0 * math.pi
    return 2.0 * arctangent(z, w) + offset


@inline
def count_turns(z, w, memory, i):
    last = memory[i, LAST]
    if w < 0.0:
        if z < 0.0 and last >= 0.0:
            memory[i, OFFSET] += 4.0 * math.pi
        elif z >= 0.0 and last < 0.0:
            memory[i, OFFSET] -= 4.0 * math.pi
    memory[i, LAST] = z


@inline
def remember(joint, memory, i, qc, qp):
    """Count whole turns: called once for each accepted pose."""
    z, w = half_angle(joint, i, qc, qp)
    count_turns(z, w, memory, i)


@inline
def axis_spring(flags, joint, i, c, q, out):
    """Spring and soft limits of coordinate c: T = -k (q - q0), one-sided beyond the limits."""
    k = joint[i, STIFFNESS + c]
    e = q - joint[i, REST + c]
    t = -k * e
    u = 0.5 * k * e * e
    d = joint[i, DAMPING + c]
    if flags & LIMITED:
        over = max(q - joint[i, UPPER + c], 0.0) + min(q - joint[i, LOWER + c], 0.0)
        if over != 0.0:
            kl = joint[i, LIMIT_STIFFNESS + c]
            t -= kl * over
            u += 0.5 * kl * over * over
            k += kl
            d += joint[i, LIMIT_DAMPING + c]
    out[i, COORDINATE + c] = q
    out[i, TORQUE + c] = t
    out[i, SPRING_K + c] = k
    out[i, SPRING_C + c] = d
    return u


@inline
def spring(flags, joint, memory, i, qc, qp, out):
    out[i, POTENTIAL] = axis_spring(flags, joint, i, 0, angle(joint, memory, i, qc, qp), out)
