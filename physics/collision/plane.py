"""Half space below z = 0 of its frame."""

import math

from physics.compiler.jit import inline


@inline
def ray(o, d):
    """Distance along d to the surface, from above only."""
    if o[2] < 0.0 or d[2] >= 0.0:
        return math.inf, (0.0, 0.0, 1.0)
    return -o[2] / d[2], (0.0, 0.0, 1.0)
