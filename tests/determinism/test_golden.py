"""The scripted runs of `golden.py` end in the states that `golden.json` has: a change that is not meant to change the
physics leaves them to the bit. `python -m tests.determinism.golden --write` writes the file anew."""

import json

import pytest

from tests.determinism import golden

KNOWN = json.loads(golden.FILE.read_text(encoding="utf-8"))
KEYS = golden.combinations()
# A prime that divides neither the number of modes nor that of integrators: each of both is met.
SHARE = 11


@pytest.mark.parametrize("key", KEYS[::SHARE], ids=" ".join)
def test_a_share_of_the_runs_ends_as_before(key):
    assert golden.run(*key) == KNOWN.get(" ".join(key))


def test_the_share_meets_every_scene_mode_and_integrator():
    met = [set(column) for column in zip(*KEYS[::SHARE], strict=True)]
    assert met == [set(column) for column in zip(*KEYS, strict=True)]


@pytest.mark.long
def test_every_run_ends_as_before():
    found = golden.every_run()
    assert {key for key in found.keys() | KNOWN.keys() if found.get(key) != KNOWN.get(key)} == set()
