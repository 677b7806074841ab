"""Screw axes in series, for definitions and setting up; kernels have the same mathematics in `joints/compound.py`.

    F_b = F_a E_1(q_1) E_2(q_2) E_3(q_3)          E_k(q): turn by t q about axis k and slide by s q along it

Points are given from the anchor, directions in world axes as drawn, where all coordinates are zero.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

# Singular values of the axes' twists below this share of the largest: they depend on each other.
DEPENDENT = 1e-6
STEPS = 60
SMALL = 1e-14


class ScrewAxis(NamedTuple):
    direction: tuple[float, ...]  # unit
    point: tuple[float, ...]  # on the axis, m
    slide: float  # m for a unit of the coordinate
    turn: float  # rad for a unit of the coordinate

    def reversed(self) -> "ScrewAxis":
        """The same axis pointing the other way: the motion of its first body relative to its second."""
        return self._replace(direction=tuple(-x for x in self.direction))

    @property
    def pitch(self) -> float:
        """m a turn"""
        return 2.0 * math.pi * self.slide / self.turn

    def moved(self, by: Sequence[float]) -> "ScrewAxis":
        return self._replace(point=tuple(x + d for x, d in zip(self.point, by, strict=True)))


def reversed_series(series: Sequence[ScrewAxis]) -> tuple[ScrewAxis, ...]:
    """Of the first body relative to the second: the last axis first, each pointing the other way."""
    return tuple(axis.reversed() for axis in reversed(series))


def rotation_about(axis: np.ndarray, angle: float) -> np.ndarray:
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + math.sin(angle) * k + (1.0 - math.cos(angle)) * k @ k


def frames(series: Sequence[ScrewAxis], q: Sequence[float] | np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(turn, place) of the frame after each axis, the first before all of them."""
    rotation, place = np.eye(3), np.zeros(3)
    out = [(rotation, place)]
    for axis, x in zip(series, q, strict=True):
        a, o = rotation @ np.array(axis.direction), place + rotation @ np.array(axis.point)
        turn = rotation_about(a, axis.turn * x)
        rotation, place = turn @ rotation, o + turn @ (place - o) + axis.slide * x * a
        out.append((rotation, place))
    return out


def twists(series: Sequence[ScrewAxis], q: Sequence[float] | np.ndarray) -> np.ndarray:
    """N (6, n): what the end moves by for a unit rate of each coordinate, (linear, angular) at the end's origin."""
    at = frames(series, q)
    end = at[-1][1]
    out = np.zeros((6, len(series)))
    for k, axis in enumerate(series):
        rotation, place = at[k]
        a, o = rotation @ np.array(axis.direction), place + rotation @ np.array(axis.point)
        out[:3, k] = axis.slide * a + axis.turn * np.cross(a, end - o)
        out[3:, k] = axis.turn * a
    return out


def is_independent(series: Sequence[ScrewAxis]) -> bool:
    """Whether the axes differ at some coordinates: those that are always dependent can be told by three tries."""
    tries = ((0.31, -0.47, 0.83), (-1.13, 0.71, 0.29), (0.59, 1.37, -0.97))
    for q in tries:
        values = np.linalg.svd(twists(series, q[: len(series)]), compute_uv=False)
        if values[-1] > DEPENDENT * values[0]:
            return True
    return False


def solve(
    series: Sequence[ScrewAxis], turn: np.ndarray, shift: np.ndarray, guess: Sequence[float]
) -> tuple[np.ndarray, float]:
    """The coordinates nearest to a relative pose, from a guess, by damped Gauss-Newton steps; and the error left."""
    q = np.array(guess, float)
    damping = 1e-12
    error = _error(series, turn, shift, q)
    for _ in range(STEPS):
        n = twists(series, q)
        step = np.linalg.solve(n.T @ n + damping * np.eye(len(q)), n.T @ error)
        tried = _error(series, turn, shift, q + step)
        if tried @ tried <= error @ error:
            q, error, damping = q + step, tried, 0.1 * damping + 1e-14
        else:
            damping = max(10.0 * damping, 1e-3)
        if np.abs(step).max() < SMALL:
            break
    return q, float(np.linalg.norm(error))


def _error(series: Sequence[ScrewAxis], turn: np.ndarray, shift: np.ndarray, q: np.ndarray) -> np.ndarray:
    rotation, place = frames(series, q)[-1]
    return np.concatenate([shift - place, rotation_vector(turn @ rotation.T)])


def rotation_vector(r: np.ndarray) -> np.ndarray:
    """Of a rotation matrix; for half a turn, one of the two."""
    v = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    s, c = float(np.linalg.norm(v)), 0.5 * (float(np.trace(r)) - 1.0)
    if s > 1e-7:
        return v * (math.atan2(s, c) / s)
    if c > 0.0:
        return v
    column = (r + np.eye(3))[:, int(np.argmax(np.diag(r)))]
    return math.pi * column / np.linalg.norm(column)


def find_coordinates(series: Sequence[ScrewAxis], turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """The coordinates of a relative pose from nothing: the nearest of many guesses, and of those as near the smallest.
    Angles of axes that only turn are between -pi and pi."""
    starts = []
    for axis in series:
        if axis.turn == 0.0:
            starts.append([0.0])
        elif axis.slide == 0.0:
            starts.append([0.0, 2.0, -2.0])
        else:
            # a screw: its travel says which of the turns it is
            starts.append([float(np.dot(axis.direction, shift)) / axis.slide])
    best: tuple[float, float] | None = None
    found = np.zeros(len(series))
    for guess in itertools.product(*starts):
        q, left = solve(series, turn, shift, guess)
        for k, axis in enumerate(series):
            if axis.turn != 0.0 and axis.slide == 0.0:
                q[k] -= 2.0 * math.pi * math.ceil((q[k] - math.pi) / (2.0 * math.pi))
        rank = (round(left, 9), float(np.abs(q).max()))
        if best is None or rank < best:
            best, found = rank, q
    return found
