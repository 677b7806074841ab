"""Method `anticipation`: contacts as rows of the anticipated matrix, by exact pivoting."""

import math

import numpy as np
import pytest

from physics.contacts.newton_stopping import MOST_ITERATIONS
from physics.data.state_tables import HardLimits, LimitOf
from physics.definitions.checks import DefinitionError
from physics import Plane
from physics.links.contact_rows import MOST_ROUNDS
from physics.world.world import World
from tests.helpers.contact_figures import (
    ball, box, floor_chain, height_of_bounce, speeds_of_cradle, table_and_arm, tilted, world_of,
)  # fmt: skip
from tests.helpers.snapshots import random_world
from tests.helpers.arrays import state_of

H = 1.0 / 240.0
MOST = {"newton": MOST_ITERATIONS, "anticipation": MOST_ROUNDS}


def answered(world: World, method: str, law: str = "exact", tolerance: float = 1e-12) -> list:
    """One step by a method; its contacts"""
    world.contact_method = method
    world.contact_law = law
    world.contact_tolerance = tolerance
    world.step()
    return world.contacts()


def twists(world: World) -> np.ndarray:
    return np.array([np.r_[b.velocity, b.angular_velocity] for b in world.bodies.values()])


@pytest.fixture(scope="module")
def snapshots():
    """A hundred states in which something touches"""
    found = []
    seed = 0
    while len(found) < 100:
        world = random_world(seed)
        seed += 1
        if any(c.force.any() for c in world.contacts()) and not world.redone:
            found.append((world, world.snapshot()))
    return found


# ---------------------------------------------------------------- against the other method, against the laws
def test_both_methods_agree_on_the_regularised_law(snapshots):
    """With joints, loops, limits and ropes. `newton` is not exact where a taut rope meets a contact between two bodies,
    and either may end before it has converged: these are left out."""
    compared = 0
    for world, kept in snapshots:
        found = []
        converged = True
        for method in MOST:
            world.restore(kept)
            found.append(answered(world, method, "regularised"))
            assert world.contact_solution.method == method
            converged = converged and world.contact_solution.iterations < MOST[method]
        limits = state_of(world).limit
        taut = limits[limits[:, HardLimits.WHAT] == LimitOf.LENGTH, HardLimits.FORCE].any()
        if not converged or (taut and any(c.a != "world" and c.force.any() for c in found[1])):
            continue
        scale = max(1e-3, max(abs(c.force).max() for c in found[0]))
        for one, other in zip(*found, strict=True):
            assert other.force == pytest.approx(one.force, abs=1e-7 * scale)
            assert other.velocity == pytest.approx(one.velocity, abs=1e-7)
        compared += 1
    assert compared >= 90


def test_the_laws_hold_and_the_motion_is_that_of_the_forces(snapshots):
    """Coulomb's law contact by contact; and with the contacts switched off and the forces found applied by hand, with
    joints, loops, limits and ropes, everything moves in the same way."""
    compared = sliding = 0
    for world, kept in snapshots:
        world.restore(kept)
        world.guard = False
        found = answered(world, "anticipation")
        if world.contact_solution.method != "anticipation":
            continue  # jammed: there is no solution, and the other method answers
        compared += 1
        moved = twists(world)
        largest = max(abs(c.force).max() for c in found)
        for c in found:
            force, speed = c.force @ c.normal, c.velocity @ c.normal
            wanted = c.depth / H if c.depth < 0.0 else min(2.0, 0.2 * c.depth / H)
            friction, slip = c.force - force * c.normal, c.velocity - speed * c.normal
            assert force >= 0.0
            if c.depth > 0.0 and speed < wanted - 1e-9:
                wanted = max(0.0, speed)  # pushed out more slowly, for what it would gain
            assert speed >= wanted - 1e-9
            if force > 0.0:
                assert speed == pytest.approx(wanted, abs=1e-9)
                assert np.linalg.norm(friction) <= c.friction * force + 1e-9 * largest
            if force > 1e-6 * largest and c.friction > 0.0 and np.linalg.norm(slip) > 1e-6:
                against = -c.friction * force * slip / np.linalg.norm(slip)
                assert friction == pytest.approx(against, abs=1e-8 * largest)
                sliding += 1
        world.restore(kept)
        world.guard = False
        world.contact_method = "none"
        for name, view in world.bodies.items():
            total, moment = np.zeros(3), np.zeros(3)
            for c in found:
                share = (c.b == name) - (c.a == name)
                total += share * c.force
                moment += np.cross(c.point - view.position, share * c.force)
            view.applied_force, view.applied_torque = total, moment
        world.step()
        assert twists(world) == pytest.approx(moved, abs=1e-9 * (1.0 + abs(moved).max()))
    assert compared > 70
    assert sliding > 30


def test_at_rest_both_methods_carry_the_same():
    """Blocks on a slope and a stack: contacts repeat each other, so that what is compared is what is unique, the
    velocities (none) and the resultant on each body."""
    slope = [box("b", (0, 0, 0.1), (0.2, 0.1, 0.1)), ball("c", (0.31, 0, 0.1), 0.1)]
    stack = [box("b", (0, 0, 0.1), (0.2, 0.1, 0.1)), box("c", (0, 0, 0.25), (0.1, 0.1, 0.05), 3.0)]
    for world in (world_of(*slope, gravity=tilted(-0.3)), world_of(*stack)):
        world.step(480)
        kept = world.snapshot()
        found = []
        for method in ("newton", "anticipation"):
            world.restore(kept)
            contacts = answered(world, method)
            assert abs(twists(world)).max() < 1e-6
            totals = {name: np.zeros(6) for name in world.bodies}
            for c in contacts:
                for name, side in ((c.b, 1.0), (c.a, -1.0)):
                    if name != "world":
                        arm = c.point - world.bodies[name].position
                        totals[name] += side * np.r_[c.force, np.cross(arm, c.force)]
            found.append(np.array(list(totals.values())))
        assert found[1] == pytest.approx(found[0], abs=2e-5 * abs(found[0]).max())


def has_come_to_rest(world):
    """Nothing moves, nothing is redone, nothing is still being pushed apart"""
    for _ in range(8):
        world.step(600)
        redone, fastest = world.redone, 0.0
        for _ in range(8):
            fastest = max(fastest, abs(twists(world)).max())
            world.step()
        pressing = [c for c in world.contacts() if c.force.any()]
        if fastest < 1e-9 and world.redone == redone and pressing and max(c.depth for c in world.contacts()) < 1e-6:
            return True
    return False  # it rolls, or swings


def check_resting_states(count):
    """Random figures that have come to rest on a floor: who carries what is not unique where contacts repeat each other
    or friction can work against itself; the velocities are, and what the floor carries of all. Coulomb's law alone may
    have a second solution, in which something slips: in about one of fifty states pivoting finds that."""
    found = seed = others = 0
    while found < count:
        world = random_world(seed, friction=(0.2, 0.4, 0.6, 1.0)[seed % 4], slope=0.0)
        seed += 1
        if not has_come_to_rest(world):
            continue
        found += 1
        kept = world.snapshot()
        weight = 9.81 * sum(b.mass for b in world.bodies.values())
        centre = sum(b.mass * b.position for b in world.bodies.values()) * 9.81 / weight
        expected = np.r_[0.0, 0.0, weight, np.cross(centre, (0.0, 0.0, weight))]
        for method in ("newton", "anticipation"):
            world.restore(kept)
            contacts = answered(world, method)
            if method == "anticipation" and abs(twists(world)).max() > 1e-8:
                others += 1
                continue
            assert twists(world) == pytest.approx(0.0, abs=1e-8)
            floor = [c for c in contacts if "world" in (c.a, c.b)]
            pushes = [(1.0 if c.a == "world" else -1.0) * np.r_[c.force, np.cross(c.point, c.force)] for c in floor]
            assert sum(pushes) == pytest.approx(expected, abs=1e-6 * weight)
    assert others <= max(1, 0.05 * count)


def test_at_rest_both_methods_hold_random_figures():
    check_resting_states(12)


@pytest.mark.long
def test_at_rest_both_methods_hold_a_hundred_random_figures():
    check_resting_states(100)


def test_the_pyramid_alone_pulls_askew():
    """A block thrown along the diagonal of its first guess: the pyramid alone may be off by 45 degrees; turned rows
    bring friction against the slip, to the tolerance."""
    mu = 0.5
    for tolerance, most in ((0.1, 0.1), (1e-6, 1e-6), (1e-12, 1e-9)):
        world = world_of(ball("b", (0, 0, 0.1), 0.1, velocity=(1, 0, 0), friction=mu), floor=Plane(friction=mu))
        answered(world, "anticipation", tolerance=tolerance)
        world.bodies["b"].velocity = (0.7, 0.9, 0.0)
        world.bodies["b"].angular_velocity = (3.0, -1.0, 0.0)
        (contact,) = answered(world, "anticipation", tolerance=tolerance)
        assert np.linalg.norm(contact.force[:2]) <= mu * contact.force[2] * (1.0 + most)
        slip = contact.velocity[:2] / np.linalg.norm(contact.velocity[:2])
        assert contact.force[:2] / (mu * contact.force[2]) == pytest.approx(-slip, abs=most)


# ---------------------------------------------------------------- modes, orders, laws of impact
MODES = ["lagrange", *(pytest.param(mode, marks=pytest.mark.long) for mode in ("dense", "cg", "jsim", "aba"))]


@pytest.mark.parametrize("solver", ["fused", *MODES])
def test_every_mode_gives_the_same_motion(solver):
    worlds = [World(table_and_arm(), solver=mode, integrator="implicit") for mode in ("fused", solver)]
    for world, columns in zip(worlds, ("plain", "paths"), strict=True):
        world.columns = columns
        world.contact_method = "anticipation"
        world.contact_tolerance = 1e-10
        world.step(100)
        assert world.contact_solution.method == "anticipation"
        assert any("world" not in (c.a, c.b) and c.force.any() for c in world.contacts())
    for name in worlds[0].bodies:
        assert worlds[1].bodies[name].position == pytest.approx(worlds[0].bodies[name].position, abs=1e-8)


def test_grabs_push_against_contacts():
    """A block is pressed into a floor, and drawn along it, by a grab that is at its cap: friction takes its share."""
    world = world_of(box("b", (0, 0, 0.1), (0.1, 0.1, 0.1)), floor=Plane(friction=1.0))
    world.contact_method = "anticipation"
    world.step(10)
    grab = world.grab("b", kind="point", target=(0.0, 0.0, -1.0), cap=30.0)
    world.step(60)
    total = sum(c.force[2] for c in world.contacts())
    assert total == pytest.approx(9.81 + 30.0, rel=1e-6)
    assert world.bodies["b"].position[2] == pytest.approx(0.1, abs=1e-9)
    grab.target = (5.0, 0.0, 0.1)
    grab.cap = 20.0
    before = world.bodies["b"].velocity[0]
    world.step(24)
    assert world.bodies["b"].velocity[0] - before == pytest.approx((20.0 - math.sqrt(0.8) * 9.81) * 0.1, rel=1e-3)


def test_kinematic_order_stops_at_the_floor():
    world = world_of(box("b", (0, 0, 0.3), (0.1, 0.1, 0.1)))
    world.contact_method = "anticipation"
    world.order = "kinematic"
    world.bodies["b"].applied_force = (0.0, 0.0, -1.0)
    world.step(240)
    assert world.bodies["b"].position[2] == pytest.approx(0.1, abs=1e-9)
    assert sum(c.force[2] for c in world.contacts()) == pytest.approx(1.0, rel=1e-9)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_restitution_gains_no_energy(e):
    """A ball, and a rod that hits with one end: the ball comes back to e^2 of its height."""
    bodies = [
        ball("b", (0, 0, 1.1), 0.1, restitution=e),
        box("r", (2, 0, 0.6), (0.3, 0.05, 0.05), restitution=e, orientation=(0.966, 0.0, 0.259, 0.0)),
    ]
    world = world_of(*bodies, timestep=1e-3)
    world.contact_method = "anticipation"
    assert height_of_bounce(world, e) == pytest.approx(e * e, abs=0.01)


def test_newtons_cradle_by_the_simultaneous_law():
    """Reference case 22: with all impacts at once the balls leave with (-0.6, 0.4, 0.4, 0.4, 0.4)."""
    speeds = speeds_of_cradle(contact_method="anticipation")
    assert speeds == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-9)


@pytest.mark.parametrize("method", ["newton", "anticipation"])
def test_impulses_meet_contacts_at_once(method):
    """A ball is struck down and aside: the floor takes the blow, friction 0.1 of it, against the slip; one that is
    struck upwards leaves it."""
    world = world_of(ball("b", (0, 0, 0.1), 0.1, 2.0, friction=0.1), floor=Plane(friction=0.1))
    world.contact_method = method
    world.step(120)
    world.bodies["b"].apply_impulse((0.9, 1.2, -3.0))
    aside = (1.5 - 0.3) / 2.0
    assert world.bodies["b"].velocity == pytest.approx([0.6 * aside, 0.8 * aside, 0.0], abs=1e-9)
    turn = 0.3 * 0.1 / (0.4 * 2.0 * 0.01)
    assert world.bodies["b"].angular_velocity == pytest.approx([-0.8 * turn, 0.6 * turn, 0.0], abs=1e-9)
    up = world_of(ball("b", (0, 0, 0.1), 0.1, 2.0), floor=Plane())
    up.contact_method = method
    up.step(120)
    up.bodies["b"].apply_impulse((0.0, 0.0, 1.0))
    assert up.bodies["b"].velocity == pytest.approx([0.0, 0.0, 0.5], abs=1e-9)


# ---------------------------------------------------------------- switching
def test_auto_goes_by_the_number_of_contacts():
    few, many = world_of(ball("b", (0, 0, 0.1), 0.1)), World(floor_chain(30), integrator="implicit")
    for world, method in ((few, "anticipation"), (many, "newton")):
        world.contact_method = "auto"
        # at first none is known to have carried anything
        world.step(1)
        assert world.contact_solution.method == method
        world.step(20)
        assert world.contact_solution.method == method
        assert world.contact_method == "auto"


def test_more_contacts_than_there_is_room_for_are_answered_by_the_other_method():
    world = World(floor_chain(80), integrator="implicit")
    world.contact_method = "anticipation"
    world.step(5)
    assert world.contact_solution.method == "newton"
    other = World(floor_chain(80), integrator="implicit")
    other.step(5)
    assert twists(world) == pytest.approx(twists(other), abs=1e-9)


def test_switching_live_and_snapshots():
    world = world_of(box("b", (0, 0, 0.1), (0.2, 0.1, 0.1), velocity=(1, 0.5, 0)), ball("c", (0.5, 0, 0.1), 0.1))
    for method in ("newton", "anticipation", "auto", "newton", "anticipation"):
        world.contact_method = method
        world.step(5)
    world.contact_law = "regularised"
    kept = world.snapshot()
    world.step(20)
    hashed = world.state_hash()
    other = world_of(box("b", (0, 0, 0.1), (0.2, 0.1, 0.1), velocity=(1, 0.5, 0)), ball("c", (0.5, 0, 0.1), 0.1))
    for again in (world, other):
        again.restore(kept)
        assert (again.contact_method, again.contact_law) == ("anticipation", "regularised")
        assert again.snapshot() == kept
        again.step(5)
        again.step(15)
        assert again.state_hash() == hashed


def test_unknown_names_are_refused():
    world = world_of(ball("b", (0, 0, 0.1), 0.1))
    with pytest.raises(DefinitionError, match="contact_method"):
        world.contact_method = "anticipate"
    with pytest.raises(DefinitionError, match="contact_law"):
        world.contact_law = "coulomb"


def test_what_sleeps_wakes_for_an_impulse():
    """With islands asleep the rows of their contacts are open; an impulse wakes them and meets the floor."""
    world = world_of(ball("b", (0, 0, 0.1), 0.1, friction=0.1), floor=Plane(friction=0.1))
    world.contact_method = "anticipation"
    world.sleeping = True
    world.step(240)
    assert world.contacts()[0].force[2] == pytest.approx(9.81, rel=1e-6)
    world.bodies["b"].apply_impulse((0.0, 0.5, -1.0))
    assert world.bodies["b"].velocity == pytest.approx([0.0, 0.4, 0.0], abs=1e-9)
    world.step()
    assert world.bodies["b"].velocity[1] == pytest.approx(0.4 - 0.981 / 240, abs=1e-6)
