"""The arrays that the kernels work on. `Model` is what the figure is, `State` what moves, `Work` what a step writes.

Each field is one array with a row per body; `physics.layout` names the columns. `State` is everything that a snapshot
must hold: from the same Model and State, every later step is the same to the last bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Model(NamedTuple):
    topology: Ints  # (n, TOPOLOGY)
    body: Floats  # (n, BODY)
    joint: Floats  # (n, JOINT); stiffness and damping may change while running


class State(NamedTuple):
    pose: Floats  # (n, 7) centre of mass [m], quaternion (w first, body to world)
    velocity: Floats  # (n, stride) linear [m/s] and angular [rad/s] velocity, world axes
    memory: Floats  # (n, MEMORY) last wrench and turns of the inbound edge
    applied: Floats  # (n, 6) force [N] and torque [N m] that the user applies


class Work(NamedTuple):
    rotation: Floats  # (n, 9) rotation matrices of the pose that `edge` was filled at
    edge: Floats  # (n, EDGE)
    gap: Floats  # (n, 6) error of the inbound edge, as a twist of the child relative to the parent
    spring: Floats  # (n, SPRING)
    block: Floats  # (n, stride (stride + 1) / 2) A, lower triangle by rows; articulated after `factor`
    force: Floats  # (n, stride) right-hand side f
    row: Floats  # (n, ROW) D, d, b
    rows: Floats  # (n, 36) T: the edge's constraint rows, each a twist at the anchor; where the solver mode wants them
    reduced: Floats  # (n, REDUCED)
    velocity: Floats  # (n, stride) solution v
    wrench: Floats  # (n, 6) solution: joint wrench on the child at its anchor (impulse in velocity solves)
    next_pose: Floats  # (n, 7)
    next_rotation: Floats  # (n, 9)
    next_velocity: Floats  # (n, stride)
    next_wrench: Floats  # (n, 6)
    next_gap: Floats  # (n, 6)
    other_pose: Floats  # (n, 7)
    stash: Floats  # (n, STASH)
    backup: Floats  # (n, 14 + stride) pose, velocity and memory at the start of a composed step
    general: Floats  # store of the edges on the run-time-dimension path
    control: Ints  # (CONTROLS,)
    number: Floats  # (NUMBERS,)


class NoSpace(NamedTuple):
    """Workspace of the modes that need none of their own."""

    nothing: Floats  # (1,)
