"""Unit quaternions as tuples (w, x, y, z), body to world, and rotation vectors."""

import math

from physics.compiler.jit import inline
from physics.maths.angle import cosine_and_sine, half_turn
from physics.maths.lanes import any_of, choose
from physics.maths.vec import scale


@inline
def multiply(p, q):
    """Return the product p q of two quaternions."""
    return (
        p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
        p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
        p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
        p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0],
    )


@inline
def conjugate(q):
    """Return the conjugate of q, the inverse of a unit quaternion."""
    return q[0], -q[1], -q[2], -q[3]


@inline
def normalized(q):
    """Return q divided by its length."""
    s = 1.0 / math.sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


@inline
def matrix(q):
    """Return the rotation matrix of q, by rows."""
    s, x, y, z = q
    x2 = x + x
    y2 = y + y
    z2 = z + z
    xx = x * x2
    yy = y * y2
    zz = z * z2
    xy = x * y2
    xz = x * z2
    yz = y * z2
    sx = s * x2
    sy = s * y2
    sz = s * z2
    return 1.0 - yy - zz, xy - sz, xz + sy, xy + sz, 1.0 - xx - zz, yz - sx, xz - sy, yz + sx, 1.0 - xx - yy


@inline
def exponential(t):
    """Return the quaternion of the rotation vector t [rad]."""
    a2 = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
    # series of cos(a/2) and sin(a/2)/a to the order a^8; the next term is below 1e-19 at a = 0.05
    h = 0.25 * a2
    c = 1.0 + h * (-1.0 / 2.0 + h * (1.0 / 24.0 + h * (-1.0 / 720.0 + h / 40320.0)))
    s = 0.5 * (1.0 + h * (-1.0 / 6.0 + h * (1.0 / 120.0 + h * (-1.0 / 5040.0 + h / 362880.0))))
    large = a2 >= 0.0025
    if any_of(large):
        a = math.sqrt(a2)
        cosine, sine = cosine_and_sine(0.5 * a)
        c = choose(large, cosine, c)
        s = choose(large, sine / a, s)
    return c, s * t[0], s * t[1], s * t[2]


@inline
def tangent_ratio(z):
    """Return tan(h) / h at z = h^2, within 2e-16 up to h = 1, and 2e-13 up to 1.4. (1, tan(h) n) is the quaternion of
    the rotation by 2 h about n, up to its length. The formula is the Pade approximant of the exponential function, of
    order [9/9]."""
    z2 = z * z
    above = (1.0 - z * (7.0 / 51.0)) + z2 * ((1.0 / 255.0 - z * (2.0 / 69615.0)) + z2 * (1.0 / 34459425.0))
    below = (1.0 - z * (8.0 / 17.0)) + z2 * ((7.0 / 255.0 - z * (4.0 / 9945.0)) + z2 * (1.0 / 765765.0))
    return above / below


@inline
def logarithm(q):
    """Return the rotation vector of q, of length at most pi [rad]."""
    f = 2.0 * half_turn(q[1] * q[1] + q[2] * q[2] + q[3] * q[3], abs(q[0]))
    f = -f if q[0] < 0.0 else f
    return f * q[1], f * q[2], f * q[3]


@inline
def renormalized(q):
    """Return a nearly unit quaternion with length 1: one Newton step of 1/sqrt, without a division."""
    s = 1.5 - 0.5 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s


@inline
def turned(q, t):
    """Return exp(t) q: q rotated by the rotation vector t in world axes [rad]."""
    return renormalized(multiply(exponential(t), q))


@inline
def rotate(q, v):
    """Return the vector v rotated by the unit quaternion q: q v q*."""
    t = scale(2.0, (q[2] * v[2] - q[3] * v[1], q[3] * v[0] - q[1] * v[2], q[1] * v[1] - q[2] * v[0]))
    return (
        v[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
        v[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
        v[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0],
    )
