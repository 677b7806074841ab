"""The contact points of two cores whose contact normal is known. They are where the features of the two overlap, seen
along the normal.

Both features are projected on the plane across the normal n. The corners of the overlap of the two polygons (or
segments, or points) are the candidates. Over this plane, with the coordinates (u, v), each feature has the height h(u,
v) along n. Therefore the gap of a candidate is

    h_second(u, v) - h_first(u, v) - both roundings.

If there are more than four candidates, only those stay that are farthest out in four directions at right angles."""

import math

from physics.collision.corners import corner
from physics.collision.features import fill_feature
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import Candidates, Corners, Polygon, Sheets
from physics.maths.elementary import cosine, sine
from physics.maths.vec import IDENTITY9, ZERO3, cross, dot, negative, norm, scale

# Segments whose directions differ by less than this (sine) touch along a line. The ends of the overlap then miss the
# other segment by half a hundredth of their length at most; a capsule's gap there is off by that squared over its
# diameter.
PARALLEL = 0.01
# The four directions stand at this angle to the first axis across the normal, so that corners of aligned boxes do not
# compete.
ASKEW = 0.55
ASKEW_COS, ASKEW_SIN = cosine(ASKEW), sine(ASKEW)
# base of the numbers that features are made of: the names of the edges that meet
NAMES = 1 << 24


@inline
def basis(n):
    """Return two unit vectors that form a right-handed frame with the unit vector n. They change continuously with n,
    as long as the same component of n is the smallest."""
    x, y, z = abs(n[0]), abs(n[1]), abs(n[2])
    if x <= y and x <= z:
        e = (1.0, 0.0, 0.0)
    elif y <= z:
        e = (0.0, 1.0, 0.0)
    else:
        e = (0.0, 0.0, 1.0)
    u = cross(e, n)
    u = scale(1.0 / norm(u), u)
    return u, cross(n, u)


@kernel
def fill_manifold(g, i, j, r, p, n, slack, room):
    """Write the candidates for contact points of shapes i and j to `room.found` and `room.feature`. Return their
    number. The unit normal n points from i to j, in the frame of i. Corners and edges that miss each other by up to
    `slack` [m] count as meeting. Therefore, if two equal boxes lie on each other, the candidates are their corners."""
    u, v = basis(n)
    a, a_normal = fill_feature(g, i, IDENTITY9, ZERO3, n, room, Polygon.FIRST)
    b, b_normal = fill_feature(g, j, r, p, negative(n), room, Polygon.SECOND)
    _project(room, Polygon.FIRST, a, u, v)
    _project(room, Polygon.SECOND, b, u, v)
    _fill_sheet(room, Polygon.FIRST, a, a_normal, n, u, v)
    _fill_sheet(room, Polygon.SECOND, b, b_normal, n, u, v)
    if a == 1:
        count = _corner(room, Polygon.FIRST, Polygon.SECOND, b, slack)
    elif b == 1:
        count = _corner(room, Polygon.SECOND, Polygon.FIRST, a, slack)
    elif a == 2 and b == 2:
        count = _segments(room, slack)
    elif a == 2:
        count = _segment_in_polygon(room, Polygon.FIRST, Polygon.SECOND, b, slack)
    elif b == 2:
        count = _segment_in_polygon(room, Polygon.SECOND, Polygon.FIRST, a, slack)
    else:
        count = _polygons(room, a, b, slack)
    for k in range(count):
        low = _height(room, Polygon.FIRST, room.found[k, Candidates.U], room.found[k, Candidates.V])
        high = _height(room, Polygon.SECOND, room.found[k, Candidates.U], room.found[k, Candidates.V])
        room.found[k, Candidates.GAP] = high - low
        room.found[k, Candidates.HEIGHT] = 0.5 * (high + low)
    return count


@kernel
def fill_manifold_on_plane(g, j, r, p, room):
    """Write the candidates of a half space below z = 0 and shape j to `room.found` and `room.feature`. Return their
    number. The normal is along z. All corners of the feature of shape j are candidates."""
    n = (0.0, 0.0, 1.0)
    u, v = basis(n)
    side = Polygon.SECOND
    count, _ = fill_feature(g, j, r, p, negative(n), room, side)
    _project(room, side, count, u, v)
    for k in range(count):
        z = room.corner[side, k, Corners.X + 2]
        _find(room, k, room.corner[side, k, Corners.U], room.corner[side, k, Corners.V], 0, room.label[side, k])
        room.found[k, Candidates.GAP] = z
        room.found[k, Candidates.HEIGHT] = 0.5 * z
    return count


@inline
def _height(room, side, u, v):
    """Return the height [m] of polygon `side` along the normal at (u, v)."""
    return (
        room.sheet[side, Sheets.H]
        + room.sheet[side, Sheets.DU] * (u - room.sheet[side, Sheets.U])
        + room.sheet[side, Sheets.DV] * (v - room.sheet[side, Sheets.V])
    )


@kernel
def _project(room, side, count, u, v):
    """Write the coordinates [m] along the unit vectors u and v for the first `count` corners of polygon `side` of the
    workspace."""
    for k in range(count):
        x = corner(room, side, k)
        room.corner[side, k, Corners.U] = dot(x, u)
        room.corner[side, k, Corners.V] = dot(x, v)


@kernel
def _fill_sheet(room, side, count, normal, n, u, v):
    """Write to room.sheet[side] the height of a feature over the plane across n, as a linear function of (u, v). For a
    face it follows from the normal of the face. For a segment it changes only along the segment, and for a corner it is
    constant."""
    first = corner(room, side, 0)
    room.sheet[side, Sheets.H] = dot(first, n)
    room.sheet[side, Sheets.U] = room.corner[side, 0, Corners.U]
    room.sheet[side, Sheets.V] = room.corner[side, 0, Corners.V]
    du = 0.0
    dv = 0.0
    if count > 2:
        s = dot(normal, n)
        du = -dot(normal, u) / s
        dv = -dot(normal, v) / s
    elif count == 2:
        second = corner(room, side, 1)
        eu = room.corner[side, 1, Corners.U] - room.corner[side, 0, Corners.U]
        ev = room.corner[side, 1, Corners.V] - room.corner[side, 0, Corners.V]
        s = (dot(second, n) - dot(first, n)) / (eu * eu + ev * ev)
        du = s * eu
        dv = s * ev
    room.sheet[side, Sheets.DU] = du
    room.sheet[side, Sheets.DV] = dv


@inline
def _find(room, k, u, v, into, out):
    """Write candidate k at (u, v). Its feature is the number made of the names of the two edges that meet there, `into`
    and `out`."""
    room.found[k, Candidates.U] = u
    room.found[k, Candidates.V] = v
    room.feature[k] = into * NAMES + out


@kernel
def _corner(room, side, other, count, slack):
    """Write the only corner of polygon `side` as candidate 0, if it lies over polygon `other` of `count` corners,
    within `slack` [m]. Return the number of candidates, 0 or 1."""
    u = room.corner[side, 0, Corners.U]
    v = room.corner[side, 0, Corners.V]
    if count > 2:
        turn = 1.0 if _area(room, other, count) > 0.0 else -1.0
        for k in range(count):
            m = k + 1 if k + 1 < count else 0
            if _outside(room, other, k, m, turn, u, v) > slack:
                return 0
    else:
        x = room.corner[other, 0, Corners.U]
        y = room.corner[other, 0, Corners.V]
        if count == 2:
            eu = room.corner[other, 1, Corners.U] - x
            ev = room.corner[other, 1, Corners.V] - y
            t = max(0.0, min(((u - x) * eu + (v - y) * ev) / (eu * eu + ev * ev), 1.0))
            x += t * eu
            y += t * ev
        if (u - x) * (u - x) + (v - y) * (v - y) > slack * slack:
            return 0
    _find(room, 0, u, v, room.label[Polygon.FIRST, 0], room.label[Polygon.SECOND, 0])
    return 1


@inline
def _at(room, side, t):
    """Return the point (u, v) at the fraction t of the edge from corner 0 to corner 1."""
    return (
        room.corner[side, 0, Corners.U] + t * (room.corner[side, 1, Corners.U] - room.corner[side, 0, Corners.U]),
        room.corner[side, 0, Corners.V] + t * (room.corner[side, 1, Corners.V] - room.corner[side, 0, Corners.V]),
    )


@kernel
def _segments(room, slack):
    """Write the candidates of two segments. If they are parallel, these are the ends of their overlap; else it is the
    point where they cross, if they do. Return the number of candidates."""
    au = room.corner[Polygon.FIRST, 1, Corners.U] - room.corner[Polygon.FIRST, 0, Corners.U]
    av = room.corner[Polygon.FIRST, 1, Corners.V] - room.corner[Polygon.FIRST, 0, Corners.V]
    bu = room.corner[Polygon.SECOND, 1, Corners.U] - room.corner[Polygon.SECOND, 0, Corners.U]
    bv = room.corner[Polygon.SECOND, 1, Corners.V] - room.corner[Polygon.SECOND, 0, Corners.V]
    cu = room.corner[Polygon.SECOND, 0, Corners.U] - room.corner[Polygon.FIRST, 0, Corners.U]
    cv = room.corner[Polygon.SECOND, 0, Corners.V] - room.corner[Polygon.FIRST, 0, Corners.V]
    aa = au * au + av * av
    bb = bu * bu + bv * bv
    sine = au * bv - av * bu
    a0 = room.label[Polygon.FIRST, 0]
    a1 = room.label[Polygon.FIRST, 1]
    b0 = room.label[Polygon.SECOND, 0]
    b1 = room.label[Polygon.SECOND, 1]
    if sine * sine > PARALLEL * PARALLEL * aa * bb:
        t = (cu * bv - cv * bu) / sine
        s = (cu * av - cv * au) / sine
        along = slack / math.sqrt(aa)
        other = slack / math.sqrt(bb)
        if t < -along or t > 1.0 + along or s < -other or s > 1.0 + other:
            return 0
        u, v = _at(room, Polygon.FIRST, t)
        _find(room, 0, u, v, a0, b0)
        return 1
    # ends of the second segment as shares of the first
    s0 = (cu * au + cv * av) / aa
    s1 = s0 + (bu * au + bv * av) / aa
    if s0 > s1:
        s0, s1 = s1, s0
        b0, b1 = b1, b0
    low = max(0.0, s0)
    high = min(1.0, s1)
    if low > high:
        return 0
    u, v = _at(room, Polygon.FIRST, low)
    _find(room, 0, u, v, a0 if s0 <= 0.0 else 0, b0 if s0 > 0.0 else 0)
    u, v = _at(room, Polygon.FIRST, high)
    _find(room, 1, u, v, a1 if s1 >= 1.0 else 0, b1 if s1 < 1.0 else 0)
    return 2


@inline
def _area(room, side, count):
    """Return twice the signed area [m^2] of a polygon. It is positive if the corners are in anticlockwise order."""
    s = 0.0
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        s += (
            room.corner[side, k, Corners.U] * room.corner[side, m, Corners.V]
            - room.corner[side, k, Corners.V] * room.corner[side, m, Corners.U]
        )
    return s


@inline
def _outside(room, side, k, m, turn, u, v):
    """Return how far [m] the point (u, v) lies outside the edge from corner k to corner m of polygon `side`. `turn` is
    1 for an anticlockwise polygon and -1 for a clockwise one."""
    eu = room.corner[side, m, Corners.U] - room.corner[side, k, Corners.U]
    ev = room.corner[side, m, Corners.V] - room.corner[side, k, Corners.V]
    length = turn * math.sqrt(eu * eu + ev * ev)
    return (ev * (u - room.corner[side, k, Corners.U]) - eu * (v - room.corner[side, k, Corners.V])) / length


@kernel
def _segment_in_polygon(room, segment, polygon, count, slack):
    """Find the part of a segment that lies inside a polygon of `count` corners, within `slack` [m]. Write the two ends
    of this part as candidates. Return the number of candidates."""
    turn = 1.0 if _area(room, polygon, count) > 0.0 else -1.0
    low = 0.0
    high = 1.0
    low_name = room.label[segment, 0]
    high_name = room.label[segment, 1]
    low_edge = 0
    high_edge = 0
    u0, v0 = _at(room, segment, 0.0)
    u1, v1 = _at(room, segment, 1.0)
    for k in range(count):
        m = k + 1 if k + 1 < count else 0
        d0 = _outside(room, polygon, k, m, turn, u0, v0) - slack
        d1 = _outside(room, polygon, k, m, turn, u1, v1) - slack
        if d0 > 0.0 and d1 > 0.0:
            return 0
        if d0 > 0.0:
            t = d0 / (d0 - d1)
            if t > low:
                low = t
                low_edge = room.label[polygon, k]
                low_name = 0
        elif d1 > 0.0:
            t = d0 / (d0 - d1)
            if t < high:
                high = t
                high_edge = room.label[polygon, k]
                high_name = 0
    if low > high:
        return 0
    u, v = _at(room, segment, low)
    _find(room, 0, u, v, low_name, low_edge)
    u, v = _at(room, segment, high)
    # the two ends may be cut by one edge: tell them apart
    _find(room, 1, u, v, high_name, high_edge + NAMES // 2)
    return 2


@kernel
def _polygons(room, a, b, slack):
    """Write the corners of the intersection of two polygons as candidates. The second polygon (b corners) is cut by
    each edge of the first (a corners) [Sutherland74]. Return the number of candidates."""
    turn = 1.0 if _area(room, Polygon.FIRST, a) > 0.0 else -1.0
    source = Polygon.CUT
    target = Polygon.OTHER
    for k in range(b):
        for c in range(Corners.WIDTH):
            room.corner[source, k, c] = room.corner[Polygon.SECOND, k, c]
        room.label[source, k] = room.label[Polygon.SECOND, k]
    count = b
    for k in range(a):
        m = k + 1 if k + 1 < a else 0
        count = _cut(room, source, target, count, k, m, turn, slack)
        source, target = target, source
    for k in range(count):
        last = k - 1 if k > 0 else count - 1
        _find(
            room, k, room.corner[source, k, Corners.U], room.corner[source, k, Corners.V],
            room.label[source, last], room.label[source, k],
        )  # fmt: skip
    return count


@kernel
def _cut(room, source, target, count, k, m, turn, slack):
    """Cut polygon `source` by the edge from corner k to corner m of the first feature. Write the part on the inner side
    of the edge, within `slack` [m], to polygon `target`. Return its number of corners."""
    kept = 0
    for c in range(count):
        d = c + 1 if c + 1 < count else 0
        u0 = room.corner[source, c, Corners.U]
        v0 = room.corner[source, c, Corners.V]
        u1 = room.corner[source, d, Corners.U]
        v1 = room.corner[source, d, Corners.V]
        d0 = _outside(room, Polygon.FIRST, k, m, turn, u0, v0) - slack
        d1 = _outside(room, Polygon.FIRST, k, m, turn, u1, v1) - slack
        if d0 <= 0.0:
            room.corner[target, kept, Corners.U] = u0
            room.corner[target, kept, Corners.V] = v0
            room.label[target, kept] = room.label[source, c]
            kept += 1
        if (d0 <= 0.0) != (d1 <= 0.0):
            t = d0 / (d0 - d1)
            room.corner[target, kept, Corners.U] = u0 + t * (u1 - u0)
            room.corner[target, kept, Corners.V] = v0 + t * (v1 - v0)
            room.label[target, kept] = room.label[Polygon.FIRST, k] if d0 <= 0.0 else room.label[source, c]
            kept += 1
    return kept


@kernel
def reduce_manifold(room, count):
    """Reduce the first `count` candidates in `room.found` and `room.feature` to at most four, which keep their order.
    Return their number."""
    if count <= 4:
        return count
    chosen = (
        _farthest(room, count, 0),
        _farthest(room, count, 1),
        _farthest(room, count, 2),
        _farthest(room, count, 3),
    )
    kept = 0
    for k in range(count):
        if k == chosen[0] or k == chosen[1] or k == chosen[2] or k == chosen[3]:
            for c in range(Candidates.WIDTH):
                room.found[kept, c] = room.found[k, c]
            room.feature[kept] = room.feature[k]
            kept += 1
    return kept


@inline
def _farthest(room, count, quarter):
    """Return the number of the candidate that is farthest out in direction `quarter` (0 to 3). The four directions are
    at right angles."""
    x = ASKEW_COS if quarter == 0 else (-ASKEW_SIN if quarter == 1 else (-ASKEW_COS if quarter == 2 else ASKEW_SIN))
    y = ASKEW_SIN if quarter == 0 else (ASKEW_COS if quarter == 1 else (-ASKEW_SIN if quarter == 2 else -ASKEW_COS))
    best = 0
    most = -math.inf
    for k in range(count):
        s = x * room.found[k, Candidates.U] + y * room.found[k, Candidates.V]
        if s > most:
            most = s
            best = k
    return best
