"""Prescribed motions: the values of signals and the poses of moving bodies at a given time. `signals.py` makes the
tables of signals, and has their equations.

Signals give the position of a moving body, and its rotation in one of two ways: as a rotation vector phi, by which the
body is rotated from its orientation R0, or (in a clip) as a quaternion Q, which need not have unit length. Q* is its
conjugate:

    R = exp(phi) R0,   w = phi' + a phi x phi' + b phi x (phi x phi')
    a = (1 - cos |phi|) / |phi|^2,   b = (|phi| - sin |phi|) / |phi|^3,   w' by the product rule
    q = Q / |Q|,   w = 2 vec(Q' Q*) / |Q|^2,   w' = (2 vec(Q'' Q*) - (|Q|^2)' w) / |Q|^2
"""

import math

from physics.compiler.jit import entry, inline, kernel
from physics.data.arrays import make, make_field
from physics.data.model import Signals, Work
from physics.data.work_tables import Frames
from physics.definitions.motions import FIRST_SIGNAL, GIVEN, QUATERNION
from physics.definitions.signals import (
    CONSTANT, COUNT, CURVATURE, FIRST, INTEGRAL, INTEGRATED, KIND, LINEAR, RAMP, REPEAT, SINUSOID, SMOOTH, SPLINE, TIME,
    VALUE, Tables,
)  # fmt: skip
from physics.maths import quat
from physics.maths.elementary import cosine, sine, sine_and_cosine
from physics.maths.vec import add, add_scaled, cross, dot, load4, scale, store3, store4, store9


# ---------------------------------------------------------------- signals
def values_at(values, t):
    """Return the values of numbers and signals at the time t [s]."""
    tables = Tables()
    for value in values:
        tables.add(value)
    table, keys = tables.make()
    signals = make(Signals, {"frames": 0}, table=table, keys=keys)
    out = make_field(Work, "signal", {"signals": len(table)})
    evaluate_at(signals, t, out)
    return out[:, 0].tolist()


@entry("gft")
def evaluate_at(signals, t, out):
    """Write value, rate and acceleration of every signal at the time t [s] to `out` (signals, 3). Python calls this
    entry; kernels call `evaluate`."""
    evaluate(signals, t, out)


@kernel
def evaluate(signals, t, out):
    """Write value, rate and acceleration of every signal at the time t [s] to `out` (signals, 3)."""
    for k in range(signals.table.shape[0]):
        value, rate, acceleration = plain(signals, k, t)
        if signals.table[k, INTEGRATED] != 0:
            acceleration = rate
            rate = value
            value = signals.keys[signals.table[k, FIRST], 0] + integral(signals, k, t) - integral(signals, k, 0.0)
        out[k, 0] = value
        out[k, 1] = rate
        out[k, 2] = acceleration


@inline
def plain(signals, k, t):
    """Return value, rate and acceleration of signal k at the time t [s], before any integration."""
    kind = signals.table[k, KIND]
    first = signals.table[k, FIRST] + 1
    p = signals.keys
    if kind == CONSTANT:
        return p[first, 0], 0.0, 0.0
    if kind == RAMP:
        return p[first, 0] + p[first, 1] * t, p[first, 1], 0.0
    if kind == SINUSOID:
        w = p[first, 2]
        s, c = sine_and_cosine(w * t + p[first, 3])
        s *= p[first, 1]
        return p[first, 0] + s, w * p[first, 1] * c, -w * w * s
    last = first + signals.table[k, COUNT] - 1
    t, _ = folded(p, first, last, signals.table[k, REPEAT], t)
    if t < p[first, TIME]:
        return p[first, VALUE], 0.0, 0.0
    if t >= p[last, TIME]:
        return p[last, VALUE], 0.0, 0.0
    return between(kind, p, interval(p, first, last, t), t)


@inline
def folded(p, first, last, repeat, t):
    """Return a time at which the keys `first` to `last` of p have the value of time t, and the number of periods
    between the two. If the keys repeat, this time lies in the first period; otherwise it is t, and the number is 0."""
    if repeat == 0:
        return t, 0.0
    length = p[last, TIME] - p[first, TIME]
    turns = math.floor((t - p[first, TIME]) / length)
    return t - turns * length, turns


@inline
def interval(p, first, last, t):
    """Return the number of the key at which the interval that contains t begins. It is at least `first` and at most
    `last` - 1."""
    low = first
    high = last
    while high - low > 1:
        middle = (low + high) // 2
        if p[middle, TIME] <= t:
            low = middle
        else:
            high = middle
    return low


@inline
def segment(p, k, t):
    """Return four numbers: the time d between key k and the next key, the share of d that has passed at t, the value at
    key k, and the rise of the value to the next key."""
    d = p[k + 1, TIME] - p[k, TIME]
    y = p[k, VALUE]
    return d, (t - p[k, TIME]) / d, y, p[k + 1, VALUE] - y


@inline
def between(kind, p, k, t):
    """Return value, rate and acceleration at the time t of a keyed signal of this kind. t lies between key k of p and
    the next key."""
    d, s, y, rise = segment(p, k, t)
    if kind == LINEAR:
        return y + s * rise, rise / d, 0.0
    if kind == SMOOTH:
        r = s * (1.0 - s)
        value = y + rise * s * s * s * (10.0 - s * (15.0 - 6.0 * s))
        return value, rise * 30.0 * r * r / d, rise * 60.0 * r * (1.0 - 2.0 * s) / (d * d)
    if kind == SPLINE:
        m0 = p[k, CURVATURE]
        m1 = p[k + 1, CURVATURE]
        a = 1.0 - s
        value = y + s * rise + d * d / 6.0 * ((a * a * a - a) * m0 + (s * s * s - s) * m1)
        rate = rise / d + d / 6.0 * ((1.0 - 3.0 * a * a) * m0 + (3.0 * s * s - 1.0) * m1)
        return value, rate, a * m0 + s * m1
    return y, 0.0, 0.0


@inline
def integral(signals, k, t):
    """Return the integral of signal k up to the time t. It begins at a time that depends on the kind of signal; only
    the difference of two such integrals has a meaning."""
    kind = signals.table[k, KIND]
    first = signals.table[k, FIRST] + 1
    p = signals.keys
    if kind == CONSTANT:
        return p[first, 0] * t
    if kind == RAMP:
        return (p[first, 0] + 0.5 * p[first, 1] * t) * t
    if kind == SINUSOID:
        w = p[first, 2]
        if w == 0.0:
            return (p[first, 0] + p[first, 1] * sine(p[first, 3])) * t
        return p[first, 0] * t - p[first, 1] / w * cosine(w * t + p[first, 3])
    last = first + signals.table[k, COUNT] - 1
    t, turns = folded(p, first, last, signals.table[k, REPEAT], t)
    before = turns * p[last, INTEGRAL]
    if t < p[first, TIME]:
        return p[first, VALUE] * (t - p[first, TIME])
    if t >= p[last, TIME]:
        return before + p[last, INTEGRAL] + p[last, VALUE] * (t - p[last, TIME])
    i = interval(p, first, last, t)
    return before + p[i, INTEGRAL] + area(kind, p, i, t)


@inline
def area(kind, p, k, t):
    """Return the integral of a keyed signal of this kind from key k of p to t."""
    d, s, y, rise = segment(p, k, t)
    if kind == LINEAR:
        return d * s * (y + 0.5 * s * rise)
    if kind == SMOOTH:
        return d * (s * y + rise * s * s * s * s * (2.5 - s * (3.0 - s)))
    if kind == SPLINE:
        a = 1.0 - s
        m0 = 0.25 * (1.0 - a * a * a * a) - s + 0.5 * s * s
        m1 = 0.25 * s * s * s * s - 0.5 * s * s
        return d * (s * y + 0.5 * s * s * rise + d * d / 6.0 * (m0 * p[k, CURVATURE] + m1 * p[k + 1, CURVATURE]))
    return d * s * y


# ---------------------------------------------------------------- moving bodies
@entry("gftt")
def frames_at(signals, t, values, frame):
    """Write all signals at the time t [s] to `values`, and the poses and motions of all moving bodies to `frame`."""
    evaluate(signals, t, values)
    fill_frames(signals, values, frame)


@kernel
def fill_frames(signals, values, frame):
    """Write pose, velocity and acceleration of every moving body to `frame`, from the values of the signals."""
    for k in range(signals.motion.shape[0]):
        at = signals.motion[k, FIRST_SIGNAL]
        store3(frame, k, Frames.POSITION, three(values, at, 0))
        store3(frame, k, Frames.VELOCITY, three(values, at, 1))
        store3(frame, k, Frames.ACCELERATION, three(values, at, 2))
        if signals.motion[k, GIVEN] == QUATERNION:
            q, w, a = by_quaternion(four(values, at + 3, 0), four(values, at + 3, 1), four(values, at + 3, 2))
        else:
            turn, w, a = by_vector(three(values, at + 3, 0), three(values, at + 3, 1), three(values, at + 3, 2))
            q = quat.normalized(quat.multiply(turn, load4(signals.base, k, 0)))
        store4(frame, k, Frames.QUATERNION, q)
        store9(frame, k, Frames.ROTATION, quat.matrix(q))
        store3(frame, k, Frames.VELOCITY + 3, w)
        store3(frame, k, Frames.ACCELERATION + 3, a)


@inline
def three(values, at, c):
    """Return three successive numbers of column c of `values`, from row `at` on."""
    return values[at, c], values[at + 1, c], values[at + 2, c]


@inline
def four(values, at, c):
    """Return four successive numbers of column c of `values`, from row `at` on."""
    return values[at, c], values[at + 1, c], values[at + 2, c], values[at + 3, c]


@inline
def by_vector(phi, d, dd):
    """Return the quaternion of the rotation exp(phi), its angular velocity w, and w', from phi, its rate d and its
    second derivative dd."""
    x2 = dot(phi, phi)
    if x2 < 1e-4:
        a = 0.5 - x2 * (1.0 / 24.0 - x2 / 720.0)
        b = 1.0 / 6.0 - x2 * (1.0 / 120.0 - x2 / 5040.0)
        da = -1.0 / 12.0 + x2 * (1.0 / 180.0 - x2 / 6720.0)
        db = -1.0 / 60.0 + x2 * (1.0 / 1260.0 - x2 / 60480.0)
        half = 0.5 - x2 * (1.0 / 48.0 - x2 / 3840.0)
        c = 1.0 - x2 * (1.0 / 8.0 - x2 / 384.0)
    else:
        x = math.sqrt(x2)
        s, c = sine_and_cosine(x)
        a = (1.0 - c) / x2
        b = (x - s) / (x2 * x)
        da = (s / x - 2.0 * a) / x2  # (da/dx)/x
        db = (a - 3.0 * b) / x2
        s, c = sine_and_cosine(0.5 * x)
        half = s / x
    turn = (c, half * phi[0], half * phi[1], half * phi[2])
    p = cross(phi, d)
    pp = cross(phi, p)
    w = add_scaled(add_scaled(d, a, p), b, pp)
    k = dot(phi, d)
    q = cross(phi, dd)
    acceleration = add_scaled(add_scaled(dd, a, q), k * da, p)
    acceleration = add_scaled(acceleration, k * db, pp)
    return turn, w, add_scaled(acceleration, b, add(cross(d, p), cross(phi, q)))


@inline
def by_quaternion(q, d, dd):
    """Return the unit quaternion of the rotation that Q = `q` describes, its angular velocity w, and w', from Q, its
    rate d and its second derivative dd."""
    s = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    back = quat.conjugate(q)
    _, x, y, z = quat.multiply(d, back)
    w = scale(2.0 * s, (x, y, z))
    k = 2.0 * (q[0] * d[0] + q[1] * d[1] + q[2] * d[2] + q[3] * d[3])
    _, x, y, z = quat.multiply(dd, back)
    return quat.normalized(q), w, scale(s, add_scaled(scale(2.0, (x, y, z)), -k, w))
