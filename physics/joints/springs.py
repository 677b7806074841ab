"""Springs and dampers between two bodies, or a body and the world, a static or a moving body: links without a
constraint row, whose axes carry only a spring.

between points:  d = (x_c + r_c) - (x_p + r_p),  l = |d|,  u = d / l
    rest length L > 0:  one axis u, F = -(k (l - L) + c u . d') u; zero while l < L where it only pulls
    L = 0:              three axes, F = -k d - c s, with s as below
torsion:         the spring of a ball joint (physics/joints/ball.py), without the joint

A spring without a length has no line to damp along. Therefore s is the whole velocity of b's end, as seen from a:

    s = d' - w_a x d,    F on b and -F on a, both at b's end

Momentum and angular momentum are conserved. Two bodies that rotate as one are not braked, and F . s only removes
energy. (The forces -c d' at the two ends would be a couple, which brakes such a rotation.) The roles of a and b are
exchanged where no force moves b, or where a is a particle, which has no frame; joint[MEETING] says which. Two particles
have no frame at all: their damper acts along d, as that of a spring with a length.

Both kinds are implicit if the springs of joints are. For L > 0, the stiffness of F across u, k (1 - L/l), which comes
from the rotation of u, stays explicit.
"""

import math

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges, Springs
from physics.joints import ball, distance
from physics.maths.vec import add_scaled, cross, dot, load3, norm, scale, store3, store6

POINT_ROWS, POINT_AXES = 0, 3
TORSION_ROWS, TORSION_AXES = 0, 3


@inline
def has_line(joint, i):
    """Return whether spring i acts along a line. A spring of zero length does so only between two particles."""
    return joint[i, Joints.LENGTH] > 0.0 or joint[i, Joints.MEETING] < 0.0


@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and axes of spring i to `edge`. Return the error, which is zero."""
    rc, rp, d = distance.separation(joint, i, xc, rot_c, xp, rot_p)
    if has_line(joint, i):
        u = distance.direction(d)
        t = across(u)
        n = cross(u, t)
        if joint[i, Joints.LENGTH] > 0.0:
            # only the first axis carries anything; the third is as long as the spring, for `bias`
            n = scale(max(norm(d), 1e-9), n)
    else:
        u = (1.0, 0.0, 0.0)
        t = (0.0, 1.0, 0.0)
        n = (0.0, 0.0, 1.0)
        rc = add_scaled(rc, -joint[i, Joints.MEETING], d)
        rp = add_scaled(rp, 1.0 - joint[i, Joints.MEETING], d)
    store3(edge, i, Edges.RC, rc)
    store3(edge, i, Edges.RP, rp)
    store6(edge, i, Edges.AXIS, (u[0], u[1], u[2], 0.0, 0.0, 0.0))
    store6(edge, i, Edges.AXIS + 6, (t[0], t[1], t[2], 0.0, 0.0, 0.0))
    store6(edge, i, Edges.AXIS + 12, (n[0], n[1], n[2], 0.0, 0.0, 0.0))
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@inline
def torsion_frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Write the levers of torsion spring i to `edge`. Return the error, which is zero."""
    ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@inline
def bias(joint, edge, i, vc, wc, vp, wp):
    """Return b_acc of spring i (linear, angular): minus the change of the rates along the axes at zero accelerations.
    If the spring has a rest length, it is that of a rod, else that of a ball joint."""
    lin = ball.anchor_bias(edge, i, wc, wp)
    if joint[i, Joints.LENGTH] > 0.0:
        u = load3(edge, i, Edges.AXIS)
        rate = ball.anchor_slip(load3(edge, i, Edges.RC), vc, wc, load3(edge, i, Edges.RP), vp, wp)
        along = dot(u, rate)
        length = norm(load3(edge, i, Edges.AXIS + 12))
        lin = scale(dot(u, lin) - (dot(rate, rate) - along * along) / length, u)
    return lin, (0.0, 0.0, 0.0)


@inline
def across(u):
    """Return a unit vector at right angles to the unit vector u."""
    if abs(u[0]) < 0.6:
        s = 1.0 / math.sqrt(u[1] * u[1] + u[2] * u[2])
        return 0.0, s * u[2], -s * u[1]
    s = 1.0 / math.sqrt(u[0] * u[0] + u[1] * u[1])
    return s * u[1], -s * u[0], 0.0


@inline
def spring(joint, i, xc, rot_c, xp, rot_p, out):
    """Write coordinates, forces along the axes, stiffness, damping and energy of spring i to row i of `out`."""
    _, _, d = distance.separation(joint, i, xc, rot_c, xp, rot_p)
    k = joint[i, Joints.STIFFNESS]
    c = joint[i, Joints.DAMPING]
    rest = joint[i, Joints.LENGTH]
    if rest > 0.0:
        over = norm(d) - rest
        if over < 0.0 and joint[i, Joints.LOWER] == 0.0:  # it only pulls
            k = 0.0
            c = 0.0
        store3(out, i, Springs.COORDINATE, (norm(d), 0.0, 0.0))
        store3(out, i, Springs.TORQUE, (-k * over, 0.0, 0.0))
        store6(out, i, Springs.K, (k, 0.0, 0.0, 0.0, 0.0, 0.0))
        store6(out, i, Springs.C, (c, 0.0, 0.0, 0.0, 0.0, 0.0))
        out[i, Springs.POTENTIAL] = 0.5 * k * over * over
    else:
        across_it = c
        along = d
        if has_line(joint, i):
            across_it = 0.0
            along = (norm(d), 0.0, 0.0)
        store3(out, i, Springs.COORDINATE, along)
        store3(out, i, Springs.TORQUE, scale(-k, along))
        store6(out, i, Springs.K, (k, k, k, 0.0, 0.0, 0.0))
        store6(out, i, Springs.C, (c, across_it, across_it, 0.0, 0.0, 0.0))
        out[i, Springs.POTENTIAL] = 0.5 * k * dot(d, d)
