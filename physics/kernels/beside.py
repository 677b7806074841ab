"""What a run needs is compiled by two processes: by this one from the front of the list, by a child from the back.

Nearly all of a first step with an empty cache is compilation, of units that do not wait for each other, and numba
compiles in one thread. So where several are missing from the disk cache and there is a second processor, `share` starts
a child with the list (`python -m physics.kernels.beside`). Of two processes that want the same kernel one compiles it
and the other waits for its file (`kernels.jit`): nothing else has to be agreed on. The child only makes it sooner:
where it cannot be started, fails or is ended, all is compiled here.

MARIONETTE_COMPILE_ALONE=1 in the environment: no child is started.
"""

import gc
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from physics.kernels.jit import ENTRIES, PACKAGE, Wanted

ALONE = "MARIONETTE_COMPILE_ALONE"

_child: subprocess.Popen[bytes] | None = None
_given: set[tuple[Any, ...]] = set()  # what some child was asked for: once is enough, should it fail


def share(wanted: Iterable[Wanted]) -> None:
    """Have a child begin with the last of these entries, for arguments of these types; those in the disk cache are left
    out. Returns at once."""
    global _child
    if not _may_start() or (_child is not None and _child.poll() is None):
        return
    named = {(one.module, one.name, kinds): one.is_missing(kinds) for one, kinds in wanted}
    missing = [key for key, absent in named.items() if absent and key not in _given]
    if len(missing) < 2:
        return
    _given.update(missing)
    _child = _started()
    if _child is not None:
        threading.Thread(target=_tend, args=(_child, pickle.dumps(missing)), daemon=True).start()


def _may_start() -> bool:
    """Whether there is a second processor for it, and a Python of our own kind to start: in a frozen program, or one
    that Python is built into, `sys.executable` is that program."""
    if os.environ.get(ALONE, "0") not in ("", "0"):
        return False
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    is_python = Path(sys.executable or "").name.lower().startswith("python") and not hasattr(sys, "frozen")
    return processors > 1 and is_python


def _started() -> subprocess.Popen[bytes] | None:
    """The child: it finds this package wherever it is, nothing by the present folder, and has no window or output."""
    paths = [str(PACKAGE.parent), *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    environment = {**os.environ, ALONE: "1", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    words = [sys.executable, "-P", "-m", "physics.kernels.beside"]
    no_window = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    try:
        return subprocess.Popen(
            words, env=environment, stdin=pipe, stdout=nothing, stderr=nothing, creationflags=no_window
        )
    except OSError:
        return None


def _tend(child: subprocess.Popen[bytes], words: bytes) -> None:
    """Say what is wanted. The pipe stays open: its end tells the child that this process has ended."""
    assert child.stdin is not None
    with suppress(OSError):
        child.stdin.write(words)
        child.stdin.flush()
    child.wait()


# ---------------------------------------------------------------- the child
def _end_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


def _compile() -> None:
    wanted = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    gc.disable()  # a tenth of the time
    for module, name, kinds in reversed(wanted):
        import_module(module)
        ENTRIES[module, name].address_for(kinds)


if __name__ == "__main__":
    _compile()
