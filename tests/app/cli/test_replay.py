"""`marionette replay`, and the recordings of `simulate`."""

import json

import pytest

from app.run.recording import SUFFIX, Key, Recording, read_file
from tests.helpers.app.command_line import run
from tests.helpers.app.program import SWING


@pytest.fixture
def recorded(tmp_path, capsys):
    path, scene = tmp_path / f"run{SUFFIX}", tmp_path / "swing.yaml"
    scene.write_text(SWING)
    code, out, _ = run(
        capsys, "simulate", str(scene), "--seconds", "1", "--dt", "1/200", "--solver", "aba", "--set",
        "bodies.bob.mass=3", "--record", str(path), "--json",
    )  # fmt: skip
    assert code == 0
    return path, json.loads(out), scene


def test_a_run_is_played_again_without_its_scene(recorded, capsys):
    path, report, scene = recorded
    scene.unlink()
    code, out, _ = run(capsys, "replay", str(path), "--check")
    again = json.loads(out)
    assert code == 0
    assert again["same"] is again["ended"] is True
    assert again["parted"] is again["why"] is None
    assert again["steps"] == report["steps"] + 1  # the state at the start takes a tick
    assert report["state_hash"].startswith(again["state_hash"])
    assert again["scene"] == "swing"


def test_where_it_parts_and_why(recorded, capsys):
    path, _, _ = recorded
    whole = read_file(path)
    spoilt = tuple(Key(item.tick, "0" * 32) if isinstance(item, Key) else item for item in whole.log)
    versions = {**whole.head["versions"], "marionette": "0.0.1"}
    path.write_bytes(Recording({**whole.head, "versions": versions}, spoilt).data())
    code, out, _ = run(capsys, "replay", str(path), "--check")
    report = json.loads(out)
    assert code == 1
    assert report["same"] is False
    assert report["parted"]["after"] == 0
    assert 0 < report["parted"]["by"] <= whole.ticks
    assert "other version: marionette 0.0.1, now" in report["why"]


def test_a_shortened_recording_says_so(recorded, capsys):
    path, _, _ = recorded
    path.write_bytes(path.read_bytes()[:-5])
    code, out, _ = run(capsys, "replay", str(path), "--check")
    assert code == 0
    report = json.loads(out)
    assert report["ended"] is False
    assert report["damaged_bytes"] > 0


@pytest.mark.parametrize("options", [(), ("--check",)])
@pytest.mark.parametrize(
    ("data", "words"),
    [(b"nonsense", "no recording"), (b"marionette recording 4\n", "format 4"), (None, "No such file")],
)
def test_what_cannot_be_played_is_one_sentence(tmp_path, capsys, options, data, words):
    path = tmp_path / "run.mrn"
    if data is not None:
        path.write_bytes(data)
    code, out, err = run(capsys, "replay", str(path), *options)
    assert code == (1 if data is None else 2)
    assert out == ""
    assert words in err
    assert len(err.strip().splitlines()) == 1
    assert data is None or path.read_bytes() == data


@pytest.mark.parametrize(("name", "words"), [("run.txt", "ends in .mrn"), ("no/run.mrn", "no such folder")])
def test_a_recording_that_cannot_be_written_is_refused_before_the_run(tmp_path, capsys, name, words):
    code, _, err = run(capsys, "simulate", "chain", "--record", str(tmp_path / name))
    assert code == 2
    assert "--record" in err
    assert words in err
