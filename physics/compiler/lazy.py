"""Kernels that few figures need: compiled by themselves, when a figure needs them, and called by address.

Whatever numba meets in a kernel it types and compiles, also what a figure never does. `@far(group, takes, gives)` marks
a kernel that stays out: its callers read its address from a slot, a word in memory that stands in their machine code as
a symbol. So they are the same with and without it, and can be kept in the disk cache. `provide` compiles a group and
fills its slots, before anything runs that calls it; a slot that was not filled ends the program with a sentence.

What such a kernel takes and gives is said letter by letter, as its callers may come from the disk cache:

    m s w   Model, State, Work     i f b   whole number, number, truth
    t n     table of numbers, of whole numbers             3 4 9   as many numbers
Nothing given: it returns nothing.
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
    """End the program with a message, because a kernel was called that is not compiled."""
    sys.stderr.write("marionette: a kernel was called that had not been compiled (physics/compiler/lazy.py).\n")
    sys.stderr.flush()
    os._exit(70)


class Far:
    """A lazily compiled kernel, with a slot for its address for each layout of the packed tuples."""

    def __init__(self, function: Callable[..., Any], group: str, takes: str, gives: str):
        """Make a kernel of this group, with the letters of its arguments (`takes`) and results (`gives`)."""
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
        """Return whether a caller with these packed tuples has all that the kernel needs as arguments."""
        return all(PACKS[code] in packs for code in self.takes if code in PACKS)

    def arguments(self, packs: Packs) -> tuple[types.Type, ...]:
        """Return the types of the kernel's arguments for a figure with these packed tuples."""
        return tuple(packs[PACKS[code]] if code in PACKS else PLAIN[code] for code in self.takes)

    def provide(self, packs: Packs) -> None:
        """Compile the kernel for a figure with these packed tuples, once, and write its address to its slot."""
        name = self.symbol(packs)
        if name not in self.filled:
            self.slots[name][0] = self.entry.address_for(self.arguments(packs))
            self.filled.add(name)


def _kind(codes: str) -> types.Type:
    """Return the numba type of a result: a number, or a tuple of several."""
    return PLAIN[codes] if len(codes) == 1 else types.Tuple([PLAIN[code] for code in codes])


_ALL: list[Far] = []


def far(group: str, takes: str, gives: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a kernel that is compiled by itself, when a figure needs its group. The letters `takes`
    and `gives` describe the types of its arguments and results, as the docstring of this module lists them."""

    def marked(function: Callable[..., Any]) -> Any:
        if compilation_is_off():
            return function
        one = Far(function, group, takes, gives)
        _ALL.append(one)
        return _caller(one)

    return marked


def _caller(one: Far) -> Any:
    """Return the function that stands in for the kernel, in Python and in numba. Compiled code loads the kernel's
    address from its slot and calls it in numba's convention for compiled functions."""

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
    """Register with the linker the slots that machine code for arguments of these types may use."""
    packs = {kind.label: kind for kind in kinds if isinstance(kind, PackType)}
    for one in _ALL:
        if one.can_be_called_with(packs):
            one.symbol(packs)


def provide(groups: Iterable[str], packs: tuple[Any, ...]) -> None:
    """Compile the kernels of these groups for figures with these Model, State and Work, and fill their slots."""
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
    """Return the types of the packed tuples by their labels."""
    return {p.handle.kind.label: p.handle.kind for p in packs}


MEETS_TYPES.append(declare)
