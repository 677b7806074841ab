"""The clock of the anticipation: it measures the time of each step of the method, if steps are timed."""

from physics.compiler.clock import ticks
from physics.compiler.jit import inline, kernel
from physics.data.step_tables import Control
from physics.data.work_tables import Clock


@inline
def going(w, request, step):
    """If the steps of the anticipation are timed, start the clock of `step` (an `AnticipationStep`). Return `request`
    unchanged, for the mode."""
    if w.control[Control.TIMED] != 0:
        tick(w, step)
    return request


@inline
def came(w, step):
    """Start the time of `step`, which follows an answer of the mode, if steps are timed."""
    if w.control[Control.TIMED] != 0:
        tick(w, step)


@kernel
def tick(w, step):
    """Add the time since the last tick to the running step in Work.clock, and make `step` the running one."""
    now = ticks()
    w.clock[w.clock[Clock.RUNNING_STEP]] += now - w.clock[Clock.LAST_TICK]
    w.clock[Clock.LAST_TICK] = now
    w.clock[Clock.RUNNING_STEP] = step
