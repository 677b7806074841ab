"""Shapes that overlap at the drawn pose although they may touch. Contacts would push them apart at the start.

Two convex shapes a and b are apart if some direction d has d (c_b - c_a) - s_a(d) - s_b(-d) > 0. c is the place of a
shape, and the support function s says how far the shape reaches from c along a direction. A pair that overlaps by more
than the tolerance in all tried directions is reported. These are the axes of the two shapes, their cross products, and
the directions from a minimisation of the distance by steps towards the farthest point (Frank and Wolfe, 1956).
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from physics.definitions.bodies import ScaledBody, Static
from physics.definitions.scene import Scene
from physics.definitions.shapes.compound import flatten
from physics.maths.rotations import matrix_of
from physics.maths.strict import dot, norm, product

MOST_SHAPES = 2000
TOLERANCE = 0.02  # of the size of the smaller one
DIRECTIONS = 12  # of the minimisation


class Placed:
    """A shape at its place in the world."""

    def __init__(self, owner: str, shape: Any, place: np.ndarray, turn: np.ndarray):
        """Place a shape in the world: its body, position (3) [m] and rotation matrix (3, 3)."""
        self.owner = owner
        self.shape = shape
        self.turn = turn
        self.fixed = False
        self.endless = shape.endless
        # a point inside: the origin of a hull need not be
        self.middle = np.zeros(3) if self.endless else shape.inside()
        self.place = place = place + product(turn, self.middle)
        if not self.endless:
            reach = np.array([[self.support(s * e) for e in np.eye(3)] for s in (1.0, -1.0)])
            self.low, self.high = place - reach[1], place + reach[0]
            self.size = float((self.high - self.low).min())

    def support(self, d: np.ndarray) -> float:
        """Return how far the shape reaches along the unit vector d [m]."""
        return dot(self.farthest(d), d)

    def farthest(self, d: np.ndarray) -> np.ndarray:
        """Return the point of the shape farthest along d, relative to its place [m]."""
        return product(self.turn, self.shape.farthest(product(self.turn.T, d)) - self.middle)


def overlaps(scene: Scene) -> list[tuple[str, str, float]]:
    """Return (first, second, depth [m]) of the bodies that overlap, each pair once, the deepest first."""
    shapes = list(placed(scene))
    if not shapes or len(shapes) > MOST_SHAPES:
        return []
    apart = {frozenset(pair) for pair in scene.never}
    tied = {frozenset((str(j.a), str(j.b))) for j in scene.joints if j.neighbours and not j.collide}
    found: dict[tuple[str, str], float] = {}
    for a, b in near(shapes):
        if a.owner == b.owner or (a.fixed and b.fixed) or frozenset((a.owner, b.owner)) in tied:
            continue
        if frozenset((a.shape.group, b.shape.group)) in apart:
            continue
        size = b.size if a.endless else a.size if b.endless else min(a.size, b.size)
        depth = depth_of(a, b, TOLERANCE * size)
        if depth > TOLERANCE * size:
            key = (a.owner, b.owner)
            found[key] = max(depth, found.get(key, 0.0))
    return [(*key, depth) for key, depth in found.items()]


def placed(scene: Scene) -> Iterator[Placed]:
    """Yield all shapes of a scene at the drawn pose."""
    for shape in scene.shapes:
        for part, place, turn in flatten(shape):
            one = Placed("world", part, place, turn)
            one.fixed = True
            yield one
    for body in scene.bodies:
        place = getattr(body, "position", None)
        if isinstance(body, ScaledBody) or not getattr(body, "shapes", ()) or not numbers(place):
            continue
        frame = matrix_of(getattr(body, "orientation", (1.0, 0.0, 0.0, 0.0)))
        for shape in body.shapes:  # type: ignore[union-attr]
            for part, inner, turn in flatten(shape):
                one = Placed(body.name, part, np.array(place) + product(frame, inner), product(frame, turn))
                one.fixed = isinstance(body, Static)
                yield one


def numbers(place: Any) -> bool:
    """Return whether a position consists of numbers, and not of functions of time."""
    return place is not None and all(isinstance(x, int | float) for x in place)


def near(shapes: list[Placed]) -> Iterator[tuple[Placed, Placed]]:
    """Yield pairs whose boxes overlap, by a sweep along x."""
    planes = [s for s in shapes if s.endless]
    bounded = sorted((s for s in shapes if not s.endless), key=lambda s: s.low[0])
    yield from itertools.product(planes, bounded)
    for k, a in enumerate(bounded):
        for b in itertools.islice(bounded, k + 1, None):
            if b.low[0] > a.high[0]:
                break
            if (a.low < b.high).all() and (b.low < a.high).all():
                yield a, b


def depth_of(a: Placed, b: Placed, enough: float) -> float:
    """Return the smallest overlap over the tried directions [m]. The search ends at the first direction in which the
    overlap is at most `enough`."""
    if a.endless or b.endless:
        plane, other = (a, b) if a.endless else (b, a)
        n = plane.turn[:, 2]
        return -dot(n, other.place - plane.place) + other.support(-n)
    between = b.place - a.place
    least = math.inf
    for d in directions(a, b, between):
        least = min(least, a.support(d) + b.support(-d) - dot(d, between))
        if least <= enough:
            return least
    return least


def between_lines(a: Placed, b: Placed, between: np.ndarray) -> Iterator[np.ndarray]:
    """Yield the unit vector between the nearest points of the middle lines of a and b, if these are apart. For balls
    and capsules this direction gives the exact overlap [Ericson04]."""
    p, q = (s.shape.half_line * s.turn[:, 2] for s in (a, b))
    pp, pq, qq, pr, qr = product(p, p), product(p, q), product(q, q), product(p, between), product(q, between)
    det = pp * qq - pq * pq
    s = min(1.0, max(-1.0, (pr * qq - qr * pq) / det)) if det > 1e-12 * pp * qq else 0.0
    t = min(1.0, max(-1.0, (s * pq - qr) / qq)) if qq > 0.0 else 0.0
    s = min(1.0, max(-1.0, (t * pq + pr) / pp)) if pp > 0.0 else 0.0
    d = between + t * q - s * p
    if product(d, d) > 1e-18:
        yield d / norm(d)


def directions(a: Placed, b: Placed, between: np.ndarray) -> Iterator[np.ndarray]:
    """Yield unit vectors from a to b along which the overlap is tried."""
    axes = [*a.turn.T, *b.turn.T]
    crosses = [np.cross(x, y) for x in a.turn.T for y in b.turn.T]
    for d in [*axes, *crosses]:
        size = norm(d)
        if size > 1e-6:
            yield math.copysign(1.0 / size, product(d, between)) * d
    yield from between_lines(a, b, between)
    x = between if between.any() else np.array([0.0, 0.0, 1.0])
    for _ in range(DIRECTIONS):
        size = norm(x)
        if size < 1e-9:
            return
        d = x / size
        yield d
        # the point of b - a that is nearest to the origin along -d, and the best mixture of it and x
        point = between + b.farthest(-d) - a.farthest(d)
        step = point - x
        length = dot(step, step)
        if length < 1e-18:
            return
        x = x + min(1.0, max(0.0, -dot(x, step) / length)) * step
