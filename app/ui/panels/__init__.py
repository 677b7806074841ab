"""The panels. Each is one file with a title, its first place, a description, and the function that draws it.

To add a panel, write a file with `PANEL = Panel(...)` and add its name to the list below.
"""

from app.ui.panels import compare, drift, energy, figure, gallery, grabs, help_keys, solver, timing, view
from app.ui.panels.panel import Panel

PANELS: list[Panel] = [
    module.PANEL for module in (gallery, solver, view, help_keys, figure, grabs, energy, timing, drift, compare)
]
