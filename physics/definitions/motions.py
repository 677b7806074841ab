"""Bodies and joints with prescribed motions: `Moving`, `HingeMotor`, `SliderMotor`. `prescribed.py` computes the poses
of moving bodies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from physics.data.work_tables import Frames
from physics.data.arrays import make, make_field
from physics.data.model import Signals, Work
from physics.definitions.bodies import Fixed
from physics.definitions.checks import LONGEST, DefinitionError, unit_direction
from physics.definitions.joints import Joint, axis_frame
from physics.definitions.signal import Signal
from physics.definitions.signals import Clip, Tables, signal
from physics.maths.strict import norms, product

__all__ = ["HingeMotor", "Moving", "SliderMotor"]

# columns of Signals.motion
FIRST_SIGNAL, GIVEN = range(2)
# how a rotation is given
VECTOR, QUATERNION = range(2)


# ---------------------------------------------------------------- definitions
@dataclass(frozen=True, kw_only=True)
class Moving(Fixed):
    """A body with a prescribed motion, which no force changes. `position` is three numbers or signals [m]. `rotation`
    is also three numbers or signals: a rotation vector in world axes [rad], by which the body is rotated from its
    `orientation`. Instead of these three, `motion` may be given: a clip of seven channels, the position and a
    quaternion (w first).

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
        """Return the signals of position and quaternion of the clip `motion`, or refuse the clip."""
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
        from physics.definitions.prescribed import frames_at  # here, as it imports numba

        tables = Tables()
        motion = np.array([add_moving(tables, self)], np.int64)
        table, keys = tables.make()
        base = np.array([self.orientation], float)
        signals = make(Signals, {}, table=table, keys=keys, motion=motion, base=base)
        sizes = {"signals": len(table), "frames": 1}
        values, frame = make_field(Work, "signal", sizes), make_field(Work, "frame", sizes)
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
    """Base class of joints with one coordinate, which is prescribed. Either `position` or `velocity` is given, as a
    number or a signal. A prescribed velocity is integrated over time, and the motor holds the resulting position, so
    that errors do not add up."""

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

    def joint_frame(self, flip: bool) -> np.ndarray:
        """Return a frame whose z axis is `axis`, reversed with `flip`."""
        return axis_frame(self.axis, flip)


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
    """Add the signals of a moving body to `tables`. Return its row of Signals.motion: the number of its first signal,
    and whether its rotation is given as a vector or as a quaternion."""
    first = min(tables.add(value) for value in body.signals)
    return first, QUATERNION if len(body.signals) == 7 else VECTOR
