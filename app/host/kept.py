"""Files that the program keeps for itself: locks, which show that the owner of a file still runs, and files that cannot
be used, which are set aside so that nothing is written over them."""

import itertools
import os
import sys
from contextlib import suppress
from pathlib import Path


def set_aside(path: Path, place: Path | None = None) -> Path:
    """Rename a file that cannot be used, and return its new path: `place`, or its own path, with `.kept` added. A file
    that was set aside before stays. Raise an OSError if it cannot be renamed."""
    wanted = place or path
    for number in itertools.count(1):
        new = wanted.with_name(f"{wanted.name}.kept{'' if number == 1 else f'-{number}'}")
        if not new.exists():
            path.rename(new)
            return new
    raise AssertionError


class Lock:
    """A lock on a file. The system releases it when the process ends, however it ends."""

    def __init__(self, number: int):
        """Keep the number of the open file."""
        self._number = number

    @classmethod
    def take(cls, path: Path) -> "Lock | None":
        """Return the lock on the file at `path`, which is made if necessary; None if another process has it, or has
        removed the file meanwhile. Raise an OSError if the file cannot be made."""
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(number)
            if os.path.samestat(os.fstat(number), os.stat(path)):
                return cls(number)
        except OSError:
            pass
        os.close(number)
        return None

    def release(self) -> None:
        """Release the lock."""
        with suppress(OSError):
            os.close(self._number)


def _lock(number: int) -> None:
    """Lock an open file, or raise an OSError."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
