"""The window through its real event handlers, without a display."""

import numpy as np
import pytest

from app.run.compare import DEAR, SIZES
from app.run.requests import Pause
from app.run.recording import read_file
from app.ui import actions
from app.ui.drafts import Drafts
from app.ui.keys import ACTIONS
from app.ui.panels import PANELS
from app.ui.shell import status_line
from physics.data.step_tables import INTEGRATORS
from physics.solvers.modes import MODES
from tests.helpers.app.panels import errors, open_panel, texts


def test_it_opens_running_with_one_line_of_help(opened):
    session = opened.session
    before = session.snapshot
    opened.frames(5)
    assert not session.snapshot.paused
    assert session.snapshot.tick > before.tick
    assert not session.settings.hint_shown
    assert errors(opened) == []


def test_space_pauses_and_goes_on(opened):
    session = opened.session
    opened.key("space")
    opened.settle()
    tick = session.snapshot.tick
    opened.frames(3)
    assert session.snapshot.paused
    assert session.snapshot.tick == tick
    opened.key("period")
    opened.settle()
    assert session.snapshot.tick == tick + 1
    opened.key("comma")
    opened.key("left")
    opened.settle()
    assert session.snapshot.tick == tick - 1
    assert session.snapshot.past
    opened.click("pause")
    opened.until(lambda: session.snapshot.length > tick + 5)
    assert not session.snapshot.past


def test_the_toolbar_is_the_keys(opened):
    session = opened.session
    opened.click("pause")
    opened.settle()
    assert session.snapshot.paused
    tick = session.snapshot.tick
    opened.click("step")
    opened.settle()
    assert session.snapshot.tick == tick + 1
    opened.click("step_back")
    opened.settle()
    assert session.snapshot.tick == tick
    opened.click("reset")
    opened.settle()
    assert session.snapshot.time == 0.0
    opened.click("stiffness")
    opened.settle()
    assert session.value("settings.stiff") is False
    opened.click("posing")
    opened.until(lambda: session.value("settings.order") == "kinematic")


def test_the_timeline_is_scrubbed_and_a_new_future_begins(opened):
    session = opened.session
    opened.until(lambda: session.snapshot.tick > 60)
    opened.click("pause")
    opened.drag("timeline", 0.25, 0.5)
    snapshot = session.snapshot
    assert snapshot.past
    assert abs(snapshot.position / snapshot.length - 0.5) < 0.1
    opened.key("space")
    opened.until(lambda: not session.snapshot.past and session.snapshot.position > snapshot.position)
    assert session.snapshot.length < snapshot.length + 200
    assert session.snapshot.undo == "go on from here"


def test_number_keys_choose_the_mode(opened):
    session = opened.session
    for number, mode in enumerate(("fused", "lagrange", "dense", "cg", "jsim", "aba"), 1):
        opened.key(str(number))
        opened.until(lambda mode=mode: session.value("settings.solver") == mode, 60.0)
    opened.key("grave")
    opened.until(lambda: session.value("settings.solver") == "fused")
    assert errors(opened) == []


@pytest.mark.parametrize("panel", PANELS, ids=lambda p: p.title)
def test_every_panel_opens_and_lies_in_the_window(opened, panel):
    open_panel(opened, panel.title)
    left, top, right, bottom = opened.rects[f"panel {panel.title}"]
    assert left >= 0
    assert top >= 0
    assert right <= 1281
    assert bottom <= 721
    assert right - left > 100
    assert errors(opened) == []
    actions.show(opened.session, panel.title)
    opened.frames(2)
    assert f"panel {panel.title}" not in opened.rects


def test_panels_scene_and_bars_do_not_overlap(opened):
    x, y, w, h = opened.window.frame.ui.viewport
    assert w > 500
    assert h > 300
    for name in ("timeline", "status", "panel Figure", "panel Scenes"):
        left, top, right, bottom = opened.rects[name]
        apart = right <= x + 1 or left >= x + w - 1 or bottom <= y + 1 or top >= y + h - 1
        assert apart, f"{name} {opened.rects[name]} over the scene {(x, y, w, h)}"


def test_every_action_is_in_a_menu_and_runs_there(opened):
    session = opened.session
    left_out = {
        "quit",
        "full_screen",
        "screenshot",
        "record",
        "save",
    }  # they end or change the window, or write files: tested apart
    with opened.eyes_shut():
        for action in ACTIONS.values():
            if action.name in left_out:
                continue
            if session.shown.hide_panels:
                opened.key("tab")
            opened.click(f"menu {action.group}")
            assert f"{action.group}/{action.label}" in opened.rects
            opened.click(f"{action.group}/{action.label}")
            opened.frames(2)
        opened.settle()
    assert errors(opened) == []


def test_every_key_does_what_the_table_says(opened):
    session = opened.session
    for name in ("joints", "axes", "reactions", "centres", "frames", "labels", "trail", "wireframe", "shadows"):
        before = getattr(session.shown, name)
        opened.key(session.keys[name][0])
        assert getattr(session.shown, name) is not before, name
    opened.key("ctrl+equal")
    assert session.settings.font_size == 17.0
    opened.key("f1")
    assert "Help" in session.settings.panels
    opened.key("tab")
    assert "timeline" not in opened.rects


def test_the_camera_goes_along_with_what_falls(opened):
    """A scene may ask for it; the key switches it, and what is selected comes before the whole."""
    session = opened.session
    session.scenes.open("humanoid30")
    opened.until(lambda: session.snapshot is not None and session.snapshot.time > 1.0)
    assert session.shown.follow
    masses = np.array([20.0 if name == "torso" else 1.0 for name in session.snapshot.names])

    def below():
        return session.camera.target[2] - np.average(session.snapshot.poses[:, 2], weights=masses)

    first = below()
    assert session.snapshot.poses[0, 2] < -3.0
    opened.until(lambda: session.snapshot.time > 1.3)
    assert below() == pytest.approx(first, abs=1e-9)
    # the figure begins again, and so does the view; another scene has its own
    old = session.snapshot.scene
    opened.key("ctrl+l")
    opened.until(lambda: session.snapshot.scene is not old and session.snapshot.tick > 2)
    assert below() == pytest.approx(first, abs=1e-9)
    assert session.camera.target[2] > 0.0
    session.scenes.open("chain30")
    opened.until(lambda: session.scenes.source == "chain30" and session.snapshot.scene is not old)
    opened.until(lambda: session.snapshot.name != "" and session.snapshot.time > 1.0)
    assert session.shown.follow
    assert errors(opened) == []
    session.selected = 5
    opened.frames(2)
    apart = session.camera.target - session.snapshot.poses[5, :3]
    opened.until(lambda: session.snapshot.time > 1.5)
    assert session.camera.target - session.snapshot.poses[5, :3] == pytest.approx(apart, abs=1e-9)
    opened.key("p")
    there = session.camera.target.copy()
    opened.until(lambda: session.snapshot.time > 1.7)
    assert not session.shown.follow
    assert session.camera.target == pytest.approx(there, abs=0.0)


def test_the_camera_comes_back_with_a_figure_that_was_changed(opened, tmp_path):
    """What fell five metres begins again at the top, a little heavier: so does the view."""
    session = opened.session
    scene = tmp_path / "falling.yaml"
    text = "marionette: 1\ncamera: {target: [0, 0, 1], follow: true}\n"
    text += "bodies: {ball: {at: [0, 0, 1], mass: MASS kg, shape: {sphere: {radius: 0.3}}}}\n"
    scene.write_text(text.replace("MASS", "1"))
    session.scenes.open(str(scene))
    opened.until(lambda: session.scenes.source == str(scene) and session.snapshot.poses[0, 2] < -4.0)
    assert session.camera.target[2] == pytest.approx(session.snapshot.poses[0, 2], abs=0.2)
    old = session.snapshot.scene
    scene.write_text(text.replace("MASS", "2"))
    opened.key("ctrl+l")
    opened.until(lambda: session.snapshot.scene is not old and session.snapshot.poses[0, 2] > -1.0)
    opened.frames(2)
    assert session.camera.target[2] == pytest.approx(session.snapshot.poses[0, 2], abs=0.2)
    assert errors(opened) == []


def test_a_slider_is_one_entry_of_undo(opened):
    session = opened.session
    open_panel(opened, "Solver")
    left, top, right, bottom = opened.rects["multiplier"]
    y = (top + bottom) / 2
    opened.move(left + 20, y)
    opened.press()
    for share in (0.3, 0.5, 0.6):
        opened.move(left + share * (right - left), y)
    opened.release()
    opened.settle()
    assert session.value("settings.stiffness_scale") > 1.0
    opened.key("ctrl+z")
    opened.settle()
    assert session.value("settings.stiffness_scale") == 1.0
    opened.key("ctrl+y")
    opened.settle()
    assert session.value("settings.stiffness_scale") > 1.0


def test_solver_panel_sets_what_it_shows(opened):
    session = opened.session
    open_panel(opened, "Solver")
    for box, choice, path, value in (
        ("mode", "aba", "settings.solver", "aba"),
        ("integrator", "implicit", "settings.integrator", "implicit"),
        ("timestep", "1/480 s", "settings.timestep", 1 / 480),
    ):
        opened.click(box)
        opened.click(f"{box}/{choice}")
        opened.settle()
        assert session.value(path) == value
    opened.click("gravity")
    opened.settle()
    assert session.value("settings.gravity") == (0.0, 0.0, 0.0)
    opened.click("guard")
    opened.settle()
    assert session.value("settings.guard") is False
    opened.click("joint stiffness")
    opened.settle()
    assert session.value("settings.stiff") is False


def numbers(value):
    return value if isinstance(value, tuple) else (value,)


def test_hover_names_a_body_and_a_click_selects_it(opened):
    session = opened.session
    opened.click("pause")
    opened.settle()
    opened.point_at("middle1")
    opened.frames(2)
    assert session.snapshot.names[session.hover.body] == "middle1"
    assert [text for _, _, text, _ in opened.window.frame.ui.labels] == ["middle1"]
    opened.press()
    opened.release()
    assert session.snapshot.names[session.selected] == "middle1"
    opened.until(lambda: "joint stiffness" in opened.rects)
    index = session.snapshot.joints.index("middle_mcp")
    before = session.snapshot.measures.damping[index]
    before = numbers(before)[0]
    opened.drag("joint damping", 0.4, 0.6)
    opened.session.ask(Pause(False))
    opened.until(lambda: numbers(session.snapshot.measures.damping[index])[0] > before)
    opened.key("escape")
    assert session.selected is None


def test_the_camera_follows_the_mouse(opened):
    camera, window = opened.session.camera, opened.window
    left, top, _, height = window.frame.ui.viewport
    corner = (left + 30, top + height - 80)
    azimuth, elevation, target, distance = camera.azimuth, camera.elevation, camera.target.copy(), camera.distance
    opened.move(*corner)
    opened.press()
    opened.move(corner[0] + 60, corner[1] - 20)
    opened.release()
    assert camera.azimuth < azimuth
    assert camera.elevation < elevation
    opened.press(4)
    opened.move(corner[0] + 10, corner[1] - 60)
    opened.release(4)
    assert np.linalg.norm(camera.target - target) > 1e-3
    point = camera.at_depth_of(camera.target, opened.x - left, opened.y - top)
    opened.scroll(2)
    assert camera.distance < distance
    again = camera.at_depth_of(camera.target, opened.x - left, opened.y - top)
    assert np.allclose(point, again, atol=1e-9)  # what is under the cursor stays there
    opened.key("f")
    assert np.linalg.norm(camera.target - opened.session.snapshot.poses[:, :3].mean(0)) < 0.1


def test_every_flag_of_the_view_changes_the_picture(opened):
    session = opened.session
    open_panel(opened, "View")
    opened.click("pause")
    session.selected = 3
    opened.move(5, 5)
    opened.settle()
    opened.frames(5)
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
        opened.until(lambda: session.snapshot.measures is not None)
        before = scene_of(opened)
        opened.click(f"view {flag}")
        opened.move(5, 5)
        opened.settle()
        assert np.abs(scene_of(opened) - before).max() > 30, flag
        opened.click(f"view {flag}")
        opened.move(5, 5)
        opened.settle()
        assert np.abs(scene_of(opened) - before).max() < 8, flag


def scene_of(person):
    """Without a bar over it while something is compiled, nor the message that it has been"""
    person.until(lambda: person.session.compiler.doing is None)
    person.session.messages.clear()
    person.frames()
    left, top, width, height = (round(v) for v in person.window.frame.ui.viewport)
    return person.picture()[top : top + height, left : left + width].astype(int)


def test_scenes_are_opened_from_the_gallery(opened):
    session = opened.session
    opened.click("scene chain")
    opened.until(lambda: session.snapshot.name == "chain")
    opened.frames(3)
    assert len(session.snapshot.names) == 30
    opened.key("bracketleft")
    opened.until(lambda: session.snapshot.name != "chain")
    before = session.snapshot
    opened.key("ctrl+r")
    opened.until(lambda: session.snapshot.scene is not before.scene)
    assert session.snapshot.name == before.name
    assert errors(opened) == []


def test_an_unknown_scene_is_refused_and_the_old_one_goes_on(opened):
    session = opened.session
    opened.window.dispatch_event("on_file_drop", 10, 10, ["nowhere.yaml"])
    opened.frames(2)
    assert "nowhere.yaml" in errors(opened)[0]
    tick = session.snapshot.tick
    opened.until(lambda: session.snapshot.tick > tick)
    assert session.snapshot.name == "hand"


def test_screenshots_are_png_files(opened, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opened.key("f12")
    opened.frames(2)
    (picture,) = tmp_path.glob("marionette-*.png")
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert picture.stat().st_size > 20_000


def test_every_mode_and_integrator_is_compared(opened):
    session = opened.session
    opened.key("c")
    with opened.eyes_shut():
        opened.until(lambda: session.comparison.results and not session.comparison.running, 400.0)
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
    opened.until(lambda: {"comparison", "costs"} <= set(opened.rects))
    assert errors(opened) == []


def test_a_group_is_stiffened_and_a_brush_paints(opened):
    session = opened.session
    opened.click("pause")
    opened.settle()
    session.selected = session.numbers["index1"]
    opened.until(lambda: "set for" in opened.rects)
    opened.click("set for")
    opened.click("set for/it and beyond")
    opened.click("joint stiff")
    opened.settle()
    measures = session.snapshot.measures
    assert measures is not None
    off = {name for name, on in zip(session.snapshot.joints, measures.stiff, strict=True) if not on}
    assert off == {"index_mcp", "index_pip", "index_dip"}
    opened.key("ctrl+z")
    opened.click("brush")
    assert session.brush == pytest.approx(0.4)
    x, y = opened.place_of("middle3")
    opened.move(x, y)
    opened.press()
    opened.release()
    opened.until(lambda: session.value("settings.solver") and session.snapshot.undo.endswith("stiffness"))


@pytest.mark.parametrize("font", [16.0, 32.0])
def test_nothing_is_cut_off_at_double_scale(opened, font):
    session = opened.session
    session.settings.font_size = font
    open_panel(opened, "View")
    opened.frames(3)
    left, _, right, _ = opened.rects["panel View"]
    for name in ("view joints", "view ground", "theme", "font size"):
        assert left <= opened.rects[name][0]
        assert opened.rects[name][2] <= right + 1, name
    _, _, width, height = opened.window.frame.ui.viewport
    assert width >= 400
    assert height >= 150


def test_panels_have_their_size_again_after_another_font(opened):
    before = opened.window.frame.ui.viewport
    for font in (32.0, 16.0):
        opened.session.settings.font_size = font
        opened.frames(3)
    assert opened.window.frame.ui.viewport == pytest.approx(before, abs=2.0)


@pytest.mark.parametrize("font", [16.0, 32.0])
def test_timing_shows_what_constraints_cost_where_there_are_any(opened, font):
    session = opened.session
    open_panel(opened, "Timing")
    opened.until(lambda: session.snapshot.times is not None)
    opened.frames(2)
    assert "no constraints" in opened.rects
    session.settings.font_size = font
    session.scenes.open("fourbar")
    opened.until(lambda: session.snapshot.name == "fourbar" and session.snapshot.times)
    opened.frames(3)
    left, top, right, bottom = opened.rects["panel Timing"]
    for name in ("constraints", "factor", "columns", "free", "matrix", "multipliers", "final"):
        row = opened.rects[f"time {name}"]
        assert left <= row[0]
        assert row[2] <= right + 1
        assert top <= row[1]
        assert font > 16.0 or row[3] <= bottom + 1  # else one scrolls
    assert opened.rects["time constraints"][3] <= bottom + 1
    actions.show(session, "Timing")
    opened.until(lambda: session.snapshot.times is None)
    assert not session.stepper.wants_times
    assert errors(opened) == []


def test_the_record_button_writes_a_file_that_can_be_played(opened, tmp_path, monkeypatch):
    session = opened.session
    monkeypatch.chdir(tmp_path)
    opened.click("record")
    opened.until(lambda: session.stepper.recorder is not None)
    assert "recording " in status_line(session)
    opened.key("6")
    opened.until(lambda: session.value("settings.solver") == "aba" and session.snapshot.tick > 40)
    opened.key("f9")
    opened.until(lambda: session.stepper.recorder is None)
    (path,) = tmp_path.glob("*.mrn")
    opened.until(lambda: [f"in {path}" in text for text in texts(opened)] == [True, True])
    assert read_file(path).ended
    session.messages.clear()
    session.scenes.open(str(path))
    opened.until(lambda: session.stepper.player is not None)
    opened.until(lambda: session.stepper.player is None)
    opened.until(lambda: any("as recorded" in text for text in texts(opened)))
    assert session.snapshot.paused
    assert session.value("settings.solver") == "aba"
    assert session.settings.recent[0] == str(path)


def test_a_damaged_recording_is_a_problem_of_the_scene(opened, tmp_path):
    path = tmp_path / "run.mrn"
    path.write_bytes(b"marionette recording 9\n")
    before = opened.session.snapshot.scene
    opened.session.scenes.open(str(path))
    opened.settle()
    assert "format 9 of another version" in opened.session.scenes.error
    assert opened.session.snapshot.scene is before


def test_a_draft_is_offered_in_the_window(opened, tmp_path):
    session = opened.session
    opened.key("6")
    opened.until(lambda: session.value("settings.solver") == "aba")
    other = Drafts(session, tmp_path)
    while other._writing is None or not other._writing.done():
        other.update()
        opened.frames()
    other._lock.release()
    opened.key("1")
    opened.until(lambda: session.value("settings.solver") == "fused")
    session.drafts.offers.extend(Drafts(session, tmp_path).offers)
    opened.frames(2)
    assert {"restore draft", "decline draft"} <= set(opened.rects)
    opened.click("restore draft")
    opened.until(lambda: session.value("settings.solver") == "aba")
    opened.frames(2)
    assert "restore draft" not in opened.rects
