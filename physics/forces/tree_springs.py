"""Springs that keep the tree as sparse as it was: implicit, at no row of the anticipation. A spring's rate is that of
its child's anchor relative to its parent's, q = N^T (X u_child - X u_parent), its wrench N (d - D q) with D = t C +
t^2 K. Where d acts is in the forces on the two bodies already (`links.anticipation`); the place of D is

- between a body and what no force moves (the world, a static or a moving body) the body's own block:

    A += X^T N D N^T X                       the rate of a moving body is in d (`joint_springs.add_frame_rates`)

- between a body and its parent in the forest the joint's own coordinates, for the spring feels nothing but the twist of
  the one relative to the other, y_child - y_parent = S r + b with the joint's axes S:

    D_joint += G D G^T,   d_joint -= G D N^T b,   G = S^T N,   S and b taken to the spring's anchor

  Of a joint with two or three axes this fills D, of which solver modes know the diagonal. `turn_axes` gives them other
  axes, S' = S L^-T with D = L D' L^T, and `turn_back` takes them away after the answer; r' = L^T r, d' = L^-1 d.

All other springs between two bodies are rows, and so are all in scenes with a body that stretches, where anchors move
with scales. Wrenches get what D did after the answer; that of the joint loses it.
"""

from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Path, Topology, TreePlace
from physics.data.step_tables import Control, Request
from physics.data.work_tables import Edges, Rows, Turned
from physics.maths.vec import (
    ZERO3, ZERO6, ZERO9, add, add_to3, add_to_block, cross, dot, load3, load6, negative, outer, scale, shift_block,
    sub, sym_add, sym_mul,
)  # fmt: skip


# ---------------------------------------------------------------- as a force (`forces.all_forces`)
@kernel
def start(m, s, w):
    """No request with such springs has been made."""
    w.control[Control.TREE_SPRINGS_ASKED] = 0


@inline
def stiffen(m, s, w):
    """Adds D of every such spring at its place, before what depends on velocities."""
    add_stiffness(m, w)


@kernel
def account(m, s, w):
    """Adds to the wrenches what D did, after the answer. Returns DONE."""
    if w.control[Control.TREE_SPRINGS_ASKED] != 0:
        w.control[Control.TREE_SPRINGS_ASKED] = 0
        restore_wrenches(m, w)
    return Request.DONE


@far("tree springs", "mw")
def add_stiffness(m, w):
    """Adds D of all such springs to the system."""
    w.control[Control.TREE_SPRINGS_ASKED] = 1
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        if m.links[j, Topology.TREE_EDGE] == TreePlace.IN_BLOCK:
            put_in_block(m, w, j, n + j)
        elif m.links[j, Topology.TREE_EDGE] != TreePlace.NO_PLACE:
            put_in_joint(m, w, j, n + j)


# ---------------------------------------------------------------- to what no force moves
@kernel
def moved_stiffness(m, w, j, e):
    """Returns D as a block at the anchor: of the forces, or of the torques."""
    stiff = load6(w.row, e, Rows.STIFF_BLOCK)
    if m.links[j, Topology.KIND] == JointKind.TORSION_SPRING:
        return stiff
    block = ZERO6
    for k in range(m.links[j, Topology.DOFS]):
        d = stiff[0] if k == 0 else stiff[1] if k == 1 else stiff[2]
        if d != 0.0:
            block = sym_add(block, outer(d, load3(w.edge, e, Edges.AXIS + 6 * k)))
    return block


@kernel
def put_in_block(m, w, j, e):
    """Adds D of link j to the block of its body."""
    c = m.links[j, Topology.CHILD]
    stiff = moved_stiffness(m, w, j, e)
    if m.links[j, Topology.KIND] == JointKind.TORSION_SPRING:
        add_to_block(w.block, c, ZERO6, ZERO9, stiff)
    else:
        vv, wv, ww = shift_block(stiff, ZERO9, ZERO6, negative(load3(w.edge, e, Edges.RC)))
        add_to_block(w.block, c, vv, wv, ww)


# ---------------------------------------------------------------- across a joint
@inline
def lever(m, w, j, e):
    """Returns the lever from the joint's anchor to the spring's, both on the joint's child."""
    i = m.links[j, Topology.TREE_EDGE]
    own = Edges.RC if m.links[j, Topology.CHILD] == i else Edges.RP
    return sub(load3(w.edge, e, own), load3(w.edge, i, Edges.RC))


@inline
def taken(lin, ang, r):
    """Returns a twist taken to the spring's anchor."""
    return add(lin, cross(ang, r)), ang


@kernel
def joint_axis(m, w, i, k):
    """Returns axis k of a joint as a twist at its anchor."""
    if m.topology[i, Topology.PATH] == Path.BALL:
        return ZERO3, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    return load3(w.edge, i, Edges.AXIS + 6 * k), load3(w.edge, i, Edges.AXIS + 6 * k + 3)


@inline
def joint_axes(m, i):
    """Returns how many axes joint i has."""
    return 3 if m.topology[i, Topology.PATH] == Path.BALL else m.topology[i, Topology.DOFS]


@inline
def place(a, b):
    """Returns where element (a, b) of the stiffness of axes stands in STIFF_BLOCK: the diagonal comes first."""
    return a if a == b else a + b + 2


@kernel
def put_in_joint(m, w, j, e):
    """Adds G D G^T to D of the joint."""
    i = m.links[j, Topology.TREE_EDGE]
    stiff = moved_stiffness(m, w, j, e)
    r = lever(m, w, j, e)
    torsion = m.links[j, Topology.KIND] == JointKind.TORSION_SPRING
    ball = m.topology[i, Topology.PATH] == Path.BALL
    for a in range(joint_axes(m, i)):
        lin, ang = joint_axis(m, w, i, a)
        lin, ang = taken(lin, ang, r)
        pull = sym_mul(stiff, ang if torsion else lin)
        for b in range(a + 1):
            lin, ang = joint_axis(m, w, i, b)
            lin, ang = taken(lin, ang, r)
            at = a * (a + 1) // 2 + b if ball else place(b, a)
            w.row[i, Rows.STIFF_BLOCK + at] += dot(pull, ang if torsion else lin)


@far("tree springs", "mw")
def add_right_hand_sides(m, w):
    """Subtracts G D N^T b from d of the joints."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        i = m.links[j, Topology.TREE_EDGE]
        if i < 0:
            continue
        r = lever(m, w, j, n + j)
        lin, ang = taken(load3(w.row, i, Rows.RIGHT_HAND_SIDE), load3(w.row, i, Rows.RIGHT_HAND_SIDE + 3), r)
        torsion = m.links[j, Topology.KIND] == JointKind.TORSION_SPRING
        pull = sym_mul(moved_stiffness(m, w, j, n + j), ang if torsion else lin)
        for k in range(joint_axes(m, i)):
            lin, ang = joint_axis(m, w, i, k)
            lin, ang = taken(lin, ang, r)
            w.row[i, Rows.PUSH + k] -= dot(pull, ang if torsion else lin)


# ---------------------------------------------------------------- wrenches
@far("tree springs", "mw")
def restore_wrenches(m, w):
    """Adds to all wrenches what D did."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        if m.links[j, Topology.TREE_EDGE] != TreePlace.NO_PLACE:
            restore(m, w, j, n + j)


@kernel
def restore(m, w, j, e):
    """Adds -N D q to the spring's wrench, and takes it from that of the joint, in whose coordinates it acted."""
    c = m.links[j, Topology.CHILD]
    p = m.links[j, Topology.PARENT]
    ang = load3(w.velocity, c, 3)
    lin = add(load3(w.velocity, c, 0), cross(ang, load3(w.edge, e, Edges.RC)))
    if p >= 0:
        turn = load3(w.velocity, p, 3)
        lin = sub(lin, add(load3(w.velocity, p, 0), cross(turn, load3(w.edge, e, Edges.RP))))
        ang = sub(ang, turn)
    torsion = m.links[j, Topology.KIND] == JointKind.TORSION_SPRING
    pull = scale(-1.0, sym_mul(moved_stiffness(m, w, j, e), ang if torsion else lin))
    add_to3(w.wrench, e, 3 if torsion else 0, pull)
    i = m.links[j, Topology.TREE_EDGE]
    if i >= 0:
        back = scale(-1.0 if c == i else 1.0, pull)
        if torsion:
            add_to3(w.wrench, i, 3, back)
        else:
            add_to3(w.wrench, i, 0, back)
            add_to3(w.wrench, i, 3, cross(lever(m, w, j, e), back))


# ---------------------------------------------------------------- joints of several axes
@far("tree springs", "mw")
def turn_axes(m, w):
    """Gives every joint whose D is full axes in which it is diagonal. What they replace is kept in Work.spare."""
    for j in range(m.links.shape[0]):
        i = m.links[j, Topology.TREE_EDGE]
        if (
            i >= 0
            and m.topology[i, Topology.PATH] == Path.AXES
            and m.topology[i, Topology.DOFS] > 1
            and w.spare[i, Turned.TURNED] == 0.0
        ):
            w.spare[i, Turned.TURNED] = 1.0
            for k in range(18):
                w.spare[i, Turned.TURNED_AXES + k] = w.edge[i, Edges.AXIS + k]
            for k in range(9):
                w.spare[i, Turned.TURNED_ROW + k] = w.row[i, Rows.STIFF_BLOCK + k]
            make_diagonal(w.edge, w.row, i, m.topology[i, Topology.DOFS])


@far("tree springs", "mw")
def turn_back(m, w):
    """Restores the axes of these joints."""
    for j in range(m.links.shape[0]):
        i = m.links[j, Topology.TREE_EDGE]
        if i >= 0 and w.spare[i, Turned.TURNED] != 0.0:
            w.spare[i, Turned.TURNED] = 0.0
            for k in range(18):
                w.edge[i, Edges.AXIS + k] = w.spare[i, Turned.TURNED_AXES + k]
            for k in range(9):
                w.row[i, Rows.STIFF_BLOCK + k] = w.spare[i, Turned.TURNED_ROW + k]


@kernel
def make_diagonal(edge, row, i, count):
    """Changes D to D' with D = L D' L^T, the largest pivot first (so that no axis grows): S_c -= l S_p, d_c -= l d_p, l
    = D_cp / D_pp."""
    for p in range(count - 1):
        q = p
        for c in range(p + 1, count):
            if row[i, Rows.STIFF_BLOCK + c] > row[i, Rows.STIFF_BLOCK + q]:
                q = c
        if q != p:
            exchange(edge, row, i, p, q, count)
        pivot = row[i, Rows.STIFF_BLOCK + p]
        for c in range(p + 1, count):
            l = row[i, Rows.STIFF_BLOCK + place(p, c)] / pivot if pivot > 0.0 else 0.0
            for k in range(6):
                edge[i, Edges.AXIS + 6 * c + k] -= l * edge[i, Edges.AXIS + 6 * p + k]
            row[i, Rows.PUSH + c] -= l * row[i, Rows.PUSH + p]
            for b in range(c, count):
                row[i, Rows.STIFF_BLOCK + place(c, b)] -= l * row[i, Rows.STIFF_BLOCK + place(p, b)]
            row[i, Rows.STIFF_BLOCK + c] = max(row[i, Rows.STIFF_BLOCK + c], 0.0)
    for p in range(count):
        for c in range(p + 1, count):
            row[i, Rows.STIFF_BLOCK + place(p, c)] = 0.0


@kernel
def exchange(edge, row, i, p, q, count):
    """Exchanges axes p and q."""
    for k in range(6):
        swap(edge, i, Edges.AXIS + 6 * p + k, Edges.AXIS + 6 * q + k)
    swap(row, i, Rows.PUSH + p, Rows.PUSH + q)
    swap(row, i, Rows.STIFF_BLOCK + p, Rows.STIFF_BLOCK + q)
    for c in range(count):
        if c != p and c != q:
            swap(row, i, Rows.STIFF_BLOCK + place(p, c), Rows.STIFF_BLOCK + place(q, c))


@inline
def swap(array, i, a, b):
    """Exchanges two numbers of row i."""
    x = array[i, a]
    array[i, a] = array[i, b]
    array[i, b] = x
