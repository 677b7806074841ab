"""The base class of capsules and cylinders, which have a radius and a length along the z axis."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import DefinitionError, Vector, place_in_reach
from physics.maths.rotations import turn_from_z
from physics.definitions.shapes.drag import ACROSS
from physics.definitions.shapes.shape import Solid
from physics.definitions.spellings import Scaled
from physics.maths.strict import distance


@dataclass(frozen=True, kw_only=True)
class LongSolid(Solid):
    """Base class of capsules and cylinders. These are round shapes about a middle line, which lies on the z axis and
    has its middle at the origin."""

    old_words: ClassVar[Mapping[str, Scaled]] = {"half_length": Scaled("length", 2.0)}

    radius: float  # m
    length: float  # m, of its middle line: the half balls at the ends of a capsule come to it

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        self._check_length("radius", "length")

    @classmethod
    def between(cls, start: Vector, end: Vector, radius: float, **more: Any) -> Self:
        """Return the shape whose middle line runs from `start` to `end`."""
        a = np.array(place_in_reach(f"start of a {cls.label}", start))
        b = np.array(place_in_reach(f"end of a {cls.label}", end))
        length = distance(a, b)
        if length == 0.0:
            raise DefinitionError(f"end of a {cls.label}", end, "a point other than its start")
        middle = tuple((0.5 * (a + b)).tolist())
        return cls(radius=radius, length=length, position=middle, orientation=turn_from_z(b - a), **more)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Radius [m], half length [m], and 0."""
        return (self.radius, self.half_line, 0.0)

    @property
    def half_line(self) -> float:
        """Half the length of the middle line [m]."""
        return 0.5 * self.length

    def drag_moments(self) -> Floats:
        """Return the drag moments about each axis (3,) [m^5]."""
        a, b, _ = self.measures
        across = ACROSS * a * b * b * b * b
        return np.array([across, across, 0.0])

    def mirrored(self) -> "LongSolid":
        """Return the image of the shape under p -> -p in its own frame."""
        return self
