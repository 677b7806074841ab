"""Ten minutes of random input at a window with its own stepper thread, drawing everything: what grows?

`python -m tests.app.ui.soak --minutes 10 --write` keeps the result in `tests/app/ui/soak.md`. Machine code stays once
it is loaded, and is no growth: before it begins, another process compiles, and then this one uses, every scene of the
library with each solver mode and integrator that takes it, contact method and switch (`use_everything`), and in the
window every scene, key, panel and a whole comparison (`Soak.visit`). Each minute the hand is loaded
anew, alone, and paused in the same view (`Soak.rest`), so that memory, frame time and OpenGL objects are compared in
the same state: a scene whose loading could be undone, or a comparison that runs, takes megabytes and is no growth. Of
the frame time the least of many is taken: what else the machine does can only add to it.
"""

import argparse
import ctypes
import gc
import os
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import moderngl
import numpy as np

from app.host.settings import Settings
from app.render.camera import Camera
from app.run.compare import SIZES
from app.run.compiling import Needs, made_for, use_at_first, use_the_rest
from app.run.requests import Pause
from app.run.stepper import MOST_BEFORE
from app.ui.panels import PANELS
from app.ui.history import Shown
from physics.data.step_tables import INTEGRATORS
from physics.definitions.checks import DefinitionError
from physics.solvers.modes import MODES
from physics.world.world import CONTACT_METHODS, CannotContinueError, World
from tests.helpers.generators import chain
from scenes.loading.library import library_names
from scenes.loading.loader import read_scene as load_scene

RESULT = Path(__file__).with_name("soak.md")
KINDS = (moderngl.Buffer, moderngl.Texture, moderngl.Framebuffer, moderngl.VertexArray, moderngl.Renderbuffer)
LEFT_OUT = {"quit", "full_screen", "screenshot", "record", "save", "larger_font", "smaller_font"}
ALLOWED = 20.0  # MB
FRAMES = 200


@dataclass
class Sample:
    minute: float
    memory: float  # MB
    frame: float  # s from begin to end, the least of FRAMES
    own: float  # s of this thread's processor time, the least of FRAMES; drawing by software is most of it
    yardstick: float  # s of processor time of work that is always the same: how fast the machine is just now
    objects: int  # of OpenGL, not released
    inputs: int


def memory():
    """MB of this process, after freed memory has been given back."""
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    text = Path("/proc/self/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024.0


def living():
    return sum(
        type(thing) in KINDS and not isinstance(thing.mglo, moderngl.InvalidObject) for thing in gc.get_objects()
    )


def work():
    """s of processor time of something like a frame: small objects, numbers, copies of a few hundred kB."""
    begin = time.thread_time()
    numbers = np.arange(40_000.0)
    for k in range(20):
        numbers = numbers[::-1] * 1.000001 + len({str(i): i for i in range(50 + k)})
    return time.thread_time() - begin


def use_everything():
    """Everything of which the first use loads machine code, and compiles it where it is missing."""
    for name in library_names():
        scene = load_scene(name)
        for order, solver, integrator in product(("dynamic", "kinematic"), MODES, INTEGRATORS):
            # to be refused is a use too; the kinematic order has no integrator
            if order == "dynamic" or integrator == "implicit":
                with suppress(DefinitionError):
                    step(made_for(scene.definitions, Needs(solver, integrator, order)))
        world = scene.make_world()
        use_at_first(world)
        use_the_rest(world, scene.definitions)
        for solver, method, switch in product(MODES, CONTACT_METHODS, ("as it is", "sleeping", "drives_on", "limits")):
            with suppress(DefinitionError):
                world = scene.make_world()
                world.use_solver(solver)
                world.contact_method = method
                if switch == "limits":
                    for joint in world.joints.values():
                        joint.limited = joint.limits is not None and not joint.limited
                elif switch != "as it is":
                    setattr(world, switch, not getattr(world, switch))
                step(world)
    for solver in MODES:
        step(World(chain(SIZES[0]), solver=solver))


def step(world):
    with suppress(CannotContinueError):
        world.step(1)


def compile_everything():
    """In another process: what numba compiles from would stay in this one."""
    subprocess.run([sys.executable, "-m", "tests.app.ui.soak", "--compile"], check=True)


class Soak:
    def __init__(self, seed=0):
        from tests.helpers.app.window import make_hand

        self.rng = np.random.default_rng(seed)
        self.hand = make_hand((640, 360))
        self.inputs = 0
        self.errors = []

    def visit(self):
        """Every scene, key and panel once, and a whole comparison."""
        session = self.hand.session
        others = LEFT_OUT | {"next_scene", "previous_scene"}
        keys = [keys[0] for name, keys in session.keys.items() if keys and name not in others]
        for name in library_names():
            if session.snapshot.paused:
                self.hand.key(session.keys["pause"][0])
            old = session.snapshot.scene
            session.scenes.open(name)
            self.hand.until(lambda old=old: session.snapshot.scene is not old and session.snapshot.tick > 2, 120.0)
            for key in keys:
                self.hand.key(key)
            self.hand.settle()
        session.settings.panels = [panel.title for panel in PANELS]
        self.hand.frames(3)
        self.hand.until(lambda: not session.comparison.running, 600.0)

    def rest(self):
        """The hand alone, paused in the one view: nothing is held, pressed, compared, or left of other scenes."""
        hand, session = self.hand, self.hand.session
        for button in (1, 2, 4):
            hand.release(button)
        hand.modifiers = 0
        session.settings = Settings(hint_shown=True)
        session.stepper.clock.speed = 1.0
        session.comparison.stop()
        hand.until(lambda: not session.comparison.running, 600.0)
        for _ in range(MOST_BEFORE + 1):  # what was there before can be had back, and takes memory until then
            session.ask(Pause(False))
            old = session.snapshot.scene
            session.scenes.open("hand")
            hand.until(lambda old=old: session.snapshot.scene is not old and session.snapshot.tick > 2, 60.0)
        session.ask(Pause(True))
        hand.settle()
        session.messages.clear()
        session.shown, session.selected = Shown(), None
        session.camera = Camera(size=session.camera.size)
        session.camera.frame(session.look.centre, session.look.radius)
        hand.move(320, 100)
        hand.frames(5)

    def sample(self, minute):
        self.rest()
        hand, session = self.hand, self.hand.session
        frame = own = np.inf
        yardstick = np.inf
        for _ in range(FRAMES):
            begin = time.perf_counter()
            hand.frames()
            frame = min(frame, time.perf_counter() - begin)
            own = min(own, hand.window.frame.own_seconds)
            yardstick = min(yardstick, work())
        used = memory()
        session.ask(Pause(False))
        return Sample(minute, used, frame, own, yardstick, living(), self.inputs)

    def act(self):
        """One thing that a hand at mouse and keyboard does."""
        rng, hand, session = self.rng, self.hand, self.hand.session
        self.inputs += 1
        what = rng.integers(12)
        if what < 5:
            hand.move(*(rng.random(2) * (640, 360)))
        elif what < 7:
            button = (1, 1, 2, 4)[rng.integers(4)]
            hand.release(button) if hand.buttons & button else hand.press(button)
        elif what < 8:
            hand.scroll(float(rng.integers(-3, 4)))
        elif what < 11:
            keys = [key for name, some in session.keys.items() if name not in LEFT_OUT for key in some[:1]]
            hand.key(keys[rng.integers(len(keys))])
        else:
            hand.frames(3)
        while session.messages:
            message = session.messages.popleft()
            if message.kind == "error" and "allowed:" not in message.text:  # a mode that the figure cannot have
                self.errors.append(f"{session.scenes.source}: {message.text}")

    def run(self, minutes, told=None):
        compile_everything()
        use_everything()
        self.visit()
        begin = time.monotonic()
        samples = []
        while True:
            passed = (time.monotonic() - begin) / 60.0
            if passed >= len(samples) * minutes / 10.0:
                samples.append(self.sample(passed))
                if told is not None:
                    told(samples[-1])
                if passed >= minutes:
                    return samples
            self.act()


def trend(samples):
    """% by which a frame takes more of the yardstick in the second half than in the first, the middle one of each."""
    ratios = [s.own / s.yardstick for s in samples[1:]]
    half = len(ratios) // 2
    return 100.0 * float(np.median(ratios[half:]) / np.median(ratios[:half]) - 1.0)


def report(samples, errors, minutes):
    first, last = samples[1], samples[-1]  # the first of all still fills histories, timelines and what can be undone
    lines = [
        "# Soak", "",
        f"`python -m tests.app.ui.soak --minutes {minutes:g} --write`: {last.inputs} random inputs (mouse, wheel, "
        "every key of the table) at a window of 640x360 drawn by software, over all scenes of the library. "
        "Before it begins, "
        "every scene is used once with each mode and integrator that takes it, contact method, switch, key and panel, "
        "so that all machine code is loaded: what is measured is growth and nothing else.", "",
        "| minute | memory MB | frame ms | own processor time ms | yardstick ms | OpenGL objects | inputs |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {s.minute:.1f} | {s.memory:.1f} | {1e3 * s.frame:.2f} | {1e3 * s.own:.2f} | {1e3 * s.yardstick:.2f} "
            f"| {s.objects} | {s.inputs} |"
            for s in samples
        ), "",
        f"Memory grew by {last.memory - first.memory:.1f} MB after the first minute (allowed {ALLOWED:g}); OpenGL "
        f"objects: {last.objects - first.objects:+d}. Frame times are of the paused hand in one view, the least of "
        f"{FRAMES}; whole frames depend on what else the machine does (load at the end {os.getloadavg()[0]:.1f}). "
        f"This thread's own time by the yardstick of that minute, first half to second half: {trend(samples):+.1f} %.",
        "",
        f"Errors told: {len(errors)}", *(f"- {text}" for text in sorted(set(errors))[:30]),
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--compile", action="store_true", help="nothing but that")
    words = parser.parse_args()
    if words.compile:
        use_everything()
        return
    soak = Soak()
    samples = soak.run(words.minutes, lambda sample: print(sample, flush=True))
    text = report(samples, soak.errors, words.minutes)
    soak.hand.window.close()
    print(text)
    if words.write:
        RESULT.write_text(text)


if __name__ == "__main__":
    main()
