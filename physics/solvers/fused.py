"""`fused`: each body is eliminated together with its joint, in the joint's motion subspace. O(n), the default mode.

The system (physics/README.md, "One system"): A v - J^T l = f, J v = g, written for the edge from a body to its parent
with the twist y of the body at the joint's anchor,

    y = y_p + N q + b,      A' = X^T A X,  f' = X^T f,  X = [[1, [rc]x], [0, 1]]   (shift to the anchor)

Eliminating q (K = N^T A' N + D, right-hand side N^T f' + d) leaves on the parent

    P = A' - A' N K^-1 N^T A',      h = f' - A' N K^-1 (N^T f' + d) - P b

both shifted on by the parent's lever. Back, from the roots to the leaves: q = K^-1 (N^T f' + d - N^T A' (y_p + b)).
The joint's wrench on the child is P y_p - h: multipliers and joint spring in one. Forward and back are the same
elimination as [Baraff96, app. A] on H = [[A, -J^T], [-J, 0]], with a body and its constraint taken in one step.

Joints with D take it into K: P_ww = sym(ww E) with E = K^-1 D, never D - D E, which cancels for stiff joints.
Bodies that are not rigid, and constraints without a motion subspace, take the path with run-time dimensions at the end
of this file; both paths hand the same kind of block to the parent, so they mix edge by edge.
"""

from physics.bodies.coordinates import load_rates, on_scales, own_block, put_own, store_wide, width
from physics.compiler.jit import entry, inline, kernel, rare
from physics.compiler.lazy import far
from physics.data.model_tables import BodyKind, Path, Topology
from physics.data.step_tables import Control, Request
from physics.data.work_tables import ConstraintRows, Edges, Reduced, Rows, Stretch
from physics.data.model import Ints
from physics.maths.inverse import definite_inverse
from physics.maths.lanes import AT_ONCE, any_of, four, is_world, rows_at
from physics.maths.prefetch import AHEAD, are_many, fetcher
from physics.maths.small import ldl_backward, ldl_factor, ldl_forward
from physics.maths.vec import (
    ZERO3, add, add_scaled, add_to3, add_to_block, block_mul, cross, dot, full, load3, load6, load9, load_block,
    mat_cross, mat_mul, mul, mul_t, negative, scale, shift_block, store3, store6, store9, store_block, sub, sym,
    sym_add, sym_mul, transpose,
)  # fmt: skip
from physics.solvers import compliant
from physics.solvers.fused_columns import answer_columns, begin_columns, body_columns_up
from physics.solvers.fused_edges import centre_lever, is_stiff, parent_axis, parent_jump, parent_lever

NO_SPRING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def push_block(block, p, vv, wv, ww, rp):
    """Add a block given at the anchor to the parent's block."""
    vv, wv, ww = shift_block(vv, wv, ww, negative(rp))
    add_to_block(block, p, vv, wv, ww)


@inline
def push_load(force, p, hv, hw, rp):
    """Add a wrench given at the anchor to the parent's right-hand side."""
    add_to3(force, p, 0, hv)
    add_to3(force, p, 3, add(hw, cross(rp, hv)))


@inline
def anchor_load(force, i, rc):
    """f' = X^T f"""
    fv = load3(force, i, 0)
    return fv, sub(load3(force, i, 3), cross(rc, fv))


@inline
def parent_twist(velocity, p, rp):
    """y_p: the parent's twist at the anchor (zero for the world)"""
    if is_world(p):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    wp = load3(velocity, p, 3)
    return add(load3(velocity, p, 0), cross(wp, rp)), wp


# ---------------------------------------------------------------- free root
@inline
def factor_free(i, block, edge):
    """The 6x6 root by two 3x3 blocks: S = ww - wv vv^-1 wv^T"""
    vv, wv, ww = load_block(block, i, 0)
    vi = definite_inverse(vv)
    x = mat_mul(wv, full(vi))
    s = sym(mat_mul(x, transpose(wv)))
    si = definite_inverse((ww[0] - s[0], ww[1] - s[1], ww[2] - s[2], ww[3] - s[3], ww[4] - s[4], ww[5] - s[5]))
    store6(edge, i, Edges.K_AXES, vi)
    store9(edge, i, Edges.K_AXES + 6, x)
    store6(edge, i, Edges.K_AXES + 15, si)


@inline
def back_free(i, edge, force, velocity):
    fv = load3(force, i, 0)
    x = load9(edge, i, Edges.K_AXES + 6)
    w = sym_mul(load6(edge, i, Edges.K_AXES + 15), sub(load3(force, i, 3), mul(x, fv)))
    store3(velocity, i, 0, sub(sym_mul(load6(edge, i, Edges.K_AXES), fv), mul_t(x, w)))
    store3(velocity, i, 3, w)


# ---------------------------------------------------------------- ball: N = [0; 1]
@inline
def has_spring(e):
    """Whether D, of the factor, is any: E then has a trace, K^-1/2 D K^-1/2 being positive. D itself stands in a cache
    line of its own, which the passes after the factor need not touch."""
    return any_of(abs(e[0]) + abs(e[4]) + abs(e[8]) > 0.0)


@inline
def factor_ball(i, p, block, edge, row):
    vv, wv, ww = load_block(block, i, 0)
    vv, wv, ww = shift_block(vv, wv, ww, load3(edge, i, Edges.RC))
    d = load6(row, i, Rows.STIFF_BLOCK)
    ki = definite_inverse(sym_add(ww, d))
    # columns of K^-1 wv
    c0 = sym_mul(ki, (wv[0], wv[3], wv[6]))
    c1 = sym_mul(ki, (wv[1], wv[4], wv[7]))
    c2 = sym_mul(ki, (wv[2], wv[5], wv[8]))
    # P_vv = vv - wv^T K^-1 wv
    p00 = vv[0] - (wv[0] * c0[0] + wv[3] * c0[1] + wv[6] * c0[2])
    p10 = vv[1] - (wv[1] * c0[0] + wv[4] * c0[1] + wv[7] * c0[2])
    p11 = vv[2] - (wv[1] * c1[0] + wv[4] * c1[1] + wv[7] * c1[2])
    p20 = vv[3] - (wv[2] * c0[0] + wv[5] * c0[1] + wv[8] * c0[2])
    p21 = vv[4] - (wv[2] * c1[0] + wv[5] * c1[1] + wv[8] * c1[2])
    p22 = vv[5] - (wv[2] * c2[0] + wv[5] * c2[1] + wv[8] * c2[2])
    pvv = (p00, p10, p11, p20, p21, p22)
    store6(edge, i, Edges.K_INVERSE, ki)
    store9(edge, i, Edges.K_COUPLING, (c0[0], c1[0], c2[0], c0[1], c1[1], c2[1], c0[2], c1[2], c2[2]))
    if not is_stiff(d):
        store9(edge, i, Edges.K_SPRING, NO_SPRING)
        store6(edge, i, Edges.PUSHED, pvv)
        if not is_world(p):
            # only the linear block goes up: wv = [rp]x P_vv, ww = -wv [rp]x
            rp = load3(edge, i, Edges.RP)
            c = mat_cross(full(pvv), rp)
            pwv = (-c[0], -c[3], -c[6], -c[1], -c[4], -c[7], -c[2], -c[5], -c[8])
            k = mat_cross(pwv, rp)
            add_to_block(block, p, pvv, pwv, (-k[0], -k[3], -k[4], -k[6], -k[7], -k[8]))
        return
    e = mat_mul(full(ki), full(d))
    pwv = mat_mul(transpose(e), wv)
    pww = sym(mat_mul(full(ww), e))
    store9(edge, i, Edges.K_SPRING, e)
    store_block(edge, i, Edges.PUSHED, pvv, pwv, pww)
    if not is_world(p):
        push_block(block, p, pvv, pwv, pww, load3(edge, i, Edges.RP))


@inline
def forward_ball(i, p, force, edge, row, reduced):
    rc = load3(edge, i, Edges.RC)
    fv, fw = anchor_load(force, i, rc)
    b = load3(row, i, Rows.RIGHT_HAND_SIDE)
    d = load3(row, i, Rows.PUSH)
    fw = add(fw, d)
    # h_v = f_v - (K^-1 wv)^T (f_w + d) - P_vv b ;  h_w = E^T (f_w + d) - d - P_wv b
    hv = sub(sub(fv, mul_t(load9(edge, i, Edges.K_COUPLING), fw)), sym_mul(load6(edge, i, Edges.PUSHED), b))
    store3(reduced, i, Reduced.RATE, sym_mul(load6(edge, i, Edges.K_INVERSE), fw))
    store3(reduced, i, Reduced.LOAD, hv)
    e = load9(edge, i, Edges.K_SPRING)
    if not has_spring(e):
        hw = (0.0 - d[0], 0.0 - d[1], 0.0 - d[2])
    else:
        _, pwv, _ = load_block(edge, i, Edges.PUSHED)
        hw = sub(sub(mul_t(e, fw), d), mul(pwv, b))
    store3(reduced, i, Reduced.LOAD + 3, hw)
    if not is_world(p):
        push_load(force, p, hv, hw, load3(edge, i, Edges.RP))


@inline
def back_ball(i, p, edge, row, reduced, velocity, wrench, with_wrench):
    yv, wp = parent_twist(velocity, p, load3(edge, i, Edges.RP))
    z = add(yv, load3(row, i, Rows.RIGHT_HAND_SIDE))
    w = sub(load3(reduced, i, Reduced.RATE), mul(load9(edge, i, Edges.K_COUPLING), z))
    e = load9(edge, i, Edges.K_SPRING)
    stiff = has_spring(e)
    if stiff:
        w = add(w, mul(e, wp))
    store3(velocity, i, 0, add(z, cross(load3(edge, i, Edges.RC), w)))
    store3(velocity, i, 3, w)
    if with_wrench == 0:
        return
    fv = sub(sym_mul(load6(edge, i, Edges.PUSHED), yv), load3(reduced, i, Reduced.LOAD))
    # 0 - 0 is +0, as a stiff joint's formula gives it where D = 0
    fw = sub(ZERO3, load3(reduced, i, Reduced.LOAD + 3))
    if stiff:
        _, pwv, pww = load_block(edge, i, Edges.PUSHED)
        fv = add(fv, mul_t(pwv, wp))
        fw = add(fw, add(mul(pwv, yv), sym_mul(pww, wp)))
    store3(wrench, i, 0, fv)
    store3(wrench, i, 3, fw)


# ---------------------------------------------------------------- single axes, at the parent's centre of mass
# For axes there is no need to go to the anchor first: with the lever D from the parent's centre of mass to the child's,
# (v, w) of the child = (z_v + z_w x D, z_w),  z = u_p + n q + b,  everything taken at the parent's centre. Of a root it
# is taken at the child's own centre, D = 0: the origin of the world may be far away.
@inline
def rank_one(vv, wv, ww, uv, uw, k):
    """The block less k u u^T"""
    cv = scale(k, uv)
    cw = scale(k, uw)
    vv = (
        vv[0] - cv[0] * uv[0], vv[1] - cv[1] * uv[0], vv[2] - cv[1] * uv[1],
        vv[3] - cv[2] * uv[0], vv[4] - cv[2] * uv[1], vv[5] - cv[2] * uv[2],
    )  # fmt: skip
    ww = (
        ww[0] - cw[0] * uw[0], ww[1] - cw[1] * uw[0], ww[2] - cw[1] * uw[1],
        ww[3] - cw[2] * uw[0], ww[4] - cw[2] * uw[1], ww[5] - cw[2] * uw[2],
    )  # fmt: skip
    wv = (
        wv[0] - cw[0] * uv[0], wv[1] - cw[0] * uv[1], wv[2] - cw[0] * uv[2],
        wv[3] - cw[1] * uv[0], wv[4] - cw[1] * uv[1], wv[5] - cw[1] * uv[2],
        wv[6] - cw[2] * uv[0], wv[7] - cw[2] * uv[1], wv[8] - cw[2] * uv[2],
    )  # fmt: skip
    return vv, wv, ww


@inline
def carried(velocity, p):
    """u_p (zero for the world)"""
    if is_world(p):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return load3(velocity, p, 0), load3(velocity, p, 3)


@inline
def push_pushed(i, p, vv, wv, ww, block, edge):
    """P, kept and handed to the parent"""
    store_block(edge, i, Edges.PUSHED, vv, wv, ww)
    if not is_world(p):
        add_to_block(block, p, vv, wv, ww)


@inline
def push_reduced(i, p, gv, gw, force, edge, row, reduced):
    """h = g - P b, kept and handed to the parent"""
    vv, wv, ww = load_block(edge, i, Edges.PUSHED)
    bv, bw = parent_jump(edge, row, i, p)
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
    """P u_p - h, its moment taken to the anchor"""
    vv, wv, ww = load_block(edge, i, Edges.PUSHED)
    pv, pw = block_mul(vv, wv, ww, yv, yw)
    fv = sub(pv, load3(reduced, i, Reduced.LOAD))
    store3(wrench, i, 0, fv)
    store3(wrench, i, 3, sub(sub(pw, load3(reduced, i, Reduced.LOAD + 3)), cross(parent_lever(edge, i, p), fv)))


# ---------------------------------------------------------------- hinge: n = (rc x a, a) at the child's centre
# There n and U = A n are taken, and U then to the parent's: what waits for the division is one product alone.
@inline
def factor_hinge(i, p, block, edge, row):
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
    yv, yw = carried(velocity, p)
    if with_wrench != 0:
        store_axes_wrench(i, p, edge, reduced, yv, yw, wrench)
    bv, bw = parent_jump(edge, row, i, p)
    zv = add(yv, bv)
    zw = add(yw, bw)
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
    yv, yw = carried(velocity, p)
    if with_wrench != 0:
        store_axes_wrench(i, p, edge, reduced, yv, yw, wrench)
    bv, bw = parent_jump(edge, row, i, p)
    zv = add(yv, bv)
    zw = add(yw, bw)
    for c in range(dofs - 1, -1, -1):
        q = reduced[i, Reduced.RATE + c] - edge[i, Edges.K_AXES + 7 * c] * (
            dot(load3(edge, i, Edges.K_AXES + 7 * c + 1), zv) + dot(load3(edge, i, Edges.K_AXES + 7 * c + 4), zw)
        )
        nv, nw = parent_axis(edge, i, p, c)
        zv = add_scaled(zv, q, nv)
        zw = add_scaled(zw, q, nw)
    store3(velocity, i, 0, add(zv, cross(zw, centre_lever(edge, i, p))))
    store3(velocity, i, 3, zw)


# ---------------------------------------------------------------- run-time dimensions: constraint rows instead of axes
# Child u (n) in its own coordinates, parent u_p (m) as it is kept, rows l (d):  A u - Jc^T l = f,
# Jc u + Jp u_p - E l = g. E is 1 for the rows of springs (see `compliant`), 0 for constraints. With A = L D L^T,
# W = L^-1 Jc^T:
#   S = W^T D^-1 W + E = V F V^T,   the parent gets  Jp^T S^-1 Jp  and  Jp^T S^-1 (g - W^T D^-1 L^-1 f).
# The store of such an edge in `general`: A (n n), Jp (m d), W (n d), S (d d), y (n), r (d); each by columns.
@inline
def general_layout(n, m, d, o):
    jp = o + n * n
    w = jp + m * d
    s = w + n * d
    y = s + d * d
    return o, jp, w, s, y, y + n


def general_size(topology: Ints, i: int) -> int:
    p = topology[i, Topology.PARENT]
    wide = {BodyKind.PARTICLE: 3, BodyKind.RIGID: 6, BodyKind.PLANAR: 6}
    m = wide.get(int(topology[p, Topology.BODY_KIND]), 9) if p >= 0 else 0
    n, d = int(topology[i, Topology.DIM]), compliant.count_rows(topology, i)
    return n * n + m * d + n * d + d * d + n + d


@far("rows", "mwii")
def factor_general(m, w, i, p):
    """Rows T become Jacobians of the two bodies (or have them, OWN_ROWS); then the Schur complement above."""
    t = m.topology
    general = w.general
    n = t[i, Topology.DIM]
    wide = width(t, p)
    d = compliant.rows_with_springs(t, i)
    a, jp, wc, s, _, x0 = general_layout(n, wide, d, t[i, Topology.GENERAL])
    own_block(t, m.form, i, w.block, True, a, general)
    compliant.put_spring_rows(t, i, w.edge, w.row, w.rows)
    rc = load3(w.edge, i, Edges.RC)
    rp = load3(w.edge, i, Edges.RP)
    for k in range(d):
        # Jc = T^T X(rc), Jp = -T^T X(rp): a row (tv, tw) at the anchor acts on (v, w) as (tv, tw + r x tv)
        tv = load3(w.rows, i, 6 * k)
        tw = load3(w.rows, i, 6 * k + 3)
        if t[i, Topology.OWN_ROWS] != 0:
            cv = load3(w.rows, i, ConstraintRows.CHILD_ROWS + 6 * k)
            put_own(
                t, m.form, i, cv, load3(w.rows, i, ConstraintRows.CHILD_ROWS + 6 * k + 3), ZERO3, general, wc + n * k
            )
            pv = load3(w.rows, i, ConstraintRows.PARENT_ROWS + 6 * k)
            put_wide(wide, pv, load3(w.rows, i, ConstraintRows.PARENT_ROWS + 6 * k + 3), general, jp + wide * k)
            for c in range(6, wide):
                general[jp + wide * k + c] = 0.0
            continue
        ts = on_scales(w.stretch, i, Stretch.CHILD, tv)
        put_own(t, m.form, i, tv, add(tw, cross(rc, tv)), ts, general, wc + n * k)
        put_wide(wide, negative(tv), negative(add(tw, cross(rp, tv))), general, jp + wide * k)
        if wide > 6:
            ts = on_scales(w.stretch, i, Stretch.PARENT, tv)
            for c in range(3):
                general[jp + wide * k + 6 + c] = -ts[c]
    ldl_factor(general, a, n)
    for k in range(d):
        ldl_forward(general, a, n, general, wc + n * k)
    for k in range(d):
        for e in range(k + 1):
            x = 1.0 if e == k and k >= t[i, Topology.ROWS] else 0.0
            for c in range(n):
                x += general[wc + n * k + c] * general[wc + n * e + c] / general[a + c * n + c]
            general[s + e * d + k] = x
    if d > 0:
        ldl_factor(general, s, d)
    # Jp^T S^-1 Jp, a column of Jp^T at a time: solve S x = Jp e_c
    for c in range(wide):
        for k in range(d):
            general[x0 + k] = general[jp + wide * k + c]
        solve_rows(general, s, d, x0)
        for b in range(c, wide):
            x = 0.0
            for k in range(d):
                x += general[jp + wide * k + b] * general[x0 + k]
            w.block[p, b * (b + 1) // 2 + c] += x


@inline
def put_wide(wide, v, w, out, o):
    if wide > 0:
        for k in range(3):
            out[o + k] = v[k]
    if wide > 3:
        for k in range(3):
            out[o + 3 + k] = w[k]


@inline
def solve_rows(general, s, d, x):
    """S^-1 of the vector at x"""
    ldl_forward(general, s, d, general, x)
    for k in range(d):
        general[x + k] /= general[s + k * d + k]
    ldl_backward(general, s, d, general, x)


@far("rows", "mwii")
def forward_general(m, w, i, p):
    t = m.topology
    general = w.general
    n = t[i, Topology.DIM]
    wide = width(t, p)
    d = compliant.rows_with_springs(t, i)
    a, jp, wc, s, y, r = general_layout(n, wide, d, t[i, Topology.GENERAL])
    compliant.add_push(t, i, w.edge, w.row, w.stretch, w.force)
    put_own(t, m.form, i, load3(w.force, i, 0), load3(w.force, i, 3), load_rates(w.force, i), general, y)
    ldl_forward(general, a, n, general, y)
    for k in range(d):
        x = 0.0
        for c in range(6):
            x += w.rows[i, 6 * k + c] * w.row[i, Rows.RIGHT_HAND_SIDE + c]
        for c in range(n):
            x -= general[wc + n * k + c] * general[y + c] / general[a + c * n + c]
        general[r + k] = x
    if d == 0:
        return
    solve_rows(general, s, d, r)
    for c in range(wide):
        x = 0.0
        for k in range(d):
            x += general[jp + wide * k + c] * general[r + k]
        w.force[p, c] += x


@far("rows", "mwiii")
def back_general(m, w, i, p, with_wrench):
    """l = S^-1 (g - Jc A^-1 f) - S^-1 Jp u_p,  u = A^-1 (f + Jc^T l), in terms of y = L^-1 f and W = L^-1 Jc^T"""
    t = m.topology
    general = w.general
    multipliers = w.reduced
    n = t[i, Topology.DIM]
    wide = width(t, p)
    d = compliant.rows_with_springs(t, i)
    a, jp, wc, s, y, r = general_layout(n, wide, d, t[i, Topology.GENERAL])
    for k in range(d):
        x = 0.0
        for c in range(wide):
            x -= general[jp + wide * k + c] * w.velocity[p, c]
        multipliers[i, k] = x
    if wide > 0 and d > 0:
        ldl_forward_row(general, s, d, multipliers, i)
        for k in range(d):
            multipliers[i, k] /= general[s + k * d + k]
        ldl_backward_row(general, s, d, multipliers, i)
    for k in range(d):
        multipliers[i, k] += general[r + k]
    for c in range(n):
        x = general[y + c]
        for k in range(d):
            x += general[wc + n * k + c] * multipliers[i, k]
        general[y + c] = x / general[a + c * n + c]
    ldl_backward(general, a, n, general, y)
    store_wide(t, m.form, i, general, y, w.velocity, i)
    if with_wrench == 0:
        return
    # multipliers to the wrench at the anchor: sum of T l, and what springs push
    fv, fw = compliant.push_wrench(t, i, w.edge, w.row)
    for k in range(d):
        x = multipliers[i, k]
        fv = add_scaled(fv, x, load3(w.rows, i, 6 * k))
        fw = add_scaled(fw, x, load3(w.rows, i, 6 * k + 3))
    store3(w.wrench, i, 0, fv)
    store3(w.wrench, i, 3, fw)


@inline
def ldl_forward_row(a, o, n, x, i):
    for r in range(n):
        s = x[i, r]
        for c in range(r):
            s -= a[o + c * n + r] * x[i, c]
        x[i, r] = s


@inline
def ldl_backward_row(a, o, n, x, i):
    for r in range(n - 1, -1, -1):
        s = x[i, r]
        for c in range(r + 1, n):
            s -= a[o + r * n + c] * x[i, c]
        x[i, r] = s


# ---------------------------------------------------------------- four bodies at a time (maths/lanes.py)
# Branches are independent: rows k to k + 3, none the parent of another, are done with the helpers above, and are the
# same to the last bit as one by one from the last to the first.
@far("balls abreast", "mwii")
def four_balls_up(m, w, k, request):
    i, p = four(k), rows_at(m.topology, k, Topology.PARENT)
    if request & Request.FACTOR:
        factor_ball(i, p, w.block, w.edge, w.row)
    if request & Request.SOLVE:
        forward_ball(i, p, w.force, w.edge, w.row, w.reduced)


@far("hinges abreast", "mwii")
def four_hinges_up(m, w, k, request):
    i, p = four(k), rows_at(m.topology, k, Topology.PARENT)
    if request & Request.FACTOR:
        factor_hinge(i, p, w.block, w.edge, w.row)
    if request & Request.SOLVE:
        forward_hinge(i, p, w.force, w.edge, w.row, w.reduced)


@far("balls abreast", "mwii")
def four_balls_down(m, w, k, with_wrench):
    back_ball(
        four(k), rows_at(m.topology, k, Topology.PARENT), w.edge, w.row, w.reduced, w.velocity, w.wrench, with_wrench
    )


@far("hinges abreast", "mwii")
def four_hinges_down(m, w, k, with_wrench):
    back_hinge(
        four(k), rows_at(m.topology, k, Topology.PARENT), w.edge, w.row, w.reduced, w.velocity, w.wrench, with_wrench
    )


# ---------------------------------------------------------------- the two passes
fetch_place = fetcher((Topology.PARENT,))
# On the way from the last row to the first, lines are asked for from a row's last to its first: memory that is gone
# through strictly backwards is read ahead by the processor itself, more than twice as fast as rows that come backwards
# with their lines forwards (9 and 25 GB/s, measured over rows of nine lines).
fetch_block = fetcher((20, 16, 8, 0), True)
fetch_row = fetcher((Rows.PUSH, Rows.STIFF_BLOCK))
fetch_jump = fetcher((Rows.PUSH,))
# of Work.edge what factors a body, what reduces a right-hand side, what finds velocities, and wrenches
fetch_factor = fetcher(tuple(reversed(range(0, Edges.AXIS, 8))), True)
fetch_reduction = fetcher(tuple(reversed(range(0, Edges.PUSHED + 15, 8))))
fetch_way_back = fetcher(tuple(range(0, Edges.K_INVERSE, 8)))
fetch_way_to_wrenches = fetcher(tuple(range(0, Edges.AXIS, 8)))


@rare
def ask_up(m, w, i, request):
    fetch_place(m.topology, i)
    if request & Request.FACTOR:
        fetch_block(w.block, i)
        fetch_row(w.row, i)
        fetch_factor(w.edge, i)
    else:
        fetch_jump(w.row, i)
        fetch_reduction(w.edge, i)


@rare
def ask_down(m, w, i, with_wrench):
    fetch_place(m.topology, i)
    fetch_jump(w.row, i)
    if with_wrench:
        fetch_way_to_wrenches(w.edge, i)
    else:
        fetch_way_back(w.edge, i)


@kernel
def eliminate(m, w, request, count):
    """Leaves to roots: where FACTOR is asked for, `block` becomes articulated and `edge` receives the factor; where
    SOLVE is, `force` is reduced along with it (and used up). ALONG: the bodies that are listed, `count` of them."""
    topology = m.topology
    along = request & Request.ALONG
    many = not along and are_many(topology)
    k = count - 1
    while k >= 0:
        if along or topology[k, Topology.LANE] != AT_ONCE:
            if many:
                ask_up(m, w, k - AHEAD, request)
            body_up(m, w, w.along[k] if along else k, request)
            k -= 1
        else:
            if many:
                for i in range(k + 1 - AT_ONCE, k + 1):
                    ask_up(m, w, i - AHEAD, request)
            if topology[k, Topology.ELIMINATION] == Path.BALL:
                four_balls_up(m, w, k + 1 - AT_ONCE, request)
            else:
                four_hinges_up(m, w, k + 1 - AT_ONCE, request)
            k -= AT_ONCE


@far("columns", "mwi")
def eliminate_with_columns(m, w, request):
    """The same for all bodies, with the columns of the links' rows in one go: what either waits for, the other uses."""
    begin_columns(m, w)
    topology = m.topology
    island = w.auxiliary.islands.island
    k = topology.shape[0] - 1
    while k >= 0:
        first = k
        if topology[k, Topology.LANE] != AT_ONCE:
            body_up(m, w, k, request)
        else:
            first = k + 1 - AT_ONCE
            if topology[k, Topology.ELIMINATION] == Path.BALL:
                four_balls_up(m, w, first, request)
            else:
                four_hinges_up(m, w, first, request)
        while k >= first:
            if island[k] >= 0:
                body_columns_up(m, w, island[k], k)
            k -= 1


@inline
def body_up(m, w, i, request):
    topology, block, force, edge, row, reduced = m.topology, w.block, w.force, w.edge, w.row, w.reduced
    factor = request & Request.FACTOR
    solve = request & Request.SOLVE
    path = topology[i, Topology.ELIMINATION]
    p = topology[i, Topology.PARENT]
    if path == Path.BALL:
        if factor:
            factor_ball(i, p, block, edge, row)
        if solve:
            forward_ball(i, p, force, edge, row, reduced)
    elif path == Path.HINGE:
        if factor:
            factor_hinge(i, p, block, edge, row)
        if solve:
            forward_hinge(i, p, force, edge, row, reduced)
    elif path == Path.AXES:
        if factor:
            factor_axes(i, p, topology[i, Topology.DOFS], block, edge, row)
        if solve:
            forward_axes(i, p, topology[i, Topology.DOFS], force, edge, row, reduced)
    elif path == Path.FREE:
        if factor:
            factor_free(i, block, edge)
    else:
        if factor:
            factor_general(m, w, i, p)
        if solve:
            forward_general(m, w, i, p)


@kernel
def substitute(m, w, request, count):
    """Roots to leaves: velocities, and joint wrenches where they are asked for."""
    with_wrench = request & Request.WRENCHES
    topology = m.topology
    along = request & Request.ALONG
    many = not along and are_many(topology)
    k = 0
    while k < count:
        if along or topology[k, Topology.LANE] != 1:
            if many:
                ask_down(m, w, k + AHEAD, with_wrench)
            body_down(m, w, w.along[k] if along else k, with_wrench)
            k += 1
        else:
            if many:
                for i in range(k, k + AT_ONCE):
                    ask_down(m, w, i + AHEAD, with_wrench)
            if topology[k, Topology.ELIMINATION] == Path.BALL:
                four_balls_down(m, w, k, with_wrench)
            else:
                four_hinges_down(m, w, k, with_wrench)
            k += AT_ONCE


@inline
def body_down(m, w, i, with_wrench):
    topology, edge, row, reduced, velocity, wrench = m.topology, w.edge, w.row, w.reduced, w.velocity, w.wrench
    path = topology[i, Topology.ELIMINATION]
    p = topology[i, Topology.PARENT]
    if path == Path.BALL:
        back_ball(i, p, edge, row, reduced, velocity, wrench, with_wrench)
    elif path == Path.HINGE:
        back_hinge(i, p, edge, row, reduced, velocity, wrench, with_wrench)
    elif path == Path.AXES:
        back_axes(i, p, topology[i, Topology.DOFS], edge, row, reduced, velocity, wrench, with_wrench)
    elif path == Path.FREE:
        back_free(i, edge, w.force, velocity)
    else:
        back_general(m, w, i, p, with_wrench)


@entry
def answer(m, s, w, space):
    """What an integrator asked for."""
    request = w.control[Control.REQUEST]
    count = w.control[Control.ALONG_COUNT] if request & Request.ALONG else m.topology.shape[0]
    if request & Request.FACTOR and request & Request.COLUMNS_UP:
        eliminate_with_columns(m, w, request)
        request &= ~Request.COLUMNS_UP
    elif request & (Request.FACTOR | Request.SOLVE):
        eliminate(m, w, request, count)
    if request & Request.OF_COLUMNS:
        answer_columns(m, w, request)
    if request & Request.FORCES_BACK or (request & Request.SOLVE and not request & Request.HALF):
        substitute(m, w, request, count)
    return Request.DONE
