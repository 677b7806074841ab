"""Every kind of joint, constraint and spring that a scene knows."""

from scenes.kinds import constraints, formulas, joints, springs
from scenes.kinds.ties import Tie

JOINTS: dict[str, type[Tie]] = {
    k.kind: k
    for k in (
        joints.Ball, joints.Hinge, joints.Universal, joints.Slider, joints.Cylindrical, joints.Planar, joints.Screw,
        joints.Compound, joints.HingeMotor, joints.SliderMotor, joints.Weld, joints.Free,
    )
}  # fmt: skip
CONSTRAINTS: dict[str, type[Tie]] = {
    k.kind: k
    for k in (
        constraints.Distance, constraints.Rope, constraints.PointOnPlane, constraints.PointOnLine,
        constraints.PointOnCurve, constraints.Parallel, constraints.Perpendicular, constraints.Gear, constraints.Rack,
        constraints.RollingSphere, constraints.RollingDisk, constraints.RollingInTrough, constraints.KnifeEdge,
        formulas.Function, formulas.VelocityFunction,
    )
}  # fmt: skip
# constraints that tie joints, or any number of bodies
LINKAGES = (constraints.Coupling, formulas.Condition, formulas.VelocityCondition)
SPRINGS: dict[str, type[Tie]] = {k.kind: k for k in (springs.Spring, springs.Torsion)}
KINDS: dict[str, type[Tie]] = {**JOINTS, **CONSTRAINTS, **SPRINGS}
# sections with ties, and the kinds of each
TIES = {"joints": JOINTS, "constraints": CONSTRAINTS, "springs": SPRINGS}
# words that people try, and what stands for them
OTHERWISE = {
    "rolling": "unknown kind 'rolling'; it is one of rolling_sphere, rolling_disk, rolling_in_trough",
    "formula": "unknown kind 'formula'; it is `function`, with the formula as `zero`",
    "pulley": "unknown kind 'pulley'; of two weights on one rope the heights have a constant sum: "
    "{function: [left, right], zero: z1 + z2 - 2}",
    "motor": "unknown kind 'motor'; it is one of hinge_motor, slider_motor",
    "fixed": "unknown kind 'fixed'; it is `weld`",
    "revolute": "unknown kind 'revolute'; it is `hinge`",
    "prismatic": "unknown kind 'prismatic'; it is `slider`",
    "spherical": "unknown kind 'spherical'; it is `ball`",
    "rod": "unknown kind 'rod'; it is `distance`, under `constraints`",
    "spring": "unknown kind 'spring'; it is `between`, under `springs`",
}


def section_of(kind: str) -> str:
    return next(section for section, kinds in TIES.items() if kind in kinds)
