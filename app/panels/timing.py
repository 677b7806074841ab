"""Timing: what a step costs, and what a frame spends on the view, on drawing and on the panels."""

from typing import TYPE_CHECKING

from app.panels.panel import Panel
from app.panels.plots import draw_lines

if TYPE_CHECKING:
    from app.panels.widgets import Widgets
    from app.session import Session

NAMES = ("step", "view", "draw", "panels")


def draw(session: "Session", w: "Widgets") -> None:
    draw_lines("timing", "ms", NAMES, session.timing.columns())
    w.seen("plot timing")


PANEL = Panel("Timing", "below", "cost of a step and of a frame", draw)
