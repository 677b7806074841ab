"""Springs and dampers between a body and what no force moves (the world, a static or a moving body): implicit in the
body's own block, so that they cost no row of the anticipation and leave the tree as sparse as it was.

With the axes N at the anchor, D = t C + t^2 K and d as of every spring, X from the body's velocity to the anchor:

    A += X^T N D N^T X,   f += X^T N d              wrench on the body N (d - D q),   q = N^T X v

The rate of a moving body is in d (`edges.add_frame_rates`). D leaves the link's row, where it would be a compliant row;
the push d stays there (`auxiliary.anticipation` adds it), and the wrench gets its share of D after the answer. In
scenes with a body that stretches, where anchors move with scales, such springs stay rows.
"""

from physics.kernels.far import far
from physics.kernels.jit import kernel
from physics.kernels.vec import (
    ZERO6, ZERO9, add, add_to_block, cross, load3, load6, negative, outer, shift_block, store3, store6, sub, sym_add,
    sym_mul,
)  # fmt: skip
from physics.layout import (
    ANCHORED, ANCHORS_ASKED, AXIS, CHILD, DOFS, K_INVERSE, KIND, PARENT, POINT_SPRING, RC, STIFF_BLOCK, TORSION_SPRING,
)  # fmt: skip


@kernel
def put_springs(m, w):
    """D of every such spring from its row to its body's block"""
    if w.control[ANCHORED] != 0:
        put_all(m, w)


@kernel
def restore_wrenches(m, w):
    """After the answer: what D did, in the springs' wrenches"""
    if w.control[ANCHORS_ASKED] != 0:
        w.control[ANCHORS_ASKED] = 0
        restore_all(m, w)


@kernel
def is_anchored(m, j):
    kind = m.links[j, KIND]
    return m.links[j, PARENT] < 0 and (kind == POINT_SPRING or kind == TORSION_SPRING)


@kernel
def moved_stiffness(m, w, j, e):
    """D as a block at the anchor: of the forces, or of the torques"""
    stiff = load6(w.edge, e, K_INVERSE)
    if m.links[j, KIND] == TORSION_SPRING:
        return stiff
    block = ZERO6
    for k in range(m.links[j, DOFS]):
        d = stiff[0] if k == 0 else stiff[1] if k == 1 else stiff[2]
        if d != 0.0:
            block = sym_add(block, outer(d, load3(w.edge, e, AXIS + 6 * k)))
    return block


@far("anchored", "mw")
def put_all(m, w):
    w.control[ANCHORS_ASKED] = 1
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        if is_anchored(m, j):
            e = n + j
            c = m.links[j, CHILD]
            store6(w.edge, e, K_INVERSE, load6(w.row, e, STIFF_BLOCK))
            store6(w.row, e, STIFF_BLOCK, ZERO6)
            stiff = moved_stiffness(m, w, j, e)
            if m.links[j, KIND] == TORSION_SPRING:
                add_to_block(w.block, c, ZERO6, ZERO9, stiff)
            else:
                vv, wv, ww = shift_block(stiff, ZERO9, ZERO6, negative(load3(w.edge, e, RC)))
                add_to_block(w.block, c, vv, wv, ww)


@far("anchored", "mw")
def restore_all(m, w):
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        if is_anchored(m, j):
            e = n + j
            c = m.links[j, CHILD]
            stiff = moved_stiffness(m, w, j, e)
            omega = load3(w.velocity, c, 3)
            if m.links[j, KIND] == TORSION_SPRING:
                store3(w.wrench, e, 3, sub(load3(w.wrench, e, 3), sym_mul(stiff, omega)))
            else:
                v = add(load3(w.velocity, c, 0), cross(omega, load3(w.edge, e, RC)))
                store3(w.wrench, e, 0, sub(load3(w.wrench, e, 0), sym_mul(stiff, v)))
