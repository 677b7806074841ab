"""Solver: mode, integrator, timestep, stiffness, gravity, and their present cost."""

from typing import TYPE_CHECKING

from imgui_bundle import imgui

from app.ui import actions
from app.ui.panels.panel import Panel
from physics import INTEGRATORS, MODES
from physics.world.world import CONTACT_METHODS

if TYPE_CHECKING:
    from app.run.snapshot import Snapshot
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session

TIMESTEPS = (1.0 / 60.0, 1.0 / 120.0, 1.0 / 240.0, 1.0 / 480.0, 1.0 / 960.0)
EARTH = 9.81
CONTACTS = "how contacts are solved; none: bodies pass through each other (U)"


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    snapshot = session.snapshot
    if snapshot is None:
        return
    imgui.push_item_width(-7.5 * imgui.get_font_size())
    modes = {name: snapshot.refused.get(name, "") for name in MODES}
    solver = w.choice("mode", session.value("settings.solver"), modes, MODES[session.value("settings.solver")].summary)
    if solver:
        session.set("settings.solver", solver)
    chosen = w.choice("integrator", session.value("settings.integrator"), dict.fromkeys(INTEGRATORS, ""))
    if chosen:
        session.set("settings.integrator", chosen)
    timestep = session.value("settings.timestep")
    steps = {_fraction(h): "" for h in TIMESTEPS}
    chosen = w.choice("timestep", _fraction(timestep), steps, "seconds of one step")
    if chosen:
        session.set("settings.timestep", TIMESTEPS[list(steps).index(chosen)])
    _stiffness(session, w)
    _gravity(session, w)
    _switches(session, w, snapshot)
    imgui.pop_item_width()
    imgui.separator()
    imgui.text(f"{1e6 * snapshot.step_seconds:.1f} us a step, {snapshot.redone} redone, {snapshot.frozen} frozen")
    if w.button("Compare", "every mode and integrator from here for one second, side by side (C)"):
        actions.compare(session)
    if session.value("settings.solver") == "cg":
        imgui.text_wrapped("cg iterates: its cost grows with the figure's depth and stiffness")


def _stiffness(session: "Session", w: "Widgets") -> None:
    """Draw the settings of stiffness."""
    stiff = session.value("settings.stiff")
    if w.toggle("joint stiffness", stiff, "all joint springs on or off (S)"):
        actions.stiff(session)
    scale = session.value("settings.stiffness_scale")
    new = w.slider(
        session, "multiplier", scale, 0.0, 1e8, "x", "of every joint's stiffness", logarithmic=True, digits=3
    )
    if new:
        session.set("settings.stiffness_scale", new[0], new[1])


def _gravity(session: "Session", w: "Widgets") -> None:
    """Draw the settings of gravity."""
    gravity = session.value("settings.gravity")
    if w.toggle("gravity", any(gravity), "on or off (E)"):
        actions.gravity(session)
    new = w.slider(session, "downward", -gravity[2], -2.0 * EARTH, 2.0 * EARTH, "m/s^2", "gravity; less than 0: up")
    if new:
        session.set("settings.gravity", (gravity[0], gravity[1], -new[0]), new[1])


def _switches(session: "Session", w: "Widgets", snapshot: "Snapshot") -> None:
    """Draw the switches of limits, drives and contacts that the figure has."""
    about = f"{snapshot.drives} of them: on or off, whatever each one's own switch says (Y)"
    rows = [
        ("limits", "limited", snapshot.limits, f"hard limits of {snapshot.limits} joints (I)"),
        ("drives", "drives_on", snapshot.drives, about),
        (
            "sleep",
            "sleeping",
            snapshot.touches,
            "bodies that have rested for half a second stay as they are, and are blue (Z)",
        ),
        ("guard", "guard", True, "whether bad steps are rejected and redone in smaller ones"),
    ]
    first = True
    for label, setting, there, explained in rows:
        if not there:
            continue
        if not first:
            imgui.same_line()
        first = False
        if w.toggle(label, session.value(f"settings.{setting}"), explained):
            actions.switch(session, setting)
    if snapshot.touches:
        method = w.choice(
            "contacts", session.value("settings.contact_method"), dict.fromkeys(CONTACT_METHODS, ""), CONTACTS
        )
        if method:
            session.set("settings.contact_method", method)


def _fraction(h: float) -> str:
    """Return a timestep as a fraction of a second."""
    return f"1/{1.0 / h:.4g} s"


PANEL = Panel("Solver", "upper", "mode, integrator, timestep, stiffness", draw)
