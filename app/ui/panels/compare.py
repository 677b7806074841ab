"""Compare: every mode with every integrator, from the present state for one second; each mode's cost against size."""

from typing import TYPE_CHECKING

import numpy as np
from imgui_bundle import imgui, implot

from app.ui import actions
from app.ui.panels.panel import Panel
from app.ui.panels.plots import PLAIN

if TYPE_CHECKING:
    from app.run.compare import Result
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

NARROWEST = 30.0  # letters' heights: what the columns need
COLUMNS = (("mode", 1.2), ("integrator", 1.2), ("us a step", 1.0), ("gap m", 1.0), ("energy J", 1.1), ("redone", 0.9))


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    comparison = session.comparison
    if comparison.running:
        imgui.text(f"measuring {len(comparison.results) + 1} of {comparison.total or '...'}")
    elif w.button("Compare", "each mode and integrator runs on from the present state for one second"):
        actions.compare(session)
    if not comparison.results:
        imgui.same_line()
        imgui.text_disabled(
            "all modes give the same motion; this shows their cost, and how well integrators conserve energy"
        )
        return
    flags = (
        imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.borders_inner_v
        | imgui.TableFlags_.scroll_x | imgui.TableFlags_.sizing_stretch_prop
    )  # fmt: skip
    width = imgui.get_content_region_avail().x * (0.62 if comparison.costs else 1.0)
    inner = max(width, NARROWEST * imgui.get_font_size())
    if imgui.begin_table("##compare", len(COLUMNS), int(flags), (width, 0.0), inner):
        imgui.table_setup_scroll_freeze(0, 1)
        for title, width in COLUMNS:
            imgui.table_setup_column(title, 0, width)
        imgui.table_headers_row()
        for result in list(comparison.results):
            _row(result)
        imgui.end_table()
    w.seen("comparison")
    if comparison.costs:
        imgui.same_line()
        _costs(comparison.costs)
        w.seen("costs", "milliseconds a step of hanging chains, over their number of bodies")


def _costs(costs: "dict[str, list[tuple[int, float]]]") -> None:
    """Draw the cost of the modes against the number of bodies."""
    if not implot.begin_plot("##costs", (-1.0, -1.0), int(PLAIN)):
        return
    fit = int(implot.AxisFlags_.auto_fit)
    implot.setup_axes("bodies of a chain", "ms a step", fit, fit)
    implot.setup_axis_scale(implot.ImAxis_.x1, implot.Scale_.log10)
    implot.setup_axis_scale(implot.ImAxis_.y1, implot.Scale_.log10)
    implot.setup_legend(implot.Location_.east, int(implot.LegendFlags_.outside))
    for mode, points in list(costs.items()):
        bodies, seconds = np.array(points, float).T
        implot.plot_line(mode, np.ascontiguousarray(bodies), np.ascontiguousarray(1e3 * seconds))
    implot.end_plot()


def _row(result: "Result") -> None:
    """Draw a row of the table."""
    imgui.table_next_row()
    for text in (result.mode, result.integrator):
        imgui.table_next_column()
        imgui.text_unformatted(text)
    imgui.table_next_column()
    if result.refused:
        imgui.text_disabled(result.refused)
        if imgui.is_item_hovered():
            imgui.set_tooltip(result.refused)
        return
    iterations = f" ({result.iterations} it.)" if result.iterations else ""
    for text in (
        f"{1e6 * result.step_seconds:.1f}{iterations}", f"{result.gap:.1e}", f"{result.energy:+.1e}",
        str(result.redone),
    ):  # fmt: skip
        imgui.text_unformatted(text)
        imgui.table_next_column()


PANEL = Panel("Compare", "below", "modes and integrators side by side", draw)
