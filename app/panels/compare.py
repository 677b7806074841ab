"""Compare: every mode and every integrator from the present state for one second, side by side."""

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.panels.panel import Panel

if TYPE_CHECKING:
    from app.compare import Result
    from app.session import Session
    from app.ui import Widgets

COLUMNS = (("mode", 1.2), ("integrator", 1.2), ("us a step", 1.0), ("gap m", 1.0), ("energy J", 1.1), ("redone", 0.9))


def draw(session: "Session", w: "Widgets") -> None:
    comparison = session.comparison
    if comparison.running:
        imgui.text(f"measuring {len(comparison.results) + 1} of {comparison.total or '...'}")
    elif w.button("Compare", "each mode and integrator runs on from the present state for one second"):
        session.compare()
    if not comparison.results:
        imgui.same_line()
        imgui.text_disabled("modes agree in what they do: here is what they cost, and how well integrators keep energy")
        return
    flags = (
        imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.borders_inner_v
        | imgui.TableFlags_.sizing_stretch_prop
    )  # fmt: skip
    if imgui.begin_table("##compare", len(COLUMNS), int(flags)):
        imgui.table_setup_scroll_freeze(0, 1)
        for title, width in COLUMNS:
            imgui.table_setup_column(title, 0, width)
        imgui.table_headers_row()
        for result in list(comparison.results):
            _row(result)
        imgui.end_table()
    w.seen("comparison")


def _row(result: "Result") -> None:
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
        f"{1e6 * result.step_seconds:.1f}{iterations}", f"{result.gap:.1e}", f"{result.energy:+.2e}",
        str(result.redone),
    ):  # fmt: skip
        imgui.text_unformatted(text)
        imgui.table_next_column()


PANEL = Panel("Compare", "below", "modes and integrators side by side", draw)
