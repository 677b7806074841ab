"""Friction along directions that joints hold: a force there moves nothing, so that it is zero, takes nothing of the
cone, and does not stand in what the joint carries. Where something slips past, it is as real as any other friction."""

import math

import numpy as np
import pytest

from physics.definitions.motions import Moving
from physics.definitions.bodies import Body
from physics.definitions.joints import Cylindrical, Hinge, Planar, Slider
from physics.definitions.scene import Scene
from physics import Box, Plane, Sphere
from physics.definitions.shapes.compound import CompoundShape
from physics.definitions.signals import Ramp
from physics.world.world import World
from tests.helpers.contact_figures import GRAVITY
from tests.helpers.contact_figures import CARD, LEAN, ROUND, card, places

MU, SIZE = 0.5, 0.1


def exactly(scene: Scene, **more) -> World:
    world = World(scene, **more)
    world.contact_method = "anticipation"
    return world


def box_held_by(joint, mu=MU) -> Scene:
    body = Body(
        name="b",
        mass=1.0,
        inertia=(0.01,) * 3,
        position=(0, 0, SIZE),
        shapes=[Box(size=(2 * SIZE,) * 3, friction=mu)],
    )
    return Scene(bodies=[body], joints=[joint], shapes=[Plane(friction=mu)])


def ball_in_a_plane(seed: int, auxiliary: bool) -> tuple[Scene, np.ndarray]:
    """A ball on the floor that a joint keeps in an upright plane, and a direction along both"""
    rng = np.random.default_rng(seed)
    q, at = rng.normal(size=4), rng.normal(size=3)
    at[2] = SIZE
    along = np.array([math.cos(0.7 * seed), math.sin(0.7 * seed), 0.0])
    body = Body(
        name="b", mass=1.0, inertia=(0.01,) * 3, position=at, orientation=q / np.linalg.norm(q),
        shapes=[Sphere(radius=SIZE, friction=MU)],
    )  # fmt: skip
    place = at + 0.3 * rng.normal(size=3)
    normal = (-along[1], along[0], 0.0)
    joint = Planar(
        name="plane", a="world", b="b", at=place, normal=normal, axis=along, collide=True, auxiliary=auxiliary
    )
    return Scene(bodies=[body], joints=[joint], shapes=[Plane(friction=MU)]), along


def check_that_it_sticks(world: World, along: np.ndarray, tolerance: float) -> None:
    """Left alone, then pulled with nine tenths of what friction holds, and kept from rolling: it sticks, with the
    friction against the pull, and the joint carries nothing."""
    pull = 0.9 * MU * GRAVITY * along
    start = world.bodies["b"].position
    for step in range(12):
        if step == 3:
            world.bodies["b"].applied_force = pull
            world.bodies["b"].applied_torque = -SIZE * np.cross((0, 0, 1), pull)
        world.step(1)
        friction = -pull if step >= 3 else 0.0 * pull
        assert world.contacts()[0].force - friction == pytest.approx([0.0, 0.0, GRAVITY], abs=tolerance)
        assert world.joints["plane"].force == pytest.approx([0.0, 0.0, 0.0], abs=tolerance)
    assert np.abs(world.bodies["b"].position - start).max() < 1e-9
    assert world.contact_solution.method == "anticipation"
    assert world.contact_solution.iterations <= 4


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "hernandez", "explicit", "rattle"])
@pytest.mark.parametrize("auxiliary", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_ball_in_a_plane_has_friction_in_the_plane_only(seed, auxiliary, integrator):
    scene, along = ball_in_a_plane(seed, auxiliary)
    check_that_it_sticks(exactly(scene, integrator=integrator), along, 1e-8)


@pytest.mark.parametrize("solver", ["fused", "lagrange", "dense", "cg", "jsim", "aba"])
def test_it_holds_in_every_mode(solver):
    scene, along = ball_in_a_plane(3, False)
    check_that_it_sticks(exactly(scene, solver=solver), along, 1e-7)


def test_what_slides_and_sticks_in_a_plane_has_no_friction_across_it():
    """Two or three balls on one body, pulled, twisted and thrown along an oblique plane"""
    along = np.array([math.cos(0.7), math.sin(0.7), 0.0])
    normal = np.array([-along[1], along[0], 0.0])
    slid, stuck = 0, 0
    for seed in range(24):
        rng = np.random.default_rng(seed)
        balls = [
            Sphere(radius=SIZE, position=x * along + y * normal, friction=mu)
            for x, y, mu in rng.uniform((-0.3, -0.1, 0.2), (0.3, 0.1, 1.0), (2 + seed % 2, 3))
        ]
        thrown = 0.3 * rng.normal() * along * (seed % 3)
        shape = CompoundShape(parts=balls)
        body = Body(name="b", mass=1.0, inertia=(0.02,) * 3, position=(0, 0, SIZE), velocity=thrown, shapes=[shape])
        joint = Planar(name="plane", a="world", b="b", at=(0, 0, SIZE), normal=normal, axis=along, collide=True)
        world = exactly(Scene(bodies=[body], joints=[joint], shapes=[Plane(friction=MU)]))
        world.bodies["b"].applied_force = rng.uniform(-3.0, 3.0) * along
        world.bodies["b"].applied_torque = 0.5 * rng.normal() * normal
        for _ in range(8):
            world.step(1)
            contacts = world.contacts()
            # friction is laid along the slip to a millionth of the largest force
            assert all(abs(c.force @ normal) < 2e-6 * GRAVITY for c in contacts)
            slid += sum(c.sliding for c in contacts)
            stuck += sum(not c.sliding and c.force.any() for c in contacts)
    assert slid > 50
    assert stuck > 50


@pytest.mark.parametrize("auxiliary", [False, True])
def test_a_body_that_a_slider_guides_down_presses_without_friction(auxiliary):
    """Both directions across are held; the four corners share the weight alike."""
    joint = Slider(name="j", a="world", b="b", at=(0.02, 0.01, SIZE), axis=(0, 0, 1), collide=True, auxiliary=auxiliary)
    world = exactly(box_held_by(joint))
    world.bodies["b"].applied_force = (2.0, 1.0, 0.0)
    world.step(20)
    forces = np.array([c.force for c in world.contacts()])
    assert np.abs(forces - [0.0, 0.0, GRAVITY / 4]).max() < 1e-9
    assert world.joints["j"].force == pytest.approx([-2.0, -1.0, 0.0], abs=1e-9)
    assert world.contact_solution.iterations <= 4


@pytest.mark.parametrize("auxiliary", [False, True])
def test_a_turntable_is_held_by_friction_around_its_axis(auxiliary):
    """A box on a vertical axle that does not carry it, twisted: of the frictions at its corners, directions towards the
    axle are held. What is left is the least that holds the torque: along the ring, r x f in proportion to r^2."""
    joint = Cylindrical(name="j", a="world", b="b", at=(0, 0, SIZE), axis=(0, 0, 1), collide=True, auxiliary=auxiliary)
    world = exactly(box_held_by(joint))
    torque = 0.3
    world.bodies["b"].applied_torque = (0.0, 0.0, torque)
    world.step(20)
    reach = math.sqrt(2.0) * SIZE
    for c in world.contacts():
        x, y, _ = c.point
        around = np.array([y, -x, 0.0]) / reach
        assert c.force == pytest.approx(torque / (4 * reach) * around + [0, 0, GRAVITY / 4], abs=1e-8)
    assert world.joints["j"].force == pytest.approx([0, 0, 0], abs=1e-8)


def test_a_body_that_is_held_altogether_is_pressed_by_nothing():
    joint = Hinge(name="j", a="world", b="b", at=(0, 0, SIZE), axis=(0, 0, 1), collide=True)
    world = exactly(box_held_by(joint))
    world.step(5)
    assert all(not c.force.any() for c in world.contacts())
    assert world.joints["j"].force[2] == pytest.approx(GRAVITY, rel=1e-9)


def test_houses_of_cards_in_planes_do_not_slip():
    """Two per cent above the threshold all of the cone is needed that friction across the plane took a part of."""
    mu = 1.02 * 0.5 * CARD * math.sin(LEAN) / (CARD * math.cos(LEAN) + ROUND)
    cards = [card("left", -1, mu), card("right", 1, mu)]
    planes = [
        Planar(
            name=f"{c.name} plane", a="world", b=c.name, at=c.position, normal=(0, 1, 0), axis=(1, 0, 0), collide=True
        )
        for c in cards
    ]
    world = exactly(Scene(bodies=cards, joints=planes, shapes=[Plane(friction=mu)]))
    start = places(world)
    world.step(60)
    rested = places(world)
    assert np.abs(rested - start).max() < 2e-6
    world.step(420)
    assert np.abs(places(world) - rested).max() < 1e-10
    assert max(abs(c.force[1]) for c in world.contacts()) < 1e-9


def test_friction_across_is_real_where_the_floor_runs_across():
    """A box that a joint keeps in the x-z plane, on a belt that runs along y: the cone points against the slip, so that
    a pull of p mu m g along x moves it at the speed v p / sqrt(1 - p^2), and the joint holds the friction across."""
    belt, share = 1.0, 0.9
    mover = Moving(
        name="belt",
        position=(0.0, Ramp(start=0.0, rate=belt), -0.5),
        shapes=[Box(size=(100, 100, 1.0), friction=MU)],
    )
    joint = Planar(name="plane", a="world", b="b", at=(0, 0, SIZE), normal=(0, 1, 0), axis=(1, 0, 0))
    body = Body(
        name="b", mass=1.0, inertia=(0.01,) * 3, position=(0, 0, SIZE / 4),
        shapes=[Box(size=(2 * SIZE, 2 * SIZE, SIZE / 2), friction=MU)],
    )  # fmt: skip
    world = exactly(Scene(bodies=[body, mover], joints=[joint]))
    across = math.sqrt(1.0 - share**2)
    speed = belt * share / across
    world.bodies["b"].velocity = (speed, 0, 0)
    world.bodies["b"].applied_force = (share * MU * GRAVITY, 0, 0)
    world.step(240)
    assert world.bodies["b"].velocity == pytest.approx([speed, 0, 0], rel=1e-6, abs=1e-9)
    pushed = np.sum([c.force * (1.0 if c.b == "b" else -1.0) for c in world.contacts()], axis=0)
    assert pushed[1] == pytest.approx(across * MU * GRAVITY, rel=1e-5)
    assert world.joints["plane"].force[1] == pytest.approx(-across * MU * GRAVITY, rel=1e-5)
