"""Tests of the window are skipped without the libraries that it asks for; fixtures of a person at a window."""

import pytest

from tests.helpers.app.window import MISSING, SIZE, make_hand

# test files that draw, or open a window
DRAWN = {f"test_{name}.py" for name in ("window", "window_mouse", "render", "end_to_end", "frame", "violence")}


def pytest_collection_modifyitems(items):
    """Without the libraries that the window itself asks for, its tests cannot be run."""
    if not MISSING:
        return
    reason = f"no lib{', lib'.join(MISSING)}: apt-get install libgl1 libegl1 libx11-6 libxrender1"
    for item in items:
        if item.path.name in DRAWN:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture
def hand(tmp_path, monkeypatch):
    """A person at a window with the hand in it."""
    monkeypatch.chdir(tmp_path)  # where pictures and copies of scenes are written
    person = make_hand(SIZE, tmp_path)
    yield person
    person.window.close()


@pytest.fixture
def large(tmp_path, monkeypatch):
    """The same in the size that people have: every panel is on the screen."""
    monkeypatch.chdir(tmp_path)
    person = make_hand((1280, 720), tmp_path)
    yield person
    person.window.close()
