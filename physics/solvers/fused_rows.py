"""Edges of run-time dimensions in `fused`: those with constraint rows instead of a motion subspace, and those of bodies
that are not rigid."""

from physics.bodies.coordinates import load_rates, on_scales, own_block, put_own, store_wide, width
from physics.compiler.jit import inline
from physics.compiler.lazy import far
from physics.data.model import Ints
from physics.data.model_tables import BodyKind, Topology
from physics.data.work_tables import ConstraintRows, Edges, Rows, Stretch
from physics.maths.small import ldl_backward, ldl_factor, ldl_forward
from physics.maths.vec import ZERO3, add, add_scaled, cross, load3, negative, store3
from physics.solvers import compliant


# ---------------------------------------------------------------- run-time dimensions: constraint rows instead of axes
# Child u (n) in its own coordinates, parent u_p (m) as it is kept, rows l (d):  A u - Jc^T l = f,
# Jc u + Jp u_p - E l = g. E is 1 for the rows of springs (see `compliant`), 0 for constraints. With A = L D L^T,
# W = L^-1 Jc^T:
#   S = W^T D^-1 W + E = V F V^T,   the parent gets  Jp^T S^-1 Jp  and  Jp^T S^-1 (g - W^T D^-1 L^-1 f).
# The store of such an edge in `general`: A (n n), Jp (m d), W (n d), S (d d), y (n), r (d); each by columns.
@inline
def general_layout(t, i, p):
    """Return the sizes n, m, d of edge i with the parent p, and the places of A, Jp, W, S, y and r in its store. `t` is
    Model.topology."""
    n = t[i, Topology.DIM]
    m = width(t, p)
    d = compliant.rows_with_springs(t, i)
    o = t[i, Topology.GENERAL]
    jp = o + n * n
    w = jp + m * d
    s = w + n * d
    y = s + d * d
    return n, m, d, o, jp, w, s, y, y + n


def general_size(topology: Ints, i: int) -> int:
    """Return how many numbers the store of edge i takes in Work.general."""
    p = topology[i, Topology.PARENT]
    wide = {BodyKind.PARTICLE: 3, BodyKind.RIGID: 6, BodyKind.PLANAR: 6}
    m = wide.get(int(topology[p, Topology.BODY_KIND]), 9) if p >= 0 else 0
    n, d = int(topology[i, Topology.DIM]), compliant.count_rows(topology, i)
    return n * n + m * d + n * d + d * d + n + d


@far("rows", "mwii")
def factor_general(m, w, i, p):
    """Turn the rows T of edge i into Jacobians of the two bodies (or copy given ones, OWN_ROWS), and form the Schur
    complement S. Write the factor to Work.general, and add Jp^T S^-1 Jp to the block of the parent p."""
    t = m.topology
    general = w.general
    n, wide, d, a, jp, wc, s, _, x0 = general_layout(t, i, p)
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
    """Write the first `wide` (0, 3, 6 or more) of the six numbers (v, w) to `out` from place o on."""
    if wide > 0:
        for k in range(3):
            out[o + k] = v[k]
    if wide > 3:
        for k in range(3):
            out[o + 3 + k] = w[k]


@inline
def solve_rows(general, s, d, x):
    """Multiply the d numbers of `general` from place x on by S^-1, in place. The factor of S is at place s."""
    ldl_forward(general, s, d, general, x)
    for k in range(d):
        general[x + k] /= general[s + k * d + k]
    ldl_backward(general, s, d, general, x)


@far("rows", "mwii")
def forward_general(m, w, i, p):
    """Reduce the force of body i: write y and r to Work.general, and add Jp^T S^-1 r to the force of the parent p."""
    t = m.topology
    general = w.general
    n, wide, d, a, jp, wc, s, y, r = general_layout(t, i, p)
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
    """Write the velocity of body i from its parent's, and with `with_wrench` the wrench of its joint. With y = L^-1 f
    and W = L^-1 Jc^T it computes l = S^-1 (g - Jc A^-1 f) - S^-1 Jp u_p and u = A^-1 (f + Jc^T l)."""
    t = m.topology
    general = w.general
    multipliers = w.reduced
    n, wide, d, a, jp, wc, s, y, r = general_layout(t, i, p)
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
    """Replace row i of x (n numbers) by L^-1 times it, with the factor at place o of a."""
    for r in range(n):
        s = x[i, r]
        for c in range(r):
            s -= a[o + c * n + r] * x[i, c]
        x[i, r] = s


@inline
def ldl_backward_row(a, o, n, x, i):
    """Replace row i of x (n numbers) by L^-T times it, with the factor at place o of a."""
    for r in range(n - 1, -1, -1):
        s = x[i, r]
        for c in range(r + 1, n):
            s -= a[o + r * n + c] * x[i, c]
        x[i, r] = s
