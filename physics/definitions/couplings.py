"""Constraints between any number of bodies or joints: their base class, and sums of joint coordinates."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from physics.definitions.checks import DefinitionError, number
from physics.definitions.joints import Ball, Joint
from physics.definitions.named import Attached

__all__ = ["Coupling"]


@dataclass(frozen=True, kw_only=True)
class Linkage(Attached):
    """Base class of constraints between any number of bodies or joints: `Coupling` and `Condition`
    (physics/definitions/functions.py)."""


@dataclass(frozen=True, kw_only=True)
class Coupling(Linkage):
    """The condition that a weighted sum of joint coordinates equals `offset`. `terms` maps each coordinate to its
    coefficient. A coordinate is given as (name of the joint, number of the coordinate), or as the name of the joint
    alone, which means its coordinate 0. The coupling q_1 + q_2 = 2 q_3 of the joints "1", "2" and "3" is {"1": 1, "2":
    1, "3": -2}.

    >>> from physics import Coupling
    >>> Coupling(name="gear", terms={("elbow", 0): 1.0, ("wrist", 0): -2.0}).offset
    0.0
    """

    terms: Mapping[Any, float]
    offset: float = 0.0

    kind: ClassVar[str] = "coupling"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "offset", number(f"offset of {self.label}", self.offset, -math.inf))
        what = f"terms of {self.label}"
        allowed = "joint names, or (name, number of the coordinate), with their coefficients, none of them 0"
        if not isinstance(self.terms, Mapping) or not self.terms:
            raise DefinitionError(what, self.terms, allowed)
        terms: dict[tuple[str, int], float] = {}
        for key, factor in self.terms.items():
            name, axis = key if isinstance(key, tuple) and len(key) == 2 else (key, 0)
            value = number(f"coefficient of {key!r} in {what}", factor, -math.inf)
            if not isinstance(name, str) or not isinstance(axis, int) or (name, axis) in terms or value == 0.0:
                raise DefinitionError(what, self.terms, allowed)
            terms[name, axis] = value
        object.__setattr__(self, "terms", terms)

    def check(self, bodies: Mapping[str, Any], joints: Mapping[str, Joint]) -> None:
        """Check that the joints exist and have these axes."""
        for name, axis in self.terms:
            what = f"terms of {self.label}"
            if name not in joints:
                raise DefinitionError(what, name, "the name of a joint")
            joint = joints[name]
            if joint.axes == 0 or isinstance(joint, Ball):
                raise DefinitionError(what, name, f"joints with single axes: {joint.label} has none")
            if not 0 <= axis < joint.axes:
                raise DefinitionError(what, (name, axis), f"a coordinate of {joint.label}, from 0 to {joint.axes - 1}")
