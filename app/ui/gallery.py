"""The scenes that can be opened, and how each is drawn: those of the library by name, and files."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from app.render.look import Look
from app.render.scenery import look_of
from app.run.recorded_scene import RecordedScene, scene_of
from app.run.recording import SUFFIX, Recording, RecordingError, read_file
from scenes.loading.library import library_names
from scenes.loading.loader import read_scene
from scenes.loading.scene import LoadedScene
from scenes.text.errors import Problem, SceneError, short

FIRST = ("hand", "robot", "plant", "chain")  # the scenes of the library that are listed first


@dataclass(frozen=True)
class Opened:
    """A scene that was read: its definitions, its look, and its first view."""

    source: str  # as it was asked for
    scene: LoadedScene
    look: Look
    recorded: RecordedScene | None = None  # where the scene comes from a recording or draft
    recording: Recording | None = None  # which is played

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


def open_recorded(source: str, recording: Recording) -> Opened:
    """Return the scene that a recording holds. Raise a SceneError if it cannot be loaded."""
    recorded = scene_of(recording.head)
    return Opened(source, recorded.scene, look_of(recorded.scene), recorded, recording)


def open_recording(source: str) -> Opened:
    """Return the scene of the recording in a file. Raise a SceneError if it cannot be read."""
    try:
        return open_recorded(source, read_file(Path(source)))
    except (RecordingError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise SceneError([Problem("error", f"{source} cannot be played: {why}")]) from None


def is_recording(source: str) -> bool:
    """Return whether a source is a recording."""
    return Path(source).suffix == SUFFIX


def about(source: str) -> str:
    """Return the description of a scene of the library, or why it cannot be read."""
    try:
        return read_scene(source).about
    except SceneError as error:
        return short(str(error))


def is_file(source: str) -> bool:
    """Return whether a source is a file, and not a name of the library."""
    return Path(source).suffix in (".yaml", ".yml", SUFFIX)
