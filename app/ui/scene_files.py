"""The open scene as a file: it is loaded, loaded again after it was saved elsewhere, and written with new values."""

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.run import requests as ask
from app.run.commands import Command
from app.run.recording import Recording
from app.ui.gallery import Opened, is_file, is_recording, names, open_recorded, open_recording, open_scene
from app.ui.saving import own_copy, save_values
from scenes.loading.files import LIBRARY
from scenes.loading.reload import differences
from scenes.text.errors import SceneError

if TYPE_CHECKING:
    from app.ui.session import Session

WATCH_EVERY = 0.5  # s between looks at the files of the scene


class SceneFiles:
    """The scene file of the session: loading, watching and saving."""

    def __init__(self, session: "Session"):
        """Start without a scene."""
        self.session = session
        self.gallery: list[str] = names()
        self.source = ""  # name in the gallery, or a path
        self.opened: Opened | None = None
        self.error = ""  # of the last scene that could not be loaded
        self.saved: dict[str, Any] = {}  # values that were written to the file since, by path
        self._asked: Opened | None = None  # the scene that is being loaded
        self._looked = 0.0  # when the files of the scene were last looked at
        self._written = 0.0  # when the newest of them was written

    def arrived(self, opened: Opened) -> None:
        """Record that the stepper now shows this scene: one that was asked for, or an earlier one after an undo."""
        if self._asked is None and opened.source != self.source:  # the loading was undone
            self.source, self._written = opened.source, opened.changed
        if self._asked is opened:
            self._asked = None
        self.opened, self.saved = opened, {}

    def open(self, source: str, goes_on: bool = False) -> None:
        """Load a scene by its name in the gallery, or a file. If it cannot be read, its problems are shown and the
        present scene continues. With `goes_on`, the file of the present scene has changed, and the figure keeps its
        state."""
        try:
            opened = open_recording(source) if is_recording(source) else open_scene(source)
        except SceneError as error:
            self.error = str(error)
            self.session.tell("error", self.error.splitlines()[0])
            self.session.bring("Scenes")
            return
        if is_file(source):
            self.session.settings.remember(str(Path(source).resolve()))
            self.session.save_settings()
        for problem in opened.scene.problems:
            self.session.tell("info", str(problem).splitlines()[0])
        changed = opened.recorded.changed if opened.recorded else []
        self._load(opened, goes_on=goes_on, play=opened.recording, tells=lambda player: player.sentence(changed))

    def restore(self, draft: Recording, otherwise: tuple[Command, ...]) -> Opened | None:
        """Load the scene of a draft in the state of the draft. If the scene has changed since, `otherwise` says what is
        taken over. If it is gone, its text in the draft is used. Return it, or None if it cannot be loaded."""
        source = str(draft.head["source"])
        try:
            opened = open_recording(source) if is_recording(source) else open_scene(source)
        except SceneError as error:
            try:
                opened = open_recorded(source, draft)
            except SceneError:
                self.session.tell("error", f"The draft cannot be restored: {str(error).splitlines()[0]}")
                return None
            self.session.tell("info", f"{source} cannot be opened; its text in the draft is used")
        self._load(opened, play=draft, pauses=bool(draft.head["draft"]["paused"]), otherwise=otherwise)
        return opened

    def _load(self, opened: Opened, **more: Any) -> None:
        """Ask the stepper to load a scene; `more` are fields of the request."""
        self.error, self.source, self._written = "", opened.source, opened.changed
        self._asked = opened
        scene = opened.scene
        self.session.ask(ask.Load(scene.definitions, scene.name, scene.make_world, opened, **more))

    def reload(self) -> None:
        """Load the present scene again."""
        if self.source:
            self.open(self.source)

    def browse(self, by: int) -> None:
        """Open the scene of the gallery that is `by` places further."""
        here = self.gallery.index(self.source) if self.source in self.gallery else 0
        self.open(self.gallery[(here + by) % len(self.gallery)])

    def watch(self) -> None:
        """Load the file again if it was saved since. While the file has errors, the old scene continues."""
        now = time.monotonic()
        if self.opened is None or self.opened.source != self.source or now - self._looked < WATCH_EVERY:
            return
        self._looked = now
        path, written = self.opened.scene.path, self.opened.changed
        if path is None or not path.exists():  # some editors remove it before they write it
            return
        if written != self._written:  # earlier, if the clock was set back
            self._written = written
            self._load_changed(self.opened)

    def _load_changed(self, old: Opened) -> None:
        """Load the changed file; the figure keeps its state. A message says what has changed. `open` reports errors."""
        was_broken, news = bool(self.error), []
        try:
            new = open_scene(self.source)
            news = differences(old.scene, new.scene)
        except SceneError:
            new = None
        if new is not None and not news:  # unchanged: time and undo stack stay
            self.error, self.opened = "", new
            if was_broken:
                self.session.tell("info", "Mended, nothing else has changed")
            return
        if news:
            self.session.tell("info", f"Loaded again: {'; '.join(news)}")
        self.open(self.source, goes_on=True)

    def save(self) -> None:
        """Write the values that were set to the scene's file; for a scene of the library, to a copy in the present
        folder."""
        if self.opened is None or self.session.snapshot is None:
            return
        try:
            recorded = self.opened.recorded
            scene = own_copy(self.opened.scene, Path.cwd(), recorded.root if recorded else LIBRARY)
        except (SceneError, OSError) as error:
            why = getattr(error, "strerror", None) or str(error).splitlines()[0]
            self.session.tell("error", f"It cannot be saved here: {why}")
            return
        saved = save_values(scene, self.session.snapshot.changed)
        for sentence in saved.refused:
            self.session.tell("error", f"Not saved: {sentence}")
        assert saved.scene.path is not None
        source = self.source if scene is self.opened.scene else str(saved.scene.path)
        self.source = self.session.framed = source
        self.opened = replace(self.opened, source=source, scene=saved.scene, recorded=None, recording=None)
        self.saved = {path: self.session.snapshot.changed[path] for path in saved.paths}
        self._written = self.opened.changed
        self.session.settings.remember(str(saved.scene.path.resolve()))
        what = ", ".join(saved.paths) or "nothing was changed"
        self.session.tell("info", f"Saved in {saved.scene.path.name}: {what}")
