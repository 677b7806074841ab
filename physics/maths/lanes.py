"""Lanes: four rows of every array at a time, their numbers in one vector register.

    i = four(r)                 stands for the rows r, r + 1, r + 2, r + 3
    a[i, k]                     the four numbers of column k, read and written like one number
    r = fours(i)                one row, whose columns are four numbers each: a[r, k] is a[i, 4 k] to a[i, 4 k + 3]
    p = rows_at(table, r, k)    four rows anywhere: those that column k of rows r to r + 3 of the table names

A helper that is written for one body, with `a[i, k]` for its numbers, works for four bodies if it is called with such
an i. numba compiles it once more, each operation is then one on a register, and each of the four results is the same to
the last bit. The four bodies must be independent of each other. Where a helper decides by a comparison, it must do so
by `choose`, because the results of the four may differ. Without compilation, Python computes one body after the other:
AT_ONCE is then 1, and i a number.

The arithmetic of a body is bound by the number of instructions. Four at a time, a rigid body's own part of a step takes
little more than half the time, and a ball's spring less than half. Eight at a time are no faster, because most of the
time is spent on gathering the numbers. Helpers that gather many numbers for little arithmetic, such as the error of a
joint from the poses of two bodies, gain nothing.
"""

import math
import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing import templates
from numba.core.typing.templates import AbstractTemplate, ConcreteTemplate, signature
from numba.extending import intrinsic, lower_builtin, lower_cast, register_model

from physics.compiler.jit import compilation_is_off

LANES = 4
OFF = compilation_is_off()
AT_ONCE = 1 if OFF else LANES
infer_global: Any = templates.infer_global
WORD = ir.IntType(64)
WORDS = ir.VectorType(WORD, LANES)
PLACE = ir.IntType(32)
NUMBERS = ir.VectorType(ir.DoubleType(), LANES)
ANSWERS = ir.VectorType(ir.IntType(1), LANES)


class _Numbers(types.Type):
    """Numba's type of the numbers of four rows. In arithmetic with a single number, that number is used for all four
    rows."""

    def __init__(self) -> None:
        """Name the type."""
        super().__init__(name="numbers_of_four_rows")

    def unify(self, typingctx: Any, other: Any) -> Any:
        """Return this type if one branch gives four numbers and another branch a single number."""
        return self if isinstance(other, types.Float | types.Integer) else None


class _Answers(types.Type):
    """Numba's type of four truth values."""

    def __init__(self) -> None:
        """Name the type."""
        super().__init__(name="answers_of_four_rows")


class _Rows(types.Type):
    """Numba's type of four successive rows, given by the number of the first."""

    def __init__(self) -> None:
        """Name the type."""
        super().__init__(name="four_rows")


class _Spread(types.Type):
    """Numba's type of four rows at any places."""

    def __init__(self) -> None:
        """Name the type."""
        super().__init__(name="four_rows_anywhere")


class _Fours(types.Type):
    """Numba's type of one row whose columns are four numbers each."""

    def __init__(self) -> None:
        """Name the type."""
        super().__init__(name="row_of_fours")


V, M, R, D, I = _Numbers(), _Answers(), _Rows(), types.float64, types.int64
S, F = _Spread(), _Fours()
PLACES: Any = types.Tuple([R, I]), types.Tuple([S, I])
FOURS: Any = types.Tuple([F, I])


@register_model(_Numbers)
class _NumbersModel(models.PrimitiveModel):
    """The representation of four numbers: one vector register of doubles."""

    def __init__(self, manager: Any, kind: Any):
        """Set the representation of the type."""
        super().__init__(manager, kind, NUMBERS)


@register_model(_Answers)
class _AnswersModel(models.PrimitiveModel):
    """The representation of four truth values: one vector of bits."""

    def __init__(self, manager: Any, kind: Any):
        """Set the representation of the type."""
        super().__init__(manager, kind, ANSWERS)


@register_model(_Rows)
class _RowsModel(models.PrimitiveModel):
    """The representation of four successive rows: the number of the first."""

    def __init__(self, manager: Any, kind: Any):
        """Set the representation of the type."""
        super().__init__(manager, kind, WORD)


@register_model(_Fours)
class _FoursModel(models.PrimitiveModel):
    """The representation of a row of fours: its number."""

    def __init__(self, manager: Any, kind: Any):
        """Set the representation of the type."""
        super().__init__(manager, kind, WORD)


@register_model(_Spread)
class _SpreadModel(models.PrimitiveModel):
    """The representation of four rows at any places: one vector of whole numbers."""

    def __init__(self, manager: Any, kind: Any):
        """Set the representation of the type."""
        super().__init__(manager, kind, WORDS)


def _same_for_all(builder: Any, number: Any) -> Any:
    """Return a vector with the same number in all four lanes."""
    nothing = ir.Constant(NUMBERS, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(PLACE, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(PLACE, LANES), [0] * LANES))


def _lift(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    """Return the values as vectors of four: a single number fills all four lanes."""
    return [
        value if kind == V else _same_for_all(builder, context.cast(builder, value, kind, D))
        for kind, value in zip(kinds, values, strict=True)
    ]


@lower_cast(types.Float, V)
@lower_cast(types.Integer, V)
def _cast(context: Any, builder: Any, given: Any, wanted: Any, value: Any) -> Any:
    """Turn a single number into a vector with that number in all four lanes."""
    return _lift(context, builder, [given], [value])[0]


# ---------------------------------------------------------------- arithmetic
PAIRS = [(V, V), (V, D), (D, V), (V, I), (I, V)]


def _teach(operation: Any, name: str, result: Any) -> None:
    """Register with numba an operation of two SIMD numbers: `name` is an LLVM instruction, or the sign of a comparison,
    and `result` the type of the result."""

    class Typing(ConcreteTemplate):
        """Numba's typing of the operation."""

        cases = [signature(result, *pair) for pair in PAIRS]  # noqa: RUF012 - what numba asks for

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        a, b = _lift(context, builder, sig.args, arguments)
        return builder.fcmp_ordered(name, a, b) if result == M else getattr(builder, name)(a, b)

    infer_global(operation)(Typing)
    for pair in PAIRS:
        lower_builtin(operation, *pair)(generate)


for _operation, _name in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul"),
                          (operator.truediv, "fdiv")):  # fmt: skip
    _teach(_operation, _name, V)
    if _operation is not operator.truediv:
        _teach(getattr(operator, "i" + _operation.__name__), _name, V)
for _operation, _name in ((operator.lt, "<"), (operator.le, "<="), (operator.gt, ">"), (operator.ge, ">=")):
    _teach(_operation, _name, M)


def _teach_function(function: Any, intrinsic_name: str | None) -> None:
    """Register with numba a function of one SIMD number by the name of its LLVM intrinsic; None stands for the
    negative."""

    class Typing(ConcreteTemplate):
        """Numba's typing of the function."""

        cases = [signature(V, V)]  # noqa: RUF012 - what numba asks for

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if intrinsic_name is None:
            return builder.fneg(arguments[0])
        kind = ir.FunctionType(NUMBERS, [NUMBERS])
        return builder.call(
            cgutils.get_or_insert_function(builder.module, kind, f"llvm.{intrinsic_name}.v{LANES}f64"), arguments
        )

    infer_global(function)(Typing)
    lower_builtin(function, V)(generate)


_teach_function(operator.neg, None)
_teach_function(abs, "fabs")
_teach_function(math.sqrt, "sqrt")


# ---------------------------------------------------------------- rows of arrays
def first_addresses(context: Any, builder: Any, kind: Any, array: Any, rows: Any, where: Any, column: Any) -> list[Any]:
    """Return the addresses of one column in the four rows, as whole numbers."""
    made = context.make_array(kind)(context, builder, array)
    stride = cgutils.unpack_tuple(builder, made.strides, 2)[0]
    first = builder.add(builder.ptrtoint(made.data, WORD), builder.mul(column, ir.Constant(WORD, 8)))
    if rows == S:
        steps = [builder.mul(builder.extract_element(where, ir.Constant(PLACE, k)), stride) for k in range(LANES)]
    else:
        first = builder.add(first, builder.mul(where, stride))
        steps = [builder.mul(stride, ir.Constant(WORD, k)) for k in range(LANES)]
    return [builder.add(first, step) for step in steps]


def _addresses(context: Any, builder: Any, kind: Any, *places: Any) -> list[Any]:
    """Return pointers to one column in four rows of an array; `places` are the last arguments of `first_addresses`."""
    pointer = context.get_value_type(kind.dtype).as_pointer()
    return [builder.inttoptr(a, pointer) for a in first_addresses(context, builder, kind, *places)]


def _first(places: Any) -> Any:
    """Return the type of the row in the type of a place (row, column)."""
    return next(iter(places))


def _places(array: Any, places: Any) -> Any:
    """Return numba's type of a place (row, column) in an array that stands for four rows, or None for other places."""
    if isinstance(array, types.Array) and isinstance(places, types.BaseTuple) and len(places) == 2:
        return {R: PLACES[0], S: PLACES[1], F: FOURS}.get(_first(places))
    return None


@infer_global(operator.getitem)
class _Reading(AbstractTemplate):
    """Numba's typing of a[i, k] for four rows i."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Return the signature of reading, or None where the place is that of a single row."""
        places = _places(*args)
        return signature(V, args[0], places) if places else None


@lower_builtin(operator.getitem, types.Array, PLACES[0])
@lower_builtin(operator.getitem, types.Array, PLACES[1])
def _read(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Emit the code that gathers column k of four rows into one vector, and return that vector."""
    array, places = arguments
    value = ir.Constant(NUMBERS, ir.Undefined)
    where = cgutils.unpack_tuple(builder, places, 2)
    for k, address in enumerate(_addresses(context, builder, sig.args[0], array, _first(sig.args[1]), *where)):
        value = builder.insert_element(value, builder.load(address), ir.Constant(PLACE, k))
    return value


@infer_global(operator.setitem)
class _Writing(AbstractTemplate):
    """Numba's typing of a[i, k] = v for four rows i."""

    def generic(self, args: Any, kws: Any) -> Any:
        """Return the signature of writing, or None where the place is that of a single row."""
        places = _places(*args[:2])
        return signature(types.none, args[0], places, V) if places else None


@lower_builtin(operator.setitem, types.Array, PLACES[0], V)
def _write(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Emit the code that scatters a vector into column k of four rows."""
    array, places, value = arguments
    where = cgutils.unpack_tuple(builder, places, 2)
    for k, address in enumerate(_addresses(context, builder, sig.args[0], array, _first(sig.args[1]), *where)):
        builder.store(builder.extract_element(value, ir.Constant(PLACE, k)), address)
    return context.get_dummy_value()


def _address_of_fours(context: Any, builder: Any, kind: Any, array: Any, places: Any) -> Any:
    """Return the pointer to the four numbers of a column in a row of fours."""
    row, column = cgutils.unpack_tuple(builder, places, 2)
    made = context.make_array(kind)(context, builder, array)
    stride = cgutils.unpack_tuple(builder, made.strides, 2)[0]
    first = builder.add(builder.ptrtoint(made.data, WORD), builder.mul(row, stride))
    place = builder.add(first, builder.mul(column, ir.Constant(WORD, 8 * LANES)))
    return builder.inttoptr(place, NUMBERS.as_pointer())


@lower_builtin(operator.getitem, types.Array, FOURS)
def _read_fours(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Emit the code that reads the four numbers of a column in a row of fours, and return them as a vector."""
    return builder.load(_address_of_fours(context, builder, sig.args[0], *arguments), align=8)


@lower_builtin(operator.setitem, types.Array, FOURS, V)
def _write_fours(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    """Emit the code that writes a vector to the four numbers of a column in a row of fours."""
    array, places, value = arguments
    builder.store(value, _address_of_fours(context, builder, sig.args[0], array, places), align=8)
    return context.get_dummy_value()


@intrinsic
def _fours(typing_context: Any, row: Any) -> Any:
    """Return numba's signature and code of the function that returns `row` as a row of fours."""
    return F(I), lambda context, builder, sig, arguments: arguments[0]


@intrinsic
def _rows_at(typing_context: Any, table: Any, row: Any, column: Any) -> Any:
    """Return numba's signature and code of the function that returns four rows whose numbers are in one column of
    `table`, in the four rows from `row` on."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        array, where, column = arguments
        value = ir.Constant(WORDS, ir.Undefined)
        for k, address in enumerate(_addresses(context, builder, sig.args[0], array, R, where, column)):
            value = builder.insert_element(value, builder.load(address), ir.Constant(PLACE, k))
        return value

    return S(table, I, I), generate


@intrinsic
def _is_world(typing_context: Any, p: Any) -> Any:
    """Return numba's signature and code of the function that returns whether the parent p is the world. Four parents
    never are, because a SIMD group has no roots."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if sig.args[0] == S:
            return ir.Constant(ir.IntType(1), 0)
        return builder.icmp_signed("<", arguments[0], ir.Constant(WORD, 0))

    return types.boolean(S if p == S else I), generate


@intrinsic
def _four(typing_context: Any, row: Any) -> Any:
    """Return numba's signature and code of the function that returns `row` as the first of four successive rows."""
    return R(I), lambda context, builder, sig, arguments: arguments[0]


# ---------------------------------------------------------------- decisions
@intrinsic
def _choose(typing_context: Any, answer: Any, yes: Any, no: Any) -> Any:
    """Return numba's signature and code of the function that returns `yes` in the lanes where `answer` is true, and
    `no` in the others."""
    kind = V if M in (answer, yes, no) or V in (yes, no) else D

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.select(*arguments)

    return kind(M if answer == M else types.boolean, kind, kind), generate


@intrinsic
def _both(typing_context: Any, a: Any, b: Any) -> Any:
    """Return numba's signature and code of the function that returns in each lane whether a and b are true."""
    kind = M if M in (a, b) else types.boolean
    return kind(kind, kind), lambda context, builder, sig, arguments: builder.and_(*arguments)


def _decided(answer: Any, sign: str, number: int) -> Any:
    """Return numba's signature and code of a function that turns four truth values into one: it compares their bits
    with `number` by the comparison `sign`."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        if answer != M:
            return arguments[0]
        bits = ir.IntType(LANES)
        return builder.icmp_unsigned(sign, builder.bitcast(arguments[0], bits), ir.Constant(bits, number))

    return types.boolean(M if answer == M else types.boolean), generate


@intrinsic
def _any_of(typing_context: Any, answer: Any) -> Any:
    """Return numba's signature and code of the function that returns whether the answer is true in any lane."""
    return _decided(answer, "!=", 0)


@intrinsic
def _all_of(typing_context: Any, answer: Any) -> Any:
    """Return numba's signature and code of the function that returns whether the answer is true in all lanes."""
    return _decided(answer, "==", 2**LANES - 1)


@intrinsic
def _are_rows(typing_context: Any, i: Any) -> Any:
    """Return numba's signature and code of the function that returns whether i stands for four rows, which is known
    when the kernel is compiled."""
    answer = ir.Constant(ir.IntType(1), int(i == R))
    return types.boolean(i), lambda context, builder, sig, arguments: answer


@intrinsic
def _row_of(typing_context: Any, i: Any) -> Any:
    """Return numba's signature and code of the function that returns the number of the first of four rows."""
    return I(i), lambda context, builder, sig, arguments: arguments[0]


@intrinsic
def _each(typing_context: Any, value: Any) -> Any:
    """Return numba's signature and code of the function that returns the numbers of a vector as a tuple."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        parts = [builder.extract_element(arguments[0], ir.Constant(PLACE, k)) for k in range(LANES)]
        return context.make_tuple(builder, sig.return_type, parts)

    def generate_one(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return context.make_tuple(builder, sig.return_type, arguments)

    return (types.UniTuple(D, LANES)(V), generate) if value == V else (types.UniTuple(D, 1)(D), generate_one)


@intrinsic
def _total(typing_context: Any, value: Any) -> Any:
    """Return numba's signature and code of the function that returns (a + c) + (b + d) for the vector (a, b, c, d)."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        def half(numbers: Any, places: list[int]) -> Any:
            places_wanted = ir.Constant(ir.VectorType(PLACE, len(places)), places)
            return builder.shuffle_vector(numbers, ir.Constant(numbers.type, ir.Undefined), places_wanted)

        pair = builder.fadd(half(arguments[0], [0, 1]), half(arguments[0], [2, 3]))
        parts = [builder.extract_element(pair, ir.Constant(PLACE, k)) for k in range(2)]
        return builder.fadd(*parts)

    return D(V), generate


def _choose_one(answer: bool, yes: float, no: float) -> float:
    """Return `yes` if `answer` is true, else `no`, without compilation."""
    return yes if answer else no


# choose(answer, yes, no), both(a, b), any_of(answer), all_of(answer), each(numbers), total(numbers): of one row or of
# four
four: Any = int if OFF else _four
fours: Any = int if OFF else _fours
choose: Any = _choose_one if OFF else _choose
both: Any = (lambda a, b: a and b) if OFF else _both
any_of: Any = bool if OFF else _any_of
all_of: Any = bool if OFF else _all_of
are_rows: Any = (lambda i: False) if OFF else _are_rows
row_of: Any = int if OFF else _row_of
each: Any = (lambda value: (value,)) if OFF else _each
total: Any = float if OFF else _total
# is_world(p): whether a parent is none. Four that are taken at a time all have one
is_world: Any = (lambda p: p < 0) if OFF else _is_world
rows_at: Any = (lambda table, row, column: table[row, column]) if OFF else _rows_at
