"""Formulas as programs: named numbers of the bodies, and a stack machine that computes with them.

A program is a list of steps (operation, argument) in postfix order; each of its formulas ends with END. The machine
stores each number with its slope, so that one run gives a formula and its derivative along one motion.

These functions run in Python as they are (to check a formula), and are compiled once for all formulas
(`physics/build/c_functions.py`).
"""

import math
from typing import Any

import numpy as np

from physics.compiler.callback import table_of
from physics.compiler.jit import shared
from physics.maths import elementary

END, NUMBER, NAME, ADD, SUBTRACT, TIMES, OVER, POWER, MINUS = range(9)
SQRT, SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2, EXP, LOG = range(9, 19)
TAKES_TWO = (ADD, SUBTRACT, TIMES, OVER, POWER, ATAN2)

# Of each body, and of the second as seen from the first: a place (3) and the directions of its axes (9); then the
# velocity (3) and angular velocity (3) of each.
ENDS = ("1", "2", "")
PLACED = ("x", "y", "z", *(axis + along for axis in "XYZ" for along in "xyz"))
MOVING = ("vx", "vy", "vz", "wx", "wy", "wz")
COORDINATES = tuple(name + end for end in ENDS for name in PLACED)
VELOCITIES = tuple(name + end for end in ENDS for name in MOVING)
PLACES, COUNT = len(COORDINATES), len(COORDINATES) + len(VELOCITIES)

# what a formula's functions know beside the state: columns of one list of numbers
FRAME, ORIGIN, BASE_A, BASE_B, ARM_A, ARM_B, HAND = 0, 9, 12, 21, 30, 33, 36
CONSTANTS = 37


@shared
def turned(r, base):
    """Return E = R base as nine numbers: the rotation of a body since the pose in which it was drawn. r and `base` are
    3x3 matrices by rows."""
    return (
        r[0] * base[0] + r[1] * base[3] + r[2] * base[6], r[0] * base[1] + r[1] * base[4] + r[2] * base[7],
        r[0] * base[2] + r[1] * base[5] + r[2] * base[8], r[3] * base[0] + r[4] * base[3] + r[5] * base[6],
        r[3] * base[1] + r[4] * base[4] + r[5] * base[7], r[3] * base[2] + r[4] * base[5] + r[5] * base[8],
        r[6] * base[0] + r[7] * base[3] + r[8] * base[6], r[6] * base[1] + r[7] * base[4] + r[8] * base[7],
        r[6] * base[2] + r[7] * base[5] + r[8] * base[8],
    )  # fmt: skip


@shared
def times(e, v):
    """Return E v, of a 3x3 matrix and a vector."""
    return (
        e[0] * v[0] + e[1] * v[1] + e[2] * v[2],
        e[3] * v[0] + e[4] * v[1] + e[5] * v[2],
        e[6] * v[0] + e[7] * v[1] + e[8] * v[2],
    )


@shared
def back(e, v):
    """Return E^T v, of a 3x3 matrix and a vector."""
    return (
        e[0] * v[0] + e[3] * v[1] + e[6] * v[2],
        e[1] * v[0] + e[4] * v[1] + e[7] * v[2],
        e[2] * v[0] + e[5] * v[1] + e[8] * v[2],
    )


@shared
def plus(u, v):
    """Return the sum u + v of two vectors."""
    return u[0] + v[0], u[1] + v[1], u[2] + v[2]


@shared
def less(u, v):
    """Return the difference u - v of two vectors."""
    return u[0] - v[0], u[1] - v[1], u[2] - v[2]


@shared
def scaled(k, v):
    """Return the vector k v."""
    return k * v[0], k * v[1], k * v[2]


@shared
def cross(u, v):
    """Return the vector product u x v."""
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@shared
def put(out, row, k, v):
    """Write the vector v to three columns of row `row` of `out`, from column k on."""
    out[row, k] = v[0]
    out[row, k + 1] = v[1]
    out[row, k + 2] = v[2]


@shared
def fill(c, xa, ra, va, wa, xb, rb, vb, wb, out):
    """Write all named numbers to out[0], and the rates of the coordinates among them to out[1]. Subscripts a and b
    stand for the two bodies. E is the rotation of a body since it was drawn, P = x + E arm its point, F the axes of the
    formula and o its origin. The coordinates with the suffixes 1, 2 and none are:

        1, 2   F^T (P - o),  F^T E F
        none   F^T E_a^T (P_b - P_a),  F^T E_a^T E_b F"""
    f = c[FRAME:ORIGIN]
    ea = turned(ra, c[BASE_A:BASE_B])
    eb = turned(rb, c[BASE_B:ARM_A])
    arm_a = times(ea, c[ARM_A:ARM_B])
    arm_b = times(eb, c[ARM_B:HAND])
    ua = plus(va, cross(wa, arm_a))
    ub = plus(vb, cross(wb, arm_b))
    pa = plus(xa, arm_a)
    pb = plus(xb, arm_b)
    apart = less(pb, pa)
    relative = less(less(ub, ua), cross(wa, apart))
    origin = c[ORIGIN:BASE_A]
    put(out, 0, 0, back(f, less(pa, origin)))
    put(out, 1, 0, back(f, ua))
    put(out, 0, 12, back(f, less(pb, origin)))
    put(out, 1, 12, back(f, ub))
    put(out, 0, 24, back(f, back(ea, apart)))
    put(out, 1, 24, back(f, back(ea, relative)))
    for k in range(3):
        axis = (f[k], f[3 + k], f[6 + k])
        a = times(ea, axis)
        b = times(eb, axis)
        s = 3 + 3 * k
        put(out, 0, s, back(f, a))
        put(out, 1, s, back(f, cross(wa, a)))
        put(out, 0, s + 12, back(f, b))
        put(out, 1, s + 12, back(f, cross(wb, b)))
        put(out, 0, s + 24, back(f, back(ea, b)))
        put(out, 1, s + 24, back(f, back(ea, cross(less(wb, wa), b))))
    hand = c[HAND]  # -1 where the axes are left-handed: there turning is the other way round
    put(out, 0, PLACES, back(f, ua))
    put(out, 0, PLACES + 3, scaled(hand, back(f, wa)))
    put(out, 0, PLACES + 6, back(f, ub))
    put(out, 0, PLACES + 9, scaled(hand, back(f, wb)))
    put(out, 0, PLACES + 12, back(f, back(ea, relative)))
    put(out, 0, PLACES + 15, scaled(hand, back(f, back(ea, less(wb, wa)))))


@shared
def run(steps, numbers, named, x, d, out):
    """Run a program (`steps`: operation, argument, operation, ...) with its constants `numbers`. Write the values of
    its formulas for the named numbers named[0] to out[0], and their derivatives for the rates named[1] of these numbers
    to out[1]. x and d are arrays for the stack."""
    n, row = 0, 0
    for step in range(len(steps) // 2):
        kind = int(steps[2 * step])
        k = int(steps[2 * step + 1])
        if kind == END:
            n -= 1
            out[0, row] = x[n]
            out[1, row] = d[n]
            row += 1
        elif kind == NUMBER:
            x[n] = numbers[k]
            d[n] = 0.0
            n += 1
        elif kind == NAME:
            x[n] = named[0, k]
            d[n] = named[1, k]
            n += 1
        elif kind <= POWER or kind == ATAN2:
            n -= 1
            x[n - 1], d[n - 1] = of_two(kind, x[n - 1], d[n - 1], x[n], d[n])
        else:
            x[n - 1], d[n - 1] = of_one(kind, x[n - 1], d[n - 1])


@shared
def of_two(kind, x, dx, y, dy):
    """Return value and slope of operation `kind` on two numbers x, y with the slopes dx, dy."""
    if kind == ADD:
        return x + y, dx + dy
    if kind == SUBTRACT:
        return x - y, dx - dy
    if kind == TIMES:
        return x * y, dx * y + x * dy
    if kind == OVER:
        return x / y, (dx - x / y * dy) / y
    if kind == ATAN2:
        return elementary.arctangent(x, y), (dx * y - x * dy) / (x * x + y * y)
    power = elementary.power(x, y)
    if dy == 0.0:
        return power, 0.0 if dx == 0.0 else y * elementary.power(x, y - 1.0) * dx
    return power, power * (dy * elementary.logarithm(x) + y * dx / x)


@shared
def of_one(kind, x, d):
    """Return value and slope of operation `kind` on one number x with the slope d."""
    if kind == MINUS:
        return -x, -d
    if kind == SQRT:
        return math.sqrt(x), 0.5 * d / math.sqrt(x)
    if kind == SIN:
        s, c = elementary.sine_and_cosine(x)
        return s, c * d
    if kind == COS:
        s, c = elementary.sine_and_cosine(x)
        return c, -s * d
    if kind == TAN:
        s, c = elementary.sine_and_cosine(x)
        return s / c, d / (c * c)
    if kind == ASIN:
        return elementary.arcsine(x), d / math.sqrt(1.0 - x * x)
    if kind == ACOS:
        return elementary.arccosine(x), -d / math.sqrt(1.0 - x * x)
    if kind == ATAN:
        return elementary.arctangent(x, 1.0), d / (1.0 + x * x)
    if kind == EXP:
        e = elementary.exponential(x)
        return e, e * d
    return elementary.logarithm(x), d / x


# ---------------------------------------------------------------- formulas as data, and the functions of C's kind
# The data of a formula: how many formulas, steps and numbers, whether it is of velocities, how many bodies; the
# constants, the steps, the numbers, and room for named numbers, stack, velocities and results.
HEAD = 5
MOST_ROWS = 6
PAIR_MOTION, BODY_MOTION = 12, 6  # numbers of the velocities of two bodies, and of one


@shared
def room_of(named, steps, motion):
    """Return how many numbers of the data are room: named numbers, stack, velocities and results."""
    return 2 * (named + steps + MOST_ROWS) + motion


def data_of(rows: int, steps: Any, numbers: Any, moving: bool, constants: Any) -> np.ndarray:
    """Return the data of the stack machine for `rows` formulas of two bodies, with space for named numbers, stack and
    results."""
    room = room_of(COUNT, len(steps), PAIR_MOTION)
    head = [rows, len(steps), len(numbers), moving, len(ENDS) - 1]
    return np.concatenate([head, constants, steps, numbers, np.zeros(room)]).astype(float)


@shared
def length_of(steps, numbers):
    """Return how many numbers `data_of` returns for so many steps and numbers."""
    return HEAD + CONSTANTS + steps + numbers + room_of(COUNT, steps, PAIR_MOTION)


@shared
def evaluate(data, state, column, out):
    """Write values (out[0]) and slopes (out[1]) of the formulas in `data` to `out` (2, 6), at the poses and velocities
    in the state. If `column` is not negative, that component of the velocities is 1, and all others are 0."""
    steps, numbers = int(data[1]), int(data[2])
    begin = HEAD + CONSTANTS
    end = begin + steps + numbers
    named = table_of(data[end : end + 2 * COUNT], 2, COUNT)
    x = data[end + 2 * COUNT : end + 2 * COUNT + steps]
    d = data[end + 2 * COUNT + steps : end + 2 * COUNT + 2 * steps]
    begin_motion = end + 2 * COUNT + 2 * steps
    u = data[begin_motion : begin_motion + PAIR_MOTION]
    for k in range(PAIR_MOTION):
        u[k] = state[30 + k] if column < 0 and data[3] != 0.0 else 0.0
    if column >= 0:
        u[column] = 1.0
    fill(
        data[HEAD:begin], state[0:3], state[3:12], u[0:3], u[3:6], state[12:15], state[15:24], u[6:9], u[9:12], named
    )  # fmt: skip
    run(data[begin : begin + steps], data[begin + steps : end], named, x, d, out)


# ---------------------------------------------------------------- the same of any number of bodies
# Named numbers are the place and axes of each body and, where the formula is of velocities, its velocity and angular
# velocity: eighteen a body. In the state the velocities, six a body, follow the poses, twelve a body. Its constants:
# FRAME and ORIGIN as above, the hand of the axes, then how each body was drawn (9) and its arm (3).
MEMBER = len(PLACED)
NAMED = len(PLACED) + len(MOVING)
GROUP_HAND, DRAWN = 12, 13


def group_data_of(rows: int, steps: Any, numbers: Any, moving: bool, bodies: int, constants: Any) -> np.ndarray:
    """Return the data of the stack machine for the `rows` formulas of a condition on several bodies, with space for
    named numbers, stack and results."""
    room = room_of(NAMED * bodies, len(steps), BODY_MOTION)
    head = [rows, len(steps), len(numbers), moving, bodies]
    return np.concatenate([head, constants, steps, numbers, np.zeros(room)]).astype(float)


@shared
def group_length(steps, numbers, bodies):
    """Return how many numbers `group_data_of` returns for so many steps, numbers and bodies."""
    return HEAD + DRAWN + MEMBER * bodies + steps + numbers + room_of(NAMED * bodies, steps, BODY_MOTION)


@shared
def fill_member(c, at, x, r, v, w, o, out):
    """Write the named numbers of a body to out[0] from column o on: F^T (P - o), F^T E F, F^T P' and F^T w, with the
    opposite sign of F^T w if the axes are left-handed. Write the rates of its coordinates to out[1]."""
    f = c[FRAME:ORIGIN]
    e = turned(r, c[at : at + 9])
    arm = times(e, c[at + 9 : at + 12])
    moved = back(f, plus(v, cross(w, arm)))
    put(out, 0, o, back(f, less(plus(x, arm), c[ORIGIN:GROUP_HAND])))
    put(out, 1, o, moved)
    for k in range(3):
        axis = times(e, (f[k], f[3 + k], f[6 + k]))
        put(out, 0, o + 3 + 3 * k, back(f, axis))
        put(out, 1, o + 3 + 3 * k, back(f, cross(w, axis)))
    put(out, 0, o + MEMBER, moved)
    put(out, 0, o + MEMBER + 3, scaled(c[GROUP_HAND], back(f, w)))


@shared
def evaluate_group(data, state, column, out):
    """Write values (out[0]) and slopes (out[1]) of a condition's formulas in `data`, at the poses and velocities in the
    state. If `column` is not negative, that component of the velocities (six for each body) is 1, and all others are
    0."""
    steps, numbers, bodies = int(data[1]), int(data[2]), int(data[4])
    begin = HEAD + DRAWN + MEMBER * bodies
    end = begin + steps + numbers
    named = table_of(data[end : end + 2 * NAMED * bodies], 2, NAMED * bodies)
    room = end + 2 * NAMED * bodies
    u = data[room + 2 * steps : room + 2 * steps + BODY_MOTION]
    for k in range(bodies):
        for c in range(BODY_MOTION):
            u[c] = state[MEMBER * bodies + 6 * k + c] if column < 0 and data[3] != 0.0 else 0.0
        if column // 6 == k:
            u[column % 6] = 1.0
        x = state[MEMBER * k : MEMBER * k + 3]
        r = state[MEMBER * k + 3 : MEMBER * k + 12]
        fill_member(data[HEAD:begin], DRAWN + MEMBER * k, x, r, u[0:3], u[3:6], NAMED * k, named)
    x, d = data[room : room + steps], data[room + steps : room + 2 * steps]
    run(data[begin : begin + steps], data[begin + steps : end], named, x, d, out)
