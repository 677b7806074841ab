"""`trbdf2`: linearly implicit TR-BDF2 [Bank85], the default: second order, stable for stiff joints.

2 factors and 4 solves a step.

With t = (1 - 1/sqrt 2) h and c1 = (sqrt 2 - 1)/2:

1. p0 = M(q0) u0,  q* = flow(q0, clamp u0, t),  u* = M(q*)^-1 p0,  A1 = M(q*) + t D + t^2 (K(q0) + G)
   A1 vb - J(q*)^T l = p0 + t (F(q0) + t G u*),   J(q*) vb = -C(q0) / 2t          (trapezium to 2t, by its midpoint)
   qg = q0 (+) 2t vb,  pg = 2 M(q*) vb - p0,  ug = M(qg)^-1 pg
2. ph = pg + c1 (pg - p0),  qc = qg (+) 2 c1 t vb,  qp = qg (+) (2 c1 t vb + t clamp ug),  A2 as A1 at qp, K(qc)
   A2 v - J(qp)^T l = ph + t (F(qc) + t G ug),    J(qp) v = -C(qp)/t + J(qp) clamp ug
   q1 = qg (+) (2 c1 t vb + t v),  p1 = M(qp) v                                                 (BDF2 to the end)
3. same factor with [0; -C(q1)] -> d,  q1 (+)= d        4. u1 = M(q1)^-1 p1, same factor with [0; -J(q1) u1], add

Moving bodies and prescribed coordinates are taken at t0 + t in stage 1, whose right-hand side has their rates, and at
the end of the step from stage 2 on. F contains no damping; that is in D. q (+) d is the pose q displaced by d. Springs
are evaluated at q0 and qc, never at the predictor: there the method would blow up. In each stage the torques of ball
springs then turn with their bodies, at the velocities u* and ug (joint_springs.turn_torque). `clamp` scales a body's
velocity so that t
|w| <= 0.5 rad.

A body to which nothing is tied, held or driven moves by flow(q0, (p0 + p1)/2, h) instead of q1 (`flights.py`).
"""

import math

from physics.bodies import kinds as body_kinds, scales
from physics.bodies.loops import over_bodies, over_tiles, sum_over_tiles
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.table import Table
from physics.data.model_tables import Bodies, JointKind, Path, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, Number, Request
from physics.edges import edges, simd_groups, joint_springs, right_hand_sides
from physics.edges.joint_forces import gather_forces
from physics.forces import all_forces, geometric_stiffness, rotors
from physics.integrators import fetching, flights, trbdf2_scales
from physics.maths import quat
from physics.maths.prefetch import AHEAD, are_many, fetch_row
from physics.maths.vec import add, add_scaled, load3, load4, load9, scale, store3, store9, sub

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
C1 = 0.5 * (math.sqrt(2.0) - 1.0)
CLAMP = 0.5  # rad a stage
MOST_SWEEPS = 12
SHARE = 0.1  # of the inertia: geometric stiffness comes in where it exceeds that, and as far as it does

# columns of the stash
P0 = 0  # p0, then ph, then p1
VB = 6
PG = 12  # 3: the spin of pg, where bodies stretch


class Stage(Table):
    """Values of Control.STAGE in a step: before its first system (BEGIN), with the answer to the trapezium rule
    (TRAPEZIUM), to BDF2 (BDF2), to a correction sweep (CORRECTION), and to the last system, which removes the slip of
    the anchors (SLIP)."""

    BEGIN = 0
    TRAPEZIUM = 1
    BDF2 = 2
    CORRECTION = 3
    SLIP = 4


@entry("msw", "i")
def advance(m, s, w):
    """Return the next request of the step, or DONE when the new state is in Work.next_pose and Work.next_velocity."""
    c = w.control
    x = w.number
    t = GAMMA * x[Number.H]
    stage = c[Control.STAGE]
    if stage == Stage.BEGIN:
        trapezium(m, s, w, t)
        c[Control.STAGE] = Stage.TRAPEZIUM
        return Request.PULLED
    if stage == Stage.TRAPEZIUM:
        reach_middle(m, s, w, t)
        c[Control.STAGE] = Stage.BDF2
        c[Control.SWEEP] = 0
        return Request.PULLED
    if stage == Stage.BDF2:
        reach_end(m, s, w, t)
        if c[Control.COUPLED] == 0:
            end_alone(m, s, w)
            return Request.DONE
        c[Control.STAGE] = Stage.CORRECTION
        return Request.SOLVE
    if stage == Stage.CORRECTION:
        c[Control.SWEEP] += 1
        if correct(m, s, w) > x[Number.GAP_TOLERANCE] and c[Control.SWEEP] < MOST_SWEEPS:
            right_hand_sides.ask_correction(m, s, w, -1.0)
            return Request.SOLVE
        c[Control.STAGE] = Stage.SLIP
        return Request.SOLVE | Request.WRENCHES if right_hand_sides.may_do_work(w) else Request.SOLVE
    if right_hand_sides.may_do_work(w):
        right_hand_sides.add_work(m, w, 1.0, w.wrench, w.next_velocity, w.next_velocity)
    body_kinds.add_rows(w.velocity, w.next_velocity)
    return Request.DONE


@kernel
def assemble_some(m, s, w, first, end, t, wrench, k):
    """Write A, f, D and d of one stage at the filled pose to Work, for the bodies from `first` to `end`: f = momenta in
    the stash + t (F + t G u), with u in Work.next_velocity. k times `wrench` is t^2 times the joint forces of G."""
    x = w.number
    assemble_bodies(m, s, w, first, end, t, (x[Number.GRAVITY], x[Number.GRAVITY + 1], x[Number.GRAVITY + 2]))
    many = are_many(m.topology)
    for i in range(first, end):
        if many:
            fetching.of_springs(w, i + AHEAD)
        joint_springs.implicit_spring(m.topology[i, Topology.FLAGS], w.spring, i, t, w.row)
        if m.topology[i, Topology.PATH] == Path.BALL and m.topology[i, Topology.FLAGS] != 0:
            joint_springs.turn_torque(m, w, m.topology, i, i, i, t, w.next_velocity)
    if stiffens(w):
        geometric_stiffness.add_some(m, w, wrench, k, SHARE, 1, w.next_velocity, first, end)


@inline
def assemble_body(m, s, w, i, t, g):
    """Write A = M to Work.block and f = p0 + t m g to Work.force of body i, with p0 in Work.stash."""
    body_kinds.body_mass(m.topology, m.body, i, load9(w.rotation, i, 0), w.block)
    store3(w.force, i, 0, add(load3(w.stash, i, P0), scale(t, scale(m.body[i, Bodies.MASS], g))))
    store3(w.force, i, 3, load3(w.stash, i, P0 + 3))


assemble_bodies = over_bodies(assemble_body, fetching.of_blocks)


@inline
def stiffens(w):
    """Return whether geometric stiffness is part of the system: it is switched on, and bodies are coupled."""
    return w.control[Control.GEOMETRIC] != 0 and w.control[Control.COUPLED] != 0


@kernel
def assemble_rest(m, s, w, t, wrench, k):
    """Add the parts of the system of a stage that do not belong to one body each: applied forces, scales, links, moving
    frames, rotors, springs in the forest."""
    if w.control[Control.LOADED] != 0:
        body_kinds.add_applied(s.applied, t, w.force)
    if w.velocity.shape[1] > PoseColumn.RATES:
        trbdf2_scales.assemble(m, w, t)
    joint_springs.implicit_link_springs(m, w, t, w.next_velocity)
    joint_springs.add_frame_rates(m, w, t)
    if w.control[Control.ARMED] != 0:
        rotors.add_inertia(m, w)
        rotors.add_momenta(m, w)
    all_forces.stiffen(m, s, w)
    if stiffens(w):
        geometric_stiffness.add_links(m, w, wrench, k, SHARE, 1, w.next_velocity)


@inline
def predict_body(m, s, w, i, t):
    """Write p0 of body i to Work.stash, and q* = flow(q0, clamp u0, t) to Work.next_pose."""
    v = load3(s.velocity, i, 0)
    a = load3(s.velocity, i, 3)
    rot = load9(w.rotation, i, 0)
    p, l = body_kinds.body_momentum(m.topology, m.body, i, rot, v, a)
    store3(w.stash, i, P0, p)
    store3(w.stash, i, P0 + 3, l)
    vc, ac = body_kinds.clamped(v, a, t, CLAMP)
    body_kinds.body_drift(m.topology, m.body, i, s.pose, rot, vc, ac, t, 0, w.next_pose)


predict_bodies = over_bodies(predict_body, fetching.of_prediction)


@kernel
def trapezium(m, s, w, t):
    """Write the system of stage 1 to Work, with u* in Work.next_velocity. Prescribed motions are taken at the middle of
    the stage."""
    if w.control[Control.ARMED] != 0:
        rotors.measure(m, w, s.velocity)
    signaled = w.control[Control.SIGNALED] != 0
    if signaled:
        edges.at_time(m, w, w.number[Number.NOW] + t)
        joint_springs.fill_springs(m, s, w, s.pose, w.rotation)
    all_forces.aim(m, s, w, s.pose, s.velocity, t, 1.0 - GAMMA, True)
    all_forces.measure(m, s, w, s.pose, w.rotation)
    scaled = s.velocity.shape[1] > PoseColumn.RATES
    if scaled:
        scales.put_shape(m, s.pose)
    trapezium_tiles(m, s, w, t)
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        edges.link_frame(m, s, w, j, w.next_pose, w.rotation)
        middle_right_hand_side(m, w, m.links, j, n + j, signaled, -0.5 / t)
    if scaled:
        scales.fill_rates(m, w.stash, trbdf2_scales.P0, w.next_velocity)
        trbdf2_scales.predict(m, w, w.next_pose)
    assemble_rest(m, s, w, t, s.memory, t * t)
    all_forces.turn(m, s, w, w.next_velocity, t)
    all_forces.add_implicit(m, s, w, s.velocity, t, 1.0 - GAMMA)


@kernel
def trapezium_tile(m, s, w, first, end, t):
    """Write q*, b, u*, A, f, D and d of stage 1 to Work, for the bodies from `first` to `end` and their inbound
    edges."""
    predict_bodies(m, s, w, first, end, t)
    if s.velocity.shape[1] > PoseColumn.RATES:
        trbdf2_scales.start(m, s, w, t, CLAMP)
    signaled = w.control[Control.SIGNALED] != 0
    many = are_many(m.topology)
    for i in range(first, end):
        if many:
            fetching.of_right_hand_sides(m, w, s.memory, i + AHEAD)
            fetch_row(w.gap, i + AHEAD)
        edges.body_frame(m, s, w, i, w.next_pose, w.rotation)
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            middle_right_hand_side(m, w, m.topology, i, i, signaled, -0.5 / t)
    find_velocities(m, s, w, first, end, w.rotation)
    assemble_some(m, s, w, first, end, t, s.memory, t * t)


trapezium_tiles = over_tiles(trapezium_tile)


@inline
def middle_right_hand_side(m, w, t, r, e, signaled, k):
    """Write b = k C(q0) of edge e to Work.row, k = -1/2t, plus the prescribed twist at the middle of the stage where
    motions are prescribed (`signaled`)."""
    if signaled:
        lin, ang = right_hand_sides.prescribed_twist(m, w, t, r, e)
        lin = add_scaled(lin, k, load3(w.gap, e, 0))
        right_hand_sides.set_right_hand_side(t, r, e, w, lin, add_scaled(ang, k, load3(w.gap, e, 3)))
    else:
        right_hand_sides.set_scaled_gap(t, r, e, w, w.gap, k)


@inline
def find_velocity(m, s, w, i, rotation):
    """Write u = M^-1 p of body i to Work.next_velocity, with p in Work.stash and the matrices of the pose in
    `rotation`."""
    p = load3(w.stash, i, P0)
    v, a = body_kinds.body_velocity(m.topology, m.body, i, load9(rotation, i, 0), p, load3(w.stash, i, P0 + 3))
    store3(w.next_velocity, i, 0, v)
    store3(w.next_velocity, i, 3, a)


find_velocities = over_bodies(find_velocity)


@inline
def reach_middle_body(m, s, w, i, t, kept):
    """Write qg to Work.next_pose, ug to Work.next_velocity and ph = pg + c1 (pg - p0) to Work.stash of body i. In these
    pg = 2 M(q*) vb - p0, with vb in Work.velocity. With `kept`, because scales need it, the stash also gets the spin of
    pg."""
    v = load3(w.velocity, i, 0)
    a = load3(w.velocity, i, 3)
    store3(w.stash, i, VB, v)
    store3(w.stash, i, VB + 3, a)
    p, l = body_kinds.body_momentum(m.topology, m.body, i, load9(w.rotation, i, 0), v, a)
    p0 = load3(w.stash, i, P0)
    l0 = load3(w.stash, i, P0 + 3)
    pg = sub(scale(2.0, p), p0)
    lg = sub(scale(2.0, l), l0)
    store3(w.stash, i, P0, add_scaled(pg, C1, sub(pg, p0)))
    store3(w.stash, i, P0 + 3, add_scaled(lg, C1, sub(lg, l0)))
    if kept:
        store3(w.stash, i, PG, lg)
    body_kinds.body_displace(m.topology, i, s.pose, scale(2.0 * t, v), scale(2.0 * t, a), w.next_pose)
    vg, ag = body_kinds.body_velocity(m.topology, m.body, i, quat.matrix(load4(w.next_pose, i, 3)), pg, lg)
    store3(w.next_velocity, i, 0, vg)
    store3(w.next_velocity, i, 3, ag)


reach_middle_bodies = over_bodies(reach_middle_body, fetching.of_middle)


@inline
def carry_on_body(m, s, w, i, k):
    """Write qc = qg (+) k vb of body i to Work.spring_pose, and its matrix to Work.next_rotation."""
    d = scale(k, load3(w.velocity, i, 0))
    body_kinds.body_displace(m.topology, i, w.next_pose, d, scale(k, load3(w.velocity, i, 3)), w.spring_pose)
    store9(w.next_rotation, i, 0, quat.matrix(load4(w.spring_pose, i, 3)))


carry_on_bodies = over_bodies(carry_on_body, fetching.of_spring_pose)


@inline
def predict_end_body(m, s, w, i, t):
    """Write clamp ug of body i to Work.velocity, and qp = qg (+) (2 c1 t vb + t clamp ug) to Work.other_pose."""
    v, a = body_kinds.clamped(load3(w.next_velocity, i, 0), load3(w.next_velocity, i, 3), t, CLAMP)
    store3(w.velocity, i, 0, v)
    store3(w.velocity, i, 3, a)
    displace_to_end(m, w, i, v, a, t, w.other_pose)


predict_end_bodies = over_bodies(predict_end_body, fetching.of_predicted_end)


@inline
def displace_to_end(m, w, i, v, a, t, out):
    """Write qg (+) (2 c1 t vb + t v) of body i to `out` (n, place), with the velocity (v, a) as v."""
    d = scale(t, add_scaled(v, 2.0 * C1, load3(w.stash, i, VB)))
    r = scale(t, add_scaled(a, 2.0 * C1, load3(w.stash, i, VB + 3)))
    body_kinds.body_displace(m.topology, i, w.next_pose, d, r, out)


@kernel
def reach_middle(m, s, w, t):
    """Take the solution vb of stage 1, and write the system of stage 2 at the predicted pose qp to Work: qg to
    Work.next_pose, ug to Work.next_velocity, ph to Work.stash, springs at qc to Work.spring. The wrenches of stage 1
    are t times joint forces."""
    if w.control[Control.ARMED] != 0:
        rotors.reach_middle(m, w, C1)
    # what happens in the time t of the stage happens in 2 (1 + c1) t of the step
    right_hand_sides.add_work(m, w, 2.0 * (1.0 + C1), w.wrench, w.velocity, w.velocity)
    all_forces.add_row_work(m, s, w, 2.0 * (1.0 + C1), w.wrench, w.velocity)
    edges.at_time(m, w, w.number[Number.NEXT])
    scaled = s.velocity.shape[1] > PoseColumn.RATES
    if scaled:
        trbdf2_scales.reach_middle(m, w, t, C1)
    reach_middle_tiles(m, s, w, t)
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        lin, ang = edges.link_frame(m, s, w, j, w.other_pose, w.rotation)
        predicted_right_hand_side(m, w, m.links, j, n + j, m.links[j, Topology.CHILD], lin, ang, t)
    if scaled:
        trbdf2_scales.add_slips(m, w)
        trbdf2_scales.predict(m, w, w.other_pose)
    assemble_rest(m, s, w, t, w.wrench, t)
    all_forces.turn(m, s, w, w.next_velocity, t)
    all_forces.add_implicit(m, s, w, w.next_velocity, t, GAMMA)


@kernel
def reach_middle_tile(m, s, w, first, end, t):
    """Do the work of `reach_middle` for the bodies from `first` to `end` and their inbound edges. Forces that depend on
    poses are measured at qc once qc is known for all bodies."""
    scaled = s.velocity.shape[1] > PoseColumn.RATES
    reach_middle_bodies(m, s, w, first, end, t, scaled)
    if scaled:
        trbdf2_scales.middle_velocities(m, s, w, t, C1, PG)
    if w.control[Control.SPRUNG] != 0 or w.control[Control.GRABS] != 0 or w.control[Control.DRIVEN] != 0:
        carry_on_bodies(m, s, w, first, end, 2.0 * C1 * t)
        if scaled:
            scales.put_shape(m, w.spring_pose)
        joint_springs.fill_some_springs(m, s, w, w.spring_pose, w.next_rotation, first, end, 0.0)
        if end == m.topology.shape[0]:
            joint_springs.fill_link_springs(m, s, w, w.spring_pose, w.next_rotation, 0.0)
            all_forces.measure(m, s, w, w.spring_pose, w.next_rotation)
            all_forces.aim(m, s, w, w.spring_pose, w.next_velocity, t, GAMMA, False)
    predict_end_bodies(m, s, w, first, end, t)
    if scaled:
        trbdf2_scales.predict_end(m, w, t, C1, CLAMP)
    many = are_many(m.topology)
    for i in range(first, end):
        if many:
            fetching.of_right_hand_sides(m, w, w.wrench, i + AHEAD)
        lin, ang = edges.body_frame(m, s, w, i, w.other_pose, w.rotation)
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            predicted_right_hand_side(m, w, m.topology, i, i, i, lin, ang, t)
    assemble_some(m, s, w, first, end, t, w.wrench, t)


reach_middle_tiles = over_tiles(reach_middle_tile)


@inline
def predicted_right_hand_side(m, w, t, r, e, c, lin, ang, h):
    """Write b = -C(qp)/h + J(qp) clamp ug of edge e to Work.row, with the error (lin, ang) as C. In rows that are
    conditions on velocities alone, b is only what is prescribed, because v is the velocity at the end."""
    slip, spin = right_hand_sides.relative_twist(m, w, t, r, e, c, w.velocity)
    slip = add_scaled(slip, -1.0 / h, lin)
    spin = add_scaled(spin, -1.0 / h, ang)
    slip, spin = right_hand_sides.holonomic_part(t, r, e, w, slip, spin)
    slip, spin = right_hand_sides.with_prescribed_rates(m, w, t, r, e, slip, spin)
    right_hand_sides.set_right_hand_side(t, r, e, w, slip, spin)


@inline
def reach_end_body(m, s, w, i, t):
    """Write p1 = M(qp) v of body i to Work.stash, and q1 to Work.next_pose."""
    v = load3(w.velocity, i, 0)
    a = load3(w.velocity, i, 3)
    p, l = body_kinds.body_momentum(m.topology, m.body, i, load9(w.rotation, i, 0), v, a)
    store3(w.stash, i, P0, p)
    store3(w.stash, i, P0 + 3, l)
    displace_to_end(m, w, i, v, a, t, w.next_pose)


reach_end_bodies = over_bodies(reach_end_body, fetching.of_end)


@kernel
def reach_end(m, s, w, t):
    """Write q1 = qg (+) (2 c1 t vb + t v) to Work.next_pose, p1 = M(qp) v to Work.stash, and the right-hand side of the
    correction of C(q1) to Work.row. Return the largest error [m or rad]."""
    w.number[Number.FORCE_SCALE] = 1.0 / t
    if w.control[Control.ARMED] != 0:
        rotors.keep_rates(m, w)
    right_hand_sides.add_work(m, w, 1.0, w.wrench, w.velocity, w.velocity)
    all_forces.add_row_work(m, s, w, 1.0, w.wrench, w.velocity)
    if right_hand_sides.may_do_work(w):
        gather_forces(w)  # before the wrenches of the last solve
    worst, where = reach_end_tiles(m, s, w, (0.0, -1), t)
    return right_hand_sides.ask_links(m, s, w, -1.0, worst, where)


@kernel
def reach_end_tile(m, s, w, first, end, sums, t):
    """Do the work of `reach_end` for the bodies from `first` to `end`. Return the sums so far: the largest squared
    error and its edge."""
    worst, where = sums
    scaled = s.velocity.shape[1] > PoseColumn.RATES
    reach_end_bodies(m, s, w, first, end, t)
    if scaled:
        trbdf2_scales.reach_end(m, w, t, C1)
    if flights.there_are(w.control):
        flights.fly(m, s, w, first, end, w.stash, P0, w.number[Number.H])
    if scaled:
        scales.put_shape(m, w.next_pose)
    return right_hand_sides.ask_some(m, s, w, -1.0, first, end, worst, where)


reach_end_tiles = sum_over_tiles(reach_end_tile)


@kernel
def correct(m, s, w):
    """Add the correction d in Work.velocity to q1 in Work.next_pose, and write u1 = M(q1)^-1 p1 to Work.next_velocity
    and the right-hand side that removes J(q1) u1 to Work.row. Return the largest remaining error [m or rad]."""
    worst, where = correct_tiles(m, s, w, (0.0, -1))
    gap = right_hand_sides.stop_links(m, s, w, worst, where)
    if w.control[Control.ARMED] != 0:
        rotors.restore_momenta(m, s, w)
    return gap


@kernel
def correct_tile(m, s, w, first, end, sums):
    """Do the work of `correct` for the bodies from `first` to `end`. Return the sums so far: the largest squared error
    and its edge."""
    worst, where = sums
    scaled = s.velocity.shape[1] > PoseColumn.RATES
    correct_bodies(m, s, w, first, end)
    if scaled:
        scales.move(w.next_pose, w.velocity, 1.0, w.next_pose)
        scales.put_shape(m, w.next_pose)
    simd_groups.fill_some_rotations(w.next_pose, w.next_rotation, first, end)
    find_velocities(m, s, w, first, end, w.next_rotation)
    if scaled:
        scales.fill_rates(m, w.stash, trbdf2_scales.P0, w.next_velocity)
    return right_hand_sides.stop_some(m, s, w, first, end, worst, where)


correct_tiles = sum_over_tiles(correct_tile)


@inline
def correct_body(m, s, w, i):
    """Move body i in Work.next_pose by the correction d in Work.velocity."""
    body_kinds.body_nudge(m.topology, i, w.next_pose, load3(w.velocity, i, 0), load3(w.velocity, i, 3), w.next_pose)


correct_bodies = over_bodies(correct_body, fetching.of_last)


@kernel
def end_alone(m, s, w):
    """Write u1 = M(q1)^-1 p1 to Work.next_velocity where no bodies are coupled."""
    find_velocities(m, s, w, 0, m.topology.shape[0], w.next_rotation)
    if w.velocity.shape[1] > PoseColumn.RATES:
        scales.fill_rates(m, w.stash, trbdf2_scales.P0, w.next_velocity)
