"""The folder in which a person works is not to be trusted: nothing that lies there is run, whatever its name."""

import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import metadata
from pathlib import Path

import pytest

from app.cli import benchmarks, main
from app.host.folder import PACKAGES
from app.run.compiling import FIRST, Compiler
from tests.helpers.app.window import MISSING
from tests.helpers.app.program import ARM, COLD, TOP, run, start, until

# what Python or a library would import, of itself, of a library, of ours
NAMES = {*sys.stdlib_module_names, *metadata.packages_distributions(), "sitecustomize", "usercustomize", "readline"}
OURS = ("app", "physics", "scenes", "tests", "tests/benchmarks")


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """A folder full of traps with a scene in it; returns it and the file that a trap would write."""
    folder, trace = tmp_path / "scenes from somewhere", tmp_path / "sprung"
    folder.mkdir()
    trap = f"import os\nos.write(os.open({str(trace)!r}, os.O_CREAT | os.O_WRONLY | os.O_APPEND), __file__.encode())\n"
    for name in NAMES:
        if name.isidentifier() and name not in OURS:
            (folder / f"{name}.py").write_text(trap)
    for package in OURS:
        (folder / package).mkdir()
        (folder / package / "__init__.py").write_text(trap)
    (folder / "tests" / "benchmarks" / "__main__.py").write_text(trap)
    (folder / "pyproject.toml").write_text('[project]\nname = "marionette"\n')
    # numba reads it, and loads code from a cache that it names
    (folder / ".numba_config.yaml").write_text(f"cache_dir: {trace}\ndisable_jit: 1\n")
    (folder / "arm.yaml").write_text(ARM)
    monkeypatch.delenv("MARIONETTE_COMPILE_ALONE", raising=False)  # a child helps, as it does for a person
    return folder, trace


def test_the_traps_spring(hostile):
    """Where Python is told to look there."""
    folder, trace = hostile
    subprocess.run([sys.executable, "-c", "import heapq"], cwd=folder, check=True, capture_output=True)
    assert trace.read_text().endswith("heapq.py")


@pytest.mark.parametrize(
    "words",
    [("check", "arm.yaml"), ("simulate", "arm.yaml", "--seconds", "0.1", "--out", "a.csv"), ("list",),
     ("render", "arm.yaml", "--out", "a.mp4", "--seconds", "0.1", "--size", "160x90")],
)  # fmt: skip
def test_commands(hostile, words):
    if words[0] == "render" and MISSING:
        pytest.skip("needs libEGL to draw")
    folder, trace = hostile
    code, _, err = run(folder, *words)
    assert (code, trace.exists()) == (0, False), err


def test_after_python_m_nothing_more_is_imported_from_there(tmp_path):
    """What Python does before cannot be helped: `python -m` looks for `app` itself in the present folder."""
    (tmp_path / "selectors.py").write_text("raise SystemExit('sprung')\n")
    (tmp_path / "arm.yaml").write_text(ARM)
    done = subprocess.run(
        [sys.executable, "-m", "app", "check", "arm.yaml"], cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(TOP)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_numba_reads_no_settings_there(hostile):
    """It looks for them when it is imported, and whenever it compiles; a cache is a place from which code is loaded."""
    folder, trace = hostile
    script = folder.parent / "start.py"
    script.write_text(
        "import os\nfrom physics.compiler.jit import backend\nbackend()\n"
        "from numba.core import config\nprint(config.CACHE_DIR, config.DISABLE_JIT)\n"
        "config.reload_config()\nprint(config.CACHE_DIR, config.DISABLE_JIT)\nprint(os.getcwd())\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")} | {"PYTHONPATH": str(TOP)}
    done = subprocess.run(
        [sys.executable, str(script)], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == f" 0\n 0\n{folder}\n"
    assert not trace.exists()


def test_compiling_for_the_window(hostile, monkeypatch):
    """`python -m app.run.compiling` imported `selectors` from there. The scene is found, though by a relative path."""
    folder, trace = hostile
    monkeypatch.chdir(folder)
    assert Compiler().compile("arm.yaml", FIRST)
    assert not trace.exists()


def test_compiling_beside(hostile, tmp_path):
    """A cold cache: the child that helps is at work when the first kernels are there."""
    folder, trace = hostile
    cache = tmp_path / "cache"
    with start(folder, "simulate", "arm.yaml", environment=COLD | {"NUMBA_CACHE_DIR": str(cache)}) as program:
        until(lambda: len(list(cache.rglob("*.lock"))) > 1)
        program.send_signal(signal.SIGTERM)
        assert program.wait(20) == 1
    assert not trace.exists()


def test_the_window(hostile, tmp_path):
    """On a virtual screen, with a cold cache: its child compiles."""
    if shutil.which("Xvfb") is None:
        pytest.skip("needs xvfb")
    folder, trace = hostile
    read, write = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", "640x480x24"],
        pass_fds=[write], stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        os.close(write)
        with os.fdopen(read) as answer:
            screen = f":{answer.readline().strip()}"
        cache = tmp_path / "cache"
        environment = COLD | {
            "NUMBA_CACHE_DIR": str(cache),
            "DISPLAY": screen,
            "XDG_CONFIG_HOME": str(tmp_path / "own"),
        }
        with start(folder, "arm.yaml", environment=environment) as program:
            until(lambda: any(cache.rglob("*.lock")) or program.poll() is not None)
            program.send_signal(signal.SIGTERM)
            assert program.wait(20) in (1, -signal.SIGKILL)
            assert program.stderr.read().endswith("marionette: stopped\n")
        server.terminate()
    assert not trace.exists()


# ---------------------------------------------------------------- bench
def test_bench_runs_what_belongs_to_the_program(hostile):
    folder, trace = hostile
    code, out, err = run(folder, "bench", "--help")
    assert (code, trace.exists()) == (0, False), err
    assert "Measure speed and error" in out


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_bench_ends_with_the_program(tmp_path):
    """It went on by itself when only the program was told to end."""

    def children():
        parents = {}
        for status in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
        return [p for p, parent in parents.items() if parent == program.pid and "benchmarks" in words_of(p)]

    def words_of(number):
        try:
            return Path(f"/proc/{number}/cmdline").read_text()
        except OSError:
            return ""

    with start(tmp_path, "bench", "--no-peers", "--longest", "0") as program:
        until(children)
        (child,) = children()
        program.send_signal(signal.SIGTERM)
        assert program.wait(20) == 1
    until(lambda: "benchmarks" not in words_of(child), 5.0)


def test_bench_needs_the_checkout_that_the_program_lies_in(hostile, monkeypatch, capsys):
    """The `tests` package of the present folder was run, whatever it was."""
    folder, trace = hostile
    monkeypatch.chdir(folder)
    monkeypatch.setattr(benchmarks, "PACKAGES", folder.parent)
    assert main.main(["bench", "--help"]) == 2
    assert "source checkout" in capsys.readouterr().err
    assert not trace.exists()


def test_a_checkout_is_recognised(tmp_path):
    assert benchmarks.is_checkout(PACKAGES)
    assert not benchmarks.is_checkout(tmp_path)
    (tmp_path / "tests" / "benchmarks").mkdir(parents=True)
    (tmp_path / "tests" / "benchmarks" / "__main__.py").touch()
    assert not benchmarks.is_checkout(tmp_path)
    for text in ("[project", '[project]\nname = "other"\n', "project = 1\n"):
        (tmp_path / "pyproject.toml").write_text(text)
        assert not benchmarks.is_checkout(tmp_path)
    assert Path(main.__file__).is_relative_to(PACKAGES)
