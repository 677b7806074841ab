"""What an edge looks like to `fused` and to its columns: stiffness, and single axes at the child's centre of mass."""

from physics.kernels.jit import inline
from physics.kernels.lanes import any_of
from physics.kernels.vec import add, cross, load3, sub
from physics.layout import AXIS, JUMP, RC, RP


@inline
def centre_lever(edge, i):
    """D = rp - rc"""
    return sub(load3(edge, i, RP), load3(edge, i, RC))


@inline
def centre_jump(edge, row, i):
    """b at the child's centre of mass"""
    w = load3(row, i, JUMP + 3)
    return add(load3(row, i, JUMP), cross(load3(edge, i, RC), w)), w


@inline
def centre_axis(edge, i, c):
    """n of axis c"""
    w = load3(edge, i, AXIS + 6 * c + 3)
    return add(load3(edge, i, AXIS + 6 * c), cross(load3(edge, i, RC), w)), w


@inline
def is_stiff(d):
    """Of four: whether some joint is. The formulas for stiff joints have the same for the others."""
    return any_of(abs(d[0]) + abs(d[2]) + abs(d[5]) > 0.0)
