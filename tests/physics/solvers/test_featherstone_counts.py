"""Operation counts of the sparse factorisations and of the joint-space inertia matrix [Featherstone05].

With d_k the number of one-dof joints on the path from the root to k: D1 = sum (d_k - 1), D2 = sum d_k (d_k - 1) / 2,
D0 = sum d_k. The counts are taken from the functions that the product runs, on numbers that count what is done to them;
as compiled code takes no such numbers, a child process runs them as plain Python (`python -m` this module).
"""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge
from physics.definitions.scene import Scene
from physics.solvers import jsim, ltdl
from physics.world.world import World
from tests.helpers import generators, sparse_factors
from tests.helpers.cases.reference_cases import read_case
from tests.helpers.arrays import model_of, work_of, space_of

CASE = read_case("31")["expected"]
ROWS: dict[str, dict[str, Any]] = {k: v for k, v in CASE["rows"].items() if "parent" in v}


# ---------------------------------------------------------------- numbers that count
class Counting:
    """A real number; every operation is tallied. Arithmetic with itself or with floats."""

    done: ClassVar[Counter[str]] = Counter()

    def __init__(self, value: float):
        self.value = value

    def sqrt(self) -> "Counting":  # what np.sqrt calls
        Counting.done["sqrt"] += 1
        return Counting(self.value**0.5)

    def __neg__(self) -> "Counting":
        return Counting(-self.value)

    def __abs__(self) -> "Counting":
        return Counting(abs(self.value))

    def __gt__(self, other: Any) -> bool:
        return self.value > plain(other)

    def __ge__(self, other: Any) -> bool:
        return self.value >= plain(other)

    def __lt__(self, other: Any) -> bool:
        return self.value < plain(other)


def plain(x: Any) -> float:
    return x.value if isinstance(x, Counting) else float(x)


def _operation(name: str, apply: Callable[[float, float], float]) -> None:
    def left(a: Counting, b: Any) -> Counting:
        Counting.done[name] += 1
        return Counting(apply(a.value, plain(b)))

    def right(a: Counting, b: Any) -> Counting:
        Counting.done[name] += 1
        return Counting(apply(plain(b), a.value))

    setattr(Counting, f"__{name}__", left)
    setattr(Counting, f"__r{name}__", right)


_operation("add", lambda a, b: a + b)
_operation("sub", lambda a, b: a - b)
_operation("mul", lambda a, b: a * b)
_operation("truediv", lambda a, b: a / b)


def counting(array: np.ndarray) -> np.ndarray:
    out = np.empty(array.shape, object)
    out.ravel()[:] = [Counting(float(x)) for x in array.ravel()]
    return out


def counted(function: Callable[..., Any], *args: Any) -> dict[str, int]:
    Counting.done.clear()
    function(*args)
    return {name: Counting.done[name] for name in ("mul", "add", "sub", "truediv", "sqrt")}


# ---------------------------------------------------------------- what the child process runs
def sample(parent: Sequence[int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A definite matrix with the pattern of the tree, stored by rows."""
    start = ltdl.row_starts(parent)
    h = np.random.default_rng(0).uniform(-1.0, 1.0, int(start[-1]))
    h[start[1:] - 1] = 4.0 * len(parent)
    return np.array(parent, np.int64), start, h


def factor_counts(parent: Sequence[int]) -> dict[str, Any]:
    """Of both factors, and of the four products with each."""
    out: dict[str, Any] = {}
    for kind, factor, solutions in (
        ("ltdl", ltdl.factor_ltdl, (ltdl.solve_lower, ltdl.solve_transposed)),
        ("ltl", sparse_factors.factor_ltl, (sparse_factors.solve_lower_ltl, sparse_factors.solve_transposed_ltl)),
    ):
        up, start, h = sample(parent)
        h = counting(h)
        out[kind] = counted(factor, up, start, h)
        x = counting(np.ones(len(parent)))
        out[kind + " products"] = [
            *(counted(product, up, start, h, x, kind == "ltdl")
              for product in (sparse_factors.multiply, sparse_factors.multiply_transposed)),
            *(counted(solution, up, start, h, x) for solution in solutions),
        ]  # fmt: skip
    return out


def hinge_figure(parent: Sequence[int]) -> Scene:
    """A body and a hinge for each entry of the parent array; -1 is the world."""
    rng = np.random.default_rng(1)
    places = rng.uniform(-1.0, 1.0, (len(parent), 3))
    bodies = [Body(name=f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=x) for k, x in enumerate(places)]
    joints = [
        Hinge(
            name=f"j{k}",
            a="world" if p < 0 else f"b{p}",
            b=f"b{k}",
            at=(places[k] + places[p]) / 2,
            axis=rng.normal(size=3),
        )
        for k, p in enumerate(parent)
    ]
    return Scene(bodies=bodies, joints=joints)


def mode_counts(scene: Scene) -> dict[str, Any]:
    """Of the mode `jsim` on a figure: H, its factor, one right-hand side's back-substitution."""
    world = World(scene, solver="jsim")
    world.accelerations()
    model, space = model_of(world), space_of(world)
    space = space._replace(**{k: counting(getattr(space, k)) for k in ("lever", "block", "load", "rate", "residual")})
    space = space._replace(h=np.full(space.h.shape, None, object))  # an entry read before it is written fails
    block, edge, row = (counting(x) for x in (work_of(world).block, work_of(world).edge, work_of(world).row))
    out: dict[str, Any] = {"n": len(space.parent), "bodies": len(block)}
    out["roots"] = int((model.topology[:, 0] < 0).sum())
    out["inertia"] = counted(jsim.fill_inertia, model.topology, model.form, block, edge, row, space)
    out["written"] = sum(x is not None for x in space.h)
    out["factor"] = counted(ltdl.factor_ltdl, space.parent, space.start, space.h)
    out["solve"] = counted(jsim.solve_factored, space, space.rate)
    return out


def figures() -> dict[str, Scene]:
    return {
        **{name: hinge_figure(row["parent"]) for name, row in ROWS.items() if row["n"] <= 31},
        "humanoid30": generators.humanoid30(),
        "chain30": generators.chain30(),
    }


def main() -> None:
    factors = {name: factor_counts(row["parent"]) for name, row in ROWS.items()}
    modes = {name: mode_counts(scene) for name, scene in figures().items()}
    json.dump({"factors": factors, "modes": modes}, sys.stdout)


@pytest.fixture(scope="module")
def counts() -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-m", "tests.physics.solvers.test_featherstone_counts"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(result.stdout)


# ---------------------------------------------------------------- expected numbers
def path_sums(parent: Sequence[int]) -> tuple[int, int, int, int]:
    """D0, D1, D2 and the depth, from the definition of d_k alone."""
    d = []
    for k in range(len(parent)):
        length = 0
        while k >= 0:
            k = parent[k]
            length += 1
        d.append(length)
    return sum(d), sum(x - 1 for x in d), sum(x * (x - 1) // 2 for x in d), max(d)


@pytest.mark.parametrize("name", ROWS)
def test_factors(counts: dict[str, Any], name: str) -> None:
    """LTDL: D1 divisions, D2 multiply-subtracts. LTL: n square roots, D1 divisions, D2 multiply-subtracts."""
    row, got = ROWS[name], counts["factors"][name]
    n, d1, d2 = row["n"], row["D1"], row["D2"]
    assert path_sums(row["parent"]) == (row["nnz_lower_incl_diag"], d1, d2, row["max_depth"])
    assert got["ltdl"] == {"truediv": d1, "mul": d2, "sub": d2, "add": 0, "sqrt": 0}
    assert got["ltl"] == {"truediv": d1, "mul": d2, "sub": d2, "add": 0, "sqrt": n}
    assert (row["LTDL_divisions_counted"], row["LTDL_mult_add_counted"]) == (d1, d2)


@pytest.mark.parametrize("name", ROWS)
def test_products(counts: dict[str, Any], name: str) -> None:
    """D1 multiply-adds each; n multiplications or divisions more where the diagonal of L is not 1."""
    n, d1 = ROWS[name]["n"], ROWS[name]["D1"]
    for kind, diagonal in (("ltdl", 0), ("ltl", n)):
        forward, transposed, lower, transposed_lower = counts["factors"][name][kind + " products"]
        for product in (forward, transposed):
            assert product == {"mul": d1 + diagonal, "add": d1, "sub": 0, "truediv": 0, "sqrt": 0}
        for product in (lower, transposed_lower):
            assert product == {"mul": d1, "sub": d1, "add": 0, "truediv": diagonal, "sqrt": 0}


# Multiplications of the composite-body algorithm on hinges:
SHIFT = 54  # a block to the parent: three products of a 3x3 matrix and [r]x, 18 each
AXIS_WRENCH = 51  # rc x a 6, block times twist 36, to the anchor 6, the axis on it 3
CARRY = 9  # to the next anchor 6, the axis there on it 3


@pytest.mark.parametrize("name", [name for name in ROWS if ROWS[name]["n"] <= 31])
def test_inertia_of_hinges(counts: dict[str, Any], name: str) -> None:
    """A shift for each body with a parent, a wrench for each coordinate, a carry for each of D1 pairs, and no work for
    a pair on different branches: every one of the D0 entries is written, and there is no store for another."""
    row, got = ROWS[name], counts["modes"][name]
    n, d1, d2 = row["n"], row["D1"], row["D2"]
    assert (got["n"], got["bodies"], got["roots"]) == (n, n, row["parent"].count(-1))
    assert got["written"] == row["nnz_lower_incl_diag"] == n + d1
    assert got["inertia"]["mul"] == SHIFT * (n - got["roots"]) + AXIS_WRENCH * n + CARRY * d1
    assert got["inertia"]["truediv"] == 0
    assert got["factor"] == {"truediv": d1, "mul": d2, "sub": d2, "add": 0, "sqrt": 0}
    assert got["solve"] == {"truediv": n, "mul": 2 * d1, "sub": 2 * d1, "add": 0, "sqrt": 0}
    assert row["backsubst_mult_add"] == got["solve"]["mul"]


def test_humanoid_and_chain(counts: dict[str, Any]) -> None:
    """The pair of the paper with its real joints: six coordinates of the floating body count as six joints in a row.
    The humanoid's factor takes less than a quarter of the chain's operations."""
    for name, row in (
        ("humanoid30", ROWS["humanoid_30_floating6_4limbs_of_6"]),
        ("chain30", ROWS["a_unbranched_chain_30"]),
    ):
        got = counts["modes"][name]
        assert (got["n"], got["bodies"], got["roots"]) == (30, 25, 1)
        assert got["written"] == 30 + row["D1"]
        assert got["factor"]["truediv"] == row["D1"]
        assert got["factor"]["mul"] == got["factor"]["sub"] == row["D2"]
        assert got["solve"]["mul"] == row["backsubst_mult_add"]
        # the floating body takes its six numbers of each row as they come: pairs of hinges are projected, others moved
        limbs = 4 if name == "humanoid30" else 1
        links = 24 // limbs
        pairs = limbs * links * (links - 1) // 2
        assert got["inertia"]["mul"] == SHIFT * 24 + AXIS_WRENCH * 24 + CARRY * pairs + 6 * 24
    assert counts["modes"]["humanoid30"]["factor"]["mul"] < 0.25 * counts["modes"]["chain30"]["factor"]["mul"]


def test_closed_forms() -> None:
    """Chain: D1 = n (n - 1) / 2, D2 = n (n^2 - 1) / 6. Balanced binary tree of L levels: sums over the levels."""
    for n in (1, 2, 10, 30, 100):
        chain = list(range(-1, n - 1))
        assert path_sums(chain)[1:3] == (n * (n - 1) // 2, n * (n * n - 1) // 6)
        if str(n) in CASE["rows"]["formula_chain"]:
            expected = CASE["rows"]["formula_chain"][str(n)]
            assert (expected["D1"], expected["D2"]) == path_sums(chain)[1:3]
        assert ltdl.row_starts(chain)[-1] == n * (n + 1) // 2
    for levels in (1, 4, 5, 8):
        tree = [(k - 1) // 2 if k else -1 for k in range(2**levels - 1)]
        d1 = sum(2 ** (k - 1) * (k - 1) for k in range(1, levels + 1))
        d2 = sum(2 ** (k - 1) * k * (k - 1) // 2 for k in range(1, levels + 1))
        assert path_sums(tree)[1:3] == (d1, d2)
        assert ltdl.row_starts(tree)[-1] == len(tree) + d1


def test_bounds() -> None:
    """O(n d) and O(n d^2): at most n (d - 1) and n d (d - 1) / 2; for a given n and d, the worst tree is a path of d
    with all others at its end; over all trees the chain."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        n = int(rng.integers(1, 80))
        reach = int(rng.integers(1, 12))
        parent = [-1 if k == 0 else int(rng.integers(max(-1, k - reach), k)) for k in range(n)]
        start = ltdl.row_starts(parent)
        d = int(np.diff(start).max())
        d0, d1, d2, depth = path_sums(parent)
        assert (int(start[-1]), d) == (d0, depth)
        assert np.array_equal(np.diff(start), ltdl.path_lengths(parent))
        assert d0 == n + d1
        assert n <= d0 <= n * d
        assert d1 <= d * (d - 1) // 2 + (n - d) * (d - 1) <= min(n * (d - 1), n * (n - 1) // 2)
        assert (
            d2 <= d * (d * d - 1) // 6 + (n - d) * d * (d - 1) // 2 <= min(n * d * (d - 1) // 2, n * (n * n - 1) // 6)
        )


if __name__ == "__main__":
    main()
