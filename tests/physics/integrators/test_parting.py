"""Worlds in which some islands touch, or lean on limits, and others do not: with an integrator of higher order the
others move to the last bit as they would alone (physics/integrators/parting.py)."""

import numpy as np
import pytest

from physics.definitions.actuators import Drive
from physics.definitions.medium import Fluid
from physics.definitions.motions import HingeMotor
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Box, Plane
from physics.definitions.signals import Sinusoid
from physics.world.world import World
from tests.helpers.contact_figures import ball, box

HIGHER = ("trbdf2", "rattle", "rk4")
ROD = {"mass": 1.0, "inertia": (1e-3, 0.021, 0.021)}
VANE = Box(size=(0.5, 0.2, 0.02))


def pendulum(name: str, y: float = 0.0, **more) -> tuple[list[Body], list]:
    """Two rods on hinges, drawn level"""
    bodies = [Body(name=f"{name} {k}", position=(0.25 + 0.5 * k, y, 3.0), **ROD) for k in range(2)]
    joints = [
        Hinge(name=f"{name} shoulder", a="world", b=f"{name} 0", at=(0, y, 3), axis=(0, 1, 0), stiffness=2.0),
        Hinge(name=f"{name} elbow", a=f"{name} 0", b=f"{name} 1", at=(0.5, y, 3), axis=(0, 1, 0), **more),
    ]
    return bodies, joints


def stack(x: float = 5.0) -> list[Body]:
    return [box(f"box {k}", (x, 0.0, 0.1 + 0.2 * k), (0.1, 0.1, 0.1)) for k in range(2)]


def make(bodies: list[Body], joints: list, integrator: str, **more) -> World:
    return World(Scene(bodies=bodies, joints=joints, shapes=[Plane()], **more), integrator=integrator)


def state_of(world: World, names: list[str]) -> np.ndarray:
    views = [world.bodies[name] for name in names]
    return np.array([[*v.position, *v.quaternion, *v.velocity, *v.angular_velocity] for v in views])


@pytest.mark.parametrize("integrator", HIGHER)
def test_a_pendulum_beside_a_stack_moves_as_it_would_alone(integrator):
    bodies, joints = pendulum("p")
    alone, beside = make(bodies, joints, integrator), make([*bodies, *stack()], joints, integrator)
    first = alone.energy().ledger, beside.energy().ledger
    for _ in range(4):
        alone.step(240)
        beside.step(240)
        names = [b.name for b in bodies]
        assert (state_of(alone, names) == state_of(beside, names)).all()
        for joint in joints:
            assert (alone.joints[joint.name].force == beside.joints[joint.name].force).all()
            assert np.linalg.norm(alone.joints[joint.name].force) > 1.0
    assert len(beside.contacts()) == 8
    assert np.linalg.norm(beside.bodies["box 1"].position - [5, 0, 0.3]) < 1e-5
    # what the boxes do as they settle is in the ledger too
    assert beside.energy().ledger - first[1] == pytest.approx(alone.energy().ledger - first[0], abs=1e-6)


def test_rattle4_composes_its_step_and_is_not_parted():
    """Its step beside what touches is of first order, and the pendulum's energy shows it."""
    bodies, joints = pendulum("p")
    drift = []
    for extra in ([], stack()):
        world = make([*bodies, *extra], joints, "rattle4")
        start = world.energy().ledger
        world.step(480)
        drift.append(abs(world.energy().ledger - start))
    assert drift[0] < 1e-6
    assert drift[1] > 1e-4


@pytest.mark.parametrize("integrator", HIGHER)
def test_work_of_drives_grabs_wind_and_motors_counts_once(integrator):
    """A driven elbow in the wind, held by a spring, and a second figure on a motor; beside them boxes at rest."""
    bodies, joints = pendulum("p")
    more, others = pendulum("m", 2.0)
    others[0] = HingeMotor(
        name="m shoulder", a="world", b="m 0", at=(0, 2, 3), axis=(0, 1, 0), position=Sinusoid(amplitude=0.3)
    )
    medium = Fluid(density=1.2, wind=(3.0, 0, 0), shapes={"p 1": [VANE]})
    drives = [Drive(name="d", joint="p elbow", position=Sinusoid(amplitude=0.5), stiffness=5.0, damping=0.2, max=1.0)]
    worlds = [
        make([*bodies, *more], [*joints, *others], integrator, medium=medium, drives=drives),
        make([*bodies, *more, *stack()], [*joints, *others], integrator, medium=medium, drives=drives),
        make(stack(), [], integrator, medium=Fluid(density=1.2, wind=(3.0, 0, 0))),
    ]
    for world in worlds[:2]:
        world.grab("p 1", kind="spring", cap=30.0).move((0.5, 0.2, 2.6))
    names = [b.name for b in [*bodies, *more]]
    works = []
    for world in worlds:
        start = world.energy()
        world.step(360)
        end = world.energy()
        works.append((end.total - end.ledger - end.contact) - (start.total - start.ledger - start.contact))
    assert (state_of(worlds[0], names) == state_of(worlds[1], names)).all()
    assert min(abs(works[0]), abs(works[2])) > 0.1
    # a drive over its limit has the boxes' contacts solved once more, to their own tolerance
    assert works[1] == pytest.approx(works[0] + works[2], rel=1e-7)
    assert worlds[0].grabs[0].force == pytest.approx(worlds[1].grabs[0].force, abs=0.0)
    assert worlds[0].drives["d"].output == worlds[1].drives["d"].output


@pytest.mark.parametrize("integrator", HIGHER)
def test_an_elbow_at_its_stop_leaves_another_figure_to_the_integrator(integrator):
    """Without any shapes. One falls against its stop and leans on it; the other swings on, as alone."""
    stopped, stops = pendulum("s", 2.0, limits=Limits(lower=-0.3, upper=0.4), damping=0.05)
    free, joints = pendulum("p")
    alone = World(Scene(bodies=free, joints=joints), integrator=integrator)
    leaning = World(Scene(bodies=stopped, joints=stops), integrator=integrator)
    both = World(Scene(bodies=[*free, *stopped], joints=[*joints, *stops]), integrator=integrator)
    pressed = 0
    for _ in range(48):
        for world in (alone, leaning, both):
            world.step(10)
        pressed += bool(np.any(both.joints["s elbow"].limit_force))
        # sweeps of correction are as many as the widest gap wants, so that the last bits are those of one world
        assert np.allclose(state_of(alone, ["p 0", "p 1"]), state_of(both, ["p 0", "p 1"]), rtol=0, atol=1e-9)
        assert np.allclose(state_of(leaning, ["s 0", "s 1"]), state_of(both, ["s 0", "s 1"]), atol=1e-9)
    assert pressed > 5
    assert both.work_of_limits == pytest.approx(leaning.work_of_limits, rel=1e-9)
    assert leaning.work_of_limits < -0.01
    parts = alone.energy().ledger + leaning.energy().ledger
    assert both.energy().ledger == pytest.approx(parts, rel=1e-12, abs=1e-12)


def test_figures_that_come_to_touch_are_one_island():
    """A ball is thrown at a hanging rod; boxes lie apart. Until they meet the ball flies a parabola to the last bit,
    after that the two are stepped together and lose no momentum that the hook does not take."""
    stick = Box(size=(0.04, 0.04, 0.5))
    rod = Body(name="rod", mass=1.0, inertia=(0.021, 0.021, 1e-3), position=(0, 0, 1.0), shapes=[stick])
    hook = Ball(name="hook", a="world", b="rod", at=(0, 0, 1.25))
    thrown = ball("ball", (-1.0, 0, 1.0), 0.05, 0.2, velocity=(4.0, 0, 0.3), restitution=0.0)
    world = make([rod, thrown, *stack()], [hook], "trbdf2")
    world.step(40)
    t = world.time
    assert world.bodies["ball"].position == pytest.approx(
        [-1.0 + 4.0 * t, 0, 1.0 + 0.3 * t - 0.5 * 9.81 * t * t], abs=1e-9
    )
    world.step(80)
    assert world.bodies["rod"].angular_velocity[1] != 0.0
    assert world.bodies["ball"].velocity[0] < 3.9
    assert world.redone == 0


@pytest.mark.parametrize("integrator", HIGHER)
def test_one_call_equals_many_and_restoring(integrator):
    stopped, stops = pendulum("s", 2.0, limits=Limits(lower=-0.3, upper=0.4))
    free, joints = pendulum("p")
    bodies = [*free, *stopped, *stack(), box("falling", (7, 0, 0.5), (0.1, 0.1, 0.1))]
    one, many = (make(bodies, [*joints, *stops], integrator) for _ in range(2))
    one.step(120)
    many.step(30)
    kept = many.snapshot()
    many.step(7)
    many.restore(kept)
    for count in (1, 2, 47, 40):
        many.step(count)
    assert one.state_hash() == many.state_hash()


def test_of_a_parted_step_only_what_turns_too_fast_is_redone():
    """The rod is spun so fast that its steps are made in substeps. The stack beside it keeps its own, to the bit, and
    the forces that carry it; its contacts stand in the ledger once."""
    kept = []
    for spin in (0.0, 300.0):
        spun = Body(name="spun", position=(0, 0, 3), angular_velocity=(0, spin, 0), **ROD)
        hinge = Hinge(name="h", a="world", b="spun", at=(0, 0, 3), axis=(0, 1, 0))
        world = make([spun, *stack()], [hinge], "trbdf2")
        world.step(30)
        assert world.substepped == (30 if spin else 0)
        assert (world.redone, world.frozen) == (0, 0)
        assert world.bodies["spun"].angular_velocity[1] == pytest.approx(spin, rel=1e-6)
        box = world.bodies["box 1"]
        state = [box.position, box.quaternion, box.velocity, box.angular_velocity, *(c.force for c in world.contacts())]
        kept.append((b"".join(np.asarray(a).tobytes() for a in state), world.energy().contact))
    assert kept[0][0] == kept[1][0]
    assert kept[1][1] == pytest.approx(kept[0][1], rel=1e-9, abs=1e-12)
