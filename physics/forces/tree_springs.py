"""Springs between bodies that are implicit, but need no row of the anticipation; the tree stays as sparse as it was.
The rate of a spring is that of its child's anchor relative to its parent's, q = N^T (X u_child - X u_parent). Its
wrench is N (d - D q) with D = t C + t^2 K. The forces on the two bodies contain d already (`links.anticipation`). D is
added

- between a body and what no force moves (the world, a static or a moving body) to the body's own block:

    A += X^T N D N^T X                       the rate of a moving body is in d (`joint_springs.add_frame_rates`)

- between a body and its parent in the forest to the joint's own coordinates, because the spring depends only on the
  twist of the one relative to the other, y_child - y_parent = S r + b with the joint's axes S:

    D_joint += G D G^T,   d_joint -= G D N^T b,   G = S^T N,   S and b taken to the spring's anchor

  In a joint with two or three axes this makes D a full matrix, of which solver modes use the diagonal. `turn_axes`
  gives the joint other axes, S' = S L^-T with D = L D' L^T, and `turn_back` restores its own after the answer;
  r' = L^T r, d' = L^-1 d.

All other springs between two bodies are rows, and so are all springs in scenes with a scaled body, where anchors move
with the scales. After the answer the force of D is added to the wrench of the spring and subtracted from that of the
joint.
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
    """Set Control.TREE_SPRINGS_ASKED to 0: no request with springs in the forest has been made."""
    w.control[Control.TREE_SPRINGS_ASKED] = 0


@inline
def stiffen(m, s, w):
    """Add D of all springs in the forest to Work.block or Work.row, before what depends on velocities."""
    add_stiffness(m, w)


@kernel
def account(m, s, w):
    """Add the forces of D of all springs in the forest to Work.wrench after the answer to a request. Return DONE."""
    if w.control[Control.TREE_SPRINGS_ASKED] != 0:
        w.control[Control.TREE_SPRINGS_ASKED] = 0
        restore_wrenches(m, w)
    return Request.DONE


@far("tree springs", "mw")
def add_stiffness(m, w):
    """Add D of the springs that need no rows to the system. A spring to something that no force moves is added to the
    block of its body in Work.block. A spring between the two bodies of a joint is added to D of that joint in
    Work.row."""
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
    """Return D of the spring of link j (edge e) as a packed 3x3 block at its anchor: of torques for a torsion spring,
    else of forces."""
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
    """Add D of the spring of link j (edge e) to Work.block of its child."""
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
    """Return the vector [m] from a joint's anchor to the anchor of the spring that lies across the joint (link j, edge
    e). Both anchors are on the joint's child."""
    i = m.links[j, Topology.TREE_EDGE]
    own = Edges.RC if m.links[j, Topology.CHILD] == i else Edges.RP
    return sub(load3(w.edge, e, own), load3(w.edge, i, Edges.RC))


@inline
def taken(lin, ang, r):
    """Return the twist (lin, ang) at a point that is displaced by r."""
    return add(lin, cross(ang, r)), ang


@kernel
def joint_axis(m, w, i, k):
    """Return axis k of joint i as a twist at its anchor."""
    if m.topology[i, Topology.PATH] == Path.BALL:
        return ZERO3, (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0)
    return load3(w.edge, i, Edges.AXIS + 6 * k), load3(w.edge, i, Edges.AXIS + 6 * k + 3)


@inline
def joint_axes(m, i):
    """Return the number of axes of joint i."""
    return 3 if m.topology[i, Topology.PATH] == Path.BALL else m.topology[i, Topology.DOFS]


@inline
def place(a, b):
    """Return the place in STIFF_BLOCK of element (a, b) of the stiffness between axes: the diagonal comes first."""
    return a if a == b else a + b + 2


@kernel
def put_in_joint(m, w, j, e):
    """Add G D G^T of the spring of link j (edge e) to D of the joint that it lies across, in Work.row."""
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
    """Subtract G D N^T b of all springs across joints from d of these joints in Work.row."""
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
    """Add the forces of D of all springs in the forest to Work.wrench."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        if m.links[j, Topology.TREE_EDGE] != TreePlace.NO_PLACE:
            restore(m, w, j, n + j)


@kernel
def restore(m, w, j, e):
    """Add -N D q of the spring of link j (edge e) to its row of Work.wrench. If the spring acted in the coordinates of
    a joint, subtract it from the wrench of that joint."""
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
    """Give every joint whose D is a full matrix axes in which D is diagonal, in Work.edge and Work.row. Keep the axes,
    D and d that they replace in Work.spare."""
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
    """Restore the axes, D and d that `turn_axes` has replaced, from Work.spare."""
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
    """Replace D of row i by the diagonal D' with D = L D' L^T, and transform axes and d with it: S_c -= l S_p, d_c -= l
    d_p, l = D_cp / D_pp. The largest pivot p comes first, so that no axis grows."""
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
    """Exchange axes p and q of joint i in `edge`, and their d and D in `row`."""
    for k in range(6):
        swap(edge, i, Edges.AXIS + 6 * p + k, Edges.AXIS + 6 * q + k)
    swap(row, i, Rows.PUSH + p, Rows.PUSH + q)
    swap(row, i, Rows.STIFF_BLOCK + p, Rows.STIFF_BLOCK + q)
    for c in range(count):
        if c != p and c != q:
            swap(row, i, Rows.STIFF_BLOCK + place(p, c), Rows.STIFF_BLOCK + place(q, c))


@inline
def swap(array, i, a, b):
    """Exchange the numbers a and b of row i of `array`."""
    x = array[i, a]
    array[i, a] = array[i, b]
    array[i, b] = x
