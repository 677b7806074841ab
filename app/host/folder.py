"""The folder in which a person works is not trusted. A scene from somebody else may lie next to files with the names of
modules, or of settings of libraries. None of these is run or read.

`app.__main__` removes the current folder from the path of modules. Child processes start in the folder of the packages
with `-P`, which leaves the current folder out. Numba would read its settings there; `physics.compiler.jit` keeps it
from that.
"""

import os
import sys
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2]  # the folder in which `app`, `scenes` and `physics` lie


def child_words(module: str, *arguments: str) -> list[str]:
    """Return the command line that starts a module of this program in another Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment() -> dict[str, str]:
    """Return the environment of a child process, which must be started in PACKAGES."""
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGES), *given])}
    if environment.get("NUMBA_CACHE_DIR"):
        environment["NUMBA_CACHE_DIR"] = os.path.abspath(environment["NUMBA_CACHE_DIR"])
    return environment
