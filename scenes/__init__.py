"""The scene language: `load` makes a world of a scene of the library or of a YAML file, `load_text` of a text."""

import warnings
from typing import Any

from physics.world.world import World


def load(scene: str, **parameters: Any) -> World:
    """A world from a scene by name (`load("hand")`) or by file (`load("arm.yaml")`), in the state in which it starts.
    Parameters of the scene are given by name: `load("chain", links=100)`. Raises `scenes.text.errors.SceneError`; what
    may not be meant is warned of (`scenes.text.errors.SceneWarning`), with file, line and column."""
    from scenes.loading.loader import read_scene

    return _made(read_scene(scene, parameters=parameters))


def load_text(text: str, **parameters: Any) -> World:
    """The same from the text of a scene, as it would stand in a file of the present folder:
    `load_text("marionette: 1\\nbodies: ...")`."""
    from scenes.loading.loader import read_scene_text

    return _made(read_scene_text(text, parameters=parameters))


def _made(read: Any) -> World:
    from scenes.text.errors import SceneWarning

    for problem in read.problems:
        if problem.severity == "warning":
            warnings.warn(str(problem), SceneWarning, stacklevel=3)
    return read.make_world()
