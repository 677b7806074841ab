"""Cylinder about the z axis: size = (radius, half length, 0)."""

import math

from physics.compiler.jit import inline


@inline
def support(size, d):
    """Returns the point farthest along d, in the shape's frame."""
    h = size[1] if d[2] >= 0.0 else -size[1]
    s = math.sqrt(d[0] * d[0] + d[1] * d[1])
    if s > 0.0:
        f = size[0] / s
        return f * d[0], f * d[1], h
    return size[0], 0.0, h


@inline
def half_extents(size, axes):
    """Returns the half sizes along the world's axes of a box around the shape: h |a| + r sqrt(1 - a^2), a the component
    of its axis."""
    return _extent(size, axes[2]), _extent(size, axes[5]), _extent(size, axes[8])


@inline
def _extent(size, a):
    """Returns one of these, for the component a of the axis."""
    return size[1] * abs(a) + size[0] * math.sqrt(max(0.0, 1.0 - a * a))


def moments(size):
    """Returns the volume, and the principal moments of inertia at density 1."""
    r, h, _ = size
    volume = 2.0 * math.pi * r * r * h
    across = volume * (0.25 * r * r + h * h / 3.0)
    return volume, (across, across, 0.5 * volume * r * r)
