"""Kernels that World calls between steps. They write systems, which the driver's `answer_once` then solves, compute
joint coordinates, and move bodies."""

from physics.compiler.table import Table
from physics.bodies import kinds as body_kinds
from physics.compiler.jit import entry, kernel
from physics.data.step_tables import Number
from physics.edges import edges, simd_groups, right_hand_sides
from physics.forces import rotors
from physics.integrators import kinematic, measuring, rk4


class Preparation(Table):
    """The systems that `prepare` writes. Their solutions are accelerations, velocities in the kinematic order, the
    changes of velocity by an impulse, the displacement that closes the joints, or the change of velocity that stops the
    slip of the joints."""

    ACCELERATIONS = 0
    FIRST_ORDER = 1
    IMPULSE = 2
    CLOSING = 3
    STOPPING = 4


@entry("mswi", "f")
def prepare(m, s, w, what):
    """Write one of the systems at the present state to Work, for the request FACTOR | SOLVE. `what` is a `Preparation`.
    Return the largest gap [m or rad] for CLOSING, else 0."""
    if what == Preparation.CLOSING:
        return prepare_closing(m, s, w)
    if what == Preparation.STOPPING:
        prepare_stopping(m, s, w)
        return 0.0
    measuring.refresh(m, s, w)
    if what == Preparation.ACCELERATIONS:
        rk4.accelerations(m, s, w, s.pose, s.velocity, 0.0)
    elif what == Preparation.FIRST_ORDER:
        kinematic.assemble(m, s, w)  # f = m v
        right_hand_sides.fill_prescribed(m, w)
    else:
        prepare_impulse(m, w)
    return 0.0


@kernel
def prepare_impulse(m, w):
    """Write the system of an impulse to Work: A = M without stiffness, and right-hand sides of zero. The caller adds f,
    d and b. The solution is the change of the velocities."""
    rotors.fill_inertia(m, w, w.rotation)
    right_hand_sides.fill_from_gaps(m, w, w.gap, 0.0)


@kernel
def prepare_closing(m, s, w):
    """Write the system of one Newton step to Work. The step closes the joints at the present pose, with the smallest
    displacement in the mass metric. Return the largest gap [m or rad]."""
    edges.at_time(m, w, w.number[Number.NOW])
    gap, _ = edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    rotors.fill_inertia(m, w, w.rotation)
    right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0)
    return gap


@kernel
def prepare_stopping(m, s, w):
    """Write a system to Work. Its solution is the change of velocity after which the joints no longer slip."""
    edges.at_time(m, w, w.number[Number.NOW])
    edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    rotors.fill_inertia(m, w, w.rotation)
    right_hand_sides.fill_slips(m, s, w, s.pose, w.rotation, s.velocity, -1.0)


@entry("mswt")
def coordinates(m, s, w, out):
    """Write the joint coordinates of the present state to `out` (n + k, 3)."""
    edges.at_time(m, w, w.number[Number.NOW])
    simd_groups.fill_rotations(s.pose, w.rotation)
    edges.fill_coordinates(m, s, w, s.pose, w.rotation, out)


@entry("mswtf")
def move(m, s, w, velocity, t):
    """Move all bodies in State by their velocities v in `velocity` (n, stride) for the time t: each pose q becomes q
    (+) t v. Count the turns of joints in State.memory."""
    body_kinds.displace(m.topology, s.pose, velocity, t, s.pose)
    simd_groups.fill_rotations(s.pose, w.rotation)
    edges.remember_turns(m, s, w, s.pose, w.rotation)
