"""One way to draw all plots: lines over time, axes fitted, a legend outside the lines."""

from collections.abc import Sequence

import numpy as np
from imgui_bundle import imgui, implot

PLAIN = implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text


def draw_lines(title: str, unit: str, names: Sequence[str], columns: np.ndarray, logarithmic: bool = False) -> None:
    """`columns`: first the time [s], then a row for each name."""
    if columns.shape[1] < 2:
        imgui.text_disabled("nothing yet: the figure has not moved")
        return
    if not implot.begin_plot(f"##{title}", (-1.0, -1.0), int(PLAIN)):
        return
    fit = int(implot.AxisFlags_.auto_fit)
    implot.setup_axes("s", unit, fit, fit)
    if logarithmic:
        implot.setup_axis_scale(implot.ImAxis_.y1, implot.Scale_.log10)
    implot.setup_legend(implot.Location_.east, int(implot.LegendFlags_.outside))  # beside: the plots are low
    x = np.ascontiguousarray(columns[0], float)
    for name, row in zip(names, columns[1:], strict=False):
        y = np.maximum(row, 1e-18) if logarithmic else row
        implot.plot_line(name, x, np.ascontiguousarray(y, float))
    implot.end_plot()
