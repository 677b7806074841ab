"""Copies, differences and products of whole tables."""

from physics.compiler.jit import kernel
from physics.maths.columns import flat


@kernel
def copy(a, out):
    """out = a: all numbers of a table into one of the same shape."""
    source = flat(a)
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def clear(out):
    """Sets all numbers of a table to zero."""
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = 0.0


@kernel
def difference(a, b, out):
    """out = a - b, for three tables of one shape."""
    first = flat(a)
    second = flat(b)
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = first[i] - second[i]


@kernel
def product(a, b):
    """Returns the sum of a[i, j] b[i, j] over two tables of one shape."""
    total = 0.0
    for i in range(a.shape[0]):
        # Each row has a sum of its own: in a single sum every addition waits for the one before.
        row = 0.0
        for j in range(a.shape[1]):
            row += a[i, j] * b[i, j]
        total += row
    return total
