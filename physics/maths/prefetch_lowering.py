"""How numba prefetches rows (`maths.prefetch`)."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physics.compiler.pack_lowering import POINTER
from physics.maths.lanes_lowering import I, WORD

FLAG = ir.IntType(32)


def fetcher(columns: tuple[int, ...], to_write: bool) -> Any:
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

    return intrinsic(fetch)
