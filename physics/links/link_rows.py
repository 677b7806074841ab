"""The rows J_a and the compliance E of every link; the anticipation fills them once for each factor."""

import math

from physics.compiler.jit import kernel
from physics.data.model_tables import Bodies, JointKind, Joints, Path, Topology, TreePlace
from physics.data.step_tables import Control, LinkError, Number
from physics.data.work_tables import ConstraintRows, Rows
from physics.edges import conditions, couplings
from physics.forces.released import CLOSING_SPEED
from physics.links.sparse_rows import put_entry, put_row, put_twist, without_joints
from physics.maths.vec import ZERO3, load3, norm, scale
from physics.solvers import compliant

# A released link (physics/forces/released.py) is drawn together by a force of so many times the weight of all
# bodies, m/s^2
MOST_PULL = 20.0 * 9.81
NOTHING_LEFT = 1e9  # softer by this, a row does nothing


# ---------------------------------------------------------------- rows
@kernel
def fill_rows(m, w):
    """Write J_a and E of every link to Work.auxiliary, from row 0 on. Return the number of rows."""
    n = m.topology.shape[0]
    at = 0
    for j in range(m.links.shape[0]):
        e = n + j
        for k in range(m.links[j, Topology.ROWS]):
            if m.links[j, Topology.OWN_ROWS] != 0:
                put_own_row(m, w, j, k, at)
                at += 1
                continue
            tv = load3(w.rows, e, 6 * k)
            put_row(
                w, e, m.links[j, Topology.CHILD], m.links[j, Topology.PARENT], at, tv, load3(w.rows, e, 6 * k + 3), 0.0
            )
            at += 1
        at = put_springs(m, w, j, at)
    return at


@kernel
def put_springs(m, w, j, at):
    """Write the compliant rows M G^T of the spring of link j to Work.auxiliary, from row `at` on, with the dual motion
    axes M (`solvers/compliant.py`). G is a root of the spring's D = G^T G, and has as many rows as D has rank. A spring
    that has a place in the tree gets no rows. Return the first free row."""
    if m.links[j, Topology.TREE_EDGE] != TreePlace.NO_PLACE:
        return at
    e = m.topology.shape[0] + j
    c = m.links[j, Topology.CHILD]
    p = m.links[j, Topology.PARENT]
    path = m.links[j, Topology.PATH]
    axes = compliant.spring_axes(path, m.links[j, Topology.DOFS])
    if path == Path.BALL:
        d = compliant.stiffness_of_ball(e, w.row)
        least = compliant.RANK_TOLERANCE * (d[0] + d[2] + d[5])
        for _ in range(3):
            if not max(d[0], max(d[2], d[5])) > least:
                break
            g, d = compliant.next_spring_row(d)
            put_row(w, e, c, p, at, ZERO3, g, 1.0)
            at += 1
        return at
    for k in range(axes):
        d = w.row[e, Rows.STIFF_BLOCK + k]
        if d > 0.0:
            mv, mw = compliant.dual_axis(e, path, axes, k, w.edge)
            put_row(w, e, c, p, at, scale(math.sqrt(d), mv), scale(math.sqrt(d), mw), 1.0)
            at += 1
    return at


@kernel
def put_own_row(m, w, j, k, at):
    """Write row k of link j as row `at` of Work.auxiliary, for a coupling, a condition over several bodies, or a link
    whose Jacobians are given. Its twist is the unit vector number k."""
    a = w.auxiliary
    e = m.topology.shape[0] + j
    if m.links[j, Topology.KIND] == JointKind.COUPLING:
        put_coupling(m, w, e, at)
    elif m.links[j, Topology.KIND] == JointKind.GROUP_CONDITION:
        conditions.put_row(m, w, e, k, at)
    else:
        at_end = put_entry(a, a.start[at], m.links[j, Topology.CHILD], w.rows, e, ConstraintRows.CHILD_ROWS + 6 * k)
        if m.links[j, Topology.PARENT] >= 0:
            at_end = put_entry(a, at_end, m.links[j, Topology.PARENT], w.rows, e, ConstraintRows.PARENT_ROWS + 6 * k)
        a.start[at + 1] = at_end
    a.edge[at] = e
    for c in range(6):
        a.twist[at, c] = 1.0 if c == k else 0.0
    a.soft[at] = 0.0


@kernel
def put_coupling(m, w, e, at):
    """Write sum k_i M_i^T (X(rc) u_child - X(rp) u_parent) of the coupling at edge e as row `at` of
    Auxiliary.jacobian."""
    a = w.auxiliary
    k = a.start[at]
    for r in range(int(m.joint[e, Joints.TABLE_ROWS])):
        i, axis, factor = couplings.term(m, e, r)
        t, place = couplings.place(m, i)
        mv, mw = compliant.dual_axis(i, t[place, Topology.PATH], t[place, Topology.DOFS], axis, w.edge)
        ends = t[place, Topology.CHILD], t[place, Topology.PARENT]
        k = put_twist(w, i, ends[0], ends[1], k, scale(factor, mv), scale(factor, mw))
    a.start[at + 1] = k


@kernel
def fill_scales(m, w, over_span):
    """Write the compliance of released links to Auxiliary.soft, and to Auxiliary.scale, for each row of links, 1 / sqrt
    of the pivot that it would have without joints. `over_span` says whether the request has a time span."""
    a = w.auxiliary
    for r in range(w.control[Control.ROW_COUNT]):
        if a.error_state[a.edge[r]] == LinkError.RELEASED and a.soft[r] == 0.0:
            # its pull acts over the span of a request, as those of grabs do: in corrections there is none
            a.soft[r] = released_compliance(m, w, r) * (1.0 if over_span else NOTHING_LEFT)
        d = without_joints(w, r)
        a.scale[r] = 1.0 / math.sqrt(d) if d > 0.0 else 0.0


@kernel
def released_compliance(m, w, r):
    """Return the compliance of row r of a released link: at rest it pulls with MOST_PULL times the mass of all bodies,
    or the corresponding moment."""
    span = w.number[Number.SPAN] if w.number[Number.SPAN] > 0.0 else w.number[Number.H]
    give = CLOSING_SPEED / (MOST_PULL * w.number[Number.TOTAL_MASS] * span)
    b = m.links[w.auxiliary.edge[r] - m.topology.shape[0], Topology.CHILD]
    turns = m.body[b, Bodies.INERTIA] + m.body[b, Bodies.INERTIA + 1] + m.body[b, Bodies.INERTIA + 2]
    if norm(load3(w.auxiliary.twist, r, 0)) > 0.0 or turns == 0.0:
        return give
    return give * 3.0 * m.body[b, Bodies.MASS] / turns
