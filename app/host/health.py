"""What `marionette doctor` looks at on this machine: versions, the display, and the folders in which the program keeps
files. Each function returns what it found, and appends the problems to a list.
"""

import ctypes
import ctypes.util
import os
import platform
import re
import shutil
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from app import __version__
from app.host.troubles import DEBIAN, HEADLESS

PROGRAM = "marionette"
EXTRAS = {"video": "films"}  # what users may want of the optional dependencies, and what for
LINKER = "llvmlite"  # numba brings it
LEAST_FREE = 100e6  # bytes: all compiled code takes a tenth of it, the rest is for scenes and films


class Problem(NamedTuple):
    """Something that does not work here, in one sentence, and what to do about it, in another."""

    about: str  # the key of the report
    problem: str
    remedy: str


def versions(problems: list[Problem]) -> dict[str, str | None]:
    """Return the versions of the program, of Python, of the system and of every dependency; None for one that is not
    installed."""
    found = {PROGRAM: __version__, "python": platform.python_version(), "system": platform.platform()}
    required = [*(name for name, extra in _required(problems) if extra is None), LINKER]
    dependencies = {name: _version(name) for name in sorted(required)}
    for name in [name for name, version in dependencies.items() if version is None]:
        problems.append(Problem("versions", f"the package {name} is missing", f"pip install {name}"))
    return {**found, **dependencies}


def extras() -> dict[str, Any]:
    """Return for each extra what it is for, and the versions of its packages. A missing one is no problem."""
    required = _required([])
    return {
        extra: {"for": use, **{name: _version(name) for name, of in required if of == extra}}
        for extra, use in EXTRAS.items()
    }


def _required(problems: list[Problem]) -> list[tuple[str, str | None]]:
    """Return the names of the packages that the program requires, and for each the extra to which it belongs, or
    None."""
    try:
        lines = metadata.requires(PROGRAM) or []
    except metadata.PackageNotFoundError:
        remedy = "in the folder of its sources: pip install ."
        problems.append(Problem("versions", "the program runs from its sources and is not installed", remedy))
        return []
    out = []
    for line in lines:
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        name = re.match(r"[\w.-]+", line)
        if name and name[0] != PROGRAM:  # an extra may ask for another one
            out.append((name[0], extra[1] if extra else None))
    return out


def _version(name: str) -> str | None:
    """Return the version of an installed package, or None."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


# ---------------------------------------------------------------- the display
def display(problems: list[Problem]) -> dict[str, Any]:
    """Return the name of the display for the window, and whether it can be reached."""
    if not sys.platform.startswith("linux"):
        return {"name": "of the system", "reached": True}
    name = os.environ.get("DISPLAY", "")
    trouble, remedy = _x11_trouble(name)
    if trouble:
        problems.append(Problem("display", trouble, remedy))
    return {"name": name, "reached": not trouble}


def _x11_trouble(name: str) -> tuple[str, str]:
    """Return why the display cannot be reached and the remedy, or empty texts."""
    if not name:
        return "there is no display to open a window on: DISPLAY is not set", HEADLESS
    try:
        x11 = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    except OSError as error:
        return f"a system library is missing ({error})", DEBIAN
    x11.XOpenDisplay.restype = ctypes.c_void_p
    connection = x11.XOpenDisplay(None)
    if not connection:
        return f"the display {name} cannot be reached", HEADLESS
    x11.XCloseDisplay(ctypes.c_void_p(connection))
    return "", ""


# ---------------------------------------------------------------- folders
def folder(about: str, path: Path | None, problems: list[Problem]) -> dict[str, Any]:
    """Return whether a file can be written into the folder of the `cache` or of the `settings`, and the space on its
    disk [bytes]. A folder that is not there is made, and removed again. None stands for a cache that cannot be
    written anywhere."""
    if path is None:
        problems.append(Problem(about, "no folder can be written in which compiled code is kept", _remedy(about)))
        return {"path": None, "writable": False, "free": None}
    why = _refusal(path)
    if why:
        problems.append(Problem(about, f"the folder {path} for the {about} cannot be written: {why}", _remedy(about)))
    free = shutil.disk_usage(_existing(path)).free
    if free < LEAST_FREE:
        said = f"the disk of the folder for the {about} has only {free / 1e6:.0f} MB left"
        problems.append(Problem(about, said, f"free some space on the disk of {path}"))
    return {"path": str(path), "writable": not why, "free": free}


def _remedy(about: str) -> str:
    """Return what to do about a folder that cannot be written."""
    if about == "cache":
        return "give the right to write to ~/.cache, or name another folder in NUMBA_CACHE_DIR"
    return "give the right to write to ~/.config, or name another folder in XDG_CONFIG_HOME"


def _refusal(path: Path) -> str:
    """Return why no file can be written into a folder, or an empty text."""
    made = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path) as file:
            file.write(b"written")
            file.flush()
            os.fsync(file.fileno())
        if made:
            path.rmdir()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def _existing(path: Path) -> Path:
    """Return a folder, or the nearest one above it that is there."""
    while not path.is_dir() and path != path.parent:
        path = path.parent
    return path
