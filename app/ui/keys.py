"""The table of actions, from which menus, keys, buttons and the Help panel are made. Each action is one line."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from app.run import requests as ask
from app.run.commands import HoldPose, Reset
from app.ui import actions
from physics import MODES

if TYPE_CHECKING:
    from app.ui.session import Session


@dataclass(frozen=True)
class Action:
    """An action: its name, menu, label, function, keys and description."""

    name: str  # in the key file
    group: str  # a menu
    label: str
    keys: tuple[str, ...]
    about: str
    run: "Callable[[Session], None]"


def _solver(name: str) -> "Callable[[Session], None]":
    """Return the action that switches to a solver mode."""
    return lambda s: s.set("settings.solver", name)


def _next_solver(s: "Session") -> None:
    """Switch to the next solver mode."""
    modes = list(MODES)
    s.set("settings.solver", modes[(modes.index(s.asked("settings.solver")) + 1) % len(modes)])


def _posing(s: "Session") -> None:
    """Switch posing on or off."""
    s.set("settings.order", "dynamic" if s.asked("settings.order") == "kinematic" else "kinematic")


def _with(run: "Callable[..., None]", *arguments: Any) -> "Callable[[Session], None]":
    """Return an action that calls a function with these arguments."""
    return lambda s: run(s, *arguments)


def _flip(name: str) -> "Callable[[Session], None]":
    """Return the action that toggles something that is drawn."""
    return _with(actions.flip, name)


def _reload(s: "Session") -> None:
    """Load the present file again."""
    s.scenes.reload()


def _save(s: "Session") -> None:
    """Save the values that were set to the scene's file."""
    s.scenes.save()


def _browse(s: "Session", by: int) -> None:
    """Open the scene of the gallery that is `by` places further."""
    s.scenes.browse(by)


def _actions() -> list[Action]:
    """Return all actions, in the order of menus and Help panel."""
    time, edit, file, view, solver, hold = "Time", "Edit", "File", "View", "Solver", "Hold"
    rows = [
        Action(
            "open",
            file,
            "Open ...",
            ("ctrl+o",),
            "the gallery, recent files, a path",
            lambda s: actions.show(s, "Scenes"),
        ),
        Action("reload", file, "Reload", ("ctrl+l", "ctrl+r"), "the scene, from its start", _reload),
        Action("save", file, "Save values", ("ctrl+s",), "what was set, into the scene's file", _save),
        Action("next_scene", file, "Next scene", ("bracketright",), "of the gallery", _with(_browse, 1)),
        Action("previous_scene", file, "Previous scene", ("bracketleft",), "of the gallery", _with(_browse, -1)),
        Action("screenshot", file, "Screenshot", ("f12", "ctrl+p"), "a PNG file of the window", actions.shoot),
        Action("record", file, "Record, end recording", ("f9",), "what happens, to be played again", actions.record),
        Action("quit", file, "Quit", ("ctrl+q",), "close the window", actions.quit),
        Action("undo", edit, "Undo", ("ctrl+z",), "the last change, pose or branch", lambda s: s.ask(ask.Undo())),
        Action("redo", edit, "Redo", ("ctrl+y", "ctrl+shift+z"), "what was undone", lambda s: s.ask(ask.Redo())),
        Action("larger_font", edit, "Larger font", ("ctrl+equal", "ctrl+num_add"), "", _with(actions.font, 1.0)),
        Action(
            "smaller_font",
            edit,
            "Smaller font",
            ("ctrl+minus", "ctrl+num_subtract"),
            "",
            lambda s: actions.font(s, -1.0),
        ),
        Action("pause", time, "Pause, go on", ("space",), "from the past: a new future", actions.toggle_pause),
        Action("step", time, "One step on", ("period", "right"), "", lambda s: s.ask(ask.StepBy(1))),
        Action("step_back", time, "One step back", ("comma", "left"), "", lambda s: s.ask(ask.StepBy(-1))),
        Action("reset", time, "Reset", ("r", "backspace"), "to the start; settings stay", lambda s: s.ask(Reset())),
        Action("slower", time, "Slower", ("minus", "num_subtract"), "half the speed", _with(actions.faster, 0.5)),
        Action("faster", time, "Faster", ("equal", "num_add"), "twice the speed", _with(actions.faster, 2.0)),
        Action("stiffness", hold, "Joint stiffness on, off", ("s",), "all joint springs at once", actions.stiff),
        Action("posing", hold, "Posing (no inertia)", ("k",), "drag like a wooden mannequin", _posing),
        Action("hold_pose", hold, "Hold this pose", ("h",), "it becomes the rest pose", lambda s: s.ask(HoldPose())),
        Action("pin", hold, "Leave it pinned", ("enter", "num_enter"), "while dragging", actions.pin),
        Action("unpin", hold, "Remove all pins", ("delete",), "", actions.unpin),
        Action("let_go", hold, "Release, deselect", ("escape",), "", actions.let_go),
        Action("gravity", solver, "Gravity on, off", ("e",), "", actions.gravity),
        Action(
            "limited", solver, "Limits on, off", ("i",), "of all joints at once", lambda s: actions.switch(s, "limited")
        ),
        Action("touching", solver, "Contacts on, off", ("u",), "off: bodies go through", actions.touching),
        Action(
            "drives", solver, "Drives on, off", ("y",), "all motors at once", lambda s: actions.switch(s, "drives_on")
        ),
        Action("sleeping", solver, "Sleep on, off", ("z",), "what rests is blue, costs nothing", actions.sleep),
        Action("next_mode", solver, "Next mode", ("grave",), "", _next_solver),
        Action("compare", solver, "Compare", ("c",), "all modes and integrators, a second each", actions.compare),
        Action("frame", view, "Frame the selection", ("f",), "or everything", actions.frame),
        Action(
            "follow", view, "Follow", ("p",), "the view follows the selection, or the whole figure", _flip("follow")
        ),
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
        Action("full_screen", view, "Full screen", ("f11",), "", actions.full_screen),
        Action("help", "Help", "Help", ("f1", "shift+slash"), "this table", _with(actions.show, "Help")),
    ]
    for number, mode in enumerate(MODES.values(), 1):
        rows.append(Action(mode.name, solver, mode.name, (str(number),), mode.summary, _solver(mode.name)))
    return rows


ACTIONS: dict[str, Action] = {action.name: action for action in _actions()}
DEFAULT_KEYS = {name: action.keys for name, action in ACTIONS.items()}


def shown(key: str) -> str:
    """Return the text of a key such as "ctrl+bracketright" in the form in which keyboards have it."""
    signs = {
        "bracketright": "]", "bracketleft": "[", "period": ".", "comma": ",", "equal": "=", "minus": "-", "grave": "`",
        "slash": "/", "num_add": "Num +", "num_subtract": "Num -", "num_enter": "Num Enter", "left": "Left",
        "right": "Right",
    }  # fmt: skip
    *modifiers, name = key.split("+")
    plain = signs.get(name, name.upper() if len(name) <= 3 else name.capitalize())
    return "?" if key == "shift+slash" else "+".join([*(m.capitalize() for m in modifiers), plain])
