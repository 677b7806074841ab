"""The session without a window: commands, undo, rewinding, branching, replay; every comparison is of state hashes."""

import numpy as np
import pytest

from app.render.rotations import product
from app.run.commands import (
    ChangeGrab, Grab, HoldPose, MoveGrab, Pose, Release, Reset, Rewind, Set, SetEach, read_recording,
)  # fmt: skip
from app.run.compare import Comparison
from app.run.simulation import Simulation, replay
from app.run.requests import Load, Pause, Redo, StepBy, Undo
from app.run.stepper import Stepper
from app.ui import actions
from app.ui.gallery import open_scene
from app.ui.saving import own_copy, save_values
from app.ui.session import Session
from physics.definitions.bodies import Body
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics.world.world import CannotContinueError, World
from tests.helpers import generators
from tests.helpers.arrays import state_of


def hand() -> Simulation:
    return Simulation(generators.hand(stiffness=1.0), "hand")


def run_straight(steps: int) -> str:
    world = World(generators.hand(stiffness=1.0))
    world.step(steps)
    return world.state_hash()


def test_stepping_in_pieces_is_the_world_itself():
    simulation = hand()
    for count in (1, 7, 30, 2):
        simulation.step(count)
    assert simulation.world.state_hash() == run_straight(40)
    assert simulation.tick == 40


def test_poses_are_those_of_the_bodies():
    simulation = Simulation(generators.humanoid30(stiffness=3.0))
    simulation.step(20)
    for pose, body in zip(simulation.world.poses(), simulation.world.bodies.values(), strict=True):
        assert np.allclose(pose[:3], body.position, atol=1e-14)
        q = body.quaternion
        assert min(np.abs(pose[3:] - q).max(), np.abs(pose[3:] + q).max()) < 1e-14


def test_a_slider_dragged_is_undone_as_one():
    simulation = hand()
    for value in (2.0, 3.0, 5.0):
        simulation.do(Set("settings.stiffness_scale", value, gesture=4))
    simulation.do(Set("settings.gravity", (0.0, 0.0, -1.0)))
    assert simulation.undo_stack.labels == ("gravity", "")
    simulation.undo()
    assert simulation.value("settings.gravity") == (0.0, 0.0, -9.81)
    assert simulation.world.stiffness_scale == 5.0
    simulation.undo()
    assert simulation.world.stiffness_scale == 1.0
    assert simulation.undo() == ""
    simulation.redo()
    assert simulation.world.stiffness_scale == 5.0
    assert simulation.undo_stack.labels == ("stiffness scale", "gravity")


def test_stiffness_by_one_key_keeps_the_multiplier():
    simulation = hand()
    simulation.do(Set("settings.stiffness_scale", 40.0))
    simulation.do(Set("settings.stiff", False))
    assert simulation.world.stiffness_scale == 0.0
    simulation.do(Set("settings.stiffness_scale", 50.0))
    assert simulation.world.stiffness_scale == 0.0
    simulation.do(Set("settings.stiff", True))
    assert simulation.world.stiffness_scale == 50.0


def test_looking_back_leaves_the_present_alone():
    simulation = hand()
    simulation.step(100)
    present = simulation.world.state_hash()
    simulation.look_at(37)
    assert simulation.world.state_hash() == run_straight(37)
    simulation.look_at(100)
    assert simulation.world.state_hash() == present
    assert simulation.entries == []


def test_commands_between_keys_are_part_of_the_past():
    simulation = hand()
    simulation.step(10)
    simulation.do(Set("settings.stiff", False))
    simulation.step(10)
    simulation.do(Set("settings.solver", "aba"))
    hashes = {20: simulation.world.state_hash()}
    for tick in range(21, 30):
        simulation.step(1)
        hashes[tick] = simulation.world.state_hash()
    for tick in (25, 20, 29, 22):
        simulation.look_at(tick)
        assert simulation.world.state_hash() == hashes[tick]
        assert simulation.world.solver == "aba"
        assert simulation.world.stiffness_scale == 0.0
    simulation.look_at(5)
    assert simulation.world.solver == "fused"
    assert simulation.stiff


def test_going_on_from_the_past_is_a_branch_that_can_be_undone():
    simulation = hand()
    simulation.step(60)
    first = simulation.world.state_hash()
    simulation.look_at(20)
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    simulation.step(30)
    assert simulation.world.steps == 50
    assert simulation.undo() == "gravity"
    assert simulation.undo() == "go on from here"
    assert simulation.world.state_hash() == first
    assert simulation.redo() == "go on from here"
    assert simulation.world.state_hash() == run_straight(20)


def test_the_path_goes_through_the_branches():
    simulation = hand()
    simulation.step(50)
    simulation.do(Rewind(20))  # tick 51 is tick 20 again
    simulation.step(10)
    simulation.do(Rewind(55))
    simulation.step(5)
    assert simulation.timeline.path() == [(0, 19), (51, 54), (62, 67)]
    length = simulation.timeline.length()
    assert length == 20 + 4 + 6
    ticks = [simulation.timeline.tick_at(k) for k in range(length)]
    assert [simulation.timeline.position_of(t) for t in ticks] == list(range(length))
    steps = []
    for tick in ticks:
        simulation.look_at(tick)
        steps.append(simulation.world.steps)
    assert steps == list(range(30))  # each position one step on, through all three branches


def test_reset_keeps_what_was_set():
    simulation = hand()
    start = simulation.world.state_hash()
    simulation.do(Set("settings.solver", "lagrange"))
    simulation.do(Set("joints.index1_joint.stiffness", 7.0))
    simulation.step(30)
    moved = simulation.world.state_hash()
    simulation.do(Reset())
    assert simulation.world.state_hash() == start
    assert simulation.world.solver == "lagrange"
    assert simulation.world.joints["index1_joint"].stiffness == 7.0
    simulation.undo()
    assert simulation.world.state_hash() == moved


def test_a_pose_while_paused_takes_no_time_and_is_undone():
    simulation = hand()
    simulation.step(10)
    before, time = simulation.world.state_hash(), simulation.world.time
    poses = simulation.world.poses()
    poses[:, 2] += 0.1
    simulation.do(Pose(tuple(map(tuple, poses.tolist()))))
    assert simulation.world.time == time
    assert np.allclose(simulation.world.poses(), poses, atol=1e-12)
    simulation.undo()
    assert simulation.world.state_hash() == before


def session() -> Simulation:
    """Switches, branches, undo: everything that a log can hold."""
    simulation = hand()
    simulation.step(30)
    simulation.do(Set("settings.solver", "jsim"))
    simulation.do(Set("settings.stiffness_scale", 1e3, gesture=1))
    simulation.do(Set("settings.stiffness_scale", 1e4, gesture=1))
    simulation.step(25)
    simulation.undo()
    simulation.step(5)
    simulation.look_at(12)
    simulation.do(Set("settings.integrator", "implicit"))
    simulation.step(20)
    simulation.undo()
    simulation.undo()
    simulation.do(Set("joints.thumb1_joint.stiff", False))
    simulation.do(Reset())
    simulation.step(15)
    return simulation


def test_a_recording_replays_to_the_same_hash():
    recording = read_recording(session().recording().text())
    again = replay(generators.hand(stiffness=1.0), recording)
    assert again.world.state_hash() == recording.state_hash
    assert again.world.solver == "jsim"


def test_another_figure_or_another_log_gives_another_hash():
    simulation = hand()
    simulation.do(Set("settings.stiffness_scale", 2.0))
    simulation.step(20)
    recording = simulation.recording()
    assert replay(generators.hand(stiffness=1.0), recording).world.state_hash() == recording.state_hash
    assert replay(generators.hand(stiffness=1.01), recording).world.state_hash() != recording.state_hash
    other = read_recording(recording.text().replace('"value": 2.0', '"value": 2.5'))
    assert replay(generators.hand(stiffness=1.0), other).world.state_hash() != recording.state_hash


@pytest.mark.parametrize("text", ["", "{}", '{"marionette recording": 2}', '{"marionette recording": 1, "scene": "h"}'])
def test_a_bad_recording_is_refused(text):
    with pytest.raises(ValueError, match="line 1"):
        read_recording(text)


def test_a_bad_line_of_a_recording_is_named():
    good = session().recording().text()
    with pytest.raises(ValueError, match="line 3"):
        read_recording("\n".join([*good.splitlines()[:2], '[1, "Fly", {}]']))


def test_few_keys_within_the_memory_and_still_everything_reachable():
    simulation = hand()
    size = len(simulation.moment().world)
    simulation.timeline.memory = 8 * size
    simulation.timeline.grew(0, 0.0)
    for _ in range(40):
        simulation.step(5)
        simulation.timeline.add_key(simulation.moment())
    assert simulation.timeline.bytes <= 8 * size
    simulation.look_at(3)
    assert simulation.world.state_hash() == run_straight(3)
    simulation.look_at(197)
    assert simulation.world.state_hash() == run_straight(197)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (Set("settings.colour", 1), "settings.solver"),
        (Set("joints.nose.stiffness", 1.0), "nose"),
        (Set("settings.solver", "magic"), "fused"),
        (Set("settings.timestep", -1.0), "timestep"),
        (Rewind(10_000), "remembered"),
    ],
)
def test_what_is_refused_is_not_logged(command, word):
    simulation = hand()
    simulation.step(5)
    state = simulation.world.state_hash()
    with pytest.raises((DefinitionError, KeyError), match=word):
        simulation.do(command)
    assert simulation.entries == []
    assert simulation.undo_stack.labels == ("", "")
    assert simulation.world.state_hash() == state


# ---------------------------------------------------------------- grabs and pins
def taken(simulation, body="index3", kind="spring"):
    point = simulation.world.bodies[body].position
    simulation.do(Grab(1, body, tuple(point.tolist()), kind))
    return point


def test_a_held_body_follows_and_the_pull_is_told():
    simulation = hand()
    point = taken(simulation, kind="point")
    tip = simulation.world.poses()[simulation.names.index("index3"), :3]
    along = tip - simulation.world.joints["index1_joint"].anchor
    along /= np.linalg.norm(along)
    target = point - 0.012 * along + np.array([0.0, 0.0, 0.03])  # in the plane in which the finger moves
    simulation.do(MoveGrab(1, tuple(target.tolist())))
    simulation.step(240)
    (held,) = simulation.held()
    assert np.linalg.norm(held.point - target) < 2e-3
    assert np.linalg.norm(held.force) > 0.1
    assert simulation.world.largest_gap < 1e-6
    simulation.do(Release(1))
    assert simulation.held() == ()


@pytest.mark.parametrize(
    ("scene", "body", "by", "follows"),
    # a finger against its own springs; an arm and the trunk of a robot
    [("hand", "index3", (0.0, 0.0, 0.02), 0.75), ("hand", "little3", (0.0, -0.01, 0.0), 0.75),
     ("robot", "forearm_l", (0.1, 0.1, 0.14), 0.95)],
)  # fmt: skip
def test_a_bare_drag_is_followed_at_once(scene, body, by, follows):
    """To 5 % of where it ends up in 0.3 s, beyond it by no more than 20 %, and most of the way to the mouse."""
    opened = open_scene(scene)
    simulation = Simulation(opened.scene.definitions, scene, opened.scene.make_world)
    simulation.world.use_integrator("implicit")
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    simulation.step(480)
    begin = taken(simulation, body)
    simulation.do(MoveGrab(1, tuple((begin + by).tolist())))
    length, path = float(np.linalg.norm(by)), []
    for _ in range(72):
        simulation.step(1)
        path.append(float((simulation.held()[0].point - begin) @ by) / length)
    simulation.step(240)
    end = float((simulation.held()[0].point - begin) @ by) / length
    assert end > follows * length
    assert max(path) < 1.2 * end
    assert abs(path[-1] - end) < 0.05 * end


@pytest.mark.parametrize(
    ("scene", "body", "by"), [("hand", "index3", (0.0, 0.0, 0.02)), ("robot", "forearm_l", (0.1, 0.1, 0.14))]
)
def test_a_point_grab_is_there_a_second_after_the_mouse_has_stopped(scene, body, by):
    """Within a tenth of a millimetre, against springs and weight, where the body can get to."""
    opened = open_scene(scene)
    simulation = Simulation(opened.scene.definitions, scene, opened.scene.make_world)
    simulation.world.use_integrator("implicit")
    begin = taken(simulation, body)
    simulation.do(MoveGrab(1, tuple((begin + by).tolist())))
    simulation.step(480)
    target = simulation.held()[0].point.copy()  # it gets there
    simulation.do(ChangeGrab(1, kind="point"))
    for share in np.linspace(0.0, 1.0, 60):  # back and here again in a quarter of a second
        simulation.do(MoveGrab(1, tuple((target + (begin - target) * np.sin(np.pi * share)).tolist())))
        simulation.step(1)
    simulation.step(240)
    assert np.linalg.norm(simulation.held()[0].point - target) < 1e-4


def test_a_lone_body_feels_as_the_law_of_grabs_says():
    """Its own spring may be firmer than w = 30/s, within what a step resolves: a step sideways is followed as well."""
    simulation = Simulation(generators.chain(1, held=False))
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    begin = taken(simulation, "link0")
    simulation.do(MoveGrab(1, tuple((begin + np.array([0.2, 0.0, 0.0])).tolist())))
    path = []
    for _ in range(72):
        simulation.step(1)
        path.append(simulation.held()[0].point[0] - begin[0])
    assert max(path) < 1.2 * 0.2
    assert path[-1] == pytest.approx(0.2, abs=0.05 * 0.2)


def test_a_hanging_body_is_held_by_its_weight():
    simulation = Simulation(generators.chain(1, held=False))
    taken(simulation, "link0", "point")
    simulation.step(960)
    (held,) = simulation.held()
    assert held.force == pytest.approx([0.0, 0.0, 0.1 * 9.81], rel=1e-3, abs=1e-3 * 0.981)


def test_a_pin_stays_when_the_hand_goes():
    simulation = hand()
    point = taken(simulation)
    simulation.step(10)
    simulation.do(ChangeGrab(1, pinned=True))
    (pin,) = simulation.held()
    assert pin.pinned
    assert pin.body == "index3"
    where = pin.point.copy()
    simulation.do(Set("settings.gravity", (0.0, 5.0, -20.0)))
    simulation.step(120)
    (pin,) = simulation.held()
    assert np.linalg.norm(pin.point - where) < 1e-6
    assert np.linalg.norm(where - point) < 0.05
    simulation.do(Release(1))
    assert simulation.held() == ()
    simulation.step(10)


def test_a_pin_may_hold_the_pose_or_a_point_alone():
    """As the panel of grabs offers: where the body is, the same number; a spring holds nothing, and is refused"""
    simulation = hand()
    taken(simulation)
    simulation.step(10)
    simulation.do(ChangeGrab(1, pinned=True))
    for kind in ("pose", "point"):
        simulation.do(ChangeGrab(1, kind=kind))
        (pin,) = simulation.held()
        assert (pin.number, pin.kind, pin.pinned) == (1, kind, True)
        where, turn = pin.point.copy(), simulation.world.bodies["index3"].quaternion
        simulation.do(Set("settings.gravity", (0.0, 5.0, -20.0)))
        simulation.step(60)
        assert np.linalg.norm(simulation.held()[0].point - where) < 1e-6
        assert (np.abs(simulation.world.bodies["index3"].quaternion - turn).max() < 1e-6) == (kind == "pose")
        simulation.do(Set("settings.gravity", (0.0, 0.0, -9.81)))
    with pytest.raises(DefinitionError, match="kind of a pin"):
        simulation.do(ChangeGrab(1, kind="spring"))
    assert simulation.held()[0].pinned


@pytest.mark.parametrize("mode", ["fused", "aba"])
def test_grabs_and_pins_are_rewound_and_replayed(mode):
    simulation = hand()
    simulation.do(Set("settings.solver", mode))
    point = taken(simulation)
    simulation.step(20)
    simulation.do(MoveGrab(1, tuple((point + np.array([0, 0, 0.05])).tolist())))
    simulation.do(ChangeGrab(1, kind="pose"))
    simulation.step(20)
    simulation.do(ChangeGrab(1, pinned=True))
    simulation.do(Grab(2, "thumb3", tuple(simulation.world.bodies["thumb3"].position.tolist())))
    simulation.step(20)
    end = simulation.world.state_hash()
    simulation.look_at(30)
    assert [(h.number, h.kind, h.pinned) for h in simulation.held()] == [(1, "pose", False)]
    simulation.look_at(60)
    assert simulation.world.state_hash() == end
    assert [(h.number, h.pinned) for h in simulation.held()] == [(2, False), (1, True)]
    again = replay(generators.hand(stiffness=1.0), read_recording(simulation.recording().text()))
    assert again.world.state_hash() == end


def test_posing_while_paused_moves_without_time():
    simulation = hand()
    point = taken(simulation)
    simulation.do(MoveGrab(1, tuple((point + np.array([-0.01, 0, 0.02])).tolist())))
    time = simulation.world.time
    for _ in range(20):
        simulation.pose_toward(1)
    assert simulation.world.time == time
    (held,) = simulation.held()
    assert np.linalg.norm(held.point - held.target) < 5e-3
    assert simulation.world.largest_gap < 1e-6
    assert simulation.undo() == "pose"  # the whole drag at once
    assert np.linalg.norm(simulation.world.bodies["index3"].position - point) < 1e-12


# ---------------------------------------------------------------- values of many joints, rest
def test_values_of_a_group_are_one_entry_of_undo():
    simulation = hand()
    names = ("index1_joint", "middle1_joint")
    before = [simulation.world.joints[n].stiffness for n in names]
    for k in (1.0, 2.0):
        simulation.do(SetEach(tuple((f"joints.{n}.stiffness", k) for n in names), gesture=5))
    assert [simulation.world.joints[n].stiffness for n in names] == [2.0, 2.0]
    simulation.undo()
    assert [simulation.world.joints[n].stiffness for n in names] == before
    simulation.redo()
    simulation.do(Reset())
    assert [simulation.world.joints[n].stiffness for n in names] == [2.0, 2.0]


def test_a_held_pose_stays_and_is_undone():
    """With the rest where it is and no gravity, nothing pulls: the springs bear nothing."""
    simulation = hand()
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    simulation.do(Set("settings.stiff", False))
    grab = taken(simulation)
    simulation.do(MoveGrab(1, tuple(grab + np.array([0.0, 0.01, 0.03]))))
    simulation.step(120)
    simulation.do(Release(1))
    simulation.do(Pose(tuple(map(tuple, simulation.world.poses().tolist()))))
    poses = simulation.world.poses()
    rests = {k: np.array(j.rest) for k, j in simulation.world.joints.items() if j.definition.axes}
    simulation.do(HoldPose())
    assert simulation.stiff
    assert simulation.world.energy().elastic < 1e-12
    simulation.step(60)
    assert np.abs(simulation.world.poses() - poses).max() < 1e-6
    simulation.undo()
    assert all(np.allclose(simulation.world.joints[k].rest, rest, atol=1e-12) for k, rest in rests.items())
    simulation.do(Set("settings.stiff", True))
    assert simulation.world.energy().elastic > 1e-4  # the old rest is elsewhere


@pytest.mark.parametrize("flip", [False, True])
def test_the_rest_of_a_ball_is_that_of_its_definition(flip):
    """Set while it runs or given in the scene: the same torque, whichever body the forest hangs on which."""
    ends = {"a": "bob", "b": "world"} if flip else {"a": "world", "b": "bob"}
    turned = Body(
        name="bob", mass=1.0, inertia=(0.1, 0.2, 0.25), orientation=(0.8, 0.0, 0.6, 0.0), position=(0.2, 0, 0)
    )
    rest = (0.3, -0.5, 0.2)

    def world(**more):
        return World(Scene(bodies=[turned], joints=[Ball(name="j", at=(0, 0, 0), stiffness=3.0, **ends, **more)]))

    given, live = world(rest=rest), world()
    live.joints["j"].rest = rest
    assert np.allclose(given.joints["j"].rest, rest, atol=1e-12)
    assert live.energy().elastic == pytest.approx(0.5 * 3.0 * np.dot(rest, rest), rel=1e-12)
    for one in (given, live):
        one.step(60)
    assert np.allclose(live.poses(), given.poses(), atol=1e-12)


def test_a_body_is_turned_by_its_grab():
    simulation = hand()
    simulation.do(Set("settings.gravity", (0.0, 0.0, 0.0)))
    point = taken(simulation, "index3", "pose")
    row = simulation.names.index("index3")
    start = simulation.world.poses()[row, 3:7]
    turn = np.array([np.cos(0.15), 0.0, np.sin(0.15), 0.0])  # 0.3 rad about y, the way that the finger bends
    simulation.do(MoveGrab(1, tuple(point), tuple(product(turn, start))))
    simulation.step(240)
    assert np.linalg.norm(simulation.held()[0].torque) > 1e-3
    after = simulation.world.poses()[row, 3:7]
    assert abs(after @ start) < np.cos(0.05)  # half of the way, or more


def test_where_no_step_can_be_taken_the_mouse_lets_go(monkeypatch):
    """A pull against motors that turn whatever one does: it goes on without the hand."""
    from app.run import requests as ask

    now = [0.0]
    stepper = Stepper(now=lambda: now[0])
    stepper.ask(ask.Load(generators.chain(3), "chain"))
    stepper.turn()
    step = World.step

    def refuse(world, count=1, **more):
        if count and world.grabs:
            raise CannotContinueError("no step could be taken.")
        step(world, count, **more)

    monkeypatch.setattr(World, "step", refuse)
    stepper.ask(Grab(1, "link1", (0.0, 0.0, 0.0)))
    for _ in range(3):
        now[0] += 1.0 / 60.0
        stepper.turn()
    assert stepper.snapshot.grabs == ()
    assert not stepper.snapshot.paused
    assert stepper.snapshot.tick > 4
    assert [n.kind for n in stepper.news if "released" in n.text] == ["info"]


def test_a_pin_lets_go_where_the_figure_cannot_follow_a_motor(monkeypatch):
    """Steps are taken, but frozen, with a joint open: time is set back, and it goes on without the pin."""
    now = [0.0]
    stepper = Stepper(now=lambda: now[0])

    def turn(*requests):
        for request in requests:
            stepper.ask(request)
        now[0] += 1.0 / 60.0
        while stepper.turn() == 0.0:
            pass
        return stepper.snapshot

    turn(Load(generators.chain(3), "chain"))
    for number in (1, 2):
        turn(Grab(number, "link2", (2.5, 0.0, 0.0)), ChangeGrab(number, pinned=True))
    frozen = [0]

    def count(world):
        frozen[0] += len(world.pins) > 1
        return frozen[0]

    monkeypatch.setattr(World, "frozen", property(count))
    monkeypatch.setattr(World, "largest_gap", property(lambda world: 1e-3 if len(world.pins) > 1 else 1e-9))
    assert max(turn().gap for _ in range(3)) < 1e-6
    snapshot = turn()
    assert [grab.number for grab in snapshot.grabs] == [1]  # the newest was released
    assert not snapshot.paused
    assert [n.text[:16] for n in stepper.news if n.kind in ("info", "error")] == ["A pin released: "]


def test_a_scene_of_the_library_is_copied_with_its_parts(tmp_path):
    copy = own_copy(open_scene("robot").scene, tmp_path)
    assert copy.path == tmp_path / "robot.yaml"
    assert (tmp_path / "parts" / "robot_hand.yaml").exists()
    assert len(copy.definitions.joints) == len(open_scene("robot").scene.definitions.joints)
    assert own_copy(copy, tmp_path) is copy  # one's own is saved in its place
    saved = save_values(copy, {"settings.timestep": 0.002, "settings.stiff": False, "joints.elbow_l.damping": 0.75})
    assert (saved.paths, saved.refused) == (["settings.timestep", "joints.elbow_l.damping"], [])
    assert saved.scene.definitions.timestep == 0.002


def test_springs_are_switched_beside_a_pin_and_a_hand_of_the_past_is_gone():
    simulation = hand()
    taken(simulation)
    simulation.step(30)
    simulation.do(ChangeGrab(1, pinned=True))
    simulation.do(Set("settings.stiff", False))
    assert simulation.world.stiffness_scale == 0.0
    simulation.do(HoldPose())
    assert simulation.world.stiffness_scale == 1.0
    simulation.do(Set("settings.stiffness_scale", 3.0))
    simulation.step(10)
    tick = simulation.tick
    simulation.look_at(20)
    assert [held.pinned for held in simulation.held()] == [False]
    simulation.step(5)  # on from there, where the mouse had hold of it; now it has not
    assert simulation.held() == ()
    simulation.undo()
    assert simulation.tick > tick
    assert [held.pinned for held in simulation.held()] == [True]
    assert replay(simulation.scene, simulation.recording()).world.state_hash() == simulation.world.state_hash()


def test_a_state_that_is_not_finite_is_left_for_the_last_good_one(monkeypatch):
    simulation = hand()
    simulation.step(10)
    simulation.do(Set("settings.stiff", False))
    simulation.timeline.add_key(simulation.moment())
    good = simulation.world.state_hash()
    step = simulation.world.step

    def broken(count=1):
        step(count)
        state_of(simulation.world).pose[3, 0] = np.nan
        monkeypatch.setattr(simulation.world, "step", step)  # once only

    monkeypatch.setattr(simulation.world, "step", broken)
    with pytest.raises(CannotContinueError, match="not finite"):
        simulation.step(5)
    assert simulation.world.state_hash() == good
    simulation.step(5)
    assert np.isfinite(simulation.world.poses()).all()


def test_loading_a_scene_is_undone_and_done_again():
    """The scene before comes back as it was: its time, what was set, what can be undone; the mouse has let go."""
    now = [0.0]
    stepper = Stepper(now=lambda: now[0])

    def turn(*requests, seconds=0.1):
        for request in requests:
            stepper.ask(request)
        now[0] += seconds
        while stepper.turn() == 0.0:
            pass
        return stepper.snapshot

    first, second = generators.chain(2), generators.chain(5)
    turn(Load(first, "first"))
    turn()
    turn(Set("settings.timestep", 1 / 120), Grab(1, "link1", (1.5, 0.0, 0.0)))
    before = turn(Pause(True))
    assert before.grabs
    assert before.undo == "timestep"
    turn(Load(second, "second"))
    loaded = turn(Pause(False))
    assert loaded.scene is second
    assert loaded.undo == "load second"
    back = turn(Pause(True), Undo())
    assert back.scene is first
    assert back.time == before.time
    assert (back.poses == before.poses).all()
    assert back.grabs == ()
    assert (back.undo, back.redo) == ("timestep", "load second")
    assert turn(Redo()).scene is second
    assert turn(Undo()).scene is first
    assert turn(Undo()).values["settings.timestep"] == 1 / 240
    turn(Set("settings.guard", False))  # a new future: what was undone is gone
    assert turn(Redo()).scene is first


def test_sleepers_are_told_of_a_scene_with_bodies_that_never_move():
    opened = open_scene("bowl")
    stepper = Stepper(now=lambda: 0.0)
    stepper.ask(Load(opened.scene.definitions, "bowl", opened.scene.make_world))
    stepper.ask(Set("settings.sleeping", True))
    stepper.turn()
    assert stepper.snapshot.values["settings.sleeping"]
    assert stepper.snapshot.asleep == ()  # all of it still falls
    assert [n.text for n in stepper.news if n.kind == "error"] == []


def test_a_press_that_was_meant_for_the_last_figure_is_no_error():
    stepper = Stepper(now=lambda: 0.0)
    for figure in (generators.hand(), generators.chain(3)):
        stepper.ask(Load(figure, "figure"))
    stepper.ask(Grab(1, "palm", (0.0, 0.0, 0.0)))
    stepper.turn()
    assert stepper.snapshot.grabs == ()
    assert [n.text for n in stepper.news if n.kind == "error"] == []


def driven(scene, timed):
    """A stepper that was asked to hold a body and let go, and the times that it published, turn by turn."""
    now = [0.0]
    opened = open_scene(scene)
    stepper = Stepper(now=lambda: now[0])
    stepper.ask(Load(opened.scene.definitions, scene, opened.scene.make_world))
    stepper.turn()
    body = stepper.snapshot.names[-1]
    at = tuple(stepper.snapshot.poses[-1, :3].tolist())
    requests = {12: Grab(1, body, at), 13: MoveGrab(1, (at[0], at[1], at[2] + 0.1)), 24: Release(1)}
    found = []
    for count in range(36):
        stepper.wants_times = timed
        if count in requests:
            stepper.ask(requests[count])
        now[0] += 0.1
        while stepper.turn() == 0.0:
            pass
        found.append(stepper.snapshot.times)
    return stepper, found


@pytest.mark.parametrize("scene", ["fourbar", "planar54_loops", "hand", "tinkertoy", "bowl"])
def test_to_time_the_steps_of_a_solution_changes_no_bit_of_the_motion(scene):
    """Nor what can be undone, nor the recording with its hash."""
    (plain, none), (timed, _) = driven(scene, False), driven(scene, True)
    assert none == [None] * len(none)
    recording = timed.simulation.recording()
    assert recording == plain.simulation.recording()
    assert timed.snapshot.undo == plain.snapshot.undo


def test_times_are_published_while_they_are_wanted_and_something_is_anticipated():
    stepper, found = driven("hand", True)
    names = ["factor", "columns", "free", "matrix", "multipliers", "final"]
    assert [list(times) for times in found if times] == [names] * sum(map(bool, found))
    assert not any(found[10].values())  # nothing is held
    assert all(0.0 < seconds < 1.0 for seconds in found[23].values())
    assert not any(found[35].values())
    assert stepper.simulation.world.timed
    stepper.wants_times = False
    stepper.ask(Pause(True))
    stepper.ask(StepBy(1))
    stepper.turn()
    assert stepper.snapshot.times is None
    assert not stepper.simulation.world.timed
    stepper.wants_times = True
    stepper.ask(StepBy(1))
    stepper.turn()
    assert list(stepper.snapshot.times) == names  # single steps show at once


def test_one_comparison_runs_at_a_time(monkeypatch):
    """However often it is asked for before the stepper answers: each would be a thread with memory of its own."""
    started = []
    monkeypatch.setattr(Comparison, "start", lambda self, scene, state: started.append(self))
    stepper = Stepper(now=lambda: 0.0)
    session = Session(None, stepper)
    session.scenes.open("chain")
    stepper.turn()
    session.update()
    for _ in range(200):
        actions.compare(session)
    stepper.turn()
    assert started == [session.comparison]
    session.comparison.running = False  # it has ended
    actions.compare(session)
    stepper.turn()
    assert len(started) == 2
