"""Redo a step that the guard rejected. This is a separate unit, because it is half of the guard. The driver calls it
for one task at a time, given by Control.REDO_TASK."""

from physics.compiler.jit import entry
from physics.data.step_tables import Control, Phase, Request, RedoTask
from physics.integrators import following, last_resort
from physics.integrators.stepping import end_step


@entry("msw", "i")
def redo(m, s, w):
    """Do the task in Control.REDO_TASK. Return the next request of the present pass, SUBSTEP if a substep of the
    integrator comes first, or DONE if the task makes no request and at the end of the step."""
    task = w.control[Control.REDO_TASK]
    if task == RedoTask.TIE:
        following.tie(m, s, w)
        return Request.DONE
    if task == RedoTask.SORT_OUT:
        following.sort_out(m, s, w)
        return Request.DONE
    if task == RedoTask.HUSH:
        following.hush(m, s, w)
        return Request.DONE
    if task == RedoTask.KEEP:
        request = following.keep(m, s, w)
    elif w.control[Control.PHASE] == Phase.FOLLOWING:
        request = following.judge(m, s, w)
    else:
        request = last_resort.advance(m, s, w)
        if request == Request.DONE:
            request = following.next_pass(m, s, w)
    return request if request != Request.DONE else end_step(w)
