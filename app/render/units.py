"""The table of unit shapes. A primitive is a unit shape that is scaled by its four sizes."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.render.meshes import Triangles, box_mesh, cylinder_mesh, round_mesh
from app.render.rays import to_box, to_capsule, to_cylinder


class Unit(NamedTuple):
    """A unit shape: how it is meshed, met by rays and bounded."""

    mesh: Callable[[int], Triangles]  # number of segments around -> triangles
    ray: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # start, direction, sizes (n, 4) -> distances (n,)
    reach: Callable[..., float]  # the four sizes -> radius of a ball around the shape


UNITS = {
    "sphere": Unit(round_mesh, to_capsule, lambda x, y, z, half: x),
    "capsule": Unit(round_mesh, to_capsule, lambda x, y, z, half: x + half),
    "cylinder": Unit(cylinder_mesh, to_cylinder, lambda x, y, z, half: math.hypot(x, z)),
    "box": Unit(box_mesh, to_box, lambda x, y, z, half: math.hypot(x, y, z)),
}
