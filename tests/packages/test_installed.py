"""The installed package has the machine code of every unit: nothing is compiled, and numba is not imported, in any
setting of any scene of the library. It runs without a folder that can be written."""

import json
import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from physics.compiler import jit
from physics.compiler.sources import PACKAGE, package_stamp
from scenes.loading.files import library_names

ROOT = PACKAGE.parent
HERE = Path(__file__).parent
WHERE = "import physics, sys; from physics.compiler import sources, store; print(physics.__path__[0]);"
WHAT = "print(sources.package_stamp()); print(store.why_no_shelf())"


def alone(folder: Path, *words: str) -> str:
    """What a Python prints that is started in an empty folder, with an empty home, and can write no unit."""
    nowhere = str(ROOT / "README.md")  # a file, in which even root cannot make a folder
    keep = {k: v for k, v in os.environ.items() if k != "PYTHONPATH" and not k.startswith(("NUMBA_", "MARIONETTE_"))}
    environment = {**keep, "HOME": str(folder), "XDG_CACHE_HOME": nowhere, "NUMBA_CACHE_DIR": nowhere}
    done = subprocess.run(
        [sys.executable, "-P", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """The folder of the installed package, which `pip install .` has made from these sources."""
    folder = tmp_path_factory.mktemp("empty")
    try:
        metadata.distribution("marionette")
    except metadata.PackageNotFoundError:
        pytest.skip("the package is not installed in this environment (pip install .)")
    place, stamp, reason = (alone(folder, "-c", WHERE + WHAT) + "\n").splitlines()[:3]
    if Path(place) == PACKAGE:
        pytest.skip("an editable install has no machine code of its own")
    if stamp != package_stamp():
        pytest.skip("the installed package is not that of these sources (pip install .)")
    assert reason == ""
    return folder


@pytest.mark.skipif(jit.compilation_is_off(), reason="nothing is compiled")
@pytest.mark.parametrize("scene", library_names())
def test_nothing_is_compiled_in_any_setting(installed, scene):
    found = json.loads(alone(installed, str(HERE / "settings.py"), scene))
    assert found.pop("settings") > 20
    assert Path(found.pop("package")) != PACKAGE
    assert found == {"compiled": [], "numba": False}
