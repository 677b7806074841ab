"""`cg`: conjugate gradients for the multipliers, from products with block-sparse J alone. O(n) an iteration.

    K l = g - J A^-1 f,   K = J A^-1 J^T + E,      v = A^-1 (f + J^T l)          [Witkin97, section 4]

This is the "Bramble" row of [Baraff96, section 9], with three additions. Joint springs are compliant rows (see
`compliant`). Each edge's own block of K, at most 6x6, is the preconditioner (block Jacobi). When the recurrence
indicates convergence, the residual is computed from K x; if it is still too large, the iteration starts again.

Each solve starts from zero, so that the result depends on the state alone. The number of iterations and the relative
residual |K l - b| / |b| of the last solve are in `Work.control` and `Work.number`.
"""

import math
from typing import NamedTuple

import numpy as np

from physics.bodies.coordinates import load_rates
from physics.compiler.jit import entry, inline, kernel
from physics.compiler.pack import packed
from physics.data.model import Floats, Model
from physics.data.model_tables import Topology
from physics.data.step_tables import Control, Number, Request
from physics.maths.small import ldl_backward, ldl_factor, ldl_forward
from physics.maths.vec import ZERO3, dot, load3
from physics.solvers import compliant

# In exact arithmetic one iteration a row is enough; rounding costs a few times that on long chains.
ITERATIONS_PER_ROW = 4
LEAST_ITERATIONS = 50
MOST_STARTS = 8


@packed
class CgSpace(NamedTuple):
    """Workspace of the mode `cg`."""

    rows: compliant.Rows
    block: Floats  # 36 an edge: its block of K, factored
    x: Floats  # (rows,) multipliers
    b: Floats  # (rows,) right-hand side
    r: Floats  # (rows,) residual
    z: Floats  # (rows,) preconditioned residual
    s: Floats  # (rows,) search direction
    y: Floats  # (rows,) K s
    body: Floats  # (n, stride) J^T s, then A^-1 J^T s


def make_space(model: Model) -> CgSpace:
    """Return the workspace of the mode `cg` for this model."""
    rows = compliant.make_rows(model)
    n = len(model.topology)
    x, b, r, z, s, y = np.zeros((6, len(rows.soft)))
    return CgSpace(rows, np.zeros(36 * n), x, b, r, z, s, y, np.zeros((n, rows.child.shape[1])))


@kernel
def fill_preconditioner(topology, space):
    """Write the factor L D L^T of each edge's own block of K to space.block, 36 numbers an edge."""
    rows = space.rows
    for i in range(topology.shape[0]):
        p = topology[i, Topology.PARENT]
        first = rows.start[i]
        count = rows.start[i + 1] - first
        for c in range(count):
            v, w, e = reach_of(topology, i, rows.inverse, rows.child, first + c)
            pv = pw = pe = ZERO3
            if p >= 0:
                pv, pw, pe = reach_of(topology, p, rows.inverse, rows.parent, first + c)
            for r in range(c, count):
                k = first + r
                s = rows.soft[k] if r == c else 0.0
                s += dot(load3(rows.child, k, 0), v) + dot(load3(rows.child, k, 3), w)
                s += dot(load3(rows.parent, k, 0), pv) + dot(load3(rows.parent, k, 3), pw)
                s += dot(load_rates(rows.child, k), e) + dot(load_rates(rows.parent, k), pe)
                space.block[36 * i + c * count + r] = s
        ldl_factor(space.block, 36 * i, count)


@inline
def reach_of(topology, i, inverse, jacobian, k):
    """Return A^-1 of body i times row k of `jacobian`, as (v, w, scales)."""
    v = load3(jacobian, k, 0)
    return compliant.inverse_times(topology, i, inverse, v, load3(jacobian, k, 3), load_rates(jacobian, k))


@kernel
def precondition(topology, space):
    """Write z = (blocks)^-1 r, from space.r to space.z."""
    start = space.rows.start
    for i in range(topology.shape[0]):
        o = 36 * i
        first = start[i]
        count = start[i + 1] - first
        for k in range(count):
            space.z[first + k] = space.r[first + k]
        ldl_forward(space.block, o, count, space.z, first)
        for k in range(count):
            space.z[first + k] /= space.block[o + k * count + k]
        ldl_backward(space.block, o, count, space.z, first)


@kernel
def multiply(topology, space, x, y):
    """Write y = K x for multipliers x and y; space.body is overwritten."""
    rows = space.rows
    body = space.body
    for i in range(topology.shape[0]):
        for k in range(body.shape[1]):
            body[i, k] = 0.0
    compliant.add_transposed(topology, rows, x, body)
    compliant.divide_by_masses(topology, rows, body, body)
    for i in range(topology.shape[0]):
        p = topology[i, Topology.PARENT]
        for k in range(rows.start[i], rows.start[i + 1]):
            y[k] = compliant.row_rate(k, i, p, rows, body) + rows.soft[k] * x[k]


@kernel
def inner(a, b, m):
    """Return a . b of m numbers."""
    s = 0.0
    for k in range(m):
        s += a[k] * b[k]
    return s


@kernel
def iterate(topology, space, m, goal, most):
    """Make at most `most` iterations of conjugate gradients on space.x from the residual in space.r, until its norm is
    at most `goal`. Return their number."""
    precondition(topology, space)
    for k in range(m):
        space.s[k] = space.z[k]
    rz = inner(space.r, space.z, m)
    count = 0
    while count < most and inner(space.r, space.r, m) > goal * goal:
        multiply(topology, space, space.s, space.y)
        alpha = rz / inner(space.s, space.y, m)
        for k in range(m):
            space.x[k] += alpha * space.s[k]
            space.r[k] -= alpha * space.y[k]
        precondition(topology, space)
        before = rz
        rz = inner(space.r, space.z, m)
        for k in range(m):
            space.s[k] = space.z[k] + rz / before * space.s[k]
        count += 1
    return count


@kernel
def solve_system(topology, space, m, tolerance):
    """Solve K x = b of m rows, from space.b to space.x. Return (iterations, relative residual)."""
    size = math.sqrt(inner(space.b, space.b, m))
    for k in range(m):
        space.x[k] = 0.0 if math.isfinite(size) else np.nan
        space.r[k] = space.b[k]
    if not math.isfinite(size):
        return 0, size
    if size == 0.0:
        return 0, 0.0
    most = LEAST_ITERATIONS + ITERATIONS_PER_ROW * m
    count = 0
    residual = 1.0
    for _ in range(MOST_STARTS):
        count += iterate(topology, space, m, tolerance * size, most - count)
        # what the recurrence took for the residual, measured: r = b - K x
        multiply(topology, space, space.x, space.y)
        for k in range(m):
            space.r[k] = space.b[k] - space.y[k]
        before = residual
        residual = math.sqrt(inner(space.r, space.r, m)) / size
        if residual <= tolerance or not residual <= 0.5 * before or count >= most:
            break
    return count, residual


@entry("mswx", "i")
def answer(m, s, w, space):
    """Solve the request in Control.REQUEST and return DONE: the unit of the mode `cg`."""
    request = w.control[Control.REQUEST]
    t = m.topology
    rows = space.rows
    if request & Request.FACTOR:
        compliant.fill_rows(m, w.block, w.edge, w.row, w.rows, w.stretch, rows)
        fill_preconditioner(t, space)
    if request & Request.SOLVE:
        compliant.fill_right_side(t, w, rows, space.b)
        count, residual = solve_system(t, space, rows.start[t.shape[0]], w.number[Number.TOLERANCE])
        w.control[Control.ITERATIONS] = count
        w.number[Number.RESIDUAL] = residual
        compliant.fill_answer(t, w, rows, space.x, request & Request.WRENCHES)
    return Request.DONE
