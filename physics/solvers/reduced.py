"""What the reduced modes `jsim` and `aba` share: the motion subspaces S of joints, and the levers between anchors.

    v = S q' + v_g:     y = y_p + N q' + b     root to leaves, twists at the anchor of each joint
    child's velocity    v = y_v + rc x y_w,  w = y_w;        y_p = (v_p + w_p x rp, w_p), zero for the world

A particle has no orientation: its twist is (v, 0), and only the force of a wrench acts on it. A particle moves freely
(three coordinates) or is held by a ball joint, which leaves it no motion of its own. A body whose parent is a particle
turns freely about it on a ball joint.

A planar body is a rigid one whose free root has three axes, two in its plane and its normal. Its joints do not act
across the plane: the plane carries the forces that push the body out of it, and these are not part of the joint
wrenches.
"""

import numpy as np

from physics.compiler.table import Table, column
from physics.compiler.jit import inline, kernel
from physics.data.model import Ints
from physics.data.model_tables import BodyKind, Forms, JointKind, Path, Topology
from physics.data.work_tables import Edges, Rows
from physics.maths.vec import ZERO3, ZERO6, ZERO9, add, add_scaled, cross, dot, load3, scale, store3, store6, sub


class Motion(Table):
    """Kinds of motion of a body relative to its parent."""

    WELDED = 0  # not at all
    HINGED = 1  # about one axis through the anchor
    TURNING = 2  # about a ball joint: three rotations, in world axes
    ON_AXES = 3  # along one to three twist axes; also a free planar root
    FLOATING = 4  # a free rigid root: by its velocity (v, w) itself
    DRIFTING = 5  # a free particle: by its velocity v
    HELD = 6  # a particle on a ball joint


class Levers(Table, array="lever"):
    """Levers of a body and its joint, world axes."""

    TO_ANCHOR = column("rc, from the body to its anchor", "m", 3)
    FROM_PARENT = column("rp, from the parent to that anchor", "m", 3)
    FROM_ANCHOR = column("from the parent's own anchor to this one", "m", 3)


def motion_codes(topology: Ints) -> Ints:
    """Return the kind of motion (`Motion`) of each joint."""
    codes = np.zeros(len(topology), np.int64)
    kind = topology[:, Topology.KIND]
    point = topology[:, Topology.BODY_KIND] == BodyKind.PARTICLE
    codes[(kind == JointKind.HINGE)] = Motion.HINGED
    codes[~point & (kind == JointKind.BALL)] = Motion.TURNING
    codes[~point & (kind != JointKind.BALL) & (kind != JointKind.HINGE) & (topology[:, Topology.DOFS] > 0)] = (
        Motion.ON_AXES
    )
    codes[(topology[:, Topology.BODY_KIND] == BodyKind.RIGID) & (kind == JointKind.FREE)] = Motion.FLOATING
    codes[point & (kind == JointKind.FREE)] = Motion.DRIFTING
    codes[point & (kind != JointKind.FREE)] = Motion.HELD
    return codes


@inline
def is_point(topology, i):
    """Return whether body i is a particle."""
    return topology[i, Topology.BODY_KIND] == BodyKind.PARTICLE


@inline
def has_spring(topology, i):
    """Return whether D and d act on joint i: not on free roots, nor on joints of a particle."""
    path = topology[i, Topology.PATH]
    return path == Path.BALL or path == Path.HINGE or path == Path.AXES


@kernel
def fill_levers(topology, form, edge, lever):
    """Copy the levers from `edge` (Work.edge) to `lever`, with zero levers for particles. Write the axes of free planar
    roots, which no joint writes, to `edge`."""
    for i in range(topology.shape[0]):
        if topology[i, Topology.BODY_KIND] == BodyKind.PLANAR and topology[i, Topology.KIND] == JointKind.FREE:
            put_plane(form, edge, i)
        p = topology[i, Topology.PARENT]
        rc = (
            ZERO3 if is_point(topology, i) or topology[i, Topology.KIND] == JointKind.FREE else load3(edge, i, Edges.RC)
        )
        rp = ZERO3 if p < 0 or is_point(topology, p) else load3(edge, i, Edges.RP)
        store3(lever, i, Levers.TO_ANCHOR, rc)
        store3(lever, i, Levers.FROM_PARENT, rp)
        store3(lever, i, Levers.FROM_ANCHOR, rp if p < 0 else sub(rp, load3(lever, p, Levers.TO_ANCHOR)))


@kernel
def put_plane(form, edge, i):
    """Write the motion axes of planar body i, at its centre of mass, to row i of `edge`."""
    store3(edge, i, Edges.AXIS, load3(form, i, Forms.FIRST))
    store3(edge, i, Edges.AXIS + 3, ZERO3)
    store3(edge, i, Edges.AXIS + 6, load3(form, i, Forms.SECOND))
    store3(edge, i, Edges.AXIS + 9, ZERO3)
    store3(edge, i, Edges.AXIS + 12, ZERO3)
    store3(edge, i, Edges.AXIS + 15, load3(form, i, Forms.NORMAL))


@inline
def put_wrench(topology, form, i, fv, fw, wrench):
    """Write the wrench (fv, fw) of joint i to `wrench`; of a planar body's joint only the part in the plane."""
    if topology[i, Topology.BODY_KIND] == BodyKind.PLANAR:
        n = load3(form, i, Forms.NORMAL)
        fv = add_scaled(fv, -dot(n, fv), n)
        fw = scale(dot(n, fw), n)
    store6(wrench, i, 0, (fv[0], fv[1], fv[2], fw[0], fw[1], fw[2]))


@inline
def right_hand_side(topology, i, row):
    """Return b of edge i, which is zero for a free root; the angular part is also zero for a ball joint."""
    kind = topology[i, Topology.KIND]
    if kind == JointKind.FREE:
        return ZERO3, ZERO3
    return load3(row, i, Rows.RIGHT_HAND_SIDE), ZERO3 if kind == JointKind.BALL else load3(
        row, i, Rows.RIGHT_HAND_SIDE + 3
    )


@inline
def carried_twist(topology, i, lever, velocity, row):
    """Return y_p + b: the twist of body i at its anchor while its joint does not move."""
    p = topology[i, Topology.PARENT]
    yv = ZERO3
    yw = ZERO3
    if p >= 0:
        yw = load3(velocity, p, 3)
        yv = add(load3(velocity, p, 0), cross(yw, load3(lever, i, Levers.FROM_PARENT)))
    bv, bw = right_hand_side(topology, i, row)
    return add(yv, bv), add(yw, bw)


@inline
def store_velocity(topology, i, lever, yv, yw, velocity):
    """Write the velocity of body i from its twist (yv, yw) at the anchor."""
    if is_point(topology, i):
        yw = ZERO3
    store3(velocity, i, 0, add(yv, cross(load3(lever, i, Levers.TO_ANCHOR), yw)))
    store3(velocity, i, 3, yw)


@inline
def body_block(topology, block, i):
    """Return (vv, wv, ww) of row i of `block`; a particle's block is 3x3."""
    vv = (block[i, 0], block[i, 1], block[i, 2], block[i, 3], block[i, 4], block[i, 5])
    if is_point(topology, i):
        return vv, ZERO9, ZERO6
    wv = (
        block[i, 6], block[i, 7], block[i, 8], block[i, 10], block[i, 11], block[i, 12],
        block[i, 15], block[i, 16], block[i, 17],
    )  # fmt: skip
    return vv, wv, (block[i, 9], block[i, 13], block[i, 14], block[i, 18], block[i, 19], block[i, 20])
