"""Everything that the definitions of the physics can say can be said in a scene: each public field of each definition
has an example in which it is not what it is by default, and the example is the same when written out and read again.
A field or a kind that is added to the physics makes these tests fail until the language has it, or until it stands
below with the reason why not. So do live settings of a world."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

from physics.definitions import actuators, formulas, medium, motions, shapes, signals
from physics.definitions import constraints, functions
from physics.definitions import (
    actuator, bodies, compound, couplings, joints as scene_joints, shape as scene_shape, signal, surrounding,
)  # fmt: skip
from physics.definitions.limits import Limits, SoftLimits
from physics.definitions.scene import Scene
from physics.definitions import springs
from physics.definitions.rope import Rope
from physics.world.world import World
from scenes.kinds.formulas import parse, program_of
from scenes.kinds.sections import Settings
from scenes.loading.loader import read_scene_text
from tests.helpers.scene_text import scene_text

TURNED = (0.5, 0.5, 0.5, 0.5)
MASS = {"mass": 2.0, "inertia": (0.1, 0.12, 0.14)}
WAVE = signals.Sinusoid(mean=0.1, amplitude=0.2, frequency=3.0, phase=0.4)
RAMP = signals.Ramp(rate=0.5, start=0.7)
KEYS = signals.Keyed(times=(0.0, 1.0, 2.0), values=(0.0, 1.0, 0.0), ease="smooth", repeat=True)
SURFACE = {"position": (0.1, 0.0, 0.2), "orientation": TURNED, "friction": 0.3, "restitution": 0.4, "group": "g"}
SOLIDS = [
    shapes.Sphere(radius=0.1, **SURFACE | {"orientation": (1.0, 0.0, 0.0, 0.0)}),
    shapes.Box(size=(0.2, 0.4, 0.6), **SURFACE),
    shapes.Capsule(radius=0.1, length=0.4, **SURFACE),
    shapes.Cylinder(radius=0.1, length=0.4, **SURFACE),
    shapes.Hull(points=((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), **SURFACE),
]
TIED = {"a": "a", "b": "b", "at": ((0.5, 0.0, 0.0), (0.5, 0.1, 0.0)), "auxiliary": True, "collide": True}
SAME = TIED | {"at": (0.5, 0.0, 0.0)}
SOFT = SoftLimits(stiffness=5.0, damping=0.1, lower=-0.5, upper=1.0)
HARD = Limits(lower=-0.5, upper=1.0, restitution=0.25)


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
            compound.Turn(
                axis=(0, 1, 0),
                at=(0.1, 0, 0),
                stiffness=1.0,
                damping=0.1,
                rest=0.2,
                armature=0.3,
                limits=HARD,
                pitch=0.1,
            ),
            compound.Slide(
                axis=(1, 0, 0), at=(0.2, 0, 0), stiffness=1.0, damping=0.1, rest=0.2, armature=0.3, limits=HARD
            ),
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
PLANE = shapes.Plane(**SURFACE)
POSES = ((0, 0, 1, 1, 0, 0, 0), (0.1, 0, 1, *TURNED), (0, 0, 1, 1, 0, 0, 0))
BODIES = [
    bodies.Body(name="x", **MASS, **POSED, **SPEEDS, shapes=SOLIDS),
    bodies.Particle(name="x", mass=2.0, position=(0, 0, 1), velocity=(1, 2, 3), shapes=[shapes.Sphere(radius=0.1)]),
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
        shapes=[shapes.Box(size=(0.2, 0.4, 0.6))],
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
        shapes=[shapes.Plane(position=(0.0, 0.0, -3.0), group="ground", friction=0.1)],
        never=[("ground", "ground")],
        medium=medium.Fluid(density=1.2, viscosity=0.1, wind=(WAVE, 1.0, RAMP), shapes={"a": SOLIDS[:1]}),
    ),
]
SCENES.append(Scene(bodies=[*PAIR, BODIES[0]], couplings=[CONDITION, VELOCITY_CONDITION], never=[("g", "g")]))
MADE = ("function", "jacobian")
FORMULAS = (
    formulas.Formula, formulas.VelocityFormula, formulas.ConditionFormula, formulas.VelocityConditionFormula,
)  # fmt: skip
# what no scene can say, and why
NOT_IN_SCENES = {
    (functions.Function, None): "what it does is known to Python alone; what a text can say is its Formula",
    (functions.VelocityFunction, None): "likewise, and VelocityFormula",
    (functions.Condition, None): "likewise, and ConditionFormula",
    (functions.VelocityCondition, None): "likewise, and VelocityConditionFormula",
    **{(kind, key): "made of the program" for kind in FORMULAS for key in MADE},
    **{(kind, "force"): "refused: those are a condition's" for kind in FORMULAS[:2]},
    (shapes.CompoundShape, None): "a body of a scene has a list of shapes: it is written as its parts",
    (motions.Moving, "signals"): "made from position and rotation",
    (scene_joints.Free, "at"): "it has no place",
    (scene_joints.Free, "auxiliary"): "it is the root of its figure",
    (scene_joints.Free, "collide"): "nobody touches the world with it",
    (Rope, "auxiliary"): "it is always",
    (springs.Spring, "auxiliary"): "a spring is no constraint",
    (springs.Spring, "collide"): "it keeps nobody from touching",
    (springs.TorsionSpring, "auxiliary"): "a spring is no constraint",
    (springs.TorsionSpring, "collide"): "it keeps nobody from touching",
    (springs.TorsionSpring, "at"): "it acts wherever the bodies are",
    **{
        (kind, key): "springs have none"
        for kind in (springs.Spring, springs.TorsionSpring)
        for key in ("soft_limits", "limits", "armature")
    },
    (bodies.ScaledBody, "shapes"): "what stretches touches nothing",
    (shapes.Sphere, "orientation"): "a ball is the same however it is turned",
}


def kinds() -> list[type]:
    """Every definition of the physics that a person makes."""
    found: list[type] = []
    roots = (
        bodies.Body,
        bodies.Particle,
        bodies.Massless,
        bodies.Fixed,
        bodies.PlanarBody,
        scene_joints.Joint,
        compound.Part,
        couplings.Linkage,
        actuator.Actuator,
        surrounding.Medium,
        scene_shape.Shape,
        signal.Signal,
        SoftLimits,
        Limits,
        constraints.Circle,
        constraints.Spline,
        Scene,
    )
    abstract = {
        bodies.Fixed,
        scene_joints.Joint,
        couplings.Linkage,
        scene_joints.SpringJoint,
        compound.Part,
        actuator.Actuator,
        surrounding.Medium,
        scene_shape.Shape,
        signal.Signal,
        constraints.Constraint,
        motions.Motor,
    }
    queue = list(roots)
    while queue:
        kind = queue.pop()
        queue += kind.__subclasses__()
        if kind.__module__.startswith("physics.") and kind not in abstract:
            found.append(kind)
    return list(dict.fromkeys(found))


def fields_of(kind: type) -> list[dataclasses.Field]:
    return [f for f in dataclasses.fields(kind) if f.init]


def values(thing: Any, found: dict[type, list[Any]]) -> None:
    """All definitions inside of one."""
    if isinstance(thing, dict):
        thing = list(thing.values())
    if isinstance(thing, tuple | list):
        for one in thing:
            values(one, found)
    elif dataclasses.is_dataclass(thing):
        found.setdefault(type(thing), []).append(thing)
        for f in dataclasses.fields(thing):
            values(getattr(thing, f.name), found)


def is_default(value: Any, f: dataclasses.Field, kind: type) -> bool:
    if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING:
        return False
    default = f.default if f.default is not dataclasses.MISSING else f.default_factory()  # type: ignore[misc]
    if isinstance(value, tuple) and isinstance(default, int | float):
        return all(v == default for v in value)
    return value == default


def test_every_field_of_every_definition_has_an_example():
    found: dict[type, list[Any]] = {}
    values(SCENES, found)
    missing = [
        f"{kind.__name__}.{f.name}"
        for kind in kinds()
        for f in fields_of(kind)
        if (kind, None) not in NOT_IN_SCENES
        and (kind, f.name) not in NOT_IN_SCENES
        and all(is_default(getattr(one, f.name), f, kind) for one in found.get(kind, []))
    ]
    assert missing == []


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_a_scene_says_it_all(number):
    scene = SCENES[number]
    again = read_scene_text(scene_text(scene)).definitions
    for f in dataclasses.fields(Scene):
        same(getattr(again, f.name), getattr(scene, f.name), f.name)


def same(got: Any, wanted: Any, where: str) -> None:
    """To the last bit, but for names of materials' groups that keep nobody apart, and velocities, which stand under
    `start`."""
    if dataclasses.is_dataclass(wanted):
        assert type(got) is type(wanted), where
        without = PLACELESS if isinstance(wanted, springs.TorsionSpring) else ()
        without += MADE if isinstance(wanted, FORMULAS) else ()
        for f in dataclasses.fields(wanted):
            velocity = f.name in ("velocity", "angular_velocity")
            if (
                velocity
                or f.name in ("drawn", "polyhedron", *without)
                or (f.name == "at" and hasattr(wanted, "points"))
            ):
                continue
            same(getattr(got, f.name), getattr(wanted, f.name), f"{where}.{f.name}")
    elif isinstance(wanted, dict):
        assert set(got) == set(wanted), where
        for key in wanted:
            same(got[key], wanted[key], f"{where}.{key}")
    elif isinstance(got, tuple) and isinstance(wanted, int | float):
        same(got, (wanted,), where)  # one for a single axis
    elif isinstance(wanted, tuple | list | np.ndarray):
        assert len(got) == len(wanted), where
        for k, (x, y) in enumerate(zip(got, wanted, strict=True)):
            same(x, y, f"{where}.{k}")
    elif isinstance(wanted, float) and isinstance(got, float):
        # shapes of a planar body are written in world axes, and those were turned back
        planar = where.startswith("bodies.0.shapes.0.") and abs(got - wanted) < 1e-15
        assert got == wanted or min(abs(got), abs(wanted)) >= 1e9 or planar, where
    elif where.endswith(".group") and got == "default":
        pass
    else:
        assert got == wanted, where


def test_velocities_stand_under_start():
    scene = Scene(bodies=[BODIES[0], *PAIR], never=[("g", "g")])
    again = read_scene_text(scene_text(scene))
    assert again.velocities == {"x": (SPEEDS["velocity"], SPEEDS["angular_velocity"])}


PLACELESS = ("at", "points")
# settings of a world that are no settings of a scene
OF_WORLDS = {"timed": "a measurement"}
OTHERWISE = {"solver": "use_solver", "integrator": "use_integrator"}


def test_every_live_setting_of_a_world_is_a_setting_of_a_scene():
    live = {k for k, v in vars(World).items() if isinstance(v, property) and v.fset} | set(OTHERWISE)
    assert live - set(OF_WORLDS) == set(Settings.model_fields)


def test_settings_reach_the_world():
    text = """marionette: 1
ground: {}
settings:
  {gravity: [0, 0, -1], timestep: 1/100, solver: lagrange, integrator: implicit, order: dynamic, stiffness_scale: 2,
   guard: false, correction: feedback, feedback: [100, 20], columns: paths, posing_friction: 3, drives_on: false,
   contact_method: none, sleeping: true, contact_law: regularised,
  contact_tolerance: 1e-5}
bodies: {a: {shape: {sphere: {at: [0, 0, 1], radius: 0.1}}}}
"""
    world = read_scene_text(text).make_world()
    assert (world.timestep, world.solver, world.integrator, world.order) == (0.01, "lagrange", "implicit", "dynamic")
    assert (world.stiffness_scale, world.guard, world.correction, world.feedback) == (2.0, False, "feedback", (100, 20))
    assert (world.posing_friction, world.drives_on) == (3.0, False)
    assert (world.contact_method, world.contact_law, world.contact_tolerance) == ("none", "regularised", 1e-5)
    assert world.sleeping
    assert world.gravity == pytest.approx([0, 0, -1])
    assert math.isclose(world.timestep, 0.01)
