"""The scenes that can be opened, and how each is drawn: those of the library by name, and files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.render.look import Look
from app.render.scenery import look_of
from scenes.loading.files import library_names
from scenes.loading.loader import read_scene
from scenes.loading.scene import LoadedScene
from scenes.text.errors import SceneError, short

FIRST = ("hand", "robot", "plant", "chain")  # the scenes of the library that are listed first


@dataclass(frozen=True)
class Opened:
    """A scene that was read: its definitions, its look, and its first view."""

    source: str  # as it was asked for
    scene: LoadedScene
    look: Look

    @property
    def changed(self) -> float:
        """Time at which the newest of its files was written [s]."""
        return max((p.stat().st_mtime for p in self.scene.files if p.exists()), default=0.0)


def names() -> list[str]:
    """Return the names of the library's scenes in the order of the gallery."""
    found = library_names()
    return [n for n in FIRST if n in found] + [n for n in found if n not in FIRST]


def open_scene(source: str, assignments: Sequence[str] = ()) -> Opened:
    """Return a scene by name or path, with assignments such as "links=100". Raise a SceneError with every problem."""
    scene = read_scene(source, assignments)
    return Opened(source, scene, look_of(scene))


def about(source: str) -> str:
    """Return the description of a scene of the library, or why it cannot be read."""
    try:
        return read_scene(source).about
    except SceneError as error:
        return short(str(error))


def is_file(source: str) -> bool:
    """Return whether a source is a file, and not a name of the library."""
    return Path(source).suffix in (".yaml", ".yml")
