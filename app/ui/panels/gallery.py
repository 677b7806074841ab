"""Scenes: the gallery, recent files, and a path to open."""

from pathlib import Path
from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.render.atlas import TILE
from app.ui.panels.panel import Panel

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

WRONG = (1.0, 0.6, 0.4, 1.0)
RATIO = TILE[0] / TILE[1]


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    if session.scenes.error:
        w.problems(session.scenes.error, WRONG)
        imgui.separator()
    if session.scenes.opened is not None and session.scenes.opened.scene.about:
        imgui.push_style_color(imgui.Col_.text, imgui.get_style_color_vec4(imgui.Col_.text_disabled))
        imgui.text_wrapped(session.scenes.opened.scene.about)
        imgui.pop_style_color()
    width = imgui.get_content_region_avail().x
    gap = imgui.get_style().item_spacing.x
    across = max(2, int(width / (10.0 * imgui.get_font_size())))
    for number, name in enumerate(session.scenes.gallery):
        if number % across:
            imgui.same_line()
        _tile(session, w, name, (width - (across - 1) * gap) / across)
    if session.settings.recent:
        imgui.separator_text("Recent files")
        for path in session.settings.recent:
            if imgui.selectable(f"{Path(path).name}##{path}", path == session.scenes.source)[0]:
                session.scenes.open(path)
            w.seen(f"recent {path}", path)
    imgui.separator_text("Open a file")
    imgui.set_next_item_width(-1.0)
    entered, path = imgui.input_text_with_hint(
        "##path", "path of a scene file, Enter", session.typed_path, int(imgui.InputTextFlags_.enter_returns_true)
    )
    w.seen("path", "a scene file; files can also be dropped onto the window")
    session.typed_path = path
    if entered and path.strip():
        session.scenes.open(path.strip())


def _tile(session: "Session", w: "Widgets", name: str, width: float) -> None:
    """Draw picture and name of a scene. A click on either opens the scene."""
    corners = w.atlas.corners(name) if w.atlas is not None else None
    imgui.begin_group()
    start = imgui.get_cursor_screen_pos()
    height = width / RATIO if corners else 0.0
    size = (width, height + imgui.get_text_line_height())
    if imgui.selectable(f"##{name}", name == session.scenes.source, 0, size)[0]:
        session.scenes.open(name)
    w.seen(f"scene {name}")
    canvas = imgui.get_window_draw_list()
    if corners and w.atlas is not None:
        edge = (start.x + 2.0, start.y + 2.0), (start.x + width - 2.0, start.y + height - 2.0)
        canvas.add_image(imgui.ImTextureRef(w.atlas.number), *edge, *corners)
    colour = imgui.get_color_u32(imgui.Col_.text)
    canvas.add_text((start.x + 3.0, start.y + height - 1.0), colour, name)
    imgui.end_group()


PANEL = Panel("Scenes", "upper", "open a scene", draw)
