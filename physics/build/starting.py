"""The start of State.memory: the turns and coordinates that steps count on are first computed from a pose."""

import math

import numpy as np

from physics.build.build_constraints import start_curves
from physics.build.poses import STILL, joint_place, parent_pose, read_series
from physics.data.model import Model, State, Work
from physics.data.model_tables import JointKind, Joints, Topology
from physics.data.state_tables import Memory
from physics.maths.rotations import conjugate, quaternion_product
from physics.definitions.series import find_coordinates
from physics.joints.table import JOINTS
from physics.maths.strict import arctangent, product


def start_turns(model: Model, state: State, work: Work, body: int | None = None) -> None:
    """Write the turns of joints at the present pose to State.memory, with every angle between -pi and pi. Do so for all
    joints, or only for the joints of one body. Also start the search on curves, and for one body, the coordinates of
    its compound joints."""
    table = np.concatenate([model.topology, model.links])
    start_curves(model, table, state, work.frame)
    counted = np.isin(table[:, Topology.KIND], [entry.code for entry in JOINTS if entry.turns_about is not None])
    if body is not None:
        counted &= (table[:, Topology.CHILD] == body) | (table[:, Topology.PARENT] == body)
    for e in np.flatnonzero(counted):
        _, q_parent = parent_pose(table[e, Topology.PARENT], state.pose, work.frame)
        r = quaternion_product(conjugate(q_parent), state.pose[table[e, Topology.CHILD], 3:7])
        w = product(model.joint[e, Joints.TURN_W : Joints.TURN_W + 4], r)
        z = product(model.joint[e, Joints.TURN_Z : Joints.TURN_Z + 4], r)
        turn = 2.0 * arctangent(z, w)
        state.memory[e, Memory.OFFSET] = (
            -2.0 * math.pi if turn > math.pi else 2.0 * math.pi if turn <= -math.pi else 0.0
        )
        state.memory[e, Memory.LAST] = z
    if body is not None:
        start_coordinates(model, state, body)


def start_coordinates(model: Model, state: State, body: int, screws_only: bool = False) -> None:
    """Write the coordinates of the compound joints of a body at the present pose to State.memory. (They are zero at the
    drawn pose.) With `screws_only`, do so only for joints with a screw: the travel along a screw shows how many turns
    it has made."""
    table = np.concatenate([model.topology, model.links])
    touched = (table[:, Topology.CHILD] == body) | (table[:, Topology.PARENT] == body)
    for e in np.flatnonzero(touched & (table[:, Topology.KIND] == JointKind.COMPOUND)):
        joint = model.joint[e]
        series = read_series(joint)
        if screws_only and not any(axis.slide and axis.turn for axis in series):
            continue
        child = joint_place(joint, Joints.ANCHOR_CHILD, Joints.AXES_CHILD, state.pose[table[e, Topology.CHILD]])
        parent = table[e, Topology.PARENT]
        base = joint_place(
            joint, Joints.ANCHOR_PARENT, Joints.AXES_PARENT, state.pose[parent] if parent >= 0 else STILL
        )
        shift = product(base[0].T, child[1] - base[1])
        found = find_coordinates(series, product(base[0].T, child[0]), shift)
        state.memory[e, Memory.COUNTED : Memory.COUNTED + len(series)] = found
