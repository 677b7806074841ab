"""Who writes each slot of Control, Number and Touch.control: the modules, found in their sources.
`python -m tests.architecture.writers` writes physics/data/writers.py anew."""

import ast
import textwrap
from pathlib import Path

import physics

ROOT = Path(physics.__file__).parent
FILE = ROOT / "data" / "writers.py"
TABLES = ("Control", "Number", "TouchControl")
HEAD = '''"""Who writes each slot of Work.control, Work.number and Touch.control: the modules that assign to it by its
name, as in `w.control[Control.STAGE] = ...`. A test compares this with the sources
(tests/architecture/test_writers.py); `python -m tests.architecture.writers` writes it anew."""

from collections.abc import Mapping
from types import MappingProxyType

WRITERS: Mapping[str, tuple[str, ...]] = MappingProxyType({
'''


def slots_in(target: ast.expr) -> list[str]:
    """Slots to which an assignment to this target writes"""
    if isinstance(target, ast.Tuple):
        return [slot for part in target.elts for slot in slots_in(part)]
    if not isinstance(target, ast.Subscript):
        return []
    return [
        f"{n.value.id}.{n.attr}"
        for n in ast.walk(target.slice)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id in TABLES
    ]


def found() -> dict[str, tuple[str, ...]]:
    """By slot, the modules that write it"""
    writers: dict[str, set[str]] = {}
    for path in ROOT.rglob("*.py"):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if isinstance(node, ast.AugAssign):
                targets = [node.target]
            for slot in [slot for target in targets for slot in slots_in(target)]:
                writers.setdefault(slot, set()).add(module)
    return {slot: tuple(sorted(modules)) for slot, modules in sorted(writers.items())}


def line(slot: str, modules: tuple[str, ...]) -> str:
    whole = f"    {slot!r}: {modules!r},".replace("'", '"')
    if len(whole) <= 120:
        return whole + "\n"
    filled = textwrap.fill(", ".join(f'"{module}"' for module in modules) + ",", 112)
    return f'    "{slot}": (\n{textwrap.indent(filled, " " * 8)}\n    ),\n'


def text() -> str:
    return HEAD + "".join(line(slot, modules) for slot, modules in found().items()) + "})  # fmt: skip\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
