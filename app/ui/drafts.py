"""Drafts: what was done in the window is written down while it is done, and offered again after the program was ended
without being closed.

A draft is a recording of one state, in a folder of the window's own. The window holds a lock there for as long as it
runs, so that no other window offers its draft. When the window is closed, the folder is removed.
"""

import os
import shutil
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.host.kept import Lock, set_aside
from app.run import requests as ask
from app.run.commands import Command, Entry, Restore
from app.run.recorded_scene import head_of
from app.run.recording import SUFFIX, Recording, RecordingError, line, read_file, read_item, state_data
from app.run.simulation import Simulation
from app.ui.gallery import Opened
from scenes.writing.outputs import written

if TYPE_CHECKING:
    from app.ui.session import Session

EVERY = 0.75  # s between two drafts
DRAFT, LOCK = f"draft{SUFFIX}", "lock"
MOST_SHOWN = 4  # differences that are named


@dataclass(frozen=True)
class Offer:
    """The draft of a program that has ended."""

    folder: Path
    lock: Lock
    draft: Recording

    @property
    def title(self) -> str:
        """A sentence with the scene and the time of the draft."""
        name, saved = self.draft.head["scene"], self.draft.head["draft"]["saved"]
        return f"The window with {name} was not closed. A draft of it was kept {when(saved)}:"

    @property
    def differences(self) -> list[str]:
        """What differs from the scene."""
        return [str(text) for text in self.draft.head["draft"]["differs"]]

    @property
    def otherwise(self) -> tuple[Command, ...]:
        """The commands for a scene that has changed since."""
        items = (read_item(item) for item in self.draft.head["draft"]["otherwise"])
        return tuple(item.command for item in items if isinstance(item, Entry))


class Drafts:
    """The draft of the window, and the drafts that it offers. Without a folder there are none."""

    def __init__(self, session: "Session", folder: Path | None):
        """Find what can be offered."""
        self.session, self.folder = session, folder
        self.offers: list[Offer] = []
        self._own: Path | None = None  # the window's own folder, once there is a draft
        self._lock: Lock | None = None
        self._writer = ThreadPoolExecutor(1, "drafts")
        self._writing: Future[str] | None = None
        self._asked = 0.0  # when the last draft was begun
        self._waiting = False  # whether the stepper has yet to pass its state
        self._kept: tuple[Any, ...] = ()  # of what the draft was made
        self._trouble = ""  # why it could not be written
        self._restoring: tuple[Opened, Offer] | None = None
        self._restored: Offer | None = None  # removed when there is a draft of what came of it
        self._by_name = False  # whether its state did not fit the scene
        self._heads: tuple[Any, dict[str, Any]] = (None, {})  # what a draft says about the scene
        if folder is not None:
            self.offers = sorted(self._find(folder), key=lambda offer: str(offer.draft.head["draft"]["saved"]))[::-1]

    # ------------------------------------------------------------ offering
    def _find(self, folder: Path) -> Iterator[Offer]:
        """Yield the drafts of programs that have ended. Remove what they left without a draft, and set aside what
        cannot be read."""
        with suppress(OSError):  # no folder yet, or it cannot be read
            for place in sorted(folder.iterdir()):
                with suppress(OSError):
                    lock = Lock.take(place / LOCK) if place.is_dir() else None
                    if lock is None:
                        continue
                    offer = self._read(place, lock)
                    if offer is None:
                        lock.release()
                        shutil.rmtree(place, ignore_errors=True)
                    else:
                        yield offer

    def _read(self, place: Path, lock: Lock) -> Offer | None:
        """Return the draft in a folder, or None if there is none that can be read."""
        path = place / DRAFT
        try:
            draft = read_file(path)
            offer = Offer(place, lock, draft)
            if not draft.ended:
                raise RecordingError("its end is missing")
            if offer.title and offer.differences and offer.otherwise:
                return offer
            raise RecordingError("it says nothing about its scene")
        except FileNotFoundError:
            return None
        except (RecordingError, KeyError, TypeError, ValueError) as error:
            why = f"it has no {error}" if isinstance(error, KeyError) else str(error)
            kept = set_aside(path, place.with_suffix(SUFFIX))
            self.session.tell("error", f"A draft cannot be read ({why}); it is kept as {kept}")
            return None

    def accept(self) -> None:
        """Restore the draft that is offered. Its file is kept until there is a newer one."""
        offer = self.offers[0]
        opened = self.session.scenes.restore(offer.draft, offer.otherwise)
        if opened is not None:
            self.offers.pop(0)
            self._restoring = (opened, offer)

    def decline(self) -> None:
        """Remove the draft that is offered."""
        remove(self.offers.pop(0))

    # ------------------------------------------------------------ writing
    def update(self) -> None:
        """Write a draft if something has changed since the last one. The window calls this in every frame."""
        session, snapshot = self.session, self.session.snapshot
        if self.folder is None or snapshot is None:
            return
        if self._writing is not None:
            if not self._writing.done():
                return
            self._report(self._writing.result())
            self._writing = None
        if self._restoring is not None and session.scenes.opened is self._restoring[0]:
            self._restored, self._restoring = self._restoring[1], None
        now = time.monotonic()
        made_of = (snapshot.scene, snapshot.logged, snapshot.tick, session.stepper.recorder)
        if self._waiting or now - self._asked < EVERY or snapshot.logged == 0 or made_of == self._kept:
            return
        self._kept, self._asked, self._waiting = made_of, now, True
        session.ask(ask.Keep(self._keep))

    def _keep(self, simulation: Simulation, details: Any) -> None:
        """Pass the state to the thread that writes the draft. This runs on the stepper's thread."""
        try:
            if simulation.entries:
                self._by_name = not isinstance(simulation.entries[0].command, Restore)
                present = simulation.present()
                head, held = self._head(simulation, details), list(present.live["grabs"])
                self._writing = self._writer.submit(self._write, head, present.text(), held)
        finally:
            self._waiting = False

    def _head(self, simulation: Simulation, details: Opened) -> dict[str, Any]:
        """Return the head of the draft."""
        opened = self.session.scenes.opened
        if opened is None or opened.look is not details.look:  # otherwise it is the same scene, perhaps saved since
            opened = details
        if self._heads[0] is not opened:
            in_library = opened.source in self.session.scenes.gallery
            source = opened.source if in_library else str(Path(opened.source).resolve())
            self._heads = (opened, head_of(opened.scene, source, texts_only=True))
        recorder = self.session.stepper.recorder
        draft = {
            "saved": datetime.now().astimezone().isoformat(timespec="seconds"),
            "paused": self.session.stepper.clock.paused,
            "differs": differences(simulation, self.session.scenes.saved, recorder.path if recorder else None),
            "otherwise": [line(Entry(0, command)) for command in simulation.carried()],
        }
        return self._heads[1] | {"draft": draft}

    def _write(self, head: dict[str, Any], state: str, held: list[int]) -> str:
        """Write the draft. Return an empty text, or why it could not be written; an older one is then unchanged."""
        data = state_data(head, state, held)
        try:
            if self._own is None or not self._own.is_dir():
                self._own, self._lock = self._new_folder()
            with written(self._own / DRAFT) as file:
                file.write(data)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _new_folder(self) -> tuple[Path, Lock]:
        """Make the window's own folder, and lock it. Another window may remove it before it is locked; then a new one
        is made."""
        assert self.folder is not None
        while True:
            place = self.folder / f"{os.getpid()}-{time.time_ns():x}"
            place.mkdir(parents=True)
            try:
                lock = Lock.take(place / LOCK)
            except OSError:
                place.rmdir()
                raise
            if lock is not None:
                return place, lock

    def _report(self, trouble: str) -> None:
        """Report once that drafts cannot be written. After one was written, remove the draft from which it came."""
        if trouble:
            self._kept = ()  # it is tried again, even if nothing changes
            if not self._trouble:
                text = f"No draft can be written in {self.folder} ({trouble}): what is not saved is only in this window"
                self.session.tell("error", text)
        elif self._trouble:
            self.session.tell("info", "Drafts are written again")
        self._trouble = trouble
        if not trouble and self._restored is not None:
            if self._by_name:
                with suppress(OSError):
                    place = self._restored.folder
                    kept = set_aside(place / DRAFT, place.with_suffix(SUFFIX))
                    self.session.tell("info", f"The draft as it was is kept as {kept}")
            remove(self._restored)
            self._restored = None

    def close(self) -> None:
        """Remove the draft of a window that is closed. Drafts that were not answered are offered again."""
        self._writer.shutdown()
        if self._own is not None and self._lock is not None:
            self._lock.release()
            shutil.rmtree(self._own, ignore_errors=True)
        if self._restored is not None:
            remove(self._restored)
        for offer in self.offers:
            offer.lock.release()


def remove(offer: Offer) -> None:
    """Remove a draft."""
    with suppress(OSError):
        (offer.folder / DRAFT).unlink(missing_ok=True)
    offer.lock.release()
    shutil.rmtree(offer.folder, ignore_errors=True)


def differences(simulation: Simulation, saved: dict[str, Any], recorded: Path | None) -> list[str]:
    """Return texts about what differs from the scene: values that were set and not saved, pins, motion, a recording."""
    values = {path: value for path, value in simulation.differing().items() if saved.get(path) != value}
    named = [f"{named_value(path)}: {text_of(value)}" for path, value in values.items()]
    texts = named[:MOST_SHOWN]
    if len(named) > MOST_SHOWN:
        texts.append(f"{len(named) - MOST_SHOWN} more values")
    pins = sum(point.pinned and point.number > 0 for point in simulation.held())
    if pins:
        texts.append(f"{pins} pin{'s' * (pins > 1)}")
    texts.append(f"pose and motion at {simulation.world.time:.2f} s")
    if recorded is not None:
        texts.append(f"a recording in {recorded}")
    return texts


def named_value(path: str) -> str:
    """Return the name of a value as panels show it."""
    head, _, rest = path.partition(".")
    name, _, key = rest.rpartition(".")
    return rest.replace("_", " ") if head == "settings" else f"{key} of {name}"


def text_of(value: Any) -> str:
    """Return a value as a short text."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, tuple):
        return ", ".join(text_of(v) for v in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def when(saved: str) -> str:
    """Return a text for the time of a draft: of today the hour, else the date too."""
    at, now = datetime.fromisoformat(saved).astimezone(), datetime.now().astimezone()
    return f"today at {at:%H:%M}" if at.date() == now.date() else f"on {at:%d %B %Y at %H:%M}"
