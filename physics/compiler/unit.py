"""Calls from one compiled unit to another, by machine address.

An integrator, a solver mode, the guard and the anticipation are units. Units are entries of the form `(m, s, w) -> int`
or `(m, s, w, space) -> int`. Each is compiled separately and only once, whichever other units it is used with. `drive`
reads the address of a unit from one table, and its arguments from another: the addresses of the packed tuples' words
(`compiler.pack`). The addresses are data, so that the machine code of `drive` can be kept in the disk cache. Without
compilation, the tables have the functions and the tuples themselves."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from physics.compiler.jit import Entry, Wanted, called, compilation_is_off, inline
from physics.compiler.pack_type import POINTER, WORD


COUNT, TABLE = types.int64, types.Array(types.int64, 1, "C")  # types of a caller's arguments


def tables(functions: list[Any], packs: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the addresses of the units `functions`, and the addresses of the packed tuples' words. Compile units if
    necessary. None is a unit that is never called. Without compilation, return the functions and tuples themselves."""
    if compilation_is_off():
        return functions, packs
    addresses = [0 if f is None else unit_address(f, packs) for f in functions]
    return np.array(addresses, np.int64), np.array([p.handle.address for p in packs], np.int64)


def unit_address(unit: Entry, packs: tuple[Any, ...]) -> int:
    """Return the address of a unit's machine code for these packed tuples. Compile it if necessary."""
    return unit.address_for(unit_types(unit, packs))


def unit_types(unit: Entry, packs: tuple[Any, ...]) -> tuple[types.Type, ...]:
    """Return the types of the arguments of a unit. These are the first of the packed tuples, as many as it has
    arguments."""
    return tuple(p.handle.kind for p in packs[: unit.py_func.__code__.co_argcount])


def wanted(functions: list[Any], packs: tuple[Any, ...]) -> list[Wanted]:
    """Return the entries that `tables` compiles, with the types of their arguments."""
    return [(f, unit_types(f, packs)) for f in functions if f is not None]


def _caller(count: int) -> Any:
    """Return a function of (address, places) that calls a unit with `count` arguments, and returns its whole number.
    The call is in numba's convention for compiled functions."""
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
    """Call unit k of the table with three packed tuples. Return its result, which is a whole number."""
    return _call_three(units[k], places)


@inline
def _with_four(units, k, places):
    """Call unit k of the table with four packed tuples. Return its result, which is a whole number."""
    return _call_four(units[k], places)


def _plainly(units: Any, k: int, places: Any) -> int:
    """Call unit k of the table without compilation, with as many of the tuples as it has arguments."""
    unit = units[k]
    return unit(*places[: unit.__code__.co_argcount])


# call(units, k, places): unit k with (m, s, w), or with (m, s, w, space)
call: Any = _plainly if compilation_is_off() else _with_three
call_with_space: Any = _plainly if compilation_is_off() else _with_four
