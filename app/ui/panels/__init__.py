"""The panels: one file each, with a title, where it is docked at first, what it is about, and how it is drawn.

A newcomer adds a file with `PANEL = Panel(...)` and its name to the list below.
"""

from app.ui.panels import compare, drift, energy, figure, gallery, grabs, help_keys, solver, timing, view
from app.ui.panels.panel import Panel

PANELS: list[Panel] = [
    module.PANEL for module in (gallery, solver, view, help_keys, figure, grabs, energy, timing, drift, compare)
]
