"""Where machine code is kept: the shelf that came with the package, and a folder on this machine.

A unit is the object code of one entry for arguments of certain types. Its label names both: `integrators.trbdf2.advance
Model1a2b3c4d State... Work...`.

The shelf, `physics/_compiled/`, holds every unit that the library's figures need. It is made when the package is built
(`world.every_unit`), for a processor level such as x86-64-v3, and read only. It is used where it was made from these
very sources, for this platform, and for a level that this processor has.

The folder holds what was compiled here: one file a unit, named by a hash of all that its machine code depends on, so
that a file that is there fits. It is NUMBA_CACHE_DIR, `__pycache__` beside the sources, or, where that cannot be
written, the user's folder for such things; where that cannot be written either, nothing is kept. A file that is
damaged counts as absent. Of processes that need the same unit one compiles it, and the others wait for its file.
"""

import hashlib
import json
import mmap
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from physics.compiler.sources import PACKAGE, package_stamp, source_stamp

try:
    import fcntl
except ModuleNotFoundError:  # not on Windows
    fcntl = None

INDEX, UNITS = "index.json", "units.bin"
# in a wheel beside the sources; in a checkout where the build has left it
SHELVES = (PACKAGE / "_compiled", PACKAGE.parent / "build" / "compiled")
OFF = "MARIONETTE_COMPILED"  # 0 in the environment: no shelf is used
HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_DISABLE_JIT", "NUMBA_NUM_THREADS", "NUMBA_BOUNDSCHECK"}
MOST_WAITING = 300.0  # s: after that, whoever holds the lock is taken to be stuck
KEPT = 3  # units of one label in the folder: those of the last sources


def find(label: str, source: Path) -> bytes | None:
    """Return the object code of a unit whose entry stands in the file `source`, or None."""
    return on_shelf(label) or in_folder(label, source)


def holds(label: str, source: Path) -> bool:
    """Return whether the object code of a unit is on the shelf, or whole in the folder."""
    shelf = open_shelf()
    return (shelf is not None and label in shelf.places) or _is_whole(_path(label, source))


# ---------------------------------------------------------------- the shelf
# what a processor needs to run the code of a level, as LLVM calls it
LEVELS = {
    "x86-64": ("sse2",),
    "x86-64-v2": ("sse2", "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16"),
    "x86-64-v3": (
        "sse2", "sse3", "ssse3", "sse4.1", "sse4.2", "popcnt", "cx16", "avx", "avx2", "bmi", "bmi2", "f16c", "fma",
        "lzcnt", "movbe", "xsave",
    ),
    "generic": (),
}  # fmt: skip


def on_shelf(label: str) -> bytes | None:
    """Return the object code of a unit from the shelf, or None."""
    shelf = open_shelf()
    if shelf is None or label not in shelf.places:
        return None
    begin, size = shelf.places[label]
    return shelf.file[begin : begin + size]


class Shelf(NamedTuple):
    """The shelf that is in use."""

    places: dict[str, list[int]]  # of each unit in the file, by label: its first byte, and how many
    file: Any
    folder: Path
    level: str


@cache
def open_shelf() -> Shelf | None:
    """Return the shelf; None where no shelf can be used."""
    return None if why_no_shelf() else _opened[0]


_opened: list[Shelf] = []


@cache
def why_no_shelf() -> str:
    """Return why no shelf is used, as a clause; "" where one is."""
    if os.environ.get(OFF, "") == "0":
        return f"{OFF}=0 is set"
    if (changed := _changed_compiler()) is not None:
        return f"{changed} is set"
    reason = "the package was installed without machine code"
    for folder in SHELVES:
        try:
            index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
            reason = _refusal(index)
            if reason:
                continue
            with (folder / UNITS).open("rb") as file:
                units = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            if len(units) != index["size"]:
                reason = f"{folder / UNITS} is damaged"
                continue
            _opened.append(Shelf(index["units"], units, folder, index["level"]))
            return ""
        except FileNotFoundError:
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            reason = f"{folder} cannot be read ({error})"
    return reason


def _refusal(index: dict[str, Any]) -> str:
    """Return why the shelf with this index cannot be used here, as a clause; "" if it can."""
    if index["platform"] != platform_name():
        return f"the machine code was made for {index['platform']}, and this is {platform_name()}"
    if index["sources"] != package_stamp():
        return "the machine code was made from other sources"
    missing = [name for name in LEVELS[index["level"]] if not processor_features().get(name)]
    if missing:
        return f"the machine code is for processors of level {index['level']}, and this one has no {missing[0]}"
    return ""


def platform_name() -> str:
    """Return the system and the instruction set, such as `linux x86_64`."""
    return f"{sys.platform} {platform.machine().lower()}"


@cache
def processor_features() -> dict[str, bool]:
    """Return which instruction sets this processor has, by LLVM's names."""
    from llvmlite import binding

    return dict(binding.get_host_cpu_features())


def processor_level() -> str:
    """Return the highest level that this processor can run."""
    features, best = processor_features(), "generic"
    for name, wanted in LEVELS.items():
        if wanted and all(map(features.get, wanted)):
            best = name
    return best


@cache
def processor_name() -> str:
    """Return LLVM's name of this processor."""
    from llvmlite import binding

    return binding.get_host_cpu_name()


def write_shelf(folder: Path, level: str, units: dict[str, bytes]) -> None:
    """Write a shelf with these units, by label."""
    folder.mkdir(parents=True, exist_ok=True)
    places, at = {}, 0
    with (folder / UNITS).open("wb") as file:
        for label, code in sorted(units.items()):
            places[label] = [at, len(code)]
            at += file.write(code)
    made_by = {name: _version(name) for name in ("numba", "llvmlite")}
    index = {
        "sources": package_stamp(), "platform": platform_name(), "level": level, "made by": made_by, "size": at,
        "units": places,
    }  # fmt: skip
    (folder / INDEX).write_text(json.dumps(index, indent=0), encoding="utf-8")


# ---------------------------------------------------------------- the folder
def in_folder(label: str, source: Path) -> bytes | None:
    """Return the object code of a unit from the folder, or None where its file is absent or damaged."""
    path = _path(label, source)
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError:
        return None
    return data[32:] if hashlib.sha256(data[32:]).digest() == data[:32] else None


def keep(label: str, source: Path, code: bytes) -> None:
    """Keep the object code of a unit, if there is a folder for it. The file is whole or not there."""
    path = _path(label, source)
    if path is None:
        return
    with suppress(OSError):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(code).digest() + code)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
        of_label = sorted(path.parent.glob(f"{_short(label)}-*.unit"), key=lambda p: p.stat().st_mtime)
        for old in of_label[:-KEPT]:
            old.unlink(missing_ok=True)


def _is_whole(path: Path | None) -> bool:
    """Return whether the file of a unit is there and undamaged."""
    if path is None:
        return False
    try:
        data = path.read_bytes()
    except OSError:
        return False
    return hashlib.sha256(data[32:]).digest() == data[:32]


def _path(label: str, source: Path) -> Path | None:
    """Return the file of a unit, or None where nothing can be kept: there is no folder that can be written, or the
    entry was typed at a prompt and has no source."""
    folder = cache_folder() if source.is_file() else None
    return None if folder is None else folder / f"{_short(label)}-{_key(label, source)}.unit"


def _short(label: str) -> str:
    """Return a name of a file for a label: the entry's, and a hash of its arguments' types."""
    name, _, kinds = label.partition(" ")
    return f"{name}-{hashlib.sha256(kinds.encode()).hexdigest()[:8]}"


@cache
def _key(label: str, source: Path) -> str:
    """Return the hash of all that the machine code of a unit depends on."""
    return hashlib.sha256("\n".join((label, source_stamp(source), *_circumstances())).encode()).hexdigest()[:24]


@cache
def _circumstances() -> tuple[str, ...]:
    """Return what machine code depends on beside its sources and the types."""
    from llvmlite import binding

    settings = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith("NUMBA_") and k not in HARMLESS]
    checked = os.environ.get("NUMBA_BOUNDSCHECK", "0")
    return (
        f"{sys.implementation.cache_tag}", f"numba {_version('numba')}", f"llvmlite {_version('llvmlite')}",
        platform_name(), processor_name(), binding.get_host_cpu_features().flatten(),
        f"bounds checked: {checked not in ('', '0')}", *settings,
    )  # fmt: skip


def _changed_compiler() -> str | None:
    """Return the name of a variable in the environment that makes numba compile to other code, or None."""
    if os.environ.get("NUMBA_BOUNDSCHECK", "0") not in ("", "0"):
        return "NUMBA_BOUNDSCHECK"
    return next((k for k in sorted(os.environ) if k.startswith("NUMBA_") and k not in HARMLESS), None)


@cache
def _version(name: str) -> str:
    """Return the version of an installed package."""
    # imported here: it takes longer than everything else that finds a unit on the shelf
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return "none"


@cache
def cache_folder() -> Path | None:
    """Return the folder of what was compiled here, made if need be; None where none can be written."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    own = Path(os.path.abspath(given)) if given else PACKAGE / "__pycache__" / "kernels"
    for folder in (own, _users_folder() / "marionette" / "kernels"):
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return folder
    return None


def _users_folder() -> Path:
    """Return the folder of the system for what a user's programs can make anew."""
    if os.name == "nt":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


@contextmanager
def turn(label: str, source: Path) -> Iterator[bool]:
    """Hold the lock of a unit that is about to be compiled. Yields whether another process had it: its file is then
    there. Where there are no such locks, each process compiles for itself."""
    path = _path(label, source)
    lock = None
    waited = False
    if fcntl is not None and path is not None:
        with suppress(OSError):
            lock = path.with_suffix(".lock").open("wb")
    try:
        if fcntl is not None and lock is not None:
            end = time.monotonic() + MOST_WAITING
            while time.monotonic() < end:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    waited = True
                    time.sleep(0.05)
        yield waited
    finally:
        if lock is not None:
            lock.close()
