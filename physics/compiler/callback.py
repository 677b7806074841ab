"""Calling a function of C's kind, void f(double *in, double *out), from inside kernels by its machine address.

The address is data (a number in an array), never a constant of the code, so that the machine code of kernels can be
kept. Without compilation the same call goes through ctypes.

Such functions are compiled here too. What many of them have in common is one function of three pointers, kept on disk;
a thunk of four instructions for each of them hands it its data.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from physics.compiler import loader, store
from physics.compiler.jit import backend, compilation_is_off, deferred, inline

POINTER = ctypes.POINTER(ctypes.c_double)
SIGNATURE = ctypes.CFUNCTYPE(None, POINTER, POINTER)


def _by_ctypes(address: float, a: Any, i: int, o: int, b: Any, j: int, p: int) -> None:
    places = [ctypes.cast(x.ctypes.data + r * x.strides[0] + 8 * c, POINTER) for x, r, c in ((a, i, o), (b, j, p))]
    SIGNATURE(int(address))(*places)


def _compiled_call() -> Any:
    from physics.compiler.call_lowering import call_address

    return call_address


# call_address(address, a, i, o, b, j, p): f(a[i, o:], b[j, p:]), the address a whole number
call_address: Any = deferred(_by_ctypes, _compiled_call)


@inline
def call(address, a, i, o, b, j, p):
    """f(a[i, o:], b[j, p:]) of the function at an address that stands among numbers"""
    call_address(int(address), a, i, o, b, j, p)


def _carray() -> Any:
    from numba import carray

    return carray


# carray(pointer, shape): the numbers at an address as an array
carray: Any = deferred(np.ctypeslib.as_array, _carray)

_numbers = count()


class CFunction:
    """A compiled function of C's kind with two pointers; `alive` keeps alive what its code refers to."""

    def __init__(self, address: int, alive: tuple[Any, ...] = ()):
        self.address = address
        self.alive = alive
        self.ctypes = SIGNATURE(address)


def c_function(function: Callable[..., Any]) -> CFunction:
    """Compile a Python function of two pointers, which may allocate, with all that it calls."""
    symbol = f"marionette.user.{next(_numbers)}"
    return CFunction(loader.load(backend().compile_c_function(function, 2, symbol), symbol))


@cache
def shared_address(function: Callable[..., Any]) -> int:
    """Return the address of the C function of a Python function of three pointers, compiled or read from the disk, once
    in a process."""
    label, source = f"{function.__module__}.{function.__name__} ppp", Path(function.__code__.co_filename)
    code = store.find(label, source)
    if code is None:
        code = backend().compile_c_function(function, 3, label)
        store.keep(label, source, code)
    backend().start_runtime()  # it allocates
    return loader.load(code, label)


def thunk(function: Callable[..., Any], data: np.ndarray, alive: tuple[Any, ...] = ()) -> CFunction:
    """Return the C function of two pointers that calls a shared function of three with data of its own."""
    symbol = f"marionette.thunk.{next(_numbers)}"
    target, own = shared_address(function), data.ctypes.data
    code = f"""
        define void @"{symbol}"(double* %a, double* %b) {{
            %f = inttoptr i64 {target} to void (double*, double*, double*)*
            %d = inttoptr i64 {own} to double*
            call void %f(double* %a, double* %b, double* %d)
            ret void
        }}"""
    return CFunction(loader.load_assembly(code, symbol), (data, *alive))
