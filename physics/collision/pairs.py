"""The separation, normal and nearest points of one pair of shapes. If `CLOSED_FORMS` lists the pair of kinds, they are
computed in closed form, else by the distance or depth of any two cores.

Every kernel of the table returns (count, s, n, a, b), in the frame of the first shape: the separation s of the cores
[m], the unit normal n from the first to the second, and their nearest points a and b. If the kernel has also written
candidates for contact points to the workspace, `count` is their number; else it is `UNKNOWN`."""

from collections.abc import Callable
from typing import Any

from physics.collision.boxes import widest
from physics.collision.cores import SAME, nearest_points
from physics.collision.kinds import COUNT, NUMBERS
from physics.collision.manifold import fill_manifold, reduce_manifold
from physics.collision.round_shapes import ball_in_hull, ball_to_box, ball_to_cylinder, between_segments
from physics.compiler.by_code import call_by_code
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import Candidates
from physics.data.shape_tables import ShapeIndex, ShapeReal
from physics.definitions.shapes.box import Box
from physics.definitions.shapes.capsule import Capsule
from physics.definitions.shapes.cylinder import Cylinder
from physics.definitions.shapes.hull import Hull
from physics.definitions.shapes.sphere import Sphere
from physics.maths.vec import ZERO3, load3

UNKNOWN = -1


@kernel
def any_cores(pair, g, i, j, r, p, far, size, room):
    """Return (UNKNOWN, s, n, a, b) for two shapes of any kinds, by the distance or depth of their cores."""
    s, n, a, b = nearest_points(g, i, j, r, p, far, size, room)
    return UNKNOWN, s, n, a, b


@kernel
def round_and_round(g, i, j, r, p):
    """Return (UNKNOWN, s, n, a, b) for two spheres or capsules. A sphere counts as a capsule of length zero."""
    s, n, a, b = between_segments(g.real[i, ShapeReal.SIZE + 1], g.real[j, ShapeReal.SIZE + 1], r, p)
    return UNKNOWN, s, n, a, b


@kernel
def ball_and_box(g, j, r, p):
    """Return (UNKNOWN, s, n, a, b) for a sphere and box j."""
    s, n, a, b = ball_to_box(load3(g.real, j, ShapeReal.SIZE), r, p)
    return UNKNOWN, s, n, a, b


@kernel
def ball_and_cylinder(g, j, r, p):
    """Return (UNKNOWN, s, n, a, b) for a sphere and cylinder j."""
    s, n, a, b = ball_to_cylinder(g.real[j, ShapeReal.SIZE], g.real[j, ShapeReal.SIZE + 1], r, p)
    return UNKNOWN, s, n, a, b


@kernel
def ball_and_hull(g, i, j, r, p, far, size, room):
    """Return (UNKNOWN, s, n, a, b) for sphere i and hull j. If the centre of the sphere is inside the hull, or farther
    away than `far`, they are computed in closed form, else from the nearest points of the cores."""
    s, n, a, b = ball_in_hull(g, j, r, p)
    if s > 0.0 and s <= far:
        s, n, a, b = nearest_points(g, i, j, r, p, far, size, room)
    return UNKNOWN, s, n, a, b


@kernel
def box_and_box(g, i, j, r, p, far, size, room):
    """Return (count, s, n, a, b) for boxes i and j. Try the direction with the largest separation out of fifteen. If it
    gives contact points with this gap, they are in the workspace, and a and b are zero. Otherwise the nearest points of
    the cores are computed, and `count` is UNKNOWN."""
    s, n = widest(load3(g.real, i, ShapeReal.SIZE), load3(g.real, j, ShapeReal.SIZE), r, p)
    if s > far:
        return UNKNOWN, s, n, ZERO3, ZERO3
    count = reduce_manifold(room, fill_manifold(g, i, j, r, p, n, SAME * size, room))
    if _least_gap(room, count) <= s + SAME * size:
        return count, s, n, ZERO3, ZERO3
    s, n, a, b = nearest_points(g, i, j, r, p, far, size, room)
    return UNKNOWN, s, n, a, b


@inline
def _least_gap(room, count):
    """Return the smallest gap [m] of the first `count` candidates."""
    least = 1e300
    for k in range(count):
        least = min(least, room.found[k, Candidates.GAP])
    return least


# by the kinds of the first and the second shape, in the order of `kinds.KINDS`; all other pairs are `any_cores`
CLOSED_FORMS = {
    (Sphere, Sphere): round_and_round,
    (Sphere, Capsule): round_and_round,
    (Capsule, Capsule): round_and_round,
    (Sphere, Box): ball_and_box,
    (Sphere, Cylinder): ball_and_cylinder,
    (Sphere, Hull): ball_and_hull,
    (Box, Box): box_and_box,
}


if any(NUMBERS[first] > NUMBERS[second] for first, second in CLOSED_FORMS):
    raise TypeError("a closed form lists its two kinds in another order than `kinds.KINDS`")


def _by_pair(spec: Callable[..., Any]) -> Any:
    """Turn an empty function, whose first argument is the number of a pair of kinds, into a kernel. The kernel calls
    the kernel of this pair in `CLOSED_FORMS`, or `any_cores` if the pair is not listed."""
    numbered = {NUMBERS[first] * COUNT + NUMBERS[second]: called for (first, second), called in CLOSED_FORMS.items()}
    return kernel(call_by_code(spec, numbered, None, any_cores))


@_by_pair
def _nearest(pair, g, i, j, r, p, far, size, room):
    """Return (count, s, n, a, b) of shapes i and j. `pair` is the number of their pair of kinds."""


@inline
def nearest_of_pair(g, i, j, r, p, far, size, room):
    """Return (count, s, n, a, b) of shapes i and j. The kind of i must not come after that of j in `KINDS`. r and p are
    the rotation and the position [m] of j in the frame of i. `size` is the sum of the reaches of both [m]. A separation
    beyond `far` is only a lower bound."""
    pair = g.whole[i, ShapeIndex.KIND] * COUNT + g.whole[j, ShapeIndex.KIND]
    return _nearest(pair, g, i, j, r, p, far, size, room)
