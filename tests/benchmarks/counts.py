"""The operation counts of [Featherstone05]: D1 divisions and D2 multiply-subtracts of the LTDL factor, by topology.

Counted, not computed: the kernel of `physics/solvers/ltdl.py` runs as plain Python on numbers that count what is done
to them. The columns beside are the closed forms D1 = sum (d_k - 1), D2 = sum d_k (d_k - 1) / 2.
"""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from physics.solvers import ltdl


class Counted:
    """A number that counts the operations it takes part in."""

    def __init__(self, value: float, tally: Counter):
        self.value, self.tally = value, tally

    def _new(self, kind: str, value: float) -> "Counted":
        self.tally[kind] += 1
        return Counted(value, self.tally)

    def __truediv__(self, other: "Counted") -> "Counted":
        return self._new("divisions", self.value / other.value)

    def __mul__(self, other: "Counted") -> "Counted":
        return self._new("products", self.value * other.value)

    def __sub__(self, other: "Counted") -> "Counted":
        return self._new("differences", self.value - other.value)


@dataclass
class Count:
    topology: str
    n: int
    depth: int
    d1: int
    d2: int
    dense_d2: int  # of a chain of as many joints: what a dense factor does

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def chain(n: int) -> list[int]:
    return list(range(-1, n - 1))


def side_branches(n: int) -> list[int]:
    """A spine with a twig of one joint at each of its joints."""
    return [-1, *(k - 1 if k % 2 else max(k - 2, 0) for k in range(1, n))]


def balanced_tree(levels: int) -> list[int]:
    return [(k - 1) // 2 if k else -1 for k in range(2**levels - 1)]


def grid(rows: int, columns: int) -> list[int]:
    """The comb that spans a rectangular grid: one column of joints, each the root of a row."""
    parents = []
    for r in range(rows):
        for c in range(columns):
            k = r * columns + c
            parents.append(k - 1 if c else k - columns if r else -1)
    return parents


def limbs(first: int, count: int, length: int) -> list[int]:
    """A chain of `first` joints (the floating base) that carries `count` chains of `length`."""
    parents = chain(first)
    for _ in range(count):
        for k in range(length):
            parents.append(len(parents) - 1 if k else first - 1)
    return parents


TOPOLOGIES = {
    "chain of 30": chain(30),
    "side branches, 30": side_branches(30),
    "balanced tree, 31": balanced_tree(5),
    "grid 5 x 6": grid(5, 6),
    "humanoid30: floating base, four limbs of six": limbs(6, 4, 6),
    "chain30: floating base, one limb of 24": limbs(6, 1, 24),
    "hand, 15 hinges on a held palm": [-1 if k % 3 == 0 else k - 1 for k in range(15)],
    "held tree of 128 ball joints": ltdl.expanded_parents([-1, 0, *(k // 2 for k in range(2, 128))], [3] * 128),
}


def count(name: str, parents: list[int]) -> Count:
    """Factor a matrix of that pattern, diagonally dominant, with counting numbers."""
    tally: Counter = Counter()
    lengths = ltdl.path_lengths(parents)
    start = ltdl.row_starts(parents)
    h = np.empty(int(start[-1]), object)
    for k in range(len(parents)):
        for j in range(start[k], start[k + 1]):
            h[j] = Counted(100.0 if j == start[k + 1] - 1 else 1.0, tally)
    factor = getattr(ltdl.factor_ltdl, "py_func", ltdl.factor_ltdl)
    factor(np.array(parents), start, h)
    n = len(parents)
    if tally["products"] != tally["differences"]:
        raise AssertionError("each product is subtracted")
    return Count(name, n, int(lengths.max()), tally["divisions"], tally["products"], n * (n * n - 1) // 6)


def make_counts() -> list[Count]:
    return [count(name, parents) for name, parents in TOPOLOGIES.items()]
