"""Arithmetic in one order: against exact fractions, closed forms, and the libraries whose place it takes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.special import elliprd, elliprf

from physics.collision.mass import measure_mass
from physics.definitions.medium import carlson_rd, carlson_rf
from physics.maths.rotations import matrix_of
from physics.definitions.bodies import Body
from physics.definitions.scene import Scene
from physics import Cylinder, Hull
from physics.maths import strict
from physics.world.world import World

EPSILON = 2.0**-52


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# ---------------------------------------------------------------- products
@pytest.mark.parametrize("shapes", [((3,), (3,)), ((3, 3), (3,)), ((3, 3), (3, 3)), ((4, 5), (5,)), ((5,), (5, 2)),
                                    ((7, 3, 3), (3,)), ((7, 3, 3), (7, 3, 1)), ((2, 3, 4), (6, 1, 4, 2)),
                                    ((0, 3), (3,)), ((2, 0), (0, 2))])  # fmt: skip
def test_products_are_those_of_numpy(shapes):
    a, b = (rng(k).normal(size=shape) for k, shape in enumerate(shapes))
    got, expected = strict.product(a, b), a @ b
    assert np.shape(got) == np.shape(expected)
    assert np.allclose(got, expected, rtol=0.0, atol=1e-14)


def test_small_and_large_products_sum_in_the_same_order():
    """Python's numbers and numpy's: one matrix by itself, and the same in a stack"""
    a, b = rng(1).normal(size=(2, 3, 3))
    assert np.array_equal(strict.product(a, b), strict.product(a[None], b[None])[0])
    assert np.array_equal(strict.product(a, b[0]), strict.product(a[None], b[0][:, None])[0, :, 0])
    assert np.array_equal(strict.norms(a), [strict.norm(row) for row in a])


def test_a_sum_is_taken_from_the_first_to_the_last():
    assert strict.total([1e16, 1.0, 1.0, -1e16]) == 0.0  # a compensated sum would find 2
    assert strict.dot((1e8, 1.0, 1.0), (1e8, 1.0, 1.0)) == float(Fraction(10) ** 16)


# ---------------------------------------------------------------- principal axes
def test_axes_of_a_turned_inertia():
    for k in range(200):
        q = rng(k).normal(size=4)
        r = matrix_of(q / math.sqrt(q @ q))
        wanted = np.sort(rng(k + 1000).uniform(0.1, 2.0, 3))
        inertia = r @ np.diag(wanted) @ r.T
        inertia = 0.5 * (inertia + inertia.T)
        moments, axes = strict.principal_axes(inertia)
        assert np.abs(np.sort(moments) - wanted).max() < 20.0 * EPSILON * wanted[2]
        assert np.abs(axes @ np.diag(moments) @ axes.T - inertia).max() < 20.0 * EPSILON * wanted[2]
        assert np.abs(axes.T @ axes - np.eye(3)).max() < 10.0 * EPSILON
        assert np.linalg.det(axes) > 0.0  # a rotation, no mirror image


@pytest.mark.parametrize("moments", [(2.0, 1.0, 3.0), (1.0, 1.0, 1.0), (2.0, 2.0, 0.1), (0.1, 2.0, 2.0)])
def test_what_is_diagonal_keeps_its_axes_and_their_order(moments):
    """Also where what should be zero is rounding: axes of equal moments are not turned by it"""
    got, axes = strict.principal_axes(np.diag(moments))
    assert (got.tolist(), axes.tolist()) == (list(moments), np.eye(3).tolist())
    noise = EPSILON * max(moments) * np.array([[0, 1, -1], [1, 0, 1], [-1, 1, 0]])
    got, axes = strict.principal_axes(np.diag(moments) + noise)
    assert (got.tolist(), axes.tolist()) == (list(moments), np.eye(3).tolist())


def test_a_turned_cylinder_has_its_axis_among_its_principal_axes():
    q = np.array([0.8, 0.2, -0.4, 0.4])
    shape = Cylinder(radius=0.1, length=0.6, orientation=tuple(q / math.sqrt(q @ q)))
    moments, axes = strict.principal_axes(measure_mass(shape, 1000.0).inertia)
    along = axes[:, int(np.argmin(moments))]
    assert abs(abs(along @ matrix_of(q / math.sqrt(q @ q))[:, 2]) - 1.0) < 1e-14


def test_moments_of_any_size_are_found():
    inertia = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 4.0]])
    for size in (1e-150, 1e-12, 1e12, 1e150):
        moments, _ = strict.principal_axes(size * inertia)
        assert np.allclose(np.sort(moments) / size, [1.0, 3.0, 4.0], rtol=1e-15, atol=0.0)


def test_a_body_told_by_six_numbers_moves_as_one_told_by_its_moments():
    """The same body, whose axes were found and given: the same motion to rounding"""
    q = np.array([0.9, 0.1, -0.3, 0.3]) / math.sqrt(0.9**2 + 0.1**2 + 2 * 0.3**2)
    r = matrix_of(q)
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = r @ np.diag([0.1, 0.2, 0.25]) @ r.T
    spin = {"mass": 1.0, "angular_velocity": (1.0, 5.0, 2.0)}
    six = World(Scene(bodies=[Body(name="b", inertia=(xx, yy, zz, xy, xz, yz), **spin)], gravity=(0, 0, 0)))
    three = World(Scene(bodies=[Body(name="b", inertia=(0.1, 0.2, 0.25), orientation=q, **spin)], gravity=(0, 0, 0)))
    for world in (six, three):
        world.step(240)
    assert np.abs(six.bodies["b"].angular_velocity - three.bodies["b"].angular_velocity).max() < 1e-11


# ---------------------------------------------------------------- small systems, splines, integrals
@pytest.mark.parametrize("n", [1, 2, 3])
def test_small_systems(n):
    a = rng(n).normal(size=(20, n, n))
    a = a @ a.swapaxes(1, 2) + 0.1 * np.eye(n)
    b = rng(n + 10).normal(size=(20, n))
    assert np.allclose(strict.solve_definite(a, b), np.linalg.solve(a, b[..., None])[..., 0], rtol=1e-12)


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 20])
def test_splines_are_those_of_scipy(count, closed):
    if closed and count == 2:
        pytest.skip("a closed curve has three points at least")
    t, y = np.cumsum(rng(count).uniform(0.1, 2.0, count)), rng(count + 50).normal(size=(count, 3))
    if closed:
        y[-1] = y[0]
    expected = CubicSpline(t, y, bc_type="periodic" if closed else "natural")(t, 2)
    assert np.abs(strict.spline(t, y, closed) - expected).max() < 1e-12 * np.abs(y).max() / np.diff(t).min() ** 2


def test_carlsons_integrals():
    """R_F(0 < x, y, z), R_D: beside scipy's, and where all three are the same, 1/sqrt(x) and x^(-3/2)"""
    for x, y, z in np.power(10.0, rng(3).uniform(-4.0, 2.0, (200, 3))).tolist():
        assert carlson_rf(x, y, z) == pytest.approx(float(elliprf(x, y, z)), rel=4 * EPSILON)
        assert carlson_rd(x, y, z) == pytest.approx(float(elliprd(x, y, z)), rel=8 * EPSILON)
    assert (carlson_rf(4.0, 4.0, 4.0), carlson_rd(4.0, 4.0, 4.0)) == (0.5, 0.125)


# ---------------------------------------------------------------- hulls
def test_the_order_of_the_points_does_not_change_the_faces_of_a_hull():
    """Corners in the order in which they are given; of the faces each begins with its lowest corner, and they stand in
    this order; planes and moments are the same but for rounding."""
    cube = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    p = Hull(points=cube.tolist()).polyhedron
    assert [loop[0] for loop in p.loop] == sorted(min(loop) for loop in p.loop)
    assert list(p.loop) == sorted(p.loop)
    assert sorted(map(sorted, p.loop)) == [
        [0, 1, 2, 3], [0, 1, 4, 5], [0, 2, 4, 6], [1, 3, 5, 7], [2, 3, 6, 7], [4, 5, 6, 7],
    ]  # fmt: skip
    for loop, plane in zip(p.loop, p.plane, strict=True):
        corners = cube[list(loop)]
        assert np.array_equal(corners @ plane[:3], np.full(4, plane[3]))
        around = np.cross(corners[1] - corners[0], corners[2] - corners[1])
        assert np.array_equal(around, plane[:3])  # anticlockwise seen from outside
    assert len(p.triangle) == 12


def test_moments_of_a_hull_from_its_faces():
    """A tetrahedron with edges along the axes: V = abc/6, centre at a quarter, int x^2 = V a^2/10 about the corner"""
    a, b, c = 1.0, 2.0, 3.0
    mass, centre, inertia = measure_mass(Hull(points=[(0, 0, 0), (a, 0, 0), (0, b, 0), (0, 0, c)]), 6.0)
    assert mass == pytest.approx(a * b * c, rel=1e-15)
    assert centre == pytest.approx((a / 4, b / 4, c / 4), rel=1e-15)
    second = mass * (np.array([a, b, c]) ** 2 / 10.0 - np.array([a, b, c]) ** 2 / 16.0)
    assert np.diag(inertia) == pytest.approx(second.sum() - second, rel=1e-14)
