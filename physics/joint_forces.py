"""The joint forces of a step until it is accepted: in Work.next_wrench, or, where the integrator has nothing to add to
the wrenches of one solution, these themselves, impulses over the time in which they acted (FORCE_SCALE).
"""

from physics.kernels.ahead import AHEAD, are_many, fetch_row, fetch_row_to_write
from physics.kernels.jit import inline, kernel, rare
from physics.kernels.vec import load6, store6
from physics.layout import FORCE_SCALE


@rare
def ask(wrench, out, e):
    fetch_row(wrench, e)
    fetch_row_to_write(out, e)


@kernel
def put_forces(w, out, column):
    """Into six columns of a table of edges"""
    k = w.number[FORCE_SCALE]
    if k != 0.0:
        copy_scaled(w.wrench, k, out, column)
    else:
        copy_scaled(w.next_wrench, 1.0, out, column)


@kernel
def gather_forces(w):
    """Into Work.next_wrench, where they may be exchanged"""
    if w.number[FORCE_SCALE] != 0.0:
        put_forces(w, w.next_wrench, 0)
        w.number[FORCE_SCALE] = 0.0


@inline
def copy_scaled(wrench, k, out, column):
    many = are_many(out)
    for e in range(out.shape[0]):
        if many:
            ask(wrench, out, e + 2 * AHEAD)
        f = load6(wrench, e, 0)
        store6(out, e, column, (k * f[0], k * f[1], k * f[2], k * f[3], k * f[4], k * f[5]))
