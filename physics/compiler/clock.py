"""A clock for kernels. It reads the tick counter of the processor. One reading takes about ten nanoseconds."""

import time
from functools import cache
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from physics.compiler.jit import compilation_is_off, entry, inline


@intrinsic
def _read_counter(context: Any) -> Any:
    """Return what numba needs for an intrinsic: the signature and the code generator of a reading of the processor's
    counter."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])

    return types.int64(), generate


def _count_nanoseconds() -> int:
    """Return the present time [ns], without compilation."""
    return time.perf_counter_ns()


@inline
def _count() -> int:
    """Return the processor's counter [ticks]."""
    return _read_counter()  # type: ignore[call-arg]


ticks: Any = _count_nanoseconds if compilation_is_off() else _count


@entry
def count_ticks():  # type: ignore[no-untyped-def]
    """Return the present number of ticks. Python calls this entry; kernels call `ticks`."""
    return ticks()


@cache
def tick_length() -> float:
    """Return the length of a tick [s]. It is measured once, over 20 ms."""
    if compilation_is_off():
        return 1e-9
    count_ticks()
    start, first = time.perf_counter(), count_ticks()
    while time.perf_counter() < start + 0.02:
        pass
    end, last = time.perf_counter(), count_ticks()
    return (end - start) / (last - first)
