"""The window through its real event handlers, without a display."""

import os
import time

import numpy as np
import pytest

from app.render.view import ASLEEP
from app.run.compare import DEAR, SIZES
from app.run.requests import Pause
from app.ui import actions
from app.ui.keys import ACTIONS
from app.ui.overlay import lines_for, marks_for
from app.ui.panels import PANELS
from physics.data.step_tables import INTEGRATORS
from physics.solvers.modes import MODES
from scenes.loading.loader import read_scene
from tests.app.conftest import make_hand


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One window for all tests here: to open one costs as much as all frames of a test."""
    person = make_hand((1280, 720), tmp_path_factory.mktemp("settings"), glances=True)
    yield person
    person.window.close()


@pytest.fixture
def large(shared):
    """As after opening: the hand, running, panels and view as at first, no messages."""
    session = shared.session
    defaults = type(session.settings)()
    for name, value in vars(defaults).items():
        setattr(session.settings, name, value)
    session.shown = type(session.shown)()
    session.in_front.clear()  # or the panels in front would stay there
    shared.window.frame.ui.lay_out_again()
    session.messages.clear()
    shared.buttons = shared.modifiers = 0
    session.ask(Pause(False))
    session.stepper.clock.speed = 1.0
    shared.key("escape")
    shared.key("escape")
    old = session.snapshot.scene
    session.settings.recent = []
    session.scenes.open("hand")
    shared.until(lambda: session.snapshot.scene is not old and session.snapshot.tick > 2)
    shared.frames(5)
    session.messages.clear()
    return shared


def errors(person):
    return [m.text for m in person.session.messages if m.kind == "error"]


def test_it_opens_running_with_one_line_of_help(large):
    session = large.session
    before = session.snapshot
    large.frames(5)
    assert not session.snapshot.paused
    assert session.snapshot.tick > before.tick
    assert not session.settings.hint_shown
    assert errors(large) == []


def test_space_pauses_and_goes_on(large):
    session = large.session
    large.key("space")
    large.settle()
    tick = session.snapshot.tick
    large.frames(3)
    assert session.snapshot.paused
    assert session.snapshot.tick == tick
    large.key("period")
    large.settle()
    assert session.snapshot.tick == tick + 1
    large.key("comma")
    large.key("left")
    large.settle()
    assert session.snapshot.tick == tick - 1
    assert session.snapshot.past
    large.click("pause")
    large.until(lambda: session.snapshot.length > tick + 5)
    assert not session.snapshot.past


def test_the_toolbar_is_the_keys(large):
    session = large.session
    large.click("pause")
    large.settle()
    assert session.snapshot.paused
    tick = session.snapshot.tick
    large.click("step")
    large.settle()
    assert session.snapshot.tick == tick + 1
    large.click("step_back")
    large.settle()
    assert session.snapshot.tick == tick
    large.click("reset")
    large.settle()
    assert session.snapshot.time == 0.0
    large.click("stiffness")
    large.settle()
    assert session.value("settings.stiff") is False
    large.click("posing")
    large.until(lambda: session.value("settings.order") == "kinematic")


def test_the_timeline_is_scrubbed_and_a_new_future_begins(large):
    session = large.session
    large.until(lambda: session.snapshot.tick > 60)
    large.click("pause")
    left, top, right, bottom = large.rects["timeline"]
    large.move(left + 0.25 * (right - left), (top + bottom) / 2)
    large.press()
    large.move(left + 0.5 * (right - left), (top + bottom) / 2)
    large.release()
    large.settle()
    snapshot = session.snapshot
    assert snapshot.past
    assert abs(snapshot.position / snapshot.length - 0.5) < 0.1
    large.key("space")
    large.until(lambda: not session.snapshot.past and session.snapshot.position > snapshot.position)
    assert session.snapshot.length < snapshot.length + 200
    assert session.snapshot.undo == "go on from here"


def test_number_keys_choose_the_mode(large):
    session = large.session
    for number, mode in enumerate(("fused", "lagrange", "dense", "cg", "jsim", "aba"), 1):
        large.key(str(number))
        large.until(lambda mode=mode: session.value("settings.solver") == mode, 60.0)
    large.key("grave")
    large.until(lambda: session.value("settings.solver") == "fused")
    assert errors(large) == []


def open_panel(person, title):
    session = person.session
    if title not in session.in_front:
        actions.show(session, title)
    person.frames(4)
    assert title in session.in_front


@pytest.mark.parametrize("panel", PANELS, ids=lambda p: p.title)
def test_every_panel_opens_and_lies_in_the_window(large, panel):
    open_panel(large, panel.title)
    left, top, right, bottom = large.rects[f"panel {panel.title}"]
    assert left >= 0
    assert top >= 0
    assert right <= 1281
    assert bottom <= 721
    assert right - left > 100
    assert errors(large) == []
    actions.show(large.session, panel.title)
    large.frames(2)
    assert f"panel {panel.title}" not in large.rects


def test_panels_scene_and_bars_do_not_overlap(large):
    x, y, w, h = large.window.frame.ui.viewport
    assert w > 500
    assert h > 300
    for name in ("timeline", "status", "panel Figure", "panel Scenes"):
        left, top, right, bottom = large.rects[name]
        apart = right <= x + 1 or left >= x + w - 1 or bottom <= y + 1 or top >= y + h - 1
        assert apart, f"{name} {large.rects[name]} over the scene {(x, y, w, h)}"


def test_every_action_is_in_a_menu_and_runs_there(large):
    session = large.session
    left_out = {
        "quit",
        "full_screen",
        "screenshot",
        "save",
    }  # they end or change the window, or write files: tested apart
    with large.eyes_shut():
        for action in ACTIONS.values():
            if action.name in left_out:
                continue
            if session.shown.hide_panels:
                large.key("tab")
            large.click(f"menu {action.group}")
            assert f"{action.group}/{action.label}" in large.rects
            large.click(f"{action.group}/{action.label}")
            large.frames(2)
        large.settle()
    assert errors(large) == []


def test_every_key_does_what_the_table_says(large):
    session = large.session
    for name in ("joints", "axes", "reactions", "centres", "frames", "labels", "trail", "wireframe", "shadows"):
        before = getattr(session.shown, name)
        large.key(session.keys[name][0])
        assert getattr(session.shown, name) is not before, name
    large.key("ctrl+equal")
    assert session.settings.font_size == 17.0
    large.key("f1")
    assert "Help" in session.settings.panels
    large.key("tab")
    assert "timeline" not in large.rects


def test_the_camera_goes_along_with_what_falls(large):
    """A scene may ask for it; the key switches it, and what is selected comes before the whole."""
    session = large.session
    session.scenes.open("humanoid30")
    large.until(lambda: session.snapshot is not None and session.snapshot.time > 1.0)
    assert session.shown.follow
    masses = np.array([20.0 if name == "torso" else 1.0 for name in session.snapshot.names])

    def below():
        return session.camera.target[2] - np.average(session.snapshot.poses[:, 2], weights=masses)

    first = below()
    assert session.snapshot.poses[0, 2] < -3.0
    large.until(lambda: session.snapshot.time > 1.3)
    assert below() == pytest.approx(first, abs=1e-9)
    # the figure begins again, and so does the view; another scene has its own
    old = session.snapshot.scene
    large.key("ctrl+l")
    large.until(lambda: session.snapshot.scene is not old and session.snapshot.tick > 2)
    assert below() == pytest.approx(first, abs=1e-9)
    assert session.camera.target[2] > 0.0
    session.scenes.open("chain30")
    large.until(lambda: session.scenes.source == "chain30" and session.snapshot.scene is not old)
    large.until(lambda: session.snapshot.name != "" and session.snapshot.time > 1.0)
    assert session.shown.follow
    assert errors(large) == []
    session.selected = 5
    large.frames(2)
    apart = session.camera.target - session.snapshot.poses[5, :3]
    large.until(lambda: session.snapshot.time > 1.5)
    assert session.camera.target - session.snapshot.poses[5, :3] == pytest.approx(apart, abs=1e-9)
    large.key("p")
    there = session.camera.target.copy()
    large.until(lambda: session.snapshot.time > 1.7)
    assert not session.shown.follow
    assert session.camera.target == pytest.approx(there, abs=0.0)


def test_the_camera_comes_back_with_a_figure_that_was_changed(large, tmp_path):
    """What fell five metres begins again at the top, a little heavier: so does the view."""
    session = large.session
    scene = tmp_path / "falling.yaml"
    text = "marionette: 1\ncamera: {target: [0, 0, 1], follow: true}\n"
    text += "bodies: {ball: {at: [0, 0, 1], mass: MASS kg, shape: {sphere: {radius: 0.3}}}}\n"
    scene.write_text(text.replace("MASS", "1"))
    session.scenes.open(str(scene))
    large.until(lambda: session.scenes.source == str(scene) and session.snapshot.poses[0, 2] < -4.0)
    assert session.camera.target[2] == pytest.approx(session.snapshot.poses[0, 2], abs=0.2)
    old = session.snapshot.scene
    scene.write_text(text.replace("MASS", "2"))
    large.key("ctrl+l")
    large.until(lambda: session.snapshot.scene is not old and session.snapshot.poses[0, 2] > -1.0)
    large.frames(2)
    assert session.camera.target[2] == pytest.approx(session.snapshot.poses[0, 2], abs=0.2)
    assert errors(large) == []


def test_a_slider_is_one_entry_of_undo(large):
    session = large.session
    open_panel(large, "Solver")
    left, top, right, bottom = large.rects["multiplier"]
    y = (top + bottom) / 2
    large.move(left + 20, y)
    large.press()
    for share in (0.3, 0.5, 0.6):
        large.move(left + share * (right - left), y)
    large.release()
    large.settle()
    assert session.value("settings.stiffness_scale") > 1.0
    large.key("ctrl+z")
    large.settle()
    assert session.value("settings.stiffness_scale") == 1.0
    large.key("ctrl+y")
    large.settle()
    assert session.value("settings.stiffness_scale") > 1.0


def test_solver_panel_sets_what_it_shows(large):
    session = large.session
    open_panel(large, "Solver")
    for box, choice, path, value in (
        ("mode", "aba", "settings.solver", "aba"),
        ("integrator", "implicit", "settings.integrator", "implicit"),
        ("timestep", "1/480 s", "settings.timestep", 1 / 480),
    ):
        large.click(box)
        large.click(f"{box}/{choice}")
        large.settle()
        assert session.value(path) == value
    large.click("gravity")
    large.settle()
    assert session.value("settings.gravity") == (0.0, 0.0, 0.0)
    large.click("guard")
    large.settle()
    assert session.value("settings.guard") is False
    large.click("joint stiffness")
    large.settle()
    assert session.value("settings.stiff") is False


def numbers(value):
    return value if isinstance(value, tuple) else (value,)


def test_hover_names_a_body_and_a_click_selects_it(large):
    session = large.session
    large.click("pause")
    large.settle()
    large.point_at("middle1")
    large.frames(2)
    assert session.snapshot.names[session.hover.body] == "middle1"
    assert [text for _, _, text, _ in large.window.frame.ui.labels] == ["middle1"]
    large.press()
    large.release()
    assert session.snapshot.names[session.selected] == "middle1"
    large.until(lambda: "joint stiffness" in large.rects)
    index = session.snapshot.joints.index("middle_mcp")
    before = session.snapshot.measures.damping[index]
    before = numbers(before)[0]
    left, top, right, bottom = large.rects["joint damping"]
    large.move(left + 0.4 * (right - left), (top + bottom) / 2)
    large.press()
    large.move(left + 0.6 * (right - left), (top + bottom) / 2)
    large.release()
    large.settle()
    large.session.ask(Pause(False))
    large.until(lambda: numbers(session.snapshot.measures.damping[index])[0] > before)
    large.key("escape")
    assert session.selected is None


def test_the_camera_follows_the_mouse(large):
    camera, window = large.session.camera, large.window
    left, top, _, height = window.frame.ui.viewport
    corner = (left + 30, top + height - 80)
    azimuth, elevation, target, distance = camera.azimuth, camera.elevation, camera.target.copy(), camera.distance
    large.move(*corner)
    large.press()
    large.move(corner[0] + 60, corner[1] - 20)
    large.release()
    assert camera.azimuth < azimuth
    assert camera.elevation < elevation
    large.press(4)
    large.move(corner[0] + 10, corner[1] - 60)
    large.release(4)
    assert np.linalg.norm(camera.target - target) > 1e-3
    point = camera.at_depth_of(camera.target, large.x - left, large.y - top)
    large.scroll(2)
    assert camera.distance < distance
    again = camera.at_depth_of(camera.target, large.x - left, large.y - top)
    assert np.allclose(point, again, atol=1e-9)  # what is under the cursor stays there
    large.key("f")
    assert np.linalg.norm(camera.target - large.session.snapshot.poses[:, :3].mean(0)) < 0.1


def test_every_flag_of_the_view_changes_the_picture(large):
    session = large.session
    open_panel(large, "View")
    large.click("pause")
    session.selected = 3
    large.move(5, 5)
    large.settle()
    large.frames(5)
    for flag in (
        "joints",
        "axes",
        "reactions",
        "centres",
        "frames",
        "labels",
        "ghost",
        "wireframe",
        "shadows",
        "ground",
    ):
        large.until(lambda: session.snapshot.measures is not None)
        before = scene_of(large)
        large.click(f"view {flag}")
        large.move(5, 5)
        large.settle()
        assert np.abs(scene_of(large) - before).max() > 30, flag
        large.click(f"view {flag}")
        large.move(5, 5)
        large.settle()
        assert np.abs(scene_of(large) - before).max() < 8, flag


def scene_of(person):
    """Without a bar over it while something is compiled, nor the message that it has been"""
    person.until(lambda: person.session.compiler.doing is None)
    person.session.messages.clear()
    person.frames()
    left, top, width, height = (round(v) for v in person.window.frame.ui.viewport)
    return person.picture()[top : top + height, left : left + width].astype(int)


def test_scenes_are_opened_from_the_gallery(large):
    session = large.session
    large.click("scene chain")
    large.until(lambda: session.snapshot.name == "chain")
    large.frames(3)
    assert len(session.snapshot.names) == 30
    large.key("bracketleft")
    large.until(lambda: session.snapshot.name != "chain")
    before = session.snapshot
    large.key("ctrl+r")
    large.until(lambda: session.snapshot.scene is not before.scene)
    assert session.snapshot.name == before.name
    assert errors(large) == []


def test_an_unknown_scene_is_refused_and_the_old_one_goes_on(large):
    session = large.session
    large.window.dispatch_event("on_file_drop", 10, 10, ["nowhere.yaml"])
    large.frames(2)
    assert "nowhere.yaml" in errors(large)[0]
    tick = session.snapshot.tick
    large.until(lambda: session.snapshot.tick > tick)
    assert session.snapshot.name == "hand"


def test_screenshots_are_png_files(large, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    large.key("f12")
    large.frames(2)
    (picture,) = tmp_path.glob("marionette-*.png")
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 20_000


def test_every_mode_and_integrator_is_compared(large):
    session = large.session
    large.key("c")
    with large.eyes_shut():
        large.until(lambda: session.comparison.results and not session.comparison.running, 400.0)
    results = session.comparison.results
    assert [(r.mode, r.integrator) for r in results[:6]] == [(mode, "trbdf2") for mode in MODES]
    assert {(r.mode, r.integrator) for r in results} == {(mode, name) for mode in MODES for name in INTEGRATORS}
    assert len(results) == len(MODES) * len(INTEGRATORS)
    assert not any(r.refused for r in results)
    costs = session.comparison.costs
    assert list(costs) == list(MODES)
    for mode, points in costs.items():  # each size in turn, as far as the mode is not dear
        assert [bodies for bodies, _ in points] == list(SIZES[: len(points)]), mode
        assert all(seconds > 0.0 for _, seconds in points)
        assert len(points) == len(SIZES) or points[-1][1] > DEAR, mode
    assert all(r.step_seconds > 0.0 and r.gap < 1e-4 for r in results)
    large.until(lambda: {"comparison", "costs"} <= set(large.rects))
    assert errors(large) == []


def test_a_group_is_stiffened_and_a_brush_paints(large):
    session = large.session
    large.click("pause")
    large.settle()
    session.selected = session.numbers["index1"]
    large.until(lambda: "set for" in large.rects)
    large.click("set for")
    large.click("set for/it and beyond")
    large.click("joint stiff")
    large.settle()
    measures = session.snapshot.measures
    assert measures is not None
    off = {name for name, on in zip(session.snapshot.joints, measures.stiff, strict=True) if not on}
    assert off == {"index_mcp", "index_pip", "index_dip"}
    large.key("ctrl+z")
    large.click("brush")
    assert session.brush == pytest.approx(0.4)
    x, y = large.place_of("middle3")
    large.move(x, y)
    large.press()
    large.release()
    large.until(lambda: session.value("settings.solver") and session.snapshot.undo.endswith("stiffness"))


@pytest.mark.parametrize("font", [16.0, 32.0])
def test_nothing_is_cut_off_at_double_scale(large, font):
    session = large.session
    session.settings.font_size = font
    open_panel(large, "View")
    large.frames(3)
    left, _, right, _ = large.rects["panel View"]
    for name in ("view joints", "view ground", "theme", "font size"):
        assert left <= large.rects[name][0]
        assert large.rects[name][2] <= right + 1, name
    _, _, width, height = large.window.frame.ui.viewport
    assert width >= 400
    assert height >= 150


def test_panels_have_their_size_again_after_another_font(large):
    before = large.window.frame.ui.viewport
    for font in (32.0, 16.0):
        large.session.settings.font_size = font
        large.frames(3)
    assert large.window.frame.ui.viewport == pytest.approx(before, abs=2.0)


@pytest.mark.parametrize("font", [16.0, 32.0])
def test_timing_shows_what_constraints_cost_where_there_are_any(large, font):
    session = large.session
    open_panel(large, "Timing")
    large.until(lambda: session.snapshot.times is not None)
    large.frames(2)
    assert "no constraints" in large.rects
    session.settings.font_size = font
    session.scenes.open("fourbar")
    large.until(lambda: session.snapshot.name == "fourbar" and session.snapshot.times)
    large.frames(3)
    left, top, right, bottom = large.rects["panel Timing"]
    for name in ("constraints", "factor", "columns", "free", "matrix", "multipliers", "final"):
        row = large.rects[f"time {name}"]
        assert left <= row[0]
        assert row[2] <= right + 1
        assert top <= row[1]
        assert font > 16.0 or row[3] <= bottom + 1  # else one scrolls
    assert large.rects["time constraints"][3] <= bottom + 1
    actions.show(session, "Timing")
    large.until(lambda: session.snapshot.times is None)
    assert not session.stepper.wants_times
    assert errors(large) == []


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


def test_a_finger_is_dragged_and_follows_with_its_newtons(large):
    session = large.session
    large.until(lambda: session.snapshot.tick > 240)  # it has come to rest
    session.camera.frame(session.look.centre, session.look.radius)
    large.frames(2)
    grab = take(large, "index3")
    assert grab.body.startswith("index")
    assert grab.kind == "spring"
    large.settle()
    tick = session.snapshot.tick
    large.until(lambda: session.snapshot.tick > tick + 240)
    (grab,) = session.snapshot.grabs
    assert np.linalg.norm(grab.force) > 0.05
    assert any(text.endswith("N") for _, _, text, _ in large.window.frame.ui.labels)
    pixel = session.camera.pixel(grab.target)
    left, top, _, _ = large.window.frame.ui.viewport
    assert (pixel[0] + left, pixel[1] + top) == pytest.approx((large.x, large.y), abs=1.0)
    assert np.linalg.norm(grab.point - grab.target) < 0.02
    assert session.hint == ""
    large.release()
    large.until(lambda: session.snapshot.grabs == ())
    assert session.snapshot.gap < 1e-6
    assert errors(large) == []


def test_modifiers_change_the_kind_and_enter_pins(large):
    from pyglet.window import key

    session = large.session
    take(large, "middle3")
    for bits, kind in ((key.MOD_SHIFT, "point"), (key.MOD_ALT, "pose"), (0, "spring")):
        large.modifiers = bits
        large.move(large.x + 1, large.y)
        large.until(lambda kind=kind: session.snapshot.grabs[0].kind == kind)
    large.key("enter")
    large.until(lambda: session.snapshot.grabs[0].pinned)
    large.release()
    large.until(lambda: session.snapshot.grabs[0].pinned and len(session.snapshot.grabs) == 1)
    where = session.snapshot.grabs[0].point.copy()
    # its pull and, under the mouse, its name, one below the other
    (_, above, force, _), (_, below, name, _) = large.window.frame.ui.labels
    assert force.endswith("N")
    assert name.startswith("middle")
    assert below - above > session.settings.font_size
    open_panel(large, "Grabs")
    large.until(lambda: np.linalg.norm(session.snapshot.grabs[0].point - where) < 1e-6)
    large.click(f"release {session.snapshot.grabs[0].number}")
    large.until(lambda: session.snapshot.grabs == ())
    assert errors(large) == []


def test_the_wheel_and_axis_keys_move_what_is_held(large):
    session = large.session
    grab = take(large, "ring3")
    start = grab.target.copy()
    large.scroll(2)
    large.until(lambda: np.linalg.norm(session.snapshot.grabs[0].target - start) > 1e-3)
    toward = session.camera.eye - start
    moved = session.snapshot.grabs[0].target - start
    assert moved @ toward > 0.0
    large.key("z")
    anchor = large.window.frame.mouse._anchor
    large.move(large.x + 15, large.y - 20)
    large.settle()
    across = (session.snapshot.grabs[0].target - anchor)[:2]
    assert np.abs(across).max() < 1e-9
    large.key("escape")
    large.release()
    large.until(lambda: session.snapshot.grabs == ())


def test_dragging_while_paused_poses_without_time(large):
    session = large.session
    large.click("pause")
    large.settle()
    begin = session.snapshot.time
    before = session.snapshot.poses.copy()
    take(large, "thumb3", (-15.0, -25.0))
    for _ in range(6):
        large.move(large.x + 1, large.y - 4)
    large.settle()
    assert session.snapshot.time == begin
    assert np.abs(session.snapshot.poses - before).max() > 1e-3
    assert session.snapshot.gap < 1e-6
    large.release()
    large.settle()
    large.key("ctrl+z")
    large.settle()
    assert np.abs(session.snapshot.poses - before).max() < 1e-9


def test_a_scene_file_is_loaded_broken_and_mended(large, tmp_path):
    session = large.session
    path = tmp_path / "swing.yaml"
    text = "\n".join([
        "marionette: 1", "bodies:", "  bob: {shape: {sphere: {at: [0.5, 0, 0], radius: 0.1}}}", "joints:",
        "  pivot: {hinge: [world, bob], at: [0, 0, 0], axis: y}", "",
    ])  # fmt: skip
    path.write_text(text)
    large.window.dispatch_event("on_file_drop", 10, 10, [str(path)])
    large.until(lambda: session.snapshot.name == "swing")
    assert session.settings.recent == [str(path)]
    path.write_text(text.replace("radius", "radios"))
    os.utime(path, (time.time() + 5, time.time() + 5))
    large.until(lambda: "radios" in session.scenes.error)
    assert "swing.yaml:3:" in session.scenes.error
    assert "^" in session.scenes.error
    tick = session.snapshot.tick
    large.until(lambda: session.snapshot.tick > tick)  # the last good scene goes on
    large.until(lambda: session.snapshot.poses[0, 2] < -0.2)
    session.set("settings.gravity", (0.0, 0.0, 0.0))
    session.set("joints.pivot.stiffness", 3.0)
    session.ask(Pause(True))
    large.settle()
    before = session.snapshot.poses[0].copy()
    path.write_text(text.replace("0.1}", "0.2}"))
    os.utime(path, (time.time() + 10, time.time() + 10))
    large.until(lambda: session.scenes.error == "" and session.snapshot.scene.bodies[0].mass > 20.0)
    # it goes on from where it was, with what was set
    assert session.snapshot.poses[0] == pytest.approx(before, abs=1e-9)
    assert session.value("settings.gravity") == (0.0, 0.0, 0.0)
    assert [m.text for m in session.messages if "Loaded again" in m.text and "bob" in m.text]
    # broken, and mended to what it was: time goes on, as if nothing had been
    session.ask(Pause(False))
    large.until(lambda: session.snapshot.tick > 20)
    scene, mended = session.snapshot.scene, path.read_text()
    path.write_text(mended.replace("radius", "radios"))
    os.utime(path, (time.time() + 15, time.time() + 15))
    large.until(lambda: "radios" in session.scenes.error)
    path.write_text(mended + "# a remark\n")
    os.utime(path, (time.time() + 20, time.time() + 20))
    large.until(lambda: session.scenes.error == "")
    large.settle()
    assert session.snapshot.scene is scene
    large.key("ctrl+s")
    assert "# a remark" in path.read_text()


def test_what_was_set_is_saved_in_the_file(large, tmp_path, monkeypatch):
    session = large.session
    monkeypatch.chdir(tmp_path)
    session.set("settings.gravity", (0.0, 0.0, -1.5))
    session.set("joints.index_mcp.stiffness", 0.7)
    session.set("settings.stiff", True)  # a switch of the window, which files do not have
    large.settle()
    large.key("ctrl+s")  # of a scene of the library, a copy
    assert session.scenes.source == str(tmp_path / "hand.yaml")
    saved = read_scene(tmp_path / "hand.yaml")
    assert saved.definitions.gravity == (0.0, 0.0, -1.5)
    assert {j.name: j for j in saved.definitions.joints}["index_mcp"].stiffness == (0.7, 0.7)
    assert "# Lengths of the bones" in (tmp_path / "hand.yaml").read_text()  # comments stay
    time.sleep(0.6)
    large.frames(2)
    assert not any("Loaded again" in m.text for m in session.messages)
    session.set("settings.gravity", (0.0, 0.0, -2.5))
    large.settle()
    large.click("menu File")
    large.click("File/Save values")
    assert read_scene(tmp_path / "hand.yaml").definitions.gravity == (0.0, 0.0, -2.5)
    assert not (tmp_path / "hand-2.yaml").exists()
    assert errors(large) == []


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


def test_contacts_are_drawn_and_everything_has_its_switch(large, tmp_path):
    session = large.session
    path = tmp_path / "boxes.yaml"
    path.write_text(BOXES)
    session.scenes.open(str(path))
    large.until(lambda: session.snapshot.name == "boxes" and session.snapshot.time > 0.5)
    drawn = len(lines_for(session)[1])
    large.key("v")
    large.until(lambda: len(session.snapshot.contacts) >= 3)
    assert sum(c.force[2] for c in session.snapshot.contacts) == pytest.approx(4.0 * 9.81, rel=1e-3)
    assert len(lines_for(session)[1]) >= drawn + 3 * 6  # a cross, a normal and an arrow of each
    for key, path_, on, off in (
        ("i", "settings.limited", True, False), ("y", "settings.drives_on", True, False),
        ("e", "settings.gravity", (0.0, 0.0, -9.81), (0.0, 0.0, 0.0)),
        ("u", "settings.contact_method", "newton", "none"),
    ):  # fmt: skip
        for value in (on, off):
            assert session.value(path_) == value
            large.key(key)
            large.settle()
        assert session.value(path_) == on
    large.key("i")
    large.settle()
    open_panel(large, "Solver")
    large.click("limits")
    large.settle()
    assert session.value("settings.limited")
    large.key("z")
    large.until(lambda: session.snapshot.asleep)  # the boxes, and the arm swings
    assert marks_for(session)[session.snapshot.asleep[0]] == ASLEEP
    large.key("z")
    large.until(lambda: not session.snapshot.asleep)
    large.key("u")
    large.until(lambda: session.snapshot.poses[0, 2] < -0.1)  # it falls through the floor
    assert errors(large) == []
