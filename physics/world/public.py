"""The list of public names, `physics/__init__.pyi`: `python -m physics.world.public` writes it anew.

A class or function of the physics is public where the example in its docstring imports it from `physics`. Tables of
names have no docstring and are listed here.
"""

import ast
import re
from pathlib import Path

PHYSICS = Path(__file__).resolve().parents[1]
STUB = PHYSICS / "__init__.pyi"
HEAD = '''"""The public names of the physics and the modules that define them. Type checkers and editors read this file,
and `__init__.py` imports the names by it. `python -m physics.world.public` writes it."""

'''
TABLES = {
    "WORLD": "definitions.checks", "MODES": "solvers.modes", "CORRECTIONS": "data.step_tables",
    "INTEGRATORS": "data.step_tables", "ORDERS": "data.step_tables",
}  # fmt: skip


def public_names() -> list[tuple[str, str]]:
    """Return (module, name) of every public name, in order."""
    found = [(module, name) for name, module in TABLES.items()]
    for path in PHYSICS.rglob("*.py"):
        module = ".".join(path.relative_to(PHYSICS).with_suffix("").parts)
        for thing in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(thing, ast.ClassDef | ast.FunctionDef) and is_shown(thing.name, ast.get_docstring(thing)):
                found.append((module, thing.name))
    return sorted(found)


def is_shown(name: str, docstring: str | None) -> bool:
    """Return whether the example in a docstring imports this name from `physics`."""
    lines = re.findall(r">>> from physics import (.*)", docstring or "")
    return any(name in re.findall(r"\w+", line) for line in lines)


def stub() -> str:
    """Return the text of the list."""
    return HEAD + "".join(f"from .{module} import {name} as {name}\n" for module, name in public_names())


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
    print(f"{STUB.name} has {len(public_names())} names")
