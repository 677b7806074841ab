"""Jacobians of the user's functions: of functions of poses by differences, of functions that are linear in velocities
by their values.

A state has 12 numbers for each body: its position x and its rotation matrix R. For bodies in motion, the velocities v,
w of each body follow (6 numbers a body); for a pair of bodies there is a gap of six unused numbers before them. A
Jacobian has six rows of six numbers for each body: the derivatives as the body moves along, and rotates about, the axes
of the world,

    dC/dt = sum of w_n (C(n h) - C(-n h)) / h,     n = 1, 2, 3,     to sixth order.

These functions run in Python as they are. Compiled, they are one C function that serves all functions of the user
(`difference_jacobian` in `physics/build/c_functions.py`): nothing is compiled for each of these.
"""

from physics.compiler.jit import shared

MEMBER = 12  # numbers of a body in the state
BLOCK = 36  # and in the Jacobian
STATE = 42  # numbers of two bodies in motion
VELOCITIES = 30  # where theirs begin; of a condition behind the places and turns, without a gap
VALUES = 6
STEP = 0.01  # rad, or of the length scale: differences of sixth order, their error is some 1e-14 of C over the step
FIRST_DIFFERENCE = ((1, 0.75), (2, -0.15), (3, 1.0 / 60.0))  # n and w_n


@shared
def difference(values, function, rows, bodies, length, state, s, c, out):
    """Write the Jacobian of a function of poses to `out` by differences: each body is moved along, and rotated about,
    each world axis. `values(function, s, c)` writes the function's `rows` values in the state s to c; `length` [m]
    scales the displacements. s (1, state) and c (1, 6) are space for moved states and for values."""
    for k in range(state.shape[1]):
        s[0, k] = state[0, k]
    for k in range(BLOCK * bodies):
        out[0, k] = 0.0
    for body in range(bodies):
        o = MEMBER * body
        for column in range(6):
            h = STEP * length if column < 3 else STEP
            for n, weight in FIRST_DIFFERENCE:
                for sign in (1.0, -1.0):
                    put_moved(state, o, column, sign * n * h, s)
                    values(function, s, c)
                    for k in range(rows):
                        out[0, BLOCK * body + 6 * k + column] += sign * weight / h * c[0, k]
        for k in range(o, o + MEMBER):
            s[0, k] = state[0, k]


@shared
def put_moved(state, o, column, t, s):
    """Copy the pose at column o of `state` to `s`, moved along (column 0 to 2, t in m) or rotated about (column 3 to 5,
    t in rad) a world axis."""
    for k in range(o, o + MEMBER):
        s[0, k] = state[0, k]
    if column < 3:
        s[0, o + column] += t
        return
    i = o + 3 + 3 * ((column - 2) % 3)
    j = o + 3 + 3 * ((column - 1) % 3)
    # series of at most 3 STEP: what follows is below 1e-19
    z = t * t
    cosine = 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z / 40320.0)))
    sine = t * (1.0 - z * (1.0 / 6.0 - z * (1.0 / 120.0 - z / 5040.0)))
    for k in range(3):
        s[0, i + k] = cosine * state[0, i + k] - sine * state[0, j + k]
        s[0, j + k] = sine * state[0, i + k] + cosine * state[0, j + k]


@shared
def columns(values, function, rows, bodies, moving, state, s, c, out):
    """Write the Jacobian of a function that is linear in velocities to `out`, six rows of six numbers for each body.
    Column k holds the values of the function for the velocity whose component k is 1 and whose other components are 0,
    at the poses in `state`. `values(function, s, c)` writes the function's `rows` values in the state s to c. The
    velocities begin at index `moving` of the state. s (1, state) and c (1, 6) are space for states and for values."""
    for k in range(state.shape[1]):
        s[0, k] = state[0, k]
    for k in range(BLOCK * bodies):
        out[0, k] = 0.0
    for k in range(moving, moving + 6 * bodies):
        s[0, k] = 0.0
    for column in range(6 * bodies):
        s[0, moving + column] = 1.0
        values(function, s, c)
        s[0, moving + column] = 0.0
        for k in range(rows):
            out[0, BLOCK * (column // 6) + 6 * k + column % 6] = c[0, k]
