"""`rk4`: the classical fourth-order Runge-Kutta method on constrained accelerations, then projection.

    M a - J^T l = F - w x I w,  J a = b_acc                      at each of the four stages

The coordinates of an orientation are the rotation vector a since the start of the step, q = exp(a) q0 [Munthe-Kaas98]:

    a' = w - a x w / 2 + a x (a x w) / 12

The terms left out are of fifth order in the step, and a turn about one axis is exact. The end is projected on C = 0 and
J u = 0 in the mass metric. A step has 5 factors and 6 solves. A body to which nothing is tied, and on which no torque
acts, turns by its free flow instead (`flights.py`)."""

from physics.compiler.table import Table, column
from physics.bodies import kinds as body_kinds, scales
from physics.bodies.loops import over_bodies
from physics.compiler.jit import entry, inline, kernel
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, Correction, DriveRequest, Number, Request
from physics.data.work_tables import Stash
from physics.edges import edges, joint_springs, right_hand_sides
from physics.forces import all_forces, rotors
from physics.integrators import flights, rebuild
from physics.maths import quat
from physics.maths.columns import clear_all, copy_all, copy_scaled
from physics.maths.vec import add_scaled, add_to3, clear3, cross, load3, load4, scale, store3, store4

MOST_SWEEPS = 4
CLOSED = 1e-11  # the projection must not be coarser than the fourth order


class Sums(Table, array="Work.stash"):
    """Columns of Work.stash in `rk4`: weighted sums over the stages of a step."""

    POSE_RATE = column("of the rates of the centre and of the rotation vector", "m/s, rad/s", 6)
    ACCELERATION = column("of the accelerations", "m/s^2, rad/s^2", 6)
    TURN = column("no sum: rotation vector of the present stage since the start of the step", "rad", 3)


SHAPE_RATE = Stash.SCALES  # 3: the same sums of the scales
SHAPE_ACCELERATION = Stash.SCALES + 3  # 3


class Stage(Table):
    """Values of Control.STAGE in a step: before its first system (BEGIN), with the accelerations of one of the four
    evaluations (FIRST to LAST), with the answer to a correction sweep (CORRECTION), with the answer to the last system,
    which removes the slip of the anchors (SLIP)."""

    BEGIN = 0
    FIRST = 1
    THIRD = 3
    LAST = 4
    CORRECTION = 5
    SLIP = 6


@entry("msw", "i")
def advance(m, s, w):
    """Return the next request of the step, or DONE when the new state is in Work.next_pose and Work.next_velocity."""
    c = w.control
    x = w.number
    h = x[Number.H]
    stage = c[Control.STAGE]
    if stage == Stage.BEGIN:
        copy_all(s.pose, w.next_pose)
        copy_all(s.velocity, w.next_velocity)
        clear_all(w.stash)
    elif stage <= Stage.LAST:
        if stage == Stage.FIRST:
            copy_scaled(w.wrench, 0, 1.0, w.next_wrench, 0)
        weight = 1.0 / 6.0 if stage == Stage.FIRST or stage == Stage.LAST else 1.0 / 3.0
        right_hand_sides.add_work(m, w, weight * h, w.wrench, w.next_velocity, w.next_velocity)
        all_forces.add_row_work(m, s, w, weight * h, w.wrench, w.next_velocity)
        accumulate(m, s, w, weight, 0.5 * h if stage < Stage.THIRD else h)
    if stage < Stage.LAST:
        if stage > Stage.BEGIN:
            edges.at_time(m, w, x[Number.NEXT] if stage == Stage.THIRD else x[Number.NOW] + 0.5 * h)
        edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
        joint_springs.fill_springs(m, s, w, w.next_pose, w.rotation)
        share = 1.0 / 6.0 if stage == Stage.BEGIN or stage == Stage.THIRD else 1.0 / 3.0
        accelerations(m, s, w, w.next_pose, w.next_velocity, share)
        all_forces.aim(m, s, w, w.next_pose, w.next_velocity, 0.0, share, stage == Stage.BEGIN)
        c[Control.STAGE] = stage + 1
        return Request.PULLED
    if stage == Stage.LAST:
        finish(m, s, w, h)
        if flights.there_are(c):
            flights.turn(m, s, w, h)
        c[Control.SWEEP] = 0
        if c[Control.CORRECTION] == Correction.COORDINATES:
            rebuild.rebuild(m, s, w)
        if c[Control.COUPLED] == 0 or c[Control.CORRECTION] != Correction.SHAKE:
            return Request.DONE
    if stage == Stage.CORRECTION:
        body_kinds.displace(m.topology, w.next_pose, w.velocity, 1.0, w.next_pose)
        c[Control.SWEEP] += 1
    if stage <= Stage.CORRECTION:
        gap, _ = edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
        rotors.fill_inertia(m, w, w.rotation)
        if gap > CLOSED and c[Control.SWEEP] < MOST_SWEEPS:
            right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0)
            c[Control.STAGE] = Stage.CORRECTION
        else:
            right_hand_sides.fill_slips(m, s, w, w.next_pose, w.rotation, w.next_velocity, -1.0)
            all_forces.hold(m, s, w, w.next_velocity, h, 1.0, DriveRequest.SPEEDS_AT_END)
            c[Control.STAGE] = Stage.SLIP
        return Request.ALL
    right_hand_sides.add_work(m, w, 1.0, w.wrench, w.next_velocity, w.next_velocity)
    body_kinds.add_rows(w.velocity, w.next_velocity)
    return Request.DONE


@kernel
def accelerations(m, s, w, pose, velocity, share):
    """Write the system of the accelerations at `velocity` and the filled `pose` to Work. Add the work of the stage,
    which has this share of the step, to the ledger; with share 0 no work is added."""
    x = w.number
    body_kinds.fill_mass(m, w.rotation, w.block)
    body_kinds.fill_gyroscopic(m.topology, m.body, w.rotation, velocity, w.force)
    if velocity.shape[1] > PoseColumn.RATES:
        clear3(w.force, PoseColumn.RATES)
        scales.add_spin_change(m, pose, w.rotation, velocity, w.force)
        scales.add_centrifugal(m, pose, w.rotation, velocity, 1.0, w.force)
        scales.add_elastic(m, pose, 1.0, w.force)
        scales.add_damping(m, velocity, 1.0, w.force)
    body_kinds.add_loads(
        m.body, s.applied, 1.0, (x[Number.GRAVITY], x[Number.GRAVITY + 1], x[Number.GRAVITY + 2]), w.force
    )
    joint_springs.fill_explicit_springs(m, w, velocity, 1.0)
    right_hand_sides.fill_bias(m, s, w, velocity)
    if w.control[Control.CORRECTION] == Correction.FEEDBACK:
        right_hand_sides.add_feedback(m, s, w, pose, velocity, -x[Number.FEEDBACK_KD], -x[Number.FEEDBACK_KS])
    if w.control[Control.ARMED] != 0:
        rotors.accelerate(m, s, w, velocity)
    all_forces.measure(m, s, w, pose, w.rotation)
    all_forces.add_explicit(m, s, w, velocity, 1.0, share, True)
    if share != 0.0:
        all_forces.add_work(m, s, w, velocity, share)


@kernel
def accumulate(m, s, w, weight, t):
    """Add `weight` times the rates of the stage to the sums in Work.stash. Write the state of the next stage, the start
    of the step plus t times the rates, to Work.next_pose and Work.next_velocity."""
    if s.pose.shape[1] > PoseColumn.SHAPE:
        accumulate_scales(s, w, weight, t)
    accumulate_bodies(m, s, w, 0, s.pose.shape[0], weight, t)


@inline
def accumulate_body(m, s, w, i, weight, t):
    """Add `weight` times the rates of body i to its sums in Work.stash, and write its state for the next stage."""
    v = load3(w.next_velocity, i, 0)
    rate = turn_rate(load3(w.stash, i, Sums.TURN), load3(w.next_velocity, i, 3))
    add_to3(w.stash, i, Sums.POSE_RATE, scale(weight, v))
    add_to3(w.stash, i, Sums.POSE_RATE + 3, scale(weight, rate))
    turn = scale(t, rate)
    store3(w.stash, i, Sums.TURN, turn)
    store3(w.next_pose, i, 0, add_scaled(load3(s.pose, i, 0), t, v))
    store4(w.next_pose, i, 3, quat.turned(load4(s.pose, i, 3), turn))
    for k in (0, 3):
        acceleration = load3(w.velocity, i, k)
        add_to3(w.stash, i, Sums.ACCELERATION + k, scale(weight, acceleration))
        store3(w.next_velocity, i, k, add_scaled(load3(s.velocity, i, k), t, acceleration))


accumulate_bodies = over_bodies(accumulate_body)


@inline
def turn_rate(a, w):
    """Return the rate a' of the rotation vector a of q = exp(a) q0 that rotates with the angular velocity w."""
    b = cross(a, w)
    return add_scaled(add_scaled(w, -0.5, b), 1.0 / 12.0, cross(a, b))


@kernel
def accumulate_scales(s, w, weight, t):
    """Add `weight` times the rates of the scales to the sums in Work.stash, and write the scales and their rates for
    the next stage."""
    for i in range(s.pose.shape[0]):
        rate = load3(w.next_velocity, i, PoseColumn.RATES)
        a = load3(w.velocity, i, PoseColumn.RATES)
        store3(w.stash, i, SHAPE_RATE, add_scaled(load3(w.stash, i, SHAPE_RATE), weight, rate))
        store3(w.stash, i, SHAPE_ACCELERATION, add_scaled(load3(w.stash, i, SHAPE_ACCELERATION), weight, a))
        store3(w.next_pose, i, PoseColumn.SHAPE, add_scaled(load3(s.pose, i, PoseColumn.SHAPE), t, rate))
        store3(w.next_velocity, i, PoseColumn.RATES, add_scaled(load3(s.velocity, i, PoseColumn.RATES), t, a))


@kernel
def finish(m, s, w, h):
    """Write the end of a step of h seconds to Work.next_pose and Work.next_velocity, from the weighted sums of its
    stages."""
    finish_bodies(m, s, w, 0, s.pose.shape[0], h)
    if s.pose.shape[1] > PoseColumn.SHAPE:
        for i in range(s.pose.shape[0]):
            store3(
                w.next_pose,
                i,
                PoseColumn.SHAPE,
                add_scaled(load3(s.pose, i, PoseColumn.SHAPE), h, load3(w.stash, i, SHAPE_RATE)),
            )
            change = load3(w.stash, i, SHAPE_ACCELERATION)
            store3(w.next_velocity, i, PoseColumn.RATES, add_scaled(load3(s.velocity, i, PoseColumn.RATES), h, change))


@inline
def finish_body(m, s, w, i, h):
    """Write the end of a step of h seconds of body i to Work.next_pose and Work.next_velocity, from its sums in
    Work.stash."""
    store3(w.next_pose, i, 0, add_scaled(load3(s.pose, i, 0), h, load3(w.stash, i, Sums.POSE_RATE)))
    store4(w.next_pose, i, 3, quat.turned(load4(s.pose, i, 3), scale(h, load3(w.stash, i, Sums.POSE_RATE + 3))))
    for k in (0, 3):
        store3(w.next_velocity, i, k, add_scaled(load3(s.velocity, i, k), h, load3(w.stash, i, Sums.ACCELERATION + k)))


finish_bodies = over_bodies(finish_body)
