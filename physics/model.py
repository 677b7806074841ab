"""The arrays that the kernels work on. `Model` is what the figure is, `State` what moves, `Work` what a step writes.

Each field is one array with a row per body; `physics.layout` names the columns. `State` is everything that a snapshot
must hold: from the same Model and State, every later step is the same to the last bit.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from physics.signals import Signals

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Model(NamedTuple):
    topology: Ints  # (n, TOPOLOGY)
    body: Floats  # (n, BODY)
    joint: Floats  # (n + k, JOINT); stiffness and damping may change while running
    links: Ints  # (k, TOPOLOGY) edges outside the forest
    signals: Signals  # functions of time, and the bodies that move by them
    form: Floats  # (n, FORM) where some body is planar or scaled, else one row
    material: Floats  # (n + k, MATERIAL) where some body is scaled, else one number
    table: Floats  # (rows, TABLE_COLUMNS) segments of curves, terms of couplings


class State(NamedTuple):
    pose: Floats  # (n, 7) centre of mass [m], quaternion (w first, body to world); 3 more: scales, where a body has any
    velocity: Floats  # (n, stride) linear [m/s] and angular [rad/s] velocity, world axes; rates of the scales [1/s]
    memory: Floats  # (n + k, MEMORY) last wrench and turns of each edge
    applied: Floats  # (n, 6) force [N] and torque [N m] that the user applies
    grab: Floats  # (grabs, GRAB)
    drive: Floats  # (drives, DRIVE)


class Auxiliary(NamedTuple):
    """Rows of the edges outside the forest, then of the grabs (K at most), each a sparse row of the Jacobian."""

    start: Ints  # (K + 1,) first entry of each row
    body: Ints  # (entries,) whose velocity an entry multiplies
    jacobian: Floats  # (entries, stride)
    edge: Ints  # (K,) the edge of each row
    twist: Floats  # (K, 6) the row as a twist at the edge's anchor
    soft: Floats  # (K,) 1 for the compliant row of a spring, 0 for a constraint
    matrix: Floats  # (K, K) J A^-1 J^T + soft, lower triangle
    factor: Floats  # (K, K) its pivoted factor
    pivot: Ints  # (K,) order of elimination; the rows from the rank on depend on those before
    scale: Floats  # (K,) 1 / sqrt of the pivot that the row would have without joints
    right: Floats  # (K,) right-hand side
    multiplier: Floats  # (K,) mu
    reach: Floats  # (grab rows, K) multipliers of the links' rows that answer to a unit of each grab's
    schur: Floats  # (grab rows, grab rows) response of the grabs' rows with the links closed
    system: Floats  # (grab rows squared,) the matrix of their law, by columns
    own: Floats  # (90,) the same of one grab, and vectors
    amiss: Ints  # (n + k,) edges with rows that depend on others and contradict them
    force: Floats  # (n, stride) right-hand side of the request
    row: Floats  # (n + k, 9) d and b of the request


class Work(NamedTuple):
    rotation: Floats  # (n, 9) rotation matrices of the pose that `edge` was filled at
    edge: Floats  # (n + k, EDGE)
    gap: Floats  # (n + k, 6) error of each edge, as a twist of the child relative to the parent
    spring: Floats  # (n + k, SPRING)
    rotor: Floats  # (n + k, ROTORS)
    block: Floats  # (n, stride (stride + 1) / 2) A, lower triangle by rows; articulated after `factor`
    force: Floats  # (n, stride) right-hand side f
    row: Floats  # (n + k, ROW) D, d, b
    rows: Floats  # (n + k, 36 or ROW_COLUMNS) T: constraint rows, each a twist at the anchor; where they are wanted
    reduced: Floats  # (n, REDUCED)
    velocity: Floats  # (n, stride) solution v
    wrench: Floats  # (n + k, 6) solution: joint wrench on the child at its anchor (impulse in velocity solves)
    next_pose: Floats  # as State.pose
    next_rotation: Floats  # (n, 9)
    next_velocity: Floats  # (n, stride)
    next_wrench: Floats  # (n + k, 6)
    next_gap: Floats  # (n + k, 6)
    other_pose: Floats
    stash: Floats  # (n, STASH)
    backup: Floats  # pose and velocity at the start of a composed step
    backup_memory: Floats  # (n + k, MEMORY)
    spare: Floats  # (n + k, EDGE) levers and axes at a pose other than that of `edge`
    spare_rows: Floats  # (n + k, 36 or ROW_COLUMNS)
    stretch: Floats  # (n + k, STRETCH) where some body is scaled, else one number
    signal: Floats  # (signals, 3) value, rate and acceleration of each prescribed motion, at the present stage
    frame: Floats  # (frames, FRAME) bodies whose motion is prescribed, at the present stage
    pull: Floats  # (grabs, PULL)
    drive: Floats  # (drives, WORKING)
    held_block: Floats  # A, f, D and d without the drives, where there are drives, else one number each
    held_force: Floats
    held_row: Floats  # (n + k, 9)
    auxiliary: Auxiliary
    general: Floats  # store of the edges on the run-time-dimension path
    control: Ints  # (CONTROLS,)
    number: Floats  # (NUMBERS,)


class NoSpace(NamedTuple):
    """Workspace of the modes that need none of their own."""

    nothing: Floats  # (1,)
