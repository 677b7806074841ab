"""Kinematic order, f = m v [Baraff96, section 3]: posing. Without an applied force nothing moves.

    (M + friction) v - J^T l = f,  J v = -C/h,    q1 = q0 (+) h v, Newton sweeps with the same factor on C(q1)

f are the applied forces alone (no gravity, no springs). The metric is mass plus joint friction c |w_rel|^2, so that the
limbs away from the hand move least and going back returns to where one was. Grabs move and turn no body faster than
`layout` says.
"""

from physics import edges, fill, joint_springs, jumps, pulls, rotors
from physics.integrators import implicit
from physics.kernels.columns import clear_all, copy_all, copy_scaled
from physics.kernels.jit import entry, kernel
from physics.kernels.vec import load3, norm
from physics.layout import (
    ARMED, DONE, GAP, GAP_TOLERANCE, GRABS, H, LIMIT_SPAN, LOADED, POSING_SCALE, POSING_SPEED,
    POSING_TURN, SIGNALED, SOLVE, STAGE, STEPPED, SWEEP,
)  # fmt: skip

MOST_SWEEPS = 12  # along J(q0): where bodies turn by POSING_TURN each leaves some fifth of the gap


@kernel
def assemble(m, s, w):
    x = w.number
    fill.fill_mass(m, w.rotation, w.block)
    jumps.clear_row(w, 0)
    joint_springs.fill_posing_friction(m, w, x[POSING_SCALE])
    if w.control[ARMED] != 0:
        rotors.add_inertia(m, w)
    fill.add_applied(s.applied, 1.0, w.force)


@kernel
def slow_enough(w, h):
    """The share of the motion that grabs may have in a step"""
    turn = h * fill.largest_spin(w.velocity)
    fastest = 0.0
    for i in range(w.velocity.shape[0]):
        fastest = max(fastest, norm(load3(w.velocity, i, 0)))
    share = POSING_TURN / turn if turn > POSING_TURN else 1.0
    return min(share, POSING_SPEED / fastest) if fastest > POSING_SPEED else share


@entry
def advance(m, s, w):
    """The next request of the step; DONE when the new state stands in w.next_*."""
    c = w.control
    x = w.number
    h = x[H]
    if c[STAGE] == 0:
        implicit.look_ahead(m, s, w)
        if c[LOADED] == 0 and c[GRABS] == 0 and c[SIGNALED] == 0 and x[GAP] <= x[GAP_TOLERANCE]:
            # nobody pulls: the figure stays to the last bit, instead of following its rounding errors
            copy_all(s.pose, w.next_pose)
            clear_all(w.next_velocity)
            clear_all(w.next_wrench)
            return DONE
        assemble(m, s, w)
        jumps.fill_jumps(m, w, w.gap, -1.0 / h)
        pulls.measure(s, w, s.pose, s.velocity, 0.0, 1.0, True)
        x[LIMIT_SPAN] = h
        c[STAGE] = 1
        c[SWEEP] = 0
        return STEPPED
    if c[STAGE] == 1:
        k = slow_enough(w, h) if c[GRABS] != 0 else 1.0
        copy_scaled(w.wrench, 0, k, w.next_wrench, 0)
        fill.scale_velocities(w.velocity, k, w.next_velocity)
        fill.displace(m.topology, s.pose, w.next_velocity, h, w.next_pose)
    else:
        fill.displace(m.topology, w.next_pose, w.velocity, 1.0, w.next_pose)
        c[SWEEP] += 1
    gap = edges.fill_errors(m, s, w, w.next_pose, w.next_rotation, w.next_gap)
    if gap > x[GAP_TOLERANCE] and c[SWEEP] < MOST_SWEEPS:
        jumps.clear_row(w, 1)
        jumps.fill_jumps(m, w, w.next_gap, -1.0)
        c[STAGE] = 2
        return SOLVE
    return DONE
