"""The swing of a ball joint measured by an ellipse: how far the twist axis leans, relative to the limit in that
direction.

The joint frame (x, y, z) belongs to the base, and c is the other body's twist axis in this frame. The shortest rotation
that carries z to c is s = k (-c_y, c_x), k = theta / sin(theta), cos(theta) = c_z. s may reach a about x and b about y.
With m the smaller of a and b,

    q = m sqrt((s_x / a)^2 + (s_y / b)^2) = k(c_z) h,    h^2 = A c_y^2 + B c_x^2,    A = (m/a)^2,  B = (m/b)^2

must stay below m. Where a = b, q is theta. With w the spin of the other body relative to the base, c' = w x c:

    q' = v . (w x c) = w . (c x v),                      v = (k B c_x / h,  k A c_y / h,  k1 h),   k1 = dk/dc_z
    q'' = (k2 c_z'^2 + k1 c_z'') h + 2 k1 c_z' h' + k h''      c'' = (w' x c) + w x (w x c),  w' = -w_base x w
"""

import math

from physics.compiler.jit import inline, kernel
from physics.maths.angle import arctangent
from physics.maths.vec import ZERO3, add, cross, dot

SMALL = 1e-9  # no direction of swing below it
SERIES = 1e-3  # rad; below it k and its derivatives are their limits, right to a part in a million


@inline
def column(frame, k):
    """Return column k of the 3x3 matrix `frame`."""
    return frame[k], frame[3 + k], frame[6 + k]


@inline
def stretch(sine, cosine):
    """Return k = theta / sin(theta) and its first two derivatives with respect to cos(theta), from sine and cosine."""
    theta = arctangent(sine, cosine)
    if theta < SERIES:
        return 1.0, -1.0 / 3.0, 4.0 / 15.0
    rest = sine - theta * cosine
    s2 = sine * sine
    return theta / sine, -rest / (s2 * sine), (theta * s2 - 3.0 * cosine * rest) / (s2 * s2 * sine)


@inline
def components(frame, v):
    """Return the components of v along the three columns of `frame`."""
    return dot(column(frame, 0), v), dot(column(frame, 1), v), dot(column(frame, 2), v)


@kernel
def lean(frame, axis, along_x, along_y):
    """Return q of the unit vector `axis` (world axes) in the base frame `frame`, and its gradient in world axes, which
    is zero if q has none. `along_x` and `along_y` are m/a and m/b."""
    x, y, z = components(frame, axis)
    sine = math.sqrt(x * x + y * y)
    h = math.sqrt(along_x * along_x * y * y + along_y * along_y * x * x)
    k, k1, _ = stretch(sine, z)
    if h < SMALL:
        return k * h, ZERO3
    vx = k * along_y * along_y * x / h
    vy = k * along_x * along_x * y / h
    vz = k1 * h
    ex = column(frame, 0)
    ey = column(frame, 1)
    ez = column(frame, 2)
    v = (
        vx * ex[0] + vy * ey[0] + vz * ez[0],
        vx * ex[1] + vy * ey[1] + vz * ez[1],
        vx * ex[2] + vy * ey[2] + vz * ez[2],
    )
    return k * h, cross(axis, v)


@kernel
def lean_curve(frame, axis, along_x, along_y, w, base):
    """Return q'' of `axis` at constant angular velocities: w is that of the other body relative to the base, and `base`
    that of the base."""
    x, y, z = components(frame, axis)
    sine = math.sqrt(x * x + y * y)
    a = along_x * along_x
    b = along_y * along_y
    h = math.sqrt(a * y * y + b * x * x)
    if h < SMALL:
        return 0.0
    k, k1, k2 = stretch(sine, z)
    turning = cross(w, axis)
    dx, dy, dz = components(frame, turning)
    ddx, ddy, ddz = components(frame, add(cross(cross(w, base), axis), cross(w, turning)))
    dh = (a * y * dy + b * x * dx) / h
    ddh = (a * (dy * dy + y * ddy) + b * (dx * dx + x * ddx) - dh * dh) / h
    return (k2 * dz * dz + k1 * ddz) * h + 2.0 * k1 * dz * dh + k * ddh
