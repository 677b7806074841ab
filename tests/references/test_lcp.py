"""Exact pivoting against problems with known solutions (38) and the rod that slides into Painleve's paradox (32)."""

import math

import numpy as np
import pytest

from physics.links.complementarity import solve_complementarity
from physics.links.pivoting import Outcome, make_pivoting
from tests.helpers.cases.reference_cases import read_case

CASE = read_case("38")
PROBLEMS = CASE["expected"]
# "any: w, z 1e-8" of the case
TOLERANCE = 1e-8


def solve(matrix, offset, limit=None, partner=None):
    p = make_pivoting(len(offset))
    p.matrix[:] = matrix
    p.offset[:] = offset
    if limit is not None:
        p.limit[:] = limit
    if partner is not None:
        p.partner[:] = partner
    status, _ = solve_complementarity(p, len(offset))
    return status, p.x, p.a


@pytest.mark.parametrize("c", PROBLEMS["lcp"], ids=lambda c: f"{c['kind']}-{c['n']}")
def test_complementarity(c):
    matrix, offset = np.array(c["A"]), np.array(c["b"])
    status, x, a = solve(matrix, offset)
    assert status == Outcome.SOLVED
    assert a == pytest.approx(matrix @ x + offset, abs=1e-12)
    assert min(x) >= 0.0
    assert min(a) >= -1e-10
    assert x @ abs(a) < 1e-10 * max(1.0, abs(x).max())
    if "w" in c:
        assert a == pytest.approx(c["w"], abs=TOLERANCE)
    if c.get("unique_z", c["kind"] == "PD"):
        assert x == pytest.approx(c["z"], abs=TOLERANCE)


@pytest.mark.parametrize("c", PROBLEMS["boxed"], ids=lambda c: str(c["n"]))
def test_boxed(c):
    status, x, _ = solve(c["A"], c["b"], np.stack([c["lo"], c["hi"]], axis=1))
    assert status == Outcome.SOLVED
    assert x == pytest.approx(c["z"], abs=TOLERANCE)


def test_the_matrix_on_which_naive_pivoting_cycles():
    c = PROBLEMS["cyclic"]
    status, x, _ = solve(c["A"], c["b"])
    assert status == Outcome.SOLVED
    assert x == pytest.approx(c["z"], abs=TOLERANCE)


def test_a_problem_without_solution_is_said_to_have_none():
    c = PROBLEMS["infeasible"]
    status, x, _ = solve(c["A"], c["b"])
    assert status == Outcome.STUCK
    assert np.isfinite(x).all()


def sliding_rod(row):
    """W and q of the rod's lower end, rows normal and along x, in accelerations per unit force.

    a_end = F/m + alpha x r - omega^2 r,  alpha = (r x F)_z / I,  r from the centre of mass to the end
    """
    d = read_case("32")["definition"]
    angle = math.radians(row["angle_deg"])
    r = -d["half_length"] * np.array([math.cos(angle), math.sin(angle)])
    normal, along = np.array([0.0, 1.0]), np.array([1.0, 0.0])

    def response(force):
        alpha = (r[0] * force[1] - r[1] * force[0]) / d["I"]
        return force / d["m"] + alpha * np.array([-r[1], r[0]])

    free = np.array([0.0, -d["g"]]) - row["omega"] ** 2 * r
    rows = np.stack([normal, along])
    matrix = np.stack([rows @ response(normal), rows @ response(along)], axis=1)
    return matrix, rows @ free


@pytest.mark.parametrize("row", read_case("32")["expected"]["rows"], ids=lambda r: "-".join(map(str, r.values()))[:24])
def test_sliding_rod(row):
    """Kinetic friction is a row whose two limits are the same: -mu times the normal force for a slip along +x."""
    matrix, offset = sliding_rod(row)
    share = -row["mu"] if row["slide_direction"] == "+x" else row["mu"]
    assert matrix[0, 0] + share * matrix[0, 1] == pytest.approx(row["A"], abs=1e-9)
    assert offset[0] == pytest.approx(row["B"], abs=1e-9)
    status, x, a = solve(matrix, offset, [(0.0, math.inf), (share, share)], [-1, 0])
    if abs(row["A"]) < 1e-12:
        # the critical friction: no finite force (the case's N of 1e16 is the rounding of A)
        assert (status == Outcome.SOLVED) == (row["B"] >= 0.0)
        return
    if row["classification"].startswith("unique"):
        assert status == Outcome.SOLVED
        assert x == pytest.approx([row["N"], share * row["N"]], rel=1e-9)
        assert a[0] == pytest.approx(0.0, abs=1e-10)
    elif row["A"] < 0.0 and row["B"] < 0.0:
        assert status == Outcome.STUCK
    else:
        # lifting off, or (A < 0) one of two solutions: no force
        assert status == Outcome.SOLVED
        assert x == pytest.approx([0.0, 0.0], abs=1e-12)
        assert a[0] > 0.0
