"""`rattle` (and `rattle4`, its composition): velocity Verlet with constraints, symplectic, second order. 1 factor.

    M vb = M u0 + (h/2) F0 + J0^T l,  J0 vb = 0;   q1 = flow(q0, M vb, h) with the exponential rotation
    Newton with the same factor on C(q1)/h, the flow redone from q0;   then at q1
    M1 u1 = M vb + (h/2) F1 + J1^T mu,  J1 u1 = 0;   the next step uses this factor again.

Springs and damping are explicit, so that the method does not suit stiff joints. A body to which nothing is tied turns
by a flow of higher order (`flights.py`), which keeps its energy to rounding; the exponential rotation keeps it to
second order.
"""

from physics.bodies import kinds as body_kinds, scales
from physics.bodies.loops import over_bodies
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.table import Table
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, DriveRequest, Number, Phase, Request
from physics.data.work_tables import Stash
from physics.edges import edges, joint_springs, right_hand_sides
from physics.forces import all_forces, rotors
from physics.integrators import acceptance, flights, following, measuring
from physics.integrators.flights import SUZUKI
from physics.integrators.spans import is_composed, restore
from physics.maths.columns import copy_all, copy_scaled
from physics.maths.vec import load3, load9, store3

MOST_SWEEPS = 12
# Order and momentum of the method rest on C = 0 and J u = 0: closed to rounding, not to World's tolerance.
CLOSED = 1e-13
STALLED = 1e-11  # above that, and where two sweeps leave more than SLOWEST of a gap, sweeps along J(q0) do not converge
SLOWEST = 0.5
TURNING = 12  # column of the stash, after the momenta

NOT_CLOSED = -1  # no request: the substep cannot be taken

MOMENTUM = Stash.SCALES  # column of the scales' momenta; the drift changes them, unlike the others


class Stage(Table):
    """Values of Control.STAGE in a step: before its first system (BEGIN), with the answer to the first half kick
    (KICK), to a sweep along J(q0) (SWEEP), to the second half kick (LAST_KICK), to a sweep along J(q1)
    (SWEEP_AT_END)."""

    BEGIN = 0
    KICK = 1
    SWEEP = 2
    LAST_KICK = 3
    SWEEP_AT_END = 4


@entry("msw", "i")
def advance(m, s, w):
    """Return the next request of the step, or of the five steps that `rattle4` composes; DONE when the new state is in
    Work.next_pose and Work.next_velocity."""
    c = w.control
    while True:
        request = advance_once(m, s, w)
        if request == NOT_CLOSED:
            fall_back(m, s, w)
            continue
        if request != Request.DONE or not is_composed(c) or c[Control.SUBSTEP] == 4:
            return request
        acceptance.commit(m, s, w)
        c[Control.SUBSTEP] += 1
        c[Control.STAGE] = Stage.BEGIN
        x = w.number
        x[Number.H] = x[Number.WHOLE] * (1.0 - 4.0 * SUZUKI if c[Control.SUBSTEP] == 2 else SUZUKI)
        x[Number.NOW] = x[Number.NEXT]
        x[Number.NEXT] = x[Number.BEGAN] + x[Number.WHOLE] if c[Control.SUBSTEP] == 4 else x[Number.NOW] + x[Number.H]


@kernel
def advance_once(m, s, w):
    """Return the next request of one step, DONE when the new state is in w.next_*, or NOT_CLOSED."""
    stage = w.control[Control.STAGE]
    h = w.number[Number.H]
    if stage == Stage.BEGIN:
        return start_step(m, s, w, h)
    if stage == Stage.LAST_KICK:
        end_step(m, s, w, h)
        return Request.DONE
    take_solution(m, s, w)
    flow(m, s, w, h)
    request = close(m, s, w, h) if w.control[Control.COUPLED] != 0 else Request.DONE
    return request if request != Request.DONE else kick_again(m, s, w, h)


@kernel
def start_step(m, s, w, h):
    """Set up the first half kick. Return its request."""
    c = w.control
    body_kinds.fill_momenta(m.topology, m.body, w.rotation, s.velocity, 0, w.stash)
    if s.velocity.shape[1] > PoseColumn.RATES:
        scales.fill_momenta(m, s.velocity, MOMENTUM, w.stash)
    if c[Control.ARMED] != 0:
        rotors.start_sweeps(m, s, w)
    kick(m, s, w, s.pose, s.velocity, 0.5 * h, True)
    if c[Control.NONHOLONOMIC] != 0:
        prepare_middle(m, s, w, 0.5 * h)
    c[Control.STAGE] = Stage.KICK
    c[Control.SWEEP] = 0
    if c[Control.FACTOR_KEPT] != 0:
        return Request.SOLVE | Request.WRENCHES | Request.PULL_NOW
    body_kinds.fill_mass(m, w.rotation, w.block)
    return Request.PULLED


@kernel
def take_solution(m, s, w):
    """Take velocities and impulses of the first half kick, or add those of a sweep."""
    c = w.control
    if c[Control.STAGE] == Stage.SWEEP_AT_END:
        convert(m, w)
    if c[Control.STAGE] == Stage.KICK:
        copy_all(w.velocity, w.next_velocity)
        all_forces.add_row_work(m, s, w, 1.0, w.wrench, w.velocity)
        if right_hand_sides.may_do_work(w):
            copy_all(w.wrench, w.next_wrench)
            edges.at_time(m, w, w.number[Number.NEXT])
        return
    if right_hand_sides.may_do_work(w):
        body_kinds.add_rows(w.wrench, w.next_wrench)
    body_kinds.add_rows(w.velocity, w.next_velocity)


@kernel
def flow(m, s, w, h):
    """Write w.next_pose = flow(q0, M u, h), u in w.next_velocity."""
    scaled = s.velocity.shape[1] > PoseColumn.RATES
    if scaled:
        scales.put_shape(m, s.pose)
    drift_bodies(m, s, w, 0, m.topology.shape[0], h)
    if w.control[Control.LONERS] != 0:
        flights.drift(m, s, w, h)
    if scaled:
        scales.drift(m, s.pose, w.rotation, w.next_velocity, h, MOMENTUM, w.stash, w.next_pose)


@kernel
def close(m, s, w, h):
    """Return the request of a further sweep, DONE if all joints are closed or no sweep helps, or NOT_CLOSED."""
    c = w.control
    x = w.number
    gap = edges.fill_errors(m, s, w, w.next_pose, w.next_rotation, w.next_gap)
    if c[Control.ARMED] != 0:
        gap = max(gap, rotors.sweep(m, s, w, h))
    # where sweeps overshoot a gap shrinks by turns more and less: every other one is compared
    before = x[Number.EARLIER_GAP]
    x[Number.EARLIER_GAP] = x[Number.TRIAL_GAP]
    x[Number.TRIAL_GAP] = gap
    # a tree has no singular pose: what turns too fast in it is followed in substeps
    tied = m.links.shape[0] > 0
    stalled = tied and gap > STALLED and c[Control.SWEEP] > 1 and gap > SLOWEST * before
    if stalled and is_composed(c):
        return NOT_CLOSED
    if stalled and c[Control.STAGE] != Stage.SWEEP_AT_END and c[Control.SWEEP] < MOST_SWEEPS:
        return close_at_the_end(m, s, w, h)
    if not gap > CLOSED or c[Control.SWEEP] >= MOST_SWEEPS or stalled:
        return Request.DONE
    if c[Control.STAGE] == Stage.SWEEP_AT_END:
        return close_at_the_end(m, s, w, h)
    right_hand_sides.clear_row(w, 0)
    if c[Control.ARMED] != 0:
        rotors.add_inertia(m, w)
        rotors.add_momenta(m, w)
    right_hand_sides.fill_from_gaps(m, w, w.next_gap, -1.0 / h)
    c[Control.STAGE] = Stage.SWEEP
    c[Control.SWEEP] += 1
    return Request.SOLVE | Request.WRENCHES if right_hand_sides.may_do_work(w) else Request.SOLVE


@kernel
def kick_again(m, s, w, h):
    """Set up the second half kick, at the next pose. Return its request."""
    x = w.number
    if right_hand_sides.may_do_work(w):
        # of the first half kick, whose impulses act at the start: those of all sweeps together
        edges.at_time(m, w, x[Number.NOW])
        right_hand_sides.add_work(m, w, 1.0, w.next_wrench, s.velocity, w.next_velocity)
    # drives along the axes at the start, and in the second kick along those at the end
    all_forces.add_work(m, s, w, w.next_velocity, 0.5)
    if right_hand_sides.may_do_work(w):
        edges.at_time(m, w, x[Number.NEXT])
    if s.velocity.shape[1] > PoseColumn.RATES:
        scales.put_shape(m, s.pose)
    body_kinds.fill_momenta(m.topology, m.body, w.rotation, w.next_velocity, 0, w.stash)
    edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
    joint_springs.fill_springs(m, s, w, w.next_pose, w.rotation)
    if w.control[Control.ARMED] != 0:
        rotors.end_sweeps(m, w)
    kick(m, s, w, w.next_pose, w.next_velocity, 0.5 * h, False)
    all_forces.add_work(m, s, w, w.next_velocity, 0.5)
    body_kinds.fill_mass(m, w.rotation, w.block)
    all_forces.hold(m, s, w, w.next_velocity, 0.5 * h, 0.5, DriveRequest.SPEEDS_IN_KICK)
    w.control[Control.STAGE] = Stage.LAST_KICK
    return Request.PULLED


@kernel
def end_step(m, s, w, h):
    """Take the velocities and impulses of the second half kick."""
    c = w.control
    right_hand_sides.add_work(m, w, 1.0, w.wrench, w.next_velocity, w.velocity)
    copy_all(w.velocity, w.next_velocity)
    copy_scaled(w.wrench, 0, 2.0 / h, w.next_wrench, 0)
    all_forces.add_row_work(m, s, w, 1.0, w.wrench, w.velocity)
    c[Control.FACTOR_KEPT] = 1 - c[Control.HARD_DRIVES]


@inline
def drift_body(m, s, w, i, h):
    """Write flow(q0, M u, h) of body i to Work.next_pose, with u in Work.next_velocity and the exponential rotation."""
    v = load3(w.next_velocity, i, 0)
    a = load3(w.next_velocity, i, 3)
    body_kinds.body_drift(m.topology, m.body, i, s.pose, load9(w.rotation, i, 0), v, a, h, 1, w.next_pose)


drift_bodies = over_bodies(drift_body)


@kernel
def fall_back(m, s, w):
    """Go back to the start of the present step of `rattle4`, or of its substep in a redone step, and repeat it as one
    step of `rattle`. Near a singular pose, where rods come into one line, the constraint forces along J(q0) lack some
    direction, and sweeps with them do not close all gaps. The five parts of the step come near such a pose up to three
    times, a step of `rattle` once."""
    c = w.control
    if c[Control.PHASE] == Phase.WHOLE_STEP:
        restore(s, w)
        c[Control.FORWARD] = 1
        acceptance.start_again(m, s, w)
        return
    following.go_back(m, s, w)
    c[Control.FORWARD] = 1
    w.number[Number.NOW] = w.number[Number.BEGAN]
    c[Control.FRESH] = 0
    measuring.refresh(m, s, w)
    following.begin_substep(s, w)


@kernel
def close_at_the_end(m, s, w, h):
    """Write the system of a Newton step on C(q1)/h to Work, with J(q1) instead of J(q0), because sweeps along J(q0) do
    not converge. Return its request."""
    edges.fill_edges(m, s, w, w.next_pose, w.next_rotation, w.gap)
    rotors.fill_inertia_and_momenta(m, w, w.next_rotation)
    right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0 / h)
    w.control[Control.STAGE] = Stage.SWEEP_AT_END
    w.control[Control.SWEEP] += 1
    return (
        Request.FACTOR | Request.SOLVE | Request.WRENCHES
        if right_hand_sides.may_do_work(w)
        else Request.FACTOR | Request.SOLVE
    )


@kernel
def convert(m, w):
    """Replace the velocities in Work.velocity, found with M(q1), by those with the same momenta and M(q0), from which
    the flow starts."""
    for i in range(m.topology.shape[0]):
        v = load3(w.velocity, i, 0)
        p, l = body_kinds.body_momentum(m.topology, m.body, i, load9(w.next_rotation, i, 0), v, load3(w.velocity, i, 3))
        v, a = body_kinds.body_velocity(m.topology, m.body, i, load9(w.rotation, i, 0), p, l)
        store3(w.velocity, i, 0, v)
        store3(w.velocity, i, 3, a)


@kernel
def prepare_middle(m, s, w, t):
    """Add t (b_acc - J a_free) to b of conditions on velocities in Work.row, so that these hold in the middle of the
    step, and write a_free to Work.stash. Other constraints have their forces along J(q0), too, but hold at the end of
    the step."""
    for i in range(m.topology.shape[0]):
        _, turning = body_kinds.body_spin(m.topology, m.body, i, load9(w.rotation, i, 0), load3(s.velocity, i, 3))
        store3(w.stash, i, TURNING, turning)
    right_hand_sides.fill_nonholonomic(m, s, w, s.velocity, w.stash, TURNING, t)


@kernel
def kick(m, s, w, pose, velocity, t, first):
    """Write the right-hand side of a half kick of t seconds to Work: f = momenta in the stash + t F, d of springs,
    drives and rotors, b from prescribed motions. `first` says whether it is the first or the second kick of the
    step."""
    x = w.number
    right_hand_sides.clear_row(w, 0)
    copy_scaled(w.stash, 0, 1.0, w.force, 0)
    if velocity.shape[1] > PoseColumn.RATES:
        scales.add_columns(m, 1.0, w.stash, MOMENTUM, w.force, PoseColumn.RATES)
        scales.add_elastic(m, pose, t, w.force)
        scales.add_damping(m, velocity, t, w.force)
    body_kinds.add_loads(
        m.body, s.applied, t, (x[Number.GRAVITY], x[Number.GRAVITY + 1], x[Number.GRAVITY + 2]), w.force
    )
    joint_springs.fill_explicit_springs(m, w, velocity, t)
    if w.control[Control.ARMED] != 0:
        rotors.add_inertia(m, w)
        rotors.add_momenta(m, w)
    joint_springs.add_frame_rates(m, w, 0.0)
    right_hand_sides.fill_prescribed(m, w)
    all_forces.aim(m, s, w, pose, velocity, t, 0.5, first)
    all_forces.measure(m, s, w, pose, w.rotation)
    all_forces.add_explicit(m, s, w, velocity, t, 0.5, False)
