"""Write every generated page anew: `python -m tests.helpers.generated`, or only those that are named, such as
`python -m tests.helpers.generated arrays names`. Tests compare each page with what is written here."""

import os
import subprocess
import sys
from collections.abc import Sequence

# of each page: its file, the module that writes it, and that module's arguments
PAGES: dict[str, tuple[str, ...]] = {
    "names": ("physics/__init__.pyi", "tests.helpers.front_door"),
    "arrays": ("physics/data/ARRAYS.md", "physics.data.reference"),
    "writers": ("physics/data/writers.py", "tests.architecture.writers"),
    "walk": ("physics/driver/README.md", "tests.physics.driver.walk", "--write"),
    "scenes": ("scenes/REFERENCE.md and assets/scene.schema.json", "scenes.writing.reference"),
    "list": ("assets/list.json", "app.cli.listing"),
    "support": ("physics/definitions/SUPPORT.md", "tests.helpers.support"),
}
# The walk records calls of Python functions: kernels that are not compiled. So do the pages that compile nothing.
PLAIN = ("names", "arrays", "writers", "walk", "scenes", "list")


def write(names: Sequence[str] = tuple(PAGES)) -> None:
    """Write the pages with these names."""
    for name in names:
        file, module, *arguments = PAGES[name]
        sys.stdout.write(f"{file}\n")
        sys.stdout.flush()
        environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"} if name in PLAIN else None
        command = [sys.executable, "-m", module, *arguments]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    write(sys.argv[1:] or tuple(PAGES))
