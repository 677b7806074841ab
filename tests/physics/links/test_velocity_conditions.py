"""Conditions on the velocities of several bodies, f(x, R, v, w) = J u = 0: against the conditions on poses whose rates
they are, the kinds that are built in, closed forms, and the law of energy."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.bodies import Body, Particle, PlanarBody
from physics.definitions.checks import DefinitionError
from physics.definitions.constraints import KnifeEdge, RollingDisk
from physics.definitions.couplings import Coupling
from physics.definitions.formulas import END, NAME, NUMBER, OPERATIONS, Program, VelocityConditionFormula, group_names
from physics.definitions.functions import Condition, VelocityCondition, VelocityFunction
from physics.definitions.joints import Ball
from physics.definitions.limits import Limits
from physics.definitions.motions import Moving
from physics.maths.rotations import matrix_of, rotation_quaternion
from physics.definitions.scene import Scene
from physics.definitions.signals import Sinusoid
from physics.solvers.modes import MODES
from physics.world.world import World
from tests.helpers import conditions as on_poses
from tests.helpers.cases.going_on import comes_back
from tests.helpers import figures
from tests.helpers.cases.carts import CART, MEAN, RADIUS, ROLLS, SPIN, WHEEL, G, cart, rail, rests, rolls, steered

FIRST_ORDER = ("implicit", "explicit", "hernandez")


# ---------------------------------------------------------------- the rate of a condition on poses
def sums_moving(x, r, v, w):
    """d/dt of `on_poses.sums`: weighted sums of the velocities of points"""
    total = np.zeros(3)
    for k in range(4):
        total += on_poses.WEIGHTS[k] * (v[k] + np.cross(w[k], r[k] @ on_poses.IN_BODY[k]))
    return total[1:]


def moving(how, seed=0, jacobian=on_poses.sums_rates, **options):
    """The figure of `on_poses`, in the same motion, whose condition is on velocities"""
    same = on_poses.in_motion(how, seed)
    condition = VelocityCondition(
        name="c", bodies=on_poses.NAMES, function=sums_moving, jacobian=jacobian, **on_poses.HOW[how]
    )
    joint = Ball(name="j", a="b0", b="b1", at=on_poses.JOINT)
    scene = Scene(bodies=on_poses.bodies(), joints=[joint], couplings=[condition], gravity=(0.3, -0.2, -G))
    world = World(scene, **options)
    for name in on_poses.NAMES:
        one, other = world.bodies[name], same.bodies[name]
        one.position, one.quaternion = other.position, other.quaternion
        one.velocity, one.angular_velocity = other.velocity, other.angular_velocity
    return world


@pytest.mark.parametrize("solver", list(MODES))
@pytest.mark.parametrize("how", on_poses.HOW)
def test_accelerations_of_a_dense_system(how, solver):
    world = moving(how, 1, solver=solver)
    expected, multipliers = on_poses.solved(world, how)
    assert world.accelerations() == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert world.couplings["c"].multipliers == pytest.approx(multipliers, rel=1e-9)
    assert np.abs(multipliers).max() > 0.1


def test_columns_and_the_jacobian_that_is_found():
    for how in on_poses.HOW:
        world = moving(how)
        given = world.accelerations()
        world.columns = "plain"
        assert world.accelerations() == pytest.approx(given, abs=1e-10)
        assert moving(how, jacobian=None).accelerations() == pytest.approx(given, abs=1e-10)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("how", ["along its rows", "fixed in the bodies"])
def test_motion_keeps_it(how, integrator):
    """f itself is 0 in the middle of steps: at their ends its rate shows, with the order of the method; and the numbers
    whose rate it is do not drift by more."""
    world = moving(how, 2, integrator=integrator)

    def values():
        x, u = world.poses(), np.array([[*body.velocity, *body.angular_velocity] for body in world.bodies.values()])
        r = np.array([matrix_of(q) for q in x[:, 3:7]])
        return sums_moving(x[:, :3], r, u[:, :3], u[:, 3:]), on_poses.sums(x[:, :3], r)

    started = values()[1]
    world.step(24)
    now, place = values()
    speed, way = (0.1, 1e-2) if integrator in FIRST_ORDER else (1e-6, 1e-6) if integrator == "rk4" else (2e-3, 1e-3)
    assert np.abs(now).max() < speed
    assert np.abs(place - started).max() < way
    assert world.redone == 0
    assert world.contradictions == []
    assert comes_back(world, 6)


# ---------------------------------------------------------------- the kinds that are built in
def of_both(x, r, v, w):
    return figures.velocity_value(x[0], r[0], v[0], w[0], x[1], r[1], v[1], w[1])


def of_both_jacobian(x, r):
    return figures.velocity_jacobian(x[0], r[0], x[1], r[1])


def slow(x, r, v, w):
    """What numba does not compile: an object of Python"""
    return [FACTOR.one * value for value in of_both(x, r, v, w)]


FACTOR = SimpleNamespace(one=1.0)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize(
    ("function", "jacobian"), [(of_both, of_both_jacobian), (of_both, None), (slow, of_both_jacobian), (slow, None)]
)
def test_one_of_two_bodies_is_the_velocity_function(function, jacobian, integrator):
    pair = [figures.random_body(np.random.default_rng(k), "ab"[k], np.array([0.6 * k, 0.1, 0.2])) for k in range(2)]
    tie = VelocityFunction(name="f", a="a", b="b", function=figures.velocity_value, auxiliary=True)
    condition = VelocityCondition(name="f", bodies=["a", "b"], function=function, jacobian=jacobian)
    worlds = [
        World(Scene(bodies=pair, joints=[tie]), integrator=integrator),
        World(Scene(bodies=pair, couplings=[condition]), integrator=integrator),
    ]
    for world in worlds:
        world.bodies["b"].velocity, world.bodies["b"].angular_velocity = (0.3, 1.0, 0.3), (0.4, -0.2, 0.9)
        world.assemble()
        world.step(60)
    assert worlds[1].poses() == pytest.approx(worlds[0].poses(), abs=1e-10)
    assert worlds[1].couplings["f"].multipliers == pytest.approx(worlds[0].joints["f"].multipliers, rel=1e-8)
    assert worlds[1].energy().ledger == pytest.approx(worlds[0].energy().ledger, abs=1e-9)


PLACE = np.array([0.6, 0.1, 0.3])


def blade(x, r, v, w):
    """The point 0.2 m ahead in the last body does not move along its y against the first one, which may be the same"""
    y = r[-1][:, 1]
    arm = 0.2 * r[-1][:, 0]
    slip = v[-1] + np.cross(w[-1], arm)
    if len(x) > 1:
        slip = slip - v[0] - np.cross(w[0], x[1] + arm - x[0])
    return (y[0] * slip[0] + y[1] * slip[1] + y[2] * slip[2],)


def ice(moved):
    """That stands (the world), or floats to and fro and turns"""
    if not moved:
        return "world", ()
    waves = (Sinusoid(0.0, 0.2, 1.0), 0.1, Sinusoid(0.0, 0.1, 2.0))
    return "ice", (Moving(name="ice", position=waves, rotation=(0.0, 0.0, Sinusoid(0.0, 0.5, 1.0))),)


@pytest.mark.parametrize("moved", [False, True])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_blade_is_the_knife_edge(integrator, moved):
    a, more = ice(moved)
    body = Body(name="b", mass=1.0, inertia=(0.1, 0.2, 0.25), position=PLACE)
    edge = KnifeEdge(name="f", a=a, b="b", at=PLACE + np.array([0.2, 0.0, 0.0]), lateral=(0.0, 1.0, 0.0))
    condition = VelocityCondition(name="f", bodies=["ice", "b"] if moved else ["b"], function=blade)
    worlds = []
    for tie in ({"joints": [edge]}, {"couplings": [condition]}):
        world = World(Scene(bodies=[*more, body], **tie, gravity=(1.0, 0.5, -2.0)), integrator=integrator)
        world.bodies["b"].velocity, world.bodies["b"].angular_velocity = (1.0, -0.2, 0.3), (0.3, 0.5, 1.0)
        world.assemble()
        worlds.append(world)
    assert worlds[1].accelerations() == pytest.approx(worlds[0].accelerations(), rel=1e-9, abs=1e-9)
    for world in worlds:
        world.step(60)
    assert worlds[0].redone == worlds[1].redone == 0
    assert worlds[1].poses() == pytest.approx(worlds[0].poses(), abs=1e-9)
    force = np.linalg.norm(worlds[0].joints["f"].force)
    assert abs(worlds[1].couplings["f"].multipliers[0]) == pytest.approx(force, rel=1e-8)
    assert worlds[1].energy().ledger == pytest.approx(worlds[0].energy().ledger, abs=1e-9)


@pytest.mark.parametrize("integrator", ["trbdf2", "rattle", "rk4"])
def test_a_disc_that_rolls(integrator):
    """Its height by a condition on poses, the rest by one on velocities"""
    turn = rotation_quaternion(np.array([0.3, 0.0, 0.0]))
    at = np.array([0.0, 0.0, RADIUS * math.cos(0.3)])
    body = Body(name="b", mass=1.0, inertia=(0.01, 0.02, 0.01), position=at, orientation=turn)
    axis = (0.0, math.cos(0.3), math.sin(0.3))
    built_in = RollingDisk(name="f", a="world", b="b", at=((0, 0, 0), at), normal=(0, 0, 1), axis=axis, radius=RADIUS)
    two = [
        Condition(name="rests", bodies=["b"], function=rests),
        VelocityCondition(name="rolls", bodies=["b"], function=rolls),
    ]
    worlds = []
    for tie in ({"joints": [built_in]}, {"couplings": two}):
        world = World(Scene(bodies=[body], **tie), integrator=integrator)
        world.bodies["b"].angular_velocity = (0.2, 6.0, 0.5)
        world.assemble()
        worlds.append(world)
    assert worlds[1].accelerations() == pytest.approx(worlds[0].accelerations(), rel=1e-9, abs=1e-9)
    for world in worlds:
        world.step(60)
    assert worlds[0].bodies["b"].position[0] > 0.08
    assert worlds[1].poses() == pytest.approx(worlds[0].poses(), abs=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_torque_on_one_wheel_drives_the_cart(integrator):
    """M v' = mu, I s_1' = T - R mu / 2, I s_2' = -R mu / 2 and v' = R (s_1' + s_2') / 2: v' = R T / (2 I + M R^2)"""
    torque, mass = 0.7, CART + 2.0 * WHEEL
    expected = RADIUS * torque / (2.0 * SPIN + mass * RADIUS**2)
    world = cart(rail(), [MEAN], integrator=integrator)
    kept = Coupling(name="mean", terms={"rail": 1.0, "left": -RADIUS / 2, "right": -RADIUS / 2})
    other = cart(rail(), [kept], integrator=integrator)
    for one in (world, other):
        one.bodies["left"].applied_torque = (0.0, torque, 0.0)
    assert world.accelerations()[0, 0] == pytest.approx(expected, rel=1e-12)
    assert other.accelerations() == pytest.approx(world.accelerations(), abs=1e-10)
    assert world.couplings["mean"].multipliers == pytest.approx([mass * expected], rel=1e-11)
    for one in (world, other):
        one.step(240)
    assert world.redone == 0
    assert world.bodies["cart"].velocity == pytest.approx([expected, 0.0, 0.0], abs=1e-9)
    # the coupling is of angles, whose discrete turn is not quite the time's integral of the speed
    assert world.poses()[:, :3] == pytest.approx(other.poses()[:, :3], abs=2e-5)
    assert world.bodies["right"].angular_velocity[1] < -1.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_cart_with_a_differential_goes_in_a_circle(integrator):
    """Nothing accelerates the wheels: speeds stay, r = v / w. Any place can be reached at any angle of the wheels."""
    world = steered(integrator)
    energy = world.energy().total
    assert world.accelerations()[1:, 4] == pytest.approx([0.0, 0.0], abs=1e-9)
    world.step(480)
    speed, turn = 1.0, 0.4
    angle, circle = 2.0 * turn, speed / turn
    # of first order, half a step ahead
    near = 2.0 / 240.0 if integrator in FIRST_ORDER else 2e-5
    expected = [circle * math.sin(angle), circle * (1.0 - math.cos(angle)), RADIUS]
    assert world.bodies["cart"].position == pytest.approx(expected, abs=near)
    assert world.energy().total == pytest.approx(energy, rel=1e-3 if integrator in FIRST_ORDER else 1e-6)
    assert world.redone == 0


@pytest.mark.parametrize(("integrator", "order"), [("rattle", 2), ("rattle4", 2), ("trbdf2", 2), ("rk4", 4)])
def test_energy_on_a_slope_is_kept_with_the_order(integrator, order):
    """Up a slope, aside and back in a curve; J^T mu does no work."""

    def off(steps):
        world = steered(integrator, gravity=(1.0, -3.0, -9.0))
        before = world.energy()
        world.timestep = 1.0 / steps
        world.step(2 * steps)
        after = world.energy()
        assert world.redone == 0
        assert abs(after.kinetic - before.kinetic) > 3.0
        assert after.total - after.ledger == pytest.approx(before.total - before.ledger, abs=1e-12)
        return abs(after.total - before.total)

    assert off(240) < off(120) / 2.0 ** (order - 0.3)
    assert off(240) < (1e-4 if order == 2 else 1e-10)


# ---------------------------------------------------------------- forces of their own
BODY = Body(name="b", mass=2.0, inertia=(0.1, 0.2, 0.25), position=(0.0, 0.0, 1.0))


def sinks(x, r, v, w):
    return (v[0, 2],)


def hovering(function=sinks, forces=((*on_poses.THRUST, 0.0, 0.0, 0.0),), **options):
    condition = VelocityCondition(name="hold", bodies=["b"], function=function, force=forces)
    return World(Scene(bodies=[BODY], couplings=[condition]), **options)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_sinks_not_by_a_force_that_leans(integrator):
    """mu = m g / k_z, and it drives sideways with g k_x / k_z; the work is that of the force."""
    world = hovering(integrator=integrator)
    a = on_poses.held_by_a_leaning_force(world)
    energy = world.energy()
    late = (integrator in FIRST_ORDER) / 240.0
    assert energy.total - energy.ledger == pytest.approx(a * a * (1.0 + late), rel=1e-9)


def hilly(x, r, v, w):
    """The rate of `on_poses.tilted`"""
    return (v[0, 2] + 0.3 * math.cos(3.0 * x[0, 0]) * v[0, 0],)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("rattle", 2), ("rk4", 4)])
def test_the_ledger_closes_with_the_order(integrator, order):
    forces = ((0.3, 0.1, 1.0, 0.02, 0.0, 0.05),)
    assert on_poses.ledger_closes_with(order, lambda: hovering(hilly, forces, integrator=integrator))


def apart(x, r, v, w):
    return (v[1, 2] - v[0, 2],)


@pytest.mark.parametrize("forces", [None, ((0, 0, 0, 0, 0, 0, *on_poses.THRUST, 0, 0, 0),)])
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_along_with_a_moving_platform(integrator, forces):
    """v_b = v_platform along z, with a force on b alone or on both: b follows a sine, what is told does the rest."""
    platform = Moving(name="p", position=(0.0, 0.0, Sinusoid(0.0, 0.1, 2.0)))
    condition = VelocityCondition(name="c", bodies=["p", "b"], function=apart, force=forces)
    world = World(Scene(bodies=[platform, BODY], couplings=[condition]), integrator=integrator)
    world.bodies["b"].velocity = (0.0, 0.0, 0.4 * math.pi)
    start = world.energy().ledger
    world.step(90)
    fast = 4.0 * math.pi
    acceleration = -0.1 * fast**2 * math.sin(fast * world.time)
    near = {"rk4": 1e-8, "rattle4": 1e-6, "trbdf2": 1e-4, "rattle": 1e-4}.get(integrator, 5e-3)
    assert world.redone == 0
    a = world.accelerations()[0]
    assert world.bodies["b"].position[2] == pytest.approx(1.0 + 0.1 * math.sin(fast * world.time), abs=near)
    assert a[2] == pytest.approx(acceleration, rel=1e-9, abs=1e-9)
    multiplier = 2.0 * (acceleration + G) / (1.0 if forces is None else on_poses.THRUST[2])
    assert world.couplings["c"].multipliers == pytest.approx([multiplier], rel=1e-9)
    assert world.energy().ledger == pytest.approx(start, abs=100.0 * near)


# ---------------------------------------------------------------- beside grabs, limits, contacts, and other bodies
def test_a_blow_and_what_was_not_in_keeping_with_it():
    """M dv - K mu = p, J dv = 0; and `assemble` takes the least change of velocities, along J."""
    world = hovering()
    world.bodies["b"].apply_impulse((0.0, 0.0, 1.6))
    assert world.bodies["b"].velocity == pytest.approx([-1.6 * 0.75 / 2.0, 0.0, 0.0], abs=1e-12)
    world = cart(rail(), [MEAN])
    world.bodies["left"].angular_velocity = (0.0, 3.0, 0.0)
    world.assemble()
    assert world.bodies["cart"].velocity[0] == pytest.approx(
        0.5 * RADIUS * sum(world.bodies[n].angular_velocity[1] for n in ("left", "right")), abs=1e-12
    )


@pytest.mark.parametrize("kind", ["point", "spring"])
def test_a_cart_that_is_grabbed(kind):
    world = cart(rail(), [MEAN], integrator="implicit")
    world.grab("cart", kind=kind, target=(0.3, 0.0, RADIUS), cap=500.0)
    world.step(480)
    assert world.bodies["cart"].position[0] == pytest.approx(0.3, abs=1e-3)
    turned = sum(world.joints[n].angle for n in ("left", "right"))
    # the condition is on speeds: the place follows it with the order of the method
    assert 0.5 * RADIUS * turned == pytest.approx(0.3, abs=1e-3)


@pytest.mark.parametrize("method", ["anticipation", "newton"])
def test_against_a_stop(method):
    """The rail ends: mu bears on the wheel with what drives it, T = R mu / 2, and the other wheel runs backwards."""
    world = cart(rail(limits=Limits(lower=-0.1, upper=0.1)), [MEAN])
    world.contact_method = method
    world.bodies["left"].applied_torque = (0.0, 0.5, 0.0)
    world.step(480)
    assert world.bodies["cart"].position[0] == pytest.approx(0.1, abs=1e-4)
    # I s_1' = T - R mu / 2, I s_2' = -R mu / 2, s_1' + s_2' = 0: mu = T / R
    assert world.couplings["mean"].multipliers == pytest.approx([0.5 / RADIUS], rel=1e-5)
    spins = [world.bodies[n].angular_velocity[1] for n in ("left", "right")]
    assert spins[0] == pytest.approx(-spins[1], abs=1e-5)


@pytest.mark.parametrize("method", ["anticipation", "newton"])
def test_on_a_floor(method):
    """Kept from going aside by a force that leans upwards, dragged by wind: the floor bears what is left."""

    def aside(x, r, v, w):
        return (v[0, 0],)

    condition = VelocityCondition(name="c", bodies=["b"], function=aside, force=on_poses.UPWARDS)
    on_poses.assert_a_ball_is_held_on_a_floor(condition, method)


def test_a_force_that_cannot_act_is_named():
    world = hovering(forces=((1.0, 0.0, 0.0, 0.0, 0.0, 0.0),))
    assert world.accelerations() == pytest.approx(np.array([[0.0, 0.0, -G, 0.0, 0.0, 0.0]]), abs=1e-9)
    world.step(24)
    assert world.contradictions == ["hold"]


def test_with_a_particle():
    """A bead that goes as fast as a body turns: I w' = -mu, m v' = mu + F, v = w"""

    def winch(x, r, v, w):
        return (v[1, 0] - w[0, 2],)

    bead = Particle(name="p", mass=3.0, position=(1.0, 0.0, 0.0))
    condition = VelocityCondition(name="c", bodies=["b", "p"], function=winch)
    world = World(Scene(bodies=[BODY, bead], couplings=[condition], gravity=(2.0, 0.0, 0.0)))
    assert world.accelerations()[1, 0] == pytest.approx(3.0 * 2.0 / 3.25, rel=1e-12)
    world.step(120)
    assert world.bodies["p"].velocity[0] == pytest.approx(0.5 * 6.0 / 3.25, rel=1e-9)


def winch(x, r, v, w):
    return (v[2, 0] - RADIUS * (w[0, 2] - w[1, 2]),)


@pytest.mark.parametrize("solver", list(MODES))
def test_with_planar_bodies(solver):
    """A bead goes by the difference of two wheels: I w_a' = -R mu, I w_b' = R mu, m v' = m g + mu, v = R (w_a - w_b)"""
    wheels = [PlanarBody(name=name, mass=1.0, inertia=0.1, position=(k, 0, 0)) for k, name in enumerate("ab")]
    bead = Particle(name="p", mass=0.5, position=(0.0, 1.0, 0.0))
    condition = VelocityCondition(name="c", bodies=["a", "b", "p"], function=winch)
    world = World(Scene(bodies=[*wheels, bead], couplings=[condition], gravity=(3.0, 0.0, 0.0)), solver=solver)
    mu = -3.0 / (1.0 / 0.5 + 2.0 * RADIUS**2 / 0.1)
    expected = [[3.0, -RADIUS * mu / 0.1], [3.0, RADIUS * mu / 0.1], [3.0 + mu / 0.5, 0.0]]
    assert world.accelerations()[:, [0, 5]] == pytest.approx(np.array(expected), rel=1e-12)
    assert world.couplings["c"].multipliers == pytest.approx([mu], rel=1e-12)


# ---------------------------------------------------------------- by formulas
def formulas(*texts):
    """Formulas in postfix: names, numbers, operations"""
    names, code, numbers = group_names(3), [], []
    for text in texts:
        for word in text.split():
            if word in names:
                code.append((NAME, names.index(word)))
            elif word in OPERATIONS:
                code.append((OPERATIONS[word], 0))
            else:
                code.append((NUMBER, len(numbers)))
                numbers.append(float(word))
        code.append((END, 0))
    return Program(tuple(code), tuple(numbers))


AHEAD = "wx2 wx3 + Yx1 * wy2 wy3 + Yy1 * + wz2 wz3 + Yz1 * + -0.1 * vx1 Xx1 * vy1 Xy1 * + vz1 Xz1 * + +"
ASIDE = "vx1 Yx1 * vy1 Yy1 * + vz1 Yz1 * +"
TURNS = "wx3 wx2 - Yx1 * wy3 wy2 - Yy1 * + wz3 wz2 - Yz1 * + -0.2 * wz1 +"


def test_a_differential_by_formulas_is_the_same():
    told = VelocityConditionFormula(
        name="rolls", bodies=["cart", "left", "right"], program=formulas(AHEAD, ASIDE, TURNS)
    )
    one, other = (steered("rk4", rolls=rolls) for rolls in (ROLLS, told))
    for world in (one, other):
        world.bodies["left"].applied_torque = (0.0, 0.3, 0.0)
        world.step(120)
    assert other.poses() == pytest.approx(one.poses(), abs=1e-10)


@pytest.mark.parametrize("frame", [np.eye(3), np.array([(0.0, 1.0, 0.0), (0.8, 0.0, 0.6), (-0.6, 0.0, 0.8)])])
def test_every_name_is_what_it_says(frame):
    """Velocities of points and angular velocities along axes; where these are left-handed, turning is reversed."""
    points = [(0.1, 0.2, 0.3), (0.7, 0.0, 0.4)]
    pair = {name: figures.random_body(np.random.default_rng(k), name, PLACE + 0.3 * k) for k, name in enumerate("ab")}
    for begin in range(0, 36, 6):
        words = group_names(2)[begin : begin + 6]
        # of a place nothing is linear in velocities
        program = formulas(*(w if w[0] in "vw" else f"{w} vx1 *" for w in words))
        told = VelocityConditionFormula(
            name="c", bodies=["a", "b"], program=program, points=points, frame=frame, origin=(0.05, 0.06, 0.07)
        )
        told.check(pair, {})
        x, r = told.moved(told.drawn, np.linspace(-0.5, 0.6, 12))
        v, w = np.linspace(-1.0, 1.3, 12).reshape(2, 2, 3)
        k = begin // 18
        turn = r[k] @ told.drawn[1][k].T
        arm = turn @ (np.array(points[k]) - told.drawn[0][k])
        first_arm = r[0] @ told.drawn[1][0].T @ (np.array(points[0]) - told.drawn[0][0])
        along = frame[0] @ (v[0] + np.cross(w[0], first_arm))
        place = frame @ (x[k] + arm - (0.05, 0.06, 0.07))
        axes = (frame @ turn @ frame.T).T.ravel()
        hand = np.linalg.det(frame)
        moved = [*(frame @ (v[k] + np.cross(w[k], arm))), *(hand * frame @ w[k])]
        expected = np.array([*(along * place), *(along * axes), *moved])[begin % 18 :][:6]
        assert told.function(x, r, v, w) == pytest.approx(expected, abs=1e-13)


# ---------------------------------------------------------------- refusals
def refused(function=sinks, bodies=("b",), **more):
    return Scene(bodies=[BODY], couplings=[VelocityCondition(name="c", bodies=bodies, function=function, **more)])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: refused(3.0), "function of velocity condition 'c': got 3.0, allowed: a function of x, r, v, w"),
        (lambda: refused(jacobian=1), "jacobian .*a function of x, r$"),
        (lambda: refused(lambda x, r, v, w: (v[0, 2] - 0.1,)), "at rest: got .*0: linear in the velocities"),
        (lambda: refused(lambda x, r, v, w: (v[0, 2] ** 2,)), "the sum of what each velocity gives by itself"),
        (lambda: refused(lambda x, r: (x[0, 2],)), "TypeError"),
        (lambda: refused(lambda x, r, v, w: np.zeros(7)), "one to six numbers"),
        (lambda: refused(jacobian=lambda x, r: np.zeros((1, 6))), "row 0, column 2 .velocity of b along z.*got .*0.0"),
        (lambda: refused(force=((1.0, 2.0),)), r"shape \(1, 2\).*allowed: shape \(1, 6\)"),
        (lambda: refused(bodies=("world",)), "the name of a body"),
        (
            lambda: VelocityFunction(name="f", a="a", b="b", function=of_both, force=2.0),
            "force of velocity function constraint 'f': .*a VelocityCondition on its bodies, in Scene.couplings",
        ),
        (
            lambda: VelocityConditionFormula(name="c", bodies=["b"], program=formulas("vx2")),
            "a coordinate of body 2', allowed: x1 to wz1: of 1 bodies",
        ),
    ],
)
def test_refusals(make, words):
    with pytest.raises(DefinitionError, match=words):
        make()
