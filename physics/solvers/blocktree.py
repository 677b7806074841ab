"""A symmetric matrix of blocks whose nodes form trees: H = L D L^T without fill-in [Baraff96, app. A].

In the order leaves to roots a node's parent (`up`) comes after it, and

    sparsefactor   for i in order:  H_ii = L_i D_i L_i^T;   U_i = D_i^-1 L_i^-1 H_i,up;   H_up,up -= U_i^T D_i U_i
    sparsesolve    up the trees:    x_i = L_i^-1 x_i;  x_up -= U_i^T x_i;  x_i = D_i^-1 x_i
                   down:            x_i = L_i^-T (x_i - U_i x_up)

The paper keeps H_ii^-1 H_i,up. Here H_ii is factored further, into scalars or 3x3 blocks, so that the whole is one
LDL^T. Each H_ii must be definite, of either sign, when it is eliminated: there is no pivoting.

A node may also have a block with its grandparent (`far`) [Hernandez11, section 4]. Its elimination then updates
H_up,far, which exists anyway, and H_far,far: still no fill-in.

The file does not depend on bodies. Dimensions are known at run time only, and may be any. For the most frequent ones (6
for a rigid body, 3 to 6 rows) there are special kernels (`blocktree_rigid`), which are three to four times as fast.
"""

from typing import Any

from physics.compiler.jit import inline, kernel
from physics.solvers.blocktree_nodes import Node, Shape, method_of
from physics.solvers.blocktree_rigid import down_rows, down_six, factor_rows, factor_six, up_rows, up_six


# ---------------------------------------------------------------- any dimension
# L^-1 leaves zero rows at the top of H_i,far zero: its lowest FAR_ROWS rows are all there ever is.
@inline
def blocks_of(node, i):
    """Return (n, m, q, first, a, u, g). n is the dimension of node i, m that of its parent, and q the number of columns
    of its block with the grandparent, 0 if it has none. `first` is the first row of that block. a, u and g are the
    places of H_ii, H_i,up and H_i,far in the values; g counts from row 0, which H_i,far may lack."""
    n = node[i, Node.SIZE]
    q = node[i, Node.FAR_COLUMNS] if node[i, Node.FAR_ROWS] > 0 else 0
    first = n - node[i, Node.FAR_ROWS]
    g = node[i, Node.FAR_BLOCK] - first * q
    return n, node[i, Node.UP_SIZE], q, first, node[i, Node.DIAGONAL], node[i, Node.UP_BLOCK], g


@inline
def unknowns_of(node, i, m, q):
    """Return the places in the right-hand side of the unknowns of node i, of those of its parent, and of the last q of
    its grandparent."""
    up = node[node[i, Node.UP], Node.PLACE] if m > 0 else 0
    far = node[node[i, Node.FAR], Node.PLACE] + node[node[i, Node.FAR], Node.SIZE] - q if q > 0 else 0
    return node[i, Node.PLACE], up, far


@kernel
def factor_any(node, i, v):
    """Factor node i of any dimension in the values v. Row by row, the row of [H_ii | H_i,up | H_i,far] with pivot s
    updates all remaining entries by -row^T row / s."""
    n, m, q, first, a, u, g = blocks_of(node, i)
    pu = node[node[i, Node.UP], Node.DIAGONAL] if m > 0 else 0
    stride = node[node[i, Node.UP], Node.UP_SIZE] if q > 0 else 0
    skip = stride - q
    pg = node[node[i, Node.UP], Node.UP_BLOCK] + skip if q > 0 else 0
    pf = node[node[i, Node.FAR], Node.DIAGONAL] if q > 0 else 0
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
    """Make the step of sparsesolve at node i, of any dimension, on the way up the trees: change x of the node, its
    parent and its grandparent."""
    n, m, q, first, a, u, g = blocks_of(node, i)
    o, up, far = unknowns_of(node, i, m, q)
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
    """Make the step of sparsesolve at node i, of any dimension, on the way down the trees: change x of the node."""
    n, m, q, first, a, u, g = blocks_of(node, i)
    o, up, far = unknowns_of(node, i, m, q)
    for k in range(n - 1, -1, -1):
        s = x[o + k]
        for c in range(m):
            s -= v[u + k * m + c] * x[up + c]
        for c in range(q if k >= first else 0):
            s -= v[g + k * q + c] * x[far + c]
        for r in range(k + 1, n):
            s -= v[a + r * (r + 1) // 2 + k] * x[o + r]
        x[o + k] = s


# ---------------------------------------------------------------- the whole tree
def by_method(of_six: Any, of_rows: Any, of_any: Any) -> Any:
    """Return the kernel (node, i, *values) that makes one step at node i: by `of_six` at a rigid body, by `of_rows` at
    rows above a rigid body, by `of_any` at other nodes. `values` are the arrays that the step reads and changes."""

    @inline
    def step(node, i, *values):
        method = method_of(node, i)
        if method == Shape.SIX_THREE:
            of_six(node, i, 3, *values)
        elif method == Shape.THREE_SIX:
            of_rows(node, i, 3, *values)
        elif method == Shape.SIX_FIVE:
            of_six(node, i, 5, *values)
        elif method == Shape.FIVE_SIX:
            of_rows(node, i, 5, *values)
        elif method == Shape.SIX:
            of_six(node, i, node[i, Node.UP_SIZE], *values)
        elif method == Shape.ROWS_SIX:
            of_rows(node, i, node[i, Node.SIZE], *values)
        else:
            of_any(node, i, *values)

    return step


factor_node = by_method(factor_six, factor_rows, factor_any)
go_up = by_method(up_six, up_rows, up_any)
go_down = by_method(down_six, down_rows, down_any)


@kernel
def factor_tree(node, v):
    """Replace H in the values v by its factor (sparsefactor). `node` is the table of nodes."""
    for i in range(node.shape[0]):
        factor_node(node, i, v)


@kernel
def solve_tree(node, v, x):
    """Replace the right-hand side x by the solution (sparsesolve), with the factor v."""
    for i in range(node.shape[0]):
        go_up(node, i, v, x)
    for i in range(node.shape[0] - 1, -1, -1):
        go_down(node, i, v, x)
