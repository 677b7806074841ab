"""A helper process that compiles, either along with this process or in its place.

`share` divides the list of what a run needs between two processes: this one compiles from the front, the helper process
from the back. Nearly all of a first step with an empty cache is compilation. Units do not depend on each other, and
numba compiles in one thread. So where several units are missing from the disk cache and there is a second processor,
`share` starts a helper process with the list (`python -m physics.compiler.helper_process`). Where two processes want
the same kernel, one compiles it and the other waits for its file (`compiler.jit`); they need no other agreement. The
helper process only makes the run start sooner: where it cannot be started, fails or is ended, this process compiles
everything.

`leave` has a helper process compile everything, which may share the work with a helper of its own. Compiling in this
process would hold the interpreter's lock, which stops every other thread for seconds, and numba keeps hundreds of
megabytes of what it compiled from.

With MARIONETTE_COMPILE_ALONE=1 in the environment no helper process is started.
"""

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
    """Start a helper process that compiles the entries `wanted` from the last to the first, for arguments of these
    types, and then the entries `later`. Entries in the disk cache are left out. Return at once."""
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
    """Have a helper process compile those of the entries `wanted` that are not in the disk cache, and wait for it as
    long as `still_wanted()` is true. Return whether the disk cache then has all of them."""
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
    """Return the entries that are not in the disk cache, each once, by module, name and types of arguments."""
    return list({(one.module, one.name, kinds): None for one, kinds in wanted if one.is_missing(kinds)})


def _may_help() -> bool:
    """Return whether a helper process is allowed, and there is a second processor for it."""
    if os.environ.get(ALONE, "0") not in ("", "0"):
        return False
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and _can_start()


def _can_start() -> bool:
    """Return whether `sys.executable` is a Python that can be started. In a frozen program, or one that embeds Python,
    it is that program."""
    return Path(sys.executable or "").name.lower().startswith("python") and not hasattr(sys, "frozen")


def _started(task: str, missing: list[Key]) -> subprocess.Popen[bytes] | None:
    """Return a helper process started with this task and list of entries, or None if it could not be started. It finds
    this package wherever that is, imports nothing from the current folder (which may be anybody's), and has no window
    or output."""
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
    """Send the list `words` to the helper process and wait for its end. The pipe stays open, so that its closing tells
    the helper process that this process has ended."""
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
    """Run a helper process: read the list of entries from the pipe, and compile those that are missing from the disk
    cache."""
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
