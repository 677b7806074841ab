"""The broad phase: which pairs of shapes may touch. It puts the boxes of shapes into a grid of several cell sizes, and
keeps the list of pairs for many steps.

Around its box, every shape has a larger box, in which it can move for some steps (the `skin` between the two grows with
its speed). The list of the pairs whose larger boxes overlap is valid until some shape has left its larger box. Most
steps only check that [Verlet67].

The list is built from a hierarchical grid [Ericson04, 7.1.6]. Each shape is in one cell, whose width is the power of
two above the size of its box. It is compared with the shapes in neighbouring cells of the same width, and of every
larger width that is in use. That takes O(n) operations for any mix of sizes. Cells are found by a hash. Different cells
with the same hash are distinguished by their numbers. Planes are compared with all shapes.

Pairs are in ascending order, independent of the grid, so that contacts keep their order, too."""

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from physics.collision.bounds import middle_and_half
from physics.collision.geometry import Geometry
from physics.collision.kinds import PLANE
from physics.compiler.jit import inline, kernel
from physics.compiler.pack import packed
from physics.data.contact_tables import ContactCounts, Found
from physics.data.arrays import array, make, remade
from physics.data.model import Floats, Ints
from physics.data.shape_tables import STILL, ShapeIndex, ShapePlace, ShapeReal
from physics.data.work_tables import Frames
from physics.definitions.checks import DefinitionError, number
from physics.maths.vec import dot, load3, load9, norm, sub

# Cells are 2^e m wide, e from -LEVELS/2 on.
LEVELS = 96
LOWEST = -48
# The boxes last for about this many steps at the present speed: rebuilding costs some ten times a check.
STEPS_AHEAD = 8.0
# columns of `box`
LOW, HIGH = 0, 3
# columns of `setting`
MARGIN, SKIN, AHEAD, TURN_AHEAD = range(4)
# makes owners of shapes positive numbers
BIAS = 1 << 21


@packed
class Broad(NamedTuple):
    """The tables of the broad phase: boxes, the grid and the list of pairs."""

    setting: Floats = array(
        (4,),
        "contact margin and skin of a shape at rest, m; how far a body may come without any velocity",
        "m",
        by="collision",
    )
    never: Ints = array(("never",), "sorted keys of pairs of bodies that never touch", by="collision")
    box: Floats = array(("g", 6), "around each shape and its contact margin, now", "m", frame="world", by="collision")
    fat: Floats = array(
        ("g", 6),
        "the same with skin, when the list was built; nan, which holds no box, has the list built in the first step",
        "m",
        frame="world",
        start=math.nan,
        by="collision",
    )
    margin: Floats = array(("g",), "contact margin at the present speed", "m", by="collision")
    level: Ints = array(("g",), "the level of the spatial hash that each shape is in", by="collision")
    cell: Ints = array(("g", 3), "the cell of its level that each shape is in", by="collision")
    population: Ints = array((LEVELS,), "shapes of each level", by="collision")
    start: Ints = array(("buckets + 1",), "where each bucket's shapes start in `order`", by="collision")
    order: Ints = array(("g",), "the shapes, bucket by bucket", by="collision")
    pair: Ints = array(("pairs", 2), "pairs of shapes whose boxes met when the list was built", by="collision")
    other: Ints = array(("pairs", 2), "room to sort", by="collision")
    tally: Ints = array(("g + 1",), "where the pairs of each shape begin, while pairs are sorted", by="collision")


def make_broad(
    geometry: Geometry, never: Iterable[tuple[int, int]] = (), margin: float = 0.005, skin: float = 0.02
) -> Broad:
    """Return the tables of the broad phase. `never` lists pairs of bodies (-1: the world) that do not collide, such as
    neighbours at a joint. Two shapes whose gap is smaller than `margin` [m] make a contact before they touch; each of
    them contributes half of the margin. `skin` [m] is how far a shape may move before the list of pairs is rebuilt.
    Both lengths grow with speed."""
    margin = number("margin of contacts", margin, 0.0, strict=True)
    skin = number("skin of shapes", skin, 0.0)
    count = len(geometry.whole)
    buckets = 16
    while buckets < 2 * count:
        buckets *= 2
    pairs = 4 * count + 16

    sizes = {"g": count, "buckets": buckets, "pairs": pairs}
    return make(Broad, sizes, setting=np.array([0.5 * margin, skin, 0.0, 0.0]), never=_keys(never))


def _keys(never: Iterable[tuple[int, int]]) -> Ints:
    """Return the sorted keys of these pairs of bodies. Refuse bodies that cannot own shapes."""
    keys = set()
    for pair in never:
        a, b = sorted(pair)
        if a <= -BIAS or a == b:
            raise DefinitionError("bodies that never touch", pair, "two different owners of shapes")
        keys.add(_key(a, b))
    return np.array(sorted(keys), np.int64)


def _key(a: int, b: int) -> int:
    """Return one number that identifies the pair of bodies a < b."""
    return (a + BIAS) << 32 | (b + BIAS)


def with_more_pairs(broad: Broad, needed: int) -> Broad:
    """Return the tables with capacity for 1.5 times the `needed` pairs, and mark the list of pairs as out of date."""
    size = needed + needed // 2
    broad.fat[:] = np.nan
    return remade(broad, {"pairs": size}, "pair", "other")


# ---------------------------------------------------------------- each step
@kernel
def update_pairs(g, place, velocity, frame, dt, broad, count):
    """Write the box (`broad.box`) and the contact margin (`broad.margin`) of every shape at its present pose. If some
    shape has left its larger box, rebuild the list of pairs. Return DONE, or MORE_PAIRS if the list is too small."""
    fits = True
    for i in range(g.whole.shape[0]):
        if g.whole[i, ShapeIndex.KIND] == PLANE:
            broad.margin[i] = broad.setting[MARGIN]
            continue
        margin = broad.setting[MARGIN] + max(dt * _speed(g, velocity, frame, i), _ahead(g, broad, i))
        broad.margin[i] = margin
        middle, half = middle_and_half(g, place, i)
        for k in range(3):
            low = middle[k] - half[k] - margin
            high = middle[k] + half[k] + margin
            broad.box[i, LOW + k] = low
            broad.box[i, HIGH + k] = high
            if not (low >= broad.fat[i, LOW + k] and high <= broad.fat[i, HIGH + k]):
                fits = False
    if fits:
        return Found.DONE
    count[ContactCounts.REBUILDS] += 1
    return _rebuild(g, place, velocity, frame, dt, broad, count)


@inline
def _speed(g, velocity, frame, i):
    """Return an upper bound of the speeds [m/s] of all points of shape i. It follows from the velocity of its body,
    which may be a moving body."""
    body = g.whole[i, ShapeIndex.OWNER]
    if body >= 0:
        return _rim_speed(g, i, load3(velocity, body, 0), load3(velocity, body, 3))
    if body < -1 and body > STILL:
        k = -2 - body
        return _rim_speed(g, i, load3(frame, k, Frames.VELOCITY), load3(frame, k, Frames.VELOCITY + 3))
    return 0.0


@inline
def _ahead(g, broad, i):
    """Return how far [m] a grab may move shape i in the step, whatever velocity it had before."""
    if g.whole[i, ShapeIndex.OWNER] < 0:
        return 0.0
    return broad.setting[AHEAD] + broad.setting[TURN_AHEAD] * (
        g.real[i, ShapeReal.REACH] + norm(load3(g.real, i, ShapeReal.OFFSET))
    )


@inline
def _rim_speed(g, i, v, w):
    """Return an upper bound of the speeds [m/s] of the points of shape i, if its body has the velocity v and the
    angular velocity w."""
    return norm(v) + norm(w) * (g.real[i, ShapeReal.REACH] + norm(load3(g.real, i, ShapeReal.OFFSET)))


@inline
def boxes_meet(box, i, j):
    """Return whether the boxes of two shapes, rows i and j of `box`, overlap."""
    return (
        box[i, 0] <= box[j, 3] and box[j, 0] <= box[i, 3]
        and box[i, 1] <= box[j, 4] and box[j, 1] <= box[i, 4]
        and box[i, 2] <= box[j, 5] and box[j, 2] <= box[i, 5]
    )  # fmt: skip


@kernel
def may_meet(g, broad, i, j):
    """Return whether shapes i and j may touch. They may if their owners differ, forces can move at least one of these,
    and neither the groups nor `broad.never` exclude the pair."""
    a = min(g.whole[i, ShapeIndex.OWNER], g.whole[j, ShapeIndex.OWNER])
    b = max(g.whole[i, ShapeIndex.OWNER], g.whole[j, ShapeIndex.OWNER])
    if a == b or b < 0 or (g.whole[i, ShapeIndex.APART] >> g.whole[j, ShapeIndex.GROUP]) & 1:
        return False
    key = ((a + BIAS) << 32) | (b + BIAS)
    low = 0
    high = broad.never.shape[0]
    while low < high:
        middle = (low + high) // 2
        if broad.never[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low >= broad.never.shape[0] or broad.never[low] != key


# ---------------------------------------------------------------- the list anew
@kernel
def _rebuild(g, place, velocity, frame, dt, broad, count):
    """Write the larger boxes (`broad.fat`) and the list of pairs (`broad.pair`) for the present poses and velocities,
    and the number of pairs to count[PAIRS]. Return DONE, or MORE_PAIRS if the list is too small."""
    n = g.whole.shape[0]
    for i in range(n):
        if g.whole[i, ShapeIndex.KIND] == PLANE:
            for k in range(6):
                broad.fat[i, k] = 0.0
                broad.box[i, k] = 0.0
            continue
        skin = broad.setting[SKIN] + STEPS_AHEAD * dt * _speed(g, velocity, frame, i)
        for k in range(3):
            broad.fat[i, LOW + k] = broad.box[i, LOW + k] - skin
            broad.fat[i, HIGH + k] = broad.box[i, HIGH + k] + skin
    _fill_cells(g, broad)
    _fill_buckets(g, broad)
    count[ContactCounts.PAIRS] = 0
    for i in range(n):
        if g.whole[i, ShapeIndex.KIND] == PLANE:
            _meet_plane(g, place, broad, i, count)
        else:
            _meet_neighbours(g, broad, i, count)
    if count[ContactCounts.PAIRS] > broad.pair.shape[0]:
        # nothing holds until there is room
        broad.fat[0, LOW] = math.nan
        return Found.MORE_PAIRS
    _sort(broad, n, count[ContactCounts.PAIRS])
    return Found.DONE


@inline
def _width(level):
    """Return the width of the cells of a level [m]."""
    return math.ldexp(1.0, level + LOWEST)


@kernel
def _fill_cells(g, broad):
    """Write the level and the cell of every shape except planes, and the number of shapes of each level
    (`broad.population`)."""
    for k in range(LEVELS):
        broad.population[k] = 0
    for i in range(g.whole.shape[0]):
        if g.whole[i, ShapeIndex.KIND] == PLANE:
            continue
        size = 0.0
        for k in range(3):
            size = max(size, broad.fat[i, HIGH + k] - broad.fat[i, LOW + k])
        # 2^e > size
        level = max(0, min(math.frexp(size)[1] - LOWEST, LEVELS - 1))
        broad.level[i] = level
        broad.population[level] += 1
        for k in range(3):
            middle = 0.5 * (broad.fat[i, LOW + k] + broad.fat[i, HIGH + k])
            broad.cell[i, k] = math.floor(middle / _width(level))


@inline
def _bucket(x, y, z, level, buckets):
    """Return the hash bucket of cell (x, y, z) of a level. The number of `buckets` is a power of two. Large odd factors
    distribute neighbouring cells over the buckets [Teschner03]."""
    return ((x * 73856093) ^ (y * 19349663) ^ (z * 83492791) ^ (level * 50331653)) & (buckets - 1)


@kernel
def _fill_buckets(g, broad):
    """Write all shapes except planes, sorted by bucket, to `broad.order`, and the start of each bucket to
    `broad.start`. The counting sort keeps the order of the shapes within a bucket."""
    buckets = broad.start.shape[0] - 1
    n = g.whole.shape[0]
    for k in range(buckets + 1):
        broad.start[k] = 0
    for i in range(n):
        if g.whole[i, ShapeIndex.KIND] != PLANE:
            k = _bucket(broad.cell[i, 0], broad.cell[i, 1], broad.cell[i, 2], broad.level[i], buckets)
            broad.start[k + 1] += 1
    for k in range(buckets):
        broad.start[k + 1] += broad.start[k]
    for i in range(n - 1, -1, -1):
        if g.whole[i, ShapeIndex.KIND] != PLANE:
            k = _bucket(broad.cell[i, 0], broad.cell[i, 1], broad.cell[i, 2], broad.level[i], buckets)
            broad.start[k + 1] -= 1
            broad.order[broad.start[k + 1]] = i
    # start[k + 1] is now where bucket k starts
    last = 0
    for i in range(n):
        if g.whole[i, ShapeIndex.KIND] != PLANE:
            last += 1
    for k in range(buckets):
        broad.start[k] = broad.start[k + 1]
    broad.start[buckets] = last


@kernel
def _meet_neighbours(g, broad, i, count):
    """Append pairs of shape i to `broad.pair`: those with shapes of larger levels, and those with shapes of its own
    level that have a higher number. count[PAIRS] is the number of pairs."""
    buckets = broad.start.shape[0] - 1
    for level in range(broad.level[i], LEVELS):
        if broad.population[level] == 0:
            continue
        width = _width(level)
        # the middle of a box of this level is at most half a cell from any of its points
        x0 = math.floor(broad.fat[i, LOW] / width - 0.5)
        x1 = math.floor(broad.fat[i, HIGH] / width + 0.5)
        y0 = math.floor(broad.fat[i, LOW + 1] / width - 0.5)
        y1 = math.floor(broad.fat[i, HIGH + 1] / width + 0.5)
        z0 = math.floor(broad.fat[i, LOW + 2] / width - 0.5)
        z1 = math.floor(broad.fat[i, HIGH + 2] / width + 0.5)
        for x in range(x0, x1 + 1):
            for y in range(y0, y1 + 1):
                for z in range(z0, z1 + 1):
                    k = _bucket(x, y, z, level, buckets)
                    for m in range(broad.start[k], broad.start[k + 1]):
                        j = broad.order[m]
                        if broad.level[j] != level or (level == broad.level[i] and j <= i):
                            continue
                        if broad.cell[j, 0] != x or broad.cell[j, 1] != y or broad.cell[j, 2] != z:
                            continue
                        if boxes_meet(broad.fat, i, j) and may_meet(g, broad, i, j):
                            _put(broad, min(i, j), max(i, j), count)


@kernel
def _meet_plane(g, place, broad, i, count):
    """Append pairs of plane i to `broad.pair`: those with shapes whose larger box is no farther from the plane than the
    contact margin. count[PAIRS] is the number of pairs."""
    axes = load9(place, i, ShapePlace.AXES)
    normal = (axes[2], axes[5], axes[8])
    origin = load3(place, i, ShapePlace.ORIGIN)
    for j in range(g.whole.shape[0]):
        if g.whole[j, ShapeIndex.KIND] == PLANE:
            continue
        low = load3(broad.fat, j, LOW)
        high = load3(broad.fat, j, HIGH)
        corner = (
            low[0] if normal[0] > 0.0 else high[0],
            low[1] if normal[1] > 0.0 else high[1],
            low[2] if normal[2] > 0.0 else high[2],
        )
        if dot(normal, sub(corner, origin)) <= broad.setting[MARGIN] and may_meet(g, broad, i, j):
            _put(broad, min(i, j), max(i, j), count)


@inline
def _put(broad, i, j, count):
    """Append the pair (i, j) to `broad.pair` if there is room. Add 1 to count[PAIRS] in any case."""
    k = count[ContactCounts.PAIRS]
    count[ContactCounts.PAIRS] = k + 1
    if k < broad.pair.shape[0]:
        broad.pair[k, 0] = i
        broad.pair[k, 1] = j


@kernel
def _sort(broad, n, pairs):
    """Sort the first `pairs` rows of `broad.pair` by their first shape, and rows with the same first shape by their
    second. This takes two counting sorts. n is the number of shapes."""
    _sort_by(broad.pair, broad.other, 1, broad.tally, n, pairs)
    _sort_by(broad.other, broad.pair, 0, broad.tally, n, pairs)


@kernel
def _sort_by(source, target, column, tally, n, pairs):
    """Copy the first `pairs` rows of `source` to `target`, sorted by one column (a counting sort). The values in this
    column are below n. This overwrites `tally` (n + 1,)."""
    for k in range(n + 1):
        tally[k] = 0
    for k in range(pairs):
        tally[source[k, column] + 1] += 1
    for k in range(n):
        tally[k + 1] += tally[k]
    for k in range(pairs):
        i = source[k, column]
        m = tally[i]
        tally[i] = m + 1
        target[m, 0] = source[k, 0]
        target[m, 1] = source[k, 1]
