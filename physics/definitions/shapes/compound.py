"""Shapes made of several shapes, and their decomposition into simple shapes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import DefinitionError
from physics.maths.rotations import matrix_of
from physics.definitions.shapes.shape import Shape
from physics.maths.strict import product


@dataclass(frozen=True, kw_only=True)
class CompoundShape(Shape):
    """A shape made of several shapes. Each part keeps its own friction, restitution and group. Where parts overlap,
    their masses add."""

    parts: Sequence[Shape]

    label: ClassVar[str] = "compound"

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        if isinstance(self.parts, str) or not isinstance(self.parts, Sequence) or not self.parts:
            raise DefinitionError("parts of a compound", self.parts, "a list of at least one shape")
        for part in self.parts:
            if not isinstance(part, Shape) or part.endless:
                raise DefinitionError("part of a compound", part, "a shape other than a plane")
        object.__setattr__(self, "parts", tuple(self.parts))


def flatten(shape: Shape) -> list[tuple[Shape, Floats, Floats]]:
    """Return the simple shapes of which a shape is made. Each has its position (3,) [m] and rotation matrix (3, 3) in
    the body's frame."""
    if not isinstance(shape, Shape):
        raise DefinitionError("shape", shape, "a shape such as Sphere, Box or Compound")
    position, turn = np.array(shape.position), matrix_of(shape.orientation)
    if not isinstance(shape, CompoundShape):
        return [(shape, position, turn)]
    return [(s, position + product(turn, p), product(turn, t)) for part in shape.parts for s, p, t in flatten(part)]
