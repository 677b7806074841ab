"""Energy: kinetic, potential and elastic energy, their sum, and the ledger: the sum less the work of applied loads."""

from typing import TYPE_CHECKING

from app.ui.panels.panel import Panel
from app.ui.panels.plots import draw_lines

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

NAMES = ("kinetic", "potential", "elastic", "total", "ledger")
LEDGER = "ledger: the total less the work of forces and drives; damping, friction and impacts lower it"


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    draw_lines("energy", "J", NAMES, session.energy.columns())
    w.seen("plot energy", LEDGER)


PANEL = Panel("Energy", "below", "kinetic, potential, elastic, total", draw)
