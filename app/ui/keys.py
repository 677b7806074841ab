"""The table of actions: what menus, keys, buttons and the Help panel are made from. One line an action."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.run import stepper as ask
from app.run.commands import HoldPose, Reset
from physics import MODES

if TYPE_CHECKING:
    from app.ui.session import Session


@dataclass(frozen=True)
class Action:
    name: str  # in the key file
    group: str  # a menu
    label: str
    keys: tuple[str, ...]
    about: str
    run: "Callable[[Session], None]"


def _solver(name: str) -> "Callable[[Session], None]":
    return lambda s: s.set("settings.solver", name)


def _next_solver(s: "Session") -> None:
    modes = list(MODES)
    s.set("settings.solver", modes[(modes.index(s.value("settings.solver")) + 1) % len(modes)])


def _posing(s: "Session") -> None:
    s.set("settings.order", "dynamic" if s.value("settings.order") == "kinematic" else "kinematic")


def _flip(name: str) -> "Callable[[Session], None]":
    return lambda s: s.flip(name)


def _actions() -> list[Action]:
    time, edit, file, view, solver, hold = "Time", "Edit", "File", "View", "Solver", "Hold"
    rows = [
        Action("open", file, "Open ...", ("ctrl+o",), "the gallery, recent files, a path", lambda s: s.show("Scenes")),
        Action("reload", file, "Reload", ("ctrl+l", "ctrl+r"), "the scene, from its start", lambda s: s.reload()),
        Action("save", file, "Save values", ("ctrl+s",), "what was set, into the scene's file", lambda s: s.save()),
        Action("next_scene", file, "Next scene", ("bracketright",), "of the gallery", lambda s: s.browse(1)),
        Action("previous_scene", file, "Previous scene", ("bracketleft",), "of the gallery", lambda s: s.browse(-1)),
        Action("screenshot", file, "Screenshot", ("f12", "ctrl+p"), "a PNG file of the window", lambda s: s.shoot()),
        Action("quit", file, "Quit", ("ctrl+q",), "close the window", lambda s: s.quit()),
        Action("undo", edit, "Undo", ("ctrl+z",), "the last change, pose or branch", lambda s: s.ask(ask.Undo())),
        Action("redo", edit, "Redo", ("ctrl+y", "ctrl+shift+z"), "what was undone", lambda s: s.ask(ask.Redo())),
        Action("larger_font", edit, "Larger font", ("ctrl+equal", "ctrl+num_add"), "", lambda s: s.font(1.0)),
        Action("smaller_font", edit, "Smaller font", ("ctrl+minus", "ctrl+num_subtract"), "", lambda s: s.font(-1.0)),
        Action("pause", time, "Pause, go on", ("space",), "from the past: a new future", lambda s: s.toggle_pause()),
        Action("step", time, "One step on", ("period", "right"), "", lambda s: s.ask(ask.StepBy(1))),
        Action("step_back", time, "One step back", ("comma", "left"), "", lambda s: s.ask(ask.StepBy(-1))),
        Action("reset", time, "Reset", ("r", "backspace"), "to the start; settings stay", lambda s: s.ask(Reset())),
        Action("slower", time, "Slower", ("minus", "num_subtract"), "half the speed", lambda s: s.faster(0.5)),
        Action("faster", time, "Faster", ("equal", "num_add"), "twice the speed", lambda s: s.faster(2.0)),
        Action("stiffness", hold, "Joint stiffness on, off", ("s",), "all joint springs at once", lambda s: s.stiff()),
        Action("posing", hold, "Posing (no inertia)", ("k",), "drag like a wooden mannequin", _posing),
        Action("hold_pose", hold, "Hold this pose", ("h",), "it becomes the rest pose", lambda s: s.ask(HoldPose())),
        Action("pin", hold, "Leave it pinned", ("enter", "num_enter"), "while dragging", lambda s: s.pin()),
        Action("unpin", hold, "Remove all pins", ("delete",), "", lambda s: s.unpin()),
        Action("let_go", hold, "Let go, deselect", ("escape",), "", lambda s: s.let_go()),
        Action("gravity", solver, "Gravity on, off", ("e",), "", lambda s: s.gravity()),
        Action("limited", solver, "Limits on, off", ("i",), "of all joints at once", lambda s: s.switch("limited")),
        Action("touching", solver, "Contacts on, off", ("u",), "off: bodies go through", lambda s: s.touching()),
        Action("drives", solver, "Drives on, off", ("y",), "all motors at once", lambda s: s.switch("drives_on")),
        Action("sleeping", solver, "Sleep on, off", ("z",), "what rests is blue, costs nothing", lambda s: s.sleep()),
        Action("next_mode", solver, "Next mode", ("grave",), "", _next_solver),
        Action("compare", solver, "Compare", ("c",), "all modes and integrators, a second each", lambda s: s.compare()),
        Action("frame", view, "Frame the selection", ("f",), "or everything", lambda s: s.frame()),
        Action("follow", view, "Follow", ("p",), "the view goes along with the selection, or all", _flip("follow")),
        Action("panels", view, "Hide, show panels", ("tab",), "", _flip("hide_panels")),
        Action("joints", view, "Joints", ("j",), "draw the joints", _flip("joints")),
        Action("axes", view, "Joint axes", ("a",), "", _flip("axes")),
        Action("reactions", view, "Joint forces", ("n",), "arrows of the forces in the joints", _flip("reactions")),
        Action("contacts", view, "Contacts", ("v",), "points, normals, forces; yellow: sliding", _flip("contacts")),
        Action("centres", view, "Centres of mass", ("m",), "", _flip("centres")),
        Action("frames", view, "Body frames", ("b",), "", _flip("frames")),
        Action("labels", view, "Names", ("l",), "", _flip("labels")),
        Action("trail", view, "Trail", ("t",), "of the selected body, or of what is held", _flip("trail")),
        Action("skin", view, "Skin", ("o",), "where a scene has one", _flip("skin")),
        Action("ghost", view, "Transparent", ("x",), "", _flip("transparent")),
        Action("wireframe", view, "Wireframe", ("w",), "", _flip("wireframe")),
        Action("shadows", view, "Shadows", ("d",), "", _flip("shadows")),
        Action("ground", view, "Floor", ("g",), "", _flip("ground")),
        Action("full_screen", view, "Full screen", ("f11",), "", lambda s: s.full_screen()),
        Action("help", "Help", "Help", ("f1", "shift+slash"), "this table", lambda s: s.show("Help")),
    ]
    for number, mode in enumerate(MODES.values(), 1):
        rows.append(Action(mode.name, solver, mode.name, (str(number),), mode.summary, _solver(mode.name)))
    return rows


ACTIONS: dict[str, Action] = {action.name: action for action in _actions()}
DEFAULT_KEYS = {name: action.keys for name, action in ACTIONS.items()}


def shown(key: str) -> str:
    """ "ctrl+bracketright" as it is read on a keyboard."""
    signs = {
        "bracketright": "]", "bracketleft": "[", "period": ".", "comma": ",", "equal": "=", "minus": "-", "grave": "`",
        "slash": "/", "num_add": "Num +", "num_subtract": "Num -", "num_enter": "Num Enter", "left": "Left",
        "right": "Right",
    }  # fmt: skip
    *modifiers, name = key.split("+")
    plain = signs.get(name, name.upper() if len(name) <= 3 else name.capitalize())
    return "?" if key == "shift+slash" else "+".join([*(m.capitalize() for m in modifiers), plain])
