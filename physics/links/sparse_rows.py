"""Sparse rows of auxiliary Jacobians: a twist at the anchor of an edge becomes a row over its two bodies. The file also
has the products of rows with velocities and forces.
"""

from physics.bodies.coordinates import on_scales
from physics.compiler.jit import inline, kernel
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Edges, Stretch
from physics.maths.vec import load3, negative, store3
from physics.solvers import compliant


@kernel
def put_row(w, e, child, parent, at, tv, tw, soft):
    """Write the twist (tv, tw) at the anchor of edge e as row `at` of Work.auxiliary: (tv, tw + r x tv) on the child,
    its opposite on the parent. `soft` is its compliance."""
    a = w.auxiliary
    a.start[at + 1] = put_twist(w, e, child, parent, a.start[at], tv, tw)
    a.edge[at] = e
    store3(a.twist, at, 0, tv)
    store3(a.twist, at, 3, tw)
    a.soft[at] = soft


@kernel
def put_twist(w, e, child, parent, k, tv, tw):
    """Write the twist (tv, tw) at the anchor of edge e to Auxiliary.body and Auxiliary.jacobian as entries from k on,
    one for the child and one for a parent that is a body. Return the first free entry."""
    a = w.auxiliary
    a.body[k] = child
    store3(a.jacobian, k, 0, tv)
    store3(a.jacobian, k, 3, compliant.row_on_body(tv, tw, load3(w.edge, e, Edges.RC)))
    if a.jacobian.shape[1] > PoseColumn.RATES:
        store3(a.jacobian, k, PoseColumn.RATES, on_scales(w.stretch, e, Stretch.CHILD, tv))
    k += 1
    if parent >= 0:
        a.body[k] = parent
        store3(a.jacobian, k, 0, negative(tv))
        store3(a.jacobian, k, 3, negative(compliant.row_on_body(tv, tw, load3(w.edge, e, Edges.RP))))
        if a.jacobian.shape[1] > PoseColumn.RATES:
            store3(a.jacobian, k, PoseColumn.RATES, negative(on_scales(w.stretch, e, Stretch.PARENT, tv)))
        k += 1
    return k


@inline
def put_entry(a, k, body, rows, e, o):
    """Write six numbers of `rows`, row e from column o on, as entry k of Auxiliary.jacobian, the Jacobian of `body`.
    Return k + 1."""
    a.body[k] = body
    store3(a.jacobian, k, 0, load3(rows, e, o))
    store3(a.jacobian, k, 3, load3(rows, e, o + 3))
    clear_scales(a, k)
    return k + 1


@inline
def clear_scales(a, k):
    """Set the columns of scales of entry k in Auxiliary.jacobian to zero: a function of poses does not depend on
    scales."""
    for c in range(PoseColumn.RATES, a.jacobian.shape[1]):
        a.jacobian[k, c] = 0.0


@kernel
def without_joints(w, r):
    """Return J A_d^-1 J^T + E of row r with the diagonal A_d of A: the row's response to itself if there were no
    joints."""
    a = w.auxiliary
    d = a.soft[r]
    for k in range(a.start[r], a.start[r + 1]):
        for c in range(a.jacobian.shape[1]):
            own = w.block[a.body[k], c * (c + 1) // 2 + c]
            if own > 0.0:
                d += a.jacobian[k, c] * a.jacobian[k, c] / own
    return d


@inline
def rate(a, r, velocity):
    """Return J_a v of row r for `velocity` (n, stride)."""
    s = 0.0
    for k in range(a.start[r], a.start[r + 1]):
        for c in range(velocity.shape[1]):
            s += a.jacobian[k, c] * velocity[a.body[k], c]
    return s


@inline
def takes_part(a, body, column):
    """Return whether a listed body is in a tree that the row of this column touches; other bodies do not move."""
    return a.active[a.mark[body] - 1] == column + 1


@inline
def add_row(a, r, x, force):
    """Add J_a^T x of row r to `force` (n, stride)."""
    for k in range(a.start[r], a.start[r + 1]):
        for c in range(force.shape[1]):
            force[a.body[k], c] += x * a.jacobian[k, c]
