"""Under NUMBA_BOUNDSCHECK=1 no index goes out of bounds unnoticed. The whole suite runs under it
(.github/CONTRIBUTING.md); here, that it would tell: kernels call each other by address, where numba by itself asks
nobody how it went.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from physics.compiler import jit

ROOT = Path(__file__).resolve().parents[3]

CODE = """
from physics.compiler import unit
from physics.compiler.lazy import far, provide
from physics.compiler.jit import entry
from physics.driver.run import Run
from physics.driver.units import NO_CONTACTS
from physics.world.world import World
from tests.helpers import generators
from tests.helpers.arrays import model_of, state_of, work_of


@far("by hand", "mi", "i")
def read_far(m, i):
    return m.topology[i, 0]


@entry("msw", "i")
def read(m, s, w):
    return m.topology[w.control[0], 0]


@entry("msw", "i")
def read_through(m, s, w):
    return read_far(m, w.control[0])


@entry("r", "i")
def run(tables):
    return unit.call(tables.units, 0, tables.places)


world = World(generators.chain(3))
packs = (model_of(world), state_of(world), work_of(world))
provide(("by hand",), packs)
for kernel in (read, read_through):
    for row in (2, 10**6):
        work_of(world).control[0] = row
        try:
            tables = Run(work_of(world).control, *unit.tables([kernel], packs), *NO_CONTACTS)
            print(run(tables) == model_of(world).topology[row, 0])
        except IndexError as error:
            print(error)
"""


@pytest.mark.skipif(jit.compilation_is_off(), reason="nothing is compiled")
def test_an_index_out_of_bounds_comes_up_through_calls_by_address(tmp_path):
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["True", "index is out of bounds"] * 2
