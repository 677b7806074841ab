"""Sphere: size = (radius, 0, 0)."""

import math

from physics.compiler.jit import inline
from physics.maths.vec import norm, scale


@inline
def support(size, d):
    """Returns the point farthest along d, in the shape's frame."""
    length = norm(d)
    return scale(size[0] / length, d) if length > 0.0 else (size[0], 0.0, 0.0)


@inline
def half_extents(size):
    """Returns the half sizes of a box around the shape."""
    return size[0], size[0], size[0]


def moments(size):
    """Returns the volume, and the principal moments of inertia at density 1."""
    r = size[0]
    volume = 4.0 / 3.0 * math.pi * r * r * r
    return volume, (0.4 * volume * r * r,) * 3
