"""Screw axes in series, for definitions and for Python code outside steps. `joints/compound.py` has the same
mathematics for kernels.

    F_b = F_a E_1(q_1) E_2(q_2) E_3(q_3)          E_k(q): rotation by t q about axis k, and travel by s q along it

The matrices F_a and F_b give the joint frames in a and in b. Points are relative to the anchor. Directions are in world
axes at the drawn pose, where all coordinates are zero."""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from physics.maths.strict import arctangent, dot, norm, norms, product, sine_and_cosine, solve_definite

# Singular values of the axes' twists below this share of the largest: they depend on each other.
DEPENDENT = 1e-6
STEPS = 60
SMALL = 1e-14


class ScrewAxis(NamedTuple):
    """An axis of rotation, of translation, or of both."""

    direction: tuple[float, ...]  # unit
    point: tuple[float, ...]  # on the axis, m
    slide: float  # m for a unit of the coordinate
    turn: float  # rad for a unit of the coordinate

    def reversed(self) -> "ScrewAxis":
        """Return the axis in the opposite direction. It describes the motion of the first body relative to the
        second."""
        return self._replace(direction=tuple(-x for x in self.direction))

    @property
    def pitch(self) -> float:
        """Pitch [m per turn]."""
        return 2.0 * math.pi * self.slide / self.turn

    def moved(self, by: Sequence[float]) -> "ScrewAxis":
        """Return the axis with its point moved by a vector [m]."""
        return self._replace(point=tuple(x + d for x, d in zip(self.point, by, strict=True)))


def reversed_series(series: Sequence[ScrewAxis]) -> tuple[ScrewAxis, ...]:
    """Return the axes for the motion of the first body relative to the second: the last axis first, each in the
    opposite direction."""
    return tuple(axis.reversed() for axis in reversed(series))


def rotation_about(axis: np.ndarray, angle: float | np.ndarray) -> np.ndarray:
    """Return the matrix (3, 3) of a rotation about a unit axis by an angle [rad]. For many angles, return a stack of
    matrices."""
    k = np.zeros((*axis.shape, 3))
    k[..., [2, 0, 1], [1, 2, 0]] = axis
    k[..., [1, 2, 0], [2, 0, 1]] = -axis
    each = [sine_and_cosine(a) for a in np.ravel(angle).tolist()]
    s, c = (np.reshape(part, (*np.shape(angle), 1, 1)) for part in zip(*each, strict=True))
    return np.eye(3) + s * k + (1.0 - c) * product(k, k)


def frames(series: Sequence[ScrewAxis], q: Sequence[float] | np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the rotation and the position [m] of each frame at the coordinates q (axes,) or (rows, axes). There is one
    frame before the first axis, and one after each axis."""
    q = np.asarray(q, float)
    rotation, place = np.broadcast_to(np.eye(3), (*q.shape[:-1], 3, 3)), np.zeros((*q.shape[:-1], 3))
    out = [(rotation, place)]
    for k, axis in enumerate(series):
        a, o = product(rotation, np.array(axis.direction)), place + product(rotation, np.array(axis.point))
        turn = rotation_about(a, axis.turn * q[..., k])
        slide = axis.slide * q[..., k, None] * a
        rotation, place = product(turn, rotation), o + product(turn, (place - o)[..., None])[..., 0] + slide
        out.append((rotation, place))
    return out


def twists(series: Sequence[ScrewAxis], q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the motion matrix N (6, axes). Column k is the twist (linear, angular) of the last frame at its origin if
    coordinate k has the rate 1."""
    return _twists_at(series, frames(series, q))


def _twists_at(series: Sequence[ScrewAxis], at: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Return the motion matrix (..., 6, axes) as in `twists`, from the frames `at` before and after each axis."""
    end = at[-1][1]
    out = np.zeros((*end.shape[:-1], 6, len(series)))
    for k, axis in enumerate(series):
        rotation, place = at[k]
        a, o = product(rotation, np.array(axis.direction)), place + product(rotation, np.array(axis.point))
        out[..., :3, k] = axis.slide * a + axis.turn * np.cross(a, end - o)
        out[..., 3:, k] = axis.turn * a
    return out


def is_independent(series: Sequence[ScrewAxis]) -> bool:
    """Return whether the axes are linearly independent at some coordinates. Axes that are dependent at each of three
    trial poses count as dependent."""
    tries = ((0.31, -0.47, 0.83), (-1.13, 0.71, 0.29), (0.59, 1.37, -0.97))
    for q in tries:
        values = np.linalg.svd(twists(series, q[: len(series)]), compute_uv=False)
        if values[-1] > DEPENDENT * values[0]:
            return True
    return False


def solve(
    series: Sequence[ScrewAxis], turn: np.ndarray, shift: np.ndarray, guesses: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find the coordinates at which the relative pose is nearest to a given one (rotation `turn`, position `shift`
    [m]). Damped Gauss-Newton steps start from each of many guesses (rows, axes). Return the coordinates for each guess,
    and the sizes of the remaining errors (rows,)."""
    q = np.array(guesses, float)
    damping = np.full(len(q), 1e-12)
    at = frames(series, q)
    error = _error(at, turn, shift)
    going = np.ones(len(q), bool)
    for _ in range(STEPS):
        n = _twists_at(series, at)
        nt = np.swapaxes(n, 1, 2)
        matrix = product(nt, n) + damping[:, None, None] * np.eye(q.shape[1])
        step = solve_definite(matrix, product(nt, error[..., None])[..., 0])
        step[~going] = 0.0
        tried_at = frames(series, q + step)
        tried = _error(tried_at, turn, shift)
        good = going & ((tried * tried).sum(1) <= (error * error).sum(1))
        q[good] += step[good]
        error[good] = tried[good]
        at = [
            (np.where(good[:, None, None], r1, r0), np.where(good[:, None], x1, x0))
            for (r1, x1), (r0, x0) in zip(tried_at, at, strict=True)
        ]
        damping = np.where(good, 0.1 * damping + 1e-14, np.maximum(10.0 * damping, 1e-3))
        going &= ~(np.abs(step).max(1) < SMALL)
        if not going.any():
            break
    return q, norms(error)


def _error(at: list[tuple[np.ndarray, np.ndarray]], turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return how the last frame differs (rows, 6) [m and rad] from the wanted relative pose (rotation `turn`, position
    `shift` [m])."""
    rotation, place = at[-1]
    left = product(turn, np.swapaxes(rotation, 1, 2))
    return np.concatenate([shift - place, [rotation_vector(r) for r in left]], axis=1)


def rotation_vector(r: np.ndarray) -> np.ndarray:
    """Return the rotation vector (3,) [rad] of a rotation matrix. Half a turn has two such vectors, of which one is
    returned."""
    v = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    s, c = norm(v), 0.5 * (float(r[0, 0] + r[1, 1] + r[2, 2]) - 1.0)
    if s > 1e-7:
        return v * (arctangent(s, c) / s)
    if c > 0.0:
        return v
    column = (r + np.eye(3))[:, int(np.argmax(np.diag(r)))]
    return math.pi * column / norm(column)


def find_coordinates(series: Sequence[ScrewAxis], turn: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return the coordinates of a relative pose (rotation `turn`, position `shift` [m]) when there is no guess. The
    search starts from many guesses. It chooses the result with the smallest error, and among equal errors the smallest
    coordinates. Angles about axes without a pitch are between -pi and pi."""
    starts = []
    for axis in series:
        if axis.turn == 0.0:
            starts.append([0.0])
        elif axis.slide == 0.0:
            starts.append([0.0, 2.0, -2.0])
        else:
            # a screw: its travel says which of the turns it is
            starts.append([dot(axis.direction, shift) / axis.slide])
    q, left = solve(series, turn, shift, np.array(list(itertools.product(*starts))))
    for k, axis in enumerate(series):
        if axis.turn != 0.0 and axis.slide == 0.0:
            q[:, k] -= 2.0 * math.pi * np.ceil((q[:, k] - math.pi) / (2.0 * math.pi))
    nearest = min(range(len(q)), key=lambda i: (round(float(left[i]), 9), float(np.abs(q[i]).max())))
    return q[nearest]
