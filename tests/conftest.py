"""For all tests: pytest's own workers keep every processor busy, so a cold one compiles without a child, and LAPACK
counts on one processor: threads that wait for each other take up the time of many small factors. Byte code is kept,
beside the kernels that are kept anyway: the tests start some fifty programs, each of which would make it anew."""

import gc
import os
import sys

os.environ.setdefault("MARIONETTE_COMPILE_ALONE", "1")
# read when numpy and scipy are loaded, so here, before any test is
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
gc.disable()  # until all tests are known

# Workers take files in this order, then the rest: the longest first, so that all workers end together, and beside each
# other such as want different kernels, so that none waits while another compiles them.
FIRST = (
    "app/test_window.py",
    "physics/collision/test_narrow.py",
    "physics/bodies/test_nonrigid_motion.py",
    "references/test_contacts.py",
    "app/test_violence.py",
    "scenes/test_kinds.py",
    "scenes/test_fields.py",
    "scenes/test_library.py",
    "app/test_end_to_end.py",
    "physics/solvers/test_maximal_modes.py",
    "physics/integrators/test_stability.py",
    "determinism/test_determinism.py",
    "scenes/test_formulas.py",
    "app/test_failures.py",
    "physics/links/test_conditions.py",
    "physics/joints/test_constraints.py",
    "physics/integrators/test_oscillators.py",
    "physics/links/test_taut.py",
    "physics/compiler/test_jit.py",
    "app/test_cli.py",
    "scenes/test_hostile.py",
)


def pytest_collection_modifyitems(items):
    rank = {f"tests/{name}": number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: rank.get(item.nodeid.partition("::")[0], len(FIRST)))  # stable: others as they are


def pytest_collection_finish():
    """Nine thousand tests are not looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.enable()
