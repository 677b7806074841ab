"""`trbdf2`: linearly implicit TR-BDF2, the default: second order, stable for stiff joints. 2 factors, 4 solves a step.

With t = (1 - 1/sqrt 2) h and c1 = (sqrt 2 - 1)/2:

1. p0 = M(q0) u0,  q* = flow(q0, clamp u0, t),  u* = M(q*)^-1 p0,  A1 = M(q*) + t D + t^2 (K(q0) + G)
   A1 vb - J(q*)^T l = p0 + t (F(q0) + t G u*),   J(q*) vb = -C(q0) / 2t          (trapezium to 2t, by its midpoint)
   qg = q0 (+) 2t vb,  pg = 2 M(q*) vb - p0,  ug = M(qg)^-1 pg
2. ph = pg + c1 (pg - p0),  qc = qg (+) 2 c1 t vb,  qp = qg (+) (2 c1 t vb + t clamp ug),  A2 as A1 at qp, K(qc)
   A2 v - J(qp)^T l = ph + t (F(qc) + t G ug),    J(qp) v = -C(qp)/t + J(qp) clamp ug
   q1 = qg (+) (2 c1 t vb + t v),  p1 = M(qp) v                                                 (BDF2 to the end)
3. same factor with [0; -C(q1)] -> d,  q1 (+)= d        4. u1 = M(q1)^-1 p1, same factor with [0; -J(q1) u1], add

F is without damping, which D holds. Springs are evaluated at q0 and qc, never at the predictor, which blows up. `clamp`
scales a body's velocity so that t |w| <= 0.5 rad. Where ball springs are strongly bent the order drops to one.
"""

import math

from physics import fill
from physics.kernels.jit import kernel
from physics.layout import (
    COUPLED, DONE, FACTOR, GAP_TOLERANCE, GEOMETRIC, GRAVITY, H, SOLVE, STAGE, SWEEP, WITH_ROWS,
)  # fmt: skip

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
C1 = 0.5 * (math.sqrt(2.0) - 1.0)
CLAMP = 0.5  # rad a stage
MOST_SWEEPS = 3

# columns of the stash
P0 = 0  # p0, then ph, then p1
VB = 6
PG = 12


@kernel
def advance(m, s, w):
    """The next request of the step; DONE when the new state stands in w.next_*."""
    c = w.control
    x = w.number
    t = GAMMA * x[H]
    stage = c[STAGE]
    if stage == 0:
        trapezium(m, s, w, t)
        c[STAGE] = 1
        return FACTOR | SOLVE
    if stage == 1:
        backward_difference(m, s, w, t)
        c[STAGE] = 2
        c[SWEEP] = 0
        return FACTOR | SOLVE
    if stage == 2:
        fill.copy_scaled(w.wrench, 0, 1.0 / t, w.next_wrench, 0)
        fill.fill_momenta(m.topology, m.body, w.rotation, w.velocity, P0, w.stash)
        fill.combine(w.velocity, 0, 2.0 * C1, w.stash, VB, w.velocity, 0)
        fill.displace(m.topology, w.next_pose, w.velocity, t, w.next_pose)
    if stage == 3:
        fill.displace(m.topology, w.next_pose, w.velocity, 1.0, w.next_pose)
        c[SWEEP] += 1
    if stage < 4:
        gap = fill.fill_errors(m.topology, m.joint, w.next_pose, w.next_rotation, w.next_gap)
        if gap > x[GAP_TOLERANCE] and c[SWEEP] < MOST_SWEEPS:
            fill.clear_row(m.topology, 1, w.force, w.row)
            fill.fill_jumps(m.topology, w.edge, w.next_gap, -1.0, w.row)
            c[STAGE] = 3
            return SOLVE
        fill.fill_velocities(m.topology, m.body, w.next_rotation, w.stash, P0, w.next_velocity)
        if c[COUPLED] == 0:
            return DONE
        fill.clear_row(m.topology, 1, w.force, w.row)
        fill.fill_slips(
            m.topology, m.joint, w.next_pose, w.next_rotation, w.next_velocity, -1.0, w.edge, w.row
        )
        c[STAGE] = 4
        return SOLVE
    fill.combine(w.next_velocity, 0, 1.0, w.velocity, 0, w.next_velocity, 0)
    return DONE


@kernel
def trapezium(m, s, w, t):
    """Stage 1 up to its solve."""
    x = w.number
    fill.fill_momenta(m.topology, m.body, w.rotation, s.velocity, P0, w.stash)
    fill.drift(m.topology, m.body, s.pose, w.rotation, s.velocity, t, CLAMP, 0, w.next_pose)
    fill.fill_edges(m.topology, m.joint, w.next_pose, w.control[WITH_ROWS], w.rotation, w.edge, w.next_gap, w.rows)
    fill.fill_jumps(m.topology, w.edge, w.gap, -0.5 / t, w.row)
    fill.fill_mass(m.topology, m.body, w.rotation, w.block)
    fill.copy_scaled(w.stash, P0, 1.0, w.force, 0)
    fill.add_loads(m.topology, m.body, s.applied, t, x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2], w.force)
    fill.fill_implicit_springs(m.topology, w.spring, t, w.row)
    if w.control[GEOMETRIC] != 0:
        fill.fill_velocities(m.topology, m.body, w.rotation, w.stash, P0, w.next_velocity)
        fill.add_geometric(m.topology, m.body, s.memory, t * t, 1, w.next_velocity, w.edge, w.block, w.force)


@kernel
def backward_difference(m, s, w, t):
    """From the solution of stage 1 up to the solve of stage 2; qg stays in w.next_pose, ug in w.next_velocity."""
    x = w.number
    fill.copy_scaled(w.wrench, 0, 1.0 / t, w.next_wrench, 0)
    fill.copy_scaled(w.velocity, 0, 1.0, w.stash, VB)
    fill.fill_momenta(m.topology, m.body, w.rotation, w.velocity, PG, w.stash)
    fill.copy_scaled(w.stash, PG, 2.0, w.stash, PG)
    fill.combine(w.stash, PG, -1.0, w.stash, P0, w.stash, PG)  # pg
    fill.copy_scaled(w.stash, P0, -C1, w.stash, P0)
    fill.combine(w.stash, P0, 1.0 + C1, w.stash, PG, w.stash, P0)  # ph
    fill.displace(m.topology, s.pose, w.velocity, 2.0 * t, w.next_pose)  # qg
    fill.fill_rotations(w.next_pose, w.next_rotation)
    fill.fill_velocities(m.topology, m.body, w.next_rotation, w.stash, PG, w.next_velocity)  # ug
    fill.displace(m.topology, w.next_pose, w.velocity, 2.0 * C1 * t, w.other_pose)  # qc
    fill.fill_rotations(w.other_pose, w.next_rotation)
    fill.fill_springs(m.topology, m.joint, s.memory, w.other_pose, w.next_rotation, w.spring)
    # qp: the clamped ug stays in w.velocity for the jump; w.force holds the sum that moves the pose
    fill.clamp_velocities(w.next_velocity, t, CLAMP, w.velocity)
    fill.combine(w.velocity, 0, 2.0 * C1, w.stash, VB, w.force, 0)
    fill.displace(m.topology, w.next_pose, w.force, t, w.other_pose)
    fill.fill_edges(m.topology, m.joint, w.other_pose, w.control[WITH_ROWS], w.rotation, w.edge, w.next_gap, w.rows)
    fill.fill_jumps(m.topology, w.edge, w.next_gap, -1.0 / t, w.row)
    fill.add_slips(m.topology, w.velocity, 1.0, w.edge, w.row)
    fill.fill_mass(m.topology, m.body, w.rotation, w.block)
    fill.copy_scaled(w.stash, P0, 1.0, w.force, 0)
    fill.add_loads(m.topology, m.body, s.applied, t, x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2], w.force)
    fill.fill_implicit_springs(m.topology, w.spring, t, w.row)
    if w.control[GEOMETRIC] != 0:
        fill.add_geometric(m.topology, m.body, w.next_wrench, t * t, 1, w.next_velocity, w.edge, w.block, w.force)


