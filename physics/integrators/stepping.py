"""What stands around an integrator in every step: its start, the guard's judgement, its end.

A unit of its own: the driver asks for one of the tasks below, by Work.control[TASK].
"""

import math

from physics import drives, fill
from physics.integrators import guard, spans
from physics.integrators.spans import is_composed
from physics.kernels.jit import entry, inline, kernel
from physics.layout import (
    ALL_PARTS, BEGIN_STEP, DONE, DT, ENERGY, FIRST_ORDER, FOLLOWED, FORCE_SCALE, FORWARD, FRESH, HARD_LIMITED,
    INTEGRATOR, KINEMATIC, LET_GO, LIMITS_HELD, LOOSE, MEASURED, NOT_FINITE, NOW, ORDER, PART, PARTED, PASS_BY, PHASE,
    RATTLE, RATTLE4, REFRESH, REJECTED, RK4, START_AGAIN, START_ENERGY, START_OVER, STATUS, STEP, STEP_WORK, SUNK, TASK,
    TIGHT, TIME, TRBDF2, UNITED, WHOLE_STEP, WORK,
)  # fmt: skip


@entry
def attend(m, s, w):
    """One task. Returns DONE, or REJECTED for a step that must be redone (`redoing.redo`)."""
    c = w.control
    if c[TASK] == REFRESH:
        if fill.are_finite(s.pose) and fill.are_finite(s.velocity):
            refresh(m, s, w)
        else:
            c[STATUS] = NOT_FINITE
        return DONE
    if c[TASK] == BEGIN_STEP:
        begin_step(s, w)
        return DONE
    if c[TASK] == PASS_BY:
        # nothing moves
        return end_step(w)
    if c[TASK] == START_AGAIN:
        # as a pass that keeps to contacts and limits
        if is_composed(c):
            spans.restore(s, w)
        c[FIRST_ORDER] = 1
        guard.start_again(m, s, w)
        return DONE
    if c[TASK] == START_OVER:
        guard.start_again(m, s, w)
        return DONE
    return end_step(w) if guard.judge(m, s, w) else REJECTED


@kernel
def refresh(m, s, w):
    """Fill and measure the present state. Where something was changed from outside since it was measured last (gravity,
    a stiffness, a pose, a velocity, an impulse), the energy that this brought or took is work."""
    x = w.number
    before = x[ENERGY]
    changed = w.control[FRESH] == 0 and math.isfinite(before)
    guard.refresh(m, s, w)
    if changed:
        x[WORK] += x[ENERGY] - before


@kernel
def begin_step(s, w):
    c = w.control
    x = w.number
    c[PHASE] = WHOLE_STEP
    c[FOLLOWED] = 0
    c[MEASURED] = 0
    x[START_ENERGY] = x[ENERGY]
    x[FORCE_SCALE] = 0.0
    x[STEP_WORK] = 0.0
    x[SUNK] = 0.0
    # nothing is known to be amiss but what was let go
    c[LOOSE] = 0
    for e in range(w.auxiliary.amiss.shape[0]):
        w.auxiliary.amiss[e] = 0
    for e in range(s.pose.shape[0], s.loose.shape[0]):
        if s.loose[e, 0] != 0.0:
            w.auxiliary.amiss[e] = LET_GO
            c[LOOSE] += 1
    drives.start(s, w)
    c[PARTED] = 0
    c[UNITED] = 0
    c[PART] = ALL_PARTS
    c[TIGHT] = 0
    c[FORWARD] = 0
    if c[LIMITS_HELD] != 0 and leaves_limits_out(c):
        c[FIRST_ORDER] = 1
    spans.begin(s, w, x[TIME], x[DT])


@inline
def leaves_limits_out(c):
    """Whether the integrator's own step does not know the hard limits there are (physics/README.md, "Hard limits")"""
    return c[HARD_LIMITED] != 0 and is_higher(c)


@inline
def is_higher(c):
    """Whether contacts and limits are none of the integrator's own step"""
    code = c[INTEGRATOR]
    return c[ORDER] != KINEMATIC and (code == TRBDF2 or code == RK4 or code == RATTLE or code == RATTLE4)


@kernel
def end_step(w):
    w.control[STEP] += 1
    w.number[TIME] += w.number[DT]
    w.number[NOW] = w.number[TIME]
    return DONE
