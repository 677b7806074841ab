"""What the modes in maximal coordinates (`lagrange`, `dense`, `cg`) share: constraint rows as Jacobians of two bodies,
and joint springs as forces on two bodies instead of terms in the joint's subspace.

A twist t = (tv, tw) at the anchor acts on a body's velocity (v, w) as (tv, tw + r x tv), r the lever to the anchor:

    J_child = T^T X(rc),   J_parent = -T^T X(rp),   q = M^T (X(rc) u_child - X(rp) u_parent - b)

M is dual to the motion axes, M^T N = 1, so that q are the rates along N even where axes are not at right angles (an
open universal joint). The spring acts with the wrench M (d - D q), whose part along the axes is d - D q.

`dense` and `cg` solve for multipliers. With D = G^T G a joint's spring becomes compliant rows t = M G^T, as many as D
has rank, with multipliers s = -G q. D may be singular and is never inverted:

    (J A^-1 J^T + E) [l; s] = [T; t]^T b - J A^-1 (f + M d),   E = 1 for compliant rows, 0 for constraints

`fused` and `lagrange` use such rows at edges with a body that is not rigid: `put_spring_rows` writes them after the
constraint's own. J has the columns of Work.velocity, and A^-1 in `dense` and `cg` stands for B (B^T A B)^-1 B^T
(physics/bodies/coordinates.py).
"""

import math
from typing import NamedTuple

import numpy as np

from physics.bodies import coordinates
from physics.bodies.coordinates import load_rates, on_scales
from physics.compiler.jit import inline, kernel
from physics.compiler.pack import packed
from physics.data.model import Floats, Ints, Model
from physics.data.model_tables import BodyKind, Path, Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import ConstraintRows, Edges, Rows as RowsTable, Stretch
from physics.maths.inverse import definite_inverse
from physics.maths.small import ldl_backward, ldl_factor, ldl_forward
from physics.maths.vec import (
    ZERO3, ZERO6, ZERO9, add, add_scaled, add_to3, block_mul, cross, dot, full, load3, load_block, mat_mul,
    mat_negative, mul, mul_t, negative, outer, scale, store3, store_block, sub, sym_add, sym_mul, transpose,
)  # fmt: skip

# Of its trace: what is left of D below this is rounding.
RANK_TOLERANCE = 1e-15


def count_spring_axes(path: int, dofs: int) -> int:
    """Return the number of motion axes that may have a spring, for a `Path` and its degrees of freedom. It is the
    number of entries of d in use, and 0 for paths without a D."""
    return {Path.BALL: 3, Path.HINGE: 1, Path.AXES: dofs}.get(path, 0)


@inline
def spring_axes(path, dofs):
    """Return the number of motion axes that may have a spring, as `count_spring_axes` does, inside kernels."""
    if path == Path.BALL:
        return 3
    if path == Path.HINGE:
        return 1
    if path == Path.AXES:
        return dofs
    return 0


@inline
def is_stiff(i, path, axes, row):
    """Return whether D of edge i is not zero; `row` is Work.row."""
    if path == Path.BALL:
        return not (
            row[i, RowsTable.STIFF_BLOCK] == 0.0
            and row[i, RowsTable.STIFF_BLOCK + 2] == 0.0
            and row[i, RowsTable.STIFF_BLOCK + 5] == 0.0
        )
    return (
        (axes > 0 and row[i, RowsTable.STIFF_BLOCK] != 0.0)
        or (axes > 1 and row[i, RowsTable.STIFF_BLOCK + 1] != 0.0)
        or (axes > 2 and row[i, RowsTable.STIFF_BLOCK + 2] != 0.0)
    )


@inline
def is_slack(i, row):
    """Return whether d of edge i is zero; `row` is Work.row."""
    return row[i, RowsTable.PUSH] == 0.0 and row[i, RowsTable.PUSH + 1] == 0.0 and row[i, RowsTable.PUSH + 2] == 0.0


@inline
def stiffness_of_ball(i, row):
    """Return D of ball joint i, packed 3x3."""
    return (
        row[i, RowsTable.STIFF_BLOCK], row[i, RowsTable.STIFF_BLOCK + 1], row[i, RowsTable.STIFF_BLOCK + 2],
        row[i, RowsTable.STIFF_BLOCK + 3], row[i, RowsTable.STIFF_BLOCK + 4], row[i, RowsTable.STIFF_BLOCK + 5],
    )  # fmt: skip


@inline
def row_on_body(tv, tw, r):
    """Return the angular part tw + r x tv of a row on a body whose anchor is at the lever r; the linear part is tv."""
    return add(tw, cross(r, tv))


@inline
def axis_at(i, c, edge):
    """Return motion axis c of edge i as a twist (v, w) at the anchor."""
    return load3(edge, i, Edges.AXIS + 6 * c), load3(edge, i, Edges.AXIS + 6 * c + 3)


@inline
def unit(c):
    """Return unit vector c of three, zero for other c."""
    return 1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0


@inline
def gram_inverse(i, axes, edge):
    """Return (N^T N)^-1 of edge i, packed 3x3, for two or three axes. A missing third axis counts as a unit axis at
    right angles to the others."""
    v0, w0 = axis_at(i, 0, edge)
    v1, w1 = axis_at(i, 1, edge)
    g20 = g21 = 0.0
    g22 = 1.0
    if axes > 2:
        v2, w2 = axis_at(i, 2, edge)
        g20 = dot(v0, v2) + dot(w0, w2)
        g21 = dot(v1, v2) + dot(w1, w2)
        g22 = dot(v2, v2) + dot(w2, w2)
    g = (dot(v0, v0) + dot(w0, w0), dot(v0, v1) + dot(w0, w1), dot(v1, v1) + dot(w1, w1), g20, g21, g22)
    return definite_inverse(g)


@inline
def dual_axis(i, path, axes, c, edge):
    """Return column c of M = N (N^T N)^-1 of edge i as a twist (v, w) at the anchor."""
    if path == Path.BALL:
        return ZERO3, unit(c)
    if path == Path.HINGE:
        return axis_at(i, 0, edge)
    if axes == 1:
        # of a screw it has both parts, and is no unit vector
        nv, nw = axis_at(i, 0, edge)
        x = 1.0 / (dot(nv, nv) + dot(nw, nw))
        return scale(x, nv), scale(x, nw)
    e = sym_mul(gram_inverse(i, axes, edge), unit(c))
    mv = ZERO3
    mw = ZERO3
    for k in range(axes):
        x = e[0] if k == 0 else e[1] if k == 1 else e[2]
        nv, nw = axis_at(i, k, edge)
        mv = add_scaled(mv, x, nv)
        mw = add_scaled(mw, x, nw)
    return mv, mw


@inline
def is_angular(i, path, axes, edge):
    """Return whether joint i only rotates."""
    if path == Path.BALL or path == Path.HINGE:
        return True
    for c in range(axes):
        v, _ = axis_at(i, c, edge)
        if v[0] != 0.0 or v[1] != 0.0 or v[2] != 0.0:
            return False
    return True


@inline
def angular_stiffness(i, path, axes, edge, row):
    """Return D of joint i, which only rotates, as a packed 3x3 block that acts on the relative angular velocity. `path`
    is its `Path`, and `axes` the number of its spring axes."""
    if path == Path.BALL:
        return stiffness_of_ball(i, row)
    d = ZERO6
    for c in range(axes):
        _, mw = dual_axis(i, path, axes, c, edge)
        d = sym_add(d, outer(row[i, RowsTable.STIFF_BLOCK + c], mw))
    return d


@inline
def rest_wrench(i, path, axes, stiff, edge, row):
    """Return the wrench M d of the spring of edge i at its anchor; with `stiff`, M (d + D M^T b), the wrench while both
    bodies are at rest."""
    if path == Path.BALL:
        d = load3(row, i, RowsTable.PUSH)
        if stiff:
            d = add(d, sym_mul(stiffness_of_ball(i, row), load3(row, i, RowsTable.RIGHT_HAND_SIDE + 3)))
        return ZERO3, d
    fv = ZERO3
    fw = ZERO3
    for c in range(axes):
        mv, mw = dual_axis(i, path, axes, c, edge)
        x = row[i, RowsTable.PUSH + c]
        if stiff:
            x += row[i, RowsTable.STIFF_BLOCK + c] * (
                dot(mv, load3(row, i, RowsTable.RIGHT_HAND_SIDE))
                + dot(mw, load3(row, i, RowsTable.RIGHT_HAND_SIDE + 3))
            )
        fv = add_scaled(fv, x, mv)
        fw = add_scaled(fw, x, mw)
    return fv, fw


@inline
def add_pair(c, p, e, fv, fw, edge, stretch, force):
    """Add the wrench (fv, fw) at the anchor of edge e to `force`: on the child c, and its opposite on the parent p."""
    add_to3(force, c, 0, fv)
    add_to3(force, c, 3, row_on_body(fv, fw, load3(edge, e, Edges.RC)))
    if p >= 0:
        add_to3(force, p, 0, negative(fv))
        add_to3(force, p, 3, negative(row_on_body(fv, fw, load3(edge, e, Edges.RP))))
    if force.shape[1] > PoseColumn.RATES:
        add_to3(force, c, PoseColumn.RATES, on_scales(stretch, e, Stretch.CHILD, fv))
        if p >= 0:
            add_to3(force, p, PoseColumn.RATES, negative(on_scales(stretch, e, Stretch.PARENT, fv)))


@inline
def relative_twist(i, p, edge, row, velocity):
    """Return y_child - y_parent - b of edge i at the anchor."""
    w = load3(velocity, i, 3)
    v = sub(add(load3(velocity, i, 0), cross(w, load3(edge, i, Edges.RC))), load3(row, i, RowsTable.RIGHT_HAND_SIDE))
    w = sub(w, load3(row, i, RowsTable.RIGHT_HAND_SIDE + 3))
    if p >= 0:
        wp = load3(velocity, p, 3)
        v = sub(v, add(load3(velocity, p, 0), cross(wp, load3(edge, i, Edges.RP))))
        w = sub(w, wp)
    return v, w


@inline
def spring_wrench(i, p, path, axes, edge, row, velocity):
    """Return the wrench M (d - D q) of the spring of edge i at the solution `velocity`."""
    v, w = relative_twist(i, p, edge, row, velocity)
    if path == Path.BALL:
        return ZERO3, sub(load3(row, i, RowsTable.PUSH), sym_mul(stiffness_of_ball(i, row), w))
    fv = ZERO3
    fw = ZERO3
    for c in range(axes):
        mv, mw = dual_axis(i, path, axes, c, edge)
        x = row[i, RowsTable.PUSH + c] - row[i, RowsTable.STIFF_BLOCK + c] * (dot(mv, v) + dot(mw, w))
        fv = add_scaled(fv, x, mv)
        fw = add_scaled(fw, x, mw)
    return fv, fw


# ---------------------------------------------------------------- springs as rows after those of the constraint
def count_rows(topology: Ints, i: int) -> int:
    """Return the largest number of rows of edge i, including those of its springs. It is at most six, because rows and
    axes share six directions."""
    return int(topology[i, Topology.ROWS]) + count_spring_axes(
        int(topology[i, Topology.PATH]), int(topology[i, Topology.DOFS])
    )


@inline
def rows_with_springs(topology, i):
    """Return the largest number of rows of edge i, including those of its springs, inside kernels."""
    return topology[i, Topology.ROWS] + spring_axes(topology[i, Topology.PATH], topology[i, Topology.DOFS])


@kernel
def put_spring_rows(topology, i, edge, row, rows):
    """Write the compliant rows of edge i to `rows` (Work.rows) after its constraint rows. Rows beyond the rank of D are
    zero and get no multiplier."""
    path = topology[i, Topology.PATH]
    axes = spring_axes(path, topology[i, Topology.DOFS])
    first = topology[i, Topology.ROWS]
    d = stiffness_of_ball(i, row)
    least = RANK_TOLERANCE * (d[0] + d[2] + d[5])
    for c in range(axes):
        tv = ZERO3
        tw = ZERO3
        if path == Path.BALL:
            if max(d[0], max(d[2], d[5])) > least:
                tw, d = next_spring_row(d)
        elif row[i, RowsTable.STIFF_BLOCK + c] > 0.0:
            tv, tw = dual_axis(i, path, axes, c, edge)
            g = math.sqrt(row[i, RowsTable.STIFF_BLOCK + c])
            tv = scale(g, tv)
            tw = scale(g, tw)
        store3(rows, i, 6 * (first + c), tv)
        store3(rows, i, 6 * (first + c) + 3, tw)


@inline
def add_push(topology, i, edge, row, stretch, force):
    """Add M d of the spring of edge i to `force`, on its two bodies."""
    path = topology[i, Topology.PATH]
    axes = spring_axes(path, topology[i, Topology.DOFS])
    if axes > 0 and not is_slack(i, row):
        fv, fw = rest_wrench(i, path, axes, False, edge, row)
        add_pair(i, topology[i, Topology.PARENT], i, fv, fw, edge, stretch, force)


@inline
def push_wrench(topology, i, edge, row):
    """Return the wrench (force, moment) at the anchor that the impulse d of the spring of edge i causes: M d, with the
    dual motion axes M."""
    path = topology[i, Topology.PATH]
    axes = spring_axes(path, topology[i, Topology.DOFS])
    fv = ZERO3
    fw = ZERO3
    if axes > 0 and not is_slack(i, row):
        fv, fw = rest_wrench(i, path, axes, False, edge, row)
    return fv, fw


# ---------------------------------------------------------------- all rows of a figure, for multipliers alone
@packed
class Rows(NamedTuple):
    """Constraint rows and compliant rows of all edges, edge after edge."""

    start: Ints  # (n + 1,) first row of each edge
    twist: Floats  # (rows, 6) at the anchor
    child: Floats  # (rows, stride) J of the child
    parent: Floats  # (rows, stride) J of the parent, zero for the world
    soft: Floats  # (rows,) E
    inverse: Floats  # (n, stride (stride + 1) / 2) A^-1 of each body, packed like A
    own: Floats  # (90,) a block in a body's own coordinates and a vector, while it is inverted
    wide: Floats  # (1, 9) a column of the inverse


def make_rows(model: Model) -> Rows:
    """Return Rows with space for all rows that the model may have."""
    t = model.topology
    springs = sum(count_spring_axes(int(path), int(dofs)) for path, dofs in t[:, [Topology.PATH, Topology.DOFS]])
    count = int(t[:, Topology.ROWS].sum()) + springs
    n = len(t)
    stride = stride_of(model)
    return Rows(
        np.zeros(n + 1, np.int64), np.zeros((count, 6)), np.zeros((count, stride)), np.zeros((count, stride)),
        np.zeros(count), np.zeros((n, stride * (stride + 1) // 2)), np.zeros(90), np.zeros((1, 9)),
    )  # fmt: skip


def stride_of(model: Model) -> int:
    """Return the number of columns of velocities: 9 in scenes with a scaled body, else 6."""
    return 9 if model.material.shape[1] > 1 else 6


@kernel
def fill_rows(m, block, edge, row, constraints, stretch, rows):
    """Write J, E and A^-1 of all edges and bodies to `rows`, for a new factor."""
    at = 0
    topology = m.topology
    for i in range(topology.shape[0]):
        kind = topology[i, Topology.BODY_KIND]
        if kind == BodyKind.RIGID or kind == BodyKind.PARTICLE:
            invert_block(kind == BodyKind.RIGID, i, block, rows.inverse)
        else:
            invert_own(m, i, block, rows)
        rows.start[i] = at
        for k in range(topology[i, Topology.ROWS]):
            tv = load3(constraints, i, 6 * k)
            put_row(topology, i, tv, load3(constraints, i, 6 * k + 3), 0.0, edge, stretch, rows, at)
            if topology[i, Topology.OWN_ROWS] != 0:
                own_row(topology, i, k, constraints, rows, at)
            at += 1
        path = topology[i, Topology.PATH]
        axes = spring_axes(path, topology[i, Topology.DOFS])
        if path == Path.BALL:
            at = put_ball_springs(topology, i, edge, row, stretch, rows, at)
        else:
            for c in range(axes):
                d = row[i, RowsTable.STIFF_BLOCK + c]
                if d > 0.0:
                    mv, mw = dual_axis(i, path, axes, c, edge)
                    g = math.sqrt(d)
                    put_row(topology, i, scale(g, mv), scale(g, mw), 1.0, edge, stretch, rows, at)
                    at += 1
    rows.start[topology.shape[0]] = at


@kernel
def put_ball_springs(topology, i, edge, row, stretch, rows, at):
    """Write the vectors g of D = sum of g g^T (Cholesky with pivoting) as rows of ball joint i from `at` on. Return the
    first free row."""
    d = stiffness_of_ball(i, row)
    least = RANK_TOLERANCE * (d[0] + d[2] + d[5])
    for _ in range(3):
        if not max(d[0], max(d[2], d[5])) > least:
            break
        g, d = next_spring_row(d)
        put_row(topology, i, ZERO3, g, 1.0, edge, stretch, rows, at)
        at += 1
    return at


@inline
def next_spring_row(d):
    """Return (g, D - g g^T), one step of the pivoted Cholesky factor of the packed 3x3 matrix d."""
    pivot = max(d[0], max(d[2], d[5]))
    s = 1.0 / math.sqrt(pivot)
    if pivot == d[0]:
        g = scale(s, (d[0], d[1], d[3]))
    elif pivot == d[2]:
        g = scale(s, (d[1], d[2], d[4]))
    else:
        g = scale(s, (d[3], d[4], d[5]))
    return g, sym_add(d, outer(-1.0, g))


@inline
def put_row(topology, i, tv, tw, soft, edge, stretch, rows, at):
    """Write the twist (tv, tw) at the anchor of edge i as row `at` on its two bodies; `soft` is its compliance."""
    p = topology[i, Topology.PARENT]
    store3(rows.twist, at, 0, tv)
    store3(rows.twist, at, 3, tw)
    store3(rows.child, at, 0, tv)
    store3(
        rows.child,
        at,
        3,
        row_on_body(tv, tw, load3(edge, i, Edges.RC))
        if topology[i, Topology.BODY_KIND] != BodyKind.PARTICLE
        else ZERO3,
    )
    store3(rows.parent, at, 0, negative(tv) if p >= 0 else ZERO3)
    turns = p >= 0 and topology[p, Topology.BODY_KIND] != BodyKind.PARTICLE
    store3(rows.parent, at, 3, negative(row_on_body(tv, tw, load3(edge, i, Edges.RP))) if turns else ZERO3)
    if rows.child.shape[1] > PoseColumn.RATES:
        store3(rows.child, at, PoseColumn.RATES, on_scales(stretch, i, Stretch.CHILD, tv))
        store3(rows.parent, at, PoseColumn.RATES, negative(on_scales(stretch, i, Stretch.PARENT, tv)))
    rows.soft[at] = soft


@kernel
def own_row(topology, i, k, constraints, rows, at):
    """Replace the Jacobians in row `at`, which follow from a twist, by the given Jacobians of row k of edge i."""
    p = topology[i, Topology.PARENT]
    for c in range(6):
        turns = c < 3 or topology[i, Topology.BODY_KIND] != BodyKind.PARTICLE
        rows.child[at, c] = constraints[i, ConstraintRows.CHILD_ROWS + 6 * k + c] if turns else 0.0
        turns = p >= 0 and (c < 3 or topology[p, Topology.BODY_KIND] != BodyKind.PARTICLE)
        rows.parent[at, c] = constraints[i, ConstraintRows.PARENT_ROWS + 6 * k + c] if turns else 0.0
    for c in range(PoseColumn.RATES, rows.child.shape[1]):
        rows.child[at, c] = 0.0
        rows.parent[at, c] = 0.0


@inline
def invert_block(rigid, i, block, inverse):
    """Write A^-1 of body i to `inverse` by two 3x3 blocks: X = wv vv^-1, S = ww - X wv^T, A^-1 = [[vv^-1 + X^T S^-1 X,
    .], [-S^-1 X, S^-1]]."""
    vv, wv, ww = load_block(block, i, 0)
    vi = definite_inverse(vv)
    if not rigid:
        store_block(inverse, i, 0, vi, ZERO9, ZERO6)
        return
    x = mat_mul(wv, full(vi))
    s = mat_mul(x, transpose(wv))
    si = definite_inverse((ww[0] - s[0], ww[1] - s[3], ww[2] - s[4], ww[3] - s[6], ww[4] - s[7], ww[5] - s[8]))
    y = mat_mul(full(si), x)
    z = mat_mul(transpose(x), y)
    store_block(inverse, i, 0, sym_add(vi, (z[0], z[3], z[4], z[6], z[7], z[8])), mat_negative(y), si)


@kernel
def invert_own(m, i, block, rows):
    """Write B (B^T A B)^-1 B^T of body i to rows.inverse, a column at a time."""
    t = m.topology
    n = t[i, Topology.DIM]
    a = rows.own
    coordinates.own_block(t, m.form, i, block, True, 0, a)
    ldl_factor(a, 0, n)
    for c in range(coordinates.width(t, i)):
        v = unit(c)
        w = unit(c - 3)
        s = unit(c - 6)
        coordinates.put_own(t, m.form, i, v, w, s, a, 81)
        ldl_forward(a, 0, n, a, 81)
        for k in range(n):
            a[81 + k] /= a[k * n + k]
        ldl_backward(a, 0, n, a, 81)
        coordinates.store_wide(t, m.form, i, a, 81, rows.wide, 0)
        for r in range(c, coordinates.width(t, i)):
            rows.inverse[i, r * (r + 1) // 2 + c] = rows.wide[0, r]


@inline
def inverse_times(topology, i, inverse, v, w, s):
    """Return A^-1 of body i times the vector (v, w, s) with the part s of scales."""
    vv, wv, ww = load_block(inverse, i, 0)
    av, aw = block_mul(vv, wv, ww, v, w)
    if not coordinates.is_scaled(topology, i):
        return av, aw, ZERO3
    return scaled_times(i, inverse, v, w, s, av, aw)


@kernel
def scaled_times(i, inverse, v, w, s, av, aw):
    """Return A^-1 times (v, w, s) for a scaled body i; av and aw are the product with the first six rows and
    columns."""
    sv = (
        inverse[i, 21], inverse[i, 22], inverse[i, 23], inverse[i, 28], inverse[i, 29], inverse[i, 30],
        inverse[i, 36], inverse[i, 37], inverse[i, 38],
    )  # fmt: skip
    sw = (
        inverse[i, 24], inverse[i, 25], inverse[i, 26], inverse[i, 31], inverse[i, 32], inverse[i, 33],
        inverse[i, 39], inverse[i, 40], inverse[i, 41],
    )  # fmt: skip
    ss = (inverse[i, 27], inverse[i, 34], inverse[i, 35], inverse[i, 42], inverse[i, 43], inverse[i, 44])
    own = add(add(mul(sv, v), mul(sw, w)), sym_mul(ss, s))
    return add(av, mul_t(sv, s)), add(aw, mul_t(sw, s)), own


@inline
def dot_row(a, i, b, k):
    """Return the inner product of row i of a and row k of b."""
    x = (
        a[i, 0] * b[k, 0] + a[i, 1] * b[k, 1] + a[i, 2] * b[k, 2]
        + a[i, 3] * b[k, 3] + a[i, 4] * b[k, 4] + a[i, 5] * b[k, 5]
    )  # fmt: skip
    if a.shape[1] > PoseColumn.RATES:
        x += a[i, 6] * b[k, 6] + a[i, 7] * b[k, 7] + a[i, 8] * b[k, 8]
    return x


@inline
def add_row(x, a, i, b, k):
    """Add x times row i of a to row k of b."""
    for c in range(6):
        b[k, c] += x * a[i, c]
    for c in range(6, a.shape[1]):
        b[k, c] += x * a[i, c]


@kernel
def divide_by_masses(topology, rows, force, out):
    """Write A^-1 f of all bodies to `out`, f in `force`."""
    for i in range(topology.shape[0]):
        w = load3(force, i, 3) if topology[i, Topology.BODY_KIND] != BodyKind.PARTICLE else ZERO3
        v, w, s = inverse_times(topology, i, rows.inverse, load3(force, i, 0), w, load_rates(force, i))
        store3(out, i, 0, v)
        store3(out, i, 3, w)
        if out.shape[1] > PoseColumn.RATES:
            store3(out, i, PoseColumn.RATES, s)


@kernel
def add_transposed(topology, rows, x, force):
    """Add J^T x to `force`."""
    for i in range(topology.shape[0]):
        p = topology[i, Topology.PARENT]
        for k in range(rows.start[i], rows.start[i + 1]):
            add_row(x[k], rows.child, k, force, i)
            if p >= 0:
                add_row(x[k], rows.parent, k, force, p)


@inline
def row_rate(k, i, p, rows, velocity):
    """Return J v of row k, between body i and its parent p."""
    s = dot_row(rows.child, k, velocity, i)
    if p >= 0:
        s += dot_row(rows.parent, k, velocity, p)
    return s


@kernel
def fill_right_side(topology, w, rows, out):
    """Write the right-hand side of the multipliers, [T; t]^T b - J A^-1 (f + M d), to `out` (rows,). Add M d to
    Work.force, and write A^-1 (f + M d) to Work.velocity."""
    for i in range(topology.shape[0]):
        add_push(topology, i, w.edge, w.row, w.stretch, w.force)
    divide_by_masses(topology, rows, w.force, w.velocity)
    for i in range(topology.shape[0]):
        p = topology[i, Topology.PARENT]
        bv = load3(w.row, i, RowsTable.RIGHT_HAND_SIDE)
        bw = load3(w.row, i, RowsTable.RIGHT_HAND_SIDE + 3)
        for k in range(rows.start[i], rows.start[i + 1]):
            b = dot(load3(rows.twist, k, 0), bv) + dot(load3(rows.twist, k, 3), bw)
            out[k] = b - row_rate(k, i, p, rows, w.velocity)


@kernel
def fill_answer(topology, w, rows, x, with_wrenches):
    """Write Work.velocity = A^-1 (f + J^T x) for the multipliers x (rows,), and with `with_wrenches` Work.wrench. Add
    J^T x to Work.force."""
    add_transposed(topology, rows, x, w.force)
    divide_by_masses(topology, rows, w.force, w.velocity)
    if with_wrenches:
        fill_wrenches(topology, w.edge, w.row, rows, x, w.wrench)


@kernel
def fill_wrenches(topology, edge, row, rows, x, wrench):
    """Write the wrench of every edge, M d plus the sum of t x over its rows, to `wrench`."""
    for i in range(topology.shape[0]):
        fv, fw = push_wrench(topology, i, edge, row)
        for k in range(rows.start[i], rows.start[i + 1]):
            fv = add_scaled(fv, x[k], load3(rows.twist, k, 0))
            fw = add_scaled(fw, x[k], load3(rows.twist, k, 3))
        store3(wrench, i, 0, fv)
        store3(wrench, i, 3, fw)
