"""What `physics.edges` says of the one joint of a world at any pose and velocity."""

import numpy as np
from physics.maths.rotations import quaternion_product, rotation_quaternion
from physics.compiler.jit import entry
from physics.data.model_tables import BodyKind, JointKind, Topology
from physics.data.step_tables import Control
from physics.data.work_tables import Edges, Rows
from physics.edges import edges, simd_groups, right_hand_sides
from tests.helpers.arrays import model_of, state_of, work_of


@entry("mswt")
def geometry(m, s, w, pose):
    """Levers, axes, errors and rows at `pose`."""
    edges.fill_edges(m, s, w, pose, w.rotation, w.gap)


@entry("mswtt")
def slips(m, s, w, pose, velocity):
    right_hand_sides.fill_slips(m, s, w, pose, w.rotation, velocity, 1.0)


@entry("mswt")
def biases(m, s, w, velocity):
    right_hand_sides.fill_bias(m, s, w, velocity)


@entry("mswtt")
def coordinates(m, s, w, pose, out):
    simd_groups.fill_rotations(pose, w.rotation)
    edges.fill_coordinates(m, s, w, pose, w.rotation, out)


def tied_row(world):
    return next(i for i, k in enumerate(model_of(world).topology[:, Topology.KIND]) if k != JointKind.FREE)


class Edge:
    """What `edges` says of the one joint at a pose."""

    def __init__(self, world, pose):
        self.world = world
        self.pose = pose
        m, w = model_of(world), work_of(world)
        w.control[Control.WITH_ROWS] = 1
        geometry(m, state_of(world), w, pose)
        self.edge, self.gap, self.rows = w.edge.copy(), w.gap.copy(), w.rows.copy()
        self.i = tied_row(world)
        self.parent = int(m.topology[self.i, Topology.PARENT])
        self.kind = int(m.topology[self.i, Topology.KIND])

    @property
    def constraint_rows(self):
        count = int(model_of(self.world).topology[self.i, Topology.ROWS])
        return self.rows[self.i].reshape(6, 6)[:count]

    @property
    def axes(self):
        """N (6, dofs)"""
        if self.kind == JointKind.BALL:
            return np.vstack([np.zeros((3, 3)), np.eye(3)])
        count = max(int(model_of(self.world).topology[self.i, Topology.DOFS]), 0)
        return self.edge[self.i, Edges.AXIS : Edges.AXIS + 6 * count].reshape(count, 6).T

    def across(self, velocity):
        """Twist of the child relative to the parent, both taken at the anchor."""
        rc, rp = self.edge[self.i, Edges.RC : Edges.RC + 3], self.edge[self.i, Edges.RP : Edges.RP + 3]
        v, w = velocity[self.i, :3], velocity[self.i, 3:6]
        child = np.concatenate([v + np.cross(w, rc), w])
        if self.parent < 0:
            return child
        v, w = velocity[self.parent, :3], velocity[self.parent, 3:6]
        return child - np.concatenate([v + np.cross(w, rp), w])

    def slip(self, velocity):
        """J u as `edges` has it, rows' space only"""
        m, s, w = model_of(self.world), state_of(self.world), work_of(self.world)
        geometry(m, s, w, self.pose)
        slips(m, s, w, self.pose, velocity)
        return w.row[self.i, Rows.RIGHT_HAND_SIDE : Rows.RIGHT_HAND_SIDE + 6].copy()

    def bias(self, velocity):
        m, s, w = model_of(self.world), state_of(self.world), work_of(self.world)
        geometry(m, s, w, self.pose)
        biases(m, s, w, velocity)
        return w.row[self.i, Rows.RIGHT_HAND_SIDE : Rows.RIGHT_HAND_SIDE + 6].copy()

    def coordinates(self):
        out = np.zeros((len(self.pose), 3))
        coordinates(model_of(self.world), state_of(self.world), work_of(self.world), self.pose, out)
        return out[self.i]


def moved(pose, velocity, t, topology):
    """Every body on its own along its velocity for a time t."""
    out = pose.copy()
    out[:, :3] += t * velocity[:, :3]
    for i in range(len(pose)):
        if topology[i, Topology.BODY_KIND] == BodyKind.RIGID:
            out[i, 3:] = quaternion_product(rotation_quaternion(t * velocity[i, 3:6]), pose[i, 3:])
    return out


def free_velocity(world, seed):
    """Velocities that open the joint: nothing about J may rely on a closed one."""
    rng = np.random.default_rng(100 + seed)
    velocity = rng.normal(size=state_of(world).velocity.shape)
    for i in np.flatnonzero(model_of(world).topology[:, Topology.BODY_KIND] == BodyKind.PARTICLE):
        velocity[i, 3:] = 0.0
    return velocity
