"""Compound joints: up to three axes in series between two bodies, each with its own spring and limits."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from physics.definitions.checks import (
    LONGEST,
    DefinitionError,
    Vector,
    unit_direction,
    place_in_reach,
    number,
    per_axis,
)
from physics.definitions.joints import SpringJoint, sliding, turning
from physics.definitions.limits import Limits, SoftLimits, as_limits
from physics.definitions.series import ScrewAxis, is_independent

__all__ = ["Compound", "Slide", "Turn"]


@dataclass(frozen=True, kw_only=True)
class Part(ABC):
    """One axis of a compound joint: where it is at the drawn pose, its spring and its limits."""

    axis: Vector
    at: Vector | None = None  # a point on it; None: the joint's own
    stiffness: float = 0.0
    damping: float = 0.0
    rest: float = 0.0
    soft_limits: SoftLimits | None = None
    limits: Any = None  # hard: a Limits value, or (lower, upper)
    armature: float = 0.0

    @abstractmethod
    def screw(self, point: tuple[float, ...]) -> ScrewAxis:
        """Return the axis as a screw. `point` is a point of the axis, relative to the joint's anchor [m]."""


@dataclass(frozen=True, kw_only=True)
class Turn(Part):
    """An axis of rotation. With a `pitch` [m per turn] it is a screw axis: the bodies also slide along it.

    >>> from physics import Turn
    >>> Turn(axis=(0, 0, 1), damping=0.1).damping
    0.1
    """

    pitch: float = 0.0

    def screw(self, point: tuple[float, ...]) -> ScrewAxis:
        """Return the axis as a screw through `point`, which is relative to the joint's anchor [m]."""
        return turning(self.axis)._replace(point=point, slide=self.pitch / (2.0 * math.pi))


@dataclass(frozen=True, kw_only=True)
class Slide(Part):
    """An axis of translation.

    >>> from physics import Slide
    >>> Slide(axis=(0, 0, 1), stiffness=100.0).stiffness
    100.0
    """

    def screw(self, point: tuple[float, ...]) -> ScrewAxis:
        """Return the axis as a screw through `point`, which is relative to the joint's anchor [m]."""
        return sliding(self.axis)._replace(point=point)


@dataclass(frozen=True, kw_only=True)
class Compound(SpringJoint):
    """Up to three hinges (`Turn`) and sliders (`Slide`) in series from a to b. Each axis moves with those before it.
    Files of robots and characters often describe such a joint as several joints of one body.

    >>> from physics import Compound, Turn
    >>> shoulder = Compound(name="j", a="arm", b="hand", parts=[Turn(axis=(1, 0, 0)), Turn(axis=(0, 0, 1))])
    >>> shoulder.axes
    2
    """

    parts: Sequence[Part]
    stiffness: tuple[float, ...] = field(init=False)  # those of the parts
    damping: tuple[float, ...] = field(init=False)
    rest: tuple[float, ...] = field(init=False)
    soft_limits: SoftLimits | None = field(init=False)
    limits: Limits | None = field(init=False)
    armature: tuple[float, ...] = field(init=False)

    kind: ClassVar[str] = "compound"

    @property
    def axes(self) -> int:  # type: ignore[override]
        """Number of axes."""
        return len(self.parts)

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        parts = self.parts
        if not isinstance(parts, Sequence) or not 1 <= len(parts) <= 3 or not all(isinstance(p, Part) for p in parts):
            raise DefinitionError(f"parts of {self.label}", parts, "one to three Turn and Slide values")
        parts = [
            replace(p, limits=as_limits(f"limits of part {k + 1} of {self.label}", p.limits, 1))
            for k, p in enumerate(parts)
        ]
        object.__setattr__(self, "parts", tuple(parts))
        for key in ("stiffness", "damping", "rest", "armature"):
            object.__setattr__(self, key, tuple(getattr(p, key) for p in parts))
        object.__setattr__(self, "soft_limits", self._gathered_limits(parts))
        object.__setattr__(self, "limits", self._gathered_hard(parts))
        super().__post_init__()
        checked = [self._checked(k, p) for k, p in enumerate(parts)]
        object.__setattr__(self, "parts", tuple(checked))
        check_series(f"parts of {self.label}", self.series)

    @property
    def series(self) -> tuple[ScrewAxis, ...]:
        """The axes as screws, in the order from a to b. Their points are relative to the anchor [m]."""
        at = np.array(self.points[0])
        return tuple(p.screw(tuple((np.array(at if p.at is None else p.at) - at).tolist())) for p in self.parts)

    def _checked(self, k: int, part: Part) -> Part:
        """Return part k with its axis, point and pitch checked, or refuse it."""
        axis = unit_direction(f"axis of part {k + 1} of {self.label}", part.axis)
        at = part.at if part.at is None else place_in_reach(f"at of part {k + 1} of {self.label}", part.at)
        if isinstance(part, Turn):
            pitch = number(f"pitch of part {k + 1} of {self.label}", part.pitch, -LONGEST, high=LONGEST)
            part = replace(part, pitch=pitch)
        return replace(part, axis=axis, at=at)

    def _gathered_limits(self, parts: Sequence[Part]) -> SoftLimits | None:
        """Return the soft limits of all parts as one value, or None if no part has any."""
        if all(p.soft_limits is None for p in parts):
            return None
        one = []
        for k, part in enumerate(parts):
            what = f"soft_limits of part {k + 1} of {self.label}"
            limits = part.soft_limits or SoftLimits(stiffness=0.0)
            if not isinstance(limits, SoftLimits) or limits.swing is not None or limits.twist is not None:
                raise DefinitionError(what, limits, "a SoftLimits value with lower and upper, or None")
            one.append([
                per_axis(what, limits.stiffness, 1)[0],
                per_axis(what, limits.damping, 1)[0],
                -math.inf if limits.lower is None else per_axis(what, limits.lower, 1, -math.inf)[0],
                math.inf if limits.upper is None else per_axis(what, limits.upper, 1, -math.inf)[0],
            ])  # fmt: skip
        stiffness, damping, lower, upper = zip(*one, strict=True)
        return SoftLimits(stiffness=stiffness, damping=damping, lower=lower, upper=upper)

    def _gathered_hard(self, parts: Sequence[Part]) -> Limits | None:
        """Return the hard limits of all parts as one value, or None if no part has any."""
        for k, part in enumerate(parts):
            if part.limits is not None and (part.limits.swing is not None or part.limits.twist is not None):
                what = f"limits of part {k + 1} of {self.label}"
                raise DefinitionError(what, part.limits, "lower and upper (swing and twist belong to ball joints)")
        if all(p.limits is None for p in parts):
            return None
        own = [p.limits or Limits() for p in parts]
        return Limits(
            lower=[o.lower for o in own],  # type: ignore[arg-type]
            upper=[o.upper for o in own],  # type: ignore[arg-type]
            restitution=tuple(o.bounce(0) for o in own),
        )

    def _checked_limits(self, s: SoftLimits) -> SoftLimits:
        """Return the soft limits gathered from the parts, or refuse them. A part without a bound gets an infinite
        one."""
        what = f"soft_limits of {self.label}"
        per_axis(f"stiffness in {what}", s.stiffness, self.axes)
        per_axis(f"damping in {what}", s.damping, self.axes)
        if any(lo > up for lo, up in zip(s.lower, s.upper, strict=True)):  # type: ignore[arg-type]
            raise DefinitionError(what, (s.lower, s.upper), "lower not above upper")
        return s


def check_series(what: str, series: Sequence[ScrewAxis]) -> None:
    """Refuse axes whose motions are linearly dependent at all coordinates, such as two hinges about the same line."""
    if not is_independent(series):
        got = [(a.direction, a.point) for a in series]
        raise DefinitionError(what, got, "axes that are independent of each other")
