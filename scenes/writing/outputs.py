"""Files are written completely or not at all. The data go to a new file in the same folder, which is flushed to the
disk, checked, and renamed at the end.

    with written(path) as file:          bytes; an older file stays until all of it is written
        file.write(...)

A path to a pipe, a device or a folder is refused before anything is opened: opening a pipe would stop the program until
somebody reads from it.
"""

import io
import itertools
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

# files that are being written; a program that is ended in the middle removes them
UNFINISHED: set[Path] = set()


def refusal(path: Path) -> str:
    """Return the reason why no file can be written at this path, or an empty text."""
    try:
        place = _place(path)
        mode = os.stat(place).st_mode if place.exists() else 0
    except (OSError, ValueError) as error:  # a loop of links, a name that cannot be
        return getattr(error, "strerror", None) or str(error)
    if stat.S_ISDIR(mode):
        return "it is a folder"
    if mode and not stat.S_ISREG(mode):
        return "it is a pipe or a device, and only a file can be written"
    if not place.parent.is_dir():
        return "no such folder"
    if not os.access(place.parent, os.W_OK) or (mode and not os.access(place, os.W_OK)):
        return "no right to write there"
    return ""


@contextmanager
def written(path: Path | str, check: Callable[[Path], None] | None = None) -> Iterator[IO[bytes]]:
    """Open a new file for bytes, which replaces the file at `path` when the block ends without an error. The function
    `check` examines the finished file, and raises an OSError if it is wrong. Every OSError names `path`, and the older
    file at `path` is then unchanged."""
    why = refusal(Path(path))
    if why:
        raise OSError(None, why, str(path))
    place = _place(Path(path))
    beside, raw = place, None
    try:
        beside, raw = _new_file_beside(place)
        with io.BufferedWriter(raw) as file:
            yield file
            file.flush()
            os.fsync(raw.fileno())  # some file systems report only here that there is no room
        if check is not None:
            check(beside)
        _keep_mode(place, beside)
        os.replace(beside, place)
    except Exception as error:
        # a library may hide a failed write; the file itself knows of it
        trouble = raw.trouble if raw is not None and raw.trouble is not None else error
        if not isinstance(trouble, OSError):
            raise
        raise OSError(trouble.errno, trouble.strerror or str(trouble), str(path)) from error
    finally:
        if raw is not None:
            with suppress(OSError):
                beside.unlink(missing_ok=True)
        UNFINISHED.discard(beside)


def write_text(path: Path, text: str) -> None:
    """Write a whole text file, completely or not at all."""
    with written(path) as file:
        file.write(text.encode())


def remove_unfinished() -> None:
    """Remove the unfinished files, when the program is about to end."""
    for path in list(UNFINISHED):
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _place(path: Path) -> Path:
    """Return the path of the file to which `path` leads. If `path` is a link, the link stays, and its target is
    written."""
    return Path(os.path.realpath(path))


def _new_file_beside(place: Path) -> tuple[Path, "_Noting"]:
    """Return path and open file of a new file in the same folder, so that it can be renamed. The new file is never an
    existing file, nor the target of a link."""
    for number in itertools.count():
        path = place.with_name(f".{os.getpid()}-{number}.part{place.suffix}")
        UNFINISHED.add(path)
        with suppress(FileExistsError):
            return path, _Noting(path, "x+")
        UNFINISHED.discard(path)
    raise AssertionError


def _keep_mode(old: Path, new: Path) -> None:
    """Give the new file the permissions of the old one."""
    with suppress(OSError):
        os.chmod(new, stat.S_IMODE(os.stat(old).st_mode))


class _Noting(io.FileIO):
    """A file that keeps the first error of writing in `trouble`."""

    trouble: OSError | None = None

    def write(self, data: Any) -> int | None:
        """Write data, and keep the first error."""
        try:
            return super().write(data)
        except OSError as error:
            self.trouble = self.trouble or error
            raise
