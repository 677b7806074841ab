"""Capsule about the z axis: size = (radius, half length of the segment, 0)."""

import math

from physics.compiler.jit import inline
from physics.maths.vec import add_scaled, dot, norm, scale


@inline
def support(size, d):
    """The point farthest along d, in the shape's frame."""
    length = norm(d)
    h = size[1] if d[2] >= 0.0 else -size[1]
    if length > 0.0:
        f = size[0] / length
        return f * d[0], f * d[1], f * d[2] + h
    return size[0], 0.0, h


@inline
def half_extents(size, axes):
    return (
        size[0] + size[1] * abs(axes[2]),
        size[0] + size[1] * abs(axes[5]),
        size[0] + size[1] * abs(axes[8]),
    )


@inline
def ray(size, o, d):
    """Distance along the unit direction d and the normal: the mantle between the ends, else the nearer ball."""
    r = size[0]
    h = size[1]
    z = max(-h, min(o[2], h))
    outside = o[0] * o[0] + o[1] * o[1] + (o[2] - z) * (o[2] - z) > r * r
    best = math.inf
    normal = (0.0, 0.0, 1.0)
    if outside:
        a = d[0] * d[0] + d[1] * d[1]
        b = o[0] * d[0] + o[1] * d[1]
        k = o[0] * d[1] - o[1] * d[0]
        square = a * r * r - k * k
        if a > 0.0 and square >= 0.0:
            t = (-b - math.sqrt(square)) / a
            z = o[2] + t * d[2]
            if t >= 0.0 and abs(z) <= h:
                best = t
                normal = ((o[0] + t * d[0]) / r, (o[1] + t * d[1]) / r, 0.0)
        for side in range(2):
            end = h if side == 0 else -h
            p = (o[0], o[1], o[2] - end)
            b = dot(p, d)
            off = add_scaled(p, -b, d)
            square = r * r - dot(off, off)
            if square >= 0.0:
                t = -b - math.sqrt(square)
                # only the half of the ball beyond the end is surface
                if 0.0 <= t < best and (p[2] + t * d[2]) * end >= 0.0:
                    best = t
                    normal = scale(1.0 / r, add_scaled(p, t, d))
    return best, normal


def moments(size):
    """Volume, and principal moments of inertia at density 1: a cylinder and two half balls."""
    r, h, _ = size
    tube = 2.0 * math.pi * r * r * h
    ball = 4.0 / 3.0 * math.pi * r * r * r
    along = 0.5 * tube * r * r + 0.4 * ball * r * r
    across = tube * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r)
    return tube + ball, (across, across, along)
