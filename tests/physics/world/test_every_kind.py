"""What every kind of body, joint, constraint and force must do, on the scenes of the support matrix: one list of kinds,
which a new kind must join. Modes and integrators are tried by the matrix itself (test_support.py), Jacobians, motion
subspaces and forces by the contracts of each family.

A blow p changes the kinetic energy by p . (v + v') / 2: constraints do no work, so that M (v' - v) - J^T l = p and
J v = J v' = 0 leave nothing else. Where something moves as told, J v is not zero.
"""

import dataclasses
import inspect
import math

import numpy as np
import pytest

from physics.data.model_tables import BodyKind, Topology
from physics.definitions import actuators, medium, motions
from physics.definitions import constraints, functions
from physics.definitions import (
    bodies, couplings as scene_couplings, joints as scene_joints, named, scene as scene_scene, surrounding,
)  # fmt: skip
from physics.definitions import compound, springs
from physics.definitions.checks import DefinitionError

from physics.world.world import World
from tests.helpers import support
from tests.helpers.arrays import model_of, row_of

SCENES = {kind: make for kinds in support.SCENES.values() for kind, make in kinds.items()}
TOLD = ("moving", "hinge motor", "slider motor", "rod of told length")
# what does work of its own
DRIVEN = ("condition with forces of its own", "the same with forces of its own")
BLOW, TWIST = np.array((0.3, -0.2, 0.4)), np.array((0.02, 0.05, -0.03))

every_kind = pytest.mark.parametrize("kind", SCENES)


def struck(world: World) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Body b, a blow on it that its plane leaves alone, and an angular one"""
    planar = model_of(world).topology[row_of(world.bodies["b"]), Topology.BODY_KIND] == BodyKind.PLANAR
    flat = np.array((1.0, 1.0, 0.0)) if planar else np.ones(3)
    body = world.bodies["b"]
    turn = TWIST * (np.array((0.0, 0.0, 1.0)) if planar else np.ones(3)) * float(body.has_orientation)
    return body, flat * BLOW, turn


def spoken(scene: scene_scene.Scene) -> list[object]:
    """Every definition in a scene"""
    media = [] if scene.medium is None else [scene.medium]
    return [*scene.bodies, *scene.joints, *scene.couplings, *scene.drives, *media]


DEFINITIONS = {type(one): one for make in SCENES.values() for one in spoken(make())}
SCENE_OF = {type(one): make for make in SCENES.values() for one in spoken(make())}


def test_every_kind_is_here():
    """All classes that a scene takes, but for those that only others are made of"""
    takes = (
        bodies.Body, bodies.Particle, bodies.Massless, bodies.Fixed, bodies.PlanarBody,
        scene_joints.Joint, scene_couplings.Linkage, named.Actuator, surrounding.Medium,
    )  # fmt: skip
    bases = {
        bodies.Fixed, scene_joints.Joint, scene_joints.SpringJoint, named.Actuator, surrounding.Medium,
        scene_couplings.Linkage, constraints.Constraint, motions.Motor,
        scene_joints.AxisJoint, scene_joints.OneAxisJoint, constraints.AxisConstraint, constraints.NormalConstraint,
    }  # fmt: skip
    modules = (
        bodies, scene_joints, compound, constraints, functions, scene_couplings, motions, actuators, medium, springs,
    )  # fmt: skip
    known = {
        kind for module in modules for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, takes)
    }
    assert known - bases == set(DEFINITIONS)


@every_kind
def test_a_blow_goes_through(kind):
    world = support.in_motion(SCENES[kind](), integrator="implicit")
    body, blow, turn = struck(world)
    before, gap = world.energy().kinetic, world.largest_gap
    v, w = body.velocity, body.angular_velocity if body.has_orientation else np.zeros(3)
    body.apply_impulse(blow, turn)
    v, w = v + body.velocity, w + (body.angular_velocity if body.has_orientation else 0.0)
    assert np.linalg.norm(body.velocity) + np.linalg.norm(w) > 1e-3
    if kind in TOLD or kind in DRIVEN:
        return
    work = 0.5 * (blow @ v + turn @ w)
    assert world.energy().kinetic - before == pytest.approx(work, abs=1e-9 * max(1.0, abs(work)))
    world.move(1e-6)
    assert world.largest_gap < gap + 1e-10


@every_kind
def test_pulled_in_the_kinematic_order(kind):
    """f = m v: what is pulled moves within what holds it, and stays where it is left."""
    world = support.in_motion(SCENES[kind](), integrator="implicit")
    world.order = "kinematic"
    body, blow, _ = struck(world)
    body.applied_force = blow
    world.step(10)
    assert world.largest_gap < 1e-6
    moved = world.poses()
    body.applied_force = np.zeros(3)
    world.step(2)
    if kind not in TOLD:
        assert np.abs(world.poses() - moved).max() < 1e-8  # but for gaps, which go on closing


@every_kind
def test_snapshots_hold_all_of_it(kind):
    """Gone on with from a snapshot, at once and step by step, the motion is the same to the last bit."""
    world = support.in_motion(SCENES[kind](), integrator="implicit")
    world.step(3)
    kept = world.snapshot()
    world.step(6)
    there = world.state_hash()
    other = World(SCENES[kind](), integrator="implicit")
    other.restore(kept)
    for _ in range(6):
        other.step()
    assert other.state_hash() == there


def let_go(scene: scene_scene.Scene) -> scene_scene.Scene | None:
    """The same with nothing but the two bodies and what is between them; None where something else takes part"""
    outside = [j for j in scene.joints if "world" in (j.a, j.b)]
    others = (bodies.Fixed, functions.Function)
    given = [one for one in spoken(scene) if isinstance(one, (*others, actuators.TargetSpring))]
    if given or scene.medium or scene.couplings or [j.name for j in outside] != ["hook"]:
        return None
    joints = [j for j in scene.joints if j.name != "hook"]
    return dataclasses.replace(scene, joints=joints, gravity=(0.0, 0.0, 0.0))


FREE = {kind: let_go(make()) for kind, make in SCENES.items()}


@pytest.mark.parametrize("kind", [kind for kind, scene in FREE.items() if scene is not None])
def test_between_two_free_bodies_momentum_is_kept(kind):
    """Equal and opposite: also of drives, springs, rotors, limits and of what is told."""
    world = support.in_motion(FREE[kind], integrator="rk4")
    planar = (model_of(world).topology[:, Topology.BODY_KIND] == BodyKind.PLANAR).any()
    world.timestep = 1.0 / 960.0
    before = world.momentum()
    world.step(20)
    after = world.momentum()
    assert world.redone == 0
    assert after.linear == pytest.approx(before.linear, abs=1e-9)
    assert planar or after.angular == pytest.approx(before.angular, abs=1e-6)


def test_forces_are_among_them():
    assert {"drive", "rotors (armature)", "hard limits", "hinge motor", "rod of told length"} <= {
        kind for kind, scene in FREE.items() if scene is not None
    }


def numbers_of(one: object) -> list[tuple[str, object]]:
    """Fields that hold numbers, with one of them not a number"""
    found = []
    for field in dataclasses.fields(one):  # type: ignore[arg-type]
        value = getattr(one, field.name)
        if not field.init or isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            found.append((field.name, math.nan))
        elif isinstance(value, tuple) and value and all(isinstance(v, int | float) for v in value):
            found.append((field.name, (*value[:-1], math.nan)))
        elif isinstance(value, tuple) and value and isinstance(value[0], tuple):
            found.append((field.name, (*value[:-1], (math.nan,) * len(value[-1]))))
    return found


BAD = [(kind.__name__, name, value) for kind, one in DEFINITIONS.items() for name, value in numbers_of(one)]


@pytest.mark.parametrize(("kind", "name", "value"), BAD, ids=[f"{kind}-{name}" for kind, name, _ in BAD])
def test_what_is_not_a_number_is_refused(kind, name, value):
    """Where it is defined, or where what it depends on is known: in a scene"""
    one = next(v for k, v in DEFINITIONS.items() if k.__name__ == kind)
    with pytest.raises(DefinitionError, match=name.replace("_", "[_ ]")):
        put_into_scene(one, {name: value})


def put_into_scene(one, changes):
    bad = dataclasses.replace(one, **changes)
    scene = SCENE_OF[type(one)]()
    couplings = [bad if c == one else c for c in scene.couplings]
    dataclasses.replace(scene, drives=[bad if d == one else d for d in scene.drives], couplings=couplings)


@pytest.mark.parametrize("one", DEFINITIONS.values(), ids=lambda one: type(one).__name__)
def test_names_are_words(one):
    if hasattr(one, "name"):
        with pytest.raises(DefinitionError, match="name"):
            dataclasses.replace(one, name=1)
