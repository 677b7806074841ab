"""Redo only the islands that need it, in substeps of the integrator itself, or of `implicit` where contacts or limits
press.

    tie      make the islands from trees, links and near contacts, and mark those that contacts or limits press
    sort out judge each island by itself (tally.py): its step is accepted, or redone
    keep     commit what is accepted as it is, to the bit, with its share of the work
    pass     redo the rest in substeps of the integrator, each judged in the same way: halved where it is rejected or
             too coarse, doubled where the error allows it
    pressed  redo what contacts or limits press, and what violates a limit in such a substep, in substeps of
             `implicit`, with contacts found anew in each
    passes   what fails even in the shortest substep stays where it is, and goes on from there by the last resort
             (last_resort.py). Islands that springs throw begin with the last resort, and so do islands with links or
             pressed islands that fail while they turn slowly.

A pass solves systems of all bodies, because no mode knows of islands. Islands that take no part in it are at rest
there: their forces and right-hand sides are zero (hush), contacts among them are left out (contacts/detection.py), and
none of their results is taken (islands.takes_part). So the integrator preserves in substeps what it preserves in whole
steps, such as its order and the momenta."""

import math

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.data.contact_tables import NEVER, SINKS
from physics.data.state_tables import Drives, Grabs, HardLimits
from physics.data.step_tables import TICKS, Control, IslandFlag, Number, Order, Part, Phase, Request
from physics.data.work_tables import DriveWork, LimitWork, Pulls, Rows, Stops, Tally
from physics.edges import edges, joint_forces
from physics.forces import all_forces, drives
from physics.integrators import acceptance, last_resort, measuring, spans, tally
from physics.integrators.last_resort import hold_others, take_back
from physics.maths.vec import ZERO3, store3

# rad a substep of an integrator whose error is not looked at; of the others `acceptance.SPIN_LIMIT`
FOLLOWED_SPIN = 0.2
# a substep is doubled where the error has so much room after that
ROOM = 1.5


# ---------------------------------------------------------------- who is redone
@kernel
def tie(m, s, w):
    """Make the islands of trees and links. Mark in Work.island those for which the step is too coarse, and those that
    limits press. Set prescribed motions to the end of the first substep (last_resort.ask). The unit of contacts joins
    touching islands afterwards."""
    if spans.is_composed(w.control):
        spans.restore(s, w)
    acceptance.mark_coarse(m, s, w)
    edges.at_time(m, w, w.number[Number.TIME] + w.number[Number.DT] * last_resort.LONGEST / TICKS)
    for l in range(s.limit.shape[0]):
        if s.limit[l, HardLimits.AGE] > 0.0:
            islands.mark(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE])), IslandFlag.PRESSED)
    if w.control[Control.UNITED] != 0:
        for i in range(w.part.shape[0]):
            if w.part[i] == Part.PRESSED_PART:
                islands.mark(w, i, IslandFlag.PRESSED)


@kernel
def sort_out(m, s, w):
    """Judge each island by itself and write Work.part: KEPT_PART, REDONE_PART, pressed_from(0), or -1 for islands that
    begin with the last resort. Write the number of kept bodies to Control.OTHERS."""
    c = w.control
    x = w.number
    tally.clear(w)
    edges.at_time(m, w, x[Number.NEXT])
    tally.add_motion(m, s, w, w.next_pose, w.next_velocity, x[Number.DT])
    tally.add_gaps(m, w)
    tally.add_stored(m, w, 1.0, Tally.STORED)
    tally.add_change(m, w, 1.0, w.next_pose, w.next_velocity)
    refill(m, s, w)
    tally.add_change(m, w, -1.0, s.pose, s.velocity)
    mark_failed(m, w)
    last = not may_follow(c)
    c[Control.OTHERS] = 0
    for i in range(w.part.shape[0]):
        r = islands.root_of(w, i)
        if w.island[r, 1] & IslandFlag.FAILED == 0:
            w.part[i] = Part.KEPT_PART
            c[Control.OTHERS] += 1
        elif last or not is_fit(m, w, r):
            w.part[i] = -1
        elif w.island[r, 1] & IslandFlag.PRESSED:
            w.part[i] = pressed_from(0)
        else:
            w.part[i] = Part.REDONE_PART


@kernel
def refill(m, s, w):
    """Set Number.NOW to the start of the step and Control.PART to ALL_PARTS. Fill all edges and springs there, and
    write the gap, and energies that are not yet known, to Work.number."""
    w.number[Number.NOW] = w.number[Number.TIME]
    w.control[Control.PART] = Part.ALL_PARTS
    measuring.refresh(m, s, w)


@kernel
def crosses_limits(w):
    """Return whether an island of the pass violates a limit, of which the integrator's own substep takes no account.
    Such islands have been marked as pressed (links/limits.look)."""
    found = False
    for i in range(w.part.shape[0]):
        found = found or (islands.takes_part(w, i) and w.island[islands.root_of(w, i), 1] & IslandFlag.PRESSED != 0)
    return found


@inline
def is_fit(m, w, r):
    """Return whether shorter steps may help the island that body r represents. Springs must not throw it. If the scene
    has links, or if the island is stepped at first order, it must also rotate fast: a straight line between two hooks
    fails in shorter steps, too."""
    angle = acceptance.FAST / w.number[Number.DT]
    fast = w.tally[r, Tally.FASTEST_BEFORE] > angle * angle
    fast = fast or (w.tally[r, Tally.FASTEST] > angle * angle and w.tally[r, Tally.WILD] == 0.0)
    own = tally.limit_of(w.control) > 0.0 and w.island[r, 1] & IslandFlag.PRESSED == 0
    may = fast or (m.links.shape[0] == 0 and own)
    return may and not tally.is_thrown(w, r, acceptance.ENERGY_SHARE)


@inline
def may_follow(c):
    """Return whether substeps of the integrator may succeed: not in the kinematic order, and not where links are taut
    or released."""
    return c[Control.ORDER] != Order.KINEMATIC and c[Control.TIGHT] == 0 and c[Control.RELEASED] == 0


@kernel
def mark_failed(m, w):
    """Mark islands as failed in Work.island: those that are not finite, open or too fast. If there are none, mark those
    that gain energy. If there are none either, mark all islands, because their sum may be bad."""
    found = mark_bad(w, False)
    if not found:
        found = mark_bad(w, True)
    if not found:
        for i in range(w.island.shape[0]):
            w.island[islands.root_of(w, i), 1] |= IslandFlag.FAILED


@kernel
def mark_bad(w, by_energy):
    """Mark as failed the islands whose sums in Work.tally are not finite, have a gap, rotate too fast or, with
    `by_energy`, gain energy. Return whether there are any."""
    c = w.control
    x = w.number
    dynamic = c[Control.ORDER] != Order.KINEMATIC
    angle = acceptance.SPIN_LIMIT / x[Number.DT]
    found = False
    for r in range(w.island.shape[0]):
        if w.island[r, 0] != r:
            continue
        t = w.tally
        bad = (
            w.island[r, 1] & IslandFlag.FAILED != 0
            or t[r, Tally.WILD] != 0.0
            or not t[r, Tally.WIDEST] <= acceptance.gap_limit(c)
        )
        if dynamic:
            bad = bad or t[r, Tally.FASTEST] > angle * angle
            if by_energy:
                bad = (
                    bad
                    or t[r, Tally.GAINED]
                    > acceptance.ENERGY_SHARE * (t[r, Tally.KINETIC_SUM] + t[r, Tally.KINETIC_BEFORE]) + 1e-9
                )
        if bad:
            w.island[r, 1] |= IslandFlag.FAILED
            found = True
    return found


@kernel
def keep(m, s, w):
    """Commit the accepted islands, whose work of contacts is in Number.STEP_CONTACT_WORK, and begin the first pass for
    the others. Return SUBSTEP, or DONE if none is redone."""
    c = w.control
    x = w.number
    c[Control.PART] = Part.KEPT_PART
    composed = spans.is_composed(c)
    if composed:
        set_means_aside(s, w)
    all_forces.clear(m, s, w)
    if composed:
        # of the first four of its five steps
        bring_means_back(m, s, w)
    joint_forces.start_means(w)
    if c[Control.OTHERS] != 0:
        edges.at_time(m, w, x[Number.NEXT])
        edges.fill_edges(m, s, w, w.next_pose, w.rotation, w.gap)
        take_kept_work(m, s, w)
        acceptance.commit(m, s, w)
        x[Number.WORK] += x[Number.STEP_WORK]
        x[Number.CONTACT_WORK] += x[Number.STEP_CONTACT_WORK]
    x[Number.H] = x[Number.DT]
    all_forces.start(m, s, w)
    c[Control.PARTED] = 1
    c[Control.STALE] = 0
    if has_part(w, Part.REDONE_PART):
        begin(m, s, w, 0, 0)
        return Request.SUBSTEP
    return next_pass(m, s, w)


@kernel
def take_kept_work(m, s, w):
    """Set Number.STEP_WORK to the work [J] of the kept islands in the step, and LIMIT_STEP_WORK to that of their
    limits. Set DRIVE_WORK to 0, because STEP_WORK contains the work of their drives."""
    x = w.number
    x[Number.STEP_WORK] = 0.0
    x[Number.LIMIT_STEP_WORK] = 0.0
    x[Number.DRIVE_WORK] = 0.0
    for i in range(w.given.shape[0]):
        if islands.takes_part(w, i):
            x[Number.STEP_WORK] += w.given[i]
    for l in range(w.limit.shape[0]):
        if islands.takes_part(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE]))):
            x[Number.STEP_WORK] += w.limit[l, LimitWork.DONE]
            x[Number.LIMIT_STEP_WORK] += w.limit[l, LimitWork.DONE]


@kernel
def has_part(w, part):
    """Return whether Work.part of some body is `part`."""
    found = False
    for i in range(w.part.shape[0]):
        found = found or w.part[i] == part
    return found


@kernel
def count_others(w):
    """Write the number of bodies that are not redone to Control.OTHERS."""
    others = 0
    for i in range(w.part.shape[0]):
        if w.part[i] != Part.REDONE_PART:
            others += 1
    w.control[Control.OTHERS] = others


# ---------------------------------------------------------------- a pass in substeps of the integrator
@kernel
def begin(m, s, w, first_order, tick):
    """Begin a pass of the integrator from this tick of the step on, or with `first_order` = 1 a pass of `implicit`, for
    the bodies with REDONE_PART. Set its switches and sums, measure the state, and choose the length of its first
    substep."""
    c = w.control
    x = w.number
    if c[Control.PHASE] == Phase.WHOLE_STEP:
        c[Control.SUBSTEPPED] += 1
    else:
        c[Control.STALE] = 1
    c[Control.PHASE] = Phase.FOLLOWING
    c[Control.PART] = Part.REDONE_PART
    c[Control.FIRST_ORDER] = first_order
    c[Control.FORWARD] = 0
    count_others(w)
    acceptance.clear_sums(w)
    c[Control.PASS_TICK] = tick
    c[Control.TICK] = tick
    c[Control.SUBSTEP_TICKS] = TICKS
    x[Number.NOW] = x[Number.TIME] + x[Number.DT] * tick / TICKS
    c[Control.FRESH] = 0
    measuring.refresh(m, s, w)
    if first_order == 0:
        shorten(w, worst_error(w, limit_now(c), x[Number.DT]))
    else:
        all_forces.start(m, s, w)
        shorten(w, tally.raised(c, x[Number.DT] * x[Number.SPIN] / FOLLOWED_SPIN))
    while tick % c[Control.SUBSTEP_TICKS] != 0:
        c[Control.SUBSTEP_TICKS] //= 2
    remember_contacts(w)
    begin_substep(s, w)


@inline
def remember_contacts(w):
    """Write the work of contacts in the pass before the present substep to Number.CONTACT_WORK_BEFORE and
    CONTACT_GAIN_BEFORE, so that a repeated substep counts once (contacts/newton.conclude)."""
    w.number[Number.CONTACT_WORK_BEFORE] = w.number[Number.STEP_CONTACT_WORK]
    w.number[Number.CONTACT_GAIN_BEFORE] = w.number[Number.CONTACT_GAIN]


@inline
def limit_now(c):
    """Return the largest DEFECT, relative to the kinetic energy, that the present substep may leave; 0 where it is of
    first order. `c` is Work.control."""
    return 0.0 if c[Control.FIRST_ORDER] != 0 else tally.limit_of(c)


@kernel
def begin_substep(s, w):
    """Keep the work done so far in Number.WORK_BEFORE and LIMIT_WORK_BEFORE, and begin the span of the substep. Set the
    means aside if the span is composed."""
    c = w.control
    x = w.number
    x[Number.WORK_BEFORE] = x[Number.STEP_WORK]
    x[Number.LIMIT_WORK_BEFORE] = x[Number.LIMIT_STEP_WORK]
    x[Number.SUNK] = 0.0
    c[Control.MEASURED] = 0
    spans.begin(
        s, w, x[Number.TIME] + x[Number.DT] * c[Control.TICK] / TICKS, x[Number.DT] * c[Control.SUBSTEP_TICKS] / TICKS
    )
    if spans.is_composed(c):
        set_means_aside(s, w)


@inline
def worst_error(w, limit, h):
    """Return the largest error of a step of h seconds over the islands of the pass, where 1 is just acceptable. The
    error of an island is the ratio of DEFECT to its limit. If the island turns x times as far as permitted, its error
    is at least the growth of DEFECT in a step x times as long. If a number is not finite, the result is infinite."""
    worst = 0.0
    most = acceptance.SPIN_LIMIT if limit > 0.0 else FOLLOWED_SPIN
    for r in range(w.island.shape[0]):
        if w.island[r, 0] == r and islands.takes_part(w, r):
            turned = h * math.sqrt(w.tally[r, Tally.FASTEST]) / most
            if turned > 1.0:
                worst = max(worst, tally.raised(w.control, turned))
            if limit > 0.0:
                worst = max(worst, tally.error_of(w, r, limit))
            if w.tally[r, Tally.WILD] != 0.0:
                worst = math.inf
    return worst


@kernel
def shorten(w, error):
    """Halve Control.SUBSTEP_TICKS once, and then until the expected error is at most 1 or the substep has one tick."""
    c = w.control
    ratio = tally.raised(c, 0.5)
    c[Control.SUBSTEP_TICKS] //= 2
    if error < math.inf:
        error *= ratio
        while error > 1.0 and c[Control.SUBSTEP_TICKS] > 1:
            c[Control.SUBSTEP_TICKS] //= 2
            error *= ratio


@kernel
def judge(m, s, w):
    """Commit the result of a substep in Work.next_pose and Work.next_velocity, or take it back (`take_substep_back`).
    Return SUBSTEP if another substep follows, in this pass or the next, and DONE at the end of the step."""
    c = w.control
    x = w.number
    hold_others(m, s, w)
    crossed = c[Control.FIRST_ORDER] == 0 and crosses_limits(w)
    gap, where, kinetic, height, elastic, spin = measuring.measure(m, s, w, w.next_pose, w.next_velocity)
    energy = kinetic + height + elastic
    h = x[Number.DT] * c[Control.SUBSTEP_TICKS] / TICKS
    error = error_of_substep(m, s, w, h)
    share = acceptance.ENERGY_SHARE * c[Control.SUBSTEP_TICKS] / TICKS
    most = x[Number.ENERGY] + given(m, s, w) + share * (x[Number.KINETIC] + kinetic) + 1e-9
    sound = gap <= acceptance.gap_limit(c) and math.isfinite(energy) and h * spin <= acceptance.SPIN_LIMIT
    sound = sound and not crossed and c[Control.TIGHT] == 0 and energy <= most
    if sound and (error <= 1.0 or c[Control.SUBSTEP_TICKS] == 1):
        acceptance.remember_energies(w, gap, where, kinetic, height, elastic, spin)
        return accept_substep(m, s, w, error)
    return take_substep_back(m, s, w, error, h, crossed)


@kernel
def error_of_substep(m, s, w, h):
    """Write the sums of a substep of h seconds to Work.tally. Return its largest error over the islands of the pass,
    where 1 is just acceptable. In a pass of first order, the depth to which contacts sink in counts as an error,
    too."""
    c = w.control
    tally.clear(w)
    tally.add_motion(m, s, w, w.next_pose, w.next_velocity, h)
    tally.add_gaps(m, w)
    tally.add_stored(m, w, 1.0, Tally.STORED)
    error = worst_error(w, limit_now(c), h)
    if c[Control.FIRST_ORDER] != 0:
        error = max(error, tally.raised(c, math.sqrt(max(0.0, w.number[Number.SUNK]) / SINKS)))
    return error


@kernel
def accept_substep(m, s, w, error):
    """Commit the substep and begin the next one, longer where `error` allows it. Return SUBSTEP, or at the end of the
    step the result of `next_pass`."""
    c = w.control
    acceptance.commit(m, s, w)
    w.number[Number.NOW] = w.number[Number.NEXT]
    c[Control.TICK] += c[Control.SUBSTEP_TICKS]
    c[Control.STALE] = 1
    if c[Control.TICK] == TICKS:
        return next_pass(m, s, w)
    lengthen(c, error)
    remember_contacts(w)
    begin_substep(s, w)
    return Request.SUBSTEP


@kernel
def take_substep_back(m, s, w, error, h, crossed):
    """Go back to the start of the substep of h seconds. If a limit was violated (`crossed`), if links were taut, or if
    the substep was the shortest, the islands that failed leave the pass, and the others repeat the substep. Otherwise
    begin a shorter one, whose length follows from `error` (1: just acceptable). Return SUBSTEP, or the result of
    `next_pass` if no island is left."""
    c = w.control
    x = w.number
    go_back(m, s, w)
    if crossed or c[Control.TIGHT] != 0 or c[Control.SUBSTEP_TICKS] == 1:
        leave(m, s, w, h, crossed)
        if not has_part(w, Part.REDONE_PART):
            x[Number.STEP_CONTACT_WORK] = x[Number.CONTACT_WORK_BEFORE]
            return next_pass(m, s, w)
        count_others(w)
    else:
        shorten(w, error)
    x[Number.NOW] = x[Number.TIME] + x[Number.DT] * c[Control.TICK] / TICKS
    c[Control.FRESH] = 0
    measuring.refresh(m, s, w)
    begin_substep(s, w)
    return Request.SUBSTEP


@kernel
def given(m, s, w):
    """Return the work [J] of loads, grabs and drives in the present substep, which bounds the rise of the energy. In a
    pass of first order, add the work of limits and contacts."""
    x = w.number
    work = x[Number.STEP_WORK] + all_forces.work_done(m, s, w) - x[Number.WORK_BEFORE]
    if w.control[Control.FIRST_ORDER] == 0:
        return work
    gain = x[Number.CONTACT_GAIN] - x[Number.CONTACT_GAIN_BEFORE]
    limits = x[Number.LIMIT_STEP_WORK] - x[Number.LIMIT_WORK_BEFORE]
    if x[Number.PUSH_MOST] != 0.0 and w.control[Control.SIGNALED] == 0:
        work -= max(0.0, limits - max(0.0, x[Number.PUSH_MOST] - gain))
    return work + gain - min(limits, 0.0)


@kernel
def lengthen(c, error):
    """Double Control.SUBSTEP_TICKS where the error allows it and the substep then begins at a multiple of its
    length."""
    twice = 2 * c[Control.SUBSTEP_TICKS]
    if error * ROOM * tally.raised(c, 2.0) < 1.0 and c[Control.TICK] % twice == 0 and twice < TICKS:
        c[Control.SUBSTEP_TICKS] = twice


@kernel
def go_back(m, s, w):
    """Go back to the start of the substep: take back its work, and if it was composed, restore State and the means."""
    if spans.is_composed(w.control):
        spans.restore(s, w)
        bring_means_back(m, s, w)
    take_back(m, s, w)


@kernel
def leave(m, s, w, h, crossed):
    """Write to Work.part which islands leave the pass at the present tick. Those that violate a limit (with `crossed`)
    then wait for substeps of first order, those that fail in a substep of h seconds for the last resort. If no island
    does either, all islands of the pass wait for the last resort."""
    c = w.control
    tick = c[Control.TICK]
    angle = acceptance.SPIN_LIMIT / h
    left = 0
    for i in range(w.part.shape[0]):
        if not islands.takes_part(w, i):
            continue
        r = islands.root_of(w, i)
        t = w.tally
        bad = (
            t[r, Tally.WILD] != 0.0
            or not t[r, Tally.WIDEST] <= acceptance.gap_limit(c)
            or t[r, Tally.FASTEST] > angle * angle
        )
        if crossed and w.island[r, 1] & IslandFlag.PRESSED and c[Control.TIGHT] == 0:
            w.part[i] = pressed_from(tick)
            left += 1
        elif bad:
            w.part[i] = -1 - tick
            left += 1
    if left == 0:
        for i in range(w.part.shape[0]):
            if islands.takes_part(w, i):
                w.part[i] = -1 - tick


@kernel
def set_means_aside(s, w):
    """Copy the mean forces of joints, grabs and drives to their columns ASIDE in Work. `rattle4` adds to the means in
    each of its five steps, and these can then be taken back."""
    joint_forces.set_means_aside(w)
    for g in range(w.control[Control.GRABS]):
        for k in range(6):
            w.pull[g, Pulls.ASIDE_PULL + k] = s.grab[g, Grabs.FORCE + k]
    if w.control[Control.DRIVEN] != 0:
        for r in range(w.drive.shape[0]):
            for k in range(3):
                w.drive[r, DriveWork.ASIDE + k] = s.drive[r, Drives.MEAN + k]


@kernel
def bring_means_back(m, s, w):
    """Restore the mean forces of joints, grabs and drives of the present pass from the columns ASIDE."""
    joint_forces.bring_means_back(m, w)
    for g in range(w.control[Control.GRABS]):
        if s.grab[g, Grabs.BODY] >= 0.0 and islands.takes_part(w, int(s.grab[g, Grabs.BODY])):
            for k in range(6):
                s.grab[g, Grabs.FORCE + k] = w.pull[g, Pulls.ASIDE_PULL + k]
    if w.control[Control.DRIVEN] != 0:
        for r in range(w.drive.shape[0]):
            if islands.takes_part(w, drives.moved_by(m, s, r)):
                for k in range(3):
                    s.drive[r, Drives.MEAN + k] = w.drive[r, DriveWork.ASIDE + k]


# ---------------------------------------------------------------- from pass to pass
@inline
def pressed_from(tick):
    """Return the value of Work.part for islands that wait for a pass in substeps of first order from this tick on."""
    return -1 - TICKS - tick


@kernel
def next_pass(m, s, w):
    """End the present pass, and begin the next one for the islands that have waited since the earliest tick: first in
    substeps of first order, then by the last resort. Return SUBSTEP, or DONE if none waits."""
    c = w.control
    if c[Control.PHASE] == Phase.FOLLOWING:
        w.number[Number.WORK] += w.number[Number.STEP_WORK]
        w.number[Number.CONTACT_WORK] += w.number[Number.STEP_CONTACT_WORK]
    first = TICKS
    pressed = TICKS
    for i in range(w.part.shape[0]):
        if w.part[i] == Part.REDONE_PART:
            w.part[i] = Part.KEPT_PART
        if w.part[i] <= pressed_from(0):
            pressed = min(pressed, pressed_from(0) - w.part[i])
        elif w.part[i] < 0:
            first = min(first, -1 - w.part[i])
    if pressed < TICKS:
        for i in range(w.part.shape[0]):
            if w.part[i] == pressed_from(pressed):
                w.part[i] = Part.REDONE_PART
        begin(m, s, w, 1, pressed)
        return Request.SUBSTEP
    if first == TICKS:
        finish(m, s, w)
        return Request.DONE
    for i in range(w.part.shape[0]):
        if w.part[i] == -1 - first:
            w.part[i] = Part.REDONE_PART
    if c[Control.PHASE] != Phase.LAST_RESORT:
        c[Control.REDONE] += 1
    c[Control.PHASE] = Phase.LAST_RESORT
    c[Control.PART] = Part.REDONE_PART
    c[Control.FIRST_ORDER] = 1
    count_others(w)
    acceptance.clear_sums(w)
    last_resort.begin(m, s, w, first)
    return Request.SUBSTEP


@kernel
def finish(m, s, w):
    """End the step: reset the switches of passes in Work.control, and measure the whole world."""
    c = w.control
    x = w.number
    if c[Control.PHASE] == Phase.FOLLOWING:
        acceptance.go_on_well(w)
    # what is asked between steps has to do with no substep
    c[Control.PHASE] = Phase.WHOLE_STEP
    c[Control.PART] = Part.ALL_PARTS
    c[Control.PARTED] = 0
    c[Control.UNITED] = 0
    c[Control.OTHERS] = 0
    c[Control.STALE] = 0
    c[Control.TICK] = 0
    c[Control.STAGE] = spans.FIRST_STAGE
    x[Number.H] = x[Number.DT]
    x[Number.NOW] = x[Number.TIME] + x[Number.DT]
    c[Control.FRESH] = 0
    measuring.refresh(m, s, w)


@kernel
def hush(m, s, w):
    """Set Work.force, and d and b in Work.row, to zero for the bodies that take no part in the pass. Their stops get no
    impulse, and their limits are marked as taken, so that no row is made for them."""
    n = m.topology.shape[0]
    for e in range(n + m.links.shape[0]):
        if islands.takes_part(w, islands.child_of(m, e)):
            continue
        store3(w.row, e, Rows.PUSH, ZERO3)
        store3(w.row, e, Rows.RIGHT_HAND_SIDE, ZERO3)
        store3(w.row, e, Rows.RIGHT_HAND_SIDE + 3, ZERO3)
        if e < n:
            for k in range(w.force.shape[1]):
                w.force[e, k] = 0.0
    for r in range(w.control[Control.STOPS]):
        if not islands.takes_part(w, int(w.stop[r, Stops.CHILD])):
            w.stop[r, Stops.WANTED] = NEVER
            w.stop[r, Stops.CENTRE] = 0.0
    for l in range(s.limit.shape[0]):
        if not islands.takes_part(w, islands.child_of(m, int(s.limit[l, HardLimits.EDGE]))):
            w.limit[l, LimitWork.TAKEN] = 1.0
