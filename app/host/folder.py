"""The folder in which a person works is not trusted. A scene from somebody else may lie next to files with the names of
modules, or of settings of libraries. None of these is run or read.

`app.__main__` removes the current folder from the path of modules; this module does the rest. Child processes start in
the folder of the packages with `-P`, which leaves the current folder out.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2]  # the folder in which `app`, `scenes` and `physics` lie


@contextmanager
def imports_from_here() -> Iterator[None]:
    """Change to the folder of the packages while libraries are imported in the block. The current folder may hold files
    that libraries read without being asked (numba's `.numba_config.yaml` can name a cache from which code is
    loaded)."""
    try:
        before = os.getcwd()
    except OSError:  # it was removed
        before = None
    cache = os.environ.get("NUMBA_CACHE_DIR")
    if cache and before is not None:
        os.environ["NUMBA_CACHE_DIR"] = os.path.join(before, cache)  # an absolute one stays as it is
    os.chdir(PACKAGES)
    try:
        yield
    finally:
        if before is not None:
            with suppress(OSError):
                os.chdir(before)
        never_read_numba_file()


def never_read_numba_file() -> None:
    """Keep numba from reading its configuration file, for which it looks in the current folder at every compilation."""
    from numba.core import config

    config._config_fname = os.devnull


def child_words(module: str, *arguments: str) -> list[str]:
    """Return the command line that starts a module of this program in another Python."""
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment() -> dict[str, str]:
    """Return the environment of a child process, which must be started in PACKAGES."""
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    path = os.pathsep.join([str(PACKAGES), *given])
    return {**os.environ, "PYTHONPATH": path}
