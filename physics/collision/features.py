"""The face, edge or corner of a core that lies against a normal, as a polygon, a segment or a point."""

from physics.collision.corners import corner, set_corner
from physics.collision.kinds import by_kind
from physics.compiler.jit import kernel
from physics.data.shape_tables import ShapeIndex
from physics.maths.vec import ZERO3, add, mul, mul_t


@by_kind("feature", (0, ZERO3))
def _feature(kind, g, i, d, room, side):
    """Writes what core i of this kind shows along d, a face, an edge or a corner, to polygon `side` of the workspace,
    in the shape's frame. Returns its number of corners, and the normal of the face (zero for edges and corners)."""


@by_kind("face", ZERO3)
def _face(kind, g, i, d):
    """Return the outward normal of the face of shape i that lies along d, or zero. `kind` is the shape's kind."""


@kernel
def fill_feature(g, i, r, p, n, room, side):
    """Write the face, edge or corner of core i that lies along the unit vector n to polygon `side` of the workspace, in
    the frame in which the shape has rotation r and position p. Return its number of corners, and the normal of the face
    in that frame (zero for edges and corners)."""
    count, normal = _feature(g.whole[i, ShapeIndex.KIND], g, i, mul_t(r, n), room, side)
    for k in range(count):
        set_corner(room, side, k, add(p, mul(r, corner(room, side, k))))
    return count, mul(r, normal)


@kernel
def face_normal(g, i, d):
    """Return the outward normal, in the shape's frame, of the face of shape i nearest in direction to the unit vector
    d; zero if none is within the angle of `corners.FACE`."""
    return _face(g.whole[i, ShapeIndex.KIND], g, i, d)
