"""Groups of arrays as kernels see them: one pointer to a table of the addresses and sizes of the arrays.

Numba divides a named tuple of arrays into at least five words for each array, and passes them one by one in each call
between kernels. For the arrays of a step, these are about seven hundred words. That made the machine code slow, and its
compilation even slower (the first step with an empty cache took three times as long). A `@packed` named tuple is passed
to a kernel as the address of a table of words, which is made once for each tuple. `work.velocity` in a kernel reads
from this table. Its words never change while a kernel runs, and the code marks them as invariant: the compiler may keep
them in registers across stores.

Fields marked `Columns` have a fixed number of columns in the compiled code: rows are found without a multiplication by
a number in memory, and what does not concern such a figure is compiled away. A tuple with other numbers of columns is
compiled anew. `pack_lowering.py` says how numba reads the words.
"""

from functools import cache, cached_property
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from physics.compiler.kinds import Field, PackKind

FIXED = "fixed number of columns"
Columns = Annotated[NDArray[np.float64], FIXED]
IntColumns = Annotated[NDArray[np.int64], FIXED]

Tuple = TypeVar("Tuple")


class Handle:
    """What kernels receive in place of a packed tuple: its type and the address of its words."""

    __slots__ = ("address", "kind", "words")

    def __init__(self, value: Any, fixed: frozenset[str]):
        """Make the table of words of a packed tuple: for each array its address and shape, for each nested tuple the
        address of its words. Fields named in `fixed` have a fixed number of columns."""
        words: list[int] = []
        fields = []
        for name in value._fields:
            item = getattr(value, name)
            columns = 0
            first = len(words)
            if isinstance(item, np.ndarray):
                if not item.flags.c_contiguous:
                    raise ValueError(f"{type(value).__name__}.{name} must be contiguous")
                kind = (item.dtype.name, item.ndim)
                words += [item.ctypes.data, *item.shape]
                columns = item.shape[1] if name in fixed else 0
            else:
                kind = item.handle.kind
                words.append(item.handle.address)
            fields.append(Field(name, kind, first, columns))
        self.kind = _same(PackKind(type(value).__name__, tuple(fields)))
        self.words = np.array(words, np.int64)
        self.address = self.words.ctypes.data


@cache
def _same(kind: PackKind) -> PackKind:
    """Return the one object that stands for equal types, so that comparing them is quick."""
    return kind


def packed(named_tuple: type[Tuple]) -> type[Tuple]:
    """Turn a class of named tuples into one whose tuples kernels receive as one pointer. Its fields are arrays, or
    other such tuples. In the given class, the default value of each field is the entry that describes its array
    (`physics/data/arrays.py`). The new class has these entries in its attribute `entries`. Its attribute `types` has
    the type of number of each array (None for a nested tuple)."""
    hints = get_type_hints(named_tuple, include_extras=True)
    fixed = frozenset(name for name, hint in hints.items() if FIXED in getattr(hint, "__metadata__", ()))
    entries, named_tuple._field_defaults = named_tuple._field_defaults, {}  # type: ignore[attr-defined]
    named_tuple.__new__.__defaults__ = None  # type: ignore[attr-defined]
    handle = cached_property(lambda self: Handle(self, fixed))
    body = {
        "__module__": named_tuple.__module__, "__doc__": named_tuple.__doc__, "handle": handle, "entries": entries,
        "types": {name: number_type(hint) for name, hint in get_type_hints(named_tuple).items()},
    }  # fmt: skip
    made = type(named_tuple.__name__, (named_tuple,), body)
    handle.__set_name__(made, "handle")
    return cast(type[Tuple], made)


def kind_of(pack: Any) -> PackKind:
    """Return the type of a packed tuple."""
    return pack.handle.kind


def number_type(hint: Any) -> Any:
    """Return the type of number of an array with the annotation `hint`. Return None if the annotation is not one of an
    array."""
    return get_args(get_args(hint)[1])[0] if get_origin(hint) is np.ndarray else None
