"""C functions f(state, out, data) that are compiled once: those of formulas, and the Jacobian of a user's function by
differences. Each formula or function has data of its own (`physics/compiler/callback.py`, `thunk`)."""

import math

from physics.compiler.callback import CFunction, call_address, carray, table_of, thunk
from physics.compiler.jit import entry, inline
from physics.maths.formula_program import (
    MEMBER, MOST_ROWS, evaluate, evaluate_group, group_length, length_of,
)  # fmt: skip
from physics.definitions.formulas import ConditionFormula, Formula, VelocityFormula, constants, data_of, group_data
from physics.maths.difference import BLOCK, MEMBER as POSE, VALUES, columns, difference

# What the compiled one knows of a function: where velocities begin in its state, 0 where it is of poses; how many rows
# and bodies, its length scale; addresses of C, of the Jacobian and of the forces, where these are given as functions.
MOVING, ROWS, BODIES, LENGTH, VALUE, DERIVATIVE, FORCES = range(7)
HEAD = 7  # behind it: space for a state and for values


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
    for column in range(12):
        evaluate(data, carray(state_at, 24), column, out)
        for k in range(MOST_ROWS):
            out_at[36 * (column // 6) + 6 * k + column % 6] = out[which, k]


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
    for column in range(6 * bodies):
        evaluate_group(data, carray(state_at, MEMBER * bodies), column, out)
        for k in range(MOST_ROWS):
            out_at[36 * (column // 6) + 6 * k + column % 6] = out[which, k]


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
    """Write the Jacobian of a user's function to `out_at`, followed by its forces if these are a function. The three
    arguments are addresses of numbers."""
    rows, bodies, moving = int(data_at[ROWS]), int(data_at[BODIES]), int(data_at[MOVING])
    size = moving + 6 * bodies if moving != 0 else POSE * bodies
    data = carray(data_at, HEAD + size + VALUES)
    state = carray(state_at, (1, size))
    s = table_of(data[HEAD : HEAD + size], 1, size)
    c = table_of(data[HEAD + size :], 1, VALUES)
    out = carray(out_at, (1, 2 * BLOCK * bodies))
    if data[DERIVATIVE] != 0.0:
        by_address(data[DERIVATIVE], state, out)
    elif moving != 0:
        columns(by_address, data[VALUE], rows, bodies, moving, state, s, c, out)
    else:
        difference(by_address, data[VALUE], rows, bodies, data[LENGTH], state, s, c, out)
    if data[FORCES] != 0.0:
        call_address(int(data[FORCES]), state, 0, 0, out, 0, BLOCK * bodies)
