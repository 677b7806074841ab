"""Rows asked for ahead of their use.

    fetch = fetcher(columns)             fetch(array, i): the cache lines where these columns of row i stand
    fetch = fetcher(columns, True)       the same, of a row that is about to be written

The processor asks by itself for what comes next in memory, but not for three cache lines of each thirteen, and it looks
no farther ahead than its window of instructions, which the arithmetic of one or two bodies fills. A loop over many
bodies that takes parts of wide rows asks for those of the body AHEAD of the present one. That changes no result, and
may name rows that are none. Figures that stay in the caches (`are_many`) ask for nothing: who asks is `@rare`, so that
their loops are compiled as if it were not there.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physics.kernels.jit import inline
from physics.kernels.lanes import OFF, WORD, I
from physics.kernels.pack import POINTER

AHEAD = 16
MANY = 2000  # bodies, some 3 kB each

# Loops over bodies that follow each other go over so many before they go on: what one has read or written of these,
# some 1.5 kB a body, the next ones find in the cache of a core (1 MB).
TILE = 256

FLAG = ir.IntType(32)


@inline
def are_many(table):
    """Whether a loop over the rows of this table should ask ahead"""
    return table.shape[0] > MANY


def fetcher(columns: tuple[int, ...], to_write: bool = False) -> Any:
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
