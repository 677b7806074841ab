"""Random drags: a hundredth of the ten thousand, in one mode; five hundred in all modes and a soak are `long`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]


def alone(script: str) -> Any:
    """What the script prints last, in a process of its own, as other tests leave drawing contexts of another kind"""
    script = (
        "import json, threading\nfrom app.ui import actions\nfrom tests.app import conftest\n"
        "from tests.app.ui import soak, violence\n" + script
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


DRAGS = """
outcome = violence.run(100, modes=("fused",))
print(json.dumps([outcome.count, outcome.held, [str(t) for t in outcome.troubles]]))
"""
IN_ALL_MODES = """
outcome = violence.run(500)
print(json.dumps([outcome.count, outcome.held, [str(t) for t in outcome.troubles]]))
"""
SOAK = """
soaked = soak.Soak()
samples = soaked.run(10.0)
soaked.hand.window.close()
first, last = samples[1], samples[-1]
grown = last.memory - first.memory, last.objects - first.objects
print(json.dumps([*grown, soak.ALLOWED, soak.trend(samples), [str(e) for e in soaked.errors]]))
"""
REST = """
soaked = soak.Soak()
session, mouse = soaked.hand.session, soaked.hand.window.frame.mouse
def state():
    soaked.rest()
    before = [simulation.name for simulation, _ in session.stepper._before]
    compared = [thread.name for thread in threading.enumerate() if thread.name == "compare"]
    camera = [*session.camera.eye.tolist(), *session.camera.target.tolist()]
    return [before, compared, camera, mouse.doing, session.selected, str(session.shown), str(session.settings)]
states = [state()]
for scene in ("chain", "hand"):
    old = session.snapshot.scene
    session.settings.font_size, session.settings.theme = 24.0, "light"
    session.scenes.open(scene)
    soaked.hand.until(lambda: session.snapshot.scene is not old)
    session.selected, session.shown.trail = 1, True
    soaked.hand.point_at(session.snapshot.names[1])
    soaked.hand.press(2)
    soaked.hand.move(soaked.hand.x - 20, soaked.hand.y + 20)
    assert mouse.doing
    actions.compare(session)
    soaked.hand.until(lambda: session.comparison.results)
    states.append(state())
soaked.hand.window.close()
print(json.dumps(states))
"""


def test_random_drags_do_no_harm():
    count, held, troubles = alone(DRAGS)
    assert count == 100
    assert held > 50  # the mouse really took hold
    assert troubles == []


def test_the_soak_compares_the_same_state():
    """Whatever was pressed, loaded or compared before, nothing of it counts as growth."""
    first, *later = alone(REST)
    assert later == [first, first]
    before, compared, *_ = first
    assert before == ["hand"]
    assert compared == []


@pytest.mark.long
def test_five_hundred_random_drags_in_all_modes_do_no_harm():
    count, held, troubles = alone(IN_ALL_MODES)
    assert count == 500
    assert held > 250
    assert troubles == []


@pytest.mark.long
def test_ten_minutes_of_random_input_leave_nothing_behind():
    memory, objects, allowed, trend, errors = alone(SOAK)
    assert memory < allowed
    assert objects == 0
    assert trend < 15.0  # %
    assert errors == []
