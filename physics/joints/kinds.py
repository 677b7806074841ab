"""The functions of every kind of joint, spring and constraint, called by its code (`JointKind`).

`by_kind` makes the functions that have no body here from the tables of `physics.joints.table`: each calls the function
of the kind with the code `kind`. Calls for common kinds are in the made function itself. Those for other kinds are in a
second function, which is compiled lazily, for a figure that has one of them (`compiler.lazy`, group "kinds"). The ball,
the hinge and the weld are also inlined into the loops of `physics.edges.edges`; the functions of this file are not.

The error of an edge is a twist of the child relative to the parent whose products with the rows are C. Couplings and
conditions, which are not between two bodies, are in `physics.edges.many_body_links`.
"""

import inspect
from collections.abc import Callable
from typing import Any

from physics.compiler.by_code import call_by_code
from physics.compiler.jit import rare
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind
from physics.data.work_tables import Edges
from physics.joints import axes, ball, function, sides
from physics.joints.table import CONSTRAINTS, JOINTS
from physics.maths.vec import ZERO3, add_scaled, dot, load3, sub

COMMON = tuple(entry.code for entry in JOINTS if entry.common)
# The names of the arguments by their types (`compiler.lazy`): arrays; code, flags and index of the edge; positions,
# velocities and angular velocities, rotation matrices and quaternions of child (c) and parent (p).
ARGUMENTS = {
    "t": "joint table memory signal edge rows out", "i": "kind flags i", "3": "xc xp vc vp wc wp", "9": "rot_c rot_p",
    "4": "qc qp",
}  # fmt: skip
TYPE_OF = {name: letter for letter, names in ARGUMENTS.items() for name in names.split()}
# What a function returns for a kind that has none, and the types of what it returns.
TWIST, VECTOR, NOTHING = ((ZERO3, ZERO3), "33"), (ZERO3, "3"), (None, "")


def by_kind(field: str, gives: tuple[Any, str], of_constraints: Any = None) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a kernel without a body: the kernel calls the function in `field` of the entry whose code
    is `kind`, and for a constraint `of_constraints`. `gives` is TWIST, VECTOR or NOTHING, which a kind without this
    function returns."""
    nothing, letters = gives

    def made(spec: Callable[..., Any]) -> Any:
        common = {entry.code: getattr(entry, field) for entry in JOINTS if entry.common}
        others = {entry.code: getattr(entry, field) for entry in JOINTS if not entry.common}
        others |= {entry.code: of_constraints for entry in CONSTRAINTS}
        others = {code: function for code, function in others.items() if function is not None}
        of_others = call_by_code(spec, others, nothing)
        of_others.__name__ = of_others.__qualname__ = f"rare_{spec.__name__}"
        takes = "".join(TYPE_OF[name] for name in inspect.signature(spec).parameters)
        lazy = far("kinds", takes, letters)(of_others)
        return rare(call_by_code(spec, common, nothing, lazy))

    return made


@by_kind("frame", TWIST, sides.frame)
def frame(kind, joint, table, memory, signal, i, xc, rot_c, xp, rot_p, edge):
    """Write levers and motion axes of edge i to `edge`. Return the error, linear [m] and angular [rad]."""


@by_kind("rows", NOTHING, sides.rows)
def rows(kind, joint, i, rot_c, rot_p, edge, rows):
    """Write the constraint rows T of edge i to row i of `rows`, each a twist at the anchor."""


@by_kind("bias", TWIST, sides.bias)
def bias(kind, joint, edge, i, vc, wc, vp, wp):
    """Return b_acc = -J' u of edge i (linear, angular), the right-hand side of J a = b_acc, without prescribed motion.
    The levers and axes are in `edge`."""


@by_kind("rate", TWIST)
def prescribed_rate(kind, joint, signal, edge, i):
    """Return the twist of the child's anchor relative to the parent's that a function of time prescribes for edge i."""


@by_kind("acceleration", TWIST)
def prescribed_acceleration(kind, joint, signal, edge, i, wp):
    """Return the part of b_acc of edge i that a function of time prescribes; wp is the angular velocity of the
    parent."""


@by_kind("spring", NOTHING)
def write_spring(kind, flags, joint, memory, i, xc, rot_c, qc, xp, rot_p, qp, out):
    """Write coordinates, elastic torques, stiffness, damping and energy of edge i to row i of `out`."""


@by_kind("coordinates", VECTOR)
def coordinates(kind, joint, memory, signal, i, xc, rot_c, qc, xp, rot_p, qp):
    """Return the three coordinates of edge i: for a ball the rotation vector from its spring's rest, in world axes; for
    others angles [rad] and displacements [m]."""


@by_kind("remember", NOTHING, sides.remember)
def remember(kind, joint, table, memory, i, xc, rot_c, qc, xp, rot_p, qp):
    """Update State.memory of edge i for an accepted pose, so that turns are counted. This is called once for each
    accepted pose."""


@far("kinds", "ttti39333933", "33")
def function_slip(joint, spare, spare_rows, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp):
    """Return J u of edge i at the given poses, for a `Function`; `spare` and `spare_rows` are overwritten."""
    return function.slip(joint, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp, spare, spare_rows)


@rare
def slip(
    kind, count_axes, count_rows, joint, table, memory, signal, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp, spare,
    spare_rows,
):  # fmt: skip
    """Return J u of edge i at the given poses, without its prescribed part, as a twist. For an edge with motion axes it
    is the relative twist of the anchors without its part along these axes; for another edge, its part in the space of
    the rows. `spare` and `spare_rows` are overwritten."""
    if kind == JointKind.FUNCTION:
        return function_slip(joint, spare, spare_rows, i, xc, rot_c, vc, wc, xp, rot_p, vp, wp)
    frame(kind, joint, table, memory, signal, i, xc, rot_c, xp, rot_p, spare)
    if count_rows == 0:
        return ZERO3, ZERO3  # springs and ropes
    given_lin, given_ang = prescribed_rate(kind, joint, signal, spare, i)
    lin = sub(ball.anchor_slip(load3(spare, i, Edges.RC), vc, wc, load3(spare, i, Edges.RP), vp, wp), given_lin)
    ang = sub(sub(wc, wp), given_ang)
    if kind == JointKind.BALL:
        return lin, ZERO3  # its axes are all rotations, and not written down
    if count_axes >= 0:
        return axes.without(count_axes, spare, i, lin, ang)
    rows(kind, joint, i, rot_c, rot_p, spare, spare_rows)
    return in_rows(0, count_rows, spare_rows, i, lin, ang)


@rare
def in_rows(first, count, rows, i, lin, ang):
    """Return the part T (T^T T)^-1 T^T t of the twist t = (lin, ang) in the rows `first` to count - 1 of edge i. These
    rows are at right angles to each other."""
    sum_lin = ZERO3
    sum_ang = ZERO3
    for k in range(first, count):
        tv = load3(rows, i, 6 * k)
        tw = load3(rows, i, 6 * k + 3)
        x = (dot(tv, lin) + dot(tw, ang)) / (dot(tv, tv) + dot(tw, tw))
        sum_lin = add_scaled(sum_lin, x, tv)
        sum_ang = add_scaled(sum_ang, x, tw)
    return sum_lin, sum_ang
