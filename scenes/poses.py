"""Poses: from values of joint coordinates to places of bodies, along the tree of joints.

    X_b = X_a J(q)

X is the displacement of a body from where it is drawn, as a motion of the whole space; J turns b about the joint's
point, or shifts it along its axis, for the coordinate q, and closes the joint where it is drawn open.
"""

from collections import deque
from typing import Any

import numpy as np

from physics import strict
from physics.definitions import WORLD
from physics.rotations import matrix_of
from scenes.bodies import Part
from scenes.ties import NO_TURN, Edge, product

Motion = tuple[tuple[float, ...], np.ndarray]  # x -> R(q) x + t
REST: Motion = (NO_TURN, np.zeros(3))


def times(f: Motion, g: Motion) -> Motion:
    """First g, then f."""
    return product(f[0], g[0]), strict.product(matrix_of(f[0]), g[1]) + f[1]


def inverse(f: Motion) -> Motion:
    q = (f[0][0], -f[0][1], -f[0][2], -f[0][3])
    return q, strict.product(-matrix_of(q), f[1])


def displacement(edge: Edge, value: Any) -> Motion:
    """J(q): it takes b's point to a's."""
    at_a, at_b = (np.array(p) for p in edge.definition.points)
    if value is None:
        turn, shift = NO_TURN, np.zeros(3)
    else:
        turn, along = type(edge.spec).displacement(edge.definition, value)
        shift = np.array(along)
    return turn, at_a + shift - strict.product(matrix_of(turn), at_b)


def posed(
    parts: dict[str, Part], edges: dict[str, Edge], values: dict[str, Any]
) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """Place and orientation of every body that the pose moves."""
    motions = motions_of(parts, edges, values)
    out = {}
    for name, motion in motions.items():
        part = parts[name]
        if motion is REST or part.held or part.is_massless:
            continue
        place = strict.product(matrix_of(motion[0]), np.array(part.place)) + motion[1]
        out[name] = (tuple(place.tolist()), product(motion[0], part.orientation))
    return out


def motions_of(parts: dict[str, Part], edges: dict[str, Edge], values: dict[str, Any]) -> dict[str, Motion]:
    """The displacement of every body, from the world outwards, then from the first body of each free figure."""
    neighbours: dict[str, list[tuple[str, Edge, bool]]] = {WORLD: [], **{name: [] for name in parts}}
    for edge in edges.values():
        d = edge.definition
        if not edge.spec.tree or d.auxiliary:
            continue
        a, b = str(d.a), str(d.b)
        neighbours[a].append((b, edge, True))
        neighbours[b].append((a, edge, False))
    motions: dict[str, Motion] = {WORLD: REST}
    roots = {WORLD: REST, **{name: REST for name, part in parts.items() if part.held}}
    motions |= roots
    for start in (*roots, *parts):
        if start in motions and start not in roots:
            continue
        motions.setdefault(start, REST)
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for other, edge, forward in neighbours[here]:
                if other in motions:
                    continue
                value = values.get(edge.name)
                if value is None:  # drawn open: left to the projection
                    motions[other] = motions[here]
                else:
                    step = displacement(edge, value)
                    motions[other] = times(motions[here], step if forward else inverse(step))
                queue.append(other)
    del motions[WORLD]
    return motions
