"""Calls of C functions, void f(double *in, double *out), from kernels, by machine address.

The address is a number in an array, and never a constant of the machine code. Compiled kernels can therefore be kept on
disk. Without compilation, the same call goes through ctypes.

Such C functions are compiled here, too. Code that many of them share is one function of three pointers, which is kept
on disk. Each C function is then a thunk of four instructions, which calls the shared function with data of its own as
the third pointer."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

import numba
import numba.extending
import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from physics.compiler.jit import c_function, compilation_is_off, inline

njit: Any = numba.njit
jitable: Any = numba.extending.register_jitable  # a part of a user's compiled function; Python calls it as it stands
carray: Any = numba.carray  # pyright: ignore[reportPrivateImportUsage] - it is in no list of names

POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, POINTER, POINTER)


@intrinsic
def _call_address(typing_context: Any, address: Any, a: Any, i: Any, o: Any, b: Any, j: Any, p: Any) -> Any:
    """Return what numba needs for an intrinsic: the signature and the code generator of a call of the C function at
    `address`, with pointers to a[i, o] and b[j, p]."""
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


# call_address(address, a, i, o, b, j, p): as `call`, in compiled code alone, of an address that is a whole number
call_address: Any = _call_address


def _by_ctypes(address: float, a: Any, i: int, o: int, b: Any, j: int, p: int) -> None:
    """Call the C function at `address` with pointers to a[i, o] and b[j, p], without compilation."""
    places = [ctypes.cast(x.ctypes.data + r * x.strides[0] + 8 * c, POINTER) for x, r, c in ((a, i, o), (b, j, p))]
    SIGNATURE(int(address))(*places)


@inline
def _by_address(address, a, i, o, b, j, p):
    """Call the C function at `address` (a whole number stored as a double) with pointers to a[i, o] and b[j, p]."""
    call_address(int(address), a, i, o, b, j, p)


# call(address, a, i, o, b, j, p): f(a[i, o:], b[j, p:])
call: Any = _by_ctypes if compilation_is_off() else _by_address


@cache
def shared(function: Callable[..., Any]) -> Any:
    """Return the C function of a Python function. In each process it is compiled, or read from the disk, only once."""
    return c_function(function, 3, kept=True)


class Thunk:
    """A C function void f(double *in, double *out), which calls a shared function with data of its own. `alive` has
    references to the objects to which the data point, so that they are not freed."""

    def __init__(self, function: Callable[..., Any], data: np.ndarray, alive: tuple[Any, ...] = ()):
        """Compile machine code that calls `function` with the caller's two pointers and a pointer to `data`. Set
        `address` to the address of this code, and `ctypes` to a function by which Python can call it."""
        self.data = data  # its address is in the code
        self.alive = alive
        double = ir.DoubleType().as_pointer()
        target = ir.FunctionType(ir.VoidType(), [double] * 3).as_pointer()
        module = ir.Module()
        thunk = ir.Function(module, ir.FunctionType(ir.VoidType(), [double] * 2), "thunk")
        builder = ir.IRBuilder(thunk.append_basic_block())
        word = ir.IntType(64)
        address = builder.inttoptr(ir.Constant(word, shared(function).address), target)
        own = builder.inttoptr(ir.Constant(word, data.ctypes.data), double)
        builder.call(address, [*thunk.args, own])
        builder.ret_void()
        machine = binding.Target.from_default_triple().create_target_machine()
        self.engine = binding.create_mcjit_compiler(binding.parse_assembly(str(module)), machine)
        self.engine.finalize_object()
        self.address = self.engine.get_function_address("thunk")
        self.ctypes = SIGNATURE(self.address)
