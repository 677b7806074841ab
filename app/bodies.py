"""The bodies of a scene that have a place, in the scene's order, which is that of `World.poses()`."""

import math

import numpy as np

from app.rotations import NO_TURN, product, upright_to
from physics.definitions import Body, Fixed, Massless, Particle, PlanarBody, Scene

Placed = Body | Particle | PlanarBody | Fixed


def placed_bodies(scene: Scene) -> list[Placed]:
    """Massless bodies are folded into joints, and have none."""
    return [b for b in scene.bodies if not isinstance(b, Massless)]


def start_turn(body: Placed | None) -> np.ndarray:
    """The orientation of a body as drawn, w first; none stands for the world."""
    if isinstance(body, PlanarBody):
        half = 0.5 * body.angle
        about = np.array([math.cos(half), *(math.sin(half) * np.array(body.normal))])
        return product(about, np.array(upright_to(np.array(body.normal))))
    return np.array(NO_TURN if body is None or isinstance(body, Particle) else body.orientation)
