"""The order of each integrator, measured: errors after a quarter of a second against `rk4` at 1/15360, the step halved
twice. Three bodies on ball joints or hinges, with gravity, without springs and with bent ones, guard off.

`trbdf2` falls to first order where a ball spring of unequal stiffness is bent so far that it is unstable in some
direction: that part of it is left out of the system. `rattle` and `rattle4` damp with the velocity before each kick:
first order where there are dampers.
"""

import itertools
import math

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.actuators import Drive, TargetSpring
from physics.definitions.bodies import Body
from physics.definitions.joints import Ball, Hinge
from physics.definitions.scene import Scene
from physics.definitions.springs import TorsionSpring
from physics.world.world import World
from tests.helpers.orders import ORDER, STEPS, difference
from tests.helpers.arrays import state_of

SECONDS = 0.25


def three(joint, stiffness=0.0, bent=0.0, damping=0.0, ties=(), drives=()):
    """Three links of 0.3 m along x, at rest `bent` from where their springs want them."""
    bodies, joints = [], list(ties)
    for i in range(3):
        bodies.append(Body(name=f"l{i}", mass=0.5, inertia=(0.008, 0.012, 0.01), position=(0.3 * i + 0.15, 0.0, 0.0)))
        axis = np.array([0.3, 1.0, 0.2 * (-1) ** i])
        axis /= np.linalg.norm(axis)
        ends = {"name": f"j{i}", "a": f"l{i - 1}" if i else "world", "b": f"l{i}", "at": (0.3 * i, 0.0, 0.0)}
        if joint == "ball":
            joints.append(Ball(**ends, stiffness=stiffness, damping=damping, rest=bent * axis))
        else:
            joints.append(Hinge(**ends, axis=axis, stiffness=stiffness, damping=damping, rest=bent))
    return Scene(bodies=bodies, joints=joints, drives=list(drives))


TWIST = (0.9, 0.7, -0.5)  # rad
SCENES = {
    "balls": three("ball"),
    "hinges": three("hinge"),
    "hinge springs": three("hinge", 5.0, 0.1),
    "bent hinge springs": three("hinge", 5.0, 1.5),
    "hinge dampers": three("hinge", 5.0, 1.5, 0.05),
    "ball springs": three("ball", 5.0, 0.1),
    "bent ball springs": three("ball", 5.0, 1.5),
    "strongly bent ball springs": three("ball", 5.0, 2.5),
    "unequal ball springs": three("ball", (5.0, 10.0, 2.5), 1.0),
    "unstable unequal ball springs": three("ball", (5.0, 10.0, 2.5), 1.5),
    "ball dampers": three("ball", 5.0, 1.5, 0.05),
    "torsion spring": three("ball", ties=[TorsionSpring(name="t", a="l0", b="l2", stiffness=5.0, rest=TWIST)]),
    "ball drive": three("ball", drives=[Drive(name="d", joint="j1", position=TWIST, stiffness=5.0)]),
    "effort of a ball drive": three("ball", drives=[Drive(name="d", joint="j1", torque=TWIST)]),
    "turn target": three("ball", drives=[TargetSpring(name="d", body="l2", rotation=TWIST, turn_stiffness=5.0)]),
}


def run(scene, integrator, steps_a_second):
    world = World(scene, integrator=integrator, guard=False)
    world.timestep = 1.0 / steps_a_second
    rng = np.random.default_rng(1)
    for body in world.bodies.values():
        body.angular_velocity = 0.5 * rng.normal(size=3)
    world.assemble()
    world.step(round(SECONDS * steps_a_second))
    return state_of(world).pose.copy()


@pytest.fixture(scope="module")
def exact():
    """The reference of each scene, made when it is first asked for."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = run(SCENES[name], "rk4", 15360)
        return made[name]

    return of


def orders(name, integrator, steps, reference):
    errors = [difference(run(SCENES[name], integrator, n), reference) for n in steps]
    return [math.log2(a / b) for a, b in itertools.pairwise(errors)]


def lowered(name, integrator):
    """Orders below the integrator's own: where, and to what (module docstring)."""
    if integrator == "trbdf2" and name.startswith("unstable"):
        return 1
    if integrator.startswith("rattle") and name.endswith("dampers"):
        return 1
    return None


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_order(integrator, name, exact):
    """At least the claimed order less 0.2, at both halvings (`rk4` less 0.7 with slightly bent hinge springs, where its
    leading error nearly cancels)."""
    order = ORDER[integrator]
    less = lowered(name, integrator)
    measured = orders(name, integrator, STEPS[order], exact(name))
    if less is None:
        slack = 0.7 if (integrator, name) == ("rk4", "hinge springs") else 0.2
        assert min(measured) > order - slack, measured
    else:
        # documented: if this grows, the documentation is to follow
        assert less - 0.2 < min(measured) <= max(measured) < less + 0.5, measured


@pytest.mark.parametrize(("integrator", "low"), [("trbdf2", "explicit"), ("rattle", "implicit"), ("rk4", "trbdf2")])
def test_a_lower_order_is_noticed(integrator, low, exact):
    """Twin: a method of lower order does not pass for a higher one."""
    measured = orders("hinges", low, STEPS[ORDER[low]], exact("hinges"))
    assert max(measured) < ORDER[integrator] - 0.2


def test_the_reference_is_converged(exact):
    """Another method of high order comes to the same place."""
    for name in ("balls", "hinges", "bent ball springs"):
        assert difference(run(SCENES[name], "rattle4", 1920), exact(name)) < 1e-8
