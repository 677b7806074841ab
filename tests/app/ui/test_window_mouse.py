"""Bodies that are held with the mouse, scene files, and contacts in the window, through its real event handlers."""

import os
import threading
import time

import numpy as np
import pytest

from app.render.view import ASLEEP, world_point
from app.run import aside
from app.run.compiling import NeedsCompilingError
from app.run.requests import Pause, Undo
from app.ui.overlay import lines_for, marks_for
from scenes.loading.loader import read_scene
from tests.helpers.app.program import SWING
from tests.helpers.app.panels import errors, open_panel


# ---------------------------------------------------------------- taking hold
def take(person, body="index3", by=(0.0, -40.0)):
    """Press on a body and move: it is held."""
    session = person.session
    x, y = person.place_of(body)
    person.move(x, y)
    person.press()
    person.move(x + 0.5 * by[0], y + 0.5 * by[1])
    person.move(x + by[0], y + by[1])
    person.until(lambda: len(session.snapshot.grabs) == 1)
    (grab,) = session.snapshot.grabs
    return grab


def test_a_finger_is_dragged_and_follows_with_its_newtons(opened):
    session = opened.session
    opened.until(lambda: session.snapshot.tick > 240)  # it has come to rest
    session.camera.frame(session.look.centre, session.look.radius)
    opened.frames(2)
    grab = take(opened, "index3")
    assert grab.body.startswith("index")
    assert grab.kind == "spring"
    opened.settle()
    tick = session.snapshot.tick
    opened.until(lambda: session.snapshot.tick > tick + 240)
    (grab,) = session.snapshot.grabs
    assert np.linalg.norm(grab.force) > 0.05
    assert any(text.endswith("N") for _, _, text, _ in opened.window.frame.ui.labels)
    pixel = session.camera.pixel(grab.target)
    left, top, _, _ = opened.window.frame.ui.viewport
    assert (pixel[0] + left, pixel[1] + top) == pytest.approx((opened.x, opened.y), abs=1.0)
    assert np.linalg.norm(grab.point - grab.target) < 0.02
    assert session.hint == ""
    opened.release()
    opened.until(lambda: session.snapshot.grabs == ())
    assert session.snapshot.gap < 1e-6
    assert errors(opened) == []


def test_modifiers_change_the_kind_and_enter_pins(opened):
    from pyglet.window import key

    session = opened.session
    take(opened, "middle3")
    for bits, kind in ((key.MOD_SHIFT, "point"), (key.MOD_ALT, "pose"), (0, "spring")):
        opened.modifiers = bits
        opened.move(opened.x + 1, opened.y)
        opened.until(lambda kind=kind: session.snapshot.grabs[0].kind == kind)
    opened.key("enter")
    opened.until(lambda: session.snapshot.grabs[0].pinned)
    opened.release()
    opened.until(lambda: session.snapshot.grabs[0].pinned and len(session.snapshot.grabs) == 1)
    where = session.snapshot.grabs[0].point.copy()
    # its pull and, under the mouse, its name, one below the other
    (_, above, force, _), (_, below, name, _) = opened.window.frame.ui.labels
    assert force.endswith("N")
    assert name.startswith("middle")
    assert below - above > session.settings.font_size
    open_panel(opened, "Grabs")
    opened.until(lambda: np.linalg.norm(session.snapshot.grabs[0].point - where) < 1e-6)
    opened.click(f"release {session.snapshot.grabs[0].number}")
    opened.until(lambda: session.snapshot.grabs == ())
    assert errors(opened) == []


def test_the_wheel_and_axis_keys_move_what_is_held(opened):
    session = opened.session
    grab = take(opened, "ring3")
    start = grab.target.copy()
    opened.scroll(2)
    opened.until(lambda: np.linalg.norm(session.snapshot.grabs[0].target - start) > 1e-3)
    toward = session.camera.eye - start
    moved = session.snapshot.grabs[0].target - start
    assert moved @ toward > 0.0
    opened.key("z")
    anchor = opened.window.frame.mouse._anchor
    opened.move(opened.x + 15, opened.y - 20)
    opened.settle()
    across = (session.snapshot.grabs[0].target - anchor)[:2]
    assert np.abs(across).max() < 1e-9
    opened.key("escape")
    opened.release()
    opened.until(lambda: session.snapshot.grabs == ())


def test_dragging_while_paused_poses_without_time(opened):
    session = opened.session
    opened.click("pause")
    opened.settle()
    begin = session.snapshot.time
    before = session.snapshot.poses.copy()
    take(opened, "thumb3", (-15.0, -25.0))
    for _ in range(6):
        opened.move(opened.x + 1, opened.y - 4)
    opened.settle()
    assert session.snapshot.time == begin
    assert np.abs(session.snapshot.poses - before).max() > 1e-3
    assert session.snapshot.gap < 1e-6
    opened.release()
    opened.settle()
    opened.key("ctrl+z")
    opened.settle()
    assert np.abs(session.snapshot.poses - before).max() < 1e-9


@pytest.fixture
def compiling(opened, monkeypatch):
    """An event: until it is set, another process compiles what a hand and the mode `aba` need."""
    session, over = opened.session, threading.Event()

    def check(scene, needs):
        if (needs.held or needs.solver == "aba") and not over.is_set():
            raise NeedsCompilingError(needs)

    monkeypatch.setattr(aside, "check_compiled", check)
    monkeypatch.setattr(session.compiler, "_run", lambda *_: over.wait(120.0))
    monkeypatch.setattr(session, "_all_coming", True)
    session.stepper._aside.forget()
    yield over
    over.set()
    opened.until(lambda: not session.stepper._aside.coming)


def test_a_drag_and_keys_that_came_before_their_kernels_are_seen_to_wait_and_are_done(opened, compiling):
    session, ui = opened.session, opened.window.frame.ui
    x, y = opened.place_of("index3")
    opened.move(x, y)
    opened.press()
    opened.move(x, y - 20.0)
    opened.move(x, y - 40.0)
    opened.until(lambda: session.snapshot.waits.grabs)
    for key in ("6", "s"):
        opened.key(key)
    tick = session.snapshot.tick
    opened.until(lambda: session.snapshot.tick > tick + 24)  # it moves
    assert session.snapshot.waits.texts == ("a drag", "solver")
    assert session.value("settings.stiff") is False  # that needs nothing
    assert session.asked("settings.solver") == "aba"
    ui.widgets.rects.pop("compiling", None)
    opened.frames()
    assert "compiling" in ui.widgets.rects
    _, front = lines_for(session)
    place = world_point(session.snapshot.poses, session.numbers["index3"], session.snapshot.waits.grabs[0].place)
    assert np.abs(front[0, :3] - place).max() < 1e-5  # the first dash
    assert np.abs(front[-1, 3:6] - session.snapshot.waits.grabs[0].target).max() < 1e-5
    opened.key("enter")
    opened.release()
    opened.until(lambda: session.snapshot.waits.texts == ("a drag", "solver", "a pin")[1:])
    compiling.set()
    opened.until(lambda: session.snapshot.grabs and session.snapshot.grabs[0].pinned)
    opened.until(lambda: session.value("settings.solver") == "aba")
    assert session.snapshot.waits.texts == ()
    assert errors(opened) == []


def test_a_pin_that_waits_is_removed_with_the_others_and_undo_ends_a_drag_that_waits(opened, compiling):
    session = opened.session
    opened.key("s")  # what is undone
    for pins in (True, False):
        x, y = opened.place_of("index3")
        opened.move(x, y)
        opened.press()
        opened.move(x, y - 20.0)
        opened.until(lambda: session.snapshot.waits.grabs)
        if pins:
            opened.key("enter")
            opened.until(lambda: session.snapshot.waits.pins)
            opened.key("delete")
        else:
            session.ask(Undo())  # as by its menu: ctrl+z restricts what is held to the z axis
        opened.until(lambda: not session.snapshot.waits.grabs)
        opened.frames(2)
        assert opened.window.frame.mouse.doing == ""
        opened.release()
    compiling.set()
    opened.until(lambda: not session.stepper._aside.coming)
    opened.settle()
    assert session.snapshot.grabs == ()


def test_a_scene_file_is_loaded_broken_and_mended(opened, tmp_path):
    session = opened.session
    path = tmp_path / "swing.yaml"
    path.write_text(SWING)
    opened.window.dispatch_event("on_file_drop", 10, 10, [str(path)])
    opened.until(lambda: session.snapshot.name == "swing")
    assert session.settings.recent == [str(path)]
    path.write_text(SWING.replace("radius", "radios"))
    os.utime(path, (time.time() + 5, time.time() + 5))
    opened.until(lambda: "radios" in session.scenes.error)
    assert "swing.yaml:3:" in session.scenes.error
    assert "^" in session.scenes.error
    tick = session.snapshot.tick
    opened.until(lambda: session.snapshot.tick > tick)  # the last good scene goes on
    opened.until(lambda: session.snapshot.poses[0, 2] < -0.2)
    session.set("settings.gravity", (0.0, 0.0, 0.0))
    session.set("joints.pivot.stiffness", 3.0)
    session.ask(Pause(True))
    opened.settle()
    before = session.snapshot.poses[0].copy()
    path.write_text(SWING.replace("0.1}", "0.2}"))
    os.utime(path, (time.time() + 10, time.time() + 10))
    opened.until(lambda: session.scenes.error == "" and session.snapshot.scene.bodies[0].mass > 20.0)
    # it goes on from where it was, with what was set
    assert session.snapshot.poses[0] == pytest.approx(before, abs=1e-9)
    assert session.value("settings.gravity") == (0.0, 0.0, 0.0)
    assert [m.text for m in session.messages if "Loaded again" in m.text and "bob" in m.text]
    # broken, and mended to what it was: time goes on, as if nothing had been
    session.ask(Pause(False))
    opened.until(lambda: session.snapshot.tick > 20)
    scene, mended = session.snapshot.scene, path.read_text()
    path.write_text(mended.replace("radius", "radios"))
    os.utime(path, (time.time() + 15, time.time() + 15))
    opened.until(lambda: "radios" in session.scenes.error)
    path.write_text(mended + "# a remark\n")
    os.utime(path, (time.time() + 20, time.time() + 20))
    opened.until(lambda: session.scenes.error == "")
    opened.settle()
    assert session.snapshot.scene is scene
    opened.key("ctrl+s")
    assert "# a remark" in path.read_text()


def test_what_was_set_is_saved_in_the_file(opened, tmp_path, monkeypatch):
    session = opened.session
    monkeypatch.chdir(tmp_path)
    session.set("settings.gravity", (0.0, 0.0, -1.5))
    session.set("joints.index_mcp.stiffness", 0.7)
    session.set("settings.stiff", True)  # a switch of the window, which files do not have
    opened.settle()
    opened.key("ctrl+s")  # of a scene of the library, a copy
    assert session.scenes.source == str(tmp_path / "hand.yaml")
    saved = read_scene(tmp_path / "hand.yaml")
    assert saved.definitions.gravity == (0.0, 0.0, -1.5)
    assert {j.name: j for j in saved.definitions.joints}["index_mcp"].stiffness == (0.7, 0.7)
    assert "# Lengths of the bones" in (tmp_path / "hand.yaml").read_text()  # comments stay
    time.sleep(0.6)
    opened.frames(2)
    assert not any("Loaded again" in m.text for m in session.messages)
    session.set("settings.gravity", (0.0, 0.0, -2.5))
    opened.settle()
    opened.click("menu File")
    opened.click("File/Save values")
    assert read_scene(tmp_path / "hand.yaml").definitions.gravity == (0.0, 0.0, -2.5)
    assert not (tmp_path / "hand-2.yaml").exists()
    assert errors(opened) == []


BOXES = """
marionette: 1
ground: {height: 0}
settings: {integrator: implicit}
bodies:
  low: {shape: {box: {at: [0, 0, 0.1], size: [0.4, 0.4, 0.2]}}, mass: 4}
  arm: {shape: {capsule: {from: [-0.6, 0, 0.8], to: [-0.6, 0, 0.5], radius: 0.05}}}
joints:
  top: {hinge: [world, arm], at: [-0.6, 0, 0.8], axis: y, limits: [-60 deg, 60 deg]}
"""


def test_contacts_are_drawn_and_everything_has_its_switch(opened, tmp_path):
    session = opened.session
    path = tmp_path / "boxes.yaml"
    path.write_text(BOXES)
    session.scenes.open(str(path))
    opened.until(lambda: session.snapshot.name == "boxes" and session.snapshot.time > 0.5)
    drawn = len(lines_for(session)[1])
    opened.key("v")
    opened.until(lambda: len(session.snapshot.contacts) >= 3)
    assert sum(c.force[2] for c in session.snapshot.contacts) == pytest.approx(4.0 * 9.81, rel=1e-3)
    assert len(lines_for(session)[1]) >= drawn + 3 * 6  # a cross, a normal and an arrow of each
    for key, path_, on, off in (
        ("i", "settings.limited", True, False), ("y", "settings.drives_on", True, False),
        ("e", "settings.gravity", (0.0, 0.0, -9.81), (0.0, 0.0, 0.0)),
        ("u", "settings.contact_method", "newton", "none"),
    ):  # fmt: skip
        for value in (on, off):
            assert session.value(path_) == value
            opened.key(key)
            opened.settle()
        assert session.value(path_) == on
    opened.key("i")
    opened.settle()
    open_panel(opened, "Solver")
    opened.click("limits")
    opened.settle()
    assert session.value("settings.limited")
    opened.key("z")
    opened.until(lambda: session.snapshot.asleep)  # the boxes, and the arm swings
    assert marks_for(session)[session.snapshot.asleep[0]] == ASLEEP
    opened.key("z")
    opened.until(lambda: not session.snapshot.asleep)
    opened.key("u")
    opened.until(lambda: session.snapshot.poses[0, 2] < -0.1)  # it falls through the floor
    assert errors(opened) == []
