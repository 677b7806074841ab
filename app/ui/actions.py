"""The actions of keys, buttons and menus. `app/ui/keys.py` gives each action its name and its keys."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from app.host.settings import FONT_SIZES
from app.run import requests as ask
from app.run.clock import FASTEST, SLOWEST
from app.run.commands import ChangeGrab, Release, SetEach
from app.run.compare import Comparison
from app.run.recorded_scene import head_of
from app.run.recording import SUFFIX
from physics.world.world import CONTACT_METHODS
from scenes.writing.outputs import refusal

if TYPE_CHECKING:
    from app.ui.session import Session

EARTH = 9.81  # m/s^2


def compare(session: "Session") -> None:
    """Start measuring every mode and integrator from the present state, and open the Compare panel."""
    if session.scenes.opened is None or session.comparison.running:
        return
    session.comparison = Comparison(session.compile)
    session.comparison.running = True  # set before the stepper answers, so that a second request does nothing
    session.ask(ask.State(session.comparison.start))
    session.bring("Compare")


def toggle_pause(session: "Session") -> None:
    """Pause, or continue."""
    if session.snapshot:
        session.ask(ask.Pause(not session.snapshot.paused))


def faster(session: "Session", factor: float) -> None:
    """Multiply the speed of time by a factor."""
    session.ask(ask.Speed(min(max(session.stepper.clock.speed * factor, SLOWEST), FASTEST)))


def stiff(session: "Session") -> None:
    """Toggle all joint springs."""
    session.set("settings.stiff", not session.asked("settings.stiff"))


def gravity(session: "Session") -> None:
    """Toggle gravity. When switched on, it is the gravity of the scene."""
    assert session.snapshot is not None
    own = session.snapshot.scene.gravity
    on = own if any(own) else (0.0, 0.0, -EARTH)
    session.set("settings.gravity", (0.0, 0.0, 0.0) if any(session.asked("settings.gravity")) else on)


def touching(session: "Session") -> None:
    """Toggle contacts. When switched on, they are those of the scene. Without contacts, bodies pass through each
    other."""
    assert session.scenes.opened is not None
    own = session.scenes.opened.scene.make_world().contact_method
    on = own if own != "none" else CONTACT_METHODS[1]
    session.set("settings.contact_method", "none" if session.asked("settings.contact_method") != "none" else on)


def sleep(session: "Session") -> None:
    """Toggle sleeping, if there are contacts."""
    assert session.snapshot is not None
    if session.snapshot.touches:
        switch(session, "sleeping")
    else:
        session.tell("info", "Nothing rests on anything in this scene: contacts are off")


def switch(session: "Session", name: str) -> None:
    """Toggle a setting of the world."""
    session.set(f"settings.{name}", not session.asked(f"settings.{name}"))


def flip(session: "Session", name: str) -> None:
    """Toggle something that is drawn."""
    setattr(session.shown, name, not getattr(session.shown, name))


def show(session: "Session", panel: str) -> None:
    """Open a panel, or close it when it is in front."""
    if panel in session.settings.panels and panel in session.in_front:
        session.settings.panels.remove(panel)
    else:
        session.bring(panel)
    session.shown.hide_panels = False
    session.save_settings()


def font(session: "Session", by: float) -> None:
    """Change the size of the font."""
    session.settings.font_size = min(max(session.settings.font_size + by, FONT_SIZES[0]), FONT_SIZES[1])
    session.save_settings()


def frame(session: "Session") -> None:
    """Move the camera so that the selection, or the whole figure, is in view."""
    if session.look is None or session.snapshot is None:
        return
    if session.selected is not None:
        session.camera.frame(session.snapshot.poses[session.selected, :3], 0.35 * session.look.radius)
    else:
        places = session.snapshot.poses[:, :3]
        centre = 0.5 * (places.min(0) + places.max(0))
        reach = float(np.linalg.norm(places - centre, axis=1).max())
        session.camera.frame(centre, max(1.15 * reach, 0.5 * session.look.radius))


def shoot(session: "Session") -> None:
    """Save a picture of the window."""
    session.wants_screenshot = str(Path.cwd() / f"marionette-{time.strftime('%Y%m%d-%H%M%S')}.png")


def record(session: "Session") -> None:
    """Begin a recording in the present folder, or in the user's own if nothing can be written there; or end it."""
    opened = session.scenes.opened
    if session.stepper.recorder is not None:
        session.ask(ask.StopRecording())
    elif opened is not None:
        folder, name = Path.cwd(), f"marionette-{time.strftime('%Y%m%d-%H%M%S')}"
        if refusal(folder / name) and session.drafts.folder is not None:
            folder = session.drafts.folder.parent
        path, number = folder / f"{name}{SUFFIX}", 1
        while path.exists():  # of another window
            number += 1
            path = folder / f"{name}-{number}{SUFFIX}"
        try:
            head = head_of(opened.scene, opened.source)
        except OSError as error:
            session.tell("error", f"{error.filename} cannot be read ({error.strerror}): nothing is recorded")
            return
        session.ask(ask.Record(path, head))


def full_screen(session: "Session") -> None:
    """Switch full screen on or off."""
    session.wants_full_screen = not session.wants_full_screen


def quit(session: "Session") -> None:
    """Close the window."""
    session.closing = True


def pin(session: "Session") -> None:
    """Pin the body that the mouse holds."""
    if session.held is not None:
        session.ask(ChangeGrab(session.held, pinned=True))
        session.held = None


def unpin(session: "Session") -> None:
    """Remove all pins, also those that are still to be made."""
    if session.snapshot is not None:
        made = tuple(grab.number for grab in session.snapshot.grabs if grab.pinned)
        for number in made + session.snapshot.waits.pins:
            session.ask(Release(number))


def let_go(session: "Session") -> None:
    """Release the body that the mouse holds; without one, deselect."""
    if session.held is not None:
        session.ask(Release(session.held))
        session.held = None
    else:
        session.selected = None


def set_joints(session: "Session", names: Sequence[str], key: str, value: Any, gesture: int = 0) -> None:
    """Set the value `key` of several joints together."""
    session.ask(SetEach(tuple((f"joints.{name}.{key}", value) for name in names), gesture))


def paint(session: "Session", body: int) -> None:
    """Set the stiffness of the joint of a clicked body to that of the brush."""
    joint = session.joints.toward_root(session.snapshot.names[body]) if session.snapshot else None
    if joint is None:
        session.tell("info", "That body has no joint with a spring")
    elif session.brush is not None:
        session.set(f"joints.{joint.name}.stiffness", session.brush)
        session.tell("info", f"{joint.name}: stiffness {session.brush:.3g}")
