"""A step that the guard rejected, redone: a unit of its own, as it is half of the guard. The driver asks for one of the
tasks below, by Work.control[Control.TASK]."""

from physics.compiler.jit import entry
from physics.data.step_tables import Control, Phase, Request, StepTask
from physics.integrators import following, last_resort
from physics.integrators.stepping import end_step


@entry
def redo(m, s, w):
    """The next request of the present pass; AGAIN where a substep of the integrator comes first; DONE at the end of the
    step."""
    task = w.control[Control.TASK]
    if task == StepTask.TIE:
        following.tie(m, s, w)
        return Request.DONE
    if task == StepTask.SORT_OUT:
        following.sort_out(m, s, w)
        return Request.DONE
    if task == StepTask.HUSH:
        following.hush(m, s, w)
        return Request.DONE
    if task == StepTask.KEEP:
        request = following.keep(m, s, w)
    elif w.control[Control.PHASE] == Phase.FOLLOWING:
        request = following.judge(m, s, w)
    else:
        request = last_resort.advance(m, s, w)
        if request == Request.DONE:
            request = following.next_pass(m, s, w)
    return request if request != Request.DONE else end_step(w)
