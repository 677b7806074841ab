"""What a frame costs, and that it never waits for physics.

Behind the marker: headless, a process can have one window, and the other tests have theirs. By itself:
`pytest -n0 -m long tests/app/test_frame.py`.
"""

import time

import moderngl
import numpy as np
import pytest
from imgui_bundle import imgui

from app.gallery import Opened
from app.panels import PANELS
from app.render.scenery import look_of
from app.stepper import Load, Pause
from scenes.loader import read_scene
from tests.app.conftest import make_hand

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    made = make_hand((640, 360), tmp_path_factory.mktemp("settings"))
    yield made
    made.window.close()


@pytest.fixture
def undrawn(monkeypatch):
    """Calls that a graphics card carries out by itself do nothing: here the processor would, in our thread."""
    monkeypatch.setattr(moderngl.VertexArray, "render", lambda *_, **__: None)
    monkeypatch.setattr(moderngl.Framebuffer, "clear", lambda *_, **__: None)
    monkeypatch.setattr(imgui.backends, "opengl3_render_draw_data", lambda *_: None)


def own_time(person, frames=200):
    """s, the least of so many, with the mouse over the figure: what this thread computes for a frame."""
    person.move(220, 150)
    least = 1.0
    for _ in range(frames):
        person.window.switch_to()
        person.window.dispatch_event("on_draw")
        least = min(least, person.window.frame.own_seconds)
    return least


def load(person, *settings):
    scene = read_scene(*settings)
    person.session.ask(Load(scene.definitions, scene.name, scene.make_world, Opened(scene.name, scene, look_of(scene))))
    person.until(lambda: person.session.snapshot.scene is scene.definitions)


def test_a_frame_of_the_hand_costs_little(person, undrawn):
    assert own_time(person) < 2e-3


def test_a_thousand_bodies_cost_little_more(person, undrawn):
    load(person, "chain", ("links=10",))
    person.frames(3)
    renderer = person.window.frame.renderer
    few = renderer.draw_calls
    load(person, "chain", ("links=1000",))
    assert own_time(person, 60) < 4e-3
    assert renderer.draw_calls == few
    assert renderer.uploaded < 200_000
    load(person, "hand")


def test_frames_do_not_wait_for_slow_steps(person, undrawn, monkeypatch):
    """Steps of 50 ms: frames take as long as of the same view paused, and the snapshot is there at once."""
    session = person.session
    simulation = session.stepper.simulation
    simulation.world.timestep = 0.05
    step = simulation.step

    def slow(count):
        time.sleep(0.05 * count)  # as compiled code does, without the interpreter's lock
        step(count)

    def least(count=150):
        spent = []
        for _ in range(count):
            begin = time.perf_counter()
            person.frames()
            spent.append(time.perf_counter() - begin)
        return float(np.quantile(spent, 0.1))  # what others do on the machine is left out

    session.ask(Pause(True))
    person.settle()
    paused = least()
    monkeypatch.setattr(simulation, "step", slow)
    session.ask(Pause(False))
    tick = session.snapshot.tick
    waits = []
    update = session.update

    def timed():
        begin = time.thread_time(), time.perf_counter()
        result = update()
        waits.append(time.perf_counter() - begin[1] - (time.thread_time() - begin[0]))
        return result

    monkeypatch.setattr(session, "update", timed)
    running = least()
    assert session.snapshot.tick > tick
    assert running < 1.1 * paused + 2e-4
    assert np.median(waits) < 5e-3
    monkeypatch.undo()


def test_every_panel_together_costs_little(person, undrawn):
    session = person.session
    panels = list(session.settings.panels)
    session.settings.panels = [panel.title for panel in PANELS]
    try:
        assert own_time(person, 100) < 2.5e-3
    finally:
        session.settings.panels = panels
