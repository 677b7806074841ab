"""Kernels that few figures need. Each is compiled separately when a figure needs it, and is called by its address.

Numba compiles everything that a kernel calls, also what a figure never needs. A kernel marked `@far(group, takes,
gives)` is not compiled into its callers. They read its address from a slot, which is a word in memory. Their machine
code names the slot by a symbol. Therefore this code is the same with and without the kernel, and can be kept in the
disk cache. `provide` compiles the kernels of a group and writes their addresses to the slots, before anything calls
them. A call through an empty slot ends the program with a message.

One letter for each argument and each result says its type. The types must be known without compilation, because callers
may come from the disk cache:

    m s w   Model, State, Work              i f b   whole number, number, truth value
    t n v   table of numbers, table of whole numbers, vector of numbers
    3 4 9   tuple of as many numbers

Without letters in `gives`, the kernel returns nothing.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from llvmlite import binding, ir
from numba import types
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global

from physics.compiler.jit import MEETS_TYPES, Wanted, called, compilation_is_off, entry
from physics.compiler.pack_type import POINTER, PackType

PACKS = {"m": "Model", "s": "State", "w": "Work"}
PLAIN: dict[str, types.Type] = {
    "i": types.int64, "f": types.float64, "b": types.boolean,
    "t": types.Array(types.float64, 2, "C"), "v": types.Array(types.float64, 1, "C"),
    "n": types.Array(types.int64, 2, "C"),
    **{str(count): types.UniTuple(types.float64, count) for count in (3, 4, 9)},
}  # fmt: skip

Packs = dict[str, PackType]  # by label


@ctypes.CFUNCTYPE(ctypes.c_int)
def _refuse() -> int:
    """End the program with a message. An empty slot has the address of this function: a kernel was called that is not
    compiled."""
    sys.stderr.write("marionette: a kernel was called that had not been compiled (physics/compiler/lazy.py).\n")
    sys.stderr.flush()
    os._exit(70)


class Far:
    """A lazily compiled kernel. It has one slot for its address for each layout of the packed tuples."""

    def __init__(self, function: Callable[..., Any], group: str, takes: str, gives: str):
        """Make a lazily compiled kernel of this group. The letters of its arguments are `takes`, those of its results
        `gives`."""
        self.function = function
        self.group = group
        self.takes = takes
        self.gives = types.none if not gives else _kind(gives)
        self.entry = entry(function)
        self.slots: dict[str, np.ndarray] = {}
        self.filled: set[str] = set()

    def symbol(self, packs: Packs) -> str:
        """Return the name of the slot for figures with these packed tuples. The first call for a layout makes the slot
        and registers its name with the linker."""
        own = [packs[PACKS[code]].name for code in self.takes if code in PACKS]
        name = ".".join([self.function.__module__, self.function.__name__, *own])
        if name not in self.slots:
            slot = np.array([ctypes.cast(_refuse, ctypes.c_void_p).value], np.int64)
            self.slots[name] = slot
            binding.add_symbol(name, slot.ctypes.data)
        return name

    def can_be_called_with(self, packs: Packs) -> bool:
        """Return whether these packed tuples include all that the kernel has as arguments."""
        return all(PACKS[code] in packs for code in self.takes if code in PACKS)

    def arguments(self, packs: Packs) -> tuple[types.Type, ...]:
        """Return the types of the kernel's arguments for a figure with these packed tuples."""
        return tuple(packs[PACKS[code]] if code in PACKS else PLAIN[code] for code in self.takes)

    def provide(self, packs: Packs) -> None:
        """Compile the kernel for figures with these packed tuples, if that has not been done yet, and write its address
        to its slot."""
        name = self.symbol(packs)
        if name not in self.filled:
            self.slots[name][0] = self.entry.address_for(self.arguments(packs))
            self.filled.add(name)


def _kind(codes: str) -> types.Type:
    """Return the numba type of a result: the type of one letter, or a tuple of several."""
    return PLAIN[codes] if len(codes) == 1 else types.Tuple([PLAIN[code] for code in codes])


_ALL: list[Far] = []


def far(group: str, takes: str, gives: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a kernel that is compiled separately, when a figure needs its group. The letters `takes`
    and `gives` are the types of its arguments and results. The docstring of this module lists the letters."""

    def marked(function: Callable[..., Any]) -> Any:
        if compilation_is_off():
            return function
        one = Far(function, group, takes, gives)
        _ALL.append(one)
        return _caller(one)

    return marked


def _caller(one: Far) -> Any:
    """Return the function that callers use in place of the kernel, in Python and in kernels. In compiled code, it loads
    the kernel's address from the slot, and calls it in numba's convention for compiled functions."""

    def stand_in(*arguments: Any) -> Any:
        return one.entry(*arguments)

    class Typing(AbstractTemplate):
        """Numba's typing of a call of the kernel."""

        key = stand_in

        def generic(self, given: Any, named: Any) -> Any:
            packs = {kind.label: kind for kind in given if isinstance(kind, PackType)}
            if len(given) != len(one.takes) or named or not one.can_be_called_with(packs):
                return None
            one.symbol(packs)
            return one.gives(*one.arguments(packs))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        packs = {kind.label: kind for kind in signature.args if isinstance(kind, PackType)}
        name = one.symbol(packs)
        slot = builder.module.globals.get(name) or ir.GlobalVariable(builder.module, POINTER, name)
        shape = context.call_conv.get_function_type(signature.return_type, signature.args)
        function = builder.bitcast(builder.load(slot), shape.as_pointer())
        return called(context, builder, function, signature.return_type, signature.args, arguments)

    stand_in.__name__ = one.function.__name__
    infer_global(stand_in, types.Function(Typing))
    lower_builtin(stand_in, types.VarArg(types.Any))(generate)
    return stand_in


def declare(kinds: Iterable[types.Type]) -> None:
    """Register slots with the linker: all those that machine code for arguments of these types may use."""
    packs = {kind.label: kind for kind in kinds if isinstance(kind, PackType)}
    for one in _ALL:
        if one.can_be_called_with(packs):
            one.symbol(packs)


def provide(groups: Iterable[str], packs: tuple[Any, ...]) -> None:
    """Compile the kernels of these groups for these packed tuples (Model, State and Work), and write their addresses to
    their slots."""
    kinds = _by_label(packs)
    for one in _ALL:
        if one.group in groups:
            one.provide(kinds)


def wanted(groups: Iterable[str], packs: tuple[Any, ...]) -> list[Wanted]:
    """Return the entries that `provide` compiles for these groups and packed tuples, with the types of their
    arguments."""
    kinds = _by_label(packs)
    return [(one.entry, one.arguments(kinds)) for one in _ALL if one.group in groups]


def _by_label(packs: tuple[Any, ...]) -> Packs:
    """Return the type of each packed tuple by its label."""
    return {p.handle.kind.label: p.handle.kind for p in packs}


MEETS_TYPES.append(declare)
