"""What an edge looks like to `fused` and to its columns: stiffness, and single axes at the parent's centre of mass."""

from physics.compiler.jit import inline
from physics.data.work_tables import Edges, Rows
from physics.maths.lanes import any_of, is_world
from physics.maths.vec import add, cross, load3, sub


@inline
def parent_lever(edge, i, p):
    """From the parent's centre of mass to the anchor; of a root from its own"""
    if is_world(p):
        return load3(edge, i, Edges.RC)
    return load3(edge, i, Edges.RP)


@inline
def centre_lever(edge, i, p):
    """D, from there to the child's centre of mass"""
    return sub(parent_lever(edge, i, p), load3(edge, i, Edges.RC))


@inline
def parent_jump(edge, row, i, p):
    """b, seen there"""
    w = load3(row, i, Rows.RIGHT_HAND_SIDE + 3)
    return add(load3(row, i, Rows.RIGHT_HAND_SIDE), cross(parent_lever(edge, i, p), w)), w


@inline
def parent_axis(edge, i, p, c):
    """n of axis c, seen there"""
    w = load3(edge, i, Edges.AXIS + 6 * c + 3)
    return add(load3(edge, i, Edges.AXIS + 6 * c), cross(parent_lever(edge, i, p), w)), w


@inline
def is_stiff(d):
    """Of four: whether some joint is. The formulas for stiff joints have the same for the others."""
    return any_of(abs(d[0]) + abs(d[2]) + abs(d[5]) > 0.0)
