"""Opening the window. Where that fails, one sentence says why."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.host.collector import uncollected
from app.host.settings import folder
from app.host.troubles import NoWindowError, window_trouble

if TYPE_CHECKING:
    from app.ui.window import MarionetteWindow


def open_window(scene: str = "hand", *, settings_folder: Path | None = None) -> int:
    """Open the window on a scene, and run until it is closed. Return the exit code."""
    window = make_window(scene, settings_folder=settings_folder)
    from app.ui.window import run

    run(window)
    return 0


@uncollected()
def make_window(scene: str = "hand", *, settings_folder: Path | None = None) -> "MarionetteWindow":
    """Return a window with its session running, or raise a NoWindowError."""
    try:
        # imported here: these need libraries that may be missing
        from app.ui.session import Session
        from app.ui.window import MarionetteWindow

        session = Session(settings_folder or folder())
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
