"""Help: the mouse, and every key, from the table that the program itself uses."""

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.ui.keys import ACTIONS, shown
from app.ui.panels.panel import Panel

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

MOUSE = (
    ("drag a body", "take hold of it"),
    ("  + Shift", "hold the point, no sag"),
    ("  + Alt", "turn it, the point stays"),
    ("  + Alt Shift", "move it, the turn stays"),
    ("  + wheel", "nearer, farther"),
    ("  + X Y Z", "along an axis only"),
    ("  + Enter", "leave it pinned"),
    ("click", "select"),
    ("drag beside", "turn the view"),
    ("right drag", "move the view"),
    ("wheel", "zoom to the cursor"),
)


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    flags = imgui.TableFlags_.sizing_fixed_fit
    if imgui.begin_table("##mouse", 2, int(flags)):
        for what, does in MOUSE:
            imgui.table_next_column()
            imgui.text_unformatted(what)
            imgui.table_next_column()
            imgui.text_unformatted(does)
        imgui.end_table()
    group = ""
    for action in ACTIONS.values():
        if action.group != group:
            group = action.group
            imgui.separator_text(group)
        keys = "  ".join(shown(k) for k in session.keys[action.name])
        imgui.text_unformatted(keys)
        imgui.same_line(8.5 * imgui.get_font_size())
        imgui.text_wrapped(action.label + (f": {action.about}" if action.about else ""))
    w.seen("help")
    if session.folder is not None:
        imgui.separator()
        imgui.text_wrapped(f"Your own keys: {session.folder / 'keys.json'}")


PANEL = Panel("Help", "upper", "mouse and keys", draw)
