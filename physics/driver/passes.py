"""A step in two passes. In the first, the chosen integrator steps the islands that touch nothing and press on no limit.
In the second, `implicit` steps the others (`integrators.parting`)."""

from physics.compiler.jit import kernel
from physics.data.step_tables import Control, Request
from physics.driver.calls import (
    divide, exchange_parts, integrate, integrate_first_order, join_islands, join_struck, look_at_limits, mark_touching,
    start_first_order, start_over, unite_parts,
)  # fmt: skip
from physics.driver.run import touches
from physics.integrators import parting


@kernel
def divide_step(run):
    """Divide a step that would begin with `implicit` into two passes, if some but not all islands touch something or
    press on limits. In that case, set Control.FIRST_ORDER to 0: the integrator first steps the other islands."""
    join_islands(run)
    if touches(run):
        mark_touching(run)
    divide(run)
    if run.control[Control.PARTED] != 0:
        run.control[Control.FIRST_ORDER] = 0


@kernel
def go_over(run):
    """Examine limits after the integrator's pass. Return DONE if no island presses on limits or touches something. If
    some do, begin the pass of `implicit` for them. If these are more islands than were known before, begin the
    integrator's pass again instead. In both cases, return the first request of the pass."""
    control = run.control
    several = parting.may_part(control)
    if control[Control.HARD_LIMITED] != 0:
        if several and control[Control.PARTED] == 0:
            join_islands(run)
        look_at_limits(run)
    elif control[Control.PARTED] == 0:
        return Request.DONE
    if control[Control.PARTED] == 0 and control[Control.LIMITS_CROSSED] == 0:
        return Request.DONE
    if several:
        changed = divide(run)
        if control[Control.PARTED] != 0 and changed != 0:
            start_over(run)
            return integrate(run)
        if control[Control.PARTED] != 0:
            exchange_parts(run)
    start_first_order(run)
    return integrate_first_order(run)


@kernel
def unite(run):
    """Unite the results of both passes after the pass of `implicit`, and return DONE. If, however, contacts of the
    second pass press on bodies of the first, begin both passes again, and return their first request."""
    if touches(run) and join_struck(run) != 0:
        return step_anew(run)
    unite_parts(run)
    return Request.DONE


@kernel
def step_anew(run):
    """Begin both passes of a step again. Return the first request. This cannot go on for ever, because each time
    `implicit` gets more bodies."""
    divide(run)
    if run.control[Control.PARTED] != 0:
        run.control[Control.FIRST_ORDER] = 0
        start_over(run)
        return integrate(run)
    start_first_order(run)
    return integrate_first_order(run)
