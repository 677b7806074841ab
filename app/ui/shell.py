"""Dear ImGui around the scene: context, style, events, docking, menu, toolbar, status line, and messages.

imgui-bundle's native backend draws it. Events are small values of this program, so that nothing here knows the window
library.
"""

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import imgui_bundle
from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui, implot

from app.run import requests as ask
from app.run.clock import FASTEST, SLOWEST
from app.ui import actions
from app.ui.keys import ACTIONS, shown
from app.ui.panels import PANELS
from app.ui.panels.widgets import Widgets
from app.ui.session import Session

FONTS = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
K = imgui.Key
PLAIN_KEYS = {
    "tab": K.tab, "left": K.left_arrow, "right": K.right_arrow, "up": K.up_arrow, "down": K.down_arrow,
    "pageup": K.page_up, "pagedown": K.page_down, "home": K.home, "end": K.end, "insert": K.insert,
    "delete": K.delete, "backspace": K.backspace, "space": K.space, "enter": K.enter, "escape": K.escape,
    "num_enter": K.keypad_enter, "period": K.period, "comma": K.comma, "minus": K.minus, "equal": K.equal,
}  # fmt: skip
MODIFIERS = {"ctrl": K.mod_ctrl, "shift": K.mod_shift, "alt": K.mod_alt}
BUTTONS = {"left": 0, "right": 1, "middle": 2}
CURSORS = {
    imgui.MouseCursor_.text_input: "text", imgui.MouseCursor_.resize_all: "size",
    imgui.MouseCursor_.resize_ns: "size_up_down", imgui.MouseCursor_.resize_ew: "size_left_right",
    imgui.MouseCursor_.hand: "hand",
}  # fmt: skip
INFO, WARN = (0.93, 0.94, 0.96, 1.0), (1.0, 0.72, 0.45, 1.0)
RECORDS = (0.98, 0.33, 0.30, 1.0)
ACCENT = (0.95, 0.58, 0.22, 1.0)
HANDLE = (0.74, 0.41, 0.11, 1.0)  # darker, so that the number of a slider can be read on it
# a window that only shows something
FLOATING = (
    imgui.WindowFlags_.no_decoration | imgui.WindowFlags_.no_inputs | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_focus_on_appearing | imgui.WindowFlags_.no_nav | imgui.WindowFlags_.no_docking
)  # fmt: skip
FIRST_IN_FRONT = ("Energy", "Figure", "Scenes")
COMPILES = 15.0  # s: time constant of the bar that shows compiling, whose end is not known
MENUS = ("File", "Edit", "Time", "Hold", "Solver", "View", "Help")


@dataclass(frozen=True)
class Event:
    """An event of the window. `kind` is press, release, move, scroll, key, key_up, text, leave or focus. Positions are
    logical pixels, y down."""

    kind: str
    x: float = 0.0
    y: float = 0.0
    dx: float = 0.0
    dy: float = 0.0
    name: str = ""  # of the button or key, or the text
    modifiers: frozenset[str] = frozenset()


class Ui:
    """The panels: one imgui context for one OpenGL context, which must be the current one."""

    def __init__(self, session: Session):
        """Make the imgui context."""
        self.session = session
        self.widgets = Widgets()
        imgui.create_context()
        implot.create_context()
        self.io = imgui.get_io()
        self.io.config_flags |= imgui.ConfigFlags_.docking_enable
        self.io.backend_flags |= imgui.BackendFlags_.has_mouse_cursors
        self.io.set_ini_filename("")
        self._fonts()
        if not imgui.backends.opengl3_init("#version 330"):
            raise RuntimeError("Dear ImGui could not start on this OpenGL")
        self._theme, self._font_size = "", 0.0
        self._laid_out_for: tuple[float, int] = (0.0, 0)
        self._last = time.perf_counter()
        self.viewport = (0.0, 0.0, 8.0, 8.0)  # logical pixels: x, y, width, height
        self.labels: list[tuple[float, float, str, tuple[float, float, float, float]]] = []

    def _fonts(self) -> None:
        """Load the fonts."""
        atlas = self.io.fonts
        atlas.add_font_from_file_ttf(str(FONTS / "Roboto" / "Roboto-Regular.ttf"), 16.0)
        merge = imgui.ImFontConfig()
        merge.merge_mode = True
        atlas.add_font_from_file_ttf(str(FONTS / "Font_Awesome_6_Free-Solid-900.otf"), 13.0, merge)
        self.widgets.even = atlas.add_font_from_file_ttf(str(FONTS / "Inconsolata-Medium.ttf"), 16.0)

    # ------------------------------------------------------------ events
    def feed(self, event: Event) -> None:
        """Pass an event to imgui."""
        io = self.io
        if event.kind in ("press", "release", "move", "scroll"):
            io.add_mouse_pos_event(event.x, event.y)
        if event.kind in ("press", "release") and event.name in BUTTONS:
            io.add_mouse_button_event(BUTTONS[event.name], event.kind == "press")
        elif event.kind == "scroll":
            io.add_mouse_wheel_event(-event.dx, event.dy)
        elif event.kind in ("key", "key_up"):
            for name, key in MODIFIERS.items():
                io.add_key_event(key, name in event.modifiers)
            if (key := key_of(event.name)) is not None:
                io.add_key_event(key, event.kind == "key")
        elif event.kind == "text":
            for letter in event.name:
                if letter not in "\r\n":
                    io.add_input_character(ord(letter))
        elif event.kind == "focus":
            io.add_focus_event(event.name == "in")
        elif event.kind == "leave" and not any(io.mouse_down[i] for i in range(3)):
            io.add_mouse_pos_event(-3.4e38, -3.4e38)

    @property
    def wants_mouse(self) -> bool:
        """Whether a panel uses the mouse."""
        return self.io.want_capture_mouse

    @property
    def wants_text(self) -> bool:
        """Whether a panel uses the keyboard."""
        return self.io.want_text_input

    @property
    def cursor(self) -> str:
        """Name of the cursor that imgui wants."""
        return CURSORS.get(imgui.MouseCursor_(imgui.get_mouse_cursor()), "")

    # ------------------------------------------------------------ a frame
    def begin(self, size: tuple[int, int], framebuffer: tuple[int, int]) -> None:
        """Begin a frame."""
        io, now = self.io, time.perf_counter()
        io.display_size = imgui.ImVec2(*size)
        io.display_framebuffer_scale = imgui.ImVec2(framebuffer[0] / max(size[0], 1), framebuffer[1] / max(size[1], 1))
        io.delta_time = max(now - self._last, 1e-4)
        self._last = now
        self._dress()
        imgui.backends.opengl3_new_frame()
        imgui.new_frame()

    def end(self) -> None:
        """Draw the frame."""
        imgui.render()
        imgui.backends.opengl3_render_draw_data(imgui.get_draw_data())

    def draw(self) -> None:
        """Draw everything except the scene."""
        session = self.session
        self.widgets.rects.clear()
        if not session.shown.hide_panels:
            self._menu()
            self._toolbar()
            self._status()
        root = imgui.dock_space_over_viewport(flags=imgui.DockNodeFlags_.passthru_central_node)
        self._lay_out(root)
        if not session.shown.hide_panels:
            self._panels()
        session.stepper.wants_times = not session.shown.hide_panels and "Timing" in session.in_front
        node = imgui.internal.dock_builder_get_central_node(root)
        self.viewport = (node.pos.x, node.pos.y, node.size.x, node.size.y)
        self._draw_labels()
        self._messages()
        self._compiling()
        self._offer()

    def close(self) -> None:
        """Destroy the context."""
        implot.destroy_context()
        imgui.backends.opengl3_shutdown()
        imgui.destroy_context()

    # ------------------------------------------------------------ looks
    def _dress(self) -> None:
        """Apply theme and font size if they have changed."""
        settings, style = self.session.settings, imgui.get_style()
        if settings.theme != self._theme:
            self._theme = settings.theme
            dress(style, settings.theme)
            implot.style_colors_dark() if settings.theme == "dark" else implot.style_colors_light()
        if settings.font_size != self._font_size:
            self._font_size = settings.font_size
            style.font_size_base = settings.font_size
            scale = settings.font_size / 16.0
            style.frame_padding = imgui.ImVec2(6.0 * scale, 3.5 * scale)
            style.item_spacing = imgui.ImVec2(8.0 * scale, 5.0 * scale)

    def lay_out_again(self) -> None:
        """Move the panels back to their first places."""
        self._laid_out_for = (0.0, 0)

    def _lay_out(self, root: int) -> None:
        """Place the panels, the first time and when the font size has changed."""
        if self._laid_out_for == (self._font_size, root):
            return
        self._laid_out_for = (self._font_size, root)
        inner = imgui.internal
        size = inner.dock_builder_get_node(root).size  # the size of the window without the bars
        inner.dock_builder_remove_node_child_nodes(root)
        width = min(max(21.5 * self._font_size / max(size.x, 1.0), 0.2), 0.5)
        _, right, rest = inner.dock_builder_split_node_py(root, imgui.Dir.right, width)
        height = min(max(11.5 * self._font_size / max(size.y, 1.0), 0.15), 0.45)
        _, below, _ = inner.dock_builder_split_node_py(rest, imgui.Dir.down, height)
        _, lower, upper = inner.dock_builder_split_node_py(right, imgui.Dir.down, 0.5)
        places = {"below": below, "upper": upper, "lower": lower}
        for panel in PANELS:
            inner.dock_builder_dock_window(panel.title, places[panel.place])
        inner.dock_builder_finish(root)
        self.session.to_front.extendleft(self.session.in_front or FIRST_IN_FRONT)

    # ------------------------------------------------------------ bars
    def _menu(self) -> None:
        """Draw the menu bar."""
        if not imgui.begin_main_menu_bar():
            return
        session = self.session
        for menu in MENUS:
            opened = imgui.begin_menu(menu)
            self.widgets.seen(f"menu {menu}")
            if opened:
                for action in ACTIONS.values():
                    if action.group == menu:
                        keys = shown(session.keys[action.name][0]) if session.keys[action.name] else ""
                        why = session.snapshot.refused.get(action.name, "") if session.snapshot else ""
                        if imgui.menu_item(action.label, keys, False, not why)[0]:
                            action.run(session)
                        self.widgets.seen(f"{menu}/{action.label}", why or action.about)
                if menu == "View":
                    self._panel_menu()
                imgui.end_menu()
        imgui.end_main_menu_bar()

    def _panel_menu(self) -> None:
        """Draw the menu of panels."""
        session = self.session
        imgui.separator_text("Panels")
        for panel in PANELS:
            clicked, _ = imgui.menu_item(panel.title, "", panel.title in session.settings.panels)
            self.widgets.seen(f"View/{panel.title}", panel.about)
            if clicked:
                actions.show(session, panel.title)
        clicked, _ = imgui.menu_item("Panels as they were", "", False)
        self.widgets.seen("View/Panels as they were")
        if clicked:
            self.lay_out_again()

    def _bar(self, name: str, edge: imgui.Dir) -> bool:
        """Begin a bar at an edge of the window. Return whether it is visible."""
        flags = imgui.WindowFlags_.no_scrollbar | imgui.WindowFlags_.no_saved_settings | imgui.WindowFlags_.no_nav
        height = imgui.get_frame_height() + 2.0 * imgui.get_style().window_padding.y * 0.5
        imgui.push_style_var(imgui.StyleVar_.window_padding, (8.0, imgui.get_style().window_padding.y * 0.5))
        shown_ = imgui.internal.begin_viewport_side_bar(name, imgui.get_main_viewport(), edge, height, int(flags))
        imgui.pop_style_var()
        return shown_

    def _toolbar(self) -> None:
        """Draw the toolbar."""
        if self._bar("##toolbar", imgui.Dir.up) and self.session.snapshot is not None:
            session, w, snapshot = self.session, self.widgets, self.session.snapshot
            paused = snapshot.paused
            picture = icons.ICON_FA_PLAY if paused else icons.ICON_FA_PAUSE
            if w.button(f"{picture}##pause", self._hint("pause"), name="pause"):
                actions.toggle_pause(session)
            for name, picture in (
                ("step_back", icons.ICON_FA_BACKWARD_STEP), ("step", icons.ICON_FA_FORWARD_STEP),
                ("reset", icons.ICON_FA_ROTATE_LEFT),
            ):  # fmt: skip
                imgui.same_line()
                if w.button(f"{picture}##{name}", self._hint(name), name=name):
                    ACTIONS[name].run(session)
            imgui.same_line()
            self._record(session)
            imgui.same_line()
            self._speed(session)
            if w.toggle("springs", session.value("settings.stiff"), self._hint("stiffness"), name="stiffness"):
                actions.stiff(session)
            imgui.same_line()
            if w.toggle("posing", session.value("settings.order") == "kinematic", self._hint("posing"), name="posing"):
                ACTIONS["posing"].run(session)
            imgui.same_line()
            self._scrub(session)
        imgui.end()

    def _record(self, session: Session) -> None:
        """Draw the button of recordings, which is red while there is one."""
        recorder = session.stepper.recorder
        imgui.push_style_color(imgui.Col_.text, RECORDS if recorder else imgui.get_style_color_vec4(imgui.Col_.text))
        about = f"Recording in {recorder.path}" if recorder else self._hint("record")
        if self.widgets.button(f"{icons.ICON_FA_CIRCLE_DOT}##record", about, name="record"):
            actions.record(session)
        imgui.pop_style_color()

    def _hint(self, name: str) -> str:
        """Return the explanation of an action with its keys."""
        action = ACTIONS[name]
        keys = ", ".join(shown(k) for k in self.session.keys[name])
        return f"{action.label} ({keys})" + (f": {action.about}" if action.about else "")

    def _speed(self, session: Session) -> None:
        """Draw the slider of speed."""
        imgui.set_next_item_width(5.0 * imgui.get_font_size())
        speed = session.stepper.clock.speed
        about = "how fast time goes; 1 is real time"
        new = self.widgets.slider(session, "##speed", speed, SLOWEST, FASTEST, None, about, True, 3, name="speed")
        if new:
            session.ask(ask.Speed(new[0]))
        imgui.same_line(0.0, 0.4 * imgui.get_font_size())
        at = imgui.get_cursor_pos_x()
        imgui.text_unformatted(f"{speed:.2g} x")  # beside it: the handle would cover it
        imgui.same_line(at + 3.2 * imgui.get_font_size())

    def _scrub(self, session: Session) -> None:
        """Draw the slider of time, by which the last minutes can be shown again and continued from any moment."""
        snapshot = session.snapshot
        assert snapshot is not None
        last = max(snapshot.length - 1, 1)
        at = imgui.get_cursor_pos_x() + imgui.get_font_size()
        imgui.same_line(at)
        imgui.text_unformatted(f"{snapshot.time:.2f} s")  # beside it: the handle would cover it
        imgui.same_line(at + 4.5 * imgui.get_font_size())
        imgui.set_next_item_width(imgui.get_content_region_avail().x)
        changed, position = imgui.slider_int("##timeline", snapshot.position, 0, last, "")
        self.widgets.seen("timeline", "Drag to look back; play goes on from the moment shown")
        if changed:
            session.ask(ask.LookAt(position))

    def _status(self) -> None:
        """Draw the status line."""
        if self._bar("##status", imgui.Dir.down):
            imgui.text_unformatted(status_line(self.session))
            self.widgets.seen("status")
        imgui.end()

    # ------------------------------------------------------------ panels and what lies over the scene
    def _panels(self) -> None:
        """Draw the panels."""
        session = self.session
        session.stepper.wants_measures = session.shown.reactions
        session.stepper.wants_contacts = session.shown.contacts
        session.in_front.clear()
        raised = False
        for panel in PANELS:
            if panel.title not in session.settings.panels:
                continue
            if session.to_front and session.to_front[0] == panel.title:
                imgui.set_next_window_focus()
                raised = True
            flags = imgui.WindowFlags_.no_scrollbar if panel.place == "below" else 0
            visible, still_open = imgui.begin(panel.title, True, int(flags))
            place, size = imgui.get_window_pos(), imgui.get_window_size()
            if visible:
                session.in_front.add(panel.title)
                self.widgets.rects[f"panel {panel.title}"] = (place.x, place.y, place.x + size.x, place.y + size.y)
                panel.draw(session, self.widgets)
            imgui.end()
            if not still_open:
                session.settings.panels.remove(panel.title)
                session.save_settings()
        # one a frame; one that is not open is passed over
        if session.to_front and (raised or session.to_front[0] not in session.settings.panels):
            session.to_front.popleft()

    def _draw_labels(self) -> None:
        """Draw labels over the scene."""
        x, y, w, h = self.viewport
        canvas = imgui.get_background_draw_list()
        canvas.push_clip_rect((x, y), (x + w, y + h))
        shade, room = imgui.get_color_u32((0.06, 0.07, 0.09, 0.62)), 0.3 * imgui.get_font_size()
        for across, down, text, colour in self.labels:
            size = imgui.calc_text_size(text)
            corner = (x + across - room, y + down - 0.4 * room)
            opposite = (x + across + size.x + room, y + down + size.y + 0.4 * room)
            canvas.add_rect_filled(corner, opposite, shade, room)
            canvas.add_text((x + across, y + down), imgui.get_color_u32(colour), text)
        canvas.pop_clip_rect()

    def _messages(self) -> None:
        """Draw the messages."""
        session = self.session
        lines = [(m.text, WARN if m.kind == "error" else INFO) for m in session.visible_messages()]
        x, y, w, h = self.viewport
        margin = 0.7 * imgui.get_font_size()
        if session.hint:
            self._hint_line(session.hint)
        if not lines:
            return
        imgui.set_next_window_pos((x + margin, y + h - margin), pivot=(0.0, 1.0))
        imgui.set_next_window_bg_alpha(0.72)
        flags = FLOATING | imgui.WindowFlags_.always_auto_resize
        imgui.push_style_color(imgui.Col_.window_bg, (0.09, 0.10, 0.12, 1.0))
        imgui.begin("##messages", None, int(flags))
        imgui.push_text_wrap_pos(max(w - 4.0 * margin, 10.0 * margin))
        for text, colour in lines:
            imgui.push_style_color(imgui.Col_.text, colour)
            imgui.text_wrapped(text)
            imgui.pop_style_color()
        imgui.pop_text_wrap_pos()
        imgui.end()
        imgui.pop_style_color()

    def _hint_line(self, text: str) -> None:
        """Draw a hint for new users at the top of the scene."""
        x, y, w, _ = self.viewport
        imgui.set_next_window_pos((x + 0.5 * w, y + imgui.get_font_size()), pivot=(0.5, 0.0))
        imgui.set_next_window_bg_alpha(0.72)
        imgui.push_style_color(imgui.Col_.window_bg, (0.09, 0.10, 0.12, 1.0))
        imgui.begin("##hint", None, int(FLOATING | imgui.WindowFlags_.always_auto_resize))
        imgui.push_font(None, 1.4 * imgui.get_style().font_size_base)
        imgui.text_colored(ACCENT, text)
        imgui.pop_font()
        imgui.end()
        imgui.pop_style_color()

    def _offer(self) -> None:
        """Draw the draft that is offered, with what differs from the scene, and the two answers."""
        drafts = self.session.drafts
        if not drafts.offers:
            return
        offer, more = drafts.offers[0], len(drafts.offers) - 1
        x, y, w, h = self.viewport
        width = min(28.0 * imgui.get_font_size(), 0.9 * w)
        imgui.set_next_window_pos((x + 0.5 * w, y + 0.32 * h), imgui.Cond_.always, (0.5, 0.5))
        imgui.set_next_window_size((width, 0.0))
        flags = FLOATING & ~int(imgui.WindowFlags_.no_inputs)
        imgui.push_style_color(imgui.Col_.border, ACCENT)
        imgui.push_style_var(imgui.StyleVar_.window_border_size, 1.0)
        imgui.push_style_var(imgui.StyleVar_.window_padding, (imgui.get_font_size(), imgui.get_font_size()))
        imgui.begin("##offer", None, int(flags))
        imgui.pop_style_color()
        imgui.text_wrapped(offer.title)
        for text in offer.differences:
            imgui.bullet()
            imgui.text_wrapped(text)
        imgui.spacing()
        if self.widgets.button("Restore it", "open the scene as it was then", name="restore draft"):
            drafts.accept()
        imgui.same_line()
        if self.widgets.button("No", "remove the draft", name="decline draft"):
            drafts.decline()
        if more:
            imgui.same_line()
            imgui.text_disabled(f"{more} more draft{'s' * (more > 1)}")
        imgui.end()
        imgui.pop_style_var(2)

    def _compiling(self) -> None:
        """Draw a note while kernels are compiled, with what waits for them."""
        state, snapshot = self.session.compiler.doing, self.session.snapshot
        waiting = snapshot is None
        if state is None and not waiting:
            return
        x, y, w, h = self.viewport
        width = min(26.0 * imgui.get_font_size(), 0.9 * w)
        imgui.set_next_window_pos((x + 0.5 * w, y + (0.5 if waiting else 0.1) * h), pivot=(0.5, 0.5))
        imgui.set_next_window_size((width, 0.0))
        imgui.begin("##compiling", None, int(FLOATING))
        if state is None:
            imgui.text_wrapped("Loading ...")
        else:
            spent = time.monotonic() - state[1]
            imgui.text_wrapped(f"Compiling {state[0]} for this machine: only the first time")
            imgui.progress_bar(1.0 - math.exp(-spent / COMPILES), (-1.0, 0.0), f"{spent:.0f} s")
            if snapshot is not None and snapshot.waits.texts:
                imgui.text_wrapped("Waiting for it: " + ", ".join(snapshot.waits.texts))
        self.widgets.rects["compiling"] = (x, y, x + w, y + h)
        imgui.end()


def key_of(name: str) -> Any:
    """Return imgui's key for a name, or None."""
    if name in PLAIN_KEYS:
        return PLAIN_KEYS[name]
    if len(name) == 1 and name.isalpha():
        return getattr(K, name)
    if len(name) == 1 and name.isdigit():
        return getattr(K, f"_{name}")
    return None


def status_line(session: Session) -> str:
    """Return the text of the status line."""
    snapshot = session.snapshot
    if snapshot is None:
        return "loading"
    state = "paused" if snapshot.paused else f"{snapshot.real_time_factor:.2f} x real time"
    if snapshot.past:
        state = f"looking back {(snapshot.length - 1 - snapshot.position) * snapshot.values['settings.timestep']:.2f} s"
    bodies = len(snapshot.names)
    parts = [
        snapshot.name,
        f"{bodies} {'body' if bodies == 1 else 'bodies'}",
        snapshot.values["settings.solver"],
        snapshot.values["settings.integrator"],
        state,
        f"{1e6 * snapshot.step_seconds:.0f} us a step",
        f"gap {snapshot.gap:.1e} m",
    ]
    if snapshot.redone:
        parts.append(f"{snapshot.redone} steps redone")
    recorder = session.stepper.recorder
    if recorder is not None:
        parts.insert(1, f"recording {time.perf_counter() - recorder.began:.0f} s")
    elif session.stepper.player is not None:
        parts.insert(1, "playing a recording")
    frame = session.frame_seconds.get("frame", 0.0)
    if frame > 0.0:
        parts.append(f"{1.0 / frame:.0f} frames/s")
    return "   ".join(parts)


def dress(style: imgui.Style, theme: str) -> None:
    """Apply a theme to the style of imgui: rounded and flat, with one accent colour."""
    C = imgui.Col_
    if theme == "light":
        imgui.style_colors_light()
        colours = {C.window_bg: (0.955, 0.96, 0.965, 1), C.menu_bar_bg: (0.92, 0.925, 0.93, 1)}
    else:
        imgui.style_colors_dark()
        colours = {
            C.window_bg: (0.115, 0.125, 0.145, 1), C.menu_bar_bg: (0.085, 0.09, 0.105, 1),
            C.title_bg: (0.085, 0.09, 0.105, 1), C.title_bg_active: (0.11, 0.125, 0.15, 1),
            C.frame_bg: (0.19, 0.205, 0.235, 1), C.frame_bg_hovered: (0.24, 0.26, 0.30, 1),
            C.header: (0.24, 0.29, 0.36, 1), C.header_hovered: (0.29, 0.35, 0.44, 1),
            C.button: (0.22, 0.26, 0.32, 1), C.button_hovered: (0.29, 0.35, 0.44, 1),
            C.tab: (0.13, 0.145, 0.17, 1), C.tab_selected: (0.22, 0.26, 0.32, 1),
            C.tab_dimmed: (0.11, 0.12, 0.14, 1), C.tab_dimmed_selected: (0.18, 0.21, 0.26, 1),
            C.popup_bg: (0.10, 0.11, 0.13, 1), C.border: (0.23, 0.25, 0.28, 1),
        }  # fmt: skip
    for colour, value in colours.items():
        style.set_color_(colour, value)
    for colour in (C.check_mark, C.slider_grab_active):
        style.set_color_(colour, ACCENT)
    style.set_color_(C.slider_grab, HANDLE)
    style.window_rounding, style.frame_rounding, style.grab_rounding = 4.0, 3.0, 3.0
    style.scrollbar_rounding, style.window_border_size, style.tab_rounding = 3.0, 0.0, 3.0
    style.frame_border_size = 1.0  # otherwise a box without its tick is hardly visible
