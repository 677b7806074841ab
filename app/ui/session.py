"""The session: the state of the window, with the newest snapshot, the selection, the view, messages, and histories for
the plots. It sends requests to the stepper and never touches the World."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from app.host.settings import Settings, load_keys, load_settings, save_settings
from app.render.bodies import placed_bodies
from app.render.camera import Camera
from app.render.look import Look
from app.render.picking import Hit, Picker
from app.render.view import shares
from app.run import requests as ask
from app.run.commands import Set
from app.run.compare import Comparison
from app.run.compiling import Compiler, Needs
from app.run.snapshot import Snapshot
from app.run.stepper import Stepper
from app.ui.drafts import Drafts
from app.ui.gallery import Opened
from app.ui.history import History, Message, Shown
from app.ui.joints import SceneJoints
from app.ui.keys import ACTIONS, DEFAULT_KEYS
from app.ui.scene_files import SceneFiles
from physics import MODES
from physics.definitions.bodies import Fixed, Particle

SHOWN_FOR = 6.0  # s that a message stays
LONG_STEP = 3.0  # s; a step that takes longer is reported


class Session:
    """The state of the window."""

    def __init__(
        self, settings_folder: Path | None = None, stepper: Stepper | None = None, drafts_folder: Path | None = None
    ):
        """Start without a scene. Without folders, settings and drafts are not kept."""
        self.folder = settings_folder
        self.settings, self.keys = Settings(), dict(DEFAULT_KEYS)
        self.messages: deque[Message] = deque(maxlen=50)
        self._load_settings()
        self.compiler = Compiler()
        self.stepper = stepper or Stepper(compile_mode=self.compile)
        self.camera = Camera()
        self.scenes = SceneFiles(self)
        self.drafts = Drafts(self, drafts_folder)
        self.joints = SceneJoints()
        self.snapshot: Snapshot | None = None
        self.look: Look | None = None
        self.picker: Picker | None = None
        self.look_number = 0  # grows with every new look, which the renderer then uploads
        self.selected: int | None = None
        self.hover: Hit | None = None
        self.shown = Shown()
        self._all_coming = False  # whether the kernels of every mode are being compiled
        self.energy, self.drift, self.timing = History(), History(), History()
        self.trail: deque[np.ndarray] = deque(maxlen=600)
        self.frame_seconds: dict[str, float] = {}
        self.closing = False
        self.wants_full_screen = False
        self.wants_screenshot: str | None = None
        self.to_front: deque[str] = deque()  # panels to be brought to the front
        self.in_front: set[str] = set()  # panels that are seen
        self.scope = "this joint"  # what a stiffness of the Figure panel is set for
        self.brush: float | None = None  # stiffness that a click gives to a joint
        self.held: int | None = None  # number of the grab under the mouse
        self._held_seen: int | None = None  # the same, once a snapshot contains the grab
        self.comparison = Comparison()
        self.typed_path = ""
        self._shares = np.zeros(0)  # share of each body in the mass of all
        self._followed: str | None = None  # the body that the camera follows; "": all of them
        self.framed = ""  # source of the scene that the camera was set for
        self.numbers: dict[str, int] = {}  # number of each body in the snapshot
        self._gesture = 0
        self._grabs = 0
        self._seen_tick = -1
        self._began = time.perf_counter()
        self._reported_step = 0.0  # when the long step began that was last reported

    # ------------------------------------------------------------ settings
    def _load_settings(self) -> None:
        """Load settings and keys from the user's folder."""
        if self.folder is None:
            return
        self.settings, messages = load_settings(self.folder / "settings.json")
        self.keys, more = load_keys(self.folder / "keys.json", DEFAULT_KEYS)
        for text in messages + more:
            self.tell("error", text)

    def save_settings(self) -> None:
        """Save the settings, and report once if that fails."""
        if self.folder is not None:
            why = save_settings(self.settings, self.folder / "settings.json")
            if why and not any(m.text == why for m in self.messages):
                self.tell("error", why)

    def tell(self, kind: str, text: str) -> None:
        """Add a message."""
        self.messages.append(Message(kind, text, time.monotonic()))

    def visible_messages(self) -> list[Message]:
        """Return the messages that are still shown."""
        now = time.monotonic()
        return [m for m in self.messages if now - m.at < SHOWN_FOR * (2.0 if m.kind == "error" else 1.0)][-4:]

    def bring(self, panel: str) -> None:
        """Open a panel, and bring it to the front."""
        if panel not in self.settings.panels:
            self.settings.panels.append(panel)
        self.to_front.append(panel)

    # ------------------------------------------------------------ asking
    def ask(self, request: ask.Request) -> None:
        """Send a request to the stepper."""
        self.stepper.ask(request)

    def set(self, path: str, value: Any, gesture: int = 0) -> None:
        """Set the value of a path."""
        self.ask(Set(path, value, gesture))

    def value(self, path: str) -> Any:
        """Return the value of a setting, as last published."""
        return self.snapshot.values[path] if self.snapshot else None

    def asked(self, path: str) -> Any:
        """Return the value of a setting as last asked for: it may wait for its kernels."""
        return self.snapshot.waits.values.get(path, self.snapshot.values[path]) if self.snapshot else None

    def new_gesture(self) -> int:
        """Return a new number of a gesture."""
        self._gesture += 1
        return self._gesture

    @property
    def hint(self) -> str:
        """A first instruction for new users, until something was dragged; then empty."""
        if self.settings.hint_shown or self.snapshot is None or self.compiler.doing or self.drafts.offers:
            return ""
        return "Drag a finger" if "index1" in self.numbers else "Drag a body"

    def new_grab_number(self) -> int:
        """Return a new number of a grab."""
        taken = (grab.number for grab in self.snapshot.grabs) if self.snapshot else ()
        self._grabs = max(self._grabs, *taken, 0) + 1
        self.settings.hint_shown = True
        return self._grabs

    def has_orientation(self, body: int) -> bool:
        """Return whether a body has an orientation."""
        assert self.snapshot is not None
        return not isinstance(placed_bodies(self.snapshot.scene)[body], Particle)

    def is_moved_by_forces(self, body: int) -> bool:
        """Return whether forces move a body."""
        assert self.snapshot is not None
        return not isinstance(placed_bodies(self.snapshot.scene)[body], Fixed)

    def press(self, key: str) -> bool:
        """Run the action of a key. Return whether it has one."""
        for name, keys in self.keys.items():
            if key in keys:
                ACTIONS[name].run(self)
                return True
        return False

    def compile(self, needs: Needs, wanted: Callable[[], bool]) -> None:
        """Compile in a child process, and wait for it, on the stepper's thread or one of its helpers. After the first
        compilation, the kernels of other modes are prepared in the background."""
        if not self.compiler.compile(self.scenes.source, needs, wanted) and wanted() and not self.closing:
            self.tell(
                "error",
                f"{needs.text} could not be compiled in another process; it is compiled now, the window may stall",
            )
        if not self._all_coming and needs.held:
            self._all_coming = True
            others = [Needs(solver) for solver in MODES] + [Needs(order="kinematic"), Needs(integrator="implicit")]
            self.compiler.make_ready("hand", others)

    # ------------------------------------------------------------ each frame
    def update(self) -> Snapshot | None:
        """Take over the newest snapshot and the messages. Return the snapshot, or None before the first."""
        while self.stepper.news:
            news = self.stepper.news.popleft()
            if news.kind in ("info", "error"):
                self.tell(news.kind, news.text)
            elif news.kind == "ready":
                self.tell("info", f"Ready: {news.text}")
        self._tell_of_long_step()
        self.scenes.watch()
        snapshot = self.stepper.snapshot
        if snapshot is None:
            return None
        if self.snapshot is None or snapshot.scene is not self.snapshot.scene:
            self._new_scene(snapshot)
        self.snapshot = snapshot
        self.drafts.update()
        self._go_along(snapshot)
        self._forget_lost_grab(snapshot)
        if snapshot.tick != self._seen_tick:
            self._seen_tick = snapshot.tick
            if not snapshot.past:
                self.energy.add(snapshot.time, *snapshot.energy)
                self.drift.add(snapshot.time, snapshot.gap)
            followed = self.selected
            if self.shown.trail and followed is not None:
                self.trail.append(snapshot.poses[followed, :3].copy())
        if "draw" in self.frame_seconds:
            self.timing.rows.append((time.perf_counter() - self._began, *self._milliseconds(snapshot)))
        return snapshot

    def _tell_of_long_step(self) -> None:
        """Report once that a step takes long. Until it ends, the figure does not move, but the window stays
        responsive."""
        since = self.stepper.stepping
        if since and since != self._reported_step and time.perf_counter() - since > LONG_STEP:
            self._reported_step = since
            self.tell("info", f"A step takes longer than {LONG_STEP:.0f} s: the figure stands until it is done")

    def _go_along(self, snapshot: Snapshot) -> None:
        """Move the camera as the selected body moves, or as the centre of mass of all bodies moves, also when time goes
        back."""
        subject = "" if self.selected is None else snapshot.names[self.selected]
        if not self.shown.follow:
            subject = None
        if subject != self._followed:
            self._followed = subject
            self.camera.go_along(None)
        if subject is not None:
            places = snapshot.poses[:, :3]
            self.camera.go_along(self._shares @ places if self.selected is None else places[self.selected].copy())

    def _forget_lost_grab(self, snapshot: Snapshot) -> None:
        """Forget the grab of the mouse if it no longer exists: the user has gone back to a time before it, or the
        figure refused it."""
        there = any(grab.number == self.held for grab in (*snapshot.grabs, *snapshot.waits.grabs))
        if self.held is None or there:
            self._held_seen = self.held if there else None
        elif self._held_seen == self.held:
            self.held = self._held_seen = None

    def _milliseconds(self, snapshot: Snapshot) -> tuple[float, ...]:
        """Return the times of a step and of a frame [ms]."""
        spent = self.frame_seconds
        return (1e3 * snapshot.step_seconds, *(1e3 * spent.get(k, 0.0) for k in ("view", "draw", "panels")))

    def _new_scene(self, snapshot: Snapshot) -> None:
        """Set look, numbers and histories for a new scene."""
        opened: Opened = snapshot.details
        self.scenes.arrived(opened)
        self.look = opened.look
        self.picker = Picker(self.look, snapshot.names)
        self._shares = shares(snapshot.scene, snapshot.names)
        self.look_number += 1
        self.numbers = {name: i for i, name in enumerate(snapshot.names)}
        self.joints = SceneJoints(snapshot.scene.joints, opened.scene.groups)
        again = opened.source == self.framed
        chosen = self.snapshot.names[self.selected] if again and self.snapshot and self.selected is not None else ""
        self.selected = self.numbers.get(chosen)
        self.hover = self.held = self.brush = None
        self.scope = "this joint"
        for history in (self.energy, self.drift, self.timing):
            history.rows.clear()
        self.trail.clear()
        self._first_view(opened)

    def _first_view(self, opened: Opened) -> None:
        """Set the first view: that of the scene, or one that shows everything. A reloaded scene keeps the view."""
        wanted = opened.scene.camera
        if opened.source == self.framed:
            return
        self.framed = opened.source
        self.shown.joints = not opened.look.skins  # under a skin, when they are asked for
        self.shown.follow = wanted is not None and wanted.follow
        if wanted is None:
            self.camera.frame(opened.look.centre, opened.look.radius)
        else:
            self.camera.take(wanted)
        self.camera.go_along(None)

    def close(self) -> None:
        """End all threads and processes, and save the settings."""
        self.closing = True
        self.comparison.stop()
        self.compiler.close()
        self.stepper.close()
        self.drafts.close()
        self.save_settings()
