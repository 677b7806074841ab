"""Slider: no rotation, translation along one axis a (z of the parent's joint frame) is free.

    d = (x_c + r_c) - (x_p + r0_p),  C = [d - a (a . d);  log(child frame relative to parent frame)]       N = [a; 0]
    r_p = r0_p + a (a . d)           b_acc = [w_p x (w_p x r_p) - w_c x (w_c x r_c) + 2 s' w_p x a;  0]

The lever r_p leads to the present place of the child's anchor on the axis, so that both bodies' twists are taken at one
point. Coordinate: s = a . d.
"""

import math

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges, Springs
from physics.joints import ball, hinge
from physics.maths import quat
from physics.maths.vec import add, add_scaled, cross, dot, load3, mat_mul, mul, scale, store3, store6, sub, transpose

ROWS = 5
AXES = 1


@inline
def separation(joint, i, xc, rot_c, xp, rot_p):
    """Return the levers r_c and r0_p, the axis a and the vector d of joint i, in world axes."""
    rc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    rp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    return rc, rp, mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 2)), sub(add(xc, rc), add(xp, rp))


@inline
def rotation_error(joint, i, rot_c, rot_p):
    """Return the rotation vector [rad] from the parent's joint frame to the child's, in world axes; it is a gap, and
    small."""
    fc = mat_mul(rot_c, load_frame(joint, i, Joints.AXES_CHILD))
    fp = mat_mul(rot_p, load_frame(joint, i, Joints.AXES_PARENT))
    return turn_vector(mat_mul(fc, transpose(fp)))


@inline
def turn_vector(r):
    """Return the rotation vector of the rotation matrix r: the vector part of its quaternion, scaled to the logarithm.
    For a small rotation, such as a gap, it is (r - r^T)/2 times the series of asin(s)/s, whose next term is below
    1e-17."""
    sine = scale(0.5, (r[7] - r[5], r[2] - r[6], r[3] - r[1]))
    s2 = dot(sine, sine)
    if s2 < 1e-4 and r[0] + r[4] + r[8] > 2.0:
        return scale(1.0 + s2 * (1.0 / 6.0 + s2 * (3.0 / 40.0 + s2 * (5.0 / 112.0))), sine)
    v = scale(0.25, (r[7] - r[5], r[2] - r[6], r[3] - r[1]))
    w = 0.25 * (1.0 + r[0] + r[4] + r[8])
    if w < 1e-6:
        return scale(4.0, v)  # nearly half a turn apart: only a direction; the assembly refuses such a pose
    s = 1.0 / math.sqrt(w)
    return quat.logarithm((w * s, v[0] * s, v[1] * s, v[2] * s))


@inline
def load_frame(m, i, o):
    """Return the 3x3 matrix at column o of row i of m."""
    return (
        m[i, o],
        m[i, o + 1],
        m[i, o + 2],
        m[i, o + 3],
        m[i, o + 4],
        m[i, o + 5],
        m[i, o + 6],
        m[i, o + 7],
        m[i, o + 8],
    )


@inline
def error(joint, i, xc, rot_c, xp, rot_p):
    """Return the error of joint i, linear [m] and angular [rad]."""
    _, _, a, d = separation(joint, i, xc, rot_c, xp, rot_p)
    return add_scaled(d, -dot(a, d), a), rotation_error(joint, i, rot_c, rot_p)


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and axis of joint i to `edge`. Return the error, linear [m] and angular [rad]."""
    rc, rp, a, d = separation(joint, i, xc, rot_c, xp, rot_p)
    store3(edge, i, Edges.RC, rc)
    store3(edge, i, Edges.RP, add_scaled(rp, dot(a, d), a))
    store6(edge, i, Edges.AXIS, (a[0], a[1], a[2], 0.0, 0.0, 0.0))
    return add_scaled(d, -dot(a, d), a), rotation_error(joint, i, rot_c, rot_p)


@inline
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Return J u of joint i as a twist, at the given poses and velocities of child and parent."""
    rc, rp, a, d = separation(joint, i, xc, rot_c, xp, rot_p)
    v = ball.anchor_slip(rc, vc, wc, add_scaled(rp, dot(a, d), a), vp, wp)
    return add_scaled(v, -dot(a, v), a), sub(wc, wp)


@inline
def bias(edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular), with levers and axis in `edge`."""
    a = load3(edge, i, Edges.AXIS)
    rate = dot(a, ball.anchor_slip(load3(edge, i, Edges.RC), vc, wc, load3(edge, i, Edges.RP), vp, wp))
    return add_scaled(ball.anchor_bias(edge, i, wc, wp), 2.0 * rate, cross(wp, a)), (0.0, 0.0, 0.0)


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of joint i to row i of `rows`."""
    x = mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 0))
    y = mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 1))
    store6(rows, i, 0, (x[0], x[1], x[2], 0.0, 0.0, 0.0))
    store6(rows, i, 6, (y[0], y[1], y[2], 0.0, 0.0, 0.0))
    store6(rows, i, 12, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0))
    store6(rows, i, 18, (0.0, 0.0, 0.0, 0.0, 1.0, 0.0))
    store6(rows, i, 24, (0.0, 0.0, 0.0, 0.0, 0.0, 1.0))


@inline
def travel(joint, i, xc, rot_c, xp, rot_p):
    """Return the displacement [m] of joint i along its axis."""
    _, _, a, d = separation(joint, i, xc, rot_c, xp, rot_p)
    return dot(a, d)


@inline
def coordinates(joint, i, xc, rot_c, xp, rot_p):
    """Return the three coordinates of joint i: its displacement [m], 0, 0."""
    return travel(joint, i, xc, rot_c, xp, rot_p), 0.0, 0.0


@inline
def spring(flags, joint, i, xc, rot_c, xp, rot_p, out):
    """Write coordinate, force, stiffness, damping and energy of joint i to row i of `out`."""
    out[i, Springs.POTENTIAL] = hinge.axis_spring(flags, joint, i, 0, travel(joint, i, xc, rot_c, xp, rot_p), out)
