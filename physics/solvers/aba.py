"""`aba`: the articulated-body algorithm [Featherstone05, section 6; Featherstone08, section 7.3]. O(n).

Spatial vectors are taken at each joint's anchor, in world axes, with the linear part first. S is the joint's motion
subspace of m coordinates (0 to 6), c its prescribed right-hand side (the b of the other modes), tau its generalised
force (d), and D_joint its implicit stiffness and damping:

    pass 1, roots to leaves:   S, c;   I^A = A,  p^A = -f
    pass 2, leaves to roots:   U = I^A S,   D = S^T U + D_joint,   u = tau - S^T p^A
                               I^a = I^A - U D^-1 U^T,   p^a = p^A + I^a c + U D^-1 u;     both added to the parent's
    pass 3, roots to leaves:   a' = a_parent + c,   q'' = D^-1 (u - U^T a'),   a = a' + S q''

The wrench that the joint carries is I^A a + p^A. The quantities that depend on I^A alone (U, D^-1, U D^-1) are the
factor; p^A, u and pass 3 are repeated for each right-hand side. I^A starts from any symmetric block A, not only a rigid
body's inertia.

The columns of U D^-1 and D^-1 are formed and multiplied for any m without use of their zeros. `fused` eliminates the
same unknowns in closed form for each kind of joint, keeps the exact zeros, and is faster.
"""

from typing import NamedTuple

import numpy as np

from physics.compiler.jit import entry, inline, kernel
from physics.compiler.pack import packed
from physics.data.model import Floats, Ints, Model
from physics.data.model_tables import JointKind, Topology
from physics.data.step_tables import Control, Request
from physics.data.work_tables import Edges, Rows
from physics.maths.inverse import definite_inverse
from physics.maths.small import ldl_backward, ldl_factor, ldl_forward
from physics.maths.vec import (
    ZERO3, ZERO6, ZERO9, add, add_scaled, add_to3, add_to_block, block_mul, cross, dot, less_product, load3, load6,
    load_block, negative, shift_block, store3, store6, store_block, sub,
)  # fmt: skip
from physics.solvers.reduced import (
    Levers, Motion, carried_twist, fill_levers, has_spring, is_point, motion_codes, put_wrench, right_hand_side,
    store_velocity,
)  # fmt: skip


@packed
class AbaSpace(NamedTuple):
    """Workspace of the mode `aba`."""

    code: Ints  # (bodies,) how each moves relative to its parent
    dofs: Ints  # (bodies,) m
    lever: Floats  # (bodies, LEVERS)
    axes: Floats  # (bodies, 36) S, six numbers a column
    inertia: Floats  # (bodies, 21) I^A at the anchor
    coupling: Floats  # (bodies, 36) U, six numbers a column
    gain: Floats  # (bodies, 36) U D^-1
    inverse: Floats  # (bodies, 36) D^-1, row r from 6 r
    bias: Floats  # (bodies, 6) p^A: about the centre of mass while it is summed, at the anchor when the body is done
    drive: Floats  # (bodies, 6) u
    small: Floats  # (42,) D while it is inverted


def make_space(model: Model) -> AbaSpace:
    """Return the workspace of the mode `aba` for this model."""
    n = len(model.topology)

    def rows(columns: int) -> Floats:
        return np.zeros((n, columns))

    return AbaSpace(
        motion_codes(model.topology), np.maximum(model.topology[:, Topology.DOFS], 0), rows(Levers.WIDTH), rows(36),
        rows(21), rows(36), rows(36), rows(36), rows(6), rows(6), np.zeros(42),
    )  # fmt: skip


# ---------------------------------------------------------------- pass 1: motion subspaces
@kernel
def fill_axes(topology, form, edge, space):
    """Write the motion axes S of all joints, at their anchors, to space.axes, and the levers to space.lever."""
    fill_levers(topology, form, edge, space.lever)
    for i in range(topology.shape[0]):
        code = space.code[i]
        if code == Motion.HINGED or code == Motion.ON_AXES:
            for c in range(space.dofs[i]):
                store6(space.axes, i, 6 * c, load6(edge, i, Edges.AXIS + 6 * c))
        elif code != Motion.WELDED and code != Motion.HELD:
            # unit columns: rotations of a ball, velocities of a free root
            first = 3 if code == Motion.TURNING else 0
            for c in range(space.dofs[i]):
                for r in range(6):
                    space.axes[i, 6 * c + r] = 1.0 if r == first + c else 0.0


# ---------------------------------------------------------------- pass 2, the part that is the factor
@kernel
def articulate(topology, block, row, space):
    """Go from the leaves to the roots and write I^A, U, U D^-1 and D^-1 to the workspace (inertia, coupling, gain,
    inverse). Add each I^a to the parent's block, so that `block` (Work.block) becomes articulated."""
    for i in range(topology.shape[0]):
        if is_point(topology, i):
            for k in range(6, 21):
                block[i, k] = 0.0
    for i in range(topology.shape[0] - 1, -1, -1):
        vv, wv, ww = load_block(block, i, 0)
        vv, wv, ww = shift_block(vv, wv, ww, load3(space.lever, i, Levers.TO_ANCHOR))
        store_block(space.inertia, i, 0, vv, wv, ww)
        m = space.dofs[i]
        for c in range(m):
            uv, uw = block_mul(vv, wv, ww, load3(space.axes, i, 6 * c), load3(space.axes, i, 6 * c + 3))
            store3(space.coupling, i, 6 * c, uv)
            store3(space.coupling, i, 6 * c + 3, uw)
        if m > 0:
            invert(topology, i, m, row, space)
            for c in range(m):
                gv = ZERO3
                gw = ZERO3
                for r in range(m):
                    x = space.inverse[i, 6 * r + c]
                    gv = add_scaled(gv, x, load3(space.coupling, i, 6 * r))
                    gw = add_scaled(gw, x, load3(space.coupling, i, 6 * r + 3))
                store3(space.gain, i, 6 * c, gv)
                store3(space.gain, i, 6 * c + 3, gw)
                vv, wv, ww = less_product(
                    vv, wv, ww, load3(space.coupling, i, 6 * c), load3(space.coupling, i, 6 * c + 3), gv, gw
                )
        p = topology[i, Topology.PARENT]
        if p >= 0:
            if is_point(topology, p):
                add_to_block(block, p, vv, ZERO9, ZERO6)
            else:
                vv, wv, ww = shift_block(vv, wv, ww, negative(load3(space.lever, i, Levers.FROM_PARENT)))
                add_to_block(block, p, vv, wv, ww)


@inline
def joint_inertia(i, r, c, space):
    """Return entry (r, c) of S^T U of joint i."""
    return dot(load3(space.axes, i, 6 * r), load3(space.coupling, i, 6 * c)) + dot(
        load3(space.axes, i, 6 * r + 3), load3(space.coupling, i, 6 * c + 3)
    )


@inline
def invert(topology, i, m, row, space):
    """Write D^-1, D = S^T U + D_joint, of joint i with m coordinates to row i of space.inverse."""
    code = space.code[i]
    inverse = space.inverse
    if m == 1:
        inverse[i, 0] = 1.0 / (joint_inertia(i, 0, 0, space) + row[i, Rows.STIFF_BLOCK])
        return
    a = space.small
    for c in range(m):
        for r in range(c, m):
            x = joint_inertia(i, r, c, space)
            if code == Motion.TURNING and has_spring(topology, i):
                x += row[i, Rows.STIFF_BLOCK + r * (r + 1) // 2 + c]
            elif code == Motion.ON_AXES and r == c:
                x += row[i, Rows.STIFF_BLOCK + c]
            a[c * m + r] = x
    if m == 3:
        x = definite_inverse((a[0], a[1], a[4], a[2], a[5], a[8]))
        store3(inverse, i, 0, (x[0], x[1], x[3]))
        store3(inverse, i, 6, (x[1], x[2], x[4]))
        store3(inverse, i, 12, (x[3], x[4], x[5]))
        return
    ldl_factor(a, 0, m)
    for c in range(m):
        for r in range(m):
            a[36 + r] = 1.0 if r == c else 0.0
        ldl_forward(a, 0, m, a, 36)
        for r in range(m):
            a[36 + r] /= a[r * m + r]
        ldl_backward(a, 0, m, a, 36)
        for r in range(m):
            inverse[i, 6 * r + c] = a[36 + r]


# ---------------------------------------------------------------- pass 2, the part of a right-hand side
@kernel
def gather_biases(topology, force, row, space):
    """Go from the leaves to the roots and write p^A to space.bias and u to space.drive."""
    for i in range(topology.shape[0]):
        store3(space.bias, i, 0, negative(load3(force, i, 0)))
        store3(space.bias, i, 3, ZERO3 if is_point(topology, i) else negative(load3(force, i, 3)))
    for i in range(topology.shape[0] - 1, -1, -1):
        p = topology[i, Topology.PARENT]
        pv = load3(space.bias, i, 0)
        pw = sub(load3(space.bias, i, 3), cross(load3(space.lever, i, Levers.TO_ANCHOR), pv))
        store3(space.bias, i, 0, pv)
        store3(space.bias, i, 3, pw)
        cv, cw = right_hand_side(topology, i, row)
        vv, wv, ww = load_block(space.inertia, i, 0)
        ev, ew = block_mul(vv, wv, ww, cv, cw)
        av = add(pv, ev)
        aw = add(pw, ew)
        pushed = has_spring(topology, i)
        for c in range(space.dofs[i]):
            u = 0.0 - dot(load3(space.axes, i, 6 * c), pv) - dot(load3(space.axes, i, 6 * c + 3), pw)
            if pushed:
                u += row[i, Rows.PUSH + c]
            space.drive[i, c] = u
            # p^a = p^A + I^a c + U D^-1 u = p^A + I^A c + U D^-1 (u - U^T c)
            u -= dot(load3(space.coupling, i, 6 * c), cv) + dot(load3(space.coupling, i, 6 * c + 3), cw)
            av = add_scaled(av, u, load3(space.gain, i, 6 * c))
            aw = add_scaled(aw, u, load3(space.gain, i, 6 * c + 3))
        if p >= 0:
            add_to3(space.bias, p, 0, av)
            if not is_point(topology, p):
                add_to3(space.bias, p, 3, add(aw, cross(load3(space.lever, i, Levers.FROM_PARENT), av)))


# ---------------------------------------------------------------- pass 3
@kernel
def spread_twists(topology, form, row, velocity, with_wrenches, wrench, space):
    """Go from the roots to the leaves and write the velocities to `velocity`; with `with_wrenches`, the wrench I^A a +
    p^A of each joint to `wrench`."""
    for i in range(topology.shape[0]):
        yv, yw = carried_twist(topology, i, space.lever, velocity, row)
        zv = yv
        zw = yw
        m = space.dofs[i]
        for r in range(m):
            q = 0.0 - dot(load3(space.gain, i, 6 * r), zv) - dot(load3(space.gain, i, 6 * r + 3), zw)
            for c in range(m):
                q += space.inverse[i, 6 * r + c] * space.drive[i, c]
            yv = add_scaled(yv, q, load3(space.axes, i, 6 * r))
            yw = add_scaled(yw, q, load3(space.axes, i, 6 * r + 3))
        store_velocity(topology, i, space.lever, yv, yw, velocity)
        if with_wrenches and topology[i, Topology.KIND] != JointKind.FREE:
            vv, wv, ww = load_block(space.inertia, i, 0)
            fv, fw = block_mul(vv, wv, ww, yv, yw)
            fv = add(fv, load3(space.bias, i, 0))
            put_wrench(topology, form, i, fv, add(fw, load3(space.bias, i, 3)), wrench)


# ---------------------------------------------------------------- the mode
@entry("mswx", "i")
def answer(m, s, w, space):
    """Solve the request in Control.REQUEST and return DONE: the unit of the mode `aba`."""
    request = w.control[Control.REQUEST]
    if request & Request.FACTOR:
        fill_axes(m.topology, m.form, w.edge, space)
        articulate(m.topology, w.block, w.row, space)
    if request & Request.SOLVE:
        gather_biases(m.topology, w.force, w.row, space)
        spread_twists(m.topology, m.form, w.row, w.velocity, request & Request.WRENCHES != 0, w.wrench, space)
    return Request.DONE
