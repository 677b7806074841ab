"""Random drags and random input; a twentieth of the ten thousand and a soak behind the marker."""

import pytest

from tests.app import soak, violence


def test_random_drags_do_no_harm():
    outcome = violence.run(48, modes=("fused",))
    assert outcome.count == 48
    assert outcome.held > 20  # the mouse really took hold
    assert outcome.troubles == []


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
    assert last.frame < 1.5 * first.frame
    assert soaked.errors == []
