"""The clock of the anticipation: the time of each step of the method, where steps are timed."""

from physics.compiler.clock import ticks
from physics.compiler.jit import inline, kernel
from physics.data.step_tables import Control
from physics.data.work_tables import Clock


@inline
def going(w, request, step):
    """Note that the mode now works on a step of the method. Return the request."""
    if w.control[Control.TIMED] != 0:
        tick(w, step)
    return request


@inline
def came(w, step):
    """Note that the mode has answered, and that this step of the method follows."""
    if w.control[Control.TIMED] != 0:
        tick(w, step)


@kernel
def tick(w, step):
    """Add the time since the last tick to the running step, and starts the next one."""
    now = ticks()
    w.clock[w.clock[Clock.RUNNING_STEP]] += now - w.clock[Clock.LAST_TICK]
    w.clock[Clock.LAST_TICK] = now
    w.clock[Clock.RUNNING_STEP] = step
