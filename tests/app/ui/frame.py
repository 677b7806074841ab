"""What a frame costs, and whether it waits for physics: the measurements, for tests and for a table.

`python -m tests.app.ui.frame` writes `tests/app/ui/frame.md`. The time of a frame leaves out what a graphics card does
by itself, since here the processor would do it in our thread. What remains is the mouse, the view, the calls that
draw, and the panels.
"""

import contextlib
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import moderngl
import numpy as np
from imgui_bundle import imgui

from app.render.scenery import look_of
from app.run.requests import Load, Pause
from app.ui.gallery import Opened
from app.ui.panels import PANELS
from scenes.loading.loader import read_scene
from tests.helpers.app.window import make_hand

RESULT = Path(__file__).with_name("frame.md")
SLOW = 0.05  # s a step


def nothing(*_, **__):
    pass


@contextlib.contextmanager
def undrawn():
    """Calls that a graphics card carries out by itself do nothing."""
    with (
        mock.patch.object(moderngl.VertexArray, "render", nothing),
        mock.patch.object(moderngl.Framebuffer, "clear", nothing),
        mock.patch.object(imgui.backends, "opengl3_render_draw_data", nothing),
    ):
        yield


def own_time(person, frames=200):
    """s, the least of so many, with the mouse over the figure: what this thread computes for a frame."""
    person.move(220, 150)
    least = 1.0
    for _ in range(frames):
        person.window.switch_to()
        person.window.dispatch_event("on_draw")
        least = min(least, person.window.frame.own_seconds)
    return least


@contextlib.contextmanager
def every_panel(session):
    panels = list(session.settings.panels)
    session.settings.panels = [panel.title for panel in PANELS]
    try:
        yield
    finally:
        session.settings.panels = panels


def load(person, *settings):
    scene = read_scene(*settings)
    person.session.ask(Load(scene.definitions, scene.name, scene.make_world, Opened(scene.name, scene, look_of(scene))))
    person.until(lambda: person.session.snapshot.scene is scene.definitions)
    person.frames(3)


@dataclass
class Rates:
    """Of frames beside a stepper whose steps take `SLOW`."""

    paused: np.ndarray  # s a frame, nothing steps
    running: np.ndarray  # s a frame
    waits: np.ndarray  # s in which a frame waited while it took over what the stepper had published
    steps: int

    @property
    def ratio(self):
        """Of the tenths of frames that nothing else on the machine held up."""
        return float(np.quantile(self.running, 0.1) / np.quantile(self.paused, 0.1))


def beside_slow_steps(person, count=150):
    session = person.session
    simulation = session.stepper.simulation
    simulation.world.timestep = SLOW
    step, update, waits = simulation.step, session.update, []

    def slow(count):
        time.sleep(SLOW * count)  # as compiled code does, without the interpreter's lock
        step(count)

    def timed():
        begin = time.thread_time(), time.perf_counter()
        result = update()
        waits.append(time.perf_counter() - begin[1] - (time.thread_time() - begin[0]))
        return result

    def spent():
        out = []
        for _ in range(count):
            begin = time.perf_counter()
            person.frames()
            out.append(time.perf_counter() - begin)
        return np.array(out)

    session.ask(Pause(True))
    person.settle()
    paused = spent()
    with mock.patch.object(simulation, "step", slow), mock.patch.object(session, "update", timed):
        session.ask(Pause(False))
        tick = session.snapshot.tick
        running = spent()
        steps = session.snapshot.tick - tick
    return Rates(paused, running, np.array(waits), steps)


def main():
    person = make_hand((640, 360), Path(tempfile.mkdtemp()))
    session, renderer = person.session, person.window.frame.renderer
    rows = []
    with undrawn():
        rows.append(("own time of a frame, hand", f"{1e3 * own_time(person):.2f} ms", "2 ms"))
        with every_panel(session):
            rows.append(("the same with every panel open", f"{1e3 * own_time(person):.2f} ms", ""))
        load(person, "chain", ("links=10",))
        few = renderer.draw_calls
        load(person, "chain", ("links=1000",))
        rows.append(("own time of a frame, 1,000 bodies", f"{1e3 * own_time(person):.2f} ms", "4 ms"))
        rows.append(("draw calls, 10 and 1,000 bodies", f"{few} and {renderer.draw_calls}", "equal"))
        rows.append(("uploaded a frame, 1,000 bodies", f"{renderer.uploaded / 1e3:.0f} kB", "200 kB"))
        load(person, "hand")
        rates = beside_slow_steps(person, 600)
    waits = np.maximum(1e3 * rates.waits, 0.0)  # the two clocks differ by a microsecond
    rows.append(("frames beside steps of 50 ms, as against paused", f"{rates.ratio:.3f} of their time", "1.1"))
    rows.append(("waiting for the stepper, middle frame", f"{np.median(waits):.3f} ms", "5 ms"))
    rows.append((f"the same, worst of {len(waits)} frames", f"{waits.max():.2f} ms", "5 ms"))
    person.window.close()
    text = [
        "# Frames", "",
        "`python -m tests.app.ui.frame`: headless, 640x360; times are the least of 200 frames, of this thread's "
        "processor time, without what a graphics card does by itself. "
        f"Load of the machine meanwhile: {os.getloadavg()[0]:.1f}.", "",
        "| what | measured | allowed |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows), "",
    ]  # fmt: skip
    RESULT.write_text("\n".join(text))
    print("\n".join(text))


if __name__ == "__main__":
    main()
