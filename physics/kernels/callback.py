"""Calling a function of C's kind, void f(double *in, double *out), from inside kernels by its machine address.

The address is data (a number in an array), never a constant of the code, so that compiled kernels can be kept on disk.
Without compilation the same call goes through ctypes. What compiles such functions is handed on from numba.
"""

import ctypes
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physics.kernels.jit import compilation_is_off, inline

cfunc: Any = numba.cfunc
njit: Any = numba.njit
carray: Any = numba.carray  # pyright: ignore[reportPrivateImportUsage] - it is in no list of names

POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, POINTER, POINTER)


@intrinsic
def _call_address(typing_context: Any, address: Any, a: Any, i: Any, o: Any, b: Any, j: Any, p: Any) -> Any:
    signature = types.void(types.int64, a, types.int64, types.int64, b, types.int64, types.int64)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, *places = arguments
        double = ir.DoubleType().as_pointer()
        pointers = []
        for k, kind in ((0, signature.args[1]), (3, signature.args[4])):
            array = context.make_array(kind)(context, builder, places[k])
            where = cgutils.get_item_pointer(context, builder, kind, array, places[k + 1 : k + 3])
            pointers.append(builder.bitcast(where, double))
        function = ir.FunctionType(ir.VoidType(), [double, double]).as_pointer()
        builder.call(builder.inttoptr(number, function), pointers)
        return context.get_dummy_value()

    return signature, generate


_call: Any = _call_address


def _by_ctypes(address: float, a: Any, i: int, o: int, b: Any, j: int, p: int) -> None:
    places = [ctypes.cast(x.ctypes.data + r * x.strides[0] + 8 * c, POINTER) for x, r, c in ((a, i, o), (b, j, p))]
    SIGNATURE(int(address))(*places)


@inline
def _by_address(address, a, i, o, b, j, p):
    _call(int(address), a, i, o, b, j, p)


# call(address, a, i, o, b, j, p): f(a[i, o:], b[j, p:])
call: Any = _by_ctypes if compilation_is_off() else _by_address
