"""Forces of joints that hold bodies more often than needed. They are shared over all these joints so that their norm is
smallest.

Where constraints repeat each other (a door on two hinges, four hinges of a planar loop in space, a table on four pins),
there are forces that move nothing, the states of self-stress of statics:

    J^T l = 0        with the rows J of all joints and constraints, in the forest and outside it

The solver modes give one solution of the equations of motion, in which rows that depend on others carry no force. This
module adds to it the states of self-stress that minimise

    sum over the joints of |F|^2 + |M|^2 / r^2,      with the force F of a joint and its moment M about its anchor

and r a hundredth of the mean radius of gyration of the bodies that these joints connect. Slightly compliant joints of
equal stiffness, with bearings of the size r, would share forces in this way. Joints support a load by forces where they
can, and by moments where they cannot. The result depends on loads and geometry only, not on which joints are in the
forest, nor on the solver mode.

This changes only the forces that are read; steps do not use it. The sum of the forces and the sum of the moments on
every body stay the same, because J^T l = 0. Released links, and conditions with non-ideal constraint forces, keep their
forces and take no part."""

import itertools
from typing import Any, NamedTuple

import numpy as np

from physics.data.model_tables import Bodies, BodyKind, ForceLaw, Forms, JointKind, Joints, Member, Path, Term, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control
from physics.data.work_tables import ConstraintRows, Edges, Stretch
from physics.data.model import Floats, Model, State, Work

# Of the response J A^-1 J^T that a combination of rows would have without joints: below this the combination counts as
# a self-stress. Exact repetitions leave 1e-16, axes that are off by 1e-5 rad (as drawn, or by gaps) 1e-10. What a
# self-stress leaves on the bodies is the root of it.
NULL = 1e-10
BEARING = 1e-2  # r divided by the mean radius of gyration
TRACE = 1e-6  # a joint with less of all states of self-stress than this share of the most has none


class Edge(NamedTuple):
    """The constraint rows of a joint or another constraint, and the bodies on which they act."""

    edge: int
    bodies: list[int]
    jacobian: list[Floats]  # of each body (rows, stride)
    twist: Floats  # (rows, 6) what a unit multiplier adds to the edge's wrench
    wrenched: bool  # whether the wrench is a force and a moment at the anchor; else it is a number for each row


def share_wrenches(model: Model, state: State, work: Work, wrench: Floats) -> Floats:
    """Return the wrenches of all edges (n + k, 6), where joints whose constraints repeat each other share their forces.
    `work` must be filled at the present state."""
    islands = work.auxiliary.islands
    shared = wrench
    for g in range(len(islands.rank)):
        bodies = islands.body[islands.body_start[g] : islands.body_start[g + 1]]
        links = len(model.topology) + np.flatnonzero(islands.link == g)
        if not wrench[links].any() and not wrench[bodies].any():
            continue
        edges, first_link = _edges(model, state, work, bodies, links)
        if len(edges) == first_link:
            continue
        stress = _self_stress(model, bodies, edges, first_link)
        if stress.shape[1]:
            shared = shared.copy() if shared is wrench else shared
            _take_least(model, edges, stress, shared)
    return shared


# ---------------------------------------------------------------- rows
def _edges(model: Model, state: State, work: Work, bodies: Any, links: Any) -> tuple[list[Edge], int]:
    """Return the constraint rows of the edges of an island, those of the forest first, and the number of the latter."""
    tree = [_edge(model, work, int(e)) for e in bodies if model.topology[e, Topology.KIND] != JointKind.FREE]
    held = [e for e in links if not state.released[e, 0] and _acts_along_its_rows(model, int(e))]
    outside = [_edge(model, work, int(e)) for e in held]
    tree, outside = ([e for e in some if len(e.twist)] for some in (tree, outside))
    return [*tree, *outside], len(tree)


def _acts_along_its_rows(model: Model, e: int) -> bool:
    """Return whether the force of a link acts along its constraint rows. That is false for conditions with non-ideal
    constraint forces."""
    kind = model.links[e - len(model.topology), Topology.KIND]
    return bool(kind != JointKind.GROUP_CONDITION or model.joint[e, Joints.FORCES] == ForceLaw.ALONG_ROWS)


def _place(model: Model, e: int) -> Any:
    """Return the row of Model.topology or Model.links of an edge."""
    n = len(model.topology)
    return model.topology[e] if e < n else model.links[e - n]


def _edge(model: Model, work: Work, e: int) -> Edge:
    """Return the constraint rows of edge e."""
    place = _place(model, e)
    rows = int(place[Topology.ROWS])
    if place[Topology.OWN_ROWS]:
        bodies, jacobian = _own_rows(model, work, e, place, rows)
        twist = np.eye(6)[:rows]
    else:
        twist = _twists(model, work, e, place, rows)
        bodies, jacobian = _ends(work, e, place, twist)
    jacobian = [_moving(model, int(b), j) for b, j in zip(bodies, jacobian, strict=True)]
    return Edge(e, bodies, jacobian, twist, not place[Topology.OWN_ROWS])


def _twists(model: Model, work: Work, e: int, place: Any, rows: int) -> Floats:
    """Return the rows T of an edge (rows, 6): those that kernels wrote, or else an orthogonal complement of the motion
    axes."""
    written = e >= len(model.topology) or place[Topology.ELIMINATION] == Path.GENERAL or work.control[Control.WITH_ROWS]
    if written:
        return work.rows[e, : 6 * rows].reshape(rows, 6)
    if place[Topology.PATH] == Path.BALL:
        return np.eye(3, 6)
    return np.linalg.svd(_axes(work, e, place).reshape(-1, 6))[2][6 - rows :]


def _axes(work: Work, e: int, place: Any) -> Floats:
    """Return the motion axes N^T of an edge (degrees of freedom, 6)."""
    if place[Topology.PATH] == Path.BALL:
        return np.eye(6)[3:]
    count = int(place[Topology.DOFS])
    return work.edge[e, Edges.AXIS : Edges.AXIS + 6 * count].reshape(count, 6)


def _ends(work: Work, e: int, place: Any, twist: Floats) -> tuple[list[int], list[Floats]]:
    """Return the bodies of an edge, child before parent, and the Jacobian of each. `twist` has the edge's rows of
    twists at the anchor (rows, 6)."""
    stride = work.velocity.shape[1]
    bodies, jacobian = [], []
    ends = ((Topology.CHILD, Edges.RC, Stretch.CHILD, 1.0), (Topology.PARENT, Edges.RP, Stretch.PARENT, -1.0))
    for end, lever, stretch, sign in ends:
        if place[end] < 0:
            continue
        j = np.zeros((len(twist), stride))
        j[:, :3] = twist[:, :3]
        x, y, z = work.edge[e, lever : lever + 3]
        j[:, 3:6] = twist[:, 3:] - twist[:, :3] @ np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        if stride > PoseColumn.RATES:
            j[:, PoseColumn.RATES :] = twist[:, :3] @ work.stretch[e, stretch : stretch + 9].reshape(3, 3)
        bodies.append(int(place[end]))
        jacobian.append(sign * j)
    return bodies, jacobian


def _own_rows(model: Model, work: Work, e: int, place: Any, rows: int) -> tuple[list[int], list[Floats]]:
    """Return the bodies and Jacobians of a constraint given by a function, of a coupling or of a condition."""
    if place[Topology.KIND] == JointKind.COUPLING:
        return _coupling_row(model, work, e)
    if place[Topology.KIND] == JointKind.GROUP_CONDITION:
        return _condition_rows(model, work, e, rows)
    ends = [
        (int(place[end]), o)
        for end, o in ((Topology.CHILD, ConstraintRows.CHILD_ROWS), (Topology.PARENT, ConstraintRows.PARENT_ROWS))
    ]
    ends = [(body, o) for body, o in ends if body >= 0]
    return [b for b, _ in ends], [_wide(work, work.rows[e, o : o + 6 * rows].reshape(rows, 6)) for _, o in ends]


def _coupling_row(model: Model, work: Work, e: int) -> tuple[list[int], list[Floats]]:
    """Return the bodies of a coupling and their parts of its row, sum k_i M_i^T with M = N (N^T N)^-1
    (physics/edges/couplings.py)."""
    bodies: list[int] = []
    jacobian: list[Floats] = []
    first = int(model.joint[e, Joints.TABLE])
    for term in model.table[first : first + int(model.joint[e, Joints.TABLE_ROWS])]:
        i = int(term[Term.EDGE])
        place = _place(model, i)
        axis = np.linalg.pinv(_axes(work, i, place)).T[int(term[Term.AXIS])]
        some, rows = _ends(work, i, place, term[Term.COEFFICIENT] * axis[None, :])
        bodies += some
        jacobian += rows
    return bodies, jacobian


def _condition_rows(model: Model, work: Work, e: int, rows: int) -> tuple[list[int], list[Floats]]:
    """Return the bodies of a condition and their Jacobians (rows, 6). They are read from Work.shared, where each body
    has three lines of two rows (physics/edges/conditions.py)."""
    first, count = int(model.joint[e, Joints.TABLE]), int(model.joint[e, Joints.TABLE_ROWS])
    at = int(model.joint[e, Joints.STORE]) + 4 * count + 1
    members = [(k, int(model.table[first + k, Member.BODY])) for k in range(count)]
    jacobian = [work.shared[at + 3 * k : at + 3 * k + 3].reshape(6, 6)[:rows] for k, body in members if body >= 0]
    return [body for _, body in members if body >= 0], [_wide(work, j) for j in jacobian]


def _wide(work: Work, jacobian: Floats) -> Floats:
    """Return the Jacobian with zero columns added for the rates of scales, on which functions of poses do not
    depend."""
    return np.pad(jacobian, ((0, 0), (0, work.velocity.shape[1] - 6)))


def _moving(model: Model, body: int, jacobian: Floats) -> Floats:
    """Return the Jacobian of a body projected on the motions that its kind allows (physics/bodies/coordinates.py)."""
    kind = model.topology[body, Topology.BODY_KIND]
    out = jacobian.copy()
    if kind == BodyKind.PLANAR:
        normal = model.form[body, Forms.NORMAL : Forms.NORMAL + 3]
        out[:, :3] -= np.outer(out[:, :3] @ normal, normal)
        out[:, 3:6] = np.outer(out[:, 3:6] @ normal, normal)
    elif kind == BodyKind.PARTICLE:
        out[:, 3:6] = 0.0
    if kind == BodyKind.UNIFORM:
        out[:, PoseColumn.RATES :] = out[:, PoseColumn.RATES :].mean(axis=1, keepdims=True)
    elif kind != BodyKind.STRETCHED:
        out[:, PoseColumn.RATES :] = 0.0
    return out


# ---------------------------------------------------------------- states of self-stress
def _self_stress(model: Model, bodies: Any, edges: list[Edge], tree: int) -> Floats:
    """Return the states of self-stress (rows of all edges, states): multipliers whose forces cancel on every body. All
    bodies get unit masses here. Let v be the motion that multipliers z of the links cause, with multipliers l_t that
    keep the forest closed:

        [1  -J_t^T] [v  ]   [J_k^T z]
        [J_t   0  ] [l_t] = [0      ]        S = J_k v of z = 1:  S z = 0 where v = 0

    J_t has the rows of the forest, and J_k those of the links, which are few."""
    from scipy.sparse import block_array, eye_array
    from scipy.sparse.linalg import splu

    j = _jacobian(model, bodies, edges)
    count = sum(len(e.twist) for e in edges[:tree])
    j_tree, j_link = j[:count], j[count:]
    size = j.shape[1]
    right = np.zeros((size + count, j_link.shape[0]))
    right[:size] = j_link.T.toarray()
    if count:
        system = block_array([[eye_array(size), -j_tree.T], [j_tree, None]], format="csc")
        right = splu(system).solve(right)
    own = np.sqrt(np.asarray(j_link.multiply(j_link).sum(axis=1)).ravel())
    scale = 1.0 / np.where(own > 0.0, own, 1.0)
    response = scale[:, None] * (j_link @ right[:size]) * scale
    values, vectors = np.linalg.eigh(0.5 * (response + response.T))
    z = scale[:, None] * vectors[:, values < NULL]
    return np.concatenate([right[size:] @ z, z])


def _jacobian(model: Model, bodies: Any, edges: list[Edge]) -> Any:
    """Return the Jacobian of all edges as a sparse matrix. Its columns for rotations are divided by the mean radius of
    gyration of the bodies."""
    from scipy.sparse import csr_array

    where = {int(b): k for k, b in enumerate(bodies)}
    stride = edges[0].jacobian[0].shape[1]
    length = np.ones(stride)
    length[3:6] = 1.0 / _reach(model, bodies)
    data, row, column = [], [], []
    at = 0
    for e in edges:
        rows = len(e.twist)
        for body, block in zip(e.bodies, e.jacobian, strict=True):
            data.append((block * length).ravel())
            row.append(np.repeat(np.arange(at, at + rows), stride))
            column.append(np.tile(np.arange(stride) + stride * where[body], rows))
        at += rows
    parts = np.concatenate(data), (np.concatenate(row), np.concatenate(column))
    return csr_array(parts, shape=(at, stride * len(where)))


def _reach(model: Model, bodies: Any) -> float:
    """Return the mean radius of gyration of the bodies [m], or 1 if all are particles."""
    body = model.body[bodies]
    found = np.sqrt(body[:, Bodies.INERTIA : Bodies.INERTIA + 3].mean(axis=1) / body[:, Bodies.MASS])
    found = found[found > 0.0]
    return float(found.mean()) if len(found) else 1.0


# ---------------------------------------------------------------- the least of all solutions
def _take_least(model: Model, edges: list[Edge], stress: Floats, wrench: Floats) -> None:
    """Add to `wrench` the states of self-stress that make its norm smallest."""
    ends = np.cumsum([0, *(len(e.twist) for e in edges)])
    parts = [stress[a:b] for a, b in itertools.pairwise(ends)]
    most = np.abs(stress).max()
    tied = {b for e, z in zip(edges, parts, strict=True) for b in e.bodies if np.abs(z).max() > TRACE * most}
    size = np.ones(6)
    size[3:] = 1.0 / (BEARING * _reach(model, sorted(tied)))
    of_states, of_wrench = [], []
    for e, z in zip(edges, parts, strict=True):
        if e.wrenched:
            of_states.append(size[:, None] * (e.twist.T @ z))
            of_wrench.append(size * wrench[e.edge])
            continue
        # multipliers have units of their own: what counts are the forces that they are, on the mean of the bodies
        share = 1.0 / np.sqrt(max(len(e.bodies), 1))
        for block in e.jacobian:
            load = share * (size[:, None] * block[:, :6].T)
            of_states.append(load @ z)
            of_wrench.append(load @ wrench[e.edge, : len(z)])
    amounts = np.linalg.lstsq(np.concatenate(of_states), -np.concatenate(of_wrench), rcond=1e-12)[0]
    for e, z in zip(edges, parts, strict=True):
        wrench[e.edge] += e.twist.T @ (z @ amounts)
