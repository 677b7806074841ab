"""The program itself on a virtual screen, with a real mouse and real windows messages. Needs `xvfb` and `xdotool`."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    not (shutil.which("Xvfb") and shutil.which("xdotool")), reason="apt-get install xvfb xdotool"
)


class Screen:
    """A virtual screen with the program on it."""

    def __init__(self, folder):
        self.folder = folder
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", "1000x640x24"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        self.environment = {**os.environ, "DISPLAY": f":{number}", "XDG_CONFIG_HOME": str(folder)}
        self.log = folder / "log.txt"
        self.program = self.window = None

    def start(self, *arguments):
        begin = time.monotonic()
        self.program = subprocess.Popen(
            [sys.executable, "-m", "tests.app.watched", str(self.log), *arguments], cwd=TOP, env=self.environment
        )
        self.wait(lambda: self.state().get("tick", 0) > 20, 60.0)
        self.window = int(self.do("search", "--name", "^Marionette$").split()[-1])
        return time.monotonic() - begin

    def do(self, *words):
        done = subprocess.run(
            ["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout

    def client(self, verb, *words):
        code = [sys.executable, "-m", "tests.app.xclient", verb, str(self.window), *words]
        subprocess.run(code, cwd=TOP, env=self.environment, check=True, timeout=30)

    def state(self):
        """What the program last wrote of itself."""
        try:
            return json.loads(self.log.read_text())
        except (OSError, ValueError):
            return {}

    def wait(self, true, seconds=15.0):
        end = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < end, f"it did not come about; the program said {self.state()}"
            assert self.program.poll() is None, "the program ended"
            time.sleep(0.05)

    def move(self, x, y):
        self.do("mousemove", round(x), round(y))
        time.sleep(0.1)

    def stop(self):
        for process in (self.program, self.server):
            if process is not None and process.poll() is None:
                process.terminate()
                process.wait(20)


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
    screen.wait(lambda: screen.state()["solver"] == "aba", 60.0)
    screen.client("close")
    assert screen.program.wait(15) == 0
