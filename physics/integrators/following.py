"""Only the islands that need it are redone, in substeps of the integrator itself, or of `implicit` where they touch.

    tie      islands: trees, links, contacts that are near; which of them contacts or limits press
    sort out each island is judged by itself (tally.py): its step is accepted, or redone
    keep     what is accepted is committed as it is, to the bit, with its share of the work
    pass     the rest in substeps of the integrator, which are judged in the same way: halved where they are rejected or
             too coarse, doubled where they may be
    pressed  what contacts or limits press, or breaks a limit in such a substep, in those of `implicit`, with contacts
             found anew in each
    passes   what fails even in the shortest substep waits where it stands, and goes on from there by the last resort
             (last_resort.py); what springs throw, or is pressed or tied by links and fails though it turns slowly,
             takes that from the start

A pass solves systems of all bodies, as no mode knows of islands. Those that have no part in it are at rest there: no
force, no jump (hush); what they touch among themselves is left alone (contacts/touch.py), and none of their results is
taken (parts.takes_part). So the order, the momenta and whatever else the integrator keeps it keeps in substeps, too.
"""

import math

from physics import drives, edges, joint_forces, parts
from physics.contacts.layout import NEVER, SINKS
from physics.integrators import guard, last_resort, spans, tally
from physics.integrators.last_resort import hold_others, take_back
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import ZERO3, store3
from physics.layout import (
    AGAIN, ALL_PARTS, ASIDE_PULL, CONTACT_GAIN, CONTACT_GAIN_BEFORE, CONTACT_WORK, CONTACT_WORK_BEFORE, DONE,
    DRIVEN, DRIVE_ASIDE, DRIVE_MEAN, DRIVE_WORK, DT, ELASTIC, ENERGY, FAILED_ISLAND, FASTEST, FASTEST_BEFORE,
    FIRST_ORDER, FOLLOWING, FORWARD, FRESH, GAINED, GAP, GRABS, GRAB_BODY, GRAB_FORCE, GRAVITATIONAL, H, JUMP,
    KEPT_PART, KINEMATIC, KINETIC, KINETIC_BEFORE, KINETIC_SUM, LAST_RESORT, LIMIT_AGE, LIMIT_DONE, LIMIT_EDGE,
    LIMIT_STEP_WORK, LIMIT_TAKEN, LIMIT_WORK_BEFORE, LOOSE, MEASURED, NEXT, NOW, ORDER, OTHERS, PART, PARTED,
    PASS_TICK, PHASE, PRESSED_ISLAND, PRESSED_PART, PUSH, PUSH_MOST, REDONE, REDONE_PART, SIGNALED, SPIN, STAGE,
    STALE, STEP_CONTACT_WORK, STEP_WORK, STOPS, STOP_CENTRE, STOP_CHILD, STOP_WANTED, STORED, SUBSTEPPED,
    SUBSTEP_TICKS, SUNK, TICK, TICKS, TIGHT, TIME, UNITED, WHOLE_STEP, WIDEST, WILD, WORK, WORK_BEFORE, WORST,
)  # fmt: skip

# rad a substep of an integrator whose error is not looked at; of the others `guard.SPIN_LIMIT`
FOLLOWED_SPIN = 0.2
# a substep is doubled where the error has so much room after that
ROOM = 1.5


# ---------------------------------------------------------------- who is redone
@kernel
def tie(m, s, w):
    """Islands of trees and links, with what limits press, and those that the step is too coarse for; contacts are added
    to them by their own unit, with what moves as prescribed at the end of the first substep, where these begin to look
    at it (last_resort.ask)."""
    if spans.is_composed(w.control):
        spans.restore(s, w)
    guard.mark_coarse(m, s, w)
    edges.at_time(m, w, w.number[TIME] + w.number[DT] * last_resort.LONGEST / TICKS)
    for l in range(s.limit.shape[0]):
        if s.limit[l, LIMIT_AGE] > 0.0:
            parts.mark(w, parts.child_of(m, int(s.limit[l, LIMIT_EDGE])), PRESSED_ISLAND)
    if w.control[UNITED] != 0:
        for i in range(w.part.shape[0]):
            if w.part[i] == PRESSED_PART:
                parts.mark(w, i, PRESSED_ISLAND)


@kernel
def sort_out(m, s, w):
    """Work.part: KEPT_PART, REDONE_PART, or -1 for those that begin with the last resort.
    OTHERS is how many are kept."""
    c = w.control
    x = w.number
    tally.clear(w)
    edges.at_time(m, w, x[NEXT])
    tally.add_motion(m, s, w, w.next_pose, w.next_velocity, x[DT])
    tally.add_gaps(m, w)
    tally.add_stored(m, w, 1.0, STORED)
    tally.add_change(m, w, 1.0, w.next_pose, w.next_velocity)
    refill(m, s, w)
    tally.add_change(m, w, -1.0, s.pose, s.velocity)
    mark_failed(m, w)
    last = not may_follow(c)
    c[OTHERS] = 0
    for i in range(w.part.shape[0]):
        r = parts.root_of(w, i)
        if w.island[r, 1] & FAILED_ISLAND == 0:
            w.part[i] = KEPT_PART
            c[OTHERS] += 1
        elif last or not is_fit(m, w, r):
            w.part[i] = -1
        elif w.island[r, 1] & PRESSED_ISLAND:
            w.part[i] = pressed_from(0)
        else:
            w.part[i] = REDONE_PART


@kernel
def refill(m, s, w):
    """Edges and springs at the start of the step"""
    w.number[NOW] = w.number[TIME]
    w.control[PART] = ALL_PARTS
    guard.refresh(m, s, w)


@kernel
def crosses_limits(w):
    """Whether an island of the pass breaks a limit, which the integrator's own substep does not know: then it has been
    marked (auxiliary/limits.look)."""
    found = False
    for i in range(w.part.shape[0]):
        found = found or (parts.takes_part(w, i) and w.island[parts.root_of(w, i), 1] & PRESSED_ISLAND != 0)
    return found


@inline
def is_fit(m, w, r):
    """Whether shorter steps help an island: where springs do not throw it. What links tie must turn fast, as a line
    that is straight between two hooks fails in them, too, and so must what is stepped at first order."""
    angle = guard.FAST / w.number[DT]
    fast = w.tally[r, FASTEST_BEFORE] > angle * angle
    fast = fast or (w.tally[r, FASTEST] > angle * angle and w.tally[r, WILD] == 0.0)
    own = tally.limit_of(w.control) > 0.0 and w.island[r, 1] & PRESSED_ISLAND == 0
    may = fast or (m.links.shape[0] == 0 and own)
    return may and not tally.is_thrown(w, r, guard.ENERGY_SHARE)


@inline
def may_follow(c):
    """Whether substeps of the integrator may do better: not where links are taut or contradict each other"""
    return c[ORDER] != KINEMATIC and c[TIGHT] == 0 and c[LOOSE] == 0


@kernel
def mark_failed(m, w):
    """Islands whose step is not good by themselves; all, where none is, as what makes a step bad may be the sum."""
    found = mark_bad(w, False)
    if not found:
        found = mark_bad(w, True)
    if not found:
        for i in range(w.island.shape[0]):
            w.island[parts.root_of(w, i), 1] |= FAILED_ISLAND


@kernel
def mark_bad(w, by_energy):
    c = w.control
    x = w.number
    dynamic = c[ORDER] != KINEMATIC
    angle = guard.SPIN_LIMIT / x[DT]
    found = False
    for r in range(w.island.shape[0]):
        if w.island[r, 0] != r:
            continue
        t = w.tally
        bad = w.island[r, 1] & FAILED_ISLAND != 0 or t[r, WILD] != 0.0 or not t[r, WIDEST] <= guard.gap_limit(c)
        if dynamic:
            bad = bad or t[r, FASTEST] > angle * angle
            if by_energy:
                bad = bad or t[r, GAINED] > guard.ENERGY_SHARE * (t[r, KINETIC_SUM] + t[r, KINETIC_BEFORE]) + 1e-9
        if bad:
            w.island[r, 1] |= FAILED_ISLAND
            found = True
    return found


@kernel
def keep(m, s, w):
    """What is accepted is committed, and the first pass begins. STEP_CONTACT_WORK is that of what is kept."""
    c = w.control
    x = w.number
    c[PART] = KEPT_PART
    composed = spans.is_composed(c)
    if composed:
        set_means_aside(s, w)
    guard.clear_means(s, w)
    if composed:
        # of the first four of its five steps
        bring_means_back(m, s, w)
    joint_forces.start_means(w)
    if c[OTHERS] != 0:
        edges.at_time(m, w, x[NEXT])
        edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
        take_kept_work(m, s, w)
        guard.commit(m, s, w)
        x[WORK] += x[STEP_WORK]
        x[CONTACT_WORK] += x[STEP_CONTACT_WORK]
    x[H] = x[DT]
    drives.start(s, w)
    c[PARTED] = 1
    c[STALE] = 0
    if has_part(w, REDONE_PART):
        begin(m, s, w, 0, 0)
        return AGAIN
    return next_pass(m, s, w)


@kernel
def take_kept_work(m, s, w):
    """The share of what is kept in what was done in the step"""
    x = w.number
    x[STEP_WORK] = 0.0
    x[LIMIT_STEP_WORK] = 0.0
    x[DRIVE_WORK] = 0.0
    for i in range(w.given.shape[0]):
        if parts.takes_part(w, i):
            x[STEP_WORK] += w.given[i]
    for l in range(w.limit.shape[0]):
        if parts.takes_part(w, parts.child_of(m, int(s.limit[l, LIMIT_EDGE]))):
            x[STEP_WORK] += w.limit[l, LIMIT_DONE]
            x[LIMIT_STEP_WORK] += w.limit[l, LIMIT_DONE]


@kernel
def has_part(w, part):
    found = False
    for i in range(w.part.shape[0]):
        found = found or w.part[i] == part
    return found


@kernel
def count_others(w):
    others = 0
    for i in range(w.part.shape[0]):
        if w.part[i] != REDONE_PART:
            others += 1
    w.control[OTHERS] = others


# ---------------------------------------------------------------- a pass in substeps of the integrator
@kernel
def begin(m, s, w, first_order, tick):
    """A pass of the integrator, or of `implicit` for what is pressed, from this tick of the step on"""
    c = w.control
    x = w.number
    if c[PHASE] == WHOLE_STEP:
        c[SUBSTEPPED] += 1
    else:
        c[STALE] = 1
    c[PHASE] = FOLLOWING
    c[PART] = REDONE_PART
    c[FIRST_ORDER] = first_order
    c[FORWARD] = 0
    count_others(w)
    guard.clear_sums(w)
    c[PASS_TICK] = tick
    c[TICK] = tick
    c[SUBSTEP_TICKS] = TICKS
    x[NOW] = x[TIME] + x[DT] * tick / TICKS
    c[FRESH] = 0
    guard.refresh(m, s, w)
    if first_order == 0:
        shorten(w, worst_error(w, limit_now(c), x[DT]))
    else:
        drives.start(s, w)
        shorten(w, tally.raised(c, x[DT] * x[SPIN] / FOLLOWED_SPIN))
    while tick % c[SUBSTEP_TICKS] != 0:
        c[SUBSTEP_TICKS] //= 2
    remember_contacts(w)
    begin_substep(s, w)


@inline
def remember_contacts(w):
    """What contacts have done in the pass before the present substep; a substep that is taken once more counts once
    (contacts/newton.conclude)."""
    w.number[CONTACT_WORK_BEFORE] = w.number[STEP_CONTACT_WORK]
    w.number[CONTACT_GAIN_BEFORE] = w.number[CONTACT_GAIN]


@inline
def limit_now(c):
    """What the present substep may leave of the DEFECT; 0 where it is of first order"""
    return 0.0 if c[FIRST_ORDER] != 0 else tally.limit_of(c)


@kernel
def begin_substep(s, w):
    c = w.control
    x = w.number
    x[WORK_BEFORE] = x[STEP_WORK]
    x[LIMIT_WORK_BEFORE] = x[LIMIT_STEP_WORK]
    x[SUNK] = 0.0
    c[MEASURED] = 0
    spans.begin(s, w, x[TIME] + x[DT] * c[TICK] / TICKS, x[DT] * c[SUBSTEP_TICKS] / TICKS)
    if spans.is_composed(c):
        set_means_aside(s, w)


@inline
def worst_error(w, limit, h):
    """Of the islands of the pass: the DEFECT over what it may be, or what the turn in a step h asks for"""
    worst = 0.0
    most = guard.SPIN_LIMIT if limit > 0.0 else FOLLOWED_SPIN
    for r in range(w.island.shape[0]):
        if w.island[r, 0] == r and parts.takes_part(w, r):
            turned = h * math.sqrt(w.tally[r, FASTEST]) / most
            if turned > 1.0:
                worst = max(worst, tally.raised(w.control, turned))
            if limit > 0.0:
                worst = max(worst, tally.error_of(w, r, limit))
            if w.tally[r, WILD] != 0.0:
                worst = math.inf
    return worst


@kernel
def shorten(w, error):
    """The next substep is shorter, by how much the error asks for, at least by half."""
    c = w.control
    ratio = tally.raised(c, 0.5)
    c[SUBSTEP_TICKS] //= 2
    if error < math.inf:
        error *= ratio
        while error > 1.0 and c[SUBSTEP_TICKS] > 1:
            c[SUBSTEP_TICKS] //= 2
            error *= ratio


@kernel
def judge(m, s, w):
    """A substep of the integrator has its result: AGAIN for the next one, or what the next pass answers."""
    c = w.control
    x = w.number
    hold_others(m, s, w)
    crossed = c[FIRST_ORDER] == 0 and crosses_limits(w)
    gap, where, kinetic, height, elastic, spin = guard.measure(m, s, w, w.next_pose, w.next_velocity)
    energy = kinetic + height + elastic
    h = x[DT] * c[SUBSTEP_TICKS] / TICKS
    tally.clear(w)
    tally.add_motion(m, s, w, w.next_pose, w.next_velocity, h)
    tally.add_gaps(m, w)
    tally.add_stored(m, w, 1.0, STORED)
    error = worst_error(w, limit_now(c), h)
    if c[FIRST_ORDER] != 0:
        error = max(error, tally.raised(c, math.sqrt(max(0.0, x[SUNK]) / SINKS)))
    share = guard.ENERGY_SHARE * c[SUBSTEP_TICKS] / TICKS
    most = x[ENERGY] + given(s, w) + share * (x[KINETIC] + kinetic) + 1e-9
    sound = gap <= guard.gap_limit(c) and math.isfinite(energy) and h * spin <= guard.SPIN_LIMIT and not crossed
    sound = sound and c[TIGHT] == 0 and energy <= most
    if sound and (error <= 1.0 or c[SUBSTEP_TICKS] == 1):
        x[ENERGY] = energy
        x[KINETIC] = kinetic
        x[GRAVITATIONAL] = height
        x[ELASTIC] = elastic
        x[SPIN] = spin
        x[GAP] = gap
        c[WORST] = where
        guard.commit(m, s, w)
        x[NOW] = x[NEXT]
        c[TICK] += c[SUBSTEP_TICKS]
        c[STALE] = 1
        if c[TICK] == TICKS:
            return next_pass(m, s, w)
        lengthen(c, error)
        remember_contacts(w)
        begin_substep(s, w)
        return AGAIN
    go_back(m, s, w)
    if crossed or c[TIGHT] != 0 or c[SUBSTEP_TICKS] == 1:
        leave(m, s, w, h, crossed)
        if not has_part(w, REDONE_PART):
            x[STEP_CONTACT_WORK] = x[CONTACT_WORK_BEFORE]
            return next_pass(m, s, w)
        count_others(w)
    else:
        shorten(w, error)
    x[NOW] = x[TIME] + x[DT] * c[TICK] / TICKS
    c[FRESH] = 0
    guard.refresh(m, s, w)
    begin_substep(s, w)
    return AGAIN


@kernel
def given(s, w):
    """What loads, grabs, drives, limits and contacts give in the present substep"""
    x = w.number
    work = x[STEP_WORK] + guard.work_done(s, w) - x[WORK_BEFORE]
    if w.control[FIRST_ORDER] == 0:
        return work
    gain = x[CONTACT_GAIN] - x[CONTACT_GAIN_BEFORE]
    limits = x[LIMIT_STEP_WORK] - x[LIMIT_WORK_BEFORE]
    if x[PUSH_MOST] != 0.0 and w.control[SIGNALED] == 0:
        work -= max(0.0, limits - max(0.0, x[PUSH_MOST] - gain))
    return work + gain - min(limits, 0.0)


@kernel
def lengthen(c, error):
    """The next substep is twice as long, where that leaves room and fits in the step."""
    twice = 2 * c[SUBSTEP_TICKS]
    if error * ROOM * tally.raised(c, 2.0) < 1.0 and c[TICK] % twice == 0 and twice < TICKS:
        c[SUBSTEP_TICKS] = twice


@kernel
def go_back(m, s, w):
    """To the start of the substep"""
    if spans.is_composed(w.control):
        spans.restore(s, w)
        bring_means_back(m, s, w)
    take_back(w)


@kernel
def leave(m, s, w, h, crossed):
    """Islands that fail in the shortest substep wait for the last resort where they stand, and those that break a limit
    for a pass in substeps of first order; all for the last resort, where none fails by itself, or links are taut."""
    c = w.control
    tick = c[TICK]
    angle = guard.SPIN_LIMIT / h
    left = 0
    for i in range(w.part.shape[0]):
        if not parts.takes_part(w, i):
            continue
        r = parts.root_of(w, i)
        t = w.tally
        bad = t[r, WILD] != 0.0 or not t[r, WIDEST] <= guard.gap_limit(c) or t[r, FASTEST] > angle * angle
        if crossed and w.island[r, 1] & PRESSED_ISLAND and c[TIGHT] == 0:
            w.part[i] = pressed_from(tick)
            left += 1
        elif bad:
            w.part[i] = -1 - tick
            left += 1
    if left == 0:
        for i in range(w.part.shape[0]):
            if parts.takes_part(w, i):
                w.part[i] = -1 - tick


@kernel
def set_means_aside(s, w):
    """`rattle4` commits each of its five steps: what these add to means can be taken back."""
    joint_forces.set_means_aside(w)
    for g in range(w.control[GRABS]):
        for k in range(6):
            w.pull[g, ASIDE_PULL + k] = s.grab[g, GRAB_FORCE + k]
    if w.control[DRIVEN] != 0:
        for r in range(w.drive.shape[0]):
            for k in range(3):
                w.drive[r, DRIVE_ASIDE + k] = s.drive[r, DRIVE_MEAN + k]


@kernel
def bring_means_back(m, s, w):
    """Of those whose pass it is"""
    joint_forces.bring_means_back(m, w)
    for g in range(w.control[GRABS]):
        if s.grab[g, GRAB_BODY] >= 0.0 and parts.takes_part(w, int(s.grab[g, GRAB_BODY])):
            for k in range(6):
                s.grab[g, GRAB_FORCE + k] = w.pull[g, ASIDE_PULL + k]
    if w.control[DRIVEN] != 0:
        for r in range(w.drive.shape[0]):
            if parts.takes_part(w, drives.moved_by(m, s, r)):
                for k in range(3):
                    s.drive[r, DRIVE_MEAN + k] = w.drive[r, DRIVE_ASIDE + k]


# ---------------------------------------------------------------- from pass to pass
@inline
def pressed_from(tick):
    """Work.part of what waits for a pass in substeps of first order from this tick on"""
    return -1 - TICKS - tick


@kernel
def next_pass(m, s, w):
    """Islands of the present pass are done; the next ones that wait go on: first in substeps of first order, then by
    the last resort. DONE where none waits."""
    c = w.control
    if c[PHASE] == FOLLOWING:
        w.number[WORK] += w.number[STEP_WORK]
        w.number[CONTACT_WORK] += w.number[STEP_CONTACT_WORK]
    first = TICKS
    pressed = TICKS
    for i in range(w.part.shape[0]):
        if w.part[i] == REDONE_PART:
            w.part[i] = KEPT_PART
        if w.part[i] <= pressed_from(0):
            pressed = min(pressed, pressed_from(0) - w.part[i])
        elif w.part[i] < 0:
            first = min(first, -1 - w.part[i])
    if pressed < TICKS:
        for i in range(w.part.shape[0]):
            if w.part[i] == pressed_from(pressed):
                w.part[i] = REDONE_PART
        begin(m, s, w, 1, pressed)
        return AGAIN
    if first == TICKS:
        finish(m, s, w)
        return DONE
    for i in range(w.part.shape[0]):
        if w.part[i] == -1 - first:
            w.part[i] = REDONE_PART
    if c[PHASE] != LAST_RESORT:
        c[REDONE] += 1
    c[PHASE] = LAST_RESORT
    c[PART] = REDONE_PART
    c[FIRST_ORDER] = 1
    count_others(w)
    guard.clear_sums(w)
    last_resort.begin(m, s, w, first)
    return AGAIN


@kernel
def finish(m, s, w):
    """The step is over: all that there is is measured at its end."""
    c = w.control
    x = w.number
    if c[PHASE] == FOLLOWING:
        guard.go_on_well(w)
    # what is asked between steps has to do with no substep
    c[PHASE] = WHOLE_STEP
    c[PART] = ALL_PARTS
    c[PARTED] = 0
    c[UNITED] = 0
    c[OTHERS] = 0
    c[STALE] = 0
    c[TICK] = 0
    c[STAGE] = 0
    x[H] = x[DT]
    x[NOW] = x[TIME] + x[DT]
    c[FRESH] = 0
    guard.refresh(m, s, w)


@kernel
def hush(m, s, w):
    """A request has no force and no jump for those that have no part in the pass, and they take no part in limits."""
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        if parts.takes_part(w, parts.child_of(m, e)):
            continue
        store3(w.row, e, PUSH, ZERO3)
        store3(w.row, e, JUMP, ZERO3)
        store3(w.row, e, JUMP + 3, ZERO3)
        if e < n:
            for k in range(w.force.shape[1]):
                w.force[e, k] = 0.0
    for r in range(w.control[STOPS]):
        if not parts.takes_part(w, int(w.stop[r, STOP_CHILD])):
            w.stop[r, STOP_WANTED] = NEVER
            w.stop[r, STOP_CENTRE] = 0.0
    for l in range(s.limit.shape[0]):
        if not parts.takes_part(w, parts.child_of(m, int(s.limit[l, LIMIT_EDGE]))):
            w.limit[l, LIMIT_TAKEN] = 1.0
