"""Stiff joints: static equilibrium of a chain with springs and its buckling load (case 25), one implicit step (37).

Both are planar chains of rods on hinges about z. `place` puts a chain drawn straight at given absolute angles.
"""

import math

import numpy as np
import pytest

from physics.definitions.bodies import Body
from physics.definitions.joints import Hinge
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers.cases.reference_cases import read_case

GRAVITY = 9.81


def straight_chain(lengths, masses, stiffness, damping, direction, gravity=(0.0, -GRAVITY, 0.0), timestep=1 / 240):
    """Rods drawn end to end along `direction` (an angle from x), springs relaxed as drawn."""
    along = np.array([math.cos(direction), math.sin(direction), 0.0])
    turn = (math.cos(direction / 2), 0.0, 0.0, math.sin(direction / 2))
    bodies, joints, start = [], [], 0.0
    for i, (length, mass) in enumerate(zip(lengths, masses, strict=True)):
        inertia = mass * length**2 / 12
        place = (start + length / 2) * along
        bodies.append(
            Body(name=f"l{i}", mass=mass, inertia=(1e-3 * inertia, inertia, inertia), position=place, orientation=turn)
        )
        joints.append(
            Hinge(
                name=f"h{i}", a=f"l{i - 1}" if i else None, b=f"l{i}", at=start * along, axis=(0.0, 0.0, 1.0),
                stiffness=stiffness[i], damping=damping[i],
            )
        )  # fmt: skip
        start += length
    return Scene(bodies=bodies, joints=joints, gravity=gravity, timestep=timestep)


def place(world, lengths, angles, rates):
    """The chain at absolute angles from x, turning at absolute rates."""
    x, v = np.zeros(3), np.zeros(3)
    for i, (length, a, w) in enumerate(zip(lengths, angles, rates, strict=True)):
        along = length * np.array([math.cos(a), math.sin(a), 0.0])
        across = length * w * np.array([-math.sin(a), math.cos(a), 0.0])
        body = world.bodies[f"l{i}"]
        body.position = x + along / 2
        body.velocity = v + across / 2
        body.quaternion = (math.cos(a / 2), 0.0, 0.0, math.sin(a / 2))
        body.angular_velocity = (0.0, 0.0, w)
        x, v = x + along, v + across


def angles_of(world):
    """Absolute angles, from the direction in which the chain was drawn."""
    return np.cumsum([j.angle for j in world.joints.values()])


# ---------------------------------------------------------------- 25: static equilibrium
def settled(row, integrator, base=1.0, timestep=1 / 24):
    """A level cantilever of N rods let down to rest, with critical dampers in its joints."""
    n, stiffness = row["N"], row["EI"] * row["N"]
    # lowest mode of a cantilever: w = 3.516 sqrt(EI / rho L^4); c = 2 k / w damps it critically
    slowest = 3.516 * math.sqrt(row["EI"])
    k = [base * stiffness] + [stiffness] * (n - 1)
    c = [2 * x / slowest for x in k]
    world = World(straight_chain([1 / n] * n, [1 / n] * n, k, c, 0.0, timestep=timestep), integrator=integrator)
    world.step(round(60.0 / (slowest * timestep)) + 240)
    return world


def cantilevers():
    rows = read_case("25")["expected"]["cantilever"]
    return [r for r in rows if r["N"] != "elastica"]


def tip(world, links):
    return sum(np.array([math.cos(a), math.sin(a)]) for a in angles_of(world)) / links


@pytest.mark.parametrize("integrator", ["trbdf2", "implicit", "hernandez"])
@pytest.mark.parametrize("row", cantilevers(), ids=lambda r: f"EI{r['EI']:g}-N{r['N']}")
def test_25_cantilever(row, integrator):
    """At rest to 1e-6 rad at dt = 1/24: equilibrium does not depend on the step."""
    world = settled(row, integrator)
    if row["theta"] is not None:
        assert np.abs(angles_of(world) - row["theta"]).max() < 1e-6
        torques = [j.torque[2] for j in world.joints.values()]
        assert np.abs(np.array(torques) + row["joint_torque"]).max() < 1e-4 * row["base_torque"]
    assert np.abs(tip(world, row["N"]) - row["tip"]).max() < 1e-6


@pytest.mark.parametrize("row", range(9))
def test_25_half_cell_clamp(row):
    """A base spring of 2 EI / L, half a cell, which converges to the elastica as 1/N^2."""
    r = read_case("25")["expected"]["cantilever_clamped_variant"]["rows"][row]
    world = settled(r, "trbdf2", base=r["base_stiffness_factor"])
    assert np.abs(tip(world, r["N"]) - r["tip"]).max() < 1e-6
    assert world.energy().kinetic < 1e-9


def test_25_a_percent_is_noticed():
    row = cantilevers()[1]
    world = settled({**row, "EI": 1.01 * row["EI"]}, "trbdf2")
    assert np.abs(angles_of(world) - row["theta"]).max() > 1e-4


@pytest.mark.parametrize("row", range(6))
def test_25_buckling(row):
    """An upright column falls where rho g L^3 / EI exceeds its critical value. The world's own accelerations
    (central differences) times the rods' inertia give its stiffness in absolute angles, whose lowest eigenvalue changes
    sign there."""
    r = read_case("25")["expected"]["upright_column_buckling"]["rows"][row]
    n, critical = r["N"], r["critical_rho_g_L3_over_EI"]
    assert lowest_stiffness(n, 0.9999 * critical) > 0.0 > lowest_stiffness(n, 1.0001 * critical)


def lowest_stiffness(n, load):
    lengths = [1 / n] * n
    springs = [GRAVITY / load * n] * n
    world = World(straight_chain(lengths, lengths, springs, [0.0] * n, math.pi / 2))
    step = 1e-7
    stiffness = np.zeros((n, n))
    # springs join neighbours, gravity pulls at each rod: of every third angle the columns do not meet
    for first in range(min(3, n)):
        difference = 0.0
        for sign in (1, -1):
            angles = np.full(n, math.pi / 2)
            angles[first::3] += sign * step
            place(world, lengths, angles, np.zeros(n))
            difference = difference + sign * world.accelerations()[:, 5]
        column = inertia_of_rods(n) @ difference / (-2 * step)
        for i in range(first, n, 3):
            near = slice(max(i - 1, 0), i + 2)
            stiffness[near, i] = column[near]
    return np.linalg.eigvalsh(0.5 * (stiffness + stiffness.T))[0]


def inertia_of_rods(n):
    """Of n rods of mass and length 1/n, upright, in absolute angles: what hangs beyond rod i moves with all of it."""
    i = np.arange(n)
    beyond = n - 1 - np.maximum.outer(i, i)
    inertia = (beyond + 0.5) / n**3
    inertia[i, i] = (beyond[i, i] + 1 / 3) / n**3
    return inertia


# ---------------------------------------------------------------- 37: one implicit step
@pytest.mark.parametrize("row", range(4))
def test_37_scalar(row):
    """w1 = (I w + h (tau - k th)) / (I + h c + h^2 k),  th1 = th + h w1"""
    c = read_case("37")["expected"]["scalar"][row]
    body = Body(name="b", mass=1.0, inertia=(c["I"],) * 3)
    hinge = Hinge(name="h", a=None, b="b", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), stiffness=c["k"], damping=c["c"])
    scene = Scene(bodies=[body], joints=[hinge], gravity=(0.0, 0.0, 0.0), timestep=c["h"])
    world = World(scene, integrator="implicit", guard=False)
    b = world.bodies["b"]
    b.quaternion = (math.cos(c["theta0"] / 2), 0.0, 0.0, math.sin(c["theta0"] / 2))
    b.angular_velocity = (0.0, 0.0, c["omega0"])
    b.applied_torque = (0.0, 0.0, c["tau"])
    world.step()
    assert b.angular_velocity[2] == pytest.approx(c["omega1"], rel=1e-10)
    assert world.joints["h"].angle == pytest.approx(c["theta1"], abs=1e-10)


def test_37_decay():
    """Free of load, w <- (I w - h k th) / (I + h^2 k). The file names a step of 1/30 s, but its series is that of 1/60:
    th1 - th0 = h w1 holds for 1/60 only."""
    c = {**read_case("37")["expected"]["decay"], "h": 1 / 60}
    (theta, _), (after, rate) = c["theta_omega"][:2]
    assert after - theta == pytest.approx(c["h"] * rate, rel=1e-12)
    body = Body(name="b", mass=1.0, inertia=(c["I"],) * 3)
    hinge = Hinge(name="h", a=None, b="b", at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), stiffness=c["k"])
    scene = Scene(bodies=[body], joints=[hinge], gravity=(0.0, 0.0, 0.0), timestep=c["h"])
    world = World(scene, integrator="implicit", guard=False)
    theta, omega = c["theta_omega"][0]
    world.bodies["b"].quaternion = (math.cos(theta / 2), 0.0, 0.0, math.sin(theta / 2))
    world.step()
    assert world.bodies["b"].angular_velocity[2] == pytest.approx(c["theta_omega"][1][1], rel=1e-10)
    for _ in range(len(c["theta_omega"]) - 1):
        omega = (c["I"] * omega - c["h"] * c["k"] * theta) / (c["I"] + c["h"] ** 2 * c["k"])
        theta += c["h"] * omega
        assert world.bodies["b"].angular_velocity[2] == pytest.approx(omega, rel=1e-9)
        assert world.joints["h"].angle == pytest.approx(theta, abs=1e-10)
        world.step()
    assert abs(world.joints["h"].angle) < 1e-3 * abs(c["theta_omega"][0][0])


MASSES, LENGTHS = (1.0, 0.5), (1.0, 0.7)


def two_links(c, integrator):
    """Case 37's double pendulum: absolute angles from straight down, where the springs are relaxed."""
    chain = straight_chain(LENGTHS, MASSES, c["k"], (0.0, 0.0), -math.pi / 2, timestep=c["h"])
    world = World(chain, integrator=integrator, guard=False)
    place(world, LENGTHS, np.array(c["theta_abs"]) - math.pi / 2, c["theta_dot"])
    return world


@pytest.mark.parametrize("row", range(3))
def test_37_two_links(row):
    """(M + h^2 K) w1 = M w + h (Q - K th). The bare scheme is `hernandez`; `implicit` goes on to close the gap. In
    maximal coordinates the momenta M u0 carry no Coriolis term, so the reference's is applied as torques on the links:
    in absolute angles these are the generalised forces -m2 L1 (L2/2) sin(th1 - th2) (w2^2, -w1^2)."""
    c = read_case("37")["expected"]["two_link_linearly_implicit"][row]
    world = two_links(c, "hernandez")
    (t1, t2), (w1, w2) = c["theta_abs"], c["theta_dot"]
    s = MASSES[1] * LENGTHS[0] * LENGTHS[1] / 2 * math.sin(t1 - t2)
    world.bodies["l0"].applied_torque = (0.0, 0.0, -s * w2**2)
    world.bodies["l1"].applied_torque = (0.0, 0.0, s * w1**2)
    world.step()
    rates = np.array([world.bodies[k].angular_velocity[2] for k in ("l0", "l1")])
    assert rates == pytest.approx(c["theta_dot_1"], rel=1e-10)
    assert angles_of(world) == pytest.approx(np.array(c["theta_abs"]) + c["h"] * np.array(c["theta_dot_1"]), abs=1e-10)


def test_37_a_percent_is_noticed():
    c = read_case("37")["expected"]["two_link_linearly_implicit"][0]
    world = two_links({**c, "k": [1.01 * c["k"][0], c["k"][1]]}, "hernandez")
    world.step()
    assert world.bodies["l0"].angular_velocity[2] != pytest.approx(c["theta_dot_1"][0], rel=1e-4)


@pytest.mark.parametrize("integrator", ["implicit", "hernandez", "trbdf2"])
def test_37_infinitely_stiff(integrator):
    """Stiff joints go to their rest within the step (w1 -> -th/h) for the one-step methods, or decay for good."""
    c = {"k": (1e8, 1e8), "h": 1 / 60, "theta_abs": (0.1, 0.15), "theta_dot": (0.0, 0.0)}
    world = two_links(c, integrator)
    sizes = []
    for _ in range(6):
        world.step()
        sizes.append(float(np.abs(angles_of(world)).max()))
    assert sizes[0] < 0.15
    assert sizes[-1] < 1e-4
