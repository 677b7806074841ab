"""The session: what the window knows. The newest snapshot, the selection, the view, messages, histories for the plots.

It asks the stepper and never touches the World.
"""

import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.host.settings import FONT_SIZES, Settings, load_keys, load_settings, save_settings
from app.render.bodies import placed_bodies
from app.render.camera import Camera
from app.render.look import Look
from app.render.picking import Hit, Picker
from app.render.view import shares
from app.run import stepper as ask
from app.run.clock import FASTEST, SLOWEST
from app.run.commands import ChangeGrab, Release, Set, SetEach
from app.run.compare import Comparison
from app.run.compiling import Compiler, Needs
from app.run.stepper import Snapshot, Stepper
from app.ui.gallery import Opened, is_file, names, open_scene
from app.ui.keys import ACTIONS, DEFAULT_KEYS
from app.ui.saving import own_copy, save_values
from physics import MODES
from physics.definitions.bodies import Fixed, Particle
from physics.definitions.joints import Joint, SpringJoint
from physics.world.world import CONTACT_METHODS
from scenes.loading.reload import differences
from scenes.text.errors import SceneError

HISTORY = 1200  # points in a plot: 20 s at 60 frames
EARTH = 9.81  # m/s^2
WATCH_EVERY = 0.5  # s between looks at the files of the scene
SHOWN_FOR = 6.0  # s that a message stays
LONG_STEP = 3.0  # s that a step takes: then it is told


@dataclass
class Shown:
    """What is drawn besides the figure itself; each has a key."""

    joints: bool = True
    axes: bool = False
    reactions: bool = False
    contacts: bool = False
    centres: bool = False
    frames: bool = False
    labels: bool = False
    trail: bool = False
    skin: bool = True
    transparent: bool = False
    wireframe: bool = False
    shadows: bool = True
    ground: bool = True
    follow: bool = False
    hide_panels: bool = False


@dataclass(frozen=True)
class Message:
    kind: str
    text: str
    at: float


@dataclass
class History:
    """Rings of the last values, one row a frame: what the plots show."""

    rows: deque[tuple[float, ...]] = field(default_factory=lambda: deque(maxlen=HISTORY))

    def add(self, time: float, *values: float) -> None:
        """Where time was set back, what came later is no longer so."""
        while self.rows and self.rows[-1][0] > time:
            self.rows.pop()
        self.rows.append((time, *values))

    def columns(self) -> np.ndarray:
        return np.array(self.rows).T if self.rows else np.zeros((1, 0))


class Session:
    def __init__(self, settings_folder: Path | None = None, stepper: Stepper | None = None):
        self.folder = settings_folder
        self.settings, self.keys = Settings(), dict(DEFAULT_KEYS)
        self.messages: deque[Message] = deque(maxlen=50)
        self._load_settings()
        self.compiler = Compiler()
        self.stepper = stepper or Stepper(compile_mode=self._compile)
        self.camera = Camera()
        self.gallery: list[str] = names()
        self.opened: Opened | None = None
        self._looked = 0.0  # when the files of the scene were last looked at
        self._written = 0.0  # when the newest of them was written
        self.snapshot: Snapshot | None = None
        self.look: Look | None = None
        self.picker: Picker | None = None
        self.look_number = 0  # grows with every new look: the renderer uploads it
        self.selected: int | None = None
        self.hover: Hit | None = None
        self.shown = Shown()
        self.source = ""  # name of the gallery, or a path
        self._asked: Opened | None = None  # the scene that is being loaded
        self._all_coming = False  # kernels of every mode
        self.error = ""  # of the last scene that could not be loaded
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
        self._held_seen: int | None = None  # that grab, once a snapshot had it
        self.comparison = Comparison()
        self.typed_path = ""
        self._shares = np.zeros(0)  # of the bodies in the mass of all
        self._followed: str | None = None  # the body that the camera goes along with; "": all of them
        self._framed = ""  # source of the scene that the camera was set for
        self.numbers: dict[str, int] = {}  # of the bodies
        self._joints: dict[str, Joint] = {}
        self._gesture = 0
        self._grabs = 0
        self._seen_tick = -1
        self._began = time.perf_counter()
        self._long_told = 0.0  # when the step began of which that was told

    # ------------------------------------------------------------ settings
    def _load_settings(self) -> None:
        if self.folder is None:
            return
        self.settings, messages = load_settings(self.folder / "settings.json")
        self.keys, more = load_keys(self.folder / "keys.json", DEFAULT_KEYS)
        for text in messages + more:
            self.tell("error", text)

    def save_settings(self) -> None:
        if self.folder is not None:
            why = save_settings(self.settings, self.folder / "settings.json")
            if why and not any(m.text == why for m in self.messages):
                self.tell("error", why)

    def tell(self, kind: str, text: str) -> None:
        self.messages.append(Message(kind, text, time.monotonic()))

    def visible_messages(self) -> list[Message]:
        now = time.monotonic()
        return [m for m in self.messages if now - m.at < SHOWN_FOR * (2.0 if m.kind == "error" else 1.0)][-4:]

    # ------------------------------------------------------------ asking
    def ask(self, request: ask.Request) -> None:
        self.stepper.ask(request)

    def set(self, path: str, value: Any, gesture: int = 0) -> None:
        self.ask(Set(path, value, gesture))

    def value(self, path: str) -> Any:
        """Of a setting, as last published."""
        return self.snapshot.values[path] if self.snapshot else None

    def new_gesture(self) -> int:
        self._gesture += 1
        return self._gesture

    @property
    def hint(self) -> str:
        """One line for somebody who has read nothing, until something was dragged."""
        if self.settings.hint_shown or self.snapshot is None or self.compiler.doing:
            return ""
        return "Drag a finger" if "index1" in self.numbers else "Drag a body"

    def new_grab_number(self) -> int:
        self._grabs += 1
        self.settings.hint_shown = True
        return self._grabs

    def joint(self, name: str) -> Joint:
        return self._joints[name]

    def has_orientation(self, body: int) -> bool:
        assert self.snapshot is not None
        return not isinstance(placed_bodies(self.snapshot.scene)[body], Particle)

    def is_moved_by_forces(self, body: int) -> bool:
        assert self.snapshot is not None
        return not isinstance(placed_bodies(self.snapshot.scene)[body], Fixed)

    # ------------------------------------------------------------ joints, one or many
    def joint_toward_root(self, body: int) -> Joint | None:
        """The joint by whose spring a body hangs on the figure."""
        assert self.snapshot is not None
        name = self.snapshot.names[body]
        mine = [j for j in self._joints.values() if isinstance(j, SpringJoint) and name in (j.a, j.b)]
        return next((j for j in mine if j.b == name), mine[0] if mine else None)

    def scopes(self, joint: Joint) -> dict[str, list[str]]:
        """What a stiffness can be set for: this joint, the limb beyond it, the scene's groups, all joints."""
        sprung = [name for name, j in self._joints.items() if isinstance(j, SpringJoint)]
        found = {"this joint": [joint.name], "it and beyond": [n for n in self._beyond(joint) if n in sprung]}
        for name, members in (self.opened.scene.groups if self.opened else {}).items():
            held = [member for member in members if member in sprung]
            if held:
                found[f"group {name}"] = held
        return {**found, "all joints": sprung}

    def _beyond(self, joint: Joint) -> list[str]:
        """The joint and those of the bodies that it carries."""
        found, ahead = [joint.name], [joint.b]
        while ahead:
            body = ahead.pop()
            for other in self._joints.values():
                if other.a == body and other.name not in found:
                    found.append(other.name)
                    ahead.append(other.b)
        return found

    def set_joints(self, names: Sequence[str], key: str, value: Any, gesture: int = 0) -> None:
        self.ask(SetEach(tuple((f"joints.{name}.{key}", value) for name in names), gesture))

    def paint(self, body: int) -> None:
        """The stiffness of the brush for the joint of a body that was clicked."""
        joint = self.joint_toward_root(body)
        if joint is None:
            self.tell("info", "That body has no joint with a spring")
        elif self.brush is not None:
            self.set(f"joints.{joint.name}.stiffness", self.brush)
            self.tell("info", f"{joint.name}: stiffness {self.brush:.3g}")

    def press(self, key: str) -> bool:
        """Run what a key stands for; False when it stands for nothing."""
        for name, keys in self.keys.items():
            if key in keys:
                ACTIONS[name].run(self)
                return True
        return False

    # ------------------------------------------------------------ scenes
    def open(self, source: str, goes_on: bool = False) -> None:
        """By name, or a file; what is wrong with it is shown, and the present scene goes on. `goes_on`: the present
        scene was changed, and is not to begin anew."""
        try:
            opened = open_scene(source)
        except SceneError as error:
            self.error = str(error)
            self.tell("error", self.error.splitlines()[0])
            self.show_error()
            return
        self.error = ""
        self.source = source
        self._written = opened.changed
        if is_file(source):
            self.settings.remember(str(Path(source).resolve()))
            self.save_settings()
        scene = opened.scene
        for problem in scene.problems:
            self.tell("info", str(problem).splitlines()[0])
        self._asked = opened
        self.ask(ask.Load(scene.definitions, scene.name, scene.make_world, opened, goes_on))

    def show_error(self) -> None:
        """The Scenes panel lists every problem with its line."""
        if "Scenes" not in self.settings.panels:
            self.settings.panels.append("Scenes")
        self.to_front.append("Scenes")

    def reload(self) -> None:
        if self.source:
            self.open(self.source)

    def browse(self, by: int) -> None:
        here = self.gallery.index(self.source) if self.source in self.gallery else 0
        self.open(self.gallery[(here + by) % len(self.gallery)])

    def _watch(self) -> None:
        """A file that was saved is loaded again; while it is broken, the old scene goes on."""
        now = time.monotonic()
        if self.opened is None or self.opened.source != self.source or now - self._looked < WATCH_EVERY:
            return
        self._looked = now
        written = self.opened.changed
        if written > self._written:
            self._written = written
            self._load_changed(self.opened)

    def _load_changed(self, old: Opened) -> None:
        """Once more, from where the figure is; what is new is told. A broken file is told by `open`."""
        was_broken, news = bool(self.error), []
        try:
            new = open_scene(self.source)
            news = differences(old.scene, new.scene)
        except SceneError:
            new = None
        if new is not None and not news:  # as it was: time and what can be undone stay
            self.error, self.opened = "", new
            if was_broken:
                self.tell("info", "Mended, nothing else has changed")
            return
        if news:
            self.tell("info", f"Loaded again: {'; '.join(news)}")
        self.open(self.source, goes_on=True)

    def save(self) -> None:
        """What was set, into the scene's file; of a scene of the library, into a copy in the present folder."""
        if self.opened is None or self.snapshot is None:
            return
        try:
            scene = own_copy(self.opened.scene, Path.cwd())
        except (SceneError, OSError) as error:
            why = getattr(error, "strerror", None) or str(error).splitlines()[0]
            self.tell("error", f"It cannot be saved here: {why}")
            return
        saved = save_values(scene, self.snapshot.changed)
        for sentence in saved.refused:
            self.tell("error", f"Not saved: {sentence}")
        assert saved.scene.path is not None
        source = self.source if scene is self.opened.scene else str(saved.scene.path)
        self.source = self._framed = source
        self.opened = replace(self.opened, source=source, scene=saved.scene)
        self._written = self.opened.changed
        self.settings.remember(str(saved.scene.path.resolve()))
        what = ", ".join(saved.paths) or "nothing was changed"
        self.tell("info", f"Saved in {saved.scene.path.name}: {what}")

    def _compile(self, needs: Needs, wanted: Callable[[], bool]) -> None:
        """On the stepper's thread, or one of its helpers: wait for the child. Where one thing had to be compiled, more
        will be asked for: it is made ready in the background."""
        if not self.compiler.compile(self.source, needs, wanted) and wanted() and not self.closing:
            self.tell("error", f"{needs.text} could not be compiled aside; it is compiled now, the window may stall")
        if not self._all_coming and needs.held:
            self._all_coming = True
            others = [Needs(solver) for solver in MODES] + [Needs(order="kinematic"), Needs(integrator="implicit")]
            self.compiler.make_ready("hand", others)

    # ------------------------------------------------------------ what keys and buttons do
    def compare(self) -> None:
        """Measure every mode and integrator from the present state; the Compare panel shows it."""
        if self.opened is None or self.comparison.running:
            return
        self.comparison = Comparison(self._compile)
        self.comparison.running = True  # from now on: until the stepper answers, it may be asked for again and again
        self.ask(ask.State(self.comparison.start))
        if "Compare" not in self.settings.panels:
            self.settings.panels.append("Compare")
        self.to_front.append("Compare")

    def toggle_pause(self) -> None:
        if self.snapshot:
            self.ask(ask.Pause(not self.snapshot.paused))

    def faster(self, factor: float) -> None:
        self.ask(ask.Speed(min(max(self.stepper.clock.speed * factor, SLOWEST), FASTEST)))

    def stiff(self) -> None:
        self.set("settings.stiff", not self.value("settings.stiff"))

    def gravity(self) -> None:
        """Off, and on as the scene has it."""
        assert self.snapshot is not None
        own = self.snapshot.scene.gravity
        on = own if any(own) else (0.0, 0.0, -EARTH)
        self.set("settings.gravity", (0.0, 0.0, 0.0) if any(self.value("settings.gravity")) else on)

    def touching(self) -> None:
        """Whether contacts are answered, as the scene has it; off, bodies go through each other."""
        assert self.opened is not None
        own = self.opened.scene.make_world().contact_method
        on = own if own != "none" else CONTACT_METHODS[1]
        self.set("settings.contact_method", "none" if self.value("settings.contact_method") != "none" else on)

    def sleep(self) -> None:
        """Whether what rests falls asleep, where anything can rest."""
        assert self.snapshot is not None
        if self.snapshot.touches:
            self.switch("sleeping")
        else:
            self.tell("info", "Nothing rests on anything in this scene: contacts are off")

    def switch(self, name: str) -> None:
        """A setting that is on or off."""
        self.set(f"settings.{name}", not self.value(f"settings.{name}"))

    def flip(self, name: str) -> None:
        setattr(self.shown, name, not getattr(self.shown, name))

    def show(self, panel: str) -> None:
        """Open a panel, or close it when it is in front."""
        if panel in self.settings.panels and panel in self.in_front:
            self.settings.panels.remove(panel)
        else:
            if panel not in self.settings.panels:
                self.settings.panels.append(panel)
            self.to_front.append(panel)
        self.shown.hide_panels = False
        self.save_settings()

    def font(self, by: float) -> None:
        self.settings.font_size = min(max(self.settings.font_size + by, FONT_SIZES[0]), FONT_SIZES[1])
        self.save_settings()

    def frame(self) -> None:
        if self.look is None or self.snapshot is None:
            return
        if self.selected is not None:
            self.camera.frame(self.snapshot.poses[self.selected, :3], 0.35 * self.look.radius)
        else:
            places = self.snapshot.poses[:, :3]
            centre = 0.5 * (places.min(0) + places.max(0))
            reach = float(np.linalg.norm(places - centre, axis=1).max())
            self.camera.frame(centre, max(1.15 * reach, 0.5 * self.look.radius))

    def shoot(self) -> None:
        self.wants_screenshot = str(Path.cwd() / f"marionette-{time.strftime('%Y%m%d-%H%M%S')}.png")

    def full_screen(self) -> None:
        self.wants_full_screen = not self.wants_full_screen

    def quit(self) -> None:
        self.closing = True

    def pin(self) -> None:
        if self.held is not None:
            self.ask(ChangeGrab(self.held, pinned=True))
            self.held = None

    def unpin(self) -> None:
        for grab in self.snapshot.grabs if self.snapshot else ():
            if grab.pinned:
                self.ask(Release(grab.number))

    def let_go(self) -> None:
        if self.held is not None:
            self.ask(Release(self.held))
            self.held = None
        else:
            self.selected = None

    # ------------------------------------------------------------ each frame
    def update(self) -> Snapshot | None:
        """Take the newest snapshot and the news; returns the snapshot."""
        while self.stepper.news:
            news = self.stepper.news.popleft()
            if news.kind in ("info", "error"):
                self.tell(news.kind, news.text)
            elif news.kind == "ready":
                self.tell("info", f"Ready: {news.text}")
        self._tell_of_long_step()
        self._watch()
        snapshot = self.stepper.snapshot
        if snapshot is None:
            return None
        if self.snapshot is None or snapshot.scene is not self.snapshot.scene:
            self._new_scene(snapshot)
        self.snapshot = snapshot
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
        """Once: the window lives on while the figure stands."""
        since = self.stepper.stepping
        if since and since != self._long_told and time.perf_counter() - since > LONG_STEP:
            self._long_told = since
            self.tell("info", f"A step takes longer than {LONG_STEP:.0f} s: the figure stands until it is done")

    def _go_along(self, snapshot: Snapshot) -> None:
        """The camera follows the selected body, or the centre of mass of all; back to the start, too, when they are."""
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
        """A grab that came and is gone again (the past has none, or the figure refused it) is no longer held."""
        there = any(grab.number == self.held for grab in snapshot.grabs)
        if self.held is None or there:
            self._held_seen = self.held if there else None
        elif self._held_seen == self.held:
            self.held = self._held_seen = None

    def _milliseconds(self, snapshot: Snapshot) -> tuple[float, ...]:
        spent = self.frame_seconds
        return (1e3 * snapshot.step_seconds, *(1e3 * spent.get(k, 0.0) for k in ("view", "draw", "panels")))

    def _new_scene(self, snapshot: Snapshot) -> None:
        opened: Opened = snapshot.details
        if self._asked is None and opened.source != self.source:  # a loading was undone
            self.source, self._written = opened.source, opened.changed
        if self._asked is opened:
            self._asked = None
        self.opened, self.look = opened, opened.look
        self.picker = Picker(self.look, snapshot.names)
        self._shares = shares(snapshot.scene, snapshot.names)
        self.look_number += 1
        self.numbers = {name: i for i, name in enumerate(snapshot.names)}
        self._joints = {joint.name: joint for joint in snapshot.scene.joints}
        again = opened.source == self._framed
        chosen = self.snapshot.names[self.selected] if again and self.snapshot and self.selected is not None else ""
        self.selected = self.numbers.get(chosen)
        self.hover = self.held = self.brush = None
        self.scope = "this joint"
        for history in (self.energy, self.drift, self.timing):
            history.rows.clear()
        self.trail.clear()
        self._first_view(opened)

    def _first_view(self, opened: Opened) -> None:
        """Where the scene says, else everything; a reloaded scene keeps the view."""
        wanted = opened.scene.camera
        if opened.source == self._framed:
            return
        self._framed = opened.source
        self.shown.joints = not opened.look.skins  # under a skin, when they are asked for
        self.shown.follow = wanted is not None and wanted.follow
        if wanted is None:
            self.camera.frame(opened.look.centre, opened.look.radius)
        else:
            self.camera.take(wanted)
        self.camera.go_along(None)

    def close(self) -> None:
        self.closing = True
        self.comparison.stop()
        self.compiler.close()
        self.stepper.close()
        self.save_settings()
