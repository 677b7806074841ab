"""Groups of arrays as kernels see them: one pointer to a table of the addresses and sizes of the arrays.

Numba divides a named tuple of arrays into at least five words for each array, and passes them one by one in each call
between kernels. For the arrays of a step, these are about seven hundred words. That made the machine code slow, and its
compilation even slower (the first step with an empty cache took three times as long). A `@packed` named tuple is passed
to a kernel as the address of a table of words, which is made once for each tuple. `work.velocity` in a kernel reads
from this table. Its words never change while a kernel runs, and the code marks them as invariant: the compiler may keep
them in registers across stores.

Fields marked `Columns` have a constant number of columns in the compiled code. Therefore the address of a row is
computed without reading this number from memory, and branches for other numbers of columns are removed. For a tuple
with other numbers of columns, the kernels are compiled again.

This module does not import numba, so that definitions can name the types of arrays without it. `pack_type.py` has the
part that needs numba."""

from functools import cached_property
from typing import Annotated, Any, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

FIXED = "fixed number of columns"
Columns = Annotated[NDArray[np.float64], FIXED]
IntColumns = Annotated[NDArray[np.int64], FIXED]

Tuple = TypeVar("Tuple")


def packed(named_tuple: type[Tuple]) -> type[Tuple]:
    """Turn a class of named tuples into one whose tuples kernels receive as one pointer. Its fields are arrays, or
    other such tuples. In the given class, the default value of each field is the entry that describes its array
    (`physics/data/arrays.py`). The new class has these entries in its attribute `entries`. Its attribute `types` has
    the type of number of each array (None for a nested tuple)."""
    hints = get_type_hints(named_tuple, include_extras=True)
    fixed = frozenset(name for name, hint in hints.items() if FIXED in getattr(hint, "__metadata__", ()))
    entries, named_tuple._field_defaults = named_tuple._field_defaults, {}  # type: ignore[attr-defined]
    named_tuple.__new__.__defaults__ = None  # type: ignore[attr-defined]

    def make_handle(value: Any) -> Any:
        from physics.compiler.pack_type import Handle  # here, as it imports numba

        return Handle(value, fixed)

    handle = cached_property(make_handle)
    body = {
        "__module__": named_tuple.__module__, "__doc__": named_tuple.__doc__, "handle": handle, "entries": entries,
        "types": {name: number_type(hint) for name, hint in get_type_hints(named_tuple).items()},
    }  # fmt: skip
    made = type(named_tuple.__name__, (named_tuple,), body)
    handle.__set_name__(made, "handle")
    return cast(type[Tuple], made)


def number_type(hint: Any) -> Any:
    """Return the type of number of an array with the annotation `hint`. Return None if the annotation is not one of an
    array."""
    return get_args(get_args(hint)[1])[0] if get_origin(hint) is np.ndarray else None


def handles(arguments: tuple[Any, ...]) -> list[Any]:
    """Return the arguments of an entry, in which each packed tuple is replaced by its handle."""
    return [getattr(a, "handle", a) if isinstance(a, tuple) else a for a in arguments]
