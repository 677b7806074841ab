"""A world before its first step: joint forces are those of the present, and reading them changes nothing; velocities
that joints forbid are taken out, and said. And the one sign rule of joints and contacts, with their impulses."""

import math
import re
import warnings
from dataclasses import replace

import numpy as np
import pytest

from physics.data.step_tables import INTEGRATORS
from physics.definitions.motions import HingeMotor
from physics.definitions.functions import Condition
from physics.definitions.bodies import Body, Massless, Particle
from physics.definitions.checks import DefinitionWarning
from physics.definitions.couplings import Coupling
from physics.definitions.joints import Ball, Free, Hinge, Slider, Weld
from physics.definitions.scene import Scene
from physics import Box, Plane
from physics.solvers.modes import MODES
from physics.world.world import World
from scenes.loading.loader import read_scene_text
from tests.helpers.arrays import work_of

G = 9.81
LENGTH = 1.0
ROD = {"mass": 2.0, "inertia": (1e-3, 2.0 / 12.0, 2.0 / 12.0)}  # of length 1, along x


def pendulum(reverse=False, joint=Hinge, **velocities):
    """A level rod, held at its left end"""
    ends = {"a": "rod", "b": "world"} if reverse else {"a": "world", "b": "rod"}
    axis = {"axis": "y"} if joint is Hinge else {}
    rod = Body(name="rod", at=(0.5, 0.0, 0.0), **ROD, **velocities)
    return Scene(bodies=[rod], joints=[joint(name="j", at=(0.0, 0.0, 0.0), **axis, **ends)])


def chain():
    bodies = [Body(name=f"b{i}", at=(i + 0.5, 0.0, 0.0), **ROD) for i in range(3)]
    ends = ["world", "b0", "b1", "b2"]
    joints = [
        Hinge(name=f"j{i}", a=ends[i], b=ends[i + 1], at=(float(i), 0.0, 0.0), axis="y", stiffness=3.0, rest=0.2)
        for i in range(3)
    ]
    return Scene(bodies=bodies, joints=joints)


def table(ends=("base", "top")):
    """A block on the floor that carries another one by a weld"""
    blocks = [
        Body(name="base", mass=3.0, inertia=(0.1,) * 3, at=(0, 0, 0.1), shapes=[Box(size=(0.4, 0.4, 0.2))]),
        Body(name="top", mass=2.0, inertia=(0.1,) * 3, at=(0, 0, 0.3), shapes=[Box(size=(0.2, 0.2, 0.2))]),
    ]
    return Scene(bodies=blocks, joints=[Weld(name="w", a=ends[0], b=ends[1], at=(0, 0, 0.2))], shapes=[Plane()])


# ---------------------------------------------------------------- forces
@pytest.mark.parametrize("mode", MODES)
def test_a_joint_force_is_known_before_the_first_step(mode):
    """A level rod that begins to fall turns with 3 g / 2 l, and its end carries m g / 4."""
    for reverse, sign in ((False, 1.0), (True, -1.0)):
        world = World(pendulum(reverse), solver=mode)
        assert world.joints["j"].force == pytest.approx([0.0, 0.0, sign * 2.0 * G / 4.0], abs=1e-12)
        assert world.joints["j"].torque == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
        assert not world.joints["j"].impulse.any()  # no step was taken
        assert not world.joints["j"].angular_impulse.any()


def test_it_can_be_left_out():
    """A window looks at forces many times a second, and must not compile for it."""
    world = World(table())
    world.foresees = False
    assert not world.joints["w"].force.any()
    assert world.contacts() == []
    world.foresees = True
    assert world.joints["w"].force.any()
    assert world.contacts()


def test_it_follows_what_is_changed():
    """m w^2 l / 2 more at a velocity, none without gravity"""
    world = World(pendulum())
    before = world.joints["j"].force
    world.bodies["rod"].velocity, world.bodies["rod"].angular_velocity = (0.0, 0.0, -1.5), (0.0, 3.0, 0.0)
    assert world.joints["j"].force - before == pytest.approx([-2.0 * 9.0 * 0.5, 0.0, 0.0], abs=1e-12)
    world.bodies["rod"].velocity, world.bodies["rod"].angular_velocity = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    world.gravity = (0.0, 0.0, 0.0)
    assert world.joints["j"].force == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


def test_every_kind_of_reading_is_that_of_the_present_accelerations():
    """Springs, motors, folded joints, couplings, conditions"""
    bodies = [
        *(Body(name=f"b{i}", at=(i + 0.5, 0.0, 0.0), **ROD) for i in range(2)), Massless(name="m"),
        Body(name="b2", at=(2.5, 0.0, 0.0), **ROD), Particle(name="p", mass=1.0, at=(5.0, 0.0, 0.0)),
        Body(name="wheel", at=(0.5, 1.0, 0.0), **ROD),
    ]  # fmt: skip
    joints = [
        Hinge(name="j0", a="world", b="b0", at=(0, 0, 0), axis="y", stiffness=3.0, rest=0.2),
        Hinge(name="j1", a="b1", b="b0", at=(1, 0, 0), axis="y"),
        Hinge(name="k1", a="b1", b="m", at=(2, 0, 0), axis="y"),
        Hinge(name="k2", a="m", b="b2", at=(2, 0, 0), axis="z"),
        HingeMotor(name="motor", a="world", b="wheel", at=(0, 1, 0), axis="y", position=0.0),
    ]  # fmt: skip
    held = Condition(name="held", bodies=["p"], function=lambda x, r: (x[0][2],))
    couplings = [Coupling(name="tied", terms={"j0": 1.0, "j1": -1.0}), held]
    one, other = (World(Scene(bodies=bodies, joints=joints, couplings=couplings)) for _ in range(2))
    other.accelerations()
    for name in ("j0", "j1", "k1", "k2", "motor"):
        assert np.array_equal(one.joints[name].force, other.joints[name].force)
        assert np.array_equal(one.joints[name].torque, other.joints[name].torque)
    assert one.joints["motor"].effort == other.joints["motor"].effort == pytest.approx(-2.0 * G * 0.5)
    assert one.couplings["tied"].multiplier == other.couplings["tied"].multiplier != 0.0
    assert one.couplings["held"].multipliers == other.couplings["held"].multipliers == pytest.approx([G])
    assert abs(one.joints["k1"].force[2]) > 0.1


@pytest.mark.parametrize(("method", "off"), [("newton", 1e-2), ("anticipation", 1e-5), ("auto", 1e-2)])
def test_what_stands_on_the_floor_is_held_up_by_it(method, off):
    """`newton` regularises, and most of all where a contact is new."""
    world = World(table())
    world.contact_method = method
    assert world.joints["w"].force == pytest.approx([0.0, 0.0, 2.0 * G], rel=off, abs=off)
    assert sum(c.force[2] for c in world.contacts()) == pytest.approx(5.0 * G, rel=off)
    assert not any(c.impulse.any() for c in world.contacts())
    assert (world.steps, world.time) == (0, 0.0)
    world.contact_method = "none"  # nothing holds them: they fall together
    assert world.joints["w"].force == pytest.approx([0.0, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("make", [chain, table])
def test_reading_changes_nothing(make, integrator):
    read, plain = World(make(), integrator=integrator), World(make(), integrator=integrator)
    assert read.largest_gap == plain.largest_gap  # both have looked at the state
    counters = work_of(read).control.copy()
    for _ in range(2):
        for view in read.joints.values():
            _ = view.force, view.torque, read.contacts()
    assert np.array_equal(work_of(read).control, counters)
    assert read.state_hash() == plain.state_hash()
    assert read.snapshot() == plain.snapshot()
    read.step(20)
    plain.step(20)
    assert read.state_hash() == plain.state_hash()
    for a, b in zip(read.contacts(), plain.contacts(), strict=True):
        assert np.array_equal(a.force, b.force)


# ---------------------------------------------------------------- velocities
@pytest.mark.parametrize("mode", MODES)
def test_forbidden_velocities_are_taken_out_and_said(mode):
    """What is left turns about the hinge with q' = J^T M u / J^T M J: here m r v / (m r^2 + I) = 3 v / 2 l."""
    found = "joints forbid the velocities.* 'rod' by 0.25 m/s and 1.5 rad/s$"
    with pytest.warns(DefinitionWarning, match=found) as said:
        world = World(pendulum(velocity=(0.0, 0.0, 1.0)), solver=mode)
    assert said[0].filename == __file__
    assert world.bodies["rod"].velocity == pytest.approx([0.0, 0.0, 0.75], abs=1e-12)
    assert world.bodies["rod"].angular_velocity == pytest.approx([0.0, -1.5, 0.0], abs=1e-12)


def test_they_are_those_of_a_scene():
    text = """
marionette: 1
bodies:
  b0: {at: [0.5, 0, 0], mass: 2, inertia: [1e-3, 0.2, 0.2]}
  b1: {at: [1.5, 0, 0], mass: 2, inertia: [1e-3, 0.2, 0.2]}
joints:
  j0: {ball: [world, b0], at: [0, 0, 0]}
  j1: {hinge: [b0, b1], at: [1, 0, 0], axis: y}
start: {velocities: {b1: {linear: [0.3, 1, 2], angular: [0, 5, 1]}}}
"""
    there = read_scene_text(text).make_world()
    rod = {"mass": 2.0, "inertia": (1e-3, 0.2, 0.2)}
    bodies = [
        Body(name="b0", at=(0.5, 0, 0), **rod),
        Body(name="b1", at=(1.5, 0, 0), velocity=(0.3, 1, 2), angular_velocity=(0, 5, 1), **rod),
    ]
    joints = [
        Ball(name="j0", a="world", b="b0", at=(0, 0, 0)), Hinge(name="j1", a="b0", b="b1", at=(1, 0, 0), axis="y"),
    ]  # fmt: skip
    with pytest.warns(DefinitionWarning, match="which changed 'b1' by [^']*$"):  # b0 was given none
        here = World(Scene(bodies=bodies, joints=joints))
    for name in ("b0", "b1"):
        assert here.bodies[name].velocity == pytest.approx(there.bodies[name].velocity, abs=1e-9)
        assert here.bodies[name].angular_velocity == pytest.approx(there.bodies[name].angular_velocity, abs=1e-9)


def test_motors_that_set_bodies_going_contradict_nothing(recwarn):
    """A fan that is given no velocity starts with that of its motor; what flies beside it was given one."""
    bodies = [
        Body(name="fan", mass=0.3, inertia=(0.001, 0.001, 0.002)),
        Body(name="free", mass=1.0, inertia=(0.1, 0.2, 0.3), position=(5, 0, 0), velocity=(1, 2, 3)),
    ]
    motor = HingeMotor(name="m", a="world", b="fan", at=(0, 0, 0), axis="z", velocity=300.0)
    world = World(Scene(bodies=bodies, joints=[motor]))
    assert not recwarn.list
    assert world.bodies["fan"].angular_velocity == pytest.approx((0, 0, 300.0))


@pytest.mark.parametrize(
    "scene",
    [
        pendulum(velocity=(0.0, 0.0, -1.0), angular_velocity=(0.0, 2.0, 0.0)),
        Scene(bodies=[Body(name="rod", velocity=(1, 2, 3), angular_velocity=(1, 0, 0), **ROD)]),
        Scene(
            bodies=[Body(name="rod", velocity=(1, 2, 3), **ROD)], joints=[Free(name="f", a="world", b="rod")],
        ),
        Scene(
            bodies=[Body(name="rod", velocity=(0, 0, 3), **ROD)],
            joints=[Slider(name="s", a="world", b="rod", axis="z")],
        ),
    ],
    ids=["pendulum", "free", "freely tied", "slider"],
)  # fmt: skip
def test_velocities_that_joints_allow_stay_to_the_last_bit(scene):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = World(scene)
    (body,) = scene.bodies
    assert tuple(world.bodies["rod"].velocity) == tuple(map(float, body.velocity))
    assert tuple(world.bodies["rod"].angular_velocity) == tuple(map(float, body.angular_velocity))


def test_six_digits_are_no_matter_of_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        world = World(pendulum(velocity=(0.0, 0.0, -1.000001), angular_velocity=(0.0, 2.0, 0.0)))
    slip = world.bodies["rod"].velocity[2] + 0.5 * world.bodies["rod"].angular_velocity[1]
    assert abs(slip) < 1e-14


def test_of_many_bodies_the_worst_are_named():
    bodies = [Body(name=f"b{i}", at=(i + 0.5, 0, 0), velocity=(0, 0, float(i)), **ROD) for i in range(9)]
    joints = [Weld(name=f"w{i}", a="world", b=f"b{i}", at=(i + 0.5, 0, 0)) for i in range(9)]
    with pytest.warns(DefinitionWarning) as said:
        World(Scene(bodies=bodies, joints=joints))
    assert re.findall(r"'(b\d)' by (\d)", str(said[0].message)) == [(f"b{i}", str(i)) for i in (8, 7, 6, 5, 4)]
    assert "and 3 more" in str(said[0].message)


# ---------------------------------------------------------------- one sign rule
def pushes(items, name, key="force"):
    """What joints or contacts do to a body: what stands there acts on b, its opposite on a"""
    return sum((getattr(c, key) * ((c.b == name) - (c.a == name)) for c in items), np.zeros(3))


class Tied:
    """A joint's view with the names of its bodies, as contacts have them"""

    def __init__(self, view):
        self.a, self.b = view.definition.a, view.definition.b
        self.force, self.impulse = view.force, view.impulse


@pytest.mark.parametrize("ends", [("base", "top"), ("top", "base")])
@pytest.mark.parametrize("method", ["newton", "anticipation", "auto"])
def test_forces_of_joints_and_contacts_act_on_b(method, ends):
    """A block by a weld, another one loose on top: what pushes each is its weight, added up by one rule."""
    scene = table(ends)
    lid = Body(name="lid", mass=1.0, inertia=(0.1,) * 3, at=(0, 0, 0.45), shapes=[Box(size=(0.2, 0.2, 0.1))])
    world = World(Scene(bodies=[*scene.bodies, lid], joints=scene.joints, shapes=scene.shapes))
    world.contact_method = method
    world.step(240)
    found = [*world.contacts(), *(Tied(view) for view in world.joints.values())]
    for name, view in world.bodies.items():
        assert pushes(found, name) == pytest.approx([0.0, 0.0, view.mass * G], abs=2e-3 * G)
        assert pushes(found, name, "impulse") == pytest.approx(world.timestep * pushes(found, name), abs=1e-12)
    floor = [c for c in world.contacts() if "world" in (c.a, c.b)]
    assert floor
    assert all(c.a == "world" and c.normal[2] > 0.99 and c.force[2] >= 0.0 for c in floor)


def test_a_contact_has_the_velocity_of_b_past_a():
    block = Body(
        name="block", mass=1.0, inertia=(0.1,) * 3, at=(0, 0, 0.1), velocity=(2, 0, 0), shapes=[Box(size=[0.2] * 3)]
    )
    world = World(Scene(bodies=[block], shapes=[Plane()]))
    world.contact_method = "anticipation"
    world.step(10)
    pressing = [c for c in world.contacts() if c.force.any()]
    assert pressing
    for c in pressing:
        assert (c.a, c.b) == ("world", "block")
        assert c.velocity[0] > 1.0
        assert c.force[0] < 0.0  # on the block, against its slip
        with pytest.warns(DeprecationWarning, match="'speed' of Contact is now 'velocity'"):
            assert np.array_equal(c.speed, c.velocity)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_impulses_include_impacts(integrator):
    """Two blocks that are welded fall on the floor: in every step what joints and contacts did to each, and gravity, is
    the change of its momentum."""
    scene = table()
    falling = {"velocity": (0.0, 0.0, -1.0)}
    bodies = [replace(b, position=(0.0, 0.0, b.position[2] + 0.02), **falling) for b in scene.bodies]
    world = World(Scene(bodies=bodies, joints=scene.joints, shapes=scene.shapes), integrator=integrator)
    largest = 0.0
    for _ in range(30):
        before = {name: view.mass * view.velocity for name, view in world.bodies.items()}
        world.step()
        assert world.redone == 0
        found = [*world.contacts(), *(Tied(view) for view in world.joints.values())]
        for name, view in world.bodies.items():
            gained = view.mass * (view.velocity - world.timestep * world.gravity) - before[name]
            assert pushes(found, name, "impulse") == pytest.approx(gained, abs=1e-6)
        largest = max(largest, math.hypot(*world.joints["w"].impulse))
    assert largest > 1.0  # of 2 kg that are stopped from 1 m/s, in two steps: a weight gives 0.08


def test_an_impulse_is_that_of_the_step_that_was_taken():
    world = World(pendulum())
    world.step()
    impulse, force, kept = world.joints["j"].impulse, world.joints["j"].force, world.snapshot()
    assert np.array_equal(impulse, world.timestep * force)
    world.timestep = 1e-3
    assert np.array_equal(world.joints["j"].impulse, impulse)
    world.step()
    assert np.array_equal(world.joints["j"].impulse, 1e-3 * world.joints["j"].force)
    world.restore(kept)
    assert np.array_equal(world.joints["j"].impulse, impulse)
    other = World(pendulum())
    other.timestep = 0.5
    other.restore(kept)
    assert np.array_equal(other.joints["j"].impulse, impulse)
