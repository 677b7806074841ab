"""The user's functions as functions of C's kind that kernels call: compiled where numba can, else back into Python.

void value(double *state, double *out): state is x_a, r_a, x_b, r_b (24 numbers), out gets C. Of a function of
    velocities six numbers later v_a, w_a, v_b, w_b follow.
void jacobian(double *state, double *out): out gets six rows of six numbers for a, then for b.

Of a condition on n bodies the state is x, r of each; behind n times six rows of the Jacobian come as many of its
forces, where these are a function.

A function that raises on purpose is left to Python: compiled code could not say what it raised.

Both write "not a number" first: what fails leaves that behind, the guard rejects the step, and `trouble` has the error.
"""

import dis
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from physics import formulas
from physics.definitions import DefinitionError
from physics.kernels.callback import SIGNATURE, carray, cfunc, njit
from physics.kernels.jit import compilation_is_off
from physics.relations import FIRST_DIFFERENCE, Condition, Function, VelocityFunction

FORMULAS = (formulas.Formula, formulas.VelocityFormula, formulas.ConditionFormula)
STATE = 42  # poses of a and b, room for C, velocities of a and b; C reads the poses alone
MOVING = 30
VALUES = 6
MEMBER = 12  # numbers of a body in the state
BLOCK = 36  # and in the Jacobian
STEP = 0.01  # rad, or of the length scale: differences of sixth order, their error is some 1e-14 of C over the step
# A double holds whole numbers exactly up to here; no machine's addresses of code lie above.
MOST_ADDRESS = 2.0**53
SAME = 1e-9  # of the largest value: how far the compiled function may be from the Python one
Fill = Callable[[np.ndarray, np.ndarray], None]


@dataclass
class Callbacks:
    """What must stay alive as long as its address is used, and what went wrong in a call."""

    alive: list[Any] = field(default_factory=list)
    trouble: list[tuple[Function | Condition, Exception]] = field(default_factory=list)


def make_callback(edge: Function | Condition, callbacks: Callbacks) -> tuple[float, float]:
    """Addresses of C and of its Jacobian."""
    pair = None if compilation_is_off() or _raises(edge.function) else _compiled(edge)
    pair = pair or _interpreted(edge, callbacks)
    callbacks.alive.extend(pair)
    addresses = tuple(float(_address(f)) for f in pair)
    if max(addresses) >= MOST_ADDRESS:
        raise DefinitionError(
            f"function of {edge.label}", "a machine address above 2^53", "a machine with smaller ones"
        )
    return addresses[0], addresses[1]


def _raises(function: Callable[..., Any]) -> bool:
    return hasattr(function, "__code__") and any(i.opname == "RAISE_VARARGS" for i in dis.get_instructions(function))


def _address(function: Any) -> int:
    from ctypes import c_void_p, cast

    return function.address if hasattr(function, "address") else int(cast(function, c_void_p).value or 0)


def _sizes(edge: Function | Condition) -> tuple[int, int]:
    """How many numbers the state and the Jacobian have"""
    if isinstance(edge, Condition):
        n = len(edge.bodies)
        return MEMBER * n, BLOCK * n * (2 if callable(edge.forces) else 1)
    return STATE, 2 * BLOCK


# ---------------------------------------------------------------- in Python
def _interpreted(edge: Function | Condition, callbacks: Callbacks) -> tuple[Any, Any]:
    size, most = _sizes(edge)

    def guarded(fill: Fill, count: int) -> Any:
        def call(state: Any, out: Any) -> None:
            numbers = np.ctypeslib.as_array(out, (count,))
            numbers[:] = math.nan
            try:
                fill(np.ctypeslib.as_array(state, (size,)).copy(), numbers)
            except Exception as error:  # noqa: BLE001 - whatever the user's function raises; World raises it again
                numbers[:] = math.nan
                callbacks.trouble.append((edge, error))

        return SIGNATURE(call)

    value, jacobian = _in_python(edge)
    return guarded(value, VALUES), guarded(jacobian, most)


def _in_python(edge: Function | Condition) -> tuple[Fill, Fill]:
    """C and its Jacobian"""
    if isinstance(edge, Condition):
        return _condition_in_python(edge)
    values = _moving_values if isinstance(edge, VelocityFunction) else _values

    def value(state: np.ndarray, out: np.ndarray) -> None:
        result = values(edge.function, state)
        out[: edge.rows] = result
        out[edge.rows :] = 0.0

    def jacobian(state: np.ndarray, out: np.ndarray) -> None:
        if edge.jacobian is None and isinstance(edge, VelocityFunction):
            columns(lambda s: _moving_values(edge.function, s), edge.rows, state, out)
        elif edge.jacobian is None:
            difference(lambda s: _values(edge.function, s), moved, edge.rows, 2, edge.length_scale, state, out)
        else:
            store_jacobian(np.asarray(_values(edge.jacobian, state), float), edge.rows, 2, 0, out)

    return value, jacobian


def _condition_in_python(edge: Condition) -> tuple[Fill, Fill]:
    n = len(edge.bodies)

    def values(function: Callable[..., Any], s: np.ndarray) -> Any:
        state = s.reshape(n, MEMBER)
        return function(state[:, :3].copy(), state[:, 3:].reshape(n, 3, 3).copy())

    def value(state: np.ndarray, out: np.ndarray) -> None:
        out[: edge.rows] = values(edge.function, state)
        out[edge.rows :] = 0.0

    def jacobian(state: np.ndarray, out: np.ndarray) -> None:
        if edge.jacobian is None:
            difference(lambda s: values(edge.function, s), moved, edge.rows, n, edge.length_scale, state, out)
        else:
            store_jacobian(np.asarray(values(edge.jacobian, state), float), edge.rows, n, 0, out)
        if callable(edge.forces):
            given = np.asarray(values(edge.forces, state), float).reshape(edge.rows, 6 * n)
            store_jacobian(given, edge.rows, n, BLOCK * n, out)

    return value, jacobian


def _values(function: Callable[..., Any], s: np.ndarray) -> Any:
    return function(s[0:3].copy(), s[3:12].reshape(3, 3).copy(), s[12:15].copy(), s[15:24].reshape(3, 3).copy())


def _moving_values(function: Callable[..., Any], s: np.ndarray) -> Any:
    state = s[0:3].copy(), s[3:12].reshape(3, 3).copy(), s[12:15].copy(), s[15:24].reshape(3, 3).copy()
    u = s[MOVING:].copy()
    return function(*state[:2], u[0:3], u[3:6], *state[2:], u[6:9], u[9:12])


def columns(values: Any, rows: int, state: Any, out: Any) -> None:
    """The Jacobian of a function of velocities, linear in them: its values at one velocity at a time"""
    for k in range(72):
        out[k] = 0.0
    s = state.copy()
    s[MOVING:] = 0.0
    for column in range(12):
        s[MOVING + column] = 1.0
        c = values(s)
        s[MOVING + column] = 0.0
        for k in range(rows):
            out[36 * (column // 6) + 6 * k + column % 6] = c[k]


def store_jacobian(given: Any, rows: int, bodies: int, first: int, out: Any) -> None:
    """(rows, 6 bodies) as six rows of each body, one after the other, from `first` on"""
    for k in range(36 * bodies):
        out[first + k] = 0.0
    for body in range(bodies):
        for k in range(rows):
            for c in range(6):
                out[first + 36 * body + 6 * k + c] = given[k, 6 * body + c]


def difference(values: Any, move: Any, rows: int, bodies: int, length: float, state: Any, out: Any) -> None:
    """The Jacobian by differences: each body moved along and turned about each world axis."""
    for k in range(36 * bodies):
        out[k] = 0.0
    for body in range(bodies):
        for column in range(6):
            h = STEP * length if column < 3 else STEP
            for n, weight in FIRST_DIFFERENCE:
                for sign in (1.0, -1.0):
                    c = values(move(state, 12 * body, column, sign * n * h))
                    for k in range(rows):
                        out[36 * body + 6 * k + column] += sign * weight / h * c[k]


def moved(state: Any, o: int, column: int, t: float) -> Any:
    """The state with the body at o moved along (0 to 2) or turned about (3 to 5) a world axis"""
    s = state.copy()
    if column < 3:
        s[o + column] += t
        return s
    i = o + 3 + 3 * ((column - 2) % 3)
    j = o + 3 + 3 * ((column - 1) % 3)
    cosine = math.cos(t)
    sine = math.sin(t)
    for k in range(3):
        s[i + k] = cosine * state[i + k] - sine * state[j + k]
        s[j + k] = sine * state[i + k] + cosine * state[j + k]
    return s


# ---------------------------------------------------------------- compiled
Pair = tuple[Any, Any]


def _compiled(edge: Function | Condition) -> Pair | None:
    """The same by numba, or None where it cannot compile the user's functions, or to something else."""
    if isinstance(edge, FORMULAS):
        pair = formulas.compiled(edge)
        return pair if _is_same(edge, pair) else None
    more = (len(edge.bodies), edge.forces if callable(edge.forces) else None) if isinstance(edge, Condition) else ()
    what = (type(edge), edge.function, edge.jacobian, edge.rows, edge.length_scale, *more)
    for compile_it in (_known, _taken):  # what a function refers to may have changed since
        pair = compile_it(*what)
        if pair is None or _is_same(edge, pair):
            return pair
    return None


def _taken(kind: type, function: Any, jacobian: Any, rows: int, length: float, *more: Any) -> Pair | None:
    try:
        make = _compile_condition if issubclass(kind, Condition) else _compile
        return make(kind, function, jacobian, rows, length, *more)
    except Exception:  # noqa: BLE001 - numba raises many kinds for what it does not know; Python then takes it
        return None


# Compiling takes seconds, and the same functions are asked for in every world that is made of a scene.
_known = lru_cache(maxsize=64)(_taken)


def _drawn(edge: Function | Condition) -> np.ndarray:
    """What kernels call its functions with, as drawn"""
    if isinstance(edge, Condition):
        x, r = edge.drawn
        return np.concatenate([x, r.reshape(len(x), 9)], axis=1).ravel()
    return np.concatenate([*(np.ravel(x) for x in edge.drawn), np.zeros(VALUES), np.linspace(-1.0, 1.3, 12)])


def _is_same(edge: Function | Condition, pair: Pair) -> bool:
    """Whether both do, at the drawn state, what Python does"""
    state = _drawn(edge)
    pointer = np.ctypeslib.as_ctypes
    for compiled, interpreted, count in zip(pair, _in_python(edge), (VALUES, _sizes(edge)[1]), strict=True):
        out, expected = np.zeros(count), np.zeros(count)
        compiled.ctypes(pointer(state), pointer(out))
        interpreted(state, expected)
        if not np.abs(out - expected).max() <= SAME * max(1.0, np.abs(expected).max()):
            return False
    return True


def _compile(kind: type, given_function: Any, derivative: Any, rows: int, length: float) -> Pair:
    function = njit(given_function, error_model="numpy")
    store = njit(store_jacobian)
    move = njit(moved)
    by_difference = njit(difference)
    by_columns = njit(columns)
    of_velocity = issubclass(kind, VelocityFunction)

    @njit
    def still_values(s):
        return function(s[0:3].copy(), s[3:12].copy().reshape((3, 3)), s[12:15].copy(), s[15:24].copy().reshape((3, 3)))

    @njit
    def moving_values(s):
        u = s[MOVING:].copy()
        return function(
            s[0:3].copy(), s[3:12].copy().reshape((3, 3)), u[0:3], u[3:6],
            s[12:15].copy(), s[15:24].copy().reshape((3, 3)), u[6:9], u[9:12],
        )  # fmt: skip

    values = moving_values if of_velocity else still_values

    @cfunc("void(CPointer(float64), CPointer(float64))")
    def value(state, out):
        for k in range(6):
            out[k] = math.nan
        c = values(carray(state, 42))
        for k in range(6):
            out[k] = 0.0
        for k in range(rows):
            out[k] = c[k]

    if derivative is None:

        @cfunc("void(CPointer(float64), CPointer(float64))")
        def jacobian(state, out):
            for k in range(72):
                out[k] = math.nan
            by_difference(values, move, rows, 2, length, carray(state, 42), out)

        @cfunc("void(CPointer(float64), CPointer(float64))")
        def moving_jacobian(state, out):
            for k in range(72):
                out[k] = math.nan
            by_columns(values, rows, carray(state, 42), out)

        return value, moving_jacobian if of_velocity else jacobian

    given = njit(derivative, error_model="numpy")

    @cfunc("void(CPointer(float64), CPointer(float64))")
    def given_jacobian(state, out):
        for k in range(72):
            out[k] = math.nan
        s = carray(state, 24)
        j = given(s[0:3].copy(), s[3:12].copy().reshape((3, 3)), s[12:15].copy(), s[15:24].copy().reshape((3, 3)))
        store(j, rows, 2, 0, out)

    return value, given_jacobian


def _compile_condition(
    _: type, given_function: Any, derivative: Any, rows: int, length: float, bodies: int, given_forces: Any
) -> Pair:
    function = njit(given_function, error_model="numpy")
    store = njit(store_jacobian)
    move = njit(moved)
    by_difference = njit(difference)
    size = 12 * bodies
    found = 36 * bodies
    both = found if given_forces is None else 2 * found

    @njit
    def places(s):
        return s.reshape((bodies, 12))[:, :3].copy()

    @njit
    def turns(s):
        return s.reshape((bodies, 12))[:, 3:].copy().reshape((bodies, 3, 3))

    @njit
    def values(s):
        return function(places(s), turns(s))

    @cfunc("void(CPointer(float64), CPointer(float64))")
    def value(state, out):
        for k in range(6):
            out[k] = math.nan
        c = values(carray(state, size))
        for k in range(6):
            out[k] = 0.0
        for k in range(rows):
            out[k] = c[k]

    if derivative is None:

        @njit
        def put_jacobian(s, out):
            by_difference(values, move, rows, bodies, length, s, out)

    else:
        given = njit(derivative, error_model="numpy")

        @njit
        def put_jacobian(s, out):
            store(given(places(s), turns(s)), rows, bodies, 0, out)

    if given_forces is None:

        @njit
        def put_forces(s, out):
            pass

    else:
        forces = njit(given_forces, error_model="numpy")

        @njit
        def put_forces(s, out):
            store(forces(places(s), turns(s)).reshape((rows, 6 * bodies)), rows, bodies, found, out)

    @cfunc("void(CPointer(float64), CPointer(float64))")
    def jacobian(state, out):
        for k in range(both):
            out[k] = math.nan
        s = carray(state, size)
        put_jacobian(s, out)
        put_forces(s, out)

    return value, jacobian
