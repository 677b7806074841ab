"""Kinematic order, f = m v [Baraff96, section 3]: posing. Without an applied force nothing moves.

    (M + friction) v - J^T l = f,  J v = -C/h,    q1 = q0 (+) h v, Newton sweeps with the same factor on C(q1)

f are the applied forces alone, without gravity and springs. The metric is mass plus joint friction c |w_rel|^2, so that
limbs far from a grabbed point move least, and the figure returns to its former pose when that point returns. Grabs move
no body faster than POSING_SPEED, and turn none by more than POSING_TURN in a step."""

from physics.bodies import kinds as body_kinds
from physics.compiler.jit import entry, kernel
from physics.data.state_tables import POSING_SPEED, POSING_TURN
from physics.data.step_tables import Control, Number, Request
from physics.edges import edges, joint_springs, right_hand_sides
from physics.forces import all_forces, rotors
from physics.integrators import implicit
from physics.integrators.implicit import Stage
from physics.maths.columns import clear_all, copy_all, copy_scaled
from physics.maths.vec import load3, norm

MOST_SWEEPS = 12  # along J(q0): where bodies turn by POSING_TURN each leaves some fifth of the gap


@kernel
def assemble(m, s, w):
    """Write the system A = M + friction, with the applied forces as f, to Work.block, Work.row and Work.force."""
    x = w.number
    body_kinds.fill_mass(m, w.rotation, w.block)
    right_hand_sides.clear_row(w, 0)
    joint_springs.fill_posing_friction(m, w, x[Number.POSING_SCALE])
    if w.control[Control.ARMED] != 0:
        rotors.add_inertia(m, w)
    body_kinds.add_applied(s.applied, 1.0, w.force)


@kernel
def slow_enough(w, h):
    """Return the largest factor, at most 1, by which Work.velocity may be multiplied so that no body moves faster than
    POSING_SPEED or turns by more than POSING_TURN in h seconds."""
    turn = h * body_kinds.largest_spin(w.velocity)
    fastest = 0.0
    for i in range(w.velocity.shape[0]):
        fastest = max(fastest, norm(load3(w.velocity, i, 0)))
    share = POSING_TURN / turn if turn > POSING_TURN else 1.0
    return min(share, POSING_SPEED / fastest) if fastest > POSING_SPEED else share


@entry("msw", "i")
def advance(m, s, w):
    """Return the next request of the step, or DONE when the new state is in Work.next_pose and Work.next_velocity."""
    c = w.control
    x = w.number
    h = x[Number.H]
    if c[Control.STAGE] == Stage.BEGIN:
        implicit.look_ahead(m, s, w)
        if (
            c[Control.LOADED] == 0
            and c[Control.GRABS] == 0
            and c[Control.SIGNALED] == 0
            and x[Number.GAP] <= x[Number.GAP_TOLERANCE]
        ):
            # nobody pulls: the figure stays to the last bit, instead of following its rounding errors
            copy_all(s.pose, w.next_pose)
            clear_all(w.next_velocity)
            clear_all(w.next_wrench)
            return Request.DONE
        assemble(m, s, w)
        right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0 / h)
        all_forces.aim(m, s, w, s.pose, s.velocity, 0.0, 1.0, True)
        x[Number.LIMIT_SPAN] = h
        c[Control.STAGE] = Stage.SOLVED
        c[Control.SWEEP] = 0
        return Request.STEPPED
    if c[Control.STAGE] == Stage.SOLVED:
        k = slow_enough(w, h) if c[Control.GRABS] != 0 else 1.0
        copy_scaled(w.wrench, 0, k, w.next_wrench, 0)
        body_kinds.scale_velocities(w.velocity, k, w.next_velocity)
        body_kinds.displace(m.topology, s.pose, w.next_velocity, h, w.next_pose)
    else:
        body_kinds.displace(m.topology, w.next_pose, w.velocity, 1.0, w.next_pose)
        c[Control.SWEEP] += 1
    gap = edges.fill_errors(m, s, w, w.next_pose, w.next_rotation, w.next_gap)
    if gap > x[Number.GAP_TOLERANCE] and c[Control.SWEEP] < MOST_SWEEPS:
        right_hand_sides.clear_row(w, 1)
        right_hand_sides.fill_from_gaps(m, w, w.next_gap, -1.0)
        c[Control.STAGE] = Stage.CORRECTED
        return Request.SOLVE
    return Request.DONE
