"""`marionette bench`: the benchmarks of a source checkout, run as a program of their own."""

import subprocess
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path

from app.cli.console import PROGRAM, BadInputError
from app.host.folder import PACKAGES, child_environment, child_words


def run_benchmarks(options: Sequence[str]) -> int:
    """Run the benchmarks as a separate program, and return its exit code. They are always those of the source checkout
    that contains this program. A folder `tests` in the current folder may come from anybody, and is not used."""
    if not is_checkout(PACKAGES):
        raise BadInputError(
            "the benchmarks need a source checkout: install it with `pip install -e .` in its top folder; "
            f"this program lies in {PACKAGES}"
        )
    words = child_words("tests.benchmarks", *options)
    with subprocess.Popen(words, cwd=PACKAGES, env=child_environment()) as child:
        try:
            while child.poll() is None:
                time.sleep(0.05)  # waiting for it by itself would give it a quarter of a second after Ctrl-C
        except KeyboardInterrupt:
            child.terminate()
            raise
    return child.returncode


def is_checkout(folder: Path) -> bool:
    """Return whether a folder is the top folder of this project's sources."""
    try:
        project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return project == PROGRAM and (folder / "tests" / "benchmarks" / "__main__.py").is_file()
