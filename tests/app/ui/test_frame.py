"""What a frame costs, and that it never waits for physics.

Behind the marker: headless, a process can have one window, and the other tests have theirs. By itself:
`pytest -n0 -m long tests/app/ui/test_frame.py`. The figures of a run are in `tests/app/ui/frame.md`.
"""

import numpy as np
import pytest

from tests.app.ui import frame
from tests.helpers.app.window import make_hand

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def person(tmp_path_factory):
    made = make_hand((640, 360), tmp_path_factory.mktemp("settings"))
    with frame.undrawn():
        yield made
    made.window.close()


def test_a_frame_of_the_hand_costs_little(person):
    assert frame.own_time(person) < 2e-3


def test_a_thousand_bodies_cost_little_more(person):
    frame.load(person, "chain", ("links=10",))
    renderer = person.window.frame.renderer
    few = renderer.draw_calls
    frame.load(person, "chain", ("links=1000",))
    assert frame.own_time(person, 60) < 4e-3
    assert renderer.draw_calls == few
    assert renderer.uploaded < 200_000
    frame.load(person, "hand")


def test_frames_do_not_wait_for_slow_steps(person):
    """Steps of 50 ms: frames take as long as of the same view paused, and the snapshot is there at once."""
    rates = frame.beside_slow_steps(person)
    assert rates.steps > 0
    assert np.quantile(rates.running, 0.1) < 1.1 * np.quantile(rates.paused, 0.1) + 2e-4
    assert np.median(rates.waits) < 5e-3


def test_every_panel_together_costs_little(person):
    with frame.every_panel(person.session):
        assert frame.own_time(person, 100) < 2.5e-3
