"""Box: `size` is the half sizes along x, y, z. Bits 0, 1, 2 of the number of a corner belong to x, y, z: if a bit is
set, the corner is at +size along that axis, else at -size."""

from physics.collision.corners import EDGE, FACE, put_corner
from physics.compiler.jit import inline, kernel
from physics.data.shape_tables import ShapeReal
from physics.maths.vec import ZERO3, load3


@inline
def support(g, i, d):
    """Return the point of box i farthest along d. Both are in the shape's frame."""
    size = load3(g.real, i, ShapeReal.SIZE)
    return (
        size[0] if d[0] >= 0.0 else -size[0],
        size[1] if d[1] >= 0.0 else -size[1],
        size[2] if d[2] >= 0.0 else -size[2],
    )


@inline
def half_extents(size, axes):
    """Return the half sizes [m], along the world's axes, of the smallest box around a box. The latter has the half
    sizes `size` and the 3x3 rotation matrix `axes`."""
    return (
        abs(axes[0]) * size[0] + abs(axes[1]) * size[1] + abs(axes[2]) * size[2],
        abs(axes[3]) * size[0] + abs(axes[4]) * size[1] + abs(axes[5]) * size[2],
        abs(axes[6]) * size[0] + abs(axes[7]) * size[1] + abs(axes[8]) * size[2],
    )


@inline
def bounds(g, i, origin, axes):
    """Return the middle and the half sizes [m] of a box around shape i along the world's axes. The shape is at
    `origin`, and `axes` is its 3x3 rotation matrix."""
    return origin, half_extents(load3(g.real, i, ShapeReal.SIZE), axes)


@inline
def _put_corner(size, room, side, k, number):
    """Write a corner of a box with the half sizes `size` as corner k of polygon `side` of the workspace. `number` is
    the number of the corner in the box, from which its name follows."""
    x = size[0] if number & 1 else -size[0]
    y = size[1] if number & 2 else -size[1]
    z = size[2] if number & 4 else -size[2]
    put_corner(room, side, k, (x, y, z), number)


@kernel
def feature(g, i, d, room, side):
    """Write the face, edge or corner of box i that faces along d to polygon `side` of the workspace. Return its number
    of corners, and the normal of the face (zero for an edge or a corner)."""
    size = load3(g.real, i, ShapeReal.SIZE)
    near = (1 if d[0] >= 0.0 else 0) + (2 if d[1] >= 0.0 else 0) + (4 if d[2] >= 0.0 else 0)
    for k in range(3):
        if abs(d[k]) > FACE:
            up = d[k] > 0.0
            a = 1 << ((k + 1) % 3)
            b = 1 << ((k + 2) % 3)
            base = (1 << k) if up else 0
            # anticlockwise seen along -n: from a to b for an upper face, from b to a for a lower one
            _put_corner(size, room, side, 0, base)
            _put_corner(size, room, side, 1, base + (a if up else b))
            _put_corner(size, room, side, 2, base + a + b)
            _put_corner(size, room, side, 3, base + (b if up else a))
            s = 1.0 if up else -1.0
            return 4, (s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0)
    for k in range(3):
        if abs(d[k]) < EDGE:
            base = near & ~(1 << k)
            _put_corner(size, room, side, 0, base)
            _put_corner(size, room, side, 1, base + (1 << k))
            return 2, ZERO3
    _put_corner(size, room, side, 0, near)
    return 1, ZERO3


@kernel
def face(g, i, d):
    """Return the outward normal, in the shape's frame, of the face whose normal is within 15 degrees (cosine `FACE`) of
    the unit vector d. If there is none, return zero."""
    for k in range(3):
        if abs(d[k]) > FACE:
            s = 1.0 if d[k] > 0.0 else -1.0
            return s if k == 0 else 0.0, s if k == 1 else 0.0, s if k == 2 else 0.0
    return ZERO3
