"""What is written is whole or not there at all, and what could not be written is said."""

import os
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.cli import main
from app.host.settings import Settings, save_settings
from app.render.film import write_film
from app.ui.saving import own_copy
from scenes.loading.loader import read_scene
from scenes.text.errors import SceneError
from scenes.writing.outputs import UNFINISHED, refusal, written
from tests.helpers.app.window import MISSING
from tests.helpers.app.program import ARM, run

try:
    import resource
except ModuleNotFoundError:  # on Windows
    resource: Any = None
try:
    from av import open as open_film
except ModuleNotFoundError:
    open_film: Any = None

BEFORE = b"what was there before"


def full(*_):
    raise OSError(28, "No space left on device")


@contextmanager
def no_room():
    """As on a full disk: what is written beyond 2000 bytes of a file fails. Byte code of Python, too, which would keep
    what it could write of it."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        sys.dont_write_bytecode = keep


def films(count):
    rng = np.random.default_rng(0)
    return (rng.integers(0, 256, (90, 160, 3)).astype("u1") for _ in range(count))


# ---------------------------------------------------------------- a full disk
DRAWN = pytest.mark.skipif(bool(MISSING) or open_film is None, reason="needs libEGL to draw, and av")


@pytest.mark.skipif(resource is None, reason="needs RLIMIT_FSIZE")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("simulate", "arm.yaml", "--seconds", "1"), "run.npz"),
        (("simulate", "arm.yaml", "--seconds", "1"), "run.csv"),
        pytest.param(("render", "arm.yaml", "--size", "320x180"), "picture.png", marks=DRAWN),
        pytest.param(("render", "arm.yaml", "--size", "320x180", "--seconds", "0.5"), "film.mp4", marks=DRAWN),
        pytest.param(("render", "arm.yaml", "--size", "320x180", "--seconds", "0.5"), "film.gif", marks=DRAWN),
    ],
)
@pytest.mark.parametrize("before", [None, BEFORE], ids=["new", "over another"])
def test_a_full_disk_is_told_and_leaves_what_was_there(tmp_path, capsys, monkeypatch, words, name, before):
    """`render --out x.mp4` said "15 pictures" and left a film that no program plays."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.yaml").write_text(ARM)
    assert main.main([*words, "--out", name]) == 0  # all is compiled and imported
    (tmp_path / name).unlink()
    if before is not None:
        (tmp_path / name).write_bytes(before)
    capsys.readouterr()
    with no_room():
        code = main.main([*words, "--out", name])
    out, err = capsys.readouterr()
    assert (code, out) == (1, "")
    assert err.splitlines()[-1] == f"marionette: {name}: File too large"
    left = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.name != "arm.yaml"}
    assert left == ({} if before is None else {name: before})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="mounts a small disk")
def test_a_small_disk(tmp_path):
    pytest.importorskip("av")
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], capture_output=True).returncode:
        pytest.skip("no right to mount")
    try:
        with pytest.raises(OSError, match="No space left") as caught:
            write_film(disk / "x.mp4", films(60))
        assert caught.value.filename == str(disk / "x.mp4")
        assert list(disk.iterdir()) == []
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_film_is_looked_at_before_it_takes_its_place(tmp_path, monkeypatch):
    """Should the library not tell that a write failed."""
    av = pytest.importorskip("av")
    path = tmp_path / "film.mp4"
    assert write_film(path, films(7)) == 7
    with av.open(str(path)) as film:
        assert sum(1 for _ in film.decode(video=0)) == 7
    whole = path.read_bytes()

    class Container:
        def __init__(self, inner):
            self.inner = inner

        def __enter__(self):
            self.inner.__enter__()
            return self

        def __exit__(self, *trouble):
            return self.inner.__exit__(*trouble)

        def __getattr__(self, name):
            return getattr(self.inner, name)

        def mux(self, packets):  # the last packets are lost without a word
            self.inner.mux(packets[:3])

    monkeypatch.setattr(av, "open", lambda file, *how, **more: (
        Container(open_film(file, *how, **more)) if how == ("w",) else open_film(file, *how, **more)
    ))  # fmt: skip
    with pytest.raises(OSError, match="of 7 pictures could be written"):
        write_film(path, films(7))
    assert path.read_bytes() == whole


def test_a_copy_of_a_scene_is_whole_or_not_there(tmp_path, monkeypatch):
    """Of the library's hand, with its parts."""
    scene = read_scene("robot")
    monkeypatch.setattr("scenes.writing.outputs.os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        own_copy(scene, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_settings_that_cannot_be_written_are_said(tmp_path, monkeypatch):
    path = tmp_path / "settings.json"
    path.write_bytes(BEFORE)
    monkeypatch.setattr("scenes.writing.outputs.os.fsync", full)
    assert "No space left" in save_settings(Settings(), path)
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("settings.json", BEFORE)]


# ---------------------------------------------------------------- one file
def test_a_file_takes_its_place_at_the_end(tmp_path):
    path = tmp_path / "a.bin"
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    with written(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == BEFORE
        assert len(UNFINISHED) == 1
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["a.bin"]
    assert not UNFINISHED


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "file")
    for content in (b"1", b"2"):
        with written(tmp_path / "link") as file:
            file.write(content)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "deep" / "file").read_bytes() == b"2"


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_what_breaks_off_leaves_nothing(tmp_path, error):
    def write():
        with written(tmp_path / "a") as file:
            file.write(b"1")
            raise error

    with pytest.raises(error):
        write()
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_through_a_link_that_lies_in_wait(tmp_path):
    """Under the name that the next file beside would have."""
    victim = tmp_path / "victim"
    victim.write_bytes(BEFORE)
    (tmp_path / f".{os.getpid()}-0.part").symlink_to(victim)
    with written(tmp_path / "a") as file:
        file.write(b"1")
    assert victim.read_bytes() == BEFORE


# ---------------------------------------------------------------- what is no file
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes with names")
@pytest.mark.parametrize("words", [("simulate", "chain", "--out"), ("render", "chain", "--out")])
@pytest.mark.parametrize("kind", ["pipe", "link to a pipe", "device", "folder"])
def test_what_is_no_file_is_refused_at_once(tmp_path, capsys, words, kind):
    """Opening a pipe waited for a reader, for ever."""
    path = tmp_path / ("run.npz" if words[0] == "simulate" else "film.mp4")
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to(os.devnull)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.mkfifo(tmp_path / "pipe")
        path.symlink_to(tmp_path / "pipe")
    assert main.main([*words, str(path)]) == 2
    said = "a folder" if kind == "folder" else "a pipe or a device"
    assert said in capsys.readouterr().err


def test_refusals(tmp_path):
    assert refusal(tmp_path / "new") == ""
    assert refusal(tmp_path / "none" / "new") == "no such folder"
    assert refusal(Path("a\0b")) != ""
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        (tmp_path / "locked").mkdir(mode=0o500)
        assert refusal(tmp_path / "locked" / "new") == "no right to write there"


# ---------------------------------------------------------------- a faulty file and no display
def test_a_faulty_file_is_told_before_the_display_that_is_missing(tmp_path):
    keep = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_CONFIG_HOME": str(tmp_path)}
    (tmp_path / "bad.yaml").write_text(ARM.replace("axis: y", "axis: up"))
    code, _, err = run(tmp_path, "bad.yaml", environment=keep)
    assert code == 2
    assert "bad.yaml:5:" in err
    assert "display" not in err
    (tmp_path / "good.yaml").write_text(ARM)
    code, _, err = run(tmp_path, "good.yaml", environment=keep)
    assert code == 1
    assert "no display" in err


def test_a_scene_that_cannot_be_read_is_no_copy(tmp_path, monkeypatch):
    def refuse(path):
        raise SceneError([])

    scene = read_scene("hand")
    monkeypatch.setattr("app.ui.saving.read_scene", refuse)
    with pytest.raises(SceneError):
        own_copy(scene, tmp_path)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
