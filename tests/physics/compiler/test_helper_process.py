"""A child compiles along: what it has done is taken, and where it cannot be had nothing changes."""

import importlib
import os
import stat
import sys

import pytest

from physics.compiler import helper_process, store
from physics.compiler.jit import compilation_is_off, compilation_news
from physics.world.world import World
from tests.helpers import generators
from tests.determinism import small

NAMES = ["first", "second", "third"]
VALUES = [8, 14, 49]  # of 7
WAIT = 60.0  # s

pytestmark = pytest.mark.skipif(compilation_is_off(), reason="nothing is compiled")


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """Entries whose cache is empty, in a process that may start a child."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv(helper_process.ALONE, "0")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(helper_process, "_child", None)
    monkeypatch.setattr(helper_process, "_given", set())
    store.cache_folder.cache_clear()
    made = importlib.reload(small)
    yield [made.first, made.second, made.third]
    store.cache_folder.cache_clear()


def shared(kernels):
    """The child that it starts, ended; None where there is none."""
    helper_process.share([(one, ("i",)) for one in kernels])
    if helper_process._child is not None:
        helper_process._child.wait(WAIT)
    return helper_process._child


def used(kernels):
    """What comes out, and what was compiled in this process."""
    compiled = []
    with compilation_news(lambda name, _: compiled.append(name)):
        values = [one(7) for one in kernels]
    return values, compiled


def test_what_the_child_compiled_is_taken(kernels):
    assert all(one.is_missing(("i",)) for one in kernels)
    child = shared(kernels)
    assert child.returncode == 0
    assert not any(one.is_missing(("i",)) for one in kernels)
    assert used(kernels) == (VALUES, [])


def test_what_is_there_and_what_was_asked_for_is_not_asked_for_again(kernels):
    assert shared(kernels[:1]) is None  # one alone is compiled here
    kernels[0](7)
    child = shared(kernels)
    assert shared(kernels) is child
    assert used(kernels) == (VALUES, [])
    assert {name for _, name, _ in helper_process._given} == {"second", "third"}


def test_a_child_that_fails_changes_nothing(kernels, tmp_path, monkeypatch):
    broken = tmp_path / "python-broken"
    broken.write_text("#!/bin/sh\nexit 3\n")
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(sys, "executable", str(broken))
    if os.name == "posix":
        assert shared(kernels).returncode == 3
    assert used(kernels) == (VALUES, NAMES)


def test_a_python_that_is_not_there(kernels, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert shared(kernels) is None
    assert used(kernels) == (VALUES, NAMES)


@pytest.mark.parametrize("why", ["alone", "one processor", "frozen", "built in", "no executable"])
def test_none_is_started(kernels, monkeypatch, why):
    if why == "alone":
        monkeypatch.setenv(helper_process.ALONE, "1")
    elif why == "one processor":
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda: 1)
    elif why == "frozen":
        monkeypatch.setattr(sys, "frozen", True, raising=False)
    else:
        monkeypatch.setattr(sys, "executable", "blender" if why == "built in" else None)
    assert shared(kernels) is None


def test_the_child_ends_with_its_parent(kernels, monkeypatch):
    """The end of the pipe tells it, though there is enough to do left."""
    started, children = helper_process._started, []

    def remembered(*words):
        children.append(started(*words))
        return children[0]

    monkeypatch.setattr(helper_process, "_started", remembered)
    monkeypatch.setattr(helper_process, "_tend", lambda child, words: (child.stdin.write(words), child.stdin.close()))
    helper_process.share([(one, (kind,)) for one in kernels for kind in "ifb"])
    assert children[0].wait(WAIT) == 1


def test_a_child_does_it_all(kernels, monkeypatch):
    """Here nothing is compiled, whatever keeps a child from helping."""
    monkeypatch.setenv(helper_process.ALONE, "1")
    wanted = [(one, ("i",)) for one in kernels]
    assert helper_process.leave(wanted, lambda: True)
    assert used(kernels) == (VALUES, [])
    assert helper_process.leave(wanted, lambda: False)  # nothing is left to wait for


def test_what_is_no_longer_wanted_is_not_waited_for(kernels):
    assert not helper_process.leave([(one, ("i",)) for one in kernels], lambda: False)
    assert used(kernels) == (VALUES, NAMES)


def test_a_world_names_what_its_steps_compile():
    """All of it, and nothing else: what `share` hands over, and what the window asks before it steps."""
    world = World(generators.chain(3), solver="lagrange", integrator="implicit")
    world.step(1)
    assert world.uncompiled == 0
    named = {(one.module, one.name) for one, _ in world.engine.kernels.entries(world.engine.kernels.groups())}
    assert {name for _, name in named} >= {"attend", "advance", "answer", "drive"}
    assert ("physics.solvers.lagrange", "answer") in named
    assert ("physics.integrators.implicit", "advance") in named
    assert all(kinds in one.addresses for one, kinds in world.engine.kernels.entries(world.engine.kernels.groups()))
