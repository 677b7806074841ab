"""Lines that are exactly straight between two hooks, and pins out of reach: what no finite force can close.

Straight, the condition that the ends of n links of length l are n l apart is sum t_k^2 l / 2 = 0 in the small angles
t_k: to second order the line cannot sag at all, to first order nothing holds it. It must stay straight, with a bounded
pull: with every joint open by no more than 1e-6 m, the line of length L is longer by n 1e-6 = 8 sag^2 / (3 L).
"""

from dataclasses import replace

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.motions import Moving
from physics.definitions.joints import Ball, Hinge
from physics.definitions.scene import Scene
from physics.definitions.signals import Keyed
from physics.world.world import World
from tests.helpers.linkages import rod
from tests.helpers.cases.going_on import comes_back

LINK, MASS = 0.1, 0.1
WEIGHT = MASS * 9.81  # of a link


def straight_chain(count: int, end, joint: str = "ball", more=()) -> Scene:
    """Links of 0.1 m and 0.1 kg on end, the first one at the origin, the last one held at `end`"""
    at = [np.array([LINK * k, 0.0, 0.0]) for k in range(count + 1)]
    bodies = [rod(f"l{k}", at[k], at[k + 1], MASS) for k in range(count)]
    joints = []
    for k in range(count):
        ends = {"name": f"j{k}", "a": f"l{k - 1}" if k else "world", "b": f"l{k}", "at": at[k]}
        joints.append(Ball(**ends) if joint == "ball" else Hinge(**ends, axis=(0, 1, 0)))
    end = Ball(name="end", a="world", b=f"l{count - 1}", at=(tuple(end), tuple(at[count])), auxiliary=True)
    return Scene(bodies=bodies, joints=[*joints, end, *more])


def watch(world: World, count: int, steps: int) -> None:
    """It stays straight, closed but for what is named, its pulls are bounded, and it gains no energy."""
    sag = np.sqrt(3 / 8 * count * LINK * count * 1e-6)
    for _ in range(steps // 8):
        world.step(8)
        assert world.largest_gap < (2e-5 if world.integrator == "hernandez" else 1e-6)  # its limit is 1 cm
        assert max(np.linalg.norm(j.force) for j in world.joints.values()) < 3000 * count * WEIGHT
        places = np.array([b.position for b in world.bodies.values()])
        assert np.abs(places[:, 1:]).max() < sag
        assert world.energy().total < 1e-3 * count * WEIGHT
    assert world.frozen == 0


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "rattle", "explicit"])
def test_a_straight_chain_held_at_both_ends_stays_and_its_forces_are_bounded(integrator):
    """Exactly straight, nothing finite would hold it up: it sags by some 0.1 mm, and pulls with no more than 2000
    weights and what an impact adds."""
    world = World(straight_chain(8, (0.8, 0.0, 0.0)), integrator=integrator)
    for _ in range(48):
        world.step(10)
        assert world.largest_gap < (2e-5 if world.integrator == "hernandez" else 1e-6)  # its limit is 1 cm
        assert np.linalg.norm(world.joints["end"].force) < 2500 * 8 * WEIGHT
        assert abs(world.bodies["l4"].position[2]) < 1e-3
    assert world.frozen == 0


@pytest.mark.parametrize("joint", ["ball", "hinge"])
@pytest.mark.parametrize("integrator", list(INTEGRATORS))
def test_thirty_straight_links_between_two_hooks_stay_straight(integrator, joint):
    world = World(straight_chain(30, (3.0, 0.0, 0.0), joint), integrator=integrator)
    watch(world, 30, 480)
    assert "end" in {*world.taut, *world.redundant}


@pytest.mark.parametrize("integrator", list(INTEGRATORS))
def test_a_straight_line_with_a_doubled_hinge_a_doubled_pin_and_one_that_contradicts(integrator):
    """All at once: what repeats others is named as redundant, what contradicts them too, and the motion goes on."""
    again = Hinge(name="again", a="l14", b="l15", at=(1.5, 0.01, 0), axis=(0, 1, 0), auxiliary=True)
    other = Ball(name="other", a="world", b="l29", at=((3.0, 0.0, 0.05), (3.0, 0.0, 0.0)), auxiliary=True)
    world = World(straight_chain(30, (3.0, 0.0, 0.0), "hinge", (again, other)), integrator=integrator)
    world.pin("l29", (3.0, 0.0, 0.0), name="twice")
    watch(world, 30, 480)
    assert "other" in world.contradictions
    assert {"again", "twice"} <= set(world.redundant)
    assert np.linalg.norm(world.bodies["l29"].position - (2.95, 0.0, 0.0)) < 2e-3


def out_of_reach(count: int, integrator: str) -> World:
    return World(straight_chain(count, (LINK * count + 0.2, 0.0, 0.0)), integrator=integrator)


@pytest.mark.parametrize("count", [2, 8, 30])
@pytest.mark.parametrize("integrator", list(INTEGRATORS))
def test_a_pin_out_of_reach_is_let_go_and_named(count, integrator):
    """0.2 m beyond the end of the chain: it is drawn towards the pin by twenty weights, and moves on."""
    world = out_of_reach(count, integrator)
    for _ in range(48):
        world.step(20)
        assert world.contradictions == ["end"]
        assert world.largest_gap < (1e-2 if integrator == "hernandez" else 1e-6)
        # at rest; what comes away at no more than the closing speed of 2 m/s is held by twice that
        assert np.linalg.norm(world.joints["end"].force) < 40 * count * WEIGHT
    assert np.isfinite(world.poses()).all()
    assert world.frozen == 0
    assert comes_back(world, 20)


@pytest.mark.parametrize("count", [2, 8, 30])
@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "hernandez"])
def test_the_pull_of_a_link_that_was_let_go_is_known_work(count, integrator):
    """It pulls with twenty weights at rest, along the gap, and its work is in the ledger: nothing is redone but the
    steps in which it is found out of reach. Half of that work is lost where all comes to rest; the ledger shows the
    order of the method."""
    world = out_of_reach(count, integrator)
    world.step(960)
    assert world.redone <= 5
    pull = world.joints["end"].force
    assert np.linalg.norm(pull) == pytest.approx(20 * count * WEIGHT, rel=1e-3)
    last = world.bodies[f"l{count - 1}"]
    tip = last.position + rotate(last.quaternion, (LINK / 2, 0.0, 0.0))
    away = np.array([LINK * count + 0.2, 0.0, 0.0]) - tip
    assert np.abs(pull / np.linalg.norm(pull) - away / np.linalg.norm(away)).max() < 1e-3
    # moments about the first hook: those of the pull and of the weights
    moment = np.cross(tip, pull)
    for body in world.bodies.values():
        moment += np.cross(body.position, MASS * world.gravity)
    if integrator != "trbdf2":
        assert np.abs(moment).max() < 1e-2 * count * WEIGHT * count * LINK
    else:  # which goes on swinging
        assert abs(world.energy().ledger) < 1e-4 * count * WEIGHT * count * LINK


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "rattle"])
def test_what_was_let_go_is_held_again(integrator):
    """A hook is taken 0.2 m out of reach of 8 links, and brought back to where they hang in an arc."""
    way = Keyed([0.0, 0.5, 1.5], [1.0, 1.0, 0.7], ease="smooth")
    scene = straight_chain(8, (1.0, 0.0, 0.0))
    end = replace(scene.joints[-1], a="hand")
    world = World(
        Scene(bodies=[*scene.bodies, Moving(name="hand", position=(way, 0.0, 0.0))], joints=[*scene.joints[:-1], end]),
        integrator=integrator,
    )
    world.step(100)
    assert world.contradictions == ["end"]
    world.step(380)
    assert world.contradictions == []
    assert world.gaps()["end"][0] < 1e-6
    assert np.linalg.norm(world.joints["end"].force) < 40 * 8 * WEIGHT


@pytest.mark.parametrize("joint", ["ball", "hinge"])
@pytest.mark.parametrize("count", [2, 3, 8])
@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
def test_a_hook_that_is_torn_out_of_reach_within_a_step_takes_its_figure_along(integrator, count, joint):
    """A straight line's hook, up and down by 0.3 m within a twelfth of a second, at 1/60: no pose of a substep closes
    the other end, which was closed before it. That is let go, the joints are not, and it is held again when the hook
    has come to rest nearer. A chain beside it, which has nothing to do with that, keeps its pin."""
    way = Keyed([0.0, 0.04, 0.12, 0.2, 0.28, 0.32], [0.0, 0.3, -0.3, 0.3, -0.3, 0.0], ease="smooth")
    back = Keyed([0.0, 0.32, 0.6], [0.0, 0.0, 0.2 * LINK * count], ease="smooth")
    hook = Moving(name="hook", position=(back, 0.0, way))
    torn = straight_chain(count, (LINK * count, 0.0, 0.0), joint)
    beside, more = zigzag(2, 5.0)
    joints = [replace(torn.joints[0], a="hook"), *torn.joints[1:], *more]
    scene = Scene(bodies=[*torn.bodies, *beside, hook], joints=joints, timestep=1 / 60)
    world = World(scene, integrator=integrator)
    told = set()
    for _ in range(60):
        world.step(1)
        told |= set(world.contradictions)
        assert world.largest_gap < 1e-4
    assert told == {"end"}
    world.step(180)
    assert world.contradictions == []
    assert world.gaps()["end"][0] < 1e-6


def zigzag(count: int, y: float):
    """Links down and up between two pins"""
    at = [np.array([0.08 * k, y, -0.06 * (k % 2)]) for k in range(count + 1)]
    names = ["world", *(f"z{k}" for k in range(count))]
    bodies = [rod(names[k + 1], at[k], at[k + 1], MASS) for k in range(count)]
    joints = [Ball(name=f"at {names[k + 1]}", a=names[k], b=names[k + 1], at=at[k]) for k in range(count)]
    return bodies, [*joints, Ball(name="its end", a="world", b=names[-1], at=at[count], auxiliary=True)]


def rotate(q, x):
    return np.array(x) + 2 * np.cross(q[1:], np.cross(q[1:], x) + q[0] * np.array(x))
