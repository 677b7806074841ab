"""Columns of the anticipated matrix in `fused`, reduced but not solved: the symmetric form [Baraff96, section 8].

The elimination of `fused` is A^-1 = L^-T D^-1 L^-1 for any right-hand side. For rows whose forces act along J_a^T, the
matrix

    J_a A^-1 J_a^T = Z^T D^-1 Z,   Z = L^-1 J_a^T

therefore needs only the first half of each solve, from the leaves to the roots, along the paths of the rows. For column
k this half leaves at edge i the numbers s = N^T f' and u = K^-1 s, and the load h that is added to the parent
(`fused`). Then

    (J_a A^-1 J_a^T)_kl = sum_i s_k . u_l
    (J_a v)_k = sum_i s_k . u + h_k . b            u = K^-1 (N^T f' + d) of the request's own right-hand side, reduced

and with the forces J_a^T mu, u + sum u_k mu_k and h + sum h_k mu_k replace u and h before the second half. Thus k rows
cost k half solves with each factor. A request then costs as much as without rows, except for the sums. At a free root s
is f, and u = A^-1 f.

Columns are reduced four at a time, in one vector register. A row of `wide` belongs to one body and to four columns of
its island: row n k + i to body i (of n) and to the k-th group of four.
"""

from physics.compiler.table import Table, column
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Path, Topology
from physics.data.step_tables import Request
from physics.data.work_tables import Edges, Reduced, Rows
from physics.maths.lanes import AT_ONCE, each, fours, total
from physics.maths.vec import add, add_scaled, cross, dot, load3, load6, load9, mul, mul_t, sub, sym_mul
from physics.solvers.fused_edges import centre_lever, is_stiff, parent_axis, parent_right_hand_side


class FourColumns(Table):
    """Columns of Islands.wide: the numbers at one body of four columns of the matrix, side by side."""

    H = column("f, which becomes h", size=6)
    S = column("s, and after its numbers those of u; at a free root u alone", size=6)


@far("columns", "mwi")
def answer_columns(m, w, request):
    """Do the parts of a request that concern columns, in this order: COLUMNS_UP, PRODUCT, RATES_OF_ROWS,
    FORCES_BACK."""
    if request & Request.COLUMNS_UP:
        reduce_columns(m, w)
    if request & Request.PRODUCT:
        multiply_columns(m, w)
    if request & Request.RATES_OF_ROWS:
        find_rates(m, w)
    if request & Request.FORCES_BACK:
        add_forces(m, w, request & Request.WRENCHES)


@inline
def groups_of(i, g):
    """Return the number of SIMD groups of four columns of island g; i is the Islands."""
    return (i.first[g + 1] - i.first[g] + AT_ONCE - 1) // AT_ONCE


@inline
def three(wide, r, o):
    """Return three numbers of row r of `wide` from column o on, each a SIMD group of four."""
    return wide[r, o], wide[r, o + 1], wide[r, o + 2]


@inline
def put_three(wide, r, o, v):
    """Write the three numbers v, each a SIMD group of four, to row r of `wide` from column o on."""
    wide[r, o] = v[0]
    wide[r, o + 1] = v[1]
    wide[r, o + 2] = v[2]


# ---------------------------------------------------------------- from the leaves to the roots
@kernel
def begin_columns(m, w):
    """Write the forces of all rows of links to Islands.wide, before they are reduced."""
    for g in range(w.auxiliary.islands.rank.shape[0]):
        put_rows(m, w, g)


@kernel
def reduce_columns(m, w):
    """Reduce all columns in Islands.wide, from the leaves to the roots."""
    begin_columns(m, w)
    i = w.auxiliary.islands
    for g in range(i.rank.shape[0]):
        for k in range(i.body_start[g + 1] - 1, i.body_start[g] - 1, -1):
            body_columns_up(m, w, g, i.body[k])


@inline
def body_columns_up(m, w, g, body):
    """Reduce the columns of island g at one body, in Islands.wide."""
    n = m.topology.shape[0]
    for k in range(groups_of(w.auxiliary.islands, g)):
        column_up(m, w, body, n * k)


@kernel
def put_rows(m, w, g):
    """Write f = J_a^T e_k of every row k of island g to its column of Islands.wide."""
    a = w.auxiliary
    i = a.islands
    n = m.topology.shape[0]
    nothing = 0.0 * i.share[fours(0), 0]
    for group in range(groups_of(i, g)):
        for k in range(i.body_start[g], i.body_start[g + 1]):
            r = fours(n * group + i.body[k])
            put_three(i.wide, r, FourColumns.H, (nothing, nothing, nothing))
            put_three(i.wide, r, FourColumns.H + 3, (nothing, nothing, nothing))
    for k in range(i.first[g], i.first[g + 1]):
        r = i.member[k]
        group = i.slot[r] // AT_ONCE
        for e in range(a.start[r], a.start[r + 1]):
            for c in range(6):
                i.wide[n * group + a.body[e], (FourColumns.H + c) * AT_ONCE + i.slot[r] % AT_ONCE] += a.jacobian[e, c]


@inline
def column_up(m, w, i, o):
    """Reduce one group of four columns at body i; its rows of Islands.wide begin at row o."""
    t, edge, row, wide = m.topology, w.edge, w.row, w.auxiliary.islands.wide
    path = t[i, Topology.ELIMINATION]
    p = t[i, Topology.PARENT]
    if path == Path.HINGE:
        hinge_up(i, p, o, edge, wide)
    elif path == Path.BALL:
        ball_up(i, p, o, edge, row, wide)
    elif path == Path.FREE:
        free_up(i, o, edge, wide)
    else:
        axes_up(i, p, o, t[i, Topology.DOFS], edge, wide)


@inline
def hand_on(i, p, o, hv, hw, moment, wide):
    """Write h = (hv, hw) to `wide` for body i, and add it to the parent's load; `moment` is the moment of h about the
    parent's centre of mass."""
    put_three(wide, fours(o + i), FourColumns.H, hv)
    put_three(wide, fours(o + i), FourColumns.H + 3, hw)
    if p >= 0:
        q = fours(o + p)
        put_three(wide, q, FourColumns.H, add(three(wide, q, FourColumns.H), hv))
        put_three(wide, q, FourColumns.H + 3, add(three(wide, q, FourColumns.H + 3), moment))


@inline
def hinge_up(i, p, o, edge, wide):
    """Reduce a group of four columns at the hinge of body i: write s, u and h to `wide`."""
    r = fours(o + i)
    fv = three(wide, r, FourColumns.H)
    fw = three(wide, r, FourColumns.H + 3)
    s = dot(load3(edge, i, Edges.K_AXES + 7), fv) + dot(load3(edge, i, Edges.AXIS + 3), fw)
    u = edge[i, Edges.K_AXES] * s
    wide[r, FourColumns.S] = s
    wide[r, FourColumns.S + 1] = u
    hv = add_scaled(fv, -u, load3(edge, i, Edges.K_AXES + 1))
    hw = add_scaled(add(fw, cross(centre_lever(edge, i, p), fv)), -u, load3(edge, i, Edges.K_AXES + 4))
    hand_on(i, p, o, hv, hw, hw, wide)


@inline
def ball_up(i, p, o, edge, row, wide):
    """Reduce a group of four columns at the ball joint of body i: write s, u and h to `wide`."""
    r = fours(o + i)
    fv = three(wide, r, FourColumns.H)
    s = sub(three(wide, r, FourColumns.H + 3), cross(load3(edge, i, Edges.RC), fv))
    put_three(wide, r, FourColumns.S, s)
    put_three(wide, r, FourColumns.S + 3, sym_mul(load6(edge, i, Edges.K_INVERSE), s))
    hv = sub(fv, mul_t(load9(edge, i, Edges.K_COUPLING), s))
    if is_stiff(load6(row, i, Rows.STIFF_BLOCK)):
        hw = mul_t(load9(edge, i, Edges.K_SPRING), s)
    else:
        nothing = fv[0] - fv[0]
        hw = nothing, nothing, nothing
    hand_on(i, p, o, hv, hw, add(hw, cross(load3(edge, i, Edges.RP), hv)), wide)


@inline
def axes_up(i, p, o, dofs, edge, wide):
    """Reduce a group of four columns at the joint of `dofs` axes of body i: write s, u and h to `wide`."""
    r = fours(o + i)
    fv = three(wide, r, FourColumns.H)
    fw = add(three(wide, r, FourColumns.H + 3), cross(centre_lever(edge, i, p), fv))
    for c in range(dofs):
        nv, nw = parent_axis(edge, i, p, c)
        s = dot(nv, fv) + dot(nw, fw)
        u = edge[i, Edges.K_AXES + 7 * c] * s
        wide[r, FourColumns.S + c] = s
        wide[r, FourColumns.S + dofs + c] = u
        fv = add_scaled(fv, -u, load3(edge, i, Edges.K_AXES + 7 * c + 1))
        fw = add_scaled(fw, -u, load3(edge, i, Edges.K_AXES + 7 * c + 4))
    hand_on(i, p, o, fv, fw, fw, wide)


@inline
def free_up(i, o, edge, wide):
    """Reduce a group of four columns at the free root i: write u to `wide`."""
    r = fours(o + i)
    fv = three(wide, r, FourColumns.H)
    x = load9(edge, i, Edges.K_AXES + 6)
    uw = sym_mul(load6(edge, i, Edges.K_AXES + 15), sub(three(wide, r, FourColumns.H + 3), mul(x, fv)))
    put_three(wide, r, FourColumns.S, sub(sym_mul(load6(edge, i, Edges.K_AXES), fv), mul_t(x, uw)))
    put_three(wide, r, FourColumns.S + 3, uw)


# ---------------------------------------------------------------- sums over the bodies of an island
@inline
def pairs(t, i):
    """Return (column of s, column of u, count) of body i in Islands.wide: where its numbers s and u begin, and how many
    each has."""
    path = t[i, Topology.ELIMINATION]
    if path == Path.HINGE:
        return FourColumns.S, FourColumns.S + 1, 1
    if path == Path.FREE:
        return FourColumns.H, FourColumns.S, 6
    count = 3 if path == Path.BALL else t[i, Topology.DOFS]
    return FourColumns.S, FourColumns.S + count, count


@kernel
def multiply_columns(m, w):
    """Write J_a A^-1 J_a^T of every island, plus the compliance of each row, to the lower triangle of
    Auxiliary.matrix."""
    a = w.auxiliary
    i = a.islands
    for g in range(i.rank.shape[0]):
        groups = groups_of(i, g)
        for right in range(groups):
            for left in range(right + 1):
                multiply_fours(m, w, g, left, right)
        for k in range(i.first[g], i.first[g + 1]):
            a.matrix[i.member[k], i.member[k]] += a.soft[i.member[k]]


@kernel
def multiply_fours(m, w, g, left, right):
    """Write the products of s of four columns (group `left` of island g) with u of four others (group `right`) to
    Auxiliary.matrix."""
    i = w.auxiliary.islands
    wide = i.wide
    a = b = c = d = 0.0 * i.share[fours(0), 0]
    n = m.topology.shape[0]
    for place in range(i.body_start[g], i.body_start[g + 1]):
        body = i.body[place]
        s, u, count = pairs(m.topology, body)
        row = n * left + body
        for k in range(count):
            x = wide[fours(n * right + body), u + k]
            at = (s + k) * AT_ONCE
            a += wide[row, at] * x
            if AT_ONCE > 1:
                b += wide[row, at + 1] * x
                c += wide[row, at + 2] * x
                d += wide[row, at + 3] * x
    put_products(w, g, left * AT_ONCE, right, a)
    if AT_ONCE > 1:
        put_products(w, g, left * AT_ONCE + 1, right, b)
        put_products(w, g, left * AT_ONCE + 2, right, c)
        put_products(w, g, left * AT_ONCE + 3, right, d)


@kernel
def put_products(w, g, slot, right, values):
    """Write the products of column `slot` of island g with the four columns of group `right` to the lower triangle of
    Auxiliary.matrix."""
    a = w.auxiliary
    i = a.islands
    count = i.first[g + 1] - i.first[g]
    other = right * AT_ONCE
    for x in each(values):
        if slot <= other < count:
            a.matrix[i.member[i.first[g] + other], i.member[i.first[g] + slot]] = x
        other += 1


@kernel
def find_rates(m, w):
    """Write J_a v of all rows of links to Auxiliary.right, computed from the reduced right-hand side."""
    a = w.auxiliary
    i = a.islands
    for g in range(i.rank.shape[0]):
        for group in range(groups_of(i, g)):
            rates = 0.0 * i.share[fours(0), 0]
            for k in range(i.body_start[g], i.body_start[g + 1]):
                rates = rates + rate_at(m, w, i.body[k], m.topology.shape[0] * group)
            k = i.first[g] + group * AT_ONCE
            for x in each(rates):
                if k < i.first[g + 1]:
                    a.right[i.member[k]] = x
                k += 1


@inline
def rate_at(m, w, i, o):
    """Return the contribution of edge i to J_a v, for the group of four rows that begins at row o of Islands.wide."""
    wide = w.auxiliary.islands.wide
    r = fours(o + i)
    path = m.topology[i, Topology.ELIMINATION]
    if path == Path.FREE:
        fv, fw = load3(w.force, i, 0), load3(w.force, i, 3)
        return dot(three(wide, r, FourColumns.S), fv) + dot(three(wide, r, FourColumns.S + 3), fw)
    if path == Path.BALL:
        x = dot(three(wide, r, FourColumns.S), load3(w.reduced, i, Reduced.RATE))
        return x + dot(three(wide, r, FourColumns.H), load3(w.row, i, Rows.RIGHT_HAND_SIDE))
    bv, bw = parent_right_hand_side(w.edge, w.row, i, m.topology[i, Topology.PARENT])
    x = dot(three(wide, r, FourColumns.H), bv) + dot(three(wide, r, FourColumns.H + 3), bw)
    for c in range(m.topology[i, Topology.DOFS]):
        x = x + wide[r, FourColumns.S + c] * w.reduced[i, Reduced.RATE + c]
    return x


@kernel
def add_forces(m, w, with_wrench):
    """Add the reduced columns times mu to the reduced right-hand side: to u in Work.reduced, at free roots to f in
    Work.force, and with `with_wrench` also to h."""
    a = w.auxiliary
    i = a.islands
    for g in range(i.rank.shape[0]):
        groups = groups_of(i, g)
        count = i.first[g + 1] - i.first[g]
        for k in range(groups * AT_ONCE):
            i.share[0, k] = a.multiplier[i.member[i.first[g] + k]] if k < count else 0.0
        for k in range(i.body_start[g], i.body_start[g + 1]):
            body = i.body[k]
            path = m.topology[body, Topology.ELIMINATION]
            if path == Path.FREE:
                add_shares(i, body, groups, FourColumns.H, 6, w.force, 0)
                continue
            _, u, numbers = pairs(m.topology, body)
            add_shares(i, body, groups, u, numbers, w.reduced, Reduced.RATE)
            if with_wrench:
                add_shares(i, body, groups, FourColumns.H, 6, w.reduced, Reduced.LOAD)


@inline
def add_shares(i, body, groups, o, count, out, at):
    """Add the columns of one body times mu, from column o of Islands.wide on, to `count` numbers of the body's row of
    `out` from column `at` on."""
    n = out.shape[0]
    for c in range(count):
        x = i.wide[fours(body), o + c] * i.share[fours(0), 0]
        for group in range(1, groups):
            x += i.wide[fours(n * group + body), o + c] * i.share[fours(0), group]
        out[body, at + c] += total(x)
