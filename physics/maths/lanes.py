"""Lanes: four rows of every array at a time, their numbers in one vector register.

    i = four(r)                 stands for the rows r, r + 1, r + 2, r + 3
    a[i, k]                     the four numbers of column k, read and written like one number
    r = fours(i)                one row, whose columns are four numbers each: a[r, k] is a[i, 4 k] to a[i, 4 k + 3]
    p = rows_at(table, r, k)    four rows anywhere: those that column k of rows r to r + 3 of the table names

A helper that is written for one body, with `a[i, k]` for its numbers, works for four bodies if it is called with such
an i. numba compiles it once more, each operation is then one on a register, and each of the four results is the same to
the last bit. The four bodies must be independent of each other. Where a helper decides by a comparison, it must do so
by `choose`, because the results of the four may differ. Without compilation, Python computes one body after the other:
AT_ONCE is then 1, and i a number.

The arithmetic of a body is bound by the number of instructions. Four at a time, a rigid body's own part of a step takes
little more than half the time, and a ball's spring less than half. Eight at a time are no faster, because most of the
time is spent on gathering the numbers. Helpers that gather many numbers for little arithmetic, such as the error of a
joint from the poses of two bodies, gain nothing.
"""

from typing import Any

from physics.compiler.jit import compilation_is_off, deferred, when_compiling

LANES = 4
OFF = compilation_is_off()
AT_ONCE = 1 if OFF else LANES


@when_compiling
def lowering():
    """Return the module that holds what stands for these functions in kernels; importing it teaches numba the
    arithmetic of four."""
    from physics.maths import lanes_lowering

    return lanes_lowering


def _choose_one(answer: bool, yes: float, no: float) -> float:
    """Return `yes` if `answer` is true, else `no`, without compilation."""
    return yes if answer else no


# choose(answer, yes, no), both(a, b), any_of(answer), all_of(answer), each(numbers), total(numbers): of one row or of
# four
four: Any = deferred(int, lambda: lowering().four)
fours: Any = deferred(int, lambda: lowering().fours)
choose: Any = deferred(_choose_one, lambda: lowering().choose)
both: Any = deferred(lambda a, b: a and b, lambda: lowering().both)
any_of: Any = deferred(bool, lambda: lowering().any_of)
all_of: Any = deferred(bool, lambda: lowering().all_of)
are_rows: Any = deferred(lambda i: False, lambda: lowering().are_rows)
row_of: Any = deferred(int, lambda: lowering().row_of)
each: Any = deferred(lambda value: (value,), lambda: lowering().each)
total: Any = deferred(float, lambda: lowering().total)
# is_world(p): whether a parent is none. Four that are taken at a time all have one
is_world: Any = deferred(lambda p: p < 0, lambda: lowering().is_world)
rows_at: Any = deferred(lambda table, row, column: table[row, column], lambda: lowering().rows_at)
