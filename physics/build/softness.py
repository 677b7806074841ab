"""Columns SOFT_CHILD and SOFT_PARENT of Model.joint: how strongly a joint force stiffens the rotation of each body."""

import math

import numpy as np

from physics.build.build_constraints import lever_turns
from physics.data.model import Floats
from physics.data.model_tables import Bodies, BodyKind, JointKind, Joints, Topology
from physics.joints.table import ALONG_AXIS, FIXED, JOINT_OF_CODE
from physics.maths.strict import product

ANY_LENGTH = 1e200  # softness of a lever that changes in motion; it is finite, because the rotation may be held


def _carried_inertia(table: np.ndarray, topology: np.ndarray, body: Floats, joint: Floats) -> Floats:
    """Return a lower bound [kg m^2] of the inertia that rotates with each body about each of its principal axes (n, 3).
    It is the inertia of the body, plus the smallest principal moment of each neighbour that a joint keeps from rotating
    relative to the body about this axis. If a joint to the world prevents this rotation, the bound is infinite. The
    neighbours matter, for example, to a thin shaft, which itself has almost no inertia about its axis."""
    moments = body[:, Bodies.INERTIA : Bodies.INERTIA + 3]
    carried = moments.copy()
    least = np.where(topology[:, Topology.BODY_KIND] == BodyKind.PARTICLE, 0.0, moments.min(axis=1))
    kind = table[:, Topology.KIND]
    ends = ((Topology.CHILD, Topology.PARENT, Joints.AXES_CHILD), (Topology.PARENT, Topology.CHILD, Joints.AXES_PARENT))
    for near, far, axes in ends:
        turns = joint[:, [axes + 2, axes + 5, axes + 8]]  # the hinge's axis in the body's frame
        held = (np.abs(turns) < 1e-9) & (kind == JointKind.HINGE)[:, None] | np.isin(
            kind, (JointKind.SLIDER, JointKind.WELD)
        )[:, None]
        more = np.where(table[:, far] < 0, np.inf, least[np.maximum(table[:, far], 0)])
        of_body = table[:, near] >= 0
        np.add.at(carried, table[of_body, near], np.where(held, more[:, None], 0.0)[of_body])
    return carried


def fill_softness(table: np.ndarray, topology: np.ndarray, body: Floats, joint: Floats) -> None:
    """Write the largest |r x e| / I_e of each edge to SOFT_CHILD and SOFT_PARENT of Model.joint, one number for each of
    its two bodies. Here e is a principal axis of the body, I_e its inertia about e, and r the lever. A joint force f
    stiffens the rotation about e by at most |f| |r x e|. If this is small against I_e / h^2, where h is the timestep,
    the integrator leaves geometric stiffness out (integrators/README.md)."""
    carried = _carried_inertia(table, topology, body, joint)
    freedom = np.divide(1.0, carried, out=np.zeros_like(carried), where=carried > 0.0)
    for i in np.flatnonzero(table[:, Topology.KIND] != JointKind.FREE):
        child, parent = table[i, Topology.CHILD], table[i, Topology.PARENT]
        kind = int(table[i, Topology.KIND])
        lever = JOINT_OF_CODE[kind].parent_lever if kind in JOINT_OF_CODE else FIXED
        turning = lever_turns(kind, joint[i, Joints.SIDE])
        ends = ((child, Joints.ANCHOR_CHILD, Joints.SOFT_CHILD), (parent, Joints.ANCHOR_PARENT, Joints.SOFT_PARENT))
        for row, anchor, out in ends:
            if row < 0 or topology[row, Topology.BODY_KIND] == BodyKind.PARTICLE:
                continue
            r = joint[i, anchor : anchor + 3]
            across = np.sqrt(np.maximum(product(r, r) - r * r, 0.0))
            if out == Joints.SOFT_PARENT and lever != FIXED:
                # the lever changes with the coordinates: that of a slider along its axis
                along = np.abs(joint[i, [Joints.AXES_PARENT + 2, Joints.AXES_PARENT + 5, Joints.AXES_PARENT + 8]])
                across[(along < 1.0 - 1e-12) | (lever != ALONG_AXIS)] = ANY_LENGTH
            if turning is not None:
                across = turning[out] * across if math.isfinite(turning[out]) else np.full(3, ANY_LENGTH)
            joint[i, out] = (across * freedom[row]).max()
