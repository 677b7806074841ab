"""Signals: values that are functions of time, for prescribed motions, motors and drives.

A signal is a number, a `Ramp`, a `Sinusoid`, or has values at given times (keys): `Keyed` has one channel, `Clip`
several. One kernel computes value, rate and acceleration of all signals (`prescribed.py`). An integrated signal I is
made from another signal x, which is its rate:

    I(t) = offset + integral of x from 0 to t,  I' = x,  I'' = x'

A keyed signal has the following value between two keys with the values y0 and y1. The time between the keys is d, the
share s of it has passed, and M0 and M1 are the second derivatives at the keys:

    linear   y0 + s (y1 - y0)
    smooth   y0 + (10 s^3 - 15 s^4 + 6 s^5) (y1 - y0): at rest at every key, continuous acceleration
    spline   (1-s) y0 + s y1 + d^2/6 (((1-s)^3 - (1-s)) M0 + (s^3 - s) M1): continuous acceleration
    step     y0
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.data.model import Signals
from physics.definitions.checks import DefinitionError, number
from physics.definitions.signal import Signal
from physics.maths.strict import spline

__all__ = ["Clip", "Keyed", "Ramp", "Sinusoid"]

EASES = ("linear", "smooth", "spline", "step")

# columns of Signals.table
KIND, FIRST, COUNT, REPEAT, INTEGRATED = range(5)
TABLE = 5
# kinds of signal; keyed ones in the order of EASES
CONSTANT, RAMP, SINUSOID, LINEAR, SMOOTH, SPLINE, STEP = range(7)
# columns of Signals.keys. The first row of a signal holds its offset; parameters or keys follow.
TIME, VALUE, CURVATURE, INTEGRAL = range(4)
KEY = 4


# ---------------------------------------------------------------- definitions
@dataclass(frozen=True)
class Ramp(Signal):
    """The signal start + rate t.

    >>> from physics import Ramp
    >>> Ramp(rate=0.5, start=1.0).start
    1.0
    """

    rate: float
    start: float = 0.0

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        for key in ("rate", "start"):
            object.__setattr__(self, key, number(f"{key} of a ramp", getattr(self, key), -math.inf))


@dataclass(frozen=True)
class Sinusoid(Signal):
    """The signal mean + amplitude sin(2 pi frequency t + phase).

    >>> from physics import Sinusoid
    >>> Sinusoid(amplitude=0.3, frequency=2.0).frequency
    2.0
    """

    mean: float = 0.0
    amplitude: float = 1.0
    frequency: float = 1.0  # Hz
    phase: float = 0.0  # rad

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        for key in ("mean", "amplitude", "frequency", "phase"):
            object.__setattr__(self, key, number(f"{key} of a sinusoid", getattr(self, key), -math.inf))


@dataclass(frozen=True)
class Keyed(Signal):
    """A signal with given values at given times (its keys). Before the first key and after the last one it is constant,
    unless the keys repeat (`repeat`).

    >>> from physics import Keyed
    >>> Keyed(times=[0, 1, 2], values=[0.0, 0.5, 0.0], repeat=True).values
    (0.0, 0.5, 0.0)
    """

    times: Sequence[float]  # s, rising
    values: Sequence[float]
    ease: str = "linear"  # or "smooth", "spline", "step"
    repeat: bool = False

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        times, values = _columns("a keyed signal", self.times, self.values, self.ease)
        if values.ndim != 1:
            raise DefinitionError("values of a keyed signal", values.shape, "one number for each time")
        object.__setattr__(self, "times", tuple(times.tolist()))
        object.__setattr__(self, "values", tuple(values.tolist()))
        object.__setattr__(self, "repeat", bool(self.repeat))

    @property
    def jumps(self) -> bool:
        """Whether the signal is discontinuous: either its values are steps, or it repeats and its first value differs
        from its last."""
        return self.ease == "step" or (self.repeat and abs(self.values[0] - self.values[-1]) > 1e-9)


@dataclass(frozen=True)
class Clip:
    """Several signals (channels) with values at the same times. Row k of `values` belongs to time k, and each column to
    one channel.

    >>> from physics import Clip
    >>> len(Clip(times=[0, 1, 2], values=[[0, 0], [1, 2], [0, 0]]).channels)
    2
    """

    times: Any  # s, rising
    values: Any  # (times, channels)
    ease: str = "spline"
    repeat: bool = False
    channels: tuple[Keyed, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        times, values = _columns("a clip", self.times, self.values, self.ease)
        if values.ndim != 2:
            raise DefinitionError("values of a clip", values.shape, "a row for each time, a column for each channel")
        for key, value in (("times", times), ("values", values), ("repeat", bool(self.repeat))):
            object.__setattr__(self, key, value)
        channels = (Keyed(times.tolist(), column.tolist(), self.ease, self.repeat) for column in values.T)
        object.__setattr__(self, "channels", tuple(channels))


def _columns(what: str, times: Any, values: Any, ease: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return times (n,) and values (n,) or (n, channels) as arrays, or refuse them."""
    if ease not in EASES:
        raise DefinitionError(f"ease of {what}", ease, ", ".join(EASES))
    try:
        t, v = np.array(times, float), np.array(values, float)
    except (TypeError, ValueError):
        raise DefinitionError(f"times and values of {what}", (times, values), "finite numbers") from None
    if t.ndim != 1 or len(t) < 2 or not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        raise DefinitionError(f"times of {what}", times, "two or more finite numbers, each larger than the one before")
    if v.ndim < 1 or len(v) != len(t) or not np.isfinite(v).all():
        raise DefinitionError(f"values of {what}", f"{v.shape} for {len(t)} times", "finite values, as many as times")
    return t, v


def signal(what: str, value: Any, jumps: bool = True) -> float | Signal:
    """Return `value` as a number or a signal, or refuse it. If `jumps` is False, it must be continuous."""
    if isinstance(value, Signal):
        if not jumps and value.jumps:
            allowed = "a signal that does not jump: no steps, and a repeat that ends as it began"
            raise DefinitionError(what, value, allowed)
        return value
    try:
        return number(what, value, -math.inf)
    except DefinitionError:
        raise DefinitionError(what, value, "a finite number, or a signal: Ramp, Sinusoid, Keyed") from None


# ---------------------------------------------------------------- tables


class Tables:
    """The signals of a scene, collected while it is built."""

    def __init__(self) -> None:
        """Start without signals."""
        self.rows: list[list[int]] = []
        self.keys: list[np.ndarray] = []

    def add(self, value: float | Signal, integrated: bool = False) -> int:
        """Add a signal, or its integral if `integrated`. Return its row."""
        kind, keys = stored(value)
        first = sum(len(k) for k in self.keys)
        repeat = int(isinstance(value, Keyed) and value.repeat)
        self.rows.append([kind, first, len(keys) - 1, repeat, int(integrated)])
        self.keys.append(keys)
        return len(self.rows) - 1

    def make(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the arrays of all signals, Signals.table and Signals.keys."""
        table = np.array(self.rows, np.int64).reshape(len(self.rows), TABLE)
        return table, np.concatenate([*self.keys, np.zeros((1, KEY))])


def replaced(signals: Signals, row: int, value: float | Signal, integrated: bool = False) -> Signals:
    """Return the tables with another signal in one row. If it is `integrated`, its integral has the offset 0."""
    tables = Tables()
    for k, (kind, first, count, repeat, was_integrated) in enumerate(signals.table.tolist()):
        if k == row:
            tables.add(value, integrated)
        else:
            start = sum(len(keys) for keys in tables.keys)
            tables.rows.append([kind, start, count, repeat, was_integrated])
            tables.keys.append(signals.keys[first : first + count + 1])
    table, keys = tables.make()
    return signals._replace(table=table, keys=keys)


def shown(signals: Signals, row: int) -> float | Signal:
    """Return the signal in a row, as a number or as a `Signal`."""
    kind, first, count, repeat, _ = signals.table[row].tolist()
    keys = signals.keys[first + 1 : first + count + 1]
    if kind == CONSTANT:
        return float(keys[0, 0])
    if kind == RAMP:
        return Ramp(rate=float(keys[0, 1]), start=float(keys[0, 0]))
    if kind == SINUSOID:
        mean, amplitude, turns, phase = keys[0].tolist()
        return Sinusoid(mean, amplitude, turns / (2.0 * math.pi), phase)
    return Keyed(keys[:, TIME].tolist(), keys[:, VALUE].tolist(), EASES[kind - LINEAR], bool(repeat))


def stored(value: float | Signal) -> tuple[int, np.ndarray]:
    """Return (kind, rows of Signals.keys) of a signal."""
    head = [0.0] * KEY
    if isinstance(value, Ramp):
        return RAMP, np.array([head, [value.start, value.rate, 0.0, 0.0]])
    if isinstance(value, Sinusoid):
        turns = 2.0 * math.pi * value.frequency
        return SINUSOID, np.array([head, [value.mean, value.amplitude, turns, value.phase]])
    if isinstance(value, Keyed):
        return LINEAR + EASES.index(value.ease), np.concatenate([[head], _keys(value)])
    assert not isinstance(value, Signal), value
    return CONSTANT, np.array([head, [value, 0.0, 0.0, 0.0]])


def _keys(value: Keyed) -> np.ndarray:
    """Return one row for each key: its time, its value, the second derivative of the spline at the key, and the
    integral from the first key to this one."""
    t, y = np.array(value.times), np.array(value.values)
    d = np.diff(t)
    keys = np.zeros((len(t), KEY))
    keys[:, TIME], keys[:, VALUE] = t, y
    area = d * 0.5 * (y[1:] + y[:-1])
    if value.ease == "step":
        area = d * y[:-1]
    if value.ease == "spline" and len(t) > 2:
        closed = value.repeat and not value.jumps
        if closed:
            y = np.append(y[:-1], y[0])
        keys[:, CURVATURE] = spline(t, y, closed)
        area -= d * d * d / 24.0 * (keys[1:, CURVATURE] + keys[:-1, CURVATURE])
    keys[1:, INTEGRAL] = np.cumsum(area)
    return keys
