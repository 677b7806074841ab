"""Springs between any two bodies, linear and torsional, with a damper and a rest length."""

from dataclasses import dataclass
from typing import ClassVar

from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Joint, SpringJoint
from physics.maths import strict

__all__ = ["Spring", "TorsionSpring"]


@dataclass(frozen=True, kw_only=True)
class Spring(SpringJoint):
    """A spring and damper between two points. `rest` is its relaxed length [m] (by default the distance at the drawn
    pose). With `tension_only` it is a rubber band, which is slack when it is shorter.

    >>> from physics import Spring
    >>> Spring(name="rubber", a="world", b="bob", at=[(0, 0, 1), (0, 0, 0)], stiffness=20.0).kind
    'spring'
    """

    rest: float | None = None  # type: ignore[assignment]
    tension_only: bool = False

    kind: ClassVar[str] = "spring"
    neighbours: ClassVar[bool] = False
    axes: ClassVar[int] = 1
    on_particles: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        Joint.__post_init__(self)
        object.__setattr__(self, "auxiliary", True)
        if self.soft_limits is not None:
            raise DefinitionError(f"soft_limits of {self.label}", self.soft_limits, "nothing: a spring has none")
        refuse_limits(self)
        drawn = strict.distance(*self.points)
        if self.rest is not None and not (isinstance(self.rest, int | float) and self.rest >= 0.0):
            raise DefinitionError(f"rest of {self.label}", self.rest, "a length >= 0 m, or None: as drawn")
        object.__setattr__(self, "rest", drawn if self.rest is None else float(self.rest))
        super().__post_init__()
        refuse_rotor(self)
        object.__setattr__(self, "rest", self.rest[0])  # type: ignore[index]


@dataclass(frozen=True, kw_only=True)
class TorsionSpring(Ball):
    """A spring and damper for the rotation of b relative to a. It is relaxed when this rotation from the drawn pose has
    the rotation vector `rest` [rad].

    >>> from physics import TorsionSpring
    >>> TorsionSpring(name="j", a="arm", b="hand", stiffness=2.0).kind
    'torsion spring'
    """

    kind: ClassVar[str] = "torsion spring"
    neighbours: ClassVar[bool] = False
    on_particles: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        refuse_rotor(self)
        refuse_limits(self)
        object.__setattr__(self, "auxiliary", True)


def refuse_rotor(spring: SpringJoint) -> None:
    """Refuse a spring with an armature."""
    if any(spring.armature):  # type: ignore[arg-type]
        raise DefinitionError(f"armature of {spring.label}", spring.armature, "0: a spring has no rotor")


def refuse_limits(spring: SpringJoint) -> None:
    """Refuse a spring with hard limits."""
    if spring.limits is not None:
        raise DefinitionError(f"limits of {spring.label}", spring.limits, "nothing: a spring has no hard limits")
