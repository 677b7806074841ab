"""The farthest point of a core in a direction, and that of the difference A - B of two cores.

A core is the shape without its rounding: a point for a sphere, a segment for a capsule, otherwise the shape itself. All
computations are in the frame of the first shape; r and p are the rotation and the position of the second shape in this
frame. Therefore the precision is the same far from the world's origin, and the results rotate and move with the
pair."""

from physics.collision.kinds import by_kind
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import Simplex
from physics.data.shape_tables import ShapeIndex
from physics.maths.vec import ZERO3, add, dot, mul, mul_t, negative, store3, sub


@by_kind("support", ZERO3)
def _support(kind, g, i, d):
    """Return the point of the core of shape i farthest along d. Both are in the shape's frame. `kind` is the shape's
    kind."""


@kernel
def core_support(g, i, d):
    """Return the point of the core of shape i farthest along d. Both are in the shape's frame."""
    return _support(g.whole[i, ShapeIndex.KIND], g, i, d)


@kernel
def second_support(g, j, r, p, d):
    """Return the point of the core of shape j farthest along d. Both are in the frame of the first shape, in which j
    has the rotation r and the position p."""
    return add(p, mul(r, core_support(g, j, mul_t(r, d))))


@inline
def separation(g, i, j, r, p, n):
    """Return the separation s(n) [m] of the cores of shapes i and j along the unit vector n, in the frame of i."""
    return dot(n, second_support(g, j, r, p, negative(n))) - dot(n, core_support(g, i, n))


@kernel
def fill_point(g, i, j, r, p, d, room, row):
    """Write the point of A - B farthest along d to row `row` of `room.point`, and with it the points of A and B whose
    difference it is."""
    a = core_support(g, i, d)
    b = second_support(g, j, r, p, negative(d))
    store3(room.point, row, Simplex.W, sub(a, b))
    store3(room.point, row, Simplex.A, a)
    store3(room.point, row, Simplex.B, b)
