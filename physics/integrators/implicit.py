"""`implicit`, `hernandez`, `explicit`: one solve at the present pose, then the pose follows.

    A = M(q0) + h D + h^2 (K + G),   [A, J(q0)] with [M u0 + h F; -C/h]  ->  v         [Hernandez11, eq. 3-4]
    q1 = flow(q0, M v, h);   SHAKE: same factor with [0; -C(q1)/h]  ->  dv,  v += dv,  q1 (+)= h dv
    u1 = M(q1)^-1 M(q0) v

`implicit` is linearly implicit in springs and damping (D, K in the joints' subspace) and in the geometric stiffness G
of the last joint forces. `hernandez` stops before the SHAKE correction, as the paper does. `explicit` (symplectic
Euler) takes springs and damping at the present state, A = M. The correction must feed back into the velocity: projecting
the position alone loses 73 % of a double pendulum's energy in 10 s at 1/60.
"""

from physics import fill
from physics.kernels.jit import kernel
from physics.layout import (
    COUPLED, DONE, EXPLICIT, FACTOR, GAP_TOLERANCE, GEOMETRIC, GRAVITY, H, HERNANDEZ, INTEGRATOR, SOLVE, STAGE, SWEEP,
)  # fmt: skip

NO_LIMIT = 1e300
MOST_SWEEPS = 3


@kernel
def advance(m, s, w):
    """The next request of the step; DONE when the new state stands in w.next_*."""
    c = w.control
    x = w.number
    h = x[H]
    if c[STAGE] == 0:
        assemble(m, s, w, c[INTEGRATOR] == EXPLICIT, h)
        fill.fill_jumps(m.topology, w.edge, w.gap, -1.0 / h, w.row)
        c[STAGE] = 1
        c[SWEEP] = 0
        return FACTOR | SOLVE
    if c[STAGE] == 1:
        fill.copy_scaled(w.wrench, 0, 1.0 / h, w.next_wrench, 0)
        fill.copy_rows(w.velocity, w.next_velocity)
        fill.drift(m.topology, m.body, s.pose, w.rotation, w.velocity, h, NO_LIMIT, 0, w.next_pose)
    else:
        fill.combine(w.next_velocity, 0, 1.0, w.velocity, 0, w.next_velocity, 0)
        fill.displace(m.topology, w.next_pose, w.velocity, h, w.next_pose)
        c[SWEEP] += 1
    if c[COUPLED] == 0 or c[INTEGRATOR] == HERNANDEZ:
        fill.fill_rotations(w.next_pose, w.next_rotation)
    else:
        gap = fill.fill_errors(m.topology, m.joint, w.next_pose, w.next_rotation, w.next_gap)
        if gap > x[GAP_TOLERANCE] and c[SWEEP] < MOST_SWEEPS:
            fill.clear_row(m.topology, 1, w.force, w.row)
            fill.fill_jumps(m.topology, w.edge, w.next_gap, -1.0 / h, w.row)
            c[STAGE] = 2
            return SOLVE
    fill.fill_momenta(m.topology, m.body, w.rotation, w.next_velocity, 0, w.stash)
    fill.fill_velocities(m.topology, m.body, w.next_rotation, w.stash, 0, w.next_velocity)
    return DONE


@kernel
def assemble(m, s, w, explicit, h):
    """A, f, D, d of a step h from the present state."""
    x = w.number
    fill.fill_mass(m.topology, m.body, w.rotation, w.block)
    fill.fill_momenta(m.topology, m.body, w.rotation, s.velocity, 0, w.force)
    fill.add_loads(m.topology, m.body, s.applied, h, x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2], w.force)
    if explicit:
        fill.fill_explicit_springs(m.topology, w.spring, s.velocity, h, w.edge, w.row)
        return
    fill.fill_implicit_springs(m.topology, w.spring, h, w.row)
    if w.control[GEOMETRIC] != 0:
        fill.add_geometric(m.topology, m.body, s.memory, h * h, 0, s.velocity, w.edge, w.block, w.force)
