"""Figure: bodies and joints; stiffness, gap and reaction of each joint; sliders for the selected one."""

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from app.render.bodies import placed_bodies
from app.ui import actions
from app.ui.panels.panel import Panel
from app.ui.panels.widgets import figures
from physics.definitions.bodies import Fixed
from physics.definitions.joints import Joint, SpringJoint

if TYPE_CHECKING:
    from app.run.snapshot import JointMeasures, Snapshot
    from app.ui.panels.widgets import Widgets
    from app.ui.session import Session


def draw(session: "Session", w: "Widgets") -> None:
    """Draw the panel."""
    session.stepper.wants_measures = True
    snapshot = session.snapshot
    if snapshot is None:
        return
    if session.selected is not None:
        _selected(session, w, snapshot, session.selected)
    measures = snapshot.measures
    if measures is None or len(measures.gap) != len(snapshot.joints):
        imgui.text_disabled("measuring ...")
        return
    flags = (
        imgui.TableFlags_.row_bg | imgui.TableFlags_.scroll_y | imgui.TableFlags_.borders_inner_v
        | imgui.TableFlags_.sizing_stretch_prop
    )  # fmt: skip
    if imgui.begin_table("##joints", 4, int(flags)):
        imgui.table_setup_scroll_freeze(0, 1)
        for title, width in (("joint", 2.6), ("stiffness", 1.4), ("gap m", 1.1), ("force N", 1.1)):
            imgui.table_setup_column(title, 0, width)
        imgui.table_headers_row()
        clipper = imgui.ListClipper()
        clipper.begin(len(snapshot.joints))
        while clipper.step():
            for row in range(clipper.display_start, clipper.display_end):
                _row(session, w, snapshot, measures, row)
        imgui.end_table()


def _row(session: "Session", w: "Widgets", snapshot: "Snapshot", measures: "JointMeasures", row: int) -> None:
    """Draw the row of a joint."""
    name = snapshot.joints[row]
    joint = session.joints.named[name]
    imgui.table_next_row()
    imgui.table_next_column()
    # None where both ends are the world or massless bodies
    owner = next((name for name in (joint.b, joint.a) if name in session.numbers), None)
    mine = session.selected is not None and snapshot.names[session.selected] == owner
    culprit = name == snapshot.culprit
    if culprit:
        imgui.push_style_color(imgui.Col_.text, (1.0, 0.35, 0.3, 1.0))
    if imgui.selectable(name, mine, int(imgui.SelectableFlags_.span_all_columns))[0]:
        session.selected = session.numbers.get(str(owner))
    w.seen(f"joint {name}", f"{joint.kind} between {joint.a} and {joint.b}")
    if culprit:
        imgui.pop_style_color()
    imgui.table_next_column()
    imgui.text_unformatted(_spring(joint, measures, row))
    imgui.table_next_column()
    imgui.text_unformatted(figures(float(measures.gap[row])))
    imgui.table_next_column()
    imgui.text_unformatted(figures(float(np.linalg.norm(measures.force[row]))))


def _spring(joint: Joint, measures: "JointMeasures", row: int) -> str:
    """Return the stiffness of a joint as text, in brackets if its spring is off."""
    if not isinstance(joint, SpringJoint):
        return "-"
    text = _numbers(measures.stiffness[row])
    return text if measures.stiff[row] else f"({text})"


def weighed(mass: float) -> str:
    """Return a mass as text, in grams below 0.1 kg."""
    return f"{mass:.4g} kg" if mass >= 0.1 else f"{1e3 * mass:.4g} g"


def _numbers(value: Any) -> str:
    """Return a number, or several, as text."""
    return ", ".join(figures(v) for v in value) if isinstance(value, tuple) else figures(value)


def _selected(session: "Session", w: "Widgets", snapshot: "Snapshot", body: int) -> None:
    """Draw the mass of the selected body, and sliders for stiffness and damping of the joint towards its root, or of a
    group of joints with it."""
    definition = placed_bodies(snapshot.scene)[body]
    name = snapshot.names[body]
    imgui.text(f"{name}: does not move" if isinstance(definition, Fixed) else f"{name}: {weighed(definition.mass)}")
    joint, measures = session.joints.toward_root(snapshot.names[body]), snapshot.measures
    if joint is None or measures is None or joint.name not in snapshot.joints:
        imgui.separator()
        return
    row = snapshot.joints.index(joint.name)
    imgui.push_item_width(-7.5 * imgui.get_font_size())
    scopes = session.joints.scopes(joint)
    chosen = w.choice("set for", session.scope, dict.fromkeys(scopes, ""), "which joints the sliders set")
    session.scope = chosen or (session.scope if session.scope in scopes else "this joint")
    names = scopes[session.scope]
    for key, values, unit in (("stiffness", measures.stiffness, "N m/rad"), ("damping", measures.damping, "N m s/rad")):
        value = values[row]
        plain = float(value if not isinstance(value, tuple) else max(value))
        unit = unit if joint.kind != "slider" else unit.replace(" m", "").replace("rad", "m")
        high = 1e8 if key == "stiffness" else 1e4
        about = f"of {joint.name}" if len(names) == 1 else f"of {len(names)} joints"
        new = w.slider(session, f"{key}##{joint.name}", plain, 0.0, high, unit, about, True, 3, name=f"joint {key}")
        if new:
            actions.set_joints(session, names, key, *new)
    imgui.pop_item_width()
    if w.toggle("spring on", measures.stiff[row], f"the spring of {joint.name}, or of the group", name="joint stiff"):
        actions.set_joints(session, names, "stiff", not measures.stiff[row])
    imgui.same_line()
    stiffness = measures.stiffness[row]
    if w.toggle("brush", session.brush is not None, "a click on a body gives its joint this stiffness"):
        plain = max(stiffness) if isinstance(stiffness, tuple) else stiffness
        session.brush = float(plain) if session.brush is None else None
    if session.brush is not None:
        imgui.same_line()
        imgui.text_disabled(f"clicks set {session.brush:.3g}")
    imgui.separator()


PANEL = Panel("Figure", "lower", "bodies and joints: stiffness, gap, force", draw)
