"""`dense`: one dense system for all multipliers, by Cholesky. O(n^3). Tests compare the other modes with this one.

    (J A^-1 J^T + E) l = g - J A^-1 f,      v = A^-1 (f + J^T l)                 [Baraff96, section 5]

Joint springs are compliant rows (E = 1, see `compliant`). The matrix has entries between rows of two edges that share a
body. The factor is LAPACK's.
"""

from typing import NamedTuple

import numpy as np

from physics.bodies.coordinates import load_rates
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.lapack import cholesky
from physics.compiler.pack import packed
from physics.data.model import Floats, Ints, Model
from physics.data.model_tables import Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, Request
from physics.definitions.checks import DefinitionError
from physics.maths.vec import load3, store3
from physics.solvers import compliant

# A matrix of 0.8 GB: beyond it, a single factor would take half a minute.
MOST_ROWS = 10_000


@packed
class DenseSpace(NamedTuple):
    """Workspace of the mode `dense`."""

    rows: compliant.Rows
    sibling: Ints  # (n,) the edge before this one with the same parent, -1 for none
    reach: Floats  # (rows, 2 stride) A^-1 J^T: of the child, of the parent
    matrix: Floats  # lower triangle by rows, then its factor
    vector: Floats  # (rows,)
    status: Ints  # (1,) 0, or which leading minor is not positive


def make_space(model: Model) -> DenseSpace:
    """Return the workspace of the mode `dense` for this model, or refuse a model of more than MOST_ROWS rows."""
    rows = compliant.make_rows(model)
    count = len(rows.soft)
    if count > MOST_ROWS:
        raise DefinitionError(
            "solver", "dense", f"a figure of at most {MOST_ROWS} rows, this one has {count}; take 'fused' or 'lagrange'"
        )
    n = len(model.topology)
    sibling = np.full(n, -1, np.int64)
    last: dict[int, int] = {}
    for i, p in enumerate(model.topology[:, Topology.PARENT].tolist()):
        if p >= 0:
            sibling[i] = last.get(p, -1)
            last[p] = i
    return DenseSpace(
        rows, sibling, np.zeros((count, 2 * rows.child.shape[1])), np.zeros(max(count * count, 1)), np.zeros(count),
        np.zeros(1, np.int64),
    )  # fmt: skip


@kernel
def fill_matrix(topology, space):
    """Write the lower triangle of J A^-1 J^T + E to space.matrix."""
    rows = space.rows
    reach = space.reach
    n = topology.shape[0]
    stride = rows.child.shape[1]
    m = rows.start[n]
    for k in range(m * m):
        space.matrix[k] = 0.0
    for i in range(n):
        p = topology[i, Topology.PARENT]
        for k in range(rows.start[i], rows.start[i + 1]):
            put_reach(topology, i, rows.inverse, rows.child, k, 0, reach)
        if p >= 0:
            for k in range(rows.start[i], rows.start[i + 1]):
                put_reach(topology, p, rows.inverse, rows.parent, k, stride, reach)
        for k in range(rows.start[i], rows.start[i + 1]):
            space.matrix[k * m + k] = rows.soft[k]
        add_meeting(space, m, i, 0, i, rows.child)
        if p >= 0:
            add_meeting(space, m, i, stride, i, rows.parent)
            add_meeting(space, m, i, stride, p, rows.child)
            other = space.sibling[i]
            while other >= 0:
                add_meeting(space, m, i, stride, other, rows.parent)
                other = space.sibling[other]


@inline
def put_reach(topology, i, inverse, jacobian, k, o, reach):
    """Write A^-1 of body i times row k of `jacobian` to row k of `reach`, from column o on."""
    v = load3(jacobian, k, 0)
    v, w, s = compliant.inverse_times(topology, i, inverse, v, load3(jacobian, k, 3), load_rates(jacobian, k))
    store3(reach, k, o, v)
    store3(reach, k, o + 3, w)
    if jacobian.shape[1] > PoseColumn.RATES:
        store3(reach, k, o + 6, s)


@inline
def add_meeting(space, m, i, o, e, jacobian):
    """Add the products of the rows of edge i with those of edge e <= i to space.matrix, for a body that both edges
    share. The rows of i are in space.reach from column o on, those of e in `jacobian`; m is the number of all rows."""
    start = space.rows.start
    for r in range(start[i], start[i + 1]):
        for c in range(start[e], min(start[e + 1], r + 1)):
            s = 0.0
            for k in range(6):
                s += space.reach[r, o + k] * jacobian[c, k]
            for k in range(6, jacobian.shape[1]):
                s += space.reach[r, o + k] * jacobian[c, k]
            space.matrix[r * m + c] += s


@kernel
def solve_factored(matrix, m, x):
    """Replace x (m), which holds b, by the solution of L L^T x = b, with L in `matrix`."""
    for r in range(m):
        s = x[r]
        for c in range(r):
            s -= matrix[r * m + c] * x[c]
        x[r] = s / matrix[r * m + r]
    for r in range(m - 1, -1, -1):
        s = x[r] / matrix[r * m + r]
        x[r] = s
        for c in range(r):
            x[c] -= matrix[r * m + c] * s


@entry("mswx", "i")
def answer(m, s, w, space):
    """Solve the request in Control.REQUEST and return DONE: the unit of the mode `dense`."""
    request = w.control[Control.REQUEST]
    t = m.topology
    rows = space.rows
    if request & Request.FACTOR:
        compliant.fill_rows(m, w.block, w.edge, w.row, w.rows, w.stretch, rows)
        fill_matrix(t, space)
        count = rows.start[t.shape[0]]
        space.status[0] = cholesky(space.matrix, count) if count > 0 else 0
    if request & Request.SOLVE:
        compliant.fill_right_side(t, w, rows, space.vector)
        solve_factored(space.matrix, rows.start[t.shape[0]], space.vector)
        if space.status[0] != 0:
            # not positive definite: no number of this solution means anything, and the guard must see it
            for k in range(rows.start[t.shape[0]]):
                space.vector[k] = np.nan
        compliant.fill_answer(t, w, rows, space.vector, request & Request.WRENCHES)
    return Request.DONE
