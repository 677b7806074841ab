"""Recordings: what is written while a session goes on is played again to the same bits, however much of it is left."""

import errno
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.run.commands import ChangeGrab, Grab, HoldPose, MoveGrab, Pose, Release, Reset, Restore, Rewind, Set
from app.run.playing import replay
from app.run.recorded_scene import head_of, scene_of
from app.run.recording import (
    BEGIN,
    Key,
    Recorder,
    Recording,
    RecordingError,
    beginning,
    block,
    read_file,
    read_recording,
)
from app.run.simulation import Simulation
from app.run.timeline import read_moment
from physics.world.world import CannotContinueError
from scenes.loading.loader import read_scene
from scenes.text.errors import SceneError
from tests.helpers.app.program import SWING


def opened(name):
    scene = read_scene(name)
    return scene, Simulation(scene.definitions, scene.name, scene.make_world)


def small(folder):
    path = folder / "swing.yaml"
    path.write_text(SWING)
    return opened(path)


class Tape:
    """A recorder whose clock is in the test."""

    def __init__(self, path, scene, simulation):
        self.now = 0.0
        self.simulation = simulation
        self.recorder = Recorder(path, head_of(scene, "as it was opened"), simulation, self.now)

    def run(self, steps, *commands):
        for command in commands:
            self.simulation.do(command)
        self.simulation.step(steps)
        self.now += 0.3
        self.recorder.take(self.now)

    def end(self):
        self.recorder.close(self.now)
        return read_file(self.recorder.path)


def checked(recording):
    """It is played without its scene's own files."""
    recorded = scene_of(recording.head)
    player = replay(recorded.scene.definitions, recording, recorded.scene.make_world)
    assert player.parted is None, player.sentence(recorded.changed)
    return player


def at(simulation, body, up=0.0):
    return tuple((simulation.world.bodies[body].position + np.array([0.0, 0.0, up])).tolist())


@pytest.mark.parametrize("name", ["hand", "robot", "domino", "planar54_loops"])
def test_everything_that_can_be_done_is_played_to_the_same_bits(name, tmp_path):
    """Begun in the middle of a session with grabs, pins and springs that were held, and back to moments before it."""
    scene, simulation = opened(name)
    body, other = simulation.names[-1], simulation.names[-2]
    simulation.step(10)
    simulation.do(Grab(1, body, at(simulation, body)))
    simulation.step(5)
    simulation.do(ChangeGrab(1, pinned=True))
    simulation.do(HoldPose())
    simulation.do(Grab(2, other, at(simulation, other)))
    simulation.step(5)
    tape = Tape(tmp_path / "run.mrn", scene, simulation)
    begun = simulation.world.state_hash()
    tape.run(8, MoveGrab(2, at(simulation, other, 0.02)))
    tape.run(8, Set("settings.solver", "aba"), Set("settings.timestep", 1 / 300))
    tape.run(8, ChangeGrab(2, kind="point"), Release(1))
    after = simulation.timeline.tip - 4
    tape.run(5, Rewind(7))  # before the recording
    simulation.undo()
    tape.run(5)
    tape.run(5, Rewind(after))
    tape.run(5, Reset())
    tape.run(5, Pose(tuple(map(tuple, simulation.world.poses().tolist()))))
    simulation.look_at(simulation.timeline.tip - 2)
    tape.run(6)
    recording = tape.end()
    assert recording.ended
    assert recording.damaged == 0
    player = checked(recording)
    assert player.compared >= 10
    assert player.simulation.world.state_hash() == simulation.world.state_hash() != begun
    assert [type(item.command) for item in recording.log if not isinstance(item, Key)].count(Restore) == 3


def test_a_step_that_could_not_be_taken_is_played_as_it_was(tmp_path):
    scene, simulation = opened("hand")
    tape = Tape(tmp_path / "run.mrn", scene, simulation)
    tape.run(5)
    simulation.do(Set("settings.guard", False))
    simulation.do(Set("settings.integrator", "explicit"))
    simulation.do(Set("settings.stiffness_scale", 1e8))
    with pytest.raises(CannotContinueError):
        tape.run(500)
    assert any(isinstance(entry.command, Rewind) for entry in simulation.entries)
    tape.run(9, Set("settings.integrator", "trbdf2"))
    checked(tape.end())


def test_while_the_past_is_looked_at_no_state_is_compared(tmp_path):
    scene, simulation = opened("hand")
    tape = Tape(tmp_path / "run.mrn", scene, simulation)
    tape.run(9)
    simulation.look_at(3)
    tape.now += 2.0
    tape.recorder.take(tape.now)
    recording = tape.end()
    assert recording.log[-1].tick == 10
    checked(recording)


# ---------------------------------------------------------------- damage
@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    """The bytes of a small recording of many blocks."""
    folder = tmp_path_factory.mktemp("small")
    scene, simulation = small(folder)
    tape = Tape(folder / "run.mrn", scene, simulation)
    for number in range(30):
        tape.run(3, Set("settings.gravity", (0.0, 0.0, -float(number))))
    recording = tape.end()
    return tape.recorder.path.read_bytes(), recording


def test_a_recording_cut_at_any_byte_opens_and_is_shorter(tape):
    data, whole = tape
    head = len(beginning(whole.head))
    lengths = []
    for size in range(len(data)):
        if size < head:
            with pytest.raises(RecordingError):
                read_recording(data[:size])
            continue
        part = read_recording(data[:size])
        assert part.head == whole.head
        assert part.log == whole.log[: len(part.log)]
        assert not part.ended
        lengths.append(len(part.log))
    assert lengths == sorted(lengths)
    assert len(set(lengths)) >= 8  # blocks
    assert lengths[0] == 0
    assert lengths[-1] > 0.7 * len(whole.log)
    for size in (head, (head + len(data)) // 2, len(data) - 1):
        checked(read_recording(data[:size]))


def test_a_changed_byte_ends_the_recording_there(tape):
    data, whole = tape
    rng = np.random.default_rng(5)
    for place in rng.integers(0, len(data), 300).tolist():
        spoilt = bytearray(data)
        spoilt[place] ^= 1 << int(rng.integers(8))
        if place < len(beginning(whole.head)):
            with pytest.raises(RecordingError):
                read_recording(bytes(spoilt))
        else:
            part = read_recording(bytes(spoilt))
            assert part.log == whole.log[: len(part.log)]
            assert part.damaged > 0


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no recording"),
        (b"GIF89a", "no recording"),
        (BEGIN, "no recording"),
        (BEGIN + b"2\n", "format 2 of another version"),
        (BEGIN + b"1\n", "ends before its scene"),
        (BEGIN + b"1\n" + block([]), "ends before its scene"),
        (beginning({"versions": {"marionette": "9.1"}}) + block([[3, "Fly", {}]]), "'Fly' (recorded by version 9.1)"),
        (beginning({}) + block([[3, "Reset", {"wings": 2}]]), "wings"),
    ],
)
def test_what_is_no_recording_is_refused_with_a_sentence(data, words):
    with pytest.raises(RecordingError) as error:
        read_recording(data)
    assert words in str(error.value)


@pytest.mark.parametrize("name", ["../out.yaml", "/out.yaml", ".", "a/../../out.yaml"])
def test_a_recording_writes_nothing_outside_its_own_folder(name, tmp_path):
    scene, _ = small(tmp_path)
    head = head_of(scene, "swing")
    with pytest.raises(SceneError, match="outside"):
        scene_of({**head, "files": {name: "marionette: 1", **head["files"]}})


def test_the_folder_of_a_recorded_scene_goes_with_it(tmp_path):
    scene, _ = small(tmp_path)
    recorded = scene_of(head_of(scene, "swing"))
    root = recorded.root
    assert [path.name for path in root.iterdir()] == ["swing.yaml"]
    del recorded
    assert not root.exists()


# ---------------------------------------------------------------- why it parts
def test_another_scene_parts_at_once_and_says_so(tmp_path):
    scene, simulation = small(tmp_path)
    tape = Tape(tmp_path / "run.mrn", scene, simulation)
    tape.run(20)
    recording = tape.end()
    (tmp_path / "swing.yaml").write_text(SWING.replace("0.1}", "0.2}"))
    other, _ = opened(tmp_path / "swing.yaml")
    player = replay(other.definitions, recording, other.make_world)
    assert (player.parted.after, player.parted.by) == (0, 0)
    assert "same figure" in player.sentence([])
    assert "other scene: a.yaml, b.yaml changed since" in player.sentence(["a.yaml", "b.yaml"])


def test_the_steps_between_which_it_parts_are_named_and_the_version(tmp_path):
    scene, simulation = small(tmp_path)
    tape = Tape(tmp_path / "run.mrn", scene, simulation)
    for _ in range(3):
        tape.run(10)
    recording = tape.end()
    keys = [n for n, item in enumerate(recording.log) if isinstance(item, Key)]
    log = list(recording.log)
    log[keys[1]] = Key(log[keys[1]].tick, "0" * 32)
    own = recording.head["versions"]
    older = {**recording.head, "versions": {**own, "physics": "before", "machine": "another"}}
    player = replay(scene.definitions, Recording(older, tuple(log)), scene.make_world)
    assert (player.parted.after, player.parted.by) == (11, 21)
    assert "between steps 11 and 21" in player.sentence([])
    assert f"other version: physics sources before, now {own['physics']}" in player.sentence([])
    same = replay(scene.definitions, replace(recording, log=tuple(log)), scene.make_world)
    assert "same version" in same.sentence([])


def test_files_of_the_library_are_compared(tmp_path):
    path = tmp_path / "two.yaml"
    path.write_text("marionette: 1\nfigures:\n  mine: {use: fourbar}\n")
    scene, _ = opened(path)
    head = head_of(scene, "two")
    assert list(head["library"]) == ["fourbar.yaml"]
    assert scene_of(head).changed == []
    head["library"]["fourbar.yaml"] += "#"
    assert scene_of(head).changed == ["fourbar.yaml"]


# ---------------------------------------------------------------- disks
class FullFile:
    """A file of a disk that is full after some bytes."""

    def __init__(self, file):
        self.file, self.room = file, 0

    def __getattr__(self, name):
        return getattr(self.file, name)

    def write(self, data):
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        count = self.file.write(bytes(data)[: min(self.room, 7)])
        self.room -= count
        return count


def test_a_full_disk_loses_nothing_of_a_recording(tmp_path):
    """What could not be written is written when there is room; what lies on the disk until then is whole."""
    scene, simulation = small(tmp_path)
    tape = Tape(tmp_path / "run.mrn", scene, simulation)
    for _ in range(5):
        tape.run(3)
    before = len(read_file(tape.recorder.path).log)
    full = tape.recorder._file = FullFile(tape.recorder._file)
    for room in (0, 20, 0, 33, 0):
        full.room = room
        for _ in range(4):
            tape.run(3, Set("settings.gravity", (0.0, 0.0, -float(tape.now))))
        assert tape.recorder.trouble == os.strerror(errno.ENOSPC)
        assert len(read_file(tape.recorder.path).log) == before
    full.room = 1 << 20
    tape.now += 2.0
    tape.run(3)
    assert tape.recorder.trouble == ""
    assert len(checked(tape.end()).simulation.entries) == 21


def test_an_older_file_stays_if_no_recording_can_begin(tmp_path, monkeypatch):
    scene, simulation = small(tmp_path)
    path = tmp_path / "run.mrn"
    path.write_bytes(b"mine")
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
    with pytest.raises(OSError, match="full"):
        Recorder(path, head_of(scene, "swing"), simulation, 0.0)
    assert path.read_bytes() == b"mine"
    assert sorted(p.name for p in Path(tmp_path).iterdir()) == ["run.mrn", "swing.yaml"]


def test_a_moment_is_a_text_and_back():
    _, simulation = opened("hand")
    simulation.do(Set("settings.gravity", (0.0, 0.0, -3.0)))
    simulation.do(Grab(4, "index3", at(simulation, "index3")))
    moment = simulation.moment()
    again = read_moment(moment.text())
    assert again.world == moment.world
    assert again.live == moment.live
    for text in ("", "{}", "[]", '{"world": 3, "live": {}}', moment.text()[:-40]):
        with pytest.raises(ValueError):  # noqa: PT011 - of any kind
            read_moment(text)
