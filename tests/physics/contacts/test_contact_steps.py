"""Contacts in motion: friction, rest, rolling, restitution, filters, snapshots, and what `World.contacts` says."""

import math

import numpy as np
import pytest

from physics.definitions.motions import Moving
from physics.definitions.bodies import Body, Particle, ScaledBody, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball, Hinge
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Box, Plane, Sphere
from physics.definitions.shapes.compound import CompoundShape
from physics.definitions.signals import Ramp
from physics.world.world import World
from tests.helpers.contact_figures import (
    GRAVITY, ball, box, height_of_bounce, speeds_of_cradle, table_and_arm, tilted, world_of,
)  # fmt: skip

H = 1.0 / 240.0


def forces_on(world: World, name: str) -> np.ndarray:
    """Sum of the contact forces on a body"""
    total = np.zeros(3)
    for c in world.contacts():
        total += c.force * ((c.b == name) - (c.a == name))
    return total


# ---------------------------------------------------------------- friction
def block_on_a_slope(mu: float, angle: float, method: str, **more) -> World:
    block = box("b", (0, 0, 0.1), (0.2, 0.1, 0.1), friction=mu)
    world = world_of(block, floor=Plane(friction=mu), gravity=tilted(angle), **more)
    world.contact_method = method
    return world


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle"])
@pytest.mark.parametrize("method", ["newton", "anticipation", "auto"])
@pytest.mark.parametrize("share", [0.999, 1.001])
def test_a_block_sticks_below_the_angle_of_friction_and_slides_above(share, method, integrator):
    mu = 0.5
    angle = math.atan(mu) * share
    world = block_on_a_slope(mu, angle, method, integrator=integrator)
    world.step(480)
    pull = GRAVITY * (math.sin(angle) - mu * math.cos(angle))
    if share < 1.0:
        place = world.bodies["b"].position.copy()
        assert place[0] < 1e-6
        world.step(480)
        assert abs(world.bodies["b"].position - place).max() < 1e-12
        # of exact forces one corner may be at its limit where the others are not
        assert not all(c.sliding for c in world.contacts())
    else:
        assert world.bodies["b"].velocity[0] == pytest.approx(2.0 * pull, rel=1e-3)
        # exact forces of four corners are not the only ones: some may carry nothing
        assert all(c.sliding for c in world.contacts() if c.force.any())
    normal = sum(c.force @ c.normal for c in world.contacts())
    assert normal == pytest.approx(GRAVITY * math.cos(angle), rel=1e-6)


@pytest.mark.parametrize("method", ["newton", "anticipation"])
def test_a_block_below_the_angle_of_friction_does_not_creep_in_a_minute(method):
    world = block_on_a_slope(0.5, 0.999 * math.atan(0.5), method)
    world.step(480)
    place = world.bodies["b"].position.copy()
    world.step(60 * 240)
    assert abs(world.bodies["b"].position - place).max() < 1e-6


def test_a_sliding_ball_rolls_in_the_end():
    """The angular momentum about the point of contact is kept: v = 5/7 v0, after t = 2 v0 / 7 mu g."""
    mu, v0 = 0.3, 2.0
    world = world_of(ball("b", (0, 0, 0.1), 0.1, velocity=(v0, 0, 0), friction=mu), floor=Plane(friction=mu))
    slides = round(2.0 * v0 / (7.0 * mu * GRAVITY) / H)
    world.step(slides // 2)
    assert world.bodies["b"].velocity[0] == pytest.approx(v0 - mu * GRAVITY * (slides // 2) * H, rel=1e-3)
    world.step(slides)
    rolling = world.bodies["b"]
    assert rolling.velocity[0] == pytest.approx(5.0 / 7.0 * v0, rel=2e-3)
    assert rolling.angular_velocity[1] * 0.1 == pytest.approx(rolling.velocity[0], rel=1e-5)
    before = rolling.velocity[0]
    world.step(480)
    assert rolling.velocity[0] == pytest.approx(before, rel=3e-6)


def test_combined_friction_is_the_geometric_mean():
    world = world_of(box("b", (0, 0, 0.1), (0.1, 0.1, 0.1), friction=0.9), floor=Plane(friction=0.4))
    world.step()
    assert world.contacts()[0].friction == pytest.approx(0.6)


@pytest.mark.parametrize("method", ["newton", "anticipation"])
def test_a_joint_bounces_off_its_limit_while_something_lies_on_the_floor(method):
    """The rod of reference 24 with e = 1/2, which knows nothing of the box"""
    limits = Limits(lower=-1.3, restitution=0.5)
    rod = Body(name="rod", mass=1.5, inertia=(1e-4, 0.08, 0.08), position=(0.4, 0, 2.0))
    stop = Hinge(name="h", a="world", b="rod", at=(0, 0, 2), axis=(0, -1, 0), limits=limits)
    alone = World(Scene(bodies=[rod], joints=[stop]), integrator="implicit")
    beside = world_of(box("b", (3, 0, 0.1), (0.1, 0.1, 0.1)), rod, joints=[stop], integrator="implicit")
    beside.contact_method = method
    spins = []
    for _ in range(160):
        alone.step()
        beside.step()
        spins.append(-alone.bodies["rod"].angular_velocity[1])
        assert -beside.bodies["rod"].angular_velocity[1] == pytest.approx(spins[-1], abs=1e-6)
    assert len(beside.contacts()) == 4
    hit = int(np.argmax(np.diff(spins)))
    assert spins[hit + 1] == pytest.approx(-0.5 * spins[hit], rel=1e-2)


# ---------------------------------------------------------------- rest
@pytest.mark.parametrize("integrator", ["implicit", "trbdf2", "rattle", "hernandez", "explicit"])
def test_a_stack_rests_with_every_integrator(integrator):
    masses = [1.0, 1.5, 2.0]
    bodies = [box(f"b{i}", (0, 0, 0.1 + 0.2 * i), (0.1, 0.1, 0.1), m) for i, m in enumerate(masses)]
    world = world_of(*bodies, integrator=integrator)
    world.step(240)
    place = np.array([b.position for b in world.bodies.values()])
    world.step(240)
    assert abs(np.array([b.position for b in world.bodies.values()]) - place).max() < 1e-7
    assert abs(place - [[0, 0, 0.1 + 0.2 * i] for i in range(3)]).max() < 1e-6
    above = np.cumsum(masses[::-1])[::-1] * GRAVITY
    for i, load in enumerate(above):
        pairs = [c for c in world.contacts() if {c.a, c.b} == {f"b{i}", "world" if i == 0 else f"b{i - 1}"}]
        assert sum(abs(c.force[2]) for c in pairs) == pytest.approx(load, rel=1e-3)
    assert world.redone == 0


MODES = ["fused", "lagrange", *(pytest.param(mode, marks=pytest.mark.long) for mode in ("dense", "cg", "jsim", "aba"))]


@pytest.mark.parametrize("solver", MODES)
def test_every_mode_gives_the_same_motion(solver):
    world = World(table_and_arm(), solver=solver, integrator="implicit")
    world.contact_tolerance = 1e-10
    world.step(100)
    if solver == "fused":
        assert world.contact_solution.pressing >= 3
        assert any("world" not in (c.a, c.b) and c.force.any() for c in world.contacts())
        return
    same = World(table_and_arm(), solver="fused", integrator="implicit")
    same.contact_tolerance = 1e-10
    same.step(100)
    for name in world.bodies:
        assert world.bodies[name].position == pytest.approx(same.bodies[name].position, abs=1e-7)
    assert forces_on(world, "block") == pytest.approx(forces_on(same, "block"), rel=1e-4, abs=1e-4)


def test_momentum_is_kept_in_a_collision_in_the_air():
    """Three balls and a box meet off their centres, with friction: impulses are equal and opposite, at one point."""
    bodies = [
        ball("a", (0, 0, 5.0), 0.1, 1.0, velocity=(3, 0, 0)), ball("b", (0.25, 0.03, 5.05), 0.12, 2.5, spin=(0, 4, 9)),
        box("c", (0.5, -0.05, 4.98), (0.1, 0.2, 0.15), 0.7, velocity=(-2, 0.5, 0)),
    ]  # fmt: skip
    world = world_of(*bodies, gravity=(0, 0, 0))
    world.contact_tolerance = 1e-12
    before, energy = world.momentum(), world.energy().total
    world.step(60)
    after = world.momentum()
    assert world.bodies["c"].velocity[0] > -1.0  # they have met
    assert after.linear == pytest.approx(before.linear, abs=1e-9)
    assert after.angular == pytest.approx(before.angular, abs=1e-6)
    assert world.energy().total < energy
    assert world.energy().contact < 0.0


# ---------------------------------------------------------------- restitution
@pytest.mark.parametrize("method", ["newton", "anticipation"])
def test_what_does_not_bounce_is_not_braked_above_the_floor_where_something_else_does(method):
    """4 cm above the floor at 20 m/s it is there within the step, as fast as that takes: 0.04 m / h."""
    h = 1.0 / 240.0
    thud = ball("thud", (0, 0, 0.14), 0.1, velocity=(0, 0, -20.0))
    jump = ball("jump", (3, 0, 0.1005), 0.1, velocity=(0, 0, -3.0), restitution=0.5)
    world = world_of(thud, jump, timestep=h)
    world.contact_method = method
    world.step(1)
    assert world.bodies["thud"].position[2] == pytest.approx(0.1, abs=1e-5)  # the regularisation of `newton`: 4e-6
    assert world.bodies["thud"].velocity[2] == pytest.approx(-0.04 / h, rel=2e-4)
    assert world.bodies["jump"].velocity[2] == pytest.approx(1.5, rel=1e-3)


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_ball_bounces_to_e_squared_of_its_height(e):
    world = world_of(ball("b", (0, 0, 1.1), 0.1, restitution=e), timestep=1e-3, integrator="trbdf2")
    assert height_of_bounce(world, e) == pytest.approx(e * e, abs=0.01)


def test_newtons_cradle_by_the_simultaneous_law():
    """Reference case 22: with all impacts at once the balls leave with (-0.6, 0.4, 0.4, 0.4, 0.4)."""
    speeds = speeds_of_cradle(contact_tolerance=1e-10)
    assert sum(speeds) == pytest.approx(1.0, abs=1e-9)
    assert speeds == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=0.02)


# ---------------------------------------------------------------- filters, kinds of owner
def test_jointed_neighbours_do_not_touch_unless_asked():
    def links(collide):
        # the two overlap by 5 cm where the joint is
        a, b = box("a", (0, 0, 2.0), (0.1, 0.1, 0.1)), box("b", (0.15, 0, 2.0), (0.1, 0.1, 0.1))
        joint = Ball(name="j", a="a", b="b", at=(0.075, 0, 2.0), collide=collide)
        return world_of(a, b, joints=[joint])

    apart, touching = links(False), links(True)
    apart.step()
    touching.step()
    assert not apart.contacts()
    assert touching.contacts()


def test_groups_are_kept_apart():
    pair = [box("a", (0, 0, 0.1), (0.1, 0.1, 0.1), group="ghosts"), box("b", (0.05, 0, 0.1), (0.1, 0.1, 0.1))]
    world = world_of(*pair, never=[("ghosts", "default")])
    world.step()
    assert {(c.a, c.b) for c in world.contacts()} == {("world", "b")}
    world = world_of(*pair, never=[("ghosts", "ghosts")])
    world.step()
    assert {(c.a, c.b) for c in world.contacts()} >= {("world", "a"), ("b", "a")}


def test_bodies_that_do_not_move_and_bodies_that_move_as_told():
    """A belt carries a block along; a static table holds another one, under its name."""
    belt = Moving(name="belt", position=(Ramp(start=0.0, rate=0.5), 0, 0), shapes=[Box(size=(10, 2, 0.2))])
    table = Static(name="table", position=(0, 5, 1.0), shapes=[Box(size=(2, 2, 0.2), position=(0, 0, -0.1))])
    bodies = [box("riding", (0, 0, 0.2), (0.1, 0.1, 0.1)), box("standing", (0, 5, 1.1), (0.1, 0.1, 0.1))]
    world = World(Scene(bodies=[belt, table, *bodies]), integrator="implicit")
    world.step(240)
    assert world.bodies["riding"].velocity[0] == pytest.approx(0.5, abs=1e-6)
    assert world.bodies["standing"].position == pytest.approx([0, 5, 1.1], abs=1e-6)
    assert {(c.a, c.b) for c in world.contacts()} == {("belt", "riding"), ("table", "standing")}


def test_a_particle_rests_and_slides():
    grain = Particle(name="p", mass=0.2, position=(0, 0, 0.01), velocity=(1, 0, 0), shapes=[Sphere(radius=0.01)])
    world = world_of(grain, floor=Plane(friction=0.8))
    world.step(240)
    assert world.bodies["p"].position[0] == pytest.approx(1.0 / (2 * 0.8 * GRAVITY), abs=3e-3)
    assert np.linalg.norm(world.bodies["p"].velocity) < 1e-9


def test_kinematic_order_stops_at_the_floor():
    world = world_of(box("b", (0, 0, 0.3), (0.1, 0.1, 0.1)))
    world.order = "kinematic"
    world.bodies["b"].applied_force = (0.0, 0.0, -1.0)
    world.step(240)
    assert world.bodies["b"].position[2] == pytest.approx(0.1, abs=1e-5)
    assert forces_on(world, "b")[2] == pytest.approx(1.0, rel=1e-3)


# ---------------------------------------------------------------- snapshots, the guard, refusals
def test_snapshots_hold_warm_starts():
    world = World(table_and_arm())
    world.step(120)
    kept = world.snapshot()
    world.step(60)
    hashed = world.state_hash()
    other = World(table_and_arm())
    for again in (world, other):
        again.restore(kept)
        assert again.snapshot() == kept
        again.step(20)
        again.step(40)
        assert again.state_hash() == hashed


def test_a_step_that_is_redone_keeps_to_the_floor():
    """A rod spins at 2 rad a step on a smooth floor: substeps see the contacts too."""
    world = world_of(box("b", (0, 0, 0.02), (0.3, 0.02, 0.02)), floor=Plane(friction=0.0))
    for _ in range(3):
        world.bodies["b"].angular_velocity = (0.0, 0.0, 500.0)
        world.step()
    assert (world.substepped, world.redone) == (3, 0)
    assert world.bodies["b"].position[2] == pytest.approx(0.02, abs=1e-4)
    world.step(240)
    assert world.bodies["b"].position[2] == pytest.approx(0.02, abs=1e-6)


def test_contacts_can_be_switched_off():
    world = world_of(box("b", (0, 0, 0.1), (0.1, 0.1, 0.1)))
    world.contact_method = "none"
    world.step(24)
    assert world.bodies["b"].position[2] < 0.06
    world.contact_method = "newton"
    world.step(240)
    assert world.bodies["b"].position[2] == pytest.approx(0.1, abs=1e-5)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: Body(name="b", mass=1, inertia=(1, 1, 1), shapes=[Plane()]), "shapes of body 'b'"),
        (lambda: Particle(name="b", mass=1, shapes=["ball"]), "shapes of body 'b'"),
        (lambda: Static(name="b", shapes=3), "shapes of body 'b'"),
        (lambda: Moving(name="b", shapes=[Plane()]), "shapes of body 'b'"),
        (
            lambda: ScaledBody(
                name="b", mass=1, inertia=(1, 1, 1), scale_stiffness=1.0, shapes=[Sphere(radius=1.0)]
            ),
            "shapes of body 'b'",
        ),
        (lambda: Scene(bodies=[], shapes=[CompoundShape(parts=[Plane()])]), "part of a compound"),
    ],
)  # fmt: skip
def test_bad_shapes_are_refused(make, what):
    with pytest.raises(DefinitionError) as refusal:
        make()
    assert refusal.value.what == what


def test_bad_settings_are_refused():
    world = world_of(box("b", (0, 0, 0.1), (0.1, 0.1, 0.1)))
    with pytest.raises(DefinitionError, match="contact_method"):
        world.contact_method = "springs"
    with pytest.raises(DefinitionError, match="contact_tolerance"):
        world.contact_tolerance = 0.0
    pendulum = Body(name="p", mass=1, inertia=(1, 1, 1), position=(1, 0, 0))
    bare = World(Scene(bodies=[pendulum], joints=[Hinge(name="h", a="world", b="p", axis=(0, 1, 0))]))
    assert bare.contacts() == []
    assert bare.contact_method == "none"
    with pytest.raises(DefinitionError, match="scene without shapes"):
        bare.contact_tolerance = 1e-3


# ---------------------------------------------------------------- impulses, measures
@pytest.mark.parametrize("method", ["newton", "auto", "anticipation"])
def test_an_impulse_goes_through_contacts_at_once(method):
    """Two boxes side by side: a blow on the first moves both, p = (m1 + m2) v; one downward moves nothing."""
    pair = [box("a", (0, 0, 0.1), (0.1, 0.1, 0.1), 1.0), box("b", (0.2, 0, 0.1), (0.1, 0.1, 0.1), 2.0)]
    world = world_of(*pair, floor=Plane(friction=0.0))
    world.contact_method = method
    world.contact_tolerance = 1e-8
    world.step(60)
    # at the height of the centre, so that it does not tip
    world.bodies["a"].apply_impulse((3.0, 0.0, -5.0))
    for _ in range(2):
        for name in ("a", "b"):
            assert world.bodies[name].velocity[0] == pytest.approx(1.0, rel=1e-6)
            assert abs(world.bodies[name].velocity[2]) < 1e-6
        assert world.momentum().linear[0] == pytest.approx(3.0, rel=1e-6)
        world.step(4)
    assert world.contact_method == method


def test_an_impulse_after_a_redone_step_meets_what_touches_then():
    """Not what touched in its substeps; nor in a world that the snapshot of such a step was restored into."""

    def resting():
        sphere = Sphere(radius=0.1, friction=0.5)
        body = Body(name="a", mass=1.0, inertia=(0.004,) * 3, position=(0, 0, 0.1), shapes=[sphere])
        return World(Scene(bodies=[body], shapes=[Plane(friction=0.5)]))

    def struck(world):
        a = world.bodies["a"]
        a.velocity = a.angular_velocity = (0, 0, 0)
        a.position, a.quaternion = (0, 0, 0.0999), (math.sqrt(0.5), 0, math.sqrt(0.5), 0)
        a.apply_impulse((0.5, 0, -1))
        return np.concatenate([a.velocity, a.angular_velocity])

    quiet, redone, again = resting(), resting(), resting()
    for world in (quiet, redone):
        world.step(30)
    redone.bodies["a"].angular_velocity = (0, 0, 300)
    redone.step(1)
    assert (redone.substepped, redone.redone) == (1, 0)
    again.restore(redone.snapshot())
    # it rolls: J = m v + I w / r of what friction can give, w = v / r
    expected = 0.5 / (1.0 + 0.004 / 0.1**2)
    for world in (quiet, redone, again):
        assert struck(world) == pytest.approx([expected, 0, 0, 0, expected / 0.1, 0], abs=1e-3)


def test_each_contact_says_how_far_it_is_off_the_law():
    """At rest nothing is, nor where a box lands; by the regularised law, with R = sigma / m on four corners, that keeps
    sigma / (4 + sigma) of the speed that it would have."""
    world = world_of(box("b", (0, 0, 0.1), (0.1, 0.1, 0.1)))
    world.contact_tolerance = 1e-10
    world.step(240)
    assert max(c.residual for c in world.contacts()) < 1e-9
    assert max(abs(c.power) for c in world.contacts()) < 1e-6
    world = world_of(box("b", (0, 0, 0.1), (0.1, 0.1, 0.1), velocity=(0, 0, -1.0)))
    start = world.snapshot()
    world.step()
    assert max(c.residual for c in world.contacts()) < 1e-6
    world.restore(start)
    world.contact_law = "regularised"
    world.step()
    off = [c.residual for c in world.contacts()]
    assert off == pytest.approx([(1.0 + 9.81 * world.timestep) * 0.01 / 4.01] * 4, rel=1e-6)
    assert max(off) > 1e-3


@pytest.mark.parametrize("method", ["newton", "anticipation"])
@pytest.mark.parametrize("e", [0.5, 1.0])
@pytest.mark.parametrize("other", [None, 1.0, 3.0])
def test_an_impact_by_the_regularised_law_is_softer_by_its_r(method, e, other):
    """u1 = e v - R g and m (u1 + v) = g: g = (1 + e) m v / (1 + R m), R = 0.01 / mass on the ground, and between two
    bodies 0.1 / mass of the heavier."""
    height = 0.13 if other is None else 10.13
    bodies = [ball("b", (0, 0, height), 0.1, velocity=(0, 0, -4.0), restitution=e)]
    effective, soft = 1.0, 0.01
    if other is not None:
        bodies.append(ball("a", (0, 0, height - 0.23), 0.1, other, restitution=e))
        effective, soft = other / (1.0 + other), 0.1 / other
    world = world_of(*bodies, floor=Plane(restitution=e), gravity=(0.0, 0.0, 0.0))
    world.contact_method = method
    start = world.snapshot()
    for law, factor in (("exact", 1.0), ("regularised", 1.0 / (1.0 + soft * effective))):
        world.restore(start)
        world.contact_law = law
        world.step(12)
        impulse = world.bodies["b"].velocity[2] + 4.0
        assert impulse == pytest.approx((1.0 + e) * 4.0 * effective * factor, rel=1e-6)
