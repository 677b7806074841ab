"""The table of the kinds of joint: of each the definitions that make it, its motion subspace and its numbers of rows.

A kind of joint has one entry in `JOINTS`. The table is checked when this module is imported: a code of `JointKind`
without an entry, or a definition in two entries, is an error there. Constraints have a table of their own,
`physics.build.build_constraints.CONSTRAINTS`.
"""

from typing import NamedTuple

from physics.build.build_constraints import CONSTRAINTS
from physics.data.model_tables import JointKind, Path
from physics.definitions.compound import Compound
from physics.definitions.joints import (
    Ball, Cylindrical, Distance, Hinge, Joint, Planar, Screw, Slider, Universal, Weld,
)  # fmt: skip
from physics.definitions.motions import HingeMotor, SliderMotor
from physics.definitions.rope import Rope
from physics.definitions.springs import Spring, TorsionSpring
from physics.joints import ball, hinge, in_plane, slider, springs, universal, weld

FROM_DEFINITION = -100  # the number of axes is that of the definition, and the rows are 6 less that number


class JointEntry(NamedTuple):
    """One kind of joint. Every field must be given."""

    code: int  # JointKind
    definitions: tuple[
        type[Joint], ...
    ]  # the classes that make it; none of a free body or of a kind that replaces another one
    path: int  # Path: the motion subspace, by which `fused` eliminates it
    rows: int  # of its constraint
    axes: int  # coordinates; -1: it has no motion subspace
    between_planar_bodies: int  # the JointKind that replaces it there; its own code where none does


COMPOUNDS = (Cylindrical, Planar, Screw, Compound)
# fmt: off
JOINTS = (
    JointEntry(JointKind.FREE, (), Path.FREE, 0, 6, JointKind.FREE),
    JointEntry(JointKind.BALL, (Ball,), Path.BALL, ball.ROWS, ball.AXES, JointKind.BALL),
    JointEntry(JointKind.HINGE, (Hinge,), Path.HINGE, hinge.ROWS, hinge.AXES, JointKind.PLANE_HINGE),
    JointEntry(JointKind.UNIVERSAL, (Universal,), Path.AXES, universal.ROWS, universal.AXES, JointKind.UNIVERSAL),
    JointEntry(JointKind.SLIDER, (Slider,), Path.AXES, slider.ROWS, slider.AXES, JointKind.PLANE_SLIDER),
    JointEntry(JointKind.WELD, (Weld,), Path.AXES, weld.ROWS, weld.AXES, JointKind.PLANE_WELD),
    JointEntry(JointKind.DISTANCE, (Distance,), Path.GENERAL, 1, -1, JointKind.DISTANCE),
    JointEntry(JointKind.COMPOUND, COMPOUNDS, Path.AXES, FROM_DEFINITION, FROM_DEFINITION, JointKind.COMPOUND),
    JointEntry(JointKind.HINGE_MOTOR, (HingeMotor,), Path.AXES, weld.ROWS, weld.AXES, JointKind.HINGE_MOTOR),
    JointEntry(JointKind.SLIDER_MOTOR, (SliderMotor,), Path.AXES, weld.ROWS, weld.AXES, JointKind.SLIDER_MOTOR),
    JointEntry(
        JointKind.POINT_SPRING, (Spring,), Path.AXES, springs.POINT_ROWS, springs.POINT_AXES, JointKind.POINT_SPRING
    ),
    JointEntry(
        JointKind.TORSION_SPRING, (TorsionSpring,), Path.BALL, springs.TORSION_ROWS, springs.TORSION_AXES,
        JointKind.TORSION_SPRING,
    ),
    JointEntry(JointKind.ROPE, (Rope,), Path.GENERAL, 0, -1, JointKind.ROPE),
    JointEntry(JointKind.PLANE_HINGE, (), Path.HINGE, in_plane.HINGE_ROWS, hinge.AXES, JointKind.PLANE_HINGE),
    JointEntry(JointKind.PLANE_SLIDER, (), Path.AXES, in_plane.SLIDER_ROWS, slider.AXES, JointKind.PLANE_SLIDER),
    JointEntry(JointKind.PLANE_WELD, (), Path.AXES, in_plane.WELD_ROWS, weld.AXES, JointKind.PLANE_WELD),
)
# fmt: on


def _by_code() -> dict[int, JointEntry]:
    entries = {entry.code: entry for entry in JOINTS}
    constraints = {code for code, _, _ in CONSTRAINTS.values()}
    constraints |= {JointKind.TROUGH_CYLINDER, JointKind.COUPLING, JointKind.GROUP_CONDITION}
    codes = {code for name, code in vars(JointKind).items() if name.isupper() and isinstance(code, int)}
    if len(entries) != len(JOINTS) or codes != entries.keys() | constraints or entries.keys() & constraints:
        raise TypeError(f"JOINTS and CONSTRAINTS need one entry for each of {sorted(codes)}, not {sorted(entries)}")
    if any(entry.between_planar_bodies not in entries for entry in JOINTS):
        raise TypeError("JOINTS lacks a kind between planar bodies")
    return entries


def _by_definition() -> dict[type[Joint], JointEntry]:
    pairs = [(definition, entry) for entry in JOINTS for definition in entry.definitions]
    if len(dict(pairs)) != len(pairs):
        raise TypeError("a definition stands in two entries of JOINTS")
    return dict(pairs)


ENTRY_OF_CODE = _by_code()
ENTRY_OF_DEFINITION = _by_definition()
