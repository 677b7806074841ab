"""The same figure, the same settings: the same bits. Across processes, with and without the disk cache, after snapshot
and restore, in one call of `step` or many, and in plain Python without compilation."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from physics.compiler.jit import compilation_is_off
from physics.data.step_tables import INTEGRATORS, Number
from physics.definitions.checks import DefinitionError
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import figures
from tests.helpers.arrays import state_of, work_of

ROOT = Path(__file__).resolve().parents[2]

RUN = """
import sys
from physics.compiler.jit import compilation_news
from tests.helpers import generators
from tests.helpers import figures
more = {"stiffness": 3.0} if sys.argv[1] == "chain" else {}
compiled = []
with compilation_news(lambda name, number: compiled.append(name)):
    world = figures.in_motion(getattr(generators, sys.argv[1])(**more), integrator=sys.argv[2])
    world.step(int(sys.argv[3]))
print(world.state_hash(), world.redone, len(compiled))
"""


def run_elsewhere(figure: str, integrator: str, steps: int, **environment: str) -> list[str]:
    """State hash and number of redone steps of a run in a process of its own."""
    return run_and_count(figure, integrator, steps, **environment)[:2]


def run_and_count(figure: str, integrator: str, steps: int, **environment: str) -> list[str]:
    """And how many kernels it compiled"""
    done = subprocess.run(
        [sys.executable, "-c", RUN, figure, integrator, str(steps)],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


def moving(figure: str, integrator: str) -> World:
    more = {"stiffness": 3.0} if figure == "chain" else {}
    return figures.in_motion(getattr(generators, figure)(**more), integrator=integrator)


def run_here(figure: str, integrator: str, steps: int) -> list[str]:
    world = moving(figure, integrator)
    world.step(steps)
    return [world.state_hash(), str(world.redone)]


@pytest.mark.skipif(compilation_is_off(), reason="ten thousand steps of plain Python take hours")
def test_two_processes_agree_over_ten_thousand_steps_with_and_without_the_cache(tmp_path):
    """One process compiles all of it for this processor, the next takes all from the disk; this one has it from the
    shelf, which is made for a lower level of processors, or from another folder."""
    here = run_here("humanoid30", "trbdf2", 10_000)
    own = {"NUMBA_CACHE_DIR": str(tmp_path), "MARIONETTE_COMPILED": "0"}
    *first, compiled = run_and_count("humanoid30", "trbdf2", 10_000, **own)
    assert first == here
    assert int(compiled) > 50
    assert run_and_count("humanoid30", "trbdf2", 10_000, **own) == [*here, "0"]


@pytest.mark.skipif(compilation_is_off(), reason="ten thousand steps of plain Python take hours")
@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
def test_ten_thousand_steps_by_way_of_a_snapshot(integrator):
    """Taken half way, and restored into the same world, which has gone on, and into a new one"""
    world = moving("humanoid30", integrator)
    world.step(5_000)
    half = world.snapshot()
    world.step(5_000)
    expected = world.state_hash()
    for other in (world, moving("humanoid30", integrator)):
        other.restore(half)
        other.step(5_000)
        assert other.state_hash() == expected


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_compiled_equals_plain_python(integrator):
    """A humanoid's worth of hinges in a row; more steps would take minutes in plain Python."""
    compiled = run_here("chain30", integrator, 3)
    assert run_elsewhere("chain30", integrator, 3, NUMBA_DISABLE_JIT="1") == compiled


def test_compiled_equals_plain_python_for_stiff_balls():
    """Compiled code takes them four at a time."""
    assert run_elsewhere("chain", "implicit", 3, NUMBA_DISABLE_JIT="1") == run_here("chain", "implicit", 3)


HELD = """
from physics.world.world import World
from tests.helpers import figures
for solver in ("fused", "jsim", "dense"):
    for integrator in ("rk4", "hernandez"):
        world = figures.in_motion(figures.ALL["random0"](), solver=solver, integrator=integrator)
        world.grab("b1", target=(0.3, 0.2, 0.1))
        world.grab("b3", kind="pose", target=(0.3, 0.2, 0.1))
        world.step(3)
        print(world.state_hash())
"""


def test_compiled_equals_plain_python_where_grabs_pull():
    hashes = [
        subprocess.run(
            [sys.executable, "-c", HELD], cwd=ROOT, env={**os.environ, "NUMBA_DISABLE_JIT": off}, capture_output=True,
            text=True, check=True,
        ).stdout.split()
        for off in ("0", "1")
    ]  # fmt: skip
    assert len(hashes[0]) == 6
    assert hashes[0] == hashes[1]


def test_hashes_tell_what_the_guard_goes_by():
    """The same poses and velocities, but whips are no longer let through: the next steps may be others."""
    one, other = moving("humanoid30", "trbdf2"), moving("humanoid30", "trbdf2")
    assert one.state_hash() == other.state_hash()
    work_of(other).number[Number.CREDIT] = 0.0
    assert one.state_hash() != other.state_hash()


def test_roots_are_square_roots():
    """x ** 0.5 is sqrt(x) where it is compiled and pow(x, 0.5) in plain Python, which differ in one of a thousand."""
    found = [
        path.name for path in (ROOT / "physics").rglob("*.py")
        if re.search(r"\*\*\s*\(?0?\.5", path.read_text(encoding="utf-8"))
    ]  # fmt: skip
    assert found == []


@pytest.mark.parametrize("name", ["random0", "random1", "hand", "particles"])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_one_call_equals_many(name, integrator):
    one = figures.in_motion(figures.ALL[name](), integrator=integrator)
    many = figures.in_motion(figures.ALL[name](), integrator=integrator)
    one.step(60)
    for count in (1, 2, 1, 26, 30):
        many.step(count)
    assert one.state_hash() == many.state_hash()


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_snapshot_and_restore(integrator):
    """With steps that the guard redoes in between (fast motion), and settings changed after the snapshot."""
    world = figures.in_motion(generators.hand(stiffness=0.1), speed=3.0, integrator=integrator)
    world.step(20)
    kept = world.snapshot()
    world.step(200)
    expected, redone, time = world.state_hash(), world.redone, world.time
    world.use_integrator("explicit")
    world.stiffness_scale = 7.0
    world.joints["index1_joint"].stiffness = 3.0
    world.gravity = (0.0, 0.0, 0.0)
    world.step(50)
    assert world.state_hash() != expected
    world.restore(kept)
    assert (world.integrator, world.stiffness_scale) == (integrator, 1.0)
    assert world.joints["index1_joint"].stiffness == 0.1
    assert world.snapshot() == kept
    world.step(200)
    assert (world.state_hash(), world.redone, world.time) == (expected, redone, time)


def test_restore_goes_into_another_world_of_the_same_figure():
    first = figures.in_motion(generators.humanoid30())
    first.step(30)
    second = World(generators.humanoid30())
    second.restore(first.snapshot())
    first.step(30)
    second.step(30)
    assert first.state_hash() == second.state_hash()


@pytest.mark.parametrize("bad", [b"", b"MRNT", b"x" * 100])
def test_bytes_that_are_no_snapshot_are_refused(bad):
    world = World(generators.chain(3))
    before = world.state_hash()
    with pytest.raises(DefinitionError, match="snapshot"):
        world.restore(bad)
    assert world.state_hash() == before


def test_a_snapshot_of_another_figure_is_refused():
    world = World(generators.chain(3))
    with pytest.raises(DefinitionError, match="same figure"):
        world.restore(World(generators.chain(4)).snapshot())


def test_every_number_of_the_state_is_in_the_hash():
    world = World(generators.chain(3))
    world.grab("link2")
    for array in state_of(world):
        if not array.size:
            continue  # of what this figure has none
        before = world.state_hash()
        array[-1, -1] += 1e-300 if array[-1, -1] == 0.0 else 1e-16 * array[-1, -1] * 4
        assert world.state_hash() != before
