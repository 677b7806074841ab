"""Figure: bodies and joints; of each joint stiffness, gap and reaction; sliders for the selected one."""

from typing import TYPE_CHECKING, Any

import numpy as np
from imgui_bundle import imgui

from app.bodies import placed_bodies
from app.panels.panel import Panel
from physics.definitions import Fixed, Joint, SpringJoint

if TYPE_CHECKING:
    from app.session import Session
    from app.stepper import JointMeasures, Snapshot
    from app.ui import Widgets


def draw(session: "Session", w: "Widgets") -> None:
    session.stepper.wants_measures = True
    snapshot = session.snapshot
    if snapshot is None:
        return
    if session.selected is not None:
        _selected(session, w, snapshot, snapshot.names[session.selected])
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
    name = snapshot.joints[row]
    joint = session.joint(name)
    imgui.table_next_row()
    imgui.table_next_column()
    # none where both ends were folded away or are the world
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
    imgui.text_unformatted(f"{measures.gap[row]:.1e}")
    imgui.table_next_column()
    imgui.text_unformatted(f"{np.linalg.norm(measures.force[row]):.3g}")


def _spring(joint: Joint, measures: "JointMeasures", row: int) -> str:
    if not isinstance(joint, SpringJoint):
        return "-"
    text = _numbers(measures.stiffness[row])
    return text if measures.stiff[row] else f"({text})"


def _numbers(value: Any) -> str:
    return ", ".join(f"{v:.3g}" for v in value) if isinstance(value, tuple) else f"{value:.3g}"


def _selected(session: "Session", w: "Widgets", snapshot: "Snapshot", body: str) -> None:
    """Mass of the body, sliders of the joint toward its root."""
    definition = placed_bodies(snapshot.scene)[session.numbers[body]]
    imgui.text(f"{body}: does not move" if isinstance(definition, Fixed) else f"{body}: {definition.mass:.4g} kg")
    joint = next((j for j in snapshot.scene.joints if j.b == body and isinstance(j, SpringJoint)), None)
    measures = snapshot.measures
    if joint is None or measures is None or joint.name not in snapshot.joints:
        imgui.separator()
        return
    row = snapshot.joints.index(joint.name)
    imgui.push_item_width(-7.5 * imgui.get_font_size())
    for key, values, unit in (("stiffness", measures.stiffness, "N m/rad"), ("damping", measures.damping, "N m s/rad")):
        value = values[row]
        plain = float(value if not isinstance(value, tuple) else max(value))
        unit = unit if joint.kind != "slider" else unit.replace(" m", "").replace("rad", "m")
        high = 1e6 if key == "stiffness" else 1e3
        new = w.slider(
            session, f"{key}##{joint.name}", plain, 0.0, high, unit, f"of {joint.name}", True, 3, name=f"joint {key}"
        )
        if new:
            session.set(f"joints.{joint.name}.{key}", new[0], new[1])
    if w.toggle("stiff##joint", measures.stiff[row], f"the spring of {joint.name}", name="joint stiff"):
        session.set(f"joints.{joint.name}.stiff", not measures.stiff[row])
    imgui.pop_item_width()
    imgui.separator()


PANEL = Panel("Figure", "lower", "bodies and joints: stiffness, gap, force", draw)
