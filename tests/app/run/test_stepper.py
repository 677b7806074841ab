"""The stepper and its simulation: loading, comparing, lost states, springs, times; and copies of scenes."""

import numpy as np
import pytest

from app.run.commands import (
    ChangeGrab,
    Grab,
    HoldPose,
    MoveGrab,
    Release,
    Set,
)  # fmt: skip
from app.run.compare import Comparison
from app.run.playing import replay
from app.run.recording import session_of
from app.run.requests import Load, Pause, Redo, StepBy, Undo
from app.run.stepper import Stepper
from app.ui import actions
from app.ui.gallery import open_scene
from app.ui.saving import own_copy, save_values
from app.ui.session import Session
from physics.world.world import CannotContinueError, World
from tests.helpers import generators
from tests.helpers.arrays import state_of
from tests.helpers.app.simulations import hand, taken


def test_where_no_step_can_be_taken_the_mouse_lets_go(monkeypatch):
    """A pull against motors that turn whatever one does: it goes on without the hand."""
    now = [0.0]
    stepper = Stepper(now=lambda: now[0])
    stepper.ask(Load(generators.chain(3), "chain"))
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
    assert [grab.number for grab in snapshot.grabs] == [1]  # the newest is released
    assert not snapshot.paused
    assert [n.text[:14] for n in stepper.news if n.kind in ("info", "error")] == ["A pin released"]


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
    assert replay(simulation.scene, session_of(simulation)).parted is None


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
    """The scene before comes back as it was: its time, what was set, what can be undone. The grab of the mouse is
    released."""
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
    """A stepper that was asked to hold a body and to release it, and the times that it published, turn by turn."""
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
    recording = session_of(timed.simulation)
    assert recording == session_of(plain.simulation)
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
