"""Constraints that are written for the definition's bodies a and b: b's point on a's line, b's wheel on a's plane.

Their files speak of b relative to a and write the lever of b to Work.edge RC, that of a to RP. Which of the two is the
child is for the forest to say (SIDE): where it is a, the levers change places, and error, rows and b_acc their sign.
"""

from physics.compiler.jit import inline, kernel
from physics.data.model_tables import JointKind, Joints
from physics.data.work_tables import Edges
from physics.joints import directions, gear, point, rolling
from physics.maths.vec import ZERO3, add, load3, mul, negative, store3, sub


@kernel
def frame(kind, joint, table, memory, i, xc, rot_c, xp, rot_p, edge):
    """Write levers, and what rows and bias need, of constraint i to `edge`. Return the error of the child relative to
    the parent."""
    sc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    sp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    if joint[i, Joints.SIDE] > 0.0:
        return frame_of_b(
            kind, joint, table, memory, i, xp, rot_p, sp, Joints.AXES_PARENT, xc, rot_c, sc, Joints.AXES_CHILD, edge
        )
    lin, ang = frame_of_b(
        kind, joint, table, memory, i, xc, rot_c, sc, Joints.AXES_CHILD, xp, rot_p, sp, Joints.AXES_PARENT, edge
    )
    lever = load3(edge, i, Edges.RC)
    store3(edge, i, Edges.RC, load3(edge, i, Edges.RP))
    store3(edge, i, Edges.RP, lever)
    return negative(lin), negative(ang)


@kernel
def frame_of_b(kind, joint, table, memory, i, xa, ra, sa, oa, xb, rb, sb, ob, edge):
    """Do the work of `frame` for the bodies a and b of the definition. Return the error of b relative to a."""
    d = sub(add(xb, sb), add(xa, sa))
    if kind == JointKind.GEAR:
        return gear.frame_wheels(joint, memory, i, sa, ra, oa, sb, rb, ob, d, edge)
    if kind == JointKind.RACK:
        return gear.frame_rack(joint, memory, i, sa, ra, oa, sb, rb, ob, d, edge)
    if kind == JointKind.ROLLING_SPHERE:
        return rolling.frame_sphere(joint, i, sa, ra, oa, sb, d, edge), ZERO3
    if kind == JointKind.ROLLING_DISK:
        return rolling.frame_disk(joint, i, sa, ra, oa, sb, rb, ob, d, edge), ZERO3
    if kind == JointKind.TROUGH_SPHERE:
        return rolling.frame_trough(joint, i, sa, ra, oa, sb, d, edge), ZERO3
    if kind == JointKind.TROUGH_CYLINDER:
        lin = rolling.frame_trough(joint, i, sa, ra, oa, sb, d, edge)
        return lin, rolling.frame_cylinder(joint, i, ra, oa, rb, ob, edge)
    if kind == JointKind.KNIFE_EDGE:
        rolling.frame_knife(joint, i, sa, sb, rb, ob, d, edge)
        return ZERO3, ZERO3
    store3(edge, i, Edges.RC, sb)
    store3(edge, i, Edges.RP, add(sa, d))
    if kind == JointKind.POINT_ON_PLANE:
        return point.frame_on_plane(joint, i, d, ra, oa, edge), ZERO3
    if kind == JointKind.POINT_ON_LINE:
        return point.frame_on_line(joint, i, d, ra, oa, edge), ZERO3
    if kind == JointKind.POINT_ON_CURVE:
        if joint[i, Joints.TABLE_ROWS] == 0.0:
            return point.frame_on_circle(joint, i, d, ra, oa, edge), ZERO3
        return point.frame_on_spline(joint, table, memory, i, d, ra, edge), ZERO3
    if kind == JointKind.PARALLEL:
        return ZERO3, directions.frame_parallel(joint, i, ra, oa, rb, ob, edge)
    return ZERO3, directions.frame_perpendicular(joint, i, ra, oa, rb, ob, edge)


@kernel
def rows(kind, joint, i, edge, rows):
    """Write the constraint rows T of the child relative to the parent to `rows`."""
    count = 1
    if kind == JointKind.GEAR or kind == JointKind.RACK:
        gear.rows(i, edge, rows)
    elif kind == JointKind.PARALLEL or kind == JointKind.PERPENDICULAR:
        count = 2 if kind == JointKind.PARALLEL else 1
        directions.rows(0, count, Edges.AXIS, i, edge, rows)
    elif kind == JointKind.POINT_ON_PLANE or kind == JointKind.KNIFE_EDGE:
        point.rows(0, 1, Edges.AXIS, i, edge, rows)
    elif kind == JointKind.POINT_ON_LINE or kind == JointKind.POINT_ON_CURVE:
        count = 2
        point.rows(0, 2, Edges.AXIS, i, edge, rows)
    elif kind == JointKind.TROUGH_CYLINDER:
        # those that keep a position come first
        count = 5
        point.rows(0, 1, Edges.AXIS, i, edge, rows)
        directions.rows(1, 2, rolling.ACROSS, i, edge, rows)
        point.rows(3, 2, Edges.AXIS + 3, i, edge, rows)
    else:
        count = 3
        point.rows(0, 3, Edges.AXIS, i, edge, rows)
    if joint[i, Joints.SIDE] < 0.0:
        for k in range(6 * count):
            rows[i, k] = -rows[i, k]


@kernel
def bias(kind, joint, edge, i, vc, wc, vp, wp):
    """Return b_acc of the child relative to the parent."""
    rc = load3(edge, i, Edges.RC)
    rp = load3(edge, i, Edges.RP)
    if joint[i, Joints.SIDE] > 0.0:
        return bias_of_b(kind, joint, edge, i, vc, wc, rc, vp, wp, rp)
    lin, ang = bias_of_b(kind, joint, edge, i, vp, wp, rp, vc, wc, rc)
    return negative(lin), negative(ang)


@kernel
def bias_of_b(kind, joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc of b relative to a."""
    if kind == JointKind.GEAR:
        return gear.bias_wheels(joint, edge, i, vb, wb, lb, va, wa, la)
    if kind == JointKind.RACK:
        return gear.bias_rack(joint, edge, i, vb, wb, lb, va, wa, la)
    if kind == JointKind.PARALLEL:
        return ZERO3, directions.bias_parallel(wb, wa)
    if kind == JointKind.PERPENDICULAR:
        return ZERO3, directions.bias_perpendicular(edge, i, wb, wa)
    if kind == JointKind.ROLLING_SPHERE:
        return rolling.bias_sphere(joint, edge, i, vb, wb, lb, va, wa, la), ZERO3
    if kind == JointKind.ROLLING_DISK:
        return rolling.bias_disk(joint, edge, i, vb, wb, lb, va, wa, la), ZERO3
    if kind == JointKind.TROUGH_SPHERE:
        return rolling.bias_trough(joint, edge, i, vb, wb, lb, va, wa, la), ZERO3
    if kind == JointKind.TROUGH_CYLINDER:
        return rolling.bias_trough(joint, edge, i, vb, wb, lb, va, wa, la), directions.bias_parallel(wb, wa)
    if kind == JointKind.KNIFE_EDGE:
        return rolling.bias_knife(vb, wb, lb, va, wa, la), ZERO3
    lin = point.point_bias(vb, wb, lb, va, wa, la)
    if kind == JointKind.POINT_ON_CURVE:
        lin = add(lin, point.curve_bias(edge, i, vb, wb, lb, va, wa, la))
    return lin, ZERO3


@kernel
def remember(kind, joint, table, memory, i, xc, rot_c, xp, rot_p):
    """Update State.memory of constraint i (turns, and parameters of curves). It is called once for each accepted
    pose."""
    sc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    sp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    if joint[i, Joints.SIDE] > 0.0:
        remember_of_b(
            kind, joint, table, memory, i, xp, rot_p, sp, Joints.AXES_PARENT, xc, rot_c, sc, Joints.AXES_CHILD
        )
    else:
        remember_of_b(
            kind, joint, table, memory, i, xc, rot_c, sc, Joints.AXES_CHILD, xp, rot_p, sp, Joints.AXES_PARENT
        )


@inline
def remember_of_b(kind, joint, table, memory, i, xa, ra, sa, oa, xb, rb, sb, ob):
    """Do the work of `remember` for the bodies a and b of the definition."""
    d = sub(add(xb, sb), add(xa, sa))
    if kind == JointKind.GEAR:
        gear.remember_wheels(joint, memory, i, ra, oa, rb, ob, d)
    elif kind == JointKind.RACK:
        gear.remember_rack(joint, memory, i, ra, oa, rb, ob)
    elif kind == JointKind.POINT_ON_CURVE and joint[i, Joints.TABLE_ROWS] > 0.0:
        point.remember_on_spline(joint, table, memory, i, d, ra)
