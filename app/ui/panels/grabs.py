"""Grabs and pins: what is held, with how much force, and what stays pinned."""

from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui

from app.run.commands import ChangeGrab, Release
from app.run.simulation import PIN_KINDS
from app.ui.panels.panel import Panel
from app.ui.panels.widgets import figures

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

KINDS = ("spring", "point", "pose")


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    snapshot = session.snapshot
    if snapshot is None:
        return
    if not snapshot.grabs:
        imgui.text_wrapped("Nothing is held. Drag a body with the mouse; Enter while dragging leaves it pinned.")
        return
    if imgui.begin_table("##grabs", 4, int(imgui.TableFlags_.row_bg | imgui.TableFlags_.sizing_stretch_prop)):
        for title, width in (("body", 1.6), ("kind", 1.5), ("N", 1.0), ("", 1.3)):
            imgui.table_setup_column(title, 0, width)
        imgui.table_headers_row()
        for grab in snapshot.grabs:
            imgui.push_id(grab.number)
            imgui.table_next_row()
            imgui.table_next_column()
            imgui.align_text_to_frame_padding()
            imgui.text_unformatted(grab.body + (" (pin)" if grab.pinned else ""))
            imgui.table_next_column()
            imgui.set_next_item_width(-1.0)
            kinds = PIN_KINDS if grab.pinned else KINDS
            kind = w.choice(f"##kind{grab.number}", grab.kind, dict.fromkeys(kinds, ""), "how it holds")
            if kind:
                session.ask(ChangeGrab(grab.number, kind=kind))
            imgui.table_next_column()
            imgui.align_text_to_frame_padding()
            imgui.text_unformatted(figures(float(np.linalg.norm(grab.force))))
            imgui.table_next_column()
            if w.button("release", name=f"release {grab.number}"):
                session.ask(Release(grab.number))
            imgui.pop_id()
        imgui.end_table()


PANEL = Panel("Grabs", "lower", "what is held and pinned, with the forces", draw)
