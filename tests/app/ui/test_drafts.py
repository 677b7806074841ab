"""Drafts: what was done in a window that was not closed is offered again; disks, clocks, other windows lose nothing."""

import errno
import os
import time
from datetime import datetime, timedelta

import numpy as np
import pytest

from app.run.commands import Set
from app.run.recording import BEGIN, read_file
from app.run.requests import Pause, Record
from app.ui import actions, drafts
from app.ui.drafts import DRAFT, Drafts, Offer, when
from scenes.loading.loader import read_scene
from tests.helpers.app.desk import Desk
from tests.helpers.app.program import SWING


class Full:
    """A file on a disk that is full."""

    def seek(self, place):
        pass

    def write(self, data):
        raise OSError(errno.ENOSPC, "No space left")


def folders(folder):
    return [path for path in folder.iterdir() if path.is_dir()] if folder.exists() else []


# ---------------------------------------------------------------- there and back
def test_what_was_done_is_offered_and_restored(tmp_path):
    desk = Desk(tmp_path)
    desk.edit()
    desk.go(0.5)
    desk.go(0.05, Pause(True))
    desk.crash()
    before = desk.session.snapshot
    again = Desk(tmp_path)
    (offer,) = again.offers
    assert "hand" in offer.title
    assert f"today at {datetime.now():%H:}" in offer.title
    assert offer.differences == ["solver: aba", "1 pin", f"pose and motion at {before.time:.2f} s"]
    again.session.drafts.accept()
    again.go(0.05)
    now = again.session.snapshot
    assert np.array_equal(now.poses, before.poses)
    assert (now.time, now.paused, now.values["settings.solver"]) == (before.time, True, "aba")
    assert [(grab.number, grab.pinned) for grab in now.grabs] == [(1, True)]  # no mouse holds the other one
    assert again.session.new_grab_number() == 2
    assert again.texts() == []
    assert not again.offers
    again.kept()
    assert len(folders(tmp_path)) == 1  # of the new window alone
    assert offer.folder not in folders(tmp_path)
    again.session.close()
    assert folders(tmp_path) == []
    assert not Desk(tmp_path).offers


def test_a_restored_draft_can_be_undone(tmp_path):
    desk = Desk(tmp_path)
    desk.edit()
    desk.crash()
    again = Desk(tmp_path)
    again.session.drafts.accept()
    again.go(0.05)
    assert again.session.value("settings.solver") == "aba"
    assert again.session.snapshot.undo == "restore"


def test_no_is_remembered(tmp_path):
    desk = Desk(tmp_path)
    desk.edit()
    desk.crash()
    again = Desk(tmp_path)
    again.session.drafts.decline()
    assert not again.offers
    again.session.close()
    assert not Desk(tmp_path).offers
    assert folders(tmp_path) == []


def test_a_draft_that_was_not_answered_is_offered_again(tmp_path):
    desk = Desk(tmp_path)
    desk.edit()
    desk.crash()
    Desk(tmp_path).session.close()
    assert len(Desk(tmp_path).offers) == 1


def test_a_window_in_which_nothing_was_done_leaves_nothing(tmp_path):
    desk = Desk(tmp_path)
    desk.go(0.5)
    desk.crash()
    assert folders(tmp_path) == []


def test_a_restored_draft_is_kept_until_there_is_a_new_one(tmp_path):
    desk = Desk(tmp_path)
    desk.edit()
    desk.crash()
    again = Desk(tmp_path)
    again.session.drafts._asked = 1e12  # it writes none
    again.session.drafts.accept()
    again.go(0.1)
    assert again.session.value("settings.solver") == "aba"
    again.session.drafts._restored.lock.release()
    assert len(Desk(tmp_path).offers) == 1


def test_two_windows_do_not_touch_the_drafts_of_each_other(tmp_path):
    one, two = Desk(tmp_path), Desk(tmp_path, "chain")
    one.edit()
    two.edit()
    one.kept()
    two.kept()
    three = Desk(tmp_path)
    assert not three.offers
    three.session.close()
    assert len(folders(tmp_path)) == 2
    one.crash()
    four, five = Desk(tmp_path), Desk(tmp_path)
    assert [offer.draft.head["scene"] for offer in four.offers] == ["hand"]
    assert not five.offers  # it is offered in one window
    two.session.close()
    assert [path.name for path in folders(tmp_path)] == [four.offers[0].folder.name]


def test_the_newest_of_several_is_offered_first(tmp_path):
    for name in ("hand", "chain"):
        desk = Desk(tmp_path, name)
        desk.edit()
        desk.kept()
        time.sleep(1.05)
        desk.vanish()
    assert [offer.draft.head["scene"] for offer in Desk(tmp_path).offers] == ["chain", "hand"]


# ---------------------------------------------------------------- the scene
@pytest.fixture
def swing(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(SWING)
    desk = Desk(tmp_path / "drafts", str(path))
    desk.edit()
    desk.crash()
    return path, desk.session.snapshot


def test_saved_values_are_no_difference(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(SWING)
    desk = Desk(tmp_path / "drafts", str(path))
    desk.edit()
    desk.session.scenes.save()
    desk.crash()
    again = Desk(tmp_path / "drafts")
    assert [text for text in again.offers[0].differences if "solver" in text] == []
    again.session.drafts.accept()
    again.go(0.05)
    assert again.session.scenes.source == str(path)
    assert again.session.value("settings.solver") == "aba"


def test_a_scene_that_has_changed_since_goes_on_by_name(swing, tmp_path):
    path, before = swing
    path.write_text(SWING.replace("0.1}", "0.2}"))
    again = Desk(tmp_path / "drafts")
    again.session.drafts.accept()
    again.go(1 / 60)
    now = again.session.snapshot
    assert again.session.scenes.source == str(path)
    assert again.session.value("settings.solver") == "aba"
    assert [grab.pinned for grab in now.grabs] == [True]
    assert np.allclose(now.poses, before.poses, atol=0.02)
    assert any("has changed since" in text for text in again.texts())
    again.kept()
    assert [path.suffixes for path in (tmp_path / "drafts").glob("*.kept")] == [[".mrn", ".kept"]]


def test_a_scene_that_is_gone_comes_from_the_draft(swing, tmp_path, monkeypatch):
    path, before = swing
    path.unlink()
    again = Desk(tmp_path / "drafts")
    again.session.drafts.accept()
    again.go(1 / 60)
    assert again.session.snapshot.name == "swing"
    assert np.allclose(again.session.snapshot.poses, before.poses, atol=0.02)
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    again.session.scenes.save()
    saved = read_scene(tmp_path / "work" / "swing.yaml")
    assert saved.settings.solver == "aba"


def test_a_running_recording_is_named(tmp_path):
    desk = Desk(tmp_path / "drafts")
    desk.go(0.1)
    actions_path = tmp_path / "run.mrn"
    opened = desk.session.scenes.opened
    desk.go(0.1, Record(actions_path, drafts.head_of(opened.scene, "hand")))
    desk.edit()
    desk.crash()
    assert Desk(tmp_path / "drafts").offers[0].differences[-1] == f"a recording in {actions_path}"


# ---------------------------------------------------------------- disks and clocks
def test_a_full_disk_is_told_once_and_the_older_draft_stays(tmp_path, monkeypatch):
    desk = Desk(tmp_path)
    desk.edit()
    desk.kept()
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda number: (_ for _ in ()).throw(OSError(errno.ENOSPC, "No space left")))
    desk.go(0.1, Pause(True))
    for solver in ("jsim", "fused", "jsim"):
        desk.go(0.1, Set("settings.solver", solver))
        desk.kept()
    assert len([text for text in desk.texts() if "No space left" in text]) == 1
    (place,) = folders(tmp_path)
    assert sorted(path.name for path in place.iterdir()) == [DRAFT, "lock"]
    assert "solver: aba" in read_file(place / DRAFT).head["draft"]["differs"]
    monkeypatch.setattr(os, "fsync", sync)
    desk.kept()  # without a further change
    assert "solver: jsim" in read_file(place / DRAFT).head["draft"]["differs"]
    assert desk.texts()[-1] == "Drafts are written again"


def test_a_home_that_cannot_be_written_is_told_once(tmp_path):
    (tmp_path / "state").write_text("a file where a folder should be")
    desk = Desk(tmp_path / "state" / "drafts")
    desk.edit()
    for solver in ("jsim", "fused"):
        desk.go(0.1, Set("settings.solver", solver))
        desk.kept()
    assert len(desk.texts()) == 1
    assert "only in this window" in desk.texts()[0]


def test_where_nothing_can_be_written_recordings_go_to_the_users_own_folder(tmp_path, monkeypatch):
    desk = Desk(tmp_path / "state" / "drafts")
    (tmp_path / "state").mkdir()
    monkeypatch.setattr(actions, "refusal", lambda path: "no right to write there")
    actions.record(desk.session)
    desk.go(1.5)
    assert desk.session.stepper.recorder.path.parent == tmp_path / "state"
    actions.record(desk.session)
    desk.go(0.1)
    (path,) = (tmp_path / "state").glob("*.mrn")
    assert [text.split(" in ")[1] for text in desk.texts()] == [str(path)] * 2
    assert read_file(path).ended


def test_two_windows_that_record_at_once_have_two_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(actions.time, "strftime", lambda form: "now")
    desks = [Desk(tmp_path / "drafts"), Desk(tmp_path / "drafts")]
    for desk in desks:
        actions.record(desk.session)
        desk.go(0.1)
    assert [desk.session.stepper.recorder.path.name for desk in desks] == ["marionette-now.mrn", "marionette-now-2.mrn"]


def test_a_full_disk_is_told_once_while_recording(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    desk = Desk(None)
    actions.record(desk.session)
    desk.go(1.0)
    recorder = desk.session.stepper.recorder
    whole, recorder._file = recorder._file, Full()
    desk.go(3.0)
    recorder._file = whole
    desk.go(1.0)
    assert [text.partition(" ")[2][:19] for text in desk.texts()[1:]] == ["cannot be written (", "is written again: n"]
    actions.record(desk.session)
    desk.go(0.1)
    assert read_file(recorder.path).ended


def test_a_removed_folder_is_made_again(tmp_path):
    desk = Desk(tmp_path / "drafts")
    desk.edit()
    desk.kept()
    (place,) = folders(tmp_path / "drafts")
    for path in (place / DRAFT, place / "lock"):
        path.unlink()
    place.rmdir()
    desk.go(0.1, Set("settings.solver", "jsim"))
    desk.crash()
    assert "solver: jsim" in Desk(tmp_path / "drafts").offers[0].differences


@pytest.mark.parametrize("days", [-4000, 4000])
def test_a_clock_that_was_wrong_only_shows_in_the_time(tmp_path, monkeypatch, days):
    class Wrong(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(days=days)

    desk = Desk(tmp_path)
    with monkeypatch.context() as then:
        then.setattr(drafts, "datetime", Wrong)
        desk.edit()
        desk.crash()
    again = Desk(tmp_path)
    assert str((datetime.now() + timedelta(days=days)).year) in again.offers[0].title
    again.session.drafts.accept()
    again.go(0.05)
    assert again.session.value("settings.solver") == "aba"


def test_a_file_that_is_saved_while_the_clock_is_set_back_is_loaded_again(tmp_path):
    path = tmp_path / "swing.yaml"
    path.write_text(SWING)
    desk = Desk(None, str(path))
    path.write_text(SWING.replace("0.1}", "0.2}"))
    os.utime(path, (1e9, 1e9))
    desk.session.scenes._looked = -1e9
    desk.go(0.05)
    assert any("Loaded again" in text for text in desk.texts())


def test_the_time_of_a_draft():
    now = datetime.now().astimezone()
    assert when(now.isoformat()) == f"today at {now:%H:%M}"
    assert when("2025-03-02T10:00:00+00:00").startswith("on 02 March 2025 at ")


# ---------------------------------------------------------------- damage
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no recording"),
        (BEGIN + b"7\n", "format 7"),
        (None, "its end is missing"),
    ],
)
def test_a_draft_that_cannot_be_read_is_set_aside(tmp_path, data, words):
    desk = Desk(tmp_path)
    desk.edit()
    desk.crash()
    (place,) = folders(tmp_path)
    whole = (place / DRAFT).read_bytes()
    data = whole[:-3] if data is None else data
    (place / DRAFT).write_bytes(data)
    again = Desk(tmp_path)
    assert not again.offers
    (text,) = again.texts()
    (kept,) = tmp_path.iterdir()
    assert kept.name == f"{place.name}.mrn.kept"
    assert words in text
    assert str(kept) in text
    assert kept.read_bytes() == data
    assert Desk(tmp_path).texts() == []


def test_a_draft_cut_at_any_byte_is_offered_or_set_aside(tmp_path):
    desk = Desk(tmp_path / "drafts", "chain")
    desk.edit()
    desk.crash()
    (place,) = folders(tmp_path / "drafts")
    whole = (place / DRAFT).read_bytes()
    session = desk.session
    for size in range(0, len(whole), 97):
        there = tmp_path / "cut" / f"{size}"
        there.mkdir(parents=True)
        (there / DRAFT).write_bytes(whole[:size])
    found = Drafts(session, tmp_path / "cut")
    assert found.offers == []
    assert len(list((tmp_path / "cut").glob("*.kept"))) == len(range(0, len(whole), 97))


def test_an_offer_says_when_it_cannot_be_restored(tmp_path):
    desk = Desk(tmp_path / "drafts", "chain")
    desk.edit()
    desk.crash()
    again = Desk(tmp_path / "drafts")
    (offer,) = again.offers
    offer.draft.head.update(source="nowhere.yaml", files={"nowhere.yaml": "marionette: 1\n"}, main="nowhere.yaml")
    assert isinstance(offer, Offer)
    again.session.drafts.accept()
    assert again.offers == [offer]
    assert any("cannot be restored" in text for text in again.texts())
