"""The reference of all arrays, ARRAYS.md. `python -m physics.data.reference` writes it from the code.

The groups of arrays are named tuples. Their fields have entries (`physics/data/arrays.py`), from which the arrays are
made. The columns and codes come from the `Table` classes."""

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from physics.compiler.table import TableMeta
from physics.data import contact_tables, model_tables, shape_tables, state_tables, step_tables, work_tables
from physics.data.arrays import SIZES, Array, Size, symbols

PAGE = Path(__file__).with_name("ARRAYS.md")
# the modules that define groups of arrays; those of rooms above are imported when the page is written
SOURCES = (
    "physics.data.model", "physics.collision.geometry", "physics.collision.broad", "physics.collision.workspace",
    "physics.collision.collision", "physics.contacts.touch",
)  # fmt: skip
TABLES = (model_tables, state_tables, work_tables, step_tables, shape_tables, contact_tables)

HEAD = """# Arrays

This page is written by `python -m physics.data.reference` from the entries of the arrays (`array` in
`physics/data/model.py` and its like, from which the arrays are made) and from the `Table` classes of
`physics/data/*_tables.py`; a test keeps it current.

The unit and the axes of an array whose shape names a table are those of its columns, further below. World axes are
meant where no axes are named. "Written by" names the rooms of `physics/` whose functions write the array.

## Sizes

| symbol | meaning |
|---|---|
"""


def cell(text: str) -> str:
    """Return a text on one line, as the cell of a table."""
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def groups() -> list[Any]:
    """Return every group of arrays, in the order of the sources."""
    return [
        value for source in SOURCES for value in vars(import_module(source)).values()
        if hasattr(value, "entries") and value.__module__ == source
    ]  # fmt: skip


def size_text(size: Size) -> str:
    """Return a size as text. A table is written as its width."""
    return f"{size.__name__}.WIDTH" if isinstance(size, TableMeta) else str(size)


def shape_text(entry: Array) -> str:
    """Return the shape of an array as text."""
    return f"({', '.join(map(size_text, entry.shape))}{',' if len(entry.shape) == 1 else ''})"


def group_page(group: Any) -> str:
    """Return the text about a group of arrays: a table of its fields."""
    head = "| field | type | shape | meaning | unit | axes | written by |"
    lines = [f"### {group.__name__}", "", cell(group.__doc__ or ""), "", head, "|---|---|---|---|---|---|---|"]
    for name, entry in group.entries.items():
        if isinstance(entry, Array):
            parts = (
                group.types[name].__name__, shape_text(entry), entry.meaning, entry.unit, entry.frame, entry.by,
            )  # fmt: skip
        else:
            parts = (f"`{group.__mro__[1].__annotations__[name].__name__}`", "", entry.meaning, "", "", "")
        lines.append(f"| `{name}` | {' | '.join(map(cell, parts))} |")
    return "\n".join(lines) + "\n"


def sizes_page(all_groups: list[Any]) -> str:
    """Return the rows of the table of symbols. It has the symbols that occur in the shapes of arrays."""
    used = {
        symbol for group in all_groups for entry in group.entries.values() if isinstance(entry, Array)
        for size in entry.shape for symbol in symbols(size)
    }  # fmt: skip
    return "".join(f"| {name} | {cell(meaning)} |\n" for name, meaning in SIZES.items() if name in used)


def tables() -> list[TableMeta]:
    """Return every table of columns or codes, in the order of the sources."""
    return [
        value for module in TABLES for value in vars(module).values()
        if isinstance(value, TableMeta) and value.__module__ == module.__name__
    ]  # fmt: skip


def column_page(table: TableMeta) -> str:
    """Return the text about the columns of an array: for each quantity its columns, its name, its unit and its
    meaning."""
    lines = [f"### {table.__name__}", "", cell(table.__doc__ or ""), "", "| columns | name | unit | meaning |",
             "|---|---|---|---|"]  # fmt: skip
    for name, c in table.columns.items():
        first = getattr(table, name)
        place = str(first) if c.size == 1 else f"{first} to {first + c.size - 1}"
        lines.append(f"| {place} | `{name}` | {c.unit} | {cell(c.meaning)} |")
    return "\n".join(lines) + "\n"


def code_page(table: TableMeta) -> str:
    """Return the text about the codes of a table: the name and the number of each."""
    codes = [f"`{name}` {value}" for name, value in vars(table).items() if name.isupper() and isinstance(value, int)]
    return f"- **{table.__name__}.** {cell(table.__doc__ or '')} {', '.join(codes)}."


def page() -> str:
    """Return the whole page about the arrays."""
    all_tables, all_groups = tables(), groups()
    return "\n".join([
        HEAD + sizes_page(all_groups), "## Groups of arrays\n", *map(group_page, all_groups),
        "## Columns\n", *(column_page(table) for table in all_tables if table.columns),
        "## Codes\n", *(code_page(table) for table in all_tables if not table.columns),
    ]) + "\n"  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE.name} has {len(page().splitlines())} lines\n")
