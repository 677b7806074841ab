"""The unit meshes. A primitive multiplies one of them by four sizes; each also has a function that intersects it with
rays."""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from app.render.meshes import Triangles, box_mesh, cylinder_mesh, round_mesh
from app.render.rays import to_box, to_capsule, to_cylinder


class Unit(NamedTuple):
    """A unit mesh: its triangles, where rays enter it, and its reach."""

    mesh: Callable[[int], Triangles]  # its triangles, with so many segments around
    ray: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # start, direction, sizes (n, 4) -> distances (n,)
    reach: Callable[..., float]  # the four sizes -> radius of a ball about it


UNITS = {
    "sphere": Unit(round_mesh, to_capsule, lambda x, y, z, half: x),
    "capsule": Unit(round_mesh, to_capsule, lambda x, y, z, half: x + half),
    "cylinder": Unit(cylinder_mesh, to_cylinder, lambda x, y, z, half: math.hypot(x, z)),
    "box": Unit(box_mesh, to_box, lambda x, y, z, half: math.hypot(x, y, z)),
}
