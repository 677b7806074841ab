"""What makes a state is the same bits on every machine only as long as nobody takes what a library rounds in its own
way: products by BLAS, numpy.linalg, scipy, the functions of the C library (`physics/maths/strict.py` has what is
taken)."""

import ast
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
SOURCES = sorted(path for package in ("physics", "scenes") for path in (TOP / package).rglob("*.py"))

ROUNDED_BY_THE_LIBRARY = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2", "sinh",
    "cosh", "tanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "power", "cbrt", "hypot", "dist",
    "gamma", "erf",
}  # fmt: skip
SUMMED_BY_THE_LIBRARY = {
    "dot", "vdot", "inner", "matmul", "tensordot", "einsum", "linalg", "sumprod", "interp", "polyfit",
}  # fmt: skip
# ranks that are decided with a margin: no number of theirs goes into a state
DECISIONS = {("physics/definitions/series.py", "np.linalg"), ("physics/definitions/functions.py", "np.linalg")}
# which points of a hull are corners, which triangles are in one plane; the mode `dense`, which is LAPACK's
LIBRARIES = {
    ("physics/definitions/shapes/polyhedron.py", "scipy.spatial"),
    ("physics/definitions/shapes/reduction.py", "scipy.spatial"),
    ("physics/compiler/lapack.py", "scipy.linalg"),
}  # fmt: skip
# what is read of a state or warned of, of which no number goes back into one
READERS = {"physics/world/self_stress.py", "physics/world/reach.py"}


def found_in(source: str, name: str) -> set[str]:
    """What of a source is rounded by a library, as `line: what`."""
    out = set()
    if name in READERS:
        return out
    for node in ast.walk(ast.parse(source)):
        what = None
        if isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.MatMult):
            what = "@"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Pow):
            base = node.left if isinstance(node, ast.BinOp) else node.target
            # powers of two and ten are exact, or constants of messages and counts
            what = None if isinstance(base, ast.Constant) and base.value in (2, 10) else "**"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("math", "np"):
            if node.attr in ROUNDED_BY_THE_LIBRARY | SUMMED_BY_THE_LIBRARY:
                what = f"{node.value.id}.{node.attr}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "scipy":
            what = node.module
        if what and (name, what) not in DECISIONS | LIBRARIES:
            out.add(f"{node.lineno}: {what}")
    return out


@pytest.mark.parametrize("bad", ["a @ b", "a @= b", "x**3", "x **= 2", "math.sin(x)", "np.dot(a, b)",
                                 "np.linalg.norm(x)", "from scipy.linalg import eigh"])  # fmt: skip
def test_what_a_library_rounds_is_found(bad):
    assert len(found_in(bad, "physics/x.py")) == 1


def test_what_is_exact_is_not_refused():
    assert found_in("math.sqrt(x) + 2**k + 2.0**-48 + np.sqrt(a * b).sum() + math.floor(x)", "physics/x.py") == set()


def test_nothing_that_makes_a_state_is_rounded_by_a_library():
    bad = {path: found_in((TOP / path).read_text(), path) for path in (p.relative_to(TOP).as_posix() for p in SOURCES)}
    assert {path: sorted(found) for path, found in bad.items() if found} == {}
