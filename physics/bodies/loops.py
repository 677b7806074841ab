"""Loops over bodies, in tiles, in SIMD groups of four, and with prefetches. Each loop is made from a function for one
body or for one tile.

    move_bodies = over_bodies(move_body, ask_motion)

    move_bodies(m, s, w, first, end, h)         move_body(m, s, w, i, h) for the bodies from `first` to `end`

Where SIMD groups are possible (`physics.maths.lanes`), the loop passes `four(i)` in place of i, which stands for the
four bodies from i on. It handles the other bodies one by one. Both cases are compiled from the same function for one
body. In a figure of many bodies `ask_motion(m, s, w, i)` prefetches the rows of a body that the loop reaches some
bodies later (`physics.maths.prefetch`).

    step_tiles = over_tiles(step_tile)

    step_tiles(m, s, w, h)                      step_tile(m, s, w, first, end, h) for one tile of bodies after the other

A tile is a range of bodies that is so short that their rows stay in the cache from one loop over the tile to the next.
In a figure with scaled bodies, all bodies are one tile, because between the loops over bodies and those over edges,
loops over the scales run over all bodies.

The `sum_over_*` loops pass sums from one body or tile to the next. The sums are a tuple: an argument of the function,
after i or `end`, and its result."""

from collections.abc import Callable
from typing import Any

from physics.compiler.jit import inline, kernel, rare
from physics.data.state_tables import PoseColumn
from physics.data.step_tables import Control
from physics.maths.lanes import AT_ONCE, four
from physics.maths.prefetch import AHEAD, TILE, are_many


@inline
def laned(m, w):
    """Return how many bodies, counted from the first, can be handled in SIMD groups of four."""
    return m.topology.shape[0] // AT_ONCE * AT_ONCE if w.control[Control.LANED] != 0 else 0


def nothing(m, s, w, i):
    """Prefetch nothing, for loops that prefetches would not make faster."""


def asking(prefetch: Callable[..., None]) -> Any:
    """Return the kernel that prefetches the rows of the SIMD group that begins at body `first`. It is not inlined,
    because most figures never call it."""
    if prefetch is nothing:
        return inline(nothing)
    of_one = inline(prefetch)

    def ask(m, s, w, first):
        for i in range(first, first + AT_ONCE):
            of_one(m, s, w, i)

    ask.__module__ = prefetch.__module__
    ask.__name__ = ask.__qualname__ = f"{prefetch.__name__}_group"
    return rare(ask)


def over_bodies(one: Any, prefetch: Callable[..., None] = nothing, ahead: int = AHEAD) -> Any:
    """Return the loop over the bodies from `first` to `end` that calls one(m, s, w, i, *given). `prefetch` is a plain
    function of (m, s, w, i), which prefetches the rows of a body. It is called `ahead` bodies before the rows are
    used."""
    ask = asking(prefetch)

    @kernel
    def loop(m, s, w, first, end, *given):
        done = min(end, laned(m, w))
        many = are_many(m.topology)
        for i in range(first, done, AT_ONCE):
            if many:
                ask(m, s, w, i + ahead)
            one(m, s, w, four(i), *given)
        for i in range(max(first, done), end):
            one(m, s, w, i, *given)

    return loop


def sum_over_bodies(one: Any, prefetch: Callable[..., None] = nothing, ahead: int = AHEAD) -> Any:
    """Return the loop over the bodies from `first` to `end` that sets sums = one(m, s, w, i, sums, *given), and returns
    the sums. `prefetch` and `ahead` are as in `over_bodies`."""
    ask = asking(prefetch)

    @kernel
    def loop(m, s, w, first, end, sums, *given):
        done = min(end, laned(m, w))
        many = are_many(m.topology)
        for i in range(first, done, AT_ONCE):
            if many:
                ask(m, s, w, i + ahead)
            sums = one(m, s, w, four(i), sums, *given)
        for i in range(max(first, done), end):
            sums = one(m, s, w, i, sums, *given)
        return sums

    return loop


@inline
def tile_size(s):
    """Return the number of bodies in a tile."""
    return s.pose.shape[0] if s.velocity.shape[1] > PoseColumn.RATES else TILE


def over_tiles(one: Any) -> Any:
    """Return the loop over all tiles that calls one(m, s, w, first, end, *given)."""

    @kernel
    def loop(m, s, w, *given):
        n = m.topology.shape[0]
        tile = tile_size(s)
        for first in range(0, n, tile):
            one(m, s, w, first, min(first + tile, n), *given)

    return loop


def sum_over_tiles(one: Any) -> Any:
    """Return the loop over all tiles that sets sums = one(m, s, w, first, end, sums, *given), and returns the sums."""

    @kernel
    def loop(m, s, w, sums, *given):
        n = m.topology.shape[0]
        tile = tile_size(s)
        for first in range(0, n, tile):
            sums = one(m, s, w, first, min(first + tile, n), sums, *given)
        return sums

    return loop
