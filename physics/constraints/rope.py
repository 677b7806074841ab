"""Rope: the anchors of two bodies are no farther apart than `longest` and no nearer than `shortest`.

    d = (x_c + r_c) - (x_p + r_p),  shortest <= |d| <= longest

A rod of one side: an edge without a constraint row, whose length has hard limits (auxiliary/limits.py).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

from physics import strict
from physics.constraints import distance
from physics.definitions import DefinitionError, Joint, _extent
from physics.kernels.jit import inline
from physics.kernels.vec import norm, store3
from physics.layout import AXIS, RC, RP

ROWS = 0


@dataclass(frozen=True, kw_only=True)
class Rope(Joint):
    """A rope: it pulls where the two points are `longest` apart (as drawn, unless given), and is slack otherwise. With
    `shortest` it is a strut too, which pushes where they are so near."""

    longest: float | None = None  # m; infinity: a strut alone
    shortest: float = 0.0  # m

    kind: ClassVar[str] = "rope"
    on_particles: ClassVar[bool] = True
    once: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "auxiliary", True)
        drawn = strict.distance(*self.points)
        longest = drawn if self.longest is None else self.longest
        if longest != math.inf:
            longest = _extent(f"longest of {self.label}", longest)
        object.__setattr__(self, "longest", longest)
        object.__setattr__(self, "shortest", _extent(f"shortest of {self.label}", self.shortest, strict=False))
        if self.shortest >= longest:
            allowed = f"a length below the longest, {longest:g} m"
            raise DefinitionError(f"shortest of {self.label}", self.shortest, allowed)


# ---------------------------------------------------------------- kernels
@inline
def frame(joint, i, xc, rot_c, xp, rot_p, edge):
    """Levers, and as of a rod u and |d|; there is no error"""
    rc, rp, d = distance.separation(joint, i, xc, rot_c, xp, rot_p)
    store3(edge, i, RC, rc)
    store3(edge, i, RP, rp)
    store3(edge, i, AXIS, distance.direction(d))
    edge[i, AXIS + 3] = norm(d)
    return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)


@inline
def length(joint, i, xc, rot_c, xp, rot_p):
    _, _, d = distance.separation(joint, i, xc, rot_c, xp, rot_p)
    return norm(d)
