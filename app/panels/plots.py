"""One way to draw all plots: lines over time, axes fitted, a legend outside the lines."""

from collections.abc import Sequence

import numpy as np
from imgui_bundle import imgui, implot

PLAIN = implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text

LEAST = 1e-18  # where the logarithm is drawn of what may be nothing
MARGIN = 0.08  # of the height: else the highest line lies under the frame


def limits(rows: np.ndarray, logarithmic: bool = False) -> tuple[float, float]:
    """Of the upright axis, with room above and below the lines."""
    values = np.log10(np.maximum(rows, LEAST)) if logarithmic else rows
    low, high = float(values.min()), float(values.max())
    room = MARGIN * (high - low) or (0.5 if logarithmic else 0.05 * abs(high) or 1.0)
    low, high = low - room, high + room
    return (10.0**low, 10.0**high) if logarithmic else (low, high)


def draw_lines(title: str, unit: str, names: Sequence[str], columns: np.ndarray, logarithmic: bool = False) -> None:
    """`columns`: first the time [s], then a row for each name."""
    if columns.shape[1] < 2:
        imgui.text_disabled("nothing yet: the figure has not moved")
        return
    if not implot.begin_plot(f"##{title}", (-1.0, -1.0), int(PLAIN)):
        return
    implot.setup_axes("s", unit, int(implot.AxisFlags_.auto_fit))
    implot.setup_axis_limits(implot.ImAxis_.y1, *limits(columns[1:], logarithmic), implot.Cond_.always)
    if logarithmic:
        implot.setup_axis_scale(implot.ImAxis_.y1, implot.Scale_.log10)
    implot.setup_legend(implot.Location_.east, int(implot.LegendFlags_.outside))  # beside: the plots are low
    x = np.ascontiguousarray(columns[0], float)
    for name, row in zip(names, columns[1:], strict=False):
        y = np.maximum(row, LEAST) if logarithmic else row
        implot.plot_line(name, x, np.ascontiguousarray(y, float))
    implot.end_plot()
