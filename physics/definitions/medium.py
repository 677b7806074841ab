"""The medium that bodies move in: its definition, and the areas and moments with which it acts on each shape.

The medium exerts a force F and a torque T on each shape. All vectors are in the axes of the shape, and i is the number
of an axis. u is the velocity of the centre of the shape relative to the medium, and w the angular velocity of the
shape. rho is the density of the medium, and mu its viscosity:

    F_i = -(rho s c_i + mu S_i) u_i,   s^2 = sum c_i u_i^2,   c_i^(3/2) = C_i A_i / 2       T_i likewise from w

For a velocity along an axis, the first term is the drag -rho C A u^2 / 2, with the coefficient C of bluff bodies at
high Reynolds numbers [Hoerner65, ch. 3] and the projected area A. The second term is Stokes' law for slow motion. It is
exact for a sphere and for ellipsoids [Happel83, ch. 5]; other shapes have the S of the ellipsoid with their half sizes.
For a velocity between the axes, the factor s makes F the gradient of a concave function of u (minus a Rayleigh
dissipation function). Such a force removes energy from every motion through the medium. Its derivative is symmetric,
which the implicit step needs. Shapes do not shadow each other.

For a rotation about an axis, the first term is T = -rho C int (w s)^2 s dA / 2 over the strips of a face. Here s is the
distance of a strip from the axis, and dA its area, as for boxes in [MuJoCo12]. The second term is -8 pi mu r^3 w for a
sphere of radius r, and the corresponding one for ellipsoids."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from physics.data.model_tables import Surfaces
from physics.data.model import Floats
from physics.maths.rotations import matrix_of
from physics.definitions.bodies import Body, Particle, PlanarBody, ScaledBody
from physics.definitions.checks import DefinitionError, known_name, number
from physics.definitions.scene import Scene
from physics.definitions.signal import Signal
from physics.definitions.surrounding import Medium
from physics.definitions.shapes.compound import flatten
from physics.definitions.shapes.shape import Shape
from physics.definitions.signals import signal
from physics.maths.strict import power, product

__all__ = ["Fluid"]


@dataclass(frozen=True, kw_only=True)
class Fluid(Medium):
    """A medium such as air, water or honey. Its `density` [kg/m^3] determines the drag of fast motion, and its
    `viscosity` [Pa s] that of slow motion. (Air has 1.2 and 1.8e-5, water 1000 and 1e-3.) `wind` is the velocity of the
    medium [m/s], three numbers or signals. The medium acts on a body by the shapes that `shapes` lists under the name
    of the body. A body that is not listed there uses the shapes with which it collides.

    >>> from physics import Fluid
    >>> Fluid(density=1.2, viscosity=1.8e-5, wind=(3.0, 0.0, 0.0)).density
    1.2
    """

    density: float = 0.0
    viscosity: float = 0.0
    wind: Any = (0.0, 0.0, 0.0)
    shapes: Mapping[str, Shape | Sequence[Shape]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the fields, and store them in their normal form."""
        for key in ("density", "viscosity"):
            object.__setattr__(self, key, number(f"{key} of the medium", getattr(self, key), 0.0))
        object.__setattr__(self, "wind", wind(self.wind))
        if not isinstance(self.shapes, Mapping):
            raise DefinitionError("shapes of the medium", self.shapes, "shapes by the names of bodies")
        shapes = {k: (v,) if isinstance(v, Shape) else v for k, v in self.shapes.items()}
        for name, value in shapes.items():
            if (
                isinstance(value, str)
                or not isinstance(value, Sequence)
                or not all(isinstance(s, Shape) for s in value)
            ):
                raise DefinitionError(
                    f"shapes of {name!r} in the medium", value, "shapes such as Sphere, Box, Compound"
                )
            if any(part.endless for shape in value for part, _, _ in flatten(shape)):
                raise DefinitionError(f"shapes of {name!r} in the medium", "plane", "shapes of finite size")
        object.__setattr__(self, "shapes", {k: tuple(v) for k, v in shapes.items()})

    def check(self, bodies: Mapping[str, Any]) -> None:
        """Check that the bodies with shapes exist, and that forces can move them."""
        for name in self.shapes:
            if not isinstance(bodies.get(name), Body | Particle | PlanarBody):
                known = {k for k, body in bodies.items() if isinstance(body, Body | Particle | PlanarBody)}
                raise DefinitionError(
                    "shapes of the medium", name, known_name(name, known, "a body that forces can move")
                )
            if isinstance(bodies[name], ScaledBody):
                raise DefinitionError(
                    "shapes of the medium", name, "bodies that do not stretch, and keep the areas of their shapes"
                )


def wind(value: Any) -> tuple[float | Signal, ...]:
    """Return `value` as three numbers or signals, or refuse it."""
    if isinstance(value, str | Signal) or not hasattr(value, "__len__") or len(value) != 3:
        raise DefinitionError("wind", value, "three numbers or signals")
    return tuple(signal("wind", v) for v in value)


def make_surfaces(scene: Scene, row_of: Mapping[str, int], principal: Floats) -> Floats:
    """Return an array (shapes, Surfaces.WIDTH) with one row for each simple shape on which the medium acts."""
    fluid = scene.medium
    if not isinstance(fluid, Fluid):
        return np.zeros((0, Surfaces.WIDTH))
    rows = []
    for body in scene.bodies:
        if body.name not in row_of or isinstance(body, ScaledBody):
            continue
        for shape in _shapes_of(fluid, body):
            rows += [_surface(row_of[body.name], *part, principal) for part in flatten(shape)]
    return np.array(rows).reshape(len(rows), Surfaces.WIDTH)


def _shapes_of(fluid: Fluid, body: Any) -> Sequence[Shape]:
    """Return the shapes of a body on which the medium acts."""
    given: Any = fluid.shapes
    return given[body.name] if body.name in given else getattr(body, "shapes", ())


def _surface(i: int, shape: Any, centre: Floats, turn: Floats, principal: Floats) -> Floats:
    """Return the row (Surfaces.WIDTH,) of a simple shape of body i. For a hull, the middle of its bounding box counts
    as its centre."""
    size, middle = shape.bounding_box()
    to_body = matrix_of(principal[i]).T
    row = np.zeros(Surfaces.WIDTH)
    row[Surfaces.BODY] = i
    row[Surfaces.CENTRE : Surfaces.CENTRE + 3] = product(to_body, centre + product(turn, middle))
    row[Surfaces.TURN : Surfaces.TURN + 9] = product(to_body, turn).ravel()
    row[Surfaces.QUADRATIC : Surfaces.QUADRATIC + 3] = _two_thirds(0.5 * shape.drag_areas())
    row[Surfaces.QUADRATIC_TURN : Surfaces.QUADRATIC_TURN + 3] = _two_thirds(0.5 * shape.drag_moments())
    row[Surfaces.STOKES : Surfaces.STOKES + 3], row[Surfaces.STOKES_TURN : Surfaces.STOKES_TURN + 3] = slow_drag(size)
    return row


def _two_thirds(values: Floats) -> Floats:
    """Return each value to the power of 2/3."""
    return np.array([power(x, 2.0 / 3.0) for x in values.tolist()])


def slow_drag(size: Floats) -> tuple[Floats, Floats]:
    """Return the coefficients for the slow motion of an ellipsoid [Happel83, eq. 5-11.11, 5-11.22]: S of translation
    [m] and S^T of rotation [m^3]. The half axes r [m] are `size`. With Carlson's integrals of the squared half axes,
    chi = 2 R_F and a_i = (2/3) R_D, S_i = 16 pi / (chi + r_i^2 a_i) and S^T_i = (16 pi / 3) (r_j^2 + r_k^2) / (r_j^2
    a_j + r_k^2 a_k)."""
    x, y, z = (size * size).tolist()
    chi = 2.0 * carlson_rf(x, y, z)
    weighted = size * size * (2.0 / 3.0) * np.array([carlson_rd(y, z, x), carlson_rd(x, z, y), carlson_rd(x, y, z)])
    pairs = np.array([[1, 2], [0, 2], [0, 1]])
    turning = (size * size)[pairs].sum(axis=1) / weighted[pairs].sum(axis=1)
    return 16.0 * math.pi / (chi + weighted), 16.0 * math.pi / 3.0 * turning


def carlson_rf(x: float, y: float, z: float) -> float:
    """Return Carlson's integral of the first kind, symmetric in all three arguments [Carlson95, eq. 2.1]. The
    duplication theorem replaces the arguments until each differs from their mean by at most a thousandth of it. Then a
    series is summed; its first neglected term is below 1e-17."""
    mean = (x + y + z) / 3.0
    while max(abs(mean - x), abs(mean - y), abs(mean - z)) > 1e-3 * mean:
        a, b, c = math.sqrt(x), math.sqrt(y), math.sqrt(z)
        more = a * b + a * c + b * c
        x, y, z, mean = 0.25 * (x + more), 0.25 * (y + more), 0.25 * (z + more), 0.25 * (mean + more)
    p, q = (mean - x) / mean, (mean - y) / mean
    r = -(p + q)
    e2, e3 = p * q - r * r, p * q * r
    return (1.0 - e2 / 10.0 + e3 / 14.0 + e2 * e2 / 24.0 - 3.0 * e2 * e3 / 44.0) / math.sqrt(mean)


def carlson_rd(x: float, y: float, z: float) -> float:
    """Return Carlson's integral of the second kind, symmetric in x and y [Carlson95, eq. 2.28]."""
    added, share = 0.0, 1.0
    mean = (x + y + 3.0 * z) / 5.0
    while max(abs(mean - x), abs(mean - y), abs(mean - z)) > 1e-3 * mean:
        a, b, c = math.sqrt(x), math.sqrt(y), math.sqrt(z)
        more = a * b + a * c + b * c
        added += share / (c * (z + more))
        share *= 0.25
        x, y, z, mean = 0.25 * (x + more), 0.25 * (y + more), 0.25 * (z + more), 0.25 * (mean + more)
    p, q = (mean - x) / mean, (mean - y) / mean
    r = -(p + q) / 3.0
    e2, e3 = p * q - 6.0 * r * r, (3.0 * p * q - 8.0 * r * r) * r
    e4, e5 = 3.0 * (p * q - r * r) * r * r, p * q * r * r * r
    series = 1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 - 3.0 * e4 / 22.0
    series += 3.0 * e5 / 26.0 - 9.0 * e2 * e3 / 52.0
    return 3.0 * added + share * series / (mean * math.sqrt(mean))
