"""How a rejected step is redone: which functions the driver calls, and in which order. `integrators.redoing` has the
method."""

from physics.compiler.jit import kernel
from physics.data.step_tables import Control, Order, Phase, Request
from physics.driver.calls import (
    count_kept_work, detect, integrate, integrate_first_order, keep_accepted, look_at_limits, measure_sinking, redo,
    sort_out, tie_islands, tie_touching,
)  # fmt: skip
from physics.driver.run import has_shapes, in_pass_of_integrator, touches
from physics.integrators import stepping


@kernel
def start_redoing(run):
    """Commit those islands of a rejected step that are good, and begin to redo the others. Return the first request, or
    DONE if none is needed."""
    tie_islands(run)
    if has_shapes(run):
        tie_touching(run)
    sort_out(run)
    if has_shapes(run):
        count_kept_work(run)
    request = keep_accepted(run)
    return go_on_redoing(request, run)


@kernel
def go_on_redoing(request, run):
    """Return the next request of a step that is redone, by the integrator in substeps or by the last resort. If
    `request` is SUBSTEP, a substep begins or continues; any other request is returned unchanged. If bodies have moved
    since contacts were last detected, detect them again. If the arrays have no room for the contacts, interrupt the
    step (Control.LACKING), and return DONE."""
    control = run.control
    while request == Request.SUBSTEP:
        if control[Control.STALE] != 0 and not in_pass_of_integrator(run) and has_shapes(run):
            if not detect(run):
                control[Control.LACKING] = 1
                return Request.DONE
            control[Control.STALE] = 0
        if control[Control.PHASE] == Phase.FOLLOWING:
            request = integrate(run) if in_pass_of_integrator(run) else integrate_first_order(run)
            if request != Request.DONE:
                return request
            if control[Control.HARD_LIMITED] != 0 and in_pass_of_integrator(run) and stepping.is_higher(control):
                look_at_limits(run)
        if control[Control.PHASE] == Phase.FOLLOWING and not in_pass_of_integrator(run):
            look_for_sinking(run)
        request = redo(run)
    return request


@kernel
def look_for_sinking(run):
    """Measure how deeply bodies have sunk into each other at contacts, and write the result to Number.SUNK for the
    guard."""
    if touches(run) and run.control[Control.ORDER] != Order.KINEMATIC:
        measure_sinking(run)
