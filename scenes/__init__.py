"""The scene language: `load` makes a world of a scene of the library or of a YAML file."""

from typing import Any

from physics.world import World


def load(scene: str, **parameters: Any) -> World:
    """A world from a scene by name (`load("hand")`) or by file (`load("arm.yaml")`), in the state in which it starts.
    Parameters of the scene are given by name: `load("chain", links=100)`. Raises `scenes.errors.SceneError`."""
    from scenes.loader import read_scene

    return read_scene(scene, parameters=parameters).make_world()
