"""One sitting of somebody new, with a real mouse on a virtual screen of 1280x720; of each step a picture to look at.

`python -m tests.app.ui.sitting FOLDER`: start with no argument, drag a finger, pin it, drag another, all modes while
holding, stiffness off and on, pose, hold the pose, go back ten seconds and on from there, drop a scene, break its file
and mend it, close. The same is asserted of what the program says of itself.
"""

import argparse
import math
import time
from pathlib import Path

from PIL import ImageGrab

from physics.solvers.modes import MODES
from tests.helpers.app.screen import COMPILING, Screen

SIZE = (1280, 720)
SWING = """\
marionette: 1
bodies:
  bob: {shape: {sphere: {at: [0.5, 0, 0], radius: 0.1}}}
  box: {shape: {box: {at: [0, 0, -0.5], size: [0.2, 0.2, 0.2]}}}
ground: {height: -0.8}
joints:
  pivot: {hinge: [world, bob], at: [0, 0, 0], axis: y}
"""


class Sitting:
    def __init__(self, folder, scale=1):
        self.folder = folder
        self.screen = Screen(folder, SIZE, scale)
        self.number = 0

    def look(self, what):
        """A picture of the screen, once the frame after the last input is there."""
        frames = self.state["frames"]
        self.screen.wait(lambda: self.state.get("frames", 0) > frames + 6, 60.0)
        self.number += 1
        ImageGrab.grab(xdisplay=self.screen.environment["DISPLAY"]).save(
            self.folder / f"{self.number:02d}-{what.replace(' ', '-')}.png"
        )
        state = self.state
        print(f"{self.number:02d} {what}: {state['time']:.2f} s, {state['messages'][-2:]}", flush=True)

    @property
    def state(self):
        return self.screen.state()

    def holds(self):
        return self.screen.grabs(False)

    def later(self, seconds):
        """Of the figure's time."""
        end = self.state["time"] + seconds
        self.screen.wait(lambda: self.state["time"] > end, 20.0 * seconds + 20.0)

    def run(self):
        screen = self.screen
        screen.start()
        self.later(0.5)
        self.look("started with no argument")
        self.hold_fingers()
        self.switch_while_holding()
        self.pose()
        self.go_back()
        self.drop_a_scene()
        screen.client("close")
        assert screen.program.wait(30) == 0
        print("closed with exit code 0")

    def hold_fingers(self):
        screen = self.screen
        screen.drag("index3", 40, -70)
        screen.wait(lambda: len(self.holds()) == 1)
        self.later(0.5)
        assert sum(f * f for f in self.holds()[0][1]) > 1e-4  # newtons squared
        self.look("a finger is dragged")
        screen.key("Return")
        screen.wait(lambda: len(screen.grabs(True)) == 1)
        screen.do("mouseup", 1)
        screen.move(300, 500)
        self.look("it is pinned")
        screen.drag("little3", -30, -60)
        screen.wait(lambda: len(self.holds()) == 1)
        self.later(0.3)
        self.look("another is dragged")

    def switch_while_holding(self):
        screen = self.screen
        names = list(MODES)
        for mode in (*names[1:], names[0]):
            begin, tick = time.monotonic(), self.state["tick"]
            screen.key(str(1 + names.index(mode)))
            if not self.changed(lambda mode=mode: self.state["solver"] == mode, 3.0):
                self.look(f"{mode} is coming")  # it is compiled; meanwhile the old one goes on
                assert self.state["tick"] > tick
            screen.wait(lambda mode=mode: self.state["solver"] == mode, COMPILING)
            print(f"   {mode} after {time.monotonic() - begin:.1f} s", flush=True)
            self.later(0.2)
            assert len(self.holds()) == 1
            self.look(f"mode {mode}")
        screen.key("s")
        screen.wait(lambda: not self.state["stiff"])
        self.later(0.7)
        self.look("stiffness off")
        screen.key("s")
        screen.wait(lambda: self.state["stiff"])
        self.later(0.7)
        self.look("stiffness on")
        screen.do("mouseup", 1)
        screen.wait(lambda: not self.holds())
        assert self.state["gap"] < 1e-6

    def changed(self, true, seconds):
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                return False
            time.sleep(0.05)
        return True

    def pose(self):
        """Paused, a finger is led and stays; held, it stays when time runs again."""
        screen = self.screen
        screen.key("Delete")
        screen.wait(lambda: not screen.grabs(True))
        screen.key("space")
        screen.wait(lambda: self.state["paused"])
        moment = self.state["time"]
        before = self.state["places"]["middle3"]
        for _ in range(100):  # what it takes may have to be compiled: the program says so, and to drag again
            screen.drag("middle3", 0, -70)
            if self.changed(lambda: math.dist(self.state["places"]["middle3"], before) > 20, 2.0):
                break
            screen.do("mouseup", 1)
            self.look("posing is coming")
            time.sleep(5.0)
        self.look("posed while paused")
        screen.do("mouseup", 1)
        screen.wait(lambda: not self.holds())
        posed = self.state["places"]["middle3"]
        assert math.dist(posed, before) > 20
        assert self.state["time"] == moment
        screen.key("h")
        time.sleep(0.5)
        self.look("the pose is held")
        screen.key("space")
        screen.wait(lambda: not self.state["paused"], 30.0)
        self.later(2.0)
        self.look("two seconds on it still holds")
        assert math.dist(self.state["places"]["middle3"], posed) < 8

    def go_back(self):
        screen = self.screen
        self.later(max(12.0 - self.state["time"], 0.1))
        left, top, right, bottom = self.state["rects"]["timeline"]
        before = self.state["time"]
        share = 1.0 - 10.0 / before
        screen.move(left + share * (right - left), 0.5 * (top + bottom))
        screen.do("click", 1)
        screen.wait(lambda: self.state["past"], 60.0)
        screen.wait(lambda: abs(before - 10.0 - self.state["time"]) < 1.0, 60.0)
        self.look("ten seconds back")
        screen.move(300, 500)
        screen.key("space")
        screen.wait(lambda: not self.state["past"] and not self.state["paused"], 60.0)
        self.later(0.5)
        assert self.state["time"] < before - 5.0
        self.look("going on from there")

    def drop_a_scene(self):
        screen = self.screen
        path = self.folder / "swing.yaml"
        path.write_text(SWING)
        screen.client("drop", str(path))
        if not self.changed(lambda: self.state["name"] == "swing", 3.0):
            self.look("the dropped scene is coming")
        screen.wait(lambda: self.state["name"] == "swing", COMPILING)
        self.later(0.4)
        self.look("a scene was dropped")
        path.write_text(SWING.replace("radius", "radios"))
        screen.wait(lambda: "swing.yaml:3:" in self.state["error"])
        tick = self.state["tick"]
        screen.wait(lambda: self.state["tick"] > tick)
        self.look("its file is broken")
        path.write_text(SWING)
        screen.wait(lambda: self.state["error"] == "")
        self.look("and mended")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=1, help="2: as on a dense display; needs xprop")
    words = parser.parse_args()
    folder = words.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sitting = Sitting(folder, words.scale)
    try:
        sitting.run()
    finally:
        sitting.screen.stop()


if __name__ == "__main__":
    main()
