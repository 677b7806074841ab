"""A helper process that compiles, either at the same time as this process or in its place.

`share` divides the list of entries that a run needs between two processes: this one compiles from the front, and the
helper process from the back. With an empty disk cache, nearly all time of a first step is compilation. Entries do not
depend on each other, but numba compiles in one thread. Therefore, if several entries are missing from the disk cache
and there is a second processor, `share` starts a helper process with the list (`python -m
physics.compiler.helper_process`). If both processes need the same kernel, one compiles it and the other waits for its
file (`compiler.jit`); they need no other agreement. The helper process only makes the run start sooner. If it cannot be
started, fails or is ended, this process compiles everything.

`leave` has a helper process compile everything. That process may share the work with a helper of its own. Compilation
in this process would hold the interpreter's lock, which stops every other thread for seconds; and afterwards numba
would keep hundreds of megabytes of intermediate data.

With MARIONETTE_COMPILE_ALONE=1 in the environment, `share` starts no helper process."""

import gc
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from physics.compiler.jit import ENTRIES, Wanted
from physics.compiler.sources import PACKAGE

ALONE = "MARIONETTE_COMPILE_ALONE"
HELP, ALL = "help", "all"  # a child's task
LOOK_EVERY = 0.1  # s

Key = tuple[str, str, tuple[Any, ...]]  # module and name of an entry, types of its arguments

_child: subprocess.Popen[bytes] | None = None  # that helps
_given: set[Key] = set()  # what some child was asked for: once is enough, should it fail


def share(wanted: Iterable[Wanted], later: Iterable[Wanted] = ()) -> None:
    """Start a helper process that compiles the entries `wanted`, for arguments of these types, from the last to the
    first, and then the entries `later`. Leave out entries that are in the disk cache, and do nothing if fewer than two
    of `wanted` are missing, or if a helper process is still running. Return at once."""
    global _child
    if not _may_help() or (_child is not None and _child.poll() is None):
        return
    missing = [key for key in _missing(wanted) if key not in _given]
    if len(missing) < 2:
        return
    missing = [
        key for key in _missing(later) if key not in _given
    ] + missing  # a helper process takes them from the back
    _given.update(missing)
    _child = _started(HELP, missing)


def leave(wanted: Iterable[Wanted], still_wanted: Callable[[], bool]) -> bool:
    """Have a helper process compile the entries `wanted` that are not in the disk cache. Wait for it, but end it as
    soon as `still_wanted()` is false. Return whether all entries are now in the disk cache."""
    missing = _missing(wanted)
    child = _started(ALL, missing) if missing and _can_start() else None
    if child is None:
        return not missing
    while still_wanted():
        try:
            return child.wait(LOOK_EVERY) == 0
        except subprocess.TimeoutExpired:
            continue
    child.terminate()
    return False


def _missing(wanted: Iterable[Wanted]) -> list[Key]:
    """Return the entries that are not in the disk cache, each once: its module, its name and the types of its
    arguments."""
    return list({(one.module, one.name, kinds): None for one, kinds in wanted if one.is_missing(kinds)})


def _may_help() -> bool:
    """Return whether `share` may start a helper process: it is not forbidden, and there is a second processor."""
    if os.environ.get(ALONE, "0") not in ("", "0"):
        return False
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and _can_start()


def _can_start() -> bool:
    """Return whether `sys.executable` is a Python interpreter. In a frozen program, or one that embeds Python, it is
    that program instead."""
    return Path(sys.executable or "").name.lower().startswith("python") and not hasattr(sys, "frozen")


def _started(task: str, missing: list[Key]) -> subprocess.Popen[bytes] | None:
    """Start a helper process with this task and list of entries. Return it, or None if it cannot be started. It finds
    this package wherever the package is installed. It imports nothing from the current folder, because other people may
    have put files there. It has no window and no output."""
    given = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(path)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *given])}
    if environment.get("NUMBA_CACHE_DIR"):
        environment["NUMBA_CACHE_DIR"] = os.path.abspath(environment["NUMBA_CACHE_DIR"])
    if task == HELP:
        environment[ALONE] = "1"
    words = [sys.executable, "-P", "-m", "physics.compiler.helper_process", task]
    no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        child = subprocess.Popen(
            words, cwd=PACKAGE.parent, env=environment, stdin=pipe, stdout=nothing, stderr=nothing,
            creationflags=no_window,
        )  # fmt: skip
    except OSError:
        return None
    threading.Thread(target=_tend, args=(child, pickle.dumps(missing)), daemon=True).start()
    return child


def _tend(child: subprocess.Popen[bytes], words: bytes) -> None:
    """Send the list `words` to the helper process, and wait for its end. The pipe stays open as long as this process
    runs. When it closes, the helper process knows that this process has ended."""
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.write(words)
        child.stdin.flush()
    child.wait()


# ---------------------------------------------------------------- the child
def _end_with_parent() -> None:
    """End this helper process when the pipe from its parent is closed."""
    os.read(0, 1)
    os._exit(1)


def _compile() -> None:
    """Run as a helper process: read the list of entries from the pipe, and compile them if they are still missing from
    the disk cache."""
    keys: list[Key] = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()  # a tenth of the time
    for module, _, _ in keys:
        import_module(module)
    wanted = [(ENTRIES[module, name], kinds) for module, name, kinds in keys]
    if sys.argv[1] == HELP:
        wanted.reverse()
    else:
        share(wanted)
    for one, kinds in wanted:
        one.address_for(kinds)


if __name__ == "__main__":
    _compile()
