"""Bodies and joints with prescribed motions: `Moving`, `HingeMotor` and `SliderMotor`, and the pose of a moving body.

Signals give the position of a moving body. Its orientation is R0, rotated by a rotation vector phi, or is a quaternion
Q that need not have unit length (a clip):

    R = exp(phi) R0,   w = phi' + a phi x phi' + b phi x (phi x phi')
    a = (1 - cos |phi|) / |phi|^2,   b = (|phi| - sin |phi|) / |phi|^3,   w' by the product rule
    q = Q / |Q|,   w = 2 vec(Q' Q*) / |Q|^2,   w' = (2 vec(Q'' Q*) - (|Q|^2)' w) / |Q|^2
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from physics.compiler.jit import entry, inline, kernel
from physics.data.work_tables import Frames
from physics.data.model import Signals
from physics.definitions.bodies import Fixed
from physics.definitions.checks import LONGEST, DefinitionError, unit_direction
from physics.definitions.joints import Joint
from physics.definitions.signal import Signal
from physics.definitions.signals import Clip, Tables, evaluate, signal
from physics.maths import quat
from physics.maths.elementary import sine_and_cosine
from physics.maths.strict import norms, product
from physics.maths.vec import add, add_scaled, cross, dot, load4, scale, store3, store4, store9

# columns of Signals.motion
FIRST, GIVEN = range(2)
# how a rotation is given
VECTOR, QUATERNION = range(2)


# ---------------------------------------------------------------- definitions
@dataclass(frozen=True, kw_only=True)
class Moving(Fixed):
    """A body with a prescribed motion, which no force changes. `position` is three numbers or signals [m]. `rotation`
    is three numbers or signals, a rotation vector in world axes [rad] that rotates `orientation`. `motion` may stand in
    the place of all three: a clip of seven channels, position and quaternion (w first).

    >>> from physics import Moving, Ramp
    >>> Moving(name="belt", position=(Ramp(rate=0.5), 0, 0)).name
    'belt'
    """

    position: Any = (0.0, 0.0, 0.0)  # m
    rotation: Any = (0.0, 0.0, 0.0)  # rad
    motion: Clip | None = None
    signals: tuple[float | Signal, ...] = ()

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        what = f"of moving body {self.name!r}"
        if self.motion is None:
            place = _three(f"position {what}", self.position)
            turn = _three(f"rotation {what}", self.rotation)
        else:
            place, turn = self._channels(f"motion {what}")
        object.__setattr__(self, "position", (0.0, 0.0, 0.0))
        super().__post_init__()
        object.__setattr__(self, "position", place)
        object.__setattr__(self, "signals", (*place, *turn))

    def _channels(self, what: str) -> tuple[tuple[Signal, ...], tuple[Signal, ...]]:
        """Return the signals of position and quaternion of a clip, or refuse the clip."""
        clip = self.motion
        if not isinstance(clip, Clip) or len(clip.channels) != 7:
            raise DefinitionError(what, clip, "a Clip of seven channels: position and quaternion")
        values = np.array(clip.values)
        size = norms(values[:, 3:])
        if np.abs(size - 1.0).max() > 1e-3:
            raise DefinitionError(what, f"quaternions of length {size.min():g} to {size.max():g}", "unit quaternions")
        # of q and -q the one that is nearer to the one before
        sides = np.cumprod(np.where((values[1:, 3:] * values[:-1, 3:]).sum(axis=1) < 0.0, -1.0, 1.0))
        values[1:, 3:] *= sides[:, None]
        times = np.array(clip.times)
        if clip.repeat and product(values[0, 3:], values[-1, 3:]) < 0.0:
            # the quaternion comes back as its opposite: the same rotation, and the same quaternion after two rounds
            times = np.concatenate([times, times[1:] + times[-1] - times[0]])
            values = np.concatenate([values, values[1:] * ([1.0] * 3 + [-1.0] * 4)])
        clip = Clip(times, values, clip.ease, clip.repeat)
        for channel in clip.channels:
            signal(what, channel, jumps=False)
        return clip.channels[:3], clip.channels[3:]

    def at_start(self) -> tuple[np.ndarray, np.ndarray]:
        """Return position and rotation matrix at time 0."""
        tables = Tables()
        motion = np.array([add_moving(tables, self)], np.int64)
        signals = Signals(*tables.make(), motion, np.array([self.orientation], float))
        values, frame = np.zeros((len(signals.table), 3)), np.zeros((1, Frames.WIDTH))
        frames_at(signals, 0.0, values, frame)
        turn = frame[0, Frames.ROTATION : Frames.ROTATION + 9].reshape(3, 3)
        return frame[0, Frames.POSITION : Frames.POSITION + 3], turn


def _three(what: str, value: Any) -> tuple[float | Signal, ...]:
    """Return `value` as three numbers or continuous signals, or refuse it."""
    if isinstance(value, str | Signal) or not hasattr(value, "__len__") or len(value) != 3:
        raise DefinitionError(what, value, "three numbers or signals")
    values = tuple(signal(what, v, jumps=False) for v in value)
    if any(isinstance(v, float) and abs(v) > LONGEST for v in values):
        raise DefinitionError(what, value, f"numbers of at most {LONGEST:g} in size, or signals")
    return values


@dataclass(frozen=True, kw_only=True)
class Motor(Joint):
    """Base class of joints with one prescribed coordinate and no other motion. Either `position` is given, as a number
    or a signal, or `velocity`. A prescribed velocity is integrated to a position, which the motor holds, so that errors
    do not add up."""

    old_words: ClassVar[Mapping[str, str]] = {"speed": "velocity"}

    axis: Any
    position: Any = None  # rad or m
    velocity: Any = None  # rad/s or m/s

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "axis", unit_direction(f"axis of {self.label}", self.axis))
        if (self.position is None) == (self.velocity is None):
            raise DefinitionError(f"motion of {self.label}", (self.position, self.velocity), "a position or a velocity")
        for key in ("position", "velocity"):
            value = getattr(self, key)
            if value is not None:
                value = signal(f"{key} of {self.label}", value, jumps=key == "velocity")
                object.__setattr__(self, key, value)


@dataclass(frozen=True, kw_only=True)
class HingeMotor(Motor):
    """A hinge whose angle is prescribed.

    >>> from physics import HingeMotor
    >>> HingeMotor(name="j", a="arm", b="hand", axis=(0, 0, 1), velocity=2.0).velocity
    2.0
    """

    kind: ClassVar[str] = "hinge motor"


@dataclass(frozen=True, kw_only=True)
class SliderMotor(Motor):
    """A slider whose travel is prescribed.

    >>> from physics import SliderMotor
    >>> SliderMotor(name="j", a="arm", b="hand", axis=(0, 0, 1), position=0.1).position
    0.1
    """

    kind: ClassVar[str] = "slider motor"


def add_moving(tables: Tables, body: Moving) -> tuple[int, int]:
    """Add the signals of a moving body. Return its row of Signals.motion: the first signal, and how its rotation is
    given."""
    first = min(tables.add(value) for value in body.signals)
    return first, QUATERNION if len(body.signals) == 7 else VECTOR


# ---------------------------------------------------------------- where they are
@entry
def frames_at(signals, t, values, frame):
    """Fill `values` and `frame` with all signals and moving bodies at the time t."""
    evaluate(signals, t, values)
    fill_frames(signals, values, frame)


@kernel
def fill_frames(signals, values, frame):
    """Fill `frame` with pose, velocity and acceleration of every moving body, from the values of the signals."""
    for k in range(signals.motion.shape[0]):
        at = signals.motion[k, FIRST]
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
    """Return three successive numbers of a column of `values`."""
    return values[at, c], values[at + 1, c], values[at + 2, c]


@inline
def four(values, at, c):
    """Return four successive numbers of a column of `values`."""
    return values[at, c], values[at + 1, c], values[at + 2, c], values[at + 3, c]


@inline
def by_vector(phi, d, dd):
    """Return (quaternion, w, w') of exp(phi) from phi, phi' and phi''."""
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
    """Return (quaternion, w, w') from Q, Q' and Q''."""
    s = 1.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    back = quat.conjugate(q)
    _, x, y, z = quat.multiply(d, back)
    w = scale(2.0 * s, (x, y, z))
    k = 2.0 * (q[0] * d[0] + q[1] * d[1] + q[2] * d[2] + q[3] * d[3])
    _, x, y, z = quat.multiply(dd, back)
    return quat.normalized(q), w, scale(s, add_scaled(scale(2.0, (x, y, z)), -k, w))
