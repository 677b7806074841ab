"""`lagrange`: the multipliers of [Baraff96, app. A], O(n), with the grandparent blocks of [Hernandez11, section 4].

    H [v; l] = [f; -g],     H = [[A, -J^T], [-J, 0]]

Every body is a node and every constraint is a node between its two bodies, so that H is a tree of blocks, which
`blocktree` factors and solves. When a body's block is eliminated, it is positive; a constraint's block -J A^-1 J^T is
negative.

A joint's stiffness D couples its child with its parent, which in this tree is the grandparent [Hernandez11, section 4]:

    M_c^T D M_c on the child's block,  M_p^T D M_p on the parent's,  -M_c^T D M_p between them
    M (d + D M^T b) on the child's force, its opposite on the parent's

M_c, M_p are the dual axes M of `compliant` seen by each body (the motion axes N where they are at right angles); b has
a part along these axes only if accelerations are solved for. The wrench is the sum of T l and M (d - D q).

Nodes of bodies have their own coordinates (physics/bodies/coordinates.py). At an edge with a body that is not rigid,
springs are compliant rows of the constraint's node instead, with -1 on its diagonal (see `compliant`).
"""

from typing import NamedTuple

import numpy as np

from physics.bodies import coordinates
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.pack import packed
from physics.data.model import Floats, Ints, Model
from physics.data.model_tables import BodyKind, JointKind, Topology
from physics.data.step_tables import Control, Request
from physics.data.work_tables import ConstraintRows, Edges, Rows, Stretch
from physics.maths.vec import (
    ZERO3, add_scaled, add_to3, add_to_angular, add_to_block, dot, full, load3, mat_negative, negative, outer, scale,
    store3,
)  # fmt: skip
from physics.solvers import compliant
from physics.solvers.blocktree import factor_tree, solve_tree
from physics.solvers.blocktree_blocks import put3, put_rows, rank_one, take_rows
from physics.solvers.blocktree_nodes import PLACES, Node, make_tree


@packed
class LagrangeSpace(NamedTuple):
    """Workspace of the mode `lagrange`."""

    node: Ints  # (nodes, NODE)
    place: Ints  # (n,) node of each body; that of its inbound constraint is the next
    plain: Ints  # (n,) 1: the edge is between rigid bodies
    own: Floats  # (9,) a row in a body's own coordinates
    values: Floats  # H, then its factor
    vector: Floats  # a right-hand side, then its solution


def make_space(model: Model) -> LagrangeSpace:
    """Return the workspace of the mode `lagrange`: a tree with bodies from the last to the first, each followed by its
    inbound constraint."""
    topology = model.topology
    n = len(topology)
    place = np.zeros(n, np.int64)
    count = 0
    for i in range(n - 1, -1, -1):
        place[i] = count
        count += 2 if _node_rows(topology, i) > 0 else 1
    sizes, parents, far = [0] * count, [-1] * count, [False] * count
    for i in range(n):
        k, rows, p = int(place[i]), _node_rows(topology, i), int(topology[i, Topology.PARENT])
        sizes[k] = int(topology[i, Topology.DIM])
        if rows > 0:
            sizes[k + 1] = rows
            parents[k] = k + 1
            parents[k + 1] = int(place[p]) if p >= 0 else -1
            springs = compliant.count_spring_axes(int(topology[i, Topology.PATH]), int(topology[i, Topology.DOFS])) > 0
            far[k] = springs and _is_plain(topology, i)
    tree = make_tree(sizes, parents, far)
    plain = np.array([_is_plain(topology, i) for i in range(n)], np.int64)
    return LagrangeSpace(tree.node, place, plain, np.zeros(9), np.zeros(tree.values), np.zeros(tree.unknowns))


def _is_plain(topology: Ints, i: int) -> bool:
    """Return whether edge i connects a rigid body to another rigid body or to the world."""
    p = topology[i, Topology.PARENT]
    return bool(
        topology[i, Topology.BODY_KIND] == BodyKind.RIGID
        and (p < 0 or topology[p, Topology.BODY_KIND] == BodyKind.RIGID)
    )


def _node_rows(topology: Ints, i: int) -> int:
    """Return the number of rows of the node of edge i's constraint, or 0 if it has none."""
    return int(topology[i, Topology.ROWS]) if _is_plain(topology, i) else compliant.count_rows(topology, i)


@kernel
def fill_tree(m, w, space):
    """Write H to space.values. The stiffness of the children's springs is added to Work.block before a body's own block
    is copied."""
    topology, block, edge, row, rows = m.topology, w.block, w.edge, w.row, w.rows
    node, v = space.node, space.values
    for i in range(topology.shape[0] - 1, -1, -1):
        k = space.place[i]
        d = topology[i, Topology.ROWS]
        if space.plain[i] == 0:
            coordinates.own_block(topology, m.form, i, block, False, node[k, Node.DIAGONAL], v)
            fill_own_rows(m, w, i, node, k, v, space.own)
            continue
        if d > 0:
            path = topology[i, Topology.PATH]
            axes = compliant.spring_axes(path, topology[i, Topology.DOFS])
            node[k, Node.FAR_ROWS] = 0
            if axes > 0 and compliant.is_stiff(i, path, axes, row):
                add_stiffness(i, topology[i, Topology.PARENT], path, axes, block, edge, row, node, k, v)
        a = node[k, Node.DIAGONAL] & PLACES
        for c in range(21):
            v[a + c] = block[i, c]
        if topology[i, Topology.OWN_ROWS] != 0:
            fill_given_rows(i, d, rows, node, k, v)
        elif d == 3:
            fill_rows(i, 3, edge, rows, node, k, v)
        elif d == 5:
            fill_rows(i, 5, edge, rows, node, k, v)
        elif d > 0:
            fill_rows(i, d, edge, rows, node, k, v)


@inline
def fill_rows(i, d, edge, rows, node, k, v):
    """Write the d rows of edge i to the values v: -Jc^T with the child (node k), -Jp with the parent, and zero on the
    constraint's own diagonal block (node k + 1)."""
    u = node[k, Node.UP_BLOCK] & PLACES
    b = node[k + 1, Node.UP_BLOCK] & PLACES
    a = node[k + 1, Node.DIAGONAL] & PLACES
    m = node[k + 1, Node.UP_SIZE]
    rc = load3(edge, i, Edges.RC)
    rp = load3(edge, i, Edges.RP)
    for c in range(d * (d + 1) // 2):
        v[a + c] = 0.0
    for r in range(d):
        tv = load3(rows, i, 6 * r)
        tw = load3(rows, i, 6 * r + 3)
        v[u + r] = -tv[0]
        v[u + d + r] = -tv[1]
        v[u + 2 * d + r] = -tv[2]
        w = compliant.row_on_body(tv, tw, rc)
        v[u + 3 * d + r] = -w[0]
        v[u + 4 * d + r] = -w[1]
        v[u + 5 * d + r] = -w[2]
        if m > 0:
            put3(v, b + m * r, tv)
            put3(v, b + m * r + 3, compliant.row_on_body(tv, tw, rp))


@kernel
def fill_own_rows(m, w, i, node, k, v, own):
    """Write the rows of edge i, with those of its springs, to the values v: -Jc^T and -Jp in the bodies' own
    coordinates, and 0 or -1 (springs) on the constraint's diagonal."""
    t = m.topology
    d = compliant.rows_with_springs(t, i)
    if t[i, Topology.KIND] == JointKind.FREE or d == 0:
        return
    u = node[k, Node.UP_BLOCK]
    b = node[k + 1, Node.UP_BLOCK]
    a = node[k + 1, Node.DIAGONAL]
    p = t[i, Topology.PARENT]
    compliant.put_spring_rows(t, i, w.edge, w.row, w.rows)
    for r in range(d):
        for c in range(r + 1):
            v[a + r * (r + 1) // 2 + c] = -1.0 if r == c and r >= t[i, Topology.ROWS] else 0.0
        tv = load3(w.rows, i, 6 * r)
        tw = load3(w.rows, i, 6 * r + 3)
        cv = tv
        cw = compliant.row_on_body(tv, tw, load3(w.edge, i, Edges.RC))
        pv = tv
        pw = compliant.row_on_body(tv, tw, load3(w.edge, i, Edges.RP))
        if t[i, Topology.OWN_ROWS] != 0:
            cv = load3(w.rows, i, ConstraintRows.CHILD_ROWS + 6 * r)
            cw = load3(w.rows, i, ConstraintRows.CHILD_ROWS + 6 * r + 3)
            pv = negative(load3(w.rows, i, ConstraintRows.PARENT_ROWS + 6 * r))
            pw = negative(load3(w.rows, i, ConstraintRows.PARENT_ROWS + 6 * r + 3))
        coordinates.put_own(t, m.form, i, cv, cw, coordinates.on_scales(w.stretch, i, Stretch.CHILD, tv), own, 0)
        for c in range(node[k, Node.SIZE]):
            v[u + d * c + r] = -own[c]
        if p >= 0:
            coordinates.put_own(t, m.form, p, pv, pw, coordinates.on_scales(w.stretch, i, Stretch.PARENT, tv), own, 0)
            for c in range(t[p, Topology.DIM]):
                v[b + t[p, Topology.DIM] * r + c] = own[c]


@kernel
def fill_given_rows(i, d, rows, node, k, v):
    """Write the d rows of edge i, whose Jacobians are given, to the values v: -Jc^T, -Jp, and zero on the constraint's
    diagonal block."""
    u = node[k, Node.UP_BLOCK] & PLACES
    b = node[k + 1, Node.UP_BLOCK] & PLACES
    a = node[k + 1, Node.DIAGONAL] & PLACES
    m = node[k + 1, Node.UP_SIZE]
    for c in range(d * (d + 1) // 2):
        v[a + c] = 0.0
    for r in range(d):
        for c in range(node[k, Node.SIZE]):
            v[u + c * d + r] = -rows[i, ConstraintRows.CHILD_ROWS + 6 * r + c]
        for c in range(m):
            v[b + m * r + c] = -rows[i, ConstraintRows.PARENT_ROWS + 6 * r + c]


@inline
def add_stiffness(i, p, path, axes, block, edge, row, node, k, v):
    """Add M_c^T D M_c of edge i to the child's row of `block` and M_p^T D M_p to the parent's, and write -M_c^T D M_p
    to the block between them in v."""
    if compliant.is_angular(i, path, axes, edge):
        # the three are the same 3x3 block, of no lever
        d = compliant.angular_stiffness(i, path, axes, edge, row)
        add_to_angular(block, i, d)
        if p >= 0:
            add_to_angular(block, p, d)
            node[k, Node.FAR_ROWS] = 3
            node[k, Node.FAR_COLUMNS] = 3
            put_rows(v, node[k, Node.FAR_BLOCK] & PLACES, 3, mat_negative(full(d)))
    else:
        add_axes_stiffness(i, p, path, axes, block, edge, row, node, k, v)


@kernel
def add_axes_stiffness(i, p, path, axes, block, edge, row, node, k, v):
    """Add the stiffness of edge i to `block` and v, as `add_stiffness` does, axis by axis for a joint that also
    slides."""
    g = node[k, Node.FAR_BLOCK] & PLACES
    if p >= 0:
        node[k, Node.FAR_ROWS] = 6
        node[k, Node.FAR_COLUMNS] = 6
        for c in range(36):
            v[g + c] = 0.0
    rc = load3(edge, i, Edges.RC)
    rp = load3(edge, i, Edges.RP)
    for c in range(axes):
        d = row[i, Rows.STIFF_BLOCK + c]
        mv, mw = compliant.dual_axis(i, path, axes, c, edge)
        cw = compliant.row_on_body(mv, mw, rc)
        add_square(block, i, d, mv, cw)
        if p >= 0:
            pw = compliant.row_on_body(mv, mw, rp)
            add_square(block, p, d, mv, pw)
            take_rows(v, g, 6, rank_one(scale(d, mv), mv))
            take_rows(v, g + 3, 6, rank_one(scale(d, mv), pw))
            take_rows(v, g + 18, 6, rank_one(scale(d, cw), mv))
            take_rows(v, g + 21, 6, rank_one(scale(d, cw), pw))


@inline
def add_square(block, i, k, v, w):
    """Add k (v, w) (v, w)^T to the block of body i."""
    add_to_block(block, i, outer(k, v), rank_one(scale(k, w), v), outer(k, w))


@kernel
def fill_vector(m, w, space):
    """Write the right-hand side [f + spring; -T^T b] to space.vector; Work.force is used up."""
    topology, force, edge, row, rows = m.topology, w.force, w.edge, w.row, w.rows
    node, x = space.node, space.vector
    for i in range(topology.shape[0] - 1, -1, -1):
        k = space.place[i]
        d = topology[i, Topology.ROWS]
        if d > 0:
            if space.plain[i] != 0:
                add_springs(
                    i,
                    topology[i, Topology.PARENT],
                    topology[i, Topology.PATH],
                    topology[i, Topology.DOFS],
                    force,
                    edge,
                    row,
                )
            else:
                compliant.add_push(topology, i, edge, row, w.stretch, force)
                d = compliant.rows_with_springs(topology, i)
            o = node[k + 1, Node.PLACE] & PLACES
            bv = load3(row, i, Rows.RIGHT_HAND_SIDE)
            bw = load3(row, i, Rows.RIGHT_HAND_SIDE + 3)
            for r in range(d):
                x[o + r] = -(dot(load3(rows, i, 6 * r), bv) + dot(load3(rows, i, 6 * r + 3), bw))
        o = node[k, Node.PLACE] & PLACES
        if topology[i, Topology.BODY_KIND] == BodyKind.RIGID:
            for c in range(6):
                x[o + c] = force[i, c]
        else:
            fs = coordinates.load_rates(force, i)
            coordinates.put_own(topology, m.form, i, load3(force, i, 0), load3(force, i, 3), fs, x, o)


@inline
def add_springs(i, p, path, dofs, force, edge, row):
    """Add M (d + D M^T b) of the spring of edge i to `force`: on body i, and its opposite on the parent p."""
    axes = compliant.spring_axes(path, dofs)
    if axes == 0:
        return
    stiff = compliant.is_stiff(i, path, axes, row)
    if not stiff and compliant.is_slack(i, row):
        return
    fv, fw = compliant.rest_wrench(i, path, axes, stiff, edge, row)
    add_to3(force, i, 0, fv)
    add_to3(force, i, 3, compliant.row_on_body(fv, fw, load3(edge, i, Edges.RC)))
    if p >= 0:
        add_to3(force, p, 0, negative(fv))
        add_to3(force, p, 3, negative(compliant.row_on_body(fv, fw, load3(edge, i, Edges.RP))))


@kernel
def read_solution(m, w, with_wrench, space):
    """Write the velocities of space.vector to Work.velocity, and with `with_wrench` the wrench T l + M (d - D q) of
    each joint to Work.wrench."""
    topology, edge, row, rows, velocity, wrench = m.topology, w.edge, w.row, w.rows, w.velocity, w.wrench
    node, x = space.node, space.vector
    for i in range(topology.shape[0]):
        k = space.place[i]
        o = node[k, Node.PLACE] & PLACES
        if topology[i, Topology.BODY_KIND] == BodyKind.RIGID:
            for c in range(6):
                velocity[i, c] = x[o + c]
        else:
            coordinates.store_wide(topology, m.form, i, x, o, velocity, i)
        d = topology[i, Topology.ROWS]
        if d == 0 or with_wrench == 0:
            continue
        path = topology[i, Topology.PATH]
        axes = compliant.spring_axes(path, topology[i, Topology.DOFS])
        fv = ZERO3
        fw = ZERO3
        if space.plain[i] == 0:
            fv, fw = compliant.push_wrench(topology, i, edge, row)
            d = compliant.rows_with_springs(topology, i)
        elif axes > 0 and (compliant.is_stiff(i, path, axes, row) or not compliant.is_slack(i, row)):
            fv, fw = compliant.spring_wrench(i, topology[i, Topology.PARENT], path, axes, edge, row, velocity)
        o = node[k + 1, Node.PLACE] & PLACES
        for r in range(d):
            fv = add_scaled(fv, x[o + r], load3(rows, i, 6 * r))
            fw = add_scaled(fw, x[o + r], load3(rows, i, 6 * r + 3))
        store3(wrench, i, 0, fv)
        store3(wrench, i, 3, fw)


@entry("mswx", "i")
def answer(m, s, w, space):
    """Solve the request in Control.REQUEST and return DONE: the unit of the mode `lagrange`."""
    request = w.control[Control.REQUEST]
    if request & Request.FACTOR:
        fill_tree(m, w, space)
        factor_tree(space.node, space.values)
    if request & Request.SOLVE:
        fill_vector(m, w, space)
        solve_tree(space.node, space.values, space.vector)
        read_solution(m, w, request & Request.WRENCHES, space)
    return Request.DONE
