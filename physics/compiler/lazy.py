"""Kernels that few figures need. Each is compiled separately when a figure needs it, and is called by its address.

Whatever numba meets in a kernel it types and compiles, also what a figure never does. `@far(group, takes, gives)` marks
a kernel that stays out: its callers read its address from a slot, a word in memory that stands in their machine code as
a symbol. So they are the same with and without it, and can be kept on disk. `provide` compiles a group and fills its
slots, before anything runs that calls it; a slot that was not filled ends the program with a sentence. `takes` and
`gives` are letters (`compiler.kinds`).
"""

import ctypes
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from physics.compiler import loader
from physics.compiler.jit import Wanted, backend, before_loading, compilation_is_off, entry
from physics.compiler.kinds import PACKS, Kind, PackKind
from physics.compiler.pack import kind_of

Packs = dict[str, PackKind]  # by label


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
        """Make a kernel of this group, with the letters of its arguments (`takes`) and results (`gives`)."""
        self.group = group
        self.takes, self.gives = takes, gives
        self.entry = entry(takes, gives)(function)
        self.slots: dict[str, np.ndarray] = {}
        self.filled: set[str] = set()
        self.__doc__ = function.__doc__
        self.__name__ = function.__name__

    def __call__(self, *arguments: Any) -> Any:
        """Call the kernel from Python, as an entry."""
        return self.entry(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of what stands in for the kernel."""
        return backend().type_of(self, self._type)

    def _type(self) -> Any:
        """Make this type."""
        from physics.compiler.call_lowering import type_of_far

        return type_of_far(self)

    def slot(self, packs: Packs) -> str:
        """Return the name of its slot for figures of these types. The loader learns the name when it is first asked
        for."""
        own = [packs[PACKS[code]].name for code in self.takes if code in PACKS]
        name = ".".join([self.entry.module, self.entry.name, *own])
        if name not in self.slots:
            slot = np.array([ctypes.cast(_refuse, ctypes.c_void_p).value], np.int64)
            self.slots[name] = slot
            loader.define(name, slot.ctypes.data)
        return name

    def can_be_called_with(self, packs: Packs) -> bool:
        """Return whether these packed tuples include all that the kernel has as arguments."""
        return all(PACKS[code] in packs for code in self.takes if code in PACKS)

    def kinds(self, packs: Packs) -> tuple[Kind, ...]:
        """Return the types of the kernel's arguments for a figure with these packed tuples."""
        return tuple(packs[PACKS[code]] if code in PACKS else code for code in self.takes)

    def provide(self, packs: Packs) -> None:
        """Compile the kernel for a figure with these packed tuples, once, and write its address to its slot."""
        name = self.slot(packs)
        if name not in self.filled:
            self.slots[name][0] = self.entry.address_for(self.kinds(packs))
            self.filled.add(name)


_all: list[Far] = []


def far(group: str, takes: str, gives: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for a kernel that is compiled by itself, when a figure needs its group. The letters `takes`
    and `gives` describe the types of its arguments and results, as `compiler.kinds` lists them."""

    def marked(function: Callable[..., Any]) -> Any:
        if compilation_is_off():
            return function
        _all.append(Far(function, group, takes, gives))
        return _all[-1]

    return marked


def _declare(kinds: Iterable[Kind]) -> None:
    """Register with the linker the slots that machine code for arguments of these types may use."""
    _declare_once(tuple(kind for kind in kinds if isinstance(kind, PackKind)), len(_all))


@cache
def _declare_once(kinds: tuple[PackKind, ...], known: int) -> None:
    """Register these slots once for the same types, and again when more kernels are known."""
    packs = {kind.label: kind for kind in kinds}
    for one in _all:
        if one.can_be_called_with(packs):
            one.slot(packs)


def provide(groups: Iterable[str], packs: tuple[Any, ...]) -> None:
    """Compile the kernels of these groups for these packed tuples (Model, State and Work), and write their addresses to
    their slots."""
    kinds = _by_label(packs)
    for one in _all:
        if one.group in groups:
            one.provide(kinds)


def wanted(groups: Iterable[str], packs: tuple[Any, ...]) -> list[Wanted]:
    """Return the entries that `provide` compiles."""
    kinds = _by_label(packs)
    return [(one.entry, one.kinds(kinds)) for one in _all if one.group in groups]


def _by_label(packs: tuple[Any, ...]) -> Packs:
    """Return the types of the packed tuples by their labels."""
    return {kind_of(p).label: kind_of(p) for p in packs}


before_loading.append(_declare)
