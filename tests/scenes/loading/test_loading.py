"""What a scene means: units, frames, masses, copies, figures and their mirror images, poses, values by path."""

import math

import numpy as np
import pytest

from physics.definitions.bodies import inertia_matrix
from physics.definitions.joints import Cylindrical, Hinge, Screw
from scenes import load, load_text
from scenes.loading.loader import read_scene, read_scene_text
from scenes.text.errors import SceneError
from scenes.text.expressions import ExpressionError, Measured, evaluate
from scenes.text.reader import resolve

HEAD = "marionette: 1\n"
ARM = """marionette: 1
bodies:
  upper: {shape: {capsule: {from: [0, 0, 1], to: [0.3, 0, 1], radius: 2 cm}}}
  lower: {shape: {capsule: {from: [0.3, 0, 1], to: [0.6, 0, 1], radius: 2 cm}}, mass: 200 g}
joints:
  shoulder: {ball: [world, upper], at: [0, 0, 1], stiffness: 2}
  elbow: {hinge: [upper, lower], at: [0.3, 0, 1], axis: y, stiffness: 0.5 N*m/rad, damping: 0.01}
groups: {arm: [shoulder, elbow], bodies: ["*er"]}
"""


# ---------------------------------------------------------------- scalars, expressions, units
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-3", 1e-3), ("1e3", 1000.0), (".5", 0.5), ("1.", 1.0), ("-3", -3), ("+3", 3), ("012", 12), ("true", True),
        ("no", "no"), ("yes", "yes"), ("on", "on"), ("~", None), ("null", None), ("", None), ("1_000", "1_000"),
        ("1:30", "1:30"), ("1/240", "1/240"), ("20 deg", "20 deg"), ("-.inf", -math.inf), ("0x1F", "0x1F"),
    ],
)  # fmt: skip
def test_scalars_are_read_by_the_core_schema_of_yaml_12(text, value):
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("1/240", "s", 1 / 240), ("20 deg", "rad", math.radians(20)), ("-20deg", "rad", -math.radians(20)),
        ("60 rpm", "rad/s", 2 * math.pi), ("1 turn/s", "rad/s", 2 * math.pi), ("2*pi*r cm", "m", 0.06 * math.pi),
        ("5 N*m", "N*m/rad", 5.0), ("2 N*m/deg", "N*m/rad", 360 / math.pi), ("3 kg*m^2", "kg*m^2", 3.0),
        ("9.81 m/s2", "m/s^2", 9.81), ("36 km/h", "m/s", 10.0), ("5 J", "N*m", 5.0), ("1 g/cm^3", "kg/m^3", 1000.0),
        ("-2^2", "", -4.0), ("2^3^2", "", 512.0), ("2 - 3 - 4", "", -5.0), ("8/4/2", "", 1.0), ("-(1 + 2)*3", "", -9.0),
        ("sqrt(16) + max(1, 2)", "", 6.0), ("mod(7, 4)", "", 3.0), ("1 %", "", 0.01), ("12 in", "m", 0.3048),
    ],
)  # fmt: skip
def test_expressions_and_units(text, unit, value):
    assert evaluate(text, {"r": 3.0}, unit)[0] == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    ("text", "unit"),
    [("1 kg", "m"), ("5 N/m", "N*m/rad"), ("1 m", ""), ("2 Hz", "rad/s"), ("5 N*m/rad", "N*m"), ("1 rad", "")],
)
def test_a_unit_of_another_kind_is_refused(text, unit):
    with pytest.raises(ExpressionError, match="does not fit here"):
        evaluate(text, {}, unit)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b + 8 cm", "'b + 8 cm' would mean (b + 8) cm; put the sum in brackets if that is meant, else write b + 0.08"),
        ("b - r/2 cm", "else write b - r/2*0.01"),
        ("a + 8 cm", "would mean (a + 8) cm, and 'a' has its unit already; write a + 0.08"),
        ("a cm", "'a' has its unit already; write a"),
        ("a/2 cm", "'a' has its unit already; write a/2"),
        ("5 cm + a", "a unit stands last, after the whole expression, not inside it or in brackets; write 0.05 + a"),
        ("10 cm + 5 cm", "write 0.1 + 0.05"),
        ("(5 cm) + a", "write 0.05 + a"),
        ("2 cm * r", "write 0.02 * r"),
        ("1/2 cm + a", "write 1/2*0.01 + a"),
        ("a cm + b", "write a + b"),
        ("r*cos(b + 90 deg)", "write r*cos(b + pi/2)"),
        ("min(5 mm, 2.5 deg)", "write min(0.005, 0.0436332313)"),
        ("5 N*m/deg + 1", "write 286.478898 + 1"),
    ],
)
def test_a_unit_that_could_be_read_in_two_ways_is_refused(text, said):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, {"r": 3.0, "a": Measured(0.05), "b": 0.2}, "m")
    assert str(caught.value).endswith(said)


def test_a_unit_may_follow_brackets_and_what_it_does_not_change():
    assert evaluate("(r + 2) cm", {"r": 3.0}, "m")[0] == pytest.approx(0.05)
    # a ratio of lengths that is an angle, of more than a turn perhaps
    assert evaluate("8*a/b rad", {"a": Measured(0.6), "b": Measured(0.2)}, "rad")[0] == pytest.approx(24.0)
    assert evaluate("5 N*m", {"m": 3.0}, "N*m")[0] == 5.0  # a parameter that is called like a unit


@pytest.mark.parametrize(
    ("parameters", "refused"),
    [
        ("w: 3", None),
        ("w: 20 %", None),
        ("w: 3 cm", "w"),
        ("v: 3 cm, w: 2*v", "w"),
        ("v: 3, w: {value: (v + 1) mm}", "w"),
        ("v: 3, w: 2*v", None),
    ],
)
def test_a_parameter_remembers_that_it_was_given_with_a_unit(tmp_path, parameters, refused):
    inner, outer = tmp_path / "inner.yaml", tmp_path / "outer.yaml"
    body = "{mass: 1, shape: {sphere: {at: [0, 0, 1], radius: size*2 cm}}}"
    inner.write_text(f"marionette: 1\nparameters: {{size: 1}}\nbodies: {{b: {body}}}\n")
    outer.write_text(
        f"marionette: 1\nparameters: {{{parameters}}}\nfigures: {{f: {{use: inner.yaml, set: {{size: w}}}}}}\n"
    )
    own = tmp_path / "own.yaml"
    own.write_text(f"marionette: 1\nparameters: {{{parameters}}}\nbodies: {{b: {body.replace('size', 'w')}}}\n")
    for path, name in ((own, "w"), (outer, "size")):  # also where it is handed down to a figure
        if refused is None:
            assert read_scene(path).parts
        else:
            with pytest.raises(SceneError, match=f"'{name}' has its unit already; write {name}\\*2"):
                read_scene(path)


# ---------------------------------------------------------------- bodies
SHAPES = {
    # volume, and moments about the centre for a density of 1 along x, y, z
    "sphere: {radius: 0.3, at: [0, 0, 0]}": (4 / 3 * math.pi * 0.027, [4 / 3 * math.pi * 0.027 * 0.4 * 0.09] * 3),
    "box: {size: [1, 2, 3], at: [0, 0, 0]}": (6.0, [6 * 13 / 12, 6 * 10 / 12, 6 * 5 / 12]),
    "cylinder: {from: [0, 0, -1], to: [0, 0, 1], radius: 0.5}": (math.pi / 2, [math.pi / 2 * (0.0625 + 1 / 3)] * 2 + [math.pi / 16]),
    "hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0.1, 0.1, 0.1]]}": (1 / 6, [1 / 80] * 3),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_mass_and_inertia_of_shapes(shape):
    volume, moments = SHAPES[shape]
    scene = read_scene_text(HEAD + f"bodies: {{a: {{density: 2, shape: {{{shape}}}}}}}")
    body = scene.parts["a"].definition
    assert body.mass == pytest.approx(2 * volume, rel=1e-12)
    got = np.diag(inertia_matrix(body.inertia))
    assert got == pytest.approx(2 * np.array(moments), rel=1e-12)


def test_a_capsule_weighs_what_its_hull_weighs():
    """Against a polyhedron of many points, which comes from below as their number grows."""
    a, h, r = 40, 0.5, 0.3
    angles = np.linspace(0, math.pi / 2, a // 2)
    rings = [(r * math.cos(t), s * (h / 2 + r * math.sin(t))) for t in angles for s in (1, -1)]
    points = [[q * math.cos(p), q * math.sin(p), z] for q, z in rings for p in np.linspace(0, 2 * math.pi, 25)[:-1]]
    text = ", ".join(str([round(float(x), 9) for x in p]) for p in points)
    scene = read_scene_text(
        HEAD + f"bodies:\n  a: {{mass: 1, shape: {{capsule: {{from: [0, 0, -0.25], to: [0, 0, 0.25], radius: 0.3}}}}}}\n"
        f"  b: {{mass: 1, shape: {{hull: {{points: [{text}]}}}}}}"
    )  # fmt: skip
    capsule, hull = (inertia_matrix(scene.parts[n].definition.inertia) for n in "ab")
    assert np.diag(hull) == pytest.approx(np.diag(capsule), rel=0.02)


def body_of(entry):
    """Return the definition of a body with these fields."""
    return read_scene_text(f"{HEAD}bodies: {{a: {{{entry}}}}}").parts["a"].definition


def test_several_shapes_make_one_body():
    """Two balls on a line: 2 m (2/5 r^2) along it, and m d^2 / 2 more across it, d their distance."""
    body = body_of("mass: 2, shape: [{sphere: {at: [0, 0, 0], radius: 0.1}}, {sphere: {at: [1, 0, 0], radius: 0.1}}]")
    assert body.position == pytest.approx((0.5, 0, 0))
    assert body.inertia == pytest.approx((0.008, 0.508, 0.508), rel=1e-12)


def test_a_frame_turns_shapes_and_inertia():
    body = body_of("frame: {at: [1, 2, 3], rotate: {z: 90 deg}}, shape: {box: {size: [1, 2, 3], at: [1, 0, 0]}}")
    assert body.position == pytest.approx((1, 3, 3))
    assert body.orientation == pytest.approx((math.sqrt(0.5), 0, 0, math.sqrt(0.5)))


def test_materials_and_defaults_fill_in():
    scene = read_scene_text(
        HEAD + "materials: {oak: {density: 700, color: '#a86'}}\ndefaults: {body: {material: oak}, joint: {damping: 3}}\n"
        "bodies:\n  a: {shape: {sphere: {at: [0, 0, 0], radius: 1}}}\n  b: {density: 70, shape: {sphere: {at: [3, 0, 0], radius: 1}}}\n"
        "joints:\n  h: {hinge: [world, a], at: [0, 0, 0], axis: x}\n  w: {weld: [a, b], at: [1, 0, 0]}\n"
    )  # fmt: skip
    a, b = scene.parts["a"], scene.parts["b"]
    assert a.definition.mass == pytest.approx(10 * b.definition.mass)
    assert (a.color, scene.edges["h"].definition.damping) == ("#aa8866", (3.0,))


# ---------------------------------------------------------------- copies
def test_copies_are_what_is_written_out():
    short = HEAD + (
        "repeat: {c: {count: 3, step: [0.1, 0, -0.2], first: world, body: {shape: {capsule: {from: [0, 0, 0], to: [0.1, 0, -0.2], "
        "radius: 0.01*(1 + index)}}}, joint: {ball: [previous, this], at: [0, 0, 0], stiffness: 1 + index}}}\n"
    )
    long = HEAD + "bodies:\n" + "".join(
        f"  c/{k}: {{shape: {{capsule: {{from: [{0.1 * k}, 0, {-0.2 * k}], to: [{0.1 * (k + 1)}, 0, {-0.2 * (k + 1)}], "
        f"radius: {0.01 * (1 + k)}}}}}}}\n" for k in range(3)
    ) + "joints:\n" + "".join(
        f"  c/{k}: {{ball: [{'world' if k == 0 else f'c/{k - 1}'}, c/{k}], at: [{0.1 * k}, 0, {-0.2 * k}], stiffness: {1 + k}}}\n"
        for k in range(3)
    )  # fmt: skip
    a, b = read_scene_text(short), read_scene_text(long)
    for name in ("c/0", "c/1", "c/2"):
        p, q = a.parts[name].definition, b.parts[name].definition
        assert p.position == pytest.approx(q.position, abs=1e-15)
        assert (p.mass, p.inertia) == (pytest.approx(q.mass, rel=1e-12), pytest.approx(q.inertia, rel=1e-12))
        j, i = a.edges[name].definition, b.edges[name].definition
        assert (j.a, j.b, j.stiffness) == (i.a, i.b, i.stiffness)
        assert np.array(j.points) == pytest.approx(np.array(i.points), abs=1e-15)
        assert j.twist_axis == pytest.approx(i.twist_axis, abs=1e-12)


def test_one_copy_can_be_changed_by_path():
    scene = read_scene("chain", ["links=5", "bodies.chain/3.mass=7", "joints.chain/2.stiffness=9"])
    assert [scene.parts[f"chain/{k}"].definition.mass for k in range(5)] == [0.1, 0.1, 0.1, 7.0, 0.1]
    assert [scene.edges[f"chain/{k}"].definition.stiffness[0] for k in range(5)] == [0, 0, 9, 0, 0]


# ---------------------------------------------------------------- values by path
@pytest.mark.parametrize(
    ("setting", "read"),
    [
        ("bodies.lower.mass=3 kg", lambda s: s.parts["lower"].definition.mass == 3.0),
        ("joints.elbow.rest=90 deg", lambda s: s.edges["elbow"].definition.rest == (math.pi / 2,)),
        ("groups.arm.stiffness=7", lambda s: all(e.definition.stiffness[0] == 7.0 for e in s.edges.values())),
        ("settings.gravity.2=-1.62", lambda s: s.settings.gravity == (0.0, 0.0, -1.62)),
        ("bodies.upper.shape.capsule.radius=4 cm", lambda s: s.parts["upper"].spec.shape[0].radius == 0.04),
        ("name=Arm", lambda s: s.title == "Arm"),
    ],
)
def test_values_by_path(tmp_path, setting, read):
    path = tmp_path / "arm.yaml"
    path.write_text(ARM + "settings: {gravity: [0, 0, -9.81]}\n")
    assert not read(read_scene(path))
    assert read(read_scene(path, [setting]))
    key, _, value = setting.partition("=")
    path.write_text(path.read_text() + f"overrides: {{{key}: {value}}}\n")
    assert read(read_scene(path))


# ---------------------------------------------------------------- figures
def test_a_figure_moved_and_turned_moves_alike(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    (tmp_path / "both.yaml").write_text(
        HEAD
        + "figures: {one: {use: arm.yaml, at: [1, 2, 3], rotate: {z: 90 deg}, set: {joints.elbow.damping: 0.02}}}\n"
    )
    alone = read_scene(tmp_path / "arm.yaml", ["joints.elbow.damping=0.02"]).make_world()
    moved = read_scene(tmp_path / "both.yaml").make_world()
    alone.step(120)
    moved.step(120)
    r = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    for name in ("upper", "lower"):
        expected = r @ alone.bodies[name].position + np.array([1, 2, 3])
        assert moved.bodies[f"one/{name}"].position == pytest.approx(expected, abs=1e-9)


MIXED = """marionette: 1
bodies:
  a: {shape: {box: {size: [0.2, 0.1, 0.3], at: [0.1, 0.05, 0], rotate: {x: 20 deg}}}}
  b: {shape: {box: {size: [0.1, 0.2, 0.1], at: [0.3, 0.1, 0]}}}
  c: {shape: {box: {size: [0.1, 0.2, 0.1], at: [0.5, 0.1, 0.1]}}}
  d: {shape: {box: {size: [0.1, 0.2, 0.1], at: [0.7, 0, 0.1]}}}
  e: {shape: {box: {size: [0.1, 0.1, 0.1], at: [0.9, 0, 0.2]}}}
joints:
  ball: {ball: [world, a], at: [0, 0, 0], stiffness: [1, 2, 3], twist_axis: [1, 1, 0], swing_axis: z, rest: {x: 0.2, y: 0.1}}
  hinge: {hinge: [a, b], at: [0.2, 0, 0], axis: [1, 2, 3], limits: [-10 deg, 30 deg], soft: {stiffness: 5}, stiffness: 0.2, rest: 0.3}
  universal: {universal: [b, c], at: [0.4, 0, 0], axis: [0, 1, 1], axis2: x, stiffness: [1, 2], rest: [0.1, -0.2]}
  screw: {screw: [c, d], at: [0.6, 0, 0], axis: [1, 0, 1], pitch: 0.1}
  cylindrical: {cylindrical: [d, e], at: [0.8, 0, 0], axis: [1, 1, 0], stiffness: [30, 2], rest: [0.02, 0.3]}
start: {velocities: {a: {angular: [1, 2, 3]}}}
"""


@pytest.mark.parametrize("mirror", ["x", "y", "z"])
def test_a_mirror_image_moves_as_the_mirror_image(tmp_path, mirror):
    """Gravity is taken away: it is the only thing that is not mirrored."""
    text = MIXED.replace("start: {velocities: {a: {angular: [1, 2, 3]}}}\n", "settings: {gravity: [0, 0, 0]}\n")
    (tmp_path / "figure.yaml").write_text(text)
    (tmp_path / "image.yaml").write_text(
        HEAD + f"settings: {{gravity: [0, 0, 0]}}\nfigures: {{i: {{use: figure.yaml, mirror: {mirror}}}}}\n"
    )
    figure, image = (read_scene(tmp_path / f"{n}.yaml").make_world() for n in ("figure", "image"))
    figure.step(60)
    image.step(60)
    m = np.ones(3)
    m["xyz".index(mirror)] = -1.0
    moved = 0.0
    for name, body in figure.bodies.items():
        assert image.bodies[f"i/{name}"].position == pytest.approx(m * body.position, abs=1e-9)
        assert image.bodies[f"i/{name}"].angular_velocity == pytest.approx(-m * body.angular_velocity, abs=1e-8)
        moved = max(moved, float(np.linalg.norm(body.velocity)))
    assert moved > 0.01  # the springs did pull
    d = read_scene(tmp_path / "image.yaml").edges
    assert isinstance(d["i/screw"].definition, Screw)
    assert isinstance(d["i/cylindrical"].definition, Cylindrical)
    assert isinstance(d["i/hinge"].definition, Hinge)


# ---------------------------------------------------------------- poses, start, assembly
def test_a_pose_is_reached_along_the_tree():
    scene = read_scene_text(ARM + "poses: {bent: {shoulder: {y: 90 deg}, elbow: 90 deg}}\nstart: {pose: bent}\n")
    world = scene.make_world()
    assert world.bodies["upper"].position == pytest.approx((0, 0, 0.85), abs=1e-12)
    assert world.bodies["lower"].position == pytest.approx((-0.15, 0, 0.7), abs=1e-12)
    assert world.joints["elbow"].angle == pytest.approx(math.pi / 2)
    assert world.largest_gap < 1e-12


def test_velocities_that_a_joint_forbids_are_taken_out():
    world = read_scene_text(ARM + "start: {velocities: {upper: {linear: [1, 0, 2]}}}\n").make_world()
    anchor = world.bodies["upper"].velocity + np.cross(world.bodies["upper"].angular_velocity, [-0.15, 0, 0])
    assert anchor == pytest.approx(np.zeros(3), abs=1e-12)
    assert world.bodies["upper"].velocity[2] > 0.1


def test_an_open_joint_is_closed_and_one_that_cannot_be_is_named_with_its_line():
    closed = read_scene("fourbar")
    world = closed.make_world()
    assert closed.open_joints == ["B"]
    assert world.largest_gap < 1e-9
    assert 1e-4 < max(closed.moved.values()) < 1e-3
    text = (
        ARM
        + "constraints: {stretch: {distance: [world, lower], at: {world: [0, 0, 1], lower: [0.6, 0, 1]}, length: 2}}\n"
    )
    with pytest.raises(SceneError, match="scene:9:15: error: constraint 'stretch' cannot be closed together"):
        read_scene_text(text).make_world()
    # drawn straight, no small motion shortens the distance: the arm is shaken out of that
    bent = read_scene_text(text.replace("length: 2", "length: 0.5")).make_world()
    assert bent.largest_gap < 1e-6
    assert abs(bent.joints["elbow"].angle) > 0.5


def test_pins_hold():
    world = read_scene_text(ARM + "pins: {p: {point: lower, at: [0.6, 0, 1]}}\n").make_world()
    world.step(120)
    assert world.pins["p"].gap < 1e-6
    tip = world.bodies["lower"].position + np.array([0.15, 0, 0])
    assert np.linalg.norm(tip - [0.6, 0, 1]) < 0.1


def test_load_takes_parameters_by_name():
    world = load("chain", links=7, mass=0.3)
    assert len(world.bodies) == 7
    assert world.bodies["chain/0"].mass == pytest.approx(0.3)
    with pytest.raises(SceneError, match="did you mean 'links'"):
        load("chain", link=7)


def test_a_text_is_loaded_by_a_function_of_its_own():
    """Given to `load` it says so; red before: it said that there is no scene of that name."""
    text = HEAD + "parameters: {m: 1}\nbodies: {b: {kind: particle, mass: m, at: [0, 0, 1]}}\n"
    assert load_text(text, m=3).bodies["b"].mass == 3.0
    with pytest.raises(SceneError, match="unknown parameter 'n'"):
        load_text(text, n=3)
    for given in (text, "marionette: 1", "bodies:\n  b: {mass: 1}"):
        with pytest.raises(SceneError, match=r"is the text of a scene; allowed: the path of its file.*load_text"):
            load(given)


def test_points_and_moments_of_a_frame_are_turned_with_it():
    """The example of the reference."""
    plate = "{frame: {at: [1, 0, 0], rotate: {z: 90 deg}}, at: [0.2, 0, 0], mass: 2, inertia: [0.1, 0.3, 0.35]}"
    body = load_text(HEAD + f"bodies: {{plate: {plate}}}").bodies["plate"]
    assert body.position == pytest.approx([1.0, 0.2, 0.0], abs=1e-12)
    body.angular_velocity = (1.0, 0.0, 0.0)
    assert body.kinetic_energy == pytest.approx(0.15, abs=1e-12)


def test_a_rope_with_a_length_is_told_its_word():
    rope = "constraints: {r: {rope: [world, b], at: {world: [0, 0, 2], b: [0, 0, 1]}, length: 1}}\n"
    with pytest.raises(SceneError, match="unknown key 'length'; did you mean 'longest'"):
        read_scene_text(HEAD + "bodies: {b: {kind: particle, mass: 1, at: [0, 0, 1]}}\n" + rope)


def test_a_spring_holds_its_load():
    """It hangs down by m g / k, and a torsion spring turns by m g l / k about its hinge."""
    scene = read_scene_text(
        HEAD + "bodies: {a: {kind: particle, mass: 2, at: [0, 0, 0]}}\n"
        "springs: {s: {between: [world, a], from: [0, 0, 1], stiffness: 200 N/m, damping: 20, rest: 1 m}}\n"
    )
    world = scene.make_world()
    world.step(1200)
    assert world.bodies["a"].position[2] == pytest.approx(-2 * 9.81 / 200, abs=1e-6)
    turned = read_scene_text(
        HEAD + "bodies: {a: {mass: 2, inertia: [1, 1, 1], at: [0.1, 0, 0]}}\n"
        "joints: {h: {hinge: [world, a], at: [0, 0, 0], axis: y, damping: 30}}\n"
        "springs: {s: {torsion: [world, a], stiffness: 100}}\n"
    ).make_world()
    turned.step(2400)
    angle = turned.joints["h"].angle
    assert 100 * angle == pytest.approx(2 * 9.81 * 0.1 * math.cos(angle), rel=1e-3)
