"""Universal joint: two anchors coincide; rotation about x of the parent's frame (a) and y of the child's frame (e).

    C = [(x_c + r_c) - (x_p + r_p);  -asin(a . e) t],  t = a x e / |a x e|        N = [0; a], [0; e]
    b_acc = [ball;  q1 w_p x a + q2 w_c x e],  the rates q along the axes

Coordinates: the child is turned by R_x(q1) R_y(q2) relative to the parent; q1 is counted over whole turns.
"""

import math

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.state_tables import Memory
from physics.data.work_tables import Edges, Springs
from physics.joints import ball, hinge
from physics.maths.angle import arctangent
from physics.maths.vec import add, cross, dot, load3, mul, norm, scale, store6, sub

ROWS = 4
AXES = 2


@inline
def axes(joint, i, rot_c, rot_p):
    """Return the axes a and e of joint i, and the unit normal t of their plane, in world axes."""
    a = mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 0))
    e = mul(rot_c, hinge.column(joint, i, Joints.AXES_CHILD, 1))
    n = cross(a, e)
    return a, e, scale(1.0 / norm(n), n)


@inline
def error(joint, i, xc, rot_c, xp, rot_p):
    """Return the error of joint i, linear [m] and angular [rad]."""
    lin, _ = ball.error(joint, i, xc, rot_c, xp, rot_p)
    a, e, t = axes(joint, i, rot_c, rot_p)
    return lin, scale(-arctangent(dot(a, e), norm(cross(a, e))), t)


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and axes of joint i to `edge`. Return the error, linear [m] and angular [rad]."""
    ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    a, e, _ = axes(joint, i, rot_c, rot_p)
    store6(edge, i, Edges.AXIS, (0.0, 0.0, 0.0, a[0], a[1], a[2]))
    store6(edge, i, Edges.AXIS + 6, (0.0, 0.0, 0.0, e[0], e[1], e[2]))
    return error(joint, i, xc, rot_c, xp, rot_p)


@inline
def slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Return J u of joint i as a twist, at the given poses and velocities of child and parent."""
    lin, _ = ball.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    _, _, t = axes(joint, i, rot_c, rot_p)
    return lin, scale(dot(t, sub(wc, wp)), t)


@inline
def bias(edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular), with levers and axes in `edge`."""
    a = load3(edge, i, Edges.AXIS + 3)
    e = load3(edge, i, Edges.AXIS + 9)
    w = sub(wc, wp)
    return ball.anchor_bias(edge, i, wc, wp), add(scale(dot(a, w), cross(wp, a)), scale(dot(e, w), cross(wc, e)))


@inline
def rows(joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of joint i to row i of `rows`."""
    ball.translation_rows(rows, i)
    _, _, t = axes(joint, i, rot_c, rot_p)
    store6(rows, i, 18, (0.0, 0.0, 0.0, t[0], t[1], t[2]))


@inline
def angles(joint, memory, i, qc, qp):
    """Return the two angles [rad] of joint i, the first with whole turns."""
    # R_x(q1) R_y(q2) = (c1 c2, s1 c2, c1 s2, s1 s2) in half angles, c2 > 0
    r = hinge.relative_turn(joint, i, qc, qp)
    q1 = hinge.unwrapped(r[1], r[0], memory[i, Memory.OFFSET], memory[i, Memory.LAST])
    c2 = math.sqrt(r[0] * r[0] + r[1] * r[1])
    s2 = (r[2] * r[0] + r[3] * r[1]) / c2
    return q1, 2.0 * arctangent(s2, c2)


@inline
def coordinates(joint, memory, i, qc, qp):
    """Return the three coordinates of joint i: its two angles [rad], 0."""
    q1, q2 = angles(joint, memory, i, qc, qp)
    return q1, q2, 0.0


@inline
def spring(flags, joint, memory, i, qc, qp, out):
    """Write coordinates, torques, stiffness, damping and energy of joint i to row i of `out`."""
    q1, q2 = angles(joint, memory, i, qc, qp)
    u = hinge.axis_spring(flags, joint, i, 0, q1, out)
    out[i, Springs.POTENTIAL] = u + hinge.axis_spring(flags, joint, i, 1, q2, out)
