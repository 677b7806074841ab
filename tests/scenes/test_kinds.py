"""Every kind of body, joint, constraint, spring and signal that a scene can have: it is read, moves, keeps what it says,
is the same world when written out, and in a mirror moves as its mirror image."""

import math

import numpy as np
import pytest

from physics.world.world import World
from scenes.kinds.table import KINDS
from scenes.kinds.ties import Edge
from scenes.loading.access import apply, is_live
from scenes.loading.loader import read_scene, read_scene_text
from scenes.text.values import Refused
from tests.helpers.scene_text import scene_text

BOX = "shape: {box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.2]}}"
SECOND = "shape: {box: {size: [0.1, 0.2, 0.2], at: [0.6, 0.2, -0.1]}}"
PUSH = "start: {velocities: {a: {linear: [0.3, -0.2, 0.1], angular: [0.5, 1, -0.7]}}}\n"
# joints between the world and a, a and b; {} where the bodies stand
JOINTS = {
    "ball": "at: [0.1, 0, 0.3], stiffness: [2, 1, 3], damping: 0.1, rest: {y: 20 deg}, twist_axis: [1, 2, 0], swing: 50 deg, twist: [-30 deg, 20 deg], soft: {stiffness: 9}, armature: 0.01",
    "hinge": "at: [0.1, 0, 0.3], axis: [1, 2, 3], stiffness: 2, damping: 0.1, rest: 20 deg, limits: [-10 deg, 400 deg], soft: {stiffness: 9, damping: 1}, armature: 0.02",
    "universal": "at: [0.1, 0, 0.3], axis: y, axis2: [1, 0, 1], stiffness: [2, 0], rest: [10 deg, 5 deg], limits: [[-20 deg, 30 deg], null], soft: {stiffness: 9}, armature: [0.01, 0.02]",
    "slider": "at: [0.1, 0, 0.3], axis: [0, 1, 1], stiffness: 30 N/m, rest: 5 cm, limits: [-1 m, 0.2 m], soft: {stiffness: 1000}, armature: 0.3",
    "cylindrical": "at: [0.1, 0, 0.3], axis: [0, 1, 1], stiffness: [30, 2], damping: [1, 0.1], rest: [5 cm, 10 deg], limits: [[-0.2, 0.3], [null, 3 rad]], soft: {stiffness: [900, 9]}, armature: [0.3, 0.01]",
    "planar": "at: [0.1, 0, 0.3], normal: [0, 1, 2], axis: x, stiffness: [30, 40, 2], damping: [1, 1, 0.1], rest: [2 cm, 0, 10 deg], armature: [0.3, 0.3, 0.01]",
    "screw": "at: [0.1, 0, 0.3], axis: [0, 1, 1], pitch: 5 cm, stiffness: 2, damping: 0.1, armature: 0.01",
    "compound": "at: [0.1, 0, 0.3], parts: [{turn: y, stiffness: 2, rest: 10 deg, limits: [-40 deg, 7 rad], soft: {stiffness: 8}}, {slide: [1, 0, 1], stiffness: 50, armature: 0.2}, {turn: [1, 2, 0], at: [0.1, 0.1, 0.3], damping: 0.1, pitch: 2 cm}]",
    "hinge_motor": "at: [0.1, 0, 0.3], axis: [1, 2, 3], position: {mean: 0, amplitude: 30 deg, frequency: 2 Hz}",
    "slider_motor": "at: [0.1, 0, 0.3], axis: [1, 2, 3], velocity: {times: [0, 0.05, 0.1], values: [0, 0.3, 0.1], ease: smooth}",
    "weld": "at: [0.1, 0, 0.3]",
}  # fmt: skip
# hard limits, two of which press from the start
LIMITED = {
    "hinge, hard": "{hinge: [world, a], at: [0.1, 0, 0.3], axis: [1, 2, 3], limits: [-1 deg, 400 deg]}",
    "ball, hard": "{ball: [world, a], at: [0.1, 0, 0.3], twist_axis: [1, 2, 0], swing: 5 deg, twist: [null, 2 deg]}",
    "cylindrical, hard": "{cylindrical: [world, a], at: [0.1, 0, 0.3], axis: [0, 1, 1], limits: [[-0.02, null], [-1 deg, 1 deg]]}",
    "compound, hard": "{compound: [world, a], at: [0.1, 0, 0.3], parts: [{turn: y, limits: [-1 deg, 1 deg]}, {slide: z, limits: [null, 5 cm]}]}",
}  # fmt: skip
CONSTRAINTS = {
    "rope": "{rope: [world, a], at: {world: [0, 0, 1], a: [0.3, 0.1, 0.3]}, longest: 0.8, shortest: 0.1}",
    "distance": "{distance: [world, a], at: {world: [0, 0, 1], a: [0.3, 0.1, 0.3]}}",
    "distance told": "{distance: [world, a], at: {world: [0, 0, 1], a: [0.3, 0.1, 0.3]}, length: {rate: 0.1 m/s, start: 0.7681145747868608}}",
    "point_on_plane": "{point_on_plane: [b, a], at: [0.3, 0.1, 0.3], normal: [1, 0, 2]}",
    "point_on_line": "{point_on_line: [b, a], at: [0.3, 0.1, 0.3], axis: [1, 0, 2]}",
    "point_on_curve": "{point_on_curve: [world, a], at: [0.3, 0.1, 0.3], circle: {center: [0.3, 0.1, 0.8], normal: y, radius: 0.5}}",
    "point on a spline": "{point_on_curve: [world, a], at: [0.3, 0.1, 0.3], spline: {points: [[0, 0.1, 0.5], [0.3, 0.1, 0.3], [0.6, 0.2, 0.6], [1, 0, 0]]}}",
    "parallel": "{parallel: [a, b], axis: [1, 2, 0]}",
    "perpendicular": "{perpendicular: [a, b], axis: [1, 2, 0], axis2: [-2, 1, 1]}",
    "gear": "{gear: [a, b], at: {a: [0.3, 0.1, 0.2], b: [0.6, 0.1, 0.2]}, axis: y, radii: [0.1, 0.2]}",
    "rack": "{rack: [a, b], at: {a: [0.3, 0.1, 0.2], b: [0.6, 0.1, 0.4]}, axis: y, direction: x, radius: 0.2}",
    "rolling_sphere": "{rolling_sphere: [world, a], at: [0, 0, 0.1], normal: z, radius: 0.1}",
    "rolling_disk": "{rolling_disk: [world, a], at: [0, 0, 0], normal: z, axis: y, radius: 0.2}",
    "rolling_in_trough": "{rolling_in_trough: [world, a], at: [0, 0.1, 1.2], axis: x, trough_radius: 1.2, radius: 0.2}",
    "function": "{function: [a, b], zero: [Xy*x - 2*Zy*z^2 - sin(Yx), Zx1^2 + Xy2], at: {b: [0.6, 0.1, 0.2]}}",
    "velocity_function": "{velocity_function: [world, a], zero: [vx2 - 0.3*wy2*Zz2, vz - 0.1*wx2 + wz*y2]}",
    "knife_edge": "{knife_edge: [world, a], at: [0.3, 0.1, 0.2], lateral: [1, 1, 0]}",
}  # fmt: skip
SPRINGS = {
    "between": "{between: [world, a], from: [0, 0, 1], to: [0.3, 0.1, 0.3], stiffness: 50, damping: 1, rest: 0.5, tension_only: true}",
    "torsion": "{torsion: [b, a], stiffness: [2, 3, 4], damping: 0.1, rest: {x: 10 deg}, swing_axis: x}",
}  # fmt: skip
BODIES = {
    "a planar body": "bodies: {a: {kind: planar, normal: y, angle: 30 deg, shape: {box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.2]}}}}\njoints: {j: {hinge: [world, a], at: [0, 0.1, 0], axis: y, stiffness: 2}}\n",
    "a planar body by numbers": "bodies: {a: {kind: planar, mass: 2, inertia: 0.1, at: [0, 0, 1]}}\n",
    "scaled": "bodies: {a: {kind: scaled, shape: {sphere: {at: [0, 0, 1], radius: 0.2}}, scale_stiffness: 500, scale_damping: 1, scale: 1.1, scale_velocity: 0.1}}\n",
    "scaled along axes": "bodies: {a: {kind: scaled, stretch: axes, shape: {box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.2]}}, scale_stiffness: [500, 600, 700], scale: [1.1, 1, 1]}}\njoints: {j: {ball: [world, a], at: [0.3, 0.1, 0.5]}}\n",
    "fixed": "bodies: {wall: {fixed: true, shape: {box: {size: [1, 1, 1], at: [0, 0, 2]}}}, a: {shape: {sphere: {at: [0, 0, 1], radius: 0.2}}}}\njoints: {j: {ball: [wall, a], at: [0, 0, 1.5], stiffness: 1}}\n",
    "massless": "bodies: {a: {kind: massless}, b: {shape: {sphere: {at: [0.5, 0, 0], radius: 0.2}}}}\njoints: {h: {hinge: [world, a], at: [0, 0, 0], axis: y, stiffness: 3}, i: {slider: [a, b], at: [0, 0, 0], axis: x, stiffness: 100}}\n",
    "moving": "bodies: {hand: {kind: moving, position: [{mean: 0, amplitude: 0.2, frequency: 1}, 0, {rate: 0.1 m/s, start: 1}], rotation: [0, {times: [0, 1], values: [0, 30 deg], ease: smooth}, 0], frame: {rotate: {x: 90 deg}}, shape: {box: {size: [0.1, 0.1, 0.1], at: [0, 0, 0]}}}, a: {shape: {sphere: {at: [0, 0, 0.5], radius: 0.1}}}}\njoints: {j: {ball: [hand, a], at: [0, 0, 1]}}\n",
    "condition": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}, c: {{kind: particle, mass: 0.5, at: [0.2, 0.7, 0.1]}}}}\nconstraints: {{k: {{condition: [c, a, b], zero: [x1 + 2*x2 - x3 + Yz2, \"sqrt((x1 - x2)^2 + (y1 - y2)^2 + (z1 - z2)^2) + z3\"], at: {{a: [0.3, 0.2, 0.4]}}, origin: [0.1, 0.2, 0], axes: [x, -z, y]}}}}\n",
    "condition with a force": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{k: {{condition: [a, b], zero: [z1 + z2, x1 - Zx2], force: [{{b: [0.3, 0, 1, 0, 0.1, 0.02]}}, {{a: [1, 0.2, 0], b: [-0.5, 0.1, 0.1]}}]}}}}\n",
    "condition with a force in bodies": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{k: {{condition: [a, b], zero: z1 + z2, force: {{b: [0.3, 0.2, 1], a: [0, 0, 1, 0.1, 0, 0.05]}}, force_in: body}}}}\n",
    "velocity condition": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}, c: {{kind: particle, mass: 0.5, at: [0.2, 0.7, 0.1]}}}}\nconstraints: {{k: {{velocity_condition: [c, a, b], zero: [vx1*x2 + 2*wz2 - vy3*Yz2, (vx1 - vx3)*Xx2 + wy3], at: {{a: [0.3, 0.2, 0.4]}}, origin: [0.1, 0.2, 0], axes: [x, -z, y]}}}}\n",
    "velocity condition with a force": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{k: {{velocity_condition: [a, b], zero: vz1 + vz2, force: {{b: [0.3, 0.2, 1], a: [0, 0, 1, 0.1, 0, 0.05]}}, force_in: body}}}}\n",
    "coupling": f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\njoints: {{h: {{hinge: [world, a], at: [0, 0, 0], axis: y}}, u: {{universal: [a, b], at: [0.5, 0, 0], axis: y, axis2: z}}}}\nconstraints: {{t: {{coupling: {{h: 1, u.0: -2, u.1: 0.5}}, offset: 0}}}}\n",
}  # fmt: skip
DRIVES = {
    "drive to a position": "j: {hinge: [world, a], at: [0.1, 0, 0.3], axis: [1, 2, 3]}|m: {joint: j, position: {mean: 0, amplitude: 400 deg, frequency: 1 Hz}, stiffness: 20 N*m/rad, damping: 1, max: 3 N*m}",
    "drive of a velocity": "j: {slider: [world, a], at: [0.1, 0, 0.3], axis: [1, 2, 3]}|m: {joint: j, velocity: 60 cm/s, max: [0, 30 N]}",
    "drive by a torque": "j: {universal: [world, a], at: [0.1, 0, 0.3], axis: y, axis2: z}|m: {joint: j, axis: 1, torque: {rate: 1 N*m/s}, on: true}",
    "drive of a ball": "j: {ball: [world, a], at: [0.1, 0, 0.3]}|m: {joint: j, position: [0, 20 deg, 0], stiffness: 20, damping: 1, max: 5}",
    "target spring": "j: {free: [world, a]}|m: {body: a, at: [0.3, 0.1, 0.3], position: [0, 0, 1], rotation: {y: 30 deg}, stiffness: 50, damping: 2, turn_stiffness: 3, turn_damping: 0.1, max: 40 N}",
}  # fmt: skip
ROUGH = "materials: {rough: {friction: 1.5, restitution: 0.3}, ice: {friction: 0}}\n"
CONTACTS = {
    "on the ground": ROUGH + "ground: {height: -0.11, material: ice}\ncontacts: {never: [[legs, ground], [legs, legs]]}\nbodies: {a: {material: rough, shape: [{box: {size: [0.2, 0.1, 0.3], at: [0.3, 0.1, 0.041]}}, {sphere: {at: [0.3, 0.1, 0], radius: 0.2, collide: false}}]}, b: {collide: legs, shape: {capsule: {from: [0.35, 0.1, 0.3], to: [0.3, 0.4, 0.32], radius: 0.1, material: ice}}}}\njoints: {j: {ball: [a, b], at: [0.3, 0.1, 0.2], collide: true}}\nstart: {velocities: {a: {linear: [0.3, -0.2, 0], angular: [0, 0, 1]}}}\n",
    "on scenery": "contacts:\nbodies: {slope: {fixed: true, shape: [{plane: {at: [0, 0, 0], normal: [0.3, 0.1, 1]}}, {box: {size: [1, 0.1, 1], at: [0, 0.5, 0]}}]}, a: {frame: {at: [0, 0, 0.3], rotate: {x: 20 deg}}, shape: [{cylinder: {from: [0, 0, -0.1], to: [0, 0.02, 0.1], radius: 0.1}}, {hull: {points: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]]}}]}, p: {kind: particle, mass: 1, at: [1, 0, 0.1], shape: {sphere: {radius: 0.2}}}}\n",
    "on what moves": "contacts: {}\nbodies: {tray: {kind: moving, position: [{mean: 0, amplitude: 0.2, frequency: 1}, 0, 0], frame: {rotate: {x: 5 deg}}, shape: {box: {size: [1, 1, 0.1], at: [0, 0, 0]}}}, a: {shape: {capsule: {length: 0.2, at: [0, 0, 0.15], rotate: {x: 90 deg}, radius: 0.1}}}}\n",
    "in the wind": "medium: {density: 1.2, viscosity: 0.1, wind: [{mean: 3, amplitude: 1, frequency: 2}, 0, 1]}\nground: {}\n" + f"bodies: {{a: {{{BOX}, collide: false}}, b: {{{SECOND}}}}}\njoints: {{j: {{hinge: [world, a], at: [0, 0, 0.5], axis: y}}, k: {{ball: [a, b], at: [0.4, 0.1, 0]}}}}\n",
}  # fmt: skip
SCENES = {
    **CONTACTS,
    **{k: f"bodies: {{a: {{{BOX}}}}}\njoints: {{{v.split('|')[0]}}}\ndrives: {{{v.split('|')[1]}}}\n{PUSH}" for k, v in DRIVES.items()},
    **{k: f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\njoints: {{j: {{{k}: [world, a], {v}}}, k: {{{k}: [a, b], {v}}}}}\n{PUSH}" for k, v in JOINTS.items()},
    **{k: f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nconstraints: {{c: {v}}}\n{PUSH}" for k, v in CONSTRAINTS.items()},
    **{k: f"bodies: {{a: {{{BOX}}}, b: {{{SECOND}}}}}\nsprings: {{c: {v}}}\n{PUSH}" for k, v in SPRINGS.items()},
    **{k: f"bodies: {{a: {{{BOX}}}}}\njoints: {{c: {v}}}\n{PUSH}" for k, v in LIMITED.items()},
    **BODIES,
}  # fmt: skip
HEAD = "marionette: 1\nsettings: {integrator: implicit}\n"


def test_every_kind_is_tried():
    tried = {edge.spec.kind for text in SCENES.values() for edge in read_scene_text(HEAD + text).edges.values()}
    assert tried == set(KINDS)


@pytest.mark.parametrize("name", SCENES)
def test_a_kind_moves_and_is_the_same_world_written_out(name):
    scene = read_scene_text(HEAD + SCENES[name])
    text = scene_text(scene.definitions)
    again = read_scene_text(text)
    assert scene_text(again.definitions) == text
    first, second = World(scene.definitions, integrator="implicit"), World(again.definitions, integrator="implicit")
    for world in (first, second):
        world.step(12)
        assert world.largest_gap < 1e-6
        assert np.isfinite(world.energy().total)
    assert first.state_hash() == second.state_hash()


@pytest.mark.parametrize("name", [name for name in SCENES if name not in ("moving", "gear", "rack", *CONTACTS)])
def test_a_mirrored_figure_moves_as_the_mirror_image(name, tmp_path):
    """Positions mirrored; angular velocities, which are axial, mirrored and reversed. Gravity stands in the mirror."""
    text = HEAD + SCENES[name].replace(PUSH, "")
    (tmp_path / "figure.yaml").write_text(text)
    (tmp_path / "image.yaml").write_text(HEAD + "figures: {i: {use: figure.yaml, mirror: y}}\n")
    worlds = [read_scene(tmp_path / f"{kind}.yaml").make_world() for kind in ("figure", "image")]
    for world in worlds:
        world.step(24)
    m = np.array([1.0, -1.0, 1.0])
    for body in worlds[0].bodies:
        ours, theirs = worlds[0].bodies[body], worlds[1].bodies[f"i/{body}"]
        assert theirs.position == pytest.approx(m * ours.position, abs=1e-9)
        assert theirs.angular_velocity == pytest.approx(-m * ours.angular_velocity, abs=1e-7)


# ---------------------------------------------------------------- values of time
def test_a_motor_follows_its_clip(tmp_path):
    t = np.linspace(0, 1, 21)
    rows = "\n".join(f"{x},{math.sin(x)},{2 * x}" for x in t)
    (tmp_path / "swing.csv").write_text(f"time,knee,hip\n{rows}\n")
    (tmp_path / "s.yaml").write_text(
        f"{HEAD}bodies: {{a: {{{BOX}}}}}\njoints: {{j: {{hinge_motor: [world, a], at: [0, 0, 0], axis: y, "
        "position: {clip: swing.csv, channel: knee}}}\n"
    )
    world = read_scene(tmp_path / "s.yaml").make_world()
    world.step(120)
    assert world.joints["j"].angle == pytest.approx(math.sin(0.5), abs=1e-4)


def test_a_trajectory_that_was_written_moves_a_body(tmp_path):
    """What `simulate --out` writes is a clip: a moving body does again what the free one did."""
    from app.cli.simulate import Trajectory, simulate

    source = read_scene_text(HEAD + f"bodies: {{a: {{{BOX}}}}}\n{PUSH}").make_world()
    trajectory = Trajectory(1)
    simulate(source, 24, trajectory)
    trajectory.write(tmp_path / "run.csv", source)
    (tmp_path / "s.yaml").write_text(
        HEAD + "bodies:\n  a: {kind: moving, motion: {clip: run.csv, body: a}}\n"
        "  c: {kind: particle, mass: 1, at: [3, 0, 0]}\n"
    )
    world = read_scene(tmp_path / "s.yaml").make_world()
    world.step(24)
    assert world.bodies["a"].position == pytest.approx(source.bodies["a"].position, abs=1e-9)
    turn = world.bodies["a"].quaternion @ source.bodies["a"].quaternion
    assert abs(turn) == pytest.approx(1.0, abs=1e-9)


def test_points_of_constraints_are_the_centres_where_they_are_not_given():
    scene = read_scene_text(
        HEAD + "bodies:\n  a: {shape: {sphere: {at: [0, 0, 0], radius: 0.1}}}\n"
        "  b: {shape: {sphere: {at: [0.3, 0, 0], radius: 0.2}}}\n"
        "constraints: {g: {gear: [a, b], axis: z, radii: [0.1, 0.2]}, r: {rolling_sphere: [world, b], at: [9, 9, -0.2], normal: z, radius: 0.2}}\n"
    )

    def points(name: str) -> tuple:
        edge: Edge = scene.edges[name]
        return edge.definition.points

    assert points("g") == ((0, 0, 0), (0.3, 0, 0))
    assert points("r") == ((9, 9, -0.2), (0.3, 0, 0))


def test_a_motor_keeps_its_velocity_until_its_limit():
    """60 rpm against damping: 5 N m are enough for 2 N m s/rad times less than 2.5 rad/s, and not for 6.28."""
    text = (
        HEAD
        + f"settings: {{gravity: [0, 0, 0]}}\nbodies: {{a: {{{BOX}}}}}\n".replace(
            "settings: {gravity", "settings: {integrator: implicit, gravity"
        )
        + "joints: {j: {hinge: [world, a], at: [0, 0, 0], axis: y, damping: DAMP}}\ndrives: {m: {joint: j, velocity: 60 rpm, max: 5 N*m}}\n"
    )
    text = text.replace("settings: {integrator: implicit}\n", "", 1)
    for damping, speed in (("0.1", 2 * math.pi), ("2", 2.5)):
        world = read_scene_text(text.replace("DAMP", damping)).make_world()
        world.step(1200)
        assert world.bodies["a"].angular_velocity[1] == pytest.approx(speed, rel=1e-3)


def test_a_drive_is_changed_while_it_runs():
    text = (
        HEAD
        + f"bodies: {{a: {{{BOX}}}}}\njoints: {{j: {{hinge: [world, a], at: [0, 0, 0], axis: y}}}}\ndrives: {{m: {{joint: j, velocity: 60 rpm, max: 5 N*m}}}}\n"
    )
    scene = read_scene_text(text)
    world = scene.make_world()
    assert is_live(scene, "drives.m.velocity")
    apply(world, scene, "drives.m.velocity", "30 rpm")
    apply(world, scene, "drives.m.max", "7 N*m")
    assert world.drives["m"].velocity == pytest.approx(math.pi)
    assert world.drives["m"].max == (-7.0, 7.0)
    with pytest.raises(Refused, match="of the kind rad/s"):
        apply(world, scene, "drives.m.velocity", "3 m/s")
    assert read_scene_text(text.replace("60 rpm", "DRIVE rpm").replace("DRIVE", "6*10")).drives[
        "m"
    ].definition.velocity == pytest.approx(2 * math.pi)


def test_a_hard_limit_stops_and_a_rope_holds():
    """A pendulum falls to its limit and rests there; a weight on a rope is slack first, and then hangs at its length."""
    text = (
        HEAD
        + f"bodies: {{a: {{{BOX}}}, w: {{kind: particle, mass: 1, at: [3, 0, 1]}}}}\n"
        + (
            "joints: {j: {hinge: [world, a], at: [0, 0.1, 0.2], axis: y, limits: [-90 deg, 30 deg]}}\n"
            "constraints: {r: {rope: [world, w], at: {world: [3, 0, 1.2], w: [3, 0, 1]}, longest: 0.5}}\n"
        )
    )
    world = read_scene_text(text).make_world()
    world.step(480)
    assert world.joints["j"].angle == pytest.approx(math.radians(30), abs=1e-4)
    assert world.bodies["w"].position[2] == pytest.approx(0.7, abs=1e-4)
