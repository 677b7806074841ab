"""A symmetric matrix of blocks whose nodes form trees: H = L D L^T without fill-in [Baraff96, app. A].

In the order leaves to roots a node's parent (`up`) comes after it, and

    sparsefactor   for i in order:  H_ii = L_i D_i L_i^T;   U_i = D_i^-1 L_i^-1 H_i,up;   H_up,up -= U_i^T D_i U_i
    sparsesolve    up the trees:    x_i = L_i^-1 x_i;  x_up -= U_i^T x_i;  x_i = D_i^-1 x_i
                   down:            x_i = L_i^-T (x_i - U_i x_up)

The paper keeps H_ii^-1 H_i,up; here H_ii is factored on, into scalars or 3x3 blocks, so that the whole is one LDL^T.
All H_ii must be definite, of either sign, when their turn comes: there is no pivoting.

A node may also have a block with its grandparent (`far`) [Hernandez11, section 4]. It then updates H_up,far, which is
there anyway, and H_far,far: still no fill-in.

Nothing here knows of bodies. Dimensions are known at run time only, and any will do; those that joints have most (6 for
a rigid body, 3 to 6 rows) have kernels of their own, three to four times as fast.
"""

from typing import NamedTuple

import numpy as np

from physics.compiler.jit import inline, kernel
from physics.compiler.pack import packed
from physics.data.model import Ints
from physics.maths.inverse import definite_inverse
from physics.maths.vec import add, add_scaled, dot, full, mat_mul, mul, mul_t, negative, outer, scale, sub, sym_mul

# ---------------------------------------------------------------- nodes, in elimination order
SIZE = 0  # dimension
UP = 1  # parent node, -1 for roots
UP_SIZE = 2  # its dimension, 0 for roots
FAR = 3  # grandparent node with which there may be a block, -1 for none
FAR_ROWS = 4  # that block couples the last so many unknowns of the node (0: not there in the present factor)
FAR_COLUMNS = 5  # with the last so many of its grandparent
DIAGONAL = 6  # place of H_ii in the values: lower triangle by rows
UP_BLOCK = 7  # place of H_i,up: by rows
FAR_BLOCK = 8  # place of H_i,far: by rows
PLACE = 9  # place of x_i in the right-hand side
METHOD = 10  # which kernels (codes below)
NODE = 11

# ANY, else a rigid body under three to six rows, or the rows between two rigid bodies
ANY, SIX, SIX_THREE, SIX_FIVE, ROWS_SIX, THREE_SIX, FIVE_SIX = range(7)

# Offsets are cut to 40 bits: the compiler then knows that they are not negative, and leaves out the test for indices
# that count from the end (a fifth of the time).
PLACES = (1 << 40) - 1


@packed
class Tree(NamedTuple):
    """The shape of H. Reusable for any values of this shape."""

    node: Ints  # (nodes, NODE)
    values: int  # how many numbers H takes
    unknowns: int


def make_tree(sizes: list[int], parents: list[int], far: list[bool], special: bool = True) -> Tree:
    """Nodes of these sizes, parents after their children; `far`: room for a block with the grandparent. `special=False`
    leaves out the kernels for common dimensions."""
    node = np.zeros((len(sizes), NODE), np.int64)
    at = place = 0
    for i, (size, up) in enumerate(zip(sizes, parents, strict=True)):
        beyond = parents[up] if far[i] and up >= 0 else -1
        node[i, [SIZE, UP, FAR, DIAGONAL, PLACE]] = size, up, beyond, at, place
        at += size * (size + 1) // 2
        node[i, UP_BLOCK] = at
        if up >= 0:
            node[i, UP_SIZE] = sizes[up]
            at += size * sizes[up]
        node[i, FAR_BLOCK] = at
        if beyond >= 0:
            node[i, [FAR_ROWS, FAR_COLUMNS]] = size, sizes[beyond]
            at += size * sizes[beyond]
        place += size
        if special:
            node[i, METHOD] = _method(size, int(node[i, UP_SIZE]), sizes[beyond] if beyond >= 0 else 0)
    return Tree(node, at, place)


def _method(size: int, up: int, far: int) -> int:
    if size == 6 and 3 <= up <= 6 and far in (0, 6):
        return {3: SIX_THREE, 5: SIX_FIVE}.get(up, SIX)
    if 3 <= size <= 6 and up == 6 and far == 0:
        return {3: THREE_SIX, 5: FIVE_SIX}.get(size, ROWS_SIX)
    return ANY


@inline
def method_of(node, i):
    """A rigid body's kernels know one block with the grandparent: the angular one"""
    if node[i, FAR_ROWS] > 0 and not (node[i, FAR_ROWS] == 3 and node[i, FAR_COLUMNS] == 3):
        return ANY
    return node[i, METHOD]


@kernel
def factor_tree(node, v):
    """sparsefactor: `v` holds H, then its factor."""
    for i in range(node.shape[0]):
        method = method_of(node, i)
        if method == SIX_THREE:
            factor_six(node, i, 3, v)
        elif method == THREE_SIX:
            factor_rows(node, i, 3, v)
        elif method == SIX_FIVE:
            factor_six(node, i, 5, v)
        elif method == FIVE_SIX:
            factor_rows(node, i, 5, v)
        elif method == SIX:
            factor_six(node, i, node[i, UP_SIZE], v)
        elif method == ROWS_SIX:
            factor_rows(node, i, node[i, SIZE], v)
        else:
            factor_any(node, i, v)


@kernel
def solve_tree(node, v, x):
    """sparsesolve: the right-hand side in `x` becomes the solution."""
    for i in range(node.shape[0]):
        method = method_of(node, i)
        if method == SIX_THREE:
            up_six(node, i, 3, v, x)
        elif method == THREE_SIX:
            up_rows(node, i, 3, v, x)
        elif method == SIX_FIVE:
            up_six(node, i, 5, v, x)
        elif method == FIVE_SIX:
            up_rows(node, i, 5, v, x)
        elif method == SIX:
            up_six(node, i, node[i, UP_SIZE], v, x)
        elif method == ROWS_SIX:
            up_rows(node, i, node[i, SIZE], v, x)
        else:
            up_any(node, i, v, x)
    for i in range(node.shape[0] - 1, -1, -1):
        method = method_of(node, i)
        if method == SIX_THREE:
            down_six(node, i, 3, v, x)
        elif method == THREE_SIX:
            down_rows(node, i, 3, v, x)
        elif method == SIX_FIVE:
            down_six(node, i, 5, v, x)
        elif method == FIVE_SIX:
            down_rows(node, i, 5, v, x)
        elif method == SIX:
            down_six(node, i, node[i, UP_SIZE], v, x)
        elif method == ROWS_SIX:
            down_rows(node, i, node[i, SIZE], v, x)
        else:
            down_any(node, i, v, x)


# ---------------------------------------------------------------- any dimension
# L^-1 leaves zero rows at the top of H_i,far zero: its lowest FAR_ROWS rows are all there ever is.
@kernel
def factor_any(node, i, v):
    """Row by row: the row of [H_ii | H_i,up | H_i,far] with pivot s updates all that is left by -row^T row / s."""
    n = node[i, SIZE]
    m = node[i, UP_SIZE]
    q = node[i, FAR_COLUMNS] if node[i, FAR_ROWS] > 0 else 0
    first = n - node[i, FAR_ROWS]
    a = node[i, DIAGONAL]
    u = node[i, UP_BLOCK]
    g = node[i, FAR_BLOCK] - first * q
    pu = node[node[i, UP], DIAGONAL] if m > 0 else 0
    stride = node[node[i, UP], UP_SIZE] if q > 0 else 0
    skip = stride - q
    pg = node[node[i, UP], UP_BLOCK] + skip if q > 0 else 0
    pf = node[node[i, FAR], DIAGONAL] if q > 0 else 0
    for k in range(n):
        inverse = 1.0 / v[a + k * (k + 1) // 2 + k]
        far = q if k >= first else 0
        for r in range(n - 1, k, -1):
            ar = a + r * (r + 1) // 2
            x = v[ar + k] * inverse
            for c in range(k + 1, r + 1):
                v[ar + c] -= x * v[a + c * (c + 1) // 2 + k]
            for c in range(m):
                v[u + r * m + c] -= x * v[u + k * m + c]
            for c in range(far):
                v[g + r * q + c] -= x * v[g + k * q + c]
            v[ar + k] = x
        for r in range(m):
            x = v[u + k * m + r] * inverse
            for c in range(r + 1):
                v[pu + r * (r + 1) // 2 + c] -= x * v[u + k * m + c]
            for c in range(far):
                v[pg + r * stride + c] -= x * v[g + k * q + c]
        for r in range(far):
            x = v[g + k * q + r] * inverse
            for c in range(r + 1):
                v[pf + (skip + r) * (skip + r + 1) // 2 + skip + c] -= x * v[g + k * q + c]
        for c in range(m):
            v[u + k * m + c] *= inverse
        for c in range(far):
            v[g + k * q + c] *= inverse
        v[a + k * (k + 1) // 2 + k] = inverse


@kernel
def up_any(node, i, v, x):
    n = node[i, SIZE]
    m = node[i, UP_SIZE]
    q = node[i, FAR_COLUMNS] if node[i, FAR_ROWS] > 0 else 0
    first = n - node[i, FAR_ROWS]
    a = node[i, DIAGONAL]
    u = node[i, UP_BLOCK]
    g = node[i, FAR_BLOCK] - first * q
    o = node[i, PLACE]
    up = node[node[i, UP], PLACE] if m > 0 else 0
    far = node[node[i, FAR], PLACE] + node[node[i, FAR], SIZE] - q if q > 0 else 0
    for k in range(n):
        s = x[o + k]
        for c in range(k):
            s -= v[a + k * (k + 1) // 2 + c] * x[o + c]
        x[o + k] = s
        for c in range(m):
            x[up + c] -= v[u + k * m + c] * s
        for c in range(q if k >= first else 0):
            x[far + c] -= v[g + k * q + c] * s
    for k in range(n):
        x[o + k] *= v[a + k * (k + 1) // 2 + k]


@kernel
def down_any(node, i, v, x):
    n = node[i, SIZE]
    m = node[i, UP_SIZE]
    q = node[i, FAR_COLUMNS] if node[i, FAR_ROWS] > 0 else 0
    first = n - node[i, FAR_ROWS]
    a = node[i, DIAGONAL]
    u = node[i, UP_BLOCK]
    g = node[i, FAR_BLOCK] - first * q
    o = node[i, PLACE]
    up = node[node[i, UP], PLACE] if m > 0 else 0
    far = node[node[i, FAR], PLACE] + node[node[i, FAR], SIZE] - q if q > 0 else 0
    for k in range(n - 1, -1, -1):
        s = x[o + k]
        for c in range(m):
            s -= v[u + k * m + c] * x[up + c]
        for c in range(q if k >= first else 0):
            s -= v[g + k * q + c] * x[far + c]
        for r in range(k + 1, n):
            s -= v[a + r * (r + 1) // 2 + k] * x[o + r]
        x[o + k] = s


# ---------------------------------------------------------------- flat loads and stores
@inline
def at3(v, o):
    return v[o], v[o + 1], v[o + 2]


@inline
def at6(v, o):
    return v[o], v[o + 1], v[o + 2], v[o + 3], v[o + 4], v[o + 5]


@inline
def at9(v, o):
    return v[o], v[o + 1], v[o + 2], v[o + 3], v[o + 4], v[o + 5], v[o + 6], v[o + 7], v[o + 8]


@inline
def at_rows(v, o, stride):
    """A 3x3 matrix whose rows are `stride` apart"""
    p = o + stride
    q = p + stride
    return v[o], v[o + 1], v[o + 2], v[p], v[p + 1], v[p + 2], v[q], v[q + 1], v[q + 2]


@inline
def put3(v, o, a):
    v[o] = a[0]
    v[o + 1] = a[1]
    v[o + 2] = a[2]


@inline
def put6(v, o, a):
    put3(v, o, (a[0], a[1], a[2]))
    put3(v, o + 3, (a[3], a[4], a[5]))


@inline
def put_rows(v, o, stride, m):
    put3(v, o, (m[0], m[1], m[2]))
    put3(v, o + stride, (m[3], m[4], m[5]))
    put3(v, o + 2 * stride, (m[6], m[7], m[8]))


@inline
def take3(v, o, a):
    """v -= a"""
    v[o] -= a[0]
    v[o + 1] -= a[1]
    v[o + 2] -= a[2]


@inline
def take_rows(v, o, stride, m):
    take3(v, o, (m[0], m[1], m[2]))
    take3(v, o + stride, (m[3], m[4], m[5]))
    take3(v, o + 2 * stride, (m[6], m[7], m[8]))


@inline
def take6(v, o, a):
    take3(v, o, (a[0], a[1], a[2]))
    take3(v, o + 3, (a[3], a[4], a[5]))


@inline
def take_angular(v, a, ww):
    """The lower right 3x3 of a packed 6x6"""
    v[a + 9] -= ww[0]
    v[a + 13] -= ww[1]
    v[a + 14] -= ww[2]
    v[a + 18] -= ww[3]
    v[a + 19] -= ww[4]
    v[a + 20] -= ww[5]


@inline
def take_six(v, a, vv, wv, ww):
    """The packed 6x6 at a less a block given in pieces"""
    take6(v, a, vv)
    take3(v, a + 6, (wv[0], wv[1], wv[2]))
    take3(v, a + 10, (wv[3], wv[4], wv[5]))
    take3(v, a + 15, (wv[6], wv[7], wv[8]))
    take_angular(v, a, ww)


# ---------------------------------------------------------------- products of 3x3 blocks
@inline
def product_t(a, b):
    """a^T b"""
    r0 = mul_t(b, (a[0], a[3], a[6]))
    r1 = mul_t(b, (a[1], a[4], a[7]))
    r2 = mul_t(b, (a[2], a[5], a[8]))
    return r0[0], r0[1], r0[2], r1[0], r1[1], r1[2], r2[0], r2[1], r2[2]


@inline
def square_t(a, b):
    """a^T b where it is symmetric, packed"""
    return (
        a[0] * b[0] + a[3] * b[3] + a[6] * b[6],
        a[1] * b[0] + a[4] * b[3] + a[7] * b[6],
        a[1] * b[1] + a[4] * b[4] + a[7] * b[7],
        a[2] * b[0] + a[5] * b[3] + a[8] * b[6],
        a[2] * b[1] + a[5] * b[4] + a[8] * b[7],
        a[2] * b[2] + a[5] * b[5] + a[8] * b[8],
    )


@inline
def rank_one(a, b):
    """a b^T"""
    return (
        a[0] * b[0], a[0] * b[1], a[0] * b[2], a[1] * b[0], a[1] * b[1], a[1] * b[2], a[2] * b[0], a[2] * b[1],
        a[2] * b[2],
    )  # fmt: skip


@inline
def plus6(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inline
def plus9(a, b):
    return (
        a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4],
        a[5] + b[5], a[6] + b[6], a[7] + b[7], a[8] + b[8],
    )  # fmt: skip


@inline
def less9(a, b):
    return (
        a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4],
        a[5] - b[5], a[6] - b[6], a[7] - b[7], a[8] - b[8],
    )  # fmt: skip


# ---------------------------------------------------------------- size 6: a 3x3 block, then three scalars
# A = [[vv, wv^T], [wv, ww]], X = wv vv^-1, ww - X wv^T = W d W^T. In the place of H_ii: vv^-1, X, and the six numbers
# 1/d0, w10, 1/d1, w20, w21, 1/d2. Springs stand in ww: there, only an elimination by scalars leaves on the next block
# what remains of a stiff spring, D - D (I + D)^-1 D, to the rounding of D; with an inverse the error is (D/I)^2 larger.
@inline
def factor_pair(v, a):
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
    """W^-1 y"""
    y1 = y[1] - w[1] * y[0]
    return y[0], y1, y[2] - w[3] * y[0] - w[4] * y1


@inline
def lower_t(w, y):
    """W^-T y"""
    y1 = y[1] - w[4] * y[2]
    return y[0] - w[1] * y1 - w[3] * y[2], y1, y[2]


@inline
def divided(w, y):
    """d^-1 y"""
    return w[0] * y[0], w[2] * y[1], w[5] * y[2]


@inline
def lower_rows(w, m):
    """W^-1 of a 3x3 matrix"""
    r3 = m[3] - w[1] * m[0]
    r4 = m[4] - w[1] * m[1]
    r5 = m[5] - w[1] * m[2]
    return (
        m[0], m[1], m[2], r3, r4, r5,
        m[6] - w[3] * m[0] - w[4] * r3, m[7] - w[3] * m[1] - w[4] * r4, m[8] - w[3] * m[2] - w[4] * r5,
    )  # fmt: skip


@inline
def divided_rows(w, m):
    """d^-1 of a 3x3 matrix"""
    return (
        w[0] * m[0], w[0] * m[1], w[0] * m[2], w[2] * m[3], w[2] * m[4], w[2] * m[5],
        w[5] * m[6], w[5] * m[7], w[5] * m[8],
    )  # fmt: skip


@inline
def factor_six(node, i, m, v):
    """A rigid body under m >= 3 rows: three columns of H_i,up at once, the others one by one"""
    up = node[i, UP]
    a = node[i, DIAGONAL] & PLACES
    u = node[i, UP_BLOCK] & PLACES
    pu = node[up, DIAGONAL] & PLACES
    vi, x, w = factor_pair(v, a)
    yv = at_rows(v, u, m)
    yw = lower_rows(w, less9(at_rows(v, u + 3 * m, m), mat_mul(x, yv)))
    gv = mat_mul(full(vi), yv)
    gw = divided_rows(w, yw)
    put_rows(v, u, m, gv)
    put_rows(v, u + 3 * m, m, gw)
    take6(v, pu, plus6(square_t(yv, gv), square_t(yw, gw)))
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
    if node[i, FAR_ROWS] > 0:
        # (angular, angular): its columns are zero where X and vv^-1 would act
        g = node[i, FAR_BLOCK] & PLACES
        pg = node[up, UP_BLOCK] & PLACES
        pf = node[node[i, FAR], DIAGONAL] & PLACES
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
    o = u + c
    return (v[o], v[o + m], v[o + 2 * m]), (v[o + 3 * m], v[o + 4 * m], v[o + 5 * m])


@inline
def up_six(node, i, m, v, x):
    a = node[i, DIAGONAL] & PLACES
    u = node[i, UP_BLOCK] & PLACES
    o = node[i, PLACE] & PLACES
    w = at6(v, a + 15)
    xv = at3(x, o)
    xw = lower(w, sub(at3(x, o + 3), mul(at9(v, a + 6), xv)))
    put3(x, o, sym_mul(at6(v, a), xv))
    put3(x, o + 3, divided(w, xw))
    up = node[node[i, UP], PLACE] & PLACES
    take3(x, up, add(mul_t(at_rows(v, u, m), xv), mul_t(at_rows(v, u + 3 * m, m), xw)))
    for c in range(3, m):
        gv, gw = column_at(v, u, m, c)
        x[up + c] -= dot(gv, xv) + dot(gw, xw)
    if node[i, FAR_ROWS] > 0:
        far = node[node[i, FAR], PLACE] & PLACES
        take3(x, far + 3, mul_t(at9(v, node[i, FAR_BLOCK] & PLACES), xw))


@inline
def down_six(node, i, m, v, x):
    a = node[i, DIAGONAL] & PLACES
    u = node[i, UP_BLOCK] & PLACES
    o = node[i, PLACE] & PLACES
    up = node[node[i, UP], PLACE] & PLACES
    t = at3(x, up)
    xv = sub(at3(x, o), mul(at_rows(v, u, m), t))
    xw = sub(at3(x, o + 3), mul(at_rows(v, u + 3 * m, m), t))
    for c in range(3, m):
        gv, gw = column_at(v, u, m, c)
        s = x[up + c]
        xv = add_scaled(xv, -s, gv)
        xw = add_scaled(xw, -s, gw)
    if node[i, FAR_ROWS] > 0:
        far = node[node[i, FAR], PLACE] & PLACES
        xw = sub(xw, mul(at9(v, node[i, FAR_BLOCK] & PLACES), at3(x, far + 3)))
    xw = lower_t(at6(v, a + 15), xw)
    put3(x, o, sub(xv, mul_t(at9(v, a + 6), xw)))
    put3(x, o + 3, xw)


# ---------------------------------------------------------------- three to six rows above a rigid body
# D = [[S11, 0], [0, d]]: the first three rows as a block, the others as scalars. In the place of H_ii, by rows of its
# triangle: S11^-1; then of each further row Z = S21 S11^-1, L and 1/d.
@inline
def factor_rows(node, i, n, v):
    a = node[i, DIAGONAL] & PLACES
    u = node[i, UP_BLOCK] & PLACES
    pu = node[node[i, UP], DIAGONAL] & PLACES
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
        vv = plus6(vv, outer(inverse, bv))
        wv = plus9(wv, rank_one(gw, bv))
        ww = plus6(ww, outer(inverse, bw))
    put6(v, a, si)
    put_rows(v, u, 6, ga)
    put_rows(v, u + 3, 6, gb)
    take_six(v, pu, vv, wv, ww)


@inline
def up_rows(node, i, n, v, x):
    a = node[i, DIAGONAL] & PLACES
    u = node[i, UP_BLOCK] & PLACES
    o = node[i, PLACE] & PLACES
    up = node[node[i, UP], PLACE] & PLACES
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
    a = node[i, DIAGONAL] & PLACES
    u = node[i, UP_BLOCK] & PLACES
    o = node[i, PLACE] & PLACES
    up = node[node[i, UP], PLACE] & PLACES
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
