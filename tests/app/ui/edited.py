"""A session without a window in which something is edited all the time, until the process is killed: for
`test_killed.py`.

`python -m tests.app.ui.edited FOLDER SEED` works in FOLDER, on `scene.yaml` and `run.mrn`; drafts go to `drafts` beside
it. For each command that was carried out it prints a line with the gravity, which is the number of an edit, and the
time by the system's monotonic clock.
"""

import os
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np

from app.run.commands import ChangeGrab, Grab, MoveGrab, Release
from app.run.recorded_scene import head_of
from app.run.requests import Pause, Record, StopRecording, Undo
from app.run.simulation import Simulation
from app.ui.session import Session
from tests.helpers.app.program import SWING

FRAME = 1 / 60  # s
FIRST = 100  # number of the first edit: not the gravity of the scene


def tell_of_commands() -> None:
    """Undoing is a command, too."""
    carry_out = Simulation._carry_out

    def told(self, *arguments, **more):
        result = carry_out(self, *arguments, **more)
        os.write(1, f"{-self.world.gravity[2]:.0f} {time.monotonic()}\n".encode())
        return result

    Simulation._carry_out = told


def main(folder: Path, seed: int) -> None:
    tell_of_commands()
    rng = np.random.default_rng(seed)
    path = folder / "scene.yaml"
    path.write_text(SWING)
    session = Session(folder, drafts_folder=folder.parent / "drafts")
    session.stepper.start()
    session.scenes.open(str(path))
    while session.update() is None:
        time.sleep(0.01)
    held = 0
    for number in count(FIRST):
        session.set("settings.gravity", (0.0, 0.0, -float(number)))
        doing = rng.integers(30)
        if doing == 0:
            session.scenes.save()
        elif doing == 1:
            session.ask(Pause(bool(rng.integers(2))))
        elif doing == 2:
            session.ask(Undo())
            session.ask(Undo())
        elif doing in (3, 4) and not held:
            held = session.new_grab_number()
            session.ask(Grab(held, "bob", tuple(session.snapshot.poses[0, :3].tolist())))
        elif doing == 5 and held:
            session.ask(ChangeGrab(held, pinned=True) if rng.integers(2) else Release(held))
            held = 0
        elif held:
            session.ask(MoveGrab(held, tuple(rng.normal(0.0, 0.4, 3).tolist())))
        if number == FIRST + 3:
            session.ask(Record(folder / "run.mrn", head_of(session.scenes.opened.scene, str(path))))
        if number > FIRST + 3 and doing == 7 and not rng.integers(20):
            session.ask(StopRecording())
        session.update()
        time.sleep(FRAME)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
