"""imgui's widgets with units, tooltips, and stored places, by which tests press them."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from imgui_bundle import imgui

from app.render.atlas import Atlas

if TYPE_CHECKING:
    from app.ui.session import Session

Colour = tuple[float, float, float, float]
QUOTED = "  | "  # before the lines of a file, in the problems of a scene
CARET_AT = 0.6  # where the caret stands under a line that is too long, as a share of the width
CUT = "..."


class Widgets:
    """imgui's widgets with units, tooltips, and stored places, by which tests press them."""

    def __init__(self) -> None:
        """Start without places."""
        self.rects: dict[str, tuple[float, float, float, float]] = {}
        self._gestures: dict[str, int] = {}
        self.atlas: Atlas | None = None  # pictures of the library's scenes
        self.even: Any = None  # a font whose letters are equally wide

    def seen(self, label: str, about: str = "") -> None:
        """Store the place of the last widget, and show its tooltip under the mouse."""
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        self.rects[label] = (low.x, low.y, high.x, high.y)
        if about and imgui.is_item_hovered(imgui.HoveredFlags_.for_tooltip | imgui.HoveredFlags_.allow_when_disabled):
            imgui.set_tooltip(about)

    def problems(self, text: str, colour: Colour) -> None:
        """Draw the problems of a scene: whole sentences, and under each its line of the file with a caret."""
        imgui.push_style_color(imgui.Col_.text, colour)
        lines = text.splitlines()
        for number, line in enumerate(lines):
            if not line.startswith(QUOTED):
                imgui.text_wrapped(line)
            elif number == 0 or not lines[number - 1].startswith(QUOTED):
                self._quoted([quoted.removeprefix(QUOTED) for quoted in lines[number : number + 2]])
        imgui.pop_style_color()
        self.seen("problems", text)

    def _quoted(self, lines: list[str]) -> None:
        """Draw a line and its caret, cut to the width of the panel."""
        imgui.push_font(self.even, imgui.get_style().font_size_base)
        room = int(imgui.get_content_region_avail().x / imgui.calc_text_size("^").x)
        for line in cut_to(lines, room):
            imgui.text_unformatted(line)
        imgui.pop_font()

    def button(self, label: str, about: str = "", enabled: bool = True, name: str = "") -> bool:
        """Draw a button. Return whether it was pressed."""
        with disabled(not enabled):
            pressed = imgui.button(label)
            self.seen(name or label.split("##")[0], about)
        return pressed

    def toggle(self, label: str, value: bool, about: str = "", name: str = "") -> bool:
        """Draw a switch. Return whether it was clicked."""
        changed, _ = imgui.checkbox(label, value)
        self.seen(name or label, about)
        return changed

    def slider(
        self, session: "Session", label: str, value: float, low: float, high: float,
        unit: str | None = "", about: str = "", logarithmic: bool = False, digits: int = 4, name: str = "",
    ) -> tuple[float, int] | None:  # fmt: skip
        """Draw a slider. Return the new value and the number of the drag, or None."""
        flags = imgui.SliderFlags_.always_clamp | (imgui.SliderFlags_.logarithmic if logarithmic else 0)
        text = "" if unit is None else f"%.{digits}g {unit}".rstrip()  # None: the number is written elsewhere
        changed, new = imgui.slider_float(label, value, low, high, text, int(flags))
        if imgui.is_item_activated() or label not in self._gestures:
            self._gestures[label] = session.new_gesture()
        self.seen(name or label.split("##")[0], f"{about} ({low:g} to {high:g}{' ' + unit if unit else ''})".strip())
        return (new, self._gestures[label]) if changed else None

    def choice(self, label: str, value: str, options: Mapping[str, str], about: str = "") -> str | None:
        """Draw a choice. `options` has for each name why it is not available, or an empty text. Return the new choice,
        or None."""
        chosen = None
        if imgui.begin_combo(label, value):
            for name, why in options.items():
                with disabled(bool(why)):
                    if imgui.selectable(name, name == value)[0]:
                        chosen = name
                    self.seen(f"{label}/{name}", why)
            imgui.end_combo()
        self.seen(label, about)
        return chosen


@contextlib.contextmanager
def disabled(when: bool) -> Iterator[None]:
    """Disable the widgets of the block if `when` is true."""
    if when:
        imgui.begin_disabled()
    yield
    if when:
        imgui.end_disabled()


def figures(value: float) -> str:
    """Return a number as a short text, for a narrow column."""
    size = abs(value)
    if size < 5e-16:
        return "0"
    if size >= 1e5 or size < 1e-3:
        return f"{value:.1e}"
    return f"{value:.0f}" if size >= 99.95 else f"{value:.3g}"


def cut_to(lines: list[str], room: int) -> list[str]:
    """Return a line and the caret under it, both cut to `room` characters."""
    line, caret = (*lines, "")[:2]
    first = min(max(caret.find("^") - int(CARET_AT * room), 0), max(len(line) - room, 0))
    line, caret = line[first:], caret[first:]
    if first > 0:
        line = CUT + line[len(CUT) :]
    if len(line) > room:
        line = line[: max(room - len(CUT), 0)] + CUT
    return [line, caret]
