"""The window: it turns pyglet's events into events of this program, and draws frames. `app.ui.opening.open_window`
makes it, or says why it cannot.

Only this file knows pyglet. Vertical positions are reversed here: y grows downward everywhere else.
"""

import ctypes
import sys
import time
from collections.abc import Callable
from typing import Any

import pyglet

pyglet.options.debug_gl = False  # else an error query after each call
pyglet.options.shadow_window = False  # no second, hidden context
pyglet.options.dpi_scaling = "stretch"  # sizes and mouse in logical pixels, on dense displays too

from pyglet import gl  # noqa: E402 - the options must be set before
from pyglet.window import Window, key, mouse  # noqa: E402

from app.render.context import attach, read_screen, screen_of  # noqa: E402
from app.render.picture import write_png  # noqa: E402
from app.ui.frame import Frame  # noqa: E402
from app.ui.session import Session  # noqa: E402
from app.ui.shell import Event, Ui  # noqa: E402

BUTTONS = {mouse.LEFT: "left", mouse.RIGHT: "right", mouse.MIDDLE: "middle"}
MODIFIERS = (("shift", key.MOD_SHIFT), ("ctrl", key.MOD_CTRL | key.MOD_COMMAND), ("alt", key.MOD_ALT))
NAMES = {"return": "enter", "num_enter": "num_enter", "lshift": "", "rshift": "", "quoteleft": "grave"}
CURSORS = {
    "text": Window.CURSOR_TEXT, "size": Window.CURSOR_SIZE, "size_up_down": Window.CURSOR_SIZE_UP_DOWN,
    "size_left_right": Window.CURSOR_SIZE_LEFT_RIGHT, "hand": Window.CURSOR_HAND,
}  # fmt: skip
FRAMES_A_SECOND = 60.0
FRAMES_WHILE_LOADING = 4.0  # few, because the processor is compiling


class MarionetteWindow(Window):
    """The window. It turns pyglet's events into events of this program, and draws frames."""

    def __init__(self, session: Session, width: int = 1280, height: int = 720, *, vsync: bool = True):
        """Open a window for a session."""
        config = gl.Config(double_buffer=True, depth_size=24, major_version=3, minor_version=3, forward_compatible=True)
        headless = pyglet.options.headless
        extras: dict[str, Any] = {} if headless else {"file_drops": True, "resizable": True}
        super().__init__(width, height, "Marionette", config=config, vsync=vsync, **extras)
        self.session = session
        if not headless:
            self.set_minimum_size(480, 320)
        renderer = attach()
        self.frame = Frame(session, renderer, Ui(session), lambda: screen_of(renderer))
        self.frames = 0
        self._cursor = ""
        self._full = False
        self.closed = False

    # ------------------------------------------------------------ frames
    def draw_frame(self) -> None:
        """Draw a frame."""
        session = self.session
        if self.closed:
            return
        self.switch_to()
        self.frame.run(self.get_size(), self.get_framebuffer_size())
        self.frames += 1
        if session.wants_screenshot:
            path, session.wants_screenshot = session.wants_screenshot, None
            self.save_picture(path)
        self._follow()

    def on_draw(self) -> None:
        """Draw a frame when pyglet asks for it."""
        self.draw_frame()

    def on_refresh(self, dt: float) -> None:
        """Do nothing, because pyglet calls `on_draw` when the window needs painting."""

    def save_picture(self, path: str) -> None:
        """Save a picture of the window."""
        picture = read_screen(self.frame.target(), self.get_framebuffer_size())
        try:
            write_png(path, picture)
            self.session.tell("info", f"Saved {path}")
        except OSError as error:
            self.session.tell("error", f"{path} could not be written ({error.strerror})")

    def _follow(self) -> None:
        """Apply full screen and cursor as the session and the panels want them."""
        session = self.session
        if session.wants_full_screen != self._full:
            self._full = session.wants_full_screen
            self.set_fullscreen(self._full)
        cursor = self.frame.ui.cursor
        if cursor != self._cursor:
            self._cursor = cursor
            self.set_mouse_cursor(self.get_system_mouse_cursor(CURSORS[cursor]) if cursor else None)

    def close(self) -> None:
        """Release everything in the order that the libraries need."""
        if self.closed:
            return
        self.closed = True
        self.session.close()
        self.switch_to()
        self.frame.ui.close()
        if self.frame.ui.widgets.atlas is not None:
            self.frame.ui.widgets.atlas.release()
        self.frame.renderer.release()
        super().close()

    # ------------------------------------------------------------ events
    def _put(self, kind: str, x: float = 0.0, y: float = 0.0, modifiers: int = 0, **more: Any) -> None:
        """Append an event with its position and modifiers to those of the frame."""
        held = frozenset(name for name, bits in MODIFIERS if modifiers & bits)
        self.frame.events.append(Event(kind, x, self.height - 1 - y, modifiers=held, **more))

    def on_mouse_motion(self, x: int, y: int, dx: int, dy: int) -> None:
        """Append a move event."""
        self._put("move", x, y, self._held)

    def on_mouse_drag(self, x: int, y: int, dx: int, dy: int, buttons: int, modifiers: int) -> None:
        """Append a move event with the modifiers of the drag."""
        self._put("move", x, y, modifiers)

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Append a press event."""
        self._put("press", x, y, modifiers, name=BUTTONS.get(button, ""))

    def on_mouse_release(self, x: int, y: int, button: int, modifiers: int) -> None:
        """Append a release event."""
        self._put("release", x, y, modifiers, name=BUTTONS.get(button, ""))

    def on_mouse_scroll(self, x: int, y: int, scroll_x: float, scroll_y: float) -> None:
        """Append a scroll event."""
        self._put("scroll", x, y, self._held, dx=scroll_x, dy=scroll_y)

    def on_mouse_leave(self, x: int, y: int) -> None:
        """Append a leave event."""
        self._put("leave", x, y)

    _held = 0  # modifier bits, which pyglet does not pass with a motion

    def on_key_press(self, symbol: int, modifiers: int) -> None:
        """Append a key event. Without this method pyglet would close the window on Escape."""
        modifiers = self._held = modifiers | MODIFIER_KEYS.get(symbol, 0)
        self._put("key", modifiers=modifiers, name=name_of(symbol))

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Append a key_up event."""
        modifiers = self._held = modifiers & ~MODIFIER_KEYS.get(symbol, 0)
        self._put("key_up", modifiers=modifiers, name=name_of(symbol))

    def on_text(self, text: str) -> None:
        """Append a text event."""
        self._put("text", name=text)

    def on_activate(self) -> None:
        """Append a focus event."""
        self._put("focus", name="in")

    def on_deactivate(self) -> None:
        """Append a focus event, and clear the modifiers that were held."""
        self._held = 0
        self._put("focus", name="out")

    def on_file_drop(self, x: int, y: int, paths: list[str]) -> None:
        """Open the first file that was dropped."""
        for path in paths[:1]:
            self.session.scenes.open(path)

    def on_resize(self, width: int, height: int) -> None:
        """Do nothing, because each frame sets viewport and projection itself."""

    def on_close(self) -> None:
        """Ask the session to end."""
        self.session.closing = True

    def dispatch_events(self) -> None:
        """Dispatch events, including those that follow a drop or a copy. Pyglet's own loop fetches these, too, but the
        method that it gives to windows does not."""
        super().dispatch_events()
        if not sys.platform.startswith("linux") or pyglet.options.headless:
            return
        from pyglet.libs.x11 import xlib

        event, display = xlib.XEvent(), self._x_display  # type: ignore[attr-defined]
        for kind in (xlib.SelectionNotify, xlib.SelectionRequest, xlib.SelectionClear):
            while xlib.XCheckTypedWindowEvent(display, self._window, kind, ctypes.byref(event)):  # type: ignore
                self.dispatch_platform_event(event)  # type: ignore[attr-defined]

    def _event_drag_enter(self, ev: Any) -> None:
        """Handle a drag into the window. If the event itself contains up to three offered types, pyglet 2.1 raises a
        TypeError; this method reads the types."""
        data = ev.xclient.data.l
        if data[1] & 1:
            super()._event_drag_enter(ev)  # type: ignore[misc]
            return
        files = self._xdnd_atoms["text/uri-list"]  # type: ignore[attr-defined]
        self._xdnd_source, self._xdnd_version = data[0], data[1] >> 24
        self._xdnd_format = files if files in (data[2], data[3], data[4]) else None


MODIFIER_KEYS = {
    key.LSHIFT: key.MOD_SHIFT, key.RSHIFT: key.MOD_SHIFT, key.LCTRL: key.MOD_CTRL, key.RCTRL: key.MOD_CTRL,
    key.LALT: key.MOD_ALT, key.RALT: key.MOD_ALT, key.LCOMMAND: key.MOD_COMMAND, key.RCOMMAND: key.MOD_COMMAND,
}  # fmt: skip


def name_of(symbol: int) -> str:
    """Return the name of a key: pyglet's `_1`, `RETURN`, `BRACKETLEFT` are `1`, `enter`, `bracketleft`."""
    name = str(key.symbol_string(symbol)).lower().removeprefix("_")
    return NAMES.get(name, name)


def run(window: MarionetteWindow, until: Callable[[], bool] | None = None) -> None:
    """Draw frames until the window is closed, or `until` returns True. Pyglet's own loop would go on without
    drawing."""
    while not window.session.closing:
        begin = time.perf_counter()
        window.switch_to()
        window.dispatch_events()
        window.draw_frame()
        window.flip()
        if until is not None and until():
            break
        # the pause limits the rate where vsync does not, as on a virtual screen
        rate = FRAMES_A_SECOND if window.session.snapshot is not None else FRAMES_WHILE_LOADING
        pause = 1.0 / rate - (time.perf_counter() - begin)
        if pause > 0.0:
            time.sleep(pause)
    window.close()
