"""Functions of the user, as C functions that kernels call by address. If numba can compile a function, it is compiled;
otherwise the call goes back into Python. Users wait for this compilation, so that as little code as possible is
compiled for each function: `maths/difference.py` has the shared code of the differences.

    void value(double *state, double *out):     state is x_a, r_a, x_b, r_b (24 numbers), out gets C. Of a function of
                                                velocities, state is x_a .. r_b, six unused numbers, v_a, w_a, v_b, w_b.
    void jacobian(double *state, double *out):  out gets six rows of six numbers for a, then for b.

The state of a condition on n bodies is x and r of each body. For a condition on velocities, v and w of each body
follow. The Jacobian of a condition has six rows of six numbers for each body. If its forces are a function, they follow
in the same layout.

A function with a `raise` statement stays in Python, because compiled code could not pass the exception on.

Both functions first fill `out` with "not a number". If the call fails, these values remain, so that the guard rejects
the step, and the exception is appended to `Callbacks.trouble`."""

import dis
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from physics.compiler.callback import SIGNATURE, c_function, carray, thunk
from physics.compiler.jit import backend, compilation_is_off, shared_allocating
from physics.build import c_functions
from physics.definitions import formulas
from physics.definitions.functions import Condition, Function, OfVelocities
from physics.definitions.checks import DefinitionError
from physics.maths import difference
from physics.maths.difference import BLOCK, MEMBER, STATE, VALUES, VELOCITIES

FORMULAS = (
    formulas.Formula, formulas.VelocityFormula, formulas.ConditionFormula, formulas.VelocityConditionFormula,
)  # fmt: skip
# A double holds whole numbers exactly up to here; no machine's addresses of code lie above.
MOST_ADDRESS = 2.0**53
SAME = 1e-9  # of the largest value: how far the compiled function may be from the Python one
Fill = Callable[[np.ndarray, np.ndarray], None]


@dataclass
class Callbacks:
    """The functions whose addresses are in use, which must stay alive, and the exceptions that their calls raised."""

    alive: list[Any] = field(default_factory=list)
    trouble: list[tuple[Function | Condition, Exception]] = field(default_factory=list)


def make_callback(edge: Function | Condition, callbacks: Callbacks) -> tuple[float, float]:
    """Return the addresses of two C functions, which write C and its Jacobian. They are compiled if possible.
    `callbacks` keeps them alive."""
    pair = None if compilation_is_off() or _raises(edge.function) else _compiled(edge)
    pair = pair or _interpreted(edge, callbacks)
    callbacks.alive.extend(pair)
    return _address(pair[0]), _address(pair[1])


def _raises(function: Callable[..., Any]) -> bool:
    """Return whether the Python code of the function has a `raise` statement."""
    return hasattr(function, "__code__") and any(i.opname == "RAISE_VARARGS" for i in dis.get_instructions(function))


def _address(function: Any) -> float:
    """Return the machine address of a compiled function as a double. Whole numbers up to 2^53 are exact in a double."""
    from ctypes import c_void_p, cast

    address = function.address if hasattr(function, "address") else int(cast(function, c_void_p).value or 0)
    if address >= MOST_ADDRESS:
        raise DefinitionError("address of a function", "a machine address above 2^53", "a machine with smaller ones")
    return float(address)


# ---------------------------------------------------------------- what functions are called with
@shared_allocating
def of_pair(s):
    """Return copies of x_a, r_a, x_b, r_b from the rows of the state (8, 3), because a function may write to its
    arguments."""
    return s[0].copy(), s[1:4].copy(), s[4].copy(), s[5:8].copy()


@shared_allocating
def of_pair_in_motion(s):
    """Return copies of x_a, r_a, v_a, w_a, x_b, r_b, v_b, w_b from the rows of the state (14, 3)."""
    return (
        s[0].copy(), s[1:4].copy(), s[10].copy(), s[11].copy(),
        s[4].copy(), s[5:8].copy(), s[12].copy(), s[13].copy(),
    )  # fmt: skip


@shared_allocating
def of_group(s):
    """Return copies of x (n, 3) and R (n, 3, 3) of n bodies from the state (n, 4, 3)."""
    return s[:, 0].copy(), s[:, 1:].copy()


@shared_allocating
def of_group_in_motion(s):
    """Return copies of x, R, v, w of n bodies from the state (6 n, 3): four rows for the pose of each body, then two
    rows for the velocity of each body."""
    n = len(s) // 6
    placed = s[: 4 * n].reshape((n, 4, 3))
    moving = s[4 * n :].reshape((n, 2, 3))
    return placed[:, 0].copy(), placed[:, 1:].copy(), moving[:, 0].copy(), moving[:, 1].copy()


@dataclass(frozen=True)
class Call:
    """A function of the user, the shape of its state, and the function that extracts its arguments from the state."""

    shape: tuple[int, ...]
    arguments: Any
    function: Callable[..., Any]

    def __call__(self, state: np.ndarray) -> Any:
        """Return the function's value at `state`, a flat array."""
        return self.function(*self.arguments(state[: math.prod(self.shape)].reshape(self.shape)))


@dataclass(frozen=True)
class Calls:
    """All functions that the user gave for an edge, and the numbers on which their machine code depends."""

    value: Call
    derivative: Call | None
    forces: Call | None
    moving: int  # where velocities begin in the state; 0: it has none
    rows: int
    bodies: int
    length: float

    @property
    def size(self) -> int:
        """Number of numbers in the state."""
        return math.prod(self.value.shape)

    @property
    def count(self) -> int:
        """Number of numbers in the Jacobian, including those of the forces."""
        return BLOCK * self.bodies * (1 if self.forces is None else 2)


def _calls(edge: Function | Condition) -> Calls:
    """Return the functions of a constraint or condition, and the layout of their states."""
    if isinstance(edge, Condition):
        bodies = len(edge.bodies)
        shape, arguments = (bodies, MEMBER // 3, 3), of_group
        in_motion, begin = ((6 * bodies, 3), of_group_in_motion), MEMBER * bodies
    else:
        bodies = 2
        shape, arguments = (STATE // 3, 3), of_pair
        in_motion, begin = (shape, of_pair_in_motion), VELOCITIES
    moving = begin if isinstance(edge, OfVelocities) else 0
    called: tuple[tuple[int, ...], Any] = in_motion if moving else (shape, arguments)
    value = Call(*called, edge.function)
    derivative = None if edge.jacobian is None else Call(shape, arguments, edge.jacobian)
    forces = Call(shape, arguments, edge.force) if callable(edge.force) else None
    return Calls(value, derivative, forces, moving, edge.rows, bodies, edge.length_scale)


@shared_allocating
def store_rows(given, rows, bodies, out):
    """Write the Jacobian `given` (rows, 6 n) or (rows, n, 6) to `out`, one body after the other. Each of the n bodies
    gets six rows of six numbers."""
    for k in range(BLOCK * bodies):
        out[k] = 0.0
    for body in range(bodies):
        for k in range(rows):
            for c in range(6):
                out[BLOCK * body + 6 * k + c] = given[k, 6 * body + c] if given.ndim == 2 else given[k, body, c]


# ---------------------------------------------------------------- in Python
def _interpreted(edge: Function | Condition, callbacks: Callbacks) -> tuple[Any, Any]:
    """Return two C functions that call back into Python. If a call raises an exception, "not a number" remains in
    `out`, and the exception is appended to `callbacks.trouble`."""
    calls = _calls(edge)

    def guarded(fill: Fill, count: int) -> Any:
        def call(state: Any, out: Any) -> None:
            numbers = np.ctypeslib.as_array(out, (count,))
            numbers[:] = math.nan
            try:
                fill(np.ctypeslib.as_array(state, (calls.size,)), numbers)
            except Exception as error:  # noqa: BLE001 - whatever the user's function raises; World raises it again
                numbers[:] = math.nan
                callbacks.trouble.append((edge, error))

        return SIGNATURE(call)

    value, jacobian = _in_python(calls)
    return guarded(value, VALUES), guarded(jacobian, calls.count)


def _in_python(calls: Calls) -> tuple[Fill, Fill]:
    """Return two Python functions of (state, out) that write C and its Jacobian."""
    rows, bodies = calls.rows, calls.bodies

    def value(state: np.ndarray, out: np.ndarray) -> None:
        out[:rows] = calls.value(state)
        out[rows:] = 0.0

    def values(function: Fill, state: np.ndarray, out: np.ndarray) -> None:
        function(state[0], out[0])

    def jacobian(state: np.ndarray, out: np.ndarray) -> None:
        s, found = state.reshape(1, -1), out.reshape(1, -1)
        space = np.zeros_like(s), np.zeros((1, VALUES))
        if calls.derivative is not None:
            store_rows(np.asarray(calls.derivative(state), float), rows, bodies, out)
        elif calls.moving:
            difference.columns(values, value, rows, bodies, calls.moving, s, *space, found)
        else:
            difference.difference(values, value, rows, bodies, calls.length, s, *space, found)
        if calls.forces is not None:
            given = np.asarray(calls.forces(state), float).reshape(rows, 6 * bodies)
            store_rows(given, rows, bodies, out[BLOCK * bodies :])

    return value, jacobian


# ---------------------------------------------------------------- compiled
Pair = tuple[Any, Any]


def _compiled(edge: Function | Condition) -> Pair | None:
    """Return the compiled pair of functions. Return None if numba cannot compile the user's functions, or if compiled
    they give other values than in Python."""
    calls = _calls(edge)
    if isinstance(edge, FORMULAS):
        pair = c_functions.compiled(edge)
        return pair if _is_same(edge, calls, pair) else None
    for compile_it in (_known, _taken):  # objects to which a function refers may have changed since
        pair = compile_it(calls)
        if pair is None or _is_same(edge, calls, pair):
            return pair
    return None


def _taken(calls: Calls) -> Pair | None:
    """Return the compiled pair of functions, or None if numba cannot compile them."""
    try:
        return _compile(calls)
    except Exception:  # noqa: BLE001 - numba raises many kinds for what it does not know; Python then takes it
        return None


# Compiling takes a while, and the same functions are asked for in every world that is made of a scene.
_known = lru_cache(maxsize=64)(_taken)


def _drawn(edge: Function | Condition) -> np.ndarray:
    """Return the state at the drawn pose, with some velocities, in the layout in which kernels pass it to the
    functions."""
    if isinstance(edge, Condition):
        x, r = edge.drawn
        placed = np.concatenate([x, r.reshape(len(x), 9)], axis=1).ravel()
        return np.concatenate([placed, np.linspace(-1.0, 1.3, 6 * len(x))])
    return np.concatenate([*(np.ravel(x) for x in edge.drawn), np.zeros(VALUES), np.linspace(-1.0, 1.3, 12)])


def _is_same(edge: Function | Condition, calls: Calls, pair: Pair) -> bool:
    """Return whether both compiled functions give the same values at the drawn state as the Python functions."""
    state = _drawn(edge)
    pointer = np.ctypeslib.as_ctypes
    for compiled, interpreted, count in zip(pair, _in_python(calls), (VALUES, calls.count), strict=True):
        out, expected = np.zeros(count), np.zeros(count)
        compiled.ctypes(pointer(state), pointer(out))
        interpreted(state, expected)
        if not np.abs(out - expected).max() <= SAME * max(1.0, np.abs(expected).max()):
            return False
    return True


def _compile(calls: Calls) -> Pair:
    """Return the compiled function that writes C, and the thunk that writes the Jacobian."""
    value = _compiled_value(calls.value, calls.rows)
    more = [
        None if call is None else _compiled_rows(call, calls.rows, calls.bodies)
        for call in (calls.derivative, calls.forces)
    ]
    addresses = [0.0 if function is None else _address(function) for function in (value, *more)]
    space = np.zeros(calls.size + VALUES)
    data = np.array([calls.moving, calls.rows, calls.bodies, calls.length, *addresses, *space])
    return value, thunk(c_functions.difference_jacobian, data, alive=(value, *more))


def _njit(function: Callable[..., Any]) -> Any:
    """Return the user's function compiled for calls from compiled functions. An entry from Python would take as long to
    compile as the function itself."""
    return backend().users_function(function)


def _compiled_value(call: Call, rows: int) -> Any:
    """Return a C function (state, out) that writes the `rows` numbers of C to `out`, and zeros after them."""
    function, arguments, shape = _njit(call.function), call.arguments, call.shape

    def value(state, out):
        for k in range(VALUES):
            out[k] = math.nan
        c = function(*arguments(carray(state, shape)))
        for k in range(VALUES):
            out[k] = 0.0
        for k in range(rows):
            out[k] = c[k]

    return c_function(value)


def _compiled_rows(call: Call, rows: int, bodies: int) -> Any:
    """Return a C function (state, out) that writes a Jacobian or forces to `out`, six rows of six numbers for each
    body."""
    function, arguments, shape = _njit(call.function), call.arguments, call.shape

    def jacobian(state, out):
        for k in range(BLOCK * bodies):
            out[k] = math.nan
        store_rows(function(*arguments(carray(state, shape))), rows, bodies, out)

    return c_function(jacobian)
