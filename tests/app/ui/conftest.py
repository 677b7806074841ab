"""One window for all tests of a process."""

import pytest

from dataclasses import asdict
from app.run.requests import Pause
from tests.helpers.app.window import make_hand


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """One window for all tests of a process: to open one costs as much as all frames of a test, and moderngl does not
    find the context of a second one."""
    person = make_hand((1280, 720), tmp_path_factory.mktemp("settings"), glances=True)
    yield person
    person.window.close()


@pytest.fixture
def opened(shared):
    """As after opening: the hand, running, panels and view as at first, no messages."""
    session = shared.session
    defaults = type(session.settings)()
    for name, value in asdict(defaults).items():
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
