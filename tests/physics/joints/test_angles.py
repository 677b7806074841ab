"""Angles from sine and cosine (`maths.angle`), against the library's."""

import math

import numpy as np
import pytest

from physics.compiler.jit import entry
from physics.maths.angle import arctangent, half_turn


@entry("vvv")
def angles(y, x, out):
    for k in range(len(y)):
        out[k] = arctangent(y[k], x[k])


@entry("vvv")
def half_turns(s2, w, out):
    for k in range(len(w)):
        out[k] = half_turn(s2[k], w[k])


def test_arctangent_to_a_few_units_in_the_last_place():
    turn = np.concatenate([np.linspace(-math.pi, math.pi, 4001), np.geomspace(1e-12, 3.0, 1000)])
    y, x = 7.0 * np.sin(turn), 7.0 * np.cos(turn)
    out = np.empty_like(turn)
    angles(y, x, out)
    wanted = np.arctan2(y, x)
    # at +-pi the library looks at the sign of a zero
    assert np.abs(out - wanted).max() <= 1e-15
    assert (np.abs(out - wanted) <= 5e-16 * np.abs(wanted)).all()
    axes = np.empty(5)
    angles(np.array([0.0, 1.0, 0.0, -1.0, 0.0]), np.array([1.0, 0.0, -1.0, 0.0, 0.0]), axes)
    assert axes.tolist() == [0.0, math.pi / 2, math.pi, -math.pi / 2, 0.0]
    assert math.isnan(run_one(math.nan, 1.0))


def run_one(y, x):
    out = np.empty(1)
    angles(np.array([y]), np.array([x]), out)
    return out[0]


def test_half_turns_from_none_to_a_whole_one():
    turn = np.geomspace(1e-150, math.pi / 2, 3000)
    out = np.empty_like(turn)
    half_turns(np.sin(turn) ** 2, np.cos(turn), out)
    # near half a turn the sine says nothing, and the cosine everything
    assert out * np.sin(turn) == pytest.approx(turn, rel=8e-16)
    half_turns(np.zeros(1), np.ones(1), out)
    assert out[0] == 1.0
