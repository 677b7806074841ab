"""Prefetches: the processor is asked for a row some bodies ahead of its use.

The processor prefetches by itself what comes next in memory. It does not do so for three cache lines out of thirteen,
nor beyond the end of a page (4 kB, some sixty narrow rows), and it looks no farther ahead than its window of
instructions, which the arithmetic of one or two bodies fills. A loop over many bodies therefore asks for the rows of
the body AHEAD of the present one: for parts of wide rows, and for narrow rows where it reads several arrays at once
(this saves 6 % of a step of 100,000 stiff links). A prefetch changes no result, and may name rows that do not exist.
Figures that stay in the caches (`are_many` is false) prefetch nothing; the functions that prefetch are `@rare`, so that
other loops are compiled as if they were not there.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physics.compiler.jit import inline
from physics.compiler.pack_type import POINTER
from physics.maths.lanes import I, OFF, WORD

AHEAD = 16
MANY = 5000  # bodies, some 3 kB each

# Loops over bodies that follow each other go over so many before they go on: what one has read or written of these,
# up to 1 kB a body, the next ones find in the cache of a core (1 MB). Of the rows that the first of them copies it asks
# for those of the next tile. (With 256 they were 2 % slower, as each loop has to start anew.)
TILE = 1024

FLAG = ir.IntType(32)


@inline
def are_many(table):
    """Return whether a table has so many rows that a loop over them should prefetch."""
    return table.shape[0] > MANY


def fetcher(columns: tuple[int, ...], to_write: bool = False) -> Any:
    """Return the function fetch(array, i), which prefetches the cache lines of these columns of row i. `to_write` says
    that the row will be written."""

    def fetch(typing_context: Any, array: Any, i: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            kind = ir.FunctionType(ir.VoidType(), [POINTER, FLAG, FLAG, FLAG])
            ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")
            made = context.make_array(sig.args[0])(context, builder, arguments[0])
            stride = cgutils.unpack_tuple(builder, made.strides, 2)[0]
            row = builder.add(builder.ptrtoint(made.data, WORD), builder.mul(arguments[1], stride))
            how = [ir.Constant(FLAG, k) for k in (int(to_write), 3, 1)]  # 3: to stay, 1: data
            for column in columns:
                place = builder.add(row, ir.Constant(WORD, 8 * column))
                builder.call(ask, [builder.inttoptr(place, POINTER), *how])
            return context.get_dummy_value()

        return types.none(array, I), generate

    return (lambda array, i: None) if OFF else intrinsic(fetch)


fetch_row = fetcher((0,))
fetch_row_to_write = fetcher((0,), True)
