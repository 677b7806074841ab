"""Rotors: an inertia (armature) I on the axes of a joint adds the kinetic energy sum of I q'^2 / 2, with the rates q'.

    H = S^T M S + I        so, in every system of `physics/README.md`:   D += I,   d += p

p is the momentum I q' of the rotors, at the same instant as the momenta of the bodies in f. Each integrator has its own
p (Rotors.MOMENTUM is p / I). I is part of D in every system, so that projections and impulses move the rotors, too. The
rates of a ball joint are its relative angular velocity in the parent's axes, and its I is one number: its momentum is
constant in these axes when nothing acts on it.

While bodies move with constant momenta, the rates of the joints change without a force: q' changes by h N+ (a - b_acc),
with the acceleration a of free rotation. Each integrator accounts for the momentum that the rotors gain in this way:

    implicit, explicit    p = I (q'_0 - h N+ (a - b_acc)), so that rotors take what bodies give
    trbdf2                stages as for the bodies; the end restores I q' with the projection of the velocity
    rattle                I (q_1 - q_0) / h between the two kicks, by the sweeps that close the joints: symplectic
    rk4                   solves for accelerations, which need none
"""

import math

from physics.bodies import islands, kinds as body_kinds
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import JointKind, Joints, SpringFlag, Topology
from physics.data.step_tables import Control
from physics.data.work_tables import Edges, Frames, Rotors, Rows
from physics.edges import edges, edge_ends, right_hand_sides
from physics.joints import axes, ball, kinds
from physics.maths import quat
from physics.maths.vec import (
    IDENTITY9, add_scaled, add_to3, cross, dot, load3, load4, load9, mul, mul_t, scale, store3, sub,
)  # fmt: skip


# ---------------------------------------------------------------- rates
@inline
def parent_turn(w, t, r, rotation):
    """Return the rotation matrix of the parent of row r of the table t: a body, the world, or a moving frame."""
    p = t[r, Topology.PARENT]
    if p >= 0:
        return load9(rotation, p, 0)
    return IDENTITY9 if p == -1 else load9(w.frame, -2 - p, Frames.ROTATION)


@inline
def rates_of(w, t, r, e, lin, ang, rotation, edge):
    """Return the rates N+ (lin, ang) of a twist across edge e, whose axes are in `edge`; of a ball joint, its angular
    part in the parent's axes."""
    if t[r, Topology.KIND] == JointKind.BALL:
        return mul_t(parent_turn(w, t, r, rotation), ang)
    return axes.rates(t[r, Topology.DOFS], edge, e, lin, ang)


@inline
def edge_rates(w, t, r, e, c, velocity, rotation, edge):
    """Return the rates q' of edge e at `velocity`. Its levers and axes are in `edge`, the matrices of the same pose in
    `rotation`."""
    vp, wp = edge_ends.parent_velocity(w, t[r, Topology.PARENT], velocity)
    wc = load3(velocity, c, 3)
    lin = ball.anchor_slip(load3(edge, e, Edges.RC), load3(velocity, c, 0), wc, load3(edge, e, Edges.RP), vp, wp)
    return rates_of(w, t, r, e, lin, sub(wc, wp), rotation, edge)


@inline
def weighted(m, e, q):
    """Return I q' of edge e, with its armature I."""
    i = load3(m.joint, e, Joints.ARMATURE)
    return i[0] * q[0], i[1] * q[1], i[2] * q[2]


@far("rotors", "mwt", "f")
def measure(m, w, velocity):
    """Write the rates q' at `velocity` and the filled pose to RATE and MOMENTUM in Work.rotor. Return the kinetic
    energy [J] of the rotors of the present pass."""
    total = 0.0
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            q = edge_rates(w, t, r, e, c, velocity, w.rotation, w.edge)
            store3(w.rotor, e, Rotors.RATE, q)
            store3(w.rotor, e, Rotors.MOMENTUM, q)
            if islands.takes_part(w, c):
                total += 0.5 * dot(q, weighted(m, e, q))
    return total


# ---------------------------------------------------------------- into the system
@far("rotors", "mw")
def add_inertia(m, w):
    """Add I of all joints with rotors to D in Work.row."""
    for e in range(w.rotor.shape[0]):
        t, r, _ = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            i = load3(m.joint, e, Joints.ARMATURE)
            w.row[e, Rows.STIFF_BLOCK] += i[0]
            if t[r, Topology.KIND] == JointKind.BALL:
                w.row[e, Rows.STIFF_BLOCK + 2] += i[1]
                w.row[e, Rows.STIFF_BLOCK + 5] += i[2]
            else:
                w.row[e, Rows.STIFF_BLOCK + 1] += i[1]
                w.row[e, Rows.STIFF_BLOCK + 2] += i[2]


@kernel
def fill_inertia(m, w, rotation):
    """Write the mass matrix at the poses of `rotation` (n, 9) to Work.block, set f, d and D to zero, and add the
    inertia of rotors to D."""
    body_kinds.fill_mass(m, rotation, w.block)
    right_hand_sides.clear_row(w, 0)
    if w.control[Control.ARMED] != 0:
        add_inertia(m, w)


@kernel
def fill_inertia_and_momenta(m, w, rotation):
    """Do the work of `fill_inertia`, and add the momenta of rotors to d."""
    fill_inertia(m, w, rotation)
    if w.control[Control.ARMED] != 0:
        add_momenta(m, w)


@inline
def push(m, w, t, r, e, q, rotation):
    """Add I q' of edge e to d in Work.row, turned by the parent's matrix in `rotation` where it is a ball joint."""
    p = weighted(m, e, q)
    if t[r, Topology.KIND] == JointKind.BALL:
        p = mul(parent_turn(w, t, r, rotation), p)
    add_to3(w.row, e, Rows.PUSH, p)


@far("rotors", "mw")
def add_momenta(m, w):
    """Add p = I MOMENTUM of all joints with rotors to d in Work.row."""
    for e in range(w.rotor.shape[0]):
        t, r, _ = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            push(m, w, t, r, e, load3(w.rotor, e, Rotors.MOMENTUM), w.rotation)


# ---------------------------------------------------------------- what each integrator asks for
@inline
def bias(m, s, w, t, r, e, c, velocity):
    """Return b_acc of edge e at `velocity`. For a ball joint it has an angular part, too, which no row of the joint
    constrains."""
    lin, ang = right_hand_sides.edge_bias(m, s, w, t, r, e, c, velocity, False)
    if t[r, Topology.KIND] == JointKind.BALL:
        _, wp = edge_ends.parent_velocity(w, t[r, Topology.PARENT], velocity)
        ang = cross(wp, sub(load3(velocity, c, 3), wp))
    return lin, ang


@far("rotors", "mswf")
def foresee(m, s, w, h):
    """Write p / I of a step of h seconds of first order to MOMENTUM in Work.rotor. Work.stash holds the angular
    accelerations of free rotation."""
    measure(m, w, s.velocity)
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            lin, ang = bias(m, s, w, t, r, e, c, s.velocity)
            free_lin, free_ang = right_hand_sides.turning_bias(m, w, t, r, e, c, w.stash, 0)
            q = rates_of(w, t, r, e, sub(lin, free_lin), sub(ang, free_ang), w.rotation, w.edge)
            store3(w.rotor, e, Rotors.MOMENTUM, add_scaled(load3(w.rotor, e, Rotors.RATE), h, q))


@far("rotors", "mswt")
def accelerate(m, s, w, velocity):
    """Add I to D and, for ball joints, I b_acc to d in Work.row, for a request of accelerations. The angular part of
    b_acc of a ball joint is not in its b."""
    add_inertia(m, w)
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR and t[r, Topology.KIND] == JointKind.BALL:
            _, ang = bias(m, s, w, t, r, e, c, velocity)
            add_to3(w.row, e, Rows.PUSH, weighted(m, e, ang))


@far("rotors", "mwf")
def reach_middle(m, w, c1):
    """Write p / I of stage 2 of `trbdf2` to MOMENTUM in Work.rotor, from the solution of stage 1. As for the bodies, p
    = pg + c1 (pg - p0) and pg = 2 pb - p0."""
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            q0 = load3(w.rotor, e, Rotors.RATE)
            qb = edge_rates(w, t, r, e, c, w.velocity, w.rotation, w.edge)
            qg = add_scaled(scale(2.0, qb), -1.0, q0)
            store3(w.rotor, e, Rotors.MOMENTUM, add_scaled(qg, c1, sub(qg, q0)))


@far("rotors", "mw")
def keep_rates(m, w):
    """Write the rates of the solution in Work.velocity to RATE in Work.rotor."""
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            store3(w.rotor, e, Rotors.RATE, edge_rates(w, t, r, e, c, w.velocity, w.rotation, w.edge))


@far("rotors", "msw")
def restore_momenta(m, s, w):
    """Add I (q'_kept - q') to d of all joints with rotors in Work.row. The kept rates are in Work.rotor, and q' is that
    at the next pose and velocity."""
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            xp, rot_p = edge_ends.parent_pose(w, t[r, Topology.PARENT], w.next_pose, w.next_rotation)
            x = load3(w.next_pose, c, 0)
            rot_c = load9(w.next_rotation, c, 0)
            kinds.frame(t[r, Topology.KIND], m.joint, m.table, s.memory, w.signal, e, x, rot_c, xp, rot_p, w.spare)
            q = edge_rates(w, t, r, e, c, w.next_velocity, w.next_rotation, w.spare)
            push(m, w, t, r, e, sub(load3(w.rotor, e, Rotors.RATE), q), w.next_rotation)


# ---------------------------------------------------------------- rattle: momenta are differences of coordinates
@inline
def relative_quaternion(w, t, r, c, pose):
    """Return the orientation of child c relative to the parent at `pose`."""
    return quat.multiply(quat.conjugate(edge_ends.parent_quaternion(w, t[r, Topology.PARENT], pose)), load4(pose, c, 3))


@far("rattle rotors", "msw")
def start_sweeps(m, s, w):
    """Write rates and coordinates at the start of the step to RATE and START in Work.rotor, and clear SUM."""
    measure(m, w, s.velocity)
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            store3(w.rotor, e, Rotors.SUM, (0.0, 0.0, 0.0))
            store3(w.rotor, e, Rotors.START, edges.edge_coordinates(m, s, w, t, r, e, c, s.pose, w.rotation))


@far("rattle rotors", "mswf", "f")
def sweep(m, s, w, h):
    """Write to MOMENTUM in Work.rotor the momentum that the next sweep must add. The solve gave the bodies the impulses
    p0 - I q', but they should have p0 - I (q_1 - q_0) / h. Return the largest change of a joint coordinate [rad or m]
    that the missing momentum causes in the time h."""
    worst = 0.0
    for e in range(w.rotor.shape[0]):
        t, r, c = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            if t[r, Topology.KIND] == JointKind.BALL:
                turn = quat.multiply(
                    relative_quaternion(w, t, r, c, w.next_pose),
                    quat.conjugate(relative_quaternion(w, t, r, c, s.pose)),
                )
                rate = scale(1.0 / h, quat.logarithm(turn))
            else:
                q = edges.edge_coordinates(m, s, w, t, r, e, c, w.next_pose, w.next_rotation)
                rate = scale(1.0 / h, sub(q, load3(w.rotor, e, Rotors.START)))
            q = edge_rates(w, t, r, e, c, w.next_velocity, w.rotation, w.edge)
            given = load3(w.rotor, e, Rotors.SUM)
            wanted = sub(q, rate)
            more = sub(wanted, given)
            # what the rotors have left: the difference, to the accuracy of the sweeps, but nothing is lost
            store3(w.rotor, e, Rotors.RATE, sub(q, given))
            store3(w.rotor, e, Rotors.SUM, wanted)
            store3(w.rotor, e, Rotors.MOMENTUM, more)
            worst = max(worst, dot(more, more))
    return abs(h) * math.sqrt(worst)


@far("rattle rotors", "mw")
def end_sweeps(m, w):
    """Copy the rates between the two kicks from RATE to MOMENTUM in Work.rotor: the second kick begins with their
    momenta."""
    for e in range(w.rotor.shape[0]):
        t, r, _ = edge_ends.row_of(m, e)
        if t[r, Topology.FLAGS] & SpringFlag.ROTOR:
            store3(w.rotor, e, Rotors.MOMENTUM, load3(w.rotor, e, Rotors.RATE))
