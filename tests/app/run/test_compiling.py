"""Children that compile: one at a time, whoever waits first, nothing that nobody wants any more. None is started."""

import subprocess
import sys
import threading
import time
from typing import ClassVar

import pytest

from app.run import aside, compiling, requests as ask
from app.run.commands import Set
from app.run.compiling import Compiler, Needs, NeedsCompilingError
from app.run.stepper import Stepper
from physics.world.world import World
from scenes.loading.loader import read_scene
from tests.helpers import generators

WAIT = 10.0  # s, for threads on a busy machine


class Child:
    """In the place of a process: runs until it is told to end."""

    running: ClassVar[list["Child"]] = []
    started: ClassVar[list[str]] = []  # their modes
    most = 0

    def __init__(self, words, **_):
        self.nice, self.solver = int(words[4]), words[6]
        Child.started.append(self.solver)
        self.over, self.code = threading.Event(), 0
        Child.running.append(self)
        Child.most = max(Child.most, len(Child.running))

    def wait(self):
        assert self.over.wait(WAIT)
        Child.running.remove(self)
        return self.code

    def terminate(self):
        self.end(-15)

    def end(self, code=0):
        self.code = code
        self.over.set()


@pytest.fixture
def children(monkeypatch):
    Child.running, Child.started, Child.most = [], [], 0
    monkeypatch.setattr(compiling.subprocess, "Popen", Child)
    return Child


def until(true):
    end = time.monotonic() + WAIT
    while not true():
        assert time.monotonic() < end
        time.sleep(0.002)


def started(compiler, needs, wanted=lambda: True):
    """In a thread of its own; its answer comes into the list."""
    answers = []
    threading.Thread(target=lambda: answers.append(compiler.compile("hand", needs, wanted)), daemon=True).start()
    return answers


def test_one_at_a_time_and_what_is_no_longer_wanted_is_left_out(children):
    compiler = Compiler()
    first = started(compiler, Needs("aba"))
    until(lambda: children.running)
    later = [started(compiler, Needs("cg"), lambda: False), started(compiler, Needs("jsim"))]
    until(lambda: compiler._waiting == 3)
    assert compiler.doing is not None
    assert compiler.doing[0] == "aba with trbdf2"
    children.running[0].end()
    until(lambda: [c.solver for c in children.running] == ["jsim"])
    children.running[0].end()
    until(lambda: all(later) and first)
    assert (first, later) == ([True], [[False], [True]])
    assert children.most == 1
    assert compiler.doing is None


def test_what_is_waited_for_stops_the_background_which_begins_again(children, monkeypatch):
    monkeypatch.setattr(compiling, "is_compiled", lambda source, needs: False)
    compiler = Compiler()
    compiler.make_ready("hand", [Needs("cg")])
    until(lambda: children.running)
    background = children.running[0]
    assert background.nice == compiling.NICEST
    assert compiler.doing is None  # nobody waits for it
    answer = started(compiler, Needs("aba"))
    until(lambda: [c.solver for c in children.running] == ["aba"])
    assert background.code == -15
    children.running[0].end()
    until(lambda: answer == [True] and [c.solver for c in children.running] == ["cg"])
    compiler.close()  # ends it for good
    until(lambda: not children.running)


def test_the_background_starts_no_child_for_what_is_there(children, monkeypatch):
    missing = {("aba", 2): 3}  # mode and number of joints of a chain of two -> kernels

    def uncompiled(world):
        return missing.get((world.solver, len(world.joints)), 0)

    monkeypatch.setattr(World, "uncompiled", property(uncompiled))
    assert compiling.is_compiled("chain", Needs("aba"))
    monkeypatch.setattr(compiling, "read_scene", lambda source: read_scene(source, parameters={"links": 2}))
    compiler = Compiler()
    compiler.make_ready("chain", [Needs("cg"), Needs("aba"), Needs("jsim")])
    until(lambda: children.running)
    assert children.running[0].solver == "aba"
    missing.clear()
    children.running[0].end()
    until(lambda: not children.running)
    until(lambda: not [t for t in threading.enumerate() if t.name == "compile the rest"])
    assert children.started == ["aba"]


def test_a_child_that_fails_is_said_so(children):
    compiler = Compiler()
    answer = started(compiler, Needs("aba"))
    until(lambda: children.running)
    children.running[0].end(1)
    until(lambda: answer == [False])


def test_of_two_modes_asked_for_while_compiling_the_last_one_stays(monkeypatch):
    """Keys 6 and 1 in a row: the figure must not change to 6 once that is ready."""
    missing, ready = {"aba"}, threading.Event()

    def check(scene, needs):
        if needs.solver in missing:
            raise NeedsCompilingError(needs)

    def compile_mode(needs, wanted):
        ready.wait(WAIT)
        missing.discard(needs.solver)

    monkeypatch.setattr(aside, "check_compiled", check)
    stepper = Stepper(compile_mode=compile_mode)
    stepper.ask(ask.Load(generators.chain(3), "chain"))
    stepper.ask(Set("settings.solver", "aba"))
    stepper.ask(Set("settings.solver", "fused"))
    stepper.turn()
    assert stepper._aside.coming
    ready.set()
    until(lambda: not stepper._aside.coming)
    time.sleep(0.02)
    stepper.turn()
    assert stepper.snapshot.values["settings.solver"] == "fused"
    stepper.ask(Set("settings.solver", "aba"))
    stepper.turn()
    assert stepper.snapshot.values["settings.solver"] == "aba"


def test_a_figure_goes_on_while_the_next_one_is_compiled_and_the_last_one_asked_for_comes(monkeypatch):
    figures = [generators.chain(n) for n in (2, 3, 4)]
    missing, ready, seen = {len(figures[1].bodies), len(figures[2].bodies)}, threading.Event(), []

    def check(scene, needs):
        if len(scene.bodies) in missing:
            raise NeedsCompilingError(needs)

    def compile_mode(needs, wanted):
        seen.append(wanted)
        ready.wait(WAIT)
        if wanted():
            missing.clear()

    now = [0.0]
    monkeypatch.setattr(aside, "check_compiled", check)
    stepper = Stepper(compile_mode=compile_mode, now=lambda: now[0])
    stepper.ask(ask.Load(figures[0], "first"))
    stepper.turn()
    for figure, name in ((figures[1], "second"), (figures[2], "third")):
        stepper.ask(ask.Load(figure, name))
    for _ in range(3):
        now[0] += 0.05
        stepper.turn()
    assert stepper.snapshot.name == "first"
    assert stepper.snapshot.tick > 20  # it moves
    until(lambda: len(seen) == 2)
    assert [wanted() for wanted in seen] == [False, True]
    ready.set()
    until(lambda: stepper._requests)
    stepper.turn()
    assert stepper.snapshot.name == "third"
    assert stepper.snapshot.undo == "load third"


def test_what_could_not_be_compiled_aside_is_loaded_all_the_same(monkeypatch):
    def check(scene, needs):
        if len(scene.bodies) == 3:
            raise NeedsCompilingError(needs)

    monkeypatch.setattr(aside, "check_compiled", check)
    stepper = Stepper(compile_mode=lambda needs, wanted: None)
    for links in (2, 3):
        stepper.ask(ask.Load(generators.chain(links), f"chain {links}"))
    stepper.turn()
    for _ in range(2):  # to move, and as the scene has it
        until(lambda: stepper._requests or stepper.snapshot.name == "chain 3")
        stepper.turn()
    assert stepper.snapshot.name == "chain 3"


def test_a_child_ends_with_its_window():
    """A window that is killed leaves nothing behind that compiles on: the pipe's end tells it."""
    words = [sys.executable, "-m", "app.run.compiling", "0", "hand", "fused", "trbdf2", "dynamic", "1"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        child.stdin.close()
        assert child.wait(60.0) == 1
        assert child.stderr.read() == b""


def test_settings_are_compiled_aside_before_a_step(monkeypatch):
    """Contacts, limits and sleep are no part of Needs: what they bring with them is compiled elsewhere all the same."""
    stepper = Stepper(compile_mode=lambda needs, wanted: None)
    stepper.ask(ask.Load(generators.chain(2), "chain"))
    stepper.turn()
    asked = []
    monkeypatch.setattr(stepper.simulation.world.engine.kernels, "program", None)
    monkeypatch.setattr(type(stepper.simulation.world), "uncompiled", property(lambda self: 1 - len(asked)))
    monkeypatch.setattr(
        type(stepper.simulation.world), "compile_elsewhere", lambda self, wanted: asked.append(wanted())
    )
    stepper.ask(ask.Publish())
    stepper.turn()
    assert asked == [True]
    assert any("Compiling" in news.text for news in stepper.news)
