"""Tables: the columns of an array as attributes of a class, which kernels read as constants.

    class Edges(Table, array="Work.edge", rows="n + k"):
        RC = column(3, "from the child's centre of mass to the anchor", unit="m")
        RP = column(3, "from the parent's centre of mass to the anchor", unit="m")

`Edges.RC` is the first of its columns, 0, and `Edges.RP` is 3: a column begins where the one before it ends, unless
`at` says otherwise, as where kinds of joints use the same columns. `Edges.WIDTH` is the width of a row, and
`Edges.columns` describes them. Plain numbers in such a class are codes. A name of one table cannot be taken for that
of another, as each is written with its table.
"""

from typing import Any, NamedTuple

from numba import types
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model, typeof_impl


class Column(NamedTuple):
    """One quantity in the rows of an array."""

    size: int  # how many columns it takes
    meaning: str
    unit: str
    at: int | None  # its first column; None: behind the one before


def column(size: int, meaning: str, *, unit: str = "", at: int | None = None) -> int:
    """Describe a quantity of `size` columns. `TableMeta` replaces it by the number of its first column."""
    return Column(size, meaning, unit, at)  # type: ignore[return-value]


class TableMeta(type):
    """The metaclass of tables: it numbers the columns."""

    columns: dict[str, Column]  # each with its first column in `at`
    array: str
    rows: str
    WIDTH: int

    def __new__(mcs, name: str, bases: tuple[type, ...], space: dict[str, Any], **_: Any) -> "TableMeta":
        """Make the class: each column gets its number, and `WIDTH` the width of a row."""
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
        """Note the array that the table describes, what its rows are, and its width where that is given."""
        super().__init__(name, bases, space)
        cls.array, cls.rows = array, rows
        if width:
            cls.WIDTH = width


class Table(metaclass=TableMeta):
    """Base class of tables: the columns of an array, or codes."""


class TableType(types.Dummy):
    """The numba type of a table."""

    def __init__(self, table: TableMeta) -> None:
        """Make the type of one table."""
        self.table = table
        super().__init__(f"Table({table.__module__}.{table.__qualname__})")


@typeof_impl.register(TableMeta)
def _type_of_table(table: TableMeta, context: Any) -> TableType:
    """Return the numba type of a table."""
    return TableType(table)


register_model(TableType)(models.OpaqueModel)


@infer_getattr
class _TableAttributes(AttributeTemplate):
    """Numba's typing of `Edges.RC` in a kernel."""

    key = TableType

    def generic_resolve(self, value: TableType, attr: str) -> Any:
        """Return the number of a column as a literal type, a constant of the code."""
        number = getattr(value.table, attr, None)
        return types.literal(number) if isinstance(number, int) else None


@lower_getattr_generic(TableType)
def _lower_attribute(context: Any, builder: Any, kind: TableType, value: Any, attr: str) -> Any:
    """Return the number of a column as a constant of the code."""
    return context.get_constant(types.intp, getattr(kind.table, attr))


@lower_constant(TableType)
def _lower_table(context: Any, builder: Any, kind: TableType, value: Any) -> Any:
    """Return a dummy: a table itself has no value in machine code."""
    return context.get_dummy_value()
