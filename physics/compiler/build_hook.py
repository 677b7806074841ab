"""What hatchling runs when a wheel is built: the machine code of every unit is put into it.

MARIONETTE_COMPILED in the environment: 0 makes a wheel of Python alone; a folder, one with the shelf that lies there.
Otherwise the units are compiled in parallel (`physics.world.every_unit`), and kept in `build/`, so that a second build
takes seconds. Where that fails, the wheel is one of Python alone, with a warning: its kernels are compiled when they
are first called. Editable installs have no shelf either.
"""

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ASKED = "MARIONETTE_COMPILED"
FILES = ("index.json", "units.bin")
NEEDED = ("numba", "numpy", "scipy", "lazy-loader")  # by what compiles the units


class CompileHook(BuildHookInterface):
    """The hook that puts the shelf of machine code into a wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs beside hatchling: what compiles the units."""
        if os.environ.get(ASKED) == "0":
            return []
        return [name for name in self.metadata.core.dependencies if name.startswith(NEEDED)]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the units, and add the shelf and the wheel's tag to `build_data`. Warn where that fails."""
        asked = os.environ.get(ASKED, "")
        if version == "editable" or asked == "0":
            return
        folder = Path(asked) if asked else Path(self.root) / "build" / "compiled"
        if not asked and not self.compiles(folder):
            message = "the kernels could not be compiled now; they will be when they are first called"
            self.app.display_warning(message)
            return
        for name in FILES:
            build_data["force_include"][str(folder / name)] = f"physics/_compiled/{name}"
        build_data["pure_python"] = False
        # the machine code calls neither Python nor a library of a certain version
        build_data["tag"] = f"py3-none-{platform_tag()}"

    def compiles(self, folder: Path) -> bool:
        """Write the shelf to a folder. Return whether that succeeded; else warn with the last line of the error."""
        cache = Path(self.root) / "build" / "kernels"
        words = [sys.executable, "-P", "-m", "physics.world.every_unit", str(folder)]
        # the packages of the build's own environment are in PYTHONPATH
        path = os.pathsep.join([self.root, *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(cache)}
        done = subprocess.run(words, cwd=self.root, env=environment, check=False, stderr=subprocess.PIPE, text=True)
        if done.returncode:
            self.app.display_warning(done.stderr.strip().rpartition("\n")[2])
        return done.returncode == 0


def platform_tag() -> str:
    """Return the platform of the wheel's name. Linux: any glibc from 2.17 on, as the machine code names none of its
    symbols that a version added; macOS: from 11 on."""
    machine = platform.machine().lower().replace("amd64", "x86_64")
    if sys.platform == "linux":
        return f"manylinux_2_17_{machine}"
    if sys.platform == "darwin":
        return f"macosx_11_0_{machine}"
    return "win_amd64" if machine == "x86_64" else f"win_{machine}"
