"""The joint forces of a step until it is accepted. They are in Work.next_wrench. If the wrenches of one solution are
sufficient, they are Work.wrench times Number.FORCE_SCALE instead.

An accepted step, or substep, stores them in State.memory, and the next one starts from them. For a step that some
islands take in substeps (Control.FOLLOWED), Work.mean_wrench holds the mean over the step, which the user reads: the
sum of the impulses of all substeps, divided by the length of the step.
"""

from physics.bodies import islands
from physics.compiler.jit import kernel
from physics.data.step_tables import Control, Number
from physics.data.work_tables import MeanWrench
from physics.maths.columns import copy_scaled


@kernel
def put_forces(w, out, column):
    """Write the joint forces of the step to six columns of `out` (n + k, any), from `column` on."""
    k = w.number[Number.FORCE_SCALE]
    if k != 0.0:
        copy_scaled(w.wrench, 0, k, out, column)
    else:
        copy_scaled(w.next_wrench, 0, 1.0, out, column)


@kernel
def gather_forces(w):
    """Write the joint forces of the step to Work.next_wrench, where passes may exchange them, and set
    Number.FORCE_SCALE to 0."""
    if w.number[Number.FORCE_SCALE] != 0.0:
        put_forces(w, w.next_wrench, 0)
        w.number[Number.FORCE_SCALE] = 0.0


@kernel
def start_means(w):
    """Set Control.FOLLOWED and clear the mean joint wrenches in Work.mean_wrench, at the start of a step that is taken
    in substeps."""
    w.control[Control.FOLLOWED] = 1
    for e in range(w.mean_wrench.shape[0]):
        for k in range(6):
            w.mean_wrench[e, MeanWrench.WRENCH + k] = 0.0


@kernel
def add_to_means(m, w, wrench, span):
    """Add `wrench` (n + k, 6), which acts for the time `span` [s], to the means in Work.mean_wrench, for the edges of
    the present pass. For impulses `span` is 1."""
    share = span / w.number[Number.DT]
    for e in range(w.mean_wrench.shape[0]):
        if islands.takes_part(w, islands.child_of(m, e)):
            for k in range(6):
                w.mean_wrench[e, MeanWrench.WRENCH + k] += share * wrench[e, k]


@kernel
def set_means_aside(w):
    """Copy the mean joint wrenches to the columns MeanWrench.ASIDE of Work.mean_wrench."""
    for e in range(w.mean_wrench.shape[0]):
        for k in range(6):
            w.mean_wrench[e, MeanWrench.ASIDE + k] = w.mean_wrench[e, MeanWrench.WRENCH + k]


@kernel
def bring_means_back(m, w):
    """Restore the mean joint wrenches from the columns MeanWrench.ASIDE, for the bodies of the present pass."""
    for e in range(w.mean_wrench.shape[0]):
        if islands.takes_part(w, islands.child_of(m, e)):
            for k in range(6):
                w.mean_wrench[e, MeanWrench.WRENCH + k] = w.mean_wrench[e, MeanWrench.ASIDE + k]
