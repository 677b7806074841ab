"""The kinds of joints and constraints that few figures have. `physics.joints.kinds` calls these functions for them.

The functions are compiled lazily, for a figure that has one of these kinds (`compiler.lazy`, group "kinds").
"""

from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Joints
from physics.data.work_tables import Springs
from physics.joints import ball, compound, distance, function, hinge, in_plane, motor, sides, slider, weld
from physics.joints import rope
from physics.joints import springs
from physics.maths import quat
from physics.maths.vec import ZERO3, load4, norm


@far("kinds", "ittttti3939", "33")
def frame(kind, joint, table, memory, signal, edge, i, xc, rot_c, xp, rot_p):
    """Do the work of `kinds.frame` for a rarely used kind."""
    if kind == JointKind.PLANE_HINGE:
        return hinge.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.PLANE_SLIDER:
        return slider.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.PLANE_WELD:
        return weld.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.DISTANCE:
        return distance.frame(joint, signal, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.COMPOUND:
        return compound.frame(joint, memory, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.HINGE_MOTOR:
        return motor.hinge_frame(joint, signal, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.SLIDER_MOTOR:
        return motor.slider_frame(joint, signal, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.POINT_SPRING:
        return springs.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.TORSION_SPRING:
        ball.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.ROPE:
        return rope.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind == JointKind.FUNCTION:
        return function.frame(joint, i, xc, rot_c, xp, rot_p, edge)
    if kind >= JointKind.POINT_ON_PLANE:
        return sides.frame(kind, joint, table, memory, i, xc, rot_c, xp, rot_p, edge)
    return ZERO3, ZERO3


@far("kinds", "ittti99")
def rows(kind, joint, edge, rows, i, rot_c, rot_p):
    """Do the work of `kinds.rows` for a rarely used kind."""
    if kind == JointKind.HINGE_MOTOR or kind == JointKind.SLIDER_MOTOR:
        weld.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.DISTANCE:
        distance.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.COMPOUND:
        compound.rows(joint, i, rot_c, rot_p, edge, rows)
    elif kind == JointKind.PLANE_HINGE:
        in_plane.hinge_rows(joint, i, rot_p, rows)
    elif kind == JointKind.PLANE_SLIDER:
        in_plane.slider_rows(joint, i, rot_p, rows)
    elif kind == JointKind.PLANE_WELD:
        in_plane.weld_rows(joint, i, rot_p, rows)
    elif kind == JointKind.FUNCTION:
        function.rows(joint, i, edge, rows)
    elif kind >= JointKind.POINT_ON_PLANE:
        sides.rows(kind, joint, i, edge, rows)


@far("kinds", "itti3333", "33")
def bias(kind, joint, edge, i, vc, wc, vp, wp):
    """Do the work of `kinds.bias` for a rarely used kind."""
    if kind == JointKind.HINGE_MOTOR or kind == JointKind.SLIDER_MOTOR or kind == JointKind.PLANE_WELD:
        return ball.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.PLANE_HINGE:
        return hinge.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.PLANE_SLIDER:
        return slider.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.DISTANCE or kind == JointKind.ROPE:
        return distance.bias(edge, i, vc, wc, vp, wp)
    if kind == JointKind.COMPOUND:
        return compound.bias(joint, edge, i, vc, wc, vp, wp)
    if kind == JointKind.POINT_SPRING:
        return springs.bias(joint, edge, i, vc, wc, vp, wp)
    if kind == JointKind.FUNCTION:
        return function.bias(joint, edge, i, vc, wc, vp, wp)
    if kind >= JointKind.POINT_ON_PLANE:
        return sides.bias(kind, joint, edge, i, vc, wc, vp, wp)
    return ZERO3, ZERO3


@far("kinds", "ittti", "33")
def prescribed_rate(kind, joint, signal, edge, i):
    """Do the work of `kinds.prescribed_rate` for a motor or a distance."""
    if kind == JointKind.HINGE_MOTOR or kind == JointKind.SLIDER_MOTOR:
        return motor.rate(kind == JointKind.HINGE_MOTOR, joint, signal, edge, i)
    return distance.prescribed(joint, signal, edge, i, 1), ZERO3


@far("kinds", "ittti3", "33")
def told_acceleration(kind, joint, signal, edge, i, wp):
    """Do the work of `kinds.told_acceleration` for a motor or a distance."""
    if kind == JointKind.HINGE_MOTOR or kind == JointKind.SLIDER_MOTOR:
        return motor.acceleration(kind == JointKind.HINGE_MOTOR, joint, signal, edge, i, wp)
    return distance.prescribed(joint, signal, edge, i, 2), ZERO3


@far("kinds", "ttti39333933", "33")
def function_slip(joint, spare, spare_rows, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Do the work of `kinds.slip` for a function."""
    return function.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp, spare, spare_rows)


@far("kinds", "iittti394394", "f")
def spring(kind, flags, joint, memory, out, i, xc, rot_c, qc, xp, rot_p, qp):
    """Do the work of `kinds.spring` for a rarely used kind."""
    if kind == JointKind.TORSION_SPRING:
        ball.spring(flags, joint, i, qc, qp, rot_c, rot_p, out)
    elif kind == JointKind.PLANE_HINGE:
        hinge.spring(flags, joint, memory, i, qc, qp, out)
    elif kind == JointKind.PLANE_SLIDER:
        slider.spring(flags, joint, i, xc, rot_c, xp, rot_p, out)
    elif kind == JointKind.COMPOUND:
        compound.spring(flags, joint, memory, i, xc, rot_c, xp, rot_p, out)
    elif kind == JointKind.POINT_SPRING:
        springs.spring(joint, i, xc, rot_c, xp, rot_p, out)
    return out[i, Springs.POTENTIAL]


@far("kinds", "ittti394394", "3")
def coordinates(kind, joint, memory, signal, i, xc, rot_c, qc, xp, rot_p, qp):
    """Do the work of `kinds.coordinates` for a rarely used kind."""
    if kind == JointKind.TORSION_SPRING:
        rest = load4(joint, i, Joints.REST_FRAME)
        return quat.logarithm(quat.multiply(quat.multiply(qc, rest), quat.conjugate(qp)))
    if kind == JointKind.PLANE_HINGE:
        return hinge.angle(joint, memory, i, qc, qp), 0.0, 0.0
    if kind == JointKind.PLANE_SLIDER or kind == JointKind.SLIDER_MOTOR:
        return slider.travel(joint, i, xc, rot_c, xp, rot_p), 0.0, 0.0
    if kind == JointKind.COMPOUND:
        return compound.coordinates(joint, memory, i, xc, rot_c, xp, rot_p)
    if kind == JointKind.POINT_SPRING:
        _, _, d = distance.separation(joint, i, xc, rot_c, xp, rot_p)
        return norm(d), 0.0, 0.0
    if kind == JointKind.ROPE:
        return rope.length(joint, i, xc, rot_c, xp, rot_p), 0.0, 0.0
    if kind == JointKind.HINGE_MOTOR:
        return motor.hinge_coordinate(joint, signal, i, xc, rot_c, xp, rot_p), 0.0, 0.0
    return ZERO3


@far("kinds", "ittti394394")
def remember(kind, joint, table, memory, i, xc, rot_c, qc, xp, rot_p, qp):
    """Do the work of `kinds.remember` for a rarely used kind."""
    if kind == JointKind.PLANE_HINGE:
        hinge.remember(joint, memory, i, qc, qp)
    elif kind == JointKind.COMPOUND:
        compound.remember(joint, memory, i, xc, rot_c, xp, rot_p)
    elif kind >= JointKind.POINT_ON_PLANE:
        sides.remember(kind, joint, table, memory, i, xc, rot_c, xp, rot_p)
