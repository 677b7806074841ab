"""The shapes of a scene as flat arrays, and their poses.

Row i of each array belongs to shape i. Each part of a compound is a separate shape; all parts have the same owner."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from physics.collision.kinds import NUMBERS
from physics.compiler.jit import inline, kernel
from physics.compiler.pack import packed
from physics.data.arrays import array, make, make_field
from physics.data.model import Floats, Ints
from physics.data.shape_tables import STILL, ShapeIndex, ShapePlace, ShapeReal
from physics.definitions.checks import DefinitionError
from physics.maths.rotations import matrix_of
from physics.definitions.shapes.compound import flatten
from physics.definitions.shapes.hull import Hull
from physics.definitions.shapes.shape import MOST_GROUPS, Shape, Solid
from physics.maths import quat
from physics.maths.strict import product
from physics.maths.vec import add, load3, load4, load9, mat_mul, mul, store3, store9

WORLD_BODY = -1


@packed
class Geometry(NamedTuple):
    """The shapes of a scene. A step does not change them. v and f are the numbers of vertices and faces of all hulls
    together."""

    whole: Ints = array(("g", ShapeIndex), "kind, owner and filters of each shape", by="collision")
    real: Floats = array(("g", ShapeReal), "size, place and material of each shape", by="collision")
    vertex: Floats = array(
        ("v", 3), "vertices of all hulls, each in the frame of its hull [m]", "m", frame="hull", by="collision"
    )
    plane: Floats = array(
        ("f", 4),
        "outward normal [1] and offset [m] of each face, in the frame of its hull",
        "1, m",
        frame="hull",
        by="collision",
    )
    loop_start: Ints = array(("f + 1",), "the first place of each face in `loop`", by="collision")
    loop: Ints = array(("corners",), "vertices around each face, numbered within their hull", by="collision")
    neighbour_start: Ints = array(("v + 1",), "the first place of each vertex in `neighbour`", by="collision")
    neighbour: Ints = array(
        ("neighbours",), "vertices at the other end of its edges, numbered within their hull", by="collision"
    )


def make_geometry(
    shapes: Iterable[tuple[int, Shape]], apart: Sequence[tuple[str, str]] = (), frames: Floats | None = None
) -> Geometry:
    """Return the tables of all shapes. `shapes` has the owner and the definition of each shape. An owner is the index
    of a body, -1 for the world, or a lower number for a moving or static body. `apart` lists pairs of groups that never
    touch; a group may be paired with itself. `frames` (n, 7: position, quaternion) is the frame in which the shapes of
    each body are given, relative to the frame whose poses `fill_places` receives. Without `frames`, the two
    coincide."""
    simple = [(body, *part) for body, shape in shapes for part in flatten(shape)]
    _check_kinds(simple)
    bits = _group_bits([s.group for _, s, _, _ in simple], apart)
    sizes = {"g": len(simple)}
    whole, real = make_field(Geometry, "whole", sizes), make_field(Geometry, "real", sizes)
    hulls = _HullArrays()
    for i, (body, shape, offset, turn) in enumerate(simple):
        if frames is not None and body >= 0:
            outer = matrix_of(frames[body, 3:])
            offset, turn = frames[body, :3] + product(outer, offset), product(outer, turn)
        whole[i, [ShapeIndex.KIND, ShapeIndex.OWNER]] = NUMBERS[type(shape)], body
        whole[i, [ShapeIndex.GROUP, ShapeIndex.APART]] = bits[shape.group]
        real[i, ShapeReal.OFFSET : ShapeReal.OFFSET + 3] = offset
        real[i, ShapeReal.TURN : ShapeReal.TURN + 9] = turn.ravel()
        real[i, ShapeReal.FRICTION] = shape.friction
        real[i, ShapeReal.RESTITUTION] = shape.restitution
        real[i, ShapeReal.REACH] = shape.reach() if isinstance(shape, Solid) else np.inf
        if isinstance(shape, Solid):
            real[i, ShapeReal.SIZE : ShapeReal.SIZE + 3] = shape.measures
            real[i, ShapeReal.ROUNDING] = shape.rounding
        if isinstance(shape, Hull):
            hulls.add(whole[i], real[i], shape)
    return make(Geometry, sizes, whole=whole, real=real, **hulls.arrays())


def _check_kinds(simple: list[tuple[int, Shape, Floats, Floats]]) -> None:
    """Refuse kinds of shape that collision detection does not support, and planes on anything that can move."""
    for body, shape, _, _ in simple:
        if type(shape) not in NUMBERS:
            raise DefinitionError("kind of a shape", type(shape).__name__, "a kind of `physics.collision.kinds.KINDS`")
        if shape.endless and body != WORLD_BODY and body > STILL:
            raise DefinitionError("body of a plane", body, "the world: a half space has no end and no mass")


def _group_bits(names: list[str], apart: Sequence[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Return the number of each group, and for each group a bit mask of the groups that it never touches."""
    known = sorted(set(names) | {"default"})
    if len(known) > MOST_GROUPS:
        raise DefinitionError("groups of shapes", len(known), f"at most {MOST_GROUPS}")
    number = {name: k for k, name in enumerate(known)}
    bits = dict.fromkeys(known, 0)
    for pair in apart:
        if isinstance(pair, str) or len(pair) != 2 or not set(pair) <= set(known):
            raise DefinitionError("groups kept apart", pair, f"two of {known}")
        a, b = pair
        bits[a] |= 1 << number[b]
        bits[b] |= 1 << number[a]
    return {name: (number[name], bits[name]) for name in known}


class _HullArrays:
    """The arrays that all hulls share, collected hull by hull."""

    def __init__(self) -> None:
        """Start without hulls."""
        self.vertices: list[Floats] = []
        self.planes: list[Floats] = []
        self.loops: list[tuple[int, ...]] = []
        self.neighbours: list[tuple[int, ...]] = []

    def add(self, whole: Ints, real: Floats, hull: Hull) -> None:
        """Append the vertices, faces and edges of a hull. Write their ranges to `whole`, and the bounding box [m] to
        `real`. `whole` and `real` are the rows of its shape."""
        p = hull.polyhedron
        whole[ShapeIndex.FIRST_VERTEX], whole[ShapeIndex.VERTICES] = len(self.neighbours), len(p.vertex)
        whole[ShapeIndex.FIRST_FACE], whole[ShapeIndex.FACES] = len(self.loops), len(p.plane)
        low, high = p.vertex.min(axis=0), p.vertex.max(axis=0)
        real[ShapeReal.MIDDLE : ShapeReal.MIDDLE + 3] = 0.5 * (low + high)
        real[ShapeReal.HALF : ShapeReal.HALF + 3] = 0.5 * (high - low)
        self.vertices.append(p.vertex)
        self.planes.append(p.plane)
        self.loops.extend(p.loop)
        self.neighbours.extend(p.neighbour)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the arrays of all hulls, by their names in `Geometry`."""
        loop_start, loop = _packed(self.loops)
        neighbour_start, neighbour = _packed(self.neighbours)
        return {
            "vertex": np.concatenate([np.zeros((0, 3)), *self.vertices]),
            "plane": np.concatenate([np.zeros((0, 4)), *self.planes]),
            "loop_start": loop_start, "loop": loop, "neighbour_start": neighbour_start, "neighbour": neighbour,
        }  # fmt: skip


def _packed(rows: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Write the rows one after the other to a flat array. Return the index at which each row starts, and this array."""
    start = np.zeros(len(rows) + 1, np.int64)
    start[1:] = np.cumsum([len(r) for r in rows])
    return start, np.array([k for r in rows for k in r], np.int64)


NO_FRAMES = np.zeros((0, 7))


@kernel
def fill_places(g, pose, frame, place):
    """Write the origin and the axes of every shape to `place`. `pose` has the poses of the bodies, and `frame` those of
    the moving bodies (position in m, quaternion with w first)."""
    for i in range(g.whole.shape[0]):
        body = g.whole[i, ShapeIndex.OWNER]
        if body >= 0:
            put_place(g, pose, body, i, place)
        elif body < -1 and body > STILL:
            put_place(g, frame, -2 - body, i, place)
        else:
            store3(place, i, ShapePlace.ORIGIN, load3(g.real, i, ShapeReal.OFFSET))
            store9(place, i, ShapePlace.AXES, load9(g.real, i, ShapeReal.TURN))


@inline
def put_place(g, pose, row, i, place):
    """Write the origin and the axes of shape i to row i of `place`. Its body has the pose in row `row` of `pose`."""
    r = quat.matrix(load4(pose, row, 3))
    store3(place, i, ShapePlace.ORIGIN, add(load3(pose, row, 0), mul(r, load3(g.real, i, ShapeReal.OFFSET))))
    store9(place, i, ShapePlace.AXES, mat_mul(r, load9(g.real, i, ShapeReal.TURN)))
