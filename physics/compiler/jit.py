"""The compilation of kernels: the decorators, the disk cache, and reports during compilation.

`@inline` marks small helpers on tuples, which are always inlined. `@kernel` marks loops over bodies. `@entry` marks
kernels that Python calls: an entry is compiled as one unit with everything that it calls, and kept in the disk cache.
Arithmetic is strict IEEE (no fastmath), so that results are bit-identical with and without compilation.

Kernels allocate nothing. Therefore they are compiled without numba's reference counting. Its atomic increments around
every array argument would cost ten times as much as the arithmetic of a small helper with branches (measured: 21 ns
against 2 ns).

Numba's own cache checks only the file of the cached function: if a helper in another file were edited, its old machine
code would silently be used. Here the cache key is a hash of every source file that the function's file imports,
directly or through others. If the cache folder cannot be written, the user's cache folder is used, and if that cannot
be written either, there is no cache. A damaged cache file counts as absent."""

import hashlib
import math
import operator
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, ClassVar

from llvmlite.binding import Linkage
from numba import njit, types
from numba.core import caching, ccallback, cgutils, codegen, compiler, config, event
from numba.extending import register_jitable

from physics.compiler import pack_type as pack_type, table_type as table_type
from physics.compiler.pack import handles
from physics.compiler.shared import Part, register_with

try:
    import fcntl
except ModuleNotFoundError:  # not on Windows
    fcntl = None

PACKAGE = Path(__file__).resolve().parent.parent


@cache
def source_stamp(path: Path) -> str:
    """Return a hash of a source file, of all files of the package that it imports directly or through others, and of
    whether bounds are checked. It is the key in the disk cache for the functions of the file."""
    digest = hashlib.sha256(b"bounds checked" if bounds_are_checked() else b"")
    for source in sorted(reached(path)):
        digest.update(source.name.encode())
        digest.update(_text(source).encode())
    return digest.hexdigest()


def reached(path: Path) -> set[Path]:
    """Return `path` and all files of the package that it imports, directly or through others."""
    found = {path}
    waiting = [path]
    while waiting:
        for source in imported(waiting.pop()) - found:
            found.add(source)
            waiting.append(source)
    return found


@cache
def _text(path: Path) -> str:
    """Return the text of a source file."""
    return path.read_text(encoding="utf-8")


# Found by pattern, as parsing a hundred sources takes most of a second of every start. A statement that only stands in
# a text counts too, which does no harm: the key then hangs on a file more.
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|.*)|import[ \t]+(.*))", re.MULTILINE)
_COMMENT = re.compile(r"#.*")


@cache
def imported(path: Path) -> set[Path]:
    """Return the files of the package that the source file `path` imports anywhere in its text."""
    names: set[str] = set()
    for module, parts, modules in _IMPORT.findall(_text(path)):
        if module:
            names |= {module, *(f"{module}.{name}" for name in _names(parts))}
        else:
            names |= set(_names(modules))
    places = [PACKAGE.joinpath(*n.split(".")[1:]) for n in names if n.split(".")[0] == PACKAGE.name]
    return {f for place in places for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()}


def _names(parts: str) -> list[str]:
    """Return the names in a list of imports such as `a, b as c`."""
    return [words[0] for part in _COMMENT.sub("", parts).strip("() \t").split(",") if (words := part.split())]


def _stamped(locator: Any) -> Any:
    """Return a subclass of numba's cache locator `locator`. It uses `source_stamp` instead of the date of the file."""
    return type(locator.__name__, (locator,), {"get_source_stamp": lambda self: source_stamp(Path(self._py_file))})


# called with the types of the arguments for which machine code is about to be loaded or made
MEETS_TYPES: list[Callable[[Any], None]] = []


class _PackageCacheImpl(caching.CompileResultCacheImpl):
    """Numba's handling of cache files, with a hash of all sources in place of the date of one file."""

    _locator_classes: ClassVar[list[Any]] = [
        _stamped(caching.UserProvidedCacheLocator),
        _stamped(caching.InTreeCacheLocator),
        _stamped(caching.UserWideCacheLocator),
    ]


class _PackageCache(caching.FunctionCache):
    """A disk cache of functions. It never stops the program: a file that cannot be read or written counts as absent. If
    several processes need the same function, one compiles it, and the others wait for its file."""

    _impl_class = _PackageCacheImpl
    _turn: IO[bytes] | None = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code for arguments of these types from the disk, or None if it is missing. In that case,
        first take the lock of this function, so that other processes wait while this one compiles it."""
        for meet in MEETS_TYPES:
            meet(getattr(sig, "args", sig))
        found = self._load(sig, target_context)
        if found is None and self._turn is None:
            self._turn, waited = _take_turn(Path(self.cache_path) / f"{self._impl.filename_base}.lock")
            if waited:
                found = self._load(sig, target_context)
            if found is not None:
                self._end_turn()
        return found

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Return whether the disk cache has machine code for arguments of these types. Its file must exist: if the disk
        is full, the index may name a file that could not be written."""
        try:
            name = self._cache_file._load_index().get(self._index_key(sig, target_context.codegen()))
            return name is not None and Path(self._cache_file._data_path(name)).exists()
        except Exception:  # noqa: BLE001 - as below
            return False

    def _load(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code from the disk, or None if it is missing or its file is damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # noqa: BLE001 - unpickling a truncated file may raise anything
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Write the machine code to the disk if there is space, and release the lock."""
        try:
            super().save_overload(sig, data)
        except OSError:  # no room: what was kept before stays
            pass
        except Exception:  # noqa: BLE001 - a damaged index raises on reading: start it afresh
            with suppress(OSError):
                self.flush()
                super().save_overload(sig, data)
        self._end_turn()

    def _end_turn(self) -> None:
        """Release the lock of this function, if this process holds it."""
        if self._turn is not None:
            self._turn.close()
            self._turn = None


MOST_WAITING = 300.0  # s: after that, whoever holds the lock is taken to be stuck


def _take_turn(path: Path) -> tuple[IO[bytes] | None, bool]:
    """Wait for the lock of a function that is to be compiled, for at most MOST_WAITING seconds. Return the open lock
    file, and whether another process held the lock before. The file is None if the folder supports no locks or the wait
    was too long; this process then compiles without a lock. If a process ends, the system releases its locks."""
    if fcntl is None:
        return None, False
    try:
        lock = path.open("wb")
    except OSError:
        return None, False
    waited = False
    end = time.monotonic() + MOST_WAITING
    while time.monotonic() < end:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            waited = True
            time.sleep(0.05)
        else:
            return lock, waited
    lock.close()
    return None, waited


def _address_of_refusal() -> int:
    """Return the address of a small function without arguments. Numba wants an address at which Python could call a
    part. No part is called in this way, so that this address serves for all."""

    @njit(nogil=True)
    def part_of_a_kernel():
        return 0

    part_of_a_kernel()
    (result,) = part_of_a_kernel.overloads.values()
    return result.library.get_pointer_to_function(result.fndesc.llvm_cpython_wrapper_name)


class _WithoutEnvironment:
    """A substitute for the code generator, for the place where numba would store the globals of a function in its
    machine code."""

    def set_env(self, name: str, env: Any) -> None:
        """Store nothing."""


class _PartLibrary(codegen.JITCodeLibrary):
    """Code that is only linked into other code. Numba would optimise and compile it separately, again at each level of
    calls. Here it stays unoptimised until the entry that uses it is optimised. (Compilation of a driver with an empty
    cache: 40 s without this, 12 s with it.)"""

    refusal = 0

    @property
    def codegen(self) -> Any:
        """A code generator that stores no globals of functions."""
        return _WithoutEnvironment()

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function that is never called, in place of the address at which Python could call the
        part."""
        self._ensure_finalized()
        if _PartLibrary.refusal == 0:
            _PartLibrary.refusal = _address_of_refusal()
        return _PartLibrary.refusal

    def _optimize_functions(self, ll_module: Any) -> None:
        """Set the data layout of the module, and leave its code unoptimised."""
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Mark the functions of this part so that an entry links them in once, and leave the code unoptimised."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        self._shared_module = self._final_module
        self._finalize_dynamic_globals()
        self._finalized = True


def _with_all_parts(library: Any) -> list[Any]:
    """Return the libraries whose functions `library` calls, directly or through others. Each is listed once."""
    found: dict[int, Any] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        part = waiting.pop()
        if id(part) not in found:
            found[id(part)] = part
            waiting += part._linking_libraries
    return list(found.values())


def _remember_meaning(function: types.Type) -> None:
    """Make the type of a built-in function cache which overload numba found for given types of arguments. Otherwise
    numba searches several times for each call, and tries dozens of overloads each time."""
    if not isinstance(function, types.BaseFunction) or "get_call_type" in vars(function):
        return
    ask = function.get_call_type
    known: dict[Any, Any] = {}

    def remembered(context: Any, given: Any, named: Any) -> Any:
        if named:
            return ask(context, given, named)
        found = known.get(given)
        if found is None:
            found = known[given] = ask(context, given, named)
        return found

    vars(function)["get_call_type"] = remembered


class _Compiler(compiler.Compiler):
    """Numba's compiler, with built-in functions that cache the overloads that numba finds for their calls."""

    built_in = (*vars(operator).values(), *vars(math).values(), abs, bool, float, int, len, max, min, range, round)

    def __init__(self, typing_context: Any, *others: Any):
        """Set up numba's compiler as usual, and make the built-in functions cache their overloads."""
        super().__init__(typing_context, *others)
        for function in self.built_in:
            if callable(function):
                _remember_meaning(typing_context._lookup_global(function))


class _PartCompiler(_Compiler):
    """Numba's compiler with `_PartLibrary` as the code library."""

    def define_pipelines(self) -> Any:
        """Return numba's passes. They write their code to a `_PartLibrary`."""
        state = self.state
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


_RARE: set[str] = set()  # as they stand in mangled names


class _EntryLibrary(codegen.JITCodeLibrary):
    """An entry and all its parts, compiled as one unit. No other code can call the parts. Therefore the optimiser may
    remove arguments that a part does not use, and inline a part that is called only once."""

    def finalize(self) -> None:
        """Link all parts into this library, each once, and turn it into machine code."""
        self._linking_libraries = _with_all_parts(self)
        super().finalize()

    def _optimize_final_module(self) -> None:
        """Make the parts internal, keep calls of `@rare` kernels from being inlined, and optimise the unit once."""
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
                if any(name in function.name for name in _RARE):
                    function.add_function_attribute("noinline")
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class _EntryCompiler(_Compiler):
    """Numba's compiler with `_EntryLibrary` as the code library."""

    def define_pipelines(self) -> Any:
        """Return numba's passes. They write their code to an `_EntryLibrary`, which the disk cache can keep."""
        state = self.state
        state.library = _EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return super().define_pipelines()


_STRICT: dict[str, Any] = {"error_model": "numpy", "nogil": True, "_nrt": False}
_PART: dict[str, Any] = {
    **_STRICT,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": _PartCompiler,
    "forceinline": False,  # a missing attribute is inherited from the caller: inlined functions would spread it
}


def _part(function: Callable[..., Any], **options: Any) -> Any:
    """Return `function` as a compiled part of an entry. Constants among its arguments have the type of plain whole
    numbers. Otherwise numba would compile the function once for each constant."""
    compiled: Any = njit(**{**_PART, **options})(function)
    if not compilation_is_off():
        template = compiled.get_call_template
        known: dict[Any, Any] = {}

        def remembered(given: Any, named: Any) -> Any:
            """Return the template for a call with arguments of these types. It is looked up only once: numba asks for
            it about ten times for each call, and each look-up is slow."""
            key = tuple(types.unliteral(a) for a in given)
            if named:
                return template(key, {k: types.unliteral(a) for k, a in named.items()})
            if key not in known:
                known[key] = template(key, {})
            return known[key]

        compiled.get_call_template = remembered
    return compiled


def compilation_is_off() -> bool:
    """Return whether NUMBA_DISABLE_JIT=1. Every kernel is then a plain Python function."""
    return bool(getattr(config, "DISABLE_JIT", 0))


def bounds_are_checked() -> bool:
    """Return whether NUMBA_BOUNDSCHECK=1."""
    return bool(getattr(config, "BOUNDSCHECK", 0))


def inline(function: Callable[..., Any]) -> Any:
    """Mark a small helper that is inlined wherever a kernel calls it. Python cannot call it."""
    return _part(function, forceinline=True)


def kernel(function: Callable[..., Any]) -> Any:
    """Mark a part of an entry. It is compiled into each entry that calls it. Python cannot call it."""
    return _part(function)


def _register_shared(part: Part) -> None:
    """Register with numba a function that is marked `@shared`, `@shared_inline` or `@shared_allocating`, so that
    kernels can call it."""
    register_jitable(**{**_PART, "_nrt": part.allocates, "forceinline": part.inlined})(part.function)


register_with(_register_shared)


def called(context: Any, builder: Any, function: Any, gives: Any, takes: Any, arguments: Any) -> Any:
    """Emit the call of a compiled function by its address, and return its result. Kernels raise no exceptions, and
    callers do not check for them. Only under NUMBA_BOUNDSCHECK=1, an index out of bounds raises an IndexError, and
    callers pass it on."""
    status, result = context.call_conv.call_function(builder, function, gives, takes, arguments)
    if bounds_are_checked():
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
    return result


def rare(function: Callable[..., Any]) -> Any:
    """Mark a kernel that most figures never call. It is not inlined, so that loops around the call are compiled as if
    the call were absent. If it were inlined, the step of a small figure would take a tenth longer, even if it never
    made the call."""
    path = [*function.__module__.split("."), function.__name__]
    _RARE.add("".join(f"{len(part)}{part}" for part in path))
    return _part(function)


def _give_up_turn(compiled: Any) -> None:
    """Release the lock of a function whose compilation was interrupted, for example by the window. Other processes can
    then compile it."""
    with suppress(AttributeError):  # a process that keeps no files takes no locks
        compiled._cache._end_turn()


ENTRIES: dict[tuple[str, str], "Entry"] = {}  # by module and name


class Entry:
    """A kernel that Python calls. Each packed tuple is passed to it as one pointer (`compiler.pack`)."""

    def __init__(self, compiled: Any, function: Callable[..., Any]):
        """Register the entry under its module and name."""
        self.compiled = compiled
        self.py_func = function
        self.module, self.name = function.__module__, function.__name__
        self.__doc__ = function.__doc__
        ENTRIES[self.module, self.name] = self

    @property
    def is_compiled(self) -> bool:
        """Whether this process has machine code of the entry, for any types. (Numba's public list of compiled types
        would take as long to read as a step of a small figure.)"""
        return bool(self.compiled.overloads)

    def is_missing(self, kinds: tuple[Any, ...]) -> bool:
        """Return whether a call with arguments of these types would have to compile the entry. If there is no disk
        cache, return False."""
        if kinds in self.compiled.overloads:
            return False
        cache = self.compiled._cache
        return isinstance(cache, _PackageCache) and not cache.holds(kinds, self.compiled.targetctx)

    def __call__(self, *arguments: Any) -> Any:
        """Call the compiled kernel. Packed tuples among the arguments are replaced by their handles."""
        try:
            return self.compiled(*handles(arguments))
        except BaseException:
            _give_up_turn(self.compiled)
            raise

    def address(self, *arguments: Any) -> int:
        """Return the address of the machine code for arguments like these, compiled if necessary."""
        return self.address_for(tuple(self.compiled.typeof_pyval(a) for a in handles(arguments)))

    def address_for(self, kinds: tuple[Any, ...]) -> int:
        """Return the address of the machine code for arguments of these types, compiled if necessary."""
        try:
            self.compiled.compile(kinds)
        except BaseException:
            _give_up_turn(self.compiled)
            raise
        done = self.compiled.overloads[kinds]
        return done.library.get_pointer_to_function(done.fndesc.llvm_func_name)


Wanted = tuple[Entry, tuple[Any, ...]]  # for arguments of these types


def entry(function: Callable[..., Any]) -> Any:
    """Mark a kernel that Python calls. It is compiled together with all its parts, and kept in the disk cache. It runs
    without the interpreter's lock."""
    if compilation_is_off():
        return function
    compiled: Any = njit(**_STRICT, pipeline_class=_EntryCompiler)(function)
    # where no folder can be written, each process compiles for itself
    with suppress(RuntimeError, OSError):
        compiled._cache = _PackageCache(function)
    return Entry(compiled, function)


def c_function(function: Callable[..., Any], pointers: int, kept: bool = False) -> Any:
    """Return a C function void f(double *, ...) with `pointers` arguments. It is compiled as one unit with all
    functions that it calls. These may allocate. With `kept`, the machine code is kept in the disk cache."""
    takes = (types.CPointer(types.float64),) * pointers
    options = {"error_model": "numpy"}
    made: Any = ccallback.CFunc(function, (takes, types.void), {}, options, pipeline_class=_EntryCompiler)
    if kept:
        with suppress(RuntimeError, OSError):
            made._cache = _PackageCache(function)
    try:
        made.compile()
    except BaseException:
        _give_up_turn(made)
        raise
    return made


@contextmanager
def compilation_news(report: Callable[[str, int], None]) -> Iterator[None]:
    """Call `report(name, count)` at the start of each compilation inside the `with` block. `name` is the function that
    is compiled, and `count` the number of compilations that have begun in the block."""

    class Listener(event.Listener):
        """A listener that counts compilations and reports each at its start."""

        count = 0

        def on_start(self, event: Any) -> None:
            """Report the name of the function whose compilation begins."""
            self.count += 1
            report(event.data["dispatcher"].py_func.__name__, self.count)

        def on_end(self, event: Any) -> None:
            """Do nothing."""

    with event.install_listener("numba:compile", Listener()):
        yield
