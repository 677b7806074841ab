"""The bodies of a scene that have a place: those that move, in the scene's order, then those that nothing pushes."""

import numpy as np

from physics.definitions import Body, Fixed, Particle, PlanarBody, Scene
from physics.motions import Moving
from scenes.bodies import planar_turn, pose_at_start

Placed = Body | Particle | PlanarBody | Fixed


def placed_bodies(scene: Scene) -> list[Placed]:
    """Massless bodies are folded into joints, and have none."""
    moving: list[Placed] = [b for b in scene.bodies if isinstance(b, Body | Particle | PlanarBody)]
    return moving + [b for b in scene.bodies if isinstance(b, Fixed)]


def drawn_pose(body: Placed) -> tuple[np.ndarray, np.ndarray]:
    """Place and quaternion (w first) of a body as it is drawn."""
    if isinstance(body, Moving):
        place, turn = pose_at_start(body)
        return np.array(place), np.array(turn)
    if isinstance(body, PlanarBody):
        return np.array(body.position), np.array(planar_turn(body.normal, body.angle))
    return np.array(body.position), np.array(getattr(body, "orientation", (1.0, 0.0, 0.0, 0.0)))


def count_moving(scene: Scene) -> int:
    return sum(isinstance(b, Body | Particle | PlanarBody) for b in scene.bodies)
