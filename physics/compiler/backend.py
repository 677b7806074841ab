"""Compiling entries with numba. Nothing here is imported before a kernel must be compiled.

Numba compiles each kernel by itself and links the machine code of one into that of another. Here the parts of an entry
are only lowered; the entry links them, makes them internal, and is optimised once, as one unit. (Cold compilation of a
driver: 40 s otherwise, 12 s so.) What comes out is the unit's object code, with one symbol that is visible outside; it
is kept (`compiler.store`) and loaded (`compiler.loader`) without numba.

Kernels allocate nothing, so they are compiled without numba's reference counting: its atomic increments around every
array argument cost ten times the arithmetic of a small helper with branches (measured: 21 ns against 2 ns).
"""

import ctypes
import math
import operator
import os
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from llvmlite.binding import Linkage, parse_assembly
from numba import njit, types
from numba.core import cgutils, codegen, compiler, config, event, registry
from numba.core.runtime.nrt import rtsys
from numba.extending import register_jitable

from physics.compiler.jit import Entry, Part, bounds_are_checked, reports
from physics.compiler.kinds import Kind
from physics.compiler.pack_lowering import type_of_kind, type_of_result

# Numba looks for this file in the present folder at every compilation. Settings come from the environment alone, on
# which the keys of kept machine code depend.
config._config_fname = os.devnull  # type: ignore[attr-defined]

STRICT: dict[str, Any] = {
    "error_model": "numpy",
    "nogil": True,
    "_nrt": False,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
}


# ---------------------------------------------------------------- libraries of code
# Numba makes a Python function of each compiled one, for which it wants an address. Nobody calls it.
_NEVER_CALLED = ctypes.cast(ctypes.pythonapi.PyErr_BadInternalCall, ctypes.c_void_p).value


class _WithoutEnvironment:
    """A stand-in for the code generator where numba would store the globals of a function in its machine code."""

    def set_env(self, name: str, env: Any) -> None:
        """Store nothing."""


class _PartLibrary(codegen.JITCodeLibrary):
    """Code that is only ever linked into other code. Numba would optimise and compile it by itself, once more at each
    level of calls; here it stays unoptimised, and is optimised once, in the entry that uses it. (Cold compilation of a
    driver: 40 s without this, 12 s with it.)"""

    @property
    def codegen(self) -> Any:
        """A code generator that stores no globals of functions."""
        return _WithoutEnvironment()

    def get_pointer_to_function(self, name: str) -> int:
        """Return the address of a function that is never called, in place of the entry from Python."""
        self._ensure_finalized()
        assert _NEVER_CALLED is not None
        return _NEVER_CALLED

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
    """Return the libraries that `library` calls, directly or through others, each once."""
    found: dict[int, Any] = {}
    waiting = list(library._linking_libraries)
    while waiting:
        part = waiting.pop()
        if id(part) not in found:
            found[id(part)] = part
            waiting += part._linking_libraries
    return list(found.values())


_rare: set[str] = set()  # names of rare parts, as they stand in mangled names


class _EntryLibrary(_PartLibrary):
    """An entry and all its parts, compiled as one unit. No other code can call the parts, so the optimiser may drop
    arguments that a part does not use, and inline a part that is called once."""

    symbol = ""  # name of the entry's function, as numba mangles it

    def _optimize_functions(self, ll_module: Any) -> None:
        codegen.JITCodeLibrary._optimize_functions(self, ll_module)

    def finalize(self) -> None:
        """Link all parts into this library, each once, and hide all functions but the entry's own."""
        for part in _with_all_parts(self):
            module = part._get_module_for_linking().clone()
            for function in module.functions:
                if not function.is_declaration and function.linkage == Linkage.linkonce_odr:
                    # the linker leaves a "link once" function out that only a part behind this one calls
                    function.linkage = Linkage.weak_odr
            self._final_module.link_in(module)
        for function in self._final_module.functions:
            if function.is_declaration:
                continue
            if function.linkage in (Linkage.weak_odr, Linkage.linkonce_odr):
                function.linkage = Linkage.internal
                if any(name in function.name for name in _rare):
                    function.add_function_attribute("noinline")
            elif function.linkage == Linkage.external:
                self.symbol = function.name
        for variable in self._final_module.global_variables:
            if variable.name.startswith("_ZN08NumbaEnv"):
                variable.linkage = Linkage.internal
        self._finalized = True

    def compile(self, symbol: str, pointers: int) -> bytes:
        """Return the object code, in which the entry's function is called `symbol`. An entry of C's kind with so many
        `pointers` is wrapped in the function of that name."""
        function = self._final_module.get_function(self.symbol)
        if pointers:
            self._final_module.link_in(parse_assembly(str(_c_wrapper(self.symbol, symbol, pointers))), preserve=True)
            self._final_module.get_function(self.symbol).linkage = Linkage.internal
        else:
            function.name = symbol
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)
        self._final_module.verify()
        return self._codegen._tm.emit_object(self._final_module)


def _c_wrapper(inner: str, symbol: str, pointers: int) -> ir.Module:
    """Return the function void symbol(double *, ...), which calls one of numba's convention. What it raises is lost;
    who calls such a function fills the result with what tells it (`build.callbacks`)."""
    module = ir.Module()
    number = ir.DoubleType().as_pointer()
    nothing = ir.IntType(8).as_pointer()
    takes = [nothing.as_pointer(), nothing.as_pointer(), *[number] * pointers]
    called = ir.Function(module, ir.FunctionType(ir.IntType(32), takes), inner)
    wrapper = ir.Function(module, ir.FunctionType(ir.VoidType(), [number] * pointers), symbol)
    builder = ir.IRBuilder(wrapper.append_basic_block())
    builder.call(called, [builder.alloca(nothing), builder.alloca(nothing), *wrapper.args])
    builder.ret_void()
    return module


# ---------------------------------------------------------------- numba's compiler
def _remember_meaning(function: types.Type) -> None:
    """Make the type of a built-in function cache the overload that numba finds for given types of arguments. Numba asks
    several times for each call, and tries dozens of overloads each time."""
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
    """Numba's compiler, with built-in functions that cache the overloads found for their calls."""

    built_in = (*vars(operator).values(), *vars(math).values(), abs, bool, float, int, len, max, min, range, round)
    library: type[_PartLibrary] = _PartLibrary

    def __init__(self, typing_context: Any, *others: Any):
        """Set up numba's compiler as usual, and make the built-in functions cache their overloads."""
        super().__init__(typing_context, *others)
        for function in self.built_in:
            if callable(function):
                _remember_meaning(typing_context._lookup_global(function))

    def define_pipelines(self) -> Any:
        state = self.state
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        return super().define_pipelines()


class _EntryCompiler(_Compiler):
    """Numba's compiler with `_EntryLibrary` as the code library."""

    library = _EntryLibrary


def _part_options(inlined: bool, allocates: bool) -> dict[str, Any]:
    # an option that is left out is inherited from the caller: inlined ones would spread it
    return {**STRICT, "pipeline_class": _Compiler, "forceinline": inlined, "_nrt": allocates}


def part_dispatcher(part: Part) -> Any:
    """Return the type by which numba calls a part. It is compiled once for an argument that is a whole number; numba
    would compile it anew for each constant."""
    if part.rare:
        path = [*part.py_func.__module__.split("."), part.py_func.__name__]
        _rare.add("".join(f"{len(name)}{name}" for name in path))
    compiled: Any = njit(**_part_options(part.inlined, allocates=False))(part.py_func)
    template = compiled.get_call_template
    known: dict[Any, Any] = {}

    def remembered(given: Any, named: Any) -> Any:
        """Numba asks anew whenever it looks at a call, some ten times for each, and asking is slow."""
        key = tuple(types.unliteral(a) for a in given)
        if named:
            return template(key, {k: types.unliteral(a) for k, a in named.items()})
        if key not in known:
            known[key] = template(key, {})
        return known[key]

    compiled.get_call_template = remembered
    return compiled


_types: dict[int, tuple[Any, Any, Any]] = {}  # by identity, with the objects that must stay alive


def type_of(one: Any, make: Callable[[], Any]) -> Any:
    """Return numba's type of what stands for `one` in kernels, a dispatcher or an intrinsic, made the first time."""
    if id(one) not in _types:
        made = make()
        kind = getattr(made, "_numba_type_", None)
        if kind is None:
            context: Any = registry.cpu_target.typing_context
            context.refresh()
            kind = context.resolve_value_type(made)
        _types[id(one)] = kind, one, made
    return _types[id(one)][0]


def teach_function(function: Callable[..., Any], inlined: bool, allocates: bool) -> None:
    """Register with numba a function that Python calls as it is."""
    register_jitable(**_part_options(inlined, allocates))(function)


def compile_entry(one: Entry, kinds: tuple[Kind, ...], symbol: str) -> bytes:
    """Return the object code of an entry for arguments of these types, with the function `symbol` in it. An entry that
    takes addresses alone is a function of C's kind."""
    pointers = len(kinds) if set(kinds) == {"p"} else 0
    return compile_function(one.py_func, tuple(type_of_kind(k) for k in kinds), one.gives, symbol, pointers)


def compile_function(
    function: Callable[..., Any], takes: tuple[Any, ...], gives: str, symbol: str, pointers: int = 0, **options: Any
) -> bytes:
    """Return the object code of a function; with `pointers` it is of C's kind."""
    compiled: Any = njit(**{**STRICT, **options}, pipeline_class=_EntryCompiler)(function)
    with event.install_listener("numba:compile", _Listener()):
        compiled.compile(takes)
    done = compiled.overloads[takes]
    wanted = type_of_result(gives)
    if types.unliteral(done.signature.return_type) != wanted:
        name = f"{function.__module__}.{function.__name__}"
        raise TypeError(f"{name} returns {done.signature.return_type}, and its decorator says {wanted}")
    return done.library.compile(symbol, pointers)


def compile_c_function(function: Callable[..., Any], pointers: int, symbol: str) -> bytes:
    """Return the object code of a function of so many pointers, of C's kind, which may allocate."""
    takes = (types.CPointer(types.float64),) * pointers
    start_runtime()
    return compile_function(function, takes, "", symbol, pointers, nogil=False, _nrt=True)


def users_function(function: Callable[..., Any]) -> Any:
    """Return the user's function for others that are compiled."""
    options: dict[str, Any] = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return njit(**options)(function)


def start_runtime() -> None:
    """Make numba's runtime known to the loader: what allocates needs it."""
    context: Any = registry.cpu_target.target_context
    context.refresh()
    rtsys.initialize(context)


class _Listener(event.Listener):
    """Reports each kernel that numba begins to compile."""

    def on_start(self, event: Any) -> None:
        for report in reports:
            report(event.data["dispatcher"].py_func.__name__)

    def on_end(self, event: Any) -> None:
        pass


def called(context: Any, builder: Any, function: Any, gives: Any, takes: Any, arguments: Any) -> Any:
    """Emit the call of a compiled function by its address, and return its result. Kernels raise nothing, and no caller
    checks for exceptions, except under NUMBA_BOUNDSCHECK=1, where an index out of bounds raises an IndexError."""
    status, result = context.call_conv.call_function(builder, function, gives, takes, arguments)
    if bounds_are_checked():
        with cgutils.if_unlikely(builder, status.is_error):
            context.call_conv.return_status_propagate(builder, status)
    return result
