"""Exact pivoting against enumeration of every combination of sides, and against statics done by hand."""

import itertools
import math

import numpy as np
import pytest
import scipy.optimize

from physics.links.complementarity import Dependence, solve_complementarity
from physics.links.pivoting import Outcome, make_pivoting

INF = math.inf
EQUALITY, ONE_SIDED = (-INF, INF), (0.0, INF)


def solve(matrix, offset, limit, partner=None):
    p = make_pivoting(len(offset))
    p.matrix[:] = matrix
    p.offset[:] = offset
    p.limit[:] = limit
    if partner is not None:
        p.partner[:] = partner
    status, _ = solve_complementarity(p, len(offset))
    return status, p


def limits_at(limit, partner, x):
    low, high = np.array(limit, float).T
    with np.errstate(invalid="ignore"):
        for i, k in enumerate(partner):
            if k >= 0:
                low[i], high[i] = low[i] * x[k], high[i] * x[k]
    return low, high


def violation(matrix, offset, limit, partner, x):
    """By how much x breaks the laws: forces outside limits, or a of the wrong sign for the side."""
    a = matrix @ x + offset
    low, high = limits_at(limit, partner, x)
    near = 1e-9 * max(1.0, abs(x).max())
    return max(
        (low - x).max(), (x - high).max(),
        max((a[i] for i in range(len(x)) if x[i] > low[i] + near), default=0.0),
        max((-a[i] for i in range(len(x)) if x[i] < high[i] - near), default=0.0),
    )  # fmt: skip


def enumerate_solutions(matrix, offset, limit, partner):
    """Every solution in which each row is held (a = 0), or at its lower or upper limit."""
    n = len(offset)
    sides = [[s for s in ("held", 0, 1) if s == "held" or math.isfinite(limit[i][s])] for i in range(n)]
    found = []
    for choice in itertools.product(*sides):
        system = np.array(matrix, float)
        right = -np.array(offset, float)
        for i, side in enumerate(choice):
            if side == "held":
                continue
            system[i] = 0.0
            system[i, i] = 1.0
            right[i] = limit[i][side]
            if partner[i] >= 0:
                system[i, partner[i]] = -limit[i][side]
                right[i] = 0.0
        if abs(np.linalg.det(system)) < 1e-10:
            continue
        x = np.linalg.solve(system, right)
        if violation(matrix, offset, limit, partner, x) < 1e-10:
            found.append(x)
    return found


def random_limit(rng):
    kind = rng.integers(3)
    if kind == 0:
        return EQUALITY
    if kind == 1:
        return ONE_SIDED
    low = rng.normal()
    return low, low + rng.uniform(0.1, 2.0)


@pytest.mark.parametrize("seed", range(100))
def test_limits_and_equalities_agree_with_enumeration(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    rows = rng.normal(size=(n, n))
    matrix, offset = rows @ rows.T + 0.01 * np.eye(n), rng.normal(size=n)
    limit = [random_limit(rng) for _ in range(n)]
    expected = enumerate_solutions(matrix, offset, limit, [-1] * n)
    status, p = solve(matrix, offset, limit)
    assert status == Outcome.SOLVED
    assert p.x == pytest.approx(expected[0], rel=1e-9, abs=1e-9)
    assert p.a == pytest.approx(matrix @ expected[0] + offset, abs=1e-9)


@pytest.mark.parametrize("seed", range(100))
def test_planar_friction_agrees_with_enumeration(seed):
    """Two or three contacts of normal and one tangent: the solution is one of those that enumeration finds."""
    rng = np.random.default_rng(seed)
    contacts = int(rng.integers(1, 4))
    n = 2 * contacts
    rows = rng.normal(size=(n, n + 1))
    matrix, offset = rows @ rows.T, rng.normal(size=n)
    mu = rng.uniform(0.0, 0.9, contacts)
    limit = [pair for k in range(contacts) for pair in (ONE_SIDED, (-mu[k], mu[k]))]
    partner = [p for k in range(contacts) for p in (-1, 2 * k)]
    expected = enumerate_solutions(matrix, offset, limit, partner)
    status, p = solve(matrix, offset, limit, partner)
    assert status == Outcome.SOLVED
    assert min(abs(p.x - x).max() for x in expected) < 1e-9 * max(1.0, abs(p.x).max())


@pytest.mark.parametrize("seed", range(60))
def test_redundant_contacts_give_the_unique_speeds(seed):
    """W of low rank: x is not unique, W x is. min |u + J^T x|, x >= 0, by an active-set solver of least squares."""
    rng = np.random.default_rng(seed)
    n, rank = int(rng.integers(4, 30)), int(rng.integers(1, 12))
    rows, free = rng.normal(size=(n, rank)), rng.normal(size=rank)
    expected, _ = scipy.optimize.nnls(rows.T, -free)
    matrix, offset, limit = rows @ rows.T, rows @ free, [ONE_SIDED] * n
    status, p = solve(matrix, offset, limit)
    assert status == Outcome.SOLVED
    assert violation(matrix, offset, limit, [-1] * n, p.x) < 1e-10 * max(1.0, abs(p.x).max())
    assert p.a == pytest.approx(offset + matrix @ expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_many_contacts_with_friction_keep_every_law(seed):
    """Boxes of 12 to 36 rows on 6 to 18 degrees of freedom, friction in two directions."""
    rng = np.random.default_rng(seed)
    contacts, freedoms, mu = int(rng.integers(4, 13)), int(rng.integers(6, 19)), rng.uniform(0.1, 1.0)
    rows = rng.normal(size=(3 * contacts, freedoms))
    matrix, offset = rows @ rows.T, rows @ rng.normal(size=freedoms)
    limit = [ONE_SIDED, (-mu, mu), (-mu, mu)] * contacts
    partner = [p for k in range(contacts) for p in (-1, 3 * k, 3 * k)]
    status, p = solve(matrix, offset, limit, partner)
    assert status == Outcome.SOLVED
    assert violation(matrix, offset, limit, partner, p.x) < 1e-9 * max(1.0, abs(p.x).max())


# ---------------------------------------------------------------- equalities that repeat or contradict each other
@pytest.mark.parametrize("seed", range(20))
def test_redundant_equalities_are_named_and_share_the_load(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(4, 5))
    rows = np.vstack([rows, 0.5 * rows[1] - 2.0 * rows[2]])
    matrix, offset = rows @ rows.T, rows @ rng.normal(size=5)
    status, p = solve(matrix, offset, [EQUALITY] * 5)
    assert status == Outcome.SOLVED
    assert abs(p.a).max() < 1e-11
    (named,) = np.flatnonzero(p.finding == Dependence.REDUNDANT)
    assert named in (1, 2, 4)
    assert (np.delete(p.finding, named) == Dependence.INDEPENDENT).all()
    # row `named` is the sum that `relation` gives
    assert rows[named] == pytest.approx(p.relation[named] @ rows, abs=1e-10)
    # least norm among all solutions, in units of 1/sqrt(W_ii)
    scale = 1.0 / np.sqrt(np.diag(matrix))
    expected = scale * (np.linalg.pinv(matrix * np.outer(scale, scale), rcond=1e-10) @ (-scale * offset))
    assert p.x == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_contradicting_equalities_are_named_and_forces_stay_bounded():
    """A pin doubled with another target: rows 0 and 2 pull the same way to different places; row 1 is innocent."""
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    status, p = solve(rows @ rows.T, [-1.0, -2.0, -3.0], [EQUALITY] * 3)
    assert status == Outcome.SOLVED
    assert p.finding.tolist() == [Dependence.CONTRADICTING, Dependence.INDEPENDENT, Dependence.CONTRADICTING]
    # least squares: both miss by half of the difference, and the common force is shared
    assert p.a == pytest.approx([1.0, 0.0, -1.0], abs=1e-12)
    assert p.x == pytest.approx([1.0, 2.0, 1.0], abs=1e-12)


def test_a_row_that_nothing_moves_is_redundant_or_contradicting():
    matrix = np.diag([1.0, 0.0])
    assert solve(matrix, [-1.0, 0.0], [EQUALITY] * 2)[1].finding.tolist() == [
        Dependence.INDEPENDENT,
        Dependence.REDUNDANT,
    ]
    status, p = solve(matrix, [-1.0, 2.0], [EQUALITY] * 2)
    assert (status, p.finding.tolist()) == (Outcome.SOLVED, [Dependence.INDEPENDENT, Dependence.CONTRADICTING])
    assert p.x == pytest.approx([1.0, 0.0])


def test_redundant_equalities_beside_contacts():
    """Inequalities see the same motion whether a constraint is stated once or twice."""
    rng = np.random.default_rng(7)
    rows = rng.normal(size=(5, 6))
    free = rng.normal(size=6)
    twice = np.vstack([rows[:2], rows[:2], rows[2:]])
    speeds = []
    for r, e in ((rows, 2), (twice, 4)):
        status, p = solve(r @ r.T, r @ free, [EQUALITY] * e + [ONE_SIDED] * 3)
        assert status == Outcome.SOLVED
        speeds.append(free + r.T @ p.x)
    assert speeds[0] == pytest.approx(speeds[1], abs=1e-11)


def test_forces_that_do_not_act_along_their_constraint():
    """W that is not symmetric (K != J^T): equalities and a limit, against the same by numpy."""
    rng = np.random.default_rng(3)
    matrix = rng.normal(size=(4, 4)) + 4.0 * np.eye(4)
    offset = rng.normal(size=4)
    status, p = solve(matrix, offset, [EQUALITY] * 4)
    assert status == Outcome.SOLVED
    assert p.x == pytest.approx(-np.linalg.solve(matrix, offset), abs=1e-12)
    limit = [EQUALITY, EQUALITY, ONE_SIDED, ONE_SIDED]
    expected = enumerate_solutions(matrix, offset, limit, [-1] * 4)
    status, p = solve(matrix, offset, limit)
    assert status == Outcome.SOLVED
    assert p.x == pytest.approx(expected[0], abs=1e-11)


# ---------------------------------------------------------------- statics by hand
def block_rows(corners, centre, mass, inertia):
    """Rows normal (z), x, y of contacts at `corners` of a free block: J M^-1/2."""
    rows = []
    for corner in corners:
        r = np.subtract(corner, centre)
        for axis in np.eye(3)[[2, 0, 1]]:
            rows.append(np.concatenate([axis / math.sqrt(mass), np.cross(r, axis) / np.sqrt(inertia)]))
    return np.array(rows)


CORNERS = [(x, y, -0.1) for x in (-0.2, 0.2) for y in (-0.15, 0.15)]
MASS, INERTIA = 2.0, np.array([0.02, 0.03, 0.04])


def block_on_slope(angle, mu):
    """Accelerations of a block at rest on four corners on a slope that falls along x. (status, p, rows, free)"""
    rows = block_rows(CORNERS, (0.0, 0.0, 0.0), MASS, INERTIA)
    gravity = 9.81 * np.array([math.sin(angle), 0.0, -math.cos(angle)])
    free = np.concatenate([gravity * math.sqrt(MASS), np.zeros(3)])
    limit = [ONE_SIDED, (-mu, mu), (-mu, mu)] * 4
    status, p = solve(rows @ rows.T, rows @ free, limit, [-1, 0, 0, -1, 3, 3, -1, 6, 6, -1, 9, 9])
    return status, p, rows, free


def test_four_corners_carry_the_weight():
    status, p, rows, free = block_on_slope(0.0, 0.5)
    assert status == Outcome.SOLVED
    assert p.x[::3].sum() == pytest.approx(MASS * 9.81, rel=1e-12)
    assert free + rows.T @ p.x == pytest.approx(np.zeros(6), abs=1e-12)
    assert min(p.x[::3]) >= 0.0


@pytest.mark.parametrize("mu", [0.2, 0.5, 0.9])
def test_block_sticks_below_the_friction_angle_and_slides_above(mu):
    status, p, rows, free = block_on_slope(0.999 * math.atan(mu), mu)
    assert status == Outcome.SOLVED
    assert free + rows.T @ p.x == pytest.approx(np.zeros(6), abs=1e-11)
    angle = 1.001 * math.atan(mu)
    status, p, rows, free = block_on_slope(angle, mu)
    assert status == Outcome.SOLVED
    acceleration = (free + rows.T @ p.x) / math.sqrt(MASS)
    expected = 9.81 * (math.sin(angle) - mu * math.cos(angle))
    assert acceleration[:3] == pytest.approx([expected, 0.0, 0.0], abs=1e-10)


def test_error_of_the_pyramid():
    """Slip along the diagonal: the box gives sqrt(2) mu N of friction, as the module says."""
    rows = block_rows(CORNERS, (0.0, 0.0, 0.0), MASS, INERTIA)
    push = np.array([100.0, 100.0, -9.81])
    free = np.concatenate([push * math.sqrt(MASS), np.zeros(3)])
    limit = [ONE_SIDED, (-0.1, 0.1), (-0.1, 0.1)] * 4
    status, p = solve(rows @ rows.T, rows @ free, limit, [-1, 0, 0, -1, 3, 3, -1, 6, 6, -1, 9, 9])
    assert status == Outcome.SOLVED
    friction = np.array([p.x[1::3].sum(), p.x[2::3].sum()])
    assert np.linalg.norm(friction) == pytest.approx(math.sqrt(2.0) * 0.1 * p.x[::3].sum(), rel=1e-12)


def test_four_legs_share_a_load_by_the_least_norm():
    """Reference 21: a table of 10 kg with 5 kg at (0.2, 0.1), legs at (+-0.5, +-0.5)."""
    legs = np.array([(0.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (-0.5, -0.5)])
    # generalised forces of unit leg forces: vertical, moments about x and y
    rows = np.stack([np.ones(4), legs[:, 1], -legs[:, 0]], axis=1)
    load = np.array([-147.15, -4.905, 9.81])
    status, p = solve(rows @ rows.T, rows @ load, [EQUALITY] * 4)
    assert status == Outcome.SOLVED
    assert p.x == pytest.approx([44.145, 34.335, 39.24, 29.43], rel=1e-10)
    assert (p.finding == Dependence.REDUNDANT).sum() == 1


def test_offset_stack_forces():
    """Reference 21, one block that overhangs: N_left and N_right of a planar block on an interval."""
    # weight 9.81 at 0, supports at -0.3 and 0.5: moments give 6.13125 and 3.67875
    rows = np.array([[1.0, -0.3], [1.0, 0.5]])
    status, p = solve(rows @ rows.T, rows @ np.array([-9.81, 0.0]), [ONE_SIDED] * 2)
    assert status == Outcome.SOLVED
    assert p.x == pytest.approx([6.13125, 3.67875], rel=1e-12)


def test_the_same_problem_gives_the_same_bits():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(12, 9))
    limit = [ONE_SIDED, (-0.4, 0.4), (-0.4, 0.4)] * 4
    partner = [-1, 0, 0, -1, 3, 3, -1, 6, 6, -1, 9, 9]
    offset = rows @ rng.normal(size=9)
    first, second = (solve(rows @ rows.T, offset, limit, partner)[1] for _ in range(2))
    assert first.x.tobytes() == second.x.tobytes()
    # and a problem solved before leaves no trace
    p = make_pivoting(12)
    p.matrix[:] = np.eye(12)
    solve_complementarity(p, 12)
    p.matrix[:], p.offset[:], p.limit[:], p.partner[:] = rows @ rows.T, offset, limit, partner
    solve_complementarity(p, 12)
    assert p.x.tobytes() == first.x.tobytes()
