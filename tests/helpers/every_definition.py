"""Scenes of definitions in which every field of every definition has a value other than its default."""

import dataclasses
from typing import Any

import physics
from physics.definitions import actuators, formulas, medium, motions, signals
from physics.definitions import constraints
from physics.definitions import (
    bodies, compound, couplings, joints as scene_joints,
)  # fmt: skip
from physics.definitions.limits import Limits, SoftLimits
from physics.definitions.scene import Scene
from physics.definitions import springs
from physics.definitions.joints import Rope
from scenes.kinds.formulas import parse, program_of

TURNED = (0.5, 0.5, 0.5, 0.5)
MASS = {"mass": 2.0, "inertia": (0.1, 0.12, 0.14)}
WAVE = signals.Sinusoid(mean=0.1, amplitude=0.2, frequency=3.0, phase=0.4)
RAMP = signals.Ramp(rate=0.5, start=0.7)
KEYS = signals.Keyed(times=(0.0, 1.0, 2.0), values=(0.0, 1.0, 0.0), ease="smooth", repeat=True)
SURFACE = {"position": (0.1, 0.0, 0.2), "orientation": TURNED, "friction": 0.3, "restitution": 0.4, "group": "g"}
SOLIDS = [
    physics.Sphere(radius=0.1, **SURFACE | {"orientation": (1.0, 0.0, 0.0, 0.0)}),
    physics.Box(size=(0.2, 0.4, 0.6), **SURFACE),
    physics.Capsule(radius=0.1, length=0.4, **SURFACE),
    physics.Cylinder(radius=0.1, length=0.4, **SURFACE),
    physics.Hull(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), **SURFACE),
]
TIED = {"a": "a", "b": "b", "at": ((0.5, 0.0, 0.0), (0.5, 0.1, 0.0)), "auxiliary": True, "collide": True}
SAME = TIED | {"at": (0.5, 0.0, 0.0)}
SOFT = SoftLimits(stiffness=5.0, damping=0.1, lower=-0.5, upper=1.0)
HARD = Limits(lower=-0.5, upper=1.0, restitution=0.25)
PART: dict[str, Any] = {"stiffness": 1.0, "damping": 0.1, "rest": 0.2, "armature": 0.3, "limits": HARD}


def sprung(axes: int, limits: bool = True) -> dict:
    values = tuple(0.1 * (k + 1) for k in range(axes))
    own = {"stiffness": values, "damping": values, "rest": values, "armature": values}
    return TIED | own | ({"limits": HARD} if limits else {"soft_limits": SOFT})


BALL = TIED | {
    "stiffness": (1, 2, 3),
    "damping": 0.1,
    "rest": (0.1, 0, 0.2),
    "armature": 0.1,
    "swing_axis": (0, 1, 0),
    "twist_axis": (1, 0, 0),
}
# every operation of formulas: what is read of them is written
TREES = [parse(text, {}, formulas.NAMES) for text in (
    "-x^2 + 2*(y1 - 0.1)/(z2 + 1) - (x2 - (y2 - z))", "sqrt(x + 2)*sin(Xx1)^(1 + y)/cos(Zz)",
    "tan(x1) - -asin(0.1*Yx2)",
    "acos(0.1*x)/(2 + atan(y)) + atan2(x + 3, -z)", "(exp(-x)^2)^z1 - 1e-7*log(2 + x)",
)]  # fmt: skip
ROUND, SLIDING = program_of(TREES), program_of([parse("vx2 - 0.2*wy1 + 2*vz", {}, formulas.NAMES)])
PUT = {"origin": (0.1, 0.2, 0.3), "frame": ((0, 1, 0), (1, 0, 0), (0, 0, 1)), "length_scale": 0.2}
JOINTS: list[Any] = [
    scene_joints.Ball(name="j", **BALL, limits=Limits(swing=0.5, twist=(-0.2, 0.3), restitution=0.5)),
    scene_joints.Ball(name="j", **BALL, limits=Limits(swing=(0.5, 0.7))),
    scene_joints.Ball(
        name="j", **BALL, soft_limits=SoftLimits(stiffness=(3, 3, 4), damping=1.0, swing=0.5, twist=(-0.2, 0.3))
    ),
    *(scene_joints.Hinge(name="j", axis=(0, 0, 1), **sprung(1, hard)) for hard in (True, False)),
    *(scene_joints.Universal(name="j", axis=(0, 0, 1), axis2=(1, 0, 0), **sprung(2, hard)) for hard in (True, False)),
    *(scene_joints.Slider(name="j", axis=(0, 0, 1), **sprung(1, hard)) for hard in (True, False)),
    *(scene_joints.Cylindrical(name="j", axis=(0, 0, 1), **sprung(2, hard)) for hard in (True, False)),
    *(scene_joints.Planar(name="j", normal=(0, 0, 1), axis=(1, 0, 0), **sprung(3, hard)) for hard in (True, False)),
    *(scene_joints.Screw(name="j", axis=(0, 0, 1), pitch=0.1, **sprung(1, hard)) for hard in (True, False)),
    compound.Compound(
        name="j",
        **TIED,
        parts=(
            compound.Turn(axis=(0, 1, 0), at=(0.1, 0, 0), **PART, pitch=0.1),
            compound.Slide(axis=(1, 0, 0), at=(0.2, 0, 0), **PART),
        ),
    ),
    compound.Compound(
        name="j",
        **TIED,
        parts=(compound.Turn(axis=(0, 1, 0), soft_limits=SOFT), compound.Slide(axis=(1, 0, 0), soft_limits=SOFT)),
    ),
    motions.HingeMotor(name="j", axis=(0, 0, 1), position=WAVE, **TIED),
    motions.HingeMotor(name="j", axis=(0, 0, 1), velocity=KEYS, **TIED),
    motions.SliderMotor(name="j", axis=(0, 0, 1), position=RAMP, **TIED),
    motions.SliderMotor(name="j", axis=(0, 0, 1), velocity=2.0, **TIED),
    scene_joints.Weld(name="j", **TIED),
    scene_joints.Free(name="j", a="world", b="b"),
    scene_joints.Distance(name="j", length=0.3, **TIED),
    Rope(name="j", longest=0.5, shortest=0.01, **TIED),
    constraints.PointOnPlane(name="j", normal=(0, 0, 1), **SAME),
    constraints.PointOnLine(name="j", axis=(0, 0, 1), **SAME),
    constraints.PointOnCurve(
        name="j", curve=constraints.Circle(center=(0.5, 0, 1), normal=(0, 1, 0), radius=1.0), **SAME
    ),
    constraints.PointOnCurve(
        name="j", curve=constraints.Spline(points=((0.5, 0, 0), (1, 0, 1), (0, 1, 1)), closed=True), **SAME
    ),
    constraints.Parallel(name="j", axis=(0, 0, 1), **TIED),
    constraints.Perpendicular(name="j", axis=(0, 0, 1), axis2=(1, 0, 0), **TIED),
    constraints.Gear(
        name="j", axis=(0, 0, 1), radii=(0.3, 0.7), keeps_position=False, **TIED | {"at": ((0, 0, 0), (1, 0, 0))}
    ),
    constraints.Rack(
        name="j",
        axis=(0, 0, 1),
        direction=(1, 0, 0),
        radius=0.5,
        keeps_position=False,
        **TIED | {"at": ((0, 0, 0), (1, 0.5, 0))},
    ),
    constraints.RollingSphere(name="j", normal=(0, 0, 1), radius=0.5, **TIED | {"at": ((0, 0, 0), (0, 0, 0.5))}),
    constraints.RollingDisk(
        name="j", normal=(0, 0, 1), axis=(0, 1, 0), radius=0.5, **TIED | {"at": ((0, 0, 0), (0, 0, 0.5))}
    ),
    constraints.RollingInTrough(
        name="j",
        axis=(1, 0, 0),
        trough_radius=2.0,
        radius=0.5,
        cylinder=True,
        **TIED | {"at": ((0, 0, 2), (0, 0, 0.5))},
    ),
    constraints.KnifeEdge(name="j", lateral=(0, 1, 0), **TIED),
    formulas.Formula(name="j", program=ROUND, **PUT, **TIED),
    formulas.VelocityFormula(name="j", program=SLIDING, **PUT, **TIED),
    springs.Spring(name="j", a="a", b="b", at=TIED["at"], stiffness=3.0, damping=0.1, rest=0.2, tension_only=True),
    springs.TorsionSpring(
        name="j",
        a="a",
        b="b",
        stiffness=(1, 2, 3),
        damping=0.1,
        rest=(0.1, 0, 0.2),
        swing_axis=(0, 1, 0),
        twist_axis=(1, 0, 0),
    ),
]
PAIR = [bodies.Body(name=n, position=(k, 0.0, 0.0), **MASS) for k, n in enumerate("ab")]
HINGE = scene_joints.Hinge(name="h", a="a", b="b", at=(0.5, 0, 0), axis=(0, 0, 1))
SPEEDS = {"velocity": (1.0, 2.0, 3.0), "angular_velocity": (0.1, 0.2, 0.3)}
POSED = {"position": (0.0, 0.0, 1.0), "orientation": TURNED}
PLANE = physics.Plane(**SURFACE)
POSES = ((0, 0, 1, 1, 0, 0, 0), (0.1, 0, 1, *TURNED), (0, 0, 1, 1, 0, 0, 0))
BODIES = [
    bodies.Body(name="x", **MASS, **POSED, **SPEEDS, shapes=SOLIDS),
    bodies.Particle(name="x", mass=2.0, position=(0, 0, 1), velocity=(1, 2, 3), shapes=[physics.Sphere(radius=0.1)]),
    bodies.Massless(name="x"),
    bodies.Static(name="x", **POSED, shapes=[PLANE, *SOLIDS]),
    motions.Moving(name="x", position=(WAVE, RAMP, KEYS), rotation=(WAVE, 0.0, 0.1), orientation=TURNED, shapes=SOLIDS),
    motions.Moving(name="x", motion=signals.Clip((0, 1, 3), POSES, "smooth", True)),
    bodies.PlanarBody(
        name="x",
        mass=2.0,
        inertia=0.1,
        normal=(0, 1, 0),
        position=(0, 0, 1),
        angle=0.3,
        velocity=(1, 0, 2),
        angular_velocity=0.5,
        shapes=[physics.Box(size=(0.2, 0.4, 0.6))],
    ),
    bodies.ScaledBody(
        name="x",
        **MASS,
        **POSED,
        **SPEEDS,
        stretch="axes",
        scale_stiffness=(1, 2, 3),
        scale_damping=(0.1, 0.2, 0.3),
        scale=(1.1, 1.2, 1.3),
        scale_velocity=(0.1, 0.2, 0.3),
    ),
]
DRIVEN = {"stiffness": 3.0, "damping": 0.2, "max": (-1.0, 2.0), "on": False}
BALL_DRIVES = [
    actuators.Drive(name="d", joint="u", position=signals.Clip((0, 1), ((1, 0, 0, 0), TURNED)), stiffness=3.0),
    actuators.Drive(name="d", joint="u", velocity=signals.Clip((0, 1), ((1, 0, 0), (0, 0, 2)), "linear"), damping=0.2),
    actuators.Drive(name="d", joint="u", position=(0.1, WAVE, KEYS), stiffness=3.0, max=2.0),
]
DRIVES = [
    actuators.Drive(name="d", joint="u", axis=1, position=WAVE, torque=KEYS, **DRIVEN),
    actuators.Drive(name="d", joint="u", velocity=RAMP, damping=0.3),
    actuators.TargetSpring(
        name="d",
        body="a",
        target="post",
        at=(0, 0, 0.1),
        position=(0, 0, 0.2),
        rotation=(0.1, 0, 0),
        stiffness=3.0,
        damping=0.1,
        turn_stiffness=2.0,
        turn_damping=0.2,
        max=5.0,
        turn_max=6.0,
        on=False,
    ),
]
UNIVERSAL = scene_joints.Universal(name="u", a="a", b="b", at=(0.5, 0, 0), axis=(0, 0, 1), axis2=(1, 0, 0))
POST = bodies.Static(name="post", position=(0, 0, -1))
COUPLING = couplings.Coupling(name="c", terms={("u", 1): 2.0, ("h", 0): -1.0}, offset=0.3)
AREA = formulas.Program(
    # x1 z3 - Yy2, sin(x2)
    ((2, 0), (2, 38), (5, 0), (2, 25), (4, 0), (0, 0), (2, 18), (10, 0), (0, 0)),
)
CONDITION = formulas.ConditionFormula(
    name="k",
    bodies=("a", "b", "x"),
    program=AREA,
    points=((0.1, 0.0, 0.0), (0.2, 0.3, 0.0), (0.0, 0.0, 1.0)),
    origin=(0.1, 0.2, 0.3),
    frame=((0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)),
    force=((0.0, 1.0, 0.0, 0.5, 0.0, 0.0, *6 * (0.0,), *6 * (0.25,)), (*12 * (0.0,), 1.0, *5 * (0.0,))),
    force_in="body",
    length_scale=0.3,
)
SWEEP = formulas.Program(
    # x1 vz3 - wy2, vx2
    ((2, 0), (2, 50), (5, 0), (2, 34), (4, 0), (0, 0), (2, 30), (0, 0)),
)
VELOCITY_CONDITION = formulas.VelocityConditionFormula(
    **{f.name: getattr(CONDITION, f.name) for f in dataclasses.fields(CONDITION) if f.init}
    | {"name": "v", "program": SWEEP}
)
ENDS = {"p": ("world", "x"), "q": ("x", "a")}


def groups_of(body: Any) -> set[str]:
    return {shape.group for shape in getattr(body, "shapes", ())} - {"default"}


def around(body: bodies.Body) -> Scene:
    """A scene with a body; one without mass stands between two others."""
    between = isinstance(body, bodies.Massless)
    joints = [scene_joints.Hinge(name=n, a=a, b=b, axis=(0, i, 1 - i)) for i, (n, (a, b)) in enumerate(ENDS.items())]
    return Scene(bodies=[body, *PAIR], joints=joints if between else [], never=[("g", "g")] if groups_of(body) else [])


SCENES = [
    *(Scene(bodies=PAIR, joints=[joint]) for joint in JOINTS),
    *(around(body) for body in BODIES[:4]),
    *(Scene(bodies=[body, *PAIR], never=[("g", "g")]) for body in BODIES[4:5]),
    *(Scene(bodies=[body, *PAIR]) for body in BODIES[5:]),
    *(
        Scene(bodies=PAIR, joints=[scene_joints.Ball(name="u", a="a", b="b", at=(0.5, 0, 0))], drives=[drive])
        for drive in BALL_DRIVES
    ),
    *(Scene(bodies=[*PAIR, POST], joints=[UNIVERSAL], drives=[drive]) for drive in DRIVES),
    Scene(
        bodies=[*PAIR],
        joints=[UNIVERSAL, HINGE],
        couplings=[COUPLING],
        gravity=(1.0, 2.0, 3.0),
        timestep=0.01,
        shapes=[physics.Plane(position=(0.0, 0.0, -3.0), group="ground", friction=0.1)],
        never=[("ground", "ground")],
        medium=medium.Fluid(density=1.2, viscosity=0.1, wind=(WAVE, 1.0, RAMP), shapes={"a": SOLIDS[:1]}),
    ),
]
