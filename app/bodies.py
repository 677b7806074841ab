"""The bodies of a scene that have a place: those that move, in the scene's order, then those that nothing pushes."""

from physics.definitions import Body, Fixed, Particle, Scene

Placed = Body | Particle | Fixed


def placed_bodies(scene: Scene) -> list[Placed]:
    """Massless bodies are folded into joints, and have none."""
    moving: list[Placed] = [b for b in scene.bodies if isinstance(b, Body | Particle)]
    return moving + [b for b in scene.bodies if isinstance(b, Fixed)]


def count_moving(scene: Scene) -> int:
    return sum(isinstance(b, Body | Particle) for b in scene.bodies)
