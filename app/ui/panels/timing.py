"""Timing: the cost of a step, and the times of a frame for the view, for drawing and for the panels. If links, limits,
grabs or contacts are anticipated, it also shows the times of the six parts of the method [Baraff96, section 8.2].
"""

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.ui.panels.panel import Panel
from app.ui.panels.plots import draw_lines
from app.ui.panels.widgets import figures

if TYPE_CHECKING:
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

NAMES = ("step", "view", "draw", "panels")
STEPS = {
    "factor": "the figure's own equations are factored",
    "columns": "response of the figure to each link, limit and grab alone",
    "free": "how it would move without them",
    "matrix": "how they act on each other, and what each has to undo",
    "multipliers": "the forces that keep them",
    "final": "the motion with these forces",
}
WIDTH = 15.0  # width of the table, in heights of a letter
LEAST = 16.0  # least width of the plot beside it; where there is less room, the table lies below
SHARE = 0.75  # share of the height that the plot above the table then has
QUICKEST = 1e-3  # ms: lower end of the plot
ABOUT = "a solution with links, limits, grabs, and contacts of method anticipation: its six steps [Baraff96, 8.2]"
NOTHING = "No link, limit or grab takes part now: a step is one solution."
WAITING = "Measured while time runs."


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    room, width = imgui.get_content_region_avail(), WIDTH * imgui.get_font_size()
    if room.x > width + LEAST * imgui.get_font_size():
        _lines(session, w, (room.x - width - imgui.get_style().item_spacing.x, 0.0))
        imgui.same_line()
        imgui.begin_child("##steps")
    else:
        imgui.begin_child("##steps")
        _lines(session, w, (0.0, SHARE * room.y))
    _steps(session, w)
    imgui.end_child()


def _lines(session: "Session", w: "Widgets", size: tuple[float, float]) -> None:
    """Draw the plot of the times."""
    imgui.begin_child("##lines", size)
    draw_lines("timing", "ms", NAMES, session.timing.columns(), logarithmic=True, least=QUICKEST)
    w.seen("plot timing")
    imgui.end_child()


def _steps(session: "Session", w: "Widgets") -> None:
    """Draw the times of the steps of the anticipation."""
    times = session.snapshot.times if session.snapshot else None
    if times and any(times.values()):
        _table(w, times)
        return
    imgui.push_style_color(imgui.Col_.text, imgui.get_style_color_vec4(imgui.Col_.text_disabled))
    imgui.text_wrapped(WAITING if times is None else NOTHING)
    imgui.pop_style_color()
    w.seen("no constraints", "" if times is None else ABOUT)


def _table(w: "Widgets", times: dict[str, float]) -> None:
    """Draw the table of times."""
    size = imgui.get_font_size()
    imgui.push_style_var(imgui.StyleVar_.cell_padding, (0.3 * size, 0.06 * size))  # seven lines in a low panel
    if imgui.begin_table("##times", 3, int(imgui.TableFlags_.sizing_fixed_fit)):
        for title, width in (("name", 5.4), ("number", 2.6)):
            imgui.table_setup_column(title, int(imgui.TableColumnFlags_.width_fixed), width * size)
        imgui.table_setup_column("", int(imgui.TableColumnFlags_.width_stretch))
        most = max(times.values())
        _row(w, "constraints", sum(times.values()), ABOUT)
        imgui.text_disabled("us a step")
        for step, seconds in times.items():
            _row(w, step, seconds, STEPS[step])
            _bar(seconds / most)
        imgui.end_table()
    imgui.pop_style_var()


def _row(w: "Widgets", name: str, seconds: float, about: str) -> None:
    """Draw a row of the table."""
    imgui.table_next_row()
    imgui.table_next_column()
    imgui.text_unformatted(name)
    w.seen(f"time {name}", about)
    imgui.table_next_column()
    text = figures(1e6 * seconds)
    imgui.set_cursor_pos_x(imgui.get_cursor_pos_x() + imgui.get_content_region_avail().x - imgui.calc_text_size(text).x)
    imgui.text_unformatted(text)
    imgui.table_next_column()


def _bar(share: float) -> None:
    """Draw a bar over the share `share` of the width of a cell."""
    at, height = imgui.get_cursor_screen_pos(), imgui.get_text_line_height()
    end = at.x + share * imgui.get_content_region_avail().x
    colour = imgui.get_color_u32(imgui.Col_.plot_histogram)
    imgui.get_window_draw_list().add_rect_filled((at.x, at.y + 0.2 * height), (end, at.y + 0.8 * height), colour)


PANEL = Panel("Timing", "below", "cost of a step and of a frame, and of its constraints", draw)
