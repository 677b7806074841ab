"""One frame: events go to the panels and the scene, the newest snapshot becomes a view, and scene and panels are
drawn.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from app.render.atlas import Atlas
from app.render.renderer import Renderer
from app.render.view import make_view
from app.ui.mouse import Mouse
from app.ui.overlay import labels_for, lines_for, marks_for
from app.ui.session import Session
from app.ui.shell import Event, Ui

FRAME_SMOOTHING = 0.05


@dataclass
class Frame:
    """The drawing of frames, from events to the picture."""

    session: Session
    renderer: Renderer
    ui: Ui
    target: Callable[[], Any]  # the framebuffer of the window
    mouse: Mouse = field(init=False)
    events: list[Event] = field(default_factory=list)
    own_seconds: float = 0.0  # this thread's processor time in the last frame
    _look: int = 0
    _last: float = 0.0
    _drawn: bool = False

    def __post_init__(self) -> None:
        """Make the mouse of the session."""
        self.mouse = Mouse(self.session)

    def run(self, size: tuple[int, int], framebuffer: tuple[int, int]) -> None:
        """Draw one frame. `size` is in logical pixels, `framebuffer` in real ones."""
        begin = time.thread_time()
        self._count()
        session, ui = self.session, self.ui
        events, self.events = self.events, []
        for event in events:
            ui.feed(event)
        ui.begin(size, framebuffer)
        snapshot = session.update()
        if snapshot is not None and ui.widgets.atlas is None:  # later, so that the figure appears sooner
            ui.widgets.atlas = Atlas(self.renderer.context)
        _, _, width, height = ui.viewport
        session.camera.size = (max(int(width), 8), max(int(height), 8))
        with self._timed("view"):
            self._route(events)
            self.mouse.update(ui.wants_mouse)
            ui.labels = labels_for(session) if snapshot else []
        with self._timed("panels"):
            ui.draw()
        self._draw_scene(size, framebuffer)
        with self._timed("panels", more=True):
            ui.end()
        self.own_seconds = time.thread_time() - begin

    def _count(self) -> None:
        """Measure the time between frames."""
        now = time.perf_counter()
        spent = self.session.frame_seconds
        if self._last:
            old = spent.get("frame", now - self._last)
            spent["frame"] = old + FRAME_SMOOTHING * (now - self._last - old)
        self._last = now

    @contextmanager
    def _timed(self, name: str, more: bool = False) -> Iterator[None]:
        """Measure the time of the block under a name; with `more`, add it to the time measured before."""
        begin = time.perf_counter()
        yield
        before = self.session.frame_seconds.get(name, 0.0) if more else 0.0
        self.session.frame_seconds[name] = before + time.perf_counter() - begin

    # ------------------------------------------------------------ events
    def _route(self, events: list[Event]) -> None:
        """Pass the events that no panel uses to the mouse and keys. A release always gets through, so that a drag
        ends."""
        ui, mouse = self.ui, self.mouse
        left, top, _, _ = ui.viewport
        for event in events:
            x, y = event.x - left, event.y - top
            if event.kind == "press" and not ui.wants_mouse:
                mouse.press(x, y, event.name, event.modifiers)
            elif event.kind == "move":
                mouse.move(x, y, event.modifiers)
            elif event.kind == "release":
                mouse.release(event.name)
            elif event.kind == "scroll" and not ui.wants_mouse:
                mouse.scroll(x, y, event.dx, event.dy)
            elif event.kind == "leave":
                mouse.leave()
            elif event.kind in ("key", "key_up"):
                mouse.modifiers = event.modifiers
                if event.kind == "key" and not ui.wants_text:
                    self._key(event)

    def _key(self, event: Event) -> None:
        """Pass a key to the mouse, or run its action."""
        if self.mouse.key(event.name):
            return
        key = "+".join([m for m in ("ctrl", "shift", "alt") if m in event.modifiers] + [event.name])
        self.session.press(key)

    # ------------------------------------------------------------ the scene
    def _draw_scene(self, size: tuple[int, int], framebuffer: tuple[int, int]) -> None:
        """Draw the scene into its rectangle."""
        session, renderer = self.session, self.renderer
        target = self.target()
        target.use()
        if session.look is None or session.snapshot is None:
            renderer.clear(target, framebuffer)
            return
        if self._look != session.look_number:
            self._look = session.look_number
            self._drawn = False
            renderer.set_look(session.look, session.snapshot.names)
        begin = time.perf_counter()
        shown = session.shown
        renderer.show_joints, renderer.show_ground = shown.joints, shown.ground
        renderer.shadows, renderer.wireframe = shown.shadows, shown.wireframe
        renderer.show_skin = shown.skin
        renderer.ghost = 0.6 if shown.transparent else 0.0
        view = make_view(session.snapshot.poses, session.look, marks_for(session))
        lines, overlay = lines_for(session)
        view.lines = np.concatenate([view.lines, lines])
        view.overlay = overlay
        session.frame_seconds["view"] += time.perf_counter() - begin
        begin = time.perf_counter()
        renderer.draw(target, self._pixels(size, framebuffer), view, session.camera)
        if self._drawn:  # not for the first picture, which also compiles the shaders
            session.frame_seconds["draw"] = time.perf_counter() - begin
        self._drawn = True
        target.use()

    def _pixels(self, size: tuple[int, int], framebuffer: tuple[int, int]) -> tuple[int, int, int, int]:
        """Return the scene's rectangle in the framebuffer, from its lower left corner."""
        across, up = framebuffer[0] / max(size[0], 1), framebuffer[1] / max(size[1], 1)
        x, y, width, height = self.ui.viewport
        return (
            round(x * across), round(framebuffer[1] - (y + height) * up),
            max(round(width * across), 8), max(round(height * up), 8),
        )  # fmt: skip
