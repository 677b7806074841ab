"""Ranges of joint coordinates: soft limits, which are springs, and hard limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from physics.definitions.checks import DefinitionError, Vector, number, per_axis

__all__ = ["Limits", "SoftLimits"]


@dataclass(frozen=True, kw_only=True)
class SoftLimits:
    """One-sided springs, which act on a joint coordinate beyond a range. Each axis has the range from `lower` to
    `upper`. A ball joint has instead `swing`, the half angle of a cone for the twist axis, and `twist`, a range of the
    angle about that axis. Stiffness and damping are one number, or one for each axis. The three of a ball joint are
    about x, y and z of the joint frame: swing uses the first, twist the third.

    >>> from physics import SoftLimits
    >>> SoftLimits(lower=-0.5, upper=1.0, stiffness=50.0).stiffness
    50.0
    """

    stiffness: float | Vector
    damping: float | Vector = 0.0
    lower: float | Vector | None = None
    upper: float | Vector | None = None
    swing: float | None = None
    twist: Vector | None = None


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Hard limits of the joint coordinates. Each axis has the range from `lower` to `upper`. A ball joint has instead
    `swing`, the half angle of a cone for the twist axis, and `twist`, a range of the angle about that axis. Two angles
    of swing, about x and y of the joint frame, make the cone elliptical. None and infinity mean no limit. `restitution`
    is the speed of a coordinate after it rebounds from a limit, as a share of its speed before. It is one number, or
    one for each axis.

    >>> from physics import Limits
    >>> Limits(lower=-0.5, upper=1.0).upper
    1.0
    """

    lower: float | Vector | None = None
    upper: float | Vector | None = None
    swing: float | Vector | None = None
    twist: Vector | None = None
    restitution: float | Vector = 0.0

    def swing_angles(self) -> tuple[float, float]:
        """Return the largest angles of the twist axis about x and about y [rad]."""
        angles = self.swing if isinstance(self.swing, Sequence) else (self.swing, self.swing)
        return angles[0], angles[1]  # type: ignore[return-value]

    def bounce(self, k: int) -> float:
        """Return the restitution of axis k."""
        return self.restitution[k] if isinstance(self.restitution, Sequence) else self.restitution

    def checked_restitution(self, what: str, axes: int) -> float | tuple[float, ...]:
        """Return the restitution, as one number or as one for each axis. Refuse numbers that are not from 0 to 1."""
        values = per_axis(f"restitution in {what}", self.restitution, axes)
        values = tuple(number(f"restitution in {what}", v, 0.0, high=1.0) for v in values)
        return values if len(set(values)) > 1 else values[0]


def as_limits(what: str, value: Any, axes: int, alike: bool = True) -> Limits | None:
    """Return hard limits from a Limits value, from a pair (lower, upper), or from one such pair for each axis. A single
    pair is accepted for several axes only if they are `alike`: all of them rotate, or all slide. In a pair, None and
    infinity mean no limit."""
    if value is None or isinstance(value, Limits):
        return value
    one = "(lower, upper)"
    allowed = one if axes == 1 else f"{axes} ranges {one}, one for each axis"
    allowed = f"{allowed}, a Limits value, or None"
    given = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else []
    if len(given) == axes and any(isinstance(pair, Sequence | np.ndarray) for pair in given):
        pairs = [(None, None) if pair is None else pair for pair in given]
    elif len(given) == 2 and axes > 0 and (alike or axes == 1):
        pairs = [given] * axes
    else:
        raise DefinitionError(what, value, allowed)
    if any(isinstance(pair, str) or np.shape(pair) != (2,) for pair in pairs):
        raise DefinitionError(what, value, allowed)
    lower, upper = zip(*pairs, strict=True)
    return Limits(lower=lower, upper=upper) if axes > 1 else Limits(lower=lower[0], upper=upper[0])
