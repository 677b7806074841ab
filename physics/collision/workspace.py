"""Workspace of the narrow phase: what one pair of shapes needs while its contact points are found."""

from typing import NamedTuple

import numpy as np

from physics.compiler.pack import packed
from physics.data.model import Floats, Ints

# A polytope around the origin grows by a vertex at a time. On curved shapes the error falls by four for about three
# vertices; 96 are enough for rounding.
MOST_VERTICES = 100
# A closed triangulated surface of v vertices has 2 v - 4 faces.
MOST_FACES = 2 * MOST_VERTICES
# corners of the polygon that stands for the end of a cylinder
ROUND = 8

# polygons in `corner`: feature of the first shape, of the second, and two for cutting one with the other
FIRST, SECOND, CUT, OTHER = range(4)
# columns of `corner`
X, U, V = 0, 3, 4
CORNER = 5
# columns of `sheet`: height over the plane across the normal, h = H + DU (u - U0) + DV (v - V0)
SHEET_H, SHEET_U, SHEET_V, SHEET_DU, SHEET_DV = range(5)
SHEET = 5
# columns of `found`: place across the normal, distance of the cores along it, height half way between them
FOUND_U, FOUND_V, FOUND_GAP, FOUND_HEIGHT = range(4)
FOUND = 4
# columns of `point`: a point of A - B, and the points of A and B that it is the difference of
W, A, B = 0, 3, 6


@packed
class Workspace(NamedTuple):
    point: Floats  # (MOST_VERTICES, 9) simplex (rows 0 to 3), then vertices of the polytope
    weight: Floats  # (4,) of the simplex' points in the point nearest to the origin
    face: Floats  # (MOST_FACES, 4) outward normal and distance from the origin
    corners: Ints  # (MOST_FACES, 3) vertices of each face
    across: Ints  # (MOST_FACES, 3) face beyond each edge
    edge: Ints  # (MOST_FACES, 3) which edge of that face it is
    alive: Ints  # (MOST_FACES,)
    stack: Ints  # (MOST_FACES, 2)
    rim: Ints  # (MOST_FACES, 2)
    free: Ints  # (MOST_FACES,) faces that may be used again
    corner: Floats  # (4, p, CORNER) polygons: position in the frame of the first shape, and across the normal
    label: Ints  # (4, p) name of the edge that leaves each corner
    sheet: Floats  # (2, SHEET)
    found: Floats  # (p, FOUND) candidates for contact points
    feature: Ints  # (p,)


def make_workspace(most_corners: int) -> Workspace:
    """Returns the workspace for shapes whose faces have `most_corners` corners at most."""
    # cutting a convex polygon by another gives at most as many corners as the two together
    p = 2 * max(most_corners, ROUND) + 4

    def floats(*shape: int) -> Floats:
        return np.zeros(shape)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    return Workspace(
        floats(MOST_VERTICES, 9), floats(4), floats(MOST_FACES, 4), ints(MOST_FACES, 3), ints(MOST_FACES, 3),
        ints(MOST_FACES, 3), ints(MOST_FACES), ints(MOST_FACES, 2), ints(MOST_FACES, 2), ints(MOST_FACES),
        floats(4, p, CORNER), ints(4, p), floats(2, SHEET), floats(p, FOUND), ints(p),
    )  # fmt: skip
