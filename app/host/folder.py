"""The folder in which a person works is not to be trusted: a scene that was fetched from somewhere may lie beside files
named like modules, or like settings of libraries. None of them is run or read.

`app.__main__` takes the present folder off the path of modules; here is the rest. Child processes start in the folder
of the packages with `-P`, which leaves the present folder out.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[2]  # the folder in which `app`, `scenes` and `physics` lie


@contextmanager
def imports_from_here() -> Iterator[None]:
    """While the libraries are imported: away from the present folder, which may hold files that they read by
    themselves (numba's `.numba_config.yaml` can name a cache, from which code is loaded)."""
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
    """numba looks for its file anew whenever it compiles, in the folder that is then the present one."""
    from numba.core import config

    config._config_fname = os.devnull


def child_words(module: str, *arguments: str) -> list[str]:
    """How another Python is started with a module of ours."""
    return [sys.executable, "-P", "-m", module, *arguments]


def child_environment() -> dict[str, str]:
    """Where it finds the packages; it is to be started in PACKAGES."""
    given = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if os.path.isabs(entry)]
    path = os.pathsep.join([str(PACKAGES), *given])
    return {**os.environ, "PYTHONPATH": path}
