"""Case 08: frequencies of small oscillations of hanging chains, of point masses on rods (Laguerre polynomials) and of
uniform rods on hinges or ball joints (an eigenproblem).

Two checks: the accelerations at a mode shape of 1e-3 rad (exact in the step), and the period of a swing in that mode,
whose shift is known in closed form: symplectic Euler and `rattle` swing at (2/h) asin(w h/2), (w h)^2/24 above w.
"""

import math

import numpy as np
import pytest

from physics.definitions.bodies import Body, Particle
from physics.definitions.joints import Ball, Distance, Hinge
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.cases.reference_cases import read_case

AMPLITUDE = 1e-3
EXPECTED = read_case("08")["expected"]
RODS = [k for k in EXPECTED if k.startswith("uniform_rods")]
POINTS = [k for k in EXPECTED if k.startswith("point_masses")]


def swung_rods(row, shape, joint, size=1.0):
    """Rods hanging from the origin along -y, turned about z by size x AMPLITUDE x shape (absolute angles)."""
    length, mass = row["link_length"], row["link_mass"]
    inertia = mass * length**2 / 12
    bodies, joints, start = [], [], np.zeros(3)
    for i, s in enumerate(shape):
        a = size * AMPLITUDE * s
        along = length * np.array([math.sin(a), -math.cos(a), 0.0])
        turn = (math.cos(a / 2), 0.0, 0.0, math.sin(a / 2))
        moments = (inertia, 1e-2 * inertia, inertia)
        bodies.append(Body(name=f"l{i}", mass=mass, inertia=moments, position=start + along / 2, orientation=turn))
        ends = {"name": f"h{i}", "a": f"l{i - 1}" if i else None, "b": f"l{i}", "at": start}
        joints.append(Hinge(**ends, axis=(0.0, 0.0, 1.0)) if joint == "hinge" else Ball(**ends))
        start = start + along
    return Scene(bodies=bodies, joints=joints, gravity=(0.0, -9.81, 0.0))


def hanging_points(row):
    bodies = [
        Particle(name=f"p{i}", mass=row["mass_each"], position=(0.0, -(i + 1) * row["segment"], 0.0))
        for i in range(len(row["omega"]))
    ]
    joints = [
        Distance(
            name=f"r{i}", a=f"p{i - 1}" if i else None, b=f"p{i}",
            at=((0.0, -i * row["segment"], 0.0), (0.0, -(i + 1) * row["segment"], 0.0)),
        )
        for i in range(len(row["omega"]))
    ]  # fmt: skip
    return Scene(bodies=bodies, joints=joints, gravity=(0.0, -9.81, 0.0))


@pytest.mark.parametrize("joint", ["hinge", "ball"])
@pytest.mark.parametrize("model", RODS)
def test_accelerations_of_the_modes_of_rods(model, joint):
    """At a mode shape every angular acceleration is -w^2 times the angle. Two amplitudes remove the cubic part."""
    row = EXPECTED[model]
    for omega, shape in zip(row["omega"], row["mode_shapes_theta"], strict=True):
        whole, half = (World(swung_rods(row, shape, joint, size)).accelerations()[:, 5] for size in (0.2, 0.1))
        linear = (8.0 * half - whole) / (3.0 * 0.2 * AMPLITUDE)
        expected = -(omega**2) * np.array(shape)
        assert np.abs(linear - expected).max() < 1e-8 * np.abs(expected).max()


@pytest.mark.parametrize("model", POINTS)
def test_frequencies_of_point_masses(model):
    """The accelerations at small sideways displacements, linearised: their eigenvalues are -w^2."""
    row = EXPECTED[model]
    n = len(row["omega"])
    world = World(hanging_points(row))
    step = 1e-5 * row["segment"]
    columns = []
    for i in range(n):
        both = []
        for sign in (1.0, -1.0):
            # z displacement keeps the rods' lengths to first order; the height takes up the second
            z = np.zeros(n + 1)
            z[i + 1] = sign * step
            drop = np.cumsum(np.sqrt(row["segment"] ** 2 - np.diff(z) ** 2))
            for k in range(n):
                world.bodies[f"p{k}"].position = (0.0, -drop[k], z[k + 1])
            both.append(world.accelerations()[:, 2])
        columns.append((both[0] - both[1]) / (2 * step))
    omega = np.sqrt(np.sort(-np.linalg.eigvals(np.column_stack(columns)).real))
    assert omega == pytest.approx(row["omega"], rel=1e-6)


def measured_period(world, periods, expected):
    """From the first to the last upward zero of the first link's angle, linearly between steps."""
    steps = math.ceil((periods + 1.3) * expected / world.timestep)
    times, values = [], []
    for _ in range(steps):
        world.step()
        w, _, _, z = world.bodies["l0"].quaternion
        times.append(world.time)
        values.append(2 * math.atan2(z, w))
    values = np.array(values)
    (before,) = np.nonzero((values[:-1] < 0.0) & (values[1:] >= 0.0))
    zeros = [times[k] - values[k] / (values[k + 1] - values[k]) * world.timestep for k in before]
    return (zeros[periods] - zeros[0]) / periods


CASES = [("uniform_rods_N1", 0), ("uniform_rods_N2", 0), ("uniform_rods_N2", 1), ("uniform_rods_N3", 2)]
# the steps' own shift of the frequency, in (w h)^2
SHIFTS = {"explicit": 1 / 24, "rattle": 1 / 24, "rk4": 0.0, "rattle4": 0.0}


@pytest.mark.parametrize("integrator", SHIFTS)
@pytest.mark.parametrize(("model", "mode"), CASES)
def test_periods(model, mode, integrator):
    """Five periods at 1/240: the period of the discrete oscillator to 2e-5 (rods' angles are not its coordinates to
    higher order, and amplitude^2 / 16)."""
    row = EXPECTED[model]
    omega = row["omega"][mode]
    world = World(swung_rods(row, row["mode_shapes_theta"][mode], "hinge"), integrator=integrator)
    shifted = omega * (1.0 + SHIFTS[integrator] * (omega * world.timestep) ** 2)
    assert 2 * math.pi / measured_period(world, 5, 2 * math.pi / omega) == pytest.approx(shifted, rel=2e-5)


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit"])
def test_periods_of_the_implicit_methods(integrator):
    """Case 08 allows 1e-3 at 1/240."""
    row = EXPECTED["uniform_rods_N2"]
    for omega, shape in zip(row["omega"], row["mode_shapes_theta"], strict=True):
        world = World(swung_rods(row, shape, "hinge"), integrator=integrator)
        assert 2 * math.pi / measured_period(world, 5, 2 * math.pi / omega) == pytest.approx(omega, rel=1e-3)


def test_a_percent_is_noticed():
    """Twin: links 1 % longer swing 0.5 % slower."""
    row = EXPECTED["uniform_rods_N2"]
    longer = {**row, "link_length": 1.01 * row["link_length"]}
    world = World(swung_rods(longer, row["mode_shapes_theta"][0], "hinge"), integrator="rattle4")
    omega = row["omega"][0]
    measured = 2 * math.pi / measured_period(world, 5, 2 * math.pi / omega)
    assert measured == pytest.approx(omega / math.sqrt(1.01), rel=2e-5)
    assert measured != pytest.approx(omega, rel=1e-3)
