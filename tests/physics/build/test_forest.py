"""Contract of the forest: every constraint in exactly one place, parents before children, roots as they should be.

Random graphs are checked by brute force: trees against their definition, centres against every other root.
"""

import itertools

import numpy as np
import pytest

from physics.build.forest import WORLD, make_forest


def random_tree(rng, bodies):
    """Edges of a random tree, each named in a random order, in a random order."""
    label = rng.permutation(bodies)
    pairs = []
    for i in range(1, bodies):
        pair = (int(label[i]), int(label[rng.integers(i)]))
        pairs.append(pair if rng.uniform() < 0.5 else pair[::-1])
    return [pairs[k] for k in rng.permutation(len(pairs))]


def random_graph(rng, bodies, edges, held):
    """Anything: loops, several joints between two bodies, several to the world, bodies with none."""
    pairs = []
    for _ in range(edges):
        a, b = rng.choice(bodies, 2, replace=False)
        pairs.append((int(a), int(b)))
    for _ in range(held):
        pair = (WORLD, int(rng.integers(bodies)))
        pairs.append(pair if rng.uniform() < 0.5 else pair[::-1])
    return [pairs[k] for k in rng.permutation(len(pairs))]


def figures_of(bodies, pairs):
    """Sets of bodies that joints connect, the world left out."""
    group = list(range(bodies))
    for a, b in pairs:
        if a != WORLD and b != WORLD:
            old, new = group[a], group[b]
            group = [new if g == old else g for g in group]
    return [{i for i in range(bodies) if group[i] == g} for g in sorted(set(group))]


def check(forest, bodies, pairs, auxiliary=()):
    """What must hold for every forest."""
    assert sorted(forest.order) == list(range(bodies))
    for place, parent in enumerate(forest.parent):
        assert parent < place
        assert parent >= WORLD
        edge = forest.edge[place]
        here = forest.order[place]
        if parent != WORLD:
            assert set(pairs[edge]) == {here, forest.order[parent]}
            assert forest.tree[place] == forest.tree[parent]
        elif edge != -1:
            assert set(pairs[edge]) == {here, WORLD}
    primary = [e for e in forest.edge if e != -1]
    assert sorted(primary + forest.auxiliary) == list(range(len(pairs)))
    assert forest.auxiliary == sorted(forest.auxiliary)
    for k, marked in enumerate(auxiliary):
        assert not (marked and k in primary)
    # the primary constraints leave nothing out that a tree could hold: as many as a spanning forest has
    wanted = [p for k, p in enumerate(pairs) if not (auxiliary and auxiliary[k])]
    groups = figures_of(bodies, wanted)
    held = sum(any((WORLD in p) and (set(p) & g) for p in wanted) for g in groups)
    assert len(primary) == bodies - len(groups) + held
    # each tree is what its constraints connect, with one root; the world may part a figure that it holds twice
    parts = figures_of(bodies, [pairs[k] for k in primary])
    trees = [{forest.order[k] for k in range(bodies) if forest.tree[k] == t} for t in set(forest.tree)]
    assert sorted(map(sorted, parts)) == sorted(map(sorted, trees))
    assert forest.parent.count(WORLD) == len(trees)
    for g in groups:
        if sum(WORLD in p and bool(set(p) & g) for p in wanted) < 2:
            assert g in trees


def depths(forest):
    depth = []
    for parent in forest.parent:
        depth.append(0 if parent == WORLD else depth[parent] + 1)
    return depth


def eccentricity(bodies, pairs, root):
    """How far the furthest body is, by walking."""
    far, seen, ring = 0, {root}, [root]
    while ring:
        ring = [b for a in ring for p in pairs if a in p for b in p if b not in seen]
        seen.update(ring)
        far += bool(ring)
    assert len(seen) <= bodies
    return far


@pytest.mark.parametrize("seed", range(40))
def test_free_tree_is_rooted_at_its_centre(seed):
    rng = np.random.default_rng(seed)
    bodies = int(rng.integers(1, 25))
    pairs = random_tree(rng, bodies)
    forest = make_forest(bodies, pairs)
    check(forest, bodies, pairs)
    assert forest.auxiliary == []
    reach = [eccentricity(bodies, pairs, root) for root in range(bodies)]
    assert max(depths(forest)) == min(reach)
    # of two equally central bodies the one defined first
    assert forest.order[0] == reach.index(min(reach))


@pytest.mark.parametrize("seed", range(40))
def test_held_tree_is_rooted_at_the_world(seed):
    """A joint to the world is the root, however uncentral, whichever way round it names its bodies."""
    rng = np.random.default_rng(seed)
    bodies = int(rng.integers(1, 25))
    body = int(rng.integers(bodies))
    pairs = [*random_tree(rng, bodies), (WORLD, body) if seed % 2 else (body, WORLD)]
    forest = make_forest(bodies, pairs)
    check(forest, bodies, pairs)
    assert forest.order[0] == body
    assert forest.edge[0] == len(pairs) - 1
    assert max(depths(forest)) == eccentricity(bodies, pairs[:-1], body)


@pytest.mark.parametrize("seed", range(60))
def test_any_graph(seed):
    """Loops, doubled joints, several holds, lone bodies, several figures, constraints marked auxiliary."""
    rng = np.random.default_rng(seed)
    bodies = int(rng.integers(2, 20))
    pairs = random_graph(rng, bodies, int(rng.integers(0, 2 * bodies)), int(rng.integers(0, 4)))
    auxiliary = [bool(x) for x in rng.uniform(size=len(pairs)) < 0.15]
    roots = [int(x) for x in rng.integers(0, bodies, 2)]
    forest = make_forest(bodies, pairs, auxiliary, roots)
    check(forest, bodies, pairs, auxiliary)
    again = make_forest(bodies, list(pairs), list(auxiliary), list(roots))
    assert forest == again


def test_level_by_level():
    """Breadth first: depths never decrease along the order, within a tree."""
    rng = np.random.default_rng(5)
    pairs = random_tree(rng, 50)
    depth = depths(make_forest(50, pairs))
    assert depth == sorted(depth)


def test_chain():
    """Five bodies in a row: rooted in the middle, the ends last."""
    forest = make_forest(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert forest.order == [2, 1, 3, 0, 4]
    assert forest.parent == [WORLD, 0, 0, 1, 2]
    assert forest.edge == [-1, 1, 2, 0, 3]


def test_even_chain():
    """Two middles: the one defined first."""
    assert make_forest(4, [(0, 1), (1, 2), (2, 3)]).order[0] == 1
    assert make_forest(4, [(3, 2), (2, 1), (1, 0)]).order[0] == 1


def test_second_joint_to_the_world_is_auxiliary():
    pairs = [(0, 1), (WORLD, 0), (1, 2), (2, WORLD)]
    forest = make_forest(3, pairs)
    check(forest, 3, pairs)
    assert forest.order == [0, 1, 2]
    assert forest.auxiliary == [3]
    # the first one defined is the root, though it comes last in the chain
    assert make_forest(3, [(2, WORLD), (0, 1), (1, 2), (WORLD, 0)]).order[0] == 2


def test_held_twice_from_the_start():
    """Both holds defined before the joint between: each end hangs on its own, and that joint closes the loop. What is
    defined last gives way, hold or not."""
    pairs = [(WORLD, 0), (WORLD, 2), (0, 1), (1, 2)]
    forest = make_forest(3, pairs)
    check(forest, 3, pairs)
    assert forest.auxiliary == [3]


def test_loop():
    """The constraint that closes a loop is the last one defined."""
    square = [(0, 1), (1, 2), (2, 3), (3, 0)]
    for k in range(4):
        turned = square[k:] + square[:k]
        forest = make_forest(4, turned)
        check(forest, 4, turned)
        assert forest.auxiliary == [3]


def test_marked_constraints_stay_outside():
    """Marking one of a loop keeps the others in; marking the only hold leaves the tree free."""
    pairs = [(0, 1), (1, 2), (2, 0), (WORLD, 0)]
    forest = make_forest(3, pairs, [True, False, False, True])
    check(forest, 3, pairs, [True, False, False, True])
    assert forest.auxiliary == [0, 3]
    assert forest.parent.count(WORLD) == 1
    assert forest.edge[0] == -1


def test_wished_root():
    """A free tree takes the root that is asked for; a held one keeps its hold."""
    chain = [(0, 1), (1, 2), (2, 3), (3, 4)]
    assert make_forest(5, chain, roots=[4]).order[0] == 4
    assert make_forest(5, chain, roots=[4, 0]).order[0] == 0
    assert make_forest(5, [*chain, (WORLD, 1)], roots=[4]).order[0] == 1


def test_several_figures():
    """Two chains, a held pair and a lone body: trees in the order of their first bodies, each whole."""
    pairs = [(0, 3), (1, 4), (4, 6), (2, WORLD), (5, 2)]
    forest = make_forest(8, pairs)
    check(forest, 8, pairs)
    assert forest.auxiliary == []
    trees = {}
    for place, number in enumerate(forest.tree):
        trees.setdefault(number, []).append(forest.order[place])
    assert list(trees.values()) == [[0, 3], [4, 1, 6], [2, 5], [7]]
    # a tree's rows stand together
    assert [k for k, _ in itertools.groupby(forest.tree)] == [0, 1, 2, 3]


def test_doubled_joint():
    """Two joints between the same bodies: the second is auxiliary."""
    pairs = [(0, 1), (1, 0)]
    forest = make_forest(2, pairs)
    check(forest, 2, pairs)
    assert forest.auxiliary == [1]


def test_long_chain():
    """Ten thousand bodies, no recursion."""
    forest = make_forest(10_000, [(i, i + 1) for i in range(9_999)])
    assert max(depths(forest)) == 5_000
    assert forest.order[0] == 4_999
