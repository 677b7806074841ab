"""For all tests: pytest's own workers keep every processor busy, so a cold one compiles without a child, and LAPACK
counts on one processor: threads that wait for each other take up the time of many small factors. Byte code is kept,
beside the kernels that are kept anyway: the tests start some fifty programs, each of which would make it anew."""

import gc
import os
import sys
from pathlib import Path

os.environ.setdefault("MARIONETTE_COMPILE_ALONE", "1")
# read when numpy and scipy are loaded, so here, before any test is
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.disable()  # until all tests are known

# Workers take files in this order, then the rest: the longest first, so that all workers end together, and beside each
# other such as want different kernels, so that none waits while another compiles them.
FIRST = (
    "determinism/test_determinism.py",
    "app/ui/test_window.py",
    "app/ui/test_violence.py",
    "determinism/test_golden.py",
    "app/ui/test_end_to_end.py",
    "physics/world/test_every_kind.py",
    "physics/bodies/test_nonrigid.py",
    "app/ui/test_killed.py",
    "helpers/test_support.py",
    "physics/integrators/test_stability.py",
    "physics/links/test_taut.py",
    "app/ui/test_window_mouse.py",
    "references/test_loops.py",
    "packages/test_installed.py",
    "app/host/test_stopping.py",
    "app/host/test_folder.py",
    "architecture/test_array_writers.py",
    "scenes/library/test_library.py",
    "physics/world/test_assembly.py",
    "app/render/test_render.py",
    "determinism/test_machines.py",
    "physics/compiler/test_jit.py",
    "references/test_contacts.py",
)


def pytest_collection_modifyitems(items):
    gone = [name for name in FIRST if not (Path(__file__).parent / name).is_file()]
    assert not gone, f"FIRST in tests/conftest.py names files that are not there: {gone}"
    rank = {f"tests/{name}": number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(FIRST)))  # stable: others as they are


def pytest_collection_finish():
    """Nine thousand tests are not looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
