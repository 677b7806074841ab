"""A clock for kernels: ticks of the processor's own counter, of which a read takes some ten nanoseconds."""

import time
from functools import cache
from typing import Any

from physics.compiler.jit import compilation_is_off, deferred, entry


def _count() -> Any:
    """Return the processor's counter [ticks]."""
    from physics.compiler.call_lowering import read_counter

    return read_counter


ticks: Any = deferred(time.perf_counter_ns, _count)


@entry("", "i")
def count_ticks():
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
