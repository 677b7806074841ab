"""Corrections other than SHAKE: feedback as [Witkin97] has it, poses rebuilt from joint coordinates."""

import math

import numpy as np
import pytest

from physics.definitions.motions import Moving
from physics.definitions.bodies import Body, Particle
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Distance, Hinge
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import figures


def rod(**options):
    bodies = [Body(name="b", mass=1.0, inertia=(0.01, 0.08, 0.08), position=(0.5, 0.0, 0.0))]
    joints = [Ball(name="j", a="world", b="b")]
    return World(Scene(bodies=bodies, joints=joints, gravity=(0.0, 0.0, 0.0)), **options)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("explicit", 1), ("rk4", 4)])
def test_an_open_joint_closes_as_told(integrator, order):
    """C'' + kd C' + ks C = 0 from 1 mm at rest: C = C0 (1 + 20 t) exp(-20 t) with ks = 400, kd = 40."""
    errors = []
    for steps in (100, 200):
        world = rod(integrator=integrator, guard=False)  # which would close it at once: the pull makes energy
        world.timestep = 1.0 / steps
        world.correction, world.feedback = "feedback", (400.0, 40.0)
        world.bodies["b"].position = (0.5, 0.0, 0.001)
        world.step(steps // 10)
        errors.append(abs(world.joints["j"].gap - 0.001 * 3.0 * math.exp(-2.0)))
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.25)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("rk4", 4)])
def test_the_drift_of_feedback_is_of_the_order_of_the_method(integrator, order):
    gaps = []
    for steps in (120, 240):
        world = figures.in_motion(generators.chain(3, angle=1.0), 1, 0.5, integrator=integrator)
        world.timestep = 1.0 / steps
        world.correction = "feedback"
        world.step(steps // 4)
        gaps.append(world.largest_gap)
    assert gaps[1] > 1e-12
    assert gaps[0] / gaps[1] > 0.8 * 2.0**order


@pytest.mark.parametrize("correction", ["feedback", "coordinates"])
@pytest.mark.parametrize("scene", ["random0", "random_series", "tree_free"])
def test_the_motion_is_that_of_shake(correction, scene):
    """With rk4, on trees of every joint: the same motion to the accuracy of the steps; poses rebuilt have no gap."""
    worlds = []
    for kind in ("shake", correction):
        world = figures.in_motion(figures.ALL[scene](), 2, integrator="rk4")
        world.timestep = 1.0 / 960.0
        world.correction = kind
        world.step(48)
        worlds.append(world)
    for name, body in worlds[0].bodies.items():
        assert worlds[1].bodies[name].position == pytest.approx(body.position, abs=1e-7)
    assert worlds[1].redone == 0
    if correction == "coordinates":
        assert worlds[1].largest_gap < 1e-13


@pytest.mark.parametrize("correction", ["feedback", "coordinates"])
@pytest.mark.parametrize("integrator", ["implicit", "explicit"])
def test_the_motion_converges(correction, integrator):
    """Of first order: half the step, half the error. What rebuilding adds per step is of second order."""
    found = []
    for steps, way, method in ((960, "shake", "rk4"), (240, correction, integrator), (480, correction, integrator)):
        world = figures.in_motion(generators.chain(3, angle=1.0), 1, 0.5, integrator=method)
        world.timestep = 1.0 / steps
        world.correction = way
        world.step(steps // 4)
        assert world.redone == 0
        found.append(world.poses()[:, :3])
    errors = [np.abs(places - found[0]).max() for places in found[1:]]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.2)


def test_coordinates_leave_no_gap_and_no_slip():
    world = figures.in_motion(figures.ALL["random1"](), 2, integrator="implicit")
    world.correction = "coordinates"
    for _ in range(20):
        world.step()
        assert world.largest_gap < 1e-13
    before = {name: body.velocity for name, body in world.bodies.items()}
    world.assemble()
    for name, body in world.bodies.items():
        assert body.velocity == pytest.approx(before[name], abs=1e-10)


@pytest.mark.parametrize("mode", list(MODES))
def test_modes_agree(mode):
    found = []
    for solver in ("fused", mode):
        world = figures.in_motion(figures.ALL["random_universal"](), 1, integrator="implicit", solver=solver)
        world.correction = "feedback"
        world.step(5)
        found.append(np.array([b.position for b in world.bodies.values()]))
    assert found[1] == pytest.approx(found[0], abs=1e-9)


def test_a_loop_by_feedback():
    """Links are fed back too: a hinge that closes a ring."""
    bodies = [Body(name=f"b{k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=p)
              for k, p in enumerate([(0, 0, 0.5), (0.5, 0, 1.0), (1.0, 0, 0.5)])]  # fmt: skip
    ends = [("world", "b0", (0, 0, 0)), ("b0", "b1", (0, 0, 1)), ("b1", "b2", (1, 0, 1)), ("b2", "world", (1, 0, 0))]
    joints = [Hinge(name=f"j{k}", a=a, b=b, at=at, axis=(0, 1, 0)) for k, (a, b, at) in enumerate(ends)]
    world = World(Scene(bodies=bodies, joints=joints), integrator="rk4")
    world.bodies["b1"].velocity = (1.0, 0.0, 0.0)
    world.assemble()
    world.correction = "feedback"
    start = world.energy().total
    world.step(120)
    assert 1e-15 < world.largest_gap < 1e-5
    assert world.energy().total == pytest.approx(start, abs=1e-4)


def test_what_is_refused():
    world = rod()
    for name in ("feedback", "coordinates"):
        with pytest.raises(DefinitionError, match="'shake' with 'trbdf2'"):
            world.correction = name
    with pytest.raises(DefinitionError, match="shake, feedback, coordinates"):
        world.correction = "none"
    world.use_integrator("implicit")
    world.correction = "feedback"
    with pytest.raises(DefinitionError, match="'shake' with 'rattle'"):
        world.use_integrator("rattle")
    assert world.integrator == "implicit"
    with pytest.raises(DefinitionError, match="ks of the feedback"):
        world.feedback = (-1.0, 2.0)
    bead = Particle(name="p", mass=1.0, position=(1.0, 0, 0))
    held = World(
        Scene(bodies=[bead], joints=[Distance(name="d", a="world", b="p", at=((0, 0, 0), (1, 0, 0)))]), integrator="rk4"
    )
    with pytest.raises(DefinitionError, match="a tree of joints with coordinates"):
        held.correction = "coordinates"
    held.correction = "feedback"
    carried = Scene(bodies=[bead, Moving(name="m")], joints=[Ball(name="d", a="m", b="p", at=(1, 0, 0))])
    with pytest.raises(DefinitionError, match="where motions are prescribed"):
        World(carried, integrator="rk4").correction = "feedback"
