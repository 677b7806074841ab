"""Poses of the ends of edges and of joint frames. `build` and the views of a world use them."""

import numpy as np

from physics.data.model import Floats
from physics.data.model_tables import Joints, SeriesAxis
from physics.data.work_tables import Frames
from physics.maths.rotations import matrix_of
from physics.definitions.series import ScrewAxis
from physics.maths.strict import product

STILL = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # pose of the world


def parent_pose(parent: int, pose: Floats, frame: Floats) -> tuple[Floats, Floats]:
    """Return position [m] and quaternion of the parent of an edge. The parent is a body, the world (-1), or a moving
    body (-2 - k for row k of `frame`)."""
    if parent >= 0:
        return pose[parent, :3], pose[parent, 3:7]
    if parent == -1:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    row = frame[-2 - parent]
    return row[Frames.POSITION : Frames.POSITION + 3], row[Frames.QUATERNION : Frames.QUATERNION + 4]


def joint_place(joint: Floats, anchor: int, axes: int, pose: Floats) -> tuple[np.ndarray, np.ndarray]:
    """Return the rotation matrix and the position [m] in the world of the joint frame on one body of a joint. `anchor`
    and `axes` are the columns of Model.joint that belong to this body, and `pose` is its pose."""
    r = matrix_of(pose[3:7])
    return product(r, joint[axes : axes + 9].reshape(3, 3)), pose[:3] + product(r, joint[anchor : anchor + 3])


def read_series(joint: Floats) -> list[ScrewAxis]:
    """Return the axes of a compound joint, in the order from parent to child. `joint` is its row of Model.joint."""
    rows = joint[Joints.SERIES : Joints.SERIES + 3 * SeriesAxis.WIDTH].reshape(3, SeriesAxis.WIDTH)
    return [
        ScrewAxis(tuple(row[:3].tolist()), tuple(row[3:6].tolist()), float(row[6]), float(row[7]))
        for row in rows[: int(joint[Joints.SERIES_COUNT])]
    ]
