"""Links: joints outside the forest, on top of every solver mode.

A link must be the same joint as in the forest: where the forest could have taken it (`auxiliary=True` keeps it out),
accelerations and wrenches are those of the tree. A closed loop is checked against one dense system of all constraints,
made here from the rows that the kinds give.
"""

from dataclasses import replace

import numpy as np
import pytest

from physics.data.step_tables import Control
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.linkages import four_bar, rod
from tests.helpers.arrays import work_of

MAXIMAL = ("fused", "lagrange", "dense", "cg")


def tree_with_link(kind, seed, stiffness=0.0):
    """A random tree, and the same with one inner joint as a link: its child floats in the forest."""
    scene = figures.random_tree(seed, 6, kinds=("ball", "hinge"), held=True)
    rng = np.random.default_rng(seed + 50)
    k = 3
    old = scene.joints[k]
    tie = figures.random_joint(rng, kind, old.name, old.a, old.b, old.points[0], stiffness)
    joints = [*scene.joints[:k], tie, *scene.joints[k + 1 :]]
    linked = [*scene.joints[:k], replace(tie, auxiliary=True), *scene.joints[k + 1 :]]
    return Scene(bodies=scene.bodies, joints=joints), Scene(bodies=scene.bodies, joints=linked)


@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize("stiffness", [0.0, 30.0])
@pytest.mark.parametrize("kind", ["ball", "hinge", "universal", "slider", "weld"])
def test_a_link_is_the_joint_itself(kind, stiffness, solver):
    if kind == "weld" and stiffness:
        return
    tree, linked = tree_with_link(kind, 2, stiffness)
    first = figures.in_motion(tree, 5)
    second = World(linked, solver=solver)
    for name, body in first.bodies.items():
        other = second.bodies[name]
        other.position, other.velocity = body.position, body.velocity
        other.quaternion, other.angular_velocity = body.quaternion, body.angular_velocity
    a, b = first.accelerations(), second.accelerations()
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()
    for name, joint in first.joints.items():
        scale = 1.0 + np.linalg.norm(joint.force)
        assert np.abs(joint.force - second.joints[name].force).max() < 1e-9 * scale
        assert np.abs(joint.torque - second.joints[name].torque).max() < 1e-9 * scale


@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize("stiffness", [0.0, 200.0])
def test_a_link_steps_as_the_joint_itself(solver, stiffness):
    """The implicit step with a link is the step of the tree, to what the correction sweep leaves."""
    tree, linked = tree_with_link("hinge", 4, stiffness)
    worlds = [World(tree, integrator="implicit"), World(linked, solver=solver, integrator="implicit")]
    for world in worlds:
        world.step(60)
        assert world.largest_gap < 1e-6
        assert world.redone == 0
    for name, body in worlds[0].bodies.items():
        assert np.abs(body.position - worlds[1].bodies[name].position).max() < 2e-6
    assert worlds[0].joints["j3"].angle == pytest.approx(worlds[1].joints["j3"].angle, abs=1e-5)


@pytest.mark.parametrize("solver", list(MODES))
def test_planar_loop_has_three_redundant_rows(solver):
    """Four hinges in space have 20 rows of rank 17: three of the link's five depend on the others."""
    world = World(four_bar(), solver=solver, integrator="implicit")
    world.step(120)
    assert work_of(world).control[Control.ROW_COUNT] == 5
    assert work_of(world).control[Control.RANK] == 2
    assert world.largest_gap < 1e-7
    assert world.redone == 0
    assert not world.contradictions


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle", "rattle4", "rk4", "explicit"])
def test_loop_stays_closed_and_keeps_its_energy(integrator):
    world = World(four_bar(), integrator=integrator)
    start = world.energy().total
    swing = 0.0
    for _ in range(20):
        world.step(24)
        assert world.largest_gap < 1e-6
        swing = max(swing, world.energy().kinetic)
    assert swing > 1.0
    order_one = integrator in ("implicit", "explicit")
    assert abs(world.energy().total - start) < (0.02 if order_one else 0.002) * swing


def test_modes_agree_on_a_stiff_loop():
    worlds = [World(four_bar(stiffness=500.0, damping=1.0, rest=0.3), solver=mode) for mode in MODES]
    first = worlds[0].accelerations()
    for world in worlds[1:]:
        assert np.abs(world.accelerations() - first).max() < 1e-9 * np.abs(first).max()
    for world in worlds:
        world.step(30)
    for world in worlds[1:]:
        for name, body in worlds[0].bodies.items():
            assert np.abs(body.position - world.bodies[name].position).max() < 1e-8


def doubled(scene):
    """Every hinge of a scene a second time, a little apart along its axis: all rows of the copies are redundant."""
    more = [
        replace(j, name=f"{j.name}2", at=tuple(np.array(j.points[0]) + 0.01 * np.array(j.axis)), auxiliary=True)
        for j in scene.joints
    ]
    return Scene(bodies=scene.bodies, joints=[*scene.joints, *more])


def test_doubled_hinges_change_nothing():
    scene = four_bar()
    single, double = World(scene), World(doubled(scene))
    a, b = single.accelerations(), double.accelerations()
    assert np.abs(a - b).max() < 1e-9 * np.abs(a).max()
    for world in (single, double):
        world.step(240)
    assert double.largest_gap < 1e-6
    assert double.redone == 0
    for name, body in single.bodies.items():
        assert np.abs(body.position - double.bodies[name].position).max() < 1e-7
    assert double.contradictions == []
    # what closes the loop depends in part on the rest, whichever of two equal joints comes first
    assert {"O2", "A2", "B2"} <= set(double.redundant)


def test_contradicting_links_are_named_and_the_motion_goes_on():
    """A pendulum held at its end by two hooks a centimetre apart: it cannot obey both."""
    bar = rod("bar", (0, 0, 0), (1, 0, 0))
    joints = [
        Ball(name="pivot", a="world", b="bar", at=(0, 0, 0)),
        Ball(name="hook", a="world", b="bar", at=((1, 0, 0.3), (1, 0, 0)), auxiliary=True),
        Ball(name="other", a="world", b="bar", at=((0.95, 0, 0.4), (1, 0, 0)), auxiliary=True),
    ]
    for integrator in ("implicit", "trbdf2"):
        world = World(Scene(bodies=[bar], joints=joints), integrator=integrator)
        world.step(480)
        # one row of one of the two is all that can be had: the height of its end
        tip = 2.0 * world.bodies["bar"].position
        assert min(abs(tip[2] - 0.3), abs(tip[2] - 0.4)) < 1e-6
        assert world.redone < 10
        assert set(world.contradictions) <= {"hook", "other"}
        assert world.contradictions
        forces = [np.linalg.norm(j.force) for j in world.joints.values()]
        assert max(forces) < 1e3


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
def test_contradicting_pins_of_a_chain_are_named_and_it_swings_on(integrator):
    """Two pins a centimetre apart for one point: one holds, the other is named, and nothing is redone."""
    n, length = 8, 0.1
    angle = np.linspace(-0.9, 0.9, n + 1)
    along = [(length * np.cos(a), 0, length * np.sin(a)) for a in angle[:-1]]
    points = np.cumsum(np.vstack([[0, 0, 0], along]), axis=0)
    bodies = [rod(f"l{k}", points[k], points[k + 1], 0.1) for k in range(n)]
    joints = [
        Ball(name=f"j{k}", a="world" if k == 0 else f"l{k - 1}", b=f"l{k}", at=points[k], damping=1e-3)
        for k in range(n)
    ]
    end = points[n]
    for name, aside in (("one", 0.0), ("two", 0.01)):
        ends = ((end[0] + aside, end[1], end[2]), tuple(end))
        joints.append(Ball(name=name, a="world", b=f"l{n - 1}", at=ends, auxiliary=True))
    world = World(Scene(bodies=bodies, joints=joints), integrator=integrator)
    world.step(480)
    assert world.redone == 0
    assert world.contradictions == ["two"]
    assert world.gaps()["one"][0] < 1e-9
    assert world.gaps()["two"][0] == pytest.approx(0.01, abs=1e-9)
    assert world.energy().kinetic > 0.0
    assert max(np.linalg.norm(j.force) for j in world.joints.values()) < 20.0


def test_pinned_chain_sags_to_the_catenary():
    """A chain pinned at both ends comes to rest with the tension of its ends balancing its weight."""
    n, length = 20, 0.1
    bodies, joints = [], []
    # an arc, drawn open enough to swing on its way to rest
    angle = np.linspace(-1.1, 1.1, n + 1)
    points = np.cumsum(
        np.vstack([[0, 0, 0], [(length * np.cos(a), 0, length * np.sin(a)) for a in angle[:-1]]]), axis=0
    )
    for k in range(n):
        bodies.append(rod(f"l{k}", points[k], points[k + 1], 0.1))
        joints.append(Ball(name=f"j{k}", a="world" if k == 0 else f"l{k - 1}", b=f"l{k}", at=points[k], damping=3e-2))
    joints.append(Ball(name="end", a="world", b=f"l{n - 1}", at=points[n]))
    world = World(Scene(bodies=bodies, joints=joints))
    world.step(240 * 8)
    assert world.largest_gap < 1e-6
    weight = n * 0.1 * 9.81
    up = world.joints["j0"].force[2] + world.joints["end"].force[2]
    assert up == pytest.approx(weight, rel=0.02)
    assert world.joints["j0"].force[0] == pytest.approx(-world.joints["end"].force[0], rel=0.02)


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
def test_columns_along_paths_are_those_of_whole_solves(integrator):
    """To the last bit, in two figures side by side, and to rounding without the way back; the steps of the method are
    timed one by one."""
    scene = figures.both(four_bar(), tree_with_link("hinge", 4)[1])
    hashes = []
    places = []
    for columns in ("paths", "plain", "halves"):
        world = World(scene, integrator=integrator)
        world.columns = columns
        world.timed = True
        world.step(30)
        hashes.append(world.state_hash())
        places.append(np.array([body.position for body in world.bodies.values()]))
        times = world.anticipation_times()
        assert list(times) == ["factor", "columns", "free", "matrix", "multipliers", "final"]
        assert all(0.0 < t < 1.0 for t in times.values())
    assert hashes[0] == hashes[1]
    assert np.abs(places[2] - places[1]).max() < 1e-9
    twice = [World(scene, integrator=integrator) for _ in range(2)]
    for world, timed in zip(twice, (False, True), strict=True):
        world.timed = timed
        world.step(5)
    assert twice[0].state_hash() == twice[1].state_hash()
    assert World(scene, solver="dense").columns == "plain"
    with pytest.raises(DefinitionError, match="halves, paths, plain"):
        world.columns = "rows"
