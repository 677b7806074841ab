"""The workspace of the narrow phase: arrays for the search of the contact points of one pair of shapes."""

from typing import NamedTuple


from physics.compiler.pack import packed
from physics.data.arrays import array, make
from physics.data.contact_tables import Candidates, Corners, Sheets, Simplex
from physics.data.model import Floats, Ints

# A polytope around the origin grows by a vertex at a time. On curved shapes the error falls by four for about three
# vertices; 96 are enough for rounding.
MOST_VERTICES = 100
# A closed triangulated surface of v vertices has 2 v - 4 faces.
MOST_FACES = 2 * MOST_VERTICES
# corners of the polygon that stands for the end of a cylinder
ROUND = 8


@packed
class Workspace(NamedTuple):
    """The arrays that the narrow phase uses for one pair of shapes."""

    point: Floats = array(
        (MOST_VERTICES, Simplex),
        "simplex (rows 0 to 3), then vertices of the polytope",
        "m",
        frame="first shape",
        by="collision",
    )
    weight: Floats = array((4,), "of the simplex' points in the point nearest to the origin", "1", by="collision")
    face: Floats = array(
        (MOST_FACES, 4), "outward normal and distance from the origin", "1, m", frame="first shape", by="collision"
    )
    corners: Ints = array((MOST_FACES, 3), "vertices of each face", by="collision")
    across: Ints = array((MOST_FACES, 3), "face beyond each edge", by="collision")
    edge: Ints = array((MOST_FACES, 3), "which edge of that face it is", by="collision")
    alive: Ints = array((MOST_FACES,), "1: the face belongs to the polytope", by="collision")
    stack: Ints = array(
        (MOST_FACES, 2), "faces to look at, and the edge through which each was reached", by="collision"
    )
    rim: Ints = array((MOST_FACES, 2), "faces around the hole that a new vertex makes, and their edges", by="collision")
    free: Ints = array((MOST_FACES,), "faces that may be used again", by="collision")
    corner: Floats = array(
        (4, "polygon", Corners),
        "polygons: position in the frame of the first shape, and across the normal",
        "m",
        frame="first shape",
        by="collision",
    )
    label: Ints = array((4, "polygon"), "name of the edge that leaves each corner", by="collision")
    sheet: Floats = array(
        (2, Sheets), "the top of the one polygon and the bottom of the other, as planes", by="collision"
    )
    found: Floats = array(("polygon", Candidates), "candidates for contact points", by="collision")
    feature: Ints = array(("polygon",), "the feature of each candidate", by="collision")


def make_workspace(most_corners: int) -> Workspace:
    """Return the workspace for shapes whose faces have at most `most_corners` corners."""
    # cutting a convex polygon by another gives at most as many corners as the two together
    p = 2 * max(most_corners, ROUND) + 4

    return make(Workspace, {"polygon": p})
