"""Constraints whose equations are written for the definition's bodies a and b: b's point on a's line, b's wheel on a's
plane.

Their files state errors, rows and b_acc of b relative to a, and write the lever of b to Edges.RC and that of a to
Edges.RP. The forest determines which of the two is the child (Joints.SIDE). If the child is a, the levers are
exchanged, and error, rows and b_acc change their sign.

The functions named `..._of_b` have no body here. `by_constraint` makes them from the table `CONSTRAINTS`
(`physics.joints.table`): each calls the function of the kind with the code `kind`.
"""

from collections.abc import Callable
from typing import Any

from physics.compiler.by_code import call_by_code
from physics.compiler.jit import kernel
from physics.data.model_tables import Joints
from physics.data.work_tables import Edges
from physics.joints.table import CONSTRAINTS
from physics.maths.vec import ZERO3, add, load3, mul, negative, store3, sub


def by_constraint(field: str, nothing: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a kernel without a body: the kernel calls the function in `field` of the entry whose code
    is `kind`, and returns `nothing` where the entry has none."""
    functions = {entry.code: getattr(entry, field) for entry in CONSTRAINTS}
    return lambda spec: kernel(call_by_code(spec, functions, nothing))


@by_constraint("frame", (ZERO3, ZERO3))
def frame_of_b(kind, joint, table, memory, i, ra, sa, oa, rb, sb, ob, d, edge):
    """Write levers, with that of b to Edges.RC, and row vectors of constraint i to `edge`. Rotation matrices ra and rb,
    levers sa and sb to the points, columns oa and ob of the joint axes and the vector d between the points are those of
    the definition's bodies. Return the error of b relative to a."""


@by_constraint("rows", 0)
def rows_of_b(kind, i, edge, rows):
    """Write the constraint rows T of b relative to a, of edge i, to `rows`. Return their number."""


@by_constraint("bias", (ZERO3, ZERO3))
def bias_of_b(kind, joint, edge, i, vb, wb, lb, va, wa, la):
    """Return b_acc of b relative to a, for velocities v, angular velocities w and levers l of the two."""


@by_constraint("remember", None)
def remember_of_b(kind, joint, table, memory, i, ra, oa, rb, ob, d):
    """Update State.memory of constraint i for the accepted pose, with the definition's bodies a and b."""


@kernel
def frame(kind, joint, table, memory, i, xc, rot_c, xp, rot_p, edge):
    """Write the levers of constraint i, and the vectors that `rows` and `bias` need, to `edge`. Return the error of the
    child relative to the parent."""
    sc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    sp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    if joint[i, Joints.SIDE] > 0.0:
        d = sub(add(xc, sc), add(xp, sp))
        return frame_of_b(
            kind, joint, table, memory, i, rot_p, sp, Joints.AXES_PARENT, rot_c, sc, Joints.AXES_CHILD, d, edge
        )
    d = sub(add(xp, sp), add(xc, sc))
    lin, ang = frame_of_b(
        kind, joint, table, memory, i, rot_c, sc, Joints.AXES_CHILD, rot_p, sp, Joints.AXES_PARENT, d, edge
    )
    lever = load3(edge, i, Edges.RC)
    store3(edge, i, Edges.RC, load3(edge, i, Edges.RP))
    store3(edge, i, Edges.RP, lever)
    return negative(lin), negative(ang)


@kernel
def rows(kind, joint, i, edge, rows):
    """Write the constraint rows T of the child relative to the parent, of edge i, to `rows`."""
    count = rows_of_b(kind, i, edge, rows)
    if joint[i, Joints.SIDE] < 0.0:
        for k in range(6 * count):
            rows[i, k] = -rows[i, k]


@kernel
def bias(kind, joint, edge, i, vc, wc, vp, wp):
    """Return b_acc of the child relative to the parent (linear, angular), with the levers in `edge`."""
    rc = load3(edge, i, Edges.RC)
    rp = load3(edge, i, Edges.RP)
    if joint[i, Joints.SIDE] > 0.0:
        return bias_of_b(kind, joint, edge, i, vc, wc, rc, vp, wp, rp)
    lin, ang = bias_of_b(kind, joint, edge, i, vp, wp, rp, vc, wc, rc)
    return negative(lin), negative(ang)


@kernel
def remember(kind, joint, table, memory, i, xc, rot_c, xp, rot_p):
    """Update State.memory of constraint i (turns, and parameters of curves); called once for each accepted pose."""
    sc = mul(rot_c, load3(joint, i, Joints.ANCHOR_CHILD))
    sp = mul(rot_p, load3(joint, i, Joints.ANCHOR_PARENT))
    if joint[i, Joints.SIDE] > 0.0:
        d = sub(add(xc, sc), add(xp, sp))
        remember_of_b(kind, joint, table, memory, i, rot_p, Joints.AXES_PARENT, rot_c, Joints.AXES_CHILD, d)
    else:
        d = sub(add(xp, sp), add(xc, sc))
        remember_of_b(kind, joint, table, memory, i, rot_c, Joints.AXES_CHILD, rot_p, Joints.AXES_PARENT, d)
