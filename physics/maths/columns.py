"""Neighbouring columns of a row as a tuple of numbers: load, store, add. Of four rows, as a tuple of fours.

    load = loader(n)    load(a, i, o)     a[i, o], ..., a[i, o + n - 1]
    store = storer(n)   store(a, i, o, v)
    add = adder(n)      add(a, i, o, v)   a[i, o + k] += v[k]; of four rows from the last to the first: rows that
                                          are the same get all

    flat(a)             all numbers of a table as one row: loops over it are compiled for several at a time
    copy_scaled(a, o, x, out, r)    x times six columns of every row, into six of another table

Where i stands for four rows (maths/lanes.py), four columns of each are moved at once, and exchanged with eight
shuffles: gathered number by number they took longer than the arithmetic on them.
"""

from typing import Any

from physics.compiler.jit import deferred, kernel, rare
from physics.maths.prefetch import AHEAD, are_many, fetch_row, fetch_row_to_write


def lowering():
    """Return the module that holds what stands for these functions in kernels."""
    from physics.maths import columns_lowering

    return columns_lowering


def loader(count: int) -> Any:
    """Return the function load(a, i, o), which returns the columns o to o + count - 1 of row i (or of four rows) of
    `a`."""

    def load(array: Any, i: int, column: int) -> Any:
        return tuple(array[i, column + k] for k in range(count))

    return deferred(load, lambda: lowering().loader(count))


def storer(count: int) -> Any:
    """Return the function store(a, i, o, v), which writes the `count` numbers v to row i of `a`, from column o on."""

    def store(array: Any, i: int, column: int, values: Any) -> None:
        for k in range(count):
            array[i, column + k] = values[k]

    return deferred(store, lambda: lowering().writer(count, adds=False))


def adder(count: int) -> Any:
    """Return the function add(a, i, o, v), which adds the `count` numbers v to row i of `a`, from column o on."""

    def add(array: Any, i: int, column: int, values: Any) -> None:
        for k in range(count):
            array[i, column + k] = array[i, column + k] + values[k]

    return deferred(add, lambda: lowering().writer(count, adds=True))


def _copy(array: Any, out: Any) -> None:
    out[...] = array


def _clear(array: Any) -> None:
    array[...] = 0.0


def _copy_rows(array: Any, out: Any, first: int, end: int) -> None:
    """Return numba's signature and code of the function that copies rows `first` to `end` - 1 of `array` to `out`."""
    out[first:end] = array[first:end]


def _clear_rows(array: Any, first: int, end: int) -> None:
    """Return numba's signature and code of the function that sets rows `first` to `end` - 1 of `array` to zero."""
    array[first:end] = 0.0


# copy_all(a, out), clear_all(a): whole arrays of the same size; copy_rows(a, out, first, end), clear_rows(a, first,
# end): some of their rows. A loop over rows moves number by number, as it might be that they overlap
copy_all: Any = deferred(_copy, lambda: lowering().copy_all)
clear_all: Any = deferred(_clear, lambda: lowering().clear_all)
copy_rows: Any = deferred(_copy_rows, lambda: lowering().copy_rows)
clear_rows: Any = deferred(_clear_rows, lambda: lowering().clear_rows)
flat: Any = deferred(lambda array: array.reshape(-1), lambda: lowering().flat)


_load6, _store6 = loader(6), storer(6)


@rare
def _ask(a, out, i):
    """Prefetch row i of `a` to read, and row i of `out` to write."""
    fetch_row(a, i)
    fetch_row_to_write(out, i)


@kernel
def copy_scaled(a, o, x, out, r):
    """Set six columns of `out`, from column r on, to x times six columns of `a`, from column o on."""
    many = are_many(out)
    for i in range(out.shape[0]):
        if many:
            _ask(a, out, i + 2 * AHEAD)
        b = _load6(a, i, o)
        _store6(out, i, r, (x * b[0], x * b[1], x * b[2], x * b[3], x * b[4], x * b[5]))
