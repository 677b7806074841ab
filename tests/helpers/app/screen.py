"""A virtual screen with the program on it, and a real mouse and keyboard there. Needs `xvfb` and `xdotool`."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[3]
COMPILING = 600.0  # s: a mode that is not in the cache, on a busy machine


class Screen:
    """A virtual screen with the program on it."""

    def __init__(self, folder, size=(1000, 640), scale=1):
        """`size` in logical pixels; `scale` as a desktop for a dense display sets it."""
        self.folder, self.scale = folder, scale
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", f"{scale * size[0]}x{scale * size[1]}x24"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as answer:
            number = answer.readline().strip()
        self.environment = {
            **os.environ, "DISPLAY": f":{number}", "XDG_CONFIG_HOME": str(folder), "XDG_STATE_HOME": str(folder),
        }  # fmt: skip
        if scale != 1:
            resource = ["-f", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", f"Xft.dpi: {96 * scale}"]
            subprocess.run(["xprop", "-root", *resource], env=self.environment, check=True)
        self.log = folder / "log.txt"
        self.program = self.window = None

    def start(self, *arguments):
        begin = time.monotonic()
        self.program = subprocess.Popen(
            [sys.executable, "-m", "tests.helpers.app.watched", str(self.log), *arguments],
            cwd=TOP,
            env=self.environment,
        )
        self.wait(lambda: self.state().get("tick", 0) > 20, COMPILING)
        self.window = int(self.do("search", "--name", "^Marionette$").split()[-1])
        return time.monotonic() - begin

    def do(self, *words):
        done = subprocess.run(
            ["xdotool", *map(str, words)], env=self.environment, capture_output=True, text=True, check=False
        )
        return done.stdout

    def client(self, verb, *words):
        code = [sys.executable, "-m", "tests.helpers.app.xclient", verb, str(self.window), *words]
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

    def drag(self, body, dx, dy):
        """Press on a body and pull; the button stays down."""
        x, y = self.state()["places"][body]
        self.move(x, y)
        self.do("mousedown", 1)
        for share in (0.25, 0.5, 0.75, 1.0):
            self.move(x + share * dx, y + share * dy)

    def click(self, label):
        """On a widget, by the name under which it is remembered."""
        left, top, right, bottom = self.state()["rects"][label]
        self.move((left + right) / 2, (top + bottom) / 2)
        self.do("click", 1)

    def settle(self, seconds):
        """Until the program has run for so long."""
        time.sleep(seconds)

    def kill(self):
        """The program ends at once, and can do nothing about it."""
        self.program.kill()
        self.program.wait(20)
        self.log.unlink()

    def grabs(self, pinned):
        return [g for g in self.state()["grabs"] if g[2] is pinned]

    def key(self, name):
        self.do("key", name)

    def move(self, x, y):
        self.do("mousemove", round(self.scale * x), round(self.scale * y))
        time.sleep(0.1)

    def stop(self):
        for process in (self.program, self.server):
            if process is not None and process.poll() is None:
                process.terminate()
                process.wait(20)
