"""Rigid body: velocity (v, w) of dimension 6, mass m and principal inertia I in the body frame.

    M = [[m 1, 0], [0, R I R^T]],   momentum (m v, L),  L = R I R^T w

Free drift over t with constant momentum (no explicit gyroscopic term, which gains energy): with Pi = R^T L

    Cayley:  Pi = I w + (t/2) w x I w,          q <- q (1, t w / 2), normalised
    DMV:     Pi = s I w + (t/2) w x I w,        q <- q (s, t w / 2),  s = sqrt(1 - t^2 w^2 / 4)

the second is the discrete Moser-Veselov map [Moser91] (symplectic), used by `rattle`.
"""

import math

from physics.kernels import quat
from physics.kernels.jit import inline
from physics.kernels.lanes import any_of, both, choose
from physics.kernels.vec import (
    add, add_scaled, cross, dot, load3, load4, mul, mul_t, rotate_diagonal, store3, store4, store_block,
)  # fmt: skip
from physics.layout import INERTIA, INVERSE_INERTIA, MASS

DIMENSION = 6


@inline
def mass_block(body, i, rot, block):
    m = body[i, MASS]
    zero = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    store_block(block, i, 0, (m, 0.0, m, 0.0, 0.0, m), zero, rotate_diagonal(rot, load3(body, i, INERTIA)))


@inline
def along(d, a):
    """diag(d) a"""
    return d[0] * a[0], d[1] * a[1], d[2] * a[2]


@inline
def spin_momentum(body, i, rot, w):
    """L = R I R^T w"""
    b = mul_t(rot, w)
    return mul(rot, along(load3(body, i, INERTIA), b))


@inline
def spin_and_turning(body, i, rot, w):
    """L = R I R^T w, and the angular acceleration of free rotation R I^-1 ((I w) x w), taken in the body frame"""
    b = mul_t(rot, w)
    l = along(load3(body, i, INERTIA), b)
    return mul(rot, l), mul(rot, along(load3(body, i, INVERSE_INERTIA), cross(l, b)))


@inline
def spin(body, i, rot, momentum):
    """w = R I^-1 R^T L"""
    return mul(rot, along(load3(body, i, INVERSE_INERTIA), mul_t(rot, momentum)))


@inline
def free_spin(inertia, inverse, start, pi, h, moser):
    """The body-frame rate w of the drift, by Newton after two steps of w <- I^-1 (Pi - h w x I w) from start = I^-1 Pi;
    h = t/2. Also s (1 for Cayley)."""
    a = h * (inertia[2] - inertia[1])
    b = h * (inertia[0] - inertia[2])
    c = h * (inertia[1] - inertia[0])
    x0, y0, z0 = start
    x1 = x0 - inverse[0] * (a * y0 * z0)
    y1 = y0 - inverse[1] * (b * z0 * x0)
    z1 = z0 - inverse[2] * (c * x0 * y0)
    x = x0 - inverse[0] * (a * y1 * z1)
    y = y0 - inverse[1] * (b * z1 * x1)
    z = z0 - inverse[2] * (c * x1 * y1)
    size = abs(pi[0]) + abs(pi[1]) + abs(pi[2])
    s = 1.0
    going = size >= 0.0
    for _ in range(12):
        i0, i1, i2 = inertia
        if moser != 0:
            s2 = 1.0 - h * h * (x * x + y * y + z * z)
            s = math.sqrt(choose(s2 > 1e-4, s2, 1e-4))  # beyond half a turn a step the guard takes over
            i0 *= s
            i1 *= s
            i2 *= s
        f0 = i0 * x + a * y * z - pi[0]
        f1 = i1 * y + b * z * x - pi[1]
        f2 = i2 * z + c * x * y - pi[2]
        miss = abs(f0) + abs(f1) + abs(f2)
        going = both(going, miss > 1e-15 * size)
        if not any_of(going):
            break
        j01 = a * z
        j02 = a * y
        j10 = b * z
        j12 = b * x
        j20 = c * y
        j21 = c * x
        if moser != 0:
            # the derivative of s adds (I w) (-h^2 w / s)^T
            g = -h * h / s
            l0 = g * inertia[0] * x
            l1 = g * inertia[1] * y
            l2 = g * inertia[2] * z
            i0 += l0 * x
            i1 += l1 * y
            i2 += l2 * z
            j01 += l0 * y
            j02 += l0 * z
            j10 += l1 * x
            j12 += l1 * z
            j20 += l2 * x
            j21 += l2 * y
        c00 = i1 * i2 - j12 * j21
        c01 = j12 * j20 - j10 * i2
        c02 = j10 * j21 - i1 * j20
        k = 1.0 / (i0 * c00 + j01 * c01 + j02 * c02)
        dx = k * (c00 * f0 + (j02 * j21 - j01 * i2) * f1 + (j01 * j12 - j02 * i1) * f2)
        dy = k * (c01 * f0 + (i0 * i2 - j02 * j20) * f1 + (j02 * j10 - i0 * j12) * f2)
        dz = k * (c02 * f0 + (j01 * j20 - i0 * j21) * f1 + (i0 * i1 - j01 * j10) * f2)
        x = choose(going, x - dx, x)
        y = choose(going, y - dy, y)
        z = choose(going, z - dz, z)
        going = both(going, miss > 1e-9 * size)  # Newton squares the miss: what is left is below rounding
        if not any_of(going):
            break
    return x, y, z, s


@inline
def drift(body, i, pose, rot, v, w, t, moser, out):
    """Move for the time t with constant velocity v of the centre and constant spin momentum R I R^T w."""
    b = mul_t(rot, w)
    inertia = load3(body, i, INERTIA)
    pi = along(inertia, b)
    x, y, z, s = free_spin(inertia, load3(body, i, INVERSE_INERTIA), b, pi, 0.5 * t, moser)
    h = 0.5 * t
    q = quat.normalized(quat.multiply(load4(pose, i, 3), (s, h * x, h * y, h * z)))
    store3(out, i, 0, add_scaled(load3(pose, i, 0), t, v))
    store4(out, i, 3, q)


@inline
def displace(pose, i, d, a, out):
    """q (+) d: the centre by d, the orientation by the world rotation vector a"""
    store3(out, i, 0, add(load3(pose, i, 0), d))
    store4(out, i, 3, quat.turned(load4(pose, i, 3), a))


@inline
def nudge(pose, i, d, a, out):
    """`displace` with the rotation (1, a/2), normalised: right to second order, and a rotation for any a"""
    store3(out, i, 0, add(load3(pose, i, 0), d))
    q = quat.multiply((1.0, 0.5 * a[0], 0.5 * a[1], 0.5 * a[2]), load4(pose, i, 3))
    r = quat.renormalized(q)  # |q|^2 = 1 + a^2/4: one Newton step is exact to 1e-13
    large = dot(a, a) >= 1e-6
    if any_of(large):
        n = quat.normalized(q)
        r = choose(large, n[0], r[0]), choose(large, n[1], r[1]), choose(large, n[2], r[2]), choose(large, n[3], r[3])
    store4(out, i, 3, r)


@inline
def kinetic(body, i, rot, v, w):
    b = mul_t(rot, w)
    return 0.5 * body[i, MASS] * dot(v, v) + 0.5 * (
        body[i, INERTIA] * b[0] * b[0] + body[i, INERTIA + 1] * b[1] * b[1] + body[i, INERTIA + 2] * b[2] * b[2]
    )
