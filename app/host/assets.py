"""The places of the data files: beside the packages in a checkout, inside `app` after installation."""

from pathlib import Path

APP = Path(__file__).resolve().parent.parent


def asset(name: str) -> Path:
    """Return the path of a file under `assets/`."""
    installed = APP / "assets" / name
    return installed if installed.exists() else APP.parent / "assets" / name
