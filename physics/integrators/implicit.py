"""`implicit`, `hernandez`, `explicit`: one solve at the present pose, then the pose follows.

    A = M(q0) + h D + h^2 (K + G),   [A, J(q0)] with [M u0 + h F; -C/h]  ->  v         [Hernandez11, eq. 3-4]
    q1 = flow(q0, M v, h);   SHAKE: same factor with [0; -C(q1)/h]  ->  dv,  v += dv,  q1 (+)= h dv
    SHAKE again while the gap is too large (full Newton steps where it does not converge);  u1 = M(q1)^-1 M(q0) v

Moving bodies and prescribed coordinates are taken at the end of the step throughout: the step closes C(q0, t1).
`implicit` is linearly implicit in springs and damping (D, K in the joints' subspace) and in the geometric stiffness G
of the last joint forces. `hernandez` stops before the SHAKE correction, as in the paper. `explicit` (symplectic
Euler) takes springs and damping at the present state, A = M. The correction must feed back into the velocity:
projecting the position alone loses 73 % of a double pendulum's energy in 10 s at 1/60.

There are two other corrections. Feedback has J v = J u0 + h (b_acc - J a_free - ks C - kd J u0) and no correction after
it [Witkin97]. Correction by coordinates has J v = h (b_acc - J a_free); then poses and velocities are rebuilt from
those of the joints (`physics.integrators.rebuild`), which changes them by O(h^2).
"""

import math

from physics.bodies import kinds as body_kinds, scales
from physics.bodies.loops import over_bodies, over_tiles, sum_over_bodies, sum_over_tiles
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.lazy import far
from physics.compiler.table import Table
from physics.data.model_tables import Bodies, JointKind, Topology
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control, Correction, DriveRequest, Integrator, Number, Request
from physics.data.work_tables import Edges, Rows, Springs
from physics.edges import edges, simd_groups, joint_springs, right_hand_sides
from physics.forces import all_forces, geometric_stiffness, rotors
from physics.integrators import fetching, rebuild
from physics.maths.columns import copy_all, copy_rows
from physics.maths.lanes import each
from physics.maths.prefetch import AHEAD, are_many
from physics.maths.vec import add, add_scaled, clear3, dot, load3, load9, scale, store3, sub

MOST_SWEEPS = 12
SAME_FACTOR = 8  # sweeps along J(q0) at most, and only as long as each leaves less than CONVERGING of the gap
CONVERGING = 0.6
CLOSED = 1e-13  # what is at rest needs no sweep, m (rad)
NO_LIMIT = 1e300
# Geometric stiffness acts as a drag here (compensated, it lets energy grow), so it comes in only as far as it exceeds
# this share of the inertia.
SHARE = 0.5


class Stage(Table):
    """Values of Control.STAGE in a step: before its system (BEGIN), with its velocity (SOLVED), with the answer to a
    correction sweep (CORRECTED)."""

    BEGIN = 0
    SOLVED = 1
    CORRECTED = 2


@entry("msw", "i")
def advance(m, s, w):
    """Return the next request of the step, or DONE when the new state is in Work.next_pose and Work.next_velocity."""
    c = w.control
    if c[Control.STAGE] == Stage.BEGIN:
        return set_up(m, s, w)
    x = w.number
    h = x[Number.H]
    turned = False
    if c[Control.STAGE] == Stage.SOLVED:
        corrected = (
            c[Control.COUPLED] != 0
            and c[Control.INTEGRATOR] != Integrator.HERNANDEZ
            and c[Control.CORRECTION] == Correction.SHAKE
        )
        gap = follow(m, s, w, h, corrected)
        turned = corrected
        if c[Control.INTEGRATOR] == Integrator.EXPLICIT:
            all_forces.add_work(m, s, w, w.velocity, 0.0)
        x[Number.FORCE_SCALE] = 1.0 / h
        right_hand_sides.add_work(m, w, 1.0, w.wrench, w.velocity, w.velocity)
        all_forces.add_row_work(m, s, w, 1.0, w.wrench, w.velocity)
        if gap > CLOSED:
            c[Control.STAGE] = Stage.CORRECTED
            return Request.SOLVE
    else:
        c[Control.SWEEP] += 1
    before = x[Number.TRIAL_GAP] if c[Control.SWEEP] > 1 else NO_LIMIT
    swept = c[Control.STAGE] == Stage.CORRECTED
    correct(m, s, w, h, swept, turned)
    if x[Number.TRIAL_GAP] > x[Number.GAP_TOLERANCE] and swept and c[Control.SWEEP] < MOST_SWEEPS:
        right_hand_sides.clear_row(w, 1)
        if c[Control.SWEEP] < SAME_FACTOR and x[Number.TRIAL_GAP] < CONVERGING * before:
            # a further sweep with the same factor: its impulses stay along J(q0), so the edges of q0 are filled again
            edges.fill_edges(m, s, w, s.pose, w.rotation, w.next_gap)
            right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0 / h)
            return Request.SOLVE
        # bodies turn too far in the step for J(q0) to close it: full Newton steps, with factors at q1
        body_kinds.fill_mass(m, w.next_rotation, w.block)
        right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0 / h)
        return Request.FACTOR | Request.SOLVE
    x[Number.TRIAL_KINETIC], x[Number.TRIAL_SPIN] = arrive(m, s, w)
    if c[Control.CORRECTION] == Correction.COORDINATES:
        # which the guard measures
        rebuild.rebuild(m, s, w)
        return Request.DONE
    c[Control.MEASURED] = 1
    return Request.DONE


@kernel
def set_up(m, s, w):
    """Write the system of the step to Work. Return its request."""
    c = w.control
    x = w.number
    h = x[Number.H]
    look_ahead(m, s, w)
    explicit = c[Control.INTEGRATOR] == Integrator.EXPLICIT
    if c[Control.CORRECTION] == Correction.FEEDBACK:
        assemble(m, s, w, explicit, h, -h * x[Number.FEEDBACK_KS], h)
        right_hand_sides.add_feedback(m, s, w, s.pose, s.velocity, 1.0 - h * x[Number.FEEDBACK_KD], 0.0)
    elif c[Control.CORRECTION] == Correction.COORDINATES:
        # J v = 0 at q1, to second order: what rebuilding then changes of the velocity has no momentum behind it
        assemble(m, s, w, explicit, h, 0.0, h)
    else:
        assemble(m, s, w, explicit, h, -1.0 / h, 0.0 if c[Control.INTEGRATOR] == Integrator.HERNANDEZ else 0.5 * h)
    add_forces(m, s, w, explicit, h)
    c[Control.STAGE] = Stage.SOLVED
    c[Control.SWEEP] = 0
    return Request.STEPPED


@kernel
def look_ahead(m, s, w):
    """Set prescribed motions to the end of the step. With these, fill the errors that the step must close (Work.gap),
    and the springs of implicit integrators. Do nothing if no motion is prescribed."""
    if w.control[Control.SIGNALED] != 0:
        edges.at_time(m, w, w.number[Number.NEXT])
        edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
        if w.control[Control.INTEGRATOR] != Integrator.EXPLICIT:
            joint_springs.fill_springs(m, s, w, s.pose, w.rotation)


@kernel
def assemble(m, s, w, explicit, h, feedback, ahead):
    """Write A, f, D, d and b of a step of h seconds from the present state to Work. C is the error and a_free the
    angular acceleration of free rotation in

            b = feedback C + ahead (b_acc - J a_free),     C(q1) = C + h J v - (h^2/2) (b_acc - J a_free) + O(h^3)

    So ahead = h/2 makes the error that is left to the SHAKE correction one order smaller; where the correction
    converges, its result does not depend on `ahead`."""
    x = w.number
    g = (x[Number.GRAVITY], x[Number.GRAVITY + 1], x[Number.GRAVITY + 2])
    assemble_tiles(m, s, w, g, explicit, h, feedback, ahead)
    assemble_rest(m, s, w, explicit, h, feedback, ahead)


@kernel
def assemble_tile(m, s, w, first, end, g, explicit, h, feedback, ahead):
    """Do the work of `assemble` for the bodies from `first` to `end` and their inbound edges, with the acceleration g
    of gravity [m/s^2]."""
    assemble_bodies(m, s, w, first, end, h, g)
    if s.velocity.shape[1] > PoseColumn.RATES:
        assemble_scales(m, s, w, explicit, h)
    assemble_edges(m, s, w, first, end, explicit, h, feedback, ahead)


assemble_tiles = over_tiles(assemble_tile)


@kernel
def assemble_one_by_one(m, s, w, h):
    """Write the system of an implicit substep of h seconds with b = 0 to Work, one body after the other, for a step
    that is redone."""
    x = w.number
    n = m.topology.shape[0]
    for i in range(n):
        assemble_body(m, s, w, i, h, (x[Number.GRAVITY], x[Number.GRAVITY + 1], x[Number.GRAVITY + 2]))
    if s.velocity.shape[1] > PoseColumn.RATES:
        assemble_scales(m, s, w, False, h)
    assemble_edges(m, s, w, 0, n, False, h, 0.0, 0.0)
    assemble_rest(m, s, w, False, h, 0.0, 0.0)


@kernel
def assemble_edges(m, s, w, first, end, explicit, h, feedback, ahead):
    """Write D, d and b of the inbound edges of the bodies from `first` to `end` to Work.row, and add their geometric
    stiffness to the blocks of these bodies and of their parents, which come before them."""
    many = are_many(m.topology)
    i = first
    while i < end:
        if many:
            fetching.of_edges(m, s, w, i + AHEAD)
        last = simd_groups.after_hinges(m.topology, i, end)
        if last != 0:
            simd_groups.put_hinge_right_hand_sides(m, s, w, i, last, feedback, ahead)
            while i < last:
                assemble_spring(m, s, w, m.topology, i, i, i, explicit, h)
                i += 1
            continue
        if m.topology[i, Topology.KIND] != JointKind.FREE:
            assemble_edge(m, s, w, m.topology, i, i, i, explicit, h, feedback, ahead)
        i += 1
    if stiffens(w, explicit) and w.control[Control.TREE_SPRINGS] == 0:
        geometric_stiffness.add_some(m, w, s.memory, h * h, SHARE, 0, s.velocity, first, end)


@inline
def stiffens(w, explicit):
    """Return whether geometric stiffness is part of the system: it is switched on, bodies are coupled, and the step is
    not `explicit`."""
    return w.control[Control.GEOMETRIC] != 0 and w.control[Control.COUPLED] != 0 and not explicit


@kernel
def assemble_rest(m, s, w, explicit, h, feedback, ahead):
    """Complete the system of `assemble` by D, d and b of the links, applied forces, rotors, springs in the forest, and
    geometric stiffness of the links."""
    n = m.topology.shape[0]
    for j in range(m.links.shape[0]):
        assemble_edge(m, s, w, m.links, j, n + j, m.links[j, Topology.CHILD], explicit, h, feedback, ahead)
    if not explicit:
        joint_springs.add_frame_rates(m, w, h)
    if w.control[Control.LOADED] != 0:
        body_kinds.add_applied(s.applied, h, w.force)
    if w.control[Control.ARMED] != 0:
        rotors.foresee(m, s, w, h)
        rotors.add_inertia(m, w)
        rotors.add_momenta(m, w)
    if not explicit:
        all_forces.stiffen(m, s, w)
    if stiffens(w, explicit):
        if w.control[Control.TREE_SPRINGS] != 0:
            # these come before, as rounding knows the order
            geometric_stiffness.add_some(m, w, s.memory, h * h, SHARE, 0, s.velocity, 0, n)
        geometric_stiffness.add_links(m, w, s.memory, h * h, SHARE, 0, s.velocity)


@kernel
def add_forces(m, s, w, explicit, h):
    """Measure the forces of a step of h seconds at the present state, and add them to the system in Work. Call this
    last before the request."""
    w.number[Number.LIMIT_SPAN] = h
    all_forces.aim(m, s, w, s.pose, s.velocity, h, 1.0, True)
    all_forces.measure(m, s, w, s.pose, w.rotation)
    if explicit:
        all_forces.add_explicit(m, s, w, s.velocity, h, 1.0, False)
        all_forces.hold(m, s, w, s.velocity, h, 1.0, DriveRequest.SPEEDS_IN_STEP)
    else:
        all_forces.add_implicit(m, s, w, s.velocity, h, 1.0)


@inline
def assemble_body(m, s, w, i, h, g):
    """Write A = M to Work.block and f = M u0 + h M g to Work.force of body i, and its angular acceleration of free
    rotation to columns 0 to 2 of Work.stash."""
    rot = load9(w.rotation, i, 0)
    body_kinds.body_mass(m.topology, m.body, i, rot, w.block)
    l, turning = body_kinds.body_spin(m.topology, m.body, i, rot, load3(s.velocity, i, 3))
    mass = m.body[i, Bodies.MASS]
    store3(w.force, i, 0, add_scaled(scale(h, scale(mass, g)), mass, load3(s.velocity, i, 0)))
    store3(w.force, i, 3, l)
    store3(w.stash, i, 0, turning)


assemble_bodies = over_bodies(assemble_body, fetching.of_bodies)


@far("scales", "mswbf")
def assemble_scales(m, s, w, explicit, h):
    """Write the columns of the scales: M + h D + h^2 K to Work.block (M where the step is `explicit`), and Z s' + h F
    to Work.force. Add -I^-1 I' w to the angular acceleration in Work.stash."""
    scales.fill_mass(m, 0.0 if explicit else h, 0.0 if explicit else h * h, w.block)
    clear3(w.force, PoseColumn.RATES)
    scales.fill_momenta(m, s.velocity, PoseColumn.RATES, w.force)
    scales.add_elastic(m, s.pose, h, w.force)
    if explicit:
        scales.add_damping(m, s.velocity, h, w.force)
    scales.add_centrifugal(m, s.pose, w.rotation, s.velocity, h, w.force)
    scales.add_turning(m, s.pose, w.rotation, s.velocity, w.stash)


@inline
def assemble_spring(m, s, w, t, r, e, c, explicit, h):
    """Write D and d of the spring of edge e, row r of the table t, to Work.row, explicitly or implicitly."""
    if explicit:
        joint_springs.explicit_spring(m, w, t, r, e, c, s.velocity, h)
    else:
        joint_springs.implicit_spring(t[r, Topology.FLAGS], w.spring, e, h, w.row)


@inline
def assemble_edge(m, s, w, t, r, e, c, explicit, h, feedback, ahead):
    """Write D, d and b of edge e, row r of the table t with child c, to Work.row."""
    assemble_spring(m, s, w, t, r, e, c, explicit, h)
    lin = scale(feedback, load3(w.gap, e, 0))
    ang = scale(feedback, load3(w.gap, e, 3))
    if ahead != 0.0:
        lin1, ang1 = right_hand_sides.edge_bias(m, s, w, t, r, e, c, s.velocity, False)
        lin2, ang2 = right_hand_sides.turning_bias(m, w, t, r, e, c, w.stash, 0)
        if t[r, Topology.KIND] == JointKind.POINT_SPRING and not explicit:
            foresee_spring(w, e, h, sub(lin1, lin2))
        lin = add_scaled(lin, ahead, sub(lin1, lin2))
        ang = add_scaled(ang, ahead, sub(ang1, ang2))
    lin, ang = right_hand_sides.with_prescribed_rates(m, w, t, r, e, lin, ang)
    right_hand_sides.set_right_hand_side(t, r, e, w, lin, ang)


@inline
def foresee_spring(w, e, h, b):
    """Add (h C + h^2 K) h n . b / 2 to d of the point spring e in Work.row for each of its axes n. Because n rotates in
    the step of h seconds, its coordinate changes by h n . (J v - h b / 2). Without this term a stiff damper would brake
    rotating bodies."""
    for k in range(3):
        n = load3(w.edge, e, Edges.AXIS + 6 * k)
        force = h * w.spring[e, Springs.C + k] + h * h * w.spring[e, Springs.K + k]
        w.row[e, Rows.PUSH + k] += 0.5 * h * force * dot(n, b)


@kernel
def follow(m, s, w, h, corrected):
    """Write v to Work.next_velocity and q1 = flow(q0, M v, h) to Work.next_pose. If the step is `corrected`, also write
    the right-hand side of the first correction and return the largest error [m or rad]; else return 0."""
    worst, where = follow_tiles(m, s, w, (0.0, -1), h, corrected)
    return right_hand_sides.ask_links(m, s, w, -1.0 / h, worst, where) if corrected else 0.0


@kernel
def follow_tile(m, s, w, first, end, sums, h, corrected):
    """Do the work of `follow` for the bodies from `first` to `end`. Return the sums so far: the largest squared error
    and its edge."""
    copy_rows(w.velocity, w.next_velocity, first, end)
    follow_bodies(m, s, w, first, end, h)
    if s.velocity.shape[1] > PoseColumn.RATES:
        scales.move(s.pose, w.velocity, h, w.next_pose)
        scales.put_shape(m, w.next_pose)
    if corrected:
        worst, where = sums
        return right_hand_sides.ask_some(m, s, w, -1.0 / h, first, end, worst, where)
    return sums


follow_tiles = sum_over_tiles(follow_tile)


@inline
def follow_body(m, s, w, i, h):
    """Write q1 = flow(q0, M v, h) of body i to Work.next_pose, with v in Work.velocity."""
    v = load3(w.velocity, i, 0)
    a = load3(w.velocity, i, 3)
    body_kinds.body_drift(m.topology, m.body, i, s.pose, load9(w.rotation, i, 0), v, a, h, 0, w.next_pose)


follow_bodies = over_bodies(follow_body, fetching.of_drift)


@kernel
def correct(m, s, w, h, nudged, turned):
    """Add the correction dv in Work.velocity to Work.next_velocity, and h dv to Work.next_pose, if `nudged`. Fill edges
    and springs at that pose, and write the largest gap and the elastic energy to Number.TRIAL_GAP and TRIAL_ELASTIC.
    With `turned`, Work.next_rotation is already filled."""
    x = w.number
    worst, where, elastic = correct_tiles(m, s, w, (0.0, -1, 0.0), h, nudged, turned)
    x[Number.TRIAL_GAP], w.control[Control.WORST] = edges.fill_links(
        m, s, w, w.next_pose, w.next_rotation, w.gap, worst, where
    )
    if w.control[Control.SPRUNG] != 0:
        elastic = joint_springs.fill_link_springs(m, s, w, w.next_pose, w.next_rotation, elastic)
    x[Number.TRIAL_ELASTIC] = elastic


@kernel
def correct_tile(m, s, w, first, end, sums, h, nudged, turned):
    """Do the work of `correct` for the bodies from `first` to `end`. Return the sums so far: the largest squared gap,
    its edge, and the elastic energy [J]."""
    worst, where, elastic = sums
    if nudged:
        correct_bodies(m, s, w, first, end, h)
    if w.velocity.shape[1] > PoseColumn.RATES:
        if nudged:
            scales.add_rates(w.velocity, w.next_velocity)
            scales.move(w.next_pose, w.velocity, h, w.next_pose)
        scales.put_shape(m, w.next_pose)
    if not turned:
        simd_groups.fill_some_rotations(w.next_pose, w.next_rotation, first, end)
    worst, where = edges.fill_some(m, s, w, w.next_pose, w.next_rotation, w.gap, first, end, worst, where)
    if w.control[Control.SPRUNG] != 0:
        elastic = joint_springs.fill_some_springs(m, s, w, w.next_pose, w.next_rotation, first, end, elastic)
    return worst, where, elastic


correct_tiles = sum_over_tiles(correct_tile)


@inline
def correct_body(m, s, w, i, h):
    """Add dv in Work.velocity to row i of Work.next_velocity, and h dv to row i of Work.next_pose."""
    v = load3(w.velocity, i, 0)
    a = load3(w.velocity, i, 3)
    store3(w.next_velocity, i, 0, add(load3(w.next_velocity, i, 0), v))
    store3(w.next_velocity, i, 3, add(load3(w.next_velocity, i, 3), a))
    body_kinds.body_nudge(m.topology, i, w.next_pose, scale(h, v), scale(h, a), w.next_pose)


correct_bodies = over_bodies(correct_body, fetching.of_correction)


@kernel
def arrive(m, s, w):
    """Replace v in Work.next_velocity by u1 = M(q1)^-1 M(q0) v. Work.rotation holds the matrices of q0; replace them by
    those of q1 from Work.next_rotation. Return the kinetic energy [J] and the largest angular speed [rad/s]."""
    if w.velocity.shape[1] > PoseColumn.RATES:
        kinetic, spin = arrive_scaled(m, s, w)
        copy_all(w.next_rotation, w.rotation)
        return kinetic, spin
    kinetic, fastest = arrive_tiles(m, s, w, (0.0, 0.0))
    return kinetic, math.sqrt(fastest)


@kernel
def arrive_tile(m, s, w, first, end, sums):
    """Do the work of `arrive` for the bodies from `first` to `end`. Return the sums so far: the kinetic energy [J] and
    the largest squared angular speed [rad^2/s^2]."""
    sums = arrive_bodies(m, s, w, first, end, sums)
    copy_rows(w.next_rotation, w.rotation, first, end)
    return sums


arrive_tiles = sum_over_tiles(arrive_tile)


@inline
def arrive_body(m, s, w, i, sums):
    """Replace v of body i in Work.next_velocity by u1. Return the sums so far: the kinetic energy [J] and the largest
    squared angular speed [rad^2/s^2]."""
    kinetic, fastest = sums
    v = load3(w.next_velocity, i, 0)
    p, l = body_kinds.body_momentum(m.topology, m.body, i, load9(w.rotation, i, 0), v, load3(w.next_velocity, i, 3))
    _, a = body_kinds.body_velocity(m.topology, m.body, i, load9(w.next_rotation, i, 0), p, l)
    store3(w.next_velocity, i, 3, a)
    for energy in each(0.5 * (dot(p, v) + dot(l, a))):
        kinetic += energy
    for spin in each(dot(a, a)):
        fastest = max(fastest, spin)
    return kinetic, fastest


arrive_bodies = sum_over_bodies(arrive_body, fetching.of_arrival, 2 * AHEAD)


@far("scales", "msw", "ff")
def arrive_scaled(m, s, w):
    """Replace v in Work.next_velocity by u1 = M(q1)^-1 M(q0) v, with the inertia at the scales of q0 and of q1.
    Model.body holds the latter at the end. Return the kinetic energy [J] and the largest angular speed [rad/s]."""
    scales.put_shape(m, s.pose)
    body_kinds.fill_momenta(m.topology, m.body, w.rotation, w.next_velocity, 0, w.stash)
    scales.put_shape(m, w.next_pose)
    body_kinds.fill_velocities(m.topology, m.body, w.next_rotation, w.stash, 0, w.next_velocity)
    return body_kinds.measure_bodies(m, w.next_rotation, w.next_velocity)
