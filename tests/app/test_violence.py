"""Random drags: a fortieth of the ten thousand, in one mode; as many in all modes and a soak behind the marker."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app import soak, violence

# a process of its own: other tests leave drawing contexts of another kind behind
DRAGS = """
import json
from tests.app import conftest, violence
outcome = violence.run(250, modes=("fused",))
print(json.dumps([outcome.count, outcome.held, [str(t) for t in outcome.troubles]]))
"""


def test_random_drags_do_no_harm():
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", DRAGS], cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, held, troubles = json.loads(done.stdout.splitlines()[-1])
    assert count == 250
    assert held > 125  # the mouse really took hold
    assert troubles == []


@pytest.mark.long
def test_five_hundred_random_drags_in_all_modes_do_no_harm():
    outcome = violence.run(500)
    assert outcome.held > 250
    assert outcome.troubles == []


@pytest.mark.long
def test_ten_minutes_of_random_input_leave_nothing_behind():
    soaked = soak.Soak()
    samples = soaked.run(10.0)
    soaked.hand.window.close()
    first, last = samples[1], samples[-1]
    assert last.memory - first.memory < soak.ALLOWED
    assert last.objects == first.objects
    assert soak.trend(samples) < 15.0  # %
    assert soaked.errors == []
