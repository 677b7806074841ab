"""The session without a window: commands, undo, rewinding, branching, replay; every comparison is of state hashes."""

import numpy as np
import pytest

from app.run.commands import (
    Entry,
    Pose,
    Reset,
    Rewind,
    Set,
    SetEach,
)  # fmt: skip
from app.run.playing import replay
from app.run.recording import Recording, read_recording, session_of
from app.run.simulation import Simulation
from physics.definitions.bodies import Body
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import generators
from tests.helpers.app.simulations import hand, run_straight, session


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


def test_a_recording_replays_to_the_same_hash():
    recording = read_recording(session_of(session()).data())
    again = replay(generators.hand(stiffness=1.0), recording)
    assert again.parted is None
    assert again.simulation.world.state_hash().startswith(recording.state_hash)
    assert again.simulation.world.solver == "jsim"


def test_another_figure_or_another_log_gives_another_hash():
    simulation = hand()
    simulation.do(Set("settings.stiffness_scale", 2.0))
    simulation.step(20)
    recording = session_of(simulation)
    assert replay(generators.hand(stiffness=1.0), recording).parted is None
    parted = replay(generators.hand(stiffness=1.01), recording).parted
    assert (parted.after, parted.by) == (0, 20)
    other = Recording({}, (Entry(0, Set("settings.stiffness_scale", 2.5)), *recording.log[1:]))
    assert replay(generators.hand(stiffness=1.0), other).parted.by == 20


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
