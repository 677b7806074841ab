"""A step that the guard rejected, redone in substeps: a unit of its own, as it is half of the guard."""

from physics.integrators import guard
from physics.integrators.stepping import end_step, is_composed, restore
from physics.kernels.jit import entry
from physics.layout import DONE, PHASE


@entry
def redo(m, s, w):
    """The next request of the step that is redone, from its start where none has been made; DONE at its end."""
    if w.control[PHASE] == 0:
        if is_composed(w.control):
            restore(s, w)
        guard.start_redo(m, s, w)
    request = guard.redo(m, s, w)
    return request if request != DONE else end_step(w)
