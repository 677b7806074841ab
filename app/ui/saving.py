"""Values that were set in the window are written to the scene's file by their paths. Comments, order and units do not
change.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scenes.loading.library import LIBRARY
from scenes.loading.loader import read_scene
from scenes.loading.scene import LoadedScene
from scenes.text.errors import SceneError
from scenes.text.values import Refused
from scenes.writing.outputs import write_text, written
from scenes.writing.writeback import save_value, text_of

# settings that a file can hold; the switches of all springs and of all limits belong to the window only
SETTINGS = (
    "solver", "integrator", "timestep", "order", "gravity", "stiffness_scale", "contact_method", "drives_on", "guard",
)  # fmt: skip
JOINT_VALUES = ("stiffness", "damping")


@dataclass
class Saved:
    """The result of saving: the scene as it then is, and what could not be written."""

    scene: LoadedScene
    paths: list[str] = field(default_factory=list)  # the paths that were written
    refused: list[str] = field(default_factory=list)  # what could not be written, as sentences


def has_a_place(path: str) -> bool:
    """Return whether a path has a place in a scene file."""
    head, _, rest = path.partition(".")
    return rest in SETTINGS if head == "settings" else head == "joints" and rest.rpartition(".")[2] in JOINT_VALUES


def save_values(scene: LoadedScene, values: Mapping[str, Any]) -> Saved:
    """Write the values to the scene's file one by one, so that one that cannot be written does not prevent the others.
    Return what was saved."""
    saved = Saved(scene)
    for path, value in values.items():
        if not has_a_place(path):
            continue
        try:
            saved.scene = save_value(saved.scene, path, value)
            saved.paths.append(path)
        except (Refused, SceneError) as error:
            saved.refused.append(f"{path}: {str(error).splitlines()[0]}")
    return saved


def own_copy(scene: LoadedScene, folder: Path, root: Path = LIBRARY) -> LoadedScene:
    """Return the scene itself, or for a scene in `root`, which is not the user's, a copy in `folder` with its included
    files. Raise a SceneError or OSError."""
    if scene.path is not None and not scene.path.is_relative_to(root):
        return scene
    number, path = 1, folder / f"{scene.name}.yaml"
    while path.exists():
        number += 1
        path = folder / f"{scene.name}-{number}.yaml"
    made = [path]
    try:
        write_text(path, text_of(scene))
        for part in scene.files:  # the files that it uses are copied to where the copy looks for them
            if part == scene.path or not part.is_relative_to(root):
                continue
            beside = folder / part.relative_to(root)
            if not beside.exists():
                made.append(beside)
                beside.parent.mkdir(parents=True, exist_ok=True)
                with written(beside) as file:
                    file.write(part.read_bytes())
        return read_scene(path)
    except (SceneError, OSError):
        for copy in made:
            copy.unlink(missing_ok=True)
        raise
