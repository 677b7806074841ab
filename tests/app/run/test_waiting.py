"""Requests that come before their kernels: nothing is compiled here, the test says when kernels are there."""

import threading
import time
from contextlib import suppress

import numpy as np
import pytest

from app.run import aside
from app.run.aside import SWITCHES
from app.run.commands import ChangeGrab, Grab, HoldPose, MoveGrab, Release, Reset, Set
from app.run.compiling import Needs, NeedsCompilingError
from app.run.requests import Load, Pause, Undo
from app.run.simulation import Simulation
from app.run.stepper import Stepper
from app.ui.gallery import open_scene
from physics.definitions.checks import DefinitionError
from physics.world.world import World
from tests.helpers import generators

WAIT = 10.0  # s, for threads on a busy machine
HELD = Needs()
FRAME = 1.0 / 60.0
SIZE = 0.3  # m, of the chain


def until(true):
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.001)


class Desk:
    """A stepper with a chain, and the kernels that are missing."""

    def __init__(self):
        self.missing, self.asked, self.checked = {HELD}, [], []
        self.now, self.finished = 0.0, {}
        self.stepper = Stepper(compile_mode=self.compile, now=lambda: self.now)

    def check(self, scene, needs):
        self.checked.append(needs)
        if needs in self.missing:
            raise NeedsCompilingError(needs)

    def compile(self, needs, wanted):
        self.asked.append(needs)
        assert self.finished.setdefault(needs, threading.Event()).wait(WAIT)

    def ready(self, needs, *, compiled=True):
        """The other process ends. `compiled`: and has compiled these kernels."""
        if compiled:
            self.missing.discard(needs)
        self.finished.setdefault(needs, threading.Event()).set()
        until(lambda: needs not in self.stepper._aside.coming)

    def turn(self, *requests, seconds=FRAME):
        for request in requests:
            self.stepper.ask(request)
        for _ in range(max(1, round(seconds / FRAME))):
            self.now += FRAME
            while self.stepper.turn() == 0.0:
                pass
        return self.stepper.snapshot

    def done(self):
        """The commands that were carried out."""
        return [entry.command for entry in self.stepper.simulation.entries]

    def told(self):
        return [news.text for news in self.stepper.news if news.kind in ("info", "error")]


@pytest.fixture
def desk(monkeypatch):
    desk = Desk()
    monkeypatch.setattr(aside, "check_compiled", desk.check)
    desk.turn(Load(generators.chain(3), "chain"))
    yield desk
    for event in desk.finished.values():
        event.set()


def end_of_chain(snapshot):
    return snapshot.poses[-1, :3]


def press(desk, number=1, body="link2"):
    """The press at the middle of a body."""
    place = tuple(desk.stepper.snapshot.poses[desk.stepper.snapshot.names.index(body), :3].tolist())
    return Grab(number, body, place)


def test_a_drag_that_began_before_its_kernels_goes_on_where_the_hand_is(desk):
    before = desk.turn()
    snapshot = desk.turn(press(desk), seconds=0.2)
    assert snapshot.grabs == ()
    assert snapshot.tick - before.tick > 40  # it moves
    assert np.linalg.norm(end_of_chain(snapshot) - end_of_chain(before)) > 0.05
    (waiting,) = snapshot.waits.grabs
    assert (waiting.number, waiting.body, waiting.pinned) == (1, "link2", False)
    assert waiting.target == pytest.approx(end_of_chain(before))
    assert snapshot.waits.texts == ("a drag",)
    for x in (0.1, 0.2, 0.3):
        snapshot = desk.turn(MoveGrab(1, (x, 0.0, 0.1)))
    assert snapshot.waits.grabs[0].target == pytest.approx((0.3, 0.0, 0.1))
    assert desk.checked.count(HELD) == 1  # while they are being compiled the disk is not asked again
    desk.ready(HELD)
    snapshot = desk.turn()
    (grab,) = snapshot.grabs
    assert grab.target == pytest.approx((0.3, 0.0, 0.1))
    assert np.linalg.norm(grab.point - end_of_chain(snapshot)) < 1e-9  # the point of the body that was pressed
    assert snapshot.waits.texts == ()
    assert [type(command) for command in desk.done()] == [Grab, MoveGrab]  # of the moves the last
    assert desk.turn(MoveGrab(1, (0.2, 0.0, 0.0))).grabs[0].target == pytest.approx((0.2, 0.0, 0.0))


def test_what_is_released_without_a_pin_is_dropped_with_its_moves(desk):
    snapshot = desk.turn(press(desk), MoveGrab(1, (0.0, 0.0, 0.0)), Release(1))
    assert snapshot.waits.texts == ()
    desk.turn(press(desk, 2), MoveGrab(2, (0.1, 0.0, 0.0)))  # the next one is another drag
    desk.ready(HELD)
    assert [grab.number for grab in desk.turn().grabs] == [2]
    until(lambda: desk.asked == [HELD])


def test_a_pin_made_meanwhile_is_made_where_the_hand_was(desk):
    desk.turn(Set("settings.gravity", (0.0, 0.0, 0.0)))
    hand = (0.15, 0.0, -0.15)  # within reach
    snapshot = desk.turn(press(desk), MoveGrab(1, hand), ChangeGrab(1, pinned=True), seconds=0.1)
    assert snapshot.waits.texts == ("a pin",)
    assert snapshot.waits.grabs[0].pinned
    desk.ready(HELD)
    (grab,) = desk.turn(seconds=0.2).grabs
    assert not grab.pinned  # it follows the hand
    (pin,) = desk.turn(seconds=0.6).grabs
    assert pin.pinned
    assert np.linalg.norm(pin.point - hand) < 0.05 * SIZE
    assert desk.turn().waits.texts == ()


def test_a_pin_that_waits_can_be_removed(desk):
    desk.turn(press(desk), ChangeGrab(1, pinned=True), Release(1))
    desk.ready(HELD)
    assert desk.turn(seconds=1.0).grabs == ()
    assert desk.done() == []


def test_a_turn_of_the_hand_is_not_lost_with_a_move_that_has_none(desk):
    turn = (np.cos(0.2), 0.0, np.sin(0.2), 0.0)
    moves = (MoveGrab(1, (0.1, 0.0, 0.0), turn), MoveGrab(1, (0.2, 0.0, 0.0)))
    desk.turn(press(desk), ChangeGrab(1, kind="pose"), *moves)
    desk.ready(HELD)
    desk.turn()
    assert desk.done()[-1] == MoveGrab(1, (0.2, 0.0, 0.0), turn)


def test_keys_are_answered_in_order_and_of_one_kind_the_last_one(desk):
    modes = [Needs(mode, held=False) for mode in ("aba", "cg", "jsim")]
    kinematic = Needs(order="kinematic", held=False)
    desk.missing |= {*modes, kinematic}
    keys = [Set("settings.solver", "aba"), Set("settings.order", "kinematic"), Set("settings.solver", "cg")]
    snapshot = desk.turn(*keys, HoldPose(), Set("settings.solver", "jsim"))
    assert snapshot.waits.texts == ("order", "hold this pose", "solver")
    assert snapshot.waits.values == {"settings.order": "kinematic", "settings.solver": "jsim"}
    desk.ready(modes[2])
    assert desk.turn().waits.texts == snapshot.waits.texts  # the first one waits
    for needs in [HELD, kinematic, modes[0], modes[1]]:
        desk.ready(needs)
    desk.turn()
    desk.missing.discard(Needs("jsim", order="kinematic", held=False))
    assert desk.done() == [Set("settings.order", "kinematic"), HoldPose(), Set("settings.solver", "jsim")]


def test_the_line_stops_at_the_next_that_lacks_kernels(desk):
    """Key 2 is for the mode without a hand when it is pressed, and for that with a hand once the drag goes on."""
    free, held, kinematic = Needs("aba", held=False), Needs("aba"), Needs(order="kinematic", held=False)
    desk.missing |= {free, held, kinematic}
    keys = [Set("settings.solver", "aba"), Set("settings.order", "kinematic")]
    desk.turn(press(desk), *keys, Set("settings.guard", False))
    assert desk.done() == [Set("settings.guard", False)]  # nothing in the line has an effect on it
    desk.ready(free)
    desk.ready(HELD)
    snapshot = desk.turn()
    assert [grab.number for grab in snapshot.grabs] == [1]
    assert snapshot.values["settings.solver"] == "fused"
    assert snapshot.waits.texts == ("solver", "order")  # it is still the first
    desk.ready(kinematic)
    desk.ready(held)
    snapshot = desk.turn()
    assert (snapshot.values["settings.solver"], snapshot.values["settings.order"]) == ("aba", "kinematic")


def test_what_depends_on_a_pose_that_waits_comes_after_it(desk):
    desk.turn(HoldPose(), Set("settings.stiff", False), Reset())
    assert desk.done() == []
    desk.ready(HELD)
    assert desk.turn().values["settings.stiff"] is False
    assert desk.done() == [HoldPose(), Set("settings.stiff", False), Reset()]


def test_undo_takes_back_what_waits_and_names_it(desk):
    desk.missing.add(Needs("aba", held=False))
    desk.turn(Set("settings.timestep", 1 / 120), Set("settings.solver", "aba"))
    desk.turn(press(desk), ChangeGrab(1, pinned=True))
    snapshot = desk.turn(Undo())
    assert snapshot.waits.texts == ()
    assert "a pin" in desk.told()[-1]
    assert "solver" in desk.told()[-1]
    assert snapshot.values["settings.timestep"] == 1 / 120  # that was done
    snapshot = desk.turn(press(desk, 2), Undo())
    assert snapshot.waits.texts == ()
    assert snapshot.values["settings.timestep"] == 1 / 240  # a drag is nothing that was to be undone
    desk.ready(HELD)
    desk.ready(Needs("aba", held=False))
    assert desk.turn(seconds=1.0).grabs == ()
    assert desk.turn().values["settings.solver"] == "fused"


def test_undo_releases_a_body_that_was_to_be_pinned(desk):
    desk.turn(press(desk), ChangeGrab(1, pinned=True))
    desk.ready(HELD)
    assert [grab.pinned for grab in desk.turn(seconds=0.1).grabs] == [False]
    assert desk.turn(Undo()).grabs == ()


def test_another_scene_drops_what_waits_and_names_pins(desk):
    desk.turn(press(desk), ChangeGrab(1, pinned=True))
    desk.missing.discard(HELD)  # of the next scene
    snapshot = desk.turn(Load(generators.chain(4), "other"))
    assert snapshot.waits.texts == ()
    assert [text for text in desk.told() if "a pin" in text]
    desk.ready(HELD)
    assert desk.turn(seconds=1.0).grabs == ()


def test_the_same_scene_again_keeps_keys_and_pins(desk):
    """The first pin waits for its kernels, a hand that holds has lost its body with the figure."""
    desk.missing.add(Needs("aba", held=False))
    desk.turn(press(desk), ChangeGrab(1, pinned=True), press(desk, 2, "link1"), Set("settings.solver", "aba"))
    desk.missing.discard(HELD)
    desk.turn(Load(generators.chain(3, length=0.11), "chain", goes_on=True))
    desk.ready(HELD)
    desk.ready(Needs("aba", held=False))
    snapshot = desk.turn(seconds=1.0)
    assert [(grab.number, grab.pinned) for grab in snapshot.grabs] == [(1, True)]
    assert snapshot.values["settings.solver"] == "aba"


def test_a_paused_figure_follows_the_hand_once_it_can_be_posed_and_is_pinned_there(desk):
    posing, hand = Needs(order="kinematic"), (0.15, 0.0, -0.15)
    desk.ready(HELD)
    desk.missing.add(posing)
    desk.turn(Pause(True))
    before = desk.turn(press(desk), MoveGrab(1, (0.1, 0.0, 0.0)))
    assert before.waits.texts == ("a drag",)
    snapshot = desk.turn(MoveGrab(1, hand), seconds=0.2)
    assert snapshot.grabs[0].target == pytest.approx(hand)
    snapshot = desk.turn(ChangeGrab(1, pinned=True), seconds=0.2)
    assert (end_of_chain(snapshot) == end_of_chain(before)).all()
    assert snapshot.waits.texts[-1] == "a pin"
    desk.ready(posing)
    (pin,) = desk.turn(seconds=1.0).grabs
    assert pin.pinned
    assert np.linalg.norm(pin.point - hand) < 0.05 * SIZE
    assert desk.turn().time == before.time


def test_a_paused_hand_that_lets_go_before_leaves_the_figure(desk):
    posing = Needs(order="kinematic")
    desk.ready(HELD)
    desk.missing.add(posing)
    desk.turn(Pause(True))
    before = desk.turn(press(desk), MoveGrab(1, (0.1, 0.0, 0.0)))
    desk.turn(Release(1))
    desk.ready(posing)
    after = desk.turn(seconds=0.5)
    assert after.waits.texts == after.grabs == ()
    assert (after.poses == before.poses).all()


def test_pausing_does_not_stop_a_pin(desk):
    """It is posed to the hand instead."""
    hand = (0.15, 0.0, -0.15)
    desk.turn(press(desk), MoveGrab(1, hand), ChangeGrab(1, pinned=True))
    desk.ready(HELD)
    desk.turn(seconds=0.05)
    (pin,) = desk.turn(Pause(True), seconds=1.0).grabs
    assert pin.pinned
    assert np.linalg.norm(pin.point - hand) < 0.05 * SIZE


@pytest.mark.parametrize(
    ("lacking", "text"),
    [(lambda world: not world.guard, "guard"), (lambda world: len(world.pins) > 0, "a pin")],
    ids=["setting", "pin"],
)
def test_a_change_that_brings_kernels_with_it_does_not_stop_the_figure(desk, monkeypatch, lacking, text):
    compiled, over = [], threading.Event()

    def compile_elsewhere(world, wanted):
        compiled.append((lacking(world), wanted()))
        assert over.wait(WAIT)

    monkeypatch.setattr(World, "uncompiled", property(lambda world: int(lacking(world) and not over.is_set())))
    monkeypatch.setattr(World, "compile_elsewhere", compile_elsewhere)
    desk.ready(HELD)
    before = desk.turn(press(desk), seconds=1.0)
    request = Set("settings.guard", False) if text == "guard" else ChangeGrab(1, pinned=True)
    snapshot = desk.turn(request, seconds=0.2)
    assert snapshot.tick - before.tick > 40  # it moves
    assert snapshot.waits.texts == (text,)
    until(lambda: compiled)
    assert compiled == [(True, True)]
    assert snapshot.values["settings.guard"] is True
    assert [grab.pinned for grab in snapshot.grabs] == [False]
    over.set()
    until(lambda: not desk.stepper._aside.coming)
    snapshot = desk.turn()
    assert snapshot.waits.texts == ()
    assert (snapshot.values["settings.guard"], snapshot.grabs[0].pinned) == (text != "guard", text == "a pin")


@pytest.mark.parametrize("scene", ["hand", "bowl"])
def test_to_look_for_missing_kernels_changes_no_bit_of_the_motion(scene):
    opened = open_scene(scene)
    hashes = []
    for looks in (False, True):
        simulation = Simulation(opened.scene.definitions, scene, opened.scene.make_world)
        simulation.step(20)
        body = simulation.names[-1]
        simulation.do(Grab(1, body, tuple(simulation.world.bodies[body].position.tolist())))
        simulation.step(20)
        if looks:
            changes = [Set(f"settings.{name}", not simulation.value(f"settings.{name}")) for name in SWITCHES[1:]]
            changes += [Set("settings.contact_method", "newton"), Set("settings.contact_method", "none")]
            for change in [*changes, ChangeGrab(1, pinned=True)]:
                with suppress(DefinitionError):  # the hand has no contacts
                    assert simulation.lacking_after(change) is None
        simulation.step(60)
        assert [held.pinned for held in simulation.held()] == [False]
        hashes.append((simulation.world.state_hash(), simulation.changed()))
    assert hashes[0] == hashes[1]


def test_what_another_process_could_not_compile_is_done_all_the_same(desk):
    desk.turn(press(desk))
    desk.ready(HELD, compiled=False)
    assert [grab.number for grab in desk.turn().grabs] == [1]
    assert desk.asked == [HELD]


def test_a_change_whose_kernels_another_process_could_not_compile_is_made_all_the_same(desk, monkeypatch):
    monkeypatch.setattr(World, "uncompiled", property(lambda world: int(not world.guard)))
    monkeypatch.setattr(World, "compile_elsewhere", lambda world, wanted: False)
    desk.turn(Set("settings.guard", False))
    until(lambda: desk.stepper._aside.coming == {HELD})
    assert desk.turn().values["settings.guard"] is False


def test_a_pin_of_a_body_that_is_not_held_is_told(desk):
    desk.turn(ChangeGrab(7, pinned=True))
    assert [text for text in desk.told() if "pinned" in text]
