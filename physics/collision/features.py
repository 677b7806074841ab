"""The face, edge or corner of a core that lies against a normal, as a polygon, a segment or a point.

A shape within `FACE` of lying flat shows its face, within the same angle of lying along an edge that edge. Where it
lies less flat, the corners beside the deepest one are far above the surface and come into contact only after it has
turned. Corners carry names that stay the same while the shape moves: twice the corner's number in its shape, plus one,
plus one more for the second shape of a pair. 0 is nobody's name.
"""

import math

from physics.collision import hull
from physics.collision.workspace import ROUND, X
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeIndex, ShapeKind, ShapeReal
from physics.maths.elementary import cosine, sine
from physics.maths.vec import ZERO3, add, dot, load3, mul, mul_t, norm, sub

# 15 degrees: a face of 10 cm tilted by it stands 2.6 cm off, more than any margin
FACE = cosine(math.radians(15.0))
EDGE = sine(math.radians(15.0))
# Numbers of a cylinder's corners: the round of its upper end, of the lower one, ends of a line on its mantle, a point
# of its rim.
UPPER, LOWER, LINE, RIM = 0, ROUND, 2 * ROUND, 2 * ROUND + 2
# cosines and sines of the corners that stand for a round end
ROUND_COS = tuple(cosine(2.0 * math.pi * k / ROUND) for k in range(ROUND))
ROUND_SIN = tuple(sine(2.0 * math.pi * k / ROUND) for k in range(ROUND))


@kernel
def fill_feature(g, i, r, p, n, room, side):
    """Writes what core i shows along the unit vector n to polygon `side` of the workspace, in the frame that r and p
    lead to from the shape's own. Returns how many corners it has, and the normal of the face (zero for edges and
    corners)."""
    d = mul_t(r, n)
    kind = g.whole[i, ShapeIndex.KIND]
    size = load3(g.real, i, ShapeReal.SIZE)
    count = 1
    normal = ZERO3
    if kind == ShapeKind.BOX:
        count, normal = _fill_box(size, d, room, side)
    elif kind == ShapeKind.CYLINDER:
        count, normal = _fill_cylinder(size, d, room, side)
    elif kind == ShapeKind.CAPSULE:
        count = _fill_segment(size, d, room, side)
    elif kind == ShapeKind.SPHERE:
        _put(room, side, 0, ZERO3, 0)
    else:
        count, normal = _fill_hull(g, i, d, room, side)
    for k in range(count):
        _set_corner(room, side, k, add(p, mul(r, _corner(room, side, k))))
    return count, mul(r, normal)


@kernel
def face_normal(g, i, d):
    """Returns the outward normal of the face that looks most along the unit vector d, in the shape's frame; zero if
    none does within `FACE`."""
    kind = g.whole[i, ShapeIndex.KIND]
    if kind == ShapeKind.BOX:
        for k in range(3):
            if abs(d[k]) > FACE:
                s = 1.0 if d[k] > 0.0 else -1.0
                return s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0
    elif kind == ShapeKind.CYLINDER:
        if abs(d[2]) > FACE:
            return 0.0, 0.0, 1.0 if d[2] > 0.0 else -1.0
    elif kind != ShapeKind.CAPSULE and kind != ShapeKind.SPHERE:
        f, cosine = _hull_face(g, i, d)
        if cosine > FACE:
            return load3(g.plane, f, 0)
    return ZERO3


@inline
def _set_corner(room, side, k, x):
    """Writes the place of corner k."""
    room.corner[side, k, X] = x[0]
    room.corner[side, k, X + 1] = x[1]
    room.corner[side, k, X + 2] = x[2]


@inline
def _put(room, side, k, x, number):
    """Writes place and name of corner k."""
    _set_corner(room, side, k, x)
    room.label[side, k] = 2 * number + side + 1


@inline
def _corner(room, side, k):
    """Returns the place of corner k."""
    return room.corner[side, k, X], room.corner[side, k, X + 1], room.corner[side, k, X + 2]


@kernel
def _fill_segment(size, d, room, side):
    """Writes what the segment of a capsule shows along d. Returns how many corners it has, and the normal of the
    face."""
    if abs(d[2]) < EDGE:
        _put(room, side, 0, (0.0, 0.0, -size[1]), 0)
        _put(room, side, 1, (0.0, 0.0, size[1]), 1)
        return 2
    if d[2] > 0.0:
        _put(room, side, 0, (0.0, 0.0, size[1]), 1)
    else:
        _put(room, side, 0, (0.0, 0.0, -size[1]), 0)
    return 1


@inline
def _put_box_corner(size, room, side, k, number):
    """Writes corner `number` of a box as corner k."""
    x = size[0] if number & 1 else -size[0]
    y = size[1] if number & 2 else -size[1]
    z = size[2] if number & 4 else -size[2]
    _put(room, side, k, (x, y, z), number)


@kernel
def _fill_box(size, d, room, side):
    """Writes what a box shows along d. Returns how many corners it has, and the normal of the face."""
    near = (1 if d[0] >= 0.0 else 0) + (2 if d[1] >= 0.0 else 0) + (4 if d[2] >= 0.0 else 0)
    for k in range(3):
        if abs(d[k]) > FACE:
            up = d[k] > 0.0
            a = 1 << ((k + 1) % 3)
            b = 1 << ((k + 2) % 3)
            base = (1 << k) if up else 0
            # anticlockwise seen along -n: from a to b for an upper face, from b to a for a lower one
            _put_box_corner(size, room, side, 0, base)
            _put_box_corner(size, room, side, 1, base + (a if up else b))
            _put_box_corner(size, room, side, 2, base + a + b)
            _put_box_corner(size, room, side, 3, base + (b if up else a))
            s = 1.0 if up else -1.0
            return 4, (s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0)
    for k in range(3):
        if abs(d[k]) < EDGE:
            base = near & ~(1 << k)
            _put_box_corner(size, room, side, 0, base)
            _put_box_corner(size, room, side, 1, base + (1 << k))
            return 2, ZERO3
    _put_box_corner(size, room, side, 0, near)
    return 1, ZERO3


@kernel
def _fill_cylinder(size, d, room, side):
    """Writes what a cylinder shows along d. Returns how many corners it has, and the normal of the face."""
    if abs(d[2]) > FACE:
        up = d[2] > 0.0
        for k in range(ROUND):
            # clockwise in its own x, y where the lower end is seen from outside
            m = k if up else ROUND - 1 - k
            x = (size[0] * ROUND_COS[m], size[0] * ROUND_SIN[m], size[1] if up else -size[1])
            _put(room, side, k, x, (UPPER if up else LOWER) + m)
        return ROUND, (0.0, 0.0, 1.0 if up else -1.0)
    s = size[0] / math.sqrt(d[0] * d[0] + d[1] * d[1])
    if abs(d[2]) < EDGE:
        _put(room, side, 0, (s * d[0], s * d[1], -size[1]), LINE)
        _put(room, side, 1, (s * d[0], s * d[1], size[1]), LINE + 1)
        return 2, ZERO3
    _put(room, side, 0, (s * d[0], s * d[1], size[1] if d[2] > 0.0 else -size[1]), RIM)
    return 1, ZERO3


@kernel
def _hull_face(g, i, d):
    """Returns the face that looks most along d, and the cosine between them."""
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
def _fill_hull(g, i, d, room, side):
    """Writes what hull i shows along d. Returns how many corners it has, and the normal of the face."""
    first = g.whole[i, ShapeIndex.FIRST_VERTEX]
    f, cosine = _hull_face(g, i, d)
    if cosine > FACE:
        count = g.loop_start[f + 1] - g.loop_start[f]
        for k in range(count):
            v = g.loop[g.loop_start[f] + k]
            _put(room, side, k, load3(g.vertex, first + v, 0), v)
        return count, load3(g.plane, f, 0)
    top = hull.support(g, i, d)
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
        _put(room, side, 0, x, top)
        return 1, ZERO3
    # the lower number first, so that the names do not depend on which end is deeper
    low = min(best, top)
    high = max(best, top)
    _put(room, side, 0, load3(g.vertex, first + low, 0), low)
    _put(room, side, 1, load3(g.vertex, first + high, 0), high)
    return 2, ZERO3
