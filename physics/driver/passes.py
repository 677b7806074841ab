"""A step in two passes. `implicit` steps the islands that touch something or press on a limit; the chosen integrator
steps the others (`integrators.parting`).
"""

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
    """Divide a step that begins with `implicit` into passes. Where only some islands touch something or press on
    limits, set Control.FIRST_ORDER to 0: the integrator steps the others first."""
    join_islands(run)
    if touches(run):
        mark_touching(run)
    divide(run)
    if run.control[Control.PARTED] != 0:
        run.control[Control.FIRST_ORDER] = 0


@kernel
def go_over(run):
    """Examine limits after the integrator's pass. Return the first request of a pass of `implicit` for islands that
    press on limits or touch something; that of the integrator's pass once more, where more islands than before are now
    known to do so; or DONE where none does."""
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
    """Unite the results of both passes after that of `implicit`. Return DONE; but where contacts of the second pass
    press on bodies of the first, return the first request of both passes once more."""
    if touches(run) and join_struck(run) != 0:
        return step_anew(run)
    unite_parts(run)
    return Request.DONE


@kernel
def step_anew(run):
    """Begin both passes of a step once more. The part of `implicit` only grows, so that this ends. Return the first
    request."""
    divide(run)
    if run.control[Control.PARTED] != 0:
        run.control[Control.FIRST_ORDER] = 0
        start_over(run)
        return integrate(run)
    start_first_order(run)
    return integrate_first_order(run)
