"""The front door: every public name of `physics` has a docstring with an example that runs, and importing the package
is quick."""

import doctest
import subprocess
import sys

import pytest

import physics
from tests.helpers import front_door

# Tables of names, which a docstring cannot be written for.
PLAIN = {"CORRECTIONS", "INTEGRATORS", "MODES", "ORDERS", "WORLD"}
DOCUMENTED = sorted(set(physics.__all__) - PLAIN)


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_name_has_an_example_that_runs(name):
    thing = getattr(physics, name)
    test = doctest.DocTestParser().get_doctest(thing.__doc__ or "", {}, name, None, 0)
    assert test.examples, f"{name} has no example"
    assert any(name in example.source for example in test.examples)
    said: list[str] = []
    assert doctest.DocTestRunner().run(test, out=said.append).failed == 0, "".join(said)


def test_the_stub_is_current():
    assert front_door.STUB.read_text() == front_door.text(), "run python -m tests.helpers.generated"


def test_tables_of_names_are_plain():
    assert all(type(getattr(physics, name)) in (str, tuple, dict) for name in PLAIN)


def test_importing_physics_is_quick_and_imports_no_numba():
    program = """
import sys, time
begin = time.perf_counter()
import physics
took = time.perf_counter() - begin
assert "numba" not in sys.modules and "physics.world.world" not in sys.modules
print(took)
"""
    runs = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True) for _ in range(3)]
    assert all(run.returncode == 0 for run in runs), runs[0].stderr
    assert min(float(run.stdout) for run in runs) < 0.15  # s; other programs may take the processor in some of them
