"""Functions that call one of several functions, which a code selects. For example, the code is the kind of a joint.

`call_by_code(spec, {3: universal.bias, 4: slider.bias}, ...)` returns the function that one would write by hand:

    def bias(kind, joint, edge, i, vc, wc, vp, wp):
        if kind == 3:
            return function_0(edge, i, vc, wc, vp, wp)
        if kind == 4:
            return function_1(edge, i, vc, wc, vp, wp)
        return otherwise(kind, joint, edge, i, vc, wc, vp, wp)

`spec` is a function without a body. The result has its name, arguments, docstring and place in the sources. Its first
argument is the code. Each function gets those arguments of `spec` that it has as parameters. For numba, the result is
one function like any other; a chain of closures, in contrast, would be compiled link by link."""

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any


def call_by_code(
    spec: Callable[..., Any], functions: Mapping[int, Any], nothing: Any, otherwise: Any = None
) -> Callable[..., Any]:
    """Return a function with the arguments of `spec`, of which the first is a code. It calls the function that
    `functions` has for the code. If that is None, it returns the result `nothing`. For an unknown code, it calls
    `otherwise` with all arguments, or returns `nothing` if there is no `otherwise`."""
    takes = list(inspect.signature(spec).parameters)
    codes: dict[int, list[int]] = {}  # of each function, by its identity: they stand in the order of their first codes
    named: dict[str, Any] = {"__name__": spec.__module__, "otherwise": otherwise}
    whole = f"otherwise({', '.join(takes)})"
    lines = [f"def {spec.__name__}({', '.join(takes)}):"]
    for code, function in functions.items():
        codes.setdefault(id(function), []).append(code)
    for place, (code, *more) in enumerate(codes.values()):
        function = functions[code]
        lines.append(f"    if {' or '.join(f'{takes[0]} == {one}' for one in (code, *more))}:")
        lines.append(f"        return {_call(spec, f'function_{place}', function, takes) if function else nothing}")
        named[f"function_{place}"] = function
    lines.append(f"    return {whole if otherwise else nothing}")
    made = _compiled("\n".join(lines), spec, named)
    made.__doc__ = spec.__doc__
    return made


def _call(spec: Callable[..., Any], name: str, function: Any, takes: list[str]) -> str:
    """Return the source text that calls `function` by the name `name`. The call passes those arguments in `takes` that
    `function` has as parameters. Refuse a function with other parameters."""
    wanted = list(inspect.signature(getattr(function, "py_func", function)).parameters)
    if not set(wanted) <= set(takes):
        place = f"{function.__module__}.{function.__name__}"
        raise TypeError(f"{place} takes {', '.join(wanted)}; {spec.__name__} has {', '.join(takes)}")
    return f"{name}({', '.join(wanted)})"


def _compiled(text: str, spec: Callable[..., Any], named: dict[str, Any]) -> Any:
    """Return the function that the source `text` defines. `named` has the names that the text uses. File and line of
    the function are those of `spec`, because the disk cache depends on the file."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = spec.__code__.co_firstlineno  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    exec(compile(tree, spec.__code__.co_filename, "exec"), named)
    return named[spec.__name__]
