"""A step that the guard rejected, redone: a unit of its own, as it is half of the guard. The driver asks for one of the
tasks below, by Work.control[TASK]."""

from physics.integrators import following, last_resort
from physics.integrators.stepping import end_step
from physics.kernels.jit import entry
from physics.layout import DONE, FOLLOWING, HUSH, KEEP, PHASE, SORT_OUT, TASK, TIE


@entry
def redo(m, s, w):
    """The next request of the present pass; AGAIN where a substep of the integrator comes first; DONE at the end of the
    step."""
    task = w.control[TASK]
    if task == TIE:
        following.tie(m, s, w)
        return DONE
    if task == SORT_OUT:
        following.sort_out(m, s, w)
        return DONE
    if task == HUSH:
        following.hush(m, s, w)
        return DONE
    if task == KEEP:
        request = following.keep(m, s, w)
    elif w.control[PHASE] == FOLLOWING:
        request = following.judge(m, s, w)
    else:
        request = last_resort.advance(m, s, w)
        if request == DONE:
            request = following.next_pass(m, s, w)
    return request if request != DONE else end_step(w)
