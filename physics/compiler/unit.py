"""Calls from one compiled unit to another, by machine address.

An integrator, a solver mode, the guard and the anticipation are units: entries of the same form `(m, s, w) -> int` or
`(m, s, w, space) -> int`, each compiled by itself and once, whichever units it works with. `drive` calls them through a
table of addresses, with the addresses of the packed tuples' words (`compiler.pack`) in another. The addresses are data,
so the caller's machine code can be kept. Without compilation the tables hold the functions and the tuples.
"""

from typing import Any

import numpy as np

from physics.compiler.jit import Entry, Wanted, compilation_is_off, deferred, inline
from physics.compiler.kinds import Kind
from physics.compiler.pack import kind_of


def tables(functions: list[Any], packs: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the addresses of the units `functions`, and the addresses of the packed tuples' words. Compile units if
    necessary. None is a unit that is never called. Without compilation, return the functions and tuples themselves."""
    if compilation_is_off():
        return functions, packs
    addresses = [0 if f is None else unit_address(f, packs) for f in functions]
    return np.array(addresses, np.int64), np.array([p.handle.address for p in packs], np.int64)


def unit_address(unit: Entry, packs: tuple[Any, ...]) -> int:
    """Return the address of a unit's machine code for these packed tuples, compiled if necessary."""
    return unit.address_for(unit_kinds(unit, packs))


def unit_kinds(unit: Entry, packs: tuple[Any, ...]) -> tuple[Kind, ...]:
    return tuple(kind_of(p) for p in packs[: len(unit.takes)])


def wanted(functions: list[Any], packs: tuple[Any, ...]) -> list[Wanted]:
    """Return the entries that `tables` compiles."""
    return [(f, unit_kinds(f, packs)) for f in functions if f is not None]


def _in_python(unit: Any, places: Any) -> int:
    return unit(*places[: unit.__code__.co_argcount])


def _by_address(count: int) -> Any:
    """Call the C function at `address` (a whole number stored as a double) with pointers to a[i, o] and b[j, p]."""

    def make() -> Any:
        from physics.compiler.call_lowering import caller_of_unit

        return caller_of_unit(count)

    return deferred(_in_python, make)


_call_three, _call_four = _by_address(3), _by_address(4)


@inline
def call(units, k, places):
    """Call unit k with (m, s, w)."""
    return _call_three(units[k], places)


@inline
def call_with_space(units, k, places):
    """Call unit k with (m, s, w, space)."""
    return _call_four(units[k], places)
