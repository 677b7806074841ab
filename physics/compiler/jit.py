"""The decorators of kernels. Numba is imported when a kernel must be compiled, and not before.

    @inline     a small helper, inlined wherever a kernel calls it
    @kernel     a part of an entry, compiled into every entry that calls it
    @rare       a part that stays a call, as most figures never make it
    @entry(takes, gives)    what Python or the driver calls by its address: one unit of machine code

An entry names the types of its arguments and of its result by letters (`compiler.kinds`), so that the machine code of
all entries can be made before anything runs (`world.every_unit`). Where it was not, `compiler.backend` compiles the
entry when it is first called, and keeps the machine code on disk. Strict IEEE arithmetic (no fastmath) makes results
bit-identical with and without compilation. Under NUMBA_DISABLE_JIT=1 every kernel is the plain Python function.
"""

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any, TypeVar

from physics.compiler import loader, store
from physics.compiler.kinds import ARRAYS, C_TYPES, Kind, PackKind, array_words, is_array, name_of
from physics.compiler.pack import kind_of
from physics.compiler.sources import PACKAGE


def compilation_is_off() -> bool:
    """Return whether NUMBA_DISABLE_JIT=1, in which case every kernel is the plain Python function."""
    return _is_set("NUMBA_DISABLE_JIT")


def bounds_are_checked() -> bool:
    """Return whether NUMBA_BOUNDSCHECK=1."""
    return _is_set("NUMBA_BOUNDSCHECK")


@cache
def _is_set(name: str) -> bool:
    """Return whether the variable `name` of the environment is set, and is not 0."""
    return os.environ.get(name, "0") not in ("", "0")


# ---------------------------------------------------------------- numba, when it is needed
_lessons: list[Callable[[], Any]] = []  # what numba must learn before it compiles a kernel
_backend: list[Any] = []  # the module, once it is imported


Lesson = TypeVar("Lesson", bound=Callable[[], Any])


def when_compiling(lesson: Lesson) -> Lesson:
    """Mark a function that teaches numba types and operations. It runs once, before the first kernel is compiled."""
    if _backend:
        lesson()
    elif not compilation_is_off():
        _lessons.append(lesson)
    return lesson


def backend() -> Any:
    """Return `physics.compiler.backend`. The first call imports numba."""
    if not _backend:
        with _away_from_settings():
            from physics.compiler import backend as module

        _backend.append(module)
        while _lessons:
            _lessons.pop(0)()
    return _backend[0]


@contextmanager
def _away_from_settings() -> Iterator[None]:
    """Change to the folder of the package where the present folder has a `.numba_config.yaml`. Numba reads that file
    when it is imported, and it can name a cache from which code is loaded: in a folder from somebody else it must not
    be read."""
    before = os.getcwd() if os.path.lexists(".numba_config.yaml") else None
    if before is not None:
        os.chdir(PACKAGE.parent)
    try:
        yield
    finally:
        if before is not None:
            with suppress(OSError):
                os.chdir(before)


class Deferred:
    """What a kernel calls by this name, made when numba first meets it; Python calls `plain` in its place."""

    def __init__(self, plain: Callable[..., Any], make: Callable[[], Any]):
        self.plain = plain
        self.make = make

    def __call__(self, *arguments: Any) -> Any:
        """Call the Python function."""
        return self.plain(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of what kernels call."""
        return backend().type_of(self, self.make)


def deferred(plain: Callable[..., Any], make: Callable[[], Any]) -> Any:
    """Return what stands for `plain` in kernels: the intrinsic that `make` returns, or `plain` itself without
    compilation."""
    return plain if compilation_is_off() else Deferred(plain, make)


# ---------------------------------------------------------------- parts of entries
class Part:
    """A kernel that is compiled into the entries that call it. Python cannot call it."""

    def __init__(self, function: Callable[..., Any], inlined: bool = False, rare: bool = False):
        self.py_func = function
        self.inlined = inlined
        self.rare = rare
        update_wrapper(self, function)

    @property
    def _numba_type_(self) -> Any:
        """Numba's type of the part."""
        return backend().type_of(self, lambda: backend().part_dispatcher(self))

    def __call__(self, *arguments: Any) -> Any:
        """Refuse a call from Python."""
        raise TypeError(f"{self.py_func.__module__}.{self.py_func.__name__} is called by kernels, not by Python")


def inline(function: Callable[..., Any]) -> Any:
    """Mark a small helper that is inlined wherever a kernel calls it. Python cannot call it."""
    return function if compilation_is_off() else Part(function, inlined=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Mark a part of an entry, which is compiled into that entry. Python cannot call it."""
    return function if compilation_is_off() else Part(function)


def rare(function: Callable[..., Any]) -> Any:
    """Mark a kernel that most figures never call. It stays a call and is not inlined, so that loops around it are
    compiled as if it were absent: when inlined, a call that is never made costs a tenth of a small figure's step."""
    return function if compilation_is_off() else Part(function, rare=True)


Shared = TypeVar("Shared", bound=Callable[..., Any])


def shared(function: Shared) -> Shared:
    """Mark a function that kernels call compiled and Python calls as it is. Return it unchanged."""
    when_compiling(lambda: backend().teach_function(function, inlined=False, allocates=False))
    return function


def shared_allocating(function: Shared) -> Shared:
    """Mark a function that Python calls as it is and that the user's compiled functions call. It may make arrays;
    kernels may not call it. Return it unchanged."""
    when_compiling(lambda: backend().teach_function(function, inlined=False, allocates=True))
    return function


def shared_inline(function: Shared) -> Shared:
    """Mark a function that Python calls as it is, and that is inlined wherever a kernel calls it. Return it
    unchanged."""
    when_compiling(lambda: backend().teach_function(function, inlined=True, allocates=False))
    return function


# ---------------------------------------------------------------- entries
ENTRIES: dict[tuple[str, str], "Entry"] = {}  # by module and name
before_loading: list[Callable[[tuple[Kind, ...]], None]] = []  # called with the types that machine code is for


class Entry:
    """A kernel that Python calls. Each packed tuple is passed to it as one pointer (`compiler.pack`)."""

    def __init__(self, function: Callable[..., Any], takes: str, gives: str):
        """Register the entry under its module and name."""
        self.py_func = function
        self.takes, self.gives = takes, gives
        self.module, self.name = function.__module__, function.__name__
        self.source = Path(function.__code__.co_filename)
        self.__doc__ = function.__doc__
        self.addresses: dict[tuple[Kind, ...], int] = {}
        self.calls: dict[tuple[Kind, ...], Callable[..., Any]] = {}
        ENTRIES[self.module, self.name] = self

    def kinds(self, arguments: tuple[Any, ...]) -> tuple[Kind, ...]:
        """Return the types of these arguments: of packed tuples their own, of others the letters of `takes`."""
        pairs = zip(self.takes, arguments, strict=True)
        return tuple(kind_of(a) if isinstance(a, tuple) else letter for letter, a in pairs)

    @property
    def is_compiled(self) -> bool:
        """Whether the entry has been compiled in this process, for any types. Numba's own list of compiled types
        takes as long to read as a step of a small figure."""
        return bool(self.addresses)

    def label(self, kinds: tuple[Kind, ...]) -> str:
        """Return the name of its machine code for arguments of these types."""
        return " ".join([f"{self.module}.{self.name}", *map(name_of, kinds)])

    def is_missing(self, kinds: tuple[Kind, ...]) -> bool:
        """Return whether a call with arguments of these types would have to compile the entry, and would keep it in the
        disk cache."""
        return kinds not in self.addresses and not store.holds(self.label(kinds), self.source)

    def address_for(self, kinds: tuple[Kind, ...]) -> int:
        """Return the address of the machine code for arguments of these types, compiled if necessary."""
        if kinds not in self.addresses:
            for prepare in before_loading:
                prepare(kinds)
            self.addresses[kinds] = loader.load(self.object_code(kinds), self.label(kinds))
        return self.addresses[kinds]

    def object_code(self, kinds: tuple[Kind, ...]) -> bytes:
        """Return its machine code for arguments of these types, compiled and kept where there is none."""
        label, source = self.label(kinds), self.source
        code = store.find(label, source)
        if code is None:
            with store.turn(label, source) as another_had_it:
                code = store.in_folder(label, source) if another_had_it else None
                if code is None:
                    code = backend().compile_entry(self, kinds, label)
                    store.keep(label, source, code)
        return code

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled kernel. Packed tuples among the arguments are replaced by their handles."""
        kinds = self.kinds(arguments)
        if kinds not in self.calls:
            self.calls[kinds] = _caller(self, kinds)
        return self.calls[kinds](*arguments)


def _caller(one: Entry, kinds: tuple[Kind, ...]) -> Callable[..., Any]:
    """Return the Python function that calls an entry by its address, in numba's convention for compiled functions: a
    pointer to the result, one to an error, then the arguments, arrays as seven or more words."""
    words: list[Any] = []
    for kind in kinds:
        words += array_words(kind) if is_array(kind) else [_c_type(kind)]
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, *words)
    function = prototype(one.address_for(kinds))
    packs = [isinstance(kind, PackKind) for kind in kinds]
    checked = bounds_are_checked()
    several = len(one.gives) > 1
    result_type = _RESULTS[one.gives[:1]] * len(one.gives) if several else _RESULTS[one.gives]

    def call(*arguments: Any) -> Any:
        result = result_type()
        error = ctypes.c_void_p()
        given: list[Any] = []
        for argument, kind, packed in zip(arguments, kinds, packs, strict=True):
            if packed:
                given.append(argument.handle.address)
            elif isinstance(kind, str) and kind in ARRAYS:
                if (argument.dtype.name, argument.ndim) != ARRAYS[kind] or not argument.flags.c_contiguous:
                    raise TypeError(f"{one.module}.{one.name} takes contiguous arrays {ARRAYS[kind]}")
                given += [None, None, argument.size, argument.itemsize, argument.ctypes.data]
                given += [*argument.shape, *argument.strides]
            else:
                given.append(argument)
        status = function(ctypes.addressof(result), ctypes.addressof(error), *given)
        if checked and status not in (0, -2):
            raise IndexError("index is out of bounds")
        return tuple(result) if several else result.value if one.gives else None

    return call


def bound(function: Any, pack: Any) -> Callable[[int], int]:
    """Return the function of a whole number that calls an entry (i, pack) -> i with this packed tuple. It takes half of
    the time of an ordinary call. The tuple must stay alive."""
    if compilation_is_off():
        return lambda number: function(number, pack)
    prototype = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
    compiled = prototype(function.address_for(function.kinds((0, pack))))
    address, error, checked = pack.handle.address, ctypes.byref(ctypes.c_void_p()), bounds_are_checked()
    whole, reference = ctypes.c_int64, ctypes.byref

    def call(number: int) -> int:
        result = whole()
        if compiled(reference(result), error, number, address) and checked:
            raise IndexError("index is out of bounds")
        return result.value

    return call


_RESULTS: dict[str, Any] = {"": ctypes.c_void_p, "i": ctypes.c_int64, "f": ctypes.c_double, "b": ctypes.c_bool}


def _c_type(kind: Kind) -> Any:
    """Return the C type of an argument that is one word: a number, or the pointer to a packed tuple."""
    return ctypes.c_void_p if isinstance(kind, PackKind) else C_TYPES[kind]


Wanted = tuple[Entry, tuple[Kind, ...]]  # for arguments of these types


def entry(takes: str, gives: str = "") -> Callable[[Callable[..., Any]], Any]:
    """Mark a kernel that Python calls, or another unit by its address. It is compiled with all its parts as one unit of
    machine code. `takes` and `gives` name the types of its arguments and of its result, one letter each
    (`compiler.kinds`); where all arguments are addresses ("ppp"), it is a C function."""

    def marked(function: Callable[..., Any]) -> Any:
        return function if compilation_is_off() else Entry(function, takes, gives)

    return marked


@contextmanager
def compilation_news(report: Callable[[str, int], None]) -> Iterator[None]:
    """Call `report(name, count)` at the start of each compilation inside the `with` block: the name of the function
    that is compiled, and the number of compilations that have begun in the block."""
    reports.append(Reports(report))
    try:
        yield
    finally:
        reports.pop()


class Reports:
    """A listener that is called at the start of each compilation, and the number of compilations so far."""

    def __init__(self, report: Callable[[str, int], None]):
        """Start at 0."""
        self.report = report
        self.count = 0

    def __call__(self, name: str) -> None:
        """Count a compilation, and report the name of its function."""
        self.count += 1
        self.report(name, self.count)


reports: list[Reports] = []
