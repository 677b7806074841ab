"""The stub `physics/__init__.pyi`, the list of the public names of the physics, made from the modules' `__all__`.
`python -m tests.helpers.front_door` writes it anew."""

import ast
from pathlib import Path

import physics

ROOT = Path(physics.__file__).parent
STUB = ROOT / "__init__.pyi"
ROOMS = ("data", "definitions", "collision", "solvers", "world")  # that have public names
HEAD = '''"""The public names of the physics, and the modules that define them and list them in `__all__`. Type checkers
and editors read this file, and `__init__.py` imports the names by it. `tests/helpers/front_door.py` writes it."""
'''


def public_names(path: Path) -> list[str]:
    """Return the names in the `__all__` of a source file; none where it has no such list."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return ast.literal_eval(node.value)
    return []


def text() -> str:
    """Return the text of the stub."""
    lines = [HEAD]
    for path in sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        names = public_names(path)
        if names:
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            lines += [f"from .{module} import (", *(f"    {name} as {name}," for name in sorted(names)), ")"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
