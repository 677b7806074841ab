"""The distance of two convex cores A and B. It is the distance of the origin from the set A - B of all differences of
their points [Gilbert88]. The nearest point is found by simplices of points of A - B. The nearest point of a triangle
follows from the regions of its Voronoi diagram [Ericson04, 5.1.5]. If the cores overlap, or are so near that rounding
hides the direction between them, `polytope` is used instead."""

import math

from physics.collision.support import fill_point
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import Simplex
from physics.maths.vec import ZERO3, add, add_scaled, cross, dot, load3, negative, norm, scale, sub

MOST_ITERATIONS = 60
# Below this share of the size of A - B its nearest point is too inaccurate to give a direction.
NEAR = 1e-8
# The nearest point is found where a further one would gain less than this share of the distance squared.
GAIN = 1e-13
# Tetrahedra of a smaller height than this share of their edges are flat.
FLAT = 1e-10
# Rounding of a product of two lengths of A - B.
ROUNDING = 4e-16


@kernel
def separate(g, i, j, r, p, room):
    """Find the point of A - B nearest to the origin, for the cores A and B of shapes i and j. r and p are rotation and
    position of j in the frame of i. Write the simplex to `room.point`, and its weights to `room.weight`. Return whether
    the cores are apart, the number of points of the simplex, and the nearest point in the frame of i."""
    d = negative(p) if dot(p, p) > 0.0 else (1.0, 0.0, 0.0)
    fill_point(g, i, j, r, p, negative(d), room, 0)
    v = load3(room.point, 0, Simplex.W)
    room.weight[0] = 1.0
    n = 1
    size = norm(v)
    for _ in range(MOST_ITERATIONS):
        length = norm(v)
        if length <= NEAR * size:
            return False, n, v
        fill_point(g, i, j, r, p, negative(v), room, n)
        w = load3(room.point, n, Simplex.W)
        size = max(size, norm(w))
        gain = length * length - dot(v, w)
        if gain <= GAIN * length * length + ROUNDING * length * size or _is_known(room, n, w):
            return True, n, v
        n, nearest = _nearest(room, n + 1)
        if n == 4:
            return False, n, ZERO3
        if norm(nearest) >= length:
            return True, n, v
        v = nearest
    return True, n, v


@inline
def witnesses(room, n):
    """Return the points of A and of B whose difference is the nearest point. They follow from the n points of the
    simplex and their weights."""
    a = ZERO3
    b = ZERO3
    for k in range(n):
        a = add_scaled(a, room.weight[k], load3(room.point, k, Simplex.A))
        b = add_scaled(b, room.weight[k], load3(room.point, k, Simplex.B))
    return a, b


@inline
def _is_known(room, n, w):
    """Return whether the point w is already one of the n points of the simplex."""
    for k in range(n):
        q = load3(room.point, k, Simplex.W)
        if q[0] == w[0] and q[1] == w[1] and q[2] == w[2]:
            return True
    return False


@kernel
def _nearest(room, n):
    """Find the point of the simplex that is nearest to the origin. Keep only those of its n points in `room` of which
    it is a combination, and write their weights. Return their number and the nearest point. The number is 4 if the
    origin is inside."""
    if n == 2:
        return _nearest_of_segment(room)
    if n == 3:
        return _nearest_of_triangle(room, 0, 1, 2)
    return _nearest_of_tetrahedron(room)


@kernel
def _nearest_of_segment(room):
    """Do what `_nearest` does, for a segment: the first two rows of the simplex."""
    a = load3(room.point, 0, Simplex.W)
    b = load3(room.point, 1, Simplex.W)
    e = sub(b, a)
    square = dot(e, e)
    t = -dot(a, e) / square if square > 0.0 else 0.0
    if t <= 0.0:
        room.weight[0] = 1.0
        return 1, a
    if t >= 1.0:
        _move(room, 1, 0)
        room.weight[0] = 1.0
        return 1, b
    room.weight[0] = 1.0 - t
    room.weight[1] = t
    return 2, add_scaled(a, t, e)


@inline
def _move(room, source, target):
    """Copy row `source` of the simplex to row `target`."""
    for c in range(9):
        room.point[target, c] = room.point[source, c]


@inline
def _triangle_weights(a, b, c):
    """Return the barycentric weights of the point of the triangle a, b, c nearest to the origin."""
    ab = sub(b, a)
    ac = sub(c, a)
    d1 = -dot(ab, a)
    d2 = -dot(ac, a)
    d3 = -dot(ab, b)
    d4 = -dot(ac, b)
    d5 = -dot(ab, c)
    d6 = -dot(ac, c)
    vc = d1 * d4 - d3 * d2
    vb = d5 * d2 - d1 * d6
    va = d3 * d6 - d5 * d4
    if d1 <= 0.0 and d2 <= 0.0:
        return 1.0, 0.0, 0.0
    if d3 >= 0.0 and d4 <= d3:
        return 0.0, 1.0, 0.0
    if vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        t = d1 / (d1 - d3)
        return 1.0 - t, t, 0.0
    if d6 >= 0.0 and d5 <= d6:
        return 0.0, 0.0, 1.0
    if vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        t = d2 / (d2 - d6)
        return 1.0 - t, 0.0, t
    if va <= 0.0 and d4 >= d3 and d5 >= d6:
        t = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return 0.0, 1.0 - t, t
    s = 1.0 / (va + vb + vc)
    return va * s, vb * s, vc * s


@inline
def _triangle_point(a, b, c, x, y, z):
    """Return the point of the triangle with these barycentric weights, which is the one nearest to the origin. Inside
    the triangle, it is computed as a multiple of the normal, because this has smaller rounding errors."""
    if x > 0.0 and y > 0.0 and z > 0.0:
        n = cross(sub(b, a), sub(c, a))
        return scale(dot(n, a) / dot(n, n), n)
    return add(add(scale(x, a), scale(y, b)), scale(z, c))


@kernel
def _nearest_of_triangle(room, i, j, k):
    """Do what `_nearest` does, for a triangle: rows i < j < k of the simplex. The rows that are kept become the first
    rows."""
    a = load3(room.point, i, Simplex.W)
    b = load3(room.point, j, Simplex.W)
    c = load3(room.point, k, Simplex.W)
    x, y, z = _triangle_weights(a, b, c)
    v = _triangle_point(a, b, c, x, y, z)
    n = 0
    if x > 0.0:
        _move(room, i, n)
        room.weight[n] = x
        n += 1
    if y > 0.0:
        _move(room, j, n)
        room.weight[n] = y
        n += 1
    if z > 0.0:
        _move(room, k, n)
        room.weight[n] = z
        n += 1
    return n, v


@kernel
def _nearest_of_tetrahedron(room):
    """Do what `_nearest` does, for a tetrahedron: all four rows of the simplex. The nearest point is that of the
    nearest face, among the faces that have the origin on their outer side."""
    best = math.inf
    face = -1
    for f in range(4):
        i, j, k = _face_rows(f)
        a = load3(room.point, i, Simplex.W)
        b = load3(room.point, j, Simplex.W)
        c = load3(room.point, k, Simplex.W)
        n = cross(sub(b, a), sub(c, a))
        e = sub(load3(room.point, f, Simplex.W), a)
        opposite = dot(n, e)
        # a flat tetrahedron has no inside: whichever side the origin seems to be on is rounding
        if -dot(n, a) * opposite > 0.0 and abs(opposite) > FLAT * norm(n) * norm(e):
            continue
        x, y, z = _triangle_weights(a, b, c)
        v = _triangle_point(a, b, c, x, y, z)
        if dot(v, v) < best:
            best = dot(v, v)
            face = f
    if face < 0:
        return 4, ZERO3
    i, j, k = _face_rows(face)
    return _nearest_of_triangle(room, i, j, k)


@inline
def _face_rows(f):
    """Return the three rows of the simplex other than f, in ascending order."""
    return (1 if f == 0 else 0), (2 if f < 2 else 1), (3 if f < 3 else 2)
