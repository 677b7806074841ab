"""Wind, drag and a viscous medium in every system: the law of `physics.definitions.medium`, shape by shape, in the
bodies' own blocks.

    implicit    f += t X^T (F(v0) + K v0),   A += t X^T K X,   K = -dF/dv at v0       (linearly implicit, v0 known)
    explicit    f += t X^T F(v0)                        X: from a body's velocity to that of the shape's centre

K is symmetric and positive (`physics.definitions.medium`): honey stops a figure without making it unstable. What the
medium takes is lost as in a damper; the work of the wind, its velocity times the force on the shape, is in the ledger.
"""

import math

from physics.bodies import islands
from physics.compiler.jit import inline, kernel
from physics.compiler.lazy import far
from physics.data.model_tables import Surfaces
from physics.data.step_tables import Control, Number, Request
from physics.data.work_tables import Flows
from physics.definitions.prescribed import three
from physics.maths.vec import (
    ZERO6, ZERO9, add, add_to3, add_to_block, cross, dot, full, load3, load6, load9, mat_mul, mul, mul_t, negative,
    scale, shift_block, store3, store6, sub, sym, sym_mul, transpose,
)  # fmt: skip


@kernel
def start(m, s, w):
    """Set Control.FLOWING to 0: no request that contains drag has been made."""
    w.control[Control.FLOWING] = 0


@inline
def add_implicit(m, s, w, velocity, t, weight):
    """Add the drag on all shapes, linearised at `velocity`, to Work.block and Work.force of a stage of t seconds at the
    filled pose. `weight` is the share of the stage in the step."""
    add_drag(m, w, velocity, t, True, weight)


@inline
def add_explicit(m, s, w, velocity, t, weight, accelerating):
    """Add t times the drag at `velocity` to Work.force of a stage at the filled pose."""
    add_drag(m, w, velocity, t, False, weight)


@kernel
def account(m, s, w):
    """Add the work of the wind in the stage to the ledger, after the answer to a request. Return DONE."""
    if w.control[Control.FLOWING] != 0:
        w.control[Control.FLOWING] = 0
        add_work_of_wind(m, w, w.velocity)
    return Request.DONE


@far("medium", "mwtfbf")
def add_drag(m, w, velocity, t, implicit, weight):
    """Add the drag on all shapes at `velocity` to Work.force and, with `implicit`, its derivative to Work.block. Write
    force, derivative, lever and rate of each shape to Work.flow."""
    w.number[Number.MEDIUM_WEIGHT] = weight
    w.control[Control.FLOWING] = 1
    at = w.control[Control.WIND]
    wind = three(w.signal, at, 0)
    for k in range(m.surface.shape[0]):
        b = int(m.surface[k, Surfaces.BODY])
        rot = load9(w.rotation, b, 0)
        axes = mat_mul(rot, load9(m.surface, k, Surfaces.TURN))
        lever = mul(rot, load3(m.surface, k, Surfaces.CENTRE))
        omega = load3(velocity, b, 3)
        v = sub(add(load3(velocity, b, 0), cross(omega, lever)), wind)
        f, stiff = law(m, w, k, Surfaces.QUADRATIC, Surfaces.STOKES, axes, v)
        torque, twist = law(m, w, k, Surfaces.QUADRATIC_TURN, Surfaces.STOKES_TURN, axes, omega)
        if not implicit:
            stiff = ZERO6
            twist = ZERO6
        store3(w.flow, k, Flows.FORCE, f)
        store3(w.flow, k, Flows.LEVER, lever)
        store3(w.flow, k, Flows.RATE, v)
        store6(w.flow, k, Flows.STIFF, stiff)
        push = scale(t, add(f, sym_mul(stiff, add(v, wind))))
        add_to3(w.force, b, 0, push)
        add_to3(w.force, b, 3, add(cross(lever, push), scale(t, add(torque, sym_mul(twist, omega)))))
        if implicit:
            vv, wv, ww = shift_block(scaled(t, stiff), ZERO9, ZERO6, negative(lever))
            add_to_block(w.block, b, vv, wv, ww)
            add_to_block(w.block, b, ZERO6, ZERO9, scaled(t, twist))


@inline
def scaled(t, a):
    """Return t times the six numbers of a."""
    return t * a[0], t * a[1], t * a[2], t * a[3], t * a[4], t * a[5]


@inline
def law(m, w, k, quadratic, slow, axes, v):
    """Return the drag F and its stiffness K, packed, of shape k at the velocity v, in world axes:

            F = -(rho s c + mu S) u,   K = rho (s c + (c u)(c u)^T / s) + mu S,   s = sqrt(c u . u)

    u is v in the shape's `axes`. c and S start at the columns `quadratic` and `slow` of Model.surface."""
    rho = w.number[Number.DENSITY]
    mu = w.number[Number.VISCOSITY]
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
def add_work_of_wind(m, w, velocity):
    """Add the work of the wind in a stage, whose solution is `velocity`, to Number.DRIVE_WORK and Work.given."""
    wind = three(w.signal, w.control[Control.WIND], 0)
    share = w.number[Number.MEDIUM_WEIGHT] * w.number[Number.H]
    for k in range(m.surface.shape[0]):
        b = int(m.surface[k, Surfaces.BODY])
        if not islands.takes_part(w, b):
            continue
        v = sub(add(load3(velocity, b, 0), cross(load3(velocity, b, 3), load3(w.flow, k, Flows.LEVER))), wind)
        change = sym_mul(load6(w.flow, k, Flows.STIFF), sub(v, load3(w.flow, k, Flows.RATE)))
        work = share * dot(sub(load3(w.flow, k, Flows.FORCE), change), wind)
        w.number[Number.DRIVE_WORK] += work
        w.given[b] += work
