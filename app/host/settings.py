"""Settings that the program keeps between runs: a small JSON file of settings and a file of keys, in the user's own
folder. A bad value is replaced by its default with a message. A file of settings that cannot be read is set aside."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from app.host.kept import set_aside
from scenes.writing.outputs import write_text

PRESETS = ("marionette", "mujoco", "blender", "maya", "trackpad")
THEMES = ("dark", "light")
FONT_SIZES = (10.0, 40.0)
MOST_RECENT = 10
VERSION, NEWEST = "marionette settings", 1
DEFAULTS_TEXT = "the defaults are used"


@dataclass(slots=True)
class Settings:
    """The settings of the window."""

    camera: str = "marionette"  # of PRESETS
    theme: str = "dark"
    font_size: float = 16.0
    grab_without_ctrl: bool = True
    hint_shown: bool = False
    panels: list[str] = field(default_factory=lambda: ["Scenes", "Solver", "Figure", "Energy", "Timing"])
    recent: list[str] = field(default_factory=list)  # scene files, the newest first

    def remember(self, path: str) -> None:
        """Put a file at the front of the list of recent files."""
        self.recent = [path, *(p for p in self.recent if p != path)][:MOST_RECENT]


ALLOWED: dict[str, Any] = {"camera": PRESETS, "theme": THEMES, "font_size": FONT_SIZES}


def folder() -> Path:
    """Return the folder in which the system keeps such files."""
    if sys.platform == "win32":
        return Path(os.environ.get("APPDATA", str(Path.home()))) / "marionette"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "marionette"
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "marionette"


def state_folder() -> Path:
    """Return the folder in which the system keeps what a program wants to find again, but no user edits."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "marionette"
    if sys.platform == "darwin":
        return folder()
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "marionette"


def load_settings(path: Path) -> tuple[Settings, list[str]]:
    """Return the settings of a file, and messages about errors in it. A missing file is no error."""
    data, messages = _read(path, of_ours=True)
    settings = Settings()
    data.pop(VERSION, None)
    known = {f.name for f in fields(Settings)}
    for key, value in data.items():
        if key not in known:
            messages.append(f"{path.name}: {_unknown(key, known)}")
            continue
        wrong = _refusal(key, value, getattr(settings, key))
        if wrong:
            messages.append(f"{path.name}: {key}: got {value!r}, allowed: {wrong}")
        else:
            setattr(settings, key, float(value) if isinstance(getattr(settings, key), float) else value)
    return settings, messages


def _read(path: Path, of_ours: bool = False) -> tuple[dict[str, Any], list[str]]:
    """Return the content of a file, and messages about it. A file `of_ours` that cannot be used is set aside, because
    the program will write a new one; a file that the user writes stays."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError(f"got a {type(data).__name__}, allowed: names and values")
        if of_ours and data.get(VERSION, NEWEST) != NEWEST:
            raise ValueError(f"got version {data[VERSION]}, allowed: {NEWEST}")
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        return {}, [f"{path.name} could not be read ({error}); {DEFAULTS_TEXT}"]
    except (ValueError, RecursionError) as error:
        kept = ""
        if of_ours:
            with suppress(OSError):
                kept = f", and the file is kept as {set_aside(path).name}"
        return {}, [f"{path.name} could not be read ({error}); {DEFAULTS_TEXT}{kept}"]
    return data, []


def _unknown(key: str, known: set[str]) -> str:
    """Return the message for an unknown name."""
    close = get_close_matches(key, known, 1)
    return f"unknown name {key!r}" + (f", did you mean {close[0]!r}?" if close else "")


def _refusal(key: str, value: Any, default: Any) -> str:
    """Return what is allowed for a setting if its value is bad, else an empty text."""
    allowed: Any = ALLOWED.get(key)
    if isinstance(default, bool):
        return "" if isinstance(value, bool) else "true or false"
    if isinstance(default, float):
        good = isinstance(value, int | float) and not isinstance(value, bool) and allowed[0] <= value <= allowed[1]
        return "" if good else f"a number from {allowed[0]:g} to {allowed[1]:g}"
    if isinstance(default, list):
        return "" if isinstance(value, list) and all(isinstance(v, str) for v in value) else "a list of texts"
    return "" if value in allowed else ", ".join(allowed)


def save_settings(settings: Settings, path: Path) -> str:
    """Save the settings to a file. Return an empty text, or why they could not be saved."""
    return write_whole(path, json.dumps({VERSION: NEWEST, **asdict(settings)}, indent=2) + "\n")


def write_whole(path: Path, text: str) -> str:
    """Write a file. Return an empty text, or why it could not be written; an older file is then unchanged."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, text)
    except OSError as error:
        return f"{path} could not be written ({error.strerror}); the settings last until the window is closed"
    return ""


def load_keys(path: Path, table: dict[str, tuple[str, ...]]) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the table of keys, changed by the user's own keys from a file such as `{"pause": ["space", "p"]}`, and
    messages about errors in the file."""
    data, messages = _read(path)
    result = dict(table)
    for action, keys in data.items():
        keys = [keys] if isinstance(keys, str) else keys
        if action not in table:
            messages.append(f"{path.name}: {_unknown(action, set(table))}")
        elif not isinstance(keys, list) or not all(isinstance(k, str) for k in keys):
            messages.append(f"{path.name}: {action}: got {keys!r}, allowed: a key, or a list of keys")
        else:
            result[action] = tuple(normal(k) for k in keys)
    taken: dict[str, str] = {}
    for action, keys in result.items():
        for key in keys:
            if key in taken:
                messages.append(f"{path.name}: {key} stands for {taken[key]!r} and {action!r}; the first one has it")
            taken.setdefault(key, action)
    return result, messages


def normal(key: str) -> str:
    """Return the normal form of a key: "Shift + Ctrl + Z" is "ctrl+shift+z"."""
    *modifiers, name = [part.strip().lower() for part in key.split("+")]
    return "+".join([m for m in ("ctrl", "shift", "alt") if m in modifiers] + [name])
