"""Tables: classes whose attributes are the columns of an array. Kernels read these attributes as constants.

    class Edges(Table, array="Work.edge", rows="n + k"):
        RC = column("from the child's centre of mass to the anchor", "m", 3)
        RP = column("from the parent's centre of mass to the anchor", "m", 3)

`Edges.RC` is the number of its first column, 0, and `Edges.RP` is 3. Each quantity begins where the one before it ends,
unless `at` gives its first column. With `at`, different kinds of joints can use the same columns. `Edges.WIDTH` is the
width of a row, and `Edges.columns` describes all quantities. Plain numbers in such a class are codes. Names of
different tables cannot be confused, because each name is written after that of its table."""

from typing import Any, NamedTuple

from physics.compiler.jit import when_compiling


class Column(NamedTuple):
    """One quantity in the rows of an array."""

    meaning: str
    unit: str  # "" for a switch, a code or a number of things
    size: int  # how many columns it takes
    at: int | None  # its first column; None: behind the one before


def column(meaning: str, unit: str = "", size: int = 1, *, at: int | None = None) -> int:
    """Return the description of a quantity of `size` columns. `TableMeta` replaces the attribute by the number of its
    first column."""
    return Column(meaning, unit, size, at)  # type: ignore[return-value]


class TableMeta(type):
    """The metaclass of tables: it numbers the columns."""

    columns: dict[str, Column]  # each with its first column in `at`
    array: str
    rows: str
    WIDTH: int

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any], **_: Any) -> "TableMeta":
        """Make the class: set each column to its number, and `WIDTH` to the width of a row."""
        columns = {}
        end = 0
        for key, value in space.items():
            if isinstance(value, Column):
                at = end if value.at is None else value.at
                columns[key] = value._replace(at=at)
                end = max(end, at + value.size)
        table = super().__new__(mcs, name, bases, space | {key: c.at for key, c in columns.items()})
        table.columns = columns
        if columns:
            table.WIDTH = end
        return table

    def __init__(
        cls, name: str, bases: tuple[type, ...], space: dict[str, Any], array: str = "", rows: str = "", width: int = 0
    ) -> None:
        """Set three attributes: the name of the array that the table describes, what its rows are, and its width if one
        is given."""
        super().__init__(name, bases, space)
        cls.array, cls.rows = array, rows
        if width:
            cls.WIDTH = width


class Table(metaclass=TableMeta):
    """Base class of tables: the columns of an array, or codes."""


@when_compiling
def _teach_numba() -> None:
    """Teach numba that an attribute of a table is a constant."""
    from physics.compiler import table_lowering  # noqa: F401 - importing it is enough
