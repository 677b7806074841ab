"""What somebody is told whose machine lacks something: one sentence with the remedy, and no traceback."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from app.host.settings import DEFAULTS_TEXT, Settings, load_keys, load_settings, save_settings
from app.host.troubles import missing_package, offscreen_trouble, window_trouble
from app.ui import actions
from app.ui.session import Session

TOP = Path(__file__).resolve().parents[3]


def run(code="", *, environment=None, module="app.ui.opening", arguments=()):
    """A fresh interpreter: `code` first, then the module as the program."""
    start = f"import runpy, sys\nsys.argv = ['x', *{list(arguments)!r}]\n"
    program = f"{start}{code}\nrunpy.run_module({module!r}, run_name='__main__')"
    keep = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=TOP, env={**keep, **(environment or {})}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert done.returncode == 1
    return done.stderr


@pytest.mark.parametrize("environment", [{}, {"DISPLAY": ":987"}])
def test_no_display(environment, tmp_path):
    text = run(environment={**environment, "XDG_CONFIG_HOME": str(tmp_path)})
    assert "no display" in text
    assert "marionette render" in text


WITHOUT = """
import ctypes.util
find = ctypes.util.find_library
ctypes.util.find_library = lambda name: None if name in {names!r} else find(name)
load = ctypes.CDLL.__init__
def refuse(self, name, *a, **k):
    if name and any(f"lib{{n}}." in str(name) for n in {names!r}):
        raise OSError(f"{{name}}: cannot open shared object file: No such file or directory")
    load(self, name, *a, **k)
ctypes.CDLL.__init__ = refuse
"""


def test_no_gl_library(tmp_path):
    text = run(WITHOUT.format(names=("GL",)), environment={"DISPLAY": ":0", "XDG_CONFIG_HOME": str(tmp_path)})
    assert "system library is missing" in text
    assert "apt-get install libgl1" in text


def test_a_missing_package(tmp_path):
    for module, package in (("pyglet", "pyglet"), ("moderngl", "moderngl"), ("imgui_bundle", "imgui-bundle")):
        text = run(f"sys.modules[{module!r}] = None", environment={"XDG_CONFIG_HOME": str(tmp_path)})
        assert f"pip install {package}" in text


class NoSuchConfigException(Exception):
    pass


class ContextException(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ContextException("GL 3.3 is not supported"), ("OpenGL 3.3", "driver", "LIBGL_ALWAYS_SOFTWARE")),
        (ValueError("Requested OpenGL version 330, got version 210"), ("OpenGL 3.3", "driver")),
        (NoSuchConfigException(""), ("no OpenGL window", "marionette render")),
        (ImportError('Library "GL" not found.'), ("system library", "libgl1")),
        (AttributeError("'NoneType' object has no attribute 'XRenderFindVisualFormat'"), ("libxrender1",)),
        (ImportError("libX11.so.6: cannot open shared object file"), ("libx11-6",)),
        (RuntimeError("something else"), ("could not be opened", "something else", "marionette render")),
    ],
)
def test_each_trouble_has_its_sentence(error, words, monkeypatch):
    monkeypatch.setenv("DISPLAY", ":0")
    text = window_trouble(error)
    assert "\n" not in text
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (Exception("libEGL.so not loaded"), "apt-get install libgl1 libegl1"),
        (ValueError("Requested OpenGL version 330, got version 210"), "OpenGL 3.3"),
        (Exception("eglInitialize failed (0x3001)"), "libegl1"),
        (Exception("eglCreateContext failed (0x3009)"), "OpenGL 3.3"),
    ],
)
def test_offscreen_troubles(error, word):
    assert word in offscreen_trouble(error)


def test_packages_are_named_as_pip_knows_them():
    for module, package in (
        ("imgui_bundle.implot", "imgui-bundle"),
        ("pyglet.gl", "pyglet"),
        ("av", "marionette[video]"),
    ):
        assert package in missing_package(ModuleNotFoundError(name=module))


# ---------------------------------------------------------------- settings
def test_settings_come_back(tmp_path):
    path = tmp_path / "deep" / "settings.json"
    settings = Settings(camera="maya", theme="light", font_size=24.0, grab_without_ctrl=False, recent=["a.yaml"])
    assert save_settings(settings, path) == ""
    assert load_settings(path) == (settings, [])
    assert [p.name for p in path.parent.iterdir()] == ["settings.json"]  # nothing half-written lies about


def test_no_file_is_no_fault(tmp_path):
    assert load_settings(tmp_path / "settings.json") == (Settings(), [])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ("could not be read", DEFAULTS_TEXT)),
        ("[]", ("list", DEFAULTS_TEXT)),
        ('{"marionette settings": 2, "theme": "light"}', ("version 2", "settings.json.kept", DEFAULTS_TEXT)),
        ('{"camera": "unity"}', ("camera", "unity", "blender")),
        ('{"font_size": 1000}', ("font_size", "1000", "10 to 40")),
        ('{"font_size": "big"}', ("font_size", "big")),
        ('{"grab_without_ctrl": 1}', ("true or false",)),
        ('{"recent": "a"}', ("list of texts",)),
        ('{"font_sise": 20}', ("font_sise", "font_size")),
    ],
)
def test_a_bad_file_gives_defaults_and_a_message(tmp_path, text, words):
    path = tmp_path / "settings.json"
    path.write_text(text)
    settings, messages = load_settings(path)
    assert settings == Settings()
    (message,) = messages
    for word in ("settings.json", *words):
        assert word in message
    left = path.with_name("settings.json.kept") if DEFAULTS_TEXT in words else path
    assert [p.name for p in tmp_path.iterdir()] == [left.name]
    assert left.read_text() == text  # left for its owner to mend


def test_good_values_beside_bad_ones_are_kept(tmp_path):
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "light", "camera": 7}')
    settings, messages = load_settings(path)
    assert settings.theme == "light"
    assert settings.camera == Settings().camera
    assert len(messages) == 1


def test_own_keys(tmp_path):
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"pause": ["P", "Shift+Ctrl+space"], "paws": "x", "step": 3, "reset": "p"}))
    table = {"pause": ("space",), "step": ("period",), "reset": ("r",)}
    keys, messages = load_keys(path, table)
    assert keys == {"pause": ("p", "ctrl+shift+space"), "step": ("period",), "reset": ("p",)}
    assert ["paws" in messages[0], "step" in messages[1], "reset" in messages[2]] == [True] * 3
    assert "did you mean 'pause'" in messages[0]


def test_a_home_that_cannot_be_written(tmp_path, monkeypatch):
    """As root every folder can be written: the refusal of the system is simulated then."""
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    if os.access(folder, os.W_OK):
        monkeypatch.setattr(Path, "mkdir", lambda *a, **k: (_ for _ in ()).throw(OSError(30, "Read-only file system")))
    session = Session(folder / "marionette")
    session.save_settings()
    actions.font(session, 1.0)
    texts = [m.text for m in session.messages]
    assert len(texts) == 1  # told once
    assert "could not be written" in texts[0]
    assert "until the window is closed" in texts[0]
    assert session.settings.font_size == 17.0
