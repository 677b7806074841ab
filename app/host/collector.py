"""Python's garbage collector, while the program starts."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Switch the garbage collector off in the block. The imports of a start make a hundred thousand objects that all
    stay: the collector would look through them again and again, which takes an eighth of the time to the first step.
    After the block it leaves them out for good, so that later collections are short."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
