"""`rk4`: the classical fourth-order Runge-Kutta method on constrained accelerations, then projection.

    M a - J^T l = F - w x I w,  J a = b_acc                      at each of the four stages

The coordinates of an orientation are the rotation vector a since the start of the step, q = exp(a) q0, with
a' = w - a x w / 2 + a x (a x w) / 12 (what is left out is of fifth order in the step) [Munthe-Kaas98]: a turn about one
axis is exact. The end is projected on C = 0 and J u = 0 in the mass metric. 5 factors, 6 solves. A body to which
nothing is tied turns by its free flow instead, where no torque acts on it (`flights.py`).
"""

from physics import drag, drives, edges, fill, joint_springs, jumps, loose, pulls, rebuild, rotors, scales
from physics.integrators import flights
from physics.kernels import quat
from physics.kernels.columns import clear_all, copy_all, copy_scaled
from physics.kernels.jit import entry, inline, kernel
from physics.kernels.lanes import AT_ONCE, four
from physics.kernels.vec import ZERO3, add_scaled, add_to3, cross, load3, load4, scale, store3, store4
from physics.layout import (
    ARMED, ALL, COORDINATES, CORRECTION, COUPLED, DONE, FEEDBACK, FEEDBACK_KD, FEEDBACK_KS, GRAVITY, H, NEXT, NOW,
    PULLED, RATES, SHAKE, SHAPE, STAGE, STASH_SCALES, SWEEP,
)  # fmt: skip

MOST_SWEEPS = 4
CLOSED = 1e-11  # the projection must not be coarser than the fourth order

# columns of the stash: weighted sums of the stages
POSE_RATE = 0  # 6: of the centre, of the rotation vector
ACCELERATION = 6  # 6
TURN = 12  # 3: rotation vector of the present stage since the start of the step, not a sum
SHAPE_RATE = STASH_SCALES  # 3: the same sums of the scales
SHAPE_ACCELERATION = STASH_SCALES + 3  # 3


@entry
def advance(m, s, w):
    """The next request of the step; DONE when the new state stands in w.next_*."""
    c = w.control
    x = w.number
    h = x[H]
    stage = c[STAGE]
    if stage == 0:
        copy_all(s.pose, w.next_pose)
        copy_all(s.velocity, w.next_velocity)
        clear_all(w.stash)
    elif stage <= 4:
        if stage == 1:
            copy_scaled(w.wrench, 0, 1.0, w.next_wrench, 0)
        weight = 1.0 / 6.0 if stage == 1 or stage == 4 else 1.0 / 3.0
        jumps.add_work(m, w, weight * h, w.wrench, w.next_velocity, w.next_velocity)
        loose.add_work(m, w, weight * h, w.wrench, w.next_velocity)
        accumulate(m, s, w, weight, 0.5 * h if stage < 3 else h)
    if stage < 4:
        if stage > 0:
            edges.at_time(m, w, x[NEXT] if stage == 3 else x[NOW] + 0.5 * h)
        edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
        joint_springs.fill_springs(m, s, w, w.next_pose, w.rotation)
        share = 1.0 / 6.0 if stage == 0 or stage == 3 else 1.0 / 3.0
        accelerations(m, s, w, w.next_pose, w.next_velocity, share)
        pulls.measure(s, w, w.next_pose, w.next_velocity, 0.0, share, stage == 0)
        c[STAGE] = stage + 1
        return PULLED
    if stage == 4:
        finish(m, s, w, h)
        if flights.there_are(c):
            flights.turn(m, s, w, h)
        c[SWEEP] = 0
        if c[CORRECTION] == COORDINATES:
            rebuild.rebuild(m, s, w)
        if c[COUPLED] == 0 or c[CORRECTION] != SHAKE:
            return DONE
    if stage == 5:
        fill.displace(m.topology, w.next_pose, w.velocity, 1.0, w.next_pose)
        c[SWEEP] += 1
    if stage <= 5:
        gap, _ = edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
        fill.fill_mass(m, w.rotation, w.block)
        jumps.clear_row(w, 0)
        if w.control[ARMED] != 0:
            rotors.add_inertia(m, w)
        if gap > CLOSED and c[SWEEP] < MOST_SWEEPS:
            jumps.fill_jumps(m, w, w.gap, -1.0)
            c[STAGE] = 5
        else:
            jumps.fill_slips(m, s, w, w.next_pose, w.rotation, w.next_velocity, -1.0)
            drives.hold_speeds(m, s, w, w.next_velocity, h, 1.0, drives.SPEEDS_AT_END)
            c[STAGE] = 6
        return ALL
    jumps.add_work(m, w, 1.0, w.wrench, w.next_velocity, w.next_velocity)
    fill.add_rows(w.velocity, w.next_velocity)
    return DONE


@kernel
def accelerations(m, s, w, pose, velocity, share):
    """The system of the accelerations at the filled pose; of a step, in which the stage has a share."""
    x = w.number
    fill.fill_mass(m, w.rotation, w.block)
    fill.fill_gyroscopic(m.topology, m.body, w.rotation, velocity, w.force)
    if velocity.shape[1] > RATES:
        for i in range(pose.shape[0]):
            store3(w.force, i, RATES, ZERO3)
        scales.add_spin_change(m, pose, w.rotation, velocity, w.force)
        scales.add_centrifugal(m, pose, w.rotation, velocity, 1.0, w.force)
        scales.add_elastic(m, pose, 1.0, w.force)
        scales.add_damping(m, velocity, 1.0, w.force)
    fill.add_loads(m.body, s.applied, 1.0, (x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2]), w.force)
    joint_springs.fill_explicit_springs(m, w, velocity, 1.0)
    jumps.fill_bias(m, s, w, velocity)
    if w.control[CORRECTION] == FEEDBACK:
        jumps.add_feedback(m, s, w, pose, velocity, -x[FEEDBACK_KD], -x[FEEDBACK_KS])
    loose.pull(m, w, velocity, True)
    if w.control[ARMED] != 0:
        rotors.accelerate(m, s, w, velocity)
    drag.put_drag(m, w, velocity, 1.0, False, share)
    drives.add_explicit(m, s, w, pose, velocity, 1.0, share)
    if share != 0.0:
        drives.add_work(m, s, w, velocity, share)


@kernel
def accumulate(m, s, w, weight, t):
    """Add the stage's rates to the sums; the next stage's state is the step's start plus t times the rates."""
    if s.pose.shape[1] > SHAPE:
        accumulate_scales(s, w, weight, t)
    laned = fill.laned(m, w)
    for i in range(0, laned, AT_ONCE):
        accumulate_body(s, w, four(i), weight, t)
    for i in range(laned, s.pose.shape[0]):
        accumulate_body(s, w, i, weight, t)


@inline
def accumulate_body(s, w, i, weight, t):
    v = load3(w.next_velocity, i, 0)
    rate = turn_rate(load3(w.stash, i, TURN), load3(w.next_velocity, i, 3))
    add_to3(w.stash, i, POSE_RATE, scale(weight, v))
    add_to3(w.stash, i, POSE_RATE + 3, scale(weight, rate))
    turn = scale(t, rate)
    store3(w.stash, i, TURN, turn)
    store3(w.next_pose, i, 0, add_scaled(load3(s.pose, i, 0), t, v))
    store4(w.next_pose, i, 3, quat.turned(load4(s.pose, i, 3), turn))
    for k in (0, 3):
        acceleration = load3(w.velocity, i, k)
        add_to3(w.stash, i, ACCELERATION + k, scale(weight, acceleration))
        store3(w.next_velocity, i, k, add_scaled(load3(s.velocity, i, k), t, acceleration))


@inline
def turn_rate(a, w):
    """a' of q = exp(a) q0 that turns at the rate w"""
    b = cross(a, w)
    return add_scaled(add_scaled(w, -0.5, b), 1.0 / 12.0, cross(a, b))


@kernel
def accumulate_scales(s, w, weight, t):
    for i in range(s.pose.shape[0]):
        rate = load3(w.next_velocity, i, RATES)
        a = load3(w.velocity, i, RATES)
        store3(w.stash, i, SHAPE_RATE, add_scaled(load3(w.stash, i, SHAPE_RATE), weight, rate))
        store3(w.stash, i, SHAPE_ACCELERATION, add_scaled(load3(w.stash, i, SHAPE_ACCELERATION), weight, a))
        store3(w.next_pose, i, SHAPE, add_scaled(load3(s.pose, i, SHAPE), t, rate))
        store3(w.next_velocity, i, RATES, add_scaled(load3(s.velocity, i, RATES), t, a))


@kernel
def finish(m, s, w, h):
    """The step's end from the weighted sums of its stages"""
    laned = fill.laned(m, w)
    for i in range(0, laned, AT_ONCE):
        finish_body(s, w, four(i), h)
    for i in range(laned, s.pose.shape[0]):
        finish_body(s, w, i, h)
    if s.pose.shape[1] > SHAPE:
        for i in range(s.pose.shape[0]):
            store3(w.next_pose, i, SHAPE, add_scaled(load3(s.pose, i, SHAPE), h, load3(w.stash, i, SHAPE_RATE)))
            change = load3(w.stash, i, SHAPE_ACCELERATION)
            store3(w.next_velocity, i, RATES, add_scaled(load3(s.velocity, i, RATES), h, change))


@inline
def finish_body(s, w, i, h):
    store3(w.next_pose, i, 0, add_scaled(load3(s.pose, i, 0), h, load3(w.stash, i, POSE_RATE)))
    store4(w.next_pose, i, 3, quat.turned(load4(s.pose, i, 3), scale(h, load3(w.stash, i, POSE_RATE + 3))))
    for k in (0, 3):
        store3(w.next_velocity, i, k, add_scaled(load3(s.velocity, i, k), h, load3(w.stash, i, ACCELERATION + k)))
