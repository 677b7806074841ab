"""Farthest points of cores and of the difference of two of them.

A core is the shape without its rounding: a point for a sphere, a segment for a capsule, the shape itself else. All is
done in the frame of the first shape: r and p are rotation and position of the second one in it. There the arithmetic
loses nothing far from the world's origin, and results turn and move with the pair.
"""

from physics.collision import box, cylinder, hull
from physics.collision.workspace import A, B, W
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeIndex, ShapeKind, ShapeReal
from physics.maths.vec import ZERO3, add, load3, mul, mul_t, negative, store3, sub


@kernel
def core_support(g, i, d):
    """Returns the point of the core of shape i farthest along d, in the shape's frame."""
    kind = g.whole[i, ShapeIndex.KIND]
    size = load3(g.real, i, ShapeReal.SIZE)
    if kind == ShapeKind.BOX:
        return box.support(size, d)
    if kind == ShapeKind.CYLINDER:
        return cylinder.support(size, d)
    if kind == ShapeKind.CAPSULE:
        return 0.0, 0.0, size[1] if d[2] >= 0.0 else -size[1]
    if kind == ShapeKind.SPHERE:
        return ZERO3
    return load3(g.vertex, g.whole[i, ShapeIndex.FIRST_VERTEX] + hull.support(g, i, d), 0)


@inline
def rounding(g, i):
    """Returns the radius of the ball that the core is widened by, m."""
    kind = g.whole[i, ShapeIndex.KIND]
    return g.real[i, ShapeReal.SIZE] if kind == ShapeKind.SPHERE or kind == ShapeKind.CAPSULE else 0.0


@kernel
def second_support(g, j, r, p, d):
    """Returns the point of the second core farthest along d, in the frame of the first."""
    return add(p, mul(r, core_support(g, j, mul_t(r, d))))


@kernel
def fill_point(g, i, j, r, p, d, room, row):
    """Writes the point of A - B farthest along d to a row of the simplex, with the points of A and B."""
    a = core_support(g, i, d)
    b = second_support(g, j, r, p, negative(d))
    store3(room.point, row, W, sub(a, b))
    store3(room.point, row, A, a)
    store3(room.point, row, B, b)
