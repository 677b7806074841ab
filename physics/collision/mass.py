"""Mass, centre of mass and inertia of shapes with uniform density."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from physics.data.model import Floats
from physics.definitions.checks import DefinitionError, number
from physics.definitions.shapes.compound import flatten
from physics.definitions.shapes.shape import Shape, Solid
from physics.maths.strict import product, total

__all__ = ["MassProperties", "measure_mass", "sum_of_masses"]


class MassProperties(NamedTuple):
    """Mass [kg], centre of mass [m], and inertia about the centre of mass [kg m^2].

    >>> from physics import MassProperties, Sphere, measure_mass
    >>> isinstance(measure_mass(Sphere(radius=0.1), 1000.0), MassProperties)
    True
    """

    mass: float  # kg
    centre: Floats  # (3,) of mass, m, in the frame that the shape is given in
    inertia: Floats  # (3, 3) about the centre of mass, axes of that frame, kg m^2


def measure_mass(shape: Shape, density: float) -> MassProperties:
    """Return mass, centre of mass and inertia of a shape with this density [kg/m^3]. The parts of a compound are added
    by the parallel axis theorem:

    I = sum R_k I_k R_k^T + m_k (|c_k|^2 1 - c_k c_k^T),  c_k from the common centre to that of part k

    >>> from physics import Box, measure_mass
    >>> measure_mass(Box(size=(0.1, 0.2, 0.3)), density=1000.0).mass
    6.000000000000001
    """
    density = number("density", density, 0.0, strict=True)
    parts = []
    for part, position, turn in flatten(shape):
        if not isinstance(part, Solid):
            raise DefinitionError("shape with a mass", part.label, "a shape of finite size")
        volume, centre, inertia = part.moments()
        inertia = product(product(turn, density * inertia), turn.T)
        parts.append(MassProperties(density * volume, position + product(turn, centre), inertia))
    return sum_of_masses(parts)


def sum_of_masses(parts: Sequence[MassProperties]) -> MassProperties:
    """Return mass, centre of mass and inertia of several bodies together.

    >>> from physics import Sphere, measure_mass, sum_of_masses
    >>> ball = measure_mass(Sphere(radius=0.1), density=1000.0)
    >>> sum_of_masses([ball, ball]).mass / ball.mass
    2.0
    """
    mass = total([m for m, _, _ in parts])
    centre = np.sum([m * c for m, c, _ in parts], axis=0) / mass
    inertia = np.zeros((3, 3))
    for m, c, about in parts:
        d = c - centre
        inertia += about + m * (product(d, d) * np.eye(3) - np.outer(d, d))
    return MassProperties(mass, centre, inertia)
