"""Hard limits as rows of State.limit. Each row is one coordinate of a joint, with its bounds."""

import math
from collections.abc import Sequence

import numpy as np

from physics.data.state_tables import HardLimits, LimitOf
from physics.data.model import Floats
from physics.definitions.joints import Ball, Joint, SpringJoint
from physics.definitions.limits import Limits
from physics.definitions.joints import Rope

# Largest speed at which a coordinate beyond its limit returns: a limit that is moved must not throw a bent joint.
TURNING_SPEED = 4.0  # rad/s
SLIDING_SPEED = 2.0  # m/s


def limit_rows(edge: Joint, e: int, flip: bool, columns: Sequence[int], limits: Limits | None = None) -> Floats:
    """Return the rows (count, HardLimits.WIDTH) for the hard limits of edge e. The limits are `limits`, or if these are
    not given, those of its definition. A rope has one row, for its length. `columns` has the column of each coordinate
    of the joint."""
    rows: list[Floats] = []
    if isinstance(edge, Rope):
        return np.array([_row(e, LimitOf.LENGTH, edge.shortest or -math.inf, edge.longest, 0, SLIDING_SPEED)])  # type: ignore[arg-type]
    limits = limits or (edge.limits if isinstance(edge, SpringJoint) else None)
    if limits is None:
        return np.zeros((0, HardLimits.WIDTH))
    if isinstance(edge, Ball):
        low, high = limits.twist  # type: ignore[misc]
        bounce = limits.bounce(0)
        rows.append(_swing_row(e, limits, flip, bounce))
        rows.append(_row(e, LimitOf.TWIST, *((-high, -low) if flip else (low, high)), 1, TURNING_SPEED, bounce))
    else:
        for k, column in enumerate(columns):
            axis = edge.series[k]  # type: ignore[attr-defined]
            low, high = limits.lower[k], limits.upper[k]  # type: ignore[index]
            # a screw's travel counts its turns
            wraps = axis.slide == 0.0 and high - low < 2.0 * math.pi
            speed = TURNING_SPEED if axis.turn != 0.0 else SLIDING_SPEED
            rows.append(_row(e, column, low, high, int(wraps), speed, limits.bounce(k)))
    bounded = [row for row in rows if np.isfinite(row[HardLimits.LOWER : HardLimits.UPPER + 1]).any()]
    return np.array(bounded).reshape(-1, HardLimits.WIDTH)


def _swing_row(edge: int, limits: Limits, flip: bool, bounce: float) -> Floats:
    """Return the row of a swing limit. Two different angles make the cone elliptical. The coordinate is then scaled, so
    that its bound is the smaller angle."""
    angles = limits.swing_angles()
    smaller = min(angles)
    row = _row(edge, LimitOf.SWING, -math.inf, smaller, 0, TURNING_SPEED, bounce)
    if angles[0] != angles[1]:
        row[HardLimits.ELLIPSE] = -1.0 if flip else 1.0
        row[HardLimits.RATIO : HardLimits.RATIO + 2] = smaller / angles[0], smaller / angles[1]
    return row


def _row(edge: int, what: int, low: float, high: float, wraps: int, speed: float, bounce: float = 0.0) -> Floats:
    """Return the row (HardLimits.WIDTH,) of one limited coordinate. `what` is the number of the coordinate or a
    `LimitOf` code, `low` and `high` are the bounds, and `wraps` says whether the coordinate is an angle. `speed` is the
    largest speed at which the coordinate returns when it is beyond a bound."""
    row = np.zeros(HardLimits.WIDTH)
    row[HardLimits.EDGE], row[HardLimits.WHAT], row[HardLimits.ON] = edge, what, 1.0
    row[HardLimits.LOWER], row[HardLimits.UPPER], row[HardLimits.BOUNCE] = low, high, bounce
    row[HardLimits.WRAP], row[HardLimits.SPEED] = wraps and high - low < 2.0 * math.pi, speed
    return row
