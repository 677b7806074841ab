"""Calls from one compiled unit to another by machine address.

An integrator, a solver mode, the guard and the anticipation are units: entries of the same form `(m, s, w) -> int` or
`(m, s, w, space) -> int`, each compiled by itself and once, whichever units it works with. `drive` calls them through a
table of addresses, with the addresses of the packed tuples' words (`compiler.pack`) in another. The addresses are data,
so the caller can be kept in the disk cache. Without compilation the tables hold the functions and the tuples.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from physics.compiler.jit import Entry, Wanted, called, compilation_is_off, inline
from physics.compiler.pack_type import POINTER, WORD


COUNT, TABLE = types.int64, types.Array(types.int64, 1, "C")  # types of a caller's arguments


def tables(functions: list[Any], packs: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the addresses of the units, which are compiled if necessary, and the addresses of the packed tuples'
    words. A unit takes as many of the tuples as it has arguments; None stands for a unit that is never called. Without
    compilation, return the functions and tuples themselves."""
    if compilation_is_off():
        return functions, packs
    addresses = [0 if f is None else unit_address(f, packs) for f in functions]
    return np.array(addresses, np.int64), np.array([p.handle.address for p in packs], np.int64)


def unit_address(unit: Entry, packs: tuple[Any, ...]) -> int:
    """Return the address of a unit's machine code for these packed tuples, compiled if necessary."""
    return unit.address_for(unit_types(unit, packs))


def unit_types(unit: Entry, packs: tuple[Any, ...]) -> tuple[types.Type, ...]:
    """Return the types of the arguments of a unit, which takes as many of the tuples as it has arguments."""
    return tuple(p.handle.kind for p in packs[: unit.py_func.__code__.co_argcount])


def wanted(functions: list[Any], packs: tuple[Any, ...]) -> list[Wanted]:
    """Return the entries that `tables` compiles, with the types of their arguments."""
    return [(f, unit_types(f, packs)) for f in functions if f is not None]


def _caller(count: int) -> Any:
    """Return the function call(address, places) -> int for a unit with `count` arguments, in numba's convention for
    compiled functions."""
    kinds = [types.voidptr] * count

    def call_unit(typing_context: Any, address: Any, places: Any) -> Any:
        signature = types.int64(types.int64, places)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            number, table = arguments
            array = context.make_array(signature.args[1])(context, builder, table)
            words = [builder.load(builder.gep(array.data, [ir.Constant(WORD, k)])) for k in range(count)]
            shape = context.call_conv.get_function_type(types.int64, kinds)
            function = builder.inttoptr(number, shape.as_pointer())
            pointers = [builder.inttoptr(word, POINTER) for word in words]
            return called(context, builder, function, types.int64, kinds, pointers)

        return signature, generate

    return intrinsic(call_unit)


_call_three: Any = _caller(3)
_call_four: Any = _caller(4)


@inline
def _with_three(units, k, places):
    """Call unit k of the table with three packed tuples. Return its result, a whole number."""
    return _call_three(units[k], places)


@inline
def _with_four(units, k, places):
    """Call unit k of the table with four packed tuples. Return its result, a whole number."""
    return _call_four(units[k], places)


def _plainly(units: Any, k: int, places: Any) -> int:
    """Call unit k without compilation, with as many of the tuples as it has arguments."""
    unit = units[k]
    return unit(*places[: unit.__code__.co_argcount])


# call(units, k, places): unit k with (m, s, w), or with (m, s, w, space)
call: Any = _plainly if compilation_is_off() else _with_three
call_with_space: Any = _plainly if compilation_is_off() else _with_four
