"""Joints with one to three single axes in `fused`: factor, forward and back pass of one edge. Hinges have separate
kernels, which also process a SIMD group of four.
"""

from physics.compiler.jit import inline, kernel
from physics.data.work_tables import Edges, Reduced, Rows
from physics.maths.lanes import is_world
from physics.maths.vec import (
    add, add_scaled, add_to3, add_to_block, block_mul, cross, dot, less_product, load3, load_block, negative, scale,
    shift_block, store3, store_block, sub,
)  # fmt: skip
from physics.solvers.fused_edges import centre_lever, parent_axis, parent_lever, parent_right_hand_side


# ---------------------------------------------------------------- single axes, at the parent's centre of mass
# For axes there is no need to go to the anchor first: with the lever D from the parent's centre of mass to the child's,
# (v, w) of the child = (z_v + z_w x D, z_w),  z = u_p + n q + b,  everything taken at the parent's centre. Of a root it
# is taken at the child's own centre, D = 0: the origin of the world may be far away.
@inline
def rank_one(vv, wv, ww, uv, uw, k):
    """Return the block (vv, wv, ww) minus k u u^T, with u = (uv, uw)."""
    return less_product(vv, wv, ww, scale(k, uv), scale(k, uw), uv, uw)


@inline
def carried(velocity, p):
    """Return the velocity u_p of the parent p (zero for the world)."""
    if is_world(p):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return load3(velocity, p, 0), load3(velocity, p, 3)


@inline
def push_pushed(i, p, vv, wv, ww, block, edge):
    """Write P to Edges.PUSHED and add it to the parent's row of `block`."""
    store_block(edge, i, Edges.PUSHED, vv, wv, ww)
    if not is_world(p):
        add_to_block(block, p, vv, wv, ww)


@inline
def push_reduced(i, p, gv, gw, force, edge, row, reduced):
    """Write h = g - P b to Reduced.LOAD and add it to the parent's row of `force`."""
    vv, wv, ww = load_block(edge, i, Edges.PUSHED)
    bv, bw = parent_right_hand_side(edge, row, i, p)
    pv, pw = block_mul(vv, wv, ww, bv, bw)
    hv = sub(gv, pv)
    hw = sub(gw, pw)
    store3(reduced, i, Reduced.LOAD, hv)
    store3(reduced, i, Reduced.LOAD + 3, hw)
    if not is_world(p):
        add_to3(force, p, 0, hv)
        add_to3(force, p, 3, hw)


@inline
def store_axes_wrench(i, p, edge, reduced, yv, yw, wrench):
    """Write P u_p - h, with its moment about the anchor, to row i of `wrench`; (yv, yw) is u_p."""
    vv, wv, ww = load_block(edge, i, Edges.PUSHED)
    pv, pw = block_mul(vv, wv, ww, yv, yw)
    fv = sub(pv, load3(reduced, i, Reduced.LOAD))
    store3(wrench, i, 0, fv)
    store3(wrench, i, 3, sub(sub(pw, load3(reduced, i, Reduced.LOAD + 3)), cross(parent_lever(edge, i, p), fv)))


@inline
def fixed_twist(i, p, edge, row, reduced, velocity, wrench, with_wrench):
    """Return the twist u_p + b that body i would have if its joint did not move, at the parent's centre of mass. With
    `with_wrench`, write the wrench of the joint to `wrench`."""
    yv, yw = carried(velocity, p)
    if with_wrench != 0:
        store_axes_wrench(i, p, edge, reduced, yv, yw, wrench)
    bv, bw = parent_right_hand_side(edge, row, i, p)
    return add(yv, bv), add(yw, bw)


# ---------------------------------------------------------------- hinge: n = (rc x a, a) at the child's centre
# There n and U = A n are taken, and U then to the parent's: what waits for the division is one product alone.
@inline
def factor_hinge(i, p, block, edge, row):
    """Eliminate the hinge of body i from the body's block: write the factor to `edge`, and add P to the parent's
    block."""
    vv, wv, ww = load_block(block, i, 0)
    a = load3(edge, i, Edges.AXIS + 3)
    n = cross(load3(edge, i, Edges.RC), a)
    uv, uw = block_mul(vv, wv, ww, n, a)
    k = 1.0 / (dot(n, uv) + dot(a, uw) + row[i, Rows.STIFF_BLOCK])
    lever = centre_lever(edge, i, p)
    uw = add(uw, cross(lever, uv))
    vv, wv, ww = shift_block(vv, wv, ww, negative(lever))
    vv, wv, ww = rank_one(vv, wv, ww, uv, uw, k)
    edge[i, Edges.K_AXES] = k
    store3(edge, i, Edges.K_AXES + 1, uv)
    store3(edge, i, Edges.K_AXES + 4, uw)
    store3(edge, i, Edges.K_AXES + 7, n)
    push_pushed(i, p, vv, wv, ww, block, edge)


@inline
def forward_hinge(i, p, force, edge, row, reduced):
    """Reduce the force of body i at its hinge: write u and h to `reduced`, and add h to the parent's force."""
    fv = load3(force, i, 0)
    fw = load3(force, i, 3)
    n = load3(edge, i, Edges.K_AXES + 7)
    u = edge[i, Edges.K_AXES] * (dot(n, fv) + dot(load3(edge, i, Edges.AXIS + 3), fw) + row[i, Rows.PUSH])
    reduced[i, Reduced.RATE] = u
    gv = add_scaled(fv, -u, load3(edge, i, Edges.K_AXES + 1))
    gw = add_scaled(add(fw, cross(centre_lever(edge, i, p), fv)), -u, load3(edge, i, Edges.K_AXES + 4))
    push_reduced(i, p, gv, gw, force, edge, row, reduced)


@inline
def back_hinge(i, p, edge, row, reduced, velocity, wrench, with_wrench):
    """Write the velocity of body i on a hinge from its parent's, and with `with_wrench` the wrench of the joint."""
    zv, zw = fixed_twist(i, p, edge, row, reduced, velocity, wrench, with_wrench)
    q = reduced[i, Reduced.RATE] - edge[i, Edges.K_AXES] * (
        dot(load3(edge, i, Edges.K_AXES + 1), zv) + dot(load3(edge, i, Edges.K_AXES + 4), zw)
    )
    zv = add(zv, cross(zw, centre_lever(edge, i, p)))
    store3(velocity, i, 0, add_scaled(zv, q, load3(edge, i, Edges.K_AXES + 7)))
    store3(velocity, i, 3, add_scaled(zw, q, load3(edge, i, Edges.AXIS + 3)))


# ---------------------------------------------------------------- any one to three axes (none: weld), one after the
# other
# With D diagonal in the joint's axes, K = N^T A N + D is eliminated axis by axis, each a hinge of a general twist axis.
@kernel
def factor_axes(i, p, dofs, block, edge, row):
    """Eliminate the joint of `dofs` axes of body i from the body's block: write the factor to `edge`, and add P to the
    parent's block."""
    vv, wv, ww = load_block(block, i, 0)
    vv, wv, ww = shift_block(vv, wv, ww, negative(centre_lever(edge, i, p)))
    for c in range(dofs):
        nv, nw = parent_axis(edge, i, p, c)
        uv, uw = block_mul(vv, wv, ww, nv, nw)
        k = 1.0 / (dot(nv, uv) + dot(nw, uw) + row[i, Rows.STIFF_BLOCK + c])
        vv, wv, ww = rank_one(vv, wv, ww, uv, uw, k)
        edge[i, Edges.K_AXES + 7 * c] = k
        store3(edge, i, Edges.K_AXES + 7 * c + 1, uv)
        store3(edge, i, Edges.K_AXES + 7 * c + 4, uw)
    push_pushed(i, p, vv, wv, ww, block, edge)


@kernel
def forward_axes(i, p, dofs, force, edge, row, reduced):
    """Reduce the force of body i at its joint of `dofs` axes: write u of each axis and h to `reduced`, and add h to the
    parent's force."""
    fv = load3(force, i, 0)
    fw = add(load3(force, i, 3), cross(centre_lever(edge, i, p), fv))
    for c in range(dofs):
        nv, nw = parent_axis(edge, i, p, c)
        u = edge[i, Edges.K_AXES + 7 * c] * (dot(nv, fv) + dot(nw, fw) + row[i, Rows.PUSH + c])
        fv = add_scaled(fv, -u, load3(edge, i, Edges.K_AXES + 7 * c + 1))
        fw = add_scaled(fw, -u, load3(edge, i, Edges.K_AXES + 7 * c + 4))
        reduced[i, Reduced.RATE + c] = u
    push_reduced(i, p, fv, fw, force, edge, row, reduced)


@kernel
def back_axes(i, p, dofs, edge, row, reduced, velocity, wrench, with_wrench):
    """Write the velocity of body i on a joint of `dofs` axes from its parent's, and with `with_wrench` the wrench of
    the joint."""
    zv, zw = fixed_twist(i, p, edge, row, reduced, velocity, wrench, with_wrench)
    for c in range(dofs - 1, -1, -1):
        q = reduced[i, Reduced.RATE + c] - edge[i, Edges.K_AXES + 7 * c] * (
            dot(load3(edge, i, Edges.K_AXES + 7 * c + 1), zv) + dot(load3(edge, i, Edges.K_AXES + 7 * c + 4), zw)
        )
        nv, nw = parent_axis(edge, i, p, c)
        zv = add_scaled(zv, q, nv)
        zw = add_scaled(zw, q, nw)
    store3(velocity, i, 0, add(zv, cross(zw, centre_lever(edge, i, p))))
    store3(velocity, i, 3, zw)
