"""What panels are made of: numbers in few letters, lines of a file cut to the room, limits of plots, histories."""

import numpy as np
import pytest

from app.run.snapshot import least_times
from app.ui.overlay import newtons
from app.ui.panels.figure import weighed
from app.ui.panels.plots import TICKS, decades, limits, power
from app.ui.panels.widgets import cut_to, figures
from app.ui.history import History


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (3e-16, "0"), (2.5e-12, "2.5e-12"), (0.0432, "0.0432"), (-1.5, "-1.5"), (99.94, "99.9"),
        (1023.4, "1023"), (99999.0, "99999"), (3.2e8, "3.2e+08"),
    ],
)  # fmt: skip
def test_numbers_of_a_column_are_short(value, text):
    assert figures(value) == text
    assert len(text) <= 7


@pytest.mark.parametrize(("force", "text"), [(0.004, "4 mN"), (21.5, "21.5 N"), (999.6, "1 kN"), (1374.0, "1.37 kN")])
def test_a_pull_is_told_without_powers_of_ten(force, text):
    assert newtons(force) == text


@pytest.mark.parametrize(("mass", "text"), [(0.0044041, "4.404 g"), (0.1, "0.1 kg"), (71.5, "71.5 kg")])
def test_what_is_light_is_weighed_in_grams(mass, text):
    assert weighed(mass) == text


@pytest.mark.parametrize(("tick", "text"), [(1e-9, "1e-9"), (1e-3, "0.001"), (1.0, "1"), (100.0, "100"), (1e5, "1e5")])
def test_a_power_of_ten_is_short(tick, text):
    assert power(tick) == text


LINE = "  bob: {shape: {sphere: {at: [0.5, 0, 0], radios: 0.1}}}"


@pytest.mark.parametrize("room", [200, 40, 20])
@pytest.mark.parametrize("word", ["bob", "sphere", "radios"])
def test_the_caret_stays_under_its_word_however_little_room_there_is(room, word):
    line, caret = cut_to([LINE, " " * LINE.index(word) + "^"], room)
    assert len(line) <= room
    assert line[caret.index("^")] in word
    assert line[caret.index("^") :].startswith(word[:3])
    assert line.startswith("...") == (len(LINE) > room and word == "radios") or room == 20


def test_plots_leave_room_about_their_lines():
    low, high = limits(np.array([[0.0, 1.0], [2.0, 5.0]]))
    assert (low, high) == pytest.approx((-0.4, 5.4))
    low, high = limits(np.array([[3.0, 3.0]]))
    assert low < 3.0 < high
    low, high = limits(np.array([[0.0, 1e-12]]), logarithmic=True)  # nothing at all has no logarithm
    assert 1e-19 < low < 1e-18
    assert 1e-12 < high < 1e-11


@pytest.mark.parametrize(("low", "high"), [(0.05, 130.0), (1e-17, 2e-12), (0.2, 0.9), (1.0, 1e4)])
def test_powers_of_ten_at_the_axis_are_few_and_within_it(low, high):
    ticks = decades(low, high)
    assert len(ticks) <= TICKS
    assert ((ticks >= low * (1 - 1e-9)) & (ticks <= high * (1 + 1e-9))).all()
    assert len(ticks) >= min(2, np.floor(np.log10(high)) - np.ceil(np.log10(low)) + 1)
    assert np.abs(np.log10(ticks) % 1).max(initial=0.0) == 0.0


def test_the_time_of_a_step_of_a_solution_is_the_least_of_those_in_which_it_was_taken():
    laps = [{"free": 2.0, "columns": 0.0}, {"free": 1.0, "columns": 7.0}, {"free": 3.0, "columns": 5.0}]
    assert least_times(laps) == {"free": 1.0, "columns": 5.0}
    assert least_times([{"free": 0.0}]) == {"free": 0.0}


def test_a_history_forgets_what_lies_after_a_moment_that_one_goes_on_from():
    history = History()
    for time in (0.0, 1.0, 2.0, 3.0, 1.5, 2.5):
        history.add(time, 10.0 * time)
    assert history.columns()[0].tolist() == [0.0, 1.0, 1.5, 2.5]
