"""The description of arrays. Each field of a group of arrays has an entry. From it, the array is made, and its
description is written.

    @packed
    class State(NamedTuple):
        velocity: Columns = array(("n", "stride"), "velocities of all bodies", "m/s, rad/s", frame="world")

`make(State, sizes)` makes each array of the group with the shape, type and starting value of its entry. `ARRAYS.md` is
written from the same entries. An entry is only a description: `packed` moves the entries from the fields to an
attribute of the class.

A shape is a tuple of sizes. A size is a number, a table of columns (which means its width), or a text. A text, such as
"n + k" or "2 limits", is a sum of products of numbers and symbols. `SIZES` lists the symbols."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from physics.compiler.table import TableMeta

Group = TypeVar("Group")
Size = str | int | TableMeta

SIZES = MappingProxyType({
    "n": "number of bodies",
    "k": "number of links, the edges outside the forest; edge i < n joins body i to its parent, edge n + j is link j",
    "stride": "velocity columns of a body: 9 in scenes with a scaled body, else 6",
    "triangle": "entries of a packed symmetric matrix of `stride` rows: stride (stride + 1) / 2",
    "place": "pose columns of a body: 10 in scenes with a scaled body, else 7",
    "row_columns": "columns of constraint rows: `ConstraintRows.WIDTH` in scenes with a `Function`, else 36",
    "stash_columns": "`Stash.SCALED` in scenes with a scaled body, else `Stash.PLAIN`",
    "forms": "n in scenes with a planar or scaled body, else 1",
    "stretching": "n + k in scenes with a scaled body, else 1",
    "material_columns": "`Materials.WIDTH` in scenes with a scaled body, else 1",
    "stretch_columns": "`Stretch.WIDTH` in scenes with a scaled body, else 1",
    "driven": "1 in scenes with drives, else 0",
    "grabs": "number of grabs that there is room for",
    "drives": "number of drives; a target spring has two",
    "limits": "number of hard limits",
    "signals": "number of functions of time",
    "keys": "number of rows of parameters and keys of all signals",
    "frames": "number of moving bodies",
    "surfaces": "number of shapes on which a medium acts",
    "table_rows": "number of segments of curves, terms of couplings and bodies of conditions",
    "shared_rows": "rows that conditions over several bodies need",
    "general": "numbers that the edges with run-time dimensions need",
    "K": "number of auxiliary rows that there is room for",
    "entries": "number of entries of the auxiliary rows",
    "directions": "`entries` in scenes with non-ideal constraint forces, else 1",
    "grab_rows": "number of auxiliary rows of grabs: six for each grab",
    "limit_rows": "number of auxiliary rows of limits and contacts that there is room for",
    "some_limit_rows": "`limit_rows`, but at least 1",
    "e": "rows of a matrix that is factored with full pivoting",
    "p": "rows of a complementarity problem",
    "islands": "number of islands of links",
    "path_bodies": "number of bodies on the paths of the islands of links, counted once for each island",
    "wide_rows": "rows of reduced columns: n slots / 4, or 0 where they are not kept",
    "wide_columns": "twelve numbers of a column for each body of a SIMD group: 48, with compilation off 12",
    "slots": "rows of the largest island of links, rounded up to a multiple of four",
    "g": "number of shapes",
    "v": "number of vertices of all hulls",
    "f": "number of faces of all hulls",
    "corners": "number of corners of all faces",
    "neighbours": "twice the number of edges of all hulls",
    "pairs": "number of pairs of shapes that there is room for",
    "never": "number of pairs of bodies that never touch",
    "buckets": "number of buckets of the spatial hash",
    "m": "number of contact points that there is room for",
    "polygon": "number of corners of a polygon that there is room for",
})  # fmt: skip


class Array(NamedTuple):
    """The description of an array of a group: its shape, its meaning, its unit, its axes, and the rooms that write
    it."""

    shape: tuple[Size, ...]
    meaning: str
    unit: str  # "" where the columns have units of their own, or where the entries count or number something
    frame: str  # the axes in which vectors are given
    by: str  # the rooms that write the array; "" where it is written only when it is made
    start: float  # the value of every entry of a new array
    line: int  # the column with which a cache line begins, in arrays of one allocation


class Nested(NamedTuple):
    """The description of a group of arrays inside another group."""

    meaning: str


def array(
    shape: tuple[Size, ...],
    meaning: str,
    unit: str = "",
    *,
    frame: str = "",
    by: str = "",
    start: float = 0,
    line: int = 0,
) -> Any:
    """Return the description of an array of a group. Refuse a shape whose symbols are not in `SIZES`."""
    for size in shape:
        unknown = set(symbols(size)) - SIZES.keys()
        if unknown:
            raise ValueError(f"{meaning!r}: {sorted(unknown)} are not in SIZES")
    return Array(shape, meaning, unit, frame, by, start, line)


def nested(meaning: str) -> Any:
    """Return the description of a group of arrays inside another one."""
    return Nested(meaning)


def symbols(size: Size) -> list[str]:
    """Return the symbols in a size, such as n in "n + 1"."""
    return [word for word in size.replace("+", " ").split() if not word.isdigit()] if isinstance(size, str) else []


def size_of(size: Size, sizes: Mapping[str, int]) -> int:
    """Return a size as a number. `sizes` has the number for each symbol."""
    if isinstance(size, int):
        return size
    if isinstance(size, TableMeta):
        return size.WIDTH
    total = 0
    for term in size.split("+"):
        product = 1
        for word in term.split():
            product *= int(word) if word.isdigit() else sizes[word]
        total += product
    return total


def shape_of(entry: Array, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Return the shape of an array as numbers. `sizes` has the number for each symbol."""
    return tuple(size_of(size, sizes) for size in entry.shape)


def make(kind: type[Group], sizes: Mapping[str, int], **given: Any) -> Group:
    """Return a group of arrays. Each array has the shape, type and starting value of its entry. `given` has arrays and
    nested groups that exist already. The shapes of these arrays must agree with their entries. They also determine
    symbols that are not in `sizes`."""
    known = dict(sizes)
    for name, value in given.items():
        entry = kind.entries[name]  # type: ignore[attr-defined]
        if isinstance(entry, Array):
            _check(f"{kind.__name__}.{name}", entry, value, known)
    fields = {
        name: given[name] if name in given else make_field(kind, name, known)
        for name in kind.entries  # type: ignore[attr-defined]
    }
    return kind(**fields)


def remade(group: Group, sizes: Mapping[str, int], *names: str) -> Group:
    """Return the group with new arrays of these sizes for the fields `names`."""
    return group._replace(**{name: make_field(type(group), name, sizes) for name in names})  # type: ignore[attr-defined]


def make_field(kind: type, name: str, sizes: Mapping[str, int]) -> Any:
    """Return a new array for the field `name` of the group `kind`."""
    return make_array(kind.entries[name], kind.types[name], sizes)  # type: ignore[attr-defined]


def make_array(entry: Array, kind: type, sizes: Mapping[str, int]) -> Any:
    """Return a new array for an entry, filled with its starting value. `kind` is the type of its numbers."""
    made = np.zeros(shape_of(entry, sizes), kind)
    if entry.start != 0:
        made[...] = entry.start
    return made


def _check(name: str, entry: Array, value: Any, known: dict[str, int]) -> None:
    """Refuse an array whose shape differs from that of its entry. Add symbols that are not yet known to `known`."""
    for size, length in zip(entry.shape, value.shape, strict=True):
        new = [symbol for symbol in symbols(size) if symbol not in known]
        if len(new) == 1 and size == new[0]:
            known[new[0]] = length
        elif not new and size_of(size, known) != length:
            raise ValueError(f"{name} has the shape {value.shape}; its entry says {entry.shape} with {known}")
