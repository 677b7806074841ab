"""A window without a display, and a person at it: pyglet's headless window by EGL, real event handlers, events acted on
at once."""

import ctypes.util
import os
import time
from contextlib import contextmanager, nullcontext

from app.run.requests import Publish

os.environ.setdefault("LIBGL_ALWAYS_SOFTWARE", "1")

MISSING = [name for name in ("GL", "EGL", "X11") if ctypes.util.find_library(name) is None]


class Hand:
    """A person at the window: points, presses, types, and sees frames. `glances`: sees the scene only after a wait and
    in the last of frames that are asked for, not at each act. Drawing it by software takes 80 ms of a frame, all else
    3."""

    def __init__(self, window, session, glances=False):
        self.glances = glances
        self.window, self.session = window, session
        self.x = self.y = 0

    @property
    def rects(self):
        return self.window.frame.ui.widgets.rects

    def frames(self, count=1):
        for number in range(count):
            with self.on_the_way() if number < count - 1 else nullcontext():
                self.window.switch_to()
                self.window.dispatch_event("on_draw")
                self.window.flip()

    def on_the_way(self):
        """For frames that come before the one that is looked at."""
        return self.eyes_shut() if self.glances else nullcontext()

    @contextmanager
    def eyes_shut(self):
        """Frames without the scene, which costs most of their time here."""
        renderer = self.window.frame.renderer
        draw, renderer.draw = renderer.draw, lambda *_: None
        try:
            yield
        finally:
            renderer.draw = draw

    def until(self, true, seconds=120.0):
        """Frames until something holds: what is used first may have to be compiled, on a busy machine."""
        if true():
            return
        end = time.monotonic() + seconds
        pause = 0.005
        with self.on_the_way():
            while not true():
                texts = [m.text for m in self.session.messages]
                assert time.monotonic() < end, f"it did not come about in time; messages: {texts}"
                self.frames()
                if self.glances:
                    time.sleep(pause)  # leaves the processor to what is waited for
                    pause = min(1.1 * pause, 0.05)
        if self.glances:
            self.frames()

    def settle(self):
        """Frames until the stepper has answered everything that was asked."""
        with self.on_the_way():
            self.frames()
            stepper = self.session.stepper
            self.until(lambda: not stepper._requests)
            before = stepper.snapshot
            self.session.ask(Publish())
            self.until(lambda: stepper.snapshot is not before and not stepper._requests)
        self.frames(2)

    def _act(self):
        """The frame in which something that was done shows."""
        with self.on_the_way():
            self.frames()

    def move(self, x, y):
        """To logical pixels, y down."""
        x, y = round(x), round(y)
        flipped = self.window.height - 1 - y
        if self.buttons:
            self.window.dispatch_event(
                "on_mouse_drag", x, flipped, x - self.x, self.y - y, self.buttons, self.modifiers
            )
        else:
            self.window.dispatch_event("on_mouse_motion", x, flipped, x - self.x, self.y - y)
        self.x, self.y = x, y
        self._act()

    buttons = 0
    modifiers = 0

    def press(self, button=1):
        self.buttons |= button
        self.window.dispatch_event("on_mouse_press", self.x, self.window.height - 1 - self.y, button, self.modifiers)
        self._act()

    def release(self, button=1):
        self.buttons &= ~button
        self.window.dispatch_event("on_mouse_release", self.x, self.window.height - 1 - self.y, button, self.modifiers)
        self._act()

    def scroll(self, notches):
        self.window.dispatch_event("on_mouse_scroll", self.x, self.window.height - 1 - self.y, 0, notches)
        self._act()

    def click(self, label):
        """A widget, by the name under which it is remembered."""
        assert label in self.rects, f"{label!r} is not on the screen; there are {sorted(self.rects)}"
        left, top, right, bottom = self.rects[label]
        self.move((left + right) / 2, (top + bottom) / 2)
        self.press()
        self.release()
        self._act()

    def drag(self, label, first, last):
        """Drag inside a widget, between two shares of its width."""
        left, top, right, bottom = self.rects[label]
        self.move(left + first * (right - left), (top + bottom) / 2)
        self.press()
        self.move(left + last * (right - left), (top + bottom) / 2)
        self.release()
        self.settle()

    def key(self, text):
        """As "ctrl+z"."""
        from pyglet.window import key

        *words, name = text.split("+")
        names = {"enter": "RETURN", "grave": "QUOTELEFT"}
        symbol = getattr(key, names.get(name, f"_{name}" if name.isdigit() else name.upper()))
        bits = 0
        for word in words:
            bits |= getattr(key, f"MOD_{word.upper()}")
        self.window.dispatch_event("on_key_press", symbol, bits)
        self._act()
        self.window.dispatch_event("on_key_release", symbol, bits)
        self._act()

    def type(self, text):
        self.window.dispatch_event("on_text", text)
        self.frames(2)

    def point_at(self, body):
        """The mouse over a body's centre."""
        x, y = self.place_of(body)
        self.move(x, y)

    def place_of(self, body):
        session = self.session
        pixel = session.camera.pixel(session.snapshot.poses[session.numbers[body], :3])
        left, top, _, _ = self.window.frame.ui.viewport
        return pixel and (left + pixel[0], top + pixel[1])

    def picture(self):
        from app.render.context import read_screen

        return read_screen(self.window.frame.target(), self.window.get_framebuffer_size())


def make_window(session, size):
    """Without a display; what is dispatched acts at once."""
    import pyglet

    pyglet.options.headless = True
    from app.ui.window import MarionetteWindow

    window = MarionetteWindow(session, *size, vsync=False)
    window._enable_event_queue = False
    return window


def make_hand(size, folder=None, scene="hand", glances=False):
    import pyglet

    pyglet.options.headless = True
    from app.ui.session import Session

    session = Session(folder)
    window = make_window(session, size)
    session.stepper.start()
    session.scenes.open(scene)
    hand = Hand(window, session, glances)
    hand.until(lambda: session.snapshot is not None and session.snapshot.tick > 2, 600.0)
    hand.frames(3)
    return hand
