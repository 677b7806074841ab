"""An edge as `fused` and its columns use it: its stiffness, and its single axes at the parent's centre of mass."""

from physics.compiler.jit import inline
from physics.data.work_tables import Edges, Rows
from physics.maths.lanes import any_of, is_world
from physics.maths.vec import add, cross, load3, sub


@inline
def parent_lever(edge, i, p):
    """Return the lever from the parent's centre of mass to the anchor of edge i; of a root the lever from its own
    centre of mass."""
    if is_world(p):
        return load3(edge, i, Edges.RC)
    return load3(edge, i, Edges.RP)


@inline
def centre_lever(edge, i, p):
    """Return the vector D from the parent's centre of mass to the child's; of a root zero."""
    return sub(parent_lever(edge, i, p), load3(edge, i, Edges.RC))


@inline
def parent_right_hand_side(edge, row, i, p):
    """Return b of edge i as a twist at the parent's centre of mass."""
    w = load3(row, i, Rows.RIGHT_HAND_SIDE + 3)
    return add(load3(row, i, Rows.RIGHT_HAND_SIDE), cross(parent_lever(edge, i, p), w)), w


@inline
def parent_axis(edge, i, p, c):
    """Return axis c of edge i as a twist at the parent's centre of mass."""
    w = load3(edge, i, Edges.AXIS + 6 * c + 3)
    return add(load3(edge, i, Edges.AXIS + 6 * c), cross(parent_lever(edge, i, p), w)), w


@inline
def is_stiff(d):
    """Return whether the packed D is not zero in some lane of a SIMD group. In the other lanes the formulas for stiff
    joints give the same result."""
    return any_of(abs(d[0]) + abs(d[2]) + abs(d[5]) > 0.0)
