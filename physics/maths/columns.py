"""Neighbouring columns of a row as a tuple of numbers: load, store and add. For a SIMD group of four rows the tuple has
vectors of four numbers.

    load = loader(n)    load(a, i, o)     returns a[i, o], ..., a[i, o + n - 1]
    store = storer(n)   store(a, i, o, v) a[i, o + k] = v[k]
    add = adder(n)      add(a, i, o, v)   a[i, o + k] += v[k]; of four rows from the last to the first, so that equal
                                          rows get the sum of all

    flat(a)             all numbers of a table as one row; loops over it are compiled to vector instructions
    copy_scaled(a, o, x, out, r)    six columns of every row, times x, into six columns of another table

For four rows (maths/lanes.py), four columns of each row are moved at once and transposed with eight shuffles. Gathering
number by number took longer than the arithmetic on the numbers.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from physics.compiler.jit import kernel, rare
from physics.maths.lanes import D, I, LANES, OFF, PLACE, R, S, V, WORD, first_addresses
from physics.maths.prefetch import AHEAD, are_many, fetch_row, fetch_row_to_write

DOUBLE = ir.DoubleType()
PAIR = ir.VectorType(DOUBLE, 2)


def _shuffle(builder: Any, pair: Any, order: list[int]) -> Any:
    """Return the numbers of two vectors in the order of the indices `order`; the indices of the second vector follow
    those of the first."""
    a, b = pair
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(PLACE, len(order)), order))


def _exchange(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the transpose of four rows of four numbers."""
    low = [_shuffle(builder, rows[k : k + 2], [0, 4, 2, 6]) for k in (0, 2)]
    high = [_shuffle(builder, rows[k : k + 2], [1, 5, 3, 7]) for k in (0, 2)]
    return [_shuffle(builder, pair, order) for order in ([0, 1, 4, 5], [2, 3, 6, 7]) for pair in (low, high)]


def _columns_of_pairs(builder: Any, rows: list[Any]) -> list[Any]:
    """Return the two columns of four rows of two numbers."""
    even, odd = (_shuffle(builder, (rows[k], rows[k + 2]), [0, 1, 2, 3]) for k in (0, 1))
    return [_shuffle(builder, (even, odd), order) for order in ([0, 4, 2, 6], [1, 5, 3, 7])]


def _pairs_of_columns(builder: Any, columns: list[Any]) -> list[Any]:
    """Return four rows of two numbers from their two columns."""
    even, odd = (_shuffle(builder, columns, order) for order in ([0, 4, 2, 6], [1, 5, 3, 7]))
    return [_shuffle(builder, (half, half), order) for order in ([0, 1], [2, 3]) for half in (even, odd)]


def _parts(count: int) -> list[tuple[int, int]]:
    """Return first column and width of each part of `count` columns: parts of width four, then at most one of two and
    one of one."""
    fours = count // 4 * 4
    parts = [(k, 4) for k in range(0, fours, 4)]
    if count - fours >= 2:
        parts.append((fours, 2))
    return [*parts, (count - 1, 1)] if count % 2 else parts


def _kind(width: int) -> Any:
    """Return the LLVM type of `width` neighbouring numbers."""
    return {4: ir.VectorType(DOUBLE, 4), 2: PAIR, 1: DOUBLE}[width]


def _pointers(builder: Any, addresses: list[Any], column: int, width: int) -> list[Any]:
    """Return pointers to `width` neighbouring columns of four rows, which begin at these addresses."""
    away = ir.Constant(WORD, 8 * column)
    return [builder.inttoptr(builder.add(a, away), _kind(width).as_pointer()) for a in addresses]


def _columns(builder: Any, rows: list[Any], width: int) -> list[Any]:
    """Return the columns of four rows of `width` numbers each, as vectors of four."""
    if width == 4:
        return _exchange(builder, rows)
    if width == 2:
        return _columns_of_pairs(builder, rows)
    value = ir.Constant(ir.VectorType(DOUBLE, LANES), ir.Undefined)
    for k, number in enumerate(rows):
        value = builder.insert_element(value, number, ir.Constant(PLACE, k))
    return [value]


def _rows(builder: Any, columns: list[Any], width: int) -> list[Any]:
    """Return the four rows of `width` numbers each whose columns are given."""
    if width == 4:
        return _exchange(builder, columns)
    if width == 2:
        return _pairs_of_columns(builder, columns)
    return [builder.extract_element(columns[0], ir.Constant(PLACE, k)) for k in range(LANES)]


def _pointer(context: Any, builder: Any, kind: Any, place: Any, k: int) -> Any:
    """Return the pointer to the number k columns after `place` = (array, row, column)."""
    array, row, column = place
    made = context.make_array(kind)(context, builder, array)
    places = [row, builder.add(column, ir.Constant(WORD, k))]
    return cgutils.get_item_pointer(context, builder, kind, made, places, wraparound=False)


def _rows_and_numbers(i: Any) -> tuple[Any, Any]:
    """Return the numba types of the row and of its numbers: a SIMD group of four, or a single row."""
    return (i, V) if i in (R, S) else (I, D)


def loader(count: int) -> Any:
    """Return the function load(a, i, o), which returns the columns o to o + count - 1 of row i (or of four rows) of
    `a`."""

    def load(typing_context: Any, array: Any, i: Any, column: Any) -> Any:
        rows, numbers = _rows_and_numbers(i)

        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            kind = sig.args[0]
            if numbers == D:
                values = [builder.load(_pointer(context, builder, kind, arguments, k)) for k in range(count)]
                return context.make_tuple(builder, sig.return_type, values)
            addresses = first_addresses(context, builder, kind, arguments[0], rows, *arguments[1:])
            values = []
            for start, width in _parts(count):
                read = [builder.load(p, align=8) for p in _pointers(builder, addresses, start, width)]
                values += _columns(builder, read, width)
            return context.make_tuple(builder, sig.return_type, values)

        return types.UniTuple(numbers, count)(array, rows, I), generate

    def plainly(array: Any, i: int, column: int) -> Any:
        return tuple(array[i, column + k] for k in range(count))

    return plainly if OFF else intrinsic(load)


def _writer(count: int, adds: bool) -> Any:
    """Return the function write(a, i, o, v), which sets the `count` columns of row i from o on to v, or adds v to them
    if `adds`."""

    def write(typing_context: Any, array: Any, i: Any, column: Any, values: Any) -> Any:
        rows, numbers = _rows_and_numbers(i)

        def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
            kind = sig.args[0]
            array, where, column, values = arguments
            given = zip(cgutils.unpack_tuple(builder, values, count), sig.args[3], strict=True)
            numbers_given = [context.cast(builder, value, one, numbers) for value, one in given]

            def put(value: Any, pointer: Any) -> None:
                """Store `value` at `pointer`, or add it to the number there if `adds`."""
                before = builder.fadd(builder.load(pointer, align=8), value) if adds else value
                builder.store(before, pointer, align=8)

            if numbers == D:
                for k, value in enumerate(numbers_given):
                    put(value, _pointer(context, builder, kind, arguments[:3], k))
                return context.get_dummy_value()
            addresses = first_addresses(context, builder, kind, array, rows, where, column)
            for start, width in _parts(count):
                pointers = _pointers(builder, addresses, start, width)
                parts = _rows(builder, numbers_given[start : start + width], width)
                for pointer, part in zip(reversed(pointers), reversed(parts), strict=True):
                    put(part, pointer)
            return context.get_dummy_value()

        return types.none(array, rows, I, values), generate

    def plainly(array: Any, i: int, column: int, values: Any) -> None:
        for k in range(count):
            array[i, column + k] = array[i, column + k] + values[k] if adds else values[k]

    return plainly if OFF else intrinsic(write)


@intrinsic
def _copy_all(typing_context: Any, array: Any, out: Any) -> Any:
    """Return numba's signature and code of the function that copies all numbers of `array` to `out`."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        given, taken = (
            context.make_array(kind)(context, builder, a) for kind, a in zip(sig.args, arguments, strict=True)
        )
        cgutils.raw_memcpy(builder, taken.data, given.data, given.nitems, given.itemsize)
        return context.get_dummy_value()

    return types.none(array, out), generate


@intrinsic
def _clear_all(typing_context: Any, array: Any) -> Any:
    """Return numba's signature and code of the function that sets all numbers of `array` to zero."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        made = context.make_array(sig.args[0])(context, builder, arguments[0])
        cgutils.memset(builder, made.data, builder.mul(made.nitems, made.itemsize), 0)
        return context.get_dummy_value()

    return types.none(array), generate


def _part(context: Any, builder: Any, kind: Any, array: Any, first: Any, end: Any) -> tuple[Any, Any]:
    """Return the address of row `first` of a table, and how many numbers the rows `first` to `end` - 1 have."""
    made = context.make_array(kind)(context, builder, array)
    columns = cgutils.unpack_tuple(builder, made.shape, 2)[1]
    start = builder.gep(made.data, [builder.mul(first, columns)])
    return start, builder.mul(builder.sub(end, first), columns)


@intrinsic
def _copy_rows(typing_context: Any, array: Any, out: Any, first: Any, end: Any) -> Any:
    """Return numba's signature and code of the function that copies rows `first` to `end` - 1 of `array` to `out`."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        given, count = _part(context, builder, sig.args[0], arguments[0], *arguments[2:])
        taken, _ = _part(context, builder, sig.args[1], arguments[1], *arguments[2:])
        cgutils.raw_memcpy(builder, taken, given, count, ir.Constant(WORD, 8))
        return context.get_dummy_value()

    return types.none(array, out, I, I), generate


@intrinsic
def _clear_rows(typing_context: Any, array: Any, first: Any, end: Any) -> Any:
    """Return numba's signature and code of the function that sets rows `first` to `end` - 1 of `array` to zero."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        start, count = _part(context, builder, sig.args[0], *arguments)
        cgutils.memset(builder, start, builder.mul(count, ir.Constant(WORD, 8)), 0)
        return context.get_dummy_value()

    return types.none(array, I, I), generate


def _copy_plainly(array: Any, out: Any) -> None:
    """Copy all numbers of `array` to `out`, without compilation."""
    out[...] = array


def _clear_plainly(array: Any) -> None:
    """Set all numbers of `array` to zero, without compilation."""
    array[...] = 0.0


def _copy_rows_plainly(array: Any, out: Any, first: int, end: int) -> None:
    """Copy the rows `first` to `end` - 1 of `array` to `out`, without compilation."""
    out[first:end] = array[first:end]


def _clear_rows_plainly(array: Any, first: int, end: int) -> None:
    """Set the rows `first` to `end` - 1 of `array` to zero, without compilation."""
    array[first:end] = 0.0


# copy_all(a, out), clear_all(a): whole arrays of the same size; copy_rows(a, out, first, end), clear_rows(a, first,
# end): some of their rows. A loop over rows moves number by number, as it might be that they overlap
copy_all: Any = _copy_plainly if OFF else _copy_all
clear_all: Any = _clear_plainly if OFF else _clear_all
copy_rows: Any = _copy_rows_plainly if OFF else _copy_rows
clear_rows: Any = _clear_rows_plainly if OFF else _clear_rows


def storer(count: int) -> Any:
    """Return the function store(a, i, o, v), which writes the `count` numbers v to row i of `a`, from column o on."""
    return _writer(count, adds=False)


def adder(count: int) -> Any:
    """Return the function add(a, i, o, v), which adds the `count` numbers v to row i of `a`, from column o on."""
    return _writer(count, adds=True)


def _flat(typing_context: Any, array: Any) -> Any:
    """Return numba's signature and code of the function that returns all numbers of a table as one row."""

    def generate(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        made = context.make_array(sig.args[0])(context, builder, arguments[0])
        row = context.make_array(sig.return_type)(context, builder)
        size = ir.Constant(WORD, 8)
        populate_array(row, made.data, [made.nitems], [size], size, None)
        return row._getvalue()

    return types.Array(D, 1, "C")(array), generate


flat: Any = (lambda array: array.reshape(-1)) if OFF else intrinsic(_flat)


_load6, _store6 = loader(6), storer(6)


@rare
def _ask(a, out, i):
    """Prefetch row i of `a` to read, and row i of `out` to write."""
    fetch_row(a, i)
    fetch_row_to_write(out, i)


@kernel
def copy_scaled(a, o, x, out, r):
    """Set six columns of `out`, from column r on, to x times six columns of `a`, from column o on."""
    many = are_many(out)
    for i in range(out.shape[0]):
        if many:
            _ask(a, out, i + 2 * AHEAD)
        b = _load6(a, i, o)
        _store6(out, i, r, (x * b[0], x * b[1], x * b[2], x * b[3], x * b[4], x * b[5]))
