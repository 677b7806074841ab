"""Islands of links: all links that share a tree of the forest, directly or through other links, are one island. The
matrix J_a A^-1 J_a^T has one block for each island and is zero elsewhere, so that each block is factored separately.

The links and bodies of an island are fixed when a figure is built; the number of its rows may change in each step.
"""

import numpy as np

from physics.compiler.jit import kernel
from physics.data.arrays import make
from physics.data.model import Auxiliary, Ints, Islands
from physics.data.model_tables import ForceLaw, JointKind, Joints, Member, Path, Term, Topology
from physics.data.step_tables import Control
from physics.edges.conditions import has_nonideal_forces
from physics.links import unsymmetric
from physics.links.pivoted_cholesky import STRAIGHT, factor_pivoted, solve_pivoted
from physics.maths.lanes import AT_ONCE
from physics.solvers.fused_columns import FourColumns

# A column of the symmetric form takes 96 bytes a body: of islands that may have more, columns are solved one by one.
MOST_SLOTS = 96
LINE = 8  # numbers in a cache line


def find_islands(
    topology: np.ndarray, links: np.ndarray, joint: np.ndarray, table: np.ndarray, most_rows: list[int]
) -> Islands:
    """Return the Islands of a figure. The bodies of an island are those that its links connect, and all bodies between
    these and the roots. Row j of `joint` describes link j, and `most_rows` has the largest number of rows of each
    link."""
    n, k = len(topology), len(links)
    above = topology[:, Topology.PARENT]
    root = np.arange(n)
    for i in range(n):
        if above[i] >= 0:
            root[i] = root[above[i]]
    tied = [bodies_of(j, n, topology, links, joint, table) for j in range(k)]
    group = np.arange(n)  # of a root: another root of its island, itself where it speaks for it

    def speaker(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for bodies in tied:
        speakers = [speaker(root[i]) for i in bodies]
        for s in speakers:
            group[s] = min(speakers)
    speakers = [speaker(root[bodies[0]]) for bodies in tied]
    order = {s: g for g, s in enumerate(sorted(set(speakers)))}
    link = np.array([order[s] for s in speakers], np.int64)
    found: list[set[int]] = [set() for _ in order]
    capacity = [0] * len(order)
    for j, bodies in enumerate(tied):
        capacity[link[j]] += most_rows[j]
        for i in bodies:
            while i >= 0 and i not in found[link[j]]:
                found[link[j]].add(i)
                i = above[i]
    room = max(sum(most_rows), 1)
    slots = -(-max(capacity, default=0) // AT_ONCE) * AT_ONCE
    halves = 0 < slots <= MOST_SLOTS and bool((topology[:, Topology.ELIMINATION] != Path.GENERAL).all())
    island = np.full(n, -1, np.int64)
    for g, bodies in enumerate(found):
        island[list(bodies)] = g
    sizes = {"n": n, "k": k, "K": room, "islands": len(order), "slots": max(slots, AT_ONCE)}
    return make(
        Islands,
        sizes,
        link=link,
        island=island,
        lopsided=_lopsided(links, joint, link, len(order)),
        body_start=np.cumsum([0, *map(len, found)]).astype(np.int64),
        body=np.array([i for bodies in found for i in sorted(bodies)], np.int64),
        wide=_aligned(n * slots // AT_ONCE if halves else 0, FourColumns.WIDTH * AT_ONCE),
    )


def _aligned(rows: int, columns: int) -> np.ndarray:
    """Return zeros (rows, columns) that begin at a cache line, so that no SIMD group of four numbers crosses a boundary
    between lines."""
    room = np.zeros(rows * columns + LINE)
    start = -(room.ctypes.data // 8) % LINE
    return room[start : start + rows * columns].reshape(rows, columns)


def bodies_of(
    j: int, n: int, topology: np.ndarray, links: np.ndarray, joint: np.ndarray, table: np.ndarray
) -> list[int]:
    """Return the bodies that link j connects, in ascending order; n is the number of bodies."""
    ends = [links[j, [Topology.CHILD, Topology.PARENT]]]
    first = int(joint[j, Joints.TABLE])
    if links[j, Topology.KIND] == JointKind.GROUP_CONDITION:
        return sorted({int(i) for i in table[first : first + int(joint[j, Joints.TABLE_ROWS]), Member.BODY] if i >= 0})
    if links[j, Topology.KIND] == JointKind.COUPLING:
        for e in table[first : first + int(joint[j, Joints.TABLE_ROWS]), Term.EDGE].astype(int):
            ends.append((topology[e] if e < n else links[e - n])[[Topology.CHILD, Topology.PARENT]])
    return sorted({int(i) for pair in ends for i in pair if i >= 0})


def _lopsided(links: np.ndarray, joint: np.ndarray, link: Ints, count: int) -> Ints:
    """Return 1 for each of `count` islands that has rows with non-ideal constraint forces, else 0; `link` is the island
    of each link."""
    along = (links[:, Topology.KIND] != JointKind.GROUP_CONDITION) | (
        joint[: len(links), Joints.FORCES] == ForceLaw.ALONG_ROWS
    )
    found = np.zeros(count, np.int64)
    found[link[~along]] = 1
    return found


def dependent_rows(a: Auxiliary, count: int) -> Ints:
    """Return those of the `count` rows of links that depended on others in the last factorisation, or none if the
    number of rows has changed since."""
    i = a.islands
    if count != i.first[-1]:
        return a.pivot[:0]
    return np.concatenate(
        [a.pivot[:0], *(a.pivot[f + r : e] for f, r, e in zip(i.first, i.rank, i.first[1:], strict=False))]
    )


def taut_rows(a: Auxiliary, count: int) -> Ints:
    """Return those of the `count` rows of links that are almost dependent on others: their pivots are of the order of
    the square of a small angle. Return none if the number of rows has changed since the last factorisation."""
    i = a.islands
    if count != i.first[-1]:
        return a.pivot[:0]
    turns = [np.arange(f, f + r) for f, r in zip(i.first[:-1], i.rank, strict=True)]
    found = np.concatenate([a.pivot[:0], *turns]).astype(np.int64)
    return a.pivot[found[np.diagonal(a.factor)[found] < STRAIGHT]]


@kernel
def place_rows(m, w):
    """Write to Auxiliary.islands where the links' rows are: the first row of each island, its members, the number of
    its rows (to `rank`), and the slot of each row."""
    a = w.auxiliary
    i = a.islands
    n = m.topology.shape[0]
    groups = i.rank.shape[0]
    for g in range(groups + 1):
        i.first[g] = 0
    for r in range(w.control[Control.ROW_COUNT]):
        i.first[i.link[a.edge[r] - n] + 1] += 1
    for g in range(groups):
        i.first[g + 1] += i.first[g]
        i.rank[g] = 0
    for r in range(w.control[Control.ROW_COUNT]):
        g = i.link[a.edge[r] - n]
        i.slot[r] = i.rank[g]
        i.member[i.first[g] + i.rank[g]] = r
        i.rank[g] += 1


@kernel
def factor_islands(w):
    """Factor J_a A^-1 J_a^T (Auxiliary.matrix) island by island into Auxiliary.factor. Write to Auxiliary.pivot the
    independent rows of each island and then its other rows, to Islands.rank the rank of each island, and to
    Control.RANK the sum of the ranks."""
    a = w.auxiliary
    i = a.islands
    w.control[Control.RANK] = 0
    for k in range(w.control[Control.ROW_COUNT]):
        a.pivot[k] = i.member[k]
    if has_nonideal_forces(a):
        unsymmetric.factor(w)
    for g in range(i.rank.shape[0]):
        if has_nonideal_forces(a) and i.lopsided[g] != 0:
            w.control[Control.RANK] += i.rank[g]
            continue
        i.rank[g] = factor_pivoted(i.first[g], i.first[g + 1], a.matrix, a.factor, a.pivot, a.scale)
        w.control[Control.RANK] += i.rank[g]


@kernel
def solve_islands(w, right, x, regularised):
    """Write the multipliers of all links' rows to x, for the right-hand side `right`, which stays. With `regularised`,
    small pivots are regularised."""
    a = w.auxiliary
    i = a.islands
    if has_nonideal_forces(a):
        unsymmetric.solve(w, right, x)
    for g in range(i.rank.shape[0]):
        if has_nonideal_forces(a) and i.lopsided[g] != 0:
            continue
        solve_pivoted(i.first[g], i.first[g + 1], i.rank[g], a.factor, a.pivot, a.scale, right, x, regularised)
