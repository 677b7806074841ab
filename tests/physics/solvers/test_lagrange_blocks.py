"""The block elimination under `lagrange`: trees of nodes of any dimension, against numpy on the full matrix."""

import numpy as np
import pytest

from physics.compiler.jit import entry
from physics.maths.inverse import definite_inverse
from physics.solvers import blocktree
from physics.solvers.blocktree_nodes import Node, Shape, make_tree


@entry("nv")
def factor(node, values):
    blocktree.factor_tree(node, values)


@entry("nvv")
def solve(node, values, x):
    blocktree.solve_tree(node, values, x)


@entry("vv")
def invert(packed, out):
    s = definite_inverse((packed[0], packed[1], packed[2], packed[3], packed[4], packed[5]))
    for k in range(6):
        out[k] = s[k]


def random_definite(rng, n):
    """Eigenvalues between 1 and a few n."""
    x = rng.normal(size=(n, n))
    return np.eye(n) + x @ x.T


def random_rows(rng, n, rows):
    """Columns at right angles and 1 to 2 long: like those of a joint, they do not nearly repeat each other. (There is
    no pivoting: the error goes with the condition of each block when its turn comes, not with that of H alone.)"""
    return np.linalg.qr(rng.normal(size=(n, rows)))[0] * rng.uniform(1.0, 2.0, rows)


class Figure:
    """Bodies of dimensions `bodies` in a random tree, the edge of body i with `rows[i]` constraints (0: a free root),
    and a soft coupling of the last `soft[i]` unknowns of the two bodies."""

    def __init__(self, seed, bodies, rows, soft=(), special=True):
        rng = np.random.default_rng(seed)
        count = len(bodies)
        parent = [-1] + [int(rng.integers(max(0, i - 3), i)) for i in range(1, count)]
        parent = [-1 if rows[i] == 0 else p for i, p in enumerate(parent)]
        place = {}
        for i in range(count - 1, -1, -1):
            place[i] = len(place) + sum(1 for k in place if rows[k] > 0)
        total = count + sum(1 for r in rows if r > 0)
        sizes, ups, far = [0] * total, [-1] * total, [False] * total
        soft = soft or [0] * count
        for i in range(count):
            k = place[i]
            sizes[k] = bodies[i]
            if rows[i] > 0:
                sizes[k + 1], ups[k] = rows[i], k + 1
                ups[k + 1] = place[parent[i]] if parent[i] >= 0 else -1
                far[k] = soft[i] > 0 and parent[i] >= 0
        self.tree = make_tree(sizes, ups, far, special)
        node = self.tree.node
        self.starts = np.cumsum([0, *sizes])
        assert (node[:, Node.PLACE] == self.starts[:-1]).all()
        self.matrix = np.zeros((self.tree.unknowns, self.tree.unknowns))
        for i in range(count):
            self.set(place[i], place[i], random_definite(rng, bodies[i]))
            if rows[i] > 0:
                self.set(place[i], place[i] + 1, random_rows(rng, bodies[i], rows[i]))
                if parent[i] >= 0:
                    self.set(place[i] + 1, place[parent[i]], rng.normal(size=(rows[i], bodies[parent[i]])))
            if node[place[i], Node.FAR] >= 0:
                p = place[parent[i]]
                n, m = min(soft[i], bodies[i]), min(soft[i], bodies[parent[i]])
                node[place[i], [Node.FAR_ROWS, Node.FAR_COLUMNS]] = n, m
                # a spring's own energy is no less than zero: G^T G over both bodies
                g = rng.normal(size=(3, n + m))
                k = g.T @ g
                self.add(place[i], place[i], k[:n, :n])
                self.add(p, p, k[n:, n:])
                self.add(place[i], p, k[:n, n:])
        self.values = self._packed()

    def set(self, a, b, block):
        i, k = self.starts[a], self.starts[b]
        self.matrix[i : i + block.shape[0], k : k + block.shape[1]] = block
        self.matrix[k : k + block.shape[1], i : i + block.shape[0]] = block.T

    def add(self, a, b, block):
        """Onto the last rows and columns."""
        i, k = self.starts[a + 1] - block.shape[0], self.starts[b + 1] - block.shape[1]
        self.matrix[i : self.starts[a + 1], k : self.starts[b + 1]] += block
        if a != b:
            self.matrix[k : self.starts[b + 1], i : self.starts[a + 1]] += block.T

    def block(self, a, b):
        return self.matrix[self.starts[a] : self.starts[a + 1], self.starts[b] : self.starts[b + 1]]

    def _packed(self):
        values = np.full(self.tree.values, np.nan)  # room that is not used must not be read
        for i, node in enumerate(self.tree.node):
            lower = self.block(i, i)[np.tril_indices(node[Node.SIZE])]
            values[node[Node.DIAGONAL] : node[Node.DIAGONAL] + len(lower)] = lower
            if node[Node.UP] >= 0:
                up = self.block(i, node[Node.UP]).ravel()
                values[node[Node.UP_BLOCK] : node[Node.UP_BLOCK] + len(up)] = up
            if node[Node.FAR] >= 0:
                whole = self.block(i, node[Node.FAR])
                far = whole[whole.shape[0] - node[Node.FAR_ROWS] :, whole.shape[1] - node[Node.FAR_COLUMNS] :].ravel()
                values[node[Node.FAR_BLOCK] : node[Node.FAR_BLOCK] + len(far)] = far
        return values

    def factored(self):
        values = self.values.copy()
        factor(self.tree.node, values)
        return values


def check(figure, seed, sides=1):
    rng = np.random.default_rng(seed)
    values = figure.factored()
    # forward error of a stable solution: eps times the condition, and a little for its size
    tolerance = 20 * np.finfo(float).eps * np.linalg.cond(figure.matrix)
    assert tolerance < 1e-8
    for _ in range(sides):
        b = rng.normal(size=figure.tree.unknowns)
        x = b.copy()
        solve(figure.tree.node, values, x)
        expected = np.linalg.solve(figure.matrix, b)
        assert np.abs(x - expected).max() <= tolerance * np.abs(expected).max()


def mixed(seed, count=12, most=9):
    """Bodies of dimension 1 to `most` under no more rows than they have unknowns, some roots free."""
    rng = np.random.default_rng(seed)
    bodies = rng.integers(1, most + 1, count).tolist()
    rows = [int(rng.integers(1, n + 1)) for n in bodies]
    if seed % 2:
        rows[0] = rows[count // 2] = 0
    return bodies, rows


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_mixed_dimensions(seed, special):
    bodies, rows = mixed(seed)
    check(Figure(seed, bodies, rows, special=special), seed)


@pytest.mark.parametrize("special", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_mixed_dimensions_with_grandparent_blocks(seed, special):
    bodies, rows = mixed(seed)
    soft = np.random.default_rng(100 + seed).integers(0, 10, len(bodies)).tolist()
    check(Figure(seed, bodies, rows, soft, special), seed)


@pytest.mark.parametrize("soft", [0, 3, 6])
@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 6])
def test_rigid_bodies(rows, soft):
    """The dimensions that have kernels of their own, and between which kinds of rows they change over."""
    counts = [rows] * 10
    check(Figure(rows, [6] * 10, counts, [soft] * 10), rows)
    counts[3] = counts[7] = 1 + rows % 6
    check(Figure(rows, [6] * 10, counts, [soft, 6] * 5), rows)


@pytest.mark.parametrize("soft", [0, 3, 6])
@pytest.mark.parametrize("rows", [3, 4, 5, 6])
def test_special_kernels_agree_with_the_general_one(rows, soft):
    b = np.random.default_rng(5).normal(size=10 * (6 + rows))
    results = []
    for special in (True, False):
        figure = Figure(rows, [6] * 10, [rows] * 10, [soft] * 10, special)
        assert (figure.tree.node[:, Node.METHOD] != Shape.ANY).any() == special
        x = b.copy()
        solve(figure.tree.node, figure.factored(), x)
        results.append(x)
    tolerance = 20 * np.finfo(float).eps * np.linalg.cond(figure.matrix)
    assert np.abs(results[0] - results[1]).max() <= tolerance * np.abs(results[1]).max()
    assert not np.array_equal(*results)  # they are different kernels


def test_every_special_kernel_is_used():
    used = set()
    for rows in (3, 4, 5, 6):
        used |= set(Figure(rows, [6] * 4, [rows] * 4).tree.node[:, Node.METHOD].tolist())
    assert used == set(range(7))


def test_one_factor_many_right_hand_sides():
    bodies, rows = mixed(4)
    check(Figure(4, bodies, rows, [9] * len(bodies)), 4, sides=20)
    check(Figure(4, [6] * 8, [3, 5, 4, 6, 3, 5, 4, 6], [3, 6] * 4), 4, sides=20)


def test_there_is_no_fill_in():
    """The factor takes the place of the blocks that H has, and H takes no more than those: a chain of n bodies with
    three rows each holds 21 + 18 + 6 numbers a link and 18 for each link that hangs on another."""
    for n in (2, 10, 100):
        tree = make_tree([6, 3] * n, [k + 1 for k in range(2 * n - 1)] + [-1], [False] * 2 * n)
        assert tree.values == 45 * n + 18 * (n - 1)
        assert tree.unknowns == 9 * n


def test_it_inverts_a_constraint_of_nine_rows_exactly():
    """One body of nine unknowns, all of them held: v = g whatever the force."""
    tree = make_tree([9, 9], [1, -1], [False, False])
    rng = np.random.default_rng(0)
    a = random_definite(rng, 9)
    values = np.zeros(tree.values)
    values[: 9 * 10 // 2] = a[np.tril_indices(9)]
    values[tree.node[0, Node.UP_BLOCK] : tree.node[0, Node.UP_BLOCK] + 81] = -np.eye(9).ravel()
    g = rng.normal(size=9)
    f = rng.normal(size=9)
    x = np.concatenate([f, -g])
    factor(tree.node, values)
    solve(tree.node, values, x)
    np.testing.assert_allclose(x[:9], g, atol=1e-13)
    np.testing.assert_allclose(x[9:], a @ g - f, atol=1e-11)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("condition", [1.0, 1e2, 1e4, 1e6, 1e8])
def test_small_inverse_at_any_condition(condition, sign):
    """A spring about one axis: one eigenvalue far above the two others. Cofactors alone lose its condition squared."""
    rng = np.random.default_rng(2)
    packed = np.tril_indices(3)
    for _ in range(50):
        q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        # doubles hold such a matrix to eps times its largest eigenvalue; numpy inverts the one that they hold
        a = sign * (q * [condition, 1.0, 2.0]) @ q.T
        a[2, 1], a[2, 0], a[1, 0] = a[1, 2], a[0, 2], a[0, 1]
        out = np.zeros(6)
        invert(a[packed], out)
        expected = np.linalg.inv(a)[packed]
        error = np.abs(out - expected).max() / np.abs(expected).max()
        assert error <= 20 * np.finfo(float).eps * condition
