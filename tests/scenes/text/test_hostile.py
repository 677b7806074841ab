"""Hostile files: a clear error within a second and 500 MB, no traceback, nothing outside the scene's folder is read."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from scenes.kinds.sections import MOST_BODIES
from scenes.loading.loader import read_scene
from scenes.text.errors import SceneError, listing
from scenes.text.reader import DEEPEST, MOST_BYTES

TOP = Path(__file__).resolve().parents[3]
SECONDS = 1.0
HEAD = "marionette: 1\n"
BALL = "bodies: {a: {shape: {sphere: {at: [0, 0, 0], radius: 1}}}}\n"


def bomb(kind: str) -> str:
    """Nine levels of nine aliases each: 387 million values, in 300 characters."""
    open_, close = ("[", "]") if kind == "list" else ("{", "}")
    lines = [f"a0: &a0 {open_}{'x' if kind == 'list' else 'k: v'}{close}"]
    for n in range(1, 10):
        items = ", ".join((f"*a{n - 1}" if kind == "list" else f"k{i}: *a{n - 1}") for i in range(9))
        lines.append(f"a{n}: &a{n} {open_}{items}{close}")
    return HEAD + "\n".join(lines)


FILES: dict[str, tuple[bytes, str]] = {
    "alias bomb": (bomb("list").encode(), "too much in one file"),
    "alias bomb of mappings": (bomb("map").encode(), "too much in one file"),
    "deep lists": ((HEAD + "name: " + "[" * 100_000).encode(), f"deeper than {DEEPEST}"),
    "deep mappings": ((HEAD + "name:\n" + "".join("  " * i + "a:\n" for i in range(1, 900))).encode(), f"deeper than {DEEPEST}"),
    "long scalar": ((HEAD + BALL + "name: " + "x" * 20_000_000).encode(), "a text of 20000000 characters"),
    "long number": ((HEAD + "settings: {timestep: " + "9" * 1_000_000 + "}").encode(), "1000000 characters"),
    "long expression": ((HEAD + "settings: {timestep: " + "1+" * 100_000 + "1}").encode(), "an expression of"),
    "deep expression": ((HEAD + "settings: {timestep: '" + "(" * 140 + "1" + ")" * 140 + "'}").encode(), "deeper"),
    "tower of powers": ((HEAD + "settings: {timestep: 9^9^9^9^9^9^9}").encode(), "not a finite real number"),
    "long name": ((HEAD + "bodies: {" + "a" * 1_000_000 + ": {mass: 1}}").encode(), "in braces"),
    "binary": (bytes(range(256)) * 100, "is not UTF-8 text"),
    "zeros": (bytes(1000), "is not allowed in a text file"),
    "utf-16": ((HEAD + BALL).encode("utf-16"), "is not UTF-8 text"),
    "latin-1": ((HEAD + "name: Händ\n").encode("latin-1"), "0xe4 is not UTF-8"),
    "nan and infinity": ((HEAD + "settings: {gravity: [.nan, .inf, -.inf]}\n").encode(), "a number in m/s^2"),
    "huge count": ((HEAD + "repeat: {c: {count: 1e9, body: {kind: particle, mass: 1, at: [0, 0, 0]}}}").encode(), "from 1 to"),
    "many rows": (
        (HEAD + "repeat:\n" + "".join(f"  c{k}: {{count: {MOST_BODIES // 4}, body: {{kind: particle, mass: 1, at: [0, 0, 0]}}}}\n"
                                      for k in range(6))).encode(), "bodies in one scene, allowed"),
    "device": (b"", "not a file"),
    "a circle of includes": ((HEAD + "include: [hostile.yaml]\n").encode(), "includes in a circle: hostile.yaml -> hostile.yaml"),
    "a circle of figures": ((HEAD + "figures: {a: {use: hostile.yaml}}\n").encode(), "figures in a circle"),
    "outside": ((HEAD + "include: [../outside.yaml]\n").encode(), "outside the scene's folder"),
    "outside by a link": ((HEAD + "include: [link.yaml]\n").encode(), "outside the scene's folder"),
    "absolute": ((HEAD + "include: [/nowhere/else.yaml]\n").encode(), "outside the scene's folder"),
    "a name that is none": ((HEAD + 'include: ["a\\0b.yaml"]\n').encode(), "no name of a file"),
    "pairs without end": ((HEAD + BALL + "contacts: {never: [" + ", ".join(["[a, a]"] * 50_000) + "]}").encode(), "50,000 pairs, allowed"),
    "more groups than bits": (
        (HEAD + "bodies:\n" + "".join(f"  b{k}: {{collide: g{k}, shape: {{sphere: {{at: [0, 0, 0], radius: 1}}}}}}\n" for k in range(500))
         + "contacts: {never: [" + ", ".join(f"[g{k}, g{k}]" for k in range(500)) + "]}").encode(), "at most 62",
    ),
    "groups of everything": (
        (HEAD + "repeat: {c: {count: 10000, body: {kind: particle, mass: 1, at: [0, 0, 0]}}}\n"
         + "groups: {" + ", ".join(f"g{k}: ['*', '*']" for k in range(500)) + "}").encode(), "members of groups",
    ),
    "surfaces that are none": ((HEAD + BALL + "materials: {a: {friction: .inf, restitution: .nan}}\nground: {height: 1e999}\n").encode(), "from 0 to 100"),
    "ten thousand mistakes": ((HEAD + "bodies:\n" + "".join(f"  b{k}: {{mas: 1}}\n" for k in range(10_000))).encode(), "unknown key 'mas'"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused_soon(name, tmp_path):
    data, words = FILES[name]
    folder = tmp_path / "scenes"
    folder.mkdir()
    (tmp_path / "outside.yaml").write_text(HEAD + BALL)
    (folder / "link.yaml").symlink_to(tmp_path / "outside.yaml")
    path = folder / "hostile.yaml"
    path.write_bytes(data)
    if name == "device":
        path = Path("/dev/zero")
    start = time.process_time()
    with pytest.raises(SceneError) as caught:
        read_scene(path)
    spent = time.process_time() - start
    assert words in listing(caught.value.problems)
    assert spent < SECONDS


def test_a_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "large.yaml"
    with path.open("wb") as file:
        file.truncate(MOST_BYTES * 100)  # sparse: takes no room on the disk
    start = time.process_time()
    with pytest.raises(SceneError, match="2400 MB, allowed: at most 24 MB"):
        read_scene(path)
    assert time.process_time() - start < 0.1


def test_figures_inside_figures_end(tmp_path):
    """Eight levels of ten figures each would be a hundred million bodies."""
    for level in range(8):
        inner = "".join(f"  f{k}: {{use: level{level + 1}.yaml}}\n" for k in range(10))
        (tmp_path / f"level{level}.yaml").write_text(HEAD + "figures:\n" + inner)
    (tmp_path / "level8.yaml").write_text(HEAD + BALL)
    start = time.process_time()
    with pytest.raises(SceneError, match=r"figures and includes in one scene|deeper than"):
        read_scene(tmp_path / "level0.yaml")
    assert time.process_time() - start < SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
@pytest.mark.parametrize("name", ["alias bomb", "deep lists", "long scalar", "ten thousand mistakes"])
def test_memory_stays_within_bounds(name, tmp_path):
    """The whole program, as a person starts it: 500 MB above what it has before the file is read."""
    path = tmp_path / "hostile.yaml"
    path.write_bytes(FILES[name][0])
    code = (
        "import resource, sys; from app.cli import main as cli; before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        f"code = cli.main(['check', {str(path)!r}]); after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss;"
        "print('grown', (after - before) // 1024, code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=TOP, capture_output=True, text=True, check=True, env=os.environ
    )
    grown, code_out = (int(x) for x in done.stdout.split("grown")[1].split())
    assert grown < 500
    assert code_out == 2
    assert "Traceback" not in done.stderr
