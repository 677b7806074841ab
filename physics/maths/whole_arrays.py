"""Copies, differences and products of whole tables."""

from physics.compiler.jit import kernel
from physics.maths.columns import flat


@kernel
def copy(a, out):
    """Copy all numbers of `a` to `out`, a table of the same shape."""
    source = flat(a)
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = source[i]


@kernel
def clear(out):
    """Set all numbers of a table to zero."""
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = 0.0


@kernel
def difference(a, b, out):
    """Set out = a - b, for three tables of one shape."""
    first = flat(a)
    second = flat(b)
    target = flat(out)
    for i in range(target.shape[0]):
        target[i] = first[i] - second[i]


@kernel
def product(a, b):
    """Return the sum of a[i, j] b[i, j] over two tables of one shape."""
    total = 0.0
    for i in range(a.shape[0]):
        # Each row has a sum of its own: in a single sum every addition waits for the one before.
        row = 0.0
        for j in range(a.shape[1]):
            row += a[i, j] * b[i, j]
        total += row
    return total
