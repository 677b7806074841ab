"""A rope: two points whose distance is at most its length."""

import math
from dataclasses import dataclass
from typing import ClassVar

from physics.definitions.checks import DefinitionError, length_in_reach
from physics.definitions.joints import Joint
from physics.maths import strict

__all__ = ["Rope"]


@dataclass(frozen=True, kw_only=True)
class Rope(Joint):
    """A rope: it pulls where the distance of the two points is `longest` (the drawn distance, unless given), and is
    slack below. With `shortest` it is also a strut, which pushes where the distance is that small.

    >>> from physics import Rope
    >>> Rope(name="j", a="arm", b="hand", longest=1.5).longest
    1.5
    """

    longest: float | None = None  # m; infinity: a strut alone
    shortest: float = 0.0  # m

    kind: ClassVar[str] = "rope"
    on_particles: ClassVar[bool] = True
    once: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        object.__setattr__(self, "auxiliary", True)
        drawn = strict.distance(*self.points)
        longest = drawn if self.longest is None else self.longest
        if longest != math.inf:
            longest = length_in_reach(f"longest of {self.label}", longest)
        object.__setattr__(self, "longest", longest)
        object.__setattr__(self, "shortest", length_in_reach(f"shortest of {self.label}", self.shortest, strict=False))
        if self.shortest >= longest:
            allowed = f"a length below the longest, {longest:g} m"
            raise DefinitionError(f"shortest of {self.label}", self.shortest, allowed)
