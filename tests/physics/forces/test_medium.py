"""Wind, drag and a viscous medium: closed forms, coefficients, stability, work of the wind, all modes, refusals."""

import math

import numpy as np
import pytest

from physics.maths.rotations import rotation_quaternion
from physics.definitions.actuators import TargetSpring
from physics.definitions.medium import Fluid, slow_drag
from physics.definitions.bodies import Body, Particle, PlanarBody, ScaledBody, Static
from physics.definitions.checks import DefinitionError
from physics.definitions.joints import Ball
from physics.definitions.scene import Scene
from physics import Box, Capsule, Cylinder, Hull, Plane, Sphere
from physics.definitions.shapes.compound import CompoundShape
from physics.definitions.signals import Sinusoid
from physics.solvers.modes import MODES
from physics.world.world import World

BALL = Sphere(radius=0.1)
ALL = ("trbdf2", "implicit", "rattle", "rk4", "explicit")


def body(**more):
    return Body(name="b", mass=2.0, inertia=more.pop("inertia", (0.1, 0.1, 0.1)), **more)


def alone(fluid, integrator="trbdf2", steps=240, gravity=0.0, **more):
    scene = Scene(bodies=[body(**more)], medium=fluid, gravity=(0.0, 0.0, -gravity), timestep=1.0 / steps)
    return World(scene, integrator=integrator)


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("explicit", 1), ("rk4", 4)])
def test_fall_in_water(integrator, order):
    """m v' = m g - rho C A v^2 / 2 from rest: v = v_t tanh(g t / v_t)."""
    quadratic = 0.5 * 1000.0 * 0.47 * math.pi * 0.01
    terminal = math.sqrt(2.0 * 9.81 / quadratic)
    errors = []
    for steps in (40, 80):
        world = alone(Fluid(density=1000.0, shapes={"b": BALL}), integrator, steps, 9.81)
        world.step(steps // 5)
        errors.append(abs(world.bodies["b"].velocity[2] + terminal * math.tanh(9.81 * 0.2 / terminal)))
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.3)
    assert errors[1] < 0.05


@pytest.mark.parametrize(("integrator", "order"), [("implicit", 1), ("trbdf2", 2), ("rk4", 4)])
def test_honey(integrator, order):
    """Stokes: v = v0 exp(-6 pi mu r t / m), w = w0 exp(-8 pi mu r^3 t / I)."""
    slow, turning = 6.0 * math.pi * 10.0 * 0.1 / 2.0, 8.0 * math.pi * 10.0 * 0.001 / 0.1
    errors = []
    for steps in (40, 80):
        fluid = Fluid(viscosity=10.0, shapes={"b": BALL})
        world = alone(fluid, integrator, steps, velocity=(1.0, 0, 0), angular_velocity=(0, 2.0, 0))
        world.step(steps // 10)
        errors.append([
            abs(world.bodies["b"].velocity[0] - math.exp(-0.1 * slow)),
            abs(world.bodies["b"].angular_velocity[1] - 2.0 * math.exp(-0.1 * turning)),
        ])  # fmt: skip
    assert np.divide(*errors) == pytest.approx([2.0**order] * 2, rel=0.2)


@pytest.mark.parametrize("integrator", ["implicit", "trbdf2"])
@pytest.mark.parametrize("viscosity", [1e2, 1e6])
def test_stiff_medium_stops_a_figure(integrator, viscosity):
    """A tumbling chain in ever thicker honey at 1/60: it comes to rest, nothing is redone, no energy is made."""
    bodies = [Body(name=f"b{i}", mass=1.0, inertia=(0.01, 0.02, 0.02), position=(0.5 + i, 0, 0)) for i in range(3)]
    joints = [Ball(name=f"j{i}", a=f"b{i - 1}" if i else "world", b=f"b{i}", at=(i, 0, 0)) for i in range(3)]
    shapes = {f"b{i}": Capsule.between((-0.4, 0, 0), (0.4, 0, 0), 0.05) for i in range(3)}
    scene = Scene(
        bodies=bodies, joints=joints, medium=Fluid(density=1000.0, viscosity=viscosity, shapes=shapes), timestep=1 / 60
    )
    world = World(scene, integrator=integrator)
    world.bodies["b2"].apply_impulse((0.0, 5.0, 3.0))
    start = world.energy().total
    for _ in range(20):
        world.step()
        assert world.energy().total < start + 1e-9
    assert world.redone == 0
    assert np.abs([b.velocity for b in world.bodies.values()]).max() < 100.0 / viscosity


@pytest.mark.parametrize("integrator", ALL)
def test_wind_carries_along(integrator):
    """A ball at rest in a wind of 8 m/s: m v' = k (8 - v)^2, 8 - v = 8 / (1 + 8 k t / m). The wind's work less what the
    drag takes is the energy: the ledger only falls, by what relative motion loses, int k (8 - v)^3 dt."""
    k = 0.5 * 1.2 * 0.47 * math.pi * 0.01 * 100.0
    world = alone(Fluid(density=120.0, wind=(8.0, 0.0, 0.0), shapes={"b": BALL}), integrator, 480)
    world.step(480)
    left = 8.0 / (1.0 + 8.0 * k / 2.0)
    assert world.bodies["b"].velocity[0] == pytest.approx(8.0 - left, rel=5e-3)
    lost = 0.5 * 2.0 * (64.0 - left * left)
    assert world.energy().ledger == pytest.approx(-lost, rel=1e-2)
    assert world.redone == 0


def test_wind_is_live_and_a_function_of_time():
    world = alone(Fluid(density=1.2, viscosity=1e3, shapes={"b": BALL}), "implicit")
    world.medium.wind = (0.0, Sinusoid(0.0, 1.0, 0.25), 0.0)
    world.step(240)
    assert world.bodies["b"].velocity[1] == pytest.approx(1.0, abs=1e-3)
    assert world.medium.wind[1] == Sinusoid(0.0, 1.0, 0.25)
    saved = world.snapshot()
    world.medium.density, world.medium.viscosity = 0.0, 0.0
    speed = world.bodies["b"].velocity[1]
    world.step(100)
    assert world.bodies["b"].velocity[1] == speed
    world.restore(saved)
    assert (world.medium.density, world.medium.viscosity) == (1.2, 1e3)


def test_a_vane_turns_into_the_wind():
    """A plate behind a ball joint: it comes to rest down the wind, edge on."""
    vane = Body(name="v", mass=0.5, inertia=(0.01, 0.02, 0.02), position=(0.3, 0.0, 0.0))
    fluid = Fluid(density=50.0, viscosity=1.0, wind=(0.0, 3.0, 0.0), shapes={"v": Box(size=(0.6, 0.002, 0.4))})
    scene = Scene(bodies=[vane], joints=[Ball(name="j", a="world", b="v")], medium=fluid, gravity=(0, 0, 0))
    world = World(scene, integrator="implicit")
    world.step(2000)
    assert world.bodies["v"].position == pytest.approx([0.0, 0.3, 0.0], abs=1e-2)


@pytest.mark.parametrize("mode", list(MODES))
def test_modes_agree(mode):
    """Shapes off the centre, turned, on bodies whose definition is no principal frame, and a particle."""
    bodies = [
        Body(
            name="a",
            mass=1.0,
            inertia=(0.02, 0.03, 0.04, 0.005, 0.0, 0.003),
            orientation=rotation_quaternion(np.ones(3)),
        ),
        Body(name="b", mass=1.0, inertia=(0.02, 0.03, 0.04), position=(1.0, 0.1, 0.0), velocity=(0, 5.0, 0)),
        Particle(name="p", mass=0.2, position=(1.5, 0.0, 0.0)),
    ]
    joints = [Ball(name="j", a="a", b="b", at=(0.5, 0, 0)), Ball(name="k", a="b", b="p", at=(1.5, 0.0, 0.0))]
    shapes = {
        "a": [
            Box(
                size=(0.2, 0.4, 0.6),
                position=(0.1, 0, 0.2),
                orientation=rotation_quaternion(np.array([1.0, 0, 0])),
            )
        ],
        "b": [CompoundShape(parts=[Sphere(radius=0.1, position=(0.2, 0, 0)), Cylinder(radius=0.05, length=0.6)])],
        "p": BALL,
    }
    scene = Scene(
        bodies=bodies, joints=joints, medium=Fluid(density=30.0, viscosity=2.0, wind=(3, 1, 2), shapes=shapes)
    )
    found = []
    for solver in ("fused", mode):
        world = World(scene, solver=solver, integrator="implicit")
        accelerations = world.accelerations()
        world.step(5)
        found.append([accelerations, np.array([[*b.position, *b.velocity] for b in world.bodies.values()])])
    for first, other in zip(*found, strict=True):
        assert other == pytest.approx(first, abs=1e-8)


def test_force_and_torque_of_an_offset_shape():
    """Written out: F = -rho sqrt(u . c u) c u - mu S u in the shape's axes at its centre, the torque r x F and that of
    turning, for a body whose principal axes are not those of its definition."""
    rng = np.random.default_rng(4)
    turn = rotation_quaternion(rng.normal(size=3))
    box = Box(size=(0.2, 0.4, 0.6), position=rng.normal(size=3), orientation=rotation_quaternion(rng.normal(size=3)))
    v, w = rng.normal(size=3), rng.normal(size=3)
    inertia = (1.0, 1.2, 1.4, 0.2, -0.1, 0.15)
    world = alone(
        Fluid(density=3.0, viscosity=0.7, wind=(1.0, 2.0, 3.0), shapes={"b": box}),
        orientation=turn, velocity=v, angular_velocity=w, inertia=inertia,
    )  # fmt: skip
    from physics.maths.rotations import matrix_of

    body_turn = matrix_of(turn)
    axes, r = body_turn @ matrix_of(np.array(box.orientation)), body_turn @ np.array(box.position)

    def law(u, c, slow):
        return -3.0 * math.sqrt(u @ (c * u)) * c * u - 0.7 * slow * u

    slow, turning = slow_drag(np.array(box.measures))
    force = axes @ law(axes.T @ (v + np.cross(w, r) - [1.0, 2.0, 3.0]), (0.5 * box.drag_areas()) ** (2 / 3), slow)
    torque = axes @ law(axes.T @ w, (0.5 * box.drag_moments()) ** (2 / 3), turning) + np.cross(r, force)
    xx, yy, zz, xy, xz, yz = inertia
    tensor = body_turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ body_turn.T
    got = world.accelerations()[0]
    assert 2.0 * got[:3] == pytest.approx(force, rel=1e-9)
    assert tensor @ got[3:] + np.cross(w, tensor @ w) == pytest.approx(torque, rel=1e-9)


def test_coefficients():
    """Areas of a cube as a box and as a hull agree; Stokes of a sphere, and of a disk of radius r: 16 mu r v across it,
    32/3 mu r v along it, 32/3 mu r^3 w [Happel83]; a box's moments by strips."""
    cube = Box(size=(1.0, 1.0, 1.0))
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    assert cube.drag_areas() == pytest.approx([1.05] * 3)
    assert Hull(points=corners).drag_areas() == pytest.approx([1.05] * 3)
    assert Hull(points=corners).drag_moments() == pytest.approx(cube.drag_moments())
    s = (np.arange(20000) + 0.5) / 40000.0  # of a face from its middle
    assert cube.drag_moments()[0] == pytest.approx(1.05 * 4.0 * (s**3).mean() * 0.5, rel=1e-6)
    assert Capsule(radius=0.1, length=2e-12).drag_areas() == pytest.approx(BALL.drag_areas(), rel=1e-6)
    s, turning = slow_drag(np.full(3, 0.2))
    assert s == pytest.approx([6.0 * math.pi * 0.2] * 3)
    assert turning == pytest.approx([8.0 * math.pi * 0.008] * 3)
    s, turning = slow_drag(np.array([0.2, 0.2, 1e-7]))
    assert s == pytest.approx([32.0 / 3.0 * 0.2, 32.0 / 3.0 * 0.2, 16.0 * 0.2], rel=1e-5)
    assert turning == pytest.approx([32.0 / 3.0 * 0.008] * 3, rel=1e-5)


def test_planar_bodies_and_no_medium():
    """A disk in its plane feels the same drag; without density and viscosity the bits are those of no medium."""
    disk = PlanarBody(name="b", mass=2.0, inertia=0.1, velocity=(1.0, 0, 0))
    world = World(
        Scene(bodies=[disk], medium=Fluid(viscosity=10.0, shapes={"b": BALL}), gravity=(0, 0, 0), timestep=0.001),
        integrator="trbdf2",
    )
    world.step(100)
    assert world.bodies["b"].velocity[0] == pytest.approx(math.exp(-0.6 * math.pi / 2.0), rel=1e-5)
    first, other = alone(Fluid(wind=(5, 5, 5), shapes={"b": BALL}), gravity=9.81), alone(None, gravity=9.81)
    first.step(10)
    other.step(10)
    assert first.bodies["b"].position.tolist() == other.bodies["b"].position.tolist()
    assert other.medium is None


def test_with_springs_to_a_target():
    """A balloon on a spring in the wind: k x = k_d 8^2."""
    spring = TargetSpring(name="s", body="b", stiffness=50.0, damping=5.0)
    scene = Scene(
        bodies=[body()],
        drives=[spring],
        medium=Fluid(density=1.2, wind=(8.0, 0, 0), shapes={"b": BALL}),
        gravity=(0, 0, 0),
    )
    world = World(scene, integrator="implicit")
    world.step(3000)
    pull = 0.5 * 1.2 * 0.47 * math.pi * 0.01 * 64.0
    assert world.bodies["b"].position[0] == pytest.approx(pull / 50.0, rel=1e-3)


@pytest.mark.parametrize(
    ("fluid", "words"),
    [
        ({"density": -1.0}, "density of the medium"),
        ({"viscosity": "thick"}, "viscosity of the medium"),
        ({"wind": 3.0}, "wind: got 3.0"),
        ({"wind": (1.0, "x", 2.0)}, "wind: got 'x'"),
        ({"shapes": {"bb": BALL}}, "did you mean 'b'"),
        ({"shapes": {"wall": BALL}}, "a body that forces can move"),
        ({"shapes": {"s": BALL}}, "bodies that do not stretch"),
        ({"shapes": {"b": "ball"}}, "shapes of 'b' in the medium"),
        ({"shapes": {"b": [Plane()]}}, "shapes of finite size"),
        ({"shapes": [BALL]}, "shapes by the names of bodies"),
    ],
)
def test_bad_media_are_refused(fluid, words):
    stretching = ScaledBody(name="s", mass=1.0, inertia=(1.0, 1.0, 1.0), scale_stiffness=10.0)
    with pytest.raises(DefinitionError) as refusal:
        Scene(bodies=[body(), Static(name="wall"), stretching], medium=Fluid(**fluid))
    assert words in str(refusal.value)
