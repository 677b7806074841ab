"""Corners of features in the workspace. A feature is the face, edge or corner with which a shape touches.

If a face is within 15 degrees of lying flat (cosine `FACE`), the face is the feature. If an edge is within 15 degrees,
it is the edge. At larger angles, it is the deepest corner. The other corners are then high above the surface, and touch
it only after the shape has rotated.

Each corner has a name, which stays the same while the shape moves: twice the number of the corner in its shape, plus
one, plus one more for the second shape of a pair. No corner has the name 0."""

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
    """Write the position x [m] and the name of corner k of polygon `side` in the workspace. The name follows from the
    `number` of the corner in the shape."""
    set_corner(room, side, k, x)
    room.label[side, k] = 2 * number + side + 1


@inline
def corner(room, side, k):
    """Return the position [m] of corner k of polygon `side`."""
    return room.corner[side, k, Corners.X], room.corner[side, k, Corners.X + 1], room.corner[side, k, Corners.X + 2]


@inline
def no_face(g, i, d):
    """Return zero, because this shape has no faces."""
    return ZERO3
