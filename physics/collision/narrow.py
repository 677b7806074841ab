"""The contact points of one pair of shapes.

The gap of two convex shapes A and B is the largest separation over all directions. It is negative if they overlap:

    gap = max over unit n of  s(n) = min_B n . x - max_A n . x

The direction n of the largest separation is the contact normal. `pairs` finds it, either in closed form, or from the
distance or depth of the cores. The contact points follow from the features along the normal (`manifold`). The nearest
pair of points is always one of them."""

import math

from physics.collision.cores import SAME
from physics.collision.kinds import CAPSULE, PLANE, SPHERE
from physics.collision.manifold import NAMES, basis, fill_manifold, fill_manifold_on_plane, reduce_manifold
from physics.collision.pairs import UNKNOWN, nearest_of_pair
from physics.collision.support import second_support
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import Candidates, ContactBodies, ContactCounts, ContactPoints
from physics.data.shape_tables import ShapeIndex, ShapePlace, ShapeReal
from physics.maths.vec import (
    add, add_scaled, cross, dot, load3, load9, mat_mul, mul, negative, norm, scale, store3, sub, transpose,
)  # fmt: skip

# The nearest pair of points joins the others where it is nearer by more than this share of the size.
NEARER = 1e-6
# Corners and edges that miss each other by less than this share of the size meet where nothing else does: the nearest
# points of round shapes are good to about that.
MEET = 1e-5
# feature of the nearest pair of points where it is no corner of the features' overlap
NEAREST = NAMES * NAMES


@kernel
def collide(g, place, i, j, margin, contacts, room):
    """Append to `contacts` the contact points of shapes i and j with gaps up to `margin` [m]."""
    if g.whole[i, ShapeIndex.KIND] > g.whole[j, ShapeIndex.KIND]:
        i, j = j, i
    first = g.whole[i, ShapeIndex.KIND]
    second = g.whole[j, ShapeIndex.KIND]
    if _is_round(first) and _is_round(second) and _capsules_apart(g, place, i, j, margin):
        return
    axes = load9(place, i, ShapePlace.AXES)
    to_first = transpose(axes)
    r = mat_mul(to_first, load9(place, j, ShapePlace.AXES))
    p = mul(to_first, sub(load3(place, j, ShapePlace.ORIGIN), load3(place, i, ShapePlace.ORIGIN)))
    # past this distance of the cores the shapes are farther apart than the margin
    far = margin + g.real[i, ShapeReal.ROUNDING] + g.real[j, ShapeReal.ROUNDING]
    if first == PLANE:
        if second != PLANE:
            _on_plane(g, place, i, j, r, p, far, contacts, room)
        return
    size = g.real[i, ShapeReal.REACH] + g.real[j, ShapeReal.REACH]
    if dot(p, p) > (size + margin) * (size + margin):
        return
    count, s, n, a, b = nearest_of_pair(g, i, j, r, p, far, size, room)
    if s > far:
        return
    if count == UNKNOWN:
        count = 0
        # a ball touches in one point
        if first != SPHERE:
            count = fill_manifold(g, i, j, r, p, n, SAME * size, room)
            if count == 0:
                count = fill_manifold(g, i, j, r, p, n, MEET * size, room)
            count = reduce_manifold(room, count)
        count = _with_nearest(room, count, n, s, a, b, NEARER * size)
    _append(g, place, i, j, n, count, far, contacts, room)


@inline
def _is_round(kind):
    """Return whether `kind` is that of spheres or capsules."""
    return kind == SPHERE or kind == CAPSULE


@inline
def _capsules_apart(g, place, i, j, margin):
    """Return whether two capsules (or spheres) are farther apart than the margin [m] in a direction along or across
    their axes. For most pairs whose boxes overlap but which do not touch, this test is enough."""
    far = margin + g.real[i, ShapeReal.SIZE] + g.real[j, ShapeReal.SIZE]
    a = g.real[i, ShapeReal.SIZE + 1]
    b = g.real[j, ShapeReal.SIZE + 1]
    zi = (place[i, ShapePlace.AXES + 2], place[i, ShapePlace.AXES + 5], place[i, ShapePlace.AXES + 8])
    zj = (place[j, ShapePlace.AXES + 2], place[j, ShapePlace.AXES + 5], place[j, ShapePlace.AXES + 8])
    d = sub(load3(place, j, ShapePlace.ORIGIN), load3(place, i, ShapePlace.ORIGIN))
    dd = dot(d, d)
    di = dot(d, zi)
    dj = dot(d, zj)
    cosine = abs(dot(zi, zj))
    n = cross(zi, zj)
    sine = norm(n)
    if abs(di) > far + a + b * cosine or abs(dj) > far + b + a * cosine:
        return True
    across_i = far + b * sine
    across_j = far + a * sine
    if dd - di * di > across_i * across_i or dd - dj * dj > across_j * across_j:
        return True
    return abs(dot(d, n)) > far * sine


@kernel
def _on_plane(g, place, i, j, r, p, far, contacts, room):
    """Append to `contacts` the contact points of plane i and shape j. r and p are the rotation and the position of j in
    the frame of the plane. `far` is the largest distance [m] of the core at which there is a contact."""
    n = (0.0, 0.0, 1.0)
    b = second_support(g, j, r, p, (0.0, 0.0, -1.0))
    if b[2] > far:
        return
    count = reduce_manifold(room, fill_manifold_on_plane(g, j, r, p, room))
    count = _with_nearest(room, count, n, b[2], (b[0], b[1], 0.0), b, NEARER * g.real[j, ShapeReal.REACH])
    _append(g, place, i, j, n, count, far, contacts, room)


@kernel
def _with_nearest(room, count, n, s, a, b, slack):
    """Make the smallest gap of the candidates equal to the separation s [m]. Gaps below s become s. If the smallest gap
    is then at most s + `slack`, it becomes s. Otherwise add the nearest points a and b as a candidate; if there are
    four candidates already, it replaces the closest one. Return the number of candidates."""
    u, v = basis(n)
    middle = scale(0.5, add(a, b))
    x = dot(u, middle)
    y = dot(v, middle)
    least = -1
    closest = 0
    best = 1e300
    for k in range(count):
        # where edges are nearly parallel a corner may lie a little beyond the end of one of them
        room.found[k, Candidates.GAP] = max(s, room.found[k, Candidates.GAP])
        if least < 0 or room.found[k, Candidates.GAP] < room.found[least, Candidates.GAP]:
            least = k
        du = room.found[k, Candidates.U] - x
        dv = room.found[k, Candidates.V] - y
        if du * du + dv * dv < best:
            best = du * du + dv * dv
            closest = k
    if least >= 0 and room.found[least, Candidates.GAP] <= s + slack:
        room.found[least, Candidates.GAP] = s
        return count
    k = closest if count == 4 else count
    room.found[k, Candidates.U] = x
    room.found[k, Candidates.V] = y
    room.found[k, Candidates.GAP] = s
    room.found[k, Candidates.HEIGHT] = dot(n, middle)
    room.feature[k] = NEAREST
    return max(count, k + 1)


@kernel
def _append(g, place, i, j, n, count, far, contacts, room):
    """Append those candidates to `contacts`, in world axes, at which the gap of the cores is at most `far` [m]. If
    there is no room, do not write them, but still count them in contacts.tally[CONTACTS], so that the arrays can
    grow."""
    axes = load9(place, i, ShapePlace.AXES)
    origin = load3(place, i, ShapePlace.ORIGIN)
    u, v = basis(n)
    near = g.real[i, ShapeReal.ROUNDING]
    other = g.real[j, ShapeReal.ROUNDING]
    # body a is that of the lower shape, but never the world
    a = min(i, j)
    b = max(i, j)
    if g.whole[a, ShapeIndex.OWNER] < 0:
        a, b = b, a
    normal = mul(axes, n)
    if a == i:
        normal = negative(normal)
    friction = math.sqrt(g.real[i, ShapeReal.FRICTION] * g.real[j, ShapeReal.FRICTION])
    restitution = max(g.real[i, ShapeReal.RESTITUTION], g.real[j, ShapeReal.RESTITUTION])
    for k in range(count):
        if room.found[k, Candidates.GAP] > far:
            continue
        c = contacts.tally[ContactCounts.CONTACTS]
        contacts.tally[ContactCounts.CONTACTS] = c + 1
        if c >= contacts.who.shape[0]:
            continue
        height = room.found[k, Candidates.HEIGHT] + 0.5 * (near - other)
        x = add(scale(room.found[k, Candidates.U], u), add_scaled(scale(height, n), room.found[k, Candidates.V], v))
        store3(contacts.where, c, ContactPoints.POINT, add(origin, mul(axes, x)))
        store3(contacts.where, c, ContactPoints.NORMAL, normal)
        contacts.where[c, ContactPoints.GAP] = room.found[k, Candidates.GAP] - near - other
        contacts.where[c, ContactPoints.FRICTION] = friction
        contacts.where[c, ContactPoints.RESTITUTION] = restitution
        contacts.who[c, ContactBodies.BODY_A] = g.whole[a, ShapeIndex.OWNER]
        contacts.who[c, ContactBodies.BODY_B] = g.whole[b, ShapeIndex.OWNER]
        contacts.who[c, ContactBodies.SHAPE_A] = a
        contacts.who[c, ContactBodies.SHAPE_B] = b
        contacts.who[c, ContactBodies.FEATURE] = room.feature[k]
