"""The scene language. `load` makes a world of a scene of the library or of a YAML file, `load_text` of a text."""

import warnings
from typing import Any

from physics.world.world import World


def load(scene: str, **parameters: Any) -> World:
    """Return a world made from a scene of the library (`load("hand")`) or from a file (`load("arm.yaml")`), in the
    state in which the scene starts. Parameters of the scene are keywords: `load("chain", links=100)`. A scene with
    errors raises a `scenes.text.errors.SceneError`; probable mistakes give a `scenes.text.errors.SceneWarning` with
    file, line and column."""
    from scenes.loading.loader import read_scene

    return _made(read_scene(scene, parameters=parameters))


def load_text(text: str, **parameters: Any) -> World:
    """Return a world made from the text of a scene, as if the text were a file in the current folder:
    `load_text("marionette: 1\\nbodies: ...")`."""
    from scenes.loading.loader import read_scene_text

    return _made(read_scene_text(text, parameters=parameters))


def _made(read: Any) -> World:
    """Return the world of a loaded scene, and issue the scene's warnings."""
    from scenes.text.errors import SceneWarning

    for problem in read.problems:
        if problem.severity == "warning":
            warnings.warn(str(problem), SceneWarning, stacklevel=3)
    return read.make_world()
