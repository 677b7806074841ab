"""Long work says how long it takes, and Ctrl-C and SIGTERM end the program within half a second, whatever it does."""

import os
import signal
import sys
import threading
import time

import pytest

from app.cli import main
from app.host.progress import Watcher, duration
from app.ui.session import LONG_STEP, Session
from scenes import load
from scenes.loading.loader import read_scene_text
from tests.helpers.app.window import MISSING
from tests.helpers.app.program import ARM, COLD, start, until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")

SOON = 0.5  # s
# one instruction of Python that lasts for hours: with the interpreter's lock free, as a step of a huge figure leaves
# it, and held, as drawing a large picture by software does
FREE = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'', b'', 10**9)"
HELD = "sum(range(10**12))"


def begun(program):
    """What it first says of its progress."""
    line = program.stderr.readline()
    while "%" not in line:
        assert line, program.wait()
        line = program.stderr.readline()
    return line


def ended(program, number):
    """How long it takes to end [s], its code, and what else it said."""
    begin = time.monotonic()
    program.send_signal(number)
    err = program.stderr.read()
    code = program.wait(20)
    return time.monotonic() - begin, code, err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "words",
    [
        ("simulate", "arm.yaml", "--dt", "1e-9", "--seconds", "1e9"),
        ("render", "arm.yaml", "--seconds", "1e9", "--out", "far.png", "--size", "160x90"),
        ("render", "arm.yaml", "--seconds", "1e9", "--out", "long.mp4", "--size", "160x90"),
    ],
    ids=["run", "picture", "film"],
)
def test_work_of_years_says_so_and_ends_at_once(tmp_path, words, number):
    if words[0] == "render" and MISSING:
        pytest.skip("needs libEGL to draw")
    (tmp_path / "arm.yaml").write_text(ARM)
    least = 60.0
    for _ in range(3):  # the least of three, as other tests run beside this one
        with start(tmp_path, *words) as program:
            line = begun(program)
            assert line.endswith(("days left\n", "years left\n", "not known yet\n"))
            spent, code, err = ended(program, number)
            assert (code, err.splitlines()[-1]) == (1, "marionette: stopped")
        least = min(least, spent)
        if least < SOON:
            break
    assert least < SOON
    assert [path.name for path in tmp_path.iterdir()] == ["arm.yaml"]


def test_it_ends_at_once_while_kernels_compile(tmp_path):
    (tmp_path / "arm.yaml").write_text(ARM)
    cache = tmp_path / "cache"
    with start(tmp_path, "simulate", "arm.yaml", environment=COLD | {"NUMBA_CACHE_DIR": str(cache)}) as program:
        assert "compiling" in program.stderr.readline()
        time.sleep(2.0)
        spent, code, _ = ended(program, signal.SIGTERM)
        assert (spent < SOON, code) == (True, 1)


def deaf(tmp_path, *lines, before=""):
    """A program that signals are answered for, and that does not hear them."""
    said = "print('50 %', file=sys.stderr, flush=True)"
    script = tmp_path / "deaf.py"
    script.write_text(
        "\n".join([before, "import sys", "from app.host import stopping", "stopping.answer_signals()", said, *lines])
    )
    return start(tmp_path, script=script)


def test_it_ends_at_once_in_compiled_code(tmp_path):
    with deaf(tmp_path, FREE) as program:
        begun(program)
        time.sleep(0.2)
        spent, code, err = ended(program, signal.SIGTERM)
        assert (spent < SOON, code, err) == (True, 1, "marionette: stopped\n")


def test_it_ends_at_once_while_nothing_in_python_can_run(tmp_path):
    """A file that is half written goes."""
    begin = (
        "from pathlib import Path",
        "from scenes.writing.outputs import _new_file_beside as new",
        "a = new(Path('x.mp4'))",
    )
    with deaf(tmp_path, *begin, HELD) as program:
        begun(program)
        until(lambda: list(tmp_path.glob(".*.part.mp4")))
        time.sleep(0.2)
        spent, code, err = ended(program, signal.SIGTERM)
        assert (spent < SOON, code, err) == (True, -signal.SIGKILL, "marionette: stopped\n")
    if sys.platform == "linux":
        assert not list(tmp_path.glob(".*"))


def test_what_the_caller_ignores_stays_ignored(tmp_path):
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    with deaf(tmp_path, "import time; time.sleep(1)", "print('there')", before=ignoring) as program:
        begun(program)
        program.send_signal(signal.SIGHUP)
        assert program.stdout.read() == "there\n"
        assert program.wait(20) == 0


def test_nothing_is_left_behind(tmp_path):
    """By a program that ends by itself: the process that watches over it ends, too, and was waited for."""
    lines = "import os", "stopping.dismiss_guardian()", "try:", "    os.waitpid(-1, os.WNOHANG)"
    with deaf(tmp_path, *lines, "except ChildProcessError:", "    print('none')") as program:
        assert program.communicate(timeout=20)[0] == "none\n"


# ---------------------------------------------------------------- from Python
def test_many_steps_can_be_broken_off():
    """step(10**9) could only be killed. The world is then where the last step left it."""
    world, twin = (load("chain", links=5) for _ in range(2))
    world.step(1)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        begin = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            world.step(10**9)
        assert time.monotonic() - begin < 0.3 + SOON
    finally:
        signal.signal(signal.SIGINT, before)
    taken = world.steps
    assert taken > 100
    for count in (taken, 10):
        twin.step(count)
    world.step(10)
    assert world.state_hash() == twin.state_hash()


BALL = """marionette: 1
ground: {}
bodies: {ball: {mass: 1, shape: {sphere: {at: [0, 0, 0.12], radius: 0.1}}}}
start: {velocities: {ball: {linear: [1, 0, 0]}}}
"""


@pytest.mark.parametrize("text", [ARM, BALL], ids=["joint", "contact"])
def test_slices_change_no_bit(text):
    """Steps run in slices of one, of seven, of as many as there are."""
    hashes = []
    for size in (1, 7, 10**6):
        world = read_scene_text(text).make_world()
        world._runner.slice, world._runner.pace = size, lambda *_: None
        world.step(150)
        hashes.append((world.steps, world.state_hash()))
    assert hashes[0] == hashes[1] == hashes[2]


# ---------------------------------------------------------------- progress
class Clock:
    def __init__(self):
        self.time, self.done = 100.0, 7

    def run(self, watcher, seconds, steps=0):
        """What is said in that time, looked at five times a second."""
        said = []
        for _ in range(round(seconds / 0.2)):
            self.time += 0.2
            self.done += steps * 0.2 / seconds
            watcher.look()
            said += [text] if (text := watcher.line()) else []
        return said


def watched(total):
    clock = Clock()
    return clock, Watcher(total, lambda: round(clock.done), lambda: clock.time)


def test_the_time_left_is_that_of_what_is_done():
    clock, watcher = watched(10_000)
    (line,) = clock.run(watcher, 1.0, 100)
    assert line == "1 % of 10000 steps, 99 s left"
    assert len(clock.run(watcher, 63.2, 6320)) == 6  # after 2, 4, 8, 16, 32 and 64 s
    assert watcher.left == "36 s left"


def test_of_short_runs_nothing_is_said():
    clock, watcher = watched(100)
    assert clock.run(watcher, 3.0, 80) == []
    clock, watcher = watched(0)  # a picture of the start: there are no steps
    assert clock.run(watcher, 30.0) == []


def test_a_step_that_takes_long_says_so():
    clock, watcher = watched(50)
    clock.run(watcher, 1.0, 5)
    assert clock.run(watcher, 13.0) == [
        "10 % of 50 steps, 18 s left", "step 6 of 50 has taken 3 s so far", "step 6 of 50 has taken 6 s so far",
        "step 6 of 50 has taken 12 s so far",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (99.0, "99 s"), (200.0, "3.3 min"), (7200.0, "2 h"), (86400.0 * 3.5, "3.5 days"),
     (31_557_600.0 * 40, "40 years"), (3.2e13, "1.01e+06 years")],
)  # fmt: skip
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_the_window_says_that_a_step_takes_long(monkeypatch):
    session = Session()
    session.stepper.stepping = time.perf_counter() - LONG_STEP - 1.0
    for _ in range(3):
        session.update()
    assert [m.text for m in session.messages if "longer than 3 s" in m.text] == [session.messages[-1].text]


def test_a_run_in_a_pipe_has_no_bar(capsys):
    assert main.main(["simulate", "chain", "--set", "links=2", "--seconds", "0.1"]) == 0
    assert "steps, " not in capsys.readouterr().err
