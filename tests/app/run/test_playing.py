"""Recordings in the stepper: begun, ended by what the user does, and played in real time."""

import pytest

from app.run.commands import Grab, Set
from app.run.recorded_scene import head_of
from app.run.recording import read_file
from app.run.requests import Load, LookAt, Pause, Record, StopRecording, Undo
from app.run.stepper import Stepper
from scenes.loading.loader import read_scene


class Turns:
    """A stepper whose clock is in the test."""

    def __init__(self):
        self.now = 0.0
        self.stepper = Stepper(now=lambda: self.now)

    def load(self, name, **more):
        scene = read_scene(name)
        self.go(0.1, Load(scene.definitions, scene.name, scene.make_world, **more))
        return scene

    def go(self, seconds, *requests):
        for request in requests:
            self.stepper.ask(request)
        for _ in range(max(1, round(60 * seconds))):
            self.now += 1 / 60
            while self.stepper.turn() == 0.0:
                pass

    @property
    def texts(self):
        return [news.text for news in self.stepper.news]


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("recordings") / "run.mrn"
    turns = Turns()
    scene = turns.load("hand")
    turns.go(0.5, Record(path, head_of(scene, "hand")))
    turns.go(0.5, Set("settings.solver", "aba"))
    turns.go(0.5, LookAt(20))
    turns.go(0.5, Pause(False))
    turns.go(0.1, StopRecording())
    assert turns.stepper.recorder is None
    assert turns.texts[-1] == f"Recorded 2.0 s in {path}"
    return read_file(path), turns.stepper.simulation.world.state_hash()


def told(player):
    return f"told: {player.sentence([])}"


def test_it_is_played_in_real_time_and_pauses(recording):
    turns = Turns()
    turns.load("hand", play=recording[0], tells=told)
    assert turns.stepper.simulation.timeline.tip < 40
    turns.go(0.2)
    assert turns.stepper.snapshot.values["settings.solver"] == "fused"
    turns.go(0.4)
    assert turns.stepper.snapshot.values["settings.solver"] == "aba"
    assert turns.stepper.player is not None
    turns.go(2.0)
    assert turns.stepper.player is None
    assert turns.stepper.snapshot.paused
    assert turns.stepper.simulation.timeline.tip == recording[0].ticks
    assert turns.texts[-1].startswith(f"told: Played {recording[0].ticks} steps: all")


def test_a_scene_that_parts_is_told_and_pauses(recording):
    turns = Turns()
    turns.load("chain", play=recording[0], tells=told)
    assert turns.stepper.player is None
    assert turns.stepper.snapshot.paused
    assert any(text.startswith("told: It parts from the recording at step 0: restore is re") for text in turns.texts)


@pytest.mark.parametrize("request_", [Set("settings.solver", "jsim"), Undo(), Grab(5, "index3", (0.0, 0.0, 0.0))])
def test_whoever_does_something_takes_over(recording, request_):
    turns = Turns()
    turns.load("hand", play=recording[0], tells=told)
    turns.go(0.3, request_)
    assert turns.stepper.player is None
    assert any("the figure is yours" in text for text in turns.texts)
    tip = turns.stepper.simulation.timeline.tip
    turns.go(0.3)
    assert turns.stepper.simulation.timeline.tip > tip
    assert not any("told" in text for text in turns.texts)


def test_going_on_from_the_past_takes_over_too(recording):
    turns = Turns()
    turns.load("hand", play=recording[0], tells=told)
    turns.go(0.4)
    turns.go(0.1, LookAt(10))
    assert turns.stepper.player is not None
    turns.go(0.1, Pause(False))
    assert turns.stepper.player is None
    assert any("the figure is yours" in text for text in turns.texts)


def test_another_scene_ends_the_recording(tmp_path):
    turns = Turns()
    scene = turns.load("hand")
    turns.go(0.3, Record(tmp_path / "run.mrn", head_of(scene, "hand")))
    turns.load("chain")
    assert turns.stepper.recorder is None
    assert any("another scene was loaded" in text for text in turns.texts)
    assert read_file(tmp_path / "run.mrn").ended


def test_a_recording_that_cannot_begin_is_told(tmp_path):
    turns = Turns()
    scene = turns.load("chain")
    turns.go(0.1, Record(tmp_path / "no" / "run.mrn", head_of(scene, "chain")))
    assert turns.stepper.recorder is None
    assert "nothing is recorded" in turns.texts[-1]
