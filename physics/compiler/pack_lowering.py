"""How numba types a packed tuple and reads its fields (`compiler.pack`)."""

from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, lower_getattr_generic, register_model

from physics.compiler.kinds import ARRAYS, Kind, PackKind

WORD = ir.IntType(64)
POINTER = ir.IntType(8).as_pointer()
SCALARS = {
    "float64": types.float64, "int64": types.int64, "uint64": types.uint64, "int32": types.int32, "uint8": types.uint8,
    "int8": types.int8, "bool": types.boolean, "uint32": types.uint32,
}  # fmt: skip
PLAIN: dict[str, types.Type] = {
    "": types.none, "i": types.int64, "f": types.float64, "b": types.boolean, "p": types.CPointer(types.float64),
    **{letter: types.Array(SCALARS[number], dimensions, "C") for letter, (number, dimensions) in ARRAYS.items()},
    **{str(count): types.UniTuple(types.float64, count) for count in (3, 4, 9)},
}  # fmt: skip


class PackType(types.Type):
    """The numba type of a packed tuple. For each field it has the name, the type, the index of its first word, and its
    number of columns (0: read at run time)."""

    def __init__(self, kind: PackKind):
        """Make the type of a packed tuple; its name holds a hash of the fields, so that equal layouts are one type."""
        self.kind = kind
        self.label = kind.label
        self.places = {f.name: (_field_type(f.kind), f.first, f.columns) for f in kind.fields}
        super().__init__(name=kind.name)


def _field_type(kind: tuple[str, int] | PackKind) -> types.Type:
    """Return the numba type of a field: an array by its number type and dimensions, or a packed tuple."""
    if isinstance(kind, PackKind):
        return type_of_kind(kind)
    number, dimensions = kind
    return types.Array(SCALARS[number], dimensions, "C")


@cache
def type_of_kind(kind: Kind) -> types.Type:
    """Return the numba type of what an entry takes."""
    return PackType(kind) if isinstance(kind, PackKind) else PLAIN[kind]


def type_of_result(letters: str) -> types.Type:
    """Return the numba type of what an entry gives: of several letters, a tuple."""
    return PLAIN[letters] if len(letters) < 2 else types.Tuple([PLAIN[letter] for letter in letters])


@register_model(PackType)
class _PackModel(models.PrimitiveModel):
    """The representation of a packed tuple in machine code: one pointer."""

    def __init__(self, manager: Any, kind: PackType):
        """Set the representation of `kind` to a pointer."""
        super().__init__(manager, kind, POINTER)


@infer_getattr
class _PackAttributes(AttributeTemplate):
    """Numba's typing of `work.velocity` in a kernel."""

    key = PackType

    def generic_resolve(self, typ: PackType, attr: str) -> types.Type | None:
        """Return the type of a field, or None where there is no such field."""
        return typ.places[attr][0] if attr in typ.places else None


@lower_getattr_generic(PackType)
def _read(context: Any, builder: Any, kind: PackType, pointer: Any, name: str) -> Any:
    field: Any
    field, first, columns = kind.places[name]
    words = builder.bitcast(pointer, WORD.as_pointer())

    def word(k: int) -> Any:
        value = builder.load(builder.gep(words, [ir.Constant(ir.IntType(32), first + k)], inbounds=True))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(field, PackType):
        return builder.inttoptr(word(0), POINTER)
    size = context.get_abi_sizeof(context.get_data_type(field.dtype))
    shape = [word(1 + k) for k in range(field.ndim)]
    if columns:
        shape[1] = ir.Constant(WORD, columns)
    item = ir.Constant(WORD, size)
    strides = [item]
    for length in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    count = shape[0]
    for length in shape[1:]:
        count = builder.mul(count, length)
    array = context.make_array(field)(context, builder)
    whole = ir.Constant(array._be_type, ir.Undefined)
    data = builder.inttoptr(word(0), context.get_value_type(field.dtype).as_pointer())
    null = ir.Constant(POINTER, None)
    for place, value in enumerate((null, null, count, item, data)):
        whole = builder.insert_value(whole, value, place)
    for place, numbers in ((5, shape), (6, strides)):
        for k, value in enumerate(numbers):
            whole = builder.insert_value(whole, value, [place, k])
    return whole
