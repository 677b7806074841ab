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


def run_program(program: str) -> str:
    """What a program writes that runs in a process of its own."""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_importing_physics_is_quick_and_imports_no_world():
    program = """
import sys, time
begin = time.perf_counter()
import physics
took = time.perf_counter() - begin
assert "physics.world.world" not in sys.modules
print(took)
"""
    # s; other programs may take the processor in some of the runs
    assert min(float(run_program(program)) for _ in range(3)) < 0.15


def test_numba_is_imported_when_a_kernel_is_compiled():
    """Definitions, the class `World` and the function `load` need neither numba nor scipy, and a world needs numba only
    where there is no machine code."""
    run_program("""
import sys
from physics import Body, Hinge, Scene, Sinusoid, World
from scenes import load
rod = Body(name="rod", mass=1.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0.0, 0.0))
scene = Scene(bodies=[rod], joints=[Hinge(name="pivot", a="world", b="rod", axis=(0.0, 1.0, 0.0))])
wave = Sinusoid(amplitude=0.1, frequency=1.0)
assert not {"numba", "llvmlite", "scipy"} & sys.modules.keys()
world = World(scene)
assert "numba" not in sys.modules
world.step(1)
from physics.compiler.store import why_no_shelf
assert ("numba" in sys.modules) is (why_no_shelf() != "")
""")
