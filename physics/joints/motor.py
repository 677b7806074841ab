"""Motors: a hinge or a slider whose coordinate q is a function of time; no other motion is free. Six rows, no axis.

hinge motor:   C = [(x_c + r_c) - (x_p + r_p);  log(child frame relative to the parent frame turned by q about a)]
slider motor:  C = [(x_c + r_c) - (x_p + r0_p + q a);  log(child frame relative to parent frame)],  r_p = r0_p + q a

a is the z axis of the parent's joint frame. The anchors' relative twist is n q', n = [0; a] or [a; 0]. b_acc is that of
a weld plus n q'' and the term of the rotation of n: w_p x a q' about a hinge, 2 w_p x a q' along a slider. The torque
or force of the motor is the joint's wrench along n.
"""

from physics.compiler.jit import inline
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges
from physics.joints import ball, hinge, slider, weld
from physics.maths.elementary import sine_and_cosine
from physics.maths.vec import ZERO3, add_scaled, cross, dot, load3, mat_mul, mul, scale, store3, transpose

ROWS = weld.ROWS
AXES = weld.AXES

rows = weld.rows
bias = weld.bias


@inline
def prescribed(joint, signal, i, order):
    """Return the prescribed coordinate q (order 0), its rate q' (1) or its acceleration q'' (2)."""
    return signal[int(joint[i, Joints.SIGNAL]), order]


@inline
def hinge_frame(joint, signal, i, xc, rot_c, xp, rot_p, edge):
    """Write the levers of joint i, and a to the first axis column, to `edge`. Return the error (linear, angular)."""
    lin, _ = ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    store3(edge, i, Edges.AXIS, mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 2)))
    q = prescribed(joint, signal, i, 0)
    return lin, slider.rotation_error(joint, i, rot_c, turned(joint, i, rot_p, q))


@inline
def turned(joint, i, rot_p, q):
    """Return the parent's rotation matrix after a rotation by q [rad] about a: R_p F R_z(q) F^T."""
    f = slider.load_frame(joint, i, Joints.AXES_PARENT)
    s, c = sine_and_cosine(q)
    return mat_mul(mat_mul(mat_mul(rot_p, f), (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)), transpose(f))


@inline
def slider_frame(joint, signal, i, xc, rot_c, xp, rot_p, edge):
    """Write the levers of joint i, and a to the first axis column, to `edge`. Return the error (linear, angular)."""
    lin, ang = weld.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    a = mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 2))
    q = prescribed(joint, signal, i, 0)
    store3(edge, i, Edges.AXIS, a)
    store3(edge, i, Edges.RP, add_scaled(load3(edge, i, Edges.RP), q, a))
    return add_scaled(lin, -q, a), ang


@inline
def prescribed_velocity(joint, signal, edge, i):
    """Return the vector a q', the prescribed velocity of motor i along its axis or about it."""
    return scale(prescribed(joint, signal, i, 1), load3(edge, i, Edges.AXIS))


@inline
def hinge_rate(joint, signal, edge, i):
    """Return the prescribed twist n q' of a hinge motor (linear, angular)."""
    return ZERO3, prescribed_velocity(joint, signal, edge, i)


@inline
def slider_rate(joint, signal, edge, i):
    """Return the prescribed twist n q' of a slider motor (linear, angular)."""
    return prescribed_velocity(joint, signal, edge, i), ZERO3


@inline
def prescribed_acceleration(factor, joint, signal, edge, i, wp):
    """Return the vector a q'' + factor q' w_p x a of edge i."""
    a = load3(edge, i, Edges.AXIS)
    v = scale(prescribed(joint, signal, i, 2), a)
    return add_scaled(v, factor * prescribed(joint, signal, i, 1), cross(wp, a))


@inline
def hinge_acceleration(joint, signal, edge, i, wp):
    """Return what a hinge motor adds to b_acc (linear, angular): n q'' and the change of n by its rotation."""
    return ZERO3, prescribed_acceleration(1.0, joint, signal, edge, i, wp)


@inline
def slider_acceleration(joint, signal, edge, i, wp):
    """Return what a slider motor adds to b_acc (linear, angular): n q'' and the change of n by its rotation."""
    return prescribed_acceleration(2.0, joint, signal, edge, i, wp), ZERO3


@inline
def hinge_coordinates(joint, signal, i, xc, rot_c, xp, rot_p):
    """Return the three coordinates of a hinge motor: the angle q plus the angular error about a [rad], 0, 0."""
    q = prescribed(joint, signal, i, 0)
    a = mul(rot_p, hinge.column(joint, i, Joints.AXES_PARENT, 2))
    return q + dot(a, slider.rotation_error(joint, i, rot_c, turned(joint, i, rot_p, q))), 0.0, 0.0
