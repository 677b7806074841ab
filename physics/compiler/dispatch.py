"""One kernel out of several, chosen by a code: how a table of kinds becomes compiled code.

    height = dispatch("height", {BOX: box.height, BALL: ball.height})

makes the kernel

    def height(code, size):
        if code == BOX:
            return box.height(size)
        return ball.height(size)

The kernels of the table are those that an editor finds at their names in it. All take the same arguments and return
values of the same types.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from physics.compiler.jit import kernel


def dispatch(name: str, cases: Mapping[int, Any], others: Any = None) -> Any:
    """Return a kernel that takes a code and the arguments of the kernels in `cases`, and calls the kernel of that code.
    `others` is for all other codes. Without it the last of `cases` is called without a comparison, so that the caller
    must hand over codes of the table only."""
    codes = list(cases)
    called = [*cases.values()] if others is None else [*cases.values(), others]
    arguments = _arguments(called[0])
    for function in called:
        if _arguments(function) != arguments:
            what = f"{_plain(function).__module__}.{_plain(function).__name__}({', '.join(_arguments(function))})"
            raise TypeError(f"{name}: {what} does not take the arguments of the others, {', '.join(arguments)}")
    given = ", ".join(arguments)
    lines = [f"def {name}(code, {given}):"]
    for k in range(len(called) - 1):
        lines += [f"    if code == {codes[k]}:", f"        return case_{k}({given})"]
    lines.append(f"    return case_{len(called) - 1}({given})")
    space: dict[str, Any] = {"__name__": __name__, **{f"case_{k}": function for k, function in enumerate(called)}}
    exec(compile("\n".join(lines), f"<dispatch {name}>", "exec"), space)  # as `dataclasses` makes its methods
    return kernel(space[name])


def _plain(function: Any) -> Callable[..., Any]:
    """Return the Python function of a kernel."""
    return getattr(function, "py_func", function)


def _arguments(function: Any) -> list[str]:
    """Return the names of its arguments."""
    return list(inspect.signature(_plain(function)).parameters)
