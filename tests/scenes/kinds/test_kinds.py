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
from tests.helpers.scene_kinds import BOX, CONTACTS, HEAD, PUSH, SCENES


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


def test_a_mirrored_slope_is_solid_behind_its_surface(tmp_path):
    """A ball that falls on a slope bounces and rolls off it as in the mirror image."""
    (tmp_path / "figure.yaml").write_text(
        f"{HEAD}contacts:\nbodies: {{slope: {{fixed: true, shape: {{plane: {{at: [0, 0, 0], normal: [0.2, 0.1, 1]}}}}}}, "
        "ball: {mass: 1, at: [0.1, 0.2, 0.3], shape: {sphere: {radius: 0.1}}}}\n"
    )
    (tmp_path / "image.yaml").write_text(f"{HEAD}contacts:\nfigures: {{i: {{use: figure.yaml, mirror: y}}}}\n")
    figure, image = (read_scene(tmp_path / f"{kind}.yaml").make_world() for kind in ("figure", "image"))
    for world in (figure, image):
        world.step(120)
        assert world.contacts
    ours, theirs = figure.bodies["ball"], image.bodies["i/ball"]
    assert theirs.position == pytest.approx([1.0, -1.0, 1.0] * ours.position, abs=1e-7)


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
