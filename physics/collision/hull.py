"""Convex hull: the vertices and faces of a polyhedron. All hulls share the arrays that contain them."""

from physics.collision import box
from physics.collision.corners import EDGE, FACE, put_corner
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeIndex, ShapeReal
from physics.maths.vec import ZERO3, add, dot, load3, mul, norm, sub

# Beyond this many vertices, climbing from neighbour to neighbour beats looking at each of them.
CLIMB = 48


@inline
def support(g, i, d):
    """Return the vertex of hull i farthest along d. Both are in the shape's frame."""
    return load3(g.vertex, g.whole[i, ShapeIndex.FIRST_VERTEX] + farthest_vertex(g, i, d), 0)


@kernel
def farthest_vertex(g, i, d):
    """Return the number of the vertex of hull i farthest along d. It counts within the hull, and d is in the shape's
    frame."""
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
def bounds(g, i, origin, axes):
    """Return the middle and the half sizes [m] of a box along the world's axes. It contains the bounding box of hull i,
    which is given in the shape's axes. The shape is at `origin`, and `axes` is its 3x3 rotation matrix."""
    shift = mul(axes, load3(g.real, i, ShapeReal.MIDDLE))
    return add(origin, shift), box.half_extents(load3(g.real, i, ShapeReal.HALF), axes)


@kernel
def _nearest_face(g, i, d):
    """Return the face of hull i whose normal has the smallest angle to the unit vector d, and the cosine of this
    angle."""
    first = g.whole[i, ShapeIndex.FIRST_FACE]
    best = first
    most = -2.0
    for f in range(first, first + g.whole[i, ShapeIndex.FACES]):
        s = dot(load3(g.plane, f, 0), d)
        if s > most:
            most = s
            best = f
    return best, most


@kernel
def feature(g, i, d, room, side):
    """Write the face, edge or vertex of hull i that faces along d to polygon `side` of the workspace. Return its number
    of corners, and the normal of the face (zero for an edge or a vertex)."""
    first = g.whole[i, ShapeIndex.FIRST_VERTEX]
    f, cosine = _nearest_face(g, i, d)
    if cosine > FACE:
        count = g.loop_start[f + 1] - g.loop_start[f]
        for k in range(count):
            v = g.loop[g.loop_start[f] + k]
            put_corner(room, side, k, load3(g.vertex, first + v, 0), v)
        return count, load3(g.plane, f, 0)
    top = farthest_vertex(g, i, d)
    x = load3(g.vertex, first + top, 0)
    best = -1
    least = EDGE
    for k in range(g.neighbour_start[first + top], g.neighbour_start[first + top + 1]):
        v = g.neighbour[k]
        e = sub(load3(g.vertex, first + v, 0), x)
        s = abs(dot(e, d)) / norm(e)
        if s < least:
            least = s
            best = v
    if best < 0:
        put_corner(room, side, 0, x, top)
        return 1, ZERO3
    # the lower number first, so that the names do not depend on which end is deeper
    low = min(best, top)
    high = max(best, top)
    put_corner(room, side, 0, load3(g.vertex, first + low, 0), low)
    put_corner(room, side, 1, load3(g.vertex, first + high, 0), high)
    return 2, ZERO3


@kernel
def face(g, i, d):
    """Return the outward normal, in the shape's frame, of the face of hull i whose normal is nearest to the unit vector
    d. If the angle between them is above 15 degrees (cosine `FACE`), return zero."""
    f, cosine = _nearest_face(g, i, d)
    return load3(g.plane, f, 0) if cosine > FACE else ZERO3
