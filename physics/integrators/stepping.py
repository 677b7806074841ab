"""The start of a step, the guard's judgement, and the end of a step, for every integrator.

This is a separate unit. The driver calls it for one task at a time, given by Control.STEP_TASK."""

import math

from physics.bodies import kinds as body_kinds
from physics.compiler.jit import entry, inline, kernel
from physics.data.step_tables import (
    SCHEME_LEAVES_CONTACTS, Control, LinkError, Number, Order, Part, Phase, Request, Status, StepTask, Verdict,
)  # fmt: skip
from physics.forces import all_forces
from physics.integrators import acceptance, measuring, spans
from physics.integrators.spans import is_composed


@entry("msw", "i")
def attend(m, s, w):
    """Do the task in Control.STEP_TASK. Return a `Verdict` for JUDGE, and DONE for all others. A REJECTED step must be
    redone (`redoing.redo`)."""
    c = w.control
    if c[Control.STEP_TASK] == StepTask.REFRESH:
        if body_kinds.are_finite(s.pose) and body_kinds.are_finite(s.velocity):
            refresh(m, s, w)
        else:
            c[Control.STATUS] = Status.NOT_FINITE
        return Request.DONE
    if c[Control.STEP_TASK] == StepTask.BEGIN_STEP:
        begin_step(m, s, w)
        return Request.DONE
    if c[Control.STEP_TASK] == StepTask.PASS_BY:
        # nothing moves
        return end_step(w)
    if c[Control.STEP_TASK] == StepTask.START_FIRST_ORDER:
        # as a pass that keeps to contacts and limits
        if is_composed(c):
            spans.restore(s, w)
        c[Control.FIRST_ORDER] = 1
        acceptance.start_again(m, s, w)
        return Request.DONE
    if c[Control.STEP_TASK] == StepTask.START_OVER:
        acceptance.start_again(m, s, w)
        return Request.DONE
    if acceptance.judge(m, s, w):
        end_step(w)
        return Verdict.ACCEPTED
    return Verdict.REJECTED


@kernel
def refresh(m, s, w):
    """Fill and measure the present state. If the user has changed something since the last measurement (gravity, a
    stiffness, a pose, a velocity, an impulse), add the change of energy to Number.WORK."""
    x = w.number
    before = x[Number.ENERGY]
    changed = w.control[Control.FRESH] == 0 and math.isfinite(before)
    measuring.refresh(m, s, w)
    if changed:
        x[Number.WORK] += x[Number.ENERGY] - before


@kernel
def begin_step(m, s, w):
    """Clear the sums, switches and error states of the step in Work, prepare the forces, and begin the first span."""
    c = w.control
    x = w.number
    c[Control.PHASE] = Phase.WHOLE_STEP
    c[Control.FOLLOWED] = 0
    c[Control.MEASURED] = 0
    x[Number.START_ENERGY] = x[Number.ENERGY]
    x[Number.FORCE_SCALE] = 0.0
    x[Number.STEP_WORK] = 0.0
    x[Number.SUNK] = 0.0
    # no link is in an error state, but those that are released
    c[Control.RELEASED] = 0
    for e in range(w.auxiliary.error_state.shape[0]):
        w.auxiliary.error_state[e] = 0
    for e in range(s.pose.shape[0], s.released.shape[0]):
        if s.released[e, 0] != 0.0:
            w.auxiliary.error_state[e] = LinkError.RELEASED
            c[Control.RELEASED] += 1
    all_forces.start(m, s, w)
    c[Control.PARTED] = 0
    c[Control.UNITED] = 0
    c[Control.PART] = Part.ALL_PARTS
    c[Control.TIGHT] = 0
    c[Control.FORWARD] = 0
    if c[Control.LIMITS_HELD] != 0 and leaves_limits_out(c):
        c[Control.FIRST_ORDER] = 1
    spans.begin(s, w, x[Number.TIME], x[Number.DT])


@inline
def leaves_limits_out(c):
    """Return whether the figure has hard limits of which the integrator's own step takes no account
    (integrators/README.md). `c` is Work.control."""
    return c[Control.HARD_LIMITED] != 0 and is_higher(c)


@inline
def is_higher(c):
    """Return whether the integrator leaves contacts and limits to `implicit`. `c` is Work.control."""
    return c[Control.ORDER] != Order.KINEMATIC and SCHEME_LEAVES_CONTACTS[c[Control.INTEGRATOR]]


@kernel
def end_step(w):
    """Advance Control.STEP by one and Number.TIME and NOW by one step. Return DONE."""
    w.control[Control.STEP] += 1
    w.number[Number.TIME] += w.number[Number.DT]
    w.number[Number.NOW] = w.number[Number.TIME]
    return Request.DONE
