"""Shapes of a scene as flat arrays, and where they are: the only place of `shapes` that allocates.

Row i of each array is shape i; parts of a compound are shapes of their own with the same owner.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from physics.definitions import DefinitionError
from physics.kernels import quat
from physics.kernels.jit import entry, inline, kernel
from physics.kernels.pack import packed
from physics.kernels.vec import add, load3, load4, load9, mat_mul, mul, store3, store9
from physics.model import Floats, Ints
from physics.rotations import matrix_of
from physics.shapes.definitions import Compound, Hull, Plane, Shape
from physics.shapes.layout import (
    APART, AXES, FACES, FIRST_FACE, FIRST_VERTEX, FRICTION, GROUP, HALF, KIND, MIDDLE, OFFSET, ORIGIN, OWNER, PLACE,
    REACH, REAL, RESTITUTION, SIZE, STILL, TURN, VERTICES, WHOLE,
)  # fmt: skip
from physics.strict import norm, norms, product

WORLD_BODY = -1
# Groups are bits of a signed 64-bit number.
MOST_GROUPS = 62


@packed
class Geometry(NamedTuple):
    whole: Ints  # (g, WHOLE)
    real: Floats  # (g, REAL)
    vertex: Floats  # (v, 3) of all hulls, each in its own frame
    plane: Floats  # (f, 4) outward normal and offset of all faces
    loop_start: Ints  # (f + 1,)
    loop: Ints  # vertices around each face, numbered within their hull
    neighbour_start: Ints  # (v + 1,)
    neighbour: Ints  # numbered within their hull


def make_geometry(
    shapes: Iterable[tuple[int, Shape]], apart: Sequence[tuple[str, str]] = (), frames: Floats | None = None
) -> Geometry:
    """Shapes with the owner of each (a body's index, -1: the world, and what `layout.OWNER` says). `apart`: pairs of
    groups that never touch (a group may be paired with itself). `frames`: (n, 7) position and quaternion, in the frame
    that `place_shapes` moves, of the frame in which the shapes of each body are given; without it, the two are the
    same."""
    simple = [(body, *part) for body, shape in shapes for part in flatten(shape)]
    _check_planes(simple)
    bits = _group_bits([s.group for _, s, _, _ in simple], apart)
    whole = np.zeros((len(simple), WHOLE), np.int64)
    real = np.zeros((len(simple), REAL))
    hulls = _HullArrays()
    for i, (body, shape, offset, turn) in enumerate(simple):
        if frames is not None and body >= 0:
            outer = matrix_of(frames[body, 3:])
            offset, turn = frames[body, :3] + product(outer, offset), product(outer, turn)
        whole[i, [KIND, OWNER]] = shape.kind, body
        whole[i, [GROUP, APART]] = bits[shape.group]
        real[i, SIZE : SIZE + 3] = shape.measures
        real[i, OFFSET : OFFSET + 3] = offset
        real[i, TURN : TURN + 9] = turn.ravel()
        real[i, FRICTION] = shape.friction
        real[i, RESTITUTION] = shape.restitution
        real[i, REACH] = reach(shape)
        if isinstance(shape, Hull):
            hulls.add(whole[i], real[i], shape)
    return Geometry(whole, real, *hulls.arrays())


def flatten(shape: Shape) -> list[tuple[Shape, Floats, Floats]]:
    """Simple shapes with position and rotation matrix in the body's frame."""
    if not isinstance(shape, Shape):
        raise DefinitionError("shape", shape, "a shape such as Sphere, Box or Compound")
    position, turn = np.array(shape.position), matrix_of(shape.orientation)
    if not isinstance(shape, Compound):
        return [(shape, position, turn)]
    return [(s, position + product(turn, p), product(turn, t)) for part in shape.parts for s, p, t in flatten(part)]


def reach(shape: Shape) -> float:
    """Distance of the farthest point of a simple shape from its origin."""
    if isinstance(shape, Hull):
        return float(norms(shape.polyhedron.vertex).max())
    a, b, c = shape.measures
    return {
        "plane": np.inf, "sphere": a, "capsule": a + b, "box": float(np.sqrt(a * a + b * b + c * c)),
        "cylinder": norm((a, b)),
    }[shape.label]  # fmt: skip


def _check_planes(simple: list[tuple[int, Shape, Floats, Floats]]) -> None:
    for body, shape, _, _ in simple:
        if isinstance(shape, Plane) and body != WORLD_BODY and body > STILL:
            raise DefinitionError("body of a plane", body, "the world: a half space has no end and no mass")


def _group_bits(names: list[str], apart: Sequence[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Number of each group, and the bits of those that it is kept apart from."""
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
    """The arrays that all hulls share, while they are being collected."""

    def __init__(self) -> None:
        self.vertices: list[Floats] = []
        self.planes: list[Floats] = []
        self.loops: list[tuple[int, ...]] = []
        self.neighbours: list[tuple[int, ...]] = []

    def add(self, whole: Ints, real: Floats, hull: Hull) -> None:
        p = hull.polyhedron
        whole[FIRST_VERTEX], whole[VERTICES] = len(self.neighbours), len(p.vertex)
        whole[FIRST_FACE], whole[FACES] = len(self.loops), len(p.plane)
        low, high = p.vertex.min(axis=0), p.vertex.max(axis=0)
        real[MIDDLE : MIDDLE + 3] = 0.5 * (low + high)
        real[HALF : HALF + 3] = 0.5 * (high - low)
        self.vertices.append(p.vertex)
        self.planes.append(p.plane)
        self.loops.extend(p.loop)
        self.neighbours.extend(p.neighbour)

    def arrays(self) -> tuple[Floats, Floats, Ints, Ints, Ints, Ints]:
        return (
            np.concatenate([np.zeros((0, 3)), *self.vertices]), np.concatenate([np.zeros((0, 4)), *self.planes]),
            *_packed(self.loops), *_packed(self.neighbours),
        )  # fmt: skip


def _packed(rows: list[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Where each row starts in one flat array, and that array."""
    start = np.zeros(len(rows) + 1, np.int64)
    start[1:] = np.cumsum([len(r) for r in rows])
    return start, np.array([k for r in rows for k in r], np.int64)


def make_places(geometry: Geometry) -> Floats:
    """(g, PLACE), written by `place_shapes`."""
    return np.zeros((len(geometry.whole), PLACE))


NO_FRAMES = np.zeros((0, 7))


def place_shapes(geometry: Geometry, pose: Floats, place: Floats, frame: Floats = NO_FRAMES) -> None:
    """`fill_places` for Python."""
    run_fill_places(geometry, pose, frame, place)


@entry
def run_fill_places(geometry, pose, frame, place):
    fill_places(geometry, pose, frame, place)


@kernel
def fill_places(g, pose, frame, place):
    """Origin and axes of every shape from the poses of the bodies and of the moving frames: position, quaternion w
    first, a row each."""
    for i in range(g.whole.shape[0]):
        body = g.whole[i, OWNER]
        if body >= 0:
            put_place(g, pose, body, i, place)
        elif body < -1 and body > STILL:
            put_place(g, frame, -2 - body, i, place)
        else:
            store3(place, i, ORIGIN, load3(g.real, i, OFFSET))
            store9(place, i, AXES, load9(g.real, i, TURN))


@inline
def put_place(g, pose, row, i, place):
    r = quat.matrix(load4(pose, row, 3))
    store3(place, i, ORIGIN, add(load3(pose, row, 0), mul(r, load3(g.real, i, OFFSET))))
    store9(place, i, AXES, mat_mul(r, load9(g.real, i, TURN)))
