"""Contact cases with closed forms: inclines (19), statics of boxes (21), impacts (22), a falling rod (42).

By every contact method, and by `newton` with every integrator: all of them solve Coulomb's law without regularisation,
so that forces are right from the first step.
"""

import math
import sys

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.bodies import Body
from physics.definitions.scene import Scene
from physics import Cylinder, Plane, Sphere
from physics.definitions.shapes.compound import CompoundShape
from physics.links.complementarity import solve_complementarity
from physics.links.pivoting import Outcome, make_pivoting
from physics.world.world import World
from tests.helpers.contact_figures import GRAVITY, ball, box, tilted
from tests.helpers.cases.reference_cases import read_case

# the largest the cases ask for; the methods' own error is far below
EXACT = 1e-9
FORCES = 1e-6


WAYS = [(method, "implicit") for method in ("newton", "anticipation", "auto")]
WAYS += [("newton", name) for name in INTEGRATORS if name != "implicit"]
way = WAYS[0]


@pytest.fixture(autouse=True, params=WAYS, ids="-".join)
def _every_way(request, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "way", request.param)


def touching(*bodies: Body, floor: list | None = None, friction: float = 1.0, **more) -> World:
    shapes = [Plane(friction=friction)] if floor is None else floor
    method, integrator = way
    world = World(Scene(bodies=list(bodies), shapes=shapes, **more), integrator=integrator)
    world.contact_method = method
    world.contact_tolerance = 1e-10
    return world


def between(world: World, a: str, b: str) -> list:
    return [c for c in world.contacts() if {c.a, c.b} == {a, b}]


def normal(contacts: list) -> float:
    return sum(float(c.force @ c.normal) for c in contacts)


def friction(contacts: list) -> float:
    """Size of the resultant across the normals"""
    return float(np.linalg.norm(sum(c.force - (c.force @ c.normal) * c.normal for c in contacts)))


# ---------------------------------------------------------------- 19: inclines
@pytest.mark.parametrize("row", read_case("19")["expected"]["block"], ids=lambda r: f"{r['mu']}-{r['angle_deg']}")
def test_19_block(row):
    mu = row["mu"]
    flat = box("b", (0, 0, 0.05), (0.2, 0.2, 0.05), 2.0, friction=mu)
    world = touching(flat, friction=mu, gravity=tilted(math.radians(row["angle_deg"])))
    world.step(120)
    before = world.bodies["b"].velocity[0]
    world.step(120)
    assert normal(world.contacts()) == pytest.approx(row["normal"], rel=FORCES)
    assert friction(world.contacts()) == pytest.approx(row["friction"], rel=FORCES)
    acceleration = row["acc_down_slope"]
    if row["sticks"]:
        assert np.linalg.norm(world.bodies["b"].velocity) < 1e-6
    assert 2.0 * (world.bodies["b"].velocity[0] - before) == pytest.approx(acceleration, rel=FORCES, abs=1e-9)
    assert abs(world.bodies["b"].position[0] - row["x_at_1s"]) <= 0.51 * acceleration / 240 + 1e-9


@pytest.mark.parametrize("row", read_case("19")["expected"]["box_tipping"], ids=lambda r: f"{r['base']}-{r['height']}")
def test_19_tipping(row):
    half, up = 0.5 * row["base"], 0.5 * row["height"]

    def standing(angle: float) -> World:
        tall = box("b", (0, 0, up), (half, 0.2, up), 2.0, friction=4.0)
        return touching(tall, friction=4.0, gravity=tilted(math.radians(angle)))

    for angle, force in row["edge_forces_2d_at"].items():
        world = standing(float(angle))
        world.step(2)
        down = [c for c in world.contacts() if c.point[0] > 0.0]
        rest = [c for c in world.contacts() if c.point[0] < 0.0]
        assert normal(down) == pytest.approx(force["N_down"], rel=FORCES)
        assert normal(rest) == pytest.approx(force["N_up"], rel=FORCES)
    for share, tips in ((0.995, False), (1.005, True)):
        world = standing(share * row["tip_angle_deg"])
        world.step(240)
        assert (world.bodies["b"].angular_velocity[1] > 1e-3) == tips


INERTIA = {"solid sphere": 0.4, "solid cylinder": 0.5, "hollow sphere": 2.0 / 3.0, "hoop": 1.0}


@pytest.mark.parametrize(
    "row", read_case("19")["expected"]["rolling"], ids=lambda r: f"{r['shape']}-{r['angle_deg']}-{r['mu']}"
)
def test_19_rolling(row):
    radius, mu = 0.1, row["mu"]
    round_one = Body(
        name="b", mass=1.0, inertia=(INERTIA[row["shape"]] * radius**2,) * 3, position=(0, 0, radius),
        shapes=[Sphere(radius=radius, friction=mu)],
    )  # fmt: skip
    world = touching(round_one, friction=mu, gravity=tilted(math.radians(row["angle_deg"])))
    world.step(120)
    assert 2.0 * world.bodies["b"].velocity[0] == pytest.approx(row["acc"], rel=FORCES)
    assert 2.0 * radius * world.bodies["b"].angular_velocity[1] == pytest.approx(row["r_alpha"], rel=FORCES)
    assert friction(world.contacts()) / GRAVITY == pytest.approx(row["friction_over_mg"], rel=FORCES)
    if abs(mu - row["mu_required"]) > 1e-9:
        assert world.contacts()[0].sliding != row["rolls"]


@pytest.mark.parametrize("row", read_case("19")["expected"]["braking"], ids=lambda r: f"{r['v0']}-{r['mu']}")
def test_19_braking(row):
    mu, v0 = row["mu"], row["v0"]
    world = touching(
        box("b", (0, 0, 0.05), (0.2, 0.2, 0.05), 2.0, velocity=(0.6 * v0, 0.8 * v0, 0), friction=mu), friction=mu
    )
    steps = 0
    while np.linalg.norm(world.bodies["b"].velocity) > 1e-9 and steps < 300:
        world.step()
        steps += 1
    assert abs(steps / 240 - row["stop_time"]) <= 1.01 / 240
    assert abs(np.linalg.norm(world.bodies["b"].position[:2]) - row["stop_distance"]) <= v0 / 240
    assert world.bodies["b"].position[1] / world.bodies["b"].position[0] == pytest.approx(0.8 / 0.6, rel=1e-6)


def test_19_push():
    case = read_case("19")["expected"]["push"]
    mu = case["mu"]
    for push, acceleration, force in zip(case["horizontal_push"], case["acc"], case["friction"], strict=True):
        world = touching(box("b", (0, 0, 0.05), (0.2, 0.2, 0.05), case["m"], friction=mu), friction=mu)
        world.bodies["b"].applied_force = (push, 0.0, 0.0)
        world.step(240)
        assert world.bodies["b"].velocity[0] == pytest.approx(acceleration, rel=FORCES, abs=EXACT)
        assert friction(world.contacts()) == pytest.approx(force, rel=FORCES, abs=EXACT)


# ---------------------------------------------------------------- 21: statics
def stack_of(masses: list[float]) -> World:
    bodies = [box(f"b{i}", (0, 0, 0.1 + 0.2 * i), (0.1, 0.1, 0.1), m) for i, m in enumerate(masses)]
    return touching(*bodies)


ROWS_21 = read_case("21")["expected"]["stacks"] + read_case("21")["expected"]["extreme_mass_ratio"]


@pytest.mark.parametrize("row", ROWS_21, ids=lambda r: "-".join(f"{m:g}" for m in r["masses_bottom_first"]))
def test_21_stacks(row):
    """Right at once, each corner with its share, as long as everything is symmetric."""
    world = stack_of(row["masses_bottom_first"])
    world.step(2)
    for i, force in enumerate(row["interface_normal_total"]):
        contacts = between(world, f"b{i}", "world" if i == 0 else f"b{i - 1}")
        assert normal(contacts) == pytest.approx(force, rel=FORCES)
        for c in contacts if "per_corner_symmetric" in row else ():
            assert c.force @ c.normal == pytest.approx(row["per_corner_symmetric"][i], rel=FORCES)


def test_21_a_stack_does_not_drift():
    world = stack_of(read_case("21")["expected"]["stacks"][3]["masses_bottom_first"])
    world.step(2400)
    assert abs(world.bodies["b4"].position - [0, 0, 0.9]).max() < 1e-9


@pytest.mark.parametrize("row", read_case("21")["expected"]["offset_stack_2d"], ids=lambda r: str(r["offset"]))
def test_21_offset_stacks(row):
    shift = row["offset"]
    bodies = [box(f"b{i}", (i * shift, 0, 0.5 + i), (0.5, 0.5, 0.5), m) for i, m in enumerate(row["masses"])]
    world = touching(*bodies)
    world.step(2)
    for i, level in enumerate(row["levels"]):
        contacts = between(world, f"b{i}", "world" if i == 0 else f"b{i - 1}")
        for side, x in zip(("N_left", "N_right"), level["contact_interval"], strict=True):
            here = [c for c in contacts if abs(c.point[0] - x) < 1e-6]
            assert len(here) == 2
            assert normal(here) == pytest.approx(level[side], rel=FORCES)


def table(legs: list, masses: list) -> World:
    """One body with balls for feet: `masses` are (m, x, y)"""
    total = sum(m for m, _, _ in masses)
    x, y = (sum(m[0] * m[k] for m in masses) / total for k in (1, 2))
    feet = CompoundShape(parts=[Sphere(radius=0.05, position=(a - x, b - y, -0.5)) for a, b in legs])
    return touching(Body(name="t", mass=total, inertia=(2.0, 2.0, 3.0), position=(x, y, 0.55), shapes=[feet]))


def test_21_tables():
    case = read_case("21")["expected"]
    four = case["table_4_legs"]
    world = table(four["legs"], [(10.0, 0.0, 0.0), (5.0, 0.2, 0.1)])
    world.step(2)
    contacts = world.contacts()
    assert normal(contacts) == pytest.approx(four["sum"], rel=FORCES)
    torque = np.sum([np.cross(c.point, c.force) for c in contacts], axis=0)
    # the moments of the load about the table's middle, which the legs carry
    # (the case writes the moment about y as sum -F x)
    assert torque[:2] == pytest.approx([5.0 * GRAVITY * 0.1, -5.0 * GRAVITY * 0.2], rel=FORCES)
    assert abs(torque[:2]) == pytest.approx([abs(four["moment_x"]), abs(four["moment_y"])], rel=FORCES)
    three = case["table_3_legs"]
    angles = [math.radians(a) for a in (90, 210, 330)]
    legs = [(0.6 * math.cos(a), 0.6 * math.sin(a)) for a in angles]
    world = table(legs, [(4.0, 0.0, 0.0), (2.0, 0.1, 0.2)])
    world.step(2)
    for leg, force in zip(legs, three["forces"], strict=True):
        (contact,) = [c for c in world.contacts() if np.hypot(*(c.point[:2] - leg)) < 1e-6]
        assert contact.force[2] == pytest.approx(force, rel=FORCES)


@pytest.mark.parametrize("row", read_case("21")["expected"]["v_groove"]["rows"], ids=lambda r: str(r["half_angle_deg"]))
def test_21_v_groove(row):
    angle, radius = math.radians(row["half_angle_deg"]), 0.1
    walls = [Plane.facing((s * math.cos(angle), 0.0, math.sin(angle)), friction=0.0) for s in (-1.0, 1.0)]
    mass = read_case("21")["expected"]["v_groove"]["m"]
    world = touching(ball("b", (0, 0, radius / math.sin(angle)), radius, mass, friction=0.0), floor=walls)
    world.step(2)
    for c in world.contacts():
        assert c.force @ c.normal == pytest.approx(row["N_each"], rel=FORCES)


@pytest.mark.parametrize(("floor", "between_them"), [(1.02, 1.02), (0.98, 1.02), (1.02, 0.98)])
def test_21_cylinder_pyramid(floor, between_them):
    """Three cylinders stand above both friction thresholds and fall below either."""
    case = read_case("21")["expected"]["cylinder_pyramid"]
    radius = 0.1
    mu_cylinder, mu_floor = between_them * case["mu_cylinder_min"], floor * case["mu_floor_min"]
    turn = (math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0)
    places = {"left": (-radius, 0, radius), "right": (radius, 0, radius), "top": (0, 0, radius * (1 + math.sqrt(3)))}
    bodies = [
        Body(
            name=name, mass=1.0, inertia=(0.25 * radius**2 + 0.03, 0.25 * radius**2 + 0.03, 0.5 * radius**2),
            position=at, orientation=turn,
            shapes=[Cylinder(radius=radius, length=0.6, friction=mu_cylinder)],
        )
        for name, at in places.items()
    ]  # fmt: skip
    # of a pair friction is the geometric mean
    world = touching(*bodies, friction=mu_floor**2 / mu_cylinder)
    world.step(2)
    if min(floor, between_them) > 1.0:
        for side in ("left", "right"):
            assert normal(between(world, side, "world")) == pytest.approx(case["N_floor_each"], rel=1e-4)
            assert friction(between(world, side, "world")) == pytest.approx(case["friction_force_each"], rel=1e-3)
    world.step(238)
    fallen = world.bodies["top"].position[2] < places["top"][2] - 0.01
    assert fallen == (min(floor, between_them) < 1.0)


# ---------------------------------------------------------------- 22: impacts
@pytest.mark.parametrize("row", read_case("22")["expected"]["vertical"], ids=lambda r: str(r["e"]))
def test_22_bounces(row):
    dt = 1e-4
    world = touching(
        ball("b", (0, 0, row["drop_height"] + 0.1), 0.1, restitution=row["e"], friction=0.0), friction=0.0, timestep=dt
    )
    speeds, tops, top = [], [], 0.0
    last = row["impact_times"][3] if row["e"] > 0.0 else 0.5
    before = world.bodies["b"].velocity[2]
    times = []
    while world.time < last + 0.01:
        world.step()
        v, z = world.bodies["b"].velocity[2], world.bodies["b"].position[2] - 0.1
        if v > before + 1e-3:
            times.append(world.time)
            speeds.append(-before)
            tops.append(top)
            top = 0.0
        top = max(top, z)
        before = v
    if row["e"] == 0.0:
        assert times[-1] - times[0] < 1.5 * dt  # to the surface, and to rest on it
        assert abs(world.bodies["b"].position[2] - 0.1) < 1e-9
        return
    for k, t in enumerate(times[:4]):
        assert abs(t - row["impact_times"][k]) < 6e-4 * (1 + k)
        assert speeds[k] == pytest.approx(row["impact_speeds"][k], abs=1e-2)
        if k:
            assert tops[k] == pytest.approx(row["apex_heights"][k], abs=1e-3 * (1 + k))


@pytest.mark.parametrize(
    "row", read_case("22")["expected"]["oblique_sphere"]["rows"], ids=lambda r: f"{r['mu']}-{r['e']}"
)
def test_22_oblique_sphere(row):
    """The case's x, y and turning about z are x, z and turning about -y here."""
    case = read_case("22")["expected"]["oblique_sphere"]
    (vx, vz), mu = row["v_before"], row["mu"]
    look = {"friction": mu, "restitution": row["e"]}
    sphere = ball(
        "b", (0, 0, case["radius"]), case["radius"], case["m"], velocity=(vx, 0, vz),
        spin=(0, -row["omega_z_before"], 0), **look,
    )  # fmt: skip
    world = touching(sphere, floor=[Plane(**look)], gravity=(0, 0, 0))
    world.step()
    view = world.bodies["b"]
    assert view.velocity == pytest.approx([row["v_after"][0], 0.0, row["v_after"][1]], abs=1e-10)
    assert view.angular_velocity[1] == pytest.approx(-row["omega_z_after"], abs=1e-9)
    (contact,) = world.contacts()
    assert contact.force / 240 == pytest.approx([row["jt"], 0.0, row["jn"]], abs=1e-10)


def check_by_itself(row, expected, which):
    """Moments of inertia that no body has: the impulse law by itself, rows of a frictionless contact or equalities"""
    n, t = np.array(row["normal_a_to_b"]), np.eye(3)
    axes = np.array([n]) if which == "frictionless" else np.array([n, *np.linalg.svd(n[None])[2][1:]])
    matrix = np.zeros((len(axes), len(axes)))
    speed = np.zeros(3)
    for name, side in (("a", -1.0), ("b", 1.0)):
        r = np.array(row[f"r{name}"])
        inverse = np.linalg.inv(np.array(row[f"I{name}_world"]))
        response = t / row[f"m{name}"] + np.array([np.cross(inverse @ np.cross(r, e), r) for e in t]).T
        matrix += axes @ response @ axes.T
        speed += side * (np.array(row[f"v{name}"]) + np.cross(row[f"w{name}"], r))
    p = make_pivoting(len(axes))
    p.matrix[:] = matrix
    p.offset[:] = axes @ speed + np.eye(len(axes))[0] * row["e"] * (n @ speed)
    if which == "stick":
        p.limit[:] = -math.inf, math.inf  # some of these impulses pull
    status, _ = solve_complementarity(p, len(axes))
    assert status == Outcome.SOLVED
    assert p.x @ axes == pytest.approx(expected["impulse_on_b"], abs=1e-10)


@pytest.mark.parametrize("which", ["frictionless", "stick"])
@pytest.mark.parametrize("k", range(len(read_case("22")["expected"]["two_body_3d"])))
def test_22_two_bodies(k, which):
    """Balls on the two bodies meet at the given point with the given normal."""
    row = read_case("22")["expected"]["two_body_3d"][k]
    n, ra, rb = (np.array(row[key]) for key in ("normal_a_to_b", "ra", "rb"))
    moments = [np.diag(row["Ia_world"]), np.diag(row["Ib_world"])]
    if any(2.0 * i.max() > i.sum() for i in moments):
        check_by_itself(row, row[which], which)
        return
    mu = 0.0 if which == "frictionless" else 1e3
    small = 1e-3
    bodies = []
    for name, r, side in (("a", ra, -1.0), ("b", rb, 1.0)):
        shape = Sphere(radius=small, position=tuple(r + side * small * n), friction=mu, restitution=row["e"])
        bodies.append(
            Body(
                name=name, mass=row[f"m{name}"], inertia=np.diag(row[f"I{name}_world"]), position=tuple(-r),
                velocity=row[f"v{name}"], angular_velocity=row[f"w{name}"], shapes=[shape],
            )
        )  # fmt: skip
    world = touching(*bodies, floor=[], gravity=(0, 0, 0), timestep=1e-6)
    world.step()
    (contact,) = world.contacts()
    impulse = contact.force * 1e-6 * (1.0 if contact.b == "b" else -1.0)
    expected = row[which]
    # the bodies turn during the step
    assert impulse == pytest.approx(expected["impulse_on_b"], abs=1e-8)
    for name in ("a", "b"):
        assert world.bodies[name].velocity == pytest.approx(expected[f"v{name}"], abs=1e-8)
        assert world.bodies[name].angular_velocity == pytest.approx(expected[f"w{name}"], abs=1e-5)


@pytest.mark.parametrize("count", ["one", "two"])
def test_22_newtons_cradle(count):
    """Touching balls all at once; balls with gaps between them one after the other."""
    case = read_case("22")["expected"]["newtons_cradle"]["equal_masses_5"]
    for gap, law, name in ((0.0, "simultaneous_newton_LCP_touching", "in_out"),
                           (0.01, "sequential_impulses_or_separated_balls", "out")):  # fmt: skip
        key = "out" if (count, name) == ("one", "out") else f"{count}_{name}"
        expected = case[law][key]
        speeds = [1.0] * (1 if count == "one" else 2) + [0.0] * 5
        balls = [
            ball(f"b{i}", ((0.2 + gap) * i, 0, 5), 0.1, restitution=1.0, friction=0.0, velocity=(speeds[i], 0, 0))
            for i in range(5)
        ]
        world = touching(*balls, floor=[], gravity=(0, 0, 0), timestep=1e-3)
        world.step(3 if gap == 0.0 else 100)
        assert [b.velocity[0] for b in world.bodies.values()] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("row", read_case("22")["expected"]["three_ball_sequential"], ids=lambda r: str(r["masses"][1]))
def test_22_three_balls(row):
    look = {"restitution": row["e"], "friction": 0.0}
    balls = [
        ball(f"b{i}", (0.25 * i, 0, 5), 0.1, m, velocity=(v, 0, 0), **look)
        for i, (m, v) in enumerate(zip(row["masses"], row["v_in"], strict=True))
    ]
    world = touching(*balls, floor=[], gravity=(0, 0, 0), timestep=1e-4)
    world.step(20000)
    assert [b.velocity[0] for b in world.bodies.values()] == pytest.approx(row["sequential_final"], abs=1e-8)


# ---------------------------------------------------------------- 42: a falling rod
def leaning_rod(angle: float, spin: float, mu: float, dt: float, foot: float = 1e-4) -> World:
    """A rod of length 1 that leans by `angle` towards x and turns about its foot, a small ball"""
    d = read_case("42")["definition"]
    along = np.array([math.sin(angle), 0.0, math.cos(angle)])
    inertia = d["m"] * d["L"] ** 2 / 12
    tip = Sphere(radius=foot, position=(0, 0, -0.5 * d["L"]), friction=mu)
    rod = Body(
        name="rod", mass=d["m"], inertia=(inertia, inertia, 1e-4), position=0.5 * d["L"] * along + [0, 0, foot],
        orientation=(math.cos(0.5 * angle), 0, math.sin(0.5 * angle), 0), angular_velocity=(0, spin, 0),
        velocity=np.cross((0, spin, 0), 0.5 * d["L"] * along + [0, 0, foot]), shapes=[tip],
    )  # fmt: skip
    return touching(rod, friction=mu, timestep=dt, gravity=(0, 0, -d["g"]))


def angle_of(world: World) -> float:
    q = world.bodies["rod"].quaternion
    return 2.0 * math.atan2(q[2], q[0])


def test_42_smooth_floor():
    case = read_case("42")["expected"]["smooth"]
    dt = 1e-3
    world = leaning_rod(case["theta0"], 0.0, 0.0, dt)
    for t, theta, rate, force in zip(*(case[k] for k in ("t", "theta", "theta_dot", "normal")), strict=True):
        if t == 0.0:
            continue
        world.step(round((t - world.time) / dt))
        assert angle_of(world) == pytest.approx(theta, abs=5e-3)
        assert world.bodies["rod"].angular_velocity[1] == pytest.approx(rate, rel=5e-3)
        # the mean over the step that ends now
        assert world.contacts()[0].force[2] == pytest.approx(force, rel=2e-2)
        assert world.bodies["rod"].position[0] == pytest.approx(0.5 * math.sin(case["theta0"]), abs=1e-9)
    while angle_of(world) < 0.5 * math.pi:
        world.step()
    assert abs(world.time - case["t_flat"]) <= 2.0 * dt
    assert world.bodies["rod"].angular_velocity[1] == pytest.approx(case["omega_flat"], rel=5e-3)


def test_42_rough_floor():
    """A rod that falls from upright without slip, as long as friction of 0.375 holds it. Foot and floor have 0.3706 at
    the worst, at 35.1 degrees: with 0.36 it slides back before."""
    case = read_case("42")["expected"]["rough_no_slip"]
    d = read_case("42")["definition"]
    weight = d["m"] * d["g"]
    start = math.radians(9.0)
    spin = math.sqrt(3.0 * d["g"] * (1.0 - math.cos(start)) / d["L"])
    world = leaning_rod(start, spin, 0.375, 1e-4)
    for degrees, force, across in zip(*(case[k] for k in ("theta_deg", "N_over_mg", "F_over_mg")), strict=True):
        if degrees > 50.5:
            break
        while angle_of(world) < math.radians(degrees):
            world.step()
        (contact,) = world.contacts()
        assert not contact.sliding
        assert contact.force[2] / weight == pytest.approx(force, abs=2e-3)
        assert contact.force[0] / weight == pytest.approx(across, abs=2e-3)
    assert case["max_forward_mu"] == pytest.approx(0.3706, abs=1e-4)
    world = leaning_rod(start, spin, 0.36, 1e-4)
    while angle_of(world) < math.radians(35.2) and not any(c.sliding for c in world.contacts()):
        world.step()
    assert 30.0 < math.degrees(angle_of(world)) < 35.1
    assert world.contacts()[0].velocity[0] < 0.0
