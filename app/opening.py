"""Opening the window, and one sentence with the remedy for each thing that may be missing."""

import os
import sys
from pathlib import Path

from app.render.picture import NoGraphicsError
from app.session import Session
from app.settings import folder

DEBIAN = "on Debian and Ubuntu: apt-get install libgl1 libx11-6 libxrender1"
HEADLESS = "without a display, `marionette render SCENE --out picture.png` draws and `marionette simulate` runs"


class NoWindowError(RuntimeError):
    """One sentence: what is missing and the remedy."""


def open_window(scene: str = "hand", *, settings_folder: Path | None = None) -> int:
    """Open the window on a scene and stay until it is closed; returns the exit code."""
    window = make_window(scene, settings_folder=settings_folder)
    from app.window import run

    run(window)
    return 0


def make_window(scene: str = "hand", *, settings_folder: Path | None = None):
    """A window with its session running, or a NoWindowError."""
    session = Session(settings_folder or folder())
    try:
        from app.window import MarionetteWindow

        window = MarionetteWindow(session)
    except NoGraphicsError:
        raise
    except Exception as error:
        raise NoWindowError(trouble(error)) from error
    session.stepper.start()
    session.open(scene)
    return window


def trouble(error: Exception) -> str:
    """The sentence for what kept the window from opening."""
    kind, text = type(error).__name__, str(error)
    if isinstance(error, ModuleNotFoundError):
        return f"the package {error.name} is missing: pip install {package_of(str(error.name))}"
    if kind == "NoSuchDisplayException" or (sys.platform.startswith("linux") and not os.environ.get("DISPLAY")):
        return f"there is no display to open a window on (DISPLAY is not set, or cannot be reached); {HEADLESS}"
    if "libX11" in text or "XRender" in text or ("Library" in text and "not found" in text):
        return f"a system library is missing ({text}); {DEBIAN}"
    if kind == "NoSuchConfigException":
        return f"this display offers no OpenGL window (a remote display without GLX?); {HEADLESS}"
    if kind == "ContextException" or "OpenGL" in text or "version" in text.lower():
        return (
            f"OpenGL 3.3 or later is needed ({text or kind}); update the graphics driver, or set "
            "LIBGL_ALWAYS_SOFTWARE=1 to draw on the processor"
        )
    return f"the window could not be opened ({kind}: {text}); {HEADLESS}"


def package_of(module: str) -> str:
    return {"imgui_bundle": "imgui-bundle"}.get(module.split(".")[0], module.split(".")[0])


if __name__ == "__main__":
    try:
        sys.exit(open_window(*sys.argv[1:2]))
    except (NoWindowError, NoGraphicsError) as problem:
        print(f"marionette: {problem}", file=sys.stderr)
        sys.exit(1)
