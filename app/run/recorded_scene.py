"""The scene in a recording: its files as texts, from which it can be loaded where the files are not.

Files of the scene's own folder are kept under their names in it. Files of the library that a scene uses from elsewhere
are kept to be compared with those of the installed library, which are loaded.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scenes.loading.files import LIBRARY, SUFFIXES
from scenes.loading.loader import read_scene
from scenes.loading.scene import LoadedScene
from scenes.text.errors import Problem, SceneError
from scenes.writing.writeback import text_of

BYTES = "latin-1"  # any bytes are a text in it


def head_of(scene: LoadedScene, source: str, settings: Sequence[str] = (), texts_only: bool = False) -> dict[str, Any]:
    """Return what the head of a recording says about a scene: its name, where it was found, the settings that it was
    given, and its files. With `texts_only`, meshes and clips are left out. Raise an OSError for a file that cannot be
    read."""
    assert scene.path is not None
    root = LIBRARY if scene.path.is_relative_to(LIBRARY) else scene.path.parent
    files, library = {}, {}
    for path in scene.files:
        if texts_only and path.suffix not in SUFFIXES:
            continue
        text = text_of(scene).encode() if path == scene.path else path.read_bytes()
        if path.is_relative_to(root):
            files[path.relative_to(root).as_posix()] = text.decode(BYTES)
        else:
            library[path.relative_to(LIBRARY).as_posix()] = text.decode(BYTES)
    main = scene.path.relative_to(root).as_posix()
    return {
        "scene": scene.name, "source": source, "main": main, "settings": list(settings), "files": files,
        "library": library,
    }  # fmt: skip


@dataclass
class RecordedScene:
    """The scene of a recording, loaded from a folder of its own, which is removed with this object."""

    scene: LoadedScene
    folder: TemporaryDirectory = field(repr=False)
    changed: list[str] = field(default_factory=list)  # files of the library that are no longer those of the recording

    @property
    def root(self) -> Path:
        """Folder of the scene's files."""
        return Path(self.folder.name).resolve()


def scene_of(head: dict[str, Any]) -> RecordedScene:
    """Return the scene that the head of a recording holds. Raise a SceneError if it cannot be loaded."""
    folder = TemporaryDirectory(prefix="marionette-")
    root = Path(folder.name).resolve()
    try:
        for name, text in head["files"].items():
            path = (root / name).resolve()
            if not path.is_relative_to(root) or path == root:
                raise SceneError([Problem("error", f"the recording names a file outside its folder: {name[:60]!r}")])
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode(BYTES))
        main = (root / head["main"]).resolve()
        scene = read_scene(main, head["settings"])
        changed = [name for name, text in head["library"].items() if _installed(name) != text.encode(BYTES)]
    except (KeyError, AttributeError, TypeError, UnicodeEncodeError) as error:
        raise SceneError([Problem("error", f"the recording has no whole scene ({error!r})")]) from None
    return RecordedScene(scene, folder, changed)


def _installed(name: str) -> bytes:
    """Return the installed file of the library with this name; nothing without one."""
    path = (LIBRARY / name).resolve()
    return path.read_bytes() if path.is_relative_to(LIBRARY) and path.is_file() else b""
