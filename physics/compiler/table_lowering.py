"""How numba types a table and reads its columns, as constants (`compiler.table`)."""

from typing import Any

from numba import types
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, models, register_model, typeof_impl

from physics.compiler.table import TableMeta


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
        """Return the literal type of the number of a column. It makes the number a constant in the machine code."""
        number = getattr(value.table, attr, None)
        return types.literal(number) if isinstance(number, int) else None


@lower_getattr_generic(TableType)
def _lower_attribute(context: Any, builder: Any, kind: TableType, value: Any, attr: str) -> Any:
    """Return the number of a column as a constant in the machine code."""
    return context.get_constant(types.intp, getattr(kind.table, attr))


@lower_constant(TableType)
def _lower_table(context: Any, builder: Any, kind: TableType, value: Any) -> Any:
    """Return a dummy value: in machine code, a table has no value."""
    return context.get_dummy_value()
