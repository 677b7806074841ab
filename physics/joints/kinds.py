"""Every kind of joint and constraint. Each function below calls that of the kind's file, which it finds by the code
(`JointKind`): the frequent joints here, the others in `physics.joints.rare_kinds`. A kind offers the functions:

    frame(joint, i, xc, rot_c, xp, rot_p, edge)     levers and motion axes into `edge`; returns the error
    rows(joint, i, rot_c, rot_p, edge, rows)        the constraint rows T, each a twist at the anchor
    bias(edge, i, vc, wc, vp, wp)                   b_acc, with the levers and axes in `edge`
    coordinates, spring                             where it has axes

The error is a twist of the child relative to the parent whose products with the rows are C. The ball, the hinge and
the weld are also inlined into the loops of `physics.edges.edges`; these functions are not. Kinds from POINT_ON_PLANE on
are picked in `joints.sides`. A coupling is no tie between two bodies: `physics.edges.couplings`.
"""

from physics.compiler.jit import rare
from physics.data.model_tables import JointKind, Joints
from physics.data.work_tables import Edges, Springs
from physics.joints import axes, ball, hinge, rare_kinds, slider, universal, weld
from physics.maths import quat
from physics.maths.vec import ZERO3, add_scaled, dot, load3, load4, sub

# of these a figure may have any number before the others are compiled
COMMON = (JointKind.FREE, JointKind.BALL, JointKind.HINGE, JointKind.UNIVERSAL, JointKind.SLIDER, JointKind.WELD)


@rare
def frame(kind, joint, table, memory, signal, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and motion axes of edge i to `edge`. Return the error, linear [m] and angular [rad]."""
    if kind == JointKind.BALL:
        return ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.HINGE:
        return hinge.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.UNIVERSAL:
        return universal.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.SLIDER:
        return slider.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.WELD:
        return weld.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    return rare_kinds.frame(kind, joint, table, memory, signal, edge, i, xc, rot_c, xp, rot_p)


@rare
def rows(kind, joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of edge i to `rows`, each a twist at the anchor."""
    if kind == JointKind.BALL:
        ball.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.HINGE:
        hinge.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.UNIVERSAL:
        universal.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.SLIDER:
        slider.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.WELD:
        weld.rows(joint, i, rot_c, rot_p, edge, rows)
    else:
        rare_kinds.rows(kind, joint, edge, rows, i, rot_c, rot_p)


@rare
def bias(kind, joint, memory, signal, edge, i, vc, wc, vp, wp):
    """Return b_acc of edge i: how the relative twist of the anchors changes at zero joint acceleration, without what is
    prescribed."""
    if kind == JointKind.FREE:
        return ZERO3, ZERO3
    if kind == JointKind.BALL or kind == JointKind.WELD:
        return ball.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.HINGE:
        return hinge.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.UNIVERSAL:
        return universal.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.SLIDER:
        return slider.bias(edge, i, vc, wc, vp, wp)
    return rare_kinds.bias(kind, joint, edge, i, vc, wc, vp, wp)


@rare
def prescribed_rate(kind, joint, signal, edge, i):
    """Return the twist of the child's anchor relative to the parent's that a function of time prescribes."""
    if kind == JointKind.HINGE_MOTOR or kind == JointKind.SLIDER_MOTOR or kind == JointKind.DISTANCE:
        return rare_kinds.prescribed_rate(kind, joint, signal, edge, i)
    return ZERO3, ZERO3


@rare
def told_acceleration(kind, joint, signal, edge, i, wp):
    """Return what a function of time adds to b_acc of edge i."""
    if kind == JointKind.HINGE_MOTOR or kind == JointKind.SLIDER_MOTOR or kind == JointKind.DISTANCE:
        return rare_kinds.told_acceleration(kind, joint, signal, edge, i, wp)
    return ZERO3, ZERO3


@rare
def slip(
    kind, count_axes, count_rows, joint, table, memory, signal, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp, spare,
    spare_rows,
):  # fmt: skip
    """Return J u of edge i without its prescribed part, at the given poses, as a twist: the relative twist of the
    anchors without its part along the motion axes. For an edge without motion axes it is the part in the space of the
    rows. `spare` and `spare_rows` are overwritten."""
    if kind == JointKind.FUNCTION:
        return rare_kinds.function_slip(joint, spare, spare_rows, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    frame(kind, joint, table, memory, signal, i, xc, rot_c, xp, rot_p, spare)
    told_lin, told_ang = prescribed_rate(kind, joint, signal, spare, i)
    lin = sub(ball.anchor_slip(load3(spare, i, Edges.RC), vc, wc, load3(spare, i, Edges.RP), vp, wp), told_lin)
    ang = sub(sub(wc, wp), told_ang)
    if kind == JointKind.POINT_SPRING or kind == JointKind.TORSION_SPRING or kind == JointKind.ROPE:
        return ZERO3, ZERO3
    if kind == JointKind.BALL:
        return lin, ZERO3  # its axes are all rotations, and not written down
    if count_axes >= 0:
        return axes.without(count_axes, spare, i, lin, ang)
    rows(kind, joint, i, rot_c, rot_p, spare, spare_rows)
    return in_rows(0, count_rows, spare_rows, i, lin, ang)


@rare
def in_rows(first, count, rows, i, lin, ang):
    """Return the part T (T^T T)^-1 T^T t of the twist t = (lin, ang) in the rows from `first` to `count`. The rows of a
    constraint without a motion subspace are at right angles to each other."""
    sum_lin = ZERO3
    sum_ang = ZERO3
    for k in range(first, count):
        tv = load3(rows, i, 6 * k)
        tw = load3(rows, i, 6 * k + 3)
        x = (dot(tv, lin) + dot(tw, ang)) / (dot(tv, tv) + dot(tw, tw))
        sum_lin = add_scaled(sum_lin, x, tv)
        sum_ang = add_scaled(sum_ang, x, tw)
    return sum_lin, sum_ang


@rare
def spring(kind, flags, joint, memory, i, xc, rot_c, qc, xp, rot_p, qp, out):
    """Write coordinates, elastic torques, stiffness and damping of edge i to `out`. Return its energy [J]."""
    if kind == JointKind.BALL:
        ball.spring(flags, joint, i, qc, qp, rot_c, rot_p, out)
    elif kind == JointKind.HINGE:
        hinge.spring(flags, joint, memory, i, qc, qp, out)
    elif kind == JointKind.UNIVERSAL:
        universal.spring(flags, joint, memory, i, qc, qp, out)
    elif kind == JointKind.SLIDER:
        slider.spring(flags, joint, i, xc, rot_c, xp, rot_p, out)
    elif kind != JointKind.WELD:
        return rare_kinds.spring(kind, flags, joint, memory, out, i, xc, rot_c, qc, xp, rot_p, qp)
    return out[i, Springs.POTENTIAL]


@rare
def coordinates(kind, joint, memory, signal, i, xc, rot_c, qc, xp, rot_p, qp):
    """Return the three coordinates of edge i: for a ball the rotation vector from its spring's rest, in world axes; for
    others angles [rad] and displacements [m]."""
    if kind == JointKind.BALL:
        rest = load4(joint, i, Joints.REST_FRAME)
        return quat.logarithm(quat.multiply(quat.multiply(qc, rest), quat.conjugate(qp)))
    if kind == JointKind.HINGE:
        return hinge.angle(joint, memory, i, qc, qp), 0.0, 0.0
    if kind == JointKind.UNIVERSAL:
        q1, q2 = universal.angles(joint, memory, i, qc, qp)
        return q1, q2, 0.0
    if kind == JointKind.SLIDER:
        return slider.travel(joint, i, xc, rot_c, xp, rot_p), 0.0, 0.0
    if kind == JointKind.WELD or kind == JointKind.FREE:
        return ZERO3
    return rare_kinds.coordinates(kind, joint, memory, signal, i, xc, rot_c, qc, xp, rot_p, qp)


@rare
def remember(kind, joint, table, memory, i, xc, rot_c, qc, xp, rot_p, qp):
    """Update State.memory of edge i, which counts turns. It is called once for each accepted pose."""
    if kind == JointKind.HINGE or kind == JointKind.UNIVERSAL:
        hinge.remember(joint, memory, i, qc, qp)
    elif kind != JointKind.BALL and kind != JointKind.SLIDER and kind != JointKind.WELD and kind != JointKind.FREE:
        rare_kinds.remember(kind, joint, table, memory, i, xc, rot_c, qc, xp, rot_p, qp)
