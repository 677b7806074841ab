"""Loading object code: llvmlite links it into this process. Numba is not needed for that."""

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import Any


_wanted: dict[str, Callable[[], int]] = {}  # functions of other libraries by symbol, sought when one is asked for


def offer(symbol: str, find: Callable[[], int]) -> None:
    """Say how the address of a symbol is found that kernels may name."""
    _wanted[symbol] = find


def define(symbol: str, address: int) -> None:
    """Give machine code that is loaded later the address of a symbol."""
    _binding().add_symbol(symbol, address)


@cache
def _binding() -> Any:
    """Return llvmlite's module, imported when it is first needed."""
    from llvmlite import binding

    return binding


@cache
def _engine() -> Any:
    """Return LLVM's linker for this process."""
    binding = _binding()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    triple = binding.get_process_triple()
    machine = binding.Target.from_triple(triple).create_target_machine(
        reloc="static" if triple.startswith(("x86", "i386", "i686")) else "default", codemodel="jitdefault", jit=True
    )
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


def _of_c(name: str) -> Callable[[], int]:
    """Return what finds a function of C's library."""

    def find() -> int:
        library = ctypes.CDLL("ucrtbase") if os.name == "nt" else ctypes.CDLL(None)
        return ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0

    return find


# what numba calls for math.frexp and math.ldexp: C's functions, which are exact
offer("numba_frexp", _of_c("frexp"))
offer("numba_ldexp", _of_c("ldexp"))


def load(code: bytes, symbol: str) -> int:
    """Link object code into this process. Return the address of `symbol` in it."""
    binding, engine = _binding(), _engine()
    for name in [name for name in _wanted if name.encode() in code]:
        define(name, _wanted.pop(name)())
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = engine.get_function_address(symbol)
    if not address:
        raise RuntimeError(f"there is no {symbol} in its machine code")
    return address


def load_assembly(text: str, symbol: str) -> int:
    """Compile LLVM assembly in this process. Return the address of `symbol` in it."""
    engine = _engine()
    engine.add_module(_binding().parse_assembly(text))
    engine.finalize_object()
    return engine.get_function_address(symbol)
