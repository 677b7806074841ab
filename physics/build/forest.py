"""From a constraint graph to primary trees and the auxiliary rest.

Primary constraints form a forest over the bodies; a joint to the world is its tree's root, a second one would close a
loop through the world. A tree without a joint to the world is rooted at its centre, so that paths are short; where two
bodies are equally central, the one defined first. Everything depends on the order of definition only.

Bodies are numbered level by level from the roots (breadth first), so that parents come before their children and
branches interleave: their eliminations are independent and overlap in the processor.
"""

from collections.abc import Sequence
from dataclasses import dataclass

WORLD = -1


@dataclass(frozen=True)
class Forest:
    order: list[int]  # body of each place: order[k] is the definition index of the body at place k
    parent: list[int]  # place of the parent of each place, or WORLD
    edge: list[int]  # index of the constraint that ties each place to its parent, or -1 (a free root)
    auxiliary: list[int]  # constraints outside the forest, in the order of definition
    tree: list[int]  # number of the tree of each place


def make_forest(
    bodies: int, pairs: Sequence[tuple[int, int]], auxiliary: Sequence[bool] = (), roots: Sequence[int] = ()
) -> Forest:
    """`pairs` are the bodies of each constraint (WORLD where it is the world). Constraints marked in `auxiliary` stay
    outside; `roots` are bodies that should be roots where their tree is free to choose."""
    find = Sets(bodies + 1)  # the world is element `bodies`
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(bodies)]
    held: list[tuple[int, int]] = []  # (body, constraint) of joints to the world
    rest: list[int] = []
    for k, (a, b) in enumerate(pairs):
        if (auxiliary and auxiliary[k]) or not find.join(a % (bodies + 1), b % (bodies + 1)):
            rest.append(k)
        elif a == WORLD or b == WORLD:
            held.append((max(a, b), k))
        else:
            neighbours[a].append((b, k))
            neighbours[b].append((a, k))
    return _number(bodies, neighbours, held, rest, roots)


def _number(
    bodies: int,
    neighbours: list[list[tuple[int, int]]],
    held: list[tuple[int, int]],
    rest: list[int],
    roots: Sequence[int],
) -> Forest:
    start = dict(held)
    wished = set(roots)
    component = _components(bodies, neighbours)
    chosen: dict[int, int] = {}
    for body in range(bodies):
        if body in start:
            chosen.setdefault(component[body], body)
    for body in range(bodies):
        if body in wished:
            chosen.setdefault(component[body], body)
    order: list[int] = []
    parent: list[int] = []
    edge: list[int] = []
    tree: list[int] = []
    done: set[int] = set()
    for body in range(bodies):
        number = component[body]
        if number in done:
            continue
        done.add(number)
        root = chosen[number] if number in chosen else _centre(body, neighbours)
        place = len(order)
        order.append(root)
        parent.append(WORLD)
        edge.append(start.get(root, -1))
        tree.append(number)
        while place < len(order):
            here = order[place]
            for other, k in neighbours[here]:
                if k != edge[place]:
                    order.append(other)
                    parent.append(place)
                    edge.append(k)
                    tree.append(number)
            place += 1
    return Forest(order, parent, edge, rest, tree)


def _components(bodies: int, neighbours: list[list[tuple[int, int]]]) -> list[int]:
    """A number for the tree of each body, in the order of the trees' first bodies."""
    component = [-1] * bodies
    count = 0
    for body in range(bodies):
        if component[body] < 0:
            for reached in _walk(body, neighbours)[0]:
                component[reached] = count
            count += 1
    return component


def _walk(body: int, neighbours: list[list[tuple[int, int]]]) -> tuple[list[int], dict[int, int]]:
    """Bodies of the tree by distance from `body`, and where each was reached from."""
    seen = [body]
    back = {body: body}
    for here in seen:
        for other, _ in neighbours[here]:
            if other not in back:
                back[other] = here
                seen.append(other)
    return seen, back


def _centre(body: int, neighbours: list[list[tuple[int, int]]]) -> int:
    """The middle of a longest path: no other root has a shorter deepest branch."""
    end = _walk(body, neighbours)[0][-1]
    seen, back = _walk(end, neighbours)
    path = [seen[-1]]
    while path[-1] != end:
        path.append(back[path[-1]])
    half = (len(path) - 1) // 2
    return min(path[half], path[len(path) - 1 - half])


class Sets:
    """Disjoint sets."""

    def __init__(self, count: int):
        self.above = list(range(count))

    def top(self, k: int) -> int:
        while self.above[k] != k:
            self.above[k] = self.above[self.above[k]]
            k = self.above[k]
        return k

    def join(self, a: int, b: int) -> bool:
        """Unite the sets of a and b; False where they were one already."""
        a, b = self.top(a), self.top(b)
        if a == b:
            return False
        self.above[max(a, b)] = min(a, b)
        return True
