"""The numba type of a packed tuple (`physics/compiler/pack.py`), its table of words, and the code by which a kernel
reads from the table."""

import hashlib
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue, infer_getattr, lower_getattr_generic, register_model, typeof_impl, unbox,
)  # fmt: skip

WORD = ir.IntType(64)
POINTER = ir.IntType(8).as_pointer()


class PackType(types.Type):
    """The numba type of a packed tuple. For each field it has the name, the type, the index of the first word in the
    table, and the number of columns (0: it is read at run time)."""

    def __init__(self, label: str, fields: tuple[tuple[str, types.Type, int, int], ...]):
        """Make the type of a packed tuple. Its name contains a hash of the fields, so that equal layouts have the same
        type."""
        self.label = label
        self.fields = fields
        self.places = {name: (kind, first, columns) for name, kind, first, columns in fields}
        said = ";".join(f"{name},{kind},{first},{columns}" for name, kind, first, columns in fields)
        super().__init__(name=f"{label}{hashlib.sha256(said.encode()).hexdigest()[:8]}")


@cache
def pack_type(label: str, fields: tuple[tuple[str, types.Type, int, int], ...]) -> PackType:
    """Return the type of a packed tuple with these fields. There is one object for each layout."""
    return PackType(label, fields)


class Handle:
    """What kernels receive in place of a packed tuple: its type and the address of its words."""

    __slots__ = ("address", "kind", "words")

    def __init__(self, value: Any, fixed: frozenset[str]):
        """Make the table of words of a packed tuple. It has the address and the shape of each array, and the address of
        the table of each nested tuple. The fields in `fixed` have a constant number of columns."""
        words: list[int] = []
        fields = []
        for name in value._fields:
            item = getattr(value, name)
            columns = 0
            first = len(words)
            if isinstance(item, np.ndarray):
                if not item.flags.c_contiguous:
                    raise ValueError(f"{type(value).__name__}.{name} must be contiguous")
                kind = array_type(item.dtype, item.ndim)
                words += [item.ctypes.data, *item.shape]
                columns = item.shape[1] if name in fixed else 0
            else:
                kind = item.handle.kind
                words.append(item.handle.address)
            fields.append((name, kind, first, columns))
        self.kind = pack_type(type(value).__name__, tuple(fields))
        self.words = np.array(words, np.int64)
        self.address = self.words.ctypes.data


_SCALARS = {
    "float64": types.float64, "int64": types.int64, "uint64": types.uint64, "int32": types.int32, "uint8": types.uint8,
    "int8": types.int8, "bool": types.boolean, "uint32": types.uint32,
}  # fmt: skip


@cache
def array_type(item: np.dtype[Any], dimensions: int) -> types.Array:
    """Return the numba type of a contiguous array with this type of number and number of dimensions."""
    return types.Array(_SCALARS[item.name], dimensions, "C")


@typeof_impl.register(Handle)
def _type_of_handle(value: Handle, context: Any) -> PackType:
    """Return the numba type of a handle."""
    return value.kind


@register_model(PackType)
class _PackModel(models.PrimitiveModel):
    """The representation of a packed tuple in machine code: one pointer."""

    def __init__(self, manager: Any, kind: PackType):
        """Set the representation of `kind` to a pointer."""
        super().__init__(manager, kind, POINTER)


@unbox(PackType)
def _unbox(kind: PackType, value: Any, c: Any) -> NativeValue:
    """Emit the code that turns a Python `Handle` into the pointer that kernels receive."""
    number = c.pyapi.object_getattr_string(value, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(
        c.builder.inttoptr(address, POINTER), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred())
    )


@infer_getattr
class _PackAttributes(AttributeTemplate):
    """Numba's typing of `work.velocity` in a kernel."""

    key = PackType

    def generic_resolve(self, typ: PackType, attr: str) -> types.Type | None:
        """Return the type of a field, or None if there is no such field."""
        return typ.places[attr][0] if attr in typ.places else None


@lower_getattr_generic(PackType)
def _read(context: Any, builder: Any, kind: PackType, pointer: Any, name: str) -> Any:
    """Emit the code that reads a field: an array made from its words, or the pointer to a nested tuple."""
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
