"""View: what is drawn, how the camera behaves, theme and font size."""

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.host.settings import FONT_SIZES, PRESETS, THEMES
from app.ui import actions
from app.ui.keys import ACTIONS, shown
from app.ui.panels.panel import Panel

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

FLAGS = (
    "joints", "axes", "reactions", "contacts", "centres", "frames", "labels", "trail", "skin", "ghost", "wireframe",
    "shadows", "ground", "follow",
)  # fmt: skip


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    if imgui.begin_table("##flags", 2):
        for name in FLAGS:
            imgui.table_next_column()
            action = ACTIONS[name]
            keys = ", ".join(shown(k) for k in session.keys[name])
            field = "transparent" if name == "ghost" else name
            about = f"{action.about or action.label} ({keys})"
            if w.toggle(action.label, getattr(session.shown, field), about, name=f"view {name}"):
                action.run(session)
        imgui.end_table()
    imgui.separator()
    imgui.push_item_width(-7.5 * imgui.get_font_size())
    settings = session.settings
    camera = w.choice("mouse like", settings.camera, dict.fromkeys(PRESETS, ""), "which buttons move the camera")
    theme = w.choice("theme", settings.theme, dict.fromkeys(THEMES, ""))
    font = w.slider(session, "font size", settings.font_size, *FONT_SIZES, "px", "for a lecture hall", digits=3)
    free = w.toggle(
        "drag without Ctrl", settings.grab_without_ctrl, "a left drag without a key grabs; otherwise Ctrl is needed"
    )
    imgui.pop_item_width()
    settings.camera, settings.theme = camera or settings.camera, theme or settings.theme
    if font:
        settings.font_size = float(round(font[0]))
    if free:
        settings.grab_without_ctrl = not settings.grab_without_ctrl
    if camera or theme or font or free:
        session.save_settings()
    if w.button("Frame", "everything, or the selection (F)"):
        actions.frame(session)


PANEL = Panel("View", "upper", "what is drawn; mouse, theme, font", draw)
