"""Ball joints and free roots in `fused`: factor, forward and back pass of one edge, or of a SIMD group of four.

A ball joint is eliminated at its anchor with N = [0; 1]. `i` is the body, `p` its parent; blocks are packed lower
triangles of 3 x 3 parts (vv, wv, ww).
"""

from physics.compiler.jit import inline
from physics.data.work_tables import Edges, Reduced, Rows
from physics.maths.inverse import definite_inverse
from physics.maths.lanes import any_of, is_world
from physics.maths.vec import (
    ZERO3, add, add_to3, add_to_block, cross, full, load3, load6, load9, load_block, mat_cross, mat_mul, mul, mul_t,
    negative, shift_block, store3, store6, store9, store_block, sub, sym, sym_add, sym_mul, transpose,
)  # fmt: skip
from physics.solvers.fused_edges import is_stiff

NO_SPRING = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@inline
def push_block(block, p, vv, wv, ww, rp):
    """Add the block (vv, wv, ww), given at the anchor, to the parent's row of `block`; rp is the parent's lever."""
    vv, wv, ww = shift_block(vv, wv, ww, negative(rp))
    add_to_block(block, p, vv, wv, ww)


@inline
def push_load(force, p, hv, hw, rp):
    """Add the wrench (hv, hw), given at the anchor, to the parent's row of `force`; rp is the parent's lever."""
    add_to3(force, p, 0, hv)
    add_to3(force, p, 3, add(hw, cross(rp, hv)))


@inline
def anchor_load(force, i, rc):
    """Return f' = X^T f of body i at the anchor; rc is the lever to it."""
    fv = load3(force, i, 0)
    return fv, sub(load3(force, i, 3), cross(rc, fv))


@inline
def parent_twist(velocity, p, rp):
    """Return y_p, the parent's twist at the anchor (zero for the world); rp is the parent's lever."""
    if is_world(p):
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    wp = load3(velocity, p, 3)
    return add(load3(velocity, p, 0), cross(wp, rp)), wp


# ---------------------------------------------------------------- free root
@inline
def factor_free(i, block, edge):
    """Factor the 6x6 block of a free root by two 3x3 blocks, S = ww - wv vv^-1 wv^T. Write vv^-1, wv vv^-1 and S^-1 to
    `edge` from Edges.K_AXES on."""
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
    """Write the velocity of the free root i from its force, with the factor in `edge`."""
    fv = load3(force, i, 0)
    x = load9(edge, i, Edges.K_AXES + 6)
    w = sym_mul(load6(edge, i, Edges.K_AXES + 15), sub(load3(force, i, 3), mul(x, fv)))
    store3(velocity, i, 0, sub(sym_mul(load6(edge, i, Edges.K_AXES), fv), mul_t(x, w)))
    store3(velocity, i, 3, w)


# ---------------------------------------------------------------- ball: N = [0; 1]
@inline
def has_spring(e):
    """Return whether D is not zero in some lane, seen from the factor e = E = K^-1 D. E then has a positive trace: that
    of K^-1/2 D K^-1/2, which is positive semi-definite. D itself is in another cache line, which the passes after the
    factor need not load."""
    return any_of(abs(e[0]) + abs(e[4]) + abs(e[8]) > 0.0)


@inline
def factor_ball(i, p, block, edge, row):
    """Eliminate the ball joint of body i from the body's block: write the factor to `edge`, and add P to the parent's
    block."""
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
    """Reduce the force of body i at its ball joint: write K^-1 (f_w + d) and h to `reduced`, and add h to the parent's
    force."""
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
    """Write the velocity of body i on a ball joint from its parent's, and with `with_wrench` the wrench of the
    joint."""
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
