"""The last resort: substeps of a redone step for what the substeps of an integrator cannot follow, for what springs
throw, and for what fails though it turns slowly.

Linearly implicit Euler, first an eighth of the step, halved down to a 32nd of it while a body turns more than 0.2 rad
in one. Each has the velocities of a figure scaled together so that h |w| <= 0.5 rad (less and less where springs lead
it uphill: shorten_leash), a full Newton projection of the position in the mass metric (where that does not close it,
along the curvature of the constraints: start_curved), and a projection of the velocity, which starts from the momenta
of the substep: every body carries these through it (fly, bring_momenta). A substep that fails even so leaves the figure
where it is, but for what moves as prescribed and takes it along, and halves its velocity (frozen). At the end the
velocities of a figure are scaled to h |w| <= 1 (0.75 where springs throw it), unless it is a whip (may_stay_fast), and
then to the energy there was: those of the figures that turned too fast, where that is enough, else all. So it never
adds energy. Redone and frozen steps are counted; a step with nothing but frozen substeps ends the run: where links
are taut, but all is closed and finite, only after LONGEST_STUCK such steps in a row.

A link that keeps a figure from this is released (`releasing.py`).
"""

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
from physics.maths.vec import ZERO3, load3, load9, norm, store3

LONGEST, SHORTEST = 8, 2  # substeps, in ticks
SLOWED = 0.75  # of SPIN_LIMIT, where springs throw: slowed to no less, twice as many steps would be redone
FOLLOWED_SPIN = 0.2  # rad a substep: it is halved above that,
SUBSTEP_SPIN = 0.5  # and velocities are scaled where the shortest one would turn more than that
MOST_PROJECTIONS = 8
PROJECTED = 1e-10
PROJECTED_TURN = 0.5  # rad a projection
LONGEST_STUCK = 10  # steps


class Stage(Table):
    """Stages of a substep, Control.STAGE: before its system; with its velocity; its pose is closed; with the velocity
    at its end; it has failed, while what moves as prescribed takes the figure along."""

    ASKING = 0
    SET_OUT = 1
    CLOSING = 2
    ARRIVING = 3
    STAYING = 4


class SubstepEnd(Table):
    """What becomes of a substep, where it makes no request: it is done, it has failed, it is begun anew or goes on."""

    GOOD = -1
    FAILED = -2
    ANEW = -3


@kernel
def begin(m, s, w, tick):
    """Begin a pass from this tick of the step on."""
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
    """Return the next request of the pass, or DONE at its end."""
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
    """Set up the system of a substep."""
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
    """Go from the velocity to the first pose."""
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
    """Continue the projection of the pose; with `nudged`, a correction has been applied. Return the request of the next
    correction, or that of the velocity where the pose is closed."""
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
    """Move the bodies by the correction that was found, shortened where Newton's method would overshoot."""
    turn = largest_spin(w, w.velocity)
    far = PROJECTED_TURN / turn if turn > PROJECTED_TURN else 1.0
    body_kinds.displace(m.topology, w.next_pose, w.velocity, far, w.next_pose)
    if w.control[Control.CURVED] != 0 and w.control[Control.SWEEP] >= 0:
        add_pulls(w)
    w.control[Control.SWEEP] += 1


@kernel
def ask_correction(m, w):
    """Set up a Newton step on the gaps."""
    rotors.fill_inertia(m, w, w.rotation)
    if w.control[Control.CURVED] != 0:
        geometric_stiffness.add_all(m, w, w.backup_memory, 1.0, 0.0, 0, w.velocity)
    right_hand_sides.fill_from_gaps(m, w, w.gap, -1.0)


@kernel
def arrive(m, s, w):
    """Take the velocity at the end of the substep."""
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
    """A substep has failed, and what moves as prescribed takes the figure along."""
    copy_all(s.pose, w.next_pose)
    w.control[Control.SWEEP] = -1
    w.control[Control.STAGE] = Stage.STAYING
    clear_all(w.velocity)


@kernel
def end_substep(m, s, w, frozen):
    """End the substep. With `frozen` the velocities are halved, and the substep is counted as failed."""
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
    """End the pass."""
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
    """Hold bodies that have no part in the pass where they are."""
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
    """Multiply the velocities of the bodies of the present pass by a factor."""
    for i in range(s.velocity.shape[0]):
        if islands.takes_part(w, i):
            for k in range(s.velocity.shape[1]):
                s.velocity[i, k] *= x


@kernel
def fly(m, s, w, h):
    """q1 = flow(q0, M v, h), with the momenta M(q0) v in the stash, those of rotors in Work.rotor: every body carries
    its momenta through the substep, and its velocity at the end is that which they have at the pose there."""
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
    """The system whose solution are the velocities at the next pose, where its edges are filled: M v - J^T l = p"""
    rotors.fill_inertia_and_momenta(m, w, w.rotation)
    copy_scaled(w.stash, 0, 1.0, w.force, 0)
    if w.force.shape[1] > PoseColumn.RATES:
        for i in range(w.force.shape[0]):
            store3(w.force, i, PoseColumn.RATES, ZERO3)
        scales.add_columns(m, 1.0, w.stash, Stash.SCALES, w.force, PoseColumn.RATES)
    right_hand_sides.fill_prescribed(m, w)


@inline
def shorten_leash(w, before):
    """Where springs throw bodies to and fro over the bottom of a valley with steep sides, as where one of unequal
    stiffness is bent by half a turn, each substep that leads uphill halves how far the next may turn."""
    x = w.number
    if springs_throw(x) and x[Number.ENERGY] > before:
        x[Number.LEASH] *= 0.5
    else:
        x[Number.LEASH] = min(1.0, 1.2 * x[Number.LEASH])


@inline
def may_curve(m, w, gap):
    """Whether the projection is to begin again, along the curvature of the constraints (start_curved): where a substep
    of a figure that was closed would fail; where there are links, already where Newton's method did not get to its end,
    as a straight line that is held at both ends would otherwise sag from step to step by what gaps may be left."""
    c = w.control
    if c[Control.CURVED] != 0 or c[Control.STAGE] == Stage.STAYING or some_contradict(w):
        return False
    if m.links.shape[0] > 0:
        return gap > PROJECTED
    return gap > closed_enough(c) and w.number[Number.GAP] <= OPEN_GAP_LIMIT


@kernel
def start_curved(m, s, w, h):
    """The projection once more, from where it began, by Newton steps on its own stationarity,

        M d = J^T l,  C(q + d) = 0:      (M + sum l C'') d' - J^T l' = 0,  J d' = -C,  l += l'

    The steps above leave out l C'', which is h^2 times the geometric stiffness of the pulls. Of a straight line
    between two hooks it is all that counts: C is a sum of squares of small angles, whose zero is a point and no
    surface. Steps in the mass metric then turn the lightest modes over and over, and close nothing; where pulls grow,
    M + l C'' goes over into C'' and every angle is halved. A chain of light links that a weight of a million times
    theirs has drawn taut is such a line. What pulls already did in the substep is h^2 f."""
    clear_all(w.velocity)
    w.control[Control.CURVED] = 1
    w.control[Control.SWEEP] = -1
    w.control[Control.STAGE] = Stage.CLOSING
    for e in range(s.memory.shape[0]):
        for k in range(6):
            w.backup_memory[e, Memory.WRENCH + k] = h * h * w.next_wrench[e, k]


@kernel
def add_pulls(w):
    """l += l' of a projection along the curvature; all that stood in `backup_memory` was done with before"""
    for e in range(w.wrench.shape[0]):
        for k in range(6):
            w.backup_memory[e, Memory.WRENCH + k] += w.wrench[e, k]


@kernel
def some_contradict(w):
    """Whether links contradict each other: their gaps count for nothing, but what of them can be closed is closed."""
    found = False
    for e in range(w.auxiliary.error_state.shape[0]):
        found = found or w.auxiliary.error_state[e] == LinkError.CONTRADICTS
    return found


@kernel
def take_along(m, s, w):
    """What does not follow its forces follows what moves as prescribed: the pose alone"""
    copy_all(s.velocity, w.next_velocity)
    clear_all(w.next_wrench)
    all_forces.forget(m, s, w)
    commit(m, s, w)


@kernel
def clear_wrenches(m, s, w):
    """Clear the joint forces of the islands of the pass."""
    for e in range(s.memory.shape[0]):
        if islands.takes_part(w, islands.child_of(m, e)):
            for k in range(6):
                s.memory[e, Memory.WRENCH + k] = 0.0


@inline
def springs_throw(x):
    """Return whether the elastic energy is so large that springs throw bodies."""
    return x[Number.ELASTIC] > ENERGY_SHARE * x[Number.KINETIC]


@kernel
def may_stay_fast(w):
    """Whether what turns too fast for a whole step keeps its speed, so that the next step is redone, too. Of a whip, in
    whose end nearly all the energy of a long chain passes by within a few steps: slowed down, the chain would hang dead
    from there on. Not where springs throw it, as they would for ever, nor where substeps could not follow. Each such
    step is paid for; so no more than a twentieth of all steps are redone for that in the long run."""
    x = w.number
    if w.control[Control.TOO_FAST] != 0 or springs_throw(x) or x[Number.CREDIT] < 1.0:
        return False
    x[Number.CREDIT] -= 1.0
    return True


@kernel
def take_back(m, s, w):
    """Take back the result of the present substep."""
    x = w.number
    x[Number.STEP_WORK] = x[Number.WORK_BEFORE]
    x[Number.LIMIT_STEP_WORK] = x[Number.LIMIT_WORK_BEFORE]
    all_forces.forget(m, s, w)


@kernel
def slow_figures(m, w, velocity, most):
    """Slow every figure with a body that rotates faster than `most`, as a whole, so that its joints still fit."""
    find_fastest(m, w, velocity)
    for i in range(velocity.shape[0]):
        spin = fastest_beside(w, i)
        if spin > most and islands.takes_part(w, i):
            for k in range(velocity.shape[1]):
                velocity[i, k] *= most / spin


@kernel
def find_fastest(m, w, velocity):
    """Write the largest angular speed of each figure to an array that a redone step does not use."""
    islands.join_tied(m, w)
    for i in range(velocity.shape[0]):
        w.backup[i, 0] = 0.0
    for i in range(velocity.shape[0]):
        root = islands.root_of(w, i)
        w.backup[root, 0] = max(w.backup[root, 0], norm(load3(velocity, i, 3)))


@inline
def fastest_beside(w, i):
    """Return the largest angular speed of the figure of body i, as found then."""
    return w.backup[islands.root_of(w, i), 0]


@kernel
def settle(m, s, w, energy):
    """Slow figures that rotate too fast, and scale velocities so that the energy is not above that at the start of the
    step: those of figures that rotated too fast, where these have enough energy, else all."""
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
    """Remove this energy from the motion of the figures that rotated faster than `most`. Return False where they have
    not enough, or have part of it in scales or rotors."""
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
