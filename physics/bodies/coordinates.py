"""From velocities as they are stored to the coordinates with which the solver modes work.

Velocities, loads and blocks A have the same columns for all bodies: (v, w), and if the scene has a scaled body also the
rates of three scales. The velocities that a body can have form a subspace with a constant basis B. Its dimension
depends on the kind of body:

    particle   v                          3         planar    in the plane and about its normal     3
    rigid      v, w                       6         uniform   v, w, one rate for the three scales   7
                                                    stretched v, w, s'                              9

This dimension is Topology.DIM. A mode solves the system of B^T A B, B^T f and J B for the coordinates u, and returns
the velocity B u."""

from physics.bodies import planar
from physics.compiler.jit import inline, kernel
from physics.data.model_tables import BodyKind, Topology
from physics.data.state_tables import PoseColumn
from physics.data.work_tables import Stretch
from physics.maths.vec import ZERO3, load3, mul_t, store3


@inline
def is_scaled(topology, i):
    """Return whether body i is scaled, uniformly or along each axis."""
    kind = topology[i, Topology.BODY_KIND]
    return kind == BodyKind.UNIFORM or kind == BodyKind.STRETCHED


@inline
def width(topology, i):
    """Return how many columns of `velocity` body i uses (3, 6 or 9). For the world (i < 0), return 0."""
    if i < 0:
        return 0
    kind = topology[i, Topology.BODY_KIND]
    if kind == BodyKind.PARTICLE:
        return 3
    return 9 if kind == BodyKind.UNIFORM or kind == BodyKind.STRETCHED else 6


@inline
def load_rates(velocity, i):
    """Return the rates [1/s] of the scales from row i of `velocity`. They are zero if it has no columns for them."""
    return load3(velocity, i, PoseColumn.RATES) if velocity.shape[1] > PoseColumn.RATES else ZERO3


@inline
def on_scales(stretch, e, o, tv):
    """Return the generalised force tv . R diag(a) that the force tv [N] at the anchor a of edge e exerts on the scales
    of a body. The matrix R diag(a) is in nine columns of `stretch` from column o on. If `stretch` has no such columns,
    the result is zero."""
    if stretch.shape[1] < Stretch.WIDTH:
        return ZERO3
    return mul_t(
        (stretch[e, o], stretch[e, o + 1], stretch[e, o + 2], stretch[e, o + 3], stretch[e, o + 4],
         stretch[e, o + 5], stretch[e, o + 6], stretch[e, o + 7], stretch[e, o + 8]), tv,
    )  # fmt: skip


@inline
def place(columns, a, n, r, c):
    """Return the index of entry (r, c) of a lower triangle that starts at index a. With `columns` the triangle is
    stored by columns of n numbers; otherwise it is packed by rows."""
    return a + c * n + r if columns else a + r * (r + 1) // 2 + c


@kernel
def own_block(topology, form, i, block, columns, a, out):
    """Write the lower triangle of B^T A B of body i to `out` from index a on. A is row i of `block`. With `columns` the
    triangle is stored by columns of DIM numbers; otherwise it is packed by rows."""
    n = topology[i, Topology.DIM]
    kind = topology[i, Topology.BODY_KIND]
    if kind == BodyKind.PLANAR:
        p = planar.own_block(form, i, block)
        out[place(columns, a, 3, 0, 0)] = p[0]
        out[place(columns, a, 3, 1, 0)] = p[1]
        out[place(columns, a, 3, 1, 1)] = p[2]
        out[place(columns, a, 3, 2, 0)] = p[3]
        out[place(columns, a, 3, 2, 1)] = p[4]
        out[place(columns, a, 3, 2, 2)] = p[5]
        return
    for r in range(6 if kind == BodyKind.UNIFORM else n):
        for c in range(r + 1):
            out[place(columns, a, n, r, c)] = block[i, r * (r + 1) // 2 + c]
    if kind == BodyKind.UNIFORM:
        for c in range(6):
            out[place(columns, a, n, 6, c)] = block[i, 21 + c] + block[i, 28 + c] + block[i, 36 + c]
        own = block[i, 27] + block[i, 35] + block[i, 44]
        out[place(columns, a, n, 6, 6)] = own + 2.0 * (block[i, 34] + block[i, 42] + block[i, 43])


@inline
def put_own(topology, form, i, v, w, s, out, o):
    """Write the load B^T (v, w, s) of body i to `out` from index o on. Here v is a force, w a torque, and s a force on
    the scales."""
    kind = topology[i, Topology.BODY_KIND]
    if kind == BodyKind.PLANAR:
        x = planar.own_load(form, i, v, w)
        out[o] = x[0]
        out[o + 1] = x[1]
        out[o + 2] = x[2]
        return
    for k in range(3):
        out[o + k] = v[k]
    if kind == BodyKind.PARTICLE:
        return
    for k in range(3):
        out[o + 3 + k] = w[k]
    if kind == BodyKind.UNIFORM:
        out[o + 6] = s[0] + s[1] + s[2]
    elif kind == BodyKind.STRETCHED:
        for k in range(3):
            out[o + 6 + k] = s[k]


@inline
def store_wide(topology, form, i, x, o, velocity, row):
    """Write the velocity B x of body i to row `row` of `velocity`. The coordinates of body i are in the array `x` from
    index o on."""
    kind = topology[i, Topology.BODY_KIND]
    if kind == BodyKind.PLANAR:
        v, w = planar.wide(form, i, (x[o], x[o + 1], x[o + 2]))
        store3(velocity, row, 0, v)
        store3(velocity, row, 3, w)
        return
    for k in range(3 if kind == BodyKind.PARTICLE else 6):
        velocity[row, k] = x[o + k]
    if kind == BodyKind.UNIFORM:
        store3(velocity, row, PoseColumn.RATES, (x[o + 6], x[o + 6], x[o + 6]))
    elif kind == BodyKind.STRETCHED:
        store3(velocity, row, PoseColumn.RATES, (x[o + 6], x[o + 7], x[o + 8]))
