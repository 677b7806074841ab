"""The spans of time for which an integrator is called: whole steps, and substeps of a redone step."""

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.data.step_tables import SCHEME_COMPOSED, Control, Number, Order
from physics.forces.request import copy_columns
from physics.integrators.flights import SUZUKI
from physics.maths.columns import copy_all

FIRST_STAGE = 0  # Control.STAGE where a span begins: `Stage.BEGIN` of every integrator


@inline
def is_composed(c):
    """Return whether `rattle4` composes the span of five steps, one of which goes back in time. It takes the span as a
    single step in passes of first order, while a link is released, and near a singular pose (`rattle.fall_back`)."""
    single = c[Control.FIRST_ORDER] != 0 or c[Control.RELEASED] != 0 or c[Control.FORWARD] != 0
    return SCHEME_COMPOSED[c[Control.INTEGRATOR]] and c[Control.ORDER] != Order.KINEMATIC and not single


@kernel
def begin(s, w, start, length):
    """Begin a span of `length` seconds at the time `start` [s]: set its times in Work.number and Control.STAGE, clear
    Work.given of the present pass, and back up State where the span is composed."""
    c = w.control
    x = w.number
    c[Control.STAGE] = FIRST_STAGE
    c[Control.SUBSTEP] = 0
    x[Number.BEGAN] = start
    x[Number.WHOLE] = length
    x[Number.NOW] = start
    x[Number.H] = length
    if is_composed(c):
        x[Number.H] = SUZUKI * length
        back_up(s, w)
    x[Number.NEXT] = start + x[Number.H]
    for i in range(w.given.shape[0]):
        if islands.takes_part(w, i):
            w.given[i] = 0.0


@kernel
def back_up(s, w):
    """Copy State at the start of the span to Work.backup and Work.backup_memory."""
    n = s.pose.shape[0]
    place = s.pose.shape[1]
    copy_columns(n, place, s.pose, 0, w.backup, 0)
    copy_columns(n, s.velocity.shape[1], s.velocity, 0, w.backup, place)
    copy_all(s.memory, w.backup_memory)


@kernel
def restore(s, w):
    """Copy State at the start of the span back from Work.backup and Work.backup_memory."""
    n = s.pose.shape[0]
    place = s.pose.shape[1]
    copy_columns(n, place, w.backup, 0, s.pose, 0)
    copy_columns(n, s.velocity.shape[1], w.backup, place, s.velocity, 0)
    copy_all(w.backup_memory, s.memory)
