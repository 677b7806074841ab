"""The feature with which a core touches: its face, edge or corner along the contact normal, as a polygon, a segment or
a point."""

from physics.collision.corners import corner, set_corner
from physics.collision.kinds import by_kind
from physics.compiler.jit import kernel
from physics.data.shape_tables import ShapeIndex
from physics.maths.vec import ZERO3, add, mul, mul_t


@by_kind("feature", (0, ZERO3))
def _feature(kind, g, i, d, room, side):
    """Write the feature of core i that faces along d to polygon `side` of the workspace, in the shape's frame: a face,
    an edge or a corner. Return its number of corners, and the normal of the face (zero for an edge or a corner). `kind`
    is the shape's kind."""


@by_kind("face", ZERO3)
def _face(kind, g, i, d):
    """Return the outward normal of the face of shape i that faces along d, or zero if there is none. `kind` is the
    shape's kind."""


@kernel
def fill_feature(g, i, r, p, n, room, side):
    """Write the feature of core i that faces along the unit vector n to polygon `side` of the workspace: a face, an
    edge or a corner. All is in the frame in which the shape has the rotation r and the position p. Return its number of
    corners, and the normal of the face in that frame (zero for an edge or a corner)."""
    count, normal = _feature(g.whole[i, ShapeIndex.KIND], g, i, mul_t(r, n), room, side)
    for k in range(count):
        set_corner(room, side, k, add(p, mul(r, corner(room, side, k))))
    return count, mul(r, normal)


@kernel
def face_normal(g, i, d):
    """Return the outward normal, in the shape's frame, of the face of shape i whose normal is nearest to the unit
    vector d. If none is within 15 degrees (cosine `corners.FACE`), return zero."""
    return _face(g.whole[i, ShapeIndex.KIND], g, i, d)
