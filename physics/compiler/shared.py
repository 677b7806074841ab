"""Functions that Python calls as they are and that kernels call compiled: `@shared` and related decorators. The
decorators add the function to a list and return it unchanged, without numba, so that definitions can use the elementary
functions before a world is made. `physics/compiler/jit.py` registers every function of the list with numba, and then
each one as it is added."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Part(NamedTuple):
    """A function that kernels and Python share, and how kernels call it."""

    function: Callable[..., Any]
    inlined: bool  # wherever a kernel calls it
    allocates: bool  # it makes arrays, and is then not for kernels


_noted: list[Part] = []
_registers: list[Callable[[Part], None]] = []


def shared(function: Function) -> Function:
    """Mark a function that kernels call compiled and Python calls as it is. Return it unchanged."""
    _note(Part(function, inlined=False, allocates=False))
    return function


def shared_allocating(function: Function) -> Function:
    """Mark a function that Python calls as it is and compiled C functions may call, and that may make arrays. Kernels
    may not call it. Return it unchanged."""
    _note(Part(function, inlined=False, allocates=True))
    return function


def shared_inline(function: Function) -> Function:
    """Mark a function that Python calls as it is, and that is inlined wherever a kernel calls it. Return it
    unchanged."""
    _note(Part(function, inlined=True, allocates=False))
    return function


def _note(part: Part) -> None:
    """Append a part to the list, and pass it to every registered function."""
    _noted.append(part)
    for register in _registers:
        register(part)


def register_with(register: Callable[[Part], None]) -> None:
    """Call `register` for every part that has been marked so far, and for each that is marked later."""
    _registers.append(register)
    for part in _noted:
        register(part)
