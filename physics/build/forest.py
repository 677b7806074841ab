"""From the graph of bodies and constraints to a forest, and the constraints outside it. Those in the forest are called
primary, the others auxiliary.

A joint to the world makes its body the root of a tree. A second joint to the world in the same tree would close a loop,
so that it becomes auxiliary. If a tree has no joint to the world, its central body becomes the root, so that its paths
are short. If two bodies are equally central, it is the one that is defined first. Apart from the graph, the result
depends only on the order in which bodies and constraints are defined.

Bodies are numbered level by level from the roots (breadth first). Parents therefore come before their children. Bodies
of different branches alternate. Their eliminations do not depend on each other, so that they overlap in the
processor."""

from collections.abc import Sequence
from dataclasses import dataclass

WORLD = -1


@dataclass(frozen=True)
class Forest:
    """The forest of a scene. The place of a body is its row in all arrays."""

    order: list[int]  # body of each place: order[k] is the definition index of the body at place k
    parent: list[int]  # place of the parent of each place, or WORLD
    edge: list[int]  # index of the constraint that ties each place to its parent, or -1 (a free root)
    auxiliary: list[int]  # constraints outside the forest, in the order of definition
    tree: list[int]  # number of the tree of each place


def make_forest(
    bodies: int, pairs: Sequence[tuple[int, int]], auxiliary: Sequence[bool] = (), roots: Sequence[int] = ()
) -> Forest:
    """Return the forest. `pairs` has the two bodies of each constraint (WORLD for the world). Constraints that are
    marked in `auxiliary` stay outside. If a tree has no joint to the world, and a body in `roots`, this body becomes
    its root."""
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
    """Choose a root for each tree, number the bodies breadth first, and return the forest. `held` has (body,
    constraint) for each joint to the world, and `rest` the constraints outside the forest."""
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
    """Return the number of the tree of each body. Trees are numbered in the order of their first bodies."""
    component = [-1] * bodies
    count = 0
    for body in range(bodies):
        if component[body] < 0:
            for reached in _walk(body, neighbours)[0]:
                component[reached] = count
            count += 1
    return component


def _walk(body: int, neighbours: list[list[tuple[int, int]]]) -> tuple[list[int], dict[int, int]]:
    """Return the bodies of a tree in the order of their distance from `body`. Also return for each body the neighbour
    through which it was reached."""
    seen = [body]
    back = {body: body}
    for here in seen:
        for other, _ in neighbours[here]:
            if other not in back:
                back[other] = here
                seen.append(other)
    return seen, back


def _centre(body: int, neighbours: list[list[tuple[int, int]]]) -> int:
    """Return the body in the middle of a longest path in the tree of `body`. With this body as its root, the tree has
    the fewest levels."""
    end = _walk(body, neighbours)[0][-1]
    seen, back = _walk(end, neighbours)
    path = [seen[-1]]
    while path[-1] != end:
        path.append(back[path[-1]])
    half = (len(path) - 1) // 2
    return min(path[half], path[len(path) - 1 - half])


class Sets:
    """Disjoint sets of whole numbers, which can be united."""

    def __init__(self, count: int):
        """Make `count` sets of one element each, numbered from 0."""
        self.above = list(range(count))

    def top(self, k: int) -> int:
        """Return the element that represents the set to which k belongs."""
        while self.above[k] != k:
            self.above[k] = self.above[self.above[k]]
            k = self.above[k]
        return k

    def join(self, a: int, b: int) -> bool:
        """Unite the sets of a and b. Return whether they were different sets before."""
        a, b = self.top(a), self.top(b)
        if a == b:
            return False
        self.above[max(a, b)] = min(a, b)
        return True
