"""Sphere: size = (radius, 0, 0)."""

import math

from physics.compiler.jit import inline
from physics.maths.vec import add_scaled, dot, norm, scale


@inline
def support(size, d):
    """The point farthest along d, in the shape's frame."""
    length = norm(d)
    return scale(size[0] / length, d) if length > 0.0 else (size[0], 0.0, 0.0)


@inline
def half_extents(size):
    return size[0], size[0], size[0]


@inline
def ray(size, o, d):
    """|o + t d| = r: distance t along the unit direction d and the normal; infinite where the ray passes by or starts
    inside."""
    b = dot(o, d)
    c = dot(o, o) - size[0] * size[0]
    # the distance of the ray from the middle, without the cancellation of b^2 - c far away
    off = add_scaled(o, -b, d)
    square = size[0] * size[0] - dot(off, off)
    if c < 0.0 or b > 0.0 or square < 0.0:
        return math.inf, (0.0, 0.0, 1.0)
    t = -b - math.sqrt(square)
    return t, scale(1.0 / size[0], add_scaled(o, t, d))


def moments(size):
    """Volume, and principal moments of inertia at density 1."""
    r = size[0]
    volume = 4.0 / 3.0 * math.pi * r * r * r
    return volume, (0.4 * volume * r * r,) * 3
