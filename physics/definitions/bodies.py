"""Bodies: rigid, planar and scaled bodies, point masses, massless bodies between joints, static and moving bodies."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from physics.definitions.checks import (
    LARGEST, DefinitionError, Vector, unit_direction, checked_name, finite_numbers, place_in_reach, unit_quaternion,
    number, per_axis,
)  # fmt: skip
from physics.definitions.shapes.shape import Shape, checked_shapes
from physics.definitions.spellings import Spelled
from physics.maths.strict import dot, norm, principal_axes

__all__ = ["Body", "Fixed", "Massless", "Particle", "PlanarBody", "ScaledBody", "Static"]


@dataclass(frozen=True, kw_only=True)
class Body(metaclass=Spelled):
    """A rigid body. `position` is its centre of mass [m]. `inertia` is about the centre of mass [kg m^2]: three
    principal moments along the body's axes, or six numbers xx, yy, zz, xy, xz, yz.

    >>> from physics import Body
    >>> Body(name="rod", mass=2.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, 1)).position
    (0.0, 0.0, 1.0)
    """

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    mass: float  # kg
    inertia: Vector  # kg m^2
    position: Vector = (0.0, 0.0, 0.0)  # m
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)  # quaternion, w first, body to world
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s
    angular_velocity: Vector = (0.0, 0.0, 0.0)  # rad/s, world axes
    shapes: Sequence[Shape] = ()  # what it touches others with

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        check_body(self)
        where = f"inertia of body {self.name!r}"
        i = finite_numbers(where, self.inertia, (3, 6))
        object.__setattr__(self, "inertia", i)
        moments = sorted(principal_axes(inertia_matrix(i))[0].tolist())
        if moments[0] < 1.0 / LARGEST or moments[2] > (moments[0] + moments[1]) * (1.0 + 1e-9):
            raise DefinitionError(
                where, i, "positive principal moments, none larger than the sum of the two others (triangle inequality)"
            )
        object.__setattr__(self, "orientation", unit_quaternion(f"orientation of body {self.name!r}", self.orientation))
        w = finite_numbers(f"angular_velocity of body {self.name!r}", self.angular_velocity, 3)
        object.__setattr__(self, "angular_velocity", w)


@dataclass(frozen=True, kw_only=True)
class Particle(metaclass=Spelled):
    """A point mass without orientation.

    >>> from physics import Particle
    >>> Particle(name="bob", mass=0.5, position=(0, 0, 1)).mass
    0.5
    """

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    mass: float  # kg
    position: Vector = (0.0, 0.0, 0.0)  # m
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s
    shapes: Sequence[Shape] = ()  # what it touches others with; they do not turn

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        check_body(self)


@dataclass(frozen=True, kw_only=True)
class Massless:
    """A body without mass between two joints. Robot files have such bodies where several joints are at one place.
    Building removes the body (physics/definitions/folding.py): its joints become parts of one compound joint, and keep
    their names.

    >>> from physics import Massless
    >>> Massless(name="cross").name
    'cross'
    """

    name: str

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        checked_name("name of a body", self.name)


@dataclass(frozen=True, kw_only=True)
class Fixed(metaclass=Spelled):
    """Base class of bodies that no force moves. Joints and springs can connect to such a body, just as to the world.

    >>> from physics import Fixed, Static
    >>> issubclass(Static, Fixed)
    True
    """

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    position: Any = (0.0, 0.0, 0.0)  # m
    orientation: Vector = (1.0, 0.0, 0.0, 0.0)  # quaternion, w first, body to world
    shapes: Sequence[Shape] = ()  # what others touch it with

    endless_shapes: ClassVar[bool] = False  # whether it may have planes

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        checked_name("name of a body", self.name)
        object.__setattr__(self, "position", place_in_reach(f"position of body {self.name!r}", self.position))
        object.__setattr__(self, "orientation", unit_quaternion(f"orientation of body {self.name!r}", self.orientation))
        shapes = checked_shapes(f"shapes of body {self.name!r}", self.shapes, self.endless_shapes)
        object.__setattr__(self, "shapes", shapes)

    def at_start(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the position and the rotation matrix at time 0 of the frame in which kernels give the joints of this
        body. For a static body it is the frame of the world."""
        return np.zeros(3), np.eye(3)


@dataclass(frozen=True, kw_only=True)
class Static(Fixed):
    """A body that does not move.

    >>> from physics import Box, Static
    >>> Static(name="table", shapes=[Box(size=(1, 1, 0.1))]).name
    'table'
    """

    endless_shapes: ClassVar[bool] = True


@dataclass(frozen=True, kw_only=True)
class PlanarBody(metaclass=Spelled):
    """A rigid body that moves in a plane: it has two translations, and a rotation about the plane's `normal`. At angle
    0 its z axis is the normal. Its x and y axes are then those of the world, rotated by the shortest rotation from z to
    the normal. Two planar bodies with the same normal may be connected by hinges about the normal, sliders in the
    plane, welds, rods and all constraints. These exert no force out of the plane.

    >>> from physics import PlanarBody
    >>> PlanarBody(name="card", mass=0.1, inertia=1e-4, normal=(0, 1, 0)).normal
    (0.0, 1.0, 0.0)
    """

    other_words: ClassVar[Mapping[str, str]] = {"at": "position"}

    name: str
    mass: float  # kg
    inertia: float  # kg m^2, about the normal through the centre of mass
    normal: Vector = (0.0, 0.0, 1.0)
    position: Vector = (0.0, 0.0, 0.0)  # m; the plane goes through it
    angle: float = 0.0  # rad, about the normal
    velocity: Vector = (0.0, 0.0, 0.0)  # m/s, in the plane
    angular_velocity: float = 0.0  # rad/s, about the normal
    shapes: Sequence[Shape] = ()  # what it touches others with

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        check_body(self)
        what = f"of planar body {self.name!r}"
        object.__setattr__(self, "inertia", number(f"inertia {what}", self.inertia, 0.0, strict=True))
        object.__setattr__(self, "normal", unit_direction(f"normal {what}", self.normal))
        for key in ("angle", "angular_velocity"):
            object.__setattr__(self, key, number(f"{key} {what}", getattr(self, key), -math.inf))
        across = dot(self.velocity, self.normal)
        if abs(across) > 1e-9 * max(1.0, norm(self.velocity)):
            raise DefinitionError(f"velocity {what}", self.velocity, f"a vector across its normal {self.normal}")


@dataclass(frozen=True, kw_only=True)
class ScaledBody(Body):
    """A rigid body that also stretches: by the same factor in all directions (`stretch` "uniform"), or by one factor
    along each of its three principal axes ("axes"). A spring pulls each of these scales to 1. `inertia` is the inertia
    at scale 1. Joints are attached to material points, which move when the body stretches.

    >>> from physics import ScaledBody
    >>> ScaledBody(name="jelly", mass=1.0, inertia=(1, 1, 1), scale_stiffness=50.0, scale_damping=1.0).stretch
    'uniform'
    """

    stretch: str = "uniform"
    scale_stiffness: float | Vector  # J: the energy is k (scale - 1)^2 / 2; with "axes" one for each, or one for all
    scale_damping: float | Vector = 0.0  # J s
    scale: float | Vector = 1.0
    scale_velocity: float | Vector = 0.0  # 1/s

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        super().__post_init__()
        what = f"of body {self.name!r}"
        if self.shapes:
            raise DefinitionError(f"shapes {what}", self.shapes, "none: a scaled body has no contacts")
        if self.stretch not in ("uniform", "axes"):
            raise DefinitionError(f"stretch {what}", self.stretch, "'uniform' or 'axes'")
        count = 1 if self.stretch == "uniform" else 3
        least = {"scale_stiffness": 0.0, "scale_damping": 0.0, "scale": 0.05, "scale_velocity": -math.inf}
        for key, low in least.items():
            value = per_axis(f"{key} {what}", getattr(self, key), count, low)
            object.__setattr__(self, key, value)
        moments = sorted(principal_axes(inertia_matrix(self.inertia))[0].tolist())
        if count == 3 and moments[2] > (moments[0] + moments[1]) * (1.0 - 1e-6):
            raise DefinitionError(
                f"inertia {what}", self.inertia, "principal moments each smaller than the sum of the two others: a "
                "flat body cannot stretch along the axis in which it has no extent"
            )  # fmt: skip


def check_body(body: Any) -> None:
    """Check name, mass, position, velocity and shapes of a body, and store them in their normal form."""
    checked_name("name of a body", body.name)
    object.__setattr__(body, "mass", number(f"mass of body {body.name!r}", body.mass, 0.0, strict=True))
    object.__setattr__(body, "position", place_in_reach(f"position of body {body.name!r}", body.position))
    object.__setattr__(body, "velocity", finite_numbers(f"velocity of body {body.name!r}", body.velocity, 3))
    object.__setattr__(body, "shapes", checked_shapes(f"shapes of body {body.name!r}", body.shapes, False))


def inertia_matrix(inertia: Sequence[float]) -> np.ndarray:
    """Return the inertia matrix (3, 3) of three principal moments, or of the six numbers xx, yy, zz, xy, xz, yz."""
    if len(inertia) == 3:
        return np.diag(inertia)
    xx, yy, zz, xy, xz, yz = inertia
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
