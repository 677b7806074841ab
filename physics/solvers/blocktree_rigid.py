"""Nodes of a block tree that are rigid bodies (6 unknowns) or three to six rows under one: kernels for these
dimensions, three to four times as fast as those for any.
"""

from physics.compiler.jit import inline
from physics.maths.inverse import definite_inverse
from physics.maths.vec import (
    add, add_scaled, dot, full, mat_add, mat_mul, mul, mul_t, negative, outer, scale, sub, sym_add, sym_mul,
)  # fmt: skip
from physics.solvers.blocktree_blocks import (
    at3, at6, at9, at_rows, less9, product_t, put3, put6, put_rows, rank_one, square_t, take3, take6,
    take_angular, take_rows, take_six,
)  # fmt: skip
from physics.solvers.blocktree_nodes import PLACES, Node


# ---------------------------------------------------------------- size 6: a 3x3 block, then three scalars
# A = [[vv, wv^T], [wv, ww]], X = wv vv^-1, ww - X wv^T = W d W^T. In the place of H_ii: vv^-1, X, and the six numbers
# 1/d0, w10, 1/d1, w20, w21, 1/d2. Springs stand in ww: there, only an elimination by scalars leaves on the next block
# what remains of a stiff spring, D - D (I + D)^-1 D, to the rounding of D; with an inverse the error is (D/I)^2 larger.
@inline
def factor_pair(v, a):
    """Factor the packed 6x6 matrix at place a of v in place: a 3x3 block, then three scalars. Return the factor (vv^-1,
    X, w)."""
    vi = definite_inverse(at6(v, a))
    wv = (
        v[a + 6], v[a + 7], v[a + 8], v[a + 10], v[a + 11], v[a + 12], v[a + 15], v[a + 16], v[a + 17],
    )  # fmt: skip
    x = mat_mul(wv, full(vi))
    i0 = 1.0 / (v[a + 9] - (x[0] * wv[0] + x[1] * wv[1] + x[2] * wv[2]))
    s10 = v[a + 13] - (x[3] * wv[0] + x[4] * wv[1] + x[5] * wv[2])
    s20 = v[a + 18] - (x[6] * wv[0] + x[7] * wv[1] + x[8] * wv[2])
    w10 = s10 * i0
    w20 = s20 * i0
    i1 = 1.0 / (v[a + 14] - (x[3] * wv[3] + x[4] * wv[4] + x[5] * wv[5]) - w10 * s10)
    s21 = v[a + 19] - (x[6] * wv[3] + x[7] * wv[4] + x[8] * wv[5]) - w20 * s10
    w21 = s21 * i1
    i2 = 1.0 / (v[a + 20] - (x[6] * wv[6] + x[7] * wv[7] + x[8] * wv[8]) - w20 * s20 - w21 * s21)
    w = (i0, w10, i1, w20, w21, i2)
    put6(v, a, vi)
    put3(v, a + 6, (x[0], x[1], x[2]))
    put3(v, a + 9, (x[3], x[4], x[5]))
    put3(v, a + 12, (x[6], x[7], x[8]))
    put6(v, a + 15, w)
    return vi, x, w


@inline
def lower(w, y):
    """Return W^-1 y, with W in the factor w."""
    y1 = y[1] - w[1] * y[0]
    return y[0], y1, y[2] - w[3] * y[0] - w[4] * y1


@inline
def lower_t(w, y):
    """Return W^-T y, with W in the factor w."""
    y1 = y[1] - w[4] * y[2]
    return y[0] - w[1] * y1 - w[3] * y[2], y1, y[2]


@inline
def divided(w, y):
    """Return d^-1 y, with the diagonal d in the factor w."""
    return w[0] * y[0], w[2] * y[1], w[5] * y[2]


@inline
def lower_rows(w, m):
    """Return W^-1 m of a 3x3 matrix m, with W in the factor w."""
    r3 = m[3] - w[1] * m[0]
    r4 = m[4] - w[1] * m[1]
    r5 = m[5] - w[1] * m[2]
    return (
        m[0], m[1], m[2], r3, r4, r5,
        m[6] - w[3] * m[0] - w[4] * r3, m[7] - w[3] * m[1] - w[4] * r4, m[8] - w[3] * m[2] - w[4] * r5,
    )  # fmt: skip


@inline
def divided_rows(w, m):
    """Return d^-1 m of a 3x3 matrix m, with the diagonal d in the factor w."""
    return (
        w[0] * m[0], w[0] * m[1], w[0] * m[2], w[2] * m[3], w[2] * m[4], w[2] * m[5],
        w[5] * m[6], w[5] * m[7], w[5] * m[8],
    )  # fmt: skip


@inline
def factor_six(node, i, m, v):
    """Factor node i in the values v, a rigid body under m >= 3 rows: three columns of H_i,up together, then the others
    one by one."""
    up = node[i, Node.UP]
    a = node[i, Node.DIAGONAL] & PLACES
    u = node[i, Node.UP_BLOCK] & PLACES
    pu = node[up, Node.DIAGONAL] & PLACES
    vi, x, w = factor_pair(v, a)
    yv = at_rows(v, u, m)
    yw = lower_rows(w, less9(at_rows(v, u + 3 * m, m), mat_mul(x, yv)))
    gv = mat_mul(full(vi), yv)
    gw = divided_rows(w, yw)
    put_rows(v, u, m, gv)
    put_rows(v, u + 3 * m, m, gw)
    take6(v, pu, sym_add(square_t(yv, gv), square_t(yw, gw)))
    for c in range(3, m):
        pc = pu + c * (c + 1) // 2
        ev, ew = column_at(v, u, m, c)
        ew = lower(w, sub(ew, mul(x, ev)))
        hv = sym_mul(vi, ev)
        hw = divided(w, ew)
        take3(v, pc, add(mul_t(gv, ev), mul_t(gw, ew)))
        for b in range(3, c):
            kv, kw = column_at(v, u, m, b)
            v[pc + b] -= dot(kv, ev) + dot(kw, ew)
        v[pc + c] -= dot(hv, ev) + dot(hw, ew)
        for r in range(3):
            v[u + r * m + c] = hv[r]
            v[u + (r + 3) * m + c] = hw[r]
    if node[i, Node.FAR_ROWS] > 0:
        # (angular, angular): its columns are zero where X and vv^-1 would act
        g = node[i, Node.FAR_BLOCK] & PLACES
        pg = node[up, Node.UP_BLOCK] & PLACES
        pf = node[node[i, Node.FAR], Node.DIAGONAL] & PLACES
        fw = lower_rows(w, at9(v, g))
        ew = divided_rows(w, fw)
        put_rows(v, g, 3, ew)
        take_angular(v, pf, square_t(fw, ew))
        take_rows(v, pg + 3, 6, product_t(gw, fw))
        for c in range(3, m):
            _, hw = column_at(v, u, m, c)
            take3(v, pg + 6 * c + 3, mul_t(fw, hw))


@inline
def column_at(v, u, m, c):
    """Return column c, of six numbers as two vectors, of the block at place u of v, whose rows are m apart."""
    o = u + c
    return (v[o], v[o + m], v[o + 2 * m]), (v[o + 3 * m], v[o + 4 * m], v[o + 5 * m])


@inline
def places_of(node, i):
    """Return the places of H_ii and H_i,up in the values, and those of x_i and x_up in the right-hand side."""
    return (
        node[i, Node.DIAGONAL] & PLACES,
        node[i, Node.UP_BLOCK] & PLACES,
        node[i, Node.PLACE] & PLACES,
        node[node[i, Node.UP], Node.PLACE] & PLACES,
    )


@inline
def up_six(node, i, m, v, x):
    """Make the step of sparsesolve at node i, a rigid body under m rows, on the way up the trees: change x of the node,
    its parent and its grandparent."""
    a, u, o, up = places_of(node, i)
    w = at6(v, a + 15)
    xv = at3(x, o)
    xw = lower(w, sub(at3(x, o + 3), mul(at9(v, a + 6), xv)))
    put3(x, o, sym_mul(at6(v, a), xv))
    put3(x, o + 3, divided(w, xw))
    take3(x, up, add(mul_t(at_rows(v, u, m), xv), mul_t(at_rows(v, u + 3 * m, m), xw)))
    for c in range(3, m):
        gv, gw = column_at(v, u, m, c)
        x[up + c] -= dot(gv, xv) + dot(gw, xw)
    if node[i, Node.FAR_ROWS] > 0:
        far = node[node[i, Node.FAR], Node.PLACE] & PLACES
        take3(x, far + 3, mul_t(at9(v, node[i, Node.FAR_BLOCK] & PLACES), xw))


@inline
def down_six(node, i, m, v, x):
    """Make the step of sparsesolve at node i, a rigid body under m rows, on the way down the trees: change x of the
    node."""
    a, u, o, up = places_of(node, i)
    t = at3(x, up)
    xv = sub(at3(x, o), mul(at_rows(v, u, m), t))
    xw = sub(at3(x, o + 3), mul(at_rows(v, u + 3 * m, m), t))
    for c in range(3, m):
        gv, gw = column_at(v, u, m, c)
        s = x[up + c]
        xv = add_scaled(xv, -s, gv)
        xw = add_scaled(xw, -s, gw)
    if node[i, Node.FAR_ROWS] > 0:
        far = node[node[i, Node.FAR], Node.PLACE] & PLACES
        xw = sub(xw, mul(at9(v, node[i, Node.FAR_BLOCK] & PLACES), at3(x, far + 3)))
    xw = lower_t(at6(v, a + 15), xw)
    put3(x, o, sub(xv, mul_t(at9(v, a + 6), xw)))
    put3(x, o + 3, xw)


# ---------------------------------------------------------------- three to six rows under a rigid body
# D = [[S11, 0], [0, d]]: the first three rows as a block, the others as scalars. In the place of H_ii, by rows of its
# triangle: S11^-1; then of each further row Z = S21 S11^-1, L and 1/d.
@inline
def factor_rows(node, i, n, v):
    """Factor node i in the values v, n rows under a rigid body."""
    a = node[i, Node.DIAGONAL] & PLACES
    u = node[i, Node.UP_BLOCK] & PLACES
    pu = node[node[i, Node.UP], Node.DIAGONAL] & PLACES
    si = definite_inverse(at6(v, a))
    ya = at_rows(v, u, 6)
    yb = at_rows(v, u + 3, 6)
    ga = mat_mul(full(si), ya)
    gb = mat_mul(full(si), yb)
    vv = square_t(ya, ga)
    wv = product_t(yb, ga)
    ww = square_t(yb, gb)
    for r in range(3, n):
        ar = a + r * (r + 1) // 2
        s = at3(v, ar)
        z = sym_mul(si, s)
        for c in range(3, r + 1):
            v[ar + c] -= dot(s, at3(v, a + c * (c + 1) // 2)) if c < r else dot(s, z)
        put3(v, ar, z)
        put3(v, u + 6 * r, sub(at3(v, u + 6 * r), mul_t(ya, z)))
        put3(v, u + 6 * r + 3, sub(at3(v, u + 6 * r + 3), mul_t(yb, z)))
    for k in range(3, n):
        bv = at3(v, u + 6 * k)
        bw = at3(v, u + 6 * k + 3)
        inverse = 1.0 / v[a + k * (k + 1) // 2 + k]
        for r in range(n - 1, k, -1):
            ar = a + r * (r + 1) // 2
            x = v[ar + k] * inverse
            for c in range(k + 1, r + 1):
                v[ar + c] -= x * v[a + c * (c + 1) // 2 + k]
            v[ar + k] = x
            put3(v, u + 6 * r, add_scaled(at3(v, u + 6 * r), -x, bv))
            put3(v, u + 6 * r + 3, add_scaled(at3(v, u + 6 * r + 3), -x, bw))
        gv = scale(inverse, bv)
        gw = scale(inverse, bw)
        v[a + k * (k + 1) // 2 + k] = inverse
        put3(v, u + 6 * k, gv)
        put3(v, u + 6 * k + 3, gw)
        vv = sym_add(vv, outer(inverse, bv))
        wv = mat_add(wv, rank_one(gw, bv))
        ww = sym_add(ww, outer(inverse, bw))
    put6(v, a, si)
    put_rows(v, u, 6, ga)
    put_rows(v, u + 3, 6, gb)
    take_six(v, pu, vv, wv, ww)


@inline
def up_rows(node, i, n, v, x):
    """Make the step of sparsesolve at node i, n rows under a rigid body, on the way up the trees: change x of the node
    and of its parent."""
    a, u, o, up = places_of(node, i)
    s = at3(x, o)
    pv = add(at3(x, up), negative(mul_t(at_rows(v, u, 6), s)))
    pw = add(at3(x, up + 3), negative(mul_t(at_rows(v, u + 3, 6), s)))
    for k in range(3, n):
        ak = a + k * (k + 1) // 2
        e = x[o + k] - dot(at3(v, ak), s)
        for c in range(3, k):
            e -= v[ak + c] * x[o + c]
        x[o + k] = e
        pv = add_scaled(pv, -e, at3(v, u + 6 * k))
        pw = add_scaled(pw, -e, at3(v, u + 6 * k + 3))
    put3(x, o, sym_mul(at6(v, a), s))
    for k in range(3, n):
        x[o + k] *= v[a + k * (k + 1) // 2 + k]
    put3(x, up, pv)
    put3(x, up + 3, pw)


@inline
def down_rows(node, i, n, v, x):
    """Make the step of sparsesolve at node i, n rows under a rigid body, on the way down the trees: change x of the
    node."""
    a, u, o, up = places_of(node, i)
    pv = at3(x, up)
    pw = at3(x, up + 3)
    s = sub(at3(x, o), add(mul(at_rows(v, u, 6), pv), mul(at_rows(v, u + 3, 6), pw)))
    for k in range(n - 1, 2, -1):
        e = x[o + k] - (dot(at3(v, u + 6 * k), pv) + dot(at3(v, u + 6 * k + 3), pw))
        for r in range(k + 1, n):
            e -= v[a + r * (r + 1) // 2 + k] * x[o + r]
        x[o + k] = e
        s = add_scaled(s, -e, at3(v, a + k * (k + 1) // 2))
    put3(x, o, s)
