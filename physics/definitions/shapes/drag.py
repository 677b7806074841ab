"""Drag of shapes: the drag coefficients of bluff bodies [Hoerner65, fig. 3-33 and ch. 3-9], and the drag moments of a
box."""

import numpy as np

from physics.data.model import Floats

SPHERE, BOX, ACROSS, END = 0.47, 1.05, 1.2, 0.82


def box_moments(half: Floats) -> Floats:
    """Return the drag moment C int s^3 dA about each axis (3,) [m^5] of a box with these half sizes (3,) [m]. C is the
    drag coefficient, and s the distance of the area element dA from the axis."""
    a, b, c = half
    p, q, r = (x * x * x * x for x in (a, b, c))
    return BOX * np.array([a * (q + r), b * (p + r), c * (p + q)])
