"""Functions that call one of several functions by a code: those of the kinds of joint, for instance.

`call_by_code(spec, {3: universal.bias, 4: slider.bias}, ...)` returns the function that one would write by hand:

    def bias(kind, joint, edge, i, vc, wc, vp, wp):
        if kind == 3:
            return function_0(edge, i, vc, wc, vp, wp)
        if kind == 4:
            return function_1(edge, i, vc, wc, vp, wp)
        return otherwise(kind, joint, edge, i, vc, wc, vp, wp)

`spec` is a function without a body: its name, arguments, docstring and place in the sources are those of the result,
and its first argument is the code. Each of the functions takes those of its arguments that it names. It is one function
for numba, compiled like any other: a chain of closures would be compiled link by link.
"""

import ast
import inspect
from collections.abc import Callable, Mapping
from typing import Any


def call_by_code(
    spec: Callable[..., Any], functions: Mapping[int, Any], nothing: Any, otherwise: Any = None
) -> Callable[..., Any]:
    """Return a function with the arguments of `spec` whose first argument is a code, and which calls the function that
    `functions` has for it. For a code whose function is None it returns `nothing`; for an unknown code it calls
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
    """Return the source text of a call of `function` under the name `name`, with those of the arguments `takes` that it
    has as parameters. Refuse a function with other parameters."""
    wanted = list(inspect.signature(getattr(function, "py_func", function)).parameters)
    if not set(wanted) <= set(takes):
        place = f"{function.__module__}.{function.__name__}"
        raise TypeError(f"{place} takes {', '.join(wanted)}; {spec.__name__} has {', '.join(takes)}")
    return f"{name}({', '.join(wanted)})"


def _compiled(text: str, spec: Callable[..., Any], named: dict[str, Any]) -> Any:
    """Return the function that the source text `text` defines, with the names `named`. Its file and line are those of
    `spec`, because the disk cache looks at the file."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = spec.__code__.co_firstlineno  # type: ignore[attr-defined]
            node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    exec(compile(tree, spec.__code__.co_filename, "exec"), named)
    return named[spec.__name__]
