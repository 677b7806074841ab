"""The last resort: substeps of a redone step for what the substeps of an integrator cannot follow, for what springs
throw, and for what fails though it turns slowly.

Linearly implicit Euler, first an eighth of the step, halved down to a 32nd of it while a body turns more than 0.2 rad
in one. Each has the velocities of a figure scaled together so that h |w| <= 0.5 rad (less and less where springs lead
it uphill: shorten_leash), a full Newton projection of the position in the mass metric (where that does not close it,
along the curvature of the constraints: start_curved), and a projection of the velocity, which starts from the momenta
of the substep: every body carries these through it (fly, bring_momenta). A substep that fails even so leaves the figure
where it is, but for what is moved as told and takes it along, and halves its velocity (frozen). At the end the
velocities of a figure are scaled to h |w| <= 1 (0.75 where springs throw it), unless it is a whip (may_stay_fast), and
then to the energy there was: those of the figures that turned too fast, where that is enough, else all. So it never
adds energy. Redone and frozen steps are counted; a step with nothing but frozen substeps is hopeless: where links are
taut, but all is closed and finite, only after LONGEST_STUCK of them on end.

A link that stands open and cannot be closed by a substep's projection (a pin out of reach, one of two that contradict
each other), or that keeps a figure from following what is moved as told, is let go: State.loose. It is no longer
closed, but pulls softly (physics/loose.py), is named among the contradictions, its gap does not count, and it is held
again as soon as it is NEARLY closed.
"""

import math

from physics import (
    drives, edges, fill, geometric_stiffness, joint_forces, joint_springs, jumps, loose, parts, pulls, rotors, scales,
)  # fmt: skip
from physics.integrators import implicit, spans
from physics.integrators.guard import (
    ENERGY_SHARE, GAP_LIMIT, OPEN_GAP_LIMIT, SPIN_LIMIT, closed_enough, commit, fill_gaps, largest_spin, refresh,
)  # fmt: skip
from physics.kernels.columns import clear_all, copy_all, copy_scaled
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import ZERO3, load3, load9, norm, store3
from physics.layout import (
    ALL, ARMED, BLOWN, CONTACT_GAIN, CONTACT_WORK, CONTRADICTS, CREDIT, CURVED, DONE, DT, ELASTIC, ENERGY, FAILURES,
    FRESH, FROZEN, GAP, GRAVITATIONAL, H, KINETIC, LEASH, LET_GO, LIMIT_EDGE, LIMIT_MEAN, LIMIT_STEP_WORK,
    LIMIT_TAKEN, LIMIT_WORK_BEFORE, LOOSE, LOST, NEXT,
    NOW, OPEN_ISLAND, PASS_TICK, RATES, SIGNALED, SPIN, STAGE, START_ENERGY, STASH_SCALES, STATUS, STEPPED,
    STEP_CONTACT_WORK, STEP_WORK, STUCK, SUBSTEP_TICKS, SWEEP, TICK, TICKS, TIGHT, TIME, TOO_FAST, TRIAL_GAP, WORK,
    WORK_BEFORE, WORST, WRENCH,
)  # fmt: skip

LONGEST, SHORTEST = 8, 2  # substeps, in ticks
SLOWED = 0.75  # of SPIN_LIMIT, where springs throw: slowed to no less, twice as many steps would be redone
FOLLOWED_SPIN = 0.2  # rad a substep: it is halved above that,
SUBSTEP_SPIN = 0.5  # and velocities are scaled where the shortest one would turn more than that
MOST_PROJECTIONS = 8
PROJECTED = 1e-10
PROJECTED_TURN = 0.5  # rad a projection
LONGEST_STUCK = 10  # steps

# stages of a substep: before its system; with its velocity; its pose is closed; with the velocity at its end; it has
# failed, while what is moved as told takes the figure along
ASKING, SET_OUT, CLOSING, ARRIVING, STAYING = range(5)
# what becomes of a substep, where it makes no request: it is done, it has failed, it is begun anew or goes on
GOOD, FAILED, ANEW = -1, -2, -3


@kernel
def begin(m, s, w, tick):
    """A pass from this tick of the step on"""
    c = w.control
    c[FAILURES] = 0
    c[BLOWN] = 0
    c[TOO_FAST] = 0
    c[PASS_TICK] = tick
    c[TICK] = tick
    c[SUBSTEP_TICKS] = LONGEST
    while tick % c[SUBSTEP_TICKS] != 0:
        c[SUBSTEP_TICKS] //= 2
    h = w.number[DT] * c[SUBSTEP_TICKS] / TICKS
    drives.start(s, w)
    spans.begin(s, w, w.number[TIME] + w.number[DT] * tick / TICKS, h)
    c[FRESH] = 0
    refresh(m, s, w)
    w.number[START_ENERGY] = w.number[ENERGY]


@kernel
def advance(m, s, w):
    """The next request of the pass; DONE at its end."""
    c = w.control
    while True:
        if c[STAGE] == ASKING:
            return ask(m, s, w)
        if c[STAGE] == SET_OUT:
            outcome = set_out(m, s, w)
        elif c[STAGE] == ARRIVING:
            outcome = arrive(m, s, w)
        else:
            outcome = close(m, s, w, True)
        if outcome > 0:
            return outcome
        if outcome == ANEW:
            continue
        if outcome == FAILED and c[STAGE] != STAYING:
            take_back(w)
            if c[SIGNALED] != 0:
                start_staying(s, w)
                continue
        end_substep(m, s, w, outcome == FAILED or c[STAGE] == STAYING)
        if c[TICK] == TICKS:
            end(m, s, w)
            return DONE


@kernel
def ask(m, s, w):
    """The system of a substep"""
    c = w.control
    x = w.number
    x[NEXT] = x[TIME] + x[DT] * (c[TICK] + c[SUBSTEP_TICKS]) / TICKS
    x[WORK_BEFORE] = x[STEP_WORK]
    x[LIMIT_WORK_BEFORE] = x[LIMIT_STEP_WORK]
    implicit.look_ahead(m, s, w)
    implicit.assemble_one_by_one(m, s, w, x[H])
    jumps.fill_told(m, w)
    loose.pull(m, w, s.velocity, False)
    c[STAGE] = SET_OUT
    return STEPPED


@kernel
def set_out(m, s, w):
    """From the velocity to the first pose"""
    c = w.control
    x = w.number
    h = x[H]
    spin = largest_spin(w, w.velocity)
    if not math.isfinite(spin):
        c[BLOWN] = 1
        return FAILED
    if h * spin > FOLLOWED_SPIN and c[SUBSTEP_TICKS] > SHORTEST:
        c[SUBSTEP_TICKS] //= 2
        x[H] = 0.5 * h
        take_back(w)
        c[STAGE] = ASKING
        return ANEW
    copy_all(w.velocity, w.next_velocity)
    if h * spin > SUBSTEP_SPIN * x[LEASH]:
        slow_figures(m, w, w.next_velocity, SUBSTEP_SPIN * x[LEASH] / h)
        c[TOO_FAST] = 1
    copy_scaled(w.wrench, 0, 1.0 / h, w.next_wrench, 0)
    fly(m, s, w, h)
    c[SWEEP] = 0
    c[CURVED] = 0
    return close(m, s, w, False)


@kernel
def close(m, s, w, nudged):
    """The projection of the pose, where it is `nudged` after a correction was found: the next correction's system, or
    that of the velocity where it is closed"""
    c = w.control
    x = w.number
    if nudged:
        nudge(m, w)
    hold_others(m, s, w)
    gap, _ = fill_gaps(m, s, w, w.next_pose)
    more = gap > PROJECTED and c[SWEEP] < MOST_PROJECTIONS
    if c[SWEEP] <= 0 or gap < x[TRIAL_GAP]:
        x[TRIAL_GAP] = gap
        copy_all(w.next_pose, w.other_pose)
    elif not more and not is_amiss(w):
        # where links can hardly be closed projections may open them again: the nearest pose
        copy_all(w.other_pose, w.next_pose)
        gap, _ = fill_gaps(m, s, w, w.next_pose)
    if not more and may_curve(m, w, gap):
        start_curved(m, s, w, x[H])
        return ANEW
    if more or (c[SWEEP] == 0 and is_amiss(w)):
        ask_correction(m, w)
        c[STAGE] = max(c[STAGE], CLOSING)
        return ALL
    if gap <= closed_enough(c) and c[STAGE] == STAYING:
        take_along(m, s, w)
        return GOOD
    if gap <= closed_enough(c):
        bring_momenta(m, w)
        c[STAGE] = ARRIVING
        return ALL
    if let_go(m, s, w):
        take_back(w)
        c[STAGE] = ASKING
        return ANEW
    return FAILED


@kernel
def nudge(m, w):
    """By the correction that was found; far from closed, Newton would overshoot"""
    turn = largest_spin(w, w.velocity)
    far = PROJECTED_TURN / turn if turn > PROJECTED_TURN else 1.0
    fill.displace(m.topology, w.next_pose, w.velocity, far, w.next_pose)
    if w.control[CURVED] != 0 and w.control[SWEEP] >= 0:
        add_pulls(w)
    w.control[SWEEP] += 1


@kernel
def ask_correction(m, w):
    """The system of a Newton step on the gaps"""
    fill.fill_mass(m, w.rotation, w.block)
    jumps.clear_row(w, 0)
    if w.control[ARMED] != 0:
        rotors.add_inertia(m, w)
    if w.control[CURVED] != 0:
        geometric_stiffness.add_all(m, w, w.backup_memory, 1.0, 0.0, 0, w.velocity)
    jumps.fill_jumps(m, w, w.gap, -1.0)


@kernel
def arrive(m, s, w):
    """The velocity at the end of the substep is known."""
    if not math.isfinite(largest_spin(w, w.velocity)):
        w.control[BLOWN] = 1
        return FAILED
    copy_all(w.velocity, w.next_velocity)
    # impulses of the projection of the velocity
    joint_forces.add_to_means(m, w, w.wrench, 1.0)
    jumps.add_work(m, w, w.number[H], w.next_wrench, w.next_velocity, w.next_velocity)
    loose.add_work(m, w, w.number[H], w.next_wrench, w.next_velocity)
    commit(m, s, w)
    return GOOD


@kernel
def start_staying(s, w):
    """A substep has failed, and what is moved as told takes the figure along."""
    copy_all(s.pose, w.next_pose)
    w.control[SWEEP] = -1
    w.control[STAGE] = STAYING
    clear_all(w.velocity)


@kernel
def end_substep(m, s, w, frozen):
    c = w.control
    x = w.number
    if frozen:
        c[FAILURES] += c[SUBSTEP_TICKS]
        c[FROZEN] += 1
        scale_velocities(s, w, 0.5)
        clear_wrenches(m, s, w)
    c[FRESH] = 0
    x[NOW] = x[NEXT]
    before = x[ENERGY] + x[STEP_WORK] - x[WORK_BEFORE]
    refresh(m, s, w)
    if c[TOO_FAST] != 0:
        shorten_leash(w, before)
    c[TICK] += c[SUBSTEP_TICKS]
    c[STAGE] = ASKING


@kernel
def end(m, s, w):
    """The pass is over."""
    c = w.control
    settle(m, s, w, w.number[START_ENERGY])
    c[STUCK] = c[STUCK] + 1 if c[FAILURES] == TICKS - c[PASS_TICK] else 0
    # closed and finite it may rest a while, where links are taut
    over = c[BLOWN] != 0 or c[TIGHT] == 0 or not w.number[GAP] <= closed_enough(c) or c[STUCK] > LONGEST_STUCK
    if c[STUCK] > 0 and over:
        c[STATUS] = c[WORST] + 1 if c[WORST] >= 0 else 1


@kernel
def hold_others(m, s, w):
    """Bodies that have no part in the pass stay where they are."""
    for i in range(m.topology.shape[0]):
        if not parts.takes_part(w, i):
            for k in range(s.pose.shape[1]):
                w.next_pose[i, k] = s.pose[i, k]
            for k in range(s.velocity.shape[1]):
                w.next_velocity[i, k] = s.velocity[i, k]
    for l in range(s.limit.shape[0]):
        if not parts.takes_part(w, parts.child_of(m, int(s.limit[l, LIMIT_EDGE]))):
            w.limit[l, LIMIT_TAKEN] = 0.0
            w.limit[l, LIMIT_MEAN] = 0.0


@kernel
def scale_velocities(s, w, x):
    """Of those whose pass it is"""
    for i in range(s.velocity.shape[0]):
        if parts.takes_part(w, i):
            for k in range(s.velocity.shape[1]):
                s.velocity[i, k] *= x


@kernel
def fly(m, s, w, h):
    """q1 = flow(q0, M v, h), with the momenta M(q0) v in the stash, those of rotors in Work.rotor: every body carries
    its momenta through the substep, and its velocity at the end is that which they have at the pose there."""
    fill.fill_momenta(m.topology, m.body, w.rotation, w.next_velocity, 0, w.stash)
    if w.control[ARMED] != 0:
        rotors.measure(m, w, w.next_velocity)
    for i in range(m.topology.shape[0]):
        rot = load9(w.rotation, i, 0)
        v, a = load3(w.next_velocity, i, 0), load3(w.next_velocity, i, 3)
        fill.body_drift(m.topology, m.body, i, s.pose, rot, v, a, h, 0, w.next_pose)
    if w.velocity.shape[1] > RATES:
        scales.fill_momenta(m, w.next_velocity, STASH_SCALES, w.stash)
        scales.move(s.pose, w.next_velocity, h, w.next_pose)


@kernel
def bring_momenta(m, w):
    """The system whose solution are the velocities at the next pose, where its edges are filled: M v - J^T l = p"""
    fill.fill_mass(m, w.rotation, w.block)
    jumps.clear_row(w, 0)
    if w.control[ARMED] != 0:
        rotors.add_inertia(m, w)
        rotors.add_momenta(m, w)
    copy_scaled(w.stash, 0, 1.0, w.force, 0)
    if w.force.shape[1] > RATES:
        for i in range(w.force.shape[0]):
            store3(w.force, i, RATES, ZERO3)
        scales.add_columns(m, 1.0, w.stash, STASH_SCALES, w.force, RATES)
    jumps.fill_told(m, w)


@inline
def shorten_leash(w, before):
    """Where springs throw bodies to and fro over the bottom of a valley with steep sides, as where one of unequal
    stiffness is bent by half a turn, each substep that leads uphill halves how far the next may turn."""
    x = w.number
    if springs_throw(x) and x[ENERGY] > before:
        x[LEASH] *= 0.5
    else:
        x[LEASH] = min(1.0, 1.2 * x[LEASH])


@inline
def may_curve(m, w, gap):
    """Whether the projection is to begin again, along the curvature of the constraints (start_curved): where a substep
    of a figure that was closed would fail; where there are links, already where Newton's method did not get to its end,
    as a straight line that is held at both ends would otherwise sag from step to step by what gaps may be left."""
    c = w.control
    if c[CURVED] != 0 or c[STAGE] == STAYING or is_amiss(w):
        return False
    if m.links.shape[0] > 0:
        return gap > PROJECTED
    return gap > closed_enough(c) and w.number[GAP] <= OPEN_GAP_LIMIT


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
    w.control[CURVED] = 1
    w.control[SWEEP] = -1
    w.control[STAGE] = CLOSING
    for e in range(s.memory.shape[0]):
        for k in range(6):
            w.backup_memory[e, WRENCH + k] = h * h * w.next_wrench[e, k]


@kernel
def add_pulls(w):
    """l += l' of a projection along the curvature; all that stood in `backup_memory` was done with before"""
    for e in range(w.wrench.shape[0]):
        for k in range(6):
            w.backup_memory[e, WRENCH + k] += w.wrench[e, k]


@kernel
def is_amiss(w):
    """Whether links contradict each other: their gaps count for nothing, but what of them can be closed is closed."""
    found = False
    for e in range(w.auxiliary.amiss.shape[0]):
        found = found or w.auxiliary.amiss[e] == CONTRADICTS
    return found


@kernel
def let_go(m, s, w):
    """A substep that cannot be closed: links that stood open before it are let go. Where the figure cannot even follow
    what is moved as told, all links of its islands that stay open; those that fit are held again at once. Whether there
    are any."""
    if m.links.shape[0] == 0:
        return False
    torn_along = w.control[STAGE] == STAYING
    if torn_along:
        mark_open(m, s, w)
    edges.fill_edges(m, s, w, s.pose, w.rotation, w.gap)
    found = False
    for e in range(m.topology.shape[0], s.loose.shape[0]):
        gives = is_marked(m, w, e) if torn_along else edges.opening(w, e) > GAP_LIMIT
        if s.loose[e, 0] == 0.0 and gives and parts.takes_part(w, parts.child_of(m, e)):
            s.loose[e, 0] = 1.0
            w.auxiliary.amiss[e] = LET_GO
            w.control[LOOSE] += 1
            found = True
    joint_springs.fill_springs(m, s, w, s.pose, w.rotation)
    return found


@kernel
def mark_open(m, s, w):
    """The islands of edges that stand open"""
    parts.join_tied(m, w)
    for e in range(s.loose.shape[0]):
        if edges.opening(w, e) > GAP_LIMIT and parts.takes_part(w, parts.child_of(m, e)):
            parts.mark(w, parts.child_of(m, e), OPEN_ISLAND)


@inline
def is_marked(m, w, e):
    return w.island[parts.root_of(w, parts.child_of(m, e)), 1] & OPEN_ISLAND != 0


@kernel
def take_along(m, s, w):
    """What does not follow its forces follows what is moved as told: the pose alone"""
    copy_all(s.velocity, w.next_velocity)
    clear_all(w.next_wrench)
    drives.forget(w)
    pulls.forget(w)
    commit(m, s, w)


@kernel
def clear_wrenches(m, s, w):
    for e in range(s.memory.shape[0]):
        if parts.takes_part(w, parts.child_of(m, e)):
            for k in range(6):
                s.memory[e, WRENCH + k] = 0.0


@inline
def springs_throw(x):
    return x[ELASTIC] > ENERGY_SHARE * x[KINETIC]


@kernel
def may_stay_fast(w):
    """Whether what turns too fast for a whole step keeps its speed, so that the next step is redone, too. Of a whip, in
    whose end nearly all the energy of a long chain passes by within a few steps: slowed down, the chain would hang dead
    from there on. Not where springs throw it, as they would for ever, nor where substeps could not follow. Each such
    step is paid for; so no more than a twentieth of all steps are redone for that in the long run."""
    x = w.number
    if w.control[TOO_FAST] != 0 or springs_throw(x) or x[CREDIT] < 1.0:
        return False
    x[CREDIT] -= 1.0
    return True


@kernel
def take_back(w):
    """What was found in the present substep is not done."""
    x = w.number
    x[STEP_WORK] = x[WORK_BEFORE]
    x[LIMIT_STEP_WORK] = x[LIMIT_WORK_BEFORE]
    drives.forget(w)
    pulls.forget(w)


@kernel
def slow_figures(m, w, velocity, most):
    """No body turns faster than `most`: what does is slowed with all that hangs on it, so that its joints still fit."""
    find_fastest(m, w, velocity)
    for i in range(velocity.shape[0]):
        spin = fastest_beside(w, i)
        if spin > most and parts.takes_part(w, i):
            for k in range(velocity.shape[1]):
                velocity[i, k] *= most / spin


@kernel
def find_fastest(m, w, velocity):
    """How fast the fastest body of each figure turns, in a place where nothing is kept in a redone step"""
    parts.join_tied(m, w)
    for i in range(velocity.shape[0]):
        w.backup[i, 0] = 0.0
    for i in range(velocity.shape[0]):
        root = parts.root_of(w, i)
        w.backup[root, 0] = max(w.backup[root, 0], norm(load3(velocity, i, 3)))


@inline
def fastest_beside(w, i):
    """How fast the fastest body of i's figure turned when this was found"""
    return w.backup[parts.root_of(w, i), 0]


@kernel
def settle(m, s, w, energy):
    """Figures that turn too fast are slowed, and velocities scaled so that the energy is not above where the step
    started: those of figures that turned too fast, where these have so much, else all."""
    x = w.number
    most = SPIN_LIMIT / x[DT]
    fast = x[SPIN] > most
    if fast and may_stay_fast(w):
        find_fastest(m, w, s.velocity)
    elif fast:
        slow_figures(m, w, s.velocity, SLOWED * most if springs_throw(x) else most)
        w.control[FRESH] = 0
        refresh(m, s, w)
    work = x[STEP_WORK]
    pressed = x[STEP_CONTACT_WORK]
    x[WORK] += work
    x[CONTACT_WORK] += pressed
    spare = energy + work + x[CONTACT_GAIN] - x[GRAVITATIONAL] - x[ELASTIC]
    if x[KINETIC] > spare and x[KINETIC] > 0.0:
        if not (fast and brake_fast(m, s, w, most, x[KINETIC] - spare)):
            scale_velocities(s, w, math.sqrt(max(spare, 0.0) / x[KINETIC]))
        w.control[FRESH] = 0
        refresh(m, s, w)
    x[LOST] += energy + work + pressed - x[ENERGY]


@kernel
def brake_fast(m, s, w, most, excess):
    """Take this energy out of the motion of the figures that turned faster than `most`, before they were slowed; False
    where they have not so much, or some of it in scales or rotors."""
    if w.control[ARMED] != 0 or s.velocity.shape[1] > RATES:
        return False
    kinetic = 0.0
    for i in range(s.velocity.shape[0]):
        if fastest_beside(w, i) > most and parts.takes_part(w, i):
            v = load3(s.velocity, i, 0)
            kinetic += fill.body_kinetic(m.topology, m.body, i, load9(w.rotation, i, 0), v, load3(s.velocity, i, 3))
    if excess >= kinetic:
        return False
    k = math.sqrt(1.0 - excess / kinetic)
    for i in range(s.velocity.shape[0]):
        if fastest_beside(w, i) > most and parts.takes_part(w, i):
            for c in range(RATES):
                s.velocity[i, c] *= k
    return True
