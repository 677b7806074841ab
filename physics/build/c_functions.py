"""C functions f(state, out, data) that are compiled only once: the values and Jacobians of formulas, and the Jacobian
of a user's function by differences. All formulas share them; `data` is different for each
(`physics/compiler/callback.py`, `Thunk`)."""

import math

from physics.compiler.callback import Thunk, call_address, carray, jitable
from physics.compiler.table import Table, column
from physics.maths.formula_program import (
    CONSTANTS, COUNT, HEAD, MEMBER, MOST_ROWS, evaluate, evaluate_group, group_length,
)  # fmt: skip
from physics.definitions.formulas import ConditionFormula, Formula, VelocityFormula, constants, data_of, group_data
from physics.maths.difference import BLOCK, MEMBER as POSE, columns, difference, put_moved


class FunctionData(Table):
    """Numbers with which the Jacobian of a user's function is called."""

    MOVING = column("place in the function's state at which the velocities begin; 0: it is a function of poses")
    ROWS = column("number of rows")
    BODIES = column("number of bodies")
    LENGTH = column("length scale of the differences", "m")
    VALUE = column("address of the function in C")
    DERIVATIVE = column("address of its Jacobian; 0: it is found by differences")
    FORCES = column("address of its forces; 0: they act along the Jacobian, or are numbers")


# ---------------------------------------------------------------- formulas
def value(state_at, out_at, data_at):
    """Write the six values of the formulas of two bodies to `out_at`. The three arguments are addresses of numbers."""
    length = HEAD + int(data_at[1]) + int(data_at[2]) + CONSTANTS + 2 * (COUNT + int(data_at[1]) + MOST_ROWS)
    data = carray(data_at, length)
    out = data[length - 2 * MOST_ROWS :].reshape((2, MOST_ROWS))
    for k in range(MOST_ROWS):
        out_at[k] = math.nan
    out[:] = 0.0
    evaluate(data, carray(state_at, 42), -1, out)
    for k in range(MOST_ROWS):
        out_at[k] = out[0, k]


def jacobian(state_at, out_at, data_at):
    """Write the Jacobian of the formulas of two bodies to `out_at`: six rows of six numbers for the motions of a, then
    six for those of b. The three arguments are addresses of numbers."""
    length = HEAD + int(data_at[1]) + int(data_at[2]) + CONSTANTS + 2 * (COUNT + int(data_at[1]) + MOST_ROWS)
    data = carray(data_at, length)
    out = data[length - 2 * MOST_ROWS :].reshape((2, MOST_ROWS))
    which = 0 if data[3] != 0.0 else 1  # linear in the velocities, or the slope along them
    out[:] = 0.0
    for component in range(12):
        evaluate(data, carray(state_at, 24), component, out)
        for k in range(MOST_ROWS):
            out_at[36 * (component // 6) + 6 * k + component % 6] = out[which, k]


def group_value(state_at, out_at, data_at):
    """Write the values of a condition's formulas to `out_at`. The three arguments are addresses of numbers."""
    bodies = int(data_at[4])
    length = group_length(int(data_at[1]), int(data_at[2]), bodies)
    data = carray(data_at, length)
    out = data[length - 2 * MOST_ROWS :].reshape((2, MOST_ROWS))
    for k in range(MOST_ROWS):
        out_at[k] = math.nan
    out[:] = 0.0
    evaluate_group(data, carray(state_at, (MEMBER + 6 if data[3] != 0.0 else MEMBER) * bodies), -1, out)
    for k in range(MOST_ROWS):
        out_at[k] = out[0, k]


def group_jacobian(state_at, out_at, data_at):
    """Write the Jacobian of a condition's formulas to `out_at`: six rows of six numbers for the motions of each body.
    The three arguments are addresses of numbers."""
    bodies = int(data_at[4])
    length = group_length(int(data_at[1]), int(data_at[2]), bodies)
    data = carray(data_at, length)
    out = data[length - 2 * MOST_ROWS :].reshape((2, MOST_ROWS))
    which = 0 if data[3] != 0.0 else 1  # linear in the velocities, or the slope along them
    out[:] = 0.0
    for component in range(6 * bodies):
        evaluate_group(data, carray(state_at, MEMBER * bodies), component, out)
        for k in range(MOST_ROWS):
            out_at[36 * (component // 6) + 6 * k + component % 6] = out[which, k]


def compiled(f: Formula | VelocityFormula | ConditionFormula) -> tuple[Thunk, Thunk]:
    """Return two C functions for a formula: one writes its values, the other its Jacobian."""
    if isinstance(f, ConditionFormula):
        data = group_data(f, f.drawn)
        return Thunk(group_value, data), Thunk(group_jacobian, data)
    data = data_of(f.program, constants(f, f.drawn), isinstance(f, VelocityFormula))
    return Thunk(value, data), Thunk(jacobian, data)


# ---------------------------------------------------------------- functions of the user's
# plain Python where they are defined, so that definitions do without numba
for part in (put_moved, difference, columns):
    jitable(part)


@jitable
def by_address(address, state, out):
    """Call the C function at a machine address. It reads `state` and writes to `out`."""
    call_address(int(address), state, 0, 0, out, 0, 0)


def difference_jacobian(state_at, out_at, data_at):
    """Write the Jacobian of a user's function, by differences, to `out_at`. If its forces are a function, too, write
    them after it. The three arguments are addresses of numbers."""
    data = carray(data_at, FunctionData.WIDTH)
    rows, bodies, moving = int(data[FunctionData.ROWS]), int(data[FunctionData.BODIES]), int(data[FunctionData.MOVING])
    state = carray(state_at, (1, moving + 6 * bodies if moving != 0 else POSE * bodies))
    out = carray(out_at, (1, 2 * BLOCK * bodies))
    if data[FunctionData.DERIVATIVE] != 0.0:
        by_address(data[FunctionData.DERIVATIVE], state, out)
    elif moving != 0:
        columns(by_address, data[FunctionData.VALUE], rows, bodies, moving, state, out)
    else:
        difference(by_address, data[FunctionData.VALUE], rows, bodies, data[FunctionData.LENGTH], state, out)
    if data[FunctionData.FORCES] != 0.0:
        call_address(int(data[FunctionData.FORCES]), state, 0, 0, out, 0, BLOCK * bodies)
