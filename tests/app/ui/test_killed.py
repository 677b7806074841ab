"""Sessions that are killed while they edit: the scene is whole, and draft and recording lack at most two seconds."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from app.run.playing import replay
from app.run.recorded_scene import scene_of
from app.run.recording import read_file
from scenes.loading.loader import read_scene
from tests.helpers.app.desk import Desk

OF_SCENE = 10  # gravity of a scene, as whole number
ROOT = Path(__file__).resolve().parents[3]


def killed(folder, count, seed):
    """Sessions that edit at the same time, each killed at a moment of its own. What is lost of each [s]: of the draft,
    and of the recording."""
    rng = np.random.default_rng(seed)
    works = [folder / f"{seed}-{number}" for number in range(count)]
    children = []
    for number, work in enumerate(works):
        work.mkdir(parents=True)
        words = [sys.executable, "-m", "tests.app.ui.edited", str(work), str(100 * seed + number)]
        children.append(subprocess.Popen(words, cwd=ROOT, stdout=(work / "edits").open("wb")))
    while not all((work / "edits").stat().st_size for work in works):
        time.sleep(0.02)
        assert all(child.poll() is None for child in children)
    begin, moments, ends = time.monotonic(), rng.uniform(0.0, 3.0, count), {}
    for number in np.argsort(moments):
        time.sleep(max(0.0, begin + moments[number] - time.monotonic()))
        ends[works[number]] = time.monotonic()
        os.kill(children[number].pid, signal.SIGKILL)
        children[number].wait()
    return [lost(work, end) for work, end in ends.items()]


def lost(work, end):
    """The scene is whole, at most one draft is there and opens, the recording opens and plays. Return what is lost of
    both [s]: the time from the first command that is not in them to the end."""
    edits = [line.split() for line in (work / "edits").read_text().splitlines()]
    seen = [(int(edit[0]), float(edit[1])) for edit in edits if len(edit) == 2]
    read_scene(work / "scene.yaml")

    def since(gravity):
        """Since when there was another gravity, after the last time that it was this one."""
        number = round(-gravity[2])
        known = [k for k, (value, _) in enumerate(seen) if value == number]
        assert known or number == OF_SCENE
        after = known[-1] + 1 if known else 0
        return end - seen[after][1] if after < len(seen) else 0.0

    losses = [since((0.0, 0.0, -OF_SCENE)), 0.0]
    desk = Desk(work.parent / "drafts", "chain")
    mine = [offer for offer in desk.offers if str(work) in offer.draft.head["source"]]
    assert len(mine) <= 1
    if mine:
        desk.offers.insert(0, desk.offers.pop(desk.offers.index(mine[0])))
        desk.session.drafts.accept()
        desk.go(0.05)
        assert desk.session.snapshot.name == "scene"
        losses[0] = since(desk.session.value("settings.gravity"))
    desk.session.close()
    if (work / "run.mrn").exists():
        recording = read_file(work / "run.mrn")
        recorded = scene_of(recording.head)
        player = replay(recorded.scene.definitions, recording, recorded.scene.make_world)
        assert player.parted is None, player.sentence([])
        if not recording.ended:
            losses[1] = since(player.simulation.world.gravity)
    return losses


def judge(losses):
    for what, seconds in zip(("draft", "recording"), np.array(losses).T, strict=True):
        print(f"{what}: lost at most {seconds.max():.2f} s, in the middle {np.median(seconds):.2f} s")
        assert seconds.max() < 2.0


@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9")
def test_a_kill_at_thirty_moments_loses_at_most_two_seconds(tmp_path):
    judge([one for seed in range(5) for one in killed(tmp_path, 6, seed)])


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="no kill -9")
def test_a_kill_at_five_hundred_moments_loses_at_most_two_seconds(tmp_path):
    judge([one for seed in range(100, 200) for one in killed(tmp_path, 5, seed)])
