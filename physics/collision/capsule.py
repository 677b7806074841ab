"""Capsule about the z axis: size = (radius, half length of the segment, 0)."""

import math

from physics.compiler.jit import inline
from physics.maths.vec import norm


@inline
def support(size, d):
    """Returns the point farthest along d, in the shape's frame."""
    length = norm(d)
    h = size[1] if d[2] >= 0.0 else -size[1]
    if length > 0.0:
        f = size[0] / length
        return f * d[0], f * d[1], f * d[2] + h
    return size[0], 0.0, h


@inline
def half_extents(size, axes):
    """Returns the half sizes along the world's axes of a box around the shape; `axes` is its 3x3 rotation matrix."""
    return (
        size[0] + size[1] * abs(axes[2]),
        size[0] + size[1] * abs(axes[5]),
        size[0] + size[1] * abs(axes[8]),
    )


def moments(size):
    """Returns the volume, and the principal moments of inertia at density 1: of a cylinder and two half balls."""
    r, h, _ = size
    tube = 2.0 * math.pi * r * r * h
    ball = 4.0 / 3.0 * math.pi * r * r * r
    along = 0.5 * tube * r * r + 0.4 * ball * r * r
    across = tube * (0.25 * r * r + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r)
    return tube + ball, (across, across, along)
