"""The program itself on a virtual screen, with a real mouse and real windows messages. Needs `xvfb` and `xdotool`."""

import shutil

import pytest

from tests.helpers.app.program import SWING
from tests.helpers.app.screen import COMPILING, Screen

pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="apt-get install xvfb xdotool"
)


@pytest.fixture
def screen(tmp_path):
    made = Screen(tmp_path)
    yield made
    made.stop()


def test_clicks_keys_and_closing(screen):
    screen.start()
    assert not screen.state()["paused"]
    screen.do("mousemove", 30, 300, "key", "space")
    screen.wait(lambda: screen.state()["paused"])
    left, top, right, bottom = screen.state()["rects"]["pause"]
    screen.move((left + right) / 2, (top + bottom) / 2)
    screen.do("click", 1)
    screen.wait(lambda: not screen.state()["paused"])
    screen.do("key", "6")
    screen.wait(lambda: screen.state()["solver"] == "aba", COMPILING)
    screen.client("close")
    assert screen.program.wait(15) == 0


def test_fingers_are_dragged_pinned_and_let_go(screen):
    """As somebody does in the first minute: with the mouse, the program's own modes and springs, and time."""
    screen.start()
    screen.drag("index3", 20, -40)
    screen.wait(lambda: len(screen.grabs(False)) == 1)
    assert screen.grabs(False)[0][0].startswith("index")
    screen.wait(lambda: sum(f * f for f in screen.grabs(False)[0][1]) > 1e-4)  # newtons squared
    screen.key("Return")
    screen.wait(lambda: len(screen.grabs(True)) == 1)
    screen.do("mouseup", 1)
    screen.drag("little2", -10, -30)
    screen.wait(lambda: len(screen.grabs(False)) == 1)
    screen.key("6")
    screen.wait(lambda: screen.state()["solver"] == "aba", COMPILING)
    screen.key("1")
    screen.wait(lambda: screen.state()["solver"] == "fused")
    screen.key("s")
    screen.wait(lambda: not screen.state()["stiff"])
    screen.key("s")
    screen.wait(lambda: screen.state()["stiff"])
    assert len(screen.grabs(False)) == 1
    screen.do("mouseup", 1)
    screen.wait(lambda: not screen.grabs(False))
    screen.wait(lambda: screen.state()["gap"] < 1e-6)
    left, top, right, bottom = screen.state()["rects"]["timeline"]
    before = screen.state()["time"]
    screen.move(0.5 * (left + right), 0.5 * (top + bottom))
    screen.do("click", 1)
    screen.wait(lambda: screen.state()["past"] and screen.state()["time"] < 0.7 * before)
    screen.move(300, 300)
    screen.key("space")
    screen.wait(lambda: not screen.state()["past"] and not screen.state()["paused"])
    assert screen.state()["time"] < before


def test_a_scene_is_dropped_broken_and_mended(screen, tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(SWING)
    screen.start()
    screen.client("drop", str(path))
    screen.wait(lambda: screen.state()["name"] == "swing")
    path.write_text(SWING.replace("radius", "radios"))
    screen.wait(lambda: "swing.yaml:3:" in screen.state()["error"])
    assert "^" in screen.state()["error"]
    tick = screen.state()["tick"]
    screen.wait(lambda: screen.state()["tick"] > tick)  # the last good scene goes on
    path.write_text(SWING)
    screen.wait(lambda: screen.state()["error"] == "")


def test_a_killed_window_offers_what_was_done_in_it(screen, tmp_path):
    """A pin and a mode. The answer "no" is remembered."""
    screen.start()
    screen.drag("index3", 20, -40)
    screen.wait(lambda: len(screen.grabs(False)) == 1)
    screen.key("Return")
    screen.wait(lambda: len(screen.grabs(True)) == 1)
    screen.do("mouseup", 1)
    screen.key("6")
    screen.wait(lambda: screen.state()["solver"] == "aba", COMPILING)
    screen.wait(lambda: any(tmp_path.glob("marionette/drafts/*/draft.mrn")))
    screen.settle(2.0)
    screen.kill()
    screen.start()
    screen.wait(lambda: "restore draft" in screen.state()["rects"])
    assert screen.state()["solver"] == "fused"
    screen.click("restore draft")
    screen.wait(lambda: screen.state()["solver"] == "aba" and len(screen.grabs(True)) == 1)
    screen.settle(2.0)
    screen.kill()
    screen.start()
    screen.wait(lambda: "decline draft" in screen.state()["rects"])
    screen.click("decline draft")
    screen.wait(lambda: "decline draft" not in screen.state()["rects"])
    screen.kill()
    screen.start()
    screen.settle(0.5)
    assert "restore draft" not in screen.state()["rects"]
    assert screen.state()["solver"] == "fused"
