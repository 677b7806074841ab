"""Links by islands, and their matrix in the symmetric form: what whole solves give, in figures with every way of
elimination, in the figures' own islands and in those that a link makes one."""

from dataclasses import replace

import numpy as np
import pytest

from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Hinge
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import figures
from tests.helpers.arrays import work_of


def two_trees(*, tied: bool, free: bool = False) -> Scene:
    """Joints of up to three axes and of none, with springs, in two trees of three links each; `tied`: by a link that
    makes one island of them"""
    kinds = (*figures.KINDS, *figures.SERIES)
    first, second = (figures.random_tree(s, 9, kinds=kinds, held=not free, stiffness=20.0) for s in (21, 24))
    rng = np.random.default_rng(7)

    def loops(scene: Scene) -> Scene:
        ties = (("ball", "b0", "b8"), ("hinge", "b1", "b7"), ("universal", "b6", "b3"))
        more = [
            figures.random_joint(rng, kind, f"loop{k}", a, b, rng.uniform(-1, 1, 3), 5.0)
            for k, (kind, a, b) in enumerate(ties)
        ]
        return Scene(bodies=scene.bodies, joints=[*scene.joints, *(replace(j, auxiliary=True) for j in more)])

    scene = figures.both(loops(first), loops(second))
    if tied:
        tie = Ball(name="tie", a="b3", b="other/b5", at=(0.1, 0.2, 0.3), auxiliary=True)
        scene = Scene(bodies=scene.bodies, joints=[*scene.joints, tie])
    return scene


@pytest.mark.parametrize(("tied", "free"), [(False, False), (True, False), (True, True)])
def test_the_symmetric_form_is_that_of_whole_solves(tied, free):
    scene = two_trees(tied=tied, free=free)
    worlds = {}
    for columns in ("halves", "plain"):
        world = worlds[columns] = World(scene, integrator="implicit")
        world.columns = columns
        assert world.columns == columns
        rng = np.random.default_rng(3)
        for body in world.bodies.values():
            body.velocity, body.angular_velocity = rng.normal(size=3), rng.normal(size=3)
    a, b = (world.accelerations() for world in worlds.values())
    assert np.abs(a - b).max() < 1e-9 * np.abs(b).max()
    for name, joint in worlds["halves"].joints.items():
        other = worlds["plain"].joints[name]
        scale = 1.0 + np.linalg.norm(other.force) + np.linalg.norm(other.torque)
        assert np.abs(joint.force - other.force).max() < 1e-8 * scale, name
        assert np.abs(joint.torque - other.torque).max() < 1e-8 * scale, name
    for world in worlds.values():
        world.step(5)
    halves, plain = worlds.values()
    assert halves.redone == plain.redone
    for name, body in halves.bodies.items():
        assert np.abs(body.velocity - plain.bodies[name].velocity).max() < 1e-7


def test_each_island_has_its_own_block():
    for tied, count in ((False, 2), (True, 1)):
        world = World(two_trees(tied=tied))
        islands = work_of(world).auxiliary.islands
        assert len(islands.rank) == count
        assert sorted(islands.body.tolist()) == sorted(set(islands.body.tolist()))


def doubled_hinges(coupled: bool) -> Scene:
    """Two doors, each with a hinge and its double; `coupled` by their angles"""
    doors = [figures.random_body(np.random.default_rng(k), f"door{k}", np.array([2.0 * k, 0.5, 0.0])) for k in (0, 1)]
    joints = []
    for k, door in enumerate(doors):
        at = (2.0 * k, 0.0, 0.0)
        joints += [
            Hinge(name=f"hinge{k}", a="world", b=door.name, at=at, axis=(0, 0, 1)),
            Hinge(name=f"again{k}", a="world", b=door.name, at=(2.0 * k, 0.0, 0.3), axis=(0, 0, 1), auxiliary=True),
        ]
    couplings = [Coupling(name="gear", terms={"hinge0": 1.0, "hinge1": 1.0})] if coupled else []
    return Scene(bodies=doors, joints=joints, couplings=couplings, gravity=(0, -9.81, 0))


@pytest.mark.parametrize("columns", ["halves", "plain"])
@pytest.mark.parametrize("coupled", [False, True])
def test_dependent_rows_of_every_island_are_named(columns, coupled):
    world = World(doubled_hinges(coupled), integrator="implicit")
    world.columns = columns
    world.step(10)
    assert sorted(world.redundant) == ["again0", "again1"]
    assert world.contradictions == []
    assert len(work_of(world).auxiliary.islands.rank) == (1 if coupled else 2)
    if coupled:
        assert world.joints["hinge0"].angle == pytest.approx(-world.joints["hinge1"].angle, abs=1e-6)
