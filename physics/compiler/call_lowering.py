"""How kernels call other machine code by its address: units, lazily compiled kernels, functions of the user's."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, registry
from numba.core.typing.templates import AbstractTemplate
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from physics.compiler.backend import called
from physics.compiler.lazy import Far
from physics.compiler.pack_lowering import POINTER, WORD, PackType, type_of_kind, type_of_result


def caller_of_unit(count: int) -> Any:
    """Return the intrinsic call(address, places) -> int for a unit with `count` arguments, in numba's convention for
    compiled functions."""
    kinds = [types.voidptr] * count

    def call_unit(typing_context: Any, address: Any, places: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            number, table = arguments
            array = context.make_array(signature.args[1])(context, builder, table)
            words = [builder.load(builder.gep(array.data, [ir.Constant(WORD, k)])) for k in range(count)]
            shape = context.call_conv.get_function_type(types.int64, kinds)
            function = builder.inttoptr(number, shape.as_pointer())
            pointers = [builder.inttoptr(word, POINTER) for word in words]
            return called(context, builder, function, types.int64, kinds, pointers)

        return types.int64(types.int64, places), generate

    return intrinsic(call_unit)


def type_of_far(one: Far) -> Any:
    """Return the type by which numba calls a lazily compiled kernel: (load slot)(arguments)."""

    class Typing(AbstractTemplate):
        key = one

        def generic(self, given: Any, named: Any) -> Any:
            packs = {kind.label: kind.kind for kind in given if isinstance(kind, PackType)}
            if len(given) != len(one.takes) or named or not one.can_be_called_with(packs):
                return None
            one.slot(packs)
            return type_of_result(one.gives)(*(type_of_kind(kind) for kind in one.kinds(packs)))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        packs = {kind.label: kind.kind for kind in signature.args if isinstance(kind, PackType)}
        name = one.slot(packs)
        slot = builder.module.globals.get(name) or ir.GlobalVariable(builder.module, POINTER, name)
        shape = context.call_conv.get_function_type(signature.return_type, signature.args)
        function = builder.bitcast(builder.load(slot), shape.as_pointer())
        return called(context, builder, function, signature.return_type, signature.args, arguments)

    context: Any = registry.cpu_target.target_context
    context.insert_func_defn([(generate, one, (types.VarArg(types.Any),))])
    return types.Function(Typing)


@intrinsic
def call_address(typing_context: Any, address: Any, a: Any, i: Any, o: Any, b: Any, j: Any, p: Any) -> Any:
    """Return numba's signature and code of the function that calls the C function at `address` with pointers to a[i, o]
    and b[j, p]."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, *places = arguments
        double = ir.DoubleType().as_pointer()
        pointers = []
        for k, kind in ((0, signature.args[1]), (3, signature.args[4])):
            array = context.make_array(kind)(context, builder, places[k])
            where = cgutils.get_item_pointer(context, builder, kind, array, places[k + 1 : k + 3])
            pointers.append(builder.bitcast(where, double))
        function = ir.FunctionType(ir.VoidType(), [double, double]).as_pointer()
        builder.call(builder.inttoptr(number, function), pointers)
        return context.get_dummy_value()

    return types.void(types.int64, a, types.int64, types.int64, b, types.int64, types.int64), generate


def _numbers(context: Any, builder: Any, place: Any, sizes: list[Any]) -> Any:
    """Return the array of numbers of this shape that begins at `place`. Nothing is allocated."""
    item = ir.Constant(WORD, 8)
    strides = [item]
    for length in reversed(sizes[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    made = context.make_array(types.Array(types.float64, len(sizes), "C"))(context, builder)
    data = builder.bitcast(place, made.data.type)
    populate_array(made, data=data, shape=sizes, strides=strides, itemsize=item, meminfo=None)
    return made._getvalue()


@intrinsic
def numbers_at(typing_context: Any, pointer: Any, shape: Any) -> Any:
    """Return numba's signature and code of the function that returns the numbers at an address as an array. Numba's own
    `carray` does so only where arrays are counted."""
    several = isinstance(shape, types.BaseTuple)
    dimensions = len(shape) if several else 1
    given = types.UniTuple(types.int64, dimensions) if several else types.int64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place, lengths = arguments
        return _numbers(context, builder, place, cgutils.unpack_tuple(builder, lengths) if several else [lengths])

    return types.Array(types.float64, dimensions, "C")(types.CPointer(types.float64), given), generate


@intrinsic
def table_of(typing_context: Any, numbers: Any, rows: Any, columns: Any) -> Any:
    """Return numba's signature and code of the function that returns a row of numbers as a table. Numba's own `reshape`
    calls a function of numba's library."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, *sizes = arguments
        return _numbers(context, builder, context.make_array(signature.args[0])(context, builder, array).data, sizes)

    return types.Array(types.float64, 2, "C")(numbers, types.int64, types.int64), generate


@intrinsic
def read_counter(typing_context: Any) -> Any:
    """Return numba's signature and code of the function that reads the processor's counter."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = ir.FunctionType(ir.IntType(64), [])
        return builder.call(cgutils.get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])

    return types.int64(), generate


@intrinsic
def factor(typing_context: Any, a: Any, n: Any) -> Any:
    """LAPACK's dpotrf on the upper triangle by columns of n x n numbers. Returns its INFO."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        whole = ir.IntType(32)
        upper = cgutils.alloca_once_value(builder, ir.Constant(ir.IntType(8), ord("U")))
        size = cgutils.alloca_once_value(builder, builder.trunc(arguments[1], whole))
        info = cgutils.alloca_once_value(builder, ir.Constant(whole, 0))
        takes = [upper.type, size.type, array.data.type, size.type, info.type]
        kind = ir.FunctionType(ir.VoidType(), takes)
        function = cgutils.get_or_insert_function(builder.module, kind, "marionette_dpotrf")
        builder.call(function, [upper, size, array.data, size, info])
        return builder.sext(builder.load(info), WORD)

    return types.int64(a, types.int64), generate
