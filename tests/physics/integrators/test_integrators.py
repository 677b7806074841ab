"""Contract of integrators: each steps every test figure, in motion, with closed joints, finite, and says what it did.

`hernandez` stops before the correction of the gaps, as its paper does: only that they stay below the guard's limit.
"""

import math

import numpy as np
import pytest

from physics.data.model_tables import BodyKind, Topology
from physics.data.step_tables import INTEGRATORS, Control, Number
from physics.definitions.joints import Hinge, Slider
from physics.definitions.scene import Scene
from physics.world.world import World
from tests.helpers import generators
from tests.helpers import figures
from tests.helpers.arrays import model_of, state_of, work_of

STEPS = 48


def stepped(name, integrator, **options):
    world = figures.in_motion(figures.ALL[name](), 3, speed=0.5, integrator=integrator, **options)
    before = world.energy()
    world.step(STEPS)
    return world, before


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("name", figures.ALL)
def test_every_figure(name, integrator):
    world, before = stepped(name, integrator)
    assert world.steps == STEPS
    assert world.time == pytest.approx(STEPS / 240, rel=1e-12)
    assert np.isfinite(state_of(world).pose).all()
    assert np.isfinite(state_of(world).velocity).all()
    assert np.isfinite(state_of(world).memory).all()
    # `hernandez` leaves the gap of each step to the next one (data.step_tables.SCHEMES)
    assert world.largest_gap < (1e-2 if integrator == "hernandez" else 1e-6)
    assert np.abs(np.linalg.norm(state_of(world).pose[:, 3:], axis=1) - 1.0).max() < 1e-12
    assert 0 <= world.redone <= STEPS
    assert world.frozen == 0
    # a step adds at most a tenth of the kinetic energy, a redone one nothing: well inside, for all of them together
    after = world.energy()
    assert after.total <= before.total + 0.1 * (before.kinetic + after.kinetic)


def accepted(integrator):
    """Figures without springs that are too stiff for an explicit method; all figures for the implicit ones."""
    stiff = ("hand", "hand_balls")
    return [n for n in figures.ALL if n not in stiff or integrator in ("trbdf2", "implicit")]


@pytest.mark.parametrize("integrator", [k for k in INTEGRATORS if k != "hernandez"])
def test_steps_are_seldom_redone(integrator):
    """At moderate speeds the integrator itself does the work, and the guard is a guard."""
    redone = {n: stepped(n, integrator)[0].redone for n in accepted(integrator)}
    assert sum(redone.values()) <= 0.02 * STEPS * len(redone), {n: k for n, k in redone.items() if k}


def test_particles_do_not_turn():
    for integrator in INTEGRATORS:
        world = World(figures.ALL["particles"](), integrator=integrator)
        world.bodies["b0"].velocity = (1.0, -2.0, 0.5)
        world.bodies["b0"].angular_velocity = (1.0, 2.0, -3.0)
        world.assemble()
        world.step(STEPS)
        points = model_of(world).topology[:, Topology.BODY_KIND] == BodyKind.PARTICLE
        assert points.sum() == 9
        assert not state_of(world).velocity[points, 3:].any()
        assert (state_of(world).pose[points, 3:] == [1.0, 0.0, 0.0, 0.0]).all()


def test_one_step_after_the_other():
    """step(2) is step(1) twice, to the last bit, for every integrator."""
    for integrator in INTEGRATORS:
        one, two = (figures.in_motion(figures.ALL["random0"](), integrator=integrator) for _ in range(2))
        one.step(6)
        for _ in range(6):
            two.step()
        assert one.state_hash() == two.state_hash(), integrator


def test_switching_in_the_middle():
    """All hold the velocity at the same instant: a change of the integrator after every step leaves the motion within
    the error of the worst of them."""
    scene = generators.chain(5, angle=1.0, timestep=1 / 960)
    mixed, exact = World(scene), World(scene, integrator="rattle4")
    for k in range(96):
        mixed.use_integrator(INTEGRATORS[k % len(INTEGRATORS)])
        mixed.step()
    exact.step(96)
    apart = np.abs(state_of(mixed).pose[:, :3] - state_of(exact).pose[:, :3]).max()
    assert apart < 0.5 * 9.81 * mixed.time * mixed.timestep * 2
    assert mixed.redone == 0


# ---------------------------------------------------------------- what is counted
def pendulum(**options):
    bodies = [generators.rod("rod", np.zeros(3), np.array([0.3, 0.0, 0.0]), 1.0, 0.02)]
    joints = [Hinge(name="h", a="world", b="rod", at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0))]
    return World(Scene(bodies=bodies, joints=joints), **options)


FACTORS = {"trbdf2": 2, "implicit": 1, "hernandez": 1, "explicit": 1, "rattle": 1, "rattle4": 5, "rk4": 5}


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_factorisations(integrator):
    """As many as motion.md says; `rattle` keeps its last one for the next step, `rk4` factors once more at the end."""
    world = pendulum(integrator=integrator)
    world.step(1)
    start = int(work_of(world).control[Control.FACTORS])
    world.step(10)
    count = int(work_of(world).control[Control.FACTORS]) - start
    once = 1 if integrator in ("rattle", "rattle4") else 0  # the kept factor ends with a call of step
    most = 1 if integrator == "rk4" else 0
    assert 10 * FACTORS[integrator] <= count <= 10 * (FACTORS[integrator] + most) + once
    assert work_of(world).control[Control.SOLVES] >= work_of(world).control[Control.FACTORS]


def test_redone_steps_are_counted():
    """A body that turns more than 1 rad in a step is followed in substeps of the integrator, to its order. One that
    turns more than that in the shortest of them, a 64th of the step, is redone by the last resort."""
    world = pendulum(integrator="trbdf2")
    world.gravity = (0.0, 0.0, 0.0)
    spin = 1.5 * 240
    world.bodies["rod"].angular_velocity = (0.0, spin, 0.0)
    world.bodies["rod"].velocity = (0.0, 0.0, -0.15 * spin)
    world.step(1)
    assert world.substepped == 1
    assert world.redone == 0
    assert np.linalg.norm(world.bodies["rod"].angular_velocity) == pytest.approx(spin, rel=1e-3)
    spin = 100.0 * 240
    world.bodies["rod"].angular_velocity = (0.0, spin, 0.0)
    world.bodies["rod"].velocity = np.cross((0.0, spin, 0.0), world.bodies["rod"].position)
    work_of(world).number[Number.CREDIT] = 0.0  # as after many such steps
    world.step(1)
    assert world.redone == 1
    assert world.steps == 2
    assert world.largest_gap < 1e-9
    # afterwards h |w| <= 1: not faster than a radian a step, and nothing gained
    assert np.linalg.norm(world.bodies["rod"].angular_velocity) <= 240 * (1 + 1e-12)
    world.bodies["rod"].angular_velocity = (0.0, 24.0, 0.0)
    world.bodies["rod"].velocity = np.cross((0.0, 24.0, 0.0), world.bodies["rod"].position)
    world.step(10)
    assert world.redone == 1


def test_redone_steps_lose_what_the_ledger_says():
    """total - work + lost is what it was before a step that was redone."""
    world = pendulum(integrator="trbdf2")
    world.gravity = (0.0, 0.0, 0.0)
    world.bodies["rod"].angular_velocity = (0.0, 24000.0, 0.0)
    world.bodies["rod"].velocity = (0.0, 0.0, -0.15 * 24000.0)
    start = world.energy()
    world.step()
    assert world.redone == 1
    after = world.energy()
    assert after.total < start.total
    assert after.ledger == pytest.approx(start.ledger, rel=1e-9)


def test_without_the_guard_nothing_is_redone():
    world = pendulum(integrator="trbdf2", guard=False)
    world.bodies["rod"].angular_velocity = (0.0, 360.0, 0.0)
    world.bodies["rod"].velocity = (0.0, 0.0, -0.15 * 360.0)
    world.step(3)
    assert world.redone == 0


def test_work_of_an_applied_force():
    """The ledger takes the work of applied loads out: a constant force on a free body, F^2 t^2 / 2m."""
    body = generators.rod("rod", np.zeros(3), np.array([0.3, 0.0, 0.0]), 2.0, 0.02)
    world = World(Scene(bodies=[body], gravity=(0.0, 0.0, 0.0)))
    world.bodies["rod"].applied_force = (3.0, 0.0, 0.0)
    world.step(240)
    energy = world.energy()
    assert energy.total == pytest.approx(3.0**2 / (2 * 2.0), rel=1e-9)
    # the work is summed with the velocities at the ends of steps: half a step too much
    assert energy.ledger == pytest.approx(0.0, abs=1.01 * energy.total / 240)


def test_time_is_the_number_of_steps():
    world = pendulum()
    world.step(7)
    world.timestep = 1 / 60
    world.step(6)
    assert world.steps == 13
    assert world.time == pytest.approx(7 / 240 + 6 / 60, rel=1e-14)
    assert math.isfinite(world.joints["h"].angle)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_load_at_a_turning_point_is_no_gain(integrator):
    """Let go beyond its equilibrium, a sprung body comes back against its load. The load's work over the first step is
    F times the way, F h v / 2 from rest: taken as F h v, it would look as if the figure had gained energy."""
    body = generators.rod("rod", np.zeros(3), np.array([0.3, 0.0, 0.0]), 2.0, 0.02)
    joint = Slider(name="s", a="world", b="rod", at=(0.0, 0.0, 0.0), axis=(1.0, 0.0, 0.0), stiffness=50.0)
    world = World(Scene(bodies=[body], joints=[joint], gravity=(0.0, 0.0, 0.0)), integrator=integrator)
    world.bodies["rod"].applied_force = (5.0, 0.0, 0.0)
    world.bodies["rod"].position = (0.15 + 0.2, 0.0, 0.0)
    world.step(60)
    assert world.redone == 0
    # a quarter of a second of cos(5 t) about 0.1, less what a first-order method damps: h w^2 t / 2 of it
    assert world.joints["s"].angle == pytest.approx(0.1 + 0.1 * math.cos(5 * 0.25), abs=2e-3)
