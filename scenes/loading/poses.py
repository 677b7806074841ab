"""Poses: from values of joint coordinates to poses of bodies, along the tree of joints.

    X_b = X_a J(q)

X is the displacement of a body from the drawn pose, a rigid motion of space. J rotates b about the joint's point, or
moves it along the axis, by the coordinate q. If the joint is drawn open, J also closes it. In a loop the tree goes
through the joints for which the pose has values; the remaining joints close it (`scenes/loading/assembly.py`).
"""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from physics.definitions.checks import WORLD
from physics.maths import strict
from physics.maths.rotations import matrix_of
from scenes.kinds.bodies import Part
from scenes.kinds.ties import NO_TURN, Edge, product

Motion = tuple[tuple[float, ...], np.ndarray]  # x -> R(q) x + t
REST: Motion = (NO_TURN, np.zeros(3))
Place = tuple[tuple[float, ...], tuple[float, ...]]  # position and quaternion
Current = Callable[[Edge], Motion]  # X_a^-1 X_b of a joint


def times(f: Motion, g: Motion) -> Motion:
    """Return the product f g of two motions: g followed by f."""
    return product(f[0], g[0]), strict.product(matrix_of(f[0]), g[1]) + f[1]


def inverse(f: Motion) -> Motion:
    """Return the inverse of a motion."""
    q = (f[0][0], -f[0][1], -f[0][2], -f[0][3])
    return q, strict.product(-matrix_of(q), f[1])


def displacement(edge: Edge, value: Any) -> Motion:
    """Return the motion J(q) of a joint, which takes the point of b to that of a, for a value of its coordinate."""
    at_a, at_b = (np.array(p) for p in edge.definition.points)
    if value is None:
        turn, shift = NO_TURN, np.zeros(3)
    else:
        turn, along = type(edge.spec).displacement(edge.definition, value)
        shift = np.array(along)
    return turn, at_a + shift - strict.product(matrix_of(turn), at_b)


def as_drawn(edge: Edge) -> Motion:
    """Return the displacement of a joint without a value, which is the identity. If the joint is drawn open, it is
    closed later by projection."""
    return REST


def posed(
    parts: dict[str, Part], edges: dict[str, Edge], values: dict[str, Any], current: Current = as_drawn
) -> dict[str, Place]:
    """Return position [m] and quaternion of every body of the figures for which the pose has a value. Joints without a
    value have the displacement `current`, which is by default that of the drawn pose."""
    out = {}
    for name, motion in motions_of(parts, edges, values, current).items():
        part = parts[name]
        if not (part.held or part.is_massless):
            place = strict.product(matrix_of(motion[0]), np.array(part.place)) + motion[1]
            out[name] = (tuple(place.tolist()), product(motion[0], part.orientation))
    return out


def motions_of(
    parts: dict[str, Part], edges: dict[str, Edge], values: dict[str, Any], current: Current = as_drawn
) -> dict[str, Motion]:
    """Return the displacement of every body of the figures for which the pose has a value. They are computed from the
    world outwards, or from the first body of a free figure."""
    neighbours = tree_of(parts, edges, values)
    roots = [WORLD, *(name for name, part in parts.items() if part.held)]
    motions: dict[str, Motion] = dict.fromkeys(roots, REST)
    wanted: dict[str, Motion] = {}
    # the bodies beyond each joint of a root are a figure of their own
    starts = [(root, [entry]) for root in roots for entry in neighbours[root]]
    for start, entries in (*starts, *((name, neighbours[name]) for name in parts)):
        if start in motions and start not in roots:
            continue
        figure: dict[str, Motion] = {start: motions.setdefault(start, REST)}
        is_posed = False
        queue = deque((start, *entry) for entry in entries)
        while queue:
            here, other, edge, forward = queue.popleft()
            if other in motions:
                continue
            value = values.get(edge.name)
            is_posed |= value is not None
            step = current(edge) if value is None else displacement(edge, value)
            if step is REST:
                figure[other] = motions[here]
            else:
                figure[other] = times(motions[here], step if forward else inverse(step))
            motions[other] = figure[other]
            queue.extend((other, *entry) for entry in neighbours[other])
        if is_posed:
            wanted |= figure
    return {name: motion for name, motion in wanted.items() if name not in roots}


def tree_of(
    parts: dict[str, Part], edges: dict[str, Edge], values: dict[str, Any]
) -> dict[str, list[tuple[str, Edge, bool]]]:
    """Return, for each body, the joints along which a pose is propagated, as (other body, joint, whether the body is
    its a). Joints with a value come first, so that joints without one close the loops and are checked afterwards.
    Bodies that never move count as the world."""

    def rank(edge: Edge) -> tuple[bool, bool]:
        return edge.name not in values, edge.definition.auxiliary

    above = {name: WORLD if part.held else name for name, part in parts.items()} | {WORLD: WORLD}

    def top(name: str) -> str:
        while above[name] != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    usable = [edge for edge in edges.values() if edge.spec.tree and rank(edge) != (True, True)]
    chosen = set()
    for edge in sorted(usable, key=rank):
        a, b = top(str(edge.definition.a)), top(str(edge.definition.b))
        if a != b:
            above[b if a == WORLD else a] = a if a == WORLD else b
            chosen.add(edge.name)
    neighbours: dict[str, list[tuple[str, Edge, bool]]] = {WORLD: [], **{name: [] for name in parts}}
    for edge in usable:
        if edge.name in chosen:
            a, b = str(edge.definition.a), str(edge.definition.b)
            neighbours[a].append((b, edge, True))
            neighbours[b].append((a, edge, False))
    return neighbours
