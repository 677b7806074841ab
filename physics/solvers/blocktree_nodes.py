"""The nodes of a block tree, in elimination order: the place of each block in the values, and the kernels for each
node.
"""

from typing import NamedTuple

import numpy as np

from physics.compiler.table import Table, column
from physics.compiler.jit import inline
from physics.compiler.pack import packed
from physics.data.model import Ints


class Node(Table):
    """Columns of one node of the block tree."""

    SIZE = column("dimension")
    UP = column("parent node; -1: a root")
    UP_SIZE = column("dimension of the parent node; 0 at a root")
    FAR = column("grandparent node with which there may be a block; -1: none")
    FAR_ROWS = column("that block couples the last so many unknowns of the node; 0: not in the present factor")
    FAR_COLUMNS = column("with the last so many unknowns of the grandparent")
    DIAGONAL = column("place of H_ii in the values: lower triangle by rows")
    UP_BLOCK = column("place of H_i,up in the values: by rows")
    FAR_BLOCK = column("place of H_i,far in the values: by rows")
    PLACE = column("place of x_i in the right-hand side")
    METHOD = column("which kernels eliminate it (`Shape`)")


class Shape(Table):
    """Values of Node.METHOD: shapes of nodes for which there are kernels. ANY: any dimensions. SIX, SIX_THREE,
    SIX_FIVE: a rigid body whose parent node has three to six, three, or five rows. ROWS_SIX, THREE_SIX, FIVE_SIX: three
    to six, three, or five rows whose parent node is a rigid body."""

    ANY = 0
    SIX = 1
    SIX_THREE = 2
    SIX_FIVE = 3
    ROWS_SIX = 4
    THREE_SIX = 5
    FIVE_SIX = 6


# Offsets are cut to 40 bits: the compiler then knows that they are not negative, and leaves out the test for indices
# that count from the end (a fifth of the time).
PLACES = (1 << 40) - 1


@packed
class Tree(NamedTuple):
    """The shape of H, which values of different systems share."""

    node: Ints  # (nodes, NODE)
    values: int  # how many numbers H takes
    unknowns: int


def make_tree(sizes: list[int], parents: list[int], far: list[bool], special: bool = True) -> Tree:
    """Return a tree with nodes of these sizes, parents after their children. `far` says which nodes have a block with
    the grandparent. With `special=False` all nodes use the kernels for any dimension."""
    node = np.zeros((len(sizes), Node.WIDTH), np.int64)
    at = place = 0
    for i, (size, up) in enumerate(zip(sizes, parents, strict=True)):
        beyond = parents[up] if far[i] and up >= 0 else -1
        node[i, [Node.SIZE, Node.UP, Node.FAR, Node.DIAGONAL, Node.PLACE]] = size, up, beyond, at, place
        at += size * (size + 1) // 2
        node[i, Node.UP_BLOCK] = at
        if up >= 0:
            node[i, Node.UP_SIZE] = sizes[up]
            at += size * sizes[up]
        node[i, Node.FAR_BLOCK] = at
        if beyond >= 0:
            node[i, [Node.FAR_ROWS, Node.FAR_COLUMNS]] = size, sizes[beyond]
            at += size * sizes[beyond]
        place += size
        if special:
            node[i, Node.METHOD] = _method(size, int(node[i, Node.UP_SIZE]), sizes[beyond] if beyond >= 0 else 0)
    return Tree(node, at, place)


def _method(size: int, up: int, far: int) -> int:
    """Return the code (`Shape`) of the kernels for a node of dimension `size` with a parent and grandparent of
    dimensions `up` and `far`, 0 for none."""
    if size == 6 and 3 <= up <= 6 and far in (0, 6):
        return {3: Shape.SIX_THREE, 5: Shape.SIX_FIVE}.get(up, Shape.SIX)
    if 3 <= size <= 6 and up == 6 and far == 0:
        return {3: Shape.THREE_SIX, 5: Shape.FIVE_SIX}.get(size, Shape.ROWS_SIX)
    return Shape.ANY


@inline
def method_of(node, i):
    """Return the code (`Shape`) of the kernels for node i in the present factor. The kernels for rigid bodies support
    only a block with the grandparent that couples the angular parts (3x3)."""
    if node[i, Node.FAR_ROWS] > 0 and not (node[i, Node.FAR_ROWS] == 3 and node[i, Node.FAR_COLUMNS] == 3):
        return Shape.ANY
    return node[i, Node.METHOD]
