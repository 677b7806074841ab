"""The disk cache: its key covers every source that is reached, and no state of its folder can stop or falsify a run."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from physics.compiler import jit, sources, store
from physics.integrators import redoing
from physics.solvers import fused
from physics.world import running
from physics.world.world import World
from tests.helpers import generators

ROOT = Path(__file__).resolve().parents[3]

SMALL = """
from physics.compiler.jit import compilation_news
from tests.determinism import small
calls = []
with compilation_news(lambda name, count: calls.append(name)):
    print(*(one(7) for one in (small.first, small.second, small.third)), len(calls))
"""
VALUES = "8 14 49"


def printed(code: str, cache: Path | None = None, **others: str) -> str:
    """By a process of its own"""
    environment = {**os.environ, **({} if cache is None else {"NUMBA_CACHE_DIR": str(cache)}), **others}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def run(cache: Path) -> int:
    """How many of three small kernels were compiled."""
    values, _, compiled = printed(SMALL, cache).rpartition(" ")
    assert values == VALUES
    return int(compiled)


@pytest.fixture
def filled(tmp_path) -> Path:
    assert run(tmp_path) == 3
    return tmp_path


def test_a_filled_cache_compiles_nothing(filled):
    assert run(filled) == 0


def test_truncated_files_count_as_absent(filled):
    """The hash before the code, the code, and a file with nothing in it"""
    units = sorted(filled.rglob("*.unit"))
    assert len(units) == 3
    for path, size in zip(units, (20, 100, 0), strict=True):
        path.write_bytes(path.read_bytes()[:size])
    assert run(filled) == 3
    assert run(filled) == 0  # and they have been written anew


FULL = """
import errno, os
replace, room = os.replace, [ROOM]
def full(name, path):
    room[0] -= 1
    if room[0] < 0:
        raise OSError(errno.ENOSPC, "No space left on device")
    replace(name, path)
os.replace = full
"""
MISSING = """
from tests.determinism import small
print([one.is_missing(("i",)) for one in (small.first, small.second, small.third)])
"""


@pytest.mark.skipif(jit.compilation_is_off(), reason="nothing is compiled")
def test_a_full_disk_keeps_what_was_there_and_nobody_counts_on_the_rest(tmp_path):
    """A unit that could not be written is missing: a window that looks for it does not wait for a file."""
    assert printed(FULL.replace("ROOM", "1") + SMALL, tmp_path) == f"{VALUES} 3"
    assert printed(MISSING, tmp_path) == "[False, True, True]"
    assert printed(FULL.replace("ROOM", "0") + SMALL, tmp_path) == f"{VALUES} 2"
    assert printed(MISSING, tmp_path) == "[False, True, True]"
    assert run(tmp_path) == 2
    assert run(tmp_path) == 0


@pytest.mark.skipif(jit.compilation_is_off(), reason="nothing is compiled")
def test_folders_that_cannot_be_written(tmp_path):
    """Files in the place of folders, as even root cannot write there: neither where the user says nor beside the
    source, so the cache moves to the user's own folder; where that cannot be written either there is none."""
    package = tmp_path / "written"
    package.mkdir()
    (package / "small.py").write_text((ROOT / "tests" / "determinism" / "small.py").read_text())
    (package / "__pycache__").touch()
    code = f"import sys; sys.path.insert(0, {str(package)!r})\n" + SMALL.replace("from tests.determinism ", "")
    for user, counts in ((tmp_path / "user", (3, 0)), (ROOT / "README.md", (3, 3))):
        for count in counts:
            assert printed(code, ROOT / "README.md", XDG_CACHE_HOME=str(user)) == f"{VALUES} {count}"


@pytest.mark.skipif(jit.compilation_is_off(), reason="nothing is compiled")
def test_a_run_goes_on_to_the_same_bits_where_what_redoes_a_step_is_compiled_in_its_middle(monkeypatch):
    """A motion so fast that the guard follows it in substeps: the driver stops, another process compiles, the run goes
    on."""

    def motion() -> str:
        moving = World(generators.chain(3))
        moving.step(2)
        moving.bodies["link1"].angular_velocity = (300.0, 600.0, 100.0)
        moving.step(5)
        assert moving.substepped > 0
        return moving.state_hash()

    state = motion()
    waited = []
    monkeypatch.setattr(jit.Entry, "is_missing", lambda self, kinds: self is redoing.redo)
    monkeypatch.setattr(running, "leave", lambda entries, still_wanted: waited.append(entries))
    assert motion() == state
    assert [entry for entry, _ in waited[0]] == [redoing.redo]
    assert len(waited) == 1


BROKEN_OFF = """
import fcntl, os, pathlib
from physics.world.world import World
from tests.helpers import generators

def refuse(name, number):
    print(name, number)
    raise RuntimeError(name)

try:
    World(generators.chain(3)).step(5, progress=refuse)
except RuntimeError:
    pass
locks = list(pathlib.Path(os.environ["NUMBA_CACHE_DIR"]).rglob("*.lock"))
for lock in locks:
    fcntl.flock(lock.open("wb"), fcntl.LOCK_EX | fcntl.LOCK_NB)
print(len(locks))
"""


@pytest.mark.skipif(store.fcntl is None, reason="no such locks on this system")
def test_who_breaks_a_compilation_off_keeps_nobody_waiting(tmp_path):
    """The window does: it has another process compile, which must not wait for the window."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), store.OFF: "0"}
    done = subprocess.run(
        [sys.executable, "-c", BROKEN_OFF], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told, locks = done.stdout.splitlines()
    assert told.endswith(" 1")  # a cold run tells of each function that it compiles, from the first
    assert int(locks) > 0


def test_key_covers_every_source_that_is_reached(tmp_path, monkeypatch):
    package = tmp_path / "physics"
    (package / "far").mkdir(parents=True)
    monkeypatch.setattr(sources, "PACKAGE", package)

    def stamp(**texts):
        for name, text in texts.items():
            (package / f"{name.replace('__', '/')}.py").write_text(text)
        sources.source_stamp.cache_clear()
        sources.imported.cache_clear()
        sources._text.cache_clear()
        return sources.source_stamp(package / "a.py")

    first = stamp(a="from physics import b\n", b="from physics.far.c import x\n", far__c="x = 1\n", other="")
    assert stamp(other="y = 1\n") == first  # not reached
    second = stamp(far__c="x = 2\n")
    third = stamp(b="import physics.far.c\nfrom physics.far.c import x\n")
    assert len({first, second, third}) == 3
    assert stamp(far__c="x = 1\n", b="from physics.far.c import x\n") == first


SOURCES = sorted(sources.PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: p.relative_to(sources.PACKAGE).as_posix())
def test_imports_are_those_that_python_sees(path):
    """They are looked for by pattern, which is forty times faster than parsing."""
    seen: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            seen |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            seen |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    places = [sources.PACKAGE.joinpath(*name.split(".")[1:]) for name in seen if name.split(".")[0] == "physics"]
    files = {f for place in places for f in (place.with_suffix(".py"), place / "__init__.py") if f.is_file()}
    assert sources.imported(path) == files


def test_an_entry_reaches_what_it_is_made_of():
    """The imports of the default mode's file lead to what its kernels call."""
    names = {p.relative_to(sources.PACKAGE).as_posix() for p in sources.reached(Path(fused.__file__))}
    assert {"solvers/fused.py", "maths/vec.py", "compiler/jit.py", "data/work_tables.py"} <= names
    assert "integrators/trbdf2.py" not in names
