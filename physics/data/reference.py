"""The reference of all arrays, ARRAYS.md, written from the code: `python -m physics.data.reference`.

The groups of arrays are named tuples whose fields have comments `# (shape) meaning`. The sources are read as text, so
that this module does not import the rooms above. The columns and codes come from the `Table` classes.
"""

import re
import sys
from pathlib import Path

from physics.compiler.table import TableMeta
from physics.data import contact_tables, model_tables, shape_tables, state_tables, step_tables, work_tables

PHYSICS = Path(__file__).resolve().parents[1]
PAGE = Path(__file__).with_name("ARRAYS.md")
SOURCES = ("data/model.py", "collision/geometry.py", "collision/collision.py", "contacts/touch.py")
TABLES = (model_tables, state_tables, work_tables, step_tables, shape_tables, contact_tables)
TYPES = {"Floats": "float64", "Columns": "float64", "Ints": "int64", "IntColumns": "int64"}

GROUP = re.compile(r"^@packed\nclass (\w+)\(NamedTuple\):\n((?:    .*\n|\n)*)", re.MULTILINE)
DOCSTRING = re.compile(r'^    """(.*?)"""', re.DOTALL)
FIELD = re.compile(r"^    (\w+): ([\w\[\].]+)(?:  # (?:(\([^()]*(?:\([^()]*\)[^()]*)*\)) ?)?(.*))?$", re.MULTILINE)
HEAD = """# Arrays

This page is written by `python -m physics.data.reference` from the comments of `physics/data/model.py` and its like and
from the `Table` classes of `physics/data/*_tables.py`; a test keeps it current.

n is the number of bodies, k the number of links (edges outside the forest), K the number of auxiliary rows that there
is room for, g the number of shapes, m the number of contacts that there is room for, and `stride` the number of
velocity columns of a body: 9 in scenes with a scaled body, else 6. World axes are meant where no frame is named.
"""


def cell(text: str) -> str:
    """A text for a cell of a table, on one line."""
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def group_page(source: str) -> str:
    """The groups of arrays that a source defines, each with a table of its fields."""
    pages = []
    for name, body in GROUP.findall((PHYSICS / source).read_text()):
        said = DOCSTRING.search(body)
        lines = [f"### {name}", "", cell(said.group(1)) if said else "", "", "| field | type | shape | meaning |",
                 "|---|---|---|---|"]  # fmt: skip
        for field, kind, shape, meaning in FIELD.findall(body):
            lines.append(f"| `{field}` | {TYPES.get(kind, f'`{kind}`')} | {cell(shape)} | {cell(meaning)} |")
        pages.append("\n".join(line for line in lines) + "\n")
    return "\n".join(pages)


def tables() -> list[TableMeta]:
    """Every table of columns or codes, in the order of the sources."""
    return [
        value for module in TABLES for value in vars(module).values()
        if isinstance(value, TableMeta) and value.__module__ == module.__name__
    ]  # fmt: skip


def column_page(table: TableMeta) -> str:
    """The columns of an array: first column, how many, name, unit, meaning."""
    lines = [f"### {table.__name__}", "", cell(table.__doc__ or ""), "", "| columns | name | unit | meaning |",
             "|---|---|---|---|"]  # fmt: skip
    for name, c in table.columns.items():
        first = getattr(table, name)
        place = str(first) if c.size == 1 else f"{first} to {first + c.size - 1}"
        lines.append(f"| {place} | `{name}` | {c.unit} | {cell(c.meaning)} |")
    return "\n".join(lines) + "\n"


def code_page(table: TableMeta) -> str:
    """The codes of a table: name and number of each."""
    codes = [f"`{name}` {value}" for name, value in vars(table).items() if name.isupper() and isinstance(value, int)]
    return f"- **{table.__name__}.** {cell(table.__doc__ or '')} {', '.join(codes)}."


def page() -> str:
    """The whole page."""
    all_tables = tables()
    return "\n".join([
        HEAD, "## Groups of arrays\n", *map(group_page, SOURCES),
        "## Columns\n", *(column_page(table) for table in all_tables if table.columns),
        "## Codes\n", *(code_page(table) for table in all_tables if not table.columns),
    ]) + "\n"  # fmt: skip


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.stdout.write(f"{PAGE.name} has {len(page().splitlines())} lines\n")
