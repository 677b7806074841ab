"""Recordings: the file of a session, from which it can be played again to the same bits.

A file begins with a line that names the format. Blocks follow: length and CRC-32 of the data (two little-endian
uint32), then the data, JSON compressed by zlib. The first block is the head: the scene with its files, and the versions
of the program. Every other block is a piece of the log: commands with their ticks, and keys, which are hashes of the
state at a tick. Blocks are only appended. A file that was cut off is therefore shorter, and otherwise the same.

A draft of the window is such a file, too: its log has one state.
"""

import json
import os
import platform
import struct
import zlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from app import __version__
from app.run.commands import KINDS, Entry, Release, Reset, Restore, Rewind
from app.run.simulation import Simulation
from app.run.timeline import plain, tuples
from scenes.writing.outputs import written

SUFFIX = ".mrn"
FORMAT = 1
BEGIN = b"marionette recording "
BLOCK = struct.Struct("<II")  # length and checksum of the data
MOST_BYTES = 1 << 30  # of one block, once it is no longer compressed: what is larger was not made by this program
KEY, END = "state", "end"  # kinds of items of the log that are no commands
KEYS_EVERY, BLOCKS_EVERY = 0.1, 0.5  # s
DIGITS = 32  # of a hash: half of SHA-256 tells states apart


class RecordingError(ValueError):
    """The error for a file that cannot be read as a recording. The message is one sentence."""


@dataclass(frozen=True)
class Key:
    """The hash of the state at a tick, after the commands that stand before it in the log."""

    tick: int
    state_hash: str


Item = Entry | Key


@dataclass(frozen=True)
class Recording:
    """A recording as it was read: its head, its log, whether its end was written, and the number of bytes at the end of
    the file that are damaged."""

    head: dict[str, Any]
    log: tuple[Item, ...]
    ended: bool = True
    damaged: int = 0

    @property
    def ticks(self) -> int:
        """Tick of the end."""
        return self.log[-1].tick if self.log else 0

    @property
    def state_hash(self) -> str:
        """Hash of the last state that has one; empty without one."""
        return next((item.state_hash for item in reversed(self.log) if isinstance(item, Key)), "")

    def data(self) -> bytes:
        """Return the bytes of the file."""
        end = [[self.ticks, END]] if self.ended else []
        return beginning(self.head) + block([*map(line, self.log), *end])


def session_of(simulation: Simulation, head: dict[str, Any] | None = None) -> Recording:
    """Return the recording of everything that a simulation did since its scene was loaded."""
    simulation.commit_view()
    tick = simulation.timeline.tip
    return Recording(head or {}, (*simulation.entries, Key(tick, simulation.world.state_hash()[:DIGITS])))


# ---------------------------------------------------------------- bytes
def beginning(head: dict[str, Any]) -> bytes:
    """Return the first bytes of a file: its format, and the block of the head."""
    return BEGIN + f"{FORMAT}\n".encode() + block(head)


def block(content: Any) -> bytes:
    """Return the bytes of a block."""
    data = zlib.compress(json.dumps(content, default=plain, separators=(",", ":")).encode())
    return BLOCK.pack(len(data), zlib.crc32(data)) + data


def line(item: Item) -> list[Any]:
    """Return an item of the log in the form in which a block has it."""
    if isinstance(item, Key):
        return [item.tick, KEY, item.state_hash]
    return [item.tick, type(item.command).__name__, asdict(item.command)]


def read_item(content: Any) -> Item:
    """Return the item of the log that a block has in this form. Raise a ValueError for one that is not known."""
    tick, kind, values = content
    if kind == KEY:
        return Key(int(tick), str(values))
    if kind not in KINDS:
        raise ValueError(f"a command {str(kind)[:40]!r}")
    unknown = set(values) - {f.name for f in fields(KINDS[kind])}
    if unknown:
        raise ValueError(f"{sorted(unknown)} of the command {kind}")
    return Entry(int(tick), KINDS[kind](**{name: tuples(value) for name, value in values.items()}))


def read_blocks(data: bytes) -> tuple[list[Any], int]:
    """Return the contents of the whole blocks, and the number of bytes after them."""
    found, at = [], 0
    while at + BLOCK.size <= len(data):
        length, checksum = BLOCK.unpack_from(data, at)
        packed = data[at + BLOCK.size : at + BLOCK.size + length]
        if len(packed) < length or zlib.crc32(packed) != checksum:
            break
        try:
            found.append(json.loads(zlib.decompressobj().decompress(packed, MOST_BYTES)))
        except (zlib.error, ValueError):
            break
        at += BLOCK.size + length
    return found, len(data) - at


def read_recording(data: bytes) -> Recording:
    """Return the recording of these bytes, up to where they are damaged. Raise a RecordingError if nothing can be
    read."""
    first, newline, _ = data[: len(BEGIN) + 20].partition(b"\n")
    number = first.removeprefix(BEGIN).decode(errors="replace")
    if not first.startswith(BEGIN) or not newline or not number.isdecimal():
        raise RecordingError("it is no recording, or its beginning is missing")
    if int(number) != FORMAT:
        raise RecordingError(
            f"it has the format {number} of another version of the program; this one reads format {FORMAT}"
        )
    contents, damaged = read_blocks(data[len(first) + 1 :])
    if not contents or not isinstance(contents[0], dict):
        raise RecordingError("it ends before its scene")
    log: list[Item] = []
    ended = False
    try:
        for content in contents[1:]:
            for item in content:
                ended = item[1] == END
                if not ended:
                    log.append(read_item(item))
    except (ValueError, TypeError, IndexError) as error:
        by = contents[0].get("versions", {}).get("marionette", "unknown")
        raise RecordingError(f"it holds what this version does not know: {error} (recorded by version {by})") from None
    return Recording(contents[0], tuple(log), ended, damaged)


def read_file(path: Path) -> Recording:
    """Return the recording of a file. Raise a RecordingError or an OSError."""
    return read_recording(path.read_bytes())


# ---------------------------------------------------------------- versions
@cache
def versions() -> dict[str, str]:
    """Return the versions on which the bits of a motion may depend."""
    top = Path(__file__).resolve().parents[2]
    digest = sha256()
    for path in sorted(top.glob("physics/**/*.py")):
        digest.update(path.read_bytes())
    return {
        "marionette": __version__,
        "physics": digest.hexdigest()[:12],
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


# ---------------------------------------------------------------- writing
class Recorder:
    """A recording that is being written. It belongs to the stepper's thread.

    Its ticks count from its own start: at tick 0 the scene is put into the state in which the recording began, which
    takes one tick. When the session returns to a time before that, the state is written instead.
    """

    def __init__(self, path: Path, head: dict[str, Any], simulation: Simulation, now: float):
        """Write the beginning of the file, and replace an older one. Raise an OSError if that fails."""
        self.path, self.simulation, self.began = path, simulation, now
        self.trouble = ""  # why the last block could not be written
        self.start = simulation.timeline.tip
        self._seen = len(simulation.entries)
        self._keyed, self._written, self._last = now, now, -1
        self._items: list[list[Any]] = []  # what is not yet in the file
        first = block([line(Entry(0, Restore(simulation.present().text())))])
        data = beginning(head | {"versions": versions()}) + first
        with written(path) as file:
            file.write(data)
        self._size = len(data)
        self._file = open(path, "r+b", buffering=0)  # noqa: SIM115 - it stays open until `close`

    def take(self, now: float) -> None:
        """Take over the commands since the last call, and write a block if it is time."""
        simulation, tip = self.simulation, self.simulation.timeline.tip
        for entry in simulation.entries[self._seen :]:
            self._items.append(line(self._own(entry)))
            self._last = -1
        self._seen = len(simulation.entries)
        if tip != self._last and now - self._keyed >= KEYS_EVERY:
            self._add_key(now)
        if self._items and now - self._written >= BLOCKS_EVERY:
            self._write(now)

    def stepped(self, count: int, now: float) -> None:
        """Take over steps that were taken by the world itself."""
        self.simulation.timeline.tip += count
        self.take(now)

    def close(self, now: float) -> None:
        """Write the rest and the end, and close the file. `trouble` then says whether that failed."""
        self.take(now)
        self._add_key(now)
        self._items.append([self._tick(self.simulation.timeline.tip), END])
        self._write(now)
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            self.trouble = self.trouble or str(error.strerror)
        self._file.close()

    def _tick(self, tick: int) -> int:
        """Return the recording's own number of a tick."""
        return tick - self.start + 1

    def _own(self, entry: Entry) -> Entry:
        """Return an entry with the recording's own ticks. A return to a time before the recording becomes the state
        that was found there."""
        command, tick = entry.command, self._tick(entry.tick)
        if isinstance(command, Rewind) and command.tick >= self.start:
            return Entry(tick, replace(command, tick=self._tick(command.tick)))
        if isinstance(command, Rewind | Reset):
            key = self.simulation.timeline.key_before(entry.tick + 1)
            assert key is not None
            return Entry(tick, Restore(key[1].text()))
        return Entry(tick, command)

    def _add_key(self, now: float) -> None:
        """Add the hash of the present state. While the past is looked at, the world is not in the present state."""
        if self.simulation.viewed is None:
            self._last, self._keyed = self.simulation.timeline.tip, now
            digest = self.simulation.world.state_hash()[:DIGITS]
            self._items.append(line(Key(self._tick(self._last), digest)))

    def _write(self, now: float) -> None:
        """Append a block. If that fails, its items stay for the next one, which is written over what came of it."""
        self._written = now
        data = block(self._items)
        try:
            self._file.seek(self._size)
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
        except OSError as error:
            self.trouble = error.strerror or str(error)
            return
        self._size += len(data)
        self._items.clear()
        self.trouble = ""


def state_data(head: dict[str, Any], state: str, released: Iterable[int] = ()) -> bytes:
    """Return the bytes of a file that holds one state only, with these grabs released in it."""
    log = [Entry(0, Restore(state)), *(Entry(1, Release(number)) for number in released)]
    return Recording(head | {"versions": versions()}, tuple(log)).data()
