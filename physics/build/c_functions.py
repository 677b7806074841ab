"""C functions f(state, out, data) that are compiled once: those of formulas, and the Jacobian of a user's function by
differences. Each formula or function has data of its own (`physics/compiler/callback.py`, `thunk`)."""

import math

from physics.compiler.callback import CFunction, call_address, carray, table_of, thunk
from physics.compiler.jit import entry, inline
from physics.compiler.table import Table, column
from physics.maths.formula_program import (
    MEMBER, MOST_ROWS, evaluate, evaluate_group, group_length, length_of,
)  # fmt: skip
from physics.definitions.formulas import ConditionFormula, Formula, VelocityFormula, constants, data_of, group_data
from physics.maths.difference import BLOCK, MEMBER as POSE, VALUES, columns, difference


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
@entry("ppp")
def value(state_at, out_at, data_at):
    """Write the six values of the formulas of two bodies to `out_at`. The three arguments are addresses of numbers."""
    length = length_of(int(data_at[1]), int(data_at[2]))
    data = carray(data_at, length)
    out = table_of(data[length - 2 * MOST_ROWS :], 2, MOST_ROWS)
    for k in range(MOST_ROWS):
        out_at[k] = math.nan
    out[:] = 0.0
    evaluate(data, carray(state_at, 42), -1, out)
    for k in range(MOST_ROWS):
        out_at[k] = out[0, k]


@entry("ppp")
def jacobian(state_at, out_at, data_at):
    """Write the Jacobian of the formulas of two bodies to `out_at`: six rows of six numbers for the motions of a, then
    for those of b. The three arguments are addresses of numbers."""
    length = length_of(int(data_at[1]), int(data_at[2]))
    data = carray(data_at, length)
    out = table_of(data[length - 2 * MOST_ROWS :], 2, MOST_ROWS)
    which = 0 if data[3] != 0.0 else 1  # linear in the velocities, or the slope along them
    out[:] = 0.0
    for component in range(12):
        evaluate(data, carray(state_at, 24), component, out)
        for k in range(MOST_ROWS):
            out_at[36 * (component // 6) + 6 * k + component % 6] = out[which, k]


@entry("ppp")
def group_value(state_at, out_at, data_at):
    """Write the values of a condition's formulas to `out_at`. The three arguments are addresses of numbers."""
    bodies = int(data_at[4])
    length = group_length(int(data_at[1]), int(data_at[2]), bodies)
    data = carray(data_at, length)
    out = table_of(data[length - 2 * MOST_ROWS :], 2, MOST_ROWS)
    for k in range(MOST_ROWS):
        out_at[k] = math.nan
    out[:] = 0.0
    evaluate_group(data, carray(state_at, (MEMBER + 6 if data[3] != 0.0 else MEMBER) * bodies), -1, out)
    for k in range(MOST_ROWS):
        out_at[k] = out[0, k]


@entry("ppp")
def group_jacobian(state_at, out_at, data_at):
    """Write the Jacobian of a condition's formulas to `out_at`: six rows of six numbers for the motions of each body.
    The three arguments are addresses of numbers."""
    bodies = int(data_at[4])
    length = group_length(int(data_at[1]), int(data_at[2]), bodies)
    data = carray(data_at, length)
    out = table_of(data[length - 2 * MOST_ROWS :], 2, MOST_ROWS)
    which = 0 if data[3] != 0.0 else 1  # linear in the velocities, or the slope along them
    out[:] = 0.0
    for component in range(6 * bodies):
        evaluate_group(data, carray(state_at, MEMBER * bodies), component, out)
        for k in range(MOST_ROWS):
            out_at[36 * (component // 6) + 6 * k + component % 6] = out[which, k]


def compiled(f: Formula | VelocityFormula | ConditionFormula) -> tuple[CFunction, CFunction]:
    """Return the values of a formula and their Jacobian as two C functions."""
    if isinstance(f, ConditionFormula):
        data = group_data(f, f.drawn)
        return thunk(group_value, data), thunk(group_jacobian, data)
    data = data_of(f.program, constants(f, f.drawn), isinstance(f, VelocityFormula))
    return thunk(value, data), thunk(jacobian, data)


# ---------------------------------------------------------------- functions of the user's
@inline
def by_address(address, state, out):
    """Call the C function at a machine address. It reads `state` and writes to `out`."""
    call_address(int(address), state, 0, 0, out, 0, 0)


@entry("ppp")
def difference_jacobian(state_at, out_at, data_at):
    """Write the Jacobian of a user's function, by differences, to `out_at`. If its forces are a function, too, write
    them after it. The three arguments are addresses of numbers: the third is that of `FunctionData`, and of space for a
    state and for values behind it."""
    rows, bodies = int(data_at[FunctionData.ROWS]), int(data_at[FunctionData.BODIES])
    moving = int(data_at[FunctionData.MOVING])
    size = moving + 6 * bodies if moving != 0 else POSE * bodies
    data = carray(data_at, FunctionData.WIDTH + size + VALUES)
    state = carray(state_at, (1, size))
    s = table_of(data[FunctionData.WIDTH : FunctionData.WIDTH + size], 1, size)
    c = table_of(data[FunctionData.WIDTH + size :], 1, VALUES)
    out = carray(out_at, (1, 2 * BLOCK * bodies))
    if data[FunctionData.DERIVATIVE] != 0.0:
        by_address(data[FunctionData.DERIVATIVE], state, out)
    elif moving != 0:
        columns(by_address, data[FunctionData.VALUE], rows, bodies, moving, state, s, c, out)
    else:
        difference(by_address, data[FunctionData.VALUE], rows, bodies, data[FunctionData.LENGTH], state, s, c, out)
    if data[FunctionData.FORCES] != 0.0:
        call_address(int(data[FunctionData.FORCES]), state, 0, 0, out, 0, BLOCK * bodies)
