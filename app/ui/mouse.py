"""The mouse in the scene: it grabs, selects, orbits, pans and zooms. Positions are pixels of the viewport, y down.

A press on a body arms the mouse. If the mouse then moves by a few pixels, it grabs the body; if the button is released
before, it selects the body. While a body is held, Shift holds the point without sag. Alt holds the point and rotates
the body. Alt and Shift together move the body and keep its orientation. The wheel moves the point in depth. X, Y and Z
restrict the motion to an axis.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from app.render.picking import Hit
from app.run.commands import ChangeGrab, Grab, MoveGrab, Release
from app.ui import actions
from app.ui.session import Session
from physics.maths.rotations import quaternion_product

STARTS_AT = 3.0  # pixels from press to drag
DEPTH_OF_A_NOTCH = 0.04  # of the distance from the eye
AXES = {"x": np.array([1.0, 0.0, 0.0]), "y": np.array([0.0, 1.0, 0.0]), "z": np.array([0.0, 0.0, 1.0])}
ORBIT, PAN, ZOOM = "orbit", "pan", "zoom"
# (button, modifier) -> what it does to the camera; a left button without modifier acts on empty space only
CAMERAS: dict[str, dict[tuple[str, str], str]] = {
    "marionette": {("left", ""): ORBIT, ("left", "shift"): ORBIT, ("right", ""): PAN, ("middle", ""): ORBIT},
    "mujoco": {("left", ""): ORBIT, ("right", ""): PAN, ("middle", ""): ZOOM},
    "blender": {("left", ""): ORBIT, ("middle", ""): ORBIT, ("middle", "shift"): PAN, ("middle", "ctrl"): ZOOM},
    "maya": {("left", ""): ORBIT, ("left", "alt"): ORBIT, ("middle", "alt"): PAN, ("right", "alt"): ZOOM},
    "trackpad": {("left", ""): ORBIT, ("left", "shift"): PAN},
}
SCROLLS: dict[str, dict[str, str]] = {"trackpad": {"": ORBIT, "shift": PAN, "ctrl": ZOOM}}
PIXELS_OF_A_NOTCH = 20.0  # when a scroll orbits or pans


@dataclass
class Mouse:
    """The state of the mouse in the scene."""

    session: Session
    at: tuple[float, float] = (0.0, 0.0)
    modifiers: frozenset[str] = frozenset()
    doing: str = ""  # "", armed, grab, orbit, pan, zoom
    button: str = ""
    _pressed: tuple[float, float] = (0.0, 0.0)
    _hit: Hit | None = None
    _anchor: np.ndarray = field(default_factory=lambda: np.zeros(3))  # point of the body that was grabbed
    _depth: float = 0.0  # m toward the eye, by the wheel
    _axis: str = ""
    _kind: str = "spring"
    _number: int = 0
    _body: int = 0
    _turns: bool = True  # a particle has no orientation
    _moved: bool = False
    # at the start of a rotation with Alt: mouse, orientation of the body, target; then the shift of the cursor by it
    _turn_from: tuple[tuple[float, float], np.ndarray, np.ndarray] | None = None
    _shift: np.ndarray = field(default_factory=lambda: np.zeros(3))
    _inside: bool = False

    # ------------------------------------------------------------ events
    def press(self, x: float, y: float, button: str, modifiers: frozenset[str]) -> None:
        """Handle the press of a button at a pixel."""
        self.at, self.modifiers = (x, y), modifiers
        if self.doing:
            return  # a second button while the first one acts
        self.button, self._pressed = button, (x, y)
        table = CAMERAS[self.session.settings.camera]
        word = "+".join(sorted(modifiers))
        self._hit = self._ray_cast() if button == "left" else None
        forced = "ctrl" in modifiers
        if word and not forced and (button, word) in table and self.session.settings.camera != "marionette":
            self.doing = table[button, word]
        elif self._hit is not None and (forced or self.session.settings.grab_without_ctrl) and self._grabbable():
            self.doing = "armed"
        else:
            beside = button != "left" or self._hit is None
            self.doing = table.get((button, word)) or (table.get((button, ""), "") if beside else "")
            if not self.doing and button == "left":
                self.doing = "select"

    def move(self, x: float, y: float, modifiers: frozenset[str]) -> None:
        """Handle a motion."""
        dx, dy = x - self.at[0], y - self.at[1]
        self.at, self.modifiers, self._inside = (x, y), modifiers, True
        camera = self.session.camera
        if self.doing == "armed" and math.dist(self.at, self._pressed) > STARTS_AT:
            self._take_hold()
        if self.doing == "grab":
            self._moved = True
        elif self.doing == ORBIT:
            camera.orbit(dx, dy)
        elif self.doing == PAN:
            camera.pan(dx, dy)
        elif self.doing == ZOOM:
            camera.zoom(-0.05 * dy)

    def release(self, button: str) -> None:
        """Handle a release of a button."""
        if button != self.button:
            return
        if self.doing == "grab":
            self._let_go()
        elif self.doing in ("armed", "select") or math.dist(self.at, self._pressed) <= STARTS_AT:
            self._select()
        self.doing = self.button = ""

    def scroll(self, x: float, y: float, dx: float, dy: float) -> None:
        """Handle a turn of the wheel."""
        camera = self.session.camera
        self.at = (x, y)
        if self.doing == "grab":
            self._depth += dy * DEPTH_OF_A_NOTCH * float(np.linalg.norm(camera.eye - self._anchor))
            self._moved = True
            return
        word = "+".join(sorted(self.modifiers))
        action = SCROLLS.get(self.session.settings.camera, {}).get(word, ZOOM)
        if action == ORBIT:
            camera.orbit(PIXELS_OF_A_NOTCH * dx, PIXELS_OF_A_NOTCH * dy)
        elif action == PAN:
            camera.pan(PIXELS_OF_A_NOTCH * dx, PIXELS_OF_A_NOTCH * dy)
        else:
            camera.zoom(dy, x, y)

    def key(self, name: str) -> bool:
        """Handle keys that act while a body is held. Return whether the key was used."""
        if self.doing != "grab":
            return False
        if name in AXES:
            self._axis = "" if self._axis == name else name
            self._moved = True
            return True
        if name in ("enter", "num_enter"):
            actions.pin(self.session)
            self.doing = ""
            return True
        if name == "escape":
            self._let_go()
            self.doing = ""
            return True
        return False

    def leave(self) -> None:
        """Handle that the mouse leaves the viewport."""
        self._inside = False

    # ------------------------------------------------------------ each frame
    def update(self, over_panel: bool) -> None:
        """Find what the mouse points at, and set the target of the held point, once a frame for all events."""
        session = self.session
        if self.doing == "grab":
            session.hover = None
            if session.held != self._number:
                self.doing = ""  # released by a key, a button or a new scene
                return
            self._pull()
        elif self._inside and not over_panel and not self.doing:
            session.hover = self._ray_cast()
        elif not self.doing or over_panel:
            session.hover = None

    def _pull(self) -> None:
        """Set the kind of the grab by the modifiers, and its target by the mouse."""
        session, (alt, shift) = self.session, ("alt" in self.modifiers, "shift" in self.modifiers)
        assert session.snapshot is not None
        kind = "pose" if alt and self._turns else "point" if shift or alt else "spring"
        if kind != self._kind:
            self._kind = kind
            session.ask(ChangeGrab(self._number, kind=kind))
        if kind == "pose" and not shift:
            if self._turn_from is None:
                self._turn_from = self.at, session.snapshot.poses[self._body, 3:7].copy(), self.target()
            if self._moved:
                self._moved = False
                _, start, target = self._turn_from
                turn = quaternion_product(self._turn(), start)
                session.ask(MoveGrab(self._number, tuple(target.tolist()), tuple(turn.tolist())))
            return
        if self._turn_from is not None:
            # continue from the present place of the point, not from the cursor after the rotation
            target, self._turn_from = self._turn_from[2], None
            self._shift = self._shift + target - self.target()
        if self._moved:
            self._moved = False
            session.ask(MoveGrab(self._number, tuple(self.target().tolist())))

    def _turn(self) -> np.ndarray:
        """Return the rotation of a ball under the mouse as a quaternion: the viewport's height is one whole turn."""
        assert self._turn_from is not None
        camera, begin = self.session.camera, self._turn_from[0]
        right, up, _ = camera.axes()
        angle = 2.0 * math.pi / max(camera.size[1], 1)
        vector = angle * ((self.at[0] - begin[0]) * up + (self.at[1] - begin[1]) * right)
        size = float(np.linalg.norm(vector))
        axis = vector / max(size, 1e-12)
        return np.array([math.cos(0.5 * size), *(math.sin(0.5 * size) * axis)])

    def target(self) -> np.ndarray:
        """Return the target of the grab: under the cursor, at the depth of the point that was grabbed."""
        camera = self.session.camera
        toward = camera.eye - self._anchor
        depth = self._anchor + toward / max(float(np.linalg.norm(toward)), 1e-9) * self._depth
        point = camera.at_depth_of(depth, *self.at) + self._shift
        if self._axis:
            axis = AXES[self._axis]
            point = self._anchor + axis * float(axis @ (point - self._anchor))
        return point

    # ------------------------------------------------------------ what they do
    def _grabbable(self) -> bool:
        """Return whether the body under the mouse can be grabbed."""
        return self._hit is not None and self.session.is_moved_by_forces(self._hit.body)

    def _ray_cast(self) -> Hit | None:
        """Return the body and point under the mouse, or None."""
        session = self.session
        if session.picker is None or session.snapshot is None:
            return None
        return session.picker.hit(session.snapshot.poses, *session.camera.ray(*self.at))

    def _take_hold(self) -> None:
        """Grab the body under the mouse."""
        session, hit = self.session, self._hit
        assert hit is not None
        assert session.snapshot is not None
        self.doing = "grab"
        self._anchor, self._depth, self._axis, self._kind = hit.point, 0.0, "", "spring"
        self._shift, self._turn_from, self._body = np.zeros(3), None, hit.body
        self._turns = session.has_orientation(hit.body)
        self._number = session.new_grab_number()
        session.selected = hit.body
        session.held = self._number
        session.ask(Grab(self._number, session.snapshot.names[hit.body], tuple(hit.point.tolist())))

    def _let_go(self) -> None:
        """Release the body."""
        if self.session.held == self._number:
            self.session.ask(Release(self._number))
            self.session.held = None

    def _select(self) -> None:
        """Select the body under the mouse."""
        session = self.session
        session.selected = self._hit.body if self._hit else None
        if session.brush is not None and session.selected is not None:
            actions.paint(session, session.selected)
