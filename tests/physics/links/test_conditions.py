"""Conditions on the poses of several bodies, with forces along their Jacobian and with forces of their own: against
dense systems, closed forms, and the laws of momentum and energy, in every mode and integrator."""

import math

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.motions import Moving
from physics.definitions.functions import Condition, Function
from physics.definitions.bodies import Body, Particle, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Hinge
from physics.definitions.limits import Limits
from physics.definitions.scene import Scene
from physics import Plane, Sphere
from physics.definitions.signals import Sinusoid
from physics.solvers.modes import MODES
from physics.world.world import CannotContinueError, World
from tests.helpers import support
from tests.helpers.cases.going_on import comes_back
from tests.helpers.conditions import (
    G, HOW, THRUST, UPWARDS, assert_a_ball_is_held_on_a_floor, held_by_a_leaning_force, in_motion, ledger_closes_with,
    scene, solved,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("how", HOW)
def test_accelerations_of_a_dense_system(how, seed):
    world = in_motion(how, seed)
    expected, multipliers = solved(world, how)
    size = np.abs(expected).max()
    assert world.accelerations() == pytest.approx(expected, abs=1e-9 * size)
    assert world.couplings["c"].multipliers == pytest.approx(multipliers, abs=1e-9 * np.abs(multipliers).max())
    assert np.abs(multipliers).max() > 0.1


@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize("how", ["along its rows", "fixed in the bodies"])
def test_in_every_mode(how, solver):
    world = in_motion(how, 1, solver=solver)
    expected, multipliers = solved(world, how)
    assert world.accelerations() == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert world.couplings["c"].multipliers == pytest.approx(multipliers, rel=1e-9)


def test_columns():
    """The symmetric form is not taken where forces do not act along their rows; all others agree."""
    for how in HOW:
        world = in_motion(how)
        assert world.columns == ("halves" if how == "along its rows" else "paths")
        found = {}
        for columns in ("halves", "paths", "plain"):
            world.columns = columns
            found[columns] = world.accelerations()
        assert (found["paths"] == found["plain"]).all()
        assert found["halves"] == pytest.approx(found["plain"], abs=1e-10)


def test_differences_are_the_jacobian():
    for how in HOW:
        given, found = in_motion(how), World(scene(how, jacobian=None))
        found.restore(given.snapshot())
        assert found.accelerations() == pytest.approx(given.accelerations(), abs=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("how", ["along its rows", "fixed in the bodies"])
def test_motion_keeps_it(how, integrator):
    world = in_motion(how, 2, integrator=integrator)
    # after some 0.15 s they have turned to where forces in them cannot hold it
    world.step(120 if how == "along its rows" else 24)
    assert world.largest_gap < (1e-2 if integrator == "hernandez" else 1e-6)
    assert world.redone == 0 or integrator == "hernandez"
    assert world.contradictions == []
    assert comes_back(world, 6)


# ---------------------------------------------------------------- centre of mass, rope
MASSES = np.array([1.0, 2.0, 3.0])


def centre(x, r):
    c = (x[0] + 2.0 * x[1] + 3.0 * x[2]) / 6.0
    return c[:2].copy()


def rope(x, r):
    """Through three bodies, fixed at the world's origin: a length of 3"""
    total = math.sqrt(x[0, 0] ** 2 + x[0, 1] ** 2 + x[0, 2] ** 2) - 3.0
    for k in range(2):
        d = x[k + 1] - x[k]
        total += math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    return (total,)


def ring(x, r):
    """A belt around three bodies"""
    total = -3.0
    for k in range(3):
        d = x[(k + 1) % 3] - x[k]
        total += math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    return (total,)


def three(function, places, gravity=(0.0, 0.0, -G), speed=0.0, **options):
    makers = [
        Body(name=f"b{k}", mass=MASSES[k], inertia=(0.1, 0.2, 0.25), position=places[k]) for k in range(2)
    ] + [Particle(name="b2", mass=3.0, position=places[2])]  # fmt: skip
    condition = Condition(name="c", bodies=["b0", "b1", "b2"], function=function)
    world = World(Scene(bodies=makers, couplings=[condition], gravity=gravity), **options)
    turn = np.random.default_rng(4)
    for body in world.bodies.values():
        body.velocity = speed * turn.normal(size=3)
    world.assemble()
    return world


AROUND = [(1.0, 0.0, 0.0), (-0.2, 0.6, 0.1), (-0.2, -0.4, -0.1)]


def on_a_line():
    middle = MASSES @ np.array(AROUND) / 6.0
    return [tuple(np.array(p) - middle) for p in AROUND]


def test_the_centre_of_mass_on_a_vertical_line():
    """What pulls sideways is answered for by the line, sum of m g; along it the centre falls freely."""
    world = three(centre, on_a_line(), gravity=(1.5, -0.7, -G), speed=1.0)
    world.accelerations()
    # sum m g + J^T mu = 0 with J = m / 6
    assert world.couplings["c"].multipliers == pytest.approx([-6.0 * 1.5, 6.0 * 0.7], rel=1e-10)
    before = world.momentum().linear
    assert before[:2] == pytest.approx([0.0, 0.0], abs=1e-12)
    height = MASSES @ world.poses()[:, 2] / 6.0
    world.step(240)
    centre_now = MASSES @ world.poses()[:, :3] / 6.0
    assert centre_now == pytest.approx([0.0, 0.0, height + before[2] / 6.0 - 0.5 * G], abs=1e-9)
    assert world.momentum().linear == pytest.approx([0.0, 0.0, before[2] - 6.0 * G], abs=1e-9)


def hexagon():
    """Three bodies on a ring of length 3"""
    return [
        (math.cos(a) / math.sqrt(3.0), math.sin(a) / math.sqrt(3.0), 0.0) for a in (0.3, 0.3 + 2.0944, 0.3 + 4.1888)
    ]


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "rattle", "rk4"])
def test_a_belt_keeps_its_length_momentum_and_energy(integrator):
    """It pulls the bodies at each other: both momenta stay, and so does the energy."""
    world = three(ring, hexagon(), gravity=(0.0, 0.0, 0.0), speed=0.4, integrator=integrator)
    before, energy = world.momentum(), world.energy().total
    world.step(480)
    assert abs(ring(world.poses()[:, :3], None)[0]) < 1e-6
    assert world.redone == 0
    after = world.momentum()
    assert after.linear == pytest.approx(before.linear, abs=1e-10)
    # steps along J of their start turn momentum by what they close
    assert after.angular == pytest.approx(before.angular, abs=1e-5)
    share = 0.02 if integrator == "implicit" else 1e-4
    assert world.energy().total == pytest.approx(energy, rel=share)


def test_the_tension_of_a_rope_through_bodies():
    """Straight down, three weights on one rope that slips through them: every part has the weight of the lowest one,
    the others fall freely along it, as only the sum of lengths is kept."""
    world = three(rope, [(0.0, 0.0, -0.5), (0.0, 0.0, -1.0), (0.0, 0.0, -3.0)])
    world.accelerations()
    assert world.couplings["c"].multipliers == pytest.approx([-3.0 * G], rel=1e-9)
    assert world.accelerations()[:, 2] == pytest.approx([-G, -G, 0.0], abs=1e-9)


# ---------------------------------------------------------------- forces of their own
def height(x, r):
    return (x[0, 2] - 1.0,)


def thruster(mass=2.0, forces=((*THRUST, 0.0, 0.0, 0.0),), function=height, more=(), joints=(), shapes=(), **options):
    body = Body(name="b", mass=mass, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 1.0), shapes=shapes)
    condition = Condition(name="hold", bodies=["b"], function=function, force=forces)
    return World(Scene(bodies=[body, *more], joints=joints, couplings=[condition]), **options)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_height_held_by_a_force_that_leans(integrator):
    """mu = m g / (n . k), and it drives sideways with m g (k_x / k_z); the work is that of the force, m v^2 / 2."""
    world = thruster(integrator=integrator)
    a = held_by_a_leaning_force(world)
    first = integrator in ("implicit", "explicit", "hernandez")
    # of first order x = a h^2 sum k
    assert world.bodies["b"].position == pytest.approx([0.5 * a * (1.0 + first / 240.0), 0.0, 1.0], abs=1e-9)
    energy = world.energy()
    assert energy.kinetic == pytest.approx(a * a, rel=1e-9)
    # force times way, of which a step of first order has half a step too much
    work = 2.0 * a * (0.5 * a * (1.0 + first / 240.0))
    assert energy.total - energy.ledger == pytest.approx(work, rel=1e-9)


def tilted(x, r):
    """A thruster fixed in the body, along its axis z"""
    return (x[0, 2] + 0.1 * math.sin(3.0 * x[0, 0]) - 1.0,)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("rattle", 2), ("rk4", 4)])
def test_the_ledger_closes_with_the_order(integrator, order):
    """Over a hilly height, a thruster in a turning body: what it does is what the figure gains."""
    forces = ((0.3, 0.1, 1.0, 0.02, 0.0, 0.05),)
    assert ledger_closes_with(order, lambda: thruster(function=tilted, forces=forces, integrator=integrator))


def test_a_blow_is_answered_along_the_force():
    """M dv - K mu = p, J dv = 0: mu = -p_z / k_z"""
    world = thruster()
    world.bodies["b"].apply_impulse((0.0, 0.0, 1.6))
    assert world.bodies["b"].velocity == pytest.approx([-1.6 * 0.75 / 2.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
def test_a_platform_under_three_thrusters(integrator):
    """Three heights of one body held by three that lean outwards and turn with it, for seconds"""
    corners = np.array([(0.3, 0.0, 0.0), (-0.15, 0.26, 0.0), (-0.15, -0.26, 0.0)])

    def heights(x, r):
        return np.array([x[0, 2] + r[0, 2, 0] * c[0] + r[0, 2, 1] * c[1] + r[0, 2, 2] * c[2] - 1.0 for c in corners])

    pushes = np.zeros((3, 6))
    for k, c in enumerate(corners):
        pushes[k, :3] = 0.2 * c[0] + 0.02, 0.2 * c[1], 1.0
        pushes[k, 3:] = np.cross(c, pushes[k, :3])
    body = Body(name="b", mass=2.0, inertia=(0.1, 0.1, 0.15), position=(0.0, 0.0, 1.0))
    condition = Condition(name="hold", bodies=["b"], function=heights, force=pushes, force_in="body")
    world = World(Scene(bodies=[body], couplings=[condition]), integrator=integrator)
    world.bodies["b"].angular_velocity = (0.0, 0.0, 2.0)
    world.step(720)
    assert world.largest_gap < 1e-6
    assert world.redone == 0
    # the multipliers' sum bears the weight, and their lean drives round with the turning body
    assert world.couplings["hold"].multipliers.sum() == pytest.approx(2.0 * G, rel=1e-3)
    assert world.bodies["b"].angular_velocity == pytest.approx([0.0, 0.0, 2.0], abs=0.02)


def test_over_a_moving_platform():
    """z_b = z_platform + 1, by a force on b alone: b follows a sine, and what is moved as told does the rest"""

    def above(x, r):
        return (x[1, 2] - x[0, 2] - 1.0,)

    platform = Moving(name="p", position=(0.0, 0.0, Sinusoid(0.0, 0.1, 2.0)))
    body = Body(name="b", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 1.0))
    for forces in (None, ((0, 0, 0, 0, 0, 0, *THRUST, 0, 0, 0),)):
        condition = Condition(name="c", bodies=["p", "b"], function=above, force=forces)
        world = World(Scene(bodies=[platform, body], couplings=[condition]), integrator="rk4")
        world.bodies["b"].velocity = (0.0, 0.0, 0.4 * math.pi)
        start = world.energy().ledger
        world.step(90)
        t = world.time
        acceleration = -0.1 * (4.0 * math.pi) ** 2 * math.sin(4.0 * math.pi * t)
        a = world.accelerations()[0]
        assert world.bodies["b"].position[2] == pytest.approx(1.0 + 0.1 * math.sin(4.0 * math.pi * t), abs=1e-8)
        assert a[2] == pytest.approx(acceleration, rel=1e-6)
        multiplier = 2.0 * (acceleration + G) / (1.0 if forces is None else THRUST[2])
        assert world.couplings["c"].multipliers == pytest.approx([multiplier], rel=1e-6)
        assert world.energy().ledger == pytest.approx(start, abs=1e-5)


# ---------------------------------------------------------------- what depends on others, and what cannot act
def test_a_force_that_cannot_act_is_named():
    """Sideways forces hold no height: named, and the body falls freely, also beside a condition that is held."""
    world = thruster(forces=((1.0, 0.0, 0.0, 0.0, 0.0, 0.0),))
    assert world.accelerations() == pytest.approx(np.array([[0.0, 0.0, -G, 0.0, 0.0, 0.0]]), abs=1e-9)
    world.step(24)
    assert world.contradictions == ["hold"]
    assert world.bodies["b"].position[2] == pytest.approx(1.0 - 0.5 * G * 0.01, abs=1e-9)


def test_repeated_and_contradicting_ones_are_named():
    body = Body(name="b", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 1.0))

    def world_of(other, forces):
        two = [
            Condition(name="one", bodies=["b"], function=height, force=((*THRUST, 0, 0, 0),)),
            Condition(name="two", bodies=["b"], function=other, force=forces),
        ]
        return World(Scene(bodies=[body], couplings=two))

    again = world_of(lambda x, r: (2.0 * x[0, 2] - 2.0,), ((0.1, 0.2, 1.0, 0, 0, 0),))
    again.step(24)
    assert len(again.redundant) == 1
    assert again.contradictions == []
    assert again.largest_gap < 1e-6
    against = world_of(lambda x, r: (x[0, 2] - 1.2,), ((0.1, 0.2, 1.0, 0, 0, 0),))
    against.step(24)
    assert len(against.contradictions) == 1
    assert np.isfinite(against.poses()).all()


def test_two_that_hold_each_other_up():
    """Neither force acts on its own row, each on the other's: the set as a whole is regular."""

    def far(x, r):
        return (x[0, 0],)

    body = Body(name="b", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 1.0))
    crossed = [
        Condition(name="up", bodies=["b"], function=height, force=((1.0, 0, 0, 0, 0, 0),)),
        Condition(name="aside", bodies=["b"], function=far, force=((0, 0, 1.0, 0, 0, 0),)),
    ]
    world = World(Scene(bodies=[body], couplings=crossed, gravity=(3.0, 1.0, -G)))
    assert world.accelerations() == pytest.approx(np.array([[0.0, 1.0, 0.0, 0.0, 0.0, 0.0]]), abs=1e-12)
    assert world.couplings["up"].multipliers == pytest.approx([-6.0])
    assert world.couplings["aside"].multipliers == pytest.approx([2.0 * G])
    world.step(60)
    assert world.redundant == world.contradictions == []


def test_beside_a_loop_that_has_nothing_to_do_with_it():
    """An island with such forces and one without: each moves as alone."""
    loop = support.ring_scene()
    body = Body(name="t", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 3.0, 1.0))
    condition = Condition(name="hold", bodies=["t"], function=height, force=((*THRUST, 0.0, 0.0, 0.0),))
    both = World(Scene(bodies=[*loop.bodies, body], joints=loop.joints, couplings=[condition]))
    alone = World(loop)
    for world in (both, alone):
        world.bodies["b"].velocity = (0.1, 0.4, -0.3)
        world.assemble()
        world.step(60)
    for name in ("a", "b"):
        assert both.bodies[name].position == pytest.approx(alone.bodies[name].position, abs=1e-10)
    assert both.bodies["t"].velocity == pytest.approx([0.25 * G * 0.75, 0.0, 0.0], abs=1e-9)
    assert both.joints["closing"].force == pytest.approx(alone.joints["closing"].force, abs=1e-6)


# ---------------------------------------------------------------- beside grabs, limits, contacts
@pytest.mark.parametrize("kind", ["point", "spring", "pose"])
@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "rk4"])
def test_grabbed(kind, integrator):
    """A grab pulls sideways against the lean of the force; both hold."""
    world = thruster(integrator=integrator)
    grab = world.grab("b", kind=kind, target=(0.1, 0.05, 1.0), cap=500.0)
    world.step(480)
    assert world.largest_gap < 1e-6
    body = world.bodies["b"]
    # at rest the pull is what the lean is in want of
    assert body.velocity == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    mu = world.couplings["hold"].multipliers[0]
    assert grab.force[0] == pytest.approx(-0.6 * mu, rel=1e-5)
    assert grab.force[2] == pytest.approx(2.0 * G - 0.8 * mu, abs=1e-4)
    assert body.position[:2] == pytest.approx([0.1, 0.05], abs=0.02 if kind == "spring" else 1e-4)


def test_a_grab_at_its_cap():
    """2 m g (k_x / k_z) = 14.7 N drive it; 10 N of a grab leave the rest."""
    world = thruster(integrator="implicit")
    grab = world.grab("b", kind="point", target=(-5.0, 0.0, 1.0), cap=10.0)
    world.step(24)
    assert np.linalg.norm(grab.force) == pytest.approx(10.0, rel=1e-5)
    before = world.bodies["b"].velocity[0]
    mu, pull = world.couplings["hold"].multipliers[0], grab.force
    world.step()
    gained = (world.bodies["b"].velocity[0] - before) * 240.0
    assert gained == pytest.approx((0.6 * mu + pull[0]) / 2.0, rel=1e-2)
    assert world.largest_gap < 1e-6


def test_against_a_stop():
    """A door of two wings, one held by a thruster on the other: at the stop the force is found together with it."""

    def angle(x, r):
        return (r[0, 0, 1] + 0.2,)

    wings = [Body(name=f"w{k}", mass=1.0, inertia=(0.01, 0.09, 0.09), position=(0.5, 0.0, 1.0 * k)) for k in range(2)]
    joints = [
        Hinge(name="left", a="world", b="w0", at=(0.0, 0.0, 0.0), axis=(0, 0, 1)),
        Hinge(
            name="right", a="world", b="w1", at=(0.0, 0.0, 1.0), axis=(0, 0, 1),
            limits=Limits(lower=-0.1, upper=0.1),
        ),
    ]  # fmt: skip
    # the sum of both turns stays; a moment on each, three times as much on the second
    turning = ((0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 0, 3.0),)

    def both(x, r):
        return (math.atan2(r[0, 1, 0], r[0, 0, 0]) + 0.5 * math.atan2(r[1, 1, 0], r[1, 0, 0]),)

    condition = Condition(name="c", bodies=["w0", "w1"], function=both, force=turning)
    world = World(Scene(bodies=wings, joints=joints, couplings=[condition], gravity=(0.0, 0.0, 0.0)))
    torque = 0.4
    world.bodies["w0"].applied_torque = (0.0, 0.0, torque)
    # I q0'' = T + mu, I q1'' = 3 mu, q0'' + q1'' / 2 = 0 with I = 0.09 + 0.25
    mu = -torque / 2.5
    assert world.accelerations()[:, 5] == pytest.approx([(torque + mu) / 0.34, 3.0 * mu / 0.34], rel=1e-9)
    world.step(480)
    # at rest at the stop: q1 = -0.1, T + mu = 0 and the stop pushes back with 3 T
    assert world.joints["right"].angle == pytest.approx(-0.1, abs=1e-6)
    assert world.joints["left"].angle == pytest.approx(0.05, abs=1e-6)
    assert world.couplings["c"].multipliers == pytest.approx([-torque], rel=1e-6)
    assert world.largest_gap < 1e-6


@pytest.mark.parametrize("method", ["anticipation", "newton"])
def test_on_a_floor(method):
    """Held at x = 0 by a force that leans upwards, dragged by wind: the floor bears what the force leaves of the
    weight."""

    def middle(x, r):
        return (x[0, 0],)

    assert_a_ball_is_held_on_a_floor(Condition(name="c", bodies=["b"], function=middle, force=UPWARDS), method)


def test_both_methods_of_contacts_agree_on_balls_in_a_line():
    """Three balls, one upon the other, kept in line by forces that lean, roll off each other with friction."""

    def line(x, r):
        return (x[0, 0] - 2.0 * x[1, 0] + x[2, 0], x[0, 1] - 2.0 * x[1, 1] + x[2, 1])

    balls = [
        Body(
            name=f"b{k}", mass=1.0 + k, inertia=3 * (0.02,), position=(0.05 * k, 0.02 * k, 0.2 + 0.4 * k),
            shapes=[Sphere(radius=0.2, friction=0.5)],
        )
        for k in range(3)
    ]  # fmt: skip
    push = np.zeros((2, 3, 6))
    push[0, :, 0], push[0, 1, 2] = (1.0, -1.0, 0.3), 0.4
    push[1, :, 1], push[1, 2, 2] = (0.7, -2.0, 1.0), -0.3
    condition = Condition(name="c", bodies=["b0", "b1", "b2"], function=line, force=push)
    scene = Scene(bodies=balls, couplings=[condition], shapes=[Plane(friction=0.5)])
    poses = {}
    for method in ("newton", "anticipation"):
        world = World(scene)
        world.contact_method = method
        world.step(120)
        assert world.contact_solution.method == method
        assert world.redone == 0
        assert world.largest_gap < 1e-9
        poses[method] = world.poses()[:, :3]
    # `newton` has the law regularised
    assert poses["newton"] == pytest.approx(poses["anticipation"], abs=5e-4)


def test_what_a_function_raises_is_told():
    def touchy(x, r):
        if x[0, 0] > 0.1:
            raise ValueError("too far")
        return (x[0, 2] - 1.0,)

    world = thruster(function=touchy)
    with pytest.raises(CannotContinueError, match="function of condition 'hold' failed with ValueError: too far"):
        world.step(240)
    assert world.bodies["b"].position[0] < 0.1


# ---------------------------------------------------------------- refusals
BODY = Body(name="b", mass=1.0, inertia=(0.1, 0.1, 0.1))


def refused(bodies=("b",), function=height, figure=(BODY,), **more):
    return Scene(bodies=figure, couplings=[Condition(name="c", bodies=bodies, function=function, **more)])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: refused(()), "one or more names of bodies"),
        (lambda: refused("b"), "one or more names of bodies"),
        (lambda: refused(("b", "b")), "each once"),
        (lambda: refused(("a",)), "the name of a body"),
        (lambda: refused(("b", "s"), figure=(BODY, Static(name="s"))), "static bodies are not arguments"),
        (lambda: refused(("m",), figure=(BODY, Moving(name="m"))), "at least one body that forces can move"),
        (lambda: refused(function=3.0), "a function of x, r"),
        (lambda: refused(function=lambda x, r: x[0, 2]), "one to six numbers in a row"),
        (lambda: refused(function=lambda x, r: np.zeros(7)), "one to six numbers in a row"),
        (lambda: refused(function=lambda x, r: (x[3, 0],)), "IndexError"),
        (lambda: refused(function=lambda x, r: (math.nan,)), "finite numbers"),
        (lambda: refused(jacobian=lambda x, r: np.zeros((1, 5))), r"shape \(1, 6\)"),
        (lambda: refused(jacobian=lambda x, r: np.zeros((1, 6))), "row 0, column 2 .velocity of b along z.*got .*0.0"),
        (lambda: refused(force=((1.0, 2.0),)), r"shape \(1, 2\).*allowed: shape \(1, 6\)"),
        (lambda: refused(force=lambda x, r: np.ones((2, 6))), r"shape \(2, 6\).*allowed: shape \(1, 6\)"),
        (lambda: refused(force=((1.0, 0, 0, 0, 0, math.inf),)), "finite numbers"),
        (lambda: refused(force=((0.0, 0, 0, 0, 0, 0),)), "row 0: got .*a force that is not zero"),
        (lambda: refused(force="up"), "numbers, or a function"),
        (lambda: refused(force=((0, 0, 1.0, 0, 0, 0),), force_in="space"), '"world" or "body"'),
        (lambda: refused(force_in="body"), "forces that are numbers"),
        (lambda: refused(length_scale=0.0), "length_scale of condition 'c'"),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DefinitionError, match=words):
        make()


def test_one_of_two_bodies_is_the_function():
    """The same equation as a function of two bodies gives the same motion."""

    def apart(xa, ra, xb, rb):
        d = xb + 0.1 * rb[:, 0] - xa
        return (math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 0.7,)

    def of_both(x, r):
        d = x[1] + 0.1 * r[1, :, 0] - x[0]
        return (math.sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 0.7,)

    pair = [
        Body(name="a", mass=1.0, inertia=(0.1, 0.2, 0.25)),
        Body(name="b", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.6, 0.0, 0.0)),
    ]
    function = Function(name="f", a="a", b="b", function=apart, auxiliary=True)
    condition = Condition(name="f", bodies=["a", "b"], function=of_both)
    worlds = [World(Scene(bodies=pair, joints=[function])), World(Scene(bodies=pair, couplings=[condition]))]
    for world in worlds:
        world.bodies["b"].velocity = (0.0, 1.0, 0.3)
        world.bodies["b"].angular_velocity = (0.4, -0.2, 0.9)
        world.assemble()
        world.step(60)
    assert worlds[0].poses() == pytest.approx(worlds[1].poses(), abs=1e-10)
    assert worlds[0].joints["f"].multipliers == pytest.approx(worlds[1].couplings["f"].multipliers, rel=1e-6)
