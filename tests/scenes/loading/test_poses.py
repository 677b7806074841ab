"""Poses of figures with loops: along the joints that have values, and the joints that close the loops are checked."""

import math

import numpy as np
import pytest

from scenes import load
from scenes.loading.loader import read_scene_text
from scenes.text.errors import SceneError
from tests.helpers.app.command_line import run

INERTIA = "mass: 1, inertia: [0.01, 0.01, 0.01]"
# a chain of four metres that is drawn straight, and ends a metre from where it begins
CHAIN = f"""marionette: 1
bodies:
  a: {{{INERTIA}, at: [0.5, 0, 0]}}
  b: {{{INERTIA}, at: [1.5, 0, 0]}}
  c: {{{INERTIA}, at: [2.5, 0, 0]}}
  d: {{{INERTIA}, at: [3.5, 0, 0]}}
joints:
  j0: {{hinge: [world, a], at: [0, 0, 0], axis: y}}
  j1: {{hinge: [a, b], at: [1, 0, 0], axis: y}}
  j2: {{hinge: [b, c], at: [2, 0, 0], axis: y}}
  j3: {{hinge: [c, d], at: [3, 0, 0], axis: y}}
  end: {{hinge: [d, world], at: {{d: [4, 0, 0], world: [1, 0, 0]}}, axis: y}}
start: {{pose: hang}}
"""
HANG = "poses: {hang: {j0: 90 deg, j1: -30 deg, j2: -120 deg, j3: -30 deg}}\n"
# crank 0.2, coupler 0.64, rocker 0.41, 0.6 between their bearings, drawn closed
BARS = f"""marionette: 1
bodies:
  crank: {{{INERTIA}, at: [0.1, 0, 1]}}
  coupler: {{{INERTIA}, at: [0.45, 0, 1.2]}}
  rocker: {{{INERTIA}, at: [0.65, 0, 1.2]}}
joints:
  O: {{hinge: [world, crank], at: [0, 0, 1], axis: y}}
  A: {{hinge: [crank, coupler], at: [0.2, 0, 1], axis: y}}
  B: {{hinge: [coupler, rocker], at: [0.7, 0, 1.4], axis: y}}
  C: {{hinge: [world, rocker], at: [0.6, 0, 1], axis: y}}
"""


def angles(world):
    return {name: math.degrees(joint.angle) for name, joint in world.joints.items()}


def knee_of(crank):
    """Where the coupler meets the rocker for an angle of the crank, on the side of the bearings where it is drawn."""
    end = np.array([0.2 * math.cos(crank), -0.2 * math.sin(crank)])
    to = np.array([0.6, 0.0]) - end
    d, coupler, rocker = float(np.hypot(*to)), math.hypot(0.5, 0.4), math.hypot(0.1, 0.4)
    along = (coupler**2 - rocker**2 + d * d) / (2.0 * d)
    return end + along * to / d + math.sqrt(coupler**2 - along**2) * np.array([-to[1], to[0]]) / d


# ---------------------------------------------------------------- poses that close
@pytest.mark.parametrize("auxiliary", ["", ", auxiliary: true"])
def test_a_pose_that_closes_is_the_pose(auxiliary):
    """Red before: the angles were 89, -97, -18, -129 degrees."""
    scene = read_scene_text(CHAIN.replace("[1, 0, 0]}, axis: y", f"[1, 0, 0]}}, axis: y{auxiliary}") + HANG)
    world = scene.make_world()
    wanted = {"j0": 90.0, "j1": -30.0, "j2": -120.0, "j3": -30.0, "end": 90.0}
    assert angles(world) == pytest.approx(wanted, abs=1e-9)
    assert world.largest_gap < 1e-12
    assert scene.assembly() == ""


@pytest.mark.parametrize("left_out", range(6))
def test_the_joint_without_a_value_closes_the_chain_wherever_it_is(left_out):
    """A hexagon with a side that is the world: red before for long chains, with "cannot be closed" at a good joint."""
    bodies = "".join(f"  b{k}: {{{INERTIA}, at: [{k + 0.5}, 0, 0]}}\n" for k in range(5))
    ends = ["world", "b0", "b1", "b2", "b3", "b4"]
    joints = "".join(f"  j{k}: {{hinge: [{ends[k]}, b{k}], at: [{k}, 0, 0], axis: y}}\n" for k in range(5))
    joints += "  j5: {hinge: [b4, world], at: {b4: [5, 0, 0], world: [-1, 0, 0]}, axis: y}\n"
    values = ", ".join(f"j{k}: 60 deg" for k in range(6) if k != left_out)
    text = f"marionette: 1\nbodies:\n{bodies}joints:\n{joints}poses: {{ring: {{{values}}}}}\nstart: {{pose: ring}}\n"
    world = read_scene_text(text).make_world()
    assert world.largest_gap < 1e-12
    for k in range(5):
        assert math.degrees(world.joints[f"j{k}"].angle) == pytest.approx(60.0, abs=1e-9)
    x, _, z = world.bodies["b4"].position
    assert (x, z) == pytest.approx((-1.25, -math.sqrt(3.0) / 4.0), abs=1e-9)  # half a side before the last corner


def test_degrees_that_were_rounded_are_closed_by_little_and_told():
    scene = read_scene_text(CHAIN + HANG.replace("-120", "-121").replace("j1: -30", "j1: -29.6"))
    world = scene.make_world()
    found = angles(world)
    for name, value in {"j0": 90.0, "j1": -29.6, "j2": -121.0, "j3": -30.0}.items():
        assert found[name] == pytest.approx(value, abs=1.0)
    assert world.largest_gap < 1e-9
    assert scene.assembly().startswith("assembled: end closed by moving")
    assert 1e-4 < max(scene.moved.values()) < 0.05


# ---------------------------------------------------------------- poses that do not
def test_a_pose_that_does_not_close_is_an_error_with_the_numbers(tmp_path, capsys):
    """Red before: it was loaded as another pose, and `check` said "assembled"."""
    text = CHAIN + HANG.replace("j1: -30", "j1: 0")
    with pytest.raises(SceneError) as caught:
        read_scene_text(text).make_world()
    (problem,) = caught.value.problems
    # the chord of the unit links, all turned by 30 degrees more
    assert problem.message.startswith(
        "joint 'end' is open by 0.732 m (rad) in pose 'hang', and closing it would move 'd'"
    )
    assert "a tenth of its figure, 0.4 m" in problem.message
    assert problem.mark.line == 11
    path = tmp_path / "chain.yaml"
    path.write_text(text)
    with pytest.raises(SceneError, match="joint 'end' is open by"):
        load(str(path))
    code, _, err = run(capsys, "check", str(path))
    assert code == 2
    assert "chain.yaml:12:3: error: joint 'end' is open by 0.732 m" in err


def test_what_is_drawn_open_by_much_is_an_error():
    """Red before: `check` moved bodies by two metres and called it assembled."""
    with pytest.raises(SceneError, match=r"joint 'end' is open by 3 m \(rad\) as drawn, and closing it would move"):
        read_scene_text(CHAIN.replace("start: {pose: hang}\n", "")).make_world()


def test_a_pose_that_a_loop_cannot_follow_names_the_joints_without_a_value():
    text = BARS + "poses: {p: {C: 170 deg}}\nstart: {pose: p}\n"
    with pytest.raises(SceneError, match=r"in pose 'p'.*joints without a value in it: O, A, B"):
        read_scene_text(text).make_world()


@pytest.mark.parametrize("pose", ["O: 20 deg, A: 10 deg", "O: 45 deg, B: -30 deg", "O: 30 deg, A: 0, B: 0, C: 0"])
def test_values_that_contradict_each_other_are_an_error(pose):
    """One angle of a four-bar gives the others: two that do not go together are not closed by changing both."""
    with pytest.raises(SceneError, match=r"joint 'C' is open by .* in pose 'p', and closing it would move"):
        read_scene_text(BARS + f"poses: {{p: {{{pose}}}}}\nstart: {{pose: p}}\n").make_world()


# ---------------------------------------------------------------- poses of a part of the joints
@pytest.mark.parametrize("crank", [-150, -60, 20, 100, 170])
def test_a_loop_follows_the_joint_that_has_a_value(crank):
    """The crank is where the pose has it, to the last digits; coupler and rocker follow on their branch."""
    scene = read_scene_text(BARS + f"poses: {{p: {{O: {crank} deg}}}}\nstart: {{pose: p}}\n")
    world = scene.make_world()
    assert math.degrees(world.joints["O"].angle) == pytest.approx(crank, abs=1e-6)
    knee = knee_of(math.radians(crank))
    x, z = 0.5 * (knee + np.array([0.6, 0.0]))
    assert world.bodies["rocker"].position == pytest.approx([x, 0.0, 1.0 + z], abs=1e-7)
    assert world.largest_gap < 1e-9
    assert scene.assembly() == ""


def test_two_loops_one_behind_the_other_follow():
    """A second four-bar, the same one 0.6 m on, whose crank is welded to the rocker of the first."""
    second = BARS.partition("joints:\n")
    bodies, joints = (part.partition("\n")[2] if k == 0 else part for k, part in enumerate((second[0], second[2])))
    text = (
        f"marionette: 1\n{bodies}  arm: {{{INERTIA}, at: [0.7, 0, 1]}}\n  rod: {{{INERTIA}, at: [1.05, 0, 1.2]}}\n"
        f"  last: {{{INERTIA}, at: [1.25, 0, 1.2]}}\njoints:\n{joints}"
        "  weld: {weld: [rocker, arm], at: [0.6, 0, 1]}\n  A2: {hinge: [arm, rod], at: [0.8, 0, 1], axis: y}\n"
        "  B2: {hinge: [rod, last], at: [1.3, 0, 1.4], axis: y}\n"
        "  C2: {hinge: [world, last], at: [1.2, 0, 1], axis: y}\n"
        "poses: {p: {O: 75 deg}}\nstart: {pose: p}\n"
    ).replace("bodies:\nbodies:\n", "bodies:\n")
    world = read_scene_text(text).make_world()
    assert math.degrees(world.joints["O"].angle) == pytest.approx(75.0, abs=1e-6)
    turned = world.joints["C"].angle
    knee = knee_of(turned)
    x, z = 0.5 * (knee + np.array([0.6, 0.0]))
    assert world.bodies["last"].position == pytest.approx([0.6 + x, 0.0, 1.0 + z], abs=1e-6)
    assert world.largest_gap < 1e-9


def test_a_slider_a_ball_and_a_massless_body_in_the_loop_follow():
    """A crank of 0.2 m, a rod of 0.5 m on a ball joint and a knuckle of two hinges, a piston along x."""
    text = f"""marionette: 1
bodies:
  crank: {{{INERTIA}, at: [0.1, 0, 0]}}
  rod: {{{INERTIA}, at: [0.45, 0, 0]}}
  knuckle: {{kind: massless}}
  piston: {{{INERTIA}, at: [0.7, 0, 0]}}
joints:
  O: {{hinge: [world, crank], at: [0, 0, 0], axis: y}}
  A: {{ball: [crank, rod], at: [0.2, 0, 0]}}
  P: {{hinge: [rod, knuckle], at: [0.7, 0, 0], axis: y}}
  Q: {{hinge: [knuckle, piston], at: [0.7, 0, 0], axis: z}}
  S: {{slider: [world, piston], at: [0.7, 0, 0], axis: x}}
poses: {{p: {{O: 70 deg}}}}
start: {{pose: p}}
"""
    world = read_scene_text(text).make_world()
    angle = math.radians(70.0)
    travel = 0.2 * math.cos(angle) + math.sqrt(0.25 - (0.2 * math.sin(angle)) ** 2) - 0.7
    assert world.joints["O"].angle == pytest.approx(angle, abs=1e-6)
    assert world.joints["S"].angle == pytest.approx(travel, abs=1e-6)
    assert world.largest_gap < 1e-9


def test_a_coupled_wheel_follows_the_one_with_a_value():
    text = f"""marionette: 1
bodies: {{a: {{{INERTIA}, at: [0, 0, 0]}}, b: {{{INERTIA}, at: [1, 0, 0]}}}}
joints: {{h: {{hinge: [world, a], at: [0, 0, 0], axis: y}}, k: {{hinge: [world, b], at: [1, 0, 0], axis: y}}}}
constraints: {{c: {{coupling: {{h: 1, k: 2}}}}}}
poses: {{p: {{h: 80 deg}}}}
start: {{pose: p}}
"""
    world = read_scene_text(text).make_world()
    assert angles(world) == pytest.approx({"h": 80.0, "k": -40.0}, abs=1e-4)


def test_poses_of_a_figure_in_a_figure(tmp_path):
    """A copy that is turned and one that is mirrored: the crank's value is the copy's own."""
    (tmp_path / "bars.yaml").write_text(BARS + "poses: {p: {O: 100 deg}}\n")
    text = (
        "marionette: 1\nfigures:\n  l: {use: bars.yaml, at: [0, 2, 0], rotate: {z: 40 deg}}\n"
        "  m: {use: bars.yaml, mirror: x, at: [0, -2, 0]}\nstart: {pose: FIGURE/p}\n"
    )
    knee = knee_of(math.radians(100.0))
    x, z = 0.5 * (knee + np.array([0.6, 0.0]))
    for figure, along, at in (
        ("l", (math.cos(math.radians(40)), math.sin(math.radians(40))), 2.0),
        ("m", (-1, 0), -2.0),
    ):
        world = read_scene_text(text.replace("FIGURE", figure), "s.yaml", tmp_path).make_world()
        place = [x * along[0], x * along[1] + at, 1.0 + z]
        assert world.bodies[f"{figure}/rocker"].position == pytest.approx(place, abs=1e-6)
        other = "m" if figure == "l" else "l"
        drawn = read_scene_text(text.replace("start: {pose: FIGURE/p}\n", ""), "s.yaml", tmp_path).make_world()
        kept = drawn.bodies[f"{other}/rocker"].position
        assert world.bodies[f"{other}/rocker"].position == pytest.approx(kept, abs=1e-9)


@pytest.mark.parametrize("joint", list("OABC"))
def test_a_small_value_is_kept_whichever_joint_has_it(joint):
    """Also by the joint that closes the loop in the world's own tree."""
    world = read_scene_text(BARS + f"poses: {{p: {{{joint}: -3 deg}}}}\nstart: {{pose: p}}\n").make_world()
    assert math.degrees(world.joints[joint].angle) == pytest.approx(-3.0, abs=1e-5)
    assert world.largest_gap < 1e-9


# ---------------------------------------------------------------- live
def test_a_pose_is_taken_again_by_a_world_in_motion_and_one_that_does_not_close_changes_nothing():
    poses = "poses: {p: {O: 100 deg}, drawn: {O: 0}, wrong: {O: 100 deg, A: 0, B: 0, C: 0}}\n"
    other = BARS.replace("bodies:\n", f"bodies:\n  free: {{{INERTIA}, at: [9, 9, 9]}}\n", 1)
    scene = read_scene_text(other + poses)
    world = scene.make_world()
    start = world.poses()[1:]
    world.step(100)
    falling = world.bodies["free"].position
    scene.take_pose(world, "p")
    assert (world.bodies["free"].position == falling).all()
    assert math.degrees(world.joints["O"].angle) == pytest.approx(100.0, abs=1e-6)
    world.step(30)
    assert world.largest_gap < 1e-6
    before = world.poses()
    with pytest.raises(SceneError, match="in pose 'wrong'"):
        scene.take_pose(world, "wrong")
    assert world.poses() == pytest.approx(before, abs=1e-12)
    world.step(30)
    scene.take_pose(world, "drawn")
    assert world.poses()[1:] == pytest.approx(start, abs=1e-7)
