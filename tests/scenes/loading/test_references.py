"""The reference cases as scenes. Those that are given by bodies and joints are written as YAML, read back, and move as
their definitions do, which other tests compare with the values of the case; those that are given by words are written
by hand here, and compared themselves."""

import json
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from physics.maths.rotations import matrix_of
from physics.definitions.checks import DefinitionError
from physics.definitions.scene import Scene
from physics.world.world import World
from scenes.loading.loader import read_scene, read_scene_text
from tests.helpers.scene_text import scene_text
from tests.helpers.cases.reference_cases import FOLDER, advance_to, make_scene, read_case, row_at

NUMBERS = sorted(path.name.split("_")[0] for path in FOLDER.glob("*.json") if "schema" in json.loads(path.read_text()))
STEPS = 24


def scenes_in(definition: Any) -> Iterator[Scene]:
    """Every scene inside a case's definition that the language can express."""
    if isinstance(definition, dict):
        if "bodies" in definition and "joints" in definition:
            try:
                scene = make_scene(definition)
                scene_text(scene)
            except (ValueError, KeyError, TypeError, DefinitionError):
                return  # of joints, bodies or forces that neither scenes nor the loader of the cases have
            yield scene
        for value in definition.values():
            yield from scenes_in(value)
    elif isinstance(definition, list):
        for value in definition[:3]:
            yield from scenes_in(value)


CASES = {
    f"{number}.{k}": scene
    for number in NUMBERS
    for k, scene in enumerate(scenes_in(read_case(number)["definition"]))
    if scene.bodies
}


# what is no motion of bodies
NO_SCENES = {
    "31": "numbers of operations in a factor",
    "32": "how many answers the law of contacts has for one pose",
    "38": "matrices of complementarity problems",
}


def test_all_cases_that_can_be_expressed_are():
    assert set(NUMBERS) - {name.split(".")[0] for name in (*CASES, *WRITTEN)} == set(NO_SCENES)


@pytest.mark.parametrize("name", CASES)
def test_a_case_moves_alike_as_a_scene(name):
    scene = CASES[name]
    first = World(scene)
    if first.largest_gap > 1e-9 or not _velocities_fit(first):
        pytest.skip("starts with joints open or torn apart: a scene is assembled")
    second = read_scene_text(scene_text(scene)).make_world()
    first.step(STEPS)
    second.step(STEPS)
    for body in scene.bodies:
        a, b = first.bodies[body.name], second.bodies[body.name]
        assert b.position == pytest.approx(a.position, abs=1e-9)
        assert b.velocity == pytest.approx(a.velocity, abs=1e-7)


def _velocities_fit(world: World) -> bool:
    before = np.array([b.velocity for b in world.bodies.values()])
    snapshot = world.snapshot()
    world.assemble()
    after = np.array([b.velocity for b in world.bodies.values()])
    world.restore(snapshot)
    return bool(np.allclose(before, after, atol=1e-9))


# ---------------------------------------------------------------- written by hand, against the values of the case
HEAD = "marionette: 1\nsettings: {gravity: [0, -9.81, 0], integrator: rk4}\n"
FLAT = HEAD.replace("0, -9.81, 0", "0, 0, -9.81")
NO_GRAVITY = HEAD.replace("-9.81", "0")


def four_bar():
    """10: a crank that goes round, a coupler and a rocker, told by the places of the hinges and the crank's speed."""
    case = read_case("10")
    d, expected = case["definition"], case["expected"]
    scene = make_scene(d, case["tolerance"]["dt"])
    world = read_scene_text(scene_text(scene)).make_world(integrator="rk4")
    measured = case["tolerance"]["rk4_measured_at_dt"]
    for k, t in ((2, 0.5), (4, 1.0)):
        advance_to(world, t)
        q = world.bodies["crank"].quaternion
        error = 2.0 * math.atan2(q[3], q[0]) - expected["theta"][row_at(expected, t)]
        assert abs((error + math.pi) % (2 * math.pi) - math.pi) < 5.0 * measured["angle_err"][k]


def squeezer():
    """12: the scene of the library, to its last instant, when the crank has gone round two and a half times."""
    expected = read_case("12")["expected"]["computed_t003"]
    measured = read_case("12")["tolerance"]["rk4_dt=0.0001"]["crank_omega_abs_err"][2]
    world = read_scene("squeezer").make_world(integrator="rk4")
    world.step(round(0.03 / world.timestep))
    assert world.bodies["K1"].angular_velocity[2] == pytest.approx(expected["rates"][0], abs=5.0 * measured)
    assert world.joints["O"].angle == pytest.approx(expected["angles"][0] + 0.06171389001427645, abs=1e-6)
    assert world.joints["B"].angle == pytest.approx(expected["angles"][2] - 0.45527981916307037, abs=1e-6)


def gears():
    """15: a compound train, a rack, a planet between a sun and a hollow ring."""
    expected = read_case("15")["expected"]
    wheel = "inertia: [0.01, 0.01, 0.01], mass: 1"
    text = f"""{NO_GRAVITY}bodies:
  g1: {{{wheel}, at: [0, 0, 0]}}
  g23: {{{wheel}, at: [0.4, 0, 0]}}
  g4: {{{wheel}, at: [0.9, 0, 0]}}
  rack: {{mass: 3, inertia: [0.1, 0.1, 0.1], at: [5, 0, 0]}}
  pinion: {{mass: 1, inertia: [0.02, 0.02, 0.02], at: [5, 0.08, 0]}}
  sun: {{mass: 1, inertia: [0.001, 0.001, 0.001], at: [9, 0, 0]}}
  carrier: {{mass: 1, inertia: [0.004, 0.004, 0.004], at: [9, 0, 0]}}
repeat:
  planet: {{count: 3, body: {{mass: 0.2, inertia: [0.00025, 0.00025, 0.00025],
    at: [9 + 0.15*cos(index*2*pi/3), 0.15*sin(index*2*pi/3), 0]}}}}
joints:
  h1: {{hinge: [world, g1], at: [0, 0, 0], axis: z}}
  h23: {{hinge: [world, g23], at: [0.4, 0, 0], axis: z}}
  h4: {{hinge: [world, g4], at: [0.9, 0, 0], axis: z}}
  slide: {{slider: [world, rack], at: [5, 0, 0], axis: x}}
  pin: {{hinge: [world, pinion], at: [5, 0.08, 0], axis: z}}
  sun: {{hinge: [world, sun], at: [9, 0, 0], axis: z}}
  carrier: {{hinge: [world, carrier], at: [9, 0, 0], axis: z}}
""" + "".join(
        f"  p{k}: {{hinge: [carrier, planet/{k}], axis: z, at: [9 + 0.15*cos({k}*2*pi/3), 0.15*sin({k}*2*pi/3), 0]}}\n"
        for k in range(3)
    )
    text += """constraints:
  a: {gear: [g1, g23], axis: z, radii: [0.1, 0.3]}
  b: {gear: [g23, g4], axis: z, radii: [0.1, 0.4]}
  mesh: {rack: [rack, pinion], at: [5, 0, 0], axis: z, direction: x, radius: 0.08}
""" + "".join(
        f"  in{k}: {{gear: [sun, planet/{k}], axis: z, radii: [0.1, 0.05]}}\n"
        f"  out{k}: {{gear: [planet/{k}, world], at: {{world: [9, 0, 0]}}, axis: z, radii: [0.05, -0.2]}}\n"
        for k in range(3)
    )
    text += "loads: {g1: {torque: [0, 0, 1]}, rack: {force: [5, 0, 0]}, sun: {torque: [0, 0, 1]}}\n"
    world = read_scene_text(text).make_world()
    a = dict(zip(world.bodies, world.accelerations(), strict=True))
    train = expected["compound"]["omega4_over_omega1"]
    assert a["g4"][5] / a["g1"][5] == pytest.approx(train, rel=1e-10)
    assert a["rack"][0] == pytest.approx(expected["rack_pinion"]["rack_acc"], rel=1e-10)
    assert np.linalg.norm(world.joints["mesh"].force) == pytest.approx(expected["rack_pinion"]["mesh_force"], rel=1e-9)
    assert a["sun"][5] == pytest.approx(expected["planetary"]["alpha_sun_for_unit_torque"], rel=1e-9)
    assert a["sun"][5] / a["carrier"][5] == pytest.approx(expected["planetary"]["ratio"], rel=1e-9)


def turntable():
    """17: a ball rolls in circles on a table that is turned at constant speed."""
    case = read_case("17")
    text = f"""{FLAT}bodies:
  table: {{mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}
  ball: {{mass: 0.7, inertia: [0.0028, 0.0028, 0.0028], at: [0.5, 0, 0.1]}}
joints: {{axle: {{hinge_motor: [world, table], at: [0, 0, 0], axis: z, velocity: 6 rad/s}}}}
constraints: {{roll: {{rolling_sphere: [table, ball], at: [0, 0, 0], normal: z, radius: 0.1}}}}
start: {{velocities: {{table: {{angular: [0, 0, 6]}}, ball: {{linear: [0.2, 0.4, 0], angular: [26, 2, 1]}}}}}}
"""
    world = read_scene_text(text).make_world()
    world.accelerations()
    assert world.joints["roll"].force == pytest.approx(case["expected"]["contact_force_t0"], rel=1e-8)
    for t in (1.0, 3.0):
        advance_to(world, t)
        center = case["expected"]["center"][row_at(case["expected"], t)]
        allowed = 1e-4 * case["tolerance"]["first_order_dt=0.004167"][f"t={t:g}"]
        assert np.linalg.norm(world.bodies["ball"].position - center) < allowed


def sleigh():
    """18: Chaplygin's sleigh turns round and goes on with its blade behind."""
    case = read_case("18")
    d, expected = case["definition"], case["expected"]
    vx, vy = d["com_vel0"]
    text = f"""{NO_GRAVITY}bodies: {{sleigh: {{mass: 2, inertia: [0.3, 0.3, 0.5], at: [0.3, 0, 0]}}}}
constraints: {{blade: {{knife_edge: [world, sleigh], at: [0, 0, 0], lateral: y}}}}
start: {{velocities: {{sleigh: {{linear: [{vx}, {vy}, 0], angular: [0, 0, {d["omega0"]}]}}}}}}
"""
    world = read_scene_text(text).make_world()
    world.accelerations()
    assert world.joints["blade"].force[1] == pytest.approx(expected["lateral_force"][0], rel=1e-9)
    for t in (1.0, 2.0):
        advance_to(world, t)
        allowed = 1e-4 * case["tolerance"]["first_order_dt=1/240"][f"t={t:g}"]["com"]
        assert np.linalg.norm(world.bodies["sleigh"].position[:2] - expected["com"][row_at(expected, t)]) < allowed


def collar():
    """35: a bead on a line that is turned at constant speed: r'' = W^2 r."""
    expected = read_case("35")["expected"]["driven_collar"]
    text = f"""{NO_GRAVITY}bodies:
  table: {{kind: moving, position: [0, 0, 0], rotation: [0, 0, {{rate: {expected["W"]} rad/s}}]}}
  bead: {{kind: particle, mass: 1, at: [{expected["r0"]}, 0, 0]}}
constraints: {{line: {{point_on_line: [table, bead], axis: x}}}}
start: {{velocities: {{bead: {{linear: [0, {expected["W"] * expected["r0"]}, 0]}}}}}}
"""
    world = read_scene_text(text).make_world()
    for t in (0.5, 1.0):
        advance_to(world, t)
        r = expected["r"][row_at(expected, t)]
        assert np.linalg.norm(world.bodies["bead"].position) == pytest.approx(r, rel=1e-7)


def hoop():
    """35: where a bead stays on a hoop that is turned about its vertical diameter."""
    for row in read_case("35")["expected"]["hoop"]:
        angle = math.radians(row["equilibrium_angle_deg"])
        x, z = row["R"] * math.sin(angle), -row["R"] * math.cos(angle)
        text = f"""{FLAT}bodies:
  hoop: {{kind: moving, position: [0, 0, 0], rotation: [0, 0, {{rate: {row["W"]} rad/s}}]}}
  bead: {{kind: particle, mass: 1, at: [{x!r}, 0, {z!r}]}}
constraints: {{wire: {{point_on_curve: [hoop, bead], circle: {{center: [0, 0, 0], normal: y, radius: {row["R"]}}}}}}}
start: {{velocities: {{bead: {{linear: [0, {row["W"] * x!r}, 0]}}}}}}
"""
        world = read_scene_text(text).make_world()
        world.step(120)
        assert world.bodies["bead"].position[2] == pytest.approx(z, abs=1e-5)


def trough():
    """41: a ball or a roller in a round trough."""
    for row in read_case("41")["expected"]["rows"][:3]:
        big, r, start = row["R"], row["r"], row["theta"][0]
        i, ball = row["beta"] * r**2, "sphere" in row["shape"]
        moments = (i, i, i) if ball else (0.75 * i, i, 0.75 * i)
        place = ((big - r) * math.sin(start), 0.0, -(big - r) * math.cos(start))
        text = f"""{FLAT}bodies: {{b: {{mass: 1, inertia: {list(moments)}, at: {list(place)}}}}}
constraints:
  roll: {{rolling_in_trough: [world, b], at: [0, 0, 0], axis: y, trough_radius: {big}, radius: {r},
    cylinder: {str(not ball).lower()}}}
"""
        world = read_scene_text(text).make_world()
        for t in (0.5, 1.0):
            advance_to(world, t)
            x = world.bodies["b"].position
            assert math.atan2(x[0], -x[2]) == pytest.approx(row["theta"][row_at(row, t)], abs=1e-4)


def cantilever():
    """25: a level chain of stiff joints, let down to rest."""
    row = next(r for r in read_case("25")["expected"]["cantilever"] if r["N"] == 2 and r["EI"] == 10.0)
    text = """marionette: 1
parameters: {n: 2, EI: 10, slowest: 3.516*sqrt(EI)}
settings: {gravity: [0, -9.81, 0], timestep: 1/24}
repeat:
  rod:
    {count: n, step: [1/n, 0, 0], first: world, body: {mass: 1/n, at: [0.5/n, 0, 0],
    inertia: [0.001/n^3, 1/12/n^3, 1/12/n^3]},
    joint: {hinge: [previous, this], at: [0, 0, 0], axis: z, stiffness: EI*n, damping: 2*EI*n/slowest}}
"""
    world = read_scene_text(text).make_world()
    world.step(600)
    angles = np.cumsum([joint.angle for joint in world.joints.values()])
    assert angles == pytest.approx(row["theta"], abs=1e-6)


def modes_of_rods():
    """08: hanging rods posed in a mode of small oscillation: every angular acceleration is -w^2 times the angle."""
    row = read_case("08")["expected"]["uniform_rods_N3"]
    for omega, shape in zip(row["omega"], row["mode_shapes_theta"], strict=True):
        turns = 1e-5 * np.diff([0.0, *shape])
        pose = ", ".join(f"rod/{k}: {x!r}" for k, x in enumerate(turns.tolist()))
        text = f"""{HEAD}repeat:
  rod: {{count: 3, step: [0, -1/3, 0], first: world, body: {{mass: 1/3, inertia: [1/324, 1/324000, 1/324],
    at: [0, -1/6, 0]}}, joint: {{hinge: [previous, this], at: [0, 0, 0], axis: z}}}}
poses: {{mode: {{{pose}}}}}
start: {{pose: mode}}
"""
        world = read_scene_text(text).make_world()
        found = world.accelerations()[:, 5]
        assert found == pytest.approx(-(omega**2) * 1e-5 * np.array(shape), abs=1e-9 * omega**2)


def pressing(world: World, a: str, b: str) -> float:
    """The normal force between two bodies."""
    return sum(float(c.force @ c.normal) for c in world.contacts() if {c.a, c.b} == {a, b})


def incline():
    """19: blocks on inclines, which are planes of the scenery: some stick, some slide."""
    rows = [r for r in read_case("19")["expected"]["block"] if r["angle_deg"] in (20, 26, 27)]
    for row in rows:
        text = f"""marionette: 1
settings: {{integrator: implicit, contact_tolerance: 1e-9}}
materials: {{both: {{friction: {row["mu"]}}}}}
parameters: {{slope: {row["angle_deg"]} deg}}
contacts: {{}}
defaults: {{body: {{material: both}}}}
bodies:
  incline: {{fixed: true, shape: {{plane: {{at: [0, 0, 0], rotate: {{y: slope rad}}}}}}}}
  block:
    mass: 2 kg
    shape: {{box: {{size: [0.4, 0.4, 0.1], at: [0.05*sin(slope), 0, 0.05*cos(slope)], rotate: {{y: slope rad}}}}}}
"""
        world = read_scene_text(text).make_world()
        world.step(120)
        before = world.bodies["block"].velocity.copy()
        world.step(120)
        acceleration = 2.0 * np.linalg.norm(world.bodies["block"].velocity - before)
        assert pressing(world, "block", "incline") == pytest.approx(row["normal"], rel=1e-4)
        assert acceleration == pytest.approx(row["acc_down_slope"], rel=1e-3, abs=1e-4)


def stack():
    """21: what presses between boxes in a stack."""
    row = read_case("21")["expected"]["stacks"][3]
    masses, side = row["masses_bottom_first"], row["side"]
    bodies = "".join(
        f"  b{k}: {{mass: {m}, shape: {{box: {{size: [{side}, {side}, {side}], at: [0, 0, {(k + 0.5) * side}]}}}}}}\n"
        for k, m in enumerate(masses)
    )
    head = "marionette: 1\nsettings: {integrator: implicit, contact_tolerance: 1e-9}\nground: {}\n"
    world = read_scene_text(f"{head}bodies:\n{bodies}").make_world()
    world.step(240)
    below = ["world", *(f"b{k}" for k in range(len(masses)))]
    found = [pressing(world, b, f"b{k}") for k, b in enumerate(below[:-1])]
    assert found == pytest.approx(row["interface_normal_total"], rel=1e-4)


def bounce():
    """22: how high a ball comes back; an impact is found to a step of the 4.43 m/s that it falls with."""
    for row in read_case("22")["expected"]["vertical"]:
        text = f"""marionette: 1
settings: {{timestep: 1/1000}}
materials: {{ball: {{restitution: {row["e"]}}}}}
ground: {{}}
bodies: {{a: {{material: ball, mass: 1, shape: {{sphere: {{at: [0, 0, {row["drop_height"]} + 0.1], radius: 0.1}}}}}}}}
"""
        world = read_scene_text(text).make_world()
        world.step(math.floor(1000 * row["impact_times"][0]) + 2)
        top = 0.0
        for _ in range(round(1000 * row["e"] * 0.45) + 20):
            world.step()
            top = max(top, world.bodies["a"].position[2] - 0.1)
        assert top == pytest.approx(row["apex_heights"][1], abs=0.01)


def resting_limit():
    """24: a rod rests on a hard limit, which carries its moment, m g L/2 sin."""
    case = read_case("24")
    body = case["definition"]["bodies"][0]
    start, end = (
        math.atan2(body["pos"][1], body["pos"][0]),
        case["definition"]["joints"][0]["limit_theta_from_downward"][0],
    )
    text = f"""{HEAD.replace("rk4", "implicit")}bodies:
  rod: {{mass: {body["mass"]}, inertia: {body["inertia"]}, frame: {{at: {body["pos"]}, rotate: {body["quat"]}}}}}
joints: {{h: {{hinge: [world, rod], at: [0, 0, 0], axis: z, limits: [{end - start - math.pi / 2!r}, null]}}}}
"""
    world = read_scene_text(text).make_world()
    world.step(720)
    assert world.joints["h"].angle == pytest.approx(end - start - math.pi / 2, abs=1e-6)
    arm = np.array(world.bodies["rod"].position)
    assert body["mass"] * 9.81 * arm[0] == pytest.approx(case["expected"]["rest"]["limit_torque"], rel=1e-6)


def hanging_rope():
    """29: tensions of a hanging chain, whose links are held by taut ropes instead of joints."""
    expected = read_case("29")["expected"]["hanging_N5_plain"]
    text = (
        FLAT.replace("rk4", "implicit")
        + """repeat:
  weight: {count: 5, step: [0, 0, -0.2], first: world, body: {kind: particle, mass: 0.3, at: [0, 0, -0.2]},
    joint: {rope: [previous, this], at: {previous: [0, 0, 0], this: [0, 0, -0.2]}}}
"""
    )
    world = read_scene_text(text).make_world()
    world.step(60)
    found = [np.linalg.norm(world.joints[f"weight/{k}"].force) for k in range(5)]
    assert found == pytest.approx(expected, rel=1e-6)


def falling_rod():
    """42: a thin rod falls on a smooth floor, its foot slipping away."""
    expected = read_case("42")["expected"]["smooth"]
    theta = expected["theta0"]
    text = f"""marionette: 1
settings: {{timestep: 1/2000, contact_tolerance: 1e-9}}
materials: {{smooth: {{friction: 0}}}}
ground: {{material: smooth}}
bodies:
  rod:
    frame: {{at: [0, 0, 0.5*cos({theta})], rotate: {{y: {theta} rad}}}}
    at: [0, 0, 0]
    mass: 1
    inertia: [1/12, 1/12, 1e-6]
    shape: {{sphere: {{at: [0, 0, -0.5], radius: 1e-6, material: smooth}}}}
"""
    world = read_scene_text(text).make_world()
    for k in (4, 8):
        advance_to(world, expected["t"][k])
        q = world.bodies["rod"].quaternion
        assert 2.0 * math.atan2(q[2], q[0]) == pytest.approx(expected["theta"][k], abs=3e-3)


def dragging():
    """28: what a pull does in the kinematic order, where a force is a velocity."""
    head = "marionette: 1\nsettings: {gravity: [0, 0, 0], order: kinematic, posing_friction: 0}\n"
    circle, chain = read_case("28")["expected"]["cases"][:2]
    text = f"""{head}bodies: {{p: {{kind: particle, mass: {circle["mass"]}, at: {[*circle["pos"], 0.0]}}}}}
constraints: {{rod: {{distance: [world, p], at: {{world: [0, 0, 0]}}}}}}
loads: {{p: {{force: {[*circle["F"], 0]}}}}}
"""
    world = read_scene_text(text).make_world()
    assert world.first_order_velocities()[0, :2] == pytest.approx(circle["v"], rel=1e-9)
    bodies = "".join(
        f"  p{k}: {{kind: particle, mass: {m}, at: {x}}}\n"
        for k, (m, x) in enumerate(zip(chain["masses"], chain["points"], strict=True))
    )
    text = f"""{head}bodies:
{bodies}constraints:
  rod0: {{distance: [world, p0], at: {{world: {chain["pinned"]}}}}}
  rod1: {{distance: [p0, p1]}}
  rod2: {{distance: [p1, p2]}}
loads: {{p2: {{force: {chain["F_last"]}}}}}
"""
    world = read_scene_text(text).make_world()
    assert world.first_order_velocities()[:, :3] == pytest.approx(np.array(chain["v"]), abs=1e-9)


def floating_humanoid():
    """30: accelerations of the posed humanoid under torques in its joints. It is drawn upright at the origin, so that
    gravity and all that is known of the world is turned into the frame of its pelvis."""
    case = read_case("30")
    places: dict[str, np.ndarray] = {}
    text = "bodies:\n"
    ties = ""
    for link in case["definition"]["links"]:
        places[link["name"]] = np.array(link["pos"]) + places.get(link["parent"], 0.0)
        com = (places[link["name"]] + link["com"]).tolist()
        text += f"  {link['name']}: {{mass: {link['mass']}, inertia: {link['inertia']}, at: {com}}}\n"
        if link["parent"]:
            ends, at = f"[{link['parent']}, {link['name']}]", places[link["name"]].tolist()
            ties += f"  {link['name']}: {{hinge: {ends}, at: {at}, axis: {link['axis']}}}\n"
    names = case["expected"]["joint_order"]
    for state in case["expected"]["states"][1:3]:
        r = matrix_of(state["base_quat"]).T
        pose = ", ".join(f"{n}: {x!r} rad" for n, x in zip(names, state["joint_pos"], strict=True))
        twists = [(r @ np.array(u).reshape(2, 3).T).T.tolist() for u in state["body_com_twist_world"]]
        rates = "".join(f"    {n}: {{linear: {v}, angular: {w}}}\n" for n, (v, w) in zip(places, twists, strict=True))
        torques = "".join(
            f"  d{n}: {{joint: {n}, torque: {x!r}}}\n" for n, x in zip(names, state["tau"][6:], strict=True)
        )
        head = f"marionette: 1\nsettings: {{gravity: {(r @ case['definition']['gravity']).tolist()}}}\n"
        start = f"poses: {{s: {{{pose}}}}}\nstart:\n  pose: s\n  velocities:\n{rates}"
        world = read_scene_text(f"{head}{text}joints:\n{ties}drives:\n{torques}{start}").make_world()
        expected = np.array([(r @ np.array(a).reshape(2, 3).T).T.ravel() for a in state["body_com_acc_world"]])
        found = world.accelerations()
        assert np.abs(found - expected).max() < 1e-7 * np.abs(expected).max()


def stiff_step():
    """37: one implicit step of a body on a stiff hinge; the angle follows to (h w)^3 / 12."""
    for row in read_case("37")["expected"]["scalar"]:
        text = f"""marionette: 1
settings: {{gravity: [0, 0, 0], timestep: {row["h"]}, integrator: implicit, guard: false}}
bodies: {{wheel: {{mass: 1, inertia: [{row["I"]}, {row["I"]}, {row["I"]}], at: [0, 0, 0]}}}}
joints: {{h: {{hinge: [world, wheel], at: [0, 0, 0], axis: z, stiffness: {row["k"]}, damping: {row["c"]}}}}}
poses: {{turned: {{h: {row["theta0"]}}}}}
start: {{pose: turned, velocities: {{wheel: {{angular: [0, 0, {row["omega0"]}]}}}}}}
loads: {{wheel: {{torque: [0, 0, {row["tau"]}]}}}}
"""
        world = read_scene_text(text).make_world()
        world.step()
        assert world.bodies["wheel"].angular_velocity[2] == pytest.approx(row["omega1"], rel=1e-9)
        allowed = abs(row["h"] * row["omega1"]) ** 3 / 12 + 1e-10
        assert world.joints["h"].angle == pytest.approx(row["theta1"], abs=allowed)


WRITTEN = {
    "28": dragging, "30": floating_humanoid, "37": stiff_step,
    "19": incline, "21": stack, "22": bounce, "24": resting_limit, "29": hanging_rope, "42": falling_rod,
    "08": modes_of_rods, "10": four_bar, "12": squeezer, "15": gears, "17": turntable, "18": sleigh, "25": cantilever,
    "35.collar": collar, "35.hoop": hoop, "41": trough,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_a_case_has_its_values_as_a_scene(name):
    WRITTEN[name]()
