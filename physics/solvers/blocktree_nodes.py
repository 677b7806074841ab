"""The nodes of a block tree, in elimination order: where each block stands in the values, and which kernels take it."""

from typing import NamedTuple

import numpy as np

from physics.compiler.jit import inline
from physics.compiler.pack import packed
from physics.data.model import Ints

SIZE = 0  # dimension
UP = 1  # parent node, -1 for roots
UP_SIZE = 2  # its dimension, 0 for roots
FAR = 3  # grandparent node with which there may be a block, -1 for none
FAR_ROWS = 4  # that block couples the last so many unknowns of the node (0: not there in the present factor)
FAR_COLUMNS = 5  # with the last so many of its grandparent
DIAGONAL = 6  # place of H_ii in the values: lower triangle by rows
UP_BLOCK = 7  # place of H_i,up: by rows
FAR_BLOCK = 8  # place of H_i,far: by rows
PLACE = 9  # place of x_i in the right-hand side
METHOD = 10  # which kernels (codes below)
NODE = 11
# ANY, else a rigid body under three to six rows, or the rows between two rigid bodies
ANY, SIX, SIX_THREE, SIX_FIVE, ROWS_SIX, THREE_SIX, FIVE_SIX = range(7)
# Offsets are cut to 40 bits: the compiler then knows that they are not negative, and leaves out the test for indices
# that count from the end (a fifth of the time).
PLACES = (1 << 40) - 1


@packed
class Tree(NamedTuple):
    """The shape of H. Reusable for any values of this shape."""

    node: Ints  # (nodes, NODE)
    values: int  # how many numbers H takes
    unknowns: int


def make_tree(sizes: list[int], parents: list[int], far: list[bool], special: bool = True) -> Tree:
    """Returns a tree with nodes of these sizes, parents after their children. `far` asks for a block with the
    grandparent. `special=False` leaves out the kernels for common dimensions."""
    node = np.zeros((len(sizes), NODE), np.int64)
    at = place = 0
    for i, (size, up) in enumerate(zip(sizes, parents, strict=True)):
        beyond = parents[up] if far[i] and up >= 0 else -1
        node[i, [SIZE, UP, FAR, DIAGONAL, PLACE]] = size, up, beyond, at, place
        at += size * (size + 1) // 2
        node[i, UP_BLOCK] = at
        if up >= 0:
            node[i, UP_SIZE] = sizes[up]
            at += size * sizes[up]
        node[i, FAR_BLOCK] = at
        if beyond >= 0:
            node[i, [FAR_ROWS, FAR_COLUMNS]] = size, sizes[beyond]
            at += size * sizes[beyond]
        place += size
        if special:
            node[i, METHOD] = _method(size, int(node[i, UP_SIZE]), sizes[beyond] if beyond >= 0 else 0)
    return Tree(node, at, place)


def _method(size: int, up: int, far: int) -> int:
    """Returns the code of the kernels for a node of these dimensions."""
    if size == 6 and 3 <= up <= 6 and far in (0, 6):
        return {3: SIX_THREE, 5: SIX_FIVE}.get(up, SIX)
    if 3 <= size <= 6 and up == 6 and far == 0:
        return {3: THREE_SIX, 5: FIVE_SIX}.get(size, ROWS_SIX)
    return ANY


@inline
def method_of(node, i):
    """Returns which kernels take node i now: a rigid body's know one block with the grandparent, the angular one."""
    if node[i, FAR_ROWS] > 0 and not (node[i, FAR_ROWS] == 3 and node[i, FAR_COLUMNS] == 3):
        return ANY
    return node[i, METHOD]
