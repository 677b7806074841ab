"""Quaternions (w first) and rotation matrices as numpy arrays: for definitions, building, reading and drawing. Kernels
use `physics.maths.quat`.

Quaternions (..., 4) and vectors (..., 3) are single ones, or arrays of them along the last axis.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from physics.maths.strict import cosine, norm, product, sine


NO_TURN = (1.0, 0.0, 0.0, 0.0)
CONJUGATION = np.array([1.0, -1.0, -1.0, -1.0])


def quaternion_product(p: Sequence[float] | np.ndarray, q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the product of quaternions."""
    a, b, c, d = _components(p)
    w, x, y, z = _components(q)
    parts = (
        a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w,
    )  # fmt: skip
    return np.array(parts) if isinstance(parts[0], float) else np.stack(parts, -1)


def _components(q: Sequence[float] | np.ndarray) -> Any:
    """Return the four components of quaternions. A single quaternion is returned as Python numbers, which are faster to
    compute with and give the same bits."""
    if not isinstance(q, np.ndarray):
        return q
    return q.tolist() if q.ndim == 1 else (q[..., 0], q[..., 1], q[..., 2], q[..., 3])


def conjugate(q: np.ndarray) -> np.ndarray:
    """Return the conjugates of quaternions, which are the inverses of unit quaternions."""
    return q * CONJUGATION


def turned(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the vectors v rotated by the unit quaternions q = (w, u): v + 2 u x (u x v + w v)."""
    u = q[..., 1:]
    return v + 2.0 * cross(u, cross(u, v) + q[..., :1] * v)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return cross products with the same bits as numpy's. For small arrays, of which each frame of the window needs
    dozens, this takes a third of the time."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    u, v, w = b[..., 0], b[..., 1], b[..., 2]
    first = y * w - z * v
    out = np.empty((*np.shape(first), 3))
    out[..., 0], out[..., 1], out[..., 2] = first, z * u - x * w, x * v - y * u
    return out


def rotation_quaternion(vector: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation vector (3,) [rad]."""
    angle = norm(vector)
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.concatenate([[cosine(angle / 2)], sine(angle / 2) / angle * vector])


def shortest_turn(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion that rotates the unit vector a to b. For opposite vectors it is half a turn about the x
    axis."""
    q = np.concatenate([[1.0 + product(a, b)], np.cross(a, b)])
    return q / norm(q) if norm(q) > 1e-9 else np.array([0.0, 1.0, 0.0, 0.0])


def turn_from_z(direction: np.ndarray) -> tuple[float, ...]:
    """Return the quaternion of the shortest rotation from the z axis to a direction (3,) of any length. For -z it is
    half a turn about the x axis."""
    x, y, z = (direction / norm(direction)).tolist()
    # (1 + cos, z cross d) is twice the half-angle quaternion times its cosine; by way of x = 1 where d = -z
    if z > -1.0 + 1e-12:
        w = math.sqrt(0.5 * (1.0 + z))
        return (w, -0.5 * y / w, 0.5 * x / w, 0.0)
    return (0.0, 1.0, 0.0, 0.0)


def matrix_of(q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the rotation matrix (3, 3) of a unit quaternion."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def quaternion_of(r: np.ndarray) -> np.ndarray:
    """Return the unit quaternion of a rotation matrix, by its largest component."""
    t = np.array([np.trace(r), r[0, 0], r[1, 1], r[2, 2]])
    k = int(np.argmax(t))
    if k == 0:
        q = np.array([1 + t[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    else:
        i, j, m = (k - 1, k % 3, (k + 1) % 3)
        q = np.zeros(4)
        q[0] = r[m, j] - r[j, m]
        q[1 + i] = 1 + r[i, i] - r[j, j] - r[m, m]
        q[1 + j] = r[j, i] + r[i, j]
        q[1 + m] = r[m, i] + r[i, m]
    return q / norm(q)


def frame_about(z: np.ndarray, x: np.ndarray | None) -> np.ndarray:
    """Return an orthonormal frame (3, 3; axes as columns) with this z axis, and with its x axis as near as possible to
    the given one."""
    return _frame_about(tuple(z.tolist()), None if x is None else tuple(x.tolist())).copy()


@lru_cache(maxsize=1024)  # most joints of a large figure have the same axes
def _frame_about(axis: tuple[float, ...], near: tuple[float, ...] | None) -> np.ndarray:
    """Return the result of `frame_about`, and cache the last 1024 results."""
    z = np.array(axis)
    wish = np.eye(3)[np.argmin(np.abs(z))] if near is None else np.array(near)
    across = wish - z * product(z, wish)
    if norm(across) < 1e-6:
        raise ValueError(f"a frame has its x axis {tuple(wish)} along its z axis {axis}")
    across /= norm(across)
    return np.column_stack([across, np.cross(z, across), z])


def planar_orientation(normal: np.ndarray, angle: float) -> np.ndarray:
    """Return the orientation of a planar body as a quaternion: the shortest rotation of z to the normal, followed by
    the rotation by `angle` [rad] about it."""
    return quaternion_product(rotation_quaternion(angle * normal), shortest_turn(np.array([0.0, 0.0, 1.0]), normal))
