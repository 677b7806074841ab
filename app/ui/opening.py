"""Opening the window. Where that fails, one sentence says why."""

import sys
from typing import TYPE_CHECKING

from app.host.collector import uncollected
from app.host.settings import folder, state_folder
from app.host.troubles import NoWindowError, window_trouble

if TYPE_CHECKING:
    from app.ui.window import MarionetteWindow


def open_window(scene: str = "hand") -> int:
    """Open the window on a scene or a recording, and run until it is closed. Return the exit code."""
    window = make_window(scene)
    from app.ui.window import run

    run(window)
    return 0


@uncollected()
def make_window(scene: str = "hand") -> "MarionetteWindow":
    """Return a window with its session running, or raise a NoWindowError."""
    try:
        # imported here: these need libraries that may be missing
        from app.ui.session import Session
        from app.ui.window import MarionetteWindow

        session = Session(folder(), drafts_folder=state_folder() / "drafts")
        window = MarionetteWindow(session)
    except Exception as error:
        raise NoWindowError(window_trouble(error)) from error
    session.stepper.start()
    session.scenes.open(scene)
    return window


if __name__ == "__main__":
    try:
        sys.exit(open_window(*sys.argv[1:2]))
    except NoWindowError as problem:
        print(f"marionette: {problem}", file=sys.stderr)
        sys.exit(1)
