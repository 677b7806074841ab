"""The guard: accept a step, or redo it smaller.

A step is rejected if anything is not finite, a gap exceeds 1e-6 (1e-2 for `hernandez`, 1e-4 where taut links were
eased), a body turns more than 1 rad in the step, or the energy rose by more than the work done plus 10 % of the kinetic
energies. It is redone as 8 substeps of linearly implicit Euler from the same state, halved down to a 32nd of the step
while a body turns more than 0.2 rad in one. Each has the velocities of a figure scaled together so that h |w| <= 0.5
rad (less and less where springs lead it uphill: shorten_leash), a full Newton projection of the position in the mass
metric (where that does not close it, along the curvature of the constraints: start_curved), and a projection of the
velocity, which starts from the momenta of the substep: every body carries these through it (fly, bring_momenta). A
substep that fails even so leaves the figure where it is, but for what is moved as told and takes it along, and halves
its velocity (frozen). At the end the velocities of a figure are scaled to h |w| <= 1 (0.75 where springs throw it),
unless it is a whip (may_stay_fast), and then to the energy there was: those of the figures that turned too fast, where
that is enough, else all. So a redone step never adds energy. Redone and frozen steps are counted; a step
with nothing but frozen substeps is hopeless: where links are taut, but all is closed and finite, only after
LONGEST_STUCK of them on end.

A link that stands open and cannot be closed by a substep's projection (a pin out of reach, one of two that contradict
each other), or that keeps a figure from following what is moved as told, is let go: State.loose. It is no longer
closed, but pulls softly (physics/loose.py), is named among the contradictions, its gap does not count, and it is held
again as soon as it is NEARLY closed.
"""

import math

from physics import (
    drives,
    edges,
    fill,
    geometric_stiffness,
    joint_springs,
    jumps,
    loose,
    parts,
    pulls,
    rotors,
    scales,
    together,
)
from physics.integrators import implicit
from physics.kernels.ahead import TILE
from physics.kernels.jit import inline, kernel
from physics.kernels.columns import clear_all, copy_all, copy_scaled
from physics.kernels.vec import ZERO3, load3, load9, norm, store3
from physics.layout import (
    ALL, ARMED, BLOWN, CONTACT_GAIN, CONTACT_WORK, CONTRADICTS, CORRECTION, CREDIT, CURVED, DONE, DRIVE_WORK, DT,
    ELASTIC, ENERGY, FACTOR_KEPT, FAILURES, FEEDBACK, FORCE_SCALE, FRESH, FROZEN, GAP, GRAVITATIONAL, GRAVITY, GUARD, H,
    HERNANDEZ, INTEGRATOR, KINEMATIC, KINETIC, LEASH, LET_GO, LIMIT_STEP_WORK, LIMIT_WORK_BEFORE, LOADED, LOOSE, LOST,
    MEASURED, NEXT, NOW, OPEN_ISLAND, ORDER, PHASE, PUSH_MOST, RATES, REDONE, SHAPE, SIGNALED, SPIN, SPRUNG, STAGE,
    START_ENERGY, STASH_SCALES, STATUS, STEPPED, STEP_CONTACT_WORK, STEP_WORK, STUCK, SUBSTEP, SUBSTEP_TICKS, SWEEP,
    TIGHT, TIME, TOO_FAST, TRIAL_ELASTIC, TRIAL_GAP, TRIAL_KINETIC, TRIAL_SPIN, WORK, WORK_BEFORE, WORST, WRENCH,
)  # fmt: skip

GAP_LIMIT = 1e-6
OPEN_GAP_LIMIT = 1e-4  # where links are taut
HERNANDEZ_GAP_LIMIT = 1e-2  # of `hernandez`, which leaves the gap of each step to the next one
FEEDBACK_GAP_LIMIT = 1e-2  # of the correction by feedback, which closes gaps in time
SPIN_LIMIT = 1.0  # rad a step
SLOWED = 0.75  # of it, where springs throw: slowed to no less, the next step would be redone, too, twice as often
ENERGY_SHARE = 0.1
SUBSTEPS = 8
TICKS = 32  # of a step: the shortest substep is one
FOLLOWED_SPIN = 0.2  # rad a substep: it is halved above that,
SUBSTEP_SPIN = 0.5  # and velocities are scaled where the shortest one would turn more than that
MOST_CREDIT = 24.0  # whips' redone steps that may end too fast, and what each accepted step adds to their number
EARNED = 0.05
MOST_PROJECTIONS = 8
PROJECTED = 1e-10
PROJECTED_TURN = 0.5  # rad a projection
LONGEST_STUCK = 10  # steps
NEARLY = 1e-3  # m or rad: nearer than this a link that was let go is held again
STAYING = 4  # the stage of a substep that failed, while what is moved as told takes the figure along


@kernel
def measure(m, s, w, pose, velocity):
    """Fill and measure: (gap, where, kinetic, gravitational, elastic, spin)."""
    x = w.number
    g = (x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2])
    if w.control[MEASURED] != 0:
        gap = x[TRIAL_GAP]
        where = w.control[WORST]
        elastic = x[TRIAL_ELASTIC]
        kinetic = x[TRIAL_KINETIC]
        spin = x[TRIAL_SPIN]
        height = fill.gravitational_energy(m.body, pose, g)
    else:
        gap, where, kinetic, height, elastic, spin = fill_all(m, s, w, pose, velocity, g)
    w.control[MEASURED] = 0
    if pose.shape[1] > SHAPE:
        elastic += scales.potential(m, pose)
    if w.control[ARMED] != 0:
        kinetic += rotors.measure(m, w, velocity)
    return gap, where, kinetic, height, elastic, spin


@kernel
def fill_all(m, s, w, pose, velocity, g):
    """Edges and springs at `pose`, and what `measure` returns, without what scales and rotors have"""
    sprung = w.control[SPRUNG] != 0
    n = pose.shape[0]
    worst = 0.0
    where = -1
    kinetic = 0.0
    height = 0.0
    elastic = 0.0
    fastest = 0.0
    if pose.shape[1] > SHAPE:
        scales.put_shape(m, pose)
    for first in range(0, n, TILE):
        end = min(first + TILE, n)
        together.fill_some_rotations(pose, w.rotation, first, end)
        kinetic, fastest = fill.measure_some(m, w.rotation, velocity, first, end, kinetic, fastest)
        height = fill.add_gravitational(m.body, pose, g, first, end, height)
        worst, where = edges.fill_some(m, s, w, pose, w.rotation, w.gap, first, end, worst, where)
        if sprung:
            elastic = joint_springs.fill_some_springs(m, s, w, pose, w.rotation, first, end, elastic)
    gap, where = edges.fill_links(m, s, w, pose, w.rotation, w.gap, worst, where)
    if sprung:
        elastic = joint_springs.fill_link_springs(m, s, w, pose, w.rotation, elastic)
    if velocity.shape[1] > RATES:
        kinetic += scales.kinetic(m, velocity)
    return gap, where, kinetic, height, elastic, math.sqrt(fastest)


@kernel
def refresh(m, s, w):
    """Fill and measure the present state: at the start of a run, and after a rejected step. Energies that are known
    stay, so that the bits of a run do not depend on how many calls it takes."""
    c = w.control
    x = w.number
    edges.at_time(m, w, x[NOW])
    fresh = c[FRESH] != 0
    c[MEASURED] = 0
    x[GAP], c[WORST], kinetic, height, elastic, spin = measure(m, s, w, s.pose, s.velocity)
    if not fresh:
        x[KINETIC] = kinetic
        x[GRAVITATIONAL] = height
        x[ELASTIC] = elastic
        x[SPIN] = spin
        x[ENERGY] = kinetic + height + elastic
    c[FRESH] = 1
    c[FACTOR_KEPT] = 0


@kernel
def commit(m, s, w):
    """The next state becomes the state; the work of applied loads on the way is added up over the step."""
    w.number[STEP_WORK] += work_done(s, w)
    if w.control[SUBSTEP] == 0:
        pulls.clear(s, w)
    pulls.commit(s, w, w.number[H] / w.number[DT])
    drives.commit(s, w, w.control[SUBSTEP] == 0)
    edges.commit(m, s, w)
    hold_again(m, s, w)


@kernel
def work_done(s, w):
    """Work of applied loads, grabs and drives on the way to the next pose"""
    work = pulls.work_of_pulls(s, w, s.pose, w.next_pose) + w.number[DRIVE_WORK]
    if w.control[LOADED] != 0:
        work += fill.applied_work(s.applied, s.pose, w.next_pose)
    return work


@kernel
def judge(m, s, w):
    """Fill and measure the next state; accept and commit it, or say that it must be redone. Returns True where
    accepted."""
    c = w.control
    x = w.number
    gap, worst, kinetic, height, elastic, spin = measure(m, s, w, w.next_pose, w.next_velocity)
    energy = kinetic + height + elastic
    work = x[STEP_WORK] + work_done(s, w)
    if c[GUARD] != 0:
        limit = HERNANDEZ_GAP_LIMIT if c[INTEGRATOR] == HERNANDEZ else closed_enough(c)
        if c[CORRECTION] == FEEDBACK:
            limit = FEEDBACK_GAP_LIMIT
        accepted = gap <= limit and math.isfinite(energy)
        if c[ORDER] != KINEMATIC:
            given = work + x[CONTACT_GAIN] - pushed_by_limits(w)
            allowed = x[ENERGY] + given + ENERGY_SHARE * (x[KINETIC] + kinetic) + 1e-9
            allowed -= min(x[LIMIT_STEP_WORK], 0.0)  # what an impact takes is no measure of what others may give
            accepted = accepted and x[DT] * spin <= SPIN_LIMIT and energy <= allowed
        if not accepted:
            return False
    x[ELASTIC] = elastic
    x[KINETIC] = kinetic
    x[GRAVITATIONAL] = height
    x[SPIN] = spin
    x[ENERGY] = energy
    x[GAP] = gap
    c[WORST] = worst
    x[WORK] += work
    x[CONTACT_WORK] += x[STEP_CONTACT_WORK]
    c[FRESH] = 1
    c[STUCK] = 0
    x[LEASH] = 1.0
    x[CREDIT] = min(x[CREDIT] + EARNED, MOST_CREDIT)
    commit(m, s, w)
    return True


@inline
def closed_enough(c):
    """The largest gap that may be left. What holds a straight line at both ends would need forces without bounds."""
    return OPEN_GAP_LIMIT if c[TIGHT] != 0 else GAP_LIMIT


@inline
def pushed_by_limits(w):
    """Work of limits that is more than they and contacts can give by bringing things back, where both press: in a jam
    the work of each is a multiple of what they do together. (What is moved as told may push through a limit.)"""
    most = w.number[PUSH_MOST]
    if most == 0.0 or w.control[SIGNALED] != 0:
        return 0.0
    return max(0.0, w.number[LIMIT_STEP_WORK] - max(0.0, most - w.number[CONTACT_GAIN]))


@kernel
def start_redo(m, s, w):
    start_again(m, s, w)
    c = w.control
    c[PHASE] = 1
    c[FAILURES] = 0
    c[BLOWN] = 0
    c[REDONE] += 1
    c[SUBSTEP_TICKS] = TICKS // SUBSTEPS
    c[TOO_FAST] = 0
    w.number[H] = w.number[DT] / SUBSTEPS


@kernel
def start_again(m, s, w):
    """The present step from its start, where the state still is"""
    c = w.control
    c[PHASE] = 0
    c[STAGE] = 0
    c[SUBSTEP] = 0
    w.number[H] = w.number[DT]
    w.number[FORCE_SCALE] = 0.0
    w.number[STEP_WORK] = 0.0
    w.number[STEP_CONTACT_WORK] = 0.0
    w.number[CONTACT_GAIN] = 0.0
    w.number[PUSH_MOST] = 0.0
    w.number[LIMIT_STEP_WORK] = 0.0
    pulls.clear(s, w)
    drives.start(s, w)
    w.number[NOW] = w.number[TIME]
    w.number[NEXT] = w.number[TIME] + w.number[DT]
    refresh(m, s, w)


@kernel
def redo(m, s, w):
    """The next request of a redone step."""
    c = w.control
    x = w.number
    h = x[H]
    while True:
        if c[STAGE] == 0:
            x[NEXT] = x[TIME] + x[DT] * (c[SUBSTEP] + c[SUBSTEP_TICKS]) / TICKS
            x[WORK_BEFORE] = x[STEP_WORK]
            x[LIMIT_WORK_BEFORE] = x[LIMIT_STEP_WORK]
            implicit.look_ahead(m, s, w)
            implicit.assemble_one_by_one(m, s, w, h)
            jumps.fill_told(m, w)
            loose.pull(m, w, s.velocity, False)
            c[STAGE] = 1
            return STEPPED
        good = True
        if c[STAGE] == 1:
            spin = fill.largest_spin(w.velocity)
            if h * spin > FOLLOWED_SPIN and c[SUBSTEP_TICKS] > 1 and math.isfinite(spin):
                c[SUBSTEP_TICKS] //= 2
                h *= 0.5
                x[H] = h
                take_back(w)
                c[STAGE] = 0
                continue
            if math.isfinite(spin):
                copy_all(w.velocity, w.next_velocity)
                if h * spin > SUBSTEP_SPIN * x[LEASH]:
                    slow_figures(m, w, w.next_velocity, SUBSTEP_SPIN * x[LEASH] / h)
                    c[TOO_FAST] = 1
                copy_scaled(w.wrench, 0, 1.0 / h, w.next_wrench, 0)
                fly(m, s, w, h)
                c[SWEEP] = 0
                c[CURVED] = 0
            else:
                good = False
                c[BLOWN] = 1
        elif c[STAGE] != 3:
            # far from closed, Newton would overshoot
            turn = fill.largest_spin(w.velocity)
            far = PROJECTED_TURN / turn if turn > PROJECTED_TURN else 1.0
            fill.displace(m.topology, w.next_pose, w.velocity, far, w.next_pose)
            if c[CURVED] != 0 and c[SWEEP] >= 0:
                add_pulls(w)
            c[SWEEP] += 1
        if good and c[STAGE] != 3:
            gap, _ = edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
            more = gap > PROJECTED and c[SWEEP] < MOST_PROJECTIONS
            if c[SWEEP] <= 0 or gap < x[TRIAL_GAP]:
                x[TRIAL_GAP] = gap
                copy_all(w.next_pose, w.other_pose)
            elif not more and not is_amiss(w):
                # where links can hardly be closed projections may open them again: the nearest pose
                copy_all(w.other_pose, w.next_pose)
                gap, _ = edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
            if not more and may_curve(m, w, gap):
                start_curved(m, s, w, h)
                continue
            if more or (c[SWEEP] == 0 and is_amiss(w)):
                fill.fill_mass(m, w.rotation, w.block)
                jumps.clear_row(w, 0)
                if w.control[ARMED] != 0:
                    rotors.add_inertia(m, w)
                if c[CURVED] != 0:
                    geometric_stiffness.add_all(m, w, w.backup_memory, 1.0, 0.0, 0, w.velocity)
                jumps.fill_jumps(m, w, w.gap, -1.0)
                c[STAGE] = max(c[STAGE], 2)
                return ALL
            if gap <= closed_enough(c) and c[STAGE] == STAYING:
                take_along(m, s, w)
            elif gap <= closed_enough(c):
                bring_momenta(m, w)
                c[STAGE] = 3
                return ALL
            good = False
            if let_go(m, s, w):
                take_back(w)
                c[STAGE] = 0
                continue
        if good and c[STAGE] == 3:
            good = math.isfinite(fill.largest_spin(w.velocity))
            if not good:
                c[BLOWN] = 1
            else:
                copy_all(w.velocity, w.next_velocity)
                x[STEP_WORK] += h * jumps.put_in(m, w, w.next_wrench, w.next_velocity, w.next_velocity)
                x[STEP_WORK] += h * loose.power(m, w, w.next_wrench, w.next_velocity)
                commit(m, s, w)
        if not good and c[STAGE] != STAYING:
            take_back(w)
        if not good and c[SIGNALED] != 0 and c[STAGE] != STAYING:
            copy_all(s.pose, w.next_pose)
            c[SWEEP] = -1
            c[STAGE] = STAYING
            clear_all(w.velocity)
            continue
        if not good or c[STAGE] == STAYING:
            c[FAILURES] += c[SUBSTEP_TICKS]
            c[FROZEN] += 1
            fill.scale_velocities(s.velocity, 0.5, s.velocity)
            clear_wrenches(s)
        c[FRESH] = 0
        x[NOW] = x[NEXT]
        before = x[ENERGY] + x[STEP_WORK] - x[WORK_BEFORE]
        refresh(m, s, w)
        if c[TOO_FAST] != 0:
            shorten_leash(w, before)
        c[SUBSTEP] += c[SUBSTEP_TICKS]
        c[STAGE] = 0
        if c[SUBSTEP] == TICKS:
            settle(m, s, w, x[START_ENERGY])
            c[STUCK] = c[STUCK] + 1 if c[FAILURES] == TICKS else 0
            # over: what is asked between steps has to do with no substep
            c[PHASE] = 0
            c[SUBSTEP] = 0
            # closed and finite it may rest a while, where links are taut
            over = c[BLOWN] != 0 or c[TIGHT] == 0 or not x[GAP] <= closed_enough(c) or c[STUCK] > LONGEST_STUCK
            if c[STUCK] > 0 and over:
                c[STATUS] = c[WORST] + 1 if c[WORST] >= 0 else 1
            return DONE


@kernel
def fly(m, s, w, h):
    """q1 = flow(q0, M v, h), with the momenta M(q0) v in the stash, those of rotors in Work.rotor: every body carries
    its momenta through the substep, and its velocity at the end is that which they have at the pose there."""
    fill.fill_momenta(m.topology, m.body, w.rotation, w.next_velocity, 0, w.stash)
    if w.control[ARMED] != 0:
        rotors.measure(m, w, w.next_velocity)
    fill.drift(m.topology, m.body, s.pose, w.rotation, w.next_velocity, h, 0, w.next_pose)
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
    w.control[STAGE] = 2
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
        if s.loose[e, 0] == 0.0 and gives:
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
        if edges.opening(w, e) > GAP_LIMIT:
            parts.mark(w, parts.child_of(m, e), OPEN_ISLAND)


@inline
def is_marked(m, w, e):
    return w.island[parts.root_of(w, parts.child_of(m, e)), 1] & OPEN_ISLAND != 0


@kernel
def hold_again(m, s, w):
    """Links that have come near enough to be closed are held."""
    n = m.topology.shape[0]
    for e in range(n, n + m.links.shape[0]):
        if s.loose[e, 0] != 0.0 and edges.opening(w, e) < NEARLY:
            s.loose[e, 0] = 0.0


@kernel
def take_along(m, s, w):
    """What does not follow its forces follows what is moved as told: the pose alone"""
    copy_all(s.velocity, w.next_velocity)
    clear_all(w.next_wrench)
    drives.forget(w)
    pulls.forget(w)
    commit(m, s, w)


@kernel
def clear_wrenches(s):
    for e in range(s.memory.shape[0]):
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
        if spin > most:
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
            fill.scale_velocities(s.velocity, math.sqrt(max(spare, 0.0) / x[KINETIC]), s.velocity)
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
        if fastest_beside(w, i) > most:
            v = load3(s.velocity, i, 0)
            kinetic += fill.body_kinetic(m.topology, m.body, i, load9(w.rotation, i, 0), v, load3(s.velocity, i, 3))
    if excess >= kinetic:
        return False
    k = math.sqrt(1.0 - excess / kinetic)
    for i in range(s.velocity.shape[0]):
        if fastest_beside(w, i) > most:
            for c in range(RATES):
                s.velocity[i, c] *= k
    return True
