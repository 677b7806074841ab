"""Rows asked for ahead of their use.

    fetch = fetcher(columns)             fetch(array, i): the cache lines where these columns of row i stand
    fetch = fetcher(columns, True)       the same, of a row that is about to be written
    fetch_row, fetch_row_to_write        a row of no more than about a line

The processor asks by itself for what comes next in memory, but not for three cache lines of each thirteen, not beyond
the end of a page (4 kB, some sixty narrow rows), and it looks no farther ahead than its window of instructions, which
the arithmetic of one or two bodies fills. A loop over many bodies asks for the rows of the body AHEAD of the present
one: for parts of wide rows, and for narrow ones where it goes through several arrays at once (100,000 stiff links: 6 %
of a step). That changes no result, and may name rows that are none. Figures that stay in the caches (`are_many`) ask
for nothing: who asks is `@rare`, so that their loops are compiled as if it were not there.
"""

from typing import Any

from physics.compiler.jit import deferred, inline

AHEAD = 16
MANY = 5000  # bodies, some 3 kB each

# Loops over bodies that follow each other go over so many before they go on: what one has read or written of these,
# up to 1 kB a body, the next ones find in the cache of a core (1 MB). Of the rows that the first of them copies it asks
# for those of the next tile. (With 256 they were 2 % slower, as each loop has to start anew.)
TILE = 1024


@inline
def are_many(table):
    """Return whether a table has so many rows that a loop over them should prefetch."""
    return table.shape[0] > MANY


def fetcher(columns: tuple[int, ...], to_write: bool = False) -> Any:
    """Return the function fetch(array, i), which prefetches the cache lines of these columns of row i. `to_write` says
    that the row will be written."""

    def lowering() -> Any:
        from physics.maths.prefetch_lowering import fetcher

        return fetcher(columns, to_write)

    return deferred(lambda array, i: None, lowering)


fetch_row = fetcher((0,))
fetch_row_to_write = fetcher((0,), True)
