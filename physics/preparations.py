"""What World asks for between steps: systems that the driver's `answer_once` then solves, coordinates, moves."""

from physics import edges, fill, jumps, rotors, together
from physics.integrators import guard, kinematic, rk4
from physics.kernels.jit import entry, kernel
from physics.layout import ARMED, NOW

ACCELERATIONS, FIRST_ORDER, IMPULSE, CLOSING, STOPPING = range(5)


@entry
def prepare(m, s, w, what):
    """A system for FACTOR | SOLVE, at the present state. Returns the gap, where it is that of CLOSING."""
    if what == CLOSING:
        return prepare_closing(m, s, w)
    if what == STOPPING:
        prepare_stopping(m, s, w)
        return 0.0
    guard.refresh(m, s, w)
    if what == ACCELERATIONS:
        rk4.accelerations(m, s, w, s.pose, s.velocity, 0.0)
    elif what == FIRST_ORDER:
        kinematic.assemble(m, s, w)  # f = m v
        jumps.fill_told(m, w)
    else:
        prepare_impulse(m, w)
    return 0.0


@kernel
def prepare_impulse(m, w):
    """A = M, no stiffness, all right-hand sides zero: the caller adds f, d and b, then the solution is the jump of the
    velocities."""
    fill_inertia(m, w)
    jumps.fill_jumps(m, w, w.gap, 0.0)


@kernel
def fill_inertia(m, w):
    fill.fill_mass(m, w.rotation, w.block)
    jumps.clear_row(w, 0)
    if w.control[ARMED] != 0:
        rotors.add_inertia(m, w)


@kernel
def prepare_closing(m, s, w):
    """Newton step that closes the joints at the present pose in the mass metric. Returns the gap."""
    edges.at_time(m, w, w.number[NOW])
    gap, _ = edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    fill_inertia(m, w)
    jumps.fill_jumps(m, w, w.gap, -1.0)
    return gap


@kernel
def prepare_stopping(m, s, w):
    """The change of velocity after which the joints no longer slip"""
    edges.at_time(m, w, w.number[NOW])
    edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    fill_inertia(m, w)
    jumps.fill_slips(m, s, w, s.pose, w.rotation, s.velocity, -1.0)


@entry
def coordinates(m, s, w, out):
    """Joint coordinates of the present state, (n, 3)."""
    edges.at_time(m, w, w.number[NOW])
    together.fill_rotations(s.pose, w.rotation)
    edges.fill_coordinates(m, s, w, s.pose, w.rotation, out)


@entry
def move(m, s, w, velocity, t):
    """q (+) t v, and the turns counted."""
    fill.displace(m.topology, s.pose, velocity, t, s.pose)
    together.fill_rotations(s.pose, w.rotation)
    edges.remember_turns(m, s, w, s.pose, w.rotation)
