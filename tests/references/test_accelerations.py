"""Accelerations and joint forces of the reference cases at t = 0: exact linear algebra, 1e-9 relative whatever the
step. Forces act on the second body at the anchor."""

import math

import numpy as np
import pytest

from physics.definitions.bodies import Body, Particle
from physics.definitions.joints import Ball, Distance, Hinge
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.cases.reference_cases import ORDERS, advance_to, make_scene, read_case, relative_error, row_at

EXACT = 1e-9
DOWN = (0.0, -9.81, 0.0)


def joint_forces(world):
    return np.array([j.force for j in world.joints.values()])


# ---------------------------------------------------------------- 01, 03: one body on a rod
def test_01_tension_at_the_bottom():
    """A point that fell a quarter of a turn: T = 3 m g, here at the bottom with v = sqrt(2 g)."""
    case = read_case("01")
    definition = {**case["definition"]}
    body = {**definition["bodies"][0], "pos": [0.0, -1.0, 0.0], "vel": [math.sqrt(2 * 9.81), 0.0, 0.0]}
    joint = {**definition["joints"][0], "anchor_b": [0.0, -1.0, 0.0]}
    world = World(make_scene({**definition, "bodies": [body], "joints": [joint]}))
    world.accelerations()
    assert world.joints["rod"].force == pytest.approx((0.0, case["expected"]["rod_tension_at_bottom"], 0.0), rel=EXACT)


def test_01_energy():
    case = read_case("01")
    world = World(make_scene(case["definition"]), integrator="rk4")
    world.step(2400)
    assert world.energy().total == pytest.approx(case["expected"]["mechanical_energy"], abs=1e-7)


def test_03_tension_along_the_motion():
    """The rod's pull on the bob every half second, by the accelerations of the state that rk4 has reached."""
    case = read_case("03")
    expected = case["expected"]
    world = World(make_scene(case["definition"]["point_mass"]), integrator="rk4")
    for t in np.arange(0.0, 5.01, 0.5):
        advance_to(world, t)
        world.accelerations()
        pull = np.linalg.norm(world.joints["rod"].force)
        assert pull == pytest.approx(expected["tension"][row_at(expected, t)], rel=EXACT if t == 0.0 else 1e-7)
    assert world.momentum().angular[2] == pytest.approx(expected["angular_momentum_z"], rel=1e-8)


def test_03_conical_pendulum():
    """A circle at a constant angle: the acceleration w^2 r points to the axis, the tension is m g / cos."""
    c = read_case("03")["definition"]["conical"]
    angle, length = c["angle_from_vertical"], c["L"]
    place = (length * math.sin(angle), 0.0, -length * math.cos(angle))
    bob = Particle(name="bob", mass=c["m"], position=place, velocity=(0.0, c["speed"], 0.0))
    rod = Distance(name="rod", a=None, b="bob", at=((0.0, 0.0, 0.0), place))
    world = World(Scene(bodies=[bob], joints=[rod]), integrator="rk4")
    a = world.accelerations()[0, :3]
    assert a == pytest.approx((-(c["omega"] ** 2) * place[0], 0.0, 0.0), rel=EXACT, abs=1e-12)
    assert np.linalg.norm(world.joints["rod"].force) == pytest.approx(c["tension"], rel=EXACT)
    world.timestep = c["period"] / 480
    world.step(480)
    assert np.abs(world.bodies["bob"].position - place).max() < 1e-7


# ---------------------------------------------------------------- chains and trees
def test_02_double_pendulum():
    case = read_case("02")
    expected = case["expected"]
    world = World(make_scene(case["definition"]))
    a = world.accelerations()
    assert relative_error(a[:, 5], expected["acc_t0"]["theta_ddot"]) < EXACT
    assert relative_error(a[0, :3], expected["acc_t0"]["com_acc_rod1"]) < EXACT
    assert relative_error(a[1, :3], expected["acc_t0"]["com_acc_rod2"]) < EXACT
    assert relative_error(world.joints["h1"].force, expected["joint_force_on_rod1_at_h1_t0"]) < EXACT
    assert relative_error(world.joints["h2"].force, expected["joint_force_on_rod2_at_h2_t0"]) < EXACT
    assert world.energy().total == pytest.approx(expected["energy"], rel=EXACT)


def test_06_ball_chain():
    case = read_case("06")
    expected = case["expected"]
    world = World(make_scene(case["definition"]))
    a = world.accelerations()
    assert relative_error(a[:, :3], expected["acc_t0_lin"]) < EXACT
    assert relative_error(a[:, 3:], expected["acc_t0_ang"]) < EXACT
    assert relative_error(joint_forces(world), expected["joint_force_on_child_t0"]) < EXACT
    assert world.energy().total == pytest.approx(expected["energy"], rel=EXACT)


def level_chain(links, length, mass):
    """Case 07: thin rods along x on hinges about z."""
    inertia = (1e-3 * mass * length**2 / 12, mass * length**2 / 12, mass * length**2 / 12)
    bodies = [
        Body(name=f"l{i}", mass=mass, inertia=inertia, position=((i + 0.5) * length, 0.0, 0.0)) for i in range(links)
    ]
    joints = [
        Hinge(name=f"h{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=(i * length, 0.0, 0.0), axis=(0.0, 0.0, 1.0))
        for i in range(links)
    ]
    return Scene(bodies=bodies, joints=joints, gravity=DOWN)


@pytest.mark.parametrize("links", [2, 3, 10, 100, 1000])
def test_07_level_chain(links):
    """Released level: accelerations and vertical forces fall off by a factor of about -0.27 a link."""
    expected = read_case("07")["expected"]["t0"][str(links)]
    world = World(level_chain(links, expected["L"], expected["m"]))
    a = world.accelerations()
    which = expected["indices"] or list(range(links))
    assert relative_error(a[which, 5], expected["thetaddot"]) < EXACT
    assert relative_error(joint_forces(world)[which, 1], expected["joint_force_y"]) < EXACT
    tip = a[-1, 1] + a[-1, 5] * 0.5 * expected["L"]
    assert tip == pytest.approx(expected["tip_acc_y"], rel=EXACT)
    assert world.joints["h0"].force[1] == pytest.approx(expected["support_force_y"], rel=EXACT)


def test_07_a_percent_is_noticed():
    """Twin: links 1 % longer."""
    expected = read_case("07")["expected"]["t0"]["10"]
    world = World(level_chain(10, 1.01 * expected["L"], expected["m"]))
    assert relative_error(world.accelerations()[:, 5], expected["thetaddot"]) > 1e-3


def test_45_humanoid():
    case = read_case("45")
    expected = case["expected"]
    world = World(make_scene(case["definition"]))
    a = world.accelerations()
    assert relative_error(a[:, :3], np.array(expected["acc_t0"])[:, :3]) < EXACT
    assert relative_error(a[:, 3:], np.array(expected["acc_t0"])[:, 3:]) < EXACT
    assert relative_error(joint_forces(world), expected["joint_force_on_child_t0"]) < EXACT
    assert world.energy().total == pytest.approx(expected["energy"], rel=EXACT)


# ---------------------------------------------------------------- 27: heavy bob on a light chain
def chain_with_a_bob(s, angles):
    """Case 27: links at these angles from hanging down, a point mass at the end."""
    length, mass = s["link_length"], s["link_mass"]
    inertia = (1e-3 * mass * length**2 / 12, mass * length**2 / 12, mass * length**2 / 12)
    bodies: list[Body | Particle] = []
    joints: list[Hinge | Ball] = []
    end = np.zeros(3)
    for i, theta in enumerate(angles):
        along = length * np.array([math.sin(theta), -math.cos(theta), 0.0])
        turn = (math.cos(theta / 2 - math.pi / 4), 0.0, 0.0, math.sin(theta / 2 - math.pi / 4))
        bodies.append(Body(name=f"l{i}", mass=mass, inertia=inertia, position=end + along / 2, orientation=turn))
        joints.append(Hinge(name=f"h{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=end, axis=(0.0, 0.0, 1.0)))
        end = end + along
    bodies.append(Particle(name="bob", mass=s["bob_mass"], position=end))
    joints.append(Ball(name="bob", a=f"l{s['N'] - 1}", b="bob", at=end))
    return Scene(bodies=bodies, joints=joints, gravity=DOWN)


@pytest.mark.parametrize("series", ["light_chain_heavy_bob_1_1000", "ratio_1_1e6", "heavy_first_light_last"])
def test_27_accelerations(series):
    """Up to 1:1e6. The values come from an inverse in joint coordinates, which at 1:1e6 holds about ten digits."""
    s = read_case("27")["expected"]["series"][series]
    world = World(chain_with_a_bob(s, [s["theta0"]] * s["N"]))
    a = world.accelerations()
    assert relative_error(a[: s["N"], 5], s["thetaddot_t0"]) < (1e-8 if series == "ratio_1_1e6" else EXACT)


@pytest.mark.parametrize("series", ["light_chain_heavy_bob_1_1000", "ratio_1_1e6", "heavy_first_light_last"])
def test_27_tensions_at_rest(series):
    """Hanging straight down, each joint carries the weight below it."""
    s = read_case("27")["expected"]["series"][series]
    world = World(chain_with_a_bob(s, [0.0] * s["N"]))
    assert np.abs(world.accelerations()).max() < 1e-6
    assert relative_error(joint_forces(world)[: s["N"], 1], s["static_joint_tension"]) < EXACT


@pytest.mark.parametrize("series", ["light_chain_heavy_bob_1_1000", "ratio_1_1e6", "heavy_first_light_last"])
def test_27_modes_of_the_hanging_chain(series):
    """The accelerations of the links at small turns, each alone, linearised: their eigenvalues are -w^2. A turn that
    lifts the bob by more than the light links weigh would count: M t^2 / m is 1e-10 at 1:1e6."""
    s = read_case("27")["expected"]["series"][series]
    n, step = s["N"], 1e-8
    columns = []
    for turned in step * np.eye(n):
        ahead, back = (World(chain_with_a_bob(s, sign * turned)).accelerations()[:n, 5] for sign in (1, -1))
        columns.append((ahead - back) / (2 * step))
    omega = np.sqrt(np.sort(-np.linalg.eigvals(np.column_stack(columns)).real))
    assert omega == pytest.approx(s["hanging_modes"]["linear_omega"], rel=1e-8)


def test_27_alternating_masses():
    expected = read_case("27")["expected"]["alternating_1_1000_hanging"]
    masses = expected["masses_top_first"]
    bodies = [
        Body(name=f"l{i}", mass=m, inertia=(m * 1e-3,) * 3, position=(0.0, -0.2 * (i + 0.5), 0.0))
        for i, m in enumerate(masses)
    ]
    joints = [
        Hinge(name=f"h{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=(0.0, -0.2 * i, 0.0), axis=(0.0, 0.0, 1.0))
        for i in range(len(masses))
    ]
    world = World(Scene(bodies=bodies, joints=joints, gravity=DOWN))
    world.accelerations()
    assert relative_error(joint_forces(world)[:, 1], expected["joint_tension"]) < EXACT


# ---------------------------------------------------------------- 29: tensions
@pytest.mark.parametrize("row", range(5))
def test_29_hanging_chain_with_a_payload(row):
    """T_i = (payload + mass of the links from i on) g"""
    s = read_case("29")["expected"]["hanging"][row]
    n = s["N"]
    bodies: list[Body | Particle] = [
        Body(name=f"l{i}", mass=s["link_mass"], inertia=(1e-3, 1e-4, 1e-3), position=(0.0, -0.2 * (i + 0.5), 0.0))
        for i in range(n)
    ]
    bodies.append(Particle(name="payload", mass=s["payload"], position=(0.0, -0.2 * n, 0.0)))
    joints = [Ball(name=f"b{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=(0.0, -0.2 * i, 0.0)) for i in range(n)]
    joints.append(Ball(name="payload", a=f"l{n - 1}", b="payload", at=(0.0, -0.2 * n, 0.0)))
    world = World(Scene(bodies=bodies, joints=joints, gravity=DOWN))
    world.accelerations()
    assert relative_error(joint_forces(world)[s["indices"], 1], s["joint_tension_top_first"]) < EXACT


@pytest.mark.parametrize("integrator", ORDERS)
def test_29_hanging_after_ten_seconds(integrator):
    case = read_case("29")
    world = World(make_scene(case["definition"]["hanging_N5"]), integrator=integrator)
    world.accelerations()
    assert relative_error(joint_forces(world)[:, 1], case["expected"]["hanging_N5_plain"]) < EXACT
    world.step(2400)
    assert relative_error(joint_forces(world)[:, 1], case["expected"]["hanging_N5_plain"]) < 1e-6


@pytest.mark.parametrize("row", range(3))
def test_29_spinning_chain(row):
    """T_i = w^2 sum of m x over the links from i on"""
    case = read_case("29")
    s = case["expected"]["spinning"][row]
    n, length, spin = s["N"], s["link_length"], s["omega"]
    x = (np.arange(n) + 0.5) * length
    bodies = [
        Body(
            name=f"l{i}", mass=s["link_mass"], inertia=(1e-4, 1e-3, 1e-3), position=(x[i], 0.0, 0.0),
            velocity=(0.0, spin * x[i], 0.0), angular_velocity=(0.0, 0.0, spin),
        )
        for i in range(n)
    ]  # fmt: skip
    joints = [Ball(name=f"b{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=(i * length, 0.0, 0.0)) for i in range(n)]
    world = World(Scene(bodies=bodies, joints=joints, gravity=(0.0, 0.0, 0.0)))
    world.accelerations()
    assert relative_error(-joint_forces(world)[:, 0], s["joint_tension"]) < EXACT


def test_39_tension_of_the_dumbbell():
    """m1 m2 / (m1 + m2) L w^2, whatever gravity does."""
    case = read_case("39")
    world = World(make_scene(case["definition"]["dumbbell"]))
    world.accelerations()
    assert world.joints["d"].force == pytest.approx((-case["expected"]["dumbbell"]["tension"], 0.0, 0.0), rel=EXACT)


def test_39_invariants_at_the_start():
    case = read_case("39")
    expected = case["expected"]["tree"]
    world = World(make_scene(case["definition"]["tree"]))
    assert relative_error(world.momentum().linear, expected["linear_momentum"]) < 1e-12
    assert relative_error(world.momentum().angular, expected["angular_momentum_about_origin"]) < 1e-12
    assert world.energy().kinetic == pytest.approx(expected["energy"], rel=1e-12)
