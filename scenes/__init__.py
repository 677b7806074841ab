"""The scene language: `load` makes a world of a scene of the library or of a YAML file."""

import warnings
from typing import Any

from physics.world import World


def load(scene: str, **parameters: Any) -> World:
    """A world from a scene by name (`load("hand")`) or by file (`load("arm.yaml")`), in the state in which it starts.
    Parameters of the scene are given by name: `load("chain", links=100)`. Raises `scenes.errors.SceneError`; what may
    not be meant is warned of (`scenes.errors.SceneWarning`), with file, line and column."""
    from scenes.errors import SceneWarning
    from scenes.loader import read_scene

    read = read_scene(scene, parameters=parameters)
    for problem in read.problems:
        if problem.severity == "warning":
            warnings.warn(str(problem), SceneWarning, stacklevel=2)
    return read.make_world()
