"""Random drags: a hundredth of the ten thousand, in one mode; five hundred in all modes and a soak are `long`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def alone(script: str) -> Any:
    """What the script prints last, in a process of its own, as other tests leave drawing contexts of another kind"""
    script = "import json\nfrom tests.app import conftest, soak, violence\n" + script
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


def test_random_drags_do_no_harm():
    count, held, troubles = alone(DRAGS)
    assert count == 100
    assert held > 50  # the mouse really took hold
    assert troubles == []


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
