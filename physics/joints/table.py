"""The table of all kinds of joint, spring and constraint: the code of each, its motion subspace, its numbers of rows
and axes, and the functions that compute its equations.

A kind has one entry, and no field of an entry has a default: a missing field is an error when this module is imported.
`None` instead of a function says that the kind has none. From this table `physics.joints.kinds` and
`physics.joints.sides` make the functions that call the function of a kind by its code. `physics.build.joints` finds the
entry of a definition by the name of its equations (`Joint.equations`).
"""

import math
from typing import Any, NamedTuple

from physics.data.model_tables import JointKind, Path
from physics.joints import (
    ball, compound, directions, distance, free, function, gear, hinge, in_plane, motor, point, rolling, rope, slider,
    springs, universal, weld,
)  # fmt: skip

# where the anchor is in the parent: at one place; on the third axis of the joint frame through it; anywhere
FIXED, ALONG_AXIS, ANYWHERE = range(3)
FROM_DEFINITION = -100  # the number of axes is that of the definition, and the rows are 6 less that number


class JointEntry(NamedTuple):
    """One kind of joint or spring. Each of its functions names the arguments that it needs; the functions of
    `physics.joints.kinds` have all of them, and pass them by name."""

    name: str  # `equations` of the definitions that have them
    code: int  # Topology.KIND; a name of JointKind where other rooms ask for this kind
    path: int  # Path: the motion subspace, by which `fused` eliminates it
    count_rows: int  # of its constraint
    count_axes: int  # coordinates; -1: it has no motion subspace
    common: bool  # compiled into every unit; else by itself, for a figure that has one of these
    between_planar_bodies: str  # the name of the kind that replaces it there; its own where none does
    parent_lever: int  # whether the anchor moves in the parent: one of FIXED, ALONG_AXIS, ANYWHERE
    turns_about: int | None  # axis of the joint frame (0: x, 2: z) about which State.memory counts half turns
    frame: Any  # levers and motion axes to Work.edge; returns the error
    rows: Any  # the constraint rows T to Work.rows
    bias: Any  # returns b_acc without what is prescribed
    rate: Any  # returns the prescribed twist
    acceleration: Any  # returns what is prescribed of b_acc
    spring: Any  # coordinates, torques, stiffness, damping and energy to Work.spring
    coordinates: Any  # returns three coordinates
    remember: Any  # turns and coordinates of an accepted pose to State.memory


class ConstraintEntry(NamedTuple):
    """One kind of constraint. Each of its functions names the arguments that it needs; the functions of
    `physics.joints.sides` have all of them, and pass them by name. a and b are the bodies of the definition."""

    name: str  # `equations` of the definitions that have them
    code: int  # Topology.KIND, from JointKind.FIRST_CONSTRAINT on
    count_rows: int
    count_positions: int  # how many of the rows, the first ones, keep a position
    turning_levers: tuple[float, float]  # of a and of b, for the geometric stiffness: 1 where the anchor is fixed in
    # the body, infinity where it also moves in it, 0 where the lever does not turn with the body
    frame: Any  # levers, and what rows and bias need, to Work.edge; returns the error of b relative to a
    rows: Any  # the constraint rows T of b relative to a; returns their number
    bias: Any  # returns b_acc of b relative to a
    remember: Any  # turns and parameters of an accepted pose to State.memory


# fmt: off
JOINTS = (
    JointEntry(
        name="free", code=JointKind.FREE, path=Path.FREE, count_rows=free.ROWS, count_axes=free.AXES, common=True,
        between_planar_bodies="free", parent_lever=FIXED, turns_about=None, frame=None, rows=None, bias=None, rate=None,
        acceleration=None, spring=None, coordinates=None, remember=None,
    ),
    JointEntry(
        name="ball", code=JointKind.BALL, path=Path.BALL, count_rows=ball.ROWS, count_axes=ball.AXES, common=True,
        between_planar_bodies="ball", parent_lever=FIXED, turns_about=None, frame=ball.frame, rows=ball.rows,
        bias=ball.bias, rate=None, acceleration=None, spring=ball.spring, coordinates=ball.coordinates, remember=None,
    ),
    JointEntry(
        name="hinge", code=JointKind.HINGE, path=Path.HINGE, count_rows=hinge.ROWS, count_axes=hinge.AXES, common=True,
        between_planar_bodies="hinge in a plane", parent_lever=FIXED, turns_about=2, frame=hinge.frame, rows=hinge.rows,
        bias=hinge.bias, rate=None, acceleration=None, spring=hinge.spring, coordinates=hinge.coordinates,
        remember=hinge.remember,
    ),
    JointEntry(
        name="universal", code=JointKind.UNIVERSAL, path=Path.AXES, count_rows=universal.ROWS,
        count_axes=universal.AXES, common=True, between_planar_bodies="universal", parent_lever=FIXED, turns_about=0,
        frame=universal.frame, rows=universal.rows, bias=universal.bias, rate=None, acceleration=None,
        spring=universal.spring, coordinates=universal.coordinates, remember=hinge.remember,
    ),
    JointEntry(
        name="slider", code=JointKind.SLIDER, path=Path.AXES, count_rows=slider.ROWS, count_axes=slider.AXES,
        common=True, between_planar_bodies="slider in a plane", parent_lever=ALONG_AXIS, turns_about=None,
        frame=slider.frame, rows=slider.rows, bias=slider.bias, rate=None, acceleration=None, spring=slider.spring,
        coordinates=slider.coordinates, remember=None,
    ),
    JointEntry(
        name="weld", code=JointKind.WELD, path=Path.AXES, count_rows=weld.ROWS, count_axes=weld.AXES, common=True,
        between_planar_bodies="weld in a plane", parent_lever=FIXED, turns_about=None, frame=weld.frame, rows=weld.rows,
        bias=weld.bias, rate=None, acceleration=None, spring=None, coordinates=None, remember=None,
    ),
    JointEntry(
        name="distance", code=JointKind.DISTANCE, path=Path.GENERAL, count_rows=distance.ROWS, count_axes=-1,
        common=False, between_planar_bodies="distance", parent_lever=FIXED, turns_about=None, frame=distance.frame,
        rows=distance.rows, bias=distance.bias, rate=distance.rate, acceleration=distance.acceleration, spring=None,
        coordinates=None, remember=None,
    ),
    JointEntry(
        name="compound", code=JointKind.COMPOUND, path=Path.AXES, count_rows=FROM_DEFINITION,
        count_axes=FROM_DEFINITION, common=False, between_planar_bodies="compound", parent_lever=ANYWHERE,
        turns_about=None, frame=compound.frame, rows=compound.rows, bias=compound.bias, rate=None, acceleration=None,
        spring=compound.spring, coordinates=compound.coordinates, remember=compound.remember,
    ),
    JointEntry(
        name="hinge motor", code=8, path=Path.AXES, count_rows=motor.ROWS, count_axes=motor.AXES, common=False,
        between_planar_bodies="hinge motor", parent_lever=FIXED, turns_about=None, frame=motor.hinge_frame,
        rows=motor.rows, bias=motor.bias, rate=motor.hinge_rate, acceleration=motor.hinge_acceleration, spring=None,
        coordinates=motor.hinge_coordinates, remember=None,
    ),
    JointEntry(
        name="slider motor", code=9, path=Path.AXES, count_rows=motor.ROWS, count_axes=motor.AXES, common=False,
        between_planar_bodies="slider motor", parent_lever=FIXED, turns_about=None, frame=motor.slider_frame,
        rows=motor.rows, bias=motor.bias, rate=motor.slider_rate, acceleration=motor.slider_acceleration, spring=None,
        coordinates=slider.coordinates, remember=None,
    ),
    JointEntry(
        name="spring", code=JointKind.POINT_SPRING, path=Path.AXES, count_rows=springs.POINT_ROWS,
        count_axes=springs.POINT_AXES, common=False, between_planar_bodies="spring", parent_lever=FIXED,
        turns_about=None, frame=springs.frame, rows=None, bias=springs.bias, rate=None, acceleration=None,
        spring=springs.spring, coordinates=distance.coordinates, remember=None,
    ),
    JointEntry(
        name="torsion spring", code=JointKind.TORSION_SPRING, path=Path.BALL, count_rows=springs.TORSION_ROWS,
        count_axes=springs.TORSION_AXES, common=False, between_planar_bodies="torsion spring", parent_lever=FIXED,
        turns_about=None, frame=springs.torsion_frame, rows=None, bias=None, rate=None, acceleration=None,
        spring=ball.spring, coordinates=ball.coordinates, remember=None,
    ),
    JointEntry(
        name="rope", code=JointKind.ROPE, path=Path.GENERAL, count_rows=rope.ROWS, count_axes=-1, common=False,
        between_planar_bodies="rope", parent_lever=FIXED, turns_about=None, frame=rope.frame, rows=None,
        bias=distance.bias, rate=None, acceleration=None, spring=None, coordinates=distance.coordinates, remember=None,
    ),
    JointEntry(
        name="hinge in a plane", code=JointKind.PLANE_HINGE, path=Path.HINGE, count_rows=in_plane.HINGE_ROWS,
        count_axes=hinge.AXES, common=False, between_planar_bodies="hinge in a plane", parent_lever=FIXED,
        turns_about=2, frame=hinge.frame, rows=in_plane.hinge_rows, bias=hinge.bias, rate=None, acceleration=None,
        spring=hinge.spring, coordinates=hinge.coordinates, remember=hinge.remember,
    ),
    JointEntry(
        name="slider in a plane", code=JointKind.PLANE_SLIDER, path=Path.AXES, count_rows=in_plane.SLIDER_ROWS,
        count_axes=slider.AXES, common=False, between_planar_bodies="slider in a plane", parent_lever=ANYWHERE,
        turns_about=None, frame=slider.frame, rows=in_plane.slider_rows, bias=slider.bias, rate=None, acceleration=None,
        spring=slider.spring, coordinates=slider.coordinates, remember=None,
    ),
    JointEntry(
        name="weld in a plane", code=JointKind.PLANE_WELD, path=Path.AXES, count_rows=in_plane.WELD_ROWS,
        count_axes=weld.AXES, common=False, between_planar_bodies="weld in a plane", parent_lever=FIXED,
        turns_about=None, frame=weld.frame, rows=in_plane.weld_rows, bias=weld.bias, rate=None, acceleration=None,
        spring=None, coordinates=None, remember=None,
    ),
    JointEntry(
        name="function", code=JointKind.FUNCTION, path=Path.GENERAL, count_rows=FROM_DEFINITION, count_axes=-1,
        common=False, between_planar_bodies="function", parent_lever=FIXED, turns_about=None, frame=function.frame,
        rows=function.rows, bias=function.bias, rate=None, acceleration=None, spring=None, coordinates=None,
        remember=None,
    ),
)

POINT_OF_B = (math.inf, 1.0)  # the point is fixed in b and moves in a
CONTACT = (math.inf, 0.0)  # the point moves in a, and does not turn with the wheel b
NO_LEVERS = (0.0, 0.0)
CONSTRAINTS = (
    ConstraintEntry(
        name="point on plane", code=200, count_rows=1, count_positions=1,
        turning_levers=POINT_OF_B, frame=point.frame_on_plane, rows=point.one_row, bias=point.bias, remember=None,
    ),
    ConstraintEntry(
        name="point on line", code=201, count_rows=2, count_positions=2,
        turning_levers=POINT_OF_B, frame=point.frame_on_line, rows=point.two_rows, bias=point.bias, remember=None,
    ),
    ConstraintEntry(
        name="point on curve", code=JointKind.POINT_ON_CURVE, count_rows=2, count_positions=2,
        turning_levers=POINT_OF_B, frame=point.frame_on_curve, rows=point.two_rows, bias=point.bias_on_curve,
        remember=point.remember_on_curve,
    ),
    ConstraintEntry(
        name="parallel", code=203, count_rows=2, count_positions=2, turning_levers=NO_LEVERS,
        frame=directions.frame_parallel, rows=directions.rows_parallel, bias=directions.bias_parallel, remember=None,
    ),
    ConstraintEntry(
        name="perpendicular", code=204, count_rows=1, count_positions=1, turning_levers=NO_LEVERS,
        frame=directions.frame_perpendicular, rows=directions.rows_perpendicular,
        bias=directions.bias_perpendicular, remember=None,
    ),
    ConstraintEntry(
        name="gear", code=205, count_rows=1, count_positions=1, turning_levers=NO_LEVERS,
        frame=gear.frame_wheels, rows=gear.rows, bias=gear.bias_wheels, remember=gear.remember_wheels,
    ),
    ConstraintEntry(
        name="rack", code=206, count_rows=1, count_positions=1, turning_levers=NO_LEVERS,
        frame=gear.frame_rack, rows=gear.rows, bias=gear.bias_rack, remember=gear.remember_rack,
    ),
    ConstraintEntry(
        name="rolling sphere", code=207, count_rows=3, count_positions=1, turning_levers=CONTACT,
        frame=rolling.frame_sphere, rows=point.three_rows, bias=rolling.bias_sphere, remember=None,
    ),
    ConstraintEntry(
        name="rolling disk", code=208, count_rows=3, count_positions=1, turning_levers=CONTACT,
        frame=rolling.frame_disk, rows=point.three_rows, bias=rolling.bias_disk, remember=None,
    ),
    ConstraintEntry(
        name="sphere in trough", code=209, count_rows=3, count_positions=1, turning_levers=CONTACT,
        frame=rolling.frame_trough, rows=point.three_rows, bias=rolling.bias_trough, remember=None,
    ),
    ConstraintEntry(
        name="cylinder in trough", code=210, count_rows=5, count_positions=3,
        turning_levers=CONTACT, frame=rolling.frame_cylinder, rows=rolling.rows_cylinder, bias=rolling.bias_cylinder,
        remember=None,
    ),
    ConstraintEntry(
        name="knife edge", code=211, count_rows=1, count_positions=0, turning_levers=POINT_OF_B,
        frame=rolling.frame_knife, rows=point.one_row, bias=rolling.bias_knife, remember=None,
    ),
)
# fmt: on
# Links over any number of joints or bodies: their equations are in `physics.edges.couplings` and `conditions`.
OF_MANY = (JointKind.COUPLING, JointKind.GROUP_CONDITION)


def _check() -> None:
    """Refuse a code or a name of two entries, a code out of its range, and a name that has no entry."""
    entries = (*JOINTS, *CONSTRAINTS)
    codes = [*OF_MANY, *(entry.code for entry in entries)]
    names = [entry.name for entry in entries]
    if len(set(codes)) != len(codes) or len(set(names)) != len(names):
        raise TypeError(f"each code and each name has one entry; the entries have {sorted(codes)}, {sorted(names)}")
    named = {code for name, code in vars(JointKind).items() if name.isupper() and isinstance(code, int)}
    if not named - {JointKind.FIRST_CONSTRAINT} <= set(codes):
        raise TypeError(f"no entry has the codes {sorted(named - set(codes))} of JointKind")
    if not all(JointKind.FIRST_CONSTRAINT <= entry.code < JointKind.COUPLING for entry in CONSTRAINTS):
        raise TypeError(f"codes of constraints are {JointKind.FIRST_CONSTRAINT} to {JointKind.COUPLING - 1}")
    if not {entry.between_planar_bodies for entry in JOINTS} <= {entry.name for entry in JOINTS}:
        raise TypeError("JOINTS lacks a kind between planar bodies")


_check()
JOINT_OF_CODE = {entry.code: entry for entry in JOINTS}
JOINT_OF_NAME = {entry.name: entry for entry in JOINTS}
CONSTRAINT_OF_CODE = {entry.code: entry for entry in CONSTRAINTS}
CONSTRAINT_OF_NAME = {entry.name: entry for entry in CONSTRAINTS}
