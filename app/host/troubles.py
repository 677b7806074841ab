"""One sentence with the remedy for each thing that may be missing on a machine. This module imports nothing that may be
missing.
"""

import os
import sys

DEBIAN = "on Debian and Ubuntu: apt-get install libgl1 libx11-6 libxrender1"
HEADLESS = "without a display, `marionette render SCENE --out picture.png` draws and `marionette simulate` runs"
SOFTWARE = "update the graphics driver, or set LIBGL_ALWAYS_SOFTWARE=1 to draw on the processor"
# where pip knows a module by another name, or as an extra of ours
PACKAGES = {"imgui_bundle": "imgui-bundle", "av": "'marionette[video]'"}


class NoWindowError(RuntimeError):
    """The error when no window can be opened, or nothing can be drawn. The message says what is missing, and the
    remedy."""


def window_trouble(error: Exception) -> str:
    """Return a sentence about the error that kept the window from opening."""
    kind, text = type(error).__name__, str(error)
    if isinstance(error, ModuleNotFoundError):
        return missing_package(error)
    if kind == "NoSuchDisplayException" or (sys.platform.startswith("linux") and not os.environ.get("DISPLAY")):
        return f"there is no display to open a window on (DISPLAY is not set, or cannot be reached); {HEADLESS}"
    if "libX11" in text or "XRender" in text or ("Library" in text and "not found" in text):
        return f"a system library is missing ({text}); {DEBIAN}"
    if kind == "NoSuchConfigException":
        return f"this display offers no OpenGL window (a remote display without GLX?); {HEADLESS}"
    if kind == "ContextException" or "OpenGL" in text or "version" in text.lower():
        return f"OpenGL 3.3 or later is needed ({text or kind}); {SOFTWARE}"
    return f"the window could not be opened ({kind}: {text}); {HEADLESS}"


def offscreen_trouble(error: Exception) -> str:
    """Return a sentence about the error that kept a picture from being drawn without a display."""
    text = str(error)
    if isinstance(error, ModuleNotFoundError):
        return missing_package(error)
    if "libEGL" in text or "libGL" in text:
        return "no OpenGL library was found; on Debian and Ubuntu: apt-get install libgl1 libegl1"
    if "version" in text.lower() or "eglCreateContext" in text:  # EGL is there, such a context is not
        return f"OpenGL 3.3 or later is needed ({text}); {SOFTWARE}"
    return f"OpenGL could not be started without a display ({text}); on Debian and Ubuntu: apt-get install libegl1"


def missing_package(error: ModuleNotFoundError) -> str:
    """Return a sentence about a package that is not installed."""
    module = str(error.name).split(".")[0]
    return f"the package {module} is missing: pip install {PACKAGES.get(module, module)}"
