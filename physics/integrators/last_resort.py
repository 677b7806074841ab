"""The last resort: substeps for islands that the substeps of an integrator cannot follow, that springs throw, or that
fail though they turn slowly.

A substep is a step of linearly implicit Euler, an eighth of the step long, and halved down to a 32nd while a body turns
by more than 0.2 rad in it. In each substep the velocities of a figure are scaled together so that h |w| <= 0.5 rad.
After a substep in which springs raised the energy, the bound is smaller (shorten_leash). A full Newton projection in
the mass metric closes the positions. If it fails, a second projection follows the curvature of the constraints
(start_curved). Every body keeps its momenta during the substep (fly), and the velocities at its end are projected from
these momenta (bring_momenta). A substep that fails even so is frozen: the figure stays where it is, or goes with
prescribed motions, and its velocity is halved.

At the end of the pass the velocities of a figure are scaled to h |w| <= 1 (0.75 where springs throw it), unless it is a
whip (may_stay_fast). Then velocities are scaled down until the energy is no larger than before: those of the figures
that turned too fast, if that is enough, else all. So the pass never adds energy. Redone and frozen steps are counted. A
step with only frozen substeps ends the run. If links are taut, but all joints are closed and all numbers finite, the
run ends only after LONGEST_STUCK such steps in a row. A link that makes substeps fail is released (`releasing.py`)."""

import math

from physics.compiler.table import Table
from physics.bodies import islands, kinds as body_kinds, scales
from physics.compiler.jit import inline, kernel
from physics.data.state_tables import HardLimits, Memory, PoseColumn
from physics.data.step_tables import TICKS, Control, LinkError, Number, Request
from physics.data.work_tables import LimitWork, Stash
from physics.edges import joint_forces, right_hand_sides
from physics.forces import all_forces, geometric_stiffness, rotors
from physics.integrators import implicit, spans
from physics.integrators.acceptance import ENERGY_SHARE, OPEN_GAP_LIMIT, SPIN_LIMIT, closed_enough, commit
from physics.integrators.measuring import fill_gaps, largest_spin, refresh
from physics.integrators.releasing import release
from physics.maths.columns import clear_all, copy_all, copy_scaled
from physics.maths.vec import clear3, load3, load9, norm

LONGEST, SHORTEST = 8, 2  # substeps, in ticks
SLOWED = 0.75  # of SPIN_LIMIT, where springs throw: slowed to no less, twice as many steps would be redone
FOLLOWED_SPIN = 0.2  # rad a substep: it is halved above that,
SUBSTEP_SPIN = 0.5  # and velocities are scaled where the shortest one would turn more than that
MOST_PROJECTIONS = 8
PROJECTED = 1e-10
PROJECTED_TURN = 0.5  # rad a projection
LONGEST_STUCK = 10  # steps


class Stage(Table):
    """Values of Control.STAGE in a substep: before its system (ASKING), with its velocity (SET_OUT), while its pose is
    projected (CLOSING), with the velocity at its end (ARRIVING). STAYING: it has failed, and prescribed motions take
    the figure along."""

    ASKING = 0
    SET_OUT = 1
    CLOSING = 2
    ARRIVING = 3
    STAYING = 4


class SubstepEnd(Table):
    """Results of a stage that makes no request: the substep is done (GOOD), it has failed (FAILED), or the loop of
    `advance` continues from Control.STAGE (ANEW)."""

    GOOD = -1
    FAILED = -2
    ANEW = -3


@kernel
def begin(m, s, w, tick):
    """Begin a pass from this tick of the step on: clear its counters in Work.control, begin its first substep, and
    measure the state there."""
    c = w.control
    c[Control.FAILURES] = 0
    c[Control.BLOWN] = 0
    c[Control.TOO_FAST] = 0
    c[Control.PASS_TICK] = tick
    c[Control.TICK] = tick
    c[Control.SUBSTEP_TICKS] = LONGEST
    while tick % c[Control.SUBSTEP_TICKS] != 0:
        c[Control.SUBSTEP_TICKS] //= 2
    h = w.number[Number.DT] * c[Control.SUBSTEP_TICKS] / TICKS
    all_forces.start(m, s, w)
    spans.begin(s, w, w.number[Number.TIME] + w.number[Number.DT] * tick / TICKS, h)
    c[Control.FRESH] = 0
    refresh(m, s, w)
    w.number[Number.START_ENERGY] = w.number[Number.ENERGY]


@kernel
def advance(m, s, w):
    """Return the next request of the pass, or DONE at its end, when State holds the end of the step."""
    c = w.control
    while True:
        if c[Control.STAGE] == Stage.ASKING:
            return ask(m, s, w)
        if c[Control.STAGE] == Stage.SET_OUT:
            outcome = set_out(m, s, w)
        elif c[Control.STAGE] == Stage.ARRIVING:
            outcome = arrive(m, s, w)
        else:
            outcome = close(m, s, w, True)
        if outcome > 0:
            return outcome
        if outcome == SubstepEnd.ANEW:
            continue
        if outcome == SubstepEnd.FAILED and c[Control.STAGE] != Stage.STAYING:
            take_back(m, s, w)
            if c[Control.SIGNALED] != 0:
                start_staying(s, w)
                continue
        end_substep(m, s, w, outcome == SubstepEnd.FAILED or c[Control.STAGE] == Stage.STAYING)
        if c[Control.TICK] == TICKS:
            end(m, s, w)
            return Request.DONE


@kernel
def ask(m, s, w):
    """Write the system of a substep from the present state to Work. Return its request."""
    c = w.control
    x = w.number
    x[Number.NEXT] = x[Number.TIME] + x[Number.DT] * (c[Control.TICK] + c[Control.SUBSTEP_TICKS]) / TICKS
    x[Number.WORK_BEFORE] = x[Number.STEP_WORK]
    x[Number.LIMIT_WORK_BEFORE] = x[Number.LIMIT_STEP_WORK]
    implicit.look_ahead(m, s, w)
    implicit.assemble_one_by_one(m, s, w, x[Number.H])
    right_hand_sides.fill_prescribed(m, w)
    implicit.add_forces(m, s, w, False, x[Number.H])
    c[Control.STAGE] = Stage.SET_OUT
    return Request.STEPPED


@kernel
def set_out(m, s, w):
    """Take the velocity of the substep from Work.velocity, slow figures that turn too fast, and write the first pose to
    Work.next_pose. Return the result of `close`, FAILED if a velocity is not finite, or ANEW if the substep is
    halved."""
    c = w.control
    x = w.number
    h = x[Number.H]
    spin = largest_spin(w, w.velocity)
    if not math.isfinite(spin):
        c[Control.BLOWN] = 1
        return SubstepEnd.FAILED
    if h * spin > FOLLOWED_SPIN and c[Control.SUBSTEP_TICKS] > SHORTEST:
        c[Control.SUBSTEP_TICKS] //= 2
        x[Number.H] = 0.5 * h
        take_back(m, s, w)
        c[Control.STAGE] = Stage.ASKING
        return SubstepEnd.ANEW
    copy_all(w.velocity, w.next_velocity)
    if h * spin > SUBSTEP_SPIN * x[Number.LEASH]:
        slow_figures(m, w, w.next_velocity, SUBSTEP_SPIN * x[Number.LEASH] / h)
        c[Control.TOO_FAST] = 1
    copy_scaled(w.wrench, 0, 1.0 / h, w.next_wrench, 0)
    fly(m, s, w, h)
    c[Control.SWEEP] = 0
    c[Control.CURVED] = 0
    return close(m, s, w, False)


@kernel
def close(m, s, w, nudged):
    """Continue the projection of Work.next_pose; with `nudged`, apply the correction in Work.velocity first. Return the
    request of the next correction or, once the pose is closed, that of the velocity; else a `SubstepEnd`."""
    c = w.control
    x = w.number
    if nudged:
        nudge(m, w)
    hold_others(m, s, w)
    gap, _ = fill_gaps(m, s, w, w.next_pose)
    more = gap > PROJECTED and c[Control.SWEEP] < MOST_PROJECTIONS
    if c[Control.SWEEP] <= 0 or gap < x[Number.TRIAL_GAP]:
        x[Number.TRIAL_GAP] = gap
        copy_all(w.next_pose, w.other_pose)
    elif not more and not some_contradict(w):
        # where links can hardly be closed projections may open them again: the nearest pose
        copy_all(w.other_pose, w.next_pose)
        gap, _ = fill_gaps(m, s, w, w.next_pose)
    if not more and may_curve(m, w, gap):
        start_curved(m, s, w, x[Number.H])
        return SubstepEnd.ANEW
    if more or (c[Control.SWEEP] == 0 and some_contradict(w)):
        ask_correction(m, w)
        c[Control.STAGE] = max(c[Control.STAGE], Stage.CLOSING)
        return Request.ALL
    if gap <= closed_enough(c) and c[Control.STAGE] == Stage.STAYING:
        take_along(m, s, w)
        return SubstepEnd.GOOD
    if gap <= closed_enough(c):
        bring_momenta(m, w)
        c[Control.STAGE] = Stage.ARRIVING
        return Request.ALL
    if release(m, s, w, c[Control.STAGE] != Stage.STAYING):
        take_back(m, s, w)
        c[Control.STAGE] = Stage.ASKING
        return SubstepEnd.ANEW
    return SubstepEnd.FAILED


@kernel
def nudge(m, w):
    """Move Work.next_pose by the correction in Work.velocity, shortened if a body would turn by more than
    PROJECTED_TURN. Count the sweep in Control.SWEEP, and in a projection along the curvature add up its multipliers."""
    turn = largest_spin(w, w.velocity)
    far = PROJECTED_TURN / turn if turn > PROJECTED_TURN else 1.0
    body_kinds.displace(m.topology, w.next_pose, w.velocity, far, w.next_pose)
    if w.control[Control.CURVED] != 0 and w.control[Control.SWEEP] >= 0:
        add_pulls(w)
    w.control[Control.SWEEP] += 1


@kernel
def ask_correction(m, w):
    """Write the system of a Newton step on the gaps in Work.gap to Work."""
    rotors.fill_inertia(m, w, w.rotation)
    if w.control[Control.CURVED] != 0:
        geometric_stiffness.add_all(m, w, w.backup_memory, 1.0, 0.0, 0, w.velocity)
    right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0)


@kernel
def arrive(m, s, w):
    """Take the velocity at the end of the substep from Work.velocity, and commit the substep to State. Return GOOD, or
    FAILED if a velocity is not finite."""
    if not math.isfinite(largest_spin(w, w.velocity)):
        w.control[Control.BLOWN] = 1
        return SubstepEnd.FAILED
    copy_all(w.velocity, w.next_velocity)
    # impulses of the projection of the velocity
    joint_forces.add_to_means(m, w, w.wrench, 1.0)
    right_hand_sides.add_work(m, w, w.number[Number.H], w.next_wrench, w.next_velocity, w.next_velocity)
    all_forces.add_row_work(m, s, w, w.number[Number.H], w.next_wrench, w.next_velocity)
    commit(m, s, w)
    return SubstepEnd.GOOD


@kernel
def start_staying(s, w):
    """Let prescribed motions take the figure along after a failed substep: set Work.next_pose to the pose in State,
    Work.velocity to 0, and the stage to STAYING, from which the projection begins."""
    copy_all(s.pose, w.next_pose)
    w.control[Control.SWEEP] = -1
    w.control[Control.STAGE] = Stage.STAYING
    clear_all(w.velocity)


@kernel
def end_substep(m, s, w, frozen):
    """End the substep: measure State, and advance Control.TICK. With `frozen`, halve the velocities, clear the joint
    forces, and count the substep as failed."""
    c = w.control
    x = w.number
    if frozen:
        c[Control.FAILURES] += c[Control.SUBSTEP_TICKS]
        c[Control.FROZEN] += 1
        scale_velocities(s, w, 0.5)
        clear_wrenches(m, s, w)
    c[Control.FRESH] = 0
    x[Number.NOW] = x[Number.NEXT]
    before = x[Number.ENERGY] + x[Number.STEP_WORK] - x[Number.WORK_BEFORE]
    refresh(m, s, w)
    if c[Control.TOO_FAST] != 0:
        shorten_leash(w, before)
    c[Control.TICK] += c[Control.SUBSTEP_TICKS]
    c[Control.STAGE] = Stage.ASKING


@kernel
def end(m, s, w):
    """End the pass: limit spins and energy (`settle`). If all its substeps failed, stop the run by Control.STATUS. If
    links are taut, but all joints are closed and all numbers finite, stop it only after LONGEST_STUCK such steps in a
    row."""
    c = w.control
    settle(m, s, w, w.number[Number.START_ENERGY])
    c[Control.STUCK] = c[Control.STUCK] + 1 if c[Control.FAILURES] == TICKS - c[Control.PASS_TICK] else 0
    # closed and finite it may rest a while, where links are taut
    over = (
        c[Control.BLOWN] != 0
        or c[Control.TIGHT] == 0
        or not w.number[Number.GAP] <= closed_enough(c)
        or c[Control.STUCK] > LONGEST_STUCK
    )
    if c[Control.STUCK] > 0 and over:
        c[Control.STATUS] = c[Control.WORST] + 1 if c[Control.WORST] >= 0 else 1


@kernel
def hold_others(m, s, w):
    """Copy pose and velocity of bodies that take no part in the pass from State to Work.next_pose and
    Work.next_velocity, and clear the forces of their limits in Work.limit."""
    for i in range(m.topology.shape[0]):
        if not islands.takes_part(w, i):
            for k in range(s.pose.shape[1]):
                w.next_pose[i, k] = s.pose[i, k]
            for k in range(s.velocity.shape[1]):
                w.next_velocity[i, k] = s.velocity[i, k]
    for l in range(s.limit.shape[0]):
        if not islands.takes_part(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE]))):
            w.limit[l, LimitWork.TAKEN] = 0.0
            w.limit[l, LimitWork.MEAN] = 0.0


@kernel
def scale_velocities(s, w, x):
    """Multiply the velocities in State of the bodies of the present pass by x."""
    for i in range(s.velocity.shape[0]):
        if islands.takes_part(w, i):
            for k in range(s.velocity.shape[1]):
                s.velocity[i, k] *= x


@kernel
def fly(m, s, w, h):
    """Write q1 = flow(q0, M v, h) to Work.next_pose, with v in Work.next_velocity, and the momenta M(q0) v to
    Work.stash, those of rotors to Work.rotor. Every body keeps its momenta during the substep; its velocity at the end
    follows from them at q1."""
    body_kinds.fill_momenta(m.topology, m.body, w.rotation, w.next_velocity, 0, w.stash)
    if w.control[Control.ARMED] != 0:
        rotors.measure(m, w, w.next_velocity)
    for i in range(m.topology.shape[0]):
        rot = load9(w.rotation, i, 0)
        v, a = load3(w.next_velocity, i, 0), load3(w.next_velocity, i, 3)
        body_kinds.body_drift(m.topology, m.body, i, s.pose, rot, v, a, h, 0, w.next_pose)
    if w.velocity.shape[1] > PoseColumn.RATES:
        scales.fill_momenta(m, w.next_velocity, Stash.SCALES, w.stash)
        scales.move(s.pose, w.next_velocity, h, w.next_pose)


@kernel
def bring_momenta(m, w):
    """Write the system M v - J^T l = p to Work. Its solution v has the velocities at the next pose. The edges are
    filled at that pose, and the momenta p are in Work.stash."""
    rotors.fill_inertia_and_momenta(m, w, w.rotation)
    copy_scaled(w.stash, 0, 1.0, w.force, 0)
    if w.force.shape[1] > PoseColumn.RATES:
        clear3(w.force, PoseColumn.RATES)
        scales.add_columns(m, 1.0, w.stash, Stash.SCALES, w.force, PoseColumn.RATES)
    right_hand_sides.fill_prescribed(m, w)


@inline
def shorten_leash(w, before):
    """Halve Number.LEASH, which limits the rotation in the next substep, if springs throw bodies and the energy has
    risen above `before` [J]. Else raise it by a fifth, up to 1. Such springs throw bodies to and fro across a steep
    valley of their energy, as where a spring of unequal stiffness is bent by half a turn."""
    x = w.number
    if springs_throw(x) and x[Number.ENERGY] > before:
        x[Number.LEASH] *= 0.5
    else:
        x[Number.LEASH] = min(1.0, 1.2 * x[Number.LEASH])


@inline
def may_curve(m, w, gap):
    """Return whether the projection, which has left the gap `gap` [m or rad], begins again along the curvature of the
    constraints (start_curved). In a figure with links it does if Newton's method has not converged: a straight line
    held at both ends would otherwise sag from step to step. In a figure without links it does only if a substep that
    began with closed joints would fail."""
    c = w.control
    if c[Control.CURVED] != 0 or c[Control.STAGE] == Stage.STAYING or some_contradict(w):
        return False
    if m.links.shape[0] > 0:
        return gap > PROJECTED
    return gap > closed_enough(c) and w.number[Number.GAP] <= OPEN_GAP_LIMIT


@kernel
def start_curved(m, s, w, h):
    """Begin a second projection, from the nearest pose so far, by Newton steps on its own stationarity:

            M d = J^T l,  C(q + d) = 0:      (M + sum l C'') d' - J^T l' = 0,  J d' = -C,  l += l'

    Write l = h^2 f, with the joint forces f of the substep, to Work.backup_memory. The first projection leaves out l
    C'', which is h^2 times the geometric stiffness. For a straight line between two hooks this term is all that counts:
    C is a sum of squares of small angles, whose zero is a point and no surface. Steps in the mass metric then rotate
    the lightest links again and again, and do not close the gap. With large l the term exceeds M, and each step halves
    every angle. An example is a chain of light links under a weight a million times their own."""
    clear_all(w.velocity)
    w.control[Control.CURVED] = 1
    w.control[Control.SWEEP] = -1
    w.control[Control.STAGE] = Stage.CLOSING
    for e in range(s.memory.shape[0]):
        for k in range(6):
            w.backup_memory[e, Memory.WRENCH + k] = h * h * w.next_wrench[e, k]


@kernel
def add_pulls(w):
    """Add the multipliers l' in Work.wrench to l in Work.backup_memory, in a projection along the curvature."""
    for e in range(w.wrench.shape[0]):
        for k in range(6):
            w.backup_memory[e, Memory.WRENCH + k] += w.wrench[e, k]


@kernel
def some_contradict(w):
    """Return whether links contradict each other. Their gaps do not count, but are closed as far as they can be."""
    found = False
    for e in range(w.auxiliary.error_state.shape[0]):
        found = found or w.auxiliary.error_state[e] == LinkError.CONTRADICTS
    return found


@kernel
def take_along(m, s, w):
    """Commit Work.next_pose with the velocities in State and without joint forces: the figure, which does not follow
    its forces, follows prescribed motions by its pose alone."""
    copy_all(s.velocity, w.next_velocity)
    clear_all(w.next_wrench)
    all_forces.forget(m, s, w)
    commit(m, s, w)


@kernel
def clear_wrenches(m, s, w):
    """Set the joint wrenches in State.memory to zero for the islands of the pass."""
    for e in range(s.memory.shape[0]):
        if islands.takes_part(w, islands.child_of(m, e)):
            for k in range(6):
                s.memory[e, Memory.WRENCH + k] = 0.0


@inline
def springs_throw(x):
    """Return whether the elastic energy in `x`, which is Work.number, is so large that springs throw bodies."""
    return x[Number.ELASTIC] > ENERGY_SHARE * x[Number.KINETIC]


@kernel
def may_stay_fast(w):
    """Return whether bodies that turn too fast for a whole step keep their speed, so that the next step is redone, too;
    subtract 1 from Number.CREDIT if so. The end of a whip, through which nearly all the energy of a long chain passes,
    needs this: if it were slowed down, the chain would lose that energy. Return False if springs throw bodies, because
    that would never end, and if substeps could not follow. In the long run no more than a twentieth of all steps are
    redone for it."""
    x = w.number
    if w.control[Control.TOO_FAST] != 0 or springs_throw(x) or x[Number.CREDIT] < 1.0:
        return False
    x[Number.CREDIT] -= 1.0
    return True


@kernel
def take_back(m, s, w):
    """Undo the present substep: reset its work in Work.number, and its forces."""
    x = w.number
    x[Number.STEP_WORK] = x[Number.WORK_BEFORE]
    x[Number.LIMIT_STEP_WORK] = x[Number.LIMIT_WORK_BEFORE]
    all_forces.forget(m, s, w)


@kernel
def slow_figures(m, w, velocity, most):
    """Slow every figure of the pass in which a body rotates faster than `most` [rad/s] to that speed. Its rows of
    `velocity` (n, stride) are scaled together, so that its joints still fit."""
    find_fastest(m, w, velocity)
    for i in range(velocity.shape[0]):
        spin = fastest_beside(w, i)
        if spin > most and islands.takes_part(w, i):
            for k in range(velocity.shape[1]):
                velocity[i, k] *= most / spin


@kernel
def find_fastest(m, w, velocity):
    """Write the largest angular speed [rad/s] of each figure to column 0 of Work.backup, in the row of the body that
    represents its island. The last resort does not use Work.backup otherwise."""
    islands.join_tied(m, w)
    for i in range(velocity.shape[0]):
        w.backup[i, 0] = 0.0
    for i in range(velocity.shape[0]):
        root = islands.root_of(w, i)
        w.backup[root, 0] = max(w.backup[root, 0], norm(load3(velocity, i, 3)))


@inline
def fastest_beside(w, i):
    """Return the largest angular speed [rad/s] of the figure of body i, which `find_fastest` has written."""
    return w.backup[islands.root_of(w, i), 0]


@kernel
def settle(m, s, w, energy):
    """Slow figures that rotate too fast. Then scale velocities so that the energy does not exceed `energy` [J], the
    energy at the start of the pass, plus the work since then. Scale those of the fast figures if these have enough
    energy, else all. Add work and lost energy of the pass to Number.WORK, CONTACT_WORK and LOST."""
    x = w.number
    most = SPIN_LIMIT / x[Number.DT]
    fast = x[Number.SPIN] > most
    if fast and may_stay_fast(w):
        find_fastest(m, w, s.velocity)
    elif fast:
        slow_figures(m, w, s.velocity, SLOWED * most if springs_throw(x) else most)
        w.control[Control.FRESH] = 0
        refresh(m, s, w)
    work = x[Number.STEP_WORK]
    pressed = x[Number.STEP_CONTACT_WORK]
    x[Number.WORK] += work
    x[Number.CONTACT_WORK] += pressed
    spare = energy + work + x[Number.CONTACT_GAIN] - x[Number.GRAVITATIONAL] - x[Number.ELASTIC]
    if x[Number.KINETIC] > spare and x[Number.KINETIC] > 0.0:
        if not (fast and brake_fast(m, s, w, most, x[Number.KINETIC] - spare)):
            scale_velocities(s, w, math.sqrt(max(spare, 0.0) / x[Number.KINETIC]))
        w.control[Control.FRESH] = 0
        refresh(m, s, w)
    x[Number.LOST] += energy + work + pressed - x[Number.ENERGY]


@kernel
def brake_fast(m, s, w, most, excess):
    """Take the energy `excess` [J] from the figures that rotated faster than `most` [rad/s], by scaling their
    velocities in State. If they have less kinetic energy than that, or if the scene has scales or rotors, change
    nothing and return False."""
    if w.control[Control.ARMED] != 0 or s.velocity.shape[1] > PoseColumn.RATES:
        return False
    kinetic = 0.0
    for i in range(s.velocity.shape[0]):
        if fastest_beside(w, i) > most and islands.takes_part(w, i):
            v = load3(s.velocity, i, 0)
            kinetic += body_kinds.body_kinetic(
                m.topology, m.body, i, load9(w.rotation, i, 0), v, load3(s.velocity, i, 3)
            )
    if excess >= kinetic:
        return False
    k = math.sqrt(1.0 - excess / kinetic)
    for i in range(s.velocity.shape[0]):
        if fastest_beside(w, i) > most and islands.takes_part(w, i):
            for c in range(PoseColumn.RATES):
                s.velocity[i, c] *= k
    return True
