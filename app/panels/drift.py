"""Drift: by how much the widest joint is open, over time."""

from typing import TYPE_CHECKING

from app.panels.panel import Panel
from app.panels.plots import draw_lines

if TYPE_CHECKING:
    from app.panels.widgets import Widgets
    from app.session import Session


def draw(session: "Session", w: "Widgets") -> None:
    draw_lines("drift", "m", ("largest gap",), session.drift.columns(), logarithmic=True)
    w.seen("plot drift")


PANEL = Panel("Drift", "below", "largest joint gap over time", draw)
