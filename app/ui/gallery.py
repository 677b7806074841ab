"""The scenes that can be opened: those of the library by name, and files; each with what is drawn of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.render.look import Look
from app.render.scenery import look_of
from scenes.loading.files import library_names
from scenes.loading.loader import read_scene
from scenes.loading.scene import LoadedScene
from scenes.text.errors import SceneError, short

FIRST = ("hand", "robot", "plant", "chain")  # of the library, the ones to begin with


@dataclass(frozen=True)
class Opened:
    """A scene that was read: its definitions, what is drawn, from where it is seen at first."""

    source: str  # as it was asked for
    scene: LoadedScene
    look: Look

    @property
    def changed(self) -> float:
        """When the newest of its files was written."""
        return max((p.stat().st_mtime for p in self.scene.files if p.exists()), default=0.0)


def names() -> list[str]:
    found = library_names()
    return [n for n in FIRST if n in found] + [n for n in found if n not in FIRST]


def open_scene(source: str, assignments: Sequence[str] = ()) -> Opened:
    """By name or path, with values such as "links=100"; raises SceneError with every problem."""
    scene = read_scene(source, assignments)
    return Opened(source, scene, look_of(scene))


def about(source: str) -> str:
    """What a scene of the library says of itself, or why it cannot be read."""
    try:
        return read_scene(source).about
    except SceneError as error:
        return short(str(error))


def is_file(source: str) -> bool:
    return Path(source).suffix in (".yaml", ".yml")
