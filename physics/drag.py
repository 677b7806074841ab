"""Wind, drag and a viscous medium in every system: the law of `physics.medium`, shape by shape, in the bodies'
own blocks.

    implicit    f += t X^T (F(v0) + K v0),   A += t X^T K X,   K = -dF/dv at v0       (linearly implicit, v0 known)
    explicit    f += t X^T F(v0)                        X: from a body's velocity to that of the shape's centre

K is symmetric and positive (`physics.medium`): honey stops a figure without making it unstable. What the medium takes
is lost as in a damper; the work of the wind, its velocity times the force on the shape, is in the ledger.
"""

import math

from physics import parts
from physics.kernels.far import far
from physics.kernels.jit import inline, kernel
from physics.kernels.vec import (
    ZERO6, ZERO9, add, add_to3, add_to_block, cross, dot, full, load3, load6, load9, mat_mul, mul, mul_t, negative,
    scale, shift_block, store3, store6, sub, sym, sym_mul, transpose,
)  # fmt: skip
from physics.layout import (
    DENSITY, DRIVE_WORK, FLOW_FORCE, FLOW_LEVER, FLOW_RATE, FLOW_STIFF, FLOWING, H, IN_MEDIUM, MEDIUM_WEIGHT, QUADRATIC,
    QUADRATIC_TURN, STOKES, STOKES_TURN, SURFACE_BODY, SURFACE_CENTRE, SURFACE_TURN, VISCOSITY, WIND,
)  # fmt: skip
from physics.motions import three


@kernel
def put_drag(m, w, velocity, t, implicit, weight):
    """All shapes into the system of a stage, at the filled pose, from the velocities known so far; `weight` is its
    share in the step."""
    if w.control[IN_MEDIUM] != 0:
        put_all(m, w, velocity, t, implicit, weight)


@kernel
def count_wind(m, w):
    """After the answer to a request: the work of the wind in its stage"""
    if w.control[FLOWING] != 0:
        w.control[FLOWING] = 0
        count_all(m, w, w.velocity)


@far("medium", "mwtfbf")
def put_all(m, w, velocity, t, implicit, weight):
    w.number[MEDIUM_WEIGHT] = weight
    w.control[FLOWING] = 1
    at = w.control[WIND]
    wind = three(w.signal, at, 0)
    for k in range(m.surface.shape[0]):
        b = int(m.surface[k, SURFACE_BODY])
        rot = load9(w.rotation, b, 0)
        axes = mat_mul(rot, load9(m.surface, k, SURFACE_TURN))
        lever = mul(rot, load3(m.surface, k, SURFACE_CENTRE))
        omega = load3(velocity, b, 3)
        v = sub(add(load3(velocity, b, 0), cross(omega, lever)), wind)
        f, stiff = law(m, w, k, QUADRATIC, STOKES, axes, v)
        torque, twist = law(m, w, k, QUADRATIC_TURN, STOKES_TURN, axes, omega)
        if not implicit:
            stiff = ZERO6
            twist = ZERO6
        store3(w.flow, k, FLOW_FORCE, f)
        store3(w.flow, k, FLOW_LEVER, lever)
        store3(w.flow, k, FLOW_RATE, v)
        store6(w.flow, k, FLOW_STIFF, stiff)
        push = scale(t, add(f, sym_mul(stiff, add(v, wind))))
        add_to3(w.force, b, 0, push)
        add_to3(w.force, b, 3, add(cross(lever, push), scale(t, add(torque, sym_mul(twist, omega)))))
        if implicit:
            vv, wv, ww = shift_block(scaled(t, stiff), ZERO9, ZERO6, negative(lever))
            add_to_block(w.block, b, vv, wv, ww)
            add_to_block(w.block, b, ZERO6, ZERO9, scaled(t, twist))


@inline
def scaled(t, a):
    return t * a[0], t * a[1], t * a[2], t * a[3], t * a[4], t * a[5]


@inline
def law(m, w, k, quadratic, slow, axes, v):
    """(F, K) in world axes: F = -(rho s c + mu S) u, K = rho (s c + (c u)(c u)^T / s) + mu S"""
    rho = w.number[DENSITY]
    mu = w.number[VISCOSITY]
    c = load3(m.surface, k, quadratic)
    u = mul_t(axes, v)
    cu = (c[0] * u[0], c[1] * u[1], c[2] * u[2])
    s = math.sqrt(dot(cu, u))
    g = (
        rho * s * c[0] + mu * m.surface[k, slow],
        rho * s * c[1] + mu * m.surface[k, slow + 1],
        rho * s * c[2] + mu * m.surface[k, slow + 2],
    )
    x = rho / s if s > 0.0 else 0.0
    stiff = (
        g[0] + x * cu[0] * cu[0], x * cu[1] * cu[0], g[1] + x * cu[1] * cu[1],
        x * cu[2] * cu[0], x * cu[2] * cu[1], g[2] + x * cu[2] * cu[2],
    )  # fmt: skip
    f = mul(axes, (-g[0] * u[0], -g[1] * u[1], -g[2] * u[2]))
    return f, sym(mat_mul(mat_mul(axes, full(stiff)), transpose(axes)))


@far("medium", "mwt")
def count_all(m, w, velocity):
    wind = three(w.signal, w.control[WIND], 0)
    share = w.number[MEDIUM_WEIGHT] * w.number[H]
    for k in range(m.surface.shape[0]):
        b = int(m.surface[k, SURFACE_BODY])
        if not parts.takes_part(w, b):
            continue
        v = sub(add(load3(velocity, b, 0), cross(load3(velocity, b, 3), load3(w.flow, k, FLOW_LEVER))), wind)
        change = sym_mul(load6(w.flow, k, FLOW_STIFF), sub(v, load3(w.flow, k, FLOW_RATE)))
        work = share * dot(sub(load3(w.flow, k, FLOW_FORCE), change), wind)
        w.number[DRIVE_WORK] += work
        w.given[b] += work
