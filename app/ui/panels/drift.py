"""Drift: the largest gap of any joint over time."""

from typing import TYPE_CHECKING

from app.ui.panels.panel import Panel
from app.ui.panels.plots import draw_lines

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    draw_lines("drift", "m", ("largest gap",), session.drift.columns(), logarithmic=True)
    w.seen("plot drift")


PANEL = Panel("Drift", "below", "largest joint gap over time", draw)
