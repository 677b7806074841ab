"""The types of what entries take and give, as they are named without numba.

A type is a letter or a `PackKind`:

    i f b     whole number (64 bits), number (64 bits), truth
    v t n     numbers: one row, a table; a table of whole numbers
    3 4 9     as many numbers, as a tuple
    p         the address of numbers

The letter of a packed tuple (`compiler.pack`) stands for the tuple's own type, which depends on the widths of its
arrays:

    m s w     Model, State, Work
    k         Touch: shapes and contacts
    x         the workspace of a solver mode
    r         Run: what the driver goes by
    c o g     Collision, Contacts; Signals
    q         Problem: rows of a complementarity problem
"""

import ctypes
import hashlib
from functools import cache
from typing import Any, NamedTuple

PACKS = {"m": "Model", "s": "State", "w": "Work", "k": "Touch", "r": "Run", "c": "Collision",
    "o": "Contacts", "g": "Signals", "q": "Problem",
}  # fmt: skip
ARRAYS = {"v": ("float64", 1), "t": ("float64", 2), "n": ("int64", 2)}  # number type and dimensions
C_TYPES: dict[Any, Any] = {"i": ctypes.c_int64, "f": ctypes.c_double, "b": ctypes.c_bool, "p": ctypes.c_void_p}


class Field(NamedTuple):
    """One array, or one packed tuple, of a packed tuple."""

    name: str
    kind: "tuple[str, int] | PackKind"  # an array's number type and dimensions
    first: int  # its first word
    columns: int  # known when a kernel is compiled; 0: read at run time


class PackKind(NamedTuple):
    """The type of a packed tuple."""

    label: str
    fields: tuple[Field, ...]

    @property
    def name(self) -> str:
        """A name that differs where the fields do. It is part of the names of what is compiled."""
        return _name(self)


@cache
def _name(kind: PackKind) -> str:
    """Return the label of a packed tuple with a hash of its fields."""
    return f"{kind.label}{hashlib.sha256(repr(kind).encode()).hexdigest()[:8]}"


Kind = str | PackKind


def is_array(kind: Kind) -> bool:
    """Return whether this is the letter of an array."""
    return isinstance(kind, str) and kind in ARRAYS


def array_words(kind: Kind) -> list[Any]:
    """Return the C types of an array's words in numba's convention: what owns it and its parent (none), its numbers,
    their size, its address, its shape and its strides."""
    dimensions = ARRAYS[kind][1]  # type: ignore[index]
    whole = ctypes.c_int64
    return [ctypes.c_void_p, ctypes.c_void_p, whole, whole, ctypes.c_void_p, *[whole] * (2 * dimensions)]


def name_of(kind: Kind) -> str:
    """Return the name of a type, as the names of units have it."""
    return kind.name if isinstance(kind, PackKind) else kind
