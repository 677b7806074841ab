"""Everything that the definitions of the physics can say can be said in a scene: each public field of each definition
has an example in which it is not what it is by default, and the example is the same when written out and read again.
A field or a kind that is added to the physics makes these tests fail until the language has it, or until it stands
below with the reason why not. So do live settings of a world."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest

import physics

from physics.definitions import formulas, motions
from physics.definitions import constraints, functions
from physics.definitions import (
    bodies, compound, couplings, joints as scene_joints, named, signal, surrounding,
)  # fmt: skip
from physics.definitions.limits import Limits, SoftLimits
from physics.definitions.shapes.compound import CompoundShape
from physics.definitions.shapes.long import LongSolid
from physics.definitions.shapes.shape import Solid
from physics.definitions.scene import Scene
from physics.definitions import springs
from physics.definitions.joints import Rope
from physics.world.world import World
from scenes.kinds.sections import Settings
from scenes.loading.loader import read_scene_text
from tests.helpers.scene_text import scene_text
from tests.helpers.every_definition import BODIES, CONDITION, PAIR, SCENES, SPEEDS, VELOCITY_CONDITION


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
    (CompoundShape, None): "a body of a scene has a list of shapes: it is written as its parts",
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
    (physics.Sphere, "orientation"): "a ball is the same however it is turned",
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
        named.Actuator,
        surrounding.Medium,
        physics.Shape,
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
        scene_joints.AxisJoint,
        scene_joints.OneAxisJoint,
        compound.Part,
        named.Actuator,
        surrounding.Medium,
        physics.Shape,
        Solid,
        LongSolid,
        signal.Signal,
        constraints.Constraint,
        constraints.AxisConstraint,
        constraints.NormalConstraint,
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
