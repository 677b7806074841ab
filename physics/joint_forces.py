"""The joint forces of a step until it is accepted: in Work.next_wrench, or, where the integrator has nothing to add to
the wrenches of one solution, these themselves, impulses over the time in which they acted (FORCE_SCALE).
"""

from physics.kernels.columns import copy_scaled
from physics.kernels.jit import kernel
from physics.layout import FORCE_SCALE


@kernel
def put_forces(w, out, column):
    """Into six columns of a table of edges"""
    k = w.number[FORCE_SCALE]
    if k != 0.0:
        copy_scaled(w.wrench, 0, k, out, column)
    else:
        copy_scaled(w.next_wrench, 0, 1.0, out, column)


@kernel
def gather_forces(w):
    """Into Work.next_wrench, where they may be exchanged"""
    if w.number[FORCE_SCALE] != 0.0:
        put_forces(w, w.next_wrench, 0)
        w.number[FORCE_SCALE] = 0.0
