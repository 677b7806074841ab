"""Convex hull: vertices and faces of a polyhedron, kept in arrays shared by all hulls."""

from physics.collision import box
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeIndex, ShapeReal
from physics.maths.vec import dot, load3, mul

# Beyond this many vertices, climbing from neighbour to neighbour beats looking at each of them.
CLIMB = 48


@kernel
def support(g, i, d):
    """Returns the number, among the hull's vertices, of the vertex of hull i farthest along d (in the shape's
    frame)."""
    first = g.whole[i, ShapeIndex.FIRST_VERTEX]
    count = g.whole[i, ShapeIndex.VERTICES]
    best = first
    most = dot(load3(g.vertex, first, 0), d)
    if count <= CLIMB:
        for k in range(first + 1, first + count):
            s = dot(load3(g.vertex, k, 0), d)
            if s > most:
                most = s
                best = k
        return best - first
    climbing = True
    while climbing:
        climbing = False
        here = best
        for j in range(g.neighbour_start[here], g.neighbour_start[here + 1]):
            k = first + g.neighbour[j]
            s = dot(load3(g.vertex, k, 0), d)
            if s > most:
                most = s
                best = k
                climbing = True
    return best - first


@inline
def middle_and_half(g, i, axes):
    """Returns the middle (relative to the shape's origin) and the half sizes of a box around hull i, in the axes of the
    world."""
    m = load3(g.real, i, ShapeReal.MIDDLE)
    h = load3(g.real, i, ShapeReal.HALF)
    return mul(axes, m), box.half_extents(h, axes)
