"""`marionette doctor`: what it finds on a machine where all is well, and the remedy for each problem."""

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager
from importlib import metadata
from types import SimpleNamespace

import pytest

from app.cli import doctor
from app.host import health
from app.host.troubles import HEADLESS
from app.render import trial
from tests.helpers.app.command_line import run as run_here
from tests.helpers.app.program import run
from tests.helpers.app.window import MISSING

KEYS = ["ok", "versions", "machine_code", "compiler", "drawing", "display", "folders", "extras", "problems"]
draws = pytest.mark.skipif(bool(MISSING), reason="needs libEGL to draw")


@contextmanager
def screen():
    """A virtual screen; yields its name."""
    if shutil.which("Xvfb") is None:
        pytest.skip("needs xvfb")
    read, write = os.pipe()
    with subprocess.Popen(
        ["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", "640x480x24"],
        pass_fds=[write], stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        os.close(write)
        with os.fdopen(read) as answer:
            yield f":{answer.readline().strip()}"
        server.terminate()


def examined(folder, **environment):
    """The exit code, the report, and its problems by what they are about."""
    code, out, _ = run(folder, "doctor", "--json", environment=environment)
    report = json.loads(out)
    return code, report, {problem["about"]: problem for problem in report["problems"]}


@draws
def test_where_all_is_well(tmp_path):
    """If a checkout has no machine code, the report says this, and names no other problem."""
    own = tmp_path / "own"
    with screen() as name:
        code, report, problems = examined(tmp_path, DISPLAY=name, XDG_CONFIG_HOME=str(own))
    assert list(report) == KEYS
    assert set(problems) == ({"machine_code"} if report["machine_code"]["why_no_shelf"] else set())
    assert (code, report["ok"]) == ((1, False) if problems else (0, True))
    assert report["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    assert report["versions"]["numpy"] == metadata.version("numpy")
    assert report["versions"]["numba"] == metadata.version("numba")
    assert report["compiler"] == {"usable": True, "trouble": ""}
    assert float(report["drawing"]["opengl"].split()[0]) >= 3.3
    assert report["display"] == {"name": name, "reached": True}
    assert report["folders"]["settings"]["path"] == str(own / "marionette")
    assert all(folder["writable"] and folder["free"] > 0 for folder in report["folders"].values())
    assert not (own / "marionette").exists()  # it leaves nothing there
    assert set(report["extras"]["video"]) == {"for", "av"}


def test_where_much_is_wrong_each_problem_has_its_remedy(tmp_path):
    """No display, OpenGL 2.1, a HOME that cannot be written, a cache that cannot, and no machine code."""
    home = tmp_path / "home"
    home.touch()  # no folder can be made in it, not even by root
    environment = {
        "DISPLAY": "", "MESA_GL_VERSION_OVERRIDE": "2.1", "HOME": str(home), "XDG_CONFIG_HOME": "",
        "XDG_CACHE_HOME": "", "NUMBA_CACHE_DIR": str(home / "cache"), "MARIONETTE_COMPILED": "0",
    }  # fmt: skip
    code, report, problems = examined(tmp_path, **environment)
    assert (code, report["ok"]) == (1, False)
    assert set(problems) == {"machine_code", "drawing", "display", "cache", "settings"}
    assert problems["machine_code"]["problem"].endswith("MARIONETTE_COMPILED=0 is set")
    assert problems["machine_code"]["remedy"] == "unset MARIONETTE_COMPILED"
    assert problems["display"]["remedy"] == HEADLESS
    assert "Not a directory" in problems["settings"]["problem"]
    assert "XDG_CONFIG_HOME" in problems["settings"]["remedy"]
    assert "NUMBA_CACHE_DIR" in problems["cache"]["remedy"]
    assert report["folders"]["settings"]["writable"] is False
    assert report["folders"]["cache"] == {"path": None, "writable": False, "free": None}
    assert report["machine_code"]["source"] == "compiler"
    if not MISSING:
        assert problems["drawing"]["problem"].startswith("OpenGL 3.3 or later is needed")
        assert "LIBGL_ALWAYS_SOFTWARE=1" in problems["drawing"]["remedy"]
    text = run(tmp_path, "doctor", environment=environment)[1].splitlines()
    assert text[-1].split() == ["result", "5", "problems"]
    assert sum(line.split()[0] == "PROBLEM" for line in text) == 5
    assert sum(line.split()[0] == "remedy" for line in text) == 5
    assert max(len(line) for line in text if " " in line.strip()) <= 80


def test_a_display_that_cannot_be_reached(monkeypatch):
    monkeypatch.setenv("DISPLAY", ":987")
    problems = []
    assert health.display(problems) == {"name": ":987", "reached": False}
    assert [(p.about, p.remedy) for p in problems] == [("display", HEADLESS)]


def test_a_missing_package(monkeypatch):
    version = metadata.version

    def without_scipy(name):
        if name == "scipy":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(health.metadata, "version", without_scipy)
    problems = []
    assert health.versions(problems)["scipy"] is None
    assert problems == [("versions", "the package scipy is missing", "pip install scipy")]


def test_extras_are_no_problem(monkeypatch):
    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(health.metadata, "version", missing)
    assert health.extras() == {"video": {"for": "films", "av": None}}


def test_a_full_disk(monkeypatch, tmp_path):
    monkeypatch.setattr(health.shutil, "disk_usage", lambda path: SimpleNamespace(free=5e6))
    problems = []
    assert health.folder("cache", tmp_path, problems)["free"] == 5e6
    assert [p.about for p in problems] == ["cache"]
    assert "only 5 MB left" in problems[0].problem


def test_a_folder_is_really_written(monkeypatch, tmp_path):
    """The rights may be there, and the disk full: only writing shows it."""

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(health.os, "fsync", full)
    problems = []
    assert health.folder("settings", tmp_path, problems)["writable"] is False
    assert "No space left on device" in problems[0].problem
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_does_not_fit(monkeypatch):
    why = "ImportError: Numba needs NumPy 2.3 or less. Got NumPy 2.9."
    monkeypatch.setattr(doctor, "why_no_compiler", lambda: why)
    problems = []
    assert doctor._compiler(problems) == {"usable": False, "trouble": why}
    assert problems[0].problem.endswith(why)
    assert problems[0].remedy.startswith("pip install --force-reinstall marionette")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended the program (SIGSEGV)"),
        ("raise SystemExit(3)", "ended with code 3"),
        ("import time; time.sleep(30)", "did not end within"),
    ],
)
def test_a_driver_that_ends_the_program(monkeypatch, code, said):
    monkeypatch.setattr(doctor, "child_words", lambda module: [sys.executable, "-c", code])
    monkeypatch.setattr(doctor, "LONGEST", 2.0)
    problems = []
    assert doctor._drawing(problems)["opengl"] == ""
    assert said in problems[0].problem
    assert "LIBGL_ALWAYS_SOFTWARE=1" in problems[0].remedy


@draws
def test_pixels_are_compared(monkeypatch):
    assert trial.try_to_draw()["trouble"] == ""
    monkeypatch.setattr(trial, "PIXELS", trial.PIXELS.replace(f"{trial.BLUE}.0", f"{trial.BLUE + 1}.0"))
    assert trial.try_to_draw()["trouble"].startswith("OpenGL draws wrong pixels (256 of 768 values);")


@pytest.mark.parametrize(
    ("why", "remedy"),
    [
        ("NUMBA_BOUNDSCHECK is set", "unset NUMBA_BOUNDSCHECK"),
        ("NUMBA_DISABLE_JIT=1 is set", "unset NUMBA_DISABLE_JIT"),
        ("the machine code was made from other sources", "python -m physics.world.every_unit build/compiled"),
    ],
)
def test_the_remedy_for_missing_machine_code(why, remedy):
    assert remedy in doctor._shelf_remedy(why)


def test_the_remedy_of_an_installed_program(monkeypatch, tmp_path):
    monkeypatch.setattr(doctor, "PACKAGES", tmp_path)
    why = "the machine code is for processors of level x86-64-v3, and this one has no avx2"
    assert "--no-binary marionette" in doctor._shelf_remedy(why)


def test_the_exit_code_is_that_of_the_report(capsys, monkeypatch):
    fine = {
        "ok": True, "versions": {"marionette": "1"}, "compiler": {"usable": True, "trouble": ""},
        "machine_code": {"source": "shelf", "units": 162, "level": "x86-64-v3", "shelf": "compiled", "processor": "zen",
                         "processor_level": "x86-64-v3"},
        "drawing": {"opengl": "4.5", "renderer": "llvmpipe", "trouble": ""}, "problems": [],
        "display": {"name": ":0", "reached": True}, "folders": {}, "extras": {"video": {"for": "films", "av": None}},
    }  # fmt: skip
    monkeypatch.setattr(doctor, "examine", lambda: fine)
    code, out, _ = run_here(capsys, "doctor")
    assert code == 0
    assert "162 units for x86-64-v3 came with the program" in out
    assert "pip install 'marionette[video]'" in out
    assert out.splitlines()[-1].split(maxsplit=1) == ["result", "all is well"]
    problem = {"about": "display", "problem": "p", "remedy": "r"}
    monkeypatch.setattr(doctor, "examine", lambda: fine | {"ok": False, "problems": [problem]})
    assert run_here(capsys, "doctor")[0] == 1
    assert run_here(capsys, "doctor", "--json")[0] == 1


def test_signals_have_names():
    assert doctor._ended(-signal.SIGSEGV)["trouble"].startswith("the graphics driver ended the program (SIGSEGV)")
