"""How all plots are drawn: lines over time, fitted axes, a legend outside the lines."""

from collections.abc import Sequence

import numpy as np
from imgui_bundle import imgui, implot

PLAIN = implot.Flags_.no_menus | implot.Flags_.no_box_select | implot.Flags_.no_mouse_text

LEAST = 1e-18  # smallest value of which a logarithm is drawn
MARGIN = 0.08  # share of the height above the highest line, which else lies under the frame
SMALLEST = (8.0, 4.0)  # least width and height of a plot, in heights of a letter; implot's own is too high
TICKS = 4  # at most so many on a logarithmic axis


def limits(rows: np.ndarray, logarithmic: bool = False, least: float = LEAST) -> tuple[float, float]:
    """Return the limits of the vertical axis, with a margin above and below the lines."""
    values = np.log10(np.maximum(rows, least)) if logarithmic else rows
    low, high = float(values.min()), float(values.max())
    room = MARGIN * (high - low) or (0.5 if logarithmic else 0.05 * abs(high) or 1.0)
    low, high = low - room, high + room
    return (10.0**low, 10.0**high) if logarithmic else (low, high)


def decades(low: float, high: float) -> np.ndarray:
    """Return powers of ten as ticks of a logarithmic axis. On a low plot, implot might choose a single tick."""
    first, last = int(np.ceil(np.log10(low) - 1e-9)), int(np.floor(np.log10(high) + 1e-9))
    return 10.0 ** np.arange(first, last + 1, max(1, -(-(last + 1 - first) // TICKS)))


def power(tick: float) -> str:
    """Return a power of ten as a short text."""
    exponent = round(float(np.log10(tick)))
    return f"{tick:g}" if abs(exponent) < 4 else f"1e{exponent}"


def draw_lines(
    title: str, unit: str, names: Sequence[str], columns: np.ndarray, logarithmic: bool = False, least: float = LEAST
) -> None:
    """Draw a plot. `columns` has the time [s], then a row for each name; `least` is the lower end of a logarithmic
    axis."""
    if columns.shape[1] < 2:
        imgui.text_disabled("nothing yet: the figure has not moved")
        return
    size = imgui.get_font_size()
    implot.push_style_var(implot.StyleVar_.plot_min_size, (SMALLEST[0] * size, SMALLEST[1] * size))
    if implot.begin_plot(f"##{title}", (-1.0, -1.0), int(PLAIN)):
        implot.setup_axes("s", unit, int(implot.AxisFlags_.auto_fit))
        low, high = limits(columns[1:], logarithmic, least)
        implot.setup_axis_limits(implot.ImAxis_.y1, low, high, implot.Cond_.always)
        if logarithmic:
            implot.setup_axis_scale(implot.ImAxis_.y1, implot.Scale_.log10)
            ticks = decades(low, high)
            if len(ticks) > 1:
                implot.setup_axis_ticks(implot.ImAxis_.y1, ticks.tolist(), [power(tick) for tick in ticks])
        implot.setup_legend(implot.Location_.east, int(implot.LegendFlags_.outside))  # plots are low
        x = np.ascontiguousarray(columns[0], float)
        for name, row in zip(names, columns[1:], strict=False):
            y = np.maximum(row, least) if logarithmic else row
            implot.plot_line(name, x, np.ascontiguousarray(y, float))
        implot.end_plot()
    implot.pop_style_var()
