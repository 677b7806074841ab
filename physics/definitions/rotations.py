"""Quaternions (w first) and rotation matrices as numpy arrays, for definitions and for Python code outside steps."""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from physics.definitions.checks import DefinitionError
from physics.maths.strict import cosine, norm, product, sine


def quaternion_product(p: Sequence[float] | np.ndarray, q: Sequence[float] | np.ndarray) -> np.ndarray:
    """Return the product of two quaternions, or of the rows w, x, y, z of many."""
    # Python's own numbers are quicker one by one, and the same to the last bit
    p = p.tolist() if isinstance(p, np.ndarray) and p.ndim == 1 else p
    q = q.tolist() if isinstance(q, np.ndarray) and q.ndim == 1 else q
    return np.array([
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    ])  # fmt: skip


def conjugate(q: np.ndarray) -> np.ndarray:
    """Return the conjugate of q, the inverse of a unit quaternion."""
    return np.array([q[0], -q[1], -q[2], -q[3]])


def rotation_quaternion(vector: np.ndarray) -> np.ndarray:
    """Return the quaternion of a rotation vector [rad]."""
    angle = norm(vector)
    if angle == 0.0:
        return np.array([1.0, 0.0, 0.0, 0.0])
    return np.concatenate([[cosine(angle / 2)], sine(angle / 2) / angle * vector])


def shortest_turn(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the quaternion that rotates the unit vector a to b. For opposite vectors it is half a turn about the x
    axis."""
    q = np.concatenate([[1.0 + product(a, b)], np.cross(a, b)])
    return q / norm(q) if norm(q) > 1e-9 else np.array([0.0, 1.0, 0.0, 0.0])


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
    """Return an orthonormal frame with this z axis, and with x as near to the given one as possible."""
    return _frame_about(tuple(z.tolist()), None if x is None else tuple(x.tolist())).copy()


@lru_cache(maxsize=1024)  # most joints of a large figure have the same axes
def _frame_about(axis: tuple[float, ...], near: tuple[float, ...] | None) -> np.ndarray:
    """Return the frame of `frame_about`, which remembers the last thousand results."""
    z = np.array(axis)
    wish = np.eye(3)[np.argmin(np.abs(z))] if near is None else np.array(near)
    across = wish - z * product(z, wish)
    if norm(across) < 1e-6:
        raise DefinitionError("swing_axis of a ball joint", tuple(wish), "a direction not along its twist_axis")
    across /= norm(across)
    return np.column_stack([across, np.cross(z, across), z])


def planar_orientation(normal: np.ndarray, angle: float) -> np.ndarray:
    """Return the orientation of a planar body: the shortest rotation of z to the normal, then the angle about it."""
    return quaternion_product(rotation_quaternion(angle * normal), shortest_turn(np.array([0.0, 0.0, 1.0]), normal))
