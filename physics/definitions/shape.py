"""The base class of shapes; `physics.definitions.shapes` has the kinds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from physics.definitions.checks import DefinitionError, Vector, length_in_reach, place_in_reach, unit_quaternion, number
from physics.definitions.spellings import Spelled

# Groups are bits of a signed 64-bit number.
MOST_GROUPS = 62


@dataclass(frozen=True, kw_only=True)
class Shape(metaclass=Spelled):
    """Base class of shapes, with which bodies touch each other; `physics.definitions.shapes` has the kinds.

    >>> from physics import Shape, Sphere
    >>> isinstance(Sphere(radius=0.1, friction=0.5), Shape)
    True
    """

    other_words: ClassVar[Mapping[str, str]] = {"at": "position", "collide": "group"}

    position: Vector = (0.0, 0.0, 0.0)  # m, in the frame of its body
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)
    friction: float = 0.8
    restitution: float = 0.0
    group: str = "default"  # Scene.never keeps groups apart

    kind: ClassVar[int] = -1
    label: ClassVar[str] = "shape"
    endless: ClassVar[bool] = False  # it has no mass, and belongs to what does not move

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        object.__setattr__(self, "position", place_in_reach(f"position of a {self.label}", self.position))
        object.__setattr__(self, "orientation", unit_quaternion(f"orientation of a {self.label}", self.orientation))
        object.__setattr__(self, "friction", number(f"friction of a {self.label}", self.friction, 0.0))
        value = number(f"restitution of a {self.label}", self.restitution, 0.0, high=1.0)
        object.__setattr__(self, "restitution", value)
        if not isinstance(self.group, str) or not self.group:
            raise DefinitionError(f"group of a {self.label}", self.group, "a text that is not empty")

    def _check_length(self, *keys: str) -> None:
        """Check these fields as lengths above 0 m."""
        for key in keys:
            value = length_in_reach(f"{key} of a {self.label}", getattr(self, key))
            object.__setattr__(self, key, value)

    @property
    def measures(self) -> tuple[float, float, float]:
        """Return the three numbers that describe the shape to kernels: its radius, or half lengths [m]."""
        return (0.0, 0.0, 0.0)


def checked_shapes(where: str, value: Any, endless: bool) -> tuple[Shape, ...]:
    """Return `value` as a tuple of shapes; one shape is a tuple of one."""
    shapes = (value,) if isinstance(value, Shape) else value
    allowed = "a list of shapes such as Sphere, Box or Compound"
    if isinstance(shapes, str) or not isinstance(shapes, Sequence):
        raise DefinitionError(where, value, allowed)
    for shape in shapes:
        if not isinstance(shape, Shape):
            raise DefinitionError(where, shape, allowed)
        if shape.endless and not endless:
            raise DefinitionError(where, shape.label, "shapes with an end: a half space belongs to the world")
    return tuple(shapes)
