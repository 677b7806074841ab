"""Functions that both Python and kernels call: `@shared` and related decorators. Python calls the function itself, and
kernels call a compiled version. The decorators add the function to a list, and return it unchanged. They do not need
numba, so that definitions can use the elementary functions before a world is made. When `physics/compiler/jit.py` is
imported, it registers all functions of the list with numba, and later each function that is added."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Part(NamedTuple):
    """A function that both kernels and Python call, and how kernels call it."""

    function: Callable[..., Any]
    inlined: bool  # wherever a kernel calls it
    allocates: bool  # it makes arrays, and is then not for kernels


_noted: list[Part] = []
_registers: list[Callable[[Part], None]] = []


def shared(function: Function) -> Function:
    """Mark a function that Python calls directly, and of which kernels call a compiled version. Return it unchanged."""
    _note(Part(function, inlined=False, allocates=False))
    return function


def shared_allocating(function: Function) -> Function:
    """Mark a function that may make arrays. Python calls it directly, and compiled C functions may call it, but not
    kernels. Return it unchanged."""
    _note(Part(function, inlined=False, allocates=True))
    return function


def shared_inline(function: Function) -> Function:
    """Mark a function that Python calls directly, and that is inlined wherever a kernel calls it. Return it
    unchanged."""
    _note(Part(function, inlined=True, allocates=False))
    return function


def _note(part: Part) -> None:
    """Append a part to the list, and call every function that was given to `register_with` with it."""
    _noted.append(part)
    for register in _registers:
        register(part)


def register_with(register: Callable[[Part], None]) -> None:
    """Call `register` for every part that has been marked so far, and for every part that is marked later."""
    _registers.append(register)
    for part in _noted:
        register(part)
