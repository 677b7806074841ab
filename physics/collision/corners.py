"""Corners of features in the workspace, and the angles within which a face or an edge is the feature.

A shape within `FACE` of lying flat shows its face, within the same angle of lying along an edge that edge. Where it
lies less flat, the corners beside the deepest one are far above the surface and come into contact only after it has
turned. Corners carry names that stay the same while the shape moves: twice the corner's number in its shape, plus one,
plus one more for the second shape of a pair. No corner has the name 0.
"""

import math

from physics.compiler.jit import inline
from physics.data.contact_tables import Corners
from physics.maths.elementary import cosine, sine
from physics.maths.vec import ZERO3

# 15 degrees: a face of 10 cm tilted by it stands 2.6 cm off, more than any margin
FACE = cosine(math.radians(15.0))
EDGE = sine(math.radians(15.0))


@inline
def set_corner(room, side, k, x):
    """Write the position x [m] of corner k of polygon `side` in the workspace."""
    room.corner[side, k, Corners.X] = x[0]
    room.corner[side, k, Corners.X + 1] = x[1]
    room.corner[side, k, Corners.X + 2] = x[2]


@inline
def put_corner(room, side, k, x, number):
    """Write the position x [m] of corner k of polygon `side` in the workspace, and the name that follows from its
    number in the shape."""
    set_corner(room, side, k, x)
    room.label[side, k] = 2 * number + side + 1


@inline
def corner(room, side, k):
    """Return the position [m] of corner k of polygon `side`."""
    return room.corner[side, k, Corners.X], room.corner[side, k, Corners.X + 1], room.corner[side, k, Corners.X + 2]


@inline
def no_face(g, i, d):
    """Return zero as the face normal of a shape that has no faces."""
    return ZERO3
