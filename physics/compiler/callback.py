"""Calling a function of C's kind, void f(double *in, double *out), from inside kernels by its machine address.

The address is data (a number in an array), never a constant of the code, so that the machine code of kernels can be
kept. Without compilation the same call goes through ctypes.

Such functions are compiled here too. Code that many of them share is an entry of three pointers, which is kept on disk.
A thunk of four instructions for each function calls it with that function's data.
"""

import ctypes
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from physics.compiler import loader
from physics.compiler.jit import Entry, backend, deferred, inline

POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, POINTER, POINTER)


def _by_ctypes(address: float, a: Any, i: int, o: int, b: Any, j: int, p: int) -> None:
    """Call the C function at `address` with pointers to a[i, o] and b[j, p], without compilation."""
    places = [ctypes.cast(x.ctypes.data + r * x.strides[0] + 8 * c, POINTER) for x, r, c in ((a, i, o), (b, j, p))]
    SIGNATURE(int(address))(*places)


def _compiled_call() -> Any:
    """Return what kernels call by the name `call_address`."""
    from physics.compiler.call_lowering import call_address

    return call_address


# call_address(address, a, i, o, b, j, p): f(a[i, o:], b[j, p:]), the address a whole number
call_address: Any = deferred(_by_ctypes, _compiled_call)


@inline
def call(address, a, i, o, b, j, p):
    """f(a[i, o:], b[j, p:]) of the function at an address that stands among numbers"""
    call_address(int(address), a, i, o, b, j, p)


def _carray() -> Any:
    """Return what compiled functions call by the name `carray`."""
    from physics.compiler.call_lowering import numbers_at

    return numbers_at


def _table_of() -> Any:
    """Return what compiled functions call by the name `table_of`."""
    from physics.compiler.call_lowering import table_of

    return table_of


# carray(pointer, shape): the numbers at an address as an array
carray: Any = deferred(np.ctypeslib.as_array, _carray)
# table_of(numbers, rows, columns): a row of numbers as a table
table_of: Any = deferred(lambda numbers, rows, columns: numbers.reshape((rows, columns)), _table_of)

_numbers = count()


class CFunction:
    """A compiled function of C's kind with two pointers; `alive` keeps alive what its code refers to."""

    def __init__(self, address: int, alive: tuple[Any, ...] = ()):
        self.address = address
        self.alive = alive
        self.ctypes = SIGNATURE(address)


def c_function(function: Callable[..., Any]) -> CFunction:
    """Return a Python function of two pointers as a C function, compiled as one unit with all that it calls. It may
    allocate."""
    symbol = f"marionette.user.{next(_numbers)}"
    return CFunction(loader.load(backend().compile_c_function(function, 2, symbol), symbol))


def thunk(function: Entry, data: np.ndarray, alive: tuple[Any, ...] = ()) -> CFunction:
    """Return the C function of two pointers that calls an entry of three pointers, the third of them that of `data`.
    `alive` holds references to the objects that the data point to."""
    symbol = f"marionette.thunk.{next(_numbers)}"
    target, own = function.address_for(tuple(function.takes)), data.ctypes.data
    code = f"""
        define void @"{symbol}"(double* %a, double* %b) {{
            %f = inttoptr i64 {target} to void (double*, double*, double*)*
            %d = inttoptr i64 {own} to double*
            call void %f(double* %a, double* %b, double* %d)
            ret void
        }}"""
    return CFunction(loader.load_assembly(code, symbol), (data, *alive))
