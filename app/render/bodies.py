"""The bodies of a scene that have a place, in the scene's order, which is that of `World.poses()`."""

import numpy as np

from physics.definitions.bodies import Body, Fixed, Massless, Particle, PlanarBody
from physics.definitions.motions import Moving
from physics.definitions.scene import Scene
from scenes.kinds.bodies import planar_turn, pose_at_start

Placed = Body | Particle | PlanarBody | Fixed


def placed_bodies(scene: Scene) -> list[Placed]:
    """Return the bodies that have a place. Massless bodies have none, because they are folded into joints."""
    return [b for b in scene.bodies if not isinstance(b, Massless)]


def drawn_pose(body: Placed | None) -> tuple[np.ndarray, np.ndarray]:
    """Return position (3) and quaternion (4, w first) of a body as it is drawn. None stands for the world."""
    if body is None:
        return np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    if isinstance(body, Moving):
        place, turn = pose_at_start(body)
        return np.array(place), np.array(turn)
    if isinstance(body, PlanarBody):
        return np.array(body.position), np.array(planar_turn(body.normal, body.angle))
    return np.array(body.position), np.array(getattr(body, "orientation", (1.0, 0.0, 0.0, 0.0)))
