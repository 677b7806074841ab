"""Motion of the reference cases against their series, for every integrator within its order's tolerance (the rule of
`loader`). All hold the velocity at the same instant as the position; none needs a half step to start from.

One place where the rule as it stands does not fit a correct method is case 03, t = 2: the error of the plain
first-order engine passes through zero there (0.0089, 0.0027, 0.0387 at 1, 2 and 3 s), so a first-order method is held
to the larger of its neighbours' figures.
"""

import numpy as np
import pytest

from physics.world.world import World
from tests.helpers.cases.reference_cases import (
    ORDERS, advance_to, allowed_error, distance, make_scene, positions, quaternions, read_case, row_at, spins,
    tolerance_times, turn_between,
)  # fmt: skip

integrators = pytest.mark.parametrize("integrator", ORDERS)


def start(definition, tolerance, integrator):
    return World(make_scene(definition, tolerance["dt"]), integrator=integrator)


def compare(world, tolerance, series, key, integrator, *, bodies=slice(None), but=()):
    """Positions (and orientations) at every time of the tolerance that the series has."""
    compared = 0
    for t in tolerance_times(tolerance):
        if not any(abs(t - s) < 1e-9 for s in series["t"]):
            continue
        k = tolerance["rk4_measured_at_dt"]["t"].index(t)
        advance_to(world, t)
        row = row_at(series, t)
        expected = np.atleast_2d(series[key][row])
        error = distance(positions(world)[bodies, : expected.shape[1]], expected)
        allowed = allowed_error(tolerance, integrator, "pos_err", k)
        if t in but:
            allowed = max(allowed_error(tolerance, integrator, "pos_err", n) for n in (k - 1, k + 1))
        assert error <= allowed, f"position at {t} s: {error:.3g}, allowed {allowed:.3g}"
        if "quat" in series:
            error = turn_between(quaternions(world), np.atleast_2d(series["quat"][row]))
            allowed = allowed_error(tolerance, integrator, "angle_err", k)
            assert error <= allowed, f"orientation at {t} s: {error:.3g}, allowed {allowed:.3g}"
        compared += 1
    assert compared > 0


def started(number, integrator, scene=None):
    """Return a reference case and the world of it, or of one of its scenes."""
    case = read_case(number)
    definition = case["definition"] if scene is None else case["definition"][scene]
    return case, start(definition, case["tolerance"], integrator)


def follows(number, integrator, key, scene=None, **which):
    """The motion of one reference case, or of one scene of it, is its series within the tolerance."""
    case, world = started(number, integrator, scene)
    compare(world, case["tolerance"], case["expected"], key, integrator, **which)


@integrators
def test_01_simple_pendulum(integrator):
    """A point mass on a rod, released level, for 10 s: Jacobi's elliptic functions."""
    follows("01", integrator, "P1")


@integrators
def test_02_double_pendulum(integrator):
    follows("02", integrator, "rod2_com", bodies=slice(1, 2))


@integrators
def test_02_rates(integrator):
    """Angles and their rates after 1 s; the angles are turns about z from straight down."""
    case, world = started("02", integrator)
    expected = case["expected"]
    advance_to(world, 1.0)
    row = row_at(expected, 1.0)
    turned = np.cumsum([world.joints[k].angle for k in ("h1", "h2")])
    theta = turned + expected["theta"][0]
    allowed = allowed_error(case["tolerance"], integrator, "angle_err", 1)
    assert np.abs(theta - expected["theta"][row]).max() <= allowed
    allowed = allowed_error(case["tolerance"], integrator, "vel_err", 1)
    assert np.abs(spins(world)[:, 2] - expected["theta_dot"][row]).max() <= allowed


@integrators
def test_03_spherical_pendulum_of_a_point(integrator):
    case = read_case("03")
    tolerance = case["tolerance"]["point_mass"]
    world = start(case["definition"]["point_mass"], tolerance, integrator)
    but = (2.0,) if ORDERS[integrator] == 1 else ()
    compare(world, tolerance, case["expected"], "bob", integrator, but=but)


@integrators
def test_03_spherical_pendulum_of_a_rod(integrator):
    case = read_case("03")
    tolerance = case["tolerance"]["rigid_rod"]
    world = start(case["definition"]["rigid_rod"], tolerance, integrator)
    compare(world, tolerance, case["expected"]["rigid_rod"], "com", integrator)


def test_03_spin_of_the_rod():
    """The rod's spin and its component about the symmetry axis, which gravity cannot change."""
    case = read_case("03")
    tolerance = case["tolerance"]["rigid_rod"]
    expected = case["expected"]["rigid_rod"]
    world = start(case["definition"]["rigid_rod"], tolerance, "rk4")
    advance_to(world, 5.0)
    rod = world.bodies["rod"]
    w, x, y, z = rod.quaternion
    axis = np.array([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)])
    assert axis @ rod.angular_velocity == pytest.approx(expected["spin_about_symmetry_axis_body"], rel=1e-7)
    assert np.abs(rod.angular_velocity - expected["omega"][row_at(expected, 5.0)]).max() < 1e-6


@integrators
def test_04_asymmetric_top(integrator):
    """Torque-free motion about the middle axis of inertia, up to the first flip."""
    case, world = started("04", integrator)
    tolerance = case["tolerance"]
    for k, t in enumerate(tolerance_times(tolerance), 1):
        advance_to(world, t)
        error = turn_between(quaternions(world), np.array(case["expected"]["quat"][row_at(case["expected"], t)]))
        assert error <= allowed_error(tolerance, integrator, "angle_err", k)


@integrators
def test_04_invariants(integrator):
    """Angular momentum and energy are kept to rounding over 3 s."""
    case, world = started("04", integrator)
    expected = case["expected"]
    advance_to(world, 3.0)
    drift = np.abs(world.momentum().angular - expected["angular_momentum_world"]).max()
    assert drift < 1e-11
    assert world.energy().kinetic == pytest.approx(expected["kinetic_energy"], rel=1e-12)


@integrators
def test_06_ball_chain(integrator):
    follows("06", integrator, "com")


@integrators
def test_07_hinge_chain(integrator):
    follows("07", integrator, "com", scene="scene_N10")


@integrators
def test_27_heavy_bob_on_a_light_chain(integrator):
    """1:1000, dt 1/1000."""
    case, world = started("27", integrator, "scene_1_1000")
    series = case["expected"]["series"]["light_chain_heavy_bob_1_1000"]
    compare(world, case["tolerance"], series, "bob", integrator, bodies=slice(10, 11))
    assert world.redone == 0


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
def test_27_at_a_frame_step(integrator):
    """At 1/240, where explicit methods fail (742 rad/s across the chain): the bob within 2 x the velocity-level figure
    (0.1 x for second order), the chain unstretched to 1e-9 of its length."""
    case = read_case("27")
    series = case["expected"]["series"]["light_chain_heavy_bob_1_1000"]
    world = World(make_scene(case["definition"]["scene_1_1000"]), integrator=integrator)
    advance_to(world, 0.5)
    error = distance(positions(world)[10, :2], series["bob"][row_at(series, 0.5)])
    figure = case["tolerance"]["velocity_level_sie_dt=1/240_pos_err"][2]
    assert error <= (2.0 if ORDERS[integrator] == 1 else 0.1) * figure
    assert world.redone == 0
    assert world.largest_gap < 2e-9


@integrators
def test_39_dumbbell(integrator):
    """Two particles on a rod, thrown and turning: a parabola and a uniform turn. The particle's error is the turn's,
    h w w t r / 2 to first order (w = 5 rad/s, r = 0.6 m), h^2 w^3 t r / 4 at most to second, and gravity's h g t / 2.
    """
    case = read_case("39")
    world = World(make_scene(case["definition"]["dumbbell"]), integrator=integrator)
    series = case["expected"]["dumbbell"]
    h, w, r, g = world.timestep, 5.0, 0.6, 9.81
    for t in (0.5, 1.0, 2.0):
        advance_to(world, t)
        error = distance(positions(world)[0], series["a"][row_at(series, t)])
        bound = {1: 0.5 * h * (g + w * w * r) * t, 2: 0.25 * h**2 * w**3 * t * r, 4: 1e-7}[ORDERS[integrator]]
        assert error <= bound


@integrators
def test_39_tree(integrator):
    """Five bodies on ball joints in free flight."""
    case, world = started("39", integrator, "tree")
    expected = case["expected"]["tree"]
    compare(world, case["tolerance"], expected, "pos", integrator)
    advance_to(world, 3.0)
    momentum = world.momentum()
    assert np.abs(momentum.linear - expected["linear_momentum"]).max() < 1e-12
    size = np.linalg.norm(expected["angular_momentum_about_origin"])
    assert np.abs(momentum.angular - expected["angular_momentum_about_origin"]).max() < 1e-3 * size
    assert world.energy().kinetic == pytest.approx(expected["energy"], rel=0.02)


@integrators
def test_45_humanoid(integrator):
    """25 bodies on 24 hinges, tumbling. In free fall a first-order method is behind by h g t / 2, and its energy by
    M g times that."""
    case = read_case("45")
    assert [b["name"] for b in case["definition"]["bodies"]] == case["expected"]["body_order"]
    world = start(case["definition"], case["tolerance"], integrator)
    compare(world, case["tolerance"], case["expected"], "com", integrator)
    mass = sum(b["mass"] for b in case["definition"]["bodies"])
    behind = 0.5 * mass * 9.81**2 * world.timestep * world.time if ORDERS[integrator] == 1 else 0.0
    assert world.energy().total == pytest.approx(case["expected"]["energy"] - behind, abs=1e-3)


def test_45_to_the_end_of_the_series():
    """0.5 s by rk4, beyond the last time with a measured tolerance: 1e-7 twice, for twice the time."""
    case, world = started("45", "rk4")
    advance_to(world, case["expected"]["t"][-1])
    assert distance(positions(world), case["expected"]["com"][-1]) < 2e-7


# ---------------------------------------------------------------- the comparison itself can fail
@pytest.mark.parametrize(
    ("integrator", "change"), [("trbdf2", "gravity"), ("rattle", "gravity"), ("rk4", "gravity"), ("rk4", "inertia")]
)
def test_a_percent_is_noticed(integrator, change):
    """Twin of `test_02`: gravity, or the second rod's inertia, off by 1 % must not pass."""
    case = read_case("02")
    definition = {**case["definition"]}
    if change == "gravity":
        definition["gravity"] = [0.0, -9.81 * 1.01, 0.0]
    else:
        first, second = definition["bodies"]
        definition["bodies"] = [first, {**second, "inertia": [1.01 * i for i in second["inertia"]]}]
    world = start(definition, case["tolerance"], integrator)
    with pytest.raises(AssertionError, match="position at"):
        compare(world, case["tolerance"], case["expected"], "rod2_com", integrator, bodies=slice(1, 2))
