"""Scenes: the gallery, recent files, and a path to open."""

from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.panels.panel import Panel

if TYPE_CHECKING:
    from app.session import Session
    from app.ui import Widgets


def draw(session: "Session", w: "Widgets") -> None:
    if session.error:
        imgui.push_style_color(imgui.Col_.text, (1.0, 0.6, 0.4, 1.0))
        w.source_text(session.error)
        imgui.pop_style_color()
        imgui.separator()
    for name in session.gallery:
        present = name == session.source
        if imgui.selectable(name, present)[0]:
            session.open(name)
        w.seen(f"scene {name}")
        if present and session.opened is not None:
            imgui.indent()
            imgui.push_style_color(imgui.Col_.text, imgui.get_style_color_vec4(imgui.Col_.text_disabled))
            imgui.text_wrapped(session.opened.scene.about)
            imgui.pop_style_color()
            imgui.unindent()
    if session.settings.recent:
        imgui.separator_text("Recent files")
        for path in session.settings.recent:
            if imgui.selectable(f"{Path(path).name}##{path}", path == session.source)[0]:
                session.open(path)
            w.seen(f"recent {path}", path)
    imgui.separator_text("Open a file")
    imgui.set_next_item_width(-1.0)
    entered, path = imgui.input_text_with_hint(
        "##path", "path of a scene file, Enter", session.typed_path, int(imgui.InputTextFlags_.enter_returns_true)
    )
    w.seen("path", "a scene file; files can also be dropped onto the window")
    session.typed_path = path
    if entered and path.strip():
        session.open(path.strip())


PANEL = Panel("Scenes", "upper", "open a scene", draw)
