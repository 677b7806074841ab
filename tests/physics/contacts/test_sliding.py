"""What is set down, thrown or dropped obliquely stays on the floor; its friction is Coulomb's from the first step."""

import itertools
import math

import numpy as np
import pytest

from physics.definitions.motions import Moving
from physics.definitions.bodies import Body
from physics.definitions.scene import Scene
from physics import Box, Capsule, Cylinder, Plane, Sphere
from physics.definitions.signals import Sinusoid
from physics.world.world import World
from tests.helpers.contact_figures import GRAVITY, ball, box, tilted, world_of

METHODS = ["newton", "anticipation", "auto"]
RISE, SPEED = 1e-7, 1e-6  # m, m/s: what does not bounce does not leave the floor


def forces(world: World) -> np.ndarray:
    return np.sum([c.force for c in world.contacts()], axis=0)


@pytest.mark.parametrize("timestep", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("method", METHODS)
def test_a_box_that_is_set_down_sliding_stays_on_the_floor(method, timestep):
    """5 m/s, friction 0.5: by the lagged lift of the convex cone it rose with 1.99 m/s at every timestep."""
    slab = Body(
        name="b", mass=1, inertia=(0.01,) * 3, position=(0, 0, 0.1), velocity=(5, 0, 0),
        shapes=[Box(size=(0.4, 0.4, 0.2), friction=0.5)],
    )  # fmt: skip
    world = World(Scene(bodies=[slab], shapes=[Plane(friction=0.5)], timestep=timestep))
    world.contact_method = method
    view = world.bodies["b"]
    for _ in range(round(0.5 / timestep)):
        before = view.velocity[0]
        world.step()
        assert view.velocity[2] < SPEED
        assert view.position[2] - 0.1 < RISE
        assert forces(world)[2] == pytest.approx(GRAVITY, rel=1e-3)
        assert before - view.velocity[0] == pytest.approx(0.5 * GRAVITY * timestep, rel=1e-3)


# ---------------------------------------------------------------- set-downs
def low_box(mu: float):
    return (0.3, 0.3, 0.05), [Box(size=(0.6, 0.6, 0.1), friction=mu)]


def low_cylinder(mu: float):
    return (0.3, 0.3, 0.05), [Cylinder(radius=0.3, length=0.1, friction=mu)]


def sledge(mu: float):
    """Two capsules along x"""
    along = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)
    runners = [
        Capsule(radius=0.05, length=0.6, position=(0, y, 0), orientation=along, friction=mu) for y in (-0.2, 0.2)
    ]
    return (0.35, 0.25, 0.05), runners


SHAPES = {"box": low_box, "cylinder": low_cylinder, "sledge": sledge}
SPEEDS = (0.1, 1.0, 5.0, 30.0)
FRICTIONS = (0.0, 0.2, 0.5, 1.0, 2.0)
# every pair of two of these occurs
CASES = [
    (shape, v, mu, (1 / 60, 1 / 240, 1 / 1000)[(i + 2 * j + k) % 3], (0.0, 0.15, -0.1)[(2 * i + j + k) % 3])
    for (i, shape), (j, v), (k, mu) in itertools.product(enumerate(SHAPES), enumerate(SPEEDS), enumerate(FRICTIONS))
]


@pytest.mark.parametrize("method", ["newton", "auto"])
@pytest.mark.parametrize(("shape", "speed", "mu", "timestep", "slope"), CASES)
def test_what_is_set_down_stops_where_coulomb_says(shape, speed, mu, timestep, slope, method):
    """In each step gravity adds to v, and friction takes from it what it can; the way is the sum of h v, which to the
    first order of the integrator is v^2 / 2a with a = g (mu cos - sin)."""
    half, shapes = SHAPES[shape](mu)
    a, b, c = (x * x for x in half)
    body = Body(
        name="b", mass=2.0, inertia=((b + c) / 1.5, (a + c) / 1.5, (a + b) / 1.5), position=(0, 0, half[2]),
        velocity=(speed, 0, 0), shapes=shapes,
    )  # fmt: skip
    world = world_of(body, floor=Plane(friction=mu), gravity=tilted(slope), timestep=timestep)
    world.contact_method = method
    view = world.bodies["b"]
    rubs, pulls = mu * GRAVITY * math.cos(slope), GRAVITY * math.sin(slope)
    brake = rubs - pulls
    v, x = speed, 0.0
    steps = min(240, math.ceil(speed / (brake * timestep)) + 5) if brake > 0.0 else 100
    for _ in range(steps):
        world.step()
        v += pulls * timestep
        v = math.copysign(max(0.0, abs(v) - rubs * timestep), v)
        x += v * timestep
        assert view.velocity[2] < SPEED
        assert view.position[2] - half[2] < RISE
        assert view.velocity[0] == pytest.approx(v, rel=1e-3, abs=1e-3 * GRAVITY * timestep)
    assert view.position[0] == pytest.approx(x, rel=1e-3, abs=1e-6)
    if steps < 240 and rubs > abs(pulls):
        assert abs(view.position[0] - 0.5 * speed**2 / brake) <= 0.51 * speed * timestep + 1e-3 * x
        world.step(10)
        assert np.linalg.norm(view.velocity) < SPEED


# ---------------------------------------------------------------- oblique landings
@pytest.mark.parametrize(("tolerance", "exact"), [(1e-3, 1e-3), (1e-10, 1e-8)])
@pytest.mark.parametrize("timestep", [1 / 60, 1 / 240, 1 / 1000])
@pytest.mark.parametrize("mu", [0.0, 0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("method", METHODS)
def test_a_ball_lands_obliquely(method, mu, timestep, tolerance, exact):
    """It takes J_n = m (2 + g h), and across it mu J_n, or what it takes to roll: m 5 / (1 + m r^2 / I) = 10 m / 7. By
    the lagged lift it left with 0.61 m/s where mu is 0.2."""
    mass, speed, down = 1.5, 5.0, 2.0
    world = world_of(
        ball("b", (0, 0, 0.1), 0.1, mass, velocity=(speed, 0, -down), friction=mu), floor=Plane(friction=mu),
        timestep=timestep,
    )  # fmt: skip
    world.contact_method = method
    world.contact_tolerance = tolerance
    world.step()
    normal = mass * (down + GRAVITY * timestep)
    across = min(mu * normal, mass * speed / 3.5)
    assert forces(world) * timestep == pytest.approx([-across, 0.0, normal], rel=exact, abs=exact * normal)
    view = world.bodies["b"]
    assert view.velocity == pytest.approx([speed - across / mass, 0.0, 0.0], abs=exact * normal / mass)
    assert view.angular_velocity[1] == pytest.approx(across / (0.4 * mass * 0.1), abs=10.0 * exact * normal)
    assert view.velocity[2] < SPEED
    world.step(round(0.2 / timestep))
    assert view.position[2] - 0.1 < RISE
    spin = 2.5 * (speed - view.velocity[0]) / 0.1  # friction turns it
    assert view.angular_velocity[1] == pytest.approx(spin, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_newton_lands_bodies_as_exact_pivoting_does(seed):
    """Boxes, capsules and balls, turned and spinning: their velocities after the impact"""
    rng = np.random.default_rng(seed)
    q = rng.normal(size=4)
    q /= np.linalg.norm(q)
    mu = rng.choice([0.1, 0.3, 0.6])
    shape = [
        Box(size=(0.2, 0.3, 0.4), friction=mu), Capsule(radius=0.1, length=0.3, friction=mu),
        Sphere(radius=0.15, friction=mu),
    ][seed % 3]  # fmt: skip
    body = Body(
        name="b", mass=1.0, inertia=(0.02, 0.018, 0.012), position=(0, 0, 1.0), orientation=tuple(q),
        velocity=(*rng.normal(size=2) * 4.0, -rng.uniform(0.5, 3.0)), angular_velocity=tuple(rng.normal(size=3) * 3.0),
        shapes=[shape],
    )  # fmt: skip
    found = {}
    for method, tolerance in (("anticipation", 1e-12), ("newton", 1e-10), ("newton", 1e-3)):
        world = world_of(body, floor=Plane(friction=mu))
        world.contact_method, world.contact_tolerance = method, tolerance
        while world.contact_solution.pressing == 0:
            world.step()
        view = world.bodies["b"]
        found[tolerance] = np.r_[view.velocity, view.angular_velocity * 0.15]
        assert world.time > 0.05
    size = abs(found[1e-12]).max()
    assert found[1e-10] == pytest.approx(found[1e-12], abs=1e-8 * size)
    assert found[1e-3] == pytest.approx(found[1e-12], abs=1e-3 * size)


# ---------------------------------------------------------------- plates that move
@pytest.mark.parametrize("method", METHODS)
def test_a_block_sticks_and_slips_on_a_shaken_plate(method):
    """The plate's acceleration goes up to 1.3 mu g: the block keeps up with it as far as friction lets it,
    v <- V within v +- mu g h, V being the plate's velocity at the end of the step."""
    mu, h = 0.4, 1 / 240
    swing, rate = 1.3 * mu * GRAVITY / (2 * math.pi * 3.0) ** 2, 3.0
    plate = Moving(
        name="plate", position=(Sinusoid(amplitude=swing, frequency=rate), 0, 0),
        shapes=[Box(size=(4, 4, 0.2), friction=mu)],
    )  # fmt: skip
    world = World(Scene(bodies=[plate, box("b", (0, 0, 0.15), (0.2, 0.2, 0.05), friction=mu)]), integrator="implicit")
    world.contact_method = method
    view = world.bodies["b"]
    v, stuck = 0.0, 0
    for _ in range(240):
        world.step()
        wanted = world.bodies["plate"].velocity[0]
        most = mu * GRAVITY * h
        stuck += abs(wanted - v) < most
        v = min(max(wanted, v - most), v + most)
        assert view.velocity[0] == pytest.approx(v, abs=1e-3 * most)
        assert abs(view.velocity[2]) < SPEED
        assert view.position[2] - 0.15 < RISE
        v = view.velocity[0]
    assert 20 < stuck < 220


# ---------------------------------------------------------------- heaps
@pytest.mark.parametrize("speed", [3.0, 10.0])
@pytest.mark.parametrize("method", METHODS)
def test_boxes_thrown_onto_a_heap_gain_nothing(method, speed):
    """Boxes with a plank on them; one more is set down sliding on it, another comes in obliquely. No energy comes from
    anywhere, and the first stays on the plank (by the lagged lift it left with 0.4 of its speed)."""
    look = {"friction": 0.6}
    bodies = [box(f"b{i}", (0.5 * i, 0, 0.1), (0.2, 0.2, 0.1), 4.0, **look) for i in range(5)]
    bodies.append(box("plank", (1.0, 0, 0.23), (1.2, 0.2, 0.03), 4.0, **look))
    bodies.append(box("flat", (0.2, 0, 0.31), (0.1, 0.1, 0.05), 1.0, velocity=(speed, 0, 0), **look))
    bodies.append(box("thrown", (-1.0, 0, 1.0), (0.1, 0.1, 0.1), 1.0, velocity=(speed, 0, -speed), **look))
    world = world_of(*bodies, floor=Plane(friction=0.6))
    world.contact_method = method
    energy = world.energy().total
    for k in range(240):
        world.step()
        now = world.energy().total
        assert now < energy + 1e-3  # what overlaps by the step of an impact is pushed out
        energy = now
        if k < 10:
            assert world.bodies["flat"].velocity[2] < 5e-3
            assert world.bodies["flat"].position[2] - 0.31 < 1e-4
    assert world.redone == 0
