"""The guard: accept a step, or have it redone smaller.

A step is rejected if anything is not finite, a gap exceeds 1e-6 (1e-2 for `hernandez`, 1e-4 where taut links were
eased), a body turns more than 1 rad in the step, a contact of one that turns more than 0.2 rad sinks in by more
than half a millimetre, or the energy rose by more than the work done plus 10 % of the kinetic
energies. An island that turns by more than FAST in a step of an integrator of second order or more is also rejected
where that step is too coarse for it (tally.error_of), unless springs throw it.

Of a rejected step the islands that are good are accepted as they are. The others are redone, by substeps of the
integrator, or of `implicit` where contacts and limits press (`following.py`), and where these fail, too, in those of
the last resort (`last_resort.py`).
"""

import math

from physics import drives, edges, fill, joint_springs, parts, pulls, rotors, scales, together
from physics.contacts.layout import SINKS
from physics.integrators import spans, tally
from physics.kernels.ahead import TILE
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import load3, load9
from physics.layout import (
    ARMED, CONTACT_GAIN, CONTACT_WORK, CORRECTION, CREDIT, DRIVE_WORK, DT, ELASTIC, ENERGY, FACTOR_KEPT,
    FAILED_ISLAND, FASTEST, FEEDBACK, FIRST_ORDER, FLAGS, FORCE_SCALE, FRESH, GAP, GRAVITATIONAL, GRAVITY, GUARD, H,
    HERNANDEZ, INTEGRATOR, KINEMATIC, KINETIC, LEASH, LIMIT_STEP_WORK, LOADED, MEASURED, NOW, ORDER, PART, PHASE,
    POTENTIAL, PRESSED_PART, PUSH_MOST, RATES, REDONE_PART, SHAPE, SIGNALED, SPIN, SPRUNG, STEP_CONTACT_WORK,
    STEP_WORK, STORED, STUCK, SUBSTEP, SUNK, TIGHT, TIME, TRIAL_ELASTIC, TRIAL_GAP, TRIAL_KINETIC, TRIAL_SPIN, UNITED,
    WHOLE_STEP, WORK, WORST,
)  # fmt: skip

GAP_LIMIT = 1e-6
OPEN_GAP_LIMIT = 1e-4  # where links are taut
HERNANDEZ_GAP_LIMIT = 1e-2  # of `hernandez`, which leaves the gap of each step to the next one
FEEDBACK_GAP_LIMIT = 1e-2  # of the correction by feedback, which closes gaps in time
SPIN_LIMIT = 1.0  # rad a step
FAST = 0.2  # rad a step: what turns no faster is not looked at for its error
ENERGY_SHARE = 0.1
MOST_CREDIT = 24.0  # whips' redone steps that may end too fast (last_resort.py), and what each accepted step adds
EARNED = 0.05
NEARLY = 1e-3  # m or rad: nearer than this a link that was let go is held again


@kernel
def measure(m, s, w, pose, velocity):
    """Fill and measure: (gap, where, kinetic, gravitational, elastic, spin); in a redone step of those bodies whose
    pass it is."""
    x = w.number
    g = (x[GRAVITY], x[GRAVITY + 1], x[GRAVITY + 2])
    if w.control[PART] == REDONE_PART:
        gap, where, kinetic, height, elastic, spin = measure_part(m, s, w, pose, velocity, g)
    elif w.control[MEASURED] != 0:
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
        elastic += scales.potential(m, w, pose)
    if w.control[ARMED] != 0:
        kinetic += rotors.measure(m, w, velocity)
    return gap, where, kinetic, height, elastic, spin


@kernel
def measure_part(m, s, w, pose, velocity, g):
    """As `fill_all`: all is filled, and of those bodies whose pass it is measured"""
    kinetic = 0.0
    height = 0.0
    elastic = 0.0
    gap, where = fill_gaps(m, s, w, pose)
    if w.control[SPRUNG] != 0:
        joint_springs.fill_springs(m, s, w, pose, w.rotation)
    n = pose.shape[0]
    for e in range(n + m.links.shape[0]):
        i = parts.child_of(m, e)
        if not parts.takes_part(w, i):
            continue
        flags = m.topology[e, FLAGS] if e < n else m.links[e - n, FLAGS]
        if flags != 0 and w.control[SPRUNG] != 0:
            elastic += w.spring[e, POTENTIAL]
        if e < n:
            rot = load9(w.rotation, i, 0)
            kinetic += fill.body_kinetic(m.topology, m.body, i, rot, load3(velocity, i, 0), load3(velocity, i, 3))
            height = fill.add_gravitational(m.body, pose, g, i, i + 1, height)
    if velocity.shape[1] > RATES:
        kinetic += scales.kinetic_of_part(m, w, velocity)
    return gap, where, kinetic, height, elastic, largest_spin(w, velocity)


@kernel
def fill_gaps(m, s, w, pose):
    """Edges at a pose; the largest gap of those whose pass it is, where"""
    gap, where = edges.fill_edges(m, s, w, pose, w.rotation, w.gap)
    if w.control[PART] != REDONE_PART:
        return gap, where
    gap = 0.0
    where = -1
    for e in range(w.auxiliary.amiss.shape[0]):
        if w.auxiliary.amiss[e] == 0 and parts.takes_part(w, parts.child_of(m, e)):
            opening = edges.opening(w, e)
            if not opening <= gap:
                gap = opening
                where = e
    return gap, where


@kernel
def largest_spin(w, velocity):
    """The largest angular speed of those bodies whose pass it is; infinite, where any of their velocities is not
    finite"""
    worst = 0.0
    total = 0.0
    for i in range(velocity.shape[0]):
        if parts.takes_part(w, i):
            worst = max(worst, fill.squared_spin(velocity, i))
            for k in range(velocity.shape[1]):
                total += abs(velocity[i, k])
    return math.sqrt(worst) if total < math.inf else math.inf


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
    """The next state becomes the state, of those bodies whose pass it is; the work of applied loads on the way is added
    up over the step."""
    w.number[STEP_WORK] += work_done(s, w)
    if w.control[PHASE] == WHOLE_STEP and w.control[SUBSTEP] == 0:
        clear_means(s, w)
    pulls.commit(m, s, w, w.number[H] / w.number[DT])
    drives.commit(m, s, w)
    edges.commit(m, s, w)
    hold_again(m, s, w)


@kernel
def clear_means(s, w):
    """What grabs, limits and drives did on the mean of the step, at its start"""
    pulls.clear(s, w)
    drives.clear(s, w)


@kernel
def work_done(s, w):
    """Work of applied loads, grabs and drives on the way to the next pose"""
    work = pulls.work_of_pulls(s, w, s.pose, w.next_pose) + w.number[DRIVE_WORK]
    if w.control[LOADED] != 0:
        work += fill.applied_work(w, s.applied, s.pose, w.next_pose)
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
        accepted = gap <= gap_limit(c) and math.isfinite(energy)
        if c[ORDER] != KINEMATIC:
            accepted = accepted and x[DT] * spin <= SPIN_LIMIT
            accepted = accepted and energy <= x[ENERGY] + allowed_rise(w, work, x[KINETIC] + kinetic)
            accepted = accepted and x[SUNK] <= SINKS
            accepted = accepted and not (x[DT] * spin > FAST and mark_coarse(m, s, w))
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
    go_on_well(w)
    commit(m, s, w)
    return True


@kernel
def go_on_well(w):
    """A step without the last resort"""
    w.control[STUCK] = 0
    w.number[LEASH] = 1.0
    w.number[CREDIT] = min(w.number[CREDIT] + EARNED, MOST_CREDIT)


@inline
def gap_limit(c):
    """The largest gap that a step may leave"""
    if c[CORRECTION] == FEEDBACK:
        return FEEDBACK_GAP_LIMIT
    return HERNANDEZ_GAP_LIMIT if c[INTEGRATOR] == HERNANDEZ else GAP_LIMIT


@kernel
def allowed_rise(w, work, kinetic):
    """By how much the energy may rise in a step in which so much work is done; `kinetic` at its start and its end"""
    x = w.number
    given = work + x[CONTACT_GAIN] - pushed_by_limits(w)
    # what an impact takes is no measure of what others may give
    return given + ENERGY_SHARE * kinetic + 1e-9 - min(x[LIMIT_STEP_WORK], 0.0)


@kernel
def mark_coarse(m, s, w):
    """Islands of trees and links, of which those that turn too fast for the step are marked as failed; whether there
    are any. Contacts and limits are met to first order, so that what presses is not looked at."""
    c = w.control
    limit = tally.limit_of(c)
    parts.join_tied(m, w)
    if limit == 0.0 or (c[FIRST_ORDER] != 0 and c[UNITED] == 0):
        return False
    found = False
    tally.clear(w)
    tally.add_motion(m, s, w, w.next_pose, w.next_velocity, w.number[DT])
    tally.add_stored(m, w, 1.0, STORED)
    for i in range(w.tally.shape[0]):
        if w.island[i, 0] == i and is_coarse_for(w, i, limit) and not (c[UNITED] != 0 and w.part[i] == PRESSED_PART):
            w.island[i, 1] |= FAILED_ISLAND
            found = True
    return found


@inline
def is_coarse_for(w, r, limit):
    """Whether the step of the tally is, for an island"""
    angle = FAST / w.number[DT]
    fast = w.tally[r, FASTEST] > angle * angle
    return limit > 0.0 and fast and not tally.is_thrown(w, r, ENERGY_SHARE) and tally.error_of(w, r, limit) > 1.0


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
def start_again(m, s, w):
    """The present step from its start, where the state still is"""
    w.control[PHASE] = WHOLE_STEP
    clear_sums(w)
    pulls.clear(s, w)
    drives.start(s, w)
    spans.begin(s, w, w.number[TIME], w.number[DT])
    refresh(m, s, w)


@kernel
def clear_sums(w):
    """Nothing has been done in the present pass of the step."""
    w.number[FORCE_SCALE] = 0.0
    w.number[STEP_WORK] = 0.0
    w.number[STEP_CONTACT_WORK] = 0.0
    w.number[CONTACT_GAIN] = 0.0
    w.number[PUSH_MOST] = 0.0
    w.number[LIMIT_STEP_WORK] = 0.0


@kernel
def hold_again(m, s, w):
    """Links that have come near enough to be closed are held."""
    n = m.topology.shape[0]
    for e in range(n, n + m.links.shape[0]):
        if s.loose[e, 0] != 0.0 and edges.opening(w, e) < NEARLY and parts.takes_part(w, parts.child_of(m, e)):
            s.loose[e, 0] = 0.0
